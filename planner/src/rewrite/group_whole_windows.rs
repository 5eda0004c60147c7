//! A window that says of each row what all rows of its partition come to becomes groups and a lookup.
//!
//! ```text
//! W = Window[partition k](r over all rows)(C)   →   H = BucketReduce[j in C](k(j))(r)
//!                                                   W = Collect[i in C](i, H[k(i)])
//! ```
//!
//! Nothing is put in order then. Without a partition H is one row. Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     a? = i0.a
//!     b = i0.b
//! %2 window %1 partition by a
//!   most? = max(b) over rows first to last
//! result %2
//! output b, most
//! ```
//! ```text after
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     a? = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %2 bucket_reduce
//!     key a? = i1.a
//!     most? = max(i1.b)
//! loop
//!   i2 in %1
//!   %3 collect
//!     a? = i2.a
//!     b = i2.b
//!     most? = %2[is i2.a].most
//! result %3
//! output b, most
//! ```
//!
//! Guard, and why:
//! * all functions are reductions whose frames hold the whole partition: without an order (`sum(x) over (partition by a)`)
//!   or by their bounds. A running sum is another value for each row, and beside `row_number()` the rows are put in order
//!   anyway, once.
//!
//! NULLs: rows without a value are one partition, which a part that matches NULL finds. Errors: a sum that leaves its type
//! fails where it is read, by every row, as the window did. Order: that of rows is free. It ends: there is a window less.

use super::bound::Bound;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId,
    Shape, Source, WindowCallee, WindowField,
};
use crate::types::Field;
use crate::window::{FrameBound, FrameUnit};

/// Makes groups of such windows.
pub(super) fn group_whole_windows(program: &mut Program) -> bool {
    let (mut changed, mut bound) = (false, Bound::of(program));
    for block in live_blocks(program) {
        while let Some(at) = bound.next(find(program, block)) {
            group(program, block, at);
            changed = true;
        }
    }
    changed
}

fn find(program: &Program, block: BlockId) -> Option<usize> {
    program.block(block).lets.iter().position(|each| {
        let Let::Window { order, functions, .. } = each else { return false };
        functions.iter().all(|field| is_whole(field, order.is_empty()))
    })
}

/// Whether a field is what all rows of a partition come to; without an order they are all peers.
pub(super) fn is_whole(field: &WindowField, all_peers: bool) -> bool {
    let frame = field.frame;
    let peers = |bound| bound == FrameBound::Current && frame.unit != FrameUnit::Rows && all_peers;
    matches!(field.function, WindowCallee::Aggregate(_))
        && (frame.start == FrameBound::First || peers(frame.start))
        && (frame.end == FrameBound::Last || peers(frame.end))
}

fn group(program: &mut Program, block: BlockId, at: usize) {
    let Let::Window { define, input, partition, functions, .. } = program.block(block).lets[at].clone() else { return };
    let index = program.add_index();
    let columns = columns(program, input, index);
    let aggregates: Vec<Aggregate> = functions.iter().map(|field| aggregate(field, &columns)).collect();
    let key: Vec<ScalarId> = partition.iter().map(|&field| columns[field as usize]).collect();
    let keys = key.len() as u32;
    let all = &program.collection(define).fields;
    let added = all[columns.len()..].iter().cloned();
    let fields: Vec<Field> = partition.iter().map(|&field| all[field as usize].clone()).chain(added).collect();
    let (shape, generator) = match partition[..] {
        [] => (Shape::Single, Generator::Reduce { condition: Vec::new(), aggregates }),
        _ => (Shape::Groups { keys }, Generator::BucketReduce { condition: Vec::new(), key, aggregates }),
    };
    let groups = program.add_collection(fields, shape);
    let made = over_rows(vec![groups], index, input, generator);
    let index = program.add_index();
    let mut value = self::columns(program, input, index);
    let probe = |&field: &u32| KeyPart { scalar: value[field as usize], null_matches: true };
    let probe: Vec<KeyPart> = partition.iter().map(probe).collect();
    value.extend((keys..).zip(&functions).map(|(field, function)| {
        let read = match partition[..] {
            [] => Scalar::Single { collection: groups, field },
            _ => Scalar::Lookup { collection: groups, key: probe.clone(), field },
        };
        program.scalars.intern(read, function.data_type)
    }));
    let asked = over_rows(vec![define], index, input, Generator::Collect { condition: Vec::new(), value });
    program.blocks[block.0 as usize].lets.splice(at..=at, [made, asked]);
}

/// A field that is an aggregate, as one of rows with these columns.
pub(super) fn aggregate(field: &WindowField, columns: &[ScalarId]) -> Aggregate {
    let WindowCallee::Aggregate(reduction) = &field.function else { unreachable!("it is an aggregate") };
    let arguments = field.arguments.iter().map(|&field| columns[field as usize]).collect();
    Aggregate::new(reduction.clone(), arguments, field.data_type)
}

/// The fields of a collection's rows, as an index shows them.
pub(super) fn columns(program: &mut Program, of: CollectionId, index: IndexId) -> Vec<ScalarId> {
    let types: Vec<_> = program.collection(of).fields.iter().map(|field| field.data_type).collect();
    (0..).zip(types).map(|(field, data_type)| program.scalars.column(index, field, data_type)).collect()
}

/// A loop over rows.
pub(super) fn over_rows(defines: Vec<CollectionId>, index: IndexId, over: CollectionId, generator: Generator) -> Let {
    let nest = vec![Index { id: index, source: Source::Rows(over) }];
    Let::Loop { defines, multiloop: Multiloop { nest, generators: vec![generator] } }
}
