//! 256-bit registers.
//!
//! A value of [`Cpu`] exists only where the processor was seen to have these instructions, the first vectors are made
//! with one in hand, and every other vector is made out of vectors. So each operation here may run its instruction. (The
//! methods of a trait cannot have `#[target_feature]` and be safe to call; they are all inlined into [`explore_here`],
//! which has it.)

use core::arch::x86_64::*;
use std::{
    array,
    ops::{BitAnd, BitOr, ControlFlow},
};

use super::super::{
    super::{End, progress::Progress},
    board::{nine, three},
    search,
    stack::Stack,
    vector::{ALL, Lanes, Tally, Vector},
};
use crate::puzzle::Grid;

/// Evidence that the processor has AVX2 and the bit instructions that came with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cpu(());

impl Cpu {
    #[inline]
    pub(super) fn detect() -> Option<Cpu> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Cpu(()))
    }
}

/// Searches for the solutions of a board.
#[inline]
pub(super) fn explore(cpu: Cpu, givens: &Grid, stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    // SAFETY: there is a `Cpu`, so the processor has all the features that the function asks for.
    unsafe { explore_here(cpu, givens, stack, progress) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn explore_here(cpu: Cpu, givens: &Grid, stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    search::explore::<Avx2>(cpu, givens, stack, progress)
}

/// All four groups in one register.
#[derive(Clone, Copy)]
struct Avx2(__m256i);

/// One AVX2 instruction, or a few.
macro_rules! avx2 {
    ($instructions:expr) => {
        // SAFETY: a `Cpu` or a vector is in scope, and neither exists where the processor does not have AVX2.
        unsafe { $instructions }
    };
}

/// The lanes of each group in another order. The compiler would shuffle words twice in place of bytes once, so it does not
/// get to see which bytes they are.
#[target_feature(enable = "avx2")]
#[inline]
fn turn<const BY: usize>(lanes: __m256i) -> __m256i {
    let turned;
    // SAFETY: the instruction reads a register and 32 bytes on a boundary of 32, and writes a register.
    unsafe {
        core::arch::asm!(
            "vpshufb {turned}, {lanes}, ymmword ptr [rip + {turns} + {offset}]",
            turned = lateout(ymm_reg) turned,
            lanes = in(ymm_reg) lanes,
            turns = sym TURNS,
            offset = const 32 * (BY - 1),
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    turned
}

/// The bytes of the lanes 1, 2, 0, 3 and 2, 0, 1, 3 of each group.
static TURNS: [Bytes; 2] = [bytes_of_lanes([1, 2, 0, 3]), bytes_of_lanes([2, 0, 1, 3])];

#[repr(align(32))]
struct Bytes(#[expect(dead_code, reason = "only the instruction reads it")] [u8; 32]);

const fn bytes_of_lanes(lanes: [u8; 4]) -> Bytes {
    let mut bytes = [0; 32];
    let mut k = 0;
    while k < 32 {
        bytes[k] = (k as u8 & 8) + 2 * lanes[k / 2 % 4] + (k as u8 & 1);
        k += 1;
    }
    Bytes(bytes)
}

impl BitAnd for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn bitand(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_and_si256(self.0, other.0)))
    }
}

impl BitOr for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn bitor(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_or_si256(self.0, other.0)))
    }
}

impl Vector for Avx2 {
    type Cpu = Cpu;

    #[inline(always)]
    fn splat(_: Cpu, value: u16) -> Avx2 {
        Avx2(avx2!(_mm256_set1_epi16(value as i16)))
    }

    #[inline(always)]
    fn load(_: Cpu, lanes: &Lanes) -> Avx2 {
        // SAFETY: a `Cpu` is in scope; `lanes` is 32 bytes on a boundary of 32, and every bit pattern is a vector.
        Avx2(unsafe { _mm256_load_si256((&raw const lanes.0).cast()) })
    }

