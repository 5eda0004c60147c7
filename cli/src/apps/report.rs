//! What running an application gave: times of its iterations, and whether all ways end alike.

use super::Options;
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Instant;

/// An application that has run.
#[derive(Default, Serialize)]
pub(super) struct Report {
    pub(super) app: &'static str,
    /// The input in words.
    pub(super) input: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) iterations: usize,
    pub(super) seed: u64,
    /// Threads of the engine.
    pub(super) threads: usize,
    /// Whether there were rewrite rules.
    pub(super) rules: bool,
    /// Rules that were left out by name.
    pub(super) without: Vec<String>,
    pub(super) generate_ms: f64,
    pub(super) load_ms: f64,
    /// How far a result may be from that of the textbook loop.
    pub(super) tolerance: f64,
    /// What `loss` is.
    pub(super) loss_of: &'static str,
    /// What is to become small, before each iteration of the textbook loop; of what does not iterate, of what a query gave.
    pub(super) loss: Vec<f64>,
    /// The textbook loop, the tuned one, and the queries.
    pub(super) runs: Vec<Run>,
    /// Pictures by name, as SVG.
    #[serde(skip)]
    pub(super) pictures: Vec<(&'static str, String)>,
}

/// A way to do what the application does.
#[derive(Serialize)]
pub(super) struct Run {
    pub(super) name: &'static str,
    pub(super) is_query: bool,
    /// The version of a library that runs beside the queries.
    pub(super) peer: Option<String>,
    /// All iterations.
    pub(super) total_ms: f64,
    /// An iteration's share of that.
    pub(super) iteration_ms: f64,
    /// Each iteration; nothing for a query, which has all of them within.
    pub(super) each_ms: Vec<f64>,
    /// The textbook loop's time over this one's.
    pub(super) textbook_ratio: f64,
    /// The tuned loop's time over this one's.
    pub(super) tuned_ratio: f64,
    /// The greatest difference from what the textbook loop ends with.
    pub(super) difference: f64,
    pub(super) agrees: bool,
}

impl Report {
    /// Adds a loop: the textbook one first, then the tuned one.
    pub(super) fn add_loop(&mut self, name: &'static str, each_ms: Vec<f64>, difference: f64) {
        self.add(name, (false, None), (each_ms.iter().sum(), each_ms), difference);
    }

    /// Adds a query, behind both loops.
    pub(super) fn add_query(&mut self, name: &'static str, total_ms: f64, difference: f64) {
        self.add(name, (true, None), (total_ms, Vec::new()), difference);
    }

    /// Adds a library of a version, behind all queries.
    pub(super) fn add_peer(&mut self, name: &'static str, version: String, total_ms: f64, difference: f64) {
        self.add(name, (false, Some(version)), (total_ms, Vec::new()), difference);
    }

    fn add(
        &mut self,
        name: &'static str,
        (is_query, peer): (bool, Option<String>),
        (total_ms, each_ms): (f64, Vec<f64>),
        difference: f64,
    ) {
        let agrees = difference <= self.tolerance;
        let iteration_ms = total_ms / self.iterations.max(1) as f64;
        let (textbook_ratio, tuned_ratio) = (f64::NAN, f64::NAN);
        self.runs.push(Run {
            name,
            is_query,
            peer,
            total_ms,
            iteration_ms,
            each_ms,
            textbook_ratio,
            tuned_ratio,
            difference,
            agrees,
        });
        if let [textbook, tuned, ..] = &self.runs[..] {
            let (textbook, tuned) = (textbook.total_ms, tuned.total_ms);
            for run in &mut self.runs {
                (run.textbook_ratio, run.tuned_ratio) = (textbook / run.total_ms, tuned / run.total_ms);
            }
        }
    }

