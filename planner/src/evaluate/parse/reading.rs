//! What a text of a date or time says, field by field from left to right, as PostgreSQL takes them: what a number is depends on
//! what has been read before it. [`Reading`] keeps that: the parts so far, and a set of which there are, so that none is given
//! twice.

use super::date::{Around, invalid, out_of_range};
use super::field::{Field, Kind, fraction, leading_integer, split};
use super::is_blank;
use super::word::{Named, Prefix, Word, is_keyword, named};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::calendar::{
    Civil, DAY, HOUR, MINUTE, SECOND, TIMESTAMP_INFINITY, checked_timestamp, civil_from_days, days_from_civil,
    days_in_month, split_timestamp,
};
use crate::evaluate::zone::{self, Zone, with_zone};
use crate::evaluate::zone_abbreviations::Abbreviation;

/// Why a text is no date or time.
#[derive(Debug)]
enum Fault {
    /// It is not written as one.
    Syntax,
    /// A field is too large.
    Range,
    /// An offset of a zone is too large.
    Offset,
    /// No zone has this name.
    Zone(String),
    /// The time of a name, where nobody knows what time it is.
    Clock(String),
}

impl Fault {
    fn error(self, text: &str, type_name: &str) -> Error {
        match self {
            Fault::Syntax => invalid(text, type_name),
            Fault::Range => out_of_range("date/time field value", text),
            Fault::Offset => {
                let message = format!("time zone displacement out of range: \"{text}\"");
                Error::new(ErrorKind::InvalidZoneOffset, message)
            }
            Fault::Zone(name) => {
                Error::new(ErrorKind::InvalidParameter, format!("time zone \"{name}\" not recognized"))
            }
            Fault::Clock(word) => {
                Error::unsupported(format!("\"{word}\" as a {type_name} where it is not a literal is"))
            }
        }
    }
}

type Parsed<T> = std::result::Result<T, Fault>;

/// A set of parts.
pub(super) type Parts = u32;

