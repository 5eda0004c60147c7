//! Loops on an emulated device, beside the processors: every kernel of every program here runs at one thread a block and at several,
//! and gives the rows that the host gives, down to the bits.
//!
//! With `MULTILOOP_NVRTC` (the path of NVRTC's library) every source is also compiled for a card, and, with
//! `MULTILOOP_GPU_CACHE` (a folder), kept for one that has no compiler. With `MULTILOOP_GPU=1` and the feature `gpu` everything
//! runs on the first card, too.

mod dry;
mod figures;
mod floats;
mod left;
mod numeric;
mod parts;
mod programs;
mod sources;
mod text;
mod tpch;
mod waiting;

use crate::Result;
use crate::backend::Backend;
use crate::backend::devices::Devices;
use crate::column::build::{Storage, TableBuilder};
use crate::column::{Chunk, Table};
use crate::gpu::backend::Gpu;
use crate::gpu::driver::Driver;
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::several::Several;
use crate::plan::Machine;
use crate::run::{Body, Output, run, run_with};
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{Program, Shape, parse::parse};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Rows, or an error.
type Outcome = Result<Vec<Vec<Value>>>;

/// Bytes of an emulated device.
const MEMORY: usize = 1 << 30;

/// A backend on an emulated device.
pub(crate) fn emulated(threads: u32, piece: usize) -> Gpu {
    let driver: Arc<dyn Driver> = Arc::new(Emulated::new(threads, MEMORY));
    Gpu::with_pieces(driver, piece)
}

/// A backend whose sources are a card's.
pub(crate) fn with_sources_of_a_card() -> Gpu {
    Gpu::new(Arc::new(Emulated::like_a_card(1)))
}

/// A backend on a card, where one is asked for.
fn card(piece: Option<usize>) -> Option<Arc<Gpu>> {
    #[cfg(feature = "gpu")]
    if std::env::var_os("MULTILOOP_GPU").is_some() {
        use crate::gpu::driver::cuda::Cuda;
        let driver: Arc<dyn Driver> = Arc::new(Cuda::open(0).expect("there is a card"));
        return Some(Arc::new(match piece {
            Some(piece) => Gpu::with_pieces(driver, piece),
            None => Gpu::new(driver),
        }));
    }
    let _ = piece;
    None
}

/// What tests run loops on.
pub(crate) trait Tested: Backend + std::fmt::Debug + 'static {
    /// What became of the loops that were run since somebody asked.
    fn notes(&self) -> Vec<String>;
}

impl Tested for Gpu {
    fn notes(&self) -> Vec<String> {
        self.take_notes()
    }
}

impl Tested for Several {
    fn notes(&self) -> Vec<String> {
        self.take_notes()
    }
}

/// All cards of this machine, where they are asked for and there are several: backends whose blocks do so many rows at once.
pub(crate) fn all_cards(piece: Option<usize>) -> Option<Vec<Gpu>> {
    #[cfg(feature = "gpu")]
    if std::env::var_os("MULTILOOP_GPU").is_some() {
        use crate::gpu::driver::cuda::Cuda;
        static CARDS: std::sync::OnceLock<Vec<Arc<Cuda>>> = std::sync::OnceLock::new();
        let open = || Cuda::open_all().expect("there is a card").into_iter().map(Arc::new).collect();
        let drivers = CARDS.get_or_init(open).iter().map(|card| Arc::clone(card) as Arc<dyn Driver>);
        let cards = drivers.map(|driver| match piece {
            Some(piece) => Gpu::with_pieces(driver, piece),
            None => Gpu::new(driver),
        });
        return Some(cards.collect()).filter(|cards: &Vec<Gpu>| cards.len() > 1);
    }
    let _ = piece;
    None
}

/// Several cards, which split whatever has a few rows.
fn several() -> Vec<Arc<Several>> {
    let of = |count: usize, card: &dyn Fn() -> Gpu| {
        Arc::new(Several::new((0..count).map(|_| card()).collect()).that_split_from(2))
    };
    if let Some(cards) = all_cards(Some(PIECE_OF_CARD)) {
        return vec![Arc::new(Several::new(cards).that_split_from(2))];
    }
    vec![of(2, &|| emulated(1, 16)), of(3, &|| emulated(4, 8)), of(2, &|| emulated(4, 20).that_keeps_nothing())]
}

