//! More work than the service takes on, and work that nobody waits for any more.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sudoku_server::{config::Config, server::Ending};
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::app::{TestApp, spawn_app};

/// A board that keeps reading-order backtracking busy for hours.
pub fn hopeless() -> Value {
    let board = format!("{}12345678.{}9", ".".repeat(60), ".".repeat(11));
    json!({"board": board, "algorithm": "reading_order", "max_nodes": 1_000_000_000_000u64})
}

/// One thread, and a budget that lets a request keep it.
fn one_thread(config: &mut Config) {
    config.solver_threads = Some(1.try_into().unwrap());
    config.queue_depth = Some(0);
    config.max_nodes = 1_000_000_000_000;
    config.solve_timeout = Duration::from_secs(60);
}

/// Sends a request and does not wait for its answer.
pub async fn start(app: &TestApp, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(app.client.addr).await.unwrap();
    let body = body.to_string();
    let head = format!(
        "POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

pub async fn until(app: &TestApp, series: &str, value: f64) -> Duration {
    let began = Instant::now();
    while app.metric(series).await != value {
        assert!(began.elapsed() < Duration::from_secs(10), "{series} does not become {value}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_much_is_refused_and_may_be_sent_again() {
    let app = spawn_app(one_thread).await;
    let busy = start(&app, &hopeless()).await;
    until(&app, "solver_permits_in_use", 1.0).await;
    let request = json!({"board": ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........", "algorithm": "mrv"});
    let refused = app.post("/solve", &request).await;
    assert_eq!((refused.status, refused.problem().as_str()), (503, "overloaded"));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(app.metric("requests_shed_total{reason=\"queue_full\"}").await, 1.0);
    assert_eq!((app.get("/livez").await.status, app.get("/readyz").await.status), (200, 200), "busy is not unready");

    drop(busy);
    let freed = until(&app, "solver_permits_in_use", 0.0).await;
    assert!(freed < Duration::from_secs(5), "a disconnect frees its permit, took {freed:?}");
    assert_eq!(app.metric("solver_outcomes_total{endpoint=\"solve\",outcome=\"cancelled\"}").await, 1.0);
    let gone = "http_requests_total{method=\"POST\",route=\"/solve\",status=\"499\"}";
    assert_eq!(app.metric(gone).await, 1.0, "a request that nobody waits for any more is counted too");
    assert_ne!(app.post("/solve", &request).await.status, 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_no_search_is_answered_while_the_pool_is_full() {
    let app = spawn_app(one_thread).await;
    let _busy = start(&app, &hopeless()).await;
    until(&app, "solver_permits_in_use", 1.0).await;
    let easy = "9.7.....6824.3......1..9..2.9...2.18...4....51325.8......687.........8.9.4.9...5.";
    let unsolvable = "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
    let empty = ".".repeat(81);
    let cases = [
        ("/solve", json!({"board": easy}), 200, "propagation solves it"),
        ("/validate", json!({"board": easy}), 200, "and proves that there is no other solution"),
        ("/solve", json!({"board": unsolvable}), 422, "or that there is none"),
        ("/solve", json!({"board": easy, "algorithm": "mrv"}), 503, "the textbook searches have no propagation"),
        ("/solve", json!({"board": empty}), 503, "this one needs a search"),
        ("/validate", json!({"board": empty, "max_solutions": 3}), 503, "and so does this"),
    ];
    for (path, body, status, shows) in cases {
        assert_eq!(app.post(path, &body).await.status, status, "{shows}: {body}");
    }
    // Once each, what was refused not at all.
    for (series, count) in [
        ("solver_outcomes_total{endpoint=\"solve\",outcome=\"unique\"}", 1.0),
        ("solver_outcomes_total{endpoint=\"solve\",outcome=\"unsolvable\"}", 1.0),
        ("solver_outcomes_total{endpoint=\"validate\",outcome=\"unique\"}", 1.0),
        ("solver_outcomes_total{endpoint=\"solve\",outcome=\"undecided\"}", 0.0),
        ("solver_nodes_count{algorithm=\"fast\"}", 3.0),
        ("requests_shed_total{reason=\"queue_full\"}", 3.0),
    ] {
        assert_eq!(app.metric(series).await, count, "{series}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_has_an_end() {
    let wait = |config: &mut Config| {
        one_thread(config);
        config.queue_depth = Some(1);
        config.queue_wait = Duration::from_millis(100);
    };
    let app = spawn_app(wait).await;
    let _busy = start(&app, &hopeless()).await;
    until(&app, "solver_permits_in_use", 1.0).await;
    let began = Instant::now();
    let refused = app.post("/validate", &hopeless()).await;
    assert_eq!((refused.status, refused.problem().as_str()), (503, "overloaded"));
    assert!(began.elapsed() >= Duration::from_millis(100));
    assert_eq!(app.metric("requests_shed_total{reason=\"queue_wait\"}").await, 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_waiting_are_sent_elsewhere_and_the_running_cut_off_at_the_grace() {
    let wait = |config: &mut Config| {
        one_thread(config);
        config.queue_depth = Some(1);
        config.queue_wait = Duration::from_secs(60);
        config.shutdown_grace = Duration::from_millis(300);
    };
    let mut app = spawn_app(wait).await;
    let mut busy = start(&app, &hopeless()).await;
    until(&app, "solver_permits_in_use", 1.0).await;
    let mut waiting = start(&app, &hopeless()).await;
    until(&app, "solver_queue_depth", 1.0).await;
    let began = Instant::now();
    app.stop();
    assert_eq!(app.ended().await, Ending::CutOff);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let (mut cut, mut sent_on) = (String::new(), String::new());
    let _ = tokio::io::AsyncReadExt::read_to_string(&mut busy, &mut cut).await;
    assert_eq!(cut, "", "no answer for what was cut off");
    tokio::io::AsyncReadExt::read_to_string(&mut waiting, &mut sent_on).await.unwrap();
    assert!(sent_on.starts_with("HTTP/1.1 503 ") && sent_on.contains("/problems/shutting-down"), "{sent_on}");
}
