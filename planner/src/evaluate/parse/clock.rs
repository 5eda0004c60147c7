//! Times of day, their fractions, and offsets from UTC: the parts of a text that a clock shows.

use super::fault::{Fault, Parsed};
use super::field::{fraction, leading_integer};
use crate::evaluate::calendar::SECOND;

/// Hours, minutes, seconds and their fraction in microseconds. Two numbers with a fraction are minutes and seconds.
pub(super) fn read_time(text: &str) -> Parsed<(i64, i64, i64, i64)> {
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
pub(super) fn micros_of_fraction(text: &str) -> Parsed<i64> {
    let fraction = fraction(text).ok_or(Fault::Syntax)?;
    Ok((fraction * SECOND as f64).round_ties_even() as i64)
}

/// Seconds of an offset with its sign, if it is one.
pub(super) fn offset(text: &str) -> Option<i64> {
    read_offset(text).ok()
}

/// Seconds of an offset from UTC: a sign and hours, perhaps minutes and seconds.
pub(super) fn read_offset(text: &str) -> Parsed<i64> {
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
