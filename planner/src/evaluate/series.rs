//! `generate_series`: how many values there are from a start to a stop by a step, and which one stands at a position.
//!
//! Of numbers the value at a position is the start and so many steps. Of times PostgreSQL adds the step again and
//! again, and what a month's end cut off stays off: from January 31 by months come February 29, March 29, April 29. So
//! a step of months, and one of days in a time zone, is walked; each position is asked for behind the one before, so
//! the last one is kept.
//!
//! A series that is walked need not have an end (January 31 by a month less 29 days stays at January 30), or has it far away.
//! So its values are made in blocks: their number is a bound that a division gives, and each says how many values it has when it
//! is asked for. Only where a step may go no way at all is the series walked in advance, until it ends or goes round.

use super::calendar::{DAY, checked_timestamp, is_infinite_timestamp, split_timestamp};
use super::date::add_interval;
use super::zone::{add_in_zone, with_zone};
use super::{Call, mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, SERIES_BLOCK};
use crate::meter;
use crate::numeric::Numeric;
use crate::types::DataType;
use crate::value::{Interval, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// Days by which a step in a zone may be off: what its offsets differ by.
const ZONE_DAYS: i128 = 3;

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let of = call.types[0];
    Ok(Some(match call.function {
        Function::SeriesCount => Value::Int(match of {
            DataType::Numeric => count_numerics(numeric(call, 0)?, numeric(call, 1)?, numeric(call, 2)?)?,
            DataType::Timestamp => Steps::of(call, 2, 3)?.count(call.int(1)?)?,
            _ => count_integers(call.int(0)?, call.int(1)?, call.int(2)?)?,
        }),
        Function::SeriesAt => match of {
            DataType::Numeric => numeric_at(numeric(call, 0)?, numeric(call, 1)?, call.int(2)?)?,
            DataType::Timestamp => Value::Int(Steps::of(call, 1, 3)?.at(call.int(2)?)?),
            _ => Value::Int(integer_at(call.int(0)?, call.int(1)?, call.int(2)?)?),
        },
        Function::SeriesBlocks => Value::Int(Steps::of(call, 2, 3)?.blocks(call.int(1)?)?),
        Function::SeriesInBlock => Value::Int(Steps::of(call, 2, 4)?.in_block(call.int(1)?, call.int(3)?)?),
        _ => return Ok(None),
    }))
}

