//! What every engine counts: nodes against the budget, solutions against their limit, and the stop signal.

use std::ops::ControlFlow;

use super::{End, Limits, Search, Solutions};
use crate::puzzle::Grid;

/// The stop signal is looked at once in so many nodes. A node of most engines takes a few microseconds at most, so this
/// keeps within a millisecond; the others look more often themselves. Reading the clock costs some 30 ns, so a node
/// pays half a nanosecond for it.
const NODES_A_POLL: u64 = 64;

/// One search on its way. `Break` says why it has to end.
pub(super) struct Progress<'a> {
    limits: Limits<'a>,
    nodes: u64,
    solutions: Solutions,
}

impl<'a> Progress<'a> {
    pub(super) fn new(limits: &Limits<'a>) -> Progress<'a> {
        Progress { limits: *limits, nodes: 0, solutions: Solutions::new() }
    }

    /// Enters a node, if the budget and the stop signal allow one more.
    #[inline]
    pub(super) fn enter(&mut self) -> ControlFlow<End> {
        if self.nodes >= self.limits.max_nodes {
            return ControlFlow::Break(End::NodeLimit);
        }
        if self.nodes.is_multiple_of(NODES_A_POLL) && self.limits.stop.is_set() {
            return ControlFlow::Break(End::Stopped);
        }
        self.nodes += 1;
        ControlFlow::Continue(())
    }

    /// The nodes entered so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks at the stop signal, for engines whose nodes can take long.
    pub(super) fn poll(&self) -> ControlFlow<End> {
        if self.limits.stop.is_set() { ControlFlow::Break(End::Stopped) } else { ControlFlow::Continue(()) }
    }

    /// Takes a solution.
    #[inline]
    pub(super) fn found(&mut self, grid: Grid) -> ControlFlow<End> {
        self.solutions.push(grid);
        if self.solutions.len() >= self.limits.max_solutions {
            ControlFlow::Break(End::SolutionLimit)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The result, once the engine has come to its end.
    pub(super) fn finish(self, flow: ControlFlow<End>) -> Search {
        let end = match flow {
            ControlFlow::Break(end) => end,
            ControlFlow::Continue(()) => End::Exhausted,
        };
        Search { solutions: self.solutions, nodes: self.nodes, end }
    }
}
