//! DESCRIBE and SUMMARIZE as tables, as `forms` marks them: with DuckDB's columns.
//!
//! What DESCRIBE gives is known when a query is bound, so it is literal rows. SUMMARIZE is a query of aggregates over the rows, one
//! for each column.

use super::binder::Binder;
use super::forms::{DESCRIBE_QUERY, DESCRIBE_TABLE, SUMMARIZE};
use super::parse::parse_query;
use super::query::Unknown;
use crate::error::{Error, Result};
use crate::evaluate::quote::identifier as quoted;
use crate::relation::builder::{FromItem, Rows, Scope};
use crate::relation::{ColumnId, Expression, Relation, computed_numerics};
use crate::types::{DataType, Field};
use crate::value::Value;
use sqlparser::ast;
use std::sync::Arc;

/// What is told of a derived table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Table,
    Query,
    Summary,
}

/// What the alias of a derived table says is told of it, and its query.
pub(super) fn told(factor: &ast::TableFactor) -> Option<(Told, &ast::Query)> {
    let ast::TableFactor::Derived { subquery, alias, .. } = factor else { return None };
    let name = &alias.as_ref()?.name;
    let told = match name.value.as_str() {
        _ if name.quote_style.is_none() => return None,
        DESCRIBE_TABLE => Told::Table,
        DESCRIBE_QUERY => Told::Query,
        SUMMARIZE => Told::Summary,
        _ => return None,
    };
    Some((told, &**subquery))
}

/// The columns of DESCRIBE, all of them texts.
const DESCRIBED: [&str; 6] = ["column_name", "column_type", "null", "key", "default", "extra"];

impl Binder<'_, '_> {
    /// What is told of a query's columns.
    pub(super) fn bind_told(&mut self, told: Told, query: &ast::Query, parent: Option<&Scope<'_>>) -> Result<FromItem> {
        let rows = self.bind_query(query, parent, Unknown::AsText)?;
        let rows = match told {
            Told::Summary => self.summary(&self.told_fields(&rows), query, parent)?,
            Told::Table | Told::Query => self.description(&rows, told),
        };
        Ok(FromItem::anonymous(rows))
    }

    /// The fields of rows; what was reckoned in decimals is a numeric.
    fn told_fields(&self, (relation, output): &Rows) -> Vec<Field> {
        let columns = &self.builder.columns;
        let field = |((name, id), computed): (&(String, ColumnId), bool)| {
            let column = columns.get(*id);
            let data_type = if computed { DataType::Numeric } else { column.data_type };
            Field::new(name.clone(), data_type, column.nullable)
        };
        output.iter().zip(computed_numerics(relation, output, columns)).map(field).collect()
    }

    fn description(&mut self, rows: &Rows, told: Told) -> Rows {
        let text = |text: Option<String>| Expression::constant(text.map_or(Value::Null, Value::text), DataType::Text);
        let table = scanned(&rows.0).filter(|(_, columns)| told == Told::Table && columns.len() == rows.1.len());
        let described = self.told_fields(rows).into_iter().enumerate().map(|(at, field)| {
            let declared = table.map(|(declared, columns)| (declared, columns[at].0));
            let key = declared.and_then(|(declared, place)| {
                let mut keys = declared.keys.iter().filter(|key| key.columns.contains(&place));
                keys.next().map(|key| if key.primary { "PRI" } else { "UNI" }.to_owned())
            });
            let default = declared.and_then(|(declared, place)| declared.default_text(place));
            let null = if field.nullable { "YES" } else { "NO" };
            let cells = [
                Some(field.name),
                Some(field.data_type.to_string()),
                Some(null.to_owned()),
                key,
                default.map(|default| default.to_string()),
                None,
            ];
            cells.map(text).to_vec()
        });
        let described = described.collect();
        self.builder.typed_values(described, &[DataType::Text; 6], |at| DESCRIBED[at].to_owned())
    }

