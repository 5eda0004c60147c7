//! Providers as the catalog has them, and what the planner sees of them.
//!
//! The number of rows in a plan is a proof: by it sums do not overflow. So it is a bound, with room for rows to come, and a scan that
//! finds more is an error which has the statement begin again. The bound has been raised by then, which makes another
//! [`TableInfo`], under a handle of its own: plans for the old one are not used again.

use super::{RowCount, TableEstimates, TableProvider};
pub(super) use crate::guard::Owned;
use crate::guard::called_as;
use crate::{DataType, Error, ErrorKind, Field, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{ColumnStatistics, Declared, Proofs, TableHandle, TableInfo, TableStatistics};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The least bound of rows. A statement over fewer rows may be taken for one that needs no thread of its own, which no scan of a
/// provider is.
pub(super) const ROWS_MIN: u64 = 1 << 16;

/// The bound of a provider that says no number.
const ROWS_UNKNOWN: u64 = 1 << 20;

/// The greatest bound: more rows than anybody has.
const ROWS_MAX: u64 = 1 << 48;

/// By how much the bound grows where it was too small.
const GROWTH: u64 = 16;

/// A provider that is registered.
#[derive(Clone, Debug)]
pub(crate) struct Provided {
    pub(super) provider: Arc<Owned<Arc<dyn TableProvider>>>,
    /// Its columns, as it called them.
    pub(super) fields: Arc<[Field]>,
    bound: Arc<Mutex<Bound>>,
}

/// Runs code of a provider: a statement within it is an error, and so is a panic. The caller may hold the lock of the catalog, and
/// have all workers.
pub(super) fn in_provider<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    called_as(&"it", work)
}

/// How many rows plans are made for.
#[derive(Debug)]
struct Bound {
    rows: u64,
    /// What the provider has said of them.
    estimates: TableEstimates,
    /// What the planner has seen with other bounds than the first: those of a table that has another name by now, too.
    infos: Vec<Arc<TableInfo>>,
}

impl Provided {
    /// Asks a provider for its columns.
    ///
    /// # Errors
    /// 42701 where two columns have one name, 0A000 where one is of a type with a length, and those of a panic.
    pub(crate) fn new(name: &str, provider: Arc<dyn TableProvider>) -> Result<Self> {
        let told = |error: Error| of_provider(name, error);
        let provider = Arc::new(Owned::new(provider));
        let fields: Arc<[Field]> = in_provider(|| Ok(provider.get().fields())).map_err(told)?.into();
        let mut names = HashSet::new();
        for field in fields.iter() {
            if field.name.is_empty() || field.name.contains('\0') {
                return Err(told(Error::new(ErrorKind::InvalidName, "a column has no name that can be written")));
            }
            if is_measured(field.data_type) {
                let (name, data_type) = (&field.name, field.data_type);
                let error = Error::unsupported(format!("column \"{name}\" of type {data_type} is"));
                return Err(told(error.with_hint("A provider's texts are of any length: make it text.")));
            }
            if !names.insert(field.name.as_str()) {
                let message = format!("column \"{}\" specified more than once", field.name);
                return Err(told(Error::new(ErrorKind::DuplicateColumn, message)));
            }
        }
        let estimates = in_provider(|| Ok(provider.get().estimates())).map_err(told)?;
        let bound = Bound { rows: bound_of(estimates.rows), estimates, infos: Vec::new() };
        Ok(Provided { provider, fields, bound: Arc::new(Mutex::new(bound)) })
    }

    /// What stands in the catalog for its rows.
    pub(crate) fn table(&self) -> Table {
        let fields = self.fields.to_vec();
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        Table { statistics: Arc::new(self.statistics(&bound)), ..Table::empty(fields) }
    }

    /// What its columns are declared with.
    pub(crate) fn declared(&self) -> Arc<Declared> {
        let is_one = |field: &Field| field.data_type == DataType::Numeric;
        let numerics = match self.fields.iter().any(is_one) {
            true => self.fields.iter().map(is_one).collect(),
            false => Vec::new(),
        };
        Arc::new(Declared { numerics, ..Declared::default() })
    }

