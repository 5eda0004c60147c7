//! timetz: a time of day and an offset, in one integer that sorts as PostgreSQL sorts them: by the time in UTC, then by the
//! offset to the west.

use super::calendar::{DAY, SECOND};
use super::{format, zone};

/// Bits of an offset, which is less than 16 hours.
const OFFSET_BITS: u32 = 17;
const OFFSET_ZERO: i64 = 1 << (OFFSET_BITS - 1);

/// The integer of microseconds since midnight and seconds to the east.
pub fn encode(micros: i64, east: i64) -> i64 {
    ((micros - east * SECOND) << OFFSET_BITS) + OFFSET_ZERO - east
}

/// Microseconds since midnight and seconds to the east.
pub fn decode(encoded: i64) -> (i64, i64) {
    let east = OFFSET_ZERO - (encoded & ((1 << OFFSET_BITS) - 1));
    ((encoded >> OFFSET_BITS) + east * SECOND, east)
}

/// The same time with another offset.
pub(super) fn at_offset(encoded: i64, east: i64) -> i64 {
    let (micros, own) = decode(encoded);
    encode((micros + (east - own) * SECOND).rem_euclid(DAY), east)
}

/// `04:05:06.5-08`.
pub(super) fn show(encoded: i64) -> String {
    let (micros, east) = decode(encoded);
    format::format_time(micros) + &zone::format_offset(east)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_sort_as_times() {
        let all = [(0, 57_599), (DAY, 57_599), (3_600 * SECOND, 3_600), (0, 0), (0, -1), (1, 0), (DAY, -57_599)];
        for (micros, east) in all {
            assert_eq!(decode(encode(micros, east)), (micros, east));
            for (other_micros, other_east) in all {
                let order = (micros - east * SECOND, -east).cmp(&(other_micros - other_east * SECOND, -other_east));
                assert_eq!(encode(micros, east).cmp(&encode(other_micros, other_east)), order);
            }
        }
        assert_eq!(show(encode(4 * 3_600 * SECOND, -12_600)), "04:00:00-03:30");
    }
}
