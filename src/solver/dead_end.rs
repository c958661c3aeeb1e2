//! Why a board without a clash has no solution, as far as a person can follow.
//!
//! A plain routine, run once a search has proved that there is no solution, so its answer is the same for every
//! algorithm. It keeps the simplest of candidates (a digit that no placed digit of the cell's houses or cages excludes)
//! and looks for a place where they contradict the rules. Where there is none it places a single and looks again:
//! the first naked single in reading order, else the first hidden single by house and digit. Where no single is left it
//! gives up: what then shows the contradiction is the search itself.

use super::Stop;
use crate::puzzle::{Cage, Cell, Digit, DigitSet, Grid, House, Puzzle};

/// A contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadEndKind {
    /// The cell has no candidate.
    Cell(Cell),
    /// The house has no place for the digit.
    Digit(House, Digit),
    /// No distinct digits, one from each cell's candidates, make the sum of the cage (by its place in the list, from 0).
    CageSum(usize),
    /// The cages inside the house leave cells over that cannot make what is missing to 45.
    HouseSum(House),
}

/// Where a board contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeadEnd {
    /// What contradicts what.
    pub kind: DeadEndKind,
    /// How many singles had to be placed before it showed.
    pub placed: usize,
}

/// Looks for a dead end of a puzzle that has no solution and no clash. `None` where singles alone do not lead to one,
/// or where it is told to stop.
pub fn dead_end(puzzle: &Puzzle, stop: &Stop) -> Option<DeadEnd> {
    let mut board = Board::new(puzzle);
    let mut placed = 0;
    loop {
        let kind = board.contradiction().or_else(|| if placed == 0 { house_sum(puzzle.cages()) } else { None });
        if let Some(kind) = kind {
            return Some(DeadEnd { kind, placed });
        }
        let (cell, digit) = board.naked_single().or_else(|| board.hidden_single())?;
        if stop.is_set() {
            return None;
        }
        board.place(cell, digit);
        placed += 1;
    }
}

struct Board<'a> {
    cages: &'a [Cage],
    cages_of: Vec<Vec<usize>>,
    grid: Grid,
    /// The candidates of the open cells; for a filled cell its digit.
    candidates: [DigitSet; 81],
    /// The cages whose candidates have changed since they were last found able to make their sum.
    changed: Vec<bool>,
}

impl Board<'_> {
    fn new(puzzle: &Puzzle) -> Board<'_> {
        let cages = puzzle.cages();
        let mut cages_of = vec![Vec::new(); 81];
        for (index, cage) in cages.iter().enumerate() {
            cage.cells().iter().for_each(|cell| cages_of[cell.index()].push(index));
        }
        let changed = vec![true; cages.len()];
        let mut board = Board { cages, cages_of, grid: Grid::EMPTY, candidates: [DigitSet::ALL; 81], changed };
        puzzle.givens().filled().for_each(|(cell, digit)| board.place(cell, digit));
        board
    }

    fn open(&self) -> impl Iterator<Item = Cell> {
        Cell::all().filter(|&cell| self.grid.get(cell).is_none())
    }

    fn place(&mut self, cell: Cell, digit: Digit) {
        self.grid.set(cell, Some(digit));
        self.narrow(cell, DigitSet::ALL.without(digit.into()));
        for house in cell.houses() {
            house.cells().iter().filter(|&&mate| mate != cell).for_each(|&mate| self.narrow(mate, digit.into()));
        }
        for index in self.cages_of[cell.index()].clone() {
            let mates = self.cages[index].cells();
            mates.iter().filter(|&&mate| mate != cell).for_each(|&mate| self.narrow(mate, digit.into()));
        }
    }

    /// Takes digits from the candidates of a cell. A filled cell loses none: without a clash, nothing excludes it.
    fn narrow(&mut self, cell: Cell, digits: DigitSet) {
        let candidates = &mut self.candidates[cell.index()];
        if !candidates.intersection(digits).is_empty() {
            *candidates = candidates.without(digits);
            self.cages_of[cell.index()].iter().for_each(|&index| self.changed[index] = true);
        }
    }

    fn contradiction(&mut self) -> Option<DeadEndKind> {
        let empty = self.open().find(|cell| self.candidates[cell.index()].is_empty());
        empty.map(DeadEndKind::Cell).or_else(|| self.digit_without_place()).or_else(|| self.cage_sum())
    }

    fn digit_without_place(&self) -> Option<DeadEndKind> {
        House::all().find_map(|house| {
            let places = house.cells().iter().map(|cell| self.candidates[cell.index()]);
            let missing = places.fold(DigitSet::EMPTY, DigitSet::union).complement();
            missing.first().map(|digit| DeadEndKind::Digit(house, digit))
        })
    }

    fn cage_sum(&mut self) -> Option<DeadEndKind> {
        for index in 0..self.cages.len() {
            if std::mem::take(&mut self.changed[index]) && !can_make_sum(&self.cages[index], &self.candidates) {
                return Some(DeadEndKind::CageSum(index));
            }
        }
        None
    }

    fn naked_single(&self) -> Option<(Cell, Digit)> {
        self.open().find_map(|cell| Some((cell, self.candidates[cell.index()].single()?)))
    }

    fn hidden_single(&self) -> Option<(Cell, Digit)> {
        House::all().find_map(|house| {
            let (mut once, mut twice) = (DigitSet::EMPTY, DigitSet::EMPTY);
            for cell in house.cells() {
                let candidates = self.candidates[cell.index()];
                twice = twice.union(once.intersection(candidates));
                once = once.union(candidates);
            }
            let holds = |digit| move |cell: &&Cell| self.candidates[cell.index()].contains(digit);
            let single = |digit| house.cells().iter().find(holds(digit)).map(|&cell| (cell, digit));
            let open = |&(cell, _): &(Cell, Digit)| self.grid.get(cell).is_none();
            once.without(twice).iter().filter_map(single).find(open)
        })
    }
}

