//! Cells, and the 27 houses that they lie in.

use std::{fmt, str::FromStr};

/// One of the 81 cells of the board. It reads and writes as `r3c5`: row 3 and column 5, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell with this index in reading order, 0 to 80.
    pub const fn from_index(index: usize) -> Option<Cell> {
        if index < 81 { Some(Cell(index as u8)) } else { None }
    }

    /// The cell in this row and column, both 1 to 9.
    pub const fn at(row: u8, column: u8) -> Option<Cell> {
        if 1 <= row && row <= 9 && 1 <= column && column <= 9 { Some(Cell((row - 1) * 9 + column - 1)) } else { None }
    }

    /// Its index in reading order, 0 to 80.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its row, 1 to 9 from the top.
    pub const fn row(self) -> u8 {
        self.0 / 9 + 1
    }

    /// Its column, 1 to 9 from the left.
    pub const fn column(self) -> u8 {
        self.0 % 9 + 1
    }

    /// Its box, 1 to 9, left to right and then down.
    pub const fn box_number(self) -> u8 {
        self.0 / 27 * 3 + self.0 % 9 / 3 + 1
    }

    /// Its row, its column and its box.
    pub const fn houses(self) -> [House; 3] {
        [House(self.row() - 1), House(8 + self.column()), House(17 + self.box_number())]
    }

    /// The 81 cells in reading order.
    pub fn all() -> impl Iterator<Item = Cell> + Clone {
        (0..81).map(Cell)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}c{}", self.row(), self.column())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A name that is not one of `r1c1` to `r9c9`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cell is named r1c1 to r9c9")]
pub struct UnknownCell;

impl FromStr for Cell {
    type Err = UnknownCell;

    /// Reads `r3c5` in either case of letters.
    fn from_str(name: &str) -> Result<Cell, UnknownCell> {
        let &[b'r' | b'R', row @ b'1'..=b'9', b'c' | b'C', column @ b'1'..=b'9'] = name.as_bytes() else {
            return Err(UnknownCell);
        };
        Cell::at(row - b'0', column - b'0').ok_or(UnknownCell)
    }
}

/// What kind of nine cells a house is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HouseKind {
    /// From left to right.
    Row,
    /// From top to bottom.
    Column,
    /// Three by three cells.
    Box,
}

/// A row, a column or a box: nine cells that hold each digit once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(u8);

impl House {
    /// The 27 houses: rows, columns, boxes.
    pub fn all() -> impl Iterator<Item = House> + Clone {
        (0..27).map(House)
    }

    /// Its place in [`House::all`], 0 to 26.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Row, column or box.
    pub const fn kind(self) -> HouseKind {
        match self.0 / 9 {
            0 => HouseKind::Row,
            1 => HouseKind::Column,
            _ => HouseKind::Box,
        }
    }

    /// Its number among its kind, 1 to 9: rows from the top, columns from the left, boxes left to right and then down.
    pub const fn number(self) -> u8 {
        self.0 % 9 + 1
    }

    /// Its nine cells in reading order.
    pub fn cells(self) -> &'static [Cell; 9] {
        &HOUSE_CELLS[self.0 as usize]
    }
}

impl fmt::Debug for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.number())
    }
}

static HOUSE_CELLS: [[Cell; 9]; 27] = {
    let mut cells = [[Cell(0); 9]; 27];
    let mut n = 0;
    while n < 9 {
        let mut k = 0;
        while k < 9 {
            cells[n][k] = Cell((n * 9 + k) as u8);
            cells[9 + n][k] = Cell((k * 9 + n) as u8);
            cells[18 + n][k] = Cell(((n / 3 * 3 + k / 3) * 9 + n % 3 * 3 + k % 3) as u8);
            k += 1;
        }
        n += 1;
    }
    cells
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_and_write() {
        for cell in Cell::all() {
            assert_eq!(cell.to_string().parse(), Ok(cell));
            assert_eq!(cell.to_string().to_uppercase().parse(), Ok(cell));
        }
        for wrong in ["", "r1", "r0c1", "r1c0", "r10c1", "c1r1", "r1c1 ", " r1c1", "r①c1", "rrcc"] {
            assert_eq!(wrong.parse::<Cell>(), Err(UnknownCell), "{wrong:?}");
        }
    }

    #[test]
    fn houses_and_cells_know_each_other() {
        for house in House::all() {
            assert!(house.cells().is_sorted(), "{house:?} is in reading order");
            assert!(house.cells().iter().all(|cell| cell.houses().contains(&house)), "{house:?}");
        }
        for cell in Cell::all() {
            assert!(cell.houses().iter().all(|house| house.cells().contains(&cell)), "{cell}");
            assert_eq!(cell.houses().map(House::number), [cell.row(), cell.column(), cell.box_number()]);
        }
        let r4c9 = Cell::at(4, 9).unwrap();
        assert_eq!((r4c9.index(), r4c9.box_number()), (35, 6));
    }
}
