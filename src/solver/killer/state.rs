//! What is known at one point of the search: candidates, and how many cells of each sum are open.

use super::layout::{ALL_DIGITS, BOARD, Cells, SLOT};
use crate::puzzle::Grid;

/// Candidates and counters, copied whole at each branching, so that nothing is ever undone.
#[derive(Clone)]
#[repr(C, align(32))]
pub(super) struct State {
    /// The candidates of each cell, by row and lane (see [`super::layout`]).
    pub(super) rows: [[u16; 16]; 9],
    /// How many cells of each sum are not [`State::solved`], by the sum's number.
    pub(super) open: [u8; 128],
    /// The cells whose digit is not known, or not yet taken from its houses.
    pub(super) unsolved: Cells,
    /// The slot of the cell that the last branching fixed.
    pub(super) guess: u8,
    /// The sums that have yet to look at a candidate that a branching took away.
    pub(super) pending: u128,
}

impl State {
    /// Every digit possible everywhere.
    pub(super) fn new() -> State {
        let mut state = State { rows: [[0; 16]; 9], open: [u8::MAX; 128], unsolved: BOARD, guess: 0, pending: 0 };
        for slot in SLOT {
            *state.at(slot) = ALL_DIGITS;
        }
        state
    }

    /// The candidates of a slot.
    #[inline(always)]
    pub(super) fn get(&self, slot: u8) -> u16 {
        self.rows.as_flattened()[usize::from(slot)]
    }

    /// The candidates of a slot, to change them.
    #[inline(always)]
    pub(super) fn at(&mut self, slot: u8) -> &mut u16 {
        &mut self.rows.as_flattened_mut()[usize::from(slot)]
    }

    /// The board, once every cell has one candidate.
    pub(super) fn grid(&self) -> Option<Grid> {
        Grid::from_values(SLOT.map(|slot| self.get(slot).trailing_zeros() as u8 + 1))
    }
}

/// Whether a set of candidates is a single one (or none).
#[inline(always)]
pub(super) const fn is_single(candidates: u16) -> bool {
    candidates & candidates.wrapping_sub(1) == 0
}
