//! A service that has other things to do: more streams than it runs, requests beside a stream, threads kept from streams.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    Batch, EASY, JSON, TEXT, hopeless,
    lines::{HARD, boards, check_relabelled},
    relabelled, threads, whole_end,
};
use crate::{
    app::{TestApp, spawn_app},
    overload,
};

/// Nothing but a search solves it.
const SEARCHED: &str = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";

#[tokio::test]
async fn more_streams_than_run_at_a_time_are_refused() {
    let app = spawn_app(|config| config.max_batches = 2).await;
    let mut running = Vec::new();
    for path in ["/solve/batch", "/validate/batch"] {
        let mut batch = Batch::open(&app, path, TEXT).await;
        batch.to.send(boards(1)).await.unwrap();
        assert_eq!(batch.from.head().await.status, 200);
        assert_eq!(batch.from.line().await["line"], 1);
        running.push(batch);
    }
    for path in ["/solve/batch", "/validate/batch"] {
        let mut refused = Batch::open(&app, path, TEXT).await;
        refused.to.send(boards(1)).await.unwrap();
        refused.to.end().await.unwrap();
        let head = refused.from.head().await;
        assert_eq!((head.status, head.header("retry-after")), (503, "1"));
        let document: Value = refused.from.sized(path, &head).await;
        assert_eq!(document["type"], "/problems/overloaded");
        assert_eq!(app.post("/solve", &json!({"board": SEARCHED})).await.status, 422, "single requests are taken");
    }
    assert_eq!(app.metric("requests_shed_total{reason=\"batches\"}").await, 2.0);
    assert_eq!(app.metric("batch_streams").await, 2.0);
    assert_eq!(app.get("/readyz").await.status, 200, "busy is not unready");

    // A place is free again when its stream ends, and when its client goes.
    let mut ended = running.remove(0);
    ended.to.end().await.unwrap();
    assert_eq!(ended.from.rest().await, [whole_end(1, 1, 0)]);
    ended.again("/solve/batch", TEXT).await;
    assert_eq!(ended.exchange(b"").await, [whole_end(0, 0, 0)]);
    drop(running);
    let began = Instant::now();
    while app.metric("batch_streams").await > 0.0 {
        assert!(began.elapsed() < Duration::from_secs(5), "a place is kept");
    }
    let mut last: Vec<Batch> = Vec::new();
    for _ in 0..2 {
        last.push(Batch::open(&app, "/solve/batch", TEXT).await);
        assert_eq!(last.last_mut().unwrap().from.head().await.status, 200);
    }
}

