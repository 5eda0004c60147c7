//! Who is there and what they do: an entry for each session, for `pg_stat_activity`, and for those who stop what others run.

use crate::settings::Settings;
use crate::tallies::Tallies;
use crate::transaction::TransactionStatus;
use multiloop_planner::sql::{Parsed, SessionStatement, Tree};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// What another session asks of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// pg_cancel_backend: to stop what it runs.
    Cancel,
    /// pg_terminate_backend: to end.
    Terminate,
}

/// Called, from another session's thread, when one is asked for something.
pub type SignalCallback = Arc<dyn Fn(Signal) + Send + Sync>;

/// All sessions of an engine, by their numbers, and what their statements have taken.
#[derive(Default)]
pub(crate) struct Activity {
    sessions: Mutex<BTreeMap<u32, Arc<Watch>>>,
    pub(crate) tallies: Arc<Tallies>,
}

/// What others see of a session.
pub(crate) struct Watch {
    pub(crate) began: SystemTime,
    doing: Mutex<Doing>,
    /// Cancels what runs.
    cancel: Cancel,
    /// Who is asked instead.
    signal: Mutex<Option<SignalCallback>>,
}

/// Cancels what a session runs, or runs next.
pub(crate) type Cancel = Arc<dyn Fn() + Send + Sync>;

/// What a session does.
#[derive(Clone)]
pub(crate) struct Doing {
    pub(crate) database: Arc<str>,
    pub(crate) client: Option<SocketAddr>,
    /// Whether a client is behind it: others are the program's own.
    pub(crate) is_client: bool,
    pub(crate) settings: Settings,
    /// The statement that runs, or ran last.
    pub(crate) statement: Option<Arc<Parsed>>,
    pub(crate) is_running: bool,
    pub(crate) status: TransactionStatus,
    pub(crate) statement_began: Option<SystemTime>,
    pub(crate) transaction_began: Option<SystemTime>,
    pub(crate) changed: SystemTime,
}

impl Doing {
    /// The state, in PostgreSQL's words.
    pub(crate) fn state(&self) -> &'static str {
        match self.status {
            _ if self.is_running => "active",
            TransactionStatus::Idle => "idle",
            TransactionStatus::Active => "idle in transaction",
            TransactionStatus::Failed => "idle in transaction (aborted)",
        }
    }

    /// The statement's text, as others may see it.
    pub(crate) fn query(&self) -> &str {
        self.statement.as_deref().map_or("", shown)
    }
}

/// A statement's text, as logs and others may see it: a password is nobody's business.
pub(crate) fn shown(parsed: &Parsed) -> &str {
    match &parsed.tree {
        Tree::Session(SessionStatement::Role(role)) if role.has_password() => role.tag(),
        // It is read when it is bound; whatever it is then, nobody need see it.
        Tree::Session(SessionStatement::Prepare { statement, .. })
            if statement.text.to_ascii_lowercase().contains("password") =>
        {
            "PREPARE"
        }
        _ => &parsed.text,
    }
}

/// There is one an engine: it says nothing of what a statement was planned from.
impl PartialEq for Activity {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Activity {}

impl std::fmt::Debug for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activity").finish_non_exhaustive()
    }
}

impl Activity {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Watch>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a session.
    pub(crate) fn enter(&self, session: u32, database: Arc<str>, cancel: Cancel) -> Arc<Watch> {
        let began = SystemTime::now();
        let doing = Doing {
            database,
            client: None,
            is_client: false,
            settings: Settings::default(),
            statement: None,
            is_running: false,
            status: TransactionStatus::Idle,
            statement_began: None,
            transaction_began: None,
            changed: began,
        };
        let watch = Arc::new(Watch { began, doing: Mutex::new(doing), cancel, signal: Mutex::default() });
        self.lock().insert(session, Arc::clone(&watch));
        watch
    }

    pub(crate) fn leave(&self, session: u32) {
        self.lock().remove(&session);
    }

    /// A session, if it is there.
    pub(crate) fn find(&self, session: u32) -> Option<Arc<Watch>> {
        self.lock().get(&session).cloned()
    }

    /// All sessions.
    pub(crate) fn list(&self) -> Vec<(u32, Arc<Watch>)> {
        self.lock().iter().map(|(session, watch)| (*session, Arc::clone(watch))).collect()
    }
}

impl Watch {
    /// What the session does now.
    pub(crate) fn doing(&self) -> Doing {
        self.change(|doing| doing.clone())
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Doing) -> T) -> T {
        change(&mut self.doing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A statement begins, unless another one runs, of which it is a part then. Whether it does.
    pub(crate) fn begin(&self, statement: &Arc<Parsed>, settings: Settings) -> bool {
        let now = SystemTime::now();
        self.change(|doing| {
            if doing.is_running {
                return false;
            }
            doing.statement = Some(Arc::clone(statement));
            doing.settings = settings;
            (doing.is_running, doing.changed, doing.statement_began) = (true, now, Some(now));
            doing.transaction_began.get_or_insert(now);
            true
        })
    }

    /// It has ended.
    pub(crate) fn end(&self, status: TransactionStatus, settings: Settings) {
        let now = SystemTime::now();
        self.change(|doing| {
            (doing.settings, doing.status) = (settings, status);
            (doing.is_running, doing.changed) = (false, now);
            if status == TransactionStatus::Idle {
                doing.transaction_began = None;
            }
        });
    }

    /// Asks the session for something.
    pub(crate) fn signal(&self, signal: Signal) {
        let callback = self.signal.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match callback {
            Some(callback) => callback(signal),
            None if self.change(|doing| doing.is_running) => (self.cancel)(),
            None => {}
        }
    }

    pub(crate) fn on_signal(&self, callback: SignalCallback) {
        *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(callback);
    }
}
