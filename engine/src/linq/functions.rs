//! More that expressions say: subqueries, windows, patterns, arrays, values of Rust's types.

use super::expression::{Expression, Order};
use super::frame::Frame;
use super::over::Window;
use super::tree::{Call, Tree};
use super::windows::WindowSpec;
use crate::parameters::ToParameter;
use crate::sight::Sight;
use crate::{DataType, Error, Value};
use multiloop_planner::function::{Function, PatternFunction};
use multiloop_planner::relation::builder::Operator;
use std::sync::Arc;

/// A value of Rust's as a literal of its SQL type; text has no type until something gives it one, as in SQL.
///
/// ```
/// use multiloop::linq::{col, value};
///
/// let session = multiloop::Engine::new()?.session();
/// session.sql("CREATE TABLE t AS SELECT i FROM generate_series(1, 9) g(i)")?;
/// let some = session.table("t").filter(col("i").eq_any(value(&[2_i32, 3])));
/// assert_eq!(some.run()?.collect_batches()?[0].num_rows(), 2);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub fn value(value: &(impl ToParameter + ?Sized)) -> Expression {
    let parameter = value.to_parameter();
    let own = parameter.own_type(DataType::Null);
    let tree = match parameter.value_as(own, &Sight::default()) {
        Ok(Some(Value::Null)) if own == DataType::Null => Tree::Null,
        Ok(Some(value)) if own != DataType::Null => Tree::Value(value, own),
        Ok(Some(Value::Text(text))) => Tree::Text(text.to_string()),
        Ok(Some(Value::Boolean(value))) => Tree::Boolean(value),
        Ok(Some(Value::Int(number))) => Tree::Number(number.to_string()),
        Ok(Some(Value::Float(number))) => Tree::Value(Value::Float(number), DataType::Double),
        Ok(Some(Value::Numeric(number))) => Tree::Value(Value::Numeric(number), DataType::Numeric),
        Ok(Some(Value::Interval(interval))) => Tree::Value(Value::Interval(interval), DataType::Interval),
        Ok(_) => Tree::Failure(Error::unsupported("a value that does not say its type is")),
        Err(error) => Tree::Failure(error),
    };
    Expression::of(tree)
}

/// `EXISTS (…)`: whether a frame has rows. It may use columns of the frames around it, by `alias.column` where names are the same.
///
/// ```
/// use multiloop::linq::{col, exists};
///
/// let session = multiloop::Engine::new()?.session();
/// session.sql("CREATE TABLE a AS SELECT i FROM generate_series(1, 3) g(i); CREATE TABLE b AS SELECT 2 AS i")?;
/// let same = session.table("b").filter(col("b.i").eq(col("a.i")));
/// assert_eq!(session.table("a").filter(exists(same)).run()?.collect_batches()?[0].num_rows(), 1);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub fn exists(frame: Frame<'_>) -> Expression {
    Expression::of(Tree::Exists(Arc::new(frame.block)))
}

/// The only value of a frame of one column, as a value; NULL if it has no row.
pub fn scalar(frame: Frame<'_>) -> Expression {
    Expression::of(Tree::Scalar(Arc::new(frame.block)))
}

/// `ARRAY(…)`: the values of a frame of one column.
pub fn array_of(frame: Frame<'_>) -> Expression {
    Expression::of(Tree::ArrayOf(Arc::new(frame.block)))
}

/// `(values…) IN (…)`: whether a frame has such a row.
pub fn row_in_frame(values: impl IntoIterator<Item = Expression>, frame: Frame<'_>) -> Expression {
    let values = values.into_iter().map(|value| value.tree).collect();
    Expression::of(Tree::InRows(values, Arc::new(frame.block)))
}

/// `ARRAY[values…]`; an empty one needs a [`Expression::cast`].
pub fn array<T: Into<Expression>>(values: impl IntoIterator<Item = T>) -> Expression {
    Expression::of(Tree::Array(values.into_iter().map(|value| value.into().tree).collect()))
}

/// `GROUPING(keys…)`: which keys of [`Frame::group_by_sets`], [`Frame::rollup`] or [`Frame::cube`] the group's list lacks: a bit each,
/// the last one for the last key.
pub fn grouping(keys: impl IntoIterator<Item = Expression>) -> Expression {
    super::expression::function("grouping", keys)
}

macro_rules! window_functions {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name() -> Expression {
            Expression::of(Tree::Call(Call::new(stringify!($name), Some(Vec::new()))))
        })*
    };
}

window_functions! {
    /// The row's number in its partition, from 1; needs [`Expression::over`].
    row_number;
    /// The number of the first row that the order does not tell apart from this; needs [`Expression::over`].
    rank;
    /// As [`rank`], without gaps.
    dense_rank;
}

/// The value of the row `rows` before, in the window's order; needs [`Expression::over`].
pub fn lag(value: Expression, rows: i32) -> Expression {
    super::expression::function("lag", [value, rows.into()])
}

/// The value of the row `rows` behind, in the window's order; needs [`Expression::over`].
pub fn lead(value: Expression, rows: i32) -> Expression {
    super::expression::function("lead", [value, rows.into()])
}

