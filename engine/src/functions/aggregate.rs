//! Aggregates: a state, what a row does to it, and the value that it comes to.
//!
//! Rows of a group are gathered, in their order, as array_agg gathers them; where the group's value is needed they are folded in
//! pieces of a fixed number of rows, each into a state of its own, and the states are merged in the order of the pieces. So what an
//! aggregate gives does not depend on threads, and [`Aggregate::merge`] need be associative, but not commutative.
//!
//! Of an aggregate that is [commutative](AggregateFunction::commutative), of one argument, no rows are kept: each worker has a state
//! for each group that it meets, and merges them.

use super::closure::{ArgumentRow, Arguments, FunctionOutput};
use super::scalar::Signature;
use super::values::{Cells, cells, of_parameter, settled};
use crate::guard::{Owned, called};
use crate::sight::Sight;
use crate::{DataType, Error, Result, Value, Volatility};
use multiloop_planner::catalog::UserAggregate;
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::function::{UserBody, UserDefinition, UserState};
use multiloop_planner::meter::{self, Room};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows that become one state.
const PIECE: usize = 1 << 15;

/// Rows after which a state's memory is counted.
const COUNTED: usize = 1 << 10;

/// How long rows are folded before it is looked whether the statement goes on.
const LOOK: Duration = Duration::from_millis(1);

/// An aggregate: what the rows of a group become.
///
/// ```
/// use multiloop::{Aggregate, AggregateFunction, Engine};
///
/// /// The product of all numbers; 1 of none.
/// struct Product;
///
/// impl Aggregate for Product {
///     type Input = (f64,);
///     type State = f64;
///     type Output = f64;
///
///     fn start(&self) -> f64 {
///         1.0
///     }
///
///     fn insert(&self, state: &mut f64, (factor,): (f64,)) -> multiloop::Result<()> {
///         *state *= factor;
///         Ok(())
///     }
///
///     fn merge(&self, state: &mut f64, later: f64) -> multiloop::Result<()> {
///         *state *= later;
///         Ok(())
///     }
///
///     fn finish(&self, state: f64) -> f64 {
///         state
///     }
/// }
///
/// let engine = Engine::new()?;
/// engine.register_aggregate(AggregateFunction::new("multiply", Product))?;
/// let session = engine.session();
/// assert_eq!(session.query_scalar::<f64>("SELECT multiply(n) FROM generate_series(1, 5) g(n)", ())?, 120.0);
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait Aggregate: Send + Sync + 'static {
    /// What a row has for it: a tuple, as `(f64,)` or `(String, i64)`.
    type Input: Arguments;

    /// What some rows have come to.
    type State: Clone + Send + Sync + 'static;

    /// Its value: an `Option` may be NULL, a `Result` may fail.
    type Output: FunctionOutput;

    /// The state of no rows.
    fn start(&self) -> Self::State;

    /// Adds a row to the state of the rows before it.
    ///
    /// # Errors
    /// Those of the aggregate; they are the statement's.
    fn insert(&self, state: &mut Self::State, input: Self::Input) -> Result<()>;

    /// Adds to a state that of the rows behind it. It is associative: the states of three pieces of rows give the same, whichever
    /// two are merged first.
    ///
    /// # Errors
    /// Those of the aggregate.
    fn merge(&self, state: &mut Self::State, later: Self::State) -> Result<()>;

    /// The value of a state.
    fn finish(&self, state: Self::State) -> Self::Output;

    /// Bytes that a state holds beside its own size, about: they count against the statement's memory.
    fn bytes(&self, _state: &Self::State) -> usize {
        0
    }
}

/// An [`Aggregate`] under a name, to be [registered](crate::Engine::register_aggregate). Calls may have DISTINCT, ORDER BY, FILTER
/// and OVER, as those of array_agg.
#[must_use = "a function does nothing before it is registered"]
pub struct AggregateFunction {
    signature: Signature,
    strict: bool,
    commutative: bool,
    empty_is_null: bool,
    body: Box<MakeBodies>,
}

/// Makes what computes an aggregate of rows, and of none, once its signature is known and whether none is NULL.
type MakeBodies = dyn FnOnce(Signature, bool) -> [Box<dyn UserBody>; 2];

impl std::fmt::Debug for AggregateFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AggregateFunction").field("signature", &self.signature.shown()).finish_non_exhaustive()
    }
}

impl AggregateFunction {
    /// An aggregate under a name. Rows in which an argument is NULL do not count, and of no rows it is what its first state comes to.
    pub fn new<A: Aggregate>(name: &str, aggregate: A) -> Self {
        let (parameters, result) = (A::Input::types(), settled(A::Output::sql_type()));
        let body = |signature: Signature, empty_is_null: bool| {
            let lists = Lists { aggregate, signature, empty_is_null, sight: Sight::default() };
            let lists = Arc::new(lists);
            let empty: Box<dyn UserBody> = Box::new(OfNoRows(Arc::clone(&lists)));
            [Box::new(OfLists(lists)), empty]
        };
        let signature = Signature { name: name.to_lowercase(), parameters, result };
        AggregateFunction { signature, strict: true, commutative: false, empty_is_null: false, body: Box::new(body) }
    }

