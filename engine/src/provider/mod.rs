//! Table providers: a store of the user's own is a table.
//!
//! A [`TableProvider`] has columns and gives batches of rows; [`Session::register_table`](crate::Session::register_table) puts it
//! under a name. It is read, and not written. How a statement reads it:
//!
//! 1. The planner sees its columns (`registered`), and a bound of its rows, which is what [`TableProvider::estimates`] says with some
//!    room, or a guess, and is held against what comes. What else it says of its rows (`estimates`) orders joins; nothing of it is
//!    believed.
//! 2. Before the program runs, each provider that it reads is asked once, however often the statement names it, for the columns that
//!    are read anywhere, with the conditions that every use of it has (`offered`, `condition`).
//! 3. Its parts are read by the workers, each by one of them, batch by batch, held against the columns, counted, and become the
//!    chunks of a table (`scan`) that is the statement's alone and is gone with it. Those that can be read anywhere and at any time
//!    stay where they are until loops ask for some rows of a column (`lazy`).
//! 4. The program runs over that table, and evaluates all conditions: what a provider makes of an offer changes the time, and never
//!    the answer, unless it leaves out rows that meet the conditions.
//!
//! A scan that gives more rows than the plan has proofs for ends with an error that has the statement planned and run once more,
//! with a larger bound.

mod condition;
mod estimates;
mod lazy;
mod offered;
mod registered;
mod scan;
#[cfg(test)]
mod tests;

pub use condition::{ColumnRange, Condition, Test};
pub use estimates::{ColumnEstimate, RowCount, TableEstimates};
pub(crate) use registered::Provided;
pub(crate) use scan::{Scanned, scan_all};

use crate::{Cancellation, ErrorKind, Field, Result};
use arrow::array::{ArrayRef, RecordBatch};
use lazy::ReadColumn;
use std::fmt::Debug;
use std::ops::Range;

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
/// What comes in batches is read before the statement's loops begin, and held in memory while it runs; what
/// [lazy parts](TablePart::lazy) have is read when loops come to it, until the last row of the result has been read.
///
/// All of it runs within the statement that reads the table, which may hold locks of the engine: its functions, its parts' iterators,
/// what reads lazy parts and what drops them may ask the [`Scan`] with its conditions and its cancellation, but may neither run or prepare
/// statements nor register anything, in any engine: that is an error (0A000). Rows of another engine are read by a thread
/// of the provider's own, which hands the batches over; a thread that writes to this engine while the statement waits for it may wait
/// for that statement for ever. A part that waits keeps one of the engine's workers until it goes on, and the statement
/// hears a cancel only then, unless the part looks at [`Scan::cancellation`].
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
    /// more begins once more. Whoever knows more of them says it in [`TableProvider::estimates`].
    fn rows(&self) -> Option<u64> {
        None
    }

    /// What is likely of its rows, if that is cheap to say: how many there are, and of columns about the least and the greatest
    /// value, and how many NULLs and different values there are. The planner orders joins by it, and nothing depends on it: no
    /// answer where it is wrong. It is asked when the table is registered, and again after a statement has found
    /// more rows than it was planned for; whose rows change much is registered anew now and then.
    ///
    /// ```
    /// # use multiloop::{Engine, Field, ProviderError, Scan, TablePart};
    /// use multiloop::{ColumnEstimate, DataType, RowCount, TableEstimates, TableProvider, Value};
    ///
    /// /// The squares below a number.
    /// #[derive(Debug)]
    /// struct Squares(i64);
    ///
    /// impl TableProvider for Squares {
    ///     fn estimates(&self) -> TableEstimates {
    ///         let most = self.0 - 1;
    ///         let squares = ColumnEstimate {
    ///             min: Some(Value::Int(0)),
    ///             max: Some(Value::Int(most * most)),
    ///             nulls: Some(0),
    ///             distinct: Some(self.0 as u64),
    ///         };
    ///         TableEstimates::of(RowCount::Exactly(self.0 as u64)).with_column(0, squares)
    ///     }
    ///
    ///     // …
    /// #     fn fields(&self) -> Vec<Field> {
    /// #         vec![Field::new("square", DataType::BigInt, false)]
    /// #     }
    /// #     fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
    /// #         Ok(Vec::new())
    /// #     }
    /// }
    /// # let session = Engine::new()?.session();
    /// # session.register_table("squares", Squares(1000))?;
    /// # let plan = session.query_map("EXPLAIN SELECT * FROM squares WHERE square < 99800", (), |row| row.get(0))?;
    /// # let plan = plan.collect::<multiloop::Result<Vec<String>>>()?;
    /// # assert!(plan.iter().any(|line| line.contains("(rows 100)")), "{plan:?}");
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    fn estimates(&self) -> TableEstimates {
        TableEstimates { rows: self.rows().map(RowCount::About), columns: Vec::new() }
    }

    /// Begins to read rows: the parts together have each row once. This is to be quick; what takes time belongs into the parts'
    /// iterators, which are read by several workers at once, or what reads lazy ones. There should be as many parts as there are workers,
    /// or more.
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
    /// conditions but the offered ones. Where there are none at all, no more batches, and no more parts, are asked for once so many
    /// rows have come. Of lazy parts a loop that has enough rows asks for no more, whatever its conditions are.
    /// Whoever leaves out rows by it leaves out only such that are beyond so many *that meet the
    /// conditions*.
    pub limit: Option<u64>,
    /// Whether the statement has been cancelled: heard between batches and reads by the engine, and within one by whoever looks here.
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

