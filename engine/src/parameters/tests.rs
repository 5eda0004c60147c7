//! Parameters of every type, in contexts that say a type and in such that say none.

use crate::{
    DataType, Engine, Error, Interval, Numeric, Parameters, Prepared, Session, ToParameter, TransactionStatus, Value,
    named_params, params,
};
use std::borrow::Cow;

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine").session();
    empty(&session);
    session
}

/// Makes the table anew.
fn empty(session: &Session) {
    session
        .sql(
            "CREATE OR REPLACE TABLE all_types (b boolean, s smallint, i integer, l bigint, r real, d double precision,
                km decimal(8,1), n numeric, t text, v varchar(3), c char(3), y bytea, u uuid, day date, at timestamp,
                span interval, j jsonb, li integer[], lt text[], lk decimal(8,1)[])",
        )
        .expect("a table");
}

/// The type and the text of the only value of a query.
fn shown(session: &Session, sql: &str, parameters: impl Parameters) -> String {
    let rows = match session.query(sql, parameters) {
        Ok(rows) => rows,
        Err(error) => return error.sqlstate().to_owned(),
    };
    let name = rows.fields()[0].data_type.to_string();
    match rows.single(|row| row.text(0)) {
        Ok(text) => format!("{name} {}", text.as_deref().unwrap_or("NULL")),
        Err(error) => format!("! {}", error.sqlstate()),
    }
}

#[test]
fn types_without_a_context() {
    let session = session();
    let check = |parameters: crate::ParameterList, expected: &str| {
        assert_eq!(shown(&session, "SELECT $1", parameters), expected);
    };
    check(params![true], "boolean t");
    check(params![i8::MIN], "smallint -128");
    check(params![u8::MAX], "smallint 255");
    check(params![i16::MIN], "smallint -32768");
    check(params![u16::MAX], "integer 65535");
    check(params![i32::MIN], "integer -2147483648");
    check(params![u32::MAX], "bigint 4294967295");
    check(params![i64::MIN], "bigint -9223372036854775808");
    check(params![i64::MAX as u64], "bigint 9223372036854775807");
    check(params![u64::MAX], "decimal(20,0) 18446744073709551615");
    check(params![i128::MIN], "numeric -170141183460469231731687303715884105728");
    check(params![f32::MAX], "real 3.4028235e+38");
    check(params![f64::MIN_POSITIVE], "double precision 2.2250738585072014e-308");
    check(params![f64::NAN], "double precision NaN");
    check(params![f64::NEG_INFINITY], "double precision -Infinity");
    check(params!["it's"], "text it's");
    check(params![String::from("ä")], "text ä");
    check(params![Cow::Borrowed("x")], "text x");
    check(params![&[0u8, 255][..]], "bytea \\x00ff");
    check(params![Vec::<u8>::new()], "bytea \\x");
    check(params![[1u8, 2]], "bytea \\x0102");
    check(params![Numeric::new(150, 2)], "decimal(3,2) 1.50");
    check(params![Numeric::NaN], "numeric NaN");
    check(params![Interval { months: 1, days: -2, micros: 3_000_000 }], "interval 1 mon -2 days +00:00:03");
    check(params![None::<i32>], "integer NULL");
    check(params![None::<&str>], "text NULL");
    check(params![None::<Vec<i64>>], "bigint[] NULL");
    check(params![Some(7i64)], "bigint 7");
    check(params![[1, 2]], "integer[] {1,2}");
    check(params![Vec::<i32>::new()], "integer[] {}");
    check(params![vec![Some("a,b"), None]], "text[] {\"a,b\",NULL}");
    check(params![vec![vec![1i64, 2], vec![3, 4]]], "bigint[] {{1,2},{3,4}}");
    check(params![vec![vec![1i64, 2], vec![3]]], "2202E");
    check(params![vec![None, Some(vec![1i64])]], "2202E");
    check(params![vec![u64::MAX, 1]], "numeric[] {18446744073709551615,1}");
    check(params![vec![1.5f32, f32::NAN]], "real[] {1.5,NaN}");
    check(params![vec![Numeric::new(15, 1), Numeric::new(2, 0)]], "numeric[] {1.5,2}");
    check(params![vec![true, false]], "boolean[] {t,f}");
    check(params![(Value::Decimal(15), DataType::decimal(5, 1))], "decimal(5,1) 1.5");
}

