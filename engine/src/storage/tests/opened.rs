//! Tables of a database that has been opened are read when they are asked for, and answer as those in memory do.

use super::*;
use crate::catalog::{Entry, Qualified};

fn many() -> Limits {
    Limits { file_rows: 1 << 40, ..SMALL }
}

/// A folder with a checkpoint of what a script makes, and the engine that has made it.
fn checkpoint_of(script: &[&str], folder: &Path) -> Engine {
    let engine = open_with(Arc::new(Machine), many(), folder).expect("it opens");
    run_all(&engine.session(), script);
    engine.checkpoint().expect("a checkpoint is made");
    engine
}

/// A copy of a folder, opened.
fn again(folder: &Path) -> (TempDir, Engine) {
    let copy = self::folder();
    copy_of(folder, copy.path());
    let engine = open(copy.path());
    (copy, engine)
}

fn text(engine: &Engine, sql: &str) -> String {
    let rows = engine.session().sql(sql).and_then(|rows| rows.pretty());
    rows.unwrap_or_else(|error| format!("{sql}: {} {error}", error.sqlstate()))
}

fn is_unloaded(engine: &Engine, name: &str) -> bool {
    let schemas = engine.0.catalog.snapshot();
    let name = Qualified { schema: "public".to_owned(), name: name.to_owned() };
    match crate::catalog::object_at(&schemas, &name).map(|object| &object.entry) {
        Some(Entry::Table(table)) => table.is_unloaded(),
        _ => panic!("{name:?} is no table"),
    }
}

const ALL: &[&str] = &[
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TABLE plain (k int PRIMARY KEY, a smallint, b bigint, c text, d double precision, e real, f numeric(12,2), g numeric, \
     h date, i timestamp, j mood, l int[], m boolean, n interval, o varchar(9), p char(4), q json, r uuid, s time)",
    "INSERT INTO plain SELECT i, i % 7, i * 100000000000, 'text ' || i % 13, i / 4.0, CASE WHEN i % 9 = 0 THEN 'NaN'::real ELSE i END, i * 1.5, \
     i / 4.0, date '2020-01-01' + i % 1000, timestamp '2020-01-01' + i * interval '1 hour', (ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::mood, \
     ARRAY[i, NULL, i + 1], i % 2 = 0, i * interval '1 day', 'v' || i % 1000, 'c' || i % 5, json_build_object('i', i)::json, \
     ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, time '00:00' + i * interval '1 second' \
     FROM generate_series(1, 1000) g(i)",
    "INSERT INTO plain (k) SELECT i FROM generate_series(2000, 2100) g(i)",
    "CREATE TABLE nothing (a int, b text, c numeric)",
    "CREATE TABLE nulls AS SELECT NULL::int AS a, NULL::text AS b, NULL::numeric AS c FROM generate_series(1, 100)",
    "CREATE TABLE odd (a numeric, b text, c double precision)",
    "INSERT INTO odd VALUES (1, 'Ωß𝛼', 'NaN'), (1.50, '', '-Infinity'), ('NaN', NULL, -0.0), (1e300, E'a\\tb\\n', 1e-300)",
    "CREATE TABLE vectors (v vector(3), s struct(a int, b text))",
    "INSERT INTO vectors VALUES ('[1,2,3]', {'a': 1, 'b': 'x'}), (NULL, NULL)",
    "CREATE TABLE gone AS SELECT i AS k, i % 10 AS a, 'g' || i AS t FROM generate_series(1, 3000) g(i)",
    "DELETE FROM gone WHERE a = 3 OR k > 2990",
    "CREATE TABLE refers (k int PRIMARY KEY, plain int REFERENCES plain, CHECK (k > 0))",
    "INSERT INTO refers SELECT i, i FROM generate_series(1, 500) g(i)",
    "CREATE VIEW seen AS SELECT p.k, r.k AS other FROM plain p JOIN refers r ON p.k = r.plain WHERE p.a > 3",
];

