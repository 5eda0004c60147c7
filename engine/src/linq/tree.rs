//! Expressions before anything is known of the columns that they name: untyped trees, which the relation's builder types
//! once a frame runs. Their parts are shared, so that a clone costs nothing.

use super::block::Block;
use super::expression::Order;
use crate::{DataType, Error, ErrorKind, Value};
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::{Name, Operator, PatternOperator, Reference, Sign};
use multiloop_planner::types::VECTOR_LENGTH_MAX;
use std::sync::Arc;

pub(super) use super::alias::Alias;
pub(super) use super::over::{Bound, Window, WindowFrame};

/// An untyped expression.
#[derive(Clone)]
pub(super) enum Tree {
    /// A column by its name, perhaps with its source's.
    Column { table: Option<Alias>, name: Arc<str> },
    /// A whole number, as it is written, with its sign.
    Number(String),
    /// A string, whose type is what it meets.
    Text(String),
    /// TRUE or FALSE.
    Boolean(bool),
    /// NULL.
    Null,
    /// A literal that says its type.
    Typed(DataType, String),
    /// A value of exactly this type.
    Value(Value, DataType),
    /// What could not be made, and why: the error of the query.
    Failure(Error),
    /// `$n`, from 1.
    Parameter(u32),
    /// `NOT a`.
    Not(Arc<Tree>),
    /// `a AND b`. A chain of these, which leans to the left, is one conjunction: see [`Tree::chain`].
    And(Arc<Tree>, Arc<Tree>),
    /// `a OR b`, likewise.
    Or(Arc<Tree>, Arc<Tree>),
    /// `a = b` and its family.
    Compare(Function, Arc<Tree>, Arc<Tree>),
    /// `a IS DISTINCT FROM b`; IS NOT DISTINCT FROM, if false.
    Distinct(bool, Arc<Tree>, Arc<Tree>),
    /// `-a` and its family.
    Unary(Sign, Arc<Tree>),
    /// `a + b` and its family.
    Operator(Operator, Arc<Tree>, Arc<Tree>),
    /// `a BETWEEN b AND c`.
    Between(Arc<Tree>, Arc<Tree>, Arc<Tree>),
    /// `a IN (b, …)`.
    In(Arc<Tree>, Arc<[Tree]>),
    /// `a = ANY (array)`.
    AnyOf(Arc<Tree>, Arc<Tree>),
    /// `a [NOT] LIKE b`, ILIKE, `~` and `~*`.
    Like(PatternOperator, Arc<Tree>, Arc<Tree>),
    /// `a IS NULL` or `a IS NOT NULL`.
    NullTest(Function, Arc<Tree>),
    /// `a IS TRUE`, IS FALSE or IS UNKNOWN (`IsTrue`, `IsFalse`, `IsNull`), or that they are not, if true.
    Truth(Function, bool, Arc<Tree>),
    /// `CAST(a AS type)`.
    Cast(Arc<Tree>, DataType),
    /// `CASE WHEN a THEN b … ELSE c END`.
    Case(Arc<[(Tree, Tree)]>, Arc<Tree>),
    /// `EXTRACT(field FROM a)`.
    Extract(Arc<str>, Arc<Tree>),
    /// `ARRAY[a, …]`.
    Array(Arc<[Tree]>),
    /// `a[b][…]`.
    Subscript(Arc<Tree>, Arc<[Tree]>),
    /// A function or aggregate.
    Call(Call),
    /// `(SELECT …)` as a value.
    Scalar(Arc<Block>),
    /// `EXISTS (SELECT …)`.
    Exists(Arc<Block>),
    /// `a IN (SELECT …)`, or `(a, …) IN (SELECT …)`.
    InRows(Arc<[Tree]>, Arc<Block>),
    /// `ARRAY(SELECT …)`.
    ArrayOf(Arc<Block>),
}

/// A call of a function or aggregate.
#[derive(Clone)]
pub(super) struct Call {
    /// Its name, in lower case.
    pub(super) name: Arc<str>,
    /// Its arguments; none for `*`.
    pub(super) arguments: Option<Arc<[Tree]>>,
    /// DISTINCT.
    pub(super) distinct: bool,
    /// FILTER.
    pub(super) filter: Option<Arc<Tree>>,
    /// ORDER BY within the parentheses; WITHIN GROUP of the aggregates that have one.
    pub(super) order: Vec<Order>,
    /// OVER.
    pub(super) over: Option<Arc<Window>>,
    /// IGNORE NULLS.
    pub(super) ignore_nulls: bool,
    /// The number of the group whose aggregate it is; 0 for none that says so.
    pub(super) of_group: u64,
}

impl Call {
    /// A plain call.
    pub(super) fn new(name: &str, arguments: Option<Vec<Tree>>) -> Self {
        Call {
            name: name.to_ascii_lowercase().into(),
            arguments: arguments.map(Arc::from),
            distinct: false,
            filter: None,
            order: Vec::new(),
            over: None,
            ignore_nulls: false,
            of_group: 0,
        }
    }
}

impl Tree {
    /// A comparison.
    pub(super) fn compare(function: Function, left: Tree, right: Tree) -> Tree {
        Tree::Compare(function, Arc::new(left), Arc::new(right))
    }

    /// An operator of two values.
    pub(super) fn operator(operator: Operator, left: Tree, right: Tree) -> Tree {
        Tree::Operator(operator, Arc::new(left), Arc::new(right))
    }

