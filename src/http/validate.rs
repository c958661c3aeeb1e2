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

/// How many solutions a request may ask for.
const SOLUTIONS: std::ops::RangeInclusive<usize> = 2..=1000;

/// Handles a request.
pub async fn validate(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Answer<ValidateAnswer>, Problem> {
    let request = api.read(request, &api.terms(Some(SOLUTIONS))).await?;
    let form = request.form;
    let body = ValidateAnswer::new(api.decide("validate", request).await?, form);
    Ok(Answer { nodes: body.nodes, body })
}

impl ValidateAnswer {
    fn new(Found { search, conflicts, dead_end, elapsed_us }: Found, form: BoardForm) -> ValidateAnswer {
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
            conflicts,
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
