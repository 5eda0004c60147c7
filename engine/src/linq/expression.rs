//! Expressions of the builder: thin wrappers around the SQL tree.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, DataType as SqlType, DuplicateTreatment, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident, Interval, ObjectName, OrderByExpr, OrderByOptions,
    OrderBySort, SelectItem, TypedString, UnaryOperator, Value, helpers::attached_token::AttachedToken,
};

/// An expression: built from [`col`], literals and functions, combined by methods and operators.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(crate) tree: Expr,
    pub(crate) alias: Option<Ident>,
}

/// An expression to order by, with its direction.
#[derive(Clone, Debug)]
pub struct Order(pub(crate) OrderByExpr);

/// A column; `table.column` names the table, too. Names are taken as they are, without case folding.
pub fn col(name: &str) -> Expression {
    match name.split_once('.') {
        None => Expression::of(Expr::Identifier(quoted(name))),
        Some((table, column)) => Expression::of(Expr::CompoundIdentifier(vec![quoted(table), quoted(column)])),
    }
}

/// A literal.
pub fn lit(value: impl Into<Expression>) -> Expression {
    value.into()
}

/// NULL.
pub fn null() -> Expression {
    Expression::value(Value::Null)
}

/// A date, from its ISO form `1998-12-01`.
pub fn date(text: &str) -> Expression {
    let value = Value::SingleQuotedString(text.to_owned()).with_empty_span();
    Expression::of(Expr::TypedString(TypedString { data_type: SqlType::Date, value, uses_odbc_syntax: false }))
}

/// An interval, as PostgreSQL reads it: `90 days`, `1 year 2 months`.
pub fn interval(text: &str) -> Expression {
    let value = Box::new(Expression::from(text).tree);
    Expression::of(Expr::Interval(Interval {
        value,
        leading_field: None,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    }))
}

/// `$n`, from 1.
pub fn parameter(number: u32) -> Expression {
    Expression::value(Value::Placeholder(format!("${number}")))
}

/// `NOT condition`.
pub fn not(condition: Expression) -> Expression {
    Expression::of(Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(nested(condition.tree)) })
}

/// Any SQL function or aggregate by its name.
pub fn function(name: &str, arguments: impl IntoIterator<Item = Expression>) -> Expression {
    let arguments = arguments.into_iter().map(|argument| FunctionArgExpr::Expr(argument.tree));
    Expression::of(Expr::Function(call(name, arguments)))
}

/// `count(*)`.
pub fn count() -> Expression {
    Expression::of(Expr::Function(call("count", [FunctionArgExpr::Wildcard])))
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
    let branch =
        |(condition, result): (Expression, Expression)| CaseWhen { condition: condition.tree, result: result.tree };
    Expression::of(Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: branches.into_iter().map(branch).collect(),
        else_result: Some(Box::new(otherwise.tree)),
    })
}

fn call(name: &str, arguments: impl IntoIterator<Item = FunctionArgExpr>) -> Function {
    Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.into_iter().map(FunctionArg::Unnamed).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

pub(crate) fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// The tree in parentheses, so that precedence in printed text is what the builder's nesting says.
fn nested(tree: Expr) -> Expr {
    match tree {
        Expr::BinaryOp { .. } | Expr::UnaryOp { .. } => Expr::Nested(Box::new(tree)),
        other => other,
    }
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $operator:ident;)*) => {
        $($(#[$doc])*
        #[must_use]
        #[allow(clippy::should_implement_trait, reason = "the operators are implemented, too; SQL's names read better in chains")]
        pub fn $name(self, other: impl Into<Expression>) -> Expression {
            self.binary(BinaryOperator::$operator, other.into())
        })*
    };
}

impl Expression {
    fn of(tree: Expr) -> Self {
        Expression { tree, alias: None }
    }

    fn value(value: Value) -> Self {
        Expression::of(Expr::Value(value.with_empty_span()))
    }

    fn binary(self, op: BinaryOperator, other: Expression) -> Expression {
        let (left, right) = (Box::new(nested(self.tree)), Box::new(nested(other.tree)));
        Expression::of(Expr::BinaryOp { left, op, right })
    }

    binary! {
        /// `self = other`.
        eq Eq;
        /// `self <> other`.
        not_eq NotEq;
        /// `self < other`.
        lt Lt;
        /// `self <= other`.
        lt_eq LtEq;
        /// `self > other`.
        gt Gt;
        /// `self >= other`.
        gt_eq GtEq;
        /// `self AND other`.
        and And;
        /// `self OR other`.
        or Or;
    }

    /// `self BETWEEN low AND high`.
    #[must_use]
    pub fn between(self, low: impl Into<Expression>, high: impl Into<Expression>) -> Expression {
        let (low, high) = (Box::new(nested(low.into().tree)), Box::new(nested(high.into().tree)));
        Expression::of(Expr::Between { expr: Box::new(nested(self.tree)), negated: false, low, high })
    }

