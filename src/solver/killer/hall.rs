//! **Hall sets**: where n cells have only n digits between them, these digits leave the other cells.
//!
//! [`exact`] applies this to the open cells of a cage in all combinations at once, a combination a lane: as a
//! combination has exactly as many digits as there are cells, digits that no Hall set excludes are those that stand in
//! some assignment of the combination (Hall's theorem, a digit a cell). So a candidate that is left is in some way to
//! make the sum, and the other way round: the rule is exact, at the price of an inexact one.
//!
//! A set of cells that has *fewer* digits than cells needs no check of its own. It has a subset of one cell less with
//! the same digits or fewer, and so with at most one digit a cell; that subset strips the cell that is left, down to
//! nothing, and a lane with an empty cell is dead.
//!
//! The subsets are written out by a macro. As loops they were two to five times slower: the compiler kept the lanes in
//! memory.

use super::{arch::Lanes, digits::COMBINATIONS, layout::ALL_DIGITS};

/// Where in the answer of [`exact`] the digits stand that are *not* required.
pub(super) const NOT_REQUIRED: usize = 7;

/// The lanes of a union over `$k` cells that holds at most `$k` digits; else zero.
macro_rules! tight {
    (1, $digits:expr, $combinations:expr) => {
        $digits.and($digits.without_lowest().empty())
    };
    (2, $digits:expr, $combinations:expr) => {
        $digits.and($digits.without_lowest().without_lowest().empty())
    };
    (3, $digits:expr, $combinations:expr) => {
        $digits.and($digits.without_lowest().without_lowest().without_lowest().empty())
    };
    (4, $digits:expr, $combinations:expr) => {
        $digits.and($digits.without_lowest().without_lowest().without_lowest().without_lowest().empty())
    };
    // All cells but one: a union that is not the whole combination.
    (rest, $digits:expr, $combinations:expr) => {
        $digits.without($digits.equals($combinations))
    };
}

/// For each set of cells: where it is tight, its digits go to the `$stripped` of the cells that it leaves out.
macro_rules! strip {
    ($cells:ident, $stripped:ident, $combinations:ident;
     $($k:tt: $([$first:literal $($more:literal)*] leaves [$($out:literal)+]),+;)+) => {{
        $($(
            let digits = $cells[$first]$(.or($cells[$more]))*;
            let tight = tight!($k, digits, $combinations);
            $($stripped[$out] = $stripped[$out].or(tight);)+
        )+)+
    }};
}

/// What leaves each of `N` cells (3 to 6), where these are their digits in each combination.
#[inline(always)]
fn stripped<L: Lanes, const N: usize>(cells: &[L; N], combinations: L) -> [L; N] {
    let mut stripped = [L::zero(); N];
    match N {
        3 => strip! { cells, stripped, combinations;
            1: [0] leaves [1 2], [1] leaves [0 2], [2] leaves [0 1];
            rest: [0 1] leaves [2], [0 2] leaves [1], [1 2] leaves [0];
        },
        4 => strip! { cells, stripped, combinations;
            1: [0] leaves [1 2 3], [1] leaves [0 2 3], [2] leaves [0 1 3], [3] leaves [0 1 2];
            2: [0 1] leaves [2 3], [0 2] leaves [1 3], [0 3] leaves [1 2], [1 2] leaves [0 3], [1 3] leaves [0 2],
                [2 3] leaves [0 1];
            rest: [0 1 2] leaves [3], [0 1 3] leaves [2], [0 2 3] leaves [1], [1 2 3] leaves [0];
        },
        5 => strip! { cells, stripped, combinations;
            1: [0] leaves [1 2 3 4], [1] leaves [0 2 3 4], [2] leaves [0 1 3 4], [3] leaves [0 1 2 4],
                [4] leaves [0 1 2 3];
            2: [0 1] leaves [2 3 4], [0 2] leaves [1 3 4], [0 3] leaves [1 2 4], [0 4] leaves [1 2 3],
                [1 2] leaves [0 3 4], [1 3] leaves [0 2 4], [1 4] leaves [0 2 3], [2 3] leaves [0 1 4],
                [2 4] leaves [0 1 3], [3 4] leaves [0 1 2];
            3: [0 1 2] leaves [3 4], [0 1 3] leaves [2 4], [0 1 4] leaves [2 3], [0 2 3] leaves [1 4],
                [0 2 4] leaves [1 3], [0 3 4] leaves [1 2], [1 2 3] leaves [0 4], [1 2 4] leaves [0 3],
                [1 3 4] leaves [0 2], [2 3 4] leaves [0 1];
            rest: [0 1 2 3] leaves [4], [0 1 2 4] leaves [3], [0 1 3 4] leaves [2], [0 2 3 4] leaves [1],
                [1 2 3 4] leaves [0];
        },
        6 => strip! { cells, stripped, combinations;
            1: [0] leaves [1 2 3 4 5], [1] leaves [0 2 3 4 5], [2] leaves [0 1 3 4 5], [3] leaves [0 1 2 4 5],
                [4] leaves [0 1 2 3 5], [5] leaves [0 1 2 3 4];
            2: [0 1] leaves [2 3 4 5], [0 2] leaves [1 3 4 5], [0 3] leaves [1 2 4 5], [0 4] leaves [1 2 3 5],
                [0 5] leaves [1 2 3 4], [1 2] leaves [0 3 4 5], [1 3] leaves [0 2 4 5], [1 4] leaves [0 2 3 5],
                [1 5] leaves [0 2 3 4], [2 3] leaves [0 1 4 5], [2 4] leaves [0 1 3 5], [2 5] leaves [0 1 3 4],
                [3 4] leaves [0 1 2 5], [3 5] leaves [0 1 2 4], [4 5] leaves [0 1 2 3];
            3: [0 1 2] leaves [3 4 5], [0 1 3] leaves [2 4 5], [0 1 4] leaves [2 3 5], [0 1 5] leaves [2 3 4],
                [0 2 3] leaves [1 4 5], [0 2 4] leaves [1 3 5], [0 2 5] leaves [1 3 4], [0 3 4] leaves [1 2 5],
                [0 3 5] leaves [1 2 4], [0 4 5] leaves [1 2 3], [1 2 3] leaves [0 4 5], [1 2 4] leaves [0 3 5],
                [1 2 5] leaves [0 3 4], [1 3 4] leaves [0 2 5], [1 3 5] leaves [0 2 4], [1 4 5] leaves [0 2 3],
                [2 3 4] leaves [0 1 5], [2 3 5] leaves [0 1 4], [2 4 5] leaves [0 1 3], [3 4 5] leaves [0 1 2];
            4: [0 1 2 3] leaves [4 5], [0 1 2 4] leaves [3 5], [0 1 2 5] leaves [3 4], [0 1 3 4] leaves [2 5],
                [0 1 3 5] leaves [2 4], [0 1 4 5] leaves [2 3], [0 2 3 4] leaves [1 5], [0 2 3 5] leaves [1 4],
                [0 2 4 5] leaves [1 3], [0 3 4 5] leaves [1 2], [1 2 3 4] leaves [0 5], [1 2 3 5] leaves [0 4],
                [1 2 4 5] leaves [0 3], [1 3 4 5] leaves [0 2], [2 3 4 5] leaves [0 1];
            rest: [0 1 2 3 4] leaves [5], [0 1 2 3 5] leaves [4], [0 1 2 4 5] leaves [3], [0 1 3 4 5] leaves [2],
                [0 2 3 4 5] leaves [1], [1 2 3 4 5] leaves [0];
        },
        _ => unreachable!("three to six open cells"),
    }
    stripped
}

