//! Numerics and distinct arguments: the functions beside those of the processors over numbers of all sizes, and programs over data
//! where roundings, ties and overflows show.

use super::{check, compare, devices, emulated, program, table, with_statistics};
use crate::column::Table;
use crate::gpu::code::helpers::NUMERIC_FUNCTIONS;
use crate::gpu::driver::{Argument, Buffer, Shape, bytes_of};
use crate::workers::pool::Pool;
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A kernel of all functions: eleven results a pair.
const ALL: &str = "
KERNEL all(const i128* as, const u32* scales_a, const i128* bs, const u32* scales_b, const u32 count, const i128 limit, i128* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    i128 a = as[at], b = bs[at], *out = to + at * 11;
    u32 sa = scales_a[at], sb = scales_b[at];
    out[0] = numeric_product(a, b, sa + sb);
    out[1] = numeric_sum(a, sa, b, sb);
    out[2] = b == 0 ? 0 : (i128)numeric_quotient_scale(a, sa, b, sb);
    out[3] = numeric_quotient(a, sa, b, sb, (u32)out[2]);
    out[4] = numeric_order(a, sa, b, sb);
    for (u32 how = 0; how < 4; how++) out[5 + how] = numeric_cut(a, sa, 2, how);
    out[9] = numeric_narrow(a, sa, 2, 2, limit);
    out[10] = numeric_narrow(a, sa, 2, 3, limit);
  }
}
";

/// Numbers around powers of ten and of two, and their scales.
fn numbers() -> Vec<SmallNumeric> {
    let powers = (0..39).map(|power| 10i128.pow(power)).chain((0..127).step_by(5).map(|bit| 1i128 << bit));
    let near = powers.flat_map(|power| [power - 1, power, power.saturating_add(1), power / 7 * 3 + 5, power / 3]);
    let unscaled: Vec<i128> = near.chain([0, 99_989_999, 12_345_678_901_234, i128::MAX]).collect();
    let of_scale = |scale: u32| unscaled.iter().map(move |&unscaled| SmallNumeric::new(unscaled, scale));
    [0, 1, 2, 3, 4, 9, 16, 20, 37, 60].into_iter().flat_map(of_scale).collect()
}

fn bytes(of: &[i128]) -> Vec<u8> {
    bytes_of(of, i128::to_le_bytes)
}

