//! Paths walked over values.
//!
//! What a node gives is handed over value by value, so that whoever wants the first alone stops there. In lax mode a step takes
//! the elements of an array where it cannot take the array, an array's steps take any value as an array of it, and parts that are
//! not there are no errors. Errors are *soft*: within a predicate they make it unknown, and silent functions have none; others,
//! as a variable that is not given, are hard.

use super::super::Json;
use super::item::{Fail, Flow, Item, Taker, compare, double, soft};
use super::moment::Moment;
use super::tree::{Arithmetic, Method, Node, Step};
use crate::error::{Error, ErrorKind, SqlJsonFault as Fault};
use crate::evaluate::pattern;
use crate::meter;
use crate::stack;
use std::borrow::Cow;

/// A test of a pair of items; none if it is unknown.
type PairTest<'t, 'a> = dyn FnMut(&Item<'a>, &Item<'a>) -> Result<Option<bool>, Fail> + 't;

/// A walk over a value.
pub(super) struct Runner<'a> {
    root: &'a Json,
    variables: &'a Json,
    is_strict: bool,
}

/// What `@` and `last` stand for.
#[derive(Clone, Copy)]
struct Frame<'f, 'a> {
    current: &'f Item<'a>,
    last: Option<i64>,
}

/// Where steps go on.
#[derive(Clone, Copy)]
struct Way {
    /// Whether parts that are not there are no errors.
    forgives: bool,
    /// Whether the next step takes the elements of an array.
    unwraps: bool,
}

impl<'a> Runner<'a> {
    pub(super) fn new(root: &'a Json, variables: &'a Json, is_strict: bool) -> Self {
        Runner { root, variables, is_strict }
    }

    /// All that an expression gives of the whole value.
    pub(super) fn whole(&self, node: &Node, take: Taker<'_, 'a>) -> Flow {
        let root = Item::Json(Cow::Borrowed(self.root));
        self.node(node, Frame { current: &root, last: None }, take)
    }

    fn way(&self) -> Way {
        Way { forgives: !self.is_strict, unwraps: !self.is_strict }
    }

