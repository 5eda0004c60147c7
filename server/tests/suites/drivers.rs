//! Drivers that people have: tokio-postgres, which speaks binary, and psql if it is installed.

use super::client::Running;
use std::process::Command;
use std::time::{Duration, SystemTime};
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type};
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Runs something with a driver's client.
fn with_driver<T>(server: &Running, work: impl AsyncFnOnce(tokio_postgres::Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let (host, port) = (server.address.ip().to_string(), server.address.port());
    runtime.block_on(async {
        let mut config = tokio_postgres::Config::new();
        config.host(host).port(port).user("u").dbname("anything").connect_timeout(Duration::from_secs(20));
        let (client, connection) = config.connect(NoTls).await.expect("it connects");
        tokio::spawn(connection);
        work(client).await
    })
}

/// The bytes of a value, whatever its type.
#[derive(Debug, PartialEq)]
struct Bytes(Vec<u8>);

impl<'a> FromSql<'a> for Bytes {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Bytes(raw.to_vec()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Bytes {
    fn to_sql(&self, _: &Type, out: &mut bytes::BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

/// A text of each type, as PostgreSQL prints it.
const VALUES: &[(&str, &[&str])] = &[
    ("boolean", &["t", "f"]),
    ("smallint", &["0", "-32768", "32767"]),
    ("integer", &["7", "-2147483648"]),
    ("bigint", &["9223372036854775807", "-1"]),
    ("real", &["1.5", "1e+10", "NaN", "-Infinity", "0.1"]),
    ("double precision", &["0.1", "1e-10", "NaN", "Infinity", "-0"]),
    ("decimal(12,2)", &["1234567890.12", "-0.01", "0.00"]),
    ("decimal(38,10)", &["1234567890123456789012345678.0123456789"]),
    ("numeric", &["123456789012345678901234567890123456789012.000000001", "NaN", "-5", "0.50"]),
    ("text", &["", "ä'\"\\", "two\nlines"]),
    ("varchar(5)", &["abc"]),
    ("char(4)", &["ab  "]),
    ("date", &["1998-12-01", "0044-03-15 BC", "infinity", "12345-06-07"]),
    ("time", &["00:00:00", "23:59:59.999999", "24:00:00"]),
    ("timestamp", &["1998-12-01 04:05:06.5", "0001-01-01 00:00:00 BC", "-infinity"]),
    ("interval", &["00:00:00", "1 year 2 mons -3 days +04:05:06.5", "-00:00:00.000001"]),
    ("oid", &["0", "4294967295"]),
    ("xid", &["7"]),
    ("cid", &["7"]),
    ("regclass", &["-", "4294967295"]),
    ("regtype", &["-", "integer", "text[]"]),
    ("regnamespace", &["-", "public"]),
    ("regproc", &["-", "9"]),
    ("regprocedure", &["9"]),
    ("regoper", &["9"]),
    ("regrole", &["9"]),
    ("name", &["", "a b"]),
    ("\"char\"", &["", "r", "\\303"]),
    ("bytea", &["\\x", "\\x00ff5c"]),
    ("uuid", &["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    ("json", &["{\"a\" :1}", "null"]),
    ("jsonb", &["{\"a\": 1}", "[]"]),
    ("jsonpath", &["$.\"a\"", "strict $[*]?(@ > 1)"]),
    ("bit(3)", &["101", "000"]),
    ("bit varying(9)", &["", "1", "10000000", "100000001"]),
    ("\"bit\"", &["", "0111"]),
    ("timestamptz", &["1998-12-01 04:05:06.5+00", "0044-03-15 10:00:00+00 BC", "infinity"]),
    ("boolean[]", &["{t,f,NULL}"]),
    ("smallint[]", &["{1}"]),
    ("integer[]", &["{}", "{1,NULL,-3}", "{{1,2},{3,4}}", "[0:1]={1,2}", "[-1:-1][2:3]={{1,2}}"]),
    ("bigint[]", &["{9223372036854775807}"]),
    ("real[]", &["{1.5,NaN}"]),
    ("double precision[]", &["{0.1}"]),
    ("decimal(12,2)[]", &["{1.50,-0.01}"]),
    ("numeric[]", &["{1.5,0.50,NaN}"]),
    ("text[]", &["{\"\",\"null\",NULL,\"a b\",\"{,}\",\"\\\"\",\"\\\\\",é}"]),
    ("varchar(5)[]", &["{abc}"]),
    ("char(4)[]", &["{\"ab  \"}"]),
    ("date[]", &["{1998-12-01,infinity}"]),
    ("time[]", &["{23:59:59.999999}"]),
    ("timestamp[]", &["{\"1998-12-01 04:05:06.5\"}"]),
    ("timestamptz[]", &["{\"1998-12-01 04:05:06.5+00\"}"]),
    ("interval[]", &["{\"1 day\"}"]),
    ("oid[]", &["{1}"]),
    ("regclass[]", &["{-,9}"]),
    ("name[]", &["{a}"]),
    ("\"char\"[]", &["{a,\"\"}"]),
    ("bytea[]", &["{\"\\\\x00ff\"}"]),
    ("uuid[]", &["{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"]),
    ("json[]", &["{\"{\\\"a\\\" :1}\"}"]),
    ("jsonb[]", &["{\"{\\\"a\\\": 1}\"}"]),
    ("bit(2)[]", &["{10,NULL}"]),
    ("bit varying[]", &["{\"\",101}"]),
    ("jsonpath[]", &["{\"$.\\\"a\\\"\"}"]),
    ("vector(3)", &["[1,-2.5,3e-05]", "[NaN,Infinity,-0]"]),
    ("vector(1, double)", &["[0.1]"]),
    ("vector(2)[]", &["{\"[1,2]\",NULL}"]),
    ("vector(1, double)[]", &["{[0.1]}"]),
];

#[test]
fn every_type_goes_both_ways_in_both_formats() {
    let server = Running::start();
    with_driver(&server, async |client| {
        for (data_type, texts) in VALUES {
            let back = client.prepare(&format!("SELECT $1::{data_type}")).await.expect("it is prepared");
            for text in *texts {
                // Text out, then binary out, in, and out.
                let read = text.replace('\\', "\\\\").replace('\'', "\\'");
                let sql = format!("SELECT E'{read}'::{data_type}");
                let rows = client.simple_query(&sql).await.expect("it runs");
                let shown = rows.iter().find_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
                    _ => None,
                });
                assert_eq!(shown.flatten().as_deref(), Some(*text), "{data_type}");
                let sent: Bytes = client.query_one(&sql, &[]).await.expect("it runs").get(0);
                let again: Bytes = client.query_one(&back, &[&sent]).await.expect("it runs").get(0);
                assert_eq!(again, sent, "{data_type} {text}");
            }
            let nothing: Option<Bytes> = client.query_one(&back, &[&None::<Bytes>]).await.expect("it runs").get(0);
            assert_eq!(nothing, None);
        }
    });
}

#[test]
fn enums_are_known_by_their_numbers() {
    let server = Running::start();
    server.sql("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE t (a mood, b mood[])");
    with_driver(&server, async |client| {
        let numbers = "SELECT oid, typarray FROM pg_type WHERE typname = 'mood'";
        let row = client.query_one(numbers, &[]).await.expect("it runs");
        let (one, many): (u32, u32) = (row.get(0), row.get(1));
        // The driver asks the catalog for the type and its labels by its number.
        let insert = client.prepare("INSERT INTO t VALUES ($1, $2)").await.expect("it is prepared");
        assert_eq!(insert.params().iter().map(Type::oid).collect::<Vec<_>>(), [one, many]);
        let labels = ["sad".to_owned(), "ok".to_owned()];
        assert_eq!(insert.params()[0].kind(), &tokio_postgres::types::Kind::Enum(labels.to_vec()));
        let array: Vec<u8> = [1, 0, one as i32, 2, 1, 3].iter().flat_map(|word| word.to_be_bytes()).collect();
        let array = [&array[..], b"sad", &2i32.to_be_bytes(), b"ok"].concat();
        client.execute(&insert, &[&Bytes(b"ok".to_vec()), &Bytes(array.clone())]).await.expect("it runs");
        let select = client.prepare("SELECT a, b FROM t WHERE a = $1").await.expect("it is prepared");
        assert_eq!(select.columns().iter().map(|column| column.type_().oid()).collect::<Vec<_>>(), [one, many]);
        let row = client.query_one(&select, &[&Bytes(b"ok".to_vec())]).await.expect("it runs");
        assert_eq!((row.get::<_, Bytes>(0).0, row.get::<_, Bytes>(1).0), (b"ok".to_vec(), array));
        // And it may say the number itself.
        let mood = insert.params()[0].clone();
        let typed = client.prepare_typed("SELECT $1", &[mood]).await.expect("it is prepared");
        assert_eq!(typed.columns()[0].type_().oid(), one);
    });
}

#[test]
fn vectors_are_a_type_of_the_catalog() {
    let server = Running::start();
    server.sql("CREATE TABLE t (id int, v vector(2)); INSERT INTO t VALUES (1, '[1,2]'), (2, '[3,4]')");
    with_driver(&server, async |client| {
        // The driver asks the catalog for the type by its number.
        let nearest = client.prepare("SELECT id, v FROM t ORDER BY v <-> $1 LIMIT 1").await.expect("it is prepared");
        let (parameter, column) = (&nearest.params()[0], nearest.columns()[1].type_());
        assert_eq!((parameter.name(), parameter.kind(), parameter.oid()), ("vector", &Kind::Simple, 16_000));
        assert_eq!(column, parameter);
        let sent = |x: f32, y: f32| Bytes([&[0, 2, 0, 0][..], &x.to_be_bytes(), &y.to_be_bytes()].concat());
        let row = client.query_one(&nearest, &[&sent(3.0, 3.0)]).await.expect("it runs");
        assert_eq!((row.get::<_, i32>(0), row.get::<_, Bytes>(1)), (2, sent(3.0, 4.0)));
        let typed = client.prepare_typed("INSERT INTO t VALUES (3, $1)", std::slice::from_ref(parameter)).await;
        client.execute(&typed.expect("it is prepared"), &[&sent(0.5, 0.0)]).await.expect("it runs");
        let row = client.query_one(&nearest, &[&sent(0.0, 0.0)]).await.expect("it runs");
        assert_eq!((row.get::<_, i32>(0), row.get::<_, Bytes>(1)), (3, sent(0.5, 0.0)));
        let longer = Bytes([0, 1, 0, 0, 0, 0, 0, 0].to_vec());
        let error = client.query_one(&nearest, &[&longer]).await.expect_err("another length");
        assert_eq!(error.code().map(|code| code.code()), Some("22000"));
    });
}

#[test]
fn the_systems_types_are_sent() {
    let server = Running::start();
    with_driver(&server, async |client| {
        let row = client.query_one("SELECT inet_client_addr(), pg_advisory_unlock_all()", &[]).await.expect("it runs");
        assert_eq!(row.get::<_, Bytes>(0), Bytes(vec![2, 32, 0, 4, 127, 0, 0, 1]));
        assert_eq!((row.columns()[1].type_(), row.get::<_, Bytes>(1)), (&Type::VOID, Bytes(Vec::new())));
        let sql = "SELECT nspacl FROM pg_namespace WHERE nspname = 'pg_catalog'";
        let error = client.query(sql, &[]).await.expect_err("it has no binary form");
        assert_eq!(error.code().map(|code| code.code()), Some("42883"));
        let rows = client.simple_query(sql).await.expect("it runs");
        let shown = rows.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        assert_eq!(shown, Some("{postgres=UC/postgres,=U/postgres}"));
    });
}

#[test]
fn a_driver_reads_what_it_knows() {
    let server = Running::start();
    with_driver(&server, async |client| {
        client
            .batch_execute("CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, 'x'), (2, NULL)")
            .await
            .expect("it runs");
        let rows = client.query("SELECT a, b FROM t WHERE a >= $1 ORDER BY a", &[&1i32]).await.expect("it runs");
        let read: Vec<(i32, Option<&str>)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        assert_eq!(read, [(1, Some("x")), (2, None)]);
        let sql = "SELECT timestamp '2000-01-01 00:00:01', 2.5::float8, 2.5::real, true, 3::smallint, 4::bigint";
        let row = client.query_one(sql, &[]).await.expect("it runs");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_801);
        let read: (SystemTime, f64, f32, bool, i16, i64) =
            (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4), row.get(5));
        assert_eq!(read, (time, 2.5, 2.5, true, 3, 4));
        let error = client.query("SELECT nope FROM t", &[]).await.expect_err("there is no such column");
        assert_eq!(error.code().map(|code| code.code().to_owned()).as_deref(), Some("42703"));
        // Many at once.
        let statement = client.prepare("SELECT $1::bigint * 2").await.expect("it is prepared");
        let numbers: Vec<i64> = (0..100).collect();
        let mut doubled = Vec::new();
        for pair in numbers.chunks(2) {
            let params: [&(dyn ToSql + Sync); 1] = [&pair[0]];
            let other: [&(dyn ToSql + Sync); 1] = [&pair[1]];
            let (one, two) = tokio::join!(client.query_one(&statement, &params), client.query_one(&statement, &other));
            doubled.push(one.expect("it runs").get::<_, i64>(0));
            doubled.push(two.expect("it runs").get::<_, i64>(0));
        }
        assert_eq!(doubled, numbers.iter().map(|number| number * 2).collect::<Vec<_>>());
    });
}

#[test]
fn a_driver_reads_arrays_and_bytes() {
    let server = Running::start();
    with_driver(&server, async |client| {
        let sql = "SELECT $1::int[], $2::text[], $3::bytea, $4::oid, $5::\"char\", $6::timestamptz, $7::name";
        let (numbers, words, bytes) = (vec![Some(1), None, Some(3)], vec!["a", "", "b,c"], vec![0u8, 255]);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_801);
        let parameters: [&(dyn ToSql + Sync); 7] = [&numbers, &words, &bytes, &7u32, &99i8, &time, &"n"];
        let row = client.query_one(sql, &parameters).await.expect("it runs");
        assert_eq!(row.get::<_, Vec<Option<i32>>>(0), numbers);
        assert_eq!(row.get::<_, Vec<String>>(1), words);
        assert_eq!(row.get::<_, Vec<u8>>(2), bytes);
        assert_eq!((row.get::<_, u32>(3), row.get::<_, i8>(4), row.get::<_, &str>(6)), (7, 99, "n"));
        assert_eq!(row.get::<_, SystemTime>(5), time);
        // A text names a zone or means the session's; the driver is told of it.
        client.batch_execute("SET TIME ZONE 'europe/berlin'").await.expect("it is set");
        let shown = async |sql: &str| {
            let messages = client.simple_query(sql).await.expect("it runs");
            messages.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
        };
        assert_eq!(shown("SHOW TimeZone").await.as_deref(), Some("Europe/Berlin"));
        let instant = "SELECT timestamptz '2020-07-01 12:00'";
        assert_eq!(shown(instant).await.as_deref(), Some("2020-07-01 12:00:00+02"));
        let read: SystemTime = client.query_one(instant, &[]).await.expect("it runs").get(0);
        assert_eq!(read, SystemTime::UNIX_EPOCH + Duration::from_secs(1_593_597_600));
    });
}

#[test]
fn a_driver_learns_of_enums() {
    let server = Running::start();
    with_driver(&server, async |client| {
        let sql = "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE t (m mood, ms mood[]);
            INSERT INTO t VALUES ('ok', '{sad,NULL}'), (NULL, '{}')";
        client.batch_execute(sql).await.expect("it runs");
        let statement = client.prepare("SELECT m, ms FROM t WHERE m = $1 OR ms = $2").await.expect("it is prepared");
        let labels = Kind::Enum(vec!["sad".to_owned(), "ok".to_owned()]);
        let types: Vec<&Type> = statement.columns().iter().map(|column| column.type_()).collect();
        assert_eq!(types, statement.params().iter().collect::<Vec<_>>());
        assert_eq!((types[0].name(), types[0].kind()), ("mood", &labels));
        assert!(matches!(types[1].kind(), Kind::Array(of) if of == types[0]), "{types:?}");
        // Values as they came go back, the array with the number of its elements' type.
        let all = client.query_one("SELECT m, ms FROM t WHERE m IS NOT NULL", &[]).await.expect("it runs");
        let (one, many): (Bytes, Bytes) = (all.get(0), all.get(1));
        assert_eq!(one, Bytes(b"ok".to_vec()));
        let rows = client.query(&statement, &[&one, &many]).await.expect("it runs");
        assert_eq!(rows.iter().map(|row| row.get::<_, Bytes>(1)).collect::<Vec<_>>(), [many]);
        // And types may be said by their numbers.
        let declared = client.prepare_typed("SELECT $1 = 'sad'", &[types[0].clone()]).await.expect("it is prepared");
        let is_sad: bool = client.query_one(&declared, &[&Bytes(b"sad".to_vec())]).await.expect("it runs").get(0);
        assert!(is_sad);
    });
}

#[test]
fn a_driver_cancels() {
    let server = Running::start();
    server.numbers(5);
    with_driver(&server, async |client| {
        let token = client.cancel_token();
        let sql = "SELECT count(*) FROM n a, n b, n c WHERE a.i * b.i % 7919 = c.i % 17";
        let (ran, ()) = tokio::join!(client.simple_query(sql), async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            token.cancel_query(NoTls).await.expect("the request is sent");
        });
        let error = ran.expect_err("it was cancelled");
        assert_eq!(error.code().map(|code| code.code().to_owned()).as_deref(), Some("57014"));
    });
}

