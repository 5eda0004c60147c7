//! Figures: how long loops take on a card. Not run unless `MULTILOOP_GPU_ROWS` says of how many rows. Without a card kernels
//! are only compiled.

use super::dry::Dry;
use super::{context, devices_of, program, values_of, with_statistics};
use crate::column::build::{Storage, TableBuilder};
use crate::column::{CHUNK_ROWS, Table};
use crate::gpu::backend::Gpu;
use crate::plan::Machine;
use crate::run::{Body, run_with};
use crate::workers::pool::Pool;
use multiloop_planner::catalog::{TableHandle, TableStatistics};
use multiloop_planner::multiloop::Program;
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::Instant;

const LINEITEM: &str = "table %0 lineitem(l_quantity#0 decimal(15,2), l_extendedprice#1 decimal(15,2), \
l_discount#2 decimal(15,2), l_tax#3 decimal(15,2), l_returnflag#4 text, l_linestatus#5 text, l_shipdate#6 date, \
l_suppkey#7 bigint)\n";

const Q1: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    if i0.l_shipdate <= date '1998-09-02'
    key l_returnflag = i0.l_returnflag
    key l_linestatus = i0.l_linestatus
    q? = sum(i0.l_quantity)
    p? = sum(i0.l_extendedprice)
    d? = sum(i0.l_extendedprice * (1.00 - i0.l_discount))
    c? = sum((i0.l_extendedprice * (1.00 - i0.l_discount)) * (1.00 + i0.l_tax))
    count = count_rows()
    part5? = sum(i0.l_discount)
result %1
output l_returnflag, l_linestatus, q, p, d, c, count, part5
";

const Q6: &str = "\
loop
  i0 in %0
  %1 reduce
    if i0.l_shipdate >= date '1994-01-01'
    if i0.l_shipdate < date '1995-01-01'
    if i0.l_discount >= 0.05
    if i0.l_discount <= 0.07
    if i0.l_quantity < 24.00
    sum? = sum(i0.l_extendedprice * i0.l_discount)
result %1
output sum
";

const SUPPLIERS: &str = "\
loop
  i0 in %0
  %1 bucket_reduce
    key k = i0.l_suppkey
    sum? = sum(i0.l_quantity)
    n = count_rows()
loop
  i1 in %1
  %2 reduce
    n = count_rows()
    m? = max(i1.n)
result %2
output n, m
";

/// So many rows: those of one chunk, again and again.
fn lineitem(program: &Program, rows: usize) -> Arc<Table> {
    let row = |row: i64| {
        let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64) as u64 >> 20;
        let of = |shift: u32, below: u64| (mixed >> shift) % below;
        let flag = of(3, 100);
        vec![
            Value::Decimal(i128::from(of(1, 50) + 1) * 100),
            Value::Decimal(i128::from(of(0, 9_400_000) + 90_000)),
            Value::Decimal(of(7, 11).into()),
            Value::Decimal(of(9, 9).into()),
            Value::text(if flag < 50 {
                "N"
            } else if flag < 75 {
                "A"
            } else {
                "R"
            }),
            Value::text(if flag < 49 { "O" } else { "F" }),
            Value::Int(8036 + of(5, 2526) as i64),
            Value::Int(of(2, 10_000) as i64 + 1),
        ]
    };
    let fields = &program.collections[0].fields;
    let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, &context());
    let one: Vec<Vec<Value>> = (0..CHUNK_ROWS as i64).map(row).collect();
    builder.push_values(&one).expect("the values are of their types");
    let mut table = builder.finish().expect("there is memory");
    let chunks = rows.div_ceil(CHUNK_ROWS);
    table.chunks = vec![Arc::clone(&table.chunks[0]); chunks].into();
    let statistics =
        TableStatistics { rows: (chunks * CHUNK_ROWS) as u64, ..TableStatistics::clone(&table.statistics) };
    table.statistics = Arc::new(statistics);
    Arc::new(table)
}

fn time(name: &str, text: &str, rows: usize, gpu: &Arc<Gpu>, pool: &Pool) {
    let program = program(&format!("{LINEITEM}{text}"));
    let tables = [lineitem(&program, rows)];
    let program = with_statistics(&program, &tables);
    let lookup = |_: TableHandle| Arc::clone(&tables[0]);
    let devices = devices_of(gpu);
    let plan = devices.plan(&program, Machine::host(pool.threads())).expect("it can be planned");
    let mut took = Vec::new();
    for _ in 0..6 {
        let started = Instant::now();
        let body = Body { pool, devices: &devices, takes_notes: false };
        let output = run_with(&plan, &lookup, &[], &context(), body).expect("it runs");
        took.push(started.elapsed());
        // Of a device that does nothing there are no groups.
        values_of(output).expect("it has rows");
    }
    let best = took[1..].iter().min().expect("it ran");
    let rows = tables[0].rows();
    println!("{name}: {rows} rows, first {:?}, then {best:?}; {:?}", took[0], gpu.take_notes());
}

#[test]
fn figures_of_a_card() {
    let Some(rows) = std::env::var("MULTILOOP_GPU_ROWS").ok().and_then(|rows| rows.parse().ok()) else { return };
    let gpu = super::card(None).unwrap_or_else(|| Arc::new(Gpu::new(Arc::new(Dry::like_a_card()))));
    let pool = Pool::new(2).expect("threads start");
    for (name, text) in [("Q1", Q1), ("Q6", Q6), ("10,000 groups", SUPPLIERS)] {
        time(name, text, rows, &gpu, &pool);
    }
}
