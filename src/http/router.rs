//! Paths and methods.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::Request,
    routing::{MethodRouter, get, post},
};

use super::{
    Api, batch, documents,
    endpoint::single,
    extract, pages, probes,
    problem::{Problem, ProblemKind},
    solve::Solve,
    validate::Validate,
};

/// A path of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `POST`
    Solve,
    /// `POST`
    Validate,
    /// `POST`
    SolveBatch,
    /// `POST`
    ValidateBatch,
    /// `GET`
    Livez,
    /// `GET`
    Readyz,
    /// `GET`
    Metrics,
    /// `GET`
    OpenApi,
    /// `GET`
    Problems,
    /// `GET`
    Problem,
    /// `GET`
    Version,
    /// `GET`
    Home,
    /// `GET`
    Docs,
    /// `GET`
    Asset,
}

impl Route {
    /// All of them.
    pub const ALL: [Route; 14] = {
        use Route::*;
        [
            Solve,
            Validate,
            SolveBatch,
            ValidateBatch,
            Livez,
            Readyz,
            Metrics,
            OpenApi,
            Problems,
            Problem,
            Version,
            Home,
            Docs,
            Asset,
        ]
    };

    /// Its path, with the names of its parameters.
    pub const fn path(self) -> &'static str {
        match self {
            Route::Solve => "/solve",
            Route::Validate => "/validate",
            Route::SolveBatch => "/solve/batch",
            Route::ValidateBatch => "/validate/batch",
            Route::Livez => "/livez",
            Route::Readyz => "/readyz",
            Route::Metrics => "/metrics",
            Route::OpenApi => "/openapi.yaml",
            Route::Problems => "/problems",
            Route::Problem => "/problems/{name}",
            Route::Version => "/version",
            Route::Home => "/",
            Route::Docs => "/docs",
            Route::Asset => "/assets/{folder}/{file}",
        }
    }

    /// The route that a request's path belongs to.
    pub fn of(path: &str) -> Option<Route> {
        if path.strip_prefix("/problems/").is_some_and(|name| !name.is_empty() && !name.contains('/')) {
            return Some(Route::Problem);
        }
        if path
            .strip_prefix("/assets/")
            .is_some_and(|path| path.split('/').filter(|part| !part.is_empty()).count() == 2)
        {
            return Some(Route::Asset);
        }
        Route::ALL.into_iter().find(|route| route.path() == path)
    }

    fn handler(self) -> MethodRouter<Arc<Api>> {
        match self {
            Route::Solve => post(single::<Solve>),
            Route::Validate => post(single::<Validate>),
            Route::SolveBatch => post(batch::handle::<Solve>),
            Route::ValidateBatch => post(batch::handle::<Validate>),
            Route::Livez => get(probes::livez),
            Route::Readyz => get(probes::readyz),
            Route::Metrics => get(probes::metrics),
            Route::OpenApi => get(documents::openapi),
            Route::Problems => get(documents::problems),
            Route::Problem => get(documents::problem),
            Route::Version => get(documents::version),
            Route::Home => get(pages::home),
            Route::Docs => get(pages::docs),
            Route::Asset => get(pages::asset),
        }
    }

    /// Whether it takes and gives streams.
    pub const fn is_batch(self) -> bool {
        matches!(self, Route::SolveBatch | Route::ValidateBatch)
    }

    /// Whether it is there for people, and left out by `--no-web`.
    pub const fn is_page(self) -> bool {
        matches!(self, Route::Home | Route::Docs | Route::Asset)
    }

    /// Whether it is asked so often and says so little that the log leaves it out.
    pub const fn is_routine(self) -> bool {
        matches!(self, Route::Livez | Route::Readyz | Route::Metrics)
    }
}

/// What one port serves of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// All of it.
    Whole,
    /// All but the metrics, which have moved to the admin port.
    WithoutMetrics,
    /// The admin port: probes and metrics.
    Admin,
}

impl Surface {
    /// Whether this route is served here.
    pub const fn serves(self, route: Route) -> bool {
        match self {
            Surface::Whole => true,
            Surface::WithoutMetrics => !matches!(route, Route::Metrics),
            Surface::Admin => route.is_routine(),
        }
    }
}

/// The API's router. Nothing is layered around it: what every answer needs, [`middleware`](super::middleware) does.
pub fn router(api: Arc<Api>, surface: Surface) -> Router {
    let served = Route::ALL.into_iter().filter(|&route| api.serves(surface, route));
    served
        .fold(Router::new(), |router, route| router.route(route.path(), route.handler()))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(api)
}

async fn not_found(request: Request<Body>) -> Problem {
    extract::drop_body(request).await;
    ProblemKind::NotFound.into()
}

async fn method_not_allowed(request: Request<Body>) -> Problem {
    extract::drop_body(request).await;
    ProblemKind::MethodNotAllowed.into()
}
