//! Ranges through whole programs. What functions do to intervals is tested against `evaluate`, on random expressions
//! and rows, where expressions are executed.

use super::*;
use crate::multiloop::parse::parse;
use std::sync::Arc;

/// Field of a collection by name: bounds and nullability.
fn check(program: &Program, expected: &[(&str, (i128, i128), bool)]) {
    let ranges = Ranges::analyse(program);
    let result = program.body().result;
    let fields = &program.collection(result).fields;
    for (name, bounds, nullable) in expected {
        let field = fields.iter().position(|field| field.name == *name).expect("a field of the result") as u32;
        assert_eq!(ranges.field(result, field), Some(*bounds), "{name}");
        assert_eq!(ranges.fields[&(result, field)].nullable, *nullable, "{name}");
    }
}

/// A program over tables t (100 rows: k unique 0 to 99, v -5 to 10 without NULLs, n with NULLs) and u (all NULL).
fn program(text: &str) -> Program {
    let tables = "table %0 t(k#0 bigint unique, v#1 decimal(12,2), n#2 integer?) rows 100\n\
                  table %1 u(x#0 integer?) rows 7\n";
    let mut program = parse(&format!("{tables}{text}")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for collection in &mut program.collections {
        let Shape::Table { name, statistics, .. } = &mut collection.shape else { continue };
        let statistics = Arc::make_mut(statistics);
        if name == "u" {
            statistics.columns[0].proofs.nulls = 7;
            continue;
        }
        let bounds =
            [(Value::Int(0), Value::Int(99)), (Value::Decimal(-5), Value::Decimal(10)), (Value::Int(1), Value::Int(3))];
        for (column, (min, max)) in statistics.columns.iter_mut().zip(bounds) {
            (column.proofs.min, column.proofs.max) = (Some(min), Some(max));
        }
        if let Some(nullable) = statistics.columns.get_mut(2) {
            nullable.proofs.nulls = 4;
        }
    }
    program
}

#[test]
fn sums_are_bounded_by_rows_and_counts_by_them() {
    let program = program(
        "loop\n  i0 in %0\n  %2 bucket_reduce\n    key n? = i0.n\n    s? = sum(i0.v)\n    c = count_rows()\n    m? = max(i0.v)\nresult %2\noutput n, s, c, m\n",
    );
    check(&program, &[("n", (1, 3), true), ("s", (-500, 1000), true), ("c", (1, 100), false), ("m", (-5, 10), true)]);
}

#[test]
fn bounds_flow_through_collections_and_left_joins() {
    let program = program(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key k = i0.k\n    v = i0.v\n\
         loop\n  i1 in %0\n  i2 in %2[i1.k] or null\n  %3 collect\n    v? = i2.v\n    w = i1.v + i1.v\n\
         loop\n  i3 in %3\n  %4 reduce\n    v? = sum(i3.v)\n    w? = sum(i3.w)\nresult %4\noutput v, w\n",
    );
    // The key is unique, so the join has no more rows than its outer side.
    check(&program, &[("v", (-500, 1000), true), ("w", (-1000, 2000), true)]);
    let ranges = Ranges::analyse(&program);
    assert_eq!(ranges.member(CollectionId(2), 0), Some((-5, 10)));
    assert_eq!(ranges.rows(CollectionId(3)), Some(100));
}

#[test]
fn joins_by_a_key_that_is_not_unique_multiply() {
    let program = program(
        "loop\n  i0 in %0\n  %2 bucket_collect\n    key n? = i0.n\n    v = i0.v\n\
         loop\n  i1 in %0\n  i2 in %2[i1.n]\n  %3 reduce\n    s? = sum(i2.v)\nresult %3\noutput s\n",
    );
    check(&program, &[("s", (-50_000, 100_000), true)]);
}

#[test]
fn lookups_that_find_nothing_are_null_or_zero() {
    let program = program(
        "loop\n  i0 in %0\n  %2 bucket_reduce\n    key k = i0.k\n    m = max(i0.k)\n    c = count_rows()\n\
         loop\n  i1 in %0\n  %3 collect\n    m? = %2[i1.k].m\n    c = %2[i1.k].c\nresult %3\noutput m, c\n",
    );
    check(&program, &[("m", (0, 99), true), ("c", (0, 100), false)]);
}

#[test]
fn columns_of_nulls_have_no_values() {
    let program = program(
        "loop\n  i0 in %1\n  %2 collect\n    a? = i0.x + 5\n    b? = coalesce(i0.x, 7)\nresult %2\noutput a, b\n",
    );
    check(&program, &[("a", (0, 0), true), ("b", (7, 7), false)]);
}

#[test]
fn without_statistics_types_are_all_that_is_known() {
    let program = parse(
        "table %0 t(a#0 integer?, b#1 bigint)\nloop\n  i0 in %0\n  %1 reduce\n    s? = sum(i0.a)\n    c = count_rows()\nresult %1\noutput s, c\n",
    )
    .expect("a program");
    check(&program, &[("s", (i64::MIN.into(), i64::MAX.into()), true), ("c", (0, i64::MAX.into()), false)]);
}

#[test]
fn failure_is_ruled_out_only_where_it_cannot_be() {
    let program = program(
        "loop\n  i0 in %0\n  %2 collect\n    a = i0.v * i0.v\n    b? = i0.n / i0.n\n    c? = i0.n / (i0.n - 1)\n    \
         d = i0.k + 9223372036854775807::bigint\n    e? = i0.n + 2147483644\nresult %2\noutput a, b, c, d, e\n",
    );
    let ranges = Ranges::analyse(&program);
    let Let::Loop { multiloop, .. } = &program.body().lets[0] else { panic!("a loop") };
    let Generator::Collect { value, .. } = &multiloop.generators[0] else { panic!("a collect") };
    let failing: Vec<bool> = value.iter().map(|&scalar| ranges.may_fail(scalar)).collect();
    assert_eq!(failing, [false, false, true, true, false]);
    assert_eq!(ranges.of(value[0]), Some((-50, 100)));
    assert_eq!(ranges.of(value[1]), Some((0, 3)));
    assert_eq!(ranges.of(value[3]), Some((i64::MAX.into(), i64::MAX.into())));
}

#[test]
fn quotients_of_numbers_fail_only_where_the_divisor_may_be_zero() {
    let quotients = [
        ("i0.v / 7::decimal(1,0)", false),
        ("(i0.v % 7::decimal(1,0))::numeric", false),
        ("i0.k / 7::bigint", false),
        ("i0.v / i0.v", true),
        ("i0.v / i0.n", false),
        ("i0.v / null_if(i0.k, 0::bigint)", false),
        ("i0.v / null_if(i0.k, 99::bigint)", true),
        ("i0.v / greatest(i0.k, 1::bigint)", false),
        ("i0.v / least(i0.k, 1::bigint)", true),
        ("i0.v / greatest(i0.v, cast(i0.n as decimal(12,2)))", true),
        ("i0.v / i0.n / 3::decimal(1,0)", false),
        ("i0.v / i0.n / 0.5::decimal(2,1)", true),
        ("i0.v / i0.n / 1.0::decimal(2,1)", false),
        ("i0.v / (i0.v / i0.n)", true),
    ];
    let fields: String = quotients.iter().enumerate().map(|(at, (text, _))| format!("    q{at}? = {text}\n")).collect();
    let program = program(&format!("loop\n  i0 in %0\n  %2 collect\n{fields}result %2\noutput q0\n"));
    let ranges = Ranges::analyse(&program);
    let Let::Loop { multiloop, .. } = &program.body().lets[0] else { panic!("a loop") };
    let Generator::Collect { value, .. } = &multiloop.generators[0] else { panic!("a collect") };
    for (&scalar, (text, fails)) in value.iter().zip(quotients) {
        assert_eq!(ranges.may_fail(scalar), fails, "{text}");
    }
}
