//! Functions that break their promises, calls that do not fit, and what cannot be registered.

use super::{Total, fails, rows, sessions};
use multiloop::arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use multiloop::arrow::datatypes::{DataType as Arrow, Field, Schema};
use multiloop::{AggregateFunction, DataType, Engine, Result, ScalarFunction, TableFunction};
use multiloop_tests::answer;
use std::sync::Arc;

#[test]
fn misuse_is_an_error() {
    let long = |_: &[ArrayRef], _: usize| Ok::<ArrayRef, String>(Arc::new(Int64Array::from(vec![1; 7])));
    let other = |_: &[ArrayRef], rows: usize| Ok::<ArrayRef, String>(Arc::new(Float64Array::from(vec![1.0; rows])));
    let narrow = |_: &[ArrayRef], rows: usize| Ok::<ArrayRef, String>(Arc::new(Int32Array::from(vec![1; rows])));
    let schema = Arc::new(Schema::new(vec![Field::new("n", Arrow::Int64, false)]));
    for session in sessions(3) {
        let engine = session.engine();
        for (name, closure) in [
            ("bad_length", long as fn(&[ArrayRef], usize) -> std::result::Result<ArrayRef, String>),
            ("bad_type", other),
            ("bad_width", narrow),
        ] {
            let function = ScalarFunction::of_arrays(name, [DataType::BigInt], DataType::BigInt, closure);
            engine.register_scalar(function).expect("a function");
        }
        engine
            .register_scalar(ScalarFunction::new("bad_panic", |n: i64| if n > 4 { panic!("beyond {n}") } else { n }))
            .expect("it");
        engine.register_scalar(ScalarFunction::new("bad_small", |n: i64| n).returns(DataType::SmallInt)).expect("it");
        engine
            .register_scalar(
                ScalarFunction::new("bad_value", |n: i64| multiloop::Value::Int(n)).returns(DataType::Uuid),
            )
            .expect("it");
        engine.register_scalar(ScalarFunction::new("bad_day", |t: String| t).returns(DataType::Date)).expect("it");
        engine.register_scalar(ScalarFunction::new("bad_null", |n: i64| n).called_on_null()).expect("it");
        engine
            .register_scalar(ScalarFunction::new("bad_says", |n: i64| Err::<i64, _>(format!("not {n}"))))
            .expect("it");
        let columns = Arc::clone(&schema);
        let batch = move |rows: i64| {
            vec![RecordBatch::new_empty(Arc::new(Schema::new(vec![Field::new("n", Arrow::Utf8, rows > 0)])))]
        };
        engine.register_table_function(TableFunction::new("bad_batch", columns, batch)).expect("it");
        let columns = Arc::clone(&schema);
        let panics = |rows: i64| -> Vec<RecordBatch> { panic!("no {rows} rows") };
        engine.register_table_function(TableFunction::new("bad_rows", columns, panics)).expect("it");
        fails(&session, "SELECT bad_length(n) FROM many", "42804", "bad_length(bigint) gave 7 values for");
        fails(&session, "SELECT bad_type(n) FROM many", "42804", "gave an array of Float64, which is none of bigint");
        fails(&session, "SELECT bad_width(n) FROM many", "42804", "gave an array of Int32");
        fails(&session, "SELECT bad_panic(n) FROM many", "XX000", "function bad_panic panicked: beyond");
        fails(&session, "SELECT bad_panic(5)", "XX000", "function bad_panic panicked: beyond 5");
        assert_eq!(rows(&answer(&session, "SELECT bad_panic(n) FROM many WHERE n < 3 ORDER BY n")), [["1"], ["2"]]);
        fails(&session, "SELECT bad_small(n) FROM many", "42804", "bad_small(bigint) gave a value of type bigint");
        fails(&session, "SELECT bad_value(n) FROM many", "42804", "a value of type uuid is needed");
        fails(&session, "SELECT bad_day('2026-02-30')", "22008", "");
        fails(&session, "SELECT bad_null(v) FROM many", "22004", "argument 1 is NULL");
        fails(&session, "SELECT bad_says(n) FROM many WHERE n = 7", "38000", "not 7");
        fails(&session, "SELECT * FROM bad_batch(1)", "42804", "bad_batch(bigint) gave a batch");
        fails(&session, "SELECT * FROM bad_rows(1)", "XX000", "function bad_rows panicked: no 1 rows");
        fails(&session, "SELECT my_broken(n) FROM many", "XX000", "function my_broken panicked: no row like");
        fails(
            &session,
            "SELECT my_total(n) FROM (VALUES (9223372036854775807), (1)) v(n)",
            "22003",
            "bigint out of range",
        );
        fails(&session, "SELECT my_half('a')", "22P02", "");
        fails(&session, "SELECT my_half(true)", "42883", "function my_half(boolean) does not exist");
        fails(&session, "SELECT my_half(1, 2)", "42883", "my_half(integer, integer)");
        fails(&session, "SELECT my_half(DISTINCT 1)", "42809", "DISTINCT");
        fails(&session, "SELECT my_half(1) OVER ()", "42809", "OVER");
        fails(&session, "SELECT my_total(my_total(n)) FROM many", "42803", "");
        fails(&session, "SELECT n FROM many WHERE my_total(n) > 1", "42803", "");
        fails(&session, "SELECT my_chain(DISTINCT w, 1) FROM many", "0A000", "DISTINCT");
        fails(&session, "SELECT my_total(w) FROM many", "42883", "my_total(text)");
        assert_eq!(rows(&answer(&session, "SELECT count(*) FROM many")), [["40000"]], "the session goes on");
    }
}

#[test]
fn what_cannot_be_registered_is_an_error() {
    let engine = Engine::new().expect("an engine");
    let state = |done: Result<()>| done.expect_err("it is refused").sqlstate();
    for taken in ["length", "COUNT", "row_number", "generate_series", "coalesce"] {
        assert_eq!(state(engine.register_scalar(ScalarFunction::new(taken, |n: i64| n))), "42723", "{taken}");
    }
    assert_eq!(state(engine.register_scalar(ScalarFunction::new("", |n: i64| n))), "22023");
    let of = |function: ScalarFunction| state(engine.register_scalar(function));
    assert_eq!(of(ScalarFunction::new("f", |n: i64| n).takes([DataType::Text])), "42804");
    assert_eq!(of(ScalarFunction::new("f", |n: i64| n).takes([])), "42804");
    assert_eq!(of(ScalarFunction::new("f", |t: String| t).takes([DataType::Varchar(5)])), "22023");
    assert_eq!(of(ScalarFunction::new("f", |t: String| t).returns(DataType::Null)), "22023");
    let of_text = || ScalarFunction::new("of_text", |t: String, _: i64| t);
    engine.register_scalar(of_text()).expect("a function");
    let varchar = DataType::VARCHAR;
    assert_eq!(of(of_text().takes([varchar, DataType::BigInt])), "42723");
    engine.register_scalar(of_text()).expect("it replaces the one for the same types");
    engine.register_scalar(ScalarFunction::new("of_text", |t: String, _: f64| t)).expect("another overload");
    assert_eq!(rows(&answer(&engine.session(), "SELECT of_text('a'::varchar, 1::bigint)")), [["a"]]);
    engine.register_aggregate(AggregateFunction::new("total", Total)).expect("an aggregate");
    assert_eq!(of(ScalarFunction::new("Total", |n: i64| n)), "42809");
    let schema = Arc::new(Schema::new(vec![Field::new("n", Arrow::Int64, false)]));
    let rows = TableFunction::new("total", schema, |_: i64| Vec::new());
    assert_eq!(state(engine.register_table_function(rows)), "42809");
}
