//! How often functions are called, with how many rows at once, and that statements end while they are.

use super::{fails, rows};
use multiloop::arrow::array::{Array, ArrayRef, AsArray};
use multiloop::arrow::datatypes::Int64Type;
use multiloop::{DataType, Engine, ScalarFunction, Volatility};
use multiloop_tests::answer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[test]
fn volatility_says_how_often() {
    let calls = Arc::new(AtomicU64::new(0));
    let engine = Engine::builder().threads(2).build().expect("an engine");
    for (name, volatility) in
        [("once", Volatility::Immutable), ("stable", Volatility::Stable), ("each", Volatility::Volatile)]
    {
        let calls = Arc::clone(&calls);
        let function = ScalarFunction::new(name, move |n: i64| {
            calls.fetch_add(1, Ordering::Relaxed);
            n
        });
        engine.register_scalar(function.volatility(volatility)).expect("a function");
    }
    let session = engine.session();
    let counted = |sql: &str| {
        calls.store(0, Ordering::Relaxed);
        session.sql(sql).and_then(|rows| rows.collect_batches()).expect("rows");
        calls.load(Ordering::Relaxed)
    };
    assert!(counted("SELECT once(5) FROM generate_series(1, 1000)") <= 4);
    assert!(counted("SELECT stable(5) FROM generate_series(1, 1000)") <= 4);
    assert_eq!(counted("SELECT each(5) FROM generate_series(1, 1000)"), 1000);
    assert_eq!(counted("SELECT each(n), each(n) FROM generate_series(1, 1000) g(n)"), 2000);
    assert_eq!(counted("SELECT once(n), once(n) FROM generate_series(1, 1000) g(n)"), 1000);
    assert_eq!(counted("SELECT each(n) FROM generate_series(1, 1000) g(n) WHERE n > 990"), 10);
    let loops = answer(&session, "EXPLAIN (LOOPS) SELECT stable(n) FROM generate_series(1, 3) g(n)");
    assert!(format!("{loops:?}").contains("user_stable"), "{loops:?}");
    let shown = answer(&session, "EXPLAIN SELECT n FROM generate_series(1, 3) g(n) WHERE each(n) > 1");
    assert!(format!("{shown:?}").contains("each("), "{shown:?}");
}

#[test]
fn cancels_and_limits_hold() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    engine
        .register_scalar(ScalarFunction::new("slow", |n: i64| {
            std::thread::sleep(Duration::from_millis(2));
            n
        }))
        .expect("a function");
    engine.register_scalar(ScalarFunction::new("large", |_: i64| "x".repeat(1 << 20))).expect("a function");
    let mut session = engine.session();
    let handle = session.cancel_handle();
    let (sent, thread) = (Arc::new(AtomicU64::new(0)), std::time::Instant::now());
    let at = Arc::clone(&sent);
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        at.store(thread.elapsed().as_micros() as u64, Ordering::SeqCst);
        handle.cancel();
    });
    fails(&session, "SELECT sum(slow(n)) FROM generate_series(1, 100000) g(n)", "57014", "");
    let late = Instant::now().duration_since(thread).as_micros() as u64 - sent.load(Ordering::SeqCst);
    assert!(late < 200_000, "heard after {late} µs");
    canceller.join().expect("it ends");
    session.options.memory_limit = 64 << 20;
    fails(&session, "SELECT max(large(n)) FROM generate_series(1, 10000) g(n)", "53200", "");
    assert_eq!(rows(&answer(&session, "SELECT length(large(1))")), [["1048576"]]);
}

#[test]
fn arrays_come_once_a_tile() {
    let calls = Arc::new(AtomicU64::new(0));
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let counted = Arc::clone(&calls);
    let twice = move |arguments: &[ArrayRef], rows: usize| -> std::result::Result<ArrayRef, String> {
        counted.fetch_add(1, Ordering::Relaxed);
        assert_eq!(arguments[0].len(), rows);
        assert_eq!(arguments[0].null_count(), 0, "it is strict");
        Ok(Arc::new(arguments[0].as_primitive::<Int64Type>().unary::<_, Int64Type>(|n| n * 2)))
    };
    engine
        .register_scalar(ScalarFunction::of_arrays("twice", [DataType::BigInt], DataType::BigInt, twice))
        .expect("it");
    let session = engine.session();
    session.sql("CREATE TABLE t AS SELECT nullif(n, 3) AS n FROM generate_series(1::bigint, 100000) g(n)").expect("it");
    assert_eq!(session.query_scalar::<i64>("SELECT sum(twice(n))::bigint FROM t", ()), Ok(10_000_100_000 - 6));
    assert!(calls.load(Ordering::Relaxed) < 100, "{calls:?}");
}
