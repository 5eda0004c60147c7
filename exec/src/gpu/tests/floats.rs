//! Sums, extremes and values of floats: down to the bits what the processors give, over floats of all kinds.

use super::{Random, check, compare, devices, emulated, program, table, with_statistics};
use crate::gpu::backend::Gpu;
use crate::gpu::columns::reach::Reach;
use crate::gpu::driver::{Argument, Buffer, Shape, bytes_of};
use crate::sums::exact_sum::{EXPONENT_MIN, ExactSum, decompose};
use crate::workers::pool::Pool;
use multiloop_planner::value::{Value, canonical_float_bits};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// A kernel of all functions: nine results a float.
const ALL: &str = "
KERNEL all(const double* values, const i128* sums, const u32 count, i128* to) {
  for (u32 at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    double value = values[at];
    i128* out = to + at * 9;
    u32 top = float_top(value), bottom = float_bottom(value);
    i32 place = bottom == 0 ? 0 : 4096 - (i32)bottom;
    if (place > 2045) place = 2045;
    out[0] = top;
    out[1] = bottom;
    out[2] = float_units(value, place - 3);
    out[3] = float_units_wide(value, place - 60);
    out[4] = float_order(value);
    out[5] = float_bits(float_of_order(float_order(value)));
    out[6] = float_bits(float_of_bits(float_bits(value)));
    out[7] = float_bits(float_of_units(sums[at], place));
    out[8] = float_bits(float_of_units(out[2], place - 3));
  }
}
";

/// Floats of all exponents, of many bits and of few, both signs, and all that is no number.
fn floats() -> Vec<f64> {
    let mut random = Random(3);
    let mut all = vec![0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0, 0.1, 1e16, 1e300, 1e-300, 0.5, 3.0];
    for exponent in (0..2047u64).step_by(3) {
        let bits = random.next() >> 12 >> (random.below(52));
        all.extend([exponent << 52 | bits, exponent << 52, (exponent << 52).wrapping_sub(1) >> 1].map(f64::from_bits));
    }
    all.extend([f64::INFINITY, f64::NAN, f64::from_bits(0xfff8_0000_0000_0001), f64::from_bits(0x7ff0_0000_0000_0001)]);
    all.iter().flat_map(|&value| [value, -value]).collect()
}

#[test]
fn functions_of_bits() {
    let all = floats();
    let gpu = emulated(1, 16);
    let (driver, cache) = (Arc::clone(&gpu.device().driver), &gpu.device().cache);
    let module = cache.module(&*driver, ALL).expect("it compiles");
    let values = Buffer::of(&driver, &bytes_of(&all, f64::to_le_bytes)).expect("there is room");
    let out = Buffer::zeroed(&driver, all.len() * 9 * 16).expect("there is room");
    let mut random = Random(8);
    // Of all lengths, ties among them.
    let sums: Vec<i128> = all
        .iter()
        .map(|_| {
            let (high, low) = (random.next() as i64, random.next() & (u64::MAX << random.below(64)));
            let whole = (i128::from(high) << 64 | i128::from(low)) >> (1 + random.below(127));
            if random.below(3) == 0 { (whole | 1) << (54 & random.below(64)) >> 1 } else { whole }
        })
        .collect();
    let own_sums = Buffer::of(&driver, &bytes_of(&sums, i128::to_le_bytes)).expect("there is room");
    let arguments = [
        Argument::Memory(values),
        Argument::Memory(own_sums),
        Argument::U32(all.len() as u32),
        Argument::Memory(Arc::clone(&out)),
    ];
    driver.launch(&*module, "all", Shape { blocks: 1, threads: 1, shared: 0 }, &arguments).expect("it runs");
    let out: Vec<i128> = out.values(all.len() * 9).expect("they come");
    let mut orders = Vec::new();
    for ((&value, &sum), out) in all.iter().zip(&sums).zip(out.chunks_exact(9)) {
        let reach = Reach::of(std::iter::once(value));
        assert_eq!(Reach::of_words(out[0] as u32, out[1] as u32), reach, "{value:e}");
        assert_eq!((out[5] as u64, out[6] as u64), (canonical_float_bits(value), value.to_bits()), "{value:e}");
        orders.push((out[4], value));
        let (integer, exponent) = decompose(value);
        let place = if reach == Reach::default() || reach.has_odd { 0 } else { reach.place() as i32 };
        if reach.has_doubles_up_to(sum.unsigned_abs()) || place == 0 {
            let expected = ExactSum::of_window(sum, place + EXPONENT_MIN).total();
            assert_eq!(f64::from_bits(out[7] as u64), expected, "{sum} at {place}");
            assert_eq!(out[7] as u64, expected.to_bits(), "{sum} at {place}");
        }
        if value.is_finite() && integer != 0 {
            let up = exponent - EXPONENT_MIN - reach.place() as i32;
            assert!(reach.bits() <= 53 && up <= 0, "{value:e}");
            let whole = i128::from(integer) >> -up;
            assert_eq!((out[2], out[3]), (whole << 3, whole << 60), "{value:e}");
            assert!(place < 3 || f64::from_bits(out[8] as u64) == value, "{value:e}");
            assert!(whole.unsigned_abs() >> reach.bits() == 0 && whole & 1 == 1 || reach.place() == 2045, "{value:e}");
        }
    }
    orders.sort_by(|a, b| Value::Float(a.1).compare(&Value::Float(b.1)));
    assert!(orders.windows(2).all(|two| two[0].0 <= two[1].0));
}

