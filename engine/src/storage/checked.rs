//! Looks at all files of a folder, whether they are what was written.

use super::disk::{Disk, Machine, locked};
use super::record::Record;
use super::recovery::read_rows;
use super::{Place, checkpoint, could_not, log};
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// What a look at a database's files has found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Tables, views and types of the last checkpoint.
    pub objects: usize,
    /// Files of rows, and their bytes.
    pub files: usize,
    /// See `files`.
    pub bytes: u64,
    /// Commits since the checkpoint.
    pub commits: usize,
    /// What is damaged or missing: which file, and where.
    pub faults: Vec<Error>,
}

/// Looks at all files of the database in a folder, which nobody may have open. What is damaged is among what it gives; it goes on
/// behind it.
///
/// # Errors
/// 55000 if a process has it open, 58P01 if there is none.
pub(crate) fn check(folder: &Path) -> Result<Checked> {
    let place = Place(folder.to_owned());
    if !place.checkpoint().exists() {
        return Err(Error::new(ErrorKind::FileNotFound, format!("there is no database in \"{}\"", folder.display())));
    }
    let failed = |error: std::io::Error| could_not("open", folder, &error);
    let _lock = locked(&place.lock()).map_err(failed)?.ok_or_else(|| super::is_open(folder))?;
    let disk: &dyn Disk = &Machine;
    let mut found = Checked::default();
    let checkpoint = match checkpoint::read(disk, &place.checkpoint()) {
        Ok(checkpoint) => checkpoint,
        Err(error) => {
            found.faults.push(error);
            return Ok(found);
        }
    };
    found.objects = checkpoint.objects.len();
    let mut files: BTreeMap<u64, _> =
        checkpoint.objects.iter().flat_map(|of| &of.files).map(|file| (file.number, file.clone())).collect();
    let (mut next, mut number) = (checkpoint.next, checkpoint.log);
    loop {
        let is_last = !place.log(number + 1).exists();
        let mut take = |record: Record, _| {
            files.extend(record.change.files().into_iter().map(|file| (file.number, file)));
            Ok(())
        };
        let read = log::read(disk, &place.log(number), next, is_last, &mut take).and_then(log::Read::whole);
        match read {
            Ok(read) => {
                found.commits += read.records as usize;
                next += read.records;
            }
            Err(error) => {
                found.faults.push(error);
                break;
            }
        }
        if is_last {
            break;
        }
        number += 1;
    }
    for file in files.values() {
        match read_rows(disk, &place, file) {
            Ok(bytes) => {
                found.files += 1;
                found.bytes += bytes.len() as u64;
            }
            Err(error) => found.faults.push(error),
        }
    }
    Ok(found)
}
