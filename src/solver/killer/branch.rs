//! The search tree: where to branch, and what a dead end teaches.
//!
//! A branching takes one candidate: the cell has this digit, or it has not. Where that leaves the cell more than two
//! candidates, to know that it has not is worth little: nothing is propagated, and the search branches on, as in one
//! branching with more alternatives. (It saves a tenth of the nodes; each is a little dearer.)
//!
//! The cell is the one with the highest score for its candidates. Scores begin with the sums on a cell, short ones
//! counting more, and grow at dead ends: by one for the cell that was fixed, and by two for the cells of the sum that
//! failed.

use std::ops::ControlFlow;

use super::{
    super::{End, progress::Progress},
    arch::Lanes,
    layout::{Cells, SLOTS, slots},
    model::Model,
    propagate::Verdict,
    state::State,
};

/// n to the power of -1.5, for n candidates.
const WEIGHT: [f32; 10] = [
    0.0,
    1.0,
    0.353_553_4,
    0.192_450_09,
    0.125,
    0.089_442_72,
    0.068_041_38,
    0.053_994_925,
    0.044_194_174,
    0.037_037_037,
];

/// Where a failed digit leaves a cell more candidates than this, its removal waits for the next branching.
const WORTH_A_LOOK: u32 = 2;

/// The stop signal is looked at once in so many nodes.
const NODES_A_POLL: u32 = 16;

/// A search below one state.
pub(super) struct Tree<'a> {
    model: &'a Model,
    scores: [f32; SLOTS],
    entered: u32,
    /// Alternatives still to be entered, each with its failed digit taken out.
    waiting: Vec<State>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(model: &'a Model) -> Tree<'a> {
        let mut scores = [1.0; SLOTS];
        for sum in &model.sums {
            for &slot in &sum.slots[..usize::from(sum.len)] {
                scores[usize::from(slot)] += 5.0 / f32::from(sum.len);
            }
        }
        // At most one alternative waits for each cell that a branching fixed.
        Tree { model, scores, entered: 0, waiting: Vec::with_capacity(81) }
    }

    /// Searches below a state that is quiet.
    #[inline(always)]
    pub(super) fn search<L: Lanes>(&mut self, mut state: State, progress: &mut Progress) -> ControlFlow<End> {
        loop {
            if state.unsolved == 0 {
                state.grid().map_or(ControlFlow::Continue(()), |grid| progress.found(grid))?;
            } else {
                let slot = self.choose(&state);
                let candidates = state.get(slot);
                let digit = candidates & candidates.wrapping_neg();
                self.enter(progress)?;
                let mut without = state.clone();
                without.guess = slot;
                without.pending |= self.model.sums_of[usize::from(slot)];
                *without.at(slot) = candidates & !digit;
                self.waiting.push(without);
                *state.at(slot) = digit;
                state.pending |= self.model.sums_of[usize::from(slot)];
                if self.is_quiet::<L>(&mut state, slot) {
                    continue;
                }
            }
            loop {
                let Some(next) = self.waiting.pop() else { return ControlFlow::Continue(()) };
                state = next;
                let slot = state.guess;
                if state.get(slot).count_ones() > WORTH_A_LOOK {
                    break;
                }
                self.enter(progress)?;
                if self.is_quiet::<L>(&mut state, slot) {
                    break;
                }
            }
        }
    }

    /// Enters a node. It may take many microseconds on a hostile board, so the stop signal is looked at more often than
    /// for other engines.
    #[inline(always)]
    fn enter(&mut self, progress: &mut Progress) -> ControlFlow<End> {
        self.entered += 1;
        if self.entered.is_multiple_of(NODES_A_POLL) {
            progress.poll()?;
        }
        progress.enter()
    }

    /// Propagates what a branching changed in one cell, and learns from a dead end.
    #[inline(always)]
    fn is_quiet<L: Lanes>(&mut self, state: &mut State, slot: u8) -> bool {
        let wake = std::mem::take(&mut state.pending);
        match L::propagate(self.model, state, wake) {
            Verdict::Quiet => true,
            Verdict::Contradiction(cells) => {
                self.blame(slot, cells);
                false
            }
        }
    }

    #[inline(always)]
    fn blame(&mut self, guess: u8, cells: Cells) {
        self.scores[usize::from(guess)] += 1.0;
        for slot in slots(cells) {
            self.scores[usize::from(slot)] += 2.0;
        }
    }

    /// The open cell to branch on.
    #[inline(always)]
    fn choose(&self, state: &State) -> u8 {
        let (mut best, mut highest) = (0, -1.0);
        for slot in slots(state.unsolved) {
            let score = self.scores[usize::from(slot)] * WEIGHT[state.get(slot).count_ones() as usize % 10];
            if score > highest {
                (best, highest) = (slot, score);
            }
        }
        best
    }
}
