//! Time zones: what an instant is in one, and which instant a time in one is.
//!
//! An instant is microseconds since 1970 in UTC, a local time is such a number, too, of what a clock in the zone shows. A zone is
//! a name of the IANA's list, whatever the case of its letters, one of a few abbreviations, an offset (`+05:30`, east of
//! Greenwich) or a rule as POSIX writes it (`<-03>3`, `EST5EDT`; there positive is west). Behind a colon no abbreviation is
//! meant: `:CET` is a zone with summers, `CET` an hour. Rules go on as the calendar does, which repeats every 400 years; before
//! the first year the offset is the first one.
//!
//! Of a time that a clock shows twice the second is meant, of one that it skips what the clock would show had it not been set:
//! as in PostgreSQL.

use super::Call;
use super::calendar::{DAY, TIMESTAMP_BEYOND, checked_timestamp, is_infinite_timestamp, split_timestamp};
use super::date::add_interval;
use super::zone_abbreviations::{self, Abbreviation};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{Interval, Value};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use std::cell::RefCell;

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

/// Times at which clocks are set that are looked at: rules go on for ever.
const TRANSITIONS_MAX: usize = 1_000;

/// Hours that a zone may be ahead or behind: what POSIX's rules can say.
const HOURS_MAX: f64 = 167.0;

/// The first and last second whose offset the library is asked for: from year 1 to 9998.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_370_764_799;

/// Seconds of 400 years.
const CYCLE: i64 = 146_097 * 86_400;

/// A second within [`SECONDS`] at which clocks show what they do at this one.
fn near(seconds: i64) -> i64 {
    let beyond = seconds - SECONDS.end();
    if beyond > 0 { seconds - (beyond + CYCLE - 1) / CYCLE * CYCLE } else { seconds.max(*SECONDS.start()) }
}

impl Zone {
    /// The zone of a name; 22023 if there is none.
    pub fn named(name: &str) -> Result<Zone> {
        Zone::find(name)
            .ok_or_else(|| Error::new(ErrorKind::InvalidParameter, format!("time zone \"{name}\" not recognized")))
    }

    /// The zone of a name, if there is one.
    pub fn find(name: &str) -> Option<Zone> {
        if let Some(name) = name.strip_prefix(':') {
            return Zone::find_listed(name);
        }
        match abbreviation(name) {
            Some(Abbreviation::Offset(seconds)) => Zone::of_offset(seconds),
            Some(Abbreviation::Zone(name)) => Zone::find_listed(name),
            None => Zone::find_listed(name),
        }
    }

    /// The zone of a name that is no abbreviation.
    pub(super) fn find_listed(name: &str) -> Option<Zone> {
        if let Ok(zone) = TimeZone::get(name) {
            return Some(Zone(zone));
        }
        // An offset under a name that is one, too: POSIX has no colons in names.
        if let Some((_, offset)) = name.strip_prefix('<').and_then(|rest| rest.split_once('>'))
            && let Some(seconds) = offset_of(offset)
        {
            return Zone::of_offset(-seconds);
        }
        // A number alone is hours to the west, as POSIX counts.
        if let Some(seconds) = offset_of(name) {
            return Zone::of_offset(-seconds);
        }
        TimeZone::posix(name).ok().map(Zone).or_else(|| Zone::of_rule(name))
    }

    /// The zone of a rule as PostgreSQL reads it: names of any length, hours and minutes of any number of digits, and where it does not
    /// say when clocks are set, the days of the United States.
    fn of_rule(rule: &str) -> Option<Zone> {
        const DAYS: &str = ",M3.2.0,M11.1.0";
        let (_, rest) = split_name(rule)?;
        let (standard, rest) = split_offset(rest)?;
        if rest.is_empty() {
            return Zone::of_offset(-standard);
        }
        let (_, rest) = split_name(rest)?;
        let (summer, days) = match rest.chars().next() {
            None | Some(',' | ';') => (standard - 3_600, rest),
            Some(_) => split_offset(rest)?,
        };
        let days = if days.is_empty() { DAYS } else { days };
        let shown = |west: i64| {
            let sign = if west < 0 { "-" } else { "" };
            let west = west.abs();
            format!("{sign}{}:{:02}:{:02}", west / 3_600, west / 60 % 60, west % 60)
        };
        TimeZone::posix(&format!("AAA{}BBB{}{days}", shown(standard), shown(summer))).ok().map(Zone)
    }

    /// Whether a name is of a zone whose clocks always show UTC; some names of one are not known here.
    pub fn is_utc(name: &str) -> bool {
        let name = name.strip_prefix(':').unwrap_or(name).to_ascii_lowercase();
        matches!(name.strip_prefix("etc/").unwrap_or(&name), "utc" | "uct" | "gmt" | "universal" | "zulu" | "greenwich")
    }

