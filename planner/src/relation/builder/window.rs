//! Windows: what OVER says, the calls over it, and the operators that they become.
//!
//! Like an aggregate, a call is handed to its SELECT level, and a column stands in its place. Above groups and HAVING, and
//! below DISTINCT and ORDER BY, each window of them becomes an operator.

use super::frame::{FrameSpec, Framed, error};
use super::{Builder, Clause, Coercion, Scope, checked_key, unify_types};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::effects::effects;
use crate::relation::{AggregateFunction, ColumnId, Columns, Expression, Relation, SortKey, WindowCall, WindowCallee};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use crate::window::{Frame, WindowFunction};
use std::sync::Arc;

/// What a call says of NULLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// IGNORE NULLS.
    Ignored,
    /// RESPECT NULLS.
    Respected,
}

/// What OVER says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowSpec {
    partition: Vec<Expression>,
    order: Vec<SortKey>,
    /// None is the usual one.
    frame: Option<Framed>,
}

/// A call that belongs to a SELECT level.
#[derive(Clone, Debug)]
pub(super) struct WindowUse {
    pub(super) id: ColumnId,
    partition: Vec<Expression>,
    order: Vec<SortKey>,
    call: WindowCall,
}

impl WindowUse {
    /// All that it reads.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.partition.iter().chain(self.order.iter().map(|key| &key.expression)).chain(self.call.expressions())
    }

    /// All that it reads, to be changed in place.
    pub(super) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let keys = self.order.iter_mut().map(|key| &mut key.expression);
        self.partition.iter_mut().chain(keys).chain(self.call.expressions_mut())
    }
}

impl Builder<'_> {
    /// A window, perhaps one that goes on from another, which has this name.
    ///
    /// # Errors
    /// 42P20 where both say the same thing, the other one has a frame, or the frame cannot be.
    pub fn window_spec(
        &mut self,
        base: Option<(&WindowSpec, &str)>,
        partition: Vec<Expression>,
        order: Vec<(Expression, SortOrder)>,
        frame: Option<FrameSpec>,
    ) -> Result<WindowSpec> {
        let order = order.into_iter().map(|(expression, order)| SortKey { expression, order }).collect();
        let mut spec = WindowSpec { partition, order, frame: None };
        if let Some((base, name)) = base {
            if !spec.partition.is_empty() {
                return Err(error(format!("cannot override PARTITION BY clause of window \"{name}\"")));
            }
            if !spec.order.is_empty() && !base.order.is_empty() {
                return Err(error(format!("cannot override ORDER BY clause of window \"{name}\"")));
            }
            if base.frame.is_some() {
                return Err(error(format!("cannot copy window \"{name}\" because it has a frame clause")));
            }
            spec.partition.clone_from(&base.partition);
            if spec.order.is_empty() {
                spec.order.clone_from(&base.order);
            }
        }
        spec.frame = frame.map(|frame| self.framed(frame, &spec.order)).transpose()?;
        Ok(spec)
    }
}

impl Scope<'_> {
    /// Adds a call to this level and returns the column that stands for it. `name` is the function's, for the column.
    ///
    /// # Errors
    /// 42P20 where no window function may stand, 42803 in an aggregate.
    pub(super) fn add_window(
        &self,
        spec: WindowSpec,
        (callee, ignore_nulls): (WindowCallee, bool),
        name: &str,
        columns: &mut Columns,
    ) -> Result<Expression> {
        match self.clause() {
            Clause::SelectList | Clause::OrderBy | Clause::DistinctOn | Clause::Qualify => {}
            Clause::AggregateArgument => {
                let message = "aggregate function calls cannot contain window function calls";
                return Err(Error::new(ErrorKind::Grouping, message));
            }
            Clause::WindowArgument => return Err(error("window function calls cannot be nested")),
            clause => return Err(error(format!("window functions are not allowed in {clause}"))),
        }
        let Framed { frame, bounds } = spec.frame.unwrap_or_default();
        let call = WindowCall { callee, frame: Frame { ignore_nulls, ..frame }, bounds };
        let mut windows = self.windows_mut();
        let same = |known: &&WindowUse| {
            known.call == call && known.partition == spec.partition && known.order == spec.order && !varies(known)
        };
        if let Some(known) = windows.iter().find(same) {
            return Ok(columns.reference(known.id));
        }
        let id = columns.add(name, call.data_type(), call.may_be_null());
        windows.push(WindowUse { id, partition: spec.partition, order: spec.order, call });
        Ok(columns.reference(id))
    }
}

