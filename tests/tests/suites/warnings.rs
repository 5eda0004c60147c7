//! What queries are warned of: partitioned collections that several rows read whole (`planner/src/rewrite/partitioning`).

use multiloop::{Engine, Session};

/// Points of two reals, of more rows than a chunk has; ten centroids among them, and as many points in a table of their own.
fn session() -> Session {
    let session = Engine::builder().threads(2).build().unwrap().session();
    for statement in [
        "CREATE TABLE points AS SELECT n AS id, n % 10 AS kind, CAST(ARRAY[n % 317, n % 211] AS vector(2)) AS at
         FROM generate_series(1, 70000) r (n)",
        "CREATE TABLE centroids AS SELECT id, at FROM points WHERE id <= 10",
    ] {
        session.sql(statement).unwrap();
    }
    session
}

/// The rows of a query as text, and what it was warned of.
fn run(session: &Session, query: &str) -> (String, Vec<String>) {
    let result = session.sql(query).unwrap();
    let notices: Vec<String> = result.notices().iter().map(|notice| notice.message.clone()).collect();
    let rows = result.pretty().unwrap();
    assert_eq!(*session.warnings(), notices[..], "{query}");
    (rows, notices)
}

/// The text of EXPLAIN.
fn explained(session: &Session, how: &str, query: &str) -> String {
    session.sql(&format!("EXPLAIN {how} {query}")).unwrap().pretty().unwrap()
}

/// A step of k-means by point, and one by centroid (Figure 1 of the DMLL paper).
const BY_POINT: &str = "SELECT nearest, avg(at) FROM (
    SELECT p.at, (SELECT c.id FROM centroids c ORDER BY c.at <-> p.at, c.id LIMIT 1) AS nearest FROM points p)
GROUP BY nearest";
const BY_CENTROID: &str = "SELECT k.id, (SELECT avg(p.at) FROM (
    SELECT at, (SELECT c.id FROM centroids c ORDER BY c.at <-> q.at, c.id LIMIT 1) AS nearest FROM points q) p
    WHERE p.nearest = k.id) FROM centroids k";

/// A centroid goes to the middle of all points that are near it, whatever others are near them, too: no point has one centroid by
/// which all points could be grouped.
const NO_RULE: &str = "SELECT c.id, (SELECT avg(p.at) FROM points p WHERE p.at <-> c.at < 20) FROM centroids c";

#[test]
fn k_means_is_one_traversal_in_both_forms() {
    let session = session();
    for query in [BY_POINT, BY_CENTROID] {
        let (rows, warnings) = run(&session, query);
        assert!(warnings.is_empty(), "{warnings:?}\n{query}");
        assert_eq!(rows.lines().count(), 13, "{rows}");
        let loops = explained(&session, "(LOOPS)", query);
        let stencils = loops.split("Stencils").nth(1).unwrap();
        assert!(stencils.contains("%0 one (partitioned)") || stencils.contains("%1 one (partitioned)"), "{loops}");
        assert!(!stencils.contains("all (partitioned)") && !stencils.contains("unknown (partitioned)"), "{loops}");
    }
}

#[test]
fn the_form_that_no_rule_can_help_is_warned_of() {
    let session = session();
    let (rows, warnings) = run(&session, NO_RULE);
    assert_eq!(rows.lines().count(), 13, "{rows}");
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(
        warning,
        "each of about 10 rows of centroids is compared with every row of points (about 70000 rows): no rule makes that one \
         traversal, because nothing that both sides are equal in says which rows match"
    );
    for how in ["", "(LOOPS)", "(KERNELS)"] {
        assert!(explained(&session, how, NO_RULE).contains(&format!("Warning: {warning}")), "{how}");
    }
    assert!(explained(&session, "(LOOPS)", NO_RULE).contains("unknown (partitioned)"));
    session.sql("SET client_min_messages = warning").unwrap();
    assert!(session.sql(NO_RULE).unwrap().notices().is_empty());
    assert_eq!(session.warnings().len(), 1);
    session.sql("SELECT 1").unwrap();
    assert!(session.warnings().is_empty());
}

#[test]
fn few_rows_keys_and_searches_are_not_warned_of() {
    let session = session();
    for query in [
        "SELECT count(*) FROM points p JOIN points q ON p.id = q.id",
        "SELECT count(*) FROM points p, centroids c WHERE p.at <-> c.at < 20",
        "SELECT kind, (SELECT max(q.id) FROM points q WHERE q.kind = p.kind) FROM points p WHERE id < 5",
        // By search among rows in order.
        "SELECT id, (SELECT count(*) FROM points q WHERE q.id < p.id) FROM points p WHERE p.id % 1000 = 0",
        // Once for all that ask.
        "SELECT id, (SELECT count(*) FROM points WHERE id > 7) FROM points",
        "SELECT count(*) FROM points p WHERE EXISTS (SELECT FROM points q WHERE q.id = p.id + 1)",
        // One row that asks.
        "SELECT (SELECT count(*) FROM points p WHERE p.at <-> c.at < 20) FROM (SELECT avg(at) AS at FROM points) c",
    ] {
        let (_, warnings) = run(&session, query);
        assert!(warnings.is_empty(), "{warnings:?}\n{query}");
    }
}

#[test]
fn pairs_of_many_rows_are_warned_of() {
    let session = session();
    let query = "SELECT count(*) FROM points p JOIN (SELECT * FROM points WHERE id <= 20) q ON p.at <-> q.at < 0.5";
    let (_, warnings) = run(&session, query);
    // Those of few rows are sent to those of many.
    assert!(warnings.is_empty(), "{warnings:?}");
    let text = explained(&session, "", "SELECT count(*) FROM points p JOIN points q ON p.at <-> q.at < 0.5");
    assert!(
        text.contains("Warning: each of about 70000 rows of points is compared with every row of points"),
        "{text}"
    );
}
