//! Prefixed: keys of several parts, of which one alone nearly tells them apart (a part and its suppliers). An array
//! over that part's codes gives a short run of keys, which is searched from one end to the other.

use super::key::KeyLayout;
use super::table::NO_GROUP;
use crate::technique::Technique;

/// Keys in a run, at most.
const RUN_MAX: u32 = 16;

/// Distinct keys in the order of one of their parts.
#[derive(Debug)]
pub(crate) struct Prefixed {
    /// How to take the part out of a code.
    mask: u64,
    shift: u32,
    /// For each code of the part where its run starts; one more for the end.
    starts: Vec<u32>,
    keys: Vec<u64>,
}

impl Prefixed {
    /// Orders keys; gives the order (`order[i]` is the row that becomes row i). None if the keys are not distinct, or
    /// no part suits.
    pub(crate) fn build(layout: &KeyLayout, codes: &[u64]) -> Option<(Self, Vec<u32>)> {
        if layout.parts.len() < 2 || layout.codes().is_none() || !Technique::Prefixed.is_on() {
            return None;
        }
        let suits = |&part: &usize| {
            let count = layout.parts[part].domain.codes();
            count.is_some_and(|count| count <= codes.len() as u128 * 4 && count * 8 >= codes.len() as u128)
        };
        let part = (0..layout.parts.len()).filter(suits).max_by_key(|&part| layout.parts[part].domain.codes())?;
        let shift = layout.parts[part].shift;
        let mask = layout.parts.get(part + 1).map_or(u64::MAX, |next| (1 << next.shift) - 1);
        let count = usize::try_from(layout.parts[part].domain.codes()?).ok()?;
        let own = |code: u64| ((code & mask) >> shift) as usize;
        let mut starts = vec![0u32; count + 1];
        codes.iter().for_each(|&code| starts[own(code) + 1] += 1);
        if starts.iter().any(|&length| length > RUN_MAX) {
            return None;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; codes.len()];
        for (row, &code) in codes.iter().enumerate() {
            let place = &mut next[own(code)];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        for run in starts.windows(2) {
            let run = &mut order[run[0] as usize..run[1] as usize];
            run.sort_unstable_by_key(|&row| codes[row as usize]);
            if run.windows(2).any(|pair| codes[pair[0] as usize] == codes[pair[1] as usize]) {
                return None;
            }
        }
        let keys = order.iter().map(|&row| codes[row as usize]).collect();
        Some((Prefixed { mask, shift, starts, keys }, order))
    }

    /// The position of a key, [`NO_GROUP`] if it is not there.
    #[inline]
    pub(crate) fn group(&self, code: u64) -> u32 {
        let own = ((code & self.mask) >> self.shift) as usize;
        let Some(run) = self.starts.get(own..own + 2) else { return NO_GROUP };
        let found = self.keys[run[0] as usize..run[1] as usize].iter().position(|&key| key == code);
        found.map_or(NO_GROUP, |at| run[0] + at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::PartDomain;
    use super::*;

    fn layout(high: i128) -> KeyLayout {
        let part = |high| PartDomain::Integer { low: 1, high };
        KeyLayout::new(vec![part(high), part(1000)])
    }

    #[test]
    fn distinct_keys_are_found_and_others_are_not() {
        let layout = layout(100);
        let code = |a: u64, b: u64| a | (b << layout.parts[1].shift);
        let codes: Vec<u64> = (1..=100).flat_map(|a| [code(a, 7), code(a, 3 + a)]).rev().collect();
        let distinct: std::collections::BTreeSet<u64> = codes.iter().copied().collect();
        assert!(Prefixed::build(&layout, &codes).is_none(), "4 + 3 is 7");
        let codes: Vec<u64> = distinct.into_iter().rev().collect();
        let (prefixed, order) = Prefixed::build(&layout, &codes).expect("the first part suits");
        for (group, &row) in order.iter().enumerate() {
            assert_eq!(prefixed.group(codes[row as usize]), group as u32);
        }
        for absent in [code(1, 8), code(100, 1000), 0, code(101, 7)] {
            assert_eq!(prefixed.group(absent), NO_GROUP);
        }
    }

    #[test]
    fn long_runs_and_wide_parts_do_not_suit() {
        let layout = layout(1);
        let codes: Vec<u64> = (1..=100).map(|b| 1 | (b << layout.parts[1].shift)).collect();
        assert!(Prefixed::build(&layout, &codes).is_none());
        assert!(Prefixed::build(&layout, &[]).is_none());
    }
}
