//! UPDATE, DELETE, RETURNING and ON CONFLICT.

use super::*;
use crate::catalog::Right;
use crate::error::ErrorKind;
use crate::sql::{Change, ChangeKind, Conflict, ExplainKind};

fn change(sql: &str) -> Change {
    match bind_one(sql) {
        Ok(Statement::Change(change)) => {
            check_columns(&change.query.relation, &mut Vec::new());
            *change
        }
        other => panic!("no change: {sql}: {other:?}"),
    }
}

/// Names and types of a query's output.
fn output_of(query: &Query) -> String {
    let columns = query.output.iter().map(|(name, id)| format!("{name} {}", query.columns.get(*id).data_type));
    columns.collect::<Vec<_>>().join(", ")
}

/// The columns that an UPDATE sets, and its output.
fn updated(sql: &str) -> (Vec<usize>, String) {
    let change = change(sql);
    let ChangeKind::Update { columns, .. } = &change.kind else { panic!("no update: {sql}") };
    (columns.clone(), output_of(&change.query))
}

fn conflict(sql: &str) -> Conflict {
    match change(sql).kind {
        ChangeKind::Insert { conflict: Some(conflict), .. } => conflict,
        other => panic!("no conflict: {sql}: {other:?}"),
    }
}

#[test]
fn update_gives_numbers_and_new_values() {
    let cases: [(&str, &[usize], &str); 15] = [
        ("UPDATE t SET a = 1", &[0], "row number bigint, a integer"),
        ("UPDATE ONLY t SET a = 1", &[0], "row number bigint, a integer"),
        ("UPDATE ONLY (public.t) AS x SET a = x.a + 1", &[0], "row number bigint, a integer"),
        ("UPDATE t * x SET a = '1'", &[0], "row number bigint, a integer"),
        ("UPDATE t SET c = 1, b = b || 'x' WHERE a > 3", &[2, 1], "row number bigint, c decimal(10,2), b text"),
        ("UPDATE t SET (c, a) = (DEFAULT, 2)", &[2, 0], "row number bigint, c decimal(10,2), a integer"),
        ("UPDATE t SET (c, a) = ROW(1, (DEFAULT))", &[2, 0], "row number bigint, c decimal(10,2), a integer"),
        ("UPDATE t SET (a) = ROW(1), b = DEFAULT", &[0, 1], "row number bigint, a integer, b text"),
        (
            "UPDATE t SET (a, b) = (SELECT w.a, w.b FROM w WHERE w.a = t.a), c = 2",
            &[0, 1, 2],
            "row number bigint, a integer, b text, c decimal(10,2)",
        ),
        ("UPDATE t SET a = (SELECT a FROM w) FROM u WHERE u.a = t.a", &[0], "row number bigint, a integer"),
        ("UPDATE t SET (a, b) = (VALUES (1, 'x'))", &[0, 1], "row number bigint, a integer, b text"),
        ("UPDATE t SET (a) = (SELECT max(a) FROM w)", &[0], "row number bigint, a integer"),
        ("WITH x AS (SELECT 1 AS n) UPDATE t SET a = n FROM x", &[0], "row number bigint, a integer"),
        ("WITH t AS (SELECT 1 AS n) UPDATE t SET a = (SELECT n FROM t)", &[0], "row number bigint, a integer"),
        ("UPDATE \"Mixed\" SET \"X\" = 3", &[0], "row number bigint, X integer"),
    ];
    for (sql, columns, output) in cases {
        assert_eq!(updated(sql), (columns.to_vec(), output.to_owned()), "{sql}");
        assert_eq!(change(sql).returning, None, "{sql}");
    }
    let changed = change("UPDATE public.t SET a = 1 WHERE b = 'x'");
    assert_eq!(changed.table, TableName { schema: Some("public".to_owned()), name: "t".to_owned() });
    assert_eq!(shape(&changed.query), "Project 2(Project 5(Filter(Scan t)))");
}

