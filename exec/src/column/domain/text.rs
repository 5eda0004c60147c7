//! Text as codes: columns with a large dictionary, and such as hold strings of a domain that there is. The values of their
//! domain are codes of a dictionary, each of its strings once: whoever looks a value up gets one, and can ask a string once.

use super::super::{CHUNK_ROWS, Column, ColumnData, Dictionary, compact_text};
use super::{Candidate, Coded, Domain, VALUES_MAX};
use crate::Result;
use crate::technique::Technique;
use crate::workers::context::Context;
use ::arrow::buffer::{Buffer, OffsetBuffer};
use std::borrow::Cow;
use std::sync::Arc;

/// A dictionary of so many strings is as good as a domain, and in the order of its strings.
const SMALL: usize = 1 << 16;

/// Bytes of memory that encoding takes for a row, beside what it gives.
const WORKING_BYTES: usize = 24;

/// No code yet.
const NONE: u32 = u32::MAX;

/// The strings of a domain.
pub(super) struct Strings {
    dictionary: Arc<Dictionary>,
    /// By code, which string of the dictionary.
    places: Vec<u32>,
}

impl Strings {
    /// Of a domain; none if it is one of something else, or of more strings than a dictionary may have.
    pub(super) fn of(domain: &Domain, context: &Context) -> Option<Self> {
        let columns: Vec<Column> = domain.table.chunks.iter().map(|chunk| chunk.columns[0].clone()).collect();
        if !columns.first()?.data.is_text() {
            return None;
        }
        Strings::of_columns(columns, context)
    }

    /// Of the values of a domain, of which appended ones may have dictionaries of their own.
    pub(super) fn of_columns(columns: Vec<Column>, context: &Context) -> Option<Self> {
        let columns = match one_dictionary(&columns) {
            Some(_) => columns,
            None => {
                let rows = columns.iter().map(Column::rows).sum();
                let shared =
                    compact_text::share(&columns.iter().collect::<Vec<_>>(), rows, &context.memory, context.workers())
                        .ok()
                        .flatten()?;
                shared.into_iter().map(|data| Column::new(data, None)).collect()
            }
        };
        let dictionary = Arc::clone(one_dictionary(&columns)?);
        let places = columns.iter().flat_map(|column| codes(column).into_owned()).collect();
        Some(Strings { dictionary, places })
    }

    /// The strings of codes.
    pub(super) fn decode(&self, numbers: &[i64], codes: &Column) -> ColumnData {
        let place = |(row, &code): (usize, &i64)| if codes.is_null(row) { 0 } else { self.places[code as usize] };
        Dictionary::encode(Arc::clone(&self.dictionary), numbers.iter().enumerate().map(place))
    }

    /// The code of each string of a dictionary, [`NONE`] of those that are not there.
    fn codes_of(&self, own: &Dictionary) -> Vec<u32> {
        let mut by_place = vec![NONE; self.dictionary.len()];
        self.places.iter().zip(0..).for_each(|(&place, code)| by_place[place as usize] = code);
        let mut near = 0;
        let code = |text: &str| match self.dictionary.find_near(text.as_bytes(), near) {
            Ok(place) => {
                near = place;
                by_place[place as usize]
            }
            Err(_) => NONE,
        };
        own.iter().map(code).collect()
    }

    /// These strings and behind them more, which are codes of another dictionary; none if they are too long together.
    fn and(&self, own: &Dictionary, more: &[u32]) -> Option<Strings> {
        let mut sorted = more.to_vec();
        sorted.sort_unstable();
        let mut new = sorted.into_iter().peekable();
        let mut all: Vec<&str> = Vec::with_capacity(self.dictionary.len() + more.len());
        let mut old_places: Vec<u32> = Vec::with_capacity(self.dictionary.len());
        let mut new_places = vec![0; own.len()];
        for old in self.dictionary.iter() {
            while let Some(code) = new.next_if(|&code| own.get(code) < old) {
                new_places[code as usize] = all.len() as u32;
                all.push(own.get(code));
            }
            // A dictionary may have strings that no row has.
            if let Some(code) = new.next_if(|&code| own.get(code) == old) {
                new_places[code as usize] = all.len() as u32;
            }
            old_places.push(all.len() as u32);
            all.push(old);
        }
        for code in new {
            new_places[code as usize] = all.len() as u32;
            all.push(own.get(code));
        }
        let bytes: usize = all.iter().map(|text| text.len()).sum();
        let old = self.places.iter().map(|&place| old_places[place as usize]);
        let places = old.chain(more.iter().map(|&code| new_places[code as usize])).collect();
        (bytes <= compact_text::DICTIONARY_BYTES_MAX)
            .then(|| Strings { dictionary: Arc::new(Dictionary::new(all)), places })
    }

    /// The values of a domain, a column for each [`CHUNK_ROWS`] of them.
    pub(super) fn columns(&self) -> Vec<Column> {
        let column = |places: &[u32]| {
            let data = Dictionary::encode(Arc::clone(&self.dictionary), places.iter().copied());
            Column::new(data, None)
        };
        self.places.chunks(CHUNK_ROWS).map(column).collect()
    }
}

