//! What options say, given names and values: the format, and how its files are written. Each format knows its own.

use super::csv::CsvOptions;
use super::json::{JsonOptions, Layout};
use super::{Format, SetOptions};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{FileOption, FileOptions};

/// The format that options name, or else a path's ending, and what they say of it; none if neither names one.
///
/// Errors: 22023, where the option stands, for a format or an option that is not known, and for a bad value.
pub(crate) fn format_of(path: &str, options: &FileOptions) -> Result<Option<(Format, SetOptions)>> {
    let format = match options.format() {
        Some(option) => Some(named(option)?),
        None => Format::of_path(path),
    };
    let Some(mut format) = format else { return Ok(None) };
    let mut set = SetOptions::default();
    for option in options.iter() {
        let mut take = || Ok(set.set(option)? || format.set(option)?);
        if !take().map_err(|error: Error| error.at(option.position))? {
            return Err(unknown(&format, option));
        }
    }
    Ok(Some((format, set)))
}

/// As [`format_of`], with an error (22023) if neither names a format.
pub(crate) fn copy_format(path: &str, options: &FileOptions) -> Result<Format> {
    let (format, set) = format_of(path, options)?.ok_or_else(|| {
        let message = format!("the file's ending names no format: {path}");
        Error::new(ErrorKind::InvalidParameter, message)
            .with_hint("Say which with (FORMAT csv), (FORMAT json), (FORMAT parquet) or (FORMAT arrow).")
    })?;
    if set != SetOptions::default() {
        let message = format!("{} are options of files in FROM", SetOptions::NAMES.join(", "));
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    Ok(format)
}

/// The format of a name, with nothing said of it.
fn named(option: &FileOption) -> Result<Format> {
    let name = option.text()?;
    Ok(match name.to_ascii_lowercase().as_str() {
        "csv" => Format::Csv(CsvOptions::default()),
        "parquet" => Format::Parquet,
        "arrow" => Format::Ipc,
        "avro" => Format::Avro,
        "json" => Format::Json(JsonOptions::default()),
        "ndjson" => Format::Json(JsonOptions::lines()),
        "json_objects" => Format::Json(JsonOptions::objects()),
        "ndjson_objects" => Format::Json(JsonOptions { layout: Some(Layout::Lines), ..JsonOptions::objects() }),
        _ => {
            let message = format!("COPY format \"{name}\" not recognized");
            return Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("Formats of files are csv, json, ndjson, parquet, arrow and avro.")
                .at(option.position));
        }
    })
}

impl Format {
    /// Takes an option; false if it is none of this format.
    fn set(&mut self, option: &FileOption) -> Result<bool> {
        match self {
            Format::Csv(options) => options.set(option),
            Format::Json(options) => options.set(option),
            Format::Parquet | Format::Ipc | Format::Avro => Ok(false),
        }
    }

    /// Its name, and the names of its options.
    fn names(&self) -> (&'static str, &'static [&'static str]) {
        match self {
            Format::Csv(_) => ("csv", CsvOptions::NAMES),
            Format::Json(_) => ("json", JsonOptions::NAMES),
            Format::Parquet => ("parquet", &[]),
            Format::Ipc => ("arrow", &[]),
            Format::Avro => ("avro", &[]),
        }
    }
}

fn unknown(format: &Format, option: &FileOption) -> Error {
    let (format, names) = format.names();
    let message = format!("option \"{}\" is not known for files of format {format}", option.name);
    let error = Error::new(ErrorKind::InvalidParameter, message).at(option.position);
    let names = [names, SetOptions::NAMES].concat();
    error.with_hint(format!("Options are {}.", names.join(", ")))
}
