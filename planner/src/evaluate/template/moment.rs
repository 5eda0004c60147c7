//! Moments and intervals, shown by a template.

use super::picture::{Field, Part, parts};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    Civil, DAYS_MIN, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, civil_from_days, day_of_year, days_from_civil,
    iso_year_and_week, split_timestamp, weekday,
};
use crate::evaluate::zone::Zone;
use crate::value::Interval;

/// The months' numbers.
pub(super) const ROMAN_MONTHS: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// Days in a month of an interval.
const DAYS_PER_MONTH: i64 = 30;

/// What a template's fields are of.
pub(super) struct Moment {
    /// The day since 1970; of an interval one that its fields would have as a date.
    days: i64,
    /// Year, month and day; of an interval its months in years and months, and its days.
    civil: Civil,
    /// Microseconds of the day; of an interval those beside its days, negative if they are.
    time: i64,
    /// The zone's abbreviation, and seconds ahead of UTC.
    zone: Option<(String, i64)>,
    is_interval: bool,
}

impl Moment {
    pub(super) fn of_timestamp(micros: i64) -> Self {
        let (days, time) = split_timestamp(micros);
        Moment { days, civil: civil_from_days(days), time, zone: None, is_interval: false }
    }

    pub(super) fn of_instant(instant: i64, zone: &Zone) -> Result<Self> {
        let shown = Moment::of_timestamp(zone.local(instant)?);
        Ok(Moment { zone: Some((zone.abbreviation_at(instant), zone.offset_at(instant))), ..shown })
    }

    pub(super) fn of_interval(interval: Interval) -> Self {
        let (months, day) = (i64::from(interval.months), i64::from(interval.days));
        let civil = Civil { year: months / 12, month: months % 12, day };
        let days = days_from_civil(civil.year, civil.month, day);
        Moment { days, civil, time: interval.micros, zone: None, is_interval: true }
    }

    fn day_of_year(&self) -> i64 {
        match self.is_interval {
            true => (self.civil.year * 12 + self.civil.month) * DAYS_PER_MONTH + self.civil.day,
            false => day_of_year(self.days),
        }
    }

    /// The day of ISO's year.
    fn iso_day_of_year(&self) -> i64 {
        (iso_year_and_week(self.days).1 - 1) * 7 + weekday(self.days) + 1
    }

    /// A year as it is shown: the one before 1 is 1 BC.
    fn shown_year(&self, year: i64) -> i64 {
        if self.is_interval || year > 0 { year } else { 1 - year }
    }

    fn century(&self) -> i64 {
        match self.civil.year {
            year if self.is_interval => year / 100,
            year if year > 0 => (year - 1) / 100 + 1,
            year => (year - 1) / 100 - i64::from((year - 1) % 100 != 0),
        }
    }
}

/// A moment in the form of a template.
///
/// # Errors
/// 22007 where an interval has no such field.
pub(super) fn show(moment: &Moment, template: &str) -> Result<String> {
    let mut out = String::new();
    for part in parts(template) {
        match part {
            Part::Letter(letter) => out.push(letter),
            Part::Field(field) => {
                let shown = value(moment, field)?;
                out.push_str(&shown);
                if let Some(ordinal) = field.ordinal.filter(|_| field.is_number()) {
                    out.push_str(&ordinal.of(&shown));
                }
            }
        }
    }
    Ok(out)
}

/// What only a date has, and its clock.
fn of_dates(field: Field) -> bool {
    let key = field.key();
    matches!(key.as_str(), "AD" | "BC" | "A.D." | "B.C." | "MONTH" | "MON" | "DAY" | "DY" | "D" | "ID" | "OF")
        || key.starts_with("TZ")
}

fn value(moment: &Moment, field: Field) -> Result<String> {
    if moment.is_interval && of_dates(field) {
        let message = "invalid format specification for an interval value";
        let hint = "Intervals are not tied to specific calendar dates.";
        return Err(Error::new(ErrorKind::InvalidDatetime, message).with_hint(hint));
    }
    // So many digits, which a minus comes on top of.
    let digits = |width: usize, number: i64| {
        let width = if field.is_bare { 0 } else { width + usize::from(number < 0) };
        format!("{number:0width$}")
    };
    let key = field.key();
    Ok(time_value(moment, &key, field.name, &digits).unwrap_or_else(|| date_value(moment, &key, field, &digits)))
}