    /// What a session's time zone is shown as once it is set: a name of the list as the list has it, others in upper case, a number
    /// of hours to the east as the rule that it is (`-3` is `<-03>+03`). None for what is no zone, which an abbreviation is not.
    pub fn setting(text: &str) -> Option<String> {
        if text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.'))
            && let Ok(hours) = text.parse::<f64>()
        {
            let shown = (hours.abs() <= HOURS_MAX).then(|| offset_rule((hours * 3600.0) as i64));
            return shown.filter(|shown| Zone::find_listed(shown).is_some());
        }
        let zone = Zone::find_listed(text)?;
        Some(zone.0.iana_name().map_or_else(|| text.to_ascii_uppercase(), str::to_owned))
    }

    /// The name under which [`Zone::find`] has the zone of a setting.
    pub fn of_setting(shown: &str) -> String {
        let is_same = matches!(shown, "UTC" | "GMT") || abbreviation(shown).is_none();
        if is_same { shown.to_owned() } else { format!(":{shown}") }
    }

    fn of_offset(seconds: i64) -> Option<Zone> {
        let offset = Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?;
        Some(Zone(TimeZone::fixed(offset)))
    }

    /// Seconds that clocks are ahead of UTC at an instant.
    pub fn offset_at(&self, instant: i64) -> i64 {
        let seconds = near(instant.div_euclid(1_000_000));
        let at = Timestamp::from_second(seconds).expect("the range is one of instants");
        self.0.to_offset(at).seconds().into()
    }

    /// The zone's abbreviation at an instant: `CEST`, or its offset where it has none.
    pub fn abbreviation_at(&self, instant: i64) -> String {
        let seconds = near(instant.div_euclid(1_000_000));
        let at = Timestamp::from_second(seconds).expect("the range is one of instants");
        self.0.to_offset_info(at).abbreviation().to_owned()
    }

    /// What a clock shows at an instant; 22008 beyond all timestamps.
    pub fn local(&self, instant: i64) -> Result<i64> {
        if is_infinite_timestamp(instant) {
            return Ok(instant);
        }
        shifted(instant, self.offset_at(instant))
    }

    /// The instant at which a clock shows this; 22008 beyond all timestamps.
    pub fn instant(&self, local: i64) -> Result<i64> {
        if is_infinite_timestamp(local) || local == TIMESTAMP_BEYOND {
            return Ok(local);
        }
        shifted(local, -self.offset_of_local(local))
    }

    /// Seconds that clocks are ahead of UTC where they show this.
    pub fn offset_of_local(&self, local: i64) -> i64 {
        let seconds = near(local.div_euclid(1_000_000));
        let shown = Timestamp::from_second(seconds).expect("the range is one of instants");
        let shown: DateTime = TimeZone::UTC.to_datetime(shown);
        let offset = match self.0.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { after, .. } => after,
        };
        offset.seconds().into()
    }

    /// Seconds of an abbreviation where clocks show this: what it has meant last until then, or else what it means first, and what
    /// they show in a zone that has not had it.
    pub(super) fn offset_of_abbreviation(&self, name: &str, local: i64) -> i64 {
        let shown = self.offset_of_local(local);
        let seconds = near(local.div_euclid(1_000_000).saturating_sub(shown));
        let at = Timestamp::from_second(seconds).expect("the range is one of instants");
        let now = self.0.to_offset_info(at);
        if now.abbreviation() == name {
            return now.offset().seconds().into();
        }
        let mut before = self.0.preceding(at).filter(|transition| transition.abbreviation() == name);
        let mut after = self.0.following(at).take(TRANSITIONS_MAX).filter(|each| each.abbreviation() == name);
        let found = before.next().map(|each| each.offset()).or_else(|| after.next().map(|each| each.offset()));
        found.map_or(shown, |offset| offset.seconds().into())
    }

    /// Seconds that clocks are always ahead of UTC; none of a zone whose clocks have been set.
    pub fn fixed_offset(&self) -> Option<i64> {
        let is_fixed = self.0.following(Timestamp::MIN).next().is_none();
        is_fixed.then(|| self.offset_at(0))
    }
}

/// The name that a rule begins with, and what is behind it.
fn split_name(rule: &str) -> Option<(&str, &str)> {
    let (name, rest) = match rest_in_brackets(rule) {
        Some(parts) => parts,
        None => {
            rule.split_at(rule.find(|c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | '+')).unwrap_or(rule.len()))
        }
    };
    (!name.is_empty()).then_some((name, rest))
}

