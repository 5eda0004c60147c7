//! Functions of bytes.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["encode"], "bytea, text", "text", "the bytes in base64, hex or escape"),
    described(&["decode"], "text, text", "bytea", "the bytes of a text in base64, hex or escape"),
    described(&["convert_to"], "text, text", "bytea", "the bytes of a text in an encoding"),
    described(&["convert_from"], "bytea, text", "text", "the text of bytes in an encoding"),
    described(&["convert"], "bytea, text, text", "bytea", "the bytes of a text in another encoding"),
    described(&["get_byte"], "bytea, integer", "integer", "a byte, from 0"),
    described(&["set_byte"], "bytea, integer, integer", "bytea", "a byte replaced"),
    described(
        &["get_bit"],
        "bytea or bit, bigint",
        "integer",
        "a bit, from 0; of a bytea the lowest of each byte first",
    ),
    described(&["set_bit"], "bytea or bit, bigint, integer", "the same", "a bit replaced"),
    described(&["to_base64", "base64"], "bytea", "text", "the bytes in base64, on one line"),
    described(&["from_base64"], "text", "bytea", "the bytes of a text in base64"),
    described(&["hex"], "bytea, text or integer", "text", "hexadecimal digits in upper case, of a text's bytes"),
    described(&["unhex", "from_hex"], "text", "bytea", "the bytes of hexadecimal digits"),
    described(&["bit_length"], "text, bytea or bit", "integer", "the number of bits"),
    described(&["md5"], "text or bytea", "text", "the MD5 hash, in hexadecimal digits"),
    described(&["sha224"], "bytea or text", "bytea or text", "the SHA-224 hash; of a text in hexadecimal digits"),
    described(&["sha256"], "bytea or text", "bytea or text", "the SHA-256 hash; of a text in hexadecimal digits"),
    described(&["sha384"], "bytea or text", "bytea or text", "the SHA-384 hash; of a text in hexadecimal digits"),
    described(&["sha512"], "bytea or text", "bytea or text", "the SHA-512 hash; of a text in hexadecimal digits"),
];
