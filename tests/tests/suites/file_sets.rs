//! Files that are one table: what their paths say is a column, and files that a condition on it leaves out are not read.

use multiloop::{Engine, Session};
use std::path::{Path, PathBuf};

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("multiloop-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    /// A path within, whose folder is there.
    fn path(&self, path: &str) -> String {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

/// The rows of a query, or its error's SQLSTATE.
fn rows(session: &Session, sql: &str) -> Vec<String> {
    match session.sql(sql).and_then(multiloop_tests::text_rows) {
        Ok(rows) => rows.iter().map(|row| row.join(" ")).collect(),
        Err(error) => vec![error.sqlstate().to_owned()],
    }
}

/// Files of so many rows each in folders of two partitions, `n` is the file's number.
fn write(folder: &Folder, session: &Session, rows_of: usize, ending: &str) {
    let partitions = ["year=2023/kind=a%20b", "year=2024/kind=a%20b", "year=2024/kind=__HIVE_DEFAULT_PARTITION__"];
    for (number, partition) in partitions.iter().enumerate() {
        let path = folder.path(&format!("{partition}/part.{ending}"));
        let query = format!("SELECT {number} AS n, v FROM generate_series(1, {rows_of}) g(v)");
        session.sql(&format!("COPY ({query}) TO '{path}'")).expect("it is written");
    }
}

#[test]
fn folders_are_columns() {
    let session = session();
    for (ending, rows_of) in [("parquet", 3), ("parquet", 20_000), ("csv", 3), ("arrow", 3)] {
        let folder = Folder::new(&format!("hive-{ending}-{rows_of}"));
        write(&folder, &session, rows_of, ending);
        let all = folder.path(&format!("**/*.{ending}"));
        let sql = format!("SELECT year + 1, kind, min(n), count(*), max(v) FROM '{all}' GROUP BY 1, 2 ORDER BY 3");
        let expected = [
            format!("2024 a b 0 {rows_of} {rows_of}"),
            format!("2025 a b 1 {rows_of} {rows_of}"),
            format!("2025 NULL 2 {rows_of} {rows_of}"),
        ];
        assert_eq!(rows(&session, &sql), expected, "{ending}");
        for (condition, expected) in [
            ("year = 2024", "2 3"),
            ("year > 2024", "0 NULL"),
            ("year IN (2023, 2022)", "1 0"),
            ("kind = 'a b'", "2 1"),
            ("kind <> 'a b'", "0 NULL"),
            ("kind < 'b' AND year < 2024", "1 0"),
            ("kind > 'b'", "0 NULL"),
            ("kind IN ('x', 'a b') AND n = 1", "1 1"),
            ("kind IS NULL", "1 2"),
            ("kind IS NOT NULL", "2 1"),
            ("kind LIKE 'a%'", "2 1"),
            ("coalesce(kind, 'none') = 'none'", "1 2"),
        ] {
            let sql = format!("SELECT count(DISTINCT n), sum(DISTINCT n) FROM '{all}' WHERE {condition}");
            assert_eq!(rows(&session, &sql), [expected], "{ending} {condition}");
        }
        // Groups of, joins over and values of partitions alone.
        let sql = format!("SELECT kind, count(*) FROM '{all}' GROUP BY kind ORDER BY kind");
        assert_eq!(rows(&session, &sql), [format!("a b {}", 2 * rows_of), format!("NULL {rows_of}")]);
        let sql = format!("SELECT max(year), min(year), count(DISTINCT year), count(kind) FROM '{all}'");
        assert_eq!(rows(&session, &sql), [format!("2024 2023 2 {}", 2 * rows_of)]);
        let off = format!("SELECT * FROM read_{}('{all}', hive_partitioning => false) LIMIT 1", ending);
        assert_eq!(rows(&session, &off), ["0 1"]);
        let read = format!("read_{}('{all}', hive_types => {{'year': 'smallint'}}, filename => true)", ending);
        let sql = format!("SELECT DISTINCT filename LIKE '%/year=' || year::text || '/%', pg_typeof(year) FROM {read}");
        assert_eq!(rows(&session, &sql), ["t smallint"]);
        let read = format!("read_{}('{all}', hive_types_autocast => false)", ending);
        assert_eq!(rows(&session, &format!("SELECT max(year || kind) FROM {read}")), ["2024a b"]);
        let made = format!("CREATE OR REPLACE TABLE made AS SELECT * FROM '{all}'");
        assert_eq!(rows(&session, &made), Vec::<String>::new());
        let sql = "SELECT count(*), sum(year), count(kind) FROM made";
        assert_eq!(rows(&session, sql), [format!("{} {} {}", 3 * rows_of, rows_of * 6071, 2 * rows_of)]);
    }
}

/// Breaks all of a file but its footer.
fn break_rows(path: &str) {
    let mut bytes = std::fs::read(path).expect("it is there");
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().expect("four bytes")) as usize;
    let end = bytes.len() - 8 - length;
    bytes[4..end].fill(0xff);
    std::fs::write(path, bytes).expect("it is written");
}

#[test]
fn files_that_are_left_out_are_not_read() {
    let session = session();
    let folder = Folder::new("pruned");
    write(&folder, &session, 20_000, "parquet");
    let all = folder.path("**/*.parquet");
    break_rows(&folder.path("year=2023/kind=a%20b/part.parquet"));
    break_rows(&folder.path("year=2024/kind=__HIVE_DEFAULT_PARTITION__/part.parquet"));
    for condition in [
        "year = 2024 AND kind = 'a b'",
        "year > 2023 AND kind IS NOT NULL",
        "year IN (2024, 2025) AND kind IN ('a b', 'c')",
        "filename LIKE '%year=2024/kind=a%'",
        "year >= 2024 AND kind < 'b'",
    ] {
        let of = format!("read_parquet('{all}', filename => true)");
        let sql = format!("SELECT count(*), sum(n), max(v) FROM {of} WHERE {condition}");
        assert_eq!(rows(&session, &sql), ["20000 20000 20000"], "{condition}");
    }
    // Of a join, too, whose other side says which.
    let sql =
        format!("SELECT sum(n) FROM '{all}' f JOIN (VALUES (2024, 'a b')) k(y, t) ON f.year = k.y AND f.kind = k.t");
    assert_eq!(rows(&session, &sql), ["20000"]);
    for condition in ["year = 2023", "kind IS NULL", "true"] {
        assert_eq!(rows(&session, &format!("SELECT sum(v) FROM '{all}' WHERE {condition}")), ["22P04"], "{condition}");
    }
}

#[test]
fn what_paths_say_that_does_not_fit() {
    let session = session();
    let folder = Folder::new("odd");
    let write = |path: &str, query: &str| {
        session.sql(&format!("COPY ({query}) TO '{}'", folder.path(path))).expect("it is written");
    };
    write("a=1/x.csv", "SELECT 1 AS v");
    write("b=1/x.csv", "SELECT 2 AS v");
    write("plain/x.csv", "SELECT 3 AS v");
    write("c=1/c=2/x.csv", "SELECT 4 AS v");
    write("d=9/x.csv", "SELECT 5 AS d, 6 AS e");
    write("d=x/x.csv", "SELECT 7 AS d, 8 AS e");
    write("f=%C3%A4%2F/x.csv", "SELECT 1 AS filename");
    let of = |files: &str| format!("'{}'", folder.path(files));
    // Other partitions, or none: no columns.
    assert_eq!(rows(&session, &format!("SELECT * FROM {} ORDER BY 1", of("[ab]=1/*.csv"))), ["1", "2"]);
    assert_eq!(rows(&session, &format!("SELECT * FROM {} ORDER BY 1", of("{a=1,plain}/*.csv"))), ["1", "3"]);
    assert_eq!(rows(&session, &format!("SELECT * FROM {}", of("c=1/c=2/x.csv"))), ["4"]);
    let read = |files: &str, options: &str| format!("SELECT * FROM read_csv({}, {options})", of(files));
    assert_eq!(rows(&session, &read("[ab]=1/*.csv", "hive_partitioning => true")), ["22023"]);
    assert_eq!(rows(&session, &read("a=1/*.csv", "hive_types => {'b': 'int'}")), ["22023"]);
    assert_eq!(rows(&session, &read("a=1/*.csv", "hive_types => {'a': 'nonsense'}")), ["22023"]);
    assert_eq!(rows(&session, &read("d=*/*.csv", "hive_types => {'d': 'int'}")), ["22P02"]);
    // A partition stands for the file's column, where that is.
    assert_eq!(rows(&session, &format!("SELECT * FROM {} ORDER BY 2", of("d=*/x.csv"))), ["9 6", "x 8"]);
    assert_eq!(rows(&session, &read("f=*/x.csv", "filename => true")), ["42701"]);
    assert_eq!(rows(&session, &format!("SELECT f, filename FROM {}", of("f=*/x.csv"))), ["ä/ 1"]);
    let named = rows(&session, &read("f=*/x.csv", "filename => 'Of'").replace('*', "of, f"));
    assert_eq!(named.len(), 1, "{named:?}");
    // COPY FROM takes the file's columns alone.
    session.sql("CREATE TABLE t (v int)").expect("it is made");
    assert_eq!(rows(&session, &format!("COPY t FROM {} (FILENAME)", of("a=1/x.csv"))), ["22023"]);
    assert_eq!(rows(&session, &format!("COPY t FROM {}", of("{a=1,b=1}/x.csv"))), Vec::<String>::new());
    assert_eq!(rows(&session, "SELECT * FROM t ORDER BY 1"), ["1", "2"]);
}

#[test]
fn columns_by_place() {
    let session = session();
    for ending in ["csv", "parquet", "arrow"] {
        let folder = Folder::new(&format!("by-place-{ending}"));
        let write = |name: &str, query: &str| {
            let path = folder.path(&format!("{name}.{ending}"));
            session.sql(&format!("COPY ({query}) TO '{path}'")).expect("it is written");
        };
        write("one", "SELECT 1 AS a, 2 AS b");
        write("two", "SELECT 3 AS b, 4 AS c");
        write("one-more", "SELECT 5 AS a, 6 AS b");
        let of = |files: &str, by_name: bool| {
            format!("SELECT * FROM read_{ending}('{}', union_by_name => {by_name}) ORDER BY 2", folder.path(files))
        };
        let all = format!("*.{ending}");
        assert_eq!(rows(&session, &of(&all, true)), ["1 2 NULL", "NULL 3 4", "5 6 NULL"]);
        assert_eq!(rows(&session, &of(&all, false)), ["42804"]);
        assert_eq!(rows(&session, &of(&format!("one*.{ending}"), false)), ["1 2", "5 6"]);
    }
}

#[test]
fn sets_are_read_again_when_they_are_others() {
    let session = session();
    let folder = Folder::new("again");
    let write = |name: &str, value: i64| {
        session.sql(&format!("COPY (SELECT {value} AS v) TO '{}'", folder.path(name))).expect("it is written");
    };
    write("1.csv", 1);
    let sql = format!("SELECT sum(v), count(*) FROM '{}'", folder.path("*.csv"));
    assert_eq!(rows(&session, &sql), ["1 1"]);
    write("2.csv", 10);
    assert_eq!(rows(&session, &sql), ["11 2"]);
    write("1.csv", 5);
    assert_eq!(rows(&session, &sql), ["15 2"]);
    std::fs::remove_file(folder.path("2.csv")).expect("it is there");
    assert_eq!(rows(&session, &sql), ["5 1"]);
}

#[test]
fn documented_examples_run() {
    let folder = Folder::new("documented");
    let session = session();
    let page = include_str!("../../../docs/files.md");
    let examples: Vec<&str> = page.split("```sql").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3, "{examples:?}");
    for example in examples {
        for statement in example.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()) {
            let statement = statement.replace("'data/", &format!("'{}/", folder.0.display()));
            let result = session.sql(&statement).and_then(multiloop_tests::text_rows);
            assert!(result.is_ok(), "{statement}: {result:?}");
        }
    }
}

