//! What a session has drawn from sequences: `currval`, `lastval`, and values in store (CACHE).

use crate::Result;
use crate::catalog::{Counter, SequenceDefinition, StoredSequence};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What a session has drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawn(Mutex<All>);

#[derive(Debug, Default)]
struct All {
    /// By the sequences' numbers.
    sequences: HashMap<u32, One>,
    /// The sequence that gave a value last.
    last: Option<u32>,
}

/// What a session has of one sequence.
#[derive(Debug, Default)]
struct One {
    /// The sequence as it was then: values in store are of it alone.
    definition: Weak<SequenceDefinition>,
    counter: Weak<Counter>,
    /// The value that was given last; none before the first.
    last: Option<i64>,
    /// The last value in store.
    stored: Option<i64>,
}

impl Drawn {
    /// Forgets all (DISCARD SEQUENCES).
    pub(crate) fn forget(&self) {
        *self.all() = All::default();
    }

    /// Appends the next `count` values of a sequence, of a number and a name.
    ///
    /// # Errors
    /// 2200H where it has no more; those before stay drawn.
    pub(crate) fn next(
        &self,
        (number, name): (u32, &str),
        sequence: &StoredSequence,
        count: usize,
        values: &mut Vec<i64>,
    ) -> Result<()> {
        let all = &mut *self.all();
        let one = all.sequences.entry(number).or_default();
        one.follow(sequence);
        let before = values.len();
        let (definition, wanted) = (&sequence.definition, before + count);
        one.take_stored(definition.increment, wanted, values);
        let mut done = Ok(());
        if values.len() < wanted {
            let was = (one.last, one.stored);
            let moved = sequence.counter.advance(number, |at| {
                while values.len() < wanted {
                    let (first, last) = definition.step(at, name)?;
                    (one.last, one.stored) = (Some(first), Some(last));
                    values.push(first);
                    one.take_stored(definition.increment, wanted, values);
                }
                Ok(())
            });
            done = match moved {
                Ok(done) => done,
                // What is not kept nobody has drawn.
                Err(error) => {
                    values.truncate(before);
                    (one.last, one.stored) = was;
                    return Err(error);
                }
            };
        }
        if values.len() > before {
            all.last = Some(number);
        }
        done
    }

    /// Sets the last value of a sequence, and whether it was given.
    ///
    /// # Errors
    /// 53100 and 58030 where that is kept and cannot be.
    pub(crate) fn set(&self, number: u32, sequence: &StoredSequence, value: i64, is_called: bool) -> Result<()> {
        sequence.counter.advance(number, |at| (at.last_value, at.is_called, at.log_count) = (value, is_called, 0))?;
        let all = &mut *self.all();
        let one = all.sequences.entry(number).or_default();
        one.follow(sequence);
        if is_called {
            one.last = Some(value);
        }
        one.stored = one.last;
        Ok(())
    }

    /// Forgets values of a sequence that are in store.
    pub(crate) fn forget_stored(&self, number: u32) {
        if let Some(one) = self.all().sequences.get_mut(&number) {
            one.stored = None;
        }
    }

    /// The value that was drawn last from a sequence.
    pub(crate) fn current(&self, number: u32) -> Option<i64> {
        self.all().sequences.get(&number)?.last
    }

    /// The sequence that a value was drawn from last, and that.
    pub(crate) fn last(&self) -> Option<(u32, i64)> {
        let all = self.all();
        let number = all.last?;
        Some((number, all.sequences.get(&number)?.last?))
    }

    fn all(&self) -> MutexGuard<'_, All> {
        // A panic leaves at worst values in store that nobody gets.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl One {
    /// Gives values in store, until there are so many.
    fn take_stored(&mut self, increment: i64, wanted: usize, values: &mut Vec<i64>) {
        while values.len() < wanted
            && let (Some(last), Some(stored)) = (self.last, self.stored)
            && last != stored
        {
            let next = last.saturating_add(increment);
            self.last = Some(next);
            values.push(next);
        }
    }

    /// Forgets what is in store if the sequence is another one now.
    fn follow(&mut self, sequence: &StoredSequence) {
        let is_same = std::ptr::eq(self.definition.as_ptr(), Arc::as_ptr(&sequence.definition))
            && std::ptr::eq(self.counter.as_ptr(), Arc::as_ptr(&sequence.counter));
        if !is_same {
            self.stored = None;
            self.definition = Arc::downgrade(&sequence.definition);
            self.counter = Arc::downgrade(&sequence.counter);
        }
    }
}
