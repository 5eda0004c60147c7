//! Vectors between Arrow's lists of a fixed size and columns, without a copy: both have the elements of a row side by side. A row
//! that is NULL has elements as any other, whatever they are; a valid row has no NULL among its own.

use super::export::unexpected;
use crate::column::{Column, ColumnData};
use crate::{Error, ErrorKind, Result};
use ::arrow::array::types::{Float32Type, Float64Type};
use ::arrow::array::{Array as _, ArrayRef, AsArray, FixedSizeListArray, Float32Array, Float64Array, RecordBatch};
use ::arrow::compute::cast;
use ::arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema};
use multiloop_planner::evaluate::wrong_vector_length;
use multiloop_planner::types::{DataType, Field, VECTOR_LENGTH_MAX};
use std::sync::Arc;

/// The vector type of Arrow's lists of a fixed size that become vectors: of floats of 32 or 64 bits, one at least, and not too many.
pub(super) fn type_of_vectors(arrow: &Arrow) -> Option<DataType> {
    let Arrow::FixedSizeList(item, length) = arrow else { return None };
    let length = u32::try_from(*length).ok().filter(|length| (1..=VECTOR_LENGTH_MAX).contains(length))?;
    match item.data_type() {
        Arrow::Float32 => Some(DataType::vector(DataType::Real, length)),
        Arrow::Float64 => Some(DataType::vector(DataType::Double, length)),
        _ => None,
    }
}

/// Whether columns of an Arrow type become vectors that share its memory.
pub(super) fn is_shared(arrow: &Arrow) -> bool {
    type_of_vectors(arrow).is_some()
}

/// Whether lists that would be vectors are none: a valid row has a NULL element.
pub(super) fn has_null_elements(array: &ArrayRef) -> bool {
    let Some(lists) = array.as_fixed_size_list_opt().filter(|lists| is_shared(lists.data_type())) else { return false };
    let length = lists.value_length() as usize;
    let valid = lists.values().logical_nulls().filter(|nulls| nulls.null_count() > 0);
    valid.is_some_and(|valid| {
        (0..lists.len()).any(|row| lists.is_valid(row) && valid.slice(row * length, length).null_count() > 0)
    })
}

/// The SQL fields of batches of an Arrow schema: as that says, but that lists with NULL elements are arrays and no vectors.
///
/// # Errors
/// Those of [`super::fields_of`].
pub fn fields_of_batches(schema: &Schema, batches: &[RecordBatch]) -> Result<Vec<Field>> {
    let mut fields = super::fields_of(schema)?;
    for (at, field) in fields.iter_mut().enumerate() {
        if let Some((of, _)) = field.data_type.vector_of()
            && batches.iter().filter_map(|batch| batch.columns().get(at)).any(has_null_elements)
        {
            field.data_type = DataType::list(of);
        }
    }
    Ok(fields)
}

/// Such lists as vectors. An error (22004) that names the column if a valid row has a NULL element.
pub(super) fn import(array: &ArrayRef, name: &str) -> Result<ColumnData> {
    let lists = array.as_fixed_size_list();
    let (length, elements) = (lists.value_length() as usize, lists.values());
    if has_null_elements(array) {
        let message = format!("column \"{name}\": a vector has no NULL elements");
        let of = if *elements.data_type() == Arrow::Float32 { DataType::Real } else { DataType::Double };
        let hint = format!("An array has: a table whose column is of type {}[] takes such lists.", of);
        return Err(Error::new(ErrorKind::NullNotAllowed, message).with_hint(hint));
    }
    Ok(match elements.data_type() {
        Arrow::Float32 => {
            ColumnData::Vectors32 { length, values: elements.as_primitive::<Float32Type>().values().clone() }
        }
        _ => ColumnData::Vectors64 { length, values: elements.as_primitive::<Float64Type>().values().clone() },
    })
}

/// Whether one is a vector and the other an array of its elements: Arrow's lists, of a fixed size or not, are read as either.
pub fn are_alike(a: DataType, b: DataType) -> bool {
    let is_of = |vector: DataType, array: DataType| {
        vector.vector_of().is_some_and(|(of, _)| !array.is_zero_based() && array.element() == Some(of))
    };
    is_of(a, b) || is_of(b, a)
}

