//! Paths and methods, and the layers around them.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{HeaderName, HeaderValue, Method, Request, header},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{AllowOrigin, CorsLayer},
};

use super::{
    Api, documents, extract, pages, probes,
    problem::{Problem, ProblemKind},
    solve, validate,
};
use crate::config::CorsOrigins;

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

    fn handler(self) -> MethodRouter<Arc<Api>> {
        match self {
            Route::Solve => post(solve::solve),
            Route::Validate => post(validate::validate),
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

/// The API's router. One stack of layers stands around all of it, fallbacks included; from the outside in:
/// CORS, so that a front end can read every answer, errors too; then the net that makes a panic a problem.
pub fn router(api: Arc<Api>, surface: Surface) -> Router {
    let panics = api.metrics.panics.clone();
    // The panic itself is logged by the hook, its request by the middleware.
    let caught = move |_: Box<dyn Any + Send>| -> Response {
        panics.inc();
        Problem::from(ProblemKind::Internal).into_response()
    };
    let cors = cors(&api.cors_origins);
    let served = Route::ALL.into_iter().filter(|&route| api.serves(surface, route));
    served
        .fold(Router::new(), |router, route| router.route(route.path(), route.handler()))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(ServiceBuilder::new().layer(cors).layer(CatchPanicLayer::custom(caught)))
        .with_state(api)
}

/// An origin that is not listed is answered like any other; its browser then keeps the answer from its scripts.
fn cors(origins: &CorsOrigins) -> CorsLayer {
    let origins = match origins {
        CorsOrigins::Any => AllowOrigin::any(),
        CorsOrigins::Listed(listed) => {
            AllowOrigin::list(listed.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()))
        }
    };
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            header::CONTENT_TYPE,
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("traceparent"),
        ])
        .expose_headers([HeaderName::from_static("x-request-id"), header::RETRY_AFTER])
        .max_age(Duration::from_secs(86_400))
}

async fn not_found(request: Request<Body>) -> Problem {
    extract::drop_body(request).await;
    ProblemKind::NotFound.into()
}

async fn method_not_allowed(request: Request<Body>) -> Problem {
    extract::drop_body(request).await;
    ProblemKind::MethodNotAllowed.into()
}
