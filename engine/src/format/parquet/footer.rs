//! What a footer says of columns: how their values lie in pages, and what its statistics tell.

use arrow::datatypes::{DataType as Arrow, TimeUnit};
use multiloop_exec::column::text_order;
use multiloop_exec::cpu::pages::{Kind, Scale, fixed_number};
use multiloop_planner::catalog::{ColumnStatistics, Estimates, Proofs};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use parquet::basic::Type as Physical;
use parquet::file::metadata::{ColumnChunkMetaData, LevelHistogram, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

/// Bytes of a string, where a footer does not tell.
const TEXT_BYTES: f64 = 16.0;

/// How the values of a flat column lie in pages, if these are read straight into columns: by the type that they are stored as, and
/// that which they are read as. `field` is what they become.
pub(super) fn kind_of(column: &ColumnDescriptor, arrow: &Arrow, field: &Field) -> Option<Kind> {
    if column.max_rep_level() > 0 || column.max_def_level() > 1 {
        return None;
    }
    // What another type carries is looked at value by value, and numerics are stored otherwise than they are shown.
    let is_carried = field.data_type.is_logical() && field.data_type != DataType::TimestampTz;
    if is_carried || field.data_type == DataType::Numeric {
        return None;
    }
    let int32 = |unsigned, scale| Some(Kind::Int32 { unsigned, scale });
    let int64 = |scale| Some(Kind::Int64 { scale });
    match (column.physical_type(), arrow) {
        (Physical::BOOLEAN, Arrow::Boolean) => Some(Kind::Boolean),
        (Physical::INT32, Arrow::Int8 | Arrow::Int16 | Arrow::Int32 | Arrow::Date32) => int32(false, Scale::One),
        (Physical::INT32, Arrow::UInt8 | Arrow::UInt16 | Arrow::UInt32) => int32(true, Scale::One),
        (Physical::INT32, Arrow::Decimal128(..)) => int32(false, Scale::One),
        (Physical::INT32, Arrow::Time32(TimeUnit::Millisecond)) => int32(false, Scale::Times(1_000)),
        (Physical::INT64, Arrow::Int64 | Arrow::Decimal128(..)) => int64(Scale::One),
        (Physical::INT64, Arrow::Time64(unit) | Arrow::Timestamp(unit, _)) => {
            use parquet::basic::{ConvertedType, LogicalType, TimeUnit as Stored};
            let stored = match (column.logical_type_ref(), column.converted_type()) {
                (Some(LogicalType::Time(of)), _) => of.unit,
                (Some(LogicalType::Timestamp(of)), _) => of.unit,
                (None, ConvertedType::TIMESTAMP_MILLIS) => Stored::MILLIS,
                (None, ConvertedType::TIMESTAMP_MICROS | ConvertedType::TIME_MICROS) => Stored::MICROS,
                _ => return None,
            };
            match (stored, unit) {
                (Stored::MILLIS, TimeUnit::Millisecond) => int64(Scale::Times(1_000)),
                (Stored::MICROS, TimeUnit::Microsecond) => int64(Scale::One),
                (Stored::NANOS, TimeUnit::Nanosecond) => int64(Scale::Part(1_000)),
                _ => None,
            }
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, Arrow::Decimal128(..)) => {
            usize::try_from(column.type_length()).ok().filter(|width| (1..=16).contains(width)).map(Kind::Fixed)
        }
        (Physical::FLOAT, Arrow::Float32) => Some(Kind::Float),
        (Physical::DOUBLE, Arrow::Float64) => Some(Kind::Double),
        (Physical::BYTE_ARRAY, Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View) => Some(Kind::Text),
        (Physical::BYTE_ARRAY, Arrow::Dictionary(_, of)) if is_text(of) => Some(Kind::Text),
        _ => None,
    }
}

/// Whether some row groups say that there are NULLs among the elements of vectors of a length, whose leaf this is: those of valid
/// rows, which are vectors no more. Where nothing is said there are none, until they are read.
pub(super) fn has_null_elements(groups: &[RowGroupMetaData], leaf: usize, length: i64) -> bool {
    groups
        .iter()
        .any(|group| null_elements(group.column(leaf), group.num_rows(), length).is_some_and(|nulls| nulls > 0))
}

/// How many there are in a row group, if it tells.
fn null_elements(column: &ColumnChunkMetaData, rows: i64, length: i64) -> Option<i64> {
    // A NULL element lacks the last level alone.
    if let Some([.., without_last, _]) = column.definition_level_histogram().map(LevelHistogram::values) {
        return Some(*without_last);
    }
    let nulls = i64::try_from(column.statistics()?.null_count_opt()?).ok()?;
    // A NULL row has one entry, which counts as a NULL, any other as many as elements.
    let missing = rows.checked_mul(length)?.checked_sub(column.num_values())?;
    let null_rows = if length > 1 { missing.checked_div(length - 1)? } else { return None };
    nulls.checked_sub(null_rows)
}

fn is_text(arrow: &Arrow) -> bool {
    matches!(arrow, Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View)
}

/// The integers that a type has, where these are not all that 64 bits hold.
fn type_range(data_type: DataType) -> Option<(i64, i64)> {
    match data_type {
        DataType::Boolean => None,
        DataType::Time => Some((0, 86_400_000_000)),
        _ => {
            let (low, high) = data_type.carrier().integer_bounds()?;
            Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?)).filter(|&range| range != (i64::MIN, i64::MAX))
        }
    }
}

