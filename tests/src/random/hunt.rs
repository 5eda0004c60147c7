//! The comparison itself: statements one after the other, and what is done about one that differs.

use super::choices::{Choices, Tree, shrink};
use super::data::{Schema, Size};
use super::outcome::{Outcome, difference};
use super::postgres::Postgres;
use super::query::Statement;
use super::worker::Worker;
use super::writer::Writer;
use crate::{WAYS, Way};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fmt, io};

/// The way that is compared with PostgreSQL.
const MAIN: Way = WAYS[2];
/// What takes so many times as long as beside it is a difference.
const TIMES_MAX: f64 = 50.0;
/// What takes less is never slow. Without optimisation everything is about ten times as slow.
const SLOW: Duration = if cfg!(debug_assertions) { Duration::from_secs(5) } else { Duration::from_millis(500) };
/// What should take about as long as reading its rows is slow after so long, though PostgreSQL does not answer in time, either.
const SLOW_ALONE: Duration = if cfg!(debug_assertions) { Duration::MAX } else { Duration::from_secs(4) };
/// How long a statement may take, here and there.
const LIMIT: Duration = Duration::from_secs(15);
const THEIR_LIMIT: Duration = Duration::from_secs(2);
/// What the slowest way may take: it may well be too slow.
const WAY_LIMIT: Duration = Duration::from_secs(4);
/// What making one finding smaller may take.
const SHRINK_TRIES: usize = 300;
const SHRINK_TIME: Duration = Duration::from_secs(60);
/// Findings that look alike are shown so many times.
const ALIKE_MAX: usize = 2;

/// What is compared, and for how long.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The first seed: each gives tables and statements.
    pub seed: u64,
    /// How many seeds are tried.
    pub seeds: u64,
    /// Until when.
    pub until: Option<Instant>,
    /// PostgreSQL's connection string; without it ways are compared with each other alone.
    pub postgres: Option<String>,
    /// How many findings are enough.
    pub findings_max: usize,
    /// How large tables are; both in turns without it.
    pub size: Option<Size>,
    /// How many statements each seed gives.
    pub statements: u64,
    /// Whether what happens is told while it does.
    pub verbose: bool,
}

/// Something that differs.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed.
    pub seed: u64,
    /// The how-manieth statement of the seed.
    pub statement: u64,
    /// What kind of difference it is.
    pub class: String,
    /// How answers differ.
    pub how: String,
    /// What makes the tables.
    pub script: Vec<String>,
    /// The statement, made smaller.
    pub sql: String,
    /// When it was found.
    pub after: Duration,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, statement, class, how, script, sql, after } = self;
        writeln!(f, "-- seed {seed}, statement {statement}, after {:.0} s: {class}", after.as_secs_f64())?;
        for line in how.lines() {
            writeln!(f, "--   {line}")?;
        }
        for made in script {
            writeln!(f, "{made};")?;
        }
        writeln!(f, "{sql};")
    }
}

/// What came of a hunt.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What differs.
    pub findings: Vec<Finding>,
    /// How many statements ran.
    pub statements: usize,
    /// Of these: how many gave rows that agree.
    pub agree: usize,
    /// How many Multiloop does not support.
    pub unsupported: usize,
    /// How many took PostgreSQL too long.
    pub late: usize,
    /// How often findings of a class were met.
    pub classes: HashMap<String, usize>,
}

/// Looks for differences.
pub fn hunt(program: &Path, options: &Hunt) -> io::Result<Report> {
    let (mut report, begun) = (Report::default(), Instant::now());
    for seed in options.seed..options.seed + options.seeds {
        let size = options.size.unwrap_or(if seed % 2 == 0 { Size::Large } else { Size::Small });
        let mut bench = Bench::new(program, options, seed, size)?;
        for number in 0..options.statements {
            if options.until.is_some_and(|until| Instant::now() > until)
                || report.findings.len() >= options.findings_max
            {
                return Ok(report);
            }
            let mut choices = Choices::random(seed.wrapping_mul(1_000_003).wrapping_add(number));
            let statement = Writer::new(&mut choices, &bench.schema).statement();
            report.statements += 1;
            let Some((class, how)) = bench.check(&statement, Some(&mut report))? else { continue };
            let count = report.classes.entry(class.clone()).or_default();
            *count += 1;
            if *count > ALIKE_MAX {
                continue;
            }
            let mut finding = Finding {
                seed,
                statement: number,
                class,
                how,
                script: bench.schema.script.clone(),
                sql: statement.script(),
                after: begun.elapsed(),
            };
            bench.shrink(choices.into_tree(), &mut finding)?;
            if options.verbose {
                println!("{finding}");
            }
            report.findings.push(finding);
        }
        if options.verbose {
            eprintln!(
                "seed {seed}: {} statements, {} agree, {} unsupported, {} late, {} findings, {:.0} s",
                report.statements,
                report.agree,
                report.unsupported,
                report.late,
                report.findings.len(),
                begun.elapsed().as_secs_f64()
            );
        }
    }
    Ok(report)
}

