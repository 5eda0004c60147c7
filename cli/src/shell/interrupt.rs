//! Ctrl-C: it stops the statement that runs, or what waits; the line editor takes the key itself.

use anyhow::{Context as _, Result};
use multiloop::Cancellation;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long something that waits does not look for the key.
const STEP: Duration = Duration::from_millis(50);

/// What a program ends with that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// What Ctrl-C stops. It listens to nothing until it is told to: then the key ends the program.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    statement: Mutex<Option<Cancellation>>,
    is_asked: AtomicBool,
}

impl Interrupt {
    /// Starts listening to Ctrl-C. A script ends with the statement that is stopped, which removes what it has half written; where
    /// none runs, and when the key is pressed again, it ends the program at once.
    pub(super) fn listen(is_script: bool) -> Result<Self> {
        let interrupt = Interrupt::default();
        let handler = interrupt.clone();
        ctrlc::set_handler(move || {
            let was_asked = handler.0.is_asked.swap(true, Ordering::Relaxed);
            let statement = handler.0.statement.lock().unwrap_or_else(PoisonError::into_inner);
            match &*statement {
                _ if is_script && was_asked => std::process::exit(INTERRUPTED),
                Some(cancellation) => cancellation.cancel(),
                None if is_script => std::process::exit(INTERRUPTED),
                None => {}
            }
        })
        .context("listening to Ctrl-C")?;
        Ok(interrupt)
    }

    /// Something starts, and can be stopped from here on.
    pub(super) fn begin(&self, statement: Option<Cancellation>) {
        self.0.is_asked.store(false, Ordering::Relaxed);
        *self.0.statement.lock().unwrap_or_else(PoisonError::into_inner) = statement;
    }

    /// It has ended.
    pub(super) fn end(&self) {
        *self.0.statement.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether somebody has pressed the key since something started.
    pub(super) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Relaxed)
    }

    /// Waits; false if somebody has pressed the key.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let started = Instant::now();
        while !self.is_asked() {
            let left = time.saturating_sub(started.elapsed());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(STEP));
        }
        false
    }
}
