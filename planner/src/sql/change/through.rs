//! Changes through views: a view over one table, or over another such view, whose columns are columns of it, is changed by changing the
//! table.
//!
//! 1. The views are followed down to the table; what stands in the way is told as PostgreSQL tells it (55000, 0A000). Each is asked for with
//!    the rights of the owner of the one above.
//! 2. The table's rows are seen through the views, innermost first: filtered by each WHERE, with each select list computed over them.
//!    UPDATE and DELETE see them as their table.
//! 3. What SET and INSERT name are columns of the outermost view, and mean those of the table. The rows as they will be are seen through
//!    the views once more, for RETURNING, and for CHECK OPTION: each WHERE that has to hold is a column that the engine looks at.

use super::target::Verb;
use crate::catalog::{CatalogEntry, CheckOption, GONE, Right, TableInfo, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Clause, FromItem, Scope, ScopeColumn, is_aggregate_name, may_be_null};
use crate::relation::{ColumnId, ExpressionKind, Relation};
use crate::sql::binder::Binder;
use crate::sql::parse::parse_query;
use crate::sql::query::Unknown;
use crate::types::DataType;
use sqlparser::ast;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::sync::Arc;

/// A view that rows change through.
#[derive(Debug)]
pub(in crate::sql) struct Through {
    /// Its name.
    pub(in crate::sql) view: TableName,
    /// What is done through it.
    verb: Verb,
    /// The views, it first.
    levels: Vec<Level>,
    /// The table.
    pub(in crate::sql) base: TableName,
    /// Its columns: their names, and the column of the table that each is.
    pub(in crate::sql) columns: Vec<(String, Place)>,
}

/// Which column of a table a view's column is.
#[derive(Clone, Debug)]
pub(in crate::sql) enum Place {
    /// The one at this position.
    Column(usize),
    /// None: this column of this view is computed.
    Computed(String, String),
}

/// One of the views.
#[derive(Debug)]
struct Level {
    name: TableName,
    view: Arc<View>,
    select: ast::Select,
    /// What it reads, as it is written, and as it is called.
    from: (TableName, TableName),
    /// Whether its WHERE has to hold for rows that change.
    is_checked: bool,
}

/// Columns with names.
type Named = Vec<(String, ColumnId)>;

/// Rows as they are seen through views.
struct Seen {
    relation: Arc<Relation>,
    /// The columns of the outermost view.
    columns: Vec<(String, ColumnId)>,
    /// Where each stands in the table.
    places: Vec<Place>,
    /// The views whose WHERE has to hold, and whether it does.
    checks: Vec<(String, ColumnId)>,
}

/// What rows are looked at for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Those of the view.
    Filter,
    /// Those that come, with what CHECK OPTION asks.
    Check,
}

impl Through {
    /// Whether a CHECK OPTION asks for something.
    pub(in crate::sql) fn is_checked(&self) -> bool {
        self.levels.iter().any(|level| level.is_checked && level.select.selection.is_some())
    }

    /// The column of the table that a column of the view is.
    ///
    /// # Errors
    /// 0A000 for one that is computed.
    pub(in crate::sql) fn place(&self, column: usize) -> Result<usize> {
        match &self.columns[column].1 {
            Place::Column(place) => Ok(*place),
            Place::Computed(view, name) => {
                let done = if self.verb == Verb::Insert { "insert into" } else { "update" };
                let error =
                    Error::new(ErrorKind::Unsupported, format!("cannot {done} column \"{name}\" of view \"{view}\""));
                Err(error.with_detail("View columns that are not columns of their base relation are not updatable."))
            }
        }
    }
}

impl Binder<'_, '_> {
    /// Follows a view down to its table, which is to be changed; none of what is no view.
    ///
    /// # Errors
    /// 55000 for a view that cannot be changed, 42501 without a right.
    pub(in crate::sql) fn through(
        &mut self,
        name: &TableName,
        verb: Verb,
        position: Option<Position>,
    ) -> Result<Option<Through>> {
        self.follow((name, None), verb, position)
    }

