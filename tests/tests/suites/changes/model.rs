//! The tables as plain vectors of rows, and what statements do to them.

use super::statement::{Assigned, Beside, Change, Conflict, Kind, Rows};
use super::terms::{Number, Row, Sight, State};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Rows of both tables.
pub(super) type Tables = [Vec<Row>; 2];

/// The values of `n` that the check of the first table allows are below.
pub(super) const N_BOUND: i64 = 1000;

const NOT_NULL: State = "23502";
const CHECK: State = "23514";
const UNIQUE: State = "23505";
const TWICE: State = "21000";

/// What a statement did: how many rows it inserted, changed or removed, and the rows that it gives back. Or errors: which of several
/// it has is free.
pub(super) type Done = Result<Vec<Row>, BTreeSet<State>>;

/// The tables, and as they were when a transaction and each savepoint of it began.
#[derive(Default)]
pub(super) struct Model {
    pub(super) tables: Tables,
    pub(super) saved: Vec<Tables>,
}

/// What subqueries give over tables as they are before a statement.
struct Facts {
    most: Option<i64>,
    own_n: HashSet<i64>,
    other_k: HashMap<i64, i64>,
    other_n: HashSet<i64>,
    other_n_null: bool,
    other_is_empty: bool,
}

impl Facts {
    fn of(tables: &Tables, table: usize) -> Facts {
        let (own, other) = (&tables[table], &tables[1 - table]);
        let mut other_k = HashMap::new();
        for k in other.iter().filter_map(|row| row.k) {
            *other_k.entry(k).or_default() += 1;
        }
        Facts {
            most: own.iter().filter_map(|row| row.n).max(),
            own_n: own.iter().filter_map(|row| row.n).collect(),
            other_k,
            other_n: other.iter().filter_map(|row| row.n).collect(),
            other_n_null: other.iter().any(|row| row.n.is_none()),
            other_is_empty: other.is_empty(),
        }
    }

    fn sight<'a>(&self, own: &'a Row, excluded: &'a Row) -> Sight<'a> {
        let matches = own.k.and_then(|k| self.other_k.get(&k)).copied().unwrap_or(0);
        Sight { own, excluded, most: self.most, matches }
    }

    fn meets(&self, beside: Beside, row: &Row) -> bool {
        match beside {
            Beside::Nothing => true,
            Beside::Joined | Beside::In => row.k.is_some_and(|k| self.other_k.contains_key(&k)),
            Beside::NotIn => {
                let other = row.k.is_some_and(|k| !self.other_n.contains(&k));
                self.other_is_empty || other && !self.other_n_null
            }
            Beside::OwnN => row.k.is_some_and(|k| self.own_n.contains(&k)),
        }
    }
}

impl Model {
    /// What is there for others: as it was before the transaction.
    pub(super) fn committed(&self) -> &Tables {
        self.saved.first().unwrap_or(&self.tables)
    }

    /// Does what a statement does; after an error all is as it was.
    pub(super) fn apply(&mut self, change: &Change) -> Done {
        let table = change.table;
        let facts = Facts::of(&self.tables, table);
        let (rows, done) = match &change.kind {
            Kind::Insert { rows, conflict } => self.insert(table, rows, conflict.as_ref(), &facts)?,
            Kind::Update { set, beside, condition } => {
                let meets = |row: &Row| facts.meets(*beside, row) && condition.of(&facts.sight(row, row)) == Some(true);
                let (mut rows, mut changed, mut errors) = (Vec::new(), Vec::new(), BTreeSet::new());
                for row in &self.tables[table] {
                    if !meets(row) {
                        rows.push(row.clone());
                        continue;
                    }
                    match assign(row, set, &facts.sight(row, row)) {
                        Ok(row) => {
                            changed.push(row.clone());
                            rows.push(row);
                        }
                        Err(state) => {
                            errors.insert(state);
                        }
                    }
                }
                if !errors.is_empty() {
                    return Err(errors);
                }
                (rows, changed)
            }
            Kind::Delete { beside, condition } => {
                let meets = |row: &Row| facts.meets(*beside, row) && condition.of(&facts.sight(row, row)) == Some(true);
                let (gone, left) = self.tables[table].iter().cloned().partition(meets);
                (left, gone)
            }
            Kind::Truncate => (Vec::new(), Vec::new()),
        };
        check(table, &rows)?;
        self.tables[table] = rows;
        Ok(done)
    }