/// Whether distinct digits, one from each cell's candidates, make the cage's sum. Goes through the cells and keeps which
/// sets of digits they can hold: bit s of `sets` for the set with the bits s.
fn can_make_sum(cage: &Cage, candidates: &[DigitSet; 81]) -> bool {
    let Some(sum) = cage.sum() else { return true };
    let mut sets = DigitSets::only_empty();
    for cell in cage.cells() {
        sets = sets.with_one_of(candidates[cell.index()]);
    }
    sets.any_makes(sum)
}

/// A set of sets of digits, as 512 bits.
#[derive(Clone, Copy)]
struct DigitSets([u64; 8]);

impl DigitSets {
    const fn only_empty() -> DigitSets {
        DigitSets([1, 0, 0, 0, 0, 0, 0, 0])
    }

    /// Each set with each of these digits that it does not hold yet.
    fn with_one_of(self, digits: DigitSet) -> DigitSets {
        /// Within 64 sets, those without digit d, for d up to 6.
        const WITHOUT: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0F0F_0F0F_0F0F_0F0F,
            0x00FF_00FF_00FF_00FF,
            0x0000_FFFF_0000_FFFF,
            0x0000_0000_FFFF_FFFF,
        ];
        let mut next = [0; 8];
        for digit in digits.iter().map(|digit| usize::from(digit.get()) - 1) {
            for (word, sets) in self.0.into_iter().enumerate() {
                match WITHOUT.get(digit) {
                    Some(without) => next[word] |= (sets & without) << (1 << digit),
                    None if word >> (digit - 6) & 1 == 0 => next[word | 1 << (digit - 6)] |= sets,
                    None => {}
                }
            }
        }
        DigitSets(next)
    }

    fn any_makes(self, sum: u8) -> bool {
        let held = |set: &u16| self.0[usize::from(*set) / 64] >> (set % 64) & 1 == 1;
        let total = |set: u16| DigitSet::from_bits(set).iter().map(Digit::get).sum::<u8>();
        (0..512).filter(held).any(|set| total(set) == sum)
    }
}

