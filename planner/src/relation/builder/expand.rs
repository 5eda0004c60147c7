//! Rows that functions give for each row of an input: in FROM, and in a select list.
//!
//! ```text
//! Project v = the value at p               NULL behind the last, where calls in lock step have fewer rows
//!   Expand p of count                      of several calls the most rows that one gives
//!     Project a = what they are called with
//!       input
//! ```

use super::expression::SetCall;
use super::{Builder, FromItem, Rows, Scope};
use crate::error::{Error, Position, Result};
use crate::function::{Function, SERIES_BLOCK};
use crate::relation::column_set::ColumnSet;
use crate::relation::visit::for_each_column;
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// The columns of a relation, handed through.
type Through = Vec<(ColumnId, Expression)>;

impl Builder<'_> {
    fn through(&self, relation: &Relation) -> Through {
        relation.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect()
    }

    /// The input's columns, those of calls that step together, and their common position.
    pub(super) fn expand(&mut self, input: Arc<Relation>, calls: &[SetCall]) -> (Arc<Relation>, ColumnId) {
        let kept = self.through(&input);
        let mut relation = input;
        let computed: Through = calls.iter().flat_map(|call| call.computed.clone()).collect();
        if !computed.is_empty() {
            let columns = self.through(&relation).into_iter().chain(computed).collect();
            relation = Arc::new(Relation::Project { input: relation, columns });
        }
        let big = DataType::BigInt;
        let one = Expression::constant(Value::Int(1), big);
        let count_of = |call: &SetCall| call.count.clone().unwrap_or_else(|| one.clone());
        let (count, counts) = match calls {
            [only] => (count_of(only), Vec::new()),
            _ => {
                let counts: Through =
                    calls.iter().map(|call| (self.columns.add("count", big, true), count_of(call))).collect();
                let columns = self.through(&relation).into_iter().chain(counts.clone()).collect();
                relation = Arc::new(Relation::Project { input: relation, columns });
                let each: Vec<Expression> = counts.iter().map(|(id, _)| self.columns.reference(*id)).collect();
                (Expression::call(Function::Greatest, each.clone(), big), each)
            }
        };
        let position = self.columns.add("position", big, false);
        relation = match calls {
            [only] if let Some(blocks) = only.blocks() => self.expand_blocks(relation, only, blocks, position),
            _ => Arc::new(Relation::Expand { input: relation, count, position }),
        };
        let at = self.columns.reference(position);
        let mut columns = kept;
        columns.push((position, at.clone()));
        for (number, call) in calls.iter().enumerate() {
            let value = call.value_at(at.clone());
            let value = match counts.get(number) {
                Some(count) if !call.ends_in_null => before(&at, count.clone(), value),
                _ => value,
            };
            columns.push((call.column, value));
        }
        (Arc::new(Relation::Project { input: relation, columns }), position)
    }

    /// The rows of a call block by block, each of which is counted when it is come to:
    ///
    /// ```text
    /// Project position = block * SERIES_BLOCK + within
    ///   Expand within of the rows in the block
    ///     Expand block of all blocks
    /// ```
    fn expand_blocks(
        &mut self,
        input: Arc<Relation>,
        call: &SetCall,
        blocks: Expression,
        position: ColumnId,
    ) -> Arc<Relation> {
        let big = DataType::BigInt;
        let mut columns = self.through(&input);
        let block = self.columns.add("block", big, false);
        let in_blocks = Arc::new(Relation::Expand { input, count: blocks, position: block });
        let within = self.columns.add("within", big, false);
        let (block, at) = (self.columns.reference(block), self.columns.reference(within));
        let one = || Expression::constant(Value::Int(1), big);
        let count = call.rows_in(block.clone()).unwrap_or_else(one);
        let rows = Arc::new(Relation::Expand { input: in_blocks, count, position: within });
        let size = Expression::constant(Value::Int(SERIES_BLOCK), big);
        let before = Expression::call(Function::Multiply, vec![block, size], big);
        columns.push((position, Expression::call(Function::Add, vec![before, at], big)));
        Arc::new(Relation::Project { input: rows, columns })
    }

    /// Calls in FROM, in lock step: `alias` names the only column of an only one.
    pub fn from_functions(&mut self, calls: Vec<SetCall>, ordinality: bool, alias: Option<&str>) -> Result<FromItem> {
        let table = alias.map_or_else(|| calls[0].name.clone(), str::to_owned);
        let is_single = calls.len() == 1;
        let name = |call: &SetCall| match alias {
            _ if call.is_named => "value".to_owned(),
            Some(alias) if is_single => alias.to_owned(),
            _ => call.name.clone(),
        };
        let mut columns: Vec<(String, ColumnId)> = calls.iter().map(|call| (name(call), call.column)).collect();
        let unit = FromItem::nothing().relation;
        let number = ordinality.then(|| self.columns.add("ordinality", DataType::BigInt, false));
        let relation = match calls.as_slice() {
            [only] if only.count.is_none() => {
                let zero = Expression::constant(Value::Int(0), DataType::BigInt);
                let mut made = vec![(only.column, only.value_at(zero))];
                made.extend(number.map(|id| (id, Expression::constant(Value::Int(1), DataType::BigInt))));
                Arc::new(Relation::Project { input: unit, columns: made })
            }
            _ => {
                let (expanded, position) = self.expand(unit, &calls);
                let Relation::Project { input, mut columns } = crate::relation::visit::take(expanded) else {
                    unreachable!("`expand` ends in a projection");
                };
                columns.retain(|(id, _)| *id != position);
                let next =
                    vec![self.columns.reference(position), Expression::constant(Value::Int(1), DataType::BigInt)];
                columns.extend(number.map(|id| (id, Expression::call(Function::Add, next, DataType::BigInt))));
                Arc::new(Relation::Project { input, columns })
            }
        };
        columns.extend(number.map(|id| ("ordinality".to_owned(), id)));
        let is_value = is_single && !ordinality && self.columns.get(calls[0].column).data_type.fields().is_none();
        let mut item = FromItem::table(self.spread((relation, columns))?, table);
        item.tables.iter_mut().for_each(|table| table.is_value = is_value);
        Ok(item)
    }

    /// The same rows with the fields of those columns that are rows in their place.
    pub(super) fn spread(&mut self, (relation, columns): Rows) -> Result<Rows> {
        if columns.iter().all(|(_, id)| self.columns.get(*id).data_type.fields().is_none()) {
            return Ok((relation, columns));
        }
        let mut computed = self.through(&relation);
        let mut spread = Vec::new();
        for (name, id) in columns {
            let row = self.columns.reference(id);
            let Some(names) = row.data_type.fields() else {
                spread.push((name, id));
                continue;
            };
            for ((name, of), field) in names.iter().zip(self.fields_of(&row)?) {
                let id = self.columns.add(name.clone(), *of, true);
                computed.push((id, field));
                spread.push((name.clone(), id));
            }
        }
        Ok((Arc::new(Relation::Project { input: relation, columns: computed }), spread))
    }

    /// The rows of calls of a select list over an input: those that another one is called with come before it, others
    /// step together. And the positions, outermost first.
    pub(super) fn expand_levels(
        &mut self,
        mut input: Arc<Relation>,
        mut calls: Vec<SetCall>,
    ) -> (Arc<Relation>, Vec<ColumnId>) {
        let mut positions = Vec::new();
        while !calls.is_empty() {
            let waiting: ColumnSet = calls.iter().map(|call| call.column).collect();
            let is_ready = |call: &SetCall| !call.computed.iter().any(|(_, value)| mentions(value, &waiting));
            let (ready, later): (Vec<_>, Vec<_>) = calls.into_iter().partition(is_ready);
            let (expanded, position) = self.expand(input, &ready);
            input = expanded;
            positions.push(position);
            calls = later;
        }
        (input, positions)
    }

    /// The value that a call in a select list stands for; 0A000 where no set may stand.
    pub fn set_in_list(&mut self, call: SetCall, scope: &Scope<'_>, position: Option<Position>) -> Result<Expression> {
        let column = scope.add_set(call).map_err(|error| error.at(position))?;
        Ok(self.columns.reference(column).at(position))
    }
}

