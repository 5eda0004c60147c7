//! Calls of functions, aggregates and window functions.

use super::Walk;
use crate::Result;
use crate::linq::expression::Order;
use crate::linq::tree::{Bound, Call, Tree, Window, WindowFrame};
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{
    AggregateArguments, BoundSpec, CallClauses, Called, Clause, FrameSpec, Nulls, Scope, WindowSpec, is_hypothetical,
    is_ordered_set,
};
use multiloop_planner::types::SortOrder;

impl Call {
    /// Whether its order is that of WITHIN GROUP.
    pub(in crate::linq) fn is_within_group(&self) -> bool {
        self.over.is_none() && !self.order.is_empty() && (is_ordered_set(&self.name) || is_hypothetical(&self.name))
    }

    /// What it has beside its arguments.
    pub(super) fn clauses(&self) -> CallClauses {
        let within_group = self.is_within_group();
        CallClauses {
            distinct: self.distinct,
            all: false,
            order: !within_group && !self.order.is_empty(),
            within_group,
            filter: self.filter.is_some(),
            nulls: self.ignore_nulls,
            over: self.over.is_some(),
        }
    }
}

impl Walk<'_, '_> {
    /// A call.
    pub(super) fn call(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Expression> {
        let name = &*call.name;
        let arguments = call.arguments.as_deref().unwrap_or_default();
        let called = self.builder.called(name, arguments.len(), call.clauses())?;
        match (called, &call.over) {
            (Called::WithinGroup, _) => self.within_group(call, scope),
            (_, Some(window)) => {
                let parts = self.parts_in(Clause::WindowArgument, call, scope)?;
                let over = Some(self.window(window, scope)?);
                self.builder.over_window(called, name, AggregateArguments { over, ..parts }, None, scope)
            }
            (Called::Aggregate(function), None) => {
                let mark = self.builder.mentions_mark();
                let parts = self.parts_in(Clause::AggregateArgument, call, scope)?;
                self.builder.aggregate_mentions(scope, mark);
                let aggregate = self.builder.aggregate(function, name, parts, None, scope)?;
                self.builder.aggregate_is_built(scope, &aggregate);
                Ok(aggregate)
            }
            (Called::Grouping, None) => {
                let mark = self.builder.mentions_mark();
                let arguments = self.all(arguments, scope)?;
                self.builder.aggregate_mentions(scope, mark);
                let grouping = self.builder.grouping(arguments, scope)?;
                self.builder.aggregate_is_built(scope, &grouping);
                Ok(grouping)
            }
            (Called::Function | Called::Window(_), None) => {
                let sets = scope.set_count();
                let arguments = self.all(arguments, scope)?;
                self.builder.plain_call(name, arguments, (scope, sets), None)
            }
        }
    }

    /// `name(direct) WITHIN GROUP (ORDER BY key)`.
    fn within_group(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Expression> {
        let direct = self.all(call.arguments.as_deref().unwrap_or_default(), scope)?;
        let mark = self.builder.mentions_mark();
        let before = scope.enter(Clause::AggregateArgument);
        let keys = self.keys(&call.order, scope);
        let filter = keys.is_ok().then(|| self.filter(call, scope)).transpose();
        scope.enter(before);
        let parts = (keys?, filter?.flatten());
        self.builder.aggregate_mentions(scope, mark);
        let aggregate = self.builder.within_group(&call.name, direct, parts, None, scope)?;
        self.builder.aggregate_is_built(scope, &aggregate);
        Ok(aggregate)
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

    fn parts_in(&mut self, clause: Clause, call: &Call, scope: &Scope<'_>) -> Result<AggregateArguments> {
        let before = scope.enter(clause);
        let parts = self.parts(call, scope);
        scope.enter(before);
        parts
    }

    fn parts(&mut self, call: &Call, scope: &Scope<'_>) -> Result<AggregateArguments> {
        let arguments = call.arguments.as_deref().map(|arguments| self.all(arguments, scope)).transpose()?;
        let filter = self.filter(call, scope)?;
        let order = self.keys(&call.order, scope)?;
        let nulls = call.ignore_nulls.then_some(Nulls::Ignored);
        Ok(AggregateArguments { arguments, distinct: call.distinct, filter, order, nulls, over: None })
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
