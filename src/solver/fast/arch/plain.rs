//! Plain integers: for every machine, and for the reader.

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

/// Groups 0 to 2, each four lanes in one word, lane 0 lowest. Group 3 and the lanes 3 hold all digits in every vector
/// that the engine turns, so group 3 is left out and lanes 3 are made anew.
///
/// Candidates take nine of a lane's sixteen bits, so that sums stay in their lane, and the highest bit is free to catch
/// a carry or to lend for a borrow.
#[derive(Clone, Copy)]
struct Plain([u64; 3]);

/// The lowest bit of every lane.
const LOW: u64 = 0x0001_0001_0001_0001;
/// The highest bit of every lane.
const HIGH: u64 = LOW << 15;

/// Searches for the solutions of a board.
#[inline(never)]
pub(super) fn explore(givens: &Grid, stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    search::explore::<Plain>((), givens, stack, progress)
}

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(u64, u64) -> u64) -> Plain {
        Plain(three(|k| f(self.0[k], other.0[k])))
    }
}

/// The highest bit of the lanes that are not zero; all are below 2^15.
#[inline(always)]
fn nonzero(lanes: u64) -> u64 {
    (lanes + (HIGH - LOW)) & HIGH
}

/// Lanes 0, 1, 2 from lanes `first`, `first + 1`, `first + 2` (modulo 3). What comes to lane 3 is a set of digits too.
#[inline(always)]
fn turn(lanes: u64, first: u32) -> u64 {
    let lanes = lanes & ((1 << 48) - 1);
    lanes >> (16 * first) | lanes << (48 - 16 * first) | (ALL as u64) << 48
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
    /// Every machine has integers.
    type Cpu = ();

    #[inline(always)]
    fn splat((): (), value: u16) -> Plain {
        Plain([LOW * u64::from(value); 3])
    }

    #[inline(always)]
    fn load((): (), lanes: &Lanes) -> Plain {
        let lane = |k: usize| u64::from(lanes.0[k]) << (16 * (k % 4));
        Plain(three(|g| lane(4 * g) | lane(4 * g + 1) | lane(4 * g + 2) | lane(4 * g + 3)))
    }

    #[inline(always)]
    fn lanes(self) -> Lanes {
        let mut lanes = [ALL; 16];
        for (k, lane) in lanes[..12].iter_mut().enumerate() {
            *lane = (self.0[k / 4] >> (16 * (k % 4))) as u16;
        }
        Lanes(lanes)
    }

    #[inline(always)]
    fn without(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn plus(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a.wrapping_sub(b))
    }

    #[inline(always)]
    fn without_lowest(self) -> Plain {
        Plain(three(|k| self.0[k] & ((self.0[k] | HIGH) - LOW)))
    }

    #[inline(always)]
    fn equal(self, other: Plain) -> Plain {
        self.zip(other, |a, b| {
            let different = nonzero(a ^ b);
            !(different | (different - (different >> 15)))
        })
    }

    #[inline(always)]
    fn greater(self, other: Plain) -> Plain {
        self.zip(other, |a, b| {
            let greater = (a | HIGH).wrapping_sub(b + LOW) & HIGH;
            greater | (greater - (greater >> 15))
        })
    }

    #[inline(always)]
    fn where_nonzero(self, test: Plain) -> Plain {
        self.zip(test, |a, b| {
            let nonzero = nonzero(b);
            a & (nonzero - (nonzero >> 15))
        })
    }

    #[inline(always)]
    fn or_else(self, other: Plain) -> Plain {
        self.zip(other, |a, b| {
            let nonzero = nonzero(a);
            a | b & !(nonzero - (nonzero >> 15))
        })
    }

    #[inline(always)]
    fn select(mask: Plain, yes: Plain, no: Plain) -> Plain {
        (yes & mask) | no.without(mask)
    }

    #[inline(always)]
    fn along_1(self) -> Plain {
        Plain(three(|k| turn(self.0[k], 1)))
    }

    #[inline(always)]
    fn along_2(self) -> Plain {
        Plain(three(|k| turn(self.0[k], 2)))
    }

    #[inline(always)]
    fn down_1(self) -> Plain {
        let Plain([a, b, c]) = self;
        Plain([b, c, a])
    }

    #[inline(always)]
    fn down_2(self) -> Plain {
        let Plain([a, b, c]) = self;
        Plain([c, a, b])
    }

    #[inline(always)]
    fn is(self, other: Plain) -> bool {
        self.0 == other.0
    }

    #[inline(always)]
    fn disjoint(self, other: Plain) -> bool {
        let Plain([a, b, c]) = self & other;
        a | b | c == 0
    }

    #[inline(always)]
    fn nonzero_lanes(self) -> u32 {
        // Bits 0, 16, 32 and 48 move next to each other, at every second place.
        let bits = self.0.map(|lanes| (nonzero(lanes) >> 15).wrapping_mul(1 << 48 | 1 << 34 | 1 << 20 | 1 << 6) >> 48);
        (bits[0] & 0x55 | (bits[1] & 0x55) << 8 | (bits[2] & 0x55) << 16) as u32
    }

    #[inline(always)]
    fn count_digits(self) -> Plain {
        Plain(self.0.map(|lanes| (0..9).fold(0, |count, digit| count + (lanes >> digit & LOW))))
    }

    #[inline(always)]
    fn read((): (), values: &[u8; 81]) -> [Plain; 9] {
        let words = words::read(values);
        nine(|k| Plain(three(|band| words[band][k])))
    }

    #[inline(always)]
    fn write(cells: &[Plain; 9], values: &mut [u8; 81]) {
        words::write(&cells.map(|Plain(words)| words), values);
    }

    #[inline(always)]
    fn tally((): (), cells: &[Plain; 9], digits: Plain) -> Tally<Plain> {
        // A loan for every lane: an empty cell does not give it back.
        let less_one = nine(|k| Plain(three(|word| (cells[k].0[word] | HIGH) - LOW)));
        let more = nine(|k| cells[k] & less_one[k]);
        let [a, b, c] = three(|i| cells[3 * i].plus(cells[3 * i + 1]).plus(cells[3 * i + 2]));
        let sum = a.plus(b).plus(c);
        let lacking = Plain::splat((), ALL).without(digits);
        let failed = Plain(three(|word| {
            let all_given_back = less_one.iter().fold(u64::MAX, |all, cell| all & cell.0[word]);
            !all_given_back & HIGH | nonzero(lacking.0[word])
        }));
        // Nine empty cells would make less than nine, so the failed lanes are set before nine is taken.
        Tally { more, sum: (sum | failed).minus(Plain::splat((), 9)) | failed }
    }
}
