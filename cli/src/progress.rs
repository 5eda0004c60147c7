//! A progress bar for statements that take long, on terminals only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use multiloop::Session;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Calls (ten a second) before the bar appears.
const QUIET_CALLS: u32 = 10;

/// The bar of a session; without a terminal there is nothing to see.
#[derive(Clone)]
pub(crate) struct Bar {
    bar: ProgressBar,
    calls: Arc<AtomicU32>,
}

impl Bar {
    /// Makes the session show a bar while a statement runs longer than a second.
    pub(crate) fn show_on_terminals(session: &mut Session) -> Self {
        let shown = Bar { bar: ProgressBar::hidden(), calls: Arc::default() };
        if !std::io::stderr().is_terminal() {
            return shown;
        }
        let template = ProgressStyle::with_template("{bar:40} {percent}%");
        shown.bar.set_style(template.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let of_session = shown.clone();
        session.on_progress(Some(Arc::new(move |done, total| of_session.update(done, total))));
        shown
    }

    fn update(&self, done: u64, total: u64) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls == QUIET_CALLS {
            self.bar.reset();
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if calls >= QUIET_CALLS && total > 0 {
            self.bar.set_length(total);
            self.bar.set_position(done.min(total));
        }
    }

    /// Takes the bar away: the statement is over.
    pub(crate) fn clear(&self) {
        if self.calls.swap(0, Ordering::Relaxed) > QUIET_CALLS {
            self.bar.finish_and_clear();
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}
