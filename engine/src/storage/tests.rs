//! What was acknowledged is there when a folder is opened again, whatever happened in between.

mod unique;

use super::disk::{Disk, DiskFile, Machine};
use super::{Limits, Storage};
use crate::{
    DataType, Engine, Error, ErrorKind, Field, ProviderError, Result, Scan, Session, TablePart, TableProvider,
    TransactionStatus,
};
use arrow::array::{Int32Array, RecordBatch};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// As little as can be, so that all ways are gone.
const SMALL: Limits = Limits { file_rows: 300, file_bytes: 1, record_bytes: usize::MAX, log_bytes: 1 << 40 };

mod opened;

fn folder() -> TempDir {
    // In memory, if that can be: the device is asked thousands of times.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    folder.expect("there is a folder for what is temporary")
}

fn open_with(disk: Arc<dyn Disk>, limits: Limits, folder: &Path) -> Result<Engine> {
    let builder = Engine::builder().threads(1).maintenance(false).data(folder);
    builder.build_with(&|folder, way| Storage::open_on(Arc::clone(&disk), limits, folder, way))
}

fn open(folder: &Path) -> Engine {
    open_with(Arc::new(Machine), SMALL, folder).expect("it opens")
}

fn run(session: &Session, sql: &str) -> Result<()> {
    session.sql(sql)?.collect_batches().map(drop)
}

