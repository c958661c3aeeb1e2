//! Boards with known answers, from public collections and bug reports (tests/data/*.tsv; each line names its source).

use serde_json::{Value, json};

use crate::app::spawn_app;

const FILES: [&str; 4] = [
    include_str!("../data/sudopedia_valid_invalid.tsv"),
    include_str!("../data/issue_boards.tsv"),
    include_str!("../data/famous_hard.tsv"),
    include_str!("../data/tdoku_solution_counts.tsv"),
];

pub struct Case {
    pub board: &'static str,
    pub verdict: &'static str,
    /// How many solutions there are; `None` for a thousand or more.
    count: Option<u64>,
    pub solution: &'static str,
    /// As in `row 1:9@r1c2,r1c3`.
    clashes: Vec<&'static str>,
    pub note: &'static str,
}

pub fn cases() -> impl Iterator<Item = Case> {
    let lines = FILES.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let [board, verdict, count, solution, clashes, note] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("six columns: {line}")
        };
        let clashes = clashes.split(';').filter(|clash| *clash != "-").collect();
        Case { board, verdict, count: count.parse().ok(), solution, clashes, note }
    })
}

fn clash(conflict: &Value) -> String {
    let cells: Vec<&str> = conflict["cells"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
    let house = &conflict["house"];
    format!("{} {}:{}@{}", house["kind"].as_str().unwrap(), house["number"], conflict["digit"], cells.join(","))
}

/// What is true of every validate answer, whatever the board.
fn assert_consistent(answer: &Value, note: &str) {
    let solutions = answer["solutions"].as_array().unwrap();
    assert_eq!(answer["solution_count"], solutions.len(), "{note}");
    let differing: Vec<&str> =
        answer["differing_cells"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let lines: Vec<&[u8]> = solutions.iter().map(|line| line.as_str().unwrap().as_bytes()).collect();
    let expected: Vec<String> = (0..81)
        .filter(|&i| lines.windows(2).any(|pair| pair[0][i] != pair[1][i]))
        .map(|i| format!("r{}c{}", i / 9 + 1, i % 9 + 1))
        .collect();
    assert_eq!(differing, expected, "{note}");
}

#[tokio::test]
async fn every_board_gets_its_verdict_count_and_clashes() {
    let app = spawn_app(|_| {}).await;
    let mut count = 0;
    for case in cases() {
        let answer = app.post("/validate", &json!({"board": case.board, "max_solutions": 1000})).await.json();
        assert_eq!(answer["verdict"], case.verdict, "{}", case.note);
        assert_eq!(answer["solution_count"], case.count.unwrap_or(1000), "{}", case.note);
        assert_eq!(answer["count_is_exact"], case.count.is_some(), "{}", case.note);
        assert_consistent(&answer, case.note);
        let mut clashes: Vec<String> = answer["conflicts"].as_array().unwrap().iter().map(clash).collect();
        clashes.sort();
        let mut expected = case.clashes.clone();
        expected.sort_unstable();
        assert_eq!(clashes, expected, "{}", case.note);
        if case.verdict == "unique" {
            assert_eq!(answer["solutions"][0], case.solution, "{}", case.note);
        }
        count += 1;
    }
    assert!(count > 50, "{count} boards");
}

#[tokio::test]
async fn every_board_is_solved_or_told_why_not() {
    let app = spawn_app(|_| {}).await;
    for case in cases() {
        let answer = app.post("/solve", &json!({"board": case.board})).await;
        let json = answer.json();
        match (case.verdict, case.clashes.is_empty()) {
            ("unique", _) => {
                assert_eq!(
                    (&json["solution"], &json["unique"]),
                    (&case.solution.into(), &true.into()),
                    "{}",
                    case.note
                );
            }
            ("multiple", _) => assert_eq!((answer.status, &json["unique"]), (200, &false.into()), "{}", case.note),
            (_, true) => assert_eq!(answer.problem(), "unsolvable-board", "{}", case.note),
            (_, false) => assert_eq!(answer.problem(), "conflicting-board", "{}", case.note),
        }
    }
}

#[tokio::test]
async fn the_algorithms_agree_where_they_come_to_an_end() {
    let app = spawn_app(|_| {}).await;
    let mut decided = 0;
    for case in cases().filter(|case| case.clashes.is_empty()) {
        for algorithm in ["mrv", "reading_order", "exact_cover"] {
            let request = json!({"board": case.board, "algorithm": algorithm, "max_nodes": 20_000});
            let answer = app.post("/validate", &request).await.json();
            if answer["verdict"] != "undecided" {
                assert_eq!(answer["verdict"], case.verdict, "{algorithm}: {}", case.note);
                decided += 1;
            } else {
                assert_eq!((&answer["limit"], &answer["nodes"]), (&"nodes".into(), &20_000.into()), "{}", case.note);
            }
        }
    }
    assert!(decided > 60, "{decided} verdicts");
}
