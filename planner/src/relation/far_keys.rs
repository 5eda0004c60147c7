//! Keys that lie far apart and are hashed: what queries join, group or tell apart by integers that no table stores as codes. To know
//! them by codes would be quicker, but to make these takes longer than to load the column, and most columns are never asked so. Who
//! holds the tables makes them for queries that come again.

use super::visit::{as_binary, as_column, conjuncts};
use super::{AggregateCall, ColumnId, Expression, ExpressionKind, Query, Relation};
use crate::catalog::{TableHandle, TableInfo};
use crate::function::Function;
use rustc_hash::FxHashMap;

/// Rows of a table, at least: fewer are hashed in no time.
const ROWS_MIN: u64 = 4096;

/// A column of integers that a query hashes: its table, and its position in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FarKey {
    /// The column.
    pub column: (TableHandle, usize),
    /// The column that it is joined with, whose codes it should share: one of different values, if either is, or else the shorter.
    /// One of the two may have codes already.
    pub with: Option<(TableHandle, usize)>,
}

impl Query {
    /// The columns that it hashes, and which codes would spare that, each once. Of an optimised query, in which what subqueries ask is
    /// joins.
    pub fn far_keys(&self) -> Vec<FarKey> {
        let mut found = Found::default();
        found.walk(&self.relation);
        let sources = |(left, right): &(ColumnId, ColumnId)| found.source(*left).zip(found.source(*right));
        let joined = found.equal.iter().filter_map(sources).filter_map(joined);
        let grouped = found.grouped.iter().filter_map(|&column| grouped(found.source(column)?));
        let mut all = Vec::new();
        for key in joined.chain(grouped) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        all
    }
}

/// A column of a table, by its position.
type Source<'q> = (&'q TableInfo, usize);

/// What a query says of its columns.
#[derive(Default)]
struct Found<'q> {
    scanned: FxHashMap<ColumnId, Source<'q>>,
    /// Other names of columns, and of the codes of columns.
    renamed: FxHashMap<ColumnId, ColumnId>,
    /// What joins compare.
    equal: Vec<(ColumnId, ColumnId)>,
    /// What makes groups.
    grouped: Vec<ColumnId>,
}

impl<'q> Found<'q> {
    fn walk(&mut self, relation: &'q Relation) {
        match relation {
            Relation::Scan { table, columns } => {
                self.scanned.extend(columns.iter().map(|&(position, id)| (id, (&*table.0, position))));
            }
            Relation::Project { columns, .. } => self.rename(columns),
            Relation::Aggregate { keys, aggregates, .. } => {
                self.rename(keys);
                self.grouped.extend(keys.iter().filter_map(|(_, key)| as_value(key)));
                let is_distinct = |(_, call): &&(ColumnId, AggregateCall)| call.distinct;
                let arguments = aggregates.iter().filter(is_distinct).filter_map(|(_, call)| call.argument.as_ref());
                self.grouped.extend(arguments.filter_map(as_value));
            }
            Relation::Window { partition, .. } => self.grouped.extend(partition.iter().filter_map(as_value)),
            Relation::Distinct { input } => self.grouped.extend(input.columns()),
            Relation::SetOperation { all: false, left, right, columns, .. } => {
                self.grouped.extend(left.1.iter().chain(&right.1));
                self.equal.extend(left.1.iter().copied().zip(right.1.iter().copied()));
                self.renamed.extend(columns.iter().copied().zip(left.1.iter().copied()));
            }
            Relation::CteScan { columns, .. } => self.renamed.extend(columns.iter().map(|&(from, id)| (id, from))),
            Relation::Join { on: condition, .. } | Relation::Filter { predicate: condition, .. } => {
                let sides =
                    conjuncts(condition).into_iter().filter_map(|conjunct| as_binary(conjunct, Function::Equal));
                self.equal.extend(sides.filter_map(|(left, right)| as_value(left).zip(as_value(right))));
            }
            _ => {}
        }
        for input in relation.inputs() {
            self.walk(input);
        }
    }

    fn rename(&mut self, columns: &[(ColumnId, Expression)]) {
        let renamed = columns.iter().filter_map(|(id, value)| Some((*id, as_value(value)?)));
        self.renamed.extend(renamed.filter(|(id, from)| id != from));
    }

    fn source(&self, mut column: ColumnId) -> Option<Source<'q>> {
        while let Some(&from) = self.renamed.get(&column) {
            column = from;
        }
        self.scanned.get(&column).copied()
    }
}

/// The column that an expression is, or the codes of which it is the values.
fn as_value(expression: &Expression) -> Option<ColumnId> {
    match &expression.kind {
        ExpressionKind::Element(_, code) => as_column(code),
        _ => as_column(expression),
    }
}

/// What is to be done for two columns that are joined.
fn joined((left, right): (Source<'_>, Source<'_>)) -> Option<FarKey> {
    let (has_codes, are_far) = ([left, right].map(has_codes), [left, right].map(is_far));
    let either = (are_far[0] && (are_far[1] || has_codes[1])) || (are_far[1] && has_codes[0]);
    if value_type(left) != value_type(right) || !either {
        return None;
    }
    if place(left) == place(right) {
        return Some(FarKey { column: place(left), with: None });
    }
    let is_key = |(table, column): Source<'_>| {
        table.statistics.columns.get(column).is_some_and(|of| of.proofs.is_likely_unique())
    };
    let rank = |of: Source<'_>| (!is_key(of), of.0.statistics.rows);
    let (with, column) = if rank(left) <= rank(right) { (left, right) } else { (right, left) };
    Some(FarKey { column: place(column), with: Some(place(with)) })
}

/// What is to be done for a column that makes groups: nothing if equal values stand together, which are told apart without hashes.
fn grouped(source: Source<'_>) -> Option<FarKey> {
    let proofs = &source.0.statistics.columns.get(source.1)?.proofs;
    let stand_together = proofs.sorted || proofs.is_likely_unique() || proofs.is_likely_clustered();
    (is_far(source) && !stand_together).then(|| FarKey { column: place(source), with: None })
}

fn place((table, column): Source<'_>) -> (TableHandle, usize) {
    (table.handle, column)
}

fn has_codes((table, column): Source<'_>) -> bool {
    table.domain(column).is_some()
}

fn value_type((table, column): Source<'_>) -> crate::types::DataType {
    table.domain(column).map_or(table.fields[column].data_type, |domain| domain.table.fields[0].data_type)
}

/// Whether a column of integers has no codes, and would have to be hashed.
fn is_far((table, column): Source<'_>) -> bool {
    let statistics = &table.statistics;
    table.fields[column].data_type.is_integer()
        && !has_codes((table, column))
        && statistics.rows >= ROWS_MIN
        && statistics.columns.get(column).is_some_and(|of| of.is_wide(statistics.rows))
}
