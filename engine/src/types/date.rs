//! What dates have of their own: the calendar.

use super::{Date, Time, Timestamp};
use crate::Interval;
use multiloop_planner::evaluate::calendar::{
    self, Civil, DATE_INFINITY, DAYS_MAX, DAYS_MIN, civil_from_days, days_from_civil, days_in_month,
};

impl Date {
    /// `infinity`: later than all others.
    pub const INFINITY: Date = Date(i32::MAX);
    /// `-infinity`: earlier than all others.
    pub const NEG_INFINITY: Date = Date(i32::MIN);
    /// The first one, 4714-11-24 BC.
    pub const MIN: Date = Date(DAYS_MIN as i32);
    /// The last one, 5874897-12-31.
    pub const MAX: Date = Date(DAYS_MAX as i32);

    /// A day, of a month from 1; None if it is not in the calendar, or not a date of SQL. The year 0 is 1 BC.
    ///
    /// ```
    /// use multiloop::Date;
    ///
    /// const LEAP: Option<Date> = Date::new(2024, 2, 29);
    /// assert!(LEAP.is_some() && Date::new(2023, 2, 29).is_none());
    /// ```
    pub const fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        if month < 1 || month > 12 || day < 1 || day as i64 > days_in_month(year as i64, month as i64) {
            return None;
        }
        Date::of(days_from_civil(year as i64, month as i64, day as i64))
    }

    /// So many days after 1970-01-01, or before; an infinity beyond the last date, or the first.
    ///
    /// ```
    /// use multiloop::{Date, date};
    ///
    /// assert_eq!(Date::from_days(1), date!(1970-01-02));
    /// assert_eq!(Date::from_days(i32::MAX), Date::INFINITY);
    /// ```
    pub const fn from_days(days: i32) -> Self {
        match Date::of(days as i64) {
            Some(date) => date,
            None if days < 0 => Date::NEG_INFINITY,
            None => Date::INFINITY,
        }
    }

    const fn of(days: i64) -> Option<Self> {
        if days < DAYS_MIN || days > DAYS_MAX { None } else { Some(Date(days as i32)) }
    }

    /// Days since 1970-01-01; of the infinities the least and the greatest number.
    pub const fn days(self) -> i32 {
        self.0
    }

    /// Whether it is a day, none of the infinities.
    pub const fn is_finite(self) -> bool {
        self.0 != i32::MAX && self.0 != i32::MIN
    }

    /// Year, month and day; None of the infinities.
    ///
    /// ```
    /// use multiloop::{Date, date};
    ///
    /// assert_eq!(date!(2024-02-29).ymd(), Some((2024, 2, 29)));
    /// assert_eq!(Date::INFINITY.ymd(), None);
    /// ```
    pub fn ymd(self) -> Option<(i32, u32, u32)> {
        self.is_finite().then(|| (self.year(), self.month(), self.day()))
    }

    fn civil(self) -> Option<Civil> {
        self.is_finite().then(|| civil_from_days(self.0.into()))
    }

    /// The year; 0 is 1 BC. Of the infinities it is the least and the greatest number.
    pub fn year(self) -> i32 {
        self.civil().map_or(self.0, |civil| civil.year as i32)
    }

    /// The month, from 1 to 12; 0 of the infinities.
    pub fn month(self) -> u32 {
        self.civil().map_or(0, |civil| civil.month as u32)
    }

    /// The day of the month, from 1 to 31; 0 of the infinities.
    pub fn day(self) -> u32 {
        self.civil().map_or(0, |civil| civil.day as u32)
    }

    /// The day of the year, from 1 to 366; 0 of the infinities.
    pub fn day_of_year(self) -> u32 {
        if self.is_finite() { calendar::day_of_year(self.0.into()) as u32 } else { 0 }
    }

    /// The day of the week, from 1 for Monday to 7 for Sunday; 0 of the infinities.
    ///
    /// ```
    /// assert_eq!(multiloop::date!(1998-09-02).iso_weekday(), 3);
    /// ```
    pub fn iso_weekday(self) -> u32 {
        if self.is_finite() { calendar::weekday(self.0.into()) as u32 + 1 } else { 0 }
    }

    /// So many days later; None beyond the last date. The infinities stay.
    ///
    /// ```
    /// use multiloop::{Date, date};
    ///
    /// assert_eq!(date!(2024-02-28).checked_add_days(2), Some(date!(2024-03-01)));
    /// assert_eq!(Date::MAX.checked_add_days(1), None);
    /// ```
    pub const fn checked_add_days(self, days: i32) -> Option<Self> {
        if !self.is_finite() {
            return Some(self);
        }
        Date::of(self.0 as i64 + days as i64)
    }

    /// So many days earlier; None before the first date. The infinities stay.
    pub const fn checked_sub_days(self, days: i32) -> Option<Self> {
        if !self.is_finite() {
            return Some(self);
        }
        Date::of(self.0 as i64 - days as i64)
    }

    /// So many months later, or on the last day of that month if it is shorter; None where there is no such date. The infinities
    /// stay.
    ///
    /// ```
    /// use multiloop::date;
    ///
    /// assert_eq!(date!(2024-01-31).checked_add_months(1), Some(date!(2024-02-29)));
    /// ```
    pub fn checked_add_months(self, months: i32) -> Option<Self> {
        let Some(Civil { year, month, day }) = self.civil() else { return Some(self) };
        let months = year * 12 + month - 1 + i64::from(months);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        Date::of(days_from_civil(year, month, day.min(days_in_month(year, month))))
    }

    /// The days from another date to this one; None if one of them is infinite.
    ///
    /// ```
    /// use multiloop::date;
    ///
    /// assert_eq!(date!(2024-03-01).days_since(date!(2024-02-28)), Some(2));
    /// ```
    pub const fn days_since(self, other: Date) -> Option<i64> {
        if self.is_finite() && other.is_finite() { Some(self.0 as i64 - other.0 as i64) } else { None }
    }

    /// The timestamp of a time on this day; None beyond the last timestamp, in the year 294276. The infinities stay.
    ///
    /// ```
    /// use multiloop::{date, time, timestamp};
    ///
    /// assert_eq!(date!(1998-09-02).at(time!(12:30)), Some(timestamp!(1998-09-02 12:30)));
    /// ```
    pub const fn at(self, time: Time) -> Option<Timestamp> {
        Timestamp::new(self, time)
    }

    /// The moment an interval later, as SQL adds it: a timestamp. None where there is none.
    pub fn checked_add(self, interval: Interval) -> Option<Timestamp> {
        self.at(Time::MIDNIGHT)?.checked_add(interval)
    }
}

const _: () = assert!(DATE_INFINITY == i32::MAX as i64, "the infinities are the least and the greatest number");
