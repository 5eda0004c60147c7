//! Sources: what they know, and what compiles them.

use super::{compare, emulated, on_device, program, table, with_statistics};
use crate::column::Table;
use crate::gpu::backend::Gpu;
use crate::gpu::code::helpers::NUMERIC_FUNCTIONS;
use crate::gpu::code::print::of_device;
use crate::gpu::driver::Driver;
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::driver::nvrtc::{Nvrtc, PATH};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const TEXT: &str = "\
table %0 t(a#0 integer, s#1 text)
loop
  i0 in %0
  %1 bucket_reduce
    if i0.a > LIMIT
    key s = i0.s
    n = count_rows()
result %1
output s, n
";

#[test]
fn a_new_literal_compiles_nothing() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(emulated(1, 16));
    let mut sources = None;
    for (limit, text) in [(3, "a"), (40, "b"), (-7, "c")] {
        let program = program(&TEXT.replace("LIMIT", &limit.to_string()));
        let rows: Vec<Vec<Value>> = (0..50).map(|row| vec![Value::Int(row), Value::text(text)]).collect();
        let tables = [table(&program.collections[0].fields, &rows, 64)];
        on_device(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool)).expect("it runs");
        assert_eq!(gpu.take_notes(), ["%1: ran"]);
        let known = gpu.device().cache.len();
        assert_eq!(*sources.get_or_insert(known), known, "the same sources for all");
    }
}

#[test]
fn a_second_run_uploads_no_column() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(emulated(1, 16));
    let program = program(&TEXT.replace("LIMIT", "5"));
    let rows: Vec<Vec<Value>> = (0..50).map(|row| vec![Value::Int(row), Value::text("x")]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 64)];
    let program = with_statistics(&program, &tables);
    on_device(&program, &tables, &[], (&gpu, &pool)).expect("it runs");
    let uploaded = gpu.device().resident.uploaded();
    on_device(&program, &tables, &[], (&gpu, &pool)).expect("it runs");
    assert!(uploaded > 0);
    assert_eq!(gpu.device().resident.uploaded(), uploaded);
}

#[test]
fn what_is_no_longer_needed_is_given_back() {
    let pool = Pool::new(1).expect("threads start");
    let driver = Arc::new(Emulated::new(1, 1 << 20));
    let gpu = Arc::new(Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>));
    let program = program(&TEXT.replace("LIMIT", "5"));
    let rows: Vec<Vec<Value>> = (0..50).map(|row| vec![Value::Int(row), Value::text("x")]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 64)];
    let program = with_statistics(&program, &tables);
    let mut used = Vec::new();
    for _ in 0..3 {
        on_device(&program, &tables, &[], (&gpu, &pool)).expect("it runs");
        used.push(driver.used());
    }
    assert!(used[0] > 0 && used.iter().all(|&after| after == used[0]), "{used:?}");
}

#[test]
fn columns_make_room() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(Gpu::new(Arc::new(Emulated::new(1, 40 << 10))));
    // A column of 20 KiB, then groups of 24 KiB.
    for (rows, far, result) in [
        (10_000, 1, "reduce\n    n? = sum(i0.k)::bigint"),
        (2_000, 3, "bucket_reduce\n    key n = i0.k\n    m = count_rows()"),
    ] {
        let text = format!("table %0 t(k#0 integer)\nloop\n  i0 in %0\n  %1 {result}\nresult %1\noutput n\n");
        let program = program(&text);
        let rows: Vec<Vec<Value>> = (0..rows).map(|row| vec![Value::Int(row * 7919 % rows * far)]).collect();
        let tables = [table(&program.collections[0].fields, &rows, 20_000)];
        let notes = compare(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool), &text);
        assert_eq!(notes, ["%1: ran"]);
        // The table is there as long as its column may be.
        std::mem::forget(tables);
    }
}

#[test]
fn a_full_device_declines() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(Gpu::new(Arc::new(Emulated::new(1, 1 << 10))));
    let program = program(&TEXT.replace("LIMIT", "5"));
    let rows: Vec<Vec<Value>> = (0..5000).map(|row| vec![Value::Int(row), Value::text("x")]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 64)];
    let notes = compare(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool), TEXT);
    assert!(notes.iter().any(|note| note.contains("memory") || note.contains("does not fit")), "{notes:?}");
}