#[test]
fn what_fails_leaves_nothing() {
    let session = session();
    let folder = Folder::new("nothing");
    let names = || std::fs::read_dir(&folder.0).expect("it is there").count();
    for (target, options) in [
        ("a.parquet", ""),
        ("a.csv", ""),
        ("a.csv.gz", ""),
        ("a.json", "(ARRAY true)"),
        ("a.arrow", ""),
        ("a.csv", "(USE_TMP_FILE false)"),
        ("a", "(FORMAT csv, PARTITION_BY p)"),
        ("a", "(FORMAT parquet, PARTITION_BY p, OVERWRITE)"),
        ("a", "(FORMAT parquet, FILE_SIZE_BYTES 1000)"),
        ("a", "(FORMAT json, PER_THREAD_OUTPUT)"),
    ] {
        let query = "SELECT v % 3 AS p, 1 / (99999 - v) AS q FROM generate_series(1, 100000) g(v)";
        let sql = format!("COPY ({query}) TO '{}' {options}", folder.path(target));
        assert_eq!(rows(&session, &sql), ["22012"], "{sql}");
        assert_eq!(names(), 0, "{sql}");
    }
    // What was there is there still.
    let path = folder.path("kept");
    let write =
        |query: &str, options: &str| format!("COPY ({query}) TO '{path}' (FORMAT csv, PARTITION_BY p, {options})");
    session.sql(&write("SELECT 1 AS p, 2 AS v", "OVERWRITE")).expect("it is written");
    assert_eq!(rows(&session, &write("SELECT 1 AS p, 1 / 0 AS v", "OVERWRITE true")), ["22012"]);
    assert_eq!(rows(&session, &format!("SELECT p, v FROM '{path}/*/*.csv'")), ["1 2"]);
    assert_eq!(names(), 1);
}