    /// Says that [`Aggregate::merge`] is commutative, too: the order of rows, and of states, does not show in the value, not in its
    /// last digit. (Sums of floats are not so.) Of such an aggregate no rows are kept, but a state for each group; ORDER BY in a call
    /// says nothing.
    ///
    /// ```
    /// use multiloop::{Aggregate, AggregateFunction, Engine, Result};
    ///
    /// /// Bits that an odd number of values have.
    /// struct Parity;
    ///
    /// impl Aggregate for Parity {
    ///     type Input = (i64,);
    ///     type State = i64;
    ///     type Output = i64;
    ///
    ///     fn start(&self) -> i64 {
    ///         0
    ///     }
    ///
    ///     fn insert(&self, state: &mut i64, (value,): (i64,)) -> Result<()> {
    ///         *state ^= value;
    ///         Ok(())
    ///     }
    ///
    ///     fn merge(&self, state: &mut i64, later: i64) -> Result<()> {
    ///         *state ^= later;
    ///         Ok(())
    ///     }
    ///
    ///     fn finish(&self, state: i64) -> i64 {
    ///         state
    ///     }
    /// }
    ///
    /// let engine = Engine::new()?;
    /// engine.register_aggregate(AggregateFunction::new("parity", Parity).commutative())?;
    /// let parity = "SELECT parity(n) FROM generate_series(1, 10) g(n)";
    /// assert_eq!(engine.session().query_scalar::<i64>(parity, ())?, 11);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn commutative(mut self) -> Self {
        self.commutative = true;
        self
    }

    /// Has rows count in which an argument is NULL: what may be NULL is an `Option`.
    pub fn called_on_null(mut self) -> Self {
        self.strict = false;
        self
    }

    /// Makes it NULL where no row counts, as `sum` is.
    pub fn null_of_no_rows(mut self) -> Self {
        self.empty_is_null = true;
        self
    }

    /// Declares the type of the value, where that of [`Aggregate::Output`] is another.
    pub fn returns(mut self, result: DataType) -> Self {
        self.signature.result = result;
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.signature.name
    }

    /// What plans know of it.
    pub(super) fn define(self) -> Result<Arc<UserAggregate>> {
        let AggregateFunction { signature, strict, commutative, empty_is_null, body } = self;
        signature.check()?;
        if signature.parameters.is_empty() {
            return Err(Error::unsupported("an aggregate without arguments is"));
        }
        let is_gathered = |of: &DataType| of.element().is_none() && DataType::list(*of).element() == Some(*of);
        if let Some(other) = signature.parameters.iter().find(|of| !is_gathered(of)) {
            return Err(Error::unsupported(format_args!("an aggregate of values of type {other} is")));
        }
        let (name, parameters, result) = (signature.name.clone(), signature.parameters.clone(), signature.result);
        let lists = parameters.iter().map(|&of| DataType::list(of)).collect();
        let [body, of_no_rows] = body(signature, empty_is_null);
        let has_states = commutative && strict && parameters.len() == 1;
        let how = (Volatility::Stable, false);
        let empty = has_states && !empty_is_null;
        let empty = empty.then(|| UserDefinition::new(name.clone(), (Vec::new(), result), how, of_no_rows));
        let of_arrays = UserDefinition::new(name, (lists, result), how, body);
        Ok(Arc::new(UserAggregate { parameters, strict, of_arrays, has_states, of_no_rows: empty }))
    }
}

/// An aggregate under its name.
struct Lists<A> {
    aggregate: A,
    signature: Signature,
    empty_is_null: bool,
    sight: Sight,
}

/// An aggregate as a function of arrays, and its states.
struct OfLists<A>(Arc<Lists<A>>);

impl<A: Aggregate> UserBody for OfLists<A> {
    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        self.0.call(arguments, rows)
    }

    fn start(&self) -> Option<Result<Box<dyn UserState>>> {
        Some(self.0.started())
    }
}

/// The value of an aggregate of no rows, as a function without arguments.
struct OfNoRows<A>(Arc<Lists<A>>);

impl<A: Aggregate> UserBody for OfNoRows<A> {
    fn call(&self, _: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let start = called(&self.0.signature.name, || Ok(self.0.aggregate.start()))?;
        Ok(vec![self.0.value(start)?; rows])
    }
}

/// A state that a worker keeps.
struct Kept<A: Aggregate> {
    of: Arc<Lists<A>>,
    state: Owned<A::State>,
}

