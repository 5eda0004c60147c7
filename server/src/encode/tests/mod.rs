//! Values as bytes, beside the text that the engine prints, what PostgreSQL's own functions send, and what is read
//! back.

mod logical;

use super::{BatchRows, cells};
use crate::decode;
use crate::wire::Format;
use crate::wire::room::Room;
use multiloop::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int16Array, Int32Array,
    Int64Array, IntervalMonthDayNanoArray, RecordBatch, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use multiloop::arrow::datatypes::{Field as ArrowField, IntervalMonthDayNanoType, Schema};
use multiloop::format::text_of;
use multiloop::{DataType, Field, Sight, Value};
use proptest::prelude::*;
use std::sync::Arc;

fn bytes(array: &ArrayRef, data_type: DataType, format: Format, row: usize) -> Vec<u8> {
    let mut out = Vec::new();
    cells(array, data_type, format, &Sight::default())
        .expect("the array is of the type")
        .value(row, &mut Room::new(&mut out));
    out
}

fn text(array: impl Into<ArrayRef>, data_type: DataType) -> String {
    String::from_utf8(bytes(&array.into(), data_type, Format::Text, 0)).expect("text is UTF-8")
}

/// What the engine prints for the same array.
fn printed(array: &ArrayRef, data_type: DataType) -> Vec<Option<String>> {
    let schema = Schema::new(vec![ArrowField::new("c", array.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::clone(array)]).expect("a batch of one column");
    let mut texts = Vec::new();
    let fields = [Field::new("c", data_type, true)];
    text_of(&fields, &batch, &Sight::default(), &mut |_, text| texts.push(text)).expect("it is printed");
    texts
}

/// The shortest digits of a float may be two texts, equally near; PostgreSQL takes the one that is even.
fn is_as_short(text: &str, expected: &str) -> bool {
    let double = |text: &str| text.parse::<f64>().unwrap_or_default();
    text.len() == expected.len() && double(text).is_finite() && (double(text) / double(expected) - 1.0).abs() < 1e-6
}

/// All rows are written as the engine prints them, and their binary form is read back as the value whose text that is.
fn check(array: ArrayRef, data_type: DataType) {
    for (row, expected) in printed(&array, data_type).into_iter().enumerate() {
        let column = cells(&array, data_type, Format::Text, &Sight::default()).expect("the array is of the type");
        assert_eq!(column.is_null(row), expected.is_none());
        let Some(expected) = expected else { continue };
        let text = bytes(&array, data_type, Format::Text, row);
        let shown = String::from_utf8_lossy(&text);
        let is_right = shown == expected || (data_type.is_float() && is_as_short(&shown, &expected));
        assert!(is_right, "{data_type}: {shown} for {expected}");
        let binary = bytes(&array, data_type, Format::Binary, row);
        let read = |format, bytes: &[u8]| decode::parameter(1, data_type, (format, bytes), &Sight::default());
        let from_text = read(Format::Text, &text).expect("text is read back");
        let from_binary = read(Format::Binary, &binary).expect("bytes are read back");
        assert_eq!(from_binary, from_text, "{data_type}: {expected}");
    }
}

const EDGES: [i64; 12] = [0, 1, -1, 9, 10, 99, 100, -100, 12_345, i64::MAX / 3, i64::MIN / 3, 1 << 40];

#[test]
fn booleans_and_integers() {
    check(Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), DataType::Boolean);
    check(Arc::new(Int16Array::from(vec![Some(i16::MIN), Some(i16::MAX), None, Some(0)])), DataType::SmallInt);
    check(Arc::new(Int32Array::from(vec![Some(i32::MIN), Some(i32::MAX), None, Some(-7)])), DataType::Integer);
    check(Arc::new(Int64Array::from(vec![i64::MIN, i64::MAX, 0, -1])), DataType::BigInt);
    assert_eq!(text(Arc::new(BooleanArray::from(vec![true])) as ArrayRef, DataType::Boolean), "t");
}

#[test]
fn floats() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        1e14,
        1e15,
        123_456_789_012_345.0,
        1_234_567_890_123_456.0,
        1e-4,
        1.5e-5,
        1e300,
        1e-300,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        100.0,
        1e22,
        0.3,
        2.5e-7,
    ];
    check(Arc::new(Float64Array::from(values.to_vec())), DataType::Double);
    let singles = values.map(|value| value as f32);
    check(Arc::new(Float32Array::from(singles.to_vec())), DataType::Real);
    let double = |value| text(Arc::new(Float64Array::from(vec![value])) as ArrayRef, DataType::Double);
    // As psql shows them.
    assert_eq!(double(1e15), "1e+15");
    assert_eq!(double(100_000_000_000_000.0), "100000000000000");
    assert_eq!(double(0.0001), "0.0001");
    assert_eq!(double(0.00001), "1e-05");
    assert_eq!(double(-0.0), "-0");
    // Between two texts that are equally short and near, the even one.
    assert_eq!(text(Arc::new(Float32Array::from(vec![-173_798.13f32])) as ArrayRef, DataType::Real), "-173798.12");
    assert_eq!(text(Arc::new(Float32Array::from(vec![1e6f32])) as ArrayRef, DataType::Real), "1e+06");
    assert_eq!(
        text(Arc::new(Float32Array::from(vec![3.402_823_5e38f32])) as ArrayRef, DataType::Real),
        "3.4028235e+38"
    );
}

