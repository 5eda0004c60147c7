//! Statements other than queries.

use super::*;
use crate::catalog::{FileOption, FileOptions, OptionValue, TableName};
use crate::error::Position;
use crate::sql::{ExplainForm, ExplainKind, ObjectKind};

fn insert(sql: &str) -> Query {
    match bind_one(sql) {
        Ok(Statement::Insert { query, .. }) => {
            check_columns(&query.relation, &mut Vec::new());
            query
        }
        other => panic!("no insert: {sql}: {other:?}"),
    }
}

fn output_of(query: &Query) -> String {
    let columns = query.output.iter().map(|(name, id)| format!("{name} {}", query.columns.get(*id).data_type));
    columns.collect::<Vec<_>>().join(", ")
}

#[test]
fn create_table() {
    let sql = "CREATE TABLE IF NOT EXISTS \"New\" (A int NOT NULL, b varchar(5), c numeric(7, 2) PRIMARY KEY)";
    let Ok(Statement::CreateTable {
        name,
        fields,
        declared: _,
        sequences: _,
        if_not_exists,
        or_replace,
        temporary: false,
    }) = bind_one(sql)
    else {
        panic!()
    };
    assert_eq!((name.name.as_str(), if_not_exists, or_replace), ("New", true, false));
    assert_eq!(
        fields,
        [
            Field::new("a", DataType::Integer, false),
            Field::new("b", DataType::Varchar(5), true),
            Field::new("c", DataType::decimal(7, 2), false),
        ]
    );
    let sql = "CREATE OR REPLACE TABLE x (a int, b int, CONSTRAINT k PRIMARY KEY (b))";
    let Ok(Statement::CreateTable { fields, or_replace: true, .. }) = bind_one(sql) else { panic!() };
    assert_eq!(fields.iter().map(|field| field.nullable).collect::<Vec<_>>(), [true, false]);
    refused("CREATE TABLE x (a int, ^a text)", "42701", "column \"a\" specified more than once");
    refused("CREATE TABLE x (a int, PRIMARY KEY (^z))", "42703", "column \"z\" named in key does not exist");
    let message = "multiple primary keys for table \"x\" are not allowed";
    refused("CREATE TABLE x (a int PRIMARY KEY, b int PRIMARY KEY)", "42P16", message);
}

#[test]
fn create_table_as() {
    let Ok(Statement::CreateTableAs { name, query, .. }) = bind_one("CREATE TABLE n AS SELECT a, 'x' AS l FROM t")
    else {
        panic!()
    };
    assert_eq!((name.name.as_str(), output_of(&query).as_str()), ("n", "a integer, l text"));
    let Ok(Statement::CreateTableAs { query, .. }) = bind_one("CREATE TABLE n AS TABLE u") else { panic!() };
    assert_eq!(output_of(&query), "a bigint, d date");
    refused("CREATE TABLE ^n AS SELECT 1 AS x, 2 AS x", "42701", "column \"x\" specified more than once");
}

#[test]
fn create_view() {
    let sql = "CREATE OR REPLACE VIEW x (one, two) AS\n  SELECT a, b FROM t WHERE b = 'as'";
    let Ok(Statement::CreateView { name, view, or_replace, .. }) = bind_one(sql) else { panic!() };
    assert_eq!((name.name.as_str(), or_replace), ("x", true));
    assert_eq!(view.columns, ["one", "two"]);
    assert_eq!(view.sql, "SELECT a, b FROM t WHERE b = 'as'");
    let Ok(Statement::CreateView { view, .. }) = bind_one("CREATE VIEW x AS (WITH c AS (SELECT 1) SELECT * FROM c)")
    else {
        panic!()
    };
    assert_eq!(view.sql, "(WITH c AS (SELECT 1) SELECT * FROM c)");
    refused("CREATE VIEW x AS SELECT ^zz FROM t", "42703", "column \"zz\" does not exist");
    refused("CREATE VIEW ^x AS SELECT $1", "42P02", "a view's query cannot have parameters");
    refused(
        "CREATE VIEW ^x (p, q) AS SELECT 1",
        "42P10",
        "table \"x\" has 1 columns available but 2 columns specified",
    );
}

#[test]
fn insert_gives_the_table_s_columns_in_order() {
    let all = "a integer, b text, c decimal(10,2)";
    for sql in [
        "INSERT INTO t VALUES (1, 'x', 2.5)",
        "INSERT INTO t VALUES (1, 'x')",
        "INSERT INTO t (c, a) VALUES (1, 2), (DEFAULT, NULL)",
        "INSERT INTO t (b) SELECT 'x'",
        "INSERT INTO t (c) SELECT NULL UNION SELECT 1",
        "INSERT INTO t (a) SELECT a FROM u",
        "INSERT INTO public.t (a) VALUES ('12')",
        "INSERT INTO t (a, c) SELECT '1', '2.5'",
        "INSERT INTO t (a) VALUES ($1)",
    ] {
        assert_eq!(output_of(&insert(sql)), all, "{sql}");
    }
    assert_eq!(insert("INSERT INTO t (a, b) VALUES ($1, $2)").parameters, [DataType::Integer, DataType::Text]);
    assert_eq!(insert("INSERT INTO u (d) SELECT '2020-01-01'").output.len(), 2);
}

