//! What ALTER TABLE adds to a table and changes of it, bound over the table as the changes before it have left it.

use super::{Alteration, Altering, ColumnSequence};
use crate::catalog::{Catalog, Declared, GONE, TableInfo, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Builder, Clause, Coercion, Scope, may_be_null};
use crate::relation::effects::effects;
use crate::relation::{Query, Relation};
use crate::sql::binder::{Binder, view_rows};
use crate::sql::constraint::TableClauses;
use crate::sql::create::check_name;
use crate::sql::expression::restriction;
use crate::sql::filled::view_as_query;
use crate::sql::generated::serial_type;
use crate::sql::parse::parse_expression;
use crate::types::{DataType, Field};
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// A table as an addition makes it.
#[derive(Clone, Debug)]
pub struct Added {
    /// Its columns.
    pub fields: Vec<Field>,
    /// What it is declared with.
    pub declared: Declared,
    /// The sequences that the column that is added is to have.
    pub sequences: Vec<ColumnSequence>,
    /// Whether the column that is added may have another value in each row.
    pub is_volatile: bool,
}

/// A table one of whose columns has another type.
#[derive(Clone, Debug)]
pub struct Retyped {
    /// Its columns.
    pub fields: Vec<Field>,
    /// What it is declared with.
    pub declared: Declared,
    /// The values of the column, over the rows that were given.
    pub values: Query,
}

/// What ADD COLUMN or ADD of a constraint makes of a table, whose own name is `info`'s and which is called as the statement calls it.
pub fn added(
    catalog: &dyn Catalog,
    altering: &Altering,
    change: &Alteration,
    info: &TableInfo,
    temporary: bool,
) -> Result<Added> {
    let table = TableName { name: info.name.clone(), ..altering.alter.name.clone() };
    let mut fields = info.declared.fields(&info.fields);
    let mut declared = Declared::clone(&info.declared);
    let mut builder = Builder::new(catalog, view_rows, &[], true);
    builder.keep_notes();
    let mut binder = Binder::moved(&mut builder, &altering.text, &altering.moves);
    let mut said = TableClauses::of(&info.name);
    let position = match change {
        Alteration::AddColumn { column, .. } => {
            let ast::ColumnDef { name, data_type, options } = &**column;
            let position = binder.position(name.span);
            let serial = serial_type(data_type);
            let of = match serial {
                Some(of) => of,
                None => binder.data_type(data_type, position)?,
            };
            fields.push(Field::new(Binder::fold(name), of, true));
            check_name(&Binder::fold(name)).map_err(|error| error.at(position))?;
            declared.widen(of, restriction(data_type), fields.len() - 1);
            if let Some(of) = serial {
                said.serial(of, &mut fields);
            }
            for ast::ColumnOptionDef { name, option } in options {
                said.column_option((name.as_ref(), option), &mut fields).map_err(|error| error.at(position))?;
            }
            position
        }
        Alteration::AddConstraint { constraint, .. } => {
            let position = binder.position(constraint.span());
            said.table_constraint(&binder, constraint, &fields).map_err(|error| error.at(position))?;
            position
        }
        _ => return Err(Error::internal("what adds nothing was bound as an addition")),
    };
    let sequences =
        binder.declare(said, &table, temporary, &mut fields, &mut declared).map_err(|error| error.at(position))?;
    let new = info.fields.len();
    let is_volatile = match declared.default_text(new) {
        _ if !sequences.is_empty() || declared.is_stored(new) => true,
        Some(text) => is_volatile(&mut binder, text, &declared)?,
        None => false,
    };
    if let Alteration::AddConstraint { not_valid: true, .. } = change {
        declared.checks.iter_mut().skip(info.declared.checks.len()).for_each(|check| check.is_valid = false);
        let references = declared.references.iter_mut().skip(info.declared.references.len());
        references.for_each(|reference| reference.is_valid = false);
        if declared.keys.len() > info.declared.keys.len() {
            let what = if declared.keys.iter().any(|key| key.primary && !info.declared.keys.contains(key)) {
                "PRIMARY KEY"
            } else {
                "UNIQUE"
            };
            let message = format!("{what} constraints cannot be marked NOT VALID");
            return Err(Error::new(ErrorKind::Unsupported, message).at(position));
        }
    }
    Ok(Added { fields, declared, sequences, is_volatile })
}

