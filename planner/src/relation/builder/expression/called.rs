//! Calls with their clauses (DISTINCT, FILTER, OVER and their kin): which kind of call a name and its clauses make, and the errors for
//! clauses that this kind does not have. One check for all front ends: [`Builder::called`] comes first, then a front end builds the
//! arguments in the clause of the query that they stand in, and hands them to what makes a call of this kind.

use super::aggregate::AggregateArguments;
use super::call::Callee;
use super::hypothetical::is_hypothetical;
use super::ordered_set::is_ordered_set;
use super::set_function::SetCall;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Builder, Scope, set_not_allowed};
use crate::relation::{AggregateFunction, Expression};
use crate::types::SortOrder;
use crate::window::WindowFunction;

/// What stands in and behind the parentheses of a call, beside its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallClauses {
    /// DISTINCT.
    pub distinct: bool,
    /// ALL, which aggregates mean anyway.
    pub all: bool,
    /// ORDER BY within the parentheses.
    pub order: bool,
    /// WITHIN GROUP.
    pub within_group: bool,
    /// FILTER.
    pub filter: bool,
    /// IGNORE NULLS or RESPECT NULLS.
    pub nulls: bool,
    /// OVER.
    pub over: bool,
}

/// What a call is, by its name and clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// An aggregate with WITHIN GROUP: [`Builder::within_group`].
    WithinGroup,
    /// An aggregate: [`Builder::aggregate`], or [`Builder::over_window`] if it has OVER.
    Aggregate(AggregateFunction),
    /// A window function with OVER: [`Builder::over_window`].
    Window(WindowFunction),
    /// GROUPING: [`Builder::grouping`].
    Grouping,
    /// A function of values, if there is one for the arguments: [`Builder::plain_call`].
    Function,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::WrongObjectType, message)
}

