//! Values that are made, and checked, while a program is compiled.

/// A [`Date`](crate::Date): no program with a day that is not in the calendar compiles.
///
/// ```
/// use multiloop::date;
///
/// assert_eq!(date!(1998-09-02).to_string(), "1998-09-02");
/// ```
///
/// ```compile_fail
/// let none = multiloop::date!(2026-02-29);
/// ```
#[macro_export]
macro_rules! date {
    ($year:literal - $month:literal - $day:literal) => {{
        const DATE: $crate::Date = match $crate::Date::new($year, $month, $day) {
            ::std::option::Option::Some(date) => date,
            ::std::option::Option::None => ::std::panic!("there is no such day"),
        };
        DATE
    }};
}

/// A [`Decimal`](crate::Decimal) of as many digits as are written.
///
/// ```
/// use multiloop::decimal;
///
/// assert_eq!(decimal!(0.06).to_string(), "0.06");
/// assert_eq!(decimal!(-100).to_string(), "-100");
/// ```
///
/// ```compile_fail
/// let none = multiloop::decimal!(1e5);
/// ```
#[macro_export]
macro_rules! decimal {
    ($($number:tt)+) => {{
        const DECIMAL: $crate::Decimal = match $crate::Decimal::of_literal(::std::concat!($(::std::stringify!($number)),+)) {
            ::std::option::Option::Some(decimal) => decimal,
            ::std::option::Option::None => ::std::panic!("this is no decimal of up to 38 digits"),
        };
        DECIMAL
    }};
}
