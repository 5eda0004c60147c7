//! States of statistics: what is kept of the rows of a group or of a frame, whatever their order.
//!
//! Each is a monoid: states merge, and no cut of the rows into parts shows. `exact` has integers of any size in which moments are
//! computed; `bits` are bit strings; `pairs` and `shape` are moments, `product` a product, `counts` how often there is each value, `distinct` a sketch of
//! how many there are, `row` one of the rows, `nth` the first values in an order,
//! `user` whatever a program keeps. Some give rows back that they took ([`Summary::remove`]), so that they slide over
//! frames; `sliding` is the sketch that does.

pub(crate) mod bits;
pub(crate) mod counts;
pub(crate) mod distinct;
pub(crate) mod exact;
pub(crate) mod nth;
pub(crate) mod pairs;
pub(crate) mod product;
pub(crate) mod row;
pub(crate) mod shape;
pub(crate) mod sliding;
pub(crate) mod user;

#[cfg(test)]
mod tests;

use bits::BitStrings;
use counts::Counts;
use distinct::Sketch;
use multiloop_planner::error::{Error, Result};
use multiloop_planner::evaluate::statistic::{Statistic, pair_of, pair_of_text};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use nth::First;
use pairs::Pairs;
use product::Product;
use row::Row;
use shape::Shape;

/// The state of a statistic.
#[derive(Clone, Debug)]
pub(crate) enum Summary {
    /// Whether there was one, and the bits together.
    Bits(bool, i64),
    BitStrings(BitStrings),
    Product(Product),
    Pairs(Box<Pairs>),
    Shape(Box<Shape>),
    Counts(Box<Counts>),
    Distinct(Box<Sketch>),
    Row(Row),
    Nth(First),
    User(user::UserSummary),
}

impl Summary {
    /// Of no rows.
    pub(crate) fn new(kind: Statistic) -> Self {
        use Statistic as S;
        match kind {
            S::BitAnd => Summary::Bits(false, -1),
            S::BitOr | S::BitXor => Summary::Bits(false, 0),
            S::BitStringAnd | S::BitStringOr | S::BitStringXor => Summary::BitStrings(BitStrings::default()),
            S::Product => Summary::Product(Product::default()),
            S::Pair(_) => Summary::Pairs(Box::default()),
            S::Skewness | S::Kurtosis | S::KurtosisPopulation => Summary::Shape(Box::default()),
            S::Entropy | S::Histogram | S::Most(_) => Summary::Counts(Box::default()),
            S::DistinctEstimate => Summary::Distinct(Box::default()),
            S::FirstRow | S::LastRow => Summary::Row(Row::default()),
            S::Nth(_) => Summary::Nth(First::default()),
            S::User(function) => Summary::User(user::UserSummary::new(function)),
        }
    }

    /// Adds a value that is not NULL; its place is greater for later rows.
    pub(crate) fn add(&mut self, kind: Statistic, value: &Value, place: u64) -> Result<()> {
        match (self, value) {
            (Summary::Bits(any, bits), Value::Int(value)) => {
                *any = true;
                *bits = combined(kind, *bits, *value);
            }
            (Summary::BitStrings(all), Value::Text(bits)) => all.add(kind, bits)?,
            (Summary::Product(product), Value::Float(value)) => product.add(*value),
            (Summary::Pairs(pairs), Value::Interval(pair)) => {
                let (y, x) = pair_of(*pair);
                pairs.add(y, x, 1);
            }
            (Summary::Pairs(pairs), Value::Text(text)) => {
                let (y, x) = pair_of_text(text).ok_or_else(|| unexpected(kind, value))?;
                pairs.add(y, x, 1);
            }
            (Summary::Shape(shape), Value::Float(value)) => shape.add(*value, 1),
            (Summary::Counts(counts), Value::Text(text)) => counts.add(text),
            (Summary::Distinct(sketch), value) => sketch.add(distinct::hash(value)),
            (Summary::Row(row), Value::Text(text)) => row.add(text, place, kind == Statistic::LastRow),
            (Summary::Nth(first), value) if let Statistic::Nth(nth) = kind => first.add(nth, value),
            (Summary::User(state), value) => state.add(value)?,
            (_, other) => return Err(unexpected(kind, other)),
        }
        Ok(())
    }

