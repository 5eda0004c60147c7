//! Keys and their order as bytes.

use super::super::byte_keys::{ByteKeys, is_code, is_key};
use super::super::keys::{CodeKeys, Keys};
use super::super::order::{Order, Segment};
use super::{Reader, Wire, check, damaged};
use crate::Result;
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain, SHORT_TEXT_MAX, ShortText};
use multiloop_planner::analysis::ranges::Grid;
use std::sync::Arc;

impl Wire for PartDomain {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            PartDomain::Integer(Grid { low, high, step }) => {
                to.push(0);
                low.write(to);
                high.write(to);
                step.write(to);
            }
            PartDomain::Code(dictionary) => {
                to.push(1);
                dictionary.write(to);
            }
            PartDomain::Float => to.push(2),
            PartDomain::Text => to.push(3),
            PartDomain::Interval => to.push(4),
            PartDomain::Short(short) => {
                to.push(5);
                short.prefix.write(to);
                short.suffix.write(to);
                short.most.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => {
                let (low, high, step): (i128, i128, u64) = (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
                check(low <= high && step > 0, "a range")?;
                PartDomain::Integer(Grid { low, high, step })
            }
            1 => PartDomain::Code(Wire::read(from)?),
            2 => PartDomain::Float,
            3 => PartDomain::Text,
            4 => PartDomain::Interval,
            5 => {
                let (prefix, suffix, most) = (Wire::read(from)?, Wire::read(from)?, u32::read(from)?);
                check((1..=SHORT_TEXT_MAX).contains(&most), "how long short strings are")?;
                PartDomain::Short(Arc::new(ShortText { prefix, suffix, most }))
            }
            _ => return Err(damaged("the domain of a key")),
        })
    }
}

/// The domains say all.
impl Wire for KeyLayout {
    fn write(&self, to: &mut Vec<u8>) {
        self.parts.len().write(to);
        self.parts.iter().for_each(|part| part.domain.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(KeyLayout::new(Wire::read(from)?))
    }
}

impl Wire for CodeKeys {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            CodeKeys::Bits32(keys) => {
                to.push(0);
                keys.write(to);
            }
            CodeKeys::Bits64(keys) => {
                to.push(1);
                keys.write(to);
            }
            CodeKeys::Bits128(keys) => {
                to.push(2);
                keys.write(to);
            }
            CodeKeys::Bytes(keys) => {
                to.push(3);
                keys.len().write(to);
                (0..keys.len()).for_each(|number| {
                    let key = keys.get(number);
                    key.len().write(to);
                    to.extend_from_slice(key);
                });
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => CodeKeys::Bits32(Wire::read(from)?),
            1 => CodeKeys::Bits64(Wire::read(from)?),
            2 => CodeKeys::Bits128(Wire::read(from)?),
            3 => {
                let mut keys = ByteKeys::default();
                for _ in 0..from.len(8)? {
                    let len = from.len(1)?;
                    keys.push(from.take(len)?);
                }
                CodeKeys::Bytes(keys)
            }
            _ => return Err(damaged("the form of keys")),
        })
    }
}

impl Wire for Keys {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Keys::One => to.push(0),
            Keys::Numbered { layout, base, seen, dense } => {
                to.push(1);
                layout.write(to);
                base.write(to);
                seen.write(to);
                dense.write(to);
            }
            Keys::Set { layout, words } => {
                to.push(2);
                layout.write(to);
                words.write(to);
            }
            Keys::Listed { layout, codes } => {
                to.push(3);
                layout.write(to);
                codes.write(to);
            }
            Keys::Hashed { layout, codes, columns } => {
                to.push(4);
                layout.write(to);
                codes.write(to);
                columns.write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let keys = match u8::read(from)? {
            0 => Keys::One,
            1 => Keys::Numbered {
                layout: Wire::read(from)?,
                base: Wire::read(from)?,
                seen: Wire::read(from)?,
                dense: Wire::read(from)?,
            },
            2 => Keys::Set { layout: Wire::read(from)?, words: Wire::read(from)? },
            3 => Keys::Listed { layout: Wire::read(from)?, codes: Wire::read(from)? },
            4 => Keys::Hashed { layout: Wire::read(from)?, codes: Wire::read(from)?, columns: Wire::read(from)? },
            _ => return Err(damaged("how keys are kept")),
        };
        check(keys.len() < u32::MAX as usize, "more groups than have numbers")?;
        check(are_keys(&keys), "keys that their layout does not have")?;
        Ok(keys)
    }
}

