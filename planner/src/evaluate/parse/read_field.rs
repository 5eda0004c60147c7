//! What a field of a text of a date or time means behind those before it: a date, a time, a number, a run of digits, a word.
//! Each function takes its field into the [`Reading`] and gives the parts that are there by it.

use super::clock::{micros_of_fraction, read_offset, read_time};
use super::fault::{Fault, Parsed};
use super::field::{Field, Kind, fraction, leading_integer};
use super::reading::{
    ADDITION, DATE, DAY_OF_MONTH, DAY_OF_YEAR, ERA, FRACTION, HALF, HOUR_PART, MINUTE_PART, MONTH, NAME, Offset, Parts,
    Reading, SECOND_PART, SUMMER, TIME, WEEKDAY, YEAR, ZONE,
};
use super::word::{Named, Prefix, Word, named};
use crate::evaluate::calendar::{Civil, DAY, HOUR, MINUTE, SECOND, civil_from_days, split_timestamp};
use crate::evaluate::zone::{self, Zone, with_zone};
use crate::evaluate::zone_abbreviations::Abbreviation;

impl Reading<'_> {
    /// A date; or a run of digits and an offset, or the name of a zone, where a date is there or cannot be.
    pub(super) fn date_field(&mut self, field: &Field, at: usize, kinds: &[Kind]) -> Parsed<Parts> {
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

    pub(super) fn time_field(&mut self, text: &str) -> Parsed<Parts> {
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
    pub(super) fn prefixed(&mut self, prefix: Prefix, text: &str) -> Parsed<Parts> {
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

    pub(super) fn set_date(&mut self, days: i64) {
        Civil { year: self.year, month: self.month, day: self.day } = civil_from_days(days);
    }

    /// A number by itself.
    pub(super) fn number_field(&mut self, text: &str, at: usize, kinds: &[Kind]) -> Parsed<Parts> {
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
    pub(super) fn word(&mut self, text: &str, next: Option<Kind>) -> Parsed<Option<Parts>> {
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
}