#[tokio::test]
async fn a_refused_client_that_has_sent_only_some_lines_is_told_soon() {
    let app = spawn_app(|config| config.max_batches = 1).await;
    let mut running = Batch::open(&app, "/solve/batch", TEXT).await;
    running.from.head().await;
    let mut refused = Batch::open(&app, "/solve/batch", TEXT).await;
    refused.to.send(boards(1)).await.unwrap();
    let began = Instant::now();
    assert_eq!(refused.from.head().await.status, 503);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_stream() {
    let app = spawn_app(|_| {}).await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    let single = json!({"board": EASY}).to_string();
    let request = format!(
        "POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{single}",
        single.len()
    );
    for round in 0..3 {
        batch.to.send(boards(20)).await.unwrap();
        batch.to.end().await.unwrap();
        // In two of the rounds the next request is there before the stream has ended.
        if round < 2 {
            batch.to.bytes(request.as_bytes()).await.unwrap();
        }
        assert_eq!(batch.from.head().await.status, 200);
        check_relabelled(&mut batch.from, 20).await;
        assert_eq!(batch.from.rest().await, [whole_end(20, 20, 0)]);
        if round == 2 {
            batch.to.bytes(request.as_bytes()).await.unwrap();
        }
        let head = batch.from.head().await;
        let answer: Value = batch.from.sized("/solve", &head).await;
        assert_eq!((head.status, &answer["unique"]), (200, &true.into()));
        batch.again("/solve/batch", TEXT).await;
    }
    assert_eq!(batch.exchange(b"").await, [whole_end(0, 0, 0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_whose_clients_have_gone_count_until_their_work_has() {
    let app = spawn_app(|config| {
        threads(1)(config);
        config.max_batches = 3;
    })
    .await;
    let search = overload::start(&app, &overload::hopeless()).await;
    overload::until(&app, "solver_permits_in_use", 1.0).await;
    let mut statuses = Vec::new();
    for number in 0..12 {
        let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
        batch.to.send(boards(1000)).await.unwrap();
        // What is refused is read to its end.
        if number > 0 {
            batch.to.end().await.unwrap();
        }
        statuses.push(batch.from.head().await.status);
        // Long enough for the server to read it, and then to see that nobody is there any more.
        tokio::time::sleep(Duration::from_millis(30)).await;
        drop(batch);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    assert_eq!(statuses.pop(), Some(503), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert_eq!(app.metric("batch_streams").await, 3.0, "their work is still in the queue");

    drop(search);
    overload::until(&app, "batch_streams", 0.0).await;
    overload::until(&app, "solver_permits_in_use", 0.0).await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    assert_eq!(batch.exchange(boards(1).as_bytes()).await[1..], [whole_end(1, 1, 0)]);
    assert_eq!(app.metric("batch_lines_total").await, 1.0, "nothing is solved for those who have gone");
}

/// The slowest of some requests that need the pool, one after the other.
async fn slowest(app: &TestApp, count: usize) -> Duration {
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        for request in [
            json!({"board": relabelled(SEARCHED, number), "algorithm": "mrv", "max_nodes": 20}),
            json!({"board": relabelled(HARD, number)}),
        ] {
            let began = Instant::now();
            let answer = app.post("/validate", &request).await;
            assert_eq!(answer.status, 200, "{request}: {}", answer.text);
            slowest = slowest.max(began.elapsed());
        }
    }
    slowest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_request_goes_before_streams() {
    let app = spawn_app(|config| {
        threads(1)(config);
        config.max_batches = 4;
    })
    .await;
    // Each line takes a small part of a slice, and there are more of them than are solved in this time.
    let line = json!({"board": SEARCHED, "algorithm": "mrv", "max_nodes": 2000}).to_string() + "\n";
    let mut streams = Vec::new();
    for _ in 0..4 {
        let mut batch = Batch::open(&app, "/validate/batch", JSON).await;
        batch.to.fill(line.repeat(200)).await;
        streams.push(batch);
    }
    assert_eq!(app.metric("solver_permits_in_use").await, 1.0);
    let before = app.metric("batch_lines_total").await;
    let slowest = slowest(&app, 30).await;
    // What waits as long as --queue-wait is refused.
    assert!(slowest < Duration::from_millis(250), "{slowest:?}");
    let after = app.metric("batch_lines_total").await;
    assert!(after > before, "the streams go on meanwhile");
    assert_eq!(app.metric("solver_permits_in_use").await, 1.0, "they were at work to the end");
    assert_eq!(app.metric("requests_shed_total{reason=\"queue_wait\"}").await, 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_searches_and_those_of_streams_do_not_meet() {
    for count in [1, 2] {
        let app = spawn_app(threads(count)).await;
        // All of them are searched by `fast`, which serves whoever waits in the middle of it: at each solution, for one.
        let many = json!({"board": ".".repeat(81), "max_solutions": 10});
        let line = format!("{many}\n{}\n", json!({"board": SEARCHED}));
        let mut streams = Vec::new();
        for _ in 0..2 {
            let mut batch = Batch::open(&app, "/validate/batch", JSON).await;
            batch.to.fill(line.repeat(500)).await;
            streams.push(batch);
        }
        let began = Instant::now();
        let mut number = 0;
        while began.elapsed() < Duration::from_millis(200) || number < 20 {
            for path in ["/solve", "/validate"] {
                let answer = app.post(path, &json!({"board": relabelled(HARD, number)})).await;
                assert_eq!(answer.status, 200, "{count} {path} {number}: {}", answer.text);
            }
            number += 1;
        }
        assert_eq!(app.metric("panics_total").await, 0.0);
        assert_eq!(app.metric("solver_permits_in_use").await, count as f64, "they were at work to the end");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_request_does_not_wait_for_long_lines() {
    let app = spawn_app(threads(2)).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
        batch.to.send(hopeless().repeat(3)).await.unwrap();
        streams.push(batch);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let slowest = slowest(&app, 3).await;
    assert!(slowest < Duration::from_millis(250), "{slowest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_take_turns() {
    let app = spawn_app(threads(1)).await;
    let mut large = Batch::open(&app, "/solve/batch", TEXT).await;
    large.to.fill(boards(1000)).await;
    let mut small = Batch::open(&app, "/solve/batch", TEXT).await;
    let began = Instant::now();
    small.from.head().await;
    for number in 1..=20 {
        small.to.send(boards(1)).await.unwrap();
        assert_eq!(small.from.line().await["line"], number);
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

/// The most permits that are in use within this time.
async fn most_permits(app: &TestApp, time: Duration) -> f64 {
    let began = Instant::now();
    let mut most = 0.0_f64;
    while began.elapsed() < time {
        most = most.max(app.metric("solver_permits_in_use").await);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    most
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_may_be_kept_from_streams() {
    for (kept, expected) in [(None, 2.0), (Some(1), 1.0), (Some(9), 2.0)] {
        let app = spawn_app(|config| {
            threads(2)(config);
            config.queue_depth = Some(0);
            config.batch_threads = kept.map(|threads: usize| threads.try_into().unwrap());
        })
        .await;
        let mut streams = Vec::new();
        for _ in 0..3 {
            let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
            batch.to.send(hopeless()).await.unwrap();
            streams.push(batch);
        }
        assert_eq!(most_permits(&app, Duration::from_millis(200)).await, expected, "{kept:?}");
        let answer = app.post("/validate", &json!({"board": SEARCHED, "algorithm": "mrv", "max_nodes": 20})).await;
        assert_eq!(answer.status, if expected == 2.0 { 503 } else { 200 }, "{kept:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_uses_every_thread() {
    let app = spawn_app(threads(2)).await;
    let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
    // More than a chunk between two lines that take for ever.
    let between = format!("\"{EASY}\"\n").repeat(1000);
    batch.to.send(hopeless() + &between + &hopeless()).await.unwrap();
    let began = Instant::now();
    while app.metric("solver_permits_in_use").await != 2.0 {
        assert!(began.elapsed() < Duration::from_secs(5), "one thread stays idle");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