impl Expression {
    /// The call over a window: aggregates, and functions such as [`row_number`]. An error of the query for anything else.
    ///
    /// ```
    /// use multiloop::linq::{col, sum, window};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// session.sql("CREATE TABLE t AS SELECT i, i % 2 AS odd FROM generate_series(1, 5) g(i)")?;
    /// let running = sum(col("i")).over(window().partition_by([col("odd")]).order_by([col("i")]));
    /// assert_eq!(session.table("t").select([col("i"), running]).run()?.collect_batches()?[0].num_rows(), 5);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn over(self, window: WindowSpec) -> Expression {
        let window: Window = window.window;
        self.with_call("OVER", |call| call.over = Some(Arc::new(window)))
    }

    /// The order in which an aggregate takes its values: `array_agg(x ORDER BY y)`, or WITHIN GROUP of `percentile_cont` and its kin.
    #[must_use]
    pub fn in_order<O: Into<Order>>(self, keys: impl IntoIterator<Item = O>) -> Expression {
        let keys = keys.into_iter().map(Into::into).collect();
        self.with_call("ORDER BY", |call| call.order = keys)
    }

    /// IGNORE NULLS of a window function.
    #[must_use]
    pub fn ignore_nulls(self) -> Expression {
        self.with_call("IGNORE NULLS", |call| call.ignore_nulls = true)
    }

    fn with_call(mut self, what: &str, change: impl FnOnce(&mut Call)) -> Expression {
        match &mut self.tree {
            Tree::Call(call) => change(call),
            other => *other = Tree::Failure(Error::unsupported(format_args!("{what} of what is no call is"))),
        }
        self
    }

    /// `self IN (…)`: whether it is among the values of a frame of one column.
    #[must_use]
    pub fn is_in_frame(self, frame: Frame<'_>) -> Expression {
        row_in_frame([self], frame)
    }

    /// `self = ANY (array)`.
    #[must_use]
    pub fn eq_any(self, array: impl Into<Expression>) -> Expression {
        Expression::of(Tree::AnyOf(Arc::new(self.tree), Arc::new(array.into().tree)))
    }

    /// `self NOT LIKE pattern`.
    #[must_use]
    pub fn not_like(self, pattern: &str) -> Expression {
        self.matches(Function::Like, true, pattern)
    }

    /// `self ILIKE pattern`: LIKE without regard to case.
    #[must_use]
    pub fn ilike(self, pattern: &str) -> Expression {
        self.matches(Function::ILike, false, pattern)
    }

    /// `self NOT ILIKE pattern`.
    #[must_use]
    pub fn not_ilike(self, pattern: &str) -> Expression {
        self.matches(Function::ILike, true, pattern)
    }

    /// `self ~ pattern`: a regular expression.
    #[must_use]
    pub fn matches_regex(self, pattern: &str) -> Expression {
        self.matches(Function::Pattern(PatternFunction::Matches), false, pattern)
    }

    /// `self IS DISTINCT FROM other`: NULL is a value like any other.
    #[must_use]
    pub fn distinct_from(self, other: impl Into<Expression>) -> Expression {
        Expression::of(Tree::distinct(false, self.tree, other.into().tree))
    }

    /// `self IS NOT DISTINCT FROM other`.
    #[must_use]
    pub fn not_distinct_from(self, other: impl Into<Expression>) -> Expression {
        Expression::of(Tree::distinct(true, self.tree, other.into().tree))
    }

    /// `self IS TRUE`.
    #[must_use]
    pub fn is_true(self) -> Expression {
        Expression::of(Tree::Truth(Function::IsTrue, false, Arc::new(self.tree)))
    }

    /// `self IS FALSE`.
    #[must_use]
    pub fn is_false(self) -> Expression {
        Expression::of(Tree::Truth(Function::IsFalse, false, Arc::new(self.tree)))
    }

    /// `self IS UNKNOWN`.
    #[must_use]
    pub fn is_unknown(self) -> Expression {
        Expression::of(Tree::Truth(Function::IsNull, false, Arc::new(self.tree)))
    }

    /// `self || other`.
    #[must_use]
    pub fn concat(self, other: impl Into<Expression>) -> Expression {
        Expression::of(Tree::operator(Operator::Concatenate, self.tree, other.into().tree))
    }

    /// `EXTRACT(field FROM self)`.
    #[must_use]
    pub fn extract(self, field: &str) -> Expression {
        Expression::of(Tree::Extract(field.into(), Arc::new(self.tree)))
    }

    /// `self[index]`, from 1; one behind the other for arrays of several dimensions.
    #[must_use]
    pub fn element(mut self, index: impl Into<Expression>) -> Expression {
        let index = index.into().tree;
        if let Tree::Subscript(_, indexes) = &mut self.tree {
            *indexes = indexes.iter().cloned().chain([index]).collect();
            return self;
        }
        Expression::of(Tree::Subscript(Arc::new(self.tree), Arc::from([index])))
    }
}
