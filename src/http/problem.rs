//! Errors as RFC 9457 problem documents.
//!
//! A handler returns a [`Problem`]; it travels in the answer's extensions and [`super::middleware`] writes it out at the
//! edge, where the request's id is known. So every problem of every layer leaves the house in the same way.

use std::{borrow::Cow, sync::Arc};

use axum::{
    body::Body,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

use super::{evidence, fault::Faults};

/// What is wrong, as a closed set: the `type` of a problem document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The body is not JSON.
    MalformedJson,
    /// There is nothing at this path.
    NotFound,
    /// The path does not know this method.
    MethodNotAllowed,
    /// The body did not come in time.
    RequestTimeout,
    /// The body is too large.
    PayloadTooLarge,
    /// The body is not `application/json`, or is encoded.
    UnsupportedMediaType,
    /// Members are missing, unknown, repeated or wrong.
    InvalidRequest,
    /// The board cannot be read.
    InvalidBoard,
    /// The cages cannot be read.
    InvalidCages,
    /// The algorithm does not know cages.
    UnsupportedAlgorithm,
    /// Givens clash.
    ConflictingBoard,
    /// The board has no solution.
    UnsolvableBoard,
    /// The search ended before it found a solution.
    BudgetExhausted,
    /// Too many other requests are there.
    Overloaded,
    /// The service is shutting down.
    ShuttingDown,
    /// A fault of the service.
    Internal,
}

impl ProblemKind {
    /// All of them, in the order of their statuses.
    pub const ALL: [ProblemKind; 16] = {
        use ProblemKind::*;
        [
            MalformedJson,
            NotFound,
            MethodNotAllowed,
            RequestTimeout,
            PayloadTooLarge,
            UnsupportedMediaType,
            InvalidRequest,
            InvalidBoard,
            InvalidCages,
            UnsupportedAlgorithm,
            ConflictingBoard,
            UnsolvableBoard,
            BudgetExhausted,
            Internal,
            Overloaded,
            ShuttingDown,
        ]
    };

    /// What a person and a program get to know of it, wherever it is met.
    const fn facts(self) -> Facts {
        use ProblemKind::*;
        match self {
            MalformedJson => facts(
                "malformed-json",
                400,
                "Malformed JSON",
                "The body is not one JSON document in UTF-8. Mend its syntax and send it again.",
            ),
            NotFound => {
                facts("not-found", 404, "Not found", "There is nothing at this path. Paths have no trailing slash.")
            }
            MethodNotAllowed => facts(
                "method-not-allowed",
                405,
                "Method not allowed",
                "The path is there and does not know this method. The Allow header lists those that it knows.",
            ),
            RequestTimeout => facts(
                "request-timeout",
                408,
                "Request timeout",
                "The body did not arrive in time. The connection is closed; send the request again.",
            ),
            PayloadTooLarge => facts(
                "payload-too-large",
                413,
                "Payload too large",
                "The body is larger than the service reads. The connection is closed.",
            ),
            UnsupportedMediaType => facts(
                "unsupported-media-type",
                415,
                "Unsupported media type",
                "The body has to be application/json, without a content encoding.",
            ),
            InvalidRequest => facts(
                "invalid-request",
                422,
                "Invalid request",
                "The body is JSON, but members are missing, unknown, repeated or wrong. `errors` lists them all.",
            ),
            InvalidBoard => facts(
                "invalid-board",
                422,
                "Invalid board",
                "The board has none of the three forms, or a fault in one of them. `errors` lists every fault.",
            ),
            InvalidCages => {
                facts("invalid-cages", 422, "Invalid cages", "The cages cannot be. `errors` lists every fault.")
            }
            UnsupportedAlgorithm => facts(
                "unsupported-algorithm",
                422,
                "Unsupported algorithm",
                "reading_order and exact_cover solve classic boards only; for cages there are fast and mrv.",
            ),
            ConflictingBoard => facts(
                "conflicting-board",
                422,
                "Conflicting board",
                "Givens clash, so there is no solution. `conflicts` lists every group of givens that clash.",
            ),
            UnsolvableBoard => facts(
                "unsolvable-board",
                422,
                "Unsolvable board",
                "No givens clash, and the search proved that there is no solution. `dead_end` shows a reason that a \
                 person can follow, where a plain one exists.",
            ),
            BudgetExhausted => facts(
                "budget-exhausted",
                422,
                "Budget exhausted",
                "The search reached its limit of nodes or of time before it found a solution. This is no verdict: the \
                 board may have one.",
            ),
            Overloaded => facts(
                "overloaded",
                503,
                "Overloaded",
                "The request was not started, since too many others are there. Send it again, here or elsewhere.",
            ),
            ShuttingDown => facts(
                "shutting-down",
                503,
                "Shutting down",
                "The request was not started, since this instance is shutting down. Send it again elsewhere.",
            ),
            Internal => {
                facts("internal", 500, "Internal error", "A fault of the service. Its log has more, by the request id.")
            }
        }
    }

    /// Its `type`: compare it as a string, `GET` it for a description.
    pub fn uri(self) -> String {
        format!("{PREFIX}{}", self.facts().name)
    }

    /// The kind that has this name, the last part of its `type`.
    pub fn named(name: &str) -> Option<ProblemKind> {
        ProblemKind::ALL.into_iter().find(|kind| kind.facts().name == name)
    }

