//! What a client is told went wrong: the fields of an ErrorResponse or a NoticeResponse.

use multiloop::{Error, Subject};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The statement failed, the connection goes on.
    Error,
    /// The connection ends.
    Fatal,
    /// Nothing failed.
    Notice,
    /// Nothing failed, but somebody should know.
    Warning,
}

impl Severity {
    /// The word of the protocol.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Severity::Error => "ERROR",
            Severity::Fatal => "FATAL",
            Severity::Notice => "NOTICE",
            Severity::Warning => "WARNING",
        }
    }
}

/// An error, or a notice. Boxed where it is an error: results are moved often, and fail seldom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    /// SQLSTATE.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) detail: Option<String>,
    pub(crate) hint: Option<String>,
    /// Where in the text that the client sent, in characters, from 1.
    pub(crate) position: Option<usize>,
    /// The constraint or column that it is about.
    pub(crate) subject: Option<Box<Subject>>,
}

/// What a part of a conversation gives.
pub(crate) type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

impl Fault {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Box<Self> {
        Box::new(Fault {
            severity,
            code,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
            subject: None,
        })
    }

    /// What a statement says beside its result.
    pub(crate) fn notice(notice: &multiloop::Notice) -> Box<Self> {
        let severity = if notice.severity == "WARNING" { Severity::Warning } else { Severity::Notice };
        Fault::new(severity, notice.sqlstate, &notice.message)
    }

    /// A statement's failure.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Box<Self> {
        Fault::new(Severity::Error, code, message)
    }

    /// The end of a connection.
    pub(crate) fn fatal(code: &'static str, message: impl Into<String>) -> Box<Self> {
        Fault::new(Severity::Fatal, code, message)
    }

    /// 08P01: a message that is not what it should be.
    pub(crate) fn protocol(message: impl Into<String>) -> Box<Self> {
        Fault::error("08P01", message)
    }

    /// XX000: a bug.
    pub(crate) fn internal(message: impl Into<String>) -> Box<Self> {
        Fault::error("XX000", message)
    }

    /// 22021: bytes that are no UTF-8.
    pub(crate) fn not_utf8(bytes: &[u8]) -> Box<Self> {
        let shown: Vec<String> = match std::str::from_utf8(bytes) {
            // UTF-8, but what no text of SQL has.
            Ok(_) => vec!["0x00".to_owned()],
            Err(error) => {
                let start = error.valid_up_to();
                let end = error.error_len().map_or(bytes.len(), |length| start + length);
                bytes[start..end.min(start + 4)].iter().map(|byte| format!("0x{byte:02x}")).collect()
            }
        };
        Fault::error("22021", format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")))
    }

    /// 57014: the client asked for it.
    pub(crate) fn cancelled() -> Box<Self> {
        Fault::error("57014", "canceling statement due to user request")
    }

    /// 57014: it took longer than its session lets statements take.
    pub(crate) fn timed_out() -> Box<Self> {
        Fault::error("57014", "canceling statement due to statement timeout")
    }

    /// 57P01: the server goes down, or somebody ends this connection.
    pub(crate) fn shut_down() -> Box<Self> {
        Fault::fatal("57P01", "terminating connection due to administrator command")
    }

    /// What the engine says of a statement that stands in `text` at `start` (bytes).
    pub(crate) fn of(error: &Error, text: &str, start: usize) -> Box<Self> {
        let mut fault = Fault::error(error.sqlstate(), error.message());
        fault.detail = error.detail().map(ToOwned::to_owned);
        fault.hint = error.hint().map(ToOwned::to_owned);
        fault.subject = error.subject().cloned().map(Box::new);
        // What reads a value, or makes rows, has no text to point into.
        let position = error.position().filter(|_| !text.is_empty());
        fault.position = position.map(|position| characters(text, start + position.0 as usize));
        fault
    }

    /// The same with what to do about it.
    pub(crate) fn with_hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// The same as the end of the connection.
    pub(crate) fn into_fatal(mut self: Box<Self>) -> Box<Self> {
        self.severity = Severity::Fatal;
        self
    }

    /// Whether the connection ends with it.
    pub(crate) fn is_fatal(&self) -> bool {
        self.severity == Severity::Fatal
    }
}

/// The number of the character that begins at or holds this byte, from 1.
fn characters(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::{Fault, characters};

    #[test]
    fn positions_are_characters_from_one() {
        assert_eq!(characters("SELECT ä, nope", 0), 1);
        assert_eq!(characters("SELECT ä, nope", 11), 11);
        assert_eq!(characters("ä", 1), 1);
        assert_eq!(characters("ä", 99), 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown() {
        assert!(Fault::not_utf8(b"a\xff").message.ends_with(": 0xff"));
        assert!(Fault::not_utf8(b"a\xe4\xb8").message.ends_with(": 0xe4 0xb8"));
        assert!(Fault::not_utf8(b"a\0b").message.ends_with(": 0x00"));
    }
}
