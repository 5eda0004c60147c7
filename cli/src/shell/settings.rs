//! How results are printed: `\pset` and its short forms.

use super::Shell;
use super::variables::truth;
use crate::display::{Expanded, Format, Style};
use clap::ValueEnum as _;

/// The options of `\pset`, for completion.
pub(super) const OPTIONS: [&str; 20] = [
    "border",
    "columns",
    "csv",
    "expanded",
    "fieldsep",
    "fit",
    "footer",
    "format",
    "header",
    "maxrows",
    "null",
    "numericlocale",
    "pager",
    "recordsep",
    "table",
    "tableattr",
    "title",
    "tuples_only",
    "vertical",
    "x",
];

/// Changes one option of a style.
///
/// # Errors
/// There is no such option, or it does not take the value.
pub(super) fn change(style: &mut Style, option: &str, value: Option<&str>) -> Result<(), String> {
    let flag = |is_on: bool| toggled(is_on, value, &format!("\\pset {option}"));
    let number = || {
        let text = value.unwrap_or("0");
        text.parse::<usize>().map_err(|_| format!("\\pset: {option} takes a number, not \"{text}\""))
    };
    let some = || value.filter(|value| !value.is_empty()).map(str::to_owned);
    match option {
        "format" => {
            let Some(name) = value else { return Ok(()) };
            style.format = format_named(name)?;
        }
        "border" => style.border = number()?.min(2) as u8,
        "expanded" | "x" | "vertical" => {
            style.expanded = match (value, style.expanded) {
                (Some("auto"), _) => Expanded::Auto,
                (None, Expanded::Off) => Expanded::On,
                (None, _) => Expanded::Off,
                (Some(_), _) if flag(false)? => Expanded::On,
                _ => Expanded::Off,
            };
        }
        "null" => style.null = value.map(str::to_owned),
        "tuples_only" | "t" => style.tuples_only = flag(style.tuples_only)?,
        "header" => style.header = flag(style.header)?,
        "footer" => style.footer = flag(style.footer)?,
        "numericlocale" => style.grouped = flag(style.grouped)?,
        "fieldsep" => style.field_separator = value.unwrap_or("|").to_owned(),
        "recordsep" => style.record_separator = value.unwrap_or("\n").to_owned(),
        "title" | "C" => style.title = some(),
        "tableattr" | "T" => style.attributes = some(),
        "table" => style.table = value.unwrap_or("table_name").to_owned(),
        "maxrows" => style.rows_max = number()?,
        "columns" => style.columns = Some(number()?).filter(|&columns| columns > 0),
        "linestyle" => match value {
            Some("unicode") if style.format == Format::Table => style.format = Format::Box,
            Some("ascii") if style.format == Format::Box => style.format = Format::Table,
            Some("unicode" | "ascii" | "old-ascii") | None => {}
            Some(other) => return Err(format!("\\pset: allowed line styles are ascii, unicode, not \"{other}\"")),
        },
        _ => return Err(format!("\\pset: unknown option: {option}")),
    }
    Ok(())
}

/// The format of a name, as people have it: its own, DuckDB's, psql's.
pub(super) fn format_named(name: &str) -> Result<Format, String> {
    Format::from_str(name, true).map_err(|_| {
        let names: Vec<String> = Format::value_variants().iter().map(|format| format.name()).collect();
        format!("there is no format \"{name}\": {}", names.join(", "))
    })
}

