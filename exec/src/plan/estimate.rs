//! How long a plan takes at most, about: for those who can only run what is short where they are.
//!
//! Only what is surely short has an estimate: loops over one source of few rows, whose number is proven, that call functions of
//! known cost, and make neither keys nor tables of them. What joins, sorts, repeats, or calls what may take its time for one
//! value (patterns, numerics of any number of digits, texts that grow by a number) has none. Rows count as if all of them
//! passed: what is left of the error is in how long texts are, of which the average is known.

use crate::plan::expressions::Expressions;
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::plan::tree::{GeneratorKind, LetKind, LevelPlan, LoopPlan, Plan, TablePlan};
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{BlockId, CollectionId, Reduction, ScalarId, Source};
use multiloop_planner::types::DataType;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Rows of a source, at most: so many are one piece, for which nobody else is woken.
const ROWS_MAX: u64 = 1 << 12;

/// Nanoseconds, rounded up: a statement, whatever it does; a let; an expression, whatever the rows.
const STATEMENT: u64 = 4_000;
const LET: u64 = 1_500;
const EXPRESSION: u64 = 100;

/// Of each row: an expression in a register, one that is a text, and one that takes a function of texts or of the calendar; what
/// an aggregate takes, or an order; a value of a result, up to the client's buffer.
const VALUE: u64 = 2;
const TEXT: u64 = 20;
const CALL: u64 = 100;
const AGGREGATE: u64 = 20;
const OUTPUT: u64 = 20;

/// Of each chunk, whether its rows are read or not.
const CHUNK: u64 = 20;

impl Plan {
    /// Whether a nested block may be answered by search among rows in order, so that rows which do not match are not looked at.
    pub fn is_searched(&self, block: BlockId) -> bool {
        self.searched.contains_key(&block)
    }

    /// How long a run takes at most, about; None if that is not known, or may be long.
    pub fn time_max(&self) -> Option<Duration> {
        // Other blocks run for rows.
        let [body] = &self.blocks[..] else { return None };
        let mut estimate = Estimate { plan: self, rows: FxHashMap::default() };
        let mut nanoseconds = STATEMENT;
        for definition in body.lets.iter().filter(|definition| definition.is_read(self)) {
            let (time, rows) = match &definition.kind {
                LetKind::Loop(plan) => estimate.multiloop(plan)?,
                LetKind::Values { expressions, rows } => {
                    let count = rows.len() as u64;
                    (expressions_time(expressions, 1)?, vec![count])
                }
                LetKind::Sort { .. } | LetKind::Window { .. } | LetKind::Iterate { .. } | LetKind::Concat { .. } => {
                    return None;
                }
            };
            nanoseconds += LET + time;
            estimate.rows.extend(definition.defines.iter().copied().zip(rows));
        }
        let rows = *estimate.rows.get(&body.result)?;
        nanoseconds += rows * self.output.len() as u64 * OUTPUT;
        Some(Duration::from_nanos(nanoseconds))
    }
}

/// The collections of the body so far.
struct Estimate<'p> {
    plan: &'p Plan,
    /// Rows of each, at most.
    rows: FxHashMap<CollectionId, u64>,
}

impl Estimate<'_> {
    /// Nanoseconds of a loop, and rows of what each of its generators makes.
    fn multiloop(&self, plan: &LoopPlan) -> Option<(u64, Vec<u64>)> {
        let ([level], None) = (&plan.levels[..], &plan.unmatched) else { return None };
        let (rows, mut time) = self.source(level, &plan.expressions)?;
        if rows > ROWS_MAX {
            return None;
        }
        time += expressions_time(&plan.expressions, rows)?;
        let mut made = Vec::new();
        for generator in &plan.generators {
            made.push(match &generator.kind {
                GeneratorKind::Collect { .. } => rows,
                GeneratorKind::TopK(top_k) => {
                    time += rows * top_k.order.len() as u64 * AGGREGATE;
                    rows
                }
                GeneratorKind::Reduce(reduce) if reduce.key.is_none() => {
                    if reduce.aggregates.iter().any(|aggregate| is_of_program(&aggregate.kind.reduction)) {
                        return None;
                    }
                    time += rows * reduce.aggregates.len() as u64 * AGGREGATE;
                    1
                }
                GeneratorKind::Reduce(_) | GeneratorKind::BucketCollect(_) => return None,
            });
        }
        Some((time, made))
    }

    /// Rows that a loop reads, and nanoseconds to find them, and to read what is not in registers.
    fn source(&self, level: &LevelPlan, expressions: &Expressions) -> Option<(u64, u64)> {
        match &level.source {
            Source::Rows(id) => match &self.plan.collection(*id).table {
                Some(table) => {
                    let rows = if is_one_row(table, level, expressions) { 1 } else { table.rows };
                    let chunks = table.rows / crate::column::CHUNK_ROWS as u64 + 1;
                    Some((rows, chunks * CHUNK + rows.saturating_mul(table.row_bytes) / 8))
                }
                None => Some((*self.rows.get(id)?, 0)),
            },
            Source::Count(count) => {
                let (_, most) = expressions.nodes[*expressions.numbers.get(count)? as usize].bounds?;
                Some((u64::try_from(most.max(0)).ok()?, 0))
            }
            Source::Bucket { .. } | Source::BucketOrNull { .. } | Source::BucketAndRest { .. } => None,
        }
    }
}

