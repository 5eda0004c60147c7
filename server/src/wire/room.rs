//! Room for values behind what a buffer has. A value is a few bytes: to look whether a vector is full, and to say how long it is
//! now, takes as long as to write them. So bytes are made ready in pieces, and written by position.

/// Bytes that are made ready at once.
const PIECE_BYTES: usize = 1 << 10;

/// Two decimal digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// The end of a buffer, at which bytes are written. What is made ready and not written is given back when it is dropped.
pub(crate) struct Room<'b> {
    buffer: &'b mut Vec<u8>,
    len: usize,
}

impl<'b> Room<'b> {
    /// Behind what the buffer has.
    pub(crate) fn new(buffer: &'b mut Vec<u8>) -> Self {
        Room { len: buffer.len(), buffer }
    }

    /// Bytes that the buffer has, with those that are written.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// So many bytes to be written.
    #[inline(always)]
    fn next(&mut self, bytes: usize) -> &mut [u8] {
        let (start, end) = (self.len, self.len + bytes);
        if end > self.buffer.len() {
            self.grow(end);
        }
        self.len = end;
        &mut self.buffer[start..end]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) {
        self.buffer.resize(end + PIECE_BYTES, 0);
    }

    /// Writes a byte.
    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.next(1)[0] = byte;
    }

    /// Writes so many bytes as are known to the compiler.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.next(N).copy_from_slice(&bytes);
    }

    /// Writes the first so many of some bytes. To copy as many as the compiler knows takes less than to copy fewer.
    #[inline(always)]
    pub(crate) fn put_some<const N: usize>(&mut self, bytes: [u8; N], count: usize) {
        let start = self.len;
        self.put(bytes);
        self.len = start + count.min(N);
    }

    /// Writes bytes.
    #[inline]
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.next(bytes.len()).copy_from_slice(bytes);
    }

    /// Writes a byte so many times.
    pub(crate) fn fill(&mut self, count: usize, byte: u8) {
        self.next(count).fill(byte);
    }

    /// Writes over bytes that are written.
    #[inline(always)]
    pub(crate) fn replace<const N: usize>(&mut self, start: usize, bytes: [u8; N]) {
        self.buffer[start..start + N].copy_from_slice(&bytes);
    }

    /// Takes back what is written from there on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// What is written from there on.
    pub(crate) fn written(&self, start: usize) -> &[u8] {
        &self.buffer[start..self.len]
    }

    /// Writes the decimal digits of a number.
    #[inline]
    pub(crate) fn digits(&mut self, number: u64) {
        if number < EIGHT_DIGITS {
            let digits = eight_digits(number);
            let zeros = leading_zeros(digits).min(7);
            return self.put_some((digits >> (8 * zeros)).to_le_bytes(), 8 - zeros);
        }
        if number < SIXTEEN_DIGITS {
            let digits = sixteen_digits(number);
            let zeros = leading_zeros(digits as u64);
            return self.put_some((digits >> (8 * zeros)).to_le_bytes(), 16 - zeros);
        }
        let count = number.checked_ilog10().unwrap_or(0) as usize + 1;
        put_digits(number, self.next(count));
    }

    /// Writes the last so many decimal digits of a number, with zeros before it.
    #[inline]
    pub(crate) fn digits_of(&mut self, number: u64, count: usize) {
        put_digits(number, self.next(count));
    }

    /// Writes a number in units of which so many decimal digits stand behind the point.
    #[inline]
    pub(crate) fn digits_with_point(&mut self, number: u64, scale: usize) {
        if scale == 0 {
            return self.digits(number);
        }
        // With the point they are no more than eight bytes.
        if number < EIGHT_DIGITS / 10 && scale < 7 {
            let digits = eight_digits(number);
            let zeros = leading_zeros(digits).min(7 - scale);
            let (digits, whole) = (digits >> (8 * zeros), 8 * (8 - zeros - scale));
            let (before, behind) = (digits & ((1 << whole) - 1), digits >> whole);
            let with_point = before | (u64::from(b'.') << whole) | (behind << whole << 8);
            return self.put_some(with_point.to_le_bytes(), 9 - zeros);
        }
        // No more than sixteen.
        if number < SIXTEEN_DIGITS / 10 && scale < 15 {
            let digits = sixteen_digits(number);
            let zeros = leading_zeros(digits as u64)
                + if digits as u64 == ZEROS { leading_zeros((digits >> 64) as u64) } else { 0 };
            let zeros = zeros.min(15 - scale);
            let (digits, whole) = (digits >> (8 * zeros), 8 * (16 - zeros - scale));
            let (before, behind) = (digits & ((1 << whole) - 1), digits >> whole);
            let with_point = before | (u128::from(b'.') << whole) | (behind << (whole + 8));
            return self.put_some(with_point.to_le_bytes(), 17 - zeros);
        }
        let count = (number.checked_ilog10().unwrap_or(0) as usize + 1).max(scale + 1);
        let to = self.next(count + 1);
        let (whole, fraction) = to.split_at_mut(count - scale);
        fraction[0] = b'.';
        put_digits(put_digits(number, &mut fraction[1..]), whole);
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.buffer.truncate(self.len);
    }
}

