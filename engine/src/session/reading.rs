//! A handle for reading one state of the tables: many queries, from any threads, that all see the same.
//!
//! Tables are immutable snapshots, and a transaction is a state of its own (`transaction`), so the handle is such a state, pinned:
//! each query runs in a session of its own, in a read-only transaction that has this state already. An error of one is none of
//! the others', and nothing is locked.

use super::watched::{OnDrop, forget_last};
use super::{Prepared, Session, Statement};
use crate::engine::Engine;
use crate::running::SessionOptions;
use crate::stream::ResultStream;
use crate::transaction::Pinned;
use crate::{Cancellation, DataType, Error, ErrorKind, Result, Value};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// Reads the tables as they were when it was made, whatever others commit: see [`Session::snapshot`].
///
/// It may be used by several threads at once. It keeps the rows that it sees in memory until it is dropped, and the results and
/// prepared statements that came of it are good for longer.
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")?;
/// let snapshot = session.snapshot()?;
/// session.sql("DROP TABLE t")?;
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| assert_eq!(snapshot.sql("SELECT a FROM t").unwrap().count(), 1));
///     }
/// });
/// assert_eq!(snapshot.sql("INSERT INTO t VALUES (2)").unwrap_err().sqlstate(), "25006");
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct ReadSnapshot {
    engine: Engine,
    options: SessionOptions,
    pinned: Pinned,
    cancellation: Cancellation,
    /// Handles that a thread's queries obey: see [`ReadSnapshot::cancelled_by`].
    given: Mutex<Vec<(ThreadId, Cancellation)>>,
}

impl std::fmt::Debug for ReadSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadSnapshot").finish_non_exhaustive()
    }
}

impl Session {
    /// A handle for queries on the state that this session sees now: its own changes among it, if a transaction is open. Settings
    /// and rights are those of this session now.
    ///
    /// # Errors
    /// 25P02 in a transaction that has failed.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE t (a int)")?;
    /// let before = session.snapshot()?;
    /// session.sql("INSERT INTO t VALUES (1), (2)")?;
    /// let count = |rows: multiloop::ResultStream| rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    /// assert_eq!(count(before.sql("SELECT a FROM t")?), 0);
    /// assert_eq!(count(session.snapshot()?.sql("SELECT a FROM t")?), 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn snapshot(&self) -> Result<ReadSnapshot> {
        self.work.check()?;
        let pinned = self.work.pinned(&self.engine.0.catalog);
        let (cancellation, given) = (Cancellation::default(), Mutex::default());
        Ok(ReadSnapshot { engine: self.engine.clone(), options: self.options.clone(), pinned, cancellation, given })
    }
}

