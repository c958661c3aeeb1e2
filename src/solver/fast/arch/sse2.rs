//! Pairs of 128-bit registers. Every x86-64 has SSE2, so these instructions need no detection.

use core::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, ControlFlow};

use super::{
    super::{
        super::{End, progress::Progress},
        board::{nine, three},
        search,
        stack::Stack,
        vector::{ALL, Lanes, Tally, Vector},
    },
    words,
};
use crate::puzzle::Grid;

/// Groups 0 and 1, and groups 2 and 3.
#[derive(Clone, Copy)]
struct Sse2(__m128i, __m128i);

/// Searches for the solutions of a board.
pub(super) fn explore(givens: &Grid, stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    search::explore::<Sse2>((), givens, stack, progress)
}

impl Sse2 {
    #[inline(always)]
    fn zip(self, other: Sse2, f: impl Fn(__m128i, __m128i) -> __m128i) -> Sse2 {
        Sse2(f(self.0, other.0), f(self.1, other.1))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(__m128i) -> __m128i) -> Sse2 {
        Sse2(f(self.0), f(self.1))
    }
}

/// One SSE2 instruction, or a few.
macro_rules! sse2 {
    ($instructions:expr) => {
        // SAFETY: this module is compiled for processors that have SSE2, and for no others.
        unsafe { $instructions }
    };
}

impl BitAnd for Sse2 {
    type Output = Sse2;

    #[inline(always)]
    fn bitand(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_and_si128(a, b)))
    }
}

impl BitOr for Sse2 {
    type Output = Sse2;

    #[inline(always)]
    fn bitor(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_or_si128(a, b)))
    }
}

impl Vector for Sse2 {
    /// Every x86-64 has it.
    type Cpu = ();

    #[inline(always)]
    fn splat((): (), value: u16) -> Sse2 {
        let all = sse2!(_mm_set1_epi16(value as i16));
        Sse2(all, all)
    }

    #[inline(always)]
    fn load((): (), lanes: &Lanes) -> Sse2 {
        let half: *const __m128i = (&raw const lanes.0).cast();
        // SAFETY: `lanes` is 32 bytes on a boundary of 32, which are two aligned halves; every bit pattern is a vector.
        unsafe { Sse2(_mm_load_si128(half), _mm_load_si128(half.add(1))) }
    }

    #[inline(always)]
    fn lanes(self) -> Lanes {
        let mut lanes = Lanes([0; 16]);
        let half: *mut __m128i = (&raw mut lanes.0).cast();
        // SAFETY: `lanes` is 32 bytes on a boundary of 32, which are two aligned halves.
        unsafe {
            _mm_store_si128(half, self.0);
            _mm_store_si128(half.add(1), self.1);
        }
        lanes
    }

