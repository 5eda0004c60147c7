//! The embedded API as a program uses it: tables from Arrow and files, parameters, prepared queries, cancellation,
//! limits, progress, and sessions on many threads.

use multiloop::arrow::array::{Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use multiloop::arrow::datatypes::{DataType as ArrowType, Field as ArrowField, Schema};
use multiloop::{Backend, DataType, Engine, Error, Numeric, Prepared, ResultStream, Session, Value};
use multiloop_tests::{Answer, answer, text_rows};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine starts").session()
}

/// The rows of a query as text.
fn rows(session: &Session, sql: &str) -> Vec<String> {
    let result = session.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    text_rows(result).expect("rows come").into_iter().map(|row| row.join(" ")).collect()
}

fn sqlstate<T>(result: Result<T, Error>) -> &'static str {
    result.err().expect("an error was expected").sqlstate()
}

/// A table of the numbers from 0 to 999,999.
fn a_million(session: &Session) {
    session
        .sql("CREATE TABLE ten AS SELECT column1 AS n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v")
        .expect("it is made");
    let digits = "SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n + 100000 * f.n AS n \
                  FROM ten a, ten b, ten c, ten d, ten e, ten f";
    session.sql(&format!("CREATE TABLE million AS {digits}")).expect("it is made");
}

/// Runs for much longer than anybody waits: 10^12 pairs.
const ENDLESS: &str = "SELECT count(*) FROM million a, million b WHERE a.n * 3 % 7 + b.n < -1";

/// A folder of its own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("multiloop-api-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("it is UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that failed has other worries.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn batch(from: i64, rows: i64) -> RecordBatch {
    let schema = Schema::new(vec![
        ArrowField::new("id", ArrowType::Int64, false),
        ArrowField::new("Half", ArrowType::Float64, true),
        ArrowField::new("name", ArrowType::Utf8, true),
    ]);
    let id: Int64Array = (from..from + rows).collect();
    let half: Float64Array = (from..from + rows).map(|n| (n % 2 == 0).then_some(n as f64 / 2.0)).collect();
    let name: StringArray = (from..from + rows).map(|n| (n % 3 != 0).then(|| format!("n{n}"))).collect();
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(id), Arc::new(half), Arc::new(name)]).expect("it fits")
}

#[test]
fn what_is_shared_may_be_sent() {
    fn send_and_sync<T: Send + Sync>() {}
    fn send<T: Send>() {}
    send_and_sync::<Engine>();
    send_and_sync::<Session>();
    send_and_sync::<Prepared>();
    send_and_sync::<Error>();
    send_and_sync::<multiloop::Cancellation>();
    send::<ResultStream>();
}

#[test]
fn registered_batches_are_shared_not_copied() {
    let session = session();
    let batches = vec![batch(0, 100_000), batch(100_000, 50_000)];
    let buffers: Vec<_> = batches.iter().map(|batch| batch.column(0).to_data().buffers()[0].clone()).collect();
    let held: Vec<usize> = buffers.iter().map(multiloop::arrow::buffer::Buffer::strong_count).collect();
    session.register("t", batches).expect("they are registered");
    // The batches are gone from here, so whoever else holds their buffers is the engine.
    for (buffer, before) in buffers.iter().zip(held) {
        assert!(buffer.strong_count() >= before, "{} holders, {before} before", buffer.strong_count());
    }
    assert_eq!(
        rows(&session, "SELECT count(*), sum(id), count(\"Half\"), min(name) FROM t"),
        ["150000 11249925000 75000 n1"]
    );
    session.sql("DROP TABLE t").expect("it is there");
    assert!(buffers.iter().all(|buffer| buffer.strong_count() == 1), "nobody holds them any more");
}

#[test]
fn a_registered_table_is_replaced_and_inserted_into() {
    let session = session();
    session.register("t", vec![batch(0, 10)]).expect("it is registered");
    session.register("t", vec![batch(0, 3), batch(3, 2)]).expect("it is registered");
    session.sql("INSERT INTO t VALUES (77, 0.5, 'x')").expect("it fits");
    assert_eq!(rows(&session, "SELECT count(*), sum(id), sum(\"Half\") FROM t"), ["6 87 3.5"]);
    assert_eq!(sqlstate(session.sql("INSERT INTO t (\"Half\") VALUES (1)")), "23502");
    // Only batches of one schema make a table.
    let other = RecordBatch::try_from_iter([("id", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]).expect("it fits");
    let error = session.register("t", vec![batch(0, 1), other]).expect_err("the schemas differ");
    assert_eq!(error.sqlstate(), "42804", "{error}");
    assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["6"]);
}

