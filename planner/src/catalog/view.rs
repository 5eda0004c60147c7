//! Views: the text of a query, with what its names and literals meant when the view was made.
//!
//! A view keeps its meaning whatever is renamed or set afterwards. Its text is bound anew wherever the view is used, so that plans
//! know the tables as they are then; but three things are not read anew:
//!
//! * a name stands for the object that it stood for ([`Meant`]), which the text sees as it was: under the name that it had, with the
//!   columns that it had under the names that they had. So `b.a`, `b.*`, `USING (a)` and `NATURAL JOIN` mean what they meant.
//! * a literal whose reading depends on settings, the time or names has the value that it had ([`Literals`]).
//! * a name that stood for a type stands for that type.

use super::TableName;
use crate::types::{DataType, OidKind};
use crate::value::Value;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The name of a column of [`Meant::columns`] that the text cannot name.
pub(crate) const GONE: &str = "\0";

/// A view: its query's text, to be bound where it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The SELECT.
    pub sql: String,
    /// Column names from `CREATE VIEW v (a, b)`; empty if none were given.
    pub columns: Vec<String>,
    /// What the names of tables, views and types in the text stand for.
    pub names: Vec<Meant>,
    /// The values of literals in the text that could have others.
    pub literals: Arc<Literals>,
    /// Where in the text stands what is written otherwise once something is renamed, in order.
    pub marks: Vec<Mark>,
    /// Whether rows that change through it have to be its rows then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckOption>,
}

/// CHECK OPTION of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckOption {
    /// By its own WHERE.
    Local,
    /// And by those of the views that it reads.
    Cascaded,
}

impl View {
    /// A text whose names stand for what they always do.
    pub fn of_text(sql: impl Into<String>) -> Self {
        View { sql: sql.into(), ..View::default() }
    }

    /// What a name of a relation in the text stands for, if it was known when the text was written.
    pub fn relation(&self, written: &TableName) -> Option<&Meant> {
        self.names.iter().find(|name| name.columns.is_some() && name.written == *written)
    }

    /// What the name of a type in the text stands for.
    pub fn made_type(&self, written: &TableName) -> Option<&Meant> {
        self.names.iter().find(|name| name.columns.is_none() && name.written == *written)
    }
}

/// A name in a kept text, and the object that it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meant {
    /// As it is written.
    pub written: TableName,
    /// The object, as it is called now, with its schema: renaming it changes this.
    pub now: TableName,
    /// What it was called when the text was written, with its schema: the name that its columns are qualified with.
    pub then: TableName,
    /// The names of its columns when the text was written, in order: it has more if some were added since. None of a type.
    pub columns: Option<Vec<String>>,
}

/// The values of literals in quotes, by what stands in the quotes and the type that it was read as. A text holds one for each type
/// whose values' texts depend on settings, the time or names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(Arc<str>, DataType, Value)>", into = "Vec<(Arc<str>, DataType, Value)>")]
pub struct Literals(FxHashMap<(Arc<str>, DataType), Value>);

impl From<Vec<(Arc<str>, DataType, Value)>> for Literals {
    fn from(all: Vec<(Arc<str>, DataType, Value)>) -> Self {
        Literals(all.into_iter().map(|(text, data_type, value)| ((text, data_type), value)).collect())
    }
}

impl From<Literals> for Vec<(Arc<str>, DataType, Value)> {
    fn from(literals: Literals) -> Self {
        literals.0.into_iter().map(|((text, data_type), value)| (text, data_type, value)).collect()
    }
}

impl Literals {
    /// The value that a literal has, if it is among them.
    pub fn get(&self, text: &Arc<str>, data_type: DataType) -> Option<&Value> {
        if self.0.is_empty() { None } else { self.0.get(&(Arc::clone(text), data_type)) }
    }

    /// Says what a literal is; the first value stays.
    pub fn add(&mut self, text: &Arc<str>, data_type: DataType, value: &Value) {
        self.0.entry((Arc::clone(text), data_type)).or_insert_with(|| value.clone());
    }

    /// Takes others; of the same literals the first values stay.
    pub(crate) fn add_all(&mut self, others: Literals) {
        for (literal, value) in others.0 {
            self.0.entry(literal).or_insert(value);
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The numbers of objects that literals name.
    pub fn objects(&self) -> impl Iterator<Item = (OidKind, u32)> {
        self.0.iter().filter_map(|((_, data_type), value)| match (data_type, value) {
            (DataType::Oid(kind), Value::Int(number)) => Some((*kind, u32::try_from(*number).ok()?)),
            _ => None,
        })
    }
}

/// Whether the text of a literal of this type means something else under other settings, at another time, or when something has
/// another name.
pub fn is_read_anew(data_type: DataType) -> bool {
    let of = data_type.element().unwrap_or(data_type);
    match of {
        DataType::Date
        | DataType::Time
        | DataType::TimeTz
        | DataType::Timestamp
        | DataType::TimestampTz
        | DataType::Interval => true,
        DataType::Oid(kind) => kind.is_registered(),
        _ => false,
    }
}

/// A part of a view's text that is shown otherwise when what it names has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Where it begins, in bytes.
    pub at: usize,
    /// What it is.
    pub what: Marked,
}

/// What a [`Mark`] marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marked {
    /// A relation in FROM, as it is written, and whether an alias follows.
    Relation(TableName, bool),
    /// A literal whose value is kept, and the type that it has.
    Literal(Arc<str>, DataType),
}
