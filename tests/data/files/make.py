"""Files of other writers, and the rows that their writers read back from them.

    python tests/data/files/make.py

Made with Python 3.11, pyarrow 26.0.1, DuckDB 2.0.1, Polars 2.1.0 and fastavro 1.13.1. Beside each file `x.ending` stands
`x.ending.expected`: names, then a line a row, tabulators between values, as PostgreSQL shows them (NULL is `NULL`; tabulators,
line ends and backslashes with a backslash). Structs and maps are shown as JSON, values that have no form here as `?`.
tests/tests/suites/other_writers.rs reads them all.
"""

import datetime as dt
import decimal
import json
import math
import pathlib
import sys
import uuid

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
UTC = dt.timezone.utc
D = decimal.Decimal


def show(value):
    """A value as PostgreSQL shows it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, dt.datetime):
        zone = "" if value.tzinfo is None else "+00"
        value = value if value.tzinfo is None else value.astimezone(UTC)
        return seconds(value.strftime("%Y-%m-%d %H:%M:%S"), value.microsecond) + zone
    if isinstance(value, dt.time):
        return seconds(value.strftime("%H:%M:%S"), value.microsecond)
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return "\\x" + bytes(value).hex()
    if isinstance(value, Struct):
        return "{" + ", ".join(f"'{name}': {part(value)}" for name, value in value.items()) + "}"
    if isinstance(value, Structs):
        return "[" + ", ".join(map(part, value)) + "]"
    if isinstance(value, list):
        return "{" + ",".join(map(element, value)) + "}"
    if isinstance(value, dt.timedelta) and value < dt.timedelta(1):
        return (dt.datetime.min + value).strftime("%H:%M:%S")
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    if isinstance(value, dt.timedelta):
        return "?"
    return str(value)


def seconds(text, micros):
    return text + (f".{micros:06}".rstrip("0") if micros else "")


class Struct(dict):
    """A struct, as DuckDB shows it; any other dict is a map."""


class Structs(list):
    """An array of structs."""


def structs(value, of):
    """A value of an Arrow type with its structs told from maps."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        return Struct((field.name, structs(value[field.name], field.type)) for field in of)
    if pa.types.is_list(of) and pa.types.is_struct(of.value_type):
        return Structs(structs(each, of.value_type) for each in value)
    return value


def part(value):
    """A value within a struct."""
    return "''" if value == "" else show(value)


def element(value):
    """A value within an array."""
    text = show(value)
    if value is None or isinstance(value, list):
        return text
    if text == "" or text.upper() == "NULL" or any(letter in text for letter in '{}," \\\t\n'):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def expect(path, names, rows):
    lines = ["\t".join(map(escape, names))]
    lines += ["\t".join(escape(show(value)) for value in row) for row in rows]
    path.with_name(path.name + ".expected").write_text("\n".join(lines) + "\n", newline="\n")


def rows_of(table):
    columns = []
    for column in table.columns:
        if pa.types.is_map(column.type):
            columns.append([None if entries is None else dict(entries) for entries in column.to_pylist()])
            continue
        if isinstance(column.type, pa.BaseExtensionType):
            plain = column.to_pylist()
            columns.append(plain)
            continue
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
            column = column.cast(pa.timestamp("us", column.type.tz))
        if pa.types.is_time64(column.type) and column.type.unit == "ns":
            column = column.cast(pa.time64("us"))
        if pa.types.is_run_end_encoded(column.type):
            column = pa.chunked_array([pa.compute.run_end_decode(chunk) for chunk in column.chunks])
        columns.append([structs(value, column.type) for value in column.to_pylist()])
    return list(zip(*columns)) if columns else []


# ---- pyarrow


