//! Rights on tables and schemas: what each role may do, and in which words it is told that it may not.

use multiloop::{Engine, ErrorKind, Roles, Row, Session};
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
a: ALTER TABLE p ADD COLUMN z int => must be owner of table p
a: ALTER TABLE p DROP COLUMN x => must be owner of table p
a: ALTER TABLE p OWNER TO a => must be owner of table p
a: REINDEX TABLE p => must be owner of table p
a: ALTER TABLE p SET SCHEMA s => must be owner of table p
a: COMMENT ON TABLE p IS 'mine' => must be owner of table p
a: COMMENT ON COLUMN p.x IS 'mine' => must be owner of relation p
a: COMMENT ON CONSTRAINT p_pkey ON p IS 'mine' => must be owner of relation p
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
a: CREATE SEQUENCE s.q; CREATE TABLE s.own (id serial, i int GENERATED ALWAYS AS IDENTITY, v int)
b: SELECT nextval('s.q') => permission denied for sequence q
b: SELECT * FROM s.q => permission denied for sequence q
b: DROP SEQUENCE s.q => must be owner of sequence q
b: ALTER SEQUENCE s.q RESTART => must be owner of sequence q
a: GRANT USAGE ON SEQUENCE s.q TO b
b: SELECT nextval('s.q') => 1
b: SELECT currval('s.q') => 1
b: SELECT lastval() => 1
b: SELECT setval('s.q', 5) => permission denied for sequence q
b: SELECT last_value FROM s.q => permission denied for sequence q
b: SELECT has_sequence_privilege('s.q', 'USAGE'), has_sequence_privilege('s.q', 'UPDATE') => t,f
a: REVOKE USAGE ON SEQUENCE s.q FROM b; GRANT SELECT, UPDATE ON s.q TO b
b: SELECT nextval('s.q'), setval('s.q', 7) => 2,7
b: SELECT last_value FROM s.q => 7
a: REVOKE ALL ON ALL SEQUENCES IN SCHEMA s FROM b
b: SELECT nextval('s.q') => permission denied for sequence q
b: SELECT currval('s.q') => permission denied for sequence q
b: SELECT lastval() => permission denied for sequence q
a: GRANT DELETE ON s.q TO b
a: GRANT DELETE ON SEQUENCE s.q TO b => invalid privilege type DELETE for sequence
a: GRANT INSERT ON s.own TO b
b: INSERT INTO s.own (v) VALUES (1) => permission denied for sequence own_id_seq
b: INSERT INTO s.own (id, v) VALUES (9, 1)
a: SELECT id, i, v FROM s.own => 9,1,1
a: DROP SEQUENCE s.q; DROP TABLE s.own
b: CREATE TABLE s.u (x int) => permission denied for schema s
b: CREATE VIEW s.u AS SELECT 1 AS one => permission denied for schema s
b: CREATE TYPE s.u AS ENUM ('x') => permission denied for schema s
b: CREATE INDEX ON s.t (y) => must be owner of table t
b: DROP TYPE s.mood => must be owner of type s.mood
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
a: CREATE TABLE s.w (x int PRIMARY KEY, y int); INSERT INTO s.w VALUES (1, 1); CREATE VIEW s.wv AS SELECT x, y FROM s.w WHERE x < 9
b: INSERT INTO s.wv VALUES (2, 2) => permission denied for view wv
a: GRANT INSERT, DELETE ON s.wv TO b
b: INSERT INTO s.wv VALUES (2, 2)
b: INSERT INTO s.w VALUES (3, 3) => permission denied for table w
b: INSERT INTO s.wv VALUES (4, 2) RETURNING x => permission denied for view wv
b: UPDATE s.wv SET y = 1 => permission denied for view wv
b: DELETE FROM s.wv WHERE x = 2 => permission denied for view wv
a: GRANT SELECT ON s.wv TO b
b: DELETE FROM s.wv WHERE x = 2
b: MERGE INTO s.w USING (SELECT 1 AS k) q ON x = k WHEN MATCHED THEN UPDATE SET y = 5 => permission denied for table w
a: GRANT SELECT, UPDATE ON s.w TO b
b: MERGE INTO s.w USING (SELECT 1 AS k) q ON x = k WHEN MATCHED THEN UPDATE SET y = 5
b: MERGE INTO s.w USING (SELECT 1 AS k) q ON x = k WHEN MATCHED THEN DELETE => permission denied for table w
b: MERGE INTO s.w USING (SELECT 1 AS k) q ON x = k WHEN NOT MATCHED THEN INSERT VALUES (k) => permission denied for table w
b: WITH d AS (DELETE FROM s.w RETURNING x) SELECT x FROM d => permission denied for table w
b: WITH u AS (UPDATE s.w SET y = 6 RETURNING y) SELECT y FROM u => 6
root: ALTER TABLE s.w OWNER TO root
b: INSERT INTO s.wv VALUES (7, 7) => permission denied for table w
root: DROP VIEW s.wv; DROP TABLE s.w

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

