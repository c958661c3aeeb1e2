//! Tests of the engine as a whole: against the textbook search, against recorded answers, on hostile boards, and with
//! every path against the others.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use proptest::prelude::*;
use serde_json::Value;

use super::{
    super::{Algorithm, End, Limits, Search, Stop, progress::Progress, search},
    arch::{Lanes, plain::Plain},
    solve,
};
use crate::puzzle::{Cage, Cell, DigitSet, Grid, House, Puzzle};

fn run<L: Lanes>(puzzle: &Puzzle, limits: &Limits) -> Search {
    let mut progress = Progress::new(limits);
    let flow = solve::<L>(puzzle, &mut progress);
    progress.finish(flow)
}

fn same(a: &Search, b: &Search) -> bool {
    a.solutions[..] == b.solutions[..] && a.nodes == b.nodes && a.end == b.end
}

/// Searches on every path, which must agree in everything, and checks the solutions.
fn searched(puzzle: &Puzzle, max_solutions: usize, max_nodes: u64) -> Search {
    let stop = Stop::never();
    let limits = Limits { max_solutions, max_nodes, stop: &stop };
    let found = run::<Plain>(puzzle, &limits);
    #[cfg(target_arch = "x86_64")]
    if super::arch::avx2::available() {
        let other = run::<super::arch::avx2::Avx2>(puzzle, &limits);
        assert!(same(&found, &other), "plain {found:?}, AVX2 {other:?}");
    }
    for (i, grid) in found.solutions.iter().enumerate() {
        assert!(is_solution(puzzle, grid), "{grid}");
        assert!(!found.solutions[..i].contains(grid), "{grid} twice");
    }
    found
}

/// The checker: knows nothing of the engine.
fn is_solution(puzzle: &Puzzle, grid: &Grid) -> bool {
    let distinct = |cells: &[Cell]| {
        let digits: Option<DigitSet> = cells.iter().map(|&cell| grid.get(cell)).collect();
        digits.is_some_and(|digits| digits.len() as usize == cells.len())
    };
    let sum = |cage: &Cage| cage.cells().iter().map(|cell| u32::from(grid.values()[cell.index()])).sum::<u32>();
    House::all().all(|house| distinct(house.cells()))
        && puzzle.givens().filled().all(|(cell, digit)| grid.get(cell) == Some(digit))
        && puzzle.cages().iter().all(|cage| distinct(cage.cells()))
        && puzzle.cages().iter().all(|cage| cage.sum().is_none_or(|total| u32::from(total) == sum(cage)))
}

struct Recorded {
    name: String,
    puzzle: Puzzle,
    solutions: usize,
    solution: Option<String>,
}

fn recorded(path: &Path) -> Vec<Recorded> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| read(&serde_json::from_str(line).unwrap())).collect()
}

fn read(json: &Value) -> Recorded {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let cage = |cage: &Value| {
        let cells = cage["cells"].as_array().unwrap().iter().map(|cell| text(cell).parse().unwrap()).collect();
        Cage::new(cells, cage["sum"].as_u64().map(|sum| sum as u8)).unwrap()
    };
    let board: String = json["board"].as_array().unwrap().iter().map(text).collect();
    Recorded {
        name: text(&json["name"]),
        puzzle: Puzzle::new(board.parse().unwrap(), json["cages"].as_array().unwrap().iter().map(cage).collect()),
        solutions: json["solutions"].as_u64().unwrap() as usize,
        solution: json["solution"].as_str().map(str::to_owned),
    }
}

fn check_recorded(board: &Recorded) -> Search {
    let found = searched(&board.puzzle, 2, 1_000_000);
    assert!(matches!(found.end, End::Exhausted | End::SolutionLimit), "{}: {:?}", board.name, found.end);
    assert_eq!(found.solutions.len(), board.solutions, "{}", board.name);
    if let (1, Some(solution)) = (board.solutions, &board.solution) {
        assert_eq!(found.solutions[0].to_string(), *solution, "{}", board.name);
    }
    found
}

