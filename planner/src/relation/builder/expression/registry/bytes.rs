//! Functions of bytes.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["encode"], "bytea, text", "text", "the bytes in base64, hex or escape"),
    described(&["decode"], "text, text", "bytea", "the bytes of a text in base64, hex or escape"),
    described(&["convert_to"], "text, text", "bytea", "the bytes of a text in an encoding"),
    described(&["bit_length"], "text or bytea", "integer", "eight times the number of bytes"),
    described(&["md5"], "text or bytea", "text", "the MD5 hash, in hexadecimal digits"),
    described(&["sha224"], "bytea", "bytea", "the SHA-224 hash"),
    described(&["sha256"], "bytea", "bytea", "the SHA-256 hash"),
    described(&["sha384"], "bytea", "bytea", "the SHA-384 hash"),
    described(&["sha512"], "bytea", "bytea", "the SHA-512 hash"),
];