/// `value` at positions before a count, NULL from there on.
pub(super) fn before(position: &Expression, count: Expression, value: Expression) -> Expression {
    let data_type = value.data_type;
    let within = Expression::call(Function::Less, vec![position.clone(), count], DataType::Boolean);
    let null = Expression::constant(Value::Null, data_type);
    Expression::call(Function::Case, vec![within, value, null], data_type)
}

/// Whether an expression mentions one of these columns.
pub(super) fn mentions(expression: &Expression, columns: &ColumnSet) -> bool {
    let mut found = false;
    for_each_column(expression, &mut |id| found |= columns.contains(id));
    found
}

/// The error (0A000) for a call that gives rows where a value must stand.
pub fn set_not_allowed(place: &str) -> Error {
    let error =
        Error::new(crate::error::ErrorKind::Unsupported, format!("set-returning functions are not allowed in {place}"));
    match place {
        "CASE" | "COALESCE" => error.with_hint(HINT),
        _ => error,
    }
}

/// What helps where no set may stand.
const HINT: &str = "You might be able to move the set-returning function into a LATERAL FROM item.";

/// The error (0A000) for a call that gives rows in the arguments of an aggregate.
pub(super) fn set_in_aggregate() -> Error {
    let message = "aggregate function calls cannot contain set-returning function calls";
    Error::new(crate::error::ErrorKind::Unsupported, message).with_hint(HINT)
}
