//! `multiloop apps`: applications in typed LINQ, those of `engine/examples/`, timed beside loops that were written by hand.
//!
//! Each application makes its input (`input`), runs a textbook loop and a tuned one, then each form of its queries from the same
//! start, and compares what they end with. `report` has the figures, `svg` draws them; `peers` runs what libraries of Python have.

mod gda;
mod input;
mod kmeans;
mod logistic;
mod peers;
mod report;
mod svg;

use crate::card::{DEFAULT, device};
use anyhow::{Context as _, Result, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use multiloop::{DeviceUse, Engine, RewriteOptions, Session, rewrite_options};
use peers::Peers;
use report::Report;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Rows at scale factor 1.
const ROWS: f64 = 500_000.0;

/// The fewest rows that an application has something to do with.
const ROWS_MIN: usize = 100;

/// A scale factor that is taken for a mistake: 100 are 20 GB of reals.
const SCALE_MAX: f64 = 100.0;

/// What is run, and how.
#[derive(Args, Debug)]
pub(crate) struct AppsArguments {
    /// Applications to run
    #[arg(value_enum, value_name = "APP")]
    apps: Vec<Choice>,
    /// Scale factor: 1 is 500,000 rows of 100 reals
    #[arg(long, value_parser = scale, default_value_t = 1.0)]
    sf: f64,
    /// Iterations of each loop and each form of the queries; gda has one
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000), default_value_t = 10)]
    iterations: usize,
    /// Which random input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads of the engine; the default is one a core
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=4096))]
    threads: Option<usize>,
    /// What queries run on: the processors or a card, whichever is better (auto), the processors alone (cpu), or cards (gpu)
    #[arg(long, value_name = "DEVICE", value_parser = device, default_value = DEFAULT)]
    device: DeviceUse,
    /// `off` leaves out all rewrite rules; or a list of rules to leave out
    #[arg(long, value_name = "off|RULES", value_parser = rewrite_options, default_value = "on", hide_default_value = true)]
    rules: RewriteOptions,
    /// Print a JSON object for each application instead of text
    #[arg(long)]
    json: bool,
    /// Run what Python's libraries have beside it: scikit-learn's k-means, and NumPy for the others
    ///
    /// They get the same input, and as many threads as the engine. They need Python 3 with numpy and scikit-learn.
    #[arg(long)]
    compare: bool,
    /// The Python of what runs beside it; the default is MULTILOOP_PEERS_PYTHON of the environment, then python3
    #[arg(long, value_name = "PATH", requires = "compare")]
    peers_python: Option<PathBuf>,
    /// Draw pictures in this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Clusters of points
    Kmeans,
    /// Kinds of samples
    Logistic,
    /// Classes of samples
    Gda,
    /// All of them
    All,
}

/// An application.
struct App {
    name: &'static str,
    about: &'static str,
    choice: Choice,
    run: fn(&Session, &Options<'_>) -> Result<Report>,
}

/// All applications.
const APPS: &[App] = &[
    App {
        name: "kmeans",
        about: "k-means: clusters of points; grouped by their centroids, and picked for each centroid",
        choice: Choice::Kmeans,
        run: kmeans::run,
    },
    App {
        name: "logistic",
        about: "logistic regression: kinds of samples; gradients by rows, and by columns",
        choice: Choice::Logistic,
        run: logistic::run,
    },
    App {
        name: "gda",
        about: "Gaussian discriminant analysis: two classes of samples; each sample picks its mean, and by classes as groups",
        choice: Choice::Gda,
        run: gda::run,
    },
];

/// What an application is told.
struct Options<'a> {
    rows: usize,
    threads: usize,
    /// What runs beside it.
    peers: Option<&'a Peers>,
    iterations: usize,
    seed: u64,
    /// Whether there will be pictures.
    draws: bool,
    bar: ProgressBar,
}

#[derive(Serialize)]
struct Listed {
    app: &'static str,
    about: &'static str,
}

/// Runs applications, or lists them; an error if one gave something wrong.
pub(crate) fn apps(arguments: &AppsArguments) -> Result<()> {
    if arguments.apps.is_empty() {
        return list(arguments.json);
    }
    let is_chosen = |app: &&App| arguments.apps.iter().any(|choice| [app.choice, Choice::All].contains(choice));
    let chosen = || APPS.iter().filter(is_chosen);
    let names: Vec<&str> = chosen().map(|app| app.name).collect();
    let peers = arguments.compare.then(|| Peers::new(arguments.peers_python.clone(), &names)).transpose()?;
    let mut wrong = Vec::new();
    for app in chosen() {
        let report = run(app, arguments, peers.as_ref())?;
        if arguments.json {
            say!("{}", serde_json::to_string(&report)?);
        } else {
            say!("{}", report.text());
        }
        if let Some(folder) = &arguments.svg {
            draw(&report, folder, arguments.json)?;
        }
        wrong.extend(report.wrong());
    }
    if !wrong.is_empty() {
        bail!("something else than the textbook loop gives: {}", wrong.join(", "));
    }
    Ok(())
}

fn list(json: bool) -> Result<()> {
    for App { name, about, .. } in APPS {
        match json {
            true => say!("{}", serde_json::to_string(&Listed { app: name, about })?),
            false => say!("{name:10}  {about}"),
        }
    }
    if !json {
        say!("\n`multiloop apps NAME` runs one of them, `multiloop apps all` all; --help has the options.");
    }
    Ok(())
}

fn run(app: &App, arguments: &AppsArguments, peers: Option<&Peers>) -> Result<Report> {
    // Each has an engine of its own: what one leaves behind takes no memory from the next.
    let mut builder = Engine::builder().device(arguments.device);
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    let engine = builder.build()?;
    engine.begin_to_open_cards();
    let mut session = engine.session();
    session.options.rules = arguments.rules.clone();
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").context("the progress bar's template")?);
    bar.enable_steady_tick(Duration::from_millis(100));
    let rows = ((arguments.sf * ROWS).round() as usize).max(ROWS_MIN);
    let (iterations, seed, draws) = (arguments.iterations, arguments.seed, arguments.svg.is_some());
    let options = Options { rows, threads: engine.threads(), peers, iterations, seed, draws, bar };
    let report = (app.run)(&session, &options);
    options.bar.finish_and_clear();
    let mut report = report?;
    report.app = app.name;
    report.threads = engine.threads();
    report.rules = !arguments.rules.none;
    report.without.clone_from(&arguments.rules.without);
    report.seed = seed;
    Ok(report)
}

fn draw(report: &Report, folder: &Path, json: bool) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    for (name, svg) in &report.pictures {
        let path = folder.join(format!("{}-{name}.svg", report.app));
        std::fs::write(&path, svg).with_context(|| format!("writing {}", path.display()))?;
        if !json {
            say!("{name}: {}", path.display());
        }
    }
    Ok(())
}

/// The value of `--sf`.
fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale <= SCALE_MAX => Ok(scale),
        _ => Err(format!("it is a number above 0, at most {SCALE_MAX}")),
    }
}