def basic(rows=40):
    """Numbers, texts and days, with NULLs."""

    def some(make, every):
        return [None if every and number % every == 3 else make(number) for number in range(rows)]

    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "small": pa.array(some(lambda n: n * 37 % 100 - 50, 5), pa.int32()),
            "real": pa.array(some(lambda n: n / 4, 0), pa.float32()),
            "double": pa.array(some(lambda n: n * 1.1, 7), pa.float64()),
            "word": pa.array(some(lambda n: ["red", "green", "", "größer"][n % 4], 6), pa.string()),
            "text": pa.array(some(lambda n: f"line {n}\twith\nmore \\ \"{n * n}\"", 4), pa.string()),
            "flag": pa.array(some(lambda n: n % 3 == 0, 5), pa.bool_()),
            "day": pa.array(some(lambda n: dt.date(1969, 12, 20) + dt.timedelta(n * 400), 9), pa.date32()),
            "moment": pa.array(some(lambda n: dt.datetime(1960, 2, 29, 23, 59, 59, n) + dt.timedelta(n * 999), 8),
                               pa.timestamp("us")),
            "price": pa.array(some(lambda n: D(n * 1001 - 5000) / 100, 5), pa.decimal128(9, 2)),
        }
    )


def parquet(name, table, **options):
    path = HERE / "pyarrow" / f"{name}.parquet"
    pq.write_table(table, path, **options)
    back = pq.read_table(path)
    expect(path, back.column_names, rows_of(back))