#[test]
fn functions_give_what_the_processors_have() {
    let all = numbers();
    let mut state = 1u64;
    let mut pairs = Vec::new();
    while pairs.len() < 60_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |at: u64| all[(at >> 33) as usize % all.len()];
        let (mut a, mut b) = (pick(state), pick(state.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        a.unscaled *= [1, -1][state as usize >> 20 & 1];
        b.unscaled *= [1, -1][state as usize >> 21 & 1];
        pairs.push((a, b));
    }
    let gpu = emulated(1, 16);
    let (driver, cache) = (Arc::clone(&gpu.device().driver), &gpu.device().cache);
    let module = cache.module(&*driver, &format!("{NUMERIC_FUNCTIONS}{ALL}")).expect("it compiles");
    let column = |of: &dyn Fn(&(SmallNumeric, SmallNumeric)) -> i128| {
        let values: Vec<i128> = pairs.iter().map(of).collect();
        Argument::Memory(Buffer::of(&driver, &bytes(&values)).expect("there is room"))
    };
    let scales = |of: &dyn Fn(&(SmallNumeric, SmallNumeric)) -> u32| {
        let values: Vec<u32> = pairs.iter().map(of).collect();
        Argument::Memory(Buffer::of(&driver, &bytes_of(&values, u32::to_le_bytes)).expect("there is room"))
    };
    let out = Buffer::zeroed(&driver, pairs.len() * 11 * 16).expect("there is room");
    let narrow = DataType::decimal(16, 2);
    let arguments = [
        column(&|pair| pair.0.unscaled),
        scales(&|pair| pair.0.scale),
        column(&|pair| pair.1.unscaled),
        scales(&|pair| pair.1.scale),
        Argument::U32(pairs.len() as u32),
        Argument::I128(10i128.pow(16) - 1),
        Argument::Memory(Arc::clone(&out)),
    ];
    driver.launch(&*module, "all", Shape { blocks: 1, threads: 1, shared: 0 }, &arguments).expect("it runs");
    let out: Vec<i128> = out.values(pairs.len() * 11).expect("they come");
    let mut known = [0usize; 4];
    for ((a, b), out) in pairs.iter().zip(out.chunks_exact(11)) {
        let (x, y) = (Numeric::from(*a), Numeric::from(*b));
        let what = format!("{a:?} {b:?} {out:?}");
        // What small numbers give is given here, too; and what is given is what numbers of any size give.
        let mut same = |at: usize, found: (i128, u32), small: Option<SmallNumeric>, exact: Option<Numeric>| {
            if found.0 == i128::MIN {
                let small = small.filter(|small| small.unscaled != i128::MIN && small.scale <= 255);
                assert!(small.is_none(), "{at} of {what}");
                return;
            }
            known[at] += 1;
            let Some(exact) = exact else { panic!("{at} of {what}") };
            assert_eq!(Numeric::new(found.0, found.1), exact, "{at} of {what}");
        };
        let scale = a.scale.max(b.scale);
        same(0, (out[0], a.scale + b.scale), a.checked_multiply(*b), x.multiply(&y).ok());
        same(1, (out[1], scale), a.checked_add(*b), x.add(&y).ok());
        same(2, (out[3], out[2] as u32), a.checked_divide(*b), x.divide(&y).ok());
        assert_eq!(out[4] as i32, x.compare(&y) as i32, "{what}");
        let cuts = [a.round(2), a.truncate(2)];
        let exact = [x.round(2), x.truncate(2)];
        for ((&found, small), exact) in out[5..7].iter().zip(cuts).zip(exact) {
            same(3, (found, 2), small, Some(exact));
        }
        let wide = Value::numeric(x);
        for (found, function) in out[9..].iter().zip([Function::NarrowDown, Function::NarrowUp]) {
            let expected = evaluate(function, std::slice::from_ref(&wide), &[DataType::Numeric], narrow);
            assert_eq!(Value::Decimal(*found), expected.expect("it cannot fail"), "{what}");
        }
    }
    assert!(known.iter().all(|&known| known > 20_000), "{known:?}");
}

const T: &str = "table %0 t(a#0 integer, b#1 bigint?, d#2 decimal(15,2), p#3 smallint?, f#4 double precision?, o#5 boolean?, s#6 text?, t#7 date)\n";

fn of(text: &str) -> String {
    format!("{T}{text}")
}

#[test]
fn averages_of_groups() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    key p? = i0.p
    ds? = sum(i0.d)
    n = count_rows()
    as? = sum(i0.a)
    c = count(i0.b)
loop
  i1 in %0
  %2 reduce
    if i1.d < narrow_up(0.2 * average(%1[i1.p].ds, %1[i1.p].n))::decimal(16,2)
    n = count_rows()
    s? = sum(i1.d)
  %3 bucket_reduce
    if cast(i1.a as decimal(10,0)) >= narrow_up(average(%1[i1.p].as, %1[i1.p].c))::decimal(11,0)
    key p? = i1.p
    n = count_rows()
  %4 bucket_reduce
    if i1.d <= narrow_down(round(average(%1[i1.p].ds, %1[i1.p].n), 1)::numeric)::decimal(16,2)
    key o? = i1.o
    n = count_rows()
  %5 bucket_reduce
    if numeric_key(i1.d) = numeric_key(average(%1[i1.p].ds, %1[i1.p].n))
    key o? = i1.o
    n = count_rows()
  %6 bucket_reduce
    if numeric_key(average(%1[i1.p].ds, %1[i1.p].n) - i1.d) > numeric_key(average(%1[i1.p].as, %1[i1.p].c))
    key o? = i1.o
    n = count_rows()
  %7 collect
    if NOT is_null(average(%1[i1.p].ds, %1[i1.p].c))
    a = i1.a
    x? = narrow_down(floor(negate(average(%1[i1.p].ds, %1[i1.p].n)))::numeric)::decimal(20,0)
    y? = narrow_down(truncate(average(%1[i1.p].as, %1[i1.p].c) * i1.d, 3)::numeric)::decimal(38,3)
    z? = cast(abs(average(%1[i1.p].ds, %1[i1.p].n)) + 0.05 as decimal(20,1))
result %7
output a, x, y, z
"),
        &["%1", "%2", "%3", "%4", "%5", "%6"],
    );
}