/// Numbers below it have eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Numbers below it have sixteen digits.
const SIXTEEN_DIGITS: u64 = EIGHT_DIGITS * EIGHT_DIGITS;

/// Eight digits of zero.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The digits of a number below a hundred million, the first one in the lowest byte: halves of four digits, of two, of one are
/// divided at once, side by side in one word; a division by 100 and by 10 is a multiplication that is exact for so few digits.
#[inline(always)]
pub(crate) fn eight_digits(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    ZEROS + (tens | ((twos - 10 * tens) << 8))
}

/// The digits of a number below ten to the sixteenth, as those of [`eight_digits`].
#[inline(always)]
fn sixteen_digits(number: u64) -> u128 {
    let (high, low) = (number / EIGHT_DIGITS, number % EIGHT_DIGITS);
    u128::from(eight_digits(high)) | (u128::from(eight_digits(low)) << 64)
}

/// How many of eight digits are zeros in front of all others; eight if there are no others.
#[inline(always)]
fn leading_zeros(digits: u64) -> usize {
    ((digits ^ ZEROS).trailing_zeros() / 8) as usize
}

/// Writes the last digits of a number, as many as there is room for; gives what is in front of them.
#[inline]
fn put_digits(number: u64, to: &mut [u8]) -> u64 {
    let (mut rest, mut end) = (number, to.len());
    // Few numbers need more than 32 bits, and those are divided faster.
    while rest > u64::from(u32::MAX) && end >= 2 {
        end -= 2;
        to[end..end + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    if let (Ok(mut narrow), true) = (u32::try_from(rest), end > 0) {
        while end >= 2 {
            end -= 2;
            to[end..end + 2].copy_from_slice(&PAIRS[(narrow % 100) as usize]);
            narrow /= 100;
        }
        rest = narrow.into();
    }
    if end == 1 {
        to[0] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::Room;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut Room<'_>)) -> String {
        let mut buffer = b"before ".to_vec();
        write(&mut Room::new(&mut buffer));
        String::from_utf8(buffer).expect("it is text").strip_prefix("before ").expect("it is written behind").to_owned()
    }

    fn check(number: u64) {
        assert_eq!(written(|room| room.digits(number)), number.to_string());
        for scale in [0, 1, 2, 5, 19, 20, 38] {
            let padded = format!("{number:0width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            let expected = if scale == 0 { padded } else { format!("{whole}.{fraction}") };
            assert_eq!(written(|room| room.digits_with_point(number, scale)), expected);
        }
        for count in [1, 2, 3, 6, 9, 20, 25] {
            let padded = format!("{number:0count$}");
            let expected = &padded[padded.len() - count..];
            assert_eq!(written(|room| room.digits_of(number, count)), expected);
        }
    }

    #[test]
    fn digits_are_those_of_the_number() {
        for power in 0..20 {
            let number = 10u64.pow(power);
            [number - 1, number, number + 1, number / 10 * 9].into_iter().for_each(check);
        }
        [0, u64::from(u32::MAX), u64::from(u32::MAX) + 1, u64::MAX].into_iter().for_each(check);
    }

    #[test]
    fn what_is_not_written_is_not_there() {
        let text = "some text that is longer than most".repeat(200);
        let shown = written(|room| {
            let start = room.len();
            room.extend_from_slice(text.as_bytes());
            room.put(*b"abc");
            room.push(b'd');
            room.fill(2, b'e');
            room.replace(start, *b"SOME");
            assert_eq!(room.written(start + text.len()), b"abcdee");
            room.truncate(start + text.len() + 1);
        });
        assert_eq!(shown, format!("SOME{}a", &text[4..]));
    }

    proptest! {
        #[test]
        fn any_number(number: u64, shift in 0u32..64) {
            check(number >> shift);
        }
    }
}