#[test]
fn returning_means_the_row_as_it_will_be() {
    let returned = |sql: &str| {
        let change = change(sql);
        let count = change.returning.expect("RETURNING");
        let fields = change.returned_fields().expect("RETURNING");
        assert_eq!(fields.len(), count, "{sql}");
        fields.iter().map(|field| format!("{} {}", field.name, field.data_type)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(returned("UPDATE t SET a = 1 RETURNING *"), "a integer, b text, c decimal(10,2)");
    assert_eq!(
        returned("UPDATE t AS x SET a = 1 FROM u WHERE u.a = x.a RETURNING x.*, d AS day, u.a + 1"),
        "a integer, b text, c decimal(10,2), day date, ?column? bigint"
    );
    assert_eq!(
        returned("DELETE FROM t USING u WHERE u.a = t.a RETURNING *"),
        "a integer, b text, c decimal(10,2), a bigint, d date"
    );
    assert_eq!(returned("DELETE FROM t RETURNING (SELECT max(d) FROM u), b"), "max date, b text");
    assert_eq!(returned("INSERT INTO t (b) VALUES ('x') RETURNING b, *"), "b text, a integer, b text, c decimal(10,2)");
    assert_eq!(returned("INSERT INTO t AS x (a) SELECT 1 FROM u RETURNING x.a AS q"), "q integer");
    assert_eq!(returned("INSERT INTO k DEFAULT VALUES RETURNING c || 'x' AS y"), "y text");
    assert_eq!(returned("INSERT INTO t (VALUES (1)) RETURNING a"), "a integer");
    assert_eq!(
        returned("WITH x AS (SELECT 1 AS n) INSERT INTO t SELECT n FROM x RETURNING (SELECT n FROM x)"),
        "n integer"
    );
    // What is set is computed once, and RETURNING reads it.
    let changed = change("UPDATE t SET a = 7, b = 'x' RETURNING a, c, b");
    let ids: Vec<_> = changed.query.output.iter().map(|(_, id)| *id).collect();
    assert_eq!((ids[1], ids[2]), (ids[3], ids[5]));
    assert_ne!(ids[4], ids[1]);
}

#[test]
fn delete_gives_numbers() {
    for (sql, shown) in [
        ("DELETE FROM t", "Project 1(Scan t)"),
        ("DELETE FROM ONLY t AS x WHERE x.a = 1", "Project 1(Filter(Scan t))"),
        (
            "DELETE FROM t USING u, w WHERE t.a = u.a AND w.a = t.a",
            "Project 1(Filter(Inner(Scan t, Inner(Scan u, Scan w))))",
        ),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) DELETE FROM t USING r WHERE a = n",
            "Project 1(Filter(Inner(Scan t, Project 1(Recursive all(Project 1(Values 1x0), Project 1(Filter(CteScan)))))))",
        ),
        ("WITH x AS (SELECT a FROM u) DELETE FROM t WHERE a IN (SELECT a FROM x)", "Project 1(Filter(Scan t))"),
    ] {
        let change = change(sql);
        assert!(matches!(change.kind, ChangeKind::Delete), "{sql}");
        assert_eq!((output_of(&change.query).as_str(), change.returning), ("row number bigint", None), "{sql}");
        assert_eq!(shape(&change.query), shown, "{sql}");
    }
}

#[test]
fn inserts_without_more_are_as_they_were() {
    for sql in [
        "INSERT INTO t AS x VALUES (1)",
        "INSERT INTO t OVERRIDING SYSTEM VALUE VALUES (1)",
        "INSERT INTO t (a) OVERRIDING USER VALUE SELECT 1",
        "INSERT INTO t WITH x AS (SELECT 1 AS n) SELECT n FROM x",
        "WITH x AS (SELECT 1 AS n) INSERT INTO t SELECT n FROM x",
    ] {
        assert!(matches!(bind_one(sql), Ok(Statement::Insert { .. })), "{sql}");
    }
    let all = "a integer, b text, c decimal(10,2)";
    let change = change("INSERT INTO t (c) VALUES (1) RETURNING a");
    assert_eq!(output_of(&change.query), format!("{all}, a integer"));
    assert!(matches!(change.kind, ChangeKind::Insert { conflict: None, .. }));
}