/// Lists of any lengths as vectors of a type. Errors that name the column: 22000 for a list of another length, 22004 for NULL elements.
pub(super) fn of_lists(array: &ArrayRef, data_type: DataType, name: &str) -> Result<Column> {
    let (of, length) = data_type.vector_of().ok_or_else(|| Error::internal("vectors of another type"))?;
    let of = if of == DataType::Real { Arrow::Float32 } else { Arrow::Float64 };
    let item = Arc::new(ArrowField::new("item", of, true));
    let lists = cast(array, &Arrow::List(Arc::clone(&item))).map_err(|error| Error::internal(error.to_string()))?;
    let lists = lists.as_list::<i32>();
    let is_other = |&row: &usize| lists.is_valid(row) && lists.value_length(row) as usize != length as usize;
    if let Some(row) = (0..lists.len()).find(is_other) {
        let message = wrong_vector_length(length, lists.value_length(row) as usize).to_string();
        return Err(Error::new(ErrorKind::VectorLength, format!("column \"{name}\": {message}")));
    }
    // A NULL has no elements in a list.
    let sized = Arrow::FixedSizeList(item, length as i32);
    let sized = cast(lists, &sized).map_err(|error| Error::internal(error.to_string()))?;
    let data = import(&sized, name)?;
    Ok(Column::new(data, sized.logical_nulls().filter(|nulls| nulls.null_count() > 0)))
}

