//! Plain strings whose backslashes are escapes, as where `standard_conforming_strings` is off: they are spelled `E'…'`, so that they
//! mean the same to whoever reads the text later.

use std::borrow::Cow;

/// A text with an `E` before each plain string that has a backslash. What is no SQL stays as it is.
pub fn with_escapes(sql: &str) -> Cow<'_, str> {
    let bytes = sql.as_bytes();
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' if is_plain(bytes, at) => {
                let end = end_of_string(bytes, at);
                if bytes[at..end].contains(&b'\\') {
                    out.push_str(&sql[copied..at]);
                    // A letter before it would make one word of both.
                    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
                    let is_word = at > 0 && is_word(bytes[at - 1]);
                    out.push_str(if is_word { " E" } else { "E" });
                    copied = at;
                }
                at = end;
            }
            // Of another kind, as E'…': where its backslashes are escapes they are it here, too.
            b'\'' => at = end_of_string(bytes, at),
            b'"' => at = bytes[at + 1..].iter().position(|&byte| byte == b'"').map_or(bytes.len(), |end| at + end + 2),
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = end_of_comment(bytes, at),
            b'$' => at = end_of_dollars(sql, at),
            _ => at += 1,
        }
    }
    if copied == 0 && out.is_empty() {
        return Cow::Borrowed(sql);
    }
    out.push_str(&sql[copied..]);
    Cow::Owned(out)
}

/// Whether no letter before a quote says of which kind the string is.
fn is_plain(bytes: &[u8], quote: usize) -> bool {
    let before = bytes[..quote].iter().rev();
    let word: Vec<u8> =
        before.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'&')).copied().collect();
    !matches!(word.as_slice(), [b'e' | b'E' | b'b' | b'B' | b'x' | b'X' | b'n' | b'N'] | [b'&', b'u' | b'U'])
}

/// Behind a string that begins at a quote, in which a backslash takes the next letter with it and two quotes are one.
fn end_of_string(bytes: &[u8], quote: usize) -> usize {
    let mut at = quote + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Behind a comment; comments nest.
fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => (at, depth) = (at + 2, depth + 1),
            (b'*', Some(b'/')) => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}

/// Behind `$tag$ … $tag$`, or behind a dollar that begins none.
fn end_of_dollars(sql: &str, start: usize) -> usize {
    let is_tag = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let rest = &sql[start + 1..];
    let length = rest.bytes().take_while(|&byte| is_tag(byte)).count();
    let within_word = start > 0 && is_tag(sql.as_bytes()[start - 1]);
    if within_word || rest.as_bytes().get(length) != Some(&b'$') || rest.starts_with(|c: char| c.is_ascii_digit()) {
        return start + 1;
    }
    let tag = &sql[start..start + length + 2];
    let body = start + tag.len();
    sql[body..].find(tag).map_or(sql.len(), |end| body + end + tag.len())
}

#[cfg(test)]
mod tests {
    use super::with_escapes;

    #[test]
    fn plain_strings_with_backslashes_get_a_letter() {
        for (given, expected) in [
            (r"SELECT 'a\\b'", r"SELECT E'a\\b'"),
            (r"SELECT 'a', 'it\'s', 'c'", r"SELECT 'a', E'it\'s', 'c'"),
            (r"SELECT E'a\n', b'01', U&'\0041'", r"SELECT E'a\n', b'01', U&'\0041'"),
            (r"SELECT date'\n'", r"SELECT date E'\n'"),
            (r#"SELECT "a\b", $$'\$$, $x$ '\' $x$"#, r#"SELECT "a\b", $$'\$$, $x$ '\' $x$"#),
            ("SELECT 1 -- '\\'\n, 'a\\t'", "SELECT 1 -- '\\'\n, E'a\\t'"),
            (r"/* /* '\' */ '\' */ '\\'", r"/* /* '\' */ '\' */ E'\\'"),
            (r"SELECT '\", r"SELECT E'\"),
            (r"SELECT 'a''b\\', '\''", r"SELECT E'a''b\\', E'\''"),
            ("ä'ö\\'", "ä E'ö\\'"),
        ] {
            assert_eq!(with_escapes(given), expected, "{given}");
        }
    }
}
