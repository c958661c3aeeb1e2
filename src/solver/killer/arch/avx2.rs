//! Lanes in the registers of AVX2.
//!
//! All `unsafe` of the engine is here, for one reason: the instructions need a processor that has them. A value of
//! [`Avx2`] exists only inside the doors [`Avx2::propagate`], [`Avx2::derive`] and [`Avx2::search`], which the engine
//! takes where [`available`] said yes.
#![allow(unsafe_code)]

use std::{arch::x86_64::*, ops::ControlFlow};

use super::{Cells8, Contradiction, End, Lanes, Model, OpenCells, Progress, Reach, State, Tree, Verdict};

/// Sixteen lanes in one register.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(__m256i);

/// Whether the processor has what [`Avx2`] uses.
pub(in super::super) fn available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// A byte shuffle that moves 16-bit lanes alike in every segment; lane 8 stands for zero.
const fn lane_shuffle(lanes: [u8; 4]) -> [u8; 32] {
    let mut bytes = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        let lane = lanes[i % 4];
        if lane != 8 {
            // The instruction counts inside each half of the register, which holds two segments.
            let from = (i as u8 / 4 % 2) * 8 + lane * 2;
            bytes[i * 2] = from;
            bytes[i * 2 + 1] = from + 1;
        }
        i += 1;
    }
    bytes
}

const TURNED: [u8; 32] = lane_shuffle([1, 2, 0, 3]);
const TURNED_TWICE: [u8; 32] = lane_shuffle([2, 0, 1, 3]);
const SPREAD: [[u8; 32]; 3] = [lane_shuffle([0, 0, 0, 8]), lane_shuffle([1, 1, 1, 8]), lane_shuffle([2, 2, 2, 8])];

/// Byte shuffles that move the 16-bit lanes whose bit is *not* set to the front, zeros behind them.
static COMPACT: [[u8; 16]; 256] = {
    let mut table = [[0x80; 16]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut to) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 0 {
                table[bits][to] = 2 * lane;
                table[bits][to + 1] = 2 * lane + 1;
                to += 2;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// Times a set of one digit, it leaves another number in the top four bits for each digit, and none for no digit.
const DIGIT_HASH: u16 = 0x1350;

/// The digit for each of these numbers.
const DIGIT_OF_HASH: [u8; 16] = {
    let mut digits = [0; 16];
    let mut digit = 1;
    while digit <= 9 {
        digits[(DIGIT_HASH << (digit - 1) >> 12) as usize] = digit;
        digit += 1;
    }
    digits
};

/// SAFETY of every use: the processor has AVX2 (see the module), and loads and stores stay inside their arrays.
macro_rules! with_avx2 {
    ($work:expr) => {
        // SAFETY: as the macro says.
        unsafe { $work }
    };
}

impl Avx2 {
    #[inline(always)]
    fn shuffled(self, bytes: &[u8; 32]) -> Avx2 {
        with_avx2!(Avx2(_mm256_shuffle_epi8(self.0, _mm256_loadu_si256(bytes.as_ptr().cast()))))
    }
}

/// In turn a union over two lanes of `a` and over two of `b`.
#[inline(always)]
fn by_16(a: __m256i, b: __m256i) -> __m256i {
    with_avx2!(_mm256_or_si256(_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)))
}

/// The same for pairs of lanes.
#[inline(always)]
fn by_32(a: __m256i, b: __m256i) -> __m256i {
    with_avx2!(_mm256_or_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)))
}

/// The same for four lanes.
#[inline(always)]
fn by_64(a: __m256i, b: __m256i) -> __m256i {
    with_avx2!(_mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)))
}

impl Lanes for Avx2 {
    #[inline]
    fn propagate(model: &Model, state: &mut State, wake: u128) -> Verdict {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled_for_avx2(model: &Model, state: &mut State, wake: u128) -> Verdict {
            model.propagate::<Avx2>(state, wake)
        }
        with_avx2!(compiled_for_avx2(model, state, wake))
    }

    #[inline]
    fn derive(model: &mut Model, reach: Reach, state: &mut State) -> Result<(), Contradiction> {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled_for_avx2(model: &mut Model, reach: Reach, state: &mut State) -> Result<(), Contradiction> {
            model.derive(reach, state)
        }
        with_avx2!(compiled_for_avx2(model, reach, state))
    }

