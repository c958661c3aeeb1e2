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

/// A board in the form that its request had.
#[derive(Debug, Clone)]
pub struct Board {
    /// The digits.
    pub grid: Grid,
    /// The form.
    pub form: BoardForm,
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.form == BoardForm::Integers {
            return self.grid.values().as_chunks::<9>().0.serialize(serializer);
        }
        let ascii = self.grid.to_ascii();
        let text = str::from_utf8(&ascii).map_err(serde::ser::Error::custom)?;
        match self.form {
            BoardForm::Line => serializer.serialize_str(text),
            _ => serializer.collect_seq((0..9).map(|row| &text[9 * row..][..9])),
        }
    }
}

/// A cell by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellName(pub Cell);

impl Serialize for CellName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
