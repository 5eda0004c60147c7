//! Expressions before anything is known of the columns that they name: untyped trees, which the relation's builder types
//! once a frame runs.

use crate::{DataType, Result};
use multiloop_planner::catalog::TableName;
use multiloop_planner::evaluate::{check_text, check_type};
use multiloop_planner::function::Function;
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{
    AggregateArguments, Builder, Callee, Clause, Name, Operator, PatternOperator, Reference, Scope, and, null, or, text,
};

/// An untyped expression.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// A column by its name, perhaps with its table's.
    Column { table: Option<String>, name: String },
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
    /// `$n`, from 1.
    Parameter(u32),
    /// `NOT a`.
    Not(Box<Tree>),
    /// `a AND b AND …`.
    And(Vec<Tree>),
    /// `a OR b OR …`.
    Or(Vec<Tree>),
    /// `a = b` and its family.
    Compare(Function, Box<[Tree; 2]>),
    /// `a + b` and its family.
    Operator(Operator, Box<[Tree; 2]>),
    /// `a BETWEEN b AND c`.
    Between(Box<[Tree; 3]>),
    /// `a IN (b, …)`.
    In(Box<Tree>, Vec<Tree>),
    /// `a LIKE b`.
    Like(Box<[Tree; 2]>),
    /// `a IS NULL` or `a IS NOT NULL`.
    NullTest(Function, Box<Tree>),
    /// `CAST(a AS type)`.
    Cast(Box<Tree>, DataType),
    /// `CASE WHEN a THEN b … ELSE c END`.
    Case(Vec<(Tree, Tree)>, Box<Tree>),
    /// A function or aggregate.
    Call(Call),
}

/// A call of a function or aggregate.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its name, in lower case.
    pub(super) name: String,
    /// Its arguments; none for `*`.
    pub(super) arguments: Option<Vec<Tree>>,
    /// DISTINCT.
    pub(super) distinct: bool,
    /// FILTER.
    pub(super) filter: Option<Box<Tree>>,
}

impl Call {
    /// A plain call.
    pub(super) fn new(name: &str, arguments: Option<Vec<Tree>>) -> Self {
        Call { name: name.to_ascii_lowercase(), arguments, distinct: false, filter: None }
    }
}

impl Tree {
    /// A comparison.
    pub(super) fn compare(function: Function, left: Tree, right: Tree) -> Tree {
        Tree::Compare(function, Box::new([left, right]))
    }

    /// An operator of two values.
    pub(super) fn operator(operator: Operator, left: Tree, right: Tree) -> Tree {
        Tree::Operator(operator, Box::new([left, right]))
    }

    /// A conjunction; a chain of them nests no deeper than one.
    pub(super) fn and(self, other: Tree) -> Tree {
        match self {
            Tree::And(mut conditions) => {
                conditions.push(other);
                Tree::And(conditions)
            }
            first => Tree::And(vec![first, other]),
        }
    }

    /// A disjunction; a chain of them nests no deeper than one.
    pub(super) fn or(self, other: Tree) -> Tree {
        match self {
            Tree::Or(mut conditions) => {
                conditions.push(other);
                Tree::Or(conditions)
            }
            first => Tree::Or(vec![first, other]),
        }
    }

    /// The name that it suggests for its column.
    pub(super) fn name(&self) -> Option<Name> {
        match self {
            Tree::Column { name, .. } => Name::strong(name),
            Tree::Call(call) => Name::strong(&call.name),
            Tree::Typed(data_type, _) => Name::of_typed_literal(*data_type),
            Tree::Cast(value, data_type) => Name::of_cast(value.name(), *data_type),
            Tree::Case(_, otherwise) => Name::of_case(otherwise.name()),
            _ => None,
        }
    }

    /// What it means among the keys of a group or an order, if it is no more than a constant or a name.
    pub(super) fn reference(&self) -> Option<Reference> {
        match self {
            Tree::Number(digits) => Some(Reference::Place(digits.clone())),
            Tree::Text(_) | Tree::Boolean(_) | Tree::Null => Some(Reference::Constant),
            Tree::Column { table: None, name } => Some(Reference::Name(name.clone())),
            _ => None,
        }
    }

