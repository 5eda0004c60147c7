//! Operators: which types they take, and which they give.

use super::expr::Expr;
use super::literal::IntoExpr;
use super::types::{Both, SqlType};
use crate::linq::tree::Tree;
use crate::{Date, Decimal, Interval, Numeric, Time, Timestamp, TimestampTz, Uuid};
use multiloop_planner::relation::builder::Operator;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Rem, Sub};

/// What a comparison gives: whether it may be NULL.
pub type Compared<T, R> = Both<T, <R as IntoExpr>::Type, bool>;

/// Types whose values can be compared, as SQL does.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` cannot be compared with one of type `{R}`",
    note = "numbers compare with numbers, texts with texts, dates with dates; `.cast::<T>()` converts"
)]
pub trait Comparable<R> {}

macro_rules! operations {
    ($($(#[$doc:meta])* $rule:ident $trait:ident $method:ident $operator:ident $message:literal;)*) => {
        $($(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $message,
            note = "`.cast::<T>()` converts one of them; a literal of a decimal is `decimal!(0.05)`"
        )]
        pub trait $rule<R> {
            /// What it gives.
            type Output: SqlType;
        }

        impl<T: SqlType, R: IntoExpr> $trait<R> for Expr<T>
        where
            T::Base: $rule<<R::Type as SqlType>::Base>,
        {
            type Output = Expr<Both<T, R::Type, <T::Base as $rule<<R::Type as SqlType>::Base>>::Output>>;

            #[track_caller]
            fn $method(self, other: R) -> Self::Output {
                Expr::of(Tree::operator(Operator::$operator, self.tree(), other.into_expr().tree()))
            }
        })*
    };
}

operations! {
    /// Types that can be added.
    Plus Add add Add "a value of type `{R}` cannot be added to one of type `{Self}`";
    /// Types that can be subtracted.
    Minus Sub sub Subtract "a value of type `{R}` cannot be subtracted from one of type `{Self}`";
    /// Types that can be multiplied.
    Times Mul mul Multiply "a value of type `{Self}` cannot be multiplied by one of type `{R}`";
    /// Types that can be divided.
    Over Div div Divide "a value of type `{Self}` cannot be divided by one of type `{R}`";
    /// Types whose division has a remainder.
    Modulo Rem rem Modulo "a value of type `{Self}` divided by one of type `{R}` has no remainder";
}

macro_rules! from_the_left {
    ($literal:ty: $($rule:ident $trait:ident $method:ident $operator:ident;)*) => {
        $(impl<T: SqlType> $trait<Expr<T>> for $literal
        where
            $literal: $rule<T::Base>,
        {
            type Output = Expr<T::Carry<<$literal as $rule<T::Base>>::Output>>;

            #[track_caller]
            fn $method(self, other: Expr<T>) -> Self::Output {
                Expr::of(Tree::operator(Operator::$operator, self.into_expr().tree(), other.tree()))
            }
        })*
    };
    ($($literal:ty),*) => {
        $(from_the_left! { $literal:
            Plus Add add Add;
            Minus Sub sub Subtract;
            Times Mul mul Multiply;
            Over Div div Divide;
            Modulo Rem rem Modulo;
        })*
    };
}

from_the_left!(i16, i32, i64, f32, f64, Decimal, Numeric, Interval, Date, Time, Timestamp, TimestampTz);

macro_rules! comparable {
    ($($left:ty: $($right:ty),*;)*) => {
        $($(impl Comparable<$right> for $left {})*)*
    };
}

comparable! {
    i16: i16, i32, i64, Decimal, Numeric, f32, f64;
    i32: i16, i32, i64, Decimal, Numeric, f32, f64;
    i64: i16, i32, i64, Decimal, Numeric, f32, f64;
    Decimal: i16, i32, i64, Decimal, Numeric, f32, f64;
    Numeric: i16, i32, i64, Decimal, Numeric, f32, f64;
    f32: i16, i32, i64, Decimal, Numeric, f32, f64;
    f64: i16, i32, i64, Decimal, Numeric, f32, f64;
    bool: bool;
    String: String;
    Vec<u8>: Vec<u8>;
    Interval: Interval;
    Date: Date, Timestamp, TimestampTz;
    Time: Time;
    Timestamp: Date, Timestamp, TimestampTz;
    TimestampTz: Date, Timestamp, TimestampTz;
    Uuid: Uuid;
}

macro_rules! rules {
    ($($rule:ident { $($left:ty, $right:ty => $gives:ty;)* })*) => {
        $($(impl $rule<$right> for $left {
            type Output = $gives;
        })*)*
    };
}

/// What two numbers give, as PostgreSQL resolves its operators: the wider integer; an exact number with one; a double with a float
/// (two reals stay real).
macro_rules! arithmetic {
    ($($rule:ident)*) => {
        $(rules! { $rule {
            i16, i16 => i16; i16, i32 => i32; i16, i64 => i64; i16, Decimal => Decimal; i16, Numeric => Numeric;
            i16, f32 => f64; i16, f64 => f64;
            i32, i16 => i32; i32, i32 => i32; i32, i64 => i64; i32, Decimal => Decimal; i32, Numeric => Numeric;
            i32, f32 => f64; i32, f64 => f64;
            i64, i16 => i64; i64, i32 => i64; i64, i64 => i64; i64, Decimal => Decimal; i64, Numeric => Numeric;
            i64, f32 => f64; i64, f64 => f64;
            Decimal, i16 => Decimal; Decimal, i32 => Decimal; Decimal, i64 => Decimal; Decimal, Decimal => Decimal;
            Decimal, Numeric => Numeric; Decimal, f32 => f64; Decimal, f64 => f64;
            Numeric, i16 => Numeric; Numeric, i32 => Numeric; Numeric, i64 => Numeric; Numeric, Decimal => Numeric;
            Numeric, Numeric => Numeric; Numeric, f32 => f64; Numeric, f64 => f64;
            f32, i16 => f64; f32, i32 => f64; f32, i64 => f64; f32, Decimal => f64; f32, Numeric => f64;
            f32, f32 => f32; f32, f64 => f64;
            f64, i16 => f64; f64, i32 => f64; f64, i64 => f64; f64, Decimal => f64; f64, Numeric => f64;
            f64, f32 => f64; f64, f64 => f64;
        } })*
    };
}

arithmetic!(Plus Minus Times Over);

rules! {
    Modulo {
        i16, i16 => i16; i16, i32 => i32; i16, i64 => i64; i16, Decimal => Decimal; i16, Numeric => Numeric;
        i32, i16 => i32; i32, i32 => i32; i32, i64 => i64; i32, Decimal => Decimal; i32, Numeric => Numeric;
        i64, i16 => i64; i64, i32 => i64; i64, i64 => i64; i64, Decimal => Decimal; i64, Numeric => Numeric;
        Decimal, i16 => Decimal; Decimal, i32 => Decimal; Decimal, i64 => Decimal; Decimal, Decimal => Decimal;
        Decimal, Numeric => Numeric;
        Numeric, i16 => Numeric; Numeric, i32 => Numeric; Numeric, i64 => Numeric; Numeric, Decimal => Numeric;
        Numeric, Numeric => Numeric;
    }
    Plus {
        Interval, Interval => Interval; Date, i32 => Date; i32, Date => Date; Date, Interval => Timestamp;
        Date, Time => Timestamp; Time, Interval => Time; Timestamp, Interval => Timestamp;
        TimestampTz, Interval => TimestampTz; Interval, Date => Timestamp; Interval, Timestamp => Timestamp;
        Interval, TimestampTz => TimestampTz; Interval, Time => Time;
    }
    Minus {
        Interval, Interval => Interval; Date, i32 => Date; Date, Date => i32; Date, Interval => Timestamp;
        Time, Interval => Time; Time, Time => Interval; Timestamp, Interval => Timestamp;
        Timestamp, Timestamp => Interval; TimestampTz, Interval => TimestampTz; TimestampTz, TimestampTz => Interval;
    }
    Times {
        Interval, i32 => Interval; Interval, f64 => Interval; i32, Interval => Interval; f64, Interval => Interval;
    }
    Over {
        Interval, i32 => Interval; Interval, f64 => Interval;
    }
}

/// Types of values of which one or the other is meant, as in CASE: two alike, or numbers, of which the wider type is taken.
#[diagnostic::on_unimplemented(
    message = "a choice between `{Self}` and `{R}` has no type",
    note = "`.cast::<T>()` converts one of them"
)]
pub trait Unified<R> {
    /// Their common type.
    type Output: SqlType;
}

