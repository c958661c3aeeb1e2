//! The one bridge from async to CPU work: permits, a bounded queue before them, and cancellation.
//!
//! Work runs on tokio's blocking threads, of which there are as many as permits. A blocking task cannot be aborted, and
//! tokio's own queue has no end, so work gets there only under a permit, and the permit moves *into* it: held by the
//! waiting request it would be given back by a disconnect while the thread is still busy. A request that is dropped
//! sets the flag that its search polls, and work whose request is gone by then is not started.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    metrics::{Counted, Metrics, ShedReason},
    solver::Stop,
};

/// How much a pool takes on.
#[derive(Debug, Clone, Copy)]
pub struct PoolLimits {
    /// Work that runs at the same time.
    pub permits: usize,
    /// Work that may wait for a permit.
    pub waiting_places: usize,
    /// How long it may wait.
    pub max_wait: Duration,
    /// How long it may run, from its start.
    pub max_run: Duration,
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// It was not started: too much other work is there.
    #[error("too much other work")]
    Overloaded,
    /// It was not started: the service is shutting down.
    #[error("shutting down")]
    ShuttingDown,
    /// It panicked.
    #[error("the work panicked")]
    Panicked,
}

/// Runs CPU work under a fixed number of permits.
#[derive(Debug)]
pub struct SolverPool {
    limits: PoolLimits,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    metrics: Arc<Metrics>,
}

impl SolverPool {
    /// A pool with these limits, for a runtime with at least as many blocking threads as permits.
    pub fn new(limits: PoolLimits, metrics: Arc<Metrics>) -> SolverPool {
        metrics.permits.set(limits.permits as i64);
        SolverPool { limits, permits: Arc::new(Semaphore::new(limits.permits)), waiting: AtomicUsize::new(0), metrics }
    }

    /// Runs work on a thread of its own once a permit is free. The work is handed the signal to stop, which is set when
    /// its time is over, or when the future that waits for it is dropped.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce(&Stop) -> T + Send + 'static) -> Result<T, PoolError> {
        let permit = self.admit().await?;
        let cancel = CancelOnDrop(Arc::default());
        let cancelled = Arc::clone(&cancel.0);
        let max_run = self.limits.max_run;
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            if cancelled.load(Ordering::Relaxed) {
                return None;
            }
            // A limit beyond what the clock can tell is none.
            Some(work(&Stop::new(cancelled, Instant::now().checked_add(max_run))))
        });
        match task.await {
            Ok(Some(done)) => Ok(done),
            Ok(None) => Err(PoolError::ShuttingDown),
            Err(error) if error.is_panic() => {
                self.metrics.panics.inc();
                Err(PoolError::Panicked)
            }
            // The runtime took the task away before it began.
            Err(_) => Err(PoolError::ShuttingDown),
        }
    }

    /// Lets nothing in any more: what waits is refused at once, what runs goes on.
    pub fn close(&self) {
        self.permits.close();
    }

    async fn admit(&self) -> Result<Permit, PoolError> {
        let began = Instant::now();
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => Ok(permit),
            Err(_) => self.wait().await,
        };
        // Those that waited in vain count too: a histogram of the lucky ones would look best when things are worst.
        self.metrics.queue_wait.observe(began.elapsed().as_secs_f64());
        let permit = permit.inspect_err(|&reason| self.metrics.shed(reason))?;
        Ok(Permit { _permit: permit, _in_use: Counted::new(&self.metrics.permits_in_use) })
    }

    async fn wait(&self) -> Result<OwnedSemaphorePermit, ShedReason> {
        if self.permits.is_closed() {
            return Err(ShedReason::ShuttingDown);
        }
        let _place = Place::take(&self.waiting, self.limits.waiting_places).ok_or(ShedReason::QueueFull)?;
        let _depth = Counted::new(&self.metrics.queue_depth);
        match tokio::time::timeout(self.limits.max_wait, Arc::clone(&self.permits).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_closed)) => Err(ShedReason::ShuttingDown),
            Err(_elapsed) => Err(ShedReason::QueueWait),
        }
    }
}

impl From<ShedReason> for PoolError {
    fn from(reason: ShedReason) -> PoolError {
        match reason {
            ShedReason::ShuttingDown => PoolError::ShuttingDown,
            ShedReason::QueueFull | ShedReason::QueueWait | ShedReason::Batches => PoolError::Overloaded,
        }
    }
}

