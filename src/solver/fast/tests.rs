//! Every path against the textbook searches, and the paths against each other.

use std::{
    collections::BTreeSet,
    fs,
    sync::{Arc, Mutex, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use proptest::prelude::*;

use super::*;
use crate::{
    puzzle::{Cell, Digit, DigitSet, Puzzle},
    solver::{Algorithm, Limits, Search, Stop, search},
};

const UNBOUNDED: u64 = u64::MAX;

fn on(path: Path, givens: &Grid, max_solutions: usize, max_nodes: u64) -> Search {
    bounded(path, givens, &Limits { max_solutions, max_nodes, stop: &Stop::never() })
}

fn bounded(path: Path, givens: &Grid, limits: &Limits) -> Search {
    let mut progress = Progress::new(limits);
    let flow = search_on(path, givens, &mut progress);
    progress.finish(flow)
}

/// What all paths find, after a look at whether they agree and whether the solutions are solutions.
fn agreed(givens: &Grid, max_solutions: usize, max_nodes: u64) -> Search {
    let mut paths = Path::all().into_iter();
    let first = on(paths.next().unwrap(), givens, max_solutions, max_nodes);
    for path in paths {
        let found = on(path, givens, max_solutions, max_nodes);
        assert_eq!(found.solutions[..], first.solutions[..], "{} on {givens}", path.name());
        assert_eq!((found.nodes, found.end), (first.nodes, first.end), "{} on {givens}", path.name());
    }
    let different: BTreeSet<_> = first.solutions.iter().map(Grid::values).collect();
    assert_eq!(different.len(), first.solutions.len(), "a solution twice: {givens}");
    for solution in first.solutions.iter() {
        assert!(solution.filled().count() == 81 && Puzzle::new(solution.clone(), Vec::new()).conflicts().is_empty());
        assert!(givens.filled().all(|(cell, digit)| solution.get(cell) == Some(digit)), "{givens}");
    }
    first
}

/// Compares with a textbook search, as far as that comes with its budget.
fn agrees_with(algorithm: Algorithm, givens: &Grid, max_solutions: usize) {
    let stop = Stop::never();
    let limits = Limits { max_solutions, max_nodes: 20_000, stop: &stop };
    let expected = search(&Puzzle::new(givens.clone(), Vec::new()), algorithm, &limits);
    let found = agreed(givens, max_solutions, UNBOUNDED);
    match expected.end {
        End::Exhausted => {
            let sorted = |found: &Search| found.solutions.iter().map(|grid| *grid.values()).collect::<BTreeSet<_>>();
            assert_eq!(found.end, End::Exhausted, "{givens}");
            assert_eq!(sorted(&found), sorted(&expected), "{givens}");
        }
        End::SolutionLimit => assert_eq!((found.end, found.solutions.len()), (End::SolutionLimit, max_solutions)),
        _ => {}
    }
}

/// A solved grid, by relabelling and reordering one.
fn solved() -> impl Strategy<Value = Grid> {
    let orders = || Just([0usize, 1, 2]).prop_shuffle();
    let lines = move || (orders(), [orders(), orders(), orders()]);
    (Just([1u8, 2, 3, 4, 5, 6, 7, 8, 9]).prop_shuffle(), lines(), lines()).prop_map(|(digits, rows, columns)| {
        let line = |(bands, inner): &([usize; 3], [[usize; 3]; 3]), k: usize| bands[k / 3] * 3 + inner[k / 3][k % 3];
        let values = std::array::from_fn(|cell| {
            let (row, column) = (line(&rows, cell / 9), line(&columns, cell % 9));
            digits[(row * 3 + row / 3 + column) % 9]
        });
        Grid::from_values(values).unwrap()
    })
}

/// Boards of all kinds: a solved grid with cells emptied in a random order, minimal or not, and maybe one given spoiled.
fn boards() -> impl Strategy<Value = Grid> {
    let order = Just((0..81).collect::<Vec<usize>>()).prop_shuffle();
    let spoiled = prop_oneof![3 => Just(None), 1 => (0..81usize, 1..=9u8).prop_map(Some)];
    (solved(), order, 0..81usize, any::<bool>(), spoiled).prop_map(|(mut grid, order, keep, minimal, spoiled)| {
        for (emptied, &index) in order.iter().enumerate() {
            let cell = Cell::from_index(index).unwrap();
            let digit = grid.get(cell);
            grid.set(cell, None);
            let wanted =
                if minimal { on(Path::best(), &grid, 2, UNBOUNDED).solutions.len() == 1 } else { emptied < 81 - keep };
            if !wanted {
                grid.set(cell, digit);
            }
        }
        if let Some((index, value)) = spoiled {
            grid.set(Cell::from_index(index).unwrap(), Digit::new(value));
        }
        grid
    })
}

/// A few digits anywhere, clashes and all.
fn scattered() -> impl Strategy<Value = Grid> {
    prop::collection::vec((0..81usize, 1..=9u8), 0..30).prop_map(|givens| {
        let mut grid = Grid::EMPTY;
        givens.into_iter().for_each(|(index, digit)| grid.set(Cell::from_index(index).unwrap(), Digit::new(digit)));
        grid
    })
}

fn check(givens: &Grid) {
    for max_solutions in [1, 2, 1000] {
        agrees_with(Algorithm::ExactCover, givens, max_solutions);
        agrees_with(Algorithm::ReadingOrder, givens, max_solutions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn boards_of_all_kinds(givens in boards()) {
        check(&givens);
    }

    #[test]
    fn scattered_digits(givens in scattered()) {
        check(&givens);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    #[ignore = "minutes"]
    fn many_boards_of_all_kinds(givens in boards()) {
        check(&givens);
    }

    #[test]
    #[ignore = "minutes"]
    fn many_scattered_digits(givens in scattered()) {
        check(&givens);
    }
}

#[test]
fn two_givens_that_clash_leave_no_solution() {
    for first in Cell::all() {
        let peers = Cell::all().filter(|&cell| cell > first);
        for second in peers.filter(|cell| cell.houses().iter().any(|house| first.houses().contains(house))) {
            for digit in Digit::all().filter(|digit| [1, 8, 9].contains(&digit.get())) {
                let mut grid = Grid::EMPTY;
                grid.set(first, Some(digit));
                grid.set(second, Some(digit));
                let found = agreed(&grid, 2, UNBOUNDED);
                assert_eq!((found.solutions.len(), found.end), (0, End::Exhausted), "{digit} in {first} and {second}");
            }
        }
    }
}

#[test]
fn a_full_grid_is_a_solution_or_none() {
    let full: Grid =
        "812753649943682175675491283154237896369845721287169534521974368438526917796318452".parse().unwrap();
    assert_eq!(agreed(&full, 2, 0).solutions[..], *std::slice::from_ref(&full));
    let sets: Vec<(Cell, Digit)> = full.filled().collect();
    for (cell, digit) in sets {
        let mut wrong = full.clone();
        wrong.set(cell, DigitSet::from(digit).complement().first());
        assert_eq!(agreed(&wrong, 2, UNBOUNDED).end, End::Exhausted);
        assert!(agreed(&wrong, 2, UNBOUNDED).solutions.is_empty(), "{wrong}");
    }
}

#[test]
fn budgets_are_kept_to_the_node() {
    let boards = [
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
        "..8..3.........6.....5.1...7...2....3...8...6..6.1......4..........7..5.9........",
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    ];
    for line in boards {
        let grid: Grid = line.parse().unwrap();
        for max_solutions in [1, 2, 30] {
            let whole = agreed(&grid, max_solutions, UNBOUNDED);
            assert!(whole.nodes > 1, "{line} needs a guess");
            for max_nodes in 0..=whole.nodes + 1 {
                let found = agreed(&grid, max_solutions, max_nodes);
                assert_eq!(found.nodes, max_nodes.min(whole.nodes), "{line}");
                assert_eq!(found.end, if max_nodes < whole.nodes { End::NodeLimit } else { whole.end }, "{line}");
                assert!(whole.solutions.starts_with(&found.solutions), "the same solutions as far as it comes");
            }
        }
    }
}

#[test]
fn propagation_alone_decides_easy_boards() {
    let easy: Grid =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
    let found = agreed(&easy, 2, 0);
    assert_eq!((found.solutions.len(), found.nodes, found.end), (1, 0, End::Exhausted));
}

#[test]
fn a_stop_is_honoured() {
    for path in Path::all() {
        let set = Stop::new(Arc::new(AtomicBool::new(true)), None);
        let limits = Limits { max_solutions: 1_000_000, max_nodes: UNBOUNDED, stop: &set };
        let found = bounded(path, &Grid::EMPTY, &limits);
        assert!(found.end == End::Stopped && found.nodes <= 1000, "{} after {} nodes", path.name(), found.nodes);

        let start = Instant::now();
        let late = Stop::new(Arc::default(), Some(start + Duration::from_millis(20)));
        let limits = Limits { max_solutions: usize::MAX, max_nodes: UNBOUNDED, stop: &late };
        assert_eq!(bounded(path, &Grid::EMPTY, &limits).end, End::Stopped);
        assert!(start.elapsed() < Duration::from_secs(2), "{}", path.name());
    }
}

#[test]
fn the_empty_grid_fits_a_small_stack() {
    let small = thread::Builder::new().stack_size(256 * 1024);
    let found = small.spawn(|| agreed(&Grid::EMPTY, 1000, UNBOUNDED)).unwrap().join().unwrap();
    assert_eq!((found.solutions.len(), found.end), (1000, End::SolutionLimit));
}

#[test]
fn boards_with_known_counts() {
    let Ok(files) = fs::read_dir("../shared/data/cases") else {
        println!("skipped: the cases are not beside the project");
        return;
    };
    for file in files {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let grid: Grid = fields[0].parse().unwrap();
            let start = Instant::now();
            let found = agreed(&grid, 1000, UNBOUNDED);
            match fields[2].strip_suffix('+') {
                Some(_) => assert_eq!(found.end, End::SolutionLimit, "{line}"),
                None => assert_eq!(found.solutions.len().to_string(), fields[2], "{line}"),
            }
            if fields[1] == "unique" {
                assert_eq!(found.solutions[0].to_string(), fields[3]);
            }
            if fields[1] == "unsolvable" {
                println!("{} nodes, {:?} on all paths: {}", found.nodes, start.elapsed(), fields[0]);
            }
        }
    }
}

#[test]
fn paths_agree_on_samples() {
    let Ok(files) = fs::read_dir("../shared/data/classic") else {
        println!("skipped: the boards are not beside the project");
        return;
    };
    for file in files {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        for line in lines.iter().step_by(lines.len() / 150 + 1) {
            agreed(&line[..81].parse().unwrap(), 2, UNBOUNDED);
        }
    }
}

#[test]
fn a_clash_that_the_sweeps_do_not_see_is_found_all_the_same() {
    // Two 2s in box 6 leave its one open cell the 3 and the 4, each of which has no other place there.
    let line = "8.........59.......76.........832765...476198...9512.2.................0.4.......";
    let givens: Grid = line.parse().unwrap();
    for path in Path::all() {
        let found = on(path, &givens, 2, 1_000_000);
        assert_eq!((found.end, found.solutions.len()), (End::Exhausted, 0), "{path:?}");
        assert!(found.nodes < 200, "{path:?}: {} nodes", found.nodes);
    }
}

#[test]
fn a_search_in_the_middle_of_another_is_a_search_of_its_own() {
    let hard = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
    let puzzle = Puzzle::from_line(hard).unwrap();
    let found = |puzzle: &Puzzle, stop: &Stop| {
        let Search { nodes, solutions, .. } =
            search(puzzle, Algorithm::Fast, &Limits { max_solutions: 2, max_nodes: UNBOUNDED, stop });
        (nodes, solutions.to_vec())
    };
    let alone = found(&puzzle, &Stop::never());
    let within = Arc::new(Mutex::new(Vec::new()));
    let stop = Stop::never().with_interlude({
        let (puzzle, within) = (puzzle.clone(), Arc::clone(&within));
        move || {
            within.lock().unwrap().push(found(&puzzle, &Stop::never()));
            Duration::ZERO
        }
    });
    assert_eq!(found(&puzzle, &stop), alone);
    let within = within.lock().unwrap();
    assert!(!within.is_empty() && within.iter().all(|found| *found == alone));
}
