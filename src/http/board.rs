//! Reading a board in any of its three forms, with every fault that it has.
//!
//! Nearly every board is right, and [`read_right`] reads such a one as fast as it can. Where it finds anything that it
//! does not expect, [`read`] begins anew and looks for what is wrong.

use std::array;

use super::{
    fault::{Code, Faults, Pointer},
    json::{self, Broken, Reader, Value},
    wire::BoardForm,
};
use crate::puzzle::{BoardFault, BoardReader, Cell, Grid};

/// A board and its form, or its faults.
pub type Board = Result<(Grid, BoardForm), Faults>;

/// Reads a board.
pub fn read(json: &mut Reader, at: &Pointer) -> Result<Board, Broken> {
    let mut ahead = json.clone();
    if let Some(board) = read_right(&mut ahead) {
        *json = ahead;
        return Ok(Ok(board));
    }
    let mut reader = BoardReader::default();
    let form = match json.count()? {
        Some(rows) => {
            reader.row_count(rows);
            read_rows(json, &mut reader)?
        }
        None => match json.value()? {
            Value::String(line) => {
                reader.line(&line);
                BoardForm::Line
            }
            other => {
                let mut faults = Faults::default();
                faults.push(at, Code::WrongType, format_args!("expected a board, found {}", other.kind()));
                return Ok(Err(faults));
            }
        },
    };
    Ok(finish(reader, form, at))
}

/// Reads a board of 81 characters that stands outside of any JSON.
pub fn of_line(line: &str, at: &Pointer) -> Board {
    let mut reader = BoardReader::default();
    reader.line(line);
    finish(reader, BoardForm::Line, at)
}

fn finish(reader: BoardReader, form: BoardForm, at: &Pointer) -> Board {
    reader.finish().map(|grid| (grid, form)).map_err(|error| {
        let mut faults = Faults::default();
        error.faults.into_iter().for_each(|fault| push(&mut faults, fault, form, at));
        faults
    })
}

/// A board without a fault, written as programs write it; `None` where it may be anything else.
fn read_right(json: &mut Reader) -> Option<(Grid, BoardForm)> {
    if json.peek()? == b'"' {
        let [b'"', line @ .., b'"'] = json.bytes::<83>()? else { return None };
        return Some((Grid::from_ascii(line)?, BoardForm::Line));
    }
    json.take(b'[')?;
    if json.peek()? == b'"' {
        let line = right_rows(json, right_characters)?;
        return Some((Grid::from_ascii(&line)?, BoardForm::Rows));
    }
    let (start, again) = (json.clone(), json.clone());
    let digits = right_rows(json, right_integers::<2, 19>)
        .or_else(|| {
            *json = start;
            right_rows(json, right_integers::<3, 27>)
        })
        .or_else(|| {
            *json = again;
            right_rows(json, right_integers_with_space)
        })?;
    Some((Grid::from_values(digits.map(|digit| digit.wrapping_sub(b'0')))?, BoardForm::Integers))
}

/// Nine rows up to the end of the array, each read by `row`.
#[inline]
fn right_rows<'a>(json: &mut Reader<'a>, row: impl Fn(&mut Reader<'a>) -> Option<[u8; 9]>) -> Option<[u8; 81]> {
    let mut rows = [[0; 9]; 9];
    for (index, cells) in rows.iter_mut().enumerate() {
        if index > 0 {
            json.take(b',')?;
        }
        json.peek()?;
        *cells = row(json)?;
    }
    json.take(b']')?;
    rows.as_flattened().try_into().ok()
}

#[inline]
fn right_characters(json: &mut Reader) -> Option<[u8; 9]> {
    match json.bytes::<11>()? {
        [b'"', row @ .., b'"'] => Some(*row),
        _ => None,
    }
}

/// Nine integers of one digit, one in `STEP` bytes: with a comma between them, or with a comma and a space.
#[inline]
fn right_integers<const STEP: usize, const LENGTH: usize>(json: &mut Reader) -> Option<[u8; 9]> {
    let text: &[u8; LENGTH] = json.bytes()?;
    let between = |index: usize| text[index] == b',' && (STEP == 2 || text[index + 1] == b' ');
    let right = text[0] == b'[' && text[LENGTH - 1] == b']' && (0..8).all(|cell| between(2 + STEP * cell));
    right.then(|| array::from_fn(|cell| text[1 + STEP * cell]))
}

/// Nine integers of one digit with any space between them.
fn right_integers_with_space(json: &mut Reader) -> Option<[u8; 9]> {
    let mut digits = [0; 9];
    for (index, digit) in digits.iter_mut().enumerate() {
        json.take(if index == 0 { b'[' } else { b',' })?;
        *digit = json.digit()?;
    }
    json.take(b']')?;
    Some(digits)
}

/// Reads rows; the first one says of which form they are.
fn read_rows(json: &mut Reader, reader: &mut BoardReader) -> Result<BoardForm, Broken> {
    let mut integers = false;
    json.array(|json, row| {
        let opens_integers = json.peek() == Some(b'[');
        if row == 0 {
            integers = opens_integers;
        }
        if row >= 9 {
            return json.skip();
        }
        if integers && opens_integers {
            return read_integers(row, json, reader);
        }
        match json.value()? {
            Value::String(text) if !integers => reader.string_row(row, &text),
            _ => reader.fault(BoardFault::RowType { row, integers }),
        }
        Ok(())
    })?;
    Ok(if integers { BoardForm::Integers } else { BoardForm::Rows })
}

fn read_integers(row: usize, json: &mut Reader, reader: &mut BoardReader) -> Result<(), Broken> {
    reader.integer_count(row, json.count()?.unwrap_or(0));
    let mut cells = Cell::all().skip(9 * row).take(9);
    json.array(|json, _| {
        let Some(cell) = cells.next() else { return json.skip() };
        match json.value()? {
            Value::Integer(written) => match json::natural(written) {
                Some(value) => reader.integer(cell, value),
                None => reader.fault(BoardFault::OutOfRange { cell }),
            },
            _ => reader.fault(BoardFault::CellType { cell }),
        }
        Ok(())
    })?;
    Ok(())
}

fn push(faults: &mut Faults, fault: BoardFault, form: BoardForm, at: &Pointer) {
    let row_of = |cell: Cell| at.element(cell.index() / 9);
    let column = |cell: Cell| cell.index() % 9;
    match fault {
        BoardFault::RowCount { .. } => faults.push(at, Code::RowCount, fault),
        BoardFault::RowLength { row: None, .. } => faults.push(at, Code::RowLength, fault),
        BoardFault::RowLength { row: Some(row), .. } => faults.push(&at.element(row), Code::RowLength, fault),
        BoardFault::RowType { row, .. } => faults.push(&at.element(row), Code::WrongType, fault),
        BoardFault::BadCharacter { cell, .. } if form == BoardForm::Line => {
            faults.push_cell(at, Code::BadCharacter, cell, fault);
        }
        BoardFault::BadCharacter { cell, .. } => faults.push_cell(&row_of(cell), Code::BadCharacter, cell, fault),
        BoardFault::OutOfRange { cell } => {
            faults.push_cell(&row_of(cell).element(column(cell)), Code::OutOfRange, cell, fault);
        }
        BoardFault::CellType { cell } => {
            faults.push_cell(&row_of(cell).element(column(cell)), Code::WrongType, cell, fault);
        }
    }
}
