//! Functions that a program registers, beside functions of SQL's own that mean the same: on the interpreter and on the
//! processors, with rules and without, with one worker and with three, over NULL, NaN, overflow, nothing and many rows; and what becomes of misuse.

#[path = "user_functions/careful.rs"]
mod careful;

use multiloop::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use multiloop::arrow::datatypes::{DataType as Arrow, Field, Int64Type, Schema};
use multiloop::{
    Aggregate, AggregateFunction, DataType, Devices, Engine, ErrorKind, Interval, Numeric, Result, ScalarFunction,
    Session, TableFunction, Volatility, params,
};
use multiloop_tests::{Answer, WAYS, Way, answer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Rows with what is nasty: NULL, NaN, infinities, the largest and the least, empty and long texts, equal rows.
const NASTY: &str = "CREATE TABLE nasty AS SELECT * FROM (VALUES
    (1, 10::bigint, 0.5::double precision, 'a', 1.50::decimal(8,2), date '2026-01-02', true),
    (2, NULL, 'NaN', '', NULL, NULL, NULL),
    (3, 9223372036854775807, 'Infinity', NULL, -99.99, 'infinity', false),
    (4, -9223372036854775808, '-Infinity', 'Straße', 0.00, '4713-01-01 BC', true),
    (5, 10, -0.0, 'a', 1.50, '2026-01-02', true),
    (6, 0, NULL, repeat('x', 3000), 12.34, '1970-01-01', NULL)
    ) v(id, b, d, t, m, day, yes)";

/// The sum of whole numbers, NULL of none; overflow is an error.
struct Total;

impl Aggregate for Total {
    type Input = (i64,);
    type State = Option<i64>;
    type Output = Option<i64>;

    fn start(&self) -> Option<i64> {
        None
    }

    fn insert(&self, state: &mut Option<i64>, (value,): (i64,)) -> Result<()> {
        self.merge(state, Some(value))
    }

    fn merge(&self, state: &mut Option<i64>, later: Option<i64>) -> Result<()> {
        *state = match (*state, later) {
            (Some(a), Some(b)) => {
                let sum = a.checked_add(b);
                Some(sum.ok_or_else(|| multiloop::Error::new(ErrorKind::NumericOverflow, "bigint out of range"))?)
            }
            (a, b) => a.or(b),
        };
        Ok(())
    }

    fn finish(&self, state: Option<i64>) -> Option<i64> {
        state
    }
}

/// Texts behind each other, NULL as `-`: which order rows have is seen.
struct Chain;

impl Aggregate for Chain {
    type Input = (Option<String>, i32);
    type State = String;
    type Output = String;

    fn start(&self) -> String {
        String::new()
    }

    fn insert(&self, state: &mut String, (text, times): (Option<String>, i32)) -> Result<()> {
        let text = text.unwrap_or_else(|| "-".to_owned());
        for _ in 0..times.min(2) {
            state.push_str(&text);
        }
        Ok(())
    }

    fn merge(&self, state: &mut String, later: String) -> Result<()> {
        state.push_str(&later);
        Ok(())
    }

    fn finish(&self, state: String) -> String {
        state
    }

    fn bytes(&self, state: &String) -> usize {
        state.capacity()
    }
}

/// The letters that there are, in order; how many they are where nobody sees.
#[derive(Clone)]
struct Bits;

impl Aggregate for Bits {
    type Input = (String,);
    type State = std::collections::BTreeSet<char>;
    type Output = String;

    fn start(&self) -> Self::State {
        Self::State::new()
    }

    fn insert(&self, state: &mut Self::State, (text,): (String,)) -> Result<()> {
        state.extend(text.chars());
        Ok(())
    }

    fn merge(&self, state: &mut Self::State, mut later: Self::State) -> Result<()> {
        state.append(&mut later);
        Ok(())
    }

    fn finish(&self, state: Self::State) -> String {
        state.into_iter().collect()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        state.len() * 32
    }
}

/// Panics at the first row.
struct Broken;

impl Aggregate for Broken {
    type Input = (i64,);
    type State = ();
    type Output = i64;

    fn start(&self) {}

