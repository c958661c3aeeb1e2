//! Classic boards from their characters to the solution, uniqueness proved: each algorithm on small samples of six
//! collections, and the fast one on every path that the machine can run.
//!
//! `cargo bench --bench classic -- fast/17_clue` runs one of them. `README.md` beside this file has figures.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sudoku_server::{
    puzzle::Puzzle,
    solver::{Algorithm, Limits, Path, Search, Stop, search, search_on},
};

/// Enough for every board but the hard ones in reading order, which would go on for seconds.
const MAX_NODES: u64 = 20_000;

const SAMPLES: [(&str, &str); 6] = [
    ("qqwing_easy", include_str!("data/qqwing_easy.txt")),
    ("17_clue", include_str!("data/17_clue.txt")),
    ("serg_benchmark", include_str!("data/serg_benchmark.txt")),
    ("magictour_top1465", include_str!("data/magictour_top1465.txt")),
    ("forum_hardest_11", include_str!("data/forum_hardest_11.txt")),
    ("forum_hardest_1106", include_str!("data/forum_hardest_1106.txt")),
];

fn classic(criterion: &mut Criterion) {
    for algorithm in Algorithm::ALL {
        group(criterion, algorithm.name(), |puzzle, limits| search(puzzle, algorithm, limits));
    }
    for path in Path::all() {
        group(criterion, &format!("fast_{}", path.name()), |puzzle, limits| search_on(path, puzzle, limits));
    }
}

fn group(criterion: &mut Criterion, name: &str, run: impl Fn(&Puzzle, &Limits) -> Search) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (sample, text) in SAMPLES {
        let boards: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let stop = Stop::never();
        let limits = Limits { max_solutions: 2, max_nodes: MAX_NODES, stop: &stop };
        group.throughput(Throughput::Elements(boards.len() as u64));
        group.bench_function(sample, |bencher| {
            bencher.iter(|| {
                for board in &boards {
                    let puzzle = Puzzle::from_line(black_box(board)).expect("a well-formed board");
                    black_box(run(&puzzle, &limits));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, classic);
criterion_main!(benches);
