//! Windows and recursion in the plainest way, for the evaluator of relations.

use super::rows::{Evaluator, Row, Rows, Scope, distinct, fold, order, pick};
use crate::error::Result;
use crate::evaluate::window::{Frames, Peers, Windowed};
use crate::relation::{ColumnId, CteId, Expression, Relation, SortKey, WindowCall, WindowCallee};
use crate::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

impl Evaluator {
    pub(super) fn window(
        &mut self,
        input: &Relation,
        partition: &[Expression],
        keys: &[SortKey],
        functions: &[(ColumnId, WindowCall)],
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Row>> {
        let input = self.rows(input, outer)?;
        let mut partitions: Vec<(Row, Vec<(Row, Row)>)> = Vec::new();
        for row in &input.rows {
            let scope = Scope { columns: &input.columns, row, outer };
            let group = partition.iter().map(|key| self.value(key, &scope)).collect::<Result<Row>>()?;
            let by = keys.iter().map(|key| self.value(&key.expression, &scope)).collect::<Result<Row>>()?;
            match partitions.iter_mut().find(|known| known.0 == group) {
                Some(known) => known.1.push((by, row.clone())),
                None => partitions.push((group, vec![(by, row.clone())])),
            }
        }
        let mut all = Vec::new();
        for (_, mut rows) in partitions {
            let compare = |a: &Row, b: &Row| {
                let orders = keys.iter().zip(a.iter().zip(b)).map(|(key, (a, b))| order(key, a, b));
                orders.fold(Ordering::Equal, Ordering::then)
            };
            rows.sort_by(|a, b| compare(&a.0, &b.0));
            let peers = Peers::new(rows.len(), |at| compare(&rows[at - 1].0, &rows[at].0).is_ne());
            let mut values: Vec<Row> = Vec::new();
            for (_, call) in functions {
                let mut arguments = Vec::new();
                for expression in call.expressions() {
                    let of_row =
                        |(_, row): &(Row, Row)| self.value(expression, &Scope { columns: &input.columns, row, outer });
                    arguments.push(rows.iter().map(of_row).collect::<Result<Vec<Value>>>()?);
                }
                let arguments: Vec<&[Value]> = arguments.iter().map(Vec::as_slice).collect();
                let (arguments, bounds) = arguments.split_at(arguments.len() - call.bounds.len());
                let descending = keys.first().is_some_and(|key| key.order.descending);
                let frames = Frames::new(&peers, call.frame, bounds, descending);
                let of_row = |row: usize| match &call.callee {
                    WindowCallee::Function(function, ..) => Windowed::new(*function, arguments, frames).value(row),
                    WindowCallee::Aggregate(aggregate) => {
                        let seen = frames.rows(row).into_iter().filter(|&row| {
                            let filter = aggregate.filter.as_ref().and(arguments.last());
                            filter.is_none_or(|filter| filter[row].is_true())
                        });
                        let counted = Value::Boolean(true);
                        let value =
                            |row: usize| if aggregate.argument.is_some() { &arguments[0][row] } else { &counted };
                        Ok(fold(aggregate, seen.map(|row| value(row).clone()).collect()))
                    }
                };
                values.push((0..rows.len()).map(of_row).collect::<Result<_>>()?);
            }
            for (at, (_, row)) in rows.into_iter().enumerate() {
                all.push(row.into_iter().chain(values.iter().map(|values| values[at].clone())).collect());
            }
        }
        Ok(all)
    }

    pub(super) fn recursive(
        &mut self,
        (cte, all): (CteId, bool),
        columns: &[ColumnId],
        seed: &(Arc<Relation>, Vec<ColumnId>),
        step: &(Arc<Relation>, Vec<ColumnId>),
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Row>> {
        let mut rows = pick(self.rows(&seed.0, outer)?, &seed.1);
        let mut found: Vec<Row> = Vec::new();
        loop {
            if !all {
                rows = distinct(rows);
                rows.retain(|row| !found.contains(row));
            }
            if rows.is_empty() {
                return Ok(found);
            }
            found.extend_from_slice(&rows);
            self.ctes.insert(cte, Rows { columns: columns.to_vec(), rows });
            rows = pick(self.rows(&step.0, outer)?, &step.1);
        }
    }
}
