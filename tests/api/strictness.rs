//! What is refused, by name and place. A row each.

use reqwest::Method;
use serde_json::json;

use crate::{app::spawn_app, client::Answer};

const BOARD: &str = r#""board":["9.7.....6","824.3....","..1..9..2",".9...2.18","...4....5","1325.8...","...687...","......8.9",".4.9...5."]"#;

/// A body with the good board and something more.
fn with(more: &str) -> String {
    format!("{{{BOARD},{more}}}")
}

/// A body with this board.
fn board(board: &str) -> String {
    format!("{{\"board\":{board}}}")
}

/// Nine rows, the first of them as given.
fn first_row(row: &str) -> String {
    board(&format!("[{row}{}]", r#","........." "#.repeat(8)))
}

#[tokio::test]
async fn every_fault_is_told_with_its_place() {
    let lines = |count: usize| format!("\"{}\"", ".".repeat(count));
    let cage = |cage: &str| with(&format!("\"cages\":[{cage}]"));
    let cases: Vec<(&str, String, &str, Vec<&str>)> = vec![
        ("no object", "[]".into(), "invalid-request", vec![" wrong_type"]),
        ("a string", "\"x\"".into(), "invalid-request", vec![" wrong_type"]),
        ("a number", "1".into(), "invalid-request", vec![" wrong_type"]),
        ("nothing in it", "{}".into(), "invalid-request", vec!["/board missing"]),
        (
            "unknown members",
            with(r#""x":1,"a/b~":2"#),
            "invalid-request",
            vec!["/x unknown_member", "/a~1b~0 unknown_member"],
        ),
        (
            "a misspelt board",
            r#"{"bord":""}"#.into(),
            "invalid-request",
            vec!["/bord unknown_member", "/board missing"],
        ),
        ("the board twice", with(BOARD), "invalid-request", vec!["/board repeated_member"]),
        (
            "an unknown member twice",
            with(r#""x":1,"x":1"#),
            "invalid-request",
            vec!["/x unknown_member", "/x repeated_member"],
        ),
        ("an escaped name", with(r#""\u0062oard":1"#), "invalid-request", vec!["/board repeated_member"]),
        ("an unknown algorithm", with(r#""algorithm":"dlx""#), "invalid-request", vec!["/algorithm unknown_value"]),
        ("an upper-case algorithm", with(r#""algorithm":"MRV""#), "invalid-request", vec!["/algorithm unknown_value"]),
        ("no text for an algorithm", with(r#""algorithm":null"#), "invalid-request", vec!["/algorithm wrong_type"]),
        ("null nodes", with(r#""max_nodes":null"#), "invalid-request", vec!["/max_nodes wrong_type"]),
        ("nodes as text", with(r#""max_nodes":"5""#), "invalid-request", vec!["/max_nodes wrong_type"]),
        ("nodes as 1e3", with(r#""max_nodes":1e3"#), "invalid-request", vec!["/max_nodes wrong_type"]),
        ("nodes as 81.0", with(r#""max_nodes":81.0"#), "invalid-request", vec!["/max_nodes wrong_type"]),
        ("no nodes", with(r#""max_nodes":0"#), "invalid-request", vec!["/max_nodes out_of_range"]),
        ("negative nodes", with(r#""max_nodes":-1"#), "invalid-request", vec!["/max_nodes out_of_range"]),
        ("nodes over the cap", with(r#""max_nodes":10000001"#), "invalid-request", vec!["/max_nodes out_of_range"]),
        (
            "nodes beyond 2^64",
            with(r#""max_nodes":18446744073709551616"#),
            "invalid-request",
            vec!["/max_nodes out_of_range"],
        ),
        (
            "max_solutions is for /validate",
            with(r#""max_solutions":2"#),
            "invalid-request",
            vec!["/max_solutions unknown_member"],
        ),
        ("members before the board", r#"{"board":1,"x":1}"#.into(), "invalid-request", vec!["/x unknown_member"]),
        ("a null board", board("null"), "invalid-board", vec!["/board wrong_type"]),
        ("a number for a board", board("5"), "invalid-board", vec!["/board wrong_type"]),
        ("an object for a board", board("{}"), "invalid-board", vec!["/board wrong_type"]),
        ("no rows", board("[]"), "invalid-board", vec!["/board row_count"]),
        (
            "eight rows",
            board(&format!("[{}]", [r#"".........""#; 8].join(","))),
            "invalid-board",
            vec!["/board row_count"],
        ),
        (
            "ten rows, one wrong",
            board(&format!("[{},\"x\"]", [r#"".........""#; 9].join(","))),
            "invalid-board",
            vec!["/board row_count"],
        ),
        ("a row of ten", first_row(r#""..........""#), "invalid-board", vec!["/board/0 row_length"]),
        (
            "a row of eight with a letter",
            first_row(r#""..x.....""#),
            "invalid-board",
            vec!["/board/0 row_length", "/board/0 bad_character r1c3"],
        ),
        (
            "emoji",
            first_row(r#""....🙂..é.""#),
            "invalid-board",
            vec!["/board/0 bad_character r1c5", "/board/0 bad_character r1c8"],
        ),
        (
            "a flag is two scalars",
            first_row(r#""🇰🇷.......""#),
            "invalid-board",
            vec!["/board/0 bad_character r1c1", "/board/0 bad_character r1c2"],
        ),
        ("full-width digits", first_row(r#""１........""#), "invalid-board", vec!["/board/0 bad_character r1c1"]),
        (
            "a row of integers among strings",
            first_row(r#"".........",[1]"#),
            "invalid-board",
            vec!["/board row_count", "/board/1 wrong_type"],
        ),
        (
            "strings among integers",
            first_row("[0,0,0,0,0,0,0,0,0]"),
            "invalid-board",
            vec![
                "/board/1 wrong_type",
                "/board/2 wrong_type",
                "/board/3 wrong_type",
                "/board/4 wrong_type",
                "/board/5 wrong_type",
                "/board/6 wrong_type",
                "/board/7 wrong_type",
                "/board/8 wrong_type",
            ],
        ),
        (
            "integers in a row",
            board(&format!(
                "[[0,10,-1,1.0,1e0,\"5\",null,0,18446744073709551616]{}]",
                ",[0,0,0,0,0,0,0,0,0]".repeat(8)
            )),
            "invalid-board",
            vec![
                "/board/0/1 out_of_range r1c2",
                "/board/0/2 out_of_range r1c3",
                "/board/0/3 wrong_type r1c4",
                "/board/0/4 wrong_type r1c5",
                "/board/0/5 wrong_type r1c6",
                "/board/0/6 wrong_type r1c7",
                "/board/0/8 out_of_range r1c9",
            ],
        ),
        ("80 characters", board(&lines(80)), "invalid-board", vec!["/board row_length"]),
        ("82 characters", board(&lines(82)), "invalid-board", vec!["/board row_length"]),
        (
            "a letter in a line",
            board(&format!("\"{}x\"", ".".repeat(80))),
            "invalid-board",
            vec!["/board bad_character r9c9"],
        ),
        ("null cages", with(r#""cages":null"#), "invalid-cages", vec!["/cages wrong_type"]),
        ("cages as an object", with(r#""cages":{}"#), "invalid-cages", vec!["/cages wrong_type"]),
        ("a number for a cage", cage("1"), "invalid-cages", vec!["/cages/0 wrong_type"]),
        ("an empty object for a cage", cage("{}"), "invalid-cages", vec!["/cages/0/cells missing"]),
        ("no cells", cage(r#"{"cells":[]}"#), "invalid-cages", vec!["/cages/0/cells empty_cage"]),
        ("null cells", cage(r#"{"cells":null}"#), "invalid-cages", vec!["/cages/0/cells wrong_type"]),
        ("a null sum", cage(r#"{"cells":["r1c1"],"sum":null}"#), "invalid-cages", vec!["/cages/0/sum wrong_type"]),
        (
            "sums out of range",
            cage(r#"{"sum":0,"cells":["r1c1"]},{"sum":46,"cells":["r1c1"]}"#),
            "invalid-cages",
            vec!["/cages/0/sum out_of_range", "/cages/1/sum out_of_range"],
        ),
        (
            "an impossible sum",
            cage(r#"{"sum":18,"cells":["r1c1","r1c2"]}"#),
            "invalid-cages",
            vec!["/cages/0/cells impossible_sum"],
        ),
        (
            "unknown cells",
            cage(r#"{"cells":["r0c1","r1c10","a1",5,"r1c1"]}"#),
            "invalid-cages",
            vec![
                "/cages/0/cells/0 unknown_cell",
                "/cages/0/cells/1 unknown_cell",
                "/cages/0/cells/2 unknown_cell",
                "/cages/0/cells/3 wrong_type",
            ],
        ),
        (
            "a cell twice, in either case",
            cage(r#"{"cells":["r1c1","x","R1C1"]}"#),
            "invalid-cages",
            vec!["/cages/0/cells/1 unknown_cell", "/cages/0/cells/2 duplicate_cell r1c1"],
        ),
        (
            "ten cells",
            cage(&format!(r#"{{"cells":[{}"r9c9"]}}"#, (1..10).map(|n| format!("\"r{n}c1\",")).collect::<String>())),
            "invalid-cages",
            vec!["/cages/0/cells too_many_cells"],
        ),
        (
            "members of a cage",
            cage(r#"{"colour":1,"cells":["r1c1"],"cells":["r1c2"]}"#),
            "invalid-cages",
            vec!["/cages/0/colour unknown_member", "/cages/0/cells repeated_member"],
        ),
        (
            "faults of several cages, as sent",
            cage(r#"{"cells":["q"],"sum":99},{"sum":1.5}"#),
            "invalid-cages",
            vec![
                "/cages/0/cells/0 unknown_cell",
                "/cages/0/sum out_of_range",
                "/cages/1/sum wrong_type",
                "/cages/1/cells missing",
            ],
        ),
        (
            "too many cages tell nothing else",
            cage(&vec!["1"; 325].join(",")),
            "invalid-cages",
            vec!["/cages too_many_cages"],
        ),
        ("a board before cages", r#"{"board":5,"cages":5}"#.into(), "invalid-board", vec!["/board wrong_type"]),
        (
            "cages before the algorithm",
            with(r#""cages":[{"cells":[]}],"algorithm":"exact_cover""#),
            "invalid-cages",
            vec!["/cages/0/cells empty_cage"],
        ),
        (
            "an algorithm that knows no cages",
            with(r#""cages":[{"cells":["r1c1"]}],"algorithm":"exact_cover""#),
            "unsupported-algorithm",
            vec!["/algorithm no_cages"],
        ),
        (
            "the same for reading_order",
            with(r#""cages":[{"cells":["r1c1"]}],"algorithm":"reading_order""#),
            "unsupported-algorithm",
            vec!["/algorithm no_cages"],
        ),
    ];
    let app = spawn_app(|_| {}).await;
    for (what, body, problem, errors) in cases {
        let answer = app.client.post("/solve", body).await;
        assert_eq!((answer.status, answer.problem().as_str()), (422, problem), "{what}: {}", answer.text);
        assert_eq!(answer.errors(), errors, "{what}");
    }
}

#[tokio::test]
async fn what_is_no_json_is_malformed() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("an empty body", b"".into()),
        ("white space", b" \n".into()),
        ("a brace", b"{".into()),
        ("text", b"board".into()),
        ("a byte order mark", with("\"x\":1").replacen('{', "\u{feff}{", 1).into()),
        ("something after it", (with("\"x\":1") + "x").into()),
        ("a second document", (with("\"x\":1") + "{}").into()),
        ("a trailing comma", b"{\"board\":1,}".into()),
        ("a comment", b"{\"board\":1/*x*/}".into()),
        ("no UTF-8", b"{\"board\":\"\xff\"}".into()),
        ("a lone surrogate", board("\"\\ud800\"").into()),
        ("a raw line feed", board("\"\n\"").into()),
        ("60 000 open brackets", "[".repeat(60_000).into()),
    ];
    let app = spawn_app(|_| {}).await;
    for (what, body) in cases {
        let answer = app.client.post("/validate", body).await;
        assert_eq!((answer.status, answer.problem().as_str()), (400, "malformed-json"), "{what}: {}", answer.text);
    }
    let nested = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(app.client.post("/solve", nested.clone()).await.errors(), [" wrong_type"]);
    let nested = app.client.post("/solve", board(&format!("[{nested}]"))).await;
    assert_eq!(nested.problem(), "invalid-board", "{}", nested.text);
}

#[tokio::test]
async fn what_is_right_is_taken() {
    let integers = format!("[{}]", ["[0,0,0,0,0,0,0,0,-0]"; 9].join(","));
    let cases = [
        ("white space around", format!(" \r\n\t{{{BOARD}}}\n")),
        ("no cages", with(r#""cages":[]"#)),
        ("no cages, so any algorithm", with(r#""cages":[],"algorithm":"exact_cover""#)),
        ("upper-case cells", with(r#""cages":[{"sum":14,"cells":["R1C1","r1C2"]}]"#)),
        (
            "equal and overlapping cages",
            with(
                r#""cages":[{"sum":14,"cells":["r1c1","r1c2"]},{"sum":14,"cells":["r1c1","r1c2"]},{"cells":["r1c2","r1c3"]}]"#,
            ),
        ),
        ("the greatest budget", with(r#""max_nodes":10000000"#)),
        ("escapes in names and text", format!("{{{BOARD},\"\\u0061lgorithm\":\"\\u006drv\"}}")),
        ("zeros for empty cells", board(&format!("\"{}\"", "0".repeat(81)))),
        ("integers", board(&integers)),
    ];
    let app = spawn_app(|_| {}).await;
    for (what, body) in cases {
        let answer = app.client.post("/solve", body).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_media_type_is_json_with_any_parameters_and_no_encoding() {
    let app = spawn_app(|_| {}).await;
    let body = format!("{{{BOARD}}}");
    let post = async |headers: &[(&str, &str)]| app.client.send(Method::POST, "/solve", headers, body.clone()).await;
    for good in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON;x=y",
        "application/json ;charset=\"latin1\"",
    ] {
        assert_eq!(post(&[("content-type", good)]).await.status, 200, "{good}");
    }
    let unsupported: [&[(&str, &str)]; 6] = [
        &[],
        &[("content-type", "text/plain")],
        &[("content-type", "application/x-www-form-urlencoded")],
        &[("content-type", "application/problem+json")],
        &[("content-type", "application/jsonx")],
        &[("content-type", "application/json"), ("content-encoding", "gzip")],
    ];
    for headers in unsupported {
        let answer = post(headers).await;
        assert_eq!((answer.status, answer.problem().as_str()), (415, "unsupported-media-type"), "{headers:?}");
        assert!(answer.text.contains("-H 'Content-Type: application/json'"), "{}", answer.text);
    }
    assert_eq!(
        post(&[("content-type", "application/json"), ("accept", "text/html")]).await.status,
        200,
        "Accept says nothing"
    );
}

#[tokio::test]
async fn at_most_a_hundred_faults_are_listed() {
    let app = spawn_app(|_| {}).await;
    let members: Vec<String> = (0..250).map(|n| format!("\"m{n}\":0")).collect();
    let answer = app.client.post("/solve", with(&members.join(","))).await;
    assert_eq!((answer.errors().len(), &answer.json()["errors_omitted"]), (100, &150.into()));
    assert_eq!(answer.errors()[99], "/m99 unknown_member");
    let wrong = app.client.post("/solve", board(&format!("\"{}\"", "x".repeat(60_000)))).await;
    assert_eq!((wrong.errors().len(), wrong.json().get("errors_omitted")), (82, None), "a length, and the 81 cells");
    let name = "x".repeat(60_000);
    let named = app.client.post("/solve", format!("{{\"{name}\":1}}")).await;
    assert_eq!(named.errors().len(), 2, "a name as long as a body");
}

fn clashes(answer: &Answer) -> usize {
    answer.json()["conflicts"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_clash_is_a_problem_to_solve_and_a_verdict_to_validate() {
    let app = spawn_app(|_| {}).await;
    let request = json!({"board": format!("55{}", ".".repeat(79)), "cages": [{"cells": ["r1c1", "r1c2"]}]});
    let solve = app.post("/solve", &request).await;
    assert_eq!((solve.status, solve.problem().as_str(), clashes(&solve)), (422, "conflicting-board", 3));
    let validate = app.post("/validate", &request).await;
    assert_eq!((validate.status, clashes(&validate)), (200, 3));
    let json = validate.json();
    assert_eq!((&json["verdict"], &json["nodes"], &json["dead_end"]), (&"unsolvable".into(), &0.into(), &json!(null)));
    assert_eq!(
        app.metric("solver_outcomes_total{endpoint=\"validate\",outcome=\"unsolvable\"}").await,
        0.0,
        "no search"
    );
}
