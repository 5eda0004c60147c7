//! What a statement gives back: Arrow record batches, and what else there is to say of it.

use crate::plan::Timings;
use crate::sight::Sight;
use crate::sliced::{BATCH_ROWS, Sliced};
use crate::tallies::Ran;
use crate::{ErrorKind, Result, guard};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType as ArrowType, Field as ArrowField, Schema, SchemaRef};
use multiloop_exec::workers::context::Cancellation;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;
use std::time::Instant;

/// The result of a statement: an iterator over record batches of one schema.
///
/// A statement that gives no rows has no columns and no batches; its `tag` says what it did.
pub struct ResultStream {
    fields: Vec<Field>,
    schema: SchemaRef,
    pub(crate) batches: Box<dyn Iterator<Item = Result<RecordBatch>> + Send>,
    tag: Option<String>,
    verb: &'static str,
    is_binary: bool,
    notices: Vec<Notice>,
    timings: Timings,
    sight: Sight,
    /// The statement's run, which ends with the rows.
    ran: Option<Box<Ran>>,
    cancellation: Cancellation,
    /// It has ended with an error.
    is_over: bool,
    /// All rows were made before it was given.
    pub(crate) is_whole: bool,
}

/// What a statement says beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// NOTICE, WARNING, INFO.
    pub severity: &'static str,
    /// Its SQLSTATE.
    pub sqlstate: &'static str,
    /// What it says.
    pub message: String,
}

impl Notice {
    /// Something is not as a statement says, which tolerates that.
    pub(crate) fn skipping(sqlstate: &'static str, message: impl Into<String>) -> Self {
        Notice { severity: "NOTICE", sqlstate, message: format!("{}, skipping", message.into()) }
    }

    /// Something that is good to know.
    pub(crate) fn told(message: impl Into<String>) -> Self {
        Notice { severity: "NOTICE", sqlstate: "00000", message: message.into() }
    }

    /// Something that may not be meant.
    pub(crate) fn warning(sqlstate: &'static str, message: impl Into<String>) -> Self {
        Notice { severity: "WARNING", sqlstate, message: message.into() }
    }
}

impl std::fmt::Debug for ResultStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResultStream").field("fields", &self.fields).field("tag", &self.tag).finish_non_exhaustive()
    }
}

impl ResultStream {
    pub(crate) fn rows(
        fields: Vec<Field>,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch>> + Send + 'static,
    ) -> Self {
        let batches = Box::new(Sliced::new(batches, BATCH_ROWS));
        let timings = Timings::default();
        ResultStream {
            fields,
            schema,
            batches,
            tag: None,
            verb: "SELECT",
            is_binary: false,
            notices: Vec::new(),
            timings,
            sight: Sight::default(),
            ran: None,
            cancellation: Cancellation::default(),
            is_over: false,
            is_whole: false,
        }
    }

    /// The same rows, all of which are made, or not.
    pub(crate) fn whole(self, is_whole: bool) -> Self {
        ResultStream { is_whole, ..self }
    }

