//! Any text as a board: read or refused, and where it is read, the searches agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sudoku_server::{
    puzzle::{Grid, Puzzle},
    solver::{Algorithm, End, Limits, Stop, search},
};

fuzz_target!(|line: &str| {
    let Ok(puzzle) = Puzzle::from_line(line) else { return };
    let written = puzzle.givens().to_string();
    assert_eq!(written, line.replace('0', "."));
    assert_eq!(written.parse::<Grid>().as_ref(), Ok(puzzle.givens()));
    let limits = Limits { max_solutions: 3, max_nodes: 2000, stop: &Stop::never() };
    let found = Algorithm::ALL.map(|algorithm| search(&puzzle, algorithm, &limits));
    let decided = || found.iter().filter(|found| matches!(found.end, End::Exhausted | End::SolutionLimit));
    for pair in decided().zip(decided().skip(1)) {
        assert_eq!(pair.0.solutions.len(), pair.1.solutions.len(), "{line}");
    }
    if !puzzle.conflicts().is_empty() {
        assert!(found.iter().all(|found| found.end == End::Exhausted && found.solutions.is_empty()), "{line}");
    }
});