    /// About how many rows it has, if it says so.
    pub(crate) fn about_rows(&self) -> Option<u64> {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.estimates.rows.map(RowCount::rows)
    }

    /// What is certain of it (of a column that may have NULLs neither that it has none nor that it has nothing else), and, as
    /// estimates, what it says.
    fn statistics(&self, bound: &Bound) -> TableStatistics {
        let estimates = &bound.estimates;
        let column = |(position, field): (usize, &Field)| ColumnStatistics {
            proofs: Proofs { nulls: field.nullable.into(), ..Proofs::default() },
            estimates: estimates.of_column(position, field),
        };
        let about_rows = estimates.rows.map(|rows| rows.rows().clamp(1, bound.rows));
        TableStatistics { rows: bound.rows, columns: self.fields.iter().enumerate().map(column).collect(), about_rows }
    }

    /// A plan was made for too few rows: the next one is for more, and for what the provider says now. The caller is one who runs
    /// code of it.
    pub(super) fn outgrow(&self, planned: u64) {
        let is_known = || self.bound.lock().unwrap_or_else(PoisonError::into_inner).rows > planned;
        // Somebody else may have found out before.
        if is_known() {
            return;
        }
        let mut estimates = self.provider.get().estimates();
        let said = bound_of(estimates.rows);
        if estimates.rows.is_some_and(|rows| rows.rows() < planned) {
            estimates.rows = Some(RowCount::About(planned));
        }
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if bound.rows <= planned {
            bound.rows = planned.saturating_mul(GROWTH).min(ROWS_MAX).max(said);
            bound.estimates = estimates;
        }
    }

    /// What the planner sees of it now, in the place of what it saw at first.
    pub(crate) fn seen(&self, first: &Arc<TableInfo>, next_handle: impl FnOnce() -> TableHandle) -> Arc<TableInfo> {
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if first.statistics.rows >= bound.rows {
            return Arc::clone(first);
        }
        let is_it = |info: &&Arc<TableInfo>| {
            info.statistics.rows >= bound.rows && info.name == first.name && info.fields == first.fields
        };
        if let Some(known) = bound.infos.iter().find(is_it) {
            return Arc::clone(known);
        }
        let statistics = Arc::new(self.statistics(&bound));
        let info = Arc::new(TableInfo { statistics, handle: next_handle(), ..TableInfo::clone(first) });
        bound.infos.push(Arc::clone(&info));
        info
    }

    /// Whether the planner has seen it under this handle, too.
    pub(crate) fn is_seen(&self, handle: TableHandle) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.infos.iter().any(|info| info.handle == handle)
    }
}

/// How many rows plans are made for where a provider says this.
fn bound_of(rows: Option<RowCount>) -> u64 {
    let bound = match rows {
        Some(RowCount::Exactly(rows)) => rows,
        Some(RowCount::About(rows)) => rows.saturating_add(rows / 2),
        None => ROWS_UNKNOWN,
    };
    bound.clamp(ROWS_MIN, ROWS_MAX)
}

/// Whether texts of a type are cut or filled up to its length where they are stored, which nobody does here.
fn is_measured(data_type: DataType) -> bool {
    let of = data_type.element().unwrap_or(data_type);
    matches!(of, DataType::Char(_)) || (matches!(of, DataType::Varchar(_)) && of != DataType::VARCHAR)
}

/// An error with the name of the table whose provider gave it.
pub(super) fn of_provider(name: &str, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Cancelled | ErrorKind::OutOfMemory | ErrorKind::Outgrown => error,
        kind => {
            let told = Error::new(kind, format!("table provider \"{name}\": {}", error.message()));
            let told = error.detail().into_iter().fold(told, |told, detail| told.with_detail(detail));
            error.hint().into_iter().fold(told, |told, hint| told.with_hint(hint))
        }
    }
}
