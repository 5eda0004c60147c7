//! Messages of PostgreSQL's protocol, version 3, as bytes. `startup` is what a connection begins with, `frontend` what
//! clients send then, `backend` what they are sent; `reader` takes values from a message's bytes, `room` is where those
//! of rows are written.
//!
//! The codec is our own: what a client says of lengths and counts is checked before it is believed, so that no message
//! can make the server panic, or take more memory than was sent.

pub(crate) mod backend;
pub(crate) mod frontend;
mod reader;
pub(crate) mod room;
pub(crate) mod startup;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    /// As PostgreSQL prints it.
    Text,
    /// In its type's own bytes.
    Binary,
}
