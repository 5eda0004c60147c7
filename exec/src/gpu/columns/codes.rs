//! Text as codes of one dictionary: that of all chunks, or one that is made of their strings.

use super::loader::{Loader, Rows, put_as, width_of};
use crate::column::{Column, ColumnData, Dictionary, text_order};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use crate::workers::context::Reservation;
use crate::workers::merge_sort;
use crate::workers::schedule::Workers;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Why text is not on the device, which may be carried.
pub(super) const MANY_STRINGS: &str = "text of many strings";

/// Strings of a dictionary that is made here, and bytes of all of them, at most.
pub(super) const STRINGS_MAX: usize = 1 << 20;
const BYTES_MAX: usize = 1 << 26;

/// Chunks of a turn, for each worker: whatever is new in them is known in the next one.
const CHUNKS_A_WORKER: usize = 2;

/// What codes are, what they are of, and themselves.
pub(super) type Codes = (Type, Arc<Dictionary>, Arc<Buffer>);

/// Codes of the one dictionary that all chunks have; none if they have not.
pub(super) fn shared(loader: Loader<'_>, rows: &Rows<'_>) -> Done<Option<Codes>> {
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

/// Whether a column has far more strings than so many, as a few of its rows tell: of any two of them 1 in as many as there are strings
/// has the same one, or more. Of half as many again as may be it says so, of no more than these never: three quarters of the pairs are
/// then fewer by 8 deviations.
fn seem_many(rows: &Rows<'_>, most: usize) -> bool {
    /// Pairs of rows that have the same string, if there are just as many as may be.
    const PAIRS: usize = 1024;
    let sample = (2 * PAIRS * most).isqrt();
    if rows.count() / 8 < sample || rows.count() <= most {
        return false;
    }
    let mut place = 0usize;
    let mut seen: FxHashMap<&[u8], usize> = FxHashMap::default();
    let mut pairs = 0;
    for _ in 0..sample {
        // Places of which none tells of the next one: a generator of Knuth's, whose upper bits are taken.
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let row = (((place >> 32) as u128 * rows.count() as u128) >> 32) as usize;
        rows.each(row..row + 1, |chunk, within| {
            let column = rows.columns[chunk];
            let text = if column.is_null(within.start) { &[] } else { column.data.text_bytes(within.start) };
            let before = seen.entry(text).or_default();
            pairs += *before;
            *before += 1;
        });
    }
    pairs < PAIRS / 4 * 3
}

/// Strings by number, in tables of their own by a part of their hash, so that several workers add some at once.
struct Strings<'c>(Vec<FxHashMap<&'c [u8], u32>>);

/// How many such tables there are.
const TABLES: usize = 16;

impl<'c> Strings<'c> {
    fn table_of(text: &[u8]) -> usize {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        // Other bits than those by which the table finds it.
        (hasher.finish() >> 40) as usize % TABLES
    }

    fn get(&self, text: &[u8]) -> Option<u32> {
        self.0[Strings::table_of(text)].get(text).copied()
    }

    fn count(&self) -> usize {
        self.0.iter().map(FxHashMap::len).sum()
    }

    /// One more than the largest number.
    fn numbers(&self) -> usize {
        self.0.iter().map(FxHashMap::len).max().unwrap_or(0) * TABLES
    }

    /// Adds strings, of which some may be there; how many bytes more there are.
    fn add(&mut self, workers: Workers<'_>, new: &[Numbered<'c>]) -> Done<usize> {
        let tables = self.0.iter_mut().enumerate().collect();
        let added = workers.map(tables, |(number, table)| {
            let mut bytes = 0;
            for Numbered { new, .. } in new {
                workers.context.check()?;
                for &(_, text) in new.iter().filter(|(of, _)| usize::from(*of) == number) {
                    let next = (table.len() * TABLES + number) as u32;
                    table.entry(text).or_insert_with(|| {
                        bytes += text.len();
                        next
                    });
                }
            }
            Ok(bytes)
        })?;
        Ok(added.into_iter().sum())
    }
}

/// A chunk's rows by the numbers of their strings, or where these are among those that were new, with `NEW`.
struct Numbered<'c> {
    numbers: Vec<u32>,
    /// Which table each belongs to, and itself.
    new: Vec<(u8, &'c [u8])>,
    /// The numbers of what was new.
    own: Vec<u32>,
}

/// The bit of what is no number yet.
const NEW: u32 = 1 << 31;

