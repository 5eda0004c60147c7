//! Queries over Parquet files give the rows of tables that have the same: TPC-H, and shapes that read a file in other ways than
//! once, from front to back.

use multiloop::{Engine, Session};
use multiloop_tests::{Answer, WAYS, Way, answer};
use multiloop_tpch::{TABLES, generate, query};
use std::path::{Path, PathBuf};

const SCALE: f64 = 0.01;

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("multiloop-scans-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is room for files");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn done(session: &Session, sql: &str) {
    let found = answer(session, sql);
    assert!(matches!(found, Answer::Done(_)), "{sql}: {found:?}");
}

/// TPC-H's tables, the larger ones in several files each.
fn write(folder: &Path) -> Session {
    let session = WAYS[2].session();
    generate(&session, SCALE, 1, &|_, _| {}).expect("the tables load");
    for table in TABLES {
        let parts: &[&str] = match table {
            "lineitem" => &["l_orderkey < 20000", "l_orderkey >= 20000 AND l_orderkey < 20100", "l_orderkey >= 20100"],
            "orders" => &["o_orderkey % 8 < 3", "o_orderkey % 8 >= 3"],
            _ => &["true"],
        };
        for (number, part) in parts.iter().enumerate() {
            let file = folder.join(format!("{table}-{number}.parquet"));
            done(&session, &format!("COPY (SELECT * FROM {table} WHERE {part}) TO '{}'", file.display()));
        }
    }
    session
}

/// A session in which the tables' names stand for the files.
fn over_files(way: Way, folder: &Path) -> Session {
    let session = way.session();
    for table in TABLES {
        let files = folder.join(format!("{table}-*.parquet"));
        done(&session, &format!("CREATE VIEW {table} AS SELECT * FROM '{}'", files.display()));
    }
    session
}

fn rows(session: &Session, sql: &str) -> Vec<Vec<String>> {
    match answer(session, sql) {
        Answer::Rows(_, mut rows) => {
            // Not those of an aggregate or a subquery.
            let last = sql.rsplit(')').next().unwrap_or_default();
            if !last.to_lowercase().contains("order by") {
                rows.sort();
            }
            rows
        }
        other => panic!("{sql}: {other:?}"),
    }
}

/// Shapes that go over a file twice, backwards as it were, or hardly at all.
const SHAPES: &[&str] = &[
    "SELECT count(*) FROM lineitem",
    "SELECT count(*), count(l_comment), count(DISTINCT l_shipmode), min(l_shipdate), max(l_comment) FROM lineitem",
    "SELECT * FROM lineitem ORDER BY l_orderkey, l_linenumber LIMIT 7 OFFSET 20000",
    "SELECT count(*) FROM (SELECT * FROM lineitem LIMIT 3000)",
    "SELECT l_comment FROM lineitem WHERE l_orderkey = 20001 ORDER BY l_linenumber",
    "SELECT a.l_shipmode, count(*) FROM lineitem a JOIN lineitem b ON a.l_orderkey = b.l_orderkey GROUP BY 1",
    "SELECT count(*) FROM orders o WHERE EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_quantity > 49)",
    "SELECT o_orderkey, (SELECT sum(l_quantity) FROM lineitem WHERE l_orderkey = o_orderkey) FROM orders",
    "SELECT o_orderkey FROM orders WHERE o_orderkey NOT IN (SELECT l_orderkey FROM lineitem WHERE l_discount > 0.02)",
    "SELECT l_returnflag, l_linestatus, l_shipmode, avg(l_extendedprice) FROM lineitem GROUP BY 1, 2, 3",
    "SELECT l_shipinstruct, string_agg(l_comment, ',' ORDER BY l_comment) FROM lineitem WHERE l_orderkey < 300 GROUP BY 1",
    "SELECT l_orderkey, row_number() OVER (PARTITION BY l_suppkey ORDER BY l_orderkey, l_linenumber) FROM lineitem",
    "SELECT o_orderpriority, count(*) FROM orders LEFT JOIN lineitem ON l_orderkey = o_orderkey AND l_tax = 0 GROUP BY 1",
    "SELECT count(*) FROM orders FULL JOIN lineitem ON l_orderkey = o_orderkey AND l_linenumber = 7 AND o_totalprice > 1",
    "SELECT l_orderkey FROM lineitem EXCEPT SELECT o_orderkey FROM orders",
    "SELECT o_orderkey FROM orders INTERSECT SELECT l_orderkey FROM lineitem WHERE l_shipmode LIKE '%A%'",
    "SELECT l_orderkey FROM lineitem WHERE l_quantity > 49 UNION ALL SELECT o_orderkey FROM orders WHERE o_orderkey < 90",
    "WITH RECURSIVE r(k) AS (SELECT 1::bigint UNION SELECT l_suppkey FROM r JOIN lineitem ON l_orderkey = k) SELECT * FROM r",
    "SELECT count(*) FROM lineitem WHERE l_shipdate IS NULL OR l_comment IS NULL OR l_tax IS NULL",
    "SELECT sum(l_extendedprice * (1 - l_discount)), sum(l_orderkey % 7) FROM lineitem WHERE l_shipmode IN ('AIR', 'none')",
    "SELECT max(l_extendedprice) FROM lineitem WHERE l_extendedprice < (SELECT avg(l_extendedprice) FROM lineitem)",
    "SELECT count(*) FROM orders, (SELECT l_orderkey FROM lineitem ORDER BY l_extendedprice DESC LIMIT 3) WHERE o_orderkey < 5",
    "SELECT o_clerk, l_comment FROM orders, lineitem WHERE o_orderkey = l_orderkey AND o_orderdate = DATE '1995-03-15'",
    "SELECT exists(SELECT FROM lineitem WHERE l_comment LIKE '%quickly%'), exists(SELECT FROM lineitem WHERE l_tax > 1)",
];

