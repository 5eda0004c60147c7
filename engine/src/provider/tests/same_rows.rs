//! A provider's rows are those of a table that has the same, whatever it does with offers, and however its rows are cut.

use super::{Filters, Parts, Stored, engine, nasty, rows};
use crate::provider::{Condition, TableProvider, Test};
use crate::{Backend, Session, Value};
use arrow::array::RecordBatch;
use std::sync::{Arc, Mutex};

/// Queries over `t`; `other` is a table.
pub(super) const QUERIES: &[&str] = &[
    "SELECT * FROM t",
    "SELECT count(*) FROM t",
    "SELECT count(*), count(k), sum(k::numeric), min(f), max(f), min(t), max(t), sum(d), min(day), bool_or(flag) FROM t",
    "SELECT n FROM t WHERE k = 7",
    "SELECT n FROM t WHERE 7 = k AND t = 'ab'",
    "SELECT n, k FROM t WHERE k <> 7",
    "SELECT n FROM t WHERE k > 0 AND k <= 100",
    "SELECT n FROM t WHERE 0 > k",
    "SELECT n FROM t WHERE k IS NULL",
    "SELECT n FROM t WHERE k IS NOT NULL AND t IS NULL",
    "SELECT n FROM t WHERE k IN (7, 100, NULL)",
    "SELECT n FROM t WHERE k NOT IN (7, 100)",
    "SELECT n FROM t WHERE t IN ('ab', '')",
    "SELECT n FROM t WHERE f = 'NaN'",
    "SELECT n FROM t WHERE f > 1.5",
    "SELECT n FROM t WHERE f = -0.0",
    "SELECT n FROM t WHERE f < 'NaN'",
    "SELECT n FROM t WHERE t LIKE 'a%'",
    "SELECT n FROM t WHERE t LIKE 'a_'",
    "SELECT n FROM t WHERE t LIKE 'b\\%'",
    "SELECT n FROM t WHERE t LIKE 'ab'",
    "SELECT n FROM t WHERE t NOT LIKE 'a%'",
    "SELECT n FROM t WHERE starts_with(t, 'ä')",
    "SELECT n FROM t WHERE t >= 'ab' AND t < 'b'",
    "SELECT n FROM t WHERE d = 1.00",
    "SELECT n FROM t WHERE d BETWEEN -0.01 AND 1.005",
    "SELECT n FROM t WHERE day >= '1970-01-01'",
    "SELECT n FROM t WHERE day = '1969-12-25' OR k = 1",
    "SELECT n FROM t WHERE flag",
    "SELECT n FROM t WHERE NOT flag",
    "SELECT n FROM t WHERE flag IS TRUE",
    "SELECT n FROM t WHERE flag IS NOT TRUE",
    "SELECT n FROM t WHERE flag = false AND k > 0",
    "SELECT n FROM t WHERE n >= 190 OR n < 3",
    "SELECT n FROM t WHERE n > 150 AND n < 160",
    "SELECT n FROM t WHERE false",
    "SELECT n FROM t WHERE n > 1000000",
    "SELECT k, count(*), sum(d) FROM t GROUP BY k",
    "SELECT k, count(*) FILTER (WHERE flag), min(t) FROM t WHERE k > 0 GROUP BY k HAVING count(*) > 2",
    "SELECT sum(n) FILTER (WHERE k = 7), sum(n) FROM t",
    "SELECT DISTINCT t, flag FROM t",
    "SELECT n, k FROM t ORDER BY k DESC NULLS LAST, n LIMIT 5",
    "SELECT n FROM t WHERE t = 'ab' ORDER BY n LIMIT 3 OFFSET 2",
    "SELECT count(*) FROM (SELECT n FROM t LIMIT 13) x",
    "SELECT count(*) FROM (SELECT n FROM t WHERE k = 7 LIMIT 5 OFFSET 2) x",
    "SELECT count(*) FROM (SELECT n FROM t WHERE abs(n) < 50 AND k = 7 LIMIT 5) x",
    "SELECT a.n, b.n FROM t a JOIN t b ON a.k = b.k WHERE a.n < 20 AND b.t = 'ab'",
    "SELECT a.n, b.n FROM t a LEFT JOIN t b ON a.k = b.k AND b.n < 5 WHERE a.n < 20",
    "SELECT o.x, t.n FROM other o LEFT JOIN t ON o.x = t.k AND t.t = 'ab'",
    "SELECT o.x, t.n FROM t LEFT JOIN other o ON o.x = t.k WHERE t.k > 0",
    "SELECT o.x, t.n FROM t RIGHT JOIN other o ON o.x = t.k AND t.n < 9",
    "SELECT o.x, t.n FROM (SELECT * FROM t WHERE n < 9) t FULL JOIN other o ON o.x = t.k",
    "SELECT x FROM other WHERE x IN (SELECT k FROM t WHERE flag)",
    "SELECT x FROM other WHERE NOT EXISTS (SELECT 1 FROM t WHERE k = x AND n > 100)",
    "SELECT x FROM other WHERE x NOT IN (SELECT k FROM t WHERE k IS NOT NULL)",
    "SELECT n FROM t WHERE k = (SELECT max(x) FROM other)",
    "SELECT n, (SELECT count(*) FROM t u WHERE u.k = t.k AND u.n < t.n) FROM t WHERE n < 30",
    "SELECT n, sum(n) OVER (PARTITION BY k ORDER BY n) FROM t WHERE n < 50",
    "SELECT n FROM t WHERE k = 7 UNION ALL SELECT n FROM t WHERE k = 100",
    "SELECT k FROM t WHERE n < 100 INTERSECT SELECT k FROM t WHERE n >= 100",
    "WITH u AS (SELECT * FROM t WHERE k = 7) SELECT a.n, b.n FROM u a, u b WHERE a.n = b.n + 9",
    "SELECT n FROM v",
    "SELECT count(*) FROM v WHERE k = 100",
    "SELECT * FROM generate_series(1, 2) g(i) CROSS JOIN (SELECT n FROM t WHERE t = 'abc') x",
];