#[test]
fn types_of_the_context() {
    let session = session();
    session
        .sql("INSERT INTO all_types (km, i, s, l, r, d, n, t) VALUES (50.3, 7, 7, 7, 0.5, 0.1, 1.25, 'Bern')")
        .expect("a row");
    let holds = |condition: &str, parameters: crate::ParameterList| {
        shown(&session, &format!("SELECT count(*) FROM all_types WHERE {condition}"), parameters)
    };
    for parameters in [
        params![50],
        params![50i16],
        params![50u64],
        params![50.0],
        params![50.25],
        params![50.25f32],
        params!["50"],
        params!["50.25"],
        params![" 5.029e1 "],
        params![Numeric::new(50_299, 3)],
        params![(Value::Decimal(502), DataType::decimal(8, 1))],
        params![Value::numeric(Numeric::new(502, 1))],
    ] {
        assert_eq!(holds("km > $1", parameters.clone()), "bigint 1", "{parameters:?}");
    }
    // Whose digits nobody knows.
    assert_eq!(holds("km > $1", params![Value::Decimal(502)]), "42804");
    // Not rounded to one digit, which would find it.
    for parameters in [params![50.34], params!["50.34"], params![50.31], params![51], params![f64::INFINITY]] {
        assert_eq!(holds("km >= $1", parameters.clone()), "bigint 0", "{parameters:?}");
        assert_eq!(holds("km = $1", parameters), "bigint 0");
    }
    for (condition, parameters, expected) in [
        ("km = $1", params![50.3], "bigint 1"),
        ("km < $1", params![i64::MAX], "bigint 1"),
        ("i < $1", params![3_000_000_000i64], "bigint 1"),
        ("i < $1", params![7.5], "bigint 1"),
        ("i = $1", params!["7"], "bigint 1"),
        ("i = $1", params!["7.5"], "22P02"),
        ("i = $1", params![Numeric::new(75, 1)], "bigint 0"),
        ("s = $1", params![70_000], "bigint 0"),
        ("l = $1", params![7u8], "bigint 1"),
        ("l = $1", params![u64::MAX], "bigint 0"),
        ("d = $1", params![0.1], "bigint 1"),
        ("r = $1", params![0.5], "bigint 1"),
        ("r = $1", params![Numeric::new(5, 1)], "bigint 1"),
        ("r + 16777215.5::real = $1", params![16_777_217], "bigint 0"),
        ("r + 16777215.5::real = $1", params![16_777_216], "bigint 1"),
        ("(r / 5)::real = $1", params![Numeric::new(1, 1)], "bigint 0"),
        ("r < $1", params![Numeric::Infinity], "bigint 1"),
        ("km = ANY($1)", params![vec!["50.3", "50.25"]], "bigint 1"),
        ("km = ANY($1)", params![vec!["50.3", "x"]], "22P02"),
        ("n = ANY($1)", params![vec!["1.25", "1e400"]], "bigint 1"),
        ("n = $1", params![1.25], "bigint 1"),
        ("n = $1", params!["1.250"], "bigint 1"),
        ("t = $1", params!["Bern"], "bigint 1"),
        ("t = $1", params![5], "42883"),
        ("t = $1", params![true], "42883"),
        ("i = $1", params![true], "42883"),
        ("i = $1", params![None::<i32>], "bigint 0"),
        ("i = ANY($1)", params![[1, 7]], "bigint 1"),
        ("i = ANY($1)", params![vec![1i64 << 40, 7]], "bigint 1"),
        ("t = ANY($1)", params![vec!["Basel", "Bern"]], "bigint 1"),
        ("km = ANY($1)", params![vec![50.3, 1.0]], "bigint 1"),
        ("i IN ($1, $2)", params![1, 7], "bigint 1"),
        ("i = $1 AND l = $2 AND t LIKE $3", params![7, 7, "B%"], "bigint 1"),
    ] {
        assert_eq!(holds(condition, parameters), expected, "{condition}");
    }
}