#[test]
fn psql_shows_rows() {
    let server = Running::start();
    let psql = |arguments: &[&str]| {
        let (host, port) = (server.address.ip().to_string(), server.address.port().to_string());
        let mut command = Command::new("psql");
        command.args(["-X", "-h", &host, "-p", &port, "-U", "u", "-d", "d", "-A"]).args(arguments);
        command.env("PGCONNECT_TIMEOUT", "20").output()
    };
    let Ok(output) = psql(&["-c", "SELECT 1 AS one, 'ä' AS two, NULL AS three"]) else {
        return println!("psql is not installed");
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "one|two|three\n1|ä|\n(1 row)\n", "{output:?}");
    let output = psql(&["-t", "-c", "CREATE TABLE t (a int)", "-c", "INSERT INTO t VALUES (3)", "-c", "TABLE t"])
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "CREATE TABLE\nINSERT 0 1\n3\n", "{output:?}");
    let sql = "SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE; SELECT timestamptz '2020-01-01 00:00Z', ARRAY['a b', NULL], \
               '\\xff'::bytea, '2200'::regnamespace, '[2:2]={7}'::int[]";
    let output = psql(&["-q", "-t", "-c", sql]).expect("it runs");
    let expected = "2020-01-01 05:30:00+05:30|{\"a b\",NULL}|\\xff|public|[2:2]={7}\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{output:?}");
    let output = psql(&["-c", "SELECT nope"]).expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("LINE 1: SELECT nope\n               ^"), "{said}");
    let output = psql(&["-t", "-c", "SELECT 1; SELECT 2"]).expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n2\n", "{output:?}");
}
