//! What roles may do, and who may make them.

use super::{Rights, Roles, Verifier};
use crate::{Engine, ErrorKind, Session};
use std::sync::Arc;

fn engine() -> Engine {
    let roles = Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "secret", true).expect("a role can be made");
    Engine::builder().threads(1).roles(Arc::new(roles)).build().expect("an engine starts")
}

fn entered(engine: &Engine, role: &str) -> Session {
    let session = engine.session();
    session.enter(role, None);
    session
}

fn kind(session: &Session, sql: &str) -> Result<(), ErrorKind> {
    let result = session.sql(sql).and_then(|rows| rows.collect_batches());
    result.map(drop).map_err(|error| error.kind())
}

#[test]
fn rights_are_granted_and_taken() {
    let engine = engine();
    let root = entered(&engine, "root");
    let roles = engine.roles().expect("it has roles");
    for sql in [
        "CREATE TABLE t (a int)",
        "CREATE ROLE readers IN ROLE pg_read_all_data",
        "CREATE USER reader PASSWORD 'r' IN ROLE readers",
        "CREATE ROLE nobody",
    ] {
        assert_eq!(kind(&root, sql), Ok(()), "{sql}");
    }
    let (reader, nobody) = (entered(&engine, "reader"), entered(&engine, "nobody"));
    let (read, write, made) = ("SELECT a FROM t", "INSERT INTO t VALUES (1)", "CREATE TABLE u AS SELECT 1 AS a");
    assert_eq!([read, write, made].map(|sql| kind(&reader, sql).is_ok()), [true, false, false]);
    assert_eq!([read, write, made].map(|sql| kind(&nobody, sql).is_ok()), [false, false, false]);
    assert_eq!(kind(&nobody, read), Err(ErrorKind::Forbidden));
    assert_eq!(kind(&reader, write), Err(ErrorKind::Forbidden));
    // What is everybody's.
    assert_eq!(kind(&nobody, "SELECT 1 FROM pg_catalog.pg_class"), Ok(()));
    assert_eq!(kind(&nobody, "SHOW TABLES"), Ok(()));
    // A prepared statement is asked again when it runs.
    let prepared = reader.prepare(read).expect("it may read");
    assert!(prepared.execute(&reader, &[]).is_ok());
    assert_eq!(kind(&root, "GRANT pg_write_all_data TO nobody; REVOKE pg_read_all_data FROM readers"), Ok(()));
    // Who writes need not read, as in PostgreSQL.
    assert_eq!([read, write, made].map(|sql| kind(&nobody, sql).is_ok()), [false, true, false]);
    assert_eq!(kind(&nobody, "CREATE TEMP TABLE own (a int); SELECT a FROM own"), Ok(()));
    assert_eq!(prepared.execute(&reader, &[]).map(drop).map_err(|error| error.kind()), Err(ErrorKind::Forbidden));
    assert_eq!(kind(&root, "ALTER ROLE nobody SUPERUSER"), Ok(()));
    assert_eq!(roles.rights("nobody"), Rights::ALL);
    assert_eq!(kind(&root, "DROP ROLE nobody"), Ok(()));
    assert_eq!(kind(&nobody, read), Err(ErrorKind::Forbidden), "who is gone may nothing");
    // Circles of groups end.
    assert_eq!(kind(&root, "CREATE ROLE a; CREATE ROLE b; GRANT a TO b; GRANT b TO a; GRANT readers TO a"), Ok(()));
    let b = roles.rights("b");
    assert_eq!([b.superuser, b.read, b.write, b.read_files, b.write_files], [false; 5]);
    assert_eq!(["a", "b", "readers", "root"].map(|role| b.has(role)), [true, true, true, false]);
}

