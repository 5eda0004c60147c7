//! Options of files as they are written, in COPY and in functions of FROM: names and values. What a name means, and which
//! values it takes, is known to the format alone.

use crate::error::{Error, ErrorKind, Position, Result};
use std::fmt;
use std::ops::RangeInclusive;

/// The format and the options that a statement says of files. No option stands twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileOptions {
    format: Option<FileOption>,
    options: Vec<FileOption>,
}

/// An option.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileOption {
    /// Its name, folded.
    pub name: String,
    /// Its value; true where none is written.
    pub value: OptionValue,
    /// Where it is written.
    pub position: Option<Position>,
}

/// The value of an option, a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OptionValue {
    /// TRUE or FALSE.
    Boolean(bool),
    /// A number as it is written, with its sign.
    Number(String),
    /// A text, or a word, folded.
    Text(String),
    /// `['a', 'b']` or `(a, b)`.
    List(Vec<OptionValue>),
    /// `{'a': 'b'}`.
    Struct(Vec<(String, OptionValue)>),
}

impl FileOptions {
    /// The options of files of a format.
    pub fn of_format(name: &str) -> Self {
        let mut options = FileOptions::default();
        let value = OptionValue::Text(name.to_owned());
        options.format = Some(FileOption { name: "format".to_owned(), value, position: None });
        options
    }

    /// Says which format the files are of; an error (42601) if that is said already.
    pub fn set_format(&mut self, format: FileOption) -> Result<()> {
        match &self.format {
            Some(_) => Err(redundant(&format)),
            None => {
                self.format = Some(format);
                Ok(())
            }
        }
    }

    /// Adds an option; an error (42601) if it is there already.
    pub fn push(&mut self, option: FileOption) -> Result<()> {
        if self.get(&option.name).is_some() {
            return Err(redundant(&option));
        }
        self.options.push(option);
        Ok(())
    }

    /// The format, if it is said.
    pub fn format(&self) -> Option<&FileOption> {
        self.format.as_ref()
    }

    /// The option of a name.
    pub fn get(&self, name: &str) -> Option<&FileOption> {
        self.iter().find(|option| option.name == name)
    }

    /// All options but the format, in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = &FileOption> {
        self.options.iter()
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.format.is_none() && self.options.is_empty()
    }

    /// The same, wherever they are written.
    #[must_use]
    pub fn unplaced(&self) -> Self {
        let unplaced = |option: &FileOption| FileOption { position: None, ..option.clone() };
        FileOptions { format: self.format.as_ref().map(unplaced), options: self.options.iter().map(unplaced).collect() }
    }
}

fn redundant(option: &FileOption) -> Error {
    Error::new(ErrorKind::Syntax, "conflicting or redundant options").at(option.position)
}

impl FileOption {
    /// An error of the option's value (22023).
    pub fn invalid(&self, reason: impl fmt::Display) -> Error {
        let message = format!("option \"{}\": {reason}", self.name);
        Error::new(ErrorKind::InvalidParameter, message).at(self.position)
    }

    /// A text.
    pub fn text(&self) -> Result<&str> {
        self.text_of(&self.value)
    }

    fn text_of<'v>(&self, value: &'v OptionValue) -> Result<&'v str> {
        match value {
            OptionValue::Text(text) => Ok(text),
            other => Err(self.invalid(format_args!("a text is expected, not {other}"))),
        }
    }

    /// A text, or a list of texts.
    pub fn texts(&self) -> Result<Vec<&str>> {
        match &self.value {
            OptionValue::List(values) => values.iter().map(|value| self.text_of(value)).collect(),
            value => Ok(vec![self.text_of(value)?]),
        }
    }

    /// A struct of texts, in its order.
    pub fn pairs(&self) -> Result<Vec<(&str, &str)>> {
        match &self.value {
            OptionValue::Struct(fields) => {
                fields.iter().map(|(name, value)| Ok((name.as_str(), self.text_of(value)?))).collect()
            }
            other => Err(self.invalid(format_args!("a struct like {{'name': 'text'}} is expected, not {other}"))),
        }
    }

    /// TRUE or FALSE, in any of PostgreSQL's words.
    pub fn boolean(&self) -> Result<bool> {
        match &self.value {
            OptionValue::Boolean(value) => return Ok(*value),
            OptionValue::Text(word) | OptionValue::Number(word) => match word.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => return Ok(true),
                "false" | "off" | "no" | "0" => return Ok(false),
                _ => {}
            },
            _ => {}
        }
        Err(self.invalid(format_args!("a boolean is expected, not {}", self.value)))
    }

    /// A whole number of a range.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<i64> {
        let number = match &self.value {
            OptionValue::Number(digits) | OptionValue::Text(digits) => digits.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let value = &self.value;
            self.invalid(match *most {
                i64::MAX => format!("a whole number of at least {least} is expected, not {value}"),
                _ => format!("a whole number from {least} to {most} is expected, not {value}"),
            })
        })
    }

    /// One character, of which `\t` is the tabulator, or none.
    pub fn character(&self) -> Result<Option<char>> {
        let text = self.text()?;
        let mut characters = if text == "\\t" { "\t" } else { text }.chars();
        match (characters.next(), characters.next()) {
            (first, None) => Ok(first),
            _ => Err(self.invalid(format_args!("a single character is expected, not {}", self.value))),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Boolean(value) => write!(f, "{value}"),
            OptionValue::Number(digits) => f.write_str(digits),
            OptionValue::Text(text) => write!(f, "'{text}'"),
            OptionValue::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            OptionValue::Struct(fields) => {
                f.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}'{name}': {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}