const T: &str = "table %0 t(k#0 integer, f#1 double precision?, g#2 double precision?, r#3 real?, o#4 boolean?)\n";

const ALONE: &str = "\
loop
  i0 in %0
  %1 reduce
    n = count(i0.f)
    s? = sum(i0.f)
    t? = sum(i0.r)
    c? = sum(i0.g if i0.o)
    least? = min(i0.f)
    most? = max(i0.f)
    small? = min(i0.r)
result %1
output n, s, t, c, least, most, small
";

const COMPUTED: &str = "\
loop
  i0 in %0
  %1 reduce
    p? = sum(i0.f * i0.g if i0.o)
    d? = sum(case(i0.o, i0.f, i0.g))
    r? = sum(i0.r - i0.r)
    q? = sum(cast(i0.k as double precision) * abs(i0.f))
result %1
output p, d, r, q
";

const GROUPS: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k
    n = count(i0.f)
    s? = sum(i0.f)
    t? = sum(i0.r)
    least? = min(i0.f)
    most? = max(i0.r)
    h? = max(i0.g)
    c? = sum(coalesce(i0.f, i0.g) if i0.o)
    x = first(case(i0.k > 3, 2.5e0, -0.5e0))
loop
  i1 in %1
  %2 bucket_collect
    if i1.s > 1e0
    key k = i1.k
    n = i1.n
    s? = i1.s
    t? = i1.t
    least? = i1.least
    most? = i1.most
    h? = i1.h
    c? = i1.c
    x = i1.x
loop
  i2 in %0
  i3 in %2[i2.k]
  %3 bucket_reduce
    key k = i2.k
    n = first(i3.n)
    s? = first(i3.s)
    t? = first(i3.t)
    least? = first(i3.least)
    most? = first(i3.most)
    h? = first(i3.h)
    c? = first(i3.c)
    x = first(i3.x)
result %1
output k, n, s, t, least, most, h, c, x
";

/// Groups that are finished where they are; casts of decimals, too.
const DISTINCT: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k % 7
    n = count(distinct i0.k)
    s? = sum(i0.f)
    t? = sum(i0.r)
    least? = min(i0.f)
    most? = max(i0.r)
    d? = sum(cast(cast(i0.k as decimal(12,2)) * 0.37 as double precision))
    b? = sum(cast(i0.r as double precision) if i0.o)
result %1
output k, n, s, t, least, most, d, b
";

/// How loops of floats end.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ends {
    /// All run.
    Runs,
    /// Some are left to the processors, since a float is not finite, or some lie too far apart.
    Declines,
}

