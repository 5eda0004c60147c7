//! Arrays: ARRAY[…], subscripts and slices, operators, ANY and ALL.

use super::coercion::{Coercion, cast, castable, element_type, types_to_unify, unify_types};
use super::logical::relabel;
use super::operator::no_operator;
use super::subquery::Quantifier;
use super::{bits_function, blanks, fold, pattern::PatternOperator, structure};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::array::Array;
use crate::function::{ArrayFunction, Comparison, Function, RowFunction, type_of_word, type_word};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;

/// A subscript of an array, or a part of it.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// `[i]`.
    At(Expression),
    /// `[i:j]`, either of which may be left out.
    Slice(Option<Expression>, Option<Expression>),
}

/// What `ANY` and `ALL` ask of each element.
#[derive(Clone, Copy, Debug)]
pub enum ElementTest {
    /// A comparison.
    Compare(Function),
    /// LIKE and its kin.
    Match(PatternOperator),
}

/// The element type of an array of values of this type: an array has no lengths.
pub(super) fn element_of(data_type: DataType) -> DataType {
    match data_type {
        DataType::Varchar(_) => DataType::VARCHAR,
        DataType::Char(_) => DataType::BPCHAR,
        other if other.is_bits() => other.of_any_length(),
        other => other,
    }
}

/// The type of elements of which some are in an expression of unknown type.
fn beside(element: DataType, unknown: &Expression) -> DataType {
    if matches!(unknown.kind, ExpressionKind::Constant(Value::Null)) { element } else { element_type(element) }
}

/// A call of a function of arrays of this element type.
pub(super) fn array_call(
    function: ArrayFunction,
    element: DataType,
    arguments: Vec<Expression>,
    to: DataType,
) -> Expression {
    fold::call(Function::Array(function, carried(element)), arguments, to)
}

/// The type of an array's elements as functions have it: rows are texts.
pub(super) fn carried(element: DataType) -> DataType {
    if element.fields().is_some() { DataType::Text } else { element }
}

/// The type of an array as functions have it: of rows one of texts.
pub(super) fn carried_array(array: DataType) -> DataType {
    match array.element() {
        Some(element) if element.fields().is_some() => DataType::list(DataType::Text),
        _ => array,
    }
}

/// Whether arrays of these elements that are equal can have different texts.
fn has_forms(element: DataType) -> bool {
    element.is_exact() || element == DataType::Interval
}

/// What an array of rows is compared by; none of another value, and of rows with fields that are rows.
pub(super) fn key_of_rows(array: &Expression) -> Option<Expression> {
    let fields = array.data_type.element()?.fields()?;
    let word = |(_, of): &(String, DataType)| {
        let is_plain = of.fields().is_none() && of.element().is_none_or(|of| of.fields().is_none());
        Some(type_word(*of)).filter(|word| is_plain && type_of_word(word) == Some(*of))
    };
    let words = fields.iter().map(word).collect::<Option<Vec<String>>>()?.join(";");
    let texts = relabel(array.clone(), DataType::list(DataType::Text));
    let words = Expression::constant(Value::text(words), DataType::Text);
    Some(fold::call(Function::Row(RowFunction::Key), vec![texts, words], DataType::Text).at(array.position))
}

/// What an array or a struct is compared by.
pub(super) fn compared(array: Expression) -> Expression {
    if let Some(key) = key_of_rows(&array) {
        return key;
    }
    match array.data_type.element() {
        _ if array.data_type.is_of_structs() => structure::compared(array),
        Some(element) if has_forms(element) => array_call(ArrayFunction::Key, element, vec![array], DataType::Text),
        _ => array,
    }
}

