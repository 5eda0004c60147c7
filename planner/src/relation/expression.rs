//! Expressions over a relation's columns. Columns are ids, unique in a statement, never positions: moving an
//! expression to another place in the tree changes nothing inside it.

use super::Relation;
use crate::catalog::Domain;
use crate::error::Position;
use crate::evaluate::statistic::Statistic;
use crate::function::Function;
use crate::multiloop::RowBound;
use crate::multiloop::reduction::Gather;
use crate::types::DataType;
use crate::value::Value;
use crate::window::{Frame, WindowFunction};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A column, unique in its statement. `Columns` has its name and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// The form in which an expression was written, before anything of it was folded: a number in its statement, which the
/// builder's `written` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormId(pub NonZeroU32);

/// A typed expression. Two are equal if they compute the same: neither the position nor the written form counts, so that
/// equal conjuncts of an OR are seen to be equal.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// The type of its value.
    pub data_type: DataType,
    /// Where it stands in the statement, for errors at run time.
    pub position: Option<Position>,
    /// What it was written as, where that is recorded; none for a plain column.
    pub written: Option<FormId>,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.data_type == other.data_type && self.kind == other.kind
    }
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A column of the input, or of an enclosing query (a correlated reference).
    Column(ColumnId),
    /// A literal.
    Constant(Value),
    /// `$n`, 0-based.
    Parameter(u32),
    /// A function of its arguments.
    Call(Function, Vec<Expression>),
    /// The value that a code stands for in a domain; NULL of NULL.
    Element(Domain, Box<Expression>),
    /// A subquery used as a value. Columns that it mentions and does not make are the enclosing query's.
    Subquery(Box<Subquery>),
}

/// A subquery in an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// How its rows become one value.
    pub kind: SubqueryKind,
    /// Its rows.
    pub relation: Arc<Relation>,
}

/// How a subquery's rows become one value.
#[derive(Clone, Debug, PartialEq)]
pub enum SubqueryKind {
    /// The value of this column in its only row; NULL if there is no row; an error (21000) if there are several.
    Scalar(ColumnId),
    /// TRUE if it has a row.
    Exists,
    /// `test(row) = ANY`-like: `predicate` is a boolean over the subquery's columns and the enclosing query's.
    /// TRUE if it is TRUE for any row, else NULL if it is NULL for any, else FALSE. `x IN (…)` and `x op ANY (…)`.
    Any(Expression),
    /// FALSE if the predicate is FALSE for any row, else NULL if it is NULL for any, else TRUE. `x op ALL (…)`.
    All(Expression),
}