fn numeric<'a>(call: &Call<'a>, at: usize) -> Result<&'a Arc<Numeric>> {
    match &call.arguments[at] {
        Value::Numeric(number) => Ok(number),
        other => Err(mismatch(other, DataType::Numeric)),
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

fn no_step() -> Error {
    invalid("step size cannot equal zero")
}

fn count_integers(start: i64, stop: i64, step: i64) -> Result<i64> {
    if step == 0 {
        return Err(no_step());
    }
    let (way, step) = (i128::from(stop) - i128::from(start), i128::from(step));
    Ok(if way != 0 && (way < 0) != (step < 0) { 0 } else { saturated(way / step + 1) })
}

fn saturated(count: i128) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn integer_at(start: i64, step: i64, position: i64) -> Result<i64> {
    let value = i128::from(start) + i128::from(step) * i128::from(position);
    i64::try_from(value).map_err(|_| Error::new(ErrorKind::NumericOverflow, "bigint out of range"))
}

fn count_numerics(start: &Numeric, stop: &Numeric, step: &Numeric) -> Result<i64> {
    for (number, name) in [(start, "start value"), (stop, "stop value"), (step, "step size")] {
        if number.scale().is_none() {
            let what = if number.is_nan() { "NaN" } else { "infinity" };
            return Err(invalid(&format!("{name} cannot be {what}")));
        }
    }
    let ascends = match step.signum() {
        Some(0) | None => return Err(no_step()),
        Some(sign) => sign > 0,
    };
    let way = stop.subtract(start)?;
    if way.signum().is_some_and(|sign| sign != 0 && (sign > 0) != ascends) {
        return Ok(0);
    }
    let steps = way.divide_truncated(step)?.to_integer("bigint")?;
    Ok(steps.map_or(i64::MAX, |steps| saturated(steps + 1)))
}

/// The first value is the start with the digits that it has, the others have those of the step, too.
fn numeric_at(start: &Arc<Numeric>, step: &Numeric, position: i64) -> Result<Value> {
    if position == 0 {
        return Ok(Value::Numeric(Arc::clone(start)));
    }
    Ok(Value::numeric(start.add(&step.multiply(&Numeric::from_integer(position))?)?))
}

/// A start and a step of time, in a zone if there is one.
#[derive(Clone, PartialEq)]
struct Steps {
    start: i64,
    step: Interval,
    zone: Option<String>,
}

/// A position of a series that was walked to, and the value there.
type Reached = (Steps, i64, i64);

/// What a step takes, as [`meter::spend`] counts.
const STEP_UNITS: usize = 64;

thread_local! {
    /// The last position that was asked for.
    static LAST: RefCell<Option<Reached>> = const { RefCell::new(None) };
    /// The last block that was asked for, and its first value.
    static BLOCK: RefCell<Option<Reached>> = const { RefCell::new(None) };
}

impl Steps {
    fn of(call: &Call, step: usize, zone: usize) -> Result<Steps> {
        let zone = if call.arguments.len() > zone { Some(call.text(zone)?.to_owned()) } else { None };
        let steps = Steps { start: call.int(0)?, step: call.interval(step)?, zone };
        if is_infinite_timestamp(steps.start) {
            return Err(invalid("start value cannot be infinity"));
        }
        Ok(steps)
    }

    /// The step in microseconds, if it is as long everywhere.
    fn fixed(&self) -> Option<i128> {
        let (Interval { months, days, micros }, zoned) = (self.step, self.zone.is_some());
        (months == 0 && (days == 0 || !zoned)).then(|| i128::from(days) * i128::from(DAY) + i128::from(micros))
    }

    fn next(&self, value: i64) -> Result<i64> {
        match &self.zone {
            Some(zone) => with_zone(zone, |zone| add_in_zone(value, self.step, zone)),
            None => add_interval(value, self.step, 1),
        }
    }

    fn count(&self, stop: i64) -> Result<i64> {
        let within = self.within(stop)?;
        if !within(self.start) {
            return Ok(0);
        }
        if let Some(step) = self.fixed() {
            return Ok(saturated((i128::from(stop) - i128::from(self.start)) / step + 1));
        }
        self.walk(within)
    }

    /// How many values there are, as far as anybody would count: one that goes round has no end.
    fn walk(&self, within: impl Fn(i64) -> bool) -> Result<i64> {
        let (mut value, mut count, mut mark) = (self.start, 0i64, None);
        while within(value) {
            if mark == Some(value) {
                return Ok(i64::MAX);
            }
            if count & (count - 1) == 0 {
                mark = Some(value);
            }
            count += 1;
            meter::spend(STEP_UNITS)?;
            value = self.next(value)?;
        }
        Ok(count)
    }

    /// Which values are not behind the end.
    fn within(&self, stop: i64) -> Result<impl Fn(i64) -> bool + use<>> {
        let ascends = match self.step.comparable_micros() {
            0 => return Err(no_step()),
            length => length > 0,
        };
        Ok(move |value: i64| if ascends { value <= stop } else { value >= stop })
    }

    /// A bound for the number of blocks.
    fn blocks(&self, stop: i64) -> Result<i64> {
        let within = self.within(stop)?;
        let of_count = |count: i64| count / SERIES_BLOCK + i64::from(count % SERIES_BLOCK > 0);
        if !within(self.start) {
            return Ok(0);
        }
        if self.fixed().is_some() {
            return self.count(stop).map(of_count);
        }
        let Interval { months, days, micros } = self.step;
        let days_of_months = |of_one: i128| i128::from(months) * of_one;
        // The least way of a step, in its direction, and the way to the end.
        let rest = i128::from(days) * i128::from(DAY) + i128::from(micros);
        let ways = [28, 31].map(|of_one| days_of_months(of_one) * i128::from(DAY) + rest);
        let least = if ways.iter().all(|&way| way > 0) || ways.iter().all(|&way| way < 0) {
            ways[0].abs().min(ways[1].abs())
        } else {
            return self.walk(within).map(of_count);
        };
        let way = (i128::from(stop) - i128::from(self.start)).abs() + ZONE_DAYS * i128::from(DAY);
        Ok(of_count(saturated(way / least + 2)))
    }

    /// How many values a block has. An error of a step behind the first is one of the next block: nobody may get as far.
    fn in_block(self, stop: i64, block: i64) -> Result<i64> {
        let within = self.within(stop)?;
        if self.fixed().is_some() {
            let before = block.saturating_mul(SERIES_BLOCK);
            return Ok((self.count(stop)?.saturating_sub(before)).clamp(0, SERIES_BLOCK));
        }
        let last = BLOCK.take().filter(|(steps, reached, _)| *steps == self && *reached <= block);
        let (mut reached, mut value) = last.map_or((0, self.start), |(_, reached, value)| (reached, value));
        while reached < block {
            let first = value;
            for _ in 0..SERIES_BLOCK {
                // Behind the end there is nothing more.
                if !within(value) {
                    BLOCK.set(Some((self, reached, first)));
                    return Ok(0);
                }
                meter::spend(STEP_UNITS)?;
                value = self.next(value)?;
            }
            reached += 1;
        }
        BLOCK.set(Some((self.clone(), reached, value)));
        let mut count = 0;
        while count < SERIES_BLOCK && within(value) {
            count += 1;
            meter::spend(STEP_UNITS)?;
            match self.next(value) {
                Ok(next) => value = next,
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(_) => break,
            }
        }
        Ok(count)
    }

    fn at(self, position: i64) -> Result<i64> {
        if let Some(step) = self.fixed() {
            let (days, time) = split_timestamp(self.start);
            let way = step.checked_mul(i128::from(position)).map(|way| way + i128::from(time));
            let out_of_range = || Error::new(ErrorKind::DatetimeOverflow, "timestamp out of range");
            let way = way.ok_or_else(out_of_range)?;
            let more = i64::try_from(way.div_euclid(i128::from(DAY))).map_err(|_| out_of_range())?;
            let days = days.checked_add(more).ok_or_else(out_of_range)?;
            return checked_timestamp(days, way.rem_euclid(i128::from(DAY)) as i64);
        }
        let last = LAST.take().filter(|(steps, reached, _)| *steps == self && *reached <= position);
        let (mut reached, mut value) = last.map_or((0, self.start), |(_, reached, value)| (reached, value));
        BLOCK.with_borrow(|block| {
            if let Some((steps, number, at)) = block
                && let Some(before) = number.checked_mul(SERIES_BLOCK)
                && *steps == self
                && (reached..=position).contains(&before)
            {
                (reached, value) = (before, *at);
            }
        });
        while reached < position {
            meter::spend(STEP_UNITS)?;
            value = self.next(value)?;
            reached += 1;
        }
        LAST.set(Some((self, reached, value)));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (start, stop, step, count, last) in [
            (1, 3, 1, 3, 3),
            (1, 4, 2, 2, 3),
            (3, 1, -1, 3, 1),
            (1, 1, -7, 1, 1),
            (i64::MIN, i64::MAX, i64::MAX, 3, i64::MAX - 1),
            (i64::MAX - 1, i64::MAX, 1, 2, i64::MAX),
        ] {
            assert_eq!(count_integers(start, stop, step).unwrap(), count, "{start} {stop} {step}");
            assert_eq!(integer_at(start, step, count - 1).unwrap(), last, "{start} {stop} {step}");
        }
        assert_eq!(count_integers(3, 1, 1).unwrap(), 0);
        assert_eq!(count_integers(1, 3, -1).unwrap(), 0);
        assert_eq!(count_integers(1, 3, 0).unwrap_err().sqlstate(), "22023");
        assert_eq!(count_integers(i64::MIN, i64::MAX, 1).unwrap(), i64::MAX);
    }

    #[test]
    fn positions_in_any_order() {
        let step = Interval { months: 1, days: 0, micros: 0 };
        let steps = Steps { start: 30 * DAY, step, zone: None };
        let in_order: Vec<i64> = (0..30).map(|at| steps.clone().at(at).unwrap()).collect();
        for at in [7, 3, 29, 0, 12] {
            assert_eq!(steps.clone().at(at).unwrap(), in_order[at as usize], "{at}");
        }
        // 1970-01-31, then February 28, and 28 from then on.
        assert_eq!(in_order[..3], [30 * DAY, 58 * DAY, 86 * DAY]);
        assert_eq!(steps.count(86 * DAY).unwrap(), 3);
    }

    #[test]
    fn blocks_are_the_series() {
        let month = Interval { months: 1, days: 0, micros: 0 };
        let odd = Interval { months: 1, days: -27, micros: 0 };
        let back = Interval { months: -1, days: 2, micros: 5 };
        for (step, stop, zone) in [
            (month, 400_000 * DAY, None),
            (odd, 20_000 * DAY, None),
            (back, -300_000 * DAY, None),
            (month, 29 * DAY, None),
            (month, 30 * DAY, None),
            (Interval { months: 0, days: 1, micros: 0 }, 5_000 * DAY, Some("Europe/Berlin".to_owned())),
            (Interval { months: 0, days: 0, micros: DAY }, 5_000 * DAY, None),
        ] {
            let steps = Steps { start: 30 * DAY, step, zone };
            let blocks = steps.blocks(stop).unwrap();
            let in_blocks: Vec<i64> = (0..blocks).map(|block| steps.clone().in_block(stop, block).unwrap()).collect();
            assert_eq!(in_blocks.iter().sum::<i64>(), steps.count(stop).unwrap(), "{step:?}");
            assert!(in_blocks.is_sorted_by(|a, b| a >= b), "{in_blocks:?}");
            for block in [1, 0, 3].into_iter().filter(|block| *block < blocks) {
                assert_eq!(steps.clone().in_block(stop, block).unwrap(), in_blocks[block as usize]);
            }
        }
        let endless = Steps { start: 30 * DAY, step: Interval { months: 1, days: -29, micros: 0 }, zone: None };
        assert_eq!(endless.count(1_000 * DAY).unwrap(), i64::MAX);
        assert_eq!(endless.clone().in_block(1_000 * DAY, 7).unwrap(), SERIES_BLOCK);
    }
}