    /// Whether rows can be taken out again.
    pub(crate) fn gives_back(&self) -> bool {
        matches!(self, Summary::Pairs(_) | Summary::Shape(_) | Summary::Counts(_))
    }

    /// Takes out a value that was added, if that can be.
    pub(crate) fn remove(&mut self, kind: Statistic, value: &Value) -> Result<()> {
        match (self, value) {
            (Summary::Pairs(pairs), Value::Interval(pair)) => {
                let (y, x) = pair_of(*pair);
                pairs.add(y, x, -1);
            }
            (Summary::Shape(shape), Value::Float(value)) => shape.add(*value, -1),
            (Summary::Counts(counts), Value::Text(text)) => counts.remove(text),
            (_, other) => return Err(unexpected(kind, other)),
        }
        Ok(())
    }

    /// Adds all rows of another one of the same kind.
    pub(crate) fn merge(&mut self, kind: Statistic, other: &Summary) -> Result<()> {
        match (self, other) {
            (Summary::Bits(any, bits), Summary::Bits(other_any, other)) => {
                *any |= other_any;
                *bits = combined(kind, *bits, *other);
            }
            (Summary::BitStrings(all), Summary::BitStrings(other)) => all.merge(kind, other)?,
            (Summary::Product(product), Summary::Product(other)) => product.merge(other),
            (Summary::Pairs(pairs), Summary::Pairs(other)) => pairs.merge(other),
            (Summary::Shape(shape), Summary::Shape(other)) => shape.merge(other),
            (Summary::Counts(counts), Summary::Counts(other)) => counts.merge(other),
            (Summary::Distinct(sketch), Summary::Distinct(other)) => sketch.merge(other),
            (Summary::Row(row), Summary::Row(other)) => row.merge(other, kind == Statistic::LastRow),
            (Summary::Nth(first), Summary::Nth(other)) if let Statistic::Nth(nth) = kind => first.merge(nth, other),
            (Summary::User(state), Summary::User(other)) => state.merge(other)?,
            _ => return Err(Error::internal("merged statistics of two kinds")),
        }
        Ok(())
    }

    /// The statistic, in a type.
    pub(crate) fn finish(&self, kind: Statistic, data_type: DataType) -> Result<Value> {
        let float = |value: Option<f64>| value.map_or(Value::Null, |value| Value::Float(value).canonical());
        Ok(match (self, kind) {
            (Summary::Bits(false, _), _) => Value::Null,
            (Summary::Bits(true, bits), _) => Value::Int(*bits),
            (Summary::BitStrings(all), _) => all.finish().map_or(Value::Null, Value::text),
            (Summary::Product(product), _) => float(product.finish()),
            (Summary::Pairs(pairs), Statistic::Pair(measure)) => float(pairs.finish(measure)?),
            (Summary::Shape(shape), kind) => float(shape.finish(kind)?),
            (Summary::Counts(counts), Statistic::Entropy) => float(counts.entropy()),
            (Summary::Counts(counts), Statistic::Most(count)) => counts.most(count as usize)?,
            (Summary::Counts(counts), _) => counts.histogram()?,
            (Summary::Distinct(sketch), _) => Value::Int(sketch.estimate()),
            (Summary::Row(row), _) => row.kept(),
            (Summary::Nth(first), Statistic::Nth(nth)) => first.finish(nth),
            (Summary::User(state), _) => state.finish()?,
            (_, kind) => return Err(Error::internal(format!("{kind:?} of {data_type} in another state"))),
        })
    }

    /// Of a place in an order the value there, behind which no value is wanted (`nth`).
    pub(crate) fn at_place(&self, kind: Statistic) -> Option<&Value> {
        match (self, kind) {
            (Summary::Nth(first), Statistic::Nth(nth)) => first.at_place(nth),
            _ => None,
        }
    }

