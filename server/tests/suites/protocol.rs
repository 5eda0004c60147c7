//! Messages over a socket: start, the simple protocol, the extended one, portals, errors.

use super::client::{Client, PATIENCE, Running, Script, shown, zero_ended};

#[test]
fn a_session_begins() {
    let server = Running::start();
    let mut client = Client::connect(server.address);
    for code in [5679u32, 5680] {
        client.packet(&((1234 << 16) | code).to_be_bytes());
        let mut answer = [0];
        std::io::Read::read_exact(&mut client.stream, &mut answer).expect("an answer of one byte");
        assert_eq!(answer, *b"N");
    }
    client.startup(&[("user", "somebody"), ("application_name", "test"), ("client_encoding", "'utf-8'")]);
    let messages = client.ready();
    assert_eq!(messages[0].kind, 'R');
    assert_eq!(messages[0].body, [0; 4]);
    let value = |name: &str| {
        let found = messages.iter().find(|message| message.kind == 'S' && message.body.starts_with(&zero_ended(name)));
        found.map(|message| String::from_utf8_lossy(&message.body[name.len() + 1..message.body.len() - 1]).into_owned())
    };
    assert!(value("server_version").is_some_and(|version| version.starts_with("15.0 (Multiloop ")));
    for (name, expected) in [
        ("server_encoding", "UTF8"),
        ("client_encoding", "UTF8"),
        ("DateStyle", "ISO, MDY"),
        ("IntervalStyle", "postgres"),
        ("integer_datetimes", "on"),
        ("standard_conforming_strings", "on"),
        ("is_superuser", "on"),
        ("session_authorization", "somebody"),
        ("application_name", "test"),
        ("default_transaction_read_only", "off"),
        ("in_hot_standby", "off"),
    ] {
        assert_eq!(value(name).as_deref(), Some(expected), "{name}");
    }
    assert!(value("TimeZone").is_some());
    assert!(client.key.0 > 0);
    assert_eq!(messages.last().map(|ready| ready.body.clone()), Some(b"I".to_vec()));
    client.send(Script::new().message(b'X', b""));
    assert_eq!(client.message(), None);
}

#[test]
fn versions_and_options_are_negotiated() {
    let server = Running::start();
    let mut client = Client::connect(server.address);
    client.startup_version((3 << 16) | 2, &[("user", "u"), ("_pq_.something", "1")]);
    let messages = client.ready();
    assert!(shown(&messages).starts_with("vRS"), "{}", shown(&messages));
    assert_eq!(messages[0].body, b"\0\x03\0\0\0\0\0\x01_pq_.something\0");
    for (version, parameters, code) in [
        (2 << 16, &[("user", "u")][..], "0A000"),
        (3 << 16, &[("database", "d")], "28000"),
        (3 << 16, &[("user", "u"), ("replication", "true")], "0A000"),
        (3 << 16, &[("user", "u"), ("client_encoding", "LATIN1")], "22023"),
    ] {
        let mut client = Client::connect(server.address);
        client.startup_version(version, parameters);
        let error = client.message().expect("an answer");
        assert_eq!((error.field('S').as_deref(), error.field('C').as_deref()), (Some("FATAL"), Some(code)));
        assert_eq!(client.message(), None);
    }
}

#[test]
fn simple_queries() {
    let server = Running::start();
    let mut client = server.client();
    assert_eq!(client.say(Script::new().query("SELECT 1 AS one, 'a' AS two WHERE true")), "TDC(SELECT 1)Z");
    assert_eq!(client.say(Script::new().query("")), "IZ");
    assert_eq!(client.say(Script::new().query(" ; -- nothing\n;")), "IZ");
    let script = "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2);; SELECT a FROM t WHERE a > 5; SHOW TABLES";
    assert_eq!(client.say(Script::new().query(script)), "C(CREATE TABLE)C(INSERT 0 2)TC(SELECT 0)TDC(SHOW)Z");
    assert_eq!(
        client.rows("SELECT a, NULL, a * 1.5 FROM t ORDER BY a")[1],
        [Some("2".into()), None, Some("3.0".into())]
    );
    // What fails ends the text.
    assert_eq!(client.say(Script::new().query("SELECT 1; SELECT 1 / 0; SELECT 2")), "TDC(SELECT 1)E(22012)Z");
    assert_eq!(client.say(Script::new().query("EXPLAIN SELECT a FROM t")).replace('D', ""), "TC(EXPLAIN)Z");
    assert_eq!(client.say(Script::new().query("SELECT $1")), "E(42P02)Z");
    assert_eq!(client.say(Script::new().message(b'F', b"\0\0\0\x01\0\0\0\0\0\0")), "E(0A000)Z");
    // Data that nobody asked for.
    assert_eq!(client.say(Script::new().message(b'd', b"x").message(b'c', b"").query("SELECT 1")), "TDC(SELECT 1)Z");
}