const QUESTIONS: &[&str] = &[
    "SELECT count(*), sum(k), min(c), max(c), avg(d), max(e), sum(f), sum(g), min(h), max(i), count(j), sum(b) FROM plain",
    "SELECT c, count(*), sum(g), max(j), min(n) FROM plain GROUP BY c ORDER BY c",
    "SELECT * FROM plain WHERE k = 77",
    "SELECT * FROM plain WHERE k BETWEEN 990 AND 2003 ORDER BY k",
    "SELECT count(*), sum(other) FROM seen",
    "SELECT DISTINCT a FROM plain ORDER BY a NULLS FIRST",
    "SELECT k FROM plain ORDER BY b DESC NULLS LAST, k LIMIT 5",
    "SELECT k, ctid FROM gone WHERE k < 15 ORDER BY k",
    "SELECT count(*), sum(k), count(DISTINCT t), min(a), max(k) FROM gone",
    "SELECT a, count(*) FROM gone GROUP BY a ORDER BY a",
    "SELECT p.c, sum(g.k) FROM plain p JOIN gone g ON p.k = g.k GROUP BY p.c ORDER BY p.c",
    "SELECT count(*) FROM plain p LEFT JOIN refers r ON r.plain = p.k WHERE r.k IS NULL",
    "SELECT a, b, c FROM odd ORDER BY c, b",
    "SELECT * FROM nothing",
    "SELECT count(*), count(a), max(b), sum(c) FROM nulls",
    "SELECT * FROM vectors ORDER BY v",
    "SELECT k FROM plain WHERE c = 'text 7' AND g > 100 AND f < 1000 ORDER BY k",
    "SELECT k FROM plain p WHERE NOT EXISTS (SELECT FROM gone g WHERE g.k = p.k) ORDER BY k LIMIT 30",
    "SELECT max(pg_relation_size('plain')) > 0",
];

#[test]
fn an_opened_table_answers_as_a_loaded_one() {
    let folder = folder();
    let engine = checkpoint_of(ALL, folder.path());
    let (_copy, opened) = again(folder.path());
    let (_other, loaded) = again(folder.path());
    loaded.load().expect("it is loaded");
    for name in ["plain", "nulls", "odd", "vectors", "gone", "refers"] {
        assert!(is_unloaded(&opened, name), "{name}");
        assert!(!is_unloaded(&loaded, name), "{name}");
    }
    for round in 0..3 {
        for sql in QUESTIONS {
            let wanted = text(&engine, sql);
            assert_eq!(text(&opened, sql), wanted, "{sql} in round {round}");
            assert_eq!(text(&loaded, sql), wanted, "{sql} in round {round}");
        }
    }
    assert_eq!(shown(&opened), shown(&engine));
    assert!(is_unloaded(&opened, "plain") && is_unloaded(&opened, "refers"));
}