#[test]
fn structs_are_registered() {
    let session = session();
    let fields = vec![ArrowField::new("item", ArrowType::Int32, true)].into();
    let structs = multiloop::arrow::array::StructArray::new_null(fields, 2);
    let batch = RecordBatch::try_from_iter([("l", Arc::new(structs) as ArrayRef)]).expect("it fits");
    session.register("t", vec![batch]).expect("structs are registered");
    assert_eq!(rows(&session, "SELECT count(*), count(l), count(l.item) FROM t"), ["2 0 0"]);
}

#[test]
fn files_become_tables() {
    let folder = Folder::new("files");
    let session = session();
    session.register("t", vec![batch(0, 1000)]).expect("it is registered");
    for ending in ["parquet", "csv", "arrow"] {
        let path = folder.path(&format!("t.{ending}"));
        session.sql(&format!("COPY t TO '{path}'")).expect("it is written");
        let format = multiloop::format::Format::of_path(&path).expect("it has an ending");
        session.read("back", &path, &format).expect("it is read");
        let difference = "SELECT count(*) FROM (SELECT * FROM t EXCEPT SELECT * FROM back) d";
        assert_eq!(rows(&session, difference), ["0"], "{ending}");
        assert_eq!(rows(&session, "SELECT count(*) FROM back"), ["1000"], "{ending}");
    }
    session.read_parquet("p", folder.path("*.parquet")).expect("it is read");
    session.read_csv("c", folder.path("t.csv")).expect("it is read");
    assert_eq!(rows(&session, "SELECT count(*) FROM p JOIN c USING (id)"), ["1000"]);
    assert_eq!(sqlstate(session.read_parquet("p", folder.path("nope.parquet"))), "58P01");
    assert_eq!(rows(&session, "SELECT count(*) FROM p"), ["1000"]);
}

#[test]
fn a_table_of_a_file_takes_its_memory_once() {
    let folder = Folder::new("whole");
    let path = folder.path("t.parquet");
    let writer = session();
    a_million(&writer);
    let some = "SELECT n, n / 1000 * 1.5 AS x, 'text ' || n % 7 AS s FROM million WHERE n < 150000 ORDER BY n";
    writer.sql(&format!("COPY ({some}) TO '{path}'")).expect("it is written");

    let read = session();
    read.read_parquet("t", &path).expect("it is read");
    let once = read.engine().memory_used();
    let all = [
        ("CREATE TABLE t AS SELECT * FROM '{}'", "n, x, s"),
        ("CREATE TABLE t AS SELECT s AS a, n AS b, x AS c FROM '{}' f", "b, c, a"),
        (
            "CREATE TABLE t (x decimal(12,1) NOT NULL, n integer, s text); INSERT INTO t SELECT x, n, s FROM '{}'",
            "n, x, s",
        ),
    ];
    let summary = |columns: &str| {
        let [n, x, s] = columns.split(", ").collect::<Vec<_>>()[..] else { panic!("three columns") };
        format!(
            "SELECT count(*), min({n}), max({n}), sum({n}), min({x}), max({x}), sum({x}), min({s}), max({s}), count(DISTINCT {s})"
        )
    };
    let expected = rows(&read, &format!("{} FROM t", summary("n, x, s")));
    for (statements, columns) in all {
        let session = session();
        session.sql(&statements.replace("{}", &path)).expect("it is loaded");
        assert_eq!(rows(&session, &format!("{} FROM t", summary(columns))), expected, "{statements}");
        assert_eq!(session.engine().memory_used(), once, "{statements}");
        session.sql("DROP TABLE t").expect("it is dropped");
        assert_eq!(session.engine().memory_used(), 0, "the file's rows are the table's: {statements}");
    }
}