/// Encodes a column if it gains by it.
pub(super) fn code(candidate: &Candidate<'_>, known: &[Domain], context: &Context) -> Result<Option<Coded>> {
    let dictionary = one_dictionary(&candidate.columns);
    let is_small = dictionary.is_some_and(|dictionary| dictionary.len() <= SMALL);
    if is_small || !Technique::Dictionaries.is_on() {
        return Ok(None);
    }
    let shared = shared(candidate, known);
    if shared.is_none() && !begins(candidate) {
        return Ok(None);
    }
    let _memory = candidate.working_memory(shared, WORKING_BYTES, context)?;
    if let Some(dictionary) = dictionary {
        return code_as(candidate, (dictionary, &candidate.columns), shared, context);
    }
    let columns: Vec<&Column> = candidate.columns.iter().collect();
    let data = compact_text::share(&columns, candidate.rows, &context.memory, context.workers())?;
    let Some(data) = data else { return Ok(None) };
    let nulls = candidate.columns.iter().map(|column| column.nulls.clone());
    let columns: Vec<Column> = data.into_iter().zip(nulls).map(|(data, nulls)| Column::new(data, nulls)).collect();
    match one_dictionary(&columns) {
        Some(dictionary) => code_as(candidate, (dictionary, &columns), shared, context),
        None => Ok(None),
    }
}

/// Whether a column has a domain though no other table has its strings.
fn begins(candidate: &Candidate<'_>) -> bool {
    candidate.may_begin() && one_dictionary(&candidate.columns).is_some()
}

/// Encodes a column that is codes of a dictionary.
fn code_as(
    candidate: &Candidate<'_>,
    (own, columns): (&Arc<Dictionary>, &[Column]),
    shared: Option<&Domain>,
    context: &Context,
) -> Result<Option<Coded>> {
    loop {
        context.check()?;
        let base = shared.map(|domain| domain.lineage.longest());
        let strings = base.as_ref().and_then(|domain| Strings::of(domain, context));
        let base = base.filter(|_| strings.is_some());
        if base.is_none() && !begins(candidate) {
            return Ok(None);
        }
        let mut to = strings.as_ref().map_or_else(|| vec![NONE; own.len()], |strings| strings.codes_of(own));
        let from = strings.as_ref().map_or(0, |strings| strings.places.len());
        let (codes, new) = number(columns, &mut to, from as u32);
        if let Some(base) = base.as_ref().filter(|_| new.is_empty()) {
            return Coded::sharing(candidate, base, &codes, context).map(Some);
        }
        if from + new.len() > VALUES_MAX {
            return Ok(None);
        }
        let strings = match strings {
            None => Strings { dictionary: Arc::clone(own), places: new },
            Some(strings) => match strings.and(own, &new) {
                Some(longer) => longer,
                None if begins(candidate) => return code_as(candidate, (own, columns), None, context),
                None => return Ok(None),
            },
        };
        // If somebody else has made the domain longer, once more with theirs.
        if let Some(coded) = Coded::making(candidate, strings.columns(), base.as_ref(), &codes, context)? {
            return Ok(Some(coded));
        }
    }
}

/// The codes of all rows, where strings without one get the next in the order in which they come; and these strings.
fn number(columns: &[Column], to: &mut [u32], from: u32) -> (Vec<Vec<i32>>, Vec<u32>) {
    let mut new = Vec::new();
    let mut column = |column: &Column| {
        let code = |(row, &own): (usize, &u32)| {
            if column.is_null(row) {
                return 0;
            }
            let code = &mut to[own as usize];
            if *code == NONE {
                *code = from + new.len() as u32;
                new.push(own);
            }
            *code as i32
        };
        codes(column).iter().enumerate().map(code).collect()
    };
    let numbered = columns.iter().map(&mut column).collect();
    (numbered, new)
}

fn shared<'d>(candidate: &Candidate<'_>, known: &'d [Domain]) -> Option<&'d Domain> {
    let mut sample: Vec<&[u8]> = candidate
        .sample()
        .filter(|(column, row)| !column.is_null(*row))
        .map(|(column, row)| column.data.text_bytes(row))
        .collect();
    sample.sort_unstable();
    sample.dedup();
    candidate.shared(known, sample.len(), |domain| {
        let dictionary = domain.table.chunks.first().and_then(|chunk| chunk.columns[0].data.dictionary());
        let is_there = |text: &&&[u8]| dictionary.is_some_and(|dictionary| dictionary.find(text).is_ok());
        sample.iter().filter(is_there).count()
    })
}

/// The dictionary of all columns, if they have one together.
fn one_dictionary(columns: &[Column]) -> Option<&Arc<Dictionary>> {
    let first = columns.first()?.data.dictionary()?;
    let is_it = |column: &Column| column.data.dictionary().is_some_and(|other| Arc::ptr_eq(first, other));
    columns.iter().all(is_it).then_some(first)
}

/// The codes of a dictionary's column; any at a NULL.
fn codes(column: &Column) -> Cow<'_, [u32]> {
    match &column.data {
        ColumnData::Dictionary8 { codes, .. } => codes.iter().map(|&code| code.into()).collect(),
        ColumnData::Dictionary16 { codes, .. } => codes.iter().map(|&code| code.into()).collect(),
        ColumnData::Dictionary32 { codes, .. } => Cow::Borrowed(codes),
        _ => Cow::Borrowed(&[]),
    }
}

/// Some strings, none of which is NULL, as a column; none if they are too long together.
pub(super) fn column(values: &[(&Column, usize)]) -> Option<Column> {
    let texts: Vec<&[u8]> = values.iter().map(|(column, row)| column.data.text_bytes(*row)).collect();
    Some(Column::new(bytes(&texts)?, None))
}

/// Strings one behind the other; none if they are too long together.
pub(super) fn bytes(texts: &[&[u8]]) -> Option<ColumnData> {
    let length: usize = texts.iter().map(|text| text.len()).sum();
    i32::try_from(length).ok()?;
    let offsets = OffsetBuffer::from_lengths(texts.iter().map(|text| text.len()));
    Some(ColumnData::Text { offsets, bytes: Buffer::from_vec(texts.concat()) })
}