/// The range of a column in a row group, as the footer has it.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupRange {
    /// Least and greatest value.
    pub(super) bounds: Option<(i64, i64)>,
    /// The same, or what the type has.
    pub(super) range: Option<(i64, i64)>,
    pub(super) nulls: Option<usize>,
}

impl GroupRange {
    /// Nothing but what the type has.
    pub(super) fn of_type(data_type: DataType) -> Self {
        GroupRange { range: type_range(data_type), ..GroupRange::default() }
    }
}

/// What is told of a column, whose values become those of a field as its kind says.
pub(super) fn told(column: &ColumnChunkMetaData, kind: Kind, data_type: DataType, rows: usize) -> GroupRange {
    let statistics = column.statistics();
    let required = column.column_descr().max_def_level() == 0;
    let counted = statistics.and_then(|statistics| usize::try_from(statistics.null_count_opt()?).ok());
    let nulls = if required { Some(0) } else { counted.filter(|&nulls| nulls <= rows) };
    let bounds = statistics.and_then(|statistics| bounds_of(statistics, kind)).filter(|(low, high)| low <= high);
    let range = statistics.and_then(|statistics| range_of(statistics, kind, data_type));
    GroupRange { bounds, range: range.or(type_range(data_type)), nulls }
}

/// The range of what statistics are of, as that of a chunk.
pub(super) fn range_of(statistics: &Statistics, kind: Kind, data_type: DataType) -> Option<(i64, i64)> {
    if let (Statistics::ByteArray(of), Kind::Text) = (statistics, kind) {
        // Early writers compared bytes as signed ones. What is cut short is so downwards, and upwards.
        let usable = !statistics.is_min_max_deprecated() && matches!(data_type, DataType::Text | DataType::Varchar(_));
        let (low, high) = (of.min_opt()?.data(), of.max_opt()?.data());
        return (usable && low <= high).then(|| (text_order(low), text_order(high)));
    }
    let (low, high) = bounds_of(statistics, kind).filter(|(low, high)| low <= high)?;
    Some(match type_range(data_type) {
        Some((least, greatest)) => (low.max(least), high.min(greatest)),
        None => (low, high),
    })
}

/// Least and greatest value of integers.
fn bounds_of(statistics: &Statistics, kind: Kind) -> Option<(i64, i64)> {
    // Early writers compared all values as signed ones.
    let usable = |unsigned: bool| !unsigned || !statistics.is_min_max_deprecated();
    let scaled = |low: i64, high: i64, scale| match scale {
        Scale::One => Some((low, high)),
        Scale::Times(by) => low.checked_mul(by).zip(high.checked_mul(by)),
        Scale::Part(by) => Some((low.div_euclid(by), high.div_euclid(by))),
    };
    match (statistics, kind) {
        (Statistics::Int32(of), Kind::Int32 { unsigned, scale }) if usable(unsigned) => {
            let wide = |value: i32| if unsigned { i64::from(value as u32) } else { value.into() };
            scaled(wide(*of.min_opt()?), wide(*of.max_opt()?), scale)
        }
        (Statistics::Int64(of), Kind::Int64 { scale }) => scaled(*of.min_opt()?, *of.max_opt()?, scale),
        (Statistics::FixedLenByteArray(of), Kind::Fixed(width)) if !statistics.is_min_max_deprecated() => {
            let number = |bytes: &[u8]| {
                if bytes.len() != width {
                    return None;
                }
                i64::try_from(fixed_number(bytes)).ok()
            };
            number(of.min_opt()?.data()).zip(number(of.max_opt()?.data()))
        }
        _ => None,
    }
}

/// What is known of a column of a table from what its row groups tell, each with its number of rows.
pub(super) fn statistics(
    field: &Field,
    groups: &[(Option<&ColumnChunkMetaData>, GroupRange, usize)],
) -> ColumnStatistics {
    let rows: usize = groups.iter().map(|(.., rows)| rows).sum();
    let value = |value: i64| match field.data_type {
        DataType::Decimal { .. } => Value::Decimal(value.into()),
        _ => Value::Int(value),
    };
    let nulls = groups.iter().map(|(_, told, _)| told.nulls).sum::<Option<usize>>();
    // Of groups without a value there is no bound.
    let with_values = || groups.iter().filter(|(_, told, rows)| told.nulls != Some(*rows));
    let bounds = with_values().try_fold(None, |all: Option<(i64, i64)>, (_, told, _)| {
        let (low, high) = told.bounds?;
        Some(Some(all.map_or((low, high), |(least, greatest)| (least.min(low), greatest.max(high)))))
    });
    let bounds = bounds.flatten();
    // Where it is not known, neither none nor all.
    let nulls = nulls.unwrap_or(1) as u64;
    let (min, max) = bounds.map(|(low, high)| (value(low), value(high))).unzip();
    let proofs = Proofs { nulls, min, max, ..Proofs::default() };
    let estimates = Estimates {
        distinct: Some(distinct(groups, bounds, rows)),
        average_bytes: bytes(field, groups),
        ..Estimates::default()
    };
    ColumnStatistics { proofs, estimates }
}

