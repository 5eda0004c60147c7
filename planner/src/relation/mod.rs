//! The relation: a typed algebra over named columns, where SQL and the LINQ builder meet.
//!
//! Every operator makes columns with ids of their own or hands its input's through; a column id is made in one
//! place only. `Query` holds the tree and the table of all its columns. `builder` makes such trees of what front ends walk.

pub mod builder;
mod column_set;
mod computed_numeric;
pub(crate) mod depth;
pub(crate) mod effects;
pub mod explain;
pub mod expression;
mod far_keys;
mod fingerprint;
mod inclusion;
mod key_lookups;
pub(crate) mod merged_aggregates;
mod not_null;
pub mod optimise;
pub(crate) mod profile;
pub(crate) mod strict;
mod unique;
#[cfg(debug_assertions)]
mod verify;
pub(crate) mod visit;
mod whole_table;

use crate::catalog::TableInfo;
use crate::join_kind::JoinKind;
use crate::multiloop::{Enough, RowBound};
use crate::speculation::Speculation;
use crate::stack::{Room, SHALLOW_LEVELS};
use crate::types::{DataType, Field, SortOrder};
use crate::value::Value;
pub(crate) use computed_numeric::computed_numerics;
pub use expression::{
    AggregateCall, AggregateFunction, ColumnId, Expression, ExpressionKind, FormId, Subquery, SubqueryKind, WindowCall,
    WindowCallee,
};
pub use far_keys::FarKey;
pub use key_lookups::{KeyLookup, KeyValue};
use std::sync::Arc;

/// A bound query: what to compute and under which names to show it.
#[derive(Clone, Debug)]
pub struct Query {
    /// The tree.
    pub relation: Arc<Relation>,
    /// The columns of the result in order, each with the name it is shown by.
    pub output: Vec<(String, ColumnId)>,
    /// All columns of the statement.
    pub columns: Columns,
    /// The types of the parameters `$1`, `$2`, … as binding inferred them.
    pub parameters: Vec<DataType>,
    /// Whether it may be planned so that what can fail sees more rows than the query has for it.
    pub speculation: Speculation,
}

impl Query {
    /// The value of a query of one row and one column that is a literal, or was folded to one, and its type.
    pub fn constant(&self) -> Option<(&Value, DataType)> {
        let [(_, output)] = &self.output[..] else { return None };
        let Relation::Project { input, columns } = &*self.relation else { return None };
        let is_single = |input: &Relation| matches!(input, Relation::Values { columns, rows } if columns.is_empty() && rows.len() == 1);
        let value = columns.iter().find(|(id, _)| id == output).map(|(_, value)| value).filter(|_| is_single(input))?;
        match &value.kind {
            ExpressionKind::Constant(of) => Some((of, value.data_type)),
            _ => None,
        }
    }

    /// What stack it takes to run it, once it is planned.
    pub fn room(&self) -> Room {
        if depth::is_deeper(&self.relation, SHALLOW_LEVELS) { Room::Deep } else { Room::Shallow }
    }

    /// Names and types of the columns of the result.
    pub fn fields(&self) -> Vec<Field> {
        let field = |(name, id): &(String, ColumnId)| {
            let column = self.columns.get(*id);
            Field::new(name.clone(), column.data_type, column.nullable)
        };
        self.output.iter().map(field).collect()
    }
}

/// The columns of one statement, by id.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    all: Vec<Column>,
    /// The CTEs of LATERAL joins: their left side, which is scanned as it is, and for the distinct values for which the right side is
    /// computed.
    laterals: Vec<CteId>,
}

/// What is known of a column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, for people; not unique.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Whether it can be NULL where it is made (an outer join above may make it so later).
    pub nullable: bool,
}

impl Columns {
    /// A new column.
    pub fn add(&mut self, name: impl Into<String>, data_type: DataType, nullable: bool) -> ColumnId {
        let id = ColumnId(u32::try_from(self.all.len()).expect("fewer than 2^32 columns"));
        self.all.push(Column { name: name.into(), data_type, nullable });
        id
    }

    /// The column of this id.
    pub fn get(&self, id: ColumnId) -> &Column {
        &self.all[id.0 as usize]
    }

