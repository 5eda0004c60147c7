//! What statements have in common that differ in constants, blanks and comments alone: a number, and a text in which constants
//! are `$n`. Numbers count on from the parameters that the text has.

use super::text::Text;
use rustc_hash::FxHasher;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};

/// The number of a statement of these tokens, the same from run to run: above 0, and one that a bigint has.
pub(super) fn number(tokens: &[TokenWithSpan]) -> u64 {
    let mut hasher = FxHasher::default();
    for TokenWithSpan { token, .. } in tokens {
        match token {
            Token::Whitespace(_) | Token::EOF => {}
            Token::Word(word) if word.quote_style.is_none() => {
                word.value.bytes().for_each(|byte| byte.to_ascii_lowercase().hash(&mut hasher));
                0xff_u8.hash(&mut hasher);
            }
            constant if is_constant(constant) => 0xfe_u8.hash(&mut hasher),
            other => other.hash(&mut hasher),
        }
    }
    (hasher.finish() >> 1).max(1)
}

/// The text of a statement with `$n` in place of its constants; as it is, if it cannot be read.
pub fn normalised(text: &str) -> String {
    let index = Text::new(text);
    let Ok(tokens) = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location() else {
        return text.to_owned();
    };
    let parameter = |token: &TokenWithSpan| match &token.token {
        Token::Placeholder(name) => name.strip_prefix('$')?.parse::<u32>().ok(),
        _ => None,
    };
    let mut next = tokens.iter().filter_map(parameter).max().unwrap_or(0);
    let (mut normal, mut done) = (String::with_capacity(text.len()), 0);
    for token in tokens.iter().filter(|token| is_constant(&token.token)) {
        let (Some(start), Some(end)) = (index.offset(token.span.start), index.offset(token.span.end)) else { continue };
        next = next.saturating_add(1);
        normal.push_str(&text[done..start]);
        let _ = write!(normal, "${next}");
        done = end;
    }
    normal.push_str(&text[done..]);
    normal
}

fn is_constant(token: &Token) -> bool {
    matches!(
        token,
        Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::HexStringLiteral(_)
            | Token::SingleQuotedByteStringLiteral(_)
    )
}

#[cfg(test)]
mod tests {
    use super::normalised;
    use crate::sql::parse;

    #[test]
    fn constants_become_parameters() {
        for (text, normal) in [
            ("SELECT 1", "SELECT $1"),
            ("SELECT a+1.5e3 FROM t WHERE b='it''s' AND c=$2", "SELECT a+$3 FROM t WHERE b=$4 AND c=$2"),
            ("SELECT $$a$$, E'\\n', x'00', DATE '2020-01-01'", "SELECT $1, $2, $3, DATE $4"),
            ("SELECT \"1\" -- 2\n, ä, '€'", "SELECT \"1\" -- 2\n, ä, $1"),
            ("SELECT a FROM t", "SELECT a FROM t"),
        ] {
            assert_eq!(normalised(text), normal);
        }
    }

    #[test]
    fn constants_blanks_and_case_do_not_count() {
        let number = |text: &str| parse(text).expect(text)[0].number;
        let one = number("SELECT a FROM t WHERE b = 1 AND c = 'x'");
        assert_eq!(number("select A from t -- more\nwhere b=222 and c = ''"), one);
        for text in [
            "SELECT a FROM t WHERE b = $1 AND c = 'x'",
            "SELECT \"A\" FROM t WHERE b = 1 AND c = 'x'",
            "SELECT a FROM t WHERE b = 1 AND c <> 'x'",
            "SELECT ab FROM t WHERE b = 1 AND c = 'x'",
        ] {
            assert_ne!(number(text), one, "{text}");
        }
        // Whatever stands beside it.
        let script = parse("SELECT 1; SELECT a FROM t WHERE b = 7 AND c = 'y'").expect("two statements");
        assert_eq!(script[1].number, one);
    }
}
