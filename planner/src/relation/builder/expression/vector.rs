//! Functions and operators of vectors. Lengths are part of types, so whether they fit is known when a call is bound: 22000 then,
//! and nothing fails at run time.
//!
//! Of two vectors of one length, real beside double precision is double precision. A number beside a vector is rounded to the type
//! of the vector's elements. A text in quotes beside a vector is a vector of its type, and so is an array of numbers, of which only
//! the rows say whether it has as many elements: 22000 at run time.
//!
//! Where an array is wanted a vector is one: what is said of arrays here is which functions want them.

use super::call::{Special, take};
use super::coercion::{Coercion, undetermined};
use super::operator::no_operator;
use super::{Subscript, fold, registry, type_limits};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{Function, VectorFunction};
use crate::relation::builder::{Builder, Operator};
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DataType, VECTOR_LENGTH_MAX};
use crate::value::Value;

/// The measure of two vectors of a name, which may be DuckDB's.
fn measure(name: &str) -> Option<VectorFunction> {
    use VectorFunction as V;
    Some(match name {
        "l2_distance" | "array_distance" => V::Distance,
        "squared_distance" => V::SquaredDistance,
        "l1_distance" => V::ManhattanDistance,
        "inner_product" | "dot" | "array_inner_product" | "array_dot_product" => V::InnerProduct,
        "array_negative_inner_product" | "array_negative_dot_product" => V::NegativeInnerProduct,
        "cosine_distance" | "array_cosine_distance" => V::CosineDistance,
        "cosine_similarity" | "array_cosine_similarity" => V::CosineSimilarity,
        _ => return None,
    })
}

/// The function of one vector of a name.
fn of_one(name: &str) -> Option<VectorFunction> {
    use VectorFunction as V;
    Some(match name {
        "abs" => V::Abs,
        "exp" => V::Exp,
        "ln" => V::Ln,
        "sqrt" => V::SquareRoot,
        "tanh" => V::HyperbolicTangent,
        "sigmoid" => V::Sigmoid,
        "l2_normalize" => V::Normalize,
        "vector_sum" => V::Sum,
        "vector_min" => V::Min,
        "vector_max" => V::Max,
        "vector_norm" | "l2_norm" => V::Norm,
        "argmin" => V::ArgMin,
        "argmax" => V::ArgMax,
        "vector_dims" => V::Dimensions,
        _ => return None,
    })
}

/// The function of two vectors that an operator is, and its spelling.
fn of_operator(operator: Operator) -> Option<(VectorFunction, &'static str)> {
    use VectorFunction as V;
    Some(match operator {
        Operator::Add => (V::Add, "+"),
        Operator::Subtract => (V::Subtract, "-"),
        Operator::Multiply => (V::Multiply, "*"),
        Operator::Divide => (V::Divide, "/"),
        Operator::Distance => (V::Distance, "<->"),
        Operator::ManhattanDistance => (V::ManhattanDistance, "<+>"),
        Operator::NegativeInnerProduct => (V::NegativeInnerProduct, "<#>"),
        Operator::CosineDistance => (V::CosineDistance, "<=>"),
        _ => return None,
    })
}

/// The error (22000) for vectors that have to be of one length.
fn different(left: u32, right: u32, position: Option<Position>) -> Error {
    let message = format!("different vector dimensions {left} and {right}");
    Error::new(ErrorKind::VectorLength, message).at(position)
}

/// Two vectors with elements of one type, each of its own length.
struct Pair {
    of: DataType,
    sides: [Expression; 2],
    lengths: [u32; 2],
}

/// A call, whose arguments say its type.
fn vector_call(function: VectorFunction, arguments: Vec<Expression>) -> Result<Expression> {
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    let data_type = function.result(&types);
    let data_type = data_type.ok_or_else(|| Error::internal(format!("no type of {function:?} of {types:?}")))?;
    Ok(fold::call(Function::Vector(function), arguments, data_type))
}

