//! Binding, statement by statement, against a toy catalog: the shape of the relation, the names and types of the
//! result, or the error's kind, place and hint.

mod change;
mod common_types;
mod errors;
mod grouping;
mod joins;
mod logical;
mod queries;
mod statements;
mod tpch;
mod vectors;

use super::{Parsed, Statement, bind, parse};
use crate::catalog::{
    Catalog, CatalogEntry, Declared, Hidden, Key, TableHandle, TableInfo, TableName, TableStatistics, View,
};
use crate::error::{Error, Result};
use crate::relation::{ExpressionKind, Query, Relation, SetKind};
use crate::types::{DataType, Field};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tables `t(a integer, b text, c decimal(10,2))`, `u(a bigint, d date)`, `w(a integer, b text)`, `"Mixed"("X" integer)`,
/// `k(id integer, c text, n decimal(10,2))` with keys, and some views. All columns but those called c may be NULL.
struct Toy(BTreeMap<String, CatalogEntry>);

impl Toy {
    fn new() -> Self {
        let mut toy = Toy(BTreeMap::new());
        toy.table("t", &[("a", DataType::Integer), ("b", DataType::Text), ("c", DataType::decimal(10, 2))]);
        toy.table("u", &[("a", DataType::BigInt), ("d", DataType::Date)]);
        toy.table("w", &[("a", DataType::Integer), ("b", DataType::Text)]);
        toy.table("Mixed", &[("X", DataType::Integer)]);
        toy.keyed("k", &[("id", DataType::Integer), ("c", DataType::Text), ("n", DataType::decimal(10, 2))]);
        toy.view("v", "SELECT a AS p, b AS q FROM t WHERE a > 0", &[]);
        toy.view("renamed", "SELECT a, b FROM t", &["x"]);
        toy.view("loop1", "SELECT * FROM loop2", &[]);
        toy.view("loop2", "SELECT * FROM loop1", &[]);
        toy.view("broken", "SELECT   gone FROM t", &[]);
        toy
    }

    fn table(&mut self, name: &str, columns: &[(&str, DataType)]) {
        let fields = columns.iter().map(|(name, data_type)| Field::new(*name, *data_type, *name != "c")).collect();
        self.0.insert(name.to_owned(), CatalogEntry::Table(info(name, fields, self.0.len() as u64)));
    }

    /// A table whose first column is the primary key, whose first two are a unique one, and whose third has a unique index.
    fn keyed(&mut self, name: &str, columns: &[(&str, DataType)]) {
        self.table(name, columns);
        let key = |name: &str, columns: &[usize], is_index| {
            let (name, columns, primary) = (name.to_owned(), columns.to_vec(), columns == [0]);
            Key { name, columns, primary, nulls_equal: false, is_index }
        };
        let keys = vec![key("k_pkey", &[0], false), key("k_both", &[0, 1], false), key("k_n_idx", &[2], true)];
        let defaults = vec![None, Some("'none'".into()), None];
        let Some(CatalogEntry::Table(info)) = self.0.get_mut(name) else { unreachable!("it has just been added") };
        let declared = Arc::new(Declared { keys, defaults, ..Declared::default() });
        *info = Arc::new(TableInfo { declared, ..TableInfo::clone(info) });
    }

    fn view(&mut self, name: &str, sql: &str, columns: &[&str]) {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        self.0.insert(name.to_owned(), CatalogEntry::View(Arc::new(View { columns, ..View::of_text(sql) })));
    }
}

fn info(name: &str, fields: Vec<Field>, handle: u64) -> Arc<TableInfo> {
    let statistics = Arc::new(TableStatistics::default());
    Arc::new(TableInfo {
        name: name.to_owned(),
        fields,
        statistics,
        handle: TableHandle(handle),
        domains: Vec::new(),
        declared: Arc::default(),
        hidden: Default::default(),
    })
}