    #[inline(always)]
    fn without(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_andnot_si128(b, a)))
    }

    #[inline(always)]
    fn plus(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_add_epi16(a, b)))
    }

    #[inline(always)]
    fn minus(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_sub_epi16(a, b)))
    }

    #[inline(always)]
    fn without_lowest(self) -> Sse2 {
        self.map(|a| sse2!(_mm_and_si128(a, _mm_add_epi16(a, _mm_set1_epi16(-1)))))
    }

    #[inline(always)]
    fn equal(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_cmpeq_epi16(a, b)))
    }

    #[inline(always)]
    fn greater(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_cmpgt_epi16(a, b)))
    }

    #[inline(always)]
    fn where_nonzero(self, test: Sse2) -> Sse2 {
        self.zip(test, |a, b| sse2!(_mm_and_si128(a, _mm_cmpgt_epi16(b, _mm_setzero_si128()))))
    }

    #[inline(always)]
    fn or_else(self, other: Sse2) -> Sse2 {
        self.zip(other, |a, b| sse2!(_mm_or_si128(a, _mm_and_si128(b, _mm_cmpeq_epi16(a, _mm_setzero_si128())))))
    }

    #[inline(always)]
    fn select(mask: Sse2, yes: Sse2, no: Sse2) -> Sse2 {
        (yes & mask) | no.without(mask)
    }

    #[inline(always)]
    fn along_1(self) -> Sse2 {
        self.map(|a| sse2!(_mm_shufflehi_epi16::<0b11_00_10_01>(_mm_shufflelo_epi16::<0b11_00_10_01>(a))))
    }

    #[inline(always)]
    fn along_2(self) -> Sse2 {
        self.map(|a| sse2!(_mm_shufflehi_epi16::<0b11_01_00_10>(_mm_shufflelo_epi16::<0b11_01_00_10>(a))))
    }

    #[inline(always)]
    fn down_1(self) -> Sse2 {
        sse2!({
            let (a, b) = (_mm_castsi128_pd(self.0), _mm_castsi128_pd(self.1));
            Sse2(_mm_castpd_si128(_mm_shuffle_pd::<0b01>(a, b)), _mm_castpd_si128(_mm_shuffle_pd::<0b10>(a, b)))
        })
    }

    #[inline(always)]
    fn down_2(self) -> Sse2 {
        sse2!(Sse2(_mm_unpacklo_epi64(self.1, self.0), _mm_unpackhi_epi64(self.0, self.1)))
    }

    #[inline(always)]
    fn is(self, other: Sse2) -> bool {
        let equal = self.equal(other);
        sse2!(_mm_movemask_epi8(_mm_and_si128(equal.0, equal.1))) == 0xFFFF
    }

    #[inline(always)]
    fn disjoint(self, other: Sse2) -> bool {
        let common = self & other;
        sse2!({
            let any = _mm_or_si128(common.0, common.1);
            _mm_movemask_epi8(_mm_cmpeq_epi16(any, _mm_setzero_si128())) == 0xFFFF
        })
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        let zero = self.map(|a| sse2!(_mm_cmpeq_epi16(a, _mm_setzero_si128())));
        let [low, high] = [zero.0, zero.1].map(|half| sse2!(_mm_movemask_epi8(half)) as u32);
        let zero = low | high << 16;
        !zero & 0x5555_5555
    }

    #[inline(always)]
    fn count_digits(self) -> Sse2 {
        // Sums of neighbouring bits, of pairs, of fours; what is left is at most 8 in the low byte and 1 in the high one.
        self.map(|a| {
            sse2!({
                let ones = _mm_and_si128(_mm_srli_epi16::<1>(a), _mm_set1_epi16(0x5555));
                let a = _mm_sub_epi16(a, ones);
                let twos = _mm_set1_epi16(0x3333);
                let a = _mm_add_epi16(_mm_and_si128(a, twos), _mm_and_si128(_mm_srli_epi16::<2>(a), twos));
                let a = _mm_and_si128(_mm_add_epi16(a, _mm_srli_epi16::<4>(a)), _mm_set1_epi16(0x0F0F));
                _mm_and_si128(_mm_add_epi16(a, _mm_srli_epi16::<8>(a)), _mm_set1_epi16(0x000F))
            })
        })
    }

    #[inline(always)]
    fn read((): (), values: &[u8; 81]) -> [Sse2; 9] {
        let words = words::read(values);
        nine(|k| {
            let [a, b, c] = three(|band| words[band][k] as i64);
            sse2!(Sse2(_mm_set_epi64x(b, a), _mm_set_epi64x(_mm_cvtsi128_si64(_mm_set1_epi16(ALL as i16)), c)))
        })
    }

    #[inline(always)]
    fn write(cells: &[Sse2; 9], values: &mut [u8; 81]) {
        let words = nine(|k| {
            let Sse2(a, c) = cells[k];
            sse2!([a, _mm_unpackhi_epi64(a, a), c].map(|word| _mm_cvtsi128_si64(word) as u64))
        });
        words::write(&words, values);
    }

    #[inline(always)]
    fn tally((): (), cells: &[Sse2; 9], digits: Sse2) -> Tally<Sse2> {
        let (one, all) = (Sse2::splat((), 1), Sse2::splat((), ALL));
        let less_one = nine(|k| cells[k].minus(one));
        let more = nine(|k| cells[k] & less_one[k]);
        // An empty cell counts 65535 here and so does a union that lacks a digit, and the sum stays there.
        let add = |a: Sse2, b: Sse2| a.zip(b, |a, b| sse2!(_mm_adds_epu16(a, b)));
        let [a, b, c] = three(|i| add(add(less_one[3 * i], less_one[3 * i + 1]), less_one[3 * i + 2]));
        let lacking = all.greater(digits);
        Tally { more, sum: add(add(add(a, b), c), lacking) }
    }
}
