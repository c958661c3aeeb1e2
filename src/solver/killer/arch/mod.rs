//! The one room that knows the processor: sixteen 16-bit lanes, with AVX2 or in plain Rust.
//!
//! The engine is written once, over [`Lanes`]. Every function that holds lanes is `#[inline(always)]`, down from
//! [`Lanes::propagate`]: that one is compiled with the processor's features, and what is inlined into it is too. (So are
//! the other two doors into the engine, for the sake of counting bits in one instruction.)
//! A vector function that stayed outside would pass its lanes through memory and call each instruction; so would a
//! closure over lanes, which cannot be told to be inlined: with closures the engine was five times slower.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
pub(super) mod plain;

use std::ops::ControlFlow;

use super::{
    super::{End, progress::Progress},
    branch::Tree,
    layout::{EMPTY, SLOTS},
    model::Model,
    propagate::{Contradiction, Verdict},
    rule45::Reach,
    state::{State, is_single},
};

/// Sixteen lanes of 16 bits: a row of the board (see [`super::layout`]), or the combinations of a cage.
///
/// Where a comparison holds, its lane is all ones, else zero. A *segment* is one of the four 64-bit words.
pub(super) trait Lanes: Copy {
    /// [`Model::propagate`], compiled for the processor.
    fn propagate(model: &Model, state: &mut State, wake: u128) -> Verdict;
    /// [`Model::derive`], compiled for the processor.
    fn derive(model: &mut Model, reach: Reach, state: &mut State) -> Result<(), Contradiction>;
    /// [`Tree::search`], compiled for the processor.
    fn search(tree: &mut Tree, state: State, progress: &mut Progress) -> ControlFlow<End>;

    fn splat(value: u16) -> Self;
    fn load(from: &[u16; 16]) -> Self;
    fn store(self, to: &mut [u16; 16]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// The bits of `self` that are not in `other`.
    fn without(self, other: Self) -> Self;
    /// Every lane less one, wrapping.
    fn less_one(self) -> Self;
    /// Lanes that are equal.
    fn equals(self, other: Self) -> Self;
    /// Whether all lanes are zero.
    fn is_zero(self) -> bool;
    /// Bit i: lane i is all ones. For what a comparison gave.
    fn bits(self) -> u16;
    /// Inside each segment, lanes 0, 1, 2 take from lanes 1, 2, 0.
    fn turned(self) -> Self;
    /// Inside each segment, lanes 0, 1, 2 take from lanes 2, 0, 1.
    fn turned_twice(self) -> Self;
    /// Segments 0, 1, 2 take from segments 1, 2, 0.
    fn segments_turned(self) -> Self;
    /// Segments 0, 1, 2 take from segments 2, 0, 1.
    fn segments_turned_twice(self) -> Self;
    /// In each segment lane 0 of the first, lane 1 of the second and lane 2 of the third; lane 3 is zero if theirs are.
    fn interleaved(rows: [Self; 3]) -> Self;
    /// In each segment, lane `LANE` for lanes 0 to 2, and zero in lane 3.
    fn spread<const LANE: usize>(self) -> Self;
    /// The union of all lanes, of each of eight vectors.
    fn unions(vectors: [Self; 8]) -> [u16; 8];

    /// The open cells among up to eight, and what the others add up to.
    fn open_cells(rows: &[[u16; 16]; 9], cells: &Cells8) -> OpenCells;
    /// Bit i: lane i is zero in the first, differs between the two.
    fn empty_and_changed(left: &[u16; 8], before: &[u16; 8]) -> (u32, u32);

    /// Takes a row of ones and zeros away from the counters.
    fn count_down(counters: &mut [u8; 128], row: &[u8; 128]);
    /// Bit i: counter i is at most limit i.
    fn at_most(counters: &[u8; 128], limits: &[u8; 128]) -> u128;

    /// Lanes without a bit.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }

    /// `self` less the lowest bit of each lane.
    #[inline(always)]
    fn without_lowest(self) -> Self {
        self.and(self.less_one())
    }

    /// Lanes that are zero.
    #[inline(always)]
    fn empty(self) -> Self {
        self.equals(Self::zero())
    }
}

/// Up to eight cells of a sum, filled up with empty slots: a tag each.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Cells8([u16; 8]);

/// The tag of a cell that counts negatively; the low byte is its slot.
const NEGATIVE: u16 = 0x8000;

impl Cells8 {
    /// These slots; bit i of `negative`: cell i counts negatively.
    pub(super) fn new(slots: &[u8], negative: u16) -> Cells8 {
        let mut tags = [EMPTY.into(); 8];
        for (i, (tag, &slot)) in tags.iter_mut().zip(slots).enumerate() {
            assert!(usize::from(slot) < SLOTS, "the lanes rely on it");
            *tag = u16::from(slot) | if negative >> i & 1 == 1 { NEGATIVE } else { 0 };
        }
        Cells8(tags)
    }
}

/// The cells of a sum with more than one candidate.
pub(super) struct OpenCells {
    pub(super) len: usize,
    tags: [u16; 8],
    /// Their candidates as they are; zero beyond `len`.
    pub(super) before: [u16; 8],
    /// Their candidates without the digits of the other cells.
    pub(super) cells: [u16; 8],
    /// The digits of the other cells.
    pub(super) known: u16,
    /// What these add up to, negative cells subtracted.
    pub(super) known_sum: i32,
}

impl OpenCells {
    /// Adds a cell, with one candidate or, where there is room, with more.
    pub(super) fn push(&mut self, slot: u8, candidates: u16) {
        if is_single(candidates) {
            self.known |= candidates;
        } else {
            (self.tags[self.len], self.before[self.len]) = (slot.into(), candidates);
            self.len += 1;
        }
        self.cells = self.before.map(|cell| cell & !self.known);
    }

    /// The slot of an open cell.
    #[inline(always)]
    pub(super) fn slot(&self, i: usize) -> u8 {
        self.tags[i & 7] as u8
    }

    /// Whether an open cell counts negatively.
    #[inline(always)]
    pub(super) fn is_negative(&self, i: usize) -> bool {
        self.tags[i & 7] & NEGATIVE != 0
    }
}