root: CREATE TABLE numbered (i serial, x int); ALTER TABLE numbered OWNER TO c
root: ALTER TABLE numbered ADD COLUMN k int GENERATED ALWAYS AS IDENTITY
root: SELECT relname FROM pg_class WHERE relowner = 'c'::regrole ORDER BY 1 => numbered numbered_i_seq numbered_k_seq
root: ALTER SEQUENCE numbered_i_seq OWNER TO a => cannot change owner of sequence \"numbered_i_seq\"
root: ALTER TABLE numbered_i_seq OWNER TO a => cannot change owner of sequence \"numbered_i_seq\"
root: ALTER TABLE numbered_i_seq OWNER TO c
d: SELECT nextval('numbered_i_seq') => 1
d: INSERT INTO numbered (x) VALUES (1); SELECT i, k FROM numbered => 2,1
a: SELECT nextval('numbered_i_seq') => permission denied for sequence numbered_i_seq
root: DROP TABLE numbered

root: GRANT SELECT ON nowhere TO a => relation \"nowhere\" does not exist
root: GRANT SELECT ON p TO nobody => role \"nobody\" does not exist
root: GRANT USAGE ON SCHEMA nowhere TO a => schema \"nowhere\" does not exist
root: GRANT SELECT ON ALL TABLES IN SCHEMA nowhere TO a => schema \"nowhere\" does not exist
root: GRANT SELECT ON p_pkey TO a => \"p_pkey\" is an index
root: GRANT USAGE ON p TO a => invalid privilege type USAGE for table
root: DROP ROLE a => role \"a\" cannot be dropped because some objects depend on it
root: DROP SCHEMA s CASCADE; DROP SCHEMA hidden CASCADE
root: REVOKE ALL ON p FROM a
root: DROP ROLE a
root: DROP ROLE b => role \"b\" cannot be dropped because some objects depend on it
root: DROP TABLE p
root: DROP ROLE b; DROP ROLE c; DROP ROLE d; DROP ROLE reader; DROP ROLE writer
";

/// What psql 15 asks for `\\dp`.
const PRIVILEGES: &str = "SELECT n.nspname as \"Schema\",
  c.relname as \"Name\",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END as \"Type\",
  pg_catalog.array_to_string(c.relacl, E'\\n') AS \"Access privileges\",
  pg_catalog.array_to_string(ARRAY(
    SELECT attname || E':\\n  ' || pg_catalog.array_to_string(attacl, E'\\n  ')
    FROM pg_catalog.pg_attribute a
    WHERE attrelid = c.oid AND NOT attisdropped AND attacl IS NOT NULL
  ), E'\\n') AS \"Column privileges\",
  pg_catalog.array_to_string(ARRAY(
    SELECT polname
    || CASE WHEN NOT polpermissive THEN
       E' (RESTRICTIVE)'
       ELSE '' END
    || CASE WHEN polcmd != '*' THEN
           E' (' || polcmd::pg_catalog.text || E'):'
       ELSE E':'
       END
    || CASE WHEN polqual IS NOT NULL THEN
           E'\\n  (u): ' || pg_catalog.pg_get_expr(polqual, polrelid)
       ELSE E''
       END
    || CASE WHEN polwithcheck IS NOT NULL THEN
           E'\\n  (c): ' || pg_catalog.pg_get_expr(polwithcheck, polrelid)
       ELSE E''
       END    || CASE WHEN polroles <> '{0}' THEN
           E'\\n  to: ' || pg_catalog.array_to_string(
               ARRAY(
                   SELECT rolname
                   FROM pg_catalog.pg_roles
                   WHERE oid = ANY (polroles)
                   ORDER BY 1
               ), E', ')
       ELSE E''
       END
    FROM pg_catalog.pg_policy pol
    WHERE polrelid = c.oid), E'\\n')
    AS \"Policies\"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r','v','m','S','f','p')
  AND n.nspname !~ '^pg_' AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1, 2";

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

