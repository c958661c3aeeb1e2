//! Any bytes as the body of a request: an answer, never a 500, never a panic.
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

fuzz_target!(|body: &[u8]| {
    let (runtime, app) = &*SERVICE;
    for path in ["/solve", "/validate"] {
        let request = Request::post(path).header("content-type", "application/json").body(Body::from(body.to_vec()));
        let response = runtime.block_on(app.answer(request.expect("a request")));
        let status = response.status().as_u16();
        assert!([200, 400, 422].contains(&status) || (status == 413 && body.len() > 65_536), "{path} {status}");
    }
});
