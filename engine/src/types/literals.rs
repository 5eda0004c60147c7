//! What the macros [`date!`](crate::date), [`time!`](crate::time), [`timestamp!`](crate::timestamp) and
//! [`decimal!`](crate::decimal) are given, read while the program is compiled: a mistake is an error of the compiler.
//!
//! The macros hand their tokens over as text, in which there may be blanks between any two of them.

use super::{Date, Decimal, Time, Timestamp};

/// A text, read from its beginning.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

/// Digits of microseconds behind the point.
const FRACTION_DIGITS: u32 = 6;

impl Scanner<'_> {
    const fn next(&mut self) -> Option<u8> {
        while self.at < self.text.len() && self.text[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        if self.at < self.text.len() { Some(self.text[self.at]) } else { None }
    }

    /// Passes over a character, if it is the next one.
    const fn take(&mut self, wanted: u8) -> bool {
        match self.next() {
            Some(next) if next == wanted => {
                self.at += 1;
                true
            }
            _ => false,
        }
    }

    /// A number of some digits at most.
    const fn number(&mut self, digits_max: usize) -> Option<i64> {
        if self.next().is_none() {
            return None;
        }
        let (start, mut value) = (self.at, 0);
        while self.at < self.text.len() && self.text[self.at].is_ascii_digit() {
            value = value * 10 + (self.text[self.at] - b'0') as i64;
            self.at += 1;
            if self.at - start > digits_max {
                return None;
            }
        }
        if self.at == start { None } else { Some(value) }
    }

    /// `1998-09-02`
    const fn date(&mut self) -> Option<Date> {
        let Some(year) = self.number(7) else { return None };
        if !self.take(b'-') {
            return None;
        }
        let Some(month) = self.number(2) else { return None };
        if !self.take(b'-') {
            return None;
        }
        let Some(day) = self.number(2) else { return None };
        // PostgreSQL has no year 0.
        if year == 0 { None } else { Date::new(year as i32, month as u32, day as u32) }
    }

    /// `12:30`, `12:30:05`, `12:30:05.25`
    const fn time(&mut self) -> Option<Time> {
        let Some(hour) = self.number(2) else { return None };
        if !self.take(b':') {
            return None;
        }
        let Some(minute) = self.number(2) else { return None };
        let (mut second, mut micros) = (0, 0);
        if self.take(b':') {
            second = match self.number(2) {
                Some(second) => second,
                None => return None,
            };
            if self.take(b'.') {
                let start = self.at;
                let Some(fraction) = self.number(FRACTION_DIGITS as usize) else { return None };
                micros = fraction * 10i64.pow(FRACTION_DIGITS - (self.at - start) as u32);
            }
        }
        Time::from_hms_micro(hour as u32, minute as u32, second as u32, micros as u32)
    }
}

/// A date, as [`date!`](crate::date) has it.
pub const fn date(text: &str) -> Option<Date> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let date = scanner.date();
    if scanner.next().is_some() { None } else { date }
}

/// A time, as [`time!`](crate::time) has it.
pub const fn time(text: &str) -> Option<Time> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let time = scanner.time();
    if scanner.next().is_some() { None } else { time }
}

/// A timestamp, as [`timestamp!`](crate::timestamp) has it.
pub const fn timestamp(text: &str) -> Option<Timestamp> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let Some(date) = scanner.date() else { return None };
    let time = match scanner.next() {
        None => Some(Time::MIDNIGHT),
        Some(_) => scanner.time(),
    };
    match (time, scanner.next()) {
        (Some(time), None) => Timestamp::new(date, time),
        _ => None,
    }
}