/// The same of functions.
const FUNCTIONS: &str = "
root: CREATE ROLE a; CREATE ROLE b; CREATE SCHEMA s AUTHORIZATION a
root: CREATE TABLE p (x int); INSERT INTO p VALUES (1), (2)
root: CREATE FUNCTION total() RETURNS bigint LANGUAGE SQL AS 'SELECT sum(x) FROM p'
root: CREATE FUNCTION given() RETURNS SETOF int LANGUAGE SQL SECURITY DEFINER AS 'SELECT x FROM p'
root: CREATE FUNCTION twofold() RETURNS bigint LANGUAGE SQL SECURITY DEFINER AS 'SELECT total()'
root: CREATE VIEW seen AS SELECT total() AS t; CREATE VIEW shown AS SELECT twofold() AS t; GRANT SELECT ON seen, shown TO a
a: CREATE FUNCTION mine() RETURNS int RETURN 1 => permission denied for schema public
a: CREATE FUNCTION s.one() RETURNS int RETURN 1; SELECT s.one() => 1
a: SELECT total() => permission denied for table p
a: SELECT count(*) FROM given() => 2
a: SELECT twofold() => 3
a: SELECT t FROM seen => permission denied for table p
a: SELECT t FROM shown => 3
b: SELECT s.one() => permission denied for schema s
a: GRANT USAGE ON SCHEMA s TO b
b: SELECT s.one() => 1
b: DROP FUNCTION s.one() => must be owner of function s.one
b: CREATE OR REPLACE FUNCTION s.one() RETURNS int RETURN 2 => permission denied for schema s
b: ALTER FUNCTION s.one() RENAME TO two => must be owner of function one
b: COMMENT ON FUNCTION s.one() IS 'mine' => must be owner of function s.one
a: SELECT proacl FROM pg_proc WHERE proname = 'one' => NULL
a: REVOKE EXECUTE ON FUNCTION s.one() FROM PUBLIC
a: SELECT proacl FROM pg_proc WHERE proname = 'one' => {a=X/a}
b: SELECT s.one() => permission denied for function one
b: SELECT has_function_privilege('s.one()', 'EXECUTE') => f
a: GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA s TO b
b: SELECT s.one() => 1
b: SELECT has_function_privilege('s.one()', 'EXECUTE') => t
a: SELECT proacl FROM pg_proc WHERE proname = 'one' => {a=X/a,b=X/a}
a: GRANT SELECT ON FUNCTION s.one() TO b => invalid privilege type SELECT for function
root: CREATE FUNCTION puts(k int) RETURNS bigint LANGUAGE SQL AS 'INSERT INTO p VALUES (k); SELECT count(*) FROM p'
root: CREATE FUNCTION lets_put(k int) RETURNS bigint LANGUAGE SQL SECURITY DEFINER AS 'INSERT INTO p VALUES (k); SELECT count(*) FROM p'
root: CREATE FUNCTION lets_do(k int) RETURNS bigint LANGUAGE SQL SECURITY DEFINER AS 'SELECT 1; SELECT puts(k)'
a: SELECT puts(50) => permission denied for table p
a: SELECT lets_put(50) > 1 => t
a: SELECT lets_do(51) > 1 => t
a: INSERT INTO p VALUES (52) => permission denied for table p
root: CREATE PROCEDURE drops(k int) LANGUAGE SQL AS 'DELETE FROM p WHERE x = k'
root: CREATE PROCEDURE lets_drop(k int) LANGUAGE SQL SECURITY DEFINER AS 'DELETE FROM p WHERE x = k'
a: CALL drops(50) => permission denied for table p
a: CALL lets_drop(50); CALL lets_drop(51)
root: REVOKE EXECUTE ON PROCEDURE lets_drop(int) FROM PUBLIC
a: CALL lets_drop(50) => permission denied for procedure lets_drop
a: DROP PROCEDURE lets_drop => must be owner of procedure lets_drop
root: GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA public TO a
a: CALL lets_drop(50)
root: SELECT count(*) FROM p WHERE x >= 50 => 0
root: REVOKE ALL ON FUNCTION given FROM PUBLIC
a: SELECT * FROM given() => permission denied for function given
root: ALTER FUNCTION given() OWNER TO a
a: SELECT * FROM given() => permission denied for table p
";

