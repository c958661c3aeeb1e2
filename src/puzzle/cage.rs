//! Cages of Killer Sudoku: cells that hold no digit twice and, where a sum is given, add up to it.

use super::Cell;

/// One to nine different cells that hold no digit twice; with a sum, their digits add up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cage {
    cells: Vec<Cell>,
    sum: Option<u8>,
}

/// One thing that is wrong with a cage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CageFault {
    /// A cage has at least one cell.
    #[error("a cage has at least one cell")]
    Empty,
    /// Nine digits fill nine cells at most.
    #[error("a cage has at most 9 cells, found {found}")]
    TooManyCells {
        /// How many there are.
        found: usize,
    },
    /// A cell that stands in the cage already.
    #[error("{cell} is in this cage already")]
    DuplicateCell {
        /// Its place in the list, from 0.
        index: usize,
        /// The cell.
        cell: Cell,
    },
    /// A sum that is not 1 to 45.
    #[error("expected a sum from 1 to 45")]
    SumOutOfRange,
    /// No distinct digits, one a cell, add up to the sum.
    #[error("{cells} distinct digits add up to {least} to {most}, never to {sum}", least = sum_range(*cells).0, most = sum_range(*cells).1)]
    ImpossibleSum {
        /// How many cells the cage has.
        cells: usize,
        /// The sum that was asked for.
        sum: u8,
    },
}

/// A cage that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct CageError {
    /// Its faults, at least one: those of the cells in order, then that of the sum.
    pub faults: Vec<CageFault>,
}

impl Cage {
    /// The cage of these cells, with this sum.
    pub fn new(cells: Vec<Cell>, sum: Option<u8>) -> Result<Cage, CageError> {
        let mut faults = Cage::cell_faults(cells.len(), cells.iter().copied().enumerate());
        match sum {
            Some(sum) if !(1..=45).contains(&sum) => faults.push(CageFault::SumOutOfRange),
            Some(sum) if faults.is_empty() => faults.extend(Cage::sum_fault(cells.len(), sum)),
            _ => {}
        }
        if faults.is_empty() { Ok(Cage { cells, sum }) } else { Err(CageError { faults }) }
    }

    /// What is wrong with `count` cells, of which these are known, each with its place in the list.
    pub fn cell_faults(count: usize, known: impl Iterator<Item = (usize, Cell)>) -> Vec<CageFault> {
        let mut faults = Vec::new();
        match count {
            0 => faults.push(CageFault::Empty),
            1..=9 => {}
            _ => faults.push(CageFault::TooManyCells { found: count }),
        }
        let mut seen = 0u128;
        for (index, cell) in known {
            if seen >> cell.index() & 1 == 1 {
                faults.push(CageFault::DuplicateCell { index, cell });
            }
            seen |= 1 << cell.index();
        }
        faults
    }

    /// What is wrong with the sum (1 to 45) of a cage whose cells (1 to 9) are right.
    pub fn sum_fault(cells: usize, sum: u8) -> Option<CageFault> {
        let (least, most) = sum_range(cells);
        (sum < least || most < sum).then_some(CageFault::ImpossibleSum { cells, sum })
    }

    /// Its cells, as they were given.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// What its digits add up to, 1 to 45; `None` where only "no digit twice" holds.
    pub const fn sum(&self) -> Option<u8> {
        self.sum
    }
}

/// The least and the greatest sum of so many distinct digits; every sum between can be made too.
const fn sum_range(cells: usize) -> (u8, u8) {
    let n = cells as u8;
    (n * (n + 1) / 2, n * (19 - n) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(names: &str) -> Vec<Cell> {
        names.split_whitespace().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn cages_that_can_be() {
        for (names, sum) in [
            ("r1c1", Some(9)),
            ("r1c1 r1c2", Some(3)),
            ("r1c1 r9c9", Some(17)),
            ("r1c1 r1c2 r1c3 r1c4 r1c5 r1c6 r1c7 r1c8 r1c9", Some(45)),
            ("r5c5 r5c6", None),
        ] {
            let cage = Cage::new(cells(names), sum).unwrap();
            assert_eq!((cage.cells(), cage.sum()), (cells(names).as_slice(), sum));
        }
    }

    #[test]
    fn every_fault_of_a_cage_is_told() {
        let all_rows = (1..=9).map(|n| format!("r{n}c1 r{n}c2 ")).collect::<String>();
        let cases: [(&str, Option<u8>, &[CageFault]); 7] = [
            ("", Some(3), &[CageFault::Empty]),
            ("r1c1 r1c2", Some(2), &[CageFault::ImpossibleSum { cells: 2, sum: 2 }]),
            ("r1c1 r1c2", Some(18), &[CageFault::ImpossibleSum { cells: 2, sum: 18 }]),
            ("r1c1", Some(46), &[CageFault::SumOutOfRange]),
            ("r1c1", Some(0), &[CageFault::SumOutOfRange]),
            (&all_rows, None, &[CageFault::TooManyCells { found: 18 }]),
            (
                "r1c1 r1c2 r1c1",
                Some(99),
                &[CageFault::DuplicateCell { index: 2, cell: Cell::at(1, 1).unwrap() }, CageFault::SumOutOfRange],
            ),
        ];
        for (names, sum, faults) in cases {
            assert_eq!(Cage::new(cells(names), sum).unwrap_err().faults, faults, "{names} = {sum:?}");
        }
    }
}
