//! Files and statements that are not what they should be: an error with an SQLSTATE, and nothing is lost.

use multiloop::{Engine, Session};
use std::path::PathBuf;

/// A session with a table, `t`, and a folder that is gone afterwards.
struct Place {
    session: Session,
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("multiloop-bad-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let session = Engine::builder().threads(2).build().expect("an engine starts").session();
        session.sql("CREATE TABLE t (a integer, b text, c decimal(6,2), d date)").expect("it is made");
        session.sql("INSERT INTO t VALUES (1, 'one', 1.25, '2020-01-01'), (2, NULL, NULL, NULL)").expect("they fit");
        Place { session, folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("it is UTF-8").to_owned()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.folder.join(name), bytes).expect("it is written");
        self.path(name)
    }

    /// The SQLSTATE and the text of a statement's error; the table is as it was.
    fn fails(&self, sql: &str) -> (&'static str, String) {
        let error = self.session.sql(sql).err().unwrap_or_else(|| panic!("{sql} was taken"));
        let count = self.session.sql("SELECT count(*), sum(a) FROM t").and_then(multiloop_tests::text_rows);
        assert_eq!(count.expect("the table is there"), [["2", "3"]], "{sql}");
        (error.sqlstate(), format!("{error} {}", error.hint().unwrap_or_default()))
    }