/// What changes a table finds it as it was, and all that it is held to holds.
#[test]
fn the_first_change_of_an_opened_table() {
    let changes: &[&str] = &[
        "UPDATE plain SET c = 'new', g = g + 0.125 WHERE k % 100 = 0",
        "DELETE FROM plain WHERE k = 2000",
        "INSERT INTO plain (k, c) VALUES (5000, 'one more')",
        "INSERT INTO plain (k) VALUES (77)",
        "INSERT INTO plain (k, c) VALUES (77, 'x'), (6000, 'y') ON CONFLICT (k) DO UPDATE SET c = excluded.c",
        "INSERT INTO refers VALUES (501, 9999)",
        "INSERT INTO refers VALUES (501, 1000)",
        "DELETE FROM plain WHERE k = 1",
        "UPDATE plain SET a = 1; DELETE FROM gone WHERE k < 100; UPDATE gone SET t = t || '!' WHERE k > 2000",
        "DELETE FROM gone",
        "TRUNCATE gone",
        "ALTER TABLE plain RENAME COLUMN c TO cc; ALTER TABLE plain RENAME cc TO c",
        "ALTER TABLE gone RENAME TO left_over; ALTER TABLE left_over RENAME TO gone; UPDATE gone SET a = 5 WHERE k = 7",
        "ALTER TABLE gone ADD COLUMN more int DEFAULT 7",
        "ALTER TABLE gone DROP COLUMN a; ALTER TABLE gone ADD COLUMN a int",
        "ALTER TABLE gone ALTER COLUMN k TYPE bigint",
        "ALTER TABLE gone ADD PRIMARY KEY (k)",
        "ALTER TABLE gone ALTER k SET NOT NULL",
        "CREATE UNIQUE INDEX ON gone (a)",
        "ALTER TABLE gone ADD CHECK (k > 0)",
        "ALTER TABLE gone ADD CHECK (k > 5)",
        "ALTER TYPE mood ADD VALUE 'glad' BEFORE 'ok'; UPDATE plain SET j = 'glad' WHERE k = 3",
        "VACUUM gone",
        "ANALYZE plain",
        "VACUUM ANALYZE",
        "BEGIN; UPDATE gone SET a = 99; ROLLBACK",
        "BEGIN; DELETE FROM gone WHERE k = 5; SAVEPOINT s; DELETE FROM gone; ROLLBACK TO s; COMMIT",
        "SELECT * FROM gone WHERE k < 5 FOR UPDATE",
        "DELETE FROM gone a USING gone b WHERE a.a = b.a AND a.ctid > b.ctid",
        "MERGE INTO gone g USING refers r ON g.k = r.k WHEN MATCHED THEN UPDATE SET a = -1 WHEN NOT MATCHED THEN INSERT VALUES (r.k, 1, 'm')",
        "INSERT INTO odd VALUES (7.25, 'x', 1); UPDATE odd SET a = 1 WHERE a = 1.5",
        "INSERT INTO nulls VALUES (1, 'x', 2.5)",
        "INSERT INTO nothing VALUES (1, 'x', 2.5)",
        "UPDATE vectors SET v = '[3,2,1]' WHERE v IS NULL",
        "DROP TABLE refers; DROP TABLE plain CASCADE",
        "CREATE TABLE other AS SELECT * FROM plain; DROP TABLE other",
        "COMMENT ON TABLE gone IS 'what is left'",
        "CHECKPOINT",
    ];
    let folder = folder();
    drop(checkpoint_of(ALL, folder.path()));
    let tables =
        ["plain", "nothing", "nulls", "odd", "vectors", "gone", "refers"].map(|name| format!("SELECT * FROM {name}"));
    let constraints =
        "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE oid > 16384 ORDER BY 1, 3"
            .to_owned();
    let others = tables.iter().chain([&constraints]).map(String::as_str);
    let asked: Vec<&str> = QUESTIONS.iter().copied().chain(others).collect();
    let everything = |engine: &Engine| asked.iter().map(|sql| text(engine, sql)).collect::<Vec<_>>().join("\n");
    for sql in changes {
        let (one, opened) = again(folder.path());
        let (_other, loaded) = again(folder.path());
        loaded.load().expect("it is loaded");
        let run = |engine: &Engine| {
            let session = engine.session();
            sql.split("; ").map(|sql| run(&session, sql).map_err(|error| error.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(run(&opened), run(&loaded), "{sql}");
        assert_eq!(everything(&opened), everything(&loaded), "{sql}");
        check_again(&opened, one.path());
        opened.checkpoint().expect("a checkpoint is made");
        check_again(&opened, one.path());
        // Once more on what came of it.
        assert_eq!(run(&opened), run(&loaded), "{sql} once more");
        assert_eq!(everything(&opened), everything(&loaded), "{sql} once more");
        check_again(&opened, one.path());
    }
}

#[test]
fn chunks_of_any_length() {
    let folder = folder();
    for rows in [1_usize, 65_535, 65_536, 65_537, 140_000] {
        let engine = open_with(Arc::new(Machine), many(), folder.path()).expect("it opens");
        let make = format!(
            "CREATE OR REPLACE TABLE t AS SELECT i AS k, (i * 7919) % 65537 AS a, 's' || i % 777 AS s, i / 8.0 AS n \
             FROM generate_series(1, {rows}) g(i)"
        );
        let session = engine.session();
        run_all(&session, &[&make, "DELETE FROM t WHERE k % 1000 = 0"]);
        engine.checkpoint().expect("a checkpoint is made");
        let questions = [
            "SELECT count(*), sum(k), sum(a), count(DISTINCT s), sum(n) FROM t",
            "SELECT * FROM t WHERE k = 65536 OR k = 65537 OR k = 1 ORDER BY k",
            "SELECT count(*), sum(x.a) FROM t x JOIN t y ON x.k = y.k WHERE y.a < 1000",
            "SELECT s, count(*) FROM t GROUP BY s ORDER BY 2 DESC, 1 LIMIT 5",
            "SELECT k FROM t WHERE a > 60000 ORDER BY a, k LIMIT 7",
        ];
        let (_copy, opened) = again(folder.path());
        let same = |when: &str| {
            for sql in questions {
                assert_eq!(text(&opened, sql), text(&engine, sql), "{sql} of {rows} rows, {when}");
            }
        };
        assert!(is_unloaded(&opened, "t"));
        same("opened");
        for sql in [
            "UPDATE t SET a = -1 WHERE k % 3 = 0",
            "INSERT INTO t VALUES (1000000, 1, 'last', 0.5)",
            "DELETE FROM t WHERE k < 3",
        ] {
            run_all(&opened.session(), &[sql]);
            run_all(&session, &[sql]);
            same(sql);
        }
    }
}

/// Who reads an old state goes on to read it, whatever becomes of its files.
#[test]
fn files_stay_as_long_as_somebody_reads_them() {
    let folder = folder();
    drop(checkpoint_of(&["CREATE TABLE t AS SELECT i AS k FROM generate_series(1, 1000) g(i)"], folder.path()));
    let engine = open_with(Arc::new(Machine), many(), folder.path()).expect("it opens");
    let (reader, writer) = (engine.session(), engine.session());
    run_all(&reader, &["BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1"]);
    let count = |session: &Session| session.query_scalar::<i64>("SELECT sum(k) FROM t", ()).expect("a sum");
    run_all(&writer, &["UPDATE t SET k = 0"]);
    engine.checkpoint().expect("a checkpoint is made");
    engine.checkpoint().expect("a checkpoint is made");
    let files = || fs::read_dir(folder.path().join("rows")).expect("it is there").count();
    assert_eq!((count(&writer), count(&reader), files()), (0, 500_500, 2));
    run_all(&reader, &["COMMIT"]);
    assert_eq!(count(&reader), 0);
    drop((reader, writer, engine));
    let engine = open(folder.path());
    assert_eq!((count(&engine.session()), files()), (0, 1));
}

/// What is damaged is told to who asks for it, and to nobody else.
#[test]
fn damage_is_told_to_who_reads_it() {
    let folder = folder();
    let script = [
        "CREATE TABLE t AS SELECT i AS k, 'text ' || i % 100 AS s, i * 17 % 1009 AS a FROM generate_series(1, 20000) g(i)",
    ];
    drop(checkpoint_of(&script, folder.path()));
    let path =
        fs::read_dir(folder.path().join("rows")).expect("there are rows").next().expect("a file").expect("it").path();
    let file = path.strip_prefix(folder.path()).expect("it is in the folder");
    let bytes = fs::read(&path).expect("it is read");
    let (mut of_one, mut of_none) = (0, 0);
    for at in (0..bytes.len()).step_by(bytes.len() / 80) {
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(copy.path().join(file), &damaged).expect("it is written");
        let engine = open(copy.path());
        let ask =
            |sql: &str| engine.session().query_scalar::<i64>(sql, ()).map_err(|error| error.sqlstate().to_owned());
        let sums = ["SELECT sum(k) FROM t", "SELECT sum(length(s)) FROM t", "SELECT sum(a) FROM t"];
        let asked = sums.map(ask);
        let told = asked.iter().filter(|asked| **asked == Err("XX001".to_owned())).count();
        assert!(asked.iter().all(|asked| asked.is_ok() || *asked == Err("XX001".to_owned())), "{asked:?}");
        // The head of a batch is of all columns.
        assert!(matches!(told, 0 | 1 | 3), "{at}: {asked:?}");
        of_one += usize::from(told == 1);
        of_none += usize::from(told == 0);
        assert_eq!(ask("SELECT count(*) FROM t"), Ok(20_000));
        if told > 0 {
            let error = run(&engine.session(), "UPDATE t SET k = 1").expect_err("it cannot be loaded");
            assert_eq!(error.sqlstate(), "XX001");
            assert!(error.to_string().contains("damaged at byte"), "{error}");
        }
        drop(engine);
        assert_eq!(Engine::check(copy.path()).expect("there is one").faults.len(), 1);
    }
    assert!(of_one > 50 && of_none < 25, "{of_one} {of_none}");
    for length in [0, 100, bytes.len() - 1] {
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        fs::write(copy.path().join(file), &bytes[..length]).expect("it is written");
        let error = open_with(Arc::new(Machine), SMALL, copy.path()).map(drop).expect_err("it is too short");
        assert_eq!(error.sqlstate(), "XX001", "{error}");
        // It gets shorter while it is open.
        copy_of(folder.path(), copy.path());
        let engine = open(copy.path());
        fs::write(copy.path().join(file), &bytes[..length.min(200)]).expect("it is written");
        let error = engine.session().query_scalar::<i64>("SELECT sum(k) FROM t", ()).expect_err("it is too short");
        assert_eq!(error.sqlstate(), "XX001", "{error}");
    }
}

/// A device that cannot be read fails the statement alone, and the next one reads.
#[test]
fn each_read_fails() {
    let folder = folder();
    let script = ["CREATE TABLE t AS SELECT i AS k, 'text ' || i % 100 AS s FROM generate_series(1, 2000) g(i)"];
    drop(checkpoint_of(&script, folder.path()));
    for sql in ["SELECT sum(k) FROM t WHERE s LIKE 'text%'", "UPDATE t SET k = k RETURNING 1"] {
        let mut had = 0;
        for fails in 1.. {
            let copy = self::folder();
            copy_of(folder.path(), copy.path());
            let failing = Arc::new(Failing { calls: AtomicU64::new(0), fails, for_good: false, is_torn: false });
            let Ok(engine) = open_with(Arc::new(Shared(Arc::clone(&failing))), SMALL, copy.path()) else { continue };
            let session = engine.session();
            if let Err(error) = run(&session, sql) {
                assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::DiskFull), "{error}");
                had += 1;
            }
            let ask = || session.query_scalar::<i64>("SELECT sum(k) FROM t", ());
            // It may be this one that fails.
            assert_eq!(ask().or_else(|_| ask()).expect("it is read"), 2_001_000);
            if failing.calls.load(Ordering::Relaxed) < fails {
                break;
            }
        }
        assert!(had >= 2, "{sql}: {had}");
    }
}

/// Tables of an engine that runs can be read from files as those of one that has just been opened.
#[test]
fn tables_that_go_to_files() {
    let folder = folder();
    let engine = checkpoint_of(ALL, folder.path());
    let before = shown(&engine);
    for round in 0..3 {
        engine.unload().expect("they go to files");
        assert!(["plain", "gone", "refers"].iter().all(|name| is_unloaded(&engine, name)));
        if round < 2 {
            assert_eq!(shown(&engine), before);
        }
        run_all(
            &engine.session(),
            &[
                "UPDATE gone SET a = a WHERE k = 50",
                "INSERT INTO plain (k) VALUES (7000)",
                "DELETE FROM plain WHERE k = 7000",
            ],
        );
        assert!(!is_unloaded(&engine, "gone"));
        check_again(&engine, folder.path());
    }
}

/// What older programs have written says nothing of columns: it is loaded when it is opened.
#[test]
fn an_older_checkpoint() {
    let folder = folder();
    let engine = checkpoint_of(ALL, folder.path());
    let path = folder.path().join("checkpoint");
    let bytes = fs::read(&path).expect("it is read");
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let mut of: serde_json::Value = serde_json::from_slice(&bytes[end..]).expect("it is JSON");
    for object in of["objects"].as_array_mut().expect("objects") {
        object.as_object_mut().expect("an object").remove("columns");
        for file in object.get_mut("files").and_then(|files| files.as_array_mut()).into_iter().flatten() {
            file.as_object_mut().expect("a file").remove("batches");
        }
    }
    let body = serde_json::to_vec(&of).expect("it is JSON");
    let head = format!("multiloop database 1 {} {:08x}\n", body.len(), crc32fast::hash(&body));
    fs::write(&path, [head.as_bytes(), &body].concat()).expect("it is written");
    let (copy, opened) = again(folder.path());
    assert!(!is_unloaded(&opened, "plain"));
    assert_eq!(shown(&opened), shown(&engine));
    run_all(&opened.session(), &["UPDATE gone SET a = 1"]);
    opened.checkpoint().expect("a checkpoint is made");
    check_again(&opened, copy.path());
}

/// How a folder is opened for what is whole of it.
fn salvaged(folder: &Path) -> Result<Engine> {
    Engine::builder().threads(1).maintenance(false).data(folder).salvage(true).build()
}

/// What is damaged does not lock out the rest.
#[test]
fn what_is_whole_of_a_damaged_database() {
    let folder = folder();
    let script = [
        "CREATE TABLE t AS SELECT i AS k, 'text ' || i % 100 AS s FROM generate_series(1, 2000) g(i)",
        "CREATE TABLE u AS SELECT i AS k FROM generate_series(1, 500) g(i)",
        "CREATE VIEW v AS SELECT sum(k) AS total FROM u",
        "CREATE SEQUENCE counted",
    ];
    let engine = checkpoint_of(&script, folder.path());
    for sql in ["INSERT INTO u VALUES (1000)", "UPDATE t SET k = 0 WHERE k = 1", "INSERT INTO u VALUES (2000)"] {
        run_all(&engine.session(), &[sql]);
    }
    let sum = |engine: &Engine, sql: &str| {
        engine.session().query_scalar::<i64>(sql, ()).map_err(|error| error.sqlstate().to_owned())
    };
    drop(engine);
    let bytes_of = |folder: &Path| {
        let mut all: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        for of in ["", "log", "rows"] {
            for entry in fs::read_dir(folder.join(of)).expect("it is there").flatten() {
                if entry.path().is_file() {
                    all.push((entry.path(), fs::read(entry.path()).expect("it is read")));
                }
            }
        }
        all.sort();
        all
    };
    // A database that is whole, and one that another has open.
    let whole = salvaged(folder.path()).expect("it opens");
    assert_eq!(sum(&whole, "SELECT total FROM v"), Ok(125_250 + 3000));
    assert_eq!(sum(&whole, "SELECT sum(k) FROM t"), Ok(2_001_000 - 1));
    assert!(whole.left_out().is_empty());
    assert_eq!(salvaged(folder.path()).map(drop).expect_err("it is open").sqlstate(), "55000");
    drop(whole);
    assert_eq!(salvaged(self::folder().path()).map(drop).expect_err("there is none").sqlstate(), "58P01");

    let rows = |number: u64| folder.path().join(format!("rows/{number:010}.arrow"));
    let damaged = |path: &Path, at: usize| {
        let copy = self::folder();
        copy_of(folder.path(), copy.path());
        let to = copy.path().join(path.strip_prefix(folder.path()).expect("it is in the folder"));
        let mut bytes = fs::read(&to).expect("it is read");
        bytes[at] ^= 0x10;
        fs::write(&to, bytes).expect("it is written");
        copy
    };
    // Rows of `t`, to which the log does something; those of `u`, which are to be read, too; a file that is missing.
    let of_t =
        if fs::read(rows(1)).expect("it is read").len() > fs::read(rows(2)).expect("it is read").len() { 1 } else { 2 };
    let copy = damaged(&rows(of_t), 700);
    let error = open_with(Arc::new(Machine), SMALL, copy.path()).map(drop).expect_err("it is damaged");
    assert_eq!(error.sqlstate(), "XX001");
    let error = Engine::builder().maintenance(false).data(copy.path()).build().map(drop).expect_err("it is damaged");
    assert!(error.hint().is_some_and(|hint| hint.contains("--salvage")), "{error:?}");
    fs::remove_file(copy.path().join(format!("rows/{:010}.arrow", 3 - of_t))).expect("it goes");
    let before = bytes_of(copy.path());
    let engine = salvaged(copy.path()).expect("it opens");
    assert!(engine.left_out().len() >= 2, "{:?}", engine.left_out());
    assert_eq!(sum(&engine, "SELECT sum(k) FROM t"), Err("XX001".to_owned()));
    assert_eq!(sum(&engine, "SELECT total FROM v"), Err("XX001".to_owned()));
    assert_eq!(sum(&engine, "SELECT count(*) FROM pg_class WHERE relname IN ('t', 'u', 'v')"), Ok(3));
    let to = self::folder();
    assert_eq!(engine.backup(to.path().join("copy")).map_err(|error| error.sqlstate()), Err("XX001"));
    drop(engine);
    assert_eq!(bytes_of(copy.path()), before);

    // The log up to a record that is damaged.
    let log = last_log(folder.path());
    let bytes = fs::read(&log).expect("it is read");
    let first = bytes.windows(4).position(|of| of == b"MLRC").expect("a record");
    let second = first + 4 + bytes[first + 4..].windows(4).position(|of| of == b"MLRC").expect("another");
    let copy = damaged(&log, second + 40);
    let error = Engine::builder().maintenance(false).data(copy.path()).build().map(drop).expect_err("it is damaged");
    assert_eq!(error.sqlstate(), "XX001");
    let before = bytes_of(copy.path());
    let engine = salvaged(copy.path()).expect("it opens");
    assert_eq!(sum(&engine, "SELECT total FROM v"), Ok(125_250 + 1000));
    assert_eq!(sum(&engine, "SELECT sum(k) FROM t"), Ok(2_001_000));
    assert!(engine.left_out()[0].to_string().contains("a record is damaged"), "{:?}", engine.left_out());
    let session = engine.session();
    for sql in [
        "INSERT INTO u VALUES (1)",
        "UPDATE u SET k = 1",
        "DELETE FROM t",
        "CREATE TABLE w (a int)",
        "DROP VIEW v",
        "ALTER TABLE u ADD COLUMN b int",
        "SELECT nextval('counted')",
        "VACUUM u",
        "CHECKPOINT",
        "SELECT * FROM u FOR UPDATE",
        "BEGIN; SET TRANSACTION READ WRITE; TRUNCATE u",
    ] {
        let outcome = sql.split("; ").try_for_each(|sql| run(&session, sql));
        assert_eq!(outcome.map_err(|error| error.sqlstate()), Err("25006"), "{sql}");
        run_all(&session, &["ROLLBACK"]);
    }
    assert_eq!(session.query_scalar::<String>("SHOW transaction_read_only", ()).expect("a setting"), "on");
    let to = self::folder();
    engine.backup(to.path().join("copy")).expect("what is whole is copied");
    assert_eq!(sum(&open(&to.path().join("copy")), "SELECT total FROM v"), Ok(126_250));
    drop((session, engine));
    assert_eq!(bytes_of(copy.path()), before);
}

/// Who waits for a recovery is told how far it has come.
#[test]
fn a_recovery_is_told() {
    let folder = folder();
    let engine = open(folder.path());
    let session = engine.session();
    run_all(&session, &["CREATE TABLE t (k int)"]);
    for number in 0..50 {
        run_all(&session, &[&format!("INSERT INTO t VALUES ({number})")]);
    }
    drop((session, engine));
    let told = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&told);
    let builder = Engine::builder().threads(1).maintenance(false).data(folder.path());
    let engine = builder.on_recovery(move |now| {
        assert!(now.bytes <= now.total && now.records > 0);
        count.fetch_add(1, Ordering::Relaxed);
    });
    let engine = engine.build().expect("it opens");
    // It takes no second.
    assert_eq!(engine.session().query_scalar::<i64>("SELECT count(*) FROM t", ()).expect("a count"), 50);
    assert_eq!(told.load(Ordering::Relaxed), 0);
}
