//! The engine for Killer Sudoku: exact cages, the rule of 45, and a search that learns where conflicts come from.
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
