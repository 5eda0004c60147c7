//! Statements that change rows: made by choices of a seed, and printed as SQL.

use super::super::typed_random::Random;
use super::terms::{Condition, Names, Number, Real, Row, Words, pick};

/// The tables, by place: the first has a primary key and a check, the other has nothing of the kind.
pub(super) const TABLES: [&str; 2] = ["t", "u"];

/// A statement that changes a table.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Which of [`TABLES`].
    pub(super) table: usize,
    pub(super) kind: Kind,
    /// Whether the rows are given back.
    pub(super) returning: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Insert { rows: Rows, conflict: Option<Conflict> },
    Update { set: Vec<Assigned>, beside: Beside, condition: Condition },
    Delete { beside: Beside, condition: Condition },
    Truncate,
}

/// Rows that are to be inserted.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    Values(Vec<Row>),
    /// Rows of a table, with another `k`.
    Select {
        of: usize,
        shift: i64,
        condition: Condition,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Conflict {
    /// Whether `k` is named; else any key is meant.
    pub(super) target: bool,
    /// DO UPDATE, or nothing.
    pub(super) update: Option<(Vec<Assigned>, Condition)>,
}

/// What a column is set to.
#[derive(Clone, Debug)]
pub(super) enum Assigned {
    K(Number),
    N(Number),
    S(Words),
    X(Real),
}

/// What rows of the other table, or of the same one, a row must have, besides the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// FROM or USING the other table: a row of the same `k`.
    Joined,
    /// The same as IN.
    In,
    /// Its `k` is no `n` of the other table's.
    NotIn,
    /// Its `k` is some `n` of its own table.
    OwnN,
}

/// How large the tables are, and what their keys are below.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) keys: u64,
    /// Rows of VALUES, and a bound for what is inserted from a table.
    pub(super) rows: u64,
}

pub(super) fn names(table: usize) -> Names {
    Names { own: TABLES[table], other: TABLES[1 - table] }
}

impl Assigned {
    fn random(random: &mut Random, count: usize, keys: u64, excluded: bool) -> Vec<Assigned> {
        let mut set = Vec::new();
        // The key of a row that is met is left alone.
        let first = usize::from(excluded || random.below(3) > 0);
        for column in (first..4).filter(|_| random.one_of(2)).take(count).collect::<Vec<_>>() {
            set.push(match column {
                0 if random.one_of(2) => Assigned::K(Number::Add(Box::new(Number::K), random.below(2 * keys) as i64)),
                0 => Assigned::K(Number::random(random, excluded)),
                1 => Assigned::N(Number::random(random, excluded)),
                2 => Assigned::S(Words::random(random, excluded)),
                _ => Assigned::X(Real::random(random)),
            });
        }
        if set.is_empty() {
            set.push(Assigned::N(Number::random(random, excluded)));
        }
        set
    }

    fn sql(&self, names: Names) -> String {
        match self {
            Assigned::K(number) => format!("k = {}", number.sql(names)),
            Assigned::N(number) => format!("n = {}", number.sql(names)),
            Assigned::S(words) => format!("s = {}", words.sql(names)),
            Assigned::X(real) => format!("x = {}", real.sql(names)),
        }
    }
}

impl Beside {
    fn random(random: &mut Random) -> Beside {
        let all = [Beside::Nothing, Beside::Nothing, Beside::Joined, Beside::In, Beside::NotIn, Beside::OwnN];
        pick(random, &all)
    }

    /// The word before the other table's name, which is there for a join only, and the condition.
    fn sql(self, word: &str, names: Names, condition: &Condition) -> String {
        let Names { own, other } = names;
        let also = match self {
            Beside::Nothing if matches!(condition, Condition::Always) => return String::new(),
            Beside::Nothing => return format!(" WHERE {}", condition.sql(names)),
            Beside::Joined => format!("{other}.k = {own}.k"),
            Beside::In => format!("{own}.k IN (SELECT {other}.k FROM {other})"),
            Beside::NotIn => format!("{own}.k NOT IN (SELECT {other}.n FROM {other})"),
            Beside::OwnN => format!("EXISTS (SELECT 1 FROM {own} AS o WHERE o.n = {own}.k)"),
        };
        let from = if self == Beside::Joined { format!(" {word} {other}") } else { String::new() };
        format!("{from} WHERE {also} AND {}", condition.sql(names))
    }
}