#[test]
fn conflicts_are_about_keys() {
    let cases: [(&str, &[usize]); 11] = [
        ("ON CONFLICT DO NOTHING", &[0, 1, 2]),
        ("ON CONFLICT (id) DO NOTHING", &[0]),
        ("ON CONFLICT (c, id) DO NOTHING", &[1]),
        ("ON CONFLICT (id, c, id) DO NOTHING", &[1]),
        ("ON CONFLICT ((n)) DO NOTHING", &[2]),
        ("ON CONFLICT (id) WHERE n > 0 AND k.c IS NULL DO NOTHING", &[0]),
        ("ON CONFLICT ON CONSTRAINT k_both DO NOTHING", &[1]),
        ("ON CONFLICT (id) DO UPDATE SET c = excluded.c", &[0]),
        (
            "ON CONFLICT (n) DO UPDATE SET (c, n) = (k.c || excluded.c, DEFAULT) WHERE k.n < excluded.n RETURNING *",
            &[2],
        ),
        ("ON CONFLICT ON CONSTRAINT k_pkey DO UPDATE SET c = DEFAULT RETURNING id", &[0]),
        ("ON CONFLICT (id) DO UPDATE SET (c, n) = (SELECT max(b), excluded.n FROM t WHERE t.a = k.id)", &[0]),
    ];
    for (clause, keys) in cases {
        for source in ["VALUES (1)", "SELECT 1", "(VALUES (1))", "SELECT a FROM t", "(TABLE w)"] {
            let sql = format!("INSERT INTO k {source} {clause}");
            assert_eq!(conflict(&sql).keys, keys, "{sql}");
        }
    }
}

#[test]
fn conflicts_update_what_is_there() {
    let sql = "INSERT INTO k AS x VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = x.n + $3, c = excluded.c || x.c \
        WHERE x.n < $4 RETURNING c, n AS m, $5::int";
    let change = change(sql);
    let ChangeKind::Insert { conflict: Some(conflict), .. } = &change.kind else { panic!() };
    let update = conflict.update.as_ref().expect("DO UPDATE");
    check_columns(&update.query.relation, &mut Vec::new());
    assert_eq!(update.columns, [2, 1]);
    let returned = "c text, m decimal(10,2), int4 integer";
    assert_eq!(output_of(&change.query), format!("id integer, c text, n decimal(10,2), {returned}"));
    assert_eq!(output_of(&update.query), format!("row number bigint, n decimal(10,2), c text, {returned}"));
    assert_eq!(shape(&update.query), "Project 4(Project 9(Filter(Scan k)))");
    assert_eq!(update.query.parameters, change.query.parameters);
    assert_eq!(&change.query.parameters[..2], [DataType::Integer, DataType::Text]);
    assert_eq!(change.query.parameters[4], DataType::Integer);
    let sql =
        "WITH x AS (SELECT 1 AS m) INSERT INTO k SELECT m FROM x ON CONFLICT (id) DO UPDATE SET n = (SELECT m FROM x)";
    assert_eq!(self::conflict(sql).update.map(|update| update.columns), Some(vec![2]));
}

#[test]
fn parameters_have_the_types_of_their_columns() {
    let sql = "UPDATE t SET a = $1, (b, c) = ($2, $3) WHERE c = $4 RETURNING a + $5";
    let types = [DataType::Integer, DataType::Text, DataType::Numeric, DataType::Numeric, DataType::Integer];
    assert_eq!(change(sql).query.parameters, types);
    assert_eq!(change("DELETE FROM u WHERE a = $1 AND d = $2").query.parameters, [DataType::BigInt, DataType::Date]);
}

