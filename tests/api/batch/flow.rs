//! When bytes go where: answers while the input comes, backpressure, clients that vanish.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    Batch, EASY, JSON, TEXT, hopeless,
    lines::{boards, check_relabelled},
    problem, threads, whole_end,
};
use crate::app::{TestApp, spawn_app};

#[tokio::test]
async fn each_line_is_answered_before_the_next_one_is_sent() {
    let app = spawn_app(|_| {}).await;
    for (path, media_type) in [("/solve/batch", JSON), ("/validate/batch", TEXT)] {
        let mut batch = Batch::open(&app, path, media_type).await;
        assert_eq!(batch.from.head().await.status, 200, "before the first line");
        assert_eq!(app.metric("batch_streams").await, 1.0);
        let line = if media_type == JSON { format!("\"{EASY}\"\n") } else { format!("{EASY}\n") };
        for number in 1..=20 {
            batch.to.send(&line).await.unwrap();
            assert_eq!(batch.from.line().await["line"], number);
        }
        assert!(batch.from.is_silent(Duration::from_millis(30)).await);
        batch.to.end().await.unwrap();
        assert_eq!(batch.from.rest().await, [whole_end(20, 20, 0)]);
    }
    assert_eq!(app.metric("batch_streams").await, 0.0);
    assert_eq!(app.metric("batch_lines_total").await, 40.0);
    let solved = |endpoint| format!("solver_outcomes_total{{endpoint=\"{endpoint}\",outcome=\"unique\"}}");
    for (endpoint, count) in [("solve_batch", 20.0), ("validate_batch", 20.0), ("solve", 0.0), ("validate", 0.0)] {
        assert_eq!(app.metric(&solved(endpoint)).await, count, "{endpoint}");
    }
    assert_eq!(app.metric("solver_nodes_count{algorithm=\"fast\"}").await, 40.0);
}

#[tokio::test]
async fn a_client_that_asks_first_gets_leave_to_send() {
    let app = spawn_app(|_| {}).await;
    let ask = |media_type: &str| {
        format!("Content-Type: {media_type}\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n")
    };
    let mut batch = Batch::with_head(&app, "/solve/batch", &ask(TEXT)).await;
    assert_eq!(batch.from.head().await.status, 100);
    batch.to.send(format!("{EASY}\n")).await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    assert_eq!(batch.from.line().await["line"], 1, "and answers flow");
    batch.to.end().await.unwrap();
    assert_eq!(batch.from.rest().await, [whole_end(1, 1, 0)]);

    let mut batch = Batch::with_head(&app, "/solve/batch", &ask("application/json")).await;
    let began = Instant::now();
    assert_eq!(batch.from.head().await.status, 415, "or is told what is wrong, and sends nothing");
    assert!(began.elapsed() < Duration::from_secs(1), "nothing was waited for");
}

