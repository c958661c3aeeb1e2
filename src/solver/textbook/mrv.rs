//! Backtracking that fills the most constrained cell first (minimum remaining values), over bit masks.
//!
//! At each step it takes the empty cell with the fewest allowed digits, the first one on a tie, and tries them smallest
//! first; an empty cell without one ends the branch at once. A digit is allowed where no house of the cell and no cage
//! of the cell holds it, and where every cage of the cell can still meet its sum with distinct digits.

use std::ops::ControlFlow;

use super::super::{End, progress::Progress};
use crate::puzzle::{Cell, Digit, DigitSet, Grid, Puzzle};

struct Board {
    grid: Grid,
    /// The digits that each house holds.
    used: [DigitSet; 27],
    cages: Vec<CageState>,
    /// The cages of each cell, by their place in `cages`.
    cages_of: Vec<Vec<usize>>,
}

struct CageState {
    used: DigitSet,
    /// Cells without a digit.
    open: usize,
    /// What the open cells have to add up to.
    rest: Option<u8>,
}

impl CageState {
    /// The digits that a cell of the cage may take.
    fn allowed(&self) -> DigitSet {
        let free = self.used.complement();
        let Some(rest) = self.rest else { return free };
        let meets_sum = |digit: &Digit| {
            rest.checked_sub(digit.get()).is_some_and(|rest| free.without((*digit).into()).makes(self.open - 1, rest))
        };
        free.iter().filter(meets_sum).collect()
    }
}

impl Board {
    fn new(puzzle: &Puzzle) -> Board {
        let mut cages_of = vec![Vec::new(); 81];
        for (index, cage) in puzzle.cages().iter().enumerate() {
            cage.cells().iter().for_each(|cell| cages_of[cell.index()].push(index));
        }
        let cages = puzzle.cages().iter();
        let cages = cages.map(|cage| CageState { used: DigitSet::EMPTY, open: cage.cells().len(), rest: cage.sum() });
        let mut board = Board { grid: Grid::EMPTY, used: [DigitSet::EMPTY; 27], cages: cages.collect(), cages_of };
        puzzle.givens().filled().for_each(|(cell, digit)| board.place(cell, digit));
        board
    }

    fn allowed(&self, cell: Cell) -> DigitSet {
        let used = cell.houses().iter().fold(DigitSet::EMPTY, |used, house| used.union(self.used[house.index()]));
        let cages = &self.cages_of[cell.index()];
        cages.iter().fold(used.complement(), |allowed, &cage| allowed.intersection(self.cages[cage].allowed()))
    }

    fn place(&mut self, cell: Cell, digit: Digit) {
        self.grid.set(cell, Some(digit));
        cell.houses().iter().for_each(|house| self.used[house.index()].insert(digit));
        for &cage in &self.cages_of[cell.index()] {
            let cage = &mut self.cages[cage];
            cage.used.insert(digit);
            cage.open -= 1;
            cage.rest = cage.rest.map(|rest| rest - digit.get());
        }
    }

    fn take_back(&mut self, cell: Cell, digit: Digit) {
        self.grid.set(cell, None);
        cell.houses().iter().for_each(|house| self.used[house.index()].remove(digit));
        for &cage in &self.cages_of[cell.index()] {
            let cage = &mut self.cages[cage];
            cage.used.remove(digit);
            cage.open += 1;
            cage.rest = cage.rest.map(|rest| rest + digit.get());
        }
    }

    /// The empty cell with the fewest allowed digits, the first one on a tie, and those digits.
    fn most_constrained(&self) -> Option<(Cell, DigitSet)> {
        let mut best: Option<(Cell, DigitSet)> = None;
        for cell in Cell::all().filter(|&cell| self.grid.get(cell).is_none()) {
            let allowed = self.allowed(cell);
            if best.is_none_or(|(_, fewest)| allowed.len() < fewest.len()) {
                best = Some((cell, allowed));
                if allowed.is_empty() {
                    break;
                }
            }
        }
        best
    }
}

/// Searches a puzzle whose givens do not clash.
pub(in super::super) fn search(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    fill(&mut Board::new(puzzle), progress)
}

fn fill(board: &mut Board, progress: &mut Progress) -> ControlFlow<End> {
    let Some((cell, allowed)) = board.most_constrained() else {
        return progress.found(board.grid.clone());
    };
    for digit in allowed.iter() {
        if !board.cages.is_empty() {
            // With hundreds of cages a node takes some 40 µs, too long to look at the stop signal once in 64.
            progress.poll()?;
        }
        progress.enter()?;
        board.place(cell, digit);
        fill(board, progress)?;
        board.take_back(cell, digit);
    }
    ControlFlow::Continue(())
}
