//! Choices, and functions by their names.

use super::arena;
use super::conditions::Condition;
use super::expr::Expr;
use super::literal::IntoExpr;
use super::operators::Unified;
use super::record::{Fields, Lifted};
use super::types::{Both, SqlType};
use crate::linq::tree::{Call, Tree};
use crate::{Decimal, Error, ErrorKind, FunctionKind, FunctionSummary, Numeric, functions};
use std::marker::PhantomData;
use std::panic::Location;

/// Any function of SQL by its name. That it gives a `T` is checked when the result is read.
///
/// ```
/// use multiloop::{Engine, linq::call};
///
/// let session = Engine::new()?.session();
/// let texts = session.values(["abc"]);
/// assert_eq!(texts.select(|t| call::<String, _>("reverse", (t,))).collect()?, ["cba"]);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[track_caller]
pub fn call<T: SqlType, A: Lifted>(name: &str, arguments: A) -> Expr<T> {
    let arguments = Fields::of(&arguments, Location::caller());
    let arguments = arguments.into_iter().map(|argument| argument.tree).collect();
    let is_aggregate = |known: FunctionSummary| known.kind == FunctionKind::Aggregate && known.name == name;
    if functions().into_iter().any(is_aggregate) {
        let message = format!("{name} is an aggregate: groups have it, and windows");
        arena::fail(Error::new(ErrorKind::Grouping, message).with_hint("Groups have `call`, too."));
    }
    Expr::of(Tree::Call(Call::new(name, Some(arguments))))
}

/// Types that have a [sigmoid](Expr::sigmoid): numbers, and vectors element by element.
#[diagnostic::on_unimplemented(message = "values of type `{Self}` have no sigmoid")]
pub trait Logistic {
    /// What the sigmoid is.
    type Output: SqlType;
}

macro_rules! logistic {
    ($($number:ty),*) => {
        $(impl Logistic for $number {
            type Output = f64;
        })*
    };
}

logistic!(i16, i32, i64, f32, f64, Decimal, Numeric);

impl<T: SqlType> Expr<T>
where
    T::Base: Logistic,
{
    /// The logistic function, `1 / (1 + exp(-self))`: from 0 to 1, never an error. Of a vector it is the vector of its elements'.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let scores = session.values([0.0_f64, f64::INFINITY, -1e9]);
    /// assert_eq!(scores.select(|x| x.sigmoid()).collect()?, [0.5, 1.0, 0.0]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn sigmoid(self) -> Expr<T::Carry<<T::Base as Logistic>::Output>> {
        self.calling("sigmoid")
    }
}

/// A choice that lacks its last alternative: see [`case`].
#[must_use = "a choice is a value once `otherwise` or `end` says what else there is"]
pub struct Case<T> {
    branches: Vec<(Tree, Tree)>,
    of: PhantomData<fn() -> T>,
}

/// The first value whose condition is true: `CASE WHEN … THEN … ELSE … END`. It may be NULL if one of the
/// values may be.
///
/// ```
/// use multiloop::{Engine, linq::case};
///
/// let session = Engine::new()?.session();
/// let sizes = session.values([1_i32, 50]).select(|n| case(n.gt(9), "large").otherwise("small"));
/// assert_eq!(sizes.collect()?, ["small", "large"]);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[track_caller]
pub fn case<C: Condition, V: IntoExpr>(condition: C, value: V) -> Case<V::Type> {
    Case { branches: vec![(condition.condition().tree(), value.into_expr().tree())], of: PhantomData }
}

impl<T: SqlType> Case<T> {
    /// One more branch.
    #[track_caller]
    pub fn when<C: Condition, V: IntoExpr>(mut self, condition: C, value: V) -> Case<Choice<T, V>>
    where
        T::Base: Unified<<V::Type as SqlType>::Base>,
    {
        self.branches.push((condition.condition().tree(), value.into_expr().tree()));
        Case { branches: self.branches, of: PhantomData }
    }

    /// The value where no condition is true.
    #[track_caller]
    pub fn otherwise<V: IntoExpr>(self, value: V) -> Expr<Choice<T, V>>
    where
        T::Base: Unified<<V::Type as SqlType>::Base>,
    {
        let otherwise = value.into_expr().tree();
        Expr::of(Tree::case(self.branches, otherwise))
    }

    /// NULL where no condition is true.
    pub fn end(self) -> Expr<T::Optional> {
        Expr::of(Tree::case(self.branches, Tree::Null))
    }
}

/// The type of one value or another one: NULL if one of them may be.
pub type Choice<T, V> =
    Both<T, <V as IntoExpr>::Type, <<T as SqlType>::Base as Unified<<<V as IntoExpr>::Type as SqlType>::Base>>::Output>;
