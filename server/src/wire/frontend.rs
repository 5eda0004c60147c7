//! What clients send once a session stands.

use super::reader::Reader;
use crate::fault::{Fault, Result};
use bytes::Bytes;

/// What Describe and Close mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A prepared statement of this name.
    Statement(String),
    /// A portal of this name.
    Portal(String),
}

/// A Bind message: values for a statement's parameters, to make a portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bind {
    pub(crate) portal: String,
    pub(crate) statement: String,
    /// Codes as sent: none, one for all, or one a parameter.
    pub(crate) parameter_formats: Vec<i16>,
    /// None is NULL.
    pub(crate) parameters: Vec<Option<Bytes>>,
    /// Codes as sent: none, one for all, or one a column.
    pub(crate) result_formats: Vec<i16>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frontend {
    /// Statements to be run.
    Query(String),
    /// A statement to be prepared.
    Parse {
        /// Empty for the unnamed one.
        name: String,
        /// One statement, or none.
        text: String,
        /// OIDs of parameters' types; 0 is to be inferred.
        types: Vec<u32>,
    },
    Bind(Bind),
    Describe(Target),
    Execute {
        /// Empty for the unnamed one.
        portal: String,
        /// Rows at most; zero and less is all.
        limit: i32,
    },
    Close(Target),
    Sync,
    Flush,
    /// A function by its OID; nobody sends that any more.
    FunctionCall,
    CopyData(Bytes),
    CopyDone,
    CopyFail(String),
    Terminate,
}

impl Frontend {
    /// Reads a message. Its type decides whether an error is the statement's or the connection's: behind a type that
    /// nobody knows, nothing is where it should be.
    pub(crate) fn read(kind: u8, body: Bytes) -> Result<Frontend> {
        let mut reader = Reader::new(body);
        let message = match kind {
            b'Q' => Frontend::Query(reader.text()?),
            b'P' => Frontend::Parse { name: reader.text()?, text: reader.text()?, types: reader.list(4, Reader::u32)? },
            b'B' => Frontend::Bind(Bind {
                portal: reader.text()?,
                statement: reader.text()?,
                parameter_formats: reader.list(2, Reader::i16)?,
                parameters: reader.list(4, parameter)?,
                result_formats: reader.list(2, Reader::i16)?,
            }),
            b'D' => Frontend::Describe(target(&mut reader, "DESCRIBE")?),
            b'E' => Frontend::Execute { portal: reader.text()?, limit: reader.i32()? },
            b'C' => Frontend::Close(target(&mut reader, "CLOSE")?),
            b'S' => Frontend::Sync,
            b'H' => Frontend::Flush,
            b'F' => {
                reader.rest();
                Frontend::FunctionCall
            }
            b'd' => Frontend::CopyData(reader.rest()),
            b'c' => Frontend::CopyDone,
            b'f' => Frontend::CopyFail(reader.text()?),
            b'X' => {
                reader.rest();
                Frontend::Terminate
            }
            other => return Err(Fault::fatal("08P01", format!("invalid frontend message type {other}"))),
        };
        reader.end()?;
        Ok(message)
    }
}

fn target(reader: &mut Reader, of: &str) -> Result<Target> {
    let kind = reader.byte()?;
    let name = reader.text()?;
    match kind {
        b'S' => Ok(Target::Statement(name)),
        b'P' => Ok(Target::Portal(name)),
        other => Err(Fault::protocol(format!("invalid {of} message subtype {other}"))),
    }
}

fn parameter(reader: &mut Reader) -> Result<Option<Bytes>> {
    match reader.i32()? {
        -1 => Ok(None),
        length => {
            let length = usize::try_from(length).map_err(|_| Fault::protocol("insufficient data left in message"))?;
            reader.bytes(length).map(Some)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bind, Frontend, Target};
    use bytes::Bytes;
    use proptest::prelude::*;

    fn read(kind: u8, body: &[u8]) -> Result<Frontend, (&'static str, bool)> {
        Frontend::read(kind, Bytes::copy_from_slice(body)).map_err(|fault| (fault.code, fault.is_fatal()))
    }

    #[test]
    fn well_formed_messages_are_read() {
        assert_eq!(read(b'Q', b"SELECT 1\0"), Ok(Frontend::Query("SELECT 1".to_owned())));
        assert_eq!(read(b'D', b"Ss\0"), Ok(Frontend::Describe(Target::Statement("s".to_owned()))));
        assert_eq!(read(b'C', b"P\0"), Ok(Frontend::Close(Target::Portal(String::new()))));
        assert_eq!(read(b'E', b"p\0\xff\xff\xff\xff"), Ok(Frontend::Execute { portal: "p".to_owned(), limit: -1 }));
        let parse = Frontend::Parse { name: "s".to_owned(), text: "x".to_owned(), types: vec![0, 23] };
        assert_eq!(read(b'P', b"s\0x\0\0\x02\0\0\0\0\0\0\0\x17"), Ok(parse));
        let bind = Bind {
            portal: "p".to_owned(),
            statement: "s".to_owned(),
            parameter_formats: vec![1],
            parameters: vec![Some(Bytes::from_static(b"ab")), None],
            result_formats: vec![0, 1],
        };
        let body = b"p\0s\0\0\x01\0\x01\0\x02\0\0\0\x02ab\xff\xff\xff\xff\0\x02\0\0\0\x01";
        assert_eq!(read(b'B', body), Ok(Frontend::Bind(bind)));
    }

    #[test]
    fn what_is_malformed_is_an_error_of_the_statement() {
        let malformed = [
            (b'Q', b"SELECT".as_slice()),
            (b'Q', b"SELECT\0more"),
            (b'P', b"s\0x\0\xff\xff"),
            (b'P', b"s\0x\0\0\x01\0\0"),
            (b'B', b"p\0s\0\0\0\0\x01\xff\xff\xff\xfe"),
            (b'B', b"p\0s\0\0\0\0\x01\x7f\xff\xff\xff"),
            (b'B', b"p\0s\0\xff\xff"),
            (b'D', b"Xs\0"),
            (b'D', b""),
            (b'E', b"p\0\0"),
            (b'S', b"x"),
        ];
        for (kind, body) in malformed {
            assert_eq!(read(kind, body), Err(("08P01", false)), "{} {body:?}", char::from(kind));
        }
        assert_eq!(read(b'Q', b"\xff\0"), Err(("22021", false)));
        assert_eq!(read(b'!', b""), Err(("08P01", true)));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(kind: u8, body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(kind, &body);
        }

        #[test]
        fn no_bind_makes_it_panic(
            body in proptest::collection::vec(prop_oneof![Just(0u8), Just(255u8), 0u8..4], 0..60),
        ) {
            for kind in *b"PBDEC" {
                let _ = read(kind, &body);
            }
        }
    }
}
