//! Programs on the CPU backend against the interpreter: every shape of program, on nasty tables, in every form of
//! storage, with any number of threads.

mod bytes_keys;
mod chunk_pruning;
mod complete;
mod dense_groups;
mod device;
mod dictionaries;
mod distinct;
mod duplicate_runs;
mod elements;
mod few_sums;
mod gathered;
mod group_filter;
mod hashed_keys;
mod in_place;
mod own_groups;
mod own_index;
mod partial_groups;
mod programs;
mod radix_partition;
mod random_programs;
mod range_joins;
mod refused_memory;
mod runs;
mod searched;
mod stepped;
mod tail;
mod top_k;
mod unmatched_rows;
mod waiting_questions;
mod window_frames;
mod windows;

use crate::backend::devices::Devices;
use crate::column::build::{Storage, TableBuilder};
use crate::column::{Chunk, Column, Table};
use crate::plan::{Limits, Machine, plan};
use crate::run::{Output, run, stream_plan};
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use crate::workers::topology::Topology;
use crate::{Error, ErrorKind, interpret};
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{Let, Program, Shape, parse::parse, print::print};
use multiloop_planner::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// Random numbers (xorshift), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A value of a type: few distinct ones, NULL among them, extremes now and then.
    fn value(&mut self, field: &Field, distinct: u64) -> Value {
        if field.nullable && self.below(6) == 0 {
            return Value::Null;
        }
        let pick = self.below(distinct) as i64 - 2;
        match field.data_type {
            DataType::Boolean => Value::Boolean(pick % 2 == 0),
            DataType::Real | DataType::Double => {
                let floats = [f64::NAN, 0.0, -0.0, 1.5, f64::INFINITY, 1e300, -1e-300, 0.1];
                let float = floats[pick.unsigned_abs() as usize % floats.len()];
                Value::Float(if field.data_type == DataType::Real { f64::from(float as f32) } else { float })
            }
            DataType::Decimal { .. } => Value::Decimal(i128::from(pick) * 7),
            DataType::Text | DataType::Varchar(_) | DataType::Char(_) => {
                Value::text(["", "a", "ab", "ü", "zz top", "x"][pick.unsigned_abs() as usize % 6])
            }
            DataType::Interval => Value::Interval(
                [
                    Interval { months: 1, days: 0, micros: 0 },
                    Interval { months: 0, days: 30, micros: 0 },
                    Interval { months: 0, days: 0, micros: pick },
                ][pick.unsigned_abs() as usize % 3],
            ),
            _ => Value::Int(pick),
        }
    }
}

/// A table of random rows.
fn random_rows(fields: &[Field], rows: usize, distinct: u64, random: &mut Random) -> Vec<Vec<Value>> {
    (0..rows).map(|_| fields.iter().map(|field| random.value(field, distinct)).collect()).collect()
}

/// The rows as a table, in one of four ways: compact, plain, plain in chunks of a few rows on several nodes, and compact in
/// chunks of a power of two.
fn table(fields: &[Field], rows: &[Vec<Value>], form: usize) -> Arc<Table> {
    let compact = |rows: &[Vec<Value>]| {
        let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, &context());
        builder.push_values(rows).expect("the values are of their types");
        builder.finish().expect("there is memory")
    };
    if form == 0 {
        return Arc::new(compact(rows));
    }
    let mut table = Table::from_values(fields.to_vec(), rows);
    if form == 3 {
        table.chunks = rows.chunks(8).flat_map(|rows| compact(rows).chunks).collect();
    }
    if form == 2 {
        let chunk = |rows: &[Vec<Value>]| {
            let column = |(at, field): (usize, &Field)| {
                Column::from_values(field.data_type, rows.iter().map(move |row| &row[at]))
            };
            Chunk::new(rows.len(), fields.iter().enumerate().map(column).collect())
        };
        let at_home = |(at, chunk): (usize, Chunk)| Arc::new(Chunk { home: [Some(0), Some(1), None][at % 3], ..chunk });
        table.chunks = rows.chunks(7).map(chunk).enumerate().map(at_home).collect();
    }
    Arc::new(table)
}

fn context() -> Context {
    Context::new(Memory::new(1 << 30))
}