    /// Checks that a view that is being made can be changed.
    ///
    /// # Errors
    /// 0A000 if it cannot.
    pub(in crate::sql) fn check_updatable(&mut self, name: &TableName, view: &View) -> Result<()> {
        let followed = self.follow((name, Some(Arc::new(view.clone()))), Verb::Merge, None);
        followed.map(drop).map_err(|error| match (error.kind(), error.detail()) {
            (ErrorKind::WrongState, Some(why)) => {
                let message = "WITH CHECK OPTION is supported only on automatically updatable views";
                Error::new(ErrorKind::Unsupported, message).with_hint(why)
            }
            _ => error,
        })
    }

    /// The same, of a view that is not there yet, if one is given.
    fn follow(
        &mut self,
        (name, mut made): (&TableName, Option<Arc<View>>),
        verb: Verb,
        position: Option<Position>,
    ) -> Result<Option<Through>> {
        let catalog = self.builder.catalog;
        let mark = self.builder.mentions_mark();
        let mut levels: Vec<Level> = Vec::new();
        let mut next = name.clone();
        let mut is_cascaded = false;
        let info = loop {
            let entry = match made.take() {
                Some(view) => Some(CatalogEntry::View(view)),
                None => catalog.target(&next).map_err(|error| error.at(position))?,
            };
            let view = match entry {
                Some(CatalogEntry::View(view)) => view,
                _ if levels.is_empty() => return Ok(None),
                Some(CatalogEntry::Table(info)) if is_changeable(&info) => break info,
                _ => return Err(refused(&levels[levels.len() - 1].name, verb, NOT_ONE_TABLE).at(position)),
            };
            let above = levels.last().map(|level| level.name.clone());
            self.check_through(&next, verb, above.as_ref()).map_err(|error| error.at(position))?;
            if levels.iter().any(|level| level.name == next) {
                return Err(crate::relation::builder::reads_itself(&next.name).at(position));
            }
            let (select, from) = shape(&view, &|name| catalog.schema_of(name)).map_err(|why| match why {
                Shape::Refused(why) => refused(&next, verb, why).at(position),
                Shape::Error(error) => error,
            })?;
            is_cascaded |= view.check == Some(CheckOption::Cascaded);
            let is_checked = is_cascaded || view.check.is_some();
            let below = from.1.clone();
            levels.push(Level { name: next, view, select: *select, from, is_checked });
            next = below;
        };
        if let Some(last) = levels.last() {
            self.check_through(&next, verb, Some(&last.name)).map_err(|error| error.at(position))?;
        }
        for level in levels.iter().filter(|level| level.select.selection.is_some()) {
            let read = catalog.check_right(&level.from.1, Right::Select, Some(&level.name));
            read.map_err(|error| error.at(position))?;
        }
        let mut through = Through { view: name.clone(), verb, levels, base: next, columns: Vec::new() };
        // Which columns are the table's is seen over no rows.
        let add = |field: &crate::types::Field| self.builder.columns.add(field.name.clone(), field.data_type, true);
        let ids: Vec<ColumnId> = info.fields.iter().map(add).collect();
        let nothing = Arc::new(Relation::Values { columns: ids.clone(), rows: Vec::new() });
        let seen = self.seen(&through, &info, (nothing, &ids), (Look::Filter, verb));
        let seen = seen.map_err(|error| error.at(position))?;
        through.columns = seen.columns.into_iter().map(|(name, _)| name).zip(seen.places).collect();
        self.builder.forget_mentions(mark);
        Ok(Some(through))
    }

    fn check_through(&self, name: &TableName, verb: Verb, through: Option<&TableName>) -> Result<()> {
        match verb.right() {
            Some(right) => self.builder.catalog.check_right(name, right, through),
            None => Ok(()),
        }
    }

    /// The rows of a table as those of a view, under the view's name; the others' columns are there, too.
    pub(super) fn rows_through(
        &mut self,
        through: &Through,
        info: &TableInfo,
        rows: (Arc<Relation>, &[ColumnId]),
        verb: Verb,
    ) -> Result<FromItem> {
        let mark = self.builder.mentions_mark();
        let seen = self.seen(through, info, rows, (Look::Filter, verb))?;
        self.builder.forget_mentions(mark);
        let item = FromItem::table((seen.relation, seen.columns), through.view.name.clone());
        Ok(self.builder.known(item, &through.view, None, false))
    }

