//! Clients that are slow, rude or strange, over raw sockets.

use std::time::{Duration, Instant};

use reqwest::{Method, header::HeaderMap};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    app::{TestApp, spawn_app},
    client::{Answer, check},
};

async fn connect(app: &TestApp) -> TcpStream {
    TcpStream::connect(app.client.addr).await.expect("the service listens")
}

/// Reads until the peer closes, at most ten seconds.
async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let reading = stream.read_to_end(&mut bytes);
    // A reset after the answer is a close too.
    let _ = tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the peer closes the connection");
    String::from_utf8(bytes).expect("UTF-8")
}

/// The one answer in this text, held to the contract.
fn answer(method: &Method, path: &str, text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("an answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let headers: HeaderMap = lines
        .filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            Some((name.parse().ok()?, value.parse().ok()?))
        })
        .collect();
    let answer = Answer { status: status.expect("a status"), headers, text: body.to_owned() };
    check(method, path, &answer);
    answer
}

fn head(length: usize) -> String {
    format!("POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n")
}

#[tokio::test]
async fn a_body_over_the_limit_is_told_to_whoever_reads() {
    let app = spawn_app(|_| {}).await;
    for size in [65 * 1024 + 1, 1 << 20, 2 << 20] {
        for chunked in [false, true] {
            let mut stream = connect(&app).await;
            let head =
                if chunked { head(0).replace("Content-Length: 0", "Transfer-Encoding: chunked") } else { head(size) };
            stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
            let body = vec![b' '; size];
            if chunked {
                stream.write_all(format!("{size:x}\r\n").as_bytes()).await.unwrap();
            }
            stream.write_all(&body).await.expect("an ordinary client gets to send all of it");
            if chunked {
                stream.write_all(b"\r\n0\r\n\r\n").await.unwrap();
            }
            let answer = answer(&Method::POST, "/solve", &read_to_end(&mut stream).await);
            assert_eq!((answer.status, answer.problem().as_str()), (413, "payload-too-large"), "{size} {chunked}");
            assert_eq!(answer.header("connection"), "close");
        }
    }
    assert_eq!(app.get("/livez").await.status, 200);
}

#[tokio::test]
async fn who_asks_first_is_spared_the_body() {
    let app = spawn_app(|_| {}).await;
    let mut stream = connect(&app).await;
    stream.write_all(format!("{}Expect: 100-continue\r\n\r\n", head(50 << 20)).as_bytes()).await.unwrap();
    let began = Instant::now();
    let answer = answer(&Method::POST, "/solve", &read_to_end(&mut stream).await);
    assert_eq!(answer.status, 413);
    assert!(began.elapsed() < Duration::from_secs(5), "nothing was waited for");
}

#[tokio::test]
async fn a_body_at_the_limit_is_read() {
    let app = spawn_app(|_| {}).await;
    let body = format!("{{\"board\":\"{}\"}}", ".".repeat(81));
    let full = body.clone() + &" ".repeat(65_536 - body.len());
    assert_eq!(app.client.post("/solve", full.clone()).await.status, 200);
    assert_eq!(app.client.post("/solve", full + " ").await.status, 413);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let app = spawn_app(|config| config.body_timeout = Duration::from_millis(100)).await;
    let mut stream = connect(&app).await;
    stream.write_all(format!("{}\r\n{{", head(100)).as_bytes()).await.unwrap();
    let answer = answer(&Method::POST, "/solve", &read_to_end(&mut stream).await);
    assert_eq!((answer.status, answer.problem().as_str()), (408, "request-timeout"));
    assert_eq!(answer.header("connection"), "close");
}

