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

/// Searches for the solutions of a board: the digits in reading order, 0 for an empty cell.
#[inline(always)]
pub(super) fn explore<V: Vector>(
    cpu: V::Cpu,
    values: &[u8; 81],
    stack: &mut Stack,
    progress: &mut Progress,
) -> ControlFlow<End> {
    let mut board = Board::new(V::read(cpu, values));
    let mut waiting = 0;
    loop {
        match settle(cpu, &mut board) {
            Settled::Stuck => {
                if hidden_triples(cpu, &mut board) {
                    continue;
                }
                let mut guess = Guess::choose(cpu, &board);
                progress.enter()?;
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
