//! Reading cages, with every fault that they have.

use super::{
    fault::{Code, Faults, Pointer, Quoted},
    json::{Broken, Reader, Value},
    members::{MemberNames, integer},
};
use crate::puzzle::{Cage, CageFault, Cell};

/// The most cages of one puzzle.
pub const MOST: usize = 324;

/// Reads a list of cages.
pub fn read(json: &mut Reader, at: &Pointer) -> Result<Result<Vec<Cage>, Faults>, Broken> {
    let mut faults = Faults::default();
    let mut cages = Vec::new();
    match json.count()? {
        Some(count) if count > MOST => {
            json.skip()?;
            faults.push(at, Code::TooManyCages, format_args!("at most {MOST} cages, found {count}"));
        }
        Some(count) => {
            cages.reserve_exact(count);
            json.array(|json, index| {
                cages.extend(read_cage(json, &at.element(index), &mut faults)?);
                Ok(())
            })?;
        }
        None => {
            let found = json.value()?.kind();
            faults.push(at, Code::WrongType, format_args!("expected an array of cages, found {found}"));
        }
    }
    Ok(if faults.is_empty() { Ok(cages) } else { Err(faults) })
}

fn read_cage(json: &mut Reader, at: &Pointer, faults: &mut Faults) -> Result<Option<Cage>, Broken> {
    let mut names = MemberNames::new(&["sum", "cells"]);
    // Of each member: not there, there and wrong, or right.
    let (mut sum, mut cells) = (None, None);
    let object = json.object(|json, name| {
        match names.check(name, at, faults) {
            Some("sum") => sum = Some(integer(json, 1..=45, &at.member("sum"), faults)?.map(|sum| sum as u8)),
            Some(_) => cells = Some(read_cells(json, &at.member("cells"), faults)?),
            None => json.skip()?,
        }
        Ok(())
    })?;
    if object.is_none() {
        faults.push(at, Code::WrongType, format_args!("expected a cage, found {}", json.value()?.kind()));
        return Ok(None);
    }
    let Some(cells) = cells else {
        faults.push(&at.member("cells"), Code::Missing, "this member is required");
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
        error.iter().for_each(|fault| faults.push(&at.member("cells"), Code::ImpossibleSum, fault));
        cage.ok()
    }))
}

/// The cells of a cage, if they are right.
fn read_cells(json: &mut Reader, at: &Pointer, faults: &mut Faults) -> Result<Option<Vec<Cell>>, Broken> {
    let mut known = Vec::with_capacity(9);
    let mut wrong: Vec<(usize, Code, Option<Cell>, String)> = Vec::new();
    let count = json.array(|json, index| {
        match json.value()? {
            Value::String(name) => match name.parse::<Cell>() {
                Ok(cell) => known.push((index, cell)),
                Err(error) => wrong.push((index, Code::UnknownCell, None, format!("{}: {error}", Quoted(&name)))),
            },
            other => wrong.push((index, Code::WrongType, None, format!("expected a cell, found {}", other.kind()))),
        }
        Ok(())
    })?;
    let Some(count) = count else {
        let found = json.value()?.kind();
        faults.push(at, Code::WrongType, format_args!("expected an array of cells, found {found}"));
        return Ok(None);
    };
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
            Some(cell) => faults.push_cell(&at.element(index), code, cell, detail),
            None => faults.push(&at.element(index), code, detail),
        }
    }
    Ok(right.then(|| known.into_iter().map(|(_, cell)| cell).collect()))
}
