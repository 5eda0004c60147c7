//! TPC-H's throughput test: streams of queries beside a stream of refreshes.
//!
//! 1. The tables are loaded, and the 22 queries are timed.
//! 2. Each stream, a session on a thread of its own, runs the 22 in its order. Beside them one more session runs as many pairs of RF1 and
//!    RF2 as there are streams. A step of these follows whenever eleven more queries have ended, so they are spread over the whole test,
//!    and the rows of a pair are there for about half of it.
//! 3. The 22 are timed again, right after. `orders` and `lineitem` have to be what they were.
//! 4. The engine looks after its tables, as it does when nobody asks, and the 22 are timed once more.
//! 5. To verify what the streams got, each pair is inserted and deleted once more: each answer has to be what the query gives without
//!    the rows of a pair, or with all of one. What lies between would be half of a transaction.

use crate::refresh::{PAIRS, Refresh};
use crate::run::{Options, QueryReport, Report, geometric_mean, milliseconds, run_query, run_with_results};
use crate::{answers, data, queries, streams};
use multiloop::arrow::array::RecordBatch;
use multiloop::{Result, Session};
use serde::Serialize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

/// Queries that end between two steps of the refreshes.
const QUERIES_BETWEEN: usize = 11;

/// What the tables that are refreshed have, as sums that any lost or changed row would change.
const FINGERPRINT: &str = "SELECT * FROM \
    (SELECT count(*), sum(o_orderkey), sum(o_custkey), sum(o_totalprice), min(o_orderdate) FROM orders), \
    (SELECT count(*), sum(l_orderkey), sum(l_partkey), sum(l_linenumber), sum(l_quantity), sum(l_extendedprice), \
     sum(l_discount), sum(l_tax), max(l_shipdate) FROM lineitem)";

/// Told of progress.
pub type OnStep<'a> = &'a (dyn Fn(String) + Sync);

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Throughput {
    /// Scale factor.
    pub sf: f64,
    /// The engine's threads.
    pub threads: usize,
    /// Stream by stream.
    pub streams: Vec<StreamReport>,
    /// Pair by pair.
    pub refreshes: Vec<RefreshReport>,
    /// From the start of the first stream to the end of the last one, the refreshes' among them.
    pub elapsed_ms: f64,
    /// Queries an hour: streams * 22 * 3600 / seconds.
    pub queries_per_hour: f64,
    /// The same, times the scale factor, as the specification computes its metric; this is no official figure.
    pub throughput: f64,
    /// The load, and the queries alone before the streams.
    pub before: Report,
    /// The queries alone right after the streams.
    pub after: Vec<QueryReport>,
    /// Geometric mean of the medians after by those before.
    pub after_by_before: f64,
    /// How long the engine takes for what it does with its tables when nobody asks ([`Engine::maintain`](multiloop::Engine::maintain)).
    pub maintenance_ms: f64,
    /// The queries alone after that.
    pub maintained: Vec<QueryReport>,
    /// Geometric mean of their medians by those before.
    pub maintained_by_before: f64,
    /// Queries and refreshes that failed, and answers that are wrong.
    pub failures: Vec<String>,
}

/// What was measured of one stream.
#[derive(Clone, Debug, Serialize)]
pub struct StreamReport {
    /// Its number, from 1.
    pub stream: usize,
    /// From its first query to its last.
    pub elapsed_ms: f64,
    /// Its queries, in its order.
    pub queries: Vec<StreamQuery>,
}

/// What was measured of a query of a stream.
#[derive(Clone, Debug, Serialize)]
pub struct StreamQuery {
    /// 1 to 22.
    pub query: usize,
    /// SQL text in to last record batch out.
    pub ms: f64,
    /// Rows of the result.
    pub rows: usize,
    /// Whether the answer is one over whole transactions; null where nobody asked.
    pub verified: Option<bool>,
    /// The pair whose rows the answer shows; null where it shows none.
    pub refresh: Option<usize>,
    /// The error that the query gave, or how its answer differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    #[serde(skip)]
    batches: Vec<RecordBatch>,
}

/// What was measured of a pair of refresh functions.
#[derive(Clone, Debug, Serialize)]
pub struct RefreshReport {
    /// Its number, from 1.
    pub pair: usize,
    /// Orders that RF1 has inserted.
    pub orders: u64,
    /// Their lineitems.
    pub lineitems: u64,
    /// RF1's transaction.
    pub rf1_ms: f64,
    /// RF2's transaction.
    pub rf2_ms: f64,
}