#[test]
fn decimals() {
    for (precision, scale) in [(38, 0), (38, 2), (38, 5), (38, 16), (38, 17), (38, 38), (4, 4)] {
        let limit = 10i128.pow(precision.into()) - 1;
        let edges = EDGES.iter().map(|edge| i128::from(*edge).clamp(-limit, limit)).chain([limit, -limit, limit / 7]);
        let array = Decimal128Array::from_iter_values(edges);
        let array = array.with_precision_and_scale(precision, scale as i8).expect("the digits are in range");
        check(Arc::new(array), DataType::decimal(precision, scale));
    }
    let decimal = |value: i128, scale: u8| -> ArrayRef {
        let array = Decimal128Array::from(vec![value]);
        Arc::new(array.with_precision_and_scale(38, scale as i8).expect("the digits are in range"))
    };
    let binary = |value, scale| {
        let bytes = bytes(&decimal(value, scale), DataType::decimal(38, scale), Format::Binary, 0);
        bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect::<Vec<_>>()
    };
    // numeric_send: digits, weight, sign, scale, then digits of base 10,000.
    assert_eq!(binary(0, 0), [0, 0, 0, 0]);
    assert_eq!(binary(0, 2), [0, 0, 0, 2]);
    assert_eq!(binary(123_456, 2), [2, 0, 0, 2, 1_234, 5_600]);
    assert_eq!(binary(-1, 4), [1, 0xffff, 0x4000, 4, 1]);
    assert_eq!(binary(1, 5), [1, 0xfffe, 0, 5, 1_000]);
    assert_eq!(binary(100_000_000, 0), [1, 2, 0, 0, 1]);
    assert_eq!(binary(10i128.pow(30), 2), [1, 7, 0, 2, 1]);
    assert_eq!(
        binary(12_345_678_901_234_567_890_123_456, 0),
        [7, 6, 0, 0, 12, 3_456, 7_890, 1_234, 5_678, 9_012, 3_456]
    );
}

#[test]
fn numerics_of_any_number_of_digits() {
    let texts = [
        "0",
        "0.00",
        "1",
        "-1",
        "12345.678",
        "0.00001",
        "NaN",
        "Infinity",
        "-Infinity",
        "10000",
        "99999999.9999",
        "123456789012345678901234567890123456789012345678901234567890.5",
        "-0.000000000000000000000000000000000000000001",
    ];
    let array: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
    for (row, expected) in texts.iter().enumerate() {
        assert_eq!(bytes(&array, DataType::Numeric, Format::Text, row), expected.as_bytes());
        let binary = bytes(&array, DataType::Numeric, Format::Binary, row);
        let value = decode::parameter(1, DataType::Numeric, (Format::Binary, &binary), &Sight::default())
            .expect("bytes are read back");
        let Value::Numeric(number) = value else { panic!("a numeric is no {value:?}") };
        assert_eq!(number.to_string(), *expected);
    }
}

#[test]
fn texts() {
    let array: ArrayRef = Arc::new(StringArray::from(vec![Some(""), Some("ä\n\t\\"), None, Some("日本語")]));
    check(Arc::clone(&array), DataType::Text);
    check(array, DataType::VARCHAR);
}

#[test]
fn dates_and_times() {
    let days = [0, 10_957, -1, -719_162, -719_163, -719_528, 2_932_896, 2_932_897, -2_440_588, i32::MAX, i32::MIN, 59];
    check(Arc::new(Date32Array::from(days.to_vec())), DataType::Date);
    let micros = [0, 1, 999_999, 1_000_000, 100, 86_399_999_999, 86_400_000_000, 45_296_500_000];
    check(Arc::new(Time64MicrosecondArray::from(micros.to_vec())), DataType::Time);
    let stamps = micros.iter().flat_map(|time| [*time, time - 62_135_596_800_000_000, -time, time * 10_000]);
    let stamps: Vec<i64> = stamps.chain([i64::MAX, i64::MIN]).collect();
    check(Arc::new(TimestampMicrosecondArray::from(stamps)), DataType::Timestamp);
    let date = |days| text(Arc::new(Date32Array::from(vec![days])) as ArrayRef, DataType::Date);
    assert_eq!((date(0), date(-719_163)), ("1970-01-01".to_owned(), "0001-12-31 BC".to_owned()));
    assert_eq!(date(2_932_897), "10000-01-01");
    let array: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![946_684_800_000_001]));
    assert_eq!(bytes(&array, DataType::Timestamp, Format::Binary, 0), 1i64.to_be_bytes());
}