#[test]
fn a_table_of_a_file_is_what_the_query_shows() {
    let folder = Folder::new("shown");
    let path = folder.path("t.parquet");
    let session = session();
    a_million(&session);
    let written = format!("COPY (SELECT n, -n AS m, nullif(n % 3, 0) AS k FROM million WHERE n < 70000) TO '{path}'");
    session.sql(&written).expect("it is written");
    let queries = [
        "SELECT * FROM f",
        "SELECT k, n, m AS n2 FROM f",
        "SELECT n, m, n AS o FROM f",
        "SELECT m FROM f",
        "SELECT n, m + 0 AS m, k FROM f",
        "SELECT * FROM f LIMIT 10",
        "SELECT DISTINCT * FROM f",
        "SELECT * FROM f WHERE k = 1",
        "SELECT * FROM (SELECT m AS a, k, n FROM f) AS g",
        "SELECT * FROM f UNION ALL SELECT * FROM f",
        "SELECT * FROM f ORDER BY m",
        "SELECT n::text, m, k FROM f",
    ];
    for query in queries {
        let query = query.replace(" f", &format!(" '{path}' AS f"));
        session.sql(&format!("CREATE OR REPLACE TABLE made AS {query}")).expect("it is made");
        let differing = |a: &str, b: &str| format!("SELECT count(*) FROM (({a}) EXCEPT ALL ({b})) AS d");
        let made = "SELECT * FROM made";
        assert_eq!(rows(&session, &differing(made, &query)), ["0"], "{query}");
        assert_eq!(rows(&session, &differing(&query, made)), ["0"], "{query}");
    }
    let lacking = format!("CREATE TABLE lacking AS SELECT n, m, k FROM (SELECT *, $1 AS p FROM '{path}') AS f");
    assert_eq!(sqlstate(session.sql(&lacking)), "42P02");
    // What a table does not take leaves it as it was.
    session.sql("CREATE TABLE strict (n bigint, m bigint, k bigint NOT NULL)").expect("it is made");
    for _ in 0..2 {
        let into = |query: &str| session.sql(&format!("INSERT INTO strict {query} FROM '{path}'"));
        assert_eq!(sqlstate(into("SELECT *")), "23502");
        into("SELECT n, m, 1").expect("it is inserted");
    }
    assert_eq!(rows(&session, "SELECT count(*), sum(n + m), min(k), max(k) FROM strict"), ["140000 0 1 1"]);
}

#[test]
fn parameters_have_the_types_of_their_places() {
    let session = session();
    session.sql("CREATE TABLE t (a integer, d date, n decimal(8,2), s text)").expect("it is made");
    session
        .sql("INSERT INTO t VALUES (1, '2020-01-01', 1.50, 'x'), (2, '2021-01-01', 2.50, 'y'), (3, NULL, NULL, NULL)")
        .expect("they fit");
    let prepared = session.prepare("SELECT a FROM t WHERE a > $1 AND d < $2 AND n = $3 AND s = $4").expect("it binds");
    let types = [DataType::Integer, DataType::Date, DataType::Numeric, DataType::Text];
    assert_eq!(prepared.parameter_types(), types);
    let day = 18_628; // 2021-01-01
    let run = |values: &[Value]| text_rows(prepared.execute(&session, values)?);
    let price = || Value::numeric(Numeric::new(150, 2));
    let found = run(&[Value::Int(0), Value::Int(day), price(), Value::text("x")]).expect("it runs");
    assert_eq!(found, [["1"]]);
    let found = run(&[Value::Null, Value::Int(day), price(), Value::text("x")]).expect("it runs");
    assert!(found.is_empty(), "NULL is greater than nothing");
    assert_eq!(sqlstate(run(&[Value::Int(0)])), "42P02");
    assert_eq!(sqlstate(run(&[Value::text("0"), Value::Int(day), price(), Value::Null])), "42804");
    // The digits of a decimal are nobody's guess.
    assert_eq!(sqlstate(run(&[Value::Int(0), Value::Int(day), Value::Decimal(150), Value::Null])), "42804");

    let with = |sql: &str, values: &[(Value, DataType)]| session.sql_with(sql, values).and_then(text_rows);
    let values = [(Value::Int(2), DataType::Integer), (Value::text("y"), DataType::Text)];
    assert_eq!(
        with("SELECT a, $2 FROM t WHERE a >= $1 ORDER BY a LIMIT $1", &values).expect("it runs"),
        [["2", "y"], ["3", "y"]]
    );
    assert_eq!(sqlstate(with("SELECT $3", &values)), "42P02");
    assert_eq!(sqlstate(with("SELECT $0", &values)), "42P02");
    session.sql_with("INSERT INTO t (a, s) VALUES ($1, $2)", &values).expect("it fits");
    assert_eq!(rows(&session, "SELECT count(*) FROM t WHERE a = 2 AND s = 'y'"), ["2"]);
    let negative = session.prepare("SELECT a FROM t LIMIT $1 OFFSET $2").expect("it binds");
    assert_eq!(sqlstate(negative.execute(&session, &[Value::Int(-1), Value::Int(0)]).and_then(text_rows)), "2201W");
    assert_eq!(sqlstate(negative.execute(&session, &[Value::Int(1), Value::Int(-1)]).and_then(text_rows)), "2201X");
}