/// A result's values as text.
type Rows = Vec<Vec<String>>;

/// Loads, runs the queries, then so many streams beside refreshes, then the queries again. The options' queries are all 22.
pub fn throughput(
    session: &Session,
    options: &Options,
    streams: usize,
    on_rows: data::OnRows<'_>,
    on_step: OnStep<'_>,
) -> Result<Throughput> {
    let options =
        Options { queries: (1..=22).collect(), linq: false, analyze: false, in_place: false, ..options.clone() };
    let mut alone = Vec::new();
    let before = run_with_results(session, &options, on_rows, &mut |report, batches| {
        on_step(format!("Q{} done", report.query));
        alone.push(batches.to_vec());
    })?;
    // Tables that cannot be refreshed are an error now.
    drop(Refresh::prepare(session, 0)?);
    let was = fingerprint(session)?;
    on_step(format!("{streams} streams"));
    let start = Instant::now();
    let (mut streams, refreshes, mut failures) = run_streams(session, options.scale_factor, streams);
    let elapsed_ms = milliseconds(start.elapsed());
    let again = || -> Vec<QueryReport> {
        let run = |number| {
            on_step(format!("Q{number} once more"));
            run_query(session, number, &options).0
        };
        (1..=22).map(run).collect()
    };
    let after = again();
    on_step("maintenance".to_owned());
    let start = Instant::now();
    session.engine().maintain()?;
    let maintenance_ms = milliseconds(start.elapsed());
    let maintained = again();
    let (is, was) = (fingerprint(session)?, was.concat().join("|"));
    let is = is.concat().join("|");
    if is != was {
        failures.push(format!("the tables are not what they were: {is} instead of {was}"));
    }
    if options.verify && failures.is_empty() {
        verify(session, &alone, &mut streams, options.scale_factor, on_step)?;
    }
    failures.extend(failed_queries(&before.queries, &streams, &[&after[..], &maintained].concat()));
    let by_before = |after: &[QueryReport]| {
        let ratios = before.queries.iter().zip(after).map(|(was, is)| is.median_ms / was.median_ms);
        geometric_mean(&ratios.collect::<Vec<f64>>())
    };
    let (after_by_before, maintained_by_before) = (by_before(&after), by_before(&maintained));
    let queries_per_hour = (streams.len() * 22) as f64 * 3600.0 * 1e3 / elapsed_ms;
    Ok(Throughput {
        sf: options.scale_factor,
        threads: session.engine().threads(),
        streams,
        refreshes,
        elapsed_ms,
        queries_per_hour,
        throughput: queries_per_hour * options.scale_factor,
        before,
        after,
        after_by_before,
        maintenance_ms,
        maintained,
        maintained_by_before,
        failures,
    })
}

/// Runs the streams, and the refreshes beside them: what both took, and why refreshes failed.
fn run_streams(session: &Session, scale: f64, count: usize) -> (Vec<StreamReport>, Vec<RefreshReport>, Vec<String>) {
    let another = || {
        let mut another = session.engine().session();
        another.options = session.options.clone();
        another
    };
    std::thread::scope(|scope| {
        let (sender, ended) = channel();
        let running: Vec<_> = (1..=count)
            .map(|stream| {
                let (session, sender) = (another(), sender.clone());
                scope.spawn(move || multiloop::with_deep_stack(|| run_stream(&session, stream, scale, &sender)))
            })
            .collect();
        // Who waits for queries that never end hears that all streams have.
        drop(sender);
        let mut refreshes = Vec::new();
        let refreshed = run_refreshes(&another(), count, &ended, &mut refreshes);
        let streams = running.into_iter().map(|stream| stream.join().expect("a stream ends with a report")).collect();
        let failures = refreshed.err().map(|error| format!("refresh {}: {error}", refreshes.len() + 1));
        (streams, refreshes, failures.into_iter().collect())
    })
}

