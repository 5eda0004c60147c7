//! A copy of a state as a database of its own, while statements go on.

use super::checkpoint::{self, Segments};
use super::disk::{Disk, Machine};
use super::log::Log;
use super::object_disk::{self, ObjectDisk};
use super::record::RowsFile;
use super::{Place, Storage, could_not};
use crate::catalog::Schemas;
use crate::format::{is_there, scheme_of};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_exec::workers::context::Context;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are copied at once.
const COPIED_AT_ONCE: usize = 1 << 20;

/// Writes a state as a database to a folder, which is to be empty or not there, or to one of an object store, in which there is to be
/// none; rows that files of `storage` have are copied from there. Nobody else makes a checkpoint meanwhile.
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
    if folder.to_str().is_some_and(|name| scheme_of(name).is_some()) {
        let place = Place(folder.to_owned());
        if is_there(object_disk::name(&place.checkpoint())?)? {
            let message = format!("there is a database in \"{}\"", folder.display());
            return Err(Error::new(ErrorKind::WrongState, message).with_hint("Name a folder in which there is none."));
        }
        // What is left of one that fails is no database: the checkpoint comes last.
        return written(schemas, storage, (&place, &(Arc::new(ObjectDisk) as Arc<dyn Disk>)), context);
    }
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
    let disk: Arc<dyn Disk> = Arc::new(Machine);
    written(schemas, storage, (&place, &disk), context).inspect_err(|_| {
        // What is left of it is no database: there is no checkpoint.
        let _stays = match was_there {
            true => fs::remove_dir_all(place.logs()).and_then(|()| fs::remove_dir_all(place.all_rows())),
            false => fs::remove_dir_all(folder),
        };
    })
}

/// Copies a file, which is on the device then.
fn copied(from: &Path, to: &Path, disk: &dyn Disk, context: &Context) -> Result<()> {
    let read = |error: std::io::Error| could_not("copy", from, &error);
    let failed = |error: std::io::Error| could_not("write", to, &error);
    let mut from_file = File::open(from).map_err(read)?;
    let to_file = disk.create(to).map_err(failed)?;
    let mut some = vec![0; COPIED_AT_ONCE];
    loop {
        context.check()?;
        match from_file.read(&mut some).map_err(read)? {
            0 => return to_file.sync().map_err(failed),
            count => to_file.write(&some[..count]).map_err(failed)?,
        }
    }
}

fn written(
    schemas: &Schemas,
    storage: Option<(&Storage, &Segments)>,
    (place, disk): (&Place, &Arc<dyn Disk>),
    context: &Context,
) -> Result<()> {
    let nothing = Segments::new();
    let known = storage.map_or(&nothing, |(_, known)| known);
    // Numbers of new files are those behind the ones that are copied.
    let last = known.values().flatten().map(|segment| segment.file.number).max().unwrap_or(0);
    let mut next = last;
    let mut write = |rows: &Table| {
        next += 1;
        checkpoint::write_rows(&**disk, place, next, rows, context)
    };
    let (new, segments) = checkpoint::written(schemas, (1, 1), known, &mut write, context)?;
    let is_known = |file: &RowsFile| file.number <= last;
    if let Some((storage, _)) = storage {
        for file in segments.values().flatten().map(|segment| &segment.file).filter(|file| is_known(file)) {
            copied(&storage.place.rows(file.number), &place.rows(file.number), &**disk, context)?;
        }
    }
    disk.sync_folder(&place.all_rows()).map_err(|error| could_not("sync", &place.all_rows(), &error))?;
    drop(Log::new(disk, place, 1, 1)?);
    checkpoint::replace(&**disk, place, &new, &mut || ())
}