    #[inline(always)]
    fn lanes(self) -> Lanes {
        let mut lanes = Lanes([0; 16]);
        // SAFETY: a vector is in scope; `lanes` is 32 bytes on a boundary of 32.
        unsafe { _mm256_store_si256((&raw mut lanes.0).cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn without(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_andnot_si256(other.0, self.0)))
    }

    #[inline(always)]
    fn plus(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_add_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn minus(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_sub_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn without_lowest(self) -> Avx2 {
        self & Avx2(avx2!(_mm256_add_epi16(self.0, _mm256_set1_epi16(-1))))
    }

    #[inline(always)]
    fn equal(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_cmpeq_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn greater(self, other: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_cmpgt_epi16(self.0, other.0)))
    }

    #[inline(always)]
    fn where_nonzero(self, test: Avx2) -> Avx2 {
        // Nothing in `test` is negative, so no lane changes its sign.
        Avx2(avx2!(_mm256_sign_epi16(self.0, test.0)))
    }

    #[inline(always)]
    fn or_else(self, other: Avx2) -> Avx2 {
        avx2!({
            let zero = _mm256_cmpeq_epi16(self.0, _mm256_setzero_si256());
            Avx2(_mm256_blendv_epi8(self.0, other.0, zero))
        })
    }

    #[inline(always)]
    fn select(mask: Avx2, yes: Avx2, no: Avx2) -> Avx2 {
        Avx2(avx2!(_mm256_blendv_epi8(no.0, yes.0, mask.0)))
    }

    #[inline(always)]
    fn along_1(self) -> Avx2 {
        Avx2(avx2!(turn::<1>(self.0)))
    }

    #[inline(always)]
    fn along_2(self) -> Avx2 {
        Avx2(avx2!(turn::<2>(self.0)))
    }

    #[inline(always)]
    fn down_1(self) -> Avx2 {
        Avx2(avx2!(_mm256_permute4x64_epi64::<0b11_00_10_01>(self.0)))
    }

    #[inline(always)]
    fn down_2(self) -> Avx2 {
        Avx2(avx2!(_mm256_permute4x64_epi64::<0b11_01_00_10>(self.0)))
    }

    #[inline(always)]
    fn is(self, other: Avx2) -> bool {
        avx2!(_mm256_movemask_epi8(_mm256_cmpeq_epi16(self.0, other.0))) == -1
    }

    #[inline(always)]
    fn disjoint(self, other: Avx2) -> bool {
        avx2!(_mm256_testz_si256(self.0, other.0)) == 1
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        let zero = avx2!(_mm256_movemask_epi8(_mm256_cmpeq_epi16(self.0, _mm256_setzero_si256())));
        !zero as u32 & 0x5555_5555
    }

    #[inline(always)]
    fn count_digits(self) -> Avx2 {
        avx2!({
            let ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let low = _mm256_set1_epi16(0x000F);
            let fours = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), low);
            let ninth = _mm256_srli_epi16::<8>(self.0);
            let counts = _mm256_add_epi16(
                _mm256_shuffle_epi8(ones, _mm256_and_si256(self.0, low)),
                _mm256_shuffle_epi8(ones, fours),
            );
            Avx2(_mm256_add_epi16(counts, ninth))
        })
    }

    #[inline(always)]
    fn read(_: Cpu, values: &[u8; 81]) -> [Avx2; 9] {
        avx2!(read_board(values)).map(Avx2)
    }

    #[inline(always)]
    fn write(cells: &[Avx2; 9], values: &mut [u8; 81]) {
        avx2!(write_board(nine(|k| cells[k].0), values));
    }

    #[inline(always)]
    fn tally(cpu: Cpu, cells: &[Avx2; 9], digits: Avx2) -> Tally<Avx2> {
        let (one, all) = (Avx2::splat(cpu, 1), Avx2::splat(cpu, ALL));
        let less_one = nine(|k| cells[k].minus(one));
        let more = nine(|k| cells[k] & less_one[k]);
        // An empty cell counts 65535 here and so does a union that lacks a digit, and the sum stays there.
        let add = |a: Avx2, b: Avx2| Avx2(avx2!(_mm256_adds_epu16(a.0, b.0)));
        let [a, b, c] = three(|i| add(add(less_one[3 * i], less_one[3 * i + 1]), less_one[3 * i + 2]));
        let lacking = all.greater(digits);
        Tally { more, sum: add(add(add(a, b), c), lacking) }
    }

    #[inline(always)]
    fn least_above_nine(along: Avx2, down: Avx2) -> usize {
        // The lanes without a box count too, 18 of them to a group: a digit has six arrangements in two lanes there.
        avx2!({
            let groups = _mm256_sad_epu8(along.0, _mm256_setzero_si256());
            // The sums of the groups at the words 0, 2 and 4.
            let groups = _mm_packus_epi32(_mm256_castsi256_si128(groups), _mm256_extracti128_si256::<1>(groups));
            let (upper, lower) = (_mm256_castsi256_si128(down.0), _mm256_extracti128_si256::<1>(down.0));
            let stacks = _mm_add_epi16(_mm_add_epi16(upper, lower), _mm_unpackhi_epi64(upper, upper));
            // The sums of the stacks at the words 1, 3 and 5.
            let stacks =
                _mm_shuffle_epi8(stacks, _mm_setr_epi8(-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 4, 5, -1, -1, -1, -1));
            let sums = _mm_or_si128(groups, stacks);
            let keys = _mm_sub_epi16(sums, _mm_setr_epi16(28, 10, 28, 10, 28, 10, 1000, 1));
            _mm_extract_epi16::<1>(_mm_minpos_epu16(keys)) as usize
        })
    }
}