/// Who runs programs: two launch shapes each, in turn.
struct Runner {
    gpus: Vec<Arc<Gpu>>,
    pool: Pool,
    runs: Cell<usize>,
    /// What ran.
    sources: RefCell<String>,
}

impl Runner {
    /// Whether kernels had all of these.
    fn has(&self, parts: &[&str]) {
        let sources = self.sources.borrow();
        let missing: Vec<&&str> = parts.iter().filter(|part| !sources.contains(**part)).collect();
        assert!(missing.is_empty(), "no kernel has {missing:?}");
    }

    fn new() -> Self {
        Runner {
            gpus: devices(),
            pool: Pool::new(2).expect("threads start"),
            runs: Cell::new(0),
            sources: RefCell::default(),
        }
    }

    fn run(&self, text: &str, rows: &[Vec<Value>], ends: Ends) {
        let text = format!("{T}{text}");
        let program = program(&text);
        let tables = [table(&program.collections[0].fields, rows, 50)];
        let program = with_statistics(&program, &tables);
        self.runs.set(self.runs.get() + 1);
        let is_its_turn = |(at, _): &(usize, &Arc<Gpu>)| at % 2 == self.runs.get() % 2;
        for (_, gpu) in self.gpus.iter().enumerate().filter(is_its_turn) {
            gpu.device().cache.watch();
            let notes = compare(&program, &tables, &[], (gpu, &self.pool), &text);
            gpu.device().cache.watched().iter().for_each(|source| self.sources.borrow_mut().push_str(source));
            let is_declined = |note: &&String| !note.ends_with(": ran") && !note.contains("left to the host");
            let declined: Vec<&String> = notes.iter().filter(is_declined).collect();
            let why = ["declined: a row fails", "declined: floats that lie too far apart"];
            assert!(declined.iter().all(|note| why.iter().any(|why| note.ends_with(why))), "{notes:?}");
            let is_first = |note: &&String| note.starts_with("%1: ");
            assert_eq!(declined.into_iter().any(|note| is_first(&note)), ends == Ends::Declines, "{notes:?} of {text}");
        }
    }
}

/// Rows of floats: f is given, g is the one before, r is f as it is in 32 bits.
fn rows(count: usize, groups: u64, mut next: impl FnMut(&mut Random, usize) -> Option<f64>) -> Vec<Vec<Value>> {
    let mut random = Random(count as u64 * 31 + groups);
    let float = |of: Option<f64>| of.map_or(Value::Null, Value::Float);
    let mut before = None;
    (0..count)
        .map(|at| {
            let f = next(&mut random, at);
            let g = std::mem::replace(&mut before, f);
            let r = f.map(|f| f64::from(f as f32)).filter(|r| r.is_finite() == f.is_some_and(f64::is_finite));
            // One key is frequent, or all that are alike stand together.
            let is_frequent = count.is_multiple_of(2) && groups > 7 && random.below(2) == 0;
            // Codes of the most groups lie too far apart for an array.
            let step = if groups > 100_000 { 7919 * 104_729 } else { 7919 };
            let k = Value::Int(if is_frequent { 77 } else { at as u64 * step % groups } as i64);
            let o = [Value::Null, Value::Boolean(true), Value::Boolean(false)][random.below(3) as usize].clone();
            vec![k, float(f), float(g), float(r), o]
        })
        .collect()
}

/// Of some floats one after the other, from the start again.
fn these(floats: &[f64]) -> impl FnMut(&mut Random, usize) -> Option<f64> {
    move |_, at| Some(floats[at % floats.len()])
}

/// Amounts of hundredths, NULL among them.
fn amounts(random: &mut Random, _: usize) -> Option<f64> {
    (random.below(9) > 0).then(|| (random.below(20_000_000) as f64 - 5_000_000.0) / 100.0)
}

