//! Which constraints a transaction checks at its end, and which it has to.

use crate::catalog::Qualified;
use multiloop_planner::catalog::{Deferral, Reference};
use std::collections::BTreeSet;

/// What SET CONSTRAINTS has said in a transaction, and the constraints whose check has been put off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deferrals {
    /// Of all constraints.
    all: Option<bool>,
    /// Of some, by their tables and names; the last counts.
    named: Vec<((Qualified, String), bool)>,
    postponed: BTreeSet<(Qualified, String)>,
}

impl Deferrals {
    /// Whether a reference of a table is checked at the end of the transaction.
    pub(crate) fn defers(&self, table: &Qualified, reference: &Reference) -> bool {
        let said = || {
            let named = self.named.iter().rev();
            let of = |(name, _): &&((Qualified, String), bool)| name.0 == *table && name.1 == reference.name;
            named.clone().find(of).map(|(_, deferred)| *deferred).or(self.all)
        };
        match reference.deferral {
            Deferral::Never => false,
            Deferral::Immediate => said().unwrap_or(false),
            Deferral::Deferred => said().unwrap_or(true),
        }
    }

    /// Puts off the check of a constraint.
    pub(crate) fn postpone(&mut self, table: &Qualified, constraint: &str) {
        self.postponed.insert((table.clone(), constraint.to_owned()));
    }

    /// SET CONSTRAINTS; no names are all.
    pub(crate) fn set(&mut self, names: Option<&[(Qualified, String)]>, deferred: bool) {
        match names {
            None => {
                self.all = Some(deferred);
                self.named.clear();
            }
            Some(names) => self.named.extend(names.iter().map(|name| (name.clone(), deferred))),
        }
    }

    /// Takes those whose check has been put off, of these names, or all.
    pub(crate) fn take(&mut self, names: Option<&[(Qualified, String)]>) -> Vec<(Qualified, String)> {
        let all = std::mem::take(&mut self.postponed);
        let (taken, kept): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| names.is_none_or(|names| names.contains(one)));
        self.postponed = kept.into_iter().collect();
        taken
    }
}
