//! Who waits for a compiler, on a device that compiles when it is told to.

use super::{compare, on_device, program, table, with_statistics};
use crate::backend::Backend;
use crate::column::Table;
use crate::gpu::backend::Gpu;
use crate::gpu::driver::cache::{LATER, OTHER_FORM};
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::driver::{Argument, Driver, Limits, Module, Shape};
use crate::gpu::stop::{Done, decline};
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::Program;
use multiloop_planner::value::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// An emulated device whose compiler does so many sources and then stops, until it may do more.
#[derive(Debug)]
struct Held {
    device: Emulated,
    /// How many sources may be compiled yet.
    may: Mutex<usize>,
    more: Condvar,
    /// How many sources were begun, and whether they fail.
    begun: AtomicUsize,
    fails: bool,
}

impl Held {
    fn new(may: usize, fails: bool) -> Arc<Self> {
        let (device, begun) = (Emulated::new(1, 1 << 30), AtomicUsize::new(0));
        Arc::new(Held { device, may: Mutex::new(may), more: Condvar::new(), begun, fails })
    }

    fn allow(&self, sources: usize) {
        *self.may.lock().expect("nobody panics") += sources;
        self.more.notify_all();
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }
}

impl Driver for Held {
    fn name(&self) -> String {
        "held".to_owned()
    }

    fn limits(&self) -> Limits {
        self.device.limits()
    }

    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let may = self.may.lock().expect("nobody panics");
        let mut may = self.more.wait_while(may, |may| *may == 0).expect("nobody panics");
        *may -= 1;
        drop(may);
        if self.fails { decline("nonsense in line 1") } else { self.device.compile(kernels) }
    }

    fn alloc(&self, bytes: usize) -> Done<u64> {
        self.device.alloc(bytes)
    }

    fn free(&self, address: u64, bytes: usize) {
        self.device.free(address, bytes);
    }

    fn zero(&self, address: u64, bytes: usize) -> Done<()> {
        self.device.zero(address, bytes)
    }

    fn upload(&self, address: u64, from: &[u8]) -> Done<()> {
        self.device.upload(address, from)
    }

    fn download(&self, address: u64, to: &mut [u8]) -> Done<()> {
        self.device.download(address, to)
    }

    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()> {
        self.device.launch(module, kernel, shape, arguments)
    }
}

/// Three loops: rows that are counted and collected, what is made of them, and one beside them.
const TEXT: &str = "\
table %0 t(a#0 integer, b#1 integer)
loop
  i0 in %0
  %1 collect
    if i0.a > 3
    a = i0.a
    b = i0.b
loop
  i1 in %1
  %2 bucket_reduce
    key b = i1.b
    n = count_rows()
loop
  i2 in %0
  %3 bucket_reduce
    key b = i2.b
    n = count_rows()
loop
  i3 in %2
  %4 collect
    b = i3.b
    n = i3.n
    m = %3[i3.b].n
result %4
output b, n, m
";

fn given() -> (Program, [Arc<Table>; 1], Pool) {
    let program = program(TEXT);
    let rows: Vec<Vec<Value>> = (0..50).map(|row| vec![Value::Int(row), Value::Int(row % 7)]).collect();
    let tables = [table(&program.collections[0].fields, &rows, 64)];
    (with_statistics(&program, &tables), tables, Pool::new(1).expect("threads start"))
}

/// Waits, not for ever, until something holds.
fn wait_until(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn who_hurries_finds_it_the_next_time() {
    let (program, tables, pool) = given();
    let driver = Held::new(0, false);
    let patient = Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>);
    let gpu = Arc::new(patient.in_a_hurry());
    let run = || compare(&program, &tables, &[], (&gpu, &pool), TEXT);
    // Nothing is compiled, and nobody waits; what follows from what the processors made is not compiled at all.
    let (later, other) = (format!("declined: {LATER}"), format!("declined: {OTHER_FORM}"));
    for _ in 0..2 {
        assert_eq!(
            run(),
            [format!("%1: {later}"), format!("%2: {other}"), format!("%3: {later}"), format!("%4: {other}")]
        );
    }
    // Each time all is compiled that can be known, and what was declined is tried again.
    let mut last = Vec::new();
    for _ in 0..5 {
        driver.allow(100);
        wait_until(|| !gpu.device().cache.is_busy());
        last = run();
    }
    assert_eq!(last, ["%1: ran", "%2: ran", "%3: ran", "%4: ran"]);
    // The two sources of rows that are collected come side by side; there is none but these that the patient have, too.
    let begun = driver.begun();
    assert_eq!(begun, gpu.device().cache.len());
    let patient = Arc::new(Gpu::new(Arc::new(Emulated::new(1, 1 << 30))));
    compare(&program, &tables, &[], (&patient, &pool), TEXT);
    wait_until(|| !patient.device().cache.is_busy());
    assert_eq!(patient.device().cache.len(), begun);
}

