//! TPC-H's programs at scale factor 0.01 on an emulated device, beside the host: which lets ran there, and why others did not.
//!
//! The programs are what `EXPLAIN (LOOPS)` shows after its rules.

use super::{all_cards, card, compare, context, cut, program, with_sources_of_a_card, with_statistics};
use crate::backend::Backend;
use crate::column::Table;
use crate::column::build::{Storage, TableBuilder};
use crate::gpu::driver::cache::{LATER, OTHER_FORM};
use crate::gpu::several::Several;
use crate::workers::pool::Pool;
use arrow::array::RecordBatchReader;
use multiloop_planner::multiloop::{Program, Shape};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tpchgen::generators as rows;
use tpchgen_arrow as arrays;

/// The programs, in the order of their numbers.
const PROGRAMS: [&str; 22] = [
    include_str!("tpch/q01.loops"),
    include_str!("tpch/q02.loops"),
    include_str!("tpch/q03.loops"),
    include_str!("tpch/q04.loops"),
    include_str!("tpch/q05.loops"),
    include_str!("tpch/q06.loops"),
    include_str!("tpch/q07.loops"),
    include_str!("tpch/q08.loops"),
    include_str!("tpch/q09.loops"),
    include_str!("tpch/q10.loops"),
    include_str!("tpch/q11.loops"),
    include_str!("tpch/q12.loops"),
    include_str!("tpch/q13.loops"),
    include_str!("tpch/q14.loops"),
    include_str!("tpch/q15.loops"),
    include_str!("tpch/q16.loops"),
    include_str!("tpch/q17.loops"),
    include_str!("tpch/q18.loops"),
    include_str!("tpch/q19.loops"),
    include_str!("tpch/q20.loops"),
    include_str!("tpch/q21.loops"),
    include_str!("tpch/q22.loops"),
];

/// Scale factor of the data.
const SCALE: f64 = 0.01;

/// A table, by its name.
fn load(name: &str) -> Arc<Table> {
    macro_rules! reader {
        ($rows:ident, $arrays:ident) => {
            Box::new(arrays::$arrays::new(rows::$rows::new(SCALE, 1, 1)))
        };
    }
    let reader: Box<dyn RecordBatchReader> = match name {
        "region" => reader!(RegionGenerator, RegionArrow),
        "nation" => reader!(NationGenerator, NationArrow),
        "supplier" => reader!(SupplierGenerator, SupplierArrow),
        "customer" => reader!(CustomerGenerator, CustomerArrow),
        "part" => reader!(PartGenerator, PartArrow),
        "partsupp" => reader!(PartSuppGenerator, PartSuppArrow),
        "orders" => reader!(OrderGenerator, OrderArrow),
        _ => reader!(LineItemGenerator, LineItemArrow),
    };
    let schema = reader.schema();
    let mut builder = TableBuilder::for_schema(&schema, Storage::Compact, &context()).expect("columns have types");
    for batch in reader {
        builder.push(batch.expect("rows are made")).expect("rows are of the schema");
    }
    Arc::new(builder.finish().expect("there is memory"))
}

/// The tables of a program, by their handles.
fn tables_of(program: &Program, known: &mut FxHashMap<String, Arc<Table>>) -> Vec<Arc<Table>> {
    let mut tables = Vec::new();
    for collection in &program.collections {
        if let Shape::Table { name, handle, .. } = &collection.shape {
            let table = known.entry(name.clone()).or_insert_with(|| load(name));
            let at = handle.0 as usize;
            tables.resize(tables.len().max(at + 1), Arc::clone(table));
            tables[at] = Arc::clone(table);
        }
    }
    tables
}

/// Compares the sources of a query with those that are known, or writes them down (`UPDATE_GOLDEN=1`; read the difference).
fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gpu/tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file is there");
    for (number, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(expected, found, "{name}, line {}", number + 1);
    }
    assert_eq!(expected.lines().count(), found.lines().count(), "{name}");
}

#[test]
fn all_queries_beside_the_host() {
    let pool = Pool::new(1).expect("threads start");
    let mut known = FxHashMap::default();
    let (mut ran, mut declined) = (0, 0);
    for (text, number) in PROGRAMS.iter().zip(1..) {
        let program = program(text);
        let tables = tables_of(&program, &mut known);
        let program = with_statistics(&program, &tables);
        let gpu = card(None).unwrap_or_else(|| Arc::new(with_sources_of_a_card()));
        // Some are compiled because they may be asked for.
        gpu.device().cache.watch();
        let notes = compare(&program, &tables, &[], (&gpu, &pool), &format!("Q{number}"));
        let mut sources = gpu.device().cache.watched();
        sources.sort_unstable();
        sources.dedup();
        check_golden(&format!("q{number:02}.cu"), &sources.join("\n"));
        // A second time nothing is compiled or uploaded, but what the host made meanwhile.
        let known = (gpu.device().cache.missed(), gpu.device().resident.uploaded());
        compare(&program, &tables, &[], (&gpu, &pool), &format!("Q{number} again"));
        let again = (gpu.device().cache.missed(), gpu.device().resident.uploaded());
        assert!(again == known || notes.iter().any(|note| !note.ends_with(": ran")), "Q{number}: {known:?} {again:?}");
        for note in notes {
            println!("Q{number} {note}");
            assert!(!note.contains("bug") && !note.contains("compile"), "Q{number} {note}");
            if note.ends_with(": ran") {
                ran += 1;
            } else {
                declined += 1;
            }
        }
    }
    println!("{ran} loops ran on the device, {declined} were declined there");
    assert!(ran >= 30, "{ran} loops");
}