#[test]
fn wrong_targets_are_refused() {
    refused("UPDATE ^nope SET a = 1", "42P01", "relation \"nope\" does not exist");
    refused("DELETE FROM ^nope", "42P01", "relation \"nope\" does not exist");
    refused("WITH x AS (SELECT 1 AS a) UPDATE ^x SET a = 1", "42P01", "relation \"x\" does not exist");
    refused("DELETE FROM ^loop1", "42P17", "infinite recursion detected in rules for relation \"loop1\"");
    for sql in
        ["UPDATE ^(SELECT 1) x SET a = 1", "UPDATE ^generate_series(1, 2) SET a = 1", "DELETE FROM ^(SELECT 1) x"]
    {
        assert_eq!(error(&sql.replace('^', "")).sqlstate(), "42601", "{sql}");
    }
    for sql in [
        "UPDATE t, u SET a = 1",
        "UPDATE t JOIN u USING (a) SET a = 1",
        "UPDATE t x (p, q) SET a = 1",
        "UPDATE t SET a = 1 ORDER BY a",
        "UPDATE t SET a = 1 LIMIT 1",
        "UPDATE t FROM u SET a = 1",
        "UPDATE t a = 1",
        "UPDATE t SET",
        "DELETE FROM t, u",
        "DELETE FROM t ORDER BY a",
        "DELETE FROM ONLY t *",
        "DELETE FROM t LIMIT 1",
        "DELETE t",
        "DELETE t FROM t",
        "INSERT INTO t x VALUES (1)",
        "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING WHERE a = 1",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE b = 1",
        "INSERT INTO t VALUES (1) ON CONFLICT () DO NOTHING",
    ] {
        assert_eq!(error(sql).sqlstate(), "42601", "{sql}");
    }
    refused("UPDATE t SET a = 1 WHERE ^CURRENT OF c", "0A000", "WHERE CURRENT OF is not supported");
    refused("DELETE FROM t WHERE ^CURRENT OF c", "0A000", "WHERE CURRENT OF is not supported");
    refused(
        "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE OUTPUT t.a",
        "0A000",
        "OUTPUT of a MERGE is not supported",
    );
    let message = "WITH clause containing a data-modifying statement must be at the top level";
    for sql in [
        "SELECT * FROM (WITH ^x AS (DELETE FROM t RETURNING a) SELECT * FROM x) y",
        "WITH y AS (WITH ^x AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x) SELECT * FROM y",
        "INSERT INTO u WITH ^x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a FROM x",
    ] {
        refused(sql, "0A000", message);
    }
}

#[test]
fn wrong_assignments_are_refused() {
    refused("UPDATE t SET ^z = 1", "42703", "column \"z\" of relation \"t\" does not exist");
    refused("UPDATE t SET ^t.a = 1", "42703", "column \"t\" of relation \"t\" does not exist");
    refused("UPDATE t z SET ^z.a = 1", "42703", "column \"z\" of relation \"t\" does not exist");
    refused(
        "UPDATE t SET ^b.a = 1",
        "42804",
        "cannot assign to field \"a\" of column \"b\" because its type text is not a composite type",
    );
    refused("UPDATE t SET ^ctid = '(0,1)'", "0A000", "cannot assign to system column \"ctid\"");
    refused("UPDATE t SET a = 1, a = 2", "42601", "multiple assignments to same column \"a\"");
    refused("UPDATE t SET (a, a) = (1, 2)", "42601", "multiple assignments to same column \"a\"");
    refused("UPDATE t SET a = ^'x'", "22P02", "invalid input syntax for type integer: \"x\"");
    let message = "column \"a\" is of type integer but expression is of type boolean";
    refused("UPDATE t SET a = ^true", "42804", message);
    refused("UPDATE t SET (a, b) = (^true, 'x')", "42804", message);
    refused("UPDATE t SET (a, b) = (SELECT ^true, 'x')", "42804", message);
    refused("UPDATE t SET (a) = (SELECT true)", "42804", message);
    let message = "column \"a\" is of type integer but expression is of type text";
    refused("UPDATE t SET a = ^b", "42804", message);
    refused("UPDATE t SET (a, b) = (SELECT ^'1', 2)", "42804", message);
    let message = "number of columns does not match number of values";
    for sql in ["(^1, 'x', 2)", "^ROW(1)", "(^SELECT 1)", "(^SELECT 1, 2, 3)"] {
        refused(&format!("UPDATE t SET (a, b) = {sql}"), "42601", message);
    }
    let message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
    for sql in ["(a) = ^1", "(a) = (^1)", "(a, b) = ^c"] {
        refused(&format!("UPDATE t SET {sql}"), "0A000", message);
    }
    refused("UPDATE t SET a = ^default + 1", "42601", "DEFAULT is not allowed in this context");
    refused("UPDATE t SET a = (^SELECT 1, 2)", "42601", "subquery must return only one column");
}