    /// A reference to a column.
    pub fn reference(&self, id: ColumnId) -> Expression {
        Expression::column(id, self.get(id).data_type)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Notes that a CTE is the left side of a LATERAL join.
    pub(crate) fn note_lateral(&mut self, cte: CteId) {
        self.laterals.push(cte);
    }

    /// Whether a CTE is the left side of a LATERAL join: no more is computed of it than what its rows are joined with.
    pub(crate) fn is_lateral(&self, cte: CteId) -> bool {
        self.laterals.contains(&cte)
    }
}

/// Names a CTE (or other shared subplan) within a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CteId(pub u32);

/// An operator of the relational algebra. Rows are a bag; only `Sort` and `Limit` know an order.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The rows of a table: (position in the table, the id it has here), read columns only after pruning.
    Scan {
        /// The table.
        table: ScanTable,
        /// Which of its columns, and their ids.
        columns: Vec<(usize, ColumnId)>,
    },
    /// Literal rows. `rows` of zero columns are allowed: `SELECT 1` selects from one such row.
    Values {
        /// Their columns.
        columns: Vec<ColumnId>,
        /// One expression a column, for every row.
        rows: Vec<Vec<Expression>>,
    },
    /// The rows for which the predicate is TRUE. Its conjuncts are tested in order, and what stands behind one
    /// that is not TRUE is not evaluated: two filters, one above the other, are one.
    Filter {
        /// Its input.
        input: Arc<Relation>,
        /// A boolean; may hold subqueries.
        predicate: Expression,
    },
    /// New columns only: what is not listed is gone. A column handed through is listed as itself.
    Project {
        /// Its input.
        input: Arc<Relation>,
        /// Each column and its value; `(c, Column(c))` hands c through.
        columns: Vec<(ColumnId, Expression)>,
    },
    /// Each row of the input as often as `count` says, one after the other: not at all if that is NULL or less than 1.
    /// Functions that give sets of rows are this and a projection over it.
    Expand {
        /// Its input.
        input: Arc<Relation>,
        /// A bigint over the input's columns.
        count: Expression,
        /// A new column: which of its copies a row is, a bigint from 0.
        position: ColumnId,
    },
    /// A join. Its columns are the left's and the right's; an outer join makes the other side's nullable;
    /// semi and anti joins have the left's only.
    Join {
        /// Which join.
        kind: JoinKind,
        /// The left (for Semi and Anti: the rows that are kept or dropped).
        left: Arc<Relation>,
        /// The right.
        right: Arc<Relation>,
        /// The join condition; TRUE for a cross join.
        on: Expression,
    },
    /// Groups by the keys (NULLs form one group; no keys: one group, even of no rows) and aggregates each.
    Aggregate {
        /// Its input.
        input: Arc<Relation>,
        /// Group keys.
        keys: Vec<(ColumnId, Expression)>,
        /// Aggregates.
        aggregates: Vec<(ColumnId, AggregateCall)>,
    },
    /// Its input's rows and columns, and a new column for each function: what it says of a row by those around it in its
    /// partition (as in groups, NULLs are equal). Rows that the order leaves tied stay as the input has them.
    Window {
        /// Its input.
        input: Arc<Relation>,
        /// What rows of one partition share.
        partition: Vec<Expression>,
        /// How each partition is ordered.
        order: Vec<SortKey>,
        /// Functions.
        functions: Vec<(ColumnId, WindowCall)>,
    },
    /// The seed's rows, those that the step makes of them, those that it makes of these, and so on until it makes none.
    /// `columns` are new; either input gives as many, in order, of the same types, and all may be NULL.
    Recursive {
        /// The id by which the step scans the rows of the last round.
        cte: CteId,
        /// The columns of the result, which are those of a round, too.
        columns: Vec<ColumnId>,
        /// UNION ALL: rows that have been there count again.
        all: bool,
        /// The rows to begin with and the columns that stand for `columns`.
        seed: (Arc<Relation>, Vec<ColumnId>),
        /// The rows of the next round and the columns that stand for `columns`.
        step: (Arc<Relation>, Vec<ColumnId>),
        /// How many of its rows are needed, in the order in which they come; none if all are. A field is one of `columns`.
        enough: Option<Enough>,
        /// The rows of the last round alone: see `Let::Iterate`.
        last: Option<RowBound>,
    },
    /// One of each set of equal rows (all columns; NULLs are equal).
    Distinct {
        /// Its input.
        input: Arc<Relation>,
    },
    /// Orders rows.
    Sort {
        /// Its input.
        input: Arc<Relation>,
        /// Most significant first.
        keys: Vec<SortKey>,
    },
    /// At most `limit` rows after leaving out `offset`; in its input's order if that is a Sort.
    Limit {
        /// Its input.
        input: Arc<Relation>,
        /// A bigint constant or parameter; none or NULL means all.
        limit: Option<Expression>,
        /// A bigint constant or parameter.
        offset: Option<Expression>,
    },
    /// UNION, INTERSECT or EXCEPT. `columns` are new; each input gives as many, in order, of the same types.
    SetOperation {
        /// Which.
        kind: SetKind,
        /// ALL: keep duplicates.
        all: bool,
        /// The columns of the result.
        columns: Vec<ColumnId>,
        /// Left rows and the columns that stand for `columns`.
        left: (Arc<Relation>, Vec<ColumnId>),
        /// Right rows and the columns that stand for `columns`.
        right: (Arc<Relation>, Vec<ColumnId>),
    },
    /// Computes `definition` once, for all `CteScan`s of this id within `body`. (That of a `Recursive` is scanned in its step.)
    With {
        /// Its id.
        cte: CteId,
        /// Its rows.
        definition: Arc<Relation>,
        /// What uses it.
        body: Arc<Relation>,
    },
    /// The rows of a CTE under new column ids: (the definition's column, the id it has here).
    CteScan {
        /// Which.
        cte: CteId,
        /// Its columns.
        columns: Vec<(ColumnId, ColumnId)>,
    },
}

