//! No answer needs a rule or a pass of the relation's optimiser: every query of the files is planned once more without each that
//! changed it, and what it becomes then, unless it has been run before, gives the same rows on the processors.
//!
//! What a rule that changed nothing would have done is nothing: with it off the plan is the same. So there are few plans for
//! a query, and fewer programs.

use multiloop::Session;
use multiloop_planner::relation::optimise::PASSES;
use multiloop_planner::rewrite::{LAST_RULES, RULES};
use multiloop_tests::slt::{Failure, files, output};
use multiloop_tests::{Answer, WAYS, answer};
use sqllogictest::{DB, DBOutput, DefaultColumnType, QueryExpect, Record, Runner, SortMode};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

type Output = DBOutput<DefaultColumnType>;

/// Words of queries that give something else when they are run again, or change something.
const ONCE: [&str; 18] = [
    "returning",
    "random(",
    "nextval(",
    "setval(",
    "lastval(",
    "now(",
    "clock_timestamp(",
    "current_timestamp",
    "set_config(",
    "pg_notify(",
    "pg_advisory",
    "pg_try_advisory",
    "pg_backend_pid(",
    "gen_random_uuid(",
    "for update",
    "for no key update",
    "for share",
    "for key share",
];

/// What changes rows within WITH.
const CHANGES: [&str; 4] = ["insert into", "delete from", "update ", "merge into"];

/// What was found so far.
#[derive(Default)]
struct Found {
    /// How many plans differ without each rule or pass.
    differ: BTreeMap<String, usize>,
    queries: usize,
    plans: usize,
    runs: usize,
    wrong: Vec<String>,
}

/// A session whose queries are run without rules, too.
struct Checked {
    session: Session,
    /// Whether the order of the rows of the query at hand is not free.
    ordered: Arc<AtomicBool>,
    found: Arc<Mutex<Found>>,
}

/// A plan: the program, and what changed it.
struct Plan {
    changed: Vec<String>,
    program: String,
}

fn lock(found: &Mutex<Found>) -> MutexGuard<'_, Found> {
    found.lock().expect("nobody panics with it")
}

impl DB for Checked {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<Output, Failure> {
        let found = output(answer(&self.session, sql))?;
        let lower = sql.trim_start().to_lowercase();
        let is_query = ["select", "with", "values", "table"].iter().any(|word| lower.starts_with(word));
        if let DBOutput::Rows { rows, .. } = &found
            && is_query
            && !(ONCE.iter().chain(&CHANGES)).any(|word| lower.contains(word))
        {
            self.check(sql, rows);
        }
        Ok(found)
    }

    fn error_sql_state(failure: &Failure) -> Option<String> {
        Some(failure.state())
    }
}

impl Checked {
    /// The plan of a query as the session's options have it.
    fn plan(&self, sql: &str) -> Option<Plan> {
        let Answer::Rows(_, rows) = answer(&self.session, &format!("EXPLAIN (LOOPS) {sql}")) else { return None };
        let lines: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        let below = |title: &str| {
            let from = lines.iter().position(|line| *line == title).map_or(lines.len(), |at| at + 1);
            lines[from..].iter().take_while(|line| !line.is_empty()).map(|line| line.trim().to_owned())
        };
        let changed = below("Passes").chain(below("Rules")).collect();
        let program = lines.rsplit(|line| *line == "After rules").next().unwrap_or_default().join("\n");
        Some(Plan { changed, program })
    }

    fn check(&mut self, sql: &str, expected: &[Vec<String>]) {
        let Some(full) = self.plan(sql) else { return };
        // A view may draw from a sequence, and gives another value each time; functions that are called may change something.
        if full.program.contains("next_value(") || full.program.contains("user_") {
            return;
        }
        let mut seen = BTreeSet::from([full.program]);
        let first = seen.clone();
        let changed: BTreeSet<String> = full.changed.into_iter().collect();
        lock(&self.found).queries += 1;
        for name in changed {
            self.session.options.rules.without = vec![name.clone()];
            let Some(plan) = self.plan(sql) else {
                lock(&self.found).wrong.push(format!("without {name} there is no plan\n{sql}"));
                continue;
            };
            let mut found = lock(&self.found);
            found.plans += 1;
            *found.differ.entry(name.clone()).or_default() += usize::from(!first.contains(&plan.program));
            if seen.contains(&plan.program) {
                continue;
            }
            found.runs += 1;
            drop(found);
            let problem = match output(answer(&self.session, sql)) {
                Ok(DBOutput::Rows { rows, .. }) => differ(expected, &rows, self.ordered.load(Ordering::Relaxed)),
                Ok(_) => Some("no rows".to_owned()),
                Err(error) => Some(error.to_string()),
            };
            if let Some(problem) = problem {
                lock(&self.found).wrong.push(format!("without {name}: {problem}\n{sql}\n{}", plan.program));
            }
            seen.insert(plan.program);
        }
        self.session.options.rules.without.clear();
    }
}

/// How rows differ from what was expected.
fn differ(expected: &[Vec<String>], rows: &[Vec<String>], ordered: bool) -> Option<String> {
    let (mut expected, mut rows) = (expected.to_vec(), rows.to_vec());
    if !ordered {
        expected.sort();
        rows.sort();
    }
    let at = (0..expected.len().max(rows.len())).find(|&at| expected.get(at) != rows.get(at))?;
    Some(format!("row {at}: expected {:?}, got {:?}", expected.get(at), rows.get(at)))
}

/// Whether the order in which a query gives its rows is not free.
fn is_ordered(record: &Record<DefaultColumnType>) -> bool {
    let Record::Query { sql, expected: QueryExpect::Results { sort_mode, .. }, .. } = record else { return false };
    matches!(sort_mode, None | Some(SortMode::NoSort)) && sql.to_lowercase().contains("order by")
}

/// Runs a file, and checks its queries.
fn check(file: &Path, found: &Arc<Mutex<Found>>) {
    let ordered = Arc::new(AtomicBool::new(false));
    let engine = WAYS[2].session().engine().clone();
    let open = || async {
        let mut session = engine.session();
        WAYS[2].set(&mut session);
        Ok(Checked { session, ordered: Arc::clone(&ordered), found: Arc::clone(found) })
    };
    let mut runner = Runner::new(open);
    runner.add_label("embedded");
    for record in sqllogictest::parse_file::<DefaultColumnType>(file).expect("the file is one of SQL logic tests") {
        ordered.store(is_ordered(&record), Ordering::Relaxed);
        if let Err(error) = runner.run(record) {
            lock(found).wrong.push(error.display(false).to_string());
        }
    }
}

#[test]
fn no_rule_is_needed() {
    let (found, left) = (Arc::new(Mutex::new(Found::default())), Mutex::new(files()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = { left.lock().expect("nobody panics with it").pop() } {
                    check(&file, &found);
                }
            });
        }
    });
    let Found { differ, queries, plans, runs, wrong } = std::mem::take(&mut *lock(&found));
    println!("{queries} queries, {plans} plans, {runs} runs: {differ:?}");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
    let names = RULES.iter().chain(LAST_RULES).map(|rule| rule.name);
    let names = names.chain(PASSES.iter().filter(|pass| !pass.needed).map(|pass| pass.name));
    let idle: Vec<&str> = names.filter(|name| differ.get(*name).is_none_or(|&plans| plans == 0)).collect();
    assert!(idle.is_empty(), "no query has another plan without these: {idle:?}");
}
