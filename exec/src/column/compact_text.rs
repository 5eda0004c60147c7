//! Compaction of text, in two steps, so that a load needs neither all strings at once nor a shared hash table:
//!
//! 1. While chunks stream in, each becomes either codes of a sorted dictionary of its own (few distinct strings) or
//!    one byte buffer with offsets ([`compact_text`]).
//! 2. At the end of the load the chunks of a column get one dictionary together, or, if their strings do not repeat
//!    enough, every chunk becomes a byte buffer ([`unify`]). The strings of a long column may repeat though those of no
//!    chunk do: a sketch of all of them tells.

use super::form::misfit;
use super::strings::for_each_string;
use super::{CHUNK_ROWS, Column, ColumnData, Dictionary, distinct, shared_dictionary};
use crate::Result;
use crate::technique::Technique;
use crate::workers::context::{Memory, Reservation};
use crate::workers::schedule::Workers;
use ::arrow::buffer::{Buffer, OffsetBuffer};
use hashbrown::HashTable;
use multiloop_planner::types::{DataType, Field};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// A dictionary of so many strings is worth it however few rows there are: its codes take one byte.
const DISTINCT_ALWAYS: usize = 1 << 8;

/// The dictionary of a table that small additions still grow has no more strings: each time all of it is made anew.
pub(super) const GROWING_MAX: usize = 1 << 16;

/// No dictionary has more strings.
const DISTINCT_MAX: usize = 1 << 22;

/// Above [`DISTINCT_ALWAYS`], rows that each distinct string must stand for on average.
const ROWS_PER_DISTINCT_MIN: usize = 4;

/// A chunk that has seen so many distinct strings gives up on a dictionary if most rows brought a new one. A quarter
/// of a chunk, because the first rows of a column of ten thousand strings bring little else than new ones.
const DISTINCT_BEFORE_DOUBT: usize = 1 << 14;

/// Bytes of the strings of a dictionary, at most: far below the 4 GiB that its offsets reach.
pub(super) const DICTIONARY_BYTES_MAX: usize = 1 << 28;

/// The pieces as one text column: as codes if `dictionary` allows it and the strings repeat, else as bytes.
/// Trailing blanks of char(n) are dropped, as its values are kept without them.
pub(super) fn compact_text(pieces: &[Column], field: &Field, dictionary: bool) -> Result<ColumnData> {
    if let Some(piece) = pieces.iter().find(|piece| !piece.data.is_text()) {
        return Err(misfit(&piece.data, field));
    }
    let trim = field.data_type != DataType::BPCHAR && matches!(field.data_type, DataType::Char(_));
    if dictionary
        && Technique::Dictionaries.is_on()
        && let Some(data) = encode(pieces, trim)
    {
        return Ok(data);
    }
    concatenate(pieces, trim, field)
}

/// The string of each row in order, none at a NULL, as long as it says true.
fn all_texts<'a>(piece: &'a Column, trim: bool, mut f: impl FnMut(Option<&'a [u8]>) -> bool) -> bool {
    (0..piece.rows()).all(|row| {
        let text = (!piece.is_null(row)).then(|| piece.data.text_bytes(row));
        f(if trim { text.map(trim_blanks) } else { text })
    })
}

/// The string of each row in order, none at a NULL.
fn for_each_text<'a>(piece: &'a Column, trim: bool, mut f: impl FnMut(Option<&'a [u8]>)) {
    all_texts(piece, trim, |text| {
        f(text);
        true
    });
}

/// A piece whose strings lie as they are to be, one behind the other, with nothing at a NULL: where they end, and they.
fn as_it_lies(piece: &Column, trim: bool) -> Option<(&[i32], &[u8])> {
    let ColumnData::Text { offsets, bytes } = &piece.data else { return None };
    let is_empty = |row: usize| offsets[row] == offsets[row + 1];
    let has_nothing = piece.nulls.as_ref().is_none_or(|nulls| (!nulls.inner()).set_indices().all(is_empty));
    let all = offsets[0] as usize..offsets[piece.rows()] as usize;
    (!trim && has_nothing).then(|| (&offsets[..], &bytes[all]))
}

