//! Reading and writing a board four lanes at a time, for the paths that cannot shuffle bytes.

use super::super::vector::ALL;

/// The groups 0 to 2 of a register, lane 0 lowest.
pub(super) type Words = [u64; 3];

/// The candidates of a board in reading order, 0 for an empty cell: group by group, and in each register by register.
///
/// The groups of a register lie apart in memory, and this is not inlined, so that the compiler does not pair them up and
/// keep moving the pairs between integer and vector registers: that takes the plain path a third more time.
#[inline(never)]
pub(super) fn read(values: &[u8; 81]) -> [[u64; 9]; 3] {
    let mut cells = [[0; 9]; 3];
    for (band, words) in cells.iter_mut().enumerate() {
        for (place, word) in words.iter_mut().enumerate() {
            let first = first_cell(band, place);
            let [a, b, c] = [0, 3, 6].map(|x| usize::from(values[first + x] & 15));
            *word = CANDIDATES[0][a] | CANDIDATES[1][b] | CANDIDATES[2][c];
        }
    }
    cells
}

/// Writes the digits of cells that have one candidate each.
#[inline(always)]
pub(super) fn write(cells: &[Words; 9], values: &mut [u8; 81]) {
    for i in 0..3 {
        for band in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|j| cells[3 * i + j][band] - LOW);
            let (pairs, thirds) = (digits(a | b << 8).to_le_bytes(), digits(c).to_le_bytes());
            let row = &mut values[first_cell(band, 3 * i)..][..9];
            for x in 0..3 {
                row[3 * x..][..3].copy_from_slice(&[pairs[2 * x], pairs[2 * x + 1], thirds[2 * x]]);
            }
        }
    }
}

/// The lowest bit of every lane.
const LOW: u64 = 0x0001_0001_0001_0001;

/// The digits of eight cells by the bits below that of each, which fit a byte: one more than there are.
#[inline(always)]
fn digits(below: u64) -> u64 {
    let twos = below - (below >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    ((fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F) + 0x0101_0101_0101_0101
}

/// The candidates of a cell by its value, all of an empty one and one of a given, in the lanes 0, 1 and 2. Lane 3 holds
/// all digits.
static CANDIDATES: [[u64; 16]; 3] = {
    let mut lanes = [[0; 16]; 3];
    let mut value = 0;
    while value < 10 {
        let candidates = if value == 0 { ALL as u64 } else { 1 << (value - 1) };
        lanes[0][value] = candidates;
        lanes[1][value] = candidates << 16;
        lanes[2][value] = candidates << 32 | (ALL as u64) << 48;
        value += 1;
    }
    lanes
};

/// The index in reading order of the cell at a place in the first box of a band.
const fn first_cell(band: usize, place: usize) -> usize {
    (3 * band + place / 3) * 9 + place % 3
}
