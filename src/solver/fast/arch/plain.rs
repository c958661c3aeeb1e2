//! Plain arrays: for every machine, and for the reader.

use std::{
    array,
    ops::{BitAnd, BitOr, ControlFlow},
};

use super::super::{
    super::{End, progress::Progress},
    search,
    stack::Stack,
    vector::{Lanes, Vector},
};

/// Sixteen lanes as an array.
#[derive(Clone, Copy)]
pub(in super::super) struct Plain([u16; 16]);

/// Searches for the solutions of a board.
pub(super) fn explore(values: &[u8; 81], stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    search::explore::<Plain>((), values, stack, progress)
}

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(u16, u16) -> u16) -> Plain {
        Plain(array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    /// Lane k of the result is lane `from(k)`.
    #[inline(always)]
    fn permute(self, from: impl Fn(usize) -> usize) -> Plain {
        Plain(array::from_fn(|k| self.0[from(k)]))
    }
}

/// 0, 1, 2 as 1, 2, 0.
#[inline(always)]
const fn next(k: usize) -> usize {
    if k < 3 { (k + 1) % 3 } else { k }
}

const fn mask(truth: bool) -> u16 {
    if truth { u16::MAX } else { 0 }
}

impl BitAnd for Plain {
    type Output = Plain;

    #[inline(always)]
    fn bitand(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Plain {
    type Output = Plain;

    #[inline(always)]
    fn bitor(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a | b)
    }
}

impl Vector for Plain {
    /// Every machine has arrays.
    type Cpu = ();

    #[inline(always)]
    fn splat((): (), value: u16) -> Plain {
        Plain([value; 16])
    }

    #[inline(always)]
    fn load((): (), lanes: &Lanes) -> Plain {
        Plain(lanes.0)
    }

    #[inline(always)]
    fn lanes(self) -> Lanes {
        Lanes(self.0)
    }

    #[inline(always)]
    fn without(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn plus(self, other: Plain) -> Plain {
        self.zip(other, u16::wrapping_add)
    }

    #[inline(always)]
    fn minus(self, other: Plain) -> Plain {
        self.zip(other, u16::wrapping_sub)
    }

    #[inline(always)]
    fn plus_saturating(self, other: Plain) -> Plain {
        self.zip(other, u16::saturating_add)
    }

    #[inline(always)]
    fn equal(self, other: Plain) -> Plain {
        self.zip(other, |a, b| mask(a == b))
    }

    #[inline(always)]
    fn greater(self, other: Plain) -> Plain {
        self.zip(other, |a, b| mask(a > b))
    }

    #[inline(always)]
    fn where_nonzero(self, test: Plain) -> Plain {
        self.zip(test, |a, b| a & mask(b != 0))
    }

    #[inline(always)]
    fn select(mask: Plain, yes: Plain, no: Plain) -> Plain {
        (yes & mask) | no.without(mask)
    }

    #[inline(always)]
    fn along_1(self) -> Plain {
        self.permute(|k| k & !3 | next(k & 3))
    }

    #[inline(always)]
    fn along_2(self) -> Plain {
        self.permute(|k| k & !3 | next(next(k & 3)))
    }

    #[inline(always)]
    fn down_1(self) -> Plain {
        self.permute(|k| 4 * next(k / 4) + k % 4)
    }

    #[inline(always)]
    fn down_2(self) -> Plain {
        self.permute(|k| 4 * next(next(k / 4)) + k % 4)
    }

    #[inline(always)]
    fn all_true(self) -> bool {
        self.0.iter().fold(u16::MAX, |all, lane| all & lane) == u16::MAX
    }

    #[inline(always)]
    fn disjoint(self, other: Plain) -> bool {
        (self & other).0.iter().fold(0, |any, lane| any | lane) == 0
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        self.0.iter().rev().fold(0, |bits, &lane| bits << 2 | u32::from(lane != 0))
    }

    #[inline(always)]
    fn count_digits(self) -> Plain {
        Plain(self.0.map(|lane| lane.count_ones() as u16))
    }
}
