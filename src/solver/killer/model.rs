//! The sums of a puzzle, laid out for the search: first its cages, later the sums that follow by the rule of 45.
//!
//! The search keeps its queue of sums in one `u128`, so a model has at most 128 of them. Cages come first, small to
//! large; those beyond 128 go to a list that runs whenever all else is quiet, and only derived sums, which prune but
//! are not needed for a right answer, may go missing.

use super::{
    arch::Cells8,
    layout::{CELL, Cells, EMPTY, HOUSES, HOUSES_OF, PEERS, SLOT, SLOTS, slots},
    state::State,
};
use crate::puzzle::{Cage, Digit, Puzzle};

/// How many sums the queue holds.
pub(super) const QUEUE: usize = 128;

/// What a sum says about its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Distinct digits that add up to the total.
    Cage,
    /// Distinct digits: a cage without a sum.
    Distinct,
    /// Digits that add up to the total, those of negative cells subtracted. They may repeat.
    Derived,
}

/// A constraint on up to nine cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) kind: Kind,
    /// Its cells, the first `len` of these slots.
    pub(super) slots: [u8; 9],
    pub(super) len: u8,
    /// What the digits add up to.
    pub(super) total: i16,
    /// The first eight of them, for the lanes.
    pub(super) tags: Cells8,
    pub(super) cells: Cells,
    /// Its [`Model::crossings`]: where they start, and how many there are.
    pub(super) crossings: (u16, u8),
}

/// A house that shares at least two cells with a cage, and not all nine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// The cage's cells outside the house.
    pub(super) outside: [u8; 7],
    /// The house's cells outside the cage.
    pub(super) others: [u8; 7],
}

/// All sums, and where each cell stands in them.
pub(super) struct Model {
    pub(super) sums: Vec<Sum>,
    /// How many of the sums are cages of the puzzle.
    pub(super) cages: usize,
    /// The cages beyond [`QUEUE`].
    pub(super) overflow: Vec<Sum>,
    pub(super) crossings: Vec<Crossing>,
    /// The sums that each slot is in.
    pub(super) sums_of: [u128; SLOTS],
    /// The same, a byte for each sum: 1 where the slot is in it.
    pub(super) ones: Vec<[u8; QUEUE]>,
    /// How many cells of each sum may be open for it to run; it sleeps while there are more.
    pub(super) limits: [u8; QUEUE],
    /// The cells that may not hold the same digit as each slot.
    pub(super) sees: [Cells; SLOTS],
}

impl Sum {
    /// A cage of the puzzle.
    fn of(cage: &Cage) -> Sum {
        let slots = cage.cells().iter().map(|cell| SLOT[cell.index()]);
        match cage.sum() {
            Some(total) => Sum::new(Kind::Cage, slots, total.into(), 0),
            // Nine distinct digits are all of them.
            None if cage.cells().len() == 9 => Sum::new(Kind::Cage, slots, 45, 0),
            None => Sum::new(Kind::Distinct, slots, 0, 0),
        }
    }

    /// A sum of the cells in these slots; bit i of `negative`: cell i counts negatively.
    pub(super) fn new(kind: Kind, from: impl Iterator<Item = u8>, total: i16, negative: u16) -> Sum {
        let (mut slots, mut len, mut cells) = ([EMPTY; 9], 0, 0);
        for slot in from {
            slots[usize::from(len)] = slot;
            len += 1;
            cells |= CELL[usize::from(slot)];
        }
        let tags = Cells8::new(&slots[..usize::from(len)], negative);
        Sum { kind, slots, len, total, tags, cells, crossings: (0, 0) }
    }

    /// Whether the rules of the houses say it all: distinct cells inside a house.
    fn is_idle(&self) -> bool {
        let inside =
            || HOUSES_OF[usize::from(self.slots[0])].iter().any(|&house| self.cells & !HOUSES[usize::from(house)] == 0);
        self.len == 1 || (self.kind == Kind::Distinct || self.len == 9) && inside()
    }
}

