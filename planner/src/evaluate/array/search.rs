//! Elements that are looked for: ANY and ALL, what contains what, positions, and what is taken out or replaced.

use super::{Array, Arrays};
use crate::error::{Error, Result};
use crate::evaluate::like::LikePattern;
use crate::evaluate::{long_sort, pattern};
use crate::function::Comparison;
use crate::meter;
use crate::value::Value;
use std::cmp::Ordering;

/// Whether two values are the same; NULL is the same as NULL.
fn is_same(a: &Value, b: &Value) -> bool {
    a.compare(b) == Ordering::Equal
}

/// What a comparison of two values that are not NULL gives.
fn holds(comparison: Comparison, value: &Value, element: &Value) -> Result<bool> {
    use Comparison as C;
    if comparison.is_pattern() {
        let (Value::Text(text), Value::Text(pattern)) = (value, element) else {
            return Err(Error::internal("a pattern is matched against a text"));
        };
        if matches!(comparison, C::Matches | C::NotMatches | C::MatchesAnyCase | C::NotMatchesAnyCase) {
            let ignores_case = matches!(comparison, C::MatchesAnyCase | C::NotMatchesAnyCase);
            let found = pattern::is_match(text, pattern, ignores_case)?;
            return Ok(found == matches!(comparison, C::Matches | C::MatchesAnyCase));
        }
        let pattern = match comparison {
            C::Like | C::NotLike => LikePattern::new(pattern, None)?,
            _ => LikePattern::ignoring_case(pattern, None)?,
        };
        return Ok(pattern.matches_long(text)? == matches!(comparison, C::Like | C::ILike));
    }
    let order = value.compare(element);
    Ok(match comparison {
        C::Equal => order.is_eq(),
        C::NotEqual => order.is_ne(),
        C::Less => order.is_lt(),
        C::LessEqual => order.is_le(),
        C::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}

impl Arrays<'_> {
    /// `value op ANY (array)`, decided by TRUE, or ALL, decided by FALSE. Of no elements even NULL is FALSE, or TRUE.
    pub(super) fn quantified(&self, comparison: Comparison, decisive: bool) -> Result<Value> {
        let Some(array) = self.array(1)? else { return Ok(Value::Null) };
        let value = self.value(0);
        let mut unknown = false;
        for element in &array.elements {
            meter::spend(8)?;
            if value.is_null() || element.is_null() {
                unknown = true;
            } else if holds(comparison, value, element)? == decisive {
                return Ok(Value::Boolean(decisive));
            }
        }
        Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
    }

    /// Whether each element of the second array is one of the first's. A NULL equals none.
    pub(super) fn contains(&self) -> Result<bool> {
        let (all, some) = (self.known(0)?, self.known(1)?);
        let all = sorted(all)?;
        Ok(some.elements.iter().all(|element| !element.is_null() && is_among(&all, element)))
    }

    /// The element that is there most often, of several the first; equal ones lie side by side.
    pub(super) fn mode(&self) -> Result<Value> {
        let elements = self.known(0)?.elements;
        let mut best: &[Value] = &[];
        for run in elements.chunk_by(is_same) {
            if run.len() > best.len() {
                best = run;
            }
        }
        Ok(best.first().cloned().unwrap_or(Value::Null))
    }

    /// Whether the arrays have an element in common.
    pub(super) fn overlaps(&self) -> Result<bool> {
        let (left, right) = (self.known(0)?, self.known(1)?);
        let left = sorted(left)?;
        Ok(right.elements.iter().any(|element| !element.is_null() && is_among(&left, element)))
    }

    fn in_one_dimension(&self, what: &str) -> Result<Option<Array>> {
        let array = self.array(0)?;
        if array.as_ref().is_some_and(|array| array.bounds.len() > 1) {
            return Err(Error::unsupported(format!("{what} multidimensional arrays is")));
        }
        Ok(array)
    }

    /// The subscript of the first element that is the same, from a subscript on.
    pub(super) fn position(&self) -> Result<Value> {
        let Some(array) = self.in_one_dimension("searching for elements in")? else { return Ok(Value::Null) };
        let Some(bound) = array.bounds.first() else { return Ok(Value::Null) };
        let start = match self.call.arguments.get(2) {
            None => i64::from(bound.lower),
            Some(Value::Null) => {
                let message = "initial position must not be null";
                return Err(Error::new(crate::ErrorKind::NullNotAllowed, message));
            }
            Some(_) => self.call.int(2)?,
        };
        let subscripts = array.elements.iter().zip(i64::from(bound.lower)..);
        let mut found = subscripts.filter(|(element, at)| *at >= start && is_same(element, self.value(1)));
        Ok(found.next().map_or(Value::Null, |(_, at)| Value::Int(at)))
    }

    /// The subscripts of all elements that are the same: an array of integers.
    pub(super) fn positions(&self) -> Result<Value> {
        let Some(array) = self.in_one_dimension("searching for elements in")? else { return Ok(Value::Null) };
        let lower = array.bounds.first().map_or(1, |bound| i64::from(bound.lower));
        let subscripts = array.elements.iter().zip(lower..);
        let found = subscripts.filter(|(element, _)| is_same(element, self.value(1)));
        let found = Array::of(found.map(|(_, at)| Value::Int(at)).collect());
        Ok(Value::text(found.encode(crate::types::DataType::Integer)))
    }

    pub(super) fn remove(&self) -> Result<Value> {
        let Some(array) = self.in_one_dimension("removing elements from")? else { return Ok(Value::Null) };
        let mut array = array;
        array.elements.retain(|element| !is_same(element, self.value(1)));
        if let Some(bound) = array.bounds.first_mut() {
            bound.length = array.elements.len();
        }
        Ok(self.encoded(&Array::checked(array.bounds, array.elements)?))
    }

    pub(super) fn replace(&self) -> Result<Value> {
        let Some(mut array) = self.array(0)? else { return Ok(Value::Null) };
        for element in array.elements.iter_mut().filter(|element| is_same(element, self.value(1))) {
            *element = self.value(2).clone();
        }
        Ok(self.encoded(&array))
    }
}

/// The elements that are not NULL, in order.
fn sorted(array: Array) -> Result<Vec<Value>> {
    let mut elements = array.elements;
    elements.retain(|element| !element.is_null());
    long_sort::sorted(elements, Value::compare)
}

fn is_among(sorted: &[Value], element: &Value) -> bool {
    sorted.binary_search_by(|other| other.compare(element)).is_ok()
}
