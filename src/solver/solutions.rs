//! The solutions that a search found.

use std::ops::Deref;

use crate::puzzle::Grid;

/// Solutions, as a slice of grids. Up to two, all that a proof of uniqueness needs, cost no allocation.
#[derive(Clone)]
pub struct Solutions {
    few: [Grid; 2],
    /// How many of `few` are solutions; none once they have moved to `many`.
    len: usize,
    many: Vec<Grid>,
}

impl Solutions {
    /// No solution yet.
    pub const fn new() -> Solutions {
        Solutions { few: [Grid::EMPTY, Grid::EMPTY], len: 0, many: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, grid: Grid) {
        if self.many.is_empty() && self.len < 2 {
            self.few[self.len] = grid;
            self.len += 1;
        } else {
            self.push_to_many(grid);
        }
    }

    #[cold]
    fn push_to_many(&mut self, grid: Grid) {
        self.many.extend_from_slice(&self.few[..self.len]);
        self.len = 0;
        self.many.push(grid);
    }
}

impl Default for Solutions {
    fn default() -> Solutions {
        Solutions::new()
    }
}

impl Deref for Solutions {
    type Target = [Grid];

    fn deref(&self) -> &[Grid] {
        if self.many.is_empty() { &self.few[..self.len] } else { &self.many }
    }
}

impl std::fmt::Debug for Solutions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_keeps_its_order() {
        let mut solutions = Solutions::new();
        let mut expected = Vec::new();
        for n in 1..=5u8 {
            let grid = Grid::from_values([n; 81]).unwrap();
            solutions.push(grid.clone());
            expected.push(grid);
            assert_eq!(solutions[..], expected[..]);
        }
    }
}
