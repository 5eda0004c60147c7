//! What a commit has changed, as it stands in the log: a head in JSON, and behind it rows as Arrow streams.
//!
//! | bytes | |
//! |---|---|
//! | 4 | `MLRC` |
//! | 4 | how many bytes are behind these 28 |
//! | 4 | CRC-32 of all behind itself |
//! | 8 | the record's number, from 1 |
//! | 8 | the number of the last record that was known to be on the device |
//! | | the head's bytes (4), the head, the streams |
//!
//! All numbers are little-endian.

use super::part::Batch;
use crate::catalog::{
    Comments, Entry, Numbers, Object, Position, Qualified, Schema, SequenceDefinition, SequenceOwner, StoredSequence,
    StoredView,
};
use crate::grants::Owned;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Routine, View};
use multiloop_planner::types::{DataType, Field};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// What a record begins with.
pub(super) const MARK: [u8; 4] = *b"MLRC";

/// Bytes before a record's head.
pub(super) const HEAD_BYTES: usize = 28;

/// What a commit has changed. Removals come first, then each object follows the one that it was in the state before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The first number that no object has had.
    pub(super) oids: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) schemas: Vec<(String, Option<SchemaDefinition>)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) removed: Vec<Qualified>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) objects: Vec<ObjectChange>,
    /// Sequences that have moved, by their numbers: where they are, and whether that was given. It stands alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) counters: Vec<(u32, i64, bool)>,
}

impl Change {
    pub(super) fn is_empty(&self) -> bool {
        self.schemas.is_empty() && self.removed.is_empty() && self.objects.is_empty()
    }

    /// The files that have rows of it.
    pub(super) fn files(&self) -> Vec<RowsFile> {
        let mut files = Vec::new();
        let mut add = |rows: &Rows| {
            if let Rows::File(file) = rows {
                files.push(file.clone());
            }
        };
        for of in &self.objects {
            match &of.rows {
                RowChange::None | RowChange::Arranged { .. } => {}
                RowChange::Steps { set, appended, .. } => {
                    set.iter().flat_map(|set| &set.values).for_each(&mut add);
                    appended.iter().for_each(&mut add);
                }
                RowChange::Pieces { pieces, .. } => pieces.iter().for_each(|piece| {
                    if let Piece::New(rows) = piece {
                        add(rows);
                    }
                }),
            }
        }
        files
    }
}

/// A schema without its objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SchemaDefinition {
    pub(super) oid: u32,
    pub(super) comment: Option<Arc<str>>,
    pub(super) owned: Owned,
}

impl SchemaDefinition {
    pub(super) fn of(schema: &Schema) -> Self {
        let Schema { oid, comment, owned, .. } = schema;
        SchemaDefinition { oid: *oid, comment: comment.clone(), owned: owned.clone() }
    }
}

/// An object that is new or other than it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ObjectChange {
    pub(super) name: Qualified,
    /// What it was called, if it was there and had another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<Qualified>,
    /// None if that is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) definition: Option<Definition>,
    #[serde(default, skip_serializing_if = "RowChange::is_none")]
    pub(super) rows: RowChange,
}

/// All of an object but rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Definition {
    pub(super) oid: u32,
    pub(super) numbers: Numbers,
    pub(super) comments: Vec<((u32, u32, u32), Arc<str>)>,
    pub(super) owned: Owned,
    pub(super) kind: Kind,
}

/// What an object is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Kind {
    Table {
        fields: Vec<Field>,
        declared: Box<Declared>,
    },
    View {
        view: Arc<View>,
        fields: Vec<Field>,
    },
    Type(DataType),
    Sequence {
        definition: SequenceDefinition,
        owner: Option<SequenceOwner>,
        /// Its value, and whether that was given.
        at: (i64, bool),
    },
    Routine(Arc<Routine>),
}

impl Definition {
    /// None of what is not kept: rows of a program's own.
    pub(super) fn of(object: &Object) -> Option<Self> {
        let kind = match &object.entry {
            Entry::Table(table) if table.provided().is_some() => return None,
            Entry::Table(table) => {
                let declared = &table.info.declared;
                let fields = declared.fields(&table.info.fields);
                Kind::Table { fields, declared: Box::new(Declared::clone(declared)) }
            }
            Entry::View(StoredView { view, fields }) => Kind::View { view: Arc::clone(view), fields: fields.to_vec() },
            Entry::Type(data_type) => Kind::Type(*data_type),
            Entry::Routine(routine) => Kind::Routine(Arc::clone(routine)),
            Entry::Sequence(StoredSequence { definition, counter, owner }) => {
                let Position { last_value, is_called, .. } = counter.position();
                let definition = SequenceDefinition::clone(definition);
                Kind::Sequence { definition, owner: owner.clone(), at: (last_value, is_called) }
            }
        };
        let Object { oid, numbers, comments, owned, .. } = object;
        let comments = comments.iter().map(|(of, text)| (*of, Arc::clone(text))).collect();
        Some(Definition { oid: *oid, numbers: Numbers::clone(numbers), comments, owned: owned.clone(), kind })
    }

