//! ANY of equalities as a question for a key: what IN is where a join cannot take its place.
//!
//! ```text
//! G[i …](… Reduce[j …](c(j))(any(g(j) = h(i))) …)
//!     →   (K, N) = [j …](c(j)) BucketReduce(g(j)), Reduce(count_rows(), count(g(j)))
//!         G[i …](… case when exists K[h(i)] then true
//!                       when h(i) is null and N.rows > 0 or N.values < N.rows then null
//!                       else false end …)
//! ```
//!
//! Where neither side can be NULL, `exists K[h(i)]` alone, and then of several equalities, too. Source: SQL's IN (SQL:2023,
//! part 2, 8.9). An example:
//!
//! ```text before
//! table %0 t(a#0 integer?)
//! table %1 u(k#0 integer, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.x > 5
//!           value? = any(i1.k = i0.a)
//!       result %3
//!     if NOT b0.value
//!     a? = i0.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer?)
//! table %1 u(k#0 integer, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     if i0.x > 5
//!     key k = i0.k
//!   %3 reduce
//!     if i0.x > 5
//!     rows = count_rows()
//!     values = count(i0.k)
//! loop
//!   i1 in %0
//!   %4 collect
//!     if NOT case(exists %2[i1.a], TRUE, is_null(i1.a) AND %3.rows > 0::bigint, NULL::boolean, FALSE)
//!     a? = i1.a
//! result %4
//! output a
//! ```
//!
//! Guard, and why:
//! * the Reduce's conditions read inner indices only, and so does one side of each equality, the other none of them:
//!   otherwise the rows are not the same for every outer row;
//! * nothing in the block may fail or is volatile: it is now evaluated even if no outer row asks;
//! * of several equalities no side can be NULL: which of several parts is NULL in which row is more than counts tell.
//!
//! NULLs: a match is TRUE. Without one, a comparison with NULL leaves the answer open: with the outer value if there is
//! any row, with an inner one if it is there. Errors: none, by the guard. Joins: the inner nest is kept as it is.

use super::conditional_reduce::key_name;
use super::substitute::Substitution;
use super::uses::{FreeIndices, nested_of};
use crate::analysis::nullability::Nullability;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Reduction, Scalar,
    ScalarId, Scalars, Shape,
};
use crate::types::{DataType, Field};
use crate::value::Value;

/// Asks for keys instead of comparing with every row.
pub(super) fn any_equal_to_exists(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let nested = nested_of(program, &program.block(block).lets[at]);
            let found = nested.into_iter().find_map(|(_, nested, _)| Some((nested, find(program, block, at, nested)?)));
            match found {
                Some((nested, site)) => {
                    replace(program, block, at, nested, site);
                    changed = true;
                }
                None => at += 1,
            }
        }
    }
    changed
}

/// A nested ANY of equalities, taken apart.
struct Site {
    nest: Vec<Index>,
    condition: Vec<ScalarId>,
    /// The inner and the outer side of each equality.
    sides: Vec<(ScalarId, ScalarId)>,
    /// Whether an inner side, and whether an outer one, can be NULL.
    inner_nullable: bool,
    outer_nullable: bool,
}

fn find(program: &Program, block: BlockId, at: usize, nested: BlockId) -> Option<Site> {
    let inner = program.block(nested);
    let [Let::Loop { defines, multiloop }] = &inner.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let [Aggregate { reduction: Reduction::Any, arguments, condition: filter, .. }] = &aggregates[..] else {
        return None;
    };
    if *define != inner.result || !filter.is_empty() || !program.block_effects(nested).is_pure() {
        return None;
    }
    let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
    let mut free = FreeIndices::default();
    let mut reads_only = |id: ScalarId| free.scalar(program, id).iter().all(|index| own.contains(index));
    let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
    if !of_nest.chain(condition.iter().copied()).all(&mut reads_only) {
        return None;
    }
    let mut free = FreeIndices::default();
    let mut reads_none = |id: ScalarId| !free.scalar(program, id).iter().any(|index| own.contains(index));
    let side = |id: ScalarId| {
        let Scalar::Call { function: Function::Equal, arguments } = program.scalars.get(id) else { return None };
        let &[a, b] = &arguments[..] else { return None };
        match (reads_only(a) && reads_none(b), reads_only(b) && reads_none(a)) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        }
    };
    let equalities = match program.scalars.get(arguments[0]) {
        Scalar::Call { function: Function::And, arguments } => arguments.clone(),
        _ => arguments.clone(),
    };
    let sides: Vec<(ScalarId, ScalarId)> = equalities.into_iter().map(side).collect::<Option<_>>()?;
    let mut nullability = Nullability::default();
    program.block(block).lets[..at].iter().for_each(|each| nullability.define(program, each));
    if let Let::Loop { multiloop: outer, .. } = &program.block(block).lets[at] {
        outer.nest.iter().for_each(|index| nullability.enter(program, index));
    }
    multiloop.nest.iter().for_each(|index| nullability.enter(program, index));
    let inner_nullable = sides.iter().any(|&(inner, _)| nullability.scalar(program, inner));
    let outer_nullable = sides.iter().any(|&(_, outer)| nullability.scalar(program, outer));
    let sure = sides.len() == 1 || (!inner_nullable && !outer_nullable);
    let (nest, condition) = (multiloop.nest.clone(), condition.clone());
    sure.then_some(Site { nest, condition, sides, inner_nullable, outer_nullable })
}

