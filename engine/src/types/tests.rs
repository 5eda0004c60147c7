//! Rust's types against SQL: what they print, read, compare and compute is what statements say.

use super::*;
use crate::{Engine, Interval, Numeric, Session, date, decimal, params, time, timestamp};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

fn text(session: &Session, sql: &str) -> String {
    session.query_scalar(sql, ()).expect(sql)
}

/// Texts are read and printed as SQL reads and prints them, and what is none has the same SQLSTATE.
fn same_as_sql<T>(data_type: &str, texts: &[&str])
where
    T: FromStr<Err = Error> + std::fmt::Display + for<'r> crate::FromSql<'r> + crate::ToParameter + PartialEq,
{
    let session = session();
    for each in texts {
        let shown = session.query_scalar::<String>(&format!("SELECT ('{each}'::{data_type})::text"), ());
        match (each.parse::<T>(), shown) {
            (Ok(value), Ok(shown)) => {
                assert_eq!(value.to_string(), shown, "{each}");
                let back = session.query_scalar::<T>(&format!("SELECT $1::{data_type}"), params![value]).expect(each);
                assert!(back == value, "{each}");
                let row = session.query_one::<(T, Option<T>, Vec<T>)>(
                    &format!("SELECT '{each}'::{data_type}, NULL::{data_type}, ARRAY['{each}'::{data_type}]"),
                    (),
                );
                let (one, none, all) = row.expect(each);
                assert!(one == value && none.is_none() && all == [value], "{each}");
            }
            (Err(mine), Err(other)) => assert_eq!(mine.sqlstate(), other.sqlstate(), "{each}: {mine} / {other}"),
            (mine, other) => panic!("{each}: {:?} and {other:?}", mine.map(|value| value.to_string())),
        }
    }
}

#[test]
fn texts_are_those_of_sql() {
    let dates =
        ["1998-09-02", "4714-11-24 BC", "5874897-12-31", "5874898-01-01", "infinity", "-infinity", "0001-01-01"];
    same_as_sql::<Date>("date", &dates);
    same_as_sql::<Date>("date", &["0044-03-15 BC", "2026-02-29", "2 Sep 1998", "", "x", "1998-09-02 12:00", "epoch"]);
    same_as_sql::<Time>(
        "time",
        &["00:00", "24:00", "24:00:00.000001", "12:30:05.250000", "12:30 pm", "12", "-1:00", ""],
    );
    let moments = ["1998-09-02", "1998-09-02T12:30:05.000001", "infinity", "-infinity", "4714-11-24 00:00 BC", "25:00"];
    same_as_sql::<Timestamp>("timestamp", &moments);
    same_as_sql::<Timestamp>(
        "timestamp",
        &["294247-01-10 04:00:54.775806", "294276-12-31", "epoch", "1969-12-31 23:59"],
    );
    let session = session();
    session.sql("SET TIME ZONE 'Europe/Zurich'").expect("a zone");
    for each in ["1998-09-02 12:30+02", "1998-09-02 12:30 America/New_York", "infinity", "0044-03-15 12:00+00 BC"] {
        let value: TimestampTz = each.parse().expect(each);
        let sql = "SELECT $1::timestamptz = $2 AND $3::timestamptz = $1";
        assert!(session.query_scalar::<bool>(sql, params![value, each, value.to_string()]).expect(each), "{each}");
    }
    same_as_sql::<Uuid>(
        "uuid",
        &["a0eebc999c0b4ef8bb6d6bb9bd380a11", "{A0EEBC99-9C0B4EF8-BB6D6BB9-BD380A11}", "a0", ""],
    );
}