fn rest_in_brackets(rule: &str) -> Option<(&str, &str)> {
    rule.strip_prefix('<')?.split_once('>')
}

/// Seconds to the west that a rule goes on with, and what is behind them.
fn split_offset(rule: &str) -> Option<(i64, &str)> {
    let (sign, mut rest) = match rule.as_bytes().first()? {
        b'-' => (-1, &rule[1..]),
        b'+' => (1, &rule[1..]),
        _ => (1, rule),
    };
    let mut seconds = 0;
    for (unit, most) in [(3_600, HOURS_MAX as i64), (60, 59), (1, 60)] {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let value: i64 = rest[..digits].parse().ok().filter(|value| *value <= most)?;
        seconds += value * unit;
        rest = &rest[digits..];
        match rest.strip_prefix(':') {
            Some(behind) if unit > 1 && behind.starts_with(|c: char| c.is_ascii_digit()) => rest = behind,
            _ => break,
        }
    }
    Some((sign * seconds, rest))
}

/// What an abbreviation of a zone stands for, if it is one.
pub(super) fn abbreviation(name: &str) -> Option<Abbreviation> {
    zone_abbreviations::named(name)
}

/// An offset as PostgreSQL shows it where a session's zone is one: a rule of POSIX whose abbreviation says it to the east,
/// `<+05:30>-05:30`.
pub fn offset_rule(seconds: i64) -> String {
    let east = format_offset(seconds);
    let west = if seconds < 0 { "+" } else { "-" };
    format!("<{east}>{west}{}", &east[1..])
}

/// A number of microseconds moved by seconds, if it is still a timestamp.
fn shifted(micros: i64, seconds: i64) -> Result<i64> {
    let (days, time) = split_timestamp(micros);
    let time = time + seconds * 1_000_000;
    checked_timestamp(days + time.div_euclid(DAY), time.rem_euclid(DAY))
}

/// Seconds of an offset: `+05:30`, `-8`, `+053015`, `+5:30:15`; none if it is none.
pub fn offset_of(text: &str) -> Option<i64> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => (1, text),
    };
    let mut parts = [0i64; 3];
    let number = |digits: &str| match digits.len() {
        1..=2 if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse::<i64>().ok(),
        _ => None,
    };
    if digits.contains(':') {
        let mut count = 0;
        for (at, part) in digits.split(':').enumerate() {
            *parts.get_mut(at)? = number(part)?;
            count = at;
        }
        if count == 0 {
            return None;
        }
    } else if digits.len() <= 2 {
        parts[0] = number(digits)?;
    } else {
        // `530` is five hours and thirty minutes.
        let first = 2 - digits.len() % 2;
        let mut rest = digits;
        for (at, part) in parts.iter_mut().enumerate() {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at_checked(if at == 0 { first } else { 2 })?;
            (*part, rest) = (number(head)?, tail);
        }
        if !rest.is_empty() {
            return None;
        }
    }
    let [hours, minutes, seconds] = parts;
    (hours <= 15 && minutes <= 59 && seconds <= 59).then_some(sign * (hours * 3600 + minutes * 60 + seconds))
}