/// The rule of 45: a house adds up to 45, so the cells outside of the cages that lie wholly inside it make the rest.
fn house_sum(cages: &[Cage]) -> Option<DeadEndKind> {
    let breaks_rule = |house: &House| {
        let mut left: Vec<Cell> = house.cells().to_vec();
        let mut rest = 45u8;
        for cage in cages {
            let Some(sum) = cage.sum() else { continue };
            if cage.cells().iter().all(|cell| left.contains(cell)) {
                left.retain(|cell| !cage.cells().contains(cell));
                match rest.checked_sub(sum) {
                    Some(less) => rest = less,
                    None => return true,
                }
            }
        }
        !DigitSet::ALL.makes(left.len(), rest)
    };
    House::all().find(breaks_rule).map(DeadEndKind::HouseSum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::HouseKind;

    fn find(line: &str, cages: &[(&str, u8)]) -> Option<DeadEnd> {
        let cages = cages.iter().map(|(names, sum)| {
            Cage::new(names.split_whitespace().map(|name| name.parse().unwrap()).collect(), Some(*sum)).unwrap()
        });
        let puzzle = Puzzle::new(format!("{line:.<81}").parse().unwrap(), cages.collect());
        assert_eq!(puzzle.conflicts(), []);
        dead_end(&puzzle, &Stop::never())
    }

    fn cell(name: &str) -> Cell {
        name.parse().unwrap()
    }

    fn house(kind: HouseKind, number: u8) -> House {
        House::all().find(|house| (house.kind(), house.number()) == (kind, number)).unwrap()
    }

    #[test]
    fn a_cell_without_a_candidate() {
        let found = find("12345678..........9", &[]);
        assert_eq!(found, None, "r1c9 can still be 9");
        let found = find(&format!("12345678.{:.<17}9", ""), &[]).unwrap();
        assert_eq!(found, DeadEnd { kind: DeadEndKind::Cell(cell("r1c9")), placed: 0 });
    }

    #[test]
    fn a_cage_excludes_as_a_house_does() {
        // r1c9 can only be 9, and the cage that it shares with the 9 of r5c5 forbids it.
        let line = format!("12345678.{:.<27}....9", "");
        let found = find(&line, &[("r5c5 r1c9", 10)]).unwrap();
        assert_eq!(found, DeadEnd { kind: DeadEndKind::Cell(cell("r1c9")), placed: 0 });
    }

    #[test]
    fn a_digit_without_a_place() {
        let line = "....41....6.....2...2......32.6.........5..417.......2......23..48......5.1..2...";
        let found = find(line, &[]).unwrap();
        assert_eq!(found.kind, DeadEndKind::Digit(house(HouseKind::Column, 5), Digit::new(2).unwrap()));
        assert_eq!(found.placed, 0);
    }

    #[test]
    fn a_cage_that_cannot_make_its_sum() {
        // 3 is 1 + 2, and both cells have lost the 1.
        let found = find(&format!("...1{:.<30}", ""), &[("r1c1 r1c2", 3)]).unwrap();
        assert_eq!(found, DeadEnd { kind: DeadEndKind::CageSum(0), placed: 0 });
        // 1 and 2 are possible in both cells and the sum is right; that they are distinct leaves it possible.
        assert_eq!(find("", &[("r1c1 r1c2", 3)]), None);
    }

    #[test]
    fn a_house_that_breaks_the_rule_of_45() {
        let row = |first, second| [("r1c1 r1c2 r1c3 r1c4", first), ("r1c5 r1c6 r1c7 r1c8", second), ("r1c9 r2c9", 14)];
        assert_eq!(find("", &row(30, 10)), None, "r1c9 is 5");
        let row_1 = DeadEnd { kind: DeadEndKind::HouseSum(house(HouseKind::Row, 1)), placed: 0 };
        assert_eq!(find("", &row(10, 20)), Some(row_1), "r1c9 would be 15");
        assert_eq!(find("", &row(30, 20)), Some(row_1), "r1c9 would be -5");
        let greedy = [("r1c1 r1c2", 3), ("r1c2 r1c3", 4), ("r1c3 r1c4", 17), ("r1c5 r1c6 r1c7 r1c8", 30)];
        assert_eq!(find("", &greedy), Some(row_1), "the second overlaps the first, and 3 + 17 + 30 is too much");
    }

    #[test]
    fn a_cell_without_a_candidate_deep_in_the_board() {
        let line = "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
        let found = find(line, &[]).unwrap();
        assert_eq!(found, DeadEnd { kind: DeadEndKind::Cell(cell("r5c1")), placed: 0 });
    }

    #[test]
    fn each_kind_of_single_is_placed_before_it_shows() {
        let cases = [
            (
                "95..1.38.824...5.1.......424.5372.1.........81..5..9.....6.7....7..4.86..4..2.1..",
                DeadEndKind::Cell(cell("r4c9")),
                1,
                "one naked single",
            ),
            (
                ".5..1.3...2473.59...18..7..4....2...7...9....1..5.8.7.5...87..3.73..4.6.6........",
                DeadEndKind::Cell(cell("r2c6")),
                3,
                "three naked singles, the later ones made by the first",
            ),
            (
                "95.21.....2.73.....6...........7..137.64....5..25.8.7.........................157",
                DeadEndKind::Digit(house(HouseKind::Box, 5), Digit::new(3).unwrap()),
                1,
                "one hidden single",
            ),
            (
                ".57.1..8.82.............74.49....61.7.......5..........1....426....45....4892315.",
                DeadEndKind::Digit(house(HouseKind::Row, 8), Digit::new(6).unwrap()),
                3,
                "a hidden single once no naked one is left",
            ),
        ];
        for (line, kind, placed, what) in cases {
            assert_eq!(find(line, &[]), Some(DeadEnd { kind, placed }), "{what}");
        }
    }

    #[test]
    fn the_set_machine_agrees_with_trying_all() {
        let mut sets = DigitSets::only_empty();
        let cells = [0b1_0000_0011, 0b1_1000_0001, 0b0_0100_0010].map(DigitSet::from_bits);
        cells.iter().for_each(|&cell| sets = sets.with_one_of(cell));
        for sum in 0..=45 {
            let tried = cells[0].iter().any(|a| {
                cells[1]
                    .iter()
                    .any(|b| cells[2].iter().any(|c| a != b && b != c && a != c && a.get() + b.get() + c.get() == sum))
            });
            assert_eq!(sets.any_makes(sum), tried, "{sum}");
        }
    }
}
