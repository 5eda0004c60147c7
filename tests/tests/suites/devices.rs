//! Statements of an engine with a device: where loops are placed, and what EXPLAIN says of it.

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, WITH_A_DEVICE, answer};

fn session() -> Session {
    let session = WITH_A_DEVICE[0].session();
    fill(&session);
    session
}

fn fill(session: &Session) {
    for sql in [
        "CREATE TABLE t (g integer, v bigint, s text)",
        "INSERT INTO t SELECT i % 5, i, 'row ' || i % 3 FROM generate_series(1, 100) s(i)",
    ] {
        assert!(matches!(answer(session, sql), Answer::Done(_)), "{sql}");
    }
}

/// What a statement says, a line a row.
fn lines(session: &Session, sql: &str) -> String {
    match answer(session, sql) {
        Answer::Rows(_, rows) => rows.into_iter().flatten().collect::<Vec<_>>().join("\n"),
        other => panic!("{sql}: {other:?}"),
    }
}

const GROUPS: &str = "SELECT g, sum(v) FROM t GROUP BY g ORDER BY g";

#[test]
fn explain_says_where_a_loop_runs_and_why() {
    let session = session();
    let kernels = lines(&session, &format!("EXPLAIN (KERNELS) {GROUPS}"));
    assert!(kernels.contains("loop on rows: it takes what it can"), "{kernels}");
    let volatile = lines(&session, "EXPLAIN (KERNELS) SELECT g FROM t WHERE random() < 2");
    assert!(volatile.contains("loop on the host: rows declines: something differs each time"), "{volatile}");
    let analysed = lines(&session, &format!("EXPLAIN (ANALYZE, KERNELS) {GROUPS}"));
    assert!(analysed.contains("became a loop of rows"), "{analysed}");
    let json = lines(&session, &format!("EXPLAIN (FORMAT JSON) {GROUPS}"));
    assert!(json.contains("rows"), "{json}");
}

#[test]
fn without_a_device_nothing_is_said_of_any() {
    let session = WAYS[2].session();
    fill(&session);
    let kernels = lines(&session, &format!("EXPLAIN (KERNELS) {GROUPS}"));
    assert!(!kernels.contains(" on the host") && !kernels.contains(" on rows"), "{kernels}");
}

#[test]
fn errors_are_those_of_the_processors() {
    let session = session();
    for (sql, state) in [
        ("SELECT g, sum(v / (v - 7)) FROM t GROUP BY g", "22012"),
        ("SELECT g, max(v * 9223372036854775807) FROM t GROUP BY g", "22003"),
    ] {
        assert!(matches!(answer(&session, sql), Answer::Error(found, _) if found == state), "{sql}");
    }
    let analysed = lines(&session, "EXPLAIN (ANALYZE, KERNELS) SELECT g, sum(v / v) FROM t GROUP BY g");
    assert!(analysed.contains("became a loop of rows"), "{analysed}");
}
