//! Types of other crates as parameters and in rows, each behind its feature.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use multiloop::{Date, Decimal, Engine, Error, FromSql, Session, Time, Timestamp, TimestampTz, ToParameter, params};
use std::fmt::Debug;
use time::{Duration, OffsetDateTime, PrimitiveDateTime};

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

/// A value comes back as it went in, by itself and in arrays, and NULL is None.
fn returns<T>(session: &Session, data_type: &str, text: &str, value: T)
where
    T: ToParameter + for<'r> FromSql<'r> + PartialEq + Debug + Clone,
{
    let sql = format!("SELECT $1, $1::{data_type} = '{text}', ARRAY[$1, NULL], $2, NULL::{data_type}");
    let row = session
        .query_one::<(T, bool, Vec<Option<T>>, Vec<T>, Option<T>)>(&sql, params![value, std::slice::from_ref(&value)]);
    let expected = (value.clone(), true, vec![Some(value.clone()), None], vec![value.clone()], None);
    assert_eq!(row.unwrap_or_else(|error| panic!("{text}: {error}")), expected);
    let wrong = session.query_scalar::<T>("SELECT 'x'::text", ()).expect_err("a text");
    assert_eq!(wrong.sqlstate(), "42804");
    assert_eq!(
        session.query_scalar::<T>(&format!("SELECT NULL::{data_type}"), ()).expect_err("NULL").sqlstate(),
        "22002"
    );
}

/// What SQL has, and the type has not.
fn refuses<T: for<'r> FromSql<'r> + Debug>(session: &Session, sql: &str, state: &str) {
    assert_eq!(session.query_scalar::<T>(sql, ()).expect_err(sql).sqlstate(), state, "{sql}");
}

#[test]
fn those_of_chrono() {
    let session = session();
    let day = NaiveDate::from_ymd_opt(1998, 9, 2).expect("a day");
    let time = NaiveTime::from_hms_micro_opt(12, 30, 5, 250_000).expect("a time");
    returns(&session, "date", "1998-09-02", day);
    returns(&session, "date", "0044-03-15 BC", NaiveDate::from_ymd_opt(-43, 3, 15).expect("a day"));
    returns(&session, "time", "12:30:05.25", time);
    returns(&session, "timestamp", "1998-09-02 12:30:05.25", day.and_time(time));
    returns(&session, "timestamptz", "1998-09-02 12:30:05.25+00", day.and_time(time).and_utc());
    returns(&session, "interval", "-36:00:00.000001", TimeDelta::microseconds(-129_600_000_001));
    let before = NaiveDate::MIN;
    let refused = session.query_scalar::<NaiveDate>("SELECT $1::date", params![before]).expect_err("before SQL's days");
    assert_eq!(refused.sqlstate(), "22008");
    assert!(Date::try_from(before).is_err() && Timestamp::try_from(NaiveDateTime::MIN).is_err());
    assert!(TimestampTz::try_from(DateTime::<Utc>::MIN_UTC).is_err());
    refuses::<NaiveDate>(&session, "SELECT date 'infinity'", "22008");
    refuses::<NaiveDate>(&session, "SELECT date '5874897-12-31'", "22008");
    refuses::<NaiveTime>(&session, "SELECT time '24:00'", "22008");
    refuses::<NaiveDateTime>(&session, "SELECT timestamp '-infinity'", "22008");
    refuses::<DateTime<Utc>>(&session, "SELECT timestamptz 'infinity'", "22008");
    refuses::<TimeDelta>(&session, "SELECT interval '1 month'", "22008");
    let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_999_999_999).expect("a leap second");
    assert_eq!(Time::from(leap), Time::MAX);
    let elsewhere: DateTime<FixedOffset> = "1998-09-02T12:30:00+02:00".parse().expect("an instant");
    let instant = TimestampTz::try_from(elsewhere).expect("in range");
    assert_eq!(instant.to_string(), "1998-09-02 10:30:00+00");
    let days = session.query_scalar::<TimeDelta>("SELECT interval '2 days 1 hour'", ()).expect("a length");
    assert_eq!(days, TimeDelta::hours(49));
    let longest = session.query_scalar::<TimeDelta>("SELECT $1", params![TimeDelta::days(200_000_000)]).expect("days");
    assert_eq!(longest, TimeDelta::days(200_000_000));
}

#[test]
fn those_of_time() {
    let session = session();
    let day = time::Date::from_calendar_date(1998, time::Month::September, 2).expect("a day");
    let clock = time::Time::from_hms_micro(12, 30, 5, 250_000).expect("a time");
    returns(&session, "date", "1998-09-02", day);
    returns(&session, "time", "12:30:05.25", clock);
    returns(&session, "timestamp", "1998-09-02 12:30:05.25", PrimitiveDateTime::new(day, clock));
    returns(&session, "timestamp", "1969-12-31 23:59:59.999999", {
        let last = time::Date::from_calendar_date(1969, time::Month::December, 31).expect("a day");
        PrimitiveDateTime::new(last, time::Time::from_hms_micro(23, 59, 59, 999_999).expect("a time"))
    });
    returns(&session, "timestamptz", "1998-09-02 12:30:05.25+00", PrimitiveDateTime::new(day, clock).assume_utc());
    returns(&session, "interval", "-36:00:00.000001", Duration::microseconds(-129_600_000_001));
    assert!(Date::try_from(time::Date::MIN).is_err() && Timestamp::try_from(PrimitiveDateTime::MIN).is_err());
    refuses::<time::Date>(&session, "SELECT date 'infinity'", "22008");
    refuses::<time::Date>(&session, "SELECT date '10000-01-01'", "22008");
    refuses::<time::Time>(&session, "SELECT time '24:00'", "22008");
    refuses::<PrimitiveDateTime>(&session, "SELECT timestamp '-infinity'", "22008");
    refuses::<OffsetDateTime>(&session, "SELECT timestamptz 'infinity'", "22008");
    refuses::<Duration>(&session, "SELECT interval '1 month'", "22008");
    let days = session.query_scalar::<Duration>("SELECT interval '2 days 1 hour'", ()).expect("a length");
    assert_eq!(days, Duration::hours(49));
}

#[test]
fn those_of_uuid_and_rust_decimal() {
    let session = session();
    let text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    let id: uuid::Uuid = text.parse().expect("a uuid");
    returns(&session, "uuid", text, id);
    assert_eq!(uuid::Uuid::from(multiloop::Uuid::from(id)), id);
    for text in ["0", "-12.50", "79228162514264337593543950335", "0.0000000000000000000000000001"] {
        let number: rust_decimal::Decimal = text.parse().expect("a number");
        returns(&session, "numeric", text, number);
        assert_eq!(Decimal::from(number).to_string(), text);
    }
    refuses::<rust_decimal::Decimal>(&session, "SELECT 79228162514264337593543950336", "22003");
    refuses::<rust_decimal::Decimal>(&session, "SELECT 1e-29", "22003");
    refuses::<rust_decimal::Decimal>(&session, "SELECT 'NaN'::numeric", "22003");
    let long: Result<rust_decimal::Decimal, Error> =
        "1.50000000000000000000000000000000000".parse::<Decimal>().and_then(TryInto::try_into);
    assert_eq!(long.expect("zeros say nothing"), rust_decimal::Decimal::new(15, 1));
}
