//! Options of CSV by their names: DuckDB's, and COPY's where these differ.

use super::dialect::NO_BYTE;
use super::{Compression, CsvOptions, Encoding, Pattern, ROW_BYTES_MAX};
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{FileOption, OptionValue};
use multiloop_planner::sql::type_named;
use multiloop_planner::types::DataType;
use std::sync::Arc;

impl CsvOptions {
    /// The names that [`CsvOptions::set`] knows, without those that mean the same.
    pub(in super::super) const NAMES: &'static [&'static str] = &[
        "delimiter",
        "header",
        "quote",
        "escape",
        "nullstr",
        "decimal_separator",
        "all_varchar",
        "auto_detect",
        "columns",
        "comment",
        "compression",
        "dateformat",
        "encoding",
        "force_not_null",
        "force_null",
        "ignore_errors",
        "max_line_size",
        "names",
        "null_padding",
        "rejects",
        "sample_size",
        "skip",
        "thousands",
        "timestampformat",
        "types",
    ];

    /// Takes an option; false if there is none of its name.
    ///
    /// Errors: 22023 for a bad value, 0A000 for an encoding that is not known.
    pub(in super::super) fn set(&mut self, option: &FileOption) -> Result<bool> {
        match option.name.as_str() {
            "delimiter" | "delim" | "sep" => self.delimiter = Some(needed_byte(option)?),
            "header" => self.header = Some(option.boolean()?),
            "quote" => self.quote = Some(byte(option)?.unwrap_or(NO_BYTE)),
            "escape" => self.escape = byte(option)?,
            "null" | "nullstr" | "nulls" => {
                let mut texts = option.texts()?.into_iter().map(str::to_owned);
                self.null = texts.next().ok_or_else(|| option.invalid("a text is expected"))?;
                self.other_nulls = texts.collect();
            }
            "decimal_separator" => self.decimal = Some(needed_byte(option)?),
            "thousands" | "thousands_separator" => self.thousands = Some(needed_byte(option)?),
            "dateformat" | "date_format" => self.date_format = Some(pattern(option)?),
            "timestampformat" | "timestamp_format" => self.timestamp_format = Some(pattern(option)?),
            "force_null" => self.force_null = option.texts()?.into_iter().map(str::to_owned).collect(),
            "force_not_null" => self.force_not_null = option.texts()?.into_iter().map(str::to_owned).collect(),
            "all_varchar" => self.all_text = option.boolean()?,
            "auto_detect" => self.auto_detect = option.boolean()?,
            "columns" => {
                self.types = types(option)?;
                self.names = option.pairs()?.into_iter().map(|(name, _)| name.to_owned()).collect();
            }
            "types" | "dtypes" | "column_types" => self.types = types(option)?,
            "names" | "column_names" => self.names = option.texts()?.into_iter().map(str::to_owned).collect(),
            "comment" => self.comment = byte(option)?,
            "compression" => {
                self.compression = Compression::named(option.text()?).map_err(|error| error.at(option.position))?;
            }
            "encoding" => {
                let known = Encoding::named(option.text()?);
                let unknown = || {
                    let names = "utf-8, utf-16, utf-16be, latin-1 (iso-8859-1) and windows-1252";
                    Error::unsupported(format_args!("encoding {} of a file is", option.value))
                        .with_hint(format!("Encodings are {names}."))
                };
                self.encoding = Some(known.ok_or_else(unknown)?);
            }
            "ignore_errors" => self.ignore_errors = option.boolean()?,
            "null_padding" => self.null_padding = option.boolean()?,
            "rejects" => self.rejects = option.boolean()?,
            "store_rejects" | "rejects_table" | "rejects_scan" | "rejects_limit" => {
                let error = option.invalid("rows that are wrong are not stored in tables beside the result");
                let hint = "Rows that are wrong are a table of their own with rejects => true; ignore_errors => true leaves them out.";
                return Err(error.with_hint(hint));
            }
            "max_line_size" | "maximum_line_size" => {
                self.row_bytes_max = Some(option.integer(1..=ROW_BYTES_MAX as i64)? as usize);
            }
            // All rows are -1.
            "sample_size" => {
                self.sample_rows = Some(usize::try_from(option.integer(-1..=i64::MAX)?).unwrap_or(usize::MAX))
            }
            "skip" => self.skip = usize::try_from(option.integer(0..=i64::MAX)?).unwrap_or(usize::MAX),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Types of columns, by name or in order.
fn types(option: &FileOption) -> Result<Vec<(Option<String>, DataType)>> {
    let named = |name: &str| type_named(name).map_err(|error| option.invalid(error.message()));
    if let OptionValue::List(_) = option.value {
        return option.texts()?.into_iter().map(|name| Ok((None, named(name)?))).collect();
    }
    option.pairs()?.into_iter().map(|(column, name)| Ok((Some(column.to_owned()), named(name)?))).collect()
}

/// A format of days or instants.
fn pattern(option: &FileOption) -> Result<Arc<Pattern>> {
    Pattern::parse(option.text()?).map(Arc::new).map_err(|error| error.at(option.position))
}

/// One byte, or none.
fn byte(option: &FileOption) -> Result<Option<u8>> {
    match option.character()? {
        None => Ok(None),
        Some(character) if character.is_ascii() => Ok(Some(character as u8)),
        Some(_) => {
            let message = format!("COPY {} must be a single one-byte character", option.name);
            Err(Error::new(ErrorKind::InvalidParameter, message).at(option.position))
        }
    }
}

fn needed_byte(option: &FileOption) -> Result<u8> {
    byte(option)?.ok_or_else(|| option.invalid("a single character is expected"))
}