#[test]
fn intervals() {
    let value = |months, days, micros: i64| IntervalMonthDayNanoType::make_value(months, days, micros * 1_000);
    let values = vec![
        value(0, 0, 0),
        value(14, 3, 14_706_500_000),
        value(-1, 1, -1),
        value(12, -1, 1),
        value(0, 1, 0),
        value(1, 0, 360_000_000_000),
        value(-25, 0, 3_600_000_000_000_000 / 1_000),
    ];
    check(Arc::new(IntervalMonthDayNanoArray::from(values)), DataType::Interval);
    let array: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(vec![value(14, 3, 14_706_500_000)]));
    assert_eq!(text(Arc::clone(&array), DataType::Interval), "1 year 2 mons 3 days 04:05:06.5");
    let expected = [14_706_500_000i64.to_be_bytes().as_slice(), &3i32.to_be_bytes(), &14i32.to_be_bytes()].concat();
    assert_eq!(bytes(&array, DataType::Interval, Format::Binary, 0), expected);
}

#[test]
fn an_array_of_another_type_is_an_error() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    assert!(cells(&array, DataType::BigInt, Format::Text, &Sight::default()).is_err_and(|fault| fault.code == "XX000"));
    assert!(cells(&array, DataType::Text, Format::Binary, &Sight::default()).is_err_and(|fault| fault.code == "XX000"));
}

#[test]
fn rows_stop_at_a_number_and_at_a_size() {
    let schema = Schema::new(vec![ArrowField::new("c", multiloop::arrow::datatypes::DataType::Int32, true)]);
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(333)]));
    let batch = RecordBatch::try_new(Arc::new(schema), vec![array]).expect("a batch of one column");
    let fields = [Field::new("c", DataType::Integer, true)];
    let mut rows =
        BatchRows::new(&batch, &fields, |_| Format::Text, &Sight::default()).expect("the batch is of the fields");
    let mut out = Vec::new();
    assert_eq!(rows.write(2, 1 << 20, &mut out).expect("they are short"), 2);
    assert_eq!(out, b"D\0\0\0\x0b\0\x01\0\0\0\x011D\0\0\0\x0a\0\x01\xff\xff\xff\xff");
    assert_eq!(rows.write(2, out.len(), &mut out).expect("they are short"), 0);
    assert_eq!(rows.left(), 1);
    assert_eq!(rows.write(usize::MAX, 1 << 20, &mut out).expect("they are short"), 1);
    assert_eq!(rows.left(), 0);
    assert!(BatchRows::new(&batch, &[], |_| Format::Text, &Sight::default()).is_err());
}

proptest! {
    #[test]
    fn any_double_is_written(bits: u64) {
        let value = f64::from_bits(bits);
        check(Arc::new(Float64Array::from(vec![value])), DataType::Double);
        check(Arc::new(Float32Array::from(vec![value as f32])), DataType::Real);
    }

    #[test]
    fn any_decimal_is_written(value in any::<i128>(), precision in 1u8..=38, scale in 0u8..=38) {
        let (scale, limit) = (scale.min(precision), 10i128.pow(precision.into()));
        let array = Decimal128Array::from(vec![value % limit]);
        let array = array.with_precision_and_scale(precision, scale as i8).expect("the digits are in range");
        check(Arc::new(array), DataType::decimal(precision, scale));
    }

    #[test]
    fn any_date_and_timestamp_is_written(
        days in -2_440_588i32..=100_000_000,
        micros in -210_866_803_200_000_000i64..i64::MAX,
    ) {
        check(Arc::new(Date32Array::from(vec![days])), DataType::Date);
        check(Arc::new(TimestampMicrosecondArray::from(vec![micros])), DataType::Timestamp);
    }

    #[test]
    fn any_interval_is_written(
        months in -100_000i32..100_000,
        days: i32,
        micros in -1_000_000_000_000_000i64..1_000_000_000_000_000,
    ) {
        let value = IntervalMonthDayNanoType::make_value(months, days, micros * 1_000);
        check(Arc::new(IntervalMonthDayNanoArray::from(vec![value])), DataType::Interval);
    }
}
