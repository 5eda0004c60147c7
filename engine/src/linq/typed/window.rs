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
use crate::linq::tree::{Bound, Call, Tree, Window, WindowFrame};
use multiloop_planner::window::{Exclude, FrameUnit};
use std::marker::PhantomData;
use std::ops::{self, RangeBounds};
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
    pub fn rows(self, rows: impl RangeBounds<i64>) -> Self {
        self.between(FrameUnit::Rows, &rows)
    }

    /// Over groups of rows that are equal by the order, at a distance from the current one's.
    #[must_use]
    pub fn groups(self, groups: impl RangeBounds<i64>) -> Self {
        self.between(FrameUnit::Groups, &groups)
    }

    /// Over the rows whose only key of the order is at most so much below the current row's, and so much above.
    #[must_use]
    #[track_caller]
    pub fn range<B: IntoExpr, A: IntoExpr>(mut self, below: B, above: A) -> Self {
        let (start, end) = (Bound::Before(below.into_expr().tree()), Bound::Behind(above.into_expr().tree()));
        self.0.frame = Some(WindowFrame { unit: FrameUnit::Range, start, end, exclude: Exclude::NoOthers });
        self
    }

    /// Without the current row. Behind [`Over::rows`] and the like.
    #[must_use]
    pub fn exclude_current(mut self) -> Self {
        let whole = || WindowFrame {
            unit: FrameUnit::Range,
            start: Bound::First,
            end: Bound::Current,
            exclude: Exclude::NoOthers,
        };
        self.0.frame.get_or_insert_with(whole).exclude = Exclude::CurrentRow;
        self
    }

    fn between(mut self, unit: FrameUnit, range: &impl RangeBounds<i64>) -> Self {
        let start = match range.start_bound() {
            ops::Bound::Unbounded => Bound::First,
            ops::Bound::Included(at) => distance(*at),
            ops::Bound::Excluded(at) => distance(at.saturating_add(1)),
        };
        let end = match range.end_bound() {
            ops::Bound::Unbounded => Bound::Last,
            ops::Bound::Included(at) => distance(*at),
            ops::Bound::Excluded(at) => distance(at.saturating_sub(1)),
        };
        self.0.frame = Some(WindowFrame { unit, start, end, exclude: Exclude::NoOthers });
        self
    }
}

/// The bound at a distance: below 0 it is before the current row.
fn distance(at: i64) -> Bound {
    let rows = || Tree::Number(at.unsigned_abs().to_string());
    match at {
        0 => Bound::Current,
        ..0 => Bound::Before(rows()),
        _ => Bound::Behind(rows()),
    }
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
