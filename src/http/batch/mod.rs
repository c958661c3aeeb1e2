//! `POST /solve/batch` and `POST /validate/batch`: a stream of puzzles in, a stream of answers out.
//!
//! The way of a stream: [`input`] cuts what comes in into chunks of whole lines; each of them is worked on in the pool, in
//! slices ([`chunk`]); [`Stream`] puts the answers back into the order of the input; [`output`] holds them until the client
//! reads. Few chunks are at work at a time, and no more input is read meanwhile: so the server reads no faster than it
//! solves, and what it holds for a stream is bounded.
//!
//! The stream is driven by a task of its own, not by whoever reads the answers: a client that sends everything before it
//! reads anything has to get through.

mod chunk;
mod input;
mod output;

use std::{collections::VecDeque, ops::RangeInclusive, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderName, HeaderValue, Request, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http_body_util::BodyExt;
use serde::Serialize;
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    time::{Instant, sleep_until, timeout},
};

use super::{
    Api, Streaming,
    endpoint::Endpoint,
    extract, header_text,
    middleware::X_REQUEST_ID,
    problem::{Problem, ProblemKind},
    request::Terms,
};
use crate::{
    config::Config,
    lifecycle::Phase,
    metrics::{Counted, ShedReason},
    pool::CancelOnDrop,
};
use chunk::{Chunk, Piece, Work};
use input::{Format, Input};
use output::Outbox;

