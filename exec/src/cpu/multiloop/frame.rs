//! The frame of the block that is being evaluated: the collections and rows that its loops read.

use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::column::{Chunks, Table};
use crate::cpu::collections::bindings::{Bindings, Captured};
use crate::cpu::collections::stored::Stored;
use crate::cpu::multiloop::adopt::adopt_held;
use crate::cpu::multiloop::searched::Asked;
use crate::cpu::reduce::neighbours::Maker;
use crate::cpu::vector::Vector;
use crate::cpu::vector::rows::Source;
use crate::plan::batch::Batch;
use crate::plan::statistics::LetStatistics;
use crate::plan::tree::{Plan, TablePlan};
use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::{Error, Result};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, CollectionId};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a let defines.
pub(crate) type Defined = Vec<Made<Stored>>;

/// What drives the lets of blocks: nested ones are evaluated where a loop asks for them.
pub(crate) trait Driver: Sync {
    /// Field of the only row of a block that stands in the frame's, with these fields of enclosing rows.
    fn nested(&self, around: &Frame<'_>, block: BlockId, field: u32, captured: &Captured) -> Result<Value>;

    /// The rows of a block's result, and the types of its fields.
    fn rows(&self, around: &Frame<'_>, block: BlockId, captured: &Captured) -> Result<(Arc<Stored>, Vec<DataType>)>;

    /// The same for all of these rows, as a batch.
    fn nested_batch(&self, around: &Frame<'_>, batch: &Batch, field: u32, asking: &[Vec<Value>]) -> Result<Vec<Value>>;

    /// Makes `out` a field of a batch's block for each of `len` tuples, which capture these.
    fn nested_columns(
        &self,
        around: &Frame<'_>,
        asked: (&Batch, u32),
        captures: &[&Vector],
        len: usize,
        out: &mut Vector,
    ) -> Result<()>;
}

/// Lets of the body that were put off, and who of them is asked for.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    lets: FxHashMap<CollectionId, usize>,
    /// How many rows the let of a collection goes over.
    pub(crate) rows: FxHashMap<CollectionId, u64>,
    asked: Vec<usize>,
}

impl Waiting {
    /// A collection of the let of a number, which goes over so many rows, is put off.
    pub(crate) fn put(&mut self, id: CollectionId, number: usize, rows: u64) {
        self.lets.insert(id, number);
        self.rows.insert(id, rows);
    }

    /// The same no longer.
    pub(crate) fn forget(&mut self, id: CollectionId) {
        self.lets.remove(&id);
        self.rows.remove(&id);
    }

    /// Somebody reads a collection that may have been put off.
    fn ask(&mut self, id: CollectionId) {
        if let Some(&number) = self.lets.get(&id)
            && !self.asked.contains(&number)
        {
            self.asked.push(number);
        }
    }

    /// The lets that were asked for since the last time.
    pub(crate) fn take_asked(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.asked)
    }

    /// The let of a collection that was put off.
    pub(crate) fn let_of(&self, id: CollectionId) -> Option<usize> {
        self.lets.get(&id).copied()
    }
}

/// What all blocks of a running program share.
pub(crate) struct Shared<'a> {
    pub(crate) plan: &'a Plan,
    /// An error is raised by whoever reads the table.
    pub(crate) tables: FxHashMap<CollectionId, Result<Arc<Stored>>>,
    /// The fields of tables that are read by the numbers of rows; none where chunks are too uneven for that.
    pub(crate) elements: FxHashMap<(CollectionId, u32), Option<Source>>,
    pub(crate) parameters: &'a [Value],
    pub(crate) context: &'a Context,
    /// What evaluates nested blocks.
    pub(crate) driver: &'a dyn Driver,
    /// What the lets of the body did.
    pub(crate) statistics: Mutex<Vec<(usize, LetStatistics)>>,
    /// Chunks that the loop of the body that runs has not looked at.
    pub(crate) chunks_pruned: AtomicU64,
    /// What became of its adaptive choices: of which generator, and what. None unless somebody asks.
    pub(crate) notes: Option<Mutex<Vec<(usize, String)>>>,
    /// What invariant lets of nested blocks gave, by block and let.
    pub(crate) invariant: Vec<Vec<Mutex<Option<Defined>>>>,
    /// What lets of the body were put off.
    pub(crate) put_off: Mutex<Waiting>,
    /// What rows have asked of blocks that are answered by search.
    pub(crate) searched: FxHashMap<BlockId, Mutex<Asked>>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        tables: &dyn Fn(TableHandle) -> Arc<Table>,
        parameters: &'a [Value],
        context: &'a Context,
        driver: &'a dyn Driver,
        takes_notes: bool,
    ) -> Self {
        let mut stored = FxHashMap::default();
        let mut read = FxHashMap::default();
        for (number, collection) in plan.collections.iter().enumerate() {
            if let Some(table) = &collection.table {
                let rows = rows_of(plan, table, &tables(table.handle), (&mut read, context));
                stored.insert(CollectionId(number as u32), rows.map(Arc::new));
            }
        }
        let mut elements = FxHashMap::default();
        for &(collection, field) in &plan.elements {
            if let Some(Ok(table)) = stored.get(&collection)
                && let Stored::Rows(rows) = &**table
            {
                elements.insert((collection, field), rows.source(field));
            }
        }
        let invariant = plan.blocks.iter().map(|block| block.lets.iter().map(|_| Mutex::new(None)).collect()).collect();
        let (statistics, chunks_pruned) = Default::default();
        let notes = takes_notes.then(Mutex::default);
        let searched = plan.searched.keys().map(|&block| (block, Mutex::default())).collect();
        Shared {
            plan,
            tables: stored,
            elements,
            parameters,
            context,
            driver,
            statistics,
            chunks_pruned,
            notes,
            invariant,
            put_off: Mutex::default(),
            searched,
        }
    }

    /// What lets of the body were put off.
    pub(crate) fn put_off(&self) -> MutexGuard<'_, Waiting> {
        self.put_off.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A let of the body begins.
    pub(crate) fn begin_notes(&self) {
        self.chunks_pruned.store(0, Ordering::Relaxed);
        self.take_notes();
    }

    /// What has been noted since the let of the body began.
    pub(crate) fn take_notes(&self) -> Vec<(usize, String)> {
        let notes = self.notes.as_ref().and_then(|notes| notes.lock().ok());
        notes.map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default()
    }

    /// How many notes there are.
    pub(crate) fn notes_taken(&self) -> usize {
        self.notes.as_ref().and_then(|notes| notes.lock().ok()).map_or(0, |notes| notes.len())
    }

    /// Forgets the notes behind the first so many.
    pub(crate) fn forget_notes(&self, kept: usize) {
        if let Some(mut notes) = self.notes.as_ref().and_then(|notes| notes.lock().ok()) {
            notes.truncate(kept);
        }
    }
}

