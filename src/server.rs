//! Accepting connections, serving them, and ending.
//!
//! The loop is our own, since axum's sets no timer: there a head that is half sent is waited for without end, and holds
//! up the shutdown. hyper's timeout for heads is also its timeout for idle connections.

mod socket;

use std::{
    convert::Infallible,
    io,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::body::Body;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore},
};

use crate::{
    config::Config,
    http::{App, Streaming},
    lifecycle::Phase,
    metrics::Counted,
};
use socket::Socket;

/// Bytes of one request's head.
const MAX_HEAD: usize = 64 << 10;

/// How the service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Everything in flight was answered.
    Drained,
    /// The grace was over before that, and connections were cut off.
    CutOff,
}

/// Where connections come in.
#[derive(Debug)]
pub struct Listeners {
    /// The API.
    pub main: TcpListener,
    /// Metrics and probes, where they have a port of their own.
    pub admin: Option<TcpListener>,
}

impl From<TcpListener> for Listeners {
    fn from(main: TcpListener) -> Listeners {
        Listeners { main, admin: None }
    }
}

/// Connections that the admin port takes: a few probes and monitors.
const ADMIN_CONNECTIONS: usize = 64;

/// Files that are kept for other things than connections: the admin port's, the log, the runtime.
const OTHER_FILES: usize = ADMIN_CONNECTIONS + 32;

/// What bounds connections, and the time to end them.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    max_connections: usize,
    idle_timeout: Duration,
    batch_timeout: Duration,
    drain_delay: Duration,
    shutdown_grace: Duration,
}

impl From<&Config> for ServerLimits {
    fn from(config: &Config) -> ServerLimits {
        ServerLimits {
            max_connections: config.max_connections.get().min(Semaphore::MAX_PERMITS).min(u32::MAX as usize),
            idle_timeout: config.idle_timeout,
            batch_timeout: config.batch_timeout,
            drain_delay: config.drain_delay,
            shutdown_grace: config.shutdown_grace,
        }
    }
}

impl ServerLimits {
    /// With fewer connections, where the process may not open as many files: what is over that then waits to be
    /// accepted, and the admin port and the log go on working.
    pub fn within(self, open_files: usize) -> ServerLimits {
        let connections = open_files.saturating_sub(OTHER_FILES).max(open_files / 2).max(1);
        if connections < self.max_connections {
            tracing::warn!(open_files, connections, "the limit of open files lowers --max-connections");
        }
        ServerLimits { max_connections: self.max_connections.min(connections), ..self }
    }
}

/// Serves until `shutdown` is ready, then ends in order: tells balancers by `/readyz` for the drain delay, stops
/// accepting, closes what is idle, and lets what is in flight end within the grace. The admin port answers to the last.
pub async fn run(
    listeners: impl Into<Listeners>,
    app: App,
    limits: ServerLimits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Ending {
    let Listeners { main: listener, admin } = listeners.into();
    let lifecycle = app.lifecycle().clone();
    let connections = Arc::new(Semaphore::new(limits.max_connections));
    let admin = admin.map(|listener| {
        let places = Arc::new(Semaphore::new(ADMIN_CONNECTIONS));
        let door = Door { app: app.admin(), limits, places, until: Phase::Stopped };
        tokio::spawn(async move { door.accept(&listener).await })
    });
    let door = Door { app: app.clone(), limits, places: Arc::clone(&connections), until: Phase::Closing };
    lifecycle.advance(Phase::Ready);
    tokio::spawn({
        let lifecycle = lifecycle.clone();
        async move {
            shutdown.await;
            tracing::info!("shutting down");
            lifecycle.advance(Phase::Draining);
            tokio::time::sleep(limits.drain_delay).await;
            lifecycle.advance(Phase::Closing);
        }
    });
    tokio::select! {
        () = door.accept(&listener) => {}
        () = lifecycle.reached(Phase::Closing) => {}
    }
    drop(listener);
    app.close_pool();
    // Every connection holds one of these, so all of them are free when the last one has ended.
    let all = connections.acquire_many(limits.max_connections as u32);
    let ending = match tokio::time::timeout(limits.shutdown_grace, all).await {
        Ok(_) => Ending::Drained,
        Err(_elapsed) => Ending::CutOff,
    };
    lifecycle.advance(Phase::Stopped);
    if let Some(admin) = admin {
        admin.abort();
    }
    ending
}

/// What connections of one listener get.
#[derive(Clone)]
struct Door {
    app: App,
    limits: ServerLimits,
    places: Arc<Semaphore>,
    /// From this phase on, connections may only finish what they are at.
    until: Phase,
}

impl Door {
    async fn accept(&self, listener: &TcpListener) {
        loop {
            // Before the accept, so that what is over the cap waits in the kernel's backlog.
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _peer)) => {
                    let door = self.clone();
                    tokio::spawn(async move {
                        let _place = place;
                        let _open = Counted::new(&door.app.metrics().connections);
                        door.serve(stream).await;
                    });
                }
                Err(error) => survive(&error).await,
            }
        }
    }

    async fn serve(&self, stream: TcpStream) {
        let socket = Socket::from(stream);
        socket.give_up_after(self.limits.idle_timeout);
        let (head_read, stream) = (AtomicBool::new(false), StreamWatch::default());
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            head_read.store(true, Ordering::Relaxed);
            if self.app.is_stream(&request) {
                request.extensions_mut().insert(stream.begin());
            }
            async { Ok::<_, Infallible>(self.app.answer(request.map(Body::new)).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.idle_timeout)
            .max_header_size(MAX_HEAD)
            .max_buf_size(2 * MAX_HEAD)
            .serve_connection(TokioIo::new(socket.clone()), service);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            biased;
            ended = connection.as_mut() => return log_end(ended),
            () = self.app.lifecycle().reached(self.until) => {}
            () = self.watch(&socket, &stream) => return,
        }
        // hyper closes a connection that idles between two requests, but not one whose first head has not come in whole.
        if !head_read.load(Ordering::Relaxed) {
            return;
        }
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            ended = connection.as_mut() => log_end(ended),
            () = self.app.lifecycle().reached(Phase::Stopped) => {}
        }
    }

    /// Ready when a client closes its connection in the middle of a stream, or when the stream gives its client up. While
    /// there is a stream, a client may take its time to read: many read nothing before they have sent everything.
    async fn watch(&self, socket: &Socket, stream: &StreamWatch) {
        loop {
            stream.begins().await;
            socket.give_up_after(self.limits.batch_timeout);
            while stream.is_there() {
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = stream.abort.notified() => return,
                }
                if socket.is_closed() {
                    return;
                }
            }
            socket.give_up_after(self.limits.idle_timeout);
        }
    }
}

/// How often the client of a stream is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The stream of a connection, if there is one.
#[derive(Debug, Default)]
struct StreamWatch {
    begun: Notify,
    abort: Arc<Notify>,
    /// Upgrades as long as the stream holds what it was given.
    now: Mutex<Weak<()>>,
}

impl StreamWatch {
    fn begin(&self) -> Streaming {
        let alive = Arc::default();
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&alive);
        self.begun.notify_one();
        Streaming { alive, abort: Arc::clone(&self.abort) }
    }

    async fn begins(&self) {
        self.begun.notified().await;
    }

    fn is_there(&self) -> bool {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }
}

/// A connection that was gone before it was accepted says nothing about the next one. Any other error (no more file
/// handles, mostly) lasts a while, and trying again at once would only burn a core and fill the log.
async fn survive(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::error!(%error, "cannot accept connections");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Clients come and go as they like, so how a connection ended is of interest only to who looks for it.
fn log_end(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection");
    }
}
