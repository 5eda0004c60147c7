//! Windows: OVER and WINDOW, and calls over them.

use super::binder::Binder;
use super::expression::null_treatment;
use super::frame_spelling::{Bounded, excluding};
use super::order::order_item;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{AggregateArguments, BoundSpec, Called, Clause, FrameSpec, Scope, WindowSpec};
use crate::types::SortOrder;
use crate::window::{Exclude, FrameUnit};
use sqlparser::ast::{self, DuplicateTreatment, FunctionArguments, Spanned, WindowFrameBound};

/// What a window's rows are parted by, and ordered by.
type Keys = (Vec<Expression>, Vec<(Expression, SortOrder)>);

impl Binder<'_, '_> {
    /// Binds the windows that a SELECT names, each of which may go on from those in front of it.
    pub(super) fn bind_named_windows(
        &mut self,
        definitions: &[ast::NamedWindowDefinition],
        scope: &Scope<'_>,
    ) -> Result<()> {
        for ast::NamedWindowDefinition(ident, definition) in definitions {
            let (name, position) = (Self::fold(ident), self.position(ident.span));
            if self.windows.iter().any(|(known, _)| *known == name) {
                let message = format!("window \"{name}\" is already defined");
                return Err(Error::new(ErrorKind::Windowing, message).at(position));
            }
            let ast::NamedWindowExpr::WindowSpec(spec) = definition else {
                return Err(Error::unsupported("a window that is another one is").at(position));
            };
            let spec = self.bind_window_spec(spec, scope, position)?;
            self.windows.push((name, spec));
        }
        Ok(())
    }

    /// What OVER says; it stands at `position`.
    fn bind_window(
        &mut self,
        over: &ast::WindowType,
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<WindowSpec> {
        match over {
            ast::WindowType::WindowSpec(spec) => self.bind_window_spec(spec, scope, position),
            ast::WindowType::NamedWindow(ident) => self.named_window(ident),
        }
    }

    fn named_window(&self, ident: &ast::Ident) -> Result<WindowSpec> {
        let name = Self::fold(ident);
        let found = self.windows.iter().find(|(known, _)| *known == name);
        found.map(|(_, spec)| spec.clone()).ok_or_else(|| {
            let message = format!("window \"{name}\" does not exist");
            Error::new(ErrorKind::UnknownObject, message).at(self.position(ident.span))
        })
    }

    fn bind_window_spec(
        &mut self,
        spec: &ast::WindowSpec,
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<WindowSpec> {
        let ast::WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        let base = window_name.as_ref().map(|ident| Ok((self.named_window(ident)?, Self::fold(ident))));
        let base = base.transpose()?;
        let before = scope.enter(Clause::WindowDefinition);
        let keys = self.bind_window_keys(partition_by, order_by, scope);
        let frame = window_frame.as_ref().map(|frame| self.bind_frame(frame, scope, position)).transpose();
        scope.enter(before);
        let ((partition, order), frame) = (keys?, frame?);
        let base = base.as_ref().map(|(spec, name)| (spec, name.as_str()));
        self.builder.window_spec(base, partition, order, frame).map_err(|error| error.at(position))
    }

    fn bind_window_keys(
        &mut self,
        partition_by: &[ast::Expr],
        order_by: &[ast::OrderByExpr],
        scope: &Scope<'_>,
    ) -> Result<Keys> {
        let mut partition = Vec::with_capacity(partition_by.len());
        for key in partition_by {
            let key = self.bind_expression(key, scope)?;
            partition.push(self.builder.settle(key)?);
        }
        let mut order = Vec::with_capacity(order_by.len());
        for item in order_by {
            let (key, direction) = order_item(self, item)?;
            let key = self.bind_expression(key, scope)?;
            order.push((self.builder.settle(key)?, direction));
        }
        Ok((partition, order))
    }

    fn bind_frame(
        &mut self,
        frame: &ast::WindowFrame,
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<FrameSpec> {
        let ast::WindowFrame { units, start_bound, end_bound } = frame;
        let unit = match units {
            ast::WindowFrameUnits::Rows => FrameUnit::Rows,
            ast::WindowFrameUnits::Groups => FrameUnit::Groups,
            ast::WindowFrameUnits::Range => FrameUnit::Range,
        };
        let mut exclude = Exclude::NoOthers;
        let start = self.bind_frame_bound(start_bound, &mut exclude, scope, position)?;
        let end = match end_bound {
            Some(end) => self.bind_frame_bound(end, &mut exclude, scope, position)?,
            None => BoundSpec::Current,
        };
        Ok(FrameSpec { unit, start, end, exclude })
    }

    /// A bound. What is excluded is part of the last one (`frame_spelling`).
    fn bind_frame_bound(
        &mut self,
        bound: &WindowFrameBound,
        exclude: &mut Exclude,
        scope: &Scope<'_>,
        position: Option<Position>,
    ) -> Result<BoundSpec> {
        let (distance, before) = match bound {
            WindowFrameBound::CurrentRow => return Ok(BoundSpec::Current),
            WindowFrameBound::Preceding(distance) => (distance, true),
            WindowFrameBound::Following(distance) => (distance, false),
        };
        let distance = match distance.as_deref().map(excluding) {
            None => None,
            Some((kind, rest)) => {
                *exclude = kind.unwrap_or(*exclude);
                match rest {
                    Bounded::Current => return Ok(BoundSpec::Current),
                    Bounded::Unbounded => None,
                    Bounded::At(distance) => Some(distance),
                }
            }
        };
        let Some(distance) = distance else { return Ok(if before { BoundSpec::First } else { BoundSpec::Last }) };
        let position = self.position(distance.span()).or(position);
        let value = self.bind_expression(distance, scope)?;
        Ok(if before { BoundSpec::Before(value, position) } else { BoundSpec::Behind(value, position) })
    }

    /// `name(arguments) FILTER (…) OVER …`.
    pub(super) fn bind_window_call(
        &mut self,
        call: &ast::Function,
        (called, name): (Called, &str),
        over: &ast::WindowType,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let FunctionArguments::List(list) = &call.args else {
            return Err(Error::unsupported(format_args!("a query as the argument of {name} is")).at(position));
        };
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let before = scope.enter(Clause::WindowArgument);
        let parts = self.bind_parts(name, list, call.filter.as_deref(), scope);
        scope.enter(before);
        let (arguments, filter, order) = parts.map_err(|error| error.at(position))?;
        let over = Some(self.bind_window(over, scope, position)?);
        let call = AggregateArguments { arguments, distinct, filter, order, nulls: null_treatment(call)?, over };
        let bound = self.builder.over_window(called, name, call, position, scope);
        let bound = bound.map_err(|error| error.at(position))?;
        self.builder.close_to_grouping();
        Ok(Expression { position: position.or(bound.position), ..bound })
    }
}
