//! ASOF and POSITIONAL joins.
//!
//! ASOF: each left row with the right row of the same keys that is the nearest in an order, as `a.t >= b.t` says. The right rows are
//! numbered in that order; both sides together are put in order, right rows before the left rows that they may be nearest to; the
//! largest number so far is the nearest right row's:
//!
//! ```text
//! With r = Window number in order of t: right rows with keys
//!   Project
//!     Join number = nearest                          Left for ASOF LEFT JOIN, and so on
//!       Project left columns, nearest
//!         Filter is left
//!           Window nearest = max(number) partition keys order t, side
//!             SetOperation ALL: left rows, r's keys
//!       r
//! ```
//!
//! POSITIONAL: the rows of the same number, in the order in which they come.

use super::{Builder, FromItem, Joined, Side, checked_key};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{Function, mirrored};
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::visit::{conjuncts, for_each_column};
use crate::relation::{
    AggregateFunction, ColumnId, Expression, ExpressionKind, Relation, SetKind, SortKey, WindowCall, WindowCallee,
};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use crate::window::{Frame, FrameBound, FrameUnit};
use std::sync::Arc;

/// The parts of an ASOF join's condition, left sides first.
struct Asof {
    keys: Vec<(Expression, Expression)>,
    /// The function says how the left's stands to the right's.
    order: (Function, Expression, Expression),
    /// Conditions of right rows.
    of_right: Vec<Expression>,
}

fn error(message: &str, position: Option<Position>) -> Error {
    Error::new(ErrorKind::Syntax, message).at(position)
}

fn reads(expression: &Expression, columns: &ColumnSet) -> bool {
    let mut found = false;
    for_each_column(expression, &mut |id| found |= columns.contains(id));
    found
}

impl Asof {
    fn of(condition: &Expression, left: &ColumnSet, right: &ColumnSet, position: Option<Position>) -> Result<Self> {
        let (mut keys, mut order, mut of_right) = (Vec::new(), None, Vec::new());
        for part in conjuncts(condition) {
            let at = part.position.or(position);
            if matches!(&part.kind, ExpressionKind::Constant(value) if value.is_true()) {
                continue;
            }
            if reads(part, right) && !reads(part, left) {
                of_right.push(part.clone());
                continue;
            }
            let sides = match &part.kind {
                ExpressionKind::Call(function, arguments) if arguments.len() == 2 => {
                    let (a, b) = (&arguments[0], &arguments[1]);
                    let fits = |a: &Expression, b: &Expression| !reads(a, right) && !reads(b, left);
                    if fits(a, b) {
                        Some((*function, a, b))
                    } else if fits(b, a) {
                        Some((mirrored(*function), b, a))
                    } else {
                        None
                    }
                }
                _ => None,
            };
            match sides {
                Some((Function::Equal, a, b)) => keys.push((a.clone(), b.clone())),
                Some((
                    function @ (Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual),
                    a,
                    b,
                )) => {
                    if order.replace((function, a.clone(), b.clone())).is_some() {
                        return Err(error("ASOF JOIN takes one inequality", at));
                    }
                }
                _ => return Err(Error::unsupported("such a condition of an ASOF JOIN is").at(at)),
            }
        }
        let order = order.ok_or_else(|| error("ASOF JOIN needs an inequality", position))?;
        Ok(Asof { keys, order, of_right })
    }
}