    /// The rows that are to be inserted.
    fn proposed(&self, rows: &Rows) -> Result<Vec<Row>, BTreeSet<State>> {
        let (of, shift, condition) = match rows {
            Rows::Values(rows) => return Ok(rows.clone()),
            Rows::Select { of, shift, condition } => (*of, *shift, condition),
        };
        let facts = Facts::of(&self.tables, of);
        let kept = self.tables[of].iter().filter(|row| condition.of(&facts.sight(row, row)) == Some(true));
        let shifted = kept.map(|row| {
            let k = Number::Add(Box::new(Number::K), shift).of(&facts.sight(row, row))?;
            Ok(Row { k, ..row.clone() })
        });
        shifted.collect::<Result<_, State>>().map_err(|state| BTreeSet::from([state]))
    }

    fn insert(
        &self,
        table: usize,
        rows: &Rows,
        conflict: Option<&Conflict>,
        facts: &Facts,
    ) -> Result<(Vec<Row>, Vec<Row>), BTreeSet<State>> {
        let proposed = self.proposed(rows)?;
        let mut result = self.tables[table].clone();
        let Some(conflict) = conflict else {
            result.extend(proposed.iter().cloned());
            return Ok((result, proposed));
        };
        let mut errors: BTreeSet<State> = proposed.iter().filter_map(|row| violated(table, row)).collect();
        let places = result.iter().enumerate().filter_map(|(at, row)| Some((row.k?, at)));
        let mut places: HashMap<i64, usize> = places.collect();
        let (mut touched, mut done) = (HashSet::new(), Vec::new());
        for row in &proposed {
            let Some(k) = row.k else { continue };
            let Some(&at) = places.get(&k) else {
                places.insert(k, result.len());
                touched.insert(result.len());
                result.push(row.clone());
                done.push(row.clone());
                continue;
            };
            let Some((set, condition)) = &conflict.update else { continue };
            if touched.contains(&at) {
                errors.insert(TWICE);
                continue;
            }
            let there = result[at].clone();
            let sight = facts.sight(&there, row);
            if condition.of(&sight) == Some(true) {
                match assign(&there, set, &sight) {
                    Ok(row) => {
                        errors.extend(violated(table, &row));
                        touched.insert(at);
                        done.push(row.clone());
                        result[at] = row;
                    }
                    Err(state) => {
                        errors.insert(state);
                    }
                }
            }
        }
        if errors.is_empty() { Ok((result, done)) } else { Err(errors) }
    }
}

/// A row with other values; each sees the row as it was.
fn assign(row: &Row, set: &[Assigned], sight: &Sight<'_>) -> Result<Row, State> {
    let mut changed = row.clone();
    for assigned in set {
        match assigned {
            Assigned::K(number) => changed.k = number.of(sight)?,
            Assigned::N(number) => changed.n = number.of(sight)?,
            Assigned::S(words) => changed.s = words.of(sight),
            Assigned::X(real) => changed.x = real.of(sight)?,
        }
    }
    Ok(changed)
}

/// What a row of a table violates by itself.
fn violated(table: usize, row: &Row) -> Option<State> {
    match row {
        _ if table > 0 => None,
        Row { k: None, .. } => Some(NOT_NULL),
        Row { n: Some(N_BOUND..), .. } => Some(CHECK),
        _ => None,
    }
}

/// Whether the rows of a table may be so.
fn check(table: usize, rows: &[Row]) -> Result<(), BTreeSet<State>> {
    let mut errors: BTreeSet<State> = rows.iter().filter_map(|row| violated(table, row)).collect();
    let mut keys = HashSet::new();
    if table == 0 && !rows.iter().filter_map(|row| row.k).all(|k| keys.insert(k)) {
        errors.insert(UNIQUE);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
