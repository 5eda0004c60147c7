//! A plain evaluator of relations: nested loops over lists of values, no cleverness. It is what the optimiser's
//! answers are compared with.

use crate::catalog::TableHandle;
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::evaluate;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::visit::conjuncts;
use crate::relation::{
    AggregateCall, AggregateFunction, ColumnId, CteId, Expression, ExpressionKind, Relation, SetKind, SortKey,
    Subquery, SubqueryKind,
};
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;
use std::collections::HashMap;

pub(super) type Row = Vec<Value>;

/// The rows of some columns.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) columns: Vec<ColumnId>,
    pub(super) rows: Vec<Row>,
}

/// The row that an expression is evaluated for, and those of the queries around.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) columns: &'a [ColumnId],
    pub(super) row: &'a [Value],
    pub(super) outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    fn get(&self, id: ColumnId) -> Value {
        match self.columns.iter().position(|column| *column == id) {
            Some(at) => self.row[at].clone(),
            None => self.outer.unwrap_or_else(|| panic!("{id:?} is not in scope")).get(id),
        }
    }
}

/// Tables and the CTEs computed so far.
pub(super) struct Evaluator {
    pub(super) tables: HashMap<TableHandle, Vec<Row>>,
    pub(super) ctes: HashMap<CteId, Rows>,
}

impl Evaluator {
    pub(super) fn rows(&mut self, relation: &Relation, outer: Option<&Scope<'_>>) -> Result<Rows> {
        let columns = relation.columns();
        let rows = match relation {
            Relation::Scan { table, columns } => {
                let rows = &self.tables[&table.0.handle];
                rows.iter().map(|row| columns.iter().map(|(at, _)| row[*at].clone()).collect()).collect()
            }
            Relation::Values { rows, .. } => {
                let mut all = Vec::new();
                for row in rows {
                    let scope = Scope { columns: &[], row: &[], outer };
                    all.push(row.iter().map(|cell| self.value(cell, &scope)).collect::<Result<Row>>()?);
                }
                all
            }
            Relation::Filter { input, predicate } => self.filter(input, predicate, outer)?,
            Relation::Project { input, columns } => {
                let input = self.rows(input, outer)?;
                let mut all = Vec::new();
                for row in &input.rows {
                    let scope = Scope { columns: &input.columns, row, outer };
                    all.push(columns.iter().map(|(_, value)| self.value(value, &scope)).collect::<Result<Row>>()?);
                }
                all
            }
            Relation::Expand { input, count, .. } => {
                let input = self.rows(input, outer)?;
                let mut all = Vec::new();
                for row in &input.rows {
                    let count = self.value(count, &Scope { columns: &input.columns, row, outer })?;
                    let copy = |position: usize| [row.clone(), vec![Value::Int(position as i64)]].concat();
                    all.extend((0..as_count(&count, 0)).map(copy));
                }
                all
            }
            Relation::Join { kind, left, right, on } => self.join(*kind, left, right, on, outer)?,
            Relation::Aggregate { input, keys, aggregates } => self.aggregate(input, keys, aggregates, outer)?,
            Relation::Window { input, partition, order, functions } => {
                self.window(input, partition, order, functions, outer)?
            }
            Relation::Recursive { cte, columns, all, seed, step, .. } => {
                self.recursive((*cte, *all), columns, seed, step, outer)?
            }
            Relation::Distinct { input } => distinct(self.rows(input, outer)?.rows),
            Relation::Sort { input, keys } => self.sort(input, keys, outer)?,
            Relation::Limit { input, limit, offset } => {
                let input = self.rows(input, outer)?;
                let scope = Scope { columns: &[], row: &[], outer };
                let mut count = |bound: &Option<Expression>, default| match bound {
                    Some(bound) => self.value(bound, &scope).map(|value| as_count(&value, default)),
                    None => Ok(default),
                };
                let (limit, offset) = (count(limit, usize::MAX)?, count(offset, 0)?);
                input.rows.into_iter().skip(offset).take(limit).collect()
            }
            Relation::SetOperation { kind, all, left, right, .. } => {
                let left = pick(self.rows(&left.0, outer)?, &left.1);
                let right = pick(self.rows(&right.0, outer)?, &right.1);
                set_operation(*kind, *all, left, right)
            }
            Relation::With { cte, definition, body } => {
                let definition = self.rows(definition, outer)?;
                self.ctes.insert(*cte, definition);
                pick(self.rows(body, outer)?, &columns)
            }
            Relation::CteScan { cte, columns } => {
                let from: Vec<ColumnId> = columns.iter().map(|(from, _)| *from).collect();
                pick(self.ctes[cte].clone(), &from)
            }
        };
        Ok(Rows { columns, rows })
    }

    fn filter(&mut self, input: &Relation, predicate: &Expression, outer: Option<&Scope<'_>>) -> Result<Vec<Row>> {
        let input = self.rows(input, outer)?;
        let mut kept = Vec::new();
        for row in &input.rows {
            if self.passes(predicate, &Scope { columns: &input.columns, row, outer })? {
                kept.push(row.clone());
            }
        }
        Ok(kept)
    }