#[test]
fn sums_of_all_rows() {
    let gpus = Runner::new();
    for text in [ALONE, COMPUTED] {
        for count in [0, 1, 39, 200] {
            gpus.run(text, &rows(count, 1, amounts), Ends::Runs);
        }
        gpus.run(text, &rows(30, 1, |_, _| None), Ends::Runs);
        gpus.run(text, &rows(9, 1, these(&[-0.0])), Ends::Runs);
        gpus.run(text, &rows(60, 1, these(&[0.0, -0.0, 2.0, -2.0])), Ends::Runs);
        gpus.run(text, &rows(61, 1, these(&[1e16, 1.0, -1e16, 0.3, 7.0, -0.3])), Ends::Runs);
        gpus.run(text, &rows(62, 1, |random, _| Some(random.below(50) as f64)), Ends::Runs);
    }
    gpus.run(ALONE, &rows(63, 1, these(&[5e-324, -1e-310, 3e-308, 2.2e-308])), Ends::Runs);
    // At the end it is an infinity, which is an error; and it only was one on the way.
    gpus.run(ALONE, &rows(40, 1, these(&[f64::MAX, 1e308])), Ends::Runs);
    gpus.run(ALONE, &rows(40, 1, these(&[f64::MAX, -f64::MAX])), Ends::Runs);
    gpus.run(ALONE, &rows(41, 1, these(&[f64::MAX, -f64::MAX, 1e300])), Ends::Runs);
    // What was found of a table is known the second time.
    let rows = rows(100, 1, amounts);
    let text = format!("{T}{COMPUTED}");
    let (program, tables) = (program(&text), [table(&program(&text).collections[0].fields, &rows, 50)]);
    let program = with_statistics(&program, &tables);
    for is_first in [true, false] {
        let gpu = &gpus.gpus[0];
        gpu.device().cache.watch();
        compare(&program, &tables, &[], (gpu, &gpus.pool), &text);
        assert_eq!(gpu.device().cache.watched().iter().any(|source| source.contains("KERNEL reach(")), is_first);
    }
}

#[test]
fn results_that_fail() {
    let gpus = Runner::new();
    // What is computed is not finite, or too small to be.
    gpus.run(COMPUTED, &rows(40, 1, these(&[f64::MAX, 1e308])), Ends::Declines);
    gpus.run(COMPUTED, &rows(40, 1, these(&[5e-324, -1e-310])), Ends::Declines);
}

#[test]
fn sums_left_to_the_processors() {
    let gpus = Runner::new();
    for text in [ALONE, COMPUTED, GROUPS] {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            gpus.run(text, &rows(50, 5, these(&[1.0, 2.5, odd, -3.0])), Ends::Declines);
        }
        gpus.run(text, &rows(50, 5, these(&[f64::INFINITY, f64::NEG_INFINITY])), Ends::Declines);
        let all: Vec<f64> =
            (-300..=300).step_by(9).map(|power| 10f64.powi(power) * if power % 2 == 0 { -1.1 } else { 1.3 }).collect();
        gpus.run(text, &rows(70, 5, these(&all)), Ends::Declines);
        gpus.run(text, &rows(70, 5, these(&[1e-300, 1.0])), Ends::Declines);
        gpus.run(text, &rows(70, 5, these(&[1e300, 1.0])), Ends::Declines);
    }
}

#[test]
fn sums_of_groups() {
    let gpus = Runner::new();
    for groups in [1, 7, 1000, 100_000, 1 << 30] {
        let counts: &[usize] = if groups > 1000 { &[33, 300] } else { &[0, 1, 41, 300] };
        for &count in counts {
            gpus.run(GROUPS, &rows(count, groups, amounts), Ends::Runs);
        }
        let skewed =
            |random: &mut Random, at: usize| (!at.is_multiple_of(3)).then(|| (random.next() >> 11) as f64 * -1e-9);
        gpus.run(GROUPS, &rows(200, groups, skewed), Ends::Runs);
        if groups <= 1000 {
            gpus.run(GROUPS, &rows(150, groups, these(&[1e16, 1.0, -1e16, -0.0, 0.5])), Ends::Runs);
            gpus.run(GROUPS, &rows(90, groups, |random, _| Some(random.below(50) as f64)), Ends::Runs);
        }
    }
    gpus.has(&[
        "KERNEL reach(",
        "take_entry(",
        "add_shared(",
        "add_shared_wide(",
        "joined_wide(",
        "fill_slot(",
        "float_units(",
    ]);
}

