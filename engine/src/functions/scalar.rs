//! Functions of a row's values.

use super::closure::{ArgumentRow, Arguments, Closure, FunctionOutput, raised};
use super::values::{arrays, cells, check_type, of_array, of_parameter, settled};
use crate::guard::called;
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Result, Value, Volatility};
use arrow::array::{Array as _, ArrayRef};
use multiloop_planner::function::{UserBody, UserDefinition};
use multiloop_planner::meter::{self, Room};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a function may be called again and again before it is looked whether its statement goes on.
const LOOK: Duration = Duration::from_millis(1);

/// What computes a function, given its signature.
type Body = Box<dyn FnOnce(&Signature) -> Result<Box<dyn UserBody>>>;

/// What a function is declared as.
#[derive(Clone)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) parameters: Vec<DataType>,
    pub(super) result: DataType,
}

impl Signature {
    /// `name(types)`.
    pub(super) fn shown(&self) -> String {
        let types: Vec<String> = self.parameters.iter().map(DataType::to_string).collect();
        format!("{}({})", self.name, types.join(", "))
    }

    /// An error for types that no function has.
    pub(super) fn check(&self) -> Result<()> {
        self.parameters.iter().try_for_each(|&of| check_type(of, "a parameter of a function"))?;
        check_type(self.result, "the value of a function")
    }
}

/// A function of a row's values, to be [registered](crate::Engine::register_scalar).
///
/// ```
/// use multiloop::{Engine, ScalarFunction};
///
/// let engine = Engine::new()?;
/// engine.register_scalar(ScalarFunction::new("initials", |name: String| -> String {
///     name.split_whitespace().filter_map(|word| word.chars().next()).collect()
/// }))?;
/// assert_eq!(engine.session().query_scalar::<String>("SELECT initials('Ada King Lovelace')", ())?, "AKL");
/// # Ok::<(), multiloop::Error>(())
/// ```
#[must_use = "a function does nothing before it is registered"]
pub struct ScalarFunction {
    pub(super) signature: Signature,
    volatility: Volatility,
    strict: bool,
    body: Body,
}

impl std::fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScalarFunction").field("signature", &self.signature.shown()).finish_non_exhaustive()
    }
}

impl ScalarFunction {
    /// A function that a closure over Rust's values computes, row by row. Its parameters and its value have the SQL types of the
    /// closure's, unless [`ScalarFunction::takes`] and [`ScalarFunction::returns`] say others; an `Option` is what may be NULL, and
    /// a `Result` what may fail.
    ///
    /// ```
    /// use multiloop::{Engine, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// engine.register_scalar(ScalarFunction::new("parse_hex", |digits: String| i64::from_str_radix(&digits, 16)))?;
    /// let session = engine.session();
    /// assert_eq!(session.query_scalar::<i64>("SELECT parse_hex('ff') + 1", ())?, 256);
    /// assert_eq!(session.query_scalar::<i64>("SELECT parse_hex('x')", ()).unwrap_err().sqlstate(), "38000");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn new<A, F>(name: &str, closure: F) -> Self
    where
        A: Arguments + 'static,
        F: Closure<A>,
        F::Output: FunctionOutput,
    {
        let (parameters, result) = (A::types(), settled(F::Output::sql_type()));
        let body = move |signature: &Signature| {
            if !A::takes(&signature.parameters) {
                let message = format!("the closure of {} takes no such arguments", signature.shown());
                return Err(Error::new(ErrorKind::TypeMismatch, message));
            }
            let signature = signature.clone();
            let rows = OfRows { closure, sight: Sight::default(), signature, arguments: PhantomData::<fn(A)> };
            Ok(Box::new(rows) as Box<dyn UserBody>)
        };
        ScalarFunction::of(name, (parameters, result), Box::new(body))
    }

