//! Cards are opened once, which takes some tenths of a second: by who waits for them, or by a thread while others go on.

use super::rates::Rates;
use crate::backend::devices::Devices;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// The machine's cards.
#[derive(Debug)]
pub(super) struct Opened {
    /// For statements that wait until code is compiled for them, and for those that do not.
    pub(super) patient: Devices,
    pub(super) hasty: Devices,
    pub(super) rates: Rates,
}

/// Cards that are open, or why there are none; or that are to be opened.
#[derive(Debug, Default)]
pub(super) struct Opening {
    opened: Arc<OnceLock<Result<Opened, String>>>,
    /// Microseconds that the processors took for programs, as estimated, which a card might have run.
    done: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the processors have to do, in seconds, before cards are opened: about what that takes. Who runs one statement and leaves, leaves at
/// once.
const WORTH: f64 = 0.2;

fn open() -> Result<Opened, String> {
    let [patient, hasty] = Devices::cards()?;
    hasty.prepare();
    let rates = super::first_card().ok().and_then(|name| Rates::of_card(&name)).unwrap_or_default();
    Ok(Opened { patient, hasty, rates })
}

impl Opening {
    /// These, as if they had been opened.
    #[cfg(test)]
    pub(super) fn done([patient, hasty]: [Devices; 2], rates: Rates) -> Self {
        let opening = Opening::default();
        opening.opened.get_or_init(|| Ok(Opened { patient, hasty, rates }));
        opening
    }

    /// The cards, or why there are none, if that is known.
    pub(super) fn now(&self) -> Option<&Result<Opened, String>> {
        self.opened.get()
    }

    /// The same, found out now.
    pub(super) fn wait(&self) -> &Result<Opened, String> {
        self.opened.get_or_init(open)
    }

    /// The processors run something that takes so many seconds: opens cards beside it, if that becomes too much.
    pub(super) fn soon(&self, seconds: f64) {
        let more = (seconds.clamp(0.0, 1e6) * 1e6) as u64;
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        if (done as f64) < WORTH * 1e6 {
            return;
        }
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let opened = Arc::clone(&self.opened);
            let opens = move || {
                opened.get_or_init(open);
            };
            // Without a thread the next one tries again.
            *thread = std::thread::Builder::new().name("opens cards".to_owned()).spawn(opens).ok();
        }
    }
}

impl Drop for Opening {
    /// Waits for the thread: a process that ends in the middle of CUDA's start may not end well.
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}
