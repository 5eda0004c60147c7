//! The program as a shell: arguments, scripts and standard input, what it prints and what it ends with.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("multiloop-shell-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder is made");
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder is made");
        std::fs::write(&path, text).expect("a file is written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multiloop"));
    command.args(["--threads", "1"]).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program().args(arguments).output().expect("the program runs")
}

fn with_input(arguments: &[&str], input: &str) -> Output {
    let mut command = program();
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// Standard output of what succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

fn code_and_errors(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

#[test]
fn commands_and_scripts_run_in_the_order_given() {
    let folder = Folder::new("order");
    let script = folder.file("script.sql", "\u{feff}INSERT INTO t VALUES (2);\n\\echo in the script\n");
    let out = printed(&[
        "-q",
        "-c",
        "CREATE TABLE t (a int)",
        "-f",
        text(&script),
        "-At",
        "-c",
        "SELECT a FROM t; \\echo end",
    ]);
    assert_eq!(out, "in the script\n2\nend\n");
}

#[test]
fn formats_are_chosen_by_flags() {
    let sql = "SELECT 1 AS a, NULL AS b";
    assert_eq!(printed(&["--csv", "-c", sql]), "a,b\n1,\n");
    assert_eq!(printed(&["-A", "-c", sql]), "a|b\n1|\n(1 row)\n");
    assert_eq!(printed(&["-A", "-t", "-F", ";", "--null", "-", "-c", sql]), "1;-\n");
    assert_eq!(printed(&["--format", "json", "-c", sql]), "[{\"a\":1,\"b\":null}]\n");
    assert_eq!(printed(&["--format", "ndjson", "-c", sql]), "{\"a\":1,\"b\":null}\n");
    assert_eq!(printed(&["-x", "-c", sql]), "-[ RECORD 1 ]\na | 1\nb | NULL\n\n");
    assert_eq!(
        printed(&["-P", "border=2", "-P", "footer=off", "-c", sql]),
        "+---+------+\n| a |  b   |\n+---+------+\n| 1 | NULL |\n+---+------+\n\n"
    );
    assert!(printed(&["-H", "-c", sql]).starts_with("<table border=\"1\">"));
    assert_eq!(
        printed(&["-c", sql, "-c", "CREATE TABLE t (a int)"]),
        " a |  b   \n---+------\n 1 | NULL\n(1 row)\n\nCREATE TABLE\n"
    );
}

#[test]
fn what_it_ends_with_is_psqls() {
    let folder = Folder::new("codes");
    let bad = folder.file("bad.sql", "SELECT 1;\n\nSELECT nope;\nSELECT 2;\n");
    let (code, errors) = code_and_errors(&run(&["-c", "SELECT nope"]));
    assert_eq!(code, Some(1));
    assert!(errors.starts_with("ERROR 42703: column \"nope\" does not exist\nLINE 1: SELECT nope\n"), "{errors}");
    let (code, errors) = code_and_errors(&run(&["-f", text(&bad)]));
    assert_eq!(code, Some(3));
    assert!(errors.starts_with(&format!("{}:3: ERROR 42703", bad.display())), "{errors}");
    let on = run(&["-At", "-v", "ON_ERROR_STOP=0", "-f", text(&bad)]);
    assert_eq!((on.status.code(), on.stdout.as_slice()), (Some(0), b"1\n2\n".as_slice()));
    assert_eq!(run(&["-f", "/nope.sql"]).status.code(), Some(1));
    assert_eq!(run(&["/nope.parquet", "-c", "SELECT 1"]).status.code(), Some(1));
    let read = with_input(&["-At"], "SELECT 1;\nSELECT 1/0;\nSELECT 2");
    assert_eq!((read.status.code(), read.stdout.as_slice()), (Some(3), b"1\n".as_slice()));
    assert_eq!(with_input(&["-At"], "SELECT 1;\n\\q\nSELECT 2").stdout, b"1\n");
}

#[test]
fn files_become_views() {
    let folder = Folder::new("files");
    let trips = folder.file("Trips.csv", "city,km\nBern,1\n");
    let other = folder.file("sub/trips.csv", "city,km\nBasel,2\n");
    folder.file("many/1.csv", "a\n1\n");
    folder.file("many/deep/2.csv", "a\n2\n");
    folder.file("mixed/1.csv", "a\n1\n");
    folder.file("mixed/2.tsv", "a\n2\n");
    let sql = "SELECT city FROM trips UNION ALL SELECT city FROM trips_1";
    assert_eq!(printed(&[text(&trips), text(&other), "-At", "-c", sql]), "Bern\nBasel\n");
    let many = folder.0.join("many");
    assert_eq!(printed(&[text(&many), "-At", "-c", "SELECT sum(a) FROM many"]), "3\n");
    let pattern = format!("{}/*.csv", many.display());
    assert_eq!(printed(&["-At", "-c", "SELECT sum(a) FROM many", &pattern]), "1\n");
    let (code, errors) = code_and_errors(&run(&[text(&folder.0.join("mixed")), "-c", "SELECT 1"]));
    assert_eq!(code, Some(1));
    assert!(errors.contains("there are .csv and .tsv files in this folder"), "{errors}");
}

#[test]
fn a_bad_file_keeps_no_other_one_out() {
    let folder = Folder::new("bad");
    let (one, two) = (folder.file("one.csv", "a\n1\n"), folder.file("two.csv", "a\n2\n"));
    let bad = folder.file("bad.parquet", "this is no Parquet");
    let gone = folder.0.join("gone.csv");
    let sql = "SELECT a FROM one UNION ALL SELECT a FROM two";
    let output = run(&[text(&one), text(&bad), text(&gone), text(&two), "-At", "-c", sql]);
    let (code, errors) = code_and_errors(&output);
    assert_eq!((code, String::from_utf8_lossy(&output.stdout).as_ref()), (Some(0), "1\n2\n"));
    assert!(errors.contains("bad.parquet: ") && errors.contains("gone.csv: "), "{errors}");
    assert_eq!(code_and_errors(&run(&[text(&bad), "-c", "SELECT * FROM bad"])).0, Some(1));
}

#[test]
fn what_stands_behind_a_copy_runs_when_its_data_is_read() {
    let folder = Folder::new("behind");
    let script = "CREATE TABLE t (a int);\nBEGIN; COPY t FROM STDIN; ROLLBACK;\n1\n\\.\nCOPY t FROM STDIN; SELECT\n2\n\\.\nsum(a) FROM t;\n";
    let path = folder.file("script.sql", script);
    assert_eq!(printed(&["-q", "-At", "-f", text(&path)]), "2\n");
    let failing =
        folder.file("failing.sql", "CREATE TABLE t (a int);\nCOPY t FROM STDIN; SELECT 1/0;\n1\n\\.\nSELECT 7;\n");
    let (code, errors) = code_and_errors(&run(&["-q", "-f", text(&failing)]));
    assert!(code == Some(3) && errors.contains("failing.sql:2: ERROR 22012"), "{errors}");
}

#[test]
fn commands_of_psql_that_are_here_and_that_are_not() {
    let described =
        printed(&["-q", "-At", "-c", "CREATE TABLE t (a int)", "-c", "COMMENT ON TABLE t IS 'told'", "-c", "\\dd"]);
    assert_eq!(described, "public|t|table|told\n");
    for command in ["db", "dx", "dL", "dO", "do", "dC", "dA", "drg", "dD", "dF", "ds", "c", "dd nothing"] {
        printed(&["-c", &format!("\\{command}")]);
    }
    for (command, said) in
        [("crosstabview", "PIVOT"), ("sf x", "no functions"), ("c other", "does not exist"), ("zz", "invalid command")]
    {
        let (code, errors) = code_and_errors(&run(&["-c", &format!("\\{command}")]));
        assert!(code == Some(1) && errors.contains(said), "{command}: {errors}");
    }
    let (code, errors) = code_and_errors(&with_input(&["-c", "\\password"], "one\ntwo\n"));
    assert!(code == Some(1) && errors.contains("didn't match"), "{errors}");
}

#[test]
fn results_go_where_they_are_sent() {
    let folder = Folder::new("output");
    let (one, two, three) = (folder.0.join("one"), folder.0.join("two"), folder.0.join("three"));
    let script = format!(
        "\\pset format csv\nSELECT 1 AS a \\g {}\n\\o {}\nSELECT 2 AS a;\nSELECT 3 AS a;\n\\o\nSELECT 4 AS a;\nSELECT 5 AS a \\g | tr 5 6 > {}\n",
        one.display(),
        two.display(),
        three.display()
    );
    let output = with_input(&["-q"], &script);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\n4\n");
    let read = |path: &Path| std::fs::read_to_string(path).expect("it is written");
    assert_eq!((read(&one).as_str(), read(&two).as_str(), read(&three).as_str()), ("a\n1\n", "a\n2\na\n3\n", "a\n6\n"));
    let all = printed(&["-q", "--csv", "-o", text(&one), "-c", "SELECT 7 AS a"]);
    assert_eq!((all.as_str(), read(&one).as_str()), ("", "a\n7\n"));
}

#[test]
fn copies_go_to_files_and_commands() {
    let folder = Folder::new("copy");
    let plain = folder.0.join("plain.txt");
    let parquet = folder.0.join("t.parquet");
    let script = format!(
        "CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, E'x\\ty'), (2, NULL);\n\\copy t to '{0}'\n\\copy t from '{0}'\n\
         \\copy (select a from t order by a) to program 'sort -rn | uniq > {0}.sorted'\n\\copy t to '{1}'\nSELECT count(*) FROM '{1}';\n\
         \\copy t from program 'printf \"3\\t\\\\\\\\N\\n\"'\nSELECT sum(a) FROM t;\n\\copy t to stdout csv\n",
        plain.display(),
        parquet.display()
    );
    let output = with_input(&["-q", "-At"], &script);
    let (code, errors) = code_and_errors(&output);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("it is written");
    assert_eq!(read(plain.clone()), "1\tx\\ty\n2\t\\N\n");
    assert_eq!(read(PathBuf::from(format!("{}.sorted", plain.display()))), "2\n1\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "4\n9\n1,x\ty\n2,\n1,x\ty\n2,\n3,\n");
}

#[test]
fn a_copy_that_fails_leaves_the_file_that_was_there() {
    let folder = Folder::new("beside");
    let file = folder.file("old.txt", "old\n");
    let copy = format!("\\copy (SELECT 1 / (3 - k) FROM generate_series(1, 5) t (k)) TO '{}'", file.display());
    assert_eq!(code_and_errors(&run(&["-c", &copy])).0, Some(1));
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "old\n");
    assert_eq!(std::fs::read_dir(&folder.0).expect("it is a folder").count(), 1);
}

#[test]
fn the_data_of_an_argument_is_standard_input() {
    let arguments =
        ["-q", "-At", "-c", "CREATE TABLE t (a int, b text)", "-c", "COPY t FROM STDIN (FORMAT csv)", "-c", "TABLE t"];
    assert_eq!(String::from_utf8_lossy(&with_input(&arguments, "1,x\n2,y\n").stdout), "1|x\n2|y\n");
    let bad = with_input(&arguments, "1,x\nno,y\n");
    let (code, errors) = code_and_errors(&bad);
    assert_eq!((code, bad.stdout.len()), (Some(1), 0));
    assert!(errors.starts_with("ERROR 22P02: invalid input syntax for type integer: \"no\""), "{errors}");
}

#[test]
fn what_is_there_is_described() {
    let set_up = "CREATE TABLE t (a int PRIMARY KEY, b text NOT NULL DEFAULT 'x', c numeric(10,2) CHECK (c > 0)); \
                  CREATE VIEW v AS SELECT a FROM t; CREATE TYPE mood AS ENUM ('sad', 'ok')";
    let described = |command: &str| printed(&["-q", "-c", set_up, "-c", command]);
    let list = described("\\d");
    assert!(
        list.contains("List of relations")
            && list.contains("public | t    | table")
            && list.contains("public | v    | view"),
        "{list}"
    );
    let table = described("\\d t");
    assert!(
        table.starts_with("             Table \"public.t\"\n") || table.contains("Table \"public.t\"\n"),
        "{table}"
    );
    assert!(table.contains(" a      | integer       | not null | \n"), "{table}");
    assert!(table.contains(" b      | text          | not null | 'x'::text\n"), "{table}");
    assert!(
        table.contains("Indexes:\n    \"t_pkey\" PRIMARY KEY, btree (a)\nCheck constraints:\n    \"t_c_check\" CHECK"),
        "{table}"
    );
    assert!(described("\\d+ v").contains("View definition:\n SELECT a FROM t"));
    for (command, expected) in [
        ("\\dt t*", "public | t "),
        ("\\dv", "public | v "),
        ("\\di", "t_pkey"),
        ("\\dn", "public"),
        ("\\df abs", "bigint"),
        ("\\dT+", "sad"),
        ("\\du", "Superuser"),
        ("\\l", "UTF8"),
        ("\\sv v", "CREATE OR REPLACE VIEW public.v AS"),
        ("\\dt+", "0 bytes"),
        ("\\da sum", "agg"),
        ("\\dn+", "public"),
        ("\\dp t", "table"),
        ("\\l+", "UTF8"),
        (".tables", "public | v "),
        (".schema t", "CREATE TABLE t (a integer NOT NULL, b text DEFAULT 'x'::text NOT NULL,"),
        ("SELECT 1::numeric AS x, 'a' AS y \\gdesc", " x      | numeric"),
    ] {
        let shown = described(command);
        assert!(shown.contains(expected), "{command}: {shown}");
    }
    let (code, errors) = code_and_errors(&run(&["-c", "\\d nope"]));
    assert_eq!((code, errors.as_str()), (Some(1), "Did not find any relation named \"nope\".\n"));
}

#[test]
fn vectors_are_described_written_and_read() {
    let folder = Folder::new("vectors");
    let set_up = "CREATE TABLE t (id int, e vector(3) NOT NULL, d vector(2, double)); \
                  INSERT INTO t VALUES (1, '[1,2.5,-3e-05]', '[NaN,0.1]'), (2, '[4,5,6]', NULL)";
    let asked = |sql: &str| printed(&["-q", "-c", set_up, "-c", sql]);
    let table = asked("\\d t");
    assert!(table.contains(" e      | vector(3)        | not null | \n"), "{table}");
    assert!(table.contains(" d      | vector(2,double) |          | \n"), "{table}");
    let types = asked("SELECT e, d FROM t \\gdesc");
    assert!(types.contains(" e      | vector(3)") && types.contains(" d      | vector(2,double)"), "{types}");
    let json = printed(&["-q", "--format", "json", "-c", set_up, "-c", "SELECT e, d FROM t ORDER BY id"]);
    assert_eq!(json, "[{\"e\":[1,2.5,-3e-05],\"d\":[\"NaN\",0.1]},\n{\"e\":[4,5,6],\"d\":null}]\n");
    for name in ["t.parquet", "t.arrow", "t.csv", "t.json", "t.ndjson"] {
        let path = folder.0.join(name);
        let copied = format!(
            "COPY t TO '{0}'; CREATE TABLE u AS SELECT * FROM t LIMIT 0; COPY u FROM '{0}'; TABLE u",
            text(&path)
        );
        let rows = printed(&["-q", "-At", "-c", set_up, "-c", &copied]);
        assert_eq!(rows, "1|[1,2.5,-3e-05]|[NaN,0.1]\n2|[4,5,6]|\n", "{name}");
    }
    let read = printed(&["-q", "-At", "-c", &format!("SELECT * FROM '{}'", text(&folder.0.join("t.parquet")))]);
    assert_eq!(read, "1|[1,2.5,-3e-05]|[NaN,0.1]\n2|[4,5,6]|\n");
}

#[test]
fn a_dump_reads_back() {
    let set_up = "CREATE TABLE t (a int PRIMARY KEY, b text DEFAULT 'it''s'); INSERT INTO t VALUES (1, E'a;\\nb'), (2, NULL); \
                  CREATE VIEW v AS SELECT a FROM t WHERE b IS NULL";
    let dump = printed(&["-q", "-c", set_up, "-c", ".dump"]);
    let read =
        with_input(&["-q"], &format!("{dump}\n\\pset format csv\nSELECT * FROM t ORDER BY a; SELECT * FROM v;\n"));
    assert_eq!(code_and_errors(&read), (Some(0), String::new()));
    assert_eq!(String::from_utf8_lossy(&read.stdout), "a,b\n1,\"a;\nb\"\n2,\na\n2\n");
}

#[test]
fn one_transaction_is_all_or_nothing() {
    let folder = Folder::new("transaction");
    let out = folder.0.join("out.csv");
    let made = ["-1", "-q", "-At", "-c", "CREATE TABLE t AS SELECT 1 AS a", "-c", "TABLE t"];
    assert_eq!(printed(&made), "1\n");
    let failed = ["-1", "-q", "-v", "ON_ERROR_STOP=0", "-c", "SELECT 1/0", "-c", "SELECT 1 AS a", "-o", text(&out)];
    assert_eq!(code_and_errors(&run(&failed)).0, Some(1), "the transaction has failed, and all that is behind");
}

#[test]
fn watch_ends_when_it_is_told() {
    let out = printed(&["-At", "-c", "SELECT 1 \\watch i=0 c=3"]);
    assert_eq!(out, "1\n1\n1\n");
}

#[test]
fn nobody_who_reads_on_is_no_error() {
    let command = format!(
        "{} --threads 1 -c 'SELECT k FROM generate_series(1, 3000000) t (k)' | head -n 3",
        env!("CARGO_BIN_EXE_multiloop")
    );
    let output = Command::new("bash").args(["-c", &command]).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "   k   \n-------\n     1\n");
}

#[test]
fn subcommands_are_none_of_the_files() {
    assert!(printed(&["tpch", "--help"]).contains("--sf"));
    assert!(printed(&["shapes", "--help"]).contains("--scale"));
    let (code, errors) = code_and_errors(&run(&["serve", "--nope"]));
    assert_eq!(code, Some(2), "{errors}");
}

#[cfg(unix)]
#[test]
fn shapes_runs_its_script_and_ends_as_that_does() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("shapes");
    let fake = "#!/bin/bash\nls \"${1%.py}\"\nprintf '%s\\n' \"${@:2}\"\nexit 3\n";
    let python = folder.file("python", fake);
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let output = run(&[
        "shapes",
        "--peers-python",
        text(&python),
        "--queries",
        "top-*,cohorts",
        "--scale",
        "0.5",
        "--runs",
        "2",
    ]);
    assert_eq!(code_and_errors(&output), (Some(3), String::new()));
    let program = env!("CARGO_BIN_EXE_multiloop");
    let expected = ["decisions.sql", "everyday.sql", "shop.sql", "techniques.sql", "--program", program];
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..6], expected);
    assert_eq!(lines[6..], ["--threads=1", "--runs=2", "--scale=0.5", "--queries=top-*,cohorts"]);
    let (code, errors) = code_and_errors(&run(&["shapes", "--peers-python", "/no/python"]));
    assert_eq!(code, Some(1));
    assert!(errors.contains("starting /no/python"), "{errors}");
}

