//! Lifted values: what each does and which type it gives.

use super::arena::{self, Lift};
use super::literal::IntoExpr;
use super::operators::{Comparable, Compared};
use super::order::Key;
use super::types::{Both, SqlType};
use crate::DataType;
use crate::linq::tree::{Call, Tree};
use multiloop_planner::function::Function;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A value of each row of a query: a column, or something made of columns. It is a number of a node in an arena, and so `Copy`.
///
/// Rust's operators `+ - * / %`, `& | !` and negation give new ones; comparisons are methods, as Rust's own give `bool`s. Their
/// meaning is SQL's: NULL in gives NULL out, and `T` says by `Option` where that can be; an overflow or a division by zero is an
/// error of the query; integers are divided towards zero, as in Rust.
///
/// ```
/// use multiloop::Engine;
///
/// let session = Engine::new()?.session();
/// let points = session.values([(3_i32, 4_i32), (6, 8)]);
/// let sums = points.filter(|p| p.0.gt(3)).select(|p| p.0 * p.0 + p.1 * p.1);
/// assert_eq!(sums.collect()?, [100]);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub struct Expr<T> {
    lift: Lift,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Expr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Expr<T> {}

impl<T> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr<{}>", std::any::type_name::<T>())
    }
}

impl<T> Expr<T> {
    pub(super) fn of(tree: Tree) -> Self {
        Expr::of_lift(arena::make(tree))
    }

    pub(super) fn of_lift(lift: Lift) -> Self {
        Expr { lift, of: PhantomData }
    }

    pub(super) fn lift(self) -> Lift {
        self.lift
    }

    /// The same value under another type, which the caller knows to be right.
    pub(super) fn retyped<U>(self) -> Expr<U> {
        Expr::of_lift(self.lift)
    }

    #[track_caller]
    pub(super) fn tree(self) -> Tree {
        arena::tree(self.lift, Location::caller()).0
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $function:ident;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name<R: IntoExpr>(self, other: R) -> Expr<Compared<T, R>>
        where
            T::Base: Comparable<<R::Type as SqlType>::Base>,
        {
            Expr::of(Tree::compare(Function::$function, self.tree(), other.into_expr().tree()))
        })*
    };
}

#[allow(clippy::should_implement_trait, reason = "SQL's names; Rust's traits give bool")]
impl<T: SqlType> Expr<T> {
    comparisons! {
        /// `self = other`.
        eq Equal;
        /// `self <> other`.
        not_eq NotEqual;
        /// `self < other`.
        lt Less;
        /// `self <= other`.
        lt_eq LessEqual;
        /// `self > other`.
        gt Greater;
        /// `self >= other`.
        gt_eq GreaterEqual;
    }

    /// `self BETWEEN low AND high`: both ends count.
    #[track_caller]
    pub fn between<L: IntoExpr, H: IntoExpr>(self, low: L, high: H) -> Expr<Both<T, L::Type, Compared<T, H>>>
    where
        T::Base: Comparable<<L::Type as SqlType>::Base> + Comparable<<H::Type as SqlType>::Base>,
    {
        Expr::of(Tree::between(self.tree(), low.into_expr().tree(), high.into_expr().tree()))
    }

    /// `self IN (values)`: FALSE for none, also where `self` is NULL.
    #[track_caller]
    pub fn in_list<R: IntoExpr>(self, values: impl IntoIterator<Item = R>) -> Expr<Compared<T, R>>
    where
        T::Base: Comparable<<R::Type as SqlType>::Base>,
    {
        let values = values.into_iter().map(|value| value.into_expr().tree()).collect();
        Expr::of(Tree::in_list(self.tree(), values))
    }

    /// Whether the values are equal, or both NULL: `IS NOT DISTINCT FROM`.
    #[track_caller]
    pub fn is_same<R: IntoExpr>(self, other: R) -> Expr<bool>
    where
        T::Base: Comparable<<R::Type as SqlType>::Base>,
    {
        Expr::of(Tree::distinct(true, self.tree(), other.into_expr().tree()))
    }

