//! What `/solve` and `/validate` have in common: a puzzle in, what was found out, an answer made of that. What tells them
//! apart is an [`Endpoint`], of which there is one a file; single requests are handled here, streams of them in
//! [`batch`](super::batch).

use std::{ops::RangeInclusive, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Request, header},
    response::{IntoResponse, Response},
};

use super::{
    Api, Found,
    problem::Problem,
    request::PuzzleRequest,
    wire::{BoardForm, Object},
};

/// An endpoint that takes puzzles.
pub trait Endpoint: 'static {
    /// Its name in the metrics.
    const NAME: &'static str;
    /// The same for its batches.
    const BATCH_NAME: &'static str;
    /// How many solutions a request may ask for; none where the endpoint has no such member.
    const MAX_SOLUTIONS: Option<RangeInclusive<usize>>;

    /// Writes what was found into an answer with status 200, or else nothing.
    fn answer(found: Found, asked: Asked, answer: &mut Object) -> Result<(), Problem>;
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
pub async fn single<E: Endpoint>(State(api): State<Arc<Api>>, request: Request<Body>) -> Result<Answer, Problem> {
    let request = api.read(request, &api.terms(E::MAX_SOLUTIONS)).await?;
    let asked = Asked::by(&request, api.max_nodes);
    let found = api.decide(E::NAME, request).await?;
    let nodes = found.search.nodes;
    let mut json = Vec::with_capacity(ANSWER_BYTES);
    let mut answer = Object::new(&mut json);
    E::answer(found, asked, &mut answer)?;
    answer.end();
    Ok(Answer { json, nodes })
}

/// Enough for most answers to be written without growing.
const ANSWER_BYTES: usize = 256;

/// An answer as JSON. The nodes of its search go into the log.
pub struct Answer {
    json: Vec<u8>,
    nodes: u64,
}

/// The nodes of a search, on their way into the log.
#[derive(Debug, Clone, Copy)]
pub struct Nodes(pub u64);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.json));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.extensions_mut().insert(Nodes(self.nodes));
        response
    }
}
