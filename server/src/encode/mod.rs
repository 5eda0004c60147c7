//! Values as bytes: whole columns of record batches, in text and in binary. A file has a family of types; rows of
//! results and the data of COPY are written by the same [`Cells`].
//!
//! What a column is and how it is written is decided once a batch. Inside the loop over rows is one indirect call a
//! value, of code that knows its type.

mod array;
pub(crate) mod bits;
mod boolean;
mod bytes;
mod datetime;
mod float;
mod inet;
mod integer;
mod interval;
mod numeric;
mod oid;
mod place;
mod text;
mod vector;

#[cfg(test)]
mod tests;

pub(crate) use datetime::{EPOCH_DAYS, EPOCH_MICROS};
pub(crate) use text::JSONB_VERSION;

use crate::fault::{Fault, Result};
use crate::wire::room::Room;
use crate::wire::{Format, backend};
use multiloop::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time64MicrosecondType, TimestampMicrosecondType, UInt32Type,
};
use multiloop::arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, RecordBatch, StringArray,
    UInt32Array,
};
use multiloop::arrow::buffer::{NullBuffer, ScalarBuffer};
use multiloop::format::texts_of;
use multiloop::{DataType, Field, IntervalStyle, OidKind, Sight, SystemType};

/// The values of a column, each written on demand.
pub(crate) trait Cells: Send {
    /// Whether this row has NULL.
    fn is_null(&self, row: usize) -> bool;

    /// Appends the value of this row; what it appends for NULL means nothing.
    fn value(&self, row: usize, out: &mut Room<'_>);

    /// Whether values are of digits, ASCII letters, blanks and `-+:.` alone.
    fn is_plain(&self) -> bool {
        false
    }

    /// Appends the value with its length before it, as DataRow and COPY's binary form have it; -1 is NULL's.
    fn field(&self, row: usize, out: &mut Room<'_>) {
        if self.is_null(row) {
            return out.put(NULL);
        }
        measured(out, |out| self.value(row, out));
    }
}

/// The length of NULL.
const NULL: [u8; 4] = (-1i32).to_be_bytes();

/// Appends a value with its length before it.
#[inline]
fn measured(out: &mut Room<'_>, value: impl FnOnce(&mut Room<'_>)) {
    let start = out.len();
    out.put([0; 4]);
    value(out);
    // One that is longer than this can tell makes its row too long, too, which is refused.
    let length = (out.len() - start - 4) as u32;
    out.replace(start, length.to_be_bytes());
}

/// How values of one native type are written.
trait Form<V>: Send {
    fn put(&self, value: V, out: &mut Room<'_>);

    /// As [`Form::put`], with the length before it.
    fn field(&self, value: V, out: &mut Room<'_>) {
        measured(out, |out| self.put(value, out));
    }

    /// As [`Cells::is_plain`].
    fn is_plain(&self) -> bool {
        false
    }
}

/// An array of numbers, and how they are written.
struct Primitive<T: ArrowPrimitiveType, F> {
    values: ScalarBuffer<T::Native>,
    nulls: Option<NullBuffer>,
    form: F,
}

impl<T: ArrowPrimitiveType, F: Form<T::Native>> Cells for Primitive<T, F> {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        self.form.put(self.values[row], out);
    }

    fn is_plain(&self) -> bool {
        self.form.is_plain()
    }

    fn field(&self, row: usize, out: &mut Room<'_>) {
        if self.is_null(row) {
            return out.put(NULL);
        }
        self.form.field(self.values[row], out);
    }
}