/// Whether all codes are some of their layout, so that they can be decoded, and found among others.
fn are_keys(keys: &Keys) -> bool {
    match keys {
        Keys::One => true,
        Keys::Numbered { layout, base, seen, .. } => {
            let end = u64::from(*base) + seen.len() as u64;
            layout.codes().is_some_and(|codes| end <= codes)
                && keys.occupied().iter().all(|&group| has_code(layout, u128::from(base + group)))
        }
        Keys::Set { layout, words } => {
            layout.codes().is_some_and(|codes| codes < 1 << 32 && words.len() as u64 == codes / 64 + 1)
                && keys.occupied().iter().all(|&code| has_code(layout, code.into()))
        }
        Keys::Listed { layout, codes } => {
            layout.codes().is_some() && codes.iter().all(|&code| has_code(layout, code.into()))
        }
        Keys::Hashed { layout, codes, columns } => {
            let tells = layout.codes_tell_keys();
            let fits = match (codes, layout.width) {
                (CodeKeys::Bits32(codes), KeyWidth::Bits32) => codes.iter().all(|&code| has_code(layout, code.into())),
                (CodeKeys::Bits64(codes), KeyWidth::Bits64) => codes.iter().all(|&code| has_code(layout, code.into())),
                (CodeKeys::Bits128(codes), KeyWidth::Bits128) => {
                    !tells || codes.iter().all(|&code| has_code(layout, code))
                }
                (CodeKeys::Bytes(keys), KeyWidth::Bytes | KeyWidth::Text) => {
                    !tells || (0..keys.len()).all(|number| is_key(layout, keys.get(number)))
                }
                _ => false,
            };
            let shown = columns.is_empty() || (!tells && columns.len() == layout.parts.len());
            fits && shown && columns.iter().all(|column| column.len() == codes.len())
        }
    }
}

/// Whether each part of a packed code is one of its domain.
fn has_code(layout: &KeyLayout, code: u128) -> bool {
    layout.parts.iter().enumerate().all(|(at, part)| {
        let own = layout.end(at).map_or(code, |end| code & ((1 << end) - 1)) >> part.shift;
        is_code(&part.domain, own)
    })
}

impl Wire for Segment {
    fn write(&self, to: &mut Vec<u8>) {
        self.pieces.0.write(to);
        self.pieces.1.write(to);
        self.start.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Segment { pieces: (Wire::read(from)?, Wire::read(from)?), start: Wire::read(from)? })
    }
}

impl Wire for Order {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Order::Codes => to.push(0),
            Order::Clustered(segments) => {
                to.push(1);
                segments.write(to);
            }
            Order::FirstRows(places) => {
                to.push(2);
                places.write(to);
            }
            Order::Unseen => to.push(3),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => Order::Codes,
            1 => Order::Clustered(Wire::read(from)?),
            2 => Order::FirstRows(Wire::read(from)?),
            3 => Order::Unseen,
            _ => return Err(damaged("an order")),
        })
    }
}

impl Order {
    /// Whether it can be the order of these keys.
    pub(super) fn check(&self, keys: &Keys) -> Result<()> {
        let len = keys.len();
        let fits = match (self, keys) {
            (Order::Codes, Keys::One | Keys::Numbered { .. } | Keys::Set { .. } | Keys::Listed { .. }) => true,
            (Order::Clustered(segments), Keys::Listed { .. }) => {
                let starts = segments.iter().map(|segment| segment.start as usize);
                let first = segments.first().map_or(len == 0, |segment| segment.start == 0);
                first && starts.is_sorted() && segments.last().is_none_or(|last| last.start as usize <= len)
            }
            (Order::FirstRows(places), Keys::Hashed { layout, columns, .. }) => {
                places.len() == len && (layout.codes_tell_keys() || columns.len() == layout.parts.len())
            }
            (Order::Unseen, Keys::Hashed { columns, .. }) => columns.is_empty(),
            _ => false,
        };
        check(fits, "an order of other keys")
    }
}
