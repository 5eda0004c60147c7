//! Prefix tests on strings, with or without case: their first eight bytes, as one number, nearly always decide without a call.

/// A string that others may begin with.
pub(crate) struct Beginning {
    /// Its first eight bytes, and which bits of them it has.
    head: u64,
    mask: u64,
    /// In bytes of lower case letters the bit that those of upper case lack, if case is ignored.
    fold: u64,
    /// The highest bits of its bytes if case is ignored: what is not ASCII has other ways to be alike.
    foreign: u64,
    /// How many of the eight bytes there are, and whether these are all.
    len: usize,
    is_whole: bool,
}

impl Beginning {
    /// This one, in lower case if case is ignored.
    pub(crate) fn new(prefix: &[u8], ignores_case: bool) -> Self {
        let len = prefix.len().min(8);
        let number = |byte: &dyn Fn(u8) -> u8| {
            let bytes: [u8; 8] = std::array::from_fn(|at| prefix.get(at).map_or(0, |&each| byte(each)));
            u64::from_le_bytes(bytes)
        };
        let of_case = |byte: &dyn Fn(u8) -> u8| if ignores_case { number(byte) } else { 0 };
        Beginning {
            head: number(&|byte| byte),
            mask: number(&|_| u8::MAX),
            fold: of_case(&|byte| if byte.is_ascii_lowercase() { 0x20 } else { 0 }),
            foreign: of_case(&|_| 0x80),
            len,
            is_whole: len == prefix.len(),
        }
    }

    /// Whether a string of so many bytes begins so, which stands in some bytes from a place on; none if the first eight bytes
    /// from there do not tell.
    #[inline(always)]
    pub(crate) fn is_at(&self, bytes: &[u8], start: usize, len: usize) -> Option<bool> {
        let eight = bytes.get(start..start.checked_add(8)?)?.first_chunk()?;
        let eight = u64::from_le_bytes(*eight);
        if len < self.len || eight & self.foreign != 0 {
            return None;
        }
        let is_alike = ((eight | self.fold) ^ self.head) & self.mask == 0;
        if is_alike && !self.is_whole { None } else { Some(is_alike) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_so() {
        let texts =
            ["", "a", "A", "almond", "ALMOND milk", "almonE", "@lmond", "`lmond", "[x", "{x", "a\u{212a}", "é", "É"];
        let texts = texts.into_iter().chain(["almond m", "almond mi", "Almond Mint", "almond é", "\u{212a}"]);
        for text in texts {
            for prefix in ["", "a", "almond", "almond m", "almond mi", "@", "`", "[", "{", "é", "k", "\u{212a}"] {
                for behind in ["", "x", "almond milk"] {
                    let bytes = format!("..{text}{behind}");
                    let told = |ignores_case| {
                        let beginning = Beginning::new(prefix.as_bytes(), ignores_case);
                        beginning.is_at(bytes.as_bytes(), 2, text.len())
                    };
                    assert!(told(false).is_none_or(|told| told == text.starts_with(prefix)), "{text} {prefix}");
                    let folded = text.to_lowercase();
                    assert!(told(true).is_none_or(|told| told == folded.starts_with(prefix)), "{text} {prefix}");
                    // Most are told.
                    if text.len() >= 8 && prefix.len() <= 8 && text.is_ascii() {
                        assert!(told(false).is_some() && told(true).is_some());
                    }
                }
            }
        }
    }
}
