//! INSERT: the rows as the table's columns, cast for assignment. RETURNING and ON CONFLICT are [`super::change`]'s.

use super::Statement;
use super::binder::Binder;
use super::change::Verb;
use super::forms::{OVERRIDING_SYSTEM, OVERRIDING_USER};
use super::generated::Overriding;
use super::query::Unknown;
use crate::catalog::{CatalogEntry, Generated, Right, TableInfo, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Clause, Coercion, FromItem, Rows, Scope, did_you_mean, may_be_null};
use crate::relation::{Expression, Relation};
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::FxHashMap;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// The clauses of an INSERT that Multiloop has.
pub(super) struct InsertClauses<'i> {
    /// The table.
    pub(super) table: &'i ast::ObjectName,
    /// Another name for it, in RETURNING and ON CONFLICT.
    pub(super) alias: Option<&'i ast::Ident>,
    columns: &'i [ast::ObjectName],
    /// OVERRIDING.
    overriding: Overriding,
    /// The rows; none are DEFAULT VALUES.
    source: Option<&'i ast::Query>,
    /// ON CONFLICT.
    pub(super) on: Option<&'i ast::OnConflict>,
    /// RETURNING.
    pub(super) returning: Option<&'i [ast::SelectItem]>,
}

impl Binder<'_, '_> {
    /// INSERT INTO table [(columns)] rows, with the WITH in front of it.
    pub(super) fn insert(mut self, insert: &ast::Insert, withs: &[&ast::With]) -> Result<Statement> {
        let clauses = self.insert_clauses(insert)?;
        let name = self.changed_object(clauses.table)?;
        self.kept_target = self.builder.meant(&self.object_name(clauses.table)?);
        let info = self.table_to_insert(&name, self.position(clauses.table.span()))?;
        self.note_changed(&self.object_name(clauses.table)?, self.through.as_deref(), &info);
        let definitions = self.bind_withs(withs)?;
        let is_checked = self.through.as_ref().is_some_and(|through| through.is_checked());
        let is_alone = clauses.on.is_none() && clauses.returning.is_none() && self.parts.is_none() && !is_checked;
        let drawn = self.drawn_later(&clauses, &info).filter(|_| is_alone);
        let (rows, columns) = match drawn {
            Some(source) => self.rows_without_defaults(&clauses, &info, source)?,
            None => (self.rows_to_insert(&clauses, &info)?, Vec::new()),
        };
        if !is_alone {
            return self.insert_returning(&clauses, (name, &info), rows, (withs, definitions));
        }
        let rows = (self.builder.attach(definitions, rows.0), rows.1);
        let name = self.base_of(&name);
        Ok(Statement::Insert { name, columns, query: self.into_query(rows) })
    }

