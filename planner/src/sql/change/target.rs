//! The table that UPDATE and DELETE change: its rows with their numbers, and what is joined to them.

use super::Through;
use crate::catalog::{CatalogEntry, Right, TableInfo, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{FromItem, Scope};
use crate::relation::{ColumnId, Expression};
use crate::sql::binder::Binder;
use crate::sql::forms::CURRENT_OF;
use crate::sql::from::refused_of_table;
use sqlparser::ast::{self, Spanned};
use std::rc::Rc;
use std::sync::Arc;

/// What is done to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum Verb {
    Insert,
    Update,
    Delete,
    /// All of it; who merges has seen to the rights.
    Merge,
}

impl Verb {
    pub(super) fn right(self) -> Option<Right> {
        match self {
            Verb::Insert => Some(Right::Insert),
            Verb::Update => Some(Right::Update),
            Verb::Delete => Some(Right::Delete),
            Verb::Merge => None,
        }
    }
}

/// The table whose rows a statement changes.
pub(super) struct Target {
    /// Its name.
    pub(super) name: TableName,
    /// Where that stands.
    pub(super) position: Option<Position>,
    /// The table itself, where that is the name of a view.
    pub(super) base: TableName,
    /// What is known of it.
    pub(super) info: Arc<TableInfo>,
    /// Its columns.
    pub(super) own: Vec<ColumnId>,
    /// Its rows.
    pub(super) item: FromItem,
    /// The column of their numbers.
    pub(super) number: ColumnId,
}

impl Binder<'_, '_> {
    /// The table that a statement names first.
    ///
    /// # Errors
    /// 42P01 and 42809 for what is no table, 42501 without the right.
    pub(super) fn target(&mut self, table: &ast::TableWithJoins, verb: Verb) -> Result<Target> {
        let (written, alias) = self.target_name(table)?;
        let position = self.position(written.span());
        let written_name = self.object_name(written)?;
        let kept = self.builder.meant(&written_name);
        let name = kept.as_ref().map_or_else(|| written_name.clone(), |kept| kept.now.clone());
        self.kept_target.clone_from(&kept);
        let through = match verb {
            Verb::Merge => None,
            _ => self.through(&name, verb, position)?,
        };
        let base = through.as_ref().map_or(&name, |through| &through.base).clone();
        let info = self.info_to_change(&base, verb, through.is_some(), position)?;
        let (item, number) = self.builder.rows_to_change(Arc::clone(&info), &base, kept.as_ref());
        self.note_changed(&written_name, through.as_ref(), &info);
        let number = number.ok_or_else(|| Error::internal("rows that are to be changed have no numbers"))?;
        let own: Vec<ColumnId> = item.columns.iter().map(|column| column.id).collect();
        let mut item = match through {
            Some(through) => {
                let item = self.rows_through(&through, &info, (item.relation, &own), verb);
                let item = item.map_err(|error| error.at(position))?;
                self.through = Some(Rc::new(through));
                item
            }
            None => {
                let hidden = self.hidden_names().to_vec();
                self.builder.with_hidden(item, &hidden, Some(number)).map_err(|error| error.at(position))?
            }
        };
        if let Some(alias) = alias {
            item = item.aliased(&Self::fold(alias), &[])?;
        }
        Ok(Target { name, position, base, info, own, item, number })
    }

    /// The table that a name stands for, whose rows change: in a kept text the one that it stood for.
    pub(in crate::sql) fn changed_object(&self, written: &ast::ObjectName) -> Result<TableName> {
        let name = self.object_name(written)?;
        Ok(self.builder.meant(&name).map_or(name, |kept| kept.now))
    }

    /// Notes that the text names a table whose rows it changes, or a view of one.
    pub(in crate::sql) fn note_changed(&self, written: &TableName, through: Option<&Through>, info: &TableInfo) {
        if self.builder.meant(written).is_some() {
            return;
        }
        let columns = match through {
            Some(through) => through.columns.iter().map(|(name, _)| name.clone()).collect(),
            None => info.fields.iter().map(|field| field.name.clone()).collect(),
        };
        self.builder.need(written, Some(columns));
    }

