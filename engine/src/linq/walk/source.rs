//! What a SELECT level reads.

use super::{State, Unknown, Walk};
use crate::linq::block::{Block, Iteration, Source};
use crate::linq::tree::{Call, Tree};
use crate::{DataType, Error, ErrorKind, Result};
use multiloop_planner::catalog::TableName;
use multiloop_planner::multiloop::RowBound;
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{Clause, FromItem, Rows, Scope, SetCall, null};
use std::sync::Arc;

/// The sources in front of one, if there are any, and whether it sees them whatever it is.
type Before<'f> = (Option<&'f FromItem>, bool);

impl Walk<'_, '_> {
    /// The rows of a source.
    pub(super) fn source(
        &mut self,
        source: &Source,
        parent: Option<&Scope<'_>>,
        (before, lateral): Before<'_>,
    ) -> Result<FromItem> {
        let siblings = before
            .filter(|_| lateral || matches!(source, Source::Function { .. }))
            .map(|before| before.scope(parent, Clause::From));
        let outer = siblings.as_ref().or(parent);
        let item = match source {
            Source::Nothing => return Ok(FromItem::nothing()),
            Source::Table { name, .. } => {
                let plain = &TableName::from(name.as_str());
                let found = match self.table_of_schema(name)? {
                    None => self.builder.table_or_file(plain, None)?,
                    found => found,
                };
                found.ok_or_else(|| self.builder.unknown_table(plain, &[]))?
            }
            Source::Derived { block, alias } => {
                let rows = self.block(block, outer, Unknown::AsText)?;
                return Ok(FromItem::table(rows, self.survey.name(alias).to_owned()));
            }
            Source::Shared { block, alias } => return self.shared(block, self.survey.name(alias).to_owned()),
            Source::Set { operation, all, left, right, alias } => {
                let rows = self.set_operation((*operation, *all), [left, right], outer)?;
                return Ok(FromItem::table(rows, self.survey.name(alias).to_owned()));
            }
            Source::Iterate { iteration, alias } => {
                let rows = self.iteration(iteration, outer)?;
                return Ok(FromItem::table(rows, self.survey.name(alias).to_owned()));
            }
            Source::State { state, alias } => return self.state(*state, self.survey.name(alias).to_owned()),
            Source::Values { rows, columns, .. } => FromItem::anonymous(self.values(rows, columns.len(), outer)?),
            Source::Function { call, alias, .. } => {
                let scope = Scope::empty(outer, Clause::FromFunction);
                let calls = self.calls_of_rows(call, &scope)?;
                let alias = self.survey.name(alias);
                self.builder.from_functions(calls, false, Some(alias))?
            }
        };
        let names = match source {
            Source::Values { columns, .. } | Source::Function { columns, .. } => columns.as_slice(),
            _ => &[],
        };
        match source.alias() {
            Some(alias) => item.aliased(self.survey.name(alias), names),
            None => Ok(item),
        }
    }

    /// The table that `schema.name` names, unless a table is named so as a whole.
    fn table_of_schema(&mut self, name: &str) -> Result<Option<FromItem>> {
        let Some((schema, rest)) = name.split_once('.').filter(|_| !name.contains('/')) else { return Ok(None) };
        if let Some(whole) = self.builder.table(&TableName::from(name), None)? {
            return Ok(Some(whole));
        }
        self.builder.table(&TableName { schema: Some(schema.to_owned()), name: rest.to_owned() }, None)
    }

    /// The rows of a block that is computed once.
    fn shared(&mut self, block: &Arc<Block>, name: String) -> Result<FromItem> {
        let key = Arc::as_ptr(block);
        if !self.built.contains_key(&key) {
            // It is computed in front of the query, where no iteration has a state.
            let states = std::mem::take(&mut self.states);
            let rows = self.block(block, None, Unknown::AsText)?;
            self.states = states;
            let (shared, definition) = self.builder.share(rows, false);
            self.definitions.push(definition);
            self.built.insert(key, shared);
        }
        Ok(self.builder.scan_shared(&self.built[&key], name))
    }

    /// The last state of an iteration.
    fn iteration(&mut self, iteration: &Iteration, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let Iteration { seed, state, step, until, times } = iteration;
        let seed = self.block(seed, parent, Unknown::AsText)?;
        let recursion = self.builder.recursion(seed, true)?;
        let types = recursion.types(self.builder);
        let around = self.states.len();
        self.states.push((*state, State::Before(recursion.clone())));
        let rows = self.block(step, parent, Unknown::As(&types))?;
        self.states.truncate(around);
        let round = self.builder.state_round(recursion, rows, None)?;
        let until = match until {
            Some(([before, behind], until)) => {
                self.states.push((*before, State::Before(round.before().clone())));
                self.states.push((*behind, State::Behind(round.after().clone())));
                let rows = self.block(until, parent, Unknown::AsText)?;
                self.states.truncate(around);
                Some(rows)
            }
            None => None,
        };
        Ok(self.builder.iterate(round, until, RowBound::Rows(*times)))
    }

    /// The rows of a state.
    fn state(&mut self, state: u64, name: String) -> Result<FromItem> {
        match self.states.iter().find(|(known, _)| *known == state).map(|(_, state)| state.clone()) {
            Some(State::Before(recursion)) => Ok(self.builder.scan_round(&recursion, name)),
            Some(State::Behind(shared)) => Ok(self.builder.scan_shared(&shared, name)),
            None => {
                let message = "the state of an iteration is read outside of its step, or by shared rows";
                Err(Error::new(ErrorKind::InvalidColumnReference, message))
            }
        }
    }

    fn values(&mut self, rows: &[Vec<Tree>], width: usize, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let width = rows.first().map_or(width, Vec::len);
        if rows.iter().any(|row| row.len() != width) {
            return Err(Error::new(ErrorKind::Syntax, "VALUES lists must all be the same length"));
        }
        let mut built = Vec::with_capacity(rows.len().max(1));
        for row in rows {
            let scope = Scope::empty(parent, Clause::Values);
            built.push(self.all(row, &scope)?);
        }
        // Without rows there is still a row of the columns, which a condition leaves out.
        if rows.is_empty() {
            built.push(vec![null(); width]);
        }
        let name = |index| format!("column{}", index + 1);
        let (relation, output) = self.builder.values(built, |_| Some(DataType::Text), name)?;
        let relation =
            if rows.is_empty() { self.builder.filter(relation, Expression::boolean(false)) } else { relation };
        Ok((relation, output))
    }

    /// The calls that a function in FROM is: `unnest` of several arrays has one for each.
    fn calls_of_rows(&mut self, call: &Call, scope: &Scope<'_>) -> Result<Vec<SetCall>> {
        let name = &*call.name;
        self.builder.check_call_in_from(name, call.clauses())?;
        let arguments = self.all(call.arguments.as_deref().unwrap_or_default(), scope)?;
        self.builder.calls_of_rows(name, arguments, None)
    }
}
