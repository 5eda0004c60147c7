//! Expressions as users write them.

use super::alias::Alias;
use super::tree::{Call, Tree};
use crate::types::{Date, Decimal, Time, Timestamp, TimestampTz, Uuid};
use crate::{DataType, Interval, Numeric, ToParameter};
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::{Operator, PatternOperator};
use multiloop_planner::types::SortOrder;
use std::sync::Arc;

/// An expression: built from [`col`], literals and functions, combined by methods and operators.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) tree: Tree,
    pub(super) alias: Option<String>,
}

/// An expression to order by, with its direction.
#[derive(Clone, Debug)]
pub struct Order {
    pub(super) tree: Tree,
    pub(super) order: SortOrder,
}

/// A column; `table.column` names the table, too. Names are taken as they are, without case folding.
pub fn col(name: &str) -> Expression {
    let (table, column) = match name.split_once('.') {
        None => (None, name),
        Some((table, column)) => (Some(table), column),
    };
    Expression::of(Tree::Column { table: table.map(Alias::from), name: column.into() })
}

/// A literal.
pub fn lit(value: impl Into<Expression>) -> Expression {
    value.into()
}

/// NULL.
pub fn null() -> Expression {
    Expression::of(Tree::Null)
}

/// A date, from its ISO form `1998-12-01`.
pub fn date(text: &str) -> Expression {
    Expression::of(Tree::Typed(DataType::Date, text.into()))
}

/// An interval, as PostgreSQL reads it: `90 days`, `1 year 2 months`.
pub fn interval(text: &str) -> Expression {
    Expression::of(Tree::Typed(DataType::Interval, text.into()))
}

/// `$n`, from 1.
pub fn parameter(number: u32) -> Expression {
    Expression::of(Tree::Parameter(number))
}

/// `NOT condition`.
pub fn not(condition: Expression) -> Expression {
    Expression::of(Tree::Not(Arc::new(condition.tree)))
}

/// Any SQL function or aggregate by its name.
pub fn function(name: &str, arguments: impl IntoIterator<Item = Expression>) -> Expression {
    let arguments = arguments.into_iter().map(|argument| argument.tree).collect();
    Expression::of(Tree::Call(Call::new(name, Some(arguments))))
}

/// `count(*)`.
pub fn count() -> Expression {
    Expression::of(Tree::Call(Call::new("count", None)))
}

/// `count(value)`: how many are not NULL.
pub fn count_of(value: Expression) -> Expression {
    function("count", [value])
}

/// `sum(value)`.
pub fn sum(value: Expression) -> Expression {
    function("sum", [value])
}

/// `avg(value)`.
pub fn avg(value: Expression) -> Expression {
    function("avg", [value])
}

/// `min(value)`.
pub fn min(value: Expression) -> Expression {
    function("min", [value])
}

/// `max(value)`.
pub fn max(value: Expression) -> Expression {
    function("max", [value])
}

/// `CASE WHEN condition THEN value … ELSE otherwise END`.
pub fn when(branches: impl IntoIterator<Item = (Expression, Expression)>, otherwise: Expression) -> Expression {
    let branches = branches.into_iter().map(|(condition, result)| (condition.tree, result.tree)).collect();
    Expression::of(Tree::Case(branches, Arc::new(otherwise.tree)))
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $make:expr;)*) => {
        $($(#[$doc])*
        #[must_use]
        #[allow(clippy::should_implement_trait, reason = "the operators are implemented, too; SQL's names read better in chains")]
        pub fn $name(self, other: impl Into<Expression>) -> Expression {
            let make: fn(Tree, Tree) -> Tree = $make;
            Expression::of(make(self.tree, other.into().tree))
        })*
    };
}

impl Expression {
    pub(super) fn of(tree: Tree) -> Self {
        Expression { tree, alias: None }
    }

    binary! {
        /// `self = other`.
        eq |a, b| Tree::compare(Function::Equal, a, b);
        /// `self <> other`.
        not_eq |a, b| Tree::compare(Function::NotEqual, a, b);
        /// `self < other`.
        lt |a, b| Tree::compare(Function::Less, a, b);
        /// `self <= other`.
        lt_eq |a, b| Tree::compare(Function::LessEqual, a, b);
        /// `self > other`.
        gt |a, b| Tree::compare(Function::Greater, a, b);
        /// `self >= other`.
        gt_eq |a, b| Tree::compare(Function::GreaterEqual, a, b);
        /// `self AND other`.
        and Tree::and;
        /// `self OR other`.
        or Tree::or;
    }

    /// `self BETWEEN low AND high`.
    #[must_use]
    pub fn between(self, low: impl Into<Expression>, high: impl Into<Expression>) -> Expression {
        Expression::of(Tree::Between(Arc::new(self.tree), Arc::new(low.into().tree), Arc::new(high.into().tree)))
    }

    /// `self IN (values…)`.
    #[must_use]
    pub fn is_in<T: Into<Expression>>(self, values: impl IntoIterator<Item = T>) -> Expression {
        let values = values.into_iter().map(|value| value.into().tree).collect();
        Expression::of(Tree::In(Arc::new(self.tree), values))
    }