    /// A function that a closure over Arrow's arrays computes, many rows at once: it is given an array of each parameter's type, as
    /// results have them, and the number of rows, and gives an array of that length.
    ///
    /// ```
    /// use multiloop::arrow::array::{ArrayRef, AsArray, Int64Array};
    /// use multiloop::arrow::datatypes::Int64Type;
    /// use multiloop::{DataType, Engine, ScalarFunction};
    /// use std::sync::Arc;
    ///
    /// let engine = Engine::new()?;
    /// let ones = |arguments: &[ArrayRef], _rows: usize| -> Result<ArrayRef, String> {
    ///     let values = arguments[0].as_primitive::<Int64Type>();
    ///     Ok(Arc::new(values.unary::<_, Int64Type>(|value| i64::from(value.count_ones()))))
    /// };
    /// engine.register_scalar(ScalarFunction::of_arrays("ones", [DataType::BigInt], DataType::BigInt, ones))?;
    /// assert_eq!(engine.session().query_scalar::<i64>("SELECT ones(255)", ())?, 8);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn of_arrays<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        name: &str,
        parameters: impl IntoIterator<Item = DataType>,
        result: DataType,
        closure: impl Fn(&[ArrayRef], usize) -> std::result::Result<ArrayRef, E> + Send + Sync + 'static,
    ) -> Self {
        let body = move |signature: &Signature| {
            let call = move |arguments: &[ArrayRef], rows: usize| closure(arguments, rows).map_err(raised);
            Ok(Box::new(OfArrays { closure: call, signature: signature.clone() }) as Box<dyn UserBody>)
        };
        ScalarFunction::of(name, (parameters.into_iter().collect(), result), Box::new(body))
    }

    fn of(name: &str, (parameters, result): (Vec<DataType>, DataType), body: Body) -> Self {
        let signature = Signature { name: name.to_lowercase(), parameters, result };
        ScalarFunction { signature, volatility: Volatility::Immutable, strict: true, body }
    }

    /// Declares the parameters' types, where the closure's own are others: a `String` takes any type that is shown as text, an `f64`
    /// any number. Arguments are cast to a decimal's scale.
    ///
    /// ```
    /// use multiloop::{DataType, Engine, Numeric, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// let cents = ScalarFunction::new("cents", |price: Numeric| price.to_double() * 100.0);
    /// engine.register_scalar(cents.takes([DataType::decimal(8, 2)]))?;
    /// assert_eq!(engine.session().query_scalar::<f64>("SELECT cents(1.25)", ())?, 125.0);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn takes(mut self, parameters: impl IntoIterator<Item = DataType>) -> Self {
        self.signature.parameters = parameters.into_iter().collect();
        self
    }

    /// Declares the type of the value, where the closure's own is another: texts are read as it, and numbers have to fit it.
    ///
    /// ```
    /// use multiloop::{DataType, Engine, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// let first = ScalarFunction::new("first_of", |year: i32| format!("{year}-01-01")).returns(DataType::Date);
    /// engine.register_scalar(first)?;
    /// assert_eq!(engine.session().query_scalar::<i32>("SELECT first_of(2026) - date '2025-12-31'", ())?, 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn returns(mut self, result: DataType) -> Self {
        self.signature.result = result;
        self
    }

    /// Says when it gives another value for the same arguments.
    ///
    /// ```
    /// use multiloop::{Engine, ScalarFunction, Volatility};
    /// use std::sync::atomic::{AtomicI64, Ordering};
    ///
    /// let engine = Engine::new()?;
    /// let next = AtomicI64::new(1);
    /// let ticket = ScalarFunction::new("ticket", move || next.fetch_add(1, Ordering::Relaxed));
    /// engine.register_scalar(ticket.volatility(Volatility::Volatile))?;
    /// let sum = "SELECT sum(ticket()) FROM generate_series(1, 4)";
    /// assert_eq!(engine.session().query_scalar::<i64>(sum, ())?, 10);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn volatility(mut self, volatility: Volatility) -> Self {
        self.volatility = volatility;
        self
    }

    /// Has it called where arguments are NULL, too: what may be NULL is an `Option`.
    ///
    /// ```
    /// use multiloop::{Engine, ScalarFunction};
    ///
    /// let engine = Engine::new()?;
    /// let shown = ScalarFunction::new("shown", |value: Option<i64>| value.map_or("none".to_owned(), |v| v.to_string()));
    /// engine.register_scalar(shown.called_on_null())?;
    /// assert_eq!(engine.session().query_scalar::<String>("SELECT shown(NULL) || shown(5)", ())?, "none5");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn called_on_null(mut self) -> Self {
        self.strict = false;
        self
    }

    /// The definition that plans know.
    pub(super) fn define(self) -> Result<Arc<UserDefinition>> {
        let ScalarFunction { signature, volatility, strict, body } = self;
        signature.check()?;
        let body = body(&signature)?;
        let Signature { name, parameters, result } = signature;
        Ok(UserDefinition::new(name, (parameters, result), (volatility, strict), body))
    }
}

/// A closure that is called row by row.
struct OfRows<F, A> {
    closure: F,
    sight: Sight,
    signature: Signature,
    arguments: PhantomData<fn(A)>,
}

impl<A, F> UserBody for OfRows<F, A>
where
    A: Arguments,
    F: Closure<A>,
    F::Output: FunctionOutput,
{
    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let cells = cells(arguments, &self.signature.parameters)?;
        let shown = self.signature.shown();
        let mut values = Vec::with_capacity(rows);
        let (mut bytes, mut room) = (0usize, Room::default());
        let mut looked = Instant::now();
        for row in 0..rows {
            let given = called(&self.signature.name, || {
                self.closure.apply(A::of_row(&ArgumentRow::new(&cells, row))?).into_value()
            })?;
            let value = of_parameter(&given, self.signature.result, &self.sight, &shown)?;
            if let Value::Text(text) = &value {
                bytes += text.len();
                room.hold(bytes)?;
            }
            values.push(value);
            if looked.elapsed() > LOOK {
                meter::check()?;
                looked = Instant::now();
            }
        }
        Ok(values)
    }
}

/// A closure that is given all rows at once.
struct OfArrays<F> {
    closure: F,
    signature: Signature,
}

impl<F: Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync> UserBody for OfArrays<F> {
    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let arrays = arrays(arguments, &self.signature.parameters)?;
        let array = called(&self.signature.name, || (self.closure)(&arrays, rows))?;
        let shown = self.signature.shown();
        if array.len() != rows {
            let message = format!("function {shown} gave {} values for {rows} rows", array.len());
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        of_array(&array, self.signature.result, &shown)
    }
}