fn sample() -> Vec<Recorded> {
    recorded(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/killer.jsonl"))
}

#[test]
fn recorded_answers_of_the_sample() {
    let boards = sample();
    assert!(boards.len() > 40);
    boards.iter().for_each(|board| drop(check_recorded(board)));
}

/// The whole collection, where it lies beside the project; without optimisation, each set for a second.
#[test]
fn recorded_answers_of_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/killer");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let patience = if cfg!(debug_assertions) { Duration::from_secs(1) } else { Duration::MAX };
    for entry in entries {
        let start = Instant::now();
        for board in recorded(&entry.unwrap().path()) {
            if start.elapsed() < patience {
                check_recorded(&board);
            }
        }
    }
}

/// A full grid, from a pattern whose digits, rows and columns are shuffled.
fn full_grid() -> impl Strategy<Value = [u8; 81]> {
    let threes = || Just(vec![0, 1, 2]).prop_shuffle();
    let order = move || (threes(), threes(), threes(), threes());
    let order = move || {
        order().prop_map(|(outer, a, b, c)| {
            let inner = [a, b, c];
            outer.iter().flat_map(|&o| inner[o].iter().map(move |&i| 3 * o + i).collect::<Vec<_>>()).collect::<Vec<_>>()
        })
    };
    (order(), order(), Just((1..=9).collect::<Vec<u8>>()).prop_shuffle()).prop_map(|(rows, columns, digits)| {
        std::array::from_fn(|i| {
            let (r, c) = (rows[i / 9], columns[i % 9]);
            digits[(r * 3 + r / 3 + c) % 9]
        })
    })
}

/// Small killers: a few empty cells, and cages of any cells, most with the sum that the grid has, some without one,
/// some off by a little; they may overlap and repeat.
fn small_killer() -> impl Strategy<Value = Puzzle> {
    let cells = prop::sample::subsequence((0..81).collect::<Vec<usize>>(), 2..=9).prop_shuffle();
    let connected = (0..81usize, 2..=5usize, any::<u64>()).prop_map(|(start, len, seed)| walk(start, len, seed));
    let cage = prop_oneof![3 => connected, 1 => cells];
    let sum = prop_oneof![12 => Just(Some(0)), 2 => Just(None), 1 => (-2..=2i8).prop_map(Some)];
    let cages = prop::collection::vec((cage, sum), 1..40);
    let empty = prop::sample::subsequence((0..81).collect::<Vec<usize>>(), 15..=50);
    (full_grid(), empty, cages).prop_map(|(mut grid, empty, cages)| {
        let cages = cages.into_iter().filter_map(|(cells, sum)| {
            let mut seen = DigitSet::EMPTY;
            let cells: Vec<usize> = cells
                .into_iter()
                .filter(|&cell| {
                    let digit = DigitSet::from_bits(1 << (grid[cell] - 1));
                    let new = seen.intersection(digit).is_empty();
                    seen = seen.union(digit);
                    new
                })
                .collect();
            let total = cells.iter().map(|&cell| grid[cell] as i8).sum::<i8>();
            let cells = cells.into_iter().map(|cell| Cell::from_index(cell).unwrap()).collect();
            Cage::new(cells, sum.map(|off| (total + off) as u8)).ok()
        });
        let cages = cages.collect();
        empty.iter().for_each(|&cell| grid[cell] = 0);
        Puzzle::new(Grid::from_values(grid).unwrap(), cages)
    })
}

/// Some neighbouring cells.
fn walk(start: usize, len: usize, mut seed: u64) -> Vec<usize> {
    let mut cells = vec![start];
    while cells.len() < len {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let from = cells[(seed >> 40) as usize % cells.len()];
        let (row, column) = (from / 9, from % 9);
        let next = match seed >> 60 & 3 {
            0 if row > 0 => from - 9,
            1 if row < 8 => from + 9,
            2 if column > 0 => from - 1,
            3 if column < 8 => from + 1,
            _ => continue,
        };
        if !cells.contains(&next) {
            cells.push(next);
        }
    }
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 3000 }))]

    #[test]
    fn same_solutions_as_the_textbook_search(puzzle in small_killer()) {
        let stop = Stop::never();
        let naive = search(&puzzle, Algorithm::Mrv, &Limits { max_solutions: 50, max_nodes: 50_000, stop: &stop });
        let found = searched(&puzzle, 50, 50_000);
        match naive.end {
            End::Exhausted => {
                prop_assert_eq!(found.end, End::Exhausted);
                let sorted = |search: &Search| {
                    let mut lines: Vec<_> = search.solutions.iter().map(ToString::to_string).collect();
                    lines.sort();
                    lines
                };
                prop_assert_eq!(sorted(&found), sorted(&naive));
            }
            End::SolutionLimit => prop_assert_eq!(found.solutions.len(), 50),
            _ => {}
        }
    }
}