/// Devices of several launch shapes.
fn devices() -> Vec<Arc<Gpu>> {
    let like_a_card: Arc<dyn Driver> = Arc::new(Emulated::like_a_card(512));
    let mut all = vec![
        Arc::new(emulated(1, 16)),
        Arc::new(emulated(4, 8)),
        Arc::new(emulated(4, 20).that_keeps_nothing()),
        Arc::new(Gpu::with_pieces(like_a_card, PIECE_OF_CARD)),
    ];
    all.extend(card(Some(PIECE_OF_CARD)));
    all
}

/// Rows of a piece on a card: such that small tables have several.
const PIECE_OF_CARD: usize = 40;

pub(crate) fn context() -> Context {
    Context::new(Memory::new(1 << 30))
}

/// Random numbers (xorshift), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A value of a type: few distinct ones, NULL among them, and, of `wild` ones, the ends of the type; of no distinct ones NULL
    /// wherever it may stand.
    fn value(&mut self, field: &Field, (distinct, wild): (u64, bool)) -> Value {
        if field.nullable && (distinct == 0 || self.below(5) == 0) {
            return Value::Null;
        }
        let pick = self.below(distinct.max(1)) as i64 - distinct as i64 / 3;
        let end = wild && self.below(7) == 0;
        let (low, high) = field.data_type.integer_bounds().unwrap_or((0, 0));
        let extreme = if self.below(2) == 0 { low } else { high };
        match field.data_type {
            DataType::Boolean => Value::Boolean(pick % 2 == 0),
            DataType::Real | DataType::Double => {
                let floats = [1.5, -2.25, 0.0, -0.0, 1e10, 0.1, f64::NAN, 1e-300];
                let float = floats[pick.unsigned_abs() as usize % if wild { 8 } else { 6 }];
                Value::Float(if field.data_type == DataType::Real { f64::from(float as f32) } else { float })
            }
            DataType::Decimal { .. } if end => Value::Decimal(extreme),
            DataType::Decimal { .. } => Value::Decimal(i128::from(pick) * 7),
            DataType::Text => {
                Value::text(["", "a", "ab", "ü", "zz top", "x", "MAIL"][pick.unsigned_abs() as usize % 7])
            }
            _ if end => Value::Int(extreme as i64),
            _ => Value::Int(pick),
        }
    }
}

/// A table of some rows, in chunks of so many.
pub(crate) fn table(fields: &[Field], rows: &[Vec<Value>], chunk: usize) -> Arc<Table> {
    let compact = |rows: &[Vec<Value>]| {
        let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, &context());
        builder.push_values(rows).expect("the values are of their types");
        builder.finish().expect("there is memory")
    };
    let mut table = compact(rows);
    let has_text = fields.iter().any(|field| field.data_type == DataType::Text);
    // Chunks of their own loads have dictionaries of their own.
    if !has_text && chunk < rows.len() {
        table.chunks = rows.chunks(chunk).flat_map(|rows| compact(rows).chunks).collect();
    }
    Arc::new(table)
}

/// The same rows in chunks of such lengths, and what is left in a last one.
pub(crate) fn cut(table: &Table, lengths: impl IntoIterator<Item = usize>) -> Arc<Table> {
    let mut lengths: Vec<usize> = lengths.into_iter().collect();
    lengths.push(usize::MAX);
    let mut cut = table.clone();
    let mut chunks = Vec::new();
    for chunk in &table.chunks {
        let (mut at, mut lengths) = (0, lengths.iter());
        while at < chunk.rows {
            let rows = lengths.next().map_or(usize::MAX, |&length| length).min(chunk.rows - at);
            let columns = chunk.columns.iter().map(|column| column.slice(at, rows)).collect();
            chunks.push(Arc::new(Chunk::new(rows, columns)));
            at += rows;
        }
    }
    cut.chunks = chunks.into();
    Arc::new(cut)
}

/// A program of a text, with the statistics of tables.
pub(crate) fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    program
}

pub(crate) fn with_statistics(program: &Program, tables: &[Arc<Table>]) -> Program {
    let mut program = program.clone();
    for collection in &mut program.collections {
        if let Shape::Table { handle, statistics, .. } = &mut collection.shape {
            *statistics = Arc::clone(&tables[handle.0 as usize].statistics);
        }
    }
    program
}

pub(crate) fn values_of(output: Output) -> Outcome {
    let mut builder = TableBuilder::new(output.fields().to_vec(), Storage::Keep, &context());
    for batch in output {
        builder.push(batch?)?;
    }
    Ok(builder.finish()?.values())
}

