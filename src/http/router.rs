//! Paths and methods, and the layers around them.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    Router,
    http::{HeaderName, Method, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use tower::ServiceBuilder;
use tower_http::{catch_panic::CatchPanicLayer, cors::CorsLayer};

use super::{
    Api, documents, pages, probes,
    problem::{Problem, ProblemKind},
    solve, validate,
};

/// A path of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `POST`
    Solve,
    /// `POST`
    Validate,
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
    pub const ALL: [Route; 12] = {
        use Route::*;
        [Solve, Validate, Livez, Readyz, Metrics, OpenApi, Problems, Problem, Version, Home, Docs, Asset]
    };

    /// Its path, with the names of its parameters.
    pub const fn path(self) -> &'static str {
        match self {
            Route::Solve => "/solve",
            Route::Validate => "/validate",
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

    /// Whether it is there for people, and left out by `--no-web`.
    pub const fn is_page(self) -> bool {
        matches!(self, Route::Home | Route::Docs | Route::Asset)
    }

    /// Whether it is asked so often and says so little that the log leaves it out.
    pub const fn is_routine(self) -> bool {
        matches!(self, Route::Livez | Route::Readyz | Route::Metrics)
    }
}

/// The API's router. One stack of layers stands around all of it, fallbacks included; from the outside in:
/// CORS, so that a front end can read every answer, errors too; then the net that makes a panic a problem.
pub fn router(api: Arc<Api>) -> Router {
    let panics = api.metrics.panics.clone();
    let caught = move |panic: Box<dyn Any + Send>| -> Response {
        panics.inc();
        tracing::error!(panic = panic_text(panic.as_ref()), "a handler panicked");
        Problem::from(ProblemKind::Internal).into_response()
    };
    let pages = if api.web { pages::routes() } else { Router::new() };
    Router::new()
        .merge(pages)
        .route(Route::Solve.path(), post(solve::solve))
        .route(Route::Validate.path(), post(validate::validate))
        .route(Route::Livez.path(), get(probes::livez))
        .route(Route::Readyz.path(), get(probes::readyz))
        .route(Route::Metrics.path(), get(probes::metrics))
        .route(Route::OpenApi.path(), get(documents::openapi))
        .route(Route::Problems.path(), get(documents::problems))
        .route(Route::Problem.path(), get(documents::problem))
        .route(Route::Version.path(), get(documents::version))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(ServiceBuilder::new().layer(cors()).layer(CatchPanicLayer::custom(caught)))
        .with_state(api)
}

fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            header::CONTENT_TYPE,
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("traceparent"),
        ])
        .expose_headers([HeaderName::from_static("x-request-id"), header::RETRY_AFTER])
        .max_age(Duration::from_secs(86_400))
}

async fn not_found() -> Problem {
    ProblemKind::NotFound.into()
}

async fn method_not_allowed() -> Problem {
    ProblemKind::MethodNotAllowed.into()
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
}
