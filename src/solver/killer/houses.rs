//! The rules of rows, columns and boxes, for all 27 of them in one sweep over nine vectors.
//!
//! A sweep repeats three rules until nothing changes: a known digit leaves its houses (naked singles), a digit with one
//! place in a house goes there (hidden singles), and a digit whose places in a box lie in one line, or the other way
//! round, leaves the rest of the line or box (locked candidates). It has no queue and no notion of a dirty house: a
//! sweep over everything costs about as much as finding out what to skip.
//!
//! Rows lie across the lanes, which makes them dear: unions over a row need moves between the segments. So the three
//! rows of a band are *interleaved* first: after a union inside each segment all three lanes are equal, and one vector
//! can hold row 0 of the band in lanes 0, row 1 in lanes 1 and row 2 in lanes 2. One move then serves three rows.

use super::{
    arch::Lanes,
    layout::{ALL_DIGITS, Cells},
    state::State,
};

/// The lanes of a row that are cells.
const CELL_LANES: [u16; 16] = {
    let mut lanes = [0; 16];
    let mut column = 0;
    while column < 9 {
        lanes[column / 3 * 4 + column % 3] = ALL_DIGITS;
        column += 1;
    }
    lanes
};

/// Digits that are possible in at least one and in at least two of some cells.
#[derive(Clone, Copy)]
struct Count<L> {
    once: L,
    twice: L,
}

impl<L: Lanes> Count<L> {
    #[inline(always)]
    fn of(a: L, b: L, c: L) -> Count<L> {
        let ab = a.or(b);
        Count { once: ab.or(c), twice: a.and(b).or(ab.and(c)) }
    }

    #[inline(always)]
    fn sum(a: Count<L>, b: Count<L>, c: Count<L>) -> Count<L> {
        let of = Count::of(a.once, b.once, c.once);
        Count { once: of.once, twice: of.twice.or(a.twice).or(b.twice.or(c.twice)) }
    }

    /// The digits with exactly one place.
    #[inline(always)]
    fn hidden(self) -> L {
        self.once.without(self.twice)
    }

    /// The three columns, or interleaved rows, of each box together.
    #[inline(always)]
    fn in_segments(self) -> Count<L> {
        let turned = Count { once: self.once.turned(), twice: self.twice.turned() };
        let twice = Count { once: self.once.turned_twice(), twice: self.twice.turned_twice() };
        Count::sum(self, turned, twice)
    }

    #[inline(always)]
    fn across_segments(self) -> Count<L> {
        let turned = Count { once: self.once.segments_turned(), twice: self.twice.segments_turned() };
        let twice = Count { once: self.once.segments_turned_twice(), twice: self.twice.segments_turned_twice() };
        Count::sum(self, turned, twice)
    }
}

/// Union with both rotations inside the segments.
#[inline(always)]
fn union_in_segments<L: Lanes>(lanes: L) -> L {
    lanes.or(lanes.turned()).or(lanes.turned_twice())
}

/// Union with both rotations of the segments.
#[inline(always)]
fn union_across<L: Lanes>(lanes: L) -> L {
    lanes.or(lanes.segments_turned()).or(lanes.segments_turned_twice())
}

/// **Naked singles**: takes the digit of every cell with one candidate from the other cells of its houses, until no
/// new one appears.
#[inline(always)]
fn naked_singles<L: Lanes>(rows: &mut [L; 9]) {
    let mut known = [L::zero(); 9];
    loop {
        let mut new = L::zero();
        let mut digits = [L::zero(); 9];
        for r in 0..9 {
            let single = rows[r].without_lowest().empty();
            new = new.or(single.without(known[r]));
            known[r] = single;
            digits[r] = rows[r].and(single);
        }
        if new.is_zero() {
            return;
        }
        let mut bands = [L::zero(); 3];
        for b in 0..3 {
            bands[b] = digits[3 * b].or(digits[3 * b + 1]).or(digits[3 * b + 2]);
        }
        let columns = bands[0].or(bands[1]).or(bands[2]);
        for b in 0..3 {
            let in_column_or_box = columns.or(union_in_segments(bands[b]));
            let in_rows = union_across(L::interleaved([
                union_in_segments(digits[3 * b]),
                union_in_segments(digits[3 * b + 1]),
                union_in_segments(digits[3 * b + 2]),
            ]));
            let per_row = [in_rows.spread::<0>(), in_rows.spread::<1>(), in_rows.spread::<2>()];
            for (j, in_row) in per_row.into_iter().enumerate() {
                let r = 3 * b + j;
                rows[r] = rows[r].without(in_column_or_box.or(in_row).without(known[r]));
            }
        }
    }
}

/// The three cells of each segment together.
#[inline(always)]
fn in_segments<L: Lanes>(row: L) -> Count<L> {
    Count::of(row, row.turned(), row.turned_twice())
}

/// What one band's rows and boxes say.
struct Band<L> {
    /// Each column's three cells in the band.
    columns: Count<L>,
    /// Each box, the same in its three lanes.
    boxes: Count<L>,
    /// Each row, interleaved.
    rows: Count<L>,
    /// **Locked candidates** of box segments in rows, interleaved: what leaves each segment.
    locked: L,
}

