//! Expressions before anything is known of the columns that they name: untyped trees, which the relation's builder types
//! once a frame runs.

use super::block::{Block, Context};
use super::expression::Order;
use crate::{DataType, Error, ErrorKind, Result, Value};
use multiloop_planner::catalog::TableName;
use multiloop_planner::evaluate::{check_text, check_type};
use multiloop_planner::function::Function;
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{
    AggregateArguments, BoundSpec, Callee, Clause, FrameSpec, Name, Nulls, Operator, PatternOperator, Quantifier,
    Reference, Scope, Sign, WindowSpec, and, null, or, text,
};
use multiloop_planner::types::SortOrder;
use multiloop_planner::window::{Exclude, FrameUnit};
use std::sync::Arc;

/// The name by which a source's columns are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Alias {
    /// As it was given.
    Named(Arc<str>),
    /// That of a source which nobody named: `base`, with a number where another source has that name.
    Numbered { id: u64, base: Arc<str> },
}

/// An untyped expression. Parts are shared, so that a copy is cheap.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// A column by its name, perhaps with its table's.
    Column { table: Option<Alias>, name: Arc<str> },
    /// A number, as it is written, with its sign.
    Number(String),
    /// A string, whose type is what it meets.
    Text(String),
    /// TRUE or FALSE.
    Boolean(bool),
    /// NULL.
    Null,
    /// A literal that says its type.
    Typed(DataType, String),
    /// A value of a type.
    Value(Value, DataType),
    /// `$n`, from 1.
    Parameter(u32),
    /// `NOT a`.
    Not(Arc<Tree>),
    /// `- a`.
    Minus(Arc<Tree>),
    /// `a AND b AND …`.
    And(Vec<Tree>),
    /// `a OR b OR …`.
    Or(Vec<Tree>),
    /// `a = b` and its family, with `IS [NOT] DISTINCT FROM`.
    Compare(Function, Arc<[Tree; 2]>),
    /// `a + b` and its family.
    Operator(Operator, Arc<[Tree; 2]>),
    /// `a BETWEEN b AND c`.
    Between(Arc<[Tree; 3]>),
    /// `a IN (b, …)`.
    In(Arc<Tree>, Vec<Tree>),
    /// `a LIKE b` and its family.
    Like(PatternOperator, Arc<[Tree; 2]>),
    /// `a IS NULL` or `a IS NOT NULL`.
    NullTest(Function, Arc<Tree>),
    /// `CAST(a AS type)`.
    Cast(Arc<Tree>, DataType),
    /// `EXTRACT(field FROM a)`.
    Extract(Arc<str>, Arc<Tree>),
    /// `CASE WHEN a THEN b … ELSE c END`.
    Case(Vec<(Tree, Tree)>, Arc<Tree>),
    /// A function or aggregate.
    Call(Call),
    /// The value of a query of one row.
    Scalar(Arc<Block>),
    /// Whether a query has rows.
    Exists(Arc<Block>),
    /// `a IN (query)`, `(a, b) IN (query)`.
    InRows(Arc<[Tree]>, Arc<Block>),
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
    pub(super) filter: Option<Arc<Tree>>,
    /// ORDER BY among the arguments.
    pub(super) order: Vec<Order>,
    /// OVER.
    pub(super) over: Option<Arc<Window>>,
    /// IGNORE NULLS.
    pub(super) ignore_nulls: bool,
}

/// A window: which rows a call goes over.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// PARTITION BY.
    pub(super) partition: Vec<Tree>,
    /// ORDER BY.
    pub(super) order: Vec<Order>,
    /// The rows around each; none for the usual ones.
    pub(super) frame: Option<WindowFrame>,
}

/// The rows around each row that a call goes over.
#[derive(Clone, Debug)]
pub(super) struct WindowFrame {
    pub(super) unit: FrameUnit,
    pub(super) start: Bound,
    pub(super) end: Bound,
    pub(super) exclude: Exclude,
}

/// Where a frame begins or ends.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    First,
    Before(Tree),
    Current,
    Behind(Tree),
    Last,
}

impl Call {
    /// A plain call.
    pub(super) fn new(name: &str, arguments: Option<Vec<Tree>>) -> Self {
        let name = name.to_ascii_lowercase();
        Call { name, arguments, distinct: false, filter: None, order: Vec::new(), over: None, ignore_nulls: false }
    }
}

impl Tree {
    /// A comparison.
    pub(super) fn compare(function: Function, left: Tree, right: Tree) -> Tree {
        Tree::Compare(function, Arc::new([left, right]))
    }

