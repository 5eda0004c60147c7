//! Expressions before anything is known of the columns that they name: untyped trees, which the relation's builder types
//! once a frame runs. Their parts are shared, so that a clone costs nothing.

use super::block::Block;
use super::expression::Order;
use crate::{DataType, Error, Value};
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::{Name, Operator, PatternOperator, Reference, Sign};
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
    /// `a AND b AND …`.
    And(Arc<Vec<Tree>>),
    /// `a OR b OR …`.
    Or(Arc<Vec<Tree>>),
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
    /// Whether a group has made it: whether it is an aggregate, so that there is one row of its level.
    pub(super) of_group: bool,
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
            of_group: false,
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

    /// A conjunction; a chain of them nests no deeper than one.
    pub(super) fn and(mut self, other: Tree) -> Tree {
        match &mut self {
            Tree::And(conditions) => {
                Arc::make_mut(conditions).push(other);
                self
            }
            _ => Tree::And(Arc::new(vec![self, other])),
        }
    }

    /// A disjunction; a chain of them nests no deeper than one.
    pub(super) fn or(mut self, other: Tree) -> Tree {
        match &mut self {
            Tree::Or(conditions) => {
                Arc::make_mut(conditions).push(other);
                self
            }
            _ => Tree::Or(Arc::new(vec![self, other])),
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

    /// Whether a group's aggregate is in it.
    pub(super) fn has_aggregate(&self) -> bool {
        let mut waiting = vec![self];
        while let Some(tree) = waiting.pop() {
            if matches!(tree, Tree::Call(Call { of_group: true, .. })) {
                return true;
            }
            tree.parts(&mut waiting);
        }
        false
    }

    /// Appends its parts; subqueries are none.
    fn parts<'t>(&'t self, to: &mut Vec<&'t Tree>) {
        match self {
            Tree::Not(a)
            | Tree::Unary(_, a)
            | Tree::NullTest(_, a)
            | Tree::Truth(_, _, a)
            | Tree::Cast(a, _)
            | Tree::Extract(_, a) => to.push(a),
            Tree::And(all) | Tree::Or(all) => to.extend(all.iter()),
            Tree::AnyOf(a, b)
            | Tree::Compare(_, a, b)
            | Tree::Distinct(_, a, b)
            | Tree::Operator(_, a, b)
            | Tree::Like(_, a, b) => to.extend([&**a, &**b]),
            Tree::Between(a, b, c) => to.extend([&**a, &**b, &**c]),
            Tree::In(a, all) | Tree::Subscript(a, all) => {
                to.push(a);
                to.extend(all.iter());
            }
            Tree::Case(branches, otherwise) => {
                to.extend(branches.iter().flat_map(|(condition, result)| [condition, result]));
                to.push(otherwise);
            }
            Tree::Array(all) | Tree::InRows(all, _) => to.extend(all.iter()),
            Tree::Call(call) => {
                to.extend(call.arguments.iter().flat_map(|arguments| arguments.iter()));
                to.extend(call.filter.as_deref());
                to.extend(call.order.iter().map(|key| &key.tree));
                if let Some(window) = &call.over {
                    to.extend(&window.partition);
                    to.extend(window.order.iter().map(|key| &key.tree));
                    let bounds = window.frame.iter().flat_map(|frame| [&frame.start, &frame.end]);
                    to.extend(bounds.filter_map(|bound| match bound {
                        Bound::Before(distance) | Bound::Behind(distance) => Some(distance),
                        _ => None,
                    }));
                }
            }
            _ => {}
        }
    }
}
