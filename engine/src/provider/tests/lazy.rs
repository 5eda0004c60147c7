//! Lazy parts: what is read of them and when, and parts that fail, lie and change.

use super::misuse::{check_error, error};
use super::{engine, rows};
use crate::provider::{ColumnRange, ProviderError, RowCount, Scan, TableEstimates, TablePart, TableProvider};
use crate::{DataType, Engine, Field, Session, Value};
use arrow::array::{ArrayRef, Int64Array, StringArray};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What is read: the part, the column, the rows.
type Read = (usize, usize, Range<usize>);

/// Makes an array of what is read; the number says how often it, the part and the column, has been read before.
type Make = dyn Fn(&Read, usize) -> Result<ArrayRef, ProviderError> + Send + Sync;

/// Columns `a bigint NOT NULL, b text` in lazy parts of so many rows each.
struct Lazy {
    parts: usize,
    rows: usize,
    make: Arc<Make>,
    reads: Arc<Mutex<Vec<Read>>>,
    has_ranges: bool,
}

impl std::fmt::Debug for Lazy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}

/// Numbers over all parts, of `of` rows each, and texts of these.
fn numbers((part, column, rows): &Read, of: usize) -> ArrayRef {
    let all = (part * of + rows.start) as i64..(part * of + rows.end) as i64;
    match column {
        0 => Arc::new(Int64Array::from_iter_values(all)),
        _ => Arc::new(StringArray::from_iter_values(all.map(|number| format!("text {}", number % 10)))),
    }
}

impl Lazy {
    fn new(
        (parts, rows): (usize, usize),
        make: impl Fn(&Read, usize) -> Result<ArrayRef, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        Lazy { parts, rows, make: Arc::new(make), reads: Arc::default(), has_ranges: false }
    }

    fn of_numbers((parts, rows): (usize, usize)) -> Self {
        Lazy { has_ranges: true, ..Lazy::new((parts, rows), move |read, _| Ok(numbers(read, rows))) }
    }
}

impl TableProvider for Lazy {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("a", DataType::BigInt, false), Field::new("b", DataType::Text, true)]
    }

    fn estimates(&self) -> TableEstimates {
        TableEstimates::of(RowCount::Exactly((self.parts * self.rows) as u64))
    }

    fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        let part = |part: usize| {
            let (make, reads) = (Arc::clone(&self.make), Arc::clone(&self.reads));
            let lazy = TablePart::lazy(self.rows, move |column, rows| {
                let read = (part, column, rows);
                let before = {
                    let mut reads = reads.lock().expect("nobody panics with it");
                    let before = reads.iter().filter(|(of, at, _)| (*of, *at) == (part, column)).count();
                    reads.push(read.clone());
                    before
                };
                make(&read, before)
            });
            let bound = |row: usize| Some(Value::Int(row as i64));
            let (min, max) = (bound(part * self.rows), bound((part + 1) * self.rows - 1));
            if self.has_ranges { lazy.with_range(0, ColumnRange { min, max, nulls: Some(0) }) } else { lazy }
        };
        Ok((0..self.parts).map(part).collect())
    }
}

fn session(lazy: Lazy) -> Session {
    let session = engine().session();
    session.register_table("t", lazy).expect("a table");
    session
}

/// A session over numbers, and what is read.
fn read_of(parts: usize, rows: usize) -> (Session, impl Fn(usize) -> Vec<usize>) {
    let lazy = Lazy::of_numbers((parts, rows));
    let reads = Arc::clone(&lazy.reads);
    // The parts in which a column has been read, and forgets them.
    let parts_of = move |column: usize| {
        let mut reads = reads.lock().expect("nobody panics");
        let mut parts: Vec<usize> = reads.iter().filter(|read| read.1 == column).map(|read| read.0).collect();
        reads.retain(|read| read.1 != column);
        parts.sort_unstable();
        parts.dedup();
        parts
    };
    (session(lazy), parts_of)
}

#[test]
fn what_is_not_needed_is_not_read() {
    let (session, parts_of) = read_of(6, 1000);
    let used = session.engine().memory_used();
    let check = |sql: &str, found: &[&str], (of_a, of_b): (&[usize], &[usize])| {
        assert_eq!(rows(&session, sql), found, "{sql}");
        assert_eq!((&*parts_of(0), &*parts_of(1)), (of_a, of_b), "{sql}");
        assert_eq!(session.engine().memory_used(), used, "{sql}: nothing is kept");
    };
    const ALL: &[usize] = &[0, 1, 2, 3, 4, 5];
    check("SELECT count(*) FROM t", &["6000"], (&[], &[]));
    check("SELECT sum(a) FROM t", &["17997000"], (ALL, &[]));
    // By what is known of parts.
    check("SELECT b FROM t WHERE a = 3004", &["text 4"], (&[3], &[3]));
    check("SELECT a FROM t WHERE a < 2 AND b > 'text 0'", &["1"], (&[0], &[0]));
    // What else is read is read where rows are left.
    check("SELECT b FROM t WHERE a % 1000 = 7 AND a % 7 = 2", &["text 7"], (ALL, &[5]));
    check("SELECT max(b) FROM t WHERE a % 6000 = 1234", &["text 4"], (ALL, &[1]));
    // Keys of a join say what parts have some.
    session.sql("CREATE TABLE k AS SELECT 4000 + i AS a FROM generate_series(1, 3) g(i)").expect("a table");
    assert_eq!(rows(&session, "SELECT b FROM k JOIN t ON k.a = t.a"), ["text 1", "text 2", "text 3"]);
    assert_eq!((parts_of(0), parts_of(1)), (vec![4], vec![4]));
}

