//! Reading a board with every fault that it has.
//!
//! A board comes as 81 characters, as nine rows of characters or as nine rows of integers. A [`BoardReader`] is handed
//! its parts in reading order and goes on past a fault, so that a person mends a board once and not once a fault.

use super::{Cell, Grid};

/// One thing that is wrong with a board. Rows and columns count from 0 here, as in the board that was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardFault {
    /// A board has nine rows.
    #[error("expected 9 rows, found {found}")]
    RowCount {
        /// How many there are.
        found: usize,
    },
    /// A row has nine cells, and a board in one string 81.
    #[error("expected {expected}, found {found}", expected = if row.is_some() { "9 cells" } else { "81 characters" })]
    RowLength {
        /// The row, or none for a board in one string.
        row: Option<usize>,
        /// How many cells it has.
        found: usize,
    },
    /// A character that is not `1` to `9`, `.` or `0`.
    #[error("{found:?} is not a digit, '.' or '0'")]
    BadCharacter {
        /// Where it stands.
        cell: Cell,
        /// The character.
        found: char,
    },
    /// An integer that is not 0 to 9.
    #[error("expected an integer from 0 to 9")]
    OutOfRange {
        /// Where it stands.
        cell: Cell,
    },
    /// A row that is of another kind than the first.
    #[error("expected {expected}", expected = if *integers { "an array of 9 integers" } else { "a string of 9 characters" })]
    RowType {
        /// The row.
        row: usize,
        /// Whether the board is one of integers, or else one of strings.
        integers: bool,
    },
    /// Something else than an integer in a row of integers.
    #[error("expected an integer from 0 to 9")]
    CellType {
        /// Where it stands.
        cell: Cell,
    },
}

/// A board that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct BoardError {
    /// Its faults in reading order, at least one.
    pub faults: Vec<BoardFault>,
}

/// Collects the cells of a board, and its faults.
#[derive(Debug)]
pub struct BoardReader {
    values: [u8; 81],
    faults: Vec<BoardFault>,
}

impl Default for BoardReader {
    fn default() -> BoardReader {
        BoardReader { values: [0; 81], faults: Vec::new() }
    }
}

impl BoardReader {
    /// A whole board as one string of 81 characters.
    pub fn line(&mut self, text: &str) {
        self.characters(text, None);
    }

    /// Tells how many rows there are; only the first nine are to be handed in.
    pub fn row_count(&mut self, found: usize) {
        if found != 9 {
            self.faults.push(BoardFault::RowCount { found });
        }
    }

    /// A row as nine characters.
    ///
    /// # Panics
    /// Where `row` is not 0 to 8.
    pub fn string_row(&mut self, row: usize, text: &str) {
        assert!(row < 9, "a board has nine rows");
        self.characters(text, Some(row));
    }

    /// Tells how many integers a row has; only the first nine are to be handed in.
    pub fn integer_count(&mut self, row: usize, found: usize) {
        if found != 9 {
            self.faults.push(BoardFault::RowLength { row: Some(row), found });
        }
    }

    /// One integer of a row of integers.
    pub fn integer(&mut self, cell: Cell, value: u64) {
        match value {
            0..=9 => self.values[cell.index()] = value as u8,
            _ => self.fault(BoardFault::OutOfRange { cell }),
        }
    }

    /// A fault that only the reader of the surrounding document can see.
    pub fn fault(&mut self, fault: BoardFault) {
        self.faults.push(fault);
    }

    /// The board, or all of its faults.
    pub fn finish(self) -> Result<Grid, BoardError> {
        match Grid::from_values(self.values) {
            Some(grid) if self.faults.is_empty() => Ok(grid),
            _ => Err(BoardError { faults: self.faults }),
        }
    }

    fn characters(&mut self, text: &str, row: Option<usize>) {
        let (first, expected) = row.map_or((0, 81), |row| (9 * row, 9));
        let found = text.chars().count();
        if found != expected {
            self.faults.push(BoardFault::RowLength { row, found });
        }
        for (cell, found) in Cell::all().skip(first).take(expected).zip(text.chars()) {
            match value(found) {
                Some(value) => self.values[cell.index()] = value,
                None => self.faults.push(BoardFault::BadCharacter { cell, found }),
            }
        }
    }
}

/// The value of one character of a board, 0 for an empty cell.
fn value(character: char) -> Option<u8> {
    match character {
        '.' => Some(0),
        '0'..='9' => Some(character as u8 - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(name: &str) -> Cell {
        name.parse().unwrap()
    }

    #[test]
    fn a_line_reads_and_writes() {
        let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let grid: Grid = line.parse().unwrap();
        assert_eq!(grid.to_string(), line);
        assert_eq!(line.replace('.', "0").parse::<Grid>().unwrap(), grid);
    }

    #[test]
    fn every_fault_of_a_line_is_told() {
        let cases = [
            ("", vec![BoardFault::RowLength { row: None, found: 0 }]),
            (
                "x.é",
                vec![
                    BoardFault::RowLength { row: None, found: 3 },
                    BoardFault::BadCharacter { cell: cell("r1c1"), found: 'x' },
                    BoardFault::BadCharacter { cell: cell("r1c3"), found: 'é' },
                ],
            ),
        ];
        for (line, faults) in cases {
            assert_eq!(line.parse::<Grid>().unwrap_err().faults, faults, "{line:?}");
        }
        let mut line = ".".repeat(81);
        line.replace_range(80..81, "🙂");
        let faults = line.parse::<Grid>().unwrap_err().faults;
        assert_eq!(faults, [BoardFault::BadCharacter { cell: cell("r9c9"), found: '🙂' }]);
        let long = ".".repeat(81) + "x";
        assert_eq!(long.parse::<Grid>().unwrap_err().faults, [BoardFault::RowLength { row: None, found: 82 }]);
    }

    #[test]
    fn rows_and_integers_read_like_the_line() {
        let mut strings = BoardReader::default();
        let mut integers = BoardReader::default();
        strings.row_count(9);
        integers.row_count(9);
        for row in 0..9 {
            strings.string_row(row, ".12345678");
            integers.integer_count(row, 9);
            for (column, cell) in Cell::all().skip(9 * row).take(9).enumerate() {
                integers.integer(cell, column as u64);
            }
        }
        let grid = strings.finish().unwrap();
        assert_eq!(grid.to_string(), ".12345678".repeat(9));
        assert_eq!(integers.finish().unwrap(), grid);
    }

    #[test]
    fn faults_of_rows_come_in_reading_order() {
        let mut reader = BoardReader::default();
        reader.row_count(8);
        reader.string_row(3, "...a....");
        reader.integer(cell("r5c1"), 10);
        reader.integer_count(6, 10);
        let expected = [
            BoardFault::RowCount { found: 8 },
            BoardFault::RowLength { row: Some(3), found: 8 },
            BoardFault::BadCharacter { cell: cell("r4c4"), found: 'a' },
            BoardFault::OutOfRange { cell: cell("r5c1") },
            BoardFault::RowLength { row: Some(6), found: 10 },
        ];
        assert_eq!(reader.finish().unwrap_err().faults, expected);
    }
}