impl Catalog for Toy {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        let is_public = name.schema.as_deref().is_none_or(|schema| schema == "public");
        Ok(self.0.get(&name.name).filter(|_| is_public).cloned())
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        let fields = vec![Field::new("f", DataType::Integer, true)];
        Ok(path.ends_with(".parquet").then(|| info(path, fields, 1000)))
    }

    fn to_change(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let Some(CatalogEntry::Table(info)) = self.entry(name)? else { return Ok(None) };
        let hidden = Hidden { number: Some(info.fields.len()), ..Hidden::default() };
        Ok(Some(Arc::new(TableInfo { hidden, ..TableInfo::clone(&info) })))
    }

    fn meeting(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let Some(CatalogEntry::Table(info)) = self.entry(name)? else { return Ok(None) };
        let number = Field::new("number", DataType::BigInt, false);
        let fields = info.fields.iter().chain(&info.fields).cloned().chain([number]).collect();
        Ok(Some(Arc::new(TableInfo { fields, declared: Arc::default(), ..TableInfo::clone(&info) })))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

fn bind_one(sql: &str) -> Result<Statement> {
    let parsed: Vec<Parsed> = parse(sql)?;
    assert_eq!(parsed.len(), 1, "one statement: {sql}");
    bind(&parsed[0], &Toy::new(), &[])
}

fn query(sql: &str) -> Query {
    match bind_one(sql) {
        Ok(Statement::Query(query)) => {
            check_columns(&query.relation, &mut Vec::new());
            query
        }
        other => panic!("no query: {sql}: {other:?}"),
    }
}

fn error(sql: &str) -> Error {
    match bind_one(sql) {
        Err(error) => error,
        Ok(bound) => panic!("bound: {sql}: {bound:?}"),
    }
}

/// Checks SQLSTATE, message, and that the position is where `^` stands in the text (which is taken out).
#[track_caller]
fn refused(marked: &str, sqlstate: &str, message: &str) {
    let place = marked.find('^');
    let error = error(&marked.replacen('^', "", 1));
    assert_eq!(error.message(), message, "{marked}");
    assert_eq!(error.sqlstate(), sqlstate, "{marked}");
    if let Some(place) = place {
        assert_eq!(error.position().map(|position| position.0 as usize), Some(place), "{marked}");
    }
}

/// The operators of a query, inside out as they are nested: `Sort(Project(Scan t))`.
fn shape(query: &Query) -> String {
    shape_of(&query.relation)
}

fn shape_of(relation: &Relation) -> String {
    let inputs: Vec<String> = relation.inputs().into_iter().map(|input| shape_of(input)).collect();
    let inputs = inputs.join(", ");
    match relation {
        Relation::Scan { table, .. } => format!("Scan {}", table.0.name),
        Relation::Values { columns, rows } => format!("Values {}x{}", rows.len(), columns.len()),
        Relation::Filter { .. } => format!("Filter({inputs})"),
        Relation::Project { columns, .. } => format!("Project {}({inputs})", columns.len()),
        Relation::Join { kind, .. } => format!("{kind:?}({inputs})"),
        Relation::Aggregate { keys, aggregates, .. } => {
            format!("Aggregate {}+{}({inputs})", keys.len(), aggregates.len())
        }
        Relation::Window { functions, .. } => format!("Window {}({inputs})", functions.len()),
        Relation::Recursive { all, .. } => format!("Recursive{}({inputs})", if *all { " all" } else { "" }),
        Relation::Distinct { .. } => format!("Distinct({inputs})"),
        Relation::Sort { keys, .. } => format!("Sort {}({inputs})", keys.len()),
        Relation::Limit { .. } => format!("Limit({inputs})"),
        Relation::SetOperation { kind, all, .. } => {
            let kind = match kind {
                SetKind::Union => "Union",
                SetKind::Intersect => "Intersect",
                SetKind::Except => "Except",
            };
            format!("{kind}{}({inputs})", if *all { " all" } else { "" })
        }
        Relation::Expand { .. } => format!("Expand({inputs})"),
        Relation::With { .. } => format!("With({inputs})"),
        Relation::CteScan { .. } => "CteScan".to_owned(),
    }
}

/// The names and types of the result.
fn output(sql: &str) -> String {
    let query = query(sql);
    let columns = query.output.iter().map(|(name, id)| format!("{name} {}", query.columns.get(*id).data_type));
    columns.collect::<Vec<_>>().join(", ")
}

/// The names of the result.
fn names(sql: &str) -> String {
    query(sql).output.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// Checks that every expression mentions only columns of its inputs or of an enclosing query, and that no operator
/// gives a column twice.
fn check_columns(relation: &Relation, outer: &mut Vec<crate::relation::ColumnId>) {
    let own = relation.columns();
    for (index, id) in own.iter().enumerate() {
        assert!(!own[..index].contains(id), "column {id:?} is there twice: {relation:?}");
    }
    let before = outer.len();
    for input in relation.inputs() {
        check_columns(input, outer);
    }
    for input in relation.inputs() {
        outer.extend(input.columns());
    }
    for expression in relation.expressions() {
        check_expression(expression, outer);
    }
    outer.truncate(before);
}

fn check_expression(expression: &crate::relation::Expression, seen: &mut Vec<crate::relation::ColumnId>) {
    match &expression.kind {
        ExpressionKind::Column(id) => assert!(seen.contains(id), "column {id:?} is out of sight"),
        ExpressionKind::Subquery(subquery) => {
            check_columns(&subquery.relation, seen);
            let before = seen.len();
            seen.extend(subquery.relation.columns());
            expression.children().into_iter().for_each(|child| check_expression(child, seen));
            seen.truncate(before);
            return;
        }
        _ => {}
    }
    expression.children().into_iter().for_each(|child| check_expression(child, seen));
}