/// How an option stands.
fn told(shell: &Shell<'_>, option: &str) -> Option<String> {
    let style = &shell.style;
    let quoted = |text: &str| format!("\"{}\"", text.replace('\n', "\\n"));
    Some(match option {
        "format" => format!("Output format is {}.", style.format.name()),
        "border" => format!("Border style is {}.", style.border),
        "expanded" | "x" | "vertical" => match style.expanded {
            Expanded::Auto => "Expanded display is used automatically.".to_owned(),
            expanded => format!("Expanded display is {}.", on_or_off(expanded == Expanded::On)),
        },
        "null" => format!("Null display is {}.", quoted(style.null.as_deref().unwrap_or("NULL"))),
        "tuples_only" | "t" => format!("Tuples only is {}.", on_or_off(style.tuples_only)),
        "header" => format!("Header is {}.", on_or_off(style.header)),
        "footer" => format!("Default footer is {}.", on_or_off(style.footer)),
        "numericlocale" => format!("Locale-adjusted numeric output is {}.", on_or_off(style.grouped)),
        "fieldsep" => format!("Field separator is {}.", quoted(&style.field_separator)),
        "recordsep" => format!("Record separator is {}.", quoted(&style.record_separator)),
        "title" | "C" => match &style.title {
            Some(title) => format!("Title is {}.", quoted(title)),
            None => "Title is unset.".to_owned(),
        },
        "tableattr" | "T" => match &style.attributes {
            Some(text) => format!("Table attributes are {}.", quoted(text)),
            None => "Table attributes unset.".to_owned(),
        },
        "table" => format!("INSERT statements are for {}.", style.table),
        "maxrows" if style.rows_max == 0 => "All rows are shown.".to_owned(),
        "maxrows" => format!("At most {} rows are shown.", style.rows_max),
        "columns" => format!("Target width is {}.", style.columns.unwrap_or(0)),
        "pager" => format!("Pager usage is {}.", on_or_off(shell.pager)),
        "fit" => format!("Tables are {} to the screen.", if shell.fit { "narrowed" } else { "not narrowed" }),
        "linestyle" => format!("Line style is {}.", if style.format == Format::Box { "unicode" } else { "ascii" }),
        _ => return None,
    })
}

impl Shell<'_> {
    /// `\pset` and its short forms.
    pub(super) fn setting(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        let (option, value) = match (name, words) {
            ("pset", []) => {
                let all = OPTIONS.iter().filter(|option| !matches!(**option, "x" | "vertical" | "csv"));
                all.filter_map(|option| told(self, option)).for_each(|line| say!("{line}"));
                return Ok(());
            }
            ("pset", [option, value @ ..]) => (*option, value.first().copied()),
            ("a", _) => ("format", Some(if self.style.format == Format::Unaligned { "table" } else { "unaligned" })),
            ("H" | "html", _) => ("format", Some(if self.style.format == Format::Html { "table" } else { "html" })),
            ("f", []) => {
                self.tell_setting("fieldsep");
                return Ok(());
            }
            ("f", [value, ..]) => ("fieldsep", Some(*value)),
            (short, words) => (short, words.first().copied()),
        };
        self.set_option(option, value)?;
        self.tell_setting(option);
        Ok(())
    }

    /// Changes an option, of the style or of the shell.
    pub(super) fn set_option(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        match option {
            "pager" => match value {
                // There is no more to show than all.
                Some("always") => self.pager = true,
                value => self.pager = toggled(self.pager, value, "\\pset pager")?,
            },
            "fit" => self.fit = toggled(self.fit, value, "\\pset fit")?,
            "csv" => return change(&mut self.style, "format", Some("csv")),
            "null" if value.is_none() => {}
            _ => return change(&mut self.style, option, value),
        }
        Ok(())
    }

    fn tell_setting(&self, option: &str) {
        if let Some(line) = told(self, option) {
            self.report(&line);
        }
    }
}

/// The options of `-P name=value`, as the program takes them.
pub(crate) fn option_of(text: &str) -> (&str, Option<&str>) {
    text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)))
}

/// Yes or no of a dot command.
pub(super) fn switch(words: &[&str], what: &str) -> Result<bool, String> {
    match words.first().map(|text| (truth(text), text)) {
        None => Err(format!("{what} takes on or off")),
        Some((Some(is_on), _)) => Ok(is_on),
        Some((None, text)) => Err(format!("{what} takes on or off, not \"{text}\"")),
    }
}

/// A switch after a command: what it was asked to be, or else the other way.
pub(super) fn toggled(is_on: bool, asked: Option<&str>, what: &str) -> Result<bool, String> {
    match asked {
        None => Ok(!is_on),
        Some(text) => {
            truth(text).ok_or_else(|| format!("unrecognized value \"{text}\" for \"{what}\": Boolean expected"))
        }
    }
}

pub(super) fn on_or_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}