/// A session with the rows as a table, and one with those of a provider.
fn sessions(stored: Stored) -> (Session, Session) {
    beside(stored.rows.clone(), stored)
}

/// A session with rows as a table, and one with those of a provider, which are to be the same.
pub(super) fn beside(rows: RecordBatch, provides: impl TableProvider) -> (Session, Session) {
    let (table, provider) = (engine().session(), engine().session());
    table.register("t", vec![rows]).expect("a table");
    provider.register_table("t", provides).expect("a table");
    for session in [&table, &provider] {
        session.sql("CREATE TABLE other AS SELECT x FROM (VALUES (7), (100), (5), (NULL)) v(x)").expect("a table");
        session.sql("CREATE VIEW v AS SELECT n, k FROM t WHERE k > 0").expect("a view");
    }
    (table, provider)
}

#[test]
fn rows_are_those_of_a_table() {
    for (filters, parts, batch_rows) in [(Filters::None, 1, 1000), (Filters::All, 1, 7), (Filters::All, 5, 1)] {
        let (table, provider) = sessions(Stored::new(nasty(), parts, batch_rows, filters));
        for sql in QUERIES {
            assert_eq!(rows(&provider, sql), rows(&table, sql), "{sql} ({filters:?}, {parts} parts)");
        }
    }
}

#[test]
fn rows_are_those_of_a_table_where_parts_are_lazy() {
    for (filters, parts, read) in
        [(Filters::None, 1, Parts::Lazy), (Filters::None, 7, Parts::Lazy), (Filters::All, 4, Parts::Both)]
    {
        let (table, provider) = sessions(Stored::new(nasty(), parts, 7, filters).read(read));
        for sql in QUERIES {
            assert_eq!(rows(&provider, sql), rows(&table, sql), "{sql} ({filters:?}, {parts} parts, {read:?})");
        }
    }
}

