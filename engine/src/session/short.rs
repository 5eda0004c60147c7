//! Statements that are known to be short: for callers that may not wait, such as threads that carry the messages of many clients.
//!
//! A statement is short by the plan that it has, if that is still good for what the session sees, and by what the plan says of its
//! time; a change, if it is part of a transaction, whose end writes it. To make a plan takes longer than that, so nothing is planned
//! here; nor is anything run once more.

use super::Session;
use super::prepared::{Execution, Prepared};
use crate::guard::guarded;
use crate::plan::Planned;
use crate::running::Backend;
use crate::{ErrorKind, Result};
use multiloop_planner::value::Value;
use std::time::Duration;

impl Session {
    /// How long a prepared statement takes at most, about, with any parameters. None if that is not known, or may be long: of what is no
    /// query, of what joins or sorts, of scans of more than a few thousand rows, of functions that may take their time for one value.
    ///
    /// # Errors
    /// Those of planning it, where it has no plan, or an old one.
    pub fn estimate(&self, prepared: &Prepared) -> Result<Option<Duration>> {
        if !prepared.is_query() || self.options.backend != Backend::Cpu {
            return Ok(None);
        }
        guarded(|| {
            let running = self.running();
            running.with_snapshot(|snapshot| {
                let planned = prepared.plan(self, snapshot)?;
                planned.executable.plan(running.hardware())?;
                Ok(planned.executable.time_max())
            })
        })
    }

    /// Runs a prepared statement as [`Session::run`] does, if it has a plan already, and takes no longer than this by its estimate.
    /// None if not: nothing has been done then, and nothing has been waited for.
    ///
    /// # Errors
    /// Those of running it.
    pub fn run_within(&self, prepared: &Prepared, parameters: &[Value], time: Duration) -> Result<Option<Execution>> {
        if prepared.is_begin() {
            return self.run(prepared, parameters).map(Some);
        }
        if self.options.backend != Backend::Cpu || !prepared.kept().is_some_and(|planned| is_within(&planned, time)) {
            return Ok(None);
        }
        let (done, ran) = self.seen_running(&prepared.statement, || {
            self.as_statement_within(prepared.room_of_plan(), || {
                let parameters = &*prepared.admitted(self, parameters)?;
                self.stated_in_transaction(&prepared.statement.parsed, || match prepared.is_change() {
                    true => prepared.run_short_change(self, parameters, time),
                    false => self.run_short(prepared, parameters, time),
                })
            })
        })?;
        Ok(match (done, ran) {
            (Some(done), Some(ran)) => Some(done.tallied(ran)),
            (done, _) => done,
        })
    }

    fn run_short(&self, prepared: &Prepared, parameters: &[Value], time: Duration) -> Result<Option<Execution>> {
        let running = self.running();
        running.with_snapshot(|snapshot| {
            let Some(planned) = prepared.still(self, snapshot).filter(|planned| is_within(planned, time)) else {
                return Ok(None);
            };
            let context = running.context();
            match running.execute(&planned.executable, snapshot, parameters, &context) {
                // Another plan may give rows.
                Err(error)
                    if error.kind().asks_for_wide_numerics()
                        || error.kind() == ErrorKind::Outgrown
                        || planned.is_premature(&error) =>
                {
                    Ok(None)
                }
                result => {
                    let result = result?;
                    prepared.check_fields(result.fields())?;
                    running.change_settings(snapshot)?;
                    Ok(Some(Execution::Result(result)))
                }
            }
        })
    }

    /// Whether [`Session::end_implicit`] has nothing to do that takes time: nothing to show or to tell others, nothing to drop.
    pub fn is_end_idle(&self) -> bool {
        self.work.is_explicit() || (self.work.is_end_idle() && self.cursors().is_empty())
    }
}

fn is_within(planned: &Planned, time: Duration) -> bool {
    planned.executable.time_max().is_some_and(|time_max| time_max <= time)
}

#[cfg(test)]
mod tests {
    use crate::{DataType, Engine, Execution, Prepared, Session, Value};
    use std::time::Duration;

    const SHORT: Duration = Duration::from_micros(50);

    /// A session with a table of 150,000 rows in the order of their keys, and one of ten.
    fn session() -> Session {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        let large = "SELECT i::bigint AS k, (i * 7 % 1000)::int AS v, 'text ' || i::text AS t FROM generate_series(1, 150000) g(i)";
        session.sql(&format!("CREATE TABLE large AS {large}")).expect("a table");
        session.sql("CREATE TABLE small AS SELECT k, v, t FROM large WHERE k <= 10").expect("a table");
        session
    }