/// Rows of a table from which on it is split here, and chunks that it is cut into.
const SPLIT_FROM: u64 = 1000;
const CHUNKS: usize = 7;

#[test]
fn all_queries_on_several_cards() {
    let pool = Pool::new(1).expect("threads start");
    let (mut known, mut parts) = (FxHashMap::default(), FxHashMap::default());
    let (mut ran, mut split, mut declined) = (0, 0, 0);
    for (text, number) in PROGRAMS.iter().zip(1..) {
        let program = program(text);
        let whole = tables_of(&program, &mut known);
        let cut = |table: &Arc<Table>| {
            let cut = || cut(table, [table.chunks.rows() / CHUNKS + 1; CHUNKS]);
            Arc::clone(parts.entry(Arc::as_ptr(table)).or_insert_with(cut))
        };
        let tables: Vec<Arc<Table>> = whole.iter().map(cut).collect();
        let program = with_statistics(&program, &tables);
        let cards = all_cards(None).filter(|cards| cards.len() == 2);
        let cards = cards.unwrap_or_else(|| (0..2).map(|_| with_sources_of_a_card()).collect());
        let cards = Arc::new(Several::new(cards).that_split_from(SPLIT_FROM));
        for note in compare(&program, &tables, &[], (&cards, &pool), &format!("Q{number}")) {
            println!("Q{number} {note}");
            assert!(!note.contains("bug") && !note.contains("compile"), "Q{number} {note}");
            ran += usize::from(note.ends_with(": ran"));
            split += usize::from(note.contains("in 2 parts"));
            declined += usize::from(!note.ends_with(": ran"));
        }
    }
    println!("{ran} loops ran on the cards, {split} of them in parts, {declined} were declined there");
    assert!(ran >= 30 && split >= 30, "{ran} loops, {split} in parts");
}

/// Runs of a program until all of its loops have their code, where nobody waits for it, at most.
const RUNS_MAX: usize = 8;

#[test]
fn code_comes_in_a_few_runs() {
    let pool = Pool::new(1).expect("threads start");
    let mut known = FxHashMap::default();
    for (text, number) in PROGRAMS.iter().zip(1..) {
        let program = program(text);
        let tables = tables_of(&program, &mut known);
        let program = with_statistics(&program, &tables);
        let gpu = Arc::new(with_sources_of_a_card().in_a_hurry());
        gpu.prepare();
        let is_to_come = |note: &String| note.contains(LATER) || note.contains(OTHER_FORM);
        let runs = (0..2 * RUNS_MAX).find(|_| {
            while gpu.device().cache.is_busy() {
                std::thread::sleep(Duration::from_millis(1));
            }
            !compare(&program, &tables, &[], (&gpu, &pool), &format!("Q{number}")).iter().any(is_to_come)
        });
        println!("Q{number}: {runs:?} runs until all code is there");
        assert!(runs.is_some_and(|runs| runs <= RUNS_MAX), "Q{number}: {runs:?}");
    }
}

#[test]
fn code_comes_to_several_cards() {
    let pool = Pool::new(1).expect("threads start");
    let mut known = FxHashMap::default();
    for number in [3, 5, 17] {
        let program = program(PROGRAMS[number - 1]);
        let tables: Vec<Arc<Table>> = tables_of(&program, &mut known)
            .iter()
            .map(|table| cut(table, [table.chunks.rows() / CHUNKS + 1; CHUNKS]))
            .collect();
        let program = with_statistics(&program, &tables);
        let cards = (0..2).map(|_| with_sources_of_a_card()).collect();
        let cards = Arc::new(Several::new(cards).that_split_from(SPLIT_FROM).in_a_hurry());
        cards.prepare();
        let is_to_come = |note: &String| note.contains(LATER) || note.contains(OTHER_FORM);
        let runs = (0..2 * RUNS_MAX).find(|_| {
            while cards.is_preparing() {
                std::thread::sleep(Duration::from_millis(1));
            }
            !compare(&program, &tables, &[], (&cards, &pool), &format!("Q{number}")).iter().any(is_to_come)
        });
        println!("Q{number}: {runs:?} runs until all code is there");
        assert!(runs.is_some_and(|runs| runs <= RUNS_MAX), "Q{number}: {runs:?}");
    }
}

#[test]
fn text_of_many_strings() {
    let pool = Pool::new(1).expect("threads start");
    let mut known = FxHashMap::default();
    for number in [9, 13, 20, 22] {
        // An average is numeric, for which this is no test.
        let average = "narrow_down(average(%3.part0, %3.part1))::decimal(16,2)";
        let program = program(&PROGRAMS[number - 1].replace(average, "0.00::decimal(3,2)"));
        let tables = tables_of(&program, &mut known);
        let program = with_statistics(&program, &tables);
        let gpu = Arc::new(with_sources_of_a_card().that_carries_text());
        for note in compare(&program, &tables, &[], (&gpu, &pool), &format!("Q{number}")) {
            println!("Q{number} {note}");
            assert!(note.ends_with(": ran"), "Q{number} {note}");
        }
    }
}
