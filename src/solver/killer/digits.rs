//! Fixed tables about sets of digits, as nine bits: bit d - 1 for digit d.

/// What the digits of each set add up to.
pub(super) static SUM: [u8; 512] = {
    let mut sums = [0; 512];
    let mut set = 1;
    while set < 512 {
        sums[set] = sums[set & (set - 1)] + (set.trailing_zeros() + 1) as u8;
        set += 1;
    }
    sums
};

/// Each set with every digit d replaced by 10 - d.
pub(super) static REFLECTED: [u16; 512] = {
    let mut sets = [0; 512];
    let mut set = 0;
    while set < 512 {
        sets[set] = (set as u16).reverse_bits() >> 7;
        set += 1;
    }
    sets
};

/// A lane of [`COMBINATIONS`] without a combination.
pub(super) const NO_COMBINATION: u16 = 0xFFFF;

/// The sets of `k` digits that add up to `s`, at `[k][s]`: at most twelve for any `k` and `s`, so that sixteen lanes
/// hold them all.
pub(super) static COMBINATIONS: [[[u16; 16]; 46]; 10] = {
    let mut table = [[[NO_COMBINATION; 16]; 46]; 10];
    let mut count = [[0; 46]; 10];
    let mut set = 0;
    while set < 512 {
        let (k, s) = ((set as u16).count_ones() as usize, SUM[set] as usize);
        table[k][s][count[k][s]] = set as u16;
        count[k][s] += 1;
        set += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_lanes_hold_all_combinations() {
        let count = |list: &[u16; 16]| list.iter().filter(|&&set| set != NO_COMBINATION).count();
        let counts: Vec<usize> = COMBINATIONS.iter().flatten().map(count).collect();
        assert_eq!((counts.iter().sum::<usize>(), counts.iter().max()), (512, Some(&12)));
        assert_eq!(COMBINATIONS[2][4][..2], [0b101, NO_COMBINATION], "1 and 3");
        assert_eq!(REFLECTED[0b11], 0b1_1000_0000);
    }
}