#[test]
fn columns_are_described() {
    let server = Running::start();
    let mut client = server.client();
    client.send(
        Script::new().query("SELECT 1::smallint AS small, 'x'::varchar(7) AS short, 1.25::decimal(5,2) AS cents"),
    );
    let messages = client.ready();
    let column = |name: &str, oid: u32, bytes: i16, modifier: i32| {
        [
            zero_ended(name),
            vec![0; 6],
            oid.to_be_bytes().to_vec(),
            bytes.to_be_bytes().to_vec(),
            modifier.to_be_bytes().to_vec(),
            vec![0, 0],
        ]
        .concat()
    };
    let columns = [column("small", 21, 2, -1), column("short", 1043, -1, 11), column("cents", 1700, -1, (5 << 16) + 6)];
    assert_eq!(messages[0].body, [vec![0, 3], columns.concat()].concat());
}

#[test]
fn binary_data_begins_with_its_first_row() {
    let server = Running::start();
    let mut client = server.client();
    // A header has 19 bytes, a row 10, the end 2.
    let rows = "COPY (SELECT v FROM (VALUES (1), (2)) t(v)) TO STDOUT (FORMAT binary)";
    let none = "COPY (SELECT 1 WHERE false) TO STDOUT (FORMAT binary)";
    for (sql, expected) in [(rows, &[29, 10, 2][..]), (none, &[21][..])] {
        client.send(Script::new().query(sql));
        let lengths: Vec<usize> =
            client.ready().iter().filter(|message| message.kind == 'd').map(|message| message.body.len()).collect();
        assert_eq!(lengths, expected, "{sql}");
    }
}

#[test]
fn errors_say_where() {
    let server = Running::start();
    let mut client = server.client();
    client.send(Script::new().query("SELECT 'ä'; SELECT 'ö', nope"));
    let messages = client.ready();
    assert_eq!(shown(&messages), "TDC(SELECT 1)E(42703)Z");
    let error = &messages[3];
    assert_eq!(error.field('S').as_deref(), Some("ERROR"));
    assert_eq!(error.field('V').as_deref(), Some("ERROR"));
    assert_eq!(error.field('P').as_deref(), Some("25"));
    assert!(error.field('M').is_some_and(|message| message.contains("nope")));
    client.send(Script::new().parse("", "SELECT 'ä', nope", &[]).sync());
    let messages = client.ready();
    assert_eq!((shown(&messages).as_str(), messages[0].field('P').as_deref()), ("E(42703)Z", Some("13")));
}

#[test]
fn errors_say_what_they_are_about() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE SCHEMA s");
    client.rows(
        "CREATE TABLE s.t (a int PRIMARY KEY, b int NOT NULL, c int CONSTRAINT small CHECK (c < 9), \
         d int CONSTRAINT up REFERENCES s.t, CONSTRAINT once UNIQUE (b, c))",
    );
    client.rows("INSERT INTO s.t VALUES (1, 1, 1, 1)");
    for (values, about) in [
        ("(1, 2, 1, 1)", [None, Some("t_pkey")]),
        ("(2, 1, 1, 1)", [None, Some("once")]),
        ("(2, NULL, 1, 1)", [Some("b"), None]),
        ("(2, 2, 9, 1)", [None, Some("small")]),
        ("(2, 2, 2, 7)", [None, Some("up")]),
    ] {
        client.send(Script::new().query(&format!("INSERT INTO s.t VALUES {values}")));
        let error = &client.ready()[0];
        let told = ['s', 't', 'c', 'n'].map(|kind| error.field(kind));
        let about = [Some("s"), Some("t"), about[0], about[1]];
        assert_eq!(told.each_ref().map(Option::as_deref), about, "{values}");
    }
    client.rows("CREATE TABLE u (a int); INSERT INTO u VALUES (1), (1)");
    client.send(Script::new().query("CREATE UNIQUE INDEX one ON u (a)"));
    assert_eq!(client.ready()[0].field('n').as_deref(), Some("one"));
    client.send(Script::new().query("SELECT nope"));
    assert_eq!(client.ready()[0].field('t'), None);
}

