//! Which scripts may read answers: those of all origins, or of the ones that are listed (CORS, the Fetch standard).
//!
//! Three constant headers and a comparison, so they are written here; a layer around the router cost every request a map of
//! headers of its own and a boxed future, a tenth of its instructions.

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
        },
    },
    response::Response,
};

use crate::config::CorsOrigins;

/// The origins whose scripts may read answers.
#[derive(Debug)]
pub enum Cors {
    /// All.
    Any,
    /// These, as a browser writes them in its `Origin`.
    Listed(Vec<HeaderValue>),
}

impl From<&CorsOrigins> for Cors {
    fn from(origins: &CorsOrigins) -> Cors {
        match origins {
            CorsOrigins::Any => Cors::Any,
            CorsOrigins::Listed(listed) => {
                Cors::Listed(listed.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect())
            }
        }
    }
}

impl Cors {
    /// Lets the scripts of this origin read an answer, if they may. Any other origin is answered as well, and its browser
    /// then keeps the answer from its scripts.
    pub fn permit(&self, origin: Option<HeaderValue>, headers: &mut HeaderMap) {
        match self {
            Cors::Any => {
                headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            }
            Cors::Listed(listed) => {
                // On every answer, or a cache would hand one origin's answer to another.
                headers.append(VARY, HeaderValue::from_static("origin"));
                if let Some(origin) = origin.filter(|origin| listed.contains(origin)) {
                    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                }
            }
        }
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("x-request-id, retry-after"));
    }
}

/// What a browser wants to know before it sends a request of its scripts: all that could be asked, for a day.
pub fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST"));
    let allowed = HeaderValue::from_static("content-type, x-request-id, traceparent");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}
