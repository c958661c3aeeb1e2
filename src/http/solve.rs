//! `POST /solve`: the solution, and whether it is the only one.

use std::ops::RangeInclusive;

use super::{
    Found,
    endpoint::{Asked, Endpoint},
    limit,
    problem::Problem,
    unique,
    wire::Object,
};

/// `POST /solve`.
pub struct Solve;

impl Endpoint for Solve {
    const NAME: &'static str = "solve";
    const BATCH_NAME: &'static str = "solve_batch";
    // Without a member of its own for it, the search looks for two solutions: the second one just for the proof that the
    // first is unique, or not.
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>> = None;

    fn answer(found: Found, asked: Asked, answer: &mut Object) -> Result<(), Problem> {
        let Found { search, conflicts, dead_end, elapsed } = found;
        if !conflicts.is_empty() {
            return Err(Problem::conflicting_board(conflicts));
        }
        let (limit, nodes) = (limit(search.end), search.nodes);
        let solution = match (search.solutions.first(), limit) {
            (Some(solution), _) => solution,
            (None, Some(limit)) => return Err(Problem::budget_exhausted(nodes, asked.max_nodes, asked.cap, limit)),
            (None, None) => return Err(Problem::unsolvable_board(nodes, dead_end)),
        };
        let unique = unique(search.verdict());
        answer.board("solution", solution, asked.form);
        answer.member("unique", &unique);
        if let Some(limit) = limit.filter(|_| unique.is_none()) {
            answer.member("limit", &limit);
        }
        answer.member("nodes", &nodes);
        answer.member("elapsed_us", &(elapsed.as_micros() as u64));
        Ok(())
    }
}
