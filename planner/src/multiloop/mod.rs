//! The multiloop IR (DMLL, Figure 2): what a query means, before anything decides how it runs.
//!
//! # What a program denotes
//!
//! A [`Program`] is a tree of [`Block`]s. A block is a list of [`Let`]s, each of which defines one or more
//! *collections*, and names one of them as its result. A collection is a bag of rows with named, typed fields;
//! its [`Shape`] says how it was made and how it may be read.
//!
//! A [`Multiloop`] is one traversal that computes any number of results. Its *nest* lists indices, outermost
//! first; each takes every position that its source has for one setting of the indices before it. For each
//! setting of the whole nest every [`Generator`] is offered the row:
//!
//! * `Collect` keeps the value: a bag of rows.
//! * `Reduce` folds the value into one accumulator: exactly one row, even of no rows.
//! * `BucketCollect` puts the value into the bucket of its key: a bag of groups, each with its rows.
//! * `BucketReduce` folds the value into the accumulator of its key: a bag of groups, one row each.
//!
//! Two lets are no loops over rows as they come. `Window` puts rows into partitions and in order, and adds fields that say
//! something of each by the rows around it (`window`). `Iterate` runs its step block again and again, each time over the rows
//! that the last run gave, until there are none; its *working* collection is what the step reads them from. It gives the rows of all
//! runs (WITH RECURSIVE), or those of the last one (a state that goes round: ITERATE of HyPer, Passing et al., EDBT 2017, section 4).
//!
//! Rules of meaning, which the interpreter (`exec/interpret`) is in code:
//!
//! * **Conditions** are conjunctions, evaluated left to right. A row passes when all are TRUE; NULL does not pass.
//!   Once a condition is not TRUE, those behind it are not evaluated, nor key and value.
//! * **Keys.** As a group key NULL equals NULL, NaN equals NaN, -0 equals 0; the group shows 0 for both. In a probe (`Bucket`,
//!   `BucketOrNull`, `BucketAndRest`, `Lookup`, `Exists`) a NULL part finds nothing, unless the part says `null_matches`.
//!   A key of no parts has one group, which holds all rows (and does not exist when there are none).
//! * **Empty reductions** give SQL's answer: 0 for counts, NULL for the rest.
//! * **Row order** is free, except that `Sort` and top-k give rows in order. Top-k breaks ties by all of its
//!   fields, so that its rows never depend on the order of its input. `Window` leaves rows that its order does not tell apart
//!   as its input has them.
//! * **Lets are lazy**: a let whose evaluation fails is an error only when something reads it, a loop that goes
//!   over it or a row that needs its `Single`, `Lookup` or `Exists`. A backend may evaluate lets early, but keeps
//!   the error until then. (So a subquery may be computed in front of the loop that may never need it, or once a row asks for it.)
//! * **Errors.** An expression that may fail is evaluated only for rows that reach it: a backend may evaluate
//!   conditions and keys early or for more rows only if they cannot fail. No rule moves it to where more
//!   rows do, unless the program may speculate (`speculation`: then another one decides what is an error). Which of
//!   several errors is reported is free.
//! * **Volatile** expressions are evaluated once for each row that reaches them; they are never shared between
//!   two places, moved out of loops or duplicated.
//! * **Float sums** are correctly rounded from the exact sum, so no order of evaluation shows in them. So is each position of a sum
//!   of vectors; where there is no such number, it is an infinity.
//! * **Positions of a vector** are added up from the first to the last, in the type of the elements, without fused operations: so
//!   are distances and products. Functions of vectors are total: infinities and NaN, never an error.
//! * **Enough.** What is asked may be decided by some of the rows: a top-k without an order by so many, Any by a TRUE, All by a
//!   FALSE. Whether an error is raised that a row behind these would raise is free.
//!
//! What a program may not do is listed, and checked, in `verify`.

mod build;
mod compact;
mod infer;
pub mod kept;
mod lexer;
mod literal;
pub mod live;
mod names;
pub mod parse;
mod parse_scalar;
pub mod print;
mod print_scalar;
mod printer;
pub mod reduction;
pub mod scalar;
pub mod uses;
pub mod window;
mod window_text;

#[cfg(test)]
mod tests;

