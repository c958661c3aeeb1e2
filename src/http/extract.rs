//! The body of a request: its media type, its size, its time.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, Request, header},
};
use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Body as _;

use super::{
    header_text,
    problem::{Problem, ProblemKind},
};

/// What a body may cost.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits {
    /// Bytes.
    pub max_size: usize,
    /// Time from the head to the last byte.
    pub max_time: Duration,
}

/// How much of a body over the limit is read and dropped, so that a client that is still sending gets to read the
/// answer.
const DROPPED: usize = 8 << 20;
/// For how long.
pub const DROPPING: Duration = Duration::from_secs(2);

/// Reads the whole body of a request that has to be JSON.
pub async fn json_body(request: Request<Body>, limits: BodyLimits) -> Result<Bytes, Problem> {
    let (head, mut body) = request.into_parts();
    if !media_type(&head.headers).is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/json")) {
        drop_unless_expected(&head.headers, &mut body).await;
        return Err(ProblemKind::UnsupportedMediaType.into());
    }
    let announced = body.size_hint().exact().unwrap_or(0);
    if announced > limits.max_size as u64 {
        drop_unless_expected(&head.headers, &mut body).await;
        return Err(Problem::payload_too_large(limits.max_size));
    }
    let whole = Limited::new(&mut body, limits.max_size).collect();
    match tokio::time::timeout(limits.max_time, whole).await {
        Err(_elapsed) => Err(Problem::request_timeout()),
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            drop_rest(&mut body).await;
            Err(Problem::payload_too_large(limits.max_size))
        }
        Ok(Err(_)) => Err(Problem::new(ProblemKind::MalformedJson, "The body ended early.")),
    }
}

/// A request that is refused whatever its body says: the body is read and dropped, so that the client gets to read the
/// answer, and to use its connection again.
pub async fn drop_body(request: Request<Body>) {
    let (head, mut body) = request.into_parts();
    drop_unless_expected(&head.headers, &mut body).await;
}

/// A client that waits for leave to send has sent nothing that would have to be dropped.
async fn drop_unless_expected(headers: &HeaderMap, body: &mut Body) {
    if !headers.contains_key(header::EXPECT) {
        drop_rest(body).await;
    }
}

/// Reads on for some time without keeping anything.
async fn drop_rest(body: &mut Body) {
    // Whatever is left when the time is over is cut off with the connection.
    let _ = tokio::time::timeout(DROPPING, drop_up_to(DROPPED, body)).await;
}

/// Reads to the end without keeping anything.
pub async fn drop_all(body: &mut Body) {
    drop_up_to(usize::MAX, body).await;
}

async fn drop_up_to(mut left: usize, body: &mut Body) {
    while let Some(Ok(frame)) = body.frame().await {
        left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        if left == 0 {
            break;
        }
    }
}

/// The media type that a body is declared to have, without its parameters; `None` where it is encoded.
pub fn media_type(headers: &HeaderMap) -> Option<&str> {
    let plain = headers.get_all(header::CONTENT_ENCODING).iter().all(|encoding| encoding == "identity");
    let essence = header_text(headers, header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    plain.then_some(essence)
}
