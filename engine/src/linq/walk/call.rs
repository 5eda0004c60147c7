//! Calls of functions, aggregates and window functions.

use super::Walk;
use crate::linq::expression::Order;
use crate::linq::tree::{Bound, Call, Tree, Window, WindowFrame};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{
    AggregateArguments, BoundSpec, Callee, Clause, FrameSpec, Nulls, Scope, WindowSpec, is_hypothetical,
    is_ordered_set, set_not_allowed,
};
use multiloop_planner::types::SortOrder;

/// Arguments, none for `*`, the filter, and the order of rows.
type Parts = (Option<Vec<Expression>>, Option<Expression>, Vec<(Expression, SortOrder)>);

fn error<T>(kind: ErrorKind, message: impl Into<String>) -> Result<T> {
    Err(Error::new(kind, message.into()))
}

impl Call {
    /// Whether its order is that of WITHIN GROUP.
    pub(in crate::linq) fn is_within_group(&self) -> bool {
        self.over.is_none() && !self.order.is_empty() && (is_ordered_set(&self.name) || is_hypothetical(&self.name))
    }

    fn nulls(&self) -> Option<Nulls> {
        self.ignore_nulls.then_some(Nulls::Ignored)
    }
}

impl Walk<'_, '_> {
    /// A call.
    pub(super) fn call(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Expression> {
        let name = &*call.name;
        if call.is_within_group() {
            return self.within_group(call, scope);
        }
        if is_ordered_set(name) && !(name == "mode" && call.arguments.as_ref().is_some_and(|all| all.len() == 1)) {
            return error(
                ErrorKind::WrongObjectType,
                format!("WITHIN GROUP is required for ordered-set aggregate {name}"),
            );
        }
        if let Some(window) = &call.over {
            return self.over(call, window, scope);
        }
        match self.builder.callee(name)? {
            Callee::Aggregate(function) => {
                let mark = self.builder.mentions_mark();
                let (arguments, filter, order) = self.parts_in(Clause::AggregateArgument, call, scope)?;
                let (distinct, nulls) = (call.distinct, call.nulls());
                let arguments = AggregateArguments { arguments, distinct, filter, order, nulls, over: None };
                self.builder.aggregate_mentions(scope, mark);
                let aggregate = self.builder.aggregate(function, name, arguments, None, scope)?;
                self.builder.aggregate_is_built(scope, &aggregate);
                Ok(aggregate)
            }
            Callee::Window(function) => Err(self.builder.needs_window(function)),
            Callee::Function => {
                self.check_plain(call)?;
                let sets = scope.set_count();
                let arguments = self.all(call.arguments.as_deref().unwrap_or_default(), scope)?;
                if self.builder.gives_rows(name, arguments.len()) {
                    let call = self.builder.set_function(name, arguments, None)?;
                    return self.builder.set_in_list(call, scope, None);
                }
                if name == "coalesce" && scope.set_count() > sets {
                    return Err(set_not_allowed("COALESCE"));
                }
                self.builder.call_by_name(name, arguments, None)
            }
        }
    }

    /// An error for what only aggregates and windows may have.
    pub(super) fn check_plain(&self, call: &Call) -> Result<()> {
        let name = &*call.name;
        if call.ignore_nulls {
            let message =
                format!("RESPECT/IGNORE NULLS specified, but {name} is not a window function nor an aggregate");
            return error(ErrorKind::WrongObjectType, message);
        }
        if !call.order.is_empty() {
            let message = format!("ORDER BY specified, but {name} is not an aggregate function");
            return error(ErrorKind::WrongObjectType, message);
        }
        if call.over.is_some() {
            let message = format!("OVER specified, but {name} is not a window function nor an aggregate function");
            return error(ErrorKind::WrongObjectType, message);
        }
        self.builder.check_plain_call(name, call.distinct, call.filter.is_some())
    }

    /// `name(direct) WITHIN GROUP (ORDER BY key)`.
    fn within_group(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Expression> {
        let name = &*call.name;
        if call.distinct {
            return error(ErrorKind::Syntax, "cannot use DISTINCT or ORDER BY with WITHIN GROUP");
        }
        let direct = self.all(call.arguments.as_deref().unwrap_or_default(), scope)?;
        let mark = self.builder.mentions_mark();
        let before = scope.enter(Clause::AggregateArgument);
        let keys = self.keys(&call.order, scope);
        let filter = keys.is_ok().then(|| self.filter(call, scope)).transpose();
        scope.enter(before);
        let (mut keys, filter) = (keys?, filter?.flatten());
        self.builder.aggregate_mentions(scope, mark);
        let aggregate = if is_hypothetical(name) {
            self.builder.hypothetical(name, direct, keys, filter, None, scope)?
        } else {
            match keys.pop() {
                Some(key) if keys.is_empty() => self.builder.ordered_set(name, direct, key, filter, None, scope)?,
                _ => return Err(Error::unsupported(format_args!("{name} of several values is"))),
            }
        };
        self.builder.aggregate_is_built(scope, &aggregate);
        Ok(aggregate)
    }

    /// `name(arguments) OVER (…)`.
    fn over(&mut self, call: &Call, window: &Window, scope: &Scope<'_>) -> Result<Expression> {
        let callee = self.builder.callee(&call.name)?;
        if let Callee::Window(_) = callee {
            let refused = [
                (call.distinct, "DISTINCT is not implemented for window functions"),
                (call.filter.is_some(), "FILTER is not implemented for non-aggregate window functions"),
            ];
            if let Some((_, message)) = refused.into_iter().find(|(is_there, _)| *is_there) {
                return error(ErrorKind::Unsupported, message);
            }
        }
        if callee == Callee::Function {
            let name = &call.name;
            let message = format!("OVER specified, but {name} is not a window function nor an aggregate function");
            return error(ErrorKind::WrongObjectType, message);
        }
        let (arguments, filter, order) = self.parts_in(Clause::WindowArgument, call, scope)?;
        if matches!(callee, Callee::Window(_)) && !order.is_empty() {
            return error(ErrorKind::Unsupported, "aggregate ORDER BY is not implemented for window functions");
        }
        let spec = self.window(window, scope)?;
        let nulls = call.nulls();
        match callee {
            Callee::Aggregate(function) => {
                let distinct = call.distinct;
                let parts = AggregateArguments { arguments, distinct, filter, order, nulls, over: Some(spec) };
                self.builder.aggregate(function, &call.name, parts, None, scope)
            }
            Callee::Window(function) => {
                self.builder.window_function(function, (arguments.unwrap_or_default(), nulls), spec, scope)
            }
            Callee::Function => Err(Error::internal("a plain function over a window")),
        }
    }

    fn window(&mut self, window: &Window, scope: &Scope<'_>) -> Result<WindowSpec> {
        let Window { partition, order, frame } = window;
        let before = scope.enter(Clause::WindowDefinition);
        let partition = partition.iter().map(|key| {
            let key = self.tree(key, scope)?;
            self.settled(key)
        });
        let partition: Result<Vec<_>> = partition.collect();
        let order = partition.is_ok().then(|| self.keys(order, scope)).transpose();
        let frame = frame.as_ref().map(|frame| self.frame(frame, scope)).transpose();
        scope.enter(before);
        self.builder.window_spec(None, partition?, order?.unwrap_or_default(), frame?)
    }

    fn frame(&mut self, frame: &WindowFrame, scope: &Scope<'_>) -> Result<FrameSpec> {
        let start = self.bound(&frame.start, scope)?;
        let end = self.bound(&frame.end, scope)?;
        Ok(FrameSpec { unit: frame.unit, start, end, exclude: frame.exclude })
    }

    fn bound(&mut self, bound: &Bound, scope: &Scope<'_>) -> Result<BoundSpec> {
        Ok(match bound {
            Bound::First => BoundSpec::First,
            Bound::Before(distance) => BoundSpec::Before(self.tree(distance, scope)?, None),
            Bound::Current => BoundSpec::Current,
            Bound::Behind(distance) => BoundSpec::Behind(self.tree(distance, scope)?, None),
            Bound::Last => BoundSpec::Last,
        })
    }

    fn parts_in(&mut self, clause: Clause, call: &Call, scope: &Scope<'_>) -> Result<Parts> {
        let before = scope.enter(clause);
        let parts = self.parts(call, scope);
        scope.enter(before);
        parts
    }

    fn parts(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Parts> {
        let arguments = call.arguments.as_deref().map(|arguments| self.all(arguments, scope)).transpose()?;
        let filter = self.filter(call, scope)?;
        Ok((arguments, filter, self.keys(&call.order, scope)?))
    }

    fn filter(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Option<Expression>> {
        let condition = |filter: &Tree| {
            let filter = self.tree(filter, scope)?;
            self.builder.coerce_condition(filter, "FILTER")
        };
        call.filter.as_deref().map(condition).transpose()
    }

    fn keys(&mut self, order: &[Order], scope: &Scope<'_>) -> Result<Vec<(Expression, SortOrder)>> {
        let key = |Order { tree, order }: &Order| {
            let key = self.tree(tree, scope)?;
            Ok((self.settled(key)?, *order))
        };
        order.iter().map(key).collect()
    }
}
