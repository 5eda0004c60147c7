//! Files of HTTP servers and of object stores, by the program as people have it: what is read is what would be read of a local file,
//! not much more is asked for than is needed, whatever a server does ends in rows or an error, and what is written is there whole or
//! not at all.

mod server;

use server::{Manner, Server};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("multiloop-remote-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder is made");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("paths of tests are UTF-8").to_owned()
    }

    /// What a query gives, as a file.
    fn made(&self, name: &str, query: &str) -> Vec<u8> {
        let path = self.path(name);
        let output = program(None).args(["-c", &format!("COPY ({query}) TO '{path}'")]).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(path).expect("it has been written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program; its stores are those of a server.
fn program(server: Option<&Server>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multiloop"));
    command.args(["--threads", "2", "-q", "-A", "-t"]).stdin(Stdio::null());
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "someone"),
        ("AWS_SECRET_ACCESS_KEY", "something"),
        ("AWS_REGION", "here"),
        ("AWS_ALLOW_HTTP", "true"),
        ("NO_PROXY", "*"),
    ] {
        command.env(name, value);
    }
    if let Some(server) = server {
        command.env("AWS_ENDPOINT_URL", server.url("").trim_end_matches('/'));
    }
    command
}

/// What statements print.
fn printed(server: &Server, sql: &str) -> String {
    let output = program(Some(server)).args(["-c", sql]).output().expect("the program runs");
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

/// The SQLSTATE with which statements fail, and what is said.
fn failure_of(output: &Output) -> (String, String) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let state = text.split_once("ERROR ").and_then(|(_, rest)| rest.get(..5)).unwrap_or_default().to_owned();
    assert!(output.status.code().is_some() && !output.status.success(), "it should fail: {output:?}");
    (state, text)
}

fn failure(server: &Server, sql: &str) -> (String, String) {
    let mut command = program(Some(server));
    let output = command.env("MULTILOOP_REMOTE_TIMEOUT", "0.3").args(["-c", sql]).output();
    failure_of(&output.expect("the program runs"))
}

const ROWS: &str = "SELECT i AS id, 'w' || i % 7 AS word, i * 0.25::double precision AS number, \
                    CASE WHEN i % 3 = 0 THEN NULL ELSE i % 3 END AS rest FROM generate_series(1, 20000) s(i)";