#[test]
fn operations_of_literals() {
    let session = session();
    for (sql, parameters, expected) in [
        ("SELECT 5 / $1", params![2], "integer 2"),
        ("SELECT 5 / $1", params![2.0], "double precision 2.5"),
        ("SELECT $1 + $2", params![40, 2], "integer 42"),
        ("SELECT $1 + $2", params![40i64, 2], "bigint 42"),
        ("SELECT $1 = $2", params![5, "5"], "boolean t"),
        ("SELECT $1 || $2", params!["a", "b"], "text ab"),
        ("SELECT date '2026-01-01' + $1", params![2], "date 2026-01-03"),
        ("SELECT $1::date - $2::date", params!["2026-01-03", "2026-01-01"], "integer 2"),
        ("SELECT $1::int", params![2.7], "integer 3"),
        ("SELECT coalesce($1, $2)", params![None::<i32>, 7], "integer 7"),
        ("SELECT sqrt($1)", params![16], "double precision 4"),
        ("SELECT substr('Bern', $1)", params![2i64], "text ern"),
        ("SELECT array_length($1, 1)", params![[1, 2, 3]], "integer 3"),
        ("SELECT length($1)", params![&[1u8, 2, 3][..]], "integer 3"),
        ("SELECT generate_series(1, 9) LIMIT $1", params![1], "integer 1"),
        ("SELECT $1::uuid", params![[0u8; 16]], "uuid 00000000-0000-0000-0000-000000000000"),
        ("SELECT $1::jsonb -> 'a'", params!["{\"a\": 1}"], "jsonb 1"),
        ("SELECT $1 + interval '1 day'", params![Interval { days: 1, ..Interval::default() }], "interval 2 days"),
    ] {
        assert_eq!(shown(&session, sql, parameters), expected, "{sql}");
    }
}