impl Change {
    /// Any of them; of a table that has become large rather one that removes rows.
    pub(super) fn random(random: &mut Random, sizes: Sizes, is_large: [bool; 2]) -> Change {
        let table = usize::from(random.one_of(3));
        let Sizes { keys, rows } = sizes;
        let condition = Condition::random(random, keys, false);
        let kind = match random.below(if is_large[table] { 4 } else { 12 }) {
            0 if random.one_of(8) => Kind::Truncate,
            0..=2 => Kind::Delete { beside: Beside::random(random), condition },
            3..=6 => {
                let set = Assigned::random(random, 3, keys, false);
                Kind::Update { set, beside: Beside::random(random), condition }
            }
            _ => {
                let conflict = (table == 0 && !random.one_of(3)).then(|| Conflict::random(random, keys));
                Kind::Insert { rows: Rows::random(random, keys, rows, condition), conflict }
            }
        };
        let returning = random.one_of(3) && !matches!(kind, Kind::Truncate);
        Change { table, kind, returning }
    }

    pub(super) fn sql(&self) -> String {
        let names = names(self.table);
        let Names { own, .. } = names;
        let mut sql = match &self.kind {
            Kind::Insert { rows, conflict } => {
                let conflict = conflict.as_ref().map(|conflict| conflict.sql(names)).unwrap_or_default();
                format!("INSERT INTO {own} {}{conflict}", rows.sql())
            }
            Kind::Update { set, beside, condition } => {
                format!("UPDATE {own} SET {}{}", assignments(set, names), beside.sql("FROM", names, condition))
            }
            Kind::Delete { beside, condition } => {
                format!("DELETE FROM {own}{}", beside.sql("USING", names, condition))
            }
            Kind::Truncate => format!("TRUNCATE {own}"),
        };
        if self.returning {
            sql += &format!(" RETURNING {own}.k, {own}.n, {own}.s, {own}.x");
        }
        sql
    }

    /// The tag of it, but for the number of rows.
    pub(super) fn tag(&self) -> &'static str {
        match self.kind {
            Kind::Insert { .. } => "INSERT 0",
            Kind::Update { .. } => "UPDATE",
            Kind::Delete { .. } => "DELETE",
            Kind::Truncate => "TRUNCATE TABLE",
        }
    }
}

fn assignments(set: &[Assigned], names: Names) -> String {
    set.iter().map(|assigned| assigned.sql(names)).collect::<Vec<_>>().join(", ")
}

impl Rows {
    fn random(random: &mut Random, keys: u64, rows: u64, condition: Condition) -> Rows {
        if random.one_of(4) {
            let shift = if random.one_of(3) { 0 } else { random.below(2 * keys) as i64 };
            return Rows::Select { of: usize::from(random.one_of(2)), shift, condition };
        }
        let count = 1 + random.below(rows);
        Rows::Values((0..count).map(|_| Row::random(random, keys)).collect())
    }

    fn sql(&self) -> String {
        match self {
            Rows::Values(rows) => {
                let rows: Vec<String> = rows.iter().map(Row::values).collect();
                format!("VALUES {}", rows.join(", "))
            }
            Rows::Select { of, shift, condition } => {
                let names = names(*of);
                let own = names.own;
                let columns = format!("{own}.k + {shift}, {own}.n, {own}.s, {own}.x");
                format!("SELECT {columns} FROM {own} WHERE {}", condition.sql(names))
            }
        }
    }
}

impl Conflict {
    fn random(random: &mut Random, keys: u64) -> Conflict {
        let update = (!random.one_of(3)).then(|| {
            let condition = if random.one_of(2) { Condition::Always } else { Condition::random(random, keys, true) };
            (Assigned::random(random, 2, keys, true), condition)
        });
        Conflict { target: update.is_some() || random.one_of(2), update }
    }

    fn sql(&self, names: Names) -> String {
        let target = if self.target { " (k)" } else { "" };
        match &self.update {
            None => format!(" ON CONFLICT{target} DO NOTHING"),
            Some((set, condition)) => {
                let only = match condition {
                    Condition::Always => String::new(),
                    condition => format!(" WHERE {}", condition.sql(names)),
                };
                format!(" ON CONFLICT{target} DO UPDATE SET {}{only}", assignments(set, names))
            }
        }
    }
}
