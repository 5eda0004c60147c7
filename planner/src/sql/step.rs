//! The statements of a function that are run at each call: each is bound when its turn comes, over what it sees then, with the
//! arguments as constants. What the last one gives becomes the value of the call, which is the one row of its one column.

use super::binder::{Binder, view_rows};
use super::change::{changing, changing_with};
use super::session::SessionStatement;
use super::statement::{bind, bind_kind};
use super::{Parsed, Statement, Tree};
use crate::catalog::{Catalog, FileOptions, FoundRoutine, Returned, Routine, RoutineBody};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Volatility;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::value::Value;
use sqlparser::ast;
use sqlparser::tokenizer::{Location, Span};
use std::sync::Arc;

/// A statement of a body, and the call that it is run for.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The function.
    pub found: &'s FoundRoutine,
    /// The arguments that calls have, in the form of the types that carry theirs.
    pub arguments: &'s [Value],
    /// The statement.
    pub parsed: &'s Parsed,
    /// Whether what it gives is what the call does.
    pub is_result: bool,
}

/// The statements of a function's body.
///
/// # Errors
/// 42601 for what is no SQL.
pub fn steps(routine: &Routine) -> Result<Vec<Parsed>> {
    match &routine.body {
        RoutineBody::Text(text) => super::parse(text),
        RoutineBody::Standard(_, view) => super::parse(&view.sql),
    }
}

/// Whether a call gives what the last statement of the body does.
pub fn has_result(routine: &Routine) -> bool {
    routine.returned != Returned::Void
}

/// Binds a statement of a body.
///
/// # Errors
/// 0A000 for one that functions do not have, and for one that changes something in a function that is not VOLATILE; those of the
/// statement, without positions.
pub fn bind_step(step: Step<'_>, catalog: &dyn Catalog, wide: bool) -> Result<Statement> {
    check_step(step.parsed, &step.found.routine)?;
    let types = step.found.routine.input_types();
    let arguments: Vec<Expression> =
        step.arguments.iter().zip(types).map(|(value, of)| Expression::constant(value.clone(), of)).collect();
    let bind = |names_items: bool| -> Result<Statement> {
        let mut builder = Builder::new(catalog, view_rows, &[], wide);
        builder.names_items = names_items;
        builder.enter_body(step.found, arguments.clone());
        let bound = bind_in(&mut builder, step.parsed, step.is_result.then_some(&step.found.routine))?;
        bound.query().map_or(Ok(()), Builder::check_depth)?;
        Ok(bound)
    };
    match bind(false) {
        Err(error) if matches!(error.kind(), ErrorKind::UnknownColumn | ErrorKind::UnknownTable) => {
            bind(true).map_err(|other| if other.kind() == ErrorKind::Unsupported { other } else { error })
        }
        bound => bound,
    }
    .map_err(Error::without_position)
}

/// Binds a statement of a body with a builder that knows the arguments; as the last one of a function, if one is given.
pub(super) fn bind_in(
    builder: &mut Builder<'_>,
    parsed: &Parsed,
    result_of: Option<&Arc<Routine>>,
) -> Result<Statement> {
    let statement = match &parsed.tree {
        Tree::Sql(statement) if is_bound(parsed) => statement,
        Tree::Sql(_) | Tree::Definition(_) if result_of.is_none() => {
            return bind(parsed, builder.catalog, &[], builder.is_wide());
        }
        Tree::Sql(_) | Tree::Definition(_) => {
            return result_of.map_or_else(|| Err(refused(parsed)), |of| Err(no_result(of)));
        }
        _ => return Err(refused(parsed)),
    };
    let Some(routine) = result_of else {
        return bind_kind(Binder::of_view(builder, &parsed.text), statement, &FileOptions::default(), &parsed.text);
    };
    let returned = with_returned(statement, routine)?;
    let statement = returned.as_ref().unwrap_or(statement);
    let mut binder = Binder::of_view(builder, &parsed.text);
    binder.result_of = Some(Arc::clone(routine));
    match statement {
        _ if let Some((with, main)) = changing_with(statement) => binder.change_with(with, main),
        ast::Statement::Query(query) if !query.locks.is_empty() => {
            Err(Error::unsupported("a function that gives rows that it takes (FOR UPDATE) is"))
        }
        ast::Statement::Query(query) => Ok(Statement::Query(binder.whole_query(query)?)),
        _ => Err(no_result(routine)),
    }
}

/// An error for a statement that a function does not have, or not this one.
fn check_step(parsed: &Parsed, routine: &Routine) -> Result<()> {
    let refused = |place: &str| {
        let message = format!("{} is not allowed in {place}", verb(parsed));
        Err(Error::new(ErrorKind::Unsupported, message))
    };
    if is_of_transactions(parsed) {
        return refused("an SQL function");
    }
    if routine.volatility != Volatility::Volatile && !reads_only(parsed) {
        return refused("a non-volatile function");
    }
    Ok(())
}

