//! Clashes among the givens: what no search is needed for.

use super::{Cage, Cell, Digit, DigitSet, Grid, House};

/// Cells that may not hold a digit twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A row, a column or a box.
    House(House),
    /// A cage, by its place in the puzzle's list from 0.
    Cage(usize),
}

/// What clashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// The unit's givens hold this digit more than once.
    RepeatedDigit(Digit),
    /// No distinct digits complete the cage's givens to its sum.
    CageSum,
}

/// A group of givens that clash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What clashes.
    pub kind: ConflictKind,
    /// Where.
    pub unit: Unit,
    /// The givens, in reading order.
    pub cells: Vec<Cell>,
}

/// All clashes: rows, columns, boxes, cages, and in each of them by digit.
pub(super) fn conflicts(givens: &Grid, cages: &[Cage]) -> Vec<Conflict> {
    let mut found = Vec::new();
    if givens.has_clash() {
        for house in House::all() {
            repeated_digits(givens, house.cells(), Unit::House(house), &mut found);
        }
    }
    for (index, cage) in cages.iter().enumerate() {
        let before = found.len();
        repeated_digits(givens, cage.cells(), Unit::Cage(index), &mut found);
        if found.len() == before && !can_be_completed(givens, cage) {
            let mut cells: Vec<Cell> =
                cage.cells().iter().copied().filter(|&cell| givens.get(cell).is_some()).collect();
            cells.sort_unstable();
            found.push(Conflict { kind: ConflictKind::CageSum, unit: Unit::Cage(index), cells });
        }
    }
    found
}

fn repeated_digits(givens: &Grid, cells: &[Cell], unit: Unit, found: &mut Vec<Conflict>) {
    for digit in Digit::all() {
        let mut holders: Vec<Cell> = cells.iter().copied().filter(|&cell| givens.get(cell) == Some(digit)).collect();
        if holders.len() > 1 {
            holders.sort_unstable();
            found.push(Conflict { kind: ConflictKind::RepeatedDigit(digit), unit, cells: holders });
        }
    }
}

/// Whether distinct digits complete a cage, whose givens are distinct, to its sum.
fn can_be_completed(givens: &Grid, cage: &Cage) -> bool {
    let Some(sum) = cage.sum() else { return true };
    let placed: DigitSet = cage.cells().iter().filter_map(|&cell| givens.get(cell)).collect();
    let placed_sum: u8 = placed.iter().map(Digit::get).sum();
    let open = cage.cells().len() - placed.len() as usize;
    sum.checked_sub(placed_sum).is_some_and(|rest| placed.complement().makes(open, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str, cages: &[(&str, Option<u8>)]) -> Vec<String> {
        let cages = cages.iter().map(|(names, sum)| {
            Cage::new(names.split_whitespace().map(|name| name.parse().unwrap()).collect(), *sum).unwrap()
        });
        let conflicts = conflicts(&format!("{line:.<81}").parse().unwrap(), &cages.collect::<Vec<_>>());
        conflicts.iter().map(|c| format!("{:?} {:?} {:?}", c.unit, c.kind, c.cells)).collect()
    }

    #[test]
    fn clashes_by_kind() {
        let none: [&str; 0] = [];
        assert_eq!(found("", &[]), none);
        assert_eq!(
            found("5...5", &[]),
            ["House(Row 1) RepeatedDigit(5) [r1c1, r1c5]"],
            "a row, and not the columns or boxes"
        );
        assert_eq!(
            found(&format!("3{:.<8}{:.<9}..3", "", ""), &[]),
            ["House(Box 1) RepeatedDigit(3) [r1c1, r3c3]"],
            "a box alone"
        );
        assert_eq!(
            found("22......22.......", &[("r2c1 r1c1", None)]),
            [
                "House(Row 1) RepeatedDigit(2) [r1c1, r1c2, r1c9]",
                "House(Column 1) RepeatedDigit(2) [r1c1, r2c1]",
                "House(Box 1) RepeatedDigit(2) [r1c1, r1c2, r2c1]",
                "Cage(0) RepeatedDigit(2) [r1c1, r2c1]",
            ],
            "all kinds in order, cells in reading order"
        );
    }

    #[test]
    fn cages_that_cannot_be_completed() {
        let none: [&str; 0] = [];
        let cases: [(&str, &str, u8, &[&str]); 5] = [
            ("9", "r1c1 r1c2", 10, &[]),
            ("9", "r1c1 r1c2", 8, &["Cage(0) CageSum [r1c1]"]),
            ("12", "r1c1 r1c2", 4, &["Cage(0) CageSum [r1c1, r1c2]"]),
            ("5", "r1c1 r1c2", 10, &["Cage(0) CageSum [r1c1]"]),
            ("12", "r1c2 r1c1 r1c3", 12, &[]),
        ];
        for (line, names, sum, expected) in cases {
            assert_eq!(found(line, &[(names, Some(sum))]), expected, "{line} in {names} = {sum}");
        }
        assert_eq!(found("5", &[("r1c1 r1c2", None)]), none, "without a sum, nothing to miss");
    }
}
