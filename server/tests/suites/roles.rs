//! Who is let in, and what they may do: passwords by SCRAM-SHA-256, rights, and what a server refuses to be.

use super::client::{Client, Running, Script, shown};
use multiloop::{Engine, Roles};
use multiloop_server::{Error, Options, Server};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::NoTls;

/// A server with a role `root`, that may do all, and `reader`, that only reads.
fn server() -> Running {
    let roles = Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "root's word", true).expect("a role can be made");
    let engine = Engine::builder().threads(2).roles(Arc::new(roles)).build().expect("an engine starts");
    let session = engine.session();
    session.sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)").expect("an embedded session may do all");
    Running::over(engine, |_| {})
}

/// What a driver gets that enters with this password, or why it may not.
fn entered(server: &Running, user: &str, password: Option<&str>, sql: &str) -> Result<usize, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let (host, port) = (server.address.ip().to_string(), server.address.port());
    runtime.block_on(async {
        let mut config = tokio_postgres::Config::new();
        config.host(host).port(port).user(user).dbname("d").connect_timeout(Duration::from_secs(20));
        if let Some(password) = password {
            config.password(password);
        }
        let code = |error: tokio_postgres::Error| {
            error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned())
        };
        let (client, connection) = config.connect(NoTls).await.map_err(code)?;
        tokio::spawn(connection);
        client.simple_query(sql).await.map(|messages| messages.len()).map_err(code)
    })
}

#[test]
fn passwords_are_asked_for_and_never_in_clear_text() {
    let server = server();
    assert!(entered(&server, "root", Some("root's word"), "SELECT a FROM t").is_ok());
    for (user, password) in [("root", "Root's word"), ("root", ""), ("nobody", "root's word"), ("t", "x")] {
        assert_eq!(entered(&server, user, Some(password), "SELECT 1"), Err("28P01".to_owned()), "{user}");
    }
    assert!(entered(&server, "root", None, "SELECT 1").is_err());
    // What is asked for: SCRAM-SHA-256, and nothing else.
    for user in ["root", "nobody"] {
        let mut client = Client::connect(server.address);
        client.startup(&[("user", user)]);
        let asked = client.message().expect("an answer");
        assert_eq!((asked.kind, asked.body.as_slice()), ('R', b"\0\0\0\x0aSCRAM-SHA-256\0\0".as_slice()));
        // The first half looks the same for who is there and who is not.
        let first = b"n,,n=,r=abc";
        let body = [b"SCRAM-SHA-256\0".as_slice(), &(first.len() as u32).to_be_bytes(), first].concat();
        client.send(Script::new().message(b'p', &body));
        let answer = client.message().expect("an answer");
        assert_eq!((answer.kind, &answer.body[..4]), ('R', [0, 0, 0, 11].as_slice()));
        assert!(answer.body.ends_with(b",i=4096") && answer.body[4..].starts_with(b"r=abc"));
    }
}

#[test]
fn who_does_not_prove_who_they_are_gets_nothing() {
    let server = server();
    let mechanism = |name: &[u8], first: &[u8]| [name, b"\0", &(first.len() as u32).to_be_bytes(), first].concat();
    let cases: [(u8, Vec<u8>, &str); 9] = [
        // A statement, a password in clear text, nothing.
        (b'Q', b"SELECT 1\0".to_vec(), "08P01"),
        (b'p', b"root's word\0".to_vec(), "08P01"),
        (b'p', Vec::new(), "08P01"),
        (b'p', mechanism(b"SCRAM-SHA-256-PLUS", b"p=tls-unique,,n=,r=a"), "08P01"),
        (b'p', mechanism(b"SCRAM-SHA-256", b"p=tls-unique,,n=,r=a"), "0A000"),
        (b'p', mechanism(b"SCRAM-SHA-256", b"\xff"), "08P01"),
        (b'p', b"SCRAM-SHA-256\0\x7f\xff\xff\xff".to_vec(), "08P01"),
        (b'p', b"SCRAM-SHA-256\0\xff\xff\xff\xff".to_vec(), "08P01"),
        (b'p', vec![b'x'; 70_000], "08P01"),
    ];
    for (kind, body, code) in cases {
        let mut client = Client::connect(server.address);
        client.startup(&[("user", "root")]);
        assert_eq!(client.message().map(|message| message.kind), Some('R'));
        client.send(Script::new().message(kind, &body).query("SELECT a FROM t"));
        let error = client.message().expect("an answer");
        assert_eq!((error.kind, error.field('C').as_deref()), ('E', Some(code)), "{body:?}");
        assert_eq!(client.message(), None);
    }
}

