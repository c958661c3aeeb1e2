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
    /// The body is of another media type than the endpoint takes, or is encoded.
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
    /// A line of a batch is too long.
    LineTooLong,
    /// The client of a batch neither sends nor reads.
    Stalled,
    /// A batch takes too long.
    BatchTimeout,
    /// A fault of the service.
    Internal,
}

impl ProblemKind {
    /// All of them, in the order of the contract.
    pub const ALL: [ProblemKind; 19] = {
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
            Overloaded,
            ShuttingDown,
            LineTooLong,
            Stalled,
            BatchTimeout,
            Internal,
        ]
    };

    /// What a person and a program get to know of it, wherever it is met. These are the words of openapi.yaml.
    const fn facts(self) -> Facts {
        use ProblemKind::*;
        match self {
            MalformedJson => Facts {
                name: "malformed-json",
                status: StatusCode::BAD_REQUEST,
                title: "Malformed JSON",
                description: "The body, or the line of a batch, is not valid JSON, is not UTF-8, or something follows the JSON value.",
                detail: "The body is not valid JSON.",
            },
            NotFound => Facts {
                name: "not-found",
                status: StatusCode::NOT_FOUND,
                title: "Not found",
                description: "Nothing is served at the path. A path with a trailing slash is another path.",
                detail: "Nothing is served at this path. GET /openapi.yaml tells what is.",
            },
            MethodNotAllowed => Facts {
                name: "method-not-allowed",
                status: StatusCode::METHOD_NOT_ALLOWED,
                title: "Method not allowed",
                description: "The path exists, and takes other methods: the header Allow lists them.",
                detail: "This path does not take this method. The header Allow tells which ones it takes.",
            },
            RequestTimeout => Facts {
                name: "request-timeout",
                status: StatusCode::REQUEST_TIMEOUT,
                title: "Request timeout",
                description: "The request's body did not arrive in time. The connection is closed.",
                detail: "The body did not arrive in time.",
            },
            PayloadTooLarge => Facts {
                name: "payload-too-large",
                status: StatusCode::PAYLOAD_TOO_LARGE,
                title: "Payload too large",
                description: "The request's body is larger than the server takes. The connection is closed.",
                detail: "The body is larger than this server takes.",
            },
            UnsupportedMediaType => Facts {
                name: "unsupported-media-type",
                status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
                title: "Unsupported media type",
                description: "The body is not declared as application/json, or for a batch as application/x-ndjson, application/jsonl or text/plain; or it has a Content-Encoding.",
                detail: "The body must be JSON, not compressed, and say so. With curl: -H 'Content-Type: application/json'",
            },
            InvalidRequest => Facts {
                name: "invalid-request",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Invalid request",
                description: "The request is no object, or a member is missing, unknown, repeated, of the wrong type or out of range; errors lists every such fault.",
                detail: "The request is not of the right form; errors tells where.",
            },
            InvalidBoard => Facts {
                name: "invalid-board",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Invalid board",
                description: "The board is of the wrong type, shape or content; errors lists every fault in reading order.",
                detail: "A board is nine strings of nine characters, one string of 81 characters, or nine arrays of nine integers from 0 to 9; errors tells where this one is not.",
            },
            InvalidCages => Facts {
                name: "invalid-cages",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Invalid cages",
                description: "The cages are of the wrong type, shape or content; errors lists every fault, cages as sent.",
                detail: "Cages are an array of {\"sum\", \"cells\"}, with 1 to 9 different cells and an optional sum from 1 to 45; errors tells where these are not.",
            },
            UnsupportedAlgorithm => Facts {
                name: "unsupported-algorithm",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Unsupported algorithm",
                description: "The request has cages, and asks for an algorithm that knows none (reading_order, exact_cover).",
                detail: "This algorithm knows no cages. For cages use fast or mrv.",
            },
            ConflictingBoard => Facts {
                name: "conflicting-board",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Conflicting board",
                description: "Givens clash, which is seen without a search; conflicts lists every group of them.",
                detail: "The givens contradict each other, so there is no solution; conflicts tells which.",
            },
            UnsolvableBoard => Facts {
                name: "unsolvable-board",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Unsolvable board",
                description: "No givens clash, and the search proved that there is no solution; dead_end gives the evidence, where there is some that a person can follow.",
                detail: "The givens do not contradict each other, but no solution fits them.",
            },
            BudgetExhausted => Facts {
                name: "budget-exhausted",
                status: StatusCode::UNPROCESSABLE_ENTITY,
                title: "Budget exhausted",
                description: "The search came to the end of its nodes or of its time before it knew any solution; nothing is proved.",
                detail: "The search ended early, and knows no solution yet.",
            },
            Overloaded => Facts {
                name: "overloaded",
                status: StatusCode::SERVICE_UNAVAILABLE,
                title: "Overloaded",
                description: "Every solver is busy and the queue is full, or the wait in it was too long, or as many batches are running as may. Nothing was started: repeating the request is safe.",
                detail: "The server has more to do than it can take on. The search was not started; send the request again in a moment.",
            },
            ShuttingDown => Facts {
                name: "shutting-down",
                status: StatusCode::SERVICE_UNAVAILABLE,
                title: "Shutting down",
                description: "The server is shutting down. Nothing was started, or a batch was cut short: send again what has no answer, and another replica may give it.",
                detail: "This server is shutting down. Send again what it has not answered.",
            },
            LineTooLong => Facts {
                name: "line-too-long",
                status: StatusCode::PAYLOAD_TOO_LARGE,
                title: "Line too long",
                description: "A line of a batch is longer than 64 KiB. The other lines are answered all the same.",
                detail: "The line is longer than 65536 bytes.",
            },
            Stalled => Facts {
                name: "stalled",
                status: StatusCode::REQUEST_TIMEOUT,
                title: "Stalled",
                description: "For too long the client of a batch neither sent lines nor read answers. The batch was cut short: the lines from the one named on have no answer.",
                detail: "Nothing has moved on this stream for too long: no line came in, and no answer was read.",
            },
            BatchTimeout => Facts {
                name: "batch-timeout",
                status: StatusCode::REQUEST_TIMEOUT,
                title: "Batch timeout",
                description: "A batch took longer than one may. It was cut short: the lines from the one named on have no answer.",
                detail: "The batch took longer than one may take. Send the rest of it as another one.",
            },
            Internal => Facts {
                name: "internal",
                status: StatusCode::INTERNAL_SERVER_ERROR,
                title: "Internal error",
                description: "The server failed. The answer tells nothing of the inside; the log has it, under the request id.",
                detail: "Something went wrong in the server. The request id finds it in the server's log.",
            },
        }
    }

    /// Its name, the last part of its `type`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its `type`: compare it as a string, `GET` it for a description.
    pub fn uri(self) -> String {
        format!("{PREFIX}{}", self.name())
    }

    /// The kind that has this name, the last part of its `type`.
    pub fn named(name: &str) -> Option<ProblemKind> {
        ProblemKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The status that it is answered with.
    pub const fn status(self) -> StatusCode {
        self.facts().status
    }

    /// What `GET` on its `type` answers.
    pub fn description(self) -> Description {
        let Facts { status, title, description, .. } = self.facts();
        Description { kind: self.uri(), title, status: status.as_u16(), description }
    }
}