#[test]
fn a_limit_reads_no_further() {
    let (session, parts_of) = read_of(300, 1000);
    for (sql, found) in [
        ("SELECT a FROM t LIMIT 3", &["0", "1", "2"][..]),
        ("SELECT a FROM t OFFSET 1500 LIMIT 1", &["1500"]),
        ("SELECT a FROM t WHERE a % 2 = 1 LIMIT 2", &["1", "3"]),
        ("SELECT a FROM t WHERE b = 'text 7' LIMIT 1", &["7"]),
    ] {
        assert_eq!(rows(&session, sql), found, "{sql}");
        let (of_a, of_b) = (parts_of(0), parts_of(1));
        assert!(of_a.len() + of_b.len() < 100, "{sql}: {} parts, {} parts", of_a.len(), of_b.len());
    }
    assert_eq!(rows(&session, "SELECT count(*) FROM (SELECT a FROM t LIMIT 250500) x WHERE a % 2 = 0"), ["125250"]);
    assert_eq!(parts_of(0).len(), 251);
}

#[test]
fn more_rows_than_memory() {
    // 32 MiB of numbers, and texts.
    let lazy = Lazy::of_numbers((32, 1 << 17));
    let reads = Arc::clone(&lazy.reads);
    let session = Engine::builder().threads(2).memory_limit(20 << 20).build().expect("an engine").session();
    session.register_table("t", lazy).expect("a table");
    let (count, used) = (32u64 << 17, session.engine().memory_used());
    let sum = count * (count - 1) / 2;
    assert_eq!(rows(&session, "SELECT count(*), sum(a), max(b) FROM t"), [format!("{count}|{sum}|text 9")]);
    assert_eq!(reads.lock().expect("nobody panics").len(), 64, "each column of each part once");
    assert_eq!(session.engine().memory_used(), used);
}

#[test]
fn what_several_loops_read_is_kept() {
    let (session, parts_of) = read_of(8, 1000);
    assert_eq!(rows(&session, "SELECT count(*) FROM t WHERE a > (SELECT avg(a) FROM t)"), ["4000"]);
    assert_eq!(parts_of(0).len(), 8);
    let lazy = Lazy::of_numbers((8, 1000));
    let reads = Arc::clone(&lazy.reads);
    let session = self::session(lazy);
    assert_eq!(rows(&session, "SELECT count(*) FROM t WHERE a > (SELECT avg(a) FROM t)"), ["4000"]);
    assert_eq!(reads.lock().expect("nobody panics").len(), 8, "each part once");
}

#[test]
fn rows_that_change_are_not_mixed() {
    const ROWS: usize = 1000;
    // Whoever is asked again gives the next numbers.
    let changing = || {
        Lazy::new((8, ROWS), |read, before| {
            let moved = (read.0, read.1, read.2.start + before..read.2.end + before);
            Ok(numbers(&moved, ROWS))
        })
    };
    for sql in [
        "SELECT count(*) FROM t WHERE a > (SELECT avg(a) FROM t)",
        "SELECT count(*) FROM t x JOIN t y ON x.a = y.a WHERE x.b = y.b AND x.a >= 4000",
    ] {
        // A statement has one state of it, or an error.
        let session = session(changing());
        match session.query_scalar::<i64>(sql, ()) {
            Ok(found) => assert_eq!(found, 4000, "{sql}"),
            Err(error) => assert_eq!(error.sqlstate(), "58030", "{sql}: {error}"),
        }
    }
}

