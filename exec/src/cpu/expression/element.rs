//! Elements: fields of a table's rows by their numbers.

use crate::cpu::simd::kernel::append;
use crate::cpu::vector::rows::NO_ROW;
use crate::cpu::vector::{Vector, VectorData};
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The rows that the numbers of a vector stand for, one for each of `len` tuples; [`NO_ROW`] for NULL.
pub(super) fn rows(numbers: &Vector, len: usize) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(len);
    match &numbers.data {
        _ if numbers.constant => {
            let row = if let Value::Int(row) = numbers.value(0, DataType::BigInt) { row as u32 } else { NO_ROW };
            rows.resize(len, row);
        }
        VectorData::I32(values) => append(&mut rows, &values[..len], |value| value as u32),
        VectorData::I64(values) => append(&mut rows, &values[..len], |value| value as u32),
        _ => return Err(Error::internal("the number of a row is a bigint")),
    }
    if let Some(valid) = numbers.nulls.as_ref().filter(|_| !numbers.constant) {
        rows.iter_mut().enumerate().filter(|(tuple, _)| !valid.get(*tuple)).for_each(|(_, row)| *row = NO_ROW);
    }
    Ok(rows)
}
