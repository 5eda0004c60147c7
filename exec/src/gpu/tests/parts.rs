//! Groups by parts: tuples are put beside others of near codes first.

use super::{Random, compare, devices, program, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const HEAD: &str =
    "table %0 t(k#0 integer?, v#1 bigint?, w#2 integer, f#3 boolean?)\nloop\n  i0 in %0\n  %1 bucket_reduce\n";

/// What asks for keys that are far apart: bits of these are in the block's memory, too.
const ASKS: &str = "table %0 t(k#0 integer?, v#1 bigint?, w#2 integer, f#3 boolean?)
loop
  i1 in %0
  %2 bucket_reduce
    if i1.w < 4
    key v? = i1.v
    n = count_rows()
loop
  i0 in %0
  %1 bucket_reduce
    if exists %2[i0.v]
    key k? = i0.k
    n = count_rows()
    s? = sum(i0.w if exists %2[cast(i0.w as bigint)])::bigint
    least? = min(i0.w)
result %1
output k, n, s, least
";

/// Reductions: a count alone; narrow and wide arguments, some of them twice; arguments of some tuples alone, some of which may fail.
const REDUCTIONS: [&str; 4] = [
    "    key k? = i0.k\n    n = count_rows()\nresult %1\noutput k, n\n",
    "    key k? = i0.k\n    n = count_rows()\n    s? = sum(i0.w)::bigint\n    least? = min(i0.w)\nresult %1\noutput k, n, s, least\n",
    "    if i0.w > -2\n    key k? = i0.k\n    n = count_rows()\n    c = count(i0.v)\n    s? = sum(i0.v)::decimal(38,0)\n    t? = sum(i0.w)::bigint\n    \
     least? = min(i0.v)\n    most? = max(i0.v)\n    odd? = max(i0.w)\nresult %1\noutput k, n, c, s, t, least, most, odd\n",
    "    key k? = i0.k\n    s? = sum(i0.w if i0.f)::bigint\n    c = count_rows(if i0.w > 3)\n    \
     q? = max(i0.v / cast(i0.w as bigint) if i0.w > 0)\n    t? = sum(i0.v if i0.w < 5)::decimal(38,0)\n\
     result %1\noutput k, s, c, q, t\n",
];

#[test]
fn many_groups() {
    let pool = Pool::new(2).expect("threads start");
    let gpus = devices();
    let mut random = Random(11);
    // Keys anywhere, at the ends of parts, all alike, half of them alike, the last ones, none.
    let keys: [&dyn Fn(i64, u64) -> Value; 6] = [
        &|_, random| if random % 9 == 0 { Value::Null } else { Value::Int((random % 20_000) as i64 - 10_000) },
        &|row, random| Value::Int(row % 3 * 512 + (random % 3) as i64 - 1),
        &|_, _| Value::Int(4_000),
        &|row, random| Value::Int(if random % 2 == 0 { 77 } else { row * 7919 % 9_973 }),
        &|row, _| Value::Int(10_110 - row % 5),
        &|_, _| Value::Null,
    ];
    let mut sources: Vec<Arc<str>> = Vec::new();
    let texts = REDUCTIONS.map(|reduction| format!("{HEAD}{reduction}"));
    for text in texts.iter().map(String::as_str).chain([ASKS]) {
        let program = program(text);
        for (which, key) in keys.into_iter().enumerate() {
            let counts: &[i64] = if which == 0 { &[1, 31, 33, 400] } else { &[400] };
            for &count in counts {
                // The first and the last code are far apart in any case.
                let row = |row: i64| {
                    let v = if random.below(4) == 0 { Value::Null } else { Value::Int(random.next() as i64 >> 40) };
                    let w = Value::Int(random.below(9) as i64 - 2);
                    let f =
                        [Value::Null, Value::Boolean(true), Value::Boolean(false)][random.below(3) as usize].clone();
                    let of = key(row, random.next());
                    let of = match row {
                        0 => Value::Int(-10_000),
                        1 => Value::Int(10_111),
                        _ => of,
                    };
                    vec![of, v, w, f]
                };
                let rows: Vec<Vec<Value>> = (0..count).map(row).collect();
                let tables = [table(&program.collections[0].fields, &rows, 150)];
                let program = with_statistics(&program, &tables);
                for gpu in &gpus {
                    gpu.device().cache.watch();
                    compare(&program, &tables, &[], (gpu, &pool), text);
                    sources.extend(gpu.device().cache.watched());
                }
            }
        }
        let has_parts = |source: &Arc<str>| source.contains("parts_sum");
        assert!(sources.iter().any(has_parts), "no parts of\n{text}");
        let has_bits = |source: &&Arc<str>| has_parts(source) && source.contains("word_bit(");
        assert_eq!(sources.iter().any(|source| has_bits(&source)), text == ASKS, "bits in blocks' memory of\n{text}");
        sources.clear();
    }
}
