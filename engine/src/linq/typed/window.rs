//! Window functions: what the rows around a row give it.
//!
//! ```
//! use multiloop::Engine;
//! use multiloop::linq::window;
//!
//! let session = Engine::new()?.session();
//! let sales = session.values([("Bern", 1_i32, 10_i32), ("Bern", 2, 30), ("Oslo", 1, 5)]);
//! let running = sales
//!     .select(|(city, day, amount)| {
//!         let total = window::sum(amount).over(|w| w.partition_by(city).order_by(day));
//!         let before = window::lag(amount, 1).over(|w| w.partition_by(city).order_by(day));
//!         (city, day, total, before)
//!     })
//!     .order_by(|r| (r.0, r.1));
//! assert_eq!(running.collect()?[1], ("Bern".to_owned(), 2, Some(40), Some(10)));
//! # Ok::<(), multiloop::Error>(())
//! ```

use super::aggregates::{Averaged, Ordered, Summed};
use super::conditions::Condition;
use super::expr::Expr;
use super::literal::IntoExpr;
use super::order::Keys;
use super::types::SqlType;
pub use crate::linq::bounds::current_row;
use crate::linq::bounds::{FrameBound, FrameRange};
use crate::linq::tree::{Bound, Call, Tree, Window};
use multiloop_planner::window::{Exclude, FrameUnit};
use std::marker::PhantomData;
use std::sync::Arc;

/// A function that goes over a window, and is a value once [`Windowed::over`] says which.
#[must_use = "a window function is a value once `over` says which rows it goes over"]
pub struct Windowed<T> {
    call: Call,
    of: PhantomData<fn() -> T>,
}

/// Which rows a function goes over: all, unless said otherwise; with an order, those up to the current one and its equals.
#[derive(Clone, Default)]
pub struct Over(Window);

impl<T> Windowed<T> {
    fn of(name: &str, arguments: Option<Vec<Tree>>) -> Self {
        Windowed { call: Call::new(name, arguments), of: PhantomData }
    }

    /// The value over a window.
    pub fn over(mut self, window: impl FnOnce(Over) -> Over) -> Expr<T> {
        self.call.over = Some(Arc::new(window(Over::default()).0));
        Expr::of(Tree::Call(self.call))
    }

    /// Over the rows only for which a condition is true: aggregates alone have that.
    #[track_caller]
    pub fn filter<C: Condition>(mut self, condition: C) -> Self {
        self.call.filter = Some(Arc::new(condition.condition().tree()));
        self
    }

    /// NULLs are passed over: `lag`, `lead`, `first_value`, `last_value` and `nth_value` have that.
    pub fn ignore_nulls(mut self) -> Self {
        self.call.ignore_nulls = true;
        self
    }
}

impl Over {
    /// Over the rows alone that have the same values as the current one.
    #[must_use]
    #[track_caller]
    pub fn partition_by<K: Keys>(mut self, keys: K) -> Self {
        self.0.partition.extend(keys.keys().into_iter().map(|key| key.lower().0.tree));
        self
    }

    /// The order of the rows.
    #[must_use]
    #[track_caller]
    pub fn order_by<K: Keys>(mut self, keys: K) -> Self {
        self.0.order.extend(keys.keys().into_iter().map(|key| key.lower().0));
        self
    }

    /// Over rows at a distance from the current one: `-2..=0` are it and the two before, `..` are all.
    #[must_use]
    pub fn rows(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Rows, frame)
    }

    /// Over groups of rows that are equal by the order, at a distance from the current one's.
    #[must_use]
    pub fn groups(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Groups, frame)
    }

    /// Over the rows whose only key of the order is at a distance from the current row's: `-10..=0` are those at most 10 below it,
    /// `preceding(days)..=following(days)` those of some days around it.
    #[must_use]
    pub fn range(self, frame: impl FrameRange) -> Self {
        self.framed(FrameUnit::Range, frame)
    }

    /// Without the current row. Behind [`Over::rows`] and the like.
    #[must_use]
    pub fn exclude_current_row(self) -> Self {
        self.excluding(Exclude::CurrentRow)
    }

    /// Without the current row and those that are equal to it by the order.
    #[must_use]
    pub fn exclude_group(self) -> Self {
        self.excluding(Exclude::Group)
    }

    /// Without the rows that are equal to the current one by the order.
    #[must_use]
    pub fn exclude_ties(self) -> Self {
        self.excluding(Exclude::Ties)
    }

    fn framed(mut self, unit: FrameUnit, frame: impl FrameRange) -> Self {
        self.0.set_frame(unit, frame);
        self
    }

    fn excluding(mut self, what: Exclude) -> Self {
        self.0.exclude(what);
        self
    }
}

