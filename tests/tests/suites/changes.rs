//! Random sequences of INSERT, UPDATE, DELETE, ON CONFLICT, TRUNCATE and transactions beside a model of two tables in plain Rust.
//!
//! After each statement its tag, or the SQLSTATE of its error, and the tables' rows are what the model says; so is the answer to one
//! of some questions, whose plans rely on what is proven of a table: its values differ, it has no NULLs, its rows are in order.
//! Another session sees what was committed, and nothing else.

mod model;
mod questions;
mod statement;
mod terms;

use super::typed_random::Random;
use model::{Model, N_BOUND, Tables};
use multiloop::{Prepared, Session};
use multiloop_tests::{Answer, WAYS, Way, answer, answer_of};
use statement::{Change, Kind, Sizes, TABLES};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use terms::Row;

/// How the first table is made, and the other one.
const DEFINITIONS: [&str; 2] = [
    "CREATE TABLE t (k int PRIMARY KEY, n int CHECK (n < 1000), s text, x double precision)",
    "CREATE TABLE u (k int, n int, s text, x double precision)",
];

/// What is compared, and how.
struct Run {
    session: Session,
    /// Who sees what is committed.
    other: Session,
    model: Model,
    random: Random,
    sizes: Sizes,
    /// Rows beyond which a table is no longer let grow.
    rows_max: usize,
    /// The last statements, for a failure.
    log: Vec<String>,
    /// Statements that were prepared when they first ran: their plans are to be good for what became of the tables since.
    prepared: HashMap<String, Prepared>,
    /// Changes of those, some of which run again.
    past: Vec<Change>,
}

impl Run {
    fn new(way: Way, seed: u64, sizes: Sizes, rows_max: usize) -> Run {
        let session = way.session();
        let mut other = session.engine().session();
        way.set(&mut other);
        for definition in DEFINITIONS {
            session.sql(definition).expect("a table is made");
        }
        let (model, random, log) = (Model::default(), Random(seed), vec![format!("{}, seed {seed}", way.name)]);
        Run { session, other, model, random, sizes, rows_max, log, prepared: HashMap::new(), past: Vec::new() }
    }

    fn answer(&mut self, sql: &str) -> Answer {
        self.log.push(sql.to_owned());
        answer(&self.session, sql)
    }

    /// Runs a statement that was prepared, now or before.
    fn answer_prepared(&mut self, sql: &str) -> Answer {
        self.log.push(format!("{sql} -- prepared"));
        let prepared = match self.prepared.entry(sql.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => match self.session.prepare(sql) {
                Ok(prepared) => place.insert(prepared),
                Err(error) => return Answer::Error(error.sqlstate().to_owned(), error.message().to_owned()),
            },
        };
        answer_of(|| prepared.execute(&self.session, &[]))
    }

    /// The last statements, to be shown with a failure.
    fn log(&self) -> String {
        let last = self.log.len().saturating_sub(40).max(1);
        format!("{}\n{}", self.log[0], self.log[last..].join(";\n"))
    }

    /// Does something in the engine that gives no rows and has no error.
    fn done(&mut self, sql: &str) {
        let found = self.answer(sql);
        assert!(matches!(found, Answer::Done(_)), "{found:?}\n{}", self.log());
    }

    fn step(&mut self) {
        match self.random.below(14) {
            0 => self.transaction(),
            _ => self.change(),
        }
        self.compare();
        if self.random.one_of(8) {
            let seen = tables(&self.other);
            assert_eq!(seen, shown(self.model.committed()), "for another session\n{}", self.log());
        }
    }

    fn change(&mut self) {
        let is_large = [0, 1].map(|table| self.model.tables[table].len() > self.rows_max);
        let is_again = !self.past.is_empty() && !is_large.contains(&true) && self.random.one_of(3);
        let mut change = match is_again {
            true => self.past[self.random.below(self.past.len() as u64) as usize].clone(),
            false => Change::random(&mut self.random, self.sizes, is_large),
        };
        if let Kind::Insert { conflict, .. } = &mut change.kind
            && change.table > 0
        {
            *conflict = None;
        }
        let expected = self.model.apply(&change);
        let is_prepared = is_again || self.random.one_of(4);
        let found = if is_prepared { self.answer_prepared(&change.sql()) } else { self.answer(&change.sql()) };
        if is_prepared && !is_again && self.past.len() < 12 {
            self.past.push(change.clone());
        }
        match (expected, found) {
            (Ok(rows), Answer::Done(tag)) if !change.returning => {
                let count =
                    if matches!(change.kind, Kind::Truncate) { String::new() } else { format!(" {}", rows.len()) };
                assert_eq!(tag, format!("{}{count}", change.tag()), "\n{}", self.log());
            }
            (Ok(rows), Answer::Rows(_, mut found)) if change.returning => {
                found.sort();
                assert_eq!(found, cells(&rows), "RETURNING\n{}", self.log());
            }
            (Err(states), Answer::Error(state, message)) => {
                assert!(states.contains(&*state), "{state} {message}, and not {states:?}\n{}", self.log());
                self.after_error();
            }
            (expected, found) => {
                let rows = expected.map(|rows| rows.len());
                panic!("expected {rows:?} rows, found {found:?}\n{}", self.log());
            }
        }
    }