#[test]
fn what_may_not_stand_in_a_clause_is_refused() {
    for (call, sqlstate, what) in [
        ("count(*)", "42803", "aggregate functions"),
        ("sum(1) OVER ()", "42P20", "window functions"),
        ("grouping(a)", "42803", "grouping operations"),
        ("generate_series(1, 2)", "0A000", "set-returning functions"),
    ] {
        for (sql, clause) in [
            ("UPDATE t SET a = ^@", "UPDATE"),
            ("UPDATE t SET a = 1 WHERE ^@ > 1", "WHERE"),
            ("UPDATE t SET a = 1 RETURNING ^@", "RETURNING"),
            ("DELETE FROM t WHERE ^@ > 1", "WHERE"),
            ("DELETE FROM t RETURNING ^@", "RETURNING"),
            ("INSERT INTO t VALUES (1) RETURNING ^@", "RETURNING"),
        ] {
            refused(&sql.replace('@', call), sqlstate, &format!("{what} are not allowed in {clause}"));
        }
    }
    refused("UPDATE t SET a = 1 WHERE ^1", "42804", "argument of WHERE must be type boolean, not type integer");
    refused("UPDATE t SET a = 1 RETURNING ^zz", "42703", "column \"zz\" does not exist");
    refused("UPDATE t SET a = 1 RETURNING ^u.a", "42P01", "missing FROM-clause entry for table \"u\"");
    refused("INSERT INTO t (a) SELECT a FROM u RETURNING ^u.a", "42P01", "missing FROM-clause entry for table \"u\"");
}

#[test]
fn names_reach_what_they_may() {
    refused("UPDATE t SET a = 1 FROM ^t", "42712", "table name \"t\" specified more than once");
    refused("DELETE FROM t USING ^u t", "42712", "table name \"t\" specified more than once");
    refused("UPDATE t SET a = 1 FROM u WHERE ^a = 1", "42702", "column reference \"a\" is ambiguous");
    let message = "invalid reference to FROM-clause entry for table \"t\"";
    refused("UPDATE t z SET a = 1 WHERE ^t.a = 1", "42P01", message);
    refused("DELETE FROM t z RETURNING ^t.a", "42P01", message);
    refused("UPDATE t SET a = 1 FROM (SELECT ^t.a) x", "42P01", message);
    for sql in [
        "UPDATE t SET a = 1 FROM LATERAL (SELECT ^t.a) x",
        "UPDATE t SET a = 1 FROM LATERAL (SELECT ^b) x",
        "UPDATE t SET a = 1 FROM u JOIN LATERAL (SELECT ^t.a) x ON true",
        "UPDATE t SET a = 1 FROM generate_series(1, ^t.a)",
        "DELETE FROM t USING LATERAL (SELECT ^t.a) x",
    ] {
        refused(sql, "42P10", message);
        let hint = "There is an entry for table \"t\", but it cannot be referenced from this part of the query.";
        assert_eq!(error(&sql.replace('^', "")).hint(), Some(hint), "{sql}");
    }
    refused("UPDATE t SET a = 1 FROM (SELECT ^b) x", "42703", "column \"b\" does not exist");
    let hint = "There is a column named \"b\" in table \"t\", but it cannot be referenced from this part of the query.";
    assert_eq!(error("UPDATE t SET a = 1 FROM (SELECT b) x").hint(), Some(hint));
}

