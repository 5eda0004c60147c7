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
//! Where neither side can be NULL, `exists K[h(i)]` alone, and then of several equalities, too. Equalities across among the
//! conditions become parts of both keys: N is then one row a group. Source: SQL's IN (SQL:2023, part 2, 8.9). An example:
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
//! * the Reduce's conditions read inner indices only, or are equalities across, and so does one side of each equality, the
//!   other none of them: otherwise the rows are not the same for every outer row of a key;
//! * nothing in the block may fail or is volatile: it is now evaluated even if no outer row asks (a program that may speculate
//!   evaluates what may fail);
//! * of several equalities no side can be NULL: which of several parts is NULL in which row is more than counts tell.
//!
//! NULLs: a match is TRUE. Without one, a comparison with NULL leaves the answer open: with the outer value if there is
//! any row, with an inner one if it is there. Errors: none, by the guard. Joins: the inner nest is kept as it is.

use crate::function::Function;
use crate::multiloop::{Generator, KeyPart, Program, Scalar, ScalarId, Shape};
use crate::rewrite::machinery::nested_any::{NestedAny, Numbers, each_nested_any};
use crate::types::{DataType, Field};

/// Asks for keys instead of comparing with every row.
pub(super) fn any_equal_to_exists(program: &mut Program) -> bool {
    each_nested_any(program, find, replace)
}

/// The inner and the outer side of each equality.
fn find(program: &Program, any: &NestedAny) -> Option<Vec<(ScalarId, ScalarId)>> {
    let equalities = match program.scalars.get(any.argument) {
        Scalar::Call { function: Function::And, arguments } => arguments.clone(),
        _ => vec![any.argument],
    };
    let sides = equalities.into_iter().map(|id| match any.comparison(program, id)? {
        (Function::Equal, inner, outer) => Some((inner, outer)),
        _ => None,
    });
    let sides: Vec<(ScalarId, ScalarId)> = sides.collect::<Option<_>>()?;
    let sure = |&(inner, outer): &(ScalarId, ScalarId)| !any.is_nullable(inner) && !any.is_nullable(outer);
    (sides.len() == 1 || sides.iter().all(sure)).then_some(sides)
}

/// What is asked in place of the block: TRUE where there is a match; else NULL if NULLs leave it open; else FALSE.
fn replace(program: &mut Program, any: &NestedAny, sides: Vec<(ScalarId, ScalarId)>) -> Numbers {
    let inner: Vec<ScalarId> = sides.iter().map(|&(inner, _)| inner).collect();
    let mut fields = any.key_fields(program);
    for (number, &id) in inner.iter().enumerate() {
        let name = any.name(program, id, any.key.len() + number);
        fields.push(Field::new(name, program.scalars.data_type(id), any.is_nullable(id)));
    }
    let keys = program.add_collection(fields.clone(), Shape::Groups { keys: fields.len() as u32 });
    let outer = sides.iter().map(|&(_, scalar)| KeyPart { scalar, null_matches: false });
    let probe = any.probe().into_iter().chain(outer).collect();
    let exists = program.scalars.intern(Scalar::Exists { collection: keys, key: probe }, DataType::Boolean);
    let generator = Generator::BucketReduce {
        condition: any.condition.clone(),
        key: any.inner_key().into_iter().chain(inner).collect(),
        aggregates: Vec::new(),
    };
    let mut numbers = Numbers { defines: vec![keys], generators: vec![generator], answer: exists };
    let (inner, outer) = sides[0];
    if sides.iter().any(|&(inner, outer)| any.is_nullable(inner) || any.is_nullable(outer)) {
        let reductions = any.counts(inner, outer);
        let counts = numbers.reduce(program, any, &reductions);
        numbers.answer = any.three_valued(program, exists, &counts, inner, outer);
    }
    numbers
}
