//! Functions that a program registers: the name, the types and the properties of each, and the closure that computes it.
//!
//! A [`Function`] is a small value that plans copy and compare, so a call names its function by a number
//! ([`UserFunction`]); the definition behind the number lives as long as somebody holds it, the engine's registry or a
//! statement. A plan that outlives the definition gets an error (42883), never another function: numbers are not used twice.

use super::Function;
use crate::error::{Error, ErrorKind, Result};
use crate::meter::Room;
use crate::types::DataType;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// When a function that a program registers may give another value for the same arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Volatility {
    /// Never: a call of constants is one.
    #[default]
    Immutable,
    /// Not within a statement: equal calls of a statement are one.
    Stable,
    /// At any call: each row that reaches it evaluates it.
    Volatile,
}

impl Volatility {
    /// PostgreSQL's letter for it.
    pub fn letter(self) -> &'static str {
        match self {
            Volatility::Immutable => "i",
            Volatility::Stable => "s",
            Volatility::Volatile => "v",
        }
    }
}

/// A function that a program registered, by its number in this process, with what plans have to know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UserFunction {
    number: u32,
    /// When it gives another value.
    pub volatility: Volatility,
    /// Whether it is NULL where an argument is, without a call.
    pub strict: bool,
    /// Whether a call runs statements: those of a function that was written in SQL. Calls come one after the other, in the order of
    /// the rows, on the thread that runs the query.
    pub runs: bool,
}

/// What computes a function for some rows.
pub trait UserBody: Send + Sync {
    /// The values for `rows` rows, one each; `arguments` has that many values for each parameter. All are in the form of the
    /// types that carry the declared ones. Whatever panics has been made an error.
    ///
    /// # Errors
    /// Those of the function.
    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>>;

    /// The state of no rows, of an aggregate whose states may be merged in any order; none of anything else.
    fn start(&self) -> Option<Result<Box<dyn UserState>>> {
        None
    }
}

/// What some rows have come to, of an aggregate that a program registered. Whatever panics has been made an error.
pub trait UserState: fmt::Debug + Send + Sync {
    /// Adds a row, by its argument.
    ///
    /// # Errors
    /// Those of the aggregate.
    fn add(&mut self, value: &Value) -> Result<()>;

    /// Adds the rows of another state of the same aggregate.
    ///
    /// # Errors
    /// Those of the aggregate.
    fn merge(&mut self, other: &dyn UserState) -> Result<()>;

    /// The aggregate's value.
    ///
    /// # Errors
    /// Those of the aggregate.
    fn finish(&self) -> Result<Value>;

    /// Bytes that it holds, about.
    fn bytes(&self) -> usize;

    /// The same once more.
    ///
    /// # Errors
    /// Those of the aggregate.
    fn copied(&self) -> Result<Box<dyn UserState>>;

    /// Itself, for [`UserState::merge`] of another one.
    fn as_any(&self) -> &dyn Any;
}

/// The definition of a function that a program registered.
pub struct UserDefinition {
    function: UserFunction,
    /// Its name, as it is called.
    pub name: String,
    /// The types of its parameters.
    pub parameters: Vec<DataType>,
    /// The type of its value.
    pub result: DataType,
    body: Box<dyn UserBody>,
}

impl fmt::Debug for UserDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserDefinition")
            .field("name", &self.name)
            .field("function", &self.function)
            .finish_non_exhaustive()
    }
}

/// Whether a value of one type is an argument of the other without a cast: overloads are not told apart by them.
pub fn is_same(from: DataType, to: DataType) -> bool {
    from == to || (from.is_text() && to.is_text()) || (from.is_decimal() && to == DataType::Numeric)
}

/// All definitions that somebody holds.
static KNOWN: RwLock<BTreeMap<u32, Weak<UserDefinition>>> = RwLock::new(BTreeMap::new());

static NEXT: AtomicU32 = AtomicU32::new(1);

impl UserDefinition {
    /// A definition under a number of its own.
    pub fn new(
        name: String,
        (parameters, result): (Vec<DataType>, DataType),
        (volatility, strict): (Volatility, bool),
        body: Box<dyn UserBody>,
    ) -> Arc<UserDefinition> {
        Self::of_kind((name, false), (parameters, result), (volatility, strict), body)
    }

