//! What every answer carries, and the endpoints beside the searches.

use reqwest::Method;
use serde_json::json;

use crate::app::spawn_app;

const EXAMPLE: &str = "9.7.....6824.3......1..9..2.9...2.18...4....51325.8......687.........8.9.4.9...5.";
const SOLVED: &str = "957214386824736591361859742495372618786491235132568974519687423273145869648923157";

#[tokio::test]
async fn a_board_comes_back_in_the_form_that_it_had() {
    let app = spawn_app(|_| {}).await;
    let rows = |line: &str| json!((0..9).map(|row| &line[9 * row..][..9]).collect::<Vec<_>>());
    let integers = |line: &str| {
        let digit = |character: char| character.to_digit(10).unwrap_or(0);
        let row = |row: usize| line[9 * row..][..9].chars().map(digit).collect::<Vec<_>>();
        json!((0..9).map(row).collect::<Vec<_>>())
    };
    for (board, solution) in
        [(json!(EXAMPLE), json!(SOLVED)), (rows(EXAMPLE), rows(SOLVED)), (integers(EXAMPLE), integers(SOLVED))]
    {
        let solved = app.post("/solve", &json!({"board": board})).await.json();
        assert_eq!((&solved["solution"], &solved["unique"]), (&solution, &true.into()));
        let validated = app.post("/validate", &json!({"board": board})).await.json();
        assert_eq!(validated["solutions"], json!([solution]));
    }
}

#[tokio::test]
async fn the_textbook_searches_need_the_nodes_that_they_always_need() {
    let app = spawn_app(|_| {}).await;
    let escargot = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
    for (board, algorithm, nodes) in [
        (EXAMPLE, "mrv", 72),
        (EXAMPLE, "reading_order", 860),
        (EXAMPLE, "exact_cover", 52),
        (escargot, "mrv", 2_231),
        (escargot, "reading_order", 18_884),
        (escargot, "exact_cover", 1_378),
    ] {
        let answer = app.post("/solve", &json!({"board": board, "algorithm": algorithm})).await.json();
        assert_eq!((&answer["nodes"], &answer["unique"]), (&nodes.into(), &true.into()), "{algorithm} {board}");
    }
}

#[tokio::test]
async fn a_budget_is_exact() {
    let app = spawn_app(|_| {}).await;
    for (max_nodes, unique) in [(72, json!(true)), (71, json!(null))] {
        let request = json!({"board": EXAMPLE, "algorithm": "mrv", "max_nodes": max_nodes});
        let answer = app.post("/solve", &request).await.json();
        assert_eq!((&answer["unique"], &answer["nodes"]), (&unique, &max_nodes.into()));
        assert_eq!(answer.get("limit").is_some(), unique.is_null());
    }
    let request = json!({"board": EXAMPLE, "algorithm": "mrv", "max_nodes": 10});
    let answer = app.post("/solve", &request).await;
    assert_eq!((answer.status, answer.problem().as_str()), (422, "budget-exhausted"));
    let answer = app.post("/validate", &request).await.json();
    assert_eq!((&answer["verdict"], &answer["limit"]), (&"undecided".into(), &"nodes".into()));
}

#[tokio::test]
async fn the_time_of_a_search_is_bounded() {
    let app = spawn_app(|config| config.solve_timeout = std::time::Duration::from_millis(50)).await;
    let hopeless = format!("{}12345678.{}9", ".".repeat(60), ".".repeat(11));
    let request = json!({"board": hopeless, "algorithm": "reading_order", "max_nodes": 10_000_000});
    let answer = app.post("/validate", &request).await.json();
    assert_eq!((&answer["verdict"], &answer["limit"]), (&"undecided".into(), &"time".into()), "{answer}");
    let answer = app.post("/solve", &request).await;
    assert_eq!((answer.problem().as_str(), &answer.json()["limit"]), ("budget-exhausted", &"time".into()));
}

#[tokio::test]
async fn front_ends_on_other_origins_may_read_every_answer() {
    let app = spawn_app(|_| {}).await;
    let origin = ("origin", "https://sudoku.example");
    for (method, path, status) in [
        (Method::GET, "/livez", 200),
        (Method::GET, "/nothing", 404),
        (Method::GET, "/solve", 405),
        (Method::DELETE, "/readyz", 405),
        (Method::POST, "/solve", 415),
    ] {
        // The client asserts the headers of every answer.
        let answer = app.client.send(method, path, &[origin], "").await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(
            answer.header("access-control-expose-headers").replace(' ', ""),
            "x-request-id,retry-after",
            "{path}"
        );
    }
    let preflight =
        [origin, ("access-control-request-method", "POST"), ("access-control-request-headers", "content-type")];
    for path in ["/solve", "/validate", "/nothing"] {
        let answer = app.client.send(Method::OPTIONS, path, &preflight, "").await;
        assert_eq!((answer.status, answer.header("access-control-max-age")), (200, "86400"));
        assert_eq!(answer.header("access-control-allow-methods").replace(' ', ""), "GET,HEAD,POST");
        let headers = answer.header("access-control-allow-headers").replace(' ', "");
        assert_eq!(headers, "content-type,x-request-id,traceparent");
    }
}

