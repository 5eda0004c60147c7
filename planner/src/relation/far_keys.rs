//! Finds the integer columns with a sparse range that a query hashes, to join or to group. To know them by codes would be
//! quicker, but to make these takes longer than to load the column, and most columns are never asked so. Who holds the tables
//! makes them for queries that come again.

use super::visit::{as_binary, as_column, conjuncts};
use super::{AggregateCall, ColumnId, Expression, ExpressionKind, Query, Relation};
use crate::catalog::{Proofs, TableHandle, TableInfo};
use crate::function::Function;
use crate::types::DataType;
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
        let (equal, of_groups) = (std::mem::take(&mut found.equal), std::mem::take(&mut found.grouped));
        let mut all = Vec::new();
        let mut add = |key: Option<FarKey>| all.extend(key.filter(|key| !all.contains(key)));
        for (left, right) in equal {
            add(found.source(left).zip(found.source(right)).and_then(joined));
        }
        for column in of_groups {
            add(found.source(column).and_then(grouped));
        }
        all
    }
}

/// A column of a table, by its position, and which of the query's scans gives it.
#[derive(Clone, Copy)]
struct Source<'q> {
    table: &'q TableInfo,
    column: usize,
    scan: usize,
}

/// What a query says of its columns.
#[derive(Default)]
struct Found<'q> {
    /// What columns are, as far as it is known: at first those of scans.
    sources: FxHashMap<ColumnId, Option<Source<'q>>>,
    scans: usize,
    /// Other names of columns, and of the codes of columns; of those of a CTE, which of its scans they are of.
    renamed: FxHashMap<ColumnId, (ColumnId, Option<usize>)>,
    /// What joins compare.
    equal: Vec<(ColumnId, ColumnId)>,
    /// What makes groups.
    grouped: Vec<ColumnId>,
}

impl<'q> Found<'q> {
    fn walk(&mut self, relation: &'q Relation) {
        match relation {
            Relation::Scan { table, columns } => {
                let (table, scan) = (&*table.0, self.scans);
                self.scans += 1;
                self.sources.extend(columns.iter().map(|&(column, id)| (id, Some(Source { table, column, scan }))));
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
                self.renamed.extend(columns.iter().copied().zip(left.1.iter().map(|&from| (from, None))));
            }
            Relation::CteScan { columns, .. } => {
                let scan = self.scans;
                self.scans += 1;
                self.renamed.extend(columns.iter().map(|&(from, id)| (id, (from, Some(scan)))));
            }
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
        self.renamed.extend(renamed.filter(|(id, from)| id != from).map(|(id, from)| (id, (from, None))));
    }

    fn source(&mut self, mut column: ColumnId) -> Option<Source<'q>> {
        let mut path = Vec::new();
        let mut source = loop {
            if let Some(known) = self.sources.get(&column) {
                break *known;
            }
            // Names can go round in circles: what a LATERAL query sees of its row comes back under the name that it had.
            self.sources.insert(column, None);
            let Some(&(from, scan)) = self.renamed.get(&column) else { break None };
            path.push((column, scan));
            column = from;
        };
        for (column, scan) in path.into_iter().rev() {
            source = source.map(|source| Source { scan: scan.unwrap_or(source.scan), ..source });
            self.sources.insert(column, source);
        }
        source
    }
}

/// The column that an expression is, or the codes of which it is the values.
fn as_value(expression: &Expression) -> Option<ColumnId> {
    match &expression.kind {
        ExpressionKind::Element(_, code) => as_column(code),
        _ => as_column(expression),
    }
}

/// What is to be done for two columns that are joined: nothing if they are one row's.
fn joined((left, right): (Source<'_>, Source<'_>)) -> Option<FarKey> {
    let (has_codes, are_far) = ([left, right].map(has_codes), [left, right].map(is_far));
    let either = (are_far[0] && (are_far[1] || has_codes[1])) || (are_far[1] && has_codes[0]);
    if left.scan == right.scan || value_type(left) != value_type(right) || !either {
        return None;
    }
    if place(left) == place(right) {
        return (!proofs(left)?.sorted).then(|| FarKey { column: place(left), with: None });
    }
    let rank = |of: Source<'_>| (!proofs(of).is_some_and(Proofs::is_likely_unique), of.table.statistics.rows);
    let (with, column) = if rank(left) <= rank(right) { (left, right) } else { (right, left) };
    // What is in order would lose it.
    let is_in_order = !self::has_codes(column) && proofs(column)?.sorted;
    (!is_in_order).then(|| FarKey { column: place(column), with: Some(place(with)) })
}

/// What is to be done for a column that makes groups: nothing if equal values stand together, which are told apart without hashes.
fn grouped(source: Source<'_>) -> Option<FarKey> {
    let proofs = proofs(source)?;
    let stand_together = proofs.sorted || proofs.is_likely_unique() || proofs.is_likely_clustered();
    (is_far(source) && !stand_together).then(|| FarKey { column: place(source), with: None })
}

fn place(Source { table, column, .. }: Source<'_>) -> (TableHandle, usize) {
    (table.handle, column)
}

fn proofs<'q>(Source { table, column, .. }: Source<'q>) -> Option<&'q Proofs> {
    table.statistics.columns.get(column).map(|column| &column.proofs)
}

fn has_codes(Source { table, column, .. }: Source<'_>) -> bool {
    table.domain(column).is_some()
}

fn value_type(Source { table, column, .. }: Source<'_>) -> DataType {
    table.domain(column).map_or(table.stored_field(column).data_type, |domain| domain.table.fields[0].data_type)
}

/// Whether a column of integers has no codes, and would have to be hashed.
fn is_far(source: Source<'_>) -> bool {
    let Source { table, column, .. } = source;
    let statistics = &table.statistics;
    table.stored_field(column).data_type.is_integer()
        && !has_codes(source)
        && statistics.rows >= ROWS_MIN
        && statistics.columns.get(column).is_some_and(|of| of.is_wide(statistics.rows))
}