/// A scanned table; two are equal if they are the same snapshot.
#[derive(Clone, Debug)]
pub struct ScanTable(pub Arc<TableInfo>);

impl PartialEq for ScanTable {
    fn eq(&self, other: &Self) -> bool {
        self.0.handle == other.0.handle
    }
}

/// The set operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are SQL's own names")]
pub enum SetKind {
    Union,
    Intersect,
    Except,
}

/// One key of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What to order by.
    pub expression: Expression,
    /// Direction and place of NULLs.
    pub order: SortOrder,
}

impl Relation {
    /// The columns of its rows, in a deterministic order.
    pub fn columns(&self) -> Vec<ColumnId> {
        match self {
            Relation::Scan { columns, .. } => columns.iter().map(|(_, id)| *id).collect(),
            Relation::Values { columns, .. }
            | Relation::SetOperation { columns, .. }
            | Relation::Recursive { columns, .. } => columns.clone(),
            Relation::Filter { input, .. }
            | Relation::Distinct { input }
            | Relation::Sort { input, .. }
            | Relation::Limit { input, .. } => input.columns(),
            Relation::Project { columns, .. } => columns.iter().map(|(id, _)| *id).collect(),
            Relation::Expand { input, position, .. } => {
                let mut columns = input.columns();
                columns.push(*position);
                columns
            }
            Relation::Join { kind, left, right, .. } => {
                let mut columns = left.columns();
                if !matches!(kind, JoinKind::Semi | JoinKind::Anti) {
                    columns.extend(right.columns());
                }
                columns
            }
            Relation::Aggregate { keys, aggregates, .. } => {
                keys.iter().map(|(id, _)| *id).chain(aggregates.iter().map(|(id, _)| *id)).collect()
            }
            Relation::Window { input, functions, .. } => {
                let mut columns = input.columns();
                columns.extend(functions.iter().map(|(id, _)| *id));
                columns
            }
            Relation::With { body, .. } => body.columns(),
            Relation::CteScan { columns, .. } => columns.iter().map(|(_, id)| *id).collect(),
        }
    }

    /// The inputs, left before right, a CTE's definition before its body, a seed before its step.
    pub fn inputs(&self) -> Vec<&Arc<Relation>> {
        match self {
            Relation::Scan { .. } | Relation::Values { .. } | Relation::CteScan { .. } => Vec::new(),
            Relation::Filter { input, .. }
            | Relation::Project { input, .. }
            | Relation::Expand { input, .. }
            | Relation::Aggregate { input, .. }
            | Relation::Window { input, .. }
            | Relation::Distinct { input }
            | Relation::Sort { input, .. }
            | Relation::Limit { input, .. } => vec![input],
            Relation::Join { left, right, .. } => vec![left, right],
            Relation::SetOperation { left, right, .. } | Relation::Recursive { seed: left, step: right, .. } => {
                vec![&left.0, &right.0]
            }
            Relation::With { definition, body, .. } => vec![definition, body],
        }
    }

    /// The expressions of this operator, its inputs' not included.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Relation::Scan { .. }
            | Relation::Distinct { .. }
            | Relation::SetOperation { .. }
            | Relation::Recursive { .. }
            | Relation::With { .. }
            | Relation::CteScan { .. } => Vec::new(),
            Relation::Values { rows, .. } => rows.iter().flatten().collect(),
            Relation::Filter { predicate, .. } => vec![predicate],
            Relation::Expand { count, .. } => vec![count],
            Relation::Project { columns, .. } => columns.iter().map(|(_, expression)| expression).collect(),
            Relation::Join { on, .. } => vec![on],
            Relation::Aggregate { keys, aggregates, .. } => keys
                .iter()
                .map(|(_, key)| key)
                .chain(aggregates.iter().flat_map(|(_, call)| call.argument.iter().chain(&call.filter)))
                .collect(),
            Relation::Window { partition, order, functions, .. } => {
                let calls = functions.iter().flat_map(|(_, call)| call.expressions());
                partition.iter().chain(order.iter().map(|key| &key.expression)).chain(calls).collect()
            }
            Relation::Sort { keys, .. } => keys.iter().map(|key| &key.expression).collect(),
            Relation::Limit { limit, offset, .. } => limit.iter().chain(offset).collect(),
        }
    }
}