    /// `IS DISTINCT FROM`: whether the values differ, where NULL is a value like others.
    #[track_caller]
    pub fn is_distinct_from<R: IntoExpr>(self, other: R) -> Expr<bool>
    where
        T::Base: Comparable<<R::Type as SqlType>::Base>,
    {
        Expr::of(Tree::distinct(false, self.tree(), other.into_expr().tree()))
    }

    /// `IS NULL`.
    #[track_caller]
    pub fn is_null(self) -> Expr<bool> {
        Expr::of(Tree::is_null(self.tree()))
    }

    /// `IS NOT NULL`.
    #[track_caller]
    pub fn is_not_null(self) -> Expr<bool> {
        Expr::of(Tree::is_not_null(self.tree()))
    }

    /// The value, or another one where it is NULL.
    #[track_caller]
    pub fn coalesce<R: IntoExpr>(self, other: R) -> Expr<<R::Type as SqlType>::Carry<T::Base>>
    where
        R::Type: SqlType<Base = T::Base>,
    {
        let arguments = vec![self.tree(), other.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("coalesce", Some(arguments))))
    }

    /// NULL where the value equals another one.
    #[track_caller]
    pub fn null_if<R: IntoExpr>(self, other: R) -> Expr<T::Optional>
    where
        T::Base: Comparable<<R::Type as SqlType>::Base>,
    {
        let arguments = vec![self.tree(), other.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("nullif", Some(arguments))))
    }

    /// The value under a name, which its column has where no struct names it: `AS name`.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let squares = session.values([2_i32]).select(|n| (n * n).named("square"));
    /// assert_eq!(squares.stream()?.fields()[0].name, "square");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn named(self, name: &str) -> Self {
        Expr::of_lift(arena::make_named(self.tree(), Arc::from(name)))
    }

    /// The value as one that may be NULL.
    pub fn optional(self) -> Expr<T::Optional> {
        self.retyped()
    }

    /// The value as one that is never NULL, where one knows so; NULL in a result is an error (22002) then.
    pub fn never_null(self) -> Expr<T::Base> {
        self.retyped()
    }

    /// `CAST(self AS …)`: an error of the query for a value that the type does not hold.
    #[track_caller]
    pub fn cast<U: SqlType>(self) -> Expr<T::Carry<U>> {
        self.cast_to(U::sql_type())
    }

    /// `CAST(self AS data_type)`, for a type that has parameters, as `decimal(15, 2)`; `U` is what it is in Rust.
    #[track_caller]
    pub fn cast_to<U>(self, data_type: DataType) -> Expr<U> {
        Expr::of(Tree::cast(self.tree(), data_type))
    }

    /// Its text, as SQL's cast to text gives it.
    #[track_caller]
    pub fn to_text(self) -> Expr<T::Carry<String>> {
        self.cast::<String>()
    }

    /// As a key of an order: smallest first, NULLs last.
    #[track_caller]
    pub fn asc(self) -> Key {
        Key::of(self, Location::caller())
    }

    /// As a key of an order: largest first, NULLs first.
    #[track_caller]
    pub fn desc(self) -> Key {
        self.asc().reversed()
    }

    /// The value of a function or operator of one argument.
    #[track_caller]
    pub(super) fn calling<U>(self, name: &str) -> Expr<U> {
        Expr::of(Tree::Call(Call::new(name, Some(vec![self.tree()]))))
    }
}

impl<T: SqlType<Base = bool>> Expr<T> {
    /// `self AND other`, the same as `self & other`.
    #[track_caller]
    pub fn and<R: IntoExpr>(self, other: R) -> Expr<Both<T, R::Type, bool>>
    where
        R::Type: SqlType<Base = bool>,
    {
        Expr::of(self.tree().and(other.into_expr().tree()))
    }

    /// `self OR other`, the same as `self | other`.
    #[track_caller]
    pub fn or<R: IntoExpr>(self, other: R) -> Expr<Both<T, R::Type, bool>>
    where
        R::Type: SqlType<Base = bool>,
    {
        Expr::of(self.tree().or(other.into_expr().tree()))
    }

    /// `IS TRUE`: NULL is not.
    #[track_caller]
    pub fn is_true(self) -> Expr<bool> {
        Expr::of(Tree::Truth(Function::IsTrue, false, Arc::new(self.tree())))
    }
}
