//! Collections that have been computed: what later loops, lookups and the result read.

use crate::collections::rows::RowSet;
use crate::cpu::collections::clustered::OwnGroups;
use crate::cpu::index::{KeyIndex, Spans};
use crate::cpu::keys::codes::Codes;
use crate::cpu::keys::decode::{canonical, settle_intervals};
use crate::cpu::keys::integer::Key;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::chunked::Chunked;
use crate::cpu::vector::rows::{NO_GROUP, NO_ROW, Source as TileSource};
use crate::cpu::vector::{builder, finish};
use crate::plan::code_range::KeyRange;
use crate::plan::limits::Limits;
use crate::workers::context::{Memory, Reservation};
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::cell::RefCell;
use std::sync::Arc;

/// A collection.
#[derive(Debug)]
pub(crate) enum Stored {
    /// A table, or rows of any kind.
    Rows(RowSet),
    /// A table whose chunks are read while the one loop that goes over them does.
    Lazy(RowSet),
    /// Buckets of rows.
    Buckets(Buckets),
    /// One row a group.
    Groups(Groups),
    /// Groups that whoever asks for them makes.
    Own(OwnGroups),
}

/// Rows by key.
#[derive(Debug)]
pub(crate) struct Buckets {
    pub(crate) index: KeyIndex,
    pub(crate) members: Members,
    /// The key of each group, if somebody reads the groups as rows.
    pub(crate) keys: Option<RowSet>,
    pub(crate) _reservation: Option<Arc<Reservation>>,
}

/// The rows of buckets, those of a group side by side.
#[derive(Debug)]
pub(crate) struct Members {
    pub(crate) source: TileSource,
    pub(crate) rows: usize,
}

/// Rows that are looked up by key.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) rows: RowSet,
    /// If somebody looks up. Groups are rows.
    pub(crate) index: Option<KeyIndex>,
    /// For each field what a lookup that finds nothing gives.
    pub(crate) empty: Vec<Value>,
}

impl RowSet {
    /// Rows of these columns, counted against the memory limit.
    pub(crate) fn built(
        columns: Vec<ColumnBuilder>,
        types: &[DataType],
        rows: usize,
        memory: &Arc<Memory>,
    ) -> Result<Self> {
        let mut reservation = Reservation::new(memory);
        reservation.add(columns.iter().map(ColumnBuilder::bytes).sum())?;
        let chunks = if rows == 0 { Vec::new() } else { vec![Arc::new(finish::into_chunk(columns, types, rows)?)] };
        Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
    }

    /// As [`RowSet::built`], by many workers if there is enough to do.
    pub(crate) fn built_by(
        columns: Vec<ColumnBuilder>,
        types: &[DataType],
        rows: usize,
        workers: Workers<'_>,
    ) -> Result<Self> {
        let mut reservation = Reservation::new(&workers.context.memory);
        reservation.add(columns.iter().map(ColumnBuilder::bytes).sum())?;
        let chunk = || finish::into_chunk_with(columns, types, rows, workers);
        let chunks = if rows == 0 { Vec::new() } else { vec![Arc::new(chunk()?)] };
        Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(chunks) })
    }

    /// A field as a source that is read by the numbers of rows; none if there are too many for these.
    pub(crate) fn source(&self, field: u32) -> Option<TileSource> {
        let position = self.position(field);
        if self.rows >= NO_ROW as usize {
            return None;
        }
        match &self.chunks[..] {
            [] => None,
            [chunk] => Some(TileSource::Chunk { chunk: Arc::clone(chunk), fields: Some(Arc::from([position])) }),
            chunks => Some(TileSource::Chunked(Arc::new(Chunked::new(chunks, [position].into_iter())))),
        }
    }

    /// The value of a field in a row; NULL in [`NO_ROW`].
    pub(crate) fn value(&self, row: u32, field: u32, data_type: DataType) -> Value {
        if row == NO_ROW {
            return Value::Null;
        }
        let (mut row, position) = (row as usize, self.position(field) as usize);
        for chunk in &self.chunks {
            if row < chunk.rows {
                return chunk.columns[position].value(row, data_type);
            }
            row -= chunk.rows;
        }
        Value::Null
    }
}

