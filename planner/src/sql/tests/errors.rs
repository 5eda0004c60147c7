//! What is refused: wrong names, wrong SQL, and SQL that Multiloop does not have. Always with a place.

use super::*;
use crate::error::ErrorKind;

#[test]
fn unknown_names_come_with_a_suggestion() {
    for (sql, sqlstate, message, hint) in [
        ("SELECT ^aa FROM t", "42703", "column \"aa\" does not exist", Some("Did you mean \"a\"?")),
        ("SELECT t.^zzz FROM t", "42703", "column t.zzz does not exist", None),
        ("SELECT 1 FROM ^mixed", "42P01", "relation \"mixed\" does not exist", Some("Did you mean \"Mixed\"?")),
        ("SELECT 1 FROM ^nowhere", "42P01", "relation \"nowhere\" does not exist", None),
        ("SELECT 1 FROM ^other.t", "42P01", "relation \"other.t\" does not exist", None),
        ("SELECT ^x.a FROM t", "42P01", "missing FROM-clause entry for table \"x\"", Some("Did you mean \"t\"?")),
    ] {
        let plain = sql.replace("t.^zzz", "^t.zzz");
        refused(&plain, sqlstate, message);
        assert_eq!(error(&plain.replacen('^', "", 1)).hint(), hint, "{sql}");
    }
    refused("SELECT ^\"A\" FROM t", "42703", "column \"A\" does not exist");
    let hidden = "SELECT a FROM t AS x WHERE ^t.a = 1";
    refused(hidden, "42P01", "invalid reference to FROM-clause entry for table \"t\"");
    let hint = error(&hidden.replacen('^', "", 1)).hint().map(str::to_owned);
    assert_eq!(hint.as_deref(), Some("Perhaps you meant to reference the table alias \"x\"."));
}

#[test]
fn positions_count_bytes_over_lines_and_letters() {
    refused("SELECT 'äöü€',\n  'ß', ^nope\nFROM t", "42703", "column \"nope\" does not exist");
    refused("SELECT 1\r\nFROM ^nope", "42P01", "relation \"nope\" does not exist");
    let error = parse("SELECT 1;\nSELECT 'ü' FROM )").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
    assert_eq!(error.position().unwrap().0, "SELECT 1;\nSELECT 'ü' FROM ".len() as u32);
}

#[test]
fn what_is_no_sql_is_a_syntax_error() {
    for sql in [
        "SELEC 1",
        "SELECT 1 FROM",
        "SELECT (1",
        "SELECT 'open",
        "SELECT 1 1",
        "SELECT 1 FROM t JOIN w",
        "SELECT a FROM t LIMIT 1 LIMIT 2",
    ] {
        let error = error(sql);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{sql}: {error}");
        assert!(error.position().is_some(), "{sql}: {error}");
    }
    assert_eq!(error("SELECT (1").position().unwrap().0, 9);
}

#[test]
fn what_is_not_supported_says_so_and_where() {
    for sql in [
        "SELECT a FROM (SELECT a FROM t FOR UPDATE) x",
        "SELECT a INTO x FROM t",
        "SELECT a FROM t ORDER BY a USING <",
        "UPDATE t SET a = 1 WHERE ^CURRENT OF c",
        "CREATE TABLE x (a int, b int DEFAULT a)",
        "CREATE TABLE x (a int, CHECK (a > (SELECT 1)))",
        "CREATE TYPE x AS (a int)",
        "COPY t FROM PROGRAM 'x'",
        "EXPLAIN (FORMAT XML) SELECT 1",
        "LOAD 'x'",
    ] {
        let plain = sql.replacen('^', "", 1);
        let error = error(&plain);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{sql}: {error}");
        assert!(error.position().is_some(), "{sql}: {error}");
        if let Some(place) = sql.find('^') {
            assert_eq!(error.position().unwrap().0 as usize, place, "{sql}");
        }
    }
}

#[test]
fn wrong_structure_is_refused() {
    refused("SELECT ^*", "42601", "SELECT * with no tables specified is not valid");
    refused("SELECT ^x.* FROM t", "42P01", "missing FROM-clause entry for table \"x\"");
    refused("SELECT a FROM t WHERE ^a", "42804", "argument of WHERE must be type boolean, not type integer");
    refused("SELECT a FROM t HAVING ^1", "42804", "argument of HAVING must be type boolean, not type integer");
    refused("VALUES (1), (^1, 2)", "42601", "VALUES lists must all be the same length");
    refused("VALUES (1), (^true)", "42804", "VALUES types integer and boolean cannot be matched");
    refused("SELECT 1 UNION ^SELECT 1, 2", "42601", "each UNION query must have the same number of columns");
    refused("SELECT 1 EXCEPT ^SELECT true", "42804", "EXCEPT types integer and boolean cannot be matched");
    refused(
        "WITH c AS (SELECT 1), ^c AS (SELECT 2) SELECT 1",
        "42712",
        "WITH query name \"c\" specified more than once",
    );
    refused(
        "SELECT 1 FROM t AS ^x (p, q, r, s)",
        "42P10",
        "table \"x\" has 3 columns available but 4 columns specified",
    );
}

