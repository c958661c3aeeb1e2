//! The contract: what goes over the wire, and what it means. `openapi.yaml` says it in full.
//!
//! The way of one request: [`middleware`] gives it an id, [`router`] finds its handler, [`extract`] reads its body,
//! [`request`] makes a puzzle of it, the handler hands that to the pool and the result to its answer, and
//! [`middleware`] writes out what every answer carries. A fault on the way is a [`problem`].

mod board;
mod cages;
mod documents;
mod evidence;
mod extract;
mod fault;
mod json;
mod members;
mod middleware;
mod pages;
mod probes;
mod problem;
mod request;
mod router;
mod solve;
mod validate;
mod wire;

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, HeaderValue, Request, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;

use crate::{
    config::Config,
    lifecycle::Lifecycle,
    metrics::Metrics,
    pool::{PoolError, PoolLimits, SolverPool},
    solver::{End, Limits, Search, Stop, Verdict, dead_end, search},
};
use evidence::{DeadEnd, Limit};
use extract::BodyLimits;
use problem::{Problem, ProblemKind};
use request::{PuzzleRequest, Terms};

/// What the handlers share.
#[derive(Debug)]
pub struct Api {
    pool: SolverPool,
    metrics: Arc<Metrics>,
    lifecycle: Lifecycle,
    body_limits: BodyLimits,
    default_nodes: u64,
    max_nodes: u64,
    /// Whether there are pages for people.
    web: bool,
}

/// The service as a function from requests to answers.
#[derive(Debug, Clone)]
pub struct App {
    api: Arc<Api>,
    router: Router,
}

impl App {
    /// The service with this configuration.
    pub fn new(config: &Config, metrics: Arc<Metrics>, lifecycle: Lifecycle) -> App {
        let pool_limits = PoolLimits {
            permits: config.permits(),
            waiting_places: config.waiting_places(),
            max_wait: config.queue_wait,
            max_run: config.solve_timeout,
        };
        let api = Arc::new(Api {
            pool: SolverPool::new(pool_limits, Arc::clone(&metrics)),
            metrics,
            lifecycle,
            body_limits: BodyLimits { max_size: config.max_body, max_time: config.body_timeout },
            default_nodes: config.default_nodes,
            max_nodes: config.max_nodes,
            web: !config.no_web,
        });
        App { router: router::router(Arc::clone(&api)), api }
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request<Body>) -> Response {
        middleware::answer(&self.api, &self.router, request).await
    }

    /// Refuses what waits for a search, and every search to come.
    pub fn close_pool(&self) {
        self.api.pool.close();
    }

    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.api.metrics
    }

    /// Where the service is in its life.
    pub fn lifecycle(&self) -> &Lifecycle {
        &self.api.lifecycle
    }
}

/// Every path of the API, pages for people aside, with the names of its parameters.
pub fn paths() -> impl Iterator<Item = &'static str> {
    router::Route::ALL.into_iter().filter(|route| !route.is_page()).map(router::Route::path)
}

impl Api {
    /// Reads a request for a search, as far as its puzzle.
    async fn read(&self, request: Request<Body>, terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let body = extract::json_body(request, self.body_limits).await?;
        PuzzleRequest::read(&body, terms)
    }

    /// What a request may ask for.
    fn terms(&self, max_solutions: Option<std::ops::RangeInclusive<usize>>) -> Terms {
        Terms { default_nodes: self.default_nodes, max_nodes: self.max_nodes, max_solutions }
    }

    /// Searches a puzzle, on a thread of the pool.
    async fn search(&self, endpoint: &'static str, request: PuzzleRequest) -> Result<Found, Problem> {
        let metrics = Arc::clone(&self.metrics);
        let work = move |stop: &Stop| {
            let PuzzleRequest { puzzle, algorithm, max_nodes, max_solutions, .. } = request;
            let began = Instant::now();
            let search = search(&puzzle, algorithm, &Limits { max_solutions, max_nodes, stop });
            let elapsed = began.elapsed();
            let unsolvable = search.verdict() == Verdict::Unsolvable;
            let dead_end = if unsolvable { dead_end(&puzzle, stop).map(Into::into) } else { None };
            // Counted here, since nobody is left to count what was cancelled.
            let outcome = if stop.is_cancelled() { "cancelled" } else { search.verdict().name() };
            metrics.outcome(endpoint, outcome);
            metrics.nodes(algorithm.name(), search.nodes);
            Found { search, dead_end, elapsed_us: elapsed.as_micros() as u64 }
        };
        Ok(self.pool.run(work).await?)
    }
}

/// A search, and what an answer tells of it.
struct Found {
    search: Search,
    /// Of an unsolvable board.
    dead_end: Option<DeadEnd>,
    /// The search alone.
    elapsed_us: u64,
}

impl From<PoolError> for Problem {
    fn from(error: PoolError) -> Problem {
        match error {
            PoolError::Overloaded => ProblemKind::Overloaded.into(),
            PoolError::ShuttingDown => ProblemKind::ShuttingDown.into(),
            PoolError::Panicked => ProblemKind::Internal.into(),
        }
    }
}

/// The limit that kept a search from its proof.
fn limit(end: End) -> Option<Limit> {
    match end {
        End::NodeLimit => Some(Limit::Nodes),
        End::Stopped => Some(Limit::Time),
        End::Exhausted | End::SolutionLimit => None,
    }
}

/// Whether the solution is unique; `None` where the search ended before the proof.
fn unique(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Unique => Some(true),
        Verdict::Multiple | Verdict::Unsolvable => Some(false),
        Verdict::Undecided => None,
    }
}

/// An answer as JSON. The nodes of its search go into the log.
struct Answer<T> {
    body: T,
    nodes: u64,
}

/// The nodes of a search, on their way into the log.
#[derive(Debug, Clone, Copy)]
struct Nodes(u64);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.body) {
            Ok(json) => {
                let mut response = Response::new(Body::from(json));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(header::CONTENT_TYPE, json);
                response.extensions_mut().insert(Nodes(self.nodes));
                response
            }
            Err(_) => Problem::from(ProblemKind::Internal).into_response(),
        }
    }
}

/// A header's text, empty where it is absent or no text.
fn header_text(headers: &HeaderMap, name: impl header::AsHeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
