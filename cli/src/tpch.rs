//! `multiloop tpch`: loads the tables, runs the queries, prints the table.

use crate::card::{DEFAULT, device};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use multiloop::{Backend, DeviceUse, Engine, RewriteOptions, Session, rewrite_options};
use multiloop_tpch::compare::{self, PeerOptions, Scratch, print_comparison};
use multiloop_tpch::{Options, QueryReport, print_table, print_throughput, run, stream_count, throughput};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment variable with the Python of the peers.
const PYTHON_VARIABLE: &str = "MULTILOOP_PEERS_PYTHON";

/// Runs the TPC-H benchmark.
#[derive(Args, Debug)]
pub(crate) struct TpchArguments {
    /// Scale factor: 1 is about a gigabyte of text
    #[arg(long, default_value_t = 1.0)]
    sf: f64,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// What queries run on: the processors or a card, whichever is better (auto), the processors alone (cpu), or cards (gpu)
    #[arg(long, value_name = "DEVICE", value_parser = device, default_value = DEFAULT)]
    device: DeviceUse,
    /// Queries to run, as in 1,3,6-9; the default is all 22
    #[arg(long)]
    queries: Option<String>,
    /// Timed runs a query, after those that are not timed
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Runs a query that are not timed: where a card is used by itself, columns come to it, and code is compiled, in several of them
    #[arg(long, value_name = "RUNS", default_value_t = 1)]
    warm_up: usize,
    /// A folder with one Parquet file a table, instead of generated data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The same, but each query reads the files where they are, here and in duckdb, polars and datafusion
    #[arg(long, value_name = "DIR", conflicts_with = "data")]
    files: Option<PathBuf>,
    /// Compare with the known answers (scale factors 0.01, 0.1, 1 and 10), or what cards give with what the processors do
    #[arg(long)]
    verify: bool,
    /// Run the queries as they are in Rust, typed LINQ, rather than their texts
    #[arg(long, conflicts_with_all = ["files", "compare"])]
    linq: bool,
    /// Have each query explained while it runs, once more
    #[arg(long)]
    analyze: bool,
    /// Run so many streams of the 22 queries beside a stream of TPC-H's refreshes, and the queries alone before and right after
    ///
    /// The default is as many as the specification asks for, 2 at scale factor 1. Refreshes insert a thousandth of the orders with their
    /// lineitems (RF1) and delete them (RF2), a pair for each stream. With --verify each answer of a stream is compared with those that
    /// whole transactions give.
    #[arg(long, value_name = "STREAMS", num_args = 0..=1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    #[arg(conflicts_with_all = ["queries", "files", "linq", "analyze", "compare"])]
    throughput: Option<Option<u16>>,
    /// `off` leaves out all rewrite rules; or a list of rules to leave out
    #[arg(long, value_name = "off|RULES", value_parser = rewrite_options, default_value = "on", hide_default_value = true)]
    rules: RewriteOptions,
    /// Run on the reference interpreter, slowly
    #[arg(long)]
    interpreter: bool,
    /// Write the figures here, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Run other engines beside it, as in duckdb,polars; the default is all that are installed
    ///
    /// duckdb, polars, datafusion, hyper, chdb; and, if named, duckdb-compressed and hyper-file. They need Python 3 with
    /// the modules in tpch/peers/requirements.txt. multiloop=PATH is another build of this program, and needs Python 3.
    #[arg(long, value_name = "ENGINES", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    compare: Option<Vec<String>>,
    /// The Python of the engines beside it; the default is MULTILOOP_PEERS_PYTHON of the environment, then python3
    #[arg(long, value_name = "PATH", requires = "compare")]
    peers_python: Option<PathBuf>,
    /// Seconds that a query may take in another engine, all its runs together
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "compare")]
    peers_timeout: u64,
    /// One engine after another instead of all of them query by query: takes less memory, pairs worse
    #[arg(long, requires = "compare")]
    one_by_one: bool,
    /// Where to draw the ratios
    #[arg(long, value_name = "FILE", default_value = "tpch-compare.svg", requires = "compare")]
    plot: PathBuf,
}

/// Runs it; an error if a query failed or an answer was wrong.
pub(crate) fn tpch(arguments: &TpchArguments) -> Result<()> {
    // Before the engine starts: its workers, and the peers, inherit it.
    let pinned = arguments.compare.is_some() && arguments.threads == Some(1) && stay_on_one_processor();
    let mut builder = Engine::builder().device(arguments.device);
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    let engine = builder.build()?;
    // Tables are made meanwhile.
    engine.begin_to_open_cards();
    let mut session = engine.session();
    session.options.rules = arguments.rules.clone();
    if arguments.interpreter {
        session.options.backend = Backend::Interpreter;
    }
    let options = Options {
        scale_factor: arguments.sf,
        threads: engine.threads(),
        queries: parse_queries(arguments.queries.as_deref().unwrap_or("1-22"))?,
        runs: arguments.runs.max(1),
        warm_up: arguments.warm_up.max(1),
        data: arguments.files.clone().or_else(|| arguments.data.clone()),
        in_place: arguments.files.is_some(),
        verify: arguments.verify,
        linq: arguments.linq,
        analyze: arguments.analyze,
    };
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").context("the progress bar's template")?);
    bar.enable_steady_tick(Duration::from_millis(100));
    if let Some(streams) = arguments.throughput {
        let streams = streams.map_or_else(|| stream_count(arguments.sf), usize::from);
        return beside_refreshes(&session, &options, streams, arguments, &bar);
    }
    let queries = match &arguments.compare {
        Some(engines) => compare(&session, &options, arguments, engines, pinned, &bar)?,
        None => alone(&session, &options, arguments, &bar)?,
    };
    let failed = queries.iter().filter(|query| query.difference.is_some()).count();
    if failed > 0 {
        bail!("{failed} of {} queries failed or gave a wrong answer", queries.len());
    }
    Ok(())
}

