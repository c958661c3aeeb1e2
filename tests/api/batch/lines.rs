//! What a line may be, and what is answered.

use serde_json::{Map, Value, json};

use super::{
    Batch, EASY, JSON, SOLVED, TEXT, problem, relabelled, whole_end,
    wire::{Reading, answers},
};
use crate::{app::spawn_app, cases::cases};

fn rows(board: &str) -> Value {
    (0..9).map(|row| Value::from(&board[9 * row..][..9])).collect()
}

fn integers(board: &str) -> Value {
    let digit = |byte: u8| if byte == b'.' { 0 } else { u64::from(byte - b'0') };
    board.as_bytes().chunks(9).map(|row| row.iter().map(|&byte| digit(byte)).collect::<Value>()).collect()
}

/// A board that needs a search, and more than a few nodes with every algorithm.
pub const HARD: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

#[tokio::test]
async fn a_stream_is_answered_line_by_line_and_has_an_end() {
    let app = spawn_app(|_| {}).await;
    for media_type in [JSON, "application/jsonl", "application/x-ndjson; charset=utf-8", "APPLICATION/X-NDJSON"] {
        let mut batch = Batch::open(&app, "/solve/batch", media_type).await;
        batch.to.send(format!("{}\n", json!({"board": EASY}))).await.unwrap();
        let head = batch.from.head().await;
        assert_eq!((head.status, head.header("content-type")), (200, "application/x-ndjson"), "{media_type}");
        assert_eq!(head.header("x-accel-buffering"), "no");
        assert_eq!(head.header("cache-control"), "no-store");
        assert_eq!(head.header("access-control-allow-origin"), "*");
        assert_eq!(head.header("content-encoding"), "");
        assert!(!head.header("x-request-id").is_empty());
        let text = batch.from.text().await.unwrap().unwrap();
        assert!(text.starts_with(r#"{"line":1,"#), "the line's number comes first: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&answer["solution"], &answer["unique"]), (&SOLVED.into(), &true.into()));
        batch.to.end().await.unwrap();
        assert_eq!(batch.from.rest().await, [whole_end(1, 1, 0)]);
    }
}

#[tokio::test]
async fn a_line_is_an_object_or_a_board_and_is_answered_in_its_own_form() {
    let app = spawn_app(|_| {}).await;
    let forms = [Value::from(EASY), rows(EASY), integers(EASY)];
    let solved = [Value::from(SOLVED), rows(SOLVED), integers(SOLVED)];
    let mut text = String::new();
    for form in &forms {
        text += &format!("{}\n{form}\n", json!({"board": form, "algorithm": "mrv", "max_nodes": 5000}));
    }
    let lines = answers(&app, "/solve/batch", JSON, &text).await;
    for (index, line) in lines[..6].iter().enumerate() {
        assert_eq!((&line["line"], &line["solution"]), (&(index + 1).into(), &solved[index / 2]), "{line}");
        assert_eq!(line["nodes"] == 0, index % 2 == 1, "an object has its own algorithm: {line}");
    }
    assert_eq!(lines[6..], [whole_end(6, 6, 0)]);
    let lines = answers(&app, "/validate/batch", JSON, &text).await;
    for (index, line) in lines[..6].iter().enumerate() {
        assert_eq!((&line["line"], &line["verdict"]), (&(index + 1).into(), &"unique".into()), "{line}");
        assert_eq!(line["solutions"], json!([solved[index / 2]]));
    }
}

#[tokio::test]
async fn lines_of_text_are_boards_and_what_stands_behind_them_is_ignored() {
    let app = spawn_app(|_| {}).await;
    let zeros = EASY.replace('.', "0");
    let answered = [
        (EASY.to_owned(), "a board"),
        (zeros.clone(), "zeros for empty cells"),
        (format!("{EASY} 0.0 # easy"), "more after a space"),
        (format!("{zeros}\tmore"), "more after a tab"),
        (format!("{EASY} \u{e9}"), "more, not in ASCII"),
    ];
    let spaces = " ".repeat(81);
    let comment = format!("  #{}", "x".repeat(78));
    let skipped = [
        "# a comment",
        "#",
        "",
        " ",
        "\t",
        &spaces,
        &" ".repeat(82),
        &" ".repeat(1000),
        &"\t".repeat(81),
        &format!("{spaces}# a remark"),
        &format!("{spaces} # a remark"),
        &comment,
        &format!("{comment} and more"),
        &format!("{comment}\tand more"),
        &format!(" #{EASY}"),
        &format!("#{EASY}"),
        &format!("# {EASY}"),
    ];
    for end in ["\n", "\r\n"] {
        let (mut text, mut expected) = (String::new(), Vec::new());
        for (number, (board, shows)) in answered.iter().enumerate() {
            text += &format!("{}{end}{board}{end}", skipped[number]);
            expected.push((2 * number as u64 + 2, *shows));
        }
        text += &skipped.join(end);
        for path in ["/solve/batch", "/validate/batch"] {
            let lines = answers(&app, path, TEXT, &text).await;
            assert_eq!(lines.len(), answered.len() + 1, "{lines:?}");
            for (line, (number, shows)) in lines.iter().zip(&expected) {
                let solution = if path == "/solve/batch" { &line["solution"] } else { &line["solutions"][0] };
                assert_eq!((&line["line"], solution), (&(*number).into(), &SOLVED.into()), "{shows}: {line}");
            }
            assert_eq!(lines[answered.len()], whole_end(10 + skipped.len() as u64, answered.len() as u64, 0));
        }
    }
}

#[tokio::test]
async fn the_first_word_of_a_line_of_text_is_its_board() {
    let app = spawn_app(|_| {}).await;
    let indented = [format!(" {EASY}"), format!("\t {EASY} 0.0"), format!("{:100}{EASY}", "")];
    let lines = answers(&app, "/solve/batch", TEXT, indented.join("\n")).await;
    assert!(lines[..3].iter().all(|line| line["solution"] == SOLVED), "{lines:?}");
    // A board that is too short does not become longer by what stands behind it.
    let short = [
        format!("{} a", &EASY[..79]),
        format!("{}  a long remark", &EASY[..79]),
        format!("{} ", &EASY[..80]),
        format!("{}  a long remark", &EASY[..80]),
        format!("{} 12345", &EASY[..75]),
        format!("{} 12345 a long remark", &EASY[..75]),
        format!("{}\t{EASY}", &EASY[..80]),
        format!("{:6}{} a", "", &EASY[..73]),
        format!("{:80}{EASY}", &EASY[..9]),
        format!("{:81}{}", "", &EASY[..9]),
        format!("{:81}{EASY}", &EASY[..9]),
    ];
    for path in ["/solve/batch", "/validate/batch"] {
        let lines = answers(&app, path, TEXT, short.join("\n")).await;
        assert_eq!(lines[short.len()..], [whole_end(short.len() as u64, 0, short.len() as u64)], "{lines:?}");
        for (line, text) in lines.iter().zip(&short) {
            let errors = line["problem"]["errors"].as_array().unwrap();
            assert_eq!((problem(line), errors.len()), ("invalid-board", 1), "{text:?}: {line}");
            assert_eq!(errors[0]["code"], "row_length", "{text:?}: {line}");
        }
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_the_first_line_is_ignored() {
    let app = spawn_app(|_| {}).await;
    let json = json!({"board": EASY}).to_string();
    for (media_type, first, answered) in [
        (TEXT, EASY, 1),
        (TEXT, "# a comment", 0),
        (TEXT, "", 0),
        (TEXT, &" ".repeat(81), 0),
        (JSON, &json, 1),
        (JSON, "", 0),
    ] {
        let next = if media_type == JSON { &json } else { EASY };
        let lines = answers(&app, "/solve/batch", media_type, format!("\u{feff}{first}\n{next}\n")).await;
        assert_eq!(lines.last(), Some(&whole_end(2, answered + 1, 0)), "{first:?}: {lines:?}");
        let lines = answers(&app, "/solve/batch", media_type, format!("{next}\n\u{feff}{next}\n")).await;
        assert_eq!(lines.last(), Some(&whole_end(2, 1, 1)), "nowhere else: {lines:?}");
    }
}

/// What is the same in the answer to a line and in that to a request of its own.
fn comparable(mut answer: Value) -> Value {
    let members = answer.as_object_mut().unwrap();
    for own in ["line", "elapsed_us", "request_id"] {
        members.shift_remove(own);
    }
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_answered_as_a_request_of_its_own_would_be() {
    let app = spawn_app(|_| {}).await;
    let mut requests: Vec<Value> = Vec::new();
    for (number, case) in cases().enumerate() {
        let form =
            [Value::from(case.board), rows(&case.board.replace('0', ".")), integers(&case.board.replace('0', "."))];
        requests.push(json!({"board": form[number % 3]}));
        if number % 4 == 0 {
            let algorithm = ["mrv", "reading_order", "exact_cover"][number / 4 % 3];
            requests.push(json!({"board": case.board, "algorithm": algorithm, "max_nodes": 1 + 97 * number}));
        }
    }
    for killer in include_str!("../../data/killer.jsonl").lines().step_by(3) {
        let killer: Value = serde_json::from_str(killer).unwrap();
        requests.push(json!({"board": killer["board"], "cages": killer["cages"], "max_nodes": 10_000}));
    }
    // Each kind of problem, and several faults at once.
    requests.extend([
        json!({}),
        json!({"board": EASY, "cages": null, "x": 1}),
        json!({"board": EASY.replace('9', "x"), "algorithm": "fast"}),
        json!({"board": rows(EASY).as_array().unwrap()[..8]}),
        json!({"board": EASY, "cages": [{"sum": 99, "cells": ["r1c1", "r1c1"]}, {"cells": []}]}),
        json!({"board": EASY, "cages": [{"cells": ["r1c1"]}], "algorithm": "exact_cover"}),
        json!({"board": HARD, "algorithm": "mrv", "max_nodes": 1}),
        json!({"board": EASY, "max_nodes": 0}),
        json!({"board": EASY, "algorithm": "slow"}),
        json!(7),
    ]);
    for (single, batch, solutions) in [
        ("/solve", "/solve/batch", None),
        ("/validate", "/validate/batch", None),
        ("/validate", "/validate/batch", Some(10)),
    ] {
        let with = |request: &Value| match (request.clone(), solutions) {
            (Value::Object(members), Some(count)) if !members.contains_key("max_solutions") => Value::Object(
                members.into_iter().chain([("max_solutions".to_owned(), json!(count))]).collect::<Map<_, _>>(),
            ),
            (request, _) => request,
        };
        let requests: Vec<Value> = requests.iter().map(with).collect();
        let text: String = requests.iter().map(|request| format!("{request}\n")).collect();
        let mut stream = Batch::open(&app, batch, JSON).await;
        let lines = stream.exchange(text.as_bytes()).await;
        assert_eq!(lines.len(), requests.len() + 1);
        let mut problems = 0;
        for ((number, request), line) in (1..).zip(&requests).zip(lines) {
            assert_eq!(line["line"], number, "{line}");
            let answer = app.post(single, request).await;
            let mut expected = comparable(answer.json());
            let (mut found, is_problem) = match line.get("problem") {
                Some(problem) => (problem.clone(), true),
                None => (line.clone(), false),
            };
            assert_eq!(is_problem, answer.status != 200, "{request}: {line}");
            if request.is_number() {
                // It says that a board would have done as well.
                expected["errors"] = json!(null);
                found["errors"] = json!(null);
            }
            assert_eq!(comparable(found), expected, "{batch}: {request}");
            problems += u64::from(is_problem);
        }
        assert!(problems >= 9, "{problems}");
    }
}

#[tokio::test]
async fn the_problems_of_a_stream_carry_the_id_of_the_stream() {
    let app = spawn_app(|_| {}).await;
    let headers = format!("Content-Type: {TEXT}\r\nContent-Length: 4\r\nX-Request-Id: stream-1\r\n");
    let mut batch = Batch::with_head(&app, "/solve/batch", &headers).await;
    batch.to.bytes(b"1\n2\n").await.unwrap();
    assert_eq!(batch.from.head().await.header("x-request-id"), "stream-1");
    let lines = batch.from.rest().await;
    assert_eq!(lines[2], whole_end(2, 0, 2));
    for line in &lines[..2] {
        assert_eq!((problem(line), &line["problem"]["request_id"]), ("invalid-board", &"stream-1".into()));
        assert_eq!(line["problem"]["errors"][0]["pointer"], "", "a bare board is the whole document");
    }
}

#[tokio::test]
async fn a_bad_line_spoils_no_other() {
    let app = spawn_app(|_| {}).await;
    let long = "x".repeat(100 << 10);
    let just = "x".repeat((64 << 10) + 1);
    let padded =
        format!("{}{}", json!({"board": EASY}), " ".repeat((64 << 10) - json!({"board": EASY}).to_string().len()));
    let spaced = format!("{EASY}{}", " ".repeat((64 << 10) - 81));
    // Media type, line, problem, status; the line beside it is answered.
    let cases: [(&str, &[u8], &str, u16); 25] = [
        (JSON, b"x", "malformed-json", 400),
        (JSON, b"{\"board\":", "malformed-json", 400),
        (JSON, b"{} {}", "malformed-json", 400),
        (JSON, b"\xff", "malformed-json", 400),
        (JSON, b"\"\xc3\x28\"", "malformed-json", 400),
        (JSON, b"{\"board\": \"\xed\xa0\x80\"}", "malformed-json", 400),
        (JSON, b"\0", "malformed-json", 400),
        (JSON, &EASY.as_bytes()[..80], "malformed-json", 400),
        (JSON, b"\"..\"", "invalid-board", 422),
        (JSON, b"null", "invalid-request", 422),
        (JSON, b"{\"board\": null}", "invalid-board", 422),
        (JSON, long.as_bytes(), "line-too-long", 413),
        (JSON, just.as_bytes(), "line-too-long", 413),
        (JSON, &just.as_bytes()[1..], "malformed-json", 400),
        (JSON, padded.as_bytes(), "", 0),
        (TEXT, &EASY.as_bytes()[..80], "invalid-board", 422),
        (TEXT, b"x", "invalid-board", 422),
        (TEXT, b"\xff", "malformed-json", 400),
        (TEXT, b"\xff\xfe9\0.\0", "malformed-json", 400),
        (TEXT, [EASY.as_bytes(), b"9"].concat().leak(), "invalid-board", 422),
        (TEXT, [&EASY.as_bytes()[..80], b"\xc3"].concat().leak(), "malformed-json", 400),
        (TEXT, [&EASY.as_bytes()[..79], b"\xc3\xa9"].concat().leak(), "invalid-board", 422),
        (TEXT, long.as_bytes(), "line-too-long", 413),
        (TEXT, just.as_bytes(), "line-too-long", 413),
        (TEXT, spaced.as_bytes(), "", 0),
    ];
    for (media_type, bad, expected, status) in cases {
        let good = if media_type == JSON { format!("\"{EASY}\"") } else { EASY.to_owned() };
        for end in ["\n", "\r\n"] {
            // Before it, after it, and at the end of the input, where its own end may be missing.
            let text = [good.as_bytes(), bad, good.as_bytes(), bad].join(end.as_bytes());
            let lines = answers(&app, "/solve/batch", media_type, &text).await;
            let shows = String::from_utf8_lossy(&bad[..bad.len().min(20)]).into_owned();
            let problems = if expected.is_empty() { 0 } else { 2 };
            assert_eq!(lines[4], whole_end(4, 4 - problems, problems), "{shows} {end:?}");
            for (number, line) in (1..).zip(&lines[..4]) {
                assert_eq!(line["line"], number, "{shows}: {line}");
                match number % 2 == 1 || expected.is_empty() {
                    true => assert_eq!(line["solution"], SOLVED, "{shows}: {line}"),
                    false => {
                        assert_eq!(
                            (problem(line), &line["problem"]["status"]),
                            (expected, &status.into()),
                            "{shows}: {line}"
                        );
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn lines_may_come_in_any_pieces() {
    let app = spawn_app(|_| {}).await;
    let line = format!("{}\r\n", json!({"board": EASY}));
    for cut in (1..line.len()).step_by(7) {
        let mut batch = Batch::open(&app, "/solve/batch", JSON).await;
        for piece in [&line[..cut], &line[cut..], &line[..cut]] {
            batch.to.send(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        assert_eq!(batch.from.head().await.status, 200);
        assert_eq!(batch.from.line().await["line"], 1, "the second line is not there yet, at {cut}");
        batch.to.send(&line[cut..]).await.unwrap();
        batch.to.end().await.unwrap();
        assert_eq!(batch.from.line().await["solution"], SOLVED);
        assert_eq!(batch.from.rest().await, [whole_end(2, 2, 0)]);
    }
}

#[tokio::test]
async fn a_line_asks_for_ten_solutions_at_most() {
    let app = spawn_app(|_| {}).await;
    let ask = |count: u64| format!("{}\n", json!({"board": ".".repeat(81), "max_solutions": count}));
    let lines = answers(&app, "/validate/batch", JSON, ask(10) + &ask(11) + &ask(2)).await;
    assert_eq!((&lines[0]["solution_count"], lines[0]["solutions"].as_array().unwrap().len()), (&10.into(), 10));
    assert_eq!(problem(&lines[1]), "invalid-request");
    assert_eq!(lines[1]["problem"]["errors"][0]["pointer"], "/max_solutions");
    assert_eq!(lines[1]["problem"]["errors"][0]["code"], "out_of_range");
    assert_eq!(lines[2]["solution_count"], 2);
    let lines = answers(&app, "/solve/batch", JSON, ask(2)).await;
    assert_eq!(lines[0]["problem"]["errors"][0]["code"], "unknown_member", "/solve has no such member");
}

#[tokio::test]
async fn an_empty_stream_has_an_end_and_nothing_else() {
    let app = spawn_app(|_| {}).await;
    for path in ["/solve/batch", "/validate/batch"] {
        for media_type in [JSON, TEXT] {
            assert_eq!(answers(&app, path, media_type, "").await, [whole_end(0, 0, 0)]);
            let sized = format!("Content-Type: {media_type}\r\nContent-Length: 0\r\n");
            let mut batch = Batch::with_head(&app, path, &sized).await;
            assert_eq!(batch.from.head().await.status, 200);
            assert_eq!(batch.from.rest().await, [whole_end(0, 0, 0)]);
            assert_eq!(answers(&app, path, media_type, "\n").await, [whole_end(1, 0, 0)]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_million_blank_lines_are_counted_and_that_is_all() {
    let app = spawn_app(|_| {}).await;
    for media_type in [JSON, TEXT] {
        let text = "\n".repeat(1_000_000)
            + &serde_json::to_string(EASY).unwrap().replace('"', if media_type == TEXT { "" } else { "\"" });
        let lines = answers(&app, "/solve/batch", media_type, text).await;
        assert_eq!(lines[0]["line"], 1_000_001);
        assert_eq!(lines[1..], [whole_end(1_000_001, 1, 0)]);
    }
}

#[tokio::test]
async fn what_is_no_stream_is_refused_before_it_begins() {
    let app = spawn_app(|_| {}).await;
    let sized = "Content-Length: 2\r\n";
    let cases = [
        ("Content-Type: application/json\r\n", "JSON is no stream of lines"),
        ("Content-Type: application/x-www-form-urlencoded\r\n", "curl -d"),
        ("", "nothing said"),
        ("Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\n", "compressed"),
        ("Content-Type: text/plain\r\nContent-Encoding: br\r\n", "compressed otherwise"),
    ];
    for (headers, shows) in cases {
        for path in ["/solve/batch", "/validate/batch"] {
            let mut batch = Batch::with_head(&app, path, &format!("{headers}{sized}")).await;
            batch.to.bytes(b"{}").await.unwrap();
            let head = batch.from.head().await;
            assert_eq!((head.status, head.header("content-type")), (415, "application/problem+json"), "{shows}");
            let document: Value = batch.from.sized(path, &head).await;
            assert_eq!(document["type"], "/problems/unsupported-media-type", "{shows}");
            assert!(document["detail"].as_str().unwrap().contains("application/x-ndjson"), "{document}");
            batch.again(path, JSON).await;
            assert_eq!(batch.exchange(b"\n").await, [whole_end(1, 0, 0)], "the connection can be used again");
        }
    }
    assert_eq!(app.metric("batch_streams").await, 0.0);
    for path in ["/solve", "/validate"] {
        let refused = app.client.send(reqwest::Method::POST, path, &[("content-type", JSON)], "{}").await;
        assert_eq!(refused.status, 415, "{path} takes no stream");
    }
}

/// The numbers, the order and the solutions of `count` relabelled boards.
pub async fn check_relabelled(from: &mut Reading, count: usize) {
    let solutions: Vec<String> =
        (0..18).map(|number| format!("\"solution\":\"{}\"", relabelled(SOLVED, number))).collect();
    for number in 0..count {
        let line = from.text().await.unwrap_or_else(|error| panic!("{error} after {number} lines"));
        let line = line.unwrap_or_else(|| panic!("the end after {number} lines"));
        assert!(line.starts_with(&format!("{{\"line\":{},", number + 1)), "line {} expected: {line}", number + 1);
        assert!(line.contains(&solutions[number % 18]), "{line}");
    }
}

/// So many relabelled boards, a line each.
pub fn boards(count: usize) -> String {
    (0..count).map(|number| relabelled(EASY, number) + "\n").collect()
}