/// Without trailing blanks (U+0020 only, as PostgreSQL trims char).
fn trim_blanks(text: &[u8]) -> &[u8] {
    let kept = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &text[..kept]
}

fn concatenate(pieces: &[Column], trim: bool, field: &Field) -> Result<ColumnData> {
    let mut length = 0;
    for piece in pieces {
        match as_it_lies(piece, trim) {
            Some((_, bytes)) => length += bytes.len(),
            None => for_each_text(piece, trim, |text| length += text.map_or(0, <[u8]>::len)),
        }
    }
    if length > i32::MAX as usize {
        return Err(super::arrow::too_much_text(&field.name));
    }
    let rows: usize = pieces.iter().map(Column::rows).sum();
    let mut ends = Vec::with_capacity(rows + 1);
    let mut bytes = Vec::with_capacity(length);
    ends.push(0);
    for piece in pieces {
        let Some((offsets, all)) = as_it_lies(piece, trim) else {
            for_each_text(piece, trim, |text| {
                bytes.extend_from_slice(text.unwrap_or_default());
                ends.push(bytes.len() as i32);
            });
            continue;
        };
        let moved = bytes.len() as i32 - offsets[0];
        bytes.extend_from_slice(all);
        ends.extend(offsets[1..].iter().map(|end| end + moved));
    }
    Ok(ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: Buffer::from_vec(bytes) })
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

/// Distinct strings, numbered as they come, and the numbers of rows.
#[derive(Default)]
struct Numbering<'a> {
    distinct: Vec<&'a [u8]>,
    /// The hash of each: they may be long.
    hashes: Vec<u64>,
    table: HashTable<u32>,
    codes: Vec<u32>,
}

impl<'a> Numbering<'a> {
    /// The number of a string.
    fn number(&mut self, text: &'a [u8]) -> u32 {
        let (distinct, hashes) = (&mut self.distinct, &mut self.hashes);
        let hash = hash(text);
        let found = self.table.find(hash, |&code| distinct[code as usize] == text).copied();
        found.unwrap_or_else(|| {
            let code = distinct.len() as u32;
            distinct.push(text);
            hashes.push(hash);
            self.table.insert_unique(hash, code, |&code| hashes[code as usize]);
            code
        })
    }

    /// Whether it is worth going on.
    fn repeats(&self) -> bool {
        self.distinct.len() < DISTINCT_BEFORE_DOUBT || self.distinct.len() * 2 < self.codes.len()
    }

    /// Takes the rows of a piece; false once strings repeat too little. The code of a NULL is that of any string.
    fn add(&mut self, piece: &'a Column, trim: bool) -> bool {
        match &piece.data {
            ColumnData::Dictionary8 { codes, dictionary } => {
                self.add_codes(piece, codes.iter().map(|&code| code.into()), dictionary, trim)
            }
            ColumnData::Dictionary16 { codes, dictionary } => {
                self.add_codes(piece, codes.iter().map(|&code| code.into()), dictionary, trim)
            }
            // Of a dictionary of far more strings than rows there is little to share.
            ColumnData::Dictionary32 { codes, dictionary } if dictionary.len() <= 4 * piece.rows() => {
                self.add_codes(piece, codes.iter().copied(), dictionary, trim)
            }
            _ => self.add_strings(piece, trim),
        }
    }

    /// A string that came as a code is looked for once.
    fn add_codes(
        &mut self,
        piece: &Column,
        codes: impl Iterator<Item = u32>,
        dictionary: &'a Dictionary,
        trim: bool,
    ) -> bool {
        let mut places = vec![u32::MAX; dictionary.len()];
        for (row, code) in codes.enumerate() {
            if piece.is_null(row) {
                self.codes.push(0);
                continue;
            }
            let mut place = places[code as usize];
            if place == u32::MAX {
                let text = dictionary.bytes_of(code);
                place = self.number(if trim { trim_blanks(text) } else { text });
                places[code as usize] = place;
                if !self.repeats() {
                    return false;
                }
            }
            self.codes.push(place);
        }
        true
    }

