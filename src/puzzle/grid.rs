//! The 81 cells of a board, each with a digit or empty.

use std::{fmt, str::FromStr};

use super::{BoardError, BoardReader, Cell, Digit};

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

    /// The grid with these characters in reading order; `None` where one is not `1` to `9`, `.` or `0`. It is what nearly
    /// every board comes as, and as fast as can be; a [`BoardReader`] says what is wrong.
    #[inline]
    pub fn from_ascii(characters: &[u8; 81]) -> Option<Grid> {
        let (mut values, mut bad) = ([0; 81], false);
        // No branch in here, so that the compiler takes sixteen characters at once.
        for (value, &character) in values.iter_mut().zip(characters) {
            let digit = character.wrapping_sub(b'0');
            *value = if digit <= 9 { digit } else { 0 };
            bad |= (digit > 9) & (character != b'.');
        }
        (!bad).then_some(Grid(values))
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

    /// Whether any row, column or box holds a digit twice. Most boards have no clash, so all of it is looked at, without
    /// a branch.
    pub fn has_clash(&self) -> bool {
        // For each house, how often it holds each digit: four bits a digit, enough for nine.
        let (mut columns, mut more_than_once) = ([0; 9], 0);
        for band in self.0.as_chunks::<27>().0 {
            let mut boxes = [0; 3];
            for row in band.as_chunks::<9>().0 {
                let ones = row.map(|value| ONE_OF_DIGIT[usize::from(value % 16)]);
                columns.iter_mut().zip(ones).for_each(|(column, one)| *column += one);
                let thirds = [ones[0] + ones[1] + ones[2], ones[3] + ones[4] + ones[5], ones[6] + ones[7] + ones[8]];
                boxes.iter_mut().zip(thirds).for_each(|(sum, third)| *sum += third);
                more_than_once |= thirds[0] + thirds[1] + thirds[2];
            }
            more_than_once |= boxes[0] | boxes[1] | boxes[2];
        }
        more_than_once = columns.iter().fold(more_than_once, |any, column| any | column);
        more_than_once & 0xE_EEEE_EEEE != 0
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

/// A count of one for each digit, and of none for an empty cell. The table is longer than need be so that a value of four
/// bits needs no check.
static ONE_OF_DIGIT: [u64; 16] = {
    let mut ones = [0; 16];
    let mut digit = 1;
    while digit <= 9 {
        ones[digit] = 1 << (4 * (digit - 1));
        digit += 1;
    }
    ones
};

impl FromStr for Grid {
    type Err = BoardError;

    /// Reads 81 characters, row by row.
    fn from_str(line: &str) -> Result<Grid, BoardError> {
        if let Some(grid) = line.as_bytes().try_into().ok().and_then(Grid::from_ascii) {
            return Ok(grid);
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::puzzle::House;

    fn has_repeated_digit(grid: &Grid) -> bool {
        House::all().any(|house| {
            Digit::all().any(|digit| house.cells().iter().filter(|&&cell| grid.get(cell) == Some(digit)).count() > 1)
        })
    }

    #[test]
    fn two_equal_digits_clash_where_they_share_a_house() {
        for (first, second) in Cell::all().flat_map(|first| Cell::all().map(move |second| (first, second))) {
            let mut grid = Grid::EMPTY;
            grid.set(first, Digit::new(9));
            grid.set(second, Digit::new(9));
            let share = first.houses().iter().any(|house| second.houses().contains(house));
            assert_eq!(grid.has_clash(), first != second && share, "{first} {second}");
        }
    }

    #[test]
    fn the_same_digit_in_every_cell_clashes() {
        for value in 0..=9 {
            assert_eq!(Grid::from_values([value; 81]).map(|grid| grid.has_clash()), Some(value > 0));
        }
    }

    #[test]
    fn every_character_is_read_or_refused() {
        for (character, index) in (0..=u8::MAX).flat_map(|character| (0..81).map(move |index| (character, index))) {
            let mut characters = [b'.'; 81];
            characters[index] = character;
            let value = match character {
                b'.' => Some(0),
                b'0'..=b'9' => Some(character - b'0'),
                _ => None,
            };
            let found = Grid::from_ascii(&characters);
            assert_eq!(found.map(|grid| grid.values()[index]), value, "{character} at {index}");
        }
    }

    proptest! {
        #[test]
        fn clashes_are_those_of_the_houses(cells in prop::collection::vec((0..81usize, 1..=9u8), 0..24)) {
            let mut grid = Grid::EMPTY;
            cells.iter().for_each(|&(index, digit)| grid.set(Cell::from_index(index).unwrap(), Digit::new(digit)));
            prop_assert_eq!(grid.has_clash(), has_repeated_digit(&grid));
        }
    }
}