    /// Rows of a table as they come, of whatever it is: as those of a view, and what CHECK OPTION asks of them.
    pub(super) fn seen_after(
        &mut self,
        info: &TableInfo,
        (relation, own): (Arc<Relation>, &[ColumnId]),
    ) -> Result<(Arc<Relation>, Named, Named)> {
        let Some(through) = self.through.clone() else {
            let named = info.fields.iter().map(|field| field.name.clone()).zip(own.iter().copied());
            return Ok((relation, named.collect(), Vec::new()));
        };
        let mark = self.builder.mentions_mark();
        let seen = self.seen(&through, info, (relation, own), (Look::Check, Verb::Update))?;
        self.builder.forget_mentions(mark);
        Ok((seen.relation, seen.columns, seen.checks))
    }

    /// The rows as a change leaves them, as RETURNING sees them: `columns`, of which the first are the view's or table's, get other ids.
    pub(super) fn after_change(
        &mut self,
        info: &TableInfo,
        rows: (Arc<Relation>, &[ColumnId]),
        columns: &mut [ScopeColumn],
    ) -> Result<(Arc<Relation>, Named)> {
        let (relation, named, checks) = self.seen_after(info, rows)?;
        columns.iter_mut().zip(named).for_each(|(column, (_, id))| column.id = id);
        Ok((relation, checks))
    }

    /// Sees rows through views.
    fn seen(
        &mut self,
        through: &Through,
        info: &TableInfo,
        (mut relation, own): (Arc<Relation>, &[ColumnId]),
        (look, verb): (Look, Verb),
    ) -> Result<Seen> {
        let own = &own[..info.fields.len()];
        let mut columns: Vec<(String, ColumnId)> =
            info.fields.iter().map(|field| field.name.clone()).zip(own.iter().copied()).collect();
        let mut places: Vec<Place> = (0..own.len()).map(Place::Column).collect();
        let mut checks = Vec::new();
        for (depth, level) in through.levels.iter().enumerate().rev() {
            let is_stored = depth + 1 == through.levels.len();
            let below = (relation, columns);
            let (seen, items) = self.seen_by(level, (below.0, &below.1), (look, verb, is_stored), &mut checks)?;
            relation = seen;
            let mut computed = Vec::new();
            let (mut named, mut known) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
            for (at, item) in items.into_iter().enumerate() {
                let name = level.view.columns.get(at).cloned().unwrap_or_else(|| item.name().to_owned());
                let value = item.into_value();
                let of = match &value.kind {
                    ExpressionKind::Column(id) => below.1.iter().position(|(_, known)| known == id),
                    _ => None,
                };
                let id = match of {
                    Some(of) => below.1[of].1,
                    None => {
                        let id = self.builder.columns.add(name.clone(), value.data_type, may_be_null(&value));
                        computed.push((id, value));
                        id
                    }
                };
                let computed = || Place::Computed(level.name.name.clone(), name.clone());
                known.push(of.map_or_else(computed, |of| places[of].clone()));
                named.push((name, id));
            }
            let is_own = |place: &Place| !matches!(place, Place::Computed(view, _) if *view == level.name.name);
            if verb != Verb::Delete && !known.iter().any(is_own) {
                let why = "Views that have no updatable columns are not automatically updatable.";
                return Err(refused(&level.name, verb, why));
            }
            if !computed.is_empty() {
                relation = self.with_columns(relation, computed);
            }
            (columns, places) = (named, known);
        }
        Ok(Seen { relation, columns, places, checks })
    }