#[test]
fn cursors_have_parameters() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2), (3)");
    let declare = "DECLARE c CURSOR FOR SELECT a + $2 FROM t WHERE a > $1 ORDER BY a";
    let script = Script::new().query("BEGIN").parse("", declare, &[21]).describe(b'S', "");
    client.send(script.bind("", "", &[Some(b"1"), Some(b"10")], (&[], &[])).execute("", 0).sync());
    client.ready();
    let messages = client.ready();
    assert_eq!(shown(&messages), "1tn2C(DECLARE CURSOR)Z");
    // One type was said, the other follows.
    assert_eq!(messages[1].body, [0, 2, 0, 0, 0, 21, 0, 0, 0, 23]);
    assert_eq!(client.rows("FETCH ALL FROM c"), [[Some("12".to_owned())], [Some("13".to_owned())]]);
    assert_eq!(
        client.say(Script::new().query("COMMIT; DECLARE c CURSOR WITH HOLD FOR SELECT $1")),
        "C(COMMIT)E(42P02)Z"
    );
    let wrong = "DECLARE c CURSOR WITH HOLD FOR SELECT nope";
    client.send(Script::new().parse("", wrong, &[]).sync());
    assert_eq!(client.ready()[0].field('P').as_deref(), Some("39"));
}

#[test]
fn cursors_are_portals() {
    let server = Running::start();
    server.numbers(1);
    let mut client = server.client();
    client
        .rows("BEGIN; DECLARE c CURSOR FOR SELECT i FROM n ORDER BY i; DECLARE b BINARY CURSOR FOR SELECT 7 AS seven");
    // Described and run by messages, and by SQL in between.
    let script = Script::new().describe(b'P', "c").execute("c", 2).describe(b'P', "b").execute("b", 0);
    client.send(script.execute("b", 0).sync());
    let messages = client.ready();
    assert_eq!(shown(&messages), "TDDsTDC(SELECT 1)C(SELECT 0)Z");
    assert!(messages[0].body.ends_with(b"\0\0") && messages[4].body.ends_with(b"\0\x01"));
    assert_eq!(messages[5].values(), [Some(7i32.to_be_bytes().to_vec())]);
    assert_eq!(client.rows("FETCH 1 FROM c"), [[Some("2".to_owned())]]);
    client.send(Script::new().execute("c", 1).sync());
    assert_eq!(client.ready()[0].values(), [Some(b"3".to_vec())]);
    // Nothing else may have the name; closed by a message it is gone.
    let script = Script::new().parse("s", "SELECT 1", &[]).bind("c", "s", &[], (&[], &[])).sync();
    assert_eq!(client.say(script), "1E(42P03)Z");
    client.rows("ROLLBACK; BEGIN; DECLARE c CURSOR FOR SELECT 1");
    assert_eq!(client.say(Script::new().close(b'P', "c").describe(b'P', "c").sync()), "3E(34000)Z");
}

#[test]
fn portals_are_moved() {
    let server = Running::start();
    server.numbers(4);
    let mut client = server.client();
    client.rows("BEGIN");
    let script = Script::new().parse("s", "SELECT i FROM n ORDER BY i", &[]);
    assert_eq!(client.say(script.bind("p", "s", &[], (&[], &[])).sync()), "12Z");
    // One that has not run yet, over the border of a batch, then between its rows.
    assert_eq!(client.say(Script::new().query("MOVE 9000 FROM p")), "C(MOVE 9000)Z");
    client.send(Script::new().execute("p", 1).sync());
    assert_eq!(client.ready()[0].values(), [Some(b"9000".to_vec())]);
    assert_eq!(client.say(Script::new().query("MOVE p; MOVE FORWARD ALL IN p")), "C(MOVE 1)C(MOVE 998)Z");
    assert_eq!(client.say(Script::new().execute("p", 0).sync()), "C(SELECT 0)Z");
    assert_eq!(client.say(Script::new().query("FETCH p")), "E(0A000)Z");
    assert_eq!(client.say(Script::new().query("MOVE p")), "E(25P02)Z");
    client.rows("ROLLBACK");
}

