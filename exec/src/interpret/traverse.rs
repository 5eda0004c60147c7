//! Nests: every setting of the indices of a loop, the last index fastest.

use super::collection::{Data, Row};
use super::{Cursor, Interpreter};
use crate::Result;
use multiloop_planner::multiloop::{Index, IndexId, KeyPart, Multiloop, ScalarId, Source};
use multiloop_planner::value::Value;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What is done for each setting.
pub(super) type Visit<'v, 'a> = &'v mut dyn FnMut(&mut Interpreter<'a>) -> Result<()>;

impl<'a> Interpreter<'a> {
    /// Visits every setting of the indices of a loop: those of the nest, and then the rest of an index that has one.
    pub(super) fn settings(&mut self, multiloop: &Multiloop, visit: Visit<'_, 'a>) -> Result<()> {
        let nest = &multiloop.nest[..];
        let Some(at) = multiloop.rest() else { return self.traverse(nest, visit) };
        let (index, deeper) = (&nest[at], &nest[at + 1..]);
        self.found[index.id.0 as usize] = FxHashSet::default();
        self.traverse(nest, visit)?;
        let Some(collection) = index.source.collection() else { return Ok(()) };
        let data = self.collection(collection)?;
        let found = std::mem::take(&mut self.found[index.id.0 as usize]);
        nest[..at].iter().for_each(|earlier| self.cursors[earlier.id.0 as usize] = Cursor::Nothing);
        for (bucket, row) in (0..data.rows()).flat_map(|bucket| (0..data.members(bucket)).map(move |row| (bucket, row)))
        {
            if !found.contains(&(bucket, row)) {
                self.step(index.id, Cursor::Member(Rc::clone(&data), bucket, row), deeper, visit)?;
            }
        }
        nest[..=at].iter().for_each(|index| self.cursors[index.id.0 as usize] = Cursor::Nowhere);
        Ok(())
    }

    /// Visits every setting of the indices of a nest, without a rest.
    fn traverse(&mut self, nest: &[Index], visit: Visit<'_, 'a>) -> Result<()> {
        let Some((index, rest)) = nest.split_first() else { return visit(self) };
        match &index.source {
            Source::Rows(collection) => {
                let data = self.collection(*collection)?;
                for row in 0..data.rows() {
                    self.step(index.id, Cursor::Row(Rc::clone(&data), row), rest, visit)?;
                }
            }
            Source::Bucket { collection, key } => {
                let data = self.collection(*collection)?;
                for (bucket, row) in self.bucket(&data, key)? {
                    self.step(index.id, Cursor::Member(Rc::clone(&data), bucket, row), rest, visit)?;
                }
            }
            Source::BucketOrNull { collection, key, condition } => {
                let data = self.collection(*collection)?;
                let mut matched = false;
                for (bucket, row) in self.bucket(&data, key)? {
                    self.cursors[index.id.0 as usize] = Cursor::Member(Rc::clone(&data), bucket, row);
                    if self.passes(condition)? {
                        matched = true;
                        self.step(index.id, Cursor::Member(Rc::clone(&data), bucket, row), rest, visit)?;
                    }
                }
                if !matched {
                    self.step(index.id, Cursor::Nothing, rest, visit)?;
                }
            }
            Source::BucketAndRest { collection, key, condition } => {
                let data = self.collection(*collection)?;
                for (bucket, row) in self.bucket(&data, key)? {
                    self.cursors[index.id.0 as usize] = Cursor::Member(Rc::clone(&data), bucket, row);
                    if self.passes(condition)? {
                        self.found[index.id.0 as usize].insert((bucket, row));
                        self.step(index.id, Cursor::Member(Rc::clone(&data), bucket, row), rest, visit)?;
                    }
                }
            }
            Source::Count(count) => {
                let Value::Int(count) = self.scalar(*count)? else { return Ok(()) };
                for number in 0..count {
                    self.step(index.id, Cursor::Number(number), rest, visit)?;
                }
            }
        }
        self.cursors[index.id.0 as usize] = Cursor::Nowhere;
        Ok(())
    }

    fn step(&mut self, index: IndexId, cursor: Cursor, rest: &[Index], visit: Visit<'_, 'a>) -> Result<()> {
        self.context.check()?;
        self.cursors[index.0 as usize] = cursor;
        self.traverse(rest, visit)
    }

    /// The rows of a bucket, as (bucket, row); none if there is no such bucket.
    fn bucket(&mut self, data: &Data, key: &[KeyPart]) -> Result<impl Iterator<Item = (usize, usize)> + use<>> {
        let found = self.probe(key)?.and_then(|key| data.find(&key));
        let members = found.map_or(0, |bucket| data.members(bucket));
        Ok((0..members).map(move |row| (found.unwrap_or(0), row)))
    }

    /// The key to look for; none if a part is NULL and NULL does not match there.
    pub(super) fn probe(&mut self, key: &[KeyPart]) -> Result<Option<Row>> {
        let mut row = Vec::with_capacity(key.len());
        for part in key {
            let value = self.scalar(part.scalar)?;
            if value.is_null() && !part.null_matches {
                return Ok(None);
            }
            row.push(value.group_key());
        }
        Ok(Some(row))
    }

    /// Whether all conditions are TRUE; those behind one that is not are not evaluated.
    pub(super) fn passes(&mut self, condition: &[ScalarId]) -> Result<bool> {
        for scalar in condition {
            if !self.scalar(*scalar)?.is_true() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
