//! Columns that make their own values: `serial`, GENERATED … AS IDENTITY, and GENERATED ALWAYS AS (…) STORED. What an IDENTITY gives is a
//! default; a STORED column is computed last, of the row as it is to be, whatever gives the other columns.

use super::binder::Binder;
use super::constraint::{TableClauses, columns_in};
use super::definition::{ColumnSequence, SequenceOptions, identity_options};
use super::forms::IDENTITY_OPTIONS;
use super::kept::without_table;
use super::parse::parse_expression;
use crate::catalog::{Generated, TableInfo, View};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::builder::{Clause, FromItem, Rows, may_be_null};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use crate::types::{DataType, Field};
use crate::value::Value;
use sqlparser::ast::{self, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::sync::Arc;

/// Functions whose values follow the clock or the session's settings, and are none of what a STORED column may be made of.
const STABLE: [&str; 26] = [
    "now",
    "current_timestamp",
    "current_date",
    "current_time",
    "localtime",
    "localtimestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "clock_timestamp",
    "timeofday",
    "current_user",
    "session_user",
    "user",
    "current_role",
    "current_schema",
    "current_schemas",
    "current_database",
    "current_catalog",
    "current_setting",
    "to_char",
    "to_date",
    "concat",
    "concat_ws",
    "format",
    "array_to_string",
    "txid_current",
];

/// What INSERT says of columns with an IDENTITY.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Overriding {
    /// Nothing.
    #[default]
    None,
    /// OVERRIDING SYSTEM VALUE: given values count.
    System,
    /// OVERRIDING USER VALUE: they do not.
    User,
}

/// The type of a column that is declared as `serial` or its kin.
pub(super) fn serial_type(data_type: &ast::DataType) -> Option<DataType> {
    let ast::DataType::Custom(name, modifiers) = data_type else { return None };
    let [part] = name.0.as_slice() else { return None };
    let word = part.as_ident().filter(|_| modifiers.is_empty()).map(Binder::fold)?;
    match word.as_str() {
        "smallserial" | "serial2" => Some(DataType::SmallInt),
        "serial" | "serial4" => Some(DataType::Integer),
        "bigserial" | "serial8" => Some(DataType::BigInt),
        _ => None,
    }
}

/// A column's IDENTITY or expression, as it is read.
pub(super) struct Generation<'c> {
    column: usize,
    kind: Generated,
    /// Of an IDENTITY.
    options: SequenceOptions,
    /// Of a STORED column.
    value: Option<&'c ast::Expr>,
}

