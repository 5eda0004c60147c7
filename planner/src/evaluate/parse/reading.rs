//! What a text of a date or time says, field by field from left to right, as PostgreSQL takes them: what a number is depends on
//! what has been read before it. [`Reading`] keeps that: the parts so far, and a set of which there are, so that none is given
//! twice. `read_field` has what each field means; here they are put in a row, and checked together at the end.

use super::clock::read_offset;
use super::fault::{Fault, Parsed};
use super::field::{Kind, split};
use super::is_blank;
use super::word::{Named, Prefix, is_keyword};
use crate::error::Result;
use crate::evaluate::calendar::{
    DAY, HOUR, MINUTE, SECOND, TIMESTAMP_INFINITY, checked_timestamp, days_from_civil, days_in_month,
};
use crate::evaluate::zone::{Zone, with_zone};

/// What a text is read in: the session's zone, and the time, in microseconds since 1970 in UTC, where it is known.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluate) struct Around<'a> {
    pub(in crate::evaluate) zone: &'a str,
    pub(in crate::evaluate) now: Option<i64>,
}

/// A set of parts.
pub(super) type Parts = u32;

pub(super) const MONTH: Parts = 1;
pub(super) const YEAR: Parts = 1 << 1;
pub(super) const DAY_OF_MONTH: Parts = 1 << 2;
pub(super) const DATE: Parts = MONTH | YEAR | DAY_OF_MONTH;
pub(super) const HOUR_PART: Parts = 1 << 3;
pub(super) const MINUTE_PART: Parts = 1 << 4;
pub(super) const SECOND_PART: Parts = 1 << 5;
pub(super) const FRACTION: Parts = 1 << 6;
pub(super) const TIME: Parts = HOUR_PART | MINUTE_PART | SECOND_PART | FRACTION;
pub(super) const ZONE: Parts = 1 << 7;
/// Summer time, as a zone or as an addition to one.
pub(super) const SUMMER: Parts = 1 << 8;
/// An addition to a zone.
pub(super) const ADDITION: Parts = 1 << 9;
pub(super) const DAY_OF_YEAR: Parts = 1 << 10;
pub(super) const WEEKDAY: Parts = 1 << 11;
pub(super) const HALF: Parts = 1 << 12;
pub(super) const ERA: Parts = 1 << 13;
pub(super) const NAME: Parts = 1 << 14;
/// The zone of a text.
#[derive(Debug)]
pub(super) enum Offset {
    None,
    /// Seconds to the east.
    Seconds(i64),
    Zone(Zone),
    /// What an abbreviation means in a zone.
    Abbreviation(Zone, String),
}

impl Offset {
    /// Seconds to the east where clocks show this, without a zone those of the session's.
    pub(super) fn seconds(&self, local: i64, around: Around<'_>) -> Result<i64> {
        Ok(match self {
            Offset::None => with_zone(around.zone, |zone| Ok(zone.offset_of_local(local)))?,
            Offset::Seconds(seconds) => *seconds,
            Offset::Zone(zone) => zone.offset_of_local(local),
            Offset::Abbreviation(zone, name) => zone.offset_of_abbreviation(name, local),
        })
    }
}
/// What has been read so far.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) around: Around<'a>,
    /// Whether it is a time that is read, before which a date may stand.
    pub(super) is_time: bool,
    pub(super) parts: Parts,
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    /// Microseconds.
    pub(super) fraction: i64,
    pub(super) zone: Offset,
    pub(super) prefix: Option<Prefix>,
    pub(super) named: Option<Named>,
    pub(super) afternoon: Option<bool>,
    pub(super) before_christ: bool,
    pub(super) is_julian: bool,
    pub(super) has_short_year: bool,
    pub(super) has_text_month: bool,
}

impl<'a> Reading<'a> {
    fn new(around: Around<'a>, is_time: bool) -> Self {
        Reading {
            around,
            is_time,
            parts: 0,
            year: 0,
            month: 0,
            day: 0,
            day_of_year: 0,
            hour: 0,
            minute: 0,
            second: 0,
            fraction: 0,
            zone: Offset::None,
            prefix: None,
            named: None,
            afternoon: None,
            before_christ: false,
            is_julian: false,
            has_short_year: false,
            has_text_month: false,
        }
    }

    /// A date and perhaps a time.
    pub(super) fn of(text: &str, type_name: &str, around: Around<'a>) -> Result<Self> {
        let mut reading = Reading::new(around, false);
        let read = |reading: &mut Self| {
            reading.fields(text)?;
            reading.check_date()?;
            reading.apply_half()?;
            let is_date = reading.named.is_none();
            if is_date && (!reading.has(DATE) || (reading.has(ADDITION) && !reading.has_offset())) {
                return Err(Fault::Syntax);
            }
            Ok(())
        };
        read(&mut reading).map_err(|fault| fault.error(text, type_name))?;
        Ok(reading)
    }

