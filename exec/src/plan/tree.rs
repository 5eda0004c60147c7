//! The plan as a value: what is decided about a program, block by block, let by let, loop by loop.
//!
//! It borrows neither the program nor tables: it can be kept, sent, printed and written down, and a run needs nothing
//! else. One plan serves all values of a statement's parameters. What the data at hand decides is an [`Adaptive`] field.

use crate::plan::aggregate::AggregateKind;
use crate::plan::batch::Batch;
use crate::plan::choice::{Adaptive, Choice};
use crate::plan::expressions::Expressions;
use crate::plan::group_kind::{GroupKind, Rows};
use crate::plan::index_form::IndexForm;
use crate::plan::interchange::Interchanged;
use crate::plan::key_layout::KeyLayout;
use crate::plan::limits::Limits;
use crate::plan::range_join::RangeJoin;
use crate::plan::row_text::RowText;
use crate::plan::searched::Searched;
use crate::technique::Technique;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, CollectionId, Enough, IndexId, RowBound, ScalarId, Source, WindowField};
use multiloop_planner::types::{DataType, Field, SortOrder};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Workers that share the pieces of a loop, at least one.
    pub workers: usize,
    /// Which way is better from where on.
    pub limits: Limits,
}

impl Machine {
    /// The host alone, with so many workers.
    pub fn host(workers: usize) -> Self {
        Machine { workers, limits: Limits::default() }
    }
}

/// What runs a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Device {
    /// The processors.
    Host,
    /// One of the devices that the plan is made for, by its number.
    Other(u32),
}

/// How a program runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// By id.
    pub(crate) collections: Vec<CollectionPlan>,
    /// By id.
    pub(crate) blocks: Vec<BlockPlan>,
    pub(crate) body: BlockId,
    /// Those that are evaluated for many rows at once, and how.
    pub(crate) batches: FxHashMap<BlockId, Batch>,
    /// Those that are answered by search among rows in order, and how.
    pub(crate) searched: FxHashMap<BlockId, Searched>,
    /// Those whose loops change places with those of the rows that ask, where these are many.
    pub(crate) interchanged: FxHashMap<BlockId, Interchanged>,
    /// The columns of the result: name and field.
    pub(crate) output: Vec<(String, u32)>,
    /// Fields of tables that are read by the numbers of rows.
    pub(crate) elements: Vec<(CollectionId, u32)>,
    /// Whether the rows of the body's last let may be made while they are handed out.
    pub(crate) streams: Choice<bool>,
    /// Which lets of the body may come to be asked for nothing.
    pub(crate) gates: Option<Gates>,
    /// Which lets of the body may wait until a row asks for them.
    pub(crate) put_off: Option<PutOff>,
    /// What the devices are called that loops may be placed on.
    pub(crate) devices: Vec<String>,
    /// By which it chose, and chooses again when the data is at hand.
    pub(crate) limits: Limits,
}

/// What is known of a collection, and who reads it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CollectionPlan {
    pub(crate) fields: Vec<Field>,
    /// Proven: for each field between which integers its values are. A debug build checks it.
    pub(crate) bounds: Vec<Option<(i128, i128)>>,
    /// Proven: how many rows there are at most.
    pub(crate) rows_max: Option<u64>,
    /// The table that it is, if it is one.
    pub(crate) table: Option<TablePlan>,
    pub(crate) reads: Reads,
    /// Groups that the rows which ask for them make of their neighbours, unless one key fills a chunk.
    pub(crate) own: Option<OwnKey>,
    /// Of groups whose only reader is a loop over them that begins with conditions on nothing else: that loop, by block
    /// and let. What does not pass them need not become rows.
    pub(crate) group_filter: Option<(BlockId, usize)>,
}

/// How a collection is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reads {
    /// At all.
    pub(crate) any: bool,
    /// As rows.
    pub(crate) rows: bool,
    /// By keys that are looked up in it.
    pub(crate) keys: bool,
    /// By loops, lets and blocks of the processors.
    pub(crate) host: bool,
    /// By loops that a device runs, unless it declines: as rows or as buckets, with all that is read of them.
    pub(crate) device: bool,
}

