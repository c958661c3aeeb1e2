//! The **rule of 45**: a house adds up to 45, so the cages of a region tell what a few odd cells add up to.
//!
//! A region is a union of rows, of columns or of boxes. Take its total (45 a house) and the cages chosen to cover it:
//! the cells of the region that they leave out (*innies*) less the cells that they have outside (*outies*) add up to
//! the total less the cages' sums. Four choices of the cages that cross the border are tried for each region: none of
//! them (innies alone), all (outies, and innies where no cage is), those with more than half of their cells inside,
//! and with these the ones that are halved too. What has few cells is kept as a sum.
//!
//! Cells that are known at the root are taken out first, which is why this waits until propagation is quiet: many sums
//! are shorter by then, many are gone, and most boards are solved. Regions are read off bit sets of cages: those that
//! touch the region and nothing else lie inside, those that touch the rest too cross the border.

use super::{
    derived::AWAKE,
    digits::SUM,
    layout::{CELL, Cells, HOUSES, slots},
    model::{Kind, Model, QUEUE, Sum},
    propagate::Contradiction,
    state::State,
};

/// Rows, columns or boxes.
const KINDS: usize = 3;

/// A region: nine bits for the houses of one kind.
struct Region {
    kind: usize,
    houses: u16,
}

/// How far to look for sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// The 27 houses, sums of up to four cells.
    Houses,
    /// Houses, runs of rows and of columns, groups of boxes; sums of up to six cells.
    Regions,
}

impl Reach {
    const fn longest(self) -> u32 {
        match self {
            Reach::Houses => 4,
            Reach::Regions => 6,
        }
    }
}

/// The most cells of a *hidden cage* (a derived sum of cells that all see each other) that may be open for it to run.
const AWAKE_CAGE: u8 = 6;

const fn region(kind: usize, houses: u16) -> Region {
    Region { kind, houses }
}

/// The 27 houses, then the larger regions. Of two regions that make up the board only one is needed: the smaller.
static REGIONS: [Region; REGION_COUNT] = {
    let mut regions = [const { region(0, 0) }; REGION_COUNT];
    let mut count = 0;
    while count < 27 {
        regions[count] = region(count / 9, 1 << (count % 9));
        count += 1;
    }
    let mut len = 2;
    while len < 9 {
        let mut start = 0;
        while start + len <= 9 {
            let at_edge = start == 0 || start + len == 9;
            if len < 5 || !at_edge {
                let houses = ((1 << len) - 1) << start;
                regions[count] = region(0, houses);
                regions[count + 1] = region(1, houses);
                count += 2;
            }
            start += 1;
        }
        len += 1;
    }
    // Boxes b, b + 1, b + 3, b + 4: neighbours, then three of the four, then all.
    let mut at = 0;
    while at < 9 {
        let (right, below) = (at % 3 < 2, at < 6);
        if right {
            regions[count] = region(2, 0b11 << at);
            count += 1;
        }
        if below {
            regions[count] = region(2, 0b1001 << at);
            count += 1;
        }
        if right && below {
            let square = 0b11011 << at;
            let without = [0, 1 << at, 2 << at, 8 << at, 16 << at];
            let mut i = 0;
            while i < 5 {
                regions[count] = region(2, square & !without[i]);
                count += 1;
                i += 1;
            }
        }
        at += 1;
    }
    assert!(count == REGION_COUNT);
    regions
};

const REGION_COUNT: usize = 27 + 2 * 27 + 12 + 20;

/// A sum of cells, some of them negative.
#[derive(Clone, Copy)]
struct Found {
    positive: Cells,
    negative: Cells,
    total: i16,
}

impl Found {
    #[inline(always)]
    const fn len(&self) -> u32 {
        self.positive.count_ones() + self.negative.count_ones()
    }
}

/// The open cells of a cage, and what they add up to.
#[derive(Clone, Copy)]
struct Part {
    cells: Cells,
    total: i16,
}

/// The board as the rule of 45 sees it.
struct Parts {
    parts: Vec<Part>,
    /// The cells of all of them.
    covered: Cells,
    /// The parts that touch each house, by kind.
    touching: [[u128; 9]; KINDS],
    /// The open cells of each house, and what they add up to.
    open: [[Cells; 9]; KINDS],
    total: [[i16; 9]; KINDS],
}