#[test]
fn functions_are_called_by_whom_they_may_be() {
    let engine = engine();
    let mut sessions = BTreeMap::new();
    for line in FUNCTIONS.lines().filter(|line| !line.is_empty()) {
        let (role, rest) = line.split_once(": ").expect("a role says something");
        let (sql, expected) = rest.split_once(" =>").unwrap_or((rest, ""));
        let session = sessions.entry(role).or_insert_with(|| entered(&engine, role));
        assert_eq!(said(session, sql), expected.trim_start(), "{line}");
    }
}

#[test]
fn typed_tables_need_the_right_to_read_them() {
    #[derive(Row, Debug)]
    struct P {
        x: i32,
    }
    let engine = engine();
    let (root, a) = (entered(&engine, "root"), entered(&engine, "a"));
    root.sql("CREATE ROLE a; CREATE TABLE p (x int); INSERT INTO p VALUES (7); CREATE VIEW v AS SELECT x FROM p")
        .expect("root may");
    for (name, kind) in [("p", "table"), ("v", "view")] {
        let error = a.rows_in::<P>(name).map(drop).expect_err("nobody has granted it");
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Forbidden, &*format!("permission denied for {kind} {name}"))
        );
        root.sql(&format!("GRANT SELECT ON {name} TO a")).expect("root may");
        let rows = a.rows_in::<P>(name).and_then(|rows| rows.collect()).expect("it is granted");
        assert_eq!(rows.iter().map(|row| row.x).collect::<Vec<_>>(), [7]);
    }
    // Within a transaction, one that fails ends it, as a statement does that fails.
    a.sql("BEGIN").expect("it begins");
    assert_eq!(a.rows_in::<P>("nothing").map(drop).map_err(|error| error.sqlstate()), Err("42P01"));
    assert_eq!(a.rows_in::<P>("p").map(drop).map_err(|error| error.sqlstate()), Err("25P02"));
    a.sql("ROLLBACK").expect("it ends");
}