#[test]
fn inserts_cast_by_assignment() {
    let session = session();
    let insert = |column: &str, parameters: crate::ParameterList| {
        empty(&session);
        match session.execute(&format!("INSERT INTO all_types ({column}) VALUES ($1)"), parameters) {
            Ok(count) => assert_eq!(count, 1),
            Err(error) => return error.sqlstate().to_owned(),
        }
        shown(&session, &format!("SELECT {column} FROM all_types"), ())
    };
    for (column, parameters, expected) in [
        ("b", params![false], "boolean f"),
        ("s", params![i16::MAX], "smallint 32767"),
        ("s", params![i32::MAX], "22003"),
        ("i", params![7.0], "integer 7"),
        ("i", params![i64::MAX], "22003"),
        ("i", params!["x"], "22P02"),
        ("l", params![u64::MAX], "22003"),
        ("r", params![0.1], "real 0.1"),
        ("d", params![1], "double precision 1"),
        ("km", params![12.5], "decimal(8,1) 12.5"),
        ("km", params![12.25], "decimal(8,1) 12.3"),
        ("km", params!["12.5"], "decimal(8,1) 12.5"),
        ("km", params![1e12], "22003"),
        ("t", params![5], "text 5"),
        ("t", params!["a\0b"], "22021"),
        ("v", params!["abc"], "varchar(3) abc"),
        ("v", params!["abcd"], "22001"),
        ("c", params!["a"], "char(3) a  "),
        ("y", params![b"\x00\xff"], "bytea \\x00ff"),
        ("u", params![[255u8; 16]], "uuid ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ("u", params!["00000000-0000-0000-0000-00000000000A"], "uuid 00000000-0000-0000-0000-00000000000a"),
        ("day", params!["2026-01-02"], "date 2026-01-02"),
        ("day", params!["2026-02-30"], "22008"),
        ("day", params![5], "42804"),
        ("at", params!["infinity"], "timestamp infinity"),
        ("span", params!["1 day"], "interval 1 day"),
        ("j", params!["{\"b\":1}"], "jsonb {\"b\": 1}"),
        ("li", params![vec![1, 2]], "integer[] {1,2}"),
        ("li", params![vec![Some(1i64), None]], "integer[] {1,NULL}"),
        ("li", params!["{3,4}"], "integer[] {3,4}"),
        ("lt", params![vec!["a", ""]], "text[] {a,\"\"}"),
        ("li", params![None::<Vec<i32>>], "integer[] NULL"),
    ] {
        assert_eq!(insert(column, parameters), expected, "{column}");
    }
}

#[test]
fn wrong_numbers_and_names() {
    let session = session();
    for (sql, parameters, state) in [
        ("SELECT $1::int", params![1, 2], "42P02"),
        ("SELECT $1::int + $2::int", params![1], "42P02"),
        ("SELECT 1", params![1], "42P02"),
        ("SELECT $1 + $2", params![1, 2, 3], "42P02"),
        ("SELECT $1 + $2", params![1], "42P02"),
        ("SELECT $1::int", named_params! { "a": 1 }, "42P02"),
        ("SELECT :a::int", named_params! { "b": 1 }, "42P02"),
        ("SELECT :a::int", named_params! { "a": 1, "b": 1 }, "42P02"),
        ("SELECT :a::int", named_params! { "a": 1, ":a": 1 }, "42P02"),
        ("SELECT :a::int + :b::int", named_params! { "a": 1 }, "42P02"),
        ("SELECT :a::int + $1::int", named_params! { "a": 1 }, "42P02"),
        ("SELECT 1; SELECT $1::int", params![1], "42601"),
        ("SELEC $1", params![1], "42601"),
    ] {
        assert_eq!(shown(&session, sql, parameters), state, "{sql}");
    }
    assert_eq!(shown(&session, "SELECT $1::int", ()), "42P02");
    let both = named_params! { "b": 2, "$a": 40 };
    assert_eq!(shown(&session, "SELECT $a::int + :b + $a -- :c", &both), "integer 82");
    let error = session.query("SELECT 1 AS one, $1::nothing", params![1]).expect_err("no type");
    assert_eq!((error.sqlstate(), error.position().is_some()), ("42704", true));
}

#[test]
fn prepared_once_and_run_with_all() {
    let session = session();
    session.execute("INSERT INTO all_types (km) VALUES ($1), ($2)", (12.5, "90")).expect("rows");
    let far = session.prepare("SELECT count(*) FROM all_types WHERE km > $1").expect("a query");
    let count = |prepared: &Prepared, parameters: crate::ParameterList| {
        prepared.query_scalar::<i64>(&session, parameters).map_err(|error| error.sqlstate())
    };
    for _ in 0..2 {
        for (parameters, expected) in [
            (params![50], Ok(1)),
            (params![12.49], Ok(2)),
            (params!["12.500001"], Ok(1)),
            (params![f64::NAN], Ok(0)),
            (params![None::<f64>], Ok(0)),
            (params!["fifty"], Err("22P02")),
            (params![true], Err("42883")),
            (params![], Err("42P02")),
            (params![1, 2], Err("42P02")),
            (named_params! { "a": 1 }, Err("42P02")),
        ] {
            assert_eq!(count(&far, parameters), expected);
        }
    }
    // As before: values of just the type that the statement says.
    assert_eq!(far.parameter_types(), [DataType::Numeric]);
    assert!(far.execute(&session, &[Value::numeric(Numeric::new(500, 1))]).is_ok());
    let error = far.query(&session, [Value::text("x")]).expect_err("a text");
    assert_eq!(error.sqlstate(), "42804");
    let named =
        session.prepare_named("SELECT count(*) FROM all_types WHERE km BETWEEN :low AND :high").expect("a query");
    assert_eq!(named.parameter_names(), ["low", "high"]);
    assert_eq!(count(&named, named_params! { "high": 100, "low": 12.5 }), Ok(2));
    assert_eq!(count(&named, params![13, "100"]), Ok(1));
    assert_eq!(count(&named, named_params! { "high": 100 }), Err("42P02"));
    // More combinations of types than are kept.
    for digits in 2..18u32 {
        assert_eq!(count(&far, params![Numeric::new(10i64.pow(digits) + 1, digits)]), Ok(2));
    }
}

/// The types are those of PostgreSQL's `pg_prepared_statements`.
#[test]
fn inferred_types_have_no_digits_and_no_lengths() {
    let session = session();
    session
        .sql(
            "CREATE TABLE limited (km decimal(8,1), v varchar(3), c char(3), b bit(3), vb varbit(3), i int, n numeric,
                a decimal(8,1)[], va varchar(3)[])",
        )
        .expect("a table");
    for (sql, expected) in [
        ("SELECT * FROM limited WHERE km > $1", "numeric"),
        (
            "SELECT i FROM limited WHERE km BETWEEN $1 AND $2 OR km IN ($3, $4) OR km = ANY ($5) OR $6 = km",
            "numeric, numeric, numeric, numeric, numeric[], numeric",
        ),
        (
            "SELECT km + $1, km * $2, km / $3, km % $4, CASE WHEN i = 1 THEN km ELSE $5 END, coalesce(km, $6),
                greatest(km, $7), nullif(km, $8), round(km, $9), power(km, $10) FROM limited",
            "numeric, numeric, numeric, numeric, numeric, numeric, numeric, numeric, integer, numeric",
        ),
        (
            "SELECT v = $1, v || $2, v LIKE $3, v IN ($4, $5), coalesce(v, $6), nullif(v, $7) FROM limited",
            "text, text, text, varchar, varchar, varchar, text",
        ),
        (
            "SELECT c = $1, c || $2, c LIKE $3, c IN ($4, $5), coalesce(c, $6), nullif(c, $7) FROM limited",
            "bpchar, text, text, bpchar, bpchar, bpchar, bpchar",
        ),
        (
            "SELECT b = $1, b & $2, b IN ($3, $4), coalesce(b, $5), vb = $6, coalesce(vb, $7) FROM limited",
            "bit, bit, bit, bit, bit, bit varying, bit varying",
        ),
        (
            "SELECT a = $1, a || $2, array_append(a, $3), ARRAY[km, $4], ARRAY[v, $5], $6 = ANY (a) FROM limited",
            "numeric[], numeric[], numeric, numeric, varchar, numeric",
        ),
        (
            "INSERT INTO limited (km, v, c, b, vb, a) VALUES ($1, $2, $3, $4, $5, $6)",
            "numeric, varchar, bpchar, bit, bit varying, numeric[]",
        ),
        ("INSERT INTO limited (km, v, c, b) SELECT $1, $2, $3, $4", "numeric, varchar, bpchar, bit"),
        ("INSERT INTO limited (km, v, c) VALUES ($1, $2, $3), ($1, $2, $3)", "numeric, varchar, bpchar"),
        (
            "SELECT $1::decimal(8,1), $2::varchar(3), $3::char(3), $4::bit(3), $5::decimal(8,1)[]",
            "numeric, varchar, bpchar, bit, numeric[]",
        ),
        ("SELECT km FROM limited UNION ALL SELECT $1", "numeric"),
        ("VALUES (1.5, 'a'), ($1, $2)", "numeric, text"),
        (
            "SELECT (km, i) = ($1, $2), km IS DISTINCT FROM $3, km BETWEEN SYMMETRIC $4 AND $5, mod(km, $6),
                coalesce($7, km), lag(km, 1, $8) OVER () FROM limited",
            "numeric, integer, numeric, numeric, numeric, numeric, numeric, numeric",
        ),
        ("SELECT 1.25 + $1, 1.25 = $2, i = $3, n = $4 FROM limited", "numeric, numeric, integer, numeric"),
        ("SELECT km = $1, i = $1 FROM limited", "numeric"),
        ("SELECT i = $1, km = $1 FROM limited", "integer"),
    ] {
        let prepared = session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let types: Vec<String> = prepared.parameter_types().iter().map(DataType::to_string).collect();
        assert_eq!(types.join(", "), expected, "{sql}");
    }
}