    /// The same rows, of a statement that hears this handle.
    pub(crate) fn cancelled_by(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// A handle that cancels this statement, the making of its rows that have not been read: the next one is an error (57014), and
    /// the last. It stops nothing else, however late it is used.
    ///
    /// For a handle before there is a result see [`Session::cancelled_by`](crate::Session::cancelled_by).
    ///
    /// ```
    /// use multiloop::{Engine, ErrorKind};
    ///
    /// let session = Engine::new()?.session();
    /// let mut rows = session.sql("SELECT n FROM generate_series(1, 1000000) r (n)")?;
    /// let handle = rows.cancel_handle();
    /// std::thread::spawn(move || handle.cancel()).join().unwrap();
    /// assert_eq!(rows.next().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    /// assert!(rows.next().is_none());
    /// assert!(session.sql("SELECT 1").is_ok());
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn cancel_handle(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// No rows, only what was done, as PostgreSQL's command tags say it.
    pub(crate) fn done(tag: impl Into<String>) -> Self {
        let schema = Arc::new(Schema::empty());
        let batches = Box::new(std::iter::empty());
        let (tag, notices, timings) = (Some(tag.into()), Vec::new(), Timings::default());
        let (fields, sight, ran, cancellation) = (Vec::new(), Sight::default(), None, Cancellation::default());
        let (verb, is_binary, is_over) = ("", false, false);
        ResultStream {
            fields,
            schema,
            batches,
            tag,
            verb,
            is_binary,
            notices,
            timings,
            sight,
            ran,
            cancellation,
            is_over,
            is_whole: true,
        }
    }

    /// Rows of text columns.
    pub(crate) fn text(names: &[&str], rows: Vec<Vec<Option<String>>>) -> Self {
        let fields: Vec<Field> = names.iter().map(|name| Field::new(*name, DataType::Text, true)).collect();
        let arrow: Vec<ArrowField> = names.iter().map(|name| ArrowField::new(*name, ArrowType::Utf8, true)).collect();
        let schema = Arc::new(Schema::new(arrow));
        let arrays = (0..names.len())
            .map(|column| {
                let values: StringArray = rows.iter().map(|row| row[column].as_deref()).collect();
                Arc::new(values) as ArrayRef
            })
            .collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).expect("one text array a name, of one length");
        ResultStream::rows(fields, schema, std::iter::once(Ok(batch)))
    }

    /// One JSON value.
    pub(crate) fn json(name: &str, value: String) -> Self {
        let mut result = ResultStream::text(&[name], vec![vec![Some(value)]]);
        result.fields[0].data_type = DataType::Json;
        result
    }

    pub(crate) fn with_timings(mut self, timings: Timings) -> Self {
        self.timings = timings;
        self
    }

    /// The same rows, which count for a run of their statement.
    pub(crate) fn tallied(mut self, mut ran: Ran) -> Self {
        ran.planning = self.timings.plan;
        ran.running = ran.running.saturating_sub(ran.planning);
        // What was done says to how many rows.
        let done = self.tag.as_deref().and_then(|tag| tag.rsplit(' ').next()?.parse().ok());
        ran.rows = done.unwrap_or(0);
        self.ran = Some(Box::new(ran));
        self
    }

    pub(crate) fn with_sight(mut self, sight: Sight) -> Self {
        self.sight = sight;
        self
    }

    /// Without what is less than a level of `client_min_messages`.
    pub(crate) fn with_notices_from(mut self, least: &str) -> Self {
        let suppressed: &[&str] = match least {
            "warning" => &["NOTICE"],
            "error" => &["NOTICE", "WARNING"],
            _ => &[],
        };
        self.notices.retain(|notice| !suppressed.contains(&notice.severity));
        self
    }

    pub(crate) fn with_notice(mut self, notice: Notice) -> Self {
        self.notices.push(notice);
        self
    }

    /// The same rows, given by a statement of another kind than SELECT.
    pub(crate) fn with_verb(mut self, verb: &'static str) -> Self {
        self.verb = verb;
        self
    }

    pub(crate) fn in_binary(mut self) -> Self {
        self.is_binary = true;
        self
    }

    /// Whether it comes from a BINARY cursor: where a protocol has two forms of values, these are to be sent in the one for programs.
    pub fn is_binary(&self) -> bool {
        self.is_binary
    }

    /// Which kind of statement gives these rows, as PostgreSQL's command tags say it: `SELECT`, `FETCH`, `SHOW`, `EXPLAIN`;
    /// with RETURNING `INSERT`, `UPDATE`, `DELETE`.
    pub fn verb(&self) -> &'static str {
        self.verb
    }

    /// What the statement says beside its result.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Names and SQL types of the columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The Arrow schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// What a statement without rows did: `CREATE TABLE`, `INSERT 0 3`. None for a query.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// How its values are shown: as the session saw them when the statement ran.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// How long the steps took, the making of batches up to the last one that was read with them.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// All batches.
    pub fn collect_batches(self) -> Result<Vec<RecordBatch>> {
        self.collect()
    }
}

impl Iterator for ResultStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let started = Instant::now();
        let is_stopped = self.cancellation.is_set();
        let next = guard::caught(|| {
            if is_stopped && self.tag.is_none() && !self.is_over {
                self.cancellation.check()?;
            }
            self.batches.next().transpose()
        });
        let taken = started.elapsed();
        self.timings.execute += taken;
        if let Some(ran) = &mut self.ran {
            ran.running += taken;
            match &next {
                Ok(batch) => ran.rows += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64),
                Err(_) => ran.failed = true,
            }
        }
        match next {
            Ok(next) => next.map(Ok),
            Err(error) => {
                // What has panicked is not asked again, and what was cancelled says so once.
                if is_stopped || matches!(error.kind(), ErrorKind::Internal | ErrorKind::Cancelled) {
                    self.is_over = true;
                    self.batches = Box::new(std::iter::empty());
                }
                Some(Err(error))
            }
        }
    }
}