#[test]
fn budgets_are_exact() {
    for board in sample() {
        let whole = check_recorded(&board);
        if whole.nodes > 2000 {
            continue;
        }
        let exactly = searched(&board.puzzle, 2, whole.nodes);
        assert!(same(&whole, &exactly), "{}: a tree of just the budget", board.name);
        for budget in (0..whole.nodes).step_by(1 + whole.nodes as usize / 20) {
            let cut = searched(&board.puzzle, 2, budget);
            assert_eq!((cut.end, cut.nodes), (End::NodeLimit, budget), "{}", board.name);
        }
    }
}

#[test]
fn a_stop_ends_the_search() {
    let hard = sample().into_iter().max_by_key(|board| searched(&board.puzzle, 2, 5_000).nodes).unwrap();
    let cancelled = Stop::new(Arc::new(AtomicBool::new(true)), None);
    let limits = Limits { max_solutions: usize::MAX, max_nodes: u64::MAX, stop: &cancelled };
    assert_eq!(search(&hard.puzzle, Algorithm::Fast, &limits).end, End::Stopped);
    let puzzle = Puzzle::new(Grid::EMPTY, vec![Cage::new(vec![Cell::at(1, 1).unwrap()], None).unwrap()]);
    let start = Instant::now();
    let soon = Stop::new(Arc::default(), Some(start + Duration::from_millis(20)));
    let limits = Limits { max_solutions: usize::MAX, max_nodes: u64::MAX, stop: &soon };
    let mut progress = Progress::new(&limits);
    let flow = solve::<Plain>(&puzzle, &mut progress);
    assert_eq!(progress.finish(flow).end, End::Stopped);
    assert!(start.elapsed() < Duration::from_millis(200), "{:?} for 20 ms", start.elapsed());
}

fn cage(cells: impl IntoIterator<Item = usize>, sum: Option<u8>) -> Cage {
    Cage::new(cells.into_iter().map(|cell| Cell::from_index(cell).unwrap()).collect(), sum).unwrap()
}

/// Where in a box pattern each digit stands: a solution to build satisfiable boards from.
fn pattern(cell: usize) -> u8 {
    let (r, c) = (cell / 9, cell % 9);
    ((r * 3 + r / 3 + c) % 9 + 1) as u8
}

fn sum_of(cells: &[usize]) -> u8 {
    cells.iter().map(|&cell| pattern(cell)).sum()
}

/// Up to `len` cells, `stride` apart, that hold different digits in the pattern.
fn distinct(start: usize, stride: usize, len: usize) -> Vec<usize> {
    let (mut cells, mut seen) = (Vec::new(), 0u16);
    for cell in (0..81).map(|i| (start + i * stride) % 81) {
        if seen >> pattern(cell) & 1 == 0 && cells.len() < len {
            seen |= 1 << pattern(cell);
            cells.push(cell);
        }
    }
    cells
}

