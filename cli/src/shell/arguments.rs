//! Arguments of backslash commands, as psql reads them: words between blanks, `'…'` with escapes, `"…"`, commands in back
//! quotes, variables. A backslash ends them: it begins another command, and `\\` only ends this one.

use super::variables::Variables;
use std::process::Command;

/// What stands behind a command's name, up to the end of its line.
pub(super) struct Rest<'t> {
    text: &'t str,
    at: usize,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) text: String,
    /// Whether quotes were around any of it: then it is a name or a value, whatever it begins with.
    pub(super) is_quoted: bool,
}

impl<'t> Rest<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Rest { text, at: 0 }
    }

    /// All of it, as it is written.
    pub(super) fn whole(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        self.at = self.text.len();
        rest.trim()
    }

    /// What is not read yet.
    pub(super) fn ahead(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// How far it is read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next argument. A pattern keeps its quotes.
    ///
    /// # Errors
    /// A quote without its end; a command in back quotes that cannot run.
    pub(super) fn next(&mut self, variables: &Variables, is_pattern: bool) -> Result<Option<Argument>, String> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let (mut argument, mut is_quoted, mut is_any) = (String::new(), false, false);
        while let Some(first) = self.text[self.at..].chars().next() {
            match first {
                space if space.is_whitespace() => break,
                '\\' => break,
                '\'' if is_pattern => self.quoted_as_it_is(&mut argument, '\'')?,
                // These keep words together, and stay.
                '"' => self.quoted_as_it_is(&mut argument, '"')?,
                '\'' => argument.push_str(&self.string()?),
                '`' => argument.push_str(&self.output()?),
                ':' => {
                    let token = super::lex::tokens(&self.text[self.at..], 0).next();
                    let written = token.map_or(":", |token| &self.text[self.at..][token.range]);
                    self.at += written.len();
                    let value = (written.len() > 1).then(|| variables.value_of(written)).flatten();
                    argument.push_str(value.as_deref().unwrap_or(written));
                }
                other => {
                    argument.push(other);
                    self.at += other.len_utf8();
                }
            }
            is_quoted |= matches!(first, '\'' | '"' | '`');
            is_any = true;
        }
        Ok(is_any.then_some(Argument { text: argument, is_quoted }))
    }

    fn unterminated(&mut self) -> String {
        self.at = self.text.len();
        "unterminated quoted string".to_owned()
    }

    fn quoted_as_it_is(&mut self, argument: &mut String, quote: char) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let Some(end) = rest[1..].find(quote) else { return Err(self.unterminated()) };
        argument.push_str(&rest[..end + 2]);
        self.at += end + 2;
        Ok(())
    }

    /// A string: `''` is a quote, and backslashes escape as in C.
    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut characters = self.text[self.at + 1..].char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            match character {
                '\'' if characters.next_if(|(_, next)| *next == '\'').is_some() => text.push('\''),
                '\'' => {
                    self.at += at + 2;
                    return Ok(text);
                }
                '\\' => match characters.next().map(|(_, escaped)| escaped) {
                    None => break,
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some(other) => text.push(other),
                },
                other => text.push(other),
            }
        }
        Err(self.unterminated())
    }

    /// What a command of the system prints, without its last end of a line.
    fn output(&mut self) -> Result<String, String> {
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.find('`') else { return Err(self.unterminated()) };
        self.at += end + 2;
        let output = Command::new("sh").args(["-c", &rest[..end]]).output();
        let output = output.map_err(|error| format!("{}: {error}", &rest[..end]))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.strip_suffix('\n').map_or(text.clone(), str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::{Rest, Variables};

    fn arguments(text: &str) -> Result<Vec<String>, String> {
        let mut variables = Variables::default();
        variables.set("x", "a b");
        let (mut rest, mut all) = (Rest::new(text), Vec::new());
        while let Some(argument) = rest.next(&variables, false)? {
            all.push(argument.text);
        }
        Ok(all)
    }

    #[test]
    fn arguments_are_read_as_psql_reads_them() {
        let cases: [(&str, &[&str]); 8] = [
            (" a  b\t", &["a", "b"]),
            ("'it''s' 'a\\tb' ''", &["it's", "a\tb", ""]),
            ("\"Big Name\".x", &["\"Big Name\".x"]),
            (":x :'x' :y", &["a b", "'a b'", ":y"]),
            ("`printf 'a\\nb\\n'`", &["a\nb"]),
            ("pre'fix'ed", &["prefixed"]),
            ("a \\x", &["a"]),
            ("12:34", &["12:34"]),
        ];
        for (text, expected) in cases {
            assert_eq!(arguments(text).expect("they can be read"), expected, "{text}");
        }
        assert!(arguments("'open").is_err());
    }

    #[test]
    fn patterns_keep_their_quotes() {
        let mut rest = Rest::new("\"A b\".t* c");
        let first = rest.next(&Variables::default(), true).expect("it can be read").expect("there is one");
        assert_eq!((first.text.as_str(), first.is_quoted), ("\"A b\".t*", true));
    }
}
