//! What people see in a browser: the page at `/`, the reference at `/docs`, problems made readable, and their assets.
//!
//! All of it is embedded, compressed by `build.rs`, and written with relative URLs, so that it works under any path
//! prefix. The pages use nothing but the public API, and load nothing from elsewhere; the content security policy holds
//! them to that.

mod accept;
mod document;
pub mod problems;

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};

use super::problem::{Problem, ProblemKind};
pub use accept::prefers_html;
use document::Document;

include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// Of the page and of problems: no inline script or style, and nothing from elsewhere.
const STRICT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
/// Of the reference: its library sets styles inline, has images in itself and makes markup of the contract's texts.
const REFERENCE: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                         img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                         frame-ancestors 'none'";

/// `GET /`: the page.
pub async fn home(headers: HeaderMap) -> Response {
    secured(INDEX.answer(&headers, document::ASK_AGAIN), STRICT)
}

/// `GET /docs`: the reference.
pub async fn docs(headers: HeaderMap) -> Response {
    secured(DOCS.answer(&headers, document::ASK_AGAIN), REFERENCE)
}

/// `GET /assets/…`: a file under the hash of its folder, which never changes.
pub async fn asset(Path((folder, file)): Path<(String, String)>, headers: HeaderMap) -> Result<Response, Problem> {
    let wanted = |path: &str| path.split_once('/') == Some((folder.as_str(), file.as_str()));
    let (_, document) = ASSETS.iter().find(|(path, _)| wanted(path)).ok_or(ProblemKind::NotFound)?;
    Ok(sniffless(document.answer(&headers, document::FOR_GOOD)))
}

/// The headers that keep a page to itself.
fn secured(response: Response, policy: &'static str) -> Response {
    let mut response = sniffless(response);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn sniffless(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
