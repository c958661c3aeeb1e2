//! The state of a search: the candidates of all cells, as nine vectors.

use super::vector::{ALL, Lanes, Vector};

/// Candidates by place in the box and by box: register 3i + j holds the cells in row i and column j of their boxes, lane
/// by lane of the boxes (the drawing is in the room's description), bit d - 1 for digit d.
///
/// The lanes without a box hold all digits and never change: a box where nothing is known.
#[derive(Clone, Copy)]
pub(super) struct Board<V> {
    pub(super) cells: [V; 9],
    /// The digits of each minirow (the three cells where a row meets a box): the union of registers 3i to 3i + 2.
    pub(super) rows: [V; 3],
}

/// A board at rest in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct State(pub(super) [Lanes; 9]);

impl<V: Vector> Board<V> {
    #[inline(always)]
    pub(super) fn new(cells: [V; 9]) -> Board<V> {
        let rows = three(|i| cells[3 * i] | cells[3 * i + 1] | cells[3 * i + 2]);
        Board { cells, rows }
    }

    #[inline(always)]
    pub(super) fn load(cpu: V::Cpu, state: &State) -> Board<V> {
        Board::new(nine(|k| V::load(cpu, &state.0[k])))
    }

    /// The digits of each minicolumn: the union of registers j, 3 + j and 6 + j.
    #[inline(always)]
    pub(super) fn columns(&self) -> [V; 3] {
        three(|j| self.cells[j] | self.cells[3 + j] | self.cells[6 + j])
    }

    /// Whether the digits of all minirows and minicolumns can stand where they are. Where every box holds every digit
    /// once, this makes the board a solution.
    #[inline(always)]
    pub(super) fn is_consistent(&self, cpu: V::Cpu) -> bool {
        let rows = Arrangements::along(self.rows).along_allowed();
        let columns = self.columns();
        let allowed = Arrangements::down(columns).down_allowed();
        let lost = self.rows[0].without(rows[0])
            | self.rows[1].without(rows[1])
            | self.rows[2].without(rows[2])
            | columns[0].without(allowed[0])
            | columns[1].without(allowed[1])
            | columns[2].without(allowed[2]);
        lost.disjoint(V::splat(cpu, ALL))
    }
}

/// The ways in which each digit may stand in a band of three boxes.
///
/// A digit stands once in each box and once in each of the three lines (rows, or columns for a stack) of a band, so it
/// takes the three minilines of a permutation: six arrangements, two for each lane x. Both have line 2 in box x + 2
/// (modulo 3); `even` has lines 0 and 1 in boxes x and x + 1, `odd` in boxes x + 1 and x. Digits are bits, so this is
/// all nine digits in all three bands at once.
#[derive(Clone, Copy)]
pub(super) struct Arrangements<V> {
    pub(super) even: V,
    pub(super) odd: V,
}

impl<V: Vector> Arrangements<V> {
    /// Those of the horizontal bands, which the digits of the minirows leave.
    #[inline(always)]
    pub(super) fn along(rows: [V; 3]) -> Arrangements<V> {
        let last = rows[2].along_2();
        Arrangements { even: rows[0] & (rows[1].along_1() & last), odd: rows[1] & (rows[0].along_1() & last) }
    }

    /// Those of the vertical stacks, which the digits of the minicolumns leave.
    #[inline(always)]
    pub(super) fn down(columns: [V; 3]) -> Arrangements<V> {
        let last = columns[2].down_2();
        Arrangements { even: columns[0] & (columns[1].down_1() & last), odd: columns[1] & (columns[0].down_1() & last) }
    }

    /// The digits of the minirows that are in some arrangement.
    #[inline(always)]
    pub(super) fn along_allowed(self) -> [V; 3] {
        [self.even | self.odd.along_2(), self.even.along_2() | self.odd, (self.even | self.odd).along_1()]
    }

    /// The digits of the minicolumns that are in some arrangement.
    #[inline(always)]
    pub(super) fn down_allowed(self) -> [V; 3] {
        [self.even | self.odd.down_2(), self.even.down_2() | self.odd, (self.even | self.odd).down_1()]
    }
}

/// Three vectors, written out so that none of them lives in memory for the sake of a loop.
#[inline(always)]
pub(super) fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// Nine vectors, likewise.
#[inline(always)]
pub(super) fn nine<T>(f: impl Fn(usize) -> T) -> [T; 9] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8)]
}
