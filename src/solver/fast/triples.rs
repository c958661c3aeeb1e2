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
    let rows = [along(rows[0]), along(rows[1]), along(rows[2])];
    let columns = [down(columns[0]), down(columns[1]), down(columns[2])];
    let any = rows[0] | rows[1] | rows[2] | columns[0] | columns[1] | columns[2];
    if any.disjoint(V::splat(cpu, ALL)) {
        return false;
    }
    *board = Board::new(nine(|k| board.cells[k].without(rows[k / 3] | columns[k % 3])));
    true
}

#[inline(always)]
fn along<V: Vector>(row: V) -> V {
    strangers(row, row.along_1() | row.along_2())
}

#[inline(always)]
fn down<V: Vector>(column: V) -> V {
    strangers(column, column.down_1() | column.down_2())
}

/// The digits of a miniline that are also elsewhere in the line, if three or more are not.
#[inline(always)]
fn strangers<V: Vector>(digits: V, elsewhere: V) -> V {
    let three_or_more = digits.without(elsewhere).without_lowest().without_lowest();
    (digits & elsewhere).where_nonzero(three_or_more)
}
