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
use super::expand::{set_in_aggregate, set_not_allowed};
use super::expression::SetCall;
use super::qualified::ScopeTable;
use super::suggest::did_you_mean;
use super::window::WindowUse;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::effects::effects;
use crate::relation::{AggregateCall, ColumnId, Columns, Expression};
use std::cell::{Cell, Ref, RefCell, RefMut};
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
    /// The expression of a column that is computed from others.
    Generation,
    /// The condition of a CHECK.
    Check,
    /// An expression of an index.
    Index,
    /// The condition of an index, or what ON CONFLICT says of it.
    IndexPredicate,
    /// A value of SET.
    Update,
    /// USING of ALTER COLUMN TYPE.
    Transform,
    /// A condition, or a value, of a WHEN of MERGE.
    MergeWhen,
    /// RETURNING.
    Returning,
    /// LIMIT, OFFSET and FETCH, which may not mention columns either.
    Limit,
    /// Inside an aggregate's argument or FILTER.
    AggregateArgument,
    /// FROM, as what stands behind in it and is LATERAL sees it.
    From,
    /// The arguments of a function in FROM.
    FromFunction,
    /// Inside the arguments or FILTER of a window function: aggregates allowed.
    WindowArgument,
    /// Inside OVER or WINDOW: aggregates allowed.
    WindowDefinition,
    /// DISTINCT ON: aggregates allowed.
    DistinctOn,
    /// QUALIFY: aggregates allowed.
    Qualify,
    /// The arguments of CALL.
    Call,
}

impl Clause {
    /// Whether an aggregate of this level may stand here.
    pub fn allows_aggregates(self) -> bool {
        matches!(
            self,
            Clause::SelectList
                | Clause::Having
                | Clause::OrderBy
                | Clause::WindowArgument
                | Clause::WindowDefinition
                | Clause::DistinctOn
                | Clause::Qualify
        )
    }

    /// Whether a function that gives rows may stand here; 0A000 if it may not.
    fn check_set(self) -> Result<()> {
        match self {
            Clause::SelectList | Clause::OrderBy | Clause::GroupBy => Ok(()),
            Clause::AggregateArgument => Err(set_in_aggregate()),
            Clause::From | Clause::FromFunction => {
                Err(Error::new(ErrorKind::Unsupported, "set-returning functions must appear at top level of FROM"))
            }
            other => Err(set_not_allowed(&other.to_string())),
        }
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
            Clause::Generation => "column generation expressions",
            Clause::Check => "check constraints",
            Clause::Index => "index expressions",
            Clause::IndexPredicate => "index predicates",
            Clause::Update => "UPDATE",
            Clause::Transform => "transform expressions",
            Clause::MergeWhen => "MERGE WHEN conditions",
            Clause::Returning => "RETURNING",
            Clause::Limit => "LIMIT",
            Clause::AggregateArgument => "an aggregate's argument",
            Clause::From => "FROM clause of their own query level",
            Clause::FromFunction => "functions in FROM",
            Clause::WindowArgument => "a window function's argument",
            Clause::WindowDefinition => "window definitions",
            Clause::DistinctOn => "DISTINCT ON",
            Clause::Qualify => "QUALIFY",
            Clause::Call => "CALL arguments",
        })
    }
}

/// A column as a scope shows it.
#[derive(Clone, Debug)]
pub struct ScopeColumn {
    /// The alias or name of the table that it came with; none for a column merged by USING.
    pub table: Option<String>,
    /// The schema that may stand before the table's name.
    pub schema: Option<String>,
    /// Its name, case-folded.
    pub name: String,
    /// What it is.
    pub id: ColumnId,
    /// Reached only as `table.name`, because USING merged it into another.
    pub merged: bool,
    /// No part of `*` and of the table's rows: nobody declared it.
    pub hidden: bool,
}

impl ScopeColumn {
    /// A column of a table, or of none, that is reached by its name.
    pub fn new(table: Option<&ScopeTable>, name: String, id: ColumnId) -> Self {
        let schema = table.and_then(|table| table.schema()).map(str::to_owned);
        ScopeColumn { table: table.map(|table| table.name.clone()), schema, name, id, merged: false, hidden: false }
    }

    /// Whether it is one of the table that a qualifier means.
    pub(super) fn is_of(&self, qualifier: &TableName) -> bool {
        self.table.as_ref() == Some(&qualifier.name) && (qualifier.schema.is_none() || self.schema == qualifier.schema)
    }
}

/// What GROUPING asks for: which of these are no keys of a row's set, as bits, the last one's lowest.
#[derive(Clone, Debug)]
pub(super) struct GroupingCall {
    pub(super) id: ColumnId,
    pub(super) arguments: Vec<Expression>,
}