/// About how many distinct values there are: by how much is written of them.
fn distinct(
    groups: &[(Option<&ColumnChunkMetaData>, GroupRange, usize)],
    bounds: Option<(i64, i64)>,
    rows: usize,
) -> u64 {
    let own = groups.iter().filter_map(|(column, told, rows)| {
        let values = rows - told.nulls.unwrap_or(0);
        let range = told.bounds.map_or(f64::MAX, |(low, high)| high as f64 - low as f64 + 1.0);
        let distinct = distinct_of((*column).filter(|_| values > 0)?, values);
        Some((distinct.min(range).max(1.0), values as f64))
    });
    let own: Vec<(f64, f64)> = own.collect();
    let total: f64 = own.iter().map(|(_, values)| values).sum();
    let most: (f64, f64) = own.iter().fold((1.0, 1.0), |most, own| if own.0 > most.0 { *own } else { most });
    // As many as leave so many different ones among the values of one row group, if they are drawn from all.
    let drawn = |all: f64| all * (1.0 - (-most.1 / all).exp());
    let (mut low, mut high) = (most.0, total.max(most.0));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if drawn(middle) < most.0 { low = middle } else { high = middle }
    }
    // Row groups that lie apart have no value in common.
    let apart = groups.windows(2).all(|pair| match (pair[0].1.bounds, pair[1].1.bounds) {
        (Some((_, before)), Some((behind, _))) => before <= behind,
        _ => false,
    });
    let all = if apart { own.iter().map(|(distinct, _)| distinct).sum() } else { high };
    let range = bounds.map_or(f64::MAX, |(low, high)| high as f64 - low as f64 + 1.0);
    all.min(range).min(rows as f64).max(1.0) as u64
}

/// The same of so many values of one row group: as many as make a dictionary and indices into it that take so many bytes.
fn distinct_of(column: &ColumnChunkMetaData, values: usize) -> f64 {
    let values = values as f64;
    if column.dictionary_page_offset().is_none() {
        return values;
    }
    let bytes = column.uncompressed_size() as f64;
    let width = match column.column_type() {
        Physical::INT32 | Physical::FLOAT => 4.0,
        Physical::BYTE_ARRAY => TEXT_BYTES,
        Physical::FIXED_LEN_BYTE_ARRAY => f64::from(column.column_descr().type_length()),
        _ => 8.0,
    };
    let takes = |distinct: f64| distinct * width + values * distinct.log2().ceil() / 8.0;
    let (mut low, mut high) = (1.0, values);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if takes(middle) < bytes { low = middle } else { high = middle }
    }
    low
}

/// About how many bytes a value takes in memory.
fn bytes(field: &Field, groups: &[(Option<&ColumnChunkMetaData>, GroupRange, usize)]) -> f64 {
    if !field.data_type.carrier().is_text() {
        return 8.0;
    }
    let of = |column: &ColumnChunkMetaData| {
        let values = column.num_values().max(1) as f64;
        match column.unencoded_byte_array_data_bytes() {
            Some(bytes) => bytes as f64 / values,
            None if column.dictionary_page_offset().is_none() => column.uncompressed_size() as f64 / values,
            None => TEXT_BYTES,
        }
    };
    let all: Vec<f64> = groups.iter().filter_map(|(column, ..)| column.map(of)).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// Whether every data page of a column has indices into its dictionary, if the footer tells.
pub(super) fn all_indexed(column: &ColumnChunkMetaData) -> Option<bool> {
    use parquet::basic::{Encoding, PageType};
    if column.dictionary_page_offset().is_none() {
        return Some(false);
    }
    let is_indexed = |encoding: &Encoding| matches!(encoding, Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY);
    if let Some(stats) = column.page_encoding_stats() {
        let data: Vec<Encoding> = stats
            .iter()
            .filter(|stats| stats.page_type != PageType::DICTIONARY_PAGE)
            .map(|stats| stats.encoding)
            .collect();
        return (!data.is_empty()).then(|| data.iter().all(is_indexed));
    }
    // Of data pages alone.
    let data: Vec<Encoding> = column.page_encoding_stats_mask()?.encodings().collect();
    (!data.is_empty()).then(|| data.iter().all(is_indexed))
}

/// About how many strings the dictionary of a column has, at most: as many as its bytes have room for.
pub(super) fn row_group_distinct(group: &RowGroupMetaData, column: usize) -> f64 {
    distinct_of(group.column(column), usize::try_from(group.num_rows()).unwrap_or(0).max(1))
}