#[test]
fn wrong_conflicts_are_refused() {
    let refused = |clause: &str, sqlstate: &str, message: &str| {
        refused(&format!("INSERT INTO k VALUES (1) {clause}"), sqlstate, message);
    };
    let message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
    refused("^ON CONFLICT DO UPDATE SET n = 1", "42601", message);
    refused("ON CONFLICT (^zz) DO NOTHING", "42703", "column \"zz\" does not exist");
    let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
    for list in ["c", "id, n", "lower(c)", "id, lower(c)", "c COLLATE \"C\"", "ctid"] {
        refused(&format!("ON CONFLICT ({list}) DO NOTHING"), "42P10", message);
    }
    refused("ON CONFLICT (^id DESC) DO NOTHING", "42P10", "ASC/DESC is not allowed in ON CONFLICT clause");
    refused(
        "ON CONFLICT (^id NULLS LAST) DO NOTHING",
        "42P10",
        "NULLS FIRST/LAST is not allowed in ON CONFLICT clause",
    );
    let message = "constraint \"nope\" for table \"k\" does not exist";
    refused("ON CONFLICT ON CONSTRAINT ^nope DO NOTHING", "42704", message);
    let message = "constraint \"k_n_idx\" for table \"k\" does not exist";
    refused("ON CONFLICT ON CONSTRAINT ^k_n_idx DO NOTHING", "42704", message);
    refused("ON CONFLICT (id) WHERE ^zz > 1 DO NOTHING", "42703", "column \"zz\" does not exist");
    let message = "missing FROM-clause entry for table \"excluded\"";
    refused("ON CONFLICT (id) WHERE ^excluded.id = 1 DO NOTHING", "42P01", message);
    let message = "aggregate functions are not allowed in index predicates";
    refused("ON CONFLICT (id) WHERE ^count(*) > 1 DO NOTHING", "42803", message);
    let update = "ON CONFLICT (id) DO UPDATE SET";
    refused(&format!("{update} n = 1, n = 2"), "42601", "multiple assignments to same column \"n\"");
    refused(&format!("{update} ^k.n = 1"), "42703", "column \"k\" of relation \"k\" does not exist");
    refused(&format!("{update} ^excluded.n = 1"), "42703", "column \"excluded\" of relation \"k\" does not exist");
    refused(&format!("{update} n = ^n"), "42702", "column reference \"n\" is ambiguous");
    refused(&format!("{update} n = ^excluded.zz"), "42703", "column excluded.zz does not exist");
    refused(&format!("{update} n = ^count(*)"), "42803", "aggregate functions are not allowed in UPDATE");
    refused(&format!("{update} n = 1 WHERE ^count(*) > 1"), "42803", "aggregate functions are not allowed in WHERE");
    let message = "window functions are not allowed in WHERE";
    refused(&format!("{update} n = 1 WHERE ^rank() OVER () > 1"), "42P20", message);
    let message = "column \"n\" is of type decimal(10,2) but expression is of type boolean";
    refused(&format!("{update} n = ^true"), "42804", message);
    let message = "invalid reference to FROM-clause entry for table \"excluded\"";
    refused(&format!("{update} n = 1 RETURNING ^excluded.id"), "42P01", message);
    let sql = "INSERT INTO k AS x VALUES (1) ON CONFLICT (id) DO UPDATE SET n = ^k.n";
    super::refused(sql, "42P01", "invalid reference to FROM-clause entry for table \"k\"");
    let sql = "INSERT INTO k AS excluded VALUES (1) ON CONFLICT (id) DO UPDATE SET n = ^excluded.n";
    super::refused(sql, "42P09", "table reference \"excluded\" is ambiguous");
    let sql = "WITH x AS (SELECT random() AS m) INSERT INTO k VALUES (1) ON CONFLICT (id) DO UPDATE SET n = (SELECT m FROM x)";
    super::refused(
        sql,
        "0A000",
        "a query of WITH that gives other rows each time, in ON CONFLICT DO UPDATE, is not supported",
    );
}

