//! Time zones: what an instant is in one, and which instant a time in one is.
//!
//! An instant is microseconds since 1970 in UTC, a local time is such a number, too, of what a clock in the zone shows. A zone is
//! a name of the IANA's list, whatever the case of its letters, one of a few abbreviations, an offset (`+05:30`, east of
//! Greenwich) or a rule as POSIX writes it (`<-03>3`, `EST5EDT`; there positive is west). Behind a colon no abbreviation is
//! meant: `:CET` is a zone with summers, `CET` an hour. What lies beyond the years that rules are known for has the offset of the
//! nearest one.
//!
//! Of a time that a clock shows twice the second is meant, of one that it skips what the clock would show had it not been set:
//! as in PostgreSQL.

use super::Call;
use super::calendar::{DAY, checked_timestamp, is_infinite_timestamp, split_timestamp};
use super::date::add_interval;
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

/// Abbreviations that stand for an offset, in hours, as PostgreSQL has them.
const ABBREVIATIONS: &[(&str, i64)] = &[
    ("z", 0),
    ("zulu", 0),
    ("utc", 0),
    ("gmt", 0),
    ("ut", 0),
    ("wet", 0),
    ("west", 1),
    ("bst", 1),
    ("cet", 1),
    ("cest", 2),
    ("met", 1),
    ("mest", 2),
    ("eet", 2),
    ("eest", 3),
    ("msk", 3),
    ("sast", 2),
    ("jst", 9),
    ("kst", 9),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
    ("akst", -9),
    ("akdt", -8),
    ("hst", -10),
    ("aest", 10),
    ("aedt", 11),
    ("nzst", 12),
    ("nzdt", 13),
];

/// Hours that a zone may be ahead or behind: what POSIX's rules can say.
const HOURS_MAX: f64 = 167.0;

/// The first and last second whose offset the rules say: from year 1 to 9998.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_370_764_799;

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
        match abbreviated(name) {
            Some(seconds) => Zone::of_offset(seconds),
            None => Zone::find_listed(name),
        }
    }

    /// The zone of a name that is no abbreviation.
    fn find_listed(name: &str) -> Option<Zone> {
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
        TimeZone::posix(name).ok().map(Zone)
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
        let is_same = matches!(shown, "UTC" | "GMT") || abbreviated(shown).is_none();
        if is_same { shown.to_owned() } else { format!(":{shown}") }
    }

    fn of_offset(seconds: i64) -> Option<Zone> {
        let offset = Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?;
        Some(Zone(TimeZone::fixed(offset)))
    }

    /// Seconds that clocks are ahead of UTC at an instant.
    pub fn offset_at(&self, instant: i64) -> i64 {
        let seconds = instant.div_euclid(1_000_000).clamp(*SECONDS.start(), *SECONDS.end());
        let at = Timestamp::from_second(seconds).expect("the range is one of instants");
        self.0.to_offset(at).seconds().into()
    }

    /// The zone's abbreviation at an instant: `CEST`, or its offset where it has none.
    pub fn abbreviation_at(&self, instant: i64) -> String {
        let seconds = instant.div_euclid(1_000_000).clamp(*SECONDS.start(), *SECONDS.end());
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
        if is_infinite_timestamp(local) {
            return Ok(local);
        }
        let seconds = local.div_euclid(1_000_000);
        if !SECONDS.contains(&seconds) {
            return shifted(local, -self.offset_at(local));
        }
        let shown = Timestamp::from_second(seconds).expect("the range is one of instants");
        let shown: DateTime = TimeZone::UTC.to_datetime(shown);
        let offset = match self.0.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { after, .. } => after,
        };
        shifted(local, -i64::from(offset.seconds()))
    }
}

/// Seconds of an abbreviation.
fn abbreviated(name: &str) -> Option<i64> {
    let found = ABBREVIATIONS.iter().find(|(abbreviation, _)| name.eq_ignore_ascii_case(abbreviation));
    found.map(|(_, hours)| hours * 3600)
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
