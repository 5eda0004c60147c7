//! What is left out when a damaged database is opened for what is whole of it.

use crate::catalog::StoredTable;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::Declared;
use multiloop_planner::types::Field;
use std::cell::RefCell;
use std::sync::Arc;

/// What has been left out so far, and why.
#[derive(Debug, Default)]
pub(super) struct Salvage(RefCell<Vec<Error>>);

impl Salvage {
    /// Whether an error is one of the files, and not of the machine that reads them.
    pub(super) fn may_leave_out(error: &Error) -> bool {
        matches!(error.kind(), ErrorKind::DataCorrupted | ErrorKind::Io)
    }

    /// Notes what is left out.
    pub(super) fn leave_out(&self, error: Error) {
        self.0.borrow_mut().push(error);
    }

    /// Notes an error of the files, and goes on.
    pub(super) fn pass_over(&self, error: Error) -> Result<()> {
        if !Salvage::may_leave_out(&error) {
            return Err(error);
        }
        self.leave_out(error);
        Ok(())
    }

    /// A table whose rows cannot be had: who asks for them is told why.
    pub(super) fn without_rows(
        &self,
        name: &str,
        (fields, declared): (&[Field], &Declared),
        error: Error,
    ) -> StoredTable {
        let mut table = StoredTable::new(name, Table::empty(fields.to_vec()), Arc::new(declared.clone()));
        let message = format!("the rows of table \"{name}\" cannot be read: {}", error.message());
        let error = Error::new(ErrorKind::DataCorrupted, message);
        self.leave_out(error.clone());
        table.broken = Some(Arc::new(error));
        table
    }

    /// All that has been left out.
    pub(super) fn left_out(self) -> Vec<Error> {
        self.0.into_inner()
    }
}