#[test]
fn queries_over_files_give_the_rows_of_tables() {
    let folder = Folder::new("queries");
    let tables = write(&folder.0);
    let queries: Vec<String> =
        (1..=22).map(|number| query(number, SCALE)).chain(SHAPES.iter().map(|&shape| shape.to_owned())).collect();
    let expected: Vec<Vec<Vec<String>>> = queries.iter().map(|query| rows(&tables, query)).collect();
    for way in WAYS {
        let session = over_files(way, &folder.0);
        let is_slow = way.name.starts_with("interpreter");
        for (query, expected) in queries.iter().zip(&expected) {
            // It reads a file as it reads a table, all of it.
            if is_slow && !SHAPES[..5].contains(&&**query) {
                continue;
            }
            // What is asked for again is kept.
            for round in 1..=if is_slow { 1 } else { 3 } {
                let found = rows(&session, query);
                assert!(found == *expected, "{}, {round}: {query}\n{found:?}\n{expected:?}", way.name);
            }
        }
    }
}

/// Row groups that are read in pieces, by two workers; and a file that lacks columns.
#[test]
fn row_groups_are_cut_for_workers() {
    let folder = Folder::new("pieces");
    let session = WAYS[2].session();
    done(
        &session,
        "CREATE TABLE t AS SELECT i AS k, i % 7 AS few, i::bigint * 7919 % 300007 AS far, \
         CASE WHEN i % 5 > 0 THEN 'text ' || i % 11 END AS word, CASE WHEN i % 3 > 0 THEN 'long ' || i END AS note, \
         CASE WHEN i % 4 > 0 THEN DATE '2000-01-01' + i % 9000 END AS day FROM generate_series(1, 300000) AS s(i)",
    );
    done(&session, "CREATE TABLE u AS SELECT k, far FROM t WHERE k % 20 = 0");
    for table in ["t", "u"] {
        done(&session, &format!("COPY {table} TO '{}'", folder.0.join(format!("{table}.parquet")).display()));
    }
    let files = folder.0.join("*.parquet");
    done(&session, &format!("CREATE VIEW f AS SELECT * FROM '{}'", files.display()));
    done(&session, "CREATE TABLE both AS SELECT * FROM t UNION ALL SELECT k, NULL, far, NULL, NULL, NULL FROM u");
    let shapes = [
        "SELECT word, few, count(*), sum(far), min(note), max(day) FROM @ GROUP BY 1, 2",
        "SELECT note, day FROM @ WHERE far = 4711",
        "SELECT count(*), count(word), count(note), count(day), count(DISTINCT note), count(DISTINCT word) FROM @",
        "SELECT k FROM @ WHERE word = 'text 3' AND day BETWEEN DATE '2010-02-03' AND DATE '2010-02-09'",
        "SELECT count(*) FROM @ a JOIN @ b ON a.k = b.far WHERE a.word LIKE '%1' AND b.few = 2",
        "SELECT few, count(*) FROM @ WHERE k = (SELECT max(k) FROM @) OR k < 3 GROUP BY 1",
        "SELECT k, note FROM @ WHERE few = 1 UNION ALL SELECT k, word FROM @ WHERE few IS NULL",
        "SELECT k, far, word, note, day FROM @ WHERE k % 1000 = 500",
        // Pages are left out.
        "SELECT * FROM @ WHERE k BETWEEN 19998 AND 20003 OR k IN (1, 131072, 131073, 299999, 300000) OR k > 299990",
        "SELECT count(*), sum(far), min(note), max(word) FROM @ WHERE k BETWEEN 70001 AND 190000 AND few = 3",
        "SELECT * FROM @ WHERE note = 'long 77777' OR note = 'long' OR word = 'no text' OR note > 'long 99998'",
        "SELECT * FROM @ WHERE word IN ('text 1', 'text', 'x') AND k IN (45001, 45002, 200002, 9999999) ORDER BY k",
        "SELECT count(*) FROM @ WHERE word IS NULL AND k < 20001 OR note < 'long 10001' AND k > 299000",
        "SELECT count(*), min(a.k) FROM @ a JOIN (SELECT k FROM @ WHERE k > 150000 AND k < 150050) b ON a.far = b.k",
    ];
    // What is asked for again is kept.
    for round in 1..=3 {
        for shape in shapes {
            let of = |table| rows(&session, &shape.replace('@', table));
            let (found, expected) = (of("f"), of("both"));
            assert!(found == expected, "{round}, {shape}: {} rows where {} are", found.len(), expected.len());
        }
    }
    let engine = Engine::builder().threads(2).memory_limit(12 << 20).build().expect("an engine starts");
    let from = folder.0.join("t.parquet");
    let small = engine.session();
    // A loop that passes over the file needs what it reads at once; to sort them needs all rows.
    for _ in 1..=3 {
        let passed = answer(&small, &format!("SELECT count(note), sum(far) FROM '{}' WHERE k > 5", from.display()));
        assert!(matches!(passed, Answer::Rows(..)), "{passed:?}");
    }
    let sorting = "SELECT *, note || far AS more, word || k AS other";
    let sorted = answer(&small, &format!("{sorting} FROM '{}' ORDER BY more, other", from.display()));
    assert!(matches!(&sorted, Answer::Error(state, _) if state == "53200"), "{sorted:?}");
}

