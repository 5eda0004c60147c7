//! Statements that are long or nest deeply: what they answer, and where a limit is, that it says so (54001). How long
//! they take is not asserted; a pass that takes the square of the text's length makes this suite a slow one.

use multiloop::{Engine, ErrorKind, Session};
use multiloop_tests::text_rows;

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session.sql("CREATE TABLE n AS SELECT * FROM (VALUES (1, 10), (2, 20), (3, NULL)) v(k, w)").expect("a table");
    session
}

/// Checks the only row of a statement.
#[track_caller]
fn gives(session: &Session, sql: &str, expected: &[&str]) {
    let start: String = sql.chars().take(80).collect();
    let rows = session.sql(sql).and_then(text_rows).unwrap_or_else(|error| panic!("{start}: {error}"));
    assert_eq!(rows, [expected], "{start}");
}

fn repeated(count: usize, join: &str, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(join)
}

#[test]
fn long_chains_of_set_operations() {
    let session = session();
    let constants = repeated(3000, " UNION ALL ", |i| format!("SELECT {i} AS x"));
    gives(&session, &format!("SELECT count(*), sum(x) FROM ({constants}) s"), &["3000", "4498500"]);
    let scans = repeated(300, " UNION ALL ", |i| format!("SELECT k + {i} AS x FROM n WHERE w > {}", i % 15));
    gives(&session, &format!("SELECT count(*), min(x), max(x) FROM ({scans}) s"), &["500", "1", "301"]);
    let distinct = repeated(300, " UNION ", |i| format!("SELECT {} AS x", i % 7));
    gives(&session, &format!("SELECT count(*), sum(x) FROM ({distinct}) s"), &["7", "21"]);
    let mixed = repeated(100, " UNION ALL SELECT 1 UNION ", |i| format!("SELECT {}", i % 3));
    gives(&session, &format!("SELECT count(*) FROM ({mixed}) s"), &["3"]);
    let left_out = repeated(100, " EXCEPT ", |i| format!("SELECT k + {i} FROM n"));
    gives(&session, &format!("SELECT count(*), sum(\"?column?\") FROM ({left_out}) s"), &["1", "1"]);
}

#[test]
fn unions_in_unions_keep_and_drop_what_they_say() {
    let session = session();
    let count =
        |query: &str, expected: &str| gives(&session, &format!("SELECT count(*) FROM ({query}) s"), &[expected]);
    count("(SELECT 1 UNION SELECT 1) UNION ALL SELECT 1", "2");
    count("(SELECT 1 UNION ALL SELECT 1) UNION SELECT 1", "1");
    count("SELECT 1 UNION ALL (SELECT 1 UNION ALL (SELECT 1 UNION SELECT 1))", "3");
    count("SELECT x FROM (SELECT 1 AS x, 2 AS y UNION SELECT 1, 3) a UNION ALL SELECT 1", "3");
    count("(SELECT 1, 2 UNION SELECT 1, 3) UNION SELECT 1, 2", "2");
    gives(
        &session,
        "SELECT sum(b) FROM (SELECT k, w FROM n UNION ALL SELECT 9, 90 UNION ALL SELECT 8, 80) s(a, b)",
        &["200"],
    );
}

#[test]
fn chains_of_with_queries() {
    let session = session();
    let chain = repeated(1000, ", ", |i| match i {
        0 => "c0 AS (SELECT k FROM n)".to_owned(),
        _ => format!("c{i} AS (SELECT k + 1 AS k FROM c{})", i - 1),
    });
    gives(&session, &format!("WITH {chain} SELECT min(k), max(k) FROM c999"), &["1000", "1002"]);
    let twice = repeated(60, ", ", |i| match i {
        0 => "c0 AS (SELECT k FROM n)".to_owned(),
        _ => format!("c{i} AS (SELECT a.k FROM c{0} a JOIN c{0} b ON a.k = b.k)", i - 1),
    });
    gives(&session, &format!("WITH {twice} SELECT count(*) FROM c59"), &["3"]);
    let unused = repeated(500, ", ", |i| {
        format!("c{i} AS (SELECT k / 0 AS k FROM {})", if i == 0 { "n".to_owned() } else { format!("c{}", i - 1) })
    });
    gives(&session, &format!("WITH {unused} SELECT 1"), &["1"]);
}