fn alone(
    session: &Session,
    options: &Options,
    arguments: &TpchArguments,
    bar: &ProgressBar,
) -> Result<Vec<QueryReport>> {
    let on_query = |query: &QueryReport| bar.set_message(format!("Q{} done", query.query));
    let report = run(session, options, &|table, rows| loading(bar, table, rows), &on_query)?;
    bar.finish_and_clear();
    print!("{}", print_table(&report));
    for query in &report.queries {
        if let Some(analysed) = &query.analysed {
            println!("\nQ{}, first run {:.1} ms\n{analysed}", query.query, query.first_ms);
        }
    }
    write_json(&report, arguments.json.as_deref())?;
    Ok(report.queries)
}

fn beside_refreshes(
    session: &Session,
    options: &Options,
    streams: usize,
    arguments: &TpchArguments,
    bar: &ProgressBar,
) -> Result<()> {
    let told = |message: String| bar.set_message(message);
    let report = throughput(session, options, streams, &|table, rows| loading(bar, table, rows), &told)?;
    bar.finish_and_clear();
    print!("{}", print_throughput(&report));
    write_json(&report, arguments.json.as_deref())?;
    if !report.failures.is_empty() {
        bail!("{} queries or refreshes failed or gave a wrong answer", report.failures.len());
    }
    Ok(())
}

fn compare(
    session: &Session,
    options: &Options,
    arguments: &TpchArguments,
    engines: &[String],
    pinned: bool,
    bar: &ProgressBar,
) -> Result<Vec<QueryReport>> {
    let named: Vec<String> =
        engines.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let python = peers_python(arguments.peers_python.clone())?;
    let peers = PeerOptions {
        engines: (!named.is_empty()).then_some(named),
        python,
        timeout: Duration::from_secs(arguments.peers_timeout.max(1)),
        one_by_one: arguments.one_by_one,
        pinned,
    };
    let scratch = Scratch::new()?;
    remove_when_interrupted(scratch.path())?;
    let told = |message: String| bar.set_message(message);
    let on_rows = |table: &str, rows: usize| loading(bar, table, rows);
    let comparison = compare::run(session, options, &peers, &scratch, &on_rows, &told)?;
    bar.finish_and_clear();
    print!("{}", print_comparison(&comparison));
    let plot = &arguments.plot;
    std::fs::write(plot, compare::svg(&comparison)).with_context(|| format!("writing {}", plot.display()))?;
    println!("the ratios are drawn in {}", plot.display());
    write_json(&comparison, arguments.json.as_deref())?;
    Ok(comparison.multiloop.queries)
}

/// The Python of the peers: the one that is named, else that of the environment, else `python3`.
pub(crate) fn peers_python(named: Option<PathBuf>) -> Result<PathBuf> {
    Ok(match named.or_else(|| std::env::var_os(PYTHON_VARIABLE).map(PathBuf::from)) {
        // The peers start in folders of their own. Symbolic links stay: one of them makes a virtual environment.
        Some(path) if path.components().count() > 1 => std::path::absolute(&path)?,
        Some(name) => name,
        None => PathBuf::from("python3"),
    })
}

fn loading(bar: &ProgressBar, table: &str, rows: usize) {
    bar.set_message(format!("loading {table}: {rows} rows"));
}

fn write_json(figures: &impl Serialize, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let text = serde_json::to_string_pretty(figures)?;
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// Binds this thread, and what it will start, to the last processor: the first ones have the system's work to do.
fn stay_on_one_processor() -> bool {
    let processors = core_affinity::get_core_ids().unwrap_or_default();
    processors.into_iter().max_by_key(|processor| processor.id).is_some_and(core_affinity::set_for_current)
}

/// Ctrl-C ends the program without running destructors, and gigabytes of Parquet files would stay behind.
pub(crate) fn remove_when_interrupted(scratch: &Path) -> Result<()> {
    let scratch = scratch.to_owned();
    ctrlc::set_handler(move || {
        // The peers get the signal, too; what they still write is all that can be left.
        let _ = std::fs::remove_dir_all(&scratch);
        std::process::exit(130);
    })
    .context("handling Ctrl-C")
}

/// Reads `1,3,6-9`.
fn parse_queries(text: &str) -> Result<Vec<usize>> {
    let mut queries = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().with_context(|| format!("{part} is no query number"))?;
        let last: usize = last.trim().parse().with_context(|| format!("{part} is no query number"))?;
        if first < 1 || last > 22 || first > last {
            bail!("TPC-H has queries 1 to 22, not {part}");
        }
        queries.extend(first..=last);
    }
    Ok(queries)
}

#[cfg(test)]
mod tests {
    use super::parse_queries;

    #[test]
    fn lists_and_spans_of_queries() {
        assert_eq!(parse_queries("1,3, 6-8").expect("a valid list"), [1, 3, 6, 7, 8]);
        assert!(parse_queries("0").is_err());
        assert!(parse_queries("23").is_err());
        assert!(parse_queries("8-6").is_err());
        assert!(parse_queries("x").is_err());
    }
}