/// Whether a kept expression may have another value in each row.
fn is_volatile(binder: &mut Binder<'_, '_>, text: &str, declared: &Declared) -> Result<bool> {
    binder.as_kept(text, declared, |binder, value| {
        let bound = binder.bind_expression(value, &Scope::empty(None, Clause::Default))?;
        Ok(effects(&bound).volatile)
    })
}

/// What a table is declared with once a column has a default.
pub fn default_set(
    catalog: &dyn Catalog,
    altering: &Altering,
    (column, value): (usize, &ast::Expr),
    info: &TableInfo,
) -> Result<Declared> {
    let mut declared = Declared::clone(&info.declared);
    let mut builder = Builder::new(catalog, view_rows, &[], true);
    builder.keep_notes();
    let mut binder = Binder::moved(&mut builder, &altering.text, &altering.moves);
    let text = binder.default_text(value, &info.declared_field(column))?;
    binder.keep_names(&mut declared);
    declared.set_default(column, Some(text), info.fields.len());
    Ok(declared)
}

/// What ALTER COLUMN TYPE makes of a column of a table, whose rows are `given` with the table's columns as they are.
pub fn retyped(
    catalog: &dyn Catalog,
    altering: &Altering,
    (column, change): (usize, &Alteration),
    info: &TableInfo,
    given: &Arc<TableInfo>,
) -> Result<Retyped> {
    let Alteration::SetType { data_type, using, position, .. } = change else {
        return Err(Error::internal("what retypes nothing was bound as a new type"));
    };
    let mut builder = Builder::new(catalog, view_rows, &[], true);
    let mut binder = Binder::moved(&mut builder, &altering.text, &altering.moves);
    let position = position.map(|position| altering.moves.original(position));
    let of = binder.data_type(data_type, position)?;
    let mut fields = info.declared.fields(&info.fields);
    let name = fields[column].name.clone();
    fields[column].data_type = of;
    let mut declared = Declared::clone(&info.declared);
    declared.retype(column, of, restriction(data_type), fields.len());
    binder.check_retyped((&info.name, column), &fields, &mut declared)?;

    let from = binder.builder.scan(Arc::clone(given), info.name.clone());
    let (relation, scope) = from.into_scope(None, Clause::Transform);
    let value = match using {
        Some(using) => binder.alone(using, &scope, "transform expression").map_err(|error| {
            match error.message().starts_with("a subquery") {
                true => Error::new(ErrorKind::Unsupported, "cannot use subquery in transform expression")
                    .at(error.position()),
                false => error,
            }
        })?,
        None => binder.bind_expression(&ast::Expr::Identifier(ast::Ident::with_quote('"', name.clone())), &scope)?,
    };
    let restriction = declared.restrictions.get(column).copied().flatten();
    let cast = binder.builder.coerce_restricted(value, of, restriction, Coercion::Assignment);
    let value = cast.map_err(|error| cannot_cast(error, (&name, of), using.is_some(), position))?;
    let id = binder.builder.columns.add(name.clone(), of, may_be_null(&value));
    let rows = (Arc::new(Relation::Project { input: relation, columns: vec![(id, value)] }), vec![(name, id)]);
    Ok(Retyped { fields, declared, values: builder.finish(rows) })
}

fn cannot_cast(error: Error, (name, of): (&str, DataType), has_using: bool, position: Option<Position>) -> Error {
    if error.kind() != ErrorKind::TypeMismatch {
        return error;
    }
    let message = match has_using {
        true => format!("result of USING clause for column \"{name}\" cannot be cast automatically to type {of}"),
        false => format!("column \"{name}\" cannot be cast automatically to type {of}"),
    };
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
    let shown = if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) };
    let hint = match has_using {
        true => "You might need to add an explicit cast.".to_owned(),
        false => format!("You might need to specify \"USING {shown}::{of}\"."),
    };
    Error::new(ErrorKind::TypeMismatch, message).with_hint(hint).at(position)
}

