//! Random tables: a script that every engine runs.
//!
//! A value is made of a key, a small number that a row's number gives: the number itself, blocks of it (clustered), what
//! remains of it (cyclic), a permutation, a skew. Every type makes of a key the value that any other column of the type
//! makes of it, so that columns of different tables join. Doubles are eighths: their sums are exact in every order.

use super::choices::Choices;

/// A type of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `integer`
    Int,
    /// `bigint`
    BigInt,
    /// `numeric(12,2)`, or without limits where it is computed
    Numeric,
    /// `real`
    Real,
    /// `double precision`
    Double,
    /// `text`
    Text,
    /// `varchar(8)`
    Varchar,
    /// `char(8)`
    Char,
    /// `date`
    Date,
    /// `time`
    Time,
    /// `timestamp`
    Timestamp,
    /// `interval`
    Interval,
    /// `boolean`
    Bool,
}

/// All types, those that most columns have first.
pub(crate) const KINDS: [Kind; 13] = [
    Kind::Int,
    Kind::BigInt,
    Kind::Numeric,
    Kind::Text,
    Kind::Date,
    Kind::Timestamp,
    Kind::Double,
    Kind::Varchar,
    Kind::Char,
    Kind::Bool,
    Kind::Real,
    Kind::Time,
    Kind::Interval,
];

impl Kind {
    /// The name in a declaration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "integer",
            Self::BigInt => "bigint",
            Self::Numeric => "numeric(12,2)",
            Self::Real => "real",
            Self::Double => "double precision",
            Self::Text => "text",
            Self::Varchar => "varchar(8)",
            Self::Char => "char(8)",
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::Interval => "interval",
            Self::Bool => "boolean",
        }
    }

    /// The value of a key, an expression.
    pub(crate) fn value(self, key: &str) -> String {
        match self {
            Self::Int => key.to_owned(),
            Self::BigInt => format!("cast({key} as bigint) * 1000003"),
            Self::Numeric => format!("cast({key} * 0.25 as numeric(12,2))"),
            Self::Real => format!("cast({key} / 4.0 as real)"),
            Self::Double => format!("cast({key} / 8.0 as double precision)"),
            Self::Text => format!("'s' || ({key})"),
            Self::Varchar => format!("cast('s' || ({key}) as varchar(8))"),
            Self::Char => format!("cast('s' || ({key}) as char(8))"),
            Self::Date => format!("date '2020-01-01' + {key}"),
            Self::Time => format!("time '00:00' + ({key}) % 1440 * interval '1 minute'"),
            Self::Timestamp => format!("timestamp '2020-01-01' + ({key}) * interval '1 hour'"),
            Self::Interval => format!("({key}) % 29 * interval '1 day'"),
            Self::Bool => format!("({key}) % 2 = 0"),
        }
    }

    /// How many values there are at most.
    pub(crate) fn distinct_max(self) -> f64 {
        match self {
            Self::Time => 1440.0,
            Self::Interval => 29.0,
            Self::Bool => 2.0,
            _ => f64::INFINITY,
        }
    }

    /// Whether it is a number.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::BigInt | Self::Numeric | Self::Real | Self::Double)
    }

    /// Whether it is text.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Varchar | Self::Char)
    }
}

/// A column, of a table or of a query.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its name.
    pub(crate) name: String,
    /// Its type.
    pub(crate) kind: Kind,
    /// About how many values it has.
    pub(crate) distinct: f64,
    /// Whether engines agree on the last digit: what is not exact is shown, never compared.
    pub(crate) exact: bool,
}

/// A table, or a WITH query that can be read as one.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Its name.
    pub(crate) name: String,
    /// Its columns.
    pub(crate) columns: Vec<Column>,
    /// About how many rows it has.
    pub(crate) rows: f64,
    /// Whether its numbers are those of its rows, and no guesses.
    pub(crate) is_table: bool,
}

/// How large tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A few rows: every way to run a query is tried, the slowest, too.
    Small,
    /// Up to 300,000 rows: more than one tile and chunk.
    Large,
}

/// Tables, and the statements that make them.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// How large they are.
    pub(crate) size: Size,
    /// The tables.
    pub(crate) tables: Vec<Source>,
    /// What makes them.
    pub(crate) script: Vec<String>,
}

