//! Any bytes as the body of a request: an answer, never a 500, never a panic; and our reader takes for JSON what
//! serde_json does.
#![no_main]

use std::sync::{Arc, LazyLock};

use axum::{body::Body, http::Request};
use libfuzzer_sys::fuzz_target;
use sudoku_server::{config::Config, http::App, lifecycle::Lifecycle, metrics::Metrics};
use tokio::runtime::Runtime;

static SERVICE: LazyLock<(Runtime, App)> = LazyLock::new(|| {
    let flags = ["--default-nodes=200", "--max-nodes=2000"].map(String::from);
    let config = Config::read(flags, |_| None).expect("right flags");
    let runtime = Runtime::new().expect("threads");
    (runtime, App::new(&config, Arc::new(Metrics::default()), Lifecycle::default()))
});

/// Whether serde_json takes it for JSON. In strings that it skips it does not mind lone surrogates, which our reader does
/// where it looks at them: `None` where that may be.
fn is_json(body: &[u8]) -> Option<bool> {
    let Ok(text) = str::from_utf8(body) else { return Some(false) };
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let surrogates = text.to_ascii_lowercase().contains("\\ud");
    (!is_json || !surrogates).then_some(is_json)
}

fuzz_target!(|body: &[u8]| {
    let (runtime, app) = &*SERVICE;
    for path in ["/solve", "/validate"] {
        let request = Request::post(path).header("content-type", "application/json").body(Body::from(body.to_vec()));
        let response = runtime.block_on(app.answer(request.expect("a request")));
        let status = response.status().as_u16();
        assert!([200, 400, 422].contains(&status) || (status == 413 && body.len() > 65_536), "{path} {status}");
        assert!(status == 413 || is_json(body).is_none_or(|is_json| is_json == (status != 400)), "{path} {status}");
    }
});
