//! Places in a request that are wrong, each with a JSON pointer (RFC 6901) and a code.

use std::fmt;

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
            let (pointer, detail) = (pointer.to_string(), detail.to_string());
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

/// A place in the request. It is written as a JSON pointer only where there is a fault: a right request costs none.
#[derive(Debug, Clone, Copy)]
pub enum Pointer<'a> {
    /// The body itself.
    Root,
    /// A member of an object.
    Member(&'a Pointer<'a>, &'a str),
    /// An element of an array.
    Element(&'a Pointer<'a>, usize),
}

impl Pointer<'_> {
    /// The member of this place that has this name.
    pub const fn member<'a>(&'a self, name: &'a str) -> Pointer<'a> {
        Pointer::Member(self, name)
    }

    /// The element of this place that has this index.
    pub const fn element(&self, index: usize) -> Pointer<'_> {
        Pointer::Element(self, index)
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pointer::Root => Ok(()),
            Pointer::Member(parent, name) => write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1")),
            Pointer::Element(parent, index) => write!(f, "{parent}/{index}"),
        }
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
        let written = Pointer::Root.member("cages").element(12).member("a/b~c").to_string();
        assert_eq!(written, "/cages/12/a~1b~0c");
    }

    #[test]
    fn the_list_is_cut_and_says_so() {
        let mut faults = Faults::default();
        (0..103).for_each(|index| faults.push(&Pointer::Root.element(index), Code::WrongType, ""));
        assert_eq!((faults.errors.len(), faults.omitted), (100, 3));
    }
}