/// What bounds one batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchLimits {
    /// Bytes of answers that are held for a client that does not read them yet.
    buffer: usize,
    /// From its first byte to its last.
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
pub async fn stream<E: Endpoint>(State(api): State<Arc<Api>>, mut request: Request<Body>) -> Response {
    let streaming = request.extensions_mut().remove();
    match begin::<E>(&api, request.headers()) {
        Ok((work, seat)) => {
            let (outbox, answers) = output::channel(api.batch_limits.buffer, Arc::new(seat));
            let is_waiting = request.headers().contains_key(header::EXPECT);
            let (mut body, mut input) = (request.into_body(), Input::default());
            if is_waiting && let Ok(Some(Ok(frame))) = timeout(api.batch_limits.idle, body.frame()).await {
                // A client that waits for leave to send gets it when its body is read, but not once it has a status.
                input.push(frame.into_data().unwrap_or_default());
            }
            tokio::spawn(Stream::new(api, work, outbox, streaming).run::<E>(body, input));
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

/// What a stream holds as long as it is there: one of the places, and its part in the count.
type Seat = (OwnedSemaphorePermit, Counted);

/// What can be said of a stream before its first line.
fn begin<E: Endpoint>(api: &Arc<Api>, headers: &header::HeaderMap) -> Result<(Work, Seat), Problem> {
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
        terms: Terms { ..api.terms(E::MAX_SOLUTIONS.map(fewer)) },
        format,
        request_id: header_text(headers, X_REQUEST_ID).to_owned(),
    };
    Ok((work, (seat, Counted::new(&api.metrics.batch_streams))))
}

const MEDIA_TYPES: &str = "A batch must be lines of JSON or of text, not compressed, and say so. With curl: \
    -H 'Content-Type: application/x-ndjson' or -H 'Content-Type: text/plain'";

/// A stream on its way.
struct Stream {
    api: Arc<Api>,
    work: Arc<Work>,
    outbox: Outbox,
    /// The chunks at work, in the order of the input. The first one's answers go out as they come, those of the others
    /// wait for it.
    chunks: VecDeque<Slot>,
    /// The number of the first of them.
    first: u64,
    /// The first line without an answer.
    line: u64,
    answers: u64,
    problems: u64,
    /// Who watches over the connection sees by this that there is a stream.
    _streaming: Option<Streaming>,
}

/// A chunk at work.
#[derive(Default)]
struct Slot {
    pieces: Vec<Piece>,
}

impl Stream {
    fn new(api: Arc<Api>, work: Work, outbox: Outbox, streaming: Option<Streaming>) -> Stream {
        let (work, chunks) = (Arc::new(work), VecDeque::new());
        Stream { api, work, outbox, chunks, first: 0, line: 1, answers: 0, problems: 0, _streaming: streaming }
    }

    /// Reads, and has worked on, and sends, until the input ends or something else does.
    async fn run<E: Endpoint>(mut self, mut body: Body, input: Input) {
        let began = Instant::now();
        let how = self.pump::<E>(&mut body, input, began).await;
        let Stream { line, answers, problems, .. } = self;
        let end = match &how {
            Ok(()) => "whole",
            Err(Cut::Gone) => "gone",
            Err(Cut::By(kind)) => kind.name(),
        };
        let (lines, request_id) = (line - 1, self.work.request_id.as_str());
        let duration_us = began.elapsed().as_micros() as u64;
        tracing::info!(endpoint = E::BATCH_NAME, end, lines, answers, problems, duration_us, request_id, "batch");
        match how {
            Ok(()) => self.outbox.send(json_line(&WholeEnd { end: true, lines, answers, problems })),
            Err(Cut::Gone) => {}
            Err(Cut::By(kind)) => {
                let mut text = format!("{{\"end\":false,\"line\":{line},\"problem\":").into_bytes();
                text.extend_from_slice(&Problem::from(kind).to_json(request_id));
                text.extend_from_slice(b"}\n");
                self.outbox.send(text.into());
                // To close a connection with something unread on it would take back the answers that are on their way.
                tokio::select! {
                    () = self.outbox.closed() => {}
                    () = extract::drop_rest(&mut body) => {}
                }
            }
        }
    }

    async fn pump<E: Endpoint>(&mut self, body: &mut Body, mut input: Input, began: Instant) -> Result<(), Cut> {
        let limits = self.api.batch_limits;
        let api = Arc::clone(&self.api);
        let mut closing = pin!(api.lifecycle.reached(Phase::Closing));
        let mut over = pin!(sleep_until(later(began, limits.timeout)));
        let mut idle = pin!(sleep_until(later(began, limits.idle)));
        let (told, mut pieces) = mpsc::unbounded_channel();
        // Whatever is at work when this ends is not to be finished.
        let cancel = CancelOnDrop::default();
        loop {
            while self.chunks.len() < limits.chunks
                && let Some(lines) = input.next_chunk()
            {
                let number = self.first + self.chunks.len() as u64;
                self.chunks.push_back(Slot::default());
                let mut chunk = Chunk::new(Arc::clone(&self.work), lines, number, told.clone(), cancel.flag());
                self.api.pool.run_slices(move || chunk.slice::<E>());
            }
            if self.chunks.is_empty() && input.is_done() {
                return Ok(());
            }
            let has_room = self.outbox.has_room();
            let may_read = self.chunks.len() < limits.chunks && !input.has_ended();
            tokio::select! {
                biased;
                () = self.outbox.closed() => return Err(Cut::Gone),
                () = &mut closing => return Err(Cut::By(ProblemKind::ShuttingDown)),
                () = &mut over => return Err(Cut::By(ProblemKind::BatchTimeout)),
                Some(piece) = pieces.recv(), if has_room => self.take(piece),
                frame = body.frame(), if may_read => match frame {
                    Some(Ok(frame)) => input.push(frame.into_data().unwrap_or_default()),
                    Some(Err(_)) => return Err(Cut::Gone),
                    None => input.end(),
                },
                () = self.outbox.moved(), if !has_room => {}
                // The client has to move, either by reading answers or by sending lines.
                () = &mut idle, if !has_room || self.chunks.is_empty() => return Err(Cut::By(ProblemKind::Stalled)),
            }
            idle.as_mut().reset(later(Instant::now(), limits.idle));
        }
    }

    /// Takes a piece of answers to its place in the order, and sends what is next in it.
    fn take(&mut self, piece: Piece) {
        let index = (piece.chunk - self.first) as usize;
        self.chunks[index].pieces.push(piece);
        while let Some(slot) = self.chunks.front_mut() {
            let mut is_done = false;
            for piece in std::mem::take(&mut slot.pieces) {
                self.line = piece.line;
                self.answers += piece.answers;
                self.problems += piece.problems;
                is_done = piece.is_last;
                self.outbox.send(piece.text.into());
            }
            if !is_done {
                break;
            }
            self.chunks.pop_front();
            self.first += 1;
        }
    }
}

/// What ended a stream before its end.
enum Cut {
    /// The client has gone, or its request broke off.
    Gone,
    /// The client is told of it.
    By(ProblemKind),
}

#[derive(Serialize)]
struct WholeEnd {
    end: bool,
    lines: u64,
    answers: u64,
    problems: u64,
}

fn json_line(value: &impl Serialize) -> Bytes {
    let mut text = serde_json::to_vec(value).unwrap_or_default();
    text.push(b'\n');
    text.into()
}

/// A moment that is so much later, or one that never comes where the clock cannot tell it.
fn later(moment: Instant, after: Duration) -> Instant {
    const AGES: Duration = Duration::from_secs(30 * 365 * 86_400);
    moment.checked_add(after).unwrap_or(moment + AGES)
}
