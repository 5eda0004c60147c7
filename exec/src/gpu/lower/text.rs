//! What is computed of text that has no dictionary is computed for each row of its column by a kernel of its own, before the loop's:
//! that one reads it by the number of the row, which is what such text is carried by.

use super::Lowering;
use super::scalars::Scalar;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::types::Type;
use crate::gpu::stop::{Done, Stop, decline};
use crate::gpu::text::pattern::Pattern;
use crate::gpu::text::{Answers, Asked, Part, answers};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use multiloop_planner::evaluate::like::LikePattern;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// Constants that a text is compared with, at most.
const CONSTANTS_MAX: usize = 1 << 16;

/// A part of a text that is a column or was looked up.
#[derive(Clone, Copy, Debug)]
struct View {
    leaf: u32,
    part: Part,
}

/// Which places of a text among some others are wanted, by the order of it to each.
fn wanted(function: Function, order: std::cmp::Ordering) -> bool {
    match function {
        Function::Equal | Function::InList => order.is_eq(),
        Function::NotEqual => order.is_ne(),
        Function::Less => order.is_lt(),
        Function::LessEqual => order.is_le(),
        Function::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// The comparison of exchanged operands.
fn turned(function: Function) -> Function {
    match function {
        Function::Less => Function::Greater,
        Function::LessEqual => Function::GreaterEqual,
        Function::Greater => Function::Less,
        Function::GreaterEqual => Function::LessEqual,
        other => other,
    }
}

/// A part of a text that is carried.
struct Seen {
    text: Scalar,
    part: Part,
    /// The rows of which no other is read, if that is known.
    rows: Option<Range<usize>>,
}

impl Lowering<'_> {
    /// The value of a call that reads one text that is carried, and constants; none of another call.
    pub(super) fn over_rows(
        &mut self,
        node: &Node,
        function: Function,
        arguments: &[u32],
        of: Type,
    ) -> Done<Option<Scalar>> {
        use Function as F;
        match function {
            F::Like | F::StartsWith | F::EndsWith | F::Contains => self.like(function, arguments),
            F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => {
                let (mut function, mut pair) = (function, [arguments[0], arguments[1]]);
                if self.is_ground(pair[0]) {
                    (function, pair) = (turned(function), [pair[1], pair[0]]);
                }
                self.compare_rows(function, pair[0], &pair[1..])
            }
            F::InList => self.compare_rows(function, arguments[0], &arguments[1..]),
            F::IsDistinct | F::IsNotDistinct => {
                let mut pair = [arguments[0], arguments[1]];
                if self.is_ground(pair[0]) {
                    pair.reverse();
                }
                if self.ground(pair[1])?.is_none_or(|constant| constant.is_null()) {
                    return Ok(None);
                }
                let found = self.compare_rows(F::Equal, pair[0], &pair[1..])?;
                Ok(found.map(|found| {
                    let same = found.is_true();
                    let value = if function == F::IsNotDistinct { same } else { same.not() };
                    Scalar::new(value, Expression::truth(false))
                }))
            }
            F::IsNull | F::IsNotNull => {
                let Some(Seen { text, .. }) = self.carried_view(arguments[0])? else { return Ok(None) };
                let value = if function == F::IsNull { text.null } else { text.null.not() };
                Ok(Some(Scalar::new(value, Expression::truth(false))))
            }
            F::Length | F::OctetLength if matches!(of, Type::I32 | Type::I64) => {
                let Some(seen) = self.carried_view(arguments[0])? else { return Ok(None) };
                let made = self.answers(&seen, &Asked::Length { of_bytes: function == F::OctetLength })?;
                let value = self.memory(Type::I32, &made.data).at(seen.text.value).cast(of);
                Ok(Some(Scalar::new(value, seen.text.null)))
            }
            F::Substring | F::Left | F::Cast => self.part(node, function, arguments),
            _ => Ok(None),
        }
    }

    /// A part of a text as a value: a code.
    fn part(&mut self, node: &Node, function: Function, arguments: &[u32]) -> Done<Option<Scalar>> {
        let Some(View { leaf, part }) = self.view_of_call(node, function, arguments)? else { return Ok(None) };
        let Some(seen) = self.seen(leaf, part)? else { return Ok(None) };
        if part == Part::WHOLE {
            return Ok(Some(seen.text));
        }
        let made = self.answers(&seen, &Asked::Code)?;
        let value = self.memory(Type::U16, &made.data).at(seen.text.value).cast(Type::U32);
        Ok(Some(Scalar { dictionary: made.dictionary, ..Scalar::new(value, seen.text.null) }))
    }

    fn like(&mut self, function: Function, arguments: &[u32]) -> Done<Option<Scalar>> {
        let constants =
            arguments[1..].iter().map(|&argument| self.ground(argument)).collect::<Done<Option<Vec<_>>>>()?;
        let (Some(seen), Some(constants)) = (self.carried_view(arguments[0])?, constants) else {
            return Ok(None);
        };
        let mut texts = Vec::new();
        for constant in &constants {
            match constant {
                Value::Text(text) => texts.push(&**text),
                Value::Null => return Ok(Some(Scalar::new(Expression::truth(false), Expression::truth(true)))),
                _ => return decline("a pattern that is no text"),
            }
        }
        let pattern = match (function, &texts[..]) {
            (Function::StartsWith, &[text]) => Pattern::of(text, (true, false)),
            (Function::EndsWith, &[text]) => Pattern::of(text, (false, true)),
            (Function::Contains, &[text]) => Pattern::of(text, (false, false)),
            (Function::Like, &[pattern, ref escape @ ..]) => {
                match LikePattern::new(pattern, escape.first().copied()) {
                    Ok(pattern) => Pattern(pattern.segments().collect()),
                    // An error of those rows alone that ask it.
                    Err(_) => return decline("a pattern that fails"),
                }
            }
            _ => return Ok(None),
        };
        let made = self.answers(&seen, &Asked::Like(pattern))?;
        Ok(Some(self.truth_of(&made, seen.text)))
    }

    /// The comparison of a text with constants, of which one at least shall be as the function says.
    fn compare_rows(&mut self, function: Function, number: u32, others: &[u32]) -> Done<Option<Scalar>> {
        let constants = others.iter().map(|&other| self.ground(other)).collect::<Done<Option<Vec<_>>>>()?;
        let Some(constants) = constants else { return Ok(None) };
        let Some(seen) = self.carried_view(number)? else { return Ok(None) };
        let is_padded = |&other: &u32| matches!(self.node_at(other).data_type, DataType::Char(_) | DataType::Numeric);
        if others.iter().any(is_padded) {
            return decline("text that is padded");
        }
        let (mut among, mut unknown) = (Vec::new(), false);
        for constant in constants {
            match constant {
                Value::Text(text) => among.push(text),
                Value::Null => unknown = true,
                _ => return decline("a text beside what is none"),
            }
        }
        if among.is_empty() || among.len() > CONSTANTS_MAX {
            return match among.is_empty() {
                true => Ok(Some(Scalar::new(Expression::truth(false), Expression::truth(true)))),
                false => decline("many constants"),
            };
        }
        among.sort_unstable();
        among.dedup();
        let truth = |place: usize| match place % 2 {
            1 => wanted(function, std::cmp::Ordering::Equal),
            _ if function == Function::InList => false,
            _ if place == 0 => wanted(function, std::cmp::Ordering::Less),
            _ => wanted(function, std::cmp::Ordering::Greater),
        };
        let truths = (0..=2 * among.len()).map(truth).collect();
        let made = self.answers(&seen, &Asked::Place { among, truths })?;
        let found = self.truth_of(&made, seen.text);
        if !unknown {
            return Ok(Some(found));
        }
        let value = self.hold(found.value);
        Ok(Some(Scalar::new(value.clone(), found.null.or(value.not()))))
    }

    /// Truths of rows as a value.
    fn truth_of(&mut self, made: &Answers, text: Scalar) -> Scalar {
        let byte = self.memory(Type::U8, &made.data).at(text.value);
        Scalar::new(Expression::binary(Binary::NotEqual, byte, Expression::number(0, Type::U8)), text.null)
    }

    /// What is asked of the rows of a text that is carried, computed now unless it has been for this loop.
    fn answers(&mut self, seen: &Seen, asked: &Asked) -> Done<Answers> {
        let Seen { text, part, rows } = seen;
        let Some(carried) = &text.carried else { return decline("bug: text that is not carried") };
        let column = self.device.resident.text(self.loader(), carried)?;
        let rows = rows.clone().unwrap_or(0..column.rows);
        let what = format!("{:p} {part:?} {rows:?} {asked:?}", Arc::as_ptr(&column));
        if let Some((_, known)) = self.reads.answers.borrow().get(&what) {
            return Ok(known.clone());
        }
        self.inputs.context().check()?;
        let made = answers(self.device, &column, (*part, rows), asked)?;
        self.reads.answers.borrow_mut().insert(what, (Arc::downgrade(&column), made.clone()));
        Ok(made)
    }

    /// A text that is carried, and which part of it a node is; none of another one.
    fn carried_view(&mut self, number: u32) -> Done<Option<Seen>> {
        let Some(View { leaf, part }) = self.view(number)? else { return Ok(None) };
        self.seen(leaf, part)
    }

    fn seen(&mut self, leaf: u32, part: Part) -> Done<Option<Seen>> {
        let text = self.node(leaf)?;
        if text.carried.is_none() {
            return Ok(None);
        }
        let rows = match self.node_at(leaf).operation {
            // Of rows that others were made of any may be meant.
            Operation::Column { index: 0, field, .. } if self.column_of(0, field)?.element != Type::U32 => {
                self.outermost.clone()
            }
            _ => None,
        };
        Ok(Some(Seen { text, part, rows }))
    }

    fn view(&self, number: u32) -> Done<Option<View>> {
        let node = self.node_at(number);
        match &node.operation {
            Operation::Column { .. } | Operation::Lookup { .. } => {
                let is_it =
                    node.register == Register::Text && matches!(node.data_type, DataType::Text | DataType::Varchar(_));
                Ok(is_it.then_some(View { leaf: number, part: Part::WHOLE }))
            }
            Operation::Call { function, arguments } => self.view_of_call(node, *function, arguments),
            _ => Ok(None),
        }
    }

    fn view_of_call(&self, node: &Node, function: Function, arguments: &[u32]) -> Done<Option<View>> {
        let Some(&first) = arguments.first() else { return Ok(None) };
        if !matches!(function, Function::Substring | Function::Left | Function::Cast) {
            return Ok(None);
        }
        let Some(View { leaf, part: Part::WHOLE }) = self.view(first)? else { return Ok(None) };
        let mut numbers = Vec::new();
        for &argument in &arguments[1..] {
            match self.ground(argument)? {
                Some(Value::Int(number)) => numbers.push(number),
                _ => return Ok(None),
            }
        }
        let clamped = |number: i64| u32::try_from(number.max(0)).unwrap_or(u32::MAX);
        let part = match (function, &numbers[..]) {
            (Function::Cast, []) if matches!(node.data_type, DataType::Text) => Part::WHOLE,
            (Function::Substring, &[start]) => Part { skip: clamped(start.saturating_sub(1)), take: u32::MAX },
            (Function::Substring, &[_, count]) if count < 0 => return decline("a row fails"),
            (Function::Substring, &[start, count]) => {
                let start = start.saturating_sub(1);
                let take = start.saturating_add(count).saturating_sub(start.max(0));
                Part { skip: clamped(start), take: clamped(take) }
            }
            (Function::Left, &[count]) if count >= 0 => Part { skip: 0, take: clamped(count) },
            _ => return Ok(None),
        };
        Ok(Some(View { leaf, part }))
    }

    /// Whether a node is of constants alone.
    fn is_ground(&self, number: u32) -> bool {
        match &self.node_at(number).operation {
            Operation::Constant(_) | Operation::Parameter(_) => true,
            Operation::Call { arguments, .. } => {
                !self.node_at(number).volatile && arguments.iter().all(|&argument| self.is_ground(argument))
            }
            _ => false,
        }
    }

    /// The value of a node that is of constants alone.
    fn ground(&self, number: u32) -> Done<Option<Value>> {
        if !self.is_ground(number) {
            return Ok(None);
        }
        match self.value_of(number, (u32::MAX, &Value::Null)) {
            Ok(value) => Ok(Some(value)),
            Err(error) if !error.kind().is_of_any_plan() => decline("a constant that fails"),
            Err(error) => Err(Stop::Failed(error)),
        }
    }
}
