//! The sequences that a statement draws from.
//!
//! A statement finds a sequence in the state that it sees, but draws from the counter that all see now, unless its own transaction has
//! changed the sequence: so two sessions never get one value of a sequence that somebody has begun anew meanwhile.

use crate::catalog::{Entry, Qualified, Schemas, State, StoredSequence, object_at};
use crate::drawn::Drawn;
use crate::system::Facts;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::Right;
use multiloop_planner::counters::Counters;
use std::sync::Arc;

/// The sequences of a statement.
#[derive(Debug)]
pub(crate) struct StatementCounters {
    /// What the statement sees.
    pub(crate) state: State,
    /// What its transaction saw first; none without one.
    pub(crate) base: Option<Schemas>,
    /// What all see now.
    pub(crate) now: Schemas,
    pub(crate) facts: Facts,
    pub(crate) drawn: Arc<Drawn>,
}

impl StatementCounters {
    /// The sequence of a number.
    fn find(&self, number: u32) -> Result<(Qualified, StoredSequence)> {
        let message = || format!("could not open relation with OID {number}");
        let unknown = || Error::new(ErrorKind::UnknownTable, message());
        let name = self.state.numbered(number).ok_or_else(unknown)?;
        let object = self.state.object(&name).ok_or_else(unknown)?;
        let Entry::Sequence(own) = &object.entry else {
            let message = format!("\"{}\" is not a sequence", name.name);
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        };
        let is_changed = self
            .base
            .as_ref()
            .is_some_and(|base| object_at(base, &name).map(|base| base.version) != Some(object.version));
        let current = object_at(&self.now, &name).filter(|now| !is_changed && now.oid == number);
        let sequence = match current.map(|now| &now.entry) {
            Some(Entry::Sequence(now)) => now.clone(),
            _ => own.clone(),
        };
        Ok((name, sequence))
    }

    /// An error (42501) unless whoever acts has one of these rights on a sequence.
    fn check(&self, name: &Qualified, rights: &[Right]) -> Result<()> {
        let Some(object) = self.state.object(name) else { return Ok(()) };
        let allows = |&right: &Right| self.facts.check_right(&self.facts.rights, right, name, object);
        let mut denied = Ok(());
        for right in rights {
            denied = allows(right);
            if denied.is_ok() {
                break;
            }
        }
        denied
    }

    /// 25006 in a transaction that reads alone.
    fn check_writes(&self, name: &Qualified, what: &str) -> Result<()> {
        let setting = || self.facts.settings.is_on("default_transaction_read_only");
        let reads = self.facts.mode.unwrap_or_default().read_only.unwrap_or_else(setting);
        if (!reads || name.schema == crate::catalog::TEMPORARY) && !self.facts.reads_only {
            return Ok(());
        }
        let message = format!("cannot execute {what}() in a read-only transaction");
        Err(Error::new(ErrorKind::ReadOnlyTransaction, message))
    }
}

impl Counters for StatementCounters {
    fn next(&self, number: u32, is_owner: bool, count: usize, values: &mut Vec<i64>) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let (name, sequence) = self.find(number)?;
        if !is_owner {
            self.check(&name, &[Right::Usage, Right::Update])?;
        }
        self.check_writes(&name, "nextval")?;
        self.drawn.next((number, &name.name), &sequence, count, values)
    }

    fn set(&self, number: u32, value: i64, is_called: bool) -> Result<()> {
        let (name, sequence) = self.find(number)?;
        self.check(&name, &[Right::Update])?;
        self.check_writes(&name, "setval")?;
        let definition = &sequence.definition;
        if !(definition.min..=definition.max).contains(&value) {
            let (min, max) = (definition.min, definition.max);
            let message =
                format!("setval: value {value} is out of bounds for sequence \"{}\" ({min}..{max})", name.name);
            return Err(Error::new(ErrorKind::NumericOverflow, message));
        }
        self.drawn.set(number, &sequence, value, is_called)
    }

    fn current(&self, number: u32) -> Result<i64> {
        let (name, _) = self.find(number)?;
        self.check(&name, &[Right::Select, Right::Usage])?;
        self.drawn.current(number).ok_or_else(|| {
            let message = format!("currval of sequence \"{}\" is not yet defined in this session", name.name);
            Error::new(ErrorKind::WrongState, message)
        })
    }

    fn last(&self) -> Result<i64> {
        let none = || Error::new(ErrorKind::WrongState, "lastval is not yet defined in this session");
        let (number, last) = self.drawn.last().ok_or_else(none)?;
        // One that was dropped is nobody's.
        let name = self.state.numbered(number).ok_or_else(none)?;
        self.check(&name, &[Right::Select, Right::Usage])?;
        Ok(last)
    }
}