/// What one SELECT level sees.
#[derive(Debug)]
pub struct Scope<'p> {
    /// The enclosing level.
    pub(crate) parent: Option<&'p Scope<'p>>,
    /// Columns in the order of `*`.
    pub columns: Vec<ScopeColumn>,
    /// Its tables, also those without columns.
    pub tables: Vec<ScopeTable>,
    clause: Cell<Clause>,
    aggregates: RefCell<Vec<(ColumnId, AggregateCall)>>,
    /// The functions that give rows, those that others are called with before these.
    sets: RefCell<Vec<SetCall>>,
    windows: RefCell<Vec<WindowUse>>,
    groupings: RefCell<Vec<GroupingCall>>,
    /// What names stood for in the aggregate that is being built, its FILTER and ORDER BY.
    mentioned: RefCell<Option<Vec<ColumnId>>>,
}

impl<'p> Scope<'p> {
    /// A scope without columns: what a query without FROM sees, or VALUES, or LIMIT.
    pub fn empty(parent: Option<&'p Scope<'p>>, clause: Clause) -> Self {
        Scope::new(parent, Vec::new(), Vec::new(), clause)
    }

    /// A scope of these columns.
    pub fn new(
        parent: Option<&'p Scope<'p>>,
        columns: Vec<ScopeColumn>,
        tables: Vec<ScopeTable>,
        clause: Clause,
    ) -> Self {
        Scope {
            parent,
            columns,
            tables,
            clause: Cell::new(clause),
            aggregates: RefCell::default(),
            sets: RefCell::default(),
            windows: RefCell::default(),
            groupings: RefCell::default(),
            mentioned: RefCell::default(),
        }
    }

    /// The enclosing level.
    pub fn parent(&self) -> Option<&'p Scope<'p>> {
        self.parent
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

    /// The calls of GROUPING of this level so far.
    pub(super) fn groupings(&self) -> Ref<'_, Vec<GroupingCall>> {
        self.groupings.borrow()
    }

    /// Says which columns the aggregate mentions that is being built.
    pub(super) fn mention_in_aggregate(&self, columns: Option<Vec<ColumnId>>) {
        *self.mentioned.borrow_mut() = columns;
    }

    /// Takes a call of GROUPING to the level that it belongs to; 42803 where it may not stand.
    pub(super) fn add_grouping(&self, id: ColumnId, arguments: Vec<Expression>) -> Result<()> {
        let level = self.level_of(&arguments.iter().collect::<Vec<_>>());
        let clause = level.clause();
        if !clause.allows_aggregates() {
            let message = format!("grouping operations are not allowed in {clause}");
            return Err(Error::new(ErrorKind::Grouping, message));
        }
        level.groupings.borrow_mut().push(GroupingCall { id, arguments });
        Ok(())
    }

    /// How many functions that give rows have been met so far.
    pub fn set_count(&self) -> usize {
        self.sets.borrow().len()
    }

    /// Takes a function that gives rows; equal ones share a column. 0A000 where it may not stand.
    pub(super) fn add_set(&self, call: SetCall) -> Result<ColumnId> {
        self.clause().check_set()?;
        let mut sets = self.sets.borrow_mut();
        if let Some(known) = sets.iter().find(|known| known.is_same(&call)) {
            return Ok(known.column());
        }
        let column = call.column();
        sets.push(call);
        Ok(column)
    }

    /// The functions that give rows, which have to find their place now.
    pub(super) fn take_sets(&self) -> Vec<SetCall> {
        self.sets.take()
    }

    /// Whether aggregates belong to this level so far.
    pub(crate) fn has_aggregates(&self) -> bool {
        !self.aggregates.borrow().is_empty()
    }

    /// Whether window functions belong to this level so far.
    pub(crate) fn has_windows(&self) -> bool {
        !self.windows.borrow().is_empty()
    }