    fn prepare(session: &Session, sql: &str) -> Prepared {
        session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    fn is_short(session: &Session, sql: &str) -> bool {
        let time = session.estimate(&prepare(session, sql)).unwrap_or_else(|error| panic!("{sql}: {error}"));
        time.is_some_and(|time| time <= SHORT)
    }

    fn rows(execution: Execution) -> Vec<Option<i64>> {
        use arrow::array::AsArray as _;
        use arrow::datatypes::Int64Type;
        let Execution::Result(result) = execution else { panic!("it gives rows") };
        let batches = result.collect_batches().expect("it runs");
        let columns = batches.iter().map(|batch| batch.column(0).as_primitive::<Int64Type>());
        columns.flat_map(|column| column.iter().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn what_is_short() {
        let session = session();
        for sql in [
            "SELECT 1",
            "SELECT $1::int + 1, 'text'",
            "SELECT k, v, t FROM large WHERE k = $1",
            "SELECT k, v, t FROM large WHERE v > 3 AND k = $1",
            "SELECT v FROM large WHERE k = 5::bigint",
            "SELECT * FROM small",
            "SELECT count(*), min(v) FROM small WHERE v > $1",
            "SELECT count(*) FROM small WHERE v + 0.5 > $1 AND v + 0.5 <> $2",
            "SELECT count(*) FROM small WHERE t::char(9) = $1",
        ] {
            assert!(is_short(&session, sql), "{sql}");
        }
        for sql in [
            "SELECT v FROM large",
            "SELECT count(*) FROM large",
            // No search finds these.
            "SELECT k FROM large WHERE v = $1",
            "SELECT k FROM large WHERE t = $1",
            "SELECT k FROM large WHERE k > $1",
            "SELECT k FROM large WHERE k = v",
            "SELECT k FROM large WHERE k = $1 OR v = $1",
            "SELECT a.k FROM small a JOIN large b ON a.k = b.k",
            "SELECT k FROM small ORDER BY v",
            "SELECT v % 3, count(*) FROM small GROUP BY v % 3",
            "SELECT i FROM generate_series(1, 1000000000) g(i)",
            "SELECT i FROM generate_series(1, $1::int) g(i)",
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r",
            "SELECT repeat('x', $1)",
            "SELECT lpad('x', $1)",
            "SELECT t ~ $1 FROM small",
            "SELECT $1::numeric * $2::numeric",
            "SELECT (SELECT sum(v) FROM large)",
            "INSERT INTO small SELECT * FROM small",
            "CREATE TABLE other (a int)",
            "BEGIN",
        ] {
            assert!(!is_short(&session, sql), "{sql}");
        }
    }

    #[test]
    fn what_is_run() {
        let session = session();
        let prepared = prepare(&session, "SELECT k FROM large WHERE k = $1");
        let run = |value: i64| session.run_within(&prepared, &[Value::Int(value)], SHORT).expect("it runs");
        // Nobody has planned how it runs.
        assert!(run(7).is_none());
        assert_eq!(rows(session.run(&prepared, &[Value::Int(7)]).expect("it runs")), [Some(7)]);
        for value in [1, 7, 65_536, 65_537, 150_000] {
            assert_eq!(rows(run(value).expect("it is short")), [Some(value)]);
        }
        for value in [0, -1, 150_001, i64::MAX, i64::MIN] {
            assert_eq!(rows(run(value).expect("it is short")), []);
        }
        let null = session.run_within(&prepared, &[Value::Null], SHORT).expect("it runs");
        assert_eq!(rows(null.expect("it is short")), []);
        // What is estimated at more is not run, nor is what is not there any more.
        assert!(session.run_within(&prepared, &[Value::Int(7)], Duration::ZERO).expect("no error").is_none());
        session.sql("INSERT INTO large VALUES (150001, 1, 'x')").expect("a row");
        assert!(run(7).is_none());
        assert_eq!(rows(session.run(&prepared, &[Value::Int(150_001)]).expect("it runs")), [Some(150_001)]);
        assert_eq!(rows(run(150_001).expect("it is short")), [Some(150_001)]);
        // A key that comes late is in no order.
        session.sql("INSERT INTO large VALUES (-5, 1, 'x')").expect("a row");
        assert_eq!(rows(session.run(&prepared, &[Value::Int(-5)]).expect("it runs")), [Some(-5)]);
        assert!(run(-5).is_none());
    }

    #[test]
    fn errors_are_those_of_the_statement() {
        let session = session();
        let prepared = prepare(&session, "SELECT 10 / $1::bigint");
        assert_eq!(prepared.parameter_types(), [DataType::BigInt]);
        let run = |value: i64| session.run_within(&prepared, &[Value::Int(value)], SHORT);
        session.run(&prepared, &[Value::Int(5)]).expect("it runs");
        assert_eq!(rows(run(5).expect("it runs").expect("it is short")), [Some(2)]);
        session.begin_implicit();
        assert!(session.is_end_idle());
        // One that was run ahead of its time runs once more elsewhere.
        let again = || session.run(&prepared, &[Value::Int(0)]).map(drop);
        let error = run(0).and_then(|ran| if ran.is_none() { again() } else { Ok(()) }).expect_err("it fails");
        assert_eq!(error.sqlstate(), "22012");
        assert_eq!(session.transaction_status(), crate::TransactionStatus::Failed);
        assert!(!session.is_end_idle());
        session.end_implicit().expect("it is undone");
        session.begin_implicit();
        session.sql("CREATE TABLE made (a int)").expect("a table");
        assert!(!session.is_end_idle());
        session.end_implicit().expect("it is done");
        assert!(session.is_end_idle());
        assert!(session.run_within(&prepared, &[], SHORT).is_err());
    }

    /// Runs a prepared change, and says whether that was done on the short way.
    fn change(session: &Session, prepared: &Prepared, parameters: &[Value]) -> (bool, String) {
        let long = std::time::Duration::from_millis(10);
        let short = session.run_within(prepared, parameters, long).expect("it runs");
        let is_short = short.is_some();
        let run = || session.run(prepared, parameters).expect("it runs");
        let Execution::Result(result) = short.unwrap_or_else(run) else { panic!("it is no COPY") };
        (is_short, result.tag().expect("a tag").to_owned())
    }

    #[test]
    fn changes_in_a_transaction() {
        let session = session();
        session.sql("CREATE TABLE log (v int, at timestamptz DEFAULT now(), of timestamptz)").expect("a table");
        let update = prepare(&session, "UPDATE large SET v = v + $1 WHERE k = $2");
        let delete = prepare(&session, "DELETE FROM large WHERE k = $1");
        let insert = prepare(&session, "INSERT INTO log (v, of) VALUES ($1, statement_timestamp())");
        let begin = prepare(&session, "BEGIN");
        let run = |prepared: &Prepared, values: &[i64]| {
            change(&session, prepared, &values.iter().map(|&value| Value::Int(value)).collect::<Vec<_>>())
        };
        assert_eq!(run(&begin, &[]), (true, "BEGIN".to_owned()));
        // The first plan is for one snapshot, the second for what comes.
        for (round, is_short) in [(1, false), (2, false), (3, true), (4, true), (5, true)] {
            assert_eq!(run(&update, &[round, 7]), (is_short, "UPDATE 1".to_owned()), "{round}");
            assert_eq!(run(&insert, &[round]).1, "INSERT 0 1");
        }
        assert_eq!(run(&update, &[1, 1_000_000]), (true, "UPDATE 0".to_owned()));
        let before = crate::plan::plans_made();
        for round in 0..20 {
            assert_eq!(run(&update, &[1, 8 + round]), (true, "UPDATE 1".to_owned()));
            assert_eq!(run(&insert, &[round]), (true, "INSERT 0 1".to_owned()));
        }
        assert_eq!(crate::plan::plans_made(), before);
        run(&delete, &[100]);
        run(&delete, &[101]);
        assert_eq!(run(&delete, &[102]), (true, "DELETE 1".to_owned()));
        assert_eq!(run(&delete, &[102]), (true, "DELETE 0".to_owned()));
        let of = |sql: &str| session.query_scalar::<i64>(sql, ()).expect(sql);
        assert_eq!(of("SELECT v FROM large WHERE k = 7"), 49 + 1 + 2 + 3 + 4 + 5);
        assert_eq!(of("SELECT count(*) FROM large WHERE k BETWEEN 8 AND 27 AND v = k * 7 % 1000 + 1"), 20);
        assert_eq!(of("SELECT count(*) FROM large"), 149_997);
        // All of a transaction is at one time.
        assert_eq!(of("SELECT count(DISTINCT at) FROM log"), 1);
        assert!(of("SELECT count(DISTINCT of) FROM log") > 20);
        assert_eq!(of("SELECT count(*) FROM log WHERE at <> now() OR of < at OR of > clock_timestamp()"), 0);
        session.sql("COMMIT").expect("it is done");
        // Alone each is a transaction, which is to be written.
        assert!(!run(&update, &[1, 7]).0);
        assert_eq!(of("SELECT v FROM large WHERE k = 7"), 65);
        // Of another transaction the times are others.
        run(&insert, &[0]);
        assert_eq!(of("SELECT count(DISTINCT at) FROM log"), 2);
    }

    #[test]
    fn what_ends_a_plan_for_changes() {
        let session = session();
        session
            .sql("CREATE TABLE t (k int PRIMARY KEY, v int, w text); INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b')")
            .expect("it");
        let update = prepare(&session, "UPDATE t SET v = v + $1 WHERE k = $2");
        let select = prepare(&session, "SELECT sum(v) FROM t WHERE k >= $1");
        let state = |prepared: &Prepared, values: &[Value]| {
            session.run(prepared, values).map(|_| ()).map_err(|error| error.sqlstate())
        };
        let add = |by: i64, k: i64| state(&update, &[Value::Int(by), Value::Int(k)]);
        let sum = || rows(session.run(&select, &[Value::Int(1)]).expect("it runs"))[0];
        for round in 1..6 {
            assert_eq!((add(1, 1), sum()), (Ok(()), Some(3 + round)));
        }
        // Beyond what there was room for, below it, and NULL.
        assert_eq!((add(2_000_000_000, 1), sum()), (Ok(()), Some(2_000_000_008)));
        assert_eq!(add(2_000_000_000, 1), Err("22003"));
        assert_eq!((add(-2_000_000_100, 1), sum()), (Ok(()), Some(-92)));
        session.sql("UPDATE t SET v = NULL WHERE k = 2").expect("it");
        assert_eq!((add(1, 2), sum()), (Ok(()), Some(-94)));
        // Out of order, many more, none at all.
        session.sql("INSERT INTO t SELECT -k, 1, 'c' FROM generate_series(1, 1000) g (k)").expect("it");
        assert_eq!((add(1, -1000), sum()), (Ok(()), Some(-94)));
        session.sql("INSERT INTO t SELECT k, 1, 'c' FROM generate_series(3, 100000) g (k)").expect("it");
        assert_eq!((add(1, 100_000), sum()), (Ok(()), Some(-94 + 99_998 + 1)));
        session.sql("TRUNCATE t").expect("it");
        assert_eq!((add(1, 1), sum()), (Ok(()), None));
        // Held to more, with other columns, not there.
        session.sql("INSERT INTO t VALUES (1, 1, 'a'); ALTER TABLE t ADD CHECK (v < 5)").expect("it");
        assert_eq!((add(1, 1), add(10, 1), sum()), (Ok(()), Err("23514"), Some(2)));
        session.sql("ALTER TABLE t DROP COLUMN w, ADD COLUMN x int GENERATED ALWAYS AS (v * 2) STORED").expect("it");
        assert_eq!((add(1, 1), sum()), (Ok(()), Some(3)));
        assert_eq!(session.query_scalar::<i64>("SELECT x FROM t", ()).expect("a number"), 6);
        session.sql("ALTER TABLE t DROP COLUMN x, ALTER COLUMN v TYPE smallint").expect("it");
        assert_eq!((add(1, 1), add(40_000, 1), sum()), (Ok(()), Err("22003"), Some(4)));
        session.sql("DROP TABLE t").expect("it");
        assert_eq!(add(1, 1), Err("42P01"));
        session.sql("CREATE TABLE t AS SELECT 1 AS k, 10 AS v UNION ALL SELECT 1, 20").expect("it");
        assert_eq!((add(1, 1), sum()), (Ok(()), Some(32)));
    }

    #[test]
    fn a_change_that_would_wait_is_not_short() {
        let (session, key) = (session(), [Value::Int(1), Value::Int(7)]);
        let other = session.engine().session();
        let update = prepare(&session, "UPDATE large SET v = v + $1 WHERE k = $2");
        session.sql("BEGIN").expect("it");
        for _ in 0..3 {
            change(&session, &update, &key);
        }
        session.sql("COMMIT; BEGIN").expect("it");
        other.sql("BEGIN; UPDATE large SET v = 0 WHERE k = 7").expect("it");
        assert!(session.run_within(&update, &key, Duration::from_millis(10)).expect("no error").is_none());
        assert_eq!(change(&session, &update, &[Value::Int(1), Value::Int(9)]), (true, "UPDATE 1".to_owned()));
        other.sql("COMMIT").expect("it");
        assert_eq!(change(&session, &update, &key).1, "UPDATE 1");
        session.sql("COMMIT").expect("it");
        assert_eq!(session.query_scalar::<i64>("SELECT v FROM large WHERE k = 7", ()).expect("a number"), 1);
    }
}
