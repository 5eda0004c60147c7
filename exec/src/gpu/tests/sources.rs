//! Sources: what they know, and what compiles them.

use super::{compare, emulated, on_device, program, table, with_statistics};
use crate::gpu::backend::Gpu;
use crate::gpu::driver::Driver;
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::driver::nvrtc::{Nvrtc, PATH};
use crate::workers::pool::Pool;
use multiloop_planner::value::Value;
use std::sync::Arc;

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
fn a_full_device_declines() {
    let pool = Pool::new(1).expect("threads start");
    let gpu = Arc::new(Gpu::new(Arc::new(Emulated::new(1, 1 << 10))));
    let program = program(&TEXT.replace("LIMIT", "5"));
    let rows: Vec<Vec<Value>> = (0..5000).map(|row| vec![Value::Int(row), Value::text("x")]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 64)];
    let notes = compare(&with_statistics(&program, &tables), &tables, &[], (&gpu, &pool), TEXT);
    assert!(notes.iter().any(|note| note.contains("memory")), "{notes:?}");
}

#[test]
fn the_functions_compile_for_a_card() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let nvrtc = Nvrtc::load(Some(path.as_ref())).expect("the library is where it is said to be");
    let code = nvrtc.cubin(&crate::gpu::code::print::of_device(""), "sm_90");
    assert!(code.is_ok_and(|code| !code.is_empty()));
}
