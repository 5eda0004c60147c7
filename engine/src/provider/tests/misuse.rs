//! Providers that fail, panic, lie, grow and take their time, and what may not be done with a table of theirs.

use super::{Filters, Stored, engine, nasty, rows};
use crate::provider::{ProviderError, Scan, TablePart, TableProvider};
use crate::{DataType, Engine, Error, ErrorKind, Field, Session};
use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a batch of a number of a part is; None ends the part.
type Make = dyn Fn(&Scan, usize, usize) -> Option<Result<RecordBatch, ProviderError>> + Send + Sync;

/// A provider of columns `a bigint NOT NULL, b text` whose batches a closure makes.
pub(super) struct Made {
    parts: usize,
    rows: Option<u64>,
    make: Arc<Make>,
    scans: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").finish_non_exhaustive()
    }
}

impl Made {
    pub(super) fn new(
        parts: usize,
        make: impl Fn(&Scan, usize, usize) -> Option<Result<RecordBatch, ProviderError>> + Send + Sync + 'static,
    ) -> Self {
        Made { parts, rows: None, make: Arc::new(make), scans: Arc::default() }
    }
}

impl TableProvider for Made {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("a", DataType::BigInt, false), Field::new("b", DataType::Text, true)]
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        self.scans.fetch_add(1, Ordering::Relaxed);
        let part = |part: usize| {
            let (make, scan) = (Arc::clone(&self.make), scan.clone());
            TablePart::new((0..).map_while(move |at| make(&scan, part, at)))
        };
        Ok((0..self.parts).map(part).collect())
    }
}

/// A batch of both columns, or of those that are asked for.
pub(super) fn batch(scan: &Scan, numbers: std::ops::Range<i64>) -> Result<RecordBatch, ProviderError> {
    let texts = StringArray::from_iter_values(numbers.clone().map(|number| format!("text {}", number % 10)));
    let all = RecordBatch::try_from_iter([
        ("a", Arc::new(Int64Array::from_iter_values(numbers)) as ArrayRef),
        ("b", Arc::new(texts) as ArrayRef),
    ])?;
    Ok(all.project(&scan.columns)?)
}

pub(super) fn session(made: Made) -> Session {
    let session = engine().session();
    session.register_table("t", made).expect("a table");
    session
}

pub(super) fn error(session: &Session, sql: &str) -> Error {
    match session.sql(sql).and_then(crate::ResultStream::collect_batches) {
        Err(error) => error,
        Ok(_) => panic!("{sql}: it runs"),
    }
}

/// Runs into an error, of which nothing is left.
pub(super) fn check_error(session: &Session, sql: &str, (sqlstate, says): (&str, &str)) {
    let used = session.engine().memory_used();
    let found = error(session, sql);
    assert_eq!(found.sqlstate(), sqlstate, "{sql}: {found}");
    assert!(found.message().contains(says), "{sql}: {found}");
    assert_eq!(session.engine().memory_used(), used, "{sql}");
    assert_eq!(rows(session, "SELECT 1"), ["1"]);
}

#[test]
fn a_million_rows_in_eight_parts() {
    const PART: i64 = 125_000;
    let session = session(Made::new(8, |scan, part, at| {
        let start = part as i64 * PART + at as i64 * 10_000;
        let end = (start + 10_000).min((part as i64 + 1) * PART);
        (start < end).then(|| batch(scan, start..end))
    }));
    let used = session.engine().memory_used();
    assert_eq!(rows(&session, "SELECT count(*), sum(a), min(a), max(b) FROM t"), ["1000000|499999500000|0|text 9"]);
    assert_eq!(rows(&session, "SELECT b, count(*) FROM t WHERE a >= 999990 GROUP BY b").len(), 10);
    assert_eq!(rows(&session, "SELECT a FROM t ORDER BY a DESC LIMIT 2"), ["999998", "999999"]);
    assert_eq!(rows(&session, "SELECT count(*) FROM t x JOIN t y ON x.a = y.a + 500000"), ["500000"]);
    // Rows are in the order of the parts, as those of a table are.
    let in_order = "SELECT count(*) FROM (SELECT a, row_number() OVER () AS r FROM t) x WHERE r = a + 1";
    assert_eq!(rows(&session, in_order), ["1000000"]);
    assert_eq!(session.engine().memory_used(), used, "nothing is kept");
    session.sql("CREATE TABLE kept AS SELECT * FROM t WHERE a % 2 = 0").expect("rows are copied");
    assert_eq!(rows(&session, "SELECT count(*), sum(a) FROM kept"), ["500000|249999500000"]);
}

