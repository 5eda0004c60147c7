//! Random transactions of three sessions beside a model of snapshot isolation in plain Rust.
//!
//! Each session sees what the model says: in READ COMMITTED what is committed and what it has changed itself, in REPEATABLE READ what
//! was committed when its first statement ran. A row that an open transaction has changed is waited for (55P03 here, where nobody
//! waits long), and one that was changed since it was seen is refused (40001). Statements name one table or several, by views and by
//! functions, some are prepared and run as short ones; and the engine tidies its tables up now and then.
//!
//! `TRANSACTIONS=n` tries n databases; a failure prints the statements that lead to it.

use super::typed_random::Random;
use multiloop::{Engine, Execution, Prepared, Session, Value};
use multiloop_tests::{Answer, answer, answer_of};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const TABLES: [&str; 3] = ["t", "u", "w"];
const SESSIONS: usize = 3;

const LOCKED: &str = "55P03";
const CHANGED: &str = "40001";

/// Rows by their `id`: `v`, and which commit has changed them last.
type Rows = BTreeMap<i64, (i64, u64)>;

/// What a transaction has changed: none is a deleted row.
type Own = [BTreeMap<i64, Option<i64>>; 3];

/// A transaction that is open.
#[derive(Default)]
struct Open {
    /// What it sees besides its own, once it is REPEATABLE READ and has asked.
    snapshot: Option<[Rows; 3]>,
    repeats: bool,
    own: Own,
    saved: Vec<Own>,
    failed: bool,
}

struct Run {
    engine: Engine,
    sessions: Vec<Session>,
    /// `UPDATE … WHERE id = $1` of each table, by session.
    prepared: Vec<Vec<Prepared>>,
    open: [Option<Open>; SESSIONS],
    committed: [Rows; 3],
    commits: u64,
    /// Who has changed a row of a table.
    locks: BTreeMap<(usize, i64), usize>,
    /// Who may have taken a row for a statement that failed, in a transaction that has a savepoint to go back to.
    perhaps: BTreeSet<(usize, i64, usize)>,
    next_id: i64,
    has_view: bool,
    has_function: bool,
    random: Random,
    log: Vec<String>,
}

impl Run {
    fn new(seed: u64) -> Run {
        let engine = Engine::builder().threads(2).build().expect("an engine");
        let sessions: Vec<Session> = (0..SESSIONS).map(|_| engine.session()).collect();
        let (has_view, has_function) = (seed % 3 == 1, seed % 5 == 2);
        let mut made = vec![
            "CREATE TABLE t (id int PRIMARY KEY, v int)",
            "CREATE TABLE u (id int, v int)",
            "CREATE TABLE w (id int UNIQUE, v int NOT NULL)",
        ];
        made.extend(has_view.then_some("CREATE VIEW seen AS SELECT id, v FROM t"));
        made.extend(
            has_function
                .then_some("CREATE FUNCTION total() RETURNS bigint STABLE LANGUAGE SQL AS 'SELECT sum(v) FROM u'"),
        );
        for sql in made {
            sessions[0].sql(sql).expect("it is made");
        }
        let prepare = |session: &Session| {
            session.sql("SET lock_timeout = '1ms'").expect("a setting");
            let update = |table: &&str| session.prepare(&format!("UPDATE {table} SET v = v + $2 WHERE id = $1"));
            TABLES.iter().map(|table| update(table).expect("it is prepared")).collect()
        };
        let prepared = sessions.iter().map(prepare).collect();
        Run {
            engine,
            prepared,
            sessions,
            open: [None, None, None],
            committed: Default::default(),
            commits: 0,
            locks: BTreeMap::new(),
            perhaps: BTreeSet::new(),
            next_id: 0,
            has_view,
            has_function,
            random: Random(seed * 7919 + 1),
            log: vec![format!("seed {seed}")],
        }
    }

    fn log(&self) -> String {
        self.log[self.log.len().saturating_sub(60)..].join(";\n")
    }

    fn answer(&mut self, session: usize, sql: &str) -> Answer {
        self.log.push(format!("{session}: {sql}"));
        answer(&self.sessions[session], sql)
    }

    /// What a session sees of a table.
    fn view(&mut self, session: usize, table: usize) -> BTreeMap<i64, i64> {
        let committed = &self.committed;
        let Some(open) = &mut self.open[session] else { return values(&committed[table]) };
        let base = match open.repeats {
            true => &open.snapshot.get_or_insert_with(|| committed.clone())[table],
            false => &committed[table],
        };
        let mut seen = values(base);
        for (&id, own) in &open.own[table] {
            match own {
                Some(v) => drop(seen.insert(id, *v)),
                None => drop(seen.remove(&id)),
            }
        }
        seen
    }