impl Binder<'_, '_> {
    /// Binds what a table is declared with once more where a column has another type, which indexes are of then.
    fn check_retyped(
        &mut self,
        (table, column): (&str, usize),
        fields: &[Field],
        declared: &mut Declared,
    ) -> Result<()> {
        let of = fields[column].data_type;
        for key in declared.keys.iter().filter(|key| key.columns.contains(&column)) {
            let _ = key;
            crate::sql::constraint::check_indexed(of, "btree")?;
        }
        if let Some(text) = declared.default_text(column).cloned() {
            let known = declared.clone();
            self.as_kept(&text, &known, |binder, value| {
                let scope = match known.is_stored(column) {
                    true => binder.scope_of(table, fields, Clause::Generation).1,
                    false => Scope::empty(None, Clause::Default),
                };
                let bound = binder.bind_expression(value, &scope)?;
                binder.builder.coerce(bound, of, Coercion::Assignment).map_err(|error| {
                    if error.kind() != ErrorKind::TypeMismatch {
                        return error;
                    }
                    let name = &fields[column].name;
                    let message = format!("default for column \"{name}\" cannot be cast automatically to type {of}");
                    Error::new(ErrorKind::TypeMismatch, message)
                })
            })?;
        }
        let known = declared.clone();
        for check in known.checks.iter().filter(|check| check.columns.contains(&column)) {
            let (_, scope) = self.scope_of(table, fields, Clause::Check);
            self.as_kept(&check.condition, &known, |binder, value| {
                let bound = binder.bind_expression(value, &scope)?;
                binder.builder.coerce_condition(bound, "CHECK")
            })?;
        }
        for index in &mut declared.indexes {
            for part in &mut index.parts {
                if part.column == Some(column) {
                    part.data_type = of;
                } else if part.column.is_none() {
                    let (_, scope) = self.scope_of(table, fields, Clause::Index);
                    part.data_type = self.as_kept(&part.expression, &known, |binder, value| {
                        binder.bind_expression(value, &scope).map(|bound| bound.data_type)
                    })?;
                }
                crate::sql::constraint::check_indexed(part.data_type, &index.method)?;
            }
        }
        Ok(())
    }

    /// Binds a kept text, in which the names of types mean what they did when it was kept.
    fn as_kept<T>(
        &mut self,
        text: &str,
        declared: &Declared,
        bind: impl FnOnce(&mut Self, &ast::Expr) -> Result<T>,
    ) -> Result<T> {
        let value = parse_expression(text)?;
        let names = View { names: declared.names.clone(), ..View::of_text(text.to_owned()) };
        let (own, meaning) = (self.text.take(), self.builder.mean(Some(Arc::new(names))));
        let bound = bind(self, &value);
        self.text = own;
        self.builder.mean(meaning);
        bound
    }
}

/// Whether the query of a view needs a column of a table that it names, by the table's name as it is now: it is bound as it is, and
/// without the column.
pub fn reads_column(
    catalog: &dyn Catalog,
    name: &TableName,
    view: &Arc<View>,
    (table, column): (&TableName, usize),
) -> bool {
    let mut without = View::clone(view);
    let mut is_there = false;
    for meant in without.names.iter_mut().filter(|meant| meant.now == *table) {
        if let Some(named) = meant.columns.as_mut().and_then(|columns| columns.get_mut(column)) {
            GONE.clone_into(named);
            is_there = true;
        }
    }
    if !is_there {
        return false;
    }
    let bound = |view: &Arc<View>| {
        let query = view_as_query(catalog, name, view, true).ok()?;
        Some(format!("{:?} {:?}", query.relation, query.output))
    };
    let (with, without) = (bound(view), bound(&Arc::new(without)));
    with.is_none() || with != without
}
