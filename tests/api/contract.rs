//! The service does what openapi.yaml says, all of it and nothing else.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::spawn_app,
    client::{CONTRACT, check_batch, described, examples, line_schema, lines, resolve, validator},
};

/// Each operation of the contract.
fn operations() -> impl Iterator<Item = (Method, &'static str, &'static Value)> {
    let paths = CONTRACT["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("a path item").iter();
        let operation = |name: &String| matches!(name.as_str(), "get" | "post" | "head").then(|| name.to_uppercase());
        methods.filter_map(move |(name, value)| Some((operation(name)?.parse().ok()?, path.as_str(), value)))
    })
}

#[tokio::test]
async fn every_operation_of_the_contract_answers() {
    let app = spawn_app(|_| {}).await;
    let mut count = 0;
    for (method, path, _) in operations() {
        let path = path.replace("{name}", "internal");
        let json = [("content-type", "application/json")];
        let answer =
            app.client.send(method.clone(), &path, &json, if method == Method::POST { "{}" } else { "" }).await;
        assert!(![404, 405].contains(&answer.status), "{method} {path}");
        count += 1;
    }
    assert!(count >= 16, "{count} operations");
}

#[test]
fn every_route_is_in_the_contract() {
    let documented: Vec<&String> = CONTRACT["paths"].as_object().expect("paths").keys().collect();
    for path in sudoku_server::http::paths() {
        assert!(documented.contains(&&path.to_owned()), "{path} is not in openapi.yaml");
    }
}

