//! Any bytes as a stream of puzzles: an answer of lines of JSON, in the order of the input, and an end that counts it; never
//! a 500, never a panic.
#![no_main]

use std::sync::{Arc, LazyLock};

use axum::{
    body::{Body, to_bytes},
    http::Request,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use sudoku_server::{config::Config, http::App, lifecycle::Lifecycle, metrics::Metrics};
use tokio::runtime::Runtime;

static SERVICE: LazyLock<(Runtime, App, Arc<Metrics>)> = LazyLock::new(|| {
    let flags = ["--default-nodes=200", "--max-nodes=2000"].map(String::from);
    let config = Config::read(flags, |_| None).expect("right flags");
    let runtime = Runtime::new().expect("threads");
    let metrics = Arc::new(Metrics::default());
    let app = App::new(&config, Arc::clone(&metrics), Lifecycle::default());
    (runtime, app, metrics)
});

fuzz_target!(|body: &[u8]| {
    let (runtime, app, metrics) = &*SERVICE;
    let lines = body.split_inclusive(|&byte| byte == b'\n').count() as u64;
    for path in ["/solve/batch", "/validate/batch"] {
        for media_type in ["application/x-ndjson", "text/plain"] {
            let request = Request::post(path).header("content-type", media_type).body(Body::from(body.to_vec()));
            let text = runtime.block_on(async {
                let response = app.answer(request.expect("a request")).await;
                assert_eq!(response.status().as_u16(), 200, "{path} {media_type}");
                to_bytes(Body::new(response.into_body()), usize::MAX).await.expect("the whole answer")
            });
            let text = str::from_utf8(&text).expect("UTF-8");
            assert!(text.ends_with('\n'), "the last line is whole");
            let mut answers: Vec<Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect();
            let end = answers.pop().expect("an end");
            assert_eq!((&end["end"], &end["lines"]), (&true.into(), &lines.into()), "{path} {media_type}");
            let mut last = 0;
            let mut problems = 0;
            for answer in &answers {
                let line = answer["line"].as_u64().expect("a number");
                assert!(last < line && line <= lines, "{line} after {last} of {lines}");
                last = line;
                problems += u64::from(answer.get("problem").is_some());
                assert_ne!(answer["problem"]["status"], 500, "{answer}");
            }
            let counted = (end["answers"].as_u64(), end["problems"].as_u64());
            assert_eq!(counted, (Some(answers.len() as u64 - problems), Some(problems)), "{path} {media_type}");
        }
    }
    assert_eq!(metrics.panics.get(), 0);
});
