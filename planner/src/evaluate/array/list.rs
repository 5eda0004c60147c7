//! Arrays as lists: filled, sorted, turned round, without repetitions, and one value of all elements.

use super::{Array, Arrays, Bound, ELEMENTS_MAX, measure, spread, too_large};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::text::BYTES_MAX;
use crate::evaluate::{long_sort, mismatch};
use crate::function::{ArrayFunction, ListTotal, SortKeyOrder};
use crate::meter::{self, Room};
use crate::numeric::Numeric;
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// The value of one of these functions that NULL arguments need not make NULL; none if it is another.
pub(super) fn apply_to_nulls(arrays: &Arrays, function: ArrayFunction) -> Result<Option<Value>> {
    use ArrayFunction as A;
    Ok(Some(match function {
        A::Fill => arrays.fill()?,
        A::Labels => arrays.labels()?,
        A::List(function) => return measure::apply_to_nulls(arrays, function),
        _ => return Ok(None),
    }))
}

/// The value of one of these functions; none if it is another. No argument is NULL.
pub(super) fn apply(arrays: &Arrays, function: ArrayFunction) -> Result<Option<Value>> {
    use ArrayFunction as A;
    Ok(Some(match function {
        A::Trim => arrays.trim()?,
        A::Sort(order) => arrays.sorted_as(order)?,
        A::Reverse => {
            let (bounds, width, elements) = arrays.parts(0)?;
            let elements = elements.chunks(width).rev().flatten().cloned().collect();
            arrays.encoded(&Array { bounds, elements })
        }
        A::Distinct => arrays.encoded(&Array::of(distinct(arrays.known(0)?.elements))),
        A::Flatten => arrays.encoded(&Array::of(arrays.known(0)?.elements)),
        A::HasElement => {
            let array = arrays.known(0)?;
            Value::Boolean(array.elements.iter().any(|element| is_same(element, arrays.value(1))))
        }
        A::Intersect => {
            let theirs: FxHashSet<Value> = arrays.known(1)?.elements.into_iter().map(Value::group_key).collect();
            let both = distinct(arrays.known(0)?.elements);
            let both = both.into_iter().filter(|element| theirs.contains(&element.clone().group_key())).collect();
            arrays.encoded(&Array::of(both))
        }
        A::Extract => {
            let elements = arrays.known(0)?.elements;
            let place = from_start(arrays.call.int(1)?, elements.len());
            let found = usize::try_from(place - 1).ok().and_then(|place| elements.get(place).cloned());
            found.unwrap_or(Value::Null)
        }
        A::SliceOfList => arrays.slice_of_list()?,
        A::Total(total) => arrays.total(total)?,
        A::List(function) => return measure::apply(arrays, function),
        A::Range { with_end } => arrays.range(with_end)?,
        A::BucketAmong => {
            let thresholds = arrays.known(1)?;
            if thresholds.bounds.len() > 1 {
                return Err(Error::new(ErrorKind::ArraySubscript, "thresholds must be one-dimensional array"));
            }
            if thresholds.elements.iter().any(Value::is_null) {
                return Err(Error::new(ErrorKind::NullNotAllowed, "thresholds array must not contain NULLs"));
            }
            let is_before = |threshold: &Value| threshold.compare(arrays.value(0)).is_le();
            Value::Int(thresholds.elements.partition_point(is_before) as i64)
        }
        _ => return Ok(None),
    }))
}

fn is_same(a: &Value, b: &Value) -> bool {
    a.compare(b) == Ordering::Equal
}

/// A place from 1 for one that, if it is negative, counts from the end.
fn from_start(place: i64, length: usize) -> i64 {
    if place < 0 { place.saturating_add(length as i64 + 1) } else { place }
}

