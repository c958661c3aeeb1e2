//! From flags to an exit code.

use std::{
    io::{self, Write},
    net::SocketAddr,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

use crate::{
    config::{Command, Config, ConfigError},
    healthcheck,
    http::App,
    lifecycle::Lifecycle,
    metrics::Metrics,
    server::{self, Ending, Listeners, ServerLimits},
    telemetry::Telemetry,
};

/// Exit codes, those of sysexits.h where it has one.
mod exit {
    pub(super) const CUT_OFF: u8 = 1;
    pub(super) const NOT_READY: u8 = 1;
    pub(super) const USAGE: u8 = 64;
    pub(super) const UNAVAILABLE: u8 = 69;
    pub(super) const OS_ERROR: u8 = 71;
    /// What a shell reports for a process that SIGTERM ended.
    pub(super) const SECOND_SIGNAL: i32 = 143;
}

/// Reads flags (without the program's name) and variables, and does what they say.
pub fn start(flags: impl IntoIterator<Item = String>, variable: impl Fn(&str) -> Option<String>) -> ExitCode {
    let config = match Config::read(flags, variable) {
        Ok(config) => config,
        Err(ConfigError::Display(text)) => {
            // Who closes the pipe has read enough.
            let _ = write!(io::stdout(), "{text}");
            return ExitCode::SUCCESS;
        }
        Err(ConfigError::Usage(line)) => return fail(exit::USAGE, &line),
    };
    match config.command {
        Some(Command::Healthcheck) => match healthcheck::ask(config.health_addr()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(line) => fail(exit::NOT_READY, &line),
        },
        None => serve(&config),
    }
}

/// One line to stderr, and the exit code.
fn fail(code: u8, line: &str) -> ExitCode {
    eprintln!("sudoku-server: {line}");
    ExitCode::from(code)
}

fn serve(config: &Config) -> ExitCode {
    let runtime = match runtime(config) {
        Ok(runtime) => runtime,
        Err(error) => return fail(exit::OS_ERROR, &format!("cannot start threads: {error}")),
    };
    let open_files = raise_open_files();
    let bound = runtime.block_on(async {
        let main = listen(config.addr()).await?;
        let admin = match config.admin_addr {
            Some(addr) => Some(listen(addr).await?),
            None => None,
        };
        let signals = signals().map_err(|error| format!("cannot handle signals: {error}"))?;
        Ok::<_, String>((Listeners { main, admin }, signals))
    });
    let (listeners, signals) = match bound {
        Ok(bound) => bound,
        Err(line) => return fail(exit::UNAVAILABLE, &line),
    };
    let telemetry = match Telemetry::start(config) {
        Ok(telemetry) => telemetry,
        Err(error) => return fail(exit::OS_ERROR, &format!("cannot start threads: {error}")),
    };
    config.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    let ending = runtime.block_on(async {
        let metrics = Metrics::new(telemetry.dropped_lines());
        let app = App::new(config, Arc::new(metrics), Lifecycle::default());
        let limits = ServerLimits::from(config).within(open_files);
        let addr = |listener: &TcpListener| listener.local_addr().ok().map(tracing::field::display);
        let (main, admin) = (addr(&listeners.main), listeners.admin.as_ref().and_then(addr));
        tracing::info!(addr = main, admin_addr = admin, version = env!("CARGO_PKG_VERSION"), "listening");
        server::run(listeners, app, limits, stopped_by(signals)).await
    });
    tracing::info!(drained = ending == Ending::Drained, "stopped");
    // A search that is still running has been told to stop; it is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    drop(telemetry);
    match ending {
        Ending::Drained => ExitCode::SUCCESS,
        Ending::CutOff => ExitCode::from(exit::CUT_OFF),
    }
}

/// A runtime with as many blocking threads as permits: searches are all that runs there, and tokio's default of 512
/// would make a thread of each waiting request.
fn runtime(config: &Config) -> io::Result<Runtime> {
    Builder::new_multi_thread().max_blocking_threads(config.permits()).thread_name("sudoku").enable_all().build()
}

async fn listen(addr: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(addr).await.map_err(|error| format!("cannot listen on {addr}: {error}"))
}

/// Raises the limit of open files as far as the process may, and returns it. The soft limit is low for the sake of old
/// programs that use select(2).
fn raise_open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() {
        limit = raised;
    }
    limit.current.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX)
}

fn signals() -> io::Result<[Signal; 2]> {
    Ok([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?])
}

/// Ready at the first signal. The second one ends the process at once.
async fn stopped_by([mut terminate, mut interrupt]: [Signal; 2]) {
    tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        std::process::exit(exit::SECOND_SIGNAL);
    });
}
