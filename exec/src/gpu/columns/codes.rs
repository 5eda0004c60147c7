//! Text as codes of one dictionary: that of all chunks, or one that is made of their strings.

use super::loader::{Loader, Rows, put_as, width_of};
use crate::column::{Column, ColumnData, Dictionary};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use crate::workers::context::Reservation;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why text is not on the device, which may be carried.
pub(super) const MANY_STRINGS: &str = "text of many strings";

/// Strings of a dictionary that is made here, and bytes of all of them, at most.
pub(super) const STRINGS_MAX: usize = 1 << 20;
const BYTES_MAX: usize = 1 << 26;

/// Chunks of a turn, for each worker: whatever is new in them is known in the next one.
const CHUNKS_A_WORKER: usize = 2;

/// Codes of the one dictionary that all chunks have; none if they have not.
pub(super) fn shared(loader: Loader<'_>, rows: &Rows<'_>) -> Done<Option<(Type, Arc<Dictionary>, Arc<Buffer>)>> {
    let Some(dictionary) = rows.columns.first().and_then(|column| column.data.dictionary()) else { return Ok(None) };
    let is_same = |column: &&Column| {
        column.data.dictionary().is_some_and(|other| Arc::ptr_eq(other, dictionary) || other == dictionary)
    };
    if !rows.columns.iter().all(is_same) {
        return Ok(None);
    }
    let element = width_of(dictionary.len().saturating_sub(1) as u64);
    let data = rows.array(loader, element, |chunk, within, to| match &rows.columns[chunk].data {
        ColumnData::Dictionary8 { codes, .. } => put_as(to, element, codes[within].iter().map(|&code| code.into())),
        ColumnData::Dictionary16 { codes, .. } => put_as(to, element, codes[within].iter().map(|&code| code.into())),
        ColumnData::Dictionary32 { codes, .. } => put_as(to, element, codes[within].iter().map(|&code| code.into())),
        _ => {}
    })?;
    Ok(Some((element, Arc::clone(dictionary), data)))
}

/// A chunk's rows by the numbers of their strings. Those from `known` on are its own, and get others when all chunks of the turn have
/// been looked at.
struct Numbered {
    numbers: Vec<u32>,
    known: u32,
    own: Vec<u32>,
}

/// Codes of a dictionary of all strings, if these are not too many.
pub(super) fn made(
    loader: Loader<'_>,
    rows: &Rows<'_>,
    strings_max: usize,
) -> Done<(Type, Arc<Dictionary>, Arc<Buffer>)> {
    if !rows.columns.iter().all(|column| column.data.is_text()) {
        return decline("a column of several forms");
    }
    let mut held = Reservation::new(&loader.workers.context.memory);
    let mut all: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut chunks: Vec<Numbered> = Vec::with_capacity(rows.columns.len());
    let mut bytes = 0;
    for turn in rows.columns.chunks(loader.workers.count() * CHUNKS_A_WORKER) {
        held.add(turn.iter().map(|column| column.rows() * size_of::<u32>()).sum())?;
        let known = all.len() as u32;
        let numbered = loader.workers.map(turn.to_vec(), |column| Ok(numbered(column, &all, strings_max)))?;
        for (numbers, new) in numbered {
            let number = |text| {
                let next = all.len() as u32;
                *all.entry(text).or_insert_with(|| {
                    bytes += text.len();
                    next
                })
            };
            chunks.push(Numbered { numbers, known, own: new.into_iter().map(number).collect() });
            if all.len() > strings_max || bytes > BYTES_MAX {
                return decline(MANY_STRINGS);
            }
        }
    }
    let mut sorted: Vec<(&[u8], u32)> = all.into_iter().collect();
    sorted.sort_unstable();
    let mut codes = vec![0u32; sorted.len()];
    sorted.iter().zip(0..).for_each(|(&(_, number), code)| codes[number as usize] = code);
    let Ok(texts) = sorted.iter().map(|(text, _)| std::str::from_utf8(text)).collect::<Result<Vec<&str>, _>>() else {
        return decline("bug: a text that is none");
    };
    let element = width_of(texts.len().saturating_sub(1) as u64);
    let data = rows.array(loader, element, |chunk, within, to| {
        let Numbered { numbers, known, own } = &chunks[chunk];
        let code = |&number: &u32| {
            let number = if number < *known { number } else { own[(number - known) as usize] };
            codes[number as usize].into()
        };
        put_as(to, element, numbers[within].iter().map(code));
    })?;
    Ok((element, Arc::new(Dictionary::new(texts)), data))
}

/// The numbers of a chunk's strings: those that are known, and behind these such as are not, which come back, too. Of more strings than
/// may be no more is said.
fn numbered<'c>(column: &'c Column, known: &FxHashMap<&[u8], u32>, most: usize) -> (Vec<u32>, Vec<&'c [u8]>) {
    let (mut new, mut own): (Vec<&[u8]>, FxHashMap<&[u8], u32>) = Default::default();
    let mut number = |text: &'c [u8]| {
        if let Some(&number) = known.get(text) {
            return number;
        }
        let next = (known.len() + new.len()) as u32;
        *own.entry(text).or_insert_with(|| {
            new.push(text);
            next
        })
    };
    let mut numbers = Vec::with_capacity(column.rows());
    if let Some(dictionary) = column.data.dictionary() {
        // A string is looked up once, if it is there.
        let mut by_code: Vec<Option<u32>> = vec![None; dictionary.len()];
        let mut of_code = |row: usize, code: usize| match column.is_null(row) {
            true => number(&[]),
            false => *by_code[code].get_or_insert_with(|| number(column.data.text_bytes(row))),
        };
        match &column.data {
            ColumnData::Dictionary8 { codes, .. } => {
                numbers.extend(codes.iter().enumerate().map(|(row, &code)| of_code(row, code.into())));
            }
            ColumnData::Dictionary16 { codes, .. } => {
                numbers.extend(codes.iter().enumerate().map(|(row, &code)| of_code(row, code.into())));
            }
            ColumnData::Dictionary32 { codes, .. } => {
                numbers.extend(codes.iter().enumerate().map(|(row, &code)| of_code(row, code as usize)));
            }
            _ => {}
        }
        return (numbers, new);
    }
    for row in 0..column.rows() {
        // What stands at a NULL is read by nobody.
        numbers.push(number(if column.is_null(row) { &[] } else { column.data.text_bytes(row) }));
    }
    // Whoever gets more than there may be does not go on.
    new.truncate(most + 1);
    (numbers, new)
}
