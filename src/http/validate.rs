//! `POST /validate`: how many solutions there are, with the evidence.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::{
    Found,
    endpoint::{Asked, Endpoint},
    evidence::{self, Limit},
    limit,
    problem::Problem,
    unique,
    wire::{Board, CellName},
};
use crate::{
    puzzle::{Cell, Grid},
    solver::End,
};

/// What is answered for every well-formed board.
#[derive(Debug, Serialize)]
pub struct ValidateAnswer {
    verdict: &'static str,
    unique: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
    solution_count: usize,
    count_is_exact: bool,
    solutions: Vec<Board>,
    differing_cells: Vec<CellName>,
    conflicts: Vec<evidence::Conflict>,
    dead_end: Option<evidence::DeadEnd>,
    nodes: u64,
    elapsed_us: u64,
}

/// `POST /validate`.
pub struct Validate;

impl Endpoint for Validate {
    const NAME: &'static str = "validate";
    const BATCH_NAME: &'static str = "validate_batch";
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>> = Some(2..=1000);
    type Answer = ValidateAnswer;

    fn answer(found: Found, asked: Asked) -> Result<ValidateAnswer, Problem> {
        let Found { search, conflicts, dead_end, elapsed } = found;
        let verdict = search.verdict();
        let unique = unique(verdict);
        Ok(ValidateAnswer {
            verdict: verdict.name(),
            unique,
            limit: limit(search.end).filter(|_| unique.is_none()),
            solution_count: search.solutions.len(),
            count_is_exact: search.end == End::Exhausted,
            solutions: search.solutions.iter().map(|grid| Board { grid: grid.clone(), form: asked.form }).collect(),
            differing_cells: differing_cells(&search.solutions).map(CellName).collect(),
            conflicts,
            dead_end,
            nodes: search.nodes,
            elapsed_us: elapsed.as_micros() as u64,
        })
    }
}

/// Where these grids are not all equal, in reading order.
fn differing_cells(grids: &[Grid]) -> impl Iterator<Item = Cell> {
    Cell::all().filter(|&cell| grids.windows(2).any(|pair| pair[0].get(cell) != pair[1].get(cell)))
}
