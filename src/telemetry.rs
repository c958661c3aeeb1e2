//! Logs: one line an event, to stderr, as text for people or as JSON for programs.
//!
//! A thread of its own does the writing, and lines are dropped where it cannot keep up: whatever reads the log may stall,
//! the service may not.

mod json_lines;

use std::io::{BufWriter, IsTerminal, stderr};

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt};

use json_lines::JsonLines;

use crate::config::{Config, LogFormat};

/// Lines that wait to be written, about 2 MB of them: enough for a reader's hiccup, and no second memory for its death.
const BUFFERED_LINES: usize = 8192;

/// Bytes that are written at once.
const BUFFERED_BYTES: usize = 64 << 10;

/// Keeps the log going; what is still to be written is written when it is dropped.
#[derive(Debug)]
pub struct Telemetry {
    _guard: WorkerGuard,
    dropped: ErrorCounter,
}

impl Telemetry {
    /// Starts logging, and logs panics too.
    pub fn start(config: &Config) -> Telemetry {
        let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(BUFFERED_LINES);
        // The thread that writes flushes whenever it has caught up, so this only joins what comes faster than it writes.
        let (writer, guard) = builder.finish(BufWriter::with_capacity(BUFFERED_BYTES, stderr()));
        let dropped = writer.error_counter();
        let json = match config.log_format {
            LogFormat::Auto => !stderr().is_terminal(),
            LogFormat::Text => false,
            LogFormat::Json => true,
        };
        let base = fmt::fmt().with_env_filter(EnvFilter::new(&config.log_level)).with_writer(writer).with_target(false);
        let base = base.with_ansi(stderr().is_terminal());
        // Fails only where a subscriber is there already, and then that one logs.
        let _ = if json { base.event_format(JsonLines).try_init() } else { base.try_init() };
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(location = panic.location().map(tracing::field::display), "{panic}");
        }));
        Telemetry { _guard: guard, dropped }
    }

    /// Tells how many lines were dropped so far.
    pub fn dropped_lines(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let dropped = self.dropped.clone();
        move || dropped.dropped_lines()
    }
}
