//! Vectors: in brackets, or as pgvector sends them: the number of elements and two bytes of nothing, both as smallints, then the
//! elements' bits. Those of `vector(n, double)` are doubles there.
//!
//! Each row is written from the elements where they lie: texts of all rows of a batch may be more than one array of texts holds.

use super::{Cells, Form, downcast, float};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use crate::wire::room::Room;
use multiloop::DataType;
use multiloop::arrow::array::types::{ArrowPrimitiveType, Float32Type, Float64Type};
use multiloop::arrow::array::{Array as _, ArrayRef, FixedSizeListArray, PrimitiveArray};
use multiloop::arrow::buffer::{NullBuffer, ScalarBuffer};

struct Vectors<T: ArrowPrimitiveType> {
    /// Elements a row.
    length: usize,
    values: ScalarBuffer<T::Native>,
    nulls: Option<NullBuffer>,
    format: Format,
}

/// The values of an array of vectors.
pub(super) fn cells(array: &ArrayRef, data_type: DataType, format: Format) -> Result<Box<dyn Cells>> {
    let lists = downcast::<FixedSizeListArray>(array, data_type)?;
    match data_type.vector_of() {
        Some((DataType::Real, _)) => Ok(Box::new(vectors::<Float32Type>(&lists, data_type, format)?)),
        Some((DataType::Double, _)) => Ok(Box::new(vectors::<Float64Type>(&lists, data_type, format)?)),
        _ => Err(Fault::internal(format!("a column of type {data_type} came as vectors"))),
    }
}

fn vectors<T: ArrowPrimitiveType>(
    lists: &FixedSizeListArray,
    data_type: DataType,
    format: Format,
) -> Result<Vectors<T>> {
    let values = downcast::<PrimitiveArray<T>>(lists.values(), data_type)?.values().clone();
    let length = usize::try_from(lists.value_length()).unwrap_or(0);
    Ok(Vectors { length, values, nulls: lists.nulls().cloned(), format })
}

impl<T: ArrowPrimitiveType> Cells for Vectors<T>
where
    float::Shortest: Form<T::Native>,
    float::Bits: Form<T::Native>,
{
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        let elements = &self.values[row * self.length..(row + 1) * self.length];
        if self.format == Format::Binary {
            // A vector's type has no more elements than this can tell.
            out.put((self.length as u16).to_be_bytes());
            out.put([0; 2]);
            return elements.iter().for_each(|&element| float::Bits.put(element, out));
        }
        out.push(b'[');
        for (position, &element) in elements.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            float::Shortest.put(element, out);
        }
        out.push(b']');
    }
}
