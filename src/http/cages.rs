//! Reading cages, with every fault that they have.

use super::{
    fault::{Code, Faults, Pointer, Quoted},
    json::{Malformed, Value},
    members::{MemberNames, integer},
};
use crate::puzzle::{Cage, CageFault, Cell};

/// The most cages of one puzzle.
pub const MOST: usize = 324;

/// Reads a list of cages.
pub fn read(value: Value, at: &Pointer) -> Result<Result<Vec<Cage>, Faults>, Malformed> {
    let mut faults = Faults::default();
    let mut cages = Vec::new();
    match value {
        Value::Array(elements) if elements.len() > MOST => {
            let detail = format_args!("at most {MOST} cages, found {}", elements.len());
            faults.push(at, Code::TooManyCages, detail);
        }
        Value::Array(elements) => {
            for (index, element) in elements.into_iter().enumerate() {
                cages.extend(read_cage(Value::of(element)?, &at.at(index), &mut faults)?);
            }
        }
        other => faults.push(at, Code::WrongType, format_args!("expected an array of cages, found {}", other.kind())),
    }
    Ok(if faults.is_empty() { Ok(cages) } else { Err(faults) })
}

fn read_cage(value: Value, at: &Pointer, faults: &mut Faults) -> Result<Option<Cage>, Malformed> {
    let Value::Object(members) = value else {
        faults.push(at, Code::WrongType, format_args!("expected a cage, found {}", value.kind()));
        return Ok(None);
    };
    let mut names = MemberNames::new(&["sum", "cells"]);
    // Of each member: not there, there and wrong, or right.
    let (mut sum, mut cells) = (None, None);
    for (name, value) in members {
        match names.check(name, at, faults) {
            Some("sum") => {
                sum = Some(integer(Value::of(value)?, 1..=45, &at.at("sum"), faults).map(|sum| sum as u8));
            }
            Some(_) => cells = Some(read_cells(Value::of(value)?, &at.at("cells"), faults)?),
            None => {}
        }
    }
    let Some(cells) = cells else {
        faults.push(&at.at("cells"), Code::Missing, "this member is required");
        return Ok(None);
    };
    let sum = match sum {
        Some(None) => return Ok(None),
        Some(sum) => sum,
        None => None,
    };
    Ok(cells.and_then(|cells| {
        // Cells and sum are right, each for itself: what is left is whether they go together.
        let cage = Cage::new(cells, sum);
        let error = cage.as_ref().err().map(|error| error.faults.as_slice()).unwrap_or_default();
        error.iter().for_each(|fault| faults.push(&at.at("cells"), Code::ImpossibleSum, fault));
        cage.ok()
    }))
}

/// The cells of a cage, if they are right.
fn read_cells(value: Value, at: &Pointer, faults: &mut Faults) -> Result<Option<Vec<Cell>>, Malformed> {
    let Value::Array(elements) = value else {
        faults.push(at, Code::WrongType, format_args!("expected an array of cells, found {}", value.kind()));
        return Ok(None);
    };
    let count = elements.len();
    let mut known = Vec::with_capacity(count.min(9));
    let mut wrong: Vec<(usize, Code, Option<Cell>, String)> = Vec::new();
    for (index, element) in elements.into_iter().enumerate() {
        match Value::of(element)? {
            Value::String(name) => match name.parse::<Cell>() {
                Ok(cell) => known.push((index, cell)),
                Err(error) => wrong.push((index, Code::UnknownCell, None, format!("{}: {error}", Quoted(&name)))),
            },
            other => wrong.push((index, Code::WrongType, None, format!("expected a cell, found {}", other.kind()))),
        }
    }
    let found = Cage::cell_faults(count, known.iter().copied());
    let right = found.is_empty() && wrong.is_empty();
    // What is wrong with the list as a whole, then what is wrong with its elements, in their order.
    for fault in found {
        match fault {
            CageFault::DuplicateCell { index, cell } => {
                wrong.push((index, Code::DuplicateCell, Some(cell), fault.to_string()));
            }
            CageFault::Empty => faults.push(at, Code::EmptyCage, fault),
            _ => faults.push(at, Code::TooManyCells, fault),
        }
    }
    wrong.sort_by_key(|(index, ..)| *index);
    for (index, code, cell, detail) in wrong {
        match cell {
            Some(cell) => faults.push_cell(&at.at(index), code, cell, detail),
            None => faults.push(&at.at(index), code, detail),
        }
    }
    Ok(right.then(|| known.into_iter().map(|(_, cell)| cell).collect()))
}