    /// The query of an INSERT whose defaults draw from sequences. They are drawn when there are its rows: what draws has one thread,
    /// which the query need not wait for.
    fn drawn_later<'i>(&self, clauses: &InsertClauses<'i>, info: &TableInfo) -> Option<&'i ast::Query> {
        let source = clauses.source.filter(|source| plain_values(source).is_none())?;
        let draws = |text: &Option<Arc<str>>| text.as_ref().is_some_and(|text| text.contains("nextval("));
        info.declared.defaults.iter().any(draws).then_some(source)
    }

    /// The rows of an INSERT's query as columns of the table, and which these are.
    fn rows_without_defaults(
        &mut self,
        clauses: &InsertClauses<'_>,
        info: &TableInfo,
        source: &ast::Query,
    ) -> Result<(Rows, Vec<usize>)> {
        let targets = self.target_columns(info, clauses.columns)?;
        let rows = self.rows_of_query(source, (info, clauses), &targets)?;
        let given = rows.1.len();
        let overrides = clauses.overriding == Overriding::User;
        let is_given = |&column: &usize| !overrides || info.declared.generated(column).is_none();
        let (places, columns): (Vec<usize>, Vec<usize>) =
            targets[..given].iter().copied().enumerate().filter(|(_, column)| is_given(column)).unzip();
        let output = places.into_iter().map(|place| rows.1[place].clone()).collect();
        if columns.is_empty() {
            let rows = self.fill_columns((rows.0, output), info, &[], false, None)?;
            return Ok((rows, columns));
        }
        let rows = self.assign_columns((rows.0, output), info, &columns)?;
        let are_all = columns.iter().copied().eq(0..info.fields.len());
        Ok((rows, if are_all { Vec::new() } else { columns }))
    }

    /// The rows of an INSERT's query, which are to be these columns.
    fn rows_of_query(
        &mut self,
        source: &ast::Query,
        (info, clauses): (&TableInfo, &InsertClauses<'_>),
        targets: &[usize],
    ) -> Result<Rows> {
        let types: Vec<DataType> = targets.iter().map(|index| info.declared_field(*index).data_type).collect();
        let rows = self.bind_query(source, None, Unknown::As(&types))?;
        self.check_count(rows.1.len(), targets.len(), (clauses, source))?;
        targets[..rows.1.len()].iter().try_for_each(|&column| self.check_given(info, column, clauses.overriding))?;
        Ok(rows)
    }

    /// 42601 for other columns than there are.
    fn check_count(
        &self,
        given: usize,
        wanted: usize,
        (clauses, source): (&InsertClauses<'_>, &ast::Query),
    ) -> Result<()> {
        if given <= wanted && (given == wanted || clauses.columns.is_empty()) {
            return Ok(());
        }
        let message = if given > wanted {
            "INSERT has more expressions than target columns"
        } else {
            "INSERT has more target columns than expressions"
        };
        if given > wanted
            && let Some(through) = self.through.as_ref().filter(|_| clauses.columns.is_empty())
            && wanted < through.columns.len()
            && given <= through.columns.len()
        {
            through.place(wanted)?;
        }
        let position = self.position(source.span()).or(self.position(clauses.table.span()));
        Err(Error::new(ErrorKind::Syntax, message).at(position))
    }

    /// The rows, with all columns of the table.
    fn rows_to_insert(&mut self, clauses: &InsertClauses<'_>, info: &TableInfo) -> Result<Rows> {
        let &InsertClauses { table, columns, overriding, source, .. } = clauses;
        let position = self.position(table.span());
        let Some(source) = source else {
            // DEFAULT VALUES: one row of which nothing is given.
            let row = FromItem::nothing().relation;
            return self.fill_columns((row, Vec::new()), info, &[], false, position);
        };
        let targets = self.target_columns(info, columns)?;
        let values = plain_values(source);
        let rows = match values {
            Some(values) => self.bind_insert_values(values, (info, overriding), &targets)?,
            None => self.rows_of_query(source, (info, clauses), &targets)?,
        };
        self.check_count(rows.1.len(), targets.len(), (clauses, source))?;
        // What is computed, or overridden, is as if it were not given.
        let is_given = |column: &usize| match info.declared.generated(*column) {
            Some(Generated::Stored) => false,
            of => of.is_none() || overriding != Overriding::User,
        };
        let targets: Vec<_> = targets.into_iter().map(|column| Some(column).filter(is_given)).collect();
        self.fill_columns(rows, info, &targets, values.is_some(), self.position(source.span()))
    }

    /// Takes an INSERT apart; what Multiloop does not have is an error.
    fn insert_clauses<'i>(&self, insert: &'i ast::Insert) -> Result<InsertClauses<'i>> {
        let ast::Insert {
            insert_token,
            // Hints are comments, INTO is required, and TABLE adds nothing.
            optimizer_hints: _,
            or,
            ignore,
            into: _,
            table,
            table_alias,
            columns,
            overwrite,
            source,
            assignments,
            partitioned,
            after_columns,
            has_table_keyword,
            on,
            returning,
            output,
            replace_into,
            priority,
            insert_alias,
            settings,
            format_clause,
            multi_table_insert_type,
            multi_table_into_clauses,
            multi_table_when_clauses,
            multi_table_else_clause,
        } = insert;
        let position = self.position(insert_token.0.span);
        let foreign = or.is_some()
            || *ignore
            || *overwrite
            || !assignments.is_empty()
            || partitioned.is_some()
            || !after_columns.is_empty()
            || *has_table_keyword
            || output.is_some()
            || *replace_into
            || priority.is_some()
            || insert_alias.is_some()
            || settings.is_some()
            || format_clause.is_some()
            || multi_table_insert_type.is_some()
            || !multi_table_into_clauses.is_empty()
            || !multi_table_when_clauses.is_empty()
            || multi_table_else_clause.is_some();
        if foreign {
            return Err(Error::unsupported("a clause of this INSERT is").at(position));
        }
        let ast::TableObject::TableName(table) = table else {
            return Err(Error::unsupported("INSERT into what is no table is").at(position));
        };
        let alias = match table_alias {
            Some(alias) => Some(self.insert_alias(alias)?),
            None => None,
        };
        let on = match on {
            None => None,
            Some(ast::OnInsert::OnConflict(on)) => Some(on),
            Some(_) => return Err(Error::unsupported("ON DUPLICATE KEY is").at(position)),
        };
        let (source, returning) = (source.as_deref(), returning.as_deref());
        let (columns, overriding) = without_overriding(columns);
        Ok(InsertClauses { table, alias, columns, overriding, source, on, returning })
    }

    /// The alias of INSERT's table, which AS stands before: sqlparser takes any word for one.
    fn insert_alias<'i>(&self, alias: &'i ast::TableAliasWithoutColumns) -> Result<&'i ast::Ident> {
        let ast::TableAliasWithoutColumns { explicit, alias } = alias;
        if *explicit {
            return Ok(alias);
        }
        let message = format!("syntax error at or near \"{alias}\"");
        Err(Error::new(ErrorKind::Syntax, message).at(self.position(alias.span)))
    }

    /// The table that INSERT fills, be it through a view.
    fn table_to_insert(&mut self, name: &TableName, position: Option<Position>) -> Result<Arc<TableInfo>> {
        let Some(through) = self.through(name, Verb::Insert, position)? else {
            return self.table_named(name, position);
        };
        let entry = self.builder.catalog.target(&through.base).map_err(|error| error.at(position))?;
        self.through = Some(std::rc::Rc::new(through));
        match entry {
            Some(CatalogEntry::Table(info)) => Ok(info),
            _ => Err(Error::internal("the table of a view is gone")),
        }
    }

    /// The table that rows change of, if it is named by a view.
    pub(super) fn base_of(&self, name: &TableName) -> TableName {
        self.through.as_ref().map_or(name, |through| &through.base).clone()
    }

    /// The name of the table, or of the view, that rows change of.
    pub(super) fn changed_name<'n>(&'n self, info: &'n TableInfo) -> &'n str {
        self.through.as_ref().map_or(&info.name, |through| &through.view.name)
    }

    /// The columns that may be named where rows of a table change, or of a view.
    pub(super) fn named_columns<'n>(&'n self, info: &'n TableInfo) -> Vec<&'n str> {
        match &self.through {
            Some(through) => through.columns.iter().map(|(name, _)| name.as_str()).collect(),
            None => {
                let kept = self.kept_target.as_ref().and_then(|kept| kept.columns.as_deref()).unwrap_or_default();
                let of = |(at, field): (usize, &'n Field)| kept.get(at).map_or(field.name.as_str(), String::as_str);
                info.fields.iter().enumerate().map(of).collect()
            }
        }
    }

    /// The table that COPY FROM fills; 42809 for a view of either kind.
    pub(super) fn table_to_fill(&self, name: &ast::ObjectName) -> Result<Arc<TableInfo>> {
        self.table_named(&self.object_name(name)?, self.position(name.span()))
    }

    fn table_named(&self, table: &TableName, position: Option<Position>) -> Result<Arc<TableInfo>> {
        self.builder.catalog.check_right(table, Right::Insert, None).map_err(|error| error.at(position))?;
        match self.builder.catalog.target(table).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.materialized.is_some() => {
                let message = format!("cannot change materialized view \"{}\"", table.name);
                Err(Error::new(ErrorKind::WrongObjectType, message).at(position))
            }
            Some(CatalogEntry::Table(info)) if info.declared.is_sequence => {
                let message = format!("cannot change sequence \"{}\"", table.name);
                Err(Error::new(ErrorKind::WrongObjectType, message).at(position))
            }
            Some(CatalogEntry::Table(info)) => Ok(info),
            Some(CatalogEntry::View(_)) => {
                let message = format!("cannot insert into view \"{}\"", table.name);
                Err(Error::new(ErrorKind::WrongObjectType, message).at(position))
            }
            None => Err(self.unknown_table(table).at(position)),
        }
    }

    pub(super) fn target_columns(&self, info: &TableInfo, columns: &[ast::ObjectName]) -> Result<Vec<usize>> {
        if columns.is_empty() {
            let Some(through) = &self.through else { return Ok((0..info.fields.len()).collect()) };
            // Whoever gives more values is told of the first column that is computed.
            return Ok((0..through.columns.len()).map_while(|at| through.place(at).ok()).collect());
        }
        let idents = columns.iter().map(|column| self.split_name(column).map(|(_, ident)| ident));
        self.columns_of(info, &idents.collect::<Result<Vec<_>>>()?)
    }

    /// The places in the table of the columns named.
    pub(super) fn columns_of(&self, info: &TableInfo, idents: &[&ast::Ident]) -> Result<Vec<usize>> {
        let known = self.named_columns(info);
        let places: FxHashMap<&str, usize> = known.iter().enumerate().rev().map(|(at, name)| (*name, at)).collect();
        let mut targets = Vec::new();
        let mut taken = vec![false; known.len()];
        for ident in idents {
            let (name, position) = (Self::fold(ident), self.position(ident.span));
            let Some(&index) = places.get(name.as_str()) else {
                let message = format!("column \"{name}\" of relation \"{}\" does not exist", self.changed_name(info));
                let error = Error::new(ErrorKind::UnknownColumn, message);
                return Err(did_you_mean(error, &name, known.iter().copied()).at(position));
            };
            if std::mem::replace(&mut taken[index], true) {
                let message = format!("column \"{name}\" specified more than once");
                return Err(Error::new(ErrorKind::DuplicateColumn, message).at(position));
            }
            targets.push(match &self.through {
                Some(through) => through.place(index).map_err(|error| error.at(position))?,
                None => index,
            });
        }
        for (at, target) in targets.iter().enumerate() {
            if targets[..at].contains(target) {
                let message = format!("multiple assignments to same column \"{}\"", info.fields[*target].name);
                return Err(Error::new(ErrorKind::Syntax, message).at(self.position(idents[at].span)));
            }
        }
        Ok(targets)
    }

    /// VALUES of an INSERT: each value is cast to its column's type on its own, and may be DEFAULT.
    fn bind_insert_values(
        &mut self,
        values: &ast::Values,
        (info, overriding): (&TableInfo, Overriding),
        targets: &[usize],
    ) -> Result<Rows> {
        let mut rows = Vec::new();
        let asts = self.values_rows(values)?;
        let width = asts.first().map_or(0, |row| row.len());
        if width > targets.len() {
            let position = self.position(asts[0][targets.len()].span());
            let is_computed = |through: &&std::rc::Rc<super::change::Through>| {
                targets.len() < through.columns.len() && width <= through.columns.len()
            };
            if let Some(through) = self.through.as_ref().filter(is_computed) {
                through.place(targets.len()).map_err(|error| error.at(position))?;
            }
            let message = "INSERT has more expressions than target columns";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        for ast_row in asts {
            let scope = Scope::empty(None, Clause::Values);
            let mut row = Vec::new();
            for (ast, index) in ast_row.iter().zip(targets) {
                // What is overridden is drawn when the rows are there.
                let is_overridden = overriding == Overriding::User && info.declared.generated(*index).is_some();
                let value = match is_default(ast) {
                    true if is_overridden => Expression::constant(Value::Null, info.declared_field(*index).data_type),
                    true => self.default_of(info, *index)?,
                    false => {
                        self.check_given(info, *index, overriding)?;
                        self.bind_expression(ast, &scope)?
                    }
                };
                let value = self.assign(value, (info, *index), self.position(ast.span()))?;
                row.push(value);
            }
            rows.push(row);
        }
        let fields: Vec<Field> = targets[..width].iter().map(|index| info.declared_field(*index)).collect();
        let types: Vec<DataType> = fields.iter().map(|field| field.data_type).collect();
        Ok(self.builder.typed_values(rows, &types, |index| fields[index].name.clone()))
    }

    /// A value cast to a column's type.
    pub(super) fn assign(
        &mut self,
        value: Expression,
        (info, column): (&TableInfo, usize),
        position: Option<Position>,
    ) -> Result<Expression> {
        let from = value.data_type;
        let field = info.declared_field(column);
        let restriction = info.declared.restrictions.get(column).copied().flatten();
        self.builder.coerce_restricted(value, field.data_type, restriction, Coercion::Assignment).map_err(|error| {
            if error.kind() != ErrorKind::TypeMismatch {
                return error.at(position);
            }
            let Field { name, data_type, .. } = field;
            let message = format!("column \"{name}\" is of type {data_type} but expression is of type {from}");
            let error = Error::new(ErrorKind::TypeMismatch, message);
            error.with_hint("You will need to rewrite or cast the expression.").at(position)
        })
    }

    /// One column a table column, in the table's order; those not given have their defaults, and some are computed of the others. A
    /// column that comes for none is left out. Of VALUES each value has been assigned.
    pub(super) fn fill_columns(
        &mut self,
        (input, output): Rows,
        info: &TableInfo,
        targets: &[Option<usize>],
        is_assigned: bool,
        position: Option<Position>,
    ) -> Result<Rows> {
        let mut columns: Vec<_> = Vec::new();
        let mut filled = Vec::new();
        for (index, field) in info.declared.fields(&info.fields).iter().enumerate() {
            let given = targets.iter().position(|target| *target == Some(index)).and_then(|place| output.get(place));
            let value = match given {
                Some((_, id)) if self.builder.columns.get(*id).data_type == field.data_type && is_assigned => {
                    self.builder.columns.reference(*id)
                }
                Some((_, id)) => self.assign(self.builder.columns.reference(*id), (info, index), position)?,
                None => {
                    let value = self.default_of(info, index)?;
                    self.assign(value, (info, index), None)?
                }
            };
            let id = self.builder.columns.add(field.name.clone(), field.data_type, may_be_null(&value));
            columns.push((id, value));
            filled.push((field.name.clone(), id));
        }
        self.with_stored((Arc::new(Relation::Project { input, columns }), filled), info)
    }

    /// The columns that come, each cast to the type of the one that it is to be; no targets are all of the table's.
    pub(super) fn assign_columns(
        &mut self,
        (input, output): Rows,
        info: &TableInfo,
        targets: &[usize],
    ) -> Result<Rows> {
        let (mut columns, mut assigned) = (Vec::new(), Vec::new());
        for (place, (_, given)) in output.iter().enumerate() {
            let index = targets.get(place).copied().unwrap_or(place);
            let field = info.declared_field(index);
            let value = self.assign(self.builder.columns.reference(*given), (info, index), None)?;
            let id = self.builder.columns.add(field.name.clone(), field.data_type, may_be_null(&value));
            columns.push((id, value));
            assigned.push((field.name, id));
        }
        Ok((Arc::new(Relation::Project { input, columns }), assigned))
    }
}