    /// The status that it is answered with.
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.facts().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What `GET` on its `type` answers.
    pub fn description(self) -> Description {
        let Facts { status, title, description, .. } = self.facts();
        Description { kind: self.uri(), title, status, description }
    }
}

const PREFIX: &str = "/problems/";

struct Facts {
    name: &'static str,
    status: u16,
    title: &'static str,
    description: &'static str,
}

const fn facts(name: &'static str, status: u16, title: &'static str, description: &'static str) -> Facts {
    Facts { name, status, title, description }
}

/// What a kind of problem means.
#[derive(Debug, Clone, Serialize)]
pub struct Description {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    description: &'static str,
}

/// One problem that one request met.
#[derive(Debug, Clone)]
pub struct Problem {
    kind: ProblemKind,
    /// What went wrong this time, for a person.
    detail: Cow<'static, str>,
    extra: Extra,
    /// The connection cannot be used again.
    closes: bool,
}

/// What helps a program, by kind.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Extra {
    None {},
    Faults(Faults),
    Conflicts { conflicts: Vec<evidence::Conflict> },
    Unsolvable { nodes: u64, dead_end: Option<evidence::DeadEnd> },
    Budget { nodes: u64, max_nodes: u64, limit: evidence::Limit },
}

impl Problem {
    /// A problem that its kind and a sentence tell all of.
    pub fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem { kind, detail: detail.into(), extra: Extra::None {}, closes: false }
    }

    /// A problem with places in the request, at least one.
    pub fn faults(kind: ProblemKind, detail: impl Into<Cow<'static, str>>, faults: Faults) -> Problem {
        Problem { extra: Extra::Faults(faults), ..Problem::new(kind, detail) }
    }

    /// The body did not come in time.
    pub fn request_timeout() -> Problem {
        let detail = "The body did not arrive in time.";
        Problem { closes: true, ..Problem::new(ProblemKind::RequestTimeout, detail) }
    }

    /// The body is over the limit, in bytes.
    pub fn payload_too_large(max_body: usize) -> Problem {
        let detail = format!("The body is over the limit of {max_body} bytes.");
        Problem { closes: true, ..Problem::new(ProblemKind::PayloadTooLarge, detail) }
    }

    /// Givens clash.
    pub fn conflicting_board(conflicts: Vec<evidence::Conflict>) -> Problem {
        let detail = format!("Givens clash in {} place{}.", conflicts.len(), plural(conflicts.len()));
        Problem { extra: Extra::Conflicts { conflicts }, ..Problem::new(ProblemKind::ConflictingBoard, detail) }
    }

    /// The search proved that there is no solution.
    pub fn unsolvable_board(nodes: u64, dead_end: Option<evidence::DeadEnd>) -> Problem {
        let detail = "No givens clash, and there is no solution.";
        let extra = Extra::Unsolvable { nodes, dead_end };
        Problem { extra, ..Problem::new(ProblemKind::UnsolvableBoard, detail) }
    }

    /// The search reached its limit before it found a solution.
    pub fn budget_exhausted(nodes: u64, max_nodes: u64, limit: evidence::Limit) -> Problem {
        let detail = match limit {
            evidence::Limit::Nodes => format!("No solution was found within {max_nodes} nodes."),
            evidence::Limit::Time => format!("No solution was found in the time of one search, after {nodes} nodes."),
        };
        let extra = Extra::Budget { nodes, max_nodes, limit };
        Problem { extra, ..Problem::new(ProblemKind::BudgetExhausted, detail) }
    }

    /// A fault of the service, with nothing of the inside.
    pub fn internal() -> Problem {
        Problem::new(ProblemKind::Internal, "A fault of the service. Its log has more, by the request id.")
    }

    /// Its kind.
    pub const fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// Whether the connection has to be closed after it.
    pub const fn closes(&self) -> bool {
        self.closes
    }

    /// The nodes of its search, where there was one.
    pub const fn nodes(&self) -> Option<u64> {
        match self.extra {
            Extra::Unsolvable { nodes, .. } | Extra::Budget { nodes, .. } => Some(nodes),
            _ => None,
        }
    }

    /// The document, as JSON.
    pub fn to_json(&self, request_id: &str) -> Vec<u8> {
        let Facts { status, title, .. } = self.kind.facts();
        let document =
            Document { kind: &self.kind.uri(), title, status, detail: &self.detail, request_id, extra: &self.extra };
        // All keys are strings and no number is a float, so there is nothing that could fail.
        serde_json::to_vec(&document).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    request_id: &'a str,
    #[serde(flatten)]
    extra: &'a Extra,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.kind.status();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for kind in ProblemKind::ALL {
            assert_eq!(kind.uri().strip_prefix(PREFIX).and_then(ProblemKind::named), Some(kind));
        }
        assert_eq!(ProblemKind::named("unknown"), None);
    }

    #[test]
    fn a_document_has_the_members_of_its_kind() {
        let plain = Problem::internal().to_json("id-1");
        let plain: serde_json::Value = serde_json::from_slice(&plain).unwrap();
        assert_eq!((&plain["type"], &plain["status"]), (&"/problems/internal".into(), &500.into()));
        assert_eq!(plain["request_id"], "id-1");
        assert_eq!(plain.as_object().unwrap().len(), 5);
        let budget = Problem::budget_exhausted(7, 7, evidence::Limit::Nodes).to_json("");
        let budget: serde_json::Value = serde_json::from_slice(&budget).unwrap();
        assert_eq!((&budget["limit"], &budget["max_nodes"]), (&"nodes".into(), &7.into()));
    }
}
