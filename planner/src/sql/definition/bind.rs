//! CREATE INDEX, CREATE TYPE, TRUNCATE and CREATE MATERIALIZED VIEW, bound.

use super::{Definition, NewIndex, ObjectKind};
use crate::catalog::{CatalogEntry, Index, IndexPart, Key, TableInfo, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Clause, rename_columns};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use crate::sql::constraint::{Names, check_indexed, columns_in};
use crate::sql::create::{check_distinct_names, kept_view};
use crate::sql::generated::is_immutable;
use crate::sql::kept::without_table;
use crate::sql::naming::column_name;
use crate::sql::query::Unknown;
use crate::sql::session::Piece;
use crate::types::{Field, SortOrder};
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// Bytes of an enum's label.
const LABEL_MAX: usize = 63;

impl Binder<'_, '_> {
    /// CREATE INDEX: what it is over is bound, to see that it is right, and kept as text.
    pub(in crate::sql) fn create_index(mut self, create: &ast::CreateIndex) -> Result<Definition> {
        let position = self.position(create.table_name.span());
        self.builder.keep_notes();
        let method = refuse_of_index(create).map_err(|error| error.at(position))?;
        let table = self.object_name(&create.table_name)?;
        let info = self.indexed_table(&table, position)?;
        let fields = info.declared.fields(&info.fields);
        let (mut parts, mut called, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for column in &create.columns {
            let (part, name) = self.index_part(column, &info.name, &fields, &mut columns)?;
            check_indexed(part.data_type, &method)
                .map_err(|error| error.at(self.position(column.column.expr.span())))?;
            let place = called.iter().filter(|of| **of == name).count();
            called.push(if place == 0 { name } else { format!("{name}{place}") });
            parts.push(part);
        }
        let name = match &create.name {
            Some(name) => Some(Self::fold(self.split_name(name)?.1)),
            None => None,
        };
        let is_chosen = name.is_none();
        let name = name.unwrap_or_else(|| {
            let keys = info.declared.keys.iter().map(|key| &key.name);
            let taken = keys.chain(info.declared.indexes.iter().map(|index| &index.name)).cloned().collect();
            Names { table: &info.name, taken }.choose(&called.join("_"), "idx")
        });
        let predicate = match &create.predicate {
            Some(condition) => Some(self.index_condition(condition, &info.name, &fields, &mut columns)?),
            None => None,
        };
        let plain = SortOrder { descending: false, nulls_first: false };
        let own = |part: &IndexPart| part.column.filter(|_| part.order == plain && create.unique);
        let of_key: Option<Vec<usize>> = parts.iter().map(own).collect();
        let nulls_equal = create.nulls_distinct == Some(false);
        let index = match of_key.filter(|_| predicate.is_none()) {
            Some(columns) => NewIndex::Unique(Key { name, columns, primary: false, nulls_equal, is_index: true }),
            None => {
                columns.sort_unstable();
                columns.dedup();
                NewIndex::Plain(Index { name, method, parts, predicate, unique: create.unique, nulls_equal, columns })
            }
        };
        Ok(Definition::CreateIndex { table, index, is_chosen, if_not_exists: create.if_not_exists })
    }

    fn indexed_table(&self, name: &TableName, position: Option<Position>) -> Result<Arc<TableInfo>> {
        match self.builder.catalog.entry(name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.is_sequence => {
                let message = format!("cannot create index on relation \"{}\"", name.name);
                let error = Error::new(ErrorKind::WrongObjectType, message).at(position);
                Err(error.with_detail("This operation is not supported for sequences."))
            }
            Some(CatalogEntry::Table(info)) => Ok(info),
            Some(CatalogEntry::View(_)) => {
                let message = format!("cannot create index on relation \"{}\"", name.name);
                let error = Error::new(ErrorKind::WrongObjectType, message).at(position);
                Err(error.with_detail("This operation is not supported for views."))
            }
            None => Err(self.unknown_table(name).at(position)),
        }
    }

    /// A part of an index, and what it adds to a name. The columns that it reads are added to others.
    fn index_part(
        &mut self,
        part: &ast::IndexColumn,
        table: &str,
        fields: &[Field],
        columns: &mut Vec<usize>,
    ) -> Result<(IndexPart, String)> {
        let ast::IndexColumn { column: ast::OrderByExpr { expr, options, with_fill: _ }, operator_class } = part;
        let position = self.position(expr.span());
        let descending = match options.sort {
            None | Some(ast::OrderBySort::Asc) => false,
            Some(ast::OrderBySort::Desc) => true,
            Some(_) => return Err(Error::unsupported("USING in an index is").at(position)),
        };
        if operator_class.is_some() {
            return Err(Error::unsupported("an operator class is").at(position));
        }
        let order = SortOrder { descending, nulls_first: options.nulls_first.unwrap_or(descending) };
        if let ast::Expr::Identifier(ident) = expr {
            let name = Self::fold(ident);
            let Some(column) = fields.iter().position(|field| field.name == name) else {
                let error = Error::new(ErrorKind::UnknownColumn, format!("column \"{name}\" does not exist"));
                return Err(error.at(position));
            };
            let data_type = fields[column].data_type;
            columns.push(column);
            return Ok((IndexPart { column: Some(column), expression: "".into(), data_type, order }, name));
        }
        let (ids, scope) = self.scope_of(table, fields, Clause::Index);
        let bound = self.alone(expr, &scope, "index expression")?;
        let immutable = is_immutable(&bound, expr);
        immutable.then_some(()).ok_or_else(|| must_be_immutable("index expression").at(position))?;
        columns.extend(columns_in(&bound, &ids));
        let data_type = bound.data_type;
        let text = without_table(&self.kept_text(fields, expr, None), table);
        Ok((IndexPart { column: None, expression: text.into(), data_type, order }, index_name(expr)))
    }

    fn index_condition(
        &mut self,
        condition: &ast::Expr,
        table: &str,
        fields: &[Field],
        columns: &mut Vec<usize>,
    ) -> Result<Arc<str>> {
        let (ids, scope) = self.scope_of(table, fields, Clause::IndexPredicate);
        let bound = self.alone(condition, &scope, "index predicate")?;
        let bound = self.builder.coerce_condition(bound, "WHERE")?;
        if !is_immutable(&bound, condition) {
            return Err(must_be_immutable("index predicate").at(self.position(condition.span())));
        }
        columns.extend(columns_in(&bound, &ids));
        Ok(without_table(&self.kept_text(fields, condition, None), table).into())
    }

    /// CREATE TYPE … AS ENUM.
    pub(in crate::sql) fn create_type(
        &self,
        name: &ast::ObjectName,
        representation: Option<&ast::UserDefinedTypeRepresentation>,
    ) -> Result<Definition> {
        let position = self.position(name.span());
        let Some(ast::UserDefinedTypeRepresentation::Enum { labels }) = representation else {
            return Err(Error::unsupported("a type that is no enum is").at(position));
        };
        let name = self.object_name(name)?;
        let mut known: Vec<String> = Vec::new();
        for label in labels {
            if label.value.is_empty() || label.value.len() > LABEL_MAX {
                let error = Error::new(ErrorKind::InvalidName, format!("invalid enum label \"{}\"", label.value));
                return Err(error.at(position).with_detail("Labels must be 63 bytes or less."));
            }
            if known.contains(&label.value) {
                let message = "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"";
                return Err(Error::new(ErrorKind::UniqueViolation, message).at(position));
            }
            known.push(label.value.clone());
        }
        Ok(Definition::CreateEnum { name, labels: known })
    }

    /// TRUNCATE.
    pub(in crate::sql) fn truncate(&self, truncate: &ast::Truncate) -> Result<Definition> {
        let ast::Truncate { table_names, partitions, table: _, if_exists, identity, cascade, on_cluster } = truncate;
        if partitions.is_some() || *if_exists || on_cluster.is_some() {
            return Err(Error::unsupported("a clause of this TRUNCATE is").at(Some(Position(0))));
        }
        let names = table_names.iter().map(|of| self.object_name(&of.name)).collect::<Result<_>>()?;
        let restart = *identity == Some(ast::TruncateIdentityOption::Restart);
        Ok(Definition::Truncate { names, restart, cascade: *cascade == Some(ast::CascadeOption::Cascade) })
    }

    /// What DROP drops.
    pub(in crate::sql) fn dropped_kind(object_type: ast::ObjectType) -> Result<ObjectKind> {
        Ok(match object_type {
            ast::ObjectType::Table => ObjectKind::Table,
            ast::ObjectType::View => ObjectKind::View,
            ast::ObjectType::MaterializedView => ObjectKind::MaterializedView,
            ast::ObjectType::Index => ObjectKind::Index,
            ast::ObjectType::Type => ObjectKind::Type,
            ast::ObjectType::Sequence => ObjectKind::Sequence,
            other => return Err(Error::unsupported(format_args!("DROP {other} is")).at(Some(Position(0)))),
        })
    }

    /// CREATE MATERIALIZED VIEW: the query, whose text this binder's is.
    pub(in crate::sql) fn create_materialized(
        mut self,
        (name, names): (TableName, &[String]),
        text: &Piece,
        (is_filled, if_not_exists): (bool, bool),
    ) -> Result<Statement> {
        let ast = crate::sql::parse::parse_query(&text.text)?;
        self.builder.keep_notes();
        let known_parameters = self.builder.parameters.len();
        let (relation, mut output) = self.bind_query(&ast, None, Unknown::AsText)?;
        if self.builder.parameters.len() > known_parameters {
            return Err(Error::new(ErrorKind::UnknownParameter, "a view's query cannot have parameters"));
        }
        rename_columns(&name.name, names, output.iter_mut().map(|(name, _)| name))?;
        check_distinct_names(output.iter().map(|(name, _)| name))?;
        self.check_kept(&output, false)?;
        let (view, needs) = kept_view((text.text.clone(), names.to_vec()), self.builder.take_notes(), 0);
        let query = self.into_query((relation, output));
        Ok(Statement::CreateMaterialized { name, view, query, needs, is_filled, if_not_exists })
    }
}

/// What an expression adds to the name of an index over it.
pub(in crate::sql) fn index_name(expression: &ast::Expr) -> String {
    Some(column_name(expression)).filter(|name| name != "?column?").unwrap_or_else(|| "expr".to_owned())
}

/// The error (42P17) of an index that rows would be at different places of at different times.
fn must_be_immutable(what: &str) -> Error {
    let message = format!("functions in {what} must be marked IMMUTABLE");
    Error::new(ErrorKind::InvalidObjectDefinition, message)
}

/// The method of an index; what else it has that is not supported is an error.
fn refuse_of_index(create: &ast::CreateIndex) -> Result<String> {
    let refused = [
        (create.r#async, "ASYNC is"),
        (!create.include.is_empty(), "INCLUDE is"),
        (!create.with.is_empty(), "WITH of an index is"),
        (!create.alter_options.is_empty(), "an option of an index is"),
        (!create.index_options.is_empty(), "an option of an index is"),
        (create.nulls_distinct.is_some() && !create.unique, "NULLS DISTINCT of an index that is not UNIQUE is"),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(refused, _)| *refused) {
        return Err(Error::unsupported(what));
    }
    match &create.using {
        None | Some(ast::IndexType::BTree) => Ok("btree".to_owned()),
        Some(ast::IndexType::Hash) if create.unique => {
            Err(Error::new(ErrorKind::Unsupported, "access method \"hash\" does not support unique indexes"))
        }
        Some(ast::IndexType::Hash) => Ok("hash".to_owned()),
        Some(other) => Err(Error::unsupported(format_args!("an index of method {other} is"))),
    }
}