#[test]
fn statements_alone_need_not_be_tried_again() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int)");
    let insert = |client: &mut Client| {
        client.say(
            Script::new()
                .parse("", "INSERT INTO t SELECT g FROM generate_series(1, 100) AS g", &[])
                .bind("", "", &[], (&[], &[]))
                .execute("", 0)
                .sync(),
        )
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut client = server.client();
            scope.spawn(move || (0..50).for_each(|_| assert_eq!(insert(&mut client), "12C(INSERT 0 100)Z")));
        }
    });
    assert_eq!(client.rows("SELECT count(*) FROM t"), [[Some("15000".to_owned())]]);
    // Two that come together are one transaction.
    let one =
        |script: Script| script.parse("", "INSERT INTO t VALUES (1)", &[]).bind("", "", &[], (&[], &[])).execute("", 0);
    let script = one(Script::new()).parse("", "SELECT 1/0", &[]).bind("", "", &[], (&[], &[])).execute("", 0).sync();
    assert_eq!(client.say(script), "12C(INSERT 0 1)12E(22012)Z");
    assert_eq!(client.rows("SELECT count(*) FROM t"), [[Some("15000".to_owned())]]);
    assert_eq!(client.say(one(one(Script::new())).sync()), "12C(INSERT 0 1)12C(INSERT 0 1)Z");
    assert_eq!(client.rows("SELECT count(*) FROM t"), [[Some("15002".to_owned())]]);
}

#[test]
fn errors_have_details() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int PRIMARY KEY, b int CHECK (b > 0)); INSERT INTO t VALUES (1, 1)");
    client.rows("CREATE VIEW v AS SELECT a FROM t");
    for (sql, code, detail) in [
        ("INSERT INTO t VALUES (1, 2)", "23505", "Key (a)=(1) already exists."),
        ("INSERT INTO t VALUES (2, -1)", "23514", "Failing row contains (2, -1)."),
        (
            "SELECT 100::numeric(2)",
            "22003",
            "A field with precision 2, scale 0 must round to an absolute value less than 10^2.",
        ),
        ("DROP TABLE t", "2BP01", "view v depends on table t"),
        ("SELECT '{1'::int[]", "22P02", "Unexpected end of input."),
    ] {
        client.send(Script::new().query(sql));
        let error = client.ready().remove(0);
        assert_eq!((error.field('C').as_deref(), error.field('D').as_deref()), (Some(code), Some(detail)), "{sql}");
    }
}

#[test]
fn binary_copies_come_row_by_row() {
    let server = Running::start();
    let mut client = server.client();
    let head = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
    let row = |value: u8| [0, 1, 0, 0, 0, 2, 0, value];
    let copied = |client: &mut Client, sql: &str| {
        client.send(Script::new().query(sql));
        let messages = client.ready().into_iter().filter(|message| message.kind == 'd');
        messages.map(|message| message.body).collect::<Vec<_>>()
    };
    // The signature and the first row are one message, as those expect it who read rows by messages.
    let rows = copied(&mut client, "COPY (VALUES (1::smallint), (2::smallint)) TO STDOUT (FORMAT binary)");
    assert_eq!(rows, [[&head[..], &row(1)].concat(), row(2).to_vec(), vec![255, 255]]);
    let none = copied(&mut client, "COPY (SELECT 1::smallint LIMIT 0) TO STDOUT (FORMAT binary)");
    assert_eq!(none, [[&head[..], &[255, 255]].concat()]);
}

