//! Finds the scans of which a condition leaves the row of one key. Where the rows are in the order of the key a search finds it; where
//! they are not, who holds the table may have an index.

use super::effects::is_pure;
use super::visit::{as_binary, conjuncts, for_each_expression};
use super::{Expression, ExpressionKind, Query, Relation};
use crate::catalog::{Key, TableHandle, TableInfo};
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;

/// Rows of a table, at least, as far as it is known: fewer are looked through in no time.
const ROWS_MIN: u64 = 4096;

/// A scan of a table, the only one in its query, of which no row is wanted but the one that has a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyLookup {
    /// The table.
    pub table: TableHandle,
    /// Which of its declared keys.
    pub key: usize,
    /// What the key's columns are to be, in its order.
    pub values: Vec<KeyValue>,
}

/// What a column of a key is to be.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue {
    /// A literal.
    Constant(Value),
    /// `$n`, 0-based.
    Parameter(u32),
}

impl Query {
    /// The scans that ask for the row of one key, each of a table that is scanned once. Of an optimised query, whose filters stand at
    /// their scans.
    pub fn key_lookups(&self) -> Vec<KeyLookup> {
        let mut found = Found::default();
        found.walk(&self.relation);
        let Found { scans, mut lookups, has_subqueries } = found;
        if has_subqueries {
            return Vec::new();
        }
        lookups.retain(|lookup| scans.iter().filter(|scan| **scan == lookup.table).count() == 1);
        lookups
    }
}

#[derive(Default)]
struct Found {
    scans: Vec<TableHandle>,
    lookups: Vec<KeyLookup>,
    has_subqueries: bool,
}

impl Found {
    fn walk(&mut self, relation: &Relation) {
        match relation {
            Relation::Scan { table, .. } => self.scans.push(table.0.handle),
            Relation::Filter { input, predicate } => {
                if let Relation::Scan { table, columns } = &**input {
                    self.lookups.extend(lookup(&table.0, columns, predicate));
                }
            }
            _ => {}
        }
        for_each_expression(relation, &mut |expression| self.has_subqueries |= has_subquery(expression));
        for input in relation.inputs() {
            self.walk(input);
        }
    }
}

fn has_subquery(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Subquery(_) => true,
        ExpressionKind::Call(_, arguments) => arguments.iter().any(has_subquery),
        ExpressionKind::Element(_, code) => has_subquery(code),
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => false,
    }
}

/// The first key of a table that a condition gives a value for each column of.
fn lookup(table: &TableInfo, columns: &[(usize, super::ColumnId)], predicate: &Expression) -> Option<KeyLookup> {
    if table.statistics.likely_rows() < ROWS_MIN {
        return None;
    }
    // What can fail of other rows is to fail.
    if !is_pure(predicate) {
        return None;
    }
    let conjuncts = conjuncts(predicate);
    let equal = conjuncts.iter().filter_map(|conjunct| as_binary(conjunct, Function::Equal));
    let equal: Vec<(usize, KeyValue)> = equal
        .filter_map(|(left, right)| given(left, right).or_else(|| given(right, left)))
        .filter_map(|(id, value)| Some((columns.iter().find(|(_, column)| *column == id)?.0, value)))
        .collect();
    let values = |key: &Key| {
        let value = |column: &usize| Some(equal.iter().find(|(of, _)| of == column)?.1.clone());
        // What is in order is searched; codes are found by their values.
        let is_sorted = |column: &usize| table.statistics.columns.get(*column).is_some_and(|of| of.proofs.sorted);
        if key.columns.first().is_some_and(is_sorted) || key.columns.iter().any(|&of| table.domain(of).is_some()) {
            return None;
        }
        key.columns.iter().map(value).collect::<Option<Vec<_>>>()
    };
    let found = table.declared.keys.iter().enumerate();
    found
        .filter(|(_, key)| !key.columns.is_empty())
        .find_map(|(number, key)| Some(KeyLookup { table: table.handle, key: number, values: values(key)? }))
}

/// The column that one side is, and the value that it has to have by the other.
fn given(side: &Expression, other: &Expression) -> Option<(super::ColumnId, KeyValue)> {
    let (side, other) = (bare(side), bare(other));
    let ExpressionKind::Column(id) = side.kind else { return None };
    let is_same = side.data_type.carrier() == other.data_type.carrier();
    let is_alike = match side.data_type {
        // Integers of any width are the same value, and so are strings that keep their blanks.
        own if own.is_integer() => other.data_type.is_integer(),
        DataType::Text | DataType::Varchar(_) => matches!(other.data_type, DataType::Text | DataType::Varchar(_)),
        DataType::Date | DataType::Timestamp | DataType::TimestampTz | DataType::Uuid | DataType::Bytea => is_same,
        _ => false,
    };
    if !is_alike {
        return None;
    }
    match &other.kind {
        ExpressionKind::Constant(value) if !value.is_null() => Some((id, KeyValue::Constant(value.clone()))),
        ExpressionKind::Parameter(number) => Some((id, KeyValue::Parameter(*number))),
        _ => None,
    }
}

/// The same without another name of its type.
fn bare(expression: &Expression) -> &Expression {
    match &expression.kind {
        ExpressionKind::Call(Function::Relabel, arguments) => match &arguments[..] {
            [argument] => bare(argument),
            _ => expression,
        },
        _ => expression,
    }
}