#[tokio::test]
async fn a_proxy_may_ask_for_the_answer_after_its_upload() {
    let app = spawn_app(|config| {
        config.batch_buffer = 16 << 10;
        config.batch_idle = Duration::from_millis(500);
    })
    .await;
    let headers = format!("Content-Type: {TEXT}\r\nTransfer-Encoding: chunked\r\nX-Answers: after-upload\r\n");
    let mut batch = Batch::with_head(&app, "/solve/batch", &headers).await;
    batch.to.send(boards(20)).await.unwrap();
    assert!(batch.from.is_silent(Duration::from_millis(100)).await);
    batch.to.end().await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    check_relabelled(&mut batch.from, 20).await;
    assert_eq!(batch.from.rest().await, [whole_end(20, 20, 0)]);

    // Where as much is held as may be, it comes all the same; and where the stream is cut.
    let mut batch = Batch::with_head(&app, "/solve/batch", &headers).await;
    batch.to.send(boards(1000)).await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    check_relabelled(&mut batch.from, 1000).await;
    let mut batch = Batch::with_head(&app, "/solve/batch", &headers).await;
    batch.to.send(boards(1)).await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    check_relabelled(&mut batch.from, 1).await;
    assert_eq!(problem(&batch.from.line().await), "stalled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_does_not_wait_for_the_search_of_another_line() {
    let app = spawn_app(threads(1)).await;
    let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
    batch.to.send(format!("\"{EASY}\"\nx\n{}", hopeless())).await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    for number in [1, 2] {
        let line = tokio::time::timeout(Duration::from_secs(2), batch.from.line()).await;
        assert_eq!(line.expect("the search that takes long is behind it")["line"], number);
    }
}

/// What a client that sends everything first has to get through with.
const MANY: usize = 200_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_may_send_everything_before_it_reads_anything() {
    let app = spawn_app(|_| {}).await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    batch.to.send(boards(MANY)).await.expect("all of it is taken");
    batch.to.end().await.unwrap();
    assert_eq!(batch.from.head().await.status, 200);
    check_relabelled(&mut batch.from, MANY).await;
    assert_eq!(batch.from.rest().await, [whole_end(MANY as u64, MANY as u64, 0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_slowly_slows_the_sending_down_and_loses_nothing() {
    const COUNT: usize = 60_000;
    let small = |config: &mut sudoku_server::config::Config| {
        config.batch_buffer = 64 << 10;
        config.batch_idle = Duration::from_secs(1);
    };
    let app = spawn_app(small).await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    let began = Instant::now();
    let sending = async {
        batch.to.send(boards(COUNT)).await.unwrap();
        batch.to.end().await.unwrap();
    };
    let reading = async {
        assert_eq!(batch.from.head().await.status, 200);
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_millis(250)).await;
            batch.from.skip(COUNT / 10).await;
        }
        batch.from.skip(COUNT / 2 - 1).await;
        let last = batch.from.line().await;
        assert_eq!(last["line"], COUNT);
        assert_eq!(batch.from.rest().await, [whole_end(COUNT as u64, COUNT as u64, 0)]);
    };
    tokio::join!(sending, reading);
    assert!(began.elapsed() > Duration::from_secs(1), "it took longer than a stream may idle");
}

/// How long the service takes to have nothing to do any more, but for this question; a second where it is longer.
async fn until_idle(app: &TestApp) -> Duration {
    let began = Instant::now();
    for series in ["solver_permits_in_use", "batch_streams"] {
        while app.metric(series).await != 0.0 && began.elapsed() < Duration::from_secs(1) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    began.elapsed()
}

async fn until_busy(app: &TestApp) {
    let began = Instant::now();
    while app.metric("solver_permits_in_use").await == 0.0 {
        assert!(began.elapsed() < Duration::from_secs(10), "nothing is searched");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// How a client leaves its stream.
#[derive(Debug, Clone, Copy)]
enum Leaves {
    /// It has sent one line, which takes for ever, and the server waits for more.
    InALongSearch,
    /// The same, and everything has come in.
    AtTheEnd,
    /// The server is in a long search, and has not read what has come in since.
    WithUnreadInput,
    /// The same where lines are solved, and nobody reads the answers.
    WithUnreadAnswers,
    /// It reads as it sends, and is gone after line 1000.
    AtLine1000,
    /// In the middle of a line, in the middle of a piece.
    InALine,
}

async fn begin_and_leave(app: &TestApp, leaves: Leaves) -> Duration {
    let mut batch = Batch::open(app, "/solve/batch", JSON).await;
    let easy = format!("\"{EASY}\"\n");
    match leaves {
        Leaves::InALongSearch => batch.to.send(hopeless()).await.unwrap(),
        Leaves::AtTheEnd => {
            batch.to.send(hopeless()).await.unwrap();
            batch.to.end().await.unwrap();
        }
        Leaves::WithUnreadInput => {
            batch.to.send(hopeless()).await.unwrap();
            batch.to.fill(easy.repeat(1000)).await;
        }
        Leaves::WithUnreadAnswers => {
            batch.to.fill(easy.repeat(1000)).await;
            assert_eq!(app.metric("batch_streams").await, 1.0);
        }
        Leaves::AtLine1000 => {
            batch.to.send(easy.repeat(1000)).await.unwrap();
            batch.from.head().await;
            batch.from.skip(1000).await;
            batch.to.send(hopeless() + &easy.repeat(1000)).await.unwrap();
        }
        Leaves::InALine => {
            batch.to.send(hopeless()).await.unwrap();
            batch.to.bytes(b"100\r\n\"...").await.unwrap();
        }
    }
    if !matches!(leaves, Leaves::WithUnreadAnswers) {
        until_busy(app).await;
        // The thread begins a moment after its permit is taken.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(batch);
    until_idle(app).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_vanishes_stops_the_work_at_once() {
    let limits = |config: &mut sudoku_server::config::Config| {
        threads(2)(config);
        config.batch_buffer = 64 << 10;
    };
    let mut late = Vec::new();
    for leaves in [
        Leaves::InALongSearch,
        Leaves::AtTheEnd,
        Leaves::AtLine1000,
        Leaves::InALine,
        Leaves::WithUnreadAnswers,
        Leaves::WithUnreadInput,
    ] {
        let app = spawn_app(limits).await;
        // What takes milliseconds may take longer where others have the cores, but not more than once in five times.
        let (mut times, mut in_time) = (Vec::new(), 0);
        while in_time < 4 && times.len() - in_time < 2 {
            let time = begin_and_leave(&app, leaves).await;
            in_time += usize::from(time < Duration::from_millis(100));
            times.push(time);
        }
        if in_time < 4 {
            late.push((leaves, times));
            continue;
        }
        assert_eq!(app.post("/solve", &json!({"board": EASY})).await.status, 200, "{leaves:?}");
        let cancelled = app.metric("solver_outcomes_total{endpoint=\"solve_batch\",outcome=\"cancelled\"}").await;
        // Of what has not begun there is nothing to count.
        let expected = if matches!(leaves, Leaves::WithUnreadAnswers) { 0.0..=0.0 } else { 1.0..=times.len() as f64 };
        assert!(expected.contains(&cancelled), "{leaves:?} {times:?} {cancelled}");
    }
    assert!(late.is_empty(), "not within 100 ms four times in five: {late:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_reads_no_faster_than_it_solves() {
    let app = spawn_app(threads(1)).await;
    let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
    batch.to.send(hopeless()).await.unwrap();
    let lines = format!("\"{EASY}\"\n").repeat(1000);
    let mut sent = 0;
    let sending = async {
        loop {
            batch.to.send(&lines).await.unwrap();
            sent += lines.len();
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(500), sending).await;
    // The kernel's buffers hold a few MB.
    assert!(sent < 24 << 20, "{sent} bytes were taken while nothing was solved");
    let answer = app.post("/solve", &json!({"board": EASY})).await;
    assert_eq!(answer.status, 200);
}