    /// The window functions of this level so far.
    pub(super) fn windows(&self) -> Ref<'_, Vec<WindowUse>> {
        self.windows.borrow()
    }

    /// The window functions of this level, to be changed.
    pub(super) fn windows_mut(&self) -> RefMut<'_, Vec<WindowUse>> {
        self.windows.borrow_mut()
    }

    /// The column of a name (case-folded), looking outward level by level.
    pub fn resolve(&self, qualifier: Option<&TableName>, name: &str, position: Option<Position>) -> Result<ColumnId> {
        for level in self.levels() {
            if let Some(id) = level.resolve_here(qualifier, name, position)? {
                return Ok(id);
            }
            // A table of this level hides tables of the same name further out.
            if qualifier.is_some_and(|qualifier| level.tables.iter().any(|table| table.is(qualifier))) {
                break;
            }
        }
        Err(self.unknown_column(qualifier, name).at(position))
    }

    /// The column of a name on this level, if there is one.
    pub fn resolve_here(
        &self,
        qualifier: Option<&TableName>,
        name: &str,
        position: Option<Position>,
    ) -> Result<Option<ColumnId>> {
        if let Some(qualifier) = qualifier {
            self.table_here(qualifier, position)?;
        }
        let mut found = self.columns.iter().filter(|column| {
            column.name == name
                && match qualifier {
                    Some(qualifier) => column.is_of(qualifier),
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

    fn unknown_column(&self, qualifier: Option<&TableName>, name: &str) -> Error {
        if let Some(qualifier) = qualifier
            && !self.has_table(qualifier)
        {
            return self.missing_table(qualifier);
        }
        let shown = qualifier.map_or_else(|| format!("\"{name}\""), |qualifier| format!("{}.{name}", qualifier.name));
        let candidates = self
            .levels()
            .flat_map(|scope| scope.columns.iter())
            .filter(|column| !column.hidden && qualifier.is_none_or(|qualifier| column.is_of(qualifier)));
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
        let level = self.level_of(&call.argument.iter().chain(&call.filter).collect::<Vec<_>>());
        let clause = level.clause();
        let is_nested = level.aggregates.borrow().iter().any(|(id, _)| self.mentions(*id));
        if is_nested || !clause.allows_aggregates() {
            let message = if is_nested || clause == Clause::AggregateArgument {
                "aggregate function calls cannot be nested".to_owned()
            } else {
                format!("aggregate functions are not allowed in {clause}")
            };
            return Err(Error::new(ErrorKind::Grouping, message).at(position));
        }
        let mut aggregates = level.aggregates.borrow_mut();
        let mut parts = call.argument.iter().chain(&call.filter);
        let varies = parts.any(|part| effects(part).volatile);
        let known = aggregates.iter().find(|(_, other)| *other == call && !varies);
        let id = match known {
            Some((id, _)) => *id,
            None => {
                let nullable = !call.is_count();
                let id = columns.add(name, call.data_type, nullable);
                aggregates.push((id, call));
                id
            }
        };
        let mut expression = columns.reference(id);
        expression.position = position;
        Ok(expression)
    }

    /// Whether the aggregate that is being built mentions a column.
    fn mentions(&self, column: ColumnId) -> bool {
        self.mentioned.borrow().as_ref().is_some_and(|mentioned| mentioned.contains(&column))
    }

    /// The innermost level of which an aggregate of these mentions a column, or another aggregate: also where folding has
    /// dropped it; this one if it mentions none.
    fn level_of(&self, parts: &[&Expression]) -> &Scope<'p> {
        let mut mentioned = self.mentioned.borrow().clone().unwrap_or_default();
        for expression in parts {
            super::walk::expression_columns(expression, &mut mentioned);
        }
        let has = |scope: &&Scope<'p>| {
            let aggregates = scope.aggregates.borrow();
            let mut own = scope.columns.iter().map(|column| column.id).chain(aggregates.iter().map(|(id, _)| *id));
            own.any(|id| mentioned.contains(&id))
        };
        std::iter::successors(Some(self), |scope| scope.parent).find(has).unwrap_or(self)
    }
}

impl Builder<'_> {
    /// The argument of a name in the body of a function, which may stand before it.
    fn argument_named(
        &self,
        qualifier: Option<&TableName>,
        name: &str,
        position: Option<Position>,
    ) -> Option<Expression> {
        let (arguments, names) = self.arguments.as_ref().zip(self.argument_names.as_ref())?;
        if qualifier.is_some_and(|of| of.schema.is_some() || of.name != names.function) {
            return None;
        }
        let place = names.names.iter().position(|known| known == name && !name.is_empty())?;
        Some(Expression { position, ..arguments.get(place)?.clone() })
    }

    /// The column of a name as an expression with a position; see [`Scope::resolve`].
    pub fn column(
        &self,
        scope: &Scope<'_>,
        qualifier: Option<&TableName>,
        name: &str,
        position: Option<Position>,
    ) -> Result<Expression> {
        let id = match scope.resolve(qualifier, name, position) {
            Ok(id) => id,
            // A function's argument; columns come first.
            Err(error) => return self.argument_named(qualifier, name, position).ok_or(error),
        };
        self.check_readable(id, position)?;
        let mut expression = self.columns.reference(id);
        expression.position = position;
        Ok(expression)
    }
}