    /// Bytes on the heap, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Summary::Bits(..) => 0,
            Summary::BitStrings(all) => all.heap_bytes(),
            Summary::Product(product) => product.heap_bytes(),
            Summary::Pairs(pairs) => size_of::<Pairs>() + pairs.heap_bytes(),
            Summary::Shape(shape) => size_of::<Shape>() + shape.heap_bytes(),
            Summary::Counts(counts) => size_of::<Counts>() + counts.heap_bytes(),
            Summary::Distinct(sketch) => size_of::<Sketch>() + sketch.heap_bytes(),
            Summary::Row(row) => row.heap_bytes(),
            Summary::Nth(first) => first.heap_bytes(),
            Summary::User(state) => state.heap_bytes(),
        }
    }

    /// Appends the state as bytes.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        match self {
            Summary::Bits(any, bits) => {
                bytes.push((*any).into());
                bytes.extend_from_slice(&bits.to_le_bytes());
            }
            Summary::BitStrings(all) => all.write_to(bytes),
            Summary::Product(product) => product.write_to(bytes),
            Summary::Pairs(pairs) => pairs.write_to(bytes),
            Summary::Shape(shape) => shape.write_to(bytes),
            Summary::Counts(counts) => counts.write_to(bytes),
            Summary::Distinct(sketch) => sketch.write_to(bytes),
            Summary::Row(row) => row.write_to(bytes),
            Summary::Nth(first) => first.write_to(bytes),
            // Only the program knows what it is.
            Summary::User(_) => {}
        }
    }

    /// Reads what [`Summary::write_to`] wrote, of at most so many rows; None of other bytes.
    pub(crate) fn read_from(kind: Statistic, bytes: &mut &[u8], count_max: u64) -> Option<Self> {
        Some(match Summary::new(kind) {
            Summary::Bits(..) => {
                let any = flag(bytes)?;
                Summary::Bits(any, i64::from_le_bytes(chunk(bytes)?))
            }
            Summary::BitStrings(_) => Summary::BitStrings(BitStrings::read_from(bytes)?),
            Summary::Product(_) => Summary::Product(Product::read_from(bytes)?),
            Summary::Pairs(_) => Summary::Pairs(Box::new(Pairs::read_from(bytes, count_max)?)),
            Summary::Shape(_) => Summary::Shape(Box::new(Shape::read_from(bytes, count_max)?)),
            Summary::Counts(_) => Summary::Counts(Box::new(Counts::read_from(bytes, count_max)?)),
            Summary::Distinct(_) => Summary::Distinct(Box::new(Sketch::read_from(bytes)?)),
            Summary::Row(_) => Summary::Row(Row::read_from(bytes)?),
            Summary::Nth(_) => {
                let Statistic::Nth(nth) = kind else { return None };
                Summary::Nth(First::read_from(nth, bytes)?)
            }
            Summary::User(_) => return None,
        })
    }
}

fn combined(kind: Statistic, a: i64, b: i64) -> i64 {
    match kind {
        Statistic::BitAnd => a & b,
        Statistic::BitOr => a | b,
        _ => a ^ b,
    }
}

fn unexpected(kind: Statistic, value: &Value) -> Error {
    Error::internal(format!("{kind:?} of {value:?}"))
}

/// The next bytes.
pub(super) fn chunk<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (chunk, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*chunk)
}

/// A length, of elements of at least so many bytes each, all of which are there.
pub(super) fn length(bytes: &mut &[u8], each: usize) -> Option<usize> {
    let length = usize::try_from(u64::from_le_bytes(chunk(bytes)?)).ok()?;
    (length.checked_mul(each)? <= bytes.len()).then_some(length)
}

/// A text, behind its length.
pub(super) fn text(bytes: &mut &[u8]) -> Option<String> {
    let length = length(bytes, 1)?;
    let (text, rest) = bytes.split_at(length);
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// A text as bytes, behind its length.
pub(super) fn write_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// A byte that is 0 or 1.
pub(super) fn flag(bytes: &mut &[u8]) -> Option<bool> {
    let [byte] = chunk(bytes)?;
    (byte <= 1).then_some(byte == 1)
}
