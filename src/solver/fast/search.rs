//! The search: propagation, and a guess where it is stuck.

use std::ops::ControlFlow;

use super::{
    super::{End, progress::Progress},
    board::{Board, State},
    guess::Guess,
    stack::Stack,
    sweep::{Settled, settle},
    triples::hidden_triples,
    vector::Vector,
};
use crate::puzzle::Grid;

/// Givens that clash show in the sweeps, but for a few: a cell that is left with two digits that have no other place in
/// its box looks like any other open cell, and a long search would have to find out. So after this many nodes, which few
/// boards reach, the givens themselves are looked at.
const CLASH_CHECK: u64 = 64;

/// Searches for the solutions of a board.
#[inline(always)]
pub(super) fn explore<V: Vector>(
    cpu: V::Cpu,
    givens: &Grid,
    stack: &mut Stack,
    progress: &mut Progress,
) -> ControlFlow<End> {
    let mut board = Board::new(V::read(cpu, givens.values()));
    let mut waiting = 0;
    let mut may_clash = true;
    loop {
        match settle(cpu, &mut board) {
            Settled::Stuck => {
                if hidden_triples(cpu, &mut board) {
                    continue;
                }
                let mut guess = Guess::choose(cpu, &board);
                progress.enter()?;
                if may_clash && progress.nodes() >= CLASH_CHECK {
                    if givens.has_clash() {
                        return ControlFlow::Continue(());
                    }
                    may_clash = false;
                }
                while guess.has_several() {
                    let child = guess.take(cpu, &board);
                    stack[waiting] = State(child.map(V::lanes));
                    waiting += 1;
                }
                board = Board::new(guess.take(cpu, &board));
                continue;
            }
            Settled::Solved => {
                let mut digits = [0; 81];
                V::write(&board.cells, &mut digits);
                if let Some(grid) = Grid::from_values(digits) {
                    progress.found(grid)?;
                }
            }
            Settled::Failed => {}
        }
        if waiting == 0 {
            return ControlFlow::Continue(());
        }
        progress.enter()?;
        waiting -= 1;
        board = Board::load(cpu, &stack[waiting]);
    }
}