impl Builder<'_> {
    /// `ARRAY[a, b, …]`: of arrays, one of a dimension more.
    pub fn array(&mut self, items: Vec<Expression>, position: Option<Position>) -> Result<Expression> {
        if items.is_empty() {
            let error = Error::new(ErrorKind::IndeterminateType, "cannot determine type of empty array");
            let hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[].";
            return Err(error.with_hint(hint).at(position));
        }
        let items = self.unify(items, "ARRAY")?;
        let common = items[0].data_type;
        if let Some(element) = common.element() {
            return Ok(array_call(ArrayFunction::MakeOfArrays, element, items, common).at(position));
        }
        let element = element_of(common);
        let items = items.into_iter().map(|item| self.coerce(item, element, Coercion::Implicit));
        let items = items.collect::<Result<Vec<_>>>()?;
        Ok(array_call(ArrayFunction::Make, element, items, DataType::list(element)).at(position))
    }

    /// `ARRAY[]::type[]`, where `to` is that type.
    pub fn empty_array(&self, to: DataType) -> Option<Expression> {
        let element = to.element()?;
        Some(Expression::constant(Value::text(Array::default().encode(element)), to))
    }

    /// `array[i]`, `array[i][j:k]`: if one is a slice, all are.
    pub fn subscripts(&mut self, array: Expression, subscripts: Vec<Subscript>) -> Result<Expression> {
        let (data_type, position) = (array.data_type, array.position);
        if data_type == DataType::Jsonb {
            return self.jsonb_subscripts(array, subscripts);
        }
        if data_type.is_vector() {
            return self.vector_subscripts(array, subscripts);
        }
        let Some(element) = data_type.element() else {
            let message = format!("cannot subscript type {data_type} because it does not support subscripting");
            return Err(Error::new(ErrorKind::TypeMismatch, message).at(position));
        };
        let slices = subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..)));
        let bound = |value: i64| Expression::constant(Value::Int(value), DataType::BigInt);
        let mut arguments = vec![array];
        for subscript in subscripts {
            let (lower, upper) = match subscript {
                Subscript::At(at) if !slices => {
                    arguments.push(self.subscript(at)?);
                    continue;
                }
                Subscript::At(upper) => (bound(1), self.subscript(upper)?),
                Subscript::Slice(lower, upper) => {
                    let lower = lower.map(|lower| self.subscript(lower)).transpose()?;
                    let upper = upper.map(|upper| self.subscript(upper)).transpose()?;
                    (lower.unwrap_or_else(|| bound(i64::MIN)), upper.unwrap_or_else(|| bound(i64::MAX)))
                }
            };
            arguments.extend([lower, upper].map(|side| cast(side, DataType::BigInt, Coercion::Implicit)));
        }
        let call = if slices {
            array_call(ArrayFunction::Slice, element, arguments, DataType::list(element))
        } else {
            array_call(ArrayFunction::Element, element, arguments, element)
        };
        Ok(call.at(position))
    }

    pub(super) fn subscript(&mut self, value: Expression) -> Result<Expression> {
        let position = value.position;
        self.coerce(value, DataType::Integer, Coercion::Assignment).map_err(|error| match error.kind() {
            ErrorKind::TypeMismatch => {
                Error::new(ErrorKind::TypeMismatch, "array subscript must have type integer").at(position)
            }
            _ => error,
        })
    }

    /// Two arrays as arrays of one type; `spelling` is that of the operator, for the error.
    pub(super) fn one_array_type(
        &mut self,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression, DataType)> {
        let (l, r) = (left.data_type, right.data_type);
        let fails = |position| Err(no_operator(spelling, l, r, position));
        let (left, right) = (self.array_if_vector(left)?, self.array_if_vector(right)?);
        let common = match (left.data_type.element(), right.data_type.element()) {
            (Some(a), Some(b)) => match common_element(a, b) {
                Some(common) => common,
                None => return fails(left.position),
            },
            (Some(known), None) if r == DataType::Null => beside(known, &right),
            (None, Some(known)) if l == DataType::Null => beside(known, &left),
            _ => return fails(left.position),
        };
        let common = common.of_any_length();
        let list = DataType::list(common);
        let left = self.coerce(left, list, Coercion::Implicit)?;
        Ok((left, self.coerce(right, list, Coercion::Implicit)?, common))
    }

    /// [`Builder::one_array_type`], whose elements are told apart.
    pub(super) fn one_array_type_of_equals(
        &mut self,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<(Expression, Expression, DataType)> {
        let position = left.position.or(right.position);
        let (left, right, element) = self.one_array_type(spelling, left, right)?;
        told_apart(element, position)?;
        Ok((left, right, element))
    }

    /// `a @> b` or `a && b` of arrays.
    pub(super) fn array_relation(
        &mut self,
        function: ArrayFunction,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        let (left, right, element) = self.one_array_type_of_equals(spelling, left, right)?;
        Ok(array_call(function, element, vec![left, right], DataType::Boolean))
    }

    /// `a || b` where one is an array: arrays behind each other, or an element at an end.
    pub(super) fn concatenate_arrays(&mut self, left: Expression, right: Expression) -> Result<Expression> {
        let (l, r) = (left.data_type, right.data_type);
        let is_array = |data_type: DataType| data_type.element().is_some() || data_type == DataType::Null;
        if is_array(l) && is_array(r) {
            let (left, right, element) = self.one_array_type("||", left, right)?;
            return Ok(array_call(ArrayFunction::Concatenate, element, vec![left, right], DataType::list(element)));
        }
        let position = left.position;
        let placed = match l.element() {
            Some(_) => self.array_and_element(left, right)?.map(|(array, element, of)| {
                array_call(ArrayFunction::Append, of, vec![array, element], DataType::list(of))
            }),
            None => self.array_and_element(right, left)?.map(|(array, element, of)| {
                array_call(ArrayFunction::Prepend, of, vec![element, array], DataType::list(of))
            }),
        };
        placed.ok_or_else(|| no_operator("||", l, r, position))
    }

    /// An array and a value that is to be one of its elements, both of one type; none where there is no such type.
    pub(super) fn array_and_element(
        &mut self,
        array: Expression,
        value: Expression,
    ) -> Result<Option<(Expression, Expression, DataType)>> {
        let of = match (array.data_type.element(), value.data_type) {
            (Some(element), DataType::Null) => beside(element, &value),
            (Some(element), value) => match common_element(element, element_of(value)) {
                Some(common) => common,
                None => return Ok(None),
            },
            (None, value) if array.data_type == DataType::Null && value != DataType::Null => {
                beside(element_of(value), &array)
            }
            _ => return Ok(None),
        };
        let of = of.of_any_length();
        let array = self.coerce(array, DataType::list(of), Coercion::Implicit)?;
        let value = self.coerce(value, of, Coercion::Implicit)?;
        Ok(Some((array, value, of)))
    }

    /// [`Builder::array_and_element`], of which the element is looked for among those of the array.
    pub(super) fn array_and_wanted(
        &mut self,
        array: Expression,
        value: Expression,
    ) -> Result<Option<(Expression, Expression, DataType)>> {
        let position = array.position.or(value.position);
        let found = self.array_and_element(array, value)?;
        if let Some((_, _, element)) = &found {
            told_apart(*element, position)?;
        }
        Ok(found)
    }

    /// `value op ANY|ALL (array)`. A literal array is a list of comparisons, which plans know more of.
    pub fn quantified_array(
        &mut self,
        quantifier: Quantifier,
        test: ElementTest,
        value: Expression,
        array: Expression,
    ) -> Result<Expression> {
        let position = value.position.or(array.position);
        let array = match array.data_type {
            DataType::Null => {
                let element = match value.data_type {
                    DataType::Null => DataType::Text,
                    known => beside(element_of(known), &array),
                };
                let array = self.coerce(array, DataType::list(element), Coercion::Implicit)?;
                // Compared are texts.
                match element {
                    DataType::Name | DataType::InternalChar => self.cast_array(array, element, DataType::Text),
                    _ => array,
                }
            }
            _ => self.array_if_vector(bits_function::of_any_length(array))?,
        };
        let Some(element) = array.data_type.element() else {
            let error = Error::new(ErrorKind::WrongObjectType, "op ANY/ALL (array) requires array on right side");
            return Err(error.at(array.position));
        };
        if let Some(constant) = fold::constant(&array) {
            let Value::Text(encoded) = constant else {
                return Ok(Expression::constant(Value::Null, DataType::Boolean).at(position));
            };
            let elements = Array::decode(encoded, element).unwrap_or_default().elements;
            let items = elements.into_iter().map(|item| Expression::constant(item, element).at(array.position));
            return self.quantified_items(quantifier, test, value, items.collect());
        }
        let (function, negated, spelling) = match test {
            ElementTest::Compare(function) => (function, false, super::comparison::spelling(function)),
            ElementTest::Match(operator) => (operator.function, operator.negated, operator.spelling()),
        };
        let Some(comparison) = Comparison::of(function, negated) else {
            return Err(Error::unsupported(format_args!("{spelling} ANY or ALL is")).at(position));
        };
        let value = self.as_string(value);
        let (l, r) = (value.data_type, element);
        if comparison.is_pattern() && !(matches!(l, DataType::Null) || l.is_text()) {
            return Err(no_operator(spelling, l, r, position));
        }
        // The test of one element says whether there is such an operator.
        let probe = Expression::constant(Value::Null, element);
        if !comparison.is_pattern() {
            self.comparable(spelling, value.clone(), probe)?;
        }
        let wanted = if comparison.is_pattern() { DataType::Text } else { tested_type(l, r) };
        let array = self.coerce(array, DataType::list(wanted), Coercion::Explicit)?;
        let value = self.coerce(value, wanted, Coercion::Explicit)?;
        let function = match quantifier {
            Quantifier::Any => ArrayFunction::Any(comparison),
            Quantifier::All => ArrayFunction::All(comparison),
        };
        Ok(array_call(function, wanted, vec![value, array], DataType::Boolean).at(position))
    }

    /// `value op ANY|ALL (items)`.
    pub fn quantified_items(
        &mut self,
        quantifier: Quantifier,
        test: ElementTest,
        value: Expression,
        items: Vec<Expression>,
    ) -> Result<Expression> {
        let operator = match test {
            ElementTest::Compare(function) => return self.quantified_list(quantifier, function, value, items),
            ElementTest::Match(operator) => operator,
        };
        let tests = items.into_iter().map(|item| self.like(operator, value.clone(), item, None));
        let tests = tests.collect::<Result<Vec<_>>>()?;
        Ok(if quantifier == Quantifier::Any { super::or(tests) } else { super::and(tests) })
    }
}

