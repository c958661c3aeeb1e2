//! The one bridge from async to CPU work: permits, a bounded queue before them, and cancellation.
//!
//! Work runs on tokio's blocking threads, of which there are as many as permits. A blocking task cannot be aborted, and
//! tokio's own queue has no end, so work gets there only under a permit. Who has one goes on to the next work in the
//! queue before it gives the permit back: to hand each permit over through its waiting request would cost two switches
//! of threads a search, and more than most searches do. The permit stays with the thread: held by the waiting request it
//! would be given back by a disconnect while the thread is still busy. A request that is dropped leaves the queue, or
//! sets the flag that its search polls.
//!
//! Batches come second: their work comes in slices of a millisecond or two, and a slice begins only where no request
//! waits. A search that takes longer than its slice cannot be left in the middle, so it is interrupted on its own thread:
//! that does the waiting requests, and then goes on. So batches take whatever is left of the permits, and cost a request a
//! millisecond or two of waiting.

use std::{
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use prometheus_client::metrics::counter::Counter;
use tokio::{sync::oneshot, task::spawn_blocking};

use crate::{
    metrics::{Metrics, ShedReason},
    solver::Stop,
};

/// How much a pool takes on.
#[derive(Debug, Clone, Copy)]
pub struct PoolLimits {
    /// Work that runs at the same time.
    pub permits: usize,
    /// How many of these may be slices of batches.
    pub batch_permits: usize,
    /// Requests that may wait for a permit.
    pub waiting_places: usize,
    /// How long they may wait.
    pub max_wait: Duration,
    /// How long the work of one may run, from its start.
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
    /// How many requests wait, as the queue below says, to be read without its lock.
    waiting: AtomicUsize,
    metrics: Arc<Metrics>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    closed: bool,
    permits_in_use: usize,
    /// How many of them are in use for batches.
    batch_permits_in_use: usize,
    /// By ticket, which is the order of arrival.
    waiting: BTreeMap<u64, Waiting>,
    next_ticket: u64,
    /// Each batch's work goes to the end after every slice, so that they take turns.
    batches: VecDeque<Sliced>,
}

struct Waiting {
    since: Instant,
    job: Box<dyn Job>,
}

/// Work of a request. Its answer is handed over after the permit has been passed on: who has the answer finds the place
/// free.
trait Job: Send {
    fn run(&mut self);
    fn hand_over(self: Box<Self>);
}

/// Work that is called again and again until it says that it is done.
type Sliced = Box<dyn FnMut() -> Progress + Send>;

/// How far work in slices has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    More,
    /// It is done.
    Done,
}

/// What a permit is used for.
enum Work {
    Request(Box<dyn Job>),
    Batch(Sliced),
}

impl SolverPool {
    /// A pool with these limits, for a runtime with at least as many blocking threads as permits.
    pub fn new(limits: PoolLimits, metrics: Arc<Metrics>) -> SolverPool {
        metrics.permits.set(limits.permits as i64);
        SolverPool(Arc::new(Shared { limits, waiting: AtomicUsize::new(0), metrics, queue: Mutex::default() }))
    }

    /// Runs work on a thread of its own once a permit is free. The work is handed the signal to stop, which is set when
    /// its time is over, or when the future that waits for it is dropped.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce(&Stop) -> T + Send + 'static) -> Result<T, PoolError> {
        let (answer, mut answered) = oneshot::channel();
        let cancel = CancelOnDrop::default();
        let (cancelled, max_run) = (cancel.flag(), self.0.limits.max_run);
        let work = move || {
            // A limit beyond what the clock can tell is none.
            let stop = Stop::new(cancelled, Instant::now().checked_add(max_run));
            // What was cancelled while it waited is not started, and nobody waits for its answer.
            (!stop.is_cancelled()).then(|| work(&stop))
        };
        let job = Box::new(Pending { work: Some(work), done: None, answer, panics: self.0.metrics.panics.clone() });
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

    /// Takes on work in slices, each of which has to end after a millisecond or two, or when [`SolverPool::is_wanted`]. It
    /// is dropped undone where the pool is closed; who waits for it has to hear of that from somewhere else.
    pub fn run_slices(&self, work: impl FnMut() -> Progress + Send + 'static) {
        let mut queue = self.0.queue();
        if queue.closed {
            return;
        }
        queue.batches.push_back(Box::new(work));
        if queue.permits_in_use < self.0.limits.permits
            && let Some(work) = self.0.next_slice(&mut queue)
        {
            queue.permits_in_use += 1;
            drop(queue);
            self.0.start(work);
        }
    }