    fn add_strings(&mut self, piece: &'a Column, trim: bool) -> bool {
        let mut last: Option<(&[u8], u32)> = None;
        all_texts(piece, trim, |text| {
            let Some(text) = text else {
                self.codes.push(0);
                return true;
            };
            let code = match last {
                Some((before, code)) if before == text => code,
                _ => self.number(text),
            };
            self.codes.push(code);
            last = Some((text, code));
            self.repeats()
        })
    }
}

/// Codes of a sorted dictionary, or None once there are too many distinct strings.
fn encode(pieces: &[Column], trim: bool) -> Option<ColumnData> {
    let rows = pieces.iter().map(Column::rows).sum();
    let mut all = Numbering { codes: Vec::with_capacity(rows), ..Numbering::default() };
    let done = pieces.iter().all(|piece| all.add(piece, trim));
    let Numbering { distinct, codes, .. } = all;
    if !done || distinct.iter().map(|text| text.len()).sum::<usize>() > DICTIONARY_BYTES_MAX {
        return None;
    }
    let mut order: Vec<u32> = (0..distinct.len() as u32).collect();
    order.sort_unstable_by_key(|&code| distinct[code as usize]);
    let mut rank = vec![0; distinct.len()];
    order.iter().enumerate().for_each(|(place, &code)| rank[code as usize] = place as u32);
    let text = |&code: &u32| std::str::from_utf8(distinct[code as usize]).expect("text columns are valid UTF-8");
    let dictionary = Arc::new(Dictionary::new(order.iter().map(text)));
    Some(Dictionary::encode(dictionary, codes.into_iter().map(|code| rank.get(code as usize).copied().unwrap_or(0))))
}

/// Step 2: gives the chunks of one column one dictionary, or none. With `memory` byte buffers may become codes, too; gives
/// an estimate of how many strings there are, if it made one. On an error, which only a chunk of more than 2 GiB of text
/// can cause, some of them have been changed, but their values have not.
pub(super) fn unify(
    chunks: &mut [&mut Column],
    field: &Field,
    memory: Option<&Arc<Memory>>,
    workers: Workers<'_>,
) -> Result<Option<u64>> {
    let columns: Vec<&Column> = chunks.iter().map(|column| &**column).collect();
    if let Some(dictionary) = union(&columns).map(Arc::new) {
        workers.map(chunks.iter_mut().collect(), |column| {
            recode(column, &dictionary);
            Ok(())
        })?;
        return Ok(None);
    }
    let estimate = memory.map(|_| distinct::estimate(&columns, Some(workers)));
    if let Some((estimate, memory)) = estimate.zip(memory)
        && let Some(shared) = share_repeating(&columns, estimate, memory, workers)?
    {
        chunks.iter_mut().zip(shared).for_each(|(column, data)| column.set_data(data));
        return Ok(None);
    }
    workers.map(chunks.iter_mut().collect(), |column| {
        if column.data.dictionary().is_some() {
            column.set_data(concatenate(std::slice::from_ref(&**column), false, field)?);
        }
        Ok(())
    })?;
    Ok(estimate)
}

/// The columns as codes of one dictionary, if their strings repeat enough and there is memory to find that out.
fn share_repeating(
    columns: &[&Column],
    estimate: u64,
    memory: &Arc<Memory>,
    workers: Workers<'_>,
) -> Result<Option<Vec<ColumnData>>> {
    let rows: usize = columns.iter().map(|column| column.rows()).sum();
    // The estimate may be off by a few percent either way.
    let most = DISTINCT_MAX.min(rows / ROWS_PER_DISTINCT_MIN + rows / 32);
    if rows <= CHUNK_ROWS || estimate > most as u64 || !Technique::Dictionaries.is_on() {
        return Ok(None);
    }
    share(columns, most, memory, workers)
}

/// Bytes of all strings of a column.
fn text_len(column: &Column) -> usize {
    let mut bytes = 0;
    for_each_string(column, |_, string| bytes += string.text().len());
    bytes
}