def make_parquet():
    table = basic()
    for codec in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]:
        parquet(f"codec_{codec}", table, compression=codec)
    for version in ["1.0", "2.0"]:
        for dictionary in [True, False]:
            name = f"pages_v{version[0]}_{'dictionary' if dictionary else 'plain'}"
            parquet(name, table, data_page_version=version, use_dictionary=dictionary, data_page_size=100,
                    write_batch_size=8, compression="zstd" if dictionary else "none")
    parquet("format_1_0", table.drop_columns(["moment"]), version="1.0")
    numbers = pa.table(
        {
            "i32": pa.array([1, -5, None, 2**31 - 1, -(2**31)] * 20, pa.int32()),
            "i64": pa.array([1, -5, None, 2**63 - 1, -(2**63)] * 20, pa.int64()),
            "ramp": pa.array(range(1000, 1100), pa.int64()),
            "texts": pa.array([None if n % 7 == 0 else f"prefix/of/all/{n // 3}" for n in range(100)], pa.string()),
            "bytes": pa.array([None if n % 5 == 0 else bytes([n, 255 - n]) * (n % 4) for n in range(100)], pa.binary()),
            "fixed": pa.array([None if n % 5 == 1 else bytes([n, n // 2, 7]) for n in range(100)], pa.binary(3)),
            "f32": pa.array([None if n % 5 == 2 else n / 8 for n in range(100)], pa.float32()),
            "f64": pa.array([0.1, float("nan"), float("inf"), -float("inf"), -0.0] * 20, pa.float64()),
        }
    )
    for version in ["1.0", "2.0"]:
        delta = {"i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "ramp": "DELTA_BINARY_PACKED",
                 "texts": "DELTA_BYTE_ARRAY", "bytes": "DELTA_LENGTH_BYTE_ARRAY", "fixed": "DELTA_BYTE_ARRAY"}
        parquet(f"delta_v{version[0]}", numbers.select(list(delta)), use_dictionary=False, column_encoding=delta,
                data_page_version=version, data_page_size=200, write_batch_size=16)
        names = ["i32", "i64", "ramp", "fixed", "f32", "f64"]
        parquet(f"byte_stream_split_v{version[0]}", numbers.select(names), use_dictionary=False,
                column_encoding={name: "BYTE_STREAM_SPLIT" for name in names}, data_page_version=version)
    lengths = {"texts": "DELTA_LENGTH_BYTE_ARRAY", "bytes": "DELTA_BYTE_ARRAY"}
    parquet("delta_length", numbers.select(list(lengths)), use_dictionary=False, column_encoding=lengths)
    flags = pa.table({"flag": pa.array([None if n % 11 == 0 else n % 3 == 0 for n in range(100)], pa.bool_())})
    parquet("rle_boolean", flags, use_dictionary=False, column_encoding={"flag": "RLE"}, data_page_version="2.0")
    make_parquet_types()
    make_parquet_shapes(table)


def make_parquet_types():
    moments = [dt.datetime(1900, 1, 1, 1, 2, 3), dt.datetime(1969, 12, 31, 23, 59, 59, 999000), None,
               dt.datetime(2024, 2, 29, 12, 0, 0, 1000)]
    times = [None if moment is None else moment.time() for moment in moments]
    parquet("int96", pa.table({"moment": pa.array(moments, pa.timestamp("us"))}), use_deprecated_int96_timestamps=True)
    parquet("spark", pa.table({"moment": pa.array(moments, pa.timestamp("ns")), "a b": pa.array([1, 2, 3, 4])}),
            flavor="spark")
    zones = {
        unit: pa.array([None if m is None else m.replace(microsecond=0) if unit == "s" else m for m in moments],
                       pa.timestamp(unit))
        for unit in ["s", "ms", "us", "ns"]
    }
    zones |= {f"{unit}_utc": pa.array(zones[unit], pa.timestamp(unit)).cast(pa.timestamp(unit, "UTC"))
              for unit in ["ms", "us", "ns"]}
    zones["berlin"] = zones["us"].cast(pa.timestamp("us", "Europe/Berlin"))
    zones["t32"] = pa.array(times, pa.time32("ms"))
    zones["t64us"] = pa.array(times, pa.time64("us"))
    zones["t64ns"] = pa.array(times, pa.time64("ns"))
    zones["d64"] = pa.array([dt.date(1969, 1, 1), None, dt.date(2024, 2, 29), dt.date(1, 1, 1)], pa.date64())
    parquet("times", pa.table(zones))
    parquet("times_not_arrow", pa.table(zones), store_schema=False)
    cents = [D("123.45"), D("-0.01"), None, D("99999.99")]
    decimals = pa.table(
        {
            "d7": pa.array(cents, pa.decimal128(7, 2)),
            "d18": pa.array(cents, pa.decimal128(18, 4)),
            "d38": pa.array([D("-12345678901234567890123456789012345.678"), D(0), None, D("0.001")],
                            pa.decimal128(38, 3)),
            "d32": pa.array(cents, pa.decimal32(7, 2)),
            "d64": pa.array(cents, pa.decimal64(18, 2)),
            "wide": pa.array(cents, pa.decimal256(60, 2)),
        }
    )
    parquet("decimals_as_bytes", decimals)
    parquet("decimals_as_integers", decimals, store_decimal_as_integer=True)
    parquet("decimals_not_arrow", decimals, store_schema=False, use_dictionary=False)
    widths = {}
    for bits in [8, 16, 32, 64]:
        widths[f"u{bits}"] = pa.array([0, 2**bits - 1, None, 7], getattr(pa, f"uint{bits}")())
        widths[f"i{bits}"] = pa.array([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, None, 7], getattr(pa, f"int{bits}")())
    parquet("integers", pa.table(widths))
    parquet("integers_not_arrow", pa.table(widths), store_schema=False, use_dictionary=False)
    ids = [uuid.UUID(int=0), None, uuid.UUID("6e8bc430-9c3a-11d9-9669-0800200c9a66"), uuid.UUID(int=2**128 - 1)]
    others = {
        "half": pa.array([0.5, -2.0, None, 65504.0], pa.float16()),
        "id": pa.array(ids, pa.uuid()),
        "json": pa.array(['{"a": [1]}', None, "null", "1"], pa.json_()),
        "nothing": pa.nulls(4),
        "view": pa.array(["a", None, "b" * 40, ""], pa.string_view()),
        "bytes_view": pa.array([b"a", None, b"b" * 40, b""], pa.binary_view()),
        "large": pa.array(["a", None, "b" * 40, ""], pa.large_string()),
        "dictionary": pa.array(["a", None, "b", "a"]).dictionary_encode(),
        "numbers": pa.array([5, None, 6, 5]).dictionary_encode(),
    }
    parquet("others", pa.table(others))
    parquet("others_not_arrow", pa.table({name: others[name] for name in ["half", "id", "json", "nothing"]}),
            store_schema=False)
    nested = {
        "id": pa.array([1, 2, 3, 4]),
        "list": pa.array([[1, None, 3], [], None, [4]], pa.list_(pa.int32())),
        "texts": pa.array([["a", "b,c"], [""], None, [None]], pa.list_(pa.string())),
        "struct": pa.array([{"a": 1, "b": "x"}, {"a": None, "b": None}, None, {"a": 2, "b": ""}]),
        "map": pa.array([[("a", 1)], [], None, [("b", None)]], pa.map_(pa.string(), pa.int64())),
        "lists": pa.array([[[1, 2], [3, 4]], [], None, [[5]]], pa.list_(pa.list_(pa.int64()))),
        "structs": pa.array([[{"a": 1}], [], None, [None]], pa.list_(pa.struct([("a", pa.int64())]))),
        "after": pa.array(["x", None, "y", "z"]),
    }
    parquet("nested", pa.table(nested))
    parquet("nested_v2", pa.table(nested), data_page_version="2.0", use_dictionary=False)


def make_parquet_shapes(table):
    parquet("no_rows", table.slice(0, 0))
    path = HERE / "pyarrow" / "no_row_groups.parquet"
    pq.ParquetWriter(path, table.schema).close()
    expect(path, table.column_names, [])
    parquet("row_groups", table.select(["id", "word", "price"]), row_group_size=3)
    parquet("one_row", table.slice(3, 1))
    parquet("all_null", pa.table({field.name: pa.nulls(20, field.type) for field in table.schema}))
    parquet("not_null", pa.table({"a": [1, 2], "b": ["x", "y"]},
                                 schema=pa.schema([pa.field("a", pa.int64(), False), pa.field("b", pa.string(), False)])))
    parquet("page_index", table.select(["id", "word"]), write_page_index=True, data_page_size=40, write_batch_size=4)
    parquet("checksums", table.select(["id", "word"]), write_page_checksum=True)
    parquet("no_statistics", table.select(["id", "word"]), write_statistics=False)
    parquet("sorted", table.select(["id", "word"]), sorting_columns=[pq.SortingColumn(0)])
    parquet("bloom", table.select(["id", "word"]), bloom_filter_options={"word": True})
    odd = ["a b", "Ä", "select", 'x"y', "a.b", "1", "ünïcödé 😀", "A.B"]
    parquet("odd_names", pa.table({name: [number] for number, name in enumerate(odd)}))
    frame = pa.table({"a": [1, 2], "__index_level_0__": ["x", "y"]})
    about = {"index_columns": ["__index_level_0__"], "columns": [], "pandas_version": "2.2.0",
             "column_indexes": [{"name": None, "field_name": None, "pandas_type": "unicode"}]}
    parquet("pandas", frame.replace_schema_metadata({"pandas": json.dumps(about)}))
    wide = pa.table({f"c{number}": [number, None] for number in range(200)})
    parquet("many_columns", wide.select([f"c{n}" for n in range(0, 200, 4)]), compression="zstd", write_statistics=False)


# ---- Arrow's IPC


def arrow(name, table, stream=False, batches=None, **options):
    path = HERE / "pyarrow" / f"{name}.{'arrows' if stream else 'arrow'}"
    write = ipc.new_stream if stream else ipc.new_file
    options = ipc.IpcWriteOptions(**options)
    with write(path, table.schema, options=options) as writer:
        for batch in batches or table.to_batches(max_chunksize=16):
            writer.write_batch(batch)
    back = (ipc.open_stream(path.read_bytes()) if stream else ipc.open_file(path)).read_all()
    expect(path, back.column_names, rows_of(back))


def make_arrow():
    table = basic(20).select(["id", "double", "word", "flag", "moment", "price"])
    for stream in [False, True]:
        kind = "stream" if stream else "file"
        for codec in [None, "lz4", "zstd"]:
            arrow(f"{kind}_{codec or 'plain'}", table, stream=stream, compression=codec)
        arrow(f"{kind}_no_rows", table.slice(0, 0), stream=stream)
        arrow(f"{kind}_dictionary", pa.table({"w": pa.array(["a", None, "b", "a"] * 6).dictionary_encode(),
                                               "n": pa.array([1, None, 2, 1] * 6).dictionary_encode()}), stream=stream)

    def of(words):
        return pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([0, len(words) - 1, None], pa.int32()), words)],
                               ["w"])

    growing = [of(["a", "b"]), of(["a", "b", "c"]), of(["a", "b", "c", "d"])]
    schema = pa.table({"w": growing[0].column(0)})
    arrow("stream_deltas", schema, stream=True, batches=growing, emit_dictionary_deltas=True)
    arrow("file_deltas", schema, batches=growing, emit_dictionary_deltas=True)
    arrow("stream_replacements", schema, stream=True, batches=[of(["a", "b"]), of(["x", "y"]), of(["a"])])
    kinds = {
        "view": pa.array(["a", None, "b" * 40, ""], pa.string_view()),
        "bytes_view": pa.array([b"a", None, b"b" * 40, b""], pa.binary_view()),
        "large": pa.array(["a", None, "b" * 40, ""], pa.large_string()),
        "large_bytes": pa.array([b"a", None, b"b" * 40, b""], pa.large_binary()),
        "fixed": pa.array([b"ab", None, b"cd", b"ef"], pa.binary(2)),
        "large_list": pa.array([[1], None, [], [2, 3]], pa.large_list(pa.int64())),
        "pair": pa.array([[1, 2], None, [3, 4], [5, 6]], pa.list_(pa.int64(), 2)),
        "half": pa.array([0.5, None, -2.0, 1.0], pa.float16()),
        "id": pa.array([uuid.UUID(int=5), None, uuid.UUID(int=6), uuid.UUID(int=7)], pa.uuid()),
        "nothing": pa.nulls(4),
        "d32": pa.array([D("1.5"), None, D("-2.5"), D("0.0")], pa.decimal32(5, 1)),
        "d64": pa.array([D("1.5"), None, D("-2.5"), D("0.0")], pa.decimal64(15, 1)),
        "seconds": pa.array([1, None, -1, 0], pa.timestamp("s")),
        "time": pa.array([1, None, 86399, 0], pa.time32("s")),
    }
    arrow("types", pa.table(kinds))
    arrow("types_stream", pa.table(kinds), stream=True, compression="zstd")
    refused = {
        "id": pa.array([1, 2, 3]),
        "ends": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", "b"])),
        "struct": pa.array([{"a": 1}, None, {"a": 2}]),
        "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        "duration": pa.array([1, None, 2], pa.duration("s")),
        "list_view": pa.array([[1], None, [2, 3]], pa.list_view(pa.int64())),
        "union": pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]),
        "wide": pa.array([D("1.5"), None, D("2.5")], pa.decimal256(60, 1)),
        "after": pa.array(["x", None, "y"]),
    }
    for name in ["ends", "struct", "map", "duration", "list_view", "union", "wide"]:
        arrow(name if name in ("struct", "map") else f"refused_{name}", pa.table({"id": refused["id"], name: refused[name], "after": refused["after"]}))


