//! Elements: fields of a table's rows by their numbers.

use crate::cpu::kernels::append;
use crate::cpu::tile::NO_ROW;
use crate::cpu::vector::{Vector, VectorData};
use crate::{Error, Result};

/// The rows that the numbers of a vector stand for, one for each of `len` tuples; [`NO_ROW`] for NULL.
pub(super) fn rows(numbers: &Vector, len: usize) -> Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(len);
    match &numbers.data {
        _ if numbers.constant => rows.resize(len, row_of(numbers)?),
        VectorData::I32(values) => append(&mut rows, &values[..len], |value| value as u32),
        VectorData::I64(values) => append(&mut rows, &values[..len], |value| value as u32),
        _ => return Err(Error::internal("the number of a row is a bigint")),
    }
    if let Some(valid) = numbers.nulls.as_ref().filter(|_| !numbers.constant) {
        rows.iter_mut().enumerate().filter(|(tuple, _)| !valid.get(*tuple)).for_each(|(_, row)| *row = NO_ROW);
    }
    Ok(rows)
}

fn row_of(number: &Vector) -> Result<u32> {
    match &number.data {
        _ if number.is_null(0) => Ok(NO_ROW),
        VectorData::I32(values) => Ok(values[0] as u32),
        VectorData::I64(values) => Ok(values[0] as u32),
        // NULL alone has a register of its own.
        _ => Err(Error::internal("the number of a row is a bigint")),
    }
}