#[test]
fn wrong_inserts_are_refused() {
    refused("INSERT INTO ^nope VALUES (1)", "42P01", "relation \"nope\" does not exist");
    refused("INSERT INTO v (^a) VALUES (1)", "42703", "column \"a\" of relation \"v\" does not exist");
    refused("INSERT INTO t (a, ^z) VALUES (1, 2)", "42703", "column \"z\" of relation \"t\" does not exist");
    refused("INSERT INTO t (a, ^a) VALUES (1, 2)", "42701", "column \"a\" specified more than once");
    refused("INSERT INTO t (a) VALUES (1, ^2)", "42601", "INSERT has more expressions than target columns");
    refused("INSERT INTO t (a, b) VALUES (1)", "42601", "INSERT has more target columns than expressions");
    refused("INSERT INTO t (a) SELECT 1, 2", "42601", "INSERT has more expressions than target columns");
    refused(
        "INSERT INTO t (a) VALUES (^true)",
        "42804",
        "column \"a\" is of type integer but expression is of type boolean",
    );
    refused(
        "INSERT INTO t (a) SELECT true",
        "42804",
        "column \"a\" is of type integer but expression is of type boolean",
    );
    assert_eq!(error("INSERT INTO t (a) VALUES ('x')").sqlstate(), "22P02");
}

#[test]
fn drop_show_describe() {
    let Ok(Statement::Drop { names, kind, if_exists, cascade: false }) =
        bind_one("DROP TABLE IF EXISTS A, \"B\", public.c")
    else {
        panic!()
    };
    let c = TableName { schema: Some("public".to_owned()), name: "c".to_owned() };
    assert_eq!((names, kind, if_exists), (vec!["a".into(), "B".into(), c], ObjectKind::Table, true));
    assert!(matches!(bind_one("DROP VIEW v"), Ok(Statement::Drop { kind: ObjectKind::View, if_exists: false, .. })));
    assert!(matches!(bind_one("SHOW TABLES"), Ok(Statement::ShowTables)));
    assert!(matches!(bind_one("DESCRIBE t"), Ok(Statement::Describe { name }) if name == "t".into()));
    let described = |sql: &str| match bind_one(sql) {
        Ok(Statement::DescribeQuery(query)) => output_of(&query),
        other => panic!("{sql}: {other:?}"),
    };
    assert_eq!(described("DESCRIBE SELECT a + 1 AS b, 'x' FROM t"), "b integer, ?column? text");
    assert_eq!(described("DESCRIBE 'f.parquet'"), "f integer");
    refused("DESCRIBE ^tt", "42P01", "relation \"tt\" does not exist");
}

#[test]
fn copy() {
    let sql = "COPY t (c, a) FROM 'in.csv' (FORMAT csv, HEADER false, DELIMITER ';', NULL 'NA', QUOTE '''')";
    let Ok(Statement::CopyFrom { name, columns, path, options }) = bind_one(sql) else { panic!() };
    assert_eq!((name.name.as_str(), columns, path.as_deref()), ("t", vec![2, 0], Some("in.csv")));
    let format = options.format().map(|format| (format.value.to_string(), format.position));
    assert_eq!(format, Some(("'csv'".to_owned(), Some(Position(29)))));
    let values: Vec<String> = options.iter().map(|option| format!("{} {}", option.name, option.value)).collect();
    assert_eq!(values, ["header false", "delimiter ';'", "null 'NA'", "quote '''"]);
    let Ok(Statement::CopyTo { query, path, options }) = bind_one("COPY (SELECT a FROM t) TO 'o.parquet'") else {
        panic!()
    };
    assert_eq!(
        (output_of(&query).as_str(), path.as_deref(), options),
        ("a integer", Some("o.parquet"), FileOptions::default())
    );
    let Ok(Statement::CopyTo { query, .. }) = bind_one("COPY t (b, a) TO 'o.csv' WITH CSV HEADER") else { panic!() };
    assert_eq!(output_of(&query), "b text, a integer");
    refused("COPY t (^z) FROM 'f.csv'", "42703", "column \"z\" of relation \"t\" does not exist");
    refused("COPY t FROM 'f' (FORMAT csv, ^FORMAT csv)", "42601", "conflicting or redundant options");
    refused("COPY t FROM 'f' (HEADER, ^header off)", "42601", "conflicting or redundant options");
    refused("COPY t FROM 'f' (HEADER)^)", "42601", "syntax error at or near \")\"");
    refused("COPY t FROM 'f' ^WHERE a > 1", "42601", "syntax error at or near \"WHERE\"");
    refused("COPY t TO 'f' (^FREEZE maybe)", "22023", "option \"freeze\": a boolean is expected, not 'maybe'");
}

