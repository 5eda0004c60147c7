//! Typed queries: the values of their closures live in an arena of the thread, of which nothing is left behind them.

use super::{engine, run, watched};
use multiloop::linq::Expr;
use multiloop::{Engine, Session};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn closures_that_panic() {
    watched(|| {
        let session = engine().session();
        for _ in 0..3 {
            let values = session.values([1_i32, 2, 3]);
            let panics: [&dyn Fn(); 4] = [
                &|| drop(values.filter(|_| -> Expr<bool> { panic!("in a filter") })),
                &|| drop(values.select(|n| -> Expr<i32> { panic!("in a select of {:?}", n + 1) })),
                &|| {
                    // Within the closure of another query.
                    let inner = || session.values([1_i32]).select(|m| -> Expr<i32> { panic!("within {:?}", m * 2) });
                    drop(values.select(|n| {
                        drop(inner());
                        n
                    }));
                },
                &|| drop(session.values((0..5).map(|n| if n < 4 { n } else { panic!("in a list") }))),
            ];
            for panic in panics {
                assert!(catch_unwind(AssertUnwindSafe(panic)).is_err());
                // The next query is as any.
                assert_eq!(values.filter(|n| n.gt(1)).select(|n| n * 10).collect(), Ok(vec![20, 30]));
            }
            // One that is caught within a closure leaves the closure's own values alone.
            let outer = values.select(|n| {
                let twice = n * 2;
                assert!(catch_unwind(AssertUnwindSafe(panics[0])).is_err());
                twice + 1
            });
            assert_eq!(outer.collect(), Ok(vec![3, 5, 7]));
        }
        assert_eq!(session.engine().memory_used(), 0);
    });
}

#[test]
fn queries_on_threads() {
    watched(|| {
        let engine: Engine = engine();
        run(&engine.session(), "CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) g (n)");
        let used = engine.memory_used();
        std::thread::scope(|scope| {
            for thread in 0..4_i32 {
                let session: Session = engine.session();
                scope.spawn(move || {
                    for round in 0..20_i32 {
                        let query = session.values((0..100).map(|n| n + thread)).filter(|n| n.gt_eq(round));
                        let kept = catch_unwind(AssertUnwindSafe(|| {
                            query.select(|n| if round % 2 == 0 { n + 1 } else { panic!("round {round}") })
                        }));
                        assert_eq!(kept.is_ok(), round % 2 == 0);
                        assert_eq!(query.collect().map(|rows| rows.is_empty()), Ok(false));
                    }
                });
            }
        });
        assert_eq!(engine.memory_used(), used);
    });
}

/// A value that is used behind its closure is an error, whatever has its place by then.
#[test]
fn values_that_outlive_their_closures() {
    watched(|| {
        let session = engine().session();
        let mut kept: Option<Expr<i32>> = None;
        let _ = session.values([1_i32, 2]).select(|n| {
            kept = Some(n + 1);
            n
        });
        let kept = kept.expect("the closure ran");
        let caught = catch_unwind(AssertUnwindSafe(|| {
            session.values([3_i32]).select(|_| -> Expr<i32> { panic!("with {kept:?}") })
        }));
        assert!(caught.is_err());
        let error = session.values([3_i32]).select(|n| n + kept).collect().expect_err("it is of another closure");
        assert_eq!(error.sqlstate(), "42P10");
        assert_eq!(session.values([3_i32]).select(|n| n + 4).collect(), Ok(vec![7]));
    });
}
