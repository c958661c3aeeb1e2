//! Bytes as givens and cages: `fast` agrees with the textbook search, and every solution keeps every rule.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sudoku_server::{
    puzzle::{Cage, Cell, DigitSet, Digit, Grid, House, Puzzle},
    solver::{Algorithm, End, Limits, Stop, dead_end, search},
};

/// Two bytes a given, then for each cage a length, a sum and its cells.
fn puzzle(bytes: &[u8]) -> Option<Puzzle> {
    let mut bytes = bytes.iter().copied();
    let mut givens = Grid::EMPTY;
    for _ in 0..bytes.next()? % 60 {
        let cell = Cell::from_index(usize::from(bytes.next()?) % 81)?;
        givens.set(cell, Digit::new(bytes.next()? % 9 + 1));
    }
    let mut cages = Vec::new();
    while let Some(length) = bytes.next() {
        let sum = bytes.next()?;
        let cells = bytes.by_ref().take(usize::from(length % 10)).map(|byte| Cell::from_index(usize::from(byte) % 81));
        cages.extend(Cage::new(cells.collect::<Option<_>>()?, (sum < 200).then_some(sum % 46)));
    }
    cages.truncate(324);
    Some(Puzzle::new(givens, cages))
}

fn keeps_the_rules(puzzle: &Puzzle, solution: &Grid) -> bool {
    let digits = |cells: &[Cell]| cells.iter().filter_map(|&cell| solution.get(cell)).collect::<DigitSet>();
    let houses = House::all().all(|house| digits(house.cells()) == DigitSet::ALL);
    let cages = puzzle.cages().iter().all(|cage| {
        let digits = digits(cage.cells());
        let sum = digits.iter().map(Digit::get).sum::<u8>();
        digits.len() as usize == cage.cells().len() && cage.sum().is_none_or(|expected| expected == sum)
    });
    houses && cages && puzzle.givens().filled().all(|(cell, digit)| solution.get(cell) == Some(digit))
}

fuzz_target!(|bytes: &[u8]| {
    let Some(puzzle) = puzzle(bytes) else { return };
    let stop = Stop::never();
    let limits = Limits { max_solutions: 3, max_nodes: 2000, stop: &stop };
    let fast = search(&puzzle, Algorithm::Fast, &limits);
    let textbook = search(&puzzle, Algorithm::Mrv, &limits);
    assert!(fast.solutions.iter().chain(&*textbook.solutions).all(|solution| keeps_the_rules(&puzzle, solution)));
    let decided = |end| matches!(end, End::Exhausted | End::SolutionLimit);
    if decided(fast.end) && decided(textbook.end) {
        assert_eq!(fast.solutions.len(), textbook.solutions.len());
    }
    if fast.end == End::Exhausted && fast.solutions.is_empty() && puzzle.conflicts().is_empty() {
        dead_end(&puzzle, &stop);
    }
});
