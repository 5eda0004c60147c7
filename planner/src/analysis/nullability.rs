//! Whether a scalar can be NULL. "No" is a proof; "yes" is only a possibility.
//!
//! The claim `nullable: false` on a field of a collection rests on this analysis, and the verifier checks it.
//! It goes by the claims on what a scalar reads, so it needs no more than one look at each scalar. Whoever walks
//! a program tells it the indices and the bucket reductions on the way, before their readers.

use crate::function::{ArrayFunction, Function, JsonFunction, RowFunction};
use crate::multiloop::reduction::{Identity, Properties, State};
use crate::multiloop::{Aggregate, CollectionId, Generator, Index, IndexId, Let, Program, Scalar, ScalarId, Scalars};
use crate::types::DataType;
use rustc_hash::FxHashMap;

/// What is known so far.
#[derive(Clone, Debug, Default)]
pub struct Nullability {
    columns: FxHashMap<IndexId, Vec<bool>>,
    lookups: FxHashMap<CollectionId, Vec<bool>>,
    memo: FxHashMap<ScalarId, bool>,
}

impl Nullability {
    /// Takes note of an index, whose columns may be read from here on.
    pub fn enter(&mut self, program: &Program, index: &Index) {
        let columns = program.source_fields(&index.source).iter().map(|field| field.nullable).collect();
        self.columns.insert(index.id, columns);
    }

    /// Takes note of the indices in front of one that has a rest: whatever reads them behind it may see them on no row.
    pub fn enter_rest(&mut self, earlier: &[Index]) {
        for index in earlier {
            self.columns.entry(index.id).and_modify(|columns| columns.fill(true));
        }
        self.memo.clear();
    }

    /// Takes note of a let, whose groups may be looked up from here on.
    pub fn define(&mut self, program: &Program, each: &Let) {
        let Let::Loop { defines, multiloop } = each else { return };
        for (&define, generator) in defines.iter().zip(&multiloop.generators) {
            let Generator::BucketReduce { key, aggregates, .. } = generator else { continue };
            // Where there is no group, a lookup gives what the reduction gives for no rows.
            let mut fields = vec![true; key.len()];
            fields.extend(aggregates.iter().map(|aggregate| self.aggregate(program, aggregate, false)));
            self.lookups.insert(define, fields);
        }
    }

    /// Whether an aggregate can be NULL. `has_rows`: it is known to be over at least one row (a group's field, read
    /// as a row and not by a lookup).
    pub fn aggregate(&mut self, program: &Program, aggregate: &Aggregate, has_rows: bool) -> bool {
        let Properties { identity, state, .. } = aggregate.reduction.properties();
        match (identity, state) {
            (Identity::Zero, _) => false,
            (Identity::Boolean(_), _) => self.scalar(program, aggregate.arguments[0]),
            (Identity::Null, State::Sum | State::Value) => {
                !has_rows || !aggregate.condition.is_empty() || self.scalar(program, aggregate.arguments[0])
            }
            (Identity::Null | Identity::Nothing, _) => true,
        }
    }

    /// Whether a scalar can be NULL. Columns of indices that have not been entered can.
    pub fn scalar(&mut self, program: &Program, id: ScalarId) -> bool {
        if let Some(&known) = self.memo.get(&id) {
            return known;
        }
        let known = match program.scalars.get(id) {
            Scalar::Column { index, field } => {
                self.columns.get(index).and_then(|columns| columns.get(*field as usize)).copied().unwrap_or(true)
            }
            Scalar::Constant(value) => value.is_null(),
            Scalar::Parameter(_) => true,
            // Of infinity there is no such integer.
            Scalar::Call { function: Function::Extract(_), .. } if program.scalars.data_type(id).is_integer() => true,
            // Infinity has no time of day.
            Scalar::Call { function: Function::Cast | Function::AssignCast, arguments }
                if (program.scalars.data_type(arguments[0]), program.scalars.data_type(id))
                    == (DataType::Timestamp, DataType::Time) =>
            {
                true
            }
            Scalar::Call { function, arguments } => self.call(program, *function, arguments),
            Scalar::Lookup { collection, field, .. } => {
                let fields = self.lookups.get(collection);
                fields.and_then(|fields| fields.get(*field as usize)).copied().unwrap_or(true)
            }
            Scalar::Exists { .. } => false,
            Scalar::Element { collection, row, field } => {
                program.collection(*collection).fields[*field as usize].nullable || self.scalar(program, *row)
            }
            Scalar::Single { collection, field } => program.collection(*collection).fields[*field as usize].nullable,
            Scalar::Nested { block, field } => {
                let result = program.block(*block).result;
                program.collection(result).fields[*field as usize].nullable
            }
        };
        self.memo.insert(id, known);
        known
    }

