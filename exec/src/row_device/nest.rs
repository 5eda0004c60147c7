//! Nests: every setting of the indices of a loop, the last index fastest.

use super::data::Data;
use crate::Result;
use crate::backend::Task;
use crate::backend::inputs::Inputs;
use crate::plan::tree::LoopPlan;
use multiloop_planner::multiloop::{CollectionId, KeyPart, Source};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where an index stands.
#[derive(Clone)]
pub(super) enum Cursor {
    Nowhere,
    Row(Rc<Data>, usize),
    /// A row of a bucket: which bucket, and which of its rows.
    Member(Rc<Data>, (usize, usize)),
    /// On no row: every field is NULL.
    Nothing,
    /// Of a Count.
    Number(i64),
}

/// A loop that is run, and the rows on which it stands.
pub(super) struct Rows<'t> {
    pub(super) task: Task<'t>,
    pub(super) inputs: &'t dyn Inputs,
    /// By position in the nest.
    pub(super) cursors: Vec<Cursor>,
    collections: FxHashMap<CollectionId, Rc<Data>>,
    /// Whether chunks of which no row can pass are left out.
    prunes: bool,
    /// The rows of buckets whose unmatched rows are wanted that have been found.
    found: FxHashSet<(usize, usize)>,
    /// Collections that the device itself keeps.
    pub(super) kept_read: usize,
}

/// What is done for each setting of a loop, or of what follows for unmatched rows.
pub(super) type Visit<'v, 't> = &'v mut dyn FnMut(&mut Rows<'t>, &LoopPlan) -> Result<()>;

impl<'t> Rows<'t> {
    pub(super) fn new(task: Task<'t>, inputs: &'t dyn Inputs, prunes: bool) -> Self {
        let cursors = vec![Cursor::Nowhere; task.of.levels.len()];
        let (collections, found) = Default::default();
        Rows { task, inputs, cursors, collections, prunes, found, kept_read: 0 }
    }

    /// A collection.
    pub(super) fn data(&mut self, id: CollectionId) -> Result<Rc<Data>> {
        if let Some(data) = self.collections.get(&id) {
            return Ok(Rc::clone(data));
        }
        let data = Rc::new(Data::read(&self.task, self.inputs, id)?);
        self.kept_read += usize::from(data.kept().is_some());
        self.collections.insert(id, Rc::clone(&data));
        Ok(data)
    }

    /// Visits every setting: those of the nest, then the unmatched rows, if they are wanted.
    pub(super) fn settings(&mut self, visit: Visit<'_, 't>) -> Result<()> {
        let of = self.task.of;
        self.level(of, 0, visit)?;
        let Some(unmatched) = &of.unmatched else { return Ok(()) };
        let Some(collection) = unmatched.levels[0].source.collection() else { return Ok(()) };
        let data = self.data(collection)?;
        let found = std::mem::take(&mut self.found);
        self.cursors = vec![Cursor::Nowhere; unmatched.levels.len()];
        for bucket in 0..data.rows() {
            for at in (0..data.members(bucket)).map(|row| (bucket, row)).filter(|at| !found.contains(at)) {
                self.enter(unmatched, 0, Cursor::Member(Rc::clone(&data), at), visit)?;
            }
        }
        Ok(())
    }

    fn level(&mut self, of: &LoopPlan, at: usize, visit: Visit<'_, 't>) -> Result<()> {
        let Some(level) = of.levels.get(at) else { return visit(self, of) };
        match &level.source {
            Source::Rows(collection) => {
                let data = self.data(*collection)?;
                let rows = self.outermost_rows(at, &data)?;
                for row in rows {
                    self.enter(of, at, Cursor::Row(Rc::clone(&data), row), visit)?;
                }
            }
            Source::Bucket { collection, key } => {
                let data = self.data(*collection)?;
                for member in self.bucket(of, &data, key)? {
                    self.enter(of, at, Cursor::Member(Rc::clone(&data), member), visit)?;
                }
            }
            Source::BucketOrNull { collection, key, .. } | Source::BucketAndRest { collection, key, .. } => {
                let data = self.data(*collection)?;
                let wants_rest = matches!(level.source, Source::BucketAndRest { .. });
                let mut matched = false;
                for member in self.bucket(of, &data, key)? {
                    let cursor = Cursor::Member(Rc::clone(&data), member);
                    self.cursors[at] = cursor.clone();
                    if !self.passes(of, &level.matches)? {
                        continue;
                    }
                    matched = true;
                    if wants_rest {
                        self.found.insert(member);
                    }
                    self.enter(of, at, cursor, visit)?;
                }
                if !matched && !wants_rest {
                    self.enter(of, at, Cursor::Nothing, visit)?;
                }
            }
            Source::Count(count) => {
                let Value::Int(count) = self.scalar(of, *count)? else { return Ok(()) };
                for number in 0..count {
                    self.enter(of, at, Cursor::Number(number), visit)?;
                }
            }
        }
        self.cursors[at] = Cursor::Nowhere;
        Ok(())
    }

    /// The rows of a collection that an index goes over: of the outermost one those that may pass.
    fn outermost_rows(&self, at: usize, data: &Data) -> Result<Vec<usize>> {
        if at > 0 || !self.prunes || data.kept().is_some() {
            return Ok((0..data.rows()).collect());
        }
        let starts = data.chunk_starts();
        let rows = self.inputs.chunks()?.into_iter();
        Ok(rows
            .flat_map(|(chunk, rows)| rows.map(move |row| (chunk, row)))
            .map(|(chunk, row)| starts[chunk] + row)
            .collect())
    }

    /// With an index on a row: goes on if the conditions that are known then hold.
    fn enter(&mut self, of: &LoopPlan, at: usize, cursor: Cursor, visit: Visit<'_, 't>) -> Result<()> {
        self.inputs.context().check()?;
        self.cursors[at] = cursor;
        if self.passes(of, &of.levels[at].conditions)? {
            self.level(of, at + 1, visit)?;
        }
        Ok(())
    }

    /// The rows of a bucket; none if there is no such bucket.
    fn bucket(&mut self, of: &LoopPlan, data: &Data, key: &[KeyPart]) -> Result<Vec<(usize, usize)>> {
        let parts: Vec<(u32, bool)> =
            key.iter().map(|part| (of.expressions.number(part.scalar) as u32, part.null_matches)).collect();
        let Some(bucket) = self.key(of, &parts)?.and_then(|key| data.find(&key)) else { return Ok(Vec::new()) };
        Ok((0..data.members(bucket)).map(|row| (bucket, row)).collect())
    }
}