impl Schema {
    /// Random tables. Rows are divided by `shrunk`.
    pub(crate) fn new(choices: &mut Choices, size: Size, shrunk: usize) -> Self {
        let rows_of: &[usize] = match size {
            Size::Small => &[8, 0, 3, 11, 14, 20],
            Size::Large => &[40_000, 1_000, 5_000, 20_000, 100_000, 300_000],
        };
        let mut script = vec![
            "CREATE TABLE digit AS SELECT * FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS v(d)"
                .to_owned(),
        ];
        let mut tables = Vec::new();
        let mut inserts = Vec::new();
        let mut most = 0;
        for index in 0..3 {
            choices.enter("table");
            // The first table of the large ones is larger than a tile.
            let choice = if index == 0 { [0, 4, 5, 0][choices.pick(4)] } else { choices.pick(rows_of.len()) };
            let rows = rows_of[choice] / shrunk;
            most = most.max(rows);
            let (table, statements) = table(choices, index, rows);
            inserts.extend(statements);
            tables.push(table);
            choices.leave();
        }
        script.push(format!(
            "CREATE TABLE number AS SELECT * FROM (SELECT f.d * 100000 + e.d * 10000 + a.d * 1000 + b.d * 100 + c.d * 10 \
             + x.d AS i FROM digit f, digit e, digit a, digit b, digit c, digit x) n WHERE i < {most} ORDER BY i"
        ));
        script.extend(inserts);
        Self { size, tables, script }
    }
}

/// A key of a row: an expression over the row's number `i`, and how many values it has.
fn key(choices: &mut Choices, shape: usize, rows: usize) -> (String, usize) {
    let rows = rows.max(1);
    let shuffled = format!("cast(cast(i as bigint) * 7919 % {rows} as integer)");
    let few = [5, 2, 100, 1000][choices.pick(4)];
    let block = [5, 2, 16, 100][choices.pick(4)];
    match shape {
        0 => ("i".to_owned(), rows),
        1 => (format!("i / {block}"), rows.div_ceil(block)),
        2 => (format!("i % {few}"), few.min(rows)),
        3 => (shuffled, rows),
        4 => (format!("{shuffled} % {few}"), few.min(rows)),
        // One value has a thirtieth of the rows.
        5 => ("i % 1000 * (i % 1000) / 1000".to_owned(), 30.min(rows)),
        6 => (format!("{shuffled} / {block}"), rows.div_ceil(block)),
        _ => ("7".to_owned(), 1),
    }
}

fn table(choices: &mut Choices, index: usize, rows: usize) -> (Source, Vec<String>) {
    let name = format!("t{index}");
    let count = 5 + choices.pick(5);
    let (mut columns, mut declared, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for column in 0..count {
        choices.enter("column");
        let kind = match column {
            0..3 => Kind::Int,
            _ => KINDS[choices.weighted(&[4, 2, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1])],
        };
        let shape = match (index, column) {
            (0, 0..3) => column,
            (_, 0) => [0, 3][choices.pick(2)],
            _ => choices.pick(8),
        };
        let (key, distinct) = key(choices, shape, rows);
        let mut value = kind.value(&key);
        if column > 0 && choices.once_in(3) {
            let (every, at) = ([3, 7, 50, 1][choices.weighted(&[4, 4, 3, 1])], choices.pick(3));
            value = format!("CASE WHEN i % {every} <> {} THEN {value} END", at % every);
        }
        choices.leave();
        declared.push(format!("c{column} {}", kind.name()));
        values.push(value);
        let distinct = (distinct as f64).min(kind.distinct_max());
        columns.push(Column { name: format!("c{column}"), kind, distinct, exact: true });
    }
    let order = ["i", "i DESC", "cast(i as bigint) * 31 % 1009, i"][choices.weighted(&[4, 1, 1])];
    let statements = vec![
        format!("CREATE TABLE {name} ({})", declared.join(", ")),
        format!("INSERT INTO {name} SELECT {} FROM number WHERE i < {rows} ORDER BY {order}", values.join(", ")),
    ];
    (Source { name, columns, rows: rows as f64, is_table: true }, statements)
}
