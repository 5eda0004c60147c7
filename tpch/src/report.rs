//! The report as a table for people.

use crate::run::{QueryReport, Report};
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

fn line(text: &mut String, query: &QueryReport) {
    let answer = match query.verified {
        Some(true) => "right",
        Some(false) => "WRONG",
        None => "not checked",
    };
    let QueryReport { query: number, rows, median_ms, min_ms, difference, .. } = query;
    let _ = writeln!(text, "Q{number:<4} {rows:>9} {median_ms:>12.2} {min_ms:>12.2}   {answer}");
    if let Some(difference) = difference {
        let _ = writeln!(text, "      {difference}");
    }
}
