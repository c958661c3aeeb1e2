//! The signal that ends a search from outside.

use std::{
    cell::Cell,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Ends a search early: a flag that somebody may set, a moment that may pass, or neither.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    cancel: Option<Arc<AtomicBool>>,
    deadline: Option<Instant>,
    interlude: Option<Interlude>,
    /// How long interludes have taken since the deadline was set.
    rested: Cell<Duration>,
}

/// Something that is done in the middle of a search, and how long it took.
#[derive(Clone)]
struct Interlude(Arc<dyn Fn() -> Duration + Send + Sync>);

impl fmt::Debug for Interlude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interlude")
    }
}

impl Stop {
    /// Never stops a search.
    pub const fn never() -> Stop {
        Stop { cancel: None, deadline: None, interlude: None, rested: Cell::new(Duration::ZERO) }
    }

    /// Stops a search when the flag is set, or when the deadline has passed.
    pub const fn new(cancel: Arc<AtomicBool>, deadline: Option<Instant>) -> Stop {
        Stop { cancel: Some(cancel), deadline, interlude: None, rested: Cell::new(Duration::ZERO) }
    }

    /// Has something else done on the search's thread whenever the search looks at the signal. It tells how long that took,
    /// and the deadline comes so much later.
    pub fn with_interlude(self, interlude: impl Fn() -> Duration + Send + Sync + 'static) -> Stop {
        Stop { interlude: Some(Interlude(Arc::new(interlude))), ..self }
    }

    /// Lets another moment be the deadline, or none.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.rested.set(Duration::ZERO);
    }

    /// The same flag, without the deadline.
    pub fn without_deadline(&self) -> Stop {
        Stop { cancel: self.cancel.clone(), ..Stop::never() }
    }

    /// How long interludes have taken since the deadline was set.
    pub const fn rested(&self) -> Duration {
        self.rested.get()
    }

    /// Whether somebody has set the flag.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Whether the search is to end. An interlude comes first, so this may take its time; the search's own does not go on
    /// meanwhile.
    pub fn is_set(&self) -> bool {
        if let Some(Interlude(interlude)) = &self.interlude {
            self.rested.set(self.rested.get() + interlude());
        }
        let passed = |deadline: Instant| Instant::now().saturating_duration_since(deadline) > self.rested.get();
        self.is_cancelled() || self.deadline.is_some_and(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interludes_do_not_count() {
        let mut stop = Stop::new(Arc::default(), None).with_interlude(|| Duration::from_secs(60));
        stop.set_deadline(Instant::now().checked_sub(Duration::from_secs(90)));
        assert!(stop.is_set(), "a minute of the ninety seconds");
        assert!(!stop.is_set(), "two of them");
        assert_eq!(stop.rested(), Duration::from_secs(120));
        stop.set_deadline(Instant::now().checked_sub(Duration::from_secs(90)));
        assert!(stop.is_set());
    }
}