#[test]
fn wrong_orders_and_limits_are_refused() {
    refused("SELECT a FROM t ORDER BY ^2", "42P10", "ORDER BY position 2 is not in select list");
    refused("SELECT a FROM t ORDER BY ^'x'", "42601", "non-integer constant in ORDER BY");
    refused("SELECT a AS x, b AS x FROM t ORDER BY ^x", "42702", "ORDER BY \"x\" is ambiguous");
    refused(
        "SELECT DISTINCT a FROM t ORDER BY ^b",
        "42P10",
        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
    );
    refused(
        "SELECT a FROM t UNION SELECT a FROM w ORDER BY ^a + 1",
        "0A000",
        "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
    );
    refused("SELECT a FROM t UNION SELECT a FROM w ORDER BY ^b", "42703", "column \"b\" does not exist");
    refused("SELECT a FROM t LIMIT -^1", "2201W", "LIMIT must not be negative");
    refused("SELECT a FROM t LIMIT ^a", "42P10", "argument of LIMIT must not contain variables");
    refused("(SELECT a FROM t ORDER BY a) ORDER BY a", "42601", "multiple ORDER BY clauses not allowed");
}

#[test]
fn a_view_s_errors_point_at_its_use() {
    refused("SELECT 1 FROM ^broken", "42703", "column \"gone\" does not exist");
    refused("SELECT 1 FROM ^loop1", "42P17", "infinite recursion detected in rules for relation \"loop1\"");
}

#[test]
fn depth_is_an_error_and_no_overflow() {
    let deep = [
        format!("SELECT {}1{}", "(".repeat(12_000), ")".repeat(12_000)),
        format!("SELECT 1{}", " + 1".repeat(100_000)),
        format!("SELECT {}a FROM t", "- ".repeat(50_000)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(50_000)),
        format!("SELECT 1 FROM t{}", ", t".repeat(50_000)),
        format!("{}SELECT 1{}", "SELECT * FROM (".repeat(6_000), ") s".repeat(6_000)),
        format!("SELECT 1 WHERE {}true", "NOT ".repeat(50_000)),
        format!("SELECT 1{}", "::int".repeat(50_000)),
        format!("SELECT 1 WHERE true{}", " IS TRUE".repeat(50_000)),
        format!("SELECT 1 WHERE 1{}", " IN (1)".repeat(50_000)),
        format!("SELECT 1, 2{}", " UNION SELECT 1, 2".repeat(50_000)),
        format!("SELECT 1 FROM t{}", " JOIN t".repeat(50_000)),
        format!("SELECT {}1{}", "CASE WHEN a THEN ".repeat(11_000), " END".repeat(11_000)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(200_000)),
        format!("SELECT 1 FROM t{}", " JOIN t".repeat(1_900)),
        format!("SELECT 1 FROM t{}", (0..1_900).map(|i| format!(" JOIN t AS t{i} ON true")).collect::<String>()),
        format!("SELECT 1 WHERE EXISTS {}1{}", "(SELECT 1 WHERE EXISTS ".repeat(12_000), ")".repeat(12_000)),
    ];
    for sql in deep {
        let start: String = sql.chars().take(60).collect();
        let work = move || crate::stack::deep(|| error(&sql));
        let error = std::thread::spawn(work).join().expect("no overflow");
        assert_eq!(error.kind(), ErrorKind::TooComplex, "{start}: {error}");
    }
}

#[test]
fn depth_below_the_limits_is_fine_on_a_small_stack() {
    let queries = [
        format!("{}SELECT 1 AS x{}", "SELECT * FROM (".repeat(20), ") s".repeat(20)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(150)),
        format!("SELECT 1 FROM t{}", (0..150).map(|i| format!(", t AS t{i}")).collect::<String>()),
        format!("SELECT 1{}", " + 1".repeat(150)),
        format!(
            "SELECT 1 FROM t{}{}",
            (0..30).map(|i| format!(" JOIN t AS t{i}")).collect::<String>(),
            " ON true".repeat(30)
        ),
        format!("SELECT 1 FROM t{}", (0..190).map(|i| format!(" JOIN t AS t{i} ON true")).collect::<String>()),
    ];
    for sql in queries {
        std::thread::spawn(move || query(&sql)).join().expect("binds");
    }
}
