//! Recognises blocks that are an EXISTS: one loop that reduces to `any(true)`.

use crate::multiloop::{BlockId, Generator, Let, Multiloop, Program, ScalarId};

/// The loop and the conditions of a block that is an EXISTS.
pub(in crate::rewrite) fn exists_loop(program: &Program, id: BlockId) -> Option<(&Multiloop, &[ScalarId])> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let [aggregate] = &aggregates[..] else { return None };
    (*define == block.result && aggregate.is_any_true(&program.scalars)).then_some((multiloop, condition))
}