/// Tables of a seed, in both engines.
struct Bench<'a> {
    options: &'a Hunt,
    tables: Tree,
    schema: Schema,
    worker: Worker,
    postgres: Option<Postgres>,
}

impl<'a> Bench<'a> {
    fn new(program: &Path, options: &'a Hunt, seed: u64, size: Size) -> io::Result<Self> {
        let mut choices = Choices::random(seed);
        let schema = Schema::new(&mut choices, size, 1);
        let worker = Worker::new(program, 1 + (seed / 2 % 2) as usize);
        let mut bench = Self { options, tables: choices.into_tree(), schema, worker, postgres: None };
        bench.load()?;
        Ok(bench)
    }

    fn load(&mut self) -> io::Result<()> {
        let loaded = self.worker.load(&self.schema.script)?;
        if loaded != Outcome::Done {
            return Err(io::Error::other(format!(
                "tables are not made: {}\n{}",
                loaded.show(),
                self.schema.script.join(";\n")
            )));
        }
        self.postgres = None;
        if let Some(connection) = &self.options.postgres {
            let mut postgres = Postgres::connect(connection)?;
            let mut run = |sql: &str| match postgres.run(sql)? {
                Outcome::Error(state, message) => {
                    Err(io::Error::other(format!("PostgreSQL: {state}: {message}: {sql}")))
                }
                _ => Ok(()),
            };
            // Temporary tables are gone with the connection.
            run("SET search_path = pg_temp")?;
            run("SET work_mem = '256MB'")?;
            self.schema.script.iter().try_for_each(|sql| run(sql))?;
            if self.schema.size == Size::Large {
                for table in &self.schema.tables {
                    for column in &table.columns {
                        run(&format!("CREATE INDEX ON {} ({})", table.name, column.name))?;
                    }
                }
            }
            run("ANALYZE")?;
            run(&format!("SET statement_timeout = {}", THEIR_LIMIT.as_millis()))?;
            self.postgres = Some(postgres);
        }
        Ok(())
    }

    /// The class of a difference, and how answers differ.
    fn check(&mut self, statement: &Statement, report: Option<&mut Report>) -> io::Result<Option<(String, String)>> {
        let prepared = self.around(&statement.before)?;
        let found = match prepared {
            Some(found) => Some(found),
            None => self.check_alone(statement, report)?,
        };
        self.around(&statement.after)?;
        Ok(found)
    }

    /// Runs what stands around a statement in both engines: its class and how they differ if one of them refuses it.
    fn around(&mut self, script: &[String]) -> io::Result<Option<(String, String)>> {
        for sql in script {
            let (ours, _) = self.worker.run(MAIN, sql, LIMIT)?;
            let mut theirs = self.postgres.as_mut().map(|postgres| postgres.run(sql)).transpose()?;
            // Where the machine is busy the limit of its statements is met by these, too.
            while theirs.as_ref().and_then(Outcome::state) == Some("57014") {
                theirs = self.postgres.as_mut().map(|postgres| postgres.run(sql)).transpose()?;
            }
            if ours.is_bug() || theirs.as_ref().is_some_and(|theirs| theirs.state() != ours.state()) {
                let theirs = theirs.map(|theirs| format!(", theirs {}", theirs.show())).unwrap_or_default();
                return Ok(Some((
                    format!("around: {}", without_digits(&ours.show())),
                    format!("{sql}: {}{theirs}", ours.show()),
                )));
            }
        }
        Ok(None)
    }

    fn check_alone(
        &mut self,
        statement: &Statement,
        report: Option<&mut Report>,
    ) -> io::Result<Option<(String, String)>> {
        let (ours, time) = self.worker.run(MAIN, &statement.sql, LIMIT)?;
        let mut unused = Report::default();
        let report = report.unwrap_or(&mut unused);
        if ours.is_bug() {
            return Ok(Some((format!("bug {}", without_digits(&ours.show())), ours.show())));
        }
        if ours.state() == Some("0A000") {
            report.unsupported += 1;
            return Ok(None);
        }
        if let Some(found) = self.check_beside(statement, &ours, time, report)? {
            return Ok(Some(found));
        }
        if self.schema.size == Size::Small && !ours.is_late() {
            return self.check_ways(statement, &ours);
        }
        Ok(None)
    }