    /// An operator of two values.
    pub(super) fn operator(operator: Operator, left: Tree, right: Tree) -> Tree {
        Tree::Operator(operator, Arc::new([left, right]))
    }

    /// `a BETWEEN low AND high`.
    pub(super) fn between(value: Tree, low: Tree, high: Tree) -> Tree {
        Tree::Between(Arc::new([value, low, high]))
    }

    /// `a IN (b, …)`.
    pub(super) fn in_list(value: Tree, values: Vec<Tree>) -> Tree {
        Tree::In(Arc::new(value), values)
    }

    /// `a IS NOT DISTINCT FROM b` for what is the same, else `a IS DISTINCT FROM b`.
    pub(super) fn distinct(same: bool, left: Tree, right: Tree) -> Tree {
        Tree::compare(if same { Function::IsNotDistinct } else { Function::IsDistinct }, left, right)
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
        Tree::Minus(Arc::new(value))
    }

    /// `a LIKE b`, or another pattern.
    pub(super) fn pattern(function: Function, negated: bool, value: Tree, pattern: Tree) -> Tree {
        Tree::Like(PatternOperator { function, negated }, Arc::new([value, pattern]))
    }

    /// `CASE WHEN a THEN b … ELSE c END`.
    pub(super) fn case(branches: Vec<(Tree, Tree)>, otherwise: Tree) -> Tree {
        Tree::Case(branches, Arc::new(otherwise))
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
            Tree::Typed(data_type, _) => Name::of_typed_literal(*data_type),
            Tree::Cast(value, data_type) => Name::of_cast(value.name(), *data_type),
            Tree::Case(_, otherwise) => Name::of_case(otherwise.name()),
            Tree::Extract(..) => Name::strong("extract"),
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

    /// Calls back for each of its parts; subqueries are none.
    pub(super) fn parts<'t>(&'t self, each: &mut dyn FnMut(&'t Tree)) {
        match self {
            Tree::Column { .. }
            | Tree::Number(_)
            | Tree::Text(_)
            | Tree::Boolean(_)
            | Tree::Null
            | Tree::Typed(..)
            | Tree::Value(..)
            | Tree::Parameter(_)
            | Tree::Scalar(_)
            | Tree::Exists(_) => {}
            Tree::Not(part)
            | Tree::Minus(part)
            | Tree::NullTest(_, part)
            | Tree::Cast(part, _)
            | Tree::Extract(_, part) => each(part),
            Tree::And(parts) | Tree::Or(parts) => parts.iter().for_each(each),
            Tree::Compare(_, parts) | Tree::Operator(_, parts) | Tree::Like(_, parts) => parts.iter().for_each(each),
            Tree::Between(parts) => parts.iter().for_each(each),
            Tree::In(value, parts) => {
                each(value);
                parts.iter().for_each(each);
            }
            Tree::InRows(parts, _) => parts.iter().for_each(each),
            Tree::Case(branches, otherwise) => {
                for (condition, result) in branches {
                    each(condition);
                    each(result);
                }
                each(otherwise);
            }
            Tree::Call(call) => call.parts(each),
        }
    }

    /// The typed expression over a scope.
    pub(super) fn build(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Expression> {
        match self {
            Tree::Column { table, name } => {
                let table = table.as_ref().map(|alias| TableName::from(&*context.name(alias)));
                context.builder.column(scope, table.as_ref(), name, None)
            }
            Tree::Number(digits) => context.builder.number(digits),
            Tree::Text(value) => {
                check_text(value)?;
                Ok(text(value))
            }
            Tree::Boolean(value) => Ok(Expression::boolean(*value)),
            Tree::Null => Ok(null()),
            Tree::Typed(data_type, value) => {
                check_text(value)?;
                context.builder.typed_literal(text(value), *data_type, None)
            }
            Tree::Value(value, data_type) => {
                check_type(*data_type)?;
                if let Value::Text(text) = value {
                    check_text(text)?;
                }
                Ok(Expression::constant(value.clone(), *data_type))
            }
            Tree::Parameter(number) => context.builder.parameter(*number),
            _ => context.deeper(|context| self.build_compound(context, scope)),
        }
    }

    /// What has parts.
    fn build_compound(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Expression> {
        match self {
            Tree::Not(operand) => {
                let operand = operand.build(context, scope)?;
                context.builder.negation(operand)
            }
            Tree::Minus(operand) => {
                let operand = operand.build(context, scope)?;
                context.builder.signed(Sign::Minus, operand)
            }
            Tree::And(conditions) => Ok(and(build_conditions("AND", conditions, context, scope)?)),
            Tree::Or(conditions) => Ok(or(build_conditions("OR", conditions, context, scope)?)),
            Tree::Compare(function, sides) => {
                let [left, right] = build_each(&**sides, context, scope)?;
                context.builder.compare(*function, left, right)
            }
            Tree::Operator(operator, sides) => {
                let [left, right] = build_each(&**sides, context, scope)?;
                context.builder.operator(*operator, left, right)
            }
            Tree::Between(parts) => {
                let [value, low, high] = build_each(&**parts, context, scope)?;
                context.builder.between(value, low, high, false)
            }
            Tree::In(value, items) => {
                let value = value.build(context, scope)?;
                let items = build_all(items, context, scope)?;
                context.builder.is_in(value, items)
            }
            Tree::Like(operator, sides) => {
                let [value, pattern] = build_each(&**sides, context, scope)?;
                context.builder.like(*operator, value, pattern, None)
            }
            Tree::NullTest(function, value) => {
                let value = value.build(context, scope)?;
                context.builder.null_test(*function, vec![value])
            }
            Tree::Cast(value, data_type) => {
                check_type(*data_type)?;
                let value = value.build(context, scope)?;
                context.builder.cast(value, *data_type, None)
            }
            Tree::Extract(field, value) => {
                let value = value.build(context, scope)?;
                context.builder.extract(field, value)
            }
            Tree::Case(branches, otherwise) => build_case(branches, otherwise, context, scope),
            Tree::Call(call) => call.build(context, scope),
            Tree::Scalar(block) => {
                let rows = block.build(context, Some(scope))?;
                context.builder.scalar_subquery(rows, None)
            }
            Tree::Exists(block) => {
                let rows = block.build(context, Some(scope))?;
                Ok(context.builder.exists(rows, None))
            }
            Tree::InRows(values, block) => {
                let values = build_all(values, context, scope)?;
                let rows = block.build(context, Some(scope))?;
                context.builder.quantified_subquery(Quantifier::Any, Function::Equal, values, rows, None)
            }
            leaf => leaf.build(context, scope),
        }
    }
}

fn build_case(
    branches: &[(Tree, Tree)],
    otherwise: &Tree,
    context: &mut Context<'_, '_>,
    scope: &Scope<'_>,
) -> Result<Expression> {
    let mut built = Vec::with_capacity(branches.len());
    for (condition, result) in branches {
        let condition = condition.build(context, scope)?;
        let condition = context.builder.case_condition(None, condition)?;
        built.push((condition, result.build(context, scope)?));
    }
    let otherwise = otherwise.build(context, scope)?;
    context.builder.case(built, Some(otherwise))
}

/// What stands in a call's parentheses and behind them.
struct Parts {
    arguments: Option<Vec<Expression>>,
    filter: Option<Expression>,
    order: Vec<(Expression, SortOrder)>,
}

impl Call {
    fn parts<'t>(&'t self, each: &mut dyn FnMut(&'t Tree)) {
        self.arguments.iter().flatten().for_each(&mut *each);
        self.filter.iter().for_each(|filter| each(filter));
        self.order.iter().for_each(|key| each(&key.tree));
        if let Some(window) = &self.over {
            window.partition.iter().for_each(&mut *each);
            window.order.iter().for_each(|key| each(&key.tree));
            if let Some(WindowFrame { start, end, .. }) = &window.frame {
                for bound in [start, end] {
                    if let Bound::Before(distance) | Bound::Behind(distance) = bound {
                        each(distance);
                    }
                }
            }
        }
    }

    fn build(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Expression> {
        let Call { name, arguments, distinct, filter, order, over, ignore_nulls } = self;
        let callee = context.builder.callee(name)?;
        let nulls = ignore_nulls.then_some(Nulls::Ignored);
        let clause = if over.is_some() { Clause::WindowArgument } else { Clause::AggregateArgument };
        let plain = callee == Callee::Function;
        if plain && over.is_none() && order.is_empty() {
            context.builder.check_plain_call(name, *distinct, filter.is_some())?;
            let arguments = build_all(arguments.as_deref().unwrap_or_default(), context, scope)?;
            return context.builder.call_by_name(name, arguments, None);
        }
        if plain {
            let message =
                format!("OVER or ORDER BY specified, but {name} is not a window function nor an aggregate function");
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        }
        let before = scope.enter(clause);
        let parts = self.build_parts(context, scope);
        scope.enter(before);
        let Parts { arguments, filter, order } = parts?;
        let over = over.as_ref().map(|window| window.build(context, scope)).transpose()?;
        match (callee, over) {
            (Callee::Aggregate(function), over) => {
                let call = AggregateArguments { arguments, distinct: *distinct, filter, order, nulls, over };
                context.builder.aggregate(function, name, call, None, scope)
            }
            (Callee::Window(function), None) => Err(context.builder.needs_window(function)),
            (Callee::Window(_), Some(_)) if *distinct || filter.is_some() || !order.is_empty() => {
                let message = format!("DISTINCT, FILTER and ORDER BY are not implemented for {name}");
                Err(Error::new(ErrorKind::Unsupported, message))
            }
            (Callee::Window(function), Some(over)) => {
                context.builder.window_function(function, (arguments.unwrap_or_default(), nulls), over, scope)
            }
            (Callee::Function, _) => Err(Error::internal("a plain function over a window")),
        }
    }

    /// An aggregate's arguments, none for `*`, its filter and order.
    fn build_parts(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Parts> {
        let arguments = self.arguments.as_ref().map(|arguments| build_all(arguments, context, scope)).transpose()?;
        let filter = match &self.filter {
            Some(filter) => {
                let filter = filter.build(context, scope)?;
                Some(context.builder.coerce_condition(filter, "FILTER")?)
            }
            None => None,
        };
        let order = build_order(&self.order, context, scope)?;
        Ok(Parts { arguments, filter, order })
    }
}

impl Window {
    fn build(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<WindowSpec> {
        let before = scope.enter(Clause::WindowDefinition);
        let parts = self.build_parts(context, scope);
        scope.enter(before);
        let (partition, order, frame) = parts?;
        context.builder.window_spec(None, partition, order, frame)
    }

    #[allow(clippy::type_complexity, reason = "three parts, as they are passed on")]
    fn build_parts(
        &self,
        context: &mut Context<'_, '_>,
        scope: &Scope<'_>,
    ) -> Result<(Vec<Expression>, Vec<(Expression, SortOrder)>, Option<FrameSpec>)> {
        let mut partition = Vec::with_capacity(self.partition.len());
        for key in &self.partition {
            let key = key.build(context, scope)?;
            partition.push(context.builder.settle(key)?);
        }
        let order = build_order(&self.order, context, scope)?;
        let frame = match &self.frame {
            None => None,
            Some(WindowFrame { unit, start, end, exclude }) => Some(FrameSpec {
                unit: *unit,
                start: start.build(context, scope)?,
                end: end.build(context, scope)?,
                exclude: *exclude,
            }),
        };
        Ok((partition, order, frame))
    }
}

impl Bound {
    fn build(&self, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<BoundSpec> {
        Ok(match self {
            Bound::First => BoundSpec::First,
            Bound::Before(distance) => BoundSpec::Before(distance.build(context, scope)?, None),
            Bound::Current => BoundSpec::Current,
            Bound::Behind(distance) => BoundSpec::Behind(distance.build(context, scope)?, None),
            Bound::Last => BoundSpec::Last,
        })
    }
}

fn build_order(
    order: &[Order],
    context: &mut Context<'_, '_>,
    scope: &Scope<'_>,
) -> Result<Vec<(Expression, SortOrder)>> {
    let mut keys = Vec::with_capacity(order.len());
    for Order { tree, order } in order {
        let key = tree.build(context, scope)?;
        keys.push((context.builder.settle(key)?, *order));
    }
    Ok(keys)
}

fn build_all(trees: &[Tree], context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Vec<Expression>> {
    trees.iter().map(|tree| tree.build(context, scope)).collect()
}

fn build_each<const N: usize>(
    trees: &[Tree; N],
    context: &mut Context<'_, '_>,
    scope: &Scope<'_>,
) -> Result<[Expression; N]> {
    Ok(build_all(trees, context, scope)?.try_into().expect("each tree gives one expression"))
}

/// What AND or OR, named for errors, joins.
fn build_conditions(
    name: &str,
    conditions: &[Tree],
    context: &mut Context<'_, '_>,
    scope: &Scope<'_>,
) -> Result<Vec<Expression>> {
    let mut built = Vec::with_capacity(conditions.len());
    for condition in conditions {
        let condition = condition.build(context, scope)?;
        built.push(context.builder.coerce_condition(condition, name)?);
    }
    Ok(built)
}
