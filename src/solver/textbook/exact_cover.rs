//! Knuth's Algorithm X with dancing links ("Dancing Links", 2000).
//!
//! Sudoku as an exact cover: a row is a candidate (a digit in a cell), a column is one of 324 demands that exactly one
//! chosen row meets: each cell has a digit, and each row, column and box has each digit. The search takes the column
//! with the fewest rows, the first one on a tie, and tries its rows in order. Covering a column unlinks it and every
//! row that meets it; the unlinked nodes keep their own links, so backtracking puts them back in reverse.
//!
//! Columns come in the order cells, then rows, columns and boxes each with their digits ascending; rows come by cell and
//! digit. The givens' rows are chosen before the search and are no nodes.

use std::ops::ControlFlow;

use super::super::{End, progress::Progress};
use crate::puzzle::{Cell, Digit, Grid, Puzzle};

const COLUMNS: usize = 324;
/// Node 0 is the root, nodes 1 to 324 are the column heads, then come four nodes a candidate.
const NODES: usize = 1 + COLUMNS + 4 * 729;

struct Links {
    left: [u16; NODES],
    right: [u16; NODES],
    up: [u16; NODES],
    down: [u16; NODES],
    /// The column head of each node.
    head: [u16; NODES],
    /// How many rows each column has, by its head.
    size: [u16; 1 + COLUMNS],
}

/// The column heads that a candidate meets: its cell, and its digit in the cell's row, column and box.
fn columns(cell: Cell, digit: Digit) -> [u16; 4] {
    let [row, column, block] =
        cell.houses().map(|house| 1 + 81 + 9 * house.index() as u16 + u16::from(digit.get()) - 1);
    [1 + cell.index() as u16, row, column, block]
}

/// The first of a candidate's four nodes.
fn first_node(cell: Cell, digit: Digit) -> u16 {
    (1 + COLUMNS + 4 * (9 * cell.index() + usize::from(digit.get()) - 1)) as u16
}

/// The candidate that a node belongs to.
fn candidate(node: u16) -> Option<(Cell, Digit)> {
    let row = (usize::from(node) - 1 - COLUMNS) / 4;
    Some((Cell::from_index(row / 9)?, Digit::new((row % 9) as u8 + 1)?))
}

impl Links {
    fn new() -> Links {
        let mut links = Links {
            left: [0; NODES],
            right: [0; NODES],
            up: [0; NODES],
            down: [0; NODES],
            head: [0; NODES],
            size: [0; 1 + COLUMNS],
        };
        for head in 0..=COLUMNS {
            links.left[head] = if head == 0 { COLUMNS } else { head - 1 } as u16;
            links.right[head] = if head == COLUMNS { 0 } else { head + 1 } as u16;
            (links.up[head], links.down[head], links.head[head]) = (head as u16, head as u16, head as u16);
        }
        for cell in Cell::all() {
            for digit in Digit::all() {
                let first = first_node(cell, digit);
                for (k, head) in (0..).zip(columns(cell, digit)) {
                    let (node, last) = (first + k, links.up[usize::from(head)]);
                    links.head[usize::from(node)] = head;
                    links.up[usize::from(node)] = last;
                    links.down[usize::from(node)] = head;
                    links.down[usize::from(last)] = node;
                    links.up[usize::from(head)] = node;
                    links.left[usize::from(node)] = first + (k + 3) % 4;
                    links.right[usize::from(node)] = first + (k + 1) % 4;
                    links.size[usize::from(head)] += 1;
                }
            }
        }
        links
    }

    /// Takes a column out, and from the other columns every row that meets it.
    fn cover(&mut self, head: u16) {
        let (left, right) = (self.left[usize::from(head)], self.right[usize::from(head)]);
        self.right[usize::from(left)] = right;
        self.left[usize::from(right)] = left;
        let mut row = self.down[usize::from(head)];
        while row != head {
            let mut node = self.right[usize::from(row)];
            while node != row {
                let (up, down) = (self.up[usize::from(node)], self.down[usize::from(node)]);
                self.down[usize::from(up)] = down;
                self.up[usize::from(down)] = up;
                self.size[usize::from(self.head[usize::from(node)])] -= 1;
                node = self.right[usize::from(node)];
            }
            row = self.down[usize::from(row)];
        }
    }

    /// Undoes [`Links::cover`], in the reverse order.
    fn uncover(&mut self, head: u16) {
        let mut row = self.up[usize::from(head)];
        while row != head {
            let mut node = self.left[usize::from(row)];
            while node != row {
                self.size[usize::from(self.head[usize::from(node)])] += 1;
                let (up, down) = (self.up[usize::from(node)], self.down[usize::from(node)]);
                self.down[usize::from(up)] = node;
                self.up[usize::from(down)] = node;
                node = self.left[usize::from(node)];
            }
            row = self.up[usize::from(row)];
        }
        let (left, right) = (self.left[usize::from(head)], self.right[usize::from(head)]);
        self.right[usize::from(left)] = head;
        self.left[usize::from(right)] = head;
    }

    /// The column with the fewest rows, the first one on a tie; none when all are covered.
    fn smallest_column(&self) -> Option<u16> {
        let mut best = None;
        let mut head = self.right[0];
        while head != 0 {
            let size = self.size[usize::from(head)];
            if best.is_none_or(|(_, fewest)| size < fewest) {
                best = Some((head, size));
            }
            head = self.right[usize::from(head)];
        }
        best.map(|(head, _)| head)
    }
}

/// Searches a puzzle without cages whose givens do not clash.
pub(in super::super) fn search(puzzle: &Puzzle, progress: &mut Progress) -> ControlFlow<End> {
    let mut links = Box::new(Links::new());
    for (cell, digit) in puzzle.givens().filled() {
        columns(cell, digit).into_iter().for_each(|head| links.cover(head));
    }
    cover_all(&mut links, &mut puzzle.givens().clone(), progress)
}

fn cover_all(links: &mut Links, chosen: &mut Grid, progress: &mut Progress) -> ControlFlow<End> {
    let Some(head) = links.smallest_column() else {
        return progress.found(chosen.clone());
    };
    links.cover(head);
    let mut row = links.down[usize::from(head)];
    while row != head {
        progress.enter()?;
        if let Some((cell, digit)) = candidate(row) {
            chosen.set(cell, Some(digit));
        }
        let mut node = links.right[usize::from(row)];
        while node != row {
            links.cover(links.head[usize::from(node)]);
            node = links.right[usize::from(node)];
        }
        cover_all(links, chosen, progress)?;
        node = links.left[usize::from(row)];
        while node != row {
            links.uncover(links.head[usize::from(node)]);
            node = links.left[usize::from(node)];
        }
        row = links.down[usize::from(row)];
    }
    links.uncover(head);
    ControlFlow::Continue(())
}
