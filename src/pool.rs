//! The one bridge from async to CPU work: permits, a bounded queue before them, and cancellation.
//!
//! Work runs on tokio's blocking threads, of which there are as many as permits. A blocking task cannot be aborted, and
//! tokio's own queue has no end, so work gets there only under a permit. Who has one goes on to the next work in the
//! queue before it gives the permit back: to hand each permit over through its waiting request would cost two switches
//! of threads a search, and more than most searches do. The permit stays with the thread: held by the waiting request it
//! would be given back by a disconnect while the thread is still busy. A request that is dropped leaves the queue, or
//! sets the flag that its search polls.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, task::spawn_blocking};

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
pub struct SolverPool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: PoolLimits,
    metrics: Arc<Metrics>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    closed: bool,
    permits_in_use: usize,
    /// By ticket, which is the order of arrival.
    waiting: BTreeMap<u64, Waiting>,
    next_ticket: u64,
}

struct Waiting {
    since: Instant,
    job: Job,
}

/// Work that sends its answer to whoever waits for it.
type Job = Box<dyn FnOnce() + Send>;

impl SolverPool {
    /// A pool with these limits, for a runtime with at least as many blocking threads as permits.
    pub fn new(limits: PoolLimits, metrics: Arc<Metrics>) -> SolverPool {
        metrics.permits.set(limits.permits as i64);
        SolverPool(Arc::new(Shared { limits, metrics, queue: Mutex::default() }))
    }

    /// Runs work on a thread of its own once a permit is free. The work is handed the signal to stop, which is set when
    /// its time is over, or when the future that waits for it is dropped.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce(&Stop) -> T + Send + 'static) -> Result<T, PoolError> {
        let (answer, mut answered) = oneshot::channel();
        let cancel = CancelOnDrop::default();
        let (cancelled, shared) = (Arc::clone(&cancel.0), Arc::clone(&self.0));
        let job = Box::new(move || {
            if cancelled.load(Ordering::Relaxed) {
                return;
            }
            // A limit beyond what the clock can tell is none.
            let stop = Stop::new(cancelled, Instant::now().checked_add(shared.limits.max_run));
            let done = catch_unwind(AssertUnwindSafe(|| work(&stop))).map_err(|_| {
                shared.metrics.panics.inc();
                PoolError::Panicked
            });
            // Nobody waits for what was cancelled.
            let _ = answer.send(done);
        });
        if let Some(place) = self.0.admit(job)? {
            let in_time = tokio::time::timeout(self.0.limits.max_wait, &mut answered).await;
            if in_time.is_err() && place.leave() {
                return Err(self.0.shed(ShedReason::QueueWait));
            }
            if let Ok(answer) = in_time {
                return answer.unwrap_or(Err(PoolError::ShuttingDown));
            }
        }
        // The work is gone without a word where the pool has closed, or where the runtime has before the work began.
        answered.await.unwrap_or(Err(PoolError::ShuttingDown))
    }

    /// Lets nothing in any more: what waits is refused at once, what runs goes on.
    pub fn close(&self) {
        let waiting = {
            let mut queue = self.0.queue();
            queue.closed = true;
            std::mem::take(&mut queue.waiting)
        };
        for waiting in waiting.into_values() {
            self.0.metrics.queue_depth.dec();
            self.0.waited(waiting.since);
            self.0.metrics.shed(ShedReason::ShuttingDown);
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing that could panic is done under the lock.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a job where a permit is free, else gives it a place in the queue.
    fn admit(self: &Arc<Shared>, job: Job) -> Result<Option<Place<'_>>, PoolError> {
        let mut queue = self.queue();
        if queue.closed {
            drop(queue);
            return Err(self.shed(ShedReason::ShuttingDown));
        }
        if queue.permits_in_use < self.limits.permits {
            queue.permits_in_use += 1;
            drop(queue);
            self.metrics.queue_wait.observe(0.0);
            let shared = Arc::clone(self);
            spawn_blocking(move || shared.work_from(job));
            return Ok(None);
        }
        if queue.waiting.len() >= self.limits.waiting_places {
            drop(queue);
            self.metrics.queue_wait.observe(0.0);
            return Err(self.shed(ShedReason::QueueFull));
        }
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.waiting.insert(ticket, Waiting { since: Instant::now(), job });
        self.metrics.queue_depth.inc();
        Ok(Some(Place { shared: self, ticket }))
    }

    /// Does a job, and then whatever waits: the use of one permit.
    fn work_from(&self, job: Job) {
        let _in_use = Counted::new(&self.metrics.permits_in_use);
        let mut next = Some(job);
        while let Some(job) = next {
            job();
            next = self.next();
        }
    }

    /// The job that has waited longest. Where none waits, the permit is given back.
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue();
        let Some((_, Waiting { since, job })) = queue.waiting.pop_first() else {
            queue.permits_in_use -= 1;
            return None;
        };
        drop(queue);
        self.metrics.queue_depth.dec();
        self.waited(since);
        Some(job)
    }

    /// Those that waited in vain are counted too: a histogram of the lucky ones would look best when things are worst.
    fn waited(&self, since: Instant) {
        self.metrics.queue_wait.observe(since.elapsed().as_secs_f64());
    }

    fn shed(&self, reason: ShedReason) -> PoolError {
        self.metrics.shed(reason);
        reason.into()
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Queue { closed, permits_in_use, waiting, .. } = self;
        write!(f, "Queue {{ closed: {closed}, permits_in_use: {permits_in_use}, waiting: {} }}", waiting.len())
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

/// A place in the queue, left when the job is taken, or when nobody waits for it any more.
struct Place<'a> {
    shared: &'a Shared,
    ticket: u64,
}