impl Parts {
    /// The cages with a sum that do not overlap, smallest first.
    #[inline(always)]
    fn of(model: &Model, state: &State) -> Parts {
        let mut parts = Parts {
            parts: Vec::with_capacity(81),
            covered: 0,
            touching: [[0; 9]; KINDS],
            open: [[0; 9]; KINDS],
            total: [[45; 9]; KINDS],
        };
        for (house, cells) in HOUSES.iter().enumerate() {
            parts.open[house / 9][house % 9] = cells & state.unsolved;
            for slot in slots(cells & !state.unsolved) {
                parts.total[house / 9][house % 9] -= digit(state, slot);
            }
        }
        for sum in model.sums[..model.cages].iter().chain(&model.overflow) {
            if sum.kind != Kind::Cage || sum.cells & parts.covered != 0 {
                continue;
            }
            parts.covered |= sum.cells;
            let cells = sum.cells & state.unsolved;
            if cells == 0 {
                continue;
            }
            let known = slots(sum.cells & !cells).map(|slot| digit(state, slot)).sum::<i16>();
            let this = 1 << parts.parts.len();
            parts.parts.push(Part { cells, total: sum.total - known });
            for slot in slots(cells) {
                let houses = super::layout::HOUSES_OF[usize::from(slot)];
                for (kind, house) in houses.into_iter().enumerate() {
                    parts.touching[kind][usize::from(house) % 9] |= this;
                }
            }
        }
        parts
    }

