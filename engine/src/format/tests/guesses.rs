//! What CSV files are taken for: wrong only towards text, and what is written comes back.

use super::*;
use crate::Sight;
use proptest::prelude::*;

/// The names, types and fields of a file as text; `-` is NULL.
fn guessed(bytes: &[u8]) -> String {
    let folder = Folder::new();
    let table = read(&folder.write("t.csv", bytes)).unwrap();
    shown(&table)
}

pub(in crate::format) fn shown(table: &Table) -> String {
    let head = table.fields.iter().map(|field| format!("{} {}", field.name, field.data_type)).collect::<Vec<_>>();
    let cell = |(value, field): (&Value, &Field)| match value {
        Value::Null => "-".to_owned(),
        value => multiloop_planner::evaluate::format(value, field.data_type),
    };
    let row = |row: &Vec<Value>| row.iter().zip(&table.fields).map(cell).collect::<Vec<_>>().join("|");
    let rows = table.values().iter().map(row).collect::<Vec<_>>();
    format!("{}: {}", head.join(", "), rows.join(" / "))
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(guessed(text.as_bytes()), *expected, "{text:?}");
    }
}

#[test]
fn headers() {
    check(&[
        (",price\n7,2.5\n8,3.5\n", "column0 bigint, price double precision: 7|2.5 / 8|3.5"),
        ("k,,v\n1,x,2\n", "k bigint, column1 text, v bigint: 1|x|2"),
        ("k,v,\n1,2,\n3,4,\n", "k bigint, v bigint, column2 text: 1|2|- / 3|4|-"),
        ("k,v\n1,2,\n3,4,\n", "k bigint, v bigint: 1|2 / 3|4"),
        ("1,2,\n3,4,\n", "column0 bigint, column1 bigint, column2 text: 1|2|- / 3|4|-"),
        (",\n1,2\n", "column0 bigint, column1 bigint: -|- / 1|2"),
        ("k,\nx,y\n", "k text, column1 text: x|y"),
        ("k,v\n1,2\n\n3,4\n\n", "k bigint, v bigint: 1|2 / 3|4"),
        ("k\n1\n\n3\n", "k bigint: 1 / - / 3"),
    ]);
}

#[test]
fn numbers() {
    let text = |field: &str| {
        let file = format!("k\n7\n{field}\n");
        let shown = guessed(file.as_bytes());
        assert_eq!(shown, format!("k text: 7 / {field}"), "{field:?}");
    };
    ["00501", "-01", "+49", "1_0", "0x1f", "1e999", "00.5"].iter().for_each(|field| text(field));
    check(&[
        ("k\n0\n0.50\n-.5\n5.\n", "k double precision: 0 / 0.5 / -0.5 / 5"),
        ("k\nNaN\n1.5\ninf\n-Infinity\n", "k double precision: NaN / 1.5 / Infinity / -Infinity"),
        ("k,v\n 1, 2.5\n 3 , 4\n", "k bigint, v double precision: 1|2.5 / 3|4"),
        ("k\n-0\n1\n", "k double precision: -0 / 1"),
        ("k\n9007199254740993\n0.5\n", "k decimal(38,1): 9007199254740993.0 / 0.5"),
        ("k\n0.12345678901234567890\n7\n", "k decimal(38,20): 0.12345678901234567890 / 7.00000000000000000000"),
        ("k\n1234567890123456789012345678901234567890\n1\n", "k text: 1234567890123456789012345678901234567890 / 1"),
        ("k\n0.1000000000000000055511151231257827\n1e5\n", "k double precision: 0.1 / 100000"),
    ]);
}

#[test]
fn other_types() {
    check(&[
        ("k\nt\nf\nTRUE\n", "k boolean: t / f / t"),
        ("k\n2021-03-04T05:06:07+02:00\n", "k text: 2021-03-04T05:06:07+02:00"),
        ("k\n2021-03-04 05:06:07Z\n", "k text: 2021-03-04 05:06:07Z"),
        ("k\n2021-03-04T05:06:07\n2021-03-04\n", "k timestamp: 2021-03-04 05:06:07 / 2021-03-04 00:00:00"),
        ("k\n05:06:07.1234567\n", "k text: 05:06:07.1234567"),
        ("k\n 2021-03-04\n", "k date: 2021-03-04"),
        ("k\nt\n1\n", "k text: t / 1"),
    ]);
}

#[test]
fn dialects() {
    check(&[
        ("k|v\n1|x,y\n2|z\n", "k bigint, v text: 1|x,y / 2|z"),
        ("k\tv\n1\t2\n", "k bigint, v bigint: 1|2"),
        ("k;v\n1,5;2\n2,25;3\n", "k double precision, v bigint: 1.5|2 / 2.25|3"),
        ("k;v\n1,234;2\n", "k text, v bigint: 1,234|2"),
        ("k;v\n1,234;0,5\n", "k double precision, v double precision: 1.234|0.5"),
        ("k;v\n1,5;2.5\n", "k text, v double precision: 1,5|2.5"),
        ("k,v;w\n1,2;3\n", "k bigint, v;w text: 1|2;3"),
        ("k,v\r1,2\r3,\"x\ry\"\r", "k bigint, v text: 1|2 / 3|x\ry"),
        ("k,v\r1,\"x\ny\"\r", "k bigint, v text: 1|x\ny"),
        ("k,v\n'1,2',3\n'4',6\n", "k text, v bigint: 1,2|3 / 4|6"),
        ("k,v\n\"x\\\"y\",1\n", "k text, v bigint: x\"y|1"),
        ("k,v\n5\" pipe,1\n6\" pipe,2\n", "k text, v bigint: 5\" pipe|1 / 6\" pipe|2"),
        ("k, v\n1, \"x, y\"\n", "k bigint, v text: 1|x, y"),
        ("k,v\nit's,1\nhe's,2\n", "k text, v bigint: it's|1 / he's|2"),
    ]);
}

