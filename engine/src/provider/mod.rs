//! Table providers: a store of the user's own is a table.
//!
//! A [`TableProvider`] has columns and gives batches of rows; [`Session::register_table`](crate::Session::register_table) puts it
//! under a name. It is read, and not written. How a statement reads it:
//!
//! 1. The planner sees its columns (`registered`), and a bound of its rows, which is what [`TableProvider::rows`] says with some
//!    room, or a guess. Nothing else is believed of it when plans are made.
//! 2. Before the program runs, each provider that it reads is asked once, however often the statement names it, for the columns that
//!    are read anywhere, with the conditions that every use of it has (`offered`, `condition`).
//! 3. Its parts are read by the workers, each by one of them, batch by batch, held against the columns, counted, and become the
//!    chunks of a table (`scan`) that is the statement's alone and is gone with it.
//! 4. The program runs over that table, and evaluates all conditions: what a provider makes of an offer changes the time, and never
//!    the answer, unless it leaves out rows that meet the conditions.
//!
//! A scan that gives more rows than the plan has proofs for ends with an error that has the statement planned and run once more,
//! with a larger bound.

mod condition;
mod offered;
mod registered;
mod scan;
#[cfg(test)]
mod tests;

pub use condition::{ColumnRange, Condition, Test};
pub(crate) use registered::Provided;
pub(crate) use scan::{Scanned, scan_all};

use crate::{Cancellation, ErrorKind, Field, Result};
use arrow::array::RecordBatch;
use std::fmt::Debug;

/// What goes wrong in a provider. A [`multiloop::Error`](crate::Error) keeps its SQLSTATE, any other error has 58030; the message
/// names the table.
pub type ProviderError = Box<dyn std::error::Error + Send + Sync>;

/// The batches of a part.
pub type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ProviderError>> + Send>;

/// A store that is read as a table. Many statements may call it at once.
///
/// What it promises: the columns are the same for as long as it is registered, and the parts of one scan together are one state of
/// its rows, whatever others write meanwhile. A statement scans it once, however often it names it (where it has to begin again, for
/// wider numbers, say, what it has read before counts no more). Each statement scans it anew: nothing of it is kept, so
/// its rows may change between statements (also between those of one transaction, or of a [`ReadSnapshot`](crate::ReadSnapshot):
/// whoever needs more gives a provider of a fixed state a name of its own).
///
/// All of it runs within the statement that reads the table, which may hold locks of the engine: its functions, its parts' iterators
/// and what drops them may ask the [`Scan`] with its conditions and its cancellation, but may neither run or prepare
/// statements nor register anything, in any engine: that is an error (0A000). Rows of another engine are read by a thread
/// of the provider's own, which hands the batches over; a thread that writes to this engine while the statement waits for it may wait
/// for that statement for ever. A part whose iterator waits keeps one of the engine's workers until it goes on, and the statement
/// hears a cancel only then, unless the iterator looks at [`Scan::cancellation`].
///
/// A provider is dropped when its table is gone and the last statement that reads it has ended, by whoever ends it: quickly, please.
///
/// ```
/// use multiloop::arrow::array::{Int64Array, RecordBatch, StringArray};
/// use multiloop::{Batches, DataType, Engine, Field, ProviderError, Scan, TablePart, TableProvider};
/// use std::sync::Arc;
///
/// #[derive(Debug)]
/// struct Cities(Vec<(String, i64)>);
///
/// impl TableProvider for Cities {
///     fn fields(&self) -> Vec<Field> {
///         vec![Field::new("name", DataType::Text, false), Field::new("people", DataType::BigInt, false)]
///     }
///
///     fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
///         let names = StringArray::from_iter_values(self.0.iter().map(|(name, _)| name));
///         let people = Int64Array::from_iter_values(self.0.iter().map(|(_, people)| *people));
///         let all = RecordBatch::try_from_iter_with_nullable([
///             ("name", Arc::new(names) as _, false),
///             ("people", Arc::new(people) as _, false),
///         ])?;
///         let batch = all.project(&scan.columns)?;
///         Ok(vec![TablePart::new(std::iter::once(Ok(batch)))])
///     }
/// }
///
/// let session = Engine::new()?.session();
/// session.register_table("cities", Cities(vec![("Bern".into(), 134_000), ("Basel".into(), 173_000)]))?;
/// let large: String = session.query_scalar("SELECT name FROM cities WHERE people > $1", [150_000])?;
/// assert_eq!(large, "Basel");
/// # Ok::<(), multiloop::Error>(())
/// ```
pub trait TableProvider: Debug + Send + Sync + 'static {
    /// Its columns: names as SQL has them (lower case, unless they are to be quoted) and SQL types. A column that is not nullable
    /// never has a NULL.
    fn fields(&self) -> Vec<Field>;

    /// About how many rows it has, if that is cheap to say. Plans are made for half as many more at most; a statement that finds yet
    /// more begins once more.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// Begins to read rows: the parts together have each row once. This is to be quick; what takes time belongs into the parts'
    /// iterators, which are read by several workers at once. There should be as many parts as there are workers, or more.
    ///
    /// # Errors
    /// Whatever goes wrong; the statement ends with it.
    fn scan(&self, scan: &Scan) -> std::result::Result<Vec<TablePart>, ProviderError>;
}

