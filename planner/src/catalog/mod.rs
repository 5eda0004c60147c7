//! What the planner asks about tables. The engine implements [`Catalog`] over an immutable snapshot, so that a
//! statement sees one state of the world from its first name to its last row.

mod conjecture;
mod declared;
mod file_options;
mod right;
mod routine;
mod view;
mod widened;

pub use conjecture::Conjecture;
pub use declared::{
    Action, Check, Declared, Deferral, Generated, Index, IndexPart, Key, Materialized, OnCommit, Reference, Restriction,
};
pub use file_options::{FileOption, FileOptions, OptionValue};
pub use right::Right;
pub use routine::{
    ArgumentMode, FoundRoutine, ROUTINE_MARK, Returned, Routine, RoutineArgument, RoutineBody, called, is_key, key_of,
    shown_key,
};
pub(crate) use view::GONE;
pub use view::{CheckOption, Literals, Mark, Marked, Meant, View, is_read_anew};

use crate::error::{Error, Result};
use crate::value::number;

use crate::function::{Function, IntervalStyle, UserDefinition};
use crate::types::{DataType, Field, OidKind};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

/// A table as the planner sees it: names, types and statistics, never rows.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// The name that EXPLAIN shows.
    pub name: String,
    /// Its columns in order.
    pub fields: Vec<Field>,
    /// What is known of its rows.
    pub statistics: Arc<TableStatistics>,
    /// The engine's handle for this snapshot of the table; the program's scans carry it to execution.
    pub handle: TableHandle,
    /// For each column the domain whose codes it stores instead of values, if it does; empty if no column does. The
    /// statistics of such a column are those of its codes, which are bigints.
    pub domains: Vec<Option<Domain>>,
    /// Its keys, and what its types lose.
    pub declared: Arc<Declared>,
    /// What it has behind `fields`.
    pub hidden: Hidden,
}

/// Columns of a table behind its own, which no name means: statistics and scans count on with them. Neither is ever NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// 1 in rows that are deleted, 0 in others, a smallint; none if no row is.
    pub deleted: Option<usize>,
    /// The number of the row among all that are stored, from 0, a bigint; only for what changes rows.
    pub number: Option<usize>,
    /// How often rows of the table have got other numbers, modulo 256: the places of rows (`ctid`) say it, so that one from before
    /// means no row, where it would mean another one.
    pub epoch: u8,
}

impl Hidden {
    /// How many there are.
    pub fn count(self) -> usize {
        usize::from(self.deleted.is_some()) + usize::from(self.number.is_some())
    }

    /// The name that EXPLAIN shows, and the type, of the column of a position.
    fn field(self, position: usize) -> Option<Field> {
        let deleted = self.deleted.filter(|deleted| *deleted == position);
        let number = self.number.filter(|number| *number == position);
        let deleted = deleted.map(|_| Field::new("deleted", DataType::SmallInt, false));
        deleted.or_else(|| number.map(|_| Field::new("row number", DataType::BigInt, false)))
    }
}

/// The values that a column of codes can have: a code is the number of a row, from 0.
#[derive(Clone, Debug)]
pub struct Domain {
    /// A table of two columns: `value`, of the type of the columns that have this domain, unique and not NULL, and `code`, the
    /// number of its row, a bigint.
    pub table: Arc<TableInfo>,
    /// Domains of one lineage give one value the same code: each begins with all rows of those before it.
    pub lineage: u64,
}

impl PartialEq for Domain {
    fn eq(&self, other: &Self) -> bool {
        self.table.handle == other.table.handle
    }
}

impl TableInfo {
    /// The domain of a column, by its position.
    pub fn domain(&self, column: usize) -> Option<&Domain> {
        self.domains.get(column)?.as_ref()
    }

    /// A column that is stored, of those behind its own, too.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn stored_field(&self, position: usize) -> Cow<'_, Field> {
        match self.fields.get(position) {
            Some(field) => Cow::Borrowed(field),
            None => Cow::Owned(self.hidden.field(position).expect("a scan reads columns of its table")),
        }
    }

    /// A column as it was declared, whatever this snapshot has it as.
    pub fn declared_field(&self, column: usize) -> Field {
        self.declared.field(column, &self.fields[column])
    }
}