rules! {
    Unified {
        i16, i16 => i16; i16, i32 => i32; i16, i64 => i64; i16, Decimal => Decimal; i16, Numeric => Numeric;
        i16, f32 => f32; i16, f64 => f64;
        i32, i16 => i32; i32, i32 => i32; i32, i64 => i64; i32, Decimal => Decimal; i32, Numeric => Numeric;
        i32, f32 => f32; i32, f64 => f64;
        i64, i16 => i64; i64, i32 => i64; i64, i64 => i64; i64, Decimal => Decimal; i64, Numeric => Numeric;
        i64, f32 => f32; i64, f64 => f64;
        Decimal, i16 => Decimal; Decimal, i32 => Decimal; Decimal, i64 => Decimal; Decimal, Decimal => Decimal;
        Decimal, Numeric => Numeric; Decimal, f32 => f32; Decimal, f64 => f64;
        Numeric, i16 => Numeric; Numeric, i32 => Numeric; Numeric, i64 => Numeric; Numeric, Decimal => Numeric;
        Numeric, Numeric => Numeric; Numeric, f32 => f32; Numeric, f64 => f64;
        f32, i16 => f32; f32, i32 => f32; f32, i64 => f32; f32, Decimal => f32; f32, Numeric => f32; f32, f32 => f32;
        f32, f64 => f64;
        f64, i16 => f64; f64, i32 => f64; f64, i64 => f64; f64, Decimal => f64; f64, Numeric => f64; f64, f32 => f64;
        f64, f64 => f64;
        bool, bool => bool; String, String => String; Vec<u8>, Vec<u8> => Vec<u8>; Interval, Interval => Interval;
        Date, Date => Date; Time, Time => Time; Timestamp, Timestamp => Timestamp;
        TimestampTz, TimestampTz => TimestampTz; Uuid, Uuid => Uuid;
    }
}