/// A column of vectors as lists of a fixed size.
pub(super) fn export(column: &Column, data_type: DataType) -> Result<ArrayRef> {
    let (length, of, elements): (usize, Arrow, ArrayRef) = match &column.data {
        ColumnData::Vectors32 { length, values } => {
            (*length, Arrow::Float32, Arc::new(Float32Array::new(values.clone(), None)))
        }
        ColumnData::Vectors64 { length, values } => {
            (*length, Arrow::Float64, Arc::new(Float64Array::new(values.clone(), None)))
        }
        other => return Err(unexpected(other, data_type)),
    };
    let item = Arc::new(ArrowField::new("item", of, true));
    let lists = FixedSizeListArray::try_new(item, length as i32, elements, column.nulls.clone());
    Ok(Arc::new(lists.map_err(|error| Error::internal(error.to_string()))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::CHUNK_ROWS;
    use crate::column::arrow::{field_of, to_array, to_column};
    use crate::column::build::Storage;
    use crate::column::{Chunk, Table};
    use crate::workers::context::{Context, Memory};
    use ::arrow::buffer::NullBuffer;
    use multiloop_planner::value::Value;

    /// Lists of two floats that count up, of which some rows are NULL.
    fn lists(rows: usize, of: &Arrow, is_null: impl Fn(usize) -> bool) -> ArrayRef {
        let elements: ArrayRef = match of {
            Arrow::Float32 => Arc::new((0..2 * rows).map(|at| Some(at as f32)).collect::<Float32Array>()),
            _ => Arc::new((0..2 * rows).map(|at| Some(at as f64)).collect::<Float64Array>()),
        };
        let nulls = NullBuffer::from_iter((0..rows).map(|row| !is_null(row)));
        let item = Arc::new(ArrowField::new("item", of.clone(), true));
        Arc::new(FixedSizeListArray::new(item, 2, elements, Some(nulls).filter(|nulls| nulls.null_count() > 0)))
    }

    fn expected(row: usize) -> Value {
        Value::vector([2.0 * row as f64, 2.0 * row as f64 + 1.0].as_slice())
    }

    fn start_of(data: &ColumnData) -> (*const u8, usize) {
        let bytes = data.buffers()[0].expect("vectors are one buffer");
        (bytes.as_ptr(), bytes.len())
    }

    #[test]
    fn lists_of_a_fixed_size_are_vectors_that_share_their_memory() {
        for of in [Arrow::Float32, Arrow::Float64] {
            for rows in [0, 1, 2, 100, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1] {
                let array = lists(rows, &of, |row| row % 3 == 1);
                let data_type = field_of(&ArrowField::new("v", array.data_type().clone(), true)).unwrap().data_type;
                let element = if of == Arrow::Float32 { DataType::Real } else { DataType::Double };
                assert_eq!(data_type, DataType::vector(element, 2));
                // Whole, and slices of it: from the front, the middle, and of nothing.
                let cuts = [(0, rows), (rows / 3, rows - rows / 3), (rows / 2, rows / 4), (rows, 0)];
                for (start, count) in cuts {
                    let slice = array.slice(start, count);
                    let column = to_column(&slice, "v").unwrap();
                    assert_eq!((column.rows(), column.data.form().starts_with("vectors")), (count, true));
                    let elements = slice.as_fixed_size_list().values().to_data();
                    let width = if of == Arrow::Float32 { 4 } else { 8 };
                    let given = elements.buffers()[0].as_slice()[elements.offset() * width..].as_ptr();
                    assert!(count == 0 || start_of(&column.data).0 == given, "copied");
                    for row in (0..count).step_by(1 + count / 50) {
                        let value = column.value(row, data_type);
                        let null = (start + row) % 3 == 1;
                        assert_eq!(value, if null { Value::Null } else { expected(start + row) }, "row {row}");
                    }
                    let again = to_array(&column, data_type).unwrap();
                    assert_eq!(*again, *slice);
                    let shared = again.as_fixed_size_list().values().to_data();
                    let bytes = shared.buffers()[0].as_slice()[shared.offset() * width..].as_ptr();
                    assert!(count == 0 || bytes == given, "copied");
                }
            }
        }
    }

    #[test]
    fn null_elements_are_refused_in_valid_rows_alone() {
        let item = Arc::new(ArrowField::new("item", Arrow::Float32, true));
        let of = |elements: [Option<f32>; 6], nulls: [bool; 3]| -> ArrayRef {
            let elements: ArrayRef = Arc::new(Float32Array::from(elements.to_vec()));
            let nulls = Some(NullBuffer::from(nulls.to_vec()));
            Arc::new(FixedSizeListArray::new(Arc::clone(&item), 2, elements, nulls))
        };
        let odd = [Some(1.0), Some(2.0), None, Some(3.0), Some(4.0), Some(5.0)];
        let array = of(odd, [true, false, true]);
        let column = to_column(&array, "v").unwrap();
        let data_type = DataType::vector(DataType::Real, 2);
        assert_eq!(column.value(1, data_type), Value::Null);
        assert_eq!(column.value(2, data_type), Value::vector([4.0, 5.0].as_slice()));
        let wrong = of(odd, [true, true, true]);
        let error = to_column(&wrong, "embedding").unwrap_err();
        assert_eq!(error.sqlstate(), "22004");
        assert!(error.to_string().contains("column \"embedding\""), "{error}");
        // A slice without that row is right.
        assert!(to_column(&wrong.slice(2, 1), "v").is_ok());
        assert!(to_column(&wrong.slice(1, 1), "v").is_err());
    }

    #[test]
    fn other_lists_are_arrays_as_ever() {
        let of = |item: Arrow, length: i32| {
            let list = Arrow::FixedSizeList(Arc::new(ArrowField::new("item", item, true)), length);
            field_of(&ArrowField::new("v", list, true)).unwrap().data_type
        };
        assert_eq!(of(Arrow::Int32, 3), DataType::list(DataType::Integer));
        assert_eq!(of(Arrow::Float32, 16_001), DataType::list(DataType::Real));
        assert_eq!(of(Arrow::Float32, 16_000), DataType::vector(DataType::Real, 16_000));
        assert_eq!(of(Arrow::Float64, 1), DataType::vector(DataType::Double, 1));
    }

    #[test]
    fn tables_of_registered_batches_share_vectors_and_those_compacted_hold_them() {
        let array = lists(1_000, &Arrow::Float32, |row| row % 10 == 0);
        let schema = Arc::new(Schema::new(vec![ArrowField::new("v", array.data_type().clone(), true)]));
        let batch = |start, rows| RecordBatch::try_new(Arc::clone(&schema), vec![array.slice(start, rows)]).unwrap();
        let batches = vec![batch(0, 600), batch(600, 400)];
        let context = Context::new(Memory::new(1 << 30));
        let kept = Table::register(&schema, batches.clone(), &context).unwrap();
        let fields = kept.fields.clone();
        let compacted = Table::from_batches(fields, batches, Storage::Compact, &context).unwrap();
        let bytes = |chunk: &Arc<Chunk>| start_of(&chunk.columns[0].data);
        let first = array.as_fixed_size_list().values().to_data().buffers()[0].as_ptr();
        assert_eq!(bytes(&kept.chunks[0]).0, first);
        assert_eq!(compacted.chunks.len(), 1);
        assert_eq!(bytes(&compacted.chunks[0]).1, 2 * 1_000 * size_of::<f32>());
        assert_eq!(compacted.values(), kept.values());
        let proofs = &compacted.statistics.columns[0].proofs;
        assert_eq!((proofs.nulls, &proofs.min, proofs.unique, proofs.sorted), (100, &None, false, false));
        assert_eq!(compacted.chunks[0].ranges, [None]);
    }
}
