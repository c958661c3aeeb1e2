//! The rules of one cage: exact candidates, and required digits in the houses that it crosses.

use super::{
    arch::{Lanes, OpenCells},
    digits::{COMBINATIONS, NO_COMBINATION, SUM},
    hall::{NOT_REQUIRED, exact},
    layout::ALL_DIGITS,
    model::{Kind, Model, Sum},
    propagate::{Contradiction, Effects},
    state::{State, is_single},
};

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

impl Model {
    /// Runs a cage.
    #[inline(always)]
    pub(super) fn run_cage<L: Lanes>(
        &self,
        sum: &Sum,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        let mut open = L::open_cells(&state.rows, &sum.tags);
        if sum.len == 9 && !take_ninth(&mut open, sum.slots[8], state.get(sum.slots[8])) {
            // Nine open cells: all digits are required, and nothing else is known.
            return self.place_required(sum, ALL_DIGITS, state, effects);
        }
        if open.known.count_ones() as usize + open.len != usize::from(sum.len) {
            // Two cells have the same digit.
            return Err(Contradiction);
        }
        let mut cells = open.before;
        for cell in &mut cells {
            *cell &= !open.known;
        }
        if sum.kind == Kind::Distinct {
            return run_distinct::<L>(&open, &cells, state, effects);
        }
        let total = i32::from(sum.total) - i32::from(SUM[usize::from(open.known & ALL_DIGITS)]);
        if !(0..=45).contains(&total) {
            return Err(Contradiction);
        }
        let total = total as usize;
        let required = match open.len {
            0 => return if total == 0 { Ok(()) } else { Err(Contradiction) },
            1 => {
                let digit = if total <= 9 { 1 << total >> 1 } else { 0 };
                return settle_first(&open, [cells[0] & digit], state, effects);
            }
            2 => {
                if total > 18 {
                    return Err(Contradiction);
                }
                let half = if total.is_multiple_of(2) { 1 << (total / 2) >> 1 } else { 0 };
                let pair = exact_pair(cells[0] & !half, cells[1] & !half, total);
                settle_first(&open, pair, state, effects)?;
                // Two pairs have no digit in common, so none is required unless there is just one.
                let union = pair[0] | pair[1];
                if is_single(union & (union - 1)) { union } else { 0 }
            }
            3 => run_exact::<L, 3>(&open, &cells, total, state, effects)?,
            4 => run_exact::<L, 4>(&open, &cells, total, state, effects)?,
            5 => run_exact::<L, 5>(&open, &cells, total, state, effects)?,
            6 => run_exact::<L, 6>(&open, &cells, total, state, effects)?,
            _ => run_wide::<L>(&open, &cells, total, state, effects)?,
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
            let locked = required & !union_of(&crossing.outside, state);
            if locked & union_of(&crossing.others, state) == 0 {
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
}

#[inline(always)]
fn union_of(slots: &[u8; 7], state: &State) -> u16 {
    let mut union = 0;
    for &slot in slots {
        union |= state.get(slot);
    }
    union
}

/// Adds the ninth cell to the eight that the lanes took. Not where all nine are open.
#[cold]
fn take_ninth(open: &mut OpenCells, slot: u8, candidates: u16) -> bool {
    if is_single(candidates) {
        // A digit that is known already shows as one digit too few.
        open.known |= candidates;
    } else if open.len < 8 {
        open.push(slot, candidates);
    } else {
        return false;
    }
    true
}

/// A cage without a sum: known digits leave the others, and there must be enough digits.
fn run_distinct<L: Lanes>(
    open: &OpenCells,
    cells: &[u16; 8],
    state: &mut State,
    effects: &mut Effects,
) -> Result<(), Contradiction> {
    let union = cells[..open.len].iter().fold(0u16, |union, cell| union | cell);
    if (union.count_ones() as usize) < open.len {
        return Err(Contradiction);
    }
    settle::<L>(open, cells, open.len, state, effects)
}

/// Three to six open cells: exact. Gives the required digits.
#[inline(always)]
fn run_exact<L: Lanes, const N: usize>(
    open: &OpenCells,
    cells: &[u16; 8],
    total: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<u16, Contradiction> {
    let mut candidates = [0; N];
    candidates.copy_from_slice(&cells[..N]);
    let left = exact::<L, N>(&candidates, total);
    settle::<L>(open, &left, N, state, effects)?;
    Ok(ALL_DIGITS & !left[NOT_REQUIRED])
}

/// Seven or eight open cells: what combinations allow in which every cell has a digit. There are at most four of them,
/// and the subsets of so many cells would not pay. Gives the required digits.
#[cold]
fn run_wide<L: Lanes>(
    open: &OpenCells,
    cells: &[u16; 8],
    total: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<u16, Contradiction> {
    let candidates = &cells[..open.len];
    let union = candidates.iter().fold(0u16, |union, cell| union | cell);
    let (mut left, mut required) = ([0; 8], ALL_DIGITS);
    for &combination in COMBINATIONS[open.len][total].iter().take_while(|&&digits| digits != NO_COMBINATION) {
        if combination & !union == 0 && candidates.iter().all(|cell| cell & combination != 0) {
            left.iter_mut().zip(candidates).for_each(|(left, cell)| *left |= cell & combination);
            required &= combination;
        }
    }
    settle::<L>(open, &left, open.len, state, effects)?;
    Ok(required)
}

/// Leaves the first `len` open cells these candidates.
#[inline(always)]
fn settle<L: Lanes>(
    open: &OpenCells,
    left: &[u16; 8],
    len: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<(), Contradiction> {
    let (empty, changed) = L::empty_and_changed(left, &open.before);
    let these = (1 << len) - 1;
    if empty & these != 0 {
        return Err(Contradiction);
    }
    let mut changed = changed & these;
    while changed != 0 {
        let i = changed.trailing_zeros() as usize;
        changed &= changed - 1;
        effects.narrow(state, open.slot(i), left[i & 7]);
    }
    Ok(())
}

/// Leaves the first `N` open cells these candidates.
#[inline(always)]
fn settle_first<const N: usize>(
    open: &OpenCells,
    left: [u16; N],
    state: &mut State,
    effects: &mut Effects,
) -> Result<(), Contradiction> {
    for candidates in left {
        if candidates == 0 {
            return Err(Contradiction);
        }
    }
    for i in 0..N {
        if left[i] != open.before[i] {
            effects.narrow(state, open.slot(i), left[i]);
        }
    }
    Ok(())
}
