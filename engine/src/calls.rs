//! Functions written in SQL whose statements are run: what calls them from within a query, and who runs them.
//!
//! The planner sees a call as one of a function that is evaluated row by row. What evaluates it asks whoever runs the statement on this
//! thread ([`enter`]): a query with such calls runs on one thread, the one that asked for it.

use crate::{Error, Result};
use multiloop_planner::catalog::FoundRoutine;
use multiloop_planner::function::{UserBody, UserDefinition, Volatility};
use multiloop_planner::sql::{Parsed, steps};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// Runs the statements of functions for a statement that calls them.
pub(crate) trait Caller {
    /// What a call gives.
    fn call(&self, callee: &Callee, arguments: &[Value]) -> Result<Value>;
}

/// A function that a statement calls.
pub(crate) struct Callee {
    pub(crate) found: FoundRoutine,
    /// With whose rights, if not with those of who calls.
    pub(crate) owner: Option<Arc<str>>,
    steps: OnceLock<Vec<Parsed>>,
}

impl Callee {
    /// The statements of its body.
    pub(crate) fn steps(&self) -> Result<&[Parsed]> {
        if let Some(known) = self.steps.get() {
            return Ok(known);
        }
        let steps = steps(&self.found.routine).map_err(Error::without_position)?;
        Ok(self.steps.get_or_init(|| steps))
    }
}

/// The body that the planner's function has.
struct Calls(Callee);

impl UserBody for Calls {
    fn call(&self, arguments: &[Vec<Value>], rows: usize) -> Result<Vec<Value>> {
        let Some(caller) = CALLER.with_borrow(Clone::clone) else {
            let what = format!("function {}, called here, is", self.0.found.routine.signature());
            return Err(Error::unsupported(what));
        };
        let values = |row: usize| arguments.iter().map(|column| column[row].clone()).collect::<Vec<_>>();
        (0..rows).map(|row| caller.call(&self.0, &values(row))).collect()
    }
}

/// What calls a function by running its statements.
pub(crate) fn definition(found: &FoundRoutine, owner: Option<Arc<str>>, result: DataType) -> Arc<UserDefinition> {
    let routine = &found.routine;
    let types = (routine.input_types(), result);
    // What reads is not to be computed before the statement runs.
    let volatility = routine.volatility.max(Volatility::Stable);
    let callee = Callee { found: found.clone(), owner, steps: OnceLock::new() };
    UserDefinition::running(routine.name.clone(), types, (volatility, routine.strict), Box::new(Calls(callee)))
}

thread_local! {
    static CALLER: RefCell<Option<Arc<dyn Caller>>> = const { RefCell::new(None) };
}

/// Says who runs the statements of functions that are called on this thread, until what is returned is dropped.
#[must_use]
pub(crate) fn enter(caller: Arc<dyn Caller>) -> Entered {
    Entered(CALLER.replace(Some(caller)))
}

/// See [`enter`]; it holds who did before.
pub(crate) struct Entered(Option<Arc<dyn Caller>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CALLER.set(self.0.take());
    }
}