    /// The typed expression over a scope.
    pub(super) fn build(&self, builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<Expression> {
        match self {
            Tree::Column { table, name } => {
                let table = table.as_deref().map(TableName::from);
                builder.column(scope, table.as_ref(), name, None)
            }
            Tree::Number(digits) => builder.number(digits),
            Tree::Text(value) => {
                check_text(value)?;
                Ok(text(value))
            }
            Tree::Boolean(value) => Ok(Expression::boolean(*value)),
            Tree::Null => Ok(null()),
            Tree::Typed(data_type, value) => {
                check_text(value)?;
                builder.typed_literal(text(value), *data_type, None)
            }
            Tree::Parameter(number) => builder.parameter(*number),
            _ => builder.deeper(None, |builder| self.build_compound(builder, scope)),
        }
    }

    /// What has parts.
    fn build_compound(&self, builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<Expression> {
        match self {
            Tree::Not(operand) => {
                let operand = operand.build(builder, scope)?;
                builder.negation(operand)
            }
            Tree::And(conditions) => Ok(and(build_conditions("AND", conditions, builder, scope)?)),
            Tree::Or(conditions) => Ok(or(build_conditions("OR", conditions, builder, scope)?)),
            Tree::Compare(function, sides) => {
                let [left, right] = build_each(sides, builder, scope)?;
                builder.compare(*function, left, right)
            }
            Tree::Operator(operator, sides) => {
                let [left, right] = build_each(sides, builder, scope)?;
                builder.operator(*operator, left, right)
            }
            Tree::Between(parts) => {
                let [value, low, high] = build_each(parts, builder, scope)?;
                builder.between(value, low, high, false)
            }
            Tree::In(value, items) => {
                let value = value.build(builder, scope)?;
                let items = build_all(items, builder, scope)?;
                builder.is_in(value, items)
            }
            Tree::Like(sides) => {
                let [value, pattern] = build_each(sides, builder, scope)?;
                let like = PatternOperator { function: Function::Like, negated: false };
                builder.like(like, value, pattern, None)
            }
            Tree::NullTest(function, value) => {
                let value = value.build(builder, scope)?;
                builder.null_test(*function, vec![value])
            }
            Tree::Cast(value, data_type) => {
                check_type(*data_type)?;
                let value = value.build(builder, scope)?;
                builder.cast(value, *data_type, None)
            }
            Tree::Case(branches, otherwise) => {
                let mut built = Vec::with_capacity(branches.len());
                for (condition, result) in branches {
                    let condition = condition.build(builder, scope)?;
                    let condition = builder.case_condition(None, condition)?;
                    built.push((condition, result.build(builder, scope)?));
                }
                let otherwise = otherwise.build(builder, scope)?;
                builder.case(built, Some(otherwise))
            }
            Tree::Call(call) => call.build(builder, scope),
            leaf => leaf.build(builder, scope),
        }
    }
}

impl Call {
    fn build(&self, builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<Expression> {
        let Call { name, arguments, distinct, filter } = self;
        match builder.callee(name)? {
            Callee::Aggregate(function) => {
                let before = scope.enter(Clause::AggregateArgument);
                let parts = self.build_parts(builder, scope);
                scope.enter(before);
                let (arguments, filter) = parts?;
                let call =
                    AggregateArguments { arguments, distinct: *distinct, filter, ..AggregateArguments::default() };
                builder.aggregate(function, name, call, None, scope)
            }
            Callee::Window(function) => Err(builder.needs_window(function)),
            Callee::Function => {
                builder.check_plain_call(name, *distinct, filter.is_some())?;
                let arguments = build_all(arguments.as_deref().unwrap_or_default(), builder, scope)?;
                builder.call_by_name(name, arguments, None)
            }
        }
    }

    /// An aggregate's arguments, none for `*`, and its filter.
    fn build_parts(
        &self,
        builder: &mut Builder<'_>,
        scope: &Scope<'_>,
    ) -> Result<(Option<Vec<Expression>>, Option<Expression>)> {
        let arguments = self.arguments.as_ref().map(|arguments| build_all(arguments, builder, scope)).transpose()?;
        let filter = match &self.filter {
            Some(filter) => {
                let filter = filter.build(builder, scope)?;
                Some(builder.coerce_condition(filter, "FILTER")?)
            }
            None => None,
        };
        Ok((arguments, filter))
    }
}

fn build_all(trees: &[Tree], builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<Vec<Expression>> {
    trees.iter().map(|tree| tree.build(builder, scope)).collect()
}

fn build_each<const N: usize>(
    trees: &[Tree; N],
    builder: &mut Builder<'_>,
    scope: &Scope<'_>,
) -> Result<[Expression; N]> {
    Ok(build_all(trees, builder, scope)?.try_into().expect("each tree gives one expression"))
}

/// What AND or OR, named for errors, joins.
fn build_conditions(
    name: &str,
    conditions: &[Tree],
    builder: &mut Builder<'_>,
    scope: &Scope<'_>,
) -> Result<Vec<Expression>> {
    let mut built = Vec::with_capacity(conditions.len());
    for condition in conditions {
        let condition = condition.build(builder, scope)?;
        built.push(builder.coerce_condition(condition, name)?);
    }
    Ok(built)
}