    /// A file that fails, read by its path and into the table.
    fn file_fails(&self, path: &str) -> (&'static str, String) {
        let copied = self.fails(&format!("COPY t FROM '{path}'"));
        let read = self.fails(&format!("SELECT * FROM '{path}'"));
        let made = self.fails(&format!("CREATE TABLE made AS SELECT * FROM '{path}'"));
        assert_eq!((read.0, made.0), (copied.0, copied.0), "{path}: {read:?} {made:?} {copied:?}");
        assert_eq!(self.fails("SELECT * FROM made").0, "42P01");
        read
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn damaged_parquet_and_arrow_files() {
    let place = Place::new("damaged");
    for ending in ["parquet", "arrow"] {
        let whole = place.path(&format!("whole.{ending}"));
        let rows = "SELECT a.a * 1000 + b.a AS a, a.b, a.c, a.d FROM t a, t b, t c, t d";
        place.session.sql(&format!("COPY ({rows}) TO '{whole}'")).expect("it is written");
        let bytes = std::fs::read(&whole).expect("it is there");
        let lengths = (0..bytes.len()).step_by(bytes.len() / 40 + 1).chain(bytes.len() - 12..bytes.len());
        for length in lengths {
            let path = place.write(&format!("cut.{ending}"), &bytes[..length]);
            let (state, message) = place.file_fails(&path);
            assert_eq!(state, "22P04", "{length} of {} bytes: {message}", bytes.len());
            assert!(message.contains("cut."), "the file is named: {message}");
        }
        // A changed byte may go unnoticed in the values; it must not bring anything down.
        for at in (0..bytes.len()).step_by(bytes.len() / 150 + 1) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let path = place.write(&format!("changed{at}.{ending}"), &changed);
            if let Err(error) = place.session.sql(&format!("SELECT count(*), min(b), sum(a) FROM '{path}'")) {
                assert_ne!(error.sqlstate(), "XX000", "byte {at}: {error}");
            }
        }
    }
}

#[test]
fn ragged_and_garbled_csv() {
    let place = Place::new("csv");
    let copy = |text: &[u8]| {
        let path = place.write("bad.csv", text);
        place.fails(&format!("COPY t FROM '{path}'"))
    };
    for (text, state, said) in [
        (&b"3,x,1,2020-01-01\n4,y,1\n"[..], "22P04", "line 2"),
        (b"3,x,1,2020-01-01,more\n", "22P04", "line 1"),
        (b"3,x,1,2020-01-01\n4,\"open,1,2020-01-01\n", "22P04", ""),
        (b"3,x,1,2020-01-01\nfour,y,1,2020-01-01\n", "22P02", "line 2"),
        (b"3,x,12345,2020-01-01\n", "22003", "line 1"),
        (b"3,x,1,2020-02-30\n", "22008", "line 1"),
        (b"3,x,1,soon\n", "22007", "line 1"),
        (b"99999999999,x,1,2020-01-01\n", "22003", "line 1"),
        (b"3,\xff\xfe,1,2020-01-01\n", "22021", ""),
        (b"\xc3,x,1,2020-01-01\n", "22021", ""),
        (b"\0\x01\x02\xff", "22021", ""),
    ] {
        let (found, message) = copy(text);
        let text = String::from_utf8_lossy(text);
        assert_eq!(found, state, "{text}: {message}");
        assert!(message.contains(said), "{text}: {message}");
    }
    // Guessed columns: the rows must agree on how many there are.
    let path = place.write("ragged.csv", b"a,b\n1,2\n3\n");
    assert_eq!(place.fails(&format!("SELECT * FROM '{path}'")).0, "22P04");
    let path = place.write("late.csv", format!("a,b\n{}x,2\n", "1,2\n".repeat(30_000)).as_bytes());
    // A late row that is no number makes the column text.
    assert_eq!(place.fails(&format!("SELECT sum(a) FROM '{path}'")).0, "42883");
    let rows =
        place.session.sql(&format!("SELECT count(*), max(a) FROM '{path}'")).and_then(multiloop_tests::text_rows);
    assert_eq!(rows.expect("it is read"), [["30001", "x"]]);
}

#[test]
fn paths_that_are_no_files() {
    let place = Place::new("paths");
    let folder = place.path("folder.parquet");
    std::fs::create_dir(&folder).expect("it can be made");
    assert_eq!(place.file_fails(&place.path("nope.parquet")).0, "58P01");
    assert_eq!(place.file_fails(&place.path("nope*.csv")).0, "58P01");
    assert_eq!(place.file_fails(&place.path("no/such/folder.csv")).0, "58P01");
    let (state, message) = place.file_fails(&folder);
    assert!(state == "58P01" && message.contains("folder"), "{state} {message}");
    for ending in ["parquet", "arrow"] {
        assert_eq!(place.file_fails(&place.write(&format!("empty.{ending}"), b"")).0, "22P04");
        assert_eq!(place.file_fails(&place.write(&format!("text.{ending}"), b"a,b,c,d\n1,2,3,4\n")).0, "22P04");
    }
    // An empty CSV file has no rows for a table, and no columns of its own.
    let empty = place.write("empty.csv", b"");
    assert_eq!(place.fails(&format!("SELECT * FROM '{empty}'")).0, "22P04");
    place.session.sql(&format!("COPY t FROM '{empty}'")).expect("no rows are fine");
    assert_eq!(place.fails("SELECT * FROM 'file.unknown'").0, "42P01");
    assert_eq!(place.fails(&format!("COPY t TO '{folder}'")).0, "58030");
    assert_eq!(place.fails(&format!("COPY t TO '{}'", place.path("no/folder.csv"))).0, "58P01");
    let left: Vec<_> = std::fs::read_dir(&place.folder)
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?} are left behind");
}

#[test]
fn columns_that_do_not_fit() {
    let place = Place::new("columns");
    let write = |query: &str| {
        let path = place.path("other.parquet");
        place.session.sql(&format!("COPY ({query}) TO '{path}'")).expect("it is written");
        place.fails(&format!("COPY t FROM '{path}'"))
    };
    assert_eq!(write("SELECT 3 AS a").0, "42804");
    assert_eq!(write("SELECT 'x' AS a, 'y' AS b, 1.0 AS c, date '2020-01-01' AS d").0, "42804");
    assert_eq!(write("SELECT 3000000000 AS a, 'y' AS b, 1.0 AS c, date '2020-01-01' AS d").0, "42804");
    assert_eq!(write("SELECT 3 AS a, 'y' AS b, 99999.99 AS c, date '2020-01-01' AS d").0, "42804");
}