    /// `self IN (values…)`.
    #[must_use]
    pub fn is_in<T: Into<Expression>>(self, values: impl IntoIterator<Item = T>) -> Expression {
        let list = values.into_iter().map(|value| value.into().tree).collect();
        Expression::of(Expr::InList { expr: Box::new(nested(self.tree)), list, negated: false })
    }

    /// `self LIKE pattern`.
    #[must_use]
    pub fn like(self, pattern: &str) -> Expression {
        let (expr, pattern) = (Box::new(nested(self.tree)), Box::new(Expression::from(pattern).tree));
        Expression::of(Expr::Like { negated: false, any: false, expr, pattern, escape_char: None })
    }

    /// `self IS NULL`.
    #[must_use]
    pub fn is_null(self) -> Expression {
        Expression::of(Expr::IsNull(Box::new(nested(self.tree))))
    }

    /// `self IS NOT NULL`.
    #[must_use]
    pub fn is_not_null(self) -> Expression {
        Expression::of(Expr::IsNotNull(Box::new(nested(self.tree))))
    }

    /// `CAST(self AS data_type)`.
    #[must_use]
    pub fn cast(self, data_type: crate::DataType) -> Expression {
        let name = data_type.to_string();
        let sql = sqlparser::parser::Parser::new(&sqlparser::dialect::PostgreSqlDialect {})
            .try_with_sql(&name)
            .and_then(|mut parser| parser.parse_data_type());
        let data_type = sql.expect("types print as SQL");
        Expression::of(Expr::Cast { kind: CastKind::Cast, expr: Box::new(self.tree), data_type, format: None })
    }

    /// An aggregate over distinct values only: `count(DISTINCT …)`. No effect on anything else.
    #[must_use]
    pub fn distinct(mut self) -> Expression {
        if let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = &mut self.tree {
            list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        }
        self
    }

    /// An aggregate over the rows that pass a condition: `FILTER (WHERE …)`. No effect on anything else.
    #[must_use]
    pub fn only_where(mut self, condition: Expression) -> Expression {
        if let Expr::Function(function) = &mut self.tree {
            function.filter = Some(Box::new(condition.tree));
        }
        self
    }

    /// `self AS name`.
    #[must_use]
    pub fn alias(mut self, name: &str) -> Expression {
        self.alias = Some(quoted(name));
        self
    }

    /// Smallest first, NULLs last.
    #[must_use]
    pub fn asc(self) -> Order {
        self.order(OrderBySort::Asc)
    }

    /// Largest first, NULLs first.
    #[must_use]
    pub fn desc(self) -> Order {
        self.order(OrderBySort::Desc)
    }

    fn order(self, sort: OrderBySort) -> Order {
        let options = OrderByOptions { sort: Some(sort), nulls_first: None };
        Order(OrderByExpr { expr: self.tree, options, with_fill: None })
    }

    pub(crate) fn into_item(self) -> SelectItem {
        match self.alias {
            Some(alias) => SelectItem::ExprWithAlias { expr: self.tree, alias },
            None => SelectItem::UnnamedExpr(self.tree),
        }
    }
}

impl Order {
    /// NULLs before everything else.
    #[must_use]
    pub fn nulls_first(mut self) -> Self {
        self.0.options.nulls_first = Some(true);
        self
    }

    /// NULLs after everything else.
    #[must_use]
    pub fn nulls_last(mut self) -> Self {
        self.0.options.nulls_first = Some(false);
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
        Expression::value(Value::SingleQuotedString(text.to_owned()))
    }
}

impl From<bool> for Expression {
    fn from(value: bool) -> Self {
        Expression::value(Value::Boolean(value))
    }
}

/// A negative number is a minus sign and a positive one, as SQL text has it.
fn number(text: &str) -> Expression {
    match text.strip_prefix('-') {
        None => Expression::value(Value::Number(text.to_owned(), false)),
        Some(positive) => {
            Expression::of(Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(number(positive).tree) })
        }
    }
}

impl From<i32> for Expression {
    fn from(value: i32) -> Self {
        number(&value.to_string())
    }
}

impl From<i64> for Expression {
    fn from(value: i64) -> Self {
        number(&value.to_string())
    }
}

/// A double. For an exact decimal write `lit("0.06").cast(DataType::decimal(3, 2))`.
impl From<f64> for Expression {
    fn from(value: f64) -> Self {
        lit(value.to_string().as_str()).cast(crate::DataType::Double)
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $operator:ident) => {
        impl<T: Into<Expression>> std::ops::$trait<T> for Expression {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                self.binary(BinaryOperator::$operator, other.into())
            }
        }

        impl std::ops::$trait<Expression> for i32 {
            type Output = Expression;

            fn $method(self, other: Expression) -> Expression {
                lit(self).binary(BinaryOperator::$operator, other)
            }
        }
    };
}

operator!(Add add Plus);
operator!(Sub sub Minus);
operator!(Mul mul Multiply);
operator!(Div div Divide);
operator!(Rem rem Modulo);
