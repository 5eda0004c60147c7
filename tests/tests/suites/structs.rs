//! Structs as rows: out of results and into tables by name, and what does not fit.

use multiloop::{
    AppendField, Date, Decimal, Engine, Error, Interval, Numeric, Result, Row, RowWriter, ScalarFunction, Session,
    Time, Timestamp, TimestampTz, Uuid, Value, Volatility,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Row, Debug, Clone, PartialEq)]
#[row(table = "trips", prefix = "t_")]
struct Trip {
    city: String,
    km: Option<f64>,
    #[row(name = "Number")]
    number: i64,
    r#type: i16,
}

fn session(sql: &str) -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine").session();
    session.sql(sql).expect("tables");
    session
}

fn trips() -> Session {
    session(
        "CREATE TABLE trips (t_type smallint, \"Number\" bigint NOT NULL, t_note text DEFAULT 'none', t_city text, t_km \
         double precision CHECK (t_km <> 13))",
    )
}

fn trip(number: i64) -> Trip {
    let km = (number % 3 != 0).then_some(number as f64 / 4.0 + 0.125);
    Trip { city: format!("city {number}"), km, number, r#type: (number % 100) as i16 }
}

fn all<T: multiloop::FromRow>(session: &Session, sql: &str) -> Result<Vec<T>> {
    session.query_as::<T>(sql, ())?.collect()
}

fn state<T>(result: Result<T>) -> std::result::Result<T, &'static str> {
    result.map_err(|error| error.sqlstate())
}

fn count(session: &Session) -> i64 {
    session.query_scalar("SELECT count(*) FROM trips", ()).expect("a count")
}

#[test]
fn there_and_back_by_name() {
    let session = trips();
    let given: Vec<Trip> = (1..=70_000).map(trip).collect();
    assert_eq!(session.insert("trips", &given), Ok(70_000));
    assert_eq!(session.insert("trips", given.iter().take(0)), Ok(0));
    assert_eq!(all::<Trip>(&session, "SELECT * FROM trips ORDER BY \"Number\"").expect("rows"), given);
    assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM trips WHERE t_note = 'none'", ()), Ok(70_000));
    // Places of columns are those of the result, whatever the order, and extra columns do not matter.
    let sql = "SELECT \"Number\", 'x' AS x, t_city, t_km, t_type FROM trips WHERE \"Number\" = $1";
    assert_eq!(session.query_as::<Trip>(sql, [7]).expect("rows").next(), Some(Ok(trip(7))));
    assert_eq!(session.query_one::<Trip>(sql, [9]), Ok(trip(9)));
    // Rows of one result as two structs.
    #[derive(Row, Debug, PartialEq)]
    #[row(untyped)]
    struct Short {
        #[row(name = "Number")]
        number: u8,
    }
    let both = session.query_map(sql, [7], |row| {
        use multiloop::FromRow as _;
        Ok((Trip::from_row(row)?, Short::from_row(row)?, Trip::from_row(row)?))
    });
    let both: Vec<_> = both.expect("rows").collect::<Result<_>>().expect("they fit");
    assert_eq!(both, [(trip(7), Short { number: 7 }, trip(7))]);
    assert_eq!(state(session.query_one::<Short>(sql, [300])), Err("22003"));
}

