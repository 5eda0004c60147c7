//! Codes of keys: as the processors have them (`KeyLayout`), a part's code is 0 for NULL, and else 1 and how far its value is from
//! the least, in steps; of text 1 and the code of its dictionary.

use super::Lowering;
use super::scalars::Scalar;
use crate::column::Dictionary;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, bytes_of};
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain};
use multiloop_planner::analysis::ranges::Grid;
use std::sync::Arc;

/// The code of a key.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Of 32 or 64 bits.
    pub(crate) code: Expression,
    /// Whether there is none: no key of the layout is this one.
    pub(crate) absent: Expression,
}

/// What stands for a string that a dictionary lacks.
const LACKS: u32 = u32::MAX;

impl Lowering<'_> {
    /// The layout of keys that have these values, of which the plan knows all but the dictionaries.
    pub(crate) fn layout_of(&mut self, planned: &KeyLayout, parts: &[Scalar]) -> Done<KeyLayout> {
        let text = |scalar: &Scalar| scalar.clone().of_text();
        let domain =
            |(part, scalar): (&crate::plan::key_layout::PartLayout, &Scalar)| match (&part.domain, text(scalar)) {
                (PartDomain::Text, Scalar { dictionary: Some(dictionary), .. }) => Ok(PartDomain::Code(dictionary)),
                (PartDomain::Integer(_), _) => Ok(part.domain.clone()),
                // Of groups that were made before.
                (PartDomain::Code(known), Scalar { dictionary: Some(dictionary), null, .. })
                    if null.known() == Some(true) || *known == dictionary =>
                {
                    Ok(part.domain.clone())
                }
                (PartDomain::Code(_), _) => decline("keys of two dictionaries"),
                (PartDomain::Text, _) => decline("a key of text without a dictionary"),
                _ => decline("a key that is no number"),
            };
        let domains = planned.parts.iter().zip(parts).map(domain).collect::<Done<Vec<_>>>()?;
        Ok(KeyLayout::new(domains))
    }

    /// The code of a key. Its parts' NULLs match NULL where that is said; `own` keys are all of the layout.
    pub(crate) fn code(&mut self, layout: &KeyLayout, parts: &[(Scalar, bool)], own: bool) -> Done<Code> {
        let of = match layout.width {
            KeyWidth::Bits32 => Type::U32,
            KeyWidth::Bits64 => Type::U64,
            _ => return decline(format!("keys that are {}", layout.width.name())),
        };
        let mut whole = Code { code: Expression::number(0, of), absent: Expression::truth(false) };
        for (at, (part, (scalar, null_matches))) in layout.parts.iter().zip(parts).enumerate() {
            let Code { code, absent } = match &part.domain {
                PartDomain::Integer(grid) => self.code_of_integer(*grid, scalar, own, of)?,
                PartDomain::Code(dictionary) => self.code_of_text(dictionary, scalar, of)?,
                _ => return decline("a key that is no number"),
            };
            let (code, absent) = match (scalar.null.known(), *null_matches || own) {
                (Some(false), _) => (code, absent),
                (_, true) => {
                    let code = Expression::select(scalar.null.clone(), Expression::number(0, of), code);
                    (code, absent.and(scalar.null.clone().not()))
                }
                (_, false) => (code, absent.or(scalar.null.clone())),
            };
            let shift = Expression::number(part.shift.into(), Type::U32);
            let shifted = if part.shift == 0 { code } else { Expression::binary(Binary::ShiftLeft, code, shift) };
            whole.code = if at == 0 { shifted } else { Expression::binary(Binary::BitOr, whole.code, shifted) };
            whole.absent = whole.absent.or(absent);
        }
        whole.code = self.hold(whole.code);
        whole.absent = self.hold(whole.absent);
        Ok(whole)
    }

    fn code_of_integer(&mut self, grid: Grid, scalar: &Scalar, own: bool, of: Type) -> Done<Code> {
        let (Ok(low), Ok(high)) = (i64::try_from(grid.low), i64::try_from(grid.high)) else {
            return decline("keys of more than 64 bits");
        };
        let value = match scalar.value.data_type() {
            Type::Bool | Type::I32 | Type::I64 => scalar.value.clone().cast(Type::I64),
            _ => return decline("keys of more than 64 bits"),
        };
        let value = self.hold(value);
        let least = self.integer(low.into(), Type::I64);
        let absent = match own {
            true => Expression::truth(false),
            false => {
                let most = self.integer(high.into(), Type::I64);
                let below = Expression::binary(Binary::Less, value.clone(), least.clone());
                below.or(Expression::binary(Binary::Greater, value.clone(), most))
            }
        };
        // Differences of 64 bits go round, and are right as they are.
        let far = Expression::binary(Binary::Subtract, value, least).cast(Type::U64);
        let one = Expression::number(1, of);
        if grid.step == 1 {
            return Ok(Code { code: Expression::binary(Binary::Add, far.cast(of), one), absent });
        }
        // What few steps are far apart may be far.
        let wide = if grid.high - grid.low > u32::MAX.into() { Type::U64 } else { of };
        let far = self.hold(far.cast(wide));
        let step = self.integer(grid.step.into(), wide);
        let steps = Expression::binary(Binary::Divide, far.clone(), step.clone()).cast(of);
        let absent = match own {
            true => absent,
            false => {
                let rest = Expression::binary(Binary::Modulo, far, step);
                absent.or(Expression::binary(Binary::NotEqual, rest, Expression::number(0, wide)))
            }
        };
        Ok(Code { code: Expression::binary(Binary::Add, steps, one), absent })
    }

    fn code_of_text(&mut self, dictionary: &Arc<Dictionary>, scalar: &Scalar, of: Type) -> Done<Code> {
        let Some(own) = scalar.clone().of_text().dictionary else {
            return decline("a key of text without a dictionary");
        };
        let one = Expression::number(1, of);
        if Arc::ptr_eq(&own, dictionary) || own == *dictionary {
            let code = Expression::binary(Binary::Add, scalar.value.clone().cast(of), one);
            return Ok(Code { code, absent: Expression::truth(false) });
        }
        // Both are in order.
        let mut at = 0;
        let code = |text: &str| {
            while at < dictionary.len() && dictionary.get(at as u32) < text {
                at += 1;
            }
            if at < dictionary.len() && dictionary.get(at as u32) == text { at as u32 } else { LACKS }
        };
        let codes: Vec<u32> = own.iter().map(code).collect();
        let table = Buffer::of(&self.device.driver, &bytes_of(&codes, u32::to_le_bytes))?;
        let found = self.memory(Type::U32, &table).at(scalar.value.clone());
        let found = self.hold(found);
        let absent = Expression::binary(Binary::Equal, found.clone(), Expression::number(LACKS.into(), Type::U32));
        Ok(Code { code: Expression::binary(Binary::Add, found.cast(of), one), absent })
    }
}