    /// The name and the alias; 42601 for anything else that FROM could have in the place.
    pub(super) fn target_name<'t>(
        &self,
        table: &'t ast::TableWithJoins,
    ) -> Result<(&'t ast::ObjectName, Option<&'t ast::Ident>)> {
        let ast::TableWithJoins { relation, joins } = table;
        let wrong = |position, found: &str| {
            let message = format!("syntax error at or near \"{found}\": the table to be changed is expected alone");
            Err(Error::new(ErrorKind::Syntax, message).at(position))
        };
        if let Some(join) = joins.first() {
            return wrong(self.factor_start(&join.relation), "JOIN");
        }
        let ast::TableFactor::Table { name, alias, args: None, sample: None, .. } = relation else {
            return wrong(self.factor_start(relation), "(");
        };
        if let Some(what) = refused_of_table(relation) {
            return Err(Error::unsupported(what).at(self.position(name.span())));
        }
        let Some(alias) = alias else { return Ok((name, None)) };
        if !self.alias_columns(alias)?.is_empty() {
            return wrong(self.position(alias.name.span), "(");
        }
        Ok((name, Some(&alias.name)))
    }

    fn info_to_change(
        &self,
        name: &TableName,
        verb: Verb,
        is_through: bool,
        position: Option<Position>,
    ) -> Result<Arc<TableInfo>> {
        let catalog = self.builder.catalog;
        let wrong = |message: String| Error::new(ErrorKind::WrongObjectType, message).at(position);
        if let Some(right) = verb.right().filter(|_| !is_through) {
            catalog.check_right(name, right, None).map_err(|error| error.at(position))?;
        }
        match catalog.target(name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.materialized.is_some() && verb == Verb::Merge => {
                let message = format!("cannot execute MERGE on relation \"{}\"", name.name);
                let error = Error::new(ErrorKind::Unsupported, message).at(position);
                Err(error.with_detail("This operation is not supported for materialized views."))
            }
            Some(CatalogEntry::Table(info)) if info.declared.materialized.is_some() => {
                Err(wrong(format!("cannot change materialized view \"{}\"", name.name)))
            }
            Some(CatalogEntry::Table(info)) if info.declared.is_sequence => {
                Err(wrong(format!("cannot change sequence \"{}\"", name.name)))
            }
            Some(CatalogEntry::Table(_)) => {
                let info = catalog.to_change(name).map_err(|error| error.at(position))?;
                let what = || Error::unsupported(format_args!("changing rows of \"{}\" is", name.name)).at(position);
                info.ok_or_else(what)
            }
            Some(CatalogEntry::View(_)) => {
                let message = format!("cannot execute MERGE on relation \"{}\"", name.name);
                let error = Error::new(ErrorKind::Unsupported, message).at(position);
                Err(error.with_detail("This operation is not supported for views."))
            }
            None => Err(self.builder.unknown_table(name, &[]).at(position)),
        }
    }

    /// The rows of a table that is changed with those of the tables behind FROM or USING, which do not see it.
    pub(super) fn joined_to(&mut self, target: FromItem, from: &[ast::TableWithJoins]) -> Result<FromItem> {
        let Some(first) = from.first() else { return Ok(target) };
        let position = self.factor_start(&first.relation);
        let others = self.bind_from(from, None).map_err(|error| out_of_reach(error, &target, has_lateral(from)))?;
        target.check_aliases(&others, position)?;
        target.cross(self.builder, others).map_err(|error| error.at(position))
    }

    /// The condition of WHERE.
    pub(super) fn changed_rows(&mut self, selection: &ast::Expr, scope: &Scope<'_>) -> Result<Expression> {
        if let ast::Expr::Function(call) = selection
            && let [ast::ObjectNamePart::Identifier(name)] = &call.name.0[..]
            && name.value == CURRENT_OF
        {
            return Err(Error::unsupported("WHERE CURRENT OF is").at(self.position(name.span)));
        }
        self.bind_condition(selection, scope)
    }

    /// Checks that columns of a table that names stood for since a mark may be read.
    ///
    /// # Errors
    /// 42501 if they may not.
    pub(super) fn check_read(
        &self,
        (name, position): (&TableName, Option<Position>),
        mark: usize,
        is_its: impl Fn(ColumnId) -> bool,
    ) -> Result<()> {
        if !self.builder.mentioned_since(mark).into_iter().any(is_its) {
            return Ok(());
        }
        self.builder.catalog.check_right(name, Right::Select, None).map_err(|error| error.at(position))
    }
}

/// Whether something in FROM sees what stands before it there.
fn has_lateral(from: &[ast::TableWithJoins]) -> bool {
    let factors = from
        .iter()
        .flat_map(|item| std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation)));
    factors.into_iter().any(|factor| match factor {
        ast::TableFactor::Derived { lateral, .. } => *lateral,
        ast::TableFactor::Table { args, .. } => args.is_some(),
        ast::TableFactor::NestedJoin { table_with_joins, .. } => has_lateral(std::slice::from_ref(table_with_joins)),
        ast::TableFactor::Function { .. } | ast::TableFactor::UNNEST { .. } => true,
        _ => false,
    })
}

/// The error for a name that means nothing but in the table that is changed, which is out of its reach.
pub(super) fn out_of_reach(error: Error, target: &FromItem, is_lateral: bool) -> Error {
    let Some(table) = target.tables.first().map(|table| table.name.as_str()) else { return error };
    let named = |column: &&str| error.message() == format!("column \"{column}\" does not exist");
    let mut columns = target.columns.iter().filter(|column| !column.hidden).map(|column| column.name.as_str());
    match error.kind() {
        ErrorKind::UnknownTable => table_out_of_reach(error, table, is_lateral),
        ErrorKind::UnknownColumn => match columns.find(named) {
            Some(_) if is_lateral => invalid_reference(&error, table, ErrorKind::InvalidColumnReference),
            Some(column) => {
                let hint = format!(
                    "There is a column named \"{column}\" in table \"{table}\", but it cannot be referenced from this part of the query."
                );
                error.with_hint(hint)
            }
            None => error,
        },
        _ => error,
    }
}

/// The error for the name of a table that is there, but not for whoever names it: 42P01, or 42P10 where an item is LATERAL.
pub(super) fn table_out_of_reach(error: Error, table: &str, is_lateral: bool) -> Error {
    if error.message() != format!("missing FROM-clause entry for table \"{table}\"") {
        return error;
    }
    let kind = if is_lateral { ErrorKind::InvalidColumnReference } else { ErrorKind::UnknownTable };
    invalid_reference(&error, table, kind)
}

fn invalid_reference(error: &Error, table: &str, kind: ErrorKind) -> Error {
    let message = format!("invalid reference to FROM-clause entry for table \"{table}\"");
    let hint =
        format!("There is an entry for table \"{table}\", but it cannot be referenced from this part of the query.");
    Error::new(kind, message).with_hint(hint).at(error.position())
}