#[test]
fn results_that_do_not_fit() {
    let session = trips();
    let error =
        |columns: &str| all::<Trip>(&session, &format!("SELECT {columns} WHERE false")).expect_err("it does not fit");
    let right = "1::smallint AS t_type, 1 AS \"Number\", 'x' AS t_city";
    let wrong = error(&format!("{right}, 'far' AS t_km"));
    assert_eq!(wrong.message(), "column \"t_km\" is of type text, which does not become Trip::km, of type Option<f64>");
    assert_eq!(wrong.subject().and_then(|subject| subject.column.as_deref()), Some("t_km"));
    let lacking = error(&format!("{right}, 1.5 AS t_kn"));
    assert_eq!((lacking.sqlstate(), lacking.message()), ("42703", "column \"t_km\" does not exist"));
    assert!(lacking.detail().is_some_and(|detail| detail.starts_with("The field Trip::km needs it.")), "{lacking:?}");
    assert_eq!(lacking.hint(), Some("Did you mean \"t_kn\"?"));
    assert_eq!(error(&format!("{right}, 1.5 AS t_km, 2 AS t_km")).sqlstate(), "42702");
    assert_eq!(error("1 AS \"number\"").sqlstate(), "42703");
    // NULL where there is none, and numbers out of range.
    let of = |row: &str| state(session.query_one::<Trip>(&format!("SELECT {row}, NULL::real AS t_km"), ()));
    assert_eq!(of("NULL::text AS t_city, 1 AS \"Number\", 2 AS t_type"), Err("22002"));
    assert_eq!(of("'' AS t_city, 1 AS \"Number\", 70000 AS t_type"), Err("22003"));
    let good = Trip { city: String::new(), km: None, number: 1, r#type: 2 };
    assert_eq!(of("'' AS t_city, 1 AS \"Number\", 2 AS t_type"), Ok(good));
}

#[test]
fn all_rows_or_none() {
    let session = trips();
    let bad =
        |at: i64, km: f64| (1..=300_000).map(move |n| if n == at { Trip { km: Some(km), ..trip(n) } } else { trip(n) });
    let error = session.insert("trips", bad(290_000, 13.0)).expect_err("the CHECK");
    assert_eq!((error.sqlstate(), error.subject().and_then(|subject| subject.row)), ("23514", Some(290_000)));
    let error = session.insert("trips", bad(1, 13.0)).expect_err("the CHECK");
    assert_eq!((error.sqlstate(), count(&session)), ("23514", 0));
    // An iterator that fails, one that panics, one that uses the session, and one that is cancelled.
    let error = session.insert("trips", (1..).map(|n| if n == 500_000 { panic!("at {n}") } else { trip(n) }));
    assert!(error.is_err_and(|error| error.sqlstate() == "XX000" && error.message().contains("at 500000")));
    assert_eq!(count(&session), 0);
    let nested = (1..=2).map(|n| trip(n + session.query_scalar::<i64>("SELECT count(*) FROM trips", ()).expect("0")));
    assert_eq!((session.insert("trips", nested), count(&session)), (Ok(2), 2));
    let used = session.engine().memory_used();
    let handle = session.cancel_handle();
    let endless = (1..)
        .inspect(|&n| {
            if n == 10_000 {
                handle.cancel()
            }
        })
        .map(trip);
    assert_eq!((state(session.insert("trips", endless)), count(&session)), (Err("57014"), 2));
    assert_eq!(session.engine().memory_used(), used);
    // A transaction's end decides, and an insert that fails is a statement that fails.
    session.sql("BEGIN").expect("a transaction");
    assert_eq!(session.insert("trips", [trip(1)]), Ok(1));
    session.sql("ROLLBACK").expect("nothing stays");
    session.sql("BEGIN").expect("a transaction");
    assert_eq!(state(session.insert("trips", [trip(1), Trip { km: Some(13.0), ..trip(2) }])), Err("23514"));
    assert_eq!(state(session.insert("trips", [trip(1)])), Err("25P02"));
    session.sql("ROLLBACK").expect("the end");
    assert_eq!(count(&session), 2);
}

#[test]
fn tables_that_do_not_fit() {
    let session = session(
        "CREATE TABLE other (a int, b text); CREATE TABLE types (t_type text, \"Number\" int, t_km real, t_city varchar(3))",
    );
    assert_eq!(state(session.insert("nothing", [trip(1)])), Err("42P01"));
    assert_eq!(state(session.insert("other", [trip(1)])), Err("42703"));
    assert_eq!(state(session.insert("other", Vec::<Trip>::new())), Err("42703"));
    // Values are cast as INSERT casts them.
    assert_eq!(state(session.insert("types", [trip(1)])), Err("22001"));
    let short = Trip { city: "abc".to_owned(), number: 1 << 40, ..trip(1) };
    assert_eq!(state(session.insert("types", [&short])), Err("22003"));
    assert_eq!(session.insert("types", [&Trip { number: 5, ..short }]), Ok(1));
    assert_eq!(
        session.query_one::<(String, i32, f32, String)>("TABLE types", ()),
        Ok(("1".into(), 5, 0.375, "abc".into()))
    );
    // A struct does not go into columns of other names by place.
    let mut appender = session.appender("types").expect("an appender");
    let error = appender.push(trip(1)).expect_err("other columns");
    assert_eq!(error.sqlstate(), "42804");
    assert!(error.message().starts_with("the columns of the row are \"t_city\""), "{error}");
    let mut same = session.appender_of("types", &["t_city", "t_km", "Number", "t_type"]).expect("an appender");
    assert_eq!(same.push(Trip { city: "x".to_owned(), ..trip(1) }), Ok(()));
    assert_eq!(state(same.push((1, 2))), Err("42601"));
    assert_eq!(same.finish(), Ok(1));
}

struct Wrapped(u32);

impl AppendField for Wrapped {
    fn append_field(&self, row: &mut RowWriter<'_>) -> Result<()> {
        row.text(&format!("2026-01-{}", self.0))
    }
}

#[test]
fn fields_of_all_types() {
    let columns = "a boolean, b smallint, c int, d bigint, e real, f double precision, g decimal(23,2), h numeric, i text, j bytea, \
                   k interval, l uuid, m int[], n date, o text[]";
    let session = session(&format!("CREATE TABLE t ({columns})"));
    let row = (
        (true, 1_i8, u16::MAX, u64::MAX >> 1, 0.1_f32, f64::NAN),
        (
            i128::from(u64::MAX),
            u128::MAX,
            Arc::<str>::from("x"),
            vec![0_u8, 255],
            Interval { days: 1, ..Interval::default() },
        ),
    );
    let ((a, b, c, d, e, f), (g, h, i, j, k)) = row;
    let mut appender = session.appender_of("t", &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]).expect("one");
    appender.push((a, b, c, d, e, f, g, h, &i, j, k)).expect("it fits");
    appender
        .push((false, 1.4, "7", 8_usize, 0.1, 0.1_f32, 0.1_f32, Numeric::from_integer(5), "", "\\x01", "1 day"))
        .expect("cast");
    assert_eq!(appender.finish(), Ok(2));
    let shown: Vec<String> = session
        .query_map("SELECT a, b, c, d, e, f, g, h, i, j, k FROM t", (), |row| {
            (0..11)
                .map(|at| Ok(row.text(at)?.unwrap_or_default()))
                .collect::<Result<Vec<_>>>()
                .map(|texts| texts.join("|"))
        })
        .and_then(Iterator::collect)
        .expect("texts");
    let most = u128::MAX.to_string();
    assert_eq!(
        shown[0],
        format!("t|1|65535|9223372036854775807|0.1|NaN|18446744073709551615.00|{most}|x|\\x00ff|1 day")
    );
    assert_eq!(shown[1], "f|1|7|8|0.1|0.10000000149011612|0.10|5||\\x01|1 day");
    let mut appender = session.appender_of("t", &["l", "m", "n", "o"]).expect("one");
    let none = None::<Vec<Option<&str>>>;
    appender.push(([255_u8; 16], vec![Some(1), None], Wrapped(2), Some(vec!["a", "b,c"]))).expect("it fits");
    appender.push((None::<Value>, None::<[i32; 2]>, None::<Wrapped>, none)).expect("NULLs");
    appender
        .push(("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{1,2}", "2026-02-01", Vec::<String>::new()))
        .expect("literals");
    for wrong in [
        appender.push((vec![1_u8], "{}", "2026-01-01", "{}")),
        appender.push(([0_u8; 16], vec![0.5], "2026-01-01", "{}")),
        appender.push(([0_u8; 16], vec![1_i64 << 40], "2026-01-01", "{}")),
        appender.push(([0_u8; 16], [[1]; 1], true, "{}")),
    ] {
        assert_eq!(state(wrong), Err("42804"));
    }
    assert_eq!(state(appender.push(([0_u8; 16], "{}", "2026-02-30", "{}"))), Err("22008"));
    assert_eq!(appender.finish(), Ok(3));
    assert_eq!(
        session.query_scalar::<String>("SELECT string_agg(o::text, ' ') FROM t", ()),
        Ok("{a,\"b,c\"} {}".to_owned())
    );
    assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM t WHERE l IS NULL AND m IS NULL", ()), Ok(3));
}

