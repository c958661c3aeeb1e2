//! What `/solve` and `/validate` have in common: a puzzle in, what was found out, an answer made of that. What tells them
//! apart is an [`Endpoint`], of which there is one a file; single requests are handled here, streams of them in
//! [`batch`](super::batch).

use std::{ops::RangeInclusive, sync::Arc};

use axum::{body::Body, extract::State, http::Request};
use serde::Serialize;

use super::{Answer, Api, Found, problem::Problem, request::PuzzleRequest, wire::BoardForm};

/// An endpoint that takes puzzles.
pub trait Endpoint: 'static {
    /// Its name in the metrics.
    const NAME: &'static str;
    /// The same for its batches.
    const BATCH_NAME: &'static str;
    /// How many solutions a request may ask for; none where the endpoint has no such member.
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>>;
    /// What it answers with status 200.
    type Answer: Serialize;

    /// Makes an answer of what was found.
    fn answer(found: Found, asked: Asked) -> Result<Self::Answer, Problem>;
}

/// What an answer takes over from its request.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The form of its boards.
    pub form: BoardForm,
    /// Its node budget.
    pub max_nodes: u64,
    /// The greatest budget that it could have had.
    pub cap: u64,
}

impl Asked {
    /// What was asked in this request, where there is this cap on budgets.
    pub fn by(request: &PuzzleRequest, cap: u64) -> Asked {
        Asked { form: request.form, max_nodes: request.max_nodes, cap }
    }
}

/// Handles a single request.
pub async fn single<E: Endpoint>(
    State(api): State<Arc<Api>>,
    request: Request<Body>,
) -> Result<Answer<E::Answer>, Problem> {
    let request = api.read(request, &api.terms(E::MAX_SOLUTIONS)).await?;
    let asked = Asked::by(&request, api.max_nodes);
    let found = api.decide(E::NAME, request).await?;
    let nodes = found.search.nodes;
    Ok(Answer { body: E::answer(found, asked)?, nodes })
}