/// Some rows of a scan: batches, which one worker reads, or columns, which are read when they are asked for.
pub struct TablePart {
    rows: PartRows,
    ranges: Vec<(usize, ColumnRange)>,
}

/// What the rows of a part come from.
enum PartRows {
    /// Batches, one after the other.
    Batches(Batches),
    /// So many rows, of which columns are read.
    Lazy(usize, Box<ReadColumn>),
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
        TablePart { rows: PartRows::Batches(Box::new(batches)), ranges: Vec::new() }
    }

    /// So many rows whose columns are read when a loop comes to them: those of conditions first, and what else it reads only where
    /// rows are left. `read` gives an array of some rows of a column, which it is asked for by the column's position among the
    /// provider's; several workers may call it at once, for ranges of two thousand to some hundred thousand rows. The memory counts
    /// while a loop has these rows, and no longer, so a statement may go over more rows than fit.
    ///
    /// A part is repeatable within a statement: asked again, it gives the same rows. Where several loops read a column it is kept
    /// after the first as far as there is room (a quarter of the engine's memory at most), and else asked for again. Rows that
    /// then are others are an error (58030), and so is an array of another number of rows (42804). Some
    /// queries need a table's rows side by side; what they read is read whole, once. All of this goes on while the rows of a result are
    /// read. A part should have some ten thousand rows or more; each is a piece of work for a worker.
    ///
    /// ```
    /// use multiloop::arrow::array::{Array, ArrayRef, Int64Array};
    /// use multiloop::{DataType, Engine, Field, ProviderError, Scan, TablePart, TableProvider};
    /// use std::sync::Arc;
    ///
    /// /// Columns of numbers.
    /// #[derive(Debug)]
    /// struct Columns(Vec<(&'static str, ArrayRef)>);
    ///
    /// impl TableProvider for Columns {
    ///     fn fields(&self) -> Vec<Field> {
    ///         self.0.iter().map(|(name, _)| Field::new(*name, DataType::BigInt, true)).collect()
    ///     }
    ///
    ///     fn scan(&self, _: &Scan) -> Result<Vec<TablePart>, ProviderError> {
    ///         let columns: Vec<ArrayRef> = self.0.iter().map(|(_, column)| Arc::clone(column)).collect();
    ///         let rows = columns.first().map_or(0, |column| column.len());
    ///         Ok(vec![TablePart::lazy(rows, move |column, rows| Ok(columns[column].slice(rows.start, rows.len())))])
    ///     }
    /// }
    ///
    /// let numbers = |of: fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((0..1000).map(of))) as ArrayRef;
    /// let session = Engine::new()?.session();
    /// session.register_table("t", Columns(vec![("k", numbers(|k| k)), ("square", numbers(|k| k * k))]))?;
    /// let square: i64 = session.query_scalar("SELECT square FROM t WHERE k = 12", ())?;
    /// assert_eq!(square, 144);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn lazy(
        rows: usize,
        read: impl Fn(usize, Range<usize>) -> std::result::Result<ArrayRef, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        TablePart { rows: PartRows::Lazy(rows, Box::new(read)), ranges: Vec::new() }
    }

    /// The same with what is known of a column, by its position among the provider's: if no row can meet the conditions of the
    /// statement by it, the part is not read, nor a lazy one by a loop whose conditions no row can meet. It is believed; integers, dates
    /// and times of a lazy part that lie outside are an error (22P04) where they are read.
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
