//! Elements of tables: every type, rows in one chunk and in many, even ones and uneven ones, numbers that are NULL.

use super::{Random, compare, random_rows, table, with_statistics};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::value::Value;
use std::sync::Arc;

const TABLES: &str = "\
table %0 t(k#0 bigint?, x#1 bigint)
table %1 u(a#0 integer?, b#1 bigint, c#2 text?, d#3 double precision?, e#4 decimal(15,2)?, f#5 boolean?, g#6 date?, h#7 interval?, i#8 real?, w#9 decimal(38,0)?, n#10 smallint)
";

fn elements(row: &str) -> String {
    let fields = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "w", "n"];
    fields.iter().map(|field| format!("    {field}? = element %1({row}).{field}\n")).collect()
}

/// What asks for elements: a scan, a condition, a key, an aggregate, a constant, rows that an outer join did not find, and
/// the table itself.
fn programs() -> Vec<String> {
    let output = "x, a, b, c, d, e, f, g, h, i, w, n";
    let scan = |condition: &str, row: &str| {
        let fields = elements(row);
        format!("loop\n  i0 in %0\n  %2 collect\n{condition}    x = i0.x\n{fields}result %2\noutput {output}\n")
    };
    let groups = "loop\n  i0 in %0\n  %2 bucket_reduce\n    key c? = element %1(i0.k).c\n    key a? = element %1(i0.k).a\n    \
                  rows = count_rows()\n    least? = min(element %1(i0.k).b)\n    sum? = sum(element %1(i0.k).e)::decimal(38,2)\n    \
                  kinds = count(distinct element %1(i0.k).c)\nresult %2\noutput c, a, rows, least, sum, kinds\n";
    let outer = format!(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key x = i0.x\n    k? = i0.k\nloop\n  i1 in %0\n  i2 in %2[i1.k] or null\n  \
         %3 collect\n    x = i1.x\n{}result %3\noutput {output}\n",
        elements("i2.k")
    );
    vec![
        scan("", "i0.k"),
        scan("    if element %1(i0.k).a > 3\n", "i0.k"),
        scan("    if i0.x > 3::bigint\n    if element %1(i0.k).c < 'b'\n", "i0.k"),
        scan("", "0::bigint"),
        scan("", "NULL::bigint"),
        groups.to_owned(),
        outer,
    ]
}

/// Values as wide as their register, in chunks whose lengths are a power of two and in others, more of them than are asked for
/// ahead.
#[test]
fn wide_elements_are_those_of_the_interpreter() {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let mut random = Random(0x1234_5678_9abc_def1);
    let text = "table %0 t(k#0 bigint?, x#1 bigint)\ntable %1 u(b#0 bigint?, c#1 bigint)\nloop\n  i0 in %0\n  %2 collect\n    \
                x = i0.x\n    b? = element %1(i0.k).b\n    c? = element %1(i0.k).c\nresult %2\noutput x, b, c\n";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let fields: Vec<_> = program.collections[..2].iter().map(|table| table.fields.clone()).collect();
    for (rows, numbers) in [(8, 0), (9, 1), (64, 192), (65, 193), (200, 1000)] {
        let far = |n: u64| Value::Int(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64);
        let inner: Vec<Vec<Value>> =
            (0..rows).map(|n| vec![if n % 5 == 2 { Value::Null } else { far(n) }, far(n + rows)]).collect();
        for nulls in [false, true] {
            let number = |random: &mut Random| match random.below(5) {
                0 if nulls => Value::Null,
                _ => Value::Int(random.below(rows) as i64),
            };
            let outer: Vec<Vec<Value>> = (0..numbers).map(|x| vec![number(&mut random), Value::Int(x)]).collect();
            for form in 0..4 {
                let tables = [table(&fields[0], &outer, form), table(&fields[1], &inner, form)];
                compare(&with_statistics(&program, &tables), &tables, &pools, text);
            }
        }
    }
}

#[test]
fn elements_are_those_of_the_interpreter() {
    let pools = [1, 2].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    let mut random = Random(0x1234_5678_9abc_def1);
    for program in programs() {
        let text = format!("{TABLES}{program}");
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let fields: Vec<_> = program.collections[..2].iter().map(|table| table.fields.clone()).collect();
        for (rows, numbers) in [(1, 0), (1, 1), (7, 30), (8, 30), (9, 30), (65, 200)] {
            let inner = random_rows(&fields[1], rows, 12, &mut random);
            let number = |random: &mut Random| match random.below(5) {
                0 => Value::Null,
                _ => Value::Int(random.below(rows as u64) as i64),
            };
            let outer: Vec<Vec<Value>> =
                (0..numbers).map(|x| vec![number(&mut random), Value::Int(x as i64)]).collect();
            for form in 0..4 {
                let tables = [table(&fields[0], &outer, form), table(&fields[1], &inner, form)];
                compare(&with_statistics(&program, &tables), &tables, &pools, &text);
            }
        }
    }
}
