//! Sums of few groups and of one, whose arguments are arithmetic: of narrow and wide values, nullable ones and such as may
//! overflow, around the ends of words and tiles.

use super::compare_forms;
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const PROGRAM: &str = "table %0 t(c#0 text?, a#1 bigint, b#2 bigint, w#3 bigint, n#4 bigint?, h#5 smallint)
loop
  i0 in %0
  %1 bucket_reduce
    if i0.a < 90::bigint
    key c? = i0.c
    rows = count_rows()
    plain? = sum(i0.a)::decimal(38,0)
    narrow? = sum(i0.a * (100::bigint - i0.b))::decimal(38,0)
    wide? = sum(i0.w * (i0.a + i0.b))::decimal(38,0)
    both? = sum((100::bigint - i0.b) * i0.w - i0.a)::decimal(38,0)
    nullable? = sum(i0.n * i0.a)::decimal(38,0)
    other? = sum(abs(i0.b - 50::bigint) * i0.a)::decimal(38,0)
    least? = min(i0.a * (100::bigint - i0.b))
    far? = sum(i0.w)::decimal(38,0)
    half? = sum(i0.h * i0.h)::decimal(38,0)
  %2 reduce
    narrow? = sum(i0.a * (100::bigint - i0.b))::decimal(38,0)
    same? = sum(i0.a * (100::bigint - i0.b))::decimal(38,0)
    seven? = sum(i0.b * 0::bigint + 7::bigint)::decimal(38,0)
    n = count(i0.n)
  %3 reduce
    if i0.b > 3::bigint
    wide? = sum(i0.w * i0.a - i0.b)::decimal(38,0)
  %4 bucket_reduce
    if i0.w > 0::bigint - 1000::bigint
    if i0.w < 1000::bigint
    key c? = i0.c
    far? = sum(i0.w)::decimal(38,0)
result %RESULT
output RESULT_FIELDS
";

/// Rows whose wide values are multiples of `wide`, in tables of these forms.
fn check(rows: i64, wide: i64, forms: &[usize]) {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let row = |row: i64| {
        let words = [Value::text("red"), Value::text("green"), Value::Null, Value::text("")];
        vec![
            words[(row * row % 7 % 4) as usize].clone(),
            Value::Int(row * 31 % 100),
            Value::Int(row * 17 % 101 - 20),
            Value::Int((row * 13 % 201 - 100) * wide),
            if row % 5 == 1 { Value::Null } else { Value::Int(row % 1000) },
            Value::Int(row % 7 - 3),
        ]
    };
    let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
    let results = [
        (1, "c, rows, plain, narrow, wide, both, nullable, other, least, far, half"),
        (2, "narrow, same, seven, n"),
        (3, "wide"),
        (4, "c, far"),
    ];
    for (result, fields) in results {
        let text = PROGRAM.replace("%RESULT", &format!("%{result}")).replace("RESULT_FIELDS", fields);
        compare_forms(&text, &rows, forms, &pools);
    }
}

#[test]
fn around_words() {
    for rows in [0, 1, 63, 64, 65, 1000] {
        // Products of 32 bits, of 64, and of more; offsets of more than 31 bits.
        for wide in [1, 1 << 20, 1 << 24, 1 << 33, 1 << 53] {
            check(rows, wide, &[0, 1, 2, 3]);
        }
    }
}

#[test]
fn around_tiles() {
    for rows in [32_767, 32_768, 33_793] {
        check(rows, 1 << 33, &[0]);
    }
}
