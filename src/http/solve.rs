//! `POST /solve`: the solution, and whether it is the only one.

use std::{sync::Arc, time::Instant};

use axum::{body::Body, extract::State, http::Request};
use serde::Serialize;

use super::{Answer, Api, evidence::Limit, limit, problem::Problem, request::PuzzleRequest, unique, wire::Board};
use crate::solver::{Limits, search};

/// What is answered where a solution was found.
#[derive(Debug, Serialize)]
pub struct SolveAnswer {
    solution: Board,
    unique: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
    nodes: u64,
    elapsed_us: u64,
}

/// Two solutions: the second one just for the proof that the first is unique, or not.
const SOLUTIONS: usize = 2;

/// Handles a request.
pub async fn solve(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Answer<SolveAnswer>, Problem> {
    let PuzzleRequest { puzzle, form, algorithm, max_nodes, .. } = api.read(request, &api.terms(None)).await?;
    let conflicts = puzzle.conflicts();
    if !conflicts.is_empty() {
        return Err(Problem::conflicting_board(conflicts.into_iter().map(Into::into).collect()));
    }
    let work = move |stop: &_| {
        let began = Instant::now();
        let found = search(&puzzle, algorithm, &Limits { max_solutions: SOLUTIONS, max_nodes, stop });
        (found, began.elapsed())
    };
    let (found, elapsed) = api.pool.run(work).await?;
    api.count("solve", algorithm, &found);
    let limit = limit(found.end);
    match (found.solutions.first(), limit) {
        (Some(solution), _) => {
            let unique = unique(found.verdict());
            let limit = limit.filter(|_| unique.is_none());
            let solution = Board { grid: solution.clone(), form };
            let elapsed_us = elapsed.as_micros() as u64;
            Ok(Answer {
                body: SolveAnswer { solution, unique, limit, nodes: found.nodes, elapsed_us },
                nodes: found.nodes,
            })
        }
        (None, Some(limit)) => Err(Problem::budget_exhausted(found.nodes, max_nodes, limit)),
        (None, None) => Err(Problem::unsolvable_board(found.nodes, None)),
    }
}
