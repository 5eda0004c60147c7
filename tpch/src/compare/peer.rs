//! One peer: its process, and what was measured of it.

use super::PeerOptions;
use super::answer::{self, Difference};
use super::process::Process;
use super::scripts::{self, Choice, Scratch};
use crate::run::{Options, median};
use crate::{TABLES, data};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Loading may take so many times what a query may.
const LOAD_TIMEOUTS: u32 = 10;

/// What was measured of a peer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PeerReport {
    /// Its name, as in `duckdb`; that of its file, if it is another Multiloop.
    pub engine: String,
    /// Its version.
    pub version: Option<String>,
    /// In words: what a timed run hands to the client.
    pub fetch: Option<String>,
    /// Milliseconds to load all tables.
    pub load_ms: Option<f64>,
    /// Why it could not load them.
    pub error: Option<String>,
    /// Query by query.
    pub queries: Vec<PeerQuery>,
    /// Geometric mean of the medians, of the queries that gave a result.
    pub geomean_ms: Option<f64>,
    /// Sum of the medians, of the queries that gave a result.
    pub total_ms: Option<f64>,
    /// Geometric mean of (peer / Multiloop), of the queries that gave a result in both.
    pub ratio: Option<f64>,
}

/// What was measured of one query in a peer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PeerQuery {
    /// 1 to 22.
    pub query: usize,
    /// The file with its text.
    pub text: String,
    /// The first run, which does not count.
    pub warmup_ms: Option<f64>,
    /// Median of the timed runs: SQL text in to whole result in the client.
    pub median_ms: Option<f64>,
    /// All of them.
    pub runs_ms: Vec<f64>,
    /// Most memory resident at one time during the runs, the tables' included, in MiB: of its process and of those that
    /// it has started.
    pub peak_mb: Option<u64>,
    /// Rows of the result.
    pub rows: Option<usize>,
    /// Why there is no result.
    pub error: Option<String>,
    /// How the answer differs from Multiloop's.
    pub difference: Option<Difference>,
}

impl PeerReport {
    /// Its figures of a query.
    pub fn query(&self, number: usize) -> Option<&PeerQuery> {
        self.queries.iter().find(|query| query.query == number)
    }
}

/// What all peers of a run have in common.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    python: PathBuf,
    threads: usize,
    scratch: &'a Scratch,
    tables: Value,
    in_place: bool,
    runs: usize,
    scale_factor: f64,
    timeout: Duration,
}

impl<'a> Launch<'a> {
    pub(super) fn new(
        peers: &PeerOptions,
        options: &Options,
        threads: usize,
        scratch: &'a Scratch,
        files: &Path,
    ) -> Self {
        let path = |table: &&str| data::file(files, table).to_string_lossy().into_owned();
        let tables = TABLES.iter().map(|table| ((*table).to_owned(), Value::from(path(table)))).collect();
        Launch {
            python: peers.python.clone(),
            threads,
            scratch,
            tables: Value::Object(tables),
            in_place: options.in_place,
            runs: options.runs,
            scale_factor: options.scale_factor,
            timeout: peers.timeout,
        }
    }
}

#[derive(Deserialize)]
struct Loaded {
    version: String,
    fetch: String,
    load_ms: f64,
}

/// A peer's reply to a query.
#[derive(Debug, Deserialize)]
pub(super) struct Measured {
    pub(super) times_ms: Vec<f64>,
    #[serde(default)]
    pub(super) peak_mb: Option<u64>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A peer and its process, if it runs.
#[derive(Debug)]
pub(super) struct Peer<'a> {
    pub(super) report: PeerReport,
    choice: &'a Choice,
    launch: &'a Launch<'a>,
    process: Option<Process>,
}

impl<'a> Peer<'a> {
    pub(super) fn new(choice: &'a Choice, launch: &'a Launch<'a>) -> Peer<'a> {
        let report = PeerReport { engine: choice.name.clone(), ..PeerReport::default() };
        Peer { report, choice, launch, process: None }
    }

    /// Starts the process and loads the tables, unless that was in vain before.
    pub(super) fn load(&mut self) {
        if self.report.error.is_some() || self.process.is_some() {
            return;
        }
        let Launch { python, threads, scratch, tables, in_place, timeout, .. } = self.launch;
        let started = Process::start(python, self.choice, *threads, scratch).and_then(|mut process| {
            let loaded: Loaded =
                process.ask(&json!({ "tables": tables, "in_place": in_place }), *timeout * LOAD_TIMEOUTS)?;
            Ok((process, loaded))
        });
        match started {
            Ok((process, loaded)) => {
                self.process = Some(process);
                self.report.version = Some(loaded.version);
                self.report.fetch = Some(loaded.fetch);
                self.report.load_ms.get_or_insert(loaded.load_ms);
            }
            Err(error) => self.report.error = Some(error),
        }
    }

    /// Runs a query and compares its answer. A process that ended with an earlier query is started again.
    pub(super) fn measure(&mut self, number: usize, answer: Option<&[Vec<String>]>) {
        self.load();
        let (sql, text) = scripts::text(&self.choice.engine, number, self.launch.scale_factor);
        let outcome = match &mut self.process {
            Some(process) => {
                let Launch { runs, timeout, .. } = self.launch;
                // Half of the time for repeating what is slow leaves the other half for one run to be so.
                let request = json!({ "sql": sql, "runs": runs, "budget_s": timeout.as_secs_f64() / 2.0 });
                process.ask(&request, *timeout)
            }
            None => Err(format!("not loaded: {}", self.report.error.as_deref().unwrap_or("no process"))),
        };
        self.process.take_if(|process| !process.is_running());
        self.report.queries.push(query_report(number, text, outcome, answer));
    }

    /// Ends the process, so that its memory is free.
    pub(super) fn end(&mut self) {
        self.process = None;
    }
}

/// What a reply says, beside our answer.
pub(super) fn query_report(
    number: usize,
    text: String,
    outcome: Result<Measured, String>,
    answer: Option<&[Vec<String>]>,
) -> PeerQuery {
    let report = PeerQuery { query: number, text, ..PeerQuery::default() };
    match outcome {
        Ok(Measured { times_ms, peak_mb, rows }) => match times_ms.split_first() {
            Some((warmup, runs)) if !runs.is_empty() => PeerQuery {
                warmup_ms: Some(*warmup),
                median_ms: Some(median(runs)),
                runs_ms: runs.to_vec(),
                peak_mb,
                rows: Some(rows.len()),
                difference: answer.and_then(|ours| answer::difference(number, ours, rows)),
                ..report
            },
            _ => PeerQuery { error: Some("the reply has no timed run".to_owned()), ..report },
        },
        Err(error) => PeerQuery { error: Some(error), ..report },
    }
}