#[test]
fn errors_are_the_statements() {
    let failing = || {
        Made::new(2, |scan, _, at| match at {
            3 => Some(Err("the disk is gone".into())),
            _ => Some(batch(scan, 0..10)),
        })
    };
    check_error(&session(failing()), "SELECT a FROM t", ("58030", "table provider \"t\": the disk is gone"));
    check_error(&session(failing()), "SELECT count(*) FROM t x, t y", ("58030", "the disk is gone"));
    let own = Made::new(1, |_, _, _| Some(Err(Error::new(ErrorKind::Forbidden, "not you").into())));
    check_error(&session(own), "SELECT a FROM t", ("42501", "table provider \"t\": not you"));
    let arrow = Made::new(1, |_, _, _| Some(Err(arrow::error::ArrowError::DivideByZero.into())));
    check_error(&session(arrow), "SELECT a FROM t", ("58030", "table provider \"t\": "));
}

#[test]
fn panics_are_errors() {
    let in_a_batch = Made::new(4, |scan, part, at| {
        assert!(part != 2 || at != 1, "no more of this");
        (at < 2).then(|| batch(scan, 0..10))
    });
    check_error(&session(in_a_batch), "SELECT a FROM t", ("XX000", "no more of this"));

    #[derive(Debug)]
    struct Panics(&'static str);
    impl TableProvider for Panics {
        fn fields(&self) -> Vec<Field> {
            assert!(self.0 != "fields", "panics of fields");
            vec![Field::new("a", DataType::BigInt, false)]
        }
        fn rows(&self) -> Option<u64> {
            assert!(self.0 != "rows", "panics of rows");
            None
        }
        fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
            assert!(self.0 != "scan", "panics of scan");
            struct Dropped;
            impl Iterator for Dropped {
                type Item = Result<RecordBatch, ProviderError>;
                fn next(&mut self) -> Option<Self::Item> {
                    None
                }
            }
            impl Drop for Dropped {
                fn drop(&mut self) {
                    panic!("panics of drop");
                }
            }
            Ok(vec![TablePart::new(Dropped)])
        }
    }
    for of in ["fields", "rows"] {
        let error = engine().session().register_table("t", Panics(of)).expect_err("it panics");
        assert!(error.sqlstate() == "XX000" && error.message().contains(&format!("panics of {of}")), "{error}");
    }
    for of in ["scan", "drop"] {
        let session = engine().session();
        session.register_table("t", Panics(of)).expect("a table");
        check_error(&session, "SELECT a FROM t", ("XX000", &format!("panics of {of}")));
    }
}

#[test]
fn a_batch_is_held_against_the_columns() {
    let lies = |make: fn() -> Vec<(&'static str, ArrayRef)>| {
        session(Made::new(2, move |_, _, at| {
            (at < 3)
                .then(|| Ok(RecordBatch::try_from_iter_with_nullable(make().into_iter().map(|(n, a)| (n, a, true)))?))
        }))
    };
    let of_a_type = lies(|| vec![("a", Arc::new(StringArray::from(vec!["1", "2"])) as ArrayRef)]);
    check_error(
        &of_a_type,
        "SELECT a FROM t",
        ("42804", "column \"a\" is of type bigint but the data is of type text"),
    );
    let of_a_name = lies(|| vec![("b", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef)]);
    check_error(&of_a_name, "SELECT a FROM t", ("42804", "column \"b\" where \"a\" was asked for"));
    let of_a_number = lies(|| vec![("a", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef)]);
    check_error(&of_a_number, "SELECT a, b FROM t", ("42804", "a batch of 1 columns where 2 were asked for"));
    check_error(&of_a_number, "SELECT count(*) FROM t", ("42804", "a batch of 1 columns where 0 were asked for"));
    let of_nulls = lies(|| vec![("a", Arc::new(Int64Array::from(vec![Some(1), None])) as ArrayRef)]);
    check_error(&of_nulls, "SELECT a FROM t", ("23502", "null value in column \"a\""));
    // Narrower integers are bigints, too.
    let narrower = lies(|| vec![("a", Arc::new(Int32Array::from(vec![1, -2])) as ArrayRef)]);
    assert_eq!(rows(&narrower, "SELECT sum(a), count(*) FROM t"), ["-6|12"]);
}

