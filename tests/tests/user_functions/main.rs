//! Functions that a program registers, beside functions of SQL's own that mean the same: on the interpreter and on the
//! processors, with rules and without, with one worker and with three, over NULL, NaN, overflow, nothing and many rows; and what becomes of misuse.

mod calls;
mod careful;
mod misuse;
mod registered;
mod same_rows;

use multiloop::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use multiloop::arrow::datatypes::{DataType as Arrow, Field, Schema};
use multiloop::{
    Aggregate, AggregateFunction, DataType, Devices, Engine, ErrorKind, Interval, Numeric, Result, ScalarFunction,
    Session, TableFunction,
};
use multiloop_tests::{Answer, WAYS, Way, answer};
use std::sync::Arc;

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