#[tokio::test]
async fn a_good_id_is_taken_over_and_a_bad_one_replaced() {
    let app = spawn_app(|_| {}).await;
    for (sent, taken) in [("abc-1_2.Z", true), ("two words", false), (&"x".repeat(65), false), ("", false)] {
        let answer = app.client.send(Method::GET, "/nothing", &[("x-request-id", sent)], "").await;
        assert_eq!(answer.header("x-request-id") == sent, taken, "{sent:?}");
        assert_eq!(answer.json()["request_id"], answer.header("x-request-id"), "the document carries it too");
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let app = spawn_app(|_| {}).await;
    for (method, path, allow) in [
        (Method::GET, "/solve", "POST"),
        (Method::PUT, "/validate", "POST"),
        (Method::POST, "/livez", "GET,HEAD"),
        (Method::from_bytes(b"BREW").unwrap(), "/problems/internal", "GET,HEAD"),
    ] {
        let answer = app.client.send(method, path, &[("content-type", "application/json")], "").await;
        assert_eq!((answer.status, answer.header("allow")), (405, allow), "{path}");
    }
}

#[tokio::test]
async fn a_path_with_a_slash_at_its_end_is_another_path() {
    let app = spawn_app(|_| {}).await;
    for path in [
        "/problems/%FF",
        "/problems/%ff%00",
        "/solve/",
        "/livez/",
        "/problems/",
        "/problems/internal/",
        "//livez",
        "/SOLVE",
    ] {
        assert_eq!(app.get(path).await.status, 404, "{path}");
    }
    assert_eq!(app.get("/livez?x=1").await.status, 200);
}

#[tokio::test]
async fn answers_that_change_are_not_kept() {
    let app = spawn_app(|_| {}).await;
    for path in ["/livez", "/readyz", "/metrics", "/nothing"] {
        assert_eq!(app.get(path).await.header("cache-control"), "no-store", "{path}");
    }
    assert_eq!(app.post("/solve", &json!({"board": EXAMPLE})).await.header("cache-control"), "no-store");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let app = spawn_app(|_| {}).await;
    for path in
        ["/livez", "/readyz", "/metrics", "/openapi.yaml", "/problems", "/problems/internal", "/version", "/nothing"]
    {
        let get = app.get(path).await;
        let head = app.client.send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status, head.text.as_str()), (get.status, ""), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
    }
}

#[tokio::test]
async fn the_metrics_are_those_of_the_contract_and_stay_so() {
    let app = spawn_app(|_| {}).await;
    app.post("/solve", &json!({"board": EXAMPLE, "algorithm": "mrv"})).await;
    app.post("/validate", &json!({"board": EXAMPLE})).await;
    app.get("/nothing").await;
    let families = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.strip_prefix("# TYPE ")?.to_owned())).collect()
    };
    let before = app.get("/metrics").await.text;
    let expected = [
        "http_requests counter",
        "http_request_duration_seconds histogram",
        "solver_outcomes counter",
        "solver_nodes histogram",
        "solver_permits gauge",
        "solver_permits_in_use gauge",
        "solver_queue_depth gauge",
        "solver_queue_wait_seconds histogram",
        "requests_shed counter",
        "connections_open gauge",
        "batch_streams gauge",
        "batch_lines counter",
        "log_lines_dropped counter",
        "panics counter",
        "build info",
    ];
    assert_eq!(families(&before), expected);
    assert_eq!(app.metric("http_requests_total{method=\"POST\",route=\"/solve\",status=\"200\"}").await, 1.0);
    assert_eq!(app.metric("solver_outcomes_total{endpoint=\"solve\",outcome=\"unique\"}").await, 1.0);
    assert_eq!(app.metric("solver_nodes_sum{algorithm=\"mrv\"}").await, 72.0);
    assert_eq!(app.metric("solver_nodes_count{algorithm=\"fast\"}").await, 1.0);

    // The first of its kind adds its series; a thousand more of them add none.
    let strange = |n: usize| Method::from_bytes(format!("METHOD{n}").as_bytes()).unwrap();
    app.client.send(strange(0), "/random/0", &[], "").await;
    let before = app.get("/metrics").await.text.lines().count();
    for n in 1..1000 {
        app.client.send(strange(n % 7), &format!("/random/{n}"), &[], "").await;
    }
    assert_eq!(app.get("/metrics").await.text.lines().count(), before);
}

#[tokio::test]
async fn it_is_ready_until_it_is_asked_to_stop() {
    let mut app = spawn_app(|config| config.drain_delay = std::time::Duration::from_secs(60)).await;
    assert_eq!((app.get("/livez").await.text.as_str(), app.get("/readyz").await.text.as_str()), ("ok", "ok"));
    app.stop();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let ready = app.get("/readyz").await;
    assert_eq!((ready.status, ready.problem().as_str(), ready.header("retry-after")), (503, "shutting-down", "1"));
    assert_eq!(ready.header("connection"), "close", "pooled connections move on");
    assert_eq!(app.get("/livez").await.status, 200);
    assert_eq!(app.post("/solve", &json!({"board": EXAMPLE})).await.status, 200, "everything is still served");
}
