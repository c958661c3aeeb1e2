//! The default engine for boards without cages.

mod arch;
mod board;
mod guess;
mod search;
mod stack;
mod sweep;
mod triples;
mod vector;

use std::ops::ControlFlow;

use super::{End, progress::Progress};
use crate::puzzle::Grid;
pub use arch::Path;

/// Searches a board without cages.
#[inline]
pub(super) fn search(givens: &Grid, progress: &mut Progress) -> ControlFlow<End> {
    search_on(Path::best(), givens, progress)
}

/// Searches a board without cages on a path of choice.
#[inline]
pub(super) fn search_on(path: Path, givens: &Grid, progress: &mut Progress) -> ControlFlow<End> {
    stack::with_stack(|stack| arch::explore(path, givens.values(), stack, progress))
}

#[cfg(test)]
mod tests;