/// The program with bytes as its standard input.
fn with_bytes(arguments: &[&str], input: Vec<u8>) -> Output {
    let mut command = program();
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut to = child.stdin.take().expect("it is piped");
    // Who fails does not read it all.
    let writes = std::thread::spawn(move || drop(to.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    writes.join().expect("no panic");
    output
}

#[test]
fn standard_input_is_a_file_of_any_format() {
    let folder = Folder::new("stdin");
    let avro = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/files/fastavro");
    let mut found: Vec<PathBuf> = std::fs::read_dir(avro).expect("it is there").flatten().map(|of| of.path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "avro"));
    found.sort();
    let mut files = vec![("avro", found.remove(0))];
    for (function, name) in [
        ("csv", "a.csv"),
        ("csv", "a.csv.gz"),
        ("parquet", "a.parquet"),
        ("arrow", "a.arrow"),
        ("json", "a.json"),
        ("json", "a.ndjson"),
        ("ndjson", "a.ndjson.zst"),
    ] {
        let path = folder.0.join(name);
        let rows = "SELECT i AS a, 'w' || i % 5 AS b FROM generate_series(1, 5000) s(i)";
        printed(&["-q", "-c", &format!("COPY ({rows}) TO '{}'", path.display())]);
        files.push((function, path));
    }
    for (function, path) in files {
        let bytes = std::fs::read(&path).expect("it is read");
        let all = |from: &str| format!("SELECT * FROM {from} ORDER BY 1");
        let expected = printed(&["-At", "-c", &all(&format!("'{}'", path.display()))]);
        assert!(expected.len() > 20, "{}", path.display());
        for from in ["'/dev/stdin'", "'-'", &format!("read_{function}('-')"), "'/dev/fd/0'"] {
            let output = with_bytes(&["-At", "-c", &all(from)], bytes.clone());
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{from}, {}: {output:?}", path.display());
        }
        // A file in place of a pipe.
        let file = std::fs::File::open(&path).expect("it is there");
        let output = program().args(["-At", "-c", &all("'/dev/stdin'")]).stdin(file).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}: {output:?}", path.display());
    }
}

