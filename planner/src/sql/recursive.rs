//! WITH RECURSIVE: in which order its queries are bound, and where one may name itself.
//!
//! A query that names itself is a UNION of a seed and a step. While the seed is bound, its name in sight stands for an error;
//! while the step is, for the rows of the round before it, once, and not where PostgreSQL has none: in a subquery of an
//! expression, on the side of an outer join that may be missing, in what EXCEPT takes away.

use super::binder::Binder;
use super::cte::{CteInSight, CteMeaning};
use super::query::Unknown;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{FromItem, Recursion, Rows, Scope, rename_columns};
use rustc_hash::FxHashSet;
use sqlparser::ast;

/// Where a query may not name itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Subquery,
    OuterJoin,
    Intersect,
    Except,
}

impl Within {
    fn text(self) -> &'static str {
        match self {
            Within::Subquery => "a subquery",
            Within::OuterJoin => "an outer join",
            Within::Intersect => "INTERSECT",
            Within::Except => "EXCEPT",
        }
    }
}

/// What a query's own name stands for in its step.
#[derive(Clone, Debug)]
pub(super) struct Round {
    recursion: Recursion,
    /// How often it has been named.
    scans: usize,
    /// Of what the step stands within, this much is around it.
    around: usize,
}

/// An error (42P19) about a recursive query.
fn error(message: String) -> Error {
    Error::new(ErrorKind::InvalidRecursion, message)
}

/// The names that stand in a text, and other words of it.
fn words(text: &str) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = match first {
            '"' => {
                let length = rest[1..].find('"').map_or(rest.len() - 1, |end| end);
                words.insert(rest[1..=length].to_owned());
                (length + 2).min(rest.len())
            }
            _ if is_word(first) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                words.insert(rest[..length].to_ascii_lowercase());
                length
            }
            _ => first.len_utf8(),
        };
        rest = &rest[length..];
    }
    words
}

/// The error for too many column names, of a query of WITH.
pub(super) fn of_query(error: Error) -> Error {
    let message = error.message().strip_prefix("table ").map(|rest| format!("WITH query {rest}"));
    message.map_or(error, |message| Error::new(ErrorKind::InvalidColumnReference, message))
}

/// The place of each query in the order in which they are bound: behind those that it may name. Those that go round in circles
/// stay as they are written; who names another too early finds an error in its place.
fn order(names: &[String], mentioned: &[FxHashSet<String>]) -> Vec<usize> {
    let mut placed = vec![false; names.len()];
    let mut order = Vec::with_capacity(names.len());
    while order.len() < names.len() {
        let waits = |at: usize| {
            (0..names.len()).any(|other| other != at && !placed[other] && mentioned[at].contains(&names[other]))
        };
        let ready = (0..names.len()).find(|&at| !placed[at] && !waits(at));
        let Some(next) = ready.or_else(|| placed.iter().position(|placed| !placed)) else { break };
        placed[next] = true;
        order.push(next);
    }
    order
}