impl Builder<'_> {
    /// What a call of a name (in lower case) with so many arguments is.
    ///
    /// # Errors
    /// 42809 for clauses that calls of its kind do not have, and a window function without OVER; 42601 for what does not go with
    /// WITHIN GROUP or GROUPING; 0A000 for clauses of window functions that PostgreSQL does not have either, and those of [`Builder::callee`].
    pub fn called(&self, name: &str, arguments: usize, clauses: CallClauses) -> Result<Called> {
        if clauses.within_group {
            return within_group(name, clauses).map(|()| Called::WithinGroup);
        }
        // DuckDB's `mode(x)`.
        if is_ordered_set(name) && !(name == "mode" && arguments == 1) {
            return Err(wrong(format!("WITHIN GROUP is required for ordered-set aggregate {name}")));
        }
        if name == "grouping" && !clauses.over {
            if arguments == 0 || clauses != CallClauses::default() {
                let message = "GROUPING takes grouping expressions and nothing else";
                return Err(Error::new(ErrorKind::Syntax, message));
            }
            return Ok(Called::Grouping);
        }
        match self.callee(name)? {
            Callee::Aggregate(function) => Ok(Called::Aggregate(function)),
            Callee::Window(function) if !clauses.over => Err(self.needs_window(function)),
            Callee::Window(function) => window(clauses).map(|()| Called::Window(function)),
            Callee::Function => plain(name, clauses).map(|()| Called::Function),
        }
    }

    /// Checks the clauses of a call of a function of values.
    ///
    /// # Errors
    /// 42809 for those that only aggregates and windows have.
    pub fn check_plain(&self, name: &str, clauses: CallClauses) -> Result<()> {
        plain(name, clauses)
    }

    /// Checks a call of a function in FROM.
    ///
    /// # Errors
    /// 42803 for an aggregate, 42809 for clauses that only aggregates and windows have, and those of [`Builder::callee`].
    pub fn check_call_in_from(&self, name: &str, clauses: CallClauses) -> Result<()> {
        if let Callee::Aggregate(_) = self.callee(name)? {
            return Err(Error::new(ErrorKind::Grouping, "aggregate functions are not allowed in functions in FROM"));
        }
        plain(name, clauses)
    }

    /// A call of a function of values, in a list whose scope had so many functions that give rows before its arguments.
    ///
    /// # Errors
    /// 42883 if no function takes the arguments, 0A000 for functions that give rows where they may not stand; those of the function.
    pub fn plain_call(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        (scope, sets): (&Scope<'_>, usize),
        position: Option<Position>,
    ) -> Result<Expression> {
        if self.gives_rows(name, arguments.len()) {
            let call = self.set_function(name, arguments, position)?;
            return self.set_in_list(call, scope, position);
        }
        if name == "coalesce" && scope.set_count() > sets {
            return Err(set_not_allowed("COALESCE").at(position));
        }
        self.call_by_name(name, arguments, position)
    }

    /// The calls that a function in FROM is: `unnest` of several arrays has one for each.
    ///
    /// # Errors
    /// 42883 if no function takes the arguments; those of the function.
    pub fn calls_of_rows(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Vec<SetCall>> {
        match name {
            "unnest" => arguments.into_iter().map(|array| self.unnest(array)).collect(),
            "range" => Ok(vec![self.range_rows(arguments)?]),
            _ if self.gives_rows(name, arguments.len()) => Ok(vec![self.set_function(name, arguments, position)?]),
            _ => {
                let value = self.call_by_name(name, arguments, position)?;
                Ok(vec![self.set_of_value(name, value)?])
            }
        }
    }

    /// `name(direct) WITHIN GROUP (ORDER BY keys) FILTER (…)`.
    ///
    /// # Errors
    /// 0A000 for several keys of an aggregate that takes one; those of the aggregate.
    pub fn within_group(
        &mut self,
        name: &str,
        direct: Vec<Expression>,
        (mut keys, filter): (Vec<(Expression, SortOrder)>, Option<Expression>),
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if is_hypothetical(name) {
            return self.hypothetical(name, direct, keys, filter, position, scope);
        }
        match keys.pop() {
            Some(key) if keys.is_empty() => self.ordered_set(name, direct, key, filter, position, scope),
            _ => Err(Error::unsupported(format_args!("{name} of several values is")).at(position)),
        }
    }

    /// `name(arguments) OVER (…)`, of what [`Builder::called`] says that it is.
    ///
    /// # Errors
    /// Those of [`Builder::aggregate`] and [`Builder::window_function`].
    pub fn over_window(
        &mut self,
        called: Called,
        name: &str,
        call: AggregateArguments,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        match (called, call) {
            (Called::Aggregate(function), call) => self.aggregate(function, name, call, position, scope),
            (Called::Window(function), AggregateArguments { arguments, nulls, over: Some(window), .. }) => {
                self.window_function(function, (arguments.unwrap_or_default(), nulls), window, scope)
            }
            _ => Err(Error::internal("a call that has no window is made over one")),
        }
    }
}

/// Checks a call with WITHIN GROUP.
fn within_group(name: &str, clauses: CallClauses) -> Result<()> {
    if !is_ordered_set(name) && !is_hypothetical(name) {
        return Err(wrong(format!("{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP")));
    }
    if clauses.over {
        let message = format!("OVER is not supported for ordered-set aggregate {name}");
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    if clauses.distinct || clauses.all || clauses.order {
        return Err(Error::new(ErrorKind::Syntax, "cannot use DISTINCT or ORDER BY with WITHIN GROUP"));
    }
    if clauses.nulls {
        return Err(wrong(format!("RESPECT/IGNORE NULLS specified, but {name} is an ordered-set aggregate")));
    }
    Ok(())
}

/// Checks a call of a window function that is no aggregate.
fn window(clauses: CallClauses) -> Result<()> {
    let message = if clauses.distinct {
        "DISTINCT is not implemented for window functions"
    } else if clauses.filter {
        "FILTER is not implemented for non-aggregate window functions"
    } else if clauses.order {
        "aggregate ORDER BY is not implemented for window functions"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Unsupported, message))
}

/// Checks a call of a function of values.
fn plain(name: &str, clauses: CallClauses) -> Result<()> {
    let (clause, kinds) = if clauses.over {
        ("OVER", "a window function nor an aggregate function")
    } else if clauses.nulls {
        ("RESPECT/IGNORE NULLS", "a window function nor an aggregate")
    } else if clauses.order {
        ("ORDER BY", "an aggregate function")
    } else if clauses.distinct || clauses.all {
        ("DISTINCT", "an aggregate function")
    } else if clauses.filter {
        ("FILTER", "an aggregate function")
    } else {
        return Ok(());
    };
    Err(wrong(format!("{clause} specified, but {name} is not {kinds}")))
}