    /// Rows as one view sees them, and its select list over them.
    fn seen_by(
        &mut self,
        level: &Level,
        (mut relation, columns): (Arc<Relation>, &[(String, ColumnId)]),
        (look, verb, is_stored): (Look, Verb, bool),
        checks: &mut Vec<(String, ColumnId)>,
    ) -> Result<(Arc<Relation>, Vec<crate::relation::builder::SelectItem>)> {
        let [from] = &level.select.from[..] else { return Err(Error::internal("a view reads several tables")) };
        let ast::TableFactor::Table { alias, .. } = &from.relation else {
            return Err(Error::internal("a view reads no table"));
        };
        let nothing = Arc::new(Relation::Values { columns: Vec::new(), rows: Vec::new() });
        let item = FromItem::table((nothing, columns.to_vec()), level.from.1.name.clone());
        let mut item = self.builder.known(item, &level.from.1, level.view.relation(&level.from.0), is_stored);
        if let Some(alias) = alias {
            item = item.aliased(&Self::fold(&alias.name), &self.alias_columns(alias)?)?;
        }
        let view = Arc::clone(&level.view);
        let select = &level.select;
        let (predicate, items) = self.builder.in_view(&level.name, &view, |builder| {
            let mut binder = Binder::of_view(builder, &level.view.sql);
            let (_, scope) = item.into_scope(None, Clause::Where);
            let predicate =
                select.selection.as_ref().map(|selection| binder.bind_condition(selection, &scope)).transpose()?;
            scope.enter(Clause::SelectList);
            let items = binder.bind_select_list(&select.projection, &scope, Unknown::AsText)?;
            if let Some(why) = check_scope(&scope) {
                return Err(refused(&level.name, verb, why));
            }
            Ok((predicate, items))
        })?;
        match predicate {
            Some(predicate) if look == Look::Filter => relation = self.builder.filter(relation, predicate),
            Some(predicate) if level.is_checked => {
                let id = self.builder.columns.add(level.name.name.clone(), DataType::Boolean, true);
                relation = self.with_columns(relation, vec![(id, predicate)]);
                checks.push((level.name.name.clone(), id));
            }
            _ => {}
        }
        Ok((relation, items))
    }
}

const NOT_ONE_TABLE: &str = "Views that do not select from a single table or view are not automatically updatable.";