/// What nothing but the parameter itself says stays so where another one is a numeric.
#[test]
fn a_declared_text_beside_a_numeric() {
    let session = session();
    let list = params![(Value::text("x"), DataType::Text), "12.5"];
    let row = session.query_row("SELECT pg_typeof($1)::text, $2 = 12.50", list, |row| {
        Ok((row.get::<String>(0)?, row.get::<bool>(1)?))
    });
    assert_eq!(row, Ok(("text".to_owned(), true)));
}

#[test]
fn values_beside_decimals_keep_their_digits() {
    let session = session();
    session.execute("INSERT INTO all_types (km, i) VALUES (12.5, 12), (12.4, 13), (NULL, 14)", ()).expect("rows");
    let count = |condition: &str, parameters: crate::ParameterList| {
        let sql = format!("SELECT count(*) FROM all_types WHERE {condition}");
        let known = shown(&session, &sql, &parameters);
        let prepared = session.prepare(&sql).expect("a query");
        let row = prepared.query_scalar::<i64>(&session, &parameters).expect("it runs");
        assert_eq!(known, format!("bigint {row}"), "{condition}");
        row
    };
    for text in [false, true] {
        let of = |value: f64| if text { params![value.to_string()] } else { params![value] };
        let both = |low: f64, high: f64| {
            if text { params![low.to_string(), high.to_string()] } else { params![low, high] }
        };
        assert_eq!(count("km > $1", of(12.46)), 1);
        assert_eq!(count("km >= $1", of(12.46)), 1);
        assert_eq!(count("km < $1", of(12.46)), 1);
        assert_eq!(count("km = $1", of(12.46)), 0);
        assert_eq!(count("km <> $1", of(12.46)), 2);
        assert_eq!(count("km IS DISTINCT FROM $1", of(12.46)), 3);
        assert_eq!(count("km IS NOT DISTINCT FROM $1", of(12.5)), 1);
        assert_eq!(count("$1 = km", of(12.4)), 1);
        assert_eq!(count("i = $1 + 0.0", of(12.0)), 1);
        assert_eq!(count("i + 0.0 = $1", of(12.0)), 1);
        assert_eq!(count("km = $1", of(1e30)), 0);
        assert_eq!(count("km < $1", of(1e30)), 2);
        assert_eq!(count("km > $1", of(-1e30)), 2);
        assert_eq!(count("km IN ($1, $2)", both(12.46, 12.4)), 1);
        assert_eq!(count("km NOT IN ($1, $2)", both(12.46, 12.54)), 2);
        assert_eq!(count("km BETWEEN $1 AND $2", both(12.46, 12.54)), 1);
        assert_eq!(count("CASE WHEN i > 0 THEN km ELSE $1 END = $2", both(1.25, 12.5)), 1);
        assert_eq!(count("coalesce(km, $1) = $2", both(12.46, 12.46)), 1);
        assert_eq!(count("km + $1 = $2", both(0.01, 12.51)), 1);
    }
    assert_eq!(count("km = $1", params![None::<f64>]), 0);
    assert_eq!(count("km IS NOT DISTINCT FROM $1", params![None::<f64>]), 1);
    assert_eq!(count("km < $1", params![f64::NAN]), 2);
    assert_eq!(count("km = $1", params![Numeric::NaN]), 0);
    assert_eq!(count("km < $1", params![Numeric::NaN]), 2);
    for (sql, expected) in [
        ("SELECT km FROM all_types WHERE i = 12 UNION ALL SELECT $1 ORDER BY 1 LIMIT 1", "12.46"),
        ("SELECT max(coalesce(km, $1)) FROM all_types WHERE i = 14", "12.46"),
        ("SELECT greatest(km, $1) FROM all_types WHERE i = 13", "12.46"),
        ("SELECT (ARRAY[km, $1])[2] FROM all_types WHERE i = 13", "12.46"),
        ("SELECT (array_append(lk, $1))[1] FROM all_types WHERE i = 13", "12.46"),
        ("SELECT km * $1 FROM all_types WHERE i = 12", "155.750"),
        ("SELECT 1 FROM all_types WHERE km = 12.5 AND $1 = ANY (ARRAY[12.5, 12.46])", "1"),
    ] {
        let found = shown(&session, sql, params!["12.46"]);
        assert_eq!(found.rsplit(' ').next(), Some(expected), "{sql}: {found}");
        let prepared = session.prepare(sql).expect("a query");
        let found = prepared.query(&session, params![12.46]).and_then(|rows| rows.single(|row| row.text(0)));
        assert_eq!(found.expect("it runs").as_deref(), Some(expected), "{sql}");
    }
}

