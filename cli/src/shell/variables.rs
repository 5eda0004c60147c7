//! Variables: `\set x 1`, then `:x`, `:'x'` and `:"x"` in statements and arguments.

use super::lex::{Kind, tokens};
use crate::quote;
use std::collections::BTreeMap;

/// Values by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Whether one says yes; one that is not there says no.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.get(name).and_then(truth).unwrap_or(false)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What a variable stands for, as it is written (`:x`, `:'x'`, `:"x"`, `:{?x}`); None if there is none of this name.
    pub(super) fn value_of(&self, written: &str) -> Option<String> {
        let name = written[1..].trim_matches(['\'', '"', '{', '}', '?']);
        if written.starts_with(":{") {
            return Some(if self.get(name).is_some() { "TRUE" } else { "FALSE" }.to_owned());
        }
        let value = self.get(name)?;
        Some(match written[1..].chars().next() {
            Some('\'') => quote::text(value),
            Some('"') => quote::name_always(value),
            _ => value.to_owned(),
        })
    }

    /// A text with the variables' values; strings and comments stay as they are.
    pub(super) fn replaced(&self, text: &str) -> String {
        if !text.contains(':') {
            return text.to_owned();
        }
        let mut replaced = String::with_capacity(text.len());
        for token in tokens(text, 0) {
            let written = &text[token.range];
            match (token.kind == Kind::Variable).then(|| self.value_of(written)).flatten() {
                Some(value) => replaced.push_str(&value),
                None => replaced.push_str(written),
            }
        }
        replaced
    }
}

/// Yes or no, as settings have it: `on`, `true`, `yes`, `1` and what they begin with.
pub(super) fn truth(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let is_start = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    match text.as_str() {
        "1" => Some(true),
        "0" => Some(false),
        _ if is_start("true", 1) || is_start("yes", 1) || is_start("on", 2) => Some(true),
        _ if is_start("false", 1) || is_start("no", 1) || is_start("off", 2) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Variables, truth};

    #[test]
    fn variables_are_replaced_outside_strings() {
        let mut variables = Variables::default();
        variables.set("x", "it's");
        variables.set("n", "1");
        let cases = [
            ("SELECT :n, :'x', :\"x\"", "SELECT 1, 'it''s', \"it's\""),
            ("SELECT ':n', 2::n, :missing, a[:n] -- :n", "SELECT ':n', 2::n, :missing, a[1] -- :n"),
            (":{?n} :{?m}", "TRUE FALSE"),
            ("$$:n$$ \":n\"", "$$:n$$ \":n\""),
        ];
        cases.iter().for_each(|(text, expected)| assert_eq!(variables.replaced(text), *expected));
    }

    #[test]
    fn words_for_yes_and_no() {
        let yes = ["on", "TRUE", "t", "1", "yes", "y"];
        let no = ["off", "of", "f", "0", "no"];
        assert!(yes.iter().all(|word| truth(word) == Some(true)));
        assert!(no.iter().all(|word| truth(word) == Some(false)));
        assert!(["", "o", "maybe", "2"].iter().all(|word| truth(word).is_none()));
    }
}
