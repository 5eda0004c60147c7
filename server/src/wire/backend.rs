//! What clients are sent. Every function appends whole messages to a buffer.

use super::Format;
use crate::fault::{Fault, Result};
use crate::types::wire_type_in;
use multiloop::{DataType, Field, Sight};

/// Where a session's transaction stands, as ReadyForQuery says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionStatus {
    /// None is open.
    Idle,
    /// One is open.
    Open,
    /// One is open in which a statement failed.
    Failed,
}

/// What is copied: by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyDirection {
    /// The client sends.
    In,
    /// The server sends.
    Out,
}

/// Appends a message of this type. What it holds is appended by `body`.
pub(crate) fn message(out: &mut Vec<u8>, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
    let start = begin(out, kind);
    body(out);
    // Nothing but rows is of a size that a client's data decides, and those go through `end`.
    let length = out.len() - start;
    out[start..start + 4].copy_from_slice(&(length as u32).to_be_bytes());
}

/// Begins a message; gives where its length stands.
pub(crate) fn begin(out: &mut Vec<u8>, kind: u8) -> usize {
    out.push(kind);
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    start
}

/// Ends a message that has begun at `start`. One that is too long for the protocol is taken back (54000).
pub(crate) fn end(out: &mut Vec<u8>, start: usize) -> Result<()> {
    let Ok(length) = i32::try_from(out.len() - start) else {
        out.truncate(start - 1);
        return Err(Fault::error("54000", "a row of more than 2 GiB cannot be sent"));
    };
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Text and a zero byte. A name from a file might have such a byte itself: it ends there.
fn text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    out.extend_from_slice(&bytes[..end]);
    out.push(0);
}

/// AuthenticationOk.
pub(crate) fn authenticated(out: &mut Vec<u8>) {
    message(out, b'R', |out| out.extend_from_slice(&0i32.to_be_bytes()));
}

/// AuthenticationSASL: how a client may prove who it is.
pub(crate) fn sasl(out: &mut Vec<u8>, mechanism: &str) {
    message(out, b'R', |out| {
        out.extend_from_slice(&10i32.to_be_bytes());
        text(out, mechanism);
        out.push(0);
    });
}

/// AuthenticationSASLContinue.
pub(crate) fn sasl_continue(out: &mut Vec<u8>, data: &str) {
    message(out, b'R', |out| {
        out.extend_from_slice(&11i32.to_be_bytes());
        out.extend_from_slice(data.as_bytes());
    });
}

/// AuthenticationSASLFinal.
pub(crate) fn sasl_final(out: &mut Vec<u8>, data: &str) {
    message(out, b'R', |out| {
        out.extend_from_slice(&12i32.to_be_bytes());
        out.extend_from_slice(data.as_bytes());
    });
}

/// NegotiateProtocolVersion: the newest version that is spoken, and the options that nobody knows.
pub(crate) fn negotiate_version(out: &mut Vec<u8>, version: u32, unknown: &[String]) {
    message(out, b'v', |out| {
        out.extend_from_slice(&version.to_be_bytes());
        out.extend_from_slice(&(unknown.len() as u32).to_be_bytes());
        unknown.iter().for_each(|option| text(out, option));
    });
}

/// ParameterStatus.
pub(crate) fn parameter_status(out: &mut Vec<u8>, name: &str, value: &str) {
    message(out, b'S', |out| {
        text(out, name);
        text(out, value);
    });
}

/// BackendKeyData.
pub(crate) fn key(out: &mut Vec<u8>, process: i32, secret: i32) {
    message(out, b'K', |out| {
        out.extend_from_slice(&process.to_be_bytes());
        out.extend_from_slice(&secret.to_be_bytes());
    });
}

/// NotificationResponse.
pub(crate) fn notification(out: &mut Vec<u8>, process: i32, channel: &str, payload: &str) {
    message(out, b'A', |out| {
        out.extend_from_slice(&process.to_be_bytes());
        // SQL's texts have no zero byte.
        for text in [channel, payload] {
            out.extend_from_slice(text.as_bytes());
            out.push(0);
        }
    });
}

/// ReadyForQuery.
pub(crate) fn ready(out: &mut Vec<u8>, status: TransactionStatus) {
    let status = match status {
        TransactionStatus::Idle => b'I',
        TransactionStatus::Open => b'T',
        TransactionStatus::Failed => b'E',
    };
    message(out, b'Z', |out| out.push(status));
}