#[test]
fn who_makes_roles() {
    let engine = engine();
    let (root, me) = (entered(&engine, "root"), entered(&engine, "me"));
    let roles = engine.roles().expect("it has roles");
    assert_eq!(kind(&root, "CREATE ROLE me LOGIN PASSWORD 'one'"), Ok(()));
    assert!(roles.may_enter("me") && roles.has_superuser());
    let before = roles.verifier("me");
    assert_eq!(kind(&me, "ALTER ROLE me PASSWORD 'two'"), Ok(()));
    assert_ne!(roles.verifier("me"), before);
    for sql in [
        "CREATE ROLE x",
        "ALTER ROLE me SUPERUSER",
        "ALTER ROLE me PASSWORD 'x' SUPERUSER",
        "ALTER ROLE root PASSWORD 'x'",
        "DROP ROLE root",
        "GRANT pg_write_all_data TO me",
        "SET ROLE root",
        "SET SESSION AUTHORIZATION root",
        "SET role TO root",
        "SELECT set_config('role', 'root', false)",
    ] {
        assert_eq!(kind(&me, sql), Err(ErrorKind::Forbidden), "{sql}");
    }
    for (sql, expected) in [
        ("CREATE ROLE me", ErrorKind::DuplicateObject),
        ("ALTER ROLE you NOLOGIN", ErrorKind::UnknownObject),
        ("DROP ROLE you", ErrorKind::UnknownObject),
        ("DROP ROLE root", ErrorKind::WrongState),
        ("GRANT you TO me", ErrorKind::UnknownObject),
        ("CREATE ROLE pg_mine", ErrorKind::InvalidName),
        ("CREATE ROLE \"a\nb\"", ErrorKind::InvalidName),
        ("CREATE ROLE x PASSWORD ''", ErrorKind::InvalidParameter),
        ("CREATE ROLE x PASSWORD 'md5d41d8cd98f00b204e9800998ecf8427e'", ErrorKind::InvalidParameter),
        ("SET ROLE you", ErrorKind::InvalidParameter),
    ] {
        assert_eq!(kind(&root, sql), Err(expected), "{sql}");
    }
    assert_eq!(kind(&root, "DROP ROLE IF EXISTS you"), Ok(()));
    // A superuser may be somebody else, and has then what that one may do.
    assert_eq!(kind(&root, "CREATE TABLE t (a int); SET ROLE me"), Ok(()));
    assert_eq!(kind(&root, "SELECT a FROM t"), Err(ErrorKind::Forbidden));
    assert_eq!(kind(&root, "RESET ROLE"), Ok(()));
    assert_eq!(kind(&root, "SELECT a FROM t"), Ok(()));
    // A verifier is taken as it is.
    let verifier = Verifier::of_password("three").expect("there is randomness");
    assert_eq!(kind(&root, &format!("ALTER ROLE me PASSWORD '{verifier}'")), Ok(()));
    assert_eq!(roles.verifier("me"), verifier);
    assert_eq!(kind(&root, "ALTER ROLE me PASSWORD NULL"), Ok(()));
    assert!(!roles.may_enter("me"));
    // Without roles there are none to make.
    let plain = Engine::builder().threads(1).build().expect("an engine starts");
    assert_eq!(kind(&plain.session(), "CREATE ROLE x"), Err(ErrorKind::WrongState));
    assert_eq!(kind(&plain.session(), "SET ROLE anybody; CREATE TABLE t (a int)"), Ok(()));
}