    /// Leaves a transaction that has failed, to one of its savepoints or as a whole.
    fn after_error(&mut self) {
        if self.model.saved.is_empty() {
            return;
        }
        if self.random.one_of(3) {
            let found = self.answer("SELECT 1");
            assert!(matches!(&found, Answer::Error(state, _) if state == "25P02"), "{found:?}\n{}", self.log());
        }
        if self.model.saved.len() > 1 && !self.random.one_of(4) {
            self.back_to_savepoint();
        } else {
            self.model.tables = self.model.saved.swap_remove(0);
            self.model.saved.clear();
            let end = if self.random.one_of(2) { "ROLLBACK" } else { "COMMIT" };
            self.done(end);
        }
    }

    fn back_to_savepoint(&mut self) {
        let savepoint = 1 + self.random.below(self.model.saved.len() as u64 - 1) as usize;
        self.model.saved.truncate(savepoint + 1);
        self.model.tables = self.model.saved[savepoint].clone();
        self.done(&format!("ROLLBACK TO s{savepoint}"));
    }

    fn transaction(&mut self) {
        let begun = self.model.saved.len();
        let now = self.model.tables.clone();
        match self.random.below(8) {
            _ if begun == 0 => {
                self.model.saved.push(now);
                self.done("BEGIN");
            }
            0 => {
                self.model.saved.clear();
                self.done("COMMIT");
            }
            1 => {
                self.model.tables = self.model.saved.swap_remove(0);
                self.model.saved.clear();
                self.done("ROLLBACK");
            }
            2 | 3 if begun > 1 => self.back_to_savepoint(),
            4 if begun > 1 => {
                let savepoint = 1 + self.random.below(begun as u64 - 1) as usize;
                self.model.saved.truncate(savepoint);
                self.done(&format!("RELEASE s{savepoint}"));
            }
            _ if begun < 5 => {
                self.model.saved.push(now);
                self.done(&format!("SAVEPOINT s{begun}"));
            }
            _ => {
                self.model.saved.clear();
                self.done("COMMIT");
            }
        }
    }

    /// Both tables, and a question.
    fn compare(&mut self) {
        assert_eq!(tables(&self.session), shown(&self.model.tables), "\n{}", self.log());
        self.ask();
    }

    fn ask(&mut self) {
        let (sql, expected) = questions::random(&mut self.random, &self.model.tables);
        let found = if self.random.one_of(2) { self.answer_prepared(&sql) } else { answer(&self.session, &sql) };
        match found {
            Answer::Rows(_, found) => assert_eq!(found, expected, "{sql}\n{}", self.log()),
            found => panic!("{sql}: {found:?}\n{}", self.log()),
        }
    }
}

/// Rows as a query shows them, sorted.
fn cells(rows: &[Row]) -> Vec<Vec<String>> {
    let mut cells: Vec<_> = rows.iter().map(Row::cells).collect();
    cells.sort();
    cells
}

fn shown(tables: &Tables) -> [Vec<Vec<String>>; 2] {
    [0, 1].map(|table| cells(&tables[table]))
}

/// What a session sees, sorted; the engine has to have it in the order of its keys.
fn tables(session: &Session) -> [Vec<Vec<String>>; 2] {
    TABLES.map(|table| {
        let Answer::Rows(_, mut rows) = answer(session, &format!("SELECT * FROM {table} ORDER BY k")) else {
            panic!("{table} can be read");
        };
        let keys: Vec<i64> = rows.iter().map(|row| row[0].parse().unwrap_or(i64::MAX)).collect();
        assert!(keys.is_sorted(), "{table} by its keys: {keys:?}");
        rows.sort();
        rows
    })
}

const SMALL: Sizes = Sizes { keys: 25, rows: 6 };

/// Statements over small tables, of several seeds.
fn check_small(way: Way, seeds: Range<u64>, steps: usize) {
    for seed in seeds {
        let mut run = Run::new(way, seed, SMALL, 40);
        (0..steps).for_each(|_| run.step());
    }
}

#[test]
fn small_tables_interpreted() {
    check_small(WAYS[0], 0..2, 100);
}

#[test]
fn small_tables_without_rules() {
    check_small(WAYS[3], 10..12, 100);
}

#[test]
fn small_tables() {
    check_small(WAYS[2], 20..24, 150);
}

#[test]
fn tables_of_some_hundred_rows() {
    let mut run = Run::new(WAYS[2], 30, Sizes { keys: 900, rows: 200 }, 800);
    (0..60).for_each(|_| run.step());
}

/// Two chunks, of which most statements change one.
#[test]
fn tables_of_two_chunks() {
    const ROWS: i64 = 70_000;
    let mut run = Run::new(WAYS[2], 40, Sizes { keys: ROWS as u64 + 100, rows: 50 }, 80_000);
    let text = |k: i64| (k % 7 > 0).then(|| format!("of {}", k % 7));
    let row = |k: i64| Row { k: Some(k), n: Some(k % N_BOUND), s: text(k), x: None };
    for (table, name) in TABLES.iter().enumerate() {
        run.model.tables[table] = (1..=ROWS).map(row).collect();
        let s = "CASE WHEN k % 7 > 0 THEN 'of ' || k % 7 END";
        let from = format!("generate_series(1, {ROWS}) AS g (k)");
        run.done(&format!("INSERT INTO {name} SELECT k, k % {N_BOUND}, {s}, NULL FROM {from}"));
    }
    for step in 0..27 {
        match run.random.below(14) {
            0 => run.transaction(),
            _ => run.change(),
        }
        if step % 13 == 12 {
            run.compare();
        } else {
            run.ask();
        }
    }
}
