//! The contract: what goes over the wire, and what it means. `openapi.yaml` says it in full.
//!
//! The way of one request: [`middleware`] gives it an id, [`router`] finds its handler, [`extract`] reads its body,
//! [`request`] makes a puzzle of it, the handler hands that to the pool and the result to its answer, and
//! [`middleware`] writes out what every answer carries. A fault on the way is a [`problem`].

mod batch;
mod board;
mod cages;
mod cors;
mod documents;
mod endpoint;
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
mod request_id;
mod router;
mod solve;
mod trace_context;
mod validate;
mod wire;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, header},
    response::Response,
};
use tokio::sync::{Notify, Semaphore};

use crate::{
    config::Config,
    lifecycle::{Lifecycle, Phase},
    metrics::Metrics,
    pool::{PoolError, PoolLimits, SolverPool},
    puzzle::Puzzle,
    solver::{Algorithm, End, Limits, Search, Solutions, Stop, Verdict, dead_end, search},
};
use batch::BatchLimits;
use cors::Cors;
use evidence::{DeadEnd, Limit};
use extract::BodyLimits;
use problem::{Problem, ProblemKind};
use request::{PuzzleRequest, Terms};
use router::{Route, Surface};

/// What the handlers share.
#[derive(Debug)]
pub struct Api {
    pool: SolverPool,
    metrics: Arc<Metrics>,
    lifecycle: Lifecycle,
    body_limits: BodyLimits,
    default_nodes: u64,
    max_nodes: u64,
    /// The time of one search.
    solve_timeout: Duration,
    /// The right to run a batch.
    batches: Arc<Semaphore>,
    batch_limits: BatchLimits,
    cors: Cors,
    /// Whether there are pages for people.
    web: bool,
}

/// The service as a function from requests to answers.
#[derive(Debug, Clone)]
pub struct App {
    api: Arc<Api>,
    router: Router,
    surface: Surface,
}

impl App {
    /// The service with this configuration.
    pub fn new(config: &Config, metrics: Arc<Metrics>, lifecycle: Lifecycle) -> App {
        let pool_limits = PoolLimits {
            permits: config.permits(),
            batch_permits: config.batch_permits(),
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
            solve_timeout: config.solve_timeout,
            batches: Arc::new(Semaphore::new(config.max_batches as usize)),
            batch_limits: BatchLimits::from(config),
            cors: Cors::from(&config.cors_origins),
            web: !config.no_web,
        });
        App::serving(if config.admin_addr.is_some() { Surface::WithoutMetrics } else { Surface::Whole }, api)
    }

    /// What the admin port serves of it.
    pub fn admin(&self) -> App {
        App::serving(Surface::Admin, Arc::clone(&self.api))
    }

    fn serving(surface: Surface, api: Arc<Api>) -> App {
        App { router: router::router(Arc::clone(&api), surface), api, surface }
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request<Body>) -> Response {
        middleware::answer(&self.api, &self.router, self.surface, request).await
    }

    /// Whether a request asks for a stream. Such a one may bring along a [`Streaming`].
    pub fn is_stream<T>(&self, request: &Request<T>) -> bool {
        Route::of(request.uri().path()).is_some_and(Route::is_batch)
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

/// Held as long as there is a stream, in the extensions of its request and then by who drives it.
#[derive(Debug, Clone)]
pub struct Streaming {
    /// Who watches over the connection sees by this that there still is a stream.
    pub alive: Arc<()>,
    /// Tells to close the connection.
    pub abort: Arc<Notify>,
}

/// Every path of the API, pages for people aside, with the names of its parameters.
pub fn paths() -> impl Iterator<Item = &'static str> {
    Route::ALL.into_iter().filter(|route| !route.is_page()).map(Route::path)
}

impl Api {
    /// Whether a port serves a route.
    fn serves(&self, surface: Surface, route: Route) -> bool {
        surface.serves(route) && (self.web || !route.is_page())
    }

    /// Reads a request for a search, as far as its puzzle.
    async fn read(&self, request: Request<Body>, terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let body = extract::json_body(request, self.body_limits);
        tokio::select! {
            biased;
            body = body => PuzzleRequest::read(&body?, terms),
            () = self.closing_is_over() => Err(ProblemKind::ShuttingDown.into()),
        }
    }

