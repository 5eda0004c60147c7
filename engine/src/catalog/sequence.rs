//! Sequences: a definition, which is part of a state as all objects are, and a counter, which all states of the sequence share.
//!
//! What ALTER SEQUENCE changes is a new definition of the same counter, so that nobody draws a value twice meanwhile; RESTART makes a new
//! counter, which others see when the transaction commits. `nextval` moves the counter for good: ROLLBACK leaves gaps, as in PostgreSQL.
//!
//! Every move of any counter passes through [`Counter::advance`]. A statement of many rows draws its values in blocks, each with one move.

use crate::{Error, ErrorKind, Result};
use multiloop_planner::sql::SequenceOptions;
use multiloop_planner::types::DataType;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many values PostgreSQL logs ahead, which `log_cnt` shows.
const LOGGED_AHEAD: i64 = 32;

/// What a sequence is declared as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SequenceDefinition {
    /// smallint, integer or bigint.
    pub(crate) data_type: DataType,
    pub(crate) start: i64,
    pub(crate) increment: i64,
    pub(crate) min: i64,
    pub(crate) max: i64,
    /// How many values a session takes at once.
    pub(crate) cache: i64,
    pub(crate) cycles: bool,
}

/// The column that a sequence goes with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SequenceOwner {
    /// The table, by its number.
    pub(crate) table: u32,
    /// The column's name.
    pub(crate) column: String,
    /// Whether it is the column's IDENTITY.
    pub(crate) is_identity: bool,
}

/// Where a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) last_value: i64,
    /// Whether that was given; otherwise it is the next one.
    pub(crate) is_called: bool,
    /// PostgreSQL's `log_cnt`.
    pub(crate) log_count: i64,
}

/// Keeps where sequences are, before anybody has values up to there.
pub(crate) trait Keeper: Debug + Send + Sync {
    /// Keeps that the sequence of a number is at a value, which was given or is the next one.
    ///
    /// # Errors
    /// 53100 and 58030.
    fn keep(&self, sequence: u32, last_value: i64, is_called: bool) -> Result<()>;
}

/// The counter of a sequence.
#[derive(Debug)]
pub(crate) struct Counter(Mutex<Counting>);

#[derive(Debug)]
struct Counting {
    at: Position,
    kept: Option<Kept>,
}

/// Where a counter is kept.
#[derive(Debug)]
struct Kept {
    keeper: Arc<dyn Keeper>,
    definition: Arc<SequenceDefinition>,
    /// Up to which value it may go without being kept once more.
    until: Option<i64>,
}

impl Kept {
    /// Keeps a move, if that is beyond what is kept: some values ahead, so that most moves need not be.
    fn follow(&mut self, sequence: u32, before: Position, now: Position) -> Result<()> {
        let SequenceDefinition { increment, min, max, .. } = *self.definition;
        let is_behind = |a: i64, b: i64| if increment > 0 { a <= b } else { a >= b };
        let is_forward = now.is_called && is_behind(before.last_value, now.last_value);
        if is_forward && self.until.is_some_and(|until| is_behind(now.last_value, until)) {
            return Ok(());
        }
        let ahead = increment.checked_mul(LOGGED_AHEAD).and_then(|by| now.last_value.checked_add(by));
        let ahead = ahead.filter(|ahead| is_forward && (min..=max).contains(ahead)).unwrap_or(now.last_value);
        self.keeper.keep(sequence, ahead, now.is_called)?;
        self.until = Some(ahead);
        Ok(())
    }
}

/// A sequence.
#[derive(Clone, Debug)]
pub(crate) struct StoredSequence {
    pub(crate) definition: Arc<SequenceDefinition>,
    pub(crate) counter: Arc<Counter>,
    pub(crate) owner: Option<SequenceOwner>,
}

impl Counter {
    /// A counter at a place.
    pub(crate) fn at(position: Position) -> Arc<Self> {
        Arc::new(Counter(Mutex::new(Counting { at: position, kept: None })))
    }

    fn counting(&self) -> MutexGuard<'_, Counting> {
        // Whoever panicked with the lock had not begun to change anything.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is.
    pub(crate) fn position(&self) -> Position {
        self.counting().at
    }

