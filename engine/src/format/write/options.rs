//! What COPY TO says of the files that it writes.

use super::super::compressed::{self, Packing};
use super::super::csv::{CsvOptions, Encoding};
use super::{Form, Writing};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{FileOption, FileOptions};
use multiloop_planner::types::Field;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use std::collections::HashSet;
use std::path::Path;

/// Options of CSV that say how it is written; the others are for reading.
const CSV_NAMES: &[&str] = &["delimiter", "header", "quote", "escape", "nullstr", "decimal_separator", "encoding"];

impl Writing {
    /// What options and a path's ending say of files with these columns.
    ///
    /// Errors: 22023, where the option stands, for a format or an option that is not known, a bad value, and options that do not go
    /// together; 42703 for a partition of a column that there is not.
    pub(crate) fn of(path: &str, options: &FileOptions, fields: &[Field]) -> Result<Self> {
        let (form, packing) = form_of(path, options)?;
        let mut writing = Writing { form, packing, ..Writing::default() };
        for option in options.iter() {
            if !writing.set(option, fields).map_err(|error| error.at(option.position))? {
                let form = writing.form.name();
                let message = format!("option \"{}\" is not known for writing files of format {form}", option.name);
                let names = writing.names().join(", ");
                return Err(Error::new(ErrorKind::InvalidParameter, message)
                    .with_hint(format!("Options are {names}."))
                    .at(option.position));
            }
        }
        let level = options.get("compression_level");
        if let Some(name) = options.get("compression") {
            writing.compress(name, level)?;
        } else if let Some(level) = level {
            writing.set_level(level)?;
        }
        if !writing.is_folder()
            && let Some(option) = options.get("overwrite").or_else(|| options.get("overwrite_or_ignore"))
        {
            return Err(option.invalid("a single file is always written anew; this is said of folders"));
        }
        if writing.partitions.len() == fields.len() && !writing.keep_partitions {
            let message = "PARTITION_BY of all columns leaves none for the files";
            return Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("WRITE_PARTITION_COLUMNS true writes them into the files, too."));
        }
        if matches!(writing.form, Form::Json { .. }) {
            let mut names = HashSet::new();
            if let Some(field) = fields.iter().find(|field| !names.insert(&field.name)) {
                // Whoever reads the objects would lose one of the two.
                let message = format!("column \"{}\" is there twice, and objects of JSON have it once", field.name);
                return Err(Error::new(ErrorKind::DuplicateColumn, message));
            }
        }
        Ok(writing)
    }

    /// Takes an option; false if there is none of its name.
    fn set(&mut self, option: &FileOption, fields: &[Field]) -> Result<bool> {
        match option.name.as_str() {
            // Taken together.
            "compression" | "compression_level" => {}
            "partition_by" => {
                for name in option.texts()? {
                    let place = fields.iter().position(|field| field.name == name).ok_or_else(|| {
                        let message = format!("column \"{name}\" of PARTITION_BY does not exist");
                        Error::new(ErrorKind::UnknownColumn, message)
                    })?;
                    if self.partitions.contains(&place) {
                        return Err(option.invalid(format_args!("column \"{name}\" is there twice")));
                    }
                    self.partitions.push(place);
                }
            }
            "write_partition_columns" => self.keep_partitions = option.boolean()?,
            "overwrite" => self.replace = option.boolean()?,
            "overwrite_or_ignore" => self.add = option.boolean()?,
            "per_thread_output" => self.per_thread = option.boolean()?,
            "file_size_bytes" => self.file_bytes = Some(bytes_of(option)?),
            "use_tmp_file" => self.in_place = !option.boolean()?,
            name => return self.form.set(name, option),
        }
        Ok(true)
    }

    fn names(&self) -> Vec<&'static str> {
        let own: &[&str] = match &self.form {
            Form::Csv(_) => CSV_NAMES,
            Form::Json { .. } => &["array"],
            Form::Parquet { .. } => &["row_group_size"],
            Form::Ipc => &[],
        };
        let all = [
            "compression",
            "compression_level",
            "partition_by",
            "write_partition_columns",
            "overwrite",
            "overwrite_or_ignore",
            "per_thread_output",
            "file_size_bytes",
            "use_tmp_file",
        ];
        [own, &all].concat()
    }

    fn compress(&mut self, option: &FileOption, level: Option<&FileOption>) -> Result<()> {
        let name = option.text()?.to_ascii_lowercase();
        let said = |range, default| level.map_or(Ok(default), |level| level.integer(range));
        let bad = |error: parquet::errors::ParquetError| option.invalid(error);
        let unknown = |of: &str| option.invalid(format_args!("{} is not known; there are {of}", option.value));
        let mut has_level = true;
        match &mut self.form {
            Form::Parquet { compression, .. } => {
                *compression = match name.as_str() {
                    "zstd" => Compression::ZSTD(ZstdLevel::try_new(said(1..=22, 3)? as i32).map_err(bad)?),
                    "gzip" => Compression::GZIP(GzipLevel::try_new(said(0..=9, 6)? as u32).map_err(bad)?),
                    "brotli" => Compression::BROTLI(BrotliLevel::try_new(said(0..=11, 4)? as u32).map_err(bad)?),
                    name => {
                        has_level = false;
                        match name {
                            "uncompressed" | "none" => Compression::UNCOMPRESSED,
                            "snappy" => Compression::SNAPPY,
                            "lz4" | "lz4_raw" => Compression::LZ4_RAW,
                            _ => return Err(unknown("uncompressed, snappy, gzip, zstd, lz4_raw and brotli")),
                        }
                    }
                }
            }
            Form::Csv(_) | Form::Json { .. } => {
                let named = compressed::Compression::named(&name).map_err(|error| error.at(option.position))?;
                // None: by the file's ending.
                if let Some(compression) = named {
                    self.packing = Packing::of(compression);
                }
                return level.map_or(Ok(()), |level| self.set_level(level));
            }
            Form::Ipc => return Err(option.invalid("files of format arrow are not compressed")),
        }
        match level.filter(|_| !has_level) {
            Some(level) => Err(level.invalid(format_args!("compression {name} has none"))),
            None => Ok(()),
        }
    }

    /// Sets the level of what compresses the file as a whole.
    fn set_level(&mut self, level: &FileOption) -> Result<()> {
        match &mut self.packing {
            Packing::Gzip(of) => *of = level.integer(0..=9)? as u32,
            Packing::Zstd(of) => *of = level.integer(1..=22)? as i32,
            Packing::None => return Err(level.invalid("it needs a COMPRESSION that has levels")),
        }
        Ok(())
    }
}