#[tokio::test]
async fn silence_and_half_a_head_are_closed_at_the_idle_timeout() {
    let app = spawn_app(|config| config.idle_timeout = Duration::from_millis(200)).await;
    for sent in ["", "POST /solve HTTP/1.1\r\nHost: x\r\nConte"] {
        let began = Instant::now();
        let mut stream = connect(&app).await;
        stream.write_all(sent.as_bytes()).await.unwrap();
        read_to_end(&mut stream).await;
        assert!(began.elapsed() > Duration::from_millis(150), "{sent:?} had its time");
        assert_eq!(app.get("/livez").await.status, 200, "the others are served");
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let app = spawn_app(|_| {}).await;
    let mut stream = connect(&app).await;
    let board = json!({"board": ".".repeat(81)}).to_string();
    for body in [board.as_str(), "x", "{}", board.as_str()] {
        stream.write_all(format!("{}\r\n{body}", head(body.len())).as_bytes()).await.unwrap();
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(buffer[..read].starts_with(b"HTTP/1.1 "), "{body}");
    }
}

#[tokio::test]
async fn a_head_that_cannot_be_read_is_refused_by_the_protocol() {
    let app = spawn_app(|_| {}).await;
    let huge = format!("GET /livez HTTP/1.1\r\nHost: x\r\nX-Huge: {}\r\n\r\n", "x".repeat(70_000));
    for (sent, status) in [("NONSENSE\r\n\r\n", "400"), (huge.as_str(), "431")] {
        let mut stream = connect(&app).await;
        stream.write_all(sent.as_bytes()).await.unwrap();
        let text = read_to_end(&mut stream).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
        assert!(text.ends_with("\r\n\r\n"), "an empty body: {text}");
    }
    let large =
        format!("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Large: {}\r\n\r\n", "x".repeat(60_000));
    let mut stream = connect(&app).await;
    stream.write_all(large.as_bytes()).await.unwrap();
    assert!(read_to_end(&mut stream).await.starts_with("HTTP/1.1 200 "), "60 KB of head are taken");
}

#[tokio::test]
async fn more_connections_than_the_cap_wait_for_their_turn() {
    let app = spawn_app(|config| config.max_connections = 1.try_into().unwrap()).await;
    let request = b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let silent = connect(&app).await;
    let mut waiting = connect(&app).await;
    waiting.write_all(request).await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(100), waiting.read_u8()).await;
    assert!(early.is_err(), "the one place is taken");
    drop(silent);
    assert!(read_to_end(&mut waiting).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn silence_and_half_a_head_do_not_hold_up_the_shutdown() {
    let mut app = spawn_app(|_| {}).await;
    let silent = connect(&app).await;
    let mut half = connect(&app).await;
    half.write_all(b"POST /solve HTTP/1.1\r\nHost: x\r\nConte").await.unwrap();
    let mut idle = connect(&app).await;
    idle.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut answer = [0; 4096];
    assert!(idle.read(&mut answer).await.unwrap() > 0);
    let mut half_again = connect(&app).await;
    half_again.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    assert!(half_again.read(&mut answer).await.unwrap() > 0);
    half_again.write_all(b"POST /solve HTTP/1.1\r\nHost: x\r\nConte").await.unwrap();
    let began = Instant::now();
    app.stop();
    assert_eq!(app.ended().await, sudoku_server::server::Ending::Drained);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    drop((silent, half, idle, half_again));
}

/// A client that asks for 11 MB, and reads nothing of it.
async fn never_reads(app: &TestApp) -> TcpStream {
    let mut stream = connect(app).await;
    stream.write_all("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100).as_bytes()).await.unwrap();
    // Its answer is on the way, and stuck.
    let series = "http_requests_total{method=\"GET\",route=\"/openapi.yaml\",status=\"200\"}";
    let mut asked = -1.0;
    while app.metric(series).await > asked {
        asked = app.metric(series).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!((1.0..100.0).contains(&asked), "{asked} answers, and room for no more");
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_does_not_outlive_the_grace() {
    let mut app = spawn_app(|config| config.shutdown_grace = Duration::from_millis(300)).await;
    let stream = never_reads(&app).await;
    let began = Instant::now();
    app.stop();
    assert_eq!(app.ended().await, sudoku_server::server::Ending::CutOff);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    drop(stream);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_is_given_up_at_the_idle_timeout() {
    let app = spawn_app(|config| config.idle_timeout = Duration::from_secs(1)).await;
    let stream = never_reads(&app).await;
    let began = Instant::now();
    // The one that is left is that of the question.
    while app.metric("connections_open").await > 1.0 {
        assert!(began.elapsed() < Duration::from_secs(10), "the connection is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(stream);
}

#[tokio::test]
async fn half_a_body_does_not_use_up_the_grace_of_the_shutdown() {
    let mut app = spawn_app(|_| {}).await;
    let mut stream = connect(&app).await;
    stream.write_all(format!("{}\r\n{{", head(100)).as_bytes()).await.unwrap();
    // Its head has been read once the request counts as open; a second connection shows that the first was accepted.
    assert_eq!(app.get("/livez").await.status, 200);
    tokio::time::sleep(Duration::from_millis(200)).await;
    app.stop();
    let answer = answer(&Method::POST, "/solve", &read_to_end(&mut stream).await);
    assert_eq!((answer.status, answer.problem().as_str()), (503, "shutting-down"));
    assert_eq!(app.ended().await, sudoku_server::server::Ending::Drained);
}