    /// The same of a function whose calls run statements.
    pub fn running(
        name: String,
        types: (Vec<DataType>, DataType),
        properties: (Volatility, bool),
        body: Box<dyn UserBody>,
    ) -> Arc<UserDefinition> {
        Self::of_kind((name, true), types, properties, body)
    }

    fn of_kind(
        (name, runs): (String, bool),
        (parameters, result): (Vec<DataType>, DataType),
        (volatility, strict): (Volatility, bool),
        body: Box<dyn UserBody>,
    ) -> Arc<UserDefinition> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let function = UserFunction { number, volatility, strict, runs };
        let made = Arc::new(UserDefinition { function, name, parameters, result, body });
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::downgrade(&made));
        made
    }

    /// What calls it.
    pub fn function(&self) -> Function {
        Function::User(self.function)
    }

    /// When it gives another value.
    pub fn volatility(&self) -> Volatility {
        self.function.volatility
    }

    /// Whether it is NULL where an argument is.
    pub fn is_strict(&self) -> bool {
        self.function.strict
    }

    /// `name(types)`.
    pub fn signature(&self) -> String {
        let types: Vec<String> = self.parameters.iter().map(DataType::to_string).collect();
        format!("{}({})", self.name, types.join(", "))
    }

    /// The values for some rows, checked: one a row, each of the declared type. Rows that strictness decides are not passed on.
    ///
    /// # Errors
    /// 42804 for another number of values, or values of another type; those of the function.
    pub fn values(&self, mut arguments: Vec<Vec<Value>>, rows: usize) -> Result<Vec<Value>> {
        let is_there = |row: usize| arguments.iter().all(|values| !values[row].is_null());
        let there: Option<Vec<bool>> = self.function.strict.then(|| (0..rows).map(is_there).collect());
        let there = there.filter(|there| there.contains(&false));
        let Some(there) = there else { return self.checked(&arguments, rows) };
        for values in &mut arguments {
            let mut row = 0..;
            values.retain(|_| row.next().is_some_and(|row: usize| there[row]));
        }
        let called = there.iter().filter(|there| **there).count();
        let made = if called == 0 { Vec::new() } else { self.checked(&arguments, called)? };
        let mut made = made.into_iter();
        Ok(there.into_iter().map(|there| made.next_if(there)).collect())
    }

    /// What calls it, where it is an aggregate's.
    pub fn handle(&self) -> UserFunction {
        self.function
    }

    /// An error (42804, 22003) for values that are none of the declared type.
    ///
    /// # Errors
    /// These.
    pub fn check(&self, values: &[Value]) -> Result<()> {
        if let Some(wrong) = values.iter().find(|value| !value.fits(self.result)) {
            let message = format!("function {} gave {wrong:?}, which is no {}", self.signature(), self.result);
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        if let Some((low, high)) = self.result.carrier().integer_bounds() {
            let is_out = |value: &Value| match value {
                Value::Int(value) => !(low..=high).contains(&i128::from(*value)),
                Value::Decimal(value) => !(low..=high).contains(value),
                _ => false,
            };
            if values.iter().any(is_out) {
                let message = format!("function {} gave a number out of range for {}", self.signature(), self.result);
                return Err(Error::new(ErrorKind::NumericOverflow, message));
            }
        }
        Ok(())
    }

    fn checked(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let values = self.body.call(arguments, rows)?;
        if values.len() != rows {
            let message = format!("function {} gave {} values for {rows} rows", self.signature(), values.len());
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        self.check(&values)?;
        let bytes = values.iter().map(|value| if let Value::Text(text) = value { text.len() } else { 0 }).sum();
        Room::default().hold(bytes)?;
        Ok(values)
    }
}

/// Values in turn, for rows that have one.
trait NextIf {
    fn next_if(&mut self, there: bool) -> Value;
}

impl NextIf for std::vec::IntoIter<Value> {
    fn next_if(&mut self, there: bool) -> Value {
        if there { self.next().unwrap_or(Value::Null) } else { Value::Null }
    }
}

impl Drop for UserDefinition {
    fn drop(&mut self) {
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).remove(&self.function.number);
    }
}