    fn sort(&mut self, input: &Relation, keys: &[SortKey], outer: Option<&Scope<'_>>) -> Result<Vec<Row>> {
        let input = self.rows(input, outer)?;
        let mut keyed = Vec::new();
        for row in input.rows {
            let scope = Scope { columns: &input.columns, row: &row, outer };
            let key = keys.iter().map(|key| self.value(&key.expression, &scope)).collect::<Result<Row>>()?;
            keyed.push((key, row));
        }
        keyed.sort_by(|a, b| {
            let orders = keys.iter().zip(a.0.iter().zip(&b.0)).map(|(key, (a, b))| order(key, a, b));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        Ok(keyed.into_iter().map(|(_, row)| row).collect())
    }

    fn join(
        &mut self,
        kind: JoinKind,
        left: &Relation,
        right: &Relation,
        on: &Expression,
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Row>> {
        let (left, right) = (self.rows(left, outer)?, self.rows(right, outer)?);
        let columns: Vec<ColumnId> = left.columns.iter().chain(&right.columns).copied().collect();
        let mut right_matched = vec![false; right.rows.len()];
        let mut all = Vec::new();
        for l in &left.rows {
            let mut matched = false;
            for (at, r) in right.rows.iter().enumerate() {
                let row: Row = l.iter().chain(r).cloned().collect();
                if self.passes(on, &Scope { columns: &columns, row: &row, outer })? {
                    matched = true;
                    right_matched[at] = true;
                    if matches!(kind, JoinKind::Inner | JoinKind::Left | JoinKind::Full) {
                        all.push(row);
                    }
                }
            }
            match kind {
                JoinKind::Semi if matched => all.push(l.clone()),
                JoinKind::Anti if !matched => all.push(l.clone()),
                JoinKind::Left | JoinKind::Full if !matched => {
                    all.push(l.iter().cloned().chain(right.columns.iter().map(|_| Value::Null)).collect());
                }
                _ => {}
            }
        }
        if kind == JoinKind::Full {
            for (r, _) in right.rows.iter().zip(&right_matched).filter(|(_, matched)| !**matched) {
                all.push(left.columns.iter().map(|_| Value::Null).chain(r.iter().cloned()).collect());
            }
        }
        Ok(all)
    }

    fn aggregate(
        &mut self,
        input: &Relation,
        keys: &[(ColumnId, Expression)],
        aggregates: &[(ColumnId, AggregateCall)],
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Row>> {
        let input = self.rows(input, outer)?;
        let mut groups: Vec<(Row, Vec<&Row>)> = Vec::new();
        if keys.is_empty() {
            groups.push((Vec::new(), Vec::new()));
        }
        for row in &input.rows {
            let scope = Scope { columns: &input.columns, row, outer };
            let key = keys.iter().map(|(_, key)| self.value(key, &scope)).collect::<Result<Row>>()?;
            match groups.iter_mut().find(|group| group.0 == key) {
                Some(group) => group.1.push(row),
                None => groups.push((key, vec![row])),
            }
        }
        let mut all = Vec::new();
        for (mut key, members) in groups {
            for (_, call) in aggregates {
                let mut arguments = Vec::new();
                for row in &members {
                    let scope = Scope { columns: &input.columns, row, outer };
                    let counted = match &call.filter {
                        Some(filter) => self.value(filter, &scope)?.is_true(),
                        None => true,
                    };
                    if counted {
                        arguments.push(match &call.argument {
                            Some(argument) => self.value(argument, &scope)?,
                            None => Value::Boolean(true),
                        });
                    }
                }
                key.push(fold(call, arguments));
            }
            all.push(key);
        }
        Ok(all)
    }

    /// Whether all conjuncts are TRUE; what follows one that is not, is not evaluated.
    fn passes(&mut self, condition: &Expression, scope: &Scope<'_>) -> Result<bool> {
        for conjunct in conjuncts(condition) {
            if !self.value(conjunct, scope)?.is_true() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn value(&mut self, expression: &Expression, scope: &Scope<'_>) -> Result<Value> {
        match &expression.kind {
            ExpressionKind::Column(id) => Ok(scope.get(*id)),
            ExpressionKind::Constant(value) => Ok(value.clone()),
            ExpressionKind::Parameter(_) => Err(Error::internal("no parameters here")),
            ExpressionKind::Call(function, arguments) => self.call(*function, arguments, expression.data_type, scope),
            ExpressionKind::Element(domain, code) => Ok(match self.value(code, scope)? {
                Value::Int(row) => self.tables[&domain.table.handle][row as usize][0].clone(),
                _ => Value::Null,
            }),
            ExpressionKind::Subquery(subquery) => self.subquery(subquery, scope),
        }
    }

    fn call(
        &mut self,
        function: Function,
        arguments: &[Expression],
        result: DataType,
        scope: &Scope<'_>,
    ) -> Result<Value> {
        match function {
            Function::And | Function::Or => {
                let decides = function == Function::Or;
                let mut null = false;
                for argument in arguments {
                    match self.value(argument, scope)? {
                        Value::Boolean(value) if value == decides => return Ok(Value::Boolean(decides)),
                        Value::Null => null = true,
                        _ => {}
                    }
                }
                Ok(if null { Value::Null } else { Value::Boolean(!decides) })
            }
            Function::Case => {
                for pair in arguments.chunks(2) {
                    match pair {
                        [condition, value] if self.value(condition, scope)?.is_true() => {
                            return self.value(value, scope);
                        }
                        [otherwise] => return self.value(otherwise, scope),
                        _ => {}
                    }
                }
                Ok(Value::Null)
            }
            Function::Coalesce => {
                for argument in arguments {
                    let value = self.value(argument, scope)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null)
            }
            _ => {
                let values = arguments.iter().map(|argument| self.value(argument, scope)).collect::<Result<Row>>()?;
                let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
                evaluate(function, &values, &types, result)
            }
        }
    }

    fn subquery(&mut self, subquery: &Subquery, scope: &Scope<'_>) -> Result<Value> {
        let found = self.rows(&subquery.relation, Some(scope))?;
        match &subquery.kind {
            SubqueryKind::Exists => Ok(Value::Boolean(!found.rows.is_empty())),
            SubqueryKind::Scalar(column) => {
                let mut values = pick(found, &[*column]);
                match values.len() {
                    0 => Ok(Value::Null),
                    1 => Ok(values.swap_remove(0).swap_remove(0)),
                    _ => Err(Error::new(ErrorKind::Cardinality, "more than one row")),
                }
            }
            SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => {
                let decides = matches!(subquery.kind, SubqueryKind::Any(_));
                let mut null = false;
                for row in &found.rows {
                    match self.value(predicate, &Scope { columns: &found.columns, row, outer: Some(scope) })? {
                        Value::Boolean(value) if value == decides => return Ok(Value::Boolean(decides)),
                        Value::Null => null = true,
                        _ => {}
                    }
                }
                Ok(if null { Value::Null } else { Value::Boolean(!decides) })
            }
        }
    }
}

pub(super) fn order(key: &SortKey, a: &Value, b: &Value) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) if key.order.descending => b.compare(a),
        (false, false) | (true, true) => a.compare(b),
        (null, _) if null == key.order.nulls_first => Ordering::Less,
        _ => Ordering::Greater,
    }
}

fn as_count(value: &Value, default: usize) -> usize {
    match value {
        Value::Int(count) => usize::try_from(*count).unwrap_or(0),
        _ => default,
    }
}

/// The rows with these columns, in this order.
pub(super) fn pick(rows: Rows, columns: &[ColumnId]) -> Vec<Row> {
    let at: Vec<usize> = columns
        .iter()
        .map(|id| rows.columns.iter().position(|column| column == id).expect("the column is made below"))
        .collect();
    rows.rows.into_iter().map(|row| at.iter().map(|at| row[*at].clone()).collect()).collect()
}

pub(super) fn distinct(rows: Vec<Row>) -> Vec<Row> {
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        if !kept.contains(&row) {
            kept.push(row);
        }
    }
    kept
}

fn set_operation(kind: SetKind, all: bool, left: Vec<Row>, mut right: Vec<Row>) -> Vec<Row> {
    if kind == SetKind::Union {
        let both = left.into_iter().chain(right).collect();
        return if all { both } else { distinct(both) };
    }
    let left = if all { left } else { distinct(left) };
    let mut kept = Vec::new();
    for row in left {
        let twin = right.iter().position(|other| *other == row);
        if let Some(twin) = twin
            && all
        {
            right.swap_remove(twin);
        }
        if twin.is_some() == (kind == SetKind::Intersect) {
            kept.push(row);
        }
    }
    kept
}

pub(super) fn fold(call: &AggregateCall, arguments: Vec<Value>) -> Value {
    let mut values: Vec<Value> = arguments.into_iter().filter(|value| !value.is_null()).collect();
    if call.distinct {
        values = distinct(values.into_iter().map(|value| vec![value]).collect()).into_iter().flatten().collect();
    }
    match call.function {
        AggregateFunction::Count | AggregateFunction::CountRows => Value::Int(values.len() as i64),
        AggregateFunction::Min => values.into_iter().min_by(Value::compare).unwrap_or(Value::Null),
        AggregateFunction::Max => values.into_iter().max_by(Value::compare).unwrap_or(Value::Null),
        AggregateFunction::Sum if values.is_empty() => Value::Null,
        AggregateFunction::Sum => {
            let sum: i128 = values
                .iter()
                .map(|value| match value {
                    Value::Int(value) => i128::from(*value),
                    Value::Decimal(value) => *value,
                    other => panic!("cannot sum {other:?}"),
                })
                .sum();
            if call.data_type.is_decimal() { Value::Decimal(sum) } else { Value::Int(sum as i64) }
        }
        other => panic!("{other:?} is not among the test's aggregates"),
    }
}