/// The program with the statistics of these tables (by handle), and the columns of whole tables.
fn with_statistics(program: &Program, tables: &[Arc<Table>]) -> Program {
    let mut program = program.clone();
    for collection in &mut program.collections {
        if let Shape::Table { handle, statistics, .. } = &mut collection.shape {
            *statistics = Arc::clone(&tables[handle.0 as usize].statistics);
        }
    }
    program
}

type Outcome = Result<Vec<Vec<Value>>, Error>;

/// Rows are handed out while they are made wherever that is possible, each piece on its own.
fn on_cpu(program: &Program, tables: &[Arc<Table>], parameters: &[Value], pool: &Arc<Pool>) -> Outcome {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let machine = Machine::host(pool.threads());
    let machine = Machine { limits: Limits { first_pieces: 1, ..machine.limits }, ..machine };
    let plan = Arc::new(plan(program, machine)?);
    values_of(stream_plan(&plan, &lookup, parameters, &context(), (pool, &Devices::default()))?)
}

fn values_of(output: Output) -> Outcome {
    let fields = output.fields().to_vec();
    let mut builder = TableBuilder::new(fields, Storage::Keep, &context());
    for batch in output {
        builder.push(batch?)?;
    }
    Ok(builder.finish()?.values())
}

/// Whether the rows of the result are in order.
fn is_ordered(program: &Program) -> bool {
    let result = program.body().result;
    program.body().lets.iter().any(|definition| match definition {
        Let::Sort { define, .. } => *define == result,
        _ => false,
    })
}

fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    rows.sort_by(|a, b| {
        let compared = a.iter().zip(b).map(|(a, b)| a.compare(b)).find(|order| order.is_ne());
        // Of rows that are equal, with both zeros, say, each has its place as well.
        compared.unwrap_or_else(|| format!("{a:?}").cmp(&format!("{b:?}")))
    });
    rows
}

/// Runs a program on random tables of its fields, and compares.
fn check(text: &str) {
    let program = valid(text);
    let mut shapes: Vec<Vec<Field>> = Vec::new();
    for collection in &program.collections {
        if let Shape::Table { handle, .. } = &collection.shape {
            let at = handle.0 as usize;
            shapes.resize(shapes.len().max(at + 1), Vec::new());
            shapes[at].clone_from(&collection.fields);
        }
    }
    // One that is said to be on two nodes, with processors that there are not.
    let far = Topology { nodes: vec![vec![5000], vec![5001, 5002]] };
    let pools =
        [Pool::new(1), Pool::new(2), Pool::with_topology(3, &far)].map(|pool| Arc::new(pool.expect("threads start")));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (round, sizes) in [[0, 0], [1, 1], [5, 0], [0, 5], [30, 20], [40, 3], [60, 60]].into_iter().enumerate() {
        let form = round % 4;
        let rows: Vec<Vec<Vec<Value>>> = shapes
            .iter()
            .enumerate()
            .map(|(at, fields)| random_rows(fields, sizes[at % 2], [4, 12, 60][round % 3], &mut random))
            .collect();
        let tables =
            |form| shapes.iter().zip(&rows).map(|(fields, rows)| table(fields, rows, form)).collect::<Vec<_>>();
        let parameters = vec![Value::Null; program.parameters.len()];
        let expected = interpreted(&program, &tables(1), &parameters);
        for form in [form, (form + 1) % 4] {
            let tables = tables(form);
            compare_to(&expected, &with_statistics(&program, &tables), &tables, (&parameters, &pools), text);
        }
    }
}

/// Compares a program over one table of these rows, in each of the forms.
fn compare_forms(text: &str, rows: &[Vec<Value>], forms: &[usize], pools: &[Arc<Pool>]) {
    let _expected = compare_tables(text, &in_forms(text, rows, forms), pools);
}

/// The rows as the table of a program, in each of the forms.
fn in_forms(text: &str, rows: &[Vec<Value>], forms: &[usize]) -> Vec<Arc<Table>> {
    let fields = &valid(text).collections[0].fields;
    forms.iter().map(|&form| table(fields, rows, form)).collect()
}

