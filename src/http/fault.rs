//! Places in a request that are wrong, each with a JSON pointer (RFC 6901) and a code.

use std::fmt::{self, Write};

use serde::Serialize;

use super::wire::CellName;
use crate::puzzle::Cell;

/// The most faults that one answer lists.
const MOST: usize = 100;

/// What is wrong at a place, for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the contract describes them
pub enum Code {
    Missing,
    UnknownMember,
    RepeatedMember,
    WrongType,
    OutOfRange,
    UnknownValue,
    RowCount,
    RowLength,
    BadCharacter,
    NoCages,
    EmptyCage,
    DuplicateCell,
    UnknownCell,
    TooManyCells,
    TooManyCages,
    ImpossibleSum,
}

/// One wrong place.
#[derive(Debug, Clone, Serialize)]
pub struct Fault {
    pointer: String,
    code: Code,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<CellName>,
    detail: String,
}

/// The wrong places of one request, in order: at most 100, and how many more there are.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Faults {
    errors: Vec<Fault>,
    #[serde(rename = "errors_omitted", skip_serializing_if = "is_zero")]
    omitted: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Faults {
    /// Adds a fault.
    pub fn push(&mut self, pointer: &Pointer, code: Code, detail: impl fmt::Display) {
        self.add(pointer, code, None, detail);
    }

    /// Adds a fault of one cell of the board.
    pub fn push_cell(&mut self, pointer: &Pointer, code: Code, cell: Cell, detail: impl fmt::Display) {
        self.add(pointer, code, Some(cell), detail);
    }

    fn add(&mut self, pointer: &Pointer, code: Code, cell: Option<Cell>, detail: impl fmt::Display) {
        if self.errors.len() < MOST {
            let (pointer, detail) = (pointer.0.clone(), detail.to_string());
            self.errors.push(Fault { pointer, code, cell: cell.map(CellName), detail });
        } else {
            self.omitted += 1;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
}

/// A JSON pointer to a place in the request.
#[derive(Debug, Clone, Default)]
pub struct Pointer(String);

impl Pointer {
    /// The body itself.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// The place under this one that has this name or index.
    #[must_use]
    pub fn at(&self, part: impl fmt::Display) -> Pointer {
        let mut pointer = self.clone();
        pointer.0.push('/');
        // Writing to a string cannot fail.
        let _ = write!(Escaped(&mut pointer.0), "{part}");
        pointer
    }
}

/// Escapes what has a meaning in a pointer.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                _ => self.0.push(character),
            }
        }
        Ok(())
    }
}

/// A text that a client sent, quoted and cut short, for a detail.
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(40) {
            Some((end, _)) => write!(f, "\"{}…\"", &self.0[..end]),
            None => write!(f, "\"{}\"", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_escape() {
        assert_eq!(Pointer::root().at("cages").at(12).at("a/b~c").0, "/cages/12/a~1b~0c");
    }

    #[test]
    fn the_list_is_cut_and_says_so() {
        let mut faults = Faults::default();
        (0..103).for_each(|index| faults.push(&Pointer::root().at(index), Code::WrongType, ""));
        assert_eq!((faults.errors.len(), faults.omitted), (100, 3));
    }
}