/// How parts of an array of several dimensions compare: a NULL is greater than all else.
fn compare_parts(a: &[Value], b: &[Value]) -> Ordering {
    let element = |(a, b): (&Value, &Value)| match (a.is_null(), b.is_null()) {
        (false, false) => a.compare(b),
        (a, b) => a.cmp(&b),
    };
    a.iter().zip(b).map(element).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Each value that is not NULL once, where it is first.
fn distinct(elements: Vec<Value>) -> Vec<Value> {
    let mut known = FxHashSet::default();
    let is_new = |element: &Value| !element.is_null() && known.insert(element.clone().group_key());
    elements.into_iter().filter(is_new).collect()
}

impl Arrays<'_> {
    /// The elements of an array of at most one dimension.
    pub(super) fn list(&self, at: usize) -> Result<Vec<Value>> {
        let array = self.known(at)?;
        if array.bounds.len() > 1 {
            return Err(Error::unsupported("the places of the parts of a multidimensional array in their order are"));
        }
        Ok(array.elements)
    }

    /// The elements of an array, how many of them a part of its first dimension has, and its bounds, from 1 on.
    fn parts(&self, at: usize) -> Result<(Vec<Bound>, usize, Vec<Value>)> {
        let Array { bounds, elements } = self.known(at)?;
        let bounds: Vec<Bound> = bounds.iter().map(|bound| Bound::from_one(bound.length)).collect();
        let width = elements.len() / bounds.first().map_or(1, |bound| bound.length).max(1);
        Ok((bounds, width.max(1), elements))
    }

    /// `array_fill(element, lengths[, lower bounds])`.
    fn fill(&self) -> Result<Value> {
        let integers = |at: usize| -> Result<Vec<i64>> {
            if self.value(at).is_null() {
                let message = "dimension array or low bound array cannot be null";
                return Err(Error::new(ErrorKind::NullNotAllowed, message));
            }
            let array = Array::decode(self.call.text(at)?, DataType::Integer).unwrap_or_default();
            if array.bounds.len() > 1 {
                let error = Error::new(ErrorKind::ArraySubscript, "wrong number of array subscripts");
                return Err(error.with_detail("Dimension array must be one dimensional."));
            }
            let integer = |value: &Value| match value {
                Value::Int(number) => Ok(*number),
                _ => Err(Error::new(ErrorKind::NullNotAllowed, "dimension values cannot be null")),
            };
            array.elements.iter().map(integer).collect()
        };
        let lengths = integers(1)?;
        let lowers = match self.call.arguments.len() {
            3 => integers(2)?,
            _ => vec![1; lengths.len()],
        };
        if lowers.len() != lengths.len() {
            let error = Error::new(ErrorKind::ArraySubscript, "wrong number of array subscripts");
            return Err(error.with_detail("Low bound array has different size than dimensions array."));
        }
        let mut count = 1_usize;
        let mut bounds = Vec::with_capacity(lengths.len());
        for (length, lower) in lengths.iter().zip(&lowers) {
            let length = usize::try_from(*length).map_err(|_| too_large())?;
            count = count.checked_mul(length).filter(|count| *count <= ELEMENTS_MAX).ok_or_else(too_large)?;
            bounds.push(Bound { lower: *lower as i32, length });
        }
        if bounds.is_empty() || count == 0 {
            return Ok(self.encoded(&Array::default()));
        }
        let mut room = Room::default();
        room.hold(count.saturating_mul(size_of::<Value>()))?;
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            meter::spend(8)?;
            elements.push(self.value(0).clone());
        }
        Ok(self.encoded(&Array::checked(bounds, elements)?))
    }

    /// `trim_array(array, n)`: the rest of the first dimension.
    fn trim(&self) -> Result<Value> {
        let mut array = self.known(0)?;
        let count = self.call.int(1)?;
        let length = array.bounds.first().map_or(0, |bound| bound.length);
        let Some(count) = usize::try_from(count).ok().filter(|count| *count <= length) else {
            let message = format!("number of elements to trim must be between 0 and {length}");
            return Err(Error::new(ErrorKind::ArraySubscript, message));
        };
        let kept = length - count;
        array.elements.truncate(array.elements.len() / length.max(1) * kept);
        if let Some(bound) = array.bounds.first_mut() {
            // A slice's subscripts begin at 1.
            bound.length = kept;
        }
        array.bounds.iter_mut().for_each(|bound| bound.lower = 1);
        Ok(self.encoded(&Array::checked(array.bounds, array.elements)?))
    }

    fn sorted_as(&self, order: SortKeyOrder) -> Result<Value> {
        let (bounds, width, elements) = self.parts(0)?;
        if bounds.len() > 1 {
            // Parts are ordered as arrays are.
            let SortOrder { descending, .. } = order.into();
            meter::spend(elements.len().saturating_mul(200))?;
            let mut parts: Vec<&[Value]> = elements.chunks(width).collect();
            parts.sort_by(|a, b| if descending { compare_parts(b, a) } else { compare_parts(a, b) });
            let elements = parts.into_iter().flatten().cloned().collect();
            return Ok(self.encoded(&Array { bounds, elements }));
        }
        let elements = long_sort::sorted(elements, measure::ordering(order))?;
        Ok(self.encoded(&Array::of(elements)))
    }

    /// `list_slice(array, first, last[, step])`.
    fn slice_of_list(&self) -> Result<Value> {
        let elements = self.known(0)?.elements;
        let step = if self.call.arguments.len() > 3 { self.call.int(3)? } else { 1 };
        if step == 0 {
            return Err(Error::new(ErrorKind::InvalidParameter, "slice step cannot be zero"));
        }
        let (length, size) = (elements.len() as i64, usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX));
        let [from, to] = [self.call.int(1)?, self.call.int(2)?].map(|place| from_start(place, elements.len()));
        // Backwards the first place is the one that is further on.
        let (low, high) = if step > 0 { (from.max(1), to.min(length)) } else { (to.max(1), from.min(length)) };
        if high < low {
            return Ok(self.encoded(&Array::default()));
        }
        let part = elements.into_iter().skip((low - 1) as usize).take((high - low + 1) as usize);
        let part = if step > 0 { part.step_by(size).collect() } else { part.rev().step_by(size).collect() };
        Ok(self.encoded(&Array::of(part)))
    }

    /// Bigints from a start to a stop.
    fn range(&self, with_end: bool) -> Result<Value> {
        let (start, stop, step) = (self.call.int(0)?, self.call.int(1)?, self.call.int(2)?);
        if step == 0 {
            return Err(Error::new(ErrorKind::InvalidParameter, "step size cannot equal zero"));
        }
        let way = (i128::from(stop) - i128::from(start)) * i128::from(step.signum());
        let size = i128::from(step.unsigned_abs());
        let count = match way {
            ..0 => 0,
            way if with_end => way / size + 1,
            way => (way + size - 1) / size,
        };
        let count = usize::try_from(count).ok().filter(|count| *count <= BYTES_MAX / 17).ok_or_else(too_large)?;
        let mut room = Room::default();
        room.hold(count.saturating_mul(size_of::<Value>()))?;
        let mut numbers = Vec::with_capacity(count);
        for place in 0..count {
            meter::spend(4)?;
            numbers.push(Value::Int(start.wrapping_add(step.wrapping_mul(place as i64))));
        }
        Ok(self.encoded(&Array::of(numbers)))
    }

    /// `enum_range(first, last)`; behind them the number of labels.
    fn labels(&self) -> Result<Value> {
        let bound = |at: usize, otherwise: i64| match self.value(at) {
            Value::Null => Ok(otherwise),
            Value::Int(place) => Ok(*place),
            other => Err(mismatch(other, self.element)),
        };
        let last = self.element.labels().map_or(0, <[_]>::len) as i64 - 1;
        let labels = (bound(0, 0)?..=bound(1, last)?).map(Value::Int).collect();
        Ok(self.encoded(&Array::of(labels)))
    }

    /// An element as a double.
    fn double(&self, value: &Value) -> Result<f64> {
        Ok(match value {
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            Value::Decimal(_) | Value::Numeric(_) => self.numeric(value)?.to_double(),
            other => return Err(mismatch(other, DataType::Double)),
        })
    }

    fn numeric(&self, value: &Value) -> Result<Numeric> {
        Ok(match value {
            Value::Int(number) => Numeric::from_integer(*number),
            Value::Decimal(unscaled) => Numeric::new(*unscaled, u32::from(self.element.scale())),
            Value::Numeric(number) => (**number).clone(),
            other => return Err(mismatch(other, DataType::Numeric)),
        })
    }

    /// One value of the elements that are not NULL.
    fn total(&self, total: ListTotal) -> Result<Value> {
        use ListTotal as L;
        let mut elements = self.known(0)?.elements;
        elements.retain(|element| !element.is_null());
        let count = elements.len();
        match total {
            L::Count => return Ok(Value::Int(count as i64)),
            L::CountDistinct => return Ok(Value::Int(distinct(elements).len() as i64)),
            L::Entropy => return Ok(Value::Float(spread::entropy(elements))),
            _ if count == 0 => return Ok(Value::Null),
            _ => {}
        }
        Ok(match total {
            L::BitAnd | L::BitOr | L::BitXor => return bits(total, &elements),
            L::Sum if self.element.is_float() => {
                let mut sum = 0.0;
                for element in &elements {
                    sum += self.double(element)?;
                }
                Value::Float(sum)
            }
            L::Sum if self.element.is_integer() => {
                let number = |element: &Value| if let Value::Int(number) = element { i128::from(*number) } else { 0 };
                Value::Decimal(elements.iter().map(number).sum())
            }
            L::Sum => {
                let mut sum = Numeric::zero(0);
                for element in &elements {
                    sum = sum.add(&self.numeric(element)?)?;
                }
                Value::numeric(sum)
            }
            L::Average | L::Product => {
                let mut all = if total == L::Product { 1.0 } else { 0.0 };
                for element in &elements {
                    let number = self.double(element)?;
                    all = if total == L::Product { all * number } else { all + number };
                }
                Value::Float(if total == L::Product { all } else { all / count as f64 })
            }
            L::Median => {
                let elements = long_sort::sorted(elements, Value::compare)?;
                Value::Float(spread::median(&self.doubles(&elements)?))
            }
            L::Min => elements.into_iter().min_by(Value::compare).unwrap_or(Value::Null),
            L::Max => elements.into_iter().max_by(Value::compare).unwrap_or(Value::Null),
            L::AnyValue => elements.swap_remove(0),
            L::All => Value::Boolean(elements.iter().all(Value::is_true)),
            L::Any => Value::Boolean(elements.iter().any(Value::is_true)),
            L::Mode => most_frequent(&elements),
            L::Count | L::CountDistinct => Value::Int(count as i64),
            _ => self.spread(total, self.doubles(&elements)?).map_or(Value::Null, Value::Float),
        })
    }

    fn doubles(&self, elements: &[Value]) -> Result<Vec<f64>> {
        elements.iter().map(|element| self.double(element)).collect()
    }

    /// How far some numbers lie apart.
    fn spread(&self, total: ListTotal, numbers: Vec<f64>) -> Option<f64> {
        use ListTotal as L;
        match total {
            L::Kurtosis => spread::kurtosis(&numbers, true),
            L::KurtosisOfAll => spread::kurtosis(&numbers, false),
            L::Skewness => spread::skewness(&numbers),
            L::MedianDeviation => Some(spread::median_deviation(numbers)),
            L::StandardError => {
                spread::variance(&numbers, false).map(|variance| variance.sqrt() / (numbers.len() as f64).sqrt())
            }
            L::Deviation => spread::variance(&numbers, true).map(f64::sqrt),
            L::DeviationOfAll => spread::variance(&numbers, false).map(f64::sqrt),
            L::Variance => spread::variance(&numbers, true),
            _ => spread::variance(&numbers, false),
        }
    }
}

/// The bits of some integers, of which there is one at least.
fn bits(total: ListTotal, elements: &[Value]) -> Result<Value> {
    let mut all = None;
    for element in elements {
        let Value::Int(number) = element else { return Err(mismatch(element, DataType::BigInt)) };
        all = Some(match (all, total) {
            (None, _) => *number,
            (Some(all), ListTotal::BitAnd) => all & number,
            (Some(all), ListTotal::BitOr) => all | number,
            (Some(all), _) => all ^ number,
        });
    }
    Ok(all.map_or(Value::Null, Value::Int))
}

/// The value that is there most often, of several the first.
fn most_frequent(elements: &[Value]) -> Value {
    let mut counts = rustc_hash::FxHashMap::<Value, usize>::default();
    for element in elements {
        *counts.entry(element.clone().group_key()).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let is_most = |element: &&Value| counts.get(&(*element).clone().group_key()) == Some(&most);
    elements.iter().find(is_most).cloned().unwrap_or(Value::Null)
}