/// ErrorResponse or NoticeResponse, as its severity says.
pub(crate) fn fault(out: &mut Vec<u8>, fault: &Fault) {
    use crate::fault::Severity;
    let kind = match fault.severity {
        Severity::Error | Severity::Fatal => b'E',
        Severity::Notice | Severity::Warning => b'N',
    };
    message(out, kind, |out| {
        let mut field = |kind: u8, value: &str| {
            out.push(kind);
            text(out, value);
        };
        field(b'S', fault.severity.word());
        field(b'V', fault.severity.word());
        field(b'C', fault.code);
        field(b'M', &fault.message);
        fault.detail.iter().for_each(|detail| field(b'D', detail));
        fault.hint.iter().for_each(|hint| field(b'H', hint));
        fault.position.iter().for_each(|position| field(b'P', &position.to_string()));
        if let Some(subject) = &fault.subject {
            subject.schema.iter().for_each(|schema| field(b's', schema));
            subject.table.iter().for_each(|table| field(b't', table));
            subject.column.iter().for_each(|column| field(b'c', column));
            subject.constraint.iter().for_each(|constraint| field(b'n', constraint));
        }
        out.push(0);
    });
}

/// ParseComplete.
pub(crate) fn parsed(out: &mut Vec<u8>) {
    message(out, b'1', |_| {});
}

/// BindComplete.
pub(crate) fn bound(out: &mut Vec<u8>) {
    message(out, b'2', |_| {});
}

/// CloseComplete.
pub(crate) fn closed(out: &mut Vec<u8>) {
    message(out, b'3', |_| {});
}

/// NoData: what Describe says of what gives no rows.
pub(crate) fn no_data(out: &mut Vec<u8>) {
    message(out, b'n', |_| {});
}

/// PortalSuspended.
pub(crate) fn suspended(out: &mut Vec<u8>) {
    message(out, b's', |_| {});
}

/// EmptyQueryResponse.
pub(crate) fn empty_query(out: &mut Vec<u8>) {
    message(out, b'I', |_| {});
}

/// CommandComplete.
pub(crate) fn complete(out: &mut Vec<u8>, tag: &str) {
    message(out, b'C', |out| text(out, tag));
}

/// ParameterDescription: the types of a statement's parameters; there are at most 65535 of them.
pub(crate) fn parameters(out: &mut Vec<u8>, types: &[DataType], sight: &Sight) {
    message(out, b't', |out| {
        out.extend_from_slice(&(types.len() as u16).to_be_bytes());
        types.iter().for_each(|data_type| out.extend_from_slice(&wire_type_in(*data_type, sight).oid.to_be_bytes()));
    });
}

/// RowDescription. More columns than the protocol can count are an error (54011).
pub(crate) fn fields(
    out: &mut Vec<u8>,
    fields: &[Field],
    format: impl Fn(usize) -> Format,
    sight: &Sight,
) -> Result<()> {
    let count = columns(fields.len())?;
    message(out, b'T', |out| {
        out.extend_from_slice(&count.to_be_bytes());
        for (column, field) in fields.iter().enumerate() {
            let wire = wire_type_in(field.data_type, sight);
            text(out, &field.name);
            // The table and the number of the column in it: not known here.
            out.extend_from_slice(&[0; 6]);
            out.extend_from_slice(&wire.oid.to_be_bytes());
            out.extend_from_slice(&wire.bytes.to_be_bytes());
            out.extend_from_slice(&wire.modifier.to_be_bytes());
            out.extend_from_slice(&code(format(column)).to_be_bytes());
        }
    });
    Ok(())
}

/// A number of columns as the protocol counts them.
pub(crate) fn columns(count: usize) -> Result<i16> {
    i16::try_from(count).map_err(|_| Fault::error("54011", format!("a result of {count} columns cannot be sent")))
}

fn code(format: Format) -> i16 {
    match format {
        Format::Text => 0,
        Format::Binary => 1,
    }
}

/// CopyInResponse, CopyOutResponse or CopyBothResponse, for so many columns of one format.
pub(crate) fn copy(out: &mut Vec<u8>, direction: CopyDirection, format: Format, count: usize) -> Result<()> {
    let count = columns(count)?;
    let kind = match direction {
        CopyDirection::In => b'G',
        CopyDirection::Out => b'H',
    };
    message(out, kind, |out| {
        out.push(code(format) as u8);
        out.extend_from_slice(&count.to_be_bytes());
        (0..count).for_each(|_| out.extend_from_slice(&code(format).to_be_bytes()));
    });
    Ok(())
}

/// CopyDone.
pub(crate) fn copy_done(out: &mut Vec<u8>) {
    message(out, b'c', |_| {});
}
