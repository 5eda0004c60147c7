//! `multiloop tpch`: loads the tables, runs the queries, prints the table.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use multiloop::{Backend, Engine};
use multiloop_tpch::{Options, print_table, run};
use std::path::PathBuf;
use std::time::Duration;

/// Runs the TPC-H benchmark.
#[derive(Args, Debug)]
pub(crate) struct TpchArguments {
    /// Scale factor: 1 is about a gigabyte of text
    #[arg(long, default_value_t = 1.0)]
    sf: f64,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// Queries to run, as in 1,3,6-9; the default is all 22
    #[arg(long)]
    queries: Option<String>,
    /// Timed runs a query, after one that is not timed
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// A folder with one Parquet file a table, instead of generated data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Compare with the known answers (scale factors 0.01, 0.1, 1 and 10)
    #[arg(long)]
    verify: bool,
    /// `off` leaves out all rewrite rules; or a list of rules to leave out
    #[arg(long, value_name = "off|RULES")]
    rules: Option<String>,
    /// Run on the reference interpreter, slowly
    #[arg(long)]
    interpreter: bool,
    /// Write the figures here, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs it; an error if a query failed or an answer was wrong.
pub(crate) fn tpch(arguments: &TpchArguments) -> Result<()> {
    let mut builder = Engine::builder();
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    let engine = builder.build()?;
    let mut session = engine.session();
    match arguments.rules.as_deref() {
        None | Some("on") => {}
        Some("off") => session.options.rules.none = true,
        Some(names) => session.options.rules.without = names.split(',').map(str::to_owned).collect(),
    }
    if arguments.interpreter {
        session.options.backend = Backend::Interpreter;
    }
    let options = Options {
        scale_factor: arguments.sf,
        threads: engine.threads(),
        queries: parse_queries(arguments.queries.as_deref().unwrap_or("1-22"))?,
        runs: arguments.runs.max(1),
        data: arguments.data.clone(),
        verify: arguments.verify,
    };
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").context("the progress bar's template")?);
    bar.enable_steady_tick(Duration::from_millis(100));
    let on_rows = |table: &str, rows: usize| bar.set_message(format!("loading {table}: {rows} rows"));
    let on_query = |query: &multiloop_tpch::QueryReport| bar.set_message(format!("Q{} done", query.query));
    let report = run(&session, &options, &on_rows, &on_query)?;
    bar.finish_and_clear();
    print!("{}", print_table(&report));
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    let failed = report.queries.iter().filter(|query| query.difference.is_some()).count();
    if failed > 0 {
        bail!("{failed} of {} queries failed or gave a wrong answer", report.queries.len());
    }
    Ok(())
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
