//! Every `curl` example of the README, and every client for batches, run as a reader would run it.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Output},
};

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
fn comparable(value: &mut Value, textbook: bool) {
    let members = value.as_object_mut().expect("an object");
    members.remove("elapsed_us");
    members.remove("request_id");
    if !textbook {
        members.remove("nodes");
    }
    if let Some(problem) = members.get_mut("problem") {
        comparable(problem, textbook);
    }
}

/// One document, or as many as a batch has lines, however they are broken into lines.
fn documents(text: &str, textbook: bool) -> Vec<Value> {
    let documents = serde_json::Deserializer::from_str(text).into_iter();
    let mut documents: Vec<Value> =
        documents.map(|value| value.unwrap_or_else(|error| panic!("{error}: {text}"))).collect();
    documents.iter_mut().for_each(|document| comparable(document, textbook));
    documents
}

/// A folder of its own with the README's `boards.txt`.
fn folder_with_boards(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let (_, boards) = blocks().into_iter().find(|(language, _)| *language == "text").expect("boards.txt");
    fs::write(folder.join("boards.txt"), boards.to_owned() + "\n").unwrap();
    folder
}

fn is_there(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: no {program} on this machine");
    }
    is_there
}

async fn run(program: &'static str, arguments: [String; 2], folder: &Path) -> Output {
    let folder = folder.to_owned();
    let run = move || Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let _ = std::io::stderr().write_all(&output.stderr);
    output
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_curl_example_gets_the_answer_that_stands_below_it() {
    if !is_there("curl") {
        return;
    }
    let app = spawn_app(|_| {}).await;
    let folder = folder_with_boards("readme-curl");
    let blocks = blocks();
    let (mut count, mut batches) = (0, 0);
    for (index, (language, text)) in blocks.iter().enumerate() {
        if *language != "sh" || !text.starts_with("curl ") {
            continue;
        }
        let Some(("json", expected)) = blocks.get(index + 1) else { panic!("no answer below: {text}") };
        let script = text.replace("localhost:8080", &app.client.addr.to_string());
        let output = run("sh", ["-c".to_owned(), script], &folder).await;
        let answer = String::from_utf8(output.stdout).unwrap();
        let textbook = text.contains("\"algorithm\"");
        assert_eq!(documents(&answer, textbook), documents(expected, textbook), "{text}");
        count += 1;
        batches += usize::from(text.contains("/batch"));
    }
    assert!(count >= 6 && batches >= 1, "{count} examples, {batches} of them batches");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_client_for_batches_knows_whether_the_answer_is_whole() {
    let app = spawn_app(|_| {}).await;
    let first = r#"{"line":2,"solution":"957","unique":true,"nodes":0,"elapsed_us":4}"#;
    let cut = format!("{first}\n{}\n", r#"{"end":false,"line":3,"problem":{"title":"Stalled"}}"#);
    let not_whole = [(cut, "cut short at line 3: Stalled"), (format!("{first}\n"), "the connection broke")];
    let folder = folder_with_boards("readme-clients");
    for (language, program, file) in [("python", "python3", "client.py"), ("js", "node", "client.mjs")] {
        if !is_there(program) {
            continue;
        }
        let of_batches = |(known, text): &&(&str, &str)| *known == language && text.contains("boards.txt");
        let blocks = blocks();
        let (_, text) = blocks.iter().find(of_batches).unwrap_or_else(|| panic!("a client in {language}"));
        let run = async |addr: SocketAddr| {
            fs::write(folder.join(file), text.replace("localhost:8080", &addr.to_string())).unwrap();
            let output = run(program, [file.to_owned(), String::new()], &folder).await;
            (output.status.success(), output.stdout, output.stderr)
        };
        let (is_right, told, _) = run(app.client.addr).await;
        let told = String::from_utf8(told).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        assert!(is_right && lines.len() == 2, "{language}: {told}");
        assert!(lines[0].starts_with("2 957214386"), "{language}: {told}");
        assert_eq!(lines[1], "3 Conflicting board", "{language}");
        for (answer, expected) in &not_whole {
            let (is_right, told, complaint) = run(says_and_closes(answer.clone())).await;
            let (told, complaint) = (String::from_utf8(told).unwrap(), String::from_utf8(complaint).unwrap());
            assert!(!is_right && told == "2 957\n", "{language}: {told}");
            assert!(complaint.contains(expected), "{language}: {complaint}");
        }
    }
}

/// A server that answers one batch with these lines, whatever it is sent, and closes.
fn says_and_closes(lines: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut request, mut more) = (Vec::new(), [0; 4096]);
        while !request.ends_with(b"\r\n0\r\n\r\n") {
            let count = stream.read(&mut more).unwrap();
            assert!(count > 0, "the request ends");
            request.extend_from_slice(&more[..count]);
        }
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n{lines}").unwrap();
    });
    addr
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
