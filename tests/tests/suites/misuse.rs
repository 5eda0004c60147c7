//! Misuse of the embedded API, and the ends of statements: what is stopped, dropped or used by two at once gives back what it held,
//! and its session, and its engine, go on.
//!
//! The witnesses are the engine's memory, the number of references to what a program hands over, and what the catalog tells of
//! sessions. Each test has a watchdog, so that what waits for ever fails.

mod dropped;
mod ended;
mod panicking;
mod shared;
mod typed;

use multiloop::{Engine, Error, ResultStream, Session};
use multiloop_tests::text_rows;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long anything may take that does not wait for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rows that nobody reads to their end, and that are made while they are read.
const STREAMED: &str = "SELECT a.n, b.n AS m FROM million a, generate_series(0, 63) b (n)";

/// Rows of a table that are made while they are read.
const OF_TABLE: &str = "SELECT a.n, b.n AS m FROM million a, (VALUES (0), (1), (2), (3), (4), (5), (6), (7)) b (n)";

/// A statement that makes no row for longer than anybody waits.
const ENDLESS: &str = "SELECT count(*) FROM million a, million b WHERE a.n * 3 % 7 + b.n < -1";

/// Does something on another thread, and fails if it has no end.
fn watched(work: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        work();
        // Nobody is there to hear it after the watchdog.
        let _ = sender.send(());
    });
    match receiver.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Timeout) => panic!("it has no end"),
        // It has panicked, or is done.
        _ => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}

fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine")
}

fn session() -> Session {
    engine().session()
}

fn run(session: &Session, sql: &str) {
    session.sql(sql).and_then(ResultStream::collect_batches).unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// The rows of a query as text.
fn rows(session: &Session, sql: &str) -> Vec<String> {
    let rows = session.sql(sql).and_then(text_rows).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}

fn sqlstate<T>(result: Result<T, Error>) -> &'static str {
    result.err().expect("an error was expected").sqlstate()
}

/// A table of the numbers from 0 to 999,999.
fn a_million(session: &Session) {
    run(session, "CREATE TABLE million AS SELECT n FROM generate_series(0, 999999) g (n)");
}

/// Waits until something is so.
#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE / 2, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sessions that the engine has, and statements that run, those of whoever asks among them.
fn activity(session: &Session) -> Vec<String> {
    rows(session, "SELECT count(*), count(*) FILTER (WHERE state = 'active') FROM pg_stat_activity")
}

/// Says of a statement that it is where it calls this, and keeps it there.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<GateState>, Condvar)>);

#[derive(Default)]
struct GateState {
    inside: usize,
    is_open: bool,
}

impl Gate {
    /// Waits until it is open.
    fn pass(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.inside += 1;
        changed.notify_all();
        drop(changed.wait_while(state, |state| !state.is_open).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until somebody waits.
    fn wait_for_somebody(&self) {
        let (state, changed) = &*self.0;
        let state = state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(state, |state| state.inside == 0).unwrap_or_else(PoisonError::into_inner));
    }

    fn open(&self) {
        let (state, changed) = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).is_open = true;
        changed.notify_all();
    }

    /// Closes it for whoever comes now.
    fn close(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = GateState::default();
    }

    /// Makes it a function `gate(bigint)`, which gives its argument back.
    fn register(&self, engine: &Engine) {
        let gate = self.clone();
        let function = multiloop::ScalarFunction::new("gate", move |n: i64| {
            gate.pass();
            n
        });
        engine.register_scalar(function).expect("a function");
    }
}

/// A folder of its own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("multiloop-misuse-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("it is UTF-8").to_owned()
    }

    fn files(&self) -> usize {
        std::fs::read_dir(&self.0).expect("it is there").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that failed has other worries.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
