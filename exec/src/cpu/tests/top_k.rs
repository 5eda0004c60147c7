//! Top-k of many rows: these are compared with the last one that is kept, in the order of any number of keys of any type and then in
//! all fields, before their fields are computed, unless these fail.

use super::{Random, compare_forms, random_rows, valid};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLE: &str = "table %0 t(n#0 integer, b#1 bigint?, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?, f#5 boolean?, g#6 date?, h#7 interval?, w#8 decimal(38,0)?, long#9 text?, z#10 integer)\n";

const ROWS: usize = 2200;

/// Random rows with few values; long strings that begin alike; z is 0 in one row far behind, where that is asked for.
fn rows(distinct: u64, zero: bool) -> Vec<Vec<Value>> {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let fields = valid(&format!("{TABLE}result %0\noutput n\n")).collections[0].fields.clone();
    let mut rows = random_rows(&fields, ROWS, distinct, &mut random);
    for (at, row) in rows.iter_mut().enumerate() {
        let beginning = ["", "begin", "beginning", "beginning-"][random.below(4) as usize];
        row[9] = match random.below(9) {
            0 => Value::Null,
            1 => Value::text(""),
            _ => Value::text(format!("{beginning}{}", random.below(distinct))),
        };
        row[10] = Value::Int(if zero && at == ROWS - 3 { 0 } else { (at as i64 * 7919) % 1000 + 1 });
    }
    rows
}

fn check(rows: &[Vec<Value>], keys: &[&str], fields: &[&str], limits: (&str, &str)) {
    let pools = [1, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let keys: String = keys.iter().map(|key| format!("    by {key}\n")).collect();
    let made: String = fields.iter().enumerate().map(|(at, field)| format!("    f{at}? = {field}\n")).collect();
    let outputs: Vec<String> = (0..fields.len()).map(|at| format!("f{at}")).collect();
    let text = format!(
        "{TABLE}loop\n  i0 in %0\n  %1 top_k limit {} offset {}\n{keys}{made}result %1\noutput {}\n",
        limits.0,
        limits.1,
        outputs.join(", ")
    );
    compare_forms(&text, rows, &[0, 3], &pools);
}

#[test]
fn rows_are_compared_in_all_types_and_directions() {
    let all = ["i0.n", "i0.b", "i0.c", "i0.d", "i0.e", "i0.f", "i0.g", "i0.h", "i0.w", "i0.long", "i0.z"];
    for distinct in [3, 2000] {
        let rows = rows(distinct, false);
        for key in &all[1..] {
            for order in ["", " nulls first", " desc", " desc nulls first"] {
                check(&rows, &[&format!("{key}{order}")], &["i0.z", "i0.long", "i0.d"], ("7::bigint", "2::bigint"));
            }
        }
    }
}

#[test]
fn ties_are_broken_by_further_keys_and_then_by_fields() {
    let rows = rows(4, false);
    for keys in [
        &["i0.f desc nulls first", "i0.c", "i0.g desc"][..],
        &["i0.d", "i0.long desc"],
        &["i0.h", "i0.z"],
        &["i0.n + 1", "i0.long"],
        &["1", "i0.b nulls first", "i0.d desc"],
    ] {
        // Of rows whose fields are equal and look different either may come first: there is one zero here.
        for fields in [&["i0.d + 0e0", "i0.g"][..], &["i0.long", "i0.c", "i0.w"], &["i0.z * 3", "i0.d + 0e0", "i0.e"]] {
            for limit in ["1::bigint", "40::bigint", "NULL::bigint"] {
                check(&rows, keys, fields, (limit, "NULL::bigint"));
            }
        }
    }
}

#[test]
fn fields_that_fail_are_computed_of_rows_that_are_left_out() {
    let quotients = ["i0.long", "1000 / i0.z", "(cast(i0.n as bigint) / cast(i0.z as decimal(10,0)))::numeric"];
    for zero in [false, true] {
        let rows = rows(50, zero);
        for fields in [&quotients[..2], &quotients[1..]] {
            check(&rows, &["i0.b desc"], fields, ("5::bigint", "NULL::bigint"));
            check(&rows, &["1000 / i0.z"], fields, ("5::bigint", "3::bigint"));
        }
    }
}
