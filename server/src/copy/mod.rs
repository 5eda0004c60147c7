//! The data of COPY between client and server, in PostgreSQL's three forms: text (`\t` between fields, `\N` for NULL), CSV and
//! binary. `write` makes it of record batches, `read` record batches of it, block by block: `cut` says where blocks of text and CSV
//! end, `lines` takes them apart, with the help of `marks`, `packed` what is binary; `places` are what that gives, of which
//! `columns` gather values, `written` as most are. `apart` is COPY's data without a connection.

mod apart;
mod columns;
mod cut;
mod lines;
mod marks;
mod packed;
mod places;
mod read;
#[cfg(test)]
mod tests;
mod write;
mod written;

pub use apart::{CopyData, CopyFault, copy_out};

use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::CopyOptions;

/// What a COPY says of its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// PostgreSQL's text.
    Text(Marks),
    /// CSV.
    Csv {
        /// Between fields, and what stands for NULL.
        marks: Marks,
        /// Around fields that need it.
        quote: u8,
        /// Before a quote within a field.
        escape: u8,
    },
    /// Binary.
    Binary,
}

/// What text and CSV have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Between fields.
    delimiter: u8,
    /// What stands for NULL.
    null: String,
    /// Whether the first line is names.
    header: bool,
}

impl Form {
    /// The form that options say.
    ///
    /// Errors: 22023 for a format that clients cannot be sent, 0A000 for marks that are not one byte, 42601 for options that
    /// belong to another form.
    fn of(options: &CopyOptions) -> Result<Self> {
        let format = options.format.as_deref().unwrap_or("text");
        let is_csv = format == "csv";
        if !is_csv && (options.quote.is_some() || options.escape.is_some() || options.unquoted) {
            return Err(Fault::error("0A000", "COPY quote and escape are available only in CSV mode"));
        }
        let byte = |mark: Option<char>, default: u8, what: &str| match mark {
            None => Ok(default),
            Some(mark) if mark.is_ascii() && !matches!(mark, '\n' | '\r') => Ok(mark as u8),
            Some(_) => Err(Fault::error("0A000", format!("COPY {what} must be a single one-byte character"))),
        };
        let marks = || -> Result<Marks> {
            let delimiter = byte(options.delimiter, if is_csv { b',' } else { b'\t' }, "delimiter")?;
            let default = if is_csv { "" } else { "\\N" };
            let null = options.null.clone().unwrap_or_else(|| default.to_owned());
            Ok(Marks { delimiter, null, header: options.header.unwrap_or(false) })
        };
        match format {
            "text" => Ok(Form::Text(marks()?)),
            "csv" => {
                let quote = byte(options.quote, b'"', "quote")?;
                Ok(Form::Csv { marks: marks()?, quote, escape: byte(options.escape, quote, "escape")? })
            }
            "binary" if options.delimiter.is_some() || options.null.is_some() || options.header.is_some() => {
                Err(Fault::error("42601", "cannot specify DELIMITER, NULL or HEADER in BINARY mode"))
            }
            "binary" => Ok(Form::Binary),
            other => {
                let message = format!("COPY format \"{other}\" is for files");
                Err(Fault::error("22023", message).with_hint("Clients copy text, csv and binary."))
            }
        }
    }

    /// What text and CSV have in common.
    fn marks(&self) -> Option<&Marks> {
        match self {
            Form::Text(marks) | Form::Csv { marks, .. } => Some(marks),
            Form::Binary => None,
        }
    }

    /// How the protocol announces it.
    fn format(&self) -> Format {
        if *self == Form::Binary { Format::Binary } else { Format::Text }
    }
}

/// Takes the data of COPY … FROM STDIN.
pub(crate) trait CopyIn: Send {
    /// The format that the data is announced in.
    fn format(&self) -> Format;
    /// The number of columns.
    fn columns(&self) -> usize;
    /// Takes some bytes, cut anywhere.
    fn take(&mut self, bytes: &[u8]) -> Result<()>;
    /// There is no more: the rows are the table's. Gives the tag.
    fn finish(self: Box<Self>, session: &multiloop::Session) -> Result<String>;
}

/// Gives the data of COPY … TO STDOUT.
pub(crate) trait CopyOut: Send {
    /// The format that the data is announced in.
    fn format(&self) -> Format;
    /// The number of columns.
    fn columns(&self) -> usize;
    /// Appends messages, one for each row, for a header and for an end: some at least, and until the buffer has so many bytes. False
    /// if there are no more.
    fn next(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<bool>;
    /// The tag of what was given.
    fn tag(&self) -> String;
}

/// What takes the data of a COPY from a client.
pub(crate) fn from_client(rows: multiloop::CopyIn) -> Result<Box<dyn CopyIn>> {
    let form = Form::of(rows.options())?;
    Ok(Box::new(read::Reader::new(rows, form, read::BLOCK_BYTES)))
}

/// What gives the data of a COPY to a client.
pub(crate) fn to_client(rows: multiloop::CopyOut) -> Result<Box<dyn CopyOut>> {
    let form = Form::of(&rows.options)?;
    Ok(Box::new(write::Writer::new(rows.rows, form)))
}