/// Whether a condition asks for one value of a column that has each of its values once, and in order: its row is found by search.
fn is_one_row(table: &TablePlan, level: &LevelPlan, expressions: &Expressions) -> bool {
    let node = |number: u32| &expressions.nodes[number as usize];
    let is_known = |number: u32| node(number).reach == 0 && !node(number).may_fail && !node(number).volatile;
    let is_key = |number: u32| match node(number).operation {
        Operation::Column { index: 0, field, optional: false } => {
            let is_integer = matches!(node(number).register, Register::I32 | Register::I64 | Register::I128);
            is_integer && table.sorted.contains(&(field, true))
        }
        _ => false,
    };
    let asks = |condition: &ScalarId| match expressions.numbers.get(condition).map(|&number| &node(number).operation) {
        Some(Operation::Call { function: Function::Equal, arguments }) => match arguments[..] {
            [a, b] => (is_key(a) && is_known(b)) || (is_key(b) && is_known(a)),
            _ => false,
        },
        _ => false,
    };
    // Behind what may fail all rows are due.
    let is_safe = |condition: &&ScalarId| {
        expressions.numbers.get(*condition).is_some_and(|&number| !node(number).may_fail && !node(number).volatile)
    };
    level.prunes && level.conditions.iter().take_while(is_safe).any(asks)
}

/// Whether a program registered it: what it takes, nobody knows.
fn is_of_program(reduction: &Reduction) -> bool {
    matches!(reduction, Reduction::Statistic(Statistic::User(_)))
}

/// Nanoseconds of expressions for so many rows; None if one may take long.
fn expressions_time(expressions: &Expressions, rows: u64) -> Option<u64> {
    let each = |node: &Node| Some(EXPRESSION + rows * value_time(node, expressions)?);
    expressions.nodes.iter().map(each).sum()
}

/// Nanoseconds of an expression for a row.
fn value_time(node: &Node, expressions: &Expressions) -> Option<u64> {
    let plain = if node.register == Register::Text { TEXT } else { VALUE };
    let (function, arguments) = match &node.operation {
        Operation::Column { .. } | Operation::Constant(_) | Operation::Parameter(_) | Operation::Single { .. } => {
            return Some(plain);
        }
        Operation::Call { function, arguments } => (*function, arguments),
        Operation::Captured { .. }
        | Operation::Find { .. }
        | Operation::Lookup { .. }
        | Operation::Exists { .. }
        | Operation::Element { .. }
        | Operation::Nested { .. } => return None,
    };
    let of_arguments = arguments.iter().map(|&argument| &expressions.nodes[argument as usize]);
    // What a decimal is compared with takes one look at a number that is there already.
    if matches!(function, Function::NarrowUp | Function::NarrowDown | Function::NarrowSame)
        && of_arguments.clone().all(|of| matches!(of.operation, Operation::Parameter(_) | Operation::Constant(_)))
    {
        return Some(CALL);
    }
    // Numerics have any number of digits.
    if of_arguments.clone().chain([node]).any(|node| node.data_type == DataType::Numeric) {
        return None;
    }
    let reads_text = of_arguments.clone().any(|argument| argument.register == Register::Text);
    let plain = if reads_text { TEXT } else { plain };
    function_time(function, plain).map(|time| time * arguments.len().max(1) as u64)
}

/// Nanoseconds of a function for each of its arguments; None of those that may take long for one value.
fn function_time(function: Function, plain: u64) -> Option<u64> {
    use Function as F;
    match function {
        F::Add | F::Subtract | F::Multiply | F::Divide | F::Modulo | F::Negate | F::Abs | F::Sign => Some(plain),
        F::Ceil | F::Floor | F::Round | F::Truncate | F::SquareRoot => Some(plain),
        F::BitAnd | F::BitOr | F::BitXor | F::BitNot | F::ShiftLeft | F::ShiftRight => Some(plain),
        F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => Some(plain),
        F::IsDistinct | F::IsNotDistinct | F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse => Some(plain),
        F::And | F::Or | F::Not | F::Case | F::Coalesce | F::NullIf | F::Greatest | F::Least | F::InList => Some(plain),
        F::Length
        | F::OctetLength
        | F::Lower
        | F::Upper
        | F::Trim(_)
        | F::Substring
        | F::Left
        | F::Right
        | F::StartsWith => Some(CALL),
        F::Cast
        | F::AssignCast
        | F::Concat
        | F::ConcatSkipNull
        | F::SeriesCount
        | F::SeriesAt
        | F::SeriesBlocks
        | F::SeriesInBlock => Some(CALL),
        F::Extract(_) | F::DateTrunc(_) | F::DateAddDays | F::DateSubtractDays | F::DateDifference => Some(CALL),
        F::AddInterval | F::SubtractInterval | F::TimestampDifference | F::InZone | F::OfZone => Some(CALL),
        _ => None,
    }
}
