//! The boards that a search has put aside, in memory that each thread has from its start.
//!
//! A child of a branching is put aside whole, so nothing is ever undone. There is a bound on how many there can be: a
//! branching decides the arrangement of one digit in one of the six bands (54 pairs in all), every pair is decided at
//! most once on the way down to a board, and it has six arrangements at most, of which one is gone on with. So 54 times 5
//! boards are enough: 76 KiB of zero pages, of which a search touches only as much as it is deep.

use std::cell::RefCell;

use super::{board::State, vector::Lanes};

const BOARDS: usize = 54 * 5;

pub(super) type Stack = [State; BOARDS];

thread_local! {
    static STACK: RefCell<Stack> = const { RefCell::new([State([Lanes([0; 16]); 9]); BOARDS]) };
}

/// Lends this thread's stack.
#[inline]
pub(super) fn with_stack<T>(f: impl FnOnce(&mut Stack) -> T) -> T {
    STACK.with_borrow_mut(f)
}
