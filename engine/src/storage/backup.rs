//! A copy of a state as a database of its own, while statements go on.

use super::checkpoint::{self, Segments};
use super::disk::{Disk, Machine};
use super::log::Log;
use super::record::RowsFile;
use super::{Place, Storage, could_not};
use crate::catalog::Schemas;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Writes a state as a database to a folder, which is to be empty or not there; rows that files of `storage` have are copied from
/// there. Nobody else makes a checkpoint meanwhile.
///
/// # Errors
/// 55000 if there is something in the folder, 53100 and 58030: what was written is removed.
pub(super) fn backup(
    schemas: &Schemas,
    storage: Option<(&Storage, &Segments)>,
    folder: &Path,
    context: &Context,
) -> Result<()> {
    let failed = |error: std::io::Error| could_not("write", folder, &error);
    if fs::read_dir(folder).is_ok_and(|mut names| names.next().is_some()) {
        let message = format!("folder \"{}\" is not empty", folder.display());
        return Err(
            Error::new(ErrorKind::WrongState, message).with_hint("Name an empty folder, or one that there is not yet.")
        );
    }
    let place = Place(folder.to_owned());
    let was_there = folder.exists();
    for folder in [place.logs(), place.all_rows()] {
        fs::create_dir_all(&folder).map_err(failed)?;
    }
    written(schemas, storage, &place, context).inspect_err(|_| {
        // What is left of it is no database: there is no checkpoint.
        let _stays = match was_there {
            true => fs::remove_dir_all(place.logs()).and_then(|()| fs::remove_dir_all(place.all_rows())),
            false => fs::remove_dir_all(folder),
        };
    })
}

fn written(schemas: &Schemas, storage: Option<(&Storage, &Segments)>, place: &Place, context: &Context) -> Result<()> {
    let disk: Arc<dyn Disk> = Arc::new(Machine);
    let nothing = Segments::new();
    let known = storage.map_or(&nothing, |(_, known)| known);
    // Numbers of new files are those behind the ones that are copied.
    let mut next = known.values().flatten().map(|segment| segment.file.number).max().unwrap_or(0);
    let mut write = |rows: &Table| {
        next += 1;
        checkpoint::write_rows(&*disk, place, next, rows, context)
    };
    let (new, segments) = checkpoint::written(schemas, (1, 1), known, &mut write, context)?;
    let is_missing = |file: &RowsFile| !place.rows(file.number).exists();
    if let Some((storage, _)) = storage {
        for file in segments.values().flatten().map(|segment| &segment.file).filter(|file| is_missing(file)) {
            context.check()?;
            let (from, to) = (storage.place.rows(file.number), place.rows(file.number));
            fs::copy(&from, &to).map_err(|error| could_not("copy", &from, &error))?;
            disk.open(&to).and_then(|file| file.sync()).map_err(|error| could_not("sync", &to, &error))?;
        }
    }
    disk.sync_folder(&place.all_rows()).map_err(|error| could_not("sync", &place.all_rows(), &error))?;
    drop(Log::new(&disk, place, 1, 1)?);
    checkpoint::replace(&*disk, place, &new, &mut || ())
}