impl<'c> TableClauses<'c> {
    /// GENERATED … of the last column.
    pub(super) fn generation(&mut self, option: &'c ast::ColumnOption, fields: &mut [Field]) -> Result<()> {
        let column = fields.len() - 1;
        let (kind, value) = match option {
            ast::ColumnOption::Generated { generated_as, generation_expr: None, .. } => match generated_as {
                ast::GeneratedAs::ByDefault => (Generated::ByDefault, None),
                _ => (Generated::Always, None),
            },
            ast::ColumnOption::Generated {
                generation_expr: Some(value),
                generation_expr_mode: Some(ast::GeneratedExpressionMode::Stored),
                generated_keyword: true,
                ..
            } => (Generated::Stored, Some(value)),
            other => return Err(Error::unsupported(format_args!("{other} of a column is"))),
        };
        let field = &mut fields[column];
        if self.generations.iter().any(|of| of.column == column) {
            let (name, table) = (&field.name, self.table);
            let message = format!("multiple identity specifications for column \"{name}\" of table \"{table}\"");
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        if kind != Generated::Stored {
            if !field.data_type.is_integer() {
                let message = "identity column type must be smallint, integer, or bigint";
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
            field.nullable = false;
        }
        self.generations.push(Generation { column, kind, options: SequenceOptions::default(), value });
        Ok(())
    }

    /// The options of the last column's IDENTITY, which a comment stands for.
    pub(super) fn identity_options(&mut self, comment: &str) -> Result<bool> {
        let Some(text) = comment.strip_prefix(IDENTITY_OPTIONS) else { return Ok(false) };
        if let Some(last) = self.generations.last_mut() {
            last.options = identity_options(text)?;
            if last.options.data_type.is_some() {
                // It is the column's.
                return Err(Error::new(ErrorKind::Syntax, "conflicting or redundant options"));
            }
        }
        Ok(true)
    }

    /// A column of a serial type.
    pub(super) fn serial(&mut self, data_type: DataType, fields: &mut [Field]) {
        let column = fields.len() - 1;
        fields[column].nullable = false;
        let options = SequenceOptions { data_type: Some(data_type), ..SequenceOptions::default() };
        self.sequences.push(ColumnSequence { column, is_identity: false, options });
    }
}

impl Binder<'_, '_> {
    /// Binds what new columns make their values of: which do, of those that are `known` to, too, the expressions of those that are
    /// STORED, and the sequences of the others.
    pub(super) fn generated_columns(
        &mut self,
        said: &mut TableClauses<'_>,
        table: &str,
        (fields, known): (&[Field], &[Option<Generated>]),
        defaults: &mut Vec<Option<Arc<str>>>,
    ) -> Result<Vec<Option<Generated>>> {
        let mut generated = known.to_vec();
        generated.resize(fields.len(), None);
        let both = |first: &str, second: &str, column: usize| {
            let name = &fields[column].name;
            let message = format!("both {first} and {second} specified for column \"{name}\" of table \"{table}\"");
            Err(Error::new(ErrorKind::Syntax, message))
        };
        for Generation { column, kind, .. } in &said.generations {
            generated[*column] = Some(*kind);
            let has_sequence = said.sequences.iter().any(|of| of.column == *column);
            let has_default = defaults.get(*column).is_some_and(Option::is_some) || has_sequence;
            match kind {
                Generated::Stored if has_default => return both("default", "generation expression", *column),
                Generated::Stored => {}
                _ if has_default => return both("default", "identity", *column),
                _ => {}
            }
        }
        for Generation { column, kind, options, value } in std::mem::take(&mut said.generations) {
            match value {
                Some(value) => {
                    defaults.resize(fields.len(), None);
                    let text = self.generation_text(value, (table, column), fields, &generated)?;
                    defaults[column] = Some(text);
                }
                None => {
                    let data_type = Some(fields[column].data_type);
                    let options = SequenceOptions { data_type, ..options };
                    said.sequences.push(ColumnSequence { column, is_identity: kind != Generated::Stored, options });
                }
            }
        }
        said.sequences.sort_by_key(|of| of.column);
        Ok(if generated.iter().all(Option::is_none) { Vec::new() } else { generated })
    }

    /// The text of a STORED column's expression.
    fn generation_text(
        &mut self,
        value: &ast::Expr,
        (table, column): (&str, usize),
        fields: &[Field],
        generated: &[Option<Generated>],
    ) -> Result<Arc<str>> {
        const WHAT: &str = "column generation expression";
        let position = self.position(value.span());
        let (ids, scope) = self.scope_of(table, fields, Clause::Generation);
        let bound = self.alone(value, &scope, WHAT)?;
        let wrong = |message: String| Error::new(ErrorKind::InvalidObjectDefinition, message).at(position);
        let reads = columns_in(&bound, &ids);
        if let Some(&other) = reads.iter().find(|&&other| generated[other] == Some(Generated::Stored)) {
            let message = format!("cannot use generated column \"{}\" in {WHAT}", fields[other].name);
            return Err(wrong(message).with_detail("A generated column cannot reference another generated column."));
        }
        if !is_immutable(&bound, value) {
            return Err(wrong("generation expression is not immutable".to_owned()));
        }
        let field = &fields[column];
        self.default_value(bound, field).map_err(|error| error.at(position))?;
        let text = without_table(&self.kept_text(fields, value, Some(field.data_type)), table);
        parse_expression(&text)?;
        Ok(text.into())
    }

    /// 428C9 for a value that INSERT gives for a column that makes its own.
    pub(super) fn check_given(&self, info: &TableInfo, column: usize, overriding: Overriding) -> Result<()> {
        let detail = match info.declared.generated(column) {
            Some(Generated::Always) if overriding == Overriding::None => {
                "is an identity column defined as GENERATED ALWAYS."
            }
            Some(Generated::Stored) => "is a generated column.",
            _ => return Ok(()),
        };
        let name = &info.fields[column].name;
        let message = format!("cannot insert a non-DEFAULT value into column \"{name}\"");
        let error = Error::new(ErrorKind::GeneratedAlways, message);
        let error = error.with_detail(format!("Column \"{name}\" {detail}"));
        Err(match info.declared.generated(column) {
            Some(Generated::Always) => error.with_hint("Use OVERRIDING SYSTEM VALUE to override."),
            _ => error,
        })
    }

    /// 428C9 for a value that UPDATE gives for a column that makes its own.
    pub(super) fn check_set(&self, info: &TableInfo, column: usize) -> Result<()> {
        let detail = match info.declared.generated(column) {
            Some(Generated::Always) => "is an identity column defined as GENERATED ALWAYS.",
            Some(Generated::Stored) => "is a generated column.",
            _ => return Ok(()),
        };
        let name = &info.fields[column].name;
        let error = Error::new(ErrorKind::GeneratedAlways, format!("column \"{name}\" can only be updated to DEFAULT"));
        Err(error.with_detail(format!("Column \"{name}\" {detail}")))
    }

    /// The values of a table's STORED columns, of rows that have its other columns as `own`; of those alone that read one of `set`,
    /// if that is said.
    pub(super) fn stored_values(
        &mut self,
        info: &TableInfo,
        own: &[ColumnId],
        set: Option<&[usize]>,
    ) -> Result<Vec<(usize, Expression)>> {
        let mut values = Vec::new();
        let stored = (0..info.fields.len()).filter(|&column| info.declared.is_stored(column));
        for column in stored.collect::<Vec<_>>() {
            let Some(text) = info.declared.default_text(column) else { continue };
            let value = parse_expression(text)?;
            let named = info.fields.iter().map(|field| field.name.clone()).zip(own.iter().copied()).collect();
            let nothing = Arc::new(Relation::Values { columns: Vec::new(), rows: Vec::new() });
            let scope = FromItem::table((nothing, named), info.name.clone()).into_scope(None, Clause::Generation).1;
            let names = View { names: info.declared.names.clone(), ..View::of_text(text.to_string()) };
            let (around, meaning) = (self.text.take(), self.builder.mean(Some(Arc::new(names))));
            let bound = self.bind_expression(&value, &scope);
            self.text = around;
            self.builder.mean(meaning);
            let bound = bound?;
            let is_set = |set: &[usize]| columns_in(&bound, own).iter().any(|column| set.contains(column));
            if set.is_none_or(is_set) {
                values.push((column, self.assign(bound, (info, column), None)?));
            }
        }
        Ok(values)
    }

    /// Rows of all of a table's columns with those that are STORED computed.
    pub(super) fn with_stored(&mut self, (input, output): Rows, info: &TableInfo) -> Result<Rows> {
        if !(0..info.fields.len()).any(|column| info.declared.is_stored(column)) {
            return Ok((input, output));
        }
        let own: Vec<ColumnId> = output.iter().map(|(_, id)| *id).collect();
        let values = self.stored_values(info, &own, None)?;
        let (mut columns, mut computed) = (Vec::with_capacity(output.len()), Vec::with_capacity(output.len()));
        let mut values = values.into_iter().peekable();
        for (column, (name, id)) in output.into_iter().enumerate() {
            let (id, value) = match values.next_if(|(of, _)| *of == column) {
                Some((_, value)) => {
                    (self.builder.columns.add(name.clone(), value.data_type, may_be_null(&value)), value)
                }
                None => (id, self.builder.columns.reference(id)),
            };
            columns.push((id, value));
            computed.push((name, id));
        }
        Ok((Arc::new(Relation::Project { input, columns }), computed))
    }
}

/// The next value of a column's own sequence, which nobody needs a right to.
pub(super) fn of_identity(bound: Expression) -> Expression {
    match bound.kind {
        ExpressionKind::Call(Function::NextValue, mut arguments) => {
            arguments.push(Expression::constant(Value::Boolean(true), DataType::Boolean));
            Expression::call(Function::NextValue, arguments, DataType::BigInt)
        }
        kind => Expression { kind, ..bound },
    }
}

/// Whether an expression, as it was bound and as it is written, has the same value for the same columns at all times.
pub(super) fn is_immutable(bound: &Expression, written: &ast::Expr) -> bool {
    !varies(bound) && !names_stable(&written.to_string())
}

/// Whether an expression may have another value for the same columns.
fn varies(bound: &Expression) -> bool {
    let own = match &bound.kind {
        ExpressionKind::Call(function, _) => {
            !function.is_immutable() || matches!(function, Function::InZone | Function::OfZone | Function::AddInZone)
        }
        ExpressionKind::Subquery(_) => true,
        _ => false,
    };
    own || bound.children().into_iter().any(varies)
}

/// Whether a text names something that follows the clock or the session.
fn names_stable(text: &str) -> bool {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize().unwrap_or_default();
    let is_alone = |name: &str| name.starts_with("current_") || name.starts_with("local") || name.ends_with("user");
    tokens.iter().enumerate().any(|(at, token)| match token {
        Token::Word(word) if word.quote_style.is_none() => {
            let name = word.value.to_ascii_lowercase();
            let is_call = tokens.get(at + 1) == Some(&Token::LParen);
            STABLE.contains(&name.as_str()) && (is_call || is_alone(&name))
        }
        _ => false,
    })
}