const MONTH: Parts = 1;
const YEAR: Parts = 1 << 1;
const DAY_OF_MONTH: Parts = 1 << 2;
pub(super) const DATE: Parts = MONTH | YEAR | DAY_OF_MONTH;
const HOUR_PART: Parts = 1 << 3;
const MINUTE_PART: Parts = 1 << 4;
const SECOND_PART: Parts = 1 << 5;
const FRACTION: Parts = 1 << 6;
const TIME: Parts = HOUR_PART | MINUTE_PART | SECOND_PART | FRACTION;
const ZONE: Parts = 1 << 7;
/// Summer time, as a zone or as an addition to one.
const SUMMER: Parts = 1 << 8;
/// An addition to a zone.
const ADDITION: Parts = 1 << 9;
const DAY_OF_YEAR: Parts = 1 << 10;
const WEEKDAY: Parts = 1 << 11;
const HALF: Parts = 1 << 12;
const ERA: Parts = 1 << 13;
const NAME: Parts = 1 << 14;

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
    around: Around<'a>,
    /// Whether it is a time that is read, before which a date may stand.
    is_time: bool,
    parts: Parts,
    year: i64,
    month: i64,
    day: i64,
    day_of_year: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// Microseconds.
    fraction: i64,
    pub(super) zone: Offset,
    prefix: Option<Prefix>,
    pub(super) named: Option<Named>,
    afternoon: Option<bool>,
    before_christ: bool,
    is_julian: bool,
    has_short_year: bool,
    has_text_month: bool,
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
    fn has_offset(&self) -> bool {
        matches!(self.zone, Offset::Seconds(_)) && self.has(ZONE)
    }

    /// Parts of a date, where a time is read as if all of them were there.
    fn date_parts(&self) -> Parts {
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

    /// A date; or a run of digits and an offset, or the name of a zone, where a date is there or cannot be.
    fn date_field(&mut self, field: &Field, at: usize, kinds: &[Kind]) -> Parsed<Parts> {
        let text = &field.text;
        let is_date = if self.is_time {
            at == 0 && kinds.len() >= 2 && (kinds.last() == Some(&Kind::Date) || kinds[1] == Kind::Time)
        } else {
            if self.prefix == Some(Prefix::Julian) {
                self.prefix = None;
                let (day, rest) = leading_integer::<i32>(text).filter(|(day, _)| *day >= 0).ok_or(Fault::Range)?;
                self.set_julian(day);
                self.zone = Offset::Seconds(read_offset(rest)?);
                return Ok(DATE | TIME | ZONE);
            }
            self.prefix.is_none() && !self.has(MONTH | DAY_OF_MONTH)
        };
        if is_date {
            return self.date(text);
        }
        if !text.starts_with(|c: char| c.is_ascii_digit()) && (self.is_time || self.prefix.is_none()) {
            self.zone = Offset::Zone(Zone::find_listed(text).ok_or_else(|| Fault::Zone(text.clone()))?);
            return Ok(ZONE);
        }
        if !self.is_time && self.prefix.take().is_some_and(|prefix| prefix != Prefix::Time) {
            return Err(Fault::Syntax);
        }
        let sign = text.find('-').filter(|_| !self.has(TIME)).ok_or(Fault::Syntax)?;
        let (digits, offset) = text.split_at(sign);
        self.zone = Offset::Seconds(read_offset(offset)?);
        Ok(self.run_of_digits(digits, self.date_parts())? | ZONE)
    }

    fn time_field(&mut self, text: &str) -> Parsed<Parts> {
        // A time may follow its `t`, and no other prefix; where a time is read none is asked for.
        if !self.is_time && self.prefix.take().is_some_and(|prefix| prefix != Prefix::Time) {
            return Err(Fault::Syntax);
        }
        let time = read_time(text)?;
        (self.hour, self.minute, self.second, self.fraction) = time;
        if !self.is_time && self.micros() > DAY {
            return Err(Fault::Range);
        }
        Ok(TIME)
    }

    /// A number behind a prefix, as in `y2001m02d04`.
    fn prefixed(&mut self, prefix: Prefix, text: &str) -> Parsed<Parts> {
        let (value, rest) = leading_integer::<i32>(text).ok_or(Fault::Range)?;
        self.named = None;
        let takes_fraction = matches!(prefix, Prefix::Julian | Prefix::Time | Prefix::Second);
        let is_fraction = takes_fraction && rest.starts_with('.');
        if !(rest.is_empty() || is_fraction) {
            return Err(Fault::Syntax);
        }
        Ok(match prefix {
            Prefix::Year => {
                self.year = value;
                YEAR
            }
            // A month behind a month and an hour is minutes.
            Prefix::Month if self.has(MONTH | HOUR_PART) => {
                self.minute = value;
                MINUTE_PART
            }
            Prefix::Month => {
                self.month = value;
                MONTH
            }
            Prefix::Day => {
                self.day = value;
                DAY_OF_MONTH
            }
            Prefix::Hour => {
                self.hour = value;
                HOUR_PART
            }
            Prefix::Minute => {
                self.minute = value;
                MINUTE_PART
            }
            Prefix::Second => {
                self.second = value;
                if rest.is_empty() {
                    SECOND_PART
                } else {
                    self.fraction = micros_of_fraction(rest)?;
                    SECOND_PART | FRACTION
                }
            }
            Prefix::Julian => {
                if value < 0 {
                    return Err(Fault::Range);
                }
                self.set_julian(value);
                if rest.is_empty() {
                    return Ok(DATE);
                }
                let micros = (fraction(rest).ok_or(Fault::Syntax)? * DAY as f64) as i64;
                (self.hour, self.minute) = (micros / HOUR, micros % HOUR / MINUTE);
                (self.second, self.fraction) = (micros % MINUTE / SECOND, micros % SECOND);
                DATE | TIME
            }
            Prefix::Time => match self.run_of_digits(text, self.parts | DATE)? {
                TIME => TIME,
                _ => return Err(Fault::Syntax),
            },
            Prefix::Other => return Err(Fault::Syntax),
        })
    }

    fn set_julian(&mut self, day: i64) {
        const JULIAN_DAY_OF_EPOCH: i64 = 2_440_588;
        self.set_date(day - JULIAN_DAY_OF_EPOCH);
        self.is_julian = true;
    }

    fn set_date(&mut self, days: i64) {
        Civil { year: self.year, month: self.month, day: self.day } = civil_from_days(days);
    }

    /// A number by itself.
    fn number_field(&mut self, text: &str, at: usize, kinds: &[Kind]) -> Parsed<Parts> {
        let point = text.find('.');
        if self.is_time {
            return match point {
                Some(_) if at == 0 && kinds.len() >= 2 && kinds.last() == Some(&Kind::Date) => self.date(text),
                Some(point) if point > 2 => self.run_of_digits(text, self.parts | DATE),
                Some(_) => Err(Fault::Syntax),
                None if text.len() > 4 => self.run_of_digits(text, self.parts | DATE),
                None => self.number(text, self.parts | DATE),
            };
        }
        match point {
            Some(_) if self.parts & DATE == 0 => self.date(text),
            Some(point) if point > 2 => self.run_of_digits(text, self.parts),
            // Six digits and more are a date or a time, unless both have begun; then they are a year.
            _ if text.len() >= 6 && (self.parts & DATE == 0 || self.parts & TIME == 0) => {
                self.run_of_digits(text, self.parts)
            }
            _ => self.number(text, self.parts),
        }
    }

    /// The parts of a date between separators: a month may be a word.
    fn date(&mut self, text: &str) -> Parsed<Parts> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            let first = rest.chars().next().ok_or(Fault::Syntax)?;
            let belongs = |c: char| if first.is_ascii_digit() { c.is_ascii_digit() } else { c.is_ascii_alphabetic() };
            let (piece, behind) = rest.split_at(rest.find(|c| !belongs(c)).unwrap_or(rest.len()));
            pieces.push(piece);
            // What stands behind a piece separates it from the next one, whatever it is.
            rest = behind.get(1..).unwrap_or("");
        }
        let mut parts = 0;
        let mut add = |reading: &Self, added: Parts| {
            if (reading.parts | parts) & added != 0 {
                return Err(Fault::Syntax);
            }
            parts |= added;
            Ok(reading.parts | parts)
        };
        let mut all = self.parts;
        let mut has_text_month = false;
        for word in pieces.iter().filter(|piece| piece.starts_with(|c: char| c.is_ascii_alphabetic())) {
            match named(word) {
                Some(Word::Month(month)) => {
                    self.month = month;
                    has_text_month = true;
                    all = add(self, MONTH)?;
                }
                Some(Word::Filler) => {}
                _ => return Err(Fault::Syntax),
            }
        }
        let fraction = self.fraction;
        let outer = std::mem::replace(&mut self.has_text_month, has_text_month);
        for number in pieces.iter().filter(|piece| piece.starts_with(|c: char| c.is_ascii_digit())) {
            let added = self.number(number, all)?;
            all = add(self, added)?;
        }
        (self.has_text_month, self.fraction) = (outer, fraction);
        if all & !(DAY_OF_YEAR | ZONE) == DATE { Ok(parts) } else { Err(Fault::Syntax) }
    }

    /// A number as a part of a date, by those that are there: a year has three digits or more, or stands behind month and day.
    fn number(&mut self, text: &str, parts: Parts) -> Parsed<Parts> {
        let (value, rest) = leading_integer::<i32>(text).ok_or(Fault::Range)?;
        let digits = text.len() - rest.len();
        if digits == 0 {
            return Err(Fault::Syntax);
        }
        if rest.starts_with('.') {
            if digits > 2 {
                return self.run_of_digits(text, parts | DATE);
            }
            self.fraction = micros_of_fraction(rest)?;
        } else if !rest.is_empty() {
            return Err(Fault::Syntax);
        }
        let length = text.len();
        if length == 3 && parts & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DAY_OF_YEAR | MONTH | DAY_OF_MONTH);
        }
        const YEAR_AND_MONTH: Parts = YEAR | MONTH;
        const MONTH_AND_DAY: Parts = MONTH | DAY_OF_MONTH;
        Ok(match parts & DATE {
            0 | MONTH if length >= 3 && (parts & MONTH == 0 || self.has_text_month) => self.set_year(value, length),
            MONTH_AND_DAY => self.set_year(value, length),
            0 | YEAR | DAY_OF_MONTH => {
                self.month = value;
                MONTH
            }
            // The number in front of the month was the day.
            YEAR_AND_MONTH if self.has_text_month && length >= 3 && self.has_short_year => {
                self.day = self.year;
                self.year = value;
                self.has_short_year = false;
                DAY_OF_MONTH
            }
            MONTH | YEAR_AND_MONTH => {
                self.day = value;
                DAY_OF_MONTH
            }
            DATE => return self.run_of_digits(text, parts),
            _ => return Err(Fault::Syntax),
        })
    }

    fn set_year(&mut self, value: i64, length: usize) -> Parts {
        self.year = value;
        self.has_short_year = length <= 2;
        YEAR
    }

    /// Digits without separators: `20011225`, `040506.789`.
    fn run_of_digits(&mut self, text: &str, parts: Parts) -> Parsed<Parts> {
        let number = |digits: &str| digits.parse::<i64>().unwrap_or(0);
        let digits = match text.find('.') {
            Some(point) => {
                self.fraction = micros_of_fraction(&text[point..])?;
                &text[..point]
            }
            None => {
                let length = text.len();
                if parts & DATE != DATE && length >= 6 {
                    self.day = number(&text[length - 2..]);
                    self.month = number(&text[length - 4..length - 2]);
                    self.year = leading_integer::<i32>(&text[..length - 4]).ok_or(Fault::Range)?.0;
                    self.has_short_year |= length == 6;
                    return Ok(DATE);
                }
                text
            }
        };
        if parts & TIME == TIME || !matches!(digits.len(), 4 | 6) {
            return Err(Fault::Syntax);
        }
        self.hour = number(&digits[..2]);
        self.minute = number(&digits[2..4]);
        self.second = number(&digits[4..]);
        Ok(TIME)
    }

    /// A word: of a zone first. None for one that says nothing.
    fn word(&mut self, text: &str, next: Option<Kind>) -> Parsed<Option<Parts>> {
        if let Some(meaning) = zone::abbreviation(text) {
            self.zone = match meaning {
                Abbreviation::Offset(seconds) => Offset::Seconds(seconds),
                Abbreviation::Zone(name) => {
                    Offset::Abbreviation(Zone::find_listed(name).ok_or(Fault::Syntax)?, text.to_ascii_uppercase())
                }
            };
            return Ok(Some(ZONE));
        }
        let Some(word) = named(text) else {
            self.zone = Offset::Zone(Zone::find_listed(text).ok_or(Fault::Syntax)?);
            return Ok(Some(ZONE));
        };
        Ok(Some(match word {
            Word::Filler => return Ok(None),
            Word::Month(_) | Word::Weekday if self.is_time => return Err(Fault::Syntax),
            Word::Month(month) => {
                // The number that was taken for a month is the day.
                let was_day = self.has(MONTH)
                    && !self.has_text_month
                    && !self.has(DAY_OF_MONTH)
                    && (1..=31).contains(&self.month);
                let part = if was_day {
                    self.day = self.month;
                    DAY_OF_MONTH
                } else {
                    MONTH
                };
                self.has_text_month = true;
                self.month = month;
                part
            }
            Word::Weekday => WEEKDAY,
            Word::Afternoon(afternoon) => {
                self.afternoon = Some(afternoon);
                HALF
            }
            Word::BeforeChrist(before) => {
                self.before_christ = before;
                ERA
            }
            Word::Prefix(prefix) => {
                self.prefix = Some(prefix);
                0
            }
            Word::TimePrefix => {
                let follows = matches!(next, Some(Kind::Number | Kind::Time | Kind::Date));
                if !follows || !(self.is_time || self.has(DATE)) {
                    return Err(Fault::Syntax);
                }
                self.prefix = Some(Prefix::Time);
                0
            }
            Word::SummerTime => {
                match &mut self.zone {
                    Offset::Seconds(seconds) => *seconds += HOUR / SECOND,
                    Offset::None => self.zone = Offset::Seconds(HOUR / SECOND),
                    Offset::Zone(_) | Offset::Abbreviation(..) => return Err(Fault::Syntax),
                }
                ADDITION | SUMMER
            }
            Word::Named(of) => self.time_of_name(of, text)?,
        }))
    }

    fn time_of_name(&mut self, of: Named, word: &str) -> Parsed<Parts> {
        let local = || {
            let now = self.around.now.ok_or_else(|| Fault::Clock(word.to_owned()))?;
            let shown = with_zone(self.around.zone, |zone| Ok((zone.local(now)?, zone.offset_at(now))));
            shown.map_err(|_| Fault::Range)
        };
        // The last name counts, and none if another time or date follows it.
        self.named = None;
        match of {
            Named::Now => {
                let (local, offset) = local()?;
                let (days, micros) = split_timestamp(local);
                (self.hour, self.minute) = (micros / HOUR, micros % HOUR / MINUTE);
                (self.second, self.fraction) = (micros % MINUTE / SECOND, micros % SECOND);
                if self.is_time {
                    return Ok(TIME);
                }
                self.set_date(days);
                self.zone = Offset::Seconds(offset);
                Ok(DATE | TIME | ZONE)
            }
            Named::Midnight => {
                (self.hour, self.minute, self.second) = (0, 0, 0);
                self.zone = Offset::Seconds(0);
                Ok(TIME | ZONE)
            }
            _ if self.is_time => Err(Fault::Syntax),
            Named::Day(later) => {
                let days = split_timestamp(local()?.0).0 + later;
                self.set_date(days);
                (self.hour, self.minute, self.second) = (0, 0, 0);
                Ok(DATE)
            }
            Named::Epoch | Named::Infinity | Named::MinusInfinity => {
                self.named = Some(of);
                Ok(NAME)
            }
        }
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

/// Hours, minutes, seconds and their fraction in microseconds. Two numbers with a fraction are minutes and seconds.
fn read_time(text: &str) -> Parsed<(i64, i64, i64, i64)> {
    let (first, rest) = leading_integer::<i32>(text).ok_or(Fault::Range)?;
    let rest = rest.strip_prefix(':').ok_or(Fault::Syntax)?;
    let (second, rest) = leading_integer::<i32>(rest).ok_or(Fault::Range)?;
    let (hour, minute, second, fraction) = if rest.is_empty() {
        (first, second, 0, 0)
    } else if rest.starts_with('.') {
        (0, first, second, micros_of_fraction(rest)?)
    } else {
        let rest = rest.strip_prefix(':').ok_or(Fault::Syntax)?;
        let (third, rest) = leading_integer::<i32>(rest).ok_or(Fault::Range)?;
        (first, second, third, if rest.is_empty() { 0 } else { micros_of_fraction(rest)? })
    };
    let fits = hour >= 0 && (0..=59).contains(&minute) && (0..=60).contains(&second);
    if fits { Ok((hour, minute, second, fraction)) } else { Err(Fault::Range) }
}

/// The fraction of a second that begins with its point, in microseconds, rounded.
fn micros_of_fraction(text: &str) -> Parsed<i64> {
    let fraction = fraction(text).ok_or(Fault::Syntax)?;
    Ok((fraction * SECOND as f64).round_ties_even() as i64)
}

/// Seconds of an offset with its sign, if it is one.
pub(super) fn offset(text: &str) -> Option<i64> {
    read_offset(text).ok()
}

/// Seconds of an offset from UTC: a sign and hours, perhaps minutes and seconds.
fn read_offset(text: &str) -> Parsed<i64> {
    let sign = match text.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(Fault::Syntax),
    };
    let (mut hours, mut rest) = leading_integer::<i32>(&text[1..]).ok_or(Fault::Offset)?;
    let (mut minutes, mut seconds) = (0, 0);
    if let Some(behind) = rest.strip_prefix(':') {
        (minutes, rest) = leading_integer::<i32>(behind).ok_or(Fault::Offset)?;
        if let Some(behind) = rest.strip_prefix(':') {
            (seconds, rest) = leading_integer::<i32>(behind).ok_or(Fault::Offset)?;
        }
    } else if rest.is_empty() && text.len() > 3 {
        (hours, minutes) = (hours / 100, hours % 100);
    }
    if !(0..=15).contains(&hours) || !(0..60).contains(&minutes) || !(0..60).contains(&seconds) {
        return Err(Fault::Offset);
    }
    if rest.is_empty() { Ok(sign * (hours * 3600 + minutes * 60 + seconds)) } else { Err(Fault::Syntax) }
}