/// Types with a sign.
#[diagnostic::on_unimplemented(message = "a value of type `{Self}` has no sign to change")]
pub trait Signed {}

impl Signed for i16 {}
impl Signed for i32 {}
impl Signed for i64 {}
impl Signed for f32 {}
impl Signed for f64 {}
impl Signed for Decimal {}
impl Signed for Numeric {}
impl Signed for Interval {}

impl<T: SqlType> Neg for Expr<T>
where
    T::Base: Signed,
{
    type Output = Expr<T>;

    #[track_caller]
    fn neg(self) -> Expr<T> {
        Expr::of(Tree::negated(self.tree()))
    }
}

impl<T: SqlType<Base = bool>> Not for Expr<T> {
    type Output = Expr<T>;

    #[track_caller]
    fn not(self) -> Expr<T> {
        Expr::of(Tree::not(self.tree()))
    }
}

impl<T: SqlType<Base = bool>, R: IntoExpr> BitAnd<R> for Expr<T>
where
    R::Type: SqlType<Base = bool>,
{
    type Output = Expr<Both<T, R::Type, bool>>;

    #[track_caller]
    fn bitand(self, other: R) -> Self::Output {
        self.and(other)
    }
}

impl<T: SqlType<Base = bool>, R: IntoExpr> BitOr<R> for Expr<T>
where
    R::Type: SqlType<Base = bool>,
{
    type Output = Expr<Both<T, R::Type, bool>>;

    #[track_caller]
    fn bitor(self, other: R) -> Self::Output {
        self.or(other)
    }
}