/// Names one snapshot of one table within a statement; only the engine knows what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableHandle(pub u64);

/// Statistics of one snapshot: gathered when it is loaded, carried on when rows are appended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableStatistics {
    /// Number of rows.
    pub rows: u64,
    /// One entry a column.
    pub columns: Vec<ColumnStatistics>,
    /// About how many rows there are, where `rows` is no more than a bound of them, as of a table provider.
    pub about_rows: Option<u64>,
}

impl TableStatistics {
    /// About how many rows there are: for estimates only.
    pub fn likely_rows(&self) -> u64 {
        self.about_rows.unwrap_or(self.rows)
    }
}

/// Statistics of one column: what is certain of its rows, which plans may rely on, and what is about right, which may only
/// choose among plans that are all right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnStatistics {
    /// What is certain.
    pub proofs: Proofs,
    /// What is about right.
    pub estimates: Estimates,
}

/// What is certain of a column's rows in one snapshot. Each says what ends it in the next one; an update is a row that is
/// deleted and one that is inserted. What has ended is not found out again before all rows are looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proofs {
    /// Number of NULLs. Inserts add theirs, and deletes would take theirs away; none are there as long as no insert brings one.
    pub nulls: u64,
    /// Smallest value that is not NULL, if there is one and the type is ordered (for text: may be absent). Inserts may lower it;
    /// after deletes it would be a bound that no row need reach.
    pub min: Option<Value>,
    /// Largest value that is not NULL; NaN counts as the largest float. As for `min`.
    pub max: Option<Value>,
    /// Every value that is not NULL lies a multiple of this above `min`, in the type's unit; above 1. An insert between two steps
    /// leaves what divides both; deletes end nothing, as long as `min` stays where it is.
    pub step: Option<u64>,
    /// No two rows have the same value, and none is NULL. Ended by a NULL, and by a value within the range of those that are
    /// there, unless the rows are looked at; deletes end nothing.
    pub unique: bool,
    /// No two rows have the same value; there may be NULLs. Ended as `unique` is, but not by NULLs.
    pub unique_values: bool,
    /// In row order, values never decrease and NULLs, if any, are last. Ended by a value below the largest one, and by any
    /// behind a NULL; deletes end nothing.
    pub sorted: bool,
    /// Equal values stand next to each other (what sorted implies). Ended by a value within the range of those that are there,
    /// unless it sorts behind them, and by a NULL where the rows are not sorted; deletes end nothing.
    pub clustered: bool,
    /// What may yet be found out of the last ones, where it is not known. Ended by all that ends them.
    #[serde(skip)]
    pub conjecture: Option<Arc<Conjecture>>,
}

/// What is about right of a column's rows. An answer never depends on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimates {
    /// Number of distinct values that are not NULL: within a few per cent where rows were looked at, a guess for those that were
    /// inserted since.
    pub distinct: Option<u64>,
    /// Average bytes of a value in memory; for text the average length.
    pub average_bytes: f64,
    /// About the smallest and the largest value as numbers in the type's unit, of rows that nobody has looked at: finite, in order.
    /// Where rows were looked at, the proofs have them.
    pub range: Option<(f64, f64)>,
    /// About how many NULLs there are, of rows that nobody has looked at.
    pub nulls: Option<u64>,
    /// Values that are much more common than the average one, with the share of all rows that each has; the most common first.
    #[serde(skip)]
    pub common: Arc<[(Value, f64)]>,
}

impl Estimates {
    /// The share of all rows that have a value, where there are about so many distinct ones and this share is NULL: that of a
    /// common value is known, the others share what is left.
    pub(crate) fn share_of(common: &[(Value, f64)], value: &Value, distinct: f64, null_share: f64) -> f64 {
        if common.is_empty() {
            return 1.0 / distinct;
        }
        let rest = || 1.0 - null_share - common.iter().map(|(_, share)| share).sum::<f64>();
        let known = common.iter().find(|(known, _)| known == value);
        known.map_or_else(|| rest().max(0.0) / (distinct - common.len() as f64).max(1.0), |(_, share)| *share)
    }