#[test]
fn a_prepared_query_follows_its_tables() {
    let session = session();
    session.sql("CREATE TABLE t AS SELECT 1 AS a").expect("it is made");
    let prepared = session.prepare("SELECT sum(a) FROM t WHERE a >= $1").expect("it binds");
    let run = |from: i64| prepared.execute(&session, &[Value::Int(from)]).and_then(text_rows);
    assert_eq!(run(0).expect("it runs"), [["1"]]);
    // Wider values than the plan's statistics knew of.
    session.sql("INSERT INTO t VALUES (2147483647), (2147483647)").expect("they fit");
    assert_eq!(run(0).expect("it runs"), [["4294967295"]]);
    session.sql("CREATE OR REPLACE TABLE t AS SELECT 7 AS b, 5 AS a").expect("it is made");
    assert_eq!(run(0).expect("it runs"), [["5"]]);
    session.sql("DROP TABLE t").expect("it is there");
    assert_eq!(sqlstate(run(0)), "42P01");
    session.sql("CREATE TABLE t AS SELECT 3 AS a").expect("it is made");
    assert_eq!(run(4).expect("it runs"), [["NULL"]]);
    assert_eq!(sqlstate(session.prepare("SELECT 1; SELECT 2")), "42601");
    assert_eq!(sqlstate(session.prepare("DROP TABEL t")), "42601");
    assert_eq!(sqlstate(session.prepare("SELECT nope FROM t")), "42703");
}

/// Runs something that would take hours, cancels it, and gives its SQLSTATE.
fn cancelled(session: &Session, work: impl FnOnce() -> Result<(), Error> + Send) -> &'static str {
    let handle = session.cancel_handle();
    std::thread::scope(|scope| {
        let running = scope.spawn(work);
        std::thread::sleep(Duration::from_millis(30));
        handle.cancel();
        sqlstate(running.join().expect("it does not panic"))
    })
}

#[test]
fn a_statement_can_be_cancelled_from_another_thread() {
    for backend in [Backend::Cpu, Backend::Interpreter] {
        let mut session = session();
        a_million(&session);
        session.options.backend = backend;
        let session = &session;
        session.sql("CREATE TABLE sink (n bigint)").expect("it is made");
        let run = |sql: &str| {
            let sql = sql.to_owned();
            cancelled(session, move || session.sql(&sql).map(drop))
        };
        assert_eq!(run(ENDLESS), "57014");
        assert_eq!(run(&format!("INSERT INTO sink {ENDLESS}")), "57014");
        assert_eq!(run(&format!("CREATE TABLE never AS {ENDLESS}")), "57014");
        assert_eq!(run(&format!("EXPLAIN ANALYZE {ENDLESS}")), "57014");
        // The session goes on, and nothing was left behind.
        assert_eq!(rows(session, "SELECT count(*) FROM sink"), ["0"]);
        assert_eq!(sqlstate(session.sql("SELECT * FROM never")), "42P01");
        let prepared = session.prepare(ENDLESS).expect("it binds");
        assert_eq!(cancelled(session, || prepared.execute(session, &[]).map(drop)), "57014");
        assert_eq!(rows(session, "SELECT 1"), ["1"]);
    }
}