/// A decimal, as [`decimal!`](crate::decimal) has it: all its digits are kept.
pub const fn decimal(text: &str) -> Option<Decimal> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    let is_negative = scanner.take(b'-');
    if !is_negative {
        scanner.take(b'+');
    }
    let (mut unscaled, mut scale, mut digits, mut is_behind) = (0i128, 0u8, 0, false);
    while let Some(next) = scanner.next() {
        scanner.at += 1;
        match next {
            b'0'..=b'9' => {
                let Some(shifted) = unscaled.checked_mul(10) else { return None };
                let Some(sum) = shifted.checked_add((next - b'0') as i128) else { return None };
                unscaled = sum;
                digits += 1;
                if is_behind {
                    if scale == Decimal::SCALE_MAX {
                        return None;
                    }
                    scale += 1;
                }
            }
            b'.' if !is_behind => is_behind = true,
            b'_' => {}
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    Decimal::new(if is_negative { -unscaled } else { unscaled }, scale)
}

/// A [`Date`](crate::Date) whose text is checked when the program is compiled.
///
/// ```
/// use multiloop::{Date, date};
///
/// const FIRST: Date = date!(1998-09-02);
/// assert_eq!((FIRST.year(), FIRST.month(), FIRST.day()), (1998, 9, 2));
/// ```
///
/// ```compile_fail
/// multiloop::date!(2026-02-29);
/// ```
#[macro_export]
macro_rules! date {
    ($($text:tt)*) => {
        const {
            match $crate::__literal::date(::core::stringify!($($text)*)) {
                ::core::option::Option::Some(date) => date,
                ::core::option::Option::None => ::core::panic!("no such date: date! takes a year, a month and a day, as 1998-09-02"),
            }
        }
    };
}

/// A [`Time`](crate::Time) whose text is checked when the program is compiled.
///
/// ```
/// use multiloop::time;
///
/// assert_eq!(time!(12:30:05.25).to_string(), "12:30:05.25");
/// assert_eq!(time!(00:00).to_string(), "00:00:00");
/// ```
///
/// ```compile_fail
/// multiloop::time!(25:00);
/// ```
#[macro_export]
macro_rules! time {
    ($($text:tt)*) => {
        const {
            match $crate::__literal::time(::core::stringify!($($text)*)) {
                ::core::option::Option::Some(time) => time,
                ::core::option::Option::None => ::core::panic!("no such time: time! takes hours, minutes and seconds, as 12:30:05.25"),
            }
        }
    };
}

/// A [`Timestamp`](crate::Timestamp) whose text is checked when the program is compiled.
///
/// ```
/// use multiloop::timestamp;
///
/// assert_eq!(timestamp!(1998-09-02 12:30:05).to_string(), "1998-09-02 12:30:05");
/// assert_eq!(timestamp!(1998-09-02).to_string(), "1998-09-02 00:00:00");
/// ```
///
/// ```compile_fail
/// multiloop::timestamp!(1998-09-02 24:30);
/// ```
#[macro_export]
macro_rules! timestamp {
    ($($text:tt)*) => {
        const {
            match $crate::__literal::timestamp(::core::stringify!($($text)*)) {
                ::core::option::Option::Some(timestamp) => timestamp,
                ::core::option::Option::None => {
                    ::core::panic!("no such timestamp: timestamp! takes a date and a time, as 1998-09-02 12:30:05")
                }
            }
        }
    };
}

/// A [`Decimal`](crate::Decimal) with exactly these digits, which are checked when the program is compiled.
///
/// ```
/// use multiloop::{Decimal, decimal};
///
/// const TAX: Decimal = decimal!(0.060);
/// assert_eq!((TAX.unscaled(), TAX.scale()), (60, 3));
/// assert_eq!(TAX, decimal!(0.06));
/// assert_eq!(decimal!(-1_000).to_string(), "-1000");
/// ```
///
/// ```compile_fail
/// multiloop::decimal!(1e3);
/// ```
#[macro_export]
macro_rules! decimal {
    ($($text:tt)*) => {
        const {
            match $crate::__literal::decimal(::core::stringify!($($text)*)) {
                ::core::option::Option::Some(decimal) => decimal,
                ::core::option::Option::None => {
                    ::core::panic!("no such decimal: decimal! takes up to 38 digits, with a point or without, as 0.06")
                }
            }
        }
    };
}