/// Why a view is not one of some rows of one table.
enum Shape {
    Refused(&'static str),
    Error(Error),
}

/// The SELECT of a view that reads one table, and that table as it is written, and as it is called; what of it only binding tells is
/// not among this.
#[allow(clippy::type_complexity, reason = "a name twice")]
fn shape(
    view: &View,
    schema_of: &dyn Fn(&TableName) -> Option<String>,
) -> std::result::Result<(Box<ast::Select>, (TableName, TableName)), Shape> {
    let query = parse_query(&view.sql).map_err(Shape::Error)?;
    let refused = |what: &'static str| Err(Shape::Refused(what));
    let mut query = query;
    let select = loop {
        match *query.body {
            ast::SetExpr::Query(inner)
                if query.with.is_none() && query.limit_clause.is_none() && query.fetch.is_none() =>
            {
                query = *inner;
            }
            ref body => break body.clone(),
        }
    };
    let select = match select {
        ast::SetExpr::Select(select) => select,
        ast::SetExpr::SetOperation { .. } => {
            return refused("Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.");
        }
        _ => return refused(NOT_ONE_TABLE),
    };
    if select.distinct.is_some() {
        return refused("Views containing DISTINCT are not automatically updatable.");
    }
    let is_grouped = match &select.group_by {
        ast::GroupByExpr::All(_) => true,
        ast::GroupByExpr::Expressions(keys, modifiers) => !keys.is_empty() || !modifiers.is_empty(),
    };
    if is_grouped {
        return refused("Views containing GROUP BY are not automatically updatable.");
    }
    if select.having.is_some() || select.qualify.is_some() {
        return refused("Views containing HAVING are not automatically updatable.");
    }
    if query.with.is_some() {
        return refused("Views containing WITH are not automatically updatable.");
    }
    if query.limit_clause.is_some() || query.fetch.is_some() {
        return refused("Views containing LIMIT or OFFSET are not automatically updatable.");
    }
    let [ast::TableWithJoins { relation, joins }] = &select.from[..] else { return refused(NOT_ONE_TABLE) };
    let ast::TableFactor::Table { name, args: None, sample, with_ordinality: false, .. } = relation else {
        return refused(NOT_ONE_TABLE);
    };
    if !joins.is_empty() {
        return refused(NOT_ONE_TABLE);
    }
    if sample.is_some() {
        return refused("Views containing TABLESAMPLE are not automatically updatable.");
    }
    let idents: Vec<&ast::Ident> = name.0.iter().filter_map(ast::ObjectNamePart::as_ident).collect();
    let written = match idents[..] {
        [table] if table.quote_style != Some('\'') => TableName { schema: None, name: Binder::fold(table) },
        [schema, table] => TableName { schema: Some(Binder::fold(schema)), name: Binder::fold(table) },
        _ => return refused(NOT_ONE_TABLE),
    };
    let now = match view.relation(&written) {
        Some(meant) => meant.now.clone(),
        None => {
            let schema = written.schema.clone().or_else(|| schema_of(&written));
            TableName { schema, ..written.clone() }
        }
    };
    Ok((select, (written, now)))
}

/// Why a view cannot be changed whose select list makes other rows, or values of several rows.
fn check_scope(scope: &Scope<'_>) -> Option<&'static str> {
    if scope.has_aggregates() {
        Some("Views that return aggregate functions are not automatically updatable.")
    } else if scope.has_windows() {
        Some("Views that return window functions are not automatically updatable.")
    } else if scope.set_count() > 0 {
        Some("Views that return set-returning functions are not automatically updatable.")
    } else {
        None
    }
}

/// The error (55000) for a view that cannot be changed.
fn refused(view: &TableName, verb: Verb, why: &str) -> Error {
    let (doing, event, to) = match verb {
        Verb::Insert => ("inserting into", "INSERT", "insert into"),
        Verb::Delete => ("deleting from", "DELETE", "delete from"),
        _ => ("updating", "UPDATE", "update"),
    };
    let error = Error::new(ErrorKind::WrongState, format!("cannot {to} view \"{}\"", view.name));
    error.with_detail(why.to_owned()).with_hint(format!(
        "To enable {doing} the view, provide an INSTEAD OF {event} trigger or an unconditional ON {event} DO INSTEAD rule."
    ))
}

/// Functions of several rows, or that give several, that are no aggregates.
const OF_ROWS: [&str; 9] = [
    "generate_series",
    "unnest",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "json_array_elements",
    "jsonb_array_elements",
    "generate_subscripts",
    "grouping",
];

/// What a view reads, and which of its columns is which of that's columns, by position, as far as its text tells; none of a view that
/// cannot be changed. It is what the catalog tells of views: who changes one has its query bound.
pub fn updatable_columns(view: &View) -> Option<(TableName, Vec<Option<usize>>)> {
    let (select, (written, now)) = shape(view, &|_| None).ok()?;
    let known = view.relation(&written)?.columns.clone()?;
    let mut columns = Vec::new();
    for item in &select.projection {
        let text = item.to_string();
        let tokens = Tokenizer::new(&PostgreSqlDialect {}, &text).tokenize().unwrap_or_default();
        let solid: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
        let is_of_rows = |pair: &[&Token]| match (pair[0], pair[1]) {
            (Token::Word(word), Token::LParen) => {
                let name = word.value.to_ascii_lowercase();
                name == "over" || OF_ROWS.contains(&name.as_str()) || is_aggregate_name(&name)
            }
            _ => false,
        };
        if solid.windows(2).any(is_of_rows) {
            return None;
        }
        match item {
            ast::SelectItem::Wildcard(_) | ast::SelectItem::QualifiedWildcard(..) => {
                columns.extend((0..known.len()).filter(|&at| known[at] != GONE).map(Some));
            }
            ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. } => {
                let name = named_column(expr).map(Binder::fold);
                columns.push(name.and_then(|name| known.iter().position(|known| *known == name)));
            }
            _ => return None,
        }
    }
    Some((now, columns))
}

fn named_column(expr: &ast::Expr) -> Option<&ast::Ident> {
    match expr {
        ast::Expr::Identifier(name) => Some(name),
        ast::Expr::CompoundIdentifier(parts) => parts.last(),
        ast::Expr::Nested(inner) => named_column(inner),
        _ => None,
    }
}

/// Whether rows of a table change by statements.
fn is_changeable(info: &TableInfo) -> bool {
    info.declared.materialized.is_none() && !info.declared.is_sequence
}