    /// Two values as a range, if they are numbers that make one.
    pub fn range_of(min: &Value, max: &Value) -> Option<(f64, f64)> {
        let range = number(min).zip(number(max));
        range.filter(|(min, max)| min <= max && min.is_finite() && max.is_finite())
    }
}

/// Codes of keys up to which an index over them is an array or bits, whatever rows there are: the cost model of joins and the
/// choice of an index must agree.
pub const NEAR_CODES: u64 = 1 << 24;

/// The same, for each row.
pub const NEAR_CODES_PER_ROW: u64 = 2048;

impl ColumnStatistics {
    /// The smallest and the largest value as numbers, if both are proven.
    pub(crate) fn proven_range(&self) -> Option<(f64, f64)> {
        self.proofs.min.as_ref().and_then(number).zip(self.proofs.max.as_ref().and_then(number))
    }

    /// The same, or what they are likely to be: for estimates only.
    pub(crate) fn likely_range(&self) -> Option<(f64, f64)> {
        self.proven_range().or(self.estimates.range)
    }

    /// Whether an index of so many rows of a column would be one of hashes, as far as ranges tell: not of strings, of which the
    /// side that asks often has codes of a dictionary, each string of which is looked up once.
    pub fn is_wide(&self, rows: u64) -> bool {
        let step = self.proofs.step;
        let bounds = self.proven_range();
        let codes = bounds.map_or(0.0, |(min, max)| (max - min) / step.unwrap_or(1) as f64);
        codes > (NEAR_CODES as f64).max(rows as f64 * NEAR_CODES_PER_ROW as f64)
    }
}

/// What a name in FROM can stand for.
#[derive(Clone, Debug)]
pub enum CatalogEntry {
    /// A table, or a file read as one.
    Table(Arc<TableInfo>),
    /// A view.
    View(Arc<View>),
}

/// The name of a table or view, case-folded, perhaps with its schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableName {
    /// Its schema, if it is said.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
}

impl TableName {
    /// The name with its schema, without quotes, as messages have it.
    pub fn plain(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

impl From<&str> for TableName {
    /// A name without a schema.
    fn from(name: &str) -> Self {
        TableName { schema: None, name: name.to_owned() }
    }
}

/// A function that is a query: bound in place of each of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlFunction {
    /// The types of its arguments; of [`DataType::Null`] one that is taken as it is.
    pub parameters: Vec<DataType>,
    /// A SELECT of at most one row, in which `$1`, `$2`, … are the arguments. Its tables are named with their schemas. Of several
    /// columns the value is a row.
    pub body: String,
    /// Whether each of its rows is a value, of which there may be any number.
    pub gives_rows: bool,
}

/// What a program registered under a name.
#[derive(Clone, Debug)]
pub enum UserCallee {
    /// A function of a row's values.
    Scalar(Arc<UserDefinition>),
    /// An aggregate.
    Aggregate(Arc<UserAggregate>),
    /// A function that gives a table.
    Table {
        /// What [`Catalog::table_of_function`] knows it by.
        number: u32,
        /// The types of its arguments.
        parameters: Vec<DataType>,
    },
}

/// An aggregate that a program registered.
#[derive(Debug)]
pub struct UserAggregate {
    /// The types of its arguments.
    pub parameters: Vec<DataType>,
    /// Whether rows in which an argument is NULL do not count.
    pub strict: bool,
    /// The function of an array for each argument, of the rows' values in order, that is the aggregate's value.
    pub of_arrays: Arc<UserDefinition>,
    /// Whether the states of its rows may be merged in any order, so that no rows need be kept. It has one argument then, and is
    /// NULL of no rows but for what `of_no_rows`, a function without arguments, gives.
    pub has_states: bool,
    /// Its value of no rows, if it has states and is not NULL then.
    pub of_no_rows: Option<Arc<UserDefinition>>,
}

impl UserCallee {
    /// The types of its arguments.
    pub fn parameters(&self) -> &[DataType] {
        match self {
            UserCallee::Scalar(known) => &known.parameters,
            UserCallee::Aggregate(known) => &known.parameters,
            UserCallee::Table { parameters, .. } => parameters,
        }
    }
}

/// One immutable state of the world.
pub trait Catalog {
    /// The table or view of a name, if there is one; one without a schema is looked for where the session looks.
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>>;