impl UserFunction {
    /// The definition.
    ///
    /// # Errors
    /// 42883 if nobody holds it any more.
    pub fn definition(self) -> Result<Arc<UserDefinition>> {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&self.number).cloned();
        known.and_then(|known| known.upgrade()).ok_or_else(|| {
            Error::new(ErrorKind::UnknownFunction, "a function of the statement has been removed or replaced")
        })
    }

    /// The state of no rows, of an aggregate.
    ///
    /// # Errors
    /// 42883 if nobody holds the definition any more; those of the aggregate.
    pub fn start(self) -> Result<Box<dyn UserState>> {
        let known = self.definition()?;
        known.body.start().unwrap_or_else(|| Err(Error::internal(format!("{} has no states", known.signature()))))
    }

    /// Its name, as EXPLAIN shows it; only letters, digits and underscores.
    pub(crate) fn word(self) -> String {
        let name = self.definition().map_or_else(|_| "removed".to_owned(), |known| known.name.clone());
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        format!("user_{}", name.chars().map(plain).collect::<String>())
    }

    /// A function of a word that [`UserFunction::word`] made; of several overloads any.
    pub(crate) fn of_word(word: &str) -> Option<UserFunction> {
        if !word.starts_with("user_") {
            return None;
        }
        let all: Vec<Weak<UserDefinition>> =
            KNOWN.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        all.iter().filter_map(Weak::upgrade).map(|known| known.function).find(|known| known.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{evaluate, fold};

    struct Body<F>(F);

    impl<F: Fn(&[Vec<Value>], usize) -> Result<Vec<Value>> + Send + Sync> UserBody for Body<F> {
        fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
            (self.0)(arguments, rows)
        }
    }

    fn of(
        volatility: Volatility,
        strict: bool,
        body: impl Fn(&[Vec<Value>], usize) -> Result<Vec<Value>> + Send + Sync + 'static,
    ) -> Arc<UserDefinition> {
        let types = (vec![DataType::BigInt], DataType::BigInt);
        UserDefinition::new("f g".to_owned(), types, (volatility, strict), Box::new(Body(body)))
    }

    fn same(arguments: &[Vec<Value>], _: usize) -> Result<Vec<Value>> {
        Ok(arguments[0].clone())
    }

    #[test]
    fn strictness_spares_rows() {
        let seen = of(Volatility::Immutable, true, |arguments, rows| {
            assert!(rows > 0 && arguments[0].iter().all(|value| !value.is_null()));
            same(arguments, rows)
        });
        let values = vec![Value::Null, Value::Int(1), Value::Null, Value::Int(2)];
        assert_eq!(seen.values(vec![values.clone()], 4), Ok(values));
        assert_eq!(seen.values(vec![vec![Value::Null; 2]], 2), Ok(vec![Value::Null; 2]));
        let lax = of(Volatility::Immutable, false, |arguments, _| {
            Ok(arguments[0].iter().map(|value| Value::Int(i64::from(value.is_null()))).collect())
        });
        assert_eq!(lax.values(vec![vec![Value::Null, Value::Int(5)]], 2), Ok(vec![Value::Int(1), Value::Int(0)]));
    }

    #[test]
    fn values_are_checked() {
        let short = of(Volatility::Immutable, true, |_, _| Ok(Vec::new()));
        let error = short.values(vec![vec![Value::Int(1)]], 1).expect_err("no value");
        assert_eq!((error.sqlstate(), error.message()), ("42804", "function f g(bigint) gave 0 values for 1 rows"));
        let other = of(Volatility::Immutable, true, |_, _| Ok(vec![Value::text("a")]));
        assert_eq!(other.values(vec![vec![Value::Int(1)]], 1).expect_err("a text").sqlstate(), "42804");
    }

    #[test]
    fn only_the_immutable_is_folded() {
        let types = [DataType::BigInt];
        for (volatility, folded) in
            [(Volatility::Immutable, Some(Value::Int(3))), (Volatility::Stable, None), (Volatility::Volatile, None)]
        {
            let known = of(volatility, true, same);
            assert_eq!(fold(known.function(), &[Value::Int(3)], &types, DataType::BigInt), folded);
            assert_eq!(evaluate(known.function(), &[Value::Int(3)], &types, DataType::BigInt), Ok(Value::Int(3)));
        }
    }

    #[test]
    fn what_is_gone_is_an_error() {
        let known = of(Volatility::Immutable, true, same);
        let Function::User(function) = known.function() else { panic!("it is one") };
        assert_eq!(function.word(), "user_f_g");
        drop(known);
        assert_eq!(function.definition().expect_err("it is gone").sqlstate(), "42883");
        assert_eq!(function.word(), "user_removed");
    }
}