impl Reads {
    /// Whether somebody may ask for its rows; of buckets for their keys.
    pub(crate) fn as_rows(self) -> bool {
        self.rows || self.device
    }
}

/// A table that a program reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TablePlan {
    pub(crate) name: String,
    pub(crate) handle: TableHandle,
    /// For each field its column's position in the table.
    pub(crate) columns: Vec<u32>,
    pub(crate) rows: u64,
    /// Proven: the fields whose values never decrease from row to row, NULLs last, and whether no two of them are alike.
    pub(crate) sorted: Vec<(u32, bool)>,
    /// Bytes of a row's fields, on average.
    pub(crate) row_bytes: u64,
    /// Whether one loop of the body passes over it, and nothing else reads it: then rows that lie in a file need not be
    /// here all at once.
    pub(crate) once: bool,
    /// If it is passed once: of each field whether other loops read the same column.
    pub(crate) again: Vec<bool>,
}

/// Where own groups come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnKey {
    /// The loop that would make all of them, by block and let, and which of its generators.
    pub(crate) made: (BlockId, usize),
    pub(crate) generator: usize,
    pub(crate) table: CollectionId,
    pub(crate) field: u32,
}

/// The lets of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BlockPlan {
    pub(crate) lets: Vec<LetPlan>,
    pub(crate) result: CollectionId,
}

/// A let.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LetPlan {
    pub(crate) defines: Vec<CollectionId>,
    pub(crate) kind: LetKind,
    /// Whether it gives the same whatever rows enclosing loops stand on, so that once is enough.
    pub(crate) invariant: bool,
}

/// What a let does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum LetKind {
    Loop(Box<LoopPlan>),
    Sort {
        input: CollectionId,
        order: Vec<(u32, SortOrder)>,
    },
    Window {
        input: CollectionId,
        partition: Vec<u32>,
        order: Vec<(u32, SortOrder)>,
        functions: Vec<WindowField>,
    },
    Iterate {
        seed: CollectionId,
        working: CollectionId,
        step: BlockId,
        distinct: bool,
        enough: Option<Enough>,
        /// Whether only the last round's rows are wanted, and how many rounds there are at most.
        last: Option<RowBound>,
    },
    Concat {
        inputs: Vec<CollectionId>,
    },
    Values {
        expressions: Expressions,
        rows: Vec<Vec<ScalarId>>,
    },
}

/// A loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LoopPlan {
    pub(crate) expressions: Expressions,
    /// The ids of the nest's indices.
    pub(crate) indices: Vec<IndexId>,
    pub(crate) levels: Vec<LevelPlan>,
    pub(crate) generators: Vec<GeneratorPlan>,
    /// Proven: how many settings the whole nest has at most.
    pub(crate) rows_max: Option<u64>,
    /// What runs it, unless that declines.
    pub(crate) device: Choice<Device>,
    /// Where the outermost index may be cut into pieces.
    pub(crate) pieces: Choice<Pieces>,
    /// Whether it collects nothing but the numbers of outermost rows for which something is found, so that one will do of each:
    /// see [`Batch::exists`].
    pub(crate) finds: bool,
    /// Whether unmatched rows of a build side are wanted, and then what follows: those of the index that has some, and
    /// the indices behind it. Those in front are NULL.
    pub(crate) unmatched: Option<Box<LoopPlan>>,
}

/// How a loop is cut for workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pieces {
    /// As many as balance the workers: nothing shows where rows were cut.
    Balanced,
    /// Morsels of a fixed size: chunks or the order of what is made show the cuts, and must not depend on workers.
    Morsels,
    /// A few rows each, by their number alone: each asks a block, which may take as long as a whole loop.
    Asking,
}