/// Has aggregates of whole partitions, to which no order matters, go over the rows as another call of the same partition has
/// them: so these are put in order once.
fn join_whole_partitions(mut windows: Vec<WindowUse>) -> Vec<WindowUse> {
    for at in 0..windows.len() {
        let window = &windows[at];
        let other = windows.iter().find(|other| other.partition == window.partition && !other.order.is_empty());
        if let (true, Some(other)) = (sees_whole_partition(window), other) {
            let (order, frame) = (other.order.clone(), Frame::WHOLE);
            windows[at].order = order;
            windows[at].call.frame = frame;
            windows[at].call.bounds.clear();
        }
    }
    windows
}

/// Whether a call without an order gives one value for all rows of a partition, whichever order these come in.
fn sees_whole_partition(window: &WindowUse) -> bool {
    let WindowCallee::Aggregate(call) = &window.call.callee else { return false };
    window.order.is_empty()
        && !matches!(call.function, AggregateFunction::Gather(_))
        && !varies(window)
        && window.call.frame.is_whole(true)
}

/// Whether a call takes something that differs from evaluation to evaluation.
fn varies(window: &WindowUse) -> bool {
    window.expressions().any(|expression| effects(expression).volatile)
}

impl Builder<'_> {
    /// The error (42809) for a window function that is called without a window.
    pub fn needs_window(&self, function: WindowFunction) -> Error {
        let message = format!("window function {} requires an OVER clause", function.name());
        Error::new(ErrorKind::WrongObjectType, message)
    }

    /// A call of a window function that is no aggregate, likewise.
    ///
    /// # Errors
    /// 42883 for arguments that it does not take.
    pub fn window_function(
        &mut self,
        function: WindowFunction,
        (arguments, nulls): (Vec<Expression>, Option<Nulls>),
        spec: WindowSpec,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let name = function.name();
        let fitting = self.window_arguments(function, arguments)?;
        let data_type = function.data_type(fitting.first().map(|argument| argument.data_type));
        let ignore_nulls = nulls == Some(Nulls::Ignored);
        if nulls.is_some() && !function.may_ignore_nulls() {
            let message = format!("function {name} does not accept RESPECT/IGNORE NULLS");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let callee = WindowCallee::Function(function, fitting, data_type);
        scope.add_window(spec, (callee, ignore_nulls), name, &mut self.columns)
    }

    /// The arguments with their types, and those that are left out.
    fn window_arguments(
        &mut self,
        function: WindowFunction,
        mut arguments: Vec<Expression>,
    ) -> Result<Vec<Expression>> {
        let moves = matches!(function, WindowFunction::Lag | WindowFunction::Lead);
        let least = if moves { 1 } else { function.arity() };
        // What is a number of rows.
        let number = match function {
            WindowFunction::Ntile => Some(0),
            WindowFunction::Lag | WindowFunction::Lead | WindowFunction::NthValue => Some(1),
            _ => None,
        };
        let is_number = |argument: &Expression| {
            matches!(argument.data_type, DataType::SmallInt | DataType::Integer | DataType::Null)
        };
        let fits = (least..=function.arity()).contains(&arguments.len())
            && number.and_then(|at| arguments.get(at)).is_none_or(is_number);
        if !fits {
            return Err(self.no_function(function.name(), &arguments));
        }
        if moves && arguments.len() == 1 {
            arguments.push(Expression::constant(Value::Int(1), DataType::Integer));
        }
        if let Some(at) = number {
            let number = arguments[at].clone();
            arguments[at] = self.coerce(number, DataType::Integer, Coercion::Implicit)?;
        }
        if function.is_place() || function == WindowFunction::Ntile {
            return Ok(arguments);
        }
        if moves && arguments.len() == 3 {
            let types = [arguments[0].data_type, arguments[2].data_type];
            let Ok(common) = unify_types(&types, function.name()) else {
                return Err(self.no_function(function.name(), &arguments));
            };
            // Digits that one of them lacks are not shown of it.
            let common = if common.is_decimal() && types[0] != types[1] { DataType::Numeric } else { common };
            for at in [0, 2] {
                let value = arguments[at].clone();
                arguments[at] = self.coerce(value, common, Coercion::Implicit)?;
            }
            return Ok(arguments);
        }
        if arguments[0].data_type == DataType::Null {
            let message = "could not determine polymorphic type because input has type unknown";
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        if moves {
            let data_type = arguments[0].data_type;
            arguments.push(Expression::constant(Value::Null, data_type));
        }
        Ok(arguments)
    }

    /// The rows with the columns of a level's windows.
    ///
    /// # Errors
    /// 42883 and 0A000 for what cannot be compared, or has no order.
    pub(super) fn windows(&mut self, mut input: Arc<Relation>, scope: &Scope<'_>) -> Result<Arc<Relation>> {
        let mut left = join_whole_partitions(std::mem::take(&mut *scope.windows_mut()));
        while !left.is_empty() {
            let (partition, order) = (left[0].partition.clone(), left[0].order.clone());
            let same = |window: &WindowUse| window.partition == partition && window.order == order;
            let (here, others): (Vec<_>, Vec<_>) = left.into_iter().partition(same);
            left = others;
            let functions = here.into_iter().map(|WindowUse { id, call, .. }| (id, call)).collect();
            let partition = partition.into_iter().map(|key| checked_key(key, false)).collect::<Result<_>>()?;
            let key = |SortKey { expression, order }| Ok(SortKey { expression: self.order_key(expression)?, order });
            let order = order.into_iter().map(key).collect::<Result<_>>()?;
            input = Arc::new(Relation::Window { input, partition, order, functions });
        }
        Ok(input)
    }

    /// The first rows, in an order, of those that have these values: DISTINCT ON.
    pub(super) fn first_of_each(
        &mut self,
        input: Arc<Relation>,
        partition: Vec<Expression>,
        order: Vec<SortKey>,
    ) -> Arc<Relation> {
        let (input, number) = self.numbered(input, partition, order);
        let one = Expression::constant(Value::Int(1), number.data_type);
        self.filter(input, Expression::call(Function::Equal, vec![number, one], DataType::Boolean))
    }

    /// Rows, in their order, with the numbers that they get behind those of a table that has so many, and has been written anew so often.
    pub(crate) fn numbered_behind(
        &mut self,
        input: Arc<Relation>,
        (rows, epoch): (u64, u8),
    ) -> (Arc<Relation>, ColumnId) {
        let (numbered, number) = self.numbered(input, Vec::new(), Vec::new());
        let mut columns: Vec<_> = numbered.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let before = Expression::constant(Value::Int(rows as i64 - 1), DataType::BigInt);
        let id = self.columns.add("row number", DataType::BigInt, false);
        columns.push((id, Expression::call(Function::Add, vec![number, before], DataType::BigInt)));
        if epoch > 0 {
            self.epochs.insert(id, epoch);
        }
        (Arc::new(Relation::Project { input: numbered, columns }), id)
    }

    /// Rows with their numbers, from 1, in an order among those that have the same values of these.
    pub(super) fn numbered(
        &mut self,
        input: Arc<Relation>,
        partition: Vec<Expression>,
        order: Vec<SortKey>,
    ) -> (Arc<Relation>, Expression) {
        let function = WindowFunction::RowNumber;
        let data_type = function.data_type(None);
        let id = self.columns.add(function.name(), data_type, false);
        let callee = WindowCallee::Function(function, Vec::new(), data_type);
        let functions = vec![(id, WindowCall { callee, frame: Frame::default(), bounds: Vec::new() })];
        let numbered = Arc::new(Relation::Window { input, partition, order, functions });
        (numbered, self.columns.reference(id))
    }
}
