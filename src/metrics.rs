//! The closed set of metrics, and how they are written out.
//!
//! Every label has a fixed set of values, so no request can add a series of its own.

use std::{fmt, sync::atomic::Ordering};

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::Registry,
};

/// 100 µs to 10 s.
const SECONDS: [f64; 16] =
    [1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// How one request is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    /// A method of the API, or `other`.
    pub method: &'static str,
    /// The matched route, or `unmatched`.
    pub route: &'static str,
    /// The status.
    pub status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    endpoint: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlgorithmLabel {
    algorithm: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Why a request was refused without being started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShedReason {
    /// No place was left in the queue.
    QueueFull,
    /// It waited as long as a request may.
    QueueWait,
    /// The service is shutting down.
    ShuttingDown,
    /// As many batches as may run were running.
    Batches,
}

impl ShedReason {
    const ALL: [ShedReason; 4] =
        [ShedReason::QueueFull, ShedReason::QueueWait, ShedReason::ShuttingDown, ShedReason::Batches];

    const fn name(self) -> &'static str {
        match self {
            ShedReason::QueueFull => "queue_full",
            ShedReason::QueueWait => "queue_wait",
            ShedReason::ShuttingDown => "shutting_down",
            ShedReason::Batches => "batches",
        }
    }
}

/// Who counts the log lines that were dropped: the log itself, so that count is fetched when it is asked for.
struct DroppedLines(Box<dyn Fn() -> usize + Send + Sync>);

impl fmt::Debug for DroppedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DroppedLines").field(&(self.0)()).finish()
    }
}

/// Counts in a gauge as long as it lives.
#[derive(Debug)]
pub struct Counted(Gauge);

impl Counted {
    /// Counts one more.
    pub fn new(gauge: &Gauge) -> Counted {
        gauge.inc();
        Counted(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// All metrics of one running service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabel, Histogram, fn() -> Histogram>,
    outcomes: Family<OutcomeLabels, Counter>,
    nodes: Family<AlgorithmLabel, Histogram, fn() -> Histogram>,
    shed: Family<ReasonLabel, Counter>,
    /// Searches that may run at the same time.
    pub permits: Gauge,
    /// Searches that are running.
    pub permits_in_use: Gauge,
    /// Requests that wait for a permit.
    pub queue_depth: Gauge,
    /// How long requests waited for a permit, in seconds.
    pub queue_wait: Histogram,
    /// Open connections.
    pub connections: Gauge,
    /// Batches that are running.
    pub batch_streams: Gauge,
    /// Lines that batches have answered.
    pub batch_lines: Counter,
    log_lines_dropped: Counter,
    dropped_lines: DroppedLines,
    /// Panics that were caught.
    pub panics: Counter,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new(|| 0)
    }
}

impl Metrics {
    /// Nothing counted yet, but for the dropped log lines, whose count comes from here.
    pub fn new(dropped_lines: impl Fn() -> usize + Send + Sync + 'static) -> Metrics {
        let seconds: fn() -> Histogram = || Histogram::new(SECONDS);
        let nodes: fn() -> Histogram = || Histogram::new([0.0].into_iter().chain(exponential_buckets(1.0, 10.0, 8)));
        let metrics = Metrics {
            registry: Registry::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(seconds),
            outcomes: Family::default(),
            nodes: Family::new_with_constructor(nodes),
            shed: Family::default(),
            permits: Gauge::default(),
            permits_in_use: Gauge::default(),
            queue_depth: Gauge::default(),
            queue_wait: seconds(),
            connections: Gauge::default(),
            batch_streams: Gauge::default(),
            batch_lines: Counter::default(),
            log_lines_dropped: Counter::default(),
            dropped_lines: DroppedLines(Box::new(dropped_lines)),
            panics: Counter::default(),
        };
        metrics.registered()
    }

    fn registered(mut self) -> Metrics {
        let mut registry = Registry::default();
        // The client adds `_total` to counters and `_info` to infos by itself.
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register("http_request_duration_seconds", "Time from head to answer", self.durations.clone());
        registry.register("solver_outcomes", "Searches by how they ended", self.outcomes.clone());
        registry.register("solver_nodes", "Nodes of a search", self.nodes.clone());
        registry.register("solver_permits", "Searches that may run at the same time", self.permits.clone());
        registry.register("solver_permits_in_use", "Searches that are running", self.permits_in_use.clone());
        registry.register("solver_queue_depth", "Requests that wait for a permit", self.queue_depth.clone());
        registry.register(
            "solver_queue_wait_seconds",
            "Time that requests waited for a permit",
            self.queue_wait.clone(),
        );
        registry.register("requests_shed", "Requests refused without being started", self.shed.clone());
        registry.register("connections_open", "Open connections", self.connections.clone());
        registry.register("batch_streams", "Batches that are running", self.batch_streams.clone());
        registry.register("batch_lines", "Lines that batches have answered", self.batch_lines.clone());
        registry.register("log_lines_dropped", "Log lines dropped for a slow reader", self.log_lines_dropped.clone());
        registry.register("panics", "Panics that were caught", self.panics.clone());
        registry.register("build", "The running version", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        self.registry = registry;
        // So that a rate can be taken from the first event on.
        for reason in ShedReason::ALL {
            let _ = self.shed.get_or_create(&ReasonLabel { reason: reason.name() });
        }
        self
    }

    /// Counts a request that was answered.
    pub fn request(&self, labels: &RequestLabels, seconds: f64) {
        self.durations.get_or_create(&RouteLabel { route: labels.route }).observe(seconds);
        self.requests.get_or_create(labels).inc();
    }

    /// Counts how so many searches of an endpoint ended.
    pub fn outcomes(&self, endpoint: &'static str, outcome: &'static str, count: u64) {
        self.outcomes.get_or_create(&OutcomeLabels { endpoint, outcome }).inc_by(count);
    }

    /// Where the nodes of an algorithm's searches are counted.
    pub fn nodes_of(&self, algorithm: &'static str) -> Histogram {
        self.nodes.get_or_create(&AlgorithmLabel { algorithm }).clone()
    }

    /// Counts a request that was refused without being started.
    pub fn shed(&self, reason: ShedReason) {
        self.shed.get_or_create(&ReasonLabel { reason: reason.name() }).inc();
    }

    /// All metrics in the OpenMetrics text format.
    pub fn render(&self) -> String {
        self.log_lines_dropped.inner().store((self.dropped_lines.0)() as u64, Ordering::Relaxed);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    /// The media type of [`Metrics::render`].
    pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_log_lines_are_counted_where_they_are_dropped() {
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(2));
        let metrics = Metrics::new({
            let count = std::sync::Arc::clone(&count);
            move || count.load(Ordering::Relaxed)
        });
        for dropped in [2, 2, 7] {
            count.store(dropped, Ordering::Relaxed);
            assert!(metrics.render().contains(&format!("\nlog_lines_dropped_total {dropped}\n")));
        }
    }
}