    /// A query of one table, of two, or through what stands before them.
    fn query(&mut self, session: usize) {
        let table = self.random.below(3) as usize;
        let (sql, expected) = match self.random.below(6) {
            0 if self.has_view => {
                let sum: i64 = self.view(session, 0).values().sum();
                ("SELECT coalesce(sum(v), 0) FROM seen".to_owned(), vec![vec![sum.to_string()]])
            }
            1 if self.has_function => {
                let sum: i64 = self.view(session, 1).values().sum();
                ("SELECT coalesce(total(), 0)".to_owned(), vec![vec![sum.to_string()]])
            }
            2 | 3 => {
                let (left, right) = (table, (table + 1) % 3);
                let (a, b) = (self.view(session, left), self.view(session, right));
                let pairs = a.values().map(|v| b.values().filter(|other| *other == v).count()).sum::<usize>();
                let (left, right) = (TABLES[left], TABLES[right].to_uppercase());
                (format!("SELECT count(*) FROM {left} a JOIN {right} b ON a.v = b.v"), vec![vec![pairs.to_string()]])
            }
            _ => {
                let rows = self.view(session, table);
                let rows = rows.iter().map(|(id, v)| vec![id.to_string(), v.to_string()]).collect();
                (format!("SELECT id, v FROM {} ORDER BY id", TABLES[table]), rows)
            }
        };
        match self.answer(session, &sql) {
            Answer::Rows(_, rows) => assert_eq!(rows, expected, "\n{}", self.log()),
            other => panic!("{other:?}\n{}", self.log()),
        }
    }

    /// Some rows of a table are changed, or taken: by an `id`, or by a `v`; in the other case by what another table has.
    fn change(&mut self, session: usize) {
        let table = self.random.below(3) as usize;
        let (name, rows) = (TABLES[table], self.view(session, table));
        let delta = self.random.below(5) as i64 - 2;
        if self.random.below(4) == 0 || rows.is_empty() {
            self.next_id += 1;
            let (id, v) = (self.next_id, self.random.below(12) as i64);
            let done = self.answer(session, &format!("INSERT INTO {name} VALUES ({id}, {v})"));
            assert!(matches!(done, Answer::Done(_)), "{done:?}\n{}", self.log());
            return self.done(session, table, vec![(id, Some(v))], false);
        }
        let ids: Vec<i64> = rows.keys().copied().collect();
        let id = ids[self.random.below(ids.len() as u64) as usize];
        let deletes = self.random.below(4) == 0;
        let next = |v: i64| if deletes { None } else { Some(v + delta) };
        let (condition, found): (String, Vec<i64>) = match self.random.below(4) {
            0 => {
                let modulo = self.random.below(5) as i64;
                let is_found = |id: &&i64| rows[*id].rem_euclid(5) == modulo;
                (format!("((v % 5) + 5) % 5 = {modulo}"), ids.iter().filter(is_found).copied().collect())
            }
            1 => {
                let other = (table + 1 + self.random.below(2) as usize) % 3;
                let most = self.view(session, other).values().max().copied();
                let is_found = |id: &&i64| most.is_some_and(|most| rows[*id] > most);
                (format!("v > (SELECT max(v) FROM {})", TABLES[other]), ids.iter().filter(is_found).copied().collect())
            }
            _ => (format!("id = {id}"), vec![id]),
        };
        let changes: Vec<(i64, Option<i64>)> = found.iter().map(|&id| (id, next(rows[&id]))).collect();
        let takes = self.random.one_of(6);
        let done = if takes {
            self.answer(session, &format!("SELECT id FROM {name} WHERE {condition} ORDER BY id FOR UPDATE"))
        } else if deletes {
            self.answer(session, &format!("DELETE FROM {name} WHERE {condition}"))
        } else if condition.starts_with("id") && self.random.below(2) == 0 {
            self.run_prepared(session, table, id, delta)
        } else {
            self.answer(session, &format!("UPDATE {name} SET v = v + {delta} WHERE {condition}"))
        };
        let (mut states, mut is_refused) = (Vec::new(), false);
        for &(id, _) in &changes {
            if self.locks.get(&(table, id)).is_some_and(|&holder| holder != session) {
                states.push(LOCKED);
                is_refused = true;
            }
            if (0..SESSIONS).any(|other| other != session && self.perhaps.contains(&(table, id, other))) {
                states.push(LOCKED);
            }
            let open = self.open[session].as_ref();
            let seen = open.and_then(|open| open.snapshot.as_ref()).and_then(|all| all[table].get(&id));
            let is = self.committed[table].get(&id);
            if seen.is_some_and(|seen| is.is_none_or(|is| is.1 != seen.1)) {
                states.push(CHANGED);
                is_refused = true;
            }
        }
        match done {
            Answer::Rows(_, rows) if !is_refused && takes => {
                let ids: Vec<_> = found.iter().map(|id| vec![id.to_string()]).collect();
                assert_eq!(rows, ids, "\n{}", self.log());
                let is_open = self.open[session].is_some();
                let taken = found.iter().filter(|id| is_open && self.committed[table].contains_key(id));
                self.locks.extend(taken.map(|&id| ((table, id), session)));
            }
            Answer::Done(_) if !is_refused && !takes => self.done(session, table, changes, true),
            Answer::Error(state, _) if states.contains(&state.as_str()) => {
                if let Some(open) = &mut self.open[session] {
                    open.failed = true;
                    if open.saved.is_empty() {
                        self.release(session);
                    } else {
                        self.perhaps.extend(found.iter().map(|&id| (table, id, session)));
                    }
                }
            }
            other => panic!("{other:?}, not {states:?}\n{}", self.log()),
        }
    }