fn sorted(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let order = |a: &Vec<Value>, b: &Vec<Value>| {
        a.iter().zip(b).map(|(a, b)| a.compare(b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    rows.sort_by(order);
    rows
}

/// What the host gives.
pub(crate) fn on_host(program: &Program, tables: &[Arc<Table>], parameters: &[Value], pool: &Pool) -> Outcome {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    values_of(run(program, &lookup, parameters, &context(), pool)?)
}

/// Compares a program over some tables on a device with the host; gives what became of its loops.
pub(crate) fn compare<G: Tested>(
    program: &Program,
    tables: &[Arc<Table>],
    parameters: &[Value],
    (gpu, pool): (&Arc<G>, &Pool),
    text: &str,
) -> Vec<String> {
    let expected = on_host(program, tables, parameters, pool);
    let got = on_device(program, tables, parameters, (gpu, pool));
    let notes = gpu.notes();
    match (expected, got) {
        (Ok(expected), Ok(got)) => {
            assert_eq!(
                format!("{:?}", sorted(got)),
                format!("{:?}", sorted(expected)),
                "{text}\n{notes:?}\non {gpu:?}"
            );
        }
        (Err(expected), Err(got)) => assert_eq!(got.kind(), expected.kind(), "{text}\n{notes:?}"),
        (expected, got) => panic!("{text}\n{notes:?}\nexpected {expected:?}\ngot {got:?}"),
    }
    notes
}

/// Checks a program over random tables of many shapes, at several launch shapes. All loops of these collections run on the device,
/// unless a row fails.
fn check(text: &str, on_device: &[&str]) {
    let program = program(text);
    let mut shapes: Vec<Vec<Field>> = Vec::new();
    for collection in &program.collections {
        if let Shape::Table { handle, .. } = &collection.shape {
            let at = handle.0 as usize;
            shapes.resize(shapes.len().max(at + 1), Vec::new());
            shapes[at].clone_from(&collection.fields);
        }
    }
    let pool = Pool::new(2).expect("threads start");
    let (gpus, several) = (devices(), several());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut ran = Vec::new();
    // Nothing, one row, several chunks and pieces and one row more or less, one key for all, NULL alone, nothing behind a nest.
    let sizes = [[0, 0], [1, 1], [17, 5], [64, 30], [65, 63], [63, 64], [40, 40], [33, 0], [0, 20]];
    let spreads =
        [(3, false), (40, true), (9, false), (3, false), (40, true), (1, false), (0, false), (5, false), (5, false)];
    for (round, (sizes, spread)) in sizes.into_iter().zip(spreads).enumerate() {
        let tables: Vec<Arc<Table>> = shapes
            .iter()
            .enumerate()
            .map(|(at, fields)| {
                let rows: Vec<Vec<Value>> = (0..sizes[at % 2])
                    .map(|_| fields.iter().map(|field| random.value(field, spread)).collect())
                    .collect();
                table(fields, &rows, [64, 16, 10][round % 3])
            })
            .collect();
        let program = with_statistics(&program, &tables);
        for gpu in &gpus {
            ran.extend(compare(&program, &tables, &[], (gpu, &pool), text));
        }
        // A few rounds each on several cards: the parts differ in size, and a part may have no chunk.
        if (3..6).contains(&round) {
            let tables: Vec<Arc<Table>> = tables.iter().map(|table| cut(table, [1, 9, 3, 3, 20])).collect();
            ran.extend(compare(&program, &tables, &[], (&several[round % several.len()], &pool), text));
        }
    }
    for define in on_device {
        let is_of =
            |note: &&String| note.split(": ").next().is_some_and(|defines| defines.split(", ").any(|of| of == *define));
        let notes: Vec<&String> = ran.iter().filter(is_of).collect();
        let runs = notes.iter().filter(|note| note.ends_with(": ran")).count();
        let odd: Vec<&&String> =
            notes.iter().filter(|note| !note.ends_with(": ran") && !note.ends_with("a row fails")).collect();
        assert!(runs > 0 && odd.is_empty(), "{define} of\n{text}\n{notes:#?}");
    }
}

/// The device of an engine.
pub(crate) fn devices_of<G: Tested>(gpu: &Arc<G>) -> Devices {
    Devices::new([Arc::clone(gpu) as Arc<dyn Backend>])
}

/// Runs a program where a device takes what it can.
pub(crate) fn on_device<G: Tested>(
    program: &Program,
    tables: &[Arc<Table>],
    parameters: &[Value],
    (gpu, pool): (&Arc<G>, &Pool),
) -> Outcome {
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let devices = devices_of(gpu);
    let plan = devices.plan(program, Machine::host(pool.threads()))?;
    values_of(run_with(&plan, &lookup, parameters, &context(), Body { pool, devices: &devices, takes_notes: false })?)
}
