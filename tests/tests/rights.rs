//! Rights on tables and schemas: what each role may do, and in which words it is told that it may not.

use multiloop::{Engine, ErrorKind, Roles, Session};
use multiloop_tests::text_rows;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Statements of roles, in order, and what PostgreSQL 15 says to each: nothing, its error, or for a query its rows. `root` is a
/// superuser; `a` has all rights in schema `s`, which is its own.
const SCRIPT: &str = "
root: CREATE ROLE a; CREATE ROLE b; CREATE ROLE c; CREATE ROLE d IN ROLE c; CREATE ROLE reader IN ROLE pg_read_all_data
root: CREATE ROLE writer IN ROLE pg_write_all_data
root: CREATE SCHEMA s AUTHORIZATION a; CREATE SCHEMA hidden; CREATE TABLE hidden.h (x int)
root: CREATE TABLE p (x int PRIMARY KEY); INSERT INTO p VALUES (1)
a: CREATE TABLE s.t (x int PRIMARY KEY, y int); INSERT INTO s.t VALUES (1, 2)
a: CREATE TABLE public.mine (x int) => permission denied for schema public
a: CREATE SCHEMA other => permission denied for database d
a: CREATE TYPE s.mood AS ENUM ('good', 'bad')

a: SELECT x FROM p => permission denied for table p
a: SELECT count(*) FROM p WHERE false => permission denied for table p
a: SELECT 1 WHERE EXISTS (SELECT 1 FROM p) => permission denied for table p
a: INSERT INTO p VALUES (2) => permission denied for table p
a: INSERT INTO s.t SELECT x, x FROM p => permission denied for table p
a: CREATE TABLE s.copy AS SELECT x FROM p => permission denied for table p
a: COPY p TO STDOUT => permission denied for table p
a: COPY p FROM STDIN => permission denied for table p
a: COPY (SELECT x FROM p) TO STDOUT => permission denied for table p
a: TRUNCATE p => permission denied for table p
a: DROP TABLE p => must be owner of table p
a: ALTER TABLE p RENAME TO q => must be owner of table p
a: ALTER TABLE p RENAME COLUMN x TO z => must be owner of table p
a: ALTER TABLE p RENAME CONSTRAINT p_pkey TO z => must be owner of table p
a: ALTER TABLE p SET SCHEMA s => must be owner of table p
a: COMMENT ON TABLE p IS 'mine' => must be owner of table p
a: COMMENT ON COLUMN p.x IS 'mine' => must be owner of table p
a: COMMENT ON CONSTRAINT p_pkey ON p IS 'mine' => must be owner of table p
a: COMMENT ON INDEX p_pkey IS 'mine' => must be owner of index p_pkey
a: COMMENT ON SCHEMA public IS 'mine' => must be owner of schema public
a: CREATE INDEX ON p (x) => must be owner of table p
a: CREATE TABLE s.refers (x int REFERENCES p) => permission denied for table p
a: DROP SCHEMA hidden => must be owner of schema hidden
a: ALTER SCHEMA hidden RENAME TO seen => must be owner of schema hidden
a: SELECT x FROM hidden.h => permission denied for schema hidden
a: DROP TABLE hidden.h => permission denied for schema hidden
a: INSERT INTO hidden.h VALUES (1) => permission denied for schema hidden
a: GRANT SELECT ON p TO a => permission denied for table p
a: GRANT USAGE ON SCHEMA hidden TO a => permission denied for schema hidden
b: DROP TYPE s.mood => permission denied for schema s

root: GRANT SELECT, REFERENCES ON p TO a
a: SELECT x FROM p => 1
a: CREATE TABLE s.refers (x int REFERENCES p); INSERT INTO s.refers VALUES (1)
root: REVOKE SELECT ON p FROM a
a: INSERT INTO s.refers VALUES (1)
a: SELECT x FROM p => permission denied for table p
a: DROP TABLE s.refers
root: GRANT INSERT, TRUNCATE ON TABLE p TO b
b: INSERT INTO p VALUES (3)
b: SELECT x FROM p => permission denied for table p
b: TRUNCATE p; INSERT INTO p VALUES (1)

b: SELECT x FROM s.t => permission denied for schema s
a: GRANT SELECT ON s.t TO b
b: SELECT x FROM s.t => permission denied for schema s
a: GRANT USAGE ON SCHEMA s TO b
b: SELECT x FROM s.t => 1
b: SELECT * FROM s.t => 1,2
b: INSERT INTO s.t VALUES (3, 4) => permission denied for table t
b: CREATE TABLE s.u (x int) => permission denied for schema s
b: CREATE VIEW s.u AS SELECT 1 AS one => permission denied for schema s
b: CREATE TYPE s.u AS ENUM ('x') => permission denied for schema s
b: CREATE INDEX ON s.t (y) => must be owner of table t
b: DROP TYPE s.mood => must be owner of type mood
b: DROP INDEX s.t_pkey => must be owner of index t_pkey
a: GRANT CREATE ON SCHEMA s TO b
b: CREATE TABLE s.u (x int)
a: SELECT x FROM s.u => permission denied for table u
a: DROP TABLE s.u
b: SELECT 1 FROM s.u => relation \"s.u\" does not exist
a: REVOKE CREATE ON SCHEMA s FROM b

