//! The rules of one cage: exact candidates, and required digits in the houses that it crosses.

use super::{
    arch::{Lanes, OpenCells},
    digits::{COMBINATIONS, NO_COMBINATION, SUM},
    hall::{NOT_REQUIRED, exact},
    layout::ALL_DIGITS,
    model::{Kind, Model, Sum},
    propagate::{Contradiction, Effects, foreseen},
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
        expected: u8,
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
        let cells = &open.cells;
        if sum.kind == Kind::Distinct {
            return run_distinct::<L>(&open, state, effects);
        }
        let total = i32::from(sum.total) - i32::from(SUM[usize::from(open.known & ALL_DIGITS)]);
        if !(0..=45).contains(&total) {
            return Err(Contradiction);
        }
        let total = total as usize;
        let required = match foreseen(open.len, expected) {
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
            3 => run_exact::<L, 3>(&open, total, state, effects)?,
            4 => run_exact::<L, 4>(&open, total, state, effects)?,
            5 => run_exact::<L, 5>(&open, total, state, effects)?,
            6 => run_exact::<L, 6>(&open, total, state, effects)?,
            _ => run_wide::<L>(&open, total, state, effects)?,
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
    // A digit that is known already shows as one digit too few.
    let room = open.len < 8 || is_single(candidates);
    if room {
        open.push(slot, candidates);
    }
    room
}

/// A cage without a sum: known digits leave the others, and there must be enough digits.
fn run_distinct<L: Lanes>(open: &OpenCells, state: &mut State, effects: &mut Effects) -> Result<(), Contradiction> {
    let cells = &open.cells;
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
    total: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<u16, Contradiction> {
    let mut candidates = [0; N];
    candidates.copy_from_slice(&open.cells[..N]);
    let left = exact::<L, N>(&candidates, total);
    settle::<L>(open, &left, N, state, effects)?;
    Ok(ALL_DIGITS & !left[NOT_REQUIRED])
}

/// Seven or eight open cells: what combinations allow in which every cell has a digit. There are at most four of them,
/// and the subsets of so many cells would not pay. Gives the required digits.
#[cold]
fn run_wide<L: Lanes>(
    open: &OpenCells,
    total: usize,
    state: &mut State,
    effects: &mut Effects,
) -> Result<u16, Contradiction> {
    let candidates = &open.cells[..open.len];
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
    for (i, &candidates) in left.iter().enumerate() {
        if candidates != open.before[i & 7] {
            effects.narrow(state, open.slot(i), candidates);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        super::{arch::plain::Plain, layout::SLOT, propagate::Verdict},
        *,
    };
    use crate::puzzle::{Cage, Cell, Grid, Puzzle};

    /// The candidates after propagation of one cage (by the cells' indices).
    fn with_cage(cells: &[usize], sum: Option<u8>, givens: &str) -> Option<State> {
        let cells = cells.iter().map(|&cell| Cell::from_index(cell).unwrap()).collect();
        let givens: Grid = format!("{givens:.<81}").parse().unwrap();
        let mut state = State::new();
        let model = Model::new(&Puzzle::new(givens, vec![Cage::new(cells, sum).unwrap()]), &mut state);
        let all = model.all();
        (model.propagate::<Plain>(&mut state, all) == Verdict::Quiet).then_some(state)
    }

    #[test]
    fn a_sum_keeps_what_makes_it() {
        for (cells, sum, left) in [
            (vec![0, 10], 4, 0b101),
            (vec![0, 10], 17, 0b1_1000_0000),
            (vec![0, 10, 20], 7, 0b1011),
            (vec![0, 13, 26, 28], 29, 0b1_1101_0000),
            (vec![0, 13, 26, 28, 41], 16, 0b10_1111),
            (vec![0, 4, 8, 28, 32, 33, 56], 29, 0b1011_1111),
        ] {
            let state = with_cage(&cells, Some(sum), "").unwrap();
            assert_eq!(state.get(SLOT[0]), left, "{cells:?} {sum}: {:09b}", state.get(SLOT[0]));
        }
    }

    #[test]
    fn a_known_digit_leaves_its_cage() {
        // r1c1 is 5; r5c5 shares the cage and no house with it.
        let state = with_cage(&[0, 40], None, "5").unwrap();
        assert_eq!(state.get(SLOT[40]), ALL_DIGITS & !0b1_0000);
        assert!(with_cage(&[0, 10, 13], Some(24), "1").is_none(), "7, 8 and 9 without 1");
    }

    #[test]
    fn required_digits_leave_the_house_that_they_stand_in() {
        // r1c1 + r1c2 = 3: row 1 and box 1 lose 1 and 2 elsewhere.
        let state = with_cage(&[0, 1], Some(3), "").unwrap();
        for cell in [8, 20] {
            assert_eq!(state.get(SLOT[cell]), ALL_DIGITS & !0b11, "{cell}");
        }
        assert_eq!(state.get(SLOT[72]), ALL_DIGITS);
        // r1c8 + r1c9 + r4c5 = 6, and 1 cannot stand in r4c5: it is in row 1's part of the cage.
        let state = with_cage(&[7, 8, 31], Some(6), &format!("{:.<27}1", "")).unwrap();
        assert_eq!(state.get(SLOT[0]) & 1, 0, "1 leaves the rest of row 1");
        assert_eq!(state.get(SLOT[1]) & 0b110, 0b110, "2 and 3 may be in r4c5");
    }

    #[test]
    fn nine_cells_need_every_digit() {
        let cells = [0, 1, 2, 3, 4, 5, 6, 7, 17];
        let state = with_cage(&cells, Some(45), &format!("{:.<16}", "")).unwrap();
        assert_eq!(state.get(SLOT[8]), ALL_DIGITS);
        // With r2c9 known, its digit stands nowhere in the first eight, so it is r1c9's too: no.
        assert!(with_cage(&cells, Some(45), &format!("{:.<17}4", "")).is_none());
    }
}
