//! Propagation: sweeps over the whole board until one changes nothing.

use super::{
    board::{Arrangements, Board, nine, three},
    vector::{ALL, Lanes, OVERFLOW, Tally, Vector},
};

/// What propagation came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// A cell without a candidate, or a digit without a place in a house.
    Failed,
    /// A solution.
    Solved,
    /// Neither, and nothing left that a sweep can tell.
    Stuck,
}

/// Nine times (candidates - 1), summed over a box whose cells have one candidate each, all different: the digits' bits
/// make 511. The lanes without a box are always nine times 510.
const SOLVED: Lanes = {
    const B: u16 = ALL - 9;
    const P: u16 = 9 * (ALL - 1);
    Lanes([B, B, B, P, B, B, B, P, B, B, B, P, P, P, P, P])
};

/// Removes what cannot be, until nothing changes.
#[inline(always)]
pub(super) fn settle<V: Vector>(cpu: V::Cpu, board: &mut Board<V>) -> Settled {
    let mut last = V::splat(cpu, 0);
    loop {
        let cells = board.cells;
        let box_digits = board.rows[0] | board.rows[1] | board.rows[2];
        let Tally { more, sum } = V::tally(cpu, &cells, box_digits);
        if !sum.disjoint(V::splat(cpu, OVERFLOW)) {
            return Settled::Failed;
        }
        // Candidates only ever go, so a box whose sum is the same is the same.
        let (same, solved) = (sum.is(last), sum.is(V::load(cpu, &SOLVED)));
        if same | solved {
            if solved {
                return if board.is_consistent(cpu) { Settled::Solved } else { Settled::Failed };
            }
            return Settled::Stuck;
        }
        last = sum;

        // Naked singles: the sum of all cells without that of those with more candidates.
        let singles = sum.plus(V::splat(cpu, 9)).minus(total(nine(|k| cells[k].where_nonzero(more[k]))));
        // Two of one digit in a box make a sum that is above that of any of its known digits: it has the bit of a digit
        // that is not known here, which then has no place left, or one above all digits, which has to take all.
        let singles = singles | singles.greater(V::splat(cpu, ALL));
        // Hidden singles: the digits of one minirow and one minicolumn.
        let hidden = box_digits.without(twice(board.rows) | twice(board.columns()));
        let cells = nine(|k| (cells[k] & hidden).or_else(cells[k].without(singles.where_nonzero(more[k]))));

        let columns = Arrangements::down(Board::new(cells).columns()).down_allowed();
        let cells = nine(|k| cells[k] & columns[k % 3]);
        let rows = Arrangements::along(Board::new(cells).rows).along_allowed();
        *board = Board { cells: nine(|k| cells[k] & rows[k / 3]), rows };
    }
}

#[inline(always)]
fn total<V: Vector>(v: [V; 9]) -> V {
    let [a, b, c] = three(|i| v[3 * i].plus(v[3 * i + 1]).plus(v[3 * i + 2]));
    a.plus(b).plus(c)
}

/// The digits that are in two or three of these.
#[inline(always)]
fn twice<V: Vector>([a, b, c]: [V; 3]) -> V {
    (a & b) | ((a | b) & c)
}