#[test]
fn the_version_is_the_package_s() {
    assert_eq!(CONTRACT["info"]["version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn the_contract_is_served_as_it_is() {
    let app = spawn_app(|_| {}).await;
    let served = app.get("/openapi.yaml").await;
    assert_eq!(served.text, include_str!("../../openapi.yaml"));
}

/// Takes out what an example cannot foretell: time, ids, and node counts but those of the textbook searches.
fn comparable(mut answer: Value, textbook: bool) -> Value {
    if let Some(members) = answer.as_object_mut() {
        members.remove("elapsed_us");
        members.remove("request_id");
        if !textbook {
            members.remove("nodes");
        }
    }
    answer
}

#[tokio::test]
async fn every_example_of_a_request_gets_the_answer_of_its_example() {
    let app = spawn_app(|_| {}).await;
    let (mut count, mut wrong) = (0, Vec::new());
    for (method, path, operation) in operations().filter(|(method, ..)| *method == Method::POST) {
        let content = &operation["requestBody"]["content"]["application/json"];
        let mut requests = examples(content, "examples");
        requests.extend(examples(content, "x-rejected-examples"));
        for (name, request) in requests {
            let answer = app.post(path, request).await;
            let expected = described(&method, path, answer.status).expect("the client has checked it");
            let content = expected["content"].as_object().expect("content").values().next().expect("a media type");
            let expected = *examples(content, "examples")
                .get(name)
                .unwrap_or_else(|| panic!("{path} {name} is answered with {}: {}", answer.status, answer.text));
            let algorithm = request["algorithm"].as_str().unwrap_or("fast");
            let textbook = algorithm != "fast";
            let (found, expected) = (comparable(answer.json(), textbook), comparable(expected.clone(), textbook));
            if found != expected {
                wrong.push(format!("{path} {name}\n   found {found}\nexpected {expected}"));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "{count} examples");
}

/// The lines of a batch's answer, each without what an example cannot foretell.
fn comparable_lines(answer: &[Value], request: &str) -> Vec<Value> {
    let is_textbook = |number: &Value| {
        let line = request.lines().nth(number.as_u64()?.checked_sub(1)? as usize)?;
        let line: Value = serde_json::from_str(line).ok()?;
        Some(line.get("algorithm")? != "fast")
    };
    let comparable_line = |line: &Value| {
        let (mut line, textbook) = (line.clone(), is_textbook(&line["line"]).unwrap_or(false));
        if line.get("problem").is_some() {
            line["problem"] = comparable(line["problem"].take(), textbook);
        }
        comparable(line, textbook)
    };
    answer.iter().map(comparable_line).collect()
}

#[tokio::test]
async fn every_example_of_a_batch_gets_the_lines_of_its_example() {
    let app = spawn_app(|_| {}).await;
    let (mut count, mut wrong) = (0, Vec::new());
    for (method, path, operation) in operations().filter(|(_, path, _)| path.ends_with("/batch")) {
        let answers = &described(&method, path, 200).expect("an answer")["content"]["application/x-ndjson"];
        let mut answers = examples(answers, "examples");
        for (media_type, content) in operation["requestBody"]["content"].as_object().expect("content") {
            let is_right = line_schema(content).map(validator);
            for (name, request) in examples(content, "examples") {
                let request = request.as_str().expect("lines");
                let answer = app.client.batch(path, media_type, request).await;
                assert_eq!((answer.status, answer.end()["end"].as_bool()), (200, Some(true)), "{path} {name}");
                let expected = answers.remove(name).unwrap_or_else(|| panic!("{path} {name} has no answer"));
                let expected = expected.as_str().expect("lines");
                let found = comparable_lines(&answer.lines, request);
                let expected = comparable_lines(&lines(expected), request);
                if found != expected {
                    let text: String = answer.lines.iter().map(|line| format!("{line}\n")).collect();
                    wrong.push(format!("{path} {name}\n{text}"));
                }
                for (number, line) in (1..).zip(request.lines()).filter(|(_, line)| !line.is_empty()) {
                    let Some(is_right) = &is_right else { continue };
                    let is_right = serde_json::from_str(line).is_ok_and(|line| is_right.is_valid(&line));
                    assert_eq!(is_right, answer.problem_of(number).is_empty(), "the schema of {path} and {line}");
                }
                count += 1;
            }
        }
        for (name, answer) in answers {
            let end = lines(answer.as_str().expect("lines")).pop().unwrap_or_default();
            assert_eq!(end["end"], false, "{path} {name}: only streams that are cut short need no request");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 9, "{count} examples");
}

#[tokio::test]
async fn a_batch_says_what_it_is() {
    let app = spawn_app(|_| {}).await;
    for path in ["/solve/batch", "/validate/batch"] {
        for media_type in ["application/json", "application/octet-stream", "text/html", ""] {
            let answer = app.client.batch(path, media_type, "\n").await;
            let told = (answer.status, answer.problem.as_str(), answer.lines.len());
            assert_eq!(told, (415, "unsupported-media-type", 0), "{media_type}");
            assert_eq!(answer.header("x-accel-buffering"), "", "it is no stream");
        }
    }
}

#[test]
fn every_example_matches_its_schema() {
    let mut count = 0;
    let mut check = |content: &'static Value, at: &str| {
        let validator = validator(&content["schema"]);
        for (name, value) in examples(content, "examples") {
            assert!(validator.is_valid(value), "{at} {name}: {:?}", validator.validate(value));
            if at.ends_with("/batch 200") {
                let path = at.split(' ').nth(1).unwrap_or_default();
                check_batch(path, value.as_str().expect("lines"), "0190a6b0c2f84c5e9d3a7b1e5f60718a");
            }
            count += 1;
        }
        for (name, value) in examples(content, "x-rejected-examples") {
            assert!(!validator.is_valid(value), "{at} {name} is rejected, but matches the schema");
        }
    };
    for (method, path, operation) in operations() {
        if let Some(content) = operation["requestBody"]["content"].as_object() {
            content.values().for_each(|content| check(content, &format!("{method} {path}")));
        }
        for (status, response) in operation["responses"].as_object().expect("responses") {
            for content in resolve(response)["content"].as_object().into_iter().flat_map(|content| content.values()) {
                check(content, &format!("{method} {path} {status}"));
            }
        }
    }
    assert!(count > 80, "{count} examples");
}

#[tokio::test]
async fn every_kind_of_problem_is_described_where_its_type_leads() {
    let app = spawn_app(|_| {}).await;
    let list = app.get("/problems").await.json();
    let list = list["problems"].as_array().expect("a list");
    let example = &CONTRACT["paths"]["/problems"]["get"]["responses"]["200"]["content"]["application/json"];
    let example = examples(example, "examples").into_values().next().expect("an example");
    assert_eq!(list, example["problems"].as_array().expect("a list"), "in the order and the words of the contract");
    for described in list {
        let uri = described["type"].as_str().expect("a type");
        assert_eq!(app.get(uri).await.json(), *described, "{uri}");
    }
    assert_eq!(app.get("/problems/unknown").await.problem(), "not-found");
}

#[tokio::test]
async fn documents_are_not_sent_twice() {
    let app = spawn_app(|_| {}).await;
    for path in ["/openapi.yaml", "/problems", "/problems/internal", "/version"] {
        let first = app.get(path).await;
        let etag = first.header("etag").to_owned();
        for (sent, status) in [(etag.as_str(), 304), (&format!("\"x\", W/{etag}"), 304), ("*", 304), ("\"x\"", 200)] {
            let again = app.client.send(Method::GET, path, &[("if-none-match", sent)], "").await;
            assert_eq!((again.status, again.header("etag")), (status, etag.as_str()), "{path} {sent}");
        }
        let head = app.client.send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.status, head.header("content-length")), (200, first.header("content-length")), "{path}");
    }
}

#[tokio::test]
async fn the_version_is_told() {
    let app = spawn_app(|_| {}).await;
    let version = app.get("/version").await.json();
    assert_eq!(version["name"], "sudoku-server");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version.get("commit"), Some(&json!(option_env!("SUDOKU_COMMIT"))));
}
