//! An HTTP service that solves and validates classic and Killer Sudoku, with evidence for every verdict.
//!
//! The rooms, from the ground up; each may use only what stands before it:
//! [`puzzle`] is what a puzzle is, [`solver`] finds and counts solutions.

pub mod puzzle;
pub mod solver;