#[test]
fn rights_hold_over_the_wire() {
    let server = server();
    let root = |sql: &str| entered(&server, "root", Some("root's word"), sql);
    let reader = |sql: &str| entered(&server, "reader", Some("word"), sql);
    let forbidden = || Err("42501".to_owned());
    assert!(root("CREATE ROLE reader LOGIN PASSWORD 'word' IN ROLE pg_read_all_data").is_ok());
    assert!(reader("SELECT a FROM t").is_ok());
    for sql in [
        "INSERT INTO t VALUES (2)",
        "CREATE TEMP TABLE u (a int)",
        "DROP TABLE t",
        "CREATE ROLE other",
        "SET ROLE root",
        "COPY t FROM '/etc/hostname'",
        "COPY t TO '/tmp/multiloop-roles.csv'",
        "SELECT * FROM '/etc/hostname.csv'",
    ] {
        assert_eq!(reader(sql), forbidden(), "{sql}");
    }
    // Tables one by one.
    for (sql, expected) in [
        ("COPY t FROM STDIN", forbidden()),
        ("TRUNCATE t", forbidden()),
        ("CREATE TABLE own (a int)", forbidden()),
        ("GRANT SELECT ON t TO PUBLIC", forbidden()),
        ("SELECT pg_stat_statements_reset()", forbidden()),
    ] {
        assert_eq!(reader(sql), expected, "{sql}");
    }
    assert!(root("GRANT INSERT, TRUNCATE ON t TO reader; REVOKE pg_read_all_data FROM reader").is_ok());
    assert!(reader("INSERT INTO t VALUES (2)").is_ok());
    assert_eq!(reader("SELECT a FROM t"), forbidden());
    assert_eq!(reader("COPY t TO STDOUT"), forbidden());
    assert!(reader("TRUNCATE t").is_ok());
    assert!(root("CREATE SCHEMA AUTHORIZATION reader; GRANT SELECT ON t TO reader").is_ok());
    assert!(reader("CREATE TABLE own (a int); INSERT INTO own SELECT a FROM t; DROP TABLE own").is_ok());
    assert_eq!(root("DROP ROLE reader"), Err("2BP01".to_owned()));
    assert!(root("DROP SCHEMA reader; REVOKE ALL ON t FROM reader; GRANT pg_read_all_data TO reader").is_ok());
    // A superuser reaches files in folders alone that were allowed, and here none was.
    assert_eq!(root("COPY t TO '/tmp/multiloop-roles.csv'"), forbidden());
    assert!(reader("ALTER ROLE reader PASSWORD 'another'").is_ok());
    assert_eq!(reader("SELECT 1"), Err("28P01".to_owned()));
    assert!(root("ALTER ROLE reader NOLOGIN").is_ok());
    assert_eq!(entered(&server, "reader", Some("another"), "SELECT 1"), Err("28P01".to_owned()));
    assert_eq!(
        root("SELECT rolname FROM pg_roles WHERE rolname = 'reader' AND NOT rolcanlogin").map(|n| n > 1),
        Ok(true)
    );
}

#[test]
fn nobody_brings_another_role_along() {
    let server = Running::start();
    // Without roles it is a name.
    let mut client = Client::connect(server.address);
    client.startup(&[("user", "u"), ("options", "-c role=postgres")]);
    assert!(shown(&client.ready()).ends_with('Z'));
    assert_eq!(client.say(Script::new().query("CREATE ROLE x")), "E(55000)Z");
    let roles = Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "x", true).expect("a role can be made");
    roles.set_password("me", "x", false).expect("a role can be made");
    let engine = Engine::builder().threads(1).roles(Arc::new(roles)).build().expect("an engine starts");
    let server = Running::over(engine, |_| {});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    for (options, expected) in
        [("", None), ("-c role=root", Some("42501")), ("-c session_authorization=root", Some("42501"))]
    {
        let mut config = tokio_postgres::Config::new();
        config.host("127.0.0.1").port(server.address.port()).user("me").password("x").options(options);
        let connected = runtime.block_on(config.connect(NoTls)).map(drop);
        let code = connected.err().and_then(|error| error.code().map(|code| code.code().to_owned()));
        assert_eq!(code.as_deref(), expected, "{options}");
    }
}

#[test]
fn where_a_server_does_not_listen_unasked() {
    let bound = |with_roles: bool, change: fn(&mut Options)| {
        let mut builder = Engine::builder().threads(1);
        if with_roles {
            builder = builder.roles(Arc::new(Roles::in_memory().expect("there is randomness")));
        }
        let mut options = Options { listen: vec![([0, 0, 0, 0], 0).into()], ..Options::default() };
        change(&mut options);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        runtime.block_on(Server::bind(builder.build().expect("an engine starts"), options)).map(drop)
    };
    assert!(matches!(bound(false, |_| {}), Err(Error::NotLoopback(_))));
    // Safe networks are no reason to let anybody in.
    assert!(matches!(bound(false, |options| options.insecure = true), Err(Error::NotLoopback(_))));
    assert!(matches!(bound(true, |_| {}), Err(Error::NotEncrypted(_))));
    assert!(bound(true, |options| options.insecure = true).is_ok());
    let required = |options: &mut Options| (options.insecure, options.require_tls) = (true, true);
    assert!(matches!(bound(true, required), Err(Error::NoCertificate)));
}
