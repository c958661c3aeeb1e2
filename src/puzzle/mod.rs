//! What a puzzle *is*: cells, digits, houses, grids, cages, and the clashes among givens.
//!
//! Everything here is a plain value. Finding solutions is [`crate::solver`]'s, and JSON is the HTTP layer's.

mod board;
mod cage;
mod cell;
mod conflict;
mod digit;
mod grid;

pub use board::{BoardError, BoardFault, BoardReader};
pub use cage::{Cage, CageError, CageFault};
pub use cell::{Cell, House, HouseKind, UnknownCell};
pub use conflict::{Conflict, ConflictKind, Unit};
pub use digit::{Digit, DigitSet};
pub use grid::Grid;

/// A puzzle: givens and, for Killer Sudoku, cages. Cages may cover any part of the board, overlap, or be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Puzzle {
    givens: Grid,
    cages: Vec<Cage>,
}

impl Puzzle {
    /// The puzzle of these givens and cages; no cages make it a classic one.
    pub fn new(givens: Grid, cages: Vec<Cage>) -> Puzzle {
        Puzzle { givens, cages }
    }

    /// A classic puzzle from its 81 characters, row by row: `1` to `9`, and `.` or `0` for an empty cell.
    pub fn from_line(line: &str) -> Result<Puzzle, BoardError> {
        Ok(Puzzle::new(line.parse()?, Vec::new()))
    }

    /// The digits that are given.
    pub const fn givens(&self) -> &Grid {
        &self.givens
    }

    /// The cages, as they were given; empty for a classic puzzle.
    pub fn cages(&self) -> &[Cage] {
        &self.cages
    }

    /// Every group of givens that clash: rows, columns, boxes, cages, and in each of them by digit. Where there is
    /// one, the puzzle has no solution.
    pub fn conflicts(&self) -> Vec<Conflict> {
        conflict::conflicts(&self.givens, &self.cages)
    }
}