/// One index of a nest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LevelPlan {
    pub(crate) source: Source,
    /// What a row of the source must pass to count as found, without what can be known before.
    pub(crate) matches: Vec<ScalarId>,
    /// What all generators ask of a tuple, as far as it can be known once this index is reached.
    pub(crate) conditions: Vec<ScalarId>,
    /// How its rows are found by search, where that pays.
    pub(crate) range: Option<RangeJoin>,
    /// Whether one row is as good as all that it goes over for a tuple: nothing reads them, and nothing counts them.
    pub(crate) one: bool,
    /// Proven: it finds one row of its bucket at most. Only known of plans that devices are asked about: to find it out may take
    /// a pass over a table.
    pub(crate) at_most_one: bool,
    /// Whether what it asks of the outermost index's rows may leave out whole chunks of them, by their ranges.
    pub(crate) prunes: bool,
}

/// One generator of a loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GeneratorPlan {
    /// What is left of its conditions behind the last index.
    pub(crate) conditions: Vec<ScalarId>,
    pub(crate) kind: GeneratorKind,
}

/// What a generator does with a tuple.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum GeneratorKind {
    Collect { value: Vec<ScalarId>, types: Vec<DataType> },
    TopK(TopKPlan),
    BucketCollect(BucketPlan),
    Reduce(ReducePlan),
}

/// BucketCollect.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BucketPlan {
    pub(crate) key: Vec<ScalarId>,
    pub(crate) key_types: Vec<DataType>,
    pub(crate) value: Vec<ScalarId>,
    pub(crate) types: Vec<DataType>,
    /// How wide keys are before they are seen.
    pub(crate) layout: KeyLayout,
    pub(crate) index: Adaptive<IndexForm>,
    /// Whether its rows stay where they are.
    pub(crate) in_place: Option<InPlace>,
}

/// Reduce (no key) and BucketReduce.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReducePlan {
    /// None for Reduce, which has its one group even without rows.
    pub(crate) key: Option<Vec<ScalarId>>,
    pub(crate) key_types: Vec<DataType>,
    /// Which parts of the keys anybody reads; the others are not made for the groups.
    pub(crate) keys_read: Vec<bool>,
    pub(crate) layout: KeyLayout,
    /// How many rows come, and how.
    pub(crate) rows: Rows,
    pub(crate) aggregates: Vec<AggregatePlan>,
    /// How groups are numbered. None for Reduce.
    pub(crate) groups: Option<Adaptive<GroupKind>>,
    /// How keys are found among the groups, if somebody looks them up.
    pub(crate) index: Option<Adaptive<IndexForm>>,
    /// Whether rows may be partitioned by their keys once there are many groups.
    pub(crate) partitions: Choice<bool>,
    /// Whether tuples that conditions drop may be fed to it with a mask that says so: as `spills`, of all that is
    /// computed for them.
    pub(crate) masks: bool,
}

/// One aggregate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AggregatePlan {
    pub(crate) kind: AggregateKind,
    pub(crate) argument: Option<ScalarId>,
    /// What the argument is made of, if these values are gathered in its place.
    pub(crate) row_text: Option<RowText>,
    /// The earlier aggregate whose values it chooses from: it gathers none of its own.
    pub(crate) shares: Option<usize>,
    pub(crate) condition: Vec<ScalarId>,
    /// Whether tuples that conditions drop may be fed to it in a group that nobody reads: nothing that is computed for
    /// them can fail, and the accumulator does not mind.
    pub(crate) takes_any_row: bool,
}

/// A top-k.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TopKPlan {
    /// Order keys, then fields.
    pub(crate) arguments: Vec<ScalarId>,
    pub(crate) types: Vec<DataType>,
    pub(crate) order: Vec<SortOrder>,
    pub(crate) limit: ScalarId,
    pub(crate) offset: ScalarId,
    /// Whether rows that are known not to be among the first may be left out before their fields are computed: nothing
    /// that is computed of them is volatile.
    pub(crate) rejects: bool,
    /// The arguments that may fail: these are computed of all rows.
    pub(crate) failing: Vec<ScalarId>,
}

impl Plan {
    /// What is known of a collection.
    pub(crate) fn collection(&self, id: CollectionId) -> &CollectionPlan {
        &self.collections[id.0 as usize]
    }