impl Binder<'_, '_> {
    /// The queries of WITH RECURSIVE in the order in which they are bound, and whether each may name itself. Their names are in
    /// sight from here on.
    pub(super) fn recursive_order<'q>(&mut self, ctes: &'q [ast::Cte]) -> Vec<(&'q ast::Cte, bool)> {
        let names: Vec<String> = ctes.iter().map(|cte| Self::fold(&cte.alias.name)).collect();
        let mentioned: Vec<FxHashSet<String>> = ctes.iter().map(|cte| self.mentioned(cte)).collect();
        let message = "mutual recursion between WITH items is not implemented";
        for name in &names {
            let stands = CteMeaning::Refused(Error::new(ErrorKind::Unsupported, message));
            self.ctes.push(CteInSight { name: name.clone(), stands, tree: None });
        }
        let places = order(&names, &mentioned).into_iter();
        places.map(|at| (&ctes[at], mentioned[at].contains(&names[at]))).collect()
    }

    /// The words of a query.
    fn mentioned(&self, cte: &ast::Cte) -> FxHashSet<String> {
        let Some(text) = self.source() else { return FxHashSet::default() };
        let start = text.offset(cte.alias.name.span.end);
        let end = text.offset(cte.closing_paren_token.0.span.start);
        let inside = start.zip(end).and_then(|(start, end)| text.as_str().get(start..end));
        inside.map(words).unwrap_or_default()
    }

    /// Binds a query that may name itself.
    pub(super) fn bind_recursive(&mut self, cte: &ast::Cte, name: &str, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let position = self.position(cte.alias.name.span);
        let form =
            format!("recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term");
        let Some((query, left, right, all)) = union_of(&cte.query) else {
            self.stand(name, CteMeaning::Refused(error(form)));
            let rows = self.bind_query(&cte.query, parent, Unknown::AsText)?;
            return self.named(cte, name, rows);
        };
        let clause = match query {
            ast::Query { order_by: Some(_), .. } => Some("ORDER BY"),
            ast::Query { limit_clause: Some(_), .. } | ast::Query { fetch: Some(_), .. } => Some("LIMIT"),
            ast::Query { locks, .. } if !locks.is_empty() => Some("FOR UPDATE/SHARE"),
            _ => None,
        };
        if let Some(clause) = clause {
            let message = format!("{clause} in a recursive query is not implemented");
            self.stand(name, CteMeaning::Refused(Error::new(ErrorKind::Unsupported, message)));
            let rows = self.bind_query(&cte.query, parent, Unknown::AsText)?;
            return self.named(cte, name, rows);
        }
        let message = format!("recursive reference to query \"{name}\" must not appear within its non-recursive term");
        self.stand(name, CteMeaning::Refused(error(message)));
        self.deeper(position, |binder| {
            let in_sight = binder.ctes.len();
            let definitions = binder.bind_with(query.with.as_ref(), parent)?;
            let seed = binder.bind_set_expression(left, parent, Unknown::AsText)?;
            let seed = binder.named(cte, name, seed)?;
            let recursion = binder.builder.recursion(seed, all)?;
            let types = recursion.types(binder.builder);
            let around = binder.within.len();
            let round = Round { recursion: recursion.clone(), scans: 0, around };
            let at = binder.ctes[..in_sight].iter().rposition(|known| known.name == name);
            if let Some(at) = at {
                binder.ctes[at].stands = CteMeaning::Round(Box::new(round));
            }
            let step = binder.bind_set_expression(right, parent, Unknown::As(&types))?;
            binder.ctes.truncate(in_sight);
            let is_recursive =
                matches!(at.map(|at| &binder.ctes[at].stands), Some(CteMeaning::Round(round)) if round.scans > 0);
            let step_start = binder.body_start(right);
            let (relation, output) = if is_recursive {
                binder.builder.finish_recursion(recursion, step, name, step_start)?
            } else {
                binder.builder.without_recursion(recursion, step, step_start)?
            };
            Ok((binder.builder.attach(definitions, relation), output))
        })
    }

    /// The rows under the names that the query is given.
    pub(super) fn named(&self, cte: &ast::Cte, name: &str, (relation, mut columns): Rows) -> Result<Rows> {
        let position = self.position(cte.alias.name.span);
        let renamed = columns.iter_mut().map(|(name, _)| name);
        let aliases = self.alias_columns(&cte.alias)?;
        rename_columns(name, &aliases, renamed).map_err(|error| of_query(error).at(position))?;
        Ok((relation, columns))
    }

    /// What a name in sight stands for from here on.
    pub(super) fn stand(&mut self, name: &str, stands: CteMeaning) {
        if let Some(known) = self.ctes.iter_mut().rev().find(|known| known.name == name) {
            known.stands = stands;
        }
    }

    /// The rows of the round before, for the step that names its own query, the `at`th in sight.
    pub(super) fn scan_round(&mut self, at: usize, position: Option<Position>) -> Result<FromItem> {
        let name = self.ctes[at].name.clone();
        let CteMeaning::Round(round) = &mut self.ctes[at].stands else {
            return Err(Error::internal("only a recursive query has rounds"));
        };
        let reference = format!("recursive reference to query \"{name}\" must not appear");
        if let Some(within) = self.within[round.around..].last() {
            return Err(error(format!("{reference} within {}", within.text())).at(position));
        }
        round.scans += 1;
        if round.scans > 1 {
            return Err(error(format!("{reference} more than once")).at(position));
        }
        let recursion = round.recursion.clone();
        self.names_itself = true;
        Ok(self.builder.scan_round(&recursion, name))
    }

    /// Binds what stands within something in which a recursive query may not name itself, if it does.
    pub(super) fn bind_within<T>(
        &mut self,
        within: Option<Within>,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let before = self.within.len();
        self.within.extend(within);
        let bound = bind(self);
        self.within.truncate(before);
        bound
    }

    /// An error for aggregates in a SELECT whose FROM names the recursive query that it is the step of.
    pub(super) fn check_step(&self, names_itself: bool, scope: &Scope<'_>, position: Option<Position>) -> Result<()> {
        if names_itself && scope.has_aggregates() {
            let message = "aggregate functions are not allowed in a recursive query's recursive term";
            return Err(error(message.to_owned()).at(position));
        }
        Ok(())
    }
}

/// The query that is a UNION, its two sides, and whether it is UNION ALL; parentheses around it are nothing.
fn union_of(mut query: &ast::Query) -> Option<(&ast::Query, &ast::SetExpr, &ast::SetExpr, bool)> {
    loop {
        match &*query.body {
            ast::SetExpr::SetOperation { left, op: ast::SetOperator::Union, set_quantifier, right } => {
                let all = match set_quantifier {
                    ast::SetQuantifier::All => true,
                    ast::SetQuantifier::Distinct | ast::SetQuantifier::None => false,
                    _ => return None,
                };
                return Some((query, left, right, all));
            }
            ast::SetExpr::Query(inner)
                if query.with.is_none()
                    && query.order_by.is_none()
                    && query.limit_clause.is_none()
                    && query.fetch.is_none()
                    && query.locks.is_empty() =>
            {
                query = inner;
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{order, words};

    #[test]
    fn words_are_names() {
        let found = words("select a.\"B c\", 'x y' from Über -- n2\n where n$1 = 1");
        for word in ["select", "a", "B c", "x", "y", "Über", "n2", "n$1", "1"] {
            assert!(found.contains(word), "{word} in {found:?}");
        }
        assert!(words("\"unclosed").contains("unclosed"));
        assert!(words("\"").contains(""));
    }

    #[test]
    fn queries_come_behind_those_that_they_name() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let of = |texts: [&str; 3]| order(&names, &texts.map(words));
        assert_eq!(of(["b", "c", "x"]), [2, 1, 0]);
        assert_eq!(of(["a", "a", "b"]), [0, 1, 2]);
        // In circles: as they are written.
        assert_eq!(of(["b", "a", "x"]), [2, 0, 1]);
    }
}