impl Place<'_> {
    /// Leaves the queue; `false` where the job had been taken already.
    fn leave(&self) -> bool {
        let left = self.shared.queue().waiting.remove(&self.ticket);
        left.map(|waiting| {
            self.shared.metrics.queue_depth.dec();
            self.shared.waited(waiting.since);
        })
        .is_some()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Sets its flag when the future that holds it goes away, finished or not.
#[derive(Default)]
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
        until("the first runs", || pool.0.metrics.permits_in_use.get() == 1).await;
        let second = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(|_| 2).await }
        });
        until("the second waits", || pool.0.metrics.queue_depth.get() == 1).await;
        assert_eq!(pool.run(|_| 3).await, Err(PoolError::Overloaded));
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!(second.await.unwrap(), Ok(2));
        assert_eq!(pool.run(|_| 4).await, Ok(4));
        assert_eq!((pool.0.metrics.permits_in_use.get(), pool.0.metrics.queue_depth.get()), (0, 0));
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let pool = pool(1, 1, Duration::from_millis(20));
        let (_release, _first) = occupy(&pool);
        until("the first runs", || pool.0.metrics.permits_in_use.get() == 1).await;
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::Overloaded));
        assert_eq!(pool.0.metrics.queue_depth.get(), 0);
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
        until("it runs", || pool.0.metrics.permits_in_use.get() == 1).await;
        request.abort();
        assert!(request.await.unwrap_err().is_cancelled());
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::Overloaded), "the thread is still busy");
        drop(finish);
        until("the permit is back", || pool.0.metrics.permits_in_use.get() == 0).await;
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
        assert_eq!(pool.0.metrics.panics.get(), 1);
        assert_eq!(pool.run(|_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn once_closed_the_waiting_are_refused_and_the_running_end() {
        let pool = pool(1, 1, LONG);
        let (release, first) = occupy(&pool);
        until("the first runs", || pool.0.metrics.permits_in_use.get() == 1).await;
        let second = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(|_| ()).await }
        });
        until("the second waits", || pool.0.metrics.queue_depth.get() == 1).await;
        pool.close();
        assert_eq!(second.await.unwrap(), Err(PoolError::ShuttingDown));
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::ShuttingDown));
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
    }
}
