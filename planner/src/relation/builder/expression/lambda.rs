//! Lambdas: `list_transform(list, lambda x, i: …)`, `list_filter`, `list_reduce`, and `[… FOR x IN list IF …]`.
//!
//! While a lambda is bound its variables are columns that no relation has. Then it is closed (`evaluate/lambda`): they become
//! variables of its own, and what it reads beside them arguments of the call. So whatever goes through expressions sees a
//! function of a list, a text, and columns of the row.
//!
//! An array's type does not say how many dimensions it has. Where the list's are known, or no lambda over single values can be bound,
//! the variable for the element is an array.

use super::array::{carried, element_of};
use super::coercion::{Coercion, castable, unify_types};
use super::fold;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::array::Array;
use crate::evaluate::lambda::{Lambda, Node, NodeKind};
use crate::function::{ArrayFunction, Function, LambdaFunction, LambdaKind, Volatility};
use crate::multiloop::scalar::function_effects;
use crate::relation::builder::Builder;
use crate::relation::effects::effects;
use crate::relation::{ColumnId, Expression, ExpressionKind};
use crate::stack;
use crate::types::DataType;
use crate::value::Value;

/// The variables of a lambda that is being bound.
#[derive(Clone, Debug)]
pub struct LambdaVariables {
    /// Their names and columns, in the order in which they are declared.
    pub declared: Vec<(String, ColumnId)>,
    /// The dimensions of what the one for the element stands for, where that is an array and they are known.
    dimensions: Option<usize>,
    accumulator: Option<ColumnId>,
    element: ColumnId,
    index: Option<ColumnId>,
    takes_parts: bool,
}

impl LambdaVariables {
    /// The dimensions of what a column stands for, if it is the variable for the element and they are known.
    pub fn dimensions_of(&self, column: ColumnId) -> Option<usize> {
        self.dimensions.filter(|_| column == self.element)
    }
}

/// What a lambda is applied to.
#[derive(Clone, Debug)]
pub struct LambdaList {
    list: Expression,
    element: DataType,
    /// How many dimensions it has, where that is known.
    dimensions: Option<usize>,
}

impl LambdaList {
    /// Whether the variable for the element may be an array, in the order in which that is to be tried.
    pub fn ways(&self) -> &'static [bool] {
        match self.dimensions {
            None => &[false, true],
            Some(0 | 1) => &[false],
            Some(_) => &[true],
        }
    }

    /// The type of the variable for the element.
    pub fn variable(&self, takes_parts: bool) -> DataType {
        if takes_parts { DataType::list(self.element) } else { self.element }
    }
}

/// What a lambda has been bound to.
#[derive(Clone, Debug)]
pub struct LambdaBody {
    /// What it makes of an element; none of a filter, which gives the elements as they are.
    pub value: Option<Expression>,
    /// The condition that an element has to meet.
    pub condition: Option<Expression>,
}

