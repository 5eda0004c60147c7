//! What a name can mean where it stands: the seam between building queries and building expressions.
//!
//! A [`Scope`] is what one SELECT level sees: the columns of its FROM, and through `parent` the levels that
//! enclose it. One scope serves all clauses of its level; [`Scope::enter`] says which of them is being built,
//! because that decides whether an aggregate may stand there.
//!
//! How an expression is built over it:
//!
//! * A column comes from [`Builder::column`], as an id.
//! * An aggregate is built in four steps: [`Scope::enter`] the clause `AggregateArgument`; build its argument and
//!   its filter; restore the clause; hand the call to [`Builder::aggregate`], which finds the level that the
//!   aggregate belongs to (the innermost whose columns it mentions, as SQL says), checks that it may stand there
//!   and gives the column that takes its place. The result may belong to an enclosing query.
//! * A subquery is built with the scope as its parent; what it mentions of it becomes a correlated reference by itself.
//! * A literal in quotes, a NULL and a parameter of no known type have the type `DataType::Null` ("unknown") until
//!   something gives them one; whoever needs a final type calls [`Builder::settle`] on what is left of them.
//! * Whatever recurses calls [`Builder::deeper`], so that nothing overflows the stack.
//!
//! Grouping is not an expression's business: after all clauses are built, `grouping` replaces what equals a
//! key by the key's column and reports what is neither grouped nor aggregated.

use super::Builder;
use super::suggest::did_you_mean;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{AggregateCall, ColumnId, Columns, Expression};
use std::cell::{Cell, Ref, RefCell};
use std::fmt;

/// The clause that is being built; its `Display` reads as in "aggregate functions are not allowed in WHERE".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// The select list: aggregates allowed.
    SelectList,
    /// HAVING: aggregates allowed.
    Having,
    /// ORDER BY: aggregates allowed.
    OrderBy,
    /// WHERE.
    Where,
    /// A join's ON.
    JoinCondition,
    /// GROUP BY.
    GroupBy,
    /// A row of VALUES.
    Values,
    /// A column's DEFAULT.
    Default,
    /// The condition of a CHECK.
    Check,
    /// An expression of an index.
    Index,
    /// LIMIT, OFFSET and FETCH, which may not mention columns either.
    Limit,
    /// Inside an aggregate's argument or FILTER.
    AggregateArgument,
}

impl Clause {
    /// Whether an aggregate of this level may stand here.
    pub fn allows_aggregates(self) -> bool {
        matches!(self, Clause::SelectList | Clause::Having | Clause::OrderBy)
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Clause::SelectList => "the select list",
            Clause::Having => "HAVING",
            Clause::OrderBy => "ORDER BY",
            Clause::Where => "WHERE",
            Clause::JoinCondition => "JOIN conditions",
            Clause::GroupBy => "GROUP BY",
            Clause::Values => "VALUES",
            Clause::Default => "DEFAULT expressions",
            Clause::Check => "check constraints",
            Clause::Index => "index expressions",
            Clause::Limit => "LIMIT",
            Clause::AggregateArgument => "an aggregate's argument",
        })
    }
}

/// A column as a scope shows it.
#[derive(Clone, Debug)]
pub struct ScopeColumn {
    /// The alias or name of the table that it came with; none for a column merged by USING.
    pub table: Option<String>,
    /// Its name, case-folded.
    pub name: String,
    /// What it is.
    pub id: ColumnId,
    /// Reached only as `table.name`, because USING merged it into another.
    pub merged: bool,
}

/// What one SELECT level sees.
#[derive(Debug)]
pub struct Scope<'p> {
    /// The enclosing level.
    pub(crate) parent: Option<&'p Scope<'p>>,
    /// Columns in the order of `*`.
    pub columns: Vec<ScopeColumn>,
    /// Table aliases, also those of tables without columns.
    pub tables: Vec<String>,
    clause: Cell<Clause>,
    aggregates: RefCell<Vec<(ColumnId, AggregateCall)>>,
}

impl<'p> Scope<'p> {
    /// A scope without columns: what a query without FROM sees, or VALUES, or LIMIT.
    pub fn empty(parent: Option<&'p Scope<'p>>, clause: Clause) -> Self {
        Scope::new(parent, Vec::new(), Vec::new(), clause)
    }

    /// A scope of these columns.
    pub fn new(parent: Option<&'p Scope<'p>>, columns: Vec<ScopeColumn>, tables: Vec<String>, clause: Clause) -> Self {
        Scope { parent, columns, tables, clause: Cell::new(clause), aggregates: RefCell::default() }
    }

    /// Enters a clause; returns the one before, to be entered again afterwards.
    pub fn enter(&self, clause: Clause) -> Clause {
        self.clause.replace(clause)
    }

    /// The clause being built.
    pub fn clause(&self) -> Clause {
        self.clause.get()
    }