    /// Tells `found` what the rule says about a region.
    #[inline(always)]
    fn search(
        &self,
        region: &Region,
        longest: u32,
        mut found: impl FnMut(Found) -> Result<(), Contradiction>,
    ) -> Result<(), Contradiction> {
        let (mut open, mut total, mut touching, mut elsewhere) = (0, 0, 0, 0);
        for house in 0..9 {
            if region.houses >> house & 1 == 1 {
                open |= self.open[region.kind][house];
                total += self.total[region.kind][house];
                touching |= self.touching[region.kind][house];
            } else {
                elsewhere |= self.touching[region.kind][house];
            }
        }
        let mut cover = Part { cells: 0, total: 0 };
        for part in self.iter(touching & !elsewhere) {
            cover.add(part);
        }
        if (open & !cover.cells & !self.covered).count_ones() > longest {
            return Ok(());
        }
        let nothing = Part { cells: 0, total: 0 };
        let (mut more, mut halved, mut less) = (nothing, nothing, nothing);
        for part in self.iter(touching & elsewhere) {
            let inside = (part.cells & open).count_ones();
            match (2 * inside).cmp(&part.cells.count_ones()) {
                std::cmp::Ordering::Greater => more.add(part),
                std::cmp::Ordering::Equal => halved.add(part),
                std::cmp::Ordering::Less => less.add(part),
            }
        }
        let mut offer = |cover: Part| {
            let sum =
                Found { positive: open & !cover.cells, negative: cover.cells & !open, total: total - cover.total };
            if sum.len() <= longest { found(sum) } else { Ok(()) }
        };
        offer(cover)?;
        if more.cells != 0 {
            cover.add(&more);
            offer(cover)?;
        }
        if halved.cells != 0 {
            cover.add(&halved);
            offer(cover)?;
        }
        if less.cells != 0 {
            cover.add(&less);
            offer(cover)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn iter(&self, mut set: u128) -> impl Iterator<Item = &Part> {
        std::iter::from_fn(move || {
            if set == 0 {
                return None;
            }
            let part = &self.parts[set.trailing_zeros() as usize];
            set &= set - 1;
            Some(part)
        })
    }
}

impl Part {
    #[inline(always)]
    fn add(&mut self, other: &Part) {
        self.cells |= other.cells;
        self.total += other.total;
    }
}

fn digit(state: &State, slot: u8) -> i16 {
    SUM[usize::from(state.get(slot) & 0x1FF)].into()
}

/// The sums found so far, each set of cells once.
struct Sums {
    list: Vec<Found>,
    /// Where in the list each sum is, plus one, by a hash of its cells.
    places: [u16; 1024],
}

impl Sums {
    fn new() -> Sums {
        Sums { list: Vec::with_capacity(256), places: [0; 1024] }
    }

    /// Takes a sum in. `Contradiction` where the same cells have another total already.
    #[inline(always)]
    fn insert(&mut self, mut sum: Found) -> Result<(), Contradiction> {
        // Of the two ways to write it, the one in which the first cell is positive.
        let all = sum.positive | sum.negative;
        if sum.negative & all & all.wrapping_neg() != 0 {
            sum = Found { positive: sum.negative, negative: sum.positive, total: -sum.total };
        }
        let mixed = (sum.positive ^ sum.negative.rotate_left(61)) as u64 ^ (sum.positive >> 64) as u64;
        let mixed = mixed ^ ((sum.negative >> 64) as u64).rotate_left(17) ^ (sum.negative as u64).rotate_left(41);
        let mut place = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
        while self.places[place] != 0 {
            let other = &self.list[usize::from(self.places[place]) - 1];
            if (other.positive, other.negative) == (sum.positive, sum.negative) {
                return if other.total == sum.total { Ok(()) } else { Err(Contradiction) };
            }
            place = (place + 1) % 1024;
        }
        self.list.push(sum);
        self.places[place] = self.list.len() as u16;
        Ok(())
    }
}

impl Model {
    /// Replaces the derived sums by those that the open cells of a state give. `Contradiction` where one cannot be met.
    #[inline(always)]
    pub(super) fn derive(&mut self, reach: Reach, state: &mut State) -> Result<(), Contradiction> {
        self.forget_derived(state);
        let parts = Parts::of(self, state);
        let regions = match reach {
            Reach::Houses => &REGIONS[..27],
            Reach::Regions => &REGIONS[..],
        };
        let mut sums = Sums::new();
        for region in regions {
            parts.search(region, reach.longest(), |sum| match sum.len() {
                0 if sum.total == 0 => Ok(()),
                0 => Err(Contradiction),
                _ => sums.insert(sum),
            })?;
        }
        self.look();
        for len in 1..=reach.longest() {
            for sum in sums.list.iter().filter(|sum| sum.len() == len) {
                if self.sums.len() < QUEUE {
                    self.add_derived(sum, state);
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn add_derived(&mut self, found: &Found, state: &mut State) {
        let signed = found.positive != 0 && found.negative != 0;
        let all = found.positive | found.negative;
        let sees_all = |slot: u8| all & !self.sees[usize::from(slot)] == CELL[usize::from(slot)];
        if !signed && (1..=45).contains(&found.total.abs()) && slots(all).all(sees_all) {
            let mut cage = Sum::new(Kind::Cage, slots(all), found.total.abs(), 0);
            self.cross_houses(&mut cage);
            self.push(cage, AWAKE_CAGE, state);
            return;
        }
        let negative = slots(all)
            .enumerate()
            .fold(0, |negative, (i, slot)| negative | u16::from(found.negative & CELL[usize::from(slot)] != 0) << i);
        self.push(Sum::new(Kind::Derived, slots(all), found.total, negative), AWAKE, state);
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            arch::plain::Plain,
            layout::{ALL_DIGITS, SLOT},
            propagate::Verdict,
        },
        *,
    };
    use crate::puzzle::{Cell, Grid, Puzzle};

    /// A digit for every cell of a solved board.
    fn pattern(cell: usize) -> u8 {
        let (r, c) = (cell / 9, cell % 9);
        ((r * 3 + r / 3 + c) % 9 + 1) as u8
    }

    /// The state and its model once all sums are derived; `Err` where the rule finds a contradiction.
    fn derived(cages: &[&[usize]], reach: Reach, off: u8) -> Result<(Model, State), Contradiction> {
        let cages = cages.iter().enumerate().map(|(i, cells)| {
            let sum = cells.iter().map(|&cell| pattern(cell)).sum::<u8>() + if i == 0 { off } else { 0 };
            crate::puzzle::Cage::new(cells.iter().map(|&cell| Cell::from_index(cell).unwrap()).collect(), Some(sum))
                .unwrap()
        });
        let mut state = State::new();
        let mut model = Model::new(&Puzzle::new(Grid::EMPTY, cages.collect()), &mut state);
        assert_eq!(model.propagate::<Plain>(&mut state, model.all()), Verdict::Quiet);
        model.derive(reach, &mut state)?;
        assert_eq!(model.propagate::<Plain>(&mut state, model.all()), Verdict::Quiet);
        Ok((model, state))
    }

    #[test]
    fn an_innie_is_found() {
        // Row 1 but for its last cell.
        let (_, state) = derived(&[&[0, 1, 2, 3], &[4, 5, 6, 7]], Reach::Houses, 0).ok().unwrap();
        assert_eq!(state.get(SLOT[8]), 1 << (pattern(8) - 1));
    }

    #[test]
    fn an_outie_is_found() {
        // Row 1 and one cell more, below its last one.
        let (_, state) = derived(&[&[0, 1, 2, 3], &[4, 5, 6, 7], &[8, 17]], Reach::Houses, 0).ok().unwrap();
        assert_eq!(state.get(SLOT[17]), 1 << (pattern(17) - 1));
    }

    #[test]
    fn a_difference_is_found() {
        // Row 1 without its last cell, and one more: their difference is known.
        let (model, state) = derived(&[&[0, 2, 4, 6], &[1, 3, 5, 7, 15]], Reach::Houses, 0).ok().unwrap();
        let sum = model.sums.iter().find(|sum| sum.kind == Kind::Derived && sum.len == 2).unwrap();
        assert_eq!(i32::from(sum.total).abs(), (i32::from(pattern(8)) - i32::from(pattern(15))).abs());
        assert_ne!(state.get(SLOT[8]), ALL_DIGITS, "it prunes");
    }

    #[test]
    fn runs_of_rows_and_groups_of_boxes_are_regions() {
        // Rows 1 and 2 in cages that each reach into both, but for the last cell of row 2: one row alone says little.
        let rows: [&[usize]; 5] = [&[0, 1, 9, 10], &[2, 3, 11, 12], &[4, 5, 13, 14], &[6, 7, 15, 16], &[8]];
        assert_ne!(derived(&rows, Reach::Houses, 0).ok().unwrap().1.get(SLOT[17]).count_ones(), 1);
        assert_eq!(derived(&rows, Reach::Regions, 0).ok().unwrap().1.get(SLOT[17]), 1 << (pattern(17) - 1));
        let counts = [0, 1, 2].map(|kind| REGIONS.iter().filter(|region| region.kind == kind).count());
        assert_eq!(counts, [36, 36, 41]);
    }

    #[test]
    fn a_hidden_cage_is_a_cage() {
        // Five cells of row 1 in a cage: the other four are one too.
        let (model, _) = derived(&[&[0, 1, 2, 3, 4]], Reach::Houses, 0).ok().unwrap();
        let hidden = model.sums[model.cages..].iter().find(|sum| sum.len == 4).unwrap();
        let rest = (5..9).map(|cell| i16::from(pattern(cell))).sum::<i16>();
        assert_eq!((hidden.kind, hidden.total), (Kind::Cage, rest));
    }

    #[test]
    fn sums_that_contradict_the_rule_need_no_search() {
        let row: [&[usize]; 2] = [&[0, 2, 4, 6], &[1, 3, 5, 7, 8]];
        assert!(derived(&row, Reach::Houses, 0).is_ok());
        assert!(derived(&row, Reach::Houses, 1).is_err());
    }

    #[test]
    fn a_loose_sum_sleeps() {
        let (model, state) = derived(&[&[0, 9, 18, 27], &[1, 10], &[3, 12, 21]], Reach::Regions, 0).ok().unwrap();
        for index in model.cages..model.sums.len() {
            let limit = if model.sums[index].kind == Kind::Cage { AWAKE_CAGE } else { AWAKE };
            assert_eq!(model.limits[index], limit);
            assert_eq!(u32::from(state.open[index]), (model.sums[index].cells & state.unsolved).count_ones());
        }
        assert!(model.sums.iter().any(|sum| sum.kind == Kind::Derived && sum.len > AWAKE));
    }
}