/// The candidates of a board.
#[target_feature(enable = "avx2")]
#[inline]
fn read_board(values: &[u8; 81]) -> [__m256i; 9] {
    // Rows i, 3 + i and 6 + i are the rows i of the boxes of groups 0, 1 and 2. Sixteen bytes that end with the
    // board hold its last row from the byte 7 on.
    let row = |r: usize| {
        let [low, high] = [9 * r, 9 * r + 8].map(|at| i64::from_le_bytes(array::from_fn(|k| values[at + k])));
        _mm_set_epi64x(high, low)
    };
    let last = {
        let [low, high] = [65, 73].map(|at| i64::from_le_bytes(array::from_fn(|k| values[at + k])));
        _mm_set_epi64x(high, low)
    };
    // The low and the high byte of the candidates, by value.
    let low_byte = _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0));
    let high_byte = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    let cells = |outer: __m256i, inner: __m256i, j: i8, end: i8| {
        // Each byte twice, and zero in the lanes without a box: all digits are possible there.
        let (a, b, c) = (j, j + 3, j + 6);
        let (d, e, f) = (j + end, j + 3 + end, j + 6 + end);
        let outer = _mm256_shuffle_epi8(
            outer,
            _mm256_setr_epi8(
                a, a, b, b, c, c, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, d, d, e, e, f, f, -1, -1, -1, -1, -1, -1, -1,
                -1, -1, -1,
            ),
        );
        let inner = _mm256_shuffle_epi8(
            inner,
            _mm256_setr_epi8(
                -1, -1, -1, -1, -1, -1, -1, -1, a, a, b, b, c, c, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                -1, -1, -1, -1, -1,
            ),
        );
        let values = _mm256_or_si256(outer, inner);
        let (low, high) = (_mm256_shuffle_epi8(low_byte, values), _mm256_shuffle_epi8(high_byte, values));
        _mm256_blendv_epi8(low, high, _mm256_set1_epi16(0xFF00_u16 as i16))
    };
    let rows = |i: usize| {
        let (end, sixth) = if i == 2 { (7, last) } else { (0, row(6 + i)) };
        let (outer, inner) = (_mm256_set_m128i(sixth, row(i)), _mm256_castsi128_si256(row(3 + i)));
        [cells(outer, inner, 0, end), cells(outer, inner, 1, end), cells(outer, inner, 2, end)]
    };
    let ([a, b, c], [d, e, f], [g, h, i]) = (rows(0), rows(1), rows(2));
    [a, b, c, d, e, f, g, h, i]
}

/// The digits of cells that have one candidate each.
#[target_feature(enable = "avx2")]
#[inline]
fn write_board(cells: [__m256i; 9], values: &mut [u8; 81]) {
    // A digit is one more than the bits below its own, which fit a byte.
    let below = nine(|k| _mm256_add_epi16(cells[k], _mm256_set1_epi16(-1)));
    let nibbles = _mm256_set1_epi8(0x0F);
    let (low_digit, high_digit) = (
        _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5)),
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4)),
    );
    let digits = |below: __m256i| {
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(below), nibbles);
        let low = _mm256_and_si256(below, nibbles);
        _mm256_add_epi8(_mm256_shuffle_epi8(low_digit, low), _mm256_shuffle_epi8(high_digit, high))
    };
    // Three digits and a byte to drop for each box, then nine digits a row.
    let close_up = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, -1, -1, -1, -1, -1, -1, -1));
    for i in 0..3 {
        let first_two = digits(_mm256_or_si256(below[3 * i], _mm256_slli_epi16::<8>(below[3 * i + 1])));
        let third = digits(below[3 * i + 2]);
        let outer = _mm256_shuffle_epi8(_mm256_unpacklo_epi16(first_two, third), close_up);
        let inner = _mm256_shuffle_epi8(_mm256_unpackhi_epi16(first_two, third), close_up);
        let rows = [_mm256_castsi256_si128(outer), _mm256_castsi256_si128(inner), _mm256_extracti128_si256::<1>(outer)];
        for (band, row) in rows.into_iter().enumerate() {
            let row_values = &mut values[27 * band + 9 * i..][..9];
            row_values[..8].copy_from_slice(&_mm_cvtsi128_si64(row).to_le_bytes());
            row_values[8] = _mm_extract_epi8::<8>(row) as u8;
        }
    }
}
