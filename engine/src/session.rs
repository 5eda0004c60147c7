//! A session: runs statements, remembers settings, can be cancelled.

use crate::catalog::StoredTable;
use crate::engine::Engine;
use crate::format::{self, CsvOptions, Format};
use crate::guard::guarded;
use crate::plan::{Timings, timed};
use crate::running::{Running, SessionOptions};
use crate::statement::{self, Bind};
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result};
use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::{Cancellation, Context, Progress, Reservation};
use multiloop_planner::catalog::Catalog;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use multiloop_planner::{sql, stack};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Scripts of fewer bytes do not count against memory.
const TEXT_SMALL: usize = 1 << 16;

/// Bytes that the trees of a script take for each of its text: a number in a list is a node of 300 bytes.
const TREE_BYTES: usize = 32;

/// Told how far a statement is: rows done, rows to do (a guess that may grow).
pub type ProgressCallback = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Where statements run. Sessions are independent: settings and cancellation are their own, tables are shared.
pub struct Session {
    pub(crate) engine: Engine,
    /// Settings; change them at any time, the next statement uses them.
    pub options: SessionOptions,
    current: Mutex<Watched>,
    on_progress: Option<ProgressCallback>,
}

/// What the statement that runs, or runs next, shares with whoever watches it.
#[derive(Clone, Default)]
struct Watched {
    cancellation: Cancellation,
    progress: Arc<Progress>,
}

impl Engine {
    /// A session: where statements run. Sessions are cheap and see the same tables.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }
}

impl Session {
    fn new(engine: Engine) -> Self {
        Session { engine, options: SessionOptions::default(), current: Mutex::default(), on_progress: None }
    }

    /// The engine that this session is of.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Runs a script: one or more statements. Gives the last one's result; an error stops it, and what the
    /// statements before the failed one did stays done.
    pub fn sql(&self, sql: &str) -> Result<ResultStream> {
        self.sql_with(sql, &[])
    }

    /// Runs a script with values for `$1`, `$2`, …, each with its type.
    pub fn sql_with(&self, sql: &str, parameters: &[(Value, DataType)]) -> Result<ResultStream> {
        let mut last = ResultStream::done("");
        self.run_script(sql, parameters, &mut |result| {
            last = result;
            Ok(())
        })?;
        Ok(last)
    }

    /// Runs a script and hands over the result of each statement before the next one runs.
    pub fn sql_each(&self, sql: &str, each: &mut dyn FnMut(ResultStream) -> Result<()>) -> Result<()> {
        self.run_script(sql, &[], each)
    }

    fn run_script(
        &self,
        sql: &str,
        parameters: &[(Value, DataType)],
        each: &mut dyn FnMut(ResultStream) -> Result<()>,
    ) -> Result<()> {
        // Trees that nest deeply are dropped where there is room for it, too.
        stack::deep(|| self.run_statements(sql, parameters, each))
    }

    fn run_statements(
        &self,
        sql: &str,
        parameters: &[(Value, DataType)],
        each: &mut dyn FnMut(ResultStream) -> Result<()>,
    ) -> Result<()> {
        let mut trees = Reservation::new(&self.running().context().memory);
        trees.add(tree_bytes(sql))?;
        let mut timings = Timings::default();
        let script = sql;
        // Editors put a byte order mark before a file's text; positions count it.
        let sql = script.strip_prefix('\u{feff}').unwrap_or(script);
        let mark = script.len() - sql.len();
        let statements =
            guarded(|| timed(&mut timings.parse, || sql::parse(sql))).map_err(|error| error.shifted(mark))?;
        let mut end = 0;
        for parsed in &statements {
            // A statement's positions count from its own start; the caller's text is the script.
            let start = sql[end..].find(&parsed.text).map_or(end, |found| end + found);
            end = start + parsed.text.len();
            let bind = |catalog: &dyn Catalog, types: &[DataType], wide: bool| {
                if wide { sql::bind_wide(parsed, catalog, types) } else { sql::bind(parsed, catalog, types) }
            };
            let run = || statement::run(&self.running(), &bind, parameters, timings);
            let result = self.as_statement(run).map_err(|error| error.shifted(mark + start))?;
            let taken = each(result);
            // Who cancels while the rows are taken means this statement, not the next.
            self.forget_cancellation();
            taken?;
            timings = Timings::default();
        }
        Ok(())
    }

    /// Runs a statement that has no text: `bind` makes it.
    pub(crate) fn run_built(&self, parameters: &[(Value, DataType)], bind: &Bind<'_>) -> Result<ResultStream> {
        let run = || statement::run(&self.running(), bind, parameters, Timings::default());
        stack::deep(|| self.as_statement(run))
    }