#[test]
fn the_functions_compile_for_a_card() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let nvrtc = Nvrtc::load(Some(path.as_ref())).expect("the library is where it is said to be");
    let code = nvrtc.cubin(&of_device(""), "sm_90");
    assert!(code.is_ok_and(|code| !code.is_empty()));
}

/// How long NVRTC, where it is to be had, takes for the loops of TPC-H's programs, one after the other and by several threads:
/// `--nocapture` shows it.
#[test]
fn loops_of_tpch_compile_in_time() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let nvrtc = Nvrtc::load(Some(path.as_ref())).expect("the library is where it is said to be").with_others(15);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gpu/tests/golden");
    let mut kernels = Vec::new();
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let text = std::fs::read_to_string(file.expect("it can be listed").path()).expect("it can be read");
        let own = |kernel: &&str| ["count(", "collect(", "reduce("].iter().any(|name| kernel.starts_with(name));
        for kernel in text.split("KERNEL ").skip(1).filter(own) {
            let end = kernel.find("\n}").map_or(kernel.len(), |end| end + 3);
            let kernel = format!("KERNEL {}", &kernel[..end]);
            let numbers = if kernel.contains("numeric_") { NUMERIC_FUNCTIONS } else { "" };
            kernels.push(of_device(&format!("{numbers}{kernel}")));
        }
    }
    kernels.sort_unstable();
    kernels.dedup();
    for threads in [1, std::thread::available_parallelism().map_or(1, usize::from)] {
        let (next, began) = (AtomicUsize::new(0), Instant::now());
        let compile = || {
            let mut longest = Duration::ZERO;
            while let Some(kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
                let began = Instant::now();
                assert!(nvrtc.cubin(kernel, "sm_90").is_ok_and(|code| !code.is_empty()));
                longest = longest.max(began.elapsed());
            }
            longest
        };
        let longest = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(compile)).collect();
            threads.into_iter().map(|thread| thread.join().expect("nobody panics")).max()
        });
        let (count, all) = (kernels.len(), began.elapsed());
        println!("{count} sources on {threads} threads: {all:.2?}, the longest {:.2?}", longest.unwrap_or_default());
    }
}

const CARRIED: &str = "\
table %0 t(a#0 integer, s#1 text)
loop
  i0 in %0
  %1 collect
    if i0.a > 3
    a = i0.a
    s = i0.s
  %2 bucket_collect
    key a = i0.a
    s = i0.s
  %3 bucket_reduce
    key a = i0.a
    s? = first(i0.s)
  %4 top_k limit 7::bigint offset 2::bigint
    by i0.a desc nulls first
    a = i0.a
    s = i0.s
loop
  i1 in %0
  i2 in %2[i1.a]
  %5 collect
    a = i1.a
    s = i2.s
    t? = %3[i1.a + 1].s
loop
  i3 in %0
  %6 bucket_reduce
    key s = i3.s
    n = count_rows()
RESULT
";

#[test]
fn text_of_many_strings_is_carried() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(emulated(4, 24).that_carries_text());
    for result in ["%1\noutput a, s", "%4\noutput a, s", "%5\noutput a, s, t", "%6\noutput s, n"] {
        let text = CARRIED.replace("RESULT", &format!("result {result}"));
        let program = program(&text);
        for rows in [0i64, 1, 100] {
            let row = |row: i64| vec![Value::Int(row * 7 % 50), Value::text(format!("string {}", row * 7 % 50))];
            let rows: Vec<Vec<Value>> = (0..rows).map(row).collect();
            // As it is: text that is loaded may have a dictionary.
            let tables = [Arc::new(Table::from_values(program.collections[0].fields.clone(), &rows))];
            let notes = compare(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool), &text);
            let declined = notes.iter().any(|note| note.contains("many strings") || note.contains("text without"));
            assert_eq!(declined, result.starts_with("%6") && rows.len() > 1, "{notes:?}");
        }
    }
}
