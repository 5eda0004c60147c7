//! Options of CSV by their names: DuckDB's, and COPY's where these differ.

use super::CsvOptions;
use super::dialect::NO_BYTE;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::catalog::FileOption;

impl CsvOptions {
    /// The names that [`CsvOptions::set`] knows, without those that mean the same.
    pub(in super::super) const NAMES: &'static [&'static str] =
        &["delimiter", "header", "quote", "escape", "null", "decimal_separator", "all_varchar", "encoding"];

    /// Takes an option; false if there is none of its name.
    ///
    /// Errors: 22023 for a bad value, 0A000 for an encoding other than UTF-8.
    pub(in super::super) fn set(&mut self, option: &FileOption) -> Result<bool> {
        match option.name.as_str() {
            "delimiter" | "delim" | "sep" => self.delimiter = Some(needed_byte(option)?),
            "header" => self.header = Some(option.boolean()?),
            "quote" => self.quote = Some(byte(option)?.unwrap_or(NO_BYTE)),
            "escape" => self.escape = byte(option)?,
            "null" | "nullstr" => option.text()?.clone_into(&mut self.null),
            "decimal_separator" => self.decimal = Some(needed_byte(option)?),
            "all_varchar" => self.all_text = option.boolean()?,
            // Text is UTF-8 everywhere.
            "encoding"
                if ["utf8", "utf-8"].iter().any(|name| option.text().is_ok_and(|of| name.eq_ignore_ascii_case(of))) => {
            }
            "encoding" => return Err(Error::unsupported(format_args!("encoding {} of a file is", option.value))),
            // What is always so.
            "auto_detect" if option.boolean()? => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
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