    /// The same of a table that a statement changes, of whose rows it reads nothing by that: only its columns, and what it was declared
    /// with.
    fn target(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        self.entry(name)
    }

    /// The table of a name for a statement that changes rows of it: with their numbers ([`Hidden::number`]). None if there is no table
    /// of that name.
    fn to_change(&self, _: &TableName) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    /// The same for a query that asks where its rows are, if they are the engine's own.
    fn numbered(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        self.to_change(name)
    }

    /// The same for a query that takes the rows that it gives; without rows that others have taken, if they are skipped.
    fn to_lock(&self, name: &TableName, _skips: bool) -> Result<Option<Arc<TableInfo>>> {
        self.to_change(name)
    }

    /// Rows that were to be inserted into a table beside those that are there and have a key of theirs: the table's columns as they
    /// are there, once more as they were to be, and the number of the row that is there. Which rows these are nobody knows before the
    /// statement runs, so nothing is proven of them.
    fn meeting(&self, _: &TableName) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    /// A table of these columns whose rows a part of the statement gives before another one reads them: what RETURNING gives within
    /// WITH. Nothing is proven of them.
    fn awaited(&self, _name: &str, _fields: Vec<Field>) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    /// An error (42501) unless whoever asks may do this with the table or view of a name, if there is one; `through` is the innermost
    /// view whose text names it, which is asked with the rights of its owner.
    fn check_right(&self, _: &TableName, _: Right, _through: Option<&TableName>) -> Result<()> {
        Ok(())
    }

    /// The schema in which a table or view of a name without one is found; none where schemas mean nothing.
    fn schema_of(&self, _: &TableName) -> Option<String> {
        None
    }

    /// A file (`SELECT … FROM 'orders.parquet'`) as a table: Ok(None) if the engine does not know its format.
    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>>;

    /// Files as one table, of a format and with options that a query says.
    fn files(&self, paths: &[String], options: &FileOptions) -> Result<Option<Arc<TableInfo>>> {
        match paths {
            [path] if options.is_empty() => self.file(path),
            _ => Err(Error::unsupported("an option of a file is")),
        }
    }

    /// Told of a statement that does nothing but make a table of the rows of the files that it names.
    fn loads_file(&self) {}

    /// The time at which the transaction began, in microseconds since 1970-01-01 00:00 UTC; a catalog without a clock says that
    /// this was then.
    fn now(&self) -> i64 {
        0
    }

    /// The time at which the statement began.
    fn statement_time(&self) -> i64 {
        self.now()
    }

    /// The number, from 0, of the first of two parameters that have the times at which transaction and statement began, where what
    /// is bound is to last: these are no constants then.
    fn moments(&self) -> Option<u32> {
        None
    }

    /// The values that literals in the statement's own text had when it was prepared: they go on to have them.
    fn prepared_literals(&self) -> Arc<Literals> {
        Arc::default()
    }

    /// Says what [`Catalog::prepared_literals`] are.
    fn mean_literals(&self, _: &Arc<Literals>) {}

    /// Whether the statement is being prepared: it is told of the values of literals.
    fn is_preparing(&self) -> bool {
        false
    }

    /// Told of the literals of a statement that is being prepared.
    fn keep_literals(&self, _: Literals) {}

    /// The name of the session's time zone, which [`crate::evaluate::zone::Zone::named`] knows.
    fn time_zone(&self) -> Arc<str> {
        Arc::from(crate::evaluate::UTC)
    }

    /// How the session writes intervals.
    fn interval_style(&self) -> IntervalStyle {
        IntervalStyle::Postgres
    }

