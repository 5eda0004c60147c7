//! ANY of a comparison by order as a question for the extreme: some value is less than x if the least one is.
//!
//! ```text
//! G[i …](… Reduce[j …](c(j))(any(g(j) < h(i))) …)
//!     →   N = Reduce[j …](c(j))(min(g(j)), count_rows(), count(g(j)))
//!         G[i …](… case when N.extreme < h(i) then true
//!                       when h(i) is null and N.rows > 0 or N.values < N.rows then null
//!                       else false end …)
//! ```
//!
//! `>` asks the greatest value, and `x < ALL` is `NOT x >= ANY` by the time it gets here (`simplify`). Equalities across
//! among the conditions become a key: N is then one row a group. Source: SQL's quantified comparison (SQL:2023, part 2,
//! 8.9). An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.k = i0.a
//!           value = any(i1.x < i0.a)
//!       result %3
//!     if NOT b0.value
//!     a = i0.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     key k? = i0.k
//!     extreme? = min(i0.x)
//! loop
//!   i1 in %0
//!   %3 collect
//!     if NOT case(%2[i1.a].extreme < i1.a, TRUE, FALSE)
//!     a = i1.a
//! result %3
//! output a
//! ```
//!
//! Guard, and why: that of `nested_any`; it is one comparison by order, of an inner and an outer side: of two
//! (`any(u.x < t.a and u.y < t.b)`) the extremes may be in different rows.
//!
//! NULLs: min and max leave them out; without any value the extreme is NULL and nothing is found. What they leave open is
//! told by counts, as of IN. NaN is the greatest value to comparisons as to max. Errors: none, by the guard. Joins: the
//! inner nest is kept as it is.

use crate::function::Function;
use crate::multiloop::{Aggregate, Program, Reduction, ScalarId};
use crate::rewrite::machinery::nested_any::{NestedAny, Numbers, each_nested_any};
use crate::types::DataType;

/// Asks for extremes instead of comparing with every row.
pub(super) fn any_less_to_extreme(program: &mut Program) -> bool {
    each_nested_any(program, find, replace)
}

/// A comparison by order, the inner side and the outer one.
type Comparison = (Function, ScalarId, ScalarId);

fn find(program: &Program, any: &NestedAny) -> Option<Comparison> {
    let found = any.comparison(program, any.argument)?;
    let by_order = matches!(found.0, Function::Less | Function::LessEqual | Function::Greater | Function::GreaterEqual);
    (by_order && program.scalars.data_type(found.1) != DataType::Null).then_some(found)
}

fn replace(program: &mut Program, any: &NestedAny, (function, inner, outer): Comparison) -> Numbers {
    let least = matches!(function, Function::Less | Function::LessEqual);
    let reduction = if least { Reduction::Min } else { Reduction::Max };
    let extreme = Aggregate::new(reduction, vec![inner], program.scalars.data_type(inner));
    let mut aggregates = vec![("extreme", extreme)];
    aggregates.extend(any.counts(inner, outer));
    let mut numbers = Numbers { defines: Vec::new(), generators: Vec::new(), answer: any.argument };
    let values = numbers.reduce(program, any, &aggregates);
    let found = program.scalars.call(function, vec![values[0], outer], DataType::Boolean);
    numbers.answer = any.three_valued(program, found, &values[1..], inner, outer);
    numbers
}