#[test]
fn extended_queries() {
    let server = Running::start();
    let mut client = server.client();
    let script = Script::new().parse("", "SELECT $1::int + 1 AS next, $2::text AS t", &[]).describe(b'S', "");
    let script = script.bind("", "", &[Some(b"41"), None], (&[], &[1, 0])).describe(b'P', "").execute("", 0).sync();
    client.send(script);
    let messages = client.ready();
    assert_eq!(shown(&messages), "1tT2TDC(SELECT 1)Z");
    assert_eq!(messages[1].body, b"\0\x02\0\0\0\x17\0\0\0\x19");
    assert_eq!(messages[5].values(), [Some(42i32.to_be_bytes().to_vec()), None]);
    // Of a portal the formats are known, of a statement they are not.
    assert!(messages[2].body.ends_with(b"\0\0") && messages[4].body[..40].windows(2).any(|code| code == [0, 1]));
    // What nothing gives a type is text.
    client.send(Script::new().parse("", "SELECT $1, $2::int", &[]).describe(b'S', "").sync());
    assert_eq!(client.ready()[1].body, b"\0\x02\0\0\0\x19\0\0\0\x17");
    // Statements live on, portals end with the transaction.
    let script =
        Script::new().parse("s", "SELECT $1::bigint", &[20]).bind("p", "s", &[Some(&7i64.to_be_bytes())], (&[1], &[]));
    assert_eq!(client.say(script.execute("p", 0).sync()), "12DC(SELECT 1)Z");
    assert_eq!(client.say(Script::new().execute("p", 0).sync()), "E(34000)Z");
    assert_eq!(client.say(Script::new().bind("p", "s", &[None], (&[], &[])).execute("p", 0).sync()), "2DC(SELECT 1)Z");
    assert_eq!(client.say(Script::new().close(b'S', "s").close(b'S', "s").close(b'P', "never").sync()), "333Z");
    assert_eq!(client.say(Script::new().bind("", "s", &[None], (&[], &[])).sync()), "E(26000)Z");
    // A simple query takes the unnamed statement away.
    assert_eq!(client.say(Script::new().parse("", "SELECT 1", &[]).query("SELECT 2")), "1TDC(SELECT 1)Z");
    assert_eq!(client.say(Script::new().describe(b'S', "").sync()), "E(26000)Z");
    // What gives no rows.
    let script =
        Script::new().parse("", "CREATE TABLE t (a int)", &[]).describe(b'S', "").bind("", "", &[], (&[], &[1]));
    assert_eq!(
        client.say(script.describe(b'P', "").execute("", 0).execute("", 0).sync()),
        "1tn2nC(CREATE TABLE)E(55000)Z"
    );
    let script =
        Script::new().parse("", " -- nothing", &[]).describe(b'S', "").bind("", "", &[], (&[], &[])).describe(b'P', "");
    assert_eq!(client.say(script.execute("", 0).sync()), "1tn2nIZ");
    let script = Script::new().parse("", "SHOW TABLES", &[]).describe(b'S', "").bind("", "", &[], (&[], &[]));
    // What failed took the table with it: up to the Sync it was one transaction.
    assert_eq!(client.say(script.execute("", 0).sync()), "1tT2C(SHOW)Z");
}