impl<L: Lanes> Band<L> {
    #[inline(always)]
    fn of(rows: [L; 3]) -> Band<L> {
        let [a, b, c] = [in_segments(rows[0]), in_segments(rows[1]), in_segments(rows[2])];
        let segments = Count {
            once: L::interleaved([a.once, b.once, c.once]),
            twice: L::interleaved([a.twice, b.twice, c.twice]),
        };
        let (next, last) = (segments.once.segments_turned(), segments.once.segments_turned_twice());
        // Of the places in the box, all in this row: they leave the row's other segments.
        let pointing = pointing(segments.once);
        // Of the places in the row, all in this box: they leave the box's other rows.
        let claiming = segments.once.without(next.or(last));
        let columns = Count::of(rows[0], rows[1], rows[2]);
        Band {
            columns,
            boxes: columns.in_segments(),
            rows: segments.across_segments(),
            locked: (pointing.segments_turned().or(pointing.segments_turned_twice()))
                .or(claiming.turned().or(claiming.turned_twice())),
        }
    }
}

/// **Locked candidates** of box segments in columns: what leaves each band's columns.
#[inline(always)]
fn locked_in_columns<L: Lanes>(bands: [L; 3]) -> [L; 3] {
    let pointing = [pointing(bands[0]), pointing(bands[1]), pointing(bands[2])];
    [
        locked_column(bands[0], [bands[1], bands[2]], [pointing[1], pointing[2]]),
        locked_column(bands[1], [bands[0], bands[2]], [pointing[0], pointing[2]]),
        locked_column(bands[2], [bands[0], bands[1]], [pointing[0], pointing[1]]),
    ]
}

/// Of the places in the box, those all in this segment.
#[inline(always)]
fn pointing<L: Lanes>(segments: L) -> L {
    segments.without(segments.turned().or(segments.turned_twice()))
}

#[inline(always)]
fn locked_column<L: Lanes>(band: L, others: [L; 2], pointing: [L; 2]) -> L {
    let claiming = band.without(others[0].or(others[1]));
    (pointing[0].or(pointing[1])).or(claiming.turned().or(claiming.turned_twice()))
}

/// **Hidden singles** and **locked candidates**, once. `None` where a house has no place for a digit, two for a known
/// one, or a cell no candidate or two hidden singles; else whether anything changed.
#[inline(always)]
fn hidden_and_locked<L: Lanes>(rows: &mut [L; 9]) -> Option<bool> {
    let cells = L::load(&CELL_LANES);
    let bands = [
        Band::of([rows[0], rows[1], rows[2]]),
        Band::of([rows[3], rows[4], rows[5]]),
        Band::of([rows[6], rows[7], rows[8]]),
    ];
    let columns = Count::sum(bands[0].columns, bands[1].columns, bands[2].columns);
    let locked = locked_in_columns([bands[0].columns.once, bands[1].columns.once, bands[2].columns.once]);
    let mut everywhere = columns.once;
    let (mut wrong, mut changed) = (L::zero(), L::zero());
    for b in 0..3 {
        let Band { boxes, rows: lines, locked: in_rows, .. } = &bands[b];
        everywhere = everywhere.and(boxes.once).and(lines.once);
        let hidden = columns.hidden().or(boxes.hidden());
        let twice = columns.twice.or(boxes.twice);
        let hidden_in_row = lines.hidden();
        let per_row = [
            (hidden_in_row.spread::<0>(), lines.twice.spread::<0>(), in_rows.spread::<0>()),
            (hidden_in_row.spread::<1>(), lines.twice.spread::<1>(), in_rows.spread::<1>()),
            (hidden_in_row.spread::<2>(), lines.twice.spread::<2>(), in_rows.spread::<2>()),
        ];
        for (j, (hidden_in_row, twice_in_row, locked_in_row)) in per_row.into_iter().enumerate() {
            let row = rows[3 * b + j];
            let single = row.and(hidden.or(hidden_in_row));
            let known = row.without_lowest().empty();
            // Zero where there is no known digit with a second place, and no second hidden single.
            wrong = wrong.or(row.and(known).and(twice.or(twice_in_row))).or(single.without_lowest());
            let left = single.or(row.and(single.empty())).without(locked[b].or(locked_in_row));
            wrong = wrong.or(left.empty().and(cells));
            changed = changed.or(row.without(left));
            rows[3 * b + j] = left;
        }
    }
    wrong = wrong.or(cells.without(everywhere));
    wrong.is_zero().then(|| !changed.is_zero())
}