impl Builder<'_> {
    /// A list that the function of a name applies a lambda to; `known` says the dimensions of variables of lambdas around it.
    pub fn lambda_list(
        &mut self,
        name: &str,
        list: Expression,
        known: &dyn Fn(ColumnId) -> Option<usize>,
        position: Option<Position>,
    ) -> Result<LambdaList> {
        let list = self.array_if_vector(list)?;
        let Some(element) = list.data_type.element() else {
            let message = format!("function {name}({}, lambda) does not exist", list.data_type);
            let error = Error::new(ErrorKind::UnknownFunction, message).at(position);
            return Err(error.with_hint("The first argument has to be an array."));
        };
        let dimensions = dimensions(&list, known);
        Ok(LambdaList { list, element, dimensions })
    }

    /// New variables for a lambda over a list. A reduction's are what it has come to, of type `accumulator`, and the element; one
    /// more is the element's place.
    pub fn lambda_variables(
        &mut self,
        list: &LambdaList,
        names: Vec<String>,
        accumulator: Option<DataType>,
        takes_parts: bool,
    ) -> LambdaVariables {
        let element = list.variable(takes_parts);
        let types: Vec<DataType> = accumulator.into_iter().chain([element, DataType::BigInt]).collect();
        let declared: Vec<(String, ColumnId)> = names
            .into_iter()
            .zip(types)
            .map(|(name, data_type)| {
                let column = self.columns.add(name.clone(), data_type, true);
                (name, column)
            })
            .collect();
        let mut columns = declared.iter().map(|(_, column)| *column);
        let accumulator = if accumulator.is_some() { columns.next() } else { None };
        let element = columns.next().expect("a lambda declares its element");
        let index = columns.next();
        let dimensions = list.dimensions.filter(|_| takes_parts).map(|dimensions| dimensions - 1);
        LambdaVariables { declared, dimensions, accumulator, element, index, takes_parts }
    }

    /// A reference to a variable.
    pub fn lambda_variable(&self, column: ColumnId, position: Option<Position>) -> Expression {
        self.columns.reference(column).at(position)
    }

    /// A lambda's condition: what can be cast to a boolean is.
    pub fn lambda_condition(&mut self, condition: Expression) -> Result<Expression> {
        if castable(condition.data_type, DataType::Boolean, Coercion::Explicit) {
            return self.coerce(condition, DataType::Boolean, Coercion::Explicit);
        }
        self.coerce_condition(condition, "a lambda that filters")
    }

    /// The value that a reduction begins with.
    pub fn lambda_start(&mut self, start: Expression, list: &LambdaList) -> Result<Expression> {
        match fold::constant(&start) {
            Some(Value::Null) if start.data_type == DataType::Null => {
                self.coerce(start, list.element, Coercion::Implicit)
            }
            _ => self.settle_any(start),
        }
    }

    /// The type that a reduction's values have in common, where the lambda gives one of `made` of one of `from`.
    pub fn lambda_common(&self, from: DataType, made: DataType) -> DataType {
        match unify_types(&[from, made], "list_reduce") {
            Ok(DataType::Null) => from,
            Ok(common) => common,
            // Numbers become texts, as where they are assigned.
            Err(_) if castable(from, made, Coercion::Assignment) => made,
            Err(_) => from,
        }
    }

    /// A list whose elements a reduction begins with, as a list of its values' type.
    pub fn lambda_list_of(&mut self, list: LambdaList, to: DataType, takes_parts: bool) -> Result<LambdaList> {
        let to = if takes_parts { to.element().unwrap_or(to) } else { element_of(to) };
        let list_of = self.coerce(list.list, DataType::list(to), Coercion::Explicit)?;
        Ok(LambdaList { list: list_of, element: to, dimensions: list.dimensions })
    }

    /// The list of what a lambda makes of the elements, or of the elements that meet its condition.
    pub fn lambda_each(
        &mut self,
        list: LambdaList,
        variables: &LambdaVariables,
        body: LambdaBody,
        position: Option<Position>,
    ) -> Result<Expression> {
        let element = list.variable(variables.takes_parts);
        let is_filter = body.value.is_none();
        let value = body.value.unwrap_or_else(|| Expression::column(variables.element, element));
        let value = self.settle_any(value)?;
        let (value, result) = match value.data_type.element() {
            Some(of) => (value, of),
            None => {
                let of = element_of(value.data_type);
                (self.coerce(value, of, Coercion::Implicit)?, of)
            }
        };
        let makes_parts = value.data_type.element().is_some();
        let dimensions = match (is_filter, makes_parts) {
            (true, _) => list.dimensions,
            (false, true) => {
                dimensions(&value, &|column| variables.dimensions_of(column)).map(|dimensions| dimensions + 1)
            }
            (false, false) => Some(1),
        };
        let shape =
            Shape { kind: LambdaKind::Each, result, makes_parts, dimensions: dimensions.or(makes_parts.then_some(2)) };
        closed(list, variables, (&value, body.condition.as_ref()), shape, None, position)
    }

    /// What a lambda reduces a list to, from a value on if there is one, of the type of its accumulator.
    pub fn lambda_reduce(
        &mut self,
        list: LambdaList,
        variables: &LambdaVariables,
        value: Expression,
        start: Option<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let Some(accumulator) = variables.accumulator else { return Err(Error::internal("a reduction of nothing")) };
        let to = self.columns.get(accumulator).data_type;
        let value = self.coerce(value, to, Coercion::Assignment)?;
        let start = start.map(|start| self.coerce(start, to, Coercion::Assignment)).transpose()?;
        let kind = if start.is_some() { LambdaKind::ReduceFrom } else { LambdaKind::Reduce };
        let shape = Shape { kind, result: to, makes_parts: false, dimensions: None };
        closed(list, variables, (&value, None), shape, start, position)
    }

    /// The error (42883) for a function of a lambda that takes none so.
    pub fn no_lambda_function(&self, name: &str, position: Option<Position>) -> Error {
        let message = format!("function {name} takes no lambda in this place");
        let hint = "A lambda is the second argument of list_transform, list_filter and list_reduce.";
        Error::new(ErrorKind::UnknownFunction, message).with_hint(hint).at(position)
    }
}