impl Form {
    fn name(&self) -> &'static str {
        match self {
            Form::Csv(_) => "csv",
            Form::Json { .. } => "json",
            Form::Parquet { .. } => "parquet",
            Form::Ipc => "arrow",
        }
    }

    fn set(&mut self, name: &str, option: &FileOption) -> Result<bool> {
        match (self, name) {
            (Form::Csv(options), _) => return set_csv(options, option),
            (Form::Json { array }, "array") => *array = option.boolean()?,
            (Form::Parquet { group_rows, .. }, "row_group_size") => {
                *group_rows = usize::try_from(option.integer(1..=i64::from(i32::MAX))?).unwrap_or(usize::MAX);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The format that options name, or else a path's ending, and how the ending says that it is compressed.
fn form_of(path: &str, options: &FileOptions) -> Result<(Form, Packing)> {
    let extension = |path: &Path| path.extension().map(|of| of.to_string_lossy().to_ascii_lowercase());
    let packing = Packing::of(compressed::Compression::of_ending(path));
    let ending = extension(Path::new(compressed::inner(path))).unwrap_or_default();
    let named = options.format().map(|format| format.text()).transpose()?.map(str::to_ascii_lowercase);
    let form = match named.as_deref().unwrap_or(&ending) {
        "csv" => Form::Csv(CsvOptions::default()),
        "tsv" if named.is_none() => tabbed(),
        "json" | "ndjson" => Form::Json { array: false },
        "jsonl" if named.is_none() => Form::Json { array: false },
        "parquet" => Form::default(),
        "pq" if named.is_none() => Form::default(),
        "arrow" => Form::Ipc,
        "arrows" | "ipc" | "feather" if named.is_none() => Form::Ipc,
        "avro" => return Err(avro().at(options.format().and_then(|format| format.position))),
        _ => {
            let (message, position) = match options.format() {
                Some(format) => (format!("COPY format {} not recognized", format.value), format.position),
                None => (format!("the file's ending names no format: {path}"), None),
            };
            return Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("Say which with (FORMAT csv), (FORMAT json), (FORMAT parquet) or (FORMAT arrow).")
                .at(position));
        }
    };
    // Parquet and Arrow are compressed within, whatever the ending says: then it would say what is not so.
    if packing != Packing::None && matches!(form, Form::Parquet { .. } | Form::Ipc) {
        let message = format!("files of format {} are not compressed as a whole: {path}", form.name());
        return Err(Error::new(ErrorKind::InvalidParameter, message).with_hint("COMPRESSION zstd compresses within."));
    }
    Ok((form, packing))
}

pub(super) fn avro() -> Error {
    Error::unsupported("writing Avro files is")
}

/// Takes an option of CSV that says how it is written; false if it is none.
fn set_csv(options: &mut CsvOptions, option: &FileOption) -> Result<bool> {
    match option.name.as_str() {
        "delimiter" | "delim" | "sep" | "header" | "escape" | "decimal_separator" => options.set(option),
        "quote" if option.character()?.is_none() => {
            Err(option.invalid("files are written with one, for fields that need it"))
        }
        "quote" => options.set(option),
        "null" | "nullstr" => {
            let set = options.set(option)?;
            if options.other_nulls.is_empty() { Ok(set) } else { Err(option.invalid("one text is written")) }
        }
        "encoding" => {
            let set = options.set(option)?;
            match options.encoding {
                None | Some(Encoding::Utf8) => Ok(set),
                Some(other) => Err(Error::unsupported(format_args!("writing CSV in encoding {} is", other.name()))),
            }
        }
        _ => Ok(false),
    }
}

fn tabbed() -> Form {
    Form::Csv(CsvOptions { delimiter: Some(b'\t'), ..CsvOptions::default() })
}

/// A number of bytes, perhaps with a unit: `'100MB'`, `'1GiB'`.
fn bytes_of(option: &FileOption) -> Result<u64> {
    let Ok(text) = option.text() else {
        return option.integer(1..=i64::MAX).map(|bytes| bytes as u64);
    };
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let unit: Option<u64> = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1),
        "kb" => Some(1_000),
        "mb" => Some(1_000_000),
        "gb" => Some(1_000_000_000),
        "kib" => Some(1 << 10),
        "mib" => Some(1 << 20),
        "gib" => Some(1 << 30),
        _ => None,
    };
    let number: Option<u64> = text[..digits].parse().ok();
    let bytes = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| option.invalid(format_args!("a size is expected, not '{text}'")))
}
