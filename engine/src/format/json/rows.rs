//! Objects taken apart into the cells of a row.
//!
//! An object is first taken for one that is written like the ones before (`track`), with values in their common shapes (`quick`).
//! What is otherwise is read token by token, one member at a time, and says what is right.

use super::JsonOptions;
use super::infer::{Columns, is_null, twice};
use super::scan::{Fault, Scanned, Scanner, Token};
use super::track::Track;
use super::values::Builder;
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_exec::{Error, ErrorKind};
use rustc_hash::FxHashMap;

/// Keys that an object may lack behind one before these are looked up.
const KEYS_AHEAD: usize = 4;

/// What takes the values of rows.
pub(super) trait Cells {
    /// Whether a column has a value in a row.
    fn has(&self, column: usize, row: usize) -> bool;

    /// Takes the value that stands at a place of the text, if it is in a common shape: gives where it ends.
    fn take(&mut self, column: usize, text: &str, at: usize, stops: &Stops) -> Option<usize>;

    /// Takes a value that stands at a place.
    fn push(&mut self, column: usize, token: &Token, at: usize) -> Scanned<()>;

    /// Gives the row NULL in all columns that it has no value of.
    fn fill(&mut self, row: usize);
}

/// Columns in the making.
pub(super) struct Building<'a> {
    pub(super) columns: Vec<Builder<'a>>,
    /// Whether a value that is not of its type is NULL.
    pub(super) ignore_errors: bool,
}

impl Cells for Building<'_> {
    #[inline(always)]
    fn has(&self, column: usize, row: usize) -> bool {
        self.columns[column].rows() > row
    }

    #[inline(always)]
    fn take(&mut self, column: usize, text: &str, at: usize, stops: &Stops) -> Option<usize> {
        self.columns[column].take(text, at, stops)
    }

    fn push(&mut self, column: usize, token: &Token, at: usize) -> Scanned<()> {
        let column = &mut self.columns[column];
        match column.push(token, at) {
            Err(Fault::Value(..)) if self.ignore_errors => {
                column.push_null();
                Ok(())
            }
            outcome => outcome,
        }
    }

    fn fill(&mut self, row: usize) {
        self.columns.iter_mut().filter(|column| column.rows() == row).for_each(Builder::push_null);
    }
}

/// What is read of values, and how.
pub(super) struct Objects<'a> {
    pub(super) columns: &'a Columns,
    pub(super) options: &'a JsonOptions,
    pub(super) guessed: bool,
    places: FxHashMap<&'a str, usize>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(columns: &'a Columns, options: &'a JsonOptions, guessed: bool) -> Self {
        let places = columns.keys.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
        Objects { columns, options, guessed, places }
    }

    /// What is to be known of the keys of a text.
    pub(super) fn track(&self) -> Track {
        Track::new(if self.columns.records { self.columns.keys.len() } else { 0 })
    }

    /// Adds the value at which the scanner stands as the row of this number; tells whether it surely has no line end.
    #[inline(always)]
    pub(super) fn row<C: Cells>(
        &self,
        scanner: &mut Scanner,
        (stops, track): (&Stops, &mut Track),
        cells: &mut C,
        row: usize,
    ) -> Scanned<bool> {
        if !self.columns.records {
            let at = scanner.at;
            let token = scanner.value()?;
            return cells.push(0, &token, at).map(|()| false);
        }
        let text = scanner.text();
        let (mut expected, mut found, mut opened, mut on_line) = (0, 0, false, true);
        loop {
            if opened && scanner.peek() == Some(b'}') {
                scanner.at += 1;
                break;
            }
            let known = (expected..expected + KEYS_AHEAD)
                .find_map(|key| Some((key, track.value_of(key, text.as_bytes(), scanner.at, !opened)?)));
            let Some((key, at)) = known else {
                on_line = false;
                match self.member(scanner, track, (&mut expected, &mut opened), cells, row)? {
                    Member::Taken => found += 1,
                    Member::Unknown => {}
                    Member::None => break,
                }
                continue;
            };
            if cells.has(key, row) {
                return Err(twice(at, &self.columns.keys[key]));
            }
            opened = true;
            scanner.at = at;
            match cells.take(key, text, at, stops) {
                Some(end) => scanner.at = end,
                None => {
                    let token = match track.nested(key, text.as_bytes(), at, stops) {
                        Some(end) => scanner.nested_to(end),
                        None => {
                            on_line = false;
                            let token = scanner.value()?;
                            if let Token::Array(text) | Token::Object(text) = token {
                                track.learn_nested(key, text);
                            }
                            token
                        }
                    };
                    cells.push(key, &token, at)?;
                }
            }
            found += 1;
            expected = key + 1;
        }
        if found < self.columns.keys.len() {
            cells.fill(row);
        }
        Ok(on_line)
    }

    /// The next member of an object, or the whole value, if it is none.
    #[inline(never)]
    fn member<C: Cells>(
        &self,
        scanner: &mut Scanner,
        track: &mut Track,
        (expected, opened): (&mut usize, &mut bool),
        cells: &mut C,
        row: usize,
    ) -> Scanned<Member> {
        let from = scanner.at;
        let opens = !std::mem::replace(opened, true);
        if opens {
            if scanner.peek() != Some(b'{') {
                return self.other(scanner).map(|()| Member::None);
            }
            scanner.at += 1;
            if scanner.accept(b'}') {
                return Ok(Member::None);
            }
        } else if scanner.accept(b'}') {
            return Ok(Member::None);
        } else if !scanner.accept(b',') {
            return Err(scanner.unexpected());
        }
        let key = scanner.key()?;
        let place = match self.columns.keys.get(*expected) {
            Some(known) if !key.escaped && known == key.text => Some(*expected),
            _ => self.place(&key.content()),
        };
        scanner.skip_blanks();
        let at = scanner.at;
        let token = scanner.value()?;
        let Some(place) = place else { return self.unknown(&key.content(), at).map(|()| Member::Unknown) };
        *expected = place + 1;
        if cells.has(place, row) {
            return Err(twice(at, &key.content()));
        }
        track.learn(place, &scanner.text().as_bytes()[from..at], opens);
        cells.push(place, &token, at).map(|()| Member::Taken)
    }

    /// A row that is no object.
    fn other(&self, scanner: &mut Scanner) -> Scanned<()> {
        let at = scanner.at;
        if is_null(&scanner.value()?) {
            return Ok(());
        }
        if self.guessed {
            return Err(Fault::Contradiction);
        }
        Err(Fault::Malformed(at, "a row is an object, and this is none".into()))
    }

    /// The column of a key: of given ones also that of the key in lower case.
    fn place(&self, key: &str) -> Option<usize> {
        let found = self.places.get(key).copied();
        if found.is_some() || self.guessed { found } else { self.places.get(key.to_lowercase().as_str()).copied() }
    }

    /// What to do with the value of a key that is no column's.
    fn unknown(&self, key: &str, at: usize) -> Scanned<()> {
        if self.guessed {
            return Err(Fault::Contradiction);
        }
        if !self.options.strict {
            return Ok(());
        }
        let error = Error::new(ErrorKind::UnknownColumn, format!("the key \"{key}\" is no column"));
        Err(Fault::Value(at, Box::new(error)))
    }
}

/// What stood where a member was expected.
enum Member {
    /// One whose value has been taken.
    Taken,
    /// One that is no column's.
    Unknown,
    /// The end, or no object.
    None,
}
