//! Random subqueries in conditions and among what is selected, correlated or not.

use super::data::{Column, Kind, Source};
use super::expression::column;
use super::query::where_all;
use super::writer::{Reference, Writer, are_alike};

impl Writer<'_> {
    /// A condition that asks a subquery.
    pub(crate) fn subquery_condition(&mut self, depth: usize) -> String {
        self.choices.enter("subquery");
        let rows = self.rows;
        let text = match self.choices.weighted(&[3, 3, 3, 1]) {
            0 => {
                let not = self.choices.one(&["", "NOT "]);
                format!("{not}EXISTS ({})", self.correlated(depth, "1"))
            }
            1 => self.in_subquery(depth),
            2 => {
                let (subquery, found) = self.scalar_subquery(depth);
                let outer = self.reference(|column| column.exact && column.kind.is_number());
                let compare = self.choices.one(&[">", "<", "=", "<>"]);
                // What is not exact may be a little less, but hardly where no value lies between.
                let compare = if found.exact { compare } else { ">" };
                match outer {
                    Some(outer) if found.kind.is_number() => format!("{} {compare} {subquery}", outer.text),
                    _ => format!("{subquery} IS NOT NULL"),
                }
            }
            _ => {
                let (subquery, _) = self.scalar_subquery(depth);
                format!("({subquery} IS NULL OR {})", self.in_subquery(depth))
            }
        };
        self.rows = rows;
        self.choices.leave();
        text
    }

    fn in_subquery(&mut self, depth: usize) -> String {
        let Some(outer) = self.reference(|column| column.exact) else { return "true".to_owned() };
        let kind = outer.column.kind;
        let rows = self.rows;
        let (tables, mut conditions) = self.sources_under_where(depth);
        conditions.extend(self.comparisons());
        let from = tables + &where_all(&conditions);
        let inner = self.reference(|column| column.exact && column.kind == kind);
        let inner = inner.map_or_else(|| format!("cast(NULL AS {})", kind.name()), |found| found.text);
        let expression = match kind {
            Kind::Int if self.choices.once_in(3) => format!("{inner} + 1"),
            _ => inner,
        };
        let key = self.reference(|column| column.exact).filter(|_| kind.is_number() && self.choices.once_in(6));
        let (expression, from) = match key {
            Some(key) => (format!("max({expression})"), format!("{from} GROUP BY {}", key.text)),
            None => (expression, from),
        };
        self.scopes.pop();
        self.rows = rows;
        let operator = self.choices.weighted(&[4, 3, 1, 2, 2, 1, 1]);
        let operator = ["IN", "NOT IN", "<> ALL", "<= ANY", "> ALL", "<> ANY", "< ALL"][operator];
        let text = format!("{} {operator} (SELECT {expression}{from})", outer.text);
        // What is neither TRUE nor FALSE shows.
        if self.choices.once_in(6) { format!("({text}) IS NULL") } else { text }
    }

    /// Comparisons of the innermost rows with those of any SELECT around them, without an equality or beside one. Where tables are
    /// large, nobody has an answer in time.
    fn comparisons(&mut self) -> Vec<String> {
        if self.is_large() {
            return Vec::new();
        }
        let around: Vec<Source> = self.scopes.iter().rev().skip(1).flatten().cloned().collect();
        let outer = Self::references(&around, |column| column.exact);
        let inner = Self::references(&self.scope(), |column| column.exact);
        let mut pairs: Vec<(&Reference, &Reference)> = Vec::new();
        for a in &outer {
            pairs.extend(inner.iter().filter(|b| are_alike(&a.column, &b.column)).map(|b| (a, b)));
        }
        let count = if pairs.is_empty() { 0 } else { self.choices.weighted(&[3, 2, 2, 1]) };
        self.linear &= count == 0;
        let mut comparison = || {
            let (a, b) = pairs[self.choices.pick(pairs.len())];
            let operator = self.choices.one(&["<>", "<", "<=", ">", ">=", "="]);
            format!("{} {operator} {}", b.text, a.text)
        };
        (0..count).map(|_| comparison()).collect()
    }

    /// A subquery of one value, and what the value is like.
    pub(crate) fn scalar_subquery(&mut self, depth: usize) -> (String, Column) {
        self.choices.enter("scalar");
        let rows = self.rows;
        let from = self.correlated_from(depth);
        let (text, found) = self.aggregate(1000.0);
        let (text, found) = match self.choices.weighted(&[3, 1]) {
            1 if found.kind.is_number() && found.kind != Kind::Double => {
                (format!("{text} * 1.5"), column("", Kind::Numeric, 1000.0, found.exact))
            }
            _ => (text, found),
        };
        let (query, found) = self.of_rows_within(&from, (text, found));
        self.scopes.pop();
        self.rows = rows;
        self.choices.leave();
        (format!("({query})"), found)
    }

    /// What a subquery gives of its rows: an aggregate, or one of what is made of them first, groups, different rows, the first ones or
    /// places.
    fn of_rows_within(&mut self, from: &str, (text, found): (String, Column)) -> (String, Column) {
        let within = self.choices.weighted(&[8, 2, 1, 1, 1]);
        let several = [self.reference(|column| column.exact), self.reference(|column| column.exact)];
        let number = self.reference(|column| column.exact && column.kind == Kind::Int);
        let rows = column("", Kind::BigInt, 1000.0, true);
        let ([Some(a), Some(b)], Some(number)) = (several, number) else {
            return (format!("SELECT {text}{from}"), found);
        };
        let (a, b, number) = (a.text, b.text, number.text);
        let (given, within, found) = match within {
            1 if found.kind.is_number() => ("max(m)", format!("SELECT {text} AS m{from} GROUP BY {a}"), found),
            1 => ("count(m)", format!("SELECT {text} AS m{from} GROUP BY {a}, {b}"), rows),
            2 => ("count(*)", format!("SELECT DISTINCT {a}, {b}{from}"), rows),
            3 => {
                let order = self.choices.one(&["", " DESC", " NULLS FIRST"]);
                (
                    "max(m)",
                    format!("SELECT {number} AS m{from} ORDER BY 1{order} LIMIT 2 OFFSET 1"),
                    column("", Kind::Int, 1000.0, true),
                )
            }
            4 => ("max(m)", format!("SELECT row_number() OVER (PARTITION BY {a} ORDER BY {b}) AS m{from}"), rows),
            _ => return (format!("SELECT {text}{from}"), found),
        };
        (format!("SELECT {given} FROM ({within}) AS within"), found)
    }

    fn correlated(&mut self, depth: usize, selected: &str) -> String {
        let rows = self.rows;
        let from = self.correlated_from(depth);
        let groups = match self.reference(|column| column.exact) {
            Some(key) if self.choices.once_in(5) => format!(" GROUP BY {} HAVING count(*) > 1", key.text),
            _ => String::new(),
        };
        self.scopes.pop();
        self.rows = rows;
        format!("SELECT {selected}{from}{groups}")
    }

    /// FROM and WHERE of a subquery: most are correlated by an equality.
    fn correlated_from(&mut self, depth: usize) -> String {
        let outer = self.scope();
        let (tables, mut conditions) = self.sources_under_where(depth);
        let outer = Self::references(&outer, |column| column.exact);
        let inner = Self::references(&self.scope(), |column| column.exact);
        let mut pairs: Vec<(&Reference, &Reference)> = Vec::new();
        for a in &outer {
            pairs.extend(inner.iter().filter(|b| are_alike(&a.column, &b.column)).map(|b| (a, b)));
        }
        if !self.is_large() && self.choices.once_in(3) {
            conditions.extend(self.comparisons());
        } else if !pairs.is_empty() && self.choices.weighted(&[5, 1]) == 0 {
            let (a, b) = pairs[self.choices.pick(pairs.len())];
            conditions.push(self.equality(b, a));
            // Rows of a group are looked through where the group is not enough.
            if !self.is_large() && self.choices.once_in(4) {
                let (a, b) = pairs[self.choices.pick(pairs.len())];
                conditions.push(format!("{} <> {}", a.text, b.text));
            }
        }
        tables + &where_all(&conditions)
    }
}