#[test]
fn explain_shows_what_finds_the_rows() {
    for sql in ["UPDATE t SET a = 1", "DELETE FROM t RETURNING a", "INSERT INTO t VALUES (1)"] {
        let bound = bind_one(&format!("EXPLAIN {sql}"));
        assert!(matches!(bound, Ok(Statement::Explain { kind: ExplainKind::Relation, analyze: false, .. })), "{sql}");
    }
    let message = "EXPLAIN with ANALYZE or CODE of a statement that changes rows is not supported";
    refused("EXPLAIN ANALYZE DELETE FROM t", "0A000", message);
    refused("EXPLAIN (CODE) UPDATE t SET a = 1", "0A000", message);
}

/// The toy catalog for whoever lacks a right.
struct Without(Toy, Right);

impl Catalog for Without {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        self.0.entry(name)
    }

    fn to_change(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        self.0.to_change(name)
    }

    fn meeting(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        self.0.meeting(name)
    }

    fn check_right(&self, name: &TableName, right: Right, _: Option<&TableName>) -> Result<()> {
        match right == self.1 && name.name != "u" {
            true => Err(Error::new(ErrorKind::Forbidden, format!("permission denied for table {}", name.name))),
            false => Ok(()),
        }
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        self.0.file(path)
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

#[test]
fn changes_take_rights() {
    let cases: [(&str, &[Right]); 17] = [
        ("UPDATE t SET a = 1", &[Right::Update]),
        ("UPDATE t SET a = u.a FROM u WHERE u.d IS NULL", &[Right::Update]),
        ("UPDATE t SET a = (SELECT max(a) FROM u)", &[Right::Update]),
        ("UPDATE t SET a = a + 1", &[Right::Update, Right::Select]),
        ("UPDATE t SET a = 1 WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", &[Right::Update, Right::Select]),
        ("UPDATE t SET a = 1 RETURNING a", &[Right::Update, Right::Select]),
        ("UPDATE t SET a = 1 RETURNING t", &[Right::Update, Right::Select]),
        ("DELETE FROM t", &[Right::Delete]),
        ("DELETE FROM t WHERE b = 'x'", &[Right::Delete, Right::Select]),
        ("DELETE FROM t RETURNING *", &[Right::Delete, Right::Select]),
        ("INSERT INTO k VALUES (1) RETURNING 1", &[Right::Insert]),
        ("INSERT INTO k VALUES (1) RETURNING id", &[Right::Insert, Right::Select]),
        ("INSERT INTO k VALUES (1) ON CONFLICT DO NOTHING", &[Right::Insert]),
        ("INSERT INTO k VALUES (1) ON CONFLICT (id) DO NOTHING", &[Right::Insert, Right::Select]),
        (
            "INSERT INTO k SELECT a FROM u ON CONFLICT (id) DO UPDATE SET n = 1",
            &[Right::Insert, Right::Select, Right::Update],
        ),
        (
            "INSERT INTO k SELECT a FROM u ON CONFLICT (id) DO UPDATE SET n = k.n",
            &[Right::Insert, Right::Select, Right::Update],
        ),
        (
            "INSERT INTO k SELECT a FROM u ON CONFLICT (id) DO UPDATE SET n = 1 RETURNING n",
            &[Right::Insert, Right::Select, Right::Update],
        ),
    ];
    for (sql, needed) in cases {
        for right in Right::OF_TABLES {
            let parsed = parse(sql).expect("a statement");
            let bound = bind(&parsed[0], &Without(Toy::new(), right), &[]);
            let refused = bound.err().map(|error| error.sqlstate());
            assert_eq!(refused, needed.contains(&right).then_some("42501"), "{sql} without {}", right.name());
        }
    }
}

#[test]
fn words_of_changes_are_names_elsewhere() {
    assert_eq!(names("SELECT current FROM (SELECT 1 AS current) x WHERE current = 1"), "current");
    assert_eq!(output("SELECT update * 2 AS y FROM (SELECT 1 AS update) x"), "y integer");
    assert_eq!(error("SELECT 1 FROM t JOIN u ON conflict(t.a) WHERE t.a = 1").sqlstate(), "42883");
}