/// Boards that somebody might send to hurt: each must end inside its budget, without a wrong answer.
#[test]
fn hostile_boards() {
    let row = |r: usize| (0..9).map(move |c| 9 * r + c).collect::<Vec<_>>();
    let many = |len: usize, with_sum: bool| {
        let cells = (0..324).map(|i| distinct(i % 81, [1, 10, 8, 20][i / 81], len));
        cells.map(|cells| cage(cells.clone(), with_sum.then(|| sum_of(&cells)))).collect::<Vec<_>>()
    };
    let boxes = (0..9).map(|b| (0..9).map(|i| b / 3 * 27 + b % 3 * 3 + i / 3 * 9 + i % 3).collect::<Vec<_>>());
    let columns = (0..9).map(|c| (0..9).map(|r| 9 * r + c).collect::<Vec<_>>());
    let houses = (0..9).map(row).chain(columns).chain(boxes).map(|cells| cage(cells, Some(45))).collect();
    let cases: Vec<(&str, Vec<Cage>, Option<usize>)> = vec![
        ("324 overlapping cages of three", many(3, true), Some(1)),
        ("324 overlapping cages of five", many(5, true), Some(1)),
        ("324 overlapping cages of seven", many(7, true), Some(1)),
        ("324 overlapping cages of nine, any order", many(9, true), None),
        ("324 cages of nine without a sum", many(9, false), None),
        ("324 cages of eight without a sum", many(8, false), None),
        ("324 cages of two without a sum", many(2, false), None),
        ("a cage of 45 in every house", houses, Some(2)),
        ("one cage 324 times", vec![cage(distinct(0, 1, 5), Some(sum_of(&distinct(0, 1, 5)))); 324], Some(2)),
        ("one pair with two sums", vec![cage([0, 1], Some(5)), cage([0, 1], Some(6))], Some(0)),
        ("one cell with two sums", vec![cage([0], Some(5)), cage([0], Some(6))], Some(0)),
        ("one cell", vec![cage([40], Some(5))], Some(2)),
        ("nothing said", vec![cage([40], None)], Some(2)),
        ("rows that add up to 44", vec![cage(row(0)[..8].to_vec(), Some(44)), cage([8], Some(2))], Some(0)),
    ];
    for (name, cages, expected) in cases {
        let puzzle = Puzzle::new(Grid::EMPTY, cages);
        let found = searched(&puzzle, 2, 300);
        assert!(found.nodes <= 300, "{name}");
        if let Some(expected) = expected {
            assert_eq!(found.solutions.len(), expected, "{name}: {:?} after {}", found.end, found.nodes);
        }
    }
}

/// Nothing is dropped when the queue is full: the last of 324 cages still decides.
#[test]
fn the_last_cage_counts() {
    let pairs = (0..81).flat_map(|a| (1..5).map(move |b| (a, (a + b) % 81)));
    let pairs = pairs.filter(|&(a, b)| pattern(a) != pattern(b)).map(|(a, b)| vec![a, b]);
    let mut cages: Vec<Cage> = pairs.take(320).map(|cells| cage(cells, None)).collect();
    let last = distinct(0, 13, 7);
    let total = sum_of(&last);
    cages.push(cage(last.clone(), Some(total + 1)));
    let mut givens = std::array::from_fn(pattern);
    last.iter().for_each(|&cell| givens[cell] = 0);
    let puzzle = Puzzle::new(Grid::from_values(givens).unwrap(), cages.clone());
    assert_eq!(searched(&puzzle, 2, 1000).solutions.len(), 0);
    *cages.last_mut().unwrap() = cage(last, Some(total));
    assert_eq!(searched(&Puzzle::new(puzzle.givens().clone(), cages), 2, 1000).solutions.len(), 1);
}

/// A clique of eight cells, all of them open: tables by count and sum must not end before it.
#[test]
fn a_single_cage_of_eight_cells() {
    for without in 1..=9u8 {
        // Eight cells of row 1: the ninth is the digit that is missing, and nothing else is known.
        let puzzle = Puzzle::new(Grid::EMPTY, vec![cage(0..8, Some(45 - without))]);
        let found = searched(&puzzle, 2, 1000);
        assert_eq!(found.solutions.len(), 2, "{without}");
        assert!(found.solutions.iter().all(|grid| grid.values()[8] == without), "{without}");
        // Eight cells on a diagonal of boxes, so that no house holds them.
        let cells = [0, 4, 8, 28, 32, 33, 56, 61];
        let puzzle = Puzzle::new(Grid::EMPTY, vec![cage(cells, Some(45 - without))]);
        assert_eq!(searched(&puzzle, 2, 1000).solutions.len(), 2, "{without}");
    }
}

/// Clashes among the givens need no search, whoever finds them.
#[test]
fn clashes_cost_no_node() {
    for (line, cages) in [
        ("5...5", vec![cage([80], None)]),
        ("5........5", vec![cage([80], None)]),
        ("1........2", vec![cage([0, 9, 18], Some(24))]),
        ("1..............1", vec![cage([0, 15], None)]),
        ("1..............1", vec![cage([0, 15, 30, 45], Some(20))]),
    ] {
        let puzzle = Puzzle::new(format!("{line:.<81}").parse().unwrap(), cages);
        let found = searched(&puzzle, 2, 1000);
        assert_eq!((found.solutions.len(), found.nodes, found.end), (0, 0, End::Exhausted), "{line}");
    }
}
