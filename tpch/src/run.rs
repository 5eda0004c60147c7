//! Loads the tables, runs the queries several times, compares the answers.

use crate::{answers, data, linq, machine, queries};
use multiloop::arrow::array::{AsArray as _, RecordBatch};
use multiloop::{Result, ResultStream, Session};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Scale factor of the data: 1 is about a gigabyte of text.
    pub scale_factor: f64,
    /// Threads that generate data (the engine has its own count).
    pub threads: usize,
    /// Queries, 1 to 22.
    pub queries: Vec<usize>,
    /// Timed runs of each, after those that are not.
    pub runs: usize,
    /// Runs of each that are not timed, at least one. Behind further ones there is a pause: what others do meanwhile (compile code for
    /// a card) takes longer than queries do.
    pub warm_up: usize,
    /// A folder with Parquet files to read rather than generate.
    pub data: Option<PathBuf>,
    /// Whether these files are asked where they are, instead of being loaded first.
    pub in_place: bool,
    /// Whether to compare with the known answers; what a card gave, where none are known, with what the processors give.
    pub verify: bool,
    /// Whether the queries are the typed LINQ ones, rather than the texts.
    pub linq: bool,
    /// Whether to have each query explained while it runs, once more.
    pub analyze: bool,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Query by query.
    pub queries: Vec<QueryReport>,
    /// Scale factor.
    pub sf: f64,
    /// The engine's threads.
    pub threads: usize,
    /// Milliseconds to generate (or read) and load all tables.
    pub load_ms: f64,
    /// Bytes of the tables in MiB, as the engine counts them.
    pub tables_mb: u64,
    /// Resident memory with the tables loaded and no query running, in MiB: the least seen after the load and between
    /// queries, since an allocator gives back what a load leaves only a while later.
    pub rss_mb: Option<u64>,
    /// Geometric mean of the medians.
    pub geomean_ms: f64,
    /// Sum of the medians.
    pub total_ms: f64,
}