/// Whether a statement begins or ends transactions.
pub(super) fn is_of_transactions(parsed: &Parsed) -> bool {
    use SessionStatement as S;
    let Tree::Session(statement) = &parsed.tree else { return false };
    matches!(
        statement,
        S::Begin(_) | S::Commit { .. } | S::Rollback { .. } | S::Savepoint(_) | S::Release(_) | S::RollbackTo(_)
    )
}

/// Whether a statement is a query that changes nothing and takes no rows.
pub(super) fn reads_only(parsed: &Parsed) -> bool {
    let Tree::Sql(statement) = &parsed.tree else { return false };
    match &**statement {
        ast::Statement::Query(query) => {
            query.locks.is_empty() && changing(statement).is_none() && changing_with(statement).is_none()
        }
        _ => false,
    }
}

/// Whether a statement may name the arguments, and is bound when the function is made.
pub(super) fn is_bound(parsed: &Parsed) -> bool {
    let is_call = matches!(&parsed.tree, Tree::Sql(statement) if matches!(**statement, ast::Statement::Call(_)));
    is_call || parsed.tree.is_of_rows()
}

/// What PostgreSQL calls a statement.
pub(super) fn verb(parsed: &Parsed) -> String {
    let change = match &parsed.tree {
        Tree::Sql(statement) => changing(statement).map(|change| change.statement),
        _ => None,
    };
    match change {
        Some(ast::Statement::Insert(_)) => return "INSERT".to_owned(),
        Some(ast::Statement::Update(_)) => return "UPDATE".to_owned(),
        Some(ast::Statement::Delete(_)) => return "DELETE".to_owned(),
        Some(ast::Statement::Merge(_)) => return "MERGE".to_owned(),
        _ => {}
    }
    match &parsed.tree {
        Tree::Sql(statement) if let ast::Statement::Query(query) = &**statement => {
            if query.locks.is_empty() { "SELECT" } else { "SELECT FOR UPDATE" }.to_owned()
        }
        _ => {
            let mut words = parsed.text.split_whitespace();
            let first = words.next().unwrap_or_default().to_ascii_uppercase();
            let has_kind = ["CREATE", "ALTER", "DROP"].contains(&first.as_str());
            let kind = words.next().filter(|_| has_kind).map(str::to_ascii_uppercase);
            kind.map_or_else(|| first.clone(), |kind| format!("{first} {kind}"))
        }
    }
}

/// The error (0A000) for a statement that no function has.
pub(super) fn refused(parsed: &Parsed) -> Error {
    Error::unsupported(format!("{} in a function is", verb(parsed)))
}

/// The error (42P13) for a body whose last statement gives nothing.
pub(super) fn no_result(routine: &Routine) -> Error {
    let result = match &routine.returned {
        Returned::Value(of) => of.to_string(),
        Returned::Relation(name) => name.name.clone(),
        _ => "record".to_owned(),
    };
    let message = format!("return type mismatch in function declared to return {result}");
    let error = Error::new(ErrorKind::InvalidFunctionDefinition, message);
    error.with_detail("Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
}

/// A statement that changes rows and gives some as a query of WITH, and one of all of its rows behind that; none of a query.
///
/// # Errors
/// 42P13 for one without RETURNING.
fn with_returned(statement: &ast::Statement, routine: &Routine) -> Result<Option<ast::Statement>> {
    let Some(change) = changing(statement) else { return Ok(None) };
    let gives_rows = match change.statement {
        ast::Statement::Insert(insert) => insert.returning.is_some(),
        ast::Statement::Update(update) => update.returning.is_some(),
        ast::Statement::Delete(delete) => delete.returning.is_some(),
        ast::Statement::Merge(merge) => merge.output.is_some(),
        _ => false,
    };
    if !gives_rows {
        return Err(no_result(routine));
    }
    let mut query = super::parse::parse_query("WITH \"returned\" AS (SELECT 1) SELECT * FROM \"returned\"")?;
    let internal = || Error::internal("a query was parsed as another one");
    let with = query.with.as_mut().ok_or_else(internal)?;
    let [cte] = &mut with.cte_tables[..] else { return Err(internal()) };
    // What its place tells is that no other one has it.
    let place = Location { line: u64::MAX, column: u64::MAX };
    cte.alias.name.span = Span { start: place, end: place };
    let changed = Box::new(change.statement.clone());
    *cte.query.body = match &*changed {
        ast::Statement::Insert(_) => ast::SetExpr::Insert(*changed),
        ast::Statement::Update(_) => ast::SetExpr::Update(*changed),
        ast::Statement::Delete(_) => ast::SetExpr::Delete(*changed),
        _ => ast::SetExpr::Merge(*changed),
    };
    for before in change.withs.into_iter().rev() {
        with.recursive |= before.recursive;
        with.cte_tables.splice(0..0, before.cte_tables.iter().cloned());
    }
    Ok(Some(ast::Statement::Query(Box::new(query))))
}