    /// A time, perhaps behind a date.
    pub(super) fn of_time(text: &str, type_name: &str, around: Around<'a>) -> Result<Self> {
        let mut reading = Reading::new(around, true);
        let read = |reading: &mut Self| {
            reading.fields(text)?;
            reading.check_date()?;
            reading.apply_half()?;
            reading.check_time()?;
            if !reading.has(TIME) || (reading.has(ADDITION) && !reading.has_offset()) {
                return Err(Fault::Syntax);
            }
            // Part of a date is none to look a zone's offset up by.
            if !reading.has(ZONE) && !matches!(reading.parts & DATE, 0 | DATE) {
                return Err(Fault::Syntax);
            }
            if matches!(&reading.zone, Offset::Zone(zone) if zone.fixed_offset().is_none()) && !reading.has(DATE) {
                return Err(Fault::Syntax);
            }
            Ok(())
        };
        read(&mut reading).map_err(|fault| fault.error(text, type_name))?;
        Ok(reading)
    }

    /// Whether all of these parts are there.
    pub(super) fn has(&self, parts: Parts) -> bool {
        self.parts & parts == parts
    }

    /// Whether there is an offset that summer time can be added to.
    pub(super) fn has_offset(&self) -> bool {
        matches!(self.zone, Offset::Seconds(_)) && self.has(ZONE)
    }

    /// Parts of a date, where a time is read as if all of them were there.
    pub(super) fn date_parts(&self) -> Parts {
        if self.is_time { self.parts | DATE } else { self.parts }
    }

    pub(super) fn days(&self) -> i64 {
        days_from_civil(self.year, self.month, self.day)
    }

    pub(super) fn micros(&self) -> i64 {
        self.hour * HOUR + self.minute * MINUTE + self.second * SECOND + self.fraction
    }

    /// The timestamp of the parts, seconds earlier.
    pub(super) fn timestamp(&self, seconds: i64) -> Option<i64> {
        let days = self.days();
        let time = self.micros() - seconds * SECOND;
        checked_timestamp(days + time.div_euclid(DAY), time.rem_euclid(DAY)).ok()
    }

    /// The timestamp of a name.
    pub(super) fn special(&self) -> Option<i64> {
        Some(match self.named? {
            Named::Infinity => TIMESTAMP_INFINITY,
            Named::MinusInfinity => i64::MIN,
            _ => 0,
        })
    }

    fn fields(&mut self, text: &str) -> Parsed<()> {
        let fields = split(text.trim_matches(is_blank), is_keyword).ok_or(Fault::Syntax)?;
        let kinds: Vec<Kind> = fields.iter().map(|field| field.kind).collect();
        for (at, field) in fields.iter().enumerate() {
            let parts = match field.kind {
                Kind::Date => self.date_field(field, at, &kinds)?,
                Kind::Time => self.time_field(&field.text)?,
                Kind::Signed => {
                    self.zone = Offset::Seconds(read_offset(&field.text)?);
                    ZONE
                }
                Kind::Number => match self.prefix.take() {
                    Some(prefix) => self.prefixed(prefix, &field.text)?,
                    None => self.number_field(&field.text, at, &kinds)?,
                },
                Kind::Word | Kind::SignedWord => match self.word(&field.text, kinds.get(at + 1).copied())? {
                    Some(parts) => parts,
                    None => continue,
                },
            };
            if self.parts & parts != 0 {
                return Err(Fault::Syntax);
            }
            self.parts |= parts;
        }
        Ok(())
    }

    /// Years of an era, and whether there is such a day.
    fn check_date(&mut self) -> Parsed<()> {
        if self.has(YEAR) && !self.is_julian {
            if self.before_christ {
                if self.year <= 0 {
                    return Err(Fault::Range);
                }
                self.year = 1 - self.year;
            } else if self.has_short_year {
                match self.year {
                    0..70 => self.year += 2000,
                    70..100 => self.year += 1900,
                    _ => {}
                }
            } else if self.year <= 0 {
                return Err(Fault::Range);
            }
        }
        if self.has(DAY_OF_YEAR) {
            self.set_date(days_from_civil(self.year, 1, 1) + self.day_of_year - 1);
        }
        let month = !self.has(MONTH) || (1..=12).contains(&self.month);
        let day = !self.has(DAY_OF_MONTH) || (1..=31).contains(&self.day);
        if !month || !day || (self.has(DATE) && self.day > days_in_month(self.year, self.month)) {
            return Err(Fault::Range);
        }
        Ok(())
    }

    fn apply_half(&mut self) -> Parsed<()> {
        let Some(afternoon) = self.afternoon else { return Ok(()) };
        match (afternoon, self.hour) {
            (_, 13..) => return Err(Fault::Range),
            (false, 12) => self.hour = 0,
            (true, hour) if hour != 12 => self.hour += 12,
            _ => {}
        }
        Ok(())
    }

    fn check_time(&self) -> Parsed<()> {
        let fits = (0..=24).contains(&self.hour) && (0..=59).contains(&self.minute) && (0..=60).contains(&self.second);
        if fits && self.micros() <= DAY { Ok(()) } else { Err(Fault::Range) }
    }
}
