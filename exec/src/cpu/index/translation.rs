//! Translation of another dictionary's codes to the groups of an index: once enough tuples have probed it, each string is
//! looked up once, and a tuple costs the read of an array.

use super::super::vector::{Vector, VectorData};
use crate::column::Dictionary;
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::vector::rows::NO_GROUP;
use crate::plan::key_layout::{KeyLayout, PartDomain, PartLayout};
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::workers::context::Reservation;
use multiloop_planner::value::Value;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// What the strings of dictionaries find, by part of the key.
#[derive(Debug, Default)]
pub(crate) struct Translations {
    known: Mutex<Vec<Translation>>,
}

#[derive(Debug)]
struct Translation {
    part: usize,
    from: Arc<Dictionary>,
    /// Tuples that have asked before it was made.
    asked: usize,
    made: Option<Arc<[u32]>>,
    reservation: Reservation,
}

/// Dictionaries that are remembered, at most: chunks may have one each.
const KNOWN_MAX: usize = 16;

/// How many strings can be merged with those of another dictionary, which is to read both, in the time in which one is searched
/// for.
const MERGED: usize = 16;

/// How many strings can be looked up in a hash table, in their order, in the time that one takes where it lies anywhere.
const FOUND: usize = 2;

impl Translations {
    /// What `make` gives for a dictionary, if so many tuples have asked that it pays and there is memory for it: it reads
    /// `strings`, `price` of them in the time in which one tuple is looked up.
    fn of(
        &self,
        (part, from): (usize, &Arc<Dictionary>),
        tuples: usize,
        (strings, price): (usize, usize),
        reservation: &Reservation,
        make: impl FnOnce() -> Vec<u32>,
    ) -> Option<Arc<[u32]>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|known| known.part == part && Arc::ptr_eq(&known.from, from));
        let at = at.unwrap_or_else(|| {
            if known.len() == KNOWN_MAX {
                known.remove(0);
            }
            let (from, reservation) = (Arc::clone(from), reservation.fork());
            known.push(Translation { part, from, asked: 0, made: None, reservation });
            known.len() - 1
        });
        let translation = &mut known[at];
        if translation.made.is_none() {
            translation.asked += tuples;
            // Others wait for it: it costs about as much as what they would do in the meantime.
            if translation.asked * price >= strings && translation.reservation.add(from.len() * 4).is_ok() {
                translation.made = Some(make().into());
            }
        }
        translation.made.clone()
    }

    /// A part of a key as codes of the index's own dictionary; none if it is so already, or not worth it. Strings that the
    /// index does not have are the code behind the last, which lies outside of the domain.
    pub(crate) fn translated(
        &self,
        (part, domain): (usize, &PartDomain),
        vector: &Vector,
        reservation: &Reservation,
    ) -> Option<Vector> {
        let PartDomain::Code(own) = domain else { return None };
        let VectorData::Code { codes, dictionary } = &vector.data else { return None };
        if vector.constant || Arc::ptr_eq(own, dictionary) || !Technique::Translation.is_on() {
            return None;
        }
        let to =
            self.of((part, dictionary), codes.len(), (dictionary.len() + own.len(), MERGED), reservation, || {
                merge(dictionary, own)
            })?;
        let codes = codes.iter().map(|&code| to.get(code as usize).copied().unwrap_or(0)).collect();
        let data = VectorData::Code { codes, dictionary: Arc::clone(own) };
        Some(Vector { data, nulls: vector.nulls.clone(), len: vector.len, constant: false })
    }

    /// The groups of keys that are one string of any kind, if they come from a dictionary and it is worth it. `find` gives
    /// the groups of keys.
    pub(crate) fn groups(
        &self,
        layout: &KeyLayout,
        key: KeyPartValues<'_>,
        reservation: &Reservation,
        find: impl Fn(&Codes) -> Vec<u32>,
    ) -> Option<Vec<u32>> {
        let PartValues::Vector(vector) = key.values else { return None };
        let VectorData::Code { codes, dictionary } = &vector.data else { return None };
        let is_text = matches!(&layout.parts[..], [PartLayout { domain: PartDomain::Text | PartDomain::Short(_), .. }]);
        if !is_text || vector.constant || !Technique::Translation.is_on() {
            return None;
        }
        let find_strings = |strings: &Vector| {
            let mut codes = Codes::default();
            let part = KeyPartValues { values: PartValues::Vector(strings), null_matches: true };
            codes.encode(layout, &[part], strings.len);
            find(&codes)
        };
        let to = self.of((0, dictionary), codes.len(), (dictionary.len(), FOUND), reservation, || {
            let mut strings = Vector::default();
            let codes = (0..dictionary.len() as u32).collect();
            strings.set(dictionary.len(), VectorData::Code { codes, dictionary: Arc::clone(dictionary) }, None);
            find_strings(&strings)
        })?;
        let group = |code: u32| to.get(code as usize).copied().unwrap_or(NO_GROUP);
        let mut groups: Vec<u32> = codes.iter().map(|&code| group(code)).collect();
        if vector.nulls.is_some() {
            let mut null = NO_GROUP;
            if key.null_matches {
                let mut strings = Vector::default();
                strings.set_values(&[Value::Null], Register::Text);
                null = find_strings(&strings).first().copied().unwrap_or(null);
            }
            (0..groups.len()).filter(|&tuple| vector.is_null(tuple)).for_each(|tuple| groups[tuple] = null);
        }
        Some(groups)
    }
}

/// For each string of a dictionary its code in another, or the one behind the last.
fn merge(from: &Dictionary, own: &Dictionary) -> Vec<u32> {
    let missing = own.len() as u32;
    let mut next = 0;
    let code = |text: &str| {
        while next < missing {
            match own.get(next).as_bytes().cmp(text.as_bytes()) {
                Ordering::Less => next += 1,
                Ordering::Equal => return next,
                Ordering::Greater => return missing,
            }
        }
        missing
    };
    from.iter().map(code).collect()
}
