//! Every Arrow type in, as its SQL values, and every SQL type out and in again.

use super::{
    arrow_type, fields_of, schema_of, schema_of_rows, to_array, to_column, to_column_of, to_record_batch,
    to_record_batch_as,
};
use crate::column::{Chunk, Column};
use ::arrow::array::types::{Int8Type, Int32Type, IntervalDayTime, IntervalMonthDayNano};
use ::arrow::array::*;
use ::arrow::buffer::OffsetBuffer;
use ::arrow::datatypes::{Field as ArrowField, Schema};
use multiloop_planner::evaluate::parse;
use multiloop_planner::types::{DataType, Field, OidKind};
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

fn values(array: ArrayRef) -> (DataType, Vec<Value>) {
    let field = ArrowField::new("x", array.data_type().clone(), true);
    let data_type = fields_of(&Schema::new(vec![field])).unwrap()[0].data_type;
    let column = to_column(&array, "x").unwrap();
    assert_eq!(column.rows(), array.len());
    (data_type, (0..array.len()).map(|row| column.value(row, data_type)).collect())
}

fn check(array: impl Array + 'static, data_type: DataType, expected: &[Value]) {
    let array: ArrayRef = Arc::new(array);
    assert_eq!(values(Arc::clone(&array)), (data_type, expected.to_vec()));
    let rest = expected.len().saturating_sub(1);
    let start = expected.len() - rest;
    assert_eq!(values(array.slice(start, rest)), (data_type, expected[start..].to_vec()), "a slice");
}

fn int(value: i64) -> Value {
    Value::Int(value)
}

#[test]
fn numbers_come_in() {
    let null = Value::Null;
    check(Int8Array::from(vec![Some(-128), None, Some(127)]), DataType::SmallInt, &[int(-128), null.clone(), int(127)]);
    check(UInt8Array::from(vec![0, 255]), DataType::SmallInt, &[int(0), int(255)]);
    check(UInt16Array::from(vec![0, 65_535]), DataType::Integer, &[int(0), int(65_535)]);
    check(UInt32Array::from(vec![0, u32::MAX]), DataType::BigInt, &[int(0), int(u32::MAX.into())]);
    check(
        UInt64Array::from(vec![0, u64::MAX]),
        DataType::decimal(20, 0),
        &[Value::Decimal(0), Value::Decimal(u64::MAX.into())],
    );
    check(Int64Array::from(vec![i64::MIN, i64::MAX]), DataType::BigInt, &[int(i64::MIN), int(i64::MAX)]);
    check(Float64Array::from(vec![f64::NAN, -0.0]), DataType::Double, &[Value::Float(f64::NAN), Value::Float(-0.0)]);
    let decimals =
        Decimal128Array::from(vec![Some(-1), None, Some(10i128.pow(37))]).with_precision_and_scale(38, 4).unwrap();
    check(decimals, DataType::decimal(38, 4), &[Value::Decimal(-1), null.clone(), Value::Decimal(10i128.pow(37))]);
    check(
        Decimal64Array::from(vec![5]).with_precision_and_scale(18, 2).unwrap(),
        DataType::decimal(18, 2),
        &[Value::Decimal(5)],
    );
    check(
        BooleanArray::from(vec![Some(true), None, Some(false)]),
        DataType::Boolean,
        &[Value::Boolean(true), null.clone(), Value::Boolean(false)],
    );
    check(NullArray::new(2), DataType::Text, &[null.clone(), null]);
}

#[test]
fn times_come_in() {
    check(Date32Array::from(vec![-1, 20_000]), DataType::Date, &[int(-1), int(20_000)]);
    check(Date64Array::from(vec![-1, 86_400_000]), DataType::Date, &[int(-1), int(1)]);
    check(Time32SecondArray::from(vec![0, 86_399]), DataType::Time, &[int(0), int(86_399_000_000)]);
    check(Time64NanosecondArray::from(vec![2_000]), DataType::Time, &[int(2)]);
    check(TimestampMillisecondArray::from(vec![-5, 7]), DataType::Timestamp, &[int(-5_000), int(7_000)]);
    check(TimestampNanosecondArray::from(vec![-1_000]).with_timezone("UTC"), DataType::TimestampTz, &[int(-1)]);
    let overflow: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX]));
    assert_eq!(to_column(&overflow, "x").unwrap_err().sqlstate(), "22008");
    let at_null: ArrayRef = Arc::new(TimestampSecondArray::new(vec![i64::MAX].into(), Some(vec![false].into())));
    assert!(to_column(&at_null, "x").unwrap().is_null(0));
    let interval = |months, days, micros| Value::Interval(Interval { months, days, micros });
    check(IntervalYearMonthArray::from(vec![14]), DataType::Interval, &[interval(14, 0, 0)]);
    check(IntervalDayTimeArray::from(vec![IntervalDayTime::new(1, -2)]), DataType::Interval, &[interval(0, 1, -2_000)]);
    let nanos = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, -1_000)]);
    check(nanos, DataType::Interval, &[interval(1, 2, -1)]);
    // What microseconds would lose is an error, but not at a NULL.
    let finer: [ArrayRef; 3] = [
        Arc::new(Time64NanosecondArray::from(vec![2_000, 1_999])),
        Arc::new(TimestampNanosecondArray::from(vec![-1])),
        Arc::new(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(0, 0, 1)])),
    ];
    assert!(finer.iter().all(|array| to_column(array, "x").unwrap_err().sqlstate() == "22008"));
    let at_null: ArrayRef = Arc::new(TimestampNanosecondArray::new(vec![1].into(), Some(vec![false].into())));
    assert!(to_column(&at_null, "x").unwrap().is_null(0));
}