impl Model {
    /// The cages of a puzzle. Its givens and its cages of one cell go straight into the state.
    pub(super) fn new(puzzle: &Puzzle, state: &mut State) -> Model {
        for (cell, digit) in puzzle.givens().filled() {
            *state.at(SLOT[cell.index()]) &= bit(digit);
        }
        let mut model = Model {
            sums: Vec::with_capacity(QUEUE),
            cages: 0,
            overflow: Vec::new(),
            crossings: Vec::with_capacity(256),
            sums_of: [0; SLOTS],
            ones: vec![[0; QUEUE]; SLOTS],
            limits: [0; QUEUE],
            sees: [0; SLOTS],
        };
        let mut covered = 0;
        for len in 1..=9 {
            for cage in puzzle.cages().iter().filter(|cage| cage.cells().len() == len) {
                let mut sum = Sum::of(cage);
                if let (1, Some(digit)) = (len, cage.sum().and_then(Digit::new)) {
                    *state.at(sum.slots[0]) &= bit(digit);
                }
                if sum.is_idle() || covered & sum.cells != 0 && model.repeats(&sum) {
                    continue;
                }
                covered |= sum.cells;
                model.cross_houses(&mut sum);
                if model.sums.len() < QUEUE {
                    model.push(sum, 9, state);
                } else {
                    model.overflow.push(sum);
                }
            }
        }
        model.cages = model.sums.len();
        model
    }

    /// Whether a cage says nothing that the cages before it do not.
    fn repeats(&self, sum: &Sum) -> bool {
        let says = |other: &Sum| other.cells == sum.cells && (sum.kind == Kind::Distinct || other.total == sum.total);
        self.sums.iter().chain(&self.overflow).any(says)
    }

    /// Gives a cage its crossings.
    pub(super) fn cross_houses(&mut self, sum: &mut Sum) {
        let start = self.crossings.len();
        let mut done = 0u32;
        if sum.kind == Kind::Distinct {
            return;
        }
        for &slot in &sum.slots[..usize::from(sum.len)] {
            for house in HOUSES_OF[usize::from(slot)] {
                let shared = HOUSES[usize::from(house)] & sum.cells;
                if done >> house & 1 == 1 || shared & (shared - 1) == 0 || shared == HOUSES[usize::from(house)] {
                    continue;
                }
                done |= 1 << house;
                self.crossings.push(Crossing {
                    outside: listed(sum.cells & !shared),
                    others: listed(HOUSES[usize::from(house)] & !shared),
                });
            }
        }
        sum.crossings = (start as u16, (self.crossings.len() - start) as u8);
    }

    /// Adds a sum to the queue, which must have room.
    pub(super) fn push(&mut self, sum: Sum, limit: u8, state: &mut State) {
        let index = self.sums.len();
        for &slot in &sum.slots[..usize::from(sum.len)] {
            self.sums_of[usize::from(slot)] |= 1 << index;
            self.ones[usize::from(slot)][index] = 1;
        }
        state.open[index] = (sum.cells & state.unsolved).count_ones() as u8;
        self.limits[index] = limit;
        self.sums.push(sum);
    }

    /// Takes the derived sums out again.
    pub(super) fn forget_derived(&mut self, state: &mut State) {
        for index in self.cages..self.sums.len() {
            let sum = &self.sums[index];
            for &slot in &sum.slots[..usize::from(sum.len)] {
                self.sums_of[usize::from(slot)] &= !(1 << index);
                self.ones[usize::from(slot)][index] = 0;
            }
            state.open[index] = u8::MAX;
        }
        self.sums.truncate(self.cages);
    }

    /// Fills [`Model::sees`], which only derived sums need.
    pub(super) fn look(&mut self) {
        self.sees = PEERS;
        for sum in self.sums.iter().chain(&self.overflow) {
            for &slot in &sum.slots[..usize::from(sum.len)] {
                self.sees[usize::from(slot)] |= sum.cells & !CELL[usize::from(slot)];
            }
        }
    }

    /// The queue with every sum in it.
    pub(super) fn all(&self) -> u128 {
        if self.sums.len() == QUEUE { u128::MAX } else { (1 << self.sums.len()) - 1 }
    }
}

fn bit(digit: Digit) -> u16 {
    1 << (digit.get() - 1)
}

/// The slots of up to seven cells, filled up with empty ones.
fn listed(cells: Cells) -> [u8; 7] {
    let mut list = [EMPTY; 7];
    list.iter_mut().zip(slots(cells)).for_each(|(place, slot)| *place = slot);
    list
}