#[test]
fn rows_are_those_of_a_table_however_it_is_run() {
    for (backend, none, read) in [
        (Backend::Interpreter, true, Parts::Batches),
        (Backend::Interpreter, false, Parts::Both),
        (Backend::Cpu, true, Parts::Batches),
        (Backend::Cpu, true, Parts::Lazy),
    ] {
        let (mut table, mut provider) = sessions(Stored::new(nasty(), 3, 40, Filters::All).read(read));
        for session in [&mut table, &mut provider] {
            session.options.backend = backend;
            session.options.rules.none = none;
        }
        for sql in QUERIES {
            assert_eq!(rows(&provider, sql), rows(&table, sql), "{sql} ({backend:?}, no rules: {none}, {read:?})");
        }
    }
}

#[test]
fn rows_are_those_of_a_table_on_a_device() {
    let device = crate::Engine::builder().threads(2).devices(crate::Devices::row_by_row(0)).build().expect("an engine");
    let (table, _) = sessions(Stored::new(nasty(), 1, 1, Filters::None));
    for read in [Parts::Batches, Parts::Both] {
        let provider = device.session();
        let stored = Stored::new(nasty(), 3, 40, Filters::None).read(read);
        provider.register_table("t", stored).expect("a table");
        for sql in QUERIES.iter().filter(|sql| !sql.contains("other") && !sql.contains("FROM v")) {
            assert_eq!(rows(&provider, sql), rows(&table, sql), "{sql} ({read:?})");
        }
    }
}

/// What is asked of a provider, if it is scanned.
fn asked(sql: &str) -> Option<(Vec<usize>, Vec<Condition>, Option<u64>)> {
    let stored = Stored::new(nasty(), 2, 100, Filters::None);
    let asked = Arc::clone(&stored.asked);
    let (_, provider) = sessions(stored);
    rows(&provider, sql);
    let mut asked = asked.lock().expect("nobody panics");
    assert!(asked.len() <= 1, "{sql}: it is scanned {} times", asked.len());
    let scan = asked.pop()?;
    Some((scan.columns, scan.conditions, scan.limit))
}

#[test]
fn what_is_asked() {
    let on = |column, test| Condition { column, test };
    let int = Value::Int;
    let of = |sql| asked(sql).unwrap_or_else(|| panic!("{sql}: it is not scanned"));
    assert_eq!(of("SELECT count(*) FROM t"), (vec![], vec![], None));
    assert_eq!(of("SELECT t, n FROM t"), (vec![0, 3], vec![], None));
    assert_eq!(of("SELECT n FROM t WHERE k = 7"), (vec![0, 1], vec![on(1, Test::Equal(int(7)))], None));
    assert_eq!(of("SELECT n FROM t WHERE 7 < k").1, [on(1, Test::Greater(int(7)))]);
    assert_eq!(of("SELECT n FROM t WHERE t LIKE 'ab%c'").1, [on(3, Test::StartsWith("ab".into()))]);
    assert_eq!(of("SELECT n FROM t WHERE k IS NULL").1, [on(1, Test::IsNull)]);
    assert_eq!(of("SELECT n FROM t WHERE d >= 1.00").1, [on(4, Test::GreaterEqual(Value::Decimal(100)))]);
    let mut both = of("SELECT n FROM t WHERE flag AND day <> '1970-01-03' AND k IN (1, 7)").1;
    both.sort_by_key(|condition| condition.column);
    assert_eq!(both.len(), 3, "{both:?}");
    assert_eq!(both[0], on(1, Test::In(vec![int(1), int(7)])));
    // What two uses ask is what both ask.
    let two = of("SELECT a.n FROM t a, t b WHERE a.k = 7 AND b.k = 7 AND a.n = b.n AND b.t = 'ab'");
    assert!(two.1.iter().all(|condition| *condition == on(1, Test::Equal(int(7)))), "{two:?}");
    assert_eq!(of("SELECT n FROM t WHERE k = 7 UNION ALL SELECT n FROM t WHERE k = 8").1, []);
    assert_eq!(of("SELECT sum(n) FILTER (WHERE k = 7), sum(n) FROM t").1, []);
    // A limit is offered where every row will do.
    assert_eq!(of("SELECT n FROM t LIMIT 4 OFFSET 2").2, Some(6));
    assert_eq!(of("SELECT n FROM t WHERE k = 7 LIMIT 4").2, Some(4));
    assert_eq!(of("SELECT n FROM t WHERE k = n LIMIT 4").2, None);
    assert_eq!(of("SELECT n FROM t ORDER BY n LIMIT 4").2, None);
    assert_eq!(asked("SELECT n FROM t WHERE false"), None);
}

