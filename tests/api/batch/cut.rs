//! Streams that end before their end: a client that stalls, time that is over, a service that shuts down.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sudoku_server::{config::Config, server::Ending};

use super::{
    Batch, EASY, JSON, TEXT, hopeless,
    lines::{boards, check_relabelled},
    problem, relabelled, threads, whole_end,
    wire::Reading,
};
use crate::{
    app::{TestApp, spawn_app},
    overload::until,
};

const SHORT: Duration = Duration::from_millis(200);

fn small(config: &mut Config) {
    threads(2)(config);
    config.batch_idle = SHORT;
    config.batch_buffer = 64 << 10;
}

/// The last line of a stream that was cut short before it had answered this line.
fn assert_cut(line: &Value, number: u64, kind: &str, status: u16) {
    let (end, problem_status) = (&line["end"], &line["problem"]["status"]);
    assert_eq!(
        (end, &line["line"], problem(line), problem_status),
        (&false.into(), &number.into(), kind, &status.into())
    );
}

#[tokio::test]
async fn a_client_that_sends_no_more_is_told_so() {
    let app = spawn_app(small).await;
    let board = relabelled(EASY, 0);
    // What is sent, and the first line without an answer.
    for (sent, line) in [
        (String::new(), 1),
        (boards(1), 2),
        (boards(2) + "\n# nothing\n", 5),
        (boards(3) + &board[..50], 4),
        (format!("x\n{board}"), 2),
    ] {
        let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
        let began = Instant::now();
        batch.to.send(&sent).await.unwrap();
        assert_eq!(batch.from.head().await.status, 200);
        let lines = batch.from.through_the_end().await;
        assert!(began.elapsed() >= SHORT, "{:?}", began.elapsed());
        assert_cut(lines.last().unwrap(), line, "stalled", 408);
        if line == 1 {
            assert!(batch.from.closes().await, "what comes now is no request");
            assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        }
    }
}

