//! Sums that follow by the rule of 45, whose cells may repeat a digit and may count negatively.
//!
//! A negative cell is *reflected*: d counts as 10 - d, and the total is 10 more. So every cell adds, and the rules are
//! written once. Two cells that see each other must differ: with one sign their (reflected) digits must not be equal,
//! with two signs they must not add up to 10.
//!
//! A sum with more than four open cells is asleep: of these runs 1 in 100 pruned anything.

use super::{
    arch::{Lanes, OpenCells},
    cage::exact_pair,
    digits::REFLECTED,
    layout::{ALL_DIGITS, CELL, SLOTS},
    model::{Model, Sum},
    propagate::{Contradiction, Effects, foreseen},
    state::State,
};

/// The most open cells a derived sum runs with.
pub(super) const AWAKE: u8 = 4;

/// What two cells may not be at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Free,
    /// They see each other and have one sign.
    Differ,
    /// They see each other and have two signs.
    NotTen,
}

#[inline(always)]
fn reflected_if(negative: bool, candidates: u16) -> u16 {
    if negative { REFLECTED[usize::from(candidates & ALL_DIGITS)] } else { candidates }
}

impl Relation {
    /// What a cell may not be where the other one is `digit` (a set of one), as a set of at most one.
    #[inline(always)]
    fn excluded(self, digit: u16) -> u16 {
        match self {
            Relation::Free => 0,
            Relation::Differ => digit,
            Relation::NotTen => REFLECTED[usize::from(digit & ALL_DIGITS)],
        }
    }
}