    /// A block.
    pub(crate) fn block(&self, id: BlockId) -> &BlockPlan {
        &self.blocks[id.0 as usize]
    }

    /// The types of a collection's fields.
    pub(crate) fn types(&self, id: CollectionId) -> Vec<DataType> {
        self.collection(id).fields.iter().map(|field| field.data_type).collect()
    }

    /// A loop, by block and let.
    pub(crate) fn loop_of(&self, block: BlockId, number: usize) -> Option<&LoopPlan> {
        match &self.block(block).lets[number].kind {
            LetKind::Loop(plan) => Some(plan),
            _ => None,
        }
    }
}

impl LetPlan {
    /// Whether something reads what it defines.
    pub(crate) fn is_read(&self, plan: &Plan) -> bool {
        self.defines.iter().any(|&id| plan.collection(id).reads.any)
    }
}

impl GeneratorPlan {
    /// Whether a row that comes twice is as good as one.
    pub(crate) fn counts_nothing(&self) -> bool {
        let takes_one = |plan: &AggregatePlan| plan.kind.reduction.properties().idempotent;
        matches!(&self.kind, GeneratorKind::Reduce(reduce) if reduce.aggregates.iter().all(takes_one))
    }
}

impl ReducePlan {
    /// Whether one row can decide all of it: it is Any or All of all rows.
    pub(crate) fn can_be_decided(&self) -> bool {
        let decides = |plan: &AggregatePlan| plan.kind.reduction.properties().decided_by.is_some();
        self.key.is_none() && self.aggregates.len() == 1 && self.aggregates.iter().all(decides)
    }

    /// Of the types of all fields those of the fields that are read.
    pub(crate) fn read_types(&self, types: Vec<DataType>) -> Vec<DataType> {
        let is_read = |field: usize| self.keys_read.get(field).is_none_or(|&is_read| is_read);
        types.into_iter().enumerate().filter(|(field, _)| is_read(*field)).map(|(_, data_type)| data_type).collect()
    }

    /// The parts of the key; none of Reduce.
    pub(crate) fn parts(&self) -> &[ScalarId] {
        self.key.as_deref().unwrap_or_default()
    }
}

impl AggregatePlan {
    /// Whether a tile's tuples may all be fed to it though it has a condition.
    pub(crate) fn spills(&self) -> bool {
        self.takes_any_row && !self.condition.is_empty() && Technique::PutAside.is_on()
    }
}

/// A BucketCollect whose rows are those of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InPlace {
    pub(crate) collection: CollectionId,
    /// The field of the table that each value is.
    pub(crate) fields: Vec<u32>,
    pub(crate) key: SortedKey,
}

/// A key that is a column of a table in whose rows it increases.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SortedKey {
    pub(crate) field: u32,
    pub(crate) layout: KeyLayout,
    /// Whether every integer of its range, in its steps, is a key.
    pub(crate) dense: bool,
    pub(crate) step: i128,
}

/// Of each let of a body, who asks for it (see `put_off`).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PutOff {
    /// The lets that read it, and whether a row of theirs asks for it. None if something else reads it.
    pub(crate) readers: Vec<Option<Vec<(usize, bool)>>>,
    /// All that it reads.
    pub(crate) reads: Vec<Vec<CollectionId>>,
    /// Whether its rows ask blocks, which may take long for each.
    pub(crate) asks_blocks: Vec<bool>,
}

/// Of each let of a body, which lets and collections decide whether it is made (see `gates`).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Gates {
    /// The lets that read it in such a way that it need not be there if they find nothing. None if something else reads it.
    pub(crate) readers: Vec<Option<Vec<usize>>>,
    /// The collections without whose rows it finds nothing.
    pub(crate) gates: Vec<Vec<CollectionId>>,
    /// All that it reads.
    pub(crate) reads: Vec<Vec<CollectionId>>,
    /// Which let makes a collection.
    pub(crate) made: FxHashMap<CollectionId, usize>,
}
