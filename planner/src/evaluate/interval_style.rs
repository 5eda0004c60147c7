//! Intervals as text in each of PostgreSQL's styles.

use super::calendar::{HOUR, MINUTE, SECOND};
use super::format::format_interval;
use crate::function::IntervalStyle;
use crate::value::Interval;
use std::fmt::Write;

/// The text of an interval.
pub fn show(interval: Interval, style: IntervalStyle) -> String {
    match style {
        IntervalStyle::Postgres => format_interval(interval),
        IntervalStyle::PostgresVerbose => verbose(interval),
        IntervalStyle::SqlStandard => standard(interval),
        IntervalStyle::Iso8601 => iso(interval),
    }
}

/// An interval's parts: all but years and months may have signs of their own, those of the time have one.
struct Parts {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    micros: i64,
}

impl Parts {
    fn of(interval: Interval) -> Self {
        let micros = interval.micros;
        Parts {
            years: (interval.months / 12).into(),
            months: (interval.months % 12).into(),
            days: interval.days.into(),
            hours: micros / HOUR,
            minutes: micros % HOUR / MINUTE,
            seconds: micros % MINUTE / SECOND,
            micros: micros % SECOND,
        }
    }
}

/// Seconds without a sign, and what of their fraction is not zero.
fn put_seconds(text: &mut String, parts: &Parts, width: usize) {
    let _ = write!(text, "{:0width$}", parts.seconds.unsigned_abs());
    if parts.micros != 0 {
        let digits = format!("{:06}", parts.micros.unsigned_abs());
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
}

/// `@ 1 year 2 mons -3 days`: the first sign is that of `ago`.
fn verbose(interval: Interval) -> String {
    let parts = Parts::of(interval);
    let mut text = "@".to_owned();
    let mut is_ago = None;
    let counts = [
        (parts.years, "year"),
        (parts.months, "mon"),
        (parts.days, "day"),
        (parts.hours, "hour"),
        (parts.minutes, "min"),
    ];
    for (count, unit) in counts.into_iter().filter(|(count, _)| *count != 0) {
        let ago = *is_ago.get_or_insert(count < 0);
        let count = if ago { -count } else { count };
        let _ = write!(text, " {count} {unit}{}", if count == 1 { "" } else { "s" });
    }
    if parts.seconds != 0 || parts.micros != 0 {
        let is_negative = parts.seconds < 0 || parts.micros < 0;
        let ago = *is_ago.get_or_insert(is_negative);
        text.push_str(if ago == is_negative { " " } else { " -" });
        put_seconds(&mut text, &parts, 1);
        let is_one = parts.seconds.abs() == 1 && parts.micros == 0;
        text.push_str(if is_one { " sec" } else { " secs" });
    }
    match is_ago {
        None => text + " 0",
        Some(true) => text + " ago",
        Some(false) => text,
    }
}

/// `1-2` or `3 4:05:06` with one sign in front, where the standard has such a value, else `+1-2 -3 +4:05:06`.
fn standard(interval: Interval) -> String {
    let parts = Parts::of(interval);
    let signs = [interval.months.into(), parts.days, interval.micros];
    let has_negative = signs.iter().any(|part| *part < 0);
    let has_positive = signs.iter().any(|part| *part > 0);
    let has_months = interval.months != 0;
    let has_time = parts.days != 0 || interval.micros != 0;
    if !has_negative && !has_positive {
        return "0".to_owned();
    }
    let time = |text: &mut String| {
        let _ = write!(text, "{}:{:02}:", parts.hours.unsigned_abs(), parts.minutes.unsigned_abs());
        put_seconds(text, &parts, 2);
    };
    let [years, months, days] = [parts.years, parts.months, parts.days].map(i64::unsigned_abs);
    if (has_negative && has_positive) || (has_months && has_time) {
        let sign = |part: i64| if part < 0 { '-' } else { '+' };
        let [of_months, of_days, of_time] = signs.map(sign);
        let mut text = format!("{of_months}{years}-{months} {of_days}{days} {of_time}");
        time(&mut text);
        return text;
    }
    let mut text = if has_negative { "-" } else { "" }.to_owned();
    if has_months {
        let _ = write!(text, "{years}-{months}");
        return text;
    }
    if days != 0 {
        let _ = write!(text, "{days} ");
    }
    time(&mut text);
    text
}

/// `P1Y2M3DT4H5M6.5S`, with the parts that are not zero.
fn iso(interval: Interval) -> String {
    if interval == Interval::default() {
        return "PT0S".to_owned();
    }
    let parts = Parts::of(interval);
    let mut text = "P".to_owned();
    let put = |text: &mut String, count: i64, unit: char| {
        if count != 0 {
            let _ = write!(text, "{count}{unit}");
        }
    };
    for (count, unit) in [(parts.years, 'Y'), (parts.months, 'M'), (parts.days, 'D')] {
        put(&mut text, count, unit);
    }
    if interval.micros != 0 {
        text.push('T');
    }
    put(&mut text, parts.hours, 'H');
    put(&mut text, parts.minutes, 'M');
    if parts.seconds != 0 || parts.micros != 0 {
        if parts.seconds < 0 || parts.micros < 0 {
            text.push('-');
        }
        put_seconds(&mut text, &parts, 1);
        text.push('S');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles() {
        let of = |months, days, micros| Interval { months, days, micros };
        for (interval, verbose, standard, iso) in [
            (of(0, 0, 0), "@ 0", "0", "PT0S"),
            (of(14, 0, 0), "@ 1 year 2 mons", "1-2", "P1Y2M"),
            (
                of(-27, 5, -3_723 * SECOND),
                "@ 2 years 3 mons -5 days 1 hour 2 mins 3 secs ago",
                "-2-3 +5 -1:02:03",
                "P-2Y-3M5DT-1H-2M-3S",
            ),
            (of(0, -3, -SECOND / 2), "@ 3 days 0.5 secs ago", "-3 0:00:00.5", "P-3DT-0.5S"),
            (of(0, 0, SECOND), "@ 1 sec", "0:00:01", "PT1S"),
            (of(1, 0, -SECOND), "@ 1 mon -1 sec", "+0-1 +0 -0:00:01", "P1MT-1S"),
        ] {
            let shown = [IntervalStyle::PostgresVerbose, IntervalStyle::SqlStandard, IntervalStyle::Iso8601];
            assert_eq!(shown.map(|style| show(interval, style)), [verbose, standard, iso], "{interval:?}");
        }
    }
}
