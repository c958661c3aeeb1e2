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

/// Lends this thread's stack. A search in the middle of another one on the same thread, which the signal to stop may have
/// done, gets one of its own.
#[inline]
pub(super) fn with_stack<T>(f: impl FnOnce(&mut Stack) -> T) -> T {
    STACK.with(|stack| match stack.try_borrow_mut() {
        Ok(mut stack) => f(&mut stack),
        Err(_) => with_another(f),
    })
}

#[cold]
fn with_another<T>(f: impl FnOnce(&mut Stack) -> T) -> T {
    let mut stack = vec![State([Lanes([0; 16]); 9]); BOARDS];
    match stack.first_chunk_mut() {
        Some(stack) => f(stack),
        None => unreachable!("it is as long as a stack"),
    }
}