#[test]
fn cancelling_one_session_leaves_the_others() {
    let one = session();
    a_million(&one);
    let two = one.engine().session();
    // It means the statement that runs then, or else the next, and none after that.
    let handle = one.cancel_handle();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| one.sql(ENDLESS).map(drop));
        std::thread::sleep(Duration::from_millis(10));
        // Nobody waits for the other statement, which has no end.
        for _ in 0..20 {
            assert_eq!(rows(&two, "SELECT max(n) FROM million"), ["999999"]);
        }
        handle.cancel();
        assert_eq!(sqlstate(running.join().expect("it does not panic")), "57014");
    });
    assert_eq!(rows(&one, "SELECT count(*) FROM million"), ["1000000"]);
}

#[test]
fn statements_have_a_time() {
    for backend in [Backend::Cpu, Backend::Interpreter] {
        let mut session = session();
        a_million(&session);
        session.options.backend = backend;
        let session = &session;
        session.set("statement_timeout", "400ms").expect("it can be set");
        let late = |result: Result<(), Error>| {
            let error = result.expect_err("it has no end");
            assert_eq!(error.sqlstate(), "57014");
            assert_eq!(error.message(), "canceling statement due to statement timeout");
        };
        late(session.sql(ENDLESS).map(drop));
        // Each statement has its own, and what comes late means none.
        for _ in 0..3 {
            assert_eq!(rows(session, "SELECT 1"), ["1"]);
            std::thread::sleep(Duration::from_millis(200));
        }
        let prepared = session.prepare(ENDLESS).expect("it binds");
        late(prepared.execute(session, &[]).map(drop));
        // Who cancels is told another thing.
        session.set("statement_timeout", "1h").expect("it can be set");
        assert_eq!(cancelled(session, || prepared.execute(session, &[]).map(drop)), "57014");
        assert_eq!(session.time_limit("statement_timeout"), Some(Duration::from_secs(3600)));
        session.sql("RESET statement_timeout").expect("it can be reset");
        assert_eq!(session.time_limit("statement_timeout"), None);
    }
}

#[test]
fn a_memory_limit_is_an_error_that_loses_nothing() {
    let engine = Engine::builder().threads(2).memory_limit(48 << 20).build().expect("an engine starts");
    let mut session = engine.session();
    a_million(&session);
    let before = engine.memory_used();
    assert!(before > 0, "tables count");
    for sql in [
        "SELECT count(*) FROM (SELECT n, count(*) FROM (SELECT n || 'some text to hold, more than numbers are' AS n FROM million) x GROUP BY n) y",
        "CREATE TABLE big AS SELECT a.n, b.n AS m, a.n || ' and ' || b.n AS s FROM million a JOIN ten b ON true",
        "INSERT INTO million SELECT a.n FROM million a, ten b, ten c WHERE a.n % 2 = 0",
        "SELECT a.n || 'x', b.n FROM million a, ten b ORDER BY 1, 2",
    ] {
        assert_eq!(sqlstate(session.sql(sql).and_then(ResultStream::collect_batches)), "53200", "{sql}");
        assert_eq!(engine.memory_used(), before, "everything is given back after {sql}");
    }
    assert_eq!(sqlstate(session.sql("SELECT * FROM big")), "42P01");
    assert_eq!(rows(&session, "SELECT count(*), sum(n) FROM million"), ["1000000 499999500000"]);
    session.options.memory_limit = 1 << 20;
    let grouped = "SELECT count(*), max(m) FROM (SELECT n % 500000 AS m, count(*) FROM million GROUP BY 1) x";
    assert_eq!(sqlstate(session.sql(grouped)), "53200");
    // Ten million rows are read a few at a time.
    session.options.memory_limit = 64 << 20;
    let many = session.sql("SELECT a.n, b.n AS m FROM million a, ten b").expect("it begins");
    let read = many.map(|batch| batch.expect("some rows fit").num_rows());
    assert_eq!(read.sum::<usize>(), 10_000_000);
    session.options.memory_limit = usize::MAX;
    assert_eq!(rows(&session, grouped), ["500000 499999"]);
    session.sql("DROP TABLE million").expect("it is there");
    assert!(engine.memory_used() < before / 2, "a dropped table gives its bytes back");
}