/// Rows of many partitions that come in turn are in one file each, however often they are split.
#[test]
fn many_partitions_have_a_file_each() {
    let session = session();
    for format in ["csv", "parquet"] {
        let folder = Folder::new(&format!("many-{format}"));
        let path = folder.path("out");
        let rows_of = "SELECT v % 1100 AS p, v FROM generate_series(1, 1150000) g(v)";
        session.sql(&format!("COPY ({rows_of}) TO '{path}' (FORMAT {format}, PARTITION_BY p)")).expect("it is written");
        let files: usize = std::fs::read_dir(&path)
            .expect("it is there")
            .map(|part| std::fs::read_dir(part.expect("a folder").path()).expect("it is there").count())
            .sum();
        assert_eq!(files, 1_100, "{format}");
        let sql = format!("SELECT count(*), sum(v), count(DISTINCT p), min(v - p) FROM '{path}/*/*.{format}'");
        assert_eq!(rows(&session, &sql), ["1150000 661250575000 1100 0"], "{format}");
    }
}

#[test]
fn compressed_files_are_what_their_endings_say() {
    let session = session();
    let folder = Folder::new("compressed");
    for (name, options, magic) in [
        ("a.csv.gz", "", &[0x1f, 0x8b][..]),
        ("a.csv.zst", "", &[0x28, 0xb5, 0x2f, 0xfd]),
        ("a.csv", "(COMPRESSION zstd, COMPRESSION_LEVEL 19)", &[0x28, 0xb5, 0x2f, 0xfd]),
        ("a.json.gz", "(COMPRESSION none)", b"{\"v\":1}"),
        ("a.json.gz", "(COMPRESSION_LEVEL 9)", &[0x1f, 0x8b]),
        ("a.ndjson", "", b"{\"v\":1}\n"),
    ] {
        let path = folder.path(name);
        let sql = format!("COPY (SELECT v FROM generate_series(1, 100000) g(v)) TO '{path}' {options}");
        assert_eq!(rows(&session, &sql), Vec::<String>::new(), "{sql}");
        let bytes = std::fs::read(&path).expect("it is there");
        assert!(bytes.starts_with(magic), "{sql}: {:?}", &bytes[..8]);
    }
}