/// Values of a column of this type, as somebody sees them.
///
/// Errors: 0A000 for a type that has no form on the wire; XX000 for an array that is not of the type's form.
pub(crate) fn cells(array: &ArrayRef, data_type: DataType, format: Format, sight: &Sight) -> Result<Box<dyn Cells>> {
    let is_text = format == Format::Text;
    Ok(match data_type {
        DataType::Boolean if is_text => boolean::cells(downcast::<BooleanArray>(array, data_type)?, boolean::Letter),
        DataType::Boolean => boolean::cells(downcast::<BooleanArray>(array, data_type)?, boolean::Byte),
        DataType::SmallInt if is_text => primitive::<Int16Type>(array, data_type, integer::Digits)?,
        DataType::SmallInt => primitive::<Int16Type>(array, data_type, integer::Bytes)?,
        DataType::Integer if is_text => primitive::<Int32Type>(array, data_type, integer::Digits)?,
        DataType::Integer => primitive::<Int32Type>(array, data_type, integer::Bytes)?,
        DataType::BigInt if is_text => primitive::<Int64Type>(array, data_type, integer::Digits)?,
        DataType::BigInt => primitive::<Int64Type>(array, data_type, integer::Bytes)?,
        DataType::Real if is_text => primitive::<Float32Type>(array, data_type, float::Shortest)?,
        DataType::Real => primitive::<Float32Type>(array, data_type, float::Bits)?,
        DataType::Double if is_text => primitive::<Float64Type>(array, data_type, float::Shortest)?,
        DataType::Double => primitive::<Float64Type>(array, data_type, float::Bits)?,
        DataType::Decimal { scale, .. } if is_text => {
            primitive::<Decimal128Type>(array, data_type, numeric::Digits { scale })?
        }
        DataType::Decimal { scale, .. } => {
            primitive::<Decimal128Type>(array, data_type, numeric::TenThousands { scale })?
        }
        DataType::Numeric if !is_text => numeric::wide(downcast::<StringArray>(array, data_type)?),
        DataType::Null | DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => {
            text::cells(downcast::<StringArray>(array, data_type)?)
        }
        DataType::Date if is_text => primitive::<Date32Type>(array, data_type, datetime::DateText)?,
        DataType::Date => primitive::<Date32Type>(array, data_type, datetime::DateDays)?,
        DataType::Time if is_text => primitive::<Time64MicrosecondType>(array, data_type, datetime::TimeText)?,
        DataType::Time => primitive::<Time64MicrosecondType>(array, data_type, integer::Bytes)?,
        DataType::Timestamp if is_text => {
            primitive::<TimestampMicrosecondType>(array, data_type, datetime::TimestampText)?
        }
        DataType::Timestamp => primitive::<TimestampMicrosecondType>(array, data_type, datetime::TimestampMicros)?,
        DataType::Interval if is_text && sight.interval_style() != IntervalStyle::Postgres => {
            primitive::<IntervalMonthDayNanoType>(array, data_type, interval::Styled(sight.interval_style()))?
        }
        DataType::Interval if is_text => primitive::<IntervalMonthDayNanoType>(array, data_type, interval::Text)?,
        DataType::Interval => primitive::<IntervalMonthDayNanoType>(array, data_type, interval::Parts)?,
        logical => return logical_cells(array, logical, format, sight),
    })
}

/// Values of a column of a type that is read and shown in its own way.
fn logical_cells(array: &ArrayRef, data_type: DataType, format: Format, sight: &Sight) -> Result<Box<dyn Cells>> {
    let is_text = format == Format::Text;
    Ok(match data_type {
        DataType::Oid(OidKind::Place) if is_text => primitive::<Int64Type>(array, data_type, place::Text)?,
        DataType::Oid(OidKind::Place) => primitive::<Int64Type>(array, data_type, place::Bytes)?,
        DataType::Oid(kind) if is_text && kind.is_registered() => {
            oid::named(downcast::<UInt32Array>(array, data_type)?, kind, sight)
        }
        DataType::Oid(_) if is_text => primitive::<UInt32Type>(array, data_type, integer::Digits)?,
        DataType::Oid(_) => primitive::<UInt32Type>(array, data_type, integer::Bytes)?,
        DataType::TimestampTz if is_text => {
            let zone = sight.zone().map_err(|error| Fault::of(&error, "", 0))?;
            primitive::<TimestampMicrosecondType>(array, data_type, datetime::InstantText { zone })?
        }
        DataType::TimestampTz => primitive::<TimestampMicrosecondType>(array, data_type, datetime::TimestampMicros)?,
        DataType::Bytea => {
            let form = if is_text { bytes::Form::Hexadecimal } else { bytes::Form::Raw };
            bytes::cells(downcast::<BinaryArray>(array, data_type)?, form)
        }
        DataType::Uuid => {
            let form = if is_text { bytes::Form::Hyphens } else { bytes::Form::Raw };
            bytes::cells(downcast::<FixedSizeBinaryArray>(array, data_type)?, form)
        }
        DataType::InternalChar if !is_text => text::letters(downcast::<StringArray>(array, data_type)?),
        DataType::Jsonb | DataType::JsonPath if !is_text => text::versioned(downcast::<StringArray>(array, data_type)?),
        DataType::TimeTz if !is_text => datetime::times_with_zone(downcast::<StringArray>(array, data_type)?),
        DataType::Bit(_) | DataType::VarBit(_) if !is_text => bits::cells(downcast::<StringArray>(array, data_type)?),
        DataType::Name
        | DataType::InternalChar
        | DataType::Json
        | DataType::Jsonb
        | DataType::TimeTz
        | DataType::Bit(_)
        | DataType::VarBit(_)
        | DataType::JsonPath => text::cells(downcast::<StringArray>(array, data_type)?),
        DataType::Nested(_) if is_text && (data_type.is_zero_based() || data_type.fields().is_some()) => {
            text::cells(downcast::<StringArray>(array, data_type)?)
        }
        DataType::System(SystemType::AclItem) if !is_text => {
            return Err(Fault::error("42883", "no binary output function available for type aclitem"));
        }
        DataType::System(SystemType::Inet) if !is_text => inet::cells(downcast::<StringArray>(array, data_type)?),
        DataType::System(_) => text::cells(downcast::<StringArray>(array, data_type)?),
        // No type of PostgreSQL's, so a text whatever is asked for.
        DataType::Nested(_) if data_type.is_of_structs() => {
            text::strings(texts_of(array, data_type, sight).map_err(|error| Fault::of(&error, "", 0))?)
        }
        DataType::Nested(_) if data_type.is_vector() => vector::cells(array, data_type, format)?,
        DataType::Nested(_) if data_type.element().is_some() => array::arrays(array, data_type, format, sight)?,
        DataType::Nested(_) if data_type.labels().is_some() => text::cells(downcast::<StringArray>(array, data_type)?),
        other => return Err(Fault::error("0A000", format!("values of type {other} cannot be sent"))),
    })
}

