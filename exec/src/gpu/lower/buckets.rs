//! Levels behind the outermost one: the rows of a key's bucket.
//!
//! A left join's level (`BucketOrNull`) stands on no row where none counts as found: what is behind it is emitted once, and a flag
//! says whether there is a row. Columns are NULL where there is none, and their arrays are not read. Of rows that must pass something to
//! count, a last turn of the loop over them is the one without a row, which goes on if no turn before it did.
//!
//! Of a level whose unmatched rows are wanted (`BucketAndRest`) those that are found are noted, a byte each: the others are the outermost
//! rows of a loop that follows (`unmatched`).

use super::Lowering;
use super::probes::{Probed, Spans};
use super::scalars::Scalar;
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::statement::Statement;
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use multiloop_planner::multiloop::{CollectionId, KeyPart, ScalarId, Source};
use std::sync::Arc;

/// A collection of buckets, and the nodes of a key.
type Probe<'k> = (CollectionId, &'k [(u32, bool)]);

fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

/// The places of a bucket's rows: from one on, below another one.
struct Places {
    from: Expression,
    below: Expression,
}

impl Lowering<'_> {
    /// The nodes of a key, and which of them match NULL.
    pub(super) fn key_of(&self, key: &[KeyPart]) -> Vec<(u32, bool)> {
        let number = |part: &KeyPart| (self.task.of.expressions.number(part.scalar) as u32, part.null_matches);
        key.iter().map(number).collect()
    }

    /// A level over the bucket of a key, of which `one` row may do; then what is behind it.
    pub(super) fn bucket(
        &mut self,
        (collection, key): Probe<'_>,
        one: bool,
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let probed = self.probed(collection, key.len())?;
        let (number, absent) = self.find(&probed, key)?;
        self.open_level(&probed);
        let done = self.when(absent.not(), |to| match to.places(&probed.spans, &number, None) {
            None => to.on_row(number, then),
            Some(places) => {
                let Places { from, below } = if one { to.first_of(places) } else { places };
                to.each(from, below, word(1), |to, at| {
                    let row = to.row_at(&probed.spans, at);
                    to.on_row(row, then)
                })
            }
        });
        self.sources.pop();
        done
    }

    /// A level over those rows of a key's bucket that pass some conditions, or, if there are none, on no row; then what is behind it.
    pub(super) fn bucket_or_null(
        &mut self,
        (collection, key): Probe<'_>,
        (matches, one): (&[ScalarId], bool),
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let probed = self.probed(collection, key.len())?;
        let (number, absent) = self.find(&probed, key)?;
        let absent = self.hold(absent);
        self.open_level(&probed);
        // What becomes known of its rows is forgotten behind it.
        let done = self.apart(|to| match to.places(&probed.spans, &number, Some(&absent)) {
            None => to.row_or_null((number, absent), matches, then),
            Some(places) if matches.is_empty() => to.rows_or_null((&probed.spans, absent), places, one, then),
            Some(places) => to.matches_or_null(&probed.spans, places, matches, then),
        });
        self.sources.pop();
        self.put(done?);
        Ok(())
    }

    /// A level on the one row that a bucket has, if it passes.
    fn row_or_null(
        &mut self,
        (row, absent): (Expression, Expression),
        matches: &[ScalarId],
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        if matches.is_empty() {
            return self.on_row_or_null((row, absent), then);
        }
        let is_missing = self.declare(Expression::truth(true));
        self.when(absent.not(), |to| {
            to.on_row(row.clone(), |to| {
                to.filter(matches, |to| {
                    to.assign(is_missing, Expression::truth(false));
                    Ok(())
                })
            })
        })?;
        self.on_row_or_null((row, is_missing.get()), then)
    }

    /// A level on all rows of a bucket, and on no row if it is absent.
    fn rows_or_null(
        &mut self,
        (spans, absent): (&Spans, Expression),
        places: Places,
        one: bool,
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let Places { from, below } = match one {
            true => self.first_of(places),
            // One turn, without a row, from the first place of all on.
            false => {
                let below = Expression::select(absent.clone(), word(1), places.below);
                Places { from: places.from, below: self.hold(below) }
            }
        };
        self.each(from, below, word(1), |to, at| {
            let row = to.row_or_first(spans, &absent, at);
            to.on_row_or_null((row, absent), then)
        })
    }

    /// A level on the rows of a bucket that pass, and on no row if none does. Of a bucket that is absent there are no places.
    fn matches_or_null(
        &mut self,
        spans: &Spans,
        Places { from, below }: Places,
        matches: &[ScalarId],
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        let has_found = self.declare(Expression::truth(false));
        let turns = self.hold(Expression::binary(Binary::Add, below.clone(), word(1)));
        self.each(from, turns, word(1), |to, at| {
            let is_last = to.hold(Expression::binary(Binary::Equal, at.clone(), below));
            let row = to.row_or_first(spans, &is_last, at);
            let goes_on = to.declare(is_last.clone().and(has_found.get().not()));
            to.when(is_last.clone().not(), |to| {
                to.on_row(row.clone(), |to| {
                    to.filter(matches, |to| {
                        to.assign(goes_on, Expression::truth(true));
                        to.assign(has_found, Expression::truth(true));
                        Ok(())
                    })
                })
            })?;
            to.when(goes_on.get(), |to| to.on_row_or_null((row, is_last), then))
        })
    }

    /// What tuples read of a collection from here on; each may become as many as a bucket has rows.
    fn open_level(&mut self, probed: &Probed) {
        self.sources.push(Arc::clone(&probed.level));
        self.tuples_each = self.tuples_each.saturating_mul(probed.most.max(1));
    }

    /// Where the rows of a bucket are; none if it has one, of its number. Where there is no bucket nothing is read.
    fn places(&mut self, spans: &Spans, number: &Expression, absent: Option<&Expression>) -> Option<Places> {
        let read = |array: Expression| match absent {
            Some(absent) => Expression::select(absent.clone(), word(0), array),
            None => array,
        };
        match spans {
            Spans::Unique => None,
            Spans::ByNumber(starts) => {
                let starts = self.memory(Type::U32, starts);
                let next = Expression::binary(Binary::Add, number.clone(), word(1));
                let [from, below] = [number.clone(), next].map(|at| read(starts.at(at)));
                Some(Places { from, below: self.hold(below) })
            }
            Spans::ByCode { starts, counts, order } => {
                let [starts, counts, _] = [starts, counts, order].map(|array| self.memory(Type::U32, array));
                let from = self.hold(read(starts.at(number.clone())));
                let count = read(counts.at(number.clone()));
                let below = self.hold(Expression::binary(Binary::Add, from.clone(), count));
                Some(Places { from, below })
            }
        }
    }

    /// The first place of some.
    fn first_of(&mut self, places: Places) -> Places {
        let from = self.hold(places.from);
        let below = Expression::binary(Binary::Add, from.clone(), word(1));
        Places { below: self.hold(below), from }
    }

    /// The row at a place.
    fn row_at(&mut self, spans: &Spans, at: Expression) -> Expression {
        match spans {
            Spans::ByCode { order, .. } => {
                let order = self.memory(Type::U32, order);
                self.hold(order.at(at))
            }
            _ => at,
        }
    }

    /// The row at a place, if that is one.
    fn row_or_first(&mut self, spans: &Spans, is_none: &Expression, at: Expression) -> Expression {
        let row = match spans {
            Spans::ByCode { order, .. } => self.memory(Type::U32, order).at(at),
            _ => at,
        };
        self.hold(Expression::select(is_none.clone(), word(0), row))
    }

    /// With the next level on a row.
    fn on_row(&mut self, row: Expression, then: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        self.rows.push(row);
        let done = then(self);
        self.rows.pop();
        done
    }

    /// With the next level on a row, or on none.
    fn on_row_or_null(
        &mut self,
        (row, absent): (Expression, Expression),
        then: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        self.absent.push((self.rows.len(), absent));
        let done = self.on_row(row, then);
        self.absent.pop();
        done
    }

    /// A field of a level's row; NULL where it stands on none.
    pub(super) fn unless_absent(&self, level: usize, found: Scalar) -> Scalar {
        let Some((_, absent)) = self.absent.iter().find(|(of, _)| *of == level) else { return found };
        let nothing = Expression::number(0, found.value.data_type());
        Scalar {
            value: Expression::select(absent.clone(), nothing, found.value),
            null: absent.clone().or(found.null),
            ..found
        }
    }

    /// Which rows of a collection have been found, a byte each.
    fn found_rows(&mut self) -> Done<Variable> {
        let of = self.task.of;
        let source = of.levels.iter().find_map(|level| match &level.source {
            Source::BucketAndRest { collection, key, .. } => Some((*collection, key.len())),
            _ => None,
        });
        let Some((collection, parts)) = source else { return decline("bug: rows that nobody finds") };
        let rows = self.probed(collection, parts)?.level.rows;
        let known = self.reads.found.borrow().clone();
        let found = match known {
            Some(found) => found,
            None => Buffer::zeroed(&self.device.driver, rows)?,
        };
        *self.reads.found.borrow_mut() = Some(Arc::clone(&found));
        Ok(self.memory(Type::U8, &found))
    }

    /// Notes that the row of the last level is found. Threads that note one row note the same.
    pub(super) fn note_found(&mut self) -> Done<()> {
        let found = self.found_rows()?;
        let row = self.rows.last().cloned().unwrap_or_else(|| word(0));
        self.push(Statement::Store(found, row, Expression::number(1, Type::U8)));
        Ok(())
    }

    /// Whether an outermost row is to be gone over: of those of a bucket only what the loop before has not found.
    pub(super) fn is_wanted(&mut self, row: &Expression) -> Done<Expression> {
        match self.task.of.levels.first().map(|level| &level.source) {
            Some(Source::BucketAndRest { .. }) => {
                let found = self.found_rows()?.at(row.clone());
                Ok(Expression::binary(Binary::Equal, found, Expression::number(0, Type::U8)))
            }
            _ => Ok(Expression::truth(true)),
        }
    }

    /// Whether no outermost row gives more than one tuple.
    pub(crate) fn gives_one(&mut self) -> Done<bool> {
        for level in &self.task.of.levels[1..] {
            match &level.source {
                Source::Bucket { collection, key }
                | Source::BucketOrNull { collection, key, .. }
                | Source::BucketAndRest { collection, key, .. }
                    if self.probed(*collection, key.len())?.most <= 1 => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}