#[test]
fn every_format_is_read_as_a_local_file_is() {
    let (folder, server) = (Folder::new("formats"), Server::start());
    let avro = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/files/fastavro");
    let mut files = Vec::new();
    for name in
        ["a.csv", "a.csv.gz", "a.tsv", "a b%.ndjson", "a.json", "a.ndjson.zst", "a.parquet", "a.arrow", "a.csv.zst"]
    {
        files.push((name.to_owned(), folder.made(name, ROWS), folder.path(name)));
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(avro).expect("it is there").flatten().map(|of| of.path()).collect();
    found.sort();
    let found = found.into_iter().find(|path| path.extension().is_some_and(|of| of == "avro"));
    let path = found.expect("some file of Avro's").to_str().expect("it is UTF-8").to_owned();
    files.push(("a.avro".to_owned(), std::fs::read(&path).expect("it is read"), path));
    for (name, bytes, path) in files {
        server.put(&name, bytes.clone());
        server.put(&format!("bucket/{name}"), bytes);
        let of = |from: &str| {
            let sql = format!(
                "SELECT * FROM '{from}' ORDER BY 1; SELECT count(*) FROM '{from}'; DESCRIBE SELECT * FROM '{from}';"
            );
            printed(&server, &sql)
        };
        let local = of(&path);
        assert!(local.len() > 100, "{name}: {local}");
        let url = server.url(&name.replace('%', "%25").replace(' ', "%20"));
        assert_eq!(of(&url), local, "{url}");
        assert_eq!(of(&format!("{url}?token=a/b=c")), local, "{url}");
        assert_eq!(of(&format!("s3://bucket/{name}")), local, "{name}");
    }
    // By functions, which say the format, and into columns that are there.
    let url = server.url("a.csv");
    let sql = format!(
        "CREATE TABLE t (id int, word text, number double precision, rest int); COPY t FROM '{url}'; \
         COPY t FROM '{}'; SELECT count(*), sum(id), count(rest) FROM t; \
         SELECT count(*) FROM read_csv('{url}', header => true); SELECT count(*) FROM read_parquet(['{}', '{}']);",
        server.url("a.parquet"),
        server.url("a.parquet"),
        "s3://bucket/a.parquet"
    );
    assert_eq!(printed(&server, &sql), "40000|400020000|26668\n20000\n40000\n");
}

#[test]
fn patterns_lists_and_partitions_of_a_store() {
    let (folder, server) = (Folder::new("patterns"), Server::start());
    for year in [2020, 2021, 2022] {
        for part in ["a", "b"] {
            let rows =
                folder.made("part.parquet", &format!("SELECT {year} * 10 + i AS v FROM generate_series(1, 3) s(i)"));
            server.put(&format!("bucket/t/year={year}/{part}.parquet"), rows);
        }
    }
    server.put("bucket/t/year=2020/notes.txt", "none of these");
    server.put("bucket/x/one.csv", "k\n1\n");
    server.put("bucket/x/two.csv", "k\n2\n");
    server.put("bucket/x/deep/three.csv", "k\n3\n");
    for (sql, rows) in [
        ("SELECT count(*), sum(year) FROM 's3://bucket/t/*/*.parquet'", "18|36378\n"),
        ("SELECT count(*) FROM 's3://bucket/t/year=202[01]/?.parquet'", "12\n"),
        ("SELECT sum(k) FROM 's3://bucket/x/*.csv'", "3\n"),
        ("SELECT sum(k) FROM 's3://bucket/x/**/*.csv'", "6\n"),
        ("SELECT sum(k) FROM 's3://bucket/x/{one,none,deep/three}.csv'", "4\n"),
        (
            "SELECT filename, k FROM read_csv(['s3://bucket/x/two.csv', 's3://bucket/x/o*.csv'], filename => true)",
            "s3://bucket/x/two.csv|2\ns3://bucket/x/one.csv|1\n",
        ),
        (
            "SELECT year, max(v) FROM 's3://bucket/t/**/*.parquet' GROUP BY year ORDER BY year",
            "2020|20203\n2021|20213\n2022|20223\n",
        ),
    ] {
        assert_eq!(printed(&server, sql), rows, "{sql}");
    }
    for (sql, state) in [
        ("SELECT * FROM 's3://bucket/none/*.csv'".to_owned(), "58P01"),
        ("SELECT * FROM 's3://bucket/x/none.csv'".to_owned(), "58P01"),
        ("SELECT * FROM 's3://bucket/x/{none,nobody}.csv'".to_owned(), "58P01"),
        ("SELECT * FROM 's3://bucket/x/../x/one.csv'".to_owned(), "22023"),
        (format!("SELECT * FROM '{}'", server.url("x/*.csv")), "0A000"),
    ] {
        assert_eq!(failure(&server, &sql).0, state, "{sql}");
    }
}

#[test]
fn stores_of_other_kinds_are_found_by_the_environment() {
    let (folder, server) = (Folder::new("kinds"), Server::start());
    let bytes = folder.made("a.parquet", ROWS);
    for path in ["bucket/x/a.parquet", "bucket/x/b.parquet"] {
        server.put(path, bytes.clone());
    }
    let address = server.url("");
    let address = address.trim_end_matches('/');
    for (sql, rows) in [
        ("SELECT count(*), sum(id) FROM 'gs://bucket/x/a.parquet'", "20000|200010000\n"),
        ("SELECT count(*), sum(id) FROM 'gs://bucket/x/*.parquet'", "40000|400020000\n"),
        ("SELECT count(*), sum(id) FROM 'az://bucket/x/b.parquet'", "20000|200010000\n"),
        ("SELECT count(*) FROM read_parquet(['gcs://bucket/x/b.parquet', 'azure://bucket/x/b.parquet'])", "40000\n"),
    ] {
        let mut command = program(None);
        command.env("GOOGLE_BASE_URL", address).env("GOOGLE_SKIP_SIGNATURE", "true").env("GOOGLE_ALLOW_HTTP", "true");
        command
            .env("AZURE_ENDPOINT", address)
            .env("AZURE_STORAGE_ACCOUNT_NAME", "someone")
            .env("AZURE_ALLOW_HTTP", "true");
        command.env("AZURE_STORAGE_ACCOUNT_KEY", "c29tZXRoaW5n");
        let output = command.args(["-c", sql]).output().expect("the program runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), rows, "{sql}: {output:?}");
    }
    // What the environment does not say is missed.
    let output = program(None).args(["-c", "SELECT * FROM 'az://bucket/a.csv'"]).output().expect("the program runs");
    assert_eq!(failure_of(&output).0, "22023");
}

#[test]
fn no_more_is_asked_for_than_is_needed() {
    let (folder, server) = (Folder::new("asked"), Server::start());
    // Incompressible, so that files are larger than their ends.
    let rows = "SELECT i AS id, md5(i::text) AS word, md5((-i)::text) AS other FROM generate_series(1, 30000) s(i)";
    let bytes = folder.made("a.parquet", rows);
    let size = bytes.len();
    assert!(size > 1 << 20, "{size}");
    for year in [2020, 2021] {
        server.put(&format!("bucket/t/year={year}/a.parquet"), bytes.clone());
    }
    server.put("a.parquet", bytes);
    let url = server.url("a.parquet");
    assert_eq!(printed(&server, &format!("SELECT count(*) FROM '{url}'")), "30000\n");
    let end = format!("GET a.parquet {}-{}", size - (1 << 16), size - 1);
    assert_eq!(server.asked(), ["HEAD a.parquet".to_owned(), end.clone()]);
    // One column is fetched, once, and by one request; not again by another statement.
    printed(&server, &format!("SELECT sum(id) FROM '{url}'; SELECT avg(id) FROM '{url}' WHERE id > 7"));
    let asked = server.asked();
    let gets: Vec<&String> = asked.iter().filter(|what| what.starts_with("GET") && **what != end).collect();
    assert_eq!(gets.len(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|what| **what == end).count(), 1, "{asked:?}");
    // A partition that is left out is but looked at.
    let sql = "SELECT count(word), min(word) FROM 's3://bucket/t/*/*.parquet' WHERE year = 2021";
    assert!(printed(&server, sql).starts_with("30000|"));
    let asked = server.asked();
    let of_other: Vec<&String> = asked.iter().filter(|what| what.contains("2020")).collect();
    assert_eq!(of_other.len(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|what| what.starts_with("HEAD")).count(), 0, "a list has told: {asked:?}");
    assert!(asked.iter().filter(|what| what.contains("2021")).count() >= 2, "{asked:?}");
    // What has changed is fetched again, and seen.
    let other = folder.made("b.parquet", "SELECT i AS id FROM generate_series(1, 5) s(i)");
    server.put("b.csv", "a\n1\n");
    let script = format!("SELECT sum(a) FROM '{0}';\nSELECT sum(a) FROM '{0}';", server.url("b.csv"));
    assert_eq!(printed(&server, &script), "1\n1\n");
    assert_eq!(server.asked().iter().filter(|what| what.starts_with("GET")).count(), 1);
    server.put("a.parquet", other);
    assert_eq!(printed(&server, &format!("SELECT count(*) FROM '{url}'")), "5\n");
}

#[test]
fn text_larger_than_a_window_is_read_whole() {
    let (folder, server) = (Folder::new("windows"), Server::start());
    let rows = "SELECT i AS id, md5(i::text) || md5((-i)::text) AS word FROM generate_series(1, 200000) s(i)";
    for name in ["a.csv", "a.ndjson", "a.arrow", "a.csv.gz"] {
        let bytes = folder.made(name, rows);
        server.put(name, bytes);
        let url = server.url(name);
        let expected = "200000|20000100000\n";
        assert_eq!(printed(&server, &format!("SELECT count(word), sum(id) FROM '{url}'")), expected, "{name}");
        let asked = server.asked();
        assert!(asked.iter().filter(|what| what.starts_with("GET")).count() <= 12, "{asked:?}");
    }
    // So much of it that the rows stay where they are.
    let sql = format!("SELECT count(word), sum(id) FROM '{}'", server.url("a.csv"));
    let output = program(Some(&server)).args(["--memory-limit", "48", "-c", &sql]).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "200000|20000100000\n", "{output:?}");
}

#[test]
fn what_servers_do_ends_in_an_error() {
    let (folder, server) = (Folder::new("errors"), Server::start());
    let bytes = folder.made("a.parquet", ROWS);
    let text = folder.made("a.csv", ROWS);
    let cases = [
        (Manner::Cut, "58030"),
        (Manner::Stalls, "58030"),
        (Manner::Short, "58030"),
        (Manner::Long, "58030"),
        (Manner::Changes, "22P04"),
        (Manner::Status(403), "42501"),
        (Manner::Status(401), "42501"),
        (Manner::Status(404), "58P01"),
        (Manner::Status(500), "58030"),
        (Manner::Status(418), "58030"),
    ];
    let check = &|number: usize, (manner, state): (Manner, &str)| {
        server.put_so(&format!("bucket/{number}.parquet"), bytes.clone(), manner);
        server.put_so(&format!("{number}.csv"), text.clone(), manner);
        for path in [format!("s3://bucket/{number}.parquet"), server.url(&format!("{number}.csv"))] {
            let start = Instant::now();
            let (found, said) = failure(&server, &format!("SELECT * FROM '{path}'"));
            assert_eq!(found, state, "{manner:?} {path}: {said}");
            assert!(said.contains(&path), "{manner:?}: {said}");
            assert!(start.elapsed() < Duration::from_secs(30), "{manner:?} {path} takes {:?}", start.elapsed());
        }
    };
    // Whatever reads them, and however it wraps what has failed.
    let of_format = &|name: &str| {
        server.put_so(name, folder.made(name, ROWS), Manner::Cut);
        let (found, said) = failure(&server, &format!("SELECT * FROM '{}'", server.url(name)));
        assert_eq!(found, "58030", "{name}: {said}");
    };
    // Most of the time goes by in waiting.
    std::thread::scope(|scope| {
        for name in ["z.csv.gz", "z.csv.zst", "z.json", "z.ndjson.gz", "z.arrow"] {
            scope.spawn(move || of_format(name));
        }
        for (number, case) in cases.into_iter().enumerate() {
            scope.spawn(move || check(number, case));
        }
    });
    assert_eq!(failure(&server, "SELECT * FROM 'http://127.0.0.1:1/a.csv'").0, "58030");
    assert_eq!(failure(&server, "SELECT * FROM 'http://nobody.invalid/a.csv'").0, "58030");
    assert_eq!(failure(&server, "SELECT * FROM 'http://user:word@127.0.0.1/a.csv'").0, "22023");
    // What is no Parquet is no fault of the network.
    server.put("b.parquet", &b"PAR1 and nothing that could be read PAR1"[..]);
    assert_eq!(failure(&server, &format!("SELECT * FROM '{}'", server.url("b.parquet"))).0, "22P04");
    server.put("empty.csv", "");
    assert_eq!(failure(&server, &format!("SELECT * FROM '{}'", server.url("empty.csv"))).0, "22P04");
}

#[test]
fn who_waits_for_a_server_can_be_cancelled() {
    let server = Server::start();
    server.put_so("a.csv", "a\n1\n", Manner::Stalls);
    let start = Instant::now();
    let sql = format!("SET statement_timeout = 300; SELECT * FROM '{}'", server.url("a.csv"));
    let output = program(Some(&server)).args(["-c", &sql]).output().expect("the program runs");
    assert_eq!(failure_of(&output).0, "57014");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn servers_that_know_less_are_read_even_so() {
    let (folder, server) = (Folder::new("less"), Server::start());
    let bytes = folder.made("a.parquet", ROWS);
    for manner in [Manner::Whole, Manner::Unseen, Manner::Untagged, Manner::Elsewhere] {
        server.put("led/a.parquet", bytes.clone());
        server.put_so("a.parquet", bytes.clone(), manner);
        let sql = format!("SELECT count(*), sum(id) FROM '{}'", server.url("a.parquet"));
        assert_eq!(printed(&server, &sql), "20000|200010000\n", "{manner:?}");
    }
}

#[test]
fn what_is_written_is_there_whole_or_not_at_all() {
    let server = Server::start();
    let numbers = "SELECT i AS id, md5(i::text) AS word FROM generate_series(1, 1000000) s(i)";
    for (name, count) in
        [("a.csv", "10"), ("a.parquet", "10"), ("a.ndjson.gz", "10"), ("a.arrow", "10"), ("big.csv", "1000000")]
    {
        let sql = format!(
            "COPY ({numbers} LIMIT {count}) TO 's3://bucket/out/{name}'; \
             SELECT count(*), count(DISTINCT word), sum(id) FROM 's3://bucket/out/{name}'"
        );
        let sum = if count == "10" { "55" } else { "500000500000" };
        assert_eq!(printed(&server, &sql), format!("{count}|{count}|{sum}\n"), "{name}");
        assert!(!server.has_parts(), "{name}");
    }
    assert!(server.asked().iter().any(|what| what == "POST bucket/out/big.csv begin"), "it has several parts");
    // Nothing takes the place of what was there.
    for (name, manner, state) in [("takes.csv", Manner::TakesOne, "42501"), ("done.csv", Manner::NeverDone, "58030")] {
        server.put_so(&format!("bucket/{name}"), "before", manner);
        let (found, said) = failure(&server, &format!("COPY ({numbers}) TO 's3://bucket/{name}'"));
        assert_eq!(found, state, "{name}: {said}");
        assert_eq!(server.get(&format!("bucket/{name}")).as_deref(), Some(&b"before"[..]), "{name}");
        assert!(!server.has_parts(), "{name}");
    }
    server.put_so("bucket/small.csv", "before", Manner::Status(403));
    assert_eq!(failure(&server, "COPY (SELECT 1) TO 's3://bucket/small.csv'").0, "42501");
    // A query that fails behind many rows.
    let fails = "SELECT md5(i::text), 1 / (900000 - i) FROM generate_series(1, 1000000) s(i)";
    assert_eq!(failure(&server, &format!("COPY ({fails}) TO 's3://bucket/fails.csv'")).0, "22012");
    assert_eq!(server.get("bucket/fails.csv"), None);
    assert!(!server.has_parts());
    for (sql, state) in [
        (format!("COPY (SELECT 1) TO '{}'", server.url("a.csv")), "0A000"),
        ("COPY (SELECT 1 AS a, 2 AS b) TO 's3://bucket/t' (FORMAT parquet, PARTITION_BY (a))".to_owned(), "0A000"),
        ("COPY (SELECT 1) TO 's3://bucket/' (FORMAT csv)".to_owned(), "22023"),
    ] {
        assert_eq!(failure(&server, &sql).0, state, "{sql}");
    }
}

#[test]
fn a_backup_in_a_store_is_a_database() {
    let (folder, server) = (Folder::new("backup"), Server::start());
    let data = folder.path("data");
    let run = |data: &str, sql: &str| {
        let output = program(Some(&server)).args(["--data", data, "-c", sql]).output().expect("the program runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned(), output)
    };
    let make = "CREATE TABLE t AS SELECT i AS k, 'w' || i % 7 AS word FROM generate_series(1, 100000) s(i); CHECKPOINT; \
                CREATE TABLE u (a int PRIMARY KEY); INSERT INTO u VALUES (1), (2); UPDATE t SET k = 0 WHERE k = 1; \
                BACKUP TO 's3://bucket/deep/kept'";
    assert!(run(&data, make).0);
    // It is copied to a folder first.
    let copy = folder.path("copy");
    let names = ["checkpoint", "log/0000000001.log"].map(str::to_owned);
    let rows = (1..20).map(|number| format!("rows/{number:010}.arrow"));
    for name in names.into_iter().chain(rows) {
        let Some(bytes) = server.get(&format!("bucket/deep/kept/{name}")) else { continue };
        let to = PathBuf::from(&copy).join(name);
        std::fs::create_dir_all(to.parent().expect("it is in a folder")).expect("a folder is made");
        std::fs::write(to, bytes).expect("it is written");
    }
    assert_eq!(run(&copy, "SELECT count(*), sum(k) FROM t; SELECT sum(a) FROM u").1, "100000|5000049999\n3\n");
    assert!(!server.has_parts());
    // Nothing takes the place of what is there, and what is no store takes nothing.
    for (to, state) in [("s3://bucket/deep/kept".to_owned(), "55000"), (server.url("kept"), "0A000")] {
        let (_, _, output) = run(&data, &format!("BACKUP TO '{to}'"));
        assert_eq!(failure_of(&output).0, state, "{to}");
    }
}

#[test]
fn a_session_that_may_reach_some_places_reaches_no_others() {
    let server = Server::start();
    for path in ["open/a.csv", "closed/a.csv", "led/open/b.csv", "open/deep/a.csv"] {
        server.put(path, "a\n1\n");
    }
    server.put_so("open/b.csv", "a\n1\n", Manner::Elsewhere);
    let engine = multiloop::Engine::builder().threads(1).build().expect("an engine starts");
    let session = engine.session();
    let state_of = |sql: &str| {
        let outcome = session.sql(sql).and_then(multiloop::ResultStream::collect_batches);
        outcome.err().map_or("00000", |error| error.sqlstate())
    };
    let of = |path: &str| state_of(&format!("SELECT * FROM '{}'", server.url(path)));
    assert_eq!(of("closed/a.csv"), "00000");
    assert_eq!(of("open/b.csv"), "00000");
    session.enter("somebody", Some(vec![PathBuf::from(server.url("open"))].into()));
    assert_eq!(of("open/a.csv"), "00000");
    assert_eq!(of("open/deep/a.csv"), "00000");
    for path in [
        "closed/a.csv",
        "open/../closed/a.csv",
        "open/%2e%2e/closed/a.csv",
        "open/..%2fclosed/a.csv",
        "openly/a.csv",
        "open%2f..%2fclosed/a.csv",
        "led/open/b.csv",
        "open/{a,../closed/a}.csv",
    ] {
        assert_eq!(of(path), "42501", "{path}");
    }
    assert_eq!(state_of("SELECT * FROM 's3://open/a.csv'"), "42501");
    assert_eq!(state_of("COPY (SELECT 1) TO 's3://open/a.csv'"), "42501");
    assert_eq!(state_of("SELECT * FROM '/dev/stdin'"), "42501");
    assert_eq!(state_of("SELECT * FROM read_csv('-')"), "42501");
    // A server that leads out of what is open is not followed.
    server.put_so("open/c.csv", "a\n1\n", Manner::Elsewhere);
    assert_eq!(of("open/c.csv"), "58030");
    assert!(!server.asked().iter().any(|what| what.contains("led/open/c.csv")));
}
