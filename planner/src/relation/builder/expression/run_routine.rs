//! Calls that run the statements of a function that users wrote in SQL, where no query can stand in place of the call: the function
//! has several statements, or one that changes rows, or it calls itself.
//!
//! 1. A call is one of a volatile function ([`crate::function::UserFunction`]), which the engine evaluates row by row: whoever runs the
//!    query runs the statements. A row of several columns is its value, and of any number of rows the array of all.
//! 2. In a statement with a call that may change something each VOLATILE function is run, since it may see what has been changed by then.
//! 3. Each statement is bound when its turn comes, with the arguments as constants; the rows of the last one become that value.

use super::logical::relabel;
use super::routine::{RoutineCall, first_row};
use super::sql_function::value_of_one_row;
use crate::catalog::{FoundRoutine, Returned, Routine, RoutineBody};
use crate::error::{Position, Result};
use crate::function::Volatility;
use crate::relation::builder::{ArgumentNames, Builder, FromItem, Rows};
use crate::relation::{Expression, Relation};
use crate::types::{DataType, SystemType};
use std::sync::Arc;

impl Builder<'_> {
    /// Whether a call runs statements.
    pub(super) fn is_run(&self, found: &FoundRoutine) -> bool {
        let is_volatile = || found.routine.volatility == Volatility::Volatile && self.catalog.runs_volatile();
        found.routine.is_run || self.views.contains(&found.key) || is_volatile()
    }

    /// Whether something that has been built calls a function whose statements are run then, though its query could stand in place of
    /// the call: it is a part of its own body.
    pub(crate) fn runs_itself(&self, found: &FoundRoutine) -> bool {
        self.run.contains(&found.key)
    }

    /// The type of what a call gives that runs statements.
    ///
    /// # Errors
    /// 42P01 if its columns are those of a relation that is gone.
    pub(crate) fn type_of_run(&self, routine: &Routine) -> Result<DataType> {
        let of = match &routine.returned {
            Returned::Void => DataType::System(SystemType::Void),
            Returned::Value(of) => *of,
            Returned::Columns => DataType::row(None, self.returned_columns(routine)?),
            Returned::Relation(_) => DataType::row(None, self.returned_columns(routine)?),
        };
        Ok(if routine.gives_rows { DataType::list(of) } else { of })
    }

    /// A call that runs statements, as a value.
    ///
    /// # Errors
    /// 0A000 where nobody runs statements.
    pub(super) fn run_value(&mut self, call: RoutineCall, position: Option<Position>) -> Result<Expression> {
        let RoutineCall { found, arguments } = call;
        self.run.push(found.key.clone());
        let of = self.type_of_run(&found.routine)?;
        let function = self.catalog.running_function(&found, of).map_err(|error| error.at(position))?;
        Ok(Expression::call(function, arguments, of).at(position))
    }

    /// The rows of such a call in FROM.
    ///
    /// # Errors
    /// 0A000 where nobody runs statements.
    pub fn run_rows(&mut self, call: RoutineCall, position: Option<Position>) -> Result<Rows> {
        let (name, gives_rows) = (call.found.routine.name.clone(), call.found.routine.gives_rows);
        let value = self.run_value(call, position)?;
        if gives_rows {
            let set = self.set_of_array(value, &name)?;
            let item = self.from_functions(vec![set], false, None)?;
            return Ok((item.relation, item.columns.into_iter().map(|column| (column.name, column.id)).collect()));
        }
        let id = self.columns.add(name.clone(), value.data_type, true);
        let row = Relation::Project { input: FromItem::nothing().relation, columns: vec![(id, value)] };
        self.spread((Arc::new(row), vec![(name, id)]))
    }

    /// From now on what is built is a statement of a function's body, called with these arguments.
    pub(crate) fn enter_body(&mut self, FoundRoutine { key, routine }: &FoundRoutine, arguments: Vec<Expression>) {
        self.views.push(key.clone());
        self.view = match &routine.body {
            RoutineBody::Text(_) => None,
            RoutineBody::Standard(_, view) => Some(Arc::clone(view)),
        };
        let names = routine.inputs().map(|input| input.name.clone()).collect();
        self.argument_names = Some(Arc::new(ArgumentNames { function: routine.name.clone(), names }));
        self.arguments = Some(arguments);
        self.in_routine = true;
        self.acting = routine.definer.then(|| key.clone());
    }

    /// The rows of the last statement of a body as the one value that a call gives.
    ///
    /// # Errors
    /// 42P13 for other columns than the function's.
    pub(crate) fn value_of_run(&mut self, routine: &Routine, rows: Rows) -> Result<Rows> {
        let wanted = self.returned_columns(routine)?;
        let rows = self.as_returned(routine, rows, &wanted)?;
        let is_row = !matches!(routine.returned, Returned::Value(_) | Returned::Void);
        let value = if routine.gives_rows {
            let rows = if is_row { self.as_rows(&routine.name, rows, None)? } else { rows };
            self.array_of_rows(rows, None)?
        } else if let Some(value) = value_of_one_row(&rows).filter(|_| !is_row) {
            value
        } else {
            let rows = if is_row { self.as_rows(&routine.name, rows, None)? } else { rows };
            self.scalar_subquery((first_row(rows.0), rows.1), None)?
        };
        let carrier = value.data_type.carrier();
        let value = relabel(value, carrier);
        let id = self.columns.add(routine.name.clone(), carrier, true);
        let relation = Relation::Project { input: FromItem::nothing().relation, columns: vec![(id, value)] };
        Ok((Arc::new(relation), vec![(routine.name.clone(), id)]))
    }
}