impl ReadSnapshot {
    /// Runs a query.
    ///
    /// # Errors
    /// 25006 for a statement that is no query; those of the query.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let snapshot = Engine::new()?.session().snapshot()?;
    /// assert_eq!(snapshot.sql("VALUES (1)")?.count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn sql(&self, query: &str) -> Result<ResultStream> {
        self.sql_with(query, &[])
    }

    /// Runs a query with values for `$1`, `$2`, …, each with its type.
    ///
    /// # Errors
    /// As of [`ReadSnapshot::sql`].
    ///
    /// ```
    /// # use multiloop::{DataType, Engine, Value};
    /// let snapshot = Engine::new()?.session().snapshot()?;
    /// assert_eq!(snapshot.sql_with("SELECT $1 + 1", &[(Value::Int(1), DataType::BigInt)])?.count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn sql_with(&self, query: &str, parameters: &[(Value, DataType)]) -> Result<ResultStream> {
        let session = self.session()?;
        let statement = Statement::only(&session.respelled(query))?;
        let types: Vec<DataType> = parameters.iter().map(|(_, data_type)| *data_type).collect();
        let prepare = || query_of(session.prepare_statement(&statement, &types)?);
        let run = || {
            let prepared = prepare()?;
            let values: Vec<Value> = parameters.iter().map(|(value, _)| value.clone()).collect();
            prepared.execute(&session, &values)
        };
        run().map_err(|error| error.shifted(statement.start))
    }

    /// Plans a query once, to be run many times by [`ReadSnapshot::run`] (from several threads, too).
    ///
    /// # Errors
    /// As of [`ReadSnapshot::sql`].
    ///
    /// ```
    /// # use multiloop::{Engine, Value};
    /// let snapshot = Engine::new()?.session().snapshot()?;
    /// let prepared = snapshot.prepare("SELECT $1::int + 1")?;
    /// for n in 0..3 {
    ///     assert_eq!(snapshot.run(&prepared, &[Value::Int(n)])?.count(), 1);
    /// }
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn prepare(&self, query: &str) -> Result<Prepared> {
        query_of(self.session()?.prepare(query)?)
    }

    /// Runs a prepared query on this state, wherever it was prepared.
    ///
    /// # Errors
    /// As of [`Prepared::execute`], and 25006 for one that is no query.
    ///
    /// ```
    /// # use multiloop::Engine;
    /// let session = Engine::new()?.session();
    /// let (prepared, snapshot) = (session.prepare("SELECT 1")?, session.snapshot()?);
    /// assert_eq!(snapshot.run(&prepared, &[])?.count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn run(&self, prepared: &Prepared, parameters: &[Value]) -> Result<ResultStream> {
        if !prepared.is_query() {
            return Err(no_query());
        }
        prepared.execute(&self.session()?, parameters)
    }

    /// A handle that ends all queries of the snapshot: those that run, the making of rows that have not been read, and those that
    /// begin later (57014). For a single query see [`ReadSnapshot::cancelled_by`].
    ///
    /// ```
    /// # use multiloop::{Engine, ErrorKind};
    /// let snapshot = Engine::new()?.session().snapshot()?;
    /// let handle = snapshot.cancel_handle();
    /// assert_eq!(snapshot.sql("VALUES (1)")?.count(), 1);
    /// handle.cancel();
    /// assert_eq!(snapshot.sql("VALUES (1)").unwrap_err().kind(), ErrorKind::Cancelled);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn cancel_handle(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Runs queries that a handle cancels, and no others of the snapshot: those that this thread runs in `work`, and the making of
    /// their rows. See [`Session::cancelled_by`].
    ///
    /// # Errors
    /// Those of `work`; 57014 if the handle is cancelled already.
    ///
    /// ```
    /// # use multiloop::{Cancellation, Engine, ErrorKind};
    /// let snapshot = Engine::new()?.session().snapshot()?;
    /// let handle = Cancellation::default();
    /// assert_eq!(snapshot.cancelled_by(&handle, || snapshot.sql("VALUES (1)"))?.count(), 1);
    /// handle.cancel();
    /// let error = snapshot.cancelled_by(&handle, || snapshot.sql("VALUES (1)")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Cancelled);
    /// assert!(snapshot.sql("VALUES (1)").is_ok());
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn cancelled_by<T>(&self, handle: &Cancellation, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let thread = std::thread::current().id();
        self.given().push((thread, handle.clone()));
        let _given = OnDrop(|| forget_last(&mut self.given(), thread));
        handle.check()?;
        work()
    }

    fn given(&self) -> MutexGuard<'_, Vec<(ThreadId, Cancellation)>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session that sees the state, for one query.
    fn session(&self) -> Result<Session> {
        self.cancellation.check()?;
        let mut session = Session::new(self.engine.clone());
        let thread = std::thread::current().id();
        let of_thread = self.given().iter().filter(|(of, _)| *of == thread).cloned().collect::<Vec<_>>();
        session.watched().given.extend(of_thread.into_iter().chain([(thread, self.cancellation.clone())]));
        session.options = self.options.clone();
        session.work.pin(&self.pinned);
        Ok(session)
    }
}

/// What is prepared, if it is a query.
fn query_of(prepared: Prepared) -> Result<Prepared> {
    if prepared.is_query() { Ok(prepared) } else { Err(no_query()) }
}

fn no_query() -> Error {
    Error::new(ErrorKind::ReadOnlyTransaction, "a snapshot runs queries only")
}

#[cfg(test)]
mod tests {
    use super::ReadSnapshot;
    use crate::{Engine, Session};

    fn count(snapshot: &ReadSnapshot, sql: &str) -> crate::Result<usize> {
        snapshot.sql(sql)?.map(|batch| Ok(batch?.num_rows())).sum()
    }