    fn insert(&self, _: &mut (), (value,): (i64,)) -> Result<()> {
        panic!("no row like {value}")
    }

    fn merge(&self, _: &mut (), _: ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, _: ()) -> i64 {
        0
    }
}

fn scalars(engine: &Engine) -> Result<()> {
    engine.register_scalar(ScalarFunction::new("my_half", |value: f64| value / 2.0))?;
    engine.register_scalar(ScalarFunction::new("my_next", |value: i64| {
        value.checked_add(1).ok_or(multiloop::Error::new(ErrorKind::NumericOverflow, "bigint out of range"))
    }))?;
    engine.register_scalar(ScalarFunction::new("my_length", |text: String| text.chars().count() as i32))?;
    engine.register_scalar(ScalarFunction::new("my_upper", |text: String| text.to_uppercase()))?;
    engine.register_scalar(ScalarFunction::new("my_money", |value: Numeric| value).returns(DataType::Numeric))?;
    let days = |date: ArrayRef, more: ArrayRef| -> ArrayRef {
        let dates = date.as_primitive::<multiloop::arrow::datatypes::Date32Type>();
        let more = more.as_primitive::<multiloop::arrow::datatypes::Int32Type>();
        let sums = dates.iter().zip(more.iter()).map(|(day, more)| Some(day?.saturating_add(more?)));
        Arc::new(sums.collect::<multiloop::arrow::array::Date32Array>())
    };
    engine.register_scalar(ScalarFunction::of_arrays(
        "my_later",
        [DataType::Date, DataType::Integer],
        DataType::Date,
        move |arguments, _| Ok::<_, String>(days(Arc::clone(&arguments[0]), Arc::clone(&arguments[1]))),
    ))?;
    engine
        .register_scalar(ScalarFunction::new("my_or_zero", |value: Option<i64>| value.unwrap_or(0)).called_on_null())?;
    engine.register_scalar(ScalarFunction::new("my_some", |value: i64| (value != 10).then_some(value)))?;
    engine.register_scalar(ScalarFunction::new("my_not", |value: bool| !value))?;
    engine.register_scalar(ScalarFunction::new("my_sum", |values: Vec<i64>| values.iter().sum::<i64>()))?;
    engine.register_scalar(ScalarFunction::new("my_wait", |hours: i32| Interval {
        months: 0,
        days: 0,
        micros: i64::from(hours) * 3_600_000_000,
    }))?;
    // Overloads: by types, and by how many arguments there are.
    engine.register_scalar(ScalarFunction::new("my_kind", |_: i64| "bigint"))?;
    engine.register_scalar(ScalarFunction::new("my_kind", |_: f64| "double"))?;
    engine.register_scalar(ScalarFunction::new("my_kind", |_: String| "text"))?;
    engine.register_scalar(ScalarFunction::new("my_kind", |_: i64, _: i64| "two"))?;
    engine.register_scalar(ScalarFunction::new("my_kind", || "none"))
}

fn aggregates(engine: &Engine) -> Result<()> {
    engine.register_aggregate(AggregateFunction::new("my_total", Total))?;
    engine.register_aggregate(AggregateFunction::new("my_sum_of_all", Total).commutative())?;
    engine.register_aggregate(AggregateFunction::new("my_bits", Bits).commutative())?;
    engine.register_aggregate(AggregateFunction::new("my_bits_or_null", Bits).commutative().null_of_no_rows())?;
    engine.register_aggregate(AggregateFunction::new("my_broken_state", Broken).commutative())?;
    engine.register_aggregate(AggregateFunction::new("my_chain", Chain).called_on_null())?;
    engine.register_aggregate(AggregateFunction::new("my_chain_or_null", Chain).null_of_no_rows())?;
    engine.register_aggregate(AggregateFunction::new("my_broken", Broken))
}