#[test]
fn standard_input_is_read_once_and_is_there_again() {
    let sql = "SELECT count(*) FROM '/dev/stdin' x JOIN read_csv('-', header => true) y USING (a); \
               CREATE TABLE t AS SELECT * FROM '-'; DESCRIBE SELECT * FROM '/dev/stdin'; COPY t FROM '-' (FORMAT csv); \
               SELECT count(*), sum(a) FROM t";
    let output = with_input(&["-qAt", "-c", sql], "a,b\n1,x\n2,y\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2\na|bigint|yes\nb|text|yes\n4|6\n", "{output:?}");
    // What COPY has read without keeping it is not there again, nor is the rest of it.
    let sql = "CREATE TABLE t (a int); COPY t FROM '-' (FORMAT csv)";
    for (input, copied) in [("1\n2\n", "COPY 2\n"), ("1\nx\n2\n", "")] {
        let output = with_input(&["-At", "-c", sql, "-c", "SELECT * FROM '-'"], input);
        assert!(String::from_utf8_lossy(&output.stdout).ends_with(copied), "{output:?}");
        assert!(copied.is_empty() || code_and_errors(&output).1.contains("ERROR 55000"), "{output:?}");
    }
    let output = with_input(&["-At", "-c", "SELECT * FROM '/dev/stdin'"], "");
    assert_eq!(code_and_errors(&output).1.get(..11), Some("ERROR 22P04"), "{output:?}");
    let output = with_input(&["-At", "-c", "SELECT * FROM read_parquet('/dev/stdin')"], "a,b\n1,2\n");
    assert_eq!(code_and_errors(&output).1.get(..11), Some("ERROR 22P04"), "{output:?}");
}

