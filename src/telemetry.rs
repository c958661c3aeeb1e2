//! Logs: one line an event, to stderr, as text for people or as JSON for programs.
//!
//! A thread of its own does the writing, and lines are dropped where it cannot keep up: whatever reads the log may stall,
//! the service may not.

mod json_lines;
mod writer;

use std::{
    io::{self, IsTerminal, stderr},
    sync::Arc,
};

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{Config, LogFormat};
use json_lines::JsonLines;
use writer::{Guard, Lines};

/// Keeps the log going; what is still to be written is written when it is dropped.
#[derive(Debug)]
pub struct Telemetry {
    lines: Arc<Lines>,
    _guard: Guard,
}

impl Telemetry {
    /// Starts logging, and logs panics too.
    pub fn start(config: &Config) -> io::Result<Telemetry> {
        let (lines, guard) = Lines::written_to(stderr())?;
        let writer = Arc::clone(&lines);
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
        Ok(Telemetry { lines, _guard: guard })
    }

    /// Tells how many lines were dropped so far.
    pub fn dropped_lines(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let lines = Arc::clone(&self.lines);
        move || lines.dropped()
    }
}