#[test]
fn sessions_run_at_once_and_see_whole_statements() {
    let engine = Engine::builder().threads(2).build().expect("an engine starts");
    engine.session().sql("CREATE TABLE t (batch integer, n integer)").expect("it is made");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let session = engine.session();
                while !done.load(Ordering::Relaxed) {
                    // An insert is seen whole or not at all.
                    let counts = rows(&session, "SELECT DISTINCT count(*) FROM t GROUP BY batch");
                    assert!(counts.is_empty() || counts == ["100"], "{counts:?}");
                }
            });
        }
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let session = engine.session();
                scope.spawn(move || {
                    for batch in 0..10 {
                        let values: Vec<String> = (0..100).map(|n| format!("({}, {n})", writer * 10 + batch)).collect();
                        session.sql(&format!("INSERT INTO t VALUES {}", values.join(", "))).expect("they fit");
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("it does not panic"));
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(rows(&engine.session(), "SELECT count(*), count(DISTINCT batch), sum(n) FROM t"), ["4000 40 198000"]);
}

#[test]
fn progress_is_told_while_a_statement_runs() {
    let mut session = session();
    a_million(&session);
    let (calls, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (count, greatest) = (Arc::clone(&calls), Arc::clone(&most));
    session.on_progress(Some(Arc::new(move |_, total| {
        count.fetch_add(1, Ordering::Relaxed);
        greatest.fetch_max(total, Ordering::Relaxed);
    })));
    let handle = session.cancel_handle();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| session.sql(ENDLESS).map(drop));
        while calls.load(Ordering::Relaxed) < 2 && !running.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        handle.cancel();
        assert_eq!(sqlstate(running.join().expect("it does not panic")), "57014");
    });
    assert!(most.load(Ordering::Relaxed) >= 1_000_000, "the rows to do are known");
    let before = calls.load(Ordering::Relaxed);
    session.on_progress(None);
    assert_eq!(rows(&session, "SELECT 1"), ["1"]);
    assert_eq!(calls.load(Ordering::Relaxed), before);
}

#[test]
fn results_stream_in_batches_of_one_schema() {
    let session = session();
    a_million(&session);
    let mut result = session.sql("SELECT n, n::text AS s FROM million WHERE n % 2 = 0").expect("it runs");
    assert_eq!(result.tag(), None);
    let names: Vec<&str> = result.fields().iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["n", "s"]);
    let schema = result.schema();
    let first = result.next().expect("there are rows").expect("they come");
    assert_eq!(first.schema(), schema);
    assert!(first.num_rows() < 500_000, "not all at once");
    // What the stream holds outlives the table, and another statement may run meanwhile.
    session.sql("DROP TABLE million").expect("it is there");
    let rest: usize = result.map(|batch| batch.expect("it comes").num_rows()).sum();
    assert_eq!(first.num_rows() + rest, 500_000);

    let nothing = session.sql("SELECT 1 AS one WHERE false").expect("it runs");
    assert_eq!(nothing.schema().field(0).name(), "one");
    assert_eq!(nothing.map(|batch| batch.expect("it comes").num_rows()).sum::<usize>(), 0);
    let done = session.sql("CREATE TABLE x (a integer); INSERT INTO x VALUES (1), (2)").expect("it runs");
    assert_eq!(done.tag(), Some("INSERT 0 2"));
    assert_eq!(done.count(), 0);
}

#[test]
fn a_script_stops_at_its_first_error_and_says_where() {
    let session = session();
    let script = "CREATE TABLE t (a integer);\nINSERT INTO t VALUES (1);\nSELECT a, nope FROM t;\nDROP TABLE t";
    let error = session.sql(script).expect_err("there is no such column");
    assert_eq!(error.sqlstate(), "42703");
    assert_eq!(error.position().expect("it has a place").0 as usize, script.find("nope").expect("it is there"));
    assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["1"]);
    let mut tags = Vec::new();
    let outcome = session.sql_each("INSERT INTO t VALUES (2); SELECT 1 / 0; INSERT INTO t VALUES (3)", &mut |result| {
        tags.extend(result.tag().map(str::to_owned));
        Ok(())
    });
    assert_eq!(sqlstate(outcome), "22012");
    assert_eq!(tags, ["INSERT 0 1"]);
    assert_eq!(rows(&session, "SELECT sum(a) FROM t"), ["3"]);
    assert_eq!(answer(&session, ""), Answer::Done(String::new()));
    assert_eq!(answer(&session, " ; -- nothing\n;"), Answer::Done(String::new()));
}