/// Codes of a dictionary of all strings, if these are not too many.
pub(super) fn made(loader: Loader<'_>, rows: &Rows<'_>, strings_max: usize) -> Done<Codes> {
    if !rows.columns.iter().all(|column| column.data.is_text()) {
        return decline("a column of several forms");
    }
    if seem_many(rows, strings_max) {
        return decline(MANY_STRINGS);
    }
    let workers = loader.workers;
    let mut held = Reservation::new(&workers.context.memory);
    let mut strings = Strings(vec![FxHashMap::default(); TABLES]);
    let mut chunks: Vec<Numbered<'_>> = Vec::with_capacity(rows.columns.len());
    let mut bytes = 0;
    for turn in rows.columns.chunks(workers.count() * CHUNKS_A_WORKER) {
        held.add(turn.iter().map(|column| column.rows() * size_of::<u32>()).sum())?;
        let numbered = workers.map(turn.to_vec(), |column| Ok(numbered(column, &strings, strings_max)))?;
        bytes += strings.add(workers, &numbered)?;
        if strings.count() > strings_max || bytes > BYTES_MAX {
            return decline(MANY_STRINGS);
        }
        chunks.extend(workers.map(numbered, |Numbered { numbers, new, .. }| {
            let own = new.iter().map(|(_, text)| strings.get(text).expect("it has been added")).collect();
            Ok(Numbered { numbers, new: Vec::new(), own })
        })?);
    }
    let (dictionary, codes) = sorted(workers, &strings)?;
    let element = width_of(dictionary.len().saturating_sub(1) as u64);
    let data = rows.array(loader, element, |chunk, within, to| {
        let Numbered { numbers, own, .. } = &chunks[chunk];
        let code = |&number: &u32| {
            let number = if number < NEW { number } else { own[(number ^ NEW) as usize] };
            codes[number as usize].into()
        };
        put_as(to, element, numbers[within].iter().map(code));
    })?;
    Ok((element, Arc::new(dictionary), data))
}

/// The dictionary of some strings, and the code of each number.
fn sorted(workers: Workers<'_>, strings: &Strings<'_>) -> Done<(Dictionary, Vec<u32>)> {
    let all = strings.0.iter().flatten();
    let mut sorted: Vec<(i64, &[u8], u32)> = all.map(|(&text, &number)| (text_order(text), text, number)).collect();
    merge_sort::sort_by(&mut sorted, workers, |(a, text, _), (b, other, _)| a.cmp(b).then_with(|| text.cmp(other)))?;
    let mut codes = vec![0u32; strings.numbers()];
    sorted.iter().zip(0..).for_each(|(&(_, _, number), code)| codes[number as usize] = code);
    let goes_on = |at: usize| !at.is_multiple_of(CHECKED) || workers.context.check().is_ok();
    let texts = sorted.iter().enumerate().take_while(|(at, _)| goes_on(*at));
    let dictionary = Dictionary::new(texts.map_while(|(_, (_, text, _))| std::str::from_utf8(text).ok()));
    workers.context.check()?;
    match dictionary.len() == sorted.len() {
        true => Ok((dictionary, codes)),
        false => decline("bug: a text that is none"),
    }
}

/// Strings of a dictionary after which somebody looks whether the statement was cancelled.
const CHECKED: usize = 1 << 12;

/// The numbers of a chunk's strings, and those that have none yet: of more than there may be so many.
fn numbered<'c>(column: &'c Column, known: &Strings<'_>, most: usize) -> Numbered<'c> {
    let mut new: Vec<(u8, &[u8])> = Vec::new();
    let mut own: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut number = |text: &'c [u8]| {
        if let Some(number) = known.get(text) {
            return number;
        }
        *own.entry(text).or_insert_with(|| {
            new.push((Strings::table_of(text) as u8, text));
            (new.len() - 1) as u32 | NEW
        })
    };
    let mut numbers = Vec::with_capacity(column.rows());
    // A string of a dictionary is looked up once, if it is there.
    let mut by_code: Vec<Option<u32>> = vec![None; column.data.dictionary().map_or(0, |dictionary| dictionary.len())];
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
        data => {
            // What stands at a NULL is read by nobody.
            let text = |row| if column.is_null(row) { &[][..] } else { data.text_bytes(row) };
            numbers.extend((0..column.rows()).map(|row| number(text(row))));
        }
    }
    new.truncate(most + 1);
    Numbered { numbers, new, own: Vec::new() }
}