/// The candidates of `N` open cells (3 to 6) of a cage that stand in some way to make `total` with distinct digits.
///
/// They are in the answer's first `N` places, all zero where there is no way at all; place [`NOT_REQUIRED`] has the
/// digits that some way does without.
#[inline(always)]
pub(super) fn exact<L: Lanes, const N: usize>(candidates: &[u16; N], total: usize) -> [u16; 8] {
    let union = candidates.iter().fold(0, |union, cell| union | cell);
    let combinations = L::load(&COMBINATIONS[N][total]);
    let combinations = combinations.and(combinations.without(L::splat(union)).empty());
    let mut cells = [L::zero(); N];
    for i in 0..N {
        cells[i] = combinations.and(L::splat(candidates[i]));
    }
    let stripped = stripped(&cells, combinations);
    let mut dead = L::zero();
    for i in 0..N {
        cells[i] = cells[i].without(stripped[i]);
        dead = dead.or(cells[i].empty());
    }
    let mut answer = [L::zero(); 8];
    for i in 0..N {
        answer[i] = cells[i].without(dead);
    }
    answer[NOT_REQUIRED] = L::splat(ALL_DIGITS).without(combinations).without(dead);
    L::unions(answer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::arch::plain::Plain, *};
    use crate::puzzle::DigitSet;

    /// What [`exact`] shall say, by trying every assignment.
    fn by_trying(candidates: &[u16], total: usize) -> [u16; 8] {
        fn place(
            candidates: &[u16],
            used: u16,
            sum: usize,
            total: usize,
            answer: &mut [u16; 8],
            chosen: &mut Vec<u16>,
        ) {
            let Some((&first, rest)) = candidates.split_first() else {
                if sum == total {
                    answer.iter_mut().zip(&*chosen).for_each(|(cell, digit)| *cell |= digit);
                    answer[NOT_REQUIRED] |= ALL_DIGITS & !used;
                }
                return;
            };
            for digit in DigitSet::from_bits(first & !used).iter() {
                let bit = 1 << (digit.get() - 1);
                chosen.push(bit);
                place(rest, used | bit, sum + usize::from(digit.get()), total, answer, chosen);
                chosen.pop();
            }
        }
        let mut answer = [0; 8];
        place(candidates, 0, 0, total, &mut answer, &mut Vec::new());
        answer
    }

    fn check<const N: usize>(candidates: [u16; N]) -> Result<(), TestCaseError> {
        for total in 0..=45 {
            let expected = by_trying(&candidates, total);
            prop_assert_eq!(exact::<Plain, N>(&candidates, total), expected, "{:x?} to {}", candidates, total);
            #[cfg(target_arch = "x86_64")]
            if super::super::arch::avx2::available() {
                use super::super::arch::avx2::Avx2;
                prop_assert_eq!(exact::<Avx2, N>(&candidates, total), expected, "{:x?} to {}", candidates, total);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn exact_is_exact(cells in prop::array::uniform6(1..512u16)) {
            check::<3>([cells[0], cells[1], cells[2]])?;
            check::<4>([cells[0], cells[1], cells[2], cells[3]])?;
            check::<5>([cells[0], cells[1], cells[2], cells[3], cells[4]])?;
            check::<6>(cells)?;
        }
    }

    #[test]
    fn a_pair_of_digits_in_two_cells_leaves_the_third() {
        // 12 in three cells, two of them 1 or 2: the third would be 9, and not what is left by bounds alone, 8 to 9.
        let left = exact::<Plain, 3>(&[0b11, 0b11, 0b1_1000_0011], 12);
        assert_eq!(left[..3], [0b11, 0b11, 0b1_0000_0000]);
        assert_eq!(left[NOT_REQUIRED], ALL_DIGITS & !0b1_0000_0011, "1, 2 and 9 are required");
    }
}
