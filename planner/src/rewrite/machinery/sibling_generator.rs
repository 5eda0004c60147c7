//! Adds a generator that traverses the rows of an existing loop: to that loop where its lookups allow, else as a loop of its
//! own.

use super::dependencies::{Definition, definitions};
use super::substitute::Substitution;
use crate::multiloop::uses::collections_read;
use crate::multiloop::{BlockId, CollectionId, Generator, Index, Let, Multiloop, Program};

/// Whether generators look up nothing that is made at a place of a block, or behind it.
pub(in crate::rewrite) fn read_only_what_is_before(
    program: &Program,
    generators: &[Generator],
    block: BlockId,
    at: usize,
) -> bool {
    let asked = Multiloop { nest: Vec::new(), generators: generators.to_vec() };
    let read = collections_read(program, &Let::Loop { defines: Vec::new(), multiloop: asked });
    let made = definitions(program);
    let is_before = |made: Definition| made.block != block || made.at < at;
    read.into_iter().all(|id| made[id.0 as usize].is_none_or(is_before))
}

/// Adds a generator to the loop that makes something, or, if it looks up what is made there or behind it, to a loop like that in
/// front of its reader, which then stands one place further behind.
pub(in crate::rewrite) fn add_sibling_generator(
    program: &mut Program,
    made: Definition,
    reader: usize,
    define: CollectionId,
    generator: Generator,
) {
    let is_beside = read_only_what_is_before(program, std::slice::from_ref(&generator), made.block, made.at);
    let Let::Loop { defines, multiloop } = &mut program.blocks[made.block.0 as usize].lets[made.at] else {
        unreachable!("a loop makes it")
    };
    if is_beside {
        defines.push(define);
        multiloop.generators.push(generator);
    } else {
        let nest = multiloop.nest.clone();
        let each = loop_of_its_own(program, define, nest, generator);
        program.blocks[made.block.0 as usize].lets.insert(reader, each);
    }
}

/// A loop over a nest that another loop has, too.
fn loop_of_its_own(program: &mut Program, define: CollectionId, mut nest: Vec<Index>, generator: Generator) -> Let {
    let mut renaming = Substitution::new();
    for index in &mut nest {
        let to = program.add_index();
        renaming.rename_index(index.id, to);
        index.id = to;
    }
    let mut each = Let::Loop { defines: vec![define], multiloop: Multiloop { nest, generators: vec![generator] } };
    renaming.definition(program, &mut each);
    each
}