    /// By the way of a server's short statements, if it is one.
    fn run_prepared(&mut self, session: usize, table: usize, id: i64, delta: i64) -> Answer {
        self.log.push(format!("{session}: UPDATE {} SET v = v + {delta} WHERE id = {id} -- prepared", TABLES[table]));
        let (of, prepared) = (&self.sessions[session], &self.prepared[session][table]);
        let values = [Value::Int(id), Value::Int(delta)];
        answer_of(|| {
            let done = match of.run_within(prepared, &values, Duration::from_secs(1))? {
                Some(done) => done,
                None => of.run(prepared, &values)?,
            };
            let Execution::Result(result) = done else { panic!("it is no COPY") };
            Ok(result)
        })
    }

    /// A change was made: of the transaction that is open, or of all.
    fn done(&mut self, session: usize, table: usize, changes: Vec<(i64, Option<i64>)>, locks: bool) {
        self.commits += 1;
        for (id, v) in changes {
            match &mut self.open[session] {
                Some(open) => {
                    open.own[table].insert(id, v);
                    if locks && self.committed[table].contains_key(&id) {
                        self.locks.insert((table, id), session);
                    }
                }
                None => self.commit_row(table, id, v),
            }
        }
    }

    fn release(&mut self, session: usize) {
        self.locks.retain(|_, holder| *holder != session);
        self.perhaps.retain(|(_, _, holder)| *holder != session);
    }

    fn commit_row(&mut self, table: usize, id: i64, v: Option<i64>) {
        match v {
            Some(v) => drop(self.committed[table].insert(id, (v, self.commits))),
            None => drop(self.committed[table].remove(&id)),
        }
    }

    fn end(&mut self, session: usize, commits: bool) {
        let expected =
            if commits && !self.open[session].as_ref().is_some_and(|open| open.failed) { "COMMIT" } else { "ROLLBACK" };
        let done = self.answer(session, if commits { "COMMIT" } else { "ROLLBACK" });
        assert!(matches!(&done, Answer::Done(tag) if tag == expected), "{done:?}\n{}", self.log());
        let Some(open) = self.open[session].take() else { return };
        self.release(session);
        if expected == "COMMIT" {
            self.commits += 1;
            for (table, rows) in open.own.into_iter().enumerate() {
                rows.into_iter().for_each(|(id, v)| self.commit_row(table, id, v));
            }
        }
    }

    fn step(&mut self) {
        let session = self.random.below(SESSIONS as u64) as usize;
        let choice = self.random.below(20);
        let Some(open) = &self.open[session] else {
            match choice {
                0..8 => {
                    let repeats = self.random.below(3) == 0;
                    let level = if repeats { "REPEATABLE READ" } else { "READ COMMITTED" };
                    self.answer(session, &format!("BEGIN ISOLATION LEVEL {level}"));
                    self.open[session] = Some(Open { repeats, ..Open::default() });
                }
                8 => self.engine.maintain().expect("there is memory"),
                9..14 => self.query(session),
                _ => self.change(session),
            }
            return;
        };
        let saves = open.saved.len();
        match choice {
            _ if open.failed && (saves == 0 || choice > 5) => self.end(session, choice.is_multiple_of(2)),
            0 | 1 if saves > 0 => {
                self.answer(session, "ROLLBACK TO s");
                if let Some(open) = &mut self.open[session] {
                    (open.own, open.failed) = (open.saved[saves - 1].clone(), false);
                }
            }
            _ if open.failed => self.end(session, false),
            2 if saves < 2 => {
                self.answer(session, "SAVEPOINT s");
                if let Some(open) = &mut self.open[session] {
                    open.saved.push(open.own.clone());
                }
            }
            3 | 4 => self.end(session, true),
            5 => {
                let commits = self.random.below(3) > 0;
                self.end(session, commits);
            }
            6..13 => self.query(session),
            _ => self.change(session),
        }
    }
}

fn values(rows: &Rows) -> BTreeMap<i64, i64> {
    rows.iter().map(|(&id, &(v, _))| (id, v)).collect()
}

#[test]
fn transactions_see_what_they_are_to_see() {
    let seeds = std::env::var("TRANSACTIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(12);
    for seed in 0..seeds {
        let mut run = Run::new(seed);
        for _ in 0..300 {
            run.step();
        }
        for session in 0..SESSIONS {
            if run.open[session].is_some() {
                run.end(session, true);
            }
        }
        for (table, name) in TABLES.iter().enumerate() {
            let rows = values(&run.committed[table]);
            let rows: Vec<_> = rows.iter().map(|(id, v)| vec![id.to_string(), v.to_string()]).collect();
            let found = run.answer(0, &format!("SELECT id, v FROM {name} ORDER BY id"));
            assert!(matches!(&found, Answer::Rows(_, found) if *found == rows), "{found:?}\n{}", run.log());
        }
    }
}
