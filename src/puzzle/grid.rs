//! The 81 cells of a board, each with a digit or empty.

use std::{fmt, str::FromStr};

use super::{BoardError, BoardReader, Cell, Digit, DigitSet};

/// Digits in the cells of a board. It reads and writes as 81 characters, row by row: `1` to `9`, and `.` (when read,
/// also `0`) for an empty cell.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid([u8; 81]);

impl Grid {
    /// A board without a digit.
    pub const EMPTY: Grid = Grid([0; 81]);

    /// The grid with these values in reading order, 0 for an empty cell; `None` where one is above 9.
    #[inline]
    pub fn from_values(values: [u8; 81]) -> Option<Grid> {
        // The greatest of all, which takes sixteen at once, and not the first that is too great.
        let greatest = values.iter().fold(0, |greatest, &value| value.max(greatest));
        (greatest <= 9).then_some(Grid(values))
    }

    /// Its values in reading order, 0 for an empty cell.
    pub const fn values(&self) -> &[u8; 81] {
        &self.0
    }

    /// The digit in a cell, if there is one.
    pub const fn get(&self, cell: Cell) -> Option<Digit> {
        Digit::new(self.0[cell.index()])
    }

    /// Puts a digit into a cell, or empties it.
    pub fn set(&mut self, cell: Cell, digit: Option<Digit>) {
        self.0[cell.index()] = digit.map_or(0, Digit::get);
    }

    /// Whether any row, column or box holds a digit twice. One pass, as most boards have no clash.
    pub fn has_clash(&self) -> bool {
        let mut seen = [DigitSet::EMPTY; 27];
        self.filled().any(|(cell, digit)| {
            cell.houses().iter().any(|house| {
                let set = &mut seen[house.index()];
                let clash = set.contains(digit);
                set.insert(digit);
                clash
            })
        })
    }

    /// The filled cells and their digits, in reading order.
    pub fn filled(&self) -> impl Iterator<Item = (Cell, Digit)> {
        Cell::all().filter_map(|cell| Some((cell, self.get(cell)?)))
    }

    /// Its 81 characters as ASCII, `.` for an empty cell.
    pub fn to_ascii(&self) -> [u8; 81] {
        self.0.map(|value| if value == 0 { b'.' } else { b'0' + value })
    }
}

impl FromStr for Grid {
    type Err = BoardError;

    /// Reads 81 characters, row by row.
    fn from_str(line: &str) -> Result<Grid, BoardError> {
        let mut reader = BoardReader::default();
        reader.line(line);
        reader.finish()
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.to_ascii()).unwrap_or_default())
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
