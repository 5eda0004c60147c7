//! A dictionary page, as tables of what rows become.

use super::plain::{self, Texts};
use super::{Kind, PageError, Result, Scale};
use crate::column::Dictionary as Strings;
use crate::cpu::simd::kernel::vectorised;
use std::sync::Arc;

/// The values of a dictionary page.
#[derive(Debug)]
pub struct Dictionary {
    pub(super) values: Values,
}

/// For each index what a row becomes.
#[derive(Debug)]
pub(super) enum Values {
    /// Offsets from a base.
    Offsets8(i64, Vec<u8>),
    Offsets16(i64, Vec<u16>),
    Offsets32(i64, Vec<u32>),
    Int64(Vec<i64>),
    Int128(Vec<i128>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    /// Where strings end, and the strings.
    Texts(Vec<u32>, Vec<u8>),
    /// Codes of strings that other dictionary pages have, too.
    Codes8(Arc<Strings>, Vec<u8>),
    Codes16(Arc<Strings>, Vec<u16>),
    Codes32(Arc<Strings>, Vec<u32>),
}

impl Dictionary {
    /// Of so many values, as PLAIN has them.
    pub fn new(kind: Kind, data: &[u8], count: usize) -> Result<Self> {
        let values = match kind {
            Kind::Boolean => return Err(PageError::Malformed("a dictionary of booleans")),
            Kind::Int32 { unsigned, scale } => scaled(plain::wide(plain::fixed(data, 4, 0, count)?, unsigned), scale)?,
            Kind::Int64 { scale } => scaled(plain::i64s(plain::fixed(data, 8, 0, count)?), scale)?,
            Kind::Fixed(width) => {
                let values: Vec<i128> = plain::fixed_numbers(plain::fixed(data, width, 0, count)?, width).collect();
                match values.iter().map(|&value| i64::try_from(value).ok()).collect::<Option<Vec<_>>>() {
                    Some(values) => narrow(values.iter().copied()),
                    None => Values::Int128(values),
                }
            }
            Kind::Float => {
                let bits = plain::i32s(plain::fixed(data, 4, 0, count)?);
                Values::Float(bits.map(|bits| f32::from_bits(bits as u32)).collect())
            }
            Kind::Double => {
                let bits = plain::i64s(plain::fixed(data, 8, 0, count)?);
                Values::Double(bits.map(|bits| f64::from_bits(bits as u64)).collect())
            }
            Kind::Text => {
                let (mut texts, mut ends, mut bytes) = (Texts(data), vec![0], Vec::with_capacity(data.len()));
                for _ in 0..count {
                    bytes.extend_from_slice(texts.next()?);
                    ends.push(u32::try_from(bytes.len()).map_err(|_| PageError::Malformed("a page of 4 GiB"))?);
                }
                plain::check_utf8(&bytes, ends.iter().map(|&end| end as usize))?;
                Values::Texts(ends, bytes)
            }
        };
        Ok(Dictionary { values })
    }

    /// The strings in order of their indices; none of other values.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (ends, bytes) = match &self.values {
            Values::Texts(ends, bytes) => (&ends[..], &bytes[..]),
            _ => (&[][..], &[][..]),
        };
        let text = |span: &[u32]| &bytes[span[0] as usize..span[1] as usize];
        // SAFETY: they have been checked.
        ends.windows(2).map(move |span| unsafe { std::str::from_utf8_unchecked(text(span)) })
    }

    /// The same strings as codes of all of these; none if one is not among them, or these are no strings.
    pub fn coded(&self, all: &Arc<Strings>) -> Option<Self> {
        let Values::Texts(..) = self.values else { return None };
        let codes = self.texts().map(|text| all.find(text.as_bytes()).ok());
        let values = match all.len() {
            0..=0x100 => Values::Codes8(Arc::clone(all), codes.map(|code| Some(code? as u8)).collect::<Option<_>>()?),
            0x101..=0x1_0000 => {
                Values::Codes16(Arc::clone(all), codes.map(|code| Some(code? as u16)).collect::<Option<_>>()?)
            }
            _ => Values::Codes32(Arc::clone(all), codes.collect::<Option<_>>()?),
        };
        Some(Dictionary { values })
    }
}

/// Numbers as their scale has them.
fn scaled(values: impl ExactSizeIterator<Item = i64> + Clone, scale: Scale) -> Result<Values> {
    if let Scale::One = scale {
        return Ok(narrow(values));
    }
    let values = values.map(|value| plain::scaled(value, scale)).collect::<Result<Vec<_>>>()?;
    Ok(narrow(values.iter().copied()))
}

/// Numbers as offsets from the least of them, as narrow as can be. A dictionary may have as many values as its page has rows, so that
/// they are read twice rather than kept.
fn narrow(values: impl ExactSizeIterator<Item = i64> + Clone) -> Values {
    let (min, max) = vectorised(|| {
        let widen = |(min, max): (i64, i64), value: i64| (min.min(value), max.max(value));
        values.clone().fold((i64::MAX, i64::MIN), widen)
    });
    let (min, range) = if min > max { (0, 0) } else { (min, max.wrapping_sub(min) as u64) };
    match range {
        0..=0xff => Values::Offsets8(min, vectorised(|| values.map(|value| value.wrapping_sub(min) as u8).collect())),
        0x100..=0xffff => {
            Values::Offsets16(min, vectorised(|| values.map(|value| value.wrapping_sub(min) as u16).collect()))
        }
        0x1_0000..=0xffff_ffff => {
            Values::Offsets32(min, vectorised(|| values.map(|value| value.wrapping_sub(min) as u32).collect()))
        }
        _ => Values::Int64(values.collect()),
    }
}