#[test]
fn plans_are_asked_again() {
    let engine = engine();
    let (root, a) = (entered(&engine, "root"), entered(&engine, "a"));
    let grant =
        "CREATE ROLE a; CREATE ROLE owner; CREATE TABLE t (x int); INSERT INTO t VALUES (1); GRANT SELECT ON t TO a";
    check(&root, grant, "");
    let kind = |session: &Session, prepared: &multiloop::Prepared| {
        let rows = prepared.execute(session, &[]).and_then(text_rows);
        rows.map(|rows| rows.len()).map_err(|error| error.kind())
    };
    let prepared = a.prepare("SELECT x FROM t").expect("it may read");
    let of_root = root.prepare("SELECT x FROM t").expect("it may read");
    assert_eq!((kind(&a, &prepared), kind(&root, &of_root)), (Ok(1), Ok(1)));
    check(&root, "REVOKE SELECT ON t FROM a", "");
    assert_eq!((kind(&a, &prepared), kind(&root, &of_root)), (Err(ErrorKind::Forbidden), Ok(1)));
    check(&root, "GRANT pg_read_all_data TO a", "");
    assert_eq!(kind(&a, &prepared), Ok(1));
    check(&root, "REVOKE pg_read_all_data FROM a; GRANT SELECT ON t TO PUBLIC", "");
    assert_eq!(kind(&a, &prepared), Ok(1));
    // Somebody else acts.
    check(&root, "REVOKE SELECT ON t FROM PUBLIC; SET ROLE a", "");
    assert_eq!(kind(&root, &of_root), Err(ErrorKind::Forbidden));
    check(&root, "RESET ROLE", "");
    assert_eq!(kind(&root, &of_root), Ok(1));
    check(&root, "SET SESSION AUTHORIZATION a", "");
    assert_eq!(kind(&root, &of_root), Err(ErrorKind::Forbidden));
    check(&root, "SET SESSION AUTHORIZATION DEFAULT", "");
    // What a program loads for somebody is that one's.
    let batches = || root.sql("SELECT 1 AS x").and_then(|rows| rows.collect_batches()).expect("a batch");
    let loaded = |name: &str| a.register(name, batches()).map_err(|error| error.message().to_owned());
    assert_eq!(loaded("t"), Err("must be owner of table t".to_owned()));
    assert_eq!(loaded("u"), Err("permission denied for schema public".to_owned()));
    // A view's owner loses what it reads by.
    check(&root, "GRANT CREATE ON SCHEMA public TO owner; GRANT SELECT ON t TO owner; GRANT owner TO a", "");
    check(&a, "SET ROLE owner; CREATE VIEW v AS SELECT x FROM t; RESET ROLE", "");
    let through = a.prepare("SELECT x FROM v").expect("it may read");
    assert_eq!(kind(&a, &through), Ok(1));
    check(&root, "REVOKE SELECT ON t FROM owner", "");
    assert_eq!(kind(&a, &through), Err(ErrorKind::Forbidden));
    check(&root, "GRANT SELECT ON t TO owner; REVOKE owner FROM a", "");
    assert_eq!(kind(&a, &through), Err(ErrorKind::Forbidden));
    check(&a, "SET ROLE owner", "permission denied to set role \"owner\"");
    // A schema that may not be used is not looked into.
    check(&root, "CREATE SCHEMA s; CREATE TABLE s.lonely (x int); GRANT SELECT ON s.lonely TO a", "");
    check(&a, "SET search_path = s, public; SELECT x FROM lonely", "relation \"lonely\" does not exist");
    check(&root, "GRANT USAGE ON SCHEMA s TO a", "");
    check(&a, "SELECT x FROM lonely", "");
}

#[test]
fn what_is_granted_is_of_the_transaction() {
    let engine = engine();
    let (root, other, a) = (entered(&engine, "root"), entered(&engine, "root"), entered(&engine, "a"));
    let denied = "permission denied for table t";
    check(&root, "CREATE ROLE a; CREATE TABLE t (x int); BEGIN; GRANT SELECT ON t TO a", "");
    check(&a, "SELECT x FROM t", denied);
    check(&root, "ROLLBACK; SELECT relacl FROM pg_class WHERE relname = 't'", "NULL");
    check(&root, "BEGIN; GRANT SELECT ON t TO a; GRANT CREATE ON SCHEMA public TO a; COMMIT", "");
    check(&a, "SELECT x FROM t; CREATE TABLE own (x int)", "");
    // The second of two that change one thing.
    check(&root, "BEGIN; REVOKE ALL ON t FROM a", "");
    check(&other, "GRANT INSERT ON t TO a", "");
    check(&root, "COMMIT", "could not serialize access due to concurrent update of \"public.t\"");
    check(&root, "BEGIN; REVOKE ALL ON SCHEMA public FROM a", "");
    check(&other, "REVOKE CREATE ON SCHEMA public FROM a", "");
    check(&root, "COMMIT", "could not serialize access due to concurrent update of \"public\"");
    check(&root, "SET default_transaction_read_only = on; GRANT SELECT ON t TO a", {
        "cannot change tables in a read-only transaction"
    });
}

