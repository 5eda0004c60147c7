//! Avro where it is left out of the build.

use super::Unreadable;
use super::set::FileSet;
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use multiloop_exec::{Error, Result};
use multiloop_planner::types::Field;

fn left_out<T>() -> Result<T> {
    Err(Error::unsupported("Avro, which this build leaves out (feature avro), is"))
}

/// An error (0A000).
pub(super) fn read_fields(_: &FileSet, _: &Context) -> Result<Vec<Field>> {
    left_out()
}

/// An error (0A000).
pub(super) fn read_readable(_: &FileSet, _: Option<&[Field]>, _: &Context) -> Result<(Table, Vec<Unreadable>)> {
    left_out()
}