/// Compares a program over tables of the same rows. Gives what is expected of all of them.
fn compare_tables(text: &str, tables: &[Arc<Table>], pools: &[Arc<Pool>]) -> Outcome {
    let program = valid(text);
    let expected = interpreted(&program, &tables[..1], &vec![Value::Null; program.parameters.len()]);
    expect_of_tables(&expected, text, tables, pools);
    expected
}

/// Compares a program over tables of the same rows with what has been [`interpreted`], maybe of another that means the same.
fn expect_of_tables(expected: &Outcome, text: &str, tables: &[Arc<Table>], pools: &[Arc<Pool>]) {
    let program = valid(text);
    let parameters = vec![Value::Null; program.parameters.len()];
    for table in tables {
        let tables = [Arc::clone(table)];
        compare_to(expected, &with_statistics(&program, &tables), &tables, (&parameters, pools), text);
    }
}

/// A program, which is well-formed.
fn valid(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    program
}

/// The program without what its result does not read, for many rows: programs of several results make all of them, whichever
/// is asked for.
fn asked_for(text: &str) -> String {
    let mut program = valid(text);
    let others = RULES.iter().chain(LAST_RULES).map(|rule| rule.name).filter(|name| *name != "eliminate_dead_fields");
    let options = RewriteOptions { without: others.map(str::to_owned).collect(), ..RewriteOptions::default() };
    rewrite(&mut program, &options);
    print(&program)
}

fn compare(program: &Program, tables: &[Arc<Table>], pools: &[Arc<Pool>], text: &str) {
    compare_with(program, tables, &vec![Value::Null; program.parameters.len()], pools, text);
}

fn compare_with(program: &Program, tables: &[Arc<Table>], parameters: &[Value], pools: &[Arc<Pool>], text: &str) {
    compare_to(&interpreted(program, tables, parameters), program, tables, (parameters, pools), text);
}

/// What the interpreter gives: its rows, sorted where their order is free.
fn interpreted(program: &Program, tables: &[Arc<Table>], parameters: &[Value]) -> Outcome {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let rows = interpret::run(program, &lookup, parameters, &context())?.rows;
    Ok(comparable(program, rows))
}

/// The rows of a result, sorted where their order is free.
fn comparable(program: &Program, rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    if is_ordered(program) { rows } else { sorted(rows) }
}

/// Compares with what has been [`interpreted`], maybe of the same rows in another form.
fn compare_to(
    expected: &Outcome,
    program: &Program,
    tables: &[Arc<Table>],
    (parameters, pools): (&[Value], &[Arc<Pool>]),
    text: &str,
) {
    let mut first: Option<Vec<Vec<Value>>> = None;
    for pool in pools {
        match (expected, on_cpu(program, tables, parameters, pool)) {
            (Ok(expected), Ok(got)) => match &first {
                // What is as the first rows are, in their order, is as right as they are.
                Some(first) => assert!(*first == got, "{text}\nthreads show: {first:#?}\nand {got:#?}"),
                None => {
                    let rows = comparable(program, got.clone());
                    assert!(*expected == rows, "{text}\nexpected {expected:#?}\ngot {rows:#?}");
                    first = Some(got);
                }
            },
            (Err(expected), Err(got)) => assert_eq!(got.kind(), expected.kind(), "{text}"),
            (_, got) => panic!("{text}\nexpected {expected:?}\ngot {got:?}"),
        }
    }
    // Rows one by one take long, and it is no matter of how many there are.
    if tables.iter().map(|table| table.rows()).sum::<usize>() > ROWS_SHARED_MAX {
        return;
    }
    for (seed, pool) in (0..2).zip(pools.iter().cycle()) {
        device::compare_shared(program, tables, parameters, pool, (seed, expected), text);
    }
}

/// Rows of tables for which some loops are run row by row, at most.
const ROWS_SHARED_MAX: usize = 130;