#[test]
fn an_error_of_a_file_ends_the_statement() {
    let folder = Folder::new("errors");
    let session = write(&folder.0);
    let file = folder.0.join("lineitem-0.parquet");
    let bytes = std::fs::read(&file).expect("it has been written");
    let mut damaged = bytes.clone();
    // Pages, not the footer.
    damaged[4..bytes.len() / 2].fill(0x5a);
    std::fs::write(&file, damaged).expect("there is room for it");
    let from = file.display();
    for query in [
        format!("SELECT sum(l_orderkey) FROM '{from}'"),
        format!("SELECT l_orderkey FROM '{from}'"),
        format!("CREATE TABLE t AS SELECT * FROM '{from}'"),
        format!("INSERT INTO lineitem SELECT * FROM '{from}'"),
        format!("SELECT a.l_orderkey FROM '{from}' a, '{from}' b WHERE a.l_orderkey = b.l_partkey"),
    ] {
        assert!(matches!(answer(&session, &query), Answer::Error(state, _) if state == "22P04"), "{query}");
    }
    assert!(matches!(answer(&session, "SELECT * FROM t"), Answer::Error(..)));
    // What no loop reads is not looked at.
    assert!(matches!(answer(&session, &format!("SELECT count(*) FROM '{from}'")), Answer::Rows(..)));
}
