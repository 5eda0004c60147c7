//! Multiloop beside other engines: the same queries on the same Parquet files, CPUs and threads, in one run.
//!
//! 1. `scripts` unpacks `tpch/peers/` (it is in the program) into a scratch folder and asks Python which peers it has.
//! 2. Without a folder of Parquet files, the generated tables are written into the scratch folder.
//! 3. Each peer is a Python `process` that loads the files into memory and then answers a line of JSON with another.
//! 4. A query runs in Multiloop and right after that in each `peer`, so that a machine that is slow for a minute is so
//!    for all. One by one, the peers run all queries after each other, and only one holds its tables at a time.
//! 5. `answer` compares what they give with ours, `pairs` finds the best peer of each query, `table` and `plot` show it.
//!
//! A peer that fails, crashes or takes too long loses that query, and nothing else.

mod answer;
mod pairs;
mod peer;
mod plot;
mod process;
mod scripts;
mod table;

pub use answer::{Difference, Verdict};
pub use pairs::{Pair, Summary};
pub use peer::{PeerQuery, PeerReport};
pub use plot::svg;
pub use scripts::Scratch;
pub use table::print_comparison;

use crate::run::{Options, Report, run_with_results};
use crate::{OnRows, TABLES, data};
use multiloop::Session;
use peer::{Launch, Peer};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which peers, and how they run.
#[derive(Clone, Debug)]
pub struct PeerOptions {
    /// Peers by name, another build of this program as `multiloop=PATH`; None: all whose Python modules are installed.
    pub engines: Option<Vec<String>>,
    /// The Python interpreter.
    pub python: PathBuf,
    /// What one query may take in a peer, all its runs together.
    pub timeout: Duration,
    /// Whether a peer starts only when the one before has ended. It takes less memory, and pairs worse.
    pub one_by_one: bool,
    /// Whether this process has bound itself, and thereby its peers, to one CPU.
    pub pinned: bool,
}

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The interpreter does not start, or does not run the scripts.
    #[error(
        "could not ask {python} which peers are installed: {reason}\nThe peers need Python 3 (--peers-python PATH)"
    )]
    Python {
        /// The interpreter.
        python: String,
        /// What went wrong.
        reason: String,
    },
    /// A peer was asked for that nobody knows.
    #[error("there is no peer {name}, only {known}")]
    UnknownPeer {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A path where no program is asked for, or the other way round.
    #[error("{named} is no peer: multiloop needs the path of a program, multiloop=PATH, and others take none")]
    Program {
        /// What was asked for.
        named: String,
    },
    /// Two peers would be told apart by nothing.
    #[error("two peers are called {name}; a link gives a program another name")]
    TwoOfOneName {
        /// What both are called.
        name: String,
    },
    /// Python lacks the modules of a peer that was asked for, or of all.
    #[error("{what} installed in {python}; install with\n  {install}")]
    NotInstalled {
        /// What is missing, as in "polars is not".
        what: String,
        /// The interpreter.
        python: String,
        /// The command that installs it.
        install: String,
    },
    /// A file or folder could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was done with which file.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// Multiloop itself failed.
    #[error(transparent)]
    Multiloop(#[from] multiloop::Error),
}

impl Error {
    fn io(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let what = format!("{what} {}", path.display());
        move |source| Error::Io { what, source }
    }
}

/// What was measured, of Multiloop and of its peers.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Multiloop's own figures, at the top level as without peers.
    #[serde(flatten)]
    pub multiloop: Report,
    /// `interleaved` or `one by one`.
    pub order: &'static str,
    /// Whether all of it ran on one CPU.
    pub pinned: bool,
    /// Timed runs of each query, after one that is not.
    pub runs: usize,
    /// The peers that ran.
    pub peers: Vec<PeerReport>,
    /// The peers that are not installed.
    pub not_installed: Vec<String>,
    /// Query by query: Multiloop and the best peer.
    pub pairs: Vec<Pair>,
    /// All queries together.
    pub summary: Summary,
}

/// Runs the queries in Multiloop and its peers; `on_rows` and `told` hear of progress.
pub fn run(
    session: &Session,
    options: &Options,
    peers: &PeerOptions,
    scratch: &Scratch,
    on_rows: OnRows<'_>,
    told: &dyn Fn(String),
) -> Result<Comparison, Error> {
    let chosen = scripts::choose(&scripts::installed(&peers.python, scratch)?, peers)?;
    let folder = files(session, options, scratch, on_rows)?;
    let launch = Launch::new(peers, options, session.engine().threads(), scratch, &folder);
    let mut all: Vec<Peer<'_>> = chosen.peers.iter().map(|choice| Peer::new(choice, &launch)).collect();
    if !peers.one_by_one {
        for peer in &mut all {
            told(format!("loading into {}", peer.report.engine));
            peer.load();
        }
    }
    let mut answers = Vec::new();
    let options = Options { data: Some(folder), ..options.clone() };
    let multiloop = run_with_results(session, &options, on_rows, &mut |ours, batches| {
        // A query that failed here has no answer to compare with; its peers are timed all the same.
        let answer = ours.median_ms.is_finite().then(|| answer::rows(batches));
        if peers.one_by_one {
            answers.push((ours.query, answer));
        } else {
            measure(&mut all, ours.query, answer.as_deref(), told);
        }
    })?;
    for peer in &mut all {
        for (query, answer) in &answers {
            measure(std::slice::from_mut(peer), *query, answer.as_deref(), told);
        }
        peer.end();
    }
    let reports = all.into_iter().map(|peer| peer.report.with_sums(&multiloop)).collect::<Vec<_>>();
    let pairs = pairs::pair(&multiloop, &reports);
    Ok(Comparison {
        order: if peers.one_by_one { "one by one" } else { "interleaved" },
        pinned: peers.pinned,
        runs: options.runs,
        not_installed: chosen.not_installed,
        summary: pairs::summary(&pairs),
        multiloop,
        peers: reports,
        pairs,
    })
}

fn measure(peers: &mut [Peer<'_>], query: usize, answer: Option<&[Vec<String>]>, told: &dyn Fn(String)) {
    for peer in peers {
        told(format!("Q{query} in {}", peer.report.engine));
        peer.measure(query, answer);
    }
}

/// The folder of Parquet files that all engines read: the one that was named, or the generated tables, written.
fn files(session: &Session, options: &Options, scratch: &Scratch, on_rows: OnRows<'_>) -> Result<PathBuf, Error> {
    let Some(folder) = &options.data else {
        let folder = scratch.folder("data")?;
        data::write_parquet(session, &folder, options.scale_factor, options.threads, on_rows)?;
        return Ok(folder);
    };
    for table in TABLES {
        let file = data::file(folder, table);
        std::fs::metadata(&file).map_err(Error::io("reading", &file))?;
    }
    // The peers run in folders of their own.
    folder.canonicalize().map_err(Error::io("reading", folder))
}

#[cfg(test)]
mod tests;