#[test]
fn who_waits_for_standard_input_can_be_cancelled() {
    let mut command = program();
    command.args(["-c", "SET statement_timeout = 200; SELECT * FROM '/dev/stdin'"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program runs");
    let held = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(held);
    assert_eq!(code_and_errors(&output).1.get(..11), Some("ERROR 57014"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_says_something_new_every_time() {
    let folder = Folder::new("pipe");
    let path = folder.0.join("p.csv");
    let made = Command::new("mkfifo").arg(&path).status().expect("there is such a program");
    assert!(made.success());
    let from = text(&path);
    let first = format!("SELECT count(*), sum(x.a) FROM '{from}' x, '{from}' y");
    let mut command = program();
    command.args(["-At", "-c", &first, "-c", &format!("SELECT sum(a) FROM '{from}'")]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    // Who writes waits until somebody reads, and writes the next only when that has seen the end.
    for (rows, expected) in [("a\n1\n2\n", "4|6"), ("a\n5\n", "5")] {
        std::fs::write(&path, rows).expect("somebody reads");
        assert_eq!(lines.next().expect("there is a line").expect("it is UTF-8"), expected);
    }
    assert!(child.wait().expect("it ends").success());
}

/// Ctrl-C while a script writes a folder: the script ends there, and nothing of the folder is left.
#[cfg(unix)]
#[test]
fn what_is_half_written_goes_when_a_script_is_interrupted() {
    let folder = Folder::new("interrupted");
    let copy = format!(
        "COPY (SELECT i % 50 AS p, i FROM generate_series(1, 2000000) AS g(i)) TO '{}' (FORMAT csv, PARTITION_BY (p))",
        text(&folder.0.join("out"))
    );
    let mut command = program();
    let command =
        command.args(["-c", &copy, "-c", "SELECT 'it goes on'"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let entries = || std::fs::read_dir(&folder.0).expect("the folder is there").count();
    while entries() == 0 && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(signalled.success());
    let output = child.wait_with_output().expect("it ends");
    let (code, errors) = code_and_errors(&output);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("57014"), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(entries(), 0);
}
