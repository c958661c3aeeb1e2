//! Hidden triples in minirows and minicolumns: what propagation tries when sweeps are stuck.

use super::{
    board::{Board, nine},
    vector::{ALL, Vector},
};

/// Where three digits of a row (or column) have no place in it but in one minirow (minicolumn), its three cells are
/// theirs, and other digits leave them. Tells whether anything changed.
#[inline(always)]
pub(super) fn hidden_triples<V: Vector>(cpu: V::Cpu, board: &mut Board<V>) -> bool {
    let rows = board.rows;
    let columns = board.columns();
    let rows = [along(cpu, rows[0]), along(cpu, rows[1]), along(cpu, rows[2])];
    let columns = [down(cpu, columns[0]), down(cpu, columns[1]), down(cpu, columns[2])];
    let any = rows[0] | rows[1] | rows[2] | columns[0] | columns[1] | columns[2];
    if any.disjoint(V::splat(cpu, ALL)) {
        return false;
    }
    *board = Board::new(nine(|k| board.cells[k].without(rows[k / 3] | columns[k % 3])));
    true
}

#[inline(always)]
fn along<V: Vector>(cpu: V::Cpu, row: V) -> V {
    strangers(cpu, row, row.along_1() | row.along_2())
}

#[inline(always)]
fn down<V: Vector>(cpu: V::Cpu, column: V) -> V {
    strangers(cpu, column, column.down_1() | column.down_2())
}

/// The digits of a miniline that are also elsewhere in the line, if three or more are not.
#[inline(always)]
fn strangers<V: Vector>(cpu: V::Cpu, digits: V, elsewhere: V) -> V {
    let one = V::splat(cpu, 1);
    let confined = digits.without(elsewhere);
    let two_or_more = confined & confined.minus(one);
    let three_or_more = two_or_more & two_or_more.minus(one);
    (digits & elsewhere).where_nonzero(three_or_more)
}
