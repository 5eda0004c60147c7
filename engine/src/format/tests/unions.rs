//! Several files as one table, whose columns differ.

use super::guesses::shown;
use super::*;
use crate::Sight;

#[test]
fn csv_files_are_united_by_name() {
    let folder = Folder::new();
    folder.write("a.csv", "k,v\n1,2\n");
    folder.write("b.csv", "v,k\n3.5,4\n");
    folder.write("c.csv", "k;w\n5;x\n");
    let table = read(&folder.path("*.csv")).unwrap();
    assert_eq!(shown(&table), "k bigint, v double precision, w text: 1|2|- / 4|3.5|- / 5|-|x");
    folder.write("d.csv", "v\n007\n");
    let table = read(&folder.path("*.csv")).unwrap();
    assert_eq!(shown(&table), "k bigint, v text, w text: 1|2|- / 4|3.5|- / 5|-|x / -|007|-");
}

fn write(folder: &Folder, name: &str, fields: Vec<Field>, row: &[Value]) {
    let table = Table::from_values(fields, &[row.to_vec()]);
    let format = Format::of_path(name).unwrap();
    write_table(Path::new(&folder.path(name)), &format, (&table.fields, &Sight::default()), batches(&table)).unwrap();
}

#[test]
fn files_that_know_their_types_are_united_by_name() {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    for ending in ["parquet", "arrow"] {
        let folder = Folder::new();
        let name = |stem: &str| format!("{stem}.{ending}");
        let first = vec![field("k", DataType::Integer), field("v", DataType::decimal(5, 2))];
        write(&folder, &name("a"), first, &[Value::Int(1), Value::Decimal(150)]);
        let other = vec![field("v", DataType::decimal(7, 3)), field("w", DataType::Date), field("k", DataType::BigInt)];
        write(&folder, &name("b"), other, &[Value::Decimal(1234), Value::Int(0), Value::Int(5_000_000_000)]);
        let table = read(&folder.path(&name("*"))).unwrap();
        let expected = "k bigint, v decimal(7,3), w date: 1|1.500|- / 5000000000|1.234|1970-01-01";
        assert_eq!(shown(&table), expected, "{ending}");
        write(&folder, &name("c"), vec![field("k", DataType::Text)], &[Value::text("x")]);
        let error = read(&folder.path(&name("*"))).unwrap_err();
        assert_eq!(error.sqlstate(), "42804");
        assert!(error.message().contains("\"k\"") && error.message().contains(&name("c")), "{error}");
    }
}

#[test]
fn compressed_files_and_streams() {
    use arrow::ipc::CompressionType;
    use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    let folder = Folder::new();
    let table = every_type(false);
    let batch = batches(&table).remove(0).unwrap();
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let options = || IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut file = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
        file.write(&batch).unwrap();
        let mut stream = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
        stream.write(&batch).unwrap();
        for (name, bytes) in [("f.arrow", file.into_inner()), ("s.arrow", stream.into_inner())] {
            let back = read(&folder.write(name, bytes.unwrap())).unwrap();
            assert_eq!(back.values(), table.values(), "{name} {compression:?}");
        }
    }
}

#[test]
fn parquet_of_every_compression() {
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
    use parquet::file::properties::WriterProperties;
    let folder = Folder::new();
    let table = every_type(false);
    let batch = batches(&table).remove(0).unwrap();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ] {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        let back = read(&folder.write("t.parquet", writer.into_inner().unwrap())).unwrap();
        assert_eq!(back.values(), table.values(), "{compression:?}");
    }
}

#[test]
fn structs_are_read() {
    use arrow::array::{ArrayRef, AsArray as _, Int32Array, StructArray};
    use arrow::datatypes::{DataType as Arrow, Field as ArrowField};
    use arrow::ipc::writer::FileWriter;
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;
    let folder = Folder::new();
    let tag: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let tags = StructArray::from(vec![(Arc::new(ArrowField::new("tag", Arrow::Int32, true)), tag)]);
    let columns: [(&str, ArrayRef); 3] = [
        ("k", Arc::new(Int32Array::from(vec![7, 8]))),
        ("tags", Arc::new(tags)),
        ("v", Arc::new(Int32Array::from(vec![70, 80]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    folder.write("t.arrow", file.into_inner().unwrap());
    let mut file = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    file.write(&batch).unwrap();
    folder.write("t.parquet", file.into_inner().unwrap());
    let session = crate::Engine::new().unwrap().session();
    for name in ["t.arrow", "t.parquet"] {
        let path = folder.path(name);
        let rows = session.sql(&format!("SELECT sum(k + v), count(*) FROM '{path}' f WHERE f.v > 70")).unwrap();
        assert_eq!(rows.collect_batches().unwrap()[0].num_rows(), 1);
        for asked in ["count(tags)", "*", "f.*", "k, f.tags", "(SELECT tags)"] {
            let batches = session.sql(&format!("SELECT {asked} FROM '{path}' f")).unwrap().collect_batches().unwrap();
            assert!(batches[0].num_rows() > 0, "{asked}");
        }
        let tags = session.sql(&format!("SELECT sum((tags->>'tag')::int) = 3 FROM '{path}'")).unwrap();
        assert!(tags.collect_batches().unwrap()[0].column(0).as_boolean().value(0));
        let tags = session.sql(&format!("SELECT sum(f.tags.tag) = 3 FROM '{path}' f")).unwrap();
        assert!(tags.collect_batches().unwrap()[0].column(0).as_boolean().value(0));
    }
}