impl Model {
    /// Runs a derived sum with up to four open cells.
    #[inline(always)]
    pub(super) fn run_derived<L: Lanes>(
        &self,
        sum: &Sum,
        expected: u8,
        state: &mut State,
        effects: &mut Effects,
    ) -> Result<(), Contradiction> {
        let open = L::open_cells(&state.rows, &sum.tags);
        let mut total = i32::from(sum.total) - open.known_sum;
        let mut c = [0; 4];
        for (i, cell) in c.iter_mut().enumerate() {
            let negative = open.is_negative(i);
            *cell = reflected_if(negative, open.before[i]);
            total += if negative { 10 } else { 0 };
        }
        let left: [u16; 4] = match foreseen(open.len, expected) {
            0 => return if total == 0 { Ok(()) } else { Err(Contradiction) },
            1 => [if (1..=9).contains(&total) { c[0] & 1 << (total - 1) } else { 0 }, 0, 0, 0],
            2 => {
                let [a, b] = pair(c[0], c[1], total, || self.relation(&open, 0, 1));
                [a, b, 0, 0]
            }
            3 => {
                let relations = [self.relation(&open, 0, 1), self.relation(&open, 0, 2), self.relation(&open, 1, 2)];
                let [a, b, c] = triple([c[0], c[1], c[2]], total, relations);
                [a, b, c, 0]
            }
            4 => {
                let Some(left) = quad([c[0], c[1], c[2], c[3]], total, |i, j| self.relation(&open, i, j)) else {
                    return Ok(());
                };
                left
            }
            _ => return Ok(()),
        };
        for i in 0..open.len.min(4) {
            if left[i] == 0 {
                return Err(Contradiction);
            }
            if left[i] != c[i] {
                effects.narrow(state, open.slot(i), reflected_if(open.is_negative(i), left[i]));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn relation(&self, open: &OpenCells, i: usize, j: usize) -> Relation {
        let see = self.sees[usize::from(open.slot(i)) % SLOTS] & CELL[usize::from(open.slot(j)) % SLOTS] != 0;
        match (see, open.is_negative(i) == open.is_negative(j)) {
            (false, _) => Relation::Free,
            (true, true) => Relation::Differ,
            (true, false) => Relation::NotTen,
        }
    }
}

/// Two cells: exact.
#[inline(always)]
fn pair(a: u16, b: u16, total: i32, relation: impl FnOnce() -> Relation) -> [u16; 2] {
    if !(2..=18).contains(&total) {
        return [0, 0];
    }
    let total = total as usize;
    if total.is_multiple_of(2) {
        let relation = relation();
        if relation == Relation::Differ {
            let half = 1 << (total / 2) >> 1;
            return exact_pair(a & !half, b & !half, total);
        }
        if relation == Relation::NotTen && total == 10 {
            return [0, 0];
        }
    }
    exact_pair(a, b, total)
}

/// Three cells: exact, digit by digit of the first. Relations of the pairs 01, 02, 12.
#[inline(always)]
fn triple(cells: [u16; 3], total: i32, relations: [Relation; 3]) -> [u16; 3] {
    let mut left = [0; 3];
    let mut rest = cells[0];
    while rest != 0 {
        let digit = rest & rest.wrapping_neg();
        rest ^= digit;
        let (b, c) = (cells[1] & !relations[0].excluded(digit), cells[2] & !relations[1].excluded(digit));
        let [b, c] = pair(b, c, total - digit.trailing_zeros() as i32 - 1, || relations[2]);
        if b != 0 {
            left[0] |= digit;
            left[1] |= b;
            left[2] |= c;
        }
    }
    left
}

/// Four cells: two pairs, each as the set of sums that it can make, without the relations between the pairs. `None`
/// where the bounds are so loose that nothing can be pruned.
#[inline(always)]
fn quad(cells: [u16; 4], total: i32, relation: impl Fn(usize, usize) -> Relation) -> Option<[u16; 4]> {
    let least = cells.iter().map(|cell| cell.trailing_zeros() as i32 + 1).sum::<i32>();
    let most = cells.iter().map(|cell| 16 - cell.leading_zeros() as i32).sum::<i32>();
    if least > total || most < total {
        return Some([0; 4]);
    }
    if total - least >= 8 && most - total >= 8 {
        return None;
    }
    let (first, second) = (relation(0, 1), relation(2, 3));
    // Bit s: the pair can add up to s.
    let (one, two) = (sums(cells[0], cells[1], first), sums(cells[2], cells[3], second));
    let [a, b] = pair_with_sums(cells[0], cells[1], first, one & complements(two, total));
    let [c, d] = pair_with_sums(cells[2], cells[3], second, two & complements(one, total));
    Some([a, b, c, d])
}

/// Bit s: `total - s` is in the set.
#[inline(always)]
fn complements(sums: u32, total: i32) -> u32 {
    (u64::from(sums.reverse_bits()) << total >> 31) as u32
}

#[inline(always)]
fn sums(a: u16, b: u16, relation: Relation) -> u32 {
    let (mut sums, mut rest) = (0, a);
    while rest != 0 {
        let digit = rest & rest.wrapping_neg();
        rest ^= digit;
        sums |= u32::from(b & !relation.excluded(digit)) << (digit.trailing_zeros() + 2);
    }
    sums
}

/// What two cells may be where their sum is one of these.
#[inline(always)]
fn pair_with_sums(a: u16, b: u16, relation: Relation, sums: u32) -> [u16; 2] {
    let (mut left, mut rest) = ([0; 2], a);
    while rest != 0 {
        let digit = rest & rest.wrapping_neg();
        rest ^= digit;
        let partners = (sums >> (digit.trailing_zeros() + 2)) as u16 & b & !relation.excluded(digit);
        if partners != 0 {
            left[0] |= digit;
            left[1] |= partners;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allowed(relation: Relation, a: usize, b: usize) -> bool {
        match relation {
            Relation::Free => true,
            Relation::Differ => a != b,
            Relation::NotTen => a + b != 10,
        }
    }

    fn relation() -> impl Strategy<Value = Relation> {
        prop_oneof![Just(Relation::Free), Just(Relation::Differ), Just(Relation::NotTen)]
    }

    /// What each of `N` cells can be, by trying all digits; `relations` of the pairs i < j.
    fn by_trying<const N: usize>(cells: [u16; N], total: i32, relation: impl Fn(usize, usize) -> Relation) -> [u16; N] {
        let mut left = [0; N];
        for number in 0..9usize.pow(N as u32) {
            let digits: [usize; N] = std::array::from_fn(|i| number / 9usize.pow(i as u32) % 9 + 1);
            let related = (0..N).all(|i| (i + 1..N).all(|j| allowed(relation(i, j), digits[i], digits[j])));
            let possible = (0..N).all(|i| cells[i] >> (digits[i] - 1) & 1 == 1);
            if related && possible && digits.iter().sum::<usize>() as i32 == total {
                left.iter_mut().zip(digits).for_each(|(cell, digit)| *cell |= 1 << (digit - 1));
            }
        }
        left
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn two_and_three_cells_are_exact(
            cells in prop::array::uniform3(1..512u16), total in -3..32, relations in prop::array::uniform3(relation())
        ) {
            let [a, b, _] = cells;
            prop_assert_eq!(pair(a, b, total, || relations[0]), by_trying([a, b], total, |_, _| relations[0]));
            let by_trying = by_trying(cells, total, |i, j| relations[i + j - 1]);
            prop_assert_eq!(triple(cells, total, relations), by_trying);
        }

        /// The relations between the pairs are left out, so four cells keep at least what is possible, and with free
        /// relations exactly that, unless the bounds were too loose to look.
        #[test]
        fn four_cells_lose_nothing_possible(
            cells in prop::array::uniform4(1..512u16), total in 0..40, relations in prop::array::uniform2(relation())
        ) {
            let relation = |i: usize, j: usize| match (i, j) { (0, 1) => relations[0], (2, 3) => relations[1], _ => Relation::Free };
            let expected = by_trying(cells, total, relation);
            match quad(cells, total, relation) {
                Some(left) => prop_assert_eq!(left, expected),
                None => prop_assert!((0..4).all(|i| expected[i] & !cells[i] == 0)),
            }
        }
    }

    #[test]
    fn four_cells_prune() {
        assert_eq!(
            quad([0b11, 0b11, 0b11, ALL_DIGITS], 12, |_, _| Relation::Free),
            Some([0b11, 0b11, 0b11, 0b1_1110_0000])
        );
    }
}