#[test]
fn who_waits_takes_over_what_is_queued() {
    let (program, tables, pool) = given();
    let driver = Held::new(0, false);
    let patient = Arc::new(Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>));
    let hasty = Arc::new(patient.in_a_hurry());
    on_device(&program, &tables, &[], (&hasty, &pool)).expect("it runs");
    driver.allow(100);
    assert_eq!(compare(&program, &tables, &[], (&patient, &pool), TEXT).last().map(String::as_str), Some("%4: ran"));
    wait_until(|| !hasty.device().cache.is_busy());
    assert_eq!(driver.begun(), patient.device().cache.len(), "no source is compiled twice");
}

#[test]
fn several_ask_for_one_source() {
    let (program, tables, _) = given();
    let driver = Held::new(0, false);
    let gpu = Arc::new(Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let pool = Pool::new(1).expect("threads start");
                on_device(&program, &tables, &[], (&gpu, &pool)).expect("it runs");
            });
        }
        wait_until(|| driver.begun() > 0);
        driver.allow(100);
    });
    assert_eq!(driver.begun(), gpu.device().cache.len(), "no source is compiled twice");
}

#[test]
fn what_does_not_compile_is_not_tried_again() {
    let (program, tables, pool) = given();
    let driver = Held::new(100, true);
    let gpu = Arc::new(Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>).in_a_hurry());
    // A loop that the processors take has others planned anew.
    for _ in 0..12 {
        compare(&program, &tables, &[], (&gpu, &pool), TEXT);
        wait_until(|| !gpu.device().cache.is_busy());
    }
    let begun = driver.begun();
    let notes = compare(&program, &tables, &[], (&gpu, &pool), TEXT);
    assert_eq!((driver.begun(), notes.len()), (begun, 4));
    assert!(notes.iter().all(|note| note.contains("left to the host as before: nonsense")), "{notes:?}");
}

#[test]
fn a_device_that_goes_leaves_its_queue() {
    let (program, tables, pool) = given();
    let driver = Held::new(0, false);
    let gpu = Arc::new(Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>).in_a_hurry());
    on_device(&program, &tables, &[], (&gpu, &pool)).expect("it runs");
    wait_until(|| driver.begun() > 0);
    std::thread::scope(|scope| {
        // It waits for a source that is being compiled, and begins no other.
        let goes = scope.spawn(move || drop(gpu));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!goes.is_finished());
        let begun = driver.begun();
        driver.allow(begun);
        goes.join().expect("it goes");
        assert_eq!(driver.begun(), begun);
    });
    assert_eq!(Arc::strong_count(&driver), 1, "nothing of it is left");
}

#[test]
fn what_many_loops_need_is_compiled_before_they_come() {
    let driver = Held::new(100, false);
    let gpu = Gpu::new(Arc::clone(&driver) as Arc<dyn Driver>).in_a_hurry();
    gpu.prepare();
    wait_until(|| !gpu.device().cache.is_busy());
    let known = gpu.device().cache.len();
    assert!(known > 0 && known == driver.begun());
    gpu.prepare();
    assert_eq!(driver.begun(), known);
    // All of them compile, and none is what no loop asks for.
    let patient = Gpu::new(Arc::new(Emulated::new(1, 1 << 30)));
    for source in gpu.device().cache.sources() {
        assert!(patient.device().cache.module(&*patient.device().driver, &source).is_ok(), "{source}");
    }
}
