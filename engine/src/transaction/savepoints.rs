//! Savepoints: states that a transaction goes back to.

use super::{Transaction, Work};
use crate::catalog::{Schemas, State};
use crate::settings::Settings;
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Savepoint {
    name: String,
    states: Option<(Schemas, State)>,
    settings: Settings,
    after: Settings,
    /// How much had been told.
    told: usize,
}

impl Work {
    /// SAVEPOINT; 25P01 outside of a transaction.
    pub(crate) fn savepoint(&self, name: &str) -> Result<()> {
        let inner = &mut *self.inner();
        let settings = inner.settings.clone();
        let transaction = in_block(&mut inner.transaction, "SAVEPOINT")?;
        let (states, after) = (transaction.states.clone(), transaction.after.clone());
        let told = transaction.told.len();
        transaction.savepoints.push(Savepoint { name: name.to_owned(), states, settings, after, told });
        Ok(())
    }

    /// RELEASE: the savepoint and those after it are forgotten.
    pub(crate) fn release(&self, name: &str) -> Result<()> {
        let inner = &mut *self.inner();
        let transaction = in_block(&mut inner.transaction, "RELEASE SAVEPOINT")?;
        let at = transaction.find(name)?;
        transaction.savepoints.truncate(at);
        Ok(())
    }

    /// ROLLBACK TO: all is as it was at the savepoint, which stays.
    pub(crate) fn rollback_to(&self, name: &str) -> Result<()> {
        let inner = &mut *self.inner();
        let transaction = in_block(&mut inner.transaction, "ROLLBACK TO SAVEPOINT")?;
        let at = transaction.find(name)?;
        transaction.savepoints.truncate(at + 1);
        let savepoint = &transaction.savepoints[at];
        // What the transaction reads does not change because it had not read before.
        if let Some((base, _)) = transaction.states.clone() {
            let then = savepoint.states.clone();
            let temporary = &transaction.temporary;
            let fresh = || State { schemas: Arc::clone(&base), temporary: Arc::clone(temporary) };
            transaction.states = Some(then.unwrap_or_else(|| (Arc::clone(&base), fresh())));
            // Which of them are behind is found anew.
            transaction.behind = None;
        }
        transaction.after = savepoint.after.clone();
        transaction.told.truncate(savepoint.told);
        transaction.failed = false;
        inner.settings = savepoint.settings.clone();
        Ok(())
    }
}

fn in_block<'t>(transaction: &'t mut Option<Transaction>, what: &str) -> Result<&'t mut Transaction> {
    let message = || format!("{what} can only be used in transaction blocks");
    transaction
        .as_mut()
        .filter(|transaction| !transaction.implicit)
        .ok_or_else(|| Error::new(ErrorKind::NoTransaction, message()))
}

impl Transaction {
    /// The last savepoint of a name; 3B001 if there is none.
    fn find(&self, name: &str) -> Result<usize> {
        let found = self.savepoints.iter().rposition(|savepoint| savepoint.name == name);
        found.ok_or_else(|| Error::new(ErrorKind::InvalidSavepoint, format!("savepoint \"{name}\" does not exist")))
    }
}
