//! What an answer shows for its verdict: clashes, dead ends, and the limit that a search met.

use serde::Serialize;

use super::wire::CellName;
use crate::{
    puzzle::{self, ConflictKind, HouseKind, Unit},
    solver::{self, DeadEndKind},
};

/// Which limit ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Its node budget.
    Nodes,
    /// Its time.
    Time,
}

/// A row, column, box or cage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct House {
    kind: &'static str,
    /// From 1.
    number: usize,
}

impl From<Unit> for House {
    fn from(unit: Unit) -> House {
        match unit {
            Unit::House(house) => House { kind: kind_name(house.kind()), number: house.number().into() },
            Unit::Cage(index) => House { kind: "cage", number: index + 1 },
        }
    }
}

const fn kind_name(kind: HouseKind) -> &'static str {
    match kind {
        HouseKind::Row => "row",
        HouseKind::Column => "column",
        HouseKind::Box => "box",
    }
}

/// A group of givens that clash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    kind: &'static str,
    house: House,
    #[serde(skip_serializing_if = "Option::is_none")]
    digit: Option<u8>,
    cells: Vec<CellName>,
}

impl From<puzzle::Conflict> for Conflict {
    fn from(conflict: puzzle::Conflict) -> Conflict {
        let (kind, digit) = match conflict.kind {
            ConflictKind::RepeatedDigit(digit) => ("repeated_digit", Some(digit.get())),
            ConflictKind::CageSum => ("cage_sum", None),
        };
        let cells = conflict.cells.into_iter().map(CellName).collect();
        Conflict { kind, house: conflict.unit.into(), digit, cells }
    }
}

/// A reason why a board has no solution, that a person can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeadEnd {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<CellName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    house: Option<House>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digit: Option<u8>,
    placed: usize,
}

impl From<solver::DeadEnd> for DeadEnd {
    fn from(solver::DeadEnd { kind, placed }: solver::DeadEnd) -> DeadEnd {
        let new = |kind| DeadEnd { kind, cell: None, house: None, digit: None, placed };
        match kind {
            DeadEndKind::Cell(cell) => DeadEnd { cell: Some(CellName(cell)), ..new("cell") },
            DeadEndKind::Digit(house, digit) => {
                let (house, digit) = (Some(Unit::House(house).into()), Some(digit.get()));
                DeadEnd { house, digit, ..new("digit") }
            }
            DeadEndKind::CageSum(index) => DeadEnd { house: Some(Unit::Cage(index).into()), ..new("cage_sum") },
            DeadEndKind::HouseSum(house) => DeadEnd { house: Some(Unit::House(house).into()), ..new("house_sum") },
        }
    }
}