#[test]
fn explain_shows_relation_loops_kernels_and_what_ran() {
    let session = session();
    session.sql("CREATE TABLE t AS SELECT 1 AS a, 'x' AS s").expect("it is made");
    let explain =
        |options: &str| rows(&session, &format!("EXPLAIN {options} SELECT s, sum(a) FROM t GROUP BY s")).join("\n");
    let (relation, loops, kernels) = (explain(""), explain("(LOOPS)"), explain("(KERNELS)"));
    assert!(relation.contains("Aggregate") && relation.contains("Scan"), "{relation}");
    assert!(loops.contains("Before rules") && loops.contains("After rules") && loops.contains("bucket"), "{loops}");
    assert!(kernels.contains("loop") && kernels != loops, "{kernels}");
    for options in ["ANALYZE", "(ANALYZE, LOOPS)", "(ANALYZE, KERNELS)", "(ANALYZE)"] {
        let ran = explain(options);
        assert!(ran.contains("Rows: 1") && ran.contains("Execution: "), "{options}: {ran}");
    }
    assert_eq!(sqlstate(session.sql("EXPLAIN SELECT nope FROM t")), "42703");
    assert_eq!(sqlstate(session.sql("EXPLAIN (NOPE) SELECT 1")), "42601");
    assert_eq!(sqlstate(session.sql("EXPLAIN ANALYZE SELECT 1 / 0")), "22012");
    assert_eq!(sqlstate(session.sql("EXPLAIN DROP TABLE t")), "0A000");
}

#[test]
fn the_number_of_threads_shows_nowhere() {
    // In which order rows come is nobody's promise, but it is the same, and with it what LIMIT leaves.
    const LEFT: &str = "SELECT a.id, b.v FROM a LEFT JOIN b ON a.k = b.k AND b.v > a.id";
    const PAIRS: &str = "SELECT a.id, d.w FROM a, d WHERE a.id % 2 = 0 AND (d.w + a.id) % 701 < 3";
    let all = |threads: usize| {
        let session = Engine::builder().threads(threads).build().expect("an engine starts").session();
        for table in [
            "n AS SELECT column1 AS n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v",
            "numbers AS SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n AS n FROM n a, n b, n c, n d, n e",
            "a AS SELECT n AS id, n % 5000 AS k FROM numbers WHERE n < 40000",
            "b AS SELECT n % 5000 AS k, n * 7919 % 20011 AS v FROM numbers WHERE n < 10000",
            "d AS SELECT n * 7 AS w FROM numbers WHERE n < 100",
        ] {
            session.sql(&format!("CREATE TABLE {table}")).expect("it is made");
        }
        [
            LEFT.to_string(),
            format!("SELECT count(*), sum(id), sum(v) FROM ({LEFT} LIMIT 15000) x"),
            format!("SELECT CAST(v AS varchar) || 'x', count(*) FROM ({LEFT}) x GROUP BY 1"),
            PAIRS.to_string(),
            format!("SELECT sum(id), sum(w) FROM ({PAIRS} LIMIT 500) x"),
            "SELECT b.v, count(*), min(a.id) FROM a JOIN b ON a.k = b.k GROUP BY b.v".to_string(),
            "SELECT v % 977 * 1000003, sum(k) FROM b GROUP BY 1".to_string(),
            "SELECT k, sum(id) FROM a GROUP BY k".to_string(),
            "SELECT id, k FROM a ORDER BY k LIMIT 100".to_string(),
        ]
        .map(|sql| rows(&session, &sql))
    };
    let alone = all(1);
    for threads in [2, 3, 9] {
        for (number, (some, expected)) in all(threads).iter().zip(&alone).enumerate() {
            assert!(some == expected, "query {number} with {threads} threads");
        }
    }
}
