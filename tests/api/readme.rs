//! Every `curl` example of the README, run as a reader would run it.

use std::{io::Write, process::Command};

use serde_json::Value;

use crate::app::spawn_app;

/// The fenced blocks of the README, each with its language.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let readme = include_str!("../../README.md");
    let mut blocks = Vec::new();
    let mut rest = readme;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (language, after) = after.split_once('\n').expect("a fence has an end of line");
        let (text, after) = after.split_once("\n```").expect("a fence is closed");
        blocks.push((language, text));
        rest = after;
    }
    blocks
}

/// Leaves out time, ids, and the node counts of `fast`, which promises none.
fn comparable(text: &str, textbook: bool) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let members = value.as_object_mut().expect("an object");
    members.remove("elapsed_us");
    members.remove("request_id");
    if !textbook {
        members.remove("nodes");
    }
    value
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_curl_example_gets_the_answer_that_stands_below_it() {
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no curl on this machine");
    }
    let app = spawn_app(|_| {}).await;
    let blocks = blocks();
    let mut count = 0;
    for (index, (language, text)) in blocks.iter().enumerate() {
        if *language != "sh" || !text.starts_with("curl ") {
            continue;
        }
        let Some(("json", expected)) = blocks.get(index + 1) else { panic!("no answer below: {text}") };
        let script = text.replace("localhost:8080", &app.client.addr.to_string());
        let output = tokio::task::spawn_blocking(move || Command::new("sh").args(["-c", &script]).output().unwrap());
        let output = output.await.unwrap();
        let _ = std::io::stderr().write_all(&output.stderr);
        let answer = String::from_utf8(output.stdout).unwrap();
        let textbook = text.contains("\"algorithm\"");
        assert_eq!(comparable(&answer, textbook), comparable(expected, textbook), "{text}");
        count += 1;
    }
    assert!(count >= 5, "{count} examples");
}

/// The README's table of flags tells every flag that the program knows, and its default.
#[test]
fn the_flags_and_their_defaults_are_those_of_the_program() {
    let help = Command::new(env!("CARGO_BIN_EXE_sudoku-server")).arg("--help").env_clear().output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let readme = include_str!("../../README.md");
    let mut count = 0;
    for part in help.split("\n      --").skip(1) {
        let flag = part.split([' ', '[', '\n', '=']).next().unwrap_or_default();
        if ["help", "version"].contains(&flag) {
            continue;
        }
        let row = readme.lines().find(|line| line.starts_with(&format!("| `--{flag}` |")));
        let row = row.unwrap_or_else(|| panic!("--{flag} is not in the README's table"));
        if let Some((default, _)) = part.split_once("[default: ").and_then(|(_, rest)| rest.split_once(']')) {
            let told = row.split('|').nth(2).unwrap_or_default().replace('`', "");
            let words = default.split(' ').next().unwrap_or_default();
            assert!(told.trim().starts_with(words), "--{flag} defaults to {default}, the README says {told}");
        }
        count += 1;
    }
    assert!(count >= 16, "{count} flags");
}