#[test]
fn a_small_memory_limit_is_an_error_and_leaves_nothing() {
    let text = "table %0 t(a#0 bigint)\nloop\n  i0 in %0\n  i1 in %0\n  %1 bucket_reduce\n    key k = i0.a * 1000::bigint + i1.a\n    n = count_rows()\nresult %1\noutput n\n";
    let program = parse(text).expect("it is a program");
    let fields = [Field::new("a", DataType::BigInt, false)];
    let rows: Vec<Vec<Value>> = (0..1000).map(|row| vec![Value::Int(row)]).collect();
    let tables = [table(&fields, &rows, 1)];
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let lookup = |_: TableHandle| Arc::clone(&tables[0]);
    let memory = Memory::new(1 << 20);
    let error = run(&program, &lookup, &[], &Context::new(Arc::clone(&memory)), &pool).expect_err("a million groups");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert_eq!(memory.used(), 0);
}

#[test]
fn a_cancelled_statement_stops() {
    let text = "table %0 t(a#0 bigint)\nloop\n  i0 in count(1000000000000::bigint)\n  %1 reduce\n    n = sum(i0.position)::decimal(38,0)\nresult %1\noutput n\n";
    let program = parse(text).expect("it is a program");
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let context = context();
    let cancellation = context.cancellation.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancellation.cancel();
    });
    let started = std::time::Instant::now();
    let error =
        run(&program, &|_| Arc::new(Table::empty(Vec::new())), &[], &context, &pool).expect_err("it takes ages");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    canceller.join().expect("it slept");
}

const Q1_SHAPE: &str = "\
table %0 t(a#0 smallint, q#1 integer?, s#2 text?)
loop
  i0 in %0
  %1 bucket_collect
    key a = i0.a
    q? = i0.q
loop
  i1 in %0
  i2 in %1[i1.a]
  %2 bucket_reduce
    if i1.q > 3
    key f = i1.a > 0::smallint
    n = count_rows()
    total? = sum(i2.q)::bigint
  %3 reduce
    kinds = count(distinct i1.s)
%4 sort %2 by total desc
result %4
output n, total
";

fn explained(program: &Program, tables: &[Arc<Table>]) -> String {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    crate::plan::explain(program, &lookup, Machine::host(1)).expect("it compiles").to_string()
}

#[test]
fn the_plan_says_why() {
    let program = parse(Q1_SHAPE).expect("it is a program");
    let fields = [
        Field::new("a", DataType::SmallInt, false),
        Field::new("q", DataType::Integer, true),
        Field::new("s", DataType::Text, true),
    ];
    let row = |q: i64| vec![Value::Int(7), Value::Int(q), Value::text("x")];
    let text = explained(&program, &[table(&fields, &[row(1), row(2), row(70_000)], 0)]);
    let expected = "\
%0 table t: 0 rows
  a: frame8 in 1 chunks, 1.0 bytes a row
  q: frame32 in 1 chunks, 4.0 bytes a row
  s: dictionary8 in 1 chunks, 4.0 bytes a row
loop, cut by morsels: rows are collected in morsel order
  morsels of %0
  %1 bucket_collect: Hash: 32-bit keys; or Dense, Direct, Ranked, by the keys at hand: their range, steps and dictionary
    key a: -32768 to 32767, 17 bits from 0
loop
  morsels of %0
  bucket of %1; chunks by their ranges
  %2 bucket_reduce: Few: 3 codes (up to 4096): the code is the group
    key f: 0 to 1, 2 bits from 0
    n: count of rows
    total: sum of i32 within 2147483648: 64 bits for 4294967295 rows, then 128
    partitioned: once there are many groups whose rows lie apart
  %3 reduce: one group a worker
    kinds: count of text, distinct by bit or hash
%4 sort of %2 by 1 fields";
    assert_eq!(text, expected, "{text}");
}

/// That program over ten rows.
fn ten_rows() -> (Program, [Arc<Table>; 1]) {
    let program = parse(Q1_SHAPE).expect("it is a program");
    let fields = [
        Field::new("a", DataType::SmallInt, false),
        Field::new("q", DataType::Integer, true),
        Field::new("s", DataType::Text, true),
    ];
    let rows: Vec<Vec<Value>> = (0..10).map(|row| vec![Value::Int(row), Value::Int(row), Value::Null]).collect();
    let tables = [table(&fields, &rows, 2)];
    (with_statistics(&program, &tables), tables)
}

