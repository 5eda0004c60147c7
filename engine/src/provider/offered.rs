//! What a program wants of a table: columns, and conditions that each use of it has.
//!
//! A condition is offered if every generator of every loop that reads the table asks it of the loop's rows. It must be one of the
//! table's row alone, between a column and what is the same for all rows: constants and parameters. It is not offered where rows
//! count that do not meet it: where the table is read by the numbers of its rows, or where a loop's other side keeps what nobody has
//! found. The program asks it again.

use super::condition::{Condition, Test};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::uses::collection_uses;
use multiloop_planner::multiloop::{
    Aggregate, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape, Source,
};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a program wants of a table.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wanted {
    /// Columns, by position.
    pub(super) columns: BTreeSet<usize>,
    pub(super) conditions: Vec<Condition>,
    pub(super) limit: Option<u64>,
}

/// A use of a table: the conditions of all of its generators, and whether these are all there is to it.
struct Used {
    conditions: Vec<Condition>,
    limit: Option<u64>,
}

/// What a program wants of the table of a handle, when it runs with these parameters; conditions on those columns that `takes` them.
pub(super) fn wanted(
    program: &Program,
    handle: TableHandle,
    takes: &dyn Fn(usize) -> bool,
    parameters: &[Value],
) -> Wanted {
    let uses = collection_uses(program);
    let mut wanted = Wanted::default();
    let mut used: Vec<Used> = Vec::new();
    for (at, collection) in program.collections.iter().enumerate() {
        let Shape::Table { handle: of, columns, .. } = &collection.shape else { continue };
        let read = uses[at];
        if *of != handle || read == Default::default() {
            continue;
        }
        wanted.columns.extend(columns.iter().map(|&column| column as usize));
        let table = Table { program, id: CollectionId(at as u32), columns, takes, parameters };
        if read.buckets + read.scalars + read.whole > 0 {
            used.push(Used { conditions: Vec::new(), limit: None });
        }
        table.add_uses(&mut used);
    }
    if let [only] = &used[..] {
        wanted.limit = only.limit;
    }
    let mut used = used.into_iter();
    if let Some(first) = used.next() {
        wanted.conditions = first.conditions;
    }
    for other in used {
        wanted.conditions.retain(|condition| other.conditions.contains(condition));
    }
    wanted
}

/// A table of a program, and what it runs with.
struct Table<'p> {
    program: &'p Program,
    id: CollectionId,
    columns: &'p [u32],
    takes: &'p dyn Fn(usize) -> bool,
    parameters: &'p [Value],
}