impl Builder<'_> {
    /// A function of vectors, if the name and the types are of one.
    pub(super) fn special_vector_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        if !arguments.iter().any(|argument| argument.data_type.is_vector()) || self.is_just_users(name, &arguments) {
            return Ok(Special::NoMatch(arguments));
        }
        let call = match (name, arguments.len()) {
            ("subvector", 3) if arguments[0].data_type.is_vector() => self.subvector(take(arguments))?,
            ("matrix_transpose", 2) if arguments[0].data_type.is_vector() => self.matrix_transpose(take(arguments))?,
            ("matrix_product", 3) => match self.matrix_product(&arguments)? {
                Some(call) => call,
                None => return Ok(Special::NoMatch(arguments)),
            },
            ("outer_product" | "matrix_vector", 2) => {
                let [left, right] = take(arguments);
                let call = match name {
                    "outer_product" => self.outer_product(&left, &right)?,
                    _ => self.matrix_vector(&left, &right)?,
                };
                match call {
                    Some(call) => call,
                    None => return Ok(Special::NoMatch(vec![left, right])),
                }
            }
            (name, 1) if let Some(function) = of_one(name) => vector_call(function, arguments)?,
            (name, 2) if let Some(function) = measure(name) => {
                let [left, right] = take(arguments);
                match self.vectors(left.clone(), right.clone())? {
                    Some(pair) => vector_call(function, pair.into())?,
                    None => return Ok(Special::NoMatch(vec![left, right])),
                }
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
    }

    /// The arguments of a function with arrays for vectors where it takes arrays of any elements or of numbers.
    pub(super) fn arrays_for_vectors(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Vec<Expression>> {
        let given = arguments.into_iter().enumerate();
        let given = given.map(|(place, argument)| match argument.data_type.is_vector() && takes_array(name, place) {
            true => self.array_if_vector(argument),
            false => Ok(argument),
        });
        given.collect()
    }

    /// An operator of which a side is a vector; none if it has no meaning for vectors.
    pub(super) fn vector_operator(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
    ) -> Result<Option<Expression>> {
        let (l, r) = (left.data_type, right.data_type);
        if operator == Operator::Concatenate {
            return self.concatenate_vectors(left, right);
        }
        let Some((function, spelling)) = of_operator(operator) else { return Ok(None) };
        if !l.is_vector() && !r.is_vector() {
            // Only vectors have distances.
            let is_arithmetic = !function.is_measure();
            return if is_arithmetic { Ok(None) } else { Err(no_operator(spelling, l, r, left.position)) };
        }
        if let Some(pair) = self.vectors(left.clone(), right.clone())? {
            return vector_call(function, pair.into()).map(Some);
        }
        let mut arguments = Vec::with_capacity(2);
        for side in [left, right] {
            arguments.push(match side.data_type {
                vector if vector.is_vector() => side.clone(),
                number if number.is_numeric() && !function.is_measure() => {
                    self.coerce(side.clone(), DataType::Double, Coercion::Implicit)?
                }
                _ => return Err(no_operator(spelling, l, r, left.position)),
            });
        }
        vector_call(function, arguments).map(Some)
    }

    /// `-a`.
    pub(super) fn negate_vector(&mut self, operand: Expression) -> Result<Expression> {
        vector_call(VectorFunction::Negate, vec![operand])
    }

    /// GREATEST or LEAST, element by element, from the left; none if no argument is a vector, or some argument is neither that nor
    /// of unknown type.
    pub(super) fn vector_extreme(
        &mut self,
        function: Function,
        arguments: &[Expression],
    ) -> Result<Option<Expression>> {
        let is_of_vectors = |of: DataType| of.is_vector() || of == DataType::Null;
        let types = || arguments.iter().map(|argument| argument.data_type);
        let Some(first) = arguments.iter().find(|argument| argument.data_type.is_vector()) else { return Ok(None) };
        if !types().all(is_of_vectors) {
            return Ok(None);
        }
        let function = if function == Function::Greatest { VectorFunction::Greatest } else { VectorFunction::Least };
        let known = first.data_type;
        let mut extreme: Option<Expression> = None;
        for argument in arguments {
            let argument = match argument.data_type {
                DataType::Null => self.coerce(argument.clone(), known, Coercion::Implicit)?,
                _ => argument.clone(),
            };
            extreme = Some(match extreme {
                None => argument,
                Some(extreme) => match self.vectors(extreme, argument)? {
                    Some(pair) => vector_call(function, pair.into())?,
                    None => return Ok(None),
                },
            });
        }
        Ok(extreme)
    }

    /// `a[i]`, or `a[i:j]`, which is an array: only rows may say how long it is.
    pub(super) fn vector_subscripts(&mut self, vector: Expression, subscripts: Vec<Subscript>) -> Result<Expression> {
        if subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..))) {
            let array = self.array_if_vector(vector)?;
            return self.subscripts(array, subscripts);
        }
        let position = vector.position;
        let Ok([Subscript::At(place)]) = <[Subscript; 1]>::try_from(subscripts) else {
            let element = vector.data_type.vector_of().map_or(vector.data_type, |(element, _)| element);
            let message = format!("cannot subscript type {element} because it does not support subscripting");
            return Err(Error::new(ErrorKind::TypeMismatch, message).at(position));
        };
        let place = self.subscript(place)?;
        let place = super::coercion::cast(place, DataType::BigInt, Coercion::Implicit);
        Ok(vector_call(VectorFunction::Element, vec![vector, place])?.at(position))
    }

    /// Two vectors as two of one type; none if a side is neither a vector nor an array of numbers nor of unknown type.
    fn vectors(&mut self, left: Expression, right: Expression) -> Result<Option<[Expression; 2]>> {
        let (l, r) = (left.data_type, right.data_type);
        let common = match (l.vector_of(), r.vector_of()) {
            (Some((_, a)), Some((_, b))) if a != b => return Err(different(a, b, right.position.or(left.position))),
            (Some((of, length)), Some((other, _))) => DataType::vector(of.max(other), length),
            (Some(_), None) if becomes_vector(r) => l,
            (None, Some(_)) if becomes_vector(l) => r,
            _ => return Ok(None),
        };
        let left = self.coerce(left, common, Coercion::Assignment)?;
        Ok(Some([left, self.coerce(right, common, Coercion::Assignment)?]))
    }

    /// `a || b` of two vectors; none if a side is neither a vector nor of unknown type. A vector beside an array, or beside a
    /// number, is an array (`concatenate`).
    fn concatenate_vectors(&mut self, left: &Expression, right: &Expression) -> Result<Option<Expression>> {
        let sides = self.vectors_of_own_lengths(left, right).map_err(|error| match error.kind() {
            ErrorKind::InvalidText => error.with_hint("To add it to the vector's text, cast the vector to text."),
            _ => error,
        })?;
        let Some(Pair { of, sides, lengths }) = sides else { return Ok(None) };
        let to = type_limits::vector(of, &(lengths[0] + lengths[1]).to_string());
        let to = to.map_err(|error| error.at(left.position))?;
        Ok(Some(fold::call(Function::Vector(VectorFunction::Concatenate), sides.into(), to)))
    }

    /// `outer_product(a, b)`; none if an argument is neither a vector nor of unknown type.
    fn outer_product(&mut self, left: &Expression, right: &Expression) -> Result<Option<Expression>> {
        let Some(Pair { of, sides, lengths }) = self.vectors_of_own_lengths(left, right)? else { return Ok(None) };
        let [rows, columns] = lengths.map(u64::from);
        if rows * columns > VECTOR_LENGTH_MAX.into() {
            let message = format!(
                "an outer product of vectors of {rows} and {columns} dimensions has {}, and a vector has at most {VECTOR_LENGTH_MAX}",
                rows * columns
            );
            return Err(Error::new(ErrorKind::InvalidParameter, message).at(right.position.or(left.position)));
        }
        let to = DataType::vector(of, (rows * columns) as u32);
        Ok(Some(fold::call(Function::Vector(VectorFunction::OuterProduct), sides.into(), to)))
    }

    /// `matrix_vector(m, v)`; none if an argument is neither a vector nor of unknown type.
    fn matrix_vector(&mut self, matrix: &Expression, vector: &Expression) -> Result<Option<Expression>> {
        let Some(Pair { of, sides, lengths: [length, columns] }) = self.vectors_of_own_lengths(matrix, vector)? else {
            return Ok(None);
        };
        let rows = rows_of(length, columns.into()).map_err(|error| error.at(vector.position.or(matrix.position)))?;
        let to = DataType::vector(of, rows);
        Ok(Some(fold::call(Function::Vector(VectorFunction::MatrixVector), sides.into(), to)))
    }

    /// `matrix_product(a, b, k)`; none if an argument is neither a vector nor of unknown type.
    fn matrix_product(&mut self, arguments: &[Expression]) -> Result<Option<Expression>> {
        let [left, right, inner] = arguments else { return Ok(None) };
        let Some(Pair { of, sides, lengths }) = self.vectors_of_own_lengths(left, right)? else { return Ok(None) };
        let inner = self.coerce(inner.clone(), DataType::Integer, Coercion::Implicit)?;
        let known = constant_integer(&inner, "matrix_product with a number of columns that is not constant is")?;
        let at = inner.position.or(left.position);
        let rows = rows_of(lengths[0], known).map_err(|error| error.at(at))?;
        let columns = rows_of(lengths[1], known).map_err(|error| error.at(at))?;
        let length = u64::from(rows) * u64::from(columns);
        if length > VECTOR_LENGTH_MAX.into() {
            let message = format!(
                "a product of {rows} rows and {columns} columns has {length} elements, and a vector has at most {VECTOR_LENGTH_MAX}"
            );
            return Err(Error::new(ErrorKind::InvalidParameter, message).at(at));
        }
        let [left, right] = sides;
        let function = Function::Vector(VectorFunction::MatrixProduct);
        Ok(Some(fold::call(function, vec![left, right, inner], DataType::vector(of, length as u32))))
    }

    /// `matrix_transpose(m, rows)`.
    fn matrix_transpose(&mut self, [matrix, rows]: [Expression; 2]) -> Result<Expression> {
        let rows = self.coerce(rows, DataType::Integer, Coercion::Implicit)?;
        let known = constant_integer(&rows, "matrix_transpose with a number of rows that is not constant is")?;
        let length = matrix.data_type.vector_of().map_or(0, |(_, length)| length);
        rows_of(length, known).map_err(|error| error.at(rows.position.or(matrix.position)))?;
        vector_call(VectorFunction::MatrixTranspose, vec![matrix, rows])
    }

    /// Two vectors as vectors of one type of elements; none if a side is neither a vector nor of
    /// unknown type.
    fn vectors_of_own_lengths(&mut self, left: &Expression, right: &Expression) -> Result<Option<Pair>> {
        let (l, r) = (left.data_type, right.data_type);
        let known = match (l.vector_of(), r.vector_of()) {
            (Some((a, _)), Some((b, _))) => a.max(b),
            (Some((known, _)), None) if r == DataType::Null => known,
            (None, Some((known, _))) if l == DataType::Null => known,
            _ => return Ok(None),
        };
        let mut lengths = [0; 2];
        let mut side_of = |side: &Expression, length: &mut u32| {
            let own = match (&side.kind, side.data_type.vector_of()) {
                (_, Some((_, own))) => own.to_string(),
                // A text says itself how long it is.
                (ExpressionKind::Constant(Value::Text(text)), None) => (text.matches(',').count() + 1).to_string(),
                (ExpressionKind::Parameter(index), None) => {
                    return Err(undetermined(*index as usize).at(side.position));
                }
                _ => {
                    let error = Error::new(ErrorKind::IndeterminateType, "could not determine the length of a vector");
                    return Err(error.at(side.position).with_hint("Cast the NULL: NULL::vector(3)."));
                }
            };
            let to = type_limits::vector(known, &own).map_err(|error| error.at(side.position))?;
            *length = to.vector_of().map_or(0, |(_, length)| length);
            self.coerce(side.clone(), to, Coercion::Implicit)
        };
        let sides = [side_of(left, &mut lengths[0])?, side_of(right, &mut lengths[1])?];
        Ok(Some(Pair { of: known, sides, lengths }))
    }

    /// The sides of `||` with an array for a vector that is beside an array of numbers or a number.
    pub(super) fn array_beside_vector(
        &mut self,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression)> {
        let is_array_beside = |of: DataType| of.is_numeric() || is_array_of_numbers(of);
        if left.data_type.is_vector() && is_array_beside(right.data_type) {
            return Ok((self.array_if_vector(left)?, right));
        }
        if right.data_type.is_vector() && is_array_beside(left.data_type) {
            let right = self.array_if_vector(right)?;
            return Ok((left, right));
        }
        Ok((left, right))
    }

    /// `subvector(a, start, count)`.
    fn subvector(&mut self, [vector, start, count]: [Expression; 3]) -> Result<Expression> {
        let position = vector.position;
        let mut bound = |bound: Expression| {
            let bound = self.coerce(bound, DataType::Integer, Coercion::Implicit)?;
            constant_integer(&bound, "subvector with a start or a count that is not constant is")
        };
        let (start, count) = (bound(start)?, bound(count)?);
        part(vector, start, count).map_err(|error| error.at(position))
    }
}