#[tokio::test]
async fn a_client_that_sends_a_byte_now_and_then_is_waited_for() {
    let app = spawn_app(small).await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    let began = Instant::now();
    for byte in boards(1).into_bytes() {
        batch.to.send([byte]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(app.post("/solve", &json!({"board": EASY})).await.status, 200, "others do not notice");
    }
    batch.to.end().await.unwrap();
    assert!(began.elapsed() > 2 * SHORT);
    batch.from.head().await;
    check_relabelled(&mut batch.from, 1).await;
    assert_eq!(batch.from.rest().await, [whole_end(1, 1, 0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_is_given_up() {
    const IDLE: Duration = Duration::from_millis(600);
    let app = spawn_app(|config| {
        small(config);
        config.batch_idle = IDLE;
    })
    .await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    // The first line tells a whole answer from one that comes after the cut.
    let lines: String = (0..18 * 50).map(|number| relabelled(EASY, number) + "\n").collect();
    batch.to.fill(&lines).await;
    let solved = app.metric("batch_lines_total").await;
    assert!(solved > 1000.0, "{solved}");
    // It is cut after the one, and would be given up after two of them; to fill the stream took a third of one.
    tokio::time::sleep(IDLE).await;
    let still = app.metric("batch_lines_total").await;
    assert_eq!(app.metric("solver_permits_in_use").await, 0.0);
    tokio::time::sleep(IDLE / 5).await;
    assert_eq!(app.metric("batch_lines_total").await, still, "nothing more is solved");

    // All that is held is there, in order, and the end after it.
    let number = read_to_the_cut(&mut batch.from, "stalled", 408).await;
    assert!(number as f64 <= still + 1.0, "{number} of {still}");
}

/// More answers than the kernel's buffers hold.
const MANY: usize = 80_000;

/// Begins a stream that takes the only place, sends everything, and waits until all is solved that will be.
async fn send_everything(app: &TestApp) -> Batch {
    let mut batch = Batch::narrow(app, "/solve/batch", TEXT).await;
    assert_eq!(batch.from.head().await.status, 200);
    let sending = async {
        batch.to.send(boards(MANY)).await?;
        batch.to.end().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(5), sending).await.expect("it is read");
    let (mut solved, mut since) = (0.0, Instant::now());
    while solved < MANY as f64 && since.elapsed() < SHORT {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let now = app.metric("batch_lines_total").await;
        if now > solved {
            (solved, since) = (now, Instant::now());
        }
    }
    batch
}

/// How long it takes until another stream is taken.
async fn until_a_place_is_free(app: &TestApp) -> Duration {
    let began = Instant::now();
    loop {
        let mut other = Batch::open(app, "/solve/batch", TEXT).await;
        let _ = other.to.end().await;
        let status = other.from.head().await.status;
        if status == 200 || began.elapsed() > Duration::from_secs(5) {
            assert_eq!(status, 200, "the place is kept for {:?}", began.elapsed());
            return began.elapsed();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_nothing_after_its_input_gives_up_its_place() {
    let app = spawn_app(|config| {
        config.max_batches = 1;
        config.batch_idle = SHORT;
    })
    .await;
    let batch = send_everything(&app).await;
    let freed = until_a_place_is_free(&app).await;
    // Once for the stream, and once more for its end.
    assert!(freed < 2 * SHORT + Duration::from_secs(1), "{freed:?}");
    drop(batch);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_nothing_gives_up_its_place_after_the_cut() {
    let app = spawn_app(|config| {
        small(config);
        config.max_batches = 1;
    })
    .await;
    // All of the input is there, and no room for its answers; or more and more of it comes.
    for pieces in [3, usize::MAX] {
        let mut batch = Batch::narrow(&app, "/solve/batch", TEXT).await;
        assert_eq!(batch.from.head().await.status, 200);
        let lines = boards(10_000);
        let sending = async {
            for _ in 0..pieces {
                if batch.to.send(&lines).await.is_err() {
                    return;
                }
            }
            batch.to.end().await.unwrap();
        };
        let (freed, ..) = tokio::join!(until_a_place_is_free(&app), sending);
        // What the kernel's buffers hold takes its time to be solved.
        assert!(freed < 2 * SHORT + Duration::from_secs(2), "{pieces} {freed:?}");
        drop(batch);
        until(&app, "batch_streams", 0.0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_little_by_little_after_its_input_has_the_time_of_a_stream() {
    let (time, idle) = (Duration::from_millis(1200), Duration::from_millis(400));
    let app = spawn_app(|config| {
        config.max_batches = 1;
        config.batch_timeout = time;
        config.batch_idle = idle;
    })
    .await;
    let began = Instant::now();
    let mut batch = send_everything(&app).await;
    let reading = async {
        while batch.from.bytes(32 << 10).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        () = reading => assert!(began.elapsed() < time + idle + Duration::from_secs(1), "{:?}", began.elapsed()),
        _ = until_a_place_is_free(&app) => {}
    }
    let ended = began.elapsed();
    assert!(ended < time + idle + Duration::from_secs(1), "{ended:?}");
}

/// Reads answers in their order and the end after them, which says this; and that there is no answer to this line.
async fn read_to_the_cut(from: &mut Reading, kind: &str, status: u16) -> u64 {
    assert_eq!(from.head().await.status, 200);
    let mut number = 1;
    loop {
        let text = from.text().await.unwrap_or_else(|error| panic!("{error} after {number} lines"));
        let text = text.expect("the end says why");
        if text.starts_with("{\"end\"") {
            assert_cut(&serde_json::from_str(&text).unwrap(), number, kind, status);
            return number;
        }
        assert!(text.starts_with(&format!("{{\"line\":{number},")), "{text}");
        number += 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_the_solver_is_no_stall() {
    let app = spawn_app(|config| {
        small(config);
        config.max_nodes = 100_000_000_000;
        config.solve_timeout = 3 * SHORT;
    })
    .await;
    let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
    let line = hopeless().replace("1000000000000", "100000000000");
    batch.to.send(line.clone() + &line).await.unwrap();
    batch.from.head().await;
    for number in [1, 2] {
        let answer = batch.from.line().await;
        assert_eq!((&answer["line"], problem(&answer)), (&number.into(), "budget-exhausted"), "{answer}");
        assert_eq!(answer["problem"]["limit"], "time", "each line has its own time");
    }
    batch.to.end().await.unwrap();
    assert_eq!(batch.from.rest().await, [whole_end(2, 0, 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_has_its_time() {
    let app = spawn_app(|config| {
        threads(2)(config);
        config.batch_timeout = Duration::from_millis(300);
    })
    .await;
    // A client that sends and reads, slowly.
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    let began = Instant::now();
    assert_eq!(batch.from.head().await.status, 200);
    let mut number = 1;
    let end = loop {
        let _ = batch.to.send(format!("{EASY}\n")).await;
        let line = batch.from.line().await;
        if line["end"] == false {
            break line;
        }
        number += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(number > 3 && began.elapsed() >= Duration::from_millis(290), "{number} {:?}", began.elapsed());
    assert_cut(&end, number, "batch-timeout", 408);

    // In a search.
    let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
    batch.to.send(format!("\"{EASY}\"\n\n")).await.unwrap();
    batch.from.head().await;
    assert_eq!(batch.from.line().await["line"], 1);
    batch.to.send(hopeless()).await.unwrap();
    assert_cut(&batch.from.line().await, 3, "batch-timeout", 408);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_sends_on_is_told_why_its_stream_was_cut() {
    let lines = boards(900);
    // A client may read all the while, or send everything before it reads.
    for (kind, status) in [("batch-timeout", 408), ("shutting-down", 503)] {
        for reads_at_once in [true, false] {
            let mut app = spawn_app(|config| {
                if status == 408 {
                    config.batch_timeout = Duration::from_millis(300);
                }
            })
            .await;
            let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
            let began = Instant::now();
            let sending = async {
                // More than the kernel's buffers hold, and than is solved before the cut.
                for _ in 0..200 {
                    if batch.to.send(&lines).await.is_err() {
                        break;
                    }
                }
            };
            let stopping = async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                if status == 503 {
                    app.stop();
                }
            };
            let line = if reads_at_once {
                let reading = read_to_the_cut(&mut batch.from, kind, status);
                let (line, ..) = tokio::join!(reading, stopping, async {
                    tokio::time::timeout(Duration::from_secs(3), sending).await
                });
                line
            } else {
                let _ = tokio::join!(tokio::time::timeout(Duration::from_secs(3), sending), stopping);
                read_to_the_cut(&mut batch.from, kind, status).await
            };
            assert!(line > 100, "{line}");
            assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
            drop(batch);
            if status == 503 {
                assert_eq!(app.ended().await, Ending::Drained);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_shuts_down_ends_its_streams_and_says_where() {
    // What is sent, how many answers come, and the first line without one.
    for (sent, answers, line) in [
        (String::new(), 0, 1),
        (format!("\"{EASY}\"\n") + "\n", 1, 3),
        (format!("\"{EASY}\"\n").repeat(3) + "\"..", 3, 4),
        (hopeless() + &format!("\"{EASY}\"\n").repeat(1000), 0, 1),
    ] {
        let mut app = spawn_app(threads(1)).await;
        let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
        batch.to.send(&sent).await.unwrap();
        assert_eq!(batch.from.head().await.status, 200);
        for number in 1..=answers {
            assert_eq!(batch.from.line().await["line"], number);
        }
        // The blank line is read.
        tokio::time::sleep(Duration::from_millis(30)).await;
        let began = Instant::now();
        app.stop();
        assert_cut(&batch.from.line().await, line, "shutting-down", 503);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        if line == 1 {
            assert!(batch.from.closes().await, "soon, though the client sends no more and does not leave");
        }
        drop(batch);
        assert_eq!(app.ended().await, Ending::Drained);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_go_on_and_begin_while_the_service_drains() {
    let mut app = spawn_app(|config| config.drain_delay = Duration::from_millis(300)).await;
    let mut before = Batch::open(&app, "/solve/batch", TEXT).await;
    before.from.head().await;
    app.stop();
    while app.get("/readyz").await.status == 200 {}
    let mut after = Batch::open(&app, "/solve/batch", TEXT).await;
    for batch in [&mut before, &mut after] {
        batch.to.send(boards(1)).await.unwrap();
    }
    assert_eq!(after.from.head().await.header("connection"), "close");
    for mut batch in [before, after] {
        check_relabelled(&mut batch.from, 1).await;
        assert_cut(&batch.from.line().await, 2, "shutting-down", 503);
    }
    assert_eq!(app.ended().await, Ending::Drained);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_does_not_outlive_the_grace() {
    let mut app = spawn_app(|config| {
        config.batch_buffer = 64 << 10;
        config.shutdown_grace = Duration::from_millis(300);
    })
    .await;
    let mut batch = Batch::open(&app, "/solve/batch", TEXT).await;
    batch.to.fill(boards(1000)).await;
    let began = Instant::now();
    app.stop();
    app.ended().await;
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}
