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
    puzzle::{Cage, Grid, Puzzle},
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
        json::document(body, |json| members.read(json, "an object")).map_err(malformed("body is not valid JSON"))?;
        members.finish()
    }

    /// Reads a line of a batch: what a body may be, or a board alone.
    pub fn read_line(line: &[u8], terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let mut members = Members::new(terms);
        json::document(line, |json| {
            if matches!(json.peek(), Some(b'"' | b'[')) {
                members.board = Some(board::read(json, &Pointer::Root)?);
                return Ok(());
            }
            members.read(json, "an object or a board")
        })
        .map_err(malformed("line is not valid JSON"))?;
        members.finish()
    }

    /// Reads a board of 81 characters that stands for itself, with no JSON around it.
    pub fn read_board(text: &[u8], terms: &Terms) -> Result<PuzzleRequest, Problem> {
        let mut members = Members::new(terms);
        members.board = Some(match text.as_array().and_then(Grid::from_ascii) {
            Some(grid) => Ok((grid, BoardForm::Line)),
            None => board::of_line(json::text(text).map_err(malformed("line is not UTF-8"))?, &Pointer::Root),
        });
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

/// Makes a problem of text that is not what it should be.
fn malformed(what: &str) -> impl FnOnce(Malformed) -> Problem {
    move |Malformed(reason)| Problem::new(ProblemKind::MalformedJson, format!("The {what}: {reason}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn terms() -> Terms {
        Terms { default_nodes: 100, max_nodes: 1000, max_solutions: Some(2..=10) }
    }

    fn rows() -> Vec<&'static str> {
        (0..9).map(|row| &LINE[9 * row..][..9]).collect()
    }

    fn integers() -> Vec<Vec<u8>> {
        rows().iter().map(|row| row.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect()).collect()
    }

    /// A board in every form, and written in every way.
    fn boards() -> Vec<(BoardForm, String)> {
        let spaced = serde_json::to_string(&integers()).unwrap().replace(',', ", ");
        vec![
            (BoardForm::Line, format!("\"{LINE}\"")),
            (BoardForm::Line, format!(" \"\\u0035{}\" ", &LINE[1..])),
            (BoardForm::Rows, serde_json::to_string(&rows()).unwrap()),
            (BoardForm::Rows, serde_json::to_string_pretty(&rows()).unwrap()),
            (BoardForm::Rows, serde_json::to_string(&rows()).unwrap().replacen('5', "\\u0035", 1)),
            (BoardForm::Integers, serde_json::to_string(&integers()).unwrap()),
            (BoardForm::Integers, spaced.replacen("5, 3", "5,3", 1)),
            (BoardForm::Integers, spaced),
            (BoardForm::Integers, serde_json::to_string_pretty(&integers()).unwrap()),
            (BoardForm::Integers, serde_json::to_string(&integers()).unwrap().replacen(",0,", ",-0,", 1)),
        ]
    }

    /// What is told of a line: the kind, then pointers and codes.
    fn told(line: &str) -> String {
        let problem = PuzzleRequest::read_line(line.as_bytes(), &terms()).unwrap_err();
        let document: serde_json::Value = serde_json::from_slice(&problem.to_json("")).unwrap();
        let errors = document["errors"].as_array().cloned().unwrap_or_default();
        let places = errors.iter().map(|error| format!(" {} {}", error["pointer"], error["code"]).replace('"', ""));
        format!("{:?}{}", problem.kind(), places.collect::<String>())
    }

    #[test]
    fn a_line_is_a_board_or_an_object() {
        for (form, board) in boards() {
            let alone = PuzzleRequest::read_line(board.as_bytes(), &terms()).unwrap();
            assert_eq!((alone.puzzle.givens().to_string().as_str(), alone.form), (LINE, form), "{board}");
            assert_eq!((alone.algorithm, alone.max_nodes, alone.max_solutions), (Algorithm::default(), 100, 2));
            let object = format!(r#"{{"max_nodes": 7, "board":{board}, "algorithm": "mrv"}}"#);
            for read in [PuzzleRequest::read_line, PuzzleRequest::read] {
                let whole = read(object.as_bytes(), &terms()).unwrap();
                assert_eq!((&whole.puzzle, whole.form), (&alone.puzzle, form), "{object}");
                assert_eq!((whole.algorithm, whole.max_nodes), (Algorithm::Mrv, 7));
            }
            assert!(PuzzleRequest::read(board.as_bytes(), &terms()).is_err(), "no body is a board alone");
        }
    }

    #[test]
    fn faults_of_a_board_alone_are_pointed_at_from_the_root() {
        let short = serde_json::to_string(&rows()[..8]).unwrap();
        let wrong = serde_json::to_string(&integers()).unwrap().replacen("[8,0,0,0,6", "[8,10,\"\",1e0,6", 1);
        let long_row = serde_json::to_string(&rows()).unwrap().replacen("53", "x533", 1);
        let mixed = serde_json::to_string(&rows()).unwrap().replacen("\"6..195...\"", "[6]", 1);
        let cases = [
            ("\"\"", "InvalidBoard  row_length"),
            ("[]", "InvalidBoard  row_count"),
            (&short, "InvalidBoard  row_count"),
            (&long_row, "InvalidBoard /0 row_length /0 bad_character"),
            (&mixed, "InvalidBoard /1 wrong_type"),
            (&wrong, "InvalidBoard /3/1 out_of_range /3/2 wrong_type /3/3 wrong_type"),
            ("[[1,2]]", "InvalidBoard  row_count /0 row_length"),
            ("7", "InvalidRequest  wrong_type"),
            ("{}", "InvalidRequest /board missing"),
            (r#"{"board": 7}"#, "InvalidBoard /board wrong_type"),
            (r#"{"board": 7, "x": [], "x": {"y": "\ud800"}}"#, "InvalidRequest /x unknown_member /x repeated_member"),
            (r#"{"board": 7, "cages": [], "cages": []"#, "MalformedJson"),
            (r#"["\ud800"]"#, "MalformedJson"),
            ("", "MalformedJson"),
        ];
        for (line, expected) in cases {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