impl Stored {
    /// The collection as rows; of buckets their keys.
    pub(crate) fn rows(&self) -> Result<&RowSet> {
        match self {
            Stored::Rows(rows) => Ok(rows),
            Stored::Groups(groups) => Ok(&groups.rows),
            Stored::Own(_) => Err(Error::internal("own groups are no rows")),
            Stored::Lazy(_) => Err(Error::internal("these rows have not been read")),
            Stored::Buckets(buckets) => {
                buckets.keys.as_ref().ok_or_else(|| Error::internal("the keys of these buckets were not kept"))
            }
        }
    }

    /// The same for the outermost index of a loop, which may go over rows that have not been read.
    pub(crate) fn outermost(&self) -> Result<&RowSet> {
        if let Stored::Lazy(rows) = self { Ok(rows) } else { self.rows() }
    }

    /// How many rows; of buckets how many members.
    pub(crate) fn row_count(&self) -> usize {
        match self {
            Stored::Rows(rows) | Stored::Lazy(rows) => rows.rows,
            Stored::Groups(groups) => groups.rows.rows,
            Stored::Buckets(buckets) => buckets.members.rows,
            Stored::Own(_) => 0,
        }
    }

    /// The collection as buckets.
    pub(crate) fn buckets(&self) -> Result<&Buckets> {
        if let Stored::Buckets(buckets) = self { Ok(buckets) } else { Err(Error::internal("these are no buckets")) }
    }

    /// The collection as groups.
    pub(crate) fn groups(&self) -> Result<&Groups> {
        if let Stored::Groups(groups) = self { Ok(groups) } else { Err(Error::internal("these are no groups")) }
    }

    fn index(&self) -> Result<&KeyIndex> {
        match self {
            Stored::Buckets(buckets) => Ok(&buckets.index),
            Stored::Groups(Groups { index: Some(index), .. }) => Ok(index),
            _ => Err(Error::internal("this collection has no index")),
        }
    }

    /// How its keys are found, if they are one integer each.
    pub(crate) fn integer_keys(&self) -> Option<KeyRange> {
        self.index().ok().and_then(KeyIndex::key_range)
    }

    /// The range in which all values of a part of its keys lie, as of [`KeyIndex::part_range`]; an empty one of no keys.
    pub(crate) fn key_range(&self, part: usize) -> Option<(i128, i128)> {
        let index = self.index().ok()?;
        if self.row_count() == 0 { Some((0, -1)) } else { index.part_range(part) }
    }

    /// For each tuple the group of its key, [`NO_GROUP`] if there is none.
    pub(crate) fn find(&self, key: &Key<'_>, len: usize, groups: &mut Vec<u32>) -> Result<()> {
        let index = self.index()?;
        CODES.with_borrow_mut(|codes| index.find(key, len, codes, groups));
        Ok(())
    }

    /// The tuples (of a mask, if there is one) that have a group, in order, and their groups; both are appended.
    pub(crate) fn matches(
        &self,
        key: &Key<'_>,
        len: usize,
        mask: Option<&Bitmap>,
        found: (&mut Vec<u32>, &mut Vec<u32>),
    ) -> Result<()> {
        let index = self.index()?;
        CODES.with_borrow_mut(|codes| index.matches(key, len, mask, codes, found));
        Ok(())
    }

    /// For each tuple whether there is a group of its key.
    pub(crate) fn contains(&self, key: &Key<'_>, len: usize, out: &mut Bitmap) -> Result<()> {
        let index = self.index()?;
        let mut groups = Vec::new();
        CODES.with_borrow_mut(|codes| index.contains(key, len, (codes, &mut groups), out));
        Ok(())
    }
}