fn run_stream(session: &Session, stream: usize, scale: f64, ended: &Sender<()>) -> StreamReport {
    let start = Instant::now();
    let run = |&number: &usize| {
        let text = queries::query(number, scale);
        let start = Instant::now();
        let result = session.sql(&text).and_then(|stream| stream.collect_batches());
        let ms = milliseconds(start.elapsed());
        // Refreshes that have failed do not listen.
        let _ = ended.send(());
        let difference = result.as_ref().err().map(ToString::to_string);
        let batches = result.unwrap_or_default();
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        StreamQuery { query: number, ms, rows, verified: None, refresh: None, difference, batches }
    };
    let queries = streams::stream_order(stream).iter().map(run).collect();
    StreamReport { stream, elapsed_ms: milliseconds(start.elapsed()), queries }
}

fn run_refreshes(
    session: &Session,
    pairs: usize,
    ended: &Receiver<()>,
    reports: &mut Vec<RefreshReport>,
) -> Result<()> {
    let wait = || {
        for _ in 0..QUERIES_BETWEEN {
            if ended.recv().is_err() {
                return;
            }
        }
    };
    for pair in 0..pairs {
        let refresh = Refresh::prepare(session, pair)?;
        if pair > 0 {
            wait();
        }
        let inserted = refresh.insert()?;
        wait();
        let deleted = refresh.delete()?;
        reports.push(RefreshReport {
            pair: pair + 1,
            orders: inserted.orders,
            lineitems: inserted.lineitems,
            rf1_ms: milliseconds(inserted.elapsed),
            rf2_ms: milliseconds(deleted.elapsed),
        });
    }
    Ok(())
}

/// Compares what the streams got with what the queries give without the rows of a pair, and with those of each.
fn verify(
    session: &Session,
    alone: &[Vec<RecordBatch>],
    streams: &mut [StreamReport],
    scale: f64,
    on_step: OnStep<'_>,
) -> Result<()> {
    let rows = |batches: &[RecordBatch]| answers::rows(batches).unwrap_or_default();
    let mut known: Vec<Vec<Rows>> = vec![alone.iter().map(|batches| rows(batches)).collect()];
    for pair in 0..streams.len().min(PAIRS) {
        on_step(format!("answers beside refresh {}", pair + 1));
        let refresh = Refresh::prepare(session, pair)?;
        refresh.insert()?;
        let ask = |number| session.sql(&queries::query(number, scale)).and_then(|stream| stream.collect_batches());
        let found: Result<Vec<Rows>> = (1..=22).map(|number| ask(number).map(|batches| rows(&batches))).collect();
        refresh.delete()?;
        known.push(found?);
    }
    for query in streams.iter_mut().flat_map(|stream| &mut stream.queries) {
        if query.difference.is_none() {
            let found = rows(&query.batches);
            let compare =
                |known: &Vec<Rows>| answers::compare(query.query, known[query.query - 1].clone(), found.clone());
            match first_same(known.iter().map(compare)) {
                Ok(pair) => query.refresh = (pair > 0).then_some(pair),
                Err(difference) => query.difference = Some(difference),
            }
        }
        query.verified = Some(query.difference.is_none());
    }
    Ok(())
}

/// The first of some comparisons that finds no difference; if each finds one, what the first one has found.
fn first_same(compared: impl Iterator<Item = std::result::Result<(), String>>) -> std::result::Result<usize, String> {
    let mut first = None;
    for (at, outcome) in compared.enumerate() {
        let Err(difference) = outcome else { return Ok(at) };
        first.get_or_insert(difference);
    }
    Err(first.unwrap_or_default())
}

fn fingerprint(session: &Session) -> Result<Rows> {
    let batches = session.sql(FINGERPRINT)?.collect_batches()?;
    Ok(answers::rows(&batches).unwrap_or_default())
}

/// What is wrong with queries, and when.
fn failed_queries(before: &[QueryReport], streams: &[StreamReport], after: &[QueryReport]) -> Vec<String> {
    let alone = |when: &'static str, queries: &[QueryReport]| {
        let failed = queries.iter().filter_map(|of| Some((of.query, of.difference.clone()?)));
        failed.map(|(query, difference)| format!("Q{query} {when}: {difference}")).collect::<Vec<_>>()
    };
    let mut failed = alone("before", before);
    for stream in streams {
        let differences = stream.queries.iter().filter_map(|of| Some((of.query, of.difference.as_ref()?)));
        failed.extend(differences.map(|(query, found)| format!("Q{query} of stream {}: {found}", stream.stream)));
    }
    failed.extend(alone("after", after));
    failed
}
