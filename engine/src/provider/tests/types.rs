//! Columns of all kinds of types, and values that their arrays have and their types have not.

use super::{engine, rows};
use crate::provider::{ProviderError, Scan, TablePart, TableProvider};
use crate::{DataType, Field, Session};
use arrow::array::{
    ArrayRef, BinaryArray, Date64Array, Decimal128Array, DictionaryArray, Float32Array, Int8Array, ListArray,
    RecordBatch, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow::datatypes::Int32Type;
use std::sync::Arc;

/// Batches of all columns, as a provider.
#[derive(Debug)]
struct Given(Vec<Field>, Vec<Vec<ArrayRef>>);

impl TableProvider for Given {
    fn fields(&self) -> Vec<Field> {
        self.0.clone()
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        let batch = |arrays: &Vec<ArrayRef>| {
            let column = |&column: &usize| (self.0[column].name.clone(), Arc::clone(&arrays[column]), true);
            Ok(RecordBatch::try_from_iter_with_nullable(scan.columns.iter().map(column))?)
        };
        let batches: Vec<Result<RecordBatch, ProviderError>> = self.1.iter().map(batch).collect();
        Ok(vec![TablePart::new(batches.into_iter())])
    }
}

fn session(columns: Vec<(&str, DataType, Vec<ArrayRef>)>) -> Session {
    let fields = columns.iter().map(|(name, data_type, _)| Field::new(*name, *data_type, true)).collect();
    let batches = columns.first().map_or(0, |(_, _, arrays)| arrays.len());
    let batch = |at: usize| columns.iter().map(|(_, _, arrays)| Arc::clone(&arrays[at])).collect();
    let session = engine().session();
    session.register_table("t", Given(fields, (0..batches).map(batch).collect())).expect("a table");
    session
}

fn all_types() -> Session {
    const UUID: &str = "0b1d2a5e-0000-4000-8000-0000000000ff";
    let uuids = |of: Vec<Option<&str>>| Arc::new(StringArray::from(of)) as ArrayRef;
    let zoned = |of: Vec<Option<i64>>| Arc::new(TimestampMicrosecondArray::from(of).with_timezone("UTC")) as ArrayRef;
    let lists =
        |of: Vec<Option<Vec<Option<i32>>>>| Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(of)) as ArrayRef;
    let words = |of: Vec<Option<&str>>| Arc::new(of.into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef;
    let bytes = |of: Vec<Option<&[u8]>>| Arc::new(BinaryArray::from(of)) as ArrayRef;
    let numbers = |of: Vec<Option<i128>>| {
        Arc::new(Decimal128Array::from(of).with_precision_and_scale(20, 3).expect("a decimal")) as ArrayRef
    };
    let json = |of: Vec<Option<&str>>| Arc::new(StringArray::from(of)) as ArrayRef;
    let small = |of: Vec<Option<i8>>| Arc::new(Int8Array::from(of)) as ArrayRef;
    let reals = |of: Vec<Option<f32>>| Arc::new(Float32Array::from(of)) as ArrayRef;
    let times = |of: Vec<Option<i64>>| Arc::new(Time64MicrosecondArray::from(of)) as ArrayRef;
    let list = DataType::list(DataType::Integer);
    session(vec![
        ("u", DataType::Uuid, vec![uuids(vec![Some(UUID), None]), uuids(vec![Some(UUID)])]),
        ("z", DataType::TimestampTz, vec![zoned(vec![Some(0), None]), zoned(vec![Some(-1)])]),
        ("l", list, vec![lists(vec![Some(vec![Some(1), None]), None]), lists(vec![Some(vec![])])]),
        ("w", DataType::Text, vec![words(vec![Some("b"), Some("a")]), words(vec![Some("c")])]),
        ("y", DataType::Bytea, vec![bytes(vec![Some(b"\xff\x00"), None]), bytes(vec![Some(b"")])]),
        ("x", DataType::Numeric, vec![numbers(vec![Some(1500), None]), numbers(vec![Some(-1)])]),
        ("j", DataType::Json, vec![json(vec![Some("{\"a\": 1}"), None]), json(vec![Some("[]")])]),
        ("s", DataType::SmallInt, vec![small(vec![Some(-128), None]), small(vec![Some(127)])]),
        ("r", DataType::Real, vec![reals(vec![Some(0.1), None]), reals(vec![Some(f32::NAN)])]),
        ("c", DataType::Time, vec![times(vec![Some(0), None]), times(vec![Some(86_400_000_000)])]),
    ])
}

#[test]
fn columns_of_all_types() {
    let session = all_types();
    session.sql("SET timezone = 'UTC'").expect("a setting");
    assert_eq!(rows(&session, "SELECT u::text, w FROM t WHERE u = '0B1D2A5E-0000-4000-8000-0000000000FF'").len(), 2);
    assert_eq!(
        rows(&session, "SELECT z::text FROM t WHERE z < '1970-01-01 00:00+00'"),
        ["1969-12-31 23:59:59.999999+00"]
    );
    assert_eq!(rows(&session, "SELECT l::text, array_length(l, 1) FROM t"), ["NULL|NULL", "{1,NULL}|2", "{}|NULL"]);
    assert_eq!(rows(&session, "SELECT w, count(*) FROM t GROUP BY w"), ["a|1", "b|1", "c|1"]);
    assert_eq!(rows(&session, "SELECT w FROM t WHERE w IN ('a', 'c')"), ["a", "c"]);
    assert_eq!(rows(&session, "SELECT y::text FROM t WHERE y <> ''"), ["\\xff00"]);
    assert_eq!(rows(&session, "SELECT sum(x)::text, max(x)::text, count(*) FROM t WHERE x > -1"), ["1.499|1.500|2"]);
    assert_eq!(rows(&session, "SELECT j->>'a' FROM t WHERE j IS NOT NULL"), ["1", "NULL"]);
    assert_eq!(rows(&session, "SELECT sum(s), min(s) FROM t WHERE s > -200"), ["-1|-128"]);
    assert_eq!(rows(&session, "SELECT r::text FROM t WHERE r = 'NaN' OR r < 1"), ["0.1", "NaN"]);
    assert_eq!(rows(&session, "SELECT max(c)::text FROM t"), ["24:00:00"]);
    session.sql("CREATE TABLE kept AS SELECT * FROM t").expect("rows are copied");
    let shown = "u, z::text, l::text, w, y::text, x::text, j, s, r, c";
    let of = |table: &str| rows(&session, &format!("SELECT {shown} FROM {table}"));
    assert_eq!(of("kept"), of("t"));
}

#[test]
fn values_beyond_their_type() {
    let decimal = Decimal128Array::from(vec![Some(5), Some(10_000)]).with_precision_and_scale(3, 1).expect("a decimal");
    let times = Time64MicrosecondArray::from(vec![0, -1]);
    let days = Date64Array::from(vec![0, i64::MAX]);
    let all: [(DataType, ArrayRef, &str); 3] = [
        (DataType::decimal(3, 1), Arc::new(decimal), "22003"),
        (DataType::Time, Arc::new(times), "22008"),
        (DataType::Date, Arc::new(days), "22008"),
    ];
    for (data_type, array, sqlstate) in all {
        let session = session(vec![("a", data_type, vec![array])]);
        let error = session.sql("SELECT sum(n) FROM (SELECT 1 AS n, a FROM t WHERE a IS NOT NULL) x").err();
        let error = error.unwrap_or_else(|| panic!("{data_type}: it runs"));
        assert_eq!(error.sqlstate(), sqlstate, "{error}");
        assert!(error.message().starts_with("table provider \"t\": "), "{error}");
    }
}

#[test]
fn types_with_a_length_are_refused() {
    for data_type in [DataType::Char(3), DataType::Varchar(3), DataType::list(DataType::Varchar(3))] {
        let given = Given(vec![Field::new("a", data_type, true)], Vec::new());
        let error = engine().session().register_table("t", given).expect_err("it is refused");
        assert_eq!(error.sqlstate(), "0A000", "{error}");
    }
    let given = Given(vec![Field::new("a", DataType::VARCHAR, true)], Vec::new());
    engine().session().register_table("t", given).expect("a table");
}
