//! `POST /solve`: the solution, and whether it is the only one.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::{
    Found,
    endpoint::{Asked, Endpoint},
    evidence::Limit,
    limit,
    problem::Problem,
    unique,
    wire::Board,
};

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

/// `POST /solve`.
pub struct Solve;

impl Endpoint for Solve {
    const NAME: &'static str = "solve";
    const BATCH_NAME: &'static str = "solve_batch";
    // Without a member of its own for it, the search looks for two solutions: the second one just for the proof that the
    // first is unique, or not.
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>> = None;
    type Answer = SolveAnswer;

    fn answer(found: Found, asked: Asked) -> Result<SolveAnswer, Problem> {
        let Found { search, conflicts, dead_end, elapsed } = found;
        if !conflicts.is_empty() {
            return Err(Problem::conflicting_board(conflicts));
        }
        let (limit, nodes) = (limit(search.end), search.nodes);
        match (search.solutions.first(), limit) {
            (Some(solution), _) => {
                let unique = unique(search.verdict());
                let limit = limit.filter(|_| unique.is_none());
                let solution = Board { grid: solution.clone(), form: asked.form };
                Ok(SolveAnswer { solution, unique, limit, nodes, elapsed_us: elapsed.as_micros() as u64 })
            }
            (None, Some(limit)) => Err(Problem::budget_exhausted(nodes, asked.max_nodes, asked.cap, limit)),
            (None, None) => Err(Problem::unsolvable_board(nodes, dead_end)),
        }
    }
}
