//! The one client of all tests. It knows openapi.yaml, and refuses an answer that the contract does not describe: a
//! status, a header, a media type or a member.

use std::{collections::BTreeMap, net::SocketAddr, sync::LazyLock};

use jsonschema::{Registry, Validator};
use reqwest::{
    Method,
    header::{self, HeaderMap},
};
use serde_json::{Value, json};

/// The contract.
pub static CONTRACT: LazyLock<Value> =
    LazyLock::new(|| serde_saphyr::from_str(include_str!("../../openapi.yaml")).expect("openapi.yaml is YAML"));

static REGISTRY: LazyLock<Registry<'static>> = LazyLock::new(|| {
    let registry = Registry::new().add(BASE, CONTRACT.clone()).expect("openapi.yaml has an address");
    registry.prepare().expect("every $ref in openapi.yaml leads somewhere")
});

const BASE: &str = "https://contract.test/openapi";

/// Headers that HTTP itself brings, and those of a preflight, which is no operation of the contract.
const HTTP_HEADERS: [&str; 4] = ["date", "content-length", "content-type", "transfer-encoding"];
const PREFLIGHT_HEADERS: [&str; 4] =
    ["access-control-allow-methods", "access-control-allow-headers", "access-control-max-age", "allow"];

pub struct Client {
    http: reqwest::Client,
    pub addr: SocketAddr,
}

/// An answer that has been held to the contract.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text"))
    }

    /// The last part of a problem's type; empty for an answer that is no problem.
    pub fn problem(&self) -> String {
        let json: Value = serde_json::from_str(&self.text).unwrap_or_default();
        json["type"].as_str().and_then(|kind| kind.strip_prefix("/problems/")).unwrap_or_default().to_owned()
    }

    /// The entries of `errors` as `pointer code` or `pointer code cell`.
    pub fn errors(&self) -> Vec<String> {
        let json = self.json();
        let entry = |error: &Value| {
            let parts = ["pointer", "code", "cell"].iter().filter_map(|name| error.get(name)?.as_str());
            parts.collect::<Vec<_>>().join(" ")
        };
        json["errors"].as_array().map(|errors| errors.iter().map(entry).collect()).unwrap_or_default()
    }
}

/// An answer to a batch, whose lines have been held to the contract one by one.
#[derive(Debug)]
pub struct BatchAnswer {
    pub status: u16,
    pub headers: HeaderMap,
    /// All of them with the end line; none where the batch was refused.
    pub lines: Vec<Value>,
    /// The last part of the problem's type where it was refused; else empty.
    pub problem: String,
}

impl BatchAnswer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text"))
    }

    /// The line that tells how it ended; null where it was refused.
    pub fn end(&self) -> &Value {
        self.lines.last().unwrap_or(&Value::Null)
    }

    /// All lines but the last.
    pub fn answers(&self) -> &[Value] {
        self.lines.split_last().map_or(&[], |(_, answers)| answers)
    }

    /// The last part of the type of the problem that this line was answered with; empty where it was none.
    pub fn problem_of(&self, line: u64) -> &str {
        let found = self.answers().iter().find(|answer| answer["line"] == line);
        let found = found.unwrap_or_else(|| panic!("line {line} has no answer"));
        found["problem"]["type"].as_str().and_then(|kind| kind.strip_prefix("/problems/")).unwrap_or_default()
    }
}

impl Client {
    pub fn new(addr: SocketAddr) -> Client {
        Client { http: reqwest::Client::new(), addr }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Vec::new()).await
    }

    pub async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Answer {
        self.send(Method::POST, path, &[("content-type", "application/json")], body).await
    }

    /// Sends a batch, and reads all of its answer.
    pub async fn batch(&self, path: &str, media_type: &str, body: impl Into<Vec<u8>>) -> BatchAnswer {
        let answer = self.send(Method::POST, path, &[("content-type", media_type)], body).await;
        let lines = if answer.status == 200 { lines(&answer.text) } else { Vec::new() };
        BatchAnswer { problem: answer.problem(), status: answer.status, lines, headers: answer.headers }
    }

    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Answer {
        let mut request = self.http.request(method.clone(), format!("http://{}{path}", self.addr)).body(body.into());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let answer = Answer { status, headers, text: response.text().await.expect("the answer is UTF-8") };
        check(&method, path, &answer);
        answer
    }
}

/// Holds an answer to the contract.
pub fn check(method: &Method, path: &str, answer: &Answer) {
    let at = format!("{method} {path} {}", answer.status);
    assert!(!answer.header("x-request-id").is_empty(), "{at}: an id");
    assert_eq!(answer.header("access-control-allow-origin"), "*", "{at}");
    if *method == Method::OPTIONS {
        return check_headers(&at, answer, &[], &PREFLIGHT_HEADERS);
    }
    let described = described(method, path, answer.status).unwrap_or_else(|| panic!("{at} is not in the contract"));
    let names: Vec<String> = described["headers"]
        .as_object()
        .map(|headers| headers.keys().map(|name| name.to_lowercase()).collect())
        .unwrap_or_default();
    check_headers(&at, answer, &names, &["connection"]);
    for (name, header) in described["headers"].as_object().into_iter().flatten() {
        check_header(&at, answer, name, resolve(header));
    }
    let Some(content) = described["content"].as_object().filter(|_| *method != Method::HEAD) else {
        return assert_eq!(answer.text, "", "{at}: no body");
    };
    let media_type = answer.header("content-type").split(';').next().unwrap_or_default();
    let full = answer.header("content-type");
    let body = content.get(full).or(content.get(media_type)).unwrap_or_else(|| panic!("{at}: media type {full}"));
    let value = match media_type {
        "application/json" | "application/problem+json" => answer.json(),
        "application/yaml" => serde_saphyr::from_str(&answer.text).expect("YAML"),
        LINES => {
            check_batch(path, &answer.text, answer.header("x-request-id"));
            Value::from(answer.text.clone())
        }
        _ => Value::from(answer.text.clone()),
    };
    if let Err(error) = validator(&body["schema"]).validate(&value) {
        panic!("{at}: {error} at {} in {value}", error.instance_path());
    }
}

