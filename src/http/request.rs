//! A request's members, as a puzzle and the terms of its search.
//!
//! Every fault of a kind is found before it is told, and kinds are told in the contract's order: JSON, members, board,
//! cages, algorithm.

use std::ops::RangeInclusive;

use super::{
    board, cages,
    fault::{Code, Faults, Pointer},
    json::{Malformed, Value},
    members::{MemberNames, integer},
    problem::{Problem, ProblemKind},
    wire::BoardForm,
};
use crate::{puzzle::Puzzle, solver::Algorithm};

/// What an endpoint lets a request ask for.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The node budget of a request that names none.
    pub default_nodes: u64,
    /// The greatest node budget.
    pub max_nodes: u64,
    /// How many solutions a request may ask for; none where the endpoint has no such member.
    pub max_solutions: Option<RangeInclusive<usize>>,
}

/// A puzzle, and how to search it.
#[derive(Debug, Clone)]
pub struct PuzzleRequest {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// The form that its board came in.
    pub form: BoardForm,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The node budget.
    pub max_nodes: u64,
    /// How many solutions to look for.
    pub max_solutions: usize,
}

const MEMBERS: [&str; 5] = ["board", "cages", "algorithm", "max_nodes", "max_solutions"];

impl PuzzleRequest {
    /// Reads a request body.
    pub fn read(body: &[u8], terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let text = str::from_utf8(body).map_err(|error| Malformed(error.to_string()))?;
        let root = Pointer::root();
        let members = match Value::document(text)? {
            Value::Object(members) => members,
            other => {
                let mut faults = Faults::default();
                faults.push(&root, Code::WrongType, format_args!("expected an object, found {}", other.kind()));
                return Err(invalid_request(faults));
            }
        };
        let mut faults = Faults::default();
        let (mut board, mut cages) = (None, None);
        let (mut algorithm, mut max_nodes, mut max_solutions) = (Algorithm::default(), terms.default_nodes, 2);
        let known = if terms.max_solutions.is_some() { &MEMBERS[..] } else { &MEMBERS[..4] };
        let mut names = MemberNames::new(known);
        for (name, value) in members {
            let Some(name) = names.check(name, &root, &mut faults) else { continue };
            let at = root.at(name);
            match name {
                "board" => board = Some(board::read(Value::of(value)?, &at)?),
                "cages" => cages = Some(cages::read(Value::of(value)?, &at)?),
                "algorithm" => algorithm = read_algorithm(Value::of(value)?, &at, &mut faults).unwrap_or_default(),
                "max_nodes" => {
                    let read = integer(Value::of(value)?, 1..=terms.max_nodes, &at, &mut faults);
                    max_nodes = read.unwrap_or(max_nodes);
                }
                _ => {
                    let range = terms.max_solutions.clone().unwrap_or(2..=2);
                    let range = *range.start() as u64..=*range.end() as u64;
                    let read = integer(Value::of(value)?, range, &at, &mut faults);
                    max_solutions = read.map_or(max_solutions, |count| count as usize);
                }
            }
        }
        let Some(board) = board else {
            faults.push(&root.at("board"), Code::Missing, "this member is required");
            return Err(invalid_request(faults));
        };
        if !faults.is_empty() {
            return Err(invalid_request(faults));
        }
        let (givens, form) = board.map_err(|faults| Problem::faults(ProblemKind::InvalidBoard, faults))?;
        let invalid_cages = |faults| Problem::faults(ProblemKind::InvalidCages, faults);
        let cages = cages.transpose().map_err(invalid_cages)?.unwrap_or_default();
        if !cages.is_empty() && !algorithm.knows_cages() {
            return Err(unsupported_algorithm(algorithm));
        }
        Ok(PuzzleRequest { puzzle: Puzzle::new(givens, cages), form, algorithm, max_nodes, max_solutions })
    }
}

fn read_algorithm(value: Value, at: &Pointer, faults: &mut Faults) -> Option<Algorithm> {
    let expected = || Algorithm::ALL.map(Algorithm::name).join(", ");
    match value {
        Value::String(name) => {
            let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
            if found.is_none() {
                faults.push(at, Code::UnknownValue, format_args!("expected one of {}", expected()));
            }
            found
        }
        other => {
            faults.push(at, Code::WrongType, format_args!("expected a string, found {}", other.kind()));
            None
        }
    }
}

fn invalid_request(faults: Faults) -> Problem {
    Problem::faults(ProblemKind::InvalidRequest, faults)
}

fn unsupported_algorithm(algorithm: Algorithm) -> Problem {
    let mut faults = Faults::default();
    let detail = format_args!("{} knows no cages", algorithm.name());
    faults.push(&Pointer::root().at("algorithm"), Code::NoCages, detail);
    Problem::faults(ProblemKind::UnsupportedAlgorithm, faults)
}

impl From<Malformed> for Problem {
    fn from(Malformed(reason): Malformed) -> Problem {
        Problem::new(ProblemKind::MalformedJson, format!("The body is not valid JSON: {reason}."))
    }
}
