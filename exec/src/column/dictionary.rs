//! Dictionaries: the distinct strings of a column, sorted, so that codes compare as their strings do.

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

    /// The bytes of the string of a code.
    pub fn bytes_of(&self, code: u32) -> &[u8] {
        &self.strings[self.offsets[code as usize] as usize..self.offsets[code as usize + 1] as usize]
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
    pub fn find(&self, text: &str) -> Result<u32, u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle).as_bytes().cmp(text.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}