# ---- DuckDB


TYPES = """
    SELECT i AS id, i::TINYINT AS tiny, i::UTINYINT AS utiny, (i * 1000)::USMALLINT AS usmall, i::UINTEGER AS uint,
        (i * 9000000000000000000::UBIGINT // 5)::UBIGINT AS ubig, i / 4 AS double, (i / 4)::REAL AS real,
        (i * 12.345)::DECIMAL(4, 1) AS d4, (i * 12.345)::DECIMAL(9, 3) AS d9, (i * 12.345)::DECIMAL(18, 5) AS d18,
        (i * 12.345)::DECIMAL(38, 10) AS d38, i % 2 = 0 AS flag, 'text ' || i AS text, ('\\x0' || i)::BLOB AS bytes,
        DATE '1969-12-30' + i::INTEGER AS day, TIME '10:00:00.5' + INTERVAL (i) SECOND AS time,
        TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (i) SECOND AS moment,
        TIMESTAMPTZ '1969-12-31 23:59:58.5+00' + INTERVAL (i) SECOND AS instant,
        (TIMESTAMP '1969-12-31 23:59:58' + INTERVAL (i) SECOND)::TIMESTAMP_S AS moment_s,
        (TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (i) SECOND)::TIMESTAMP_MS AS moment_ms,
        (TIMESTAMP '1969-12-31 23:59:58.5' + INTERVAL (i) SECOND)::TIMESTAMP_NS AS moment_ns,
        ('6e8bc430-9c3a-11d9-9669-0800200c9a6' || i)::UUID AS uuid,
        ['sad', 'ok', 'happy'][i % 3 + 1]::ENUM ('sad', 'ok', 'happy') AS mood, [i, NULL, i + 1] AS list,
        '{"a": ' || i || '}' AS json
    FROM range(5) t(i)
"""