impl Builder<'_> {
    /// An ASOF join on a condition over both sides.
    ///
    /// # Errors
    /// 42601 without one inequality, 0A000 for other conditions.
    pub fn asof_join(
        &mut self,
        joined: Joined<'_>,
        side: Side,
        condition: &Expression,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let kind = match side {
            Side::Inner => JoinKind::Inner,
            Side::Left | Side::Right => JoinKind::Left,
            Side::Full => JoinKind::Full,
            Side::Semi => JoinKind::Semi,
            Side::Anti => JoinKind::Anti,
        };
        let keeps_right = matches!(side, Side::Right | Side::Full);
        let own = joined.left_counts();
        let (left, right, mut columns, mut tables) = joined.into_parts();
        let set = |relation: &Relation| relation.columns().into_iter().collect::<ColumnSet>();
        let asof = Asof::of(condition, &set(&left), &set(&right), position)?;
        let (function, of_left, of_right) = asof.order;
        let descending = matches!(function, Function::Less | Function::LessEqual);
        let is_strict = matches!(function, Function::Less | Function::Greater);
        let (left_keys, right_keys): (Vec<_>, Vec<_>) = asof.keys.into_iter().unzip();
        let left_values: Vec<Expression> = left_keys.into_iter().chain([of_left]).collect();
        let right_values: Vec<Expression> = right_keys.into_iter().chain([of_right]).collect();

        let whole = right.columns();
        let conditions = (asof.of_right, keeps_right);
        let (numbered, values, number) = self.numbered_right(right, right_values, conditions, descending)?;
        let mut all = whole.clone();
        all.extend(values.iter().copied());
        all.push(number);
        let (definition, [marks, rows]) = self.shared_twice(numbered, &all);
        let cte = self.next_shared();
        let mut ids = marks.0[whole.len()..].to_vec();
        let mut marks = Arc::new(Relation::CteScan { cte, columns: marks.1 });
        if keeps_right {
            // Whether a row may be near stands before its number.
            let near = ids.remove(ids.len() - 2);
            let near = self.columns.reference(near);
            marks = self.filter(marks, near);
        }
        let marks = (marks, ids);
        let (nearest_rows, nearest) = self.nearest(left, left_values, marks, (descending, is_strict))?;

        let scan = Arc::new(Relation::CteScan { cte, columns: rows.1 });
        let number = *rows.0.last().ok_or_else(|| Error::internal("a scan without a number"))?;
        let back = whole.iter().zip(&rows.0).map(|(old, new)| (*old, self.columns.reference(*new)));
        let back = back.chain([(number, self.columns.reference(number))]).collect();
        let scan = Arc::new(Relation::Project { input: scan, columns: back });
        let sides = vec![self.columns.reference(nearest), self.columns.reference(number)];
        let on = Expression::call(Function::Equal, sides, DataType::Boolean);
        let (first, second) = if side == Side::Right { (scan, nearest_rows) } else { (nearest_rows, scan) };
        let body = Arc::new(Relation::Join { kind, left: first, right: second, on });
        let relation = Arc::new(Relation::With { cte, definition, body });
        if matches!(side, Side::Semi | Side::Anti) {
            columns.truncate(own.0);
            tables.truncate(own.1);
        }
        Ok(FromItem { relation, columns, tables })
    }

    /// The right rows that may be near, with their values and their numbers; where all rows are kept, whether they may be is a value
    /// more, the last one.
    fn numbered_right(
        &mut self,
        right: Arc<Relation>,
        mut values: Vec<Expression>,
        (conditions, keeps_all): (Vec<Expression>, bool),
        descending: bool,
    ) -> Result<(Arc<Relation>, Vec<ColumnId>, ColumnId)> {
        let known = values.iter().cloned();
        let known = known.map(|value| Expression::call(Function::IsNotNull, vec![value], DataType::Boolean));
        let near = Expression::and(conditions.into_iter().chain(known));
        let time = values.len().checked_sub(1).ok_or_else(|| Error::internal("an ASOF JOIN without an order"))?;
        let input = if keeps_all {
            values.push(near);
            right
        } else {
            self.filter(right, near)
        };
        let (input, ids) = self.with_values(input, values)?;
        let time = self.columns.reference(ids[time]);
        let order = vec![self.asof_key(time, descending)?];
        let (numbered, number) = self.numbered(input, Vec::new(), order);
        let ExpressionKind::Column(number) = number.kind else { return Err(Error::internal("a number is a column")) };
        Ok((numbered, ids, number))
    }

    /// The left rows with the number of the nearest right row: `marks` are the keys, the time and the number of right rows.
    fn nearest(
        &mut self,
        left: Arc<Relation>,
        values: Vec<Expression>,
        (marks, mark_columns): (Arc<Relation>, Vec<ColumnId>),
        (descending, is_strict): (bool, bool),
    ) -> Result<(Arc<Relation>, ColumnId)> {
        let whole = left.columns();
        let (left, ids) = self.with_values(left, values)?;
        let integer = |value: i64| Expression::constant(Value::Int(value), DataType::Integer);
        let (own, others) = if is_strict { (0, 1) } else { (1, 0) };
        let add = |builder: &mut Self, name: &str, data_type| builder.columns.add(name, data_type, true);
        let big = DataType::BigInt;
        // The left's columns, keys, time, number, side: of the union, and of both of its sides.
        let from: Vec<ColumnId> = whole.iter().chain(&ids).copied().collect();
        let mut made: Vec<ColumnId> = Vec::with_capacity(from.len() + 2);
        for id in &from {
            let column = self.columns.get(*id).clone();
            made.push(add(self, &column.name, column.data_type));
        }
        made.extend([add(self, "number", big), add(self, "side", DataType::Integer)]);
        let (number, side) = (add(self, "number", big), add(self, "side", DataType::Integer));
        let mut of_left: Vec<_> = from.iter().map(|id| (*id, self.columns.reference(*id))).collect();
        of_left.extend([(number, Expression::constant(Value::Null, big)), (side, integer(own))]);
        let left_ids = of_left.iter().map(|(id, _)| *id).collect();
        let left = Arc::new(Relation::Project { input: left, columns: of_left });
        let mut of_right = Vec::with_capacity(made.len());
        for id in &whole {
            let column = self.columns.get(*id).clone();
            let null = Expression::constant(Value::Null, column.data_type);
            of_right.push((add(self, &column.name, column.data_type), null));
        }
        of_right.extend(mark_columns.iter().map(|id| (*id, self.columns.reference(*id))));
        of_right.push((add(self, "side", DataType::Integer), integer(others)));
        let right_ids = of_right.iter().map(|(id, _)| *id).collect();
        let right = Arc::new(Relation::Project { input: marks, columns: of_right });
        let union = Relation::SetOperation {
            kind: SetKind::Union,
            all: true,
            columns: made.clone(),
            left: (left, left_ids),
            right: (right, right_ids),
        };
        let keys = &made[whole.len()..];
        let [keys @ .., time, number, side] = keys else { return Err(Error::internal("a union without an order")) };
        let partition = keys.iter().map(|id| checked_key(self.columns.reference(*id), false)).collect::<Result<_>>()?;
        let of_side = self.columns.reference(*side);
        let ascending = SortOrder { descending: false, nulls_first: false };
        let mut first = self.asof_key(self.columns.reference(*time), descending)?;
        // What has no time is in front of all right rows.
        first.order.nulls_first = true;
        let order = vec![first, SortKey { expression: of_side.clone(), order: ascending }];
        let largest = vec![self.columns.reference(*number)];
        let call = self.aggregate_call(AggregateFunction::Max, "max", Some(largest), false)?;
        let frame = Frame::of(FrameUnit::Rows, FrameBound::First, FrameBound::Current);
        let nearest = add(self, "nearest", big);
        let functions =
            vec![(nearest, WindowCall { callee: WindowCallee::Aggregate(call), frame, bounds: Vec::new() })];
        let windowed = Relation::Window { input: Arc::new(union), partition, order, functions };
        let is_own = Expression::call(Function::Equal, vec![of_side, integer(own)], DataType::Boolean);
        let kept = self.filter(Arc::new(windowed), is_own);
        let back = whole.iter().zip(&made).map(|(old, new)| (*old, self.columns.reference(*new)));
        let back = back.chain([(nearest, self.columns.reference(nearest))]).collect();
        Ok((Arc::new(Relation::Project { input: kept, columns: back }), nearest))
    }

    /// Rows with values as columns.
    fn with_values(&mut self, input: Arc<Relation>, values: Vec<Expression>) -> Result<(Arc<Relation>, Vec<ColumnId>)> {
        let mut columns: Vec<_> = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let mut ids = Vec::with_capacity(values.len());
        for value in values {
            let id = self.columns.add("key", value.data_type, true);
            columns.push((id, value));
            ids.push(id);
        }
        Ok((Arc::new(Relation::Project { input, columns }), ids))
    }

    fn asof_key(&mut self, value: Expression, descending: bool) -> Result<SortKey> {
        let order = SortOrder { descending, nulls_first: descending };
        Ok(SortKey { expression: self.order_key(value)?, order })
    }

    /// The rows of both sides that have the same number; what one has more is beside NULLs.
    pub fn positional_join(&mut self, joined: Joined<'_>) -> Result<FromItem> {
        let (left, right, columns, tables) = joined.into_parts();
        let (left, of_left) = self.numbered(left, Vec::new(), Vec::new());
        let (right, of_right) = self.numbered(right, Vec::new(), Vec::new());
        let on = Expression::call(Function::Equal, vec![of_left, of_right], DataType::Boolean);
        let relation = Arc::new(Relation::Join { kind: JoinKind::Full, left, right, on });
        Ok(FromItem { relation, columns, tables })
    }
}
