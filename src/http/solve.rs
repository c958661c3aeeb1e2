//! `POST /solve`: the solution, and whether it is the only one.

use std::sync::Arc;

use axum::{body::Body, extract::State, http::Request};
use serde::Serialize;

use super::{Answer, Api, Found, evidence::Limit, limit, problem::Problem, unique, wire::Board};

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

/// Handles a request.
pub async fn solve(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Answer<SolveAnswer>, Problem> {
    // Without a member of its own for it, the search looks for two solutions: the second one just for the proof that the
    // first is unique, or not.
    let request = api.read(request, &api.terms(None)).await?;
    let (form, max_nodes) = (request.form, request.max_nodes);
    let Found { search, conflicts, dead_end, elapsed_us } = api.decide("solve", request).await?;
    if !conflicts.is_empty() {
        return Err(Problem::conflicting_board(conflicts));
    }
    let (limit, nodes) = (limit(search.end), search.nodes);
    match (search.solutions.first(), limit) {
        (Some(solution), _) => {
            let unique = unique(search.verdict());
            let limit = limit.filter(|_| unique.is_none());
            let solution = Board { grid: solution.clone(), form };
            Ok(Answer { body: SolveAnswer { solution, unique, limit, nodes, elapsed_us }, nodes })
        }
        (None, Some(limit)) => Err(Problem::budget_exhausted(nodes, max_nodes, api.max_nodes, limit)),
        (None, None) => Err(Problem::unsolvable_board(nodes, dead_end)),
    }
}