#[test]
fn files_are_for_who_may_and_where() {
    let engine = engine();
    let folder = std::env::temp_dir().join(format!("multiloop-roles-{}", std::process::id()));
    let (inside, outside) = (folder.join("in"), folder.join("out"));
    for folder in [&inside, &outside] {
        std::fs::create_dir_all(folder).expect("a folder can be made");
    }
    std::fs::write(inside.join("a.csv"), "x\n1\n").expect("a file can be written");
    std::fs::write(outside.join("a.csv"), "x\n1\n").expect("a file can be written");
    std::os::unix::fs::symlink(outside.join("a.csv"), inside.join("link.csv")).expect("a link can be made");
    std::os::unix::fs::symlink(outside.join("a.csv"), inside.join("st*r.csv")).expect("a link can be made");
    std::os::unix::fs::symlink(&outside, inside.join("folder")).expect("a link can be made");
    let root = engine.session();
    root.enter("root", Some([inside.clone()].into()));
    let from = |path: &std::path::Path| format!("SELECT x FROM '{}'", path.display());
    let to = |path: &std::path::Path| format!("COPY (SELECT 1 AS x) TO '{}'", path.display());
    assert_eq!(kind(&root, &from(&inside.join("a.csv"))), Ok(()));
    assert_eq!(kind(&root, &from(&inside.join("a*.csv"))), Ok(()));
    assert_eq!(kind(&root, &to(&inside.join("b.csv"))), Ok(()));
    for sql in [
        from(&outside.join("a.csv")),
        from(&outside.join("*.csv")),
        from(&inside.join("../out/a.csv")),
        from(&inside.join("*/../../out/a.csv")),
        from(&inside.join("link.csv")),
        from(&folder.join("*/a.csv")),
        from(&inside.join("*.csv")),
        from(&inside.join("st*r.csv")),
        from(&inside.join("f*/a.csv")),
        format!("SELECT * FROM read_csv(['{0}/a.csv', '{0}/l*.csv'])", inside.display()),
        format!("CREATE TABLE u (x int); COPY u FROM '{}/l*.csv'", inside.display()),
        "SELECT * FROM 'https://localhost/a.csv'".to_owned(),
        "SELECT * FROM 's3://bucket/*.csv'".to_owned(),
        "COPY (SELECT 1 AS x) TO 's3://bucket/a.csv'".to_owned(),
        "SELECT * FROM read_csv('-')".to_owned(),
        to(&outside.join("b.csv")),
        to(&inside.join("../out/b.csv")),
        to(&inside.join("link.csv")),
        "CREATE TABLE t (x int); COPY t FROM '/etc/hostname'".to_owned(),
    ] {
        assert_eq!(kind(&root, &sql), Err(ErrorKind::Forbidden), "{sql}");
    }
    assert_eq!(kind(&root, "CREATE ROLE me IN ROLE pg_write_all_data"), Ok(()));
    let me = entered(&engine, "me");
    assert_eq!(kind(&me, &from(&inside.join("a.csv"))), Err(ErrorKind::Forbidden));
    assert_eq!(kind(&me, &to(&inside.join("c.csv"))), Err(ErrorKind::Forbidden));
    assert_eq!(kind(&root, "GRANT pg_read_server_files TO me"), Ok(()));
    assert_eq!(kind(&me, &from(&inside.join("a.csv"))), Ok(()));
    assert_eq!(kind(&me, &to(&inside.join("c.csv"))), Err(ErrorKind::Forbidden));
    std::fs::remove_dir_all(&folder).expect("a folder can be removed");
}

#[test]
fn roles_outlive_their_engine() {
    let path = std::env::temp_dir().join(format!("multiloop-roles-{}.txt", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let roles = Roles::open(&path).expect("a file that is not there has no roles");
    assert!(!roles.has_superuser());
    roles.set_password("root", "secret", true).expect("the file can be written");
    let engine = Engine::builder().threads(1).roles(Arc::new(roles)).build().expect("an engine starts");
    let root = entered(&engine, "root");
    assert_eq!(kind(&root, "CREATE USER \"Me too\" PASSWORD 'x' IN ROLE pg_read_all_data"), Ok(()));
    let again = Roles::open(&path).expect("it is read");
    let of = |roles: &Roles| (roles.list(), roles.rights("Me too"), roles.has_superuser());
    assert_eq!(of(&again), of(engine.roles().expect("it has roles")));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("it is there").permissions());
    assert_eq!(mode & 0o777, 0o600);
    std::fs::write(&path, "nonsense").expect("a file can be written");
    assert_eq!(Roles::open(&path).map(drop).map_err(|error| error.kind()), Err(ErrorKind::DataCorrupted));
    std::fs::remove_file(&path).expect("a file can be removed");
}