    fn call(&mut self, program: &Program, function: Function, arguments: &[ScalarId]) -> bool {
        use ArrayFunction as A;
        use Function as F;
        use JsonFunction as J;
        match function {
            F::IsDistinct | F::IsNotDistinct | F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse => false,
            F::ConcatSkipNull | F::Random | F::Clock => false,
            F::Coalesce | F::Greatest | F::Least => arguments.iter().all(|&id| self.scalar(program, id)),
            F::NullIf => true,
            F::Array(A::Make | A::MakeOfArrays | A::Append | A::Prepend, _)
            | F::Json(J::Object | J::Array | J::Row)
            | F::Row(RowFunction::Make) => false,
            each if each.makes_null() => true,
            // The month of `infinity`.
            F::Extract(part) if part.is_cyclic() && is_calendar(program.scalars.data_type(arguments[0])) => true,
            // NaN and infinities have no digits.
            F::Scale | F::MinScale => true,
            // The name may be of such a field.
            F::PartNamed => true,
            // Conditions may be NULL, values may not.
            F::Case => case_values(arguments).any(|id| self.scalar(program, id)),
            _ => arguments.iter().any(|&id| self.scalar(program, id)),
        }
    }
}

/// Whether values of a type may be infinite.
fn is_calendar(data_type: DataType) -> bool {
    matches!(data_type, DataType::Date | DataType::Timestamp)
}

/// The values of a CASE among its arguments `[condition, value]* else`.
fn case_values(arguments: &[ScalarId]) -> impl Iterator<Item = ScalarId> + '_ {
    let last = arguments.len().saturating_sub(1);
    arguments.iter().enumerate().filter(move |(at, _)| at % 2 == 1 || *at == last).map(|(_, &id)| id)
}

/// Whether a function can make NULL of arguments that are not; `Scalars` is not asked, the function alone decides.
pub fn is_strict(function: Function) -> bool {
    use Function as F;
    !function.sees_nulls()
        && !matches!(
            function,
            F::IsDistinct
                | F::IsNotDistinct
                | F::IsNull
                | F::IsNotNull
                | F::IsTrue
                | F::IsFalse
                | F::And
                | F::Or
                | F::Case
                | F::Coalesce
                | F::NullIf
                | F::Greatest
                | F::Least
                | F::InList
                | F::ConcatSkipNull
                | F::ConcatWithSeparator
                | F::Random
                | F::Clock
        )
}

/// Whether a scalar is NULL whenever this other one is: it stands below strict functions only.
pub fn null_propagates(scalars: &Scalars, from: ScalarId, to: ScalarId) -> bool {
    null_below(scalars, to, &|id| id == from)
}

/// Whether a scalar is NULL where the scalars that `is_null` names are: one of them stands below strict functions only.
pub fn null_below(scalars: &Scalars, id: ScalarId, is_null: &impl Fn(ScalarId) -> bool) -> bool {
    is_null(id)
        || matches!(scalars.get(id), Scalar::Call { function, arguments }
            if is_strict(*function) && arguments.iter().any(|&argument| null_below(scalars, argument, is_null)))
}
