//! Digits, and sets of digits as nine bits.

use std::fmt;

/// A digit, 1 to 9.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digit(u8);

impl Digit {
    /// The digit with this value; `None` outside 1 to 9.
    pub const fn new(value: u8) -> Option<Digit> {
        if 1 <= value && value <= 9 { Some(Digit(value)) } else { None }
    }

    /// Its value, 1 to 9.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The nine digits, ascending.
    pub fn all() -> impl Iterator<Item = Digit> + Clone {
        (1..=9).map(Digit)
    }
}

impl fmt::Display for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of digits: bit d - 1 stands for digit d.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DigitSet(u16);

impl DigitSet {
    /// No digit.
    pub const EMPTY: DigitSet = DigitSet(0);
    /// All nine digits.
    pub const ALL: DigitSet = DigitSet(0x1FF);

    /// The set with these bits (bit d - 1 for digit d); higher bits are dropped.
    pub const fn from_bits(bits: u16) -> DigitSet {
        DigitSet(bits & 0x1FF)
    }

    /// Bit d - 1 for each digit d in the set.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether no digit is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many digits are in it, 0 to 9.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether this digit is in it.
    pub const fn contains(self, digit: Digit) -> bool {
        self.0 >> (digit.0 - 1) & 1 == 1
    }

    /// Puts a digit in.
    pub const fn insert(&mut self, digit: Digit) {
        self.0 |= 1 << (digit.0 - 1);
    }

    /// Takes a digit out.
    pub const fn remove(&mut self, digit: Digit) {
        self.0 &= !(1 << (digit.0 - 1));
    }

    /// The digits that are in neither set's complement: in both.
    pub const fn intersection(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & other.0)
    }

    /// The digits that are in one of them or in both.
    pub const fn union(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 | other.0)
    }

    /// The digits that are in this set and not in the other.
    pub const fn without(self, other: DigitSet) -> DigitSet {
        DigitSet(self.0 & !other.0)
    }

    /// The digits that are not in it.
    pub const fn complement(self) -> DigitSet {
        DigitSet(!self.0 & 0x1FF)
    }

    /// The smallest digit in it.
    pub const fn first(self) -> Option<Digit> {
        if self.0 == 0 { None } else { Some(Digit(self.0.trailing_zeros() as u8 + 1)) }
    }

    /// The digit, where the set holds exactly one.
    pub const fn single(self) -> Option<Digit> {
        if self.0.is_power_of_two() { self.first() } else { None }
    }

    /// Whether `count` distinct digits of this set add up to `sum`.
    pub fn makes(self, count: usize, sum: u8) -> bool {
        count <= 9 && sum <= 45 && SUMS[self.0 as usize][count] >> sum & 1 == 1
    }

    /// Its digits, ascending.
    pub fn iter(self) -> impl Iterator<Item = Digit> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let digit = DigitSet(rest).first()?;
            rest &= rest - 1;
            Some(digit)
        })
    }
}

impl From<Digit> for DigitSet {
    fn from(digit: Digit) -> DigitSet {
        DigitSet(1 << (digit.0 - 1))
    }
}

impl FromIterator<Digit> for DigitSet {
    fn from_iter<I: IntoIterator<Item = Digit>>(digits: I) -> DigitSet {
        let mut set = DigitSet::EMPTY;
        digits.into_iter().for_each(|digit| set.insert(digit));
        set
    }
}

impl fmt::Debug for DigitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Bit s of `SUMS[set][k]`: some k distinct digits of the set add up to s (0 to 45).
static SUMS: [[u64; 10]; 512] = {
    let mut sums = [[0; 10]; 512];
    sums[0][0] = 1;
    let mut set = 1;
    while set < 512 {
        // The subsets without the lowest digit, and those with it.
        let digit = (set as u16).trailing_zeros() + 1;
        let rest = set & (set - 1);
        sums[set][0] = 1;
        let mut count = 1;
        while count < 10 {
            sums[set][count] = sums[rest][count] | sums[rest][count - 1] << digit;
            count += 1;
        }
        set += 1;
    }
    sums
};

#[cfg(test)]
mod tests {
    use super::*;

    fn set(digits: &[u8]) -> DigitSet {
        digits.iter().map(|&d| Digit::new(d).unwrap()).collect()
    }

    #[test]
    fn a_digit_is_one_to_nine() {
        assert_eq!(Digit::new(0), None);
        assert_eq!(Digit::new(10), None);
        assert_eq!(Digit::all().map(Digit::get).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn sets_do_what_sets_do() {
        let mut odd = set(&[1, 3, 5, 7, 9]);
        assert_eq!(odd.len(), 5);
        assert_eq!(odd.complement(), set(&[2, 4, 6, 8]));
        assert_eq!(odd.intersection(set(&[1, 2, 3])), set(&[1, 3]));
        assert_eq!(odd.without(set(&[1, 2, 3])), set(&[5, 7, 9]));
        odd.remove(Digit(1));
        assert_eq!(odd.first(), Digit::new(3));
        assert_eq!(odd.single(), None);
        assert_eq!(set(&[4]).single(), Digit::new(4));
        assert_eq!(DigitSet::EMPTY.first(), None);
    }

    #[test]
    fn sums_agree_with_trying_every_subset() {
        for bits in [0, 1, 0b1_0101_0101, 0b0_1110_0111, 0x1FF] {
            let all = DigitSet::from_bits(bits);
            for count in 0..=10 {
                for sum in 0..=60 {
                    let tried = (0..512u16).map(DigitSet::from_bits).any(|subset| {
                        subset.without(all).is_empty()
                            && subset.len() as usize == count
                            && subset.iter().map(|d| u32::from(d.get())).sum::<u32>() == u32::from(sum)
                    });
                    assert_eq!(all.makes(count, sum), tried, "{all:?}: {count} digits, sum {sum}");
                }
            }
        }
    }
}