#[test]
fn parameters_beside_decimals_keep_their_digits() {
    let server = Running::start();
    server.sql("CREATE TABLE t (km decimal(8,1), c char(3), v varchar(3)); INSERT INTO t VALUES (12.5, 'ab', 'x')");
    let mut client = server.client();
    let sql = "SELECT km = $1, km > $1, c = $2, v = $3 FROM t";
    client.send(Script::new().parse("s", sql, &[]).describe(b'S', "s").sync());
    // numeric, bpchar and text.
    assert_eq!(client.ready()[1].body, b"\0\x03\0\0\x06\xa4\0\0\x04\x12\0\0\0\x19");
    // 12.46 as digits of base 10,000: 12 and 4600.
    let binary = [0, 2, 0, 0, 0, 0, 0, 2, 0, 12, 0x11, 0xf8];
    for (km, format) in [(&b"12.46"[..], 0), (&binary[..], 1)] {
        let values = [Some(km), Some(&b"ab    "[..]), Some(&b"xyzzy"[..])];
        client.send(Script::new().bind("", "s", &values, (&[format, 0, 0], &[])).execute("", 0).sync());
        let found = client.ready()[1].values();
        let expected = ["f", "t", "t", "f"].map(|text| Some(text.as_bytes().to_vec()));
        assert_eq!(found, expected, "{format}");
    }
    // A column takes them as an assignment does.
    let sql = "INSERT INTO t VALUES ($1, $2, $3)";
    client.send(Script::new().parse("i", sql, &[]).describe(b'S', "i").sync());
    assert_eq!(client.ready()[1].body, b"\0\x03\0\0\x06\xa4\0\0\x04\x12\0\0\x04\x13");
    let insert = |values: &[Option<&[u8]>]| Script::new().bind("", "i", values, (&[], &[])).execute("", 0).sync();
    assert_eq!(client.say(insert(&[Some(b"1.25"), Some(b"a"), Some(b"y")])), "2C(INSERT 0 1)Z");
    assert_eq!(client.say(insert(&[Some(b"12345678"), None, None])), "2E(22003)Z");
    assert_eq!(client.say(insert(&[None, Some(b"abcd"), None])), "2E(22001)Z");
    assert_eq!(client.say(insert(&[None, None, Some(b"abcd")])), "2E(22001)Z");
    assert_eq!(client.rows("SELECT km FROM t WHERE v = 'y'"), [[Some("1.3".to_owned())]]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let server = Running::start();
    let mut client = server.client();
    assert_eq!(client.say(Script::new().parse("s", "SELECT $1::int, 2", &[]).sync()), "1Z");
    let mut bind = |values: &[Option<&[u8]>], formats: (&[i16], &[i16])| {
        client.say(Script::new().bind("", "s", values, formats).execute("", 0).sync())
    };
    assert_eq!(bind(&[], (&[], &[])), "E(08P01)Z");
    assert_eq!(bind(&[None, None], (&[], &[])), "E(08P01)Z");
    assert_eq!(bind(&[None], (&[0, 0], &[])), "E(08P01)Z");
    assert_eq!(bind(&[None], (&[], &[0, 0, 0])), "E(08P01)Z");
    assert_eq!(bind(&[None], (&[2], &[])), "E(22023)Z");
    assert_eq!(bind(&[None], (&[], &[-1])), "E(22023)Z");
    assert_eq!(bind(&[Some(b"x")], (&[], &[])), "E(22P02)Z");
    assert_eq!(bind(&[Some(b"xyz")], (&[1], &[])), "E(22P03)Z");
    assert_eq!(bind(&[Some(b"\xff")], (&[], &[])), "E(22021)Z");
    assert_eq!(bind(&[Some(b"1")], (&[], &[0, 1])), "2DC(SELECT 1)Z");
    assert_eq!(client.say(Script::new().parse("s", "SELECT 1", &[]).sync()), "E(42P05)Z");
    assert_eq!(client.say(Script::new().parse("", "SELECT 1; SELECT 2", &[]).sync()), "E(42601)Z");
    assert_eq!(client.say(Script::new().parse("", "SELECT $1", &[4_000_000_000]).sync()), "E(42704)Z");
    let twice = Script::new().bind("p", "s", &[None], (&[], &[])).bind("p", "s", &[None], (&[], &[])).sync();
    assert_eq!(client.say(twice), "2E(42P03)Z");
    assert_eq!(client.say(Script::new().execute("none", 0).sync()), "E(34000)Z");
    assert_eq!(client.say(Script::new().describe(b'P', "none").sync()), "E(34000)Z");
}

#[test]
fn an_error_skips_to_sync() {
    let server = Running::start();
    let mut client = server.client();
    let script =
        Script::new().parse("", "SELECT 1 / $1::int", &[]).bind("", "", &[Some(b"0")], (&[], &[])).execute("", 0);
    let script = script.parse("x", "SELECT 1", &[]).query("SELECT 5").flush().describe(b'S', "x").sync();
    let script = script.describe(b'S', "x").sync().parse("x", "SELECT 1", &[]).sync();
    client.send(script);
    assert_eq!(shown(&client.ready()), "12E(22012)Z");
    assert_eq!(shown(&client.ready()), "E(26000)Z");
    assert_eq!(shown(&client.ready()), "1Z");
}

#[test]
fn portals_stop_at_limits() {
    let server = Running::start();
    server.numbers(4);
    let mut client = server.client();
    let script = Script::new().parse("s", "SELECT i FROM n ORDER BY i", &[]).bind("p", "s", &[], (&[], &[]));
    client.send(script.execute("p", 3).execute("p", 5).execute("p", 0).execute("p", 1).sync());
    let messages = client.ready();
    let rows: Vec<_> = messages.iter().filter(|message| message.kind == 'D').map(|row| row.values()).collect();
    assert_eq!(rows.len(), 10_000);
    assert!(rows.iter().enumerate().all(|(at, row)| row[0] == Some(at.to_string().into_bytes())));
    let others: Vec<_> = messages.into_iter().filter(|message| message.kind != 'D').collect();
    assert_eq!(shown(&others), "12ssC(SELECT 9992)C(SELECT 0)Z");
    // Two at once; a negative limit is none; one that is met exactly does not look further.
    let script = Script::new().bind("a", "s", &[], (&[], &[])).bind("b", "s", &[], (&[], &[1]));
    let script = script.execute("a", 2).execute("b", 2).execute("a", 9_998).execute("a", 2).execute("b", -1).sync();
    let shown = client.say(script).replace('D', "");
    assert_eq!(shown, "22sssC(SELECT 0)C(SELECT 9998)Z");
}

#[test]
fn answers_wait_for_sync_or_flush() {
    let server = Running::start();
    let mut client = server.client();
    client.send(Script::new().parse("", "SELECT 1", &[]).bind("", "", &[], (&[], &[])));
    let quick = std::time::Duration::from_millis(300);
    client.stream.set_read_timeout(Some(quick)).expect("a socket has timeouts");
    let mut byte = [0];
    let early = std::io::Read::read(&mut client.stream, &mut byte);
    assert!(early.is_err(), "nothing is sent before somebody asks for it");
    client.stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
    client.send(Script::new().flush());
    let answers = [client.message(), client.message()].map(|message| message.expect("an answer").kind);
    assert_eq!(answers, ['1', '2']);
    client.send(Script::new().execute("", 0).flush());
    let answers = [client.message(), client.message()].map(|message| message.expect("an answer").kind);
    assert_eq!(answers, ['D', 'C']);
    assert_eq!(client.say(Script::new().sync()), "Z");
    // A thousand at once.
    let mut script = Script::new().parse("s", "SELECT $1::int", &[]);
    for number in 0..1_000 {
        script = script.bind("", "s", &[Some(number.to_string().as_bytes())], (&[], &[])).execute("", 0);
    }
    client.send(script.sync());
    let messages = client.ready();
    let rows = messages.iter().filter(|message| message.kind == 'D').map(|row| row.values()[0].clone());
    assert!(rows.eq((0..1_000).map(|number| Some(number.to_string().into_bytes()))));
    assert_eq!(messages.len(), 1 + 3 * 1_000 + 1);
}

#[test]
fn a_statement_follows_its_table() {
    let server = Running::start();
    server.sql("CREATE TABLE t AS SELECT 1 AS a");
    let mut client = server.client();
    assert_eq!(client.say(Script::new().parse("s", "SELECT a FROM t", &[]).sync()), "1Z");
    let run = |client: &mut Client| client.say(Script::new().bind("", "s", &[], (&[], &[])).execute("", 0).sync());
    assert_eq!(run(&mut client), "2DC(SELECT 1)Z");
    server.sql("INSERT INTO t VALUES (2)");
    assert_eq!(run(&mut client), "2DDC(SELECT 2)Z");
    server.sql("CREATE OR REPLACE TABLE t AS SELECT 'x' AS a");
    assert_eq!(run(&mut client), "2E(0A000)Z");
    server.sql("DROP TABLE t");
    assert_eq!(run(&mut client), "2E(42P01)Z");
}

/// What a message brings begins when it came, and a transaction with the first message of it.
#[test]
fn statements_begin_with_their_message() {
    let server = Running::start();
    let mut client = server.client();
    let truths = |count: usize| vec![Some("t".to_owned()); count];
    let same = "now() = statement_timestamp(), now() = 'now'::timestamptz";
    assert_eq!(client.rows(&format!("SELECT {same}")), [truths(2)]);
    let rows = client.rows(&format!("SELECT {same}; SELECT pg_sleep(0.01); SELECT {same}"));
    assert_eq!(rows, [truths(2), vec![Some(String::new())], truths(2)]);
    // By the extended protocol it is the Parse that begins one, as in PostgreSQL.
    let text = "SELECT now() = 'now'::timestamptz, now() <= statement_timestamp()";
    let script = Script::new().parse("", text, &[]).bind("", "", &[], (&[], &[])).execute("", 0).sync();
    client.send(script);
    let messages = client.ready();
    let row = messages.iter().find(|message| message.kind == 'D').expect("a row comes");
    assert_eq!(row.values(), [Some(b"t".to_vec()), Some(b"t".to_vec())]);
}