use crate::catalog::{TableHandle, TableStatistics};
use crate::multiloop::kept::{Behind, Keeps, Step, kept};
use crate::speculation::Speculation;
use crate::types::{DataType, Field, SortOrder};
use crate::value::Value;
pub use reduction::{Aggregate, Gather, Reduction};
pub use scalar::{KeyPart, Scalar, ScalarId, ScalarMap, ScalarNode, Scalars};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
pub use window::{WindowCallee, WindowField};

/// A collection of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CollectionId(pub u32);

/// An index of a nest; unique in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IndexId(pub u32);

/// A block of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u32);

/// A whole program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The scalars of all blocks.
    pub scalars: Scalars,
    /// The collections of all blocks, by id; tables are among them.
    pub collections: Vec<Collection>,
    /// All blocks, by id. `body` is one of them, the others belong to `Scalar::Nested` or `Let::Iterate`.
    pub blocks: Vec<Block>,
    /// Where it starts. Its result is the program's.
    pub body: BlockId,
    /// How many indices have been handed out.
    pub indices: u32,
    /// The types of the parameters.
    pub parameters: Vec<DataType>,
    /// The columns of the result: name and position among the fields of the body's result.
    pub output: Vec<(String, u32)>,
    /// Whether rules may move what can fail to more rows, and whether one has.
    pub speculation: Speculation,
}

/// What is known of a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collection {
    /// Its fields, as a `Rows` index shows them. Of groups the key fields come first.
    pub fields: Vec<Field>,
    /// How it was made.
    pub shape: Shape,
}

/// How a collection was made, which says how it may be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A table; `Collection::fields` are those columns of it that the program reads.
    Table {
        /// Its name, for people.
        name: String,
        /// Which snapshot.
        handle: TableHandle,
        /// For each field its column's position in the table.
        columns: Vec<u32>,
        /// What is known of its rows; entries follow the table's columns, not the fields.
        statistics: Arc<TableStatistics>,
    },
    /// Rows: of Collect, top-k, Sort, Window, Iterate (its working collection, too), Concat, Values.
    Rows,
    /// Exactly one row: of Reduce. Read by `Scalar::Single`, or as `Rows`.
    Single,
    /// Buckets of rows: of BucketCollect. `fields` are the key; a Bucket index shows `members`.
    Buckets {
        /// The fields of a bucket's rows.
        members: Vec<Field>,
    },
    /// One row a group: of BucketReduce. The first `keys` fields are the key.
    Groups {
        /// How many fields are key.
        keys: u32,
    },
}

/// A list of definitions and the one that is the result.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub struct Block {
    /// In order: a let reads only what is defined before it, in this block or in one around it.
    pub lets: Vec<Let>,
    /// The collection that the block stands for.
    pub result: CollectionId,
}

/// Rounds that an iteration over a state may take if nobody says how many: behind them one that has not ended fails (54000).
pub const ROUNDS_MAX: u64 = 1_000_000;

/// How many rows of an Iterate are needed: who reads it takes the first ones. A round that has begun is made to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Enough {
    /// So many,
    pub limit: RowBound,
    /// and so many before these; all is none.
    pub offset: RowBound,
    /// The boolean field that is TRUE in the rows that count; without one all do.
    pub field: Option<u32>,
}

/// A number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RowBound {
    /// As many as there are.
    All,
    /// So many.
    Rows(u64),
    /// As a parameter says, by its position among all, from 0; NULL is all.
    Parameter(u32),
}

impl RowBound {
    /// The number, if it is not all. A negative one is an error of who takes the rows, and none here.
    pub fn rows(self, parameters: &[Value]) -> Option<u64> {
        match self {
            RowBound::All => None,
            RowBound::Rows(rows) => Some(rows),
            RowBound::Parameter(number) => match parameters.get(number as usize) {
                Some(Value::Int(rows)) => Some(u64::try_from(*rows).unwrap_or(0)),
                _ => None,
            },
        }
    }
}

