//! The values on the way of a path, and why a walk ends.

use super::super::Json;
use super::super::change::are_equal_scalars;
use super::moment::Moment;
use super::tree::Comparison;
use crate::error::{Error, ErrorKind, SqlJsonFault as Fault};
use crate::numeric::Numeric;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Why a walk has ended.
#[derive(Debug)]
pub(super) enum Fail {
    Soft(Error),
    Hard(Error),
}

/// Whether to go on.
pub(super) type Flow = Result<bool, Fail>;

/// What takes the values that a node gives.
pub(super) type Taker<'t, 'a> = &'t mut dyn FnMut(Item<'a>) -> Flow;

pub(super) fn soft(fault: Fault, message: impl Into<String>) -> Fail {
    Fail::Soft(Error::new(ErrorKind::SqlJson(fault), message.into()))
}

/// A value on the way.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    Json(Cow<'a, Json>),
    Moment(Moment),
}

impl<'a> Item<'a> {
    pub(super) fn owned(json: Json) -> Self {
        Item::Json(Cow::Owned(json))
    }

    pub(super) fn plain(word: impl Into<String>) -> Self {
        Item::owned(Json::Plain(word.into()))
    }

    /// The value as JSON; a date or time is a string.
    pub(super) fn into_json(self) -> Json {
        match self {
            Item::Json(json) => json.into_owned(),
            Item::Moment(moment) => Json::String(moment.shown()),
        }
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self, Item::Json(json) if matches!(&**json, Json::Array(_)))
    }

    /// The elements of an array, and the values of an object.
    pub(super) fn parts(&self) -> Vec<Item<'a>> {
        match self {
            Item::Json(Cow::Borrowed(Json::Array(elements))) => {
                elements.iter().map(|element| Item::Json(Cow::Borrowed(element))).collect()
            }
            Item::Json(Cow::Borrowed(Json::Object(fields))) => {
                fields.iter().map(|(_, value)| Item::Json(Cow::Borrowed(value))).collect()
            }
            Item::Json(Cow::Owned(Json::Array(elements))) => {
                elements.iter().map(|element| Item::owned(element.clone())).collect()
            }
            Item::Json(Cow::Owned(Json::Object(fields))) => {
                fields.iter().map(|(_, value)| Item::owned(value.clone())).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn field(&self, key: &str) -> Option<Item<'a>> {
        match self {
            Item::Json(Cow::Borrowed(json)) => json.field(key).map(|value| Item::Json(Cow::Borrowed(value))),
            Item::Json(Cow::Owned(json)) => json.field(key).map(|value| Item::owned(value.clone())),
            Item::Moment(_) => None,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Item::Json(json) => json.kind(),
            Item::Moment(moment) => moment.type_name(),
        }
    }

    pub(super) fn number(&self) -> Option<Numeric> {
        match self {
            Item::Json(json) => match &**json {
                Json::Plain(digits) if json.kind() == "number" => Numeric::parse(digits).ok(),
                _ => None,
            },
            Item::Moment(_) => None,
        }
    }

    pub(super) fn string(&self) -> Option<&str> {
        match self {
            Item::Json(json) => match &**json {
                Json::String(text) => Some(text),
                _ => None,
            },
            Item::Moment(_) => None,
        }
    }
}

/// A number or the text of one as a double.
pub(super) fn double<'a>(item: Item<'a>) -> Result<Item<'a>, Fail> {
    let is_double = |number: f64| number.is_finite();
    if let Some(number) = item.number() {
        if !is_double(number.to_double()) {
            let message =
                "numeric argument of jsonpath item method .double() is out of range for type double precision";
            return Err(soft(Fault::NonNumeric, message));
        }
        return Ok(item);
    }
    let Some(text) = item.string() else {
        let message = "jsonpath item method .double() can only be applied to a string or numeric value";
        return Err(soft(Fault::NonNumeric, message));
    };
    match text
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| is_double(*number))
        .map(|number| Numeric::from_double(number, false))
    {
        Some(number) => Ok(Item::plain(number.to_string())),
        None => {
            let message = "string argument of jsonpath item method .double() is not a valid representation of a double precision number";
            Err(soft(Fault::NonNumeric, message))
        }
    }
}

/// A comparison of two values; none if they do not compare.
pub(super) fn compare(comparison: Comparison, a: &Item<'_>, b: &Item<'_>) -> Result<Option<bool>, Fail> {
    let order = match (a, b) {
        (Item::Moment(a), Item::Moment(b)) => a.compare(b).map_err(Fail::Hard)?,
        (Item::Json(x), Item::Json(y)) => {
            let (kind, other) = (x.kind(), y.kind());
            if kind != other {
                let has_null = kind == "null" || other == "null";
                return Ok(has_null.then_some(comparison == Comparison::NotEqual));
            }
            match (&**x, &**y) {
                (Json::String(a), Json::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
                _ if kind == "number" => match (a.number(), b.number()) {
                    (Some(a), Some(b)) => Some(a.compare(&b)),
                    _ => None,
                },
                (Json::Plain(x), Json::Plain(y))
                    if are_equal_scalars(&Json::Plain(x.clone()), &Json::Plain(y.clone())) =>
                {
                    Some(Ordering::Equal)
                }
                // false comes before true.
                (Json::Plain(x), Json::Plain(_)) => Some(if x == "true" { Ordering::Greater } else { Ordering::Less }),
                _ => None,
            }
        }
        _ => None,
    };
    Ok(order.map(|order| match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterEqual => order.is_ge(),
    }))
}
