//! Where any of three bytes stand, for data in which they stand every few bytes: 64 bytes are looked at together, and give a
//! bit each. A search from each to the next would begin anew as often as there are fields.

/// Bytes that are looked at together.
const WINDOW: usize = 64;

/// Goes from one to the next.
pub(super) struct Marks<'b> {
    bytes: &'b [u8],
    wanted: [u8; 3],
    /// Where the window begins.
    base: usize,
    /// Of its bytes those that are wanted and have not been given.
    bits: u64,
}

impl<'b> Marks<'b> {
    /// All of `wanted` in some bytes, from a place on.
    pub(super) fn new(bytes: &'b [u8], wanted: [u8; 3], from: usize) -> Self {
        let mut marks = Marks { bytes, wanted, base: from, bits: 0 };
        marks.look();
        marks
    }

    /// The next one.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.base += WINDOW;
            if self.base >= self.bytes.len() {
                return None;
            }
            self.look();
        }
        let at = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at)
    }

    #[inline(always)]
    fn look(&mut self) {
        let rest = self.bytes.get(self.base..).unwrap_or(&[]);
        self.bits = match rest.first_chunk::<WINDOW>() {
            Some(window) => bits(window, self.wanted),
            None => {
                let mut window = [0; WINDOW];
                window[..rest.len()].copy_from_slice(rest);
                bits(&window, self.wanted) & ((1 << rest.len()) - 1)
            }
        };
    }
}

/// A bit for each byte, whether it is one of those.
#[inline(always)]
fn bits(window: &[u8; WINDOW], [a, b, c]: [u8; 3]) -> u64 {
    let mut is_one = [0u8; WINDOW];
    for (is_one, &byte) in is_one.iter_mut().zip(window) {
        *is_one = u8::from(byte == a) | u8::from(byte == b) | u8::from(byte == c);
    }
    let mut bits = 0;
    for (place, eight) in is_one.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        // Moves the lowest bit of each byte to where it is among the highest eight.
        bits |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::Marks;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_are_found(bytes in proptest::collection::vec(prop::sample::select(&b"ab\t\n\\\0\xff"[..]), 0..300), from in 0usize..300) {
            let from = from.min(bytes.len());
            let mut marks = Marks::new(&bytes, *b"\t\n\\", from);
            let found: Vec<usize> = std::iter::from_fn(|| marks.next()).collect();
            let expected: Vec<usize> = (from..bytes.len()).filter(|&at| b"\t\n\\".contains(&bytes[at])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