fn series_function(engine: &Engine) -> Result<()> {
    let schema =
        Arc::new(Schema::new(vec![Field::new("n", Arrow::Int64, false), Field::new("name", Arrow::Utf8, true)]));
    let of = Arc::clone(&schema);
    engine.register_table_function(TableFunction::new("my_series", schema, move |first: i64, last: i64| {
        let numbers = Int64Array::from_iter_values(first..=last);
        let names: StringArray = (first..=last).map(|n| (n % 2 == 0).then(|| n.to_string())).collect();
        RecordBatch::try_new(Arc::clone(&of), vec![Arc::new(numbers), Arc::new(names)]).map(|batch| vec![batch])
    }))
}

/// Sessions of one engine with everything: on the interpreter and on the processors, with rules and without.
fn sessions(threads: usize) -> Vec<Session> {
    sessions_of(Engine::builder().threads(threads).build().expect("an engine"))
}

fn sessions_of(engine: Engine) -> Vec<Session> {
    scalars(&engine).and_then(|()| aggregates(&engine)).and_then(|()| series_function(&engine)).expect("functions");
    engine.session().sql(NASTY).expect("a table");
    engine
        .session()
        .sql("CREATE TABLE many AS SELECT n, n % 7 AS k, CASE WHEN n % 5 = 0 THEN NULL ELSE n * 3 END AS v, 'w' || n % 100 AS w
              FROM generate_series(1::bigint, 40000) g(n)")
        .expect("many rows");
    let session = |way: &Way| {
        let mut session = engine.session();
        way.set(&mut session);
        session
    };
    WAYS.iter().map(session).collect()
}

/// Both queries of each pair have the same rows everywhere.
fn same(pairs: &[(&str, &str)]) {
    let beside = Engine::builder().threads(2).devices(Devices::row_by_row(1)).build().expect("an engine");
    for (threads, sessions) in [(1, sessions(1)), (3, sessions(3)), (2, vec![sessions_of(beside).swap_remove(2)])] {
        for session in sessions {
            for (own, of_sql) in pairs {
                let (own_answer, sql_answer) = (answer(&session, own), answer(&session, of_sql));
                let is_of_data = !matches!(&sql_answer, Answer::Error(state, _) if !state.starts_with("22"));
                assert!(is_of_data, "{of_sql}: {sql_answer:?}");
                assert_eq!(rows(&own_answer), rows(&sql_answer), "{threads} threads: {own}");
            }
        }
    }
}

/// Rows, or the SQLSTATE.
fn rows(answer: &Answer) -> Vec<Vec<String>> {
    match answer {
        Answer::Rows(_, rows) => rows.clone(),
        Answer::Done(done) => vec![vec![done.clone()]],
        Answer::Error(state, _) => vec![vec![state.clone()]],
    }
}

fn fails(session: &Session, sql: &str, state: &str, says: &str) {
    match answer(session, sql) {
        Answer::Error(found, message) => {
            assert_eq!(found, state, "{sql}: {message}");
            assert!(message.contains(says), "{sql}: {message}");
        }
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn scalars_are_as_those_of_sql() {
    let pairs = [
        (
            "SELECT id, my_half(d), my_half(b), my_half(m) FROM nasty ORDER BY id",
            "SELECT id, d / 2, b::double precision / 2, m::double precision / 2 FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_next(b) FROM nasty WHERE b < 9223372036854775807 ORDER BY id",
            "SELECT b + 1 FROM nasty WHERE b < 9223372036854775807 ORDER BY id",
        ),
        ("SELECT my_next(b) FROM nasty", "SELECT b + 1 FROM nasty"),
        (
            "SELECT my_length(t), my_upper(t) FROM nasty ORDER BY id",
            "SELECT length(t), CASE WHEN id = 4 THEN 'STRASSE' ELSE upper(t) END FROM nasty ORDER BY id",
        ),
        ("SELECT my_money(m) FROM nasty ORDER BY id", "SELECT m::numeric FROM nasty ORDER BY id"),
        (
            "SELECT my_later(day, id) FROM nasty WHERE id NOT IN (3, 4) ORDER BY id",
            "SELECT day + id FROM nasty WHERE id NOT IN (3, 4) ORDER BY id",
        ),
        (
            "SELECT my_or_zero(b), my_some(b), my_not(yes) FROM nasty ORDER BY id",
            "SELECT coalesce(b, 0), nullif(b, 10), NOT yes FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_sum(ARRAY[id, 2, 3]), my_wait(id) FROM nasty ORDER BY id",
            "SELECT id + 5, id * interval '1 hour' FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_half(v), my_length(w) FROM many WHERE my_next(n) % 3 = 0 AND my_upper(w) > 'W5' ORDER BY my_some(n) DESC",
            "SELECT v::double precision / 2, length(w) FROM many WHERE (n + 1) % 3 = 0 AND upper(w) > 'W5' ORDER BY n DESC",
        ),
        (
            "SELECT my_upper(w), count(*), sum(my_or_zero(v)) FROM many GROUP BY my_upper(w) HAVING my_length(my_upper(w)) > 2 ORDER BY 1",
            "SELECT upper(w), count(*), sum(coalesce(v, 0)) FROM many GROUP BY upper(w) HAVING length(upper(w)) > 2 ORDER BY 1",
        ),
        ("SELECT my_length(t) FROM nasty WHERE false", "SELECT length(t) FROM nasty WHERE false"),
        (
            "SELECT a.id, b.id FROM nasty a JOIN nasty b ON my_or_zero(a.b) = my_or_zero(b.b) ORDER BY 1, 2",
            "SELECT a.id, b.id FROM nasty a JOIN nasty b ON coalesce(a.b, 0) = coalesce(b.b, 0) ORDER BY 1, 2",
        ),
        (
            "SELECT my_next((SELECT max(n) FROM many)), my_half(3), my_length(NULL), my_length('abc')",
            "SELECT 40001, 1.5::double precision, NULL, 3",
        ),
        (
            "SELECT my_kind(1), my_kind(1::bigint), my_kind(1.5::real), my_kind('a'), my_kind(1, 2), my_kind(), my_kind('x'::varchar(3))",
            "SELECT 'double', 'bigint', 'double', 'text', 'two', 'none', 'text'",
        ),
        // Rows that do not reach it do not fail.
        (
            "SELECT CASE WHEN b < 9223372036854775807 THEN my_next(b) END FROM nasty ORDER BY id",
            "SELECT CASE WHEN b < 9223372036854775807 THEN b + 1 END FROM nasty ORDER BY id",
        ),
        (
            "SELECT count(*) FROM nasty WHERE b < 100 AND my_next(b) > 0",
            "SELECT count(*) FROM nasty WHERE b < 100 AND b + 1 > 0",
        ),
    ];
    same(&pairs);
}

#[test]
fn aggregates_are_as_those_of_sql() {
    let pairs = [
        (
            "SELECT my_chain(t, id ORDER BY id) FROM nasty",
            "SELECT string_agg(repeat(coalesce(t, '-'), least(id, 2)), '' ORDER BY id) FROM nasty",
        ),
        ("SELECT my_total(v) FROM many", "SELECT sum(v)::bigint FROM many"),
        (
            "SELECT k, my_total(v), my_total(DISTINCT n % 3) FROM many GROUP BY k ORDER BY k",
            "SELECT k, sum(v)::bigint, sum(DISTINCT n % 3)::bigint FROM many GROUP BY k ORDER BY k",
        ),
        ("SELECT my_total(b) FROM nasty WHERE false", "SELECT sum(b) FROM nasty WHERE false"),
        ("SELECT my_total(b) FILTER (WHERE id = 2) FROM nasty", "SELECT NULL"),
        ("SELECT my_total(b) FROM nasty WHERE b > 0", "SELECT (sum(b) - 10)::bigint + 10 FROM nasty WHERE b > 0"),
        ("SELECT my_chain(t, id), my_chain_or_null(t, id) FROM nasty WHERE false", "SELECT '', NULL"),
        ("SELECT my_chain_or_null(t, id ORDER BY id DESC) FROM nasty WHERE id < 6", "SELECT 'aaStraßeStraßea'"),
        (
            "SELECT k, length(my_chain(w, 1)) FROM many GROUP BY k ORDER BY k",
            "SELECT k, sum(length(w)) FROM many GROUP BY k ORDER BY k",
        ),
        (
            "SELECT id, my_total(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM nasty ORDER BY id",
            "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM nasty ORDER BY id",
        ),
        (
            "SELECT k FROM many GROUP BY k HAVING my_total(v) > 274285000 ORDER BY my_total(v)",
            "SELECT k FROM many GROUP BY k HAVING sum(v) > 274285000 ORDER BY sum(v)",
        ),
    ];
    same(&pairs);
}

#[test]
fn table_functions_give_rows() {
    let pairs = [
        ("SELECT * FROM my_series(1, 4)", "VALUES (1, NULL), (2, '2'), (3, NULL), (4, '4')"),
        ("SELECT sum(n), count(name) FROM my_series(1, 70000) s", "SELECT 2450035000, 35000"),
        ("SELECT * FROM my_series(3, 1)", "SELECT 1, 'a' WHERE false"),
        ("SELECT * FROM my_series(NULL, 1)", "SELECT 1, 'a' WHERE false"),
        (
            "SELECT s.a, m.k FROM my_series(1, 2 + 1) AS s(a, b) JOIN many m ON m.n = s.a ORDER BY 1",
            "SELECT n, k FROM many WHERE n <= 3 ORDER BY 1",
        ),
        ("SELECT my_next(n) FROM my_series(1, 2) ORDER BY n", "VALUES (2), (3)"),
        ("WITH t AS (SELECT * FROM my_series(1, 2)) SELECT count(*) FROM t a, t b", "SELECT 4"),
    ];
    same(&pairs);
    let session = &sessions(2)[0];
    let sum = session.prepare("SELECT sum(n)::bigint FROM my_series($1, $2)").expect("prepared");
    for (last, expected) in [(3, 6), (10, 55)] {
        assert_eq!(sum.query_scalar::<i64>(session, params![1, last]), Ok(expected));
    }
    fails(session, "SELECT * FROM my_series(1, 2, 3)", "42883", "my_series(integer, integer, integer)");
    fails(session, "SELECT * FROM nasty, my_series(1, nasty.id)", "0A000", "my_series");
    fails(session, "SELECT my_series(1, 2)", "42883", "my_series");
}

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

#[test]
fn functions_are_of_all_sessions() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let (one, other) = (engine.session(), engine.session());
    let prepared = one.prepare("SELECT length('a')").expect("prepared");
    one.register_scalar(ScalarFunction::new("Answer", || 41)).expect("a function");
    assert_eq!(other.query_scalar::<i32>("SELECT answer()", ()), Ok(41));
    other.sql("CREATE VIEW v AS SELECT answer() + n AS a FROM generate_series(1, 2) g(n)").expect("a view");
    let kept = other.prepare("SELECT answer()").expect("prepared");
    assert_eq!(kept.query_scalar::<i32>(&other, ()), Ok(41));
    // Another one in its place: plans and views are made anew.
    other.register_scalar(ScalarFunction::new("answer", || 42)).expect("a function");
    assert_eq!(kept.query_scalar::<i32>(&other, ()), Ok(42));
    assert_eq!(one.query_scalar::<i64>("SELECT sum(a) FROM v", ()), Ok(87));
    assert!(engine.remove_function("ANSWER"));
    for sql in ["SELECT answer()", "SELECT * FROM v"] {
        fails(&one, sql, "42883", "function answer() does not exist");
    }
    assert_eq!(kept.query_scalar::<i32>(&other, ()).expect_err("it is gone").sqlstate(), "42883");
    assert_eq!(prepared.query_scalar::<i32>(&one, ()), Ok(1));
    let apart = Engine::new().expect("an engine").session();
    fails(&apart, "SELECT answer()", "42883", "answer()");
}

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

#[test]
fn the_catalog_lists_them() {
    for session in sessions(1) {
        let own = "SELECT proname, prokind, provolatile, proisstrict, proretset, prorettype::regtype, pronargs, pg_get_function_arguments(oid) \
                   FROM pg_proc WHERE proname IN ('my_or_zero', 'my_later', 'my_total', 'my_series') ORDER BY 1";
        let expected = "VALUES ('my_later', 'f', 'i', true, false, 'date', 2, 'date, integer'), \
                        ('my_or_zero', 'f', 'i', false, false, 'bigint', 1, 'bigint'), \
                        ('my_series', 'f', 'v', false, true, 'record', 2, 'bigint, bigint'), \
                        ('my_total', 'a', 'i', false, false, 'bigint', 1, 'bigint')";
        assert_eq!(rows(&answer(&session, own)), rows(&answer(&session, expected)));
        session.register_scalar(ScalarFunction::new("my_newest", || 1)).expect("a function");
        assert_eq!(rows(&answer(&session, "SELECT count(*) FROM pg_proc WHERE proname = 'my_newest'")), [["1"]]);
        assert_eq!(rows(&answer(&session, "SELECT count(*) - count(DISTINCT oid) FROM pg_proc")), [["0"]]);
    }
}

#[test]
fn they_stand_wherever_functions_do() {
    for session in sessions(2) {
        let run = |sql: &str| session.sql(sql).map(drop).expect(sql);
        run("CREATE TABLE made AS SELECT n, my_next(n) AS m FROM my_series(1, 3)");
        run("INSERT INTO made SELECT n, my_next(n) FROM my_series(4, 5)");
        run("CREATE TABLE kept (a bigint CHECK (my_next(a) > 1), b integer DEFAULT my_length('abc'))");
        run("INSERT INTO kept (a) VALUES (1)");
        run("CREATE VIEW seen AS SELECT my_upper(name) AS name, my_total(n) OVER () AS all FROM my_series(1, 2)");
        fails(&session, "INSERT INTO kept (a) VALUES (0)", "23514", "");
        let pairs = [
            ("SELECT n, m FROM made ORDER BY n", "VALUES (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)"),
            ("SELECT a, b FROM kept", "SELECT 1, 3"),
            ("SELECT * FROM seen ORDER BY name", "VALUES ('2', 3), (NULL, 3)"),
            ("SELECT list_transform([1, 2, NULL], lambda x: my_next(x))", "SELECT ARRAY[2, 3, NULL]"),
            (
                "SELECT (SELECT my_total(n) FROM made m WHERE m.n <= k.n) FROM made k ORDER BY k.n",
                "VALUES (1), (3), (6), (10), (15)",
            ),
            ("SELECT my_next(n) FROM made UNION SELECT my_next(1) ORDER BY 1", "VALUES (2), (3), (4), (5), (6)"),
            (
                "SELECT my_next(n) AS x, my_total(n) FROM made GROUP BY ROLLUP (my_next(n)) ORDER BY 1",
                "VALUES (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (NULL, 15)",
            ),
        ];
        for (own, of_sql) in pairs {
            let expected = answer(&session, of_sql);
            assert!(matches!(expected, Answer::Rows(..)), "{of_sql}: {expected:?}");
            assert_eq!(rows(&answer(&session, own)), rows(&expected), "{own}");
        }
        let prepared =
            session.prepare("SELECT sum(n)::bigint FROM my_series(1, 3) WHERE my_next(n) > 1").expect("prepared");
        for _ in 0..2 {
            assert_eq!(prepared.query_scalar::<i64>(&session, ()), Ok(6));
        }
        assert_eq!(session.query_scalar::<i64>("SELECT my_next($1)", params![41]), Ok(42));
        assert_eq!(session.query_scalar::<i64>("SELECT my_total(n) FROM my_series($1, 4)", params![3]), Ok(7));
        run("DROP VIEW seen; DROP TABLE kept; DROP TABLE made");
    }
}

#[test]
fn functions_run_no_statements() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let inner = engine.session();
    let lock = std::sync::Mutex::new(inner);
    engine
        .register_scalar(ScalarFunction::new("nested", move |n: i64| {
            let session = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            session.query_scalar::<i64>("SELECT sum(n)::bigint FROM generate_series(1, $1) g(n)", params![n])
        }))
        .expect("a function");
    let session = engine.session();
    fails(
        &session,
        "SELECT sum(nested(n)) FROM generate_series(1, 100000) g(n)",
        "0A000",
        "a statement within a function",
    );
    assert_eq!(rows(&answer(&session, "SELECT 1")), [["1"]]);
}