/// What a session that may reach files of one folder gets when it asks for one beside it.
#[test]
fn braces_lead_nowhere_else() {
    let folder = Folder::new("braces");
    let (inner, outer) = (folder.path("in/t.csv"), folder.path("out/t.csv"));
    std::fs::write(&inner, "1\n").expect("a file");
    std::fs::write(&outer, "2\n").expect("a file");
    let session = session();
    session.sql("CREATE TABLE t (k integer)").expect("a table");
    session.enter("somebody", Some([PathBuf::from(folder.path("in"))].into()));
    let base = folder.path("in");
    assert_eq!(rows(&session, &format!("COPY t FROM '{base}/{{x,..}}/out/t.csv'")), ["42501"]);
    assert_eq!(rows(&session, &format!("COPY t FROM '{{{base},{}}}/t.csv'", folder.path("out"))), ["42501"]);
    assert_eq!(rows(&session, &format!("SELECT * FROM '{base}/{{x,..}}/out/t.csv'")), ["42501"]);
    assert_eq!(rows(&session, "SELECT * FROM t"), Vec::<String>::new());
    session.sql(&format!("COPY t FROM '{base}/{{t,u}}.csv'")).expect("it may be read");
    assert_eq!(rows(&session, "SELECT * FROM t"), ["1"]);
    let many = format!("SELECT * FROM '{}.csv'", "{a,b}".repeat(14));
    assert_eq!(rows(&session, &many), ["22023"]);
    let long = format!("SELECT * FROM '{}.csv'", "{".repeat(5000));
    assert_eq!(rows(&session, &long), ["22023"]);
}
