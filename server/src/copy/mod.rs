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
use multiloop::{FileOption, FileOptions};

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
    /// By column, where options name some: which of its fields may be NULL.
    forced: Vec<Forced>,
}

/// Which fields of a column of CSV are also or never NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forced {
    /// What stands for NULL does so in quotes, too.
    null: bool,
    /// What stands for NULL without quotes is a text.
    not_null: bool,
}

impl Form {
    /// The form that options say.
    ///
    /// Errors: 22023 for a format that clients cannot be sent, 0A000 for marks that are not one byte, 42601 for options that
    /// belong to another form.
    fn of(options: &FileOptions) -> Result<Self> {
        let format =
            options.format().map(FileOption::text).transpose().map_err(told)?.unwrap_or("text").to_ascii_lowercase();
        let is_csv = format == "csv";
        let has = |names: &[&str]| options.iter().any(|option| names.contains(&option.name.as_str()));
        if !is_csv && has(&["quote", "escape"]) {
            return Err(Fault::error("0A000", "COPY quote and escape are available only in CSV mode"));
        }
        if format == "binary" && has(&["delimiter", "null", "header"]) {
            return Err(Fault::error("42601", "cannot specify DELIMITER, NULL or HEADER in BINARY mode"));
        }
        let (delimiter, null) = if is_csv { (b',', "") } else { (b'\t', "\\N") };
        let mut marks = Marks { delimiter, null: null.to_owned(), header: false, forced: Vec::new() };
        let (mut quote, mut escape) = (b'"', None);
        for option in options.iter() {
            match option.name.as_str() {
                "delimiter" => marks.delimiter = byte(option)?,
                "null" => option.text().map_err(told)?.clone_into(&mut marks.null),
                "header" => marks.header = option.boolean().map_err(told)?,
                "quote" => quote = byte(option)?,
                "escape" => escape = Some(byte(option)?),
                // What clients send is UTF-8.
                "encoding"
                    if ["utf8", "utf-8"].contains(&option.text().map_err(told)?.to_ascii_lowercase().as_str()) => {}
                // Whoever knows the columns reads them.
                "force_not_null" | "force_null" if is_csv => {}
                "force_not_null" | "force_null" => {
                    let message = format!("COPY {} requires CSV mode", option.name.to_uppercase());
                    return Err(Fault::error("22023", message));
                }
                "encoding" | "force_quote" => {
                    let message = format!("COPY option {} {} is not supported", option.name, option.value);
                    return Err(Fault::error("0A000", message));
                }
                name => return Err(Fault::error("22023", format!("COPY option \"{name}\" is not known"))),
            }
        }
        match format.as_str() {
            "text" => Ok(Form::Text(marks)),
            "csv" => Ok(Form::Csv { marks, quote, escape: escape.unwrap_or(quote) }),
            "binary" => Ok(Form::Binary),
            _ => {
                let message = format!("COPY format \"{format}\" is none of those that clients copy");
                Err(Fault::error("22023", message).with_hint("Clients copy text, csv and binary."))
            }
        }
    }

    /// Notes which columns options name.
    ///
    /// Errors: 42P10 for one that is not copied.
    fn force(&mut self, options: &FileOptions, fields: &[multiloop::Field]) -> Result<()> {
        let Form::Csv { marks, .. } = self else { return Ok(()) };
        for option in options.iter().filter(|option| option.name.starts_with("force_n")) {
            let set = |of: &mut Forced| if option.name == "force_null" { of.null = true } else { of.not_null = true };
            marks.forced.resize(fields.len(), Forced::default());
            for name in option.texts().map_err(told)? {
                if name == "*" {
                    marks.forced.iter_mut().for_each(set);
                    continue;
                }
                let Some(at) = fields.iter().position(|field| field.name == name) else {
                    let option = option.name.to_uppercase();
                    return Err(Fault::error("42P10", format!("{option} column \"{name}\" not referenced by COPY")));
                };
                set(&mut marks.forced[at]);
            }
        }
        Ok(())
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

/// The error of an option.
fn told(error: multiloop::Error) -> Box<Fault> {
    Fault::of(&error, "", 0)
}

/// A mark.
fn byte(option: &FileOption) -> Result<u8> {
    match option.character().map_err(told)? {
        Some(mark) if mark.is_ascii() && !matches!(mark, '\n' | '\r') => Ok(mark as u8),
        _ => Err(Fault::error("0A000", format!("COPY {} must be a single one-byte character", option.name))),
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
    let mut form = Form::of(rows.options())?;
    form.force(rows.options(), rows.fields())?;
    Ok(Box::new(read::Reader::new(rows, form, read::BLOCK_BYTES)))
}

/// What gives the data of a COPY to a client.
pub(crate) fn to_client(rows: multiloop::CopyOut) -> Result<Box<dyn CopyOut>> {
    let form = Form::of(&rows.options)?;
    if let Some(option) = rows.options.iter().find(|option| option.name.starts_with("force_n")) {
        let message = format!("COPY {} cannot be used with COPY TO", option.name.to_uppercase());
        return Err(Fault::error("22023", message));
    }
    Ok(Box::new(write::Writer::new(rows.rows, form)))
}
