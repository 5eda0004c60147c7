//! How many rows a second the hottest kernels do, on one thread: `cargo bench -p multiloop-exec`. Without `--bench`
//! (as `cargo test --benches` runs it) it is small, and only shows that it runs. Each line ends with a checksum.

use multiloop_exec::Result;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::cpu::collections::bindings::{Bindings, Captured};
use multiloop_exec::cpu::expression::environment::Collections;
use multiloop_exec::cpu::expression::tile::Tile;
use multiloop_exec::cpu::keys::integer::Key;
use multiloop_exec::cpu::vector::Vector;
use multiloop_exec::cpu::vector::bitmap::Bitmap;
use multiloop_exec::cpu::vector::rows::{Source, TILE_ROWS};
use multiloop_exec::plan::expressions::Expressions;
use multiloop_exec::plan::register::Register;
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::multiloop::{BlockId, CollectionId, Generator, Let, Shape};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CHUNK: usize = 1 << 16;

struct Nothing;

impl Collections for Nothing {
    fn find(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Vec<u32>) -> Result<()> {
        unreachable!("there is no collection")
    }
    fn lookup(&self, _: CollectionId, _: Vec<u32>, _: u32, _: &mut Vector) -> Result<()> {
        unreachable!("there is no collection")
    }
    fn element(&self, _: CollectionId, _: Vec<u32>, _: u32, _: Register, _: &mut Vector) -> Result<()> {
        unreachable!("there is no table")
    }
    fn exists(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Bitmap) -> Result<()> {
        unreachable!("there is no collection")
    }
    fn single(&self, _: CollectionId, _: u32) -> Result<Value> {
        unreachable!("there is no collection")
    }
    fn nested(&self, _: BlockId, _: u32, _: &Captured) -> Result<Value> {
        unreachable!("there is no block")
    }
}

/// Evaluates one scalar over a chunk, again and again.
fn measure(name: &str, scalar: &str, long: bool) {
    let text = format!(
        "table %0 t(quantity#0 decimal(15,2), price#1 decimal(15,2), discount#2 decimal(15,2), day#3 date, \
         comment#4 text, mode#5 text)\nloop\n  i0 in %0\n  %1 collect\n    x? = {scalar}\nresult %1\noutput x\n"
    );
    let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let decimal = DataType::decimal(15, 2);
    let types = [decimal, decimal, decimal, DataType::Date, DataType::Text, DataType::Text];
    let fields = types.iter().map(|&data_type| Field::new("f", data_type, false)).collect();
    let mut builder = TableBuilder::new(fields, Storage::Compact, &Context::new(Memory::new(1 << 30)));
    builder.push_values(&rows()).expect("the values are of their types");
    let table = builder.finish().expect("there is memory");
    let Shape::Table { statistics, .. } = &mut program.collections[0].shape else { unreachable!("a table") };
    *statistics = Arc::clone(&table.statistics);
    let Let::Loop { multiloop, .. } = &program.body().lets[0] else { unreachable!("a loop") };
    let Generator::Collect { value, .. } = &multiloop.generators[0] else { unreachable!("a collect") };
    let ranges = Ranges::analyse(&program);
    let expressions = Expressions::compile(&program, &multiloop.nest, value, &ranges).expect("it compiles");
    let captured = Captured::default();
    let mut tile = Tile::new(&expressions, &Nothing, Bindings { parameters: &[], captured: &captured });
    tile.set_source(0, Source::chunk(Arc::clone(&table.chunks[0])));
    let (mut best, mut checksum) = (Duration::MAX, 0i128);
    for _ in 0..if long { 400 } else { 1 } {
        let start = Instant::now();
        for first in (0..CHUNK).step_by(TILE_ROWS) {
            tile.start(first as u32, TILE_ROWS);
            tile.evaluate(value[0]).expect("it cannot fail");
        }
        best = best.min(start.elapsed());
    }
    for at in 0..TILE_ROWS {
        checksum += tile.vector(value[0]).integer(at).unwrap_or(0);
    }
    let rate = CHUNK as f64 / best.as_secs_f64() / 1e6;
    println!("{name:32} {:?} {rate:9.0} million rows/s, checksum {checksum}", expressions.register(value[0]));
}

fn rows() -> Vec<Vec<Value>> {
    let mut state = 42u64;
    let mut next = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let modes = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"];
    let row = |_| {
        let comment = if next(50) == 0 { "the special late requests" } else { "carefully final deposits" };
        vec![
            Value::Decimal(i128::from(next(50) + 1) * 100),
            Value::Decimal(i128::from(next(10_000_000) + 90_000)),
            Value::Decimal(i128::from(next(11))),
            Value::Int(8_000 + next(2_500) as i64),
            Value::text(format!("{comment} {}", next(1_000_000_000))),
            Value::text(modes[next(7) as usize]),
        ]
    };
    (0..CHUNK).map(row).collect()
}

fn main() {
    let long = std::env::args().any(|argument| argument == "--bench");
    for (name, scalar) in [
        ("8-bit column with constant", "i0.discount >= 0.05::decimal(15,2)"),
        ("16-bit column with constant", "i0.day < date '1995-01-01'"),
        ("32-bit column with constant", "i0.price < 5000.00::decimal(15,2)"),
        ("two 32-bit columns", "i0.price < i0.quantity"),
        ("price * (1 - discount)", "i0.price * (1.00::decimal(15,2) - i0.discount)"),
        (
            "price * (1 - d) * (1 + q)",
            "i0.price * (1.00::decimal(15,2) - i0.discount) * (1.00::decimal(15,2) + i0.quantity)",
        ),
        ("dictionary in list", "in_list(i0.mode, 'MAIL', 'SHIP')"),
        ("like '%special%requests%'", "like(i0.comment, '%special%requests%')"),
        ("extract year", "extract_year(i0.day)::decimal(38,0)"),
        ("case when", "case(i0.mode = 'MAIL', i0.price, 0.00::decimal(15,2))"),
    ] {
        measure(name, scalar, long);
    }
}