/// A crate that allows little, with names that shadow the prelude's.
mod strict {
    #![deny(warnings, clippy::pedantic)]

    type Option = ();
    type Result = Option;

    #[derive(multiloop::Row, Debug, Clone, PartialEq)]
    pub(super) struct Strict {
        pub(super) row: i32,
        pub(super) columns: ::core::option::Option<bool>,
        pub(super) fields: String,
    }

    pub(super) fn nothing() -> Result {}
}

macro_rules! made {
    ($name:ident, $field:ident, $of:ty) => {
        #[derive(Row, Debug, PartialEq)]
        #[row(untyped)]
        struct $name {
            $field: $of,
            own: i32,
        }
    };
}

made!(Made, given, Vec<i64>);

#[test]
fn structs_of_macros_and_odd_names() {
    let session = session(
        "CREATE TABLE strict (fields text, \"row\" int, columns boolean); CREATE TABLE made (own int, given bigint[])",
    );
    strict::nothing();
    let strict = strict::Strict { row: 1, columns: None, fields: "x".to_owned() };
    assert_eq!(session.insert("strict", [&strict]), Ok(1));
    assert_eq!(session.query_one::<strict::Strict>("TABLE strict", ()), Ok(strict));
    let made = Made { given: vec![1, 2], own: 3 };
    assert_eq!(session.insert("made", std::iter::once(&made)), Ok(1));
    assert_eq!(session.query_one::<Made>("TABLE made", ()), Ok(made));
}

