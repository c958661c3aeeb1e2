//! Where the service is in its life: starting, ready, draining, closing, stopped.

use tokio::sync::watch;

/// A stage of the service's life; it only goes forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not listening yet.
    Starting,
    /// Serving.
    Ready,
    /// Asked to stop: still serving, and telling balancers to send nothing more.
    Draining,
    /// Takes nothing new; what is in flight may end.
    Closing,
    /// What is still in flight is cut off.
    Stopped,
}

/// The phase, for all who have to know it.
#[derive(Debug, Clone)]
pub struct Lifecycle(watch::Sender<Phase>);

impl Default for Lifecycle {
    fn default() -> Lifecycle {
        Lifecycle(watch::Sender::new(Phase::Starting))
    }
}

impl Lifecycle {
    /// The phase now.
    pub fn phase(&self) -> Phase {
        *self.0.borrow()
    }

    /// Goes on to a phase; never back.
    pub fn advance(&self, phase: Phase) {
        self.0.send_if_modified(|now| {
            let later = phase > *now;
            *now = phase.max(*now);
            later
        });
    }

    /// Waits until this phase, or a later one, is reached.
    pub async fn reached(&self, phase: Phase) {
        // The sender lives in `self`, so this cannot fail.
        let _ = self.0.subscribe().wait_for(|now| *now >= phase).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_only_goes_forward() {
        let lifecycle = Lifecycle::default();
        lifecycle.advance(Phase::Draining);
        lifecycle.advance(Phase::Ready);
        assert_eq!(lifecycle.phase(), Phase::Draining);
    }
}
