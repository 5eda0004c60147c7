//! Parts of one reduction whose keys are strings of several dictionaries, by codes of one that has the strings of all.

use super::PartialGroups;
use super::keys::Keys;
use super::order::Order;
use crate::column::Dictionary;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Codes that a layout may have: arrays over them are made.
const CODES_MAX: u64 = 1 << 31;

/// A layout that has the keys of all of these, which differ in dictionaries alone; None if they do in more.
pub(crate) fn unified(layouts: &[&KeyLayout]) -> Option<KeyLayout> {
    let first = layouts.first()?;
    if layouts.iter().any(|layout| layout.parts.len() != first.parts.len()) {
        return None;
    }
    let domain = |part: usize| {
        let mut all = layouts.iter().map(|layout| &layout.parts[part].domain);
        match &first.parts[part].domain {
            PartDomain::Integer(mine) => {
                let is_same = |other: &PartDomain| match other {
                    PartDomain::Integer(theirs) => {
                        (mine.low, mine.high, mine.step) == (theirs.low, theirs.high, theirs.step)
                    }
                    _ => false,
                };
                all.all(is_same).then_some(PartDomain::Integer(*mine))
            }
            PartDomain::Code(mine) => {
                let dictionaries = all.map(dictionary).collect::<Option<Vec<&Arc<Dictionary>>>>()?;
                if dictionaries.iter().all(|&theirs| Arc::ptr_eq(mine, theirs) || mine == theirs) {
                    return Some(PartDomain::Code(Arc::clone(mine)));
                }
                let strings: BTreeSet<&str> = dictionaries.iter().flat_map(|dictionary| dictionary.iter()).collect();
                Some(PartDomain::Code(Arc::new(Dictionary::new(strings))))
            }
            _ => None,
        }
    };
    let layout = KeyLayout::new((0..first.parts.len()).map(domain).collect::<Option<_>>()?);
    layout.codes().is_some_and(|codes| codes <= CODES_MAX).then_some(layout)
}

fn dictionary(of: &PartDomain) -> Option<&Arc<Dictionary>> {
    if let PartDomain::Code(dictionary) = of { Some(dictionary) } else { None }
}

/// What a part's codes become.
type Codes = Vec<Option<Vec<u64>>>;

/// Of each part of a key what its codes become in another layout; none of those that stay.
fn codes(from: &KeyLayout, to: &KeyLayout) -> Option<Codes> {
    let of = |(from, to): (&PartDomain, &PartDomain)| match (from, to) {
        (PartDomain::Code(from), PartDomain::Code(to)) => {
            let code = |text: &str| Some(u64::from(to.find(text.as_bytes()).ok()?) + 1);
            // NULL stays what it is.
            let codes = std::iter::once(Some(0)).chain(from.iter().map(code));
            codes.collect::<Option<Vec<u64>>>().map(Some)
        }
        _ => Some(None),
    };
    from.parts.iter().zip(&to.parts).map(|(from, to)| of((&from.domain, &to.domain))).collect()
}

/// A code of one layout in another one.
fn code(code: u64, (from, to): (&KeyLayout, &KeyLayout), codes: &Codes) -> Option<u64> {
    let mut all = 0;
    for (at, part) in from.parts.iter().enumerate() {
        let mask = from.end(at).map_or(u64::MAX, |end| (1 << (end - part.shift)) - 1);
        let own = code >> part.shift & mask;
        let own = match &codes[at] {
            Some(codes) => *codes.get(own as usize)?,
            None => own,
        };
        all |= own << to.parts[at].shift;
    }
    Some(all)
}

/// Parts that can be merged, of such as differ in dictionaries alone; None of others.
pub(crate) fn unify(parts: &[PartialGroups]) -> Option<Vec<PartialGroups>> {
    let layouts = parts.iter().map(|part| part.keys.layout()).collect::<Option<Vec<&KeyLayout>>>()?;
    let to = unified(&layouts)?;
    let one = |part: &PartialGroups| {
        let from = part.keys.layout()?;
        let (all, groups) = (codes(from, &to)?, part.keys.occupied());
        let own = |group: u32| match &part.keys {
            Keys::Numbered { base, .. } => Some(u64::from(*base) + u64::from(group)),
            Keys::Set { .. } => Some(group.into()),
            Keys::Listed { codes, .. } => Some(codes[group as usize]),
            Keys::One | Keys::Hashed { .. } => None,
        };
        let found = groups.iter().map(|&group| code(own(group)?, (from, &to), &all)).collect::<Option<Vec<u64>>>()?;
        let keys = match &part.keys {
            Keys::Set { .. } => {
                let mut words = vec![0; to.codes()? as usize / 64 + 1];
                found.iter().for_each(|&code| words[code as usize / 64] |= 1 << (code % 64));
                Keys::Set { layout: to.clone(), words }
            }
            // Strings are in order, and so are codes as they were.
            _ => Keys::Listed { layout: to.clone(), codes: found },
        };
        let is_by_code = matches!(part.order, Order::Codes);
        let states = part.states.iter().map(|state| state.take(&groups)).collect();
        is_by_code.then_some(PartialGroups { keys, order: Order::Codes, states })
    };
    parts.iter().map(one).collect()
}