    /// The value of a function that tells something of the session (`current_user`, `current_setting('TimeZone')`), and its type;
    /// none if there is no such function. Names are in lower case; arguments are literals.
    fn session_value(&self, _: &str, _: &[Value]) -> Result<Option<(Value, DataType)>> {
        Ok(None)
    }

    /// The types of the arguments and of the value of a function that [`Catalog::session_value`] knows. Its arguments must be known
    /// before the query runs, be it with parameters' values: see [`Catalog::needs_values`].
    fn session_function(&self, _: &str, _: usize) -> Option<(Vec<DataType>, DataType)> {
        None
    }

    /// The value of a parameter (`$1` is 0), of a statement that is bound to be run with these values alone.
    fn value_of_parameter(&self, _: usize) -> Option<Value> {
        None
    }

    /// Told of a statement that has to be bound once more when its parameters' values are known.
    fn needs_values(&self) {}

    /// The function of a name (in lower case) and a number of arguments that is a query, if there is one.
    fn function(&self, _: &str, _: usize) -> Option<Arc<SqlFunction>> {
        None
    }

    /// Whether PostgreSQL has functions of a name (in lower case), which come before those that users wrote.
    fn is_standard_function(&self, _: &str) -> bool {
        true
    }

    /// The columns of a view, if there is one of this name.
    fn fields_of_view(&self, _: &TableName) -> Result<Option<Vec<Field>>> {
        Ok(None)
    }

    /// The functions of a name that were written in SQL, one a signature, those found first in the path first.
    fn routines(&self, _: &TableName) -> Vec<FoundRoutine> {
        Vec::new()
    }

    /// The function that a schema has under a key, if there is one.
    fn routine(&self, _: &TableName) -> Option<FoundRoutine> {
        None
    }

    /// What calls a function that was written in SQL by running its statements; a call gives a value of this type.
    ///
    /// # Errors
    /// 0A000 where nobody runs statements.
    fn running_function(&self, _: &FoundRoutine, _result: DataType) -> Result<Function> {
        Err(Error::unsupported("a function whose statements are run is"))
    }

    /// The number that the next row gets of a table that a statement inserts into, and how often the table has been written anew; none
    /// where nobody knows.
    fn next_row(&self, _: &TableName) -> Result<Option<(u64, u8)>> {
        Ok(None)
    }

    /// Whether the statements of all VOLATILE functions are run: the statement calls one that changes something, and they may see that.
    /// Whoever asks has the query of such a function.
    fn runs_volatile(&self) -> bool {
        false
    }

    /// The functions of a name (in lower case) that a program registered.
    fn user_functions(&self, _: &str) -> Vec<UserCallee> {
        Vec::new()
    }

    /// What a table function that a program registered gives for these arguments; without any, a table of no rows.
    fn table_of_function(&self, _number: u32, _: Option<&[Value]>) -> Result<Arc<TableInfo>> {
        Err(Error::unsupported("a table function is"))
    }

    /// The number of the object of a name, as it is written: 42P01 for a relation that is not there, 42704 and 42883 for others.
    fn resolve(&self, kind: OidKind, name: &str) -> Result<u32> {
        Err(kind.no_object(name))
    }

    /// The type that was made under a name, if there is one.
    fn type_named(&self, _: &TableName) -> Result<Option<DataType>> {
        Ok(None)
    }

    /// Columns of a file that cannot be read: where among its columns they are, their names, and the error of asking.
    fn unreadable(&self, _: TableHandle) -> Vec<(usize, String, Error)> {
        Vec::new()
    }

    /// The texts that a query of one column gives, in order, read while a statement is bound: the columns of a PIVOT without values.
    /// The query is a bound one, of the relation, which is above the catalog.
    fn texts(&self, _: Box<dyn Any>) -> Result<Vec<String>> {
        Err(Error::unsupported("PIVOT without the values that there are columns for is"))
    }

    /// All names, for "did you mean" and SHOW TABLES, in order.
    fn names(&self) -> Vec<String>;

    /// An error once whoever asks wants no answer any more (57014); binding asks again and again.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}