impl Expression {
    /// The number of rows that it says, if it is a constant or a parameter.
    pub(crate) fn row_bound(&self) -> Option<RowBound> {
        match &self.kind {
            ExpressionKind::Constant(Value::Null) => Some(RowBound::All),
            ExpressionKind::Constant(Value::Int(rows)) => Some(RowBound::Rows(u64::try_from(*rows).unwrap_or(0))),
            ExpressionKind::Parameter(number) => Some(RowBound::Parameter(*number)),
            // Integers of any width are the same value.
            ExpressionKind::Call(Function::Cast | Function::AssignCast, of) if self.data_type == DataType::BigInt => {
                match of.as_slice() {
                    [narrow] if matches!(narrow.data_type, DataType::SmallInt | DataType::Integer) => {
                        narrow.row_bound()
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// An expression without a position.
    pub fn new(kind: ExpressionKind, data_type: DataType) -> Self {
        Expression { kind, data_type, position: None, written: None }
    }

    /// Whether both were written alike: `+a` and `a` are not, though folding makes them equal. What has no recorded form is
    /// compared by what it computes.
    pub fn is_written_as(&self, other: &Expression) -> bool {
        match (self.written, other.written) {
            (Some(form), Some(other)) => form == other,
            (None, None) => self == other,
            _ => false,
        }
    }

    /// The same expression at a position, unless it has one already.
    #[must_use]
    pub fn at(mut self, position: Option<Position>) -> Self {
        self.position = self.position.or(position);
        self
    }

    /// A column reference.
    pub fn column(id: ColumnId, data_type: DataType) -> Self {
        Expression::new(ExpressionKind::Column(id), data_type)
    }

    /// A literal.
    pub fn constant(value: Value, data_type: DataType) -> Self {
        debug_assert!(value.fits(data_type), "{value:?} is no {data_type}");
        Expression::new(ExpressionKind::Constant(value), data_type)
    }

    /// TRUE or FALSE.
    pub fn boolean(value: bool) -> Self {
        Expression::constant(Value::Boolean(value), DataType::Boolean)
    }

    /// A call.
    pub fn call(function: Function, arguments: Vec<Expression>, data_type: DataType) -> Self {
        Expression::new(ExpressionKind::Call(function, arguments), data_type)
    }

    /// The value of a code.
    pub fn element(domain: &Domain, code: Expression) -> Self {
        let data_type = domain.table.fields[0].data_type;
        Expression::new(ExpressionKind::Element(domain.clone(), Box::new(code)), data_type)
    }

    /// The conjunction of any number of conditions: TRUE of none, itself of one, flattened of more.
    pub fn and(conditions: impl IntoIterator<Item = Expression>) -> Self {
        let mut flat: Vec<Expression> = conditions.into_iter().flat_map(Expression::into_conjuncts).collect();
        match flat.len() {
            0 => Expression::boolean(true),
            1 => flat.remove(0),
            _ => Expression::call(Function::And, flat, DataType::Boolean),
        }
    }

    /// The conditions whose conjunction this is; none for the constant TRUE.
    pub fn into_conjuncts(self) -> Vec<Expression> {
        match self.kind {
            ExpressionKind::Call(Function::And, arguments) => {
                arguments.into_iter().flat_map(Expression::into_conjuncts).collect()
            }
            ExpressionKind::Constant(Value::Boolean(true)) => Vec::new(),
            _ => vec![self],
        }
    }

    /// Whether it draws from a sequence or may change something ([`Function::draws`]); not what its subqueries do.
    pub fn draws(&self) -> bool {
        let is_one = matches!(&self.kind, ExpressionKind::Call(function, _) if function.draws());
        is_one || self.children().into_iter().any(Expression::draws)
    }

    /// The direct children, subqueries' own relations not included (their `Any`/`All` predicates are).
    pub fn children(&self) -> Vec<&Expression> {
        match &self.kind {
            ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => Vec::new(),
            ExpressionKind::Call(_, arguments) => arguments.iter().collect(),
            ExpressionKind::Element(_, code) => vec![code],
            ExpressionKind::Subquery(subquery) => match &subquery.kind {
                SubqueryKind::Scalar(_) | SubqueryKind::Exists => Vec::new(),
                SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => vec![predicate],
            },
        }
    }

    /// The direct children, to be changed in place.
    pub fn children_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => Vec::new(),
            ExpressionKind::Call(_, arguments) => arguments.iter_mut().collect(),
            ExpressionKind::Element(_, code) => vec![code],
            ExpressionKind::Subquery(subquery) => match &mut subquery.kind {
                SubqueryKind::Scalar(_) | SubqueryKind::Exists => Vec::new(),
                SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => vec![predicate],
            },
        }
    }
}

/// An aggregate call.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    /// Which aggregate.
    pub function: AggregateFunction,
    /// Its argument; none for `count(*)`.
    pub argument: Option<Expression>,
    /// Whether equal arguments count once.
    pub distinct: bool,
    /// `FILTER (WHERE …)`.
    pub filter: Option<Expression>,
    /// The type of its value.
    pub data_type: DataType,
}

impl AggregateCall {
    /// Whether it counts, so that it is never NULL.
    pub(crate) fn is_count(&self) -> bool {
        matches!(self.function, AggregateFunction::CountRows | AggregateFunction::Count)
    }
}

/// A call over a window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCall {
    /// What is computed.
    pub callee: WindowCallee,
    /// The rows that it goes over.
    pub frame: Frame,
    /// The frame's arguments.
    pub bounds: Vec<Expression>,
}

/// What is computed over a window.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowCallee {
    /// A function that is no aggregate, of as many arguments as it takes, and the type of its value.
    Function(WindowFunction, Vec<Expression>, DataType),
    /// An aggregate; not of DISTINCT arguments.
    Aggregate(AggregateCall),
}

impl WindowCall {
    /// The type of its value.
    pub fn data_type(&self) -> DataType {
        match &self.callee {
            WindowCallee::Function(_, _, data_type) => *data_type,
            WindowCallee::Aggregate(call) => call.data_type,
        }
    }

    /// Whether it may be NULL.
    pub fn may_be_null(&self) -> bool {
        match &self.callee {
            WindowCallee::Function(function, ..) => !function.is_place(),
            WindowCallee::Aggregate(call) => {
                !matches!(call.function, AggregateFunction::CountRows | AggregateFunction::Count)
            }
        }
    }

    /// Its expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (arguments, call) = match &self.callee {
            WindowCallee::Function(_, arguments, _) => (arguments.as_slice(), None),
            WindowCallee::Aggregate(call) => (&[][..], Some(call)),
        };
        let of_call = call.into_iter().flat_map(|call| call.argument.iter().chain(&call.filter));
        arguments.iter().chain(of_call).chain(&self.bounds)
    }

    /// Its expressions, to be changed in place.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let (arguments, call) = match &mut self.callee {
            WindowCallee::Function(_, arguments, _) => (arguments.as_mut_slice(), None),
            WindowCallee::Aggregate(call) => (&mut [][..], Some(call)),
        };
        let of_call = call.into_iter().flat_map(|call| call.argument.iter_mut().chain(&mut call.filter));
        arguments.iter_mut().chain(of_call).chain(&mut self.bounds)
    }
}

/// The aggregates. NULL arguments are left out of all of them but `CountRows`. Of no rows, counts are 0, the
/// rest is NULL. Result types: see `builder/expression/aggregate.rs`; the lowering expands `Average`, the deviations and the
/// variances into reductions and arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are SQL's own names")]
pub enum AggregateFunction {
    CountRows,
    Count,
    Sum,
    Average,
    Min,
    Max,
    BoolAnd,
    BoolOr,
    StddevSample,
    StddevPopulation,
    VarianceSample,
    VariancePopulation,
    /// Texts that were made of rows, as one: array_agg and its kin are functions of it. Or one of all values.
    Gather(Gather),
    /// What a state of its own says of all arguments.
    Statistic(Statistic),
}
