//! The answers of a stream on their way to its client, held until it reads them.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::{Notify, mpsc};

use super::Seat;

/// The most that goes to the connection at once: by this is seen whether a client that reads slowly reads at all.
const FRAME: usize = 64 << 10;

/// Both ends of the way of a stream's answers, of which it holds about `capacity` bytes. The seat is given up when both
/// are gone.
pub fn channel(capacity: usize, seat: Arc<Seat>) -> (Outbox, Answers) {
    let (send, receive) = mpsc::unbounded_channel();
    let held = Arc::new(Held::default());
    let outbox = Outbox { send, held: Arc::clone(&held), capacity, _seat: Arc::clone(&seat) };
    (outbox, Answers { receive, held, _seat: seat })
}

/// Bytes between the two ends.
#[derive(Debug, Default)]
struct Held {
    bytes: AtomicUsize,
    fewer: Notify,
    /// The other end has been dropped.
    done: Notify,
}

/// Where answers are put.
pub struct Outbox {
    send: mpsc::UnboundedSender<Bytes>,
    held: Arc<Held>,
    capacity: usize,
    _seat: Arc<Seat>,
}

impl Outbox {
    /// Whether there is room for more. What is sent without is held all the same.
    pub fn has_room(&self) -> bool {
        self.held.bytes.load(Ordering::Relaxed) < self.capacity
    }

    /// Holds these bytes until the client reads them.
    pub fn send(&self, mut bytes: Bytes) {
        if !bytes.is_empty() {
            self.held.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        while !bytes.is_empty() {
            let frame = bytes.split_to(FRAME.min(bytes.len()));
            // Where the client has gone, nobody wants them.
            let _ = self.send.send(frame);
        }
    }

    /// Ready when the client has read something.
    pub async fn moved(&self) {
        self.held.fewer.notified().await;
    }

    /// Nothing more is sent.
    pub fn end(self) -> Leaving {
        Leaving(Arc::clone(&self.held))
    }

    /// Ready when the client has gone.
    pub async fn closed(&self) {
        self.send.closed().await;
    }
}

/// The last answers, on their way.
pub struct Leaving(Arc<Held>);

impl Leaving {
    /// Ready when the client has read something.
    pub async fn moved(&self) {
        self.0.fewer.notified().await;
    }

    /// Ready when the last of them is with the connection, or the client has gone.
    pub async fn done(&self) {
        self.0.done.notified().await;
    }
}

/// The body of the response.
pub struct Answers {
    receive: mpsc::UnboundedReceiver<Bytes>,
    held: Arc<Held>,
    _seat: Arc<Seat>,
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.held.done.notify_one();
    }
}

impl Body for Answers {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(bytes) = ready!(self.receive.poll_recv(context)) else { return Poll::Ready(None) };
        self.held.bytes.fetch_sub(bytes.len(), Ordering::Relaxed);
        self.held.fewer.notify_one();
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}