#[test]
fn an_error_says_its_row_and_column() {
    let session = session("CREATE TABLE trips (t_type smallint, \"Number\" bigint, t_city text NOT NULL, t_km int)");
    let error: Error =
        session.insert("trips", [trip(1), Trip { km: Some(1e300), ..trip(2) }]).expect_err("out of range");
    let subject = error.subject().expect("a row");
    assert_eq!((error.sqlstate(), subject.row, subject.column.as_deref()), ("22003", Some(2), Some("t_km")));
}

/// A row of all types that queries have.
#[derive(Row, Debug, Clone, PartialEq)]
#[row(table = "everything")]
struct Everything {
    /// Which one.
    pub id: i64,
    pub truth: Option<bool>,
    pub small: Option<i16>,
    pub int: Option<i32>,
    pub single: Option<f32>,
    pub double: Option<f64>,
    pub exact: Option<Numeric>,
    pub price: Option<Decimal>,
    pub span: Option<Interval>,
    pub day: Option<Date>,
    pub time: Option<Time>,
    pub moment: Option<Timestamp>,
    pub instant: Option<TimestampTz>,
    pub uuid: Option<Uuid>,
    pub name: Option<String>,
    pub bytes: Option<Vec<u8>>,
}

fn everything(id: i64) -> Everything {
    let some = id % 2 == 1;
    Everything {
        id,
        truth: some.then_some(true),
        small: some.then_some(i16::MIN),
        int: some.then_some(i32::MAX),
        single: some.then_some(f32::MIN_POSITIVE),
        double: some.then_some(-0.5),
        exact: some
            .then(|| "123456789012345678901234567890.5".parse::<Decimal>().map(Numeric::from).expect("a number")),
        price: some.then(|| Decimal::new(-1_250, 2).expect("a decimal")),
        span: some.then_some(Interval { months: 1, days: -2, micros: 3 }),
        day: some.then(|| Date::new(2024, 2, 29).expect("a day")),
        time: some.then(|| Time::new(23, 59, 59.5).expect("a time")),
        moment: some.then_some(Timestamp::from_micros(-1)),
        instant: some.then_some(TimestampTz::from_micros(1)),
        uuid: some.then_some(Uuid::from_bytes([255; 16])),
        name: some.then(|| "\u{1F34E}".to_owned()),
        bytes: some.then(|| vec![0, 255]),
    }
}

fn of_everything() -> Session {
    session(
        "CREATE TABLE everything (bytes bytea, id bigint, truth boolean, small smallint, int int, single real, double double \
         precision, exact numeric, price decimal(10,2), span interval, day date, time time, moment timestamp, instant timestamptz, \
         uuid uuid, name varchar(5), extra int)",
    )
}

#[test]
fn tables_as_queries_of_twins() {
    let session = of_everything();
    let given: Vec<Everything> = (1..=4).map(everything).collect();
    assert_eq!(session.insert("everything", &given), Ok(4));
    assert_eq!(all::<Everything>(&session, "TABLE everything").expect("rows"), given);
    let rows = session.rows_of::<Everything>().expect("it fits");
    assert_eq!(rows.order_by(|row| row.id).collect().expect("rows"), given);
    let odd = rows.filter(|row| row.day.is_not_null()).order_by(|row| row.id.desc());
    assert_eq!(odd.collect().expect("rows"), [everything(3), everything(1)]);
    // A twin is built of values, joined, and missing.
    let renamed = rows.select(|row| EverythingExpr { id: row.id + 10, small: row.small, ..row });
    let one = renamed.filter(|row| row.id.eq(11)).collect().expect("rows");
    assert_eq!(one, [Everything { id: 11, ..everything(1) }]);
    let pairs = rows.join(&rows, |a, b| a.id.eq(b.id + 1)).order_by(|(a, _)| a.id).collect().expect("pairs");
    assert_eq!(pairs, [(everything(2), everything(1)), (everything(3), everything(2)), (everything(4), everything(3))]);
    let left =
        rows.left_join(&rows, |a, b| a.id.eq(b.id - 3)).order_by(|(a, _)| a.id).take(2).collect().expect("pairs");
    assert_eq!(left, [(everything(1), Some(everything(4))), (everything(2), None)]);
    let empty = rows.filter(|row| row.id.gt(100)).collect().expect("none");
    assert_eq!(empty, []);
}

