//! JSON: an array of objects, or an object a line.
//!
//! Values are written as PostgreSQL's `to_json` has them: numbers as they are, with all digits; NaN and the infinities, which
//! JSON does not know, as strings; instants in ISO 8601; arrays and vectors as arrays; json as it is; everything else as its text.

use super::{Columns, Format, Style, Writer, unique_names};
use multiloop::arrow::array::RecordBatch;
use multiloop::format::{Array, value_of};
use multiloop::{DataType, Result, Sight, Value};
use std::io::{self, Write};

/// Objects.
pub(super) struct Json {
    style: Style,
    /// Each column's name with its colon.
    keys: Vec<String>,
    is_first: bool,
}

impl Json {
    pub(super) fn new(style: Style) -> Self {
        Json { style, keys: Vec::new(), is_first: true }
    }
}

impl Writer for Json {
    fn start(&mut self, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
        self.keys = unique_names(&columns.fields).iter().map(|name| format!("{}:", string(name))).collect();
        if self.style.format == Format::Json { out.write_all(b"[") } else { Ok(()) }
    }

    fn batch(&mut self, columns: &Columns, batch: &RecordBatch, out: &mut dyn Write) -> Result<io::Result<()>> {
        let mut lines = String::new();
        let is_array = self.style.format == Format::Json;
        columns.rows(batch, &mut |row| {
            if is_array && !std::mem::take(&mut self.is_first) {
                lines.push_str(",\n");
            }
            lines.push('{');
            for (column, (cell, key)) in row.iter().zip(&self.keys).enumerate() {
                if column > 0 {
                    lines.push(',');
                }
                lines.push_str(key);
                match cell {
                    None => lines.push_str("null"),
                    Some(text) => value(&mut lines, text, columns.fields[column].data_type, &columns.sight),
                }
            }
            lines.push_str(if is_array { "}" } else { "}\n" });
        })?;
        Ok(out.write_all(lines.as_bytes()))
    }

    fn finish(&mut self, _: &Columns, _: u64, _: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.style.format == Format::Json { out.write_all(b"]\n") } else { Ok(()) }
    }
}

/// Adds a value of a type by its text.
fn value(json: &mut String, text: &str, data_type: DataType, sight: &Sight) {
    match data_type {
        DataType::Boolean => json.push_str(if text.starts_with('t') { "true" } else { "false" }),
        // An end of a line is white space there, or it would be none.
        DataType::Json | DataType::Jsonb => json.push_str(&text.replace(['\n', '\r'], " ")),
        DataType::Timestamp | DataType::TimestampTz => json.push_str(&string(&instant(text, data_type))),
        _ if (data_type.is_numeric() || data_type == DataType::OID) && is_number(text) => json.push_str(text),
        _ if data_type.is_of_structs() => match sight.value_of(text, data_type) {
            Ok(value) => json.push_str(&sight.json_of(&value, data_type)),
            Err(_) => json.push_str(&string(text)),
        },
        // Numbers in brackets, already: but NaN and the infinities are none of JSON's.
        _ if data_type.is_vector() => {
            let elements = text.trim_start_matches('[').trim_end_matches(']').split(',');
            let element = |element: &str| if is_number(element) { element.to_owned() } else { string(element) };
            json.push_str(&format!("[{}]", elements.map(element).collect::<Vec<_>>().join(",")));
        }
        _ => match array(text, data_type, sight) {
            Some(array) => json.push_str(&array),
            None => json.push_str(&string(text)),
        },
    }
}

/// Whether the text of a number is one of JSON: NaN and the infinities are not.
fn is_number(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).starts_with(|first: char| first.is_ascii_digit())
}

/// An instant in ISO 8601: `T` before the time, minutes in the zone.
fn instant(text: &str, data_type: DataType) -> String {
    let text = text.replacen(' ', "T", 1);
    let (instant, era) = text.strip_suffix(" BC").map_or((text.as_str(), ""), |instant| (instant, " BC"));
    let is_hours = data_type == DataType::TimestampTz
        && instant.len() > 3
        && instant.is_char_boundary(instant.len() - 3)
        && instant[instant.len() - 3..].starts_with(['+', '-']);
    format!("{instant}{}{era}", if is_hours { ":00" } else { "" })
}

/// An array; None if the type is none.
fn array(text: &str, data_type: DataType, sight: &Sight) -> Option<String> {
    let element = data_type.element().filter(|_| !data_type.is_zero_based())?;
    let Value::Text(encoded) = sight.value_of(text, data_type).or_else(|_| value_of(text, data_type)).ok()? else {
        return None;
    };
    let Array { bounds, elements } = Array::decode(&encoded, element)?;
    let mut json = String::new();
    if bounds.is_empty() {
        json.push_str("[]");
    }
    // After so many elements a dimension ends, the innermost first.
    let lengths = bounds.iter().rev().scan(1, |length, bound| {
        *length *= bound.length;
        Some(*length)
    });
    let lengths: Vec<usize> = lengths.collect();
    for (place, item) in elements.iter().enumerate() {
        let starts = lengths.iter().filter(|&&length| place.is_multiple_of(length)).count();
        json.push_str(if place > 0 { "," } else { "" });
        json.push_str(&"[".repeat(starts));
        match item {
            Value::Null => json.push_str("null"),
            item => value(&mut json, &sight.text_of(item, element), element, sight),
        }
        let ends = lengths.iter().filter(|&&length| (place + 1).is_multiple_of(length)).count();
        json.push_str(&"]".repeat(ends));
    }
    Some(json)
}

/// A string of JSON.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