    fn session(sql: &str) -> Session {
        let session = Engine::builder().threads(2).build().expect("an engine").session();
        session.sql(sql).expect("tables");
        session
    }

    #[test]
    fn one_state_whatever_others_commit() {
        let session = session("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)");
        session.sql("CREATE TEMPORARY TABLE own (a int); INSERT INTO own VALUES (1)").expect("a table");
        let snapshot = session.snapshot().expect("a snapshot");
        let prepared = snapshot.prepare("SELECT a FROM t").expect("it is a query");
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        assert_eq!(count(&snapshot, "SELECT a FROM t"), Ok(2));
                        assert_eq!(
                            snapshot
                                .run(&prepared, &[])
                                .map(|rows| rows.flatten().map(|batch| batch.num_rows()).sum::<usize>()),
                            Ok(2)
                        );
                        assert!(count(&snapshot, "SELECT 1 / (a - a) FROM t").is_err());
                    }
                });
            }
            for _ in 0..50 {
                session.sql("INSERT INTO t VALUES (3)").expect("a row");
            }
        });
        session.sql("DROP TABLE t; DROP TABLE own").expect("gone");
        assert_eq!((count(&snapshot, "SELECT a FROM t"), count(&snapshot, "SELECT a FROM own")), (Ok(2), Ok(1)));
    }

    #[test]
    fn queries_only() {
        let session = session("CREATE TABLE t (a int)");
        let snapshot = session.snapshot().expect("a snapshot");
        for sql in [
            "INSERT INTO t VALUES (1)",
            "CREATE TABLE u (a int)",
            "DROP TABLE t",
            "BEGIN",
            "SET search_path TO x",
            "COMMIT",
            "COPY t TO '/tmp/multiloop-none'",
        ] {
            assert_eq!(count(&snapshot, sql).map_err(|error| error.sqlstate()), Err("25006"), "{sql}");
        }
        assert_eq!(count(&snapshot, "SELECT 1; SELECT 2").map_err(|error| error.sqlstate()), Err("42601"));
        assert_eq!(count(&snapshot, "SELECT a FROM t"), Ok(0));
        let insert = session.prepare("INSERT INTO t VALUES (1)").expect("a statement");
        assert_eq!(snapshot.run(&insert, &[]).map(drop).map_err(|error| error.sqlstate()), Err("25006"));
        let used = |_: &(dyn Send + Sync)| ();
        used(&snapshot);
    }

    #[test]
    fn queries_are_cancelled_while_they_run() {
        let session = session("CREATE TABLE t (a int)");
        let snapshot = session.snapshot().expect("a snapshot");
        let sleep = || snapshot.sql("SELECT pg_sleep(100)").map(drop).map_err(|error| error.sqlstate());
        let handle = crate::Cancellation::default();
        std::thread::scope(|scope| {
            let one = scope.spawn(|| snapshot.cancelled_by(&handle, || snapshot.sql("SELECT pg_sleep(100)").map(drop)));
            let other = scope.spawn(sleep);
            std::thread::sleep(std::time::Duration::from_millis(50));
            handle.cancel();
            assert_eq!(one.join().expect("no panic").map_err(|error| error.sqlstate()), Err("57014"));
            assert!(!other.is_finished());
            snapshot.cancel_handle().cancel();
            assert_eq!(other.join().expect("no panic"), Err("57014"));
        });
        assert_eq!(count(&session.snapshot().expect("another"), "SELECT a FROM t"), Ok(0));
    }

    #[test]
    fn of_a_transaction() {
        let session = session("CREATE TABLE t (a int)");
        session.sql("BEGIN; INSERT INTO t VALUES (1)").expect("a transaction");
        let snapshot = session.snapshot().expect("a snapshot");
        assert!(session.sql("SELECT 1 / 0").and_then(|rows| rows.collect_batches()).is_err());
        assert_eq!(session.snapshot().map(drop).map_err(|error| error.sqlstate()), Err("25P02"));
        session.sql("ROLLBACK").expect("the end");
        assert_eq!(count(&snapshot, "SELECT a FROM t"), Ok(1));
    }
}
