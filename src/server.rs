//! Accepting connections, serving them, and ending.
//!
//! The loop is our own, since axum's sets no timer: there a head that is half sent is waited for without end, and holds
//! up the shutdown. hyper's timeout for heads is also its timeout for idle connections.

use std::{
    convert::Infallible,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::body::Body;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

use crate::{config::Config, http::App, lifecycle::Phase};

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

/// What bounds connections, and the time to end them.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    max_connections: usize,
    idle_timeout: Duration,
    drain_delay: Duration,
    shutdown_grace: Duration,
}

impl From<&Config> for ServerLimits {
    fn from(config: &Config) -> ServerLimits {
        ServerLimits {
            max_connections: config.max_connections.get().min(Semaphore::MAX_PERMITS).min(u32::MAX as usize),
            idle_timeout: config.idle_timeout,
            drain_delay: config.drain_delay,
            shutdown_grace: config.shutdown_grace,
        }
    }
}

/// Serves until `shutdown` is ready, then ends in order: tells balancers by `/readyz` for the drain delay, stops
/// accepting, closes what is idle, and lets what is in flight end within the grace.
pub async fn run(
    listener: TcpListener,
    app: App,
    limits: ServerLimits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Ending {
    let lifecycle = app.lifecycle().clone();
    let connections = Arc::new(Semaphore::new(limits.max_connections));
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
        () = accept(&listener, &app, limits, &connections) => {}
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
    ending
}

async fn accept(listener: &TcpListener, app: &App, limits: ServerLimits, connections: &Arc<Semaphore>) {
    loop {
        // Before the accept, so that what is over the cap waits in the kernel's backlog.
        let Ok(place) = Arc::clone(connections).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _peer)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    app.metrics().connections.inc();
                    serve(stream, &app, limits).await;
                    app.metrics().connections.dec();
                    drop(place);
                });
            }
            Err(error) => survive(&error).await,
        }
    }
}

/// A connection that was gone before it was accepted says nothing about the next one. Any other error (no more file
/// handles, mostly) lasts a while, and trying again at once would only burn a core.
async fn survive(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::error!(%error, "cannot accept connections");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn serve(stream: TcpStream, app: &App, limits: ServerLimits) {
    // Answers are single writes; without this the last one of a pipeline may wait for the client's acknowledgement.
    let _ = stream.set_nodelay(true);
    let head_read = AtomicBool::new(false);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        head_read.store(true, Ordering::Relaxed);
        async { Ok::<_, Infallible>(app.answer(request.map(Body::new)).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_timeout)
        .max_header_size(MAX_HEAD)
        .max_buf_size(2 * MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return log_end(ended),
        () = app.lifecycle().reached(Phase::Closing) => {}
    }
    // hyper closes a connection that idles between two requests, but not one whose first head has not come in whole.
    if !head_read.load(Ordering::Relaxed) {
        return;
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        ended = connection.as_mut() => log_end(ended),
        () = app.lifecycle().reached(Phase::Stopped) => {}
    }
}

/// Clients come and go as they like, so how a connection ended is of interest only to who looks for it.
fn log_end(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "connection");
    }
}