    /// Ready a second after the service has begun to close: what has not come in whole by then is not waited for, or a
    /// slow body would use up the grace of the whole shutdown.
    async fn closing_is_over(&self) {
        self.lifecycle.reached(Phase::Closing).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    /// What a request may ask for.
    fn terms(&self, max_solutions: Option<std::ops::RangeInclusive<usize>>) -> Terms {
        Terms { default_nodes: self.default_nodes, max_nodes: self.max_nodes, max_solutions }
    }

    /// Decides a puzzle: on the spot where propagation alone does it, else on a thread of the pool.
    ///
    /// Propagation takes the fast engine a microsecond, and the way to another thread and back many times that. It needs
    /// no permit, so such boards are answered even when the pool is full. What needs a search begins anew in the pool.
    async fn decide(&self, endpoint: &'static str, request: PuzzleRequest) -> Result<Found, Problem> {
        let propagated = is_propagated(&request).then(|| Found::by_search(&request, 0, &Stop::never()));
        // A board that has a solution has no clash, so most boards are never looked at for one.
        if propagated.as_ref().is_none_or(|found| found.search.solutions.is_empty())
            && let Some(clash) = Found::clash(&request.puzzle)
        {
            return Ok(clash);
        }
        if let Some(found) = propagated.filter(|found| found.search.end != End::NodeLimit) {
            found.count(&self.metrics, endpoint, request.algorithm, &Stop::never());
            return Ok(found.with_evidence(&request.puzzle, &Stop::never()));
        }
        let metrics = Arc::clone(&self.metrics);
        let work = move |stop: &Stop| {
            let found = Found::by_search(&request, request.max_nodes, stop);
            // Counted here, since nobody is left to count what was cancelled.
            found.count(&metrics, endpoint, request.algorithm, stop);
            found.with_evidence(&request.puzzle, stop)
        };
        Ok(self.pool.run(work).await?)
    }
}

/// A search, and what an answer tells of it.
struct Found {
    search: Search,
    /// Groups of givens that clash.
    conflicts: Vec<evidence::Conflict>,
    /// Of an unsolvable board without a clash.
    dead_end: Option<DeadEnd>,
    /// The search alone.
    elapsed: Duration,
}

impl Found {
    fn by_search(request: &PuzzleRequest, max_nodes: u64, stop: &Stop) -> Found {
        let PuzzleRequest { puzzle, algorithm, max_solutions, .. } = request;
        let began = Instant::now();
        let search = search(puzzle, *algorithm, &Limits { max_solutions: *max_solutions, max_nodes, stop });
        Found { search, conflicts: Vec::new(), dead_end: None, elapsed: began.elapsed().saturating_sub(stop.rested()) }
    }

    /// All that is to be found, here and now.
    fn of(request: &PuzzleRequest, stop: &Stop) -> Found {
        let puzzle = &request.puzzle;
        if !is_propagated(request)
            && let Some(clash) = Found::clash(puzzle)
        {
            return clash;
        }
        let found = Found::by_search(request, request.max_nodes, stop);
        if is_propagated(request)
            && found.search.solutions.is_empty()
            && let Some(clash) = Found::clash(puzzle)
        {
            return clash;
        }
        found.with_evidence(puzzle, stop)
    }

    /// A clash is a proof that there is no solution: nothing was searched.
    fn clash(puzzle: &Puzzle) -> Option<Found> {
        let conflicts: Vec<_> = puzzle.conflicts().into_iter().map(Into::into).collect();
        let search = Search { solutions: Solutions::new(), nodes: 0, end: End::Exhausted };
        (!conflicts.is_empty()).then_some(Found { search, conflicts, dead_end: None, elapsed: Duration::ZERO })
    }

    /// With a reason that a person can follow, where there is no solution. It is not bound to the search's deadline: the
    /// same request has to get the same evidence. Finding it takes no long time.
    fn with_evidence(mut self, puzzle: &Puzzle, stop: &Stop) -> Found {
        if self.search.verdict() == Verdict::Unsolvable {
            self.dead_end = dead_end(puzzle, &stop.without_deadline()).map(Into::into);
        }
        self
    }

    fn count(&self, metrics: &Metrics, endpoint: &'static str, algorithm: Algorithm, stop: &Stop) {
        metrics.outcomes(endpoint, self.outcome(stop), 1);
        metrics.nodes_of(algorithm.name()).observe(self.search.nodes as f64);
    }

    /// Its name in the metrics.
    fn outcome(&self, stop: &Stop) -> &'static str {
        if stop.is_cancelled() { "cancelled" } else { self.search.verdict().name() }
    }
}

/// Whether propagation comes before anything else: it tells boards that have a solution from those that may have a clash.
fn is_propagated(request: &PuzzleRequest) -> bool {
    request.algorithm == Algorithm::Fast && request.puzzle.cages().is_empty()
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

/// A header's text, empty where it is absent or no text.
fn header_text(headers: &HeaderMap, name: impl header::AsHeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
