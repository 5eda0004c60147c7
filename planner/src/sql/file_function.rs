//! Files in FROM with options: `read_csv('f', delim => ';', header => true)`, `read_parquet(['f', 'g*'])`.
//!
//! Options have DuckDB's names, and COPY's where these differ; which there are is known to the format.

use super::binder::Binder;
use super::file_option::constant_of;
use crate::catalog::{FileOption, FileOptions, OptionValue};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::FromItem;
use sqlparser::ast::{self, Spanned as _};

/// Functions that read files, and of which format.
const READERS: [(&str, &str); 14] = [
    ("read_csv", "csv"),
    ("read_csv_auto", "csv"),
    ("read_parquet", "parquet"),
    ("parquet_scan", "parquet"),
    ("read_arrow", "arrow"),
    ("read_ipc", "arrow"),
    ("read_json", "json"),
    ("read_json_auto", "json"),
    ("read_ndjson", "ndjson"),
    ("read_ndjson_auto", "ndjson"),
    ("read_json_objects", "json_objects"),
    ("read_json_objects_auto", "json_objects"),
    ("read_ndjson_objects", "ndjson_objects"),
    ("read_avro", "avro"),
];

impl Binder<'_, '_> {
    /// A function that reads files; none for any other.
    pub(super) fn bind_file_function(
        &mut self,
        name: &ast::ObjectName,
        args: &[ast::FunctionArg],
    ) -> Result<Option<FromItem>> {
        let position = self.position(name.span());
        let (_, ident) = self.split_name(name)?;
        let called = Self::fold(ident);
        let Some((_, format)) = READERS.iter().find(|(reader, _)| *reader == called) else { return Ok(None) };
        let mut options = FileOptions::of_format(format);
        let mut paths = None;
        for arg in args {
            let (name, value) = match arg {
                // `name = value`, as DuckDB has it, too.
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::BinaryOp {
                    left,
                    op: ast::BinaryOperator::Eq,
                    right,
                })) if matches!(&**left, ast::Expr::Identifier(_)) => {
                    let ast::Expr::Identifier(name) = &**left else { continue };
                    (name, &ast::FunctionArgExpr::Expr((**right).clone()))
                }
                ast::FunctionArg::Named { name, arg, .. } => (name, arg),
                ast::FunctionArg::ExprNamed { name: ast::Expr::Identifier(name), arg, .. } => (name, arg),
                ast::FunctionArg::Unnamed(arg) if paths.is_none() => {
                    paths = Some(paths_of(&called, constant_of(arg, position)?).map_err(|error| error.at(position))?);
                    continue;
                }
                _ => return Err(invalid(format!("unexpected argument {arg}")).at(position)),
            };
            let position = self.position(name.span);
            let value = constant_of(value, position)?;
            options.push(FileOption { name: Self::fold(name).to_ascii_lowercase(), value, position })?;
        }
        let paths = paths.ok_or_else(|| invalid(format!("{called} needs the path of a file")).at(position))?;
        self.builder.files(&paths, &options, position).map(Some)
    }
}

/// The paths that a reader's first argument names.
fn paths_of(reader: &str, value: OptionValue) -> Result<Vec<String>> {
    let values = match value {
        OptionValue::List(values) => values,
        value => vec![value],
    };
    if values.is_empty() {
        return Err(invalid(format!("{reader} needs the path of a file, and the list is empty")));
    }
    let path = |value| match value {
        OptionValue::Text(path) => Ok(path),
        other => Err(invalid(format!("the path of a file is a text, not {other}"))),
    };
    values.into_iter().map(path).collect()
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}