#[test]
fn no_rows_and_no_columns() {
    let session = session(Made::new(0, |_, _, _| None));
    assert_eq!(rows(&session, "SELECT count(*), sum(a), max(b) FROM t"), ["0|NULL|NULL"]);
    assert!(rows(&session, "SELECT a, b FROM t ORDER BY a LIMIT 3").is_empty());
    let empty = self::session(Made::new(3, |scan, _, at| (at < 2).then(|| batch(scan, 0..0))));
    assert_eq!(rows(&empty, "SELECT count(*), count(a) FROM t"), ["0|0"]);
    #[derive(Debug)]
    struct Columns(Vec<Field>);
    impl TableProvider for Columns {
        fn fields(&self) -> Vec<Field> {
            self.0.clone()
        }
        fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
            Ok(Vec::new())
        }
    }
    let twice = vec![Field::new("a", DataType::BigInt, true), Field::new("a", DataType::Text, true)];
    let error = session.register_table("u", Columns(twice)).expect_err("two columns of a name");
    assert_eq!(error.sqlstate(), "42701");
    session.register_table("u", Columns(Vec::new())).expect("a table of no columns");
    assert_eq!(rows(&session, "SELECT count(*) FROM u"), ["0"]);
}

#[test]
fn a_cancel_is_heard_between_batches() {
    let made = Made::new(3, |scan, _, _| {
        std::thread::sleep(Duration::from_millis(2));
        Some(batch(scan, 0..10))
    });
    let session = session(Made { rows: Some(1 << 40), ..made });
    for kind in 0..2 {
        let handle = session.cancel_handle();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            let now = Instant::now();
            handle.cancel();
            now
        });
        let error = error(&session, ["SELECT a FROM t", "SELECT b, sum(a) FROM t GROUP BY b"][kind]);
        let took = canceller.join().expect("it cancels").elapsed();
        assert_eq!(error.sqlstate(), "57014", "{error}");
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn memory_is_counted() {
    let endless = Made::new(2, |scan, _, _| Some(batch(scan, 0..10_000)));
    let endless = Made { rows: Some(1 << 40), ..endless };
    let session = Engine::builder().threads(2).memory_limit(20 << 20).build().expect("an engine").session();
    session.register_table("t", endless).expect("a table");
    check_error(&session, "SELECT a FROM t", ("53200", ""));
}

#[test]
fn more_rows_than_were_planned() {
    const ROWS: i64 = 3_000_000;
    let made = || {
        Made::new(3, |scan, part, at| {
            (at < 10).then(|| {
                batch(
                    scan,
                    part as i64 * ROWS / 3 + at as i64 * ROWS / 30
                        ..part as i64 * ROWS / 3 + (at as i64 + 1) * ROWS / 30,
                )
            })
        })
    };
    let (unknown, few) = (made(), Made { rows: Some(10), ..made() });
    for (made, scans) in [(unknown, 2), (few, 3)] {
        let count = Arc::clone(&made.scans);
        let session = session(made);
        let prepared = session.prepare("SELECT sum(a) FROM t").expect("it is prepared");
        let sum = ROWS * (ROWS - 1) / 2;
        for _ in 0..2 {
            assert_eq!(prepared.query_scalar::<i64>(&session, ()).expect("it runs"), sum);
        }
        assert_eq!(count.load(Ordering::Relaxed), scans + 1, "the bound is known the second time");
        assert_eq!(rows(&session, "SELECT count(*) FROM t"), [ROWS.to_string()]);
        assert_eq!(count.load(Ordering::Relaxed), scans + 2);
    }
}

