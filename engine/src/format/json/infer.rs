//! The columns of JSON files, by what their values look like.
//!
//! The first values of each file are looked at. Where a later one is not of the type that they have, or has a key that they have
//! not, all are looked at, and read again: a guess is never an error.

use super::JsonOptions;
use super::blocks::{Block, Blocks, Piece};
use super::guess::Guess;
use super::scan::{Fault, Scanned, Scanner, Token};
use super::text::{Step, Values, text_of};
use super::track::Track;
use crate::format::{check_regular, fold_names};
use multiloop_exec::cpu::simd::marks::Stops;
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::{DataType, Field};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// Values of a file that are looked at.
pub(super) const SAMPLE_ROWS: usize = 20_480;

/// Keys that become columns, at most: objects of more are values of a column of json.
const KEYS_MAX: usize = 10_000;

/// Keys up to which objects may have as few of them each as they like; of more keys each is to be in one object of so many.
const KEYS_SPARSE: usize = 1_600;
const OBJECTS_A_KEY: usize = 100;

/// The name of the one column of values that are no objects.
pub(super) const WHOLE: &str = "json";

/// The columns of files.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Their keys, as files have them.
    pub(super) keys: Vec<String>,
    /// What they are as columns.
    pub(super) fields: Vec<Field>,
    /// Whether each object is a row; else each value is, of one column.
    pub(super) records: bool,
}

/// What has been seen of values.
#[derive(Clone, Debug, Default)]
struct Seen {
    keys: Vec<String>,
    guesses: Vec<Guess>,
    places: FxHashMap<String, usize>,
    /// Values that are no objects.
    others: Guess,
    objects: bool,
    rows: usize,
    /// Members of all objects.
    values: usize,
}

impl Columns {
    /// Looks at the first values of files, or at all.
    pub(super) fn look(paths: &[PathBuf], options: &JsonOptions, whole: bool, context: &Context) -> Result<Columns> {
        let mut seen = Seen::default();
        for path in paths {
            check_regular(path)?;
            if whole {
                seen.look_at_all(path, options, context)?;
            } else {
                seen.look_at_first(path, options, context)?;
            }
        }
        seen.columns(options)
    }
}

impl Seen {
    fn look_at_first(&mut self, path: &Path, options: &JsonOptions, context: &Context) -> Result<()> {
        let rows_max = self.rows.saturating_add(options.sample_size);
        let mut blocks = Blocks::open(path, options, 1, context)?;
        while self.rows < rows_max
            && let Some(Block { bytes, pieces, .. }) = blocks.next()?
        {
            for piece in &pieces {
                if self.rows >= rows_max {
                    break;
                }
                context.check()?;
                let values = Values::new(path, options, blocks.layout());
                self.look(&values, &bytes, piece, rows_max)?;
            }
        }
        Ok(())
    }

    fn look_at_all(&mut self, path: &Path, options: &JsonOptions, context: &Context) -> Result<()> {
        let mut blocks = Blocks::open(path, options, context.workers().count(), context)?;
        while let Some(Block { bytes, pieces, .. }) = blocks.next()? {
            let values = Values::new(path, options, blocks.layout());
            let look = |piece: &Piece| {
                let mut seen = Seen::default();
                seen.look(&values, &bytes, piece, usize::MAX)?;
                Ok(seen)
            };
            for seen in context.workers().map(pieces.iter().collect(), look)? {
                self.merge(seen);
            }
        }
        Ok(())
    }

    fn look(&mut self, values: &Values, bytes: &[u8], piece: &Piece, rows_max: usize) -> Result<()> {
        let bytes = &bytes[piece.bytes.clone()];
        let text = text_of(bytes, piece.line, values.path)?;
        let (mut stops, mut track) = (Stops::default(), Track::default());
        stops.find(bytes);
        values.each(text, piece.line, |scanner| {
            if self.rows >= rows_max {
                return Ok(Step::Stop);
            }
            self.rows += 1;
            self.see(scanner, &stops, &mut track)?;
            Ok(Step::Next)
        })
    }