/// From the end of the text the place is that of the same statement with literals, without blanks before it.
#[test]
fn errors_are_where_they_were_written() {
    let session = session();
    let names: Vec<String> = (b'a'..=b'l').map(|name| char::from(name).to_string()).collect();
    let list = || crate::ParameterList::named(names.iter().map(|name| (name.as_str(), 0.to_parameter())).collect());
    // What is added has a type: of two that are unknown no operator knows which it is.
    let named: Vec<String> = names.iter().map(|name| format!(":{name}::int")).collect();
    let literals = vec!["0::int"; names.len()].join(" + ");
    let place = |sql: &str, error: Error| {
        let position = error.position().unwrap_or_else(|| panic!("{sql}: {error} is nowhere"));
        (error.sqlstate().to_owned(), sql.len() - position.0 as usize)
    };
    for sql in [
        // Where it is parsed, bound, and run.
        "SELECT {} FROM WHERE",
        "SELECT {}, nothing",
        "  SELECT {}, /* ä */ nothing",
        "SELECT {}, 1::nothing",
        "SELECT sum({} + 10 / i) FROM generate_series(0, 3) g(i)",
        " SELECT sum({} + 10 / i) FROM generate_series(0, 3) g(i)",
        "\n-- a note\nINSERT INTO all_types (i) SELECT {} + 10 / i FROM generate_series(0, 3) g(i)",
    ] {
        let of_literals = sql.trim_start().replacen("{}", &literals, 1);
        let of_literals = of_literals.rsplit_once("-- a note\n").map_or(&*of_literals, |(_, sql)| sql);
        let run = session.query(of_literals, ()).and_then(|rows| rows.count());
        let expected = place(of_literals, run.expect_err("it fails"));
        let sql = sql.replacen("{}", &named.join(" + "), 1);
        let run = session.query(&sql, list()).and_then(|rows| rows.count());
        assert_eq!(place(&sql, run.expect_err("it fails")), expected, "{sql}");
        let prepared = session.prepare_named(&sql);
        let run = prepared.and_then(|prepared| prepared.query(&session, list())?.count());
        assert_eq!(place(&sql, run.expect_err("it fails")), expected, "{sql}");
    }
}