impl Enough {
    /// How many rows that count are needed; none if all are.
    pub fn rows(self, parameters: &[Value]) -> Option<u64> {
        let limit = self.limit.rows(parameters)?;
        Some(limit.saturating_add(self.offset.rows(parameters).unwrap_or(0)))
    }
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub enum Let {
    /// One collection a generator.
    Loop {
        /// What each generator makes, in order.
        defines: Vec<CollectionId>,
        /// The loop.
        multiloop: Multiloop,
    },
    /// The rows of `input` in order; ties are in any order. Fields are the input's.
    Sort {
        /// The sorted rows.
        define: CollectionId,
        /// Any collection that can be read as rows.
        input: CollectionId,
        /// Fields to order by, most significant first.
        order: Vec<(u32, SortOrder)>,
    },
    /// The rows of `input`, each with what functions say of it by the rows around it. Its fields are the input's, and one
    /// more for each function.
    Window {
        /// The rows.
        define: CollectionId,
        /// Rows.
        input: CollectionId,
        /// Fields whose values, as keys of groups, rows of one partition share.
        partition: Vec<u32>,
        /// Fields that order each partition, most significant first; ties are as the input has them.
        order: Vec<(u32, SortOrder)>,
        /// What is added.
        functions: Vec<WindowField>,
    },
    /// The rows of `seed`, and those that a block makes of them, and of these again, until it makes none. All fields are those
    /// of the seed, of the same types. With `last` they are a state, of which only the last is given.
    Iterate {
        /// All rows.
        define: CollectionId,
        /// Rows to begin with.
        seed: CollectionId,
        /// What the block reads the rows of the last round from, those of the seed at first; nobody else does.
        working: CollectionId,
        /// Makes the rows of a round; a block of its own, not that of a scalar.
        step: BlockId,
        /// Whether rows that have been there, as keys of groups, do not count: of equal ones one is kept.
        distinct: bool,
        /// When there are rows enough, and no more are made; none if all are needed.
        enough: Option<Enough>,
        /// The rows of the last round alone, after so many behind the seed; without a number they end by themselves, or fail
        /// behind [`ROUNDS_MAX`]. Not beside `distinct`.
        last: Option<RowBound>,
    },
    /// The rows of all inputs, one after the other, field by field of the same types.
    Concat {
        /// All rows.
        define: CollectionId,
        /// Any collections that can be read as rows.
        inputs: Vec<CollectionId>,
    },
    /// Literal rows.
    Values {
        /// The rows.
        define: CollectionId,
        /// One scalar a field, for each row; they may read indices of enclosing loops.
        rows: Vec<Vec<ScalarId>>,
    },
}

/// One traversal.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub struct Multiloop {
    /// At least one index, outermost first.
    pub nest: Vec<Index>,
    /// At least one generator.
    pub generators: Vec<Generator>,
}

/// An index and what it goes over.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub struct Index {
    /// Its id.
    pub id: IndexId,
    /// What it goes over.
    pub source: Source,
}

/// What an index goes over.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub enum Source {
    /// Every row of a collection; of Buckets every group, showing its key.
    Rows(CollectionId),
    /// Every row of one bucket, none if there is no such bucket: inner join, flatMap. Shows `members`.
    Bucket {
        /// A collection of shape Buckets.
        collection: CollectionId,
        /// Which bucket; reads earlier indices of the nest.
        key: Vec<KeyPart>,
    },
    /// Every row of one bucket that passes the conditions; if none does, once with all fields NULL: left outer join.
    BucketOrNull {
        /// A collection of shape Buckets.
        collection: CollectionId,
        /// Which bucket; reads earlier indices of the nest.
        key: Vec<KeyPart>,
        /// What a row must pass to count as a match; reads this index and earlier ones.
        condition: Vec<ScalarId>,
    },
    /// Every row of one bucket that passes the conditions; and when all settings of the indices in front are done, with
    /// all fields of these NULL, every row of any bucket that none of them found: right outer join. Not the outermost
    /// index of a nest, and in a nest there is one at most.
    BucketAndRest {
        /// A collection of shape Buckets.
        collection: CollectionId,
        /// Which bucket; reads earlier indices of the nest.
        key: Vec<KeyPart>,
        /// What a row must pass to count as found; reads this index and earlier ones.
        condition: Vec<ScalarId>,
    },
    /// 0 up to a bigint, exclusive; none if it is NULL or negative. Shows one bigint field, the position.
    Count(ScalarId),
}