fn time_value(moment: &Moment, key: &str, name: &str, digits: &dyn Fn(usize, i64) -> String) -> Option<String> {
    let time = moment.time;
    let hour = time / HOUR;
    let micros = time % SECOND;
    Some(match key {
        "HH" | "HH12" => digits(2, if hour % 12 == 0 { 12 } else { hour % 12 }),
        "HH24" => digits(2, hour),
        "MI" => digits(2, time % HOUR / MINUTE),
        "SS" => digits(2, time % MINUTE / SECOND),
        "MS" | "FF3" => digits(3, micros / 1_000),
        "US" | "FF6" => digits(6, micros),
        "FF1" => digits(1, micros / 100_000),
        "FF2" => digits(2, micros / 10_000),
        "FF4" => digits(4, micros / 100),
        "FF5" => digits(5, micros / 10),
        "SSSS" | "SSSSS" => (time / SECOND).to_string(),
        "AM" | "PM" | "A.M." | "P.M." => {
            let letter = if hour % 24 >= 12 { "P" } else { "A" };
            let shown = if key.contains('.') { format!("{letter}.M.") } else { format!("{letter}M") };
            in_case_of(name, &shown)
        }
        "TZ" => in_case_of(name, moment.zone.as_ref().map_or("", |(abbreviation, _)| abbreviation)),
        "TZH" => format!("{}{:02}", sign(moment), offset(moment).abs() / 3600),
        "TZM" => format!("{:02}", offset(moment).abs() / 60 % 60),
        "OF" => {
            let hours = format!("{}{:02}", sign(moment), offset(moment).abs() / 3600);
            match offset(moment).abs() / 60 % 60 {
                0 => hours,
                minutes => format!("{hours}:{minutes:02}"),
            }
        }
        _ => return None,
    })
}

fn offset(moment: &Moment) -> i64 {
    moment.zone.as_ref().map_or(0, |(_, offset)| *offset)
}

fn sign(moment: &Moment) -> char {
    if offset(moment) < 0 { '-' } else { '+' }
}

fn date_value(moment: &Moment, key: &str, field: Field, digits: &dyn Fn(usize, i64) -> String) -> String {
    let Civil { year, month, day } = moment.civil;
    let padded = |text: &str, width: usize| {
        let text = in_case_of(field.name, text);
        if field.is_bare { text } else { format!("{text:width$}") }
    };
    let month_name = || MONTHS.get(usize::try_from(month - 1).unwrap_or(usize::MAX)).copied().unwrap_or_default();
    let day_name = WEEKDAYS[weekday(moment.days) as usize];
    let year_of = |iso: bool| moment.shown_year(if iso { iso_year_and_week(moment.days).0 } else { year });
    let is_iso = key.starts_with('I');
    match key {
        "AD" | "BC" => in_case_of(field.name, if year > 0 { "AD" } else { "BC" }),
        "A.D." | "B.C." => in_case_of(field.name, if year > 0 { "A.D." } else { "B.C." }),
        "MONTH" => padded(month_name(), 9),
        "MON" => in_case_of(field.name, &month_name()[..3.min(month_name().len())]),
        "MM" => digits(2, month),
        "DAY" => padded(day_name, 9),
        "DY" => in_case_of(field.name, &day_name[..3]),
        // Of these the sign is one of the digits.
        "DDD" | "DD" if field.is_bare => if key == "DD" { day } else { moment.day_of_year() }.to_string(),
        "DDD" => format!("{:03}", moment.day_of_year()),
        "DD" => format!("{day:02}"),
        "IDDD" => digits(3, moment.iso_day_of_year()),
        "D" => ((weekday(moment.days) + 1) % 7 + 1).to_string(),
        "ID" => (weekday(moment.days) + 1).to_string(),
        "WW" if field.is_bare => ((moment.day_of_year() - 1) / 7 + 1).to_string(),
        "WW" => format!("{:02}", (moment.day_of_year() - 1) / 7 + 1),
        "IW" => digits(2, iso_year_and_week(moment.days).1),
        "W" => ((day - 1) / 7 + 1).to_string(),
        "Q" => {
            if month == 0 {
                String::new()
            } else {
                ((month - 1) / 3 + 1).to_string()
            }
        }
        "CC" => digits(2, moment.century()),
        "J" => (moment.days - DAYS_MIN).to_string(),
        "RM" => {
            // Those of an interval may be counted back from its end.
            let at = usize::try_from((month - 1).rem_euclid(12)).unwrap_or_default();
            if month == 0 { String::new() } else { padded(ROMAN_MONTHS[at], 4) }
        }
        // Both parts of a negative year have its sign, as one of three characters.
        "Y,YYY" => format!("{},{:03}", year_of(false) / 1000, year_of(false) % 1000),
        "YYYY" | "IYYY" => digits(4, year_of(is_iso)),
        "YYY" | "IYY" => digits(3, year_of(is_iso) % 1000),
        "YY" | "IY" => digits(2, year_of(is_iso) % 100),
        "Y" | "I" => (year_of(is_iso) % 10).to_string(),
        // FX says how texts are read.
        _ => String::new(),
    }
}

/// A name in the case in which its field is written.
fn in_case_of(field: &str, shown: &str) -> String {
    let is_upper = |at: usize| field.chars().filter(char::is_ascii_alphabetic).nth(at).is_some_and(char::is_uppercase);
    match (is_upper(0), is_upper(1)) {
        (true, true) => shown.to_uppercase(),
        (true, false) => shown.to_owned(),
        _ => shown.to_lowercase(),
    }
}