impl Table<'_> {
    /// Adds each index of a loop that goes over it.
    fn add_uses(&self, used: &mut Vec<Used>) {
        for block in live_blocks(self.program) {
            for each in &self.program.block(block).lets {
                let Let::Loop { multiloop, .. } = each else { continue };
                for index in &multiloop.nest {
                    if matches!(index.source, Source::Rows(of) if of == self.id) {
                        used.push(self.used(multiloop, index.id));
                    }
                }
            }
        }
    }

    /// What a loop asks of the rows of one of its indices.
    fn used(&self, multiloop: &Multiloop, index: IndexId) -> Used {
        let keeps_rest = multiloop.nest.iter().any(|index| matches!(index.source, Source::BucketAndRest { .. }));
        let [first, others @ ..] = &multiloop.generators[..] else {
            return Used { conditions: Vec::new(), limit: None };
        };
        if keeps_rest {
            return Used { conditions: Vec::new(), limit: None };
        }
        // Conditions are few, and equal ones have one id.
        let shared: Vec<ScalarId> = first
            .condition()
            .iter()
            .copied()
            .filter(|id| others.iter().all(|other| other.condition().contains(id)))
            .collect();
        let mut conditions = Vec::new();
        let mut all = shared.len() == first.condition().len();
        for id in shared {
            all &= self.add(id, index, &mut conditions);
        }
        let limit = if all && others.is_empty() && multiloop.nest.len() == 1 { self.limit(first) } else { None };
        Used { conditions, limit }
    }

    /// How many rows a generator takes, if any will do.
    fn limit(&self, generator: &Generator) -> Option<u64> {
        let Generator::Reduce { aggregates, .. } = generator else { return None };
        let [Aggregate { reduction: Reduction::TopK { order, limit, offset }, condition, .. }] = &aggregates[..] else {
            return None;
        };
        if !order.is_empty() || !condition.is_empty() {
            return None;
        }
        let rows = |id: ScalarId| match self.value(id)? {
            Value::Int(rows) => u64::try_from(rows).ok(),
            _ => None,
        };
        // NULL is no offset.
        let before = if matches!(self.value(*offset), Some(Value::Null)) { 0 } else { rows(*offset)? };
        rows(*limit)?.checked_add(before)
    }

    /// The value of what is the same for all rows.
    fn value(&self, id: ScalarId) -> Option<Value> {
        match self.program.scalars.get(id) {
            Scalar::Constant(value) => Some(value.clone()),
            Scalar::Parameter(number) => self.parameters.get(*number as usize).cloned(),
            _ => None,
        }
    }

    /// The same, if it is not NULL.
    fn present(&self, id: ScalarId) -> Option<Value> {
        self.value(id).filter(|value| !value.is_null())
    }

    /// The column that a scalar is, by its position in the table.
    fn column(&self, id: ScalarId, index: IndexId) -> Option<usize> {
        let column = match self.program.scalars.get(id) {
            Scalar::Column { index: of, field } if *of == index => *self.columns.get(*field as usize)? as usize,
            _ => return None,
        };
        (self.takes)(column).then_some(column)
    }

    /// Adds what a condition asks of the table's row alone; whether that is all that it asks.
    fn add(&self, id: ScalarId, index: IndexId, conditions: &mut Vec<Condition>) -> bool {
        if let Some(column) = self.column(id, index) {
            conditions.push(Condition { column, test: Test::Equal(Value::Boolean(true)) });
            return true;
        }
        let Scalar::Call { function, arguments } = self.program.scalars.get(id) else { return false };
        if *function == Function::And {
            // Each of them is offered, whatever the others ask.
            let whole: Vec<bool> = arguments.iter().map(|&part| self.add(part, index, conditions)).collect();
            return whole.iter().all(|whole| *whole);
        }
        match self.test(*function, arguments, index) {
            Some((condition, is_all)) => {
                conditions.push(condition);
                is_all
            }
            None => false,
        }
    }

    /// A call as a condition, and whether it asks no more than that.
    fn test(&self, function: Function, arguments: &[ScalarId], index: IndexId) -> Option<(Condition, bool)> {
        let (&first, rest) = arguments.split_first()?;
        let of = |column: usize, test: Test| Some((Condition { column, test }, true));
        if let Some(compared) = comparison(function) {
            let &[second] = rest else { return None };
            return match (self.column(first, index), self.column(second, index)) {
                (Some(column), None) => of(column, compared(self.present(second)?)),
                (None, Some(column)) => of(column, comparison(mirrored(function))?(self.present(first)?)),
                _ => None,
            };
        }
        let column = self.column(first, index)?;
        match function {
            Function::IsNull => of(column, Test::IsNull),
            Function::IsNotNull => of(column, Test::IsNotNull),
            Function::IsTrue => of(column, Test::Equal(Value::Boolean(true))),
            Function::IsFalse | Function::Not => of(column, Test::Equal(Value::Boolean(false))),
            Function::InList => {
                // A NULL in the list makes nothing true.
                let values = rest.iter().map(|&id| self.value(id)).collect::<Option<Vec<Value>>>()?;
                of(column, Test::In(values.into_iter().filter(|value| !value.is_null()).collect()))
            }
            Function::StartsWith | Function::Like => {
                let (&[pattern], true) = (rest, self.is_text(first)) else { return None };
                let Value::Text(pattern) = self.present(pattern)? else { return None };
                let (prefix, is_all) = match function {
                    Function::Like => like_prefix(&pattern),
                    _ => (pattern, true),
                };
                (!prefix.is_empty()).then_some((Condition { column, test: Test::StartsWith(prefix) }, is_all))
            }
            _ => None,
        }
    }

    fn is_text(&self, id: ScalarId) -> bool {
        matches!(self.program.scalars.data_type(id), DataType::Text | DataType::Varchar(_))
    }
}

/// What a comparison of a column with a value is.
fn comparison(function: Function) -> Option<fn(Value) -> Test> {
    Some(match function {
        Function::Equal => Test::Equal,
        Function::NotEqual => Test::NotEqual,
        Function::Less => Test::Less,
        Function::LessEqual => Test::LessEqual,
        Function::Greater => Test::Greater,
        Function::GreaterEqual => Test::GreaterEqual,
        _ => return None,
    })
}

/// The comparison with its sides the other way round.
fn mirrored(function: Function) -> Function {
    match function {
        Function::Less => Function::Greater,
        Function::LessEqual => Function::GreaterEqual,
        Function::Greater => Function::Less,
        Function::GreaterEqual => Function::LessEqual,
        same => same,
    }
}

/// What a pattern of LIKE begins with, and whether it asks for no more.
fn like_prefix(pattern: &str) -> (Arc<str>, bool) {
    let end = pattern.find(['%', '_', '\\']).unwrap_or(pattern.len());
    (pattern[..end].into(), &pattern[end..] == "%")
}
