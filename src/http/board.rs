//! Reading a board in any of its three forms, with every fault that it has.

use serde_json::value::RawValue;

use super::{
    fault::{Code, Faults, Pointer},
    json::{self, Malformed, Value},
    wire::BoardForm,
};
use crate::puzzle::{BoardFault, BoardReader, Cell, Grid};

/// A board and its form, or its faults.
pub type Board = Result<(Grid, BoardForm), Faults>;

/// Reads a board.
pub fn read(value: Value, at: &Pointer) -> Result<Board, Malformed> {
    let mut reader = BoardReader::default();
    let form = match value {
        Value::String(line) => {
            reader.line(&line);
            BoardForm::Line
        }
        Value::Array(rows) => read_rows(&rows, &mut reader)?,
        other => {
            let mut faults = Faults::default();
            faults.push(at, Code::WrongType, format_args!("expected a board, found {}", other.kind()));
            return Ok(Err(faults));
        }
    };
    Ok(reader.finish().map(|grid| (grid, form)).map_err(|error| {
        let mut faults = Faults::default();
        error.faults.into_iter().for_each(|fault| push(&mut faults, fault, form, at));
        faults
    }))
}

/// Reads rows; the first one says of which form they are.
fn read_rows(rows: &[&RawValue], reader: &mut BoardReader) -> Result<BoardForm, Malformed> {
    reader.row_count(rows.len());
    let integers = rows.first().is_some_and(|row| row.get().starts_with('['));
    for (row, value) in rows.iter().take(9).enumerate() {
        match Value::of(value)? {
            Value::String(text) if !integers => reader.string_row(row, &text),
            Value::Array(cells) if integers => read_integers(row, &cells, reader)?,
            _ => reader.fault(BoardFault::RowType { row, integers }),
        }
    }
    Ok(if integers { BoardForm::Integers } else { BoardForm::Rows })
}

fn read_integers(row: usize, cells: &[&RawValue], reader: &mut BoardReader) -> Result<(), Malformed> {
    reader.integer_count(row, cells.len());
    for (cell, value) in Cell::all().skip(9 * row).take(9).zip(cells) {
        match Value::of(value)? {
            Value::Integer(written) => match json::natural(written) {
                Some(value) => reader.integer(cell, value),
                None => reader.fault(BoardFault::OutOfRange { cell }),
            },
            _ => reader.fault(BoardFault::CellType { cell }),
        }
    }
    Ok(())
}

fn push(faults: &mut Faults, fault: BoardFault, form: BoardForm, at: &Pointer) {
    let row_of = |cell: Cell| at.at(cell.row() - 1);
    match fault {
        BoardFault::RowCount { .. } => faults.push(at, Code::RowCount, fault),
        BoardFault::RowLength { row: None, .. } => faults.push(at, Code::RowLength, fault),
        BoardFault::RowLength { row: Some(row), .. } => faults.push(&at.at(row), Code::RowLength, fault),
        BoardFault::RowType { row, .. } => faults.push(&at.at(row), Code::WrongType, fault),
        BoardFault::BadCharacter { cell, .. } if form == BoardForm::Line => {
            faults.push_cell(at, Code::BadCharacter, cell, fault);
        }
        BoardFault::BadCharacter { cell, .. } => faults.push_cell(&row_of(cell), Code::BadCharacter, cell, fault),
        BoardFault::OutOfRange { cell } => {
            faults.push_cell(&row_of(cell).at(cell.column() - 1), Code::OutOfRange, cell, fault);
        }
        BoardFault::CellType { cell } => {
            faults.push_cell(&row_of(cell).at(cell.column() - 1), Code::WrongType, cell, fault);
        }
    }
}
