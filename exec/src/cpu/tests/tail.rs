//! Rows that are handed out while they are made: they need memory for some of them, keep their order, and stop when they are
//! cancelled. (That they are the rows of the interpreter is what every other comparison here checks.)

use super::{context, table};
use crate::ErrorKind;
use crate::backend::devices::Devices;
use crate::plan::{Machine, plan};
use crate::run::{Output, run_plan, stream_plan};
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use arrow::array::AsArray as _;
use arrow::datatypes::Int64Type;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Twenty million positions, of which each tenth passes.
const PROGRAM: &str = "table %0 t(a#0 bigint)\nloop\n  i0 in %0\n  i1 in count(100::bigint)\n  %1 collect\n    \
                       if (i1.position < 10::bigint)\n    a = i0.a\n    b = i1.position\nresult %1\noutput a, b\n";

fn open(context: &Context, threads: usize, streams: bool) -> crate::Result<Output> {
    let rows: Vec<Vec<Value>> = (0..200_000).map(|row| vec![Value::Int(row)]).collect();
    let table = table(&[Field::new("a", DataType::BigInt, false)], &rows, 1);
    let program = parse(PROGRAM).expect("it is a program");
    let plan = Arc::new(plan(&program, Machine::host(threads)).expect("it can be planned"));
    assert!(plan.streams.of, "{plan}");
    let pool = Arc::new(Pool::new(threads).expect("threads start"));
    let find = |_| Arc::clone(&table);
    if streams {
        stream_plan(&plan, &find, &[], context, (&pool, &Devices::default()))
    } else {
        run_plan(&plan, &find, &[], context, (&pool, &Devices::default()))
    }
}

#[test]
fn a_result_needs_memory_for_some_of_its_rows() {
    let limited = || Context::new(Memory::new(24 << 20));
    let whole = open(&limited(), 2, false).expect_err("two million rows of two bigints do not fit");
    assert_eq!(whole.kind(), ErrorKind::OutOfMemory);
    for threads in [1, 2] {
        let context = limited();
        let mut next = 0;
        for batch in open(&context, threads, true).expect("some rows fit") {
            let batch = batch.expect("no row fails");
            let (a, b) = (batch.column(0).as_primitive::<Int64Type>(), batch.column(1).as_primitive::<Int64Type>());
            for (a, b) in a.values().iter().zip(b.values()) {
                assert_eq!((*a, *b), (next / 10, next % 10));
                next += 1;
            }
        }
        assert_eq!(next, 2_000_000);
        assert_eq!(context.memory.used(), 0);
    }
}

#[test]
fn who_cancels_stops_rows_that_are_handed_out() {
    let context = context();
    let mut output = open(&context, 2, true).expect("it begins");
    output.next().expect("there are rows").expect("no row fails");
    context.cancellation.cancel();
    let error = output.find_map(Result::err).expect("it has stopped");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(output.next().is_none(), "what has failed is at its end");
    drop(output);
    assert_eq!(context.memory.used(), 0);
}
