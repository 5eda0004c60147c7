//! Patterns as kernels read them.

use crate::gpu::driver::bytes_of;

/// The item for any character.
const ANY: u16 = 256;

/// Bytes that a segment begins with which are looked for at once, at most.
const KEY: usize = 4;

/// Segments between which anything may stand, of bytes and (none) of any characters. The first stands at the start of what matches, the
/// last at its end; of one segment both are one.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(pub(crate) Vec<Vec<Option<u8>>>);

impl Pattern {
    /// Texts that begin with one, end with one, or have it somewhere.
    pub(crate) fn of(text: &str, (begins, ends): (bool, bool)) -> Self {
        let own: Vec<Option<u8>> = text.bytes().map(Some).collect();
        Pattern(match (begins, ends) {
            (true, true) => vec![own],
            (true, false) => vec![own, Vec::new()],
            (false, true) => vec![Vec::new(), own],
            (false, false) => vec![Vec::new(), own, Vec::new()],
        })
    }

    /// Segments without those in the middle that are empty, which are everywhere.
    pub(crate) fn segments(&self) -> Vec<&[Option<u8>]> {
        let last = self.0.len().saturating_sub(1);
        let is_needed = |(at, segment): &(usize, &Vec<Option<u8>>)| *at == 0 || *at == last || !segment.is_empty();
        self.0.iter().enumerate().filter(is_needed).map(|(_, segment)| &segment[..]).collect()
    }

    /// The bytes that are looked for in all text before rows are asked; none if it is as good to ask each row at once.
    pub(crate) fn window(&self) -> Option<Window> {
        let segments = self.segments();
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return None };
        let middle = segments.get(1..segments.len().saturating_sub(1)).unwrap_or_default();
        let best = middle.iter().filter_map(|segment| Window::of(segment)).min_by_key(|window| window.weight)?;
        // Rows whose ends tell are not read as a whole.
        let ends_tell = [first, last].iter().any(|end| end.iter().any(Option::is_some));
        (best.count == WINDOW || !ends_tell).then_some(best)
    }

    /// The items of all segments, and of each where they begin, how many they are, what bytes they begin with, and a mask of these.
    pub(crate) fn encoded(&self) -> (Vec<u8>, Vec<u8>, u32) {
        let (mut items, mut segments): (Vec<u16>, Vec<u32>) = (Vec::new(), Vec::new());
        let all = self.segments();
        for segment in &all {
            let (mut key, mut mask) = (0u32, 0u32);
            for (at, byte) in segment.iter().map_while(|item| *item).take(KEY).enumerate() {
                key |= u32::from(byte) << (8 * at);
                mask |= 0xff << (8 * at);
            }
            segments.extend([items.len() as u32, segment.len() as u32, key, mask]);
            items.extend(segment.iter().map(|item| item.map_or(ANY, u16::from)));
        }
        (bytes_of(&items, u16::to_le_bytes), bytes_of(&segments, u32::to_le_bytes), all.len() as u32)
    }
}

/// Bytes of a window, at most; the last is at most three behind the first.
const WINDOW: usize = 3;

/// A few bytes of a segment that seldom stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// How many there are; those behind are the first once more.
    count: usize,
    bytes: [u8; WINDOW],
    /// How far they are behind the first.
    behind: [usize; WINDOW],
    /// How often they stand together, if bytes knew nothing of each other.
    weight: u64,
}

impl Window {
    /// The rarest of a segment; none if it has no bytes.
    fn of(segment: &[Option<u8>]) -> Option<Self> {
        let mut best: Option<Window> = None;
        for at in 0..segment.len() {
            let literal: Vec<u8> = segment[at..].iter().map_while(|item| *item).take(KEY).collect();
            for chosen in 0u32..1 << literal.len() {
                if chosen & 1 == 0 || chosen.count_ones() as usize > WINDOW {
                    continue;
                }
                let places: Vec<usize> = (0..literal.len()).filter(|place| chosen >> place & 1 != 0).collect();
                let (mut bytes, mut behind) = ([literal[0]; WINDOW], [0; WINDOW]);
                for (of, &place) in places.iter().enumerate() {
                    (bytes[of], behind[of]) = (literal[place], place);
                }
                let missing = (places.len()..WINDOW).map(|_| 10_000);
                let weight = places.iter().map(|&place| frequency(literal[place])).chain(missing).product();
                if best.is_none_or(|best| weight < best.weight) {
                    best = Some(Window { count: places.len(), bytes, behind, weight });
                }
            }
        }
        best
    }

    /// As kernels read it: the bytes, and how many bits the others are behind the first.
    pub(crate) fn encoded(&self) -> (u32, u32) {
        let [first, second, third] = self.bytes.map(u32::from);
        let [_, to_second, to_third] = self.behind.map(|bytes| 8 * bytes as u32);
        (first | second << 8 | third << 16, to_second | to_third << 8)
    }
}

/// How many of ten thousand bytes of text are such a one, about: English, and what is written in machines.
fn frequency(byte: u8) -> u64 {
    const LETTERS: [u64; 26] =
        [82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1];
    match byte {
        b'a'..=b'z' => LETTERS[usize::from(byte - b'a')] * 8,
        b' ' => 1_600,
        b'0'..=b'9' => 150,
        b'A'..=b'Z' => 40,
        b'.' | b',' | b'-' | b'/' | b':' | b'_' => 100,
        0x80.. => 200,
        _ => 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(of: &str) -> Option<(String, Vec<usize>)> {
        let segments = of.split('%').map(|segment| {
            segment.chars().flat_map(|item| match item {
                '_' => vec![None],
                other => other.to_string().bytes().map(Some).collect(),
            })
        });
        let window = Pattern(segments.map(Iterator::collect).collect()).window()?;
        let text = String::from_utf8_lossy(&window.bytes[..window.count]).into_owned();
        Some((text, window.behind[..window.count].to_vec()))
    }

    #[test]
    fn windows() {
        let some = |text: &str, behind: &[usize]| Some((text.to_owned(), behind.to_vec()));
        assert_eq!(window("%special%"), some("spc", &[0, 1, 3]));
        assert_eq!(window("%special%requests%"), some("rqu", &[0, 2, 3]));
        assert_eq!(window("%e%"), some("e", &[0]));
        assert_eq!(window("%e_zz%"), some("zz", &[0, 1]));
        assert_eq!(window("http%google%"), some("gog", &[0, 1, 3]));
        // What ends tell, and patterns of nothing.
        for of in ["forest%", "%green", "special", "a%b%", "%b%c", "%", "", "_", "%_%", "%__%_"] {
            assert_eq!(window(of), None, "{of}");
        }
        let all = Window { count: 3, bytes: [1, 2, 3], behind: [0, 1, 3], weight: 0 }.encoded();
        assert_eq!(all, (0x0003_0201, 0x1808));
    }
}
