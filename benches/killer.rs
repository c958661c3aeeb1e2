//! Killers of each kind, from givens and cages to the proof: `cargo bench --bench killer`.
//!
//! The boards are in `data/killer.jsonl`, the kinds are the first parts of their names; see `KILLER.md`.

use std::{collections::BTreeMap, fs, hint::black_box};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use sudoku_server::{
    puzzle::{Cage, Puzzle},
    solver::{Algorithm, Limits, Stop, search},
};

fn puzzle(json: &Value) -> Puzzle {
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let cage = |cage: &Value| {
        let cells = cage["cells"].as_array().expect("cells").iter().map(|cell| text(cell).parse().expect("a cell"));
        Cage::new(cells.collect(), cage["sum"].as_u64().map(|sum| sum as u8)).expect("a cage")
    };
    let board: String = json["board"].as_array().expect("nine rows").iter().map(text).collect();
    Puzzle::new(board.parse().expect("a board"), json["cages"].as_array().expect("cages").iter().map(cage).collect())
}

fn killers(criterion: &mut Criterion) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/data/killer.jsonl");
    let mut kinds: BTreeMap<String, Vec<Puzzle>> = BTreeMap::new();
    for line in fs::read_to_string(path).expect("the boards").lines() {
        let json: Value = serde_json::from_str(line).expect("a JSON line");
        let name = json["name"].as_str().expect("a name");
        let kind = name.split(['/', '#']).next().unwrap_or(name).to_lowercase();
        kinds.entry(kind).or_default().push(puzzle(&json));
    }
    let mut group = criterion.benchmark_group("killer");
    for (kind, puzzles) in &kinds {
        group.throughput(Throughput::Elements(puzzles.len() as u64)).sample_size(10);
        group.bench_function(kind, |bencher| bencher.iter(|| puzzles.iter().map(solve).sum::<u64>()));
    }
    group.finish();
}

/// Proves a puzzle, and gives its nodes.
fn solve(puzzle: &Puzzle) -> u64 {
    let stop = Stop::never();
    let limits = Limits { max_solutions: 2, max_nodes: 1_000_000, stop: &stop };
    black_box(search(black_box(puzzle), Algorithm::Fast, &limits)).nodes
}

criterion_group!(benches, killers);
criterion_main!(benches);