#[test]
fn wrong_statements_say_where_and_what_was_meant() {
    let place = Place::new("statements");
    for (sql, state, at, hint) in [
        ("SELECT aa FROM t", "42703", "aa", "Did you mean \"a\"?"),
        ("SELECT a FROM tt", "42P01", "tt", "Did you mean \"t\"?"),
        ("SELECT uper(b) FROM t", "42883", "uper", "Did you mean \"upper\"?"),
        ("SELECT a FROM t WHERE x.a = 1", "42P01", "x.a", ""),
        ("SELECT a + 2147483647 FROM t", "22003", "", ""),
        ("SELECT 1 / (a - 1) FROM t", "22012", "", ""),
        ("SELECT a FROM t WHERE b", "42804", "b", ""),
        ("SELECT a FROM t WHERE a = 'x'", "22P02", "'x'", ""),
        ("SELECT a FROM t GROUP BY b", "42803", "a FROM", ""),
        ("SELECT a b c FROM t", "42601", "c", ""),
        ("SELECT (a FROM t", "42601", "FROM", ""),
        ("SELECT 'open FROM t", "42601", "'open", ""),
        ("SELECT a FROM t ORDER BY 2", "42P10", "2", ""),
        ("INSERT INTO t VALUES (1, 2, 3, 4, 5)", "42601", "", ""),
        ("INSERT INTO t (a, z) VALUES (1, 2)", "42703", "z", ""),
        ("INSERT INTO t (d) VALUES ('2020-13-01')", "22008", "'2020-13-01'", ""),
        ("DROP TABLE tt", "42P01", "", ""),
        ("COPY tt FROM 'x.csv'", "42P01", "tt", "Did you mean \"t\"?"),
    ] {
        let error = place.session.sql(sql).expect_err(sql);
        assert_eq!(error.sqlstate(), state, "{sql}: {error}");
        if !at.is_empty() {
            let position = error.position().unwrap_or_else(|| panic!("{sql}: {error} has no place")).0 as usize;
            assert!(sql[position..].starts_with(at), "{sql}: {error} points at {}", &sql[position..]);
        }
        assert!(hint.is_empty() || error.hint() == Some(hint), "{sql}: {error}, {:?}", error.hint());
        place.fails(sql);
    }
}

#[test]
fn deep_and_long_statements() {
    let place = Place::new("deep");
    for sql in [
        format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
        format!("SELECT {}", "-".repeat(3) + &"- ".repeat(20_000) + "1"),
        format!("SELECT {} 1", "NOT ".repeat(20_000)),
        format!("SELECT 1 {}", "+ 1".repeat(20_000)),
        format!("SELECT {}1{}", "(SELECT ".repeat(5_000), ")".repeat(5_000)),
        format!("SELECT {}a{} FROM t", "abs(".repeat(5_000), ")".repeat(5_000)),
        format!("SELECT {} a {} FROM t", "CASE WHEN true THEN ".repeat(5_000), "END ".repeat(5_000)),
        format!("SELECT 1 {}", "BETWEEN SYMMETRIC 1 AND 2 ".repeat(20_000)),
    ] {
        let (state, message) = place.fails(&sql);
        assert!(["54001", "42601", "42883", "42804"].contains(&state), "{state} {message}: {}", &sql[..40]);
    }
    // Wide is not deep, nor is a chain.
    let chain = format!("SELECT count(*) FROM (SELECT 1 {}) s", "UNION ALL SELECT 1 ".repeat(20_000));
    place.session.sql(&chain).expect("it runs");
    let wide = format!("SELECT {}", vec!["a"; 1_000].join(", "));
    assert_eq!(place.session.sql(&format!("{wide} FROM t")).expect("it runs").fields().len(), 1_000);
    let list: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    place.session.sql(&format!("SELECT a FROM t WHERE a IN ({})", list.join(", "))).expect("it runs");
    let values: Vec<String> = (0..20_000).map(|n| format!("({n}, 'x', NULL, NULL)")).collect();
    place.session.sql(&format!("SELECT count(*) FROM (VALUES {}) v", values.join(", "))).expect("it runs");
}
