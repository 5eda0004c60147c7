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
    pub(super) generate_ms: f64,
    pub(super) load_ms: f64,
    /// How far a result may be from that of the textbook loop.
    pub(super) tolerance: f64,
    /// What `loss` is.
    pub(super) loss_of: &'static str,
    /// What is to become small, before each iteration of the textbook loop.
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
    pub(super) iteration_ms: Vec<f64>,
    pub(super) median_ms: f64,
    /// The textbook loop's median over this one.
    pub(super) textbook_ratio: f64,
    /// The tuned loop's median over this one.
    pub(super) tuned_ratio: f64,
    /// The greatest difference from what the textbook loop ends with.
    pub(super) difference: f64,
    pub(super) agrees: bool,
}

impl Report {
    /// Adds a run; the first one is the textbook loop, the second one the tuned loop.
    pub(super) fn add(&mut self, name: &'static str, iteration_ms: Vec<f64>, difference: f64) {
        let median_ms = median(&iteration_ms);
        let of = |at: usize| self.runs.get(at).map_or(median_ms, |run: &Run| run.median_ms);
        let (textbook, tuned, is_query) = (of(0), of(1), self.runs.len() >= 2);
        let agrees = difference <= self.tolerance;
        self.runs.push(Run {
            name,
            is_query,
            iteration_ms,
            median_ms,
            textbook_ratio: textbook / median_ms,
            tuned_ratio: tuned / median_ms,
            difference,
            agrees,
        });
        // The textbook loop ran when the tuned one was not there yet.
        if let [textbook, tuned] = &mut self.runs[..] {
            textbook.tuned_ratio = tuned.median_ms / textbook.median_ms;
        }
    }

    /// What ended with something else than the textbook loop.
    pub(super) fn wrong(&self) -> impl Iterator<Item = String> {
        let wrong = self.runs.iter().filter(|run| !run.agrees);
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
        let rules = if self.rules { "" } else { ", without rules" };
        writeln!(text, "{app}: {input}, seed {seed}; {iterations} iterations")?;
        writeln!(
            text,
            "threads: {threads} for queries{rules}, 1 for loops; input made in {:.0} ms, a table of it in {:.1} ms",
            self.generate_ms, self.load_ms
        )?;
        let width = self.runs.iter().map(|run| run.name.len()).max().unwrap_or(0).max(8);
        let heads = ["ms median", "textbook", "tuned", "differs"];
        writeln!(
            text,
            "\n{:width$}  {:>10} {:>9} {:>9} {:>9}  each iteration, ms",
            "", heads[0], heads[1], heads[2], heads[3]
        )?;
        for run in &self.runs {
            write!(text, "{:width$}  {:>10.2}", run.name, run.median_ms)?;
            write!(text, " {:>8.2}x {:>8.2}x {:>9.1e} ", run.textbook_ratio, run.tuned_ratio, run.difference)?;
            run.iteration_ms.iter().try_for_each(|ms| write!(text, " {ms:.2}"))?;
            writeln!(text, "{}", if run.agrees { "" } else { "  WRONG" })?;
        }
        writeln!(
            text,
            "\ntextbook, tuned: that loop's time over this one's; differs: from what the textbook loop ends with, at most {:.0e}",
            self.tolerance
        )?;
        write!(text, "{}:", self.loss_of)?;
        self.loss.iter().try_for_each(|loss| write!(text, " {loss:.6}"))?;
        writeln!(text)
    }
}

/// Does something as often as there are iterations, and says so meanwhile; the milliseconds of each time.
pub(super) fn timed(options: &Options, what: &str, mut work: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    let once = |iteration| {
        options.bar.set_message(format!("{what}, iteration {iteration} of {}", options.iterations));
        let started = Instant::now();
        work()?;
        Ok(milliseconds(started))
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

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
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
        report.add("textbook", vec![4.0, 2.0, 3.0], 0.0);
        report.add("tuned", vec![1.0], 0.01);
        report.add("query", vec![6.0], f64::NAN);
        let ratios: Vec<(f64, f64)> = report.runs.iter().map(|run| (run.textbook_ratio, run.tuned_ratio)).collect();
        assert_eq!(ratios, [(1.0, 1.0 / 3.0), (3.0, 1.0), (0.5, 1.0 / 6.0)]);
        assert_eq!(report.wrong().collect::<Vec<_>>(), ["some query (by NaN, not 1e-1)"]);
        assert!(report.text().contains("WRONG"), "{}", report.text());
    }
}