/// The columns as codes of one dictionary of so many strings at most, if there is memory to make it.
pub(super) fn share(
    columns: &[&Column],
    most: usize,
    memory: &Arc<Memory>,
    workers: Workers<'_>,
) -> Result<Option<Vec<ColumnData>>> {
    let texts: Vec<usize> = workers.all(columns.len(), |chunk| text_len(columns[chunk]));
    let longest = texts.iter().copied().max().unwrap_or(0);
    let rows: usize = columns.iter().map(|column| column.rows()).sum();
    let strings = texts.iter().sum::<usize>().min(DICTIONARY_BYTES_MAX) + shared_dictionary::CHUNKS_AT_ONCE * longest;
    let mut working = Reservation::new(memory);
    if longest > u32::MAX as usize || working.add(rows * shared_dictionary::WORKING_BYTES + strings).is_err() {
        return Ok(None);
    }
    shared_dictionary::share(columns, most.min(DISTINCT_MAX), DICTIONARY_BYTES_MAX, workers)
}

/// The union of the chunks' dictionaries, if all have one and it is small enough for their rows.
pub(super) fn union(chunks: &[&Column]) -> Option<Dictionary> {
    let rows: usize = chunks.iter().map(|column| column.rows()).sum();
    let mut all: Vec<&str> = Vec::new();
    let mut known: Option<&Arc<Dictionary>> = None;
    for column in chunks {
        let dictionary = column.data.dictionary()?;
        // Most have the strings of the one before.
        if known.is_some_and(|known| Arc::ptr_eq(known, dictionary) || known == dictionary) {
            continue;
        }
        known = Some(dictionary);
        merge(&mut all, dictionary);
        if all.len() > 4 * GROWING_MAX {
            return None;
        }
    }
    let small = all.len() <= DISTINCT_ALWAYS || (all.len() <= GROWING_MAX && all.len() <= rows / ROWS_PER_DISTINCT_MIN);
    let bytes: usize = all.iter().map(|text| text.len()).sum();
    (small && bytes <= DICTIONARY_BYTES_MAX).then(|| Dictionary::new(all))
}

/// Puts the strings of a dictionary among others; both are sorted and distinct.
fn merge<'a>(all: &mut Vec<&'a str>, dictionary: &'a Dictionary) {
    let mut new: Vec<&str> = Vec::new();
    let mut at = 0;
    for text in dictionary.iter() {
        while all.get(at).is_some_and(|&other| other < text) {
            at += 1;
        }
        if all.get(at) != Some(&text) {
            new.push(text);
        }
    }
    if !new.is_empty() {
        all.extend(new);
        // Two sorted runs, which it merges.
        all.sort();
    }
}

/// Whether a dictionary holds all strings of another.
pub(super) fn holds(dictionary: &Dictionary, other: &Dictionary) -> bool {
    let mut near = 0;
    other.iter().all(|text| dictionary.find_near(text.as_bytes(), near).map(|code| near = code).is_ok())
}

/// The same strings as codes of `dictionary`, which holds them all.
pub(super) fn recode(column: &mut Column, dictionary: &Arc<Dictionary>) {
    let Some(own) = column.data.dictionary() else { return };
    if Arc::ptr_eq(own, dictionary) {
        return;
    }
    let mut near = 0;
    let place = |text: &str| {
        near = dictionary.find_near(text.as_bytes(), near).expect("the union holds every string");
        near
    };
    let places: Vec<u32> = own.iter().map(place).collect();
    // A chunk of no strings has no codes either, or only such that stand at a NULL.
    let place = |code: u32| places.get(code as usize).copied().unwrap_or(0);
    let shared = Arc::clone(dictionary);
    let recoded = match &column.data {
        ColumnData::Dictionary8 { codes, .. } => {
            Dictionary::encode(shared, codes.iter().map(|&code| place(code.into())))
        }
        ColumnData::Dictionary16 { codes, .. } => {
            Dictionary::encode(shared, codes.iter().map(|&code| place(code.into())))
        }
        ColumnData::Dictionary32 { codes, .. } => Dictionary::encode(shared, codes.iter().map(|&code| place(code))),
        _ => unreachable!("only dictionary forms have a dictionary"),
    };
    column.set_data(recoded);
}
