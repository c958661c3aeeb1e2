//! `GET /livez`, `GET /readyz` and `GET /metrics`: what orchestrators, balancers and monitors ask.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderName, header},
};

use super::{
    Api,
    problem::{Problem, ProblemKind},
};
use crate::{lifecycle::Phase, metrics::Metrics};

/// The process is alive. Load has no say in it: a busy instance must not be restarted.
pub async fn livez() -> &'static str {
    "ok"
}

/// The instance takes requests. A full queue has no say in it: its 503 is the answer to that.
pub async fn readyz(State(api): State<Arc<Api>>) -> Result<&'static str, Problem> {
    if api.lifecycle.phase() == Phase::Ready { Ok("ok") } else { Err(ProblemKind::ShuttingDown.into()) }
}

/// What was counted so far.
pub async fn metrics(State(api): State<Arc<Api>>) -> ([(HeaderName, &'static str); 1], String) {
    ([(header::CONTENT_TYPE, Metrics::MEDIA_TYPE)], api.metrics.render())
}