/// What was measured of one query.
#[derive(Clone, Debug, Serialize)]
pub struct QueryReport {
    /// 1 to 22.
    pub query: usize,
    /// Rows of the result.
    pub rows: usize,
    /// The run that is not among them: it uploads and compiles.
    pub first_ms: f64,
    /// Median of the timed runs: SQL text in to last record batch out.
    pub median_ms: f64,
    /// Fastest of them.
    pub min_ms: f64,
    /// All of them.
    pub runs_ms: Vec<f64>,
    /// Most memory resident at one time during the runs, the tables' included, in MiB.
    pub peak_mb: Option<u64>,
    /// Median time to parse, bind, optimise, lower and rewrite.
    pub plan_ms: f64,
    /// Whether the answer is the known one; null where none is known or nobody asked.
    pub verified: Option<bool>,
    /// What EXPLAIN ANALYZE said.
    #[serde(skip)]
    pub analysed: Option<String>,
    /// Where it first differs, or the error that the query gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// See [`Options::warm_up`].
const PAUSE: Duration = Duration::from_millis(30);

/// Loads and runs; `on_rows` and `on_query` are told of progress.
pub fn run(
    session: &Session,
    options: &Options,
    on_rows: data::OnRows<'_>,
    on_query: &dyn Fn(&QueryReport),
) -> Result<Report> {
    run_with_results(session, options, on_rows, &mut |report, _| on_query(report))
}

/// As [`run`]; `on_query` gets each query's result, too (nothing of one that failed).
pub(crate) fn run_with_results(
    session: &Session,
    options: &Options,
    on_rows: data::OnRows<'_>,
    on_query: &mut dyn FnMut(&QueryReport, &[RecordBatch]),
) -> Result<Report> {
    let start = Instant::now();
    match &options.data {
        Some(folder) if options.in_place => data::view_parquet(session, folder)?,
        Some(folder) => data::read_parquet(session, folder, on_rows)?,
        None => data::generate(session, options.scale_factor, options.threads, on_rows)?,
    }
    let load_ms = milliseconds(start.elapsed());
    let tables_mb = session.engine().memory_used() as u64 >> 20;
    let mut rss_mb = machine::resident_mib();
    let mut reports = Vec::new();
    for &number in &options.queries {
        let (report, result) = run_query(session, number, options);
        on_query(&report, &result);
        reports.push(report);
        rss_mb = rss_mb.min(machine::resident_mib());
    }
    let medians: Vec<f64> = reports.iter().map(|report| report.median_ms).collect();
    Ok(Report {
        sf: options.scale_factor,
        threads: session.engine().threads(),
        load_ms,
        tables_mb,
        rss_mb,
        geomean_ms: geometric_mean(&medians),
        total_ms: medians.iter().sum(),
        queries: reports,
    })
}

/// Runs a query as often as the options say, and gives its first result, too.
pub(crate) fn run_query(session: &Session, number: usize, options: &Options) -> (QueryReport, Vec<RecordBatch>) {
    let form = Form::of(session, number, options);
    let mut report = QueryReport {
        query: number,
        rows: 0,
        first_ms: f64::NAN,
        analysed: None,
        median_ms: f64::NAN,
        min_ms: f64::NAN,
        runs_ms: Vec::new(),
        peak_mb: None,
        plan_ms: f64::NAN,
        verified: None,
        difference: None,
    };
    machine::reset_peak();
    let mut plans = Vec::new();
    let mut first = Vec::new();
    // The first run is not timed: it warms caches, and is the one that is verified.
    let warm_up = options.warm_up.max(1);
    for run in 0..warm_up + options.runs {
        if (1..warm_up).contains(&run) {
            std::thread::sleep(PAUSE);
        }
        let start = Instant::now();
        let result = form.start().and_then(|stream| {
            let timings = stream.timings();
            Ok((timings, stream.collect_batches()?))
        });
        let spent = milliseconds(start.elapsed());
        let (timings, batches) = match result {
            Ok(result) => result,
            Err(error) => {
                report.verified = options.verify.then_some(false);
                report.difference = Some(error.to_string());
                return (report, Vec::new());
            }
        };
        if run == 0 {
            report.first_ms = spent;
            report.rows = batches.iter().map(|batch| batch.num_rows()).sum();
            if options.verify
                && let Some(outcome) = verified(session, number, options.scale_factor, &batches)
            {
                report.verified = Some(outcome.is_ok());
                report.difference = outcome.err();
            }
            first = batches;
        } else if run >= warm_up {
            report.runs_ms.push(spent);
            plans.push(milliseconds(timings.parse + timings.plan));
        }
    }
    report.peak_mb = machine::peak_mib();
    report.median_ms = median(&report.runs_ms);
    report.min_ms = report.runs_ms.iter().copied().fold(f64::NAN, f64::min);
    report.plan_ms = median(&plans);
    if options.analyze {
        report.analysed = Some(form.text().map_or_else(|error| error.to_string(), |text| analysed(session, &text)));
    }
    (report, first)
}

/// A query as it is run.
enum Form<'s> {
    Text(&'s Session, String),
    /// The tables are opened before; the query is built anew each time.
    Linq(Box<Result<linq::Tables<'s>>>, usize, f64),
}

impl<'s> Form<'s> {
    fn of(session: &'s Session, number: usize, options: &Options) -> Self {
        if options.linq {
            return Form::Linq(Box::new(linq::Tables::open(session)), number, options.scale_factor);
        }
        Form::Text(session, queries::query(number, options.scale_factor))
    }

    fn start(&self) -> Result<ResultStream> {
        match self {
            Form::Text(session, text) => session.sql(text),
            Form::Linq(tables, number, scale) => {
                linq::query(tables.as_ref().as_ref().map_err(Clone::clone)?, *number, *scale)?.run()
            }
        }
    }

    fn text(&self) -> Result<String> {
        match self {
            Form::Text(_, text) => Ok(text.clone()),
            Form::Linq(tables, number, scale) => {
                linq::query(tables.as_ref().as_ref().map_err(Clone::clone)?, *number, *scale)?.to_sql()
            }
        }
    }
}

/// Whether rows are the known answer, or, where none is known and a card may have made them, what the processors give.
fn verified(
    session: &Session,
    number: usize,
    scale_factor: f64,
    batches: &[RecordBatch],
) -> Option<std::result::Result<(), String>> {
    let rows = |batches: &[RecordBatch]| answers::rows(batches).map_err(|error| error.to_string());
    let compared = || match answers::verify(number, scale_factor, rows(batches)?) {
        Some(outcome) => outcome.map(|()| true),
        None => {
            let run = |text: &str| {
                session.sql(text).and_then(|stream| stream.collect_batches()).map_err(|error| error.to_string())
            };
            let device = rows(&run("SHOW device")?)?.concat().concat();
            if device == "cpu" {
                return Ok(false);
            }
            run("SET device = 'cpu'")?;
            let expected = run(&queries::query(number, scale_factor));
            run(&format!("SET device = '{device}'"))?;
            answers::compare(number, rows(&expected?)?, rows(batches)?).map(|()| true)
        }
    };
    match compared() {
        Ok(true) => Some(Ok(())),
        Ok(false) => None,
        Err(difference) => Some(Err(difference)),
    }
}

/// What EXPLAIN ANALYZE says of a query, or why it says nothing.
fn analysed(session: &Session, text: &str) -> String {
    let lines = |batches: Vec<RecordBatch>| -> Vec<String> {
        let column = |batch: &RecordBatch| {
            let texts = batch.column(0).as_string_opt::<i32>().map(|texts| texts.iter().flatten().map(str::to_owned));
            texts.into_iter().flatten().collect::<Vec<_>>()
        };
        batches.iter().flat_map(column).collect()
    };
    let batches = session.sql(&format!("EXPLAIN ANALYZE {text}")).and_then(|stream| stream.collect_batches());
    batches.map_or_else(|error| error.to_string(), |batches| lines(batches).join("\n"))
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The geometric mean; 1 of nothing, NaN where a value is.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

/// The middle value, or the mean of the two in the middle; NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    }
}
