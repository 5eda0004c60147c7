//! Aggregates of groups, put together from those of smaller groups: which can be, and how.
//!
//! ```text
//! count(*), sum(x), avg(x), min(x) by k   =   sum(c), sum(s), sum(s) / sum(n), min(m) by k
//!                                             over  c = count(*), s = sum(x), n = count(x), m = min(x) by k, l
//! ```
//!
//! Source: the decomposable aggregates of eager aggregation (Yan and Larson, "Eager aggregation and lazy aggregation", 1995).

use crate::function::Function;
use crate::relation::effects::average_sum_type;
use crate::relation::{AggregateCall, AggregateFunction, ColumnId, Columns, Expression};
use crate::types::DataType;
use crate::value::Value;

/// Aggregates in two steps, all of which [`is_mergeable`] allows.
pub(crate) struct MergedAggregates {
    /// Those of the smaller groups.
    pub(crate) parts: Vec<(ColumnId, AggregateCall)>,
    /// What puts these together.
    pub(crate) merges: Vec<(ColumnId, AggregateCall)>,
    /// What the aggregates are that were asked for.
    pub(crate) shown: Vec<(ColumnId, Shown)>,
}

/// What an aggregate is made of.
pub(crate) enum Shown {
    Same(ColumnId),
    Count(ColumnId),
    /// A sum and a count.
    Average(ColumnId, ColumnId),
}

impl MergedAggregates {
    pub(crate) fn new(aggregates: Vec<(ColumnId, AggregateCall)>, columns: &mut Columns) -> Self {
        let mut all = MergedAggregates { parts: Vec::new(), merges: Vec::new(), shown: Vec::new() };
        for (id, call) in aggregates {
            use AggregateFunction as A;
            let shown = match call.function {
                A::CountRows | A::Count => Shown::Count(all.add(call, A::Sum, columns)),
                A::Average => {
                    let sum_type = call.argument.as_ref().map_or(call.data_type, |of| average_sum_type(of.data_type));
                    let sum = AggregateCall { function: A::Sum, data_type: sum_type, ..call.clone() };
                    let count = AggregateCall { function: A::Count, data_type: DataType::BigInt, ..call };
                    Shown::Average(all.add(sum, A::Sum, columns), all.add(count, A::Sum, columns))
                }
                function => Shown::Same(all.add(call, function, columns)),
            };
            all.shown.push((id, shown));
        }
        all
    }

    /// Adds one of smaller groups and what puts it together; gives the column of that.
    fn add(&mut self, call: AggregateCall, function: AggregateFunction, columns: &mut Columns) -> ColumnId {
        let nullable = !call.is_count();
        let part = columns.add("part", call.data_type, nullable);
        let made = columns.add("aggregate", call.data_type, nullable);
        let argument = Some(columns.reference(part));
        let data_type = call.data_type;
        self.parts.push((part, call));
        self.merges.push((made, AggregateCall { function, argument, distinct: false, filter: None, data_type }));
        made
    }
}

impl Shown {
    /// The aggregate; `padded` if there may be groups of no rows, of which all columns are NULL.
    pub(crate) fn value(self, columns: &Columns, padded: bool) -> Expression {
        match self {
            Shown::Same(made) => columns.reference(made),
            Shown::Count(made) => {
                let counted = columns.reference(made);
                let data_type = counted.data_type;
                let zero = Expression::constant(Value::Int(0), data_type);
                if padded { Expression::call(Function::Coalesce, vec![counted, zero], data_type) } else { counted }
            }
            Shown::Average(sum, count) => {
                let parts = vec![columns.reference(sum), columns.reference(count)];
                Expression::call(Function::Average, parts, DataType::Numeric)
            }
        }
    }
}

/// Whether aggregates of groups give that of all their rows, the same to the last digit.
pub(crate) fn is_mergeable(call: &AggregateCall) -> bool {
    use AggregateFunction as A;
    let is_exact = call
        .argument
        .as_ref()
        .is_none_or(|of| of.data_type.is_integer() || of.data_type.is_decimal() || of.data_type == DataType::Numeric);
    let merges = match call.function {
        A::CountRows | A::Count | A::Min | A::Max | A::BoolAnd | A::BoolOr => true,
        A::Sum => is_exact,
        A::Average => is_exact && call.data_type == DataType::Numeric,
        _ => false,
    };
    merges && !call.distinct
}