#[test]
fn catalogs_show_rights() {
    let engine = engine();
    let (root, a) = (entered(&engine, "root"), entered(&engine, "a"));
    check(
        &root,
        "CREATE ROLE a; CREATE ROLE \"B b\" IN ROLE a; CREATE SCHEMA s AUTHORIZATION a; CREATE TABLE t (x int)",
        "",
    );
    check(&a, "CREATE TABLE s.t (x int)", "");
    check(&root, "GRANT SELECT ON t TO a WITH GRANT OPTION; GRANT SELECT, INSERT ON t TO \"B b\", PUBLIC", "");
    check(&a, "GRANT USAGE ON SCHEMA s TO PUBLIC", "");
    let class = "SELECT n.nspname, pg_get_userbyid(c.relowner), c.relacl FROM pg_class c \
                 JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 't' ORDER BY 1";
    check(&a, class, "public,root,{root=arwdDxt/root,a=r*/root,\"\\\"B b\\\"=ar/root\",=ar/root} s,a,NULL");
    let namespaces =
        "SELECT nspname, pg_get_userbyid(nspowner), nspacl FROM pg_namespace WHERE nspname IN ('s', 'public')";
    check(
        &a,
        &format!("{namespaces} ORDER BY 1"),
        "public,pg_database_owner,{pg_database_owner=UC/pg_database_owner,=U/pg_database_owner} s,a,{a=UC/a,=U/a}",
    );
    for (sql, expected) in [
        ("has_table_privilege('t', 'SELECT')", "t"),
        ("has_table_privilege('t', 'select with grant option')", "t"),
        ("has_table_privilege('t', 'INSERT WITH GRANT OPTION')", "f"),
        ("has_table_privilege('t', 'DELETE')", "f"),
        ("has_table_privilege('public.t', 'SELECT')", "t"),
        ("has_table_privilege('d.public.t', 'SELECT')", "t"),
        ("has_table_privilege('nowhere', 'SELECT')", "relation \"nowhere\" does not exist"),
        ("has_table_privilege('nobody', 't', 'SELECT')", "role \"nobody\" does not exist"),
        ("has_table_privilege('t', 'USAGE')", "unrecognized privilege type: \"USAGE\""),
        ("has_schema_privilege('nowhere', 'USAGE')", "schema \"nowhere\" does not exist"),
        ("has_schema_privilege('s', 'CREATE, nonsense')", "unrecognized privilege type: \"NONSENSE\""),
        ("has_table_privilege(NULL, 'SELECT')", "NULL"),
        ("has_table_privilege('t', 'DELETE, SELECT')", "t"),
        ("has_table_privilege('s.t', 'DELETE')", "t"),
        ("has_table_privilege('root', 's.t', 'DELETE')", "t"),
        ("has_table_privilege('B b', 's.t', 'DELETE')", "t"),
        ("has_table_privilege('B b', 't', 'TRUNCATE')", "f"),
        ("has_table_privilege(current_user, 't'::regclass, 'SELECT')", "t"),
        ("has_table_privilege(1259, 'SELECT')", "t"),
        ("has_table_privilege('pg_class', 'INSERT')", "f"),
        ("has_table_privilege(7, 'SELECT')", "NULL"),
        ("has_column_privilege('t', 'x', 'SELECT')", "t"),
        ("has_column_privilege('t', 'x', 'UPDATE')", "f"),
        ("has_any_column_privilege('t', 'UPDATE')", "f"),
        ("has_schema_privilege('s', 'CREATE')", "t"),
        ("has_schema_privilege('public', 'CREATE')", "f"),
        ("has_schema_privilege('public', 'USAGE')", "t"),
        ("has_schema_privilege('root', 'public', 'CREATE')", "t"),
        ("has_schema_privilege('pg_catalog', 'USAGE')", "t"),
        ("has_database_privilege('d', 'CONNECT')", "t"),
        ("has_database_privilege(current_database(), 'CREATE')", "f"),
        ("has_database_privilege('root', 'd', 'CREATE')", "t"),
        ("pg_has_role('a', 'MEMBER')", "t"),
        ("pg_has_role('root', 'MEMBER')", "f"),
        ("pg_has_role('B b', 'a', 'USAGE')", "t"),
        ("pg_has_role('a', 'B b', 'USAGE')", "f"),
        ("pg_has_role('root', 'a', 'USAGE')", "t"),
    ] {
        check(&a, &format!("SELECT {sql}"), expected);
    }
    check(&a, PRIVILEGES, "public,t,table,root=arwdDxt/root\na=r*/root\n\"B b\"=ar/root\n=ar/root,,");
    let readable =
        "SELECT count(*) FROM pg_class c WHERE relkind = 'r' AND oid >= 16384 AND has_table_privilege(oid, 'SELECT')";
    check(&a, readable, "2");
    // Of rows the same as of constants.
    let of_rows = "SELECT bool_and(has_table_privilege(r.rolname, c.oid, 'SELECT') IN (true, r.rolname = 'x')) \
                   FROM pg_class c, pg_roles r WHERE c.relname = 't' AND r.rolname IN ('a', 'B b')";
    check(&a, of_rows, "t");
    let of_rows = "SELECT n.nspname FROM pg_namespace n WHERE has_schema_privilege(n.oid, 'CREATE') ORDER BY 1";
    check(&a, of_rows, "s");
    let of_rows = "SELECT r.rolname FROM pg_roles r WHERE pg_has_role(r.oid, 'MEMBER') ORDER BY 1";
    check(&a, of_rows, "a");
    let grants = "SELECT grantor, grantee, table_schema, privilege_type, is_grantable FROM information_schema";
    let of_t = "WHERE table_name = 't' AND grantee <> 'root' ORDER BY 3, 2, 4";
    check(
        &a,
        &format!("{grants}.table_privileges {of_t}"),
        "root,PUBLIC,public,INSERT,NO root,PUBLIC,public,SELECT,NO root,a,public,SELECT,YES a,a,s,DELETE,YES a,a,s,INSERT,YES \
         a,a,s,REFERENCES,YES a,a,s,SELECT,YES a,a,s,TRIGGER,YES a,a,s,TRUNCATE,YES a,a,s,UPDATE,YES",
    );
    let of_t = "WHERE table_name = 't' AND table_schema = 'public' AND privilege_type = 'SELECT' ORDER BY 2";
    check(&a, &format!("{grants}.role_table_grants {of_t}"), "root,a,public,SELECT,YES");
}