#[test]
fn a_thousand_levels() {
    let session = session();
    let nest =
        |before: &str, inside: &str, after: &str| format!("{}{inside}{}", before.repeat(1000), after.repeat(1000));
    let of_table = |expression: String| format!("SELECT sum({expression}) FROM n");
    gives(&session, &format!("SELECT {}", nest("(", "5", ")")), &["5"]);
    gives(&session, &of_table(nest("(", "k", " + 1)")), &["3006"]);
    gives(&session, &of_table(nest("abs(", "k", ")")), &["6"]);
    gives(&session, &of_table(nest("CASE WHEN w = 10 THEN 7 ELSE ", "k", " END")), &["12"]);
    gives(&session, &of_table(nest("CASE WHEN k > 1 THEN ", "k", " END")), &["5"]);
    gives(&session, &of_table(nest("- ", "k", "")), &["6"]);
    gives(&session, &of_table(nest("", "k", " + k")), &["6006"]);
    let counted = |condition: String| format!("SELECT count(*) FROM n WHERE {condition}");
    gives(&session, &counted(nest("NOT ", "k = 1", "")), &["1"]);
    gives(&session, &counted(nest("NOT (", "k = 1", ")")), &["1"]);
    gives(&session, &counted(nest("(k > 0 AND (k < 0 OR ", "k = 2", "))")), &["1"]);
    gives(&session, &nest("(SELECT ", "3", ")").replacen("(SELECT", "SELECT (SELECT", 1), &["3"]);
    gives(&session, &nest("(", "SELECT 4", ")"), &["4"]);
    let derived: String = (0..1000).map(|i| format!(") s{i}")).collect();
    gives(&session, &format!("SELECT sum(k) FROM {}n{derived}", "(SELECT k FROM ".repeat(1000)), &["6"]);
    gives(&session, &counted(nest("k IN (SELECT k FROM n WHERE ", "k = 2", ")")), &["1"]);
}

/// What is prepared of few levels runs on the stack that there is; of many it does not, though it was prepared when it had few.
#[test]
fn a_prepared_query_that_grows_deep() {
    let session = session();
    let view = |levels: usize| {
        let query = format!("{}k{}", "abs(1 - ".repeat(levels), ")".repeat(levels));
        session.sql(&format!("CREATE OR REPLACE VIEW nested AS SELECT {query} AS k FROM n")).expect("a view");
    };
    view(1);
    let sum = session.prepare("SELECT sum(k) FROM nested WHERE k < $1").expect("it is prepared");
    let run = |limit: i64| sum.query_scalar::<i64>(&session, [limit]).expect("it runs");
    assert_eq!(run(10), 3);
    view(1500);
    assert_eq!((run(10), run(2)), (2, 2));
    view(1);
    assert_eq!((run(10), run(2)), (3, 1));
}

#[test]
fn long_lists() {
    let session = session();
    let numbers = repeated(100_000, ", ", |i| (i * 2).to_string());
    gives(&session, &format!("SELECT count(*) FROM n WHERE k IN ({numbers})"), &["1"]);
    let rows = repeated(5000, ", ", |i| format!("({i}, 'text {i}')"));
    gives(&session, &format!("SELECT count(*), sum(a) FROM (VALUES {rows}) v(a, b)"), &["5000", "12497500"]);
    let any = repeated(2000, " OR ", |i| format!("k = {} AND w = {}", i + 2, (i + 2) * 10));
    gives(&session, &format!("SELECT count(*) FROM n WHERE {any}"), &["1"]);
    let all = repeated(2000, " AND ", |i| format!("k <> {}", i + 2));
    gives(&session, &format!("SELECT count(*) FROM n WHERE {all}"), &["1"]);
    let items = repeated(3000, ", ", |i| format!("k + {i} AS c{i}"));
    gives(&session, &format!("SELECT c0, c2999 FROM (SELECT {items} FROM n WHERE k = 1) s"), &["1", "3000"]);
    let sums = repeated(300, ", ", |i| format!("sum(k + {i}) AS c{i}"));
    gives(&session, &format!("SELECT c0, c299 FROM (SELECT {sums} FROM n) s"), &["6", "903"]);
}