#[test]
fn quotes_say_text_where_only_some_fields_have_them() {
    check(&[
        ("k,v\n\"1\",2\n", "k bigint, v bigint: 1|2"),
        ("k,v\n\"1.50\",2\n", "k text, v bigint: 1.50|2"),
        ("\"k\",\"v\"\n\"1.50\",\"2\"\n", "k double precision, v bigint: 1.5|2"),
        ("k,v\n\" 1\",2\n\"TRUE\",3\n", "k text, v bigint:  1|2 / TRUE|3"),
        ("k,v\n\"\",2\n,3\n", "k text, v bigint: |2 / -|3"),
    ]);
}

#[test]
fn rows_behind_the_first_ones() {
    let folder = Folder::new();
    for late in ["01220", "x", "2020-01-01", "1.50x", "12345678901234567890123456789012345678901"] {
        let text = format!("k\n{}{late}\n", "1\n".repeat(30_000));
        let table = read(&folder.write("t.csv", text)).unwrap();
        assert_eq!((table.rows(), table.fields[0].data_type), (30_001, DataType::Text), "{late}");
        assert_eq!(table.values()[30_000], [Value::text(late)]);
    }
    let text = format!("k\n{}2.5\n", "1\n".repeat(30_000));
    assert_eq!(read(&folder.write("t.csv", text)).unwrap().fields[0].data_type, DataType::Double);
}

#[test]
fn given_columns_may_be_separated_otherwise() {
    let folder = Folder::new();
    let fields = [Field::new("a", DataType::Integer, true), Field::new("b", DataType::Text, true)];
    let read = |text: &str| read_table(&folder.write("t.csv", text), &csv(), Some(&fields), &context());
    assert_eq!(shown(&read("1|x\n2|y,z\n").unwrap()), "a integer, b text: 1|x / 2|y,z");
    assert_eq!(shown(&read("a,b\r1,x;y\r2,z\r").unwrap()), "a integer, b text: 1|x;y / 2|z");
    // Where commas give as many fields in the first row, they separate them, as in PostgreSQL's COPY.
    assert_eq!(read("1|x,y\n2|z\n").unwrap_err().sqlstate(), "22P02");
}

/// A field of text that is often taken for something else.
fn text() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "t",
        "1",
        "01",
        "1.50",
        " 2",
        "",
        "NULL",
        "2020-01-01T10:00:00",
        "TRUE",
        "'x'",
        "a,b",
        "a|b;c\td",
        "1e5",
        "nan",
    ];
    prop_oneof![
        3 => proptest::sample::select(WORDS).prop_map(Value::text),
        1 => "[a-z\"',;|\\\\ \r\n0-9.]{0,6}".prop_map(Value::text),
        1 => Just(Value::Null),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What is written is read as the same values: of text as text, of other types as their own.
    #[test]
    fn what_is_written_comes_back(
        rows in proptest::collection::vec((any::<f64>(), text(), 0i64..3_000_000, any::<bool>(), text()), 1..12),
    ) {
        use DataType::{BigInt, Boolean, Date, Double, Text};
        let types = [Double, Text, Date, Boolean, Text, BigInt];
        let names = ["x", "s", "d", "b", "u", "k"];
        let fields: Vec<Field> =
            names.iter().zip(types).map(|(name, data_type)| Field::new(*name, data_type, true)).collect();
        let rows: Vec<Vec<Value>> = rows.into_iter().enumerate().map(|(number, (x, s, d, b, u))| {
            let day = if d > 2_900_000 { Value::Null } else { Value::Int(d) };
            vec![Value::Float(x), s, day, Value::Boolean(b), u, Value::Int(number as i64)]
        }).collect();
        let table = Table::from_values(fields, &rows);
        let folder = Folder::new();
        let path = folder.path("t.csv");
        write_table(Path::new(&path), &csv(), (&table.fields, &Sight::default()), batches(&table)).unwrap();
        let back = read(&path).unwrap();
        let (written, read) = (shown(&table), shown(&back));
        // Names and values; types below, of what has any.
        let rows_of = |text: &str| text.split_once(": ").map(|(_, rows)| rows.to_owned());
        prop_assert_eq!(rows_of(&written), rows_of(&read), "{}", std::fs::read_to_string(&path).unwrap());
        prop_assert_eq!(back.fields[3].data_type, Boolean);
        prop_assert_eq!(back.fields[5].data_type, BigInt);
    }
}
