//! What is known of a column's values chunk by chunk, side by side.
//!
//! To look at each of ten thousand chunks takes longer than a device takes to go over one of its columns, so least and greatest
//! values are arrays, which a condition is compared with at once. Where every chunk meets an interval, which is so wherever values lie
//! in no order, two numbers tell.

use super::Chunk;
use std::sync::Arc;

/// What is known of a column in each chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zones {
    /// Least and greatest values; where there is no value, or nothing is known, the least is above the greatest.
    lows: Vec<i64>,
    highs: Vec<i64>,
    /// Chunks that have values of which nothing is known, and chunks that may have NULLs; empty if there are none.
    unknown: Vec<bool>,
    nullable: Vec<bool>,
    /// The largest of `lows` and the smallest of `highs`.
    last_low: i64,
    first_high: i64,
}

/// Some of the chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// Each of them.
    All,
    /// None of them.
    None,
    /// Those for which it is true.
    Some(Vec<bool>),
}

/// Intervals from which on each chunk is searched for them.
const INTERVALS_SEARCHED: usize = 8;

impl Zones {
    /// Of chunks whose columns are here.
    pub fn of(chunks: &[Arc<Chunk>], position: usize) -> Self {
        let mut zones = Zones { last_low: i64::MIN, first_high: i64::MAX, ..Zones::default() };
        for chunk in chunks {
            let range = chunk.ranges.get(position).copied().flatten();
            zones.push(chunk.rows, range, chunk.null_count(position));
        }
        zones.finish();
        zones
    }

    /// Adds a chunk of so many rows, with the range of its values and the number of NULLs, if these are known.
    fn push(&mut self, rows: usize, range: Option<(i64, i64)>, nulls: Option<usize>) {
        let has_values = nulls.is_none_or(|nulls| nulls < rows);
        let (low, high) = range.filter(|_| has_values).unwrap_or((i64::MAX, i64::MIN));
        self.lows.push(low);
        self.highs.push(high);
        self.unknown.push(has_values && range.is_none());
        self.nullable.push(nulls != Some(0));
        self.last_low = self.last_low.max(low);
        self.first_high = self.first_high.min(high);
    }

    fn finish(&mut self) {
        for some in [&mut self.unknown, &mut self.nullable] {
            if !some.contains(&true) {
                *some = Vec::new();
            }
        }
    }

    /// Chunks that may have NULLs.
    pub fn nullable(&self) -> Chosen {
        if self.nullable.is_empty() { Chosen::None } else { Chosen::Some(self.nullable.clone()) }
    }

    /// Chunks that may have a value in one of some intervals, which are in order, and apart.
    pub fn meeting(&self, intervals: &[(i128, i128)]) -> Chosen {
        let (Some(&(first, _)), Some(&(_, last))) = (intervals.first(), intervals.last()) else { return Chosen::None };
        let own: Vec<(i64, i64)> = intervals.iter().filter_map(|&interval| clamped(interval)).collect();
        let has_each_values = self.first_high > i64::MIN || self.last_low < i64::MAX;
        if has_each_values
            && self.unknown.is_empty()
            && own.iter().any(|&(low, high)| self.last_low <= high && self.first_high >= low)
        {
            return Chosen::All;
        }
        let mut met = match self.unknown.is_empty() {
            true => vec![false; self.lows.len()],
            false => self.unknown.clone(),
        };
        let each = met.iter_mut().zip(self.lows.iter().zip(&self.highs));
        if own.len() < INTERVALS_SEARCHED {
            for (met, (&least, &greatest)) in each {
                // All are looked at, so that nothing depends on how a comparison ends.
                let meets = |any, &(low, high): &(i64, i64)| any | ((least <= high) & (greatest >= low));
                *met |= (least <= greatest) & own.iter().fold(false, meets);
            }
        } else {
            for (met, (&least, &greatest)) in each.filter(|(_, (least, greatest))| least <= greatest) {
                let reached = i128::from(greatest) >= first && i128::from(least) <= last;
                *met |= reached && {
                    let at = own.partition_point(|&(_, high)| high < least);
                    own.get(at).is_some_and(|&(low, _)| low <= greatest)
                };
            }
        }
        Chosen::Some(met)
    }

    /// Chunks that may have a value outside of an interval.
    pub fn reaching_out(&self, (low, high): (i128, i128)) -> Chosen {
        let mut out = match self.unknown.is_empty() {
            true => vec![false; self.lows.len()],
            false => self.unknown.clone(),
        };
        let (low, high) = (in_range(low), in_range(high));
        for (out, (&least, &greatest)) in out.iter_mut().zip(self.lows.iter().zip(&self.highs)) {
            *out |= (least < low) | (greatest > high);
        }
        Chosen::Some(out)
    }
}

/// The values of 64 bits in an interval.
fn clamped((low, high): (i128, i128)) -> Option<(i64, i64)> {
    let is_there = low <= high && low <= i64::MAX.into() && high >= i64::MIN.into();
    is_there.then(|| (in_range(low), in_range(high)))
}

