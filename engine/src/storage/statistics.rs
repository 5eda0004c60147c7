//! What checkpoints keep of the columns of tables: what plans rest on, of their values as they are stored.
//!
//! A column that has codes of a domain has statistics of these: of its values the same is true as far as it does not depend on what
//! they are. Bounds are those of the domain then, which has all of them.

use crate::catalog::StoredTable;
use multiloop_planner::catalog::{ColumnStatistics, Estimates, Proofs};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A value that bounds others: JSON has no name for some floats, and not all readers have room for long integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Bound {
    B(bool),
    I(i64),
    /// The bits of a float.
    F(u64),
    /// The digits of an unscaled decimal.
    D(String),
    T(Arc<str>),
}

impl Bound {
    fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Boolean(value) => Bound::B(*value),
            Value::Int(value) => Bound::I(*value),
            Value::Float(value) => Bound::F(value.to_bits()),
            Value::Decimal(value) => Bound::D(value.to_string()),
            Value::Text(value) => Bound::T(Arc::clone(value)),
            Value::Null | Value::Numeric(_) | Value::Interval(_) | Value::Vector(_) => return None,
        })
    }

    fn value(&self) -> Option<Value> {
        Some(match self {
            Bound::B(value) => Value::Boolean(*value),
            Bound::I(value) => Value::Int(*value),
            Bound::F(bits) => Value::Float(f64::from_bits(*bits)),
            Bound::D(digits) => Value::Decimal(digits.parse().ok()?),
            Bound::T(text) => Value::Text(Arc::clone(text)),
        })
    }
}

/// What is known of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptColumn {
    /// What it is stored as, if that is another type than it was declared with: numerics that are decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data_type: Option<DataType>,
    nulls: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bounds: Option<(Bound, Bound)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
    /// Whether it is unique, unique but for NULLs, sorted, clustered.
    holds: (bool, bool, bool, bool),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distinct: Option<u64>,
    bytes: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    common: Vec<(Bound, f64)>,
}

impl KeptColumn {
    fn of(stored: &ColumnStatistics, data_type: Option<DataType>, values: Option<&ColumnStatistics>) -> Self {
        let Proofs { nulls, unique, unique_values, sorted, clustered, .. } = stored.proofs;
        let bounded = values.map_or(&stored.proofs, |values| &values.proofs);
        let bound = |value: &Option<Value>| value.as_ref().and_then(Bound::of);
        // Codes are in the order of their values where those of the domain are.
        let sorted = sorted && values.is_none_or(|values| values.proofs.sorted);
        let of_values = |(value, share): &(Value, f64)| Some((Bound::of(value)?, *share));
        let common = match values {
            None => stored.estimates.common.iter().filter_map(of_values).collect(),
            Some(_) => Vec::new(),
        };
        let bytes = values.unwrap_or(stored).estimates.average_bytes;
        KeptColumn {
            data_type,
            nulls,
            bounds: bound(&bounded.min).zip(bound(&bounded.max)),
            step: bounded.step,
            holds: (unique, unique_values, sorted, clustered),
            distinct: stored.estimates.distinct,
            bytes: if bytes.is_finite() { bytes } else { 0.0 },
            common,
        }
    }

    /// As a table has it.
    pub(super) fn statistics(&self) -> ColumnStatistics {
        let (min, max) = match &self.bounds {
            Some((min, max)) => (min.value(), max.value()),
            None => (None, None),
        };
        let (unique, unique_values, sorted, clustered) = self.holds;
        let step = self.step.filter(|_| min.is_some());
        let proofs =
            Proofs { nulls: self.nulls, min, max, step, unique, unique_values, sorted, clustered, conjecture: None };
        let common = self.common.iter().filter_map(|(value, share)| Some((value.value()?, *share))).collect();
        let estimates =
            Estimates { distinct: self.distinct, average_bytes: self.bytes, common, ..Estimates::default() };
        ColumnStatistics { proofs, estimates }
    }
}

/// What is known of the columns of a table.
pub(super) fn kept(table: &StoredTable) -> Vec<KeptColumn> {
    let domains = table.own_domains();
    let column = |column: usize| {
        let field = &table.stored().fields[column];
        let domain = domains.get(column).and_then(Option::as_ref);
        let is_other = field.data_type != table.info.declared_field(column).data_type;
        let statistics = &table.stored().statistics.columns[column];
        let values = domain.map(|domain| &domain.table.statistics.columns[0]);
        KeptColumn::of(statistics, is_other.then_some(field.data_type), values)
    };
    (0..table.info.fields.len()).map(column).collect()
}
