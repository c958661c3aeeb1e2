//! What the engine asks of a machine: sixteen lanes of sixteen bits, and what to do with all of them at once.
//!
//! The algorithm is written once, over [`Vector`]. `arch::plain` is the way to read it: each
//! operation there is a loop over an array. The other paths are the same operations in one to three instructions.

use std::ops::{BitAnd, BitOr};

/// Sixteen lanes in memory, on a boundary that no load has to straddle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Lanes(pub(super) [u16; 16]);

/// Sixteen lanes of sixteen bits: four *groups* of four lanes.
///
/// A *mask* has lanes of all ones for true and of zero for false.
pub(super) trait Vector: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// Evidence that this processor has the instructions. What makes a vector out of nothing asks for it, and all other
    /// vectors are made out of vectors.
    type Cpu: Copy;

    /// The same value in every lane.
    fn splat(cpu: Self::Cpu, value: u16) -> Self;
    /// These lanes.
    fn load(cpu: Self::Cpu, lanes: &Lanes) -> Self;
    /// These lanes.
    fn lanes(self) -> Lanes;

    /// The bits that are not in `other`.
    fn without(self, other: Self) -> Self;
    /// Lane by lane; no sum is above 65535.
    fn plus(self, other: Self) -> Self;
    /// Lane by lane; no difference is below 0.
    fn minus(self, other: Self) -> Self;
    /// Without the lowest bit that is set; all lanes are below 2^15.
    fn without_lowest(self) -> Self;
    /// Mask of the lanes that are equal.
    fn equal(self, other: Self) -> Self;
    /// Mask of the lanes that are greater than those of `other`; all are below 2^15.
    fn greater(self, other: Self) -> Self;
    /// `self` where `test` is not zero, else zero; all lanes of `test` are below 2^15.
    fn where_nonzero(self, test: Self) -> Self;
    /// `self` where it is not zero, else `other`; all lanes are below 2^15.
    fn or_else(self, other: Self) -> Self;
    /// `yes` where the mask is true, else `no`.
    fn select(mask: Self, yes: Self, no: Self) -> Self;

    /// Lanes 0, 1, 2 of each group become its lanes 1, 2, 0; lane 3 stays.
    fn along_1(self) -> Self;
    /// Lanes 0, 1, 2 of each group become its lanes 2, 0, 1; lane 3 stays.
    fn along_2(self) -> Self;
    /// Groups 0, 1, 2 become groups 1, 2, 0; group 3 stays.
    fn down_1(self) -> Self;
    /// Groups 0, 1, 2 become groups 2, 0, 1; group 3 stays.
    fn down_2(self) -> Self;

    /// Whether all lanes are equal.
    fn is(self, other: Self) -> bool;
    /// Whether no bit is in both.
    fn disjoint(self, other: Self) -> bool;
    /// Bit 2k tells whether lane k is not zero; odd bits are zero.
    fn nonzero_lanes(self) -> u32;
    /// How many of the lowest nine bits are set; the others must be zero.
    fn count_digits(self) -> Self;

    /// Looks at nine sets of digits (0 to 511) a lane, whose union is `digits`.
    fn tally(cpu: Self::Cpu, cells: &[Self; 9], digits: Self) -> Tally<Self>;

    /// Of six sums, which is the smallest that is above 9, the first on a tie: 2g for the sum of lanes 0 to 2 of group g
    /// of `along`, 2x + 1 for the sum of lane x of groups 0 to 2 of `down`.
    fn least_above_nine(along: Self, down: Self) -> usize {
        let (along, down) = (along.lanes().0, down.lanes().0);
        let mut sums = [0; 6];
        for k in 0..3 {
            sums[2 * k] = along[4 * k] + along[4 * k + 1] + along[4 * k + 2];
            sums[2 * k + 1] = down[k] + down[4 + k] + down[8 + k];
        }
        let mut least = (u16::MAX, 0);
        for (index, &sum) in sums.iter().enumerate() {
            // A sum of 9 or less wraps to the far end.
            let key = sum.wrapping_sub(10);
            if key < least.0 {
                least = (key, index);
            }
        }
        least.1
    }

    /// The candidates that a board in reading order, 0 for an empty cell, leaves each cell: register 3i + j of
    /// [`Board`](super::board::Board).
    fn read(cpu: Self::Cpu, values: &[u8; 81]) -> [Self; 9];
    /// The digits of cells with one candidate each, in reading order.
    fn write(cells: &[Self; 9], values: &mut [u8; 81]);
}

/// What a sweep has to know about nine cells.
pub(super) struct Tally<V> {
    /// Each cell without its lowest candidate: nothing where there is only one.
    pub(super) more: [V; 9],
    /// The sum of the nine cells, less nine. Where a cell is empty or the union lacks a digit, it has a bit of
    /// [`OVERFLOW`] instead.
    pub(super) sum: V,
}

/// No sum of nine numbers below 512 has one of these bits.
pub(super) const OVERFLOW: u16 = 0xE000;

/// All nine digits.
pub(super) const ALL: u16 = 0x1FF;
