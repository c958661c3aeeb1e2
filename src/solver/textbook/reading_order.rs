//! Backtracking over the empty cells in reading order, smallest digit first.
//!
//! Tables of used digits make each check O(1), and that is all the help it gets: it fills a cell because it comes next,
//! not because it is nearly decided, so a board whose top rows are empty sends it through millions of nodes.

use std::ops::ControlFlow;

use super::super::{End, progress::Progress};
use crate::puzzle::{Cell, Digit, Grid, Puzzle};

struct Board {
    grid: Grid,
    /// `used[house][digit - 1]`: whether the house holds the digit.
    used: [[bool; 9]; 27],
}

impl Board {
    fn allows(&self, cell: Cell, digit: Digit) -> bool {
        cell.houses().iter().all(|house| !self.used[house.index()][usize::from(digit.get()) - 1])
    }

    fn mark(&mut self, cell: Cell, digit: Digit, used: bool) {
        for house in cell.houses() {
            self.used[house.index()][usize::from(digit.get()) - 1] = used;
        }
    }
}

/// Searches a puzzle without cages whose givens do not clash.
pub(in super::super) fn search(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    let mut board = Board { grid: puzzle.givens().clone(), used: [[false; 9]; 27] };
    puzzle.givens().filled().for_each(|(cell, digit)| board.mark(cell, digit, true));
    let empty: Vec<Cell> = Cell::all().filter(|&cell| puzzle.givens().get(cell).is_none()).collect();
    fill(&mut board, &empty, progress)
}

fn fill(board: &mut Board, empty: &[Cell], progress: &mut Progress) -> ControlFlow<End> {
    let Some((&cell, rest)) = empty.split_first() else {
        return progress.found(board.grid.clone());
    };
    for digit in Digit::all() {
        if board.allows(cell, digit) {
            progress.enter()?;
            board.grid.set(cell, Some(digit));
            board.mark(cell, digit, true);
            fill(board, rest, progress)?;
            board.mark(cell, digit, false);
        }
    }
    board.grid.set(cell, None);
    ControlFlow::Continue(())
}