    /// A handle that cancels the statement that this session is running then, or the next one if it runs none.
    pub fn cancel_handle(&self) -> Cancellation {
        self.watched().cancellation
    }

    fn watched(&self) -> Watched {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls back a few times a second while a statement runs, from another thread.
    pub fn on_progress(&mut self, callback: Option<ProgressCallback>) {
        self.on_progress = callback;
    }

    /// Makes record batches a table, replacing a table of that name. Their arrays are shared, not copied, unless
    /// the engine was built to compact. All batches must have one schema.
    pub fn register(&self, name: &str, batches: Vec<RecordBatch>) -> Result<()> {
        let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        let table = self.as_statement(|| {
            if self.engine.0.compact {
                self.compact(name, &schema, batches.into_iter().map(Ok))
            } else {
                Ok(StoredTable::new(name, Table::register(&schema, batches, &self.loading())?, Arc::default()))
            }
        })?;
        self.put_table(name, table)
    }

    /// Loads record batches into a compact table, replacing a table of that name; each batch is dropped as soon as
    /// its rows are in.
    pub fn load(
        &self,
        name: &str,
        schema: &Schema,
        batches: impl IntoIterator<Item = Result<RecordBatch>>,
    ) -> Result<()> {
        let table = self.as_statement(|| self.compact(name, schema, batches))?;
        self.put_table(name, table)
    }

    /// Loads a Parquet, CSV or Arrow file (or all that a pattern like `part-*.parquet` fits) as a table, replacing a
    /// table of that name. Columns of CSV files are inferred.
    pub fn read(&self, name: &str, path: impl AsRef<Path>, format: &Format) -> Result<()> {
        let path = path.as_ref();
        let path = path.to_str().ok_or_else(|| Error::new(ErrorKind::FileNotFound, "the path is not UTF-8"))?;
        let table = self.as_statement(|| {
            let table = format::read_table(path, format, None, &self.loading())?;
            self.engine.0.stored(name, table, Arc::default(), &self.loading())
        })?;
        self.put_table(name, table)
    }

    /// Loads Parquet as a table; see [`Session::read`].
    pub fn read_parquet(&self, name: &str, path: impl AsRef<Path>) -> Result<()> {
        self.read(name, path, &Format::Parquet)
    }

    /// Loads CSV with a header line as a table; see [`Session::read`].
    pub fn read_csv(&self, name: &str, path: impl AsRef<Path>) -> Result<()> {
        self.read(name, path, &Format::Csv(CsvOptions::default()))
    }

    fn put_table(&self, name: &str, table: StoredTable) -> Result<()> {
        guarded(|| {
            self.engine.0.put_table(name, table, &self.loading());
            Ok(())
        })
    }

    fn compact(
        &self,
        name: &str,
        schema: &Schema,
        batches: impl IntoIterator<Item = Result<RecordBatch>>,
    ) -> Result<StoredTable> {
        let mut builder = TableBuilder::for_schema(schema, Storage::Compact, &self.loading())?;
        batches.into_iter().try_for_each(|batch| builder.push(batch?))?;
        self.engine.0.stored(name, builder.finish()?, Arc::default(), &self.loading())
    }

    /// What statements have from this session.
    pub(crate) fn running(&self) -> Running<'_> {
        let Watched { cancellation, progress } = self.watched();
        Running { engine: &self.engine, options: &self.options, cancellation, progress }
    }

    /// What a load shares.
    pub(crate) fn loading(&self) -> Context {
        self.running().loading()
    }

    /// Runs a whole statement: the cancel handle reaches it, and its progress is reported.
    pub(crate) fn as_statement<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let progress = Arc::<Progress>::default();
        self.current.lock().unwrap_or_else(PoisonError::into_inner).progress = Arc::clone(&progress);
        let result = guarded(|| match &self.on_progress {
            None => work(),
            Some(callback) => with_progress(&progress, callback, work),
        });
        self.forget_cancellation();
        result
    }

    /// Gives the next statement a flag of its own if this one's was set; handles given out before are spent.
    fn forget_cancellation(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.cancellation.is_cancelled() {
            current.cancellation = Cancellation::default();
        }
    }
}

/// What the syntax trees of a script take, roughly, if that is worth a thought.
fn tree_bytes(sql: &str) -> usize {
    if sql.len() < TEXT_SMALL { 0 } else { sql.len().saturating_mul(TREE_BYTES) }
}

fn with_progress<T>(progress: &Arc<Progress>, callback: &ProgressCallback, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            // The sender is dropped when the work is done, or unwinds.
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                callback(progress.done.load(Ordering::Relaxed), progress.total.load(Ordering::Relaxed));
            }
        });
        let result = work();
        drop(stop);
        result
    })
}