#[test]
fn sums_of_groups_that_are_finished() {
    let gpus = Runner::new();
    for count in [0, 1, 41, 200] {
        gpus.run(DISTINCT, &rows(count, 31, amounts), Ends::Runs);
    }
    gpus.run(DISTINCT, &rows(60, 31, |_, _| None), Ends::Runs);
    gpus.run(DISTINCT, &rows(60, 31, these(&[-0.0, 0.0])), Ends::Runs);
    gpus.run(DISTINCT, &rows(60, 31, these(&[f64::MAX, 1e308])), Ends::Declines);
    gpus.run(DISTINCT, &rows(60, 31, these(&[f64::NAN, 1e308])), Ends::Declines);
}

#[test]
fn values_of_groups() {
    check(
        "\
table %0 t(a#0 integer, f#1 double precision?, r#2 real?, b#3 smallint?)
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.a
    least? = min(i0.f)
    most? = max(i0.f)
    small? = min(i0.r)
    x = first(case(i0.a > 3, 2.5e0, i0.a > 1, -0.5e0, 7e0))
    n = count(i0.b)
  %2 bucket_reduce
    key k = i0.a
    least? = min(i0.f)
    most? = max(i0.r)
    n = count(distinct i0.b)
loop
  i1 in %1
  %3 bucket_reduce
    key n = i1.n
    least? = min(i1.least)
    most? = max(i1.most)
    some? = max(i1.x)
    small? = max(i1.small)
    m? = max(%2[i1.k].most)
result %3
output n, least, most, some, small, m
",
        &["%1", "%2", "%3"],
    );
}

#[test]
fn the_first_by_floats() {
    for order in ["", " desc", " desc nulls first", " nulls first"] {
        let text = "\
table %0 t(a#0 integer, f#1 double precision?, r#2 real?)
loop
  i0 in %0
  %1 top_k limit 5::bigint offset 0::bigint
    if i0.a > -5
    by i0.fORDER
    by i0.a
    f? = i0.f
    r? = i0.r
    a = i0.a
result %1
output f, a, r
";
        check(&text.replace("ORDER", order), &["%1"]);
    }
}

/// Sums of groups that stay where they are, and averages of them.
const KEPT: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k
    n = count(i0.f)
    s? = sum(i0.f)
    p? = sum(i0.g if i0.o)
loop
  i1 in %1
  %2 bucket_reduce
    if i1.s > 1e0 OR i1.n < 3::bigint
    key n = i1.n
    s? = sum(i1.s / cast(i1.n as double precision))
    p? = max(i1.p)
    t? = sum(i1.p)
loop
  i2 in %0
  %3 reduce
    if i2.f > %1[i2.k].s / cast(%1[i2.k].n as double precision)
    n = count_rows()
    s? = sum(%1[i2.k].s)
result RESULT
";

#[test]
fn sums_that_stay() {
    let gpus = Runner::new();
    for result in ["%2\noutput n, s, p, t", "%3\noutput n, s"] {
        let text = KEPT.replace("RESULT", result);
        for groups in [1, 7, 1000, 1 << 30] {
            gpus.run(&text, &rows(200, groups, amounts), Ends::Runs);
            gpus.run(&text, &rows(60, groups, these(&[1e16, 1.0, -1e16, -0.0, 0.5])), Ends::Runs);
            gpus.run(&text, &rows(60, groups, these(&[-0.0])), Ends::Runs);
        }
        gpus.run(&text, &rows(70, 7, these(&[1e300, -1e300, 3e299])), Ends::Runs);
        // Those might be infinite, and do not stay.
        gpus.run(&text, &rows(70, 7, these(&[1e307, -1e307])), Ends::Runs);
        gpus.run(&text, &rows(70, 7, these(&[5e-324, 1e-310, -1e-309])), Ends::Runs);
    }
    gpus.has(&["float_of_units(", "parts_sum(", "add_shared_wide("]);
}
