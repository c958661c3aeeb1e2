//! Lanes in plain Rust, for every processor: a segment is a 64-bit word, and four lanes are worked on at once in it.
//!
//! The layout of a row fits words as well as it fits registers: a box segment is a word, so that its rotations are
//! shifts, and rotations between segments only rename words.

use std::ops::ControlFlow;

use super::{
    super::state::is_single, Cells8, Contradiction, End, Lanes, Model, NEGATIVE, OpenCells, Progress, Reach, State,
    Tree, Verdict,
};

/// Sixteen lanes, lane 0 of each segment in the lowest bits of its word.
#[derive(Clone, Copy)]
pub(in super::super) struct Plain([u64; 4]);

/// 1 in every lane.
const ONES: u64 = 0x0001_0001_0001_0001;
/// The highest bit of every lane.
const HIGHEST: u64 = 0x8000_8000_8000_8000;
const LANE: u64 = 0xFFFF;

impl Plain {
    #[inline(always)]
    fn each(self, f: impl Fn(u64) -> u64) -> Plain {
        let [a, b, c, d] = self.0;
        Plain([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn with(self, other: Plain, f: impl Fn(u64, u64) -> u64) -> Plain {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Plain([f(a, e), f(b, g), f(c, h), f(d, i)])
    }
}

impl Lanes for Plain {
    fn propagate(model: &Model, state: &mut State, wake: u128) -> Verdict {
        model.propagate::<Plain>(state, wake)
    }

    fn derive(model: &mut Model, reach: Reach, state: &mut State) -> Result<(), Contradiction> {
        model.derive(reach, state)
    }

    fn search(tree: &mut Tree, state: State, progress: &mut Progress) -> ControlFlow<End> {
        tree.search::<Plain>(state, progress)
    }

    #[inline(always)]
    fn splat(value: u16) -> Plain {
        Plain([u64::from(value) * ONES; 4])
    }

    #[inline(always)]
    fn load(from: &[u16; 16]) -> Plain {
        let word = |i: usize| {
            let lane = |j: usize| u64::from(from[i + j]) << (16 * j);
            lane(0) | lane(1) | lane(2) | lane(3)
        };
        Plain([word(0), word(4), word(8), word(12)])
    }

    #[inline(always)]
    fn store(self, to: &mut [u16; 16]) {
        for (i, lane) in to.iter_mut().enumerate() {
            *lane = (self.0[i / 4] >> (i % 4 * 16)) as u16;
        }
    }

    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        self.with(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        self.with(other, |a, b| a | b)
    }

    #[inline(always)]
    fn without(self, other: Plain) -> Plain {
        self.with(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn less_one(self) -> Plain {
        // No lane borrows from the next: its highest bit is set first, and put right afterwards.
        self.each(|a| ((a | HIGHEST) - ONES) ^ (!a & HIGHEST))
    }

    #[inline(always)]
    fn equals(self, other: Plain) -> Plain {
        self.with(other, |a, b| a ^ b).empty()
    }

    #[inline(always)]
    fn empty(self) -> Plain {
        // The highest bit of each lane that is not zero; then all bits of the others.
        self.each(|a| {
            let some = ((a & !HIGHEST) + !HIGHEST) | a;
            ((!some & HIGHEST) >> 15) * LANE
        })
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        let word = |i: usize| {
            let a = self.0[i] & ONES;
            ((a | a >> 15 | a >> 30 | a >> 45) as u16 & 0xF) << (4 * i)
        };
        word(0) | word(1) | word(2) | word(3)
    }

    #[inline(always)]
    fn turned(self) -> Plain {
        self.each(|a| (a >> 16 & 0xFFFF_FFFF) | (a & LANE) << 32)
    }

    #[inline(always)]
    fn turned_twice(self) -> Plain {
        self.each(|a| (a >> 32 & LANE) | (a & 0xFFFF_FFFF) << 16)
    }

    #[inline(always)]
    fn segments_turned(self) -> Plain {
        let [a, b, c, d] = self.0;
        Plain([b, c, a, d])
    }

    #[inline(always)]
    fn segments_turned_twice(self) -> Plain {
        let [a, b, c, d] = self.0;
        Plain([c, a, b, d])
    }

    #[inline(always)]
    fn interleaved(rows: [Plain; 3]) -> Plain {
        let [first, second, third] = rows;
        let two = first.with(second, |a, b| a & LANE | b & LANE << 16);
        two.with(third, |a, b| a | b & LANE << 32)
    }

    #[inline(always)]
    fn spread<const LANE: usize>(self) -> Plain {
        self.each(|a| (a >> (16 * LANE) & 0xFFFF) * 0x0001_0001_0001)
    }

    #[inline(always)]
    fn unions(vectors: [Plain; 8]) -> [u16; 8] {
        let mut unions = [0; 8];
        for (union, vector) in unions.iter_mut().zip(vectors) {
            let [a, b, c, d] = vector.0;
            let word = a | b | c | d;
            let half = word | word >> 32;
            *union = (half | half >> 16) as u16;
        }
        unions
    }

    #[inline(always)]
    fn open_cells(rows: &[[u16; 16]; 9], cells: &Cells8) -> OpenCells {
        let mut open = OpenCells { len: 0, tags: [0; 8], before: [0; 8], cells: [0; 8], known: 0, known_sum: 0 };
        for tag in cells.0 {
            let candidates = rows.as_flattened()[usize::from(tag as u8)];
            if !is_single(candidates) {
                (open.tags[open.len], open.before[open.len]) = (tag, candidates);
                open.len += 1;
            } else if candidates != 0 {
                let digit = candidates.trailing_zeros() as i32 + 1;
                open.known |= candidates;
                open.known_sum += if tag & NEGATIVE != 0 { -digit } else { digit };
            }
        }
        open.cells = open.before.map(|cell| cell & !open.known);
        open
    }

    #[inline(always)]
    fn empty_and_changed(left: &[u16; 8], before: &[u16; 8]) -> (u32, u32) {
        let (mut empty, mut changed) = (0, 0);
        for i in 0..8 {
            empty |= u32::from(left[i] == 0) << i;
            changed |= u32::from(left[i] != before[i]) << i;
        }
        (empty, changed)
    }

    #[inline(always)]
    fn count_down(counters: &mut [u8; 128], row: &[u8; 128]) {
        counters.iter_mut().zip(row).for_each(|(counter, one)| *counter = counter.wrapping_sub(*one));
    }

    #[inline(always)]
    fn at_most(counters: &[u8; 128], limits: &[u8; 128]) -> u128 {
        let mut bits = 0;
        for (i, (counter, limit)) in counters.iter().zip(limits).enumerate() {
            bits |= u128::from(counter <= limit) << i;
        }
        bits
    }
}
