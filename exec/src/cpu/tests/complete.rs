//! Groups of clustered rows of which the only reader wants few, most, or none, and which wait for their codes until that is
//! known: against the interpreter, around the ends of words, tiles and chunks.

use super::{compare_tables, expect_of_tables, explained, in_forms, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// So far, and in no steps, that few keys have too many codes to be groups by them; and in steps of more than 32 bits.
const KEYS: [fn(i64) -> i64; 2] = [|run| run * 300 + run % 2, |run| run * 1_500_000_000_000 + 7];

const CONDITIONS: [&str; 7] = [
    "    if i1.rows > 0::bigint\n",
    "    if i1.rows > 1000000::bigint\n",
    "    if i1.sum > 200::decimal(38,0)\n",
    // So few of many that they are hashed, whatever their codes.
    "    if i1.sum > 600::decimal(38,0)\n",
    "    if 6::bigint / (i1.rows - 1::bigint) > 0::bigint\n",
    "    if i1.k < 30000::bigint\n",
    "    if i1.k < 300000::bigint\n    if i1.sum > 100::decimal(38,0)\n",
];

fn check(rows: i64, each: i64, forms: &[usize]) {
    KEYS.iter().for_each(|key| check_keys(rows, each, forms, key));
}

fn check_keys(rows: i64, each: i64, forms: &[usize], key: &dyn Fn(i64) -> i64) {
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let row = |row: i64| {
        let run = row / each;
        let value = if row % 7 == 2 { Value::Null } else { Value::Int(run * 31 % 199 - 20) };
        vec![Value::Int(key(run)), value, Value::Float(row as f64 / 8.0)]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
    let mut tables = Vec::new();
    for condition in CONDITIONS {
        let mut expected = None;
        // One that cannot be looked into before it is finished.
        for other in ["", "    float? = sum(i0.d)\n"] {
            let text = format!(
                "table %0 t(k#0 bigint, n#1 bigint?, d#2 double precision)\nloop\n  i0 in %0\n  %1 bucket_reduce\n    key k = i0.k\n    rows = count_rows()\n    sum? = sum(i0.n)::decimal(38,0)\n{other}loop\n  i1 in %1\n  %2 collect\n{condition}    k = i1.k\n    rows = i1.rows\n    sum? = i1.sum\n  %3 bucket_reduce\n{condition}    key k = i1.k\n    rows = sum(i1.rows)::bigint\nresult %RESULT\n"
            );
            let [collected, grouped] =
                ["%2\noutput k, rows, sum\n", "%3\noutput k, rows\n"].map(|result| text.replace("%RESULT\n", result));
            if tables.is_empty() {
                tables = in_forms(&collected, &rows, forms);
            }
            match &expected {
                None => expected = Some(compare_tables(&collected, &tables, &pools)),
                Some(expected) => expect_of_tables(expected, &collected, &tables, &pools),
            }
            // Each key comes once, so that its group has what is collected of it.
            let expected = expected.clone().expect("it was compared");
            let groups = expected.map(|rows| rows.into_iter().map(|row| row[..2].to_vec()).collect());
            expect_of_tables(&groups, &grouped, &tables, &pools);
            if rows.len() > 30 && each < 100 && rows.len() as i64 / each > 15 && key(1) < 1_000 {
                let program = parse(&text.replace("%RESULT\n", "%3\noutput k, rows\n")).expect("it is a program");
                let tables = [table(&program.collections[0].fields, &rows, 0)];
                assert!(explained(&with_statistics(&program, &tables), &tables).contains("Ordered"));
            }
        }
    }
}

#[test]
fn around_words() {
    for rows in [1, 63, 64, 65, 1_000] {
        for each in [1, 4, 70] {
            check(rows, each, &[0, 1, 2, 3]);
        }
    }
}

#[test]
fn around_tiles() {
    for each in [1, 4, 32_900] {
        check(32_768, each, &[0]);
        check(32_769, each, &[0]);
        check(40_001, each, &[0]);
    }
}
