//! Options of JSON by their names, which are DuckDB's.

use super::{JsonOptions, Layout};
use crate::format::compressed::Compression;
use multiloop_exec::Result;
use multiloop_planner::catalog::{FileOption, OptionValue};
use multiloop_planner::sql::type_named;

impl JsonOptions {
    /// The names that [`JsonOptions::set`] knows, without those that mean the same.
    pub(in super::super) const NAMES: &'static [&'static str] =
        &["format", "records", "columns", "ignore_errors", "sample_size", "maximum_object_size", "compression"];

    /// Takes an option; false if there is none of its name.
    ///
    /// Errors: 22023 for a bad value, 42704 for a type that is not known.
    pub(in super::super) fn set(&mut self, option: &FileOption) -> Result<bool> {
        match option.name.as_str() {
            "format" => {
                self.layout = match option.text()?.to_ascii_lowercase().as_str() {
                    "auto" => None,
                    "newline_delimited" | "nd" => Some(Layout::Lines),
                    "array" => Some(Layout::Array),
                    "unstructured" => Some(Layout::Unstructured),
                    _ => {
                        let formats = "auto, newline_delimited, array and unstructured";
                        return Err(option.invalid(format_args!("{} is none of {formats}", option.value)));
                    }
                }
            }
            "records" => {
                let is_auto = matches!(&option.value, OptionValue::Text(text) if text.eq_ignore_ascii_case("auto"));
                self.records = if is_auto { None } else { Some(option.boolean()?) };
            }
            "columns" => {
                let column = |(name, data_type): (&str, &str)| Ok((name.to_owned(), type_named(data_type)?));
                let columns = option.pairs()?.into_iter().map(column).collect::<Result<Vec<_>>>()?;
                if columns.is_empty() {
                    return Err(option.invalid("columns are expected, and there is none"));
                }
                self.columns = Some(columns);
            }
            "ignore_errors" => self.ignore_errors = option.boolean()?,
            "sample_size" => {
                let size = option.integer(-1..=i64::MAX)?;
                if size == 0 {
                    return Err(option.invalid("-1, which is all, or a number from 1 on is expected"));
                }
                self.sample_size = usize::try_from(size).unwrap_or(usize::MAX);
            }
            "maximum_object_size" => {
                self.maximum_object_size = usize::try_from(option.integer(1..=i64::MAX)?).ok();
            }
            "compression" => {
                self.compression = Compression::named(option.text()?).map_err(|error| error.at(option.position))?;
            }
            // What is always so.
            "auto_detect" if option.boolean()? => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}