def make_duckdb():
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute(f"CREATE TABLE types AS {TYPES}")
    db.execute("INSERT INTO types (id) VALUES (NULL)")
    db.execute("CREATE TABLE nested AS SELECT i AS id, {'a': i, 'b': 'x'} AS s, MAP {'k': i} AS m, [[i], [i + 1]] AS l, "
               "INTERVAL (i) HOUR AS span, i::HUGEINT AS huge, 'z' AS after FROM range(3) t(i)")
    db.execute("CREATE TABLE words AS SELECT i AS id, CASE WHEN i % 7 > 0 THEN 'word ' || i % 5 END AS word, "
               "i * 1.5 AS number FROM range(100) t(i)")

    def write(name, table, options, read="read_parquet"):
        path = HERE / "duckdb" / name
        db.execute(f"COPY {table} TO '{path}' ({options})")
        back = db.sql(f"SELECT * FROM {read}('{path}')")
        expect(path, back.columns, back.fetchall())

    write("types.parquet", "types", "FORMAT parquet")
    write("types_v2.parquet", "types", "FORMAT parquet, PARQUET_VERSION v2")
    write("nested.parquet", "nested", "FORMAT parquet")
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"]:
        write(f"words_{codec}.parquet", "words", f"FORMAT parquet, CODEC {codec}")
    write("words_v2.parquet", "words", "FORMAT parquet, PARQUET_VERSION v2")
    write("words_bloom.parquet", "words", "FORMAT parquet, DICTIONARY_SIZE_LIMIT 2")
    write("none.parquet", "(FROM words LIMIT 0)", "FORMAT parquet")
    write("words.json", "words", "FORMAT json", "read_json")
    write("array.json", "words", "FORMAT json, ARRAY true", "read_json")
    write("words.json.gz", "words", "FORMAT json, COMPRESSION gzip", "read_json")
    write("words.json.zst", "words", "FORMAT json, COMPRESSION zstd", "read_json")
    path = HERE / "duckdb" / "mixed.ndjson"
    path.write_text('{"a":1,"b":[1,2],"C":"2020-01-01"}\n{"a":2.5,"b":null,"d":"2020-01-01T10:00:00"}\n{"b":[],"d":null}\n')
    back = db.sql(f"SELECT * FROM read_json('{path}')")
    expect(path, back.columns, back.fetchall())