#[test]
fn who_may_give_a_part_is_told() {
    let engine = engine();
    let (root, a) = (entered(&engine, "root"), entered(&engine, "a"));
    check(&root, "CREATE ROLE a; CREATE TABLE t (x int); GRANT SELECT ON t TO a WITH GRANT OPTION", "");
    check(&root, "GRANT INSERT ON t TO a", "");
    let notices = |sql: &str| {
        let result = a.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let notices = result.notices().iter().map(|notice| format!("{} {}", notice.sqlstate, notice.message));
        (result.tag().map(str::to_owned), notices.collect::<Vec<_>>().join(" "))
    };
    let said = |tag: &str, notice: &str| (Some(tag.to_owned()), notice.to_owned());
    for (sql, tag, notice) in [
        ("GRANT SELECT, INSERT ON t TO PUBLIC", "GRANT", "01007 not all privileges were granted for \"t\""),
        ("GRANT INSERT ON t TO PUBLIC", "GRANT", "01007 no privileges were granted for \"t\""),
        ("REVOKE INSERT ON t FROM PUBLIC", "REVOKE", "01006 no privileges could be revoked for \"t\""),
        ("GRANT ALL ON t TO PUBLIC", "GRANT", ""),
        ("REVOKE ALL ON t FROM PUBLIC", "REVOKE", ""),
    ] {
        assert_eq!(notices(sql), said(tag, notice), "{sql}");
    }
}

#[test]
fn without_roles_all_may_be_done() {
    let session = Engine::builder().threads(1).build().expect("an engine starts").session();
    check(
        &session,
        "CREATE TABLE t (x int); SELECT relacl, pg_get_userbyid(relowner) FROM pg_class WHERE relname = 't'",
        "NULL,postgres",
    );
    check(&session, "SELECT has_table_privilege('t', 'INSERT'), has_schema_privilege('public', 'CREATE')", "t,t");
    check(&session, "SELECT pg_has_role('postgres', 'USAGE'), has_table_privilege('postgres', 't', 'DELETE')", "t,t");
    check(&session, "GRANT SELECT ON t TO PUBLIC; SELECT relacl FROM pg_class WHERE relname = 't'", {
        "{postgres=arwdDxt/postgres,=r/postgres}"
    });
    check(&session, "GRANT SELECT ON t TO a", "role \"a\" does not exist");
    check(&session, "CREATE SCHEMA s AUTHORIZATION a", "role \"a\" does not exist");
    check(&session, "CREATE SCHEMA AUTHORIZATION postgres; DROP SCHEMA postgres", "");
}
