//! What stores say when they fail, as errors of statements.

use multiloop_exec::{Error, ErrorKind};
use std::error::Error as _;

/// Bytes that are shown of what a server says, at most.
const SHOWN_BYTES: usize = 300;

/// The error of something that failed with an object.
pub(super) fn error_of(name: &str, error: &object_store::Error) -> Error {
    use object_store::Error as Of;
    let text = error.to_string();
    // A server of HTTP is not asked so closely by the library.
    let says = |status: &str| text.contains(&format!("status code: {status}"));
    match error {
        Of::NotFound { .. } => {
            Error::new(ErrorKind::FileNotFound, format!("could not open file: no such file: {name}"))
        }
        Of::Precondition { .. } | Of::NotModified { .. } => super::super::changed(name.as_ref()),
        _ if says("404") || says("410") => {
            Error::new(ErrorKind::FileNotFound, format!("could not open file: no such file: {name}"))
        }
        Of::PermissionDenied { .. } | Of::Unauthenticated { .. } => forbidden(name, &text),
        _ if says("401") || says("403") => forbidden(name, &text),
        _ if says("30") => {
            let message = format!("could not read {name}: the server leads to another place");
            Error::new(ErrorKind::Io, message)
                .with_hint("Where sessions may reach some places alone, nobody is led to others: name that one.")
        }
        _ if says("416") => super::super::changed(name.as_ref()),
        _ => Error::new(ErrorKind::Io, format!("could not read or write {name}: {}", reason_of(error)))
            .with_detail(shown(&text)),
    }
}

fn forbidden(name: &str, text: &str) -> Error {
    Error::new(ErrorKind::Forbidden, format!("permission denied by the store: {name}")).with_detail(shown(text)).with_hint(
        "Who asks, the environment says: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_SERVICE_ACCOUNT, AZURE_STORAGE_….",
    )
}

/// The innermost reason of an error.
pub(super) fn reason_of(error: &object_store::Error) -> String {
    let mut reason = error.to_string();
    let mut next = error.source();
    while let Some(inner) = next {
        reason = inner.to_string();
        next = inner.source();
    }
    shown(&reason)
}

/// A text on one line, and not too long.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = (0..=line.len().min(SHOWN_BYTES)).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    if end < line.len() { format!("{}…", &line[..end]) } else { line }
}
