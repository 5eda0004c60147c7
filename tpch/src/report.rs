//! The report as a table for people.

use crate::run::{QueryReport, Report};
use crate::throughput::Throughput;
use std::fmt::Write;

/// The header of the table, to be printed before the first query.
const HEADER: &str = "query      rows    median ms       min ms   answer";

/// The report as text: a line a query, then the sums.
pub fn print_table(report: &Report) -> String {
    let mut text = format!("{HEADER}\n");
    for query in &report.queries {
        line(&mut text, query);
    }
    let right = report.queries.iter().filter(|query| query.verified == Some(true)).count();
    let asked = report.queries.iter().filter(|query| query.verified.is_some()).count();
    let _ = writeln!(text, "\ngeometric mean {:.2} ms, total {:.1} ms", report.geomean_ms, report.total_ms);
    let memory = report.rss_mb.map_or(String::new(), |mib| format!(", {mib} MiB resident"));
    let threads = report.threads;
    let _ = writeln!(text, "scale factor {}, {threads} threads, load {:.0} ms{memory}", report.sf, report.load_ms);
    if asked > 0 {
        let _ = writeln!(text, "{right} of {asked} answers right");
    }
    text
}

/// The report of a throughput test: a line a stream, a line a pair of refreshes, a line a query, then the metric.
pub fn print_throughput(report: &Throughput) -> String {
    let mut text = String::from("stream  elapsed ms   answers\n");
    for stream in &report.streams {
        let right = stream.queries.iter().filter(|query| query.verified == Some(true)).count();
        let asked = stream.queries.iter().filter(|query| query.verified.is_some()).count();
        let refreshed = stream.queries.iter().filter(|query| query.refresh.is_some()).count();
        let answers = match asked {
            0 => answer(None).to_owned(),
            _ => format!("{right} of {asked} right, {refreshed} show rows of a refresh"),
        };
        let _ = writeln!(text, "{:<6} {:>11.1}   {answers}", stream.stream, stream.elapsed_ms);
    }
    text.push_str("\nrefresh    orders  lineitems       RF1 ms       RF2 ms\n");
    for pair in &report.refreshes {
        let _ = writeln!(
            text,
            "{:<7} {:>9} {:>10} {:>12.2} {:>12.2}",
            pair.pair, pair.orders, pair.lineitems, pair.rf1_ms, pair.rf2_ms
        );
    }
    text.push_str("\nquery   median ms, before    right after   ratio     maintained   ratio   answer\n");
    for ((before, after), maintained) in report.before.queries.iter().zip(&report.after).zip(&report.maintained) {
        let (was, is, will) = (before.median_ms, after.median_ms, maintained.median_ms);
        let _ = writeln!(
            text,
            "Q{:<4} {was:>19.2} {is:>14.2} {:>7.2} {will:>14.2} {:>7.2}   {}",
            before.query,
            is / was,
            will / was,
            answer(after.verified.zip(maintained.verified).map(|(after, maintained)| after && maintained))
        );
    }
    let Throughput { sf, threads, elapsed_ms, queries_per_hour, throughput, .. } = report;
    let _ = writeln!(text, "\nright after / before, geometric mean: {:.2}", report.after_by_before);
    let (took, ratio) = (report.maintenance_ms, report.maintained_by_before);
    let _ = writeln!(text, "after maintenance ({took:.0} ms) / before: {ratio:.2}");
    let (streams, seconds) = (report.streams.len(), elapsed_ms / 1e3);
    let _ = writeln!(text, "scale factor {sf}, {threads} threads, {streams} streams in {seconds:.2} s");
    let _ = writeln!(
        text,
        "{queries_per_hour:.0} queries an hour; times the scale factor {throughput:.0}, which is no official figure"
    );
    for failure in &report.failures {
        let _ = writeln!(text, "{failure}");
    }
    text
}

fn answer(verified: Option<bool>) -> &'static str {
    match verified {
        Some(true) => "right",
        Some(false) => "WRONG",
        None => "not checked",
    }
}

fn line(text: &mut String, query: &QueryReport) {
    let answer = answer(query.verified);
    let QueryReport { query: number, rows, median_ms, min_ms, difference, .. } = query;
    let _ = writeln!(text, "Q{number:<4} {rows:>9} {median_ms:>12.2} {min_ms:>12.2}   {answer}");
    if let Some(difference) = difference {
        let _ = writeln!(text, "      {difference}");
    }
}
