//! The rules of one cage: exact candidates, and required digits in the houses that it crosses.

use super::{
    arch::Lanes,
    digits::{COMBINATIONS, NO_COMBINATION, SUM},
    hall::{NOT_REQUIRED, exact},
    layout::ALL_DIGITS,
    model::{Kind, Model, Sum},
    propagate::{Contradiction, Effects},
    state::{State, is_single},
};

/// The open cells of a cage, and what is left of its total.
struct Open {
    len: usize,
    /// The first `len` count.
    slots: [u8; 16],
    candidates: [u16; 16],
    /// The digits of the cells that are not open.
    known: u16,
}

/// The candidates of two cells whose digits add up to `total` (2 to 18); they may be equal.
#[inline(always)]
pub(super) fn exact_pair(a: u16, b: u16, total: usize) -> [u16; 2] {
    [a & partners(b, total), b & partners(a, total)]
}

/// The digits `total - d` (`total` 0 to 18), for each digit d of a set.
#[inline(always)]
pub(super) fn partners(digits: u16, total: usize) -> u16 {
    (u32::from(super::digits::REFLECTED[usize::from(digits & ALL_DIGITS)]) << total >> 10) as u16 & ALL_DIGITS
}

impl Open {
    /// The open cells; `Contradiction` where two cells hold the same known digit.
    #[inline(always)]
    fn of(sum: &Sum, state: &State) -> Result<Open, Contradiction> {
        let mut open = Open { len: 0, slots: [0; 16], candidates: [0; 16], known: 0 };
        let mut twice = 0;
        for &slot in &sum.slots[..usize::from(sum.len).min(9)] {
            let candidates = state.get(slot);
            let single = is_single(candidates);
            open.slots[open.len & 15] = slot;
            open.candidates[open.len & 15] = candidates;
            open.len += usize::from(!single);
            let digit = if single { candidates } else { 0 };
            twice |= open.known & digit;
            open.known |= digit;
        }
        for candidates in &mut open.candidates[..9] {
            *candidates &= !open.known;
        }
        if twice == 0 { Ok(open) } else { Err(Contradiction) }
    }
}

impl Model {
    /// Runs a cage.
    #[inline(always)]
    pub(super) fn run_cage<L: Lanes>(
        &self,
        sum: &Sum,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        let open = Open::of(sum, state)?;
        if sum.kind == Kind::Distinct {
            return self.run_distinct(sum, &open, state, effects);
        }
        let total = sum.total - i16::from(SUM[usize::from(open.known & ALL_DIGITS)]);
        if !(0..=45).contains(&total) {
            return Err(Contradiction);
        }
        let total = total as usize;
        let required = match open.len {
            0 => return if total == 0 { Ok(()) } else { Err(Contradiction) },
            1 => {
                let digit = if total <= 9 { 1 << total >> 1 } else { 0 };
                settle(&open, &[open.candidates[0] & digit], state, effects)?;
                return Ok(());
            }
            2 => {
                if total > 18 {
                    return Err(Contradiction);
                }
                let half = if total % 2 == 0 { 1 << (total / 2) >> 1 } else { 0 };
                let pair = exact_pair(open.candidates[0] & !half, open.candidates[1] & !half, total);
                settle(&open, &pair, state, effects)?;
                // Two pairs have no digit in common, so none is required unless there is just one.
                let union = pair[0] | pair[1];
                if is_single(union & (union - 1)) { union } else { 0 }
            }
            3 => run_exact::<L, 3>(&open, total, state, effects)?,
            4 => run_exact::<L, 4>(&open, total, state, effects)?,
            5 => run_exact::<L, 5>(&open, total, state, effects)?,
            6 => run_exact::<L, 6>(&open, total, state, effects)?,
            _ => run_wide(&open, total, state, effects)?,
        };
        self.place_required(sum, required, state, effects)
    }

    /// **Required digits**: a digit that every way to make a cage's sum has, and that has no place in the cage outside
    /// some house, stands in the cage's part of that house, and so leaves the rest of the house.
    #[inline(always)]
    fn place_required(
        &self,
        sum: &Sum,
        required: u16,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        if required == 0 {
            return Ok(());
        }
        let (start, len) = (usize::from(sum.crossings.0), usize::from(sum.crossings.1));
        for crossing in &self.crossings[start..start + len] {
            let union = |slots: &[u8; 7], state: &State| slots.iter().fold(0, |union, &slot| union | state.get(slot));
            let locked = required & !union(&crossing.outside, state);
            if locked & union(&crossing.others, state) == 0 {
                continue;
            }
            for slot in crossing.others {
                let before = state.get(slot);
                if before & locked != 0 {
                    if before & !locked == 0 {
                        return Err(Contradiction);
                    }
                    effects.narrow(state, slot, before & !locked);
                }
            }
        }
        Ok(())
    }

    /// Runs a cage without a sum: known digits leave the others, and nine cells need all nine digits.
    fn run_distinct(
        &self,
        sum: &Sum,
        open: &Open,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        let candidates = &open.candidates[..open.len];
        let union = candidates.iter().fold(0, |union, cell| union | cell);
        if (union.count_ones() as usize) < open.len {
            return Err(Contradiction);
        }
        settle(open, candidates, state, effects)?;
        if union.count_ones() as usize == open.len { self.place_required(sum, union, state, effects) } else { Ok(()) }
    }
}

/// Three to six open cells: exact. Gives the required digits.
#[inline(always)]
fn run_exact<L: Lanes, const N: usize>(
    open: &Open,
    total: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<u16, Contradiction> {
    let mut candidates = [0; N];
    candidates.copy_from_slice(&open.candidates[..N]);
    let exact = exact::<L, N>(&candidates, total);
    let mut left = [0; N];
    left.copy_from_slice(&exact[..N]);
    settle(open, &left, state, effects)?;
    Ok(ALL_DIGITS & !exact[NOT_REQUIRED])
}

/// Seven to nine open cells: what combinations allow in which every cell has a digit. There are at most four of them,
/// and the subsets of so many cells would not pay. Gives the required digits.
fn run_wide(open: &Open, total: usize, state: &mut State, effects: &mut Effects) -> Result<u16, Contradiction> {
    let candidates = &open.candidates[..open.len];
    let union = candidates.iter().fold(0, |union, cell| union | cell);
    let (mut left, mut required) = ([0; 9], ALL_DIGITS);
    for &combination in COMBINATIONS[open.len][total].iter().take_while(|&&digits| digits != NO_COMBINATION) {
        if combination & !union == 0 && candidates.iter().all(|cell| cell & combination != 0) {
            left.iter_mut().zip(candidates).for_each(|(left, cell)| *left |= cell & combination);
            required &= combination;
        }
    }
    settle(open, &left[..open.len], state, effects)?;
    Ok(required)
}

/// Leaves the open cells these candidates.
#[inline(always)]
fn settle(open: &Open, left: &[u16], state: &mut State, effects: &mut Effects) -> Result<(), Contradiction> {
    let mut empty = false;
    for &candidates in left {
        empty |= candidates == 0;
    }
    if empty {
        return Err(Contradiction);
    }
    for (i, &candidates) in left.iter().enumerate() {
        let slot = open.slots[i & 15];
        if state.get(slot) != candidates {
            effects.narrow(state, slot, candidates);
        }
    }
    Ok(())
}