/// What a lambda's call gives.
struct Shape {
    kind: LambdaKind,
    result: DataType,
    makes_parts: bool,
    dimensions: Option<usize>,
}

/// The call of a lambda that has been closed.
fn closed(
    list: LambdaList,
    variables: &LambdaVariables,
    (value, condition): (&Expression, Option<&Expression>),
    shape: Shape,
    start: Option<Expression>,
    position: Option<Position>,
) -> Result<Expression> {
    let parts = [Some(value), condition].into_iter().flatten();
    let volatility = parts.map(volatility).max().unwrap_or_default();
    let mut closing = Closing { variables, nodes: Vec::new(), captured: Vec::new() };
    let condition = condition.map(|condition| closing.node(condition)).transpose()?;
    let value = closing.node(value)?;
    let lambda = Lambda {
        names: variables.declared.iter().map(|(name, _)| name.clone()).collect(),
        element: carried(list.element),
        takes_parts: variables.takes_parts,
        result: carried(shape.result),
        makes_parts: shape.makes_parts,
        dimensions: shape.dimensions,
        nodes: closing.nodes,
        value,
        condition,
    };
    let captured = closing.captured.into_iter().map(|(captured, _)| captured);
    let data_type = if shape.kind == LambdaKind::Each { DataType::list(shape.result) } else { shape.result };
    let text = Expression::constant(Value::text(lambda.text()?), DataType::Text);
    let arguments = [list.list, text].into_iter().chain(start).chain(captured).collect();
    let function = Function::Lambda(LambdaFunction { kind: shape.kind, volatility });
    let call = fold::call(function, arguments, data_type);
    Ok(Expression { position: position.or(call.position), ..call })
}

/// When a part of a lambda gives another value.
fn volatility(part: &Expression) -> Volatility {
    fn is_immutable(part: &Expression) -> bool {
        match &part.kind {
            ExpressionKind::Call(function, arguments) => function.is_immutable() && arguments.iter().all(is_immutable),
            ExpressionKind::Element(_, code) => is_immutable(code),
            _ => true,
        }
    }
    match effects(part).volatile {
        true => Volatility::Volatile,
        false if is_immutable(part) => Volatility::Immutable,
        false => Volatility::Stable,
    }
}

/// A lambda that is being closed.
struct Closing<'v> {
    variables: &'v LambdaVariables,
    nodes: Vec<Node>,
    /// What is captured, each with its node.
    captured: Vec<(Expression, u32)>,
}

/// Captured values among which an equal one is looked for, at most.
const SHARED_MAX: usize = 256;

/// A part of a lambda.
enum Part<'e> {
    /// It reads no variable, cannot fail and does not vary: if what it is a part of does, it is captured.
    Free(&'e Expression),
    Node(u32),
}