#[test]
fn what_may_be_done_with_its_table() {
    let session = engine().session();
    session.register_table("t", Stored::new(nasty(), 2, 50, Filters::All)).expect("a table");
    for sql in [
        "INSERT INTO t SELECT * FROM t",
        "INSERT INTO t (n) VALUES (1)",
        "TRUNCATE t",
        "CREATE INDEX ON t (n)",
        "CREATE UNIQUE INDEX ON t (n)",
        "CREATE UNIQUE INDEX ON t ((n + 1)) WHERE n > 0",
        // So nobody asks a provider for a row by its key.
        "ALTER TABLE t ADD PRIMARY KEY (n)",
        "ALTER TABLE t ADD UNIQUE (k)",
    ] {
        check_error(&session, sql, ("42809", "cannot change table \"t\""));
    }
    for sql in ["DELETE FROM t", "UPDATE t SET n = 1"] {
        assert!(["42809", "0A000", "42601"].contains(&error(&session, sql).sqlstate()), "{sql}");
    }
    assert_eq!(error(&session, "CREATE TABLE r (n bigint REFERENCES t (n))").sqlstate(), "42830");
    assert_eq!(
        rows(&session, "SELECT relname, relkind, relnatts, reltuples FROM pg_class WHERE relname = 't'"),
        ["t|r|7|-1.0"]
    );
    let columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 't' AND is_nullable = 'NO'";
    assert_eq!(rows(&session, columns), ["n"]);
    assert_eq!(rows(&session, "DESCRIBE t").len(), 7);
    assert!(rows(&session, "SHOW TABLES").contains(&"t|table|NULL".to_owned()));
    session.sql("ALTER TABLE t RENAME TO u").expect("another name");
    session.sql("ALTER TABLE u RENAME COLUMN n TO number").expect("another name");
    assert_eq!(rows(&session, "SELECT count(number), max(k) FROM u WHERE number < 5"), ["5|7"]);
    session.sql("CREATE SCHEMA ours").expect("a schema");
    session.register_table("ours.t", Stored::new(nasty(), 2, 50, Filters::None)).expect("a table");
    assert_eq!(rows(&session, "SELECT count(*) FROM ours.t JOIN u ON n = number"), ["200"]);
    session.sql("CREATE VIEW of_u AS SELECT number FROM u").expect("a view");
    assert_eq!(error(&session, "DROP TABLE u").sqlstate(), "2BP01");
    session.sql("DROP TABLE u CASCADE").expect("it goes");
    assert_eq!(error(&session, "SELECT * FROM u").sqlstate(), "42P01");
    let error = session.register_table("nowhere.t", Stored::new(nasty(), 1, 50, Filters::None)).expect_err("no schema");
    assert_eq!(error.sqlstate(), "3F000");
    // In a transaction, it is made and gone with it.
    session.sql("BEGIN").expect("a transaction");
    session.register_table("brief", Stored::new(nasty(), 1, 50, Filters::None)).expect("a table");
    assert_eq!(rows(&session, "SELECT count(*) FROM brief"), ["200"]);
    session.sql("ROLLBACK").expect("it is undone");
    assert_eq!(self::error(&session, "SELECT count(*) FROM brief").sqlstate(), "42P01");
}

#[test]
fn rows_change_between_statements() {
    let counter = Arc::new(AtomicUsize::new(0));
    let made = {
        let counter = Arc::clone(&counter);
        Made::new(1, move |scan, _, at| (at == 0).then(|| batch(scan, 0..counter.load(Ordering::Relaxed) as i64)))
    };
    let session = session(made);
    let prepared = session.prepare("SELECT count(*) FROM t").expect("it is prepared");
    for rows in [0, 5, 3, 200_000] {
        counter.store(rows, Ordering::Relaxed);
        assert_eq!(prepared.query_scalar::<i64>(&session, ()).expect("it runs"), rows as i64);
        assert_eq!(self::rows(&session, "SELECT count(a) FROM t"), [rows.to_string()]);
    }
    // Several threads read it at once.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let session = session.engine().session();
                for _ in 0..10 {
                    assert_eq!(self::rows(&session, "SELECT count(*), max(a) FROM t"), ["200000|199999"]);
                }
            });
        }
    });
}