    fn node(&self, node: &Node, frame: Frame<'_, 'a>, take: Taker<'_, 'a>) -> Flow {
        match node {
            Node::Root => take(Item::Json(Cow::Borrowed(self.root))),
            Node::Current => take(frame.current.clone()),
            Node::Last => match frame.last {
                Some(last) => take(Item::plain(last.to_string())),
                None => Err(Fail::Hard(Error::internal("`last` is read within brackets alone"))),
            },
            Node::Variable(name) => match self.variables.field(name) {
                Some(value) => take(Item::Json(Cow::Borrowed(value))),
                None => {
                    let message = format!("could not find jsonpath variable \"{name}\"");
                    Err(Fail::Hard(Error::new(ErrorKind::UnknownObject, message)))
                }
            },
            Node::Text(text) => take(Item::owned(Json::String(text.clone()))),
            Node::Plain(word) => take(Item::plain(word.clone())),
            Node::Steps(from, steps) => {
                self.nested(from, frame, &mut |item| self.steps(steps, item, frame, self.way(), take))
            }
            Node::Arithmetic(operator, left, right) => {
                let word = match operator {
                    Arithmetic::Add => "+",
                    Arithmetic::Subtract => "-",
                    Arithmetic::Multiply => "*",
                    Arithmetic::Divide => "/",
                    Arithmetic::Modulo => "%",
                };
                let operand = |node: &Node, side: &str| {
                    let found = self.sequence(node, frame)?;
                    let number = if let [item] = &found[..] { item.number() } else { None };
                    let message = format!("{side} operand of jsonpath operator {word} is not a single numeric value");
                    number.ok_or_else(|| soft(Fault::Singleton, message))
                };
                let (left, right) = (operand(left, "left")?, operand(right, "right")?);
                let value = match operator {
                    Arithmetic::Add => left.add(&right),
                    Arithmetic::Subtract => left.subtract(&right),
                    Arithmetic::Multiply => left.multiply(&right),
                    Arithmetic::Divide => left.divide(&right),
                    Arithmetic::Modulo => left.modulo(&right),
                };
                take(Item::plain(value.map_err(Fail::Soft)?.to_string()))
            }
            Node::Sign(is_minus, operand) => {
                let word = if *is_minus { "-" } else { "+" };
                for item in self.sequence(operand, frame)? {
                    let Some(number) = item.number() else {
                        let message = format!("operand of unary jsonpath operator {word} is not a numeric value");
                        return Err(soft(Fault::Number, message));
                    };
                    let number = if *is_minus { number.negate() } else { number };
                    if !take(Item::plain(number.to_string()))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            predicate => {
                let word = match self.truth(predicate, frame)? {
                    Some(true) => "true",
                    Some(false) => "false",
                    None => "null",
                };
                take(Item::plain(word))
            }
        }
    }

    fn nested(&self, node: &Node, frame: Frame<'_, 'a>, take: Taker<'_, 'a>) -> Flow {
        stack::more(|| self.node(node, frame, take))
    }

    /// All that a node gives; in lax mode the elements of arrays in their place.
    fn sequence(&self, node: &Node, frame: Frame<'_, 'a>) -> Result<Vec<Item<'a>>, Fail> {
        let mut found = Vec::new();
        self.nested(node, frame, &mut |item| {
            if !self.is_strict && item.is_array() {
                found.extend(item.parts())
            } else {
                found.push(item)
            }
            Ok(true)
        })?;
        Ok(found)
    }

    /// What steps lead to from a value.
    fn steps(&self, steps: &[Step], item: Item<'a>, frame: Frame<'_, 'a>, way: Way, take: Taker<'_, 'a>) -> Flow {
        meter::spend(64).map_err(Fail::Hard)?;
        let Some((step, rest)) = steps.split_first() else { return take(item) };
        let next = Way { unwraps: !self.is_strict, ..way };
        let takes_elements = !matches!(
            step,
            Step::AnyElement | Step::Elements(_) | Step::Any(..) | Step::Method(Method::Type | Method::Size)
        );
        if takes_elements && way.unwraps && item.is_array() {
            for element in item.parts() {
                if !self.steps(steps, element, frame, Way { unwraps: false, ..way }, take)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        match step {
            Step::Key(key) => match item.field(key) {
                Some(value) => self.steps(rest, value, frame, next, take),
                None if way.forgives => Ok(true),
                None if item.kind() == "object" => {
                    Err(soft(Fault::Member, format!("JSON object does not contain key \"{key}\"")))
                }
                None => {
                    let message = "jsonpath member accessor can only be applied to an object";
                    Err(soft(Fault::Member, message))
                }
            },
            Step::AnyKey if item.kind() == "object" => self.each(item.parts(), rest, frame, next, take),
            Step::AnyKey if way.forgives => Ok(true),
            Step::AnyKey => {
                let message = "jsonpath wildcard member accessor can only be applied to an object";
                Err(soft(Fault::Object, message))
            }
            Step::AnyElement if item.is_array() => self.each(item.parts(), rest, frame, next, take),
            Step::AnyElement if !self.is_strict => self.steps(rest, item, frame, next, take),
            Step::AnyElement if way.forgives => Ok(true),
            Step::AnyElement => {
                let message = "jsonpath wildcard array accessor can only be applied to an array";
                Err(soft(Fault::Array, message))
            }
            Step::Elements(ranges) => self.elements(ranges, item, rest, frame, way, take),
            Step::Any(first, last) => {
                let next = Way { forgives: true, ..next };
                self.any((*first, *last), 0, item, rest, frame, next, take)
            }
            Step::Filter(predicate) => match self.truth(predicate, Frame { current: &item, ..frame })? {
                Some(true) => self.steps(rest, item, frame, next, take),
                _ => Ok(true),
            },
            Step::Method(method) => {
                for value in self.method(*method, item, way)? {
                    if !self.steps(rest, value, frame, next, take)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Step::Datetime(template) => {
                let moment = moment_of(&item, template.as_deref())?;
                self.steps(rest, Item::Moment(moment), frame, next, take)
            }
        }
    }

    fn each(&self, items: Vec<Item<'a>>, rest: &[Step], frame: Frame<'_, 'a>, way: Way, take: Taker<'_, 'a>) -> Flow {
        for item in items {
            if !self.steps(rest, item, frame, way, take)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `[a, b to c]`: places are cut to whole numbers.
    fn elements(
        &self,
        ranges: &[(Node, Option<Node>)],
        item: Item<'a>,
        rest: &[Step],
        frame: Frame<'_, 'a>,
        way: Way,
        take: Taker<'_, 'a>,
    ) -> Flow {
        let parts = match item.is_array() {
            true => item.parts(),
            false if !self.is_strict => vec![item],
            false if way.forgives => return Ok(true),
            false => {
                let message = "jsonpath array accessor can only be applied to an array";
                return Err(soft(Fault::Array, message));
            }
        };
        let count = parts.len() as i64;
        let inner = Frame { last: Some(count - 1), ..frame };
        let place = |node: &Node| {
            let mut found = Vec::new();
            self.nested(node, inner, &mut |item| {
                found.push(item);
                Ok(true)
            })?;
            let number = if let [item] = &found[..] { item.number() } else { None };
            let message = "jsonpath array subscript is not a single numeric value";
            let number = number.ok_or_else(|| soft(Fault::Subscript, message))?;
            let whole = number
                .truncate(0)
                .to_string()
                .parse::<i32>()
                .map_err(|_| soft(Fault::Subscript, "jsonpath array subscript is out of integer range"))?;
            Ok::<i64, Fail>(i64::from(whole))
        };
        for (first, last) in ranges {
            let first = place(first)?;
            let last = last.as_ref().map_or(Ok(first), place)?;
            if !way.forgives && (first < 0 || first > last || last >= count) {
                return Err(soft(Fault::Subscript, "jsonpath array subscript is out of bounds"));
            }
            for at in first.max(0)..=last.min(count - 1) {
                let part = parts[usize::try_from(at).unwrap_or(0)].clone();
                if !self.steps(rest, part, frame, Way { unwraps: !self.is_strict, ..way }, take)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// `.**`: the value, if its level is asked for, and what is below it.
    #[allow(clippy::too_many_arguments, reason = "a level and the limits beside what every step has")]
    fn any(
        &self,
        (first, last): (u32, u32),
        level: u32,
        item: Item<'a>,
        rest: &[Step],
        frame: Frame<'_, 'a>,
        way: Way,
        take: Taker<'_, 'a>,
    ) -> Flow {
        let parts = item.parts();
        let is_leaf = parts.is_empty() && !matches!(item.kind(), "array" | "object");
        let wants_leaves = (first, last) == (u32::MAX, u32::MAX);
        if (level >= first || (wants_leaves && is_leaf)) && !self.steps(rest, item, frame, way, take)? {
            return Ok(false);
        }
        if level >= last {
            return Ok(true);
        }
        for part in parts {
            if !stack::more(|| self.any((first, last), level + 1, part, rest, frame, way, take))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn method(&self, method: Method, item: Item<'a>, way: Way) -> Result<Vec<Item<'a>>, Fail> {
        let name = method.name();
        let only = |what: &str| format!("jsonpath item method .{name}() can only be applied to {what}");
        let number = |item: &Item<'a>| item.number().ok_or_else(|| soft(Fault::NonNumeric, only("a numeric value")));
        Ok(vec![match method {
            Method::Type => Item::owned(Json::String(item.kind().to_owned())),
            Method::Size if item.is_array() => Item::plain(item.parts().len().to_string()),
            Method::Size if !self.is_strict || way.forgives => Item::plain("1"),
            Method::Size => return Err(soft(Fault::Array, only("an array"))),
            Method::Abs => Item::plain(number(&item)?.abs().to_string()),
            Method::Ceiling => Item::plain(number(&item)?.ceil().to_string()),
            Method::Floor => Item::plain(number(&item)?.floor().to_string()),
            Method::Double => return double(item).map(|item| vec![item]),
            Method::KeyValue => {
                let Item::Json(json) = &item else { return Err(soft(Fault::Object, only("an object"))) };
                let Json::Object(fields) = &**json else {
                    return Err(soft(Fault::Object, only("an object")));
                };
                let row = |(key, value): &(String, Json)| {
                    Item::owned(Json::Object(vec![
                        ("id".to_owned(), Json::Plain("0".to_owned())),
                        ("key".to_owned(), Json::String(key.clone())),
                        ("value".to_owned(), value.clone()),
                    ]))
                };
                return Ok(fields.iter().map(row).collect());
            }
        }])
    }

    /// Whether a predicate holds; none if that is unknown.
    fn truth(&self, node: &Node, frame: Frame<'_, 'a>) -> Result<Option<bool>, Fail> {
        Ok(match node {
            Node::And(left, right) => match self.inner_truth(left, frame)? {
                Some(false) => Some(false),
                left => match self.inner_truth(right, frame)? {
                    Some(true) => left,
                    right => right,
                },
            },
            Node::Or(left, right) => match self.inner_truth(left, frame)? {
                Some(true) => Some(true),
                left => match self.inner_truth(right, frame)? {
                    Some(false) => left,
                    right => right,
                },
            },
            Node::Not(inner) => self.inner_truth(inner, frame)?.map(|truth| !truth),
            Node::IsUnknown(inner) => Some(self.inner_truth(inner, frame)?.is_none()),
            Node::Exists(inner) => {
                let mut is_there = false;
                let ended = self.nested(inner, frame, &mut |_| {
                    is_there = true;
                    Ok(self.is_strict)
                });
                match ended {
                    Ok(_) => Some(is_there),
                    Err(Fail::Soft(_)) => None,
                    Err(hard) => return Err(hard),
                }
            }
            Node::Compare(comparison, left, right) => {
                let pairs = (self.known(left, frame)?, self.known(right, frame)?);
                let (Some(left), Some(right)) = pairs else { return Ok(None) };
                self.any_pair(&left, &right, &mut |a, b| compare(*comparison, a, b))?
            }
            Node::StartsWith(text, start) => {
                let Some(texts) = self.known(text, frame)? else { return Ok(None) };
                let mut starts = Vec::new();
                self.nested(start, frame, &mut |item| {
                    starts.push(item);
                    Ok(true)
                })?;
                self.any_pair(&texts, &starts, &mut |text, start| {
                    Ok(match (text.string(), start.string()) {
                        (Some(text), Some(start)) => Some(text.starts_with(start)),
                        _ => None,
                    })
                })?
            }
            Node::Like { value: text, pattern: expression, options, .. } => {
                let Some(texts) = self.known(text, frame)? else { return Ok(None) };
                let nothing = [Item::plain("null")];
                self.any_pair(&texts, &nothing, &mut |text, _| match text.string() {
                    Some(text) => pattern::is_match_with(text, expression, options).map(Some).map_err(Fail::Hard),
                    None => Ok(None),
                })?
            }
            _ => return Err(Fail::Hard(Error::internal("a predicate of a path"))),
        })
    }

    fn inner_truth(&self, node: &Node, frame: Frame<'_, 'a>) -> Result<Option<bool>, Fail> {
        stack::more(|| self.truth(node, frame))
    }

    /// What an operand gives; none where that is an error.
    fn known(&self, node: &Node, frame: Frame<'_, 'a>) -> Result<Option<Vec<Item<'a>>>, Fail> {
        match self.sequence(node, frame) {
            Ok(items) => Ok(Some(items)),
            Err(Fail::Soft(_)) => Ok(None),
            Err(hard) => Err(hard),
        }
    }

    /// Whether some pair holds: in lax mode the first that does decides, in strict mode one that is unknown.
    fn any_pair(
        &self,
        left: &[Item<'a>],
        right: &[Item<'a>],
        holds: &mut PairTest<'_, 'a>,
    ) -> Result<Option<bool>, Fail> {
        let (mut found, mut unknown) = (false, false);
        meter::spend(left.len().saturating_mul(right.len()).saturating_mul(16)).map_err(Fail::Hard)?;
        for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
            match holds(a, b)? {
                None if self.is_strict => return Ok(None),
                None => unknown = true,
                Some(true) if !self.is_strict => return Ok(Some(true)),
                Some(true) => found = true,
                Some(false) => {}
            }
        }
        Ok(if found { Some(true) } else { Some(false).filter(|_| !unknown) })
    }
}

/// The date or time that a string is.
fn moment_of(item: &Item<'_>, template: Option<&str>) -> Result<Moment, Fail> {
    if template.is_some() {
        return Err(Fail::Hard(Error::unsupported("a template of the jsonpath method .datetime() is")));
    }
    let Some(text) = item.string() else {
        let message = "jsonpath item method .datetime() can only be applied to a string";
        return Err(soft(Fault::Datetime, message));
    };
    Moment::read(text).ok_or_else(|| {
        let message = format!("datetime format is not recognized: \"{text}\"");
        let hint = "Use a datetime template argument to specify the input data format.";
        Fail::Soft(Error::new(ErrorKind::SqlJson(Fault::Datetime), message).with_hint(hint))
    })
}
