//! A request's members, as a puzzle and the terms of its search.
//!
//! Every fault of a kind is found before it is told, and kinds are told in the contract's order: JSON, members, board,
//! cages, algorithm.

use std::ops::RangeInclusive;

use super::{
    board::{self, Board},
    cages,
    fault::{Code, Faults, Pointer},
    json::{self, Broken, Malformed, Reader, Value},
    members::{MemberNames, integer},
    problem::{Problem, ProblemKind},
    wire::BoardForm,
};
use crate::{
    puzzle::{Cage, Puzzle},
    solver::Algorithm,
};

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
        let mut members = Members::new(terms);
        json::document(body, |json| members.read(json, "an object"))?;
        members.finish()
    }

    /// Reads a line of a batch: what a body may be, or a board alone.
    #[expect(dead_code, reason = "batches are to come")]
    pub fn read_line(line: &[u8], terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let mut members = Members::new(terms);
        json::document(line, |json| {
            if matches!(json.peek(), Some(b'"' | b'[')) {
                members.board = Some(board::read(json, &Pointer::Root)?);
                return Ok(());
            }
            members.read(json, "an object or a board")
        })?;
        members.finish()
    }
}

/// The members of a request, as far as they were read.
struct Members<'a> {
    terms: &'a Terms,
    faults: Faults,
    board: Option<Board>,
    cages: Option<Result<Vec<Cage>, Faults>>,
    algorithm: Algorithm,
    max_nodes: u64,
    max_solutions: usize,
}

impl Members<'_> {
    fn new(terms: &Terms) -> Members<'_> {
        Members {
            terms,
            faults: Faults::default(),
            board: None,
            cages: None,
            algorithm: Algorithm::default(),
            max_nodes: terms.default_nodes,
            max_solutions: 2,
        }
    }

    /// Reads the members of an object.
    fn read(&mut self, json: &mut Reader, expected: &str) -> Result<(), Broken> {
        let known = if self.terms.max_solutions.is_some() { &MEMBERS[..] } else { &MEMBERS[..4] };
        let mut names = MemberNames::new(known);
        let object = json.object(|json, name| match names.check(name, &Pointer::Root, &mut self.faults) {
            Some(name) => self.read_member(name, json),
            None => json.skip(),
        })?;
        if object.is_none() {
            let found = json.value()?.kind();
            self.faults.push(&Pointer::Root, Code::WrongType, format_args!("expected {expected}, found {found}"));
        } else if self.board.is_none() {
            self.faults.push(&Pointer::Root.member("board"), Code::Missing, "this member is required");
        }
        Ok(())
    }

    fn read_member(&mut self, name: &str, json: &mut Reader) -> Result<(), Broken> {
        let (at, faults) = (Pointer::Root.member(name), &mut self.faults);
        match name {
            "board" => self.board = Some(board::read(json, &at)?),
            "cages" => self.cages = Some(cages::read(json, &at)?),
            "algorithm" => self.algorithm = read_algorithm(json, &at, faults)?.unwrap_or_default(),
            "max_nodes" => {
                let read = integer(json, 1..=self.terms.max_nodes, &at, faults)?;
                self.max_nodes = read.unwrap_or(self.max_nodes);
            }
            _ => {
                let range = self.terms.max_solutions.clone().unwrap_or(2..=2);
                let read = integer(json, *range.start() as u64..=*range.end() as u64, &at, faults)?;
                self.max_solutions = read.map_or(self.max_solutions, |count| count as usize);
            }
        }
        Ok(())
    }

    /// The request, or the first kind of faults that it has.
    fn finish(self) -> Result<PuzzleRequest, Problem> {
        let Members { board: Some(board), algorithm, max_nodes, max_solutions, .. } = self else {
            return Err(invalid_request(self.faults));
        };
        if !self.faults.is_empty() {
            return Err(invalid_request(self.faults));
        }
        let (givens, form) = board.map_err(|faults| Problem::faults(ProblemKind::InvalidBoard, faults))?;
        let invalid_cages = |faults| Problem::faults(ProblemKind::InvalidCages, faults);
        let cages = self.cages.transpose().map_err(invalid_cages)?.unwrap_or_default();
        if !cages.is_empty() && !algorithm.knows_cages() {
            return Err(unsupported_algorithm(algorithm));
        }
        Ok(PuzzleRequest { puzzle: Puzzle::new(givens, cages), form, algorithm, max_nodes, max_solutions })
    }
}

fn read_algorithm(json: &mut Reader, at: &Pointer, faults: &mut Faults) -> Result<Option<Algorithm>, Broken> {
    let expected = || Algorithm::ALL.map(Algorithm::name).join(", ");
    match json.value()? {
        Value::String(name) => {
            let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
            if found.is_none() {
                faults.push(at, Code::UnknownValue, format_args!("expected one of {}", expected()));
            }
            Ok(found)
        }
        other => {
            faults.push(at, Code::WrongType, format_args!("expected a string, found {}", other.kind()));
            Ok(None)
        }
    }
}

fn invalid_request(faults: Faults) -> Problem {
    Problem::faults(ProblemKind::InvalidRequest, faults)
}

fn unsupported_algorithm(algorithm: Algorithm) -> Problem {
    let mut faults = Faults::default();
    let detail = format_args!("{} knows no cages", algorithm.name());
    faults.push(&Pointer::Root.member("algorithm"), Code::NoCages, detail);
    Problem::faults(ProblemKind::UnsupportedAlgorithm, faults)
}

impl From<Malformed> for Problem {
    fn from(Malformed(reason): Malformed) -> Problem {
        Problem::new(ProblemKind::MalformedJson, format!("The body is not valid JSON: {reason}."))
    }
}