fn primitive<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    data_type: DataType,
    form: impl Form<T::Native> + 'static,
) -> Result<Box<dyn Cells>> {
    let (_, values, nulls) = downcast::<PrimitiveArray<T>>(array, data_type)?.into_parts();
    Ok(Box::new(Primitive::<T, _> { values, nulls, form }))
}

fn downcast<A: Array + Clone + 'static>(array: &ArrayRef, data_type: DataType) -> Result<A> {
    let found = array.as_any().downcast_ref::<A>().cloned();
    found.ok_or_else(|| Fault::internal(format!("a column of type {data_type} came as Arrow's {}", array.data_type())))
}

/// The rows of a batch, some of which are written already.
pub(crate) struct BatchRows {
    columns: Vec<Box<dyn Cells>>,
    rows: usize,
    next: usize,
}

impl BatchRows {
    /// Rows of a batch with these fields; errors as [`cells`] has them.
    pub(crate) fn new(
        batch: &RecordBatch,
        fields: &[Field],
        format: impl Fn(usize) -> Format,
        sight: &Sight,
    ) -> Result<Self> {
        if batch.num_columns() != fields.len() {
            return Err(Fault::internal(format!("{} columns came for {}", batch.num_columns(), fields.len())));
        }
        let columns = batch.columns().iter().zip(fields).enumerate();
        let cells = columns.map(|(index, (array, field))| cells(array, field.data_type, format(index), sight));
        Ok(BatchRows { columns: cells.collect::<Result<_>>()?, rows: batch.num_rows(), next: 0 })
    }

    /// Rows that are not written yet.
    pub(crate) fn left(&self) -> usize {
        self.rows - self.next
    }

    /// Passes over at most so many rows; gives their number.
    pub(crate) fn skip(&mut self, rows_max: usize) -> usize {
        let rows = self.left().min(rows_max);
        self.next += rows;
        rows
    }

    /// Appends DataRow messages until the buffer has `bytes` or more, or `rows_max` rows are written. Gives their
    /// number.
    pub(crate) fn write(&mut self, rows_max: usize, bytes: usize, out: &mut Vec<u8>) -> Result<usize> {
        let [high, low] = backend::columns(self.columns.len())?.to_be_bytes();
        let first = self.next;
        let last = self.next + self.left().min(rows_max);
        let mut out = Room::new(out);
        while self.next < last && out.len() < bytes {
            let start = out.len();
            out.put([b'D', 0, 0, 0, 0, high, low]);
            self.columns.iter().for_each(|column| column.field(self.next, &mut out));
            backend::end_row(&mut out, start)?;
            self.next += 1;
        }
        Ok(self.next - first)
    }
}