/// Checks that elements of a type can be told apart.
///
/// # Errors
/// 42883 for those of which none is equal to another.
fn told_apart(element: DataType, position: Option<Position>) -> Result<()> {
    if element.has_equality() { Ok(()) } else { Err(blanks::no_key(element, false).at(position)) }
}

/// The type in which a value and the elements of an array are compared.
fn tested_type(value: DataType, element: DataType) -> DataType {
    match (value, element) {
        (DataType::Null, element) => element_type(element),
        (value, element) if value == element => element,
        (value, element) if value.is_numeric() && element.is_numeric() => {
            if value.is_float() || element.is_float() {
                DataType::Double
            } else if value.is_exact() || element.is_exact() {
                DataType::Numeric
            } else {
                value.max(element)
            }
        }
        (value, element) if value.is_text() && element.is_text() => DataType::Text,
        (DataType::Oid(_), _) | (_, DataType::Oid(_)) => DataType::OID,
        (value, element) if castable(value, element, Coercion::Implicit) && element != DataType::Name => element,
        (value, _) => value,
    }
}

/// The type that the elements of two arrays have in common.
fn common_element(a: DataType, b: DataType) -> Option<DataType> {
    let nulls = [a, b].map(|data_type| Expression::constant(Value::Null, data_type));
    let common = unify_types(&types_to_unify(nulls.iter()), "ARRAY").ok()?;
    // Of vectors and arrays there would be arrays of arrays, which are no type.
    Some(element_of(common)).filter(|common| common.element().is_none())
}