    /// A row for each column of a query that has these.
    fn summary(&mut self, fields: &[Field], query: &ast::Query, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let names: Vec<String> = (0..fields.len()).map(|at| format!("c{at}")).collect();
        let rows: Vec<String> = fields.iter().zip(&names).map(|(field, name)| summary_of(field, name)).collect();
        let head = format!("WITH summarized ({}) AS MATERIALIZED (SELECT 1)", names.join(", "));
        let mut summary = parse_query(&format!("{head} {}", rows.join(" UNION ALL ")))?;
        let with = summary.with.as_mut().and_then(|with| with.cte_tables.first_mut());
        let with = with.ok_or_else(|| Error::internal("the query of a summary has a WITH"))?;
        *with.query = query.clone();
        // Its places are those of no text that anybody has written. What is wrong with the query has been found with its own.
        let text = self.text.take();
        let bound = self.bind_query(&summary, parent, Unknown::AsText);
        self.text = text;
        bound
    }
}

/// What is declared of a table of which nothing but columns is read, and which these are.
fn scanned(relation: &Arc<Relation>) -> Option<(&crate::catalog::Declared, &[(usize, ColumnId)])> {
    match &**relation {
        Relation::Scan { table, columns } => Some((&table.0.declared, columns)),
        Relation::Project { input, .. } => scanned(input),
        _ => None,
    }
}

/// The query of one column's summary.
fn summary_of(field: &Field, name: &str) -> String {
    use DataType as T;
    let is_number = field.data_type.is_numeric();
    let is_moment = matches!(field.data_type, T::Date | T::Time | T::Timestamp | T::TimestampTz);
    let none = "NULL::text".to_owned();
    let [min, max] = match field.data_type {
        T::Boolean => [format!("bool_and({name})::text"), format!("bool_or({name})::text")],
        _ if is_number || is_moment || field.data_type == T::Interval => {
            [format!("min({name})::text"), format!("max({name})::text")]
        }
        _ => [format!("min({name}::text)"), format!("max({name}::text)")],
    };
    // What has no equality is told apart by its texts.
    let has_equality = is_number || is_moment || matches!(field.data_type, T::Boolean | T::Interval);
    let counted = if has_equality { name.to_owned() } else { format!("{name}::text") };
    let mean = format!("make_interval(0, 0, 0, 0, 0, 0, avg(extract(epoch FROM {name}))");
    let average = match field.data_type {
        T::Time => format!("(make_time(0, 0, 0) + {mean}::double precision))::text"),
        T::Date | T::Timestamp | T::TimestampTz => {
            let finite = format!("FILTER (WHERE isfinite({name}))");
            let average = format!("make_timestamp(1970, 1, 1, 0, 0, 0) + {mean} {finite}::double precision)");
            let zone = if field.data_type == T::TimestampTz { " AT TIME ZONE 'UTC'" } else { "" };
            format!("(({average}){zone})::text")
        }
        _ if is_number => format!("avg({name})::double precision::text"),
        _ => none.clone(),
    };
    let deviation = if is_number { format!("stddev_samp({name}::double precision)::text") } else { none.clone() };
    let quantile = |part: &str| match is_number || is_moment {
        true => format!("quantile_disc({name}, {part})::text"),
        false => none.clone(),
    };
    let text = |text: &str| format!("'{}'::text", text.replace('\'', "''"));
    let columns = [
        (text(&field.name), "column_name"),
        (text(&field.data_type.to_string()), "column_type"),
        (min, "min"),
        (max, "max"),
        (format!("approx_count_distinct({counted})"), "approx_unique"),
        (average, "avg"),
        (deviation, "std"),
        (quantile("0.25"), "q25"),
        (quantile("0.5"), "q50"),
        (quantile("0.75"), "q75"),
        ("count(*)".to_owned(), "count"),
        (format!("(100.0 * (count(*) - count({name})) / nullif(count(*), 0))::numeric(9,2)"), "null_percentage"),
    ];
    let columns = columns.map(|(column, name)| format!("{column} AS {}", quoted(name)));
    format!("SELECT {} FROM summarized", columns.join(", "))
}