    /// The comments as objects have them.
    pub(super) fn comments(&self) -> Arc<Comments> {
        Arc::new(self.comments.iter().map(|(of, text)| (*of, Arc::clone(text))).collect())
    }
}

/// How the rows of a table follow from those before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum RowChange {
    /// They are the same.
    #[default]
    None,
    /// They have the numbers that they had: some have other values, some are deleted, and new ones have come behind them.
    Steps {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        set: Vec<Set>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Runs,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        appended: Vec<Rows>,
    },
    /// They are those that were not deleted, in the order of these columns, NULLs last, and in their own where these are equal: they have
    /// new numbers.
    Arranged { by: Vec<usize> },
    /// They are of these pieces, and have new numbers; of these the ones of `gone` are deleted.
    Pieces { pieces: Vec<Piece>, gone: Runs },
}

/// Numbers of rows, ascending: where each run of them begins, and how many they are.
pub(super) type Runs = Vec<(usize, usize)>;

/// Numbers, which ascend, as runs.
pub(super) fn runs(numbers: impl IntoIterator<Item = usize>) -> Runs {
    let mut runs = Runs::new();
    for number in numbers {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == number => *count += 1,
            _ => runs.push((number, 1)),
        }
    }
    runs
}

/// The numbers of runs.
pub(super) fn numbers(runs: &Runs) -> Vec<usize> {
    runs.iter().flat_map(|&(start, count)| start..start + count).collect()
}

impl RowChange {
    pub(super) fn is_none(&self) -> bool {
        *self == RowChange::None
    }
}

/// Rows with other values in some columns: those of `values`, which has these alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Set {
    pub(super) rows: Runs,
    pub(super) columns: Vec<usize>,
    pub(super) values: Vec<Rows>,
}

/// Rows of a table, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Piece {
    /// So many from this number on in the table before.
    Kept(usize, usize),
    New(Rows),
}

/// Where rows are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Rows {
    /// In the record: where, in bytes from the first stream's beginning.
    Here(Range<usize>),
    /// In a file.
    File(RowsFile),
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct RowsFile {
    pub(super) number: u64,
    pub(super) rows: usize,
    pub(super) bytes: u64,
    pub(super) crc: u32,
    /// Where its columns are; none of files that older programs have written.
    #[serde(default, skip_serializing_if = "no_batches")]
    pub(super) batches: Arc<Vec<Batch>>,
}

fn no_batches(batches: &Arc<Vec<Batch>>) -> bool {
    batches.is_empty()
}

/// A record of the log.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) number: u64,
    /// The last one that was known to be on the device when this was written.
    pub(super) durable: u64,
    pub(super) change: Change,
    /// Its streams.
    pub(super) streams: Vec<u8>,
}

impl Record {
    /// As it stands in the log.
    ///
    /// # Errors
    /// 54000 if it would have more than 4 GiB.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let head = serde_json::to_vec(&self.change).map_err(|error| Error::internal(error.to_string()))?;
        let length = 4 + head.len() + self.streams.len();
        if u32::try_from(length).is_err() {
            let message = "a transaction of more than 4 GiB in few rows cannot be kept";
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        let mut bytes = Vec::with_capacity(HEAD_BYTES + length);
        bytes.extend(MARK);
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.durable.to_le_bytes());
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(head);
        bytes.extend(&self.streams);
        let crc = crc32fast::hash(&bytes[12..]);
        bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        Ok(bytes)
    }

    /// The record that some bytes begin with, and how many it has; none if they begin with no whole one.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<(Self, usize)> {
        let rest = bytes.strip_prefix(&MARK)?;
        let number_of = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let crc = u32::from_le_bytes(rest.get(4..8)?.try_into().ok()?);
        let end = HEAD_BYTES.checked_add(length)?;
        if crc32fast::hash(bytes.get(12..end)?) != crc {
            return None;
        }
        let behind = &bytes[HEAD_BYTES..end];
        let head = u32::from_le_bytes(behind.get(..4)?.try_into().ok()?) as usize;
        let change = serde_json::from_slice(behind.get(4..4usize.checked_add(head)?)?).ok()?;
        let streams = behind.get(4 + head..)?.to_vec();
        Some((Record { number: number_of(12)?, durable: number_of(20)?, change, streams }, end))
    }
}