/// Columns of lazy tables that have been read: chunks of these alone, in the order of their positions.
type Read = FxHashMap<TableHandle, (Vec<u32>, Result<Chunks>)>;

/// A table as rows. Those that lie elsewhere are read while a loop passes over them, or now, where they are read in another way.
fn rows_of(plan: &Plan, of: &TablePlan, table: &Table, (read, context): (&mut Read, &Context)) -> Result<Stored> {
    let fields = Some(Arc::from(of.columns.as_slice()));
    if !table.is_lazy() {
        return Ok(Stored::Rows(RowSet { fields, ..RowSet::of(table.chunks.with_rows()) }));
    }
    if of.once {
        return Ok(Stored::Lazy(RowSet { fields, ..RowSet::of(table.chunks.with_rows()) }));
    }
    let (columns, chunks) = read.entry(of.handle).or_insert_with(|| {
        let others = plan.collections.iter().filter_map(|collection| collection.table.as_ref());
        let alike = others.filter(|other| other.handle == of.handle && !other.once);
        let mut columns: Vec<u32> = alike.flat_map(|table| table.columns.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let chunks = table.read(&columns, Some(context)).map(Chunks::from);
        (columns, chunks)
    });
    let chunks = chunks.as_ref().map_err(Clone::clone)?;
    let place = |column: &u32| columns.binary_search(column).expect("every column of it has been read") as u32;
    let fields = Some(of.columns.iter().map(place).collect());
    Ok(Stored::Rows(RowSet { fields, ..RowSet::of(chunks.with_rows()) }))
}

/// A block that is being evaluated.
pub(crate) struct Frame<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) parent: Option<&'a Frame<'a>>,
    pub(crate) captured: &'a Captured,
    /// What lets gave. An error is raised by whoever reads the collection: what nothing reads does not fail.
    pub(crate) own: FxHashMap<CollectionId, Result<Made<Stored>>>,
}