    /// What of ours ended with something else than the textbook loop.
    pub(super) fn wrong(&self) -> impl Iterator<Item = String> {
        let wrong = self.runs.iter().filter(|run| !run.agrees && run.peer.is_none());
        wrong.map(|run| format!("{} {} (by {:.1e}, not {:.0e})", self.app, run.name, run.difference, self.tolerance))
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let Report { app, input, iterations, threads, seed, .. } = self;
        let rules = match (self.rules, &self.without[..]) {
            (false, _) => ", without rules".to_owned(),
            (true, []) => String::new(),
            (true, without) => format!(", without {}", without.join(", ")),
        };
        let plural = if *iterations == 1 { "" } else { "s" };
        writeln!(text, "{app}: {input}, seed {seed}; {iterations} iteration{plural}")?;
        writeln!(
            text,
            "threads: {threads} for queries{rules}, 1 for loops; input made in {:.0} ms, a table of it in {:.1} ms",
            self.generate_ms, self.load_ms
        )?;
        let width = self.runs.iter().map(|run| run.name.len()).max().unwrap_or(0).max(8);
        let heads = ["ms", "iteration", "textbook", "tuned", "differs"].map(|head| format!("{head:>10}"));
        writeln!(text, "\n{:width$} {}  each iteration, ms", "", heads.join(" "))?;
        for run in &self.runs {
            write!(text, "{:width$} {:>10.2} {:>10.2}", run.name, run.total_ms, run.iteration_ms)?;
            write!(text, " {:>9.2}x {:>9.2}x {:>10.1e}", run.textbook_ratio, run.tuned_ratio, run.difference)?;
            text.push_str(if run.each_ms.is_empty() { "" } else { " " });
            run.each_ms.iter().try_for_each(|ms| write!(text, " {ms:.2}"))?;
            let mark = match (run.agrees, &run.peer) {
                (true, _) => "",
                (false, None) => "  WRONG",
                (false, Some(_)) => "  DIFFERS",
            };
            writeln!(text, "{mark}")?;
        }
        writeln!(text, "\niteration: its share of all. A query has all iterations within, and its planning")?;
        writeln!(text, "textbook, tuned: that loop's time over this one's")?;
        writeln!(text, "differs: from what the textbook loop ends with, at most {:.0e}", self.tolerance)?;
        for (name, version) in self.runs.iter().filter_map(|run| Some((run.name, run.peer.as_ref()?))) {
            writeln!(text, "{name}: version {version}, as many threads as queries, in Python; its input is in memory")?;
        }
        write!(text, "{}:", self.loss_of)?;
        self.loss.iter().try_for_each(|loss| write!(text, " {loss:.6}"))?;
        writeln!(text)
    }
}

/// Does something, and says so meanwhile; what it gives, and the milliseconds that it took.
pub(super) fn timed<T>(options: &Options<'_>, what: &str, work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    options.bar.set_message(what.to_owned());
    let started = Instant::now();
    let given = work()?;
    Ok((given, milliseconds(started)))
}

/// Does something once an iteration; the milliseconds of each.
pub(super) fn timed_each(options: &Options<'_>, what: &str, mut work: impl FnMut()) -> Vec<f64> {
    let once = |iteration| {
        options.bar.set_message(format!("{what}, iteration {iteration} of {}", options.iterations));
        let started = Instant::now();
        work();
        milliseconds(started)
    };
    (1..=options.iterations).map(once).collect()
}

pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The greatest difference of two numbers of a pair; NaN if there is one, or if something is missing.
pub(super) fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    if ours.len() != theirs.len() {
        return f64::NAN;
    }
    let differences = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |worst: f64, this| if worst.is_nan() || this <= worst { worst } else { this })
}

#[cfg(test)]
mod tests {
    use super::{Report, difference};

    #[test]
    fn what_differs_is_seen() {
        assert_eq!(difference(&[1.0, 2.0], &[1.0, 2.5]), 0.5);
        assert!(difference(&[1.0, f64::NAN, 3.0], &[1.0, 2.0, 9.0]).is_nan());
        assert!(difference(&[1.0], &[1.0, 2.0]).is_nan());
        let mut report = Report { app: "some", tolerance: 0.1, ..Report::default() };
        report.add_loop("textbook", vec![4.0, 2.0, 3.0], 0.0);
        report.add_loop("tuned", vec![1.0, 1.5, 0.5], 0.01);
        report.add_query("query", 18.0, f64::NAN);
        // Others may end as they like.
        report.add_peer("library", "1.2".to_owned(), 9.0, 0.5);
        let ratios: Vec<(f64, f64)> = report.runs.iter().map(|run| (run.textbook_ratio, run.tuned_ratio)).collect();
        assert_eq!(ratios, [(1.0, 1.0 / 3.0), (3.0, 1.0), (0.5, 1.0 / 6.0), (1.0, 1.0 / 3.0)]);
        assert_eq!(report.wrong().collect::<Vec<_>>(), ["some query (by NaN, not 1e-1)"]);
        let text = report.text();
        assert!(text.contains("WRONG") && text.contains("DIFFERS") && text.contains("library: version 1.2"), "{text}");
    }
}
