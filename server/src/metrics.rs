//! What a server counts, and how Prometheus reads it: the text format, version 0.0.4. Nothing here names a user or a statement.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Kinds of statements that are counted apart, by the first word of their tags.
const KINDS: [&str; 12] =
    ["select", "insert", "copy", "create", "drop", "begin", "commit", "rollback", "set", "show", "fetch", "other"];

/// Classes of errors that are counted apart, by the first characters of their SQLSTATE.
const CLASSES: [&str; 13] = ["08", "0A", "22", "23", "25", "28", "40", "42", "53", "54", "57", "XX", "other"];

/// Bounds of durations, in microseconds, and how they are written, in seconds.
const BOUNDS: [(u64, &str); 8] = [
    (100, "0.0001"),
    (1_000, "0.001"),
    (10_000, "0.01"),
    (100_000, "0.1"),
    (1_000_000, "1"),
    (10_000_000, "10"),
    (100_000_000, "100"),
    (u64::MAX, "+Inf"),
];

/// A number that only grows, or one that falls, too.
#[derive(Debug, Default)]
pub(crate) struct Number(AtomicU64);

impl Number {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn take(&self, count: u64) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a server counts.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Sockets that were accepted.
    pub(crate) connections: Number,
    /// Sessions that are there.
    pub(crate) sessions: Number,
    /// Clients that were not let in.
    pub(crate) refused: Number,
    /// Rows that were sent, or taken.
    pub(crate) rows: Number,
    pub(crate) bytes_received: Number,
    pub(crate) bytes_sent: Number,
    statements: [Number; KINDS.len()],
    errors: [Number; CLASSES.len()],
    durations: [Number; BOUNDS.len()],
    microseconds: Number,
}

impl Metrics {
    /// A statement has ended well, with this tag.
    pub(crate) fn completed(&self, tag: &str, took: Duration) {
        let word = tag.split(' ').next().unwrap_or_default();
        let kind = KINDS.iter().position(|kind| word.eq_ignore_ascii_case(kind)).unwrap_or(KINDS.len() - 1);
        self.statements[kind].add(1);
        // INSERT says a number of old before that of rows.
        self.rows.add(tag.rsplit(' ').next().and_then(|last| last.parse().ok()).unwrap_or(0));
        self.took(took);
    }

    /// Something has failed, with this SQLSTATE; what took time was a statement.
    pub(crate) fn failed(&self, code: &str, took: Option<Duration>) {
        let class = CLASSES.iter().position(|class| code.starts_with(class)).unwrap_or(CLASSES.len() - 1);
        self.errors[class].add(1);
        took.into_iter().for_each(|took| self.took(took));
    }

    fn took(&self, took: Duration) {
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|(bound, _)| microseconds <= *bound).unwrap_or(BOUNDS.len() - 1);
        self.durations[bucket].add(1);
        self.microseconds.add(microseconds);
    }

    /// All of it, as Prometheus reads it, with what the engine holds.
    pub(crate) fn text(&self, memory: usize) -> String {
        let mut out = String::new();
        let mut one = |name: &str, kind: &str, help: &str, value: u64| {
            head(&mut out, name, kind, help);
            let _ = writeln!(out, "multiloop_{name} {value}");
        };
        one("connections_total", "counter", "Connections that were accepted.", self.connections.get());
        one("connections_refused_total", "counter", "Clients that were not let in.", self.refused.get());
        one("sessions", "gauge", "Sessions that are there.", self.sessions.get());
        one("rows_total", "counter", "Rows that were sent to clients, or taken from them.", self.rows.get());
        one("received_bytes_total", "counter", "Bytes that clients sent.", self.bytes_received.get());
        one("sent_bytes_total", "counter", "Bytes that were sent to clients.", self.bytes_sent.get());
        one("memory_bytes", "gauge", "Bytes that tables and statements hold.", memory as u64);
        let mut labelled = |name: &str, label: &str, help: &str, words: &[&str], numbers: &[Number]| {
            head(&mut out, name, "counter", help);
            for (word, number) in words.iter().zip(numbers) {
                let _ = writeln!(out, "multiloop_{name}{{{label}=\"{word}\"}} {}", number.get());
            }
        };
        labelled("statements_total", "kind", "Statements that ended well.", &KINDS, &self.statements);
        labelled("errors_total", "class", "Errors, by class of SQLSTATE.", &CLASSES, &self.errors);
        let name = "statement_duration_seconds";
        head(&mut out, name, "histogram", "How long statements took, up to the last row sent.");
        let mut count = 0;
        for ((_, bound), number) in BOUNDS.iter().zip(&self.durations) {
            count += number.get();
            let _ = writeln!(out, "multiloop_{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let _ = writeln!(out, "multiloop_{name}_sum {}", self.microseconds.get() as f64 / 1e6);
        let _ = writeln!(out, "multiloop_{name}_count {count}");
        out
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP multiloop_{name} {help}\n# TYPE multiloop_{name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::Metrics;
    use std::time::Duration;

    #[test]
    fn what_happens_is_counted() {
        let metrics = Metrics::default();
        metrics.completed("SELECT 3", Duration::from_micros(50));
        metrics.completed("INSERT 0 2", Duration::from_millis(5));
        metrics.completed("VACUUM", Duration::from_secs(1000));
        metrics.failed("42P01", None);
        metrics.failed("22012", Some(Duration::from_micros(100)));
        metrics.failed("P0001", None);
        let text = metrics.text(7);
        for line in [
            "multiloop_statements_total{kind=\"select\"} 1",
            "multiloop_statements_total{kind=\"other\"} 1",
            "multiloop_errors_total{class=\"42\"} 1",
            "multiloop_errors_total{class=\"other\"} 1",
            "multiloop_rows_total 5",
            "multiloop_memory_bytes 7",
            "multiloop_statement_duration_seconds_bucket{le=\"0.0001\"} 2",
            "multiloop_statement_duration_seconds_bucket{le=\"0.01\"} 3",
            "multiloop_statement_duration_seconds_bucket{le=\"100\"} 3",
            "multiloop_statement_duration_seconds_bucket{le=\"+Inf\"} 4",
            "multiloop_statement_duration_seconds_count 4",
            "multiloop_statement_duration_seconds_sum 1000.00515",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(text.lines().all(|line| line.starts_with('#') || line.split(' ').count() == 2));
    }
}
