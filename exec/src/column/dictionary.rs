//! Dictionaries: the distinct strings of a column, sorted, so that codes compare as their strings do.

/// How far behind a string another one is near.
const NEAR: u32 = 1 << 8;

/// Bytes of a string that is copied with what stands behind it: to copy as many bytes as the compiler knows takes less than to copy
/// fewer.
pub(crate) const SHORT: usize = 16;

/// Appends the first bytes of some, so many, which are there.
#[inline]
pub(crate) fn append_short(from: &[u8], len: usize, to: &mut Vec<u8>) {
    let filled = to.len();
    match from.first_chunk::<SHORT>() {
        Some(head) if len <= SHORT && to.capacity() - filled >= SHORT => {
            to.spare_capacity_mut()[..SHORT].write_copy_of_slice(head);
            // SAFETY: those bytes have just been written, and are within the capacity.
            unsafe { to.set_len(filled + len) };
        }
        _ => to.extend_from_slice(&from[..len]),
    }
}

/// Distinct strings in byte order; a code is a position.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    offsets: Vec<u32>,
    strings: Vec<u8>,
}

impl Dictionary {
    /// A dictionary of strings that are sorted by bytes and distinct.
    ///
    /// # Panics
    /// If they are not, or are longer than 4 GiB together.
    pub fn new<'a>(sorted: impl IntoIterator<Item = &'a str>) -> Self {
        let mut dictionary = Dictionary { offsets: vec![0], strings: Vec::new() };
        for text in sorted {
            let before = dictionary.offsets.len().checked_sub(2).map(|last| dictionary.get(last as u32));
            assert!(before.is_none_or(|before| before < text), "a dictionary is sorted and distinct");
            dictionary.strings.extend_from_slice(text.as_bytes());
            dictionary.offsets.push(u32::try_from(dictionary.strings.len()).expect("a dictionary is below 4 GiB"));
        }
        dictionary
    }

    /// How many strings.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The string of a code.
    pub fn get(&self, code: u32) -> &str {
        // SAFETY: `new` is the only way in, and it takes whole strings.
        unsafe { std::str::from_utf8_unchecked(self.bytes_of(code)) }
    }

    /// The bytes of the string of a code. NULL's code is 0, and where all is NULL there is no string: none then.
    pub fn bytes_of(&self, code: u32) -> &[u8] {
        let Some(end) = self.offsets.get(code as usize + 1) else {
            assert!(self.is_empty() && code == 0, "a code is one of the dictionary's");
            return &[];
        };
        &self.strings[self.offsets[code as usize] as usize..*end as usize]
    }

    /// The bytes from the first one of a code's string on, and how many of these are its.
    #[inline]
    pub(crate) fn behind(&self, code: u32) -> (&[u8], usize) {
        if self.is_empty() && code == 0 {
            return (&[], 0);
        }
        let (start, end) = (self.offsets[code as usize], self.offsets[code as usize + 1]);
        (&self.strings[start as usize..], (end - start) as usize)
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code as u32))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.strings.len() + size_of_val::<[u32]>(&self.offsets)
    }

    /// The code of a string: Ok if it is there, else Err with the code of the next greater one.
    pub fn find(&self, text: &[u8]) -> Result<u32, u32> {
        self.find_within(text, 0, self.len() as u32)
    }

    /// As [`Dictionary::find`], quicker where the string is not far behind the one of code `near`: then fewer strings are
    /// looked at.
    pub fn find_near(&self, text: &[u8], near: u32) -> Result<u32, u32> {
        let len = self.len() as u32;
        if near >= len || self.bytes_of(near) > text {
            return self.find_within(text, 0, near.min(len));
        }
        let (mut low, mut step) = (near, 1);
        while step <= NEAR {
            let high = near + step;
            if high >= len || self.bytes_of(high) > text {
                return self.find_within(text, low, high.min(len));
            }
            (low, step) = (high, step * 4);
        }
        self.find_within(text, low, len)
    }

    /// As [`Dictionary::find`], of a string that is neither below that of code `low` nor above that of code `high`.
    fn find_within(&self, text: &[u8], mut low: u32, mut high: u32) -> Result<u32, u32> {
        while low < high {
            let middle = low.midpoint(high);
            match self.bytes_of(middle).cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_from_anywhere() {
        for len in [0, 1, 2, 5, 300, 2_000] {
            let strings: Vec<String> = (0..len).map(|at| format!("{:06}", at * 2 + 1)).collect();
            let dictionary = Dictionary::new(strings.iter().map(String::as_str));
            let asked = (0..len * 2 + 3).step_by(if len > 300 { 97 } else { 1 });
            for text in asked.map(|at| format!("{at:06}")).chain([String::new(), "x".to_owned()]) {
                let expected = strings.binary_search(&text).map(|at| at as u32).map_err(|at| at as u32);
                assert_eq!(dictionary.find(text.as_bytes()), expected);
                for near in [0, 1, 3, 4, 255, 256, 257, 1_999, 2_000, u32::MAX].into_iter().chain(0..len.min(40)) {
                    assert_eq!(dictionary.find_near(text.as_bytes(), near), expected, "{text} near {near} of {len}");
                }
            }
        }
    }
}
