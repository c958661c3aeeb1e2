//! What the service says about itself: its contract, its problems and its version. They change with the version alone,
//! so each has an ETag, and who has the document is told that in a few bytes.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Serialize;

use super::{
    Api, pages,
    problem::{Description, Problem, ProblemKind},
};

/// The contract, as it was written.
const OPENAPI: &str = include_str!("../../openapi.yaml");

/// `GET /openapi.yaml`: the contract.
pub async fn openapi(headers: HeaderMap) -> Response {
    answer(&headers, "application/yaml", OPENAPI.into())
}

/// `GET /problems`: every kind of problem.
pub async fn problems(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    #[derive(Serialize)]
    struct Problems {
        problems: Vec<Description>,
    }
    let programs = || json(&headers, &Problems { problems: ProblemKind::ALL.map(ProblemKind::description).into() });
    by_accept(&api, &headers, || pages::problems::list(&headers), programs)
}

/// `GET /problems/{name}`: one kind of problem, at its own `type`.
pub async fn problem(
    State(api): State<Arc<Api>>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    // A name that is no UTF-8 is the name of no problem.
    let kind = name.ok().and_then(|Path(name)| ProblemKind::named(&name)).ok_or(ProblemKind::NotFound)?;
    let programs = || json(&headers, &kind.description());
    Ok(by_accept(&api, &headers, || pages::problems::one(&headers, kind), programs))
}

/// HTML for people, where there are pages; JSON for programs.
fn by_accept(
    api: &Api,
    headers: &HeaderMap,
    people: impl FnOnce() -> Response,
    programs: impl FnOnce() -> Response,
) -> Response {
    let mut response = if api.web && pages::prefers_html(headers) { people() } else { programs() };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// `GET /version`: what is running.
pub async fn version(headers: HeaderMap) -> Response {
    #[derive(Serialize)]
    struct Version {
        name: &'static str,
        version: &'static str,
        commit: Option<&'static str>,
    }
    let commit = option_env!("SUDOKU_COMMIT").filter(|commit| !commit.is_empty());
    json(&headers, &Version { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION"), commit })
}

fn json(headers: &HeaderMap, document: &impl Serialize) -> Response {
    match serde_json::to_vec(document) {
        Ok(json) => answer(headers, "application/json", json.into()),
        Err(_) => Problem::from(ProblemKind::Internal).into_response(),
    }
}

/// A document with its ETag; without its body where the client has it.
pub(super) fn answer(headers: &HeaderMap, media_type: &'static str, document: Bytes) -> Response {
    let etag = etag(&document);
    let unchanged = is_known(headers, &etag);
    let mut response = Response::new(if unchanged { Body::empty() } else { Body::from(document) });
    if unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    // Kept, and asked for anew each time: a new version is seen at once.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    response
}

/// Whether a client already has the document with this ETag.
pub(super) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = lists.flat_map(|list| list.split(',')).map(|known| known.trim().trim_start_matches("W/"));
    known.any(|known| known == "*" || known == etag)
}

fn etag(document: &[u8]) -> String {
    // Not keyed, so that every replica and every start gives the same one.
    let mut hasher = DefaultHasher::new();
    document.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}
