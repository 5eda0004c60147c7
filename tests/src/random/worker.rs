//! Multiloop in a process of its own, so that what panics, overflows its stack or never ends costs a statement, not the
//! run. The parent sends statements, the worker answers; one that hears no cancellation is killed.
//!
//! A message is its length and fields, each a length and bytes; `NULL` has the length -1.

use super::outcome::Outcome;
use crate::{WAYS, Way};
use multiloop::{DataType, Engine, Session};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a statement may take to hear that it is cancelled.
const GRACE: Duration = Duration::from_secs(5);
/// What tables and statements of a worker may take.
const MEMORY_LIMIT: usize = 3 << 30;

type Message = Vec<Option<String>>;

fn write_message(to: &mut impl Write, message: &Message) -> io::Result<()> {
    to.write_all(&(message.len() as u32).to_le_bytes())?;
    for field in message {
        let length = field.as_ref().map_or(-1, |field| field.len() as i32);
        to.write_all(&length.to_le_bytes())?;
        to.write_all(field.as_deref().unwrap_or_default().as_bytes())?;
    }
    to.flush()
}

fn read_message(from: &mut impl Read) -> io::Result<Message> {
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    (0..u32::from_le_bytes(count))
        .map(|_| {
            let mut length = [0; 4];
            from.read_exact(&mut length)?;
            let length = i32::from_le_bytes(length);
            if length < 0 {
                return Ok(None);
            }
            let mut text = vec![0; length as usize];
            from.read_exact(&mut text)?;
            Ok(Some(String::from_utf8_lossy(&text).into_owned()))
        })
        .collect()
}

fn to_message(outcome: Outcome) -> Message {
    let text = |text: &str| Some(text.to_owned());
    match outcome {
        Outcome::Done => vec![text("done")],
        Outcome::Error(state, message) => vec![text("error"), Some(state), Some(message)],
        Outcome::Died(how) => vec![text("died"), Some(how)],
        Outcome::Rows(types, rows) => {
            let mut message = vec![text("rows"), Some(types.len().to_string()), Some(rows.len().to_string())];
            message.extend(types.into_iter().map(Some));
            message.extend(rows.into_iter().flatten());
            message
        }
    }
}

fn from_message(message: Message) -> Outcome {
    let mut fields = message.into_iter();
    let mut text = || fields.next().flatten().unwrap_or_default();
    match text().as_str() {
        "done" => Outcome::Done,
        "error" => Outcome::Error(text(), text()),
        "rows" => {
            let number = |text: String| text.parse::<usize>().unwrap_or(0);
            let (columns, rows) = (number(text()), number(text()));
            let types = (0..columns).map(|_| text()).collect();
            Outcome::Rows(types, (0..rows).map(|_| fields.by_ref().take(columns).collect()).collect())
        }
        _ => Outcome::Died(text()),
    }
}

/// PostgreSQL's name of a type, without limits.
fn type_name(data_type: DataType) -> String {
    let name = data_type.to_string();
    if let Some(element) = data_type.element() {
        return format!("{}[]", type_name(element));
    }
    match name.split('(').next().unwrap_or_default() {
        "decimal" => "numeric",
        "varchar" => "character varying",
        "char" | "bpchar" => "character",
        "unknown" => "text",
        name => name,
    }
    .to_owned()
}

/// Rows of a result that are compared, at most: their text takes memory that no limit of the engine's counts.
const ROWS_MAX: usize = 5_000_000;

/// Runs a statement on a session, panics and all.
fn outcome(session: &Session, sql: &str) -> Outcome {
    let run = || {
        let result = session.sql(sql)?;
        if result.tag().is_some() {
            return Ok(Outcome::Done);
        }
        let types = result.fields().iter().map(|field| type_name(field.data_type)).collect();
        Ok(Outcome::Rows(types, crate::rows::cells(result, ROWS_MAX)?))
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => {
            let error: multiloop::Error = error;
            Outcome::Error(error.sqlstate().to_owned(), error.message().to_owned())
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
            Outcome::Died(format!("panic: {text}"))
        }
    }
}