#[test]
fn a_query_is_planned_once() {
    let session = session();
    session.execute("INSERT INTO all_types (km, i, t) VALUES (12.5, 12, 'x')", ()).expect("a row");
    for (sql, parameters) in [
        ("SELECT i FROM all_types WHERE i = $1", params![12]),
        ("SELECT i FROM all_types WHERE km = $1", params![12.5]),
        ("SELECT i FROM all_types WHERE km > $1 AND i = $2", params!["12.46", 12i64]),
        ("SELECT i FROM all_types WHERE i < $1", params![12.5]),
        ("SELECT $1 + $2", params![1, 2]),
        ("SELECT i + $1 FROM all_types WHERE t = $2", params![3_000_000_000i64, "x"]),
    ] {
        let before = crate::plan::plans_made();
        session.query(sql, &parameters).and_then(|rows| rows.count()).expect("it runs");
        assert_eq!(crate::plan::plans_made() - before, 1, "{sql}");
        let prepared = session.prepare("SELECT i FROM all_types WHERE km > $1").expect("a query");
        let before = crate::plan::plans_made();
        for km in [1.0, 12.46, 3.75] {
            prepared.query(&session, [km]).and_then(|rows| rows.count()).expect("it runs");
        }
        assert_eq!(crate::plan::plans_made(), before);
    }
}