/// The right to run, given back when the work is over.
struct Permit {
    _permit: OwnedSemaphorePermit,
    _in_use: Counted,
}

/// A place in the queue.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn take(taken: &AtomicUsize, places: usize) -> Option<Place<'_>> {
        let more = |now| (now < places).then_some(now + 1);
        taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Place(taken))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sets its flag when the future that holds it goes away, finished or not.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn pool(permits: usize, waiting_places: usize, max_wait: Duration) -> Arc<SolverPool> {
        let limits = PoolLimits { permits, waiting_places, max_wait, max_run: Duration::from_secs(60) };
        Arc::new(SolverPool::new(limits, Arc::default()))
    }

    const LONG: Duration = Duration::from_secs(60);

    /// Work that takes the pool's one permit until the sender is dropped.
    fn occupy(pool: &Arc<SolverPool>) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), PoolError>>) {
        let (release, wait) = mpsc::channel::<()>();
        let pool = Arc::clone(pool);
        let task = tokio::spawn(async move { pool.run(move |_| wait.recv().unwrap_or_default()).await });
        (release, task)
    }

    async fn until(what: &str, condition: impl Fn() -> bool) {
        for _ in 0..5000 {
            if condition() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        panic!("not within ten seconds: {what}");
    }

    #[tokio::test]
    async fn a_full_queue_is_refused_and_a_free_permit_taken() {
        let pool = pool(1, 1, LONG);
        let (release, first) = occupy(&pool);
        until("the first runs", || pool.metrics.permits_in_use.get() == 1).await;
        let second = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(|_| 2).await }
        });
        until("the second waits", || pool.metrics.queue_depth.get() == 1).await;
        assert_eq!(pool.run(|_| 3).await, Err(PoolError::Overloaded));
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!(second.await.unwrap(), Ok(2));
        assert_eq!(pool.run(|_| 4).await, Ok(4));
        assert_eq!((pool.metrics.permits_in_use.get(), pool.metrics.queue_depth.get()), (0, 0));
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let pool = pool(1, 1, Duration::from_millis(20));
        let (_release, _first) = occupy(&pool);
        until("the first runs", || pool.metrics.permits_in_use.get() == 1).await;
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::Overloaded));
        assert_eq!(pool.metrics.queue_depth.get(), 0);
    }

    #[tokio::test]
    async fn a_dropped_request_stops_its_work_and_keeps_the_permit_until_then() {
        let pool = pool(1, 0, LONG);
        let (finish, may_finish) = mpsc::channel::<()>();
        let request = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move {
                pool.run(move |stop| {
                    while !stop.is_set() {
                        std::hint::spin_loop();
                    }
                    let _ = may_finish.recv();
                })
                .await
            }
        });
        until("it runs", || pool.metrics.permits_in_use.get() == 1).await;
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::Overloaded), "the thread is still busy");
        drop(finish);
        until("the permit is back", || pool.metrics.permits_in_use.get() == 0).await;
    }

    #[tokio::test]
    async fn work_is_stopped_when_its_time_is_over() {
        let limits = PoolLimits { permits: 1, waiting_places: 0, max_wait: LONG, max_run: Duration::from_millis(20) };
        let pool = SolverPool::new(limits, Arc::default());
        let stopped = pool.run(|stop| {
            while !stop.is_set() {
                std::hint::spin_loop();
            }
        });
        assert_eq!(stopped.await, Ok(()));
    }

    #[tokio::test]
    async fn a_panic_costs_one_answer_and_no_permit() {
        let pool = pool(1, 0, LONG);
        let panics = |_: &Stop| -> () { panic!("for the test") };
        assert_eq!(pool.run(panics).await, Err(PoolError::Panicked));
        assert_eq!(pool.metrics.panics.get(), 1);
        assert_eq!(pool.run(|_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn once_closed_the_waiting_are_refused_and_the_running_end() {
        let pool = pool(1, 1, LONG);
        let (release, first) = occupy(&pool);
        until("the first runs", || pool.metrics.permits_in_use.get() == 1).await;
        let second = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(|_| ()).await }
        });
        until("the second waits", || pool.metrics.queue_depth.get() == 1).await;
        pool.close();
        assert_eq!(second.await.unwrap(), Err(PoolError::ShuttingDown));
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::ShuttingDown));
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
    }
}
