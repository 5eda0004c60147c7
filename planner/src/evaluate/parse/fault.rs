//! Errors of texts of dates and times, with PostgreSQL's SQLSTATEs and messages.

use crate::error::{Error, ErrorKind};

/// Why a text is no date or time.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is not written as one.
    Syntax,
    /// A field is too large.
    Range,
    /// An offset of a zone is too large.
    Offset,
    /// No zone has this name.
    Zone(String),
    /// The time of a name, where nobody knows what time it is.
    Clock(String),
}

impl Fault {
    pub(super) fn error(self, text: &str, type_name: &str) -> Error {
        match self {
            Fault::Syntax => invalid(text, type_name),
            Fault::Range => out_of_range("date/time field value", text),
            Fault::Offset => {
                let message = format!("time zone displacement out of range: \"{text}\"");
                Error::new(ErrorKind::InvalidZoneOffset, message)
            }
            Fault::Zone(name) => {
                Error::new(ErrorKind::InvalidParameter, format!("time zone \"{name}\" not recognized"))
            }
            Fault::Clock(word) => {
                Error::unsupported(format!("\"{word}\" as a {type_name} where it is not a literal is"))
            }
        }
    }
}

/// What has been read, or why it cannot be.
pub(super) type Parsed<T> = std::result::Result<T, Fault>;

pub(super) fn invalid(text: &str, type_name: &str) -> Error {
    Error::new(ErrorKind::InvalidDatetime, format!("invalid input syntax for type {type_name}: \"{text}\""))
}

pub(super) fn out_of_range(what: &str, text: &str) -> Error {
    Error::new(ErrorKind::DatetimeOverflow, format!("{what} out of range: \"{text}\""))
}