impl Closing<'_> {
    /// The node of an expression.
    fn node(&mut self, expression: &Expression) -> Result<u32> {
        let part = self.part(expression)?;
        Ok(self.settled(part))
    }

    fn part<'e>(&mut self, expression: &'e Expression) -> Result<Part<'e>> {
        let kind = match &expression.kind {
            ExpressionKind::Column(id) if *id == self.variables.element => NodeKind::Element,
            ExpressionKind::Column(id) if Some(*id) == self.variables.index => NodeKind::Index,
            ExpressionKind::Column(id) if Some(*id) == self.variables.accumulator => NodeKind::Accumulator,
            ExpressionKind::Column(_)
            | ExpressionKind::Constant(_)
            | ExpressionKind::Parameter(_)
            | ExpressionKind::Element(..) => return Ok(Part::Free(expression)),
            ExpressionKind::Call(Function::Relabel, arguments) if arguments.len() == 1 => {
                return stack::more(|| self.part(&arguments[0]));
            }
            ExpressionKind::Call(function, arguments) => {
                let parts = arguments.iter().map(|argument| stack::more(|| self.part(argument)));
                let parts = parts.collect::<Result<Vec<_>>>()?;
                let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
                let is_free = parts.iter().all(|part| matches!(part, Part::Free(_)));
                if is_free && function_effects(*function, &types, expression.data_type).is_pure() {
                    return Ok(Part::Free(expression));
                }
                NodeKind::Call(*function, parts.into_iter().map(|part| self.settled(part)).collect())
            }
            ExpressionKind::Subquery(_) => {
                return Err(Error::unsupported("a subquery in a lambda is").at(expression.position));
            }
        };
        Ok(Part::Node(self.add(kind, expression.data_type)))
    }

    fn add(&mut self, kind: NodeKind, data_type: DataType) -> u32 {
        let node = u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions");
        self.nodes.push(Node { kind, data_type: data_type.carrier() });
        node
    }

    /// The node of a part.
    fn settled(&mut self, part: Part<'_>) -> u32 {
        let free = match part {
            Part::Node(node) => return node,
            Part::Free(free) => free,
        };
        if let Some((_, node)) = self.captured.iter().take(SHARED_MAX).find(|(known, _)| known == free) {
            return *node;
        }
        let number = u32::try_from(self.captured.len()).expect("fewer than 2^32 expressions");
        let node = self.add(NodeKind::Captured(number), free.data_type);
        self.captured.push((free.clone(), node));
        node
    }
}

/// How many dimensions an array has that is not empty, where its expression tells.
fn dimensions(array: &Expression, known: &dyn Fn(ColumnId) -> Option<usize>) -> Option<usize> {
    use ArrayFunction as A;
    stack::more(|| match &array.kind {
        ExpressionKind::Column(id) => known(*id),
        ExpressionKind::Constant(Value::Text(text)) => Array::shape(text).map(|(count, _)| count),
        ExpressionKind::Call(Function::Relabel, arguments) => dimensions(arguments.first()?, known),
        ExpressionKind::Call(Function::Case, arguments) => {
            let values = arguments.iter().skip(1).step_by(2).chain(arguments.last());
            values.into_iter().find_map(|value| dimensions(value, known))
        }
        ExpressionKind::Call(Function::Coalesce, arguments) => {
            arguments.iter().find_map(|argument| dimensions(argument, known))
        }
        ExpressionKind::Call(Function::Lambda(_), arguments) => match fold::constant(arguments.get(1)?)? {
            Value::Text(text) => Lambda::read(text).ok()?.dimensions,
            _ => None,
        },
        ExpressionKind::Call(Function::Array(function, _), arguments) => match function {
            A::Make | A::Split | A::Range { .. } | A::Distinct | A::Flatten | A::Intersect | A::SliceOfList => Some(1),
            A::Sort(_) | A::Reverse | A::Labels | A::Positions => Some(1),
            A::MakeOfArrays => {
                arguments.iter().find_map(|argument| dimensions(argument, known)).map(|count| count + 1).or(Some(2))
            }
            A::Slice | A::Cast(_) | A::Trim | A::Remove | A::Replace | A::Append => {
                dimensions(arguments.first()?, known)
            }
            A::Concatenate => arguments.iter().filter_map(|argument| dimensions(argument, known)).max(),
            _ => None,
        },
        _ => None,
    })
}
