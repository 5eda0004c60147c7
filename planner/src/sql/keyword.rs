//! Keywords among tokens, as the passes that respell a statement look for them.

use sqlparser::tokenizer::Token;

/// Whether a token is this keyword, given in lower case.
pub(super) fn is_keyword(token: &Token, keyword: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(keyword))
}
