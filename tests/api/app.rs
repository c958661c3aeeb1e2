//! The service on a free port, inside the test's own process.

use std::sync::Arc;

use serde_json::Value;
use sudoku_server::{
    config::Config,
    http::App,
    lifecycle::Lifecycle,
    metrics::Metrics,
    server::{self, Ending, ServerLimits},
};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::client::{Answer, Client};

/// A running service, stopped when it is dropped.
pub struct TestApp {
    pub client: Client,
    shutdown: Option<oneshot::Sender<()>>,
    ending: JoinHandle<Ending>,
}

/// Starts the service with its defaults, changed as a test needs it.
pub async fn spawn_app(change: impl FnOnce(&mut Config)) -> TestApp {
    let mut config = Config::read([], |_| None).expect("the defaults are right");
    // A debug build on a busy machine must not turn verdicts into "undecided"; tests of the time limit set their own.
    config.solve_timeout = std::time::Duration::from_secs(60);
    change(&mut config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let addr = listener.local_addr().expect("a bound address");
    let app = App::new(&config, Arc::new(Metrics::default()), Lifecycle::default());
    let (shutdown, asked) = oneshot::channel();
    let ending = tokio::spawn(server::run(listener, app, ServerLimits::from(&config), async {
        let _ = asked.await;
    }));
    TestApp { client: Client::new(addr), shutdown: Some(shutdown), ending }
}

impl TestApp {
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.client.post(path, body.to_string()).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.client.get(path).await
    }

    /// Asks it to stop.
    pub fn stop(&mut self) {
        self.shutdown.take();
    }

    /// Waits until it has ended.
    pub async fn ended(self) -> Ending {
        self.ending.await.expect("the service does not panic")
    }

    /// The value of one series of `/metrics`, 0 where it is not there.
    pub async fn metric(&self, series: &str) -> f64 {
        let text = self.get("/metrics").await.text;
        let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        value.map_or(0.0, |value| value.parse().expect("a number"))
    }
}