    /// What a slice has to do now and then in the middle of a search: what a request waits for. It tells how long that took.
    /// One a time, so that the search sees in between whether it is still wanted.
    pub fn interlude(&self) -> impl Fn() -> Duration + Send + Sync + 'static {
        let shared = Arc::clone(&self.0);
        move || {
            // A glance, since there is nothing to do nearly always.
            if shared.waiting.load(Ordering::Relaxed) == 0 {
                return Duration::ZERO;
            }
            let began = Instant::now();
            let next = shared.next_request(&mut shared.queue());
            if let Some(mut job) = next {
                job.run();
                job.hand_over();
            }
            began.elapsed()
        }
    }

    /// Whether a request waits, so that a slice had better end.
    pub fn is_wanted(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed) > 0
    }

    /// Lets nothing in any more: what waits is refused at once, what runs goes on, and slices end with the one that runs.
    pub fn close(&self) {
        let (waiting, batches) = {
            let mut queue = self.0.queue();
            queue.closed = true;
            self.0.waiting.store(0, Ordering::Relaxed);
            (std::mem::take(&mut queue.waiting), std::mem::take(&mut queue.batches))
        };
        drop(batches);
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
    fn admit(self: &Arc<Shared>, job: Box<dyn Job>) -> Result<Option<Place<'_>>, PoolError> {
        let mut queue = self.queue();
        if queue.closed {
            drop(queue);
            return Err(self.shed(ShedReason::ShuttingDown));
        }
        if queue.permits_in_use < self.limits.permits {
            queue.permits_in_use += 1;
            drop(queue);
            self.metrics.queue_wait.observe(0.0);
            self.start(Work::Request(job));
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
        self.waiting.store(queue.waiting.len(), Ordering::Relaxed);
        self.metrics.queue_depth.inc();
        Ok(Some(Place { shared: self, ticket }))
    }

    /// Puts a permit to use that was taken for this work: it is done, and then whatever waits.
    fn start(self: &Arc<Shared>, work: Work) {
        self.metrics.permits_in_use.inc();
        let shared = Arc::clone(self);
        spawn_blocking(move || {
            let mut next = Some(work);
            while let Some(work) = next {
                next = match work {
                    Work::Request(mut job) => {
                        job.run();
                        let next = shared.next(None);
                        job.hand_over();
                        next
                    }
                    Work::Batch(mut sliced) => {
                        // Who panics is not called again.
                        let progress = catch_unwind(AssertUnwindSafe(&mut sliced)).unwrap_or_else(|_| {
                            shared.metrics.panics.inc();
                            Progress::Done
                        });
                        // Whoever waits for the core, and be it to read a request, goes before the next slice.
                        std::thread::yield_now();
                        shared.next(Some((sliced, progress)))
                    }
                };
            }
        });
    }

    /// What to do next with a permit, after a slice or a request: the request that has waited longest, else a slice. Where
    /// there is neither, the permit is given back.
    fn next(&self, slice: Option<(Sliced, Progress)>) -> Option<Work> {
        let mut queue = self.queue();
        if let Some((sliced, progress)) = slice {
            queue.batch_permits_in_use -= 1;
            if progress == Progress::More && !queue.closed {
                queue.batches.push_back(sliced);
            }
        }
        let work = self.next_request(&mut queue).map(Work::Request).or_else(|| self.next_slice(&mut queue));
        if work.is_none() {
            queue.permits_in_use -= 1;
            self.metrics.permits_in_use.dec();
        }
        work
    }

    fn next_request(&self, queue: &mut Queue) -> Option<Box<dyn Job>> {
        let (_, Waiting { since, job }) = queue.waiting.pop_first()?;
        self.waiting.store(queue.waiting.len(), Ordering::Relaxed);
        self.metrics.queue_depth.dec();
        self.waited(since);
        Some(job)
    }

    fn next_slice(&self, queue: &mut Queue) -> Option<Work> {
        if queue.batch_permits_in_use == self.limits.batch_permits {
            return None;
        }
        let sliced = queue.batches.pop_front()?;
        queue.batch_permits_in_use += 1;
        Some(Work::Batch(sliced))
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
        let mut queue = f.debug_struct("Queue");
        queue.field("closed", &self.closed).field("permits_in_use", &self.permits_in_use);
        queue.field("waiting", &self.waiting.len()).field("batches", &self.batches.len()).finish()
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

/// The work of a request, and where its answer goes.
struct Pending<F, T> {
    work: Option<F>,
    done: Option<Result<T, PoolError>>,
    answer: oneshot::Sender<Result<T, PoolError>>,
    panics: Counter,
}

impl<T: Send, F: FnOnce() -> Option<T> + Send> Job for Pending<F, T> {
    fn run(&mut self) {
        let Some(work) = self.work.take() else { return };
        self.done = catch_unwind(AssertUnwindSafe(work)).map(|done| done.map(Ok)).unwrap_or_else(|_| {
            self.panics.inc();
            Some(Err(PoolError::Panicked))
        });
    }

    fn hand_over(self: Box<Self>) {
        if let Some(done) = self.done {
            // Nobody waits for what was cancelled.
            let _ = self.answer.send(done);
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
        let mut queue = self.shared.queue();
        let left = queue.waiting.remove(&self.ticket);
        self.shared.waiting.store(queue.waiting.len(), Ordering::Relaxed);
        drop(queue);
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
#[derive(Debug, Default)]
pub struct CancelOnDrop(Arc<AtomicBool>);

impl CancelOnDrop {
    /// The flag, for the work that is to stop then.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    // A slice takes its time on a thread that may block.
    #![allow(clippy::disallowed_methods)]

    use std::sync::mpsc;

    use super::*;

    fn limits(permits: usize, waiting_places: usize, max_wait: Duration) -> PoolLimits {
        PoolLimits { permits, batch_permits: permits, waiting_places, max_wait, max_run: LONG }
    }

    fn pool(permits: usize, waiting_places: usize, max_wait: Duration) -> Arc<SolverPool> {
        Arc::new(SolverPool::new(limits(permits, waiting_places, max_wait), Arc::default()))
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
        let limits = PoolLimits { max_run: Duration::from_millis(20), ..limits(1, 0, LONG) };
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

    /// Slices that tell when they run, and end after so many.
    fn slices(count: usize, tell: mpsc::Sender<&'static str>, name: &'static str) -> impl FnMut() -> Progress {
        let mut left = count;
        move || {
            std::thread::sleep(Duration::from_millis(1));
            let _ = tell.send(name);
            left -= 1;
            if left == 0 { Progress::Done } else { Progress::More }
        }
    }

    #[tokio::test]
    async fn batches_take_turns_and_a_request_goes_first() {
        let pool = pool(1, 1, LONG);
        let (tell, told) = mpsc::channel();
        let (release, first) = occupy(&pool);
        until("the first runs", || pool.0.metrics.permits_in_use.get() == 1).await;
        pool.run_slices(slices(3, tell.clone(), "a"));
        pool.run_slices(slices(2, tell.clone(), "b"));
        let second = tokio::spawn({
            let (pool, tell) = (Arc::clone(&pool), tell.clone());
            async move { pool.run(move |_| tell.send("request").unwrap()).await }
        });
        until("the second waits", || pool.0.metrics.queue_depth.get() == 1).await;
        drop((release, tell));
        first.await.unwrap().unwrap();
        second.await.unwrap().unwrap();
        let order = tokio::task::spawn_blocking(move || told.iter().collect::<Vec<_>>());
        // The one blocking thread of the test's runtime is not the pool's only one.
        assert_eq!(order.await.unwrap(), ["request", "a", "b", "a", "b", "a"]);
        until("the permit is back", || pool.0.metrics.permits_in_use.get() == 0).await;
    }

    #[tokio::test]
    async fn batches_take_every_permit_but_those_that_are_kept_from_them() {
        for (batch_permits, expected) in [(3, 3), (2, 2), (1, 1)] {
            let limits = PoolLimits { batch_permits, ..limits(3, 0, LONG) };
            let pool = Arc::new(SolverPool::new(limits, Arc::default()));
            let running = Arc::new(Mutex::new((0, 0)));
            for _ in 0..5 {
                let running = Arc::clone(&running);
                let mut left = 4;
                pool.run_slices(move || {
                    let count = |change: i32| {
                        let mut running = running.lock().unwrap();
                        running.0 += change;
                        running.1 = running.1.max(running.0);
                    };
                    count(1);
                    std::thread::sleep(Duration::from_millis(3));
                    count(-1);
                    left -= 1;
                    if left == 0 { Progress::Done } else { Progress::More }
                });
            }
            until("all are done", || pool.0.metrics.permits_in_use.get() == 0).await;
            assert_eq!(running.lock().unwrap().1, expected);
        }
    }

    #[tokio::test]
    async fn once_closed_slices_end() {
        let pool = pool(1, 0, LONG);
        let (tell, told) = mpsc::channel();
        pool.run_slices(slices(usize::MAX, tell.clone(), "a"));
        pool.run_slices(slices(1, tell.clone(), "b"));
        pool.close();
        pool.run_slices(slices(1, tell, "c"));
        until("the permit is back", || pool.0.metrics.permits_in_use.get() == 0).await;
        assert!(told.iter().count() <= 3, "and nobody is left who could tell more");
    }
}
