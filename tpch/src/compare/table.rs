//! The comparison as a table for people.

use super::Comparison;
use super::answer::Verdict;
use super::peer::{PeerQuery, PeerReport};
use std::fmt::Write;

/// Width of the first column.
const NAME: usize = 14;

/// Least width of a column of figures.
const FIGURES: usize = 10;

/// The comparison as text: what ran and how, a line a query, sums, then everything that went wrong.
pub fn print_comparison(comparison: &Comparison) -> String {
    let mut text = head(comparison);
    let peers = &comparison.peers;
    let _ = write!(text, "\n{:<NAME$}{:>FIGURES$}", "query, ms", "Multiloop");
    for peer in peers {
        let _ = write!(text, "{:>width$}", peer.engine, width = width(peer));
    }
    let _ = writeln!(text, "  {:<18}{:>7}", "best peer", "ratio");
    for pair in &comparison.pairs {
        let _ = write!(text, "{:<NAME$}{:>FIGURES$}", format!("Q{}", pair.query), figure(pair.multiloop_ms));
        for peer in peers {
            let _ = write!(text, "{:>width$}", cell(peer.query(pair.query)), width = width(peer));
        }
        let _ = writeln!(text, "  {:<18}{:>7}", pair.best_peer.as_deref().unwrap_or("-"), figure(pair.ratio));
    }
    let ours = &comparison.multiloop;
    let summary = &comparison.summary;
    line(&mut text, "geometric mean", Some(ours.geomean_ms), peers, |peer| peer.geomean_ms, summary.geomean_ratio);
    line(&mut text, "total", Some(ours.total_ms), peers, |peer| peer.total_ms, summary.total_ratio);
    line(&mut text, "/ Multiloop", Some(1.0), peers, |peer| peer.ratio, None);
    line(&mut text, "load", Some(ours.load_ms), peers, |peer| peer.load_ms, None);
    if let (Some(query), Some(ratio)) = (summary.worst_query, summary.worst_ratio) {
        let _ = writeln!(text, "\nthe lowest ratio is Q{query}'s, {ratio:.2}");
    }
    if let (Some(query), Some(ratio)) = (summary.worst_peak_query, summary.worst_peak_ratio) {
        let _ = writeln!(text, "memory at most {ratio:.2} times what the thriftiest peer's peak is (Q{query})");
    }
    remarks(&mut text, comparison);
    text
}

fn head(comparison: &Comparison) -> String {
    let peers: Vec<String> = comparison
        .peers
        .iter()
        .map(|peer| format!("{} {}", peer.engine, peer.version.as_deref().unwrap_or("(did not load)")))
        .collect();
    let order = match comparison.order {
        "interleaved" => "interleaved: each query in Multiloop, then in each peer",
        _ => "one by one: all queries in Multiloop, then all in each peer",
    };
    let ours = &comparison.multiloop;
    let threads = match (ours.threads, comparison.pinned) {
        (1, true) => "1 thread, all on one CPU".to_owned(),
        (1, false) => "1 thread".to_owned(),
        (threads, _) => format!("{threads} threads"),
    };
    let mut text = format!("Multiloop {} and {}\n", env!("CARGO_PKG_VERSION"), peers.join(", "));
    let _ =
        writeln!(text, "scale factor {}, {threads}; one warm-up, median of {} runs; {order}", ours.sf, comparison.runs);
    if !comparison.not_installed.is_empty() {
        let _ = writeln!(text, "not installed: {}", comparison.not_installed.join(", "));
    }
    text
}

fn width(peer: &PeerReport) -> usize {
    FIGURES.max(peer.engine.len() + 2)
}

fn line(
    text: &mut String,
    name: &str,
    ours: Option<f64>,
    peers: &[PeerReport],
    of: impl Fn(&PeerReport) -> Option<f64>,
    ratio: Option<f64>,
) {
    let _ = write!(text, "{name:<NAME$}{:>FIGURES$}", figure(ours));
    for peer in peers {
        let _ = write!(text, "{:>width$}", figure(of(peer)), width = width(peer));
    }
    let ratio = ratio.map_or(String::new(), |ratio| format!("  {:<18}{ratio:>7.2}", ""));
    let _ = writeln!(text, "{ratio}");
}

fn figure(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{value:.2}"),
        _ => "-".to_owned(),
    }
}

/// A peer's median; `!` stands behind one whose answer is another than ours.
fn cell(query: Option<&PeerQuery>) -> String {
    let Some(query) = query else { return "-".to_owned() };
    match (&query.error, &query.difference) {
        (Some(error), _) if error.starts_with("timeout") => "timeout".to_owned(),
        (Some(_), _) => "failed".to_owned(),
        (None, Some(difference)) if difference.verdict == Verdict::Differs => format!("{}!", figure(query.median_ms)),
        _ => figure(query.median_ms),
    }
}

/// A line for everything that failed or differs.
fn remarks(text: &mut String, comparison: &Comparison) {
    for query in &comparison.multiloop.queries {
        if let Some(difference) = &query.difference {
            let _ = writeln!(text, "Multiloop Q{}: {difference}", query.query);
        }
    }
    let mut agree = true;
    for peer in &comparison.peers {
        if let Some(error) = &peer.error {
            let _ = writeln!(text, "{} did not load: {}", peer.engine, first_line(error));
            continue;
        }
        for query in &peer.queries {
            let name = format!("{} Q{}", peer.engine, query.query);
            if let Some(error) = &query.error {
                let _ = writeln!(text, "{name} failed, and is in none of its sums: {}", first_line(error));
            }
            if let Some(difference) = &query.difference {
                agree = false;
                let verdict = match difference.verdict {
                    Verdict::LastDigit => "differs in a last digit",
                    Verdict::Differs => "DIFFERS, and is not in the race",
                };
                let _ = writeln!(text, "{name} {verdict}: {}", difference.detail);
            }
        }
    }
    if agree {
        let _ = writeln!(text, "all answers that the peers gave are Multiloop's");
    }
    let asked = comparison.multiloop.queries.iter().filter(|query| query.verified.is_some()).count();
    if asked > 0 {
        let right = comparison.multiloop.queries.iter().filter(|query| query.verified == Some(true)).count();
        let _ = writeln!(text, "{right} of {asked} of Multiloop's answers right");
    }
}

fn first_line(error: &str) -> &str {
    error.lines().next().unwrap_or_default()
}
