//! Numbers in other bases than ten and with underscores, as in PostgreSQL 16, and the operators `**`, which is `^`, and `//`, which
//! is `/`.

use super::tokens::Tokens;
use sqlparser::tokenizer::{Span, Token};

/// Digits that one step of a conversion to base ten carries.
const LIMB: u64 = 1_000_000_000_000_000_000;

impl Tokens {
    /// Numbers and operators of their characters.
    pub(super) fn numbers(&mut self) {
        for at in 0..self.len() {
            match self.at(at) {
                Token::Number(digits, false) if digits.contains('_') => {
                    let plain = digits.replace('_', "");
                    self.set(at, Token::Number(plain, false));
                }
                // `x'ff'` is longer by one than `0xff`.
                Token::HexStringLiteral(digits) if length(self.span(at)) == digits.len() as u64 + 2 => {
                    if let Some(number) = decimal(digits, 16) {
                        self.set(at, Token::Number(number, false));
                    }
                }
                Token::Number(zero, false) if zero == "0" => self.prefixed(at),
                Token::Mul if self.is_doubled(at) => {
                    self.set(at, Token::Caret);
                    self.drop_token(at + 1);
                }
                // Whole numbers are divided so by `/`, others by both alike.
                Token::Div if self.is_doubled(at) => self.drop_token(at + 1),
                Token::CustomBinaryOperator(operator) if operator == "//" => self.set(at, Token::Div),
                _ => {}
            }
        }
    }

    /// Whether the same token stands behind one, with nothing between.
    fn is_doubled(&self, at: usize) -> bool {
        at + 1 < self.len() && self.at(at + 1) == self.at(at) && self.span(at).end == self.span(at + 1).start
    }

    /// `0o17` and `0b101`, of which sqlparser makes a zero and a word.
    fn prefixed(&mut self, at: usize) {
        if at + 1 >= self.len() || self.span(at).end != self.span(at + 1).start {
            return;
        }
        let Token::Word(word) = self.at(at + 1) else { return };
        let mut letters = word.value.chars();
        let base = match letters.next() {
            Some('o' | 'O') => 8,
            Some('b' | 'B') => 2,
            Some('X') => 16,
            _ => return,
        };
        if word.quote_style.is_none()
            && let Some(number) = decimal(letters.as_str(), base)
        {
            self.set(at, Token::Number(number, false));
            self.drop_token(at + 1);
        }
    }
}

/// How many characters a token on one line has.
fn length(span: Span) -> u64 {
    if span.start.line == span.end.line { span.end.column.saturating_sub(span.start.column) } else { 0 }
}

/// The digits of a number in base ten; none of what is no number in its own base.
fn decimal(digits: &str, base: u32) -> Option<String> {
    // The least significant first, each of eighteen digits.
    let mut limbs: Vec<u64> = vec![0];
    let mut any = false;
    for c in digits.chars().filter(|c| *c != '_') {
        let mut carry = u128::from(c.to_digit(base)?);
        any = true;
        for limb in &mut limbs {
            let value = u128::from(*limb) * u128::from(base) + carry;
            *limb = u64::try_from(value % u128::from(LIMB)).ok()?;
            carry = value / u128::from(LIMB);
        }
        if carry > 0 {
            limbs.push(u64::try_from(carry).ok()?);
        }
    }
    let (first, rest) = limbs.split_last().filter(|_| any)?;
    let mut text = first.to_string();
    rest.iter().rev().for_each(|limb| text.push_str(&format!("{limb:018}")));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn digits_of_any_length() {
        for (digits, base, number) in [
            ("ff", 16, "255"),
            ("0", 2, "0"),
            ("17", 8, "15"),
            ("FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF", 16, "340282366920938463463374607431768211455"),
            ("de0b6b3a7640000", 16, "1000000000000000000"),
        ] {
            assert_eq!(decimal(digits, base).as_deref(), Some(number));
        }
        assert_eq!(decimal("", 16), None);
        assert_eq!(decimal("12", 2), None);
    }
}