    /// Moves it, the counter of the sequence of a number: what happens in `step` is one move, during which nobody else sees it.
    ///
    /// # Errors
    /// 53100 and 58030 where it is kept and that cannot be: it has not moved.
    pub(crate) fn advance<T>(&self, sequence: u32, step: impl FnOnce(&mut Position) -> T) -> Result<T> {
        let counting = &mut *self.counting();
        let before = counting.at;
        let done = step(&mut counting.at);
        let now = counting.at;
        if let Some(kept) = counting.kept.as_mut().filter(|_| now != before) {
            kept.follow(sequence, before, now).inspect_err(|_| counting.at = before)?;
        }
        Ok(done)
    }

    /// Puts it to a place that it had, when a state is made anew of what was kept.
    pub(crate) fn restore(&self, (last_value, is_called): (i64, bool)) {
        self.counting().at = Position { last_value, is_called, log_count: 0 };
    }

    /// Keeps it from now on: where it is now is kept already.
    pub(crate) fn keep(&self, keeper: &Arc<dyn Keeper>, definition: &Arc<SequenceDefinition>) {
        let (keeper, definition) = (Arc::clone(keeper), Arc::clone(definition));
        self.counting().kept = Some(Kept { keeper, definition, until: None });
    }

    /// Keeps where it is, if what is kept lies ahead of that: nobody moves it any more.
    ///
    /// # Errors
    /// 53100 and 58030.
    pub(crate) fn close(&self, sequence: u32) -> Result<()> {
        let counting = &mut *self.counting();
        let at = counting.at;
        let ahead = counting.kept.as_mut().filter(|kept| kept.until.is_some_and(|until| until != at.last_value));
        let Some(kept) = ahead else { return Ok(()) };
        kept.until = None;
        kept.keeper.keep(sequence, at.last_value, at.is_called)
    }
}

impl StoredSequence {
    /// A sequence of a definition, at its start.
    pub(crate) fn new(definition: SequenceDefinition) -> Self {
        let counter = Counter::at(Position { last_value: definition.start, is_called: false, log_count: 0 });
        StoredSequence { definition: Arc::new(definition), counter, owner: None }
    }

    /// A sequence as CREATE SEQUENCE says.
    ///
    /// # Errors
    /// 22023 for options that do not go together.
    pub(crate) fn created(options: &SequenceOptions) -> Result<Self> {
        let definition = SequenceDefinition::of(options, None)?;
        let sequence = StoredSequence::new(definition);
        match options.restart {
            Some(restart) => sequence.restarted(restart),
            None => Ok(sequence),
        }
    }

    /// The sequence as ALTER SEQUENCE changes it.
    ///
    /// # Errors
    /// 22023 for options that do not go together, or for a value that it has and would not have any more.
    pub(crate) fn altered(&self, number: u32, options: &SequenceOptions) -> Result<Self> {
        let definition = SequenceDefinition::of(options, Some(&self.definition))?;
        let changed = StoredSequence { definition: Arc::new(definition), ..self.clone() };
        if let Some(restart) = options.restart {
            return changed.restarted(restart);
        }
        changed.definition.check_last(self.counter.position().last_value)?;
        let is_said = options.increment.is_some() || options.cycle.is_some() || options.cache.is_some();
        if is_said || options.min.is_some() || options.max.is_some() {
            self.counter.advance(number, |at| at.log_count = 0)?;
        }
        if *changed.definition == *self.definition {
            return Ok(StoredSequence { definition: Arc::clone(&self.definition), ..changed });
        }
        Ok(changed)
    }

    /// The sequence with a counter of its own: at a value, or at its start.
    pub(crate) fn restarted(&self, value: Option<i64>) -> Result<Self> {
        let last_value = value.unwrap_or(self.definition.start);
        self.definition.check_last(last_value)?;
        let counter = Counter::at(Position { last_value, is_called: false, log_count: 0 });
        // Who has values of it in store forgets them.
        let definition = Arc::new(SequenceDefinition::clone(&self.definition));
        Ok(StoredSequence { definition, counter, owner: self.owner.clone() })
    }
}