#[test]
fn errors_and_transactions() {
    let session = session();
    session.sql("BEGIN").expect("it begins");
    // Binding it without types fails at first, which is no error of the transaction.
    assert_eq!(shown(&session, "SELECT $1 + $2", params![1, 2]), "integer 3");
    assert_eq!(session.transaction_status(), TransactionStatus::Active);
    assert_eq!(shown(&session, "SELECT $1::int", params!["x"]), "22P02");
    assert_eq!(session.transaction_status(), TransactionStatus::Failed);
    assert_eq!(shown(&session, "SELECT $1::int", params![1]), "25P02");
    session.sql("ROLLBACK").expect("it ends");
    assert_eq!(
        session.execute("INSERT INTO all_types (i) SELECT * FROM generate_series(1, $1)", [3]).expect("rows"),
        3
    );
    assert_eq!(session.execute("CREATE TABLE other (a int)", ()).expect("a table"), 0);
    assert_eq!(session.execute("SELECT i FROM all_types", ()).expect("rows"), 3);
    assert_eq!(session.execute("SELECT FROM all_types", ()).expect("rows without columns"), 3);
    session.sql("SET standard_conforming_strings = off").expect("it is set");
    let sql = "SELECT 'a\\' :x' || :y";
    assert_eq!(shown(&session, sql, named_params! { "y": "b" }), "text a' :xb");
    let prepared = session.prepare_named(sql).expect("a query");
    assert_eq!(prepared.parameter_names(), ["y"]);
    for (text, is_now) in [("today", true), ("now", true), ("2026-01-01", false), ("yesterday", false)] {
        let expected = if is_now { "boolean t" } else { "boolean f" };
        assert_eq!(shown(&session, "SELECT $1::date = current_date", params![text]), expected);
        assert_eq!(shown(&session, "SELECT current_date = $1", params![text]), expected);
    }
}

#[test]
fn binding_and_run_are_one_statement() {
    let session = session();
    let handle = session.cancel_handle();
    session.sql("SET statement_timeout = '100ms'").expect("a limit");
    let slow = "SELECT pg_sleep($1), $2 + $3";
    let error = session.query(slow, params![5, 1, 2]).and_then(|rows| rows.count()).expect_err("it is too slow");
    assert_eq!(error.sqlstate(), "57014");
    session.sql("SET statement_timeout = 0").expect("no limit");
    // One that is there before the first step reaches the run, and no other statement.
    handle.cancel();
    assert_eq!(shown(&session, "SELECT $1 + $2", params![1, 2]), "57014");
    assert_eq!(shown(&session, "SELECT $1 + $2", params![1, 2]), "integer 3");
}
