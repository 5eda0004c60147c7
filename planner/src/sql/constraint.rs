//! What CREATE TABLE says of a table besides its columns' types: keys, defaults, checks and references, of columns and of the
//! table. First all of it is read ([`TableClauses`]), then, when all columns are known, it is bound, named as PostgreSQL names it, and
//! expressions become text (`kept`).

use super::binder::Binder;
use super::definition::ColumnSequence;
use super::generated::{Generation, of_identity};
use super::kept::without_table;
use super::parse::parse_expression;
use crate::catalog::{
    Action, CatalogEntry, Check, Declared, Deferral, Key, Meant, Reference, Right, TableInfo, TableName, View,
};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{Clause, Coercion, FromItem, Need, Scope, with_cast_hint};
use crate::relation::visit::for_each_column;
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::{DataType, Field};
use crate::value::Value;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// Bytes of a name that are kept.
const NAME_MAX: usize = 63;

/// The constraints and defaults of a CREATE TABLE, as they are read.
#[derive(Default)]
pub(super) struct TableClauses<'c> {
    /// The table's name.
    pub(super) table: &'c str,
    keys: Vec<Key>,
    /// The default of a column.
    defaults: Vec<(usize, &'c ast::Expr)>,
    checks: Vec<(Option<String>, &'c ast::Expr)>,
    references: Vec<(Option<String>, Vec<usize>, &'c ast::ForeignKeyConstraint)>,
    /// Columns that make their own values.
    pub(super) generations: Vec<Generation<'c>>,
    /// The sequences of columns.
    pub(super) sequences: Vec<ColumnSequence>,
}

impl<'c> TableClauses<'c> {
    /// Nothing said of a table.
    pub(super) fn of(table: &'c str) -> Self {
        TableClauses { table, ..TableClauses::default() }
    }

    /// An option of the last column.
    pub(super) fn column_option(
        &mut self,
        (name, option): (Option<&ast::Ident>, &'c ast::ColumnOption),
        fields: &mut [Field],
    ) -> Result<()> {
        let column = fields.len() - 1;
        let name = name.map(Binder::fold);
        let key = |own: &Option<ast::Ident>, primary, nulls_equal| {
            let name = own.as_ref().map(Binder::fold).or(name.clone()).unwrap_or_default();
            Key { name, columns: vec![column], primary, nulls_equal, is_index: false }
        };
        match option {
            ast::ColumnOption::Null if self.sequences.iter().any(|of| of.column == column) => {
                let (name, table) = (&fields[column].name, self.table);
                let message =
                    format!("conflicting NULL/NOT NULL declarations for column \"{name}\" of table \"{table}\"");
                return Err(Error::new(ErrorKind::Syntax, message));
            }
            ast::ColumnOption::Null => {}
            ast::ColumnOption::NotNull => fields[column].nullable = false,
            ast::ColumnOption::PrimaryKey(of) if is_plain_primary(of) && of.columns.is_empty() => {
                check_indexed(fields[column].data_type, "btree")?;
                self.keys.push(key(&of.name, true, false));
            }
            ast::ColumnOption::Unique(of) if is_plain_unique(of) && of.columns.is_empty() => {
                check_indexed(fields[column].data_type, "btree")?;
                self.keys.push(key(&of.name, false, of.nulls_distinct == ast::NullsDistinctOption::NotDistinct));
            }
            ast::ColumnOption::Default(value) => {
                let has_sequence = self.sequences.iter().any(|of| of.column == column);
                if has_sequence || self.defaults.iter().any(|(of, _)| *of == column) {
                    let (name, table) = (&fields[column].name, self.table);
                    let message =
                        format!("multiple default values specified for column \"{name}\" of table \"{table}\"");
                    return Err(Error::new(ErrorKind::Syntax, message));
                }
                self.defaults.push((column, value));
            }
            ast::ColumnOption::Check(check) if is_plain_check(check) => {
                self.checks.push((check.name.as_ref().map(Binder::fold).or(name), &check.expr));
            }
            ast::ColumnOption::ForeignKey(of) => {
                self.references.push((of.name.as_ref().map(Binder::fold).or(name), vec![column], of));
            }
            ast::ColumnOption::Generated { .. } => self.generation(option, fields)?,
            ast::ColumnOption::Comment(text) if self.identity_options(text)? => {}
            other => return Err(Error::unsupported(format_args!("{other} of a column is"))),
        }
        Ok(())
    }

    /// A key, as another table has it.
    pub(super) fn push_key(&mut self, key: Key) {
        self.keys.push(key);
    }

    /// A constraint of a table.
    pub(super) fn table_constraint(
        &mut self,
        binder: &Binder<'_, '_>,
        constraint: &'c ast::TableConstraint,
        fields: &[Field],
    ) -> Result<()> {
        match constraint {
            ast::TableConstraint::PrimaryKey(key) if is_plain_primary(key) => {
                let columns = binder.key_columns(&key.columns, fields, "primary key")?;
                let name = key.name.as_ref().map(Binder::fold).unwrap_or_default();
                self.keys.push(Key { name, columns, primary: true, nulls_equal: false, is_index: false });
            }
            ast::TableConstraint::Unique(key) if is_plain_unique(key) => {
                let columns = binder.key_columns(&key.columns, fields, "unique")?;
                let nulls_equal = key.nulls_distinct == ast::NullsDistinctOption::NotDistinct;
                let name = key.name.as_ref().map(Binder::fold).unwrap_or_default();
                self.keys.push(Key { name, columns, primary: false, nulls_equal, is_index: false });
            }
            ast::TableConstraint::Check(check) if is_plain_check(check) => {
                self.checks.push((check.name.as_ref().map(Binder::fold), &check.expr));
            }
            ast::TableConstraint::ForeignKey(of) if of.index_name.is_none() => {
                let column = |ident| binder.named_column(ident, fields, "referenced in foreign key constraint");
                let columns = of.columns.iter().map(column).collect::<Result<_>>()?;
                self.references.push((of.name.as_ref().map(Binder::fold), columns, of));
            }
            other => return Err(Error::unsupported(format_args!("constraint {other} is"))),
        }
        Ok(())
    }
}

impl Binder<'_, '_> {
    /// Binds and names what is said of a table; gives the sequences of its columns.
    pub(super) fn declare(
        &mut self,
        mut said: TableClauses<'_>,
        table: &TableName,
        temporary: bool,
        fields: &mut [Field],
        declared: &mut Declared,
    ) -> Result<Vec<ColumnSequence>> {
        let mut names = Names { table: &table.name, taken: declared.constraint_names() };
        if let Some(key) = said.keys.iter().find(|key| declared.keys.iter().any(|known| known.name == key.name)) {
            let message = format!("relation \"{}\" already exists", key.name);
            return Err(Error::new(ErrorKind::DuplicateTable, message));
        }
        names.explicit(said.keys.iter().map(|key| &key.name).filter(|name| !name.is_empty()))?;
        names.explicit(said.checks.iter().filter_map(|(name, _)| name.as_ref()))?;
        names.explicit(said.references.iter().filter_map(|(name, ..)| name.as_ref()))?;
        names.taken.extend(declared.index_names());
        let mut keys = std::mem::take(&mut said.keys);
        if declared.keys.iter().chain(&keys).filter(|key| key.primary).count() > 1 {
            let message = format!("multiple primary keys for table \"{}\" are not allowed", table.name);
            return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
        }
        finish_keys(&mut names, fields, &mut keys);
        declared.keys.extend(keys);
        declared.keys.sort_by_key(|key| !key.primary);
        if !said.defaults.is_empty() {
            declared.defaults.resize(fields.len(), None);
        }
        for (column, value) in std::mem::take(&mut said.defaults) {
            declared.defaults[column] = Some(self.default_text(value, &fields[column])?);
        }
        let known = (&*fields, &declared.generated[..]);
        let made = self.generated_columns(&mut said, &table.name, known, &mut declared.defaults)?;
        if !made.is_empty() {
            declared.generated.resize(fields.len(), None);
            declared.generated.iter_mut().zip(made).for_each(|(known, made)| *known = made.or(*known));
        }
        let sequences = std::mem::take(&mut said.sequences);
        for (name, condition) in said.checks {
            declared.checks.push(self.check(name, condition, fields, &mut names)?);
        }
        for (name, columns, of) in said.references {
            let own = (table, temporary, &*fields, &declared.keys[..]);
            let reference = self.reference(name, columns, of, own, &mut names)?;
            declared.references.push(reference);
        }
        self.keep_names(declared);
        Ok(sequences)
    }

    /// Keeps what the names of types in texts that have been kept stand for.
    pub(super) fn keep_names(&mut self, declared: &mut Declared) {
        // In a kept text a type has no schema.
        for Need { name: now, columns: _ } in self.builder.take_notes().needs {
            for written in [now.clone(), TableName::from(now.name.as_str())] {
                if !declared.names.iter().any(|known| known.written == written) {
                    declared.names.push(Meant { written, now: now.clone(), then: now.clone(), columns: None });
                }
            }
        }
    }

    /// The columns of a key, by position.
    pub(super) fn key_columns(&self, columns: &[ast::IndexColumn], fields: &[Field], kind: &str) -> Result<Vec<usize>> {
        let mut positions = Vec::new();
        for column in columns {
            let index = self.key_column(column, fields)?;
            if positions.contains(&index) {
                let message = format!("column \"{}\" appears twice in {kind} constraint", fields[index].name);
                return Err(Error::new(ErrorKind::DuplicateColumn, message));
            }
            positions.push(index);
        }
        Ok(positions)
    }

    fn key_column(&self, column: &ast::IndexColumn, fields: &[Field]) -> Result<usize> {
        let plain = ast::OrderByOptions { sort: None, nulls_first: None };
        let ast::IndexColumn {
            column: ast::OrderByExpr { expr: ast::Expr::Identifier(ident), options, with_fill: None },
            operator_class: None,
        } = column
        else {
            return Err(Error::unsupported("a key over more than columns is"));
        };
        if *options != plain {
            return Err(Error::unsupported("an order in a key is").at(self.position(ident.span)));
        }
        let column = self.named_column(ident, fields, "named in key")?;
        check_indexed(fields[column].data_type, "btree").map_err(|error| error.at(self.position(ident.span)))?;
        Ok(column)
    }

    fn named_column(&self, ident: &ast::Ident, fields: &[Field], where_named: &str) -> Result<usize> {
        let name = Self::fold(ident);
        fields.iter().position(|field| field.name == name).ok_or_else(|| {
            let message = format!("column \"{name}\" {where_named} does not exist");
            Error::new(ErrorKind::UnknownColumn, message).at(self.position(ident.span))
        })
    }

    /// The text of a column's default; what it names is seen to be right.
    pub(super) fn default_text(&mut self, value: &ast::Expr, field: &Field) -> Result<Arc<str>> {
        let position = self.position(value.span());
        let bound = self.alone(value, &Scope::empty(None, Clause::Default), "DEFAULT expression");
        let bound = bound.map_err(|error| match error.kind() {
            ErrorKind::UnknownColumn => {
                Error::new(ErrorKind::Unsupported, "cannot use column reference in DEFAULT expression")
                    .at(error.position())
            }
            _ => error,
        })?;
        self.default_value(bound, field).map_err(|error| error.at(position))?;
        let text = self.kept_text(&[], value, Some(field.data_type));
        parse_expression(&text)?;
        Ok(text.into())
    }

    /// A default as a value of its column's type.
    pub(super) fn default_value(&mut self, value: Expression, field: &Field) -> Result<Expression> {
        let from = value.data_type;
        self.builder.coerce(value, field.data_type, Coercion::Assignment).map_err(|error| {
            if error.kind() != ErrorKind::TypeMismatch {
                return error;
            }
            let Field { name, data_type, .. } = field;
            let message = format!("column \"{name}\" is of type {data_type} but default expression is of type {from}");
            Error::new(ErrorKind::TypeMismatch, message).with_hint("You will need to rewrite or cast the expression.")
        })
    }

    /// What an INSERT puts into a column that it leaves out; NULL into one that is computed of the others, later.
    pub(super) fn default_of(&mut self, info: &TableInfo, column: usize) -> Result<Expression> {
        let field = info.declared_field(column);
        let text = info.declared.default_text(column).filter(|_| !info.declared.is_stored(column));
        let Some(text) = text else {
            return Ok(Expression::constant(Value::Null, field.data_type));
        };
        let value = parse_expression(text)?;
        let names = View { names: info.declared.names.clone(), ..View::of_text(text.to_string()) };
        let (text, meaning) = (self.text.take(), self.builder.mean(Some(Arc::new(names))));
        let bound = self.bind_expression(&value, &Scope::empty(None, Clause::Default));
        self.text = text;
        self.builder.mean(meaning);
        if info.declared.generated(column).is_some() { bound.map(of_identity) } else { bound }
    }

    fn check(
        &mut self,
        name: Option<String>,
        condition: &ast::Expr,
        fields: &[Field],
        names: &mut Names<'_>,
    ) -> Result<Check> {
        let (ids, scope) = self.scope_of(names.table, fields, Clause::Check);
        let bound = self.alone(condition, &scope, "check constraint")?;
        let bound = self.builder.coerce_condition(bound, "CHECK")?;
        let columns = columns_in(&bound, &ids);
        let text = without_table(&self.kept_text(fields, condition, None), names.table);
        let again = parse_expression(&text)?;
        let around = self.text.take();
        let bound = self.bind_expression(&again, &scope);
        self.text = around;
        bound?;
        let only = if let [only] = columns[..] { fields[only].name.as_str() } else { "" };
        let name = name.unwrap_or_else(|| names.choose(only, "check"));
        Ok(Check { name, condition: text.into(), columns, is_valid: true })
    }

    /// A scope of a table's columns, which have no rows.
    pub(super) fn scope_of(
        &mut self,
        table: &str,
        fields: &[Field],
        clause: Clause,
    ) -> (Vec<ColumnId>, Scope<'static>) {
        let add = |field: &Field| {
            let id = self.builder.columns.add(field.name.clone(), field.data_type, true);
            (field.name.clone(), id)
        };
        let columns: Vec<_> = fields.iter().map(add).collect();
        let ids = columns.iter().map(|(_, id)| *id).collect();
        let nothing = Arc::new(Relation::Values { columns: Vec::new(), rows: Vec::new() });
        (ids, FromItem::table((nothing, columns), table.to_owned()).into_scope(None, clause).1)
    }

    /// An expression that is kept: it has neither queries nor parameters.
    pub(super) fn alone(&mut self, value: &ast::Expr, scope: &Scope<'_>, what: &str) -> Result<Expression> {
        let known = self.builder.parameters.len();
        let has_query = has_query(&value.to_string());
        let bound = match has_query {
            true => Err(Error::new(ErrorKind::Unsupported, format!("cannot use subquery in {what}"))),
            false => self.bind_expression(value, scope),
        };
        let bound = bound.map_err(|error| error.at(self.position(value.span())))?;
        if self.builder.parameters.len() > known {
            let error = Error::new(ErrorKind::UnknownParameter, format!("a {what} cannot have parameters"));
            return Err(error.at(self.position(value.span())));
        }
        Ok(bound)
    }

    fn reference(
        &mut self,
        name: Option<String>,
        columns: Vec<usize>,
        of: &ast::ForeignKeyConstraint,
        (table, temporary, fields, keys): (&TableName, bool, &[Field], &[Key]),
        names: &mut Names<'_>,
    ) -> Result<Reference> {
        refuse_of_reference(of, columns.len())?;
        let position = self.position(of.foreign_table.span());
        let to = self.object_name(&of.foreign_table)?;
        // It is there when it is looked for.
        let (to_fields, to_keys) = if to == *table {
            (fields.to_vec(), keys.to_vec())
        } else {
            let info = self.referenced_table(&to, position)?;
            if temporary != (to.schema.as_deref() == Some("pg_temp")) && to.schema.is_some() {
                let which = if temporary { "temporary" } else { "permanent" };
                let message = format!("constraints on {which} tables may reference only {which} tables");
                return Err(Error::new(ErrorKind::InvalidTableDefinition, message).at(position));
            }
            (info.declared.fields(&info.fields), info.declared.keys.clone())
        };
        let own: Vec<&str> = columns.iter().map(|&column| fields[column].name.as_str()).collect();
        let name = name.unwrap_or_else(|| names.choose(&own.join("_"), "fkey"));
        let referenced = self.referenced_columns(of, &to, &to_fields, &to_keys)?;
        if referenced.len() != columns.len() {
            let message = "number of referencing and referenced columns for foreign key disagree";
            return Err(Error::new(ErrorKind::InvalidForeignKey, message).at(position));
        }
        for (&own, &other) in columns.iter().zip(&referenced) {
            let [own, other] = [&fields[own], &to_fields[other]];
            let null = |field: &Field| Expression::constant(Value::Null, field.data_type);
            self.builder.compare(Function::Equal, null(own), null(other)).map_err(|_| {
                let message = format!("foreign key constraint \"{name}\" cannot be implemented");
                Error::new(ErrorKind::TypeMismatch, message).at(position).with_detail(format!(
                    "Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.",
                    own.name, other.name, own.data_type, other.data_type
                ))
            })?;
        }
        let action = |action: Option<ast::ReferentialAction>| match action {
            None | Some(ast::ReferentialAction::NoAction) => Action::NoAction,
            Some(ast::ReferentialAction::Restrict) => Action::Restrict,
            Some(ast::ReferentialAction::Cascade) => Action::Cascade,
            Some(ast::ReferentialAction::SetNull) => Action::SetNull,
            Some(ast::ReferentialAction::SetDefault) => Action::SetDefault,
        };
        let (on_delete, on_update) = (action(of.on_delete), action(of.on_update));
        let deferral = deferral(of.characteristics.as_ref());
        Ok(Reference { name, columns, table: to, referenced, on_delete, on_update, is_valid: true, deferral })
    }

    fn referenced_table(&self, name: &TableName, position: Option<Position>) -> Result<Arc<TableInfo>> {
        self.builder.catalog.check_right(name, Right::References, None).map_err(|error| error.at(position))?;
        match self.builder.catalog.entry(name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.materialized.is_none() && !info.declared.is_sequence => {
                Ok(info)
            }
            Some(_) => {
                let message = format!("referenced relation \"{}\" is not a table", name.name);
                Err(Error::new(ErrorKind::WrongObjectType, message).at(position))
            }
            None => Err(self.unknown_table(name).at(position)),
        }
    }

    /// The columns of another table that a reference names: those of a key, or of the primary one.
    fn referenced_columns(
        &self,
        of: &ast::ForeignKeyConstraint,
        to: &TableName,
        fields: &[Field],
        keys: &[Key],
    ) -> Result<Vec<usize>> {
        let position = self.position(of.foreign_table.span());
        if of.referred_columns.is_empty() {
            let primary = keys.iter().find(|key| key.primary);
            return primary.map(|key| key.columns.clone()).ok_or_else(|| {
                let message = format!("there is no primary key for referenced table \"{}\"", to.name);
                Error::new(ErrorKind::UnknownObject, message).at(position)
            });
        }
        let column = |ident| self.named_column(ident, fields, "referenced in foreign key constraint");
        let named: Vec<usize> = of.referred_columns.iter().map(column).collect::<Result<_>>()?;
        let is_all = |key: &&Key| key.columns.len() == named.len() && key.columns.iter().all(|of| named.contains(of));
        if !keys.iter().any(|key| is_all(&key)) {
            let message =
                format!("there is no unique constraint matching given keys for referenced table \"{}\"", to.name);
            return Err(Error::new(ErrorKind::InvalidForeignKey, message).at(position));
        }
        Ok(named)
    }
}

/// The columns that an expression reads, by position, in order.
pub(super) fn columns_in(bound: &Expression, ids: &[ColumnId]) -> Vec<usize> {
    let mut columns = Vec::new();
    for_each_column(bound, &mut |id| columns.extend(ids.iter().position(|of| *of == id)));
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Whether a query stands in an expression's text.
pub(super) fn has_query(text: &str) -> bool {
    use sqlparser::dialect::PostgreSqlDialect;
    use sqlparser::tokenizer::Tokenizer;
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize().unwrap_or_default();
    tokens.iter().any(|token| super::keyword::is_keyword(token, "select"))
}

/// The names of a table's constraints, as they are chosen.
pub(super) struct Names<'t> {
    pub(super) table: &'t str,
    pub(super) taken: Vec<String>,
}

impl Names<'_> {
    /// Names that are said: 42710 for one that is there already.
    fn explicit<'n>(&mut self, names: impl Iterator<Item = &'n String>) -> Result<()> {
        for name in names {
            if self.taken.contains(name) {
                let message = format!("constraint \"{name}\" for relation \"{}\" already exists", self.table);
                return Err(Error::new(ErrorKind::DuplicateObject, message));
            }
            self.taken.push(name.clone());
        }
        Ok(())
    }

    /// PostgreSQL's name: the table's, the columns', and what it is, with a number if that is taken.
    pub(super) fn choose(&mut self, columns: &str, kind: &str) -> String {
        let mut number = 0;
        loop {
            let label = if number == 0 { kind.to_owned() } else { format!("{kind}{number}") };
            let name = made_name(self.table, columns, &label);
            if !self.taken.contains(&name) {
                self.taken.push(name.clone());
                return name;
            }
            number += 1;
        }
    }
}

/// Parts of a name with `_` between; the longer of the first two is cut where that would be too long.
pub fn made_name(table: &str, columns: &str, label: &str) -> String {
    let joints = 1 + usize::from(!columns.is_empty());
    let room = NAME_MAX.saturating_sub(label.len() + joints);
    let (mut first, mut second) = (table.len(), columns.len());
    while first + second > room {
        if first > second { first -= 1 } else { second -= 1 }
    }
    let cut = |text: &str, mut length: usize| {
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        text[..length].to_owned()
    };
    match columns {
        "" => format!("{}_{label}", cut(table, first)),
        _ => format!("{}_{}_{label}", cut(table, first), cut(columns, second)),
    }
}

/// Checks that an index of a method can be over values of a type.
///
/// # Errors
/// 42704 for values that cannot be told apart.
pub(super) fn check_indexed(of: DataType, method: &str) -> Result<()> {
    if of.has_equality() {
        return Ok(());
    }
    let message = format!("data type {of} has no default operator class for access method \"{method}\"");
    let error = Error::new(ErrorKind::UnknownObject, message).with_hint(
        "You must specify an operator class for the index or define a default operator class for the data type.",
    );
    Err(with_cast_hint(error, of))
}

/// A primary key's columns are not NULL; a key without a name gets PostgreSQL's.
fn finish_keys(names: &mut Names<'_>, fields: &mut [Field], keys: &mut [Key]) {
    keys.sort_by_key(|key| !key.primary);
    for key in keys {
        if key.primary {
            key.columns.iter().for_each(|&column| fields[column].nullable = false);
        }
        if key.name.is_empty() {
            let columns: Vec<&str> = key.columns.iter().map(|&column| fields[column].name.as_str()).collect();
            key.name = if key.primary { names.choose("", "pkey") } else { names.choose(&columns.join("_"), "key") };
        }
    }
}

/// What a reference has that is not supported.
fn refuse_of_reference(of: &ast::ForeignKeyConstraint, columns: usize) -> Result<()> {
    if of.match_kind.is_some_and(|kind| match kind {
        ast::ConstraintReferenceMatchKind::Simple => false,
        // Of one column it is the same.
        ast::ConstraintReferenceMatchKind::Full => columns > 1,
        ast::ConstraintReferenceMatchKind::Partial => true,
    }) {
        return Err(Error::unsupported("MATCH FULL or PARTIAL is"));
    }
    if of.characteristics.as_ref().is_some_and(|of| of.enforced == Some(false)) {
        return Err(Error::unsupported("a NOT ENFORCED constraint is"));
    }
    let contradicts = |of: &ast::ConstraintCharacteristics| {
        of.deferrable == Some(false) && of.initially == Some(ast::DeferrableInitial::Deferred)
    };
    if of.characteristics.as_ref().is_some_and(contradicts) {
        return Err(Error::new(ErrorKind::Syntax, "constraint declared INITIALLY DEFERRED must be DEFERRABLE"));
    }
    Ok(())
}

/// When a constraint is checked.
fn deferral(of: Option<&ast::ConstraintCharacteristics>) -> Deferral {
    match of {
        Some(of) if of.initially == Some(ast::DeferrableInitial::Deferred) => Deferral::Deferred,
        Some(of) if of.deferrable == Some(true) => Deferral::Immediate,
        _ => Deferral::Never,
    }
}

fn is_plain_check(check: &ast::CheckConstraint) -> bool {
    !check.no_inherit && check.enforced != Some(false)
}

/// A primary key of nothing but columns.
fn is_plain_primary(key: &ast::PrimaryKeyConstraint) -> bool {
    let ast::PrimaryKeyConstraint {
        name: _,
        index_name,
        index_type,
        columns: _,
        include,
        index_options,
        characteristics,
    } = key;
    index_name.is_none()
        && index_type.is_none()
        && include.is_empty()
        && index_options.is_empty()
        && deferral(characteristics.as_ref()) == Deferral::Never
        && characteristics.as_ref().is_none_or(|of| of.enforced != Some(false))
}

/// A unique constraint of nothing but columns.
fn is_plain_unique(key: &ast::UniqueConstraint) -> bool {
    let ast::UniqueConstraint {
        name: _,
        index_name,
        index_type_display,
        index_type,
        columns: _,
        include,
        index_options,
        characteristics,
        nulls_distinct: _,
    } = key;
    index_name.is_none()
        && *index_type_display == ast::KeyOrIndexDisplay::None
        && index_type.is_none()
        && include.is_empty()
        && index_options.is_empty()
        && deferral(characteristics.as_ref()) == Deferral::Never
        && characteristics.as_ref().is_none_or(|of| of.enforced != Some(false))
}
