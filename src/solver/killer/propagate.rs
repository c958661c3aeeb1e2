//! The order of the rules: houses, then small sums, then large ones, until all are quiet.
//!
//! Sums with at most three open cells run first: they are cheap, and most contradictions show in them. When these are
//! quiet and one of them fixed a cell, the houses are swept again; only where nothing was fixed do the larger sums get
//! their turn. Going back to the sweep at the first fixed cell would double the number of sweeps.

use super::{
    arch::Lanes,
    houses::sweep,
    layout::{Cells, SLOTS, slots},
    model::{Kind, Model, QUEUE, Sum},
    state::{State, is_single},
};

/// How many open cells a small sum has at most.
const SMALL: [u8; QUEUE] = [3; QUEUE];

/// What propagation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing more to deduce.
    Quiet,
    /// No solution lies under this state: the cells of the sum that cannot be met, none where a house failed.
    Contradiction(Cells),
}

/// A rule found that no solution lies under the state.
pub(super) struct Contradiction;

/// What the sums changed since the last sweep.
pub(super) struct Effects<'a> {
    sums_of: &'a [u128; SLOTS],
    /// The sums to run.
    wake: u128,
    /// A cell lost candidates.
    changed: bool,
    /// A cell is down to one candidate.
    fixed: bool,
}

impl Effects<'_> {
    /// Leaves a cell these candidates, which are fewer than before.
    #[inline(always)]
    pub(super) fn narrow(&mut self, state: &mut State, slot: u8, candidates: u16) {
        *state.at(slot) = candidates;
        self.wake |= self.sums_of[usize::from(slot)];
        self.changed = true;
        self.fixed |= is_single(candidates);
    }
}

/// The number of open cells, where the counter of the last sweep expects this many. The counter is there long before
/// the cells are counted, so a branch on what this returns need not wait for them.
#[inline(always)]
pub(super) fn foreseen(len: usize, expected: u8) -> usize {
    let expected = usize::from(expected);
    if len == expected { expected } else { surprising(len) }
}

/// Not inlined, lest the compiler choose without a branch.
#[cold]
#[inline(never)]
fn surprising(len: usize) -> usize {
    len
}

impl Model {
    /// Deduces all that the rules deduce, where these sums have something new to look at.
    #[inline(always)]
    pub(super) fn propagate<L: Lanes>(&self, state: &mut State, wake: u128) -> Verdict {
        let mut effects = Effects { sums_of: &self.sums_of, wake, changed: false, fixed: false };
        loop {
            let Some(swept) = sweep::<L>(state) else { return Verdict::Contradiction(0) };
            for slot in slots(swept.changed) {
                effects.wake |= self.sums_of[usize::from(slot)];
            }
            for slot in slots(swept.solved) {
                L::count_down(&mut state.open, &self.ones[usize::from(slot)]);
            }
            (effects.changed, effects.fixed) = (false, false);
            if let Err(sum) = self.run_sums::<L>(state, &mut effects) {
                return Verdict::Contradiction(sum.cells);
            }
            if !effects.changed {
                return Verdict::Quiet;
            }
        }
    }

    /// Runs what is awake, until it is quiet or the houses are worth a sweep. `Err` is the sum that cannot be met.
    #[inline(always)]
    fn run_sums<L: Lanes>(&self, state: &mut State, effects: &mut Effects) -> Result<(), &Sum> {
        let awake = L::at_most(&state.open, &self.limits);
        let small = awake & L::at_most(&state.open, &SMALL);
        let mut overflow = self.overflow.iter();
        loop {
            let mut ready = effects.wake & small;
            if ready == 0 {
                if effects.fixed {
                    return Ok(());
                }
                ready = effects.wake & awake;
            }
            let (sum, expected) = if ready != 0 {
                let index = ready.trailing_zeros();
                effects.wake &= !(1 << index);
                (&self.sums[index as usize], state.open[index as usize])
            } else {
                // The cages beyond the queue have their turn when it is empty, until one changes something.
                match overflow.next() {
                    Some(sum) if !effects.changed => (sum, u8::MAX),
                    _ => return Ok(()),
                }
            };
            self.run::<L>(sum, expected, state, effects).map_err(|_| sum)?;
        }
    }

    #[inline(always)]
    fn run<L: Lanes>(
        &self,
        sum: &Sum,
        expected: u8,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        match sum.kind {
            Kind::Derived => self.run_derived::<L>(sum, expected, state, effects),
            Kind::Cage | Kind::Distinct => self.run_cage::<L>(sum, expected, state, effects),
        }
    }
}