/// What every `type` begins with.
pub const PREFIX: &str = "/problems/";

struct Facts {
    /// The last part of its type.
    name: &'static str,
    status: StatusCode,
    title: &'static str,
    /// What it means, wherever it is met.
    description: &'static str,
    /// What is said where it is met, unless there is more to say.
    detail: &'static str,
}

/// What a kind of problem means.
#[derive(Debug, Clone, Serialize)]
pub struct Description {
    /// Its `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words.
    pub title: &'static str,
    /// The status that it is answered with.
    pub status: u16,
    /// A sentence or two.
    pub description: &'static str,
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
    /// A problem of this kind, and what is said of it.
    pub fn new(kind: ProblemKind, detail: impl Into<Cow<'static, str>>) -> Problem {
        Problem { kind, detail: detail.into(), extra: Extra::None {}, closes: false }
    }

    /// A problem with places in the request, at least one.
    pub fn faults(kind: ProblemKind, faults: Faults) -> Problem {
        Problem { extra: Extra::Faults(faults), ..kind.into() }
    }

    /// The body did not come in time.
    pub fn request_timeout() -> Problem {
        Problem { closes: true, ..ProblemKind::RequestTimeout.into() }
    }

    /// The body is over the limit, in bytes.
    pub fn payload_too_large(max_body: usize) -> Problem {
        let detail = format!("The body is larger than {max_body} bytes.");
        Problem { closes: true, ..Problem::new(ProblemKind::PayloadTooLarge, detail) }
    }

    /// Givens clash.
    pub fn conflicting_board(conflicts: Vec<evidence::Conflict>) -> Problem {
        Problem { extra: Extra::Conflicts { conflicts }, ..ProblemKind::ConflictingBoard.into() }
    }

    /// The search proved that there is no solution.
    pub fn unsolvable_board(nodes: u64, dead_end: Option<evidence::DeadEnd>) -> Problem {
        Problem { extra: Extra::Unsolvable { nodes, dead_end }, ..ProblemKind::UnsolvableBoard.into() }
    }

    /// The search reached its limit before it found a solution. `cap` is the greatest budget that a request may have.
    pub fn budget_exhausted(nodes: u64, max_nodes: u64, cap: u64, limit: evidence::Limit) -> Problem {
        let node = if nodes == 1 { "node" } else { "nodes" };
        let more = match limit {
            evidence::Limit::Nodes => format!("max_nodes may be up to {cap} on this server."),
            evidence::Limit::Time => String::from("Its time was over."),
        };
        let detail = format!("The search entered {nodes} {node} and knows no solution yet. {more}");
        let extra = Extra::Budget { nodes, max_nodes, limit };
        Problem { extra, ..Problem::new(ProblemKind::BudgetExhausted, detail) }
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
        let (kind, status) = (self.kind.uri(), status.as_u16());
        let document = Document { kind: &kind, title, status, detail: &self.detail, request_id, extra: &self.extra };
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

impl From<ProblemKind> for Problem {
    fn from(kind: ProblemKind) -> Problem {
        Problem::new(kind, kind.facts().detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.kind.status();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
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
        let plain = Problem::from(ProblemKind::Internal).to_json("id-1");
        let plain: serde_json::Value = serde_json::from_slice(&plain).unwrap();
        assert_eq!((&plain["type"], &plain["status"]), (&"/problems/internal".into(), &500.into()));
        assert_eq!(plain["request_id"], "id-1");
        assert_eq!(plain.as_object().unwrap().len(), 5);
        let budget = Problem::budget_exhausted(7, 7, 9, evidence::Limit::Nodes).to_json("");
        let budget: serde_json::Value = serde_json::from_slice(&budget).unwrap();
        assert_eq!((&budget["limit"], &budget["max_nodes"]), (&"nodes".into(), &7.into()));
    }
}