    #[inline]
    fn search(tree: &mut Tree, state: State, progress: &mut Progress) -> ControlFlow<End> {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled_for_avx2(tree: &mut Tree, state: State, progress: &mut Progress) -> ControlFlow<End> {
            tree.search::<Avx2>(state, progress)
        }
        with_avx2!(compiled_for_avx2(tree, state, progress))
    }

    #[inline(always)]
    fn splat(value: u16) -> Avx2 {
        with_avx2!(Avx2(_mm256_set1_epi16(value as i16)))
    }

    #[inline(always)]
    fn load(from: &[u16; 16]) -> Avx2 {
        with_avx2!(Avx2(_mm256_loadu_si256(from.as_ptr().cast())))
    }

    #[inline(always)]
    fn store(self, to: &mut [u16; 16]) {
        with_avx2!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
    }

    #[inline(always)]
    fn and(self, other: Avx2) -> Avx2 {
        with_avx2!(Avx2(_mm256_and_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Avx2) -> Avx2 {
        with_avx2!(Avx2(_mm256_or_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn without(self, other: Avx2) -> Avx2 {
        with_avx2!(Avx2(_mm256_andnot_si256(other.0, self.0)))
    }

    #[inline(always)]
    fn less_one(self) -> Avx2 {
        with_avx2!(Avx2(_mm256_add_epi16(self.0, _mm256_set1_epi16(-1))))
    }

    #[inline(always)]
    fn equals(self, other: Avx2) -> Avx2 {
        with_avx2!(Avx2(_mm256_cmpeq_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        with_avx2!(_mm256_testz_si256(self.0, self.0) == 1)
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        with_avx2!({
            let bytes = _mm_packs_epi16(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            _mm_movemask_epi8(bytes) as u16
        })
    }

    #[inline(always)]
    fn turned(self) -> Avx2 {
        self.shuffled(&TURNED)
    }

    #[inline(always)]
    fn turned_twice(self) -> Avx2 {
        self.shuffled(&TURNED_TWICE)
    }

    #[inline(always)]
    fn segments_turned(self) -> Avx2 {
        with_avx2!(Avx2(_mm256_permute4x64_epi64::<0b11_00_10_01>(self.0)))
    }

    #[inline(always)]
    fn segments_turned_twice(self) -> Avx2 {
        with_avx2!(Avx2(_mm256_permute4x64_epi64::<0b11_01_00_10>(self.0)))
    }

    #[inline(always)]
    fn interleaved([first, second, third]: [Avx2; 3]) -> Avx2 {
        with_avx2!({
            let two = _mm256_blend_epi16::<0b0010_0010>(first.0, second.0);
            Avx2(_mm256_blend_epi16::<0b1100_1100>(two, third.0))
        })
    }

    #[inline(always)]
    fn spread<const LANE: usize>(self) -> Avx2 {
        self.shuffled(&SPREAD[LANE])
    }

    #[inline(always)]
    fn unions(v: [Avx2; 8]) -> [u16; 8] {
        // Three rounds of transposing pairs and taking the union of both halves, for all eight together.
        with_avx2!({
            let low = by_32(by_16(v[0].0, v[1].0), by_16(v[2].0, v[3].0));
            let high = by_32(by_16(v[4].0, v[5].0), by_16(v[6].0, v[7].0));
            let both = by_64(low, high);
            let union = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
            let mut unions = [0; 8];
            _mm_storeu_si128(unions.as_mut_ptr().cast(), union);
            unions
        })
    }

    #[inline(always)]
    fn open_cells(rows: &[[u16; 16]; 9], cells: &Cells8) -> OpenCells {
        let at = |i: usize| {
            // SAFETY: `Cells8` holds only slots of the board.
            unsafe { *rows.as_flattened().get_unchecked(usize::from(cells.0[i] as u8)) as i16 }
        };
        let candidates = [at(7), at(6), at(5), at(4), at(3), at(2), at(1), at(0)];
        let mut open = OpenCells { len: 0, tags: [0; 8], before: [0; 8], cells: [0; 8], known: 0, known_sum: 0 };
        with_avx2!({
            let [h, g, f, e, d, c, b, a] = candidates;
            // In four pairs: one chain of eight inserts would take as long as the rest.
            let ab = _mm_set_epi16(0, 0, 0, 0, 0, 0, b, a);
            let cd = _mm_set_epi16(0, 0, 0, 0, 0, 0, d, c);
            let ef = _mm_set_epi16(0, 0, 0, 0, 0, 0, f, e);
            let gh = _mm_set_epi16(0, 0, 0, 0, 0, 0, h, g);
            let candidates = _mm_unpacklo_epi64(_mm_unpacklo_epi32(ab, cd), _mm_unpacklo_epi32(ef, gh));
            let tags = _mm_loadu_si128(cells.0.as_ptr().cast());
            let less_lowest = _mm_and_si128(candidates, _mm_add_epi16(candidates, _mm_set1_epi16(-1)));
            let single = _mm_cmpeq_epi16(less_lowest, _mm_setzero_si128());
            let singles = _mm_movemask_epi8(_mm_packs_epi16(single, single)) as usize & 0xFF;
            open.len = 8 - singles.count_ones() as usize;
            let compact = _mm_loadu_si128(COMPACT[singles].as_ptr().cast());
            let before = _mm_shuffle_epi8(candidates, compact);
            _mm_storeu_si128(open.before.as_mut_ptr().cast(), before);
            _mm_storeu_si128(open.tags.as_mut_ptr().cast(), _mm_shuffle_epi8(tags, compact));
            let known = _mm_and_si128(candidates, single);
            let union = _mm_or_si128(known, _mm_srli_si128::<8>(known));
            let union = _mm_or_si128(union, _mm_srli_si128::<4>(union));
            let union = _mm_or_si128(union, _mm_srli_si128::<2>(union));
            open.known = _mm_cvtsi128_si32(union) as u16;
            let cells = _mm_andnot_si128(_mm_broadcastw_epi16(union), before);
            _mm_storeu_si128(open.cells.as_mut_ptr().cast(), cells);
            let hash = _mm_srli_epi16::<12>(_mm_mullo_epi16(known, _mm_set1_epi16(DIGIT_HASH as i16)));
            let digits = _mm_shuffle_epi8(_mm_loadu_si128(DIGIT_OF_HASH.as_ptr().cast()), hash);
            let signs = _mm_or_si128(_mm_srai_epi16::<15>(tags), _mm_set1_epi16(1));
            let sums = _mm_madd_epi16(digits, signs);
            let sums = _mm_add_epi32(sums, _mm_srli_si128::<8>(sums));
            open.known_sum = _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_srli_si128::<4>(sums)));
        });
        open
    }

    #[inline(always)]
    fn empty_and_changed(left: &[u16; 8], before: &[u16; 8]) -> (u32, u32) {
        with_avx2!({
            let left = _mm_loadu_si128(left.as_ptr().cast());
            let same = _mm_cmpeq_epi16(left, _mm_loadu_si128(before.as_ptr().cast()));
            let empty = _mm_cmpeq_epi16(left, _mm_setzero_si128());
            let both = _mm_movemask_epi8(_mm_packs_epi16(empty, same)) as u32;
            (both & 0xFF, both >> 8 ^ 0xFF)
        })
    }

    #[inline(always)]
    fn count_down(counters: &mut [u8; 128], row: &[u8; 128]) {
        for (counters, row) in counters.as_chunks_mut::<32>().0.iter_mut().zip(row.as_chunks::<32>().0) {
            with_avx2!({
                let left = _mm256_sub_epi8(
                    _mm256_loadu_si256(counters.as_ptr().cast()),
                    _mm256_loadu_si256(row.as_ptr().cast()),
                );
                _mm256_storeu_si256(counters.as_mut_ptr().cast(), left);
            });
        }
    }

    #[inline(always)]
    fn at_most(counters: &[u8; 128], limits: &[u8; 128]) -> u128 {
        let mut words = [0; 4];
        for (i, word) in words.iter_mut().enumerate() {
            with_avx2!({
                let counter = _mm256_loadu_si256(counters.as_ptr().add(32 * i).cast());
                let limit = _mm256_loadu_si256(limits.as_ptr().add(32 * i).cast());
                let lower = _mm256_cmpeq_epi8(_mm256_min_epu8(counter, limit), counter);
                *word = _mm256_movemask_epi8(lower) as u32;
            });
        }
        u128::from(words[0]) | u128::from(words[1]) << 32 | u128::from(words[2]) << 64 | u128::from(words[3]) << 96
    }
}
