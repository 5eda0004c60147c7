//! Sets of the inputs, semi and anti joins of a cluster of joins, by number: words of bits.
//!
//! How many words is a parameter of the type: nearly all clusters fit in one, and the search that goes over all of
//! their subsets works on registers then.

/// A set of numbers below `64 * WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> InputSet<WORDS> {
    /// The set of nothing.
    pub(super) const EMPTY: Self = InputSet([0; WORDS]);

    /// How many numbers there are.
    pub(super) const CAPACITY: usize = 64 * WORDS;

    /// The set of one number.
    pub(super) fn of(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// The set whose first 64 numbers these bits are.
    pub(super) fn of_bits(bits: u64) -> Self {
        let mut set = Self::EMPTY;
        set.0[0] = bits;
        set
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// How many it holds.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The least that it holds.
    pub(super) fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
        self
    }

    /// What it holds that the other one does not.
    pub(super) fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
        self
    }

    /// Whether they have one in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Whether the other one holds all of it.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::InputSet;

    #[test]
    fn sets_of_several_words() {
        let mut set = InputSet::<3>::of(5);
        set.insert(64);
        set.insert(191);
        assert!(set.contains(191) && set.contains(64) && !set.contains(63));
        assert_eq!((set.len(), set.first()), (3, Some(5)));
        let rest = set.without(&InputSet::of_bits(1 << 5));
        assert_eq!((rest.len(), rest.first()), (2, Some(64)));
        assert!(rest.is_within(&set) && !set.is_within(&rest) && rest.meets(&set));
        assert!(!rest.meets(&InputSet::of(5)) && rest.union(&InputSet::of(5)) == set);
        assert!(InputSet::<3>::EMPTY.is_empty() && InputSet::<3>::EMPTY.first().is_none());
    }
}