impl SequenceDefinition {
    /// The definition that options make, of one that there is or anew: PostgreSQL's defaults, and its checks in their order.
    fn of(options: &SequenceOptions, old: Option<&Self>) -> Result<Self> {
        let data_type = options.data_type.or(old.map(|old| old.data_type)).unwrap_or(DataType::BigInt);
        let (least, most) = range(data_type);
        // Bounds that were the old type's are the new one's.
        let old_range = old.filter(|_| options.data_type.is_some()).map(|old| (range(old.data_type), old));
        let resets_min = old_range.is_some_and(|((least, _), old)| old.min == least);
        let resets_max = old_range.is_some_and(|((_, most), old)| old.max == most);
        let increment = options.increment.or(old.map(|old| old.increment)).unwrap_or(1);
        if increment == 0 {
            return Err(invalid("INCREMENT must not be zero"));
        }
        let cycles = options.cycle.or(old.map(|old| old.cycles)).unwrap_or(false);
        let max = match (options.max, old) {
            (Some(Some(max)), _) => max,
            (None, Some(old)) if !resets_max => old.max,
            _ if increment > 0 || resets_max => most,
            _ => -1,
        };
        let min = match (options.min, old) {
            (Some(Some(min)), _) => min,
            (None, Some(old)) if !resets_min => old.min,
            _ if increment < 0 || resets_min => least,
            _ => 1,
        };
        for (name, bound) in [("MAXVALUE", max), ("MINVALUE", min)] {
            if !(least..=most).contains(&bound) {
                return Err(invalid(format!("{name} ({bound}) is out of range for sequence data type {data_type}")));
            }
        }
        if min >= max {
            return Err(invalid(format!("MINVALUE ({min}) must be less than MAXVALUE ({max})")));
        }
        let first = if increment > 0 { min } else { max };
        let start = options.start.or(old.map(|old| old.start)).unwrap_or(first);
        check_between("START", start, (min, max))?;
        let cache = options.cache.or(old.map(|old| old.cache)).unwrap_or(1);
        if cache <= 0 {
            return Err(invalid(format!("CACHE ({cache}) must be greater than zero")));
        }
        Ok(SequenceDefinition { data_type, start, increment, min, max, cache, cycles })
    }

    /// An error (22023) for a last value that the sequence cannot have.
    fn check_last(&self, last: i64) -> Result<()> {
        check_between("RESTART", last, (self.min, self.max))
    }

    /// Moves on as one `nextval` does that has no values in store: gives the value, and the last one that is in store then.
    ///
    /// # Errors
    /// 2200H beyond the last value of one that does not cycle; `name` is its name.
    pub(crate) fn step(&self, at: &mut Position, name: &str) -> Result<(i64, i64)> {
        let mut next = at.last_value;
        let (mut first, mut last) = (next, next);
        let (mut fetch, mut log, mut taken) = (self.cache, at.log_count, 0);
        if !at.is_called {
            taken += 1;
            fetch -= 1;
        }
        if log < fetch || !at.is_called {
            fetch += LOGGED_AHEAD;
            log = fetch;
        }
        while fetch > 0 {
            let moved = next.checked_add(self.increment).filter(|moved| (self.min..=self.max).contains(moved));
            next = match moved {
                Some(moved) => moved,
                None if taken > 0 => break,
                None if self.cycles => {
                    if self.increment > 0 {
                        self.min
                    } else {
                        self.max
                    }
                }
                None => return Err(self.exhausted(name)),
            };
            fetch -= 1;
            if taken < self.cache {
                log -= 1;
                taken += 1;
                last = next;
                if taken == 1 {
                    first = next;
                }
            }
        }
        *at = Position { last_value: last, is_called: true, log_count: log - fetch };
        Ok((first, last))
    }

    fn exhausted(&self, name: &str) -> Error {
        let (which, bound) = if self.increment > 0 { ("maximum", self.max) } else { ("minimum", self.min) };
        let message = format!("nextval: reached {which} value of sequence \"{name}\" ({bound})");
        Error::new(ErrorKind::SequenceLimit, message)
    }
}

