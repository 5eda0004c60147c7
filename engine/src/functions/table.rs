//! Functions that give rows, in FROM.

use super::closure::{ArgumentRow, Arguments, Closure, TableOutput};
use super::scalar::Signature;
use super::values::{cells, check_type};
use crate::guard::called;
use crate::{DataType, Error, ErrorKind, Result, Value};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Context;
use std::sync::Arc;

/// What gives the batches, for one row of arguments.
type Body = Box<dyn Fn(&[Vec<Value>]) -> Result<Vec<RecordBatch>> + Send + Sync>;

/// A function that gives rows, to be [registered](crate::Engine::register_table_function) and called in FROM.
///
/// It is called where a statement is bound, each time that it runs, and what it gives is a table of the statement: its arguments
/// are constants or parameters (0A000 for columns of other tables). With a NULL among them it gives no rows, unless
/// [`TableFunction::called_on_null`].
///
/// ```
/// use multiloop::arrow::array::{Int64Array, RecordBatch};
/// use multiloop::arrow::datatypes::{DataType, Field, Schema};
/// use multiloop::{Engine, TableFunction, params};
/// use std::sync::Arc;
///
/// let engine = Engine::new()?;
/// let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
/// let of = Arc::clone(&schema);
/// engine.register_table_function(TableFunction::new("collatz", schema, move |start: i64| {
///     let steps = std::iter::successors(Some(start), |&n| match n {
///         ..=1 => None,
///         n if n % 2 == 0 => Some(n / 2),
///         n => Some(3 * n + 1),
///     });
///     RecordBatch::try_new(Arc::clone(&of), vec![Arc::new(Int64Array::from_iter_values(steps))]).map(|batch| vec![batch])
/// }))?;
/// let session = engine.session();
/// assert_eq!(session.query_scalar::<i64>("SELECT max(n) FROM collatz($1)", params![27])?, 9232);
/// # Ok::<(), multiloop::Error>(())
/// ```
#[must_use = "a function does nothing before it is registered"]
pub struct TableFunction {
    pub(super) name: String,
    pub(super) parameters: Vec<DataType>,
    schema: SchemaRef,
    strict: bool,
    body: Body,
}

impl std::fmt::Debug for TableFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableFunction").field("name", &self.name).field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl TableFunction {
    /// A function whose rows, of this schema, a closure over Rust's values gives as record batches.
    pub fn new<A, F>(name: &str, schema: SchemaRef, closure: F) -> Self
    where
        A: Arguments + 'static,
        F: Closure<A>,
        F::Output: TableOutput,
    {
        let name = name.to_lowercase();
        let called_as = name.clone();
        let body = move |arguments: &[Vec<Value>]| {
            let cells = cells(arguments, &A::types())?;
            called(&called_as, || closure.apply(A::of_row(&ArgumentRow::new(&cells, 0))?).into_batches())
        };
        TableFunction { name, parameters: A::types(), schema, strict: true, body: Box::new(body) }
    }

    /// Has it called where arguments are NULL, too: what may be NULL is an `Option`.
    pub fn called_on_null(mut self) -> Self {
        self.strict = false;
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// An error for types that no function has.
    pub(super) fn check(&self) -> Result<()> {
        self.parameters.iter().try_for_each(|&of| check_type(of, "a parameter of a function"))
    }

    /// Its rows for these arguments as a table; without any, none.
    pub(crate) fn rows(&self, arguments: Option<&[Value]>, context: &Context) -> Result<Table> {
        let mut builder = TableBuilder::for_schema(&self.schema, Storage::Compact, context)?;
        let given = arguments.filter(|values| !(self.strict && values.iter().any(Value::is_null)));
        if let Some(values) = given {
            let arguments: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
            for batch in (self.body)(&arguments)? {
                self.check_batch(&batch)?;
                context.check()?;
                builder.push(batch)?;
            }
        }
        builder.finish()
    }

    fn check_batch(&self, batch: &RecordBatch) -> Result<()> {
        let types =
            |schema: &SchemaRef| -> Vec<_> { schema.fields().iter().map(|field| field.data_type().clone()).collect() };
        if types(&batch.schema()) == types(&self.schema) {
            return Ok(());
        }
        let signature =
            Signature { name: self.name.clone(), parameters: self.parameters.clone(), result: DataType::Null };
        let message = format!("function {} gave a batch of other columns than it is declared with", signature.shown());
        Err(Error::new(ErrorKind::TypeMismatch, message))
    }
}

/// Table functions are shared by statements.
pub(super) type SharedTable = Arc<TableFunction>;