/// An offset as PostgreSQL shows it behind a time: `+00`, `-03:30`.
pub fn format_offset(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, seconds) = (seconds.abs() / 3600, seconds.abs() / 60 % 60, seconds.abs() % 60);
    match (minutes, seconds) {
        (0, 0) => format!("{sign}{hours:02}"),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

/// Does something with the zone of a name. The last one is kept by each thread: functions are called row by row.
pub(super) fn with_zone<T>(name: &str, work: impl FnOnce(&Zone) -> Result<T>) -> Result<T> {
    thread_local! {
        static LAST: RefCell<Option<(String, Zone)>> = const { RefCell::new(None) };
    }
    let kept = LAST.with_borrow(|last| {
        let same = last.as_ref().filter(|(known, _)| known == name);
        same.map(|(_, zone)| zone.clone())
    });
    if let Some(zone) = kept {
        return work(&zone);
    }
    let zone = Zone::named(name)?;
    LAST.set(Some((name.to_owned(), zone.clone())));
    work(&zone)
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let micros = match call.function {
        Function::InZone => with_zone(call.text(1)?, |zone| zone.local(call.int(0)?))?,
        Function::OfZone => with_zone(call.text(1)?, |zone| zone.instant(call.int(0)?))?,
        Function::AddInZone => with_zone(call.text(2)?, |zone| add_in_zone(call.int(0)?, call.interval(1)?, zone))?,
        _ => return Ok(None),
    };
    Ok(Some(Value::Int(micros)))
}

/// Months and days are those of the zone's calendar, the rest passes by any clock.
pub(super) fn add_in_zone(instant: i64, interval: Interval, zone: &Zone) -> Result<i64> {
    let mut instant = instant;
    let parts = [Interval { days: 0, micros: 0, ..interval }, Interval { months: 0, micros: 0, ..interval }];
    for part in parts.into_iter().filter(|part| *part != Interval::default()) {
        instant = zone.instant(add_interval(zone.local(instant)?, part, 1)?)?;
    }
    add_interval(instant, Interval { months: 0, days: 0, ..interval }, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000;

    fn zone(name: &str) -> Zone {
        Zone::named(name).expect("there is such a zone")
    }

    #[test]
    fn names() {
        for (name, hours) in [
            ("UTC", 0),
            ("europe/berlin", 1),
            ("Asia/Kolkata", 5),
            ("EST", -5),
            ("PDT", -7),
            ("-8", 8),
            ("<-03>3", -3),
            ("EST5EDT", -5),
        ] {
            assert_eq!(zone(name).offset_at(0).div_euclid(3600), hours, "{name}");
        }
        for name in ["", "Mars/Olympus", "Europe", "+25", "x y"] {
            assert!(Zone::find(name).is_none(), "{name}");
        }
        assert_eq!(Zone::named("nowhere").unwrap_err().sqlstate(), "22023");
    }

    #[test]
    fn settings() {
        for (text, shown, hours) in [
            ("europe/berlin", "Europe/Berlin", 1),
            ("utc", "UTC", 0),
            ("Etc/UTC", "Etc/UTC", 0),
            ("-3", "<-03>+03", -3),
            ("5.5", "<+05:30>-05:30", 5),
            ("0", "<+00>-00", 0),
            ("<+05:30>-05:30", "<+05:30>-05:30", 5),
            ("est5edt", "EST5EDT", -5),
            ("+05:30", "+05:30", -6),
        ] {
            assert_eq!(Zone::setting(text).as_deref(), Some(shown), "{text}");
            assert_eq!(zone(&Zone::of_setting(shown)).offset_at(0).div_euclid(3600), hours, "{text}");
        }
        for text in ["", "Mars", "PST", "99", "1e300", "nan", "<+99>-99", "<a", ":"] {
            assert_eq!(Zone::setting(text), None, "{text}");
        }
        // A name that is an abbreviation, too, is the zone in a setting.
        assert_eq!((Zone::of_setting("WET").as_str(), Zone::of_setting("UTC").as_str()), (":WET", "UTC"));
        let july = 1_720_000_000_000_000;
        let cet = Zone::of_setting(&Zone::setting("cet").expect("it is listed"));
        assert_eq!((zone(&cet).offset_at(july), zone("CET").offset_at(july)), (7200, 3600));
    }

    #[test]
    fn offsets() {
        for (text, seconds) in
            [("+05:30", 19_800), ("-8", -28_800), ("+0530", 19_800), ("530", 19_800), ("-00:00:30", -30)]
        {
            assert_eq!(offset_of(text), Some(seconds), "{text}");
        }
        for text in ["", "+", "+16", "+05:60", "+5:", "+1234567", "+:30", "é5"] {
            assert_eq!(offset_of(text), None, "{text}");
        }
        assert_eq!(format_offset(-12_600), "-03:30");
        assert_eq!(format_offset(0), "+00");
    }

    #[test]
    fn clocks_that_are_set() {
        let new_york = zone("America/New_York");
        // 2024-03-10 02:30 is skipped: it is 03:30 EDT. 2024-11-03 01:30 comes twice: the second is EST.
        let spring = 1_710_037_800_000_000;
        assert_eq!(new_york.instant(spring).unwrap(), spring + 5 * HOUR);
        assert_eq!(new_york.local(spring + 5 * HOUR).unwrap(), spring + HOUR);
        let autumn = 1_730_597_400_000_000;
        assert_eq!(new_york.instant(autumn).unwrap(), autumn + 5 * HOUR);
    }

    #[test]
    fn far_away() {
        let berlin = zone("Europe/Berlin");
        for instant in [super::super::calendar::TIMESTAMP_MIN + DAY, i64::MAX - DAY, -62_135_596_800_000_001] {
            let local = berlin.local(instant).unwrap();
            assert!((local - instant).abs() < DAY);
            assert!((berlin.instant(local).unwrap() - instant).abs() <= HOUR);
        }
        assert_eq!(berlin.local(i64::MAX).unwrap(), i64::MAX, "infinity");
        assert!(berlin.local(i64::MAX - 1).is_err());
    }
}
