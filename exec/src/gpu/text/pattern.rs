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
