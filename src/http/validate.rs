//! `POST /validate`: how many solutions there are, with the evidence.

use std::ops::RangeInclusive;

use super::{
    Found,
    endpoint::{Asked, Endpoint},
    limit,
    problem::Problem,
    unique,
    wire::{CellName, Object},
};
use crate::{
    puzzle::{Cell, Grid},
    solver::End,
};

/// `POST /validate`.
pub struct Validate;

impl Endpoint for Validate {
    const NAME: &'static str = "validate";
    const BATCH_NAME: &'static str = "validate_batch";
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>> = Some(2..=1000);

    fn answer(found: Found, asked: Asked, answer: &mut Object) -> Result<(), Problem> {
        let Found { search, conflicts, dead_end, elapsed } = found;
        let verdict = search.verdict();
        let unique = unique(verdict);
        answer.member("verdict", verdict.name());
        answer.member("unique", &unique);
        if let Some(limit) = limit(search.end).filter(|_| unique.is_none()) {
            answer.member("limit", &limit);
        }
        answer.member("solution_count", &search.solutions.len());
        answer.member("count_is_exact", &(search.end == End::Exhausted));
        answer.boards("solutions", &search.solutions, asked.form);
        answer.member("differing_cells", &differing_cells(&search.solutions).map(CellName).collect::<Vec<_>>());
        answer.member("conflicts", &conflicts);
        answer.member("dead_end", &dead_end);
        answer.member("nodes", &search.nodes);
        answer.member("elapsed_us", &(elapsed.as_micros() as u64));
        Ok(())
    }
}

/// Where these grids are not all equal, in reading order.
fn differing_cells(grids: &[Grid]) -> impl Iterator<Item = Cell> {
    Cell::all().filter(|&cell| grids.windows(2).any(|pair| pair[0].get(cell) != pair[1].get(cell)))
}