#[test]
fn statistics_count_rows() {
    let (program, tables) = ten_rows();
    let pool = Arc::new(Pool::new(1).expect("threads start"));
    let output = run(&program, &|_| Arc::clone(&tables[0]), &[], &context(), &pool).expect("it runs");
    let statistics = output.statistics(&program);
    let seen: Vec<_> = statistics.iter().map(|one| (one.name.as_str(), one.rows_in, one.rows_out.clone())).collect();
    assert_eq!(
        seen,
        [
            ("loop over %0 -> %1", 10, vec![10]),
            ("loop over %0, %1 -> %2, %3", 10, vec![1, 1]),
            ("sort %2 -> %4", 1, vec![1]),
        ]
    );
}

#[test]
fn clustered_groups_go_on_across_pieces() {
    let text = "\
table %0 t(k#0 bigint, v#1 integer?)
loop
  i0 in %0
  %1 bucket_reduce
    if i0.v > 3
    key k = i0.k
    n = count_rows()
    s? = sum(i0.v)::bigint
    d = count(distinct i0.v)
loop
  i1 in %0
  %2 collect
    k = i1.k
    n = %1[i1.k].n
    s? = %1[i1.k].s
    d = %1[i1.k].d
result %2
output k, n, s, d
";
    let program = parse(text).expect("it is a program");
    let fields = [Field::new("k", DataType::BigInt, false), Field::new("v", DataType::Integer, true)];
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    for run_rows in [1, 3, 7, 50, 1000] {
        // In no steps, so that the codes are too many for few groups.
        let key = |run: i64| run * 1_000 - 5 - run % 2;
        let row = |row: i64| {
            let value = if row % 11 == 0 { Value::Null } else { Value::Int(row % 9) };
            vec![Value::Int(key(row / run_rows)), value]
        };
        let rows: Vec<Vec<Value>> = (0..500).map(row).collect();
        let statistics = Arc::clone(&table(&fields, &rows, 0).statistics);
        assert!(statistics.columns[0].proofs.sorted);
        let mut chunked = Table::clone(&table(&fields, &rows, 2));
        chunked.statistics = statistics;
        let tables = [Arc::new(chunked)];
        let program = with_statistics(&program, &tables);
        let ordered = explained(&program, &tables).contains("Ordered");
        assert_eq!(ordered, run_rows < 100);
        compare(&program, &tables, &pools, text);
    }
}

#[test]
fn many_groups_are_merged_in_parts() {
    let text = "\
table %0 t(k#0 integer, w#1 bigint, s#2 text)
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.k
    n = count_rows()
    m? = max(i0.s)
  %2 bucket_reduce
    key w = i0.w
    n = count_rows()
    k? = first(i0.w)
  %3 bucket_reduce
    key s = i0.s
    n = count_rows()
loop
  i1 in %0
  %4 collect
    k = %1[i1.k].n
    m? = %1[i1.k].m
    w = %2[i1.w].n
    f? = %2[i1.w].k
    s = %3[i1.s].n
result %4
output k, m, w, f, s
";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let fields = [
        Field::new("k", DataType::Integer, false),
        Field::new("w", DataType::BigInt, false),
        Field::new("s", DataType::Text, false),
    ];
    let row = |row: i64| {
        let key = row * 7919 % 12_000;
        vec![Value::Int(key), Value::Int(key * 1_000_000_007 + key % 2), Value::text(format!("s{key}"))]
    };
    let rows: Vec<Vec<Value>> = (0..20_000).map(row).collect();
    let mut chunked = Table::clone(&table(&fields, &rows, 2));
    chunked.statistics = Arc::clone(&table(&fields, &rows, 0).statistics);
    let tables = [Arc::new(chunked)];
    let program = with_statistics(&program, &tables);
    let explained = explained(&program, &tables);
    assert!(
        explained.contains("Direct: 12001 codes for at most 20000 rows") && explained.contains("Hash: 64-bit keys")
    );
    let pools = [1, 2, 3].map(|threads| Arc::new(Pool::new(threads).expect("threads start")));
    compare(&program, &tables, &pools, text);
    let groups = text.replace("result %4\noutput k, m, w, f, s", "result %2\noutput w, n, k");
    let program = with_statistics(&parse(&groups).expect("it is a program"), &tables);
    compare(&program, &tables, &pools, &groups);
}
