//! Keys of one string: hashed and compared where they lie, and no more often than a dictionary has strings.

use super::super::vector::{TextVector, Vector, VectorData};
use crate::column::Dictionary;
use crate::cpu::keys::part_values::{KeyPartValues, PartValues};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::BuilderData;
use crate::cpu::vector::rows::NO_GROUP;
use crate::partial::byte_keys::NULL;
use std::sync::Arc;

/// The strings of some tuples.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextKeys {
    strings: Strings,
    /// Which are not NULL; none if all are.
    valid: Option<Bitmap>,
}

#[derive(Clone, Debug)]
enum Strings {
    Views(TextVector),
    Codes { codes: Vec<u32>, dictionary: Arc<Dictionary> },
}

impl Default for Strings {
    fn default() -> Self {
        Strings::Views(TextVector::default())
    }
}

/// Strings of a dictionary, and the places of tuples among them.
pub(crate) struct Distinct<'k> {
    keys: &'k TextKeys,
    dictionary: &'k Dictionary,
    /// Codes that tuples have, in the order in which they come; NULL is behind the last.
    met: Vec<u32>,
    /// For each tuple its place in `met`.
    places: Vec<u32>,
}

impl TextKeys {
    /// Takes the strings of `len` tuples.
    pub(crate) fn fill(&mut self, values: KeyPartValues<'_>, len: usize) {
        self.valid = values.may_be_null().then(|| {
            let mut valid = Bitmap::default();
            valid.fill(len, |tuple| !values.is_null(tuple));
            valid
        });
        match values.values {
            PartValues::Vector(Vector { data: VectorData::Code { codes, dictionary }, constant: false, .. }) => {
                self.set_codes(codes, dictionary);
            }
            PartValues::Vector(Vector { data: VectorData::Text(from), constant: false, .. }) => {
                self.views().copy_from(from);
            }
            PartValues::Vector(vector) => {
                let text = if vector.is_null(0) { "" } else { vector.text(0).unwrap_or("") };
                let texts = self.views();
                texts.clear();
                (0..len.min(1)).for_each(|_| texts.push(text));
                let view = texts.views().first().copied();
                texts.extend_views((1..len).filter_map(|_| view));
            }
            PartValues::ColumnBuilder(column) => match &column.data {
                BuilderData::Code { codes, dictionary } => self.set_codes(codes, dictionary),
                BuilderData::Text(text) => self.strings = Strings::Views(text.clone().into_vector()),
                // NULLs of no type.
                _ => {
                    let texts = self.views();
                    texts.clear();
                    (0..len).for_each(|_| texts.push(""));
                }
            },
        }
    }

    /// The memory for views.
    fn views(&mut self) -> &mut TextVector {
        if let Strings::Codes { .. } = self.strings {
            self.strings = Strings::default();
        }
        match &mut self.strings {
            Strings::Views(texts) => texts,
            Strings::Codes { .. } => unreachable!("replaced above"),
        }
    }

    fn set_codes(&mut self, from: &[u32], of: &Arc<Dictionary>) {
        match &mut self.strings {
            Strings::Codes { codes, dictionary } => {
                codes.clear();
                codes.extend_from_slice(from);
                dictionary.clone_from(of);
            }
            Strings::Views(_) => self.strings = Strings::Codes { codes: from.to_vec(), dictionary: Arc::clone(of) },
        }
    }

    fn is_null(&self, tuple: usize) -> bool {
        self.valid.as_ref().is_some_and(|valid| !valid.get(tuple))
    }

    /// The bytes of a key.
    #[inline]
    pub(crate) fn get(&self, tuple: usize) -> &[u8] {
        self.text(tuple).unwrap_or(NULL)
    }

    /// The bytes of a string; none of NULL.
    #[inline]
    pub(crate) fn text(&self, tuple: usize) -> Option<&[u8]> {
        if self.is_null(tuple) {
            return None;
        }
        Some(match &self.strings {
            Strings::Views(texts) => texts.bytes(tuple),
            Strings::Codes { codes, dictionary } => dictionary.bytes_of(codes[tuple]),
        })
    }

    /// The distinct ones, if a dictionary says which these are and has fewer strings than there are tuples.
    pub(crate) fn distinct(&self) -> Option<Distinct<'_>> {
        let Strings::Codes { codes, dictionary } = &self.strings else { return None };
        if dictionary.len() >= codes.len() {
            return None;
        }
        const UNMET: u32 = u32::MAX;
        let (mut met, mut places) = (Vec::new(), vec![UNMET; dictionary.len() + 1]);
        let place = |(tuple, &code): (usize, &u32)| {
            let code = if self.is_null(tuple) { dictionary.len() as u32 } else { code };
            let place = &mut places[code as usize];
            if *place == UNMET {
                *place = met.len() as u32;
                met.push(code);
            }
            *place
        };
        let places = codes.iter().enumerate().map(place).collect();
        Some(Distinct { keys: self, dictionary, met, places })
    }
}

impl Distinct<'_> {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.met.len()
    }

    /// The bytes of one of them.
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        debug_assert!(
            self.keys.valid.is_some() || (self.met[place] as usize) < self.dictionary.len(),
            "NULL, or a code"
        );
        if self.met[place] as usize == self.dictionary.len() { NULL } else { self.dictionary.bytes_of(self.met[place]) }
    }

    /// Makes the numbers of the distinct ones those of all tuples; [`NO_GROUP`] for those of `absent`.
    pub(crate) fn spread(&self, absent: Option<&[bool]>, numbers: &mut Vec<u32>) {
        let known = std::mem::take(numbers);
        let number = |(tuple, &place): (usize, &u32)| {
            if absent.is_some_and(|absent| absent[tuple]) { NO_GROUP } else { known[place as usize] }
        };
        numbers.extend(self.places.iter().enumerate().map(number));
    }
}