fn run_all(session: &Session, script: &[&str]) {
    for sql in script {
        run(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

/// All that there is, as text.
fn shown(engine: &Engine) -> String {
    let session = engine.session();
    let mut all = String::new();
    let mut show = |title: &str, sql: &str| {
        let rows = session.sql(sql).and_then(|rows| rows.pretty()).unwrap_or_else(|error| panic!("{sql}: {error}"));
        all += &format!("-- {title}\n{rows}\n");
    };
    for sql in [
        "SELECT nspname, oid, nspowner, nspacl FROM pg_namespace ORDER BY 1",
        "SELECT oid, relname, relnamespace, relkind, relowner, relacl FROM pg_class WHERE oid > 16384 ORDER BY oid",
        "SELECT attrelid, attnum, attname, atttypid, atttypmod, attnotnull, atthasdef FROM pg_attribute WHERE attrelid > 16384 ORDER BY 1, 2",
        "SELECT oid, conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE oid > 16384 ORDER BY 1",
        "SELECT indexname, indexdef FROM pg_indexes ORDER BY 1",
        "SELECT viewname, definition FROM pg_views WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
        "SELECT oid, proacl, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace <> 11 AND prolang = 14 ORDER BY 1",
        "SELECT * FROM pg_description WHERE objoid > 2199 ORDER BY 1, 2, 3",
        "SELECT oid, enumtypid, enumsortorder, enumlabel FROM pg_enum ORDER BY 1",
    ] {
        show(sql, sql);
    }
    let tables = "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables \
                  WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'pg_temp') ORDER BY 1";
    let names =
        session.query(tables, ()).and_then(|rows| rows.map(|row| row?.get::<String>(0)).collect::<Result<Vec<_>>>());
    for name in names.expect("there are names") {
        show(&name, &format!("SELECT * FROM {name}"));
    }
    all
}

/// Fails unless a folder, opened anew while nobody has ended well, has what an engine shows.
fn check_again(engine: &Engine, folder: &Path) {
    let copy = self::folder();
    copy_of(folder, copy.path());
    assert_eq!(shown(&open(copy.path())), shown(engine));
}

fn copy_of(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder is made");
    for entry in fs::read_dir(from).expect("it is read").map(|entry| entry.expect("it has a name")) {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_of(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("it is copied")),
        }
    }
}

const DEFINITIONS: [&str; 32] = [
    "CREATE SCHEMA s",
    "COMMENT ON SCHEMA s IS 'ours'",
    "CREATE TYPE s.mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TABLE s.people (id int PRIMARY KEY, name varchar(20) NOT NULL DEFAULT 'nobody', m s.mood, CHECK (id > 0))",
    "COMMENT ON TABLE s.people IS 'those'",
    "COMMENT ON COLUMN s.people.name IS 'how they are called'",
    "CREATE TABLE pets (owner int REFERENCES s.people ON DELETE CASCADE, name text, UNIQUE (owner, name))",
    "CREATE INDEX by_name ON pets (lower(name))",
    "CREATE VIEW happy AS SELECT p.name, m FROM s.people p WHERE m = 'happy' AND '2020-01-01' < current_date",
    "INSERT INTO s.people VALUES (1, 'a', 'sad'), (2, DEFAULT, 'happy'), (3, 'c', NULL)",
    "CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n, max(name) FROM s.people",
    "INSERT INTO pets VALUES (1, 'x'), (1, 'y'), (3, 'z')",
    "GRANT SELECT ON pets TO PUBLIC",
    "CREATE FUNCTION s.named(k int DEFAULT 2) RETURNS text LANGUAGE SQL STABLE STRICT AS 'SELECT name FROM s.people WHERE id = k'",
    "CREATE FUNCTION moods(least s.mood) RETURNS TABLE (who text, m s.mood) BEGIN ATOMIC SELECT name, m FROM s.people WHERE m >= least; END",
    "CREATE FUNCTION s.hire(k int, n text) RETURNS bigint BEGIN ATOMIC INSERT INTO s.people (id, name) VALUES (k, n); SELECT count(*) FROM s.people; END",
    "CREATE PROCEDURE fire(k int, INOUT n bigint) LANGUAGE SQL AS 'DELETE FROM s.people WHERE id = k; SELECT count(*) FROM s.people'",
    "SELECT s.hire(70, 'h'), s.hire(71, 'i')",
    "CALL fire(70, 0)",
    "CREATE VIEW called AS SELECT s.named(2) AS one, m.* FROM moods('sad') m",
    "COMMENT ON FUNCTION s.named(int) IS 'a name'",
    "REVOKE EXECUTE ON FUNCTION moods(s.mood) FROM PUBLIC",
    "ALTER FUNCTION s.named RENAME TO name_of",
    "ALTER TABLE pets RENAME COLUMN name TO called",
    "ALTER TABLE pets RENAME TO animals",
    "DELETE FROM s.people WHERE id = 1",
    "CREATE SCHEMA gone",
    "CREATE TABLE gone.t AS SELECT 1 AS a",
    "DROP SCHEMA gone CASCADE",
    "CREATE TABLE sw (a int)",
    "ALTER TABLE sw SET SCHEMA s",
    "REFRESH MATERIALIZED VIEW kept",
];

#[test]
fn all_that_is_defined() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    for sql in DEFINITIONS {
        run_all(&session, &[sql]);
        check_again(&engine, folder.path());
    }
    engine.checkpoint().expect("a checkpoint is made");
    check_again(&engine, folder.path());
    run_all(
        &session,
        &["BEGIN", "DROP VIEW happy", "CREATE TABLE happy (a int)", "INSERT INTO happy VALUES (7)", "COMMIT"],
    );
    check_again(&engine, folder.path());
    // Names that change places.
    run_all(&session, &["CREATE TABLE u AS SELECT 1 AS a", "CREATE TABLE v AS SELECT 'x' AS b"]);
    run_all(
        &session,
        &["BEGIN", "ALTER TABLE u RENAME TO w", "ALTER TABLE v RENAME TO u", "ALTER TABLE w RENAME TO v", "COMMIT"],
    );
    check_again(&engine, folder.path());
    // Numbers go on.
    drop((session, engine));
    let engine = open(folder.path());
    let before = shown(&engine);
    run_all(&engine.session(), &["CREATE TABLE fresh (a int)", "DROP TABLE fresh"]);
    assert_eq!(shown(&engine), before);
    check_again(&engine, folder.path());
}

/// A value of each type, and others of it.
const VALUES: &str = "
    (true, 1::smallint, -2, 9223372036854775807, 1.5::real, 'NaN'::double precision, 12.340::numeric(8,3), 1e-20::numeric,
     '𝛼\tß', 'ab'::char(5), 'v'::varchar(9), '\\x00ff'::bytea, date '-infinity', time '23:59:59.999999', timetz '01:02:03+04:30',
     timestamp 'infinity', timestamptz '2020-02-30 01:00+01'::text::timestamptz, interval '-1 year 2 days 3.000001 s',
     '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid, '{\"a\": [1]}'::json, '{\"b\":2}'::jsonb, B'101'::bit(3), array[1,NULL,3], array['x','\"']),
    (false, NULL, 7, -9223372036854775808, '-Infinity', -0.0, -0.001, 'NaN', '', '', NULL, '', date '4713-01-01 BC', '00:00', '00:00-15:59',
     '-infinity', '1970-01-01 00:00Z', interval '178000000 years', NULL, 'null', '[]', B'000', '{}', NULL),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

#[test]
fn values_of_all_types() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    let values = VALUES.replace("2020-02-30", "2020-02-28");
    run_all(
        &session,
        &[
            "CREATE TABLE t (a bool, b smallint, c int, d bigint, e real, f double precision, g numeric(8,3), h numeric, i text, j char(5), \
             k varchar(9), l bytea, m date, n time, o timetz, p timestamp, q timestamptz, r interval, s uuid, t json, u jsonb, v bit(3), \
             w int[], x text[])",
            &format!("INSERT INTO t VALUES {values}"),
            "CREATE TABLE vectors (v vector(3), l struct(a int, b text))",
            "INSERT INTO vectors VALUES ('[1,2,3]', {'a': 1, 'b': 'x'}), (NULL, NULL)",
        ],
    );
    check_again(&engine, folder.path());
    engine.checkpoint().expect("a checkpoint is made");
    check_again(&engine, folder.path());
    run_all(
        &session,
        &[
            "UPDATE t SET h = 3, r = r + interval '1 day' WHERE c = 7",
            "UPDATE t SET i = i || 'x', g = g * 2",
            "DELETE FROM t WHERE a",
        ],
    );
    check_again(&engine, folder.path());
}

#[test]
fn rows_that_change() {
    let folder = folder();
    let mut engine = open(folder.path());
    let script = [
        "CREATE TABLE t (k int PRIMARY KEY, a text, b numeric)",
        "INSERT INTO t SELECT i, 'v' || i % 7, i FROM generate_series(1, 1000) g(i)",
        "UPDATE t SET a = 'new' WHERE k % 100 = 0",
        "DELETE FROM t WHERE k BETWEEN 10 AND 20",
        "INSERT INTO t VALUES (5000, NULL, 0.5)",
        "UPDATE t SET k = k + 10000 WHERE k > 990",
        "DELETE FROM t WHERE k % 10 <> 3",
        "INSERT INTO t SELECT i, 'w', i / 3.0 FROM generate_series(2000, 2700) g(i)",
        "UPDATE t SET b = b * 2",
        "TRUNCATE t",
        "INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2)",
        "INSERT INTO t VALUES (1, 'uno', 3), (3, 'tre', 3) ON CONFLICT (k) DO UPDATE SET a = excluded.a",
        "BEGIN; INSERT INTO t VALUES (4, 'x', 1); DELETE FROM t WHERE k IN (2, 4); UPDATE t SET a = 'z' WHERE k = 1; COMMIT",
        "BEGIN; DELETE FROM t; ROLLBACK",
        "CREATE OR REPLACE TABLE t AS SELECT 1.5 AS x",
    ];
    for checkpoints in [false, true] {
        for (number, sql) in script.iter().enumerate() {
            run_all(&engine.session(), &[sql]);
            if checkpoints {
                engine.checkpoint().expect("a checkpoint is made");
            }
            check_again(&engine, folder.path());
            if number % 4 == 3 {
                // To go on from what was read.
                let before = shown(&engine);
                drop(engine);
                engine = open(folder.path());
                assert_eq!(shown(&engine), before);
            }
        }
        run_all(&engine.session(), &["DROP TABLE t"]);
    }
    // Nothing is left of what is gone.
    engine.checkpoint().expect("a checkpoint is made");
    let files = |name: &str| fs::read_dir(folder.path().join(name)).expect("it is there").count();
    assert_eq!((files("rows"), files("log")), (0, 1));
}

#[test]
fn many_rows_change() {
    let folder = folder();
    let engine = open_with(Arc::new(Machine), Limits { file_rows: 100_000, ..SMALL }, folder.path()).expect("it opens");
    let session = engine.session();
    for sql in [
        "CREATE TABLE t AS SELECT i, i % 1000 AS a, 'text ' || i % 77 AS b FROM generate_series(1, 400000) g(i)",
        "UPDATE t SET a = a + 1",
        "DELETE FROM t WHERE i % 2 = 0",
        "DELETE FROM t WHERE i BETWEEN 70000 AND 300000",
        "INSERT INTO t SELECT i, 0, '' FROM generate_series(1, 200) g(i)",
    ] {
        run_all(&session, &[sql]);
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        let sums = |engine: &Engine| {
            let sql = "SELECT count(*), sum(i), sum(a), count(DISTINCT b) FROM t";
            engine.session().sql(sql).and_then(|rows| rows.pretty()).expect("it is asked")
        };
        assert_eq!(sums(&open(copy.path())), sums(&engine), "{sql}");
    }
    engine.checkpoint().expect("a checkpoint is made");
    let bytes = fs::read_dir(folder.path().join("rows")).expect("it is there").count();
    assert!(bytes >= 1);
    check_again(&engine, folder.path());
}

/// A disk whose call of a number fails, and perhaps all behind it.
#[derive(Debug)]
struct Failing {
    calls: AtomicU64,
    fails: u64,
    for_good: bool,
    /// Whether some bytes are written all the same.
    is_torn: bool,
}

#[derive(Debug)]
struct FailingFile {
    file: Arc<dyn DiskFile>,
    disk: Arc<Failing>,
}

/// The disk that tests give away.
#[derive(Debug)]
struct Shared(Arc<Failing>);

impl Failing {
    fn call(&self) -> io::Result<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        match call == self.fails || (self.for_good && call > self.fails) {
            true => Err(io::Error::from(if call.is_multiple_of(2) {
                io::ErrorKind::StorageFull
            } else {
                io::ErrorKind::Other
            })),
            false => Ok(()),
        }
    }
}

impl DiskFile for FailingFile {
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.call().inspect_err(|_| {
            if self.disk.is_torn {
                drop(self.file.write(&bytes[..bytes.len() / 2]));
            }
        })?;
        self.file.write(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.call()?;
        self.file.sync()
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.disk.call()?;
        self.file.cut(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.disk.call()?;
        self.file.reserve(bytes)
    }
}

impl Disk for Shared {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.0.call()?;
        Ok(Arc::new(FailingFile { file: Machine.create(path)?, disk: Arc::clone(&self.0) }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.0.call()?;
        Ok(Arc::new(FailingFile { file: Machine.open(path)?, disk: Arc::clone(&self.0) }))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.call()?;
        Machine.read(path)
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        self.0.call()?;
        Machine.length(path)
    }

    fn read_at(&self, path: &Path, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.call()?;
        Machine.read_at(path, at, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.call()?;
        Machine.rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.0.call()?;
        Machine.sync_folder(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.call()?;
        Machine.remove(path)
    }
}

/// What a table and a view have, or that they are not there.
fn contents(engine: &Engine) -> String {
    let show = |sql: &str| engine.session().sql(sql).and_then(|rows| rows.pretty());
    let of = ["SELECT * FROM t ORDER BY k", "SELECT count(*) FROM v"];
    of.map(|sql| show(sql).unwrap_or_else(|error| error.to_string())).concat()
}

/// Statements and checkpoints of which one of the disk's calls fails: what failed has not been, and what has not failed is there.
#[test]
fn each_call_of_the_disk_fails() {
    let script = [
        "CREATE TABLE t (k int PRIMARY KEY, a text)",
        "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        "checkpoint",
        "UPDATE t SET a = 'c' WHERE k = 1",
        "INSERT INTO t SELECT i, 'many' FROM generate_series(10, 500) g(i)",
        "BEGIN; INSERT INTO t VALUES (3, 'x'); DELETE FROM t WHERE k = 2; COMMIT",
        "checkpoint",
        "CREATE VIEW v AS SELECT k FROM t",
        "DELETE FROM t WHERE k > 400",
    ];
    for (for_good, is_torn) in [(false, false), (false, true), (true, false), (true, true)] {
        for fails in 1.. {
            let folder = folder();
            let disk = Arc::new(Failing { calls: AtomicU64::new(0), fails, for_good, is_torn });
            let opened = open_with(Arc::new(Shared(Arc::clone(&disk))), SMALL, folder.path());
            let is_told = |error: &Error| matches!(error.kind(), ErrorKind::Io | ErrorKind::DiskFull);
            // What was acknowledged, and with that what failed first: of a disk that is gone nobody knows whether it has that.
            let (acknowledged, perhaps) =
                [(); 2].map(|()| Engine::builder().threads(1).build().expect("it starts")).into();
            let mut has_failed = false;
            match opened {
                Err(error) => assert!(is_told(&error), "{error}"),
                Ok(engine) => {
                    let session = engine.session();
                    for sql in script {
                        let before = contents(&engine);
                        let done = if sql == "checkpoint" { engine.checkpoint() } else { run(&session, sql) };
                        let is_first = done.is_err() && !has_failed;
                        // What changes nothing is done on any disk.
                        let mut known =
                            if has_failed && for_good { vec![&acknowledged] } else { vec![&acknowledged, &perhaps] };
                        if let Err(error) = done {
                            // What is not there cannot be changed.
                            assert!(is_told(&error) || has_failed, "{sql}: {error}");
                            assert_eq!(contents(&engine), before, "{sql} has failed at call {fails}");
                            if is_told(&error) {
                                assert_eq!(session.transaction_status(), TransactionStatus::Idle, "{sql}");
                            }
                            run_all(&session, &["ROLLBACK"]);
                            has_failed = true;
                            known = if is_first && for_good { vec![&perhaps] } else { Vec::new() };
                        }
                        if sql != "checkpoint" {
                            known.into_iter().for_each(|engine| drop(run(&engine.session(), sql)));
                        }
                    }
                    assert_eq!(contents(&engine), contents(&acknowledged), "call {fails}");
                }
            }
            let again = contents(&open(folder.path()));
            let is_right = again == contents(&acknowledged) || again == contents(&perhaps);
            let (one, two) = (contents(&acknowledged), contents(&perhaps));
            assert!(is_right, "call {fails}, for good {for_good}, torn {is_torn}: {again}\nnor {one}\nnor {two}");
            if disk.calls.load(Ordering::Relaxed) < fails {
                assert!(!has_failed, "no call has failed");
                break;
            }
        }
    }
}

#[test]
fn one_process_at_a_time() {
    let folder = folder();
    let engine = open(folder.path());
    let error = Engine::builder().maintenance(false).data(folder.path()).build().map(drop).expect_err("it is open");
    assert_eq!(error.kind(), ErrorKind::WrongState, "{error}");
    drop(engine);
    open(folder.path());
    fs::write(folder.path().join("checkpoint"), "multiloop database 2 0 00000000\n").expect("it is written");
    let error =
        Engine::builder().maintenance(false).data(folder.path()).build().map(drop).expect_err("it is of another form");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let other = self::folder();
    fs::write(other.path().join("letter.txt"), "dear").expect("it is written");
    let error =
        Engine::builder().maintenance(false).data(other.path()).build().map(drop).expect_err("it is no database");
    assert_eq!(error.kind(), ErrorKind::WrongState, "{error}");
    assert_eq!(fs::read_dir(other.path()).expect("it is there").count(), 1, "nothing was put there");
}

/// The last file of a folder's log.
fn last_log(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder.join("log")).expect("there is a log");
    names.map(|entry| entry.expect("it has a name").path()).max().expect("it has a file")
}

/// A folder with a checkpoint, and records behind it.
fn some_data(folder: &Path) -> String {
    let engine = open(folder);
    let session = engine.session();
    run_all(&session, &["CREATE TABLE t AS SELECT i FROM generate_series(1, 500) g(i)", "INSERT INTO t VALUES (0)"]);
    engine.checkpoint().expect("a checkpoint is made");
    for number in 0..5 {
        run_all(&session, &[&format!("INSERT INTO t VALUES ({number})")]);
    }
    shown(&engine)
}

/// The process ends at each byte of the last file of the log.
#[test]
fn a_log_that_ends_anywhere() {
    let folder = folder();
    some_data(folder.path());
    let path = last_log(folder.path());
    let whole = fs::read(&path).expect("there is a log");
    let mut counts = Vec::new();
    for length in (0..40).chain((40..whole.len()).step_by(29)).chain([whole.len()]) {
        for rest in [&[][..], &[0; 40], b"MLRC\x01\0\0\0 not a record"] {
            let copy = self::folder();
            copy_of(folder.path(), copy.path());
            fs::write(last_log(copy.path()), [&whole[..length], rest].concat()).expect("it is written");
            if length < 16 && !rest.is_empty() {
                // No program of ours has left that.
                continue;
            }
            let engine = open(copy.path());
            let count = engine.session().query("SELECT count(*) FROM t", ()).expect("it is asked").next();
            if rest.is_empty() {
                counts.push(count.expect("a row").expect("a row").get::<i64>(0).expect("a number"));
            }
            // It goes on from there.
            run_all(&engine.session(), &["INSERT INTO t VALUES (9)"]);
            drop(engine);
            open(copy.path());
        }
    }
    assert!(counts.is_sorted(), "a longer log has no fewer commits: {counts:?}");
    assert_eq!((counts[0], counts[counts.len() - 1]), (501, 506));
}

/// Of what was on the device nothing is left out in silence.
#[test]
fn damage_is_told() {
    let folder = folder();
    let right = some_data(folder.path());
    let rows = fs::read_dir(folder.path().join("rows")).expect("there are rows");
    let mut files: Vec<PathBuf> = rows.map(|entry| entry.expect("it has a name").path()).collect();
    assert_eq!(files.len(), 2, "those of a statement, and those behind them");
    files.extend([folder.path().join("checkpoint"), last_log(folder.path())]);
    for path in files {
        let file = path.strip_prefix(folder.path()).expect("it is in the folder");
        let bytes = fs::read(&path).expect("it is read");
        for at in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
            let copy = self::folder();
            copy_of(folder.path(), copy.path());
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            fs::write(copy.path().join(file), &damaged).expect("it is written");
            match open_with(Arc::new(Machine), SMALL, copy.path()) {
                Err(error) => {
                    let told = error.kind() == ErrorKind::DataCorrupted || error.kind() == ErrorKind::Unsupported;
                    assert!(
                        told && error.to_string().contains("damaged") || error.kind() == ErrorKind::Unsupported,
                        "{} {at}: {error}",
                        file.display()
                    );
                }
                // The last record may never have been whole.
                Ok(engine) => {
                    let count = engine.session().query("SELECT count(*) FROM t", ()).expect("it is asked").next();
                    let count = count.expect("a row").expect("a row").get::<i64>(0).expect("a number");
                    let is_right = file.starts_with("log") && count == 505 || shown(&engine) == right;
                    assert!(is_right, "{} {at}: {count}", file.display());
                }
            }
        }
    }
}

#[test]
fn a_backup_is_a_database() {
    let folder = folder();
    for kept in [true, false] {
        let engine = if kept { open(folder.path()) } else { Engine::builder().threads(1).build().expect("it starts") };
        let session = engine.session();
        run_all(&session, &DEFINITIONS);
        run_all(&session, &["CREATE TABLE t AS SELECT i, i % 3 AS a FROM generate_series(1, 900) g(i)"]);
        engine.checkpoint().expect("a checkpoint is made");
        run_all(&session, &["UPDATE t SET a = 9 WHERE i > 850", "DELETE FROM t WHERE i < 10"]);
        let (other, full) = (self::folder(), self::folder());
        let to = other.path().join("copy");
        engine.backup(&to).expect("it is copied");
        assert_eq!(shown(&open(&to)), shown(&engine));
        let checked = Engine::check(&to).expect("there is one");
        assert!(checked.faults.is_empty() && checked.files > 0 && checked.commits == 0, "{checked:?}");
        fs::write(full.path().join("x"), "").expect("it is written");
        assert_eq!(engine.backup(full.path()).map_err(|error| error.kind()), Err(ErrorKind::WrongState));
        assert_eq!(engine.backup(&to).map_err(|error| error.kind()), Err(ErrorKind::WrongState));
        let rows =
            fs::read_dir(to.join("rows")).expect("there are rows").next().expect("a file").expect("a name").path();
        let mut bytes = fs::read(&rows).expect("it is read");
        bytes[100] ^= 1;
        fs::write(&rows, bytes).expect("it is written");
        let checked = Engine::check(&to).expect("there is one");
        assert!(checked.faults.len() == 1 && checked.faults[0].to_string().contains(".arrow"), "{checked:?}");
    }
    let opened = open(folder.path());
    assert_eq!(Engine::check(folder.path()).map(drop).map_err(|error| error.kind()), Err(ErrorKind::WrongState));
    let (other, session) = (self::folder(), opened.session());
    let to = other.path().join("by a statement");
    run_all(&session, &[&format!("BACKUP TO '{}'", to.display())]);
    assert_eq!(shown(&open(&to)), shown(&opened));
    drop((session, opened));
    let checked = Engine::check(folder.path()).expect("there is one");
    assert!(checked.faults.is_empty() && checked.commits > 0, "{checked:?}");
    let nothing = Engine::check(self::folder().path()).map(drop).map_err(|error| error.kind());
    assert_eq!(nothing, Err(ErrorKind::FileNotFound));
}

/// Whatever statements come in whatever order, all of them replayed at once and after checkpoints.
#[test]
fn statements_by_chance() {
    for seed in 1..=12_u64 {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let folder = folder();
        let engine = open_with(Arc::new(Machine), Limits { file_rows: 40, ..SMALL }, folder.path()).expect("it opens");
        let session = engine.session();
        run_all(
            &session,
            &["CREATE TABLE t (k int PRIMARY KEY, a int, b text, c numeric)", "CREATE TABLE u (k int, d text)"],
        );
        let mut script = Vec::new();
        for _ in 0..40 {
            let (k, a) = (next(30), next(100));
            let sql = match next(12) {
                0..3 => format!("INSERT INTO t VALUES ({k}, {a}, 'b{a}', {a}.{k}) ON CONFLICT DO NOTHING"),
                3 => format!("INSERT INTO t VALUES ({k}, {a}) ON CONFLICT (k) DO UPDATE SET a = t.a + 1, b = 'met'"),
                4 => format!("UPDATE t SET a = {a} WHERE k = {k}"),
                5 => format!("UPDATE t SET b = 'u{a}', c = c / 3 WHERE k % 5 = {}", k % 5),
                6 => {
                    format!("UPDATE t SET k = k + 100 WHERE k = {k} AND NOT EXISTS (SELECT FROM t WHERE k = {k} + 100)")
                }
                7 => format!("DELETE FROM t WHERE k % 7 = {}", k % 7),
                8 => format!(
                    "BEGIN; INSERT INTO u VALUES ({k}, 'x'); UPDATE u SET d = d || '{a}'; DELETE FROM t WHERE a = {a}; COMMIT"
                ),
                9 => format!("INSERT INTO u SELECT i, 'many' FROM generate_series(1, {a}) g(i)"),
                10 if k < 3 => "TRUNCATE u".to_owned(),
                10 => format!("DELETE FROM u WHERE k < {a}"),
                _ if k < 6 => "CHECKPOINT".to_owned(),
                _ => format!("SELECT {k}"),
            };
            run_all(&session, &[&sql]);
            script.push(sql);
        }
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        assert_eq!(shown(&open(copy.path())), shown(&engine), "seed {seed}: {script:#?}");
    }
}

/// Sequences never give a value twice, and go on exactly where a database has been closed.
#[test]
fn sequences_go_on() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    run_all(
        &session,
        &[
            "CREATE SEQUENCE s INCREMENT 3",
            "CREATE SEQUENCE down INCREMENT -1 MINVALUE -40 MAXVALUE -1 CYCLE CACHE 4",
            "CREATE TABLE t (a serial, b int GENERATED ALWAYS AS IDENTITY (START 100), c int, d int GENERATED ALWAYS AS (c * 2) STORED)",
            "INSERT INTO t (c) SELECT i FROM generate_series(1, 50) g(i)",
        ],
    );
    check_again(&engine, folder.path());
    let drawn = |session: &Session, name: &str| -> i64 {
        session.query_scalar(&format!("SELECT nextval('{name}')"), ()).expect("it is drawn")
    };
    for round in 0..90 {
        let (last, last_down) = (drawn(&session, "s"), drawn(&session, "down"));
        assert!(last == round * 3 + 1 && (-40..0).contains(&last_down), "{last} {last_down}");
        if round % 30 == 7 {
            engine.checkpoint().expect("a checkpoint is made");
        }
        if round % 5 != 0 {
            continue;
        }
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        let again = open(copy.path());
        let next = drawn(&again.session(), "s");
        assert!(next > last && next <= last + 33 * 3, "{next} after {last}");
    }
    run_all(&session, &["SELECT setval('s', 10)"]);
    let copy = self::folder();
    copy_of(folder.path(), copy.path());
    assert_eq!(drawn(&open(copy.path()).session(), "s"), 13);
    run_all(&session, &["BEGIN", "ALTER SEQUENCE s RESTART WITH 700", "ROLLBACK"]);
    assert_eq!(drawn(&session, "s"), 13);
    run_all(&session, &["ALTER SEQUENCE s RESTART WITH 500", "INSERT INTO t (c) VALUES (1)"]);
    assert_eq!(drawn(&session, "s"), 500);
    drop((session, engine));
    let engine = open(folder.path());
    let session = engine.session();
    assert_eq!(drawn(&session, "s"), 503);
    run_all(&session, &["INSERT INTO t (c) VALUES (7)"]);
    let row = "SELECT a::text || ' ' || b || ' ' || c || ' ' || d FROM t WHERE c = 7 AND a > 50";
    assert_eq!(session.query_scalar::<String>(row, ()).expect("a row"), "52 151 7 14");
}

/// What a program gives is not there when it does not, nor are views over it; all else is as it was.
#[test]
fn what_is_not_kept() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    session.register_table("given", Given).expect("it is registered");
    run_all(
        &session,
        &[
            "CREATE TABLE t (a int)",
            "CREATE VIEW over AS SELECT a FROM given",
            "CREATE VIEW above AS SELECT a + 1 AS b FROM over",
            "CREATE TEMP TABLE own (a int)",
            "INSERT INTO t SELECT b FROM above",
        ],
    );
    drop((session, engine));
    let engine = open(folder.path());
    let session = engine.session();
    assert_eq!(session.query_scalar::<i64>("SELECT sum(a) FROM t", ()).expect("a sum"), 3);
    run_all(&session, &["BEGIN", "INSERT INTO t VALUES (4)", "COMMIT"]);
    for name in ["given", "over", "above", "own"] {
        let error = run(&session, &format!("SELECT * FROM {name}")).expect_err("it is gone");
        assert_eq!(error.kind(), ErrorKind::UnknownTable, "{name}");
    }
    check_again(&engine, folder.path());
}

#[derive(Debug)]
struct Given;

impl TableProvider for Given {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("a", DataType::Integer, false)]
    }

    fn scan(&self, scan: &Scan) -> std::result::Result<Vec<TablePart>, ProviderError> {
        let all = RecordBatch::try_from_iter_with_nullable([("a", Arc::new(Int32Array::from(vec![2])) as _, false)])?;
        Ok(vec![TablePart::new(std::iter::once(Ok(all.project(&scan.columns)?)))])
    }
}

