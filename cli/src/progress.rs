//! A progress bar for statements that take long, on terminals only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use multiloop::Session;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Calls (ten a second) before the bar appears.
const QUIET_CALLS: u32 = 10;

/// Makes the session show a bar while a statement runs longer than a second.
pub(crate) fn show_on_terminals(session: &mut Session) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let template = ProgressStyle::with_template("{bar:40} {percent}% {pos}/{len} rows");
    bar.set_style(template.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let calls = AtomicU32::new(0);
    session.on_progress(Some(Arc::new(move |done, total| {
        if total == 0 || done >= total {
            calls.store(0, Ordering::Relaxed);
            bar.set_draw_target(ProgressDrawTarget::hidden());
            return;
        }
        if calls.fetch_add(1, Ordering::Relaxed) == QUIET_CALLS {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_length(total);
        bar.set_position(done);
    })));
}