#[test]
fn decimals_are_numerics() {
    let ninety = "9".repeat(38);
    same_as_sql::<Decimal>(
        "numeric",
        &["0", "-0.00", "1.50", "1e3", "1e-38", ".5", "5.", "", "x", "1_0", " 7 ", &ninety],
    );
    for (text, state) in
        [("NaN", "22003"), ("Infinity", "22003"), ("1e38", "22003"), ("1e-39", "22003"), ("1 2", "22P02")]
    {
        assert_eq!(text.parse::<Decimal>().expect_err(text).sqlstate(), state, "{text}");
    }
    let long: Decimal = format!("0.{}{}", "1".repeat(38), "0".repeat(10)).parse().expect("zeros say nothing");
    assert_eq!(long.scale(), 38);
    let all = [
        "-1.5",
        "-1.50",
        "-1",
        "-0.1",
        "0",
        "0.00",
        "0.01",
        "0.010",
        "1",
        "1.000",
        "99999999999999999999999999999999999999",
    ];
    let (values, numerics): (Vec<Decimal>, Vec<Numeric>) =
        all.iter().map(|text| (text.parse::<Decimal>().expect(text), Numeric::parse(text).expect(text))).unzip();
    let hash = |value: &Decimal| {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    };
    for (a, one) in values.iter().zip(&numerics) {
        for (b, other) in values.iter().zip(&numerics) {
            assert_eq!(a.cmp(b), one.compare(other), "{a} {b}");
            assert_eq!(a == b, hash(a) == hash(b), "{a} {b}");
            let fits = |number: crate::Result<Numeric>| {
                let number = number.ok()?;
                let scale = u8::try_from(number.scale()?).ok()?;
                Decimal::new(number.unscaled_at(scale)?, scale)
            };
            assert_eq!(a.checked_add(*b), fits(one.add(other)), "{a} + {b}");
            assert_eq!(a.checked_sub(*b), fits(one.subtract(other)), "{a} - {b}");
            assert_eq!(a.checked_mul(*b), fits(one.multiply(other)), "{a} * {b}");
        }
        for scale in [0, 1, 2, 38] {
            let rounded = Decimal::try_from(&one.round(scale)).ok();
            assert_eq!(a.rescaled(scale as u8), rounded.and_then(|it| it.rescaled(scale as u8)), "{a} {scale}");
        }
        assert_eq!(a.to_f64(), one.to_double());
        assert_eq!((-*a).to_string(), one.negate().to_string());
    }
    for (value, text) in [(0.1, "0.1"), (1e20, "100000000000000000000"), (-2.5e-7, "-0.00000025"), (-0.0, "0")] {
        assert_eq!(Decimal::try_from(value).expect(text).to_string(), text);
    }
    for value in [f64::NAN, f64::INFINITY, 1e38, 1e-40] {
        assert_eq!(Decimal::try_from(value).expect_err("too much").sqlstate(), "22003", "{value}");
    }
}

#[test]
fn parameters_are_of_their_types() {
    let session = session();
    session
        .sql("CREATE TABLE t (d date, s timestamp, z timestamptz, n decimal(8,1), u uuid, w numeric)")
        .expect("a table");
    let id = Uuid::from_u128(7);
    let row = params![
        date!(2026 - 01 - 02),
        timestamp!(2026-01-02 12:00),
        timestamp!(2026-01-02 12:00).at_utc(),
        decimal!(12.5),
        id,
        decimal!(0.3333)
    ];
    session.execute("INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)", row).expect("of the types");
    for (sql, parameters, expected) in [
        ("SELECT d = $1 FROM t", params![date!(2026 - 01 - 02)], Some(true)),
        ("SELECT s > $1 FROM t", params![date!(2026 - 01 - 02)], Some(true)),
        ("SELECT d < $1 FROM t", params![timestamp!(2026-01-02 00:01)], Some(true)),
        ("SELECT d < $1 FROM t", params![Date::INFINITY], Some(true)),
        ("SELECT d < $1 FROM t", params![None::<Date>], None),
        ("SELECT d = ANY($1) FROM t", params![vec![date!(2026 - 01 - 02), Date::INFINITY]], Some(true)),
        ("SELECT d = ANY($1) FROM t", params![Vec::<Date>::new()], Some(false)),
        ("SELECT n > $1 FROM t", params![decimal!(12.46)], Some(true)),
        ("SELECT n = $1 FROM t", params![decimal!(12.500)], Some(true)),
        ("SELECT w * 3 < $1 FROM t", params![decimal!(1)], Some(true)),
        ("SELECT u = $1 FROM t", params![id], Some(true)),
        ("SELECT u = ANY($1) FROM t", params![[id]], Some(true)),
        ("SELECT s::time = $1 FROM t", params![time!(12:00)], Some(true)),
    ] {
        assert_eq!(session.query_scalar::<Option<bool>>(sql, parameters).expect(sql), expected, "{sql}");
    }
    for (sql, parameters, state) in [
        ("SELECT n = $1 FROM t", params![date!(2026 - 01 - 02)], "42883"),
        ("SELECT d = $1 FROM t", params![id], "42883"),
        ("INSERT INTO t (n) VALUES ($1)", params![date!(2026 - 01 - 02)], "42804"),
        ("INSERT INTO t (n) VALUES ($1)", params![decimal!(12345678)], "22003"),
    ] {
        assert_eq!(session.execute(sql, parameters).expect_err(sql).sqlstate(), state, "{sql}");
    }
    for (sql, state) in [("SELECT s FROM t", "42804"), ("SELECT NULL::date", "22002"), ("SELECT 1", "42804")] {
        assert_eq!(session.query_scalar::<Date>(sql, ()).expect_err(sql).sqlstate(), state, "{sql}");
    }
    assert_eq!(
        session
            .query_scalar::<Decimal>("SELECT 12345678901234567890123456789012345678901", ())
            .expect_err("digits")
            .sqlstate(),
        "22003"
    );
    assert_eq!(session.query_scalar::<Decimal>("SELECT 'NaN'::numeric", ()).expect_err("NaN").sqlstate(), "22003");
    assert_eq!(session.query_scalar::<Decimal>("SELECT 7", ()).expect("an integer"), decimal!(7));
}