/// One result of a traversal.
#[derive(Clone, Debug, PartialEq, Hash, Serialize, Deserialize)]
pub enum Generator {
    /// A bag of rows.
    Collect {
        /// Which rows.
        condition: Vec<ScalarId>,
        /// The fields.
        value: Vec<ScalarId>,
    },
    /// One row: a field for each aggregate (or the rows of a single `TopK`).
    Reduce {
        /// Which rows.
        condition: Vec<ScalarId>,
        /// What to compute of them.
        aggregates: Vec<Aggregate>,
    },
    /// Buckets of rows by key.
    BucketCollect {
        /// Which rows.
        condition: Vec<ScalarId>,
        /// The key's parts.
        key: Vec<ScalarId>,
        /// The fields of a bucket's rows.
        value: Vec<ScalarId>,
    },
    /// One row a key: the key's fields, then a field for each aggregate. No aggregates: DISTINCT.
    BucketReduce {
        /// Which rows.
        condition: Vec<ScalarId>,
        /// The key's parts.
        key: Vec<ScalarId>,
        /// What to compute of each group.
        aggregates: Vec<Aggregate>,
    },
}

impl Program {
    /// The collection of an id.
    pub fn collection(&self, id: CollectionId) -> &Collection {
        &self.collections[id.0 as usize]
    }

    /// The tables that it knows, which columns of each, and what is known of all of its columns.
    pub fn tables(&self) -> impl Iterator<Item = (TableHandle, &[u32], &TableStatistics)> {
        self.collections.iter().filter_map(|collection| match &collection.shape {
            Shape::Table { handle, columns, statistics, .. } => Some((*handle, &columns[..], &**statistics)),
            _ => None,
        })
    }

    /// The block of an id.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// Where the program starts.
    pub fn body(&self) -> &Block {
        self.block(self.body)
    }

    /// A new collection.
    pub fn add_collection(&mut self, fields: Vec<Field>, shape: Shape) -> CollectionId {
        let id = CollectionId(u32::try_from(self.collections.len()).expect("fewer than 2^32 collections"));
        self.collections.push(Collection { fields, shape });
        id
    }

    /// A new block.
    pub fn add_block(&mut self, block: Block) -> BlockId {
        let id = BlockId(u32::try_from(self.blocks.len()).expect("fewer than 2^32 blocks"));
        self.blocks.push(block);
        id
    }

    /// A new index.
    pub fn add_index(&mut self) -> IndexId {
        self.indices += 1;
        IndexId(self.indices - 1)
    }

    /// The fields that an index over this source shows.
    pub fn source_fields(&self, source: &Source) -> Vec<Field> {
        match source {
            Source::Rows(collection) => self.collection(*collection).fields.clone(),
            Source::Bucket { collection, .. }
            | Source::BucketAndRest { collection, .. }
            | Source::BucketOrNull { collection, .. } => {
                let stands = kept(Step::Of(Behind::of(source))).not_null == Keeps::Yes;
                let shown = |field: &Field| Field { nullable: field.nullable || !stands, ..field.clone() };
                self.members(*collection).iter().map(shown).collect()
            }
            Source::Count(_) => vec![Field::new("position", DataType::BigInt, false)],
        }
    }

    /// The fields of the rows in the buckets of a BucketCollect; none of any other shape.
    pub fn members(&self, id: CollectionId) -> &[Field] {
        if let Shape::Buckets { members } = &self.collection(id).shape { members } else { &[] }
    }
}

impl Let {
    /// The collections that it defines. The working collection of an Iterate is none: only its step knows it.
    pub fn defines(&self) -> &[CollectionId] {
        match self {
            Let::Loop { defines, .. } => defines,
            Let::Sort { define, .. }
            | Let::Window { define, .. }
            | Let::Iterate { define, .. }
            | Let::Concat { define, .. }
            | Let::Values { define, .. } => std::slice::from_ref(define),
        }
    }
}

impl Source {
    /// The collection that it goes over; a Count has none.
    pub fn collection(&self) -> Option<CollectionId> {
        match self {
            Source::Rows(collection)
            | Source::Bucket { collection, .. }
            | Source::BucketOrNull { collection, .. }
            | Source::BucketAndRest { collection, .. } => Some(*collection),
            Source::Count(_) => None,
        }
    }

    /// Its key and what a row of the bucket must pass, if it goes over buckets.
    pub fn probe(&self) -> Option<(&[KeyPart], &[ScalarId])> {
        match self {
            Source::Bucket { key, .. } => Some((key, &[])),
            Source::BucketOrNull { key, condition, .. } | Source::BucketAndRest { key, condition, .. } => {
                Some((key, condition))
            }
            Source::Rows(_) | Source::Count(_) => None,
        }
    }

    /// What a row must pass to count as found, where there may be such conditions.
    pub fn condition_mut(&mut self) -> Option<&mut Vec<ScalarId>> {
        match self {
            Source::BucketOrNull { condition, .. } | Source::BucketAndRest { condition, .. } => Some(condition),
            Source::Rows(_) | Source::Bucket { .. } | Source::Count(_) => None,
        }
    }