#[test]
fn tables_of_thousands_of_columns() {
    let session = session();
    let columns = repeated(3000, ", ", |i| format!("c{i} integer"));
    session.sql(&format!("CREATE TABLE wide ({columns})")).expect("it is made");
    session.sql("INSERT INTO wide (c7, c2999) VALUES (1, 2), (3, 4)").expect("they fit");
    gives(&session, "SELECT sum(c7), sum(c2999), count(c0) FROM wide", &["4", "6", "0"]);
    let again = session.sql(&format!("CREATE TABLE twice ({columns}, c17 text)")).expect_err("c17 is there twice");
    assert_eq!((again.sqlstate(), again.message()), ("42701", "column \"c17\" specified more than once"));
}

#[test]
fn many_joined_tables() {
    let session = session();
    for count in [59, 64, 65, 100] {
        let tables = repeated(count, ", ", |i| format!("n t{i}"));
        let chain = repeated(count - 1, " AND ", |i| format!("t{i}.k = t{}.k", i + 1));
        gives(&session, &format!("SELECT count(*) FROM {tables} WHERE {chain} AND t5.w = 20"), &["1"]);
        let right: String = (2..count).map(|i| format!(" JOIN n t{i} ON t{i}.k = t1.k")).collect();
        let nested = format!("SELECT count(*) FROM n t0 JOIN (SELECT t1.k FROM n t1{right}) x ON x.k = t0.k");
        gives(&session, &nested, &["3"]);
        let tests =
            repeated(count, " AND ", |i| format!("EXISTS (SELECT 1 FROM n e{i} WHERE e{i}.k = n.k + {})", i % 2));
        gives(&session, &format!("SELECT count(*) FROM n WHERE {tests}"), &["2"]);
    }
}

#[test]
fn limits_say_that_they_are_limits() {
    let session = session();
    let deep = [
        format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("SELECT 1 WHERE {}true", "NOT ".repeat(20_000)),
        format!("SELECT {}1{}", "CASE WHEN k = 1 THEN 2 ELSE ".repeat(20_000), " END".repeat(20_000)),
        format!("SELECT {}1{} FROM n", "abs(".repeat(20_000), ")".repeat(20_000)),
        format!("SELECT {}1{}", "(SELECT ".repeat(20_000), ")".repeat(20_000)),
        format!("SELECT k{} FROM n", " + k".repeat(20_000)),
        repeated(200_000, " UNION ALL ", |_| "SELECT 1".to_owned()),
        repeated(40_000, " UNION ALL ", |_| "SELECT 1".to_owned()),
    ];
    for sql in &deep {
        let error = session.sql(sql).map(|_| ()).expect_err("it is too deep");
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::TooComplex, "54001"), "{}: {error}", &sql[..60]);
        gives(&session, "SELECT 1", &["1"]);
    }
}

#[test]
fn what_is_large_is_not_folded() {
    let mut session = session();
    session.options.memory_limit = 16 << 20;
    gives(&session, "SELECT length(repeat('ab', 1000))", &["2000"]);
    gives(&session, "SELECT count(*) FROM n WHERE false AND length(repeat('x', 1000000000)) > 5", &["0"]);
    let list = repeated(500_000, ", ", |i| i.to_string());
    let error = session.sql(&format!("SELECT count(*) FROM n WHERE k IN ({list})")).map(|_| ()).expect_err("too large");
    assert_eq!(error.sqlstate(), "53200", "{error}");
    gives(&session, "SELECT count(*) FROM n", &["3"]);
}

#[test]
fn planning_hears_who_cancels() {
    let session = session();
    let unions = repeated(2000, " UNION ALL ", |i| format!("SELECT k + {i} FROM n"));
    let cancel = session.cancel_handle();
    cancel.cancel();
    let error = session.sql(&unions).map(|_| ()).expect_err("it was cancelled");
    assert_eq!(error.sqlstate(), "57014");
    gives(&session, "SELECT count(*) FROM n", &["3"]);
    let cancel = session.cancel_handle();
    cancel.cancel();
    assert_eq!(session.prepare(&unions).map(|_| ()).expect_err("it was cancelled").sqlstate(), "57014");
}