/// The media type of the answer to a batch.
const LINES: &str = "application/x-ndjson";

/// The JSON of each line.
pub fn lines(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "a line that ends: {text:?}");
    let json = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(json).collect()
}

/// The schema of one line, where this content is lines of JSON.
pub fn line_schema(content: &'static Value) -> Option<&'static Value> {
    resolve(&content["schema"]).pointer("/contentSchema/items")
}

/// A validator of the lines of a batch's answer.
fn line_validator(path: &str) -> &'static Validator {
    static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
        let of = |path| {
            let answer = described(&Method::POST, path, 200).expect("a batch is in the contract");
            (path, validator(line_schema(&answer["content"][LINES]).expect("lines of JSON")))
        };
        ["/solve/batch", "/validate/batch"].map(of).into()
    });
    &VALIDATORS[path]
}

/// Holds one line of a batch's answer to the contract, for tests that read line by line.
pub fn check_line(path: &str, line: &Value) {
    if let Err(error) = line_validator(path).validate(line) {
        panic!("{path}: {error} at {} in {line}", error.instance_path());
    }
}

/// Holds the whole answer to a batch to the contract: each line, their order, and the counts of the end line.
pub fn check_batch(path: &str, text: &str, request_id: &str) {
    let lines = lines(text);
    let (mut last, mut answers, mut problems) = (0, 0, 0);
    for (index, line) in lines.iter().enumerate() {
        check_line(path, line);
        if let Some(id) = line["problem"].get("request_id") {
            assert_eq!(id, request_id, "{path}: the id of the stream in {line}");
        }
        let is_end = line.get("end").is_some();
        assert_eq!(is_end, index + 1 == lines.len(), "{path}: the last line, and no other, is the end: {line}");
        if let Some(number) = line["line"].as_u64() {
            assert!(number > last, "{path}: line {number} after line {last}");
            assert!(is_end || line.as_object().expect("an object").keys().next().is_some_and(|key| key == "line"));
            last = number;
        }
        if !is_end {
            *(if line.get("problem").is_some() { &mut problems } else { &mut answers }) += 1;
        }
    }
    let end = lines.last().expect("an end line");
    if end["end"] == true {
        assert_eq!((&end["answers"], &end["problems"]), (&json!(answers), &json!(problems)), "{path}: {end}");
        assert!(end["lines"].as_u64().is_some_and(|lines| lines >= last), "{path}: {end} after line {last}");
    }
}

fn check_headers(at: &str, answer: &Answer, described: &[String], more: &[&str]) {
    for name in answer.headers.keys().map(header::HeaderName::as_str) {
        let known = HTTP_HEADERS.contains(&name) || more.contains(&name) || described.iter().any(|known| known == name);
        let cors = name.starts_with("access-control-expose")
            || name == "access-control-allow-origin"
            || name == "x-request-id";
        assert!(known || cors, "{at}: the contract knows no header {name}");
    }
}

fn check_header(at: &str, answer: &Answer, name: &str, header: &'static Value) {
    let Some(value) = answer.headers.get(name) else {
        return assert_ne!(header["required"], true, "{at}: header {name} is missing");
    };
    let text = value.to_str().expect("a text");
    let schema = resolve(&header["schema"]);
    let value =
        if schema["type"] == "integer" { text.parse::<i64>().map_or(text.into(), Value::from) } else { text.into() };
    if let Err(error) = validator(schema).validate(&value) {
        panic!("{at}: header {name}: {error}");
    }
}

/// What the contract says of an answer.
pub fn described(method: &Method, path: &str, status: u16) -> Option<&'static Value> {
    let components = &CONTRACT["components"]["responses"];
    let operation = operation(method, path);
    let listed =
        operation.map(|operation| &operation["responses"][status.to_string()]).filter(|known| !known.is_null());
    let response = listed.or(match status {
        404 => components.get("NotFound"),
        405 => components.get("MethodNotAllowed"),
        _ => None,
    })?;
    Some(resolve(response))
}

/// The operation that a request belongs to.
fn operation(method: &Method, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap_or_default();
    let matches = |template: &str| match template.split_once('{') {
        Some((prefix, _)) => path.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
        None => template == path,
    };
    let paths = CONTRACT["paths"].as_object().expect("paths");
    let (_, item) = paths.iter().find(|(template, _)| matches(template))?;
    item.get(method.as_str().to_lowercase())
}

/// What a `$ref` leads to, or the value itself.
pub fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        Some(target) => CONTRACT.pointer(target).unwrap_or_else(|| panic!("{target} is not in openapi.yaml")),
        None => value,
    }
}

/// A validator of a schema of the contract.
pub fn validator(schema: &Value) -> Validator {
    let schema = absolute(schema);
    jsonschema::options().with_registry(&REGISTRY).build(&schema).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// The schema with its references leading into the contract.
fn absolute(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("$ref", Some(target)) => (name.clone(), json!(format!("{BASE}{target}"))),
                _ => (name.clone(), absolute(value)),
            })
            .collect(),
        Value::Array(elements) => elements.iter().map(absolute).collect(),
        other => other.clone(),
    }
}

/// Named examples of a place in the contract.
pub fn examples(value: &'static Value, key: &str) -> BTreeMap<&'static str, &'static Value> {
    let examples = value[key].as_object().into_iter().flatten();
    examples.map(|(name, example)| (name.as_str(), &resolve(example)["value"])).collect()
}