#[test]
fn the_calendar_is_that_of_sql() {
    let session = session();
    for day in ["2024-02-29", "2023-03-01", "0001-01-01", "4714-11-24 BC", "5874897-12-31", "1970-01-01", "1900-12-31"]
    {
        let value: Date = day.parse().expect(day);
        let sql = "SELECT extract(day FROM $1::date)::int, extract(month FROM $1::date)::int, \
                   extract(doy FROM $1::date)::int, extract(isodow FROM $1::date)::int";
        let parts = session.query_one::<(u32, u32, u32, u32)>(sql, params![value]).expect(day);
        assert_eq!((value.day(), value.month(), value.day_of_year(), value.iso_weekday()), parts, "{day}");
        assert_eq!(Date::new(value.year(), value.month(), value.day()), Some(value));
        assert_eq!(Date::from_days(value.days()), value);
    }
    assert_eq!((Date::MIN.year(), Date::MAX.year()), (-4713, 5_874_897));
    assert_eq!((Date::INFINITY.year(), Date::INFINITY.month(), Date::NEG_INFINITY.day()), (i32::MAX, 0, 0));
    assert!(Date::NEG_INFINITY < Date::MIN && Date::MAX < Date::INFINITY);
    for (year, month, day) in
        [(2026, 2, 29), (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0), (i32::MAX, 1, 1)]
    {
        assert_eq!(Date::new(year, month, day), None);
    }
    assert_eq!(Date::MIN.checked_sub_days(1), None);
    assert_eq!(Date::MAX.checked_add_days(i32::MAX), None);
    assert_eq!(Date::MAX.checked_sub_days(i32::MIN), None);
    assert_eq!(Date::INFINITY.checked_add_days(-1), Some(Date::INFINITY));
    assert_eq!(Date::MAX.checked_add_months(i32::MAX), None);
    assert_eq!(Date::MAX.days_since(Date::INFINITY), None);
    assert_eq!((Date::MAX.at(Time::MIDNIGHT), Date::INFINITY.at(time!(1:00))), (None, Some(Timestamp::INFINITY)));
    assert_eq!(Timestamp::INFINITY.date(), Date::INFINITY);
    assert_eq!(timestamp!(1969-12-31 23:59:59.999999).micros(), -1);
    let before = Timestamp::from_micros(-1);
    assert_eq!((before.year(), before.day(), before.hour(), before.microsecond()), (1969, 31, 23, 999_999));
    assert_eq!(Timestamp::from_micros(i64::MIN + 1), Timestamp::NEG_INFINITY);
    assert_eq!(Timestamp::from_micros(i64::MAX - 1), Timestamp::INFINITY);
    let month = Interval { months: 1, ..Interval::default() };
    assert_eq!(date!(2024 - 01 - 31).checked_add(month), Some(timestamp!(2024 - 02 - 29)));
    assert_eq!(timestamp!(2024 - 03 - 31).checked_sub(month), Some(timestamp!(2024 - 02 - 29)));
    assert_eq!(text(&session, "SELECT (date '2024-01-31' + interval '1 month')::text"), "2024-02-29 00:00:00");
    let far = Interval { months: i32::MAX, ..Interval::default() };
    assert_eq!(timestamp!(2024 - 01 - 31).checked_add(far), None);
}

#[test]
fn times_of_the_system() {
    for (micros, time) in [
        (1_500_000, SystemTime::UNIX_EPOCH + Duration::from_millis(1_500)),
        (-1, SystemTime::UNIX_EPOCH - Duration::from_micros(1)),
    ] {
        let instant = TimestampTz::try_from(time).expect("in range");
        assert_eq!(instant.micros(), micros);
        assert_eq!(SystemTime::try_from(instant).expect("in range"), time);
    }
    let little = SystemTime::UNIX_EPOCH - Duration::from_nanos(1);
    assert_eq!(TimestampTz::try_from(little).expect("in range").micros(), -1);
    assert!(SystemTime::try_from(TimestampTz::NEG_INFINITY).is_err());
}
