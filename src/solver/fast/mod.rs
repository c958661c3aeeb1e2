//! The default engine for boards without cages: sweeps over the whole board, and a guess where they are stuck.
//!
//! # What a board is
//! The candidates of all 81 cells are nine vectors of sixteen 16-bit lanes. The vector says *where in its box* a cell
//! is, the lane says *which box*, and the bits of the lane are the digits (bit d - 1 for digit d):
//!
//! ```text
//! vector 3i + j: the cells in row i and column j (0 to 2) of all boxes      box 1:  0 1 2
//!                                                                                   3 4 5
//! lane    0  1  2 | 3 || 4  5  6 | 7 || 8  9 10 | 11 || 12 13 14 15                 6 7 8
//! box     1  2  3 | P || 4  5  6 | P || 7  8  9 |  P ||  P  P  P  P
//!         group 0        group 1        group 2          group 3
//! ```
//!
//! So what happens inside a box is vector against vector, for nine boxes at the price of one; along a band of boxes the
//! lanes of a group turn, and down a stack the groups turn. P is a lane without a box: it holds all digits, as a box does
//! in which nothing is known, and no step changes it. There is nothing else: no list of solved cells, no queue.
//!
//! # What a sweep does ([`sweep`])
//! 1. *Boxes.* A cell with one candidate takes it from the rest of its box (naked single). A digit that a box has in one
//!    minirow and in one minicolumn only (a miniline is the three cells where a box meets a row or a column) takes its
//!    cell (hidden single).
//! 2. *Stacks*, then 3. *bands*: a digit stands in the three boxes of a band in one of six arrangements; minilines that
//!    are in none of them lose it. That is every locked candidate, and it carries singles along rows and columns.
//!
//! It ends when a cell or a digit of a box has nothing left, when every box has each digit once, or when no box changed.
//! A sum of each box's nine candidate sets tells all three, since sets only shrink.
//!
//! Naked singles come out of a sum too: that of all nine cells without that of the cells that have more candidates. If
//! two cells of a box had the same one, the sum carries into another bit, and that box fails: a digit which is not known
//! loses all its cells, or, beyond digit 9, all digits do. No clash of givens is left to a search through pigeonholes.
//!
//! # What happens when sweeps are stuck
//! [`triples`]: three digits of a row that it has in one miniline only leave no room there for others. If that removes
//! nothing, [`guess`] takes the band with the fewest arrangements of digits in all, and in it a digit with two; each of
//! its arrangements is a child, and a node. One child goes on in registers, the others wait in [`stack`].
//!
//! # Paths
//! All of this is written once over [`vector::Vector`]; `arch` has it for plain integers, SSE2 and AVX2, and chooses.
//! To follow the algorithm, read it with `arch/plain.rs` in hand. The paths take the same steps on the same sets, so
//! they find the same solutions in the same order with the same nodes.
//!
//! # What was tried, and what it brought
//! Nanoseconds a board, thread time, best of alternated rounds on an AMD EPYC (Zen 3) that others were using:
//!
//! | change | qqwing_easy | 17_clue | serg | magictour | hardest_11 | hardest_1106 |
//! |---|---|---|---|---|---|---|
//! | boards read and written by shuffles, not cell by cell | 510 to 447 | 747 to 705 | 1638 to 1539 | even | even | even |
//! | a solved board ends the sweeps before one that changes nothing | 467 to 446 | 708 to 677 | even | even | even | even |
//! | the same, but also ending a sweep where each box is either unchanged or solved | 467 to 449 | 708 to 685 | even | even | +3 % | +3 % |
//! | compare and blend for hidden singles, not sign and OR | 446 to 440 | even | 1572 to 1461 | -1 % | even | even |
//! | no triples from the third guess on until a child fails | 440 to 465 | +9 % | +11 % | +8 % | +8 % | +8 % |
//! | two singles of one digit fail their box | +2 % | +2 % | +1 % | +1 % | +4 % | +4 % |
//! | characters and values checked sixteen at once, without a branch | 422 to 305 | 668 to 545 | 1506 to 1342 | 3114 to 2943 | -1 % | -1 % |
//! | lanes of a group turned by bytes, where the compiler turns words twice | 318 to 305 | 547 to 529 | 1341 to 1309 | | | -4 % |
//! | a solution taken without a call | -1 % | -1 % | -1 % | | | even |
//! | a pair of candidates as the guess, once four guesses were made and none failed | | | 1307 to 1340 | +6 % | +8 % | +9 % |
//! | the same, once six were made | | | 1307 to 1363 | +5 % | +7 % | +6 % |
//!
//! - Plain `[u16; 16]` left to the compiler took 6.2 µs on qqwing_easy (17_clue 10.4 µs); three words of four lanes take
//!   1.05 µs (2.0 µs), and 1.34 µs (2.4 µs) while boards were read and written cell by cell. Where the compiler pairs up
//!   words of one register for 128-bit instructions they take 1.4 to 1.8 µs (2.7 to 3.2 µs), and four words, the
//!   fourth without a box, 1.5 µs (2.8 µs): see `arch/words.rs` for what keeps it from that.
//! - SSE2 went from 823 to 580 ns (1390 to 1045 ns) with boards read and written four lanes at a time; kept out of the
//!   function that chooses the path, it takes 5 % more.
//! - A pair of candidates as the guess saves only 1 to 3 % of the nodes of ambiguous boards (8.58 to 8.48 or 8.30) and
//!   costs the hard ones as many (forum_hardest_1106 228.3 to 229.4 or 233.3). The rest of the loss comes
//!   with a second kind of branching in the one function; where from was not found out.
//! - Of the three turned copies that a digit's arrangements need, even and odd ones can share one, and so can their way
//!   back: six turns a direction in place of eight.
//! - Closures that hold more than a few vector operations were not inlined into the function that has the instructions,
//!   and each operation became a call: twice to three times the time. Hence functions that are inlined always.

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
    stack::with_stack(|stack| arch::explore(path, givens, stack, progress))
}

#[cfg(test)]
mod tests;