/// Whether a value beside a vector is read as one: a literal of unknown type, an array of numbers.
fn becomes_vector(of: DataType) -> bool {
    of == DataType::Null || is_array_of_numbers(of)
}

/// Whether it is an array of numbers, as vectors are made of.
pub(super) fn is_array_of_numbers(of: DataType) -> bool {
    of.element().is_some_and(DataType::is_numeric) && !of.is_zero_based()
}

/// Whether a function takes an array at a place that a vector may be instead.
fn takes_array(name: &str, place: usize) -> bool {
    // These are other functions, too, and are described as such.
    let is_one = matches!((name, place), ("contains" | "length" | "array_length", 0) | ("width_bucket", 1));
    is_one || registry::takes_array(name, place)
}

/// A hint for an error that says that values of a type cannot be compared, if they are vectors.
pub(crate) fn with_cast_hint(error: Error, of: DataType) -> Error {
    let array = of.element().unwrap_or(of).vector_as_array();
    match of.is_vector() {
        true => error.with_hint(format!("Vectors have no equality and no order: cast it to {array}.")),
        false if array.element().is_some() && of.element() != Some(array) => {
            error.with_hint("Vectors have no equality and no order, and arrays of them have none.")
        }
        false => error,
    }
}

/// The integer that an expression is; 0A000 if it is none that is known, since the length of what is made would not be.
fn constant_integer(expression: &Expression, what: &str) -> Result<i64> {
    match fold::constant(expression) {
        Some(Value::Int(integer)) => Ok(*integer),
        _ => Err(Error::unsupported(what).at(expression.position)),
    }
}