    fn see(&mut self, scanner: &mut Scanner, stops: &Stops, track: &mut Track) -> Scanned<()> {
        if scanner.peek() != Some(b'{') {
            let token = scanner.value()?;
            self.others.see(&token);
            return Ok(());
        }
        self.objects = true;
        let bytes = scanner.text().as_bytes();
        let (mut expected, mut from) = (0, scanner.at);
        // As in the object before, as far as it is so.
        while let Some(at) = track.value_of(expected, bytes, from, expected == 0)
            && let Some(end) = self.guesses[expected].pass(bytes, at, stops)
        {
            (expected, from) = (expected + 1, end);
            self.values += 1;
        }
        let mut opens = expected == 0;
        if !opens {
            scanner.at = from;
            if scanner.accept(b'}') {
                return Ok(());
            }
            if !scanner.accept(b',') {
                return Err(scanner.unexpected());
            }
            scanner.skip_blanks();
            if scanner.peek() == Some(b'}') {
                return scanner.key().map(drop);
            }
            // The member behind the comma is as the first one behind a brace.
            scanner.at -= 1;
        }
        scanner.members(|scanner, key| {
            scanner.skip_blanks();
            let at = scanner.at;
            let token = scanner.value()?;
            self.values += 1;
            let place = match self.keys.get(expected) {
                Some(known) if !key.escaped && known == key.text => expected,
                _ => match self.place(&key.content()) {
                    Some(place) => place,
                    None => return Ok(()),
                },
            };
            track.widen(self.keys.len());
            track.learn(place, &bytes[from..at], std::mem::take(&mut opens));
            (expected, from) = (place + 1, scanner.at);
            self.guesses[place].see(&token);
            Ok(())
        })
    }

    /// The number of a key; none of one more than could be columns.
    fn place(&mut self, key: &str) -> Option<usize> {
        if let Some(&place) = self.places.get(key) {
            return Some(place);
        }
        let place = self.keys.len();
        if place > KEYS_MAX {
            return None;
        }
        self.places.insert(key.to_owned(), place);
        self.keys.push(key.to_owned());
        self.guesses.push(Guess::default());
        Some(place)
    }

    fn merge(&mut self, other: Seen) {
        for (key, guess) in other.keys.iter().zip(&other.guesses) {
            if let Some(place) = self.place(key) {
                self.guesses[place].merge(guess);
            }
        }
        self.others.merge(&other.others);
        self.objects |= other.objects;
        self.rows += other.rows;
        self.values += other.values;
    }

    /// An error (22P04) for keys that are values rather than names: each would be a column of little else than NULL.
    fn check_sparse(&self) -> Result<()> {
        let (keys, rows) = (self.keys.len(), self.rows);
        if keys <= KEYS_SPARSE || self.values.saturating_mul(OBJECTS_A_KEY) >= keys.saturating_mul(rows) {
            return Ok(());
        }
        let each = self.values / rows.max(1);
        let message = format!("{rows} objects have {keys} keys, about {each} each: these are too many columns");
        let hint = "records => false reads each object as one value of type json, columns => {…} reads some keys.";
        Err(Error::new(ErrorKind::BadFile, message).with_hint(hint))
    }

    fn columns(self, options: &JsonOptions) -> Result<Columns> {
        if let Some(key) = self.keys.iter().find(|key| key.contains('\0')) {
            return Err(zero_in(key));
        }
        let only_objects = self.others.is_empty() && !self.keys.is_empty();
        if options.records == Some(true) && !self.others.is_empty() {
            let message = "records are objects, and there are values that are none";
            return Err(Error::new(ErrorKind::InvalidText, message));
        }
        if options.records.unwrap_or(only_objects) && self.keys.len() <= KEYS_MAX {
            self.check_sparse()?;
            let field = |(key, guess): (&String, &Guess)| Field::new(key.clone(), guess.data_type(), true);
            let fields = fold_names(self.keys.iter().zip(&self.guesses).map(field).collect());
            return Ok(Columns { keys: self.keys, fields, records: true });
        }
        let guess = if self.objects || self.others.is_empty() { Guess::json() } else { self.others };
        Ok(Columns::whole(guess.data_type()))
    }
}

impl Columns {
    /// One column of all that values are.
    pub(super) fn whole(data_type: DataType) -> Columns {
        let field = Field::new(WHOLE.to_owned(), data_type, true);
        Columns { keys: vec![WHOLE.to_owned()], fields: vec![field], records: false }
    }
}

/// The error (22P05) of a text with the character of number zero, which no text holds.
pub(super) fn zero_in(text: &str) -> Error {
    let shown: String = text.chars().take(40).collect::<String>().replace('\0', "\\u0000");
    Error::new(ErrorKind::InvalidUtf8, format!("\\u0000 cannot be converted to text: {shown}"))
}

/// The fault of an object in which a key stands twice.
pub(super) fn twice(at: usize, key: &str) -> Fault {
    Fault::Malformed(at, format!("the key \"{key}\" stands twice in an object").into())
}

/// Whether a value is a row of nothing but NULL.
pub(super) fn is_null(token: &Token) -> bool {
    matches!(token, Token::Null)
}
