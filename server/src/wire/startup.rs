//! What a connection begins with: packets without a type.

use super::reader::Reader;
use crate::fault::{Fault, Result};
use bytes::Bytes;

/// Bytes that such a packet may have, as in PostgreSQL.
pub(crate) const STARTUP_BYTES_MAX: usize = 10_000;

/// The version of the protocol that is spoken, as a client asks for it.
pub(crate) const VERSION: u32 = 3 << 16;

const CANCEL: u32 = (1234 << 16) | 5678;
const SSL: u32 = (1234 << 16) | 5679;
const GSS: u32 = (1234 << 16) | 5680;

/// A first packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Startup {
    /// May this be encrypted by TLS?
    Ssl,
    /// May this be encrypted by GSSAPI?
    Gss,
    /// Cancel what another connection runs.
    Cancel {
        /// Which connection.
        process: i32,
        /// What only its client knows.
        secret: i32,
    },
    /// A session.
    Session {
        /// The minor version that it asks for.
        minor: u32,
        /// Names and values.
        parameters: Vec<(String, String)>,
    },
}

impl Startup {
    /// Reads a packet, its length taken off. What is wrong with it ends the connection.
    pub(crate) fn read(body: Bytes) -> Result<Startup> {
        Startup::read_packet(body).map_err(|mut fault| {
            fault.severity = crate::fault::Severity::Fatal;
            fault
        })
    }

    fn read_packet(body: Bytes) -> Result<Startup> {
        let mut reader = Reader::new(body);
        match reader.u32()? {
            SSL => Ok(Startup::Ssl),
            GSS => Ok(Startup::Gss),
            CANCEL => Ok(Startup::Cancel { process: reader.i32()?, secret: reader.i32()? }),
            version if version >> 16 == VERSION >> 16 => {
                let mut parameters = Vec::new();
                loop {
                    let name = reader.text()?;
                    if name.is_empty() {
                        break;
                    }
                    parameters.push((name, reader.text()?));
                }
                if !reader.is_empty() {
                    let message = "invalid startup packet layout: expected terminator as last byte";
                    return Err(Fault::protocol(message));
                }
                Ok(Startup::Session { minor: version & 0xffff, parameters })
            }
            version => {
                let (major, minor) = (version >> 16, version & 0xffff);
                let message = format!("unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.0");
                Err(Fault::error("0A000", message))
            }
        }
    }
}

/// SASLInitialResponse: how a client proves who it is, and what it says first. Not ended: the client may say it later.
pub(crate) fn sasl_initial(body: Bytes) -> Result<(String, Bytes)> {
    let mut reader = Reader::new(body);
    let mechanism = reader.text()?;
    let length = usize::try_from(reader.i32()?).map_err(|_| Fault::protocol("insufficient data left in message"))?;
    let first = reader.bytes(length)?;
    reader.end()?;
    Ok((mechanism, first))
}

#[cfg(test)]
mod tests {
    use super::Startup;
    use bytes::Bytes;

    fn read(bytes: &[u8]) -> Result<Startup, (&'static str, bool)> {
        Startup::read(Bytes::copy_from_slice(bytes)).map_err(|fault| (fault.code, fault.is_fatal()))
    }

    #[test]
    fn what_a_session_asks_for() {
        let session = read(b"\0\x03\0\0user\0u\0database\0d\0\0").expect("it is well-formed");
        let parameters = vec![("user".to_owned(), "u".to_owned()), ("database".to_owned(), "d".to_owned())];
        assert_eq!(session, Startup::Session { minor: 0, parameters });
        assert_eq!(read(b"\0\x03\0\x02\0"), Ok(Startup::Session { minor: 2, parameters: Vec::new() }));
        assert_eq!(read(b"\x04\xd2\x16\x2f"), Ok(Startup::Ssl));
        assert_eq!(read(b"\x04\xd2\x16\x30"), Ok(Startup::Gss));
        assert_eq!(read(b"\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x08"), Ok(Startup::Cancel { process: 7, secret: 8 }));
    }

    #[test]
    fn what_is_malformed_ends_the_connection() {
        for bytes in [b"".as_slice(), b"\0\x03\0", b"\0\x03\0\0", b"\0\x03\0\0user\0", b"\0\x03\0\0user\0u\0"] {
            assert_eq!(read(bytes), Err(("08P01", true)), "{bytes:?}");
        }
        assert_eq!(read(b"\0\x03\0\0\0x"), Err(("08P01", true)));
        assert_eq!(read(b"\x04\xd2\x16\x2e\0\0\0\x07"), Err(("08P01", true)));
        assert_eq!(read(b"\0\x03\0\0user\0\xff\0\0"), Err(("22021", true)));
        assert_eq!(read(b"\0\x02\0\0"), Err(("0A000", true)));
        assert_eq!(read(b"GET "), Err(("0A000", true)));
    }
}
