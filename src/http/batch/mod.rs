//! `POST /solve/batch` and `POST /validate/batch`: a stream of puzzles in, a stream of answers out.
//!
//! The way of a stream: [`input`] cuts what comes in into chunks of whole lines; each of them is worked on in the pool, in
//! slices ([`chunk`]); [`stream`] puts the answers back into the order of the input; [`output`] holds them until the client
//! reads. Few chunks are at work at a time, and no more input is read meanwhile: so the server reads no faster than it
//! solves, and what it holds for a stream is bounded.
//!
//! The stream is driven by a task of its own, not by whoever reads the answers: a client that sends everything before it
//! reads anything has to get through.

mod chunk;
mod input;
mod output;
mod stream;

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Request, header},
    response::{IntoResponse, Response},
};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::{
    Api,
    endpoint::Endpoint,
    extract, header_text,
    problem::{Problem, ProblemKind},
    request_id::X_REQUEST_ID,
    trace_context::TraceContext,
};
use crate::{
    config::Config,
    lifecycle::Phase,
    metrics::{Counted, ShedReason},
};
use chunk::Work;
use input::Format;
use stream::{Head, Stream};

/// What bounds one batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchLimits {
    /// Bytes of answers that are held for a client that does not read them yet. On top of them come those of the chunks at
    /// work, a megabyte or two each at the most.
    buffer: usize,
    /// From its first byte to its last, and to the last answer as long as `idle` more.
    timeout: Duration,
    /// How long it waits for its client to send or to read.
    idle: Duration,
    /// Chunks at work at the same time: one a permit, and one more each, so that no permit waits for a chunk.
    chunks: usize,
}

impl From<&Config> for BatchLimits {
    fn from(config: &Config) -> BatchLimits {
        BatchLimits {
            buffer: config.batch_buffer,
            timeout: config.batch_timeout,
            idle: config.batch_idle,
            chunks: 2 * config.batch_permits(),
        }
    }
}

/// The greatest `max_solutions` of a line. A single request may ask for more.
const MOST_SOLUTIONS: usize = 10;

/// nginx holds answers back to send them in larger pieces, unless it is told not to.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Handles a stream.
pub async fn handle<E: Endpoint>(State(api): State<Arc<Api>>, mut request: Request<Body>) -> Response {
    let streaming = request.extensions_mut().remove();
    match begin::<E>(&api, request.headers()) {
        Ok(work) => {
            let (outbox, answers) = output::channel(api.batch_limits.buffer, Arc::clone(&work.seat));
            let (begin, begun) = oneshot::channel();
            let head = Head { when: When::of(request.headers()), begin };
            tokio::spawn(Stream::new(api, work, outbox, streaming).run::<E>(request.into_body(), head));
            // Where the other end has been dropped, the stream is over already.
            let _ = begun.await;
            let mut response = Response::new(Body::new(answers));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
            headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
            response
        }
        Err(problem) => {
            extract::drop_body(request).await;
            problem.into_response()
        }
    }
}

/// When the answer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// At once.
    AtOnce,
    /// With the first bytes of the body. A client that waits for leave to send gets it when its body is read, but not once
    /// it has a status.
    WithTheBody,
    /// After the last bytes of the body, or when as much is held as may be. A proxy that is not full duplex (nginx, for one)
    /// stops sending for good when it has to wait while an answer comes in.
    AfterTheBody,
}

/// By this a proxy tells that it is not full duplex.
const X_ANSWERS: HeaderName = HeaderName::from_static("x-answers");

impl When {
    fn of(headers: &HeaderMap) -> When {
        if header_text(headers, X_ANSWERS).eq_ignore_ascii_case("after-upload") {
            When::AfterTheBody
        } else if headers.contains_key(header::EXPECT) {
            When::WithTheBody
        } else {
            When::AtOnce
        }
    }
}

/// What a stream holds as long as anything of it is there, be it an answer or a line in the pool: one of the places, and its
/// part in the count.
type Seat = (OwnedSemaphorePermit, Counted);

/// What can be said of a stream before its first line.
fn begin<E: Endpoint>(api: &Arc<Api>, headers: &HeaderMap) -> Result<Work, Problem> {
    let format = extract::media_type(headers).and_then(Format::of);
    let format = format.ok_or_else(|| Problem::new(ProblemKind::UnsupportedMediaType, MEDIA_TYPES))?;
    if api.lifecycle.phase() >= Phase::Closing {
        api.metrics.shed(ShedReason::ShuttingDown);
        return Err(ProblemKind::ShuttingDown.into());
    }
    let seat = Arc::clone(&api.batches).try_acquire_owned().map_err(|_| {
        api.metrics.shed(ShedReason::Batches);
        Problem::new(
            ProblemKind::Overloaded,
            "As many batches are running as this server runs at a time. Try again later.",
        )
    })?;
    let fewer = |range: RangeInclusive<usize>| *range.start()..=MOST_SOLUTIONS.min(*range.end());
    let work = Work {
        api: Arc::clone(api),
        terms: api.terms(E::MAX_SOLUTIONS.map(fewer)),
        format,
        request_id: header_text(headers, X_REQUEST_ID).to_owned(),
        trace: TraceContext::of(headers),
        seat: Arc::new((seat, Counted::new(&api.metrics.batch_streams))),
    };
    Ok(work)
}

const MEDIA_TYPES: &str = "A batch must be lines of JSON or of text, not compressed, and say so. With curl: \
    -H 'Content-Type: application/x-ndjson' or -H 'Content-Type: text/plain'";
