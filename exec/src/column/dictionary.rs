//! Dictionaries: the distinct strings of a column, sorted, so that codes compare as their strings do.

/// Distinct strings in byte order; a code is a position.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    offsets: Vec<u32>,
    bytes: Vec<u8>,
}

impl Dictionary {
    /// A dictionary of strings that are sorted by bytes and distinct.
    ///
    /// # Panics
    /// If they are not, or are longer than 4 GiB together.
    pub fn new<'a>(sorted: impl IntoIterator<Item = &'a str>) -> Self {
        let mut dictionary = Dictionary { offsets: vec![0], bytes: Vec::new() };
        for text in sorted {
            let before = dictionary.offsets.len().checked_sub(2).map(|last| dictionary.get(last as u32));
            assert!(before.is_none_or(|before| before < text), "a dictionary is sorted and distinct");
            dictionary.bytes.extend_from_slice(text.as_bytes());
            dictionary.offsets.push(u32::try_from(dictionary.bytes.len()).expect("a dictionary is below 4 GiB"));
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
        let (start, end) = (self.offsets[code as usize] as usize, self.offsets[code as usize + 1] as usize);
        std::str::from_utf8(&self.bytes[start..end]).expect("built from strings")
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