impl<A: Aggregate> std::fmt::Debug for Kept<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("of", &self.of.signature.shown()).finish_non_exhaustive()
    }
}

impl<A: Aggregate> UserState for Kept<A> {
    fn add(&mut self, value: &Value) -> Result<()> {
        let of = self.of.signature.parameters[0];
        let cells = [Cells::new(std::slice::from_ref(value), of)?];
        let state = self.state.get_mut();
        called(&self.of.signature.name, || {
            self.of.aggregate.insert(state, A::Input::of_row(&ArgumentRow::new(&cells, 0))?)
        })
    }

    fn merge(&mut self, other: &dyn UserState) -> Result<()> {
        let other = other.as_any().downcast_ref::<Kept<A>>();
        let other = other.ok_or_else(|| Error::internal("merged states of two aggregates"))?;
        let state = self.state.get_mut();
        called(&self.of.signature.name, || self.of.aggregate.merge(state, other.state.get().clone()))
    }

    fn finish(&self) -> Result<Value> {
        let state = called(&self.of.signature.name, || Ok(self.state.get().clone()))?;
        self.of.value(state)
    }

    fn bytes(&self) -> usize {
        let more = called(&self.of.signature.name, || Ok(self.of.aggregate.bytes(self.state.get())));
        size_of::<Self>().saturating_add(more.unwrap_or(0))
    }

    fn copied(&self) -> Result<Box<dyn UserState>> {
        let state = called(&self.of.signature.name, || Ok(Owned::new(self.state.get().clone())))?;
        Ok(Box::new(Kept { of: Arc::clone(&self.of), state }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<A: Aggregate> Lists<A> {
    fn started(self: &Arc<Self>) -> Result<Box<dyn UserState>> {
        let state = called(&self.signature.name, || Ok(Owned::new(self.aggregate.start())))?;
        Ok(Box::new(Kept { of: Arc::clone(self), state }))
    }

    /// The value of a state, which is one of the declared type.
    fn value(&self, state: A::State) -> Result<Value> {
        let given = called(&self.signature.name, || self.aggregate.finish(state).into_value())?;
        of_parameter(&given, self.signature.result, &self.sight, &self.signature.shown())
    }

    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let value = |group: usize| {
            let lists: Vec<&Value> = arguments.iter().map(|lists| &lists[group]).collect();
            let state = self.fold(&lists)?;
            let Some(state) = state.filter(|(_, rows)| *rows > 0 || !self.empty_is_null) else {
                return Ok(Value::Null);
            };
            self.value(state.0.take())
        };
        (0..rows).map(value).collect()
    }

    /// The state of all rows of a group, and how many there are.
    fn fold(&self, lists: &[&Value]) -> Result<Option<(Owned<A::State>, usize)>> {
        let mut columns: Vec<Vec<Value>> = Vec::with_capacity(lists.len());
        for (list, &of) in lists.iter().zip(&self.signature.parameters) {
            columns.push(match list {
                Value::Text(text) => {
                    Array::decode(text, of.carrier())
                        .ok_or_else(|| Error::internal("an aggregate of what is no array"))?
                        .elements
                }
                _ => Vec::new(),
            });
        }
        let rows = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err(Error::internal("an aggregate's arguments of several lengths"));
        }
        let name = &self.signature.name;
        let mut whole: Option<Owned<A::State>> = None;
        let mut at = 0;
        while at < rows || whole.is_none() {
            let end = rows.min(at + PIECE);
            let piece: Vec<Vec<Value>> = columns.iter().map(|column| column[at..end].to_vec()).collect();
            let state = self.fold_piece(&piece, end - at)?;
            whole = Some(match whole {
                None => state,
                Some(mut earlier) => {
                    called(name, || self.aggregate.merge(earlier.get_mut(), state.take()))?;
                    earlier
                }
            });
            at = end;
        }
        Ok(whole.map(|state| (state, rows)))
    }

    /// The state of a piece of the rows.
    fn fold_piece(&self, piece: &[Vec<Value>], rows: usize) -> Result<Owned<A::State>> {
        let cells = cells(piece, &self.signature.parameters)?;
        let name = &self.signature.name;
        let mut state = called(name, || Ok(Owned::new(self.aggregate.start())))?;
        let (mut room, mut looked) = (Room::default(), Instant::now());
        for row in 0..rows {
            called(name, || {
                let input = A::Input::of_row(&ArgumentRow::new(&cells, row))?;
                self.aggregate.insert(state.get_mut(), input)
            })?;
            if row % COUNTED == 0 {
                room.hold(called(name, || Ok(self.aggregate.bytes(state.get())))?)?;
            }
            if looked.elapsed() > LOOK {
                meter::check()?;
                looked = Instant::now();
            }
        }
        room.hold(called(name, || Ok(self.aggregate.bytes(state.get())))?)?;
        Ok(state)
    }
}
