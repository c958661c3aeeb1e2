//! How boards and cells are written in answers.

use serde::{Serialize, Serializer};

use crate::puzzle::{Cell, Grid};

/// The three forms of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardForm {
    /// Nine strings of nine characters.
    Rows,
    /// One string of 81 characters.
    Line,
    /// Nine arrays of nine integers.
    Integers,
}

/// An object of an answer, written member by member.
///
/// serde could write it as a whole, but looks at each character of a board for what has to be escaped, which takes as long
/// as to solve a third of it.
pub struct Object<'a> {
    json: &'a mut Vec<u8>,
    /// What comes before the next member.
    separator: u8,
}

impl Object<'_> {
    /// Begins an object at the end of this text.
    pub fn new(json: &mut Vec<u8>) -> Object<'_> {
        Object { json, separator: b'{' }
    }

    /// A member that serde writes.
    pub fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        // All keys are strings and no number is a float, so there is nothing that could fail.
        let _ = serde_json::to_writer(&mut *self.json, value);
    }

    /// A board.
    pub fn board(&mut self, name: &str, grid: &Grid, form: BoardForm) {
        self.name(name);
        write_board(self.json, grid, form);
    }

    /// Boards.
    pub fn boards(&mut self, name: &str, grids: &[Grid], form: BoardForm) {
        self.name(name);
        array(self.json, grids, |json, grid| write_board(json, grid, form));
    }

    /// Ends it.
    pub fn end(self) {
        self.json.push(b'}');
    }

    fn name(&mut self, name: &str) {
        self.json.push(self.separator);
        self.separator = b',';
        string(self.json, name.as_bytes());
        self.json.push(b':');
    }
}

fn write_board(json: &mut Vec<u8>, grid: &Grid, form: BoardForm) {
    match form {
        BoardForm::Line => string(json, &grid.to_ascii()),
        BoardForm::Rows => array(json, grid.to_ascii().as_chunks::<9>().0, |json, row| string(json, row)),
        BoardForm::Integers => array(json, grid.values().as_chunks::<9>().0, |json, row| {
            array(json, row, |json, value| json.push(b'0' + value));
        }),
    }
}

/// Writes characters of which none has to be escaped.
fn string(json: &mut Vec<u8>, plain: &[u8]) {
    json.push(b'"');
    json.extend_from_slice(plain);
    json.push(b'"');
}

fn array<T>(json: &mut Vec<u8>, elements: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    json.push(b'[');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        write(json, element);
    }
    json.push(b']');
}

/// A cell by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellName(pub Cell);

impl Serialize for CellName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_object_is_json() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let grid: Grid = line.parse().unwrap();
        let rows: Vec<_> = (0..9).map(|row| &line[9 * row..][..9]).collect();
        let integers: Vec<_> = rows.iter().map(|row| row.replace('.', "0")).collect();
        let integers: Vec<Vec<_>> =
            integers.iter().map(|row| row.bytes().map(|byte| i32::from(byte - b'0')).collect()).collect();
        for (form, board) in
            [(BoardForm::Line, json!(line)), (BoardForm::Rows, json!(rows)), (BoardForm::Integers, json!(integers))]
        {
            let mut json = Vec::new();
            let mut object = Object::new(&mut json);
            object.board("a", &grid, form);
            object.member("b", &Some(7));
            object.boards("none", &[], form);
            object.boards("two", &[grid.clone(), grid.clone()], form);
            object.end();
            let expected = json!({"a": board, "b": 7, "none": [], "two": [board, board]});
            assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), expected, "{form:?}");
        }
    }
}