    /// `self LIKE pattern`.
    #[must_use]
    pub fn like(self, pattern: &str) -> Expression {
        self.matches(Function::Like, false, pattern)
    }

    pub(super) fn matches(self, function: Function, negated: bool, pattern: &str) -> Expression {
        let operator = PatternOperator { function, negated };
        Expression::of(Tree::Like(operator, Arc::new(self.tree), Arc::new(Tree::Text(pattern.into()))))
    }

    /// `self IS NULL`.
    #[must_use]
    pub fn is_null(self) -> Expression {
        Expression::of(Tree::NullTest(Function::IsNull, Arc::new(self.tree)))
    }

    /// `self IS NOT NULL`.
    #[must_use]
    pub fn is_not_null(self) -> Expression {
        Expression::of(Tree::NullTest(Function::IsNotNull, Arc::new(self.tree)))
    }

    /// `CAST(self AS data_type)`.
    #[must_use]
    pub fn cast(self, data_type: DataType) -> Expression {
        Expression::of(Tree::Cast(Arc::new(self.tree), data_type))
    }

    /// An aggregate over distinct values only: `count(DISTINCT …)`. No effect on anything else.
    #[must_use]
    pub fn distinct(mut self) -> Expression {
        if let Tree::Call(call) = &mut self.tree {
            call.distinct = true;
        }
        self
    }

    /// An aggregate over the rows that pass a condition: `FILTER (WHERE …)`. No effect on anything else.
    #[must_use]
    pub fn only_where(mut self, condition: Expression) -> Expression {
        if let Tree::Call(call) = &mut self.tree {
            call.filter = Some(Arc::new(condition.tree));
        }
        self
    }

    /// `self AS name`.
    #[must_use]
    pub fn alias(mut self, name: &str) -> Expression {
        self.alias = Some(name.to_owned());
        self
    }

    /// Smallest first, NULLs last.
    #[must_use]
    pub fn asc(self) -> Order {
        Order { tree: self.tree, order: SortOrder { descending: false, nulls_first: false } }
    }

    /// Largest first, NULLs first.
    #[must_use]
    pub fn desc(self) -> Order {
        Order { tree: self.tree, order: SortOrder { descending: true, nulls_first: true } }
    }
}

impl Order {
    /// NULLs before everything else.
    #[must_use]
    pub fn nulls_first(mut self) -> Self {
        self.order.nulls_first = true;
        self
    }

    /// NULLs after everything else.
    #[must_use]
    pub fn nulls_last(mut self) -> Self {
        self.order.nulls_first = false;
        self
    }
}

impl From<Expression> for Order {
    fn from(expression: Expression) -> Self {
        expression.asc()
    }
}

impl From<&str> for Expression {
    fn from(text: &str) -> Self {
        Expression::of(Tree::Text(text.into()))
    }
}

impl From<bool> for Expression {
    fn from(value: bool) -> Self {
        Expression::of(Tree::Boolean(value))
    }
}

impl From<i32> for Expression {
    fn from(value: i32) -> Self {
        Expression::of(Tree::Number(value.to_string()))
    }
}

impl From<i64> for Expression {
    fn from(value: i64) -> Self {
        Expression::of(Tree::Number(value.to_string()))
    }
}

/// A double. For an exact decimal write `lit("0.06").cast(DataType::decimal(3, 2))`.
impl From<f64> for Expression {
    fn from(value: f64) -> Self {
        lit(value.to_string().as_str()).cast(DataType::Double)
    }
}

macro_rules! from_values {
    ($($rust:ty),*) => {
        $(impl From<$rust> for Expression {
            fn from(value: $rust) -> Self {
                super::functions::value(&value)
            }
        })*
    };
}

from_values!(
    i8,
    i16,
    u8,
    u16,
    u32,
    u64,
    i128,
    f32,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Decimal,
    Uuid,
    Numeric,
    Interval
);

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Expression::of(Tree::Text(text))
    }
}

impl<T: ToParameter> From<Option<T>> for Expression {
    fn from(value: Option<T>) -> Self {
        super::functions::value(&value)
    }
}

/// An array; of bytes a bytea.
impl<T: ToParameter> From<Vec<T>> for Expression {
    fn from(values: Vec<T>) -> Self {
        super::functions::value(&values)
    }
}

impl std::ops::Neg for Expression {
    type Output = Expression;

    fn neg(self) -> Expression {
        Expression::of(Tree::negated(self.tree))
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $operator:ident $sign:tt) => {
        impl<T: Into<Expression>> std::ops::$trait<T> for Expression {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                Expression::of(Tree::operator(Operator::$operator, self.tree, other.into().tree))
            }
        }

        impl std::ops::$trait<Expression> for i32 {
            type Output = Expression;

            fn $method(self, other: Expression) -> Expression {
                lit(self) $sign other
            }
        }
    };
}

operator!(Add add Add +);
operator!(Sub sub Subtract -);
operator!(Mul mul Multiply *);
operator!(Div div Divide /);
operator!(Rem rem Modulo %);