#[test]
fn tables_that_no_twin_has() {
    let session = session(
        "CREATE TABLE trips (t_city text, t_km int, \"Number\" bigint, t_type smallint); CREATE TABLE short \
         (t_cit text, t_km real); CREATE VIEW v AS SELECT t_city, t_km::float8 AS t_km, \"Number\", t_type FROM trips",
    );
    let error = session.rows_of::<Trip>().expect_err("km is an integer");
    let message =
        "column \"t_km\" of table \"trips\" is integer, but the field Trip::km is Option<f64> (double precision)";
    assert_eq!((error.sqlstate(), error.message()), ("42804", message));
    let error = session.rows_in::<Trip>("short").expect_err("t_city is not there");
    assert_eq!(
        error.message(),
        "column \"t_city\" of table \"short\" does not exist, but the field Trip::city needs it"
    );
    assert_eq!((error.sqlstate(), error.hint()), ("42703", Some("Did you mean \"t_cit\"?")));
    assert_eq!(state(session.rows_in::<Trip>("nothing").map(drop)), Err("42P01"));
    session.sql("INSERT INTO trips VALUES ('Bern', 9, 1, 2), (NULL, 9, 1, 2)").expect("rows");
    let view = session.rows_in::<Trip>("v").expect("it fits");
    let bern = Trip { city: "Bern".to_owned(), km: Some(9.0), number: 1, r#type: 2 };
    assert_eq!(view.filter(|trip| trip.city.eq("Bern")).collect(), Ok(vec![bern]));
    // Opening one runs nothing, whatever it is made of.
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let slow = ScalarFunction::new("slow", move |km: i64| {
        counted.fetch_add(1, Ordering::Relaxed);
        km as f64
    });
    session.engine().register_scalar(slow.volatility(Volatility::Volatile)).expect("it is registered");
    session
        .sql(
            "CREATE VIEW made AS SELECT t_city, slow(1) AS t_km, \"Number\", t_type FROM trips ORDER BY slow(t_km) LIMIT 1;
             CREATE VIEW fails AS SELECT 'x' AS t_city, slow(1 / (SELECT 0)) AS t_km, 1::bigint AS \"Number\", 1::smallint AS t_type",
        )
        .expect("views");
    let made = session.rows_in::<Trip>("made").expect("it fits");
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    assert_eq!(made.collect().map(|rows| rows.len()), Ok(1));
    assert!(calls.load(Ordering::Relaxed) > 0);
    assert_eq!(state(session.rows_in::<Trip>("fails").expect("it fits").collect()), Err("22012"));
    // A NULL where the struct has none is an error of the run.
    assert_eq!(state(view.collect()), Err("22002"));
    #[derive(Row, Debug)]
    struct Homeless {
        a: i32,
    }
    assert_eq!(state(session.rows_of::<Homeless>().map(drop)), Err("42P01"));
}

#[test]
fn days_and_decimals_are_cast() {
    let session = session("CREATE TABLE t (a timestamp, b date, c text, d decimal(6,1), e double precision, f int)");
    let day = Date::new(2024, 2, 29).expect("a day");
    let moment = Timestamp::from_micros(86_400_000_000 + 1);
    let price: Decimal = "12.25".parse().expect("a decimal");
    assert_eq!(session.insert("t", [(day, moment, day, price, price, price)]), Ok(1));
    let expected = ["2024-02-29 00:00:00", "1970-01-02", "2024-02-29", "12.3", "12.25", "12"];
    let shown = session.query_row("TABLE t", (), |row| (0..6).map(|at| row.text(at)).collect::<Result<Vec<_>>>());
    assert_eq!(
        shown.expect("a row").iter().map(|text| text.as_deref().unwrap_or_default()).collect::<Vec<_>>(),
        expected
    );
    let large: Decimal = "123456.5".parse().expect("a decimal");
    assert_eq!(state(session.insert("t", [(day, day, day, large, 0, 0)])), Err("22003"));
    assert_eq!(state(session.insert("t", [(day, day, day, 0, day, 0)])), Err("42804"));
}
