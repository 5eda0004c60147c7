//! `iterate((seed), (step) [, (until)] [, times => n])` in FROM, as HyPer has it (Passing et al., "SQL- and Operator-centric Data
//! Analytics in Relational Main-Memory Databases", EDBT 2017, section 4): the rows of the seed are a state, of which the step makes
//! the next one, until the third query has rows. Unlike WITH RECURSIVE, the last state alone is the result, and the step may
//! read its state as it reads any other rows.
//!
//! `iterate` names the state in the step. In the third query it names that which the round has made, and `previous` the one
//! before.

use super::binder::Binder;
use super::cte::{CteInSight, CteMeaning};
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::multiloop::RowBound;
use crate::relation::builder::{FromItem, Scope};
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, Spanned as _};

/// The function, and the state.
const ITERATE: &str = "iterate";

/// The state before the round.
const PREVIOUS: &str = "previous";

/// What it is called with.
#[derive(Default)]
struct Arguments<'a> {
    queries: [Option<&'a ast::Query>; 3],
    times: Option<&'a Expr>,
}

impl Binder<'_, '_> {
    /// The rows of an iteration, if the name is its.
    pub(super) fn bind_iteration(
        &mut self,
        name: &ast::ObjectName,
        args: &[FunctionArg],
        parent: Option<&Scope<'_>>,
    ) -> Result<Option<FromItem>> {
        let (schema, ident) = self.split_name(name)?;
        if schema.is_some() || Self::fold(ident) != ITERATE || self.builder.is_table_function(ITERATE) {
            return Ok(None);
        }
        let position = self.position(name.span());
        let Arguments { queries: [Some(seed), Some(step), until], times } = self.arguments_of(args, position)? else {
            let message = "an iteration needs a query of its first state and one of its step";
            let hint = "Write iterate((SELECT …), (SELECT … FROM iterate), times => 10).";
            return Err(Error::new(ErrorKind::Syntax, message).with_hint(hint).at(position));
        };
        if until.is_none() && times.is_none() {
            let message = "an iteration needs a query that says when it ends, or \"times\"";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let times = match times {
            Some(times) => {
                let count = self.bind_row_count(times, "TIMES")?;
                let of_other = || Error::unsupported("TIMES of what is no constant and no parameter is");
                count.row_bound().ok_or_else(|| of_other().at(self.position(times.span())))?
            }
            None => RowBound::All,
        };
        self.deeper(position, |binder| {
            let seed = binder.bind_query(seed, parent, Unknown::AsText)?;
            let state = binder.builder.recursion(seed, true)?;
            let types = state.types(binder.builder);
            let in_sight = binder.ctes.len();
            binder.bring(ITERATE, CteMeaning::State(Box::new(state.clone())));
            let rows = binder.bind_query(step, parent, Unknown::As(&types));
            binder.ctes.truncate(in_sight);
            let round = binder.builder.state_round(state, rows?, binder.query_start(step))?;
            let until = match until {
                Some(until) => {
                    binder.bring(PREVIOUS, CteMeaning::State(Box::new(round.before().clone())));
                    binder.bring(ITERATE, CteMeaning::Shared(round.after().clone()));
                    let rows = binder.bind_query(until, parent, Unknown::AsText);
                    binder.ctes.truncate(in_sight);
                    Some(rows?)
                }
                None => None,
            };
            let rows = binder.builder.iterate(round, until, times);
            Ok(Some(FromItem::table(rows, ITERATE.to_owned())))
        })
    }

    fn bring(&mut self, name: &str, stands: CteMeaning) {
        self.ctes.push(CteInSight { name: name.to_owned(), stands, tree: None });
    }

    fn arguments_of<'a>(&self, args: &'a [FunctionArg], position: Option<Position>) -> Result<Arguments<'a>> {
        let mut arguments = Arguments::default();
        for (place, arg) in args.iter().enumerate() {
            let refused = |what: &str| Err(Error::new(ErrorKind::Syntax, what.to_owned()).at(position));
            let (name, value) = match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => (None, value),
                FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. }
                | FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(value), .. } => {
                    (Some(Self::fold(name)), value)
                }
                _ => return refused("an argument of an iteration is no query"),
            };
            let place = match name.as_deref() {
                None if place < 3 => place,
                None => return refused("an iteration has three queries at most"),
                Some("seed") => 0,
                Some("step") => 1,
                Some("until") => 2,
                Some("times") if arguments.times.is_some() => return refused("\"times\" is given twice"),
                Some("times") => {
                    arguments.times = Some(value);
                    continue;
                }
                Some(other) => {
                    let error = Error::new(ErrorKind::Syntax, format!("an iteration has no argument \"{other}\""));
                    return Err(error.with_hint("Its arguments are seed, step, until and times.").at(position));
                }
            };
            let mut inner = value;
            while let Expr::Nested(nested) = inner {
                inner = nested;
            }
            let Expr::Subquery(query) = inner else {
                let error = Error::new(ErrorKind::Syntax, "a seed, a step and an end of an iteration are queries");
                let hint = "Put it into parentheses: iterate((SELECT …), (SELECT … FROM iterate), times => 10).";
                return Err(error.with_hint(hint).at(self.position(value.span()).or(position)));
            };
            if arguments.queries[place].replace(query).is_some() {
                return refused("an argument of an iteration is given twice");
            }
        }
        Ok(arguments)
    }
}