/// How many rows of so many elements a matrix has, or columns; 22000 if these are not all elements.
fn rows_of(length: u32, each: i64) -> Result<u32> {
    match u32::try_from(each) {
        Ok(each) if each > 0 && length.is_multiple_of(each) => Ok(length / each),
        _ => {
            let message = format!("a matrix of {length} elements has no rows or columns of {each}");
            Err(Error::new(ErrorKind::VectorLength, message))
        }
    }
}

/// So many elements from a place on; 22000 if there are not so many.
fn part(vector: Expression, start: i64, count: i64) -> Result<Expression> {
    let (element, length) = vector.data_type.vector_of().ok_or_else(|| Error::internal("a part of no vector"))?;
    let fits = start >= 1 && count >= 1 && start.saturating_add(count) - 1 <= i64::from(length);
    let (true, Ok(kept)) = (fits, u32::try_from(count)) else {
        let message = format!("a vector of {length} dimensions has no {count} elements from {start} on");
        return Err(Error::new(ErrorKind::VectorLength, message).at(vector.position));
    };
    let position = vector.position;
    let start = Expression::constant(Value::Int(start), DataType::Integer);
    let to = DataType::vector(element, kept);
    Ok(fold::call(Function::Vector(VectorFunction::Part), vec![vector, start], to).at(position))
}