/// As `outcome`, but cancelled when it takes longer.
pub fn outcome_within(session: &Session, sql: &str, limit: Duration) -> Outcome {
    let cancellation = session.cancel_handle();
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                cancellation.cancel();
            }
        });
        let outcome = outcome(session, sql);
        drop(done);
        outcome
    })
}

/// The worker's side: answers until the parent is gone.
pub fn serve(threads: usize) -> io::Result<()> {
    let engine = Engine::builder().threads(threads).memory_limit(MEMORY_LIMIT).build().map_err(io::Error::other)?;
    let mut session = engine.session();
    let (mut from, mut to) = (BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    while let Ok(message) = read_message(&mut from) {
        let mut fields = message.into_iter().map(Option::unwrap_or_default);
        let mut field = || fields.next().unwrap_or_default();
        let (way, limit, sql) = (field(), field(), field());
        WAYS[way.parse::<usize>().unwrap_or(2)].set(&mut session);
        let limit = Duration::from_millis(limit.parse().unwrap_or(10_000));
        let outcome = outcome_within(&session, &sql, limit);
        write_message(&mut to, &to_message(outcome))?;
    }
    Ok(())
}

/// The parent's side: a worker, and what it takes to have another one that knows the same tables.
pub(crate) struct Worker {
    program: PathBuf,
    threads: usize,
    script: Vec<String>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    to: BufWriter<ChildStdin>,
    answers: Receiver<Message>,
}

impl Worker {
    /// A worker: `program` is to call [`serve`] when its arguments are `--worker` and the number of threads.
    pub(crate) fn new(program: &Path, threads: usize) -> Self {
        Self { program: program.to_owned(), threads, script: Vec::new(), running: None }
    }

    /// Begins anew, with other tables.
    pub(crate) fn load(&mut self, script: &[String]) -> io::Result<Outcome> {
        self.stop();
        self.script = script.to_vec();
        self.start()
    }

    /// Runs a statement one way, and says how long it took.
    pub(crate) fn run(&mut self, way: Way, sql: &str, limit: Duration) -> io::Result<(Outcome, Duration)> {
        if self.running.is_none() {
            self.start()?;
        }
        let begun = Instant::now();
        let outcome = self.ask(way, sql, limit)?;
        Ok((outcome, begun.elapsed()))
    }

    fn start(&mut self) -> io::Result<Outcome> {
        let mut child = Command::new(&self.program)
            .args(["--worker", &self.threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a worker has no pipes"));
        };
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(stdout);
            while let Ok(message) = read_message(&mut from) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        self.running = Some(Running { child, to: BufWriter::new(stdin), answers });
        for sql in self.script.clone() {
            let outcome = self.ask(WAYS[2], &sql, Duration::from_secs(120))?;
            if outcome != Outcome::Done {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Done)
    }

    fn ask(&mut self, way: Way, sql: &str, limit: Duration) -> io::Result<Outcome> {
        let Some(running) = &mut self.running else { return Err(io::Error::other("no worker runs")) };
        let way = WAYS.iter().position(|one| *one == way).unwrap_or(2);
        let message = [way.to_string(), limit.as_millis().to_string(), sql.to_owned()];
        let sent = write_message(&mut running.to, &message.into_iter().map(Some).collect());
        let how = match running.answers.recv_timeout(limit + GRACE) {
            Ok(answer) => return Ok(from_message(answer)),
            Err(RecvTimeoutError::Timeout) => format!("never ends: does not hear that it is cancelled after {limit:?}"),
            Err(RecvTimeoutError::Disconnected) => match (sent, running.child.wait()) {
                (_, Ok(status)) => format!("the process ended: {status}"),
                (Err(error), _) | (_, Err(error)) => return Err(error),
            },
        };
        self.stop();
        Ok(Outcome::Died(how))
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may have ended by itself.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}
