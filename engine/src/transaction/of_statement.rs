//! What a statement that runs others needs of its transaction: one of its own, where none is open, and the place to go back to, if it
//! fails or is to be run once more.

use super::{Asked, Deferrals, Inner, Work};
use crate::catalog::{Schema, Schemas, State};
use crate::settings::Settings;
use crate::turn::Turn;
use multiloop_planner::sql::TransactionMode;
use std::sync::{Arc, Mutex};

/// A session in a transaction of one statement's own.
#[derive(Debug)]
pub(crate) struct Fork {
    pub(crate) work: Arc<Work>,
    /// The settings, and what is temporary, when it began.
    before: (Settings, Arc<Schema>),
}

/// Where a transaction stood when a statement began.
#[derive(Debug)]
pub(crate) struct StatementMark {
    states: Option<(Schemas, State)>,
    told: usize,
    deferrals: Deferrals,
    settings: (Settings, Settings),
}

impl Work {
    /// The same session in a transaction of one statement's own, which what other threads do in the session meanwhile is no part of.
    pub(crate) fn forked(&self) -> Fork {
        let (inner, before) = {
            let inner = self.inner();
            let before = (inner.settings.clone(), Arc::clone(&inner.temporary));
            let (settings, defaults) = (inner.settings.clone(), inner.defaults.clone());
            let (temporary, statement) = (Arc::clone(&inner.temporary), inner.statement);
            // The transaction begins when the statement does.
            let message = statement.or(inner.message);
            (
                Inner {
                    settings,
                    defaults,
                    temporary,
                    transaction: None,
                    statement,
                    asked: Asked::Everything,
                    message,
                },
                before,
            )
        };
        let work = Work {
            session: self.session,
            database: Mutex::new(self.identity().1),
            access: Mutex::new(self.access()),
            inner: Mutex::new(inner),
            writing: Turn::default(),
            sequence: Arc::clone(&self.sequence),
            drawn: Arc::clone(&self.drawn),
            warnings: Mutex::new(Arc::from([])),
        };
        work.begin(TransactionMode::default(), true);
        Fork { work: Arc::new(work), before }
    }

    /// Takes over what a transaction that has been committed has changed of what is the session's own.
    pub(crate) fn join(&self, fork: &Fork) {
        let (settings, temporary) = {
            let inner = fork.work.inner();
            (inner.settings.clone(), Arc::clone(&inner.temporary))
        };
        self.warn(fork.work.warnings());
        let inner = &mut *self.inner();
        if settings != fork.before.0 {
            inner.settings = settings;
        }
        if !Arc::ptr_eq(&temporary, &fork.before.1) {
            inner.temporary = temporary;
        }
    }

    /// What the transaction that is open is at, to go back to it; none without one.
    pub(crate) fn mark(&self) -> Option<StatementMark> {
        let inner = self.inner();
        let open = inner.transaction.as_ref()?;
        let settings = (inner.settings.clone(), open.after.clone());
        let (states, deferrals) = (open.states.clone(), open.deferrals.clone());
        Some(StatementMark { states, told: open.told.len(), deferrals, settings })
    }

    /// Goes back to where the transaction was: what has been done since is undone.
    pub(crate) fn go_back(&self, mark: StatementMark) {
        let inner = &mut *self.inner();
        let Some(open) = &mut inner.transaction else { return };
        // What it reads does not change because it had not read before.
        if let (Some(states), Some(_)) = (mark.states, &open.states) {
            open.states = Some(states);
            // Which tables are behind is found anew.
            open.behind = None;
        }
        open.told.truncate(mark.told);
        open.deferrals = mark.deferrals;
        (inner.settings, open.after) = mark.settings;
    }
}