/// A database whose checkpoint is lost is not taken for an empty folder.
#[test]
fn a_checkpoint_that_is_missing() {
    let folder = folder();
    some_data(folder.path());
    fs::remove_file(folder.path().join("checkpoint")).expect("it goes");
    for _ in 0..2 {
        let opened = open_with(Arc::new(Machine), SMALL, folder.path()).map(drop).map_err(|error| error.kind());
        assert_eq!(opened, Err(ErrorKind::DataCorrupted));
    }
    assert!(fs::read_dir(folder.path().join("rows")).expect("they are there").count() > 0);
}

/// Who does not wait for the device has it written all the same, and on the device soon, or when the engine ends.
#[test]
fn who_does_not_wait() {
    let folder = folder();
    let disk = Arc::new(Failing { calls: AtomicU64::new(0), fails: u64::MAX, for_good: false, is_torn: false });
    let engine = open_with(Arc::new(Shared(Arc::clone(&disk))), SMALL, folder.path()).expect("it opens");
    let session = engine.session();
    run_all(&session, &["CREATE TABLE t (a int)", "SET synchronous_commit = off"]);
    let before = disk.calls.load(Ordering::Relaxed);
    run_all(&session, &["INSERT INTO t VALUES (1)", "BEGIN", "INSERT INTO t VALUES (2)", "COMMIT"]);
    // Two records; the device is asked later, by somebody else.
    assert!(disk.calls.load(Ordering::Relaxed) >= before + 2);
    check_again(&engine, folder.path());
    drop((session, engine));
    let engine = open(folder.path());
    assert_eq!(engine.session().query_scalar::<i64>("SELECT sum(a) FROM t", ()).expect("a sum"), 3);
}

/// What only deleted rows have is no reason not to open a database.
#[test]
fn rows_that_are_deleted_may_have_anything() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    run_all(
        &session,
        &[
            "CREATE TABLE t (a int, b text)",
            "INSERT INTO t VALUES (1, 'x'), (NULL, 'y'), (3, 'z'), (3, 'w')",
            "DELETE FROM t WHERE a IS NULL OR b = 'w'",
            "ALTER TABLE t ALTER a SET NOT NULL, ADD PRIMARY KEY (a)",
        ],
    );
    check_again(&engine, folder.path());
    engine.checkpoint().expect("a checkpoint is made");
    check_again(&engine, folder.path());
    run_all(&session, &["INSERT INTO t VALUES (4, 'v')", "UPDATE t SET b = 'u' WHERE a = 3"]);
    check_again(&engine, folder.path());
}