impl<'a> Frame<'a> {
    /// A collection of this block or of one around it, on the host.
    pub(crate) fn get(&self, id: CollectionId) -> Result<Arc<Stored>> {
        self.get_with(id, None)
    }

    /// The same; whoever is no worker may have the help of a pool's, if it has to be fetched from a device.
    pub(crate) fn get_with(&self, id: CollectionId, pool: Option<&Pool>) -> Result<Arc<Stored>> {
        match self.made(id)? {
            Made::Host(stored) => Ok(stored),
            Made::Held(kept) => kept.fetched(|kept| adopt_held(self, kept, pool)),
        }
    }

    /// The same, wherever it is.
    pub(crate) fn made(&self, id: CollectionId) -> Result<Made<Stored>> {
        let mut frame = self;
        loop {
            if let Some(made) = frame.own.get(&id) {
                if made.is_err() {
                    self.shared.put_off().ask(id);
                }
                return made.clone();
            }
            match frame.parent {
                Some(parent) => frame = parent,
                None => break,
            }
        }
        let undefined = || Error::internal(format!("collection {} is read before it is defined", id.0));
        self.shared.tables.get(&id).cloned().unwrap_or_else(|| Err(undefined())).map(Made::Host)
    }

    /// How many rows a collection has; of buckets how many members. Of what could not be made there are none.
    pub(crate) fn row_count(&self, id: CollectionId) -> usize {
        self.made(id).map_or(0, |made| row_count(&made))
    }

    /// What expressions get from around their loop.
    pub(crate) fn bindings(&self) -> Bindings<'a> {
        Bindings { parameters: self.shared.parameters, captured: self.captured }
    }

    /// An error if the statement was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        self.shared.context.check()
    }

    /// The type of a field of a collection.
    pub(crate) fn field_type(&self, collection: CollectionId, field: u32) -> DataType {
        self.shared.plan.collection(collection).fields[field as usize].data_type
    }

    /// Counts chunks that a loop does not look at, for the let of the body whose loop it is.
    pub(crate) fn note_pruned(&self, chunks: usize) {
        if self.parent.is_none() {
            self.shared.chunks_pruned.fetch_add(chunks as u64, Ordering::Relaxed);
        }
    }

    /// Notes what became of an adaptive choice about a generator, for the let of the body whose loop it is; only where somebody
    /// asks, since to write it down costs more than a loop over few rows.
    pub(crate) fn note(&self, generator: usize, what: impl FnOnce() -> String) {
        if let (None, Some(notes)) = (self.parent, &self.shared.notes)
            && let Ok(mut notes) = notes.lock()
        {
            notes.push((generator, what()));
        }
    }

    /// How own groups are made, if that is left to whoever asks.
    pub(crate) fn maker(&self, id: CollectionId) -> Result<Option<Maker<'a>>> {
        let Some(key) = self.shared.plan.collection(id).own else { return Ok(None) };
        let (stored, plan) = (self.get(id)?, self.shared.plan.loop_of(key.made.0, key.made.1));
        Ok(match (&*stored, plan) {
            (Stored::Own(groups), Some(plan)) => {
                let generator = &plan.generators[key.generator];
                Some(Maker { plan, generator, groups: groups.clone(), bindings: self.bindings() })
            }
            _ => None,
        })
    }
}

/// How many rows a let gave; of buckets how many members. May wait for the device that keeps them.
pub(crate) fn row_count(made: &Made<Stored>) -> usize {
    row_count_if_known(made).unwrap_or(0)
}

/// The same; none of what a device has lost: who reads that sees the error.
pub(crate) fn row_count_if_known(made: &Made<Stored>) -> Option<usize> {
    match (made.on_host(), made) {
        (Some(stored), _) => Some(stored.map_or(0, |stored| stored.row_count())),
        (None, Made::Held(kept)) => kept.held.rows().ok(),
        (None, Made::Host(stored)) => Some(stored.row_count()),
    }
}
