//! `POST /validate`: how many solutions there are, with the evidence.

use std::sync::Arc;

use axum::{body::Body, extract::State, http::Request};
use serde::Serialize;

use super::{
    Answer, Api, Found,
    evidence::{self, Limit},
    limit,
    problem::Problem,
    unique,
    wire::{Board, BoardForm, CellName},
};
use crate::{
    puzzle::{Cell, Grid},
    solver::{End, Verdict},
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

/// How many solutions a request may ask for.
const SOLUTIONS: std::ops::RangeInclusive<usize> = 2..=1000;

/// Handles a request.
pub async fn validate(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Answer<ValidateAnswer>, Problem> {
    let request = api.read(request, &api.terms(Some(SOLUTIONS))).await?;
    let conflicts = request.puzzle.conflicts();
    if !conflicts.is_empty() {
        let conflicts = conflicts.into_iter().map(Into::into).collect();
        return Ok(Answer { body: ValidateAnswer::clash(conflicts), nodes: 0 });
    }
    let form = request.form;
    let found = api.search("validate", request).await?;
    let nodes = found.search.nodes;
    Ok(Answer { body: ValidateAnswer::found(found, form), nodes })
}

impl ValidateAnswer {
    /// A clash is a proof: nothing was searched.
    fn clash(conflicts: Vec<evidence::Conflict>) -> ValidateAnswer {
        ValidateAnswer {
            verdict: Verdict::Unsolvable.name(),
            unique: unique(Verdict::Unsolvable),
            limit: None,
            solution_count: 0,
            count_is_exact: true,
            solutions: Vec::new(),
            differing_cells: Vec::new(),
            conflicts,
            dead_end: None,
            nodes: 0,
            elapsed_us: 0,
        }
    }

    fn found(Found { search, dead_end, elapsed_us }: Found, form: BoardForm) -> ValidateAnswer {
        let verdict = search.verdict();
        let unique = unique(verdict);
        ValidateAnswer {
            verdict: verdict.name(),
            unique,
            limit: limit(search.end).filter(|_| unique.is_none()),
            solution_count: search.solutions.len(),
            count_is_exact: search.end == End::Exhausted,
            solutions: search.solutions.iter().map(|grid| Board { grid: grid.clone(), form }).collect(),
            differing_cells: differing_cells(&search.solutions).map(CellName).collect(),
            conflicts: Vec::new(),
            dead_end,
            nodes: search.nodes,
            elapsed_us,
        }
    }
}

/// Where these grids are not all equal, in reading order.
fn differing_cells(grids: &[Grid]) -> impl Iterator<Item = Cell> {
    Cell::all().filter(|&cell| grids.windows(2).any(|pair| pair[0].get(cell) != pair[1].get(cell)))
}
