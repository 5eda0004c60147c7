//! Functions of days and times.

use super::expr::Expr;
use super::types::SqlType;
use crate::linq::tree::Tree;
use crate::{Date, Decimal, Time, Timestamp, TimestampTz};
use std::sync::Arc;

/// Types that have a year, a month and a day.
#[diagnostic::on_unimplemented(message = "a value of type `{Self}` is no day")]
pub trait Dated {}

impl Dated for Date {}
impl Dated for Timestamp {}
impl Dated for TimestampTz {}

/// Types that have an hour, a minute and a second.
#[diagnostic::on_unimplemented(message = "a value of type `{Self}` has no time of the day")]
pub trait Timed {}

impl Timed for Time {}
impl Timed for Timestamp {}
impl Timed for TimestampTz {}

macro_rules! fields {
    ($bound:ident: $($(#[$doc:meta])* $name:ident $field:literal;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Expr<T::Carry<i32>>
        where
            T::Base: $bound,
        {
            self.extract::<i32>($field)
        })*
    };
}

impl<T: SqlType> Expr<T> {
    fields! { Dated:
        /// The year.
        year "year";
        /// The quarter, from 1.
        quarter "quarter";
        /// The month, from 1.
        month "month";
        /// The day of the month, from 1.
        day "day";
        /// The day of the week: 0 is Sunday.
        day_of_week "dow";
        /// The day of the year, from 1.
        day_of_year "doy";
    }

    fields! { Timed:
        /// The hour.
        hour "hour";
        /// The minute.
        minute "minute";
    }

    /// The second, with what is behind its point.
    #[track_caller]
    pub fn second(self) -> Expr<T::Carry<Decimal>>
    where
        T::Base: Timed,
    {
        Expr::of(Tree::Extract(Arc::from("second"), Arc::new(self.tree())))
    }

    #[track_caller]
    fn extract<U: SqlType>(self, field: &str) -> Expr<T::Carry<U>> {
        let extracted = Tree::Extract(Arc::from(field), Arc::new(self.tree()));
        Expr::of(Tree::cast(extracted, U::sql_type()))
    }
}
