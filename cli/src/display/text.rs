//! What writers know of characters: widths, what a terminal must not see, numbers in groups.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns between the stops of tabs.
const TAB: usize = 8;

/// A value's lines as a terminal may see them: control characters in words, tabs as blanks.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(visible).collect()
}

/// A text without line ends as a terminal may see it.
pub(super) fn visible(text: &str) -> String {
    // Most have nothing to hide.
    if !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    let (mut shown, mut width) = (String::with_capacity(text.len()), 0);
    for character in text.chars() {
        let from = shown.len();
        match character {
            '\t' => shown.push_str(&" ".repeat(TAB - width % TAB)),
            '\r' => shown.push_str("\\r"),
            '\n' => shown.push_str("\\n"),
            control if control.is_ascii_control() => shown.push_str(&format!("\\x{:02X}", u32::from(control))),
            control if control.is_control() => shown.push_str(&format!("\\u{:04X}", u32::from(control))),
            other => shown.push(other),
        }
        width += shown[from..].width();
    }
    shown
}

/// A text as far as it fits into so many columns; `…` says that something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let (mut cut, mut width) = (String::new(), 0);
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if width + wide + 1 > columns {
            break;
        }
        width += wide;
        cut.push(character);
    }
    cut.push('…');
    cut
}

/// A number with commas between thousands.
pub(super) fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with(['-', '+']));
    let digits = number[start..].bytes().take_while(u8::is_ascii_digit).count();
    let (sign, rest) = number.split_at(start);
    let (whole, rest) = rest.split_at(digits);
    let mut text = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (digits - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::{cut, grouped, lines, visible};

    #[test]
    fn cut_text_ends_in_an_ellipsis() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("日本語", 4), "日…");
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        assert_eq!(visible("a\tb\x1b[31m\r\u{85}"), "a       b\\x1B[31m\\r\\u0085");
        assert_eq!(lines("a\n\nb\r\n"), ["a", "", "b\\r", ""]);
        assert_eq!(visible("日\tx"), "日      x");
    }

    #[test]
    fn thousands_have_commas() {
        let cases = [("1234567.25", "1,234,567.25"), ("-123", "-123"), ("-1234", "-1,234"), ("NaN", "NaN"), ("", "")];
        cases.iter().for_each(|(number, expected)| assert_eq!(grouped(number), *expected));
    }
}