#[test]
fn averages_of_all() {
    check(
        &of("\
loop
  i0 in %0
  %1 reduce
    if i0.a > 0
    part0? = sum(i0.d)
    part1 = count_rows()
loop
  i1 in %0
  %2 bucket_reduce
    if i1.d > narrow_down(1.5 * average(%1.part0, %1.part1) - 2::decimal(1,0))::decimal(16,2)
    key p? = i1.p
    n = count_rows()
    s? = sum(i1.d)
result %2
output p, n, s
"),
        &["%1", "%2"],
    );
}

#[test]
fn quotients_that_fail() {
    check(
        &of("\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.d > narrow_down(100.0 / i0.a)::decimal(16,2)
    key p? = i0.p
    n = count_rows()
result %1
output p, n
"),
        &[],
    );
}

const DISTINCT: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key p? = i0.p
    key s? = i0.s
    a = count(distinct i0.a)
    t = count(distinct i0.t)
    o = count(distinct i0.o)
    n = count_rows()
    as? = sum(distinct i0.a)::bigint
    m? = max(i0.b)
    f? = first(i0.s)
    w? = sum(distinct i0.d if i0.a > 0)
    any? = any(i0.o)
  %2 reduce
    s = count(distinct i0.s)
    p = count(distinct i0.p)
    d = count(distinct i0.d if i0.o)
    ds? = sum(distinct i0.d)
    n = count_rows()
    all? = all(i0.a < 3)
    least? = min(i0.t)
  %3 bucket_reduce
    key k = cast(i0.a as bigint) * 1000000007::bigint
    s = count(distinct i0.s)
    d = count(distinct i0.d)
loop
  i1 in %0
  %4 bucket_reduce
    key s = %1[i1.p, i1.s].a
    key d = %3[cast(i1.a as bigint) * 1000000007::bigint].d
    n = count(distinct i1.o)
result RESULT
";

#[test]
fn distinct_arguments() {
    // What is known of two counts together are 128 bits.
    for (result, runs) in [
        ("%1\noutput p, s, a, t, o, n, as, m, f, w, any", &["%1"][..]),
        ("%2\noutput s, p, d, ds, n, all, least", &["%2"]),
        ("%3\noutput k, s, d", &["%3"]),
        ("%4\noutput s, d, n", &[]),
    ] {
        check(&of(&DISTINCT.replace("RESULT", result)), runs);
    }
}

/// Checks a program over rows, which are given, on all devices; all loops run there.
fn check_rows(text: &str, rows: &[Vec<Value>], refused: bool) {
    let program = program(text);
    let pool = Pool::new(2).expect("threads start");
    for gpu in devices() {
        let tables: [Arc<Table>; 1] = [table(&program.collections[0].fields, rows, 16)];
        let notes = compare(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool), text);
        let refuses = notes.iter().any(|note| !note.ends_with(": ran"));
        assert_eq!(refuses, refused, "{notes:#?}");
    }
}

const AVERAGE: &str = "\
table %0 t(k#0 integer?, d#1 decimal(38,2)?)
loop
  i0 in %0
  %1 bucket_reduce
    key k? = i0.k
    s? = sum(i0.d)
    n = count(i0.d)
loop
  i1 in %0
  %2 bucket_reduce
    if i1.d COMPARES
    key k? = i1.k
    n = count_rows()
result %2
output k, n
";

/// So many digits that products have more than 128 bits.
const LONG: &str = "3.000000000000000000000000001 * ";

#[test]
fn ties_and_endless_digits() {
    let row = |k: Option<i64>, d: Option<i128>| {
        vec![k.map_or(Value::Null, Value::Int), d.map_or(Value::Null, Value::Decimal)]
    };
    // A tie, thirds, negative ones, NULL alone, one row, what lies next to a third, zeros, a skewed key, keys that are NULL.
    let sets: [(i64, &[i128]); 8] = [
        (1, &[100, 100, 100]),
        (2, &[0, 0, 100, 33, 34]),
        (3, &[-100, 0, 0, -33, -34]),
        (4, &[7]),
        (5, &[-1, 0, 1]),
        (6, &[99_999_999_999_999, 1, 1]),
        (7, &[0, 0]),
        (8, &[1, -2, 3, 3, -3, -3]),
    ];
    let mut rows: Vec<Vec<Value>> =
        sets.iter().flat_map(|(k, all)| all.iter().map(|&d| row(Some(*k), Some(d)))).collect();
    rows.extend([row(Some(9), None), row(Some(9), None), row(None, Some(3)), row(None, None)]);
    rows.extend((0..50).map(|at| row(Some(2), Some(33 + at % 2))));
    for (compares, bound) in [("<", "narrow_up"), (">=", "narrow_up"), ("<=", "narrow_down"), (">", "narrow_down")] {
        for (times, refused) in [("", false), ("0.2 * ", false), ("-1.5 * ", false), (LONG, true)] {
            let average = format!("{bound}({times}average(%1[i1.k].s, %1[i1.k].n))::decimal(38,2)");
            let text = AVERAGE.replace("COMPARES", &format!("{compares} {average}"));
            check_rows(&text, &rows, refused);
            check_rows(&text, &rows[..1], refused);
        }
    }
    // Sums of nearly 128 bits.
    let large = 10i128.pow(37) / 3;
    let rows: Vec<Vec<Value>> = [large, large / 2, 1].into_iter().map(|d| row(Some(1), Some(d))).collect();
    let text = AVERAGE.replace("COMPARES", "< narrow_up(average(%1[i1.k].s, %1[i1.k].n))::decimal(38,2)");
    check_rows(&text, &rows, false);
}

#[test]
fn distinct_pairs_far_apart() {
    let text = "\
table %0 t(k#0 bigint?, x#1 bigint?)
loop
  i0 in %0
  %1 bucket_reduce
    key k? = i0.k
    n = count(distinct i0.x)
    s? = sum(distinct i0.x)::decimal(38,0)
result %1
output k, n, s
";
    let row = |k: i64, x: i64| {
        let value = |of: i64| if of % 5 == 4 { Value::Null } else { Value::Int(of * 1_000_000_007) };
        vec![value(k), value(x)]
    };
    for count in [0, 1, 200i64] {
        let rows: Vec<Vec<Value>> = (0..count).map(|at| row(at * at % 13, at * 7 % 31)).collect();
        // What no value has is of all 64 bits.
        check_rows(text, &rows, count == 0);
        let skewed: Vec<Vec<Value>> = (0..count).map(|at| row(3, at % 3)).collect();
        check_rows(text, &skewed, count == 0);
    }
    let ends = [i64::MIN, i64::MAX, 0, 7].map(|x| vec![Value::Int(1), Value::Int(x)]);
    check_rows(text, &ends, true);
}