# ---- Polars


def make_polars():
    frame = pl.DataFrame(
        {
            "id": pl.Series([1, 2, 3, None], dtype=pl.Int64),
            "u8": pl.Series([0, 255, None, 1], dtype=pl.UInt8),
            "u64": pl.Series([0, 2**64 - 1, None, 1], dtype=pl.UInt64),
            "f32": pl.Series([0.5, None, -1.25, float("nan")], dtype=pl.Float32),
            "text": ["a", None, "größer", ""],
            "category": pl.Series(["x", "y", None, "x"], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y", None, "x"], dtype=pl.Enum(["y", "x"])),
            "flag": [True, None, False, True],
            "day": [dt.date(1969, 1, 1), None, dt.date(2024, 2, 29), dt.date(1, 1, 1)],
            "us": pl.Series([dt.datetime(1969, 1, 1, 1, 2, 3, 4), None] * 2, dtype=pl.Datetime("us")),
            "ms": pl.Series([dt.datetime(1969, 1, 1, 1, 2, 3), None] * 2, dtype=pl.Datetime("ms")),
            "zoned": pl.Series([dt.datetime(2024, 6, 1, 12, tzinfo=UTC), None] * 2, dtype=pl.Datetime("us", "UTC")),
            "time": [dt.time(1, 2, 3), None, dt.time(23, 59, 59, 999999), dt.time(0)],
            "price": pl.Series([D("1.25"), None, D("-3.50"), D("0.00")], dtype=pl.Decimal(10, 2)),
            "bytes": [b"\x00\xff", None, b"", b"x"],
            "list": [[1, None], None, [], [3]],
        }
    )
    names, rows = frame.columns, frame.rows()
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"]:
        path = HERE / "polars" / f"types_{codec}.parquet"
        frame.write_parquet(path, compression=codec)
        expect(path, names, rows)
    for codec in ["uncompressed", "lz4", "zstd"]:
        path = HERE / "polars" / f"types_{codec}.arrow"
        frame.write_ipc(path, compression=codec)
        expect(path, names, rows)
    path = HERE / "polars" / "types.arrows"
    frame.write_ipc_stream(path)
    expect(path, names, rows)
    words = pl.DataFrame({"id": range(100), "word": [None if n % 7 == 0 else f"word {n % 5}" for n in range(100)]})
    path = HERE / "polars" / "row_groups.parquet"
    words.write_parquet(path, row_group_size=9, statistics="full", data_page_size=64)
    expect(path, words.columns, words.rows())
    path = HERE / "polars" / "words.ndjson"
    words.write_ndjson(path)
    expect(path, words.columns, words.rows())
    path = HERE / "polars" / "words.json"
    words.write_json(path)
    expect(path, words.columns, words.rows())


# ---- Avro


def make_avro():
    import fastavro

    schema = {
        "type": "record", "name": "t", "fields": [
            {"name": "id", "type": "long"},
            {"name": "small", "type": ["null", "int"]},
            {"name": "text", "type": ["null", "string"], "default": None},
            {"name": "real", "type": "float"},
            {"name": "double", "type": ["double", "null"]},
            {"name": "flag", "type": ["null", "boolean"]},
            {"name": "bytes", "type": ["null", "bytes"]},
            {"name": "fixed", "type": {"type": "fixed", "name": "three", "size": 3}},
            {"name": "mood", "type": {"type": "enum", "name": "mood", "symbols": ["sad", "ok"]}},
            {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
            {"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "us", "type": {"type": "long", "logicalType": "timestamp-micros"}},
            {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "time", "type": {"type": "long", "logicalType": "time-micros"}},
            {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
            {"name": "uuid", "type": {"type": "string", "logicalType": "uuid"}},
            {"name": "list", "type": {"type": "array", "items": "long"}},
        ]}
    moment = dt.datetime(2024, 2, 29, 12, 30, 0, 5000)

    def record(n):
        some = n % 3 != 1
        return {"id": n, "small": n * 7 if some else None, "text": f"text {n}" if some else None, "real": n / 4,
                "double": n / 10 if some else None, "flag": n % 2 == 0 if some else None,
                "bytes": bytes([n, 255 - n]) if some else None, "fixed": bytes([n, 1, 2]), "mood": ["sad", "ok"][n % 2],
                "day": dt.date(1969, 12, 30) + dt.timedelta(n) if some else None, "ms": moment.replace(tzinfo=UTC),
                "us": moment.replace(tzinfo=UTC), "local": moment, "time": moment.time(), "price": D(n * 101) / 100,
                "uuid": uuid.UUID(int=n), "list": list(range(n % 3))}

    rows = [record(n) for n in range(20)]
    parsed = fastavro.parse_schema(schema)
    for codec in ["null", "deflate", "zstandard", "snappy"]:
        path = HERE / "fastavro" / f"types_{codec}.avro"
        try:
            with open(path, "wb") as file:
                fastavro.writer(file, parsed, rows, codec=codec, sync_interval=300)
        except ValueError as error:
            path.unlink()
            print(f"{path.name}: {error}")
            continue
        with open(path, "rb") as file:
            back = list(fastavro.reader(file))
        expect(path, [field["name"] for field in schema["fields"]], [list(row.values()) for row in back])


if __name__ == "__main__":
    for name, make in {"pyarrow": [make_parquet, make_arrow], "duckdb": [make_duckdb], "polars": [make_polars],
                       "fastavro": [make_avro]}.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        (HERE / name).mkdir(exist_ok=True)
        for each in make:
            each()