    /// The collection that it goes over, to be changed.
    pub fn collection_mut(&mut self) -> Option<&mut CollectionId> {
        match self {
            Source::Rows(collection)
            | Source::Bucket { collection, .. }
            | Source::BucketOrNull { collection, .. }
            | Source::BucketAndRest { collection, .. } => Some(collection),
            Source::Count(_) => None,
        }
    }

    /// Its scalars, in order.
    pub fn scalars(&self) -> Vec<ScalarId> {
        match self {
            Source::Rows(_) => Vec::new(),
            Source::Bucket { key, .. } => key.iter().map(|part| part.scalar).collect(),
            Source::BucketOrNull { key, condition, .. } | Source::BucketAndRest { key, condition, .. } => {
                key.iter().map(|part| part.scalar).chain(condition.iter().copied()).collect()
            }
            Source::Count(count) => vec![*count],
        }
    }

    /// Changes its scalars in place, in order.
    pub fn for_each_scalar_mut(&mut self, mut change: impl FnMut(&mut ScalarId)) {
        match self {
            Source::Rows(_) => {}
            Source::Bucket { key, .. } => key.iter_mut().for_each(|part| change(&mut part.scalar)),
            Source::BucketOrNull { key, condition, .. } | Source::BucketAndRest { key, condition, .. } => {
                key.iter_mut().for_each(|part| change(&mut part.scalar));
                condition.iter_mut().for_each(change);
            }
            Source::Count(count) => change(count),
        }
    }
}

impl Multiloop {
    /// The position of the index that has a rest, if one has.
    pub fn rest(&self) -> Option<usize> {
        self.nest.iter().position(|index| matches!(index.source, Source::BucketAndRest { .. }))
    }
}

impl Generator {
    /// Which rows it takes.
    pub fn condition(&self) -> &[ScalarId] {
        match self {
            Generator::Collect { condition, .. }
            | Generator::Reduce { condition, .. }
            | Generator::BucketCollect { condition, .. }
            | Generator::BucketReduce { condition, .. } => condition,
        }
    }

    /// Which rows it takes, to be changed.
    pub fn condition_mut(&mut self) -> &mut Vec<ScalarId> {
        match self {
            Generator::Collect { condition, .. }
            | Generator::Reduce { condition, .. }
            | Generator::BucketCollect { condition, .. }
            | Generator::BucketReduce { condition, .. } => condition,
        }
    }

    /// Its key's parts; none for Collect and Reduce.
    pub fn key(&self) -> &[ScalarId] {
        match self {
            Generator::Collect { .. } | Generator::Reduce { .. } => &[],
            Generator::BucketCollect { key, .. } | Generator::BucketReduce { key, .. } => key,
        }
    }

    /// Its aggregates; none for the collects.
    pub fn aggregates(&self) -> &[Aggregate] {
        match self {
            Generator::Reduce { aggregates, .. } | Generator::BucketReduce { aggregates, .. } => aggregates,
            Generator::Collect { .. } | Generator::BucketCollect { .. } => &[],
        }
    }

    /// Its scalars: condition, key, value or aggregates' arguments and conditions (and top-k's limit and offset).
    pub fn scalars(&self) -> Vec<ScalarId> {
        let mut all = Vec::new();
        self.clone().for_each_scalar_mut(|id| all.push(*id));
        all
    }

    /// Changes its scalars in place, in the order of [`Generator::scalars`].
    pub fn for_each_scalar_mut(&mut self, mut change: impl FnMut(&mut ScalarId)) {
        match self {
            Generator::Collect { condition, value } => {
                condition.iter_mut().chain(value).for_each(change);
            }
            Generator::BucketCollect { condition, key, value } => {
                condition.iter_mut().chain(key).chain(value).for_each(change);
            }
            Generator::Reduce { condition, aggregates } => {
                condition.iter_mut().for_each(&mut change);
                aggregates.iter_mut().for_each(|aggregate| aggregate.for_each_scalar_mut(&mut change));
            }
            Generator::BucketReduce { condition, key, aggregates } => {
                condition.iter_mut().chain(key).for_each(&mut change);
                aggregates.iter_mut().for_each(|aggregate| aggregate.for_each_scalar_mut(&mut change));
            }
        }
    }
}