/// An end of a frame: so many rows or groups before the current row, or a value so much smaller.
#[track_caller]
pub fn preceding(distance: impl IntoExpr) -> FrameBound {
    FrameBound(Bound::Before(distance.into_expr().tree()))
}

/// An end of a frame: so many rows or groups behind the current row, or a value so much greater.
#[track_caller]
pub fn following(distance: impl IntoExpr) -> FrameBound {
    FrameBound(Bound::Behind(distance.into_expr().tree()))
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident -> $gives:ty;)*) => {
        $($(#[$doc])*
        pub fn $name() -> Windowed<$gives> {
            Windowed::of(stringify!($name), Some(Vec::new()))
        })*
    };
}

places! {
    /// The number of the row, from 1.
    row_number -> i64;
    /// The number of the first row that is equal by the order.
    rank -> i64;
    /// How many different rows by the order there are up to this one.
    dense_rank -> i64;
    /// The rank from 0 to 1.
    percent_rank -> f64;
    /// The part of the rows up to this one and its equals.
    cume_dist -> f64;
}

/// The number of one of so many parts of about the same size, from 1.
pub fn ntile(parts: i32) -> Windowed<i32> {
    Windowed::of("ntile", Some(vec![Tree::Number(parts.to_string())]))
}

/// How many rows there are.
pub fn count() -> Windowed<i64> {
    Windowed::of("count", None)
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident $function:literal;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name<T: SqlType>(value: Expr<T>) -> Windowed<T::Optional> {
            Windowed::of($function, Some(vec![value.tree()]))
        })*
    };
}

values! {
    /// The value of the first row.
    first_value "first_value";
    /// The value of the last row, which is the current one unless the window says otherwise.
    last_value "last_value";
}

macro_rules! shifts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name<T: SqlType>(value: Expr<T>, rows: i32) -> Windowed<T::Optional> {
            Windowed::of(stringify!($name), Some(vec![value.tree(), Tree::Number(rows.to_string())]))
        })*
    };
}

shifts! {
    /// The value of so many rows before.
    lag;
    /// The value of so many rows behind.
    lead;
    /// The value of a row of the window by its number, from 1.
    nth_value;
}

/// The sum of a value; NULL where there is none.
#[track_caller]
pub fn sum<T: SqlType>(value: Expr<T>) -> Windowed<<<T::Base as Summed>::Sum as SqlType>::Optional>
where
    T::Base: Summed,
{
    Windowed::of("sum", Some(vec![value.tree()]))
}

/// The average of a value; NULL where there is none.
#[track_caller]
pub fn avg<T: SqlType>(value: Expr<T>) -> Windowed<<<T::Base as Averaged>::Average as SqlType>::Optional>
where
    T::Base: Averaged,
{
    Windowed::of("avg", Some(vec![value.tree()]))
}

/// The least value; NULL where there is none.
#[track_caller]
pub fn min<T: SqlType>(value: Expr<T>) -> Windowed<T::Optional>
where
    T::Base: Ordered,
{
    Windowed::of("min", Some(vec![value.tree()]))
}

/// The greatest value; NULL where there is none.
#[track_caller]
pub fn max<T: SqlType>(value: Expr<T>) -> Windowed<T::Optional>
where
    T::Base: Ordered,
{
    Windowed::of("max", Some(vec![value.tree()]))
}

/// How many values are not NULL.
#[track_caller]
pub fn count_of<T>(value: Expr<T>) -> Windowed<i64> {
    Windowed::of("count", Some(vec![value.tree()]))
}