#[test]
fn parameters_are_values_of_offers() {
    let stored = Stored::new(nasty(), 2, 100, Filters::All);
    let asked = Arc::<Mutex<_>>::clone(&stored.asked);
    let (_, provider) = sessions(stored);
    let prepared = provider.prepare("SELECT count(*) FROM t WHERE k = $1").expect("it is prepared");
    for (value, rows) in [(Some(7_i64), 44), (Some(8), 0), (None, 0), (Some(100), 22)] {
        let found: i64 = prepared.query_scalar(&provider, [value]).expect("it runs");
        assert_eq!(found, rows, "{value:?}");
    }
    let asked = asked.lock().expect("nobody panics");
    let tests: Vec<&[Condition]> = asked.iter().map(|scan| &scan.conditions[..]).collect();
    let equal = |value| [Condition { column: 1, test: Test::Equal(Value::Int(value)) }];
    assert_eq!(tests, [&equal(7)[..], &equal(8), &[], &equal(100)]);
}

#[test]
fn a_scan_is_explained_and_analysed() {
    let (_, provider) = sessions(Stored::new(nasty(), 2, 100, Filters::All));
    for kind in ["", "(LOOPS) ", "(KERNELS) ", "ANALYZE ", "(ANALYZE, FORMAT JSON) "] {
        let text =
            rows(&provider, &format!("EXPLAIN {kind}SELECT t, count(*) FROM t WHERE k = 7 GROUP BY t")).join("\n");
        assert!(!text.is_empty(), "{kind}");
        assert!(!kind.contains("ANALYZE ") || text.contains("Rows: 7"), "{text}");
    }
}

#[test]
fn values_of_tests() {
    let values = [Value::Null, Value::Int(-3), Value::Int(0), Value::Int(5)];
    for low in 1..4 {
        for high in low..4 {
            let range =
                crate::ColumnRange { min: Some(values[low].clone()), max: Some(values[high].clone()), nulls: None };
            for of in [-4, -3, -1, 0, 3, 5, 6].map(Value::Int) {
                let all = [
                    Test::Equal(of.clone()),
                    Test::NotEqual(of.clone()),
                    Test::Less(of.clone()),
                    Test::LessEqual(of.clone()),
                    Test::Greater(of.clone()),
                    Test::GreaterEqual(of.clone()),
                    Test::In(vec![of.clone(), Value::Int(9)]),
                ];
                for test in all {
                    let met = values[low..=high].iter().any(|value| test.holds(value));
                    assert!(!met || test.may_meet(&range), "{test:?} of {range:?}");
                    assert!(!test.holds(&Value::Null));
                }
            }
        }
    }
    let texts = ["", "a", "ab", "abc", "ac", "b", "ä"].map(Value::text);
    for low in 0..texts.len() {
        for high in low..texts.len() {
            let range =
                crate::ColumnRange { min: Some(texts[low].clone()), max: Some(texts[high].clone()), nulls: None };
            for prefix in ["", "a", "ab", "abd", "b", "c", "ä"] {
                let test = Test::StartsWith(prefix.into());
                let met = texts[low..=high].iter().any(|value| test.holds(value));
                assert!(!met || test.may_meet(&range), "{test:?} of {range:?}");
            }
        }
    }
    let nothing = crate::ColumnRange::default();
    assert!(Test::IsNull.may_meet(&nothing) && Test::Equal(Value::Int(1)).may_meet(&nothing));
    assert!(!Test::IsNull.may_meet(&crate::ColumnRange { nulls: Some(0), ..nothing }));
    assert!(Test::IsNull.holds(&Value::Null) && !Test::IsNotNull.holds(&Value::Null));
}