    /// The aggregates that belong to this level so far.
    pub(crate) fn aggregates(&self) -> Ref<'_, Vec<(ColumnId, AggregateCall)>> {
        self.aggregates.borrow()
    }

    /// The column of a name (case-folded), looking outward level by level.
    pub fn resolve(&self, qualifier: Option<&str>, name: &str, position: Option<Position>) -> Result<ColumnId> {
        let mut level = Some(self);
        while let Some(scope) = level {
            if let Some(id) = scope.resolve_here(qualifier, name, position)? {
                return Ok(id);
            }
            // A table of this level hides tables of the same name further out.
            if qualifier.is_some_and(|qualifier| scope.tables.iter().any(|table| table == qualifier)) {
                break;
            }
            level = scope.parent;
        }
        Err(self.unknown_column(qualifier, name).at(position))
    }

    /// The column of a name on this level, if there is one.
    pub fn resolve_here(
        &self,
        qualifier: Option<&str>,
        name: &str,
        position: Option<Position>,
    ) -> Result<Option<ColumnId>> {
        let mut found = self.columns.iter().filter(|column| {
            column.name == name
                && match qualifier {
                    Some(qualifier) => column.table.as_deref() == Some(qualifier),
                    None => !column.merged,
                }
        });
        let first = found.next();
        if found.next().is_some() {
            let message = format!("column reference \"{name}\" is ambiguous");
            return Err(Error::new(ErrorKind::AmbiguousColumn, message).at(position));
        }
        Ok(first.map(|column| column.id))
    }

    fn unknown_column(&self, qualifier: Option<&str>, name: &str) -> Error {
        let levels = || std::iter::successors(Some(self), |scope| scope.parent);
        if let Some(qualifier) = qualifier {
            let tables = || levels().flat_map(|scope| scope.tables.iter().map(String::as_str));
            if !tables().any(|table| table == qualifier) {
                let message = format!("missing FROM-clause entry for table \"{qualifier}\"");
                return did_you_mean(Error::new(ErrorKind::UnknownTable, message), qualifier, tables());
            }
        } else if levels().any(|scope| scope.tables.iter().any(|table| table == name)) {
            return Error::unsupported(format_args!("whole-row reference \"{name}\" is"));
        }
        let shown = qualifier.map_or_else(|| format!("\"{name}\""), |qualifier| format!("{qualifier}.{name}"));
        let candidates = levels()
            .flat_map(|scope| scope.columns.iter())
            .filter(|column| qualifier.is_none_or(|qualifier| column.table.as_deref() == Some(qualifier)));
        let error = Error::new(ErrorKind::UnknownColumn, format!("column {shown} does not exist"));
        did_you_mean(error, name, candidates.map(|column| column.name.as_str()))
    }

    /// Takes an aggregate call to the level it belongs to and returns the column that stands for it there.
    /// Equal calls share a column. `name` is the aggregate's, for the column; errors are 42803.
    pub(super) fn add_aggregate(
        &self,
        call: AggregateCall,
        name: &str,
        columns: &mut Columns,
        position: Option<Position>,
    ) -> Result<Expression> {
        let level = self.aggregate_level(&call);
        let clause = level.clause();
        if !clause.allows_aggregates() {
            let message = if clause == Clause::AggregateArgument {
                "aggregate function calls cannot be nested".to_owned()
            } else {
                format!("aggregate functions are not allowed in {clause}")
            };
            return Err(Error::new(ErrorKind::Grouping, message).at(position));
        }
        let mut aggregates = level.aggregates.borrow_mut();
        let known = aggregates.iter().find(|(_, other)| *other == call);
        let id = match known {
            Some((id, _)) => *id,
            None => {
                let nullable = !super::grouping::is_count(&call);
                let id = columns.add(name, call.data_type, nullable);
                aggregates.push((id, call));
                id
            }
        };
        let mut expression = columns.reference(id);
        expression.position = position;
        Ok(expression)
    }

    /// The innermost level whose columns the call mentions; this one if it mentions none.
    fn aggregate_level(&self, call: &AggregateCall) -> &Scope<'p> {
        let mut mentioned = Vec::new();
        for expression in call.argument.iter().chain(&call.filter) {
            super::walk::expression_columns(expression, &mut mentioned);
        }
        std::iter::successors(Some(self), |scope| scope.parent)
            .find(|scope| scope.columns.iter().any(|column| mentioned.contains(&column.id)))
            .unwrap_or(self)
    }
}

impl Builder<'_> {
    /// The column of a name as an expression with a position; see [`Scope::resolve`].
    pub fn column(
        &self,
        scope: &Scope<'_>,
        qualifier: Option<&str>,
        name: &str,
        position: Option<Position>,
    ) -> Result<Expression> {
        let id = scope.resolve(qualifier, name, position)?;
        self.check_readable(id, position)?;
        let mut expression = self.columns.reference(id);
        expression.position = position;
        Ok(expression)
    }
}
