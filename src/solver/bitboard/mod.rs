//! The default engine: propagation over bitboards, then the smallest branching that is left.
//!
//! A state is nine bitboards, one a digit: the cells where the digit is still possible. Propagation runs naked singles,
//! hidden singles and locked candidates (and with cages, their digits and sums) until nothing changes. What is left is
//! branched on the cell with the fewest candidates or on the digit with the fewest places in a house, whichever has
//! fewer, cells first on a tie. A state is copied at a branching, so nothing is ever undone.

mod cages;

use std::{ops::ControlFlow, sync::LazyLock};

use super::{End, progress::Progress};
use crate::puzzle::{Cell, Digit, Grid, House, Puzzle};
use cages::Cages;

/// Bit i stands for the cell with index i.
type Cells = u128;

const ALL: Cells = (1 << 81) - 1;

struct Tables {
    houses: [Cells; 27],
    /// The 20 cells that share a house with each cell.
    peers: [Cells; 81],
    /// Each row or column that crosses a box, and that box.
    crossings: Vec<(usize, usize)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let bit = |cell: &Cell| 1 << cell.index();
    let mut houses = [0; 27];
    for house in House::all() {
        houses[house.index()] = house.cells().iter().map(bit).sum();
    }
    let mut peers = [0; 81];
    for cell in Cell::all() {
        peers[cell.index()] =
            cell.houses().iter().fold(0, |peers, house| peers | houses[house.index()]) & !(1 << cell.index());
    }
    let lines = (0..18).flat_map(|line| (18..27).map(move |block| (line, block)));
    let crossings = lines.filter(|&(line, block)| houses[line] & houses[block] != 0).collect();
    Tables { houses, peers, crossings }
});

#[derive(Clone)]
struct State {
    /// Where each digit is still possible, by digit - 1.
    places: [Cells; 9],
    /// The cells whose digit is known and propagated.
    solved: Cells,
}

/// No solution lies under this state.
struct Contradiction;

impl State {
    fn new(givens: &Grid) -> State {
        let mut state = State { places: [ALL; 9], solved: 0 };
        for (cell, digit) in givens.filled() {
            state.assign(cell.index(), usize::from(digit.get()) - 1);
        }
        state
    }

    /// Leaves a cell one candidate; propagation does the rest.
    fn assign(&mut self, cell: usize, digit: usize) {
        for other in (0..9).filter(|&other| other != digit) {
            self.places[other] &= !(1 << cell);
        }
    }

    fn candidates(&self, cell: usize) -> u16 {
        (0..9).map(|digit| ((self.places[digit] >> cell & 1) as u16) << digit).sum()
    }

    fn propagate(&mut self, tables: &Tables, cages: Option<&Cages>) -> Result<(), Contradiction> {
        loop {
            let before = self.places;
            self.naked_singles(tables)?;
            self.hidden_singles(tables)?;
            if self.places != before {
                continue;
            }
            self.locked_candidates(tables);
            if let Some(cages) = cages {
                cages.prune(self)?;
            }
            if self.places == before {
                return Ok(());
            }
        }
    }

    fn naked_singles(&mut self, tables: &Tables) -> Result<(), Contradiction> {
        loop {
            let (mut once, mut twice) = (0, 0);
            for places in self.places {
                twice |= once & places;
                once |= places;
            }
            if once != ALL {
                return Err(Contradiction);
            }
            let new = once & !twice & !self.solved;
            if new == 0 {
                return Ok(());
            }
            for places in &mut self.places {
                for cell in bits(*places & new) {
                    *places &= !tables.peers[cell];
                }
            }
            self.solved |= new;
        }
    }

    fn hidden_singles(&mut self, tables: &Tables) -> Result<(), Contradiction> {
        for digit in 0..9 {
            for house in tables.houses {
                let places = self.places[digit] & house;
                if places == 0 {
                    return Err(Contradiction);
                }
                if places & (places - 1) == 0 && places & self.solved == 0 {
                    self.assign(places.trailing_zeros() as usize, digit);
                }
            }
        }
        Ok(())
    }

    /// Where a digit's places in a line all lie in one box, it leaves the rest of the box; and the other way round.
    fn locked_candidates(&mut self, tables: &Tables) {
        for places in &mut self.places {
            for &(line, block) in &tables.crossings {
                let (line, block) = (tables.houses[line], tables.houses[block]);
                if *places & line & !block == 0 {
                    *places &= !(block & !line);
                } else if *places & block & !line == 0 {
                    *places &= !(line & !block);
                }
            }
        }
    }

    /// The alternatives to try next, as (cell, digit) pairs; none when the board is solved.
    fn branches(&self, tables: &Tables) -> Vec<(usize, usize)> {
        if self.solved == ALL {
            return Vec::new();
        }
        let open = bits(ALL & !self.solved);
        let smallest = open.map(|cell| (self.candidates(cell).count_ones(), cell)).min();
        let (fewest, cell) = smallest.unwrap_or_default();
        let best_cell = || (0..9).filter(|&digit| self.candidates(cell) >> digit & 1 == 1).map(|d| (cell, d)).collect();
        if fewest == 2 {
            return best_cell();
        }
        let mut best: Option<(u32, usize, Cells)> = None;
        for house in tables.houses {
            for digit in 0..9 {
                let places = self.places[digit] & house;
                let count = places.count_ones();
                if count > 1 && count < best.map_or(fewest, |(count, ..)| count) {
                    best = Some((count, digit, places));
                }
            }
        }
        best.map_or_else(best_cell, |(_, digit, places)| bits(places).map(|cell| (cell, digit)).collect())
    }

    fn grid(&self) -> Option<Grid> {
        let mut values = [0; 81];
        for (digit, &places) in (1..).zip(&self.places) {
            bits(places).for_each(|cell| values[cell] = digit);
        }
        Grid::from_values(values)
    }
}

fn bits(mut cells: Cells) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let cell = (cells != 0).then_some(cells.trailing_zeros() as usize)?;
        cells &= cells - 1;
        Some(cell)
    })
}

/// Searches any puzzle.
pub(super) fn search(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    let cages = (!puzzle.cages().is_empty()).then(|| Cages::new(puzzle.cages()));
    explore(State::new(puzzle.givens()), &TABLES, cages.as_ref(), progress)
}

fn explore(mut state: State, tables: &Tables, cages: Option<&Cages>, progress: &mut Progress) -> ControlFlow<End> {
    if state.propagate(tables, cages).is_err() {
        return ControlFlow::Continue(());
    }
    let branches = state.branches(tables);
    if branches.is_empty() {
        return state.grid().map_or(ControlFlow::Continue(()), |grid| progress.found(grid));
    }
    for (cell, digit) in branches {
        progress.enter()?;
        let mut child = state.clone();
        child.assign(cell, digit);
        explore(child, tables, cages, progress)?;
    }
    ControlFlow::Continue(())
}

/// Digits as a set of bits: bit d - 1 for digit d.
fn digit_at(index: usize) -> Digit {
    Digit::new(index as u8 + 1).expect("an index of nine digits")
}
