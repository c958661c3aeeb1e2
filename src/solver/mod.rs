//! Finding and counting the solutions of a puzzle, within bounds.
//!
//! Everything goes through one face, [`search`]: a puzzle, an [`Algorithm`] and [`Limits`] give a [`Search`]. The
//! engines differ in speed and in nothing else: they find the same solutions, honour the same limits, and for one
//! puzzle, algorithm and limits the result is always the same, node count included, unless the clock or a cancel
//! stopped it.
//!
//! A **node** is one child of a branching that the search enters, the last alternative included, whatever the branch
//! fixes. What propagation deduces is no node, so a board that falls to propagation costs none. The textbook searches
//! deduce nothing, so there every placed digit is a node.

mod dead_end;
mod fast;
mod killer;
mod progress;
mod solutions;
mod stop;
mod textbook;

pub use dead_end::{DeadEnd, DeadEndKind, dead_end};
#[doc(hidden)]
pub use fast::Path;
pub use solutions::Solutions;
pub use stop::Stop;

use std::ops::ControlFlow;

use crate::puzzle::Puzzle;
use progress::Progress;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Propagation and the smallest branching that is left. For every puzzle, and the one to use.
    #[default]
    Fast,
    /// Textbook backtracking that fills the most constrained cell first (minimum remaining values). Knows cages.
    Mrv,
    /// Textbook backtracking that fills the empty cells in reading order.
    ReadingOrder,
    /// Knuth's Algorithm X with dancing links.
    ExactCover,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 4] = [Algorithm::Fast, Algorithm::Mrv, Algorithm::ReadingOrder, Algorithm::ExactCover];

    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Fast => "fast",
            Algorithm::Mrv => "mrv",
            Algorithm::ReadingOrder => "reading_order",
            Algorithm::ExactCover => "exact_cover",
        }
    }

    /// Whether it can search a puzzle with cages.
    pub const fn knows_cages(self) -> bool {
        matches!(self, Algorithm::Fast | Algorithm::Mrv)
    }
}

/// What bounds one search.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The search ends when it has found so many solutions.
    pub max_solutions: usize,
    /// The search ends when it would enter one node more than this.
    pub max_nodes: u64,
    /// The search ends soon after this is set: within 1000 nodes and about a millisecond, interludes aside.
    pub stop: &'a Stop,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing is left to search: every solution was found.
    Exhausted,
    /// [`Limits::max_solutions`] were found.
    SolutionLimit,
    /// One node more would have been over [`Limits::max_nodes`].
    NodeLimit,
    /// [`Limits::stop`] was set.
    Stopped,
}

/// How one search ended, and what it found on the way.
#[derive(Debug, Clone)]
pub struct Search {
    /// The solutions found, in the order in which the engine came by them.
    pub solutions: Solutions,
    /// The nodes entered, at most [`Limits::max_nodes`].
    pub nodes: u64,
    /// Why it ended.
    pub end: End,
}

/// What a search proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There is exactly one solution.
    Unique,
    /// There are two solutions or more.
    Multiple,
    /// There is no solution.
    Unsolvable,
    /// Nothing: the search ended early, with fewer than two solutions.
    Undecided,
}

impl Verdict {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Unique => "unique",
            Verdict::Multiple => "multiple",
            Verdict::Unsolvable => "unsolvable",
            Verdict::Undecided => "undecided",
        }
    }
}

impl Search {
    /// What it proved. Two solutions are proof of several, however the search ended.
    pub fn verdict(&self) -> Verdict {
        match (self.solutions.len(), self.end) {
            (2.., _) => Verdict::Multiple,
            (1, End::Exhausted) => Verdict::Unique,
            (0, End::Exhausted) => Verdict::Unsolvable,
            _ => Verdict::Undecided,
        }
    }
}

/// Searches a puzzle for its solutions.
///
/// # Panics
/// Where the puzzle has cages and the algorithm does not know them ([`Algorithm::knows_cages`]).
pub fn search(puzzle: &Puzzle, algorithm: Algorithm, limits: &Limits) -> Search {
    let classic = puzzle.cages().is_empty();
    assert!(classic || algorithm.knows_cages(), "{} does not know cages", algorithm.name());
    let mut progress = Progress::new(limits);
    let flow = match algorithm {
        Algorithm::Fast if classic => fast::search(puzzle.givens(), &mut progress),
        Algorithm::Fast => killer::search(puzzle, &mut progress),
        // The textbook searches place the givens unseen, so a clash among them has to be found first.
        _ if !puzzle.conflicts().is_empty() => ControlFlow::Continue(()),
        Algorithm::Mrv => textbook::mrv::search(puzzle, &mut progress),
        Algorithm::ReadingOrder => textbook::reading_order::search(puzzle, &mut progress),
        Algorithm::ExactCover => textbook::exact_cover::search(puzzle, &mut progress),
    };
    progress.finish(flow)
}

/// [`search`] for a puzzle without cages, with [`Algorithm::Fast`] on a path of choice: for benchmarks of the slower paths.
///
/// # Panics
/// Where the puzzle has cages.
#[doc(hidden)]
pub fn search_on(path: Path, puzzle: &Puzzle, limits: &Limits) -> Search {
    assert!(puzzle.cages().is_empty(), "the sweeping engine does not know cages");
    let mut progress = Progress::new(limits);
    let flow = fast::search_on(path, puzzle.givens(), &mut progress);
    progress.finish(flow)
}
