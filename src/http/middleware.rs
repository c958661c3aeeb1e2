//! What every answer carries: its id, the leave for scripts to read it, its problem written out, its line in the log, its
//! count. And the net that makes a panic one more answer.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Instant,
};

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Method, Request, header},
    response::{IntoResponse, Response},
};
use tower::Service;

use super::{
    Api, cors,
    endpoint::Nodes,
    problem::{Problem, ProblemKind},
    request_id::{RequestId, X_REQUEST_ID},
    router::{Route, Surface},
    trace_context::TraceContext,
};
use crate::{lifecycle::Phase, metrics::RequestLabels};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Answers one request: everything outside of the router.
pub async fn answer(api: &Api, router: &Router, surface: Surface, mut request: Request<Body>) -> Response {
    let route = Route::of(request.uri().path()).filter(|&route| api.serves(surface, route));
    let is_post = request.method() == Method::POST;
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut record = Record::of(&request, route, api);

    if route.is_some_and(Route::is_batch) {
        // A stream has problems of its own to write out.
        request.headers_mut().insert(X_REQUEST_ID, record.request_id.to_header());
    }
    let mut response = match *request.method() {
        Method::OPTIONS => cors::preflight(),
        _ => handled(api, router, request).await,
    };

    let problem = response.extensions_mut().remove::<Arc<Problem>>();
    if let Some(problem) = &problem {
        write_out(problem, record.request_id.as_str(), &mut response);
    }
    let headers = response.headers_mut();
    api.cors.permit(origin, headers);
    if is_post || problem.is_some() || route.is_some_and(Route::is_routine) {
        headers.insert(header::CACHE_CONTROL, NO_STORE);
    }
    if api.lifecycle.phase() > Phase::Ready || problem.as_ref().is_some_and(|problem| problem.closes()) {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(X_REQUEST_ID, record.request_id.to_header());

    record.labels.status = response.status().as_u16();
    let answered = response.extensions().get::<Nodes>().map(|nodes| nodes.0);
    record.nodes = answered.or_else(|| problem.and_then(|problem| problem.nodes()));
    response
}

/// What the request's handler answers, or a problem where that panics: the panic itself is logged by the hook.
async fn handled(api: &Api, router: &Router, request: Request<Body>) -> Response {
    // axum wants the router mutable; a clone is one count.
    let mut handling = pin!(router.clone().call(request));
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| handling.as_mut().poll(context))) {
        Ok(polled) => polled.map(|Ok(response)| response),
        Err(_) => {
            api.metrics.panics.inc();
            Poll::Ready(Problem::from(ProblemKind::Internal).into_response())
        }
    })
    .await
}

/// What stands for the status of a request whose client has gone before the answer; nginx's number for it.
const CLIENT_GONE: u16 = 499;

/// What is counted and logged of a request, once it is answered or its client has gone: either way when this is dropped.
struct Record<'a> {
    api: &'a Api,
    began: Instant,
    labels: RequestLabels,
    is_routine: bool,
    nodes: Option<u64>,
    request_id: RequestId,
    trace: Option<TraceContext>,
}

impl Record<'_> {
    fn of<'a>(request: &Request<Body>, route: Option<Route>, api: &'a Api) -> Record<'a> {
        let route_label = route.map_or("unmatched", Route::path);
        Record {
            api,
            began: Instant::now(),
            labels: RequestLabels { method: method_label(request.method()), route: route_label, status: CLIENT_GONE },
            is_routine: route.is_some_and(Route::is_routine),
            nodes: None,
            request_id: RequestId::of(request.headers().get(X_REQUEST_ID)),
            trace: TraceContext::of(request.headers()),
        }
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let elapsed = self.began.elapsed();
        self.api.metrics.request(&self.labels, elapsed.as_secs_f64());
        let RequestLabels { method, route, status } = self.labels;
        let (duration_us, nodes, request_id) = (elapsed.as_micros() as u64, self.nodes, self.request_id.as_str());
        let (trace_id, span_id) = self.trace.as_ref().map(|trace| (trace.trace_id(), trace.span_id())).unzip();
        if self.is_routine {
            tracing::debug!(method, route, status, duration_us, request_id, trace_id, span_id, "request");
        } else {
            tracing::info!(method, route, status, duration_us, nodes, request_id, trace_id, span_id, "request");
        }
    }
}

fn write_out(problem: &Problem, request_id: &str, response: &mut Response) {
    *response.body_mut() = Body::from(problem.to_json(request_id));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    // axum has already written down that the body, as it saw it, was empty.
    headers.remove(header::CONTENT_LENGTH);
    if problem.kind().status().as_u16() == 503 {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
}

/// The methods that the API knows, so that a client cannot make up labels.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
