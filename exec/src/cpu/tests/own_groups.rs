//! Groups of a clustered table that its own rows ask for: few and all of them, in runs over the ends of chunks and tiles, such
//! as fill chunks, with conditions of the groups' own, behind joins, by one worker and by several.

use super::{compare_forms, parse, table, with_statistics};
use crate::plan::{Machine, plan};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(k#0 bigint, x#1 bigint?, y#2 integer, f#3 double precision?, c#4 text?)
table %1 t(k#0 bigint, x#1 bigint?, y#2 integer, f#3 double precision?, c#4 text?)
loop
  i0 in %0
  %2 bucket_reduce
    key k = i0.k
    rows = count_rows()
    n = count(i0.x)
    least? = min(i0.x)
    most? = max(i0.x if i0.y > 3)
    s? = sum(i0.y)::decimal(38,0)
    few? = sum(i0.y if i0.y = 6)::decimal(38,0)
    f? = max(i0.f)
    c? = min(i0.c)
    any? = any(i0.x > 40::bigint)
    all? = all(i0.y < 6)
loop
  i1 in %0
  %3 bucket_reduce
    if i1.y > 2
    if i1.x < 50::bigint
    key k = i1.k
    rows = count_rows()
    most? = max(i1.x)
    least? = min(i1.y if i1.y > 4)
    s? = sum(i1.y)::decimal(38,0)
    any? = any(i1.x > 45::bigint)
    all? = all(i1.y < 5 if i1.y > 3)
loop
  i2 in %1
  %4 bucket_collect
    if i2.x < 30::bigint
    key y = i2.y
    z? = i2.x
loop
  i3 in %0
  NEST
  %5 collect
    if CONDITION
    k = i3.k
    x? = i3.x
    rows = %2[i3.k].rows
    n = %2[i3.k].n
    least? = %2[i3.k].least
    most? = %2[i3.k].most
    s? = %2[i3.k].s
    few? = %2[i3.k].few
    f? = %2[i3.k].f
    c? = %2[i3.k].c
    any? = %2[i3.k].any
    all? = %2[i3.k].all
    own = %3[i3.k].rows
    own_most? = %3[i3.k].most
    own_least? = %3[i3.k].least
    own_s? = %3[i3.k].s
    own_any? = %3[i3.k].any
    own_all? = %3[i3.k].all
result %5
output k, x, rows, n, least, most, s, few, f, c, any, all, own, own_most, own_least, own_s, own_any, own_all
";

/// Rows of keys in runs, whose lengths these are in turn.
fn rows_of(rows: i64, runs: &[i64]) -> Vec<Vec<Value>> {
    let mut keys = (0..).flat_map(|run| {
        let length = runs[run as usize % runs.len()];
        (0..length).map(move |_| (run ^ 1) - 9)
    });
    let row = |row: i64| {
        vec![
            Value::Int(keys.next().expect("runs go on")),
            if row % 5 == 3 { Value::Null } else { Value::Int(row * 31 % 101) },
            Value::Int(row * row % 7),
            if row % 4 == 1 {
                Value::Null
            } else {
                Value::Float(if row % 9 == 0 { f64::NAN } else { row as f64 / 8.0 })
            },
            if row % 3 == 2 { Value::Null } else { Value::text(format!("the text {}", row * 17 % 23)) },
        ]
    };
    (0..rows).map(row).collect()
}

fn check(rows: &[Vec<Value>], forms: &[usize]) {
    let pools = [1, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let asks = [
        ("", "TRUE"),
        ("", "i3.x > 97::bigint"),
        ("", "%2[i3.k].most > i3.x"),
        ("", "i3.y > 5 AND %2[i3.k].least < i3.x AND %3[i3.k].rows > 1::bigint"),
        ("", "case(i3.x > 90::bigint, %2[i3.k].rows = 2::bigint, i3.x < 4::bigint)"),
        ("i4 in %4[i3.y]", "i3.x > 95::bigint"),
        ("i4 in %4[i3.y]", "%2[i3.k].least > i4.z"),
        ("i4 in %4[i3.y] or null", "i3.x > 99::bigint"),
    ];
    // Joins multiply rows.
    let few = &rows[..rows.len().min(150)];
    for (nest, condition) in asks {
        let text = PROGRAM.replace("CONDITION", condition);
        if nest.is_empty() {
            compare_forms(&text.replace("  NEST\n", ""), rows, forms, &pools);
        } else {
            compare_forms(&text.replace("NEST", nest), few, forms, &pools);
        }
    }
}

#[test]
fn around_chunks() {
    for rows in [0, 1, 8, 9, 65, 300] {
        for runs in [&[1][..], &[3, 1, 7], &[1, 12, 1, 2], &[8], &[1, 40, 2]] {
            check(&rows_of(rows, runs), &[0, 1, 2, 3]);
        }
    }
}

#[test]
fn around_tiles() {
    for rows in [32_767, 40_000] {
        check(&rows_of(rows, &[3, 1, 7, 5]), &[0]);
    }
}

/// Otherwise the programs above ask in another way.
#[test]
fn groups_are_own() {
    let text = PROGRAM.replace("  NEST\n", "").replace("CONDITION", "TRUE");
    let program = parse(&text).expect("the program is well-formed");
    let own = |rows: &[Vec<Value>]| {
        let tables = [0, 1].map(|_| table(&program.collections[0].fields, rows, 0));
        let program = with_statistics(&program, &tables);
        let plan = plan(&program, Machine::host(1)).expect("the program is planned");
        plan.collections.iter().filter(|collection| collection.own.is_some()).count()
    };
    assert_eq!(own(&rows_of(1_000, &[3, 1, 7])), 2);
    let mut shuffled = rows_of(1_000, &[3, 1, 7]);
    shuffled.swap(1, 500);
    assert_eq!(own(&shuffled), 0);
}