/// How often a statement begins again as providers give more rows than it was planned for: each time they may give many times as
/// many.
const BEGINS_MAX: usize = 16;

/// Runs a statement, again while providers give more rows than it was planned for.
pub(crate) fn while_outgrown<T>(run: impl Fn() -> Result<T>) -> Result<T> {
    for _ in 1..BEGINS_MAX {
        match run() {
            Err(error) if error.kind() == ErrorKind::Outgrown => {}
            result => return result,
        }
    }
    run()
}

/// What a statement wants of a provider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scan {
    /// The columns that every batch is to have, by their positions among the provider's, in rising order; perhaps none: such batches
    /// say how many rows there are
    /// ([`RecordBatchOptions::with_row_count`](arrow::record_batch::RecordBatchOptions::with_row_count)).
    pub columns: Vec<usize>,
    /// Conditions that each row has to meet to be of use: an offer. Rows that do not meet them may be left out, or not; the engine
    /// asks all conditions again. Their columns need not be among `columns`.
    pub conditions: Vec<Condition>,
    /// So many rows that meet all conditions are enough, if it says a number: an offer, too. It is made only where there are no
    /// conditions but the offered ones. Where there are none at all, no more batches are asked for once so many rows have come.
    /// Whoever leaves out rows by it leaves out only such that are beyond so many *that meet the
    /// conditions*.
    pub limit: Option<u64>,
    /// Whether the statement has been cancelled: heard between batches by the engine, and within one by whoever looks here.
    pub cancellation: Cancellation,
}

impl Scan {
    /// Whether a row may meet the conditions, by what is known of a column (by its position among the provider's) in some rows.
    ///
    /// ```
    /// use multiloop::{ColumnRange, Scan, Value};
    ///
    /// /// Whether a file with keys from `low` to `high` is to be read.
    /// fn is_wanted(scan: &Scan, low: i64, high: i64) -> bool {
    ///     scan.may_meet(0, &ColumnRange { min: Some(Value::Int(low)), max: Some(Value::Int(high)), nulls: Some(0) })
    /// }
    /// ```
    pub fn may_meet(&self, column: usize, range: &ColumnRange) -> bool {
        self.conditions.iter().filter(|condition| condition.column == column).all(|condition| condition.may_meet(range))
    }
}

/// Some rows of a scan, which one worker reads.
pub struct TablePart {
    batches: Batches,
    ranges: Vec<(usize, ColumnRange)>,
}

impl Debug for TablePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TablePart").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}

impl TablePart {
    /// The rows of batches, which come one after the other when a worker asks for them.
    pub fn new(
        batches: impl Iterator<Item = std::result::Result<RecordBatch, ProviderError>> + Send + 'static,
    ) -> Self {
        TablePart { batches: Box::new(batches), ranges: Vec::new() }
    }

    /// The same with what is known of a column, by its position among the provider's: if no row can meet the conditions of the
    /// statement by it, the part is not read. It is believed.
    ///
    /// ```
    /// use multiloop::{ColumnRange, TablePart, Value};
    ///
    /// let range = ColumnRange { min: Some(Value::Int(0)), max: Some(Value::Int(9)), nulls: Some(0) };
    /// let part = TablePart::new(std::iter::empty()).with_range(0, range);
    /// # drop(part);
    /// ```
    #[must_use]
    pub fn with_range(mut self, column: usize, range: ColumnRange) -> Self {
        self.ranges.push((column, range));
        self
    }
}