fn replace(program: &mut Program, block: BlockId, at: usize, nested: BlockId, site: Site) {
    let key: Vec<ScalarId> = site.sides.iter().map(|&(inner, _)| inner).collect();
    let named = |(number, &scalar): (usize, &ScalarId)| {
        let data_type = program.scalars.data_type(scalar);
        Field::new(key_name(program, &site.nest, scalar, number), data_type, site.inner_nullable)
    };
    let fields = key.iter().enumerate().map(named).collect();
    let keys = program.add_collection(fields, Shape::Groups { keys: key.len() as u32 });
    let outer = site.sides.iter().map(|&(_, scalar)| KeyPart { scalar, null_matches: false }).collect();
    let exists = Scalar::Exists { collection: keys, key: outer };
    let exists = program.scalars.intern(exists, DataType::Boolean);
    let (mut defines, mut generators) = (vec![keys], Vec::new());
    generators.push(Generator::BucketReduce {
        condition: site.condition.clone(),
        key: key.clone(),
        aggregates: Vec::new(),
    });
    let mut answer = exists;
    if site.inner_nullable || site.outer_nullable {
        let counts = [("rows", Reduction::CountRows, Vec::new()), ("values", Reduction::Count, vec![key[0]])];
        let fields = counts.iter().map(|(name, ..)| Field::new(*name, DataType::BigInt, false)).collect();
        let numbers = program.add_collection(fields, Shape::Single);
        let aggregates =
            counts.into_iter().map(|(_, reduction, arguments)| Aggregate::new(reduction, arguments, DataType::BigInt));
        generators.push(Generator::Reduce { condition: site.condition.clone(), aggregates: aggregates.collect() });
        defines.push(numbers);
        answer = three_valued(program, &site, exists, numbers);
    }
    let old = program.nested(nested, 0);
    let position = program.scalars.position(old);
    program.scalars.set_position(answer, position);
    let mut readers = Substitution::new();
    readers.replace_scalar(old, answer);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    lets.insert(at, Let::Loop { defines, multiloop: Multiloop { nest: site.nest, generators } });
    program.blocks[block.0 as usize].lets = lets;
}

/// TRUE where there is a match; else NULL if NULLs leave it open; else FALSE.
fn three_valued(program: &mut Program, site: &Site, exists: ScalarId, numbers: CollectionId) -> ScalarId {
    let boolean = DataType::Boolean;
    let scalars = &mut program.scalars;
    let count =
        |scalars: &mut Scalars, field| scalars.intern(Scalar::Single { collection: numbers, field }, DataType::BigInt);
    let (rows, values) = (count(scalars, 0), count(scalars, 1));
    let mut open = Vec::new();
    if site.outer_nullable {
        let zero = scalars.constant(Value::Int(0), DataType::BigInt);
        let null = scalars.call(Function::IsNull, vec![site.sides[0].1], boolean);
        let some = scalars.call(Function::Greater, vec![rows, zero], boolean);
        open.push(scalars.call(Function::And, vec![null, some], boolean));
    }
    if site.inner_nullable {
        open.push(scalars.call(Function::Less, vec![values, rows], boolean));
    }
    let open = match open[..] {
        [only] => only,
        _ => scalars.call(Function::Or, open, boolean),
    };
    let constant = |scalars: &mut Scalars, value| scalars.constant(value, boolean);
    let (yes, no) = (constant(scalars, Value::Boolean(true)), constant(scalars, Value::Boolean(false)));
    let unknown = constant(scalars, Value::Null);
    scalars.call(Function::Case, vec![exists, yes, open, unknown, no], boolean)
}
