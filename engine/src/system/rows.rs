//! Rows of the system's tables, made column by column name: what is not given is NULL, or where that cannot be the type's zero.

use super::shape::{Shape, shape};
use crate::catalog::StoredTable;
use multiloop_exec::column::Table;
use multiloop_planner::evaluate::array::{Array, Bound};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::{Arc, LazyLock};

/// Rows of a table of pg_catalog.
pub(super) struct Rows {
    shape: &'static Shape,
    /// Where the values of a row that is given go.
    places: Vec<usize>,
    /// A row of which nothing is given.
    bare: Vec<Value>,
    rows: Vec<Vec<Value>>,
}

impl Rows {
    /// None of a table yet; `columns` are the names of those that will be given, with blanks between.
    pub(super) fn new(table: &str, columns: &str) -> Self {
        let shape = shape("pg_catalog", table).expect("it is a table of the catalog");
        let place = |name: &str| {
            let found = shape.fields.iter().position(|field| field.name == name);
            found.unwrap_or_else(|| panic!("{table} has no column {name}"))
        };
        let places = columns.split_whitespace().map(place).collect();
        let bare = shape.fields.iter().map(|field| if field.nullable { Value::Null } else { zero(field.data_type) });
        Rows { shape, places, bare: bare.collect(), rows: Vec::new() }
    }

    /// What all rows have.
    pub(super) fn with(mut self, column: &str, value: Value) -> Self {
        let place = self.shape.fields.iter().position(|field| field.name == column);
        self.bare[place.unwrap_or_else(|| panic!("there is no column {column}"))] = value;
        self
    }

    pub(super) fn push(&mut self, values: impl IntoIterator<Item = Value>) {
        let mut row = self.bare.clone();
        let mut given = 0;
        for value in values {
            row[self.places[given]] = value;
            given += 1;
        }
        debug_assert_eq!(given, self.places.len(), "a row of {}", self.shape.name);
        self.rows.push(row);
    }

    pub(super) fn finish(self) -> Vec<Vec<Value>> {
        self.rows
    }

    /// The value of a column in words, as `fixed.txt` has it.
    fn read(&self, place: usize, word: &str) -> Value {
        read(self.shape.fields[place].data_type, word)
    }
}

/// A table of these rows.
pub(super) fn table_of(shape: &Shape, rows: &[Vec<Value>]) -> StoredTable {
    let mut table = Table::from_values(shape.fields.clone(), rows);
    table.fields.clone_from(&shape.fields);
    StoredTable::new(shape.name, table, Arc::default())
}

fn zero(data_type: DataType) -> Value {
    match data_type {
        DataType::Boolean => Value::Boolean(false),
        DataType::Real | DataType::Double => Value::Float(0.0),
        DataType::Nested(_) => list(Vec::new(), data_type.element().unwrap_or(DataType::Null)),
        other if other.carrier().is_text() => text(""),
        _ => Value::Int(0),
    }
}

fn read(data_type: DataType, word: &str) -> Value {
    if word == "NULL" {
        return Value::Null;
    }
    if let Some(element) = data_type.element() {
        let parts = word.split(',').filter(|part| *part != "{}");
        let elements = parts.map(|part| read(element, part)).collect();
        // Numbers are vectors.
        return if element.carrier().is_text() { list(elements, element) } else { vector(elements, element) };
    }
    match data_type {
        DataType::Boolean => Value::Boolean(word == "t"),
        DataType::Real | DataType::Double => Value::Float(word.parse().expect("a number")),
        other if other.carrier().is_text() => text(if word == "''" { "" } else { word }),
        _ => Value::Int(word.parse().expect("a number")),
    }
}

/// Rows of `fixed.txt` of a table; none if it has none.
pub(super) fn fixed(table: &str) -> Vec<Vec<Value>> {
    static LINES: LazyLock<Vec<&str>> =
        LazyLock::new(|| include_str!("fixed.txt").lines().filter(|line| !line.starts_with('#')).collect());
    let is_of = |line: &&str| line.strip_prefix("@ ").and_then(|line| line.split(' ').next()) == Some(table);
    let Some(at) = LINES.iter().position(is_of) else { return Vec::new() };
    let header = LINES[at].strip_prefix("@ ").and_then(|line| line.strip_prefix(table)).unwrap_or_default();
    let (columns, all) = header.split_once('|').unwrap_or((header, ""));
    let mut rows = Rows::new(table, columns);
    for (column, word) in all.split_whitespace().filter_map(|one| one.split_once('=')) {
        let place = rows.shape.fields.iter().position(|field| field.name == column).expect("a column");
        rows.bare[place] = rows.read(place, word);
    }
    for line in LINES[at + 1..].iter().take_while(|line| !line.starts_with('@')) {
        let values: Vec<Value> =
            line.split(' ').zip(&rows.places).map(|(word, &place)| rows.read(place, word)).collect();
        rows.push(values);
    }
    rows.finish()
}

/// Rows of pg_description of what `fixed.txt` has: `descriptions.txt`.
pub(super) fn described() -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_description", "classoid objoid description");
    for line in include_str!("descriptions.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a line begins with two numbers");
        let (class, object) = (number(), number());
        rows.push([oid(class), oid(object), text(words.next().unwrap_or_default())]);
    }
    rows.finish()
}

pub(super) fn text(text: impl AsRef<str>) -> Value {
    Value::text(text)
}

pub(super) fn oid(oid: u32) -> Value {
    Value::Int(oid.into())
}

pub(super) fn int(number: impl Into<i64>) -> Value {
    Value::Int(number.into())
}

pub(super) fn boolean(value: bool) -> Value {
    Value::Boolean(value)
}

/// An array that counts from 1.
pub(super) fn list(elements: Vec<Value>, element: DataType) -> Value {
    text(Array::of(elements).encode(element))
}

/// What PostgreSQL has as a vector: it counts from 0.
pub(super) fn vector(elements: Vec<Value>, element: DataType) -> Value {
    let bounds = if elements.is_empty() { Vec::new() } else { vec![Bound { lower: 0, length: elements.len() }] };
    text(Array { bounds, elements }.encode(element))
}