a: CREATE VIEW s.v AS SELECT y FROM s.t
c: SELECT y FROM s.v => permission denied for schema s
a: GRANT USAGE ON SCHEMA s TO PUBLIC; GRANT SELECT ON s.v TO c
c: SELECT y FROM s.v => 2
d: SELECT y FROM s.v => 2
c: SELECT y FROM s.t => permission denied for table t
b: SELECT y FROM s.v => permission denied for view v
c: DROP VIEW s.v => must be owner of view v
root: GRANT SELECT ON p TO a
a: CREATE VIEW s.of_p AS SELECT x FROM p; GRANT SELECT ON s.of_p TO c
c: SELECT x FROM s.of_p => 1
root: REVOKE SELECT ON p FROM a
c: SELECT x FROM s.of_p => permission denied for table p
root: SELECT x FROM s.of_p => permission denied for table p
a: DROP VIEW s.of_p
a: CREATE MATERIALIZED VIEW s.m AS SELECT y FROM s.t
c: SELECT y FROM s.m => permission denied for materialized view m
c: REFRESH MATERIALIZED VIEW s.m => must be owner of materialized view m
a: GRANT SELECT ON s.m TO c
c: SELECT y FROM s.m => 2
a: DROP MATERIALIZED VIEW s.m

reader: SELECT x, y FROM s.t => 1,2
reader: SELECT x FROM hidden.h =>
reader: INSERT INTO s.t VALUES (5, 6) => permission denied for table t
reader: TRUNCATE s.t => permission denied for table t
reader: CREATE TABLE public.own (x int) => permission denied for schema public
writer: INSERT INTO hidden.h VALUES (7)
writer: SELECT x FROM hidden.h => permission denied for table h
writer: TRUNCATE hidden.h => permission denied for table h
writer: DROP TABLE hidden.h => must be owner of table h

a: GRANT SELECT ON s.t TO c WITH GRANT OPTION
d: GRANT SELECT ON s.t TO writer
writer: SELECT x FROM s.t => 1
c: GRANT INSERT ON s.t TO writer
c: GRANT SELECT ON s.t TO PUBLIC WITH GRANT OPTION => grant options can only be granted to roles
a: REVOKE SELECT ON s.t FROM c => dependent privileges exist
a: REVOKE GRANT OPTION FOR SELECT ON s.t FROM c CASCADE
writer: SELECT x FROM s.t => permission denied for table t
c: SELECT x FROM s.t => 1
a: REVOKE ALL ON s.t FROM c
c: SELECT x FROM s.t => permission denied for table t
a: REVOKE ALL PRIVILEGES ON ALL TABLES IN SCHEMA s FROM b, c
b: SELECT x FROM s.t => permission denied for table t
a: REVOKE SELECT ON s.t FROM a
a: SELECT x FROM s.t => permission denied for table t
a: GRANT SELECT ON s.t TO a
a: SELECT x FROM s.t => 1

root: GRANT SELECT ON nowhere TO a => relation \"nowhere\" does not exist
root: GRANT SELECT ON p TO nobody => role \"nobody\" does not exist
root: GRANT USAGE ON SCHEMA nowhere TO a => schema \"nowhere\" does not exist
root: GRANT SELECT ON ALL TABLES IN SCHEMA nowhere TO a => schema \"nowhere\" does not exist
root: GRANT SELECT ON p_pkey TO a => \"p_pkey\" is an index
root: GRANT USAGE ON p TO a => invalid privilege type USAGE for relation
root: DROP ROLE a => role \"a\" cannot be dropped because some objects depend on it
root: DROP SCHEMA s CASCADE; DROP SCHEMA hidden CASCADE
root: REVOKE ALL ON p FROM a
root: DROP ROLE a
root: DROP ROLE b => role \"b\" cannot be dropped because some objects depend on it
root: DROP TABLE p
root: DROP ROLE b; DROP ROLE c; DROP ROLE d; DROP ROLE reader; DROP ROLE writer
";

fn engine() -> Engine {
    let roles = Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "secret", true).expect("a role can be made");
    Engine::builder().threads(2).roles(Arc::new(roles)).build().expect("an engine starts")
}

fn entered(engine: &Engine, role: &str) -> Session {
    let session = engine.session();
    session.set_database("d");
    session.enter(role, None);
    session
}

/// The rows of a script's last statement, or its error.
fn said(session: &Session, sql: &str) -> String {
    let rows = match sql.starts_with("COPY ") {
        // COPY with a client.
        true => session.prepare(sql).and_then(|copy| session.run(&copy, &[])).map(|_| Vec::new()),
        false => session.sql(sql).and_then(text_rows),
    };
    match rows {
        Ok(rows) => rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join(" "),
        Err(error) => error.message().to_owned(),
    }
}

#[track_caller]
fn check(session: &Session, sql: &str, expected: &str) {
    assert_eq!(said(session, sql), expected, "{sql}");
}

#[test]
fn each_role_may_what_it_is_given() {
    let engine = engine();
    let mut sessions = BTreeMap::new();
    for line in SCRIPT.lines().filter(|line| !line.is_empty()) {
        let (role, rest) = line.split_once(": ").expect("a role says something");
        let (sql, expected) = rest.split_once(" =>").unwrap_or((rest, ""));
        let session = sessions.entry(role).or_insert_with(|| entered(&engine, role));
        assert_eq!(said(session, sql), expected.trim_start(), "{line}");
        if expected.starts_with(" permission") || expected.starts_with(" must") {
            let error = session.prepare(sql).and_then(|prepared| session.run(&prepared, &[]).map(drop));
            assert_eq!(error.map_err(|error| error.kind()), Err(ErrorKind::Forbidden), "{line}");
        }
    }
}
