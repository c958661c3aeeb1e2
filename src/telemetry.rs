//! Logs: one line an event, to stderr, as text for people or as JSON for programs.
//!
//! A thread of its own does the writing, and lines are dropped where it cannot keep up: whatever reads the log may stall,
//! the service may not.

use std::io::{self, IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, fmt};

use crate::{
    config::{Config, LogFormat},
    log_writer::{LogGuard, LogWriter},
};

/// Keeps the log going; what is still to be written is written when it is dropped.
#[derive(Debug)]
pub struct Telemetry {
    _guard: LogGuard,
    writer: LogWriter,
}

impl Telemetry {
    /// Starts logging, and logs panics too.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(config: &Config) -> io::Result<Telemetry> {
        let (writer, guard) = LogWriter::start(stderr())?;
        let make_writer = {
            let writer = writer.clone();
            move || writer.clone()
        };
        let json = match config.log_format {
            LogFormat::Auto => !stderr().is_terminal(),
            LogFormat::Text => false,
            LogFormat::Json => true,
        };
        let base =
            fmt::fmt().with_env_filter(EnvFilter::new(&config.log_level)).with_writer(make_writer).with_target(false);
        let base = base.with_ansi(stderr().is_terminal());
        // Fails only where a subscriber is there already, and then that one logs.
        let _ = if json {
            base.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init()
        } else {
            base.try_init()
        };
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(location = panic.location().map(tracing::field::display), "{panic}");
        }));
        Ok(Telemetry { _guard: guard, writer })
    }

    /// Tells how many lines were dropped so far.
    pub fn dropped_lines(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let writer = self.writer.clone();
        move || writer.dropped_lines()
    }
}