/// The columns without the name that stands for OVERRIDING, and that.
pub(super) fn without_overriding(columns: &[ast::ObjectName]) -> (&[ast::ObjectName], Overriding) {
    let Some((last, others)) = columns.split_last() else { return (columns, Overriding::None) };
    match last.0.as_slice() {
        [ast::ObjectNamePart::Identifier(name)] if name.value == OVERRIDING_SYSTEM => (others, Overriding::System),
        [ast::ObjectNamePart::Identifier(name)] if name.value == OVERRIDING_USER => (others, Overriding::User),
        _ => (columns, Overriding::None),
    }
}

/// The VALUES of a query that is nothing else.
fn plain_values(query: &ast::Query) -> Option<&ast::Values> {
    let plain = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty()
        && query.for_clause.is_none()
        && query.settings.is_none()
        && query.format_clause.is_none()
        && query.pipe_operators.is_empty();
    match &*query.body {
        ast::SetExpr::Values(values) if plain => Some(values),
        ast::SetExpr::Query(inner) if plain => plain_values(inner),
        _ => None,
    }
}

/// The keyword DEFAULT.
pub(super) fn is_default(value: &ast::Expr) -> bool {
    match value {
        ast::Expr::Nested(inner) => is_default(inner),
        ast::Expr::Identifier(ident) => ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default"),
        _ => false,
    }
}
