//! The engine for puzzles with cages: exact cages, the rule of 45, and a search that learns where conflicts come from.
//!
//! *How.* Rows are vectors of candidates ([`layout`]), so that one sweep runs the rules of all 27 houses ([`houses`]).
//! A cage keeps exactly the candidates with which its sum can be made ([`cage`], [`hall`]), and where every way to make
//! it needs a digit in a house, that digit leaves the rest of the house. The rule of 45 gives further sums ([`rule45`],
//! [`derived`]); they sleep until few of their cells are open. [`propagate`] runs all of this to a fixpoint; what is
//! left is branched on ([`branch`]), at the cell where the sums are tight and conflicts were many.
//!
//! *In stages.* Cages first, which is enough for most published killers; then the sums of single houses; then those of
//! all regions, from the cells that are still open. Each stage costs more than the one before, and few puzzles pay.
//!
//! *Why so.* Propagation this strong needs a tenth to a half of the nodes of the best public solver, and bit sets in
//! lanes keep a node at two to four microseconds; `benches/KILLER.md` has what each part is worth, and what did not pay.
//!
//! A search takes some 80 KB, hostile boards of 324 nine-cell cages up to 250 KB: the model, and up to 81 states of half
//! a kilobyte that wait. All of it is allocated before the search begins.

mod arch;
mod branch;
mod cage;
mod derived;
mod digits;
mod hall;
mod houses;
mod layout;
mod model;
mod propagate;
mod rule45;
mod state;

use std::ops::ControlFlow;

use super::{End, progress::Progress};
use crate::puzzle::Puzzle;
use arch::Lanes;
use branch::Tree;
use model::Model;
use propagate::Verdict;
use rule45::Reach;
use state::State;

/// Searches a puzzle with cages.
pub(super) fn search(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    #[cfg(target_arch = "x86_64")]
    if arch::avx2::available() {
        return solve::<arch::avx2::Avx2>(puzzle, progress);
    }
    solve::<arch::plain::Plain>(puzzle, progress)
}

fn solve<L: Lanes>(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    let mut state = State::new();
    let mut model = Model::new(puzzle, &mut state);
    let cages = model.all();
    if L::propagate(&model, &mut state, cages) != Verdict::Quiet {
        return ControlFlow::Continue(());
    }
    for reach in [Reach::Houses, Reach::Regions] {
        if state.unsolved == 0 {
            break;
        }
        progress.poll()?;
        if L::derive(&mut model, reach, &mut state).is_err()
            || L::propagate(&model, &mut state, model.all() & !cages) != Verdict::Quiet
        {
            return ControlFlow::Continue(());
        }
    }
    L::search(&mut Tree::new(&model), state, progress)
}

#[cfg(test)]
mod tests;