thread_local! {
    /// Memory for the codes of the keys of a tile.
    static CODES: RefCell<Codes> = RefCell::default();
}

impl Buckets {
    /// Buckets whose rows stay where they are.
    pub(crate) fn in_place(index: KeyIndex, members: Members) -> Self {
        Buckets { index, members, keys: None, _reservation: None }
    }

    /// Sorts rows into buckets.
    pub(crate) fn build(
        (keys, key_types): (Vec<ColumnBuilder>, &[DataType]),
        (members, member_types): (Vec<ColumnBuilder>, &[DataType]),
        rows: usize,
        keep_keys: bool,
        limits: &Limits,
        workers: Workers<'_>,
    ) -> Result<Self> {
        let memory = &workers.context.memory;
        let mut reservation = Reservation::new(memory);
        reservation.add(members.iter().map(ColumnBuilder::bytes).sum())?;
        let built = KeyIndex::build(&keys, key_types, rows, limits, workers)?;
        let members = match &built.order {
            Some(order) => builder::take_all(members, order, workers)?,
            None => members,
        };
        let members = Arc::new(finish::into_chunk_with(members, member_types, rows, workers)?);
        let members = Members { source: TileSource::chunk(members), rows };
        let keys = if keep_keys {
            let firsts: Vec<u32> = match &built.index.spans {
                Spans::Unique => built.order.clone().unwrap_or_else(|| (0..rows as u32).collect()),
                Spans::Starts(starts) => starts[..starts.len() - 1]
                    .iter()
                    .map(|&start| built.order.as_ref().map_or(start, |order| order[start as usize]))
                    .collect(),
            };
            let mut columns: Vec<ColumnBuilder> = keys.iter().map(|column| canonical(column.take(&firsts))).collect();
            if let Spans::Starts(starts) = &built.index.spans {
                settle_keys(&mut columns, &keys, starts, built.order.as_deref());
            }
            Some(RowSet::built(columns, key_types, firsts.len(), memory)?)
        } else {
            None
        };
        Ok(Buckets { index: built.index, members, keys, _reservation: Some(Arc::new(reservation)) })
    }
}

/// Makes the keys of buckets independent of which of a bucket's rows came first; see [`settle_intervals`].
fn settle_keys(columns: &mut [ColumnBuilder], keys: &[ColumnBuilder], starts: &[u32], order: Option<&[u32]>) {
    for (column, key) in columns.iter_mut().zip(keys).filter(|(column, _)| column.is_interval()) {
        let sorted = order.map_or_else(|| key.clone(), |order| key.take(order));
        let bucket = |(bucket, span): (usize, &[u32])| (span[0]..span[1]).map(move |_| bucket as u32);
        let buckets: Vec<u32> = starts.windows(2).enumerate().flat_map(bucket).collect();
        settle_intervals(column, &sorted.into_vector(), &buckets);
    }
}

impl Members {
    /// The rows of all buckets, in order.
    pub(crate) fn row_set(&self) -> Result<RowSet> {
        match &self.source {
            TileSource::Chunk { chunk, fields } => {
                Ok(RowSet { fields: fields.clone(), ..RowSet::new(vec![Arc::clone(chunk)]) })
            }
            _ => Err(Error::internal("the rows of these buckets lie where a table has them")),
        }
    }
}

impl Groups {
    /// For each tuple the row of its key's group, [`NO_ROW`] if there is none.
    pub(crate) fn find(&self, key: &Key<'_>, len: usize, rows: &mut Vec<u32>) -> Result<()> {
        const { assert!(NO_ROW == NO_GROUP, "what is not found is no row") };
        let Some(index) = &self.index else { return Err(Error::internal("this collection has no index")) };
        CODES.with_borrow_mut(|codes| index.find(key, len, codes, rows));
        Ok(())
    }
}