    /// `a BETWEEN low AND high`.
    pub(super) fn between(value: Tree, low: Tree, high: Tree) -> Tree {
        Tree::Between(Arc::new(value), Arc::new(low), Arc::new(high))
    }

    /// `a IN (b, …)`.
    pub(super) fn in_list(value: Tree, values: Vec<Tree>) -> Tree {
        Tree::In(Arc::new(value), values.into())
    }

    /// `a IS NOT DISTINCT FROM b` for what is the same, else `a IS DISTINCT FROM b`.
    pub(super) fn distinct(same: bool, left: Tree, right: Tree) -> Tree {
        Tree::Distinct(!same, Arc::new(left), Arc::new(right))
    }

    /// `a IS NULL`.
    pub(super) fn is_null(value: Tree) -> Tree {
        Tree::NullTest(Function::IsNull, Arc::new(value))
    }

    /// `a IS NOT NULL`.
    pub(super) fn is_not_null(value: Tree) -> Tree {
        Tree::NullTest(Function::IsNotNull, Arc::new(value))
    }

    /// `CAST(a AS type)`.
    pub(super) fn cast(value: Tree, to: DataType) -> Tree {
        Tree::Cast(Arc::new(value), to)
    }

    /// `NOT a`.
    pub(super) fn not(value: Tree) -> Tree {
        Tree::Not(Arc::new(value))
    }

    /// `- a`.
    pub(super) fn negated(value: Tree) -> Tree {
        Tree::Unary(Sign::Minus, Arc::new(value))
    }

    /// `a LIKE b`, or another pattern.
    pub(super) fn pattern(function: Function, negated: bool, value: Tree, pattern: Tree) -> Tree {
        Tree::Like(PatternOperator { function, negated }, Arc::new(value), Arc::new(pattern))
    }

    /// `CASE WHEN a THEN b … ELSE c END`.
    pub(super) fn case(branches: Vec<(Tree, Tree)>, otherwise: Tree) -> Tree {
        Tree::Case(branches.into(), Arc::new(otherwise))
    }

    /// A conjunction. It shares its left side: each step of a chain costs the same, also where the steps before it stay in use.
    pub(super) fn and(self, other: Tree) -> Tree {
        Tree::And(Arc::new(self), Arc::new(other))
    }

    /// A disjunction, likewise.
    pub(super) fn or(self, other: Tree) -> Tree {
        Tree::Or(Arc::new(self), Arc::new(other))
    }

    /// The operands of a conjunction or disjunction, however many: `a`, `b`, `c` of `(a AND b) AND c`, but `a` and `b AND c` of
    /// `a AND (b AND c)`. So a chain nests no deeper than one of its operands. Of anything else, itself.
    pub(super) fn chain(&self) -> Vec<&Tree> {
        let mut operands = Vec::new();
        let mut first = self;
        while let (Tree::And(left, right), Tree::And(..)) | (Tree::Or(left, right), Tree::Or(..)) = (first, self) {
            operands.push(&**right);
            first = left;
        }
        operands.push(first);
        operands.reverse();
        operands
    }

    /// A vector of these elements, which are of a type; an error of the query for so many as no vector has.
    pub(super) fn vector(elements: impl ExactSizeIterator<Item = f64>, of: DataType) -> Tree {
        match u32::try_from(elements.len()) {
            Ok(length) if (1..=VECTOR_LENGTH_MAX).contains(&length) => {
                Tree::Value(Value::Vector(elements.collect()), DataType::vector(of, length))
            }
            _ => {
                let message = format!("a vector has 1 to {VECTOR_LENGTH_MAX} elements, not {}", elements.len());
                Tree::Failure(Error::new(ErrorKind::VectorLength, message))
            }
        }
    }

    /// The name that it gives its column, if any.
    pub(super) fn column_name(&self) -> Option<Arc<str>> {
        match self {
            Tree::Column { name, .. } => Some(Arc::clone(name)),
            other => {
                let name = Name::or_unnamed(other.name());
                (name != Name::or_unnamed(None)).then(|| Arc::from(name))
            }
        }
    }

    /// The name that it suggests for its column.
    pub(super) fn name(&self) -> Option<Name> {
        match self {
            Tree::Column { name, .. } => Name::strong(name),
            Tree::Call(call) => Name::strong(&call.name),
            Tree::Typed(data_type, _) | Tree::Value(_, data_type) => Name::of_typed_literal(*data_type),
            Tree::Cast(value, data_type) => Name::of_cast(value.name(), *data_type),
            Tree::Case(_, otherwise) => Name::of_case(otherwise.name()),
            Tree::Extract(..) => Name::strong("extract"),
            Tree::Array(_) | Tree::ArrayOf(_) => Name::strong("array"),
            Tree::Subscript(array, _) => array.name(),
            Tree::Exists(_) => Name::strong("exists"),
            Tree::Scalar(block) => block.only_name(),
            _ => None,
        }
    }

    /// What it means among the keys of a group or an order, if it is no more than a constant or a name.
    pub(super) fn reference(&self) -> Option<Reference> {
        match self {
            Tree::Number(digits) => Some(Reference::Place(digits.clone())),
            Tree::Text(_) | Tree::Boolean(_) | Tree::Null => Some(Reference::Constant),
            Tree::Column { table: None, name } => Some(Reference::Name(name.to_string())),
            _ => None,
        }
    }
}