#[test]
fn text_comes_in() {
    let texts = vec![Some("b"), None, Some(""), Some("a long string that no view holds inline"), Some("b")];
    let expected: Vec<Value> = texts.iter().map(|text| text.map_or(Value::Null, Value::text)).collect();
    check(StringArray::from(texts.clone()), DataType::Text, &expected);
    check(LargeStringArray::from(texts.clone()), DataType::Text, &expected);
    check(StringViewArray::from(texts.clone()), DataType::Text, &expected);
    check(texts.into_iter().collect::<DictionaryArray<Int32Type>>(), DataType::Text, &expected);
    // Values unsorted, repeated, unused and NULL.
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("z"), None, Some("a"), Some("z"), Some("unused")]));
    let keys = Int8Array::from(vec![Some(3), Some(1), Some(0), None, Some(2)]);
    let dictionary = DictionaryArray::<Int8Type>::new(keys, values);
    let expected = [Value::text("z"), Value::Null, Value::text("z"), Value::Null, Value::text("a")];
    check(dictionary, DataType::Text, &expected);
    let nothing: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    check(
        DictionaryArray::<Int8Type>::new(Int8Array::from(vec![None, None]), nothing),
        DataType::Text,
        &[Value::Null, Value::Null],
    );
}

#[test]
fn unknown_types_name_their_column() {
    for array in [
        Arc::new(DurationSecondArray::from(vec![1])) as ArrayRef,
        Arc::new(Decimal128Array::from(vec![1]).with_precision_and_scale(5, -2).unwrap()),
    ] {
        let error = to_column(&array, "payload").unwrap_err();
        assert_eq!(error.sqlstate(), "0A000");
        assert!(error.message().starts_with("column \"payload\""), "{error}");
    }
}

#[test]
fn results_go_out_and_come_back() {
    let interval = Value::Interval(Interval { months: -1, days: 2, micros: 3 });
    let array = |text: &str| parse(text, DataType::list(DataType::Integer)).unwrap();
    let cases: Vec<(DataType, Vec<Value>)> = vec![
        (DataType::Boolean, vec![Value::Boolean(true), Value::Boolean(false)]),
        (DataType::SmallInt, vec![int(i16::MIN.into()), int(i16::MAX.into())]),
        (DataType::Integer, vec![int(i32::MIN.into()), int(i32::MAX.into())]),
        (DataType::BigInt, vec![int(i64::MIN), int(i64::MAX)]),
        (DataType::Real, vec![Value::Float(1.5), Value::Float(f64::NAN)]),
        (DataType::Double, vec![Value::Float(0.1), Value::Float(f64::INFINITY)]),
        (DataType::decimal(38, 3), vec![Value::Decimal(10i128.pow(38) - 1), Value::Decimal(-5)]),
        (DataType::Text, vec![Value::text("ä"), Value::text("")]),
        (DataType::Varchar(5), vec![Value::text("abcde")]),
        (DataType::Date, vec![int(-719_162), int(2_932_896)]),
        (DataType::Time, vec![int(0), int(86_399_999_999)]),
        (DataType::Timestamp, vec![int(i64::MIN), int(i64::MAX)]),
        (DataType::Interval, vec![interval]),
        (DataType::OID, vec![int(0), int(u32::MAX.into())]),
        (DataType::Oid(OidKind::Class), vec![int(1259)]),
        (DataType::Name, vec![Value::text("pg_class")]),
        (DataType::InternalChar, vec![Value::text("r"), Value::text("")]),
        (DataType::Bytea, vec![Value::text(""), Value::text("00ff")]),
        (DataType::Uuid, vec![Value::text("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")]),
        (DataType::Json, vec![Value::text("[1 , 2]")]),
        (DataType::Jsonb, vec![Value::text("[1, 2]")]),
        (DataType::Bit(3), vec![Value::text("101")]),
        (DataType::VARBIT, vec![Value::text(""), Value::text("1")]),
        (DataType::JsonPath, vec![Value::text("$.\"a\"")]),
        (DataType::TimestampTz, vec![int(i64::MIN), int(0), int(i64::MAX)]),
        (DataType::enumeration("mood", vec!["sad".to_owned(), "ok".to_owned()]), vec![int(1), int(0)]),
        (DataType::list(DataType::Integer), vec![array("{}"), array("{1,NULL,-3}"), array("{7}")]),
    ];
    for (data_type, mut given) in cases {
        given.push(Value::Null);
        let plain = Column::from_values(data_type, &given);
        let field = Field::new("x", data_type, true);
        let compacted = crate::column::compact::compact(&[plain.clone(), plain.slice(0, 0)], &field, true).unwrap();
        for column in [plain.slice(1, given.len() - 1), plain, compacted] {
            let expected = &given[given.len() - column.rows()..];
            let array = to_array(&column, data_type).unwrap();
            assert_eq!(array.data_type(), &arrow_type(data_type));
            let back = to_column_of(&array, &field).unwrap();
            let back: Vec<Value> = (0..back.rows()).map(|row| back.value(row, data_type)).collect();
            assert_eq!(back, expected, "{data_type}");
        }
    }
}