fn in_range(value: i128) -> i64 {
    value.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl Chosen {
    /// Those of both.
    #[must_use]
    pub fn and(self, other: Chosen) -> Chosen {
        self.with(other, |one, other| *one &= other)
    }

    /// Those of one or the other.
    #[must_use]
    pub fn or(self, other: Chosen) -> Chosen {
        match (self, other) {
            (Chosen::All, _) | (_, Chosen::All) => Chosen::All,
            (Chosen::None, other) | (other, Chosen::None) => other,
            (one, other) => one.with(other, |one, other| *one |= other),
        }
    }

    fn with(self, other: Chosen, each: impl Fn(&mut bool, bool)) -> Chosen {
        match (self, other) {
            (Chosen::None, _) | (_, Chosen::None) => Chosen::None,
            (Chosen::All, other) | (other, Chosen::All) => other,
            (Chosen::Some(mut one), Chosen::Some(other)) => {
                one.iter_mut().zip(other).for_each(|(one, other)| each(one, other));
                Chosen::Some(one)
            }
        }
    }

    /// Whether a chunk is one of them.
    pub fn has(&self, number: usize) -> bool {
        match self {
            Chosen::All => true,
            Chosen::None => false,
            Chosen::Some(are) => are[number],
        }
    }

    /// Whether it is each of them.
    pub fn is_all(&self) -> bool {
        match self {
            Chosen::All => true,
            Chosen::None => false,
            Chosen::Some(are) => !are.contains(&false),
        }
    }

    /// Whether it is none of them.
    pub fn is_none(&self) -> bool {
        match self {
            Chosen::All => false,
            Chosen::None => true,
            Chosen::Some(are) => !are.contains(&true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows, range and NULLs of a chunk.
    type Known = (usize, Option<(i64, i64)>, Option<usize>);

    fn zones(of: &[Known]) -> Zones {
        let mut zones = Zones { last_low: i64::MIN, first_high: i64::MAX, ..Zones::default() };
        of.iter().for_each(|&(rows, range, nulls)| zones.push(rows, range, nulls));
        zones.finish();
        zones
    }

    fn chosen(of: &Chosen, count: usize) -> Vec<usize> {
        (0..count).filter(|&number| of.has(number)).collect()
    }

    #[test]
    fn values_that_are_known_and_such_that_are_not() {
        let of = [
            (5, Some((0, 9)), Some(0)),
            (5, Some((10, 19)), Some(2)),
            // Only NULLs, no rows, values of which nothing is known, and nothing at all.
            (5, Some((0, 0)), Some(5)),
            (0, None, Some(0)),
            (5, None, Some(0)),
            (5, None, None),
            (5, Some((i64::MIN, i64::MAX)), None),
        ];
        let zones = zones(&of);
        let meeting = |intervals: &[(i128, i128)]| chosen(&zones.meeting(intervals), of.len());
        assert!(meeting(&[]).is_empty());
        assert_eq!(meeting(&[(0, 9)]), [0, 4, 5, 6]);
        assert_eq!(meeting(&[(-4, 0), (19, 19)]), [0, 1, 4, 5, 6]);
        assert_eq!(meeting(&[(20, i128::MAX)]), [4, 5, 6]);
        assert_eq!(meeting(&[(i128::MIN, i128::MAX)]), [0, 1, 4, 5, 6]);
        // Values of more than 64 bits are known of nobody.
        assert_eq!(meeting(&[(i128::from(i64::MAX) + 1, i128::MAX)]), [4, 5]);
        let many: Vec<(i128, i128)> = (0..20).map(|at| (at * 10 + 9, at * 10 + 9)).collect();
        assert_eq!(meeting(&many), [0, 1, 4, 5, 6]);
        assert_eq!(meeting(&many[2..]), [4, 5, 6]);
        assert_eq!(chosen(&zones.nullable(), of.len()), [1, 2, 5, 6]);
        assert_eq!(chosen(&zones.reaching_out((0, 18)), of.len()), [1, 4, 5, 6]);
    }

    #[test]
    fn two_numbers_tell() {
        let of = [(5, Some((0, 9)), Some(0)), (5, Some((5, 19)), Some(4))];
        let zones = zones(&of);
        assert_eq!(zones.meeting(&[(5, 9)]), Chosen::All);
        assert_eq!(zones.meeting(&[(-5, -4), (9, 9)]), Chosen::All);
        assert_eq!(zones.meeting(&[(4, 4)]), Chosen::Some(vec![true, false]));
        assert_eq!(zones.meeting(&[(10, 30)]), Chosen::Some(vec![false, true]));
        let with_none = self::zones(&[(5, Some((0, 9)), Some(0)), (5, None, Some(5))]);
        assert_eq!(with_none.meeting(&[(i128::MIN, i128::MAX)]), Chosen::Some(vec![true, false]));
    }

    #[test]
    fn both_and_either() {
        let some = |are: [bool; 4]| Chosen::Some(are.to_vec());
        let (a, b) = (some([false, false, true, true]), some([false, true, false, true]));
        assert_eq!(a.clone().and(b.clone()), some([false, false, false, true]));
        assert_eq!(a.clone().or(b), some([false, true, true, true]));
        assert_eq!(a.clone().and(Chosen::All), a);
        assert_eq!(a.clone().or(Chosen::None), a);
        assert_eq!(a.clone().and(Chosen::None), Chosen::None);
        assert_eq!(a.clone().or(Chosen::All), Chosen::All);
        assert!(some([true; 4]).is_all() && !a.is_all() && !a.is_none() && some([false; 4]).is_none());
    }
}