/// Runs all rules to their fixpoint. `None` where they meet a contradiction; else the cells that changed.
///
/// Cells that are down to one candidate leave [`State::unsolved`].
#[inline(always)]
pub(super) fn sweep<L: Lanes>(state: &mut State) -> Option<Swept> {
    let mut rows = [L::zero(); 9];
    for (lanes, row) in rows.iter_mut().zip(&state.rows) {
        *lanes = L::load(row);
    }
    loop {
        naked_singles(&mut rows);
        if !hidden_and_locked(&mut rows)? {
            break;
        }
    }
    let (mut changed, mut single) = (0, 0);
    for (r, (lanes, row)) in rows.iter().zip(&mut state.rows).enumerate() {
        let same = lanes.equals(L::load(row)).bits();
        changed |= Cells::from(!same & 0xFFF) << (12 * r);
        single |= Cells::from(lanes.without_lowest().empty().bits() & 0xFFF) << (12 * r);
        lanes.store(row);
    }
    let solved = state.unsolved & single;
    state.unsolved &= !single;
    Some(Swept { changed, solved })
}

/// What a sweep did.
pub(super) struct Swept {
    /// The cells that lost candidates.
    pub(super) changed: Cells,
    /// The cells whose digit is new.
    pub(super) solved: Cells,
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            arch::plain::Plain,
            layout::{BOARD, SLOT},
        },
        *,
    };

    /// A state in which these cells (row and column from 0) have these candidates, and the others all.
    fn state(cells: &[(usize, usize, u16)]) -> State {
        let mut state = State::new();
        cells.iter().for_each(|&(r, c, candidates)| *state.at(SLOT[9 * r + c]) = candidates);
        state
    }

    fn candidates(state: &State, r: usize, c: usize) -> u16 {
        state.get(SLOT[9 * r + c])
    }

    #[test]
    fn a_naked_single_leaves_its_houses() {
        let mut state = state(&[(4, 4, 0b100)]);
        let swept = sweep::<Plain>(&mut state).unwrap();
        assert_eq!((swept.changed.count_ones(), swept.solved.count_ones()), (20, 1));
        for (r, c) in [(4, 0), (0, 4), (3, 5)] {
            assert_eq!(candidates(&state, r, c), ALL_DIGITS & !0b100, "{r} {c}");
        }
        assert_eq!(candidates(&state, 0, 0), ALL_DIGITS);
    }

    #[test]
    fn a_hidden_single_is_placed_in_each_kind_of_house() {
        let others = ALL_DIGITS & !1;
        let row: Vec<_> = (1..9).map(|c| (2, c, others)).collect();
        let column: Vec<_> = (0..9).filter(|&r| r != 2).map(|r| (r, 0, others)).collect();
        let in_box = (0..9).map(|i| (i / 3, i % 3, others)).filter(|&(r, c, _)| (r, c) != (2, 0)).collect::<Vec<_>>();
        for cells in [row, column, in_box] {
            let mut state = state(&cells);
            assert!(sweep::<Plain>(&mut state).is_some());
            assert_eq!(candidates(&state, 2, 0), 1);
        }
    }

    #[test]
    fn locked_candidates_leave_the_line_and_the_box() {
        let others = ALL_DIGITS & !1;
        // 1 of box 1 in its first row: it leaves the rest of row 1; and the same turned to columns.
        let pointing: Vec<_> = (3..9).map(|i| (i / 3, i % 3, others)).collect();
        let mut pointed = state(&pointing);
        assert!(sweep::<Plain>(&mut pointed).is_some());
        assert_eq!((candidates(&pointed, 0, 8), candidates(&pointed, 0, 1)), (others, ALL_DIGITS));
        let mut pointed = state(&pointing.iter().map(|&(r, c, set)| (c, r, set)).collect::<Vec<_>>());
        assert!(sweep::<Plain>(&mut pointed).is_some());
        assert_eq!((candidates(&pointed, 8, 0), candidates(&pointed, 1, 0)), (others, ALL_DIGITS));
        // 1 of row 1 in box 1: it leaves the other rows of the box.
        let claiming: Vec<_> = (3..9).map(|c| (0, c, others)).collect();
        let mut claimed = state(&claiming);
        assert!(sweep::<Plain>(&mut claimed).is_some());
        assert_eq!((candidates(&claimed, 2, 2), candidates(&claimed, 0, 1)), (others, ALL_DIGITS));
        let mut claimed = state(&claiming.iter().map(|&(r, c, set)| (c, r, set)).collect::<Vec<_>>());
        assert!(sweep::<Plain>(&mut claimed).is_some());
        assert_eq!((candidates(&claimed, 2, 2), candidates(&claimed, 1, 0)), (others, ALL_DIGITS));
    }

    #[test]
    fn contradictions_are_seen() {
        let nowhere: Vec<_> = (0..9).map(|c| (5, c, ALL_DIGITS & !1)).collect();
        for cells in [vec![(0, 0, 1), (0, 8, 1)], vec![(0, 0, 1), (8, 0, 1)], vec![(0, 0, 1), (2, 2, 1)], nowhere] {
            assert!(sweep::<Plain>(&mut state(&cells)).is_none(), "{cells:?}");
        }
        assert!(sweep::<Plain>(&mut State::new()).is_some_and(|swept| swept.changed == 0));
        assert_eq!(BOARD.count_ones(), 81);
    }
}
