//! A stream on its way: reads, has worked on, and sends, until the input ends or something else does.

use std::{collections::VecDeque, pin::pin, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use serde::Serialize;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout},
};

use super::{
    BatchLimits, When,
    chunk::{Chunk, Piece, Work},
    input::Input,
    output::{Leaving, Outbox},
};
use crate::{
    http::{
        Api, Streaming,
        endpoint::Endpoint,
        extract,
        problem::{Problem, ProblemKind},
    },
    lifecycle::Phase,
    pool::CancelOnDrop,
};

/// Holds back the head of an answer, until it is told to begin or dropped.
pub struct Head {
    pub when: When,
    pub begin: oneshot::Sender<()>,
}

/// A stream on its way.
pub struct Stream {
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
    streaming: Option<Streaming>,
}

/// A chunk at work.
#[derive(Default)]
struct Slot {
    pieces: Vec<Piece>,
    /// The chunk itself, where it waits for its turn.
    rest: Option<Box<Chunk>>,
}

impl Stream {
    /// Nothing has come in yet.
    pub fn new(api: Arc<Api>, work: Work, outbox: Outbox, streaming: Option<Streaming>) -> Stream {
        let (work, chunks) = (Arc::new(work), VecDeque::new());
        Stream { api, work, outbox, chunks, first: 0, line: 1, answers: 0, problems: 0, streaming }
    }

    /// Reads, and has worked on, and sends, until the input ends or something else does.
    pub async fn run<E: Endpoint>(mut self, mut body: Body, head: Head) {
        let began = Instant::now();
        let how = self.pump::<E>(&mut body, head, began).await;
        let Stream { line, answers, problems, .. } = self;
        let end = match &how {
            Ok(()) => "whole",
            Err(Cut::Gone) => "gone",
            Err(Cut::By(kind)) => kind.name(),
        };
        let (lines, request_id) = (line - 1, self.work.request_id.as_str());
        let duration_us = began.elapsed().as_micros() as u64;
        let (trace_id, span_id) = self.work.trace.as_ref().map(|trace| (trace.trace_id(), trace.span_id())).unzip();
        let endpoint = E::BATCH_NAME;
        tracing::info!(endpoint, end, lines, answers, problems, duration_us, request_id, trace_id, span_id, "batch");
        match how {
            Ok(()) => self.outbox.send(json_line(&WholeEnd { end: true, lines, answers, problems })),
            Err(Cut::Gone) => return,
            Err(Cut::By(kind)) => {
                let mut text = format!("{{\"end\":false,\"line\":{line},\"problem\":").into_bytes();
                text.extend_from_slice(&Problem::from(kind).to_json(request_id));
                text.extend_from_slice(b"}\n");
                self.outbox.send(text.into());
            }
        }
        // Who has sent everything is at its end, and of who has gone nothing comes any more.
        see_off(self.outbox.end(), &mut body, self.api.batch_limits, began, self.streaming).await;
    }

    /// Ends with the input, or with what cuts it short.
    async fn pump<E: Endpoint>(&mut self, body: &mut Body, head: Head, began: Instant) -> Result<(), Cut> {
        let limits = self.api.batch_limits;
        let api = Arc::clone(&self.api);
        let mut closing = pin!(api.lifecycle.reached(Phase::Closing));
        let mut over = pin!(sleep_until(later(began, limits.timeout)));
        let mut idle = pin!(sleep_until(later(began, limits.idle)));
        let (told, mut pieces) = mpsc::unbounded_channel();
        // Whatever is at work when this ends is not to be finished.
        let cancel = CancelOnDrop::default();
        let (mut input, mut head) = (Input::default(), Some(head));
        loop {
            while self.chunks.len() < limits.chunks
                && let Some(lines) = input.next_chunk()
            {
                let number = self.first + self.chunks.len() as u64;
                self.chunks.push_back(Slot::default());
                Chunk::new(Arc::clone(&self.work), lines, number, told.clone(), cancel.flag()).start::<E>();
            }
            if self.chunks.is_empty() && input.is_done() {
                return Ok(());
            }
            let has_room = self.outbox.has_room();
            if has_room && let Some(rest) = self.chunks.front_mut().and_then(|first| first.rest.take()) {
                rest.start::<E>();
            }
            let waits = |head: &mut Head| match head.when {
                When::AtOnce => false,
                When::WithTheBody => !input.has_begun(),
                When::AfterTheBody => !input.has_ended() && has_room,
            };
            if let Some(head) = head.take_if(|head| !waits(head)) {
                // Where nobody waits for it, the client has gone.
                let _ = head.begin.send(());
            }
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
                slot.rest = piece.rest;
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

/// Waits until the last answers are with the client, or gives it up where it does not read them. What it still sends is
/// dropped meanwhile, and for a while after: to close a connection with something unread on it would take back what is on
/// its way.
async fn see_off(leaving: Leaving, body: &mut Body, limits: BatchLimits, began: Instant, streaming: Option<Streaming>) {
    let mut over = pin!(sleep_until(later(later(began, limits.timeout), limits.idle)));
    let mut idle = pin!(sleep_until(later(Instant::now(), limits.idle)));
    let (mut dropping, mut has_ended) = (pin!(extract::drop_all(body)), false);
    loop {
        tokio::select! {
            biased;
            () = leaving.done() => break,
            () = leaving.moved() => {}
            () = &mut dropping, if !has_ended => has_ended = true,
            () = &mut idle => return give_up(streaming),
            () = &mut over => return give_up(streaming),
        }
        idle.as_mut().reset(later(Instant::now(), limits.idle));
    }
    if !has_ended {
        let _ = timeout(extract::DROPPING, dropping).await;
    }
}

fn give_up(streaming: Option<Streaming>) {
    if let Some(streaming) = streaming {
        streaming.abort.notify_one();
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