#[test]
fn what_is_read_is_held_against_what_was_said() {
    let of = |make: fn(usize) -> Result<ArrayRef, ProviderError>| {
        session(Lazy { has_ranges: true, ..Lazy::new((2, 5), move |read, _| make(read.2.len())) })
    };
    let short = of(|_| Ok(Arc::new(Int64Array::from(vec![1, 2]))));
    check_error(
        &short,
        "SELECT a FROM t",
        ("42804", "table provider \"t\": 2 rows of column \"a\" where 5 were asked for"),
    );
    let other = of(|rows| Ok(Arc::new(StringArray::from(vec!["1"; rows]))));
    check_error(&other, "SELECT a FROM t", ("42804", "column \"a\" is of type bigint but the data is of type text"));
    let nulls = of(|rows| Ok(Arc::new(Int64Array::from(vec![None::<i64>; rows]))));
    check_error(&nulls, "SELECT a FROM t", ("23502", "null value in column \"a\""));
    let far = of(|rows| Ok(Arc::new(Int64Array::from(vec![77; rows]))));
    check_error(&far, "SELECT a FROM t", ("22P04", "column \"a\" has values other than its part says, from "));
    let fails = of(|_| Err("the disk is gone".into()));
    check_error(&fails, "SELECT sum(a) FROM t", ("58030", "table provider \"t\": the disk is gone"));
    check_error(&fails, "SELECT a FROM t", ("58030", "table provider \"t\": the disk is gone"));
    let panics = of(|_| panic!("no more of this"));
    check_error(&panics, "SELECT a FROM t", ("XX000", "no more of this"));
    check_error(&panics, "SELECT b, count(*) FROM t GROUP BY b", ("XX000", "no more of this"));
    assert_eq!(rows(&fails, "SELECT count(*) FROM t"), ["10"]);
}

#[test]
fn values_beyond_their_type_are_errors() {
    #[derive(Debug)]
    struct Days(DataType);
    impl TableProvider for Days {
        fn fields(&self) -> Vec<Field> {
            vec![Field::new("d", self.0, true)]
        }
        fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
            let is_date = self.0 == DataType::Date;
            Ok(vec![TablePart::lazy(2, move |_, _| {
                Ok(match is_date {
                    true => Arc::new(arrow::array::Date64Array::from(vec![0, i64::MAX])) as ArrayRef,
                    false => Arc::new(arrow::array::Time64MicrosecondArray::from(vec![0, -1])),
                })
            })])
        }
    }
    for data_type in [DataType::Date, DataType::Time] {
        let session = engine().session();
        session.register_table("t", Days(data_type)).expect("a table");
        check_error(&session, "SELECT d FROM t", ("22008", "a value of column \"d\" is out of range for type"));
    }
}

#[test]
fn statements_within_are_errors() {
    let session = engine().session();
    let (within, found) = (session.engine().session(), Arc::new(Mutex::new(Vec::new())));
    let lazy = {
        let found = Arc::clone(&found);
        let within = Mutex::new(within);
        Lazy::new((3, 1000), move |read, _| {
            let ran = within.lock().expect("nobody panics").sql("CREATE TABLE within AS SELECT 1 AS a");
            found
                .lock()
                .expect("nobody panics")
                .push(ran.map_or_else(|error| error.sqlstate().to_owned(), |_| "it runs".to_owned()));
            Ok(numbers(read, 1000))
        })
    };
    session.register_table("t", lazy).expect("a table");
    // Rows of a result are made while they are read.
    let mut result = session.sql("SELECT a FROM t").expect("it begins").with_batch_rows(100);
    assert_eq!(result.next().expect("rows").expect("a batch").num_rows(), 100);
    assert_eq!(result.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>(), 2900);
    session.sql("CREATE TABLE kept AS SELECT * FROM t WHERE a > 2990").expect("rows are copied");
    assert_eq!(rows(&session, "SELECT count(*) FROM kept"), ["9"]);
    let found = found.lock().expect("nobody panics");
    assert!(!found.is_empty() && found.iter().all(|said| said == "0A000"), "{found:?}");
}

#[test]
fn a_cancel_is_heard_between_reads() {
    let begun = Arc::new(AtomicUsize::new(0));
    let lazy = {
        let begun = Arc::clone(&begun);
        Lazy::new((10_000, 100), move |read, _| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
            Ok(numbers(read, 100))
        })
    };
    let session = session(lazy);
    for sql in ["SELECT a FROM t", "SELECT b, sum(a) FROM t GROUP BY b"] {
        let handle = session.cancel_handle();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            handle.cancel();
            Instant::now()
        });
        let error = error(&session, sql);
        let took = canceller.join().expect("it cancels").elapsed();
        assert_eq!(error.sqlstate(), "57014", "{error}");
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
    assert!(begun.load(Ordering::Relaxed) < 10_000);
}

#[test]
fn more_rows_than_were_planned() {
    /// Lazy parts of a provider that says no number.
    #[derive(Debug)]
    struct Unknown(Lazy);
    impl TableProvider for Unknown {
        fn fields(&self) -> Vec<Field> {
            self.0.fields()
        }
        fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
            self.0.scan(scan)
        }
    }
    let session = engine().session();
    session.register_table("t", Unknown(Lazy::of_numbers((30, 100_000)))).expect("a table");
    assert_eq!(rows(&session, "SELECT sum(a) FROM t"), ["4499998500000"]);
}
