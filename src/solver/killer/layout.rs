//! Where a cell lies in the vectors: the fixed tables of the board's geometry.
//!
//! A row is a vector of sixteen 16-bit lanes. Column `c` has lane `c / 3 * 4 + c % 3`, so that the three cells that a
//! row shares with a box fill one 64-bit word, its fourth lane empty; the fourth word is empty too. With that, a
//! rotation inside a box segment is a byte shuffle and one between the segments moves whole words. Empty lanes hold 0
//! always.
//!
//! A cell therefore has two numbers: its *slot*, row * 16 + lane, is its place in memory; its *bit*, row * 12 + lane,
//! is its place in a [`Cells`], as 144 slots do not fit into 128 bits.

/// A set of cells, by their bits.
pub(super) type Cells = u128;

/// A slot that holds no cell, and so never a candidate: what lists of slots are filled up with.
pub(super) const EMPTY: u8 = 15;

/// How many slots nine rows have.
pub(super) const SLOTS: usize = 144;

/// All nine digits.
pub(super) const ALL_DIGITS: u16 = 0x1FF;

const fn lane(column: usize) -> usize {
    column / 3 * 4 + column % 3
}

/// The slot of a cell (by its index in reading order).
pub(super) const SLOT: [u8; 81] = {
    let mut slots = [0; 81];
    let mut cell = 0;
    while cell < 81 {
        slots[cell] = (cell / 9 * 16 + lane(cell % 9)) as u8;
        cell += 1;
    }
    slots
};

/// The bit of a cell, by its index in reading order.
const BIT: [u8; 81] = {
    let mut bits = [0; 81];
    let mut cell = 0;
    while cell < 81 {
        bits[cell] = (cell / 9 * 12 + lane(cell % 9)) as u8;
        cell += 1;
    }
    bits
};

/// The set of one cell, by its slot; empty for a slot without a cell.
pub(super) static CELL: [Cells; SLOTS] = {
    let mut sets = [0; SLOTS];
    let mut cell = 0;
    while cell < 81 {
        sets[SLOT[cell] as usize] = 1 << BIT[cell];
        cell += 1;
    }
    sets
};

/// The slot of each bit.
pub(super) static SLOT_OF_BIT: [u8; 128] = {
    let mut slots = [EMPTY; 128];
    let mut cell = 0;
    while cell < 81 {
        slots[BIT[cell] as usize] = SLOT[cell];
        cell += 1;
    }
    slots
};

/// The 27 houses: rows, columns, boxes.
pub(super) static HOUSES: [Cells; 27] = {
    let mut houses = [0; 27];
    let mut cell = 0;
    while cell < 81 {
        let set = 1 << BIT[cell];
        houses[cell / 9] |= set;
        houses[9 + cell % 9] |= set;
        houses[18 + cell / 27 * 3 + cell % 9 / 3] |= set;
        cell += 1;
    }
    houses
};

/// The cells of the whole board.
pub(super) const BOARD: Cells = {
    let mut all = 0;
    let mut cell = 0;
    while cell < 81 {
        all |= 1 << BIT[cell];
        cell += 1;
    }
    all
};

/// The row, the column and the box of each slot, as numbers of [`HOUSES`]; zeros for a slot without a cell.
pub(super) static HOUSES_OF: [[u8; 3]; SLOTS] = {
    let mut houses = [[0; 3]; SLOTS];
    let mut cell = 0;
    while cell < 81 {
        houses[SLOT[cell] as usize] =
            [(cell / 9) as u8, (9 + cell % 9) as u8, (18 + cell / 27 * 3 + cell % 9 / 3) as u8];
        cell += 1;
    }
    houses
};

/// The 20 cells that share a house with each cell, by its slot.
pub(super) static PEERS: [Cells; SLOTS] = {
    let mut peers = [0; SLOTS];
    let mut cell = 0;
    while cell < 81 {
        let (row, column) = (cell / 9, cell % 9);
        let mut other = 0;
        while other < 81 {
            let same_box = other / 27 == cell / 27 && other % 9 / 3 == column / 3;
            if other != cell && (other / 9 == row || other % 9 == column || same_box) {
                peers[SLOT[cell] as usize] |= 1 << BIT[other];
            }
            other += 1;
        }
        cell += 1;
    }
    peers
};

/// The slots of the cells of a set, in the order of their bits.
#[inline(always)]
pub(super) fn slots(mut cells: Cells) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if cells == 0 {
            return None;
        }
        let slot = SLOT_OF_BIT[cells.trailing_zeros() as usize];
        cells &= cells - 1;
        Some(slot)
    })
}
