//! An HTTP service that solves and validates classic and Killer Sudoku, with evidence for every verdict.
//!
//! The rooms, from the ground up; each may use only what stands before it: [`puzzle`] is what a puzzle is, [`solver`]
//! finds and counts solutions, [`config`], [`metrics`] and [`lifecycle`] are plain values, [`pool`] is the one bridge
//! from async to CPU work, [`http`] is the contract, [`server`] accepts, serves and ends, [`telemetry`] logs.

pub mod config;
pub mod http;
pub mod lifecycle;
pub mod metrics;
pub mod pool;
pub mod puzzle;
pub mod server;
pub mod solver;
pub mod telemetry;

mod healthcheck;
mod start;

pub use start::start;
