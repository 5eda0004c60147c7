//! Rust's values as lifted ones.

use super::expr::Expr;
use super::types::SqlType;
use crate::linq::tree::Tree;
use crate::{DataType, Date, Decimal, Interval, Numeric, Time, Timestamp, TimestampTz, Uuid, Value};
use std::sync::Arc;

/// What becomes a lifted value: lifted values themselves, and Rust's values as literals.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become a value of a query",
    note = "literals are numbers, `bool`, texts, `Decimal`s, dates, times and `Option`s of them; a query becomes one by `value`, `count`, `sum` …"
)]
pub trait IntoExpr {
    /// Its type.
    type Type: SqlType;

    /// The lifted value.
    fn into_expr(self) -> Expr<Self::Type>;
}

/// A Rust value as a lifted one.
///
/// ```
/// use multiloop::{Engine, linq::literal};
///
/// let session = Engine::new()?.session();
/// let numbers = session.values([1_i32, 2]);
/// assert_eq!(numbers.select(|n| (n, literal("x"))).collect()?[1], (2, "x".to_owned()));
/// # Ok::<(), multiloop::Error>(())
/// ```
pub fn literal<V: IntoExpr>(value: V) -> Expr<V::Type> {
    value.into_expr()
}

/// NULL of a type.
pub fn null_of<T: SqlType>() -> Expr<T::Optional> {
    Expr::of(Tree::Value(Value::Null, T::sql_type()))
}

impl<T: SqlType> IntoExpr for Expr<T> {
    type Type = T;

    fn into_expr(self) -> Expr<T> {
        self
    }
}

impl<V: IntoExpr> IntoExpr for Option<V> {
    type Type = <V::Type as SqlType>::Optional;

    fn into_expr(self) -> Expr<Self::Type> {
        match self {
            Some(value) => value.into_expr().retyped(),
            None => Expr::of(Tree::Value(Value::Null, <V::Type as SqlType>::sql_type())),
        }
    }
}

/// A decimal: one without digits behind its point would be an integer as a number.
fn decimal(value: Decimal) -> Tree {
    if value.scale() > 0 {
        return Tree::Number(value.to_string());
    }
    let digits = value.unscaled().unsigned_abs().to_string().len();
    let precision = u8::try_from(digits).unwrap_or(u8::MAX);
    Tree::Value(Value::Decimal(value.unscaled()), DataType::decimal(precision, 0))
}

macro_rules! literals {
    ($($rust:ty, $sql:ty, $value:ident => $tree:expr;)*) => {
        $(impl IntoExpr for $rust {
            type Type = $sql;

            fn into_expr(self) -> Expr<$sql> {
                let $value = self;
                Expr::of($tree)
            }
        })*
    };
}

literals! {
    bool, bool, value => Tree::Boolean(value);
    i16, i16, value => Tree::Value(Value::Int(value.into()), DataType::SmallInt);
    // Written as in a text: a whole number is an integer there.
    i32, i32, value => Tree::Number(value.to_string());
    i64, i64, value => Tree::Value(Value::Int(value), DataType::BigInt);
    f32, f32, value => Tree::Value(Value::Float(value.into()), DataType::Real);
    f64, f64, value => Tree::Value(Value::Float(value), DataType::Double);
    // A literal in quotes takes the type that it meets, as char(n).
    &str, String, value => Tree::Text(value.to_owned());
    &String, String, value => Tree::Text(value.clone());
    String, String, value => Tree::Text(value);
    Arc<str>, String, value => Tree::Text(value.as_ref().to_owned());
    Decimal, Decimal, value => decimal(value);
    Date, Date, value => Tree::Value(Value::Int(value.days().into()), DataType::Date);
    Time, Time, value => Tree::Value(Value::Int(value.micros()), DataType::Time);
    Timestamp, Timestamp, value => Tree::Value(Value::Int(value.micros()), DataType::Timestamp);
    TimestampTz, TimestampTz, value => Tree::Value(Value::Int(value.micros()), DataType::TimestampTz);
    Uuid, Uuid, value => Tree::Typed(DataType::Uuid, value.to_string());
    Numeric, Numeric, value => Tree::Value(Value::Numeric(Arc::new(value)), DataType::Numeric);
    Interval, Interval, value => Tree::Value(Value::Interval(value), DataType::Interval);
}
