//! What cages take away: a known digit leaves the rest of its cage, and a candidate must leave the sum within reach.

use super::{Cells, Contradiction, State, digit_at};
use crate::puzzle::{Cage, DigitSet};

pub(super) struct Cages(Vec<CageCells>);

struct CageCells {
    cells: Vec<usize>,
    all: Cells,
    sum: Option<u8>,
}

impl Cages {
    pub(super) fn new(cages: &[Cage]) -> Cages {
        let cells = |cage: &Cage| cage.cells().iter().map(|cell| cell.index()).collect::<Vec<_>>();
        let entry = |cage: &Cage| CageCells {
            cells: cells(cage),
            all: cells(cage).iter().map(|&cell| 1 << cell).sum(),
            sum: cage.sum(),
        };
        Cages(cages.iter().map(entry).collect())
    }

    pub(super) fn prune(&self, state: &mut State) -> Result<(), Contradiction> {
        self.0.iter().try_for_each(|cage| cage.prune(state))
    }
}

impl CageCells {
    fn prune(&self, state: &mut State) -> Result<(), Contradiction> {
        let solved = state.solved & self.all;
        let mut used = DigitSet::EMPTY;
        for digit in 0..9 {
            let places = state.places[digit] & solved;
            if places & places.wrapping_sub(1) != 0 {
                return Err(Contradiction);
            }
            if places != 0 {
                used.insert(digit_at(digit));
                state.places[digit] &= !(self.all & !solved);
            }
        }
        let Some(sum) = self.sum else { return Ok(()) };
        let placed: u8 = used.iter().map(|digit| digit.get()).sum();
        let rest = sum.checked_sub(placed).ok_or(Contradiction)?;
        let open = self.cells.len() - used.len() as usize;
        if open == 0 {
            return if rest == 0 { Ok(()) } else { Err(Contradiction) };
        }
        for digit in used.complement().iter() {
            let others = used.complement().without(digit.into());
            if !rest.checked_sub(digit.get()).is_some_and(|rest| others.makes(open - 1, rest)) {
                state.places[usize::from(digit.get()) - 1] &= !(self.all & !solved);
            }
        }
        Ok(())
    }
}
