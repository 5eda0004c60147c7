//! Key pruning: a part of a group key that the other parts determine is no key but the value of any row.
//!
//! ```text
//! H = BucketReduce[nest](c)(k, d)(f)(r), k determines d   →   H = BucketReduce[nest](c)(k)(f, d)(r, first)
//! ```
//!
//! Source: functional dependencies in grouping, as SQL:1999 defines them. An example (the unique column is a matter
//! of statistics, which the text form has not; groups have unique keys as well):
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//!     least? = min(i0.b)
//! loop
//!   i1 in %1
//!   %2 bucket_reduce
//!     key least? = i1.least
//!     key a = i1.a
//!     rows = count_rows()
//! loop
//!   i2 in %2
//!   %3 collect
//!     least? = i2.least
//!     rows = i2.rows
//! result %3
//! output least, rows
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//!     least? = min(i0.b)
//! loop
//!   i1 in %1
//!   %2 bucket_reduce
//!     key a = i1.a
//!     rows = count_rows()
//!     least? = first(i1.least)
//! loop
//!   i2 in %2
//!   %3 collect
//!     least? = i2.least
//!     rows = i2.rows
//! result %3
//! output least, rows
//! ```
//!
//! Guard, and why:
//! * the kept parts determine the part (`dependencies` says how that is proven); without that
//!   `group by o_custkey, o_orderdate` would lose groups;
//! * the groups are read as rows only, in their own block: a lookup has to give the whole key.
//!
//! Of several parts that determine each other the narrowest are kept. NULLs: `first` keeps a NULL, and keys are
//! equal as keys are. Errors: the part is evaluated for the same rows. Joins: a row that a left join did not find
//! is determined only by the key that it was looked for with.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{Use, collection_uses};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, IndexId, Let, Program, Reduction, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::Dependencies;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;

/// Takes determined parts out of group keys.
pub(super) fn prune_group_keys(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some((generator, kept)) = limit.next(find(program, block, at)) {
                prune(program, block, at, generator, &kept);
                changed = true;
            }
        }
    }
    changed
}

/// A generator of a let, and which parts of its key are kept, if not all.
fn find(program: &Program, block: BlockId, at: usize) -> Option<(usize, Vec<bool>)> {
    let lets = &program.block(block).lets;
    let Let::Loop { defines, multiloop } = &lets[at] else { return None };
    if !multiloop.generators.iter().any(|each| matches!(each, Generator::BucketReduce { key, .. } if key.len() > 1)) {
        return None;
    }
    let (uses, dependencies) = (collection_uses(program), Dependencies::of(program));
    for (number, (define, generator)) in defines.iter().zip(&multiloop.generators).enumerate() {
        let Generator::BucketReduce { key, .. } = generator else { continue };
        let readers = readers(lets, *define).len() as u32;
        if key.len() < 2 || uses[define.0 as usize] != (Use { rows: readers, ..Use::default() }) {
            continue;
        }
        let mut kept = vec![true; key.len()];
        let mut order: Vec<usize> = (0..key.len()).collect();
        order.sort_by_key(|&part| std::cmp::Reverse(width(program.scalars.data_type(key[part]))));
        for part in order {
            kept[part] = false;
            let rest: Vec<ScalarId> = key.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(&id, _)| id).collect();
            kept[part] = rest.is_empty() || !dependencies.determine(&multiloop.nest, &rest, key[part]);
        }
        if kept.contains(&false) {
            return Some((number, kept));
        }
    }
    None
}

/// How much a key of this type costs, roughly.
fn width(data_type: DataType) -> u32 {
    match data_type {
        DataType::Boolean => 1,
        DataType::SmallInt => 2,
        DataType::Integer | DataType::Date => 4,
        DataType::BigInt => 5,
        DataType::Time | DataType::Timestamp => 8,
        DataType::Decimal { .. } | DataType::Interval => 16,
        DataType::Real | DataType::Double => 17,
        _ => 32,
    }
}

/// The indices that go over the rows of a collection: which let, which index.
fn readers(lets: &[Let], collection: CollectionId) -> Vec<(usize, IndexId)> {
    let mut found = Vec::new();
    for (at, each) in lets.iter().enumerate() {
        let Let::Loop { multiloop, .. } = each else { continue };
        let over = multiloop.nest.iter().filter(|index| index.source == Source::Rows(collection));
        found.extend(over.map(|index| (at, index.id)));
    }
    found
}

fn prune(program: &mut Program, block: BlockId, at: usize, number: usize, kept: &[bool]) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[at] else { unreachable!("find has seen a loop") };
    let Generator::BucketReduce { key, aggregates, .. } = &mut multiloop.generators[number] else {
        unreachable!("find has seen a BucketReduce")
    };
    let old = defines[number];
    let fields = program.collection(old).fields.clone();
    // The old fields in their new order: kept keys, aggregates, the keys that are none any more.
    let (keys, values) = (0..fields.len()).partition::<Vec<usize>, _>(|&field| field < kept.len() && kept[field]);
    let (pruned, values) = values.into_iter().partition::<Vec<usize>, _>(|&field| field < kept.len());
    let order: Vec<usize> = keys.iter().chain(&values).chain(&pruned).copied().collect();
    for &part in &pruned {
        let data_type = fields[part].data_type;
        aggregates.push(Aggregate::new(Reduction::First, vec![key[part]], data_type));
    }
    *key = keys.iter().map(|&part| key[part]).collect();
    let shape = Shape::Groups { keys: keys.len() as u32 };
    let groups = program.add_collection(order.iter().map(|&field| fields[field].clone()).collect(), shape);
    defines[number] = groups;
    for (reader, index) in readers(&lets, old) {
        let to = program.add_index();
        let mut columns = Vec::with_capacity(fields.len());
        for (field, of) in fields.iter().enumerate() {
            let position = order.iter().position(|&old| old == field).expect("every field has a place");
            columns.push(program.scalars.column(to, position as u32, of.data_type));
        }
        let mut substitution = Substitution::new();
        substitution.replace_index(index, columns);
        substitution.definition(program, &mut lets[reader]);
        let Let::Loop { multiloop, .. } = &mut lets[reader] else { unreachable!("only loops have indices") };
        for each in multiloop.nest.iter_mut().filter(|each| each.id == index) {
            (each.id, each.source) = (to, Source::Rows(groups));
        }
    }
    program.blocks[block.0 as usize].lets = lets;
}
