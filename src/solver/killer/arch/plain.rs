//! Lanes in plain Rust, for every processor; the compiler makes of them what vectors it has.

use super::{
    super::{propagate::Verdict, state::is_single},
    Cells8, Lanes, Model, NEGATIVE, OpenCells, State,
};

/// Sixteen lanes as an array.
#[derive(Clone, Copy)]
pub(in super::super) struct Plain([u16; 16]);

impl Plain {
    #[inline(always)]
    fn each(self, other: Plain, f: impl Fn(u16, u16) -> u16) -> Plain {
        Plain(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// Lane i takes from lane `from(i)`.
    #[inline(always)]
    fn moved(self, from: impl Fn(usize) -> usize) -> Plain {
        Plain(std::array::from_fn(|i| self.0[from(i)]))
    }
}

impl Lanes for Plain {
    fn propagate(model: &Model, state: &mut State, wake: u128) -> Verdict {
        model.propagate::<Plain>(state, wake)
    }

    #[inline(always)]
    fn splat(value: u16) -> Plain {
        Plain([value; 16])
    }

    #[inline(always)]
    fn load(from: &[u16; 16]) -> Plain {
        Plain(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [u16; 16]) {
        *to = self.0;
    }

    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        self.each(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        self.each(other, |a, b| a | b)
    }

    #[inline(always)]
    fn without(self, other: Plain) -> Plain {
        self.each(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn less_one(self) -> Plain {
        self.each(self, |a, _| a.wrapping_sub(1))
    }

    #[inline(always)]
    fn equals(self, other: Plain) -> Plain {
        self.each(other, |a, b| if a == b { 0xFFFF } else { 0 })
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0.iter().fold(0, |any, lane| any | lane) == 0
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        (0..16).fold(0, |bits, i| bits | (self.0[i] & 1) << i)
    }

    #[inline(always)]
    fn turned(self) -> Plain {
        self.moved(|i| i / 4 * 4 + [1, 2, 0, 3][i % 4])
    }

    #[inline(always)]
    fn turned_twice(self) -> Plain {
        self.moved(|i| i / 4 * 4 + [2, 0, 1, 3][i % 4])
    }

    #[inline(always)]
    fn segments_turned(self) -> Plain {
        self.moved(|i| [1, 2, 0, 3][i / 4] * 4 + i % 4)
    }

    #[inline(always)]
    fn segments_turned_twice(self) -> Plain {
        self.moved(|i| [2, 0, 1, 3][i / 4] * 4 + i % 4)
    }

    #[inline(always)]
    fn interleaved(rows: [Plain; 3]) -> Plain {
        Plain(std::array::from_fn(|i| rows[[0, 1, 2, 2][i % 4]].0[i]))
    }

    #[inline(always)]
    fn spread<const LANE: usize>(self) -> Plain {
        Plain(std::array::from_fn(|i| if i % 4 == 3 { 0 } else { self.0[i / 4 * 4 + LANE] }))
    }

    #[inline(always)]
    fn unions(vectors: [Plain; 8]) -> [u16; 8] {
        vectors.map(|vector| vector.0.iter().fold(0, |union, lane| union | lane))
    }

    #[inline(always)]
    fn open_cells(rows: &[[u16; 16]; 9], cells: &Cells8) -> OpenCells {
        let mut open = OpenCells { len: 0, tags: [0; 8], before: [0; 8], known: 0, known_sum: 0 };
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