#[test]
fn options_of_files() {
    let text = |text: &str| OptionValue::Text(text.to_owned());
    let number = |text: &str| OptionValue::Number(text.to_owned());
    for (written, expected) in [
        ("COMPRESSION Zstd", text("zstd")),
        ("COMPRESSION \"Zstd\"", text("Zstd")),
        ("ROW_GROUP_SIZE 100000", number("100000")),
        ("LEVEL -3", number("-3")),
        ("LEVEL +3", number("3")),
        ("OVERWRITE", OptionValue::Boolean(true)),
        ("ARRAY false", OptionValue::Boolean(false)),
        ("FORCE_QUOTE *", text("*")),
        ("DELIMITER E'\\t'", text("\t")),
        ("PARTITION_BY (a, B, \"C\")", OptionValue::List(vec![text("a"), text("b"), text("C")])),
        ("NULLS ['a', 'b']", OptionValue::List(vec![text("a"), text("b")])),
        ("NULLS []", OptionValue::List(Vec::new())),
        (
            "TYPES {'a': 'int', b: ['c']}",
            OptionValue::Struct(vec![
                ("a".to_owned(), text("int")),
                ("b".to_owned(), OptionValue::List(vec![text("c")])),
            ]),
        ),
    ] {
        let sql = format!("COPY t TO 'f' ({written})");
        let Ok(Statement::CopyTo { options, .. }) = bind_one(&sql) else { panic!("{sql}") };
        let values: Vec<&OptionValue> = options.iter().map(|option| &option.value).collect();
        assert_eq!(values, [&expected], "{sql}");
    }
    let nested = format!("COPY t TO 'f' (A {})", "[".repeat(100_000));
    assert_eq!(error(&nested).sqlstate(), "54001");
    let Ok(Statement::CopyTo { options, .. }) = bind_one("COPY t TO 'f' (a (b))") else { panic!() };
    let position = Some(Position(15));
    let option = FileOption { name: "a".to_owned(), value: OptionValue::List(vec![text("b")]), position };
    assert_eq!(options.iter().collect::<Vec<_>>(), [&option]);
}

#[test]
fn options_that_are_structs() {
    for types in ["{2020: 'integer', 'b': 'date'}", "{'a': {1: 'b'}}"] {
        let error = error(&format!("SELECT * FROM read_csv('f', types => {types})"));
        assert_eq!(error.sqlstate(), "22023", "{types}: {error}");
    }
    // Many take no longer than they are long.
    let began = std::time::Instant::now();
    assert_eq!(error(&format!("SELECT {}", "{a:".repeat(100_000))).sqlstate(), "54001");
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn explain() {
    for (sql, expected) in [
        ("EXPLAIN SELECT 1", (ExplainKind::Relation, false)),
        ("EXPLAIN ANALYZE SELECT 1", (ExplainKind::Relation, true)),
        ("EXPLAIN (LOOPS) SELECT 1", (ExplainKind::Loops, false)),
        ("EXPLAIN (CODE) SELECT 1", (ExplainKind::Code, false)),
        ("EXPLAIN (kernels, analyze) SELECT 1", (ExplainKind::Kernels, true)),
        ("EXPLAIN (ANALYZE off, LOOPS true) SELECT 1", (ExplainKind::Loops, false)),
    ] {
        let Ok(Statement::Explain { kind, analyze, .. }) = bind_one(sql) else { panic!("{sql}") };
        assert_eq!((kind, analyze), expected, "{sql}");
    }
    for (sql, expected) in [
        ("EXPLAIN VERBOSE SELECT 1", ExplainForm::default()),
        ("EXPLAIN (FORMAT text, BUFFERS, WAL off, verbose 1) SELECT 1", ExplainForm::default()),
        (
            "EXPLAIN (COSTS off, TIMING 'off', SUMMARY, FORMAT JSON) SELECT 1",
            ExplainForm { json: true, costs: false, timing: false, summary: Some(true) },
        ),
    ] {
        let Ok(Statement::Explain { form, .. }) = bind_one(sql) else { panic!("{sql}") };
        assert_eq!(form, expected, "{sql}");
    }
    refused("EXPLAIN (^FORMAT yaml) SELECT 1", "0A000", "EXPLAIN with FORMAT YAML is not supported");
    refused("EXPLAIN (^FORMAT) SELECT 1", "42601", "format requires a parameter");
    refused("EXPLAIN (^FORMAT csv) SELECT 1", "22023", "unrecognized value for EXPLAIN option \"format\": \"csv\"");
    refused("EXPLAIN (^nonsense) SELECT 1", "42601", "unrecognized EXPLAIN option \"nonsense\"");
    refused("EXPLAIN (^COSTS maybe) SELECT 1", "22023", "COSTS requires a Boolean value");
    refused(
        "EXPLAIN (FORMAT json, LOOPS) SELECT 1",
        "22023",
        "EXPLAIN options LOOPS, KERNELS and CODE need FORMAT TEXT",
    );
    refused(
        "EXPLAIN (LOOPS, ^KERNELS) SELECT 1",
        "22023",
        "EXPLAIN options LOOPS, KERNELS and CODE cannot be used together",
    );
}
