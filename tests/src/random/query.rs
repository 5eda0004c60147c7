//! Random queries: WITH, joins of every kind, groups, DISTINCT, set operations, ORDER BY and LIMIT.

use super::data::{Column, Kind, Source};
use super::expression::column;
use super::writer::{Query, Reference, Writer, are_alike, are_comparable};

/// What a join of small tables may come to, and by how much one of large tables may exceed its larger side.
const SMALL_ROWS_MAX: f64 = 2_000.0;
const LARGE_FACTOR: f64 = 3.0;
/// Results of more rows are summed up.
const SHOWN_ROWS_MAX: f64 = 2_000.0;

/// A whole statement.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What has to run before, and what afterwards: settings, and statements that are prepared.
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
    /// The text.
    pub(crate) sql: String,
    /// Whether the order of its rows is said.
    pub(crate) ordered: bool,
    /// Whether an engine that hashes is sure to need no more than about the rows that it reads.
    pub(crate) linear: bool,
}

impl Statement {
    /// A statement whose rows have no order.
    pub(crate) fn of(sql: String) -> Self {
        Statement { before: Vec::new(), after: Vec::new(), sql, ordered: false, linear: true }
    }

    /// All of it.
    pub(crate) fn script(&self) -> String {
        let parts = self.before.iter().chain([&self.sql]).chain(&self.after);
        parts.map(String::as_str).collect::<Vec<_>>().join(";\n")
    }
}

