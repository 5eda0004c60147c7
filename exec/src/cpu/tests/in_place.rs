//! Buckets that leave their rows in a table: every type, keys that are dense, that increase and that do neither, rows in
//! one chunk and in many, of every number of rows around a chunk's.

use super::{Random, compare, explained, random_rows, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::{Shape, parse::parse};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A table of every type behind a key, and one that asks for its rows.
const TABLES: &str = "\
table %0 t(k#0 bigint?, x#1 bigint)
table %1 u(k#0 bigint?, a#1 integer?, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?, f#5 boolean?, g#6 date?, h#7 interval?, i#8 real?, w#9 decimal(38,0)?, n#10 smallint)
";

const FIELDS: &str = "    a? = i0.a
    c? = i0.c
    d? = i0.d
    e? = i0.e
    f? = i0.f
    g? = i0.g
    h? = i0.h
    i? = i0.i
    w? = i0.w
    n = i0.n
";

/// The rows of u by key; for each row of t those of its key.
fn program(source: &str, key: &str) -> String {
    let buckets = format!("loop\n  i0 in %1\n  %2 bucket_collect\n    key k? = {key}\n{FIELDS}");
    let read = FIELDS.replace("i0.", "i2.").replace("n = i2.n", "n? = i2.n");
    let join = format!("loop\n  i1 in %0\n  i2 in {source}\n  %3 collect\n    x = i1.x\n{read}");
    let groups = "  %4 bucket_reduce\n    key c? = i2.c\n    key n? = i2.n\n    count = count_rows()\n    s? = sum(i2.e)::decimal(38,2)\n";
    format!("{TABLES}{buckets}{join}{groups}result %RESULT\n")
}

/// Runs it with keys of u that `key` gives for each row, and keys of t around them.
fn check(rows: usize, key: impl Fn(usize) -> Value, probes: &[Value]) {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let mut random = Random(0x1234_5678_9abc_def1);
    for source in ["%2[i1.k]", "%2[i1.k] or null", "%2[i1.k] or null\n    if i2.a > 1"] {
        for (key_of, result) in
            [("i0.k", "3\noutput x, a, c, d, e, f, g, h, i, w, n"), ("i0.k % 7::bigint", "4\noutput c, n, count, s")]
        {
            let text = program(source, key_of).replace("%RESULT", &format!("%{result}"));
            let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
            let fields: Vec<_> = program.collections[..2].iter().map(|table| table.fields.clone()).collect();
            let mut inner = random_rows(&fields[1], rows, 12, &mut random);
            inner.iter_mut().enumerate().for_each(|(at, row)| row[0] = key(at));
            let outer = probes.iter().enumerate().map(|(at, key)| vec![key.clone(), Value::Int(at as i64)]);
            let outer: Vec<_> = outer.collect();
            for form in 0..4 {
                let tables = [table(&fields[0], &outer, form), table(&fields[1], &inner, form)];
                let program = with_statistics(&program, &tables);
                assert!(matches!(program.collections[1].shape, Shape::Table { .. }));
                compare(&program, &tables, &pools, &text);
            }
        }
    }
}

fn integers(values: impl IntoIterator<Item = i64>) -> Vec<Value> {
    values.into_iter().map(Value::Int).chain([Value::Null]).collect()
}

#[test]
fn dense_keys() {
    for rows in [0, 1, 7, 8, 9, 16, 17, 40] {
        check(rows, |row| Value::Int(row as i64 - 3), &integers((-6..45).chain([i64::MIN, i64::MAX])));
    }
}

#[test]
fn kernels_say_that_rows_stay() {
    let text = program("%2[i1.k]", "i0.k").replace("%RESULT", "%4\noutput c, n, count, s");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let fields = &program.collections[1].fields;
    let rows = |key: &dyn Fn(i64) -> i64| {
        let mut rows = random_rows(fields, 10, 12, &mut Random(7));
        rows.iter_mut().zip(0..).for_each(|(row, at)| row[0] = Value::Int(key(at)));
        rows
    };
    let place = |key: &dyn Fn(i64) -> i64| {
        let tables = [table(&program.collections[0].fields, &[], 0), table(fields, &rows(key), 0)];
        explained(&with_statistics(&program, &tables), &tables)
    };
    let (dense, apart) = (place(&|at| at), place(&|at| at * 1_000_000 + 7));
    let (sparse, falling) = (place(&|at| at * 1_000_000 + at % 2), place(&|at| -at));
    assert!(dense.contains("Dense: keys are the numbers of rows; rows stay in the table"), "{dense}");
    assert!(apart.contains("Dense: keys are the numbers of rows; rows stay in the table"), "{apart}");
    assert!(apart.contains("key k: 7 to 9000007 in steps of 1000000, 4 bits"), "{apart}");
    assert!(sparse.contains("Ranked") && sparse.contains("; rows stay in the table"), "{sparse}");
    assert!(!falling.contains("rows stay"), "{falling}");
}

#[test]
fn dense_keys_in_steps() {
    for (rows, step) in [(1, 1_000), (2, 3), (8, 1_000_000), (40, 1 << 40), (40, 3 << 50)] {
        let key = |row: usize| row as i64 * step - 7;
        let probes = (0..rows).flat_map(|row| [key(row) - 1, key(row), key(row) + 1]);
        let beyond = [key(rows), key(0) - step, i64::MIN, i64::MAX];
        check(rows, |row| Value::Int(key(row)), &integers(probes.chain(beyond)));
    }
}

#[test]
fn increasing_keys() {
    for rows in [1, 8, 65] {
        // Of 64 Ki codes and more, ranks; in steps, too.
        let apart = |row: usize| ((row * 2 + row % 2) * 500_001) as i64;
        let probes = (0..rows).flat_map(|row| [apart(row) - 500_001, apart(row) - 1, apart(row)]);
        check(rows, |row| Value::Int(apart(row)), &integers(probes));
        let key = |row: usize| (row * 1_000_003 + row % 2) as i64;
        let probes = (0..rows).flat_map(|row| [key(row) - 1, key(row), key(row) + 1]);
        check(rows, |row| Value::Int(key(row)), &integers(probes));
    }
}

#[test]
fn other_keys() {
    // Not in order, with duplicates, with NULLs.
    for rows in [1, 9, 64] {
        check(rows, |row| Value::Int((row as i64 * 37) % 64 * 1_000), &integers((0..64).map(|key| key * 1_000)));
        check(rows, |row| Value::Int(row as i64 / 3), &integers(-1..25));
        check(rows, |row| if row % 4 == 3 { Value::Null } else { Value::Int(row as i64) }, &integers(-1..70));
    }
}

/// FALSE and TRUE, once each, are sorted and unique, too.
#[test]
fn booleans_are_keys() {
    let text = "table %0 t(k#0 boolean)\nloop\n  i0 in %0\n  %1 bucket_collect\n    key k = i0.k\n    k = i0.k\n\
                loop\n  i1 in %0\n  i2 in %1[NOT i1.k]\n  %2 collect\n    k = i1.k\n    other = i2.k\n\
                result %2\noutput k, other\n";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pools = [Arc::new(Pool::new(1).expect("threads start"))];
    for rows in [&[false][..], &[true], &[false, true]] {
        let rows: Vec<Vec<Value>> = rows.iter().map(|&key| vec![Value::Boolean(key)]).collect();
        let tables = [table(&program.collections[0].fields, &rows, 0)];
        let program = with_statistics(&program, &tables);
        assert!(explained(&program, &tables).contains("rows stay in the table"));
        compare(&program, &tables, &pools, text);
    }
}
