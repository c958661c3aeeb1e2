//! Branching: the digit and the band to decide next, and the children that this makes.

use super::{
    board::{Arrangements, Board, nine},
    vector::{Lanes, Vector},
};

/// A digit of a band and the arrangements that it may take there, each of them a child.
pub(super) struct Guess<V> {
    /// The digit's bit in every lane.
    digit: V,
    /// 32 for a stack, 0 for a horizontal band.
    orientation: usize,
    /// Bit 2k for the even arrangement of lane k, bit 32 + 2k for the odd one.
    arrangements: u64,
}

impl<V: Vector> Guess<V> {
    /// The band with the fewest arrangements in all that is not fixed yet, and in it the lowest digit with two, or else
    /// the lowest with more. There is always one on a board that is stuck.
    #[inline(always)]
    pub(super) fn choose(cpu: V::Cpu, board: &Board<V>) -> Guess<V> {
        let along = Arrangements::along(board.rows);
        let down = Arrangements::down(board.columns());
        let band = V::least_above_nine(
            along.even.count_digits().plus(along.odd.count_digits()),
            down.even.count_digits().plus(down.odd.count_digits()),
        );

        let along_digits = fewest(cpu, along, [V::along_1, V::along_2]);
        let down_digits = fewest(cpu, down, [V::down_1, V::down_2]);
        let digits = V::select(V::load(cpu, &SHOWS_ALONG), along_digits, down_digits).lanes().0[SHOWN_AT[band]];
        let digit = V::splat(cpu, digits & digits.wrapping_neg());

        let [in_band, in_stack] = &BANDS[band];
        let (in_band, in_stack) = (digit & V::load(cpu, in_band), digit & V::load(cpu, in_stack));
        let even = (along.even & in_band) | (down.even & in_stack);
        let odd = (along.odd & in_band) | (down.odd & in_stack);
        let arrangements = u64::from(even.nonzero_lanes()) | u64::from(odd.nonzero_lanes()) << 32;
        Guess { digit, orientation: band % 2 * 32, arrangements }
    }

    /// The last child that was not taken yet, and whether it was the last.
    #[inline(always)]
    pub(super) fn take(&mut self, cpu: V::Cpu, board: &Board<V>) -> [V; 9] {
        let arrangement = 63 - self.arrangements.leading_zeros() as usize;
        self.arrangements &= !(1 << arrangement);
        let losers = &LOSERS[self.orientation + arrangement / 2];
        let rows = [0, 1, 2].map(|i| self.digit & V::load(cpu, &losers[i]));
        let columns = [3, 4, 5].map(|j| self.digit & V::load(cpu, &losers[j]));
        nine(|k| board.cells[k].without(rows[k / 3] | columns[k % 3]))
    }

    /// Whether more than one child is left.
    #[inline(always)]
    pub(super) fn has_several(&self) -> bool {
        self.arrangements & (self.arrangements - 1) != 0
    }
}

/// For each band, in all its lanes, the digits with two arrangements; where there is none, those with more.
#[inline(always)]
fn fewest<V: Vector>(cpu: V::Cpu, arrangements: Arrangements<V>, turns: [impl Fn(V) -> V; 2]) -> V {
    let Arrangements { even, odd } = arrangements;
    // Digits with one or two arrangements in this lane and in the two others of the band.
    let (one, both) = (even | odd, even & odd);
    let (one_1, both_1) = (turns[0](one), turns[0](both));
    let (one_2, both_2) = (turns[1](one), turns[1](both));
    let two = both | both_1 | both_2 | (one & one_1) | ((one | one_1) & one_2);
    let three = (both & (one_1 | one_2)) | (both_1 & (one | one_2)) | (both_2 & (one | one_1)) | (one & one_1 & one_2);
    let exactly_two = two.without(three);
    V::select(exactly_two.equal(V::splat(cpu, 0)), two, exactly_two)
}

/// Band 2g is the horizontal one of group g, band 2x + 1 the stack of lanes x: the lanes of each, as a band and as a
/// stack (none for the other kind).
static BANDS: [[Lanes; 2]; 6] = {
    let mut bands = [[Lanes([0; 16]); 2]; 6];
    let mut lane = 0;
    while lane < 11 {
        if lane % 4 < 3 {
            bands[lane / 4 * 2][0].0[lane] = u16::MAX;
            bands[lane % 4 * 2 + 1][1].0[lane] = u16::MAX;
        }
        lane += 1;
    }
    bands
};

/// A lane of each band in which its digits are shown, so that one vector shows all six.
const SHOWN_AT: [usize; 6] = [1, 0, 6, 5, 8, 10];

/// The lanes that show a horizontal band.
static SHOWS_ALONG: Lanes = {
    let mut lanes = Lanes([0; 16]);
    lanes.0[SHOWN_AT[0]] = u16::MAX;
    lanes.0[SHOWN_AT[2]] = u16::MAX;
    lanes.0[SHOWN_AT[4]] = u16::MAX;
    lanes
};

/// The minirows 0 to 2 and the minicolumns 0 to 2 that lose a digit when it takes an arrangement: by orientation (32 for
/// a stack), odd or even (16 for odd) and lane.
static LOSERS: [[Lanes; 6]; 64] = {
    let mut losers = [[Lanes([0; 16]); 6]; 64];
    let mut entry = 0;
    while entry < 64 {
        let (stack, odd, lane) = (entry >= 32, entry % 32 >= 16, entry % 16);
        let (group, x) = (lane / 4, lane % 4);
        if group < 3 && x < 3 {
            let mut other = 0;
            while other < 11 {
                let same_band = if stack { other % 4 == x } else { other / 4 == group };
                if same_band && other % 4 < 3 {
                    // How far this box is from that of the lane, along the band.
                    let step = if stack { (other / 4 + 3 - group) % 3 } else { (other % 4 + 3 - x) % 3 };
                    let line = [odd as usize, !odd as usize, 2][step];
                    let mut loser = 0;
                    while loser < 3 {
                        if loser != line {
                            losers[entry][if stack { 3 } else { 0 } + loser].0[other] = u16::MAX;
                        }
                        loser += 1;
                    }
                }
                other += 1;
            }
        }
        entry += 1;
    }
    losers
};