/// The least and the most value of a type.
fn range(data_type: DataType) -> (i64, i64) {
    match data_type {
        DataType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        DataType::Integer => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

fn check_between(what: &str, value: i64, (min, max): (i64, i64)) -> Result<()> {
    if value < min {
        return Err(invalid(format!("{what} value ({value}) cannot be less than MINVALUE ({min})")));
    }
    if value > max {
        return Err(invalid(format!("{what} value ({value}) cannot be greater than MAXVALUE ({max})")));
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(options: &SequenceOptions, count: usize) -> (Vec<i64>, Position, Option<String>) {
        let sequence = StoredSequence::created(options).expect("the options go together");
        let mut values = Vec::new();
        for _ in 0..count {
            match sequence.counter.advance(1, |at| sequence.definition.step(at, "s")).and_then(|step| step) {
                Ok((first, _)) => values.push(first),
                Err(error) => return (values, sequence.counter.position(), Some(error.to_string())),
            }
        }
        (values, sequence.counter.position(), None)
    }

    #[test]
    fn a_sequence_counts_and_ends_or_begins_anew() {
        let (values, at, error) = drawn(&SequenceOptions::default(), 34);
        assert_eq!((values.first(), values.last(), error), (Some(&1), Some(&34), None));
        assert_eq!(at, Position { last_value: 34, is_called: true, log_count: 32 });
        let few = SequenceOptions { max: Some(Some(3)), ..SequenceOptions::default() };
        let (values, at, error) = drawn(&few, 5);
        assert_eq!((values, at.last_value, at.log_count), (vec![1, 2, 3], 3, 0));
        assert_eq!(error.as_deref(), Some("nextval: reached maximum value of sequence \"s\" (3)"));
        let around = SequenceOptions { cycle: Some(true), ..few };
        assert_eq!(drawn(&around, 5).0, [1, 2, 3, 1, 2]);
        let down = SequenceOptions { increment: Some(-2), min: Some(Some(-4)), ..SequenceOptions::default() };
        let (values, _, error) = drawn(&down, 5);
        assert_eq!(values, [-1, -3]);
        assert_eq!(error.as_deref(), Some("nextval: reached minimum value of sequence \"s\" (-4)"));
        let last = SequenceOptions { start: Some(i64::MAX), cycle: Some(true), ..SequenceOptions::default() };
        assert_eq!(drawn(&last, 2).0, [i64::MAX, 1]);
    }

    #[test]
    fn options_are_checked_in_order() {
        let of = |options: SequenceOptions| StoredSequence::created(&options).map(|_| ()).map_err(|e| e.to_string());
        let plain = SequenceOptions::default;
        for (options, message) in [
            (SequenceOptions { increment: Some(0), ..plain() }, "INCREMENT must not be zero"),
            (
                SequenceOptions { data_type: Some(DataType::SmallInt), max: Some(Some(100_000)), ..plain() },
                "MAXVALUE (100000) is out of range for sequence data type smallint",
            ),
            (
                SequenceOptions { min: Some(Some(5)), max: Some(Some(5)), ..plain() },
                "MINVALUE (5) must be less than MAXVALUE (5)",
            ),
            (SequenceOptions { start: Some(0), ..plain() }, "START value (0) cannot be less than MINVALUE (1)"),
            (
                SequenceOptions { restart: Some(Some(-1)), ..plain() },
                "RESTART value (-1) cannot be less than MINVALUE (1)",
            ),
            (SequenceOptions { cache: Some(0), ..plain() }, "CACHE (0) must be greater than zero"),
        ] {
            assert_eq!(of(options), Err(message.to_owned()));
        }
    }

    #[test]
    fn another_type_brings_its_bounds() {
        let small = SequenceOptions { data_type: Some(DataType::SmallInt), ..SequenceOptions::default() };
        let sequence = StoredSequence::created(&small).expect("they go together");
        let big = SequenceOptions { data_type: Some(DataType::BigInt), ..SequenceOptions::default() };
        let altered = sequence.altered(1, &big).expect("they go together");
        assert_eq!((altered.definition.min, altered.definition.max), (1, i64::MAX));
        assert!(Arc::ptr_eq(&sequence.counter, &altered.counter));
        let anew = SequenceOptions { restart: Some(None), ..SequenceOptions::default() };
        assert!(!Arc::ptr_eq(&sequence.counter, &sequence.altered(1, &anew).expect("they go").counter));
    }
}
