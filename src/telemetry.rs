//! Logs: one line an event, to stderr, as text for people or as JSON for programs.
//!
//! A thread of its own does the writing, and lines are dropped where it cannot keep up: whatever reads the log may stall,
//! the service may not.

use std::io::{IsTerminal, stderr};

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{Config, LogFormat};

/// Keeps the log going; what is still to be written is written when it is dropped.
#[derive(Debug)]
pub struct Telemetry {
    _guard: WorkerGuard,
    dropped: ErrorCounter,
}

impl Telemetry {
    /// Starts logging, and logs panics too.
    pub fn start(config: &Config) -> Telemetry {
        let (writer, guard) = NonBlockingBuilder::default().lossy(true).finish(stderr());
        let dropped = writer.error_counter();
        let json = match config.log_format {
            LogFormat::Auto => !stderr().is_terminal(),
            LogFormat::Text => false,
            LogFormat::Json => true,
        };
        let base = fmt::fmt().with_env_filter(EnvFilter::new(&config.log_level)).with_writer(writer).with_target(false);
        // Fails only where a subscriber is there already, and then that one logs.
        let _ = if json { base.json().flatten_event(true).try_init() } else { base.try_init() };
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(location = panic.location().map(tracing::field::display), "{panic}");
        }));
        Telemetry { _guard: guard, dropped }
    }

    /// How many lines were dropped so far.
    pub fn dropped_lines(&self) -> usize {
        self.dropped.dropped_lines()
    }
}