    fn check_beside(
        &mut self,
        statement: &Statement,
        ours: &Outcome,
        time: Duration,
        report: &mut Report,
    ) -> io::Result<Option<(String, String)>> {
        let Some(postgres) = &mut self.postgres else { return Ok(None) };
        let begun = Instant::now();
        let theirs = postgres.run(&statement.sql)?;
        let their_time = begun.elapsed();
        if theirs.is_late() {
            report.late += 1;
        }
        if theirs.state() == Some("0A000") {
            report.unsupported += 1;
            return Ok(None);
        }
        let is_slow = |time: Duration| {
            if statement.linear && (theirs.is_late() || ours.is_late()) && time > SLOW_ALONE {
                return true;
            }
            time > SLOW && !theirs.is_late() && time.as_secs_f64() > TIMES_MAX * their_time.as_secs_f64()
        };
        if is_slow(time) {
            let (_, again) = self.worker.run(MAIN, &statement.sql, LIMIT)?;
            if is_slow(again) {
                return Ok(Some(("slow".to_owned(), format!("{again:.2?}, beside {their_time:.2?}"))));
            }
        }
        if theirs.is_late() || ours.is_late() {
            return Ok(None);
        }
        Ok(match difference(statement.ordered, ours, &theirs) {
            None => {
                report.agree += 1;
                None
            }
            Some(how) => {
                let state = match (ours, &theirs) {
                    (Outcome::Error(_, message), _) => without_digits(message),
                    (_, Outcome::Error(_, message)) => format!("missing: {}", without_digits(message)),
                    _ => String::new(),
                };
                Some((format!("{} {state}", how.lines().next().unwrap_or_default()), how))
            }
        })
    }

    fn check_ways(&mut self, statement: &Statement, main: &Outcome) -> io::Result<Option<(String, String)>> {
        for way in WAYS {
            if way == MAIN {
                continue;
            }
            let (outcome, _) = self.worker.run(way, &statement.sql, WAY_LIMIT)?;
            if outcome.is_bug() {
                let class = format!("bug, {}: {}", way.name, without_digits(&outcome.show()));
                return Ok(Some((class, format!("{}: {}", way.name, outcome.show()))));
            }
            // The transaction of changed tables has failed for the other ways, too.
            if outcome.is_late() && !statement.before.is_empty() {
                return Ok(None);
            }
            // Which of several errors is reported is free.
            let both_fail = outcome.state().is_some() && main.state().is_some();
            if outcome.is_late() || both_fail {
                continue;
            }
            if let Some(how) = difference(statement.ordered, main, &outcome) {
                return Ok(Some((format!("{} differs", way.name), format!("theirs: {}, {how}", way.name))));
            }
        }
        Ok(None)
    }

    /// Makes a finding's statement smaller, then its tables.
    fn shrink(&mut self, tree: Tree, finding: &mut Finding) -> io::Result<()> {
        let until = Instant::now() + SHRINK_TIME;
        let mut failed = None;
        let smallest = shrink(tree, SHRINK_TRIES, &mut |tree| {
            if Instant::now() > until {
                return None;
            }
            match self.fails(tree, finding) {
                Ok(followed) => followed,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if self.schema.size == Size::Small || finding.class == "slow" {
            return Ok(());
        }
        let whole = self.schema.clone();
        for shrunk in [1000, 30, 4] {
            self.schema = Schema::new(&mut Choices::follow(self.tables.clone()), whole.size, shrunk);
            self.load()?;
            if self.fails(&smallest, finding)?.is_some() {
                finding.script = self.schema.script.clone();
                break;
            }
        }
        self.schema = whole;
        self.load()
    }

    fn fails(&mut self, tree: &Tree, finding: &mut Finding) -> io::Result<Option<Tree>> {
        let mut choices = Choices::follow(tree.clone());
        let statement = Writer::new(&mut choices, &self.schema).statement();
        Ok(match self.check(&statement, None)? {
            Some((class, how)) if class == finding.class => {
                finding.how = how;
                finding.sql = statement.script();
                Some(choices.into_tree())
            }
            _ => None,
        })
    }
}

/// So that messages about other columns are alike.
fn without_digits(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().filter(|letter| !letter.is_ascii_digit()).take(120).collect()
}
