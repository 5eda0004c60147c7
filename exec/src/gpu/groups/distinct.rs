//! DISTINCT arguments: of the tuples of a group that have one argument, the first that comes is folded in. Which one that is does not
//! matter, since nothing else of it is.
//!
//! A pair of group and argument is a code: the group's code or slot, times the codes of arguments, and the argument's; or its slot in
//! a hash table of arguments, where such codes had more than 63 bits. All pairs that came are bits, where there are few codes for
//! the tuples, else slots of a hash table.

use super::fold::{Fold, Groups, word};
use super::slots::Slots;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::lower::Lowering;
use crate::gpu::lower::scalars::Scalar;
use crate::gpu::stop::{Done, decline};
use crate::plan::aggregate::AggregateKind;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::register::Register;
use multiloop_planner::multiloop::Reduction;
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// Codes up to which bits are always good.
const NEAR: u64 = 1 << 26;

/// Codes of a tuple up to which bits take no more memory than slots.
const CODES_EACH: u64 = 128;

/// Codes that bits are for, at most: 8 GiB.
const CODES_MAX: u64 = 1 << 36;

/// Whether an aggregate of distinct arguments is of a kind that is known here.
pub(super) fn check_distinct(kind: &AggregateKind) -> Done<()> {
    let is_known = match (&kind.reduction, kind.argument) {
        (Reduction::Count, Some((of, Register::Text))) => of != DataType::Numeric,
        (Reduction::Count, Some((_, Register::Bool | Register::I32 | Register::I64))) => true,
        (Reduction::Sum, Some((_, Register::I32 | Register::I64))) => true,
        _ => false,
    };
    let has_codes = kind.argument.is_some_and(|(_, register)| register == Register::Text)
        || KeyLayout::new(vec![domain_of(kind)]).codes().is_some_and(|codes| codes <= 1 << 63);
    match (is_known, has_codes) {
        (true, true) => Ok(()),
        (true, false) => decline("a distinct aggregate of all 64 bits"),
        _ => decline("a distinct aggregate"),
    }
}

/// The arguments, as far as the plan knows them.
fn domain_of(kind: &AggregateKind) -> PartDomain {
    match (kind.grid, kind.argument) {
        (Some(grid), Some((_, Register::I32 | Register::I64))) => PartDomain::Integer(grid),
        (_, Some((of, _))) => PartDomain::of_type(of),
        (_, None) => PartDomain::integers(0, 0),
    }
}

impl Fold<'_> {
    /// Whether the argument at hand, which is not NULL, is the first of its kind in the group.
    pub(super) fn is_first(
        &self,
        to: &mut Lowering<'_>,
        at: usize,
        (group, argument): (&Expression, &Scalar),
    ) -> Done<Expression> {
        let aggregate = &self.plan.aggregates[at];
        let Some(Groups::Table { table, .. }) = &self.made else { return decline("bug: no table") };
        if argument.carried.is_some() {
            return decline("a distinct text of many strings");
        }
        let layout = KeyLayout::new(vec![match &argument.dictionary {
            Some(dictionary) => PartDomain::Code(Arc::clone(dictionary)),
            None => domain_of(&aggregate.kind),
        }]);
        let Some(arguments) = layout.codes() else { return decline("a distinct aggregate of all 64 bits") };
        let code = to.code(&layout, &[(argument.clone(), true)], true)?.code.cast(Type::U64);
        let each = to.integer(arguments.into(), Type::U64);
        let may_fail = aggregate.argument.is_some_and(|argument| to.task.of.expressions.may_fail(argument));
        let mut code = match may_fail {
            true => {
                // What failed may be any number, and is a bit somewhere before anybody looks.
                let code = to.hold(code);
                let is_in = Expression::binary(Binary::Less, code.clone(), each.clone());
                Expression::select(is_in, code, Expression::number(0, Type::U64))
            }
            false => code,
        };
        let driver = Arc::clone(&to.device.driver);
        let fits = |codes: &u64| *codes <= 1 << 63;
        let (codes, each) = match table.groups.checked_mul(arguments).filter(fits) {
            Some(codes) => (codes, each),
            None => {
                let slots = Slots::new(&driver, arguments.min(self.most))?;
                code = to.fill_slot(&slots, code).cast(Type::U64);
                // Both have 31 bits at most.
                (table.groups.saturating_mul(slots.count()), to.integer(slots.count().into(), Type::U64))
            }
        };
        let first = Expression::binary(Binary::Multiply, group.clone().cast(Type::U64), each);
        let pair = to.hold(Expression::binary(Binary::Add, first, code));
        let taken = match codes <= NEAR || (codes <= CODES_MAX && codes / CODES_EACH <= self.most) {
            true => {
                let bits = Buffer::zeroed(&driver, (codes as usize / 32 + 1) * 4)?;
                let bits = to.memory(Type::U32, &bits);
                Expression::Call(Helper::TakeBit, vec![bits.address(word(0)), pair])
            }
            false => {
                let slots = Slots::new(&driver, codes.min(self.most))?;
                let array = to.memory(Type::U64, &slots.codes);
                let bits = to.number(slots.bits);
                Expression::Call(Helper::TakeSlot, vec![array.address(word(0)), bits, pair])
            }
        };
        Ok(to.hold(taken))
    }
}