impl Writer<'_> {
    /// A statement, perhaps over tables that were changed.
    pub(crate) fn statement(mut self) -> Statement {
        let mut statement = self.query_statement();
        self.change_tables(&mut statement);
        statement
    }

    /// Perhaps some WITH queries, a query, and how its rows are shown.
    fn query_statement(&mut self) -> Statement {
        if self.choices.weighted(&[3, 2]) == 1 {
            return self.statement_of_kind();
        }
        let mut with = Vec::new();
        for _ in 0..self.choices.weighted(&[3, 4, 2]) {
            self.choices.enter("with");
            let query = self.query(1);
            let name = self.alias();
            with.push(format!("{name} AS ({})", query.sql));
            self.with.push(Source { name, columns: query.columns, rows: query.rows, is_table: false });
            self.choices.leave();
        }
        let query = self.query(2);
        let shape = self.choices.weighted(&[3, 1, 2]);
        let (sql, ordered) = if shape == 1 && query.columns.iter().all(|column| column.exact) {
            (self.limited(&query), true)
        } else if query.rows > SHOWN_ROWS_MAX || (shape == 2 && self.is_large()) {
            (summed_up(&query), false)
        } else {
            (query.sql, false)
        };
        let with = if with.is_empty() { String::new() } else { format!("WITH {} ", with.join(", ")) };
        Statement { ordered, linear: self.linear, ..Statement::of(format!("{with}{sql}")) }
    }

    /// The first rows in a total order.
    fn limited(&mut self, query: &Query) -> String {
        let order: Vec<String> = (1..=query.columns.len())
            .map(|place| format!("{place}{}", self.choices.one(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])))
            .collect();
        let limit = [10, 0, 1, 100, 1000][self.choices.pick(5)];
        let offset = [0, 1, 20][self.choices.pick(3)];
        let offset = if offset == 0 { String::new() } else { format!(" OFFSET {offset}") };
        format!("SELECT * FROM ({}) q ORDER BY {} LIMIT {limit}{offset}", query.sql, order.join(", "))
    }

    /// A SELECT or a set operation.
    pub(crate) fn query(&mut self, depth: usize) -> Query {
        self.choices.enter("query");
        let query = match self.choices.weighted(&[6, 1]) {
            1 => self.set_operation(depth),
            _ => self.select(depth),
        };
        self.choices.leave();
        query
    }

    fn set_operation(&mut self, depth: usize) -> Query {
        let left = self.select_of(depth, None);
        let kinds: Vec<Kind> = left.columns.iter().map(|column| column.kind).collect();
        let right = self.select_of(depth, Some(&kinds));
        let operators = ["UNION ALL", "UNION", "EXCEPT", "INTERSECT", "EXCEPT ALL", "INTERSECT ALL"];
        let operator = self.choices.one(&operators);
        let columns = left.columns.iter().zip(&right.columns).map(|(a, b)| Column {
            distinct: a.distinct.max(b.distinct),
            exact: a.exact && b.exact,
            ..a.clone()
        });
        Query {
            sql: format!("{} {operator} {}", left.sql, right.sql),
            columns: columns.collect(),
            rows: left.rows + right.rows,
        }
    }

    /// A SELECT of exact columns without groups: of these kinds, or of any.
    fn select_of(&mut self, depth: usize, kinds: Option<&[Kind]>) -> Query {
        self.choices.enter("select");
        let from = self.from(depth);
        let mut selected = Vec::new();
        let count = kinds.map_or_else(|| 1 + self.choices.pick(3), <[Kind]>::len);
        for index in 0..count {
            let kind = kinds.map(|kinds| kinds[index]);
            let found = self.reference(|column| column.exact && kind.is_none_or(|kind| column.kind == kind));
            selected.push(match (found, kind) {
                (Some(found), _) => (found.text, found.column),
                (None, Some(kind)) => (format!("cast(NULL AS {})", kind.name()), column("", kind, 1.0, true)),
                (None, None) => ("1".to_owned(), column("", Kind::Int, 1.0, true)),
            });
        }
        let query = self.finish(&format!("SELECT {{}}{from}"), selected, self.rows);
        self.scopes.pop();
        self.choices.leave();
        query
    }

    /// Columns get names, and take the place of `{}`.
    fn finish(&mut self, pattern: &str, selected: Vec<(String, Column)>, rows: f64) -> Query {
        let named = selected.iter().enumerate().map(|(index, (text, _))| format!("{text} AS c{index}"));
        let sql = pattern.replacen("{}", &named.collect::<Vec<_>>().join(", "), 1);
        let named = |(index, (_, column)): (usize, (String, Column))| Column {
            name: format!("c{index}"),
            distinct: column.distinct.min(rows.max(1.0)),
            ..column
        };
        Query { sql, columns: selected.into_iter().enumerate().map(named).collect(), rows }
    }

    /// A SELECT.
    pub(crate) fn select(&mut self, depth: usize) -> Query {
        if self.is_large() && self.choices.once_in(8) {
            return self.groups_of_preserved(depth);
        }
        self.choices.enter("select");
        let from = self.from(depth);
        let rows = self.rows;
        let query = match self.choices.weighted(&[3, 4, 1, 1]) {
            1 => self.grouped(&from, rows),
            2 => {
                let mut selected = Vec::new();
                for _ in 0..=self.choices.pick(2) {
                    let (text, column) = self.selected();
                    if column.exact {
                        selected.push((text, column));
                    }
                }
                if selected.is_empty() {
                    selected.push(("1".to_owned(), column("", Kind::Int, 1.0, true)));
                }
                let groups: f64 = selected.iter().map(|(_, column)| column.distinct + 1.0).product();
                self.finish(&format!("SELECT DISTINCT {{}}{from}"), selected, groups.min(rows))
            }
            3 => {
                let selected = (0..=self.choices.pick(2)).map(|_| self.aggregate(1.0)).collect();
                self.finish(&format!("SELECT {{}}{from}"), selected, 1.0)
            }
            _ => {
                let mut selected: Vec<_> = (0..=self.choices.pick(3)).map(|_| self.selected()).collect();
                if depth > 0 && self.choices.once_in(5) {
                    selected.push(self.scalar_subquery(depth - 1));
                }
                self.finish(&format!("SELECT {{}}{from}"), selected, rows)
            }
        };
        self.scopes.pop();
        self.choices.leave();
        query
    }

    /// Groups of the side that an outer join preserves, by a column of it whose equal values may stand together, under a
    /// condition that only says which of its rows have partners.
    fn groups_of_preserved(&mut self, depth: usize) -> Query {
        self.choices.enter("select");
        let (first_text, first) = self.source(depth);
        let (second_text, second) = self.source(depth);
        self.rows = first.rows;
        self.scopes.push(vec![first.clone()]);
        let joined = self.join_key(std::slice::from_ref(&first), &second);
        let condition = match self.condition(std::slice::from_ref(&first), 0) {
            condition if self.choices.weighted(&[1, 4]) == 1 => format!(" AND {condition}"),
            _ => String::new(),
        };
        let key = self.reference(|column| column.exact);
        self.scopes.last_mut().expect("there is the one above").push(second);
        let from = match joined {
            Some((on, rows)) => {
                self.rows = rows.max(self.rows);
                match self.choices.weighted(&[3, 1]) {
                    0 => format!(" FROM {first_text} LEFT JOIN {second_text} ON {on}{condition}"),
                    _ => format!(" FROM {second_text} RIGHT JOIN {first_text} ON {on}{condition}"),
                }
            }
            None => {
                self.scopes.last_mut().expect("there is the one above").pop();
                format!(" FROM {first_text}")
            }
        };
        let key = key.map_or_else(|| ("1".to_owned(), column("", Kind::Int, 1.0, true)), |key| (key.text, key.column));
        let groups = (key.1.distinct + 1.0).min(self.rows);
        let by = if key.0 == "1" { "" } else { " GROUP BY 1" };
        let mut selected = vec![key];
        selected.extend((0..=self.choices.pick(2)).map(|_| self.aggregate(groups)));
        let query = self.finish(&format!("SELECT {{}}{from}{by}"), selected, groups);
        self.scopes.pop();
        self.choices.leave();
        query
    }

    fn grouped(&mut self, from: &str, rows: f64) -> Query {
        let mut keys: Vec<(String, Column)> = Vec::new();
        for _ in 0..=self.choices.weighted(&[3, 2]) {
            let (text, column) = self.selected();
            if column.exact && text != "1" {
                keys.push((text, column));
            }
        }
        let groups = keys.iter().map(|(_, column)| column.distinct + 1.0).product::<f64>().min(rows);
        let places: Vec<String> = (1..=keys.len()).map(|place| place.to_string()).collect();
        let mut selected = keys;
        for _ in 0..=self.choices.pick(2) {
            let aggregate = self.aggregate(groups);
            selected.push(aggregate);
        }
        let by = if places.is_empty() { String::new() } else { format!(" GROUP BY {}", places.join(", ")) };
        let having = match self.choices.once_in(5) {
            true => format!(" HAVING count(*) > {}", 1 + self.choices.pick(3)),
            false => String::new(),
        };
        self.finish(&format!("SELECT {{}}{from}{by}{having}"), selected, groups)
    }

    /// FROM and WHERE: a new scope, which the caller ends.
    pub(crate) fn from(&mut self, depth: usize) -> String {
        let (tables, conditions) = self.sources_under_where(depth);
        tables + &where_all(&conditions)
    }

    /// FROM, and the conditions of WHERE: a new scope, which the caller ends.
    pub(crate) fn sources_under_where(&mut self, depth: usize) -> (String, Vec<String>) {
        self.choices.enter("from");
        let (mut text, first) = self.source(depth);
        self.rows = first.rows;
        self.scopes.push(vec![first]);
        let joined = self.choices.weighted(if self.is_large() { &[3, 5, 2] } else { &[3, 5, 1] });
        for _ in 0..joined {
            self.choices.enter("join");
            if let Some(join) = self.join(depth) {
                text.push_str(&join);
            }
            self.choices.leave();
        }
        self.choices.leave();
        let sources = self.scope();
        let mut conditions = Vec::new();
        for _ in 0..self.choices.weighted(&[6, 4, 1]) {
            conditions.push(self.condition(&sources, 1));
        }
        if depth > 0 && self.choices.once_in(3) {
            conditions.push(self.subquery_condition(depth - 1));
        }
        (format!(" FROM {text}"), conditions)
    }

    /// A table, a WITH query or a derived table, with an alias.
    fn source(&mut self, depth: usize) -> (String, Source) {
        self.choices.enter("source");
        let shape = self.choices.weighted(&[3, if self.with.is_empty() { 0 } else { 5 }, 1]);
        let (text, mut source) = match shape {
            1 if !self.with.is_empty() => {
                let source = self.with[self.choices.pick(self.with.len())].clone();
                (source.name.clone(), source)
            }
            2 if depth > 0 => {
                // A derived table sees nothing beside it.
                let (scopes, rows) = (std::mem::take(&mut self.scopes), self.rows);
                let query = self.query(depth - 1);
                (self.scopes, self.rows) = (scopes, rows);
                (
                    format!("({})", query.sql),
                    Source { name: String::new(), columns: query.columns, rows: query.rows, is_table: false },
                )
            }
            _ => {
                let source = self.schema.tables[self.choices.pick(self.schema.tables.len())].clone();
                (source.name.clone(), source)
            }
        };
        source.name = self.alias();
        self.choices.leave();
        (format!("{text} AS {}", source.name), source)
    }

    /// One more source, if there is a key by which rows do not become too many.
    fn join(&mut self, depth: usize) -> Option<String> {
        let kinds = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];
        let kind = self.choices.weighted(&[4, 5, 2, 1]);
        let (text, right) = self.source(depth);
        let left = self.scope();
        let (mut condition, rows) = self.join_key(&left, &right)?;
        if kind < 3 && self.choices.weighted(&[2, 1]) == 1 {
            let sides = match self.choices.pick(3) {
                0 => left.clone(),
                1 => vec![right.clone()],
                _ => left.iter().cloned().chain([right.clone()]).collect(),
            };
            condition = format!("{condition} AND {}", self.condition(&sides, 0));
        }
        self.rows = match kind {
            0 => rows,
            1 => rows.max(self.rows),
            2 => rows.max(right.rows),
            _ => rows.max(self.rows) + right.rows,
        };
        self.scopes.last_mut()?.push(right);
        Some(format!(" {} {text} ON {condition}", kinds[kind]))
    }

    /// A condition of a join, and how many rows come of it.
    fn join_key(&mut self, left: &[Source], right: &Source) -> Option<(String, f64)> {
        let (rows, mixed) = (self.rows, self.choices.once_in(10));
        let fits = if mixed { are_comparable } else { are_alike };
        let most = if self.is_large() { LARGE_FACTOR * rows.max(right.rows) + 2_000.0 } else { SMALL_ROWS_MAX };
        let lefts = Self::references(left, |column| column.exact);
        let rights = Self::references(std::slice::from_ref(right), |column| column.exact);
        let mut pairs: Vec<(&Reference, &Reference, f64)> = Vec::new();
        for a in &lefts {
            for b in rights.iter().filter(|b| fits(&a.column, &b.column)) {
                let comes = rows * right.rows / a.column.distinct.max(b.column.distinct).max(1.0);
                pairs.push((a, b, comes));
            }
        }
        let few: Vec<_> = pairs.iter().filter(|(_, _, comes)| *comes <= most).collect();
        if few.is_empty() {
            return None;
        }
        let (a, b, comes) = few[self.choices.pick(few.len())];
        // What comes of two joins, or of what was computed, is a guess: it may be a million times as much.
        self.linear &= left.len() == 1 && left[0].is_table && right.is_table;
        let mut condition = self.equality(a, b);
        if self.choices.once_in(6) {
            let (a, b, _) = &pairs[self.choices.pick(pairs.len())];
            condition = format!("{condition} AND {}", self.equality(a, b));
        }
        Some((condition, *comes))
    }
}

/// WHERE all of some conditions.
pub(crate) fn where_all(conditions: &[String]) -> String {
    if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
}

/// One row that says what all rows of a query are.
fn summed_up(query: &Query) -> String {
    let mut parts = vec!["count(*)".to_owned()];
    for Column { name, kind, exact, .. } in &query.columns {
        match kind {
            Kind::Int | Kind::BigInt | Kind::Numeric | Kind::Double => {
                parts.extend([format!("count(q.{name})"), format!("sum(q.{name})")]);
            }
            Kind::Bool => parts.push(format!("count(*) FILTER (WHERE q.{name})")),
            _ if *exact => parts.extend(["count", "min", "max"].map(|function| format!("{function}(q.{name})"))),
            _ => parts.push(format!("count(q.{name})")),
        }
    }
    format!("SELECT {} FROM ({}) q", parts.join(", "), query.sql)
}
