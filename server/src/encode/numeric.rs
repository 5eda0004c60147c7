//! NUMERIC: digits with a point, or PostgreSQL's own form: digits of base 10,000 with the weight of the first one, a
//! sign, and how many decimal digits behind the point are shown.

use super::{Cells, Form};
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, StringArray};

/// Decimals of this scale as text.
pub(super) struct Digits {
    pub(super) scale: u8,
}

/// Decimals of this scale in binary.
pub(super) struct TenThousands {
    pub(super) scale: u8,
}

/// Signs of the binary form.
const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const MINUS_INFINITY: u16 = 0xf000;

/// What PostgreSQL sends as the scale of an infinity.
const INFINITY_SCALE: usize = 32;

/// Decimal digits in one of base 10,000.
const GROUP: usize = 4;

impl Form<i128> for Digits {
    fn put(&self, value: i128, out: &mut Room<'_>) {
        if value < 0 {
            out.push(b'-');
        }
        let scale = usize::from(self.scale);
        // Numbers of 64 bits have much the faster digits.
        if let Ok(value) = u64::try_from(value.unsigned_abs()) {
            return out.digits_with_point(value, scale);
        }
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(value.unsigned_abs()).as_bytes();
        if scale == 0 {
            return out.extend_from_slice(digits);
        }
        if digits.len() > scale {
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            out.extend_from_slice(whole);
            out.push(b'.');
            out.extend_from_slice(fraction);
        } else {
            out.extend_from_slice(b"0.");
            out.fill(scale - digits.len(), b'0');
            out.extend_from_slice(digits);
        }
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<i128> for TenThousands {
    fn put(&self, value: i128, out: &mut Room<'_>) {
        // What is behind the point is filled up to whole groups.
        let scale = usize::from(self.scale);
        let behind = scale.div_ceil(GROUP);
        let filled = 10u64.pow((behind * GROUP - scale) as u32);
        let narrow = u64::try_from(value.unsigned_abs()).ok().and_then(|digits| digits.checked_mul(filled));
        match narrow {
            Some(digits) => put_narrow(digits, behind, (scale, value < 0), out),
            None => {
                let mut digits = Vec::with_capacity(48);
                Digits { scale: self.scale }.put(value, &mut Room::new(&mut digits));
                put_text(&digits, out);
            }
        }
    }
}

/// Digits of which so many groups stand behind the point, none of it when there is no digit but zero; those at the end are left out.
fn put_narrow(digits: u64, behind: usize, (scale, is_negative): (usize, bool), out: &mut Room<'_>) {
    let (mut rest, mut zeros) = (digits, 0);
    while rest > 0 && rest.is_multiple_of(10_000) {
        rest /= 10_000;
        zeros += 1;
    }
    let mut groups = [0u16; 5];
    let mut at = groups.len();
    while rest > 0 {
        at -= 1;
        groups[at] = (rest % 10_000) as u16;
        rest /= 10_000;
    }
    let groups = &groups[at..];
    let weight = if groups.is_empty() { 0 } else { (groups.len() + zeros) as i16 - 1 - behind as i16 };
    put_head(groups.len(), weight, (if is_negative { NEGATIVE } else { POSITIVE }, scale), out);
    groups.iter().for_each(|group| out.put(group.to_be_bytes()));
}

/// What stands before the groups.
fn put_head(groups: usize, weight: i16, (sign, scale): (u16, usize), out: &mut Room<'_>) {
    let ([a, b], [c, d]) = ((groups as u16).to_be_bytes(), weight.to_be_bytes());
    let ([e, f], [g, h]) = (sign.to_be_bytes(), (scale as u16).to_be_bytes());
    out.put([a, b, c, d, e, f, g, h]);
}

/// Groups of which so many stand before the point; zeros at both ends are left out.
fn put_groups(groups: &[u16], before: usize, sign: u16, scale: usize, out: &mut Room<'_>) {
    let leading = groups.iter().take_while(|&&group| group == 0).count();
    let end = groups.iter().rposition(|&group| group != 0).map_or(leading, |last| last + 1);
    let kept = &groups[leading.min(end)..end];
    let weight = if kept.is_empty() { 0 } else { before as i64 - 1 - leading as i64 };
    put_head(kept.len(), weight as i16, (sign, scale), out);
    kept.iter().for_each(|group| out.put(group.to_be_bytes()));
}

/// The binary form of a number's text: digits with a point, or one of the words.
fn put_text(text: &[u8], out: &mut Room<'_>) {
    match text {
        b"NaN" => return put_groups(&[], 0, NAN, 0, out),
        b"Infinity" => return put_groups(&[], 0, INFINITY, INFINITY_SCALE, out),
        b"-Infinity" => return put_groups(&[], 0, MINUS_INFINITY, INFINITY_SCALE, out),
        _ => {}
    }
    let (sign, text) = text.strip_prefix(b"-").map_or((POSITIVE, text), |rest| (NEGATIVE, rest));
    let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
    let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
    let value = |digits: &[u8]| digits.iter().fold(0, |value, digit| value * 10 + u16::from(digit.wrapping_sub(b'0')));
    // Whole groups from the point on to either side.
    let (first, rest) = whole.split_at(whole.len() % GROUP);
    let mut groups = Vec::with_capacity(text.len() / GROUP + 2);
    if !first.is_empty() {
        groups.push(value(first));
    }
    groups.extend(rest.chunks(GROUP).map(value));
    let before = groups.len();
    let filled = |digits: &[u8]| value(digits) * 10u16.pow((GROUP - digits.len()) as u32);
    groups.extend(fraction.chunks(GROUP).map(filled));
    put_groups(&groups, before, sign, fraction.len(), out);
}

/// Numbers of any number of digits, which come as text.
struct Wide(StringArray);

/// The values of an array, in binary; their text is as it is.
pub(super) fn wide(array: StringArray) -> Box<dyn Cells> {
    Box::new(Wide(array))
}

impl Cells for Wide {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        put_text(self.0.value(row).as_bytes(), out);
    }
}
