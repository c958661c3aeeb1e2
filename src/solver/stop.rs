//! The signal that ends a search from outside.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// Ends a search early: a flag that somebody may set, a moment that may pass, or neither.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    cancel: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Never stops a search.
    pub const fn never() -> Stop {
        Stop { cancel: None, deadline: None }
    }

    /// Stops a search when the flag is set, or when the deadline has passed.
    pub const fn new(cancel: Arc<AtomicBool>, deadline: Option<Instant>) -> Stop {
        Stop { cancel: Some(cancel), deadline }
    }

    /// Lets another moment be the deadline, or none.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The same flag, without the deadline.
    pub fn without_deadline(&self) -> Stop {
        Stop { cancel: self.cancel.clone(), deadline: None }
    }

    /// Whether somebody has set the flag.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Whether the search is to end.
    pub fn is_set(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