#[test]
fn fields_say_their_types() {
    let types = [
        DataType::OID,
        DataType::Oid(OidKind::Namespace),
        DataType::Name,
        DataType::InternalChar,
        DataType::Bytea,
        DataType::Uuid,
        DataType::Json,
        DataType::Jsonb,
        DataType::BIT,
        DataType::Bit(3),
        DataType::VarBit(5),
        DataType::JsonPath,
        DataType::list(DataType::Bit(3)),
        DataType::TimestampTz,
        DataType::Numeric,
        DataType::list(DataType::Text),
        DataType::list(DataType::Uuid),
        DataType::list(DataType::Oid(OidKind::Class)),
    ];
    let fields: Vec<Field> = types.iter().map(|data_type| Field::new("x", *data_type, true)).collect();
    assert_eq!(fields_of(&schema_of(&fields)).unwrap(), fields);
}

#[test]
fn arrays_are_lists_where_they_can_be() {
    let list = DataType::list(DataType::Text);
    let fields = [Field::new("x", list, true)];
    for (texts, arrow) in [
        (vec!["{}", "{a,NULL}"], "List(Utf8)"),
        (vec!["{{a,b},{c,NULL}}", "{}", "{{x}}"], "List(List(Utf8))"),
        (vec!["{{{a}},{{b}}}"], "List(List(List(Utf8)))"),
        (vec!["{a}", "{{b}}"], "Utf8"),
        (vec!["[0:1]={a,b}"], "Utf8"),
        (vec![], "List(Utf8)"),
    ] {
        let mut given: Vec<Value> = texts.iter().map(|text| parse(text, list).unwrap()).collect();
        given.push(Value::Null);
        let chunk = Arc::new(Chunk::new(given.len(), vec![Column::from_values(list, &given)]));
        let schema = schema_of_rows(&fields, std::slice::from_ref(&chunk), 0..1);
        assert_eq!(schema.field(0).data_type().to_string(), arrow, "{texts:?}");
        let batch = to_record_batch_as(&fields, &schema, &chunk).unwrap();
        let back = to_column_of(batch.column(0), &fields[0]).unwrap();
        let back: Vec<Value> = (0..back.rows()).map(|row| back.value(row, list)).collect();
        assert_eq!(back, given, "{texts:?}");
    }
}

#[test]
fn lists_come_in() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![])]);
    let list = DataType::list(DataType::Integer);
    let expected = ["{1,NULL}", "{}"].map(|text| parse(text, list).unwrap());
    check(lists, list, &[expected[0].clone(), Value::Null, expected[1].clone()]);
    let inner = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), Some(vec![Some(2), Some(3)])]);
    let item = Arc::new(ArrowField::new("item", inner.data_type().clone(), true));
    let ragged: ArrayRef =
        Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths([2]), Arc::new(inner), None).unwrap());
    assert_eq!(to_column(&ragged, "x").unwrap_err().sqlstate(), "2202E");
    check(BinaryArray::from(vec![b"x".as_ref(), b""]), DataType::Bytea, &[Value::text("78"), Value::text("")]);
}

#[test]
fn char_is_padded_at_the_edge() {
    let given = [Value::text("ä"), Value::Null, Value::text("abc"), Value::text("")];
    let fields = [Field::new("c", DataType::Char(3), true)];
    let chunk = Chunk::new(4, vec![Column::from_values(DataType::Char(3), &given)]);
    let batch = to_record_batch(&fields, &chunk).unwrap();
    let expected = StringArray::from(vec![Some("ä  "), None, Some("abc"), Some("   ")]);
    assert_eq!(batch.column(0).as_string::<i32>(), &expected);
    let nothing = to_record_batch(&[], &Chunk::new(7, vec![])).unwrap();
    assert_eq!(nothing.num_rows(), 7);
}
