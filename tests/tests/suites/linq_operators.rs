//! What untyped frames say beyond one SELECT over tables, each beside its SQL twin over NULLs, NaN, duplicates and empty tables:
//! subqueries, semi joins, LATERAL, sets, VALUES, functions in FROM, windows, ordered aggregates, and values of Rust's types. The
//! program is the twin's, and so are the rows of the text that a frame prints.

use multiloop::linq::{
    Expression, Frame, Join, array, array_of, col, count, current_row, dense_rank, exists, following, function, lag,
    lead, lit, max, not, null, parameter, preceding, rank, row_in_frame, row_number, scalar, sum, value, window,
};
use multiloop::{DataType, Engine, Error, Interval, Session, Value, params};
use multiloop_tests::text_rows;

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session
        .sql(
            "CREATE TABLE t (k integer, v bigint, s text, f double precision, b boolean, d date, a integer[]);
             INSERT INTO t VALUES (1, 10, 'a', 0.5, true, '1995-01-01', '{1,2}'), (1, 20, NULL, -1, false, NULL, NULL),
                 (2, 30, 'It''s', 'NaN', NULL, '1996-02-29', '{}'), (NULL, 40, 'a%', NULL, true, '1995-01-01', '{3,NULL}'),
                 (2, 30, 'It''s', 'NaN', NULL, '1996-02-29', '{}');
             CREATE TABLE u (k integer, w text);
             INSERT INTO u VALUES (1, 'one'), (3, 'three'), (NULL, 'none'), (1, 'uno');
             CREATE TABLE empty (k integer, w text);",
        )
        .expect("the tables are made");
    session
}

fn lines(session: &Session, sql: &str) -> Vec<String> {
    let result = session.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    text_rows(result).expect("rows come").into_iter().map(|row| row.join("|")).collect()
}

/// The names and types of the columns, and the rows in some order.
fn answer(result: multiloop::ResultStream) -> Result<(Vec<String>, Vec<String>), Error> {
    let names = result.fields().iter().map(|field| format!("{} {}", field.name, field.data_type)).collect();
    let mut rows: Vec<String> = text_rows(result)?.into_iter().map(|row| row.join("|")).collect();
    rows.sort();
    Ok((names, rows))
}

/// The frame gives the rows of the text, and so does the text that it prints.
#[track_caller]
fn same_rows(session: &Session, frame: &Frame<'_>, sql: &str) {
    let said = frame.to_sql();
    let theirs = session.sql(sql).and_then(answer).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let ours = frame.run().and_then(answer).unwrap_or_else(|error| panic!("{said}: {error}"));
    assert_eq!(ours, theirs, "{said}");
    let printed = session.sql(&said).and_then(answer).unwrap_or_else(|error| panic!("{said}: {error}"));
    assert_eq!(printed, theirs, "{said}");
}

/// And both are one program.
#[track_caller]
fn twins(session: &Session, frame: &Frame<'_>, sql: &str) {
    same_rows(session, frame, sql);
    let ours = frame.explain_loops().expect("it can be explained");
    let theirs = lines(session, &format!("EXPLAIN (LOOPS) {sql}")).join("\n");
    assert_eq!(ours.trim_end(), theirs.trim_end(), "{}", frame.to_sql());
}

#[test]
fn subqueries_have_their_twins() {
    let session = session();
    let (t, u, empty) = (|| session.table("t"), || session.table("u"), || session.table("empty"));
    let check = |frame: Frame<'_>, sql: &str| twins(&session, &frame, sql);
    let same = || col("u.k").eq(col("t.k"));
    check(t().filter(exists(u().filter(same()))), "SELECT * FROM t WHERE EXISTS (SELECT * FROM u WHERE u.k = t.k)");
    check(
        t().filter(not(exists(u().filter(same())))),
        "SELECT * FROM t WHERE NOT (EXISTS (SELECT * FROM u WHERE u.k = t.k))",
    );
    check(t().filter(exists(empty())), "SELECT * FROM t WHERE EXISTS (SELECT * FROM empty)");
    let keys = || u().select([col("k")]);
    check(t().filter(col("k").is_in_frame(keys())), "SELECT * FROM t WHERE k IN (SELECT k FROM u)");
    // A NULL among the values is no answer.
    check(t().filter(not(col("k").is_in_frame(keys()))), "SELECT * FROM t WHERE NOT (k IN (SELECT k FROM u))");
    check(
        t().filter(not(col("k").is_in_frame(empty().select([col("k")])))),
        "SELECT * FROM t WHERE NOT (k IN (SELECT k FROM empty))",
    );
    check(
        t().filter(row_in_frame([col("k"), col("s")], u().select([col("k"), lit("a").cast(DataType::Text)]))),
        "SELECT * FROM t WHERE (k, s) IN (SELECT k, CAST('a' AS text) FROM u)",
    );
    let most = || scalar(u().filter(same()).select([max(col("w"))]));
    check(
        t().select([col("v"), most().alias("most"), scalar(empty().select([count()]))]),
        "SELECT v, (SELECT max(w) FROM u WHERE u.k = t.k) AS most, (SELECT count(*) FROM empty) FROM t",
    );
    check(
        t().select([col("v"), array_of(u().filter(same()).select([col("w")]).order_by([col("w")]))]),
        "SELECT v, ARRAY(SELECT w FROM u WHERE u.k = t.k ORDER BY w) FROM t",
    );
    // Two levels out, within a group.
    let inner = session.table("u").alias("x").filter(col("x.k").eq(col("t.k")).and(col("x.w").eq(col("u.w"))));
    check(
        t().filter(exists(u().filter(exists(inner)))).group_by([col("k")]).select([col("k"), count()]),
        "SELECT k, count(*) FROM t WHERE EXISTS (SELECT * FROM u WHERE EXISTS
            (SELECT * FROM u AS x WHERE x.k = t.k AND x.w = u.w)) GROUP BY k",
    );
}

#[test]
fn joins_and_sets_have_their_twins() {
    let session = session();
    let (t, u) = (|| session.table("t"), || session.table("u"));
    let check = |frame: Frame<'_>, sql: &str| twins(&session, &frame, sql);
    let same = || col("t.k").eq(col("u.k"));
    let exists = "EXISTS (SELECT 1 FROM u WHERE t.k = u.k)";
    same_rows(&session, &t().semi_join(u(), same()), &format!("SELECT * FROM t WHERE {exists}"));
    same_rows(&session, &t().anti_join(u(), same()), &format!("SELECT * FROM t WHERE NOT {exists}"));
    same_rows(
        &session,
        &t().anti_join(u(), same()).filter(col("v").gt(30).or(col("k").is_null())).select([col("v")]),
        &format!("SELECT v FROM t WHERE NOT {exists} AND (v > 30 OR k IS NULL)"),
    );
    check(t().cross_join(u()).select([col("v"), col("w")]), "SELECT v, w FROM t JOIN u ON true");
    let first = || u().filter(col("u.k").eq(col("t.k"))).order_by([col("w")]).limit(1, 0).alias("first");
    check(
        t().lateral_join(first(), Join::Left, lit(true)).select([col("v"), col("w")]),
        "SELECT v, w FROM t LEFT JOIN LATERAL (SELECT * FROM u WHERE u.k = t.k ORDER BY w LIMIT 1) AS first ON true",
    );
    check(
        t().select_many(first()).select([col("v"), col("w")]),
        "SELECT v, w FROM t JOIN LATERAL (SELECT * FROM u WHERE u.k = t.k ORDER BY w LIMIT 1) AS first ON true",
    );
    let (left, right) = (|| t().select([col("k"), null().alias("x")]), || u().select([col("k"), col("w")]));
    let sides = ["SELECT k, NULL AS x FROM t", "SELECT k, w FROM u"];
    let all: [(&str, Frame<'_>); 6] = [
        ("UNION", left().union(right())),
        ("UNION ALL", left().union_all(right())),
        ("INTERSECT", left().intersect(right())),
        ("INTERSECT ALL", left().intersect_all(right())),
        ("EXCEPT", left().except(right())),
        ("EXCEPT ALL", left().except_all(right())),
    ];
    for (name, frame) in all {
        check(frame, &format!("SELECT * FROM (({}) {name} ({})) AS combined", sides[0], sides[1]));
    }
    check(
        left().union_all(right()).union(left()).filter(col("k").gt(1)),
        &format!(
            "SELECT * FROM ((SELECT * FROM (({0}) UNION ALL ({1})) AS combined) UNION ({0})) AS combined WHERE k > 1",
            sides[0], sides[1]
        ),
    );
    check(
        t().select([col("k"), col("v")]).distinct_on([col("k")]).order_by([col("k").asc(), col("v").desc()]),
        "SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v DESC",
    );
}

#[test]
fn rows_without_tables_have_their_twins() {
    let session = session();
    let check = |frame: Frame<'_>, sql: &str| twins(&session, &frame, sql);
    let rows = [[lit(1), lit("a")], [null(), null()], [lit(3), lit("c")]];
    check(
        Frame::values(&session, rows, ["n", "t"]).alias("x").filter(col("x.n").gt(1)),
        "SELECT * FROM (VALUES (1, 'a'), (NULL, NULL), (3, 'c')) AS x (n, t) WHERE x.n > 1",
    );
    let none: [[Expression; 1]; 0] = [];
    let nothing = Frame::values(&session, none, ["n"]);
    assert!(lines(&session, &nothing.to_sql()).is_empty());
    assert!(text_rows(nothing.run().expect("it runs")).expect("rows come").is_empty());
    check(Frame::one_row(&session).select([lit(1).alias("one")]), "SELECT 1 AS one");
    let series = function("generate_series", [lit(1), lit(3)]);
    check(
        Frame::function(&session, series, ["i"]).alias("g").select([col("g.i") * 2]),
        "SELECT g.i * 2 FROM generate_series(1, 3) AS g (i)",
    );
    let t = || session.table("t");
    let items = || Frame::function(&session, function("unnest", [col("t.a")]), ["item"]).alias("x");
    check(
        t().select_many(items()).select([col("v"), col("item")]),
        "SELECT v, item FROM t JOIN LATERAL unnest(t.a) AS x (item) ON true",
    );
    check(
        t().join(items(), Join::Left, lit(true)).select([col("v"), col("item")]),
        "SELECT v, item FROM t LEFT JOIN unnest(t.a) AS x (item) ON true",
    );
    check(t().select([col("v"), function("unnest", [col("a")])]), "SELECT v, unnest(a) FROM t");
}

#[test]
fn windows_and_ordered_aggregates_have_their_twins() {
    let session = session();
    let check = |expression: Expression, sql: &str| {
        twins(&session, &session.table("t").select([col("v"), expression]), &format!("SELECT v, {sql} FROM t"));
    };
    let by_key = || window().partition_by([col("k")]).order_by([col("v").desc(), col("f").asc()]);
    let over = "OVER (PARTITION BY k ORDER BY v DESC, f";
    check(row_number().over(by_key()), &format!("row_number() {over})"));
    check(rank().over(by_key()), &format!("rank() {over})"));
    check(dense_rank().over(window().order_by([col("k")])), "dense_rank() OVER (ORDER BY k)");
    check(lag(col("s"), 1).over(by_key()), &format!("lag(s, 1) {over})"));
    check(lead(col("s"), 2).over(window().order_by([col("v")])), "lead(s, 2) OVER (ORDER BY v)");
    check(sum(col("v")).over(window()), "sum(v) OVER ()");
    let between = |sql: &str| format!("sum(v) OVER (ORDER BY v {sql})");
    let by_value = || window().order_by([col("v")]);
    check(sum(col("v")).over(by_value().rows(-1..=1)), &between("ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"));
    check(sum(col("v")).over(by_value().rows(-2..)), &between("ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING"));
    check(sum(col("v")).over(by_value().range(-10..=0)), &between("RANGE BETWEEN 10 PRECEDING AND CURRENT ROW"));
    check(
        sum(col("v")).over(by_value().range(..=following(lit(5) + 5)).exclude_group()),
        &between("RANGE BETWEEN UNBOUNDED PRECEDING AND 5 + 5 FOLLOWING EXCLUDE GROUP"),
    );
    check(
        sum(col("v")).over(by_value().range(preceding(10)..=current_row()).exclude_ties()),
        &between("RANGE BETWEEN 10 PRECEDING AND CURRENT ROW EXCLUDE TIES"),
    );
    check(
        sum(col("v")).over(by_value().groups(..).exclude_current_row()),
        &between("GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW"),
    );
    check(
        count().only_where(col("b")).over(window().partition_by([col("k")])),
        "count(*) FILTER (WHERE b) OVER (PARTITION BY k)",
    );
    let check = |expression: Expression, sql: &str| {
        twins(&session, &session.table("t").select([expression]), &format!("SELECT {sql} FROM t"));
    };
    let listed = || function("string_agg", [col("s"), lit("-")]);
    check(listed().in_order([col("v").desc()]), "string_agg(s, '-' ORDER BY v DESC)");
    check(function("array_agg", [col("k")]).distinct().in_order([col("k")]), "array_agg(DISTINCT k ORDER BY k)");
    check(
        function("percentile_cont", [lit(0.5)]).in_order([col("v")]),
        "percentile_cont(CAST('0.5' AS double precision)) WITHIN GROUP (ORDER BY v)",
    );
    check(function("rank", [lit(20)]).in_order([col("v")]), "rank(20) WITHIN GROUP (ORDER BY v)");
}

#[test]
fn expressions_have_their_twins() {
    let session = session();
    let check = |expression: Expression, sql: &str| {
        twins(&session, &session.table("t").select([expression]), &format!("SELECT {sql} FROM t"));
    };
    check(-col("k"), "-k");
    check(-(-col("f")) + -lit(1), "-(-f) + -(1)");
    check(col("s").not_like("a%"), "s NOT LIKE 'a%'");
    check(col("s").ilike("IT%"), "s ILIKE 'IT%'");
    check(col("s").not_ilike("IT%"), "s NOT ILIKE 'IT%'");
    check(col("s").matches_regex("^a.?$"), "s ~ '^a.?$'");
    check(col("k").distinct_from(1), "k IS DISTINCT FROM 1");
    check(col("k").not_distinct_from(null()), "k IS NOT DISTINCT FROM NULL");
    check(col("f").distinct_from(col("f")), "f IS DISTINCT FROM f");
    check(col("b").is_true(), "b IS TRUE");
    check(not(col("b").is_false()), "NOT (b IS FALSE)");
    check(col("b").is_unknown(), "b IS UNKNOWN");
    check(col("s").concat("!"), "s || '!'");
    check(col("d").extract("year"), "EXTRACT(year FROM d)");
    check(array([col("k"), lit(7)]), "ARRAY[k, 7]");
    check(array::<Expression>([]).cast(DataType::list(DataType::Text)), "CAST(ARRAY[] AS text[])");
    check(col("a").element(1), "a[1]");
    check(array([array([col("k")]), array([lit(2)])]).element(2).element(1), "(ARRAY[ARRAY[k], ARRAY[2]])[2][1]");
    check(col("k").eq_any(col("a")), "k = ANY (a)");
}

#[test]
fn values_of_rust_are_literals_of_their_types() {
    let session = session();
    let check = |expression: Expression, sql: &str| {
        twins(&session, &Frame::one_row(&session).select([expression.alias("x")]), &format!("SELECT {sql} AS x"));
    };
    check(lit(5_i16), "'5'::smallint");
    check(lit(i64::MIN).cast(DataType::BigInt), "'-9223372036854775808'::bigint");
    check(lit(f32::NAN), "'NaN'::real");
    check(value(&f64::NEG_INFINITY), "'-Infinity'::double precision");
    check(value(&-0.0_f64), "'-0'::double precision");
    check(lit(None::<i32>), "NULL::integer");
    check(lit(Some("it's \\ \"so\"")), "'it''s \\ \"so\"'");
    check(value(&b"\x00\xff"[..]), "'\\x00ff'::bytea");
    check(lit(vec![Some(1_i32), None]), "'{1,NULL}'::integer[]");
    check(lit(vec!["a,b", "", "NULL"]), "'{\"a,b\",\"\",\"NULL\"}'::text[]");
    check(lit(vec![vec![1_i64, 2], vec![3, 4]]), "'{{1,2},{3,4}}'::bigint[]");
    check(lit(Vec::<i32>::new()), "'{}'::integer[]");
    check(lit(Interval { months: 14, days: -3, micros: 1 }), "'14 months -3 days 0.000001 s'::interval");
    check(lit(multiloop::Date::new(1996, 2, 29).expect("a day")), "'1996-02-29'::date");
    let refused = [
        (value(&(Value::Int(i64::MAX), DataType::Integer)), "22003"),
        (value(&(Value::Boolean(true), DataType::Date)), "42804"),
        (value(&(Value::text("a\0b"), DataType::Text)), "22021"),
        (lit(vec![vec![1], vec![2, 3]]), "2202E"),
        (col("t.k"), "42P01"),
    ];
    for (expression, state) in refused {
        let error = Frame::one_row(&session).select([expression]).run().map(drop).expect_err(state);
        assert_eq!(error.sqlstate(), state, "{error}");
    }
    let far = session.table("t").filter(col("v").gt(parameter(1)).and(col("d").lt(parameter(2)))).select([col("v")]);
    let rows = far.query(params![15, "1996-01-01"]).expect("it runs");
    assert_eq!(rows.count(), 1);
}

#[test]
fn errors_have_their_twins() {
    let (session, other) = (session(), session());
    let t = || session.table("t");
    let check = |frame: Frame<'_>, sql: &str| {
        let told = |error: &Error| (error.sqlstate(), error.message().to_owned());
        let theirs = session.sql(sql).and_then(text_rows).map(drop).expect_err(sql);
        let ours = frame.run().and_then(text_rows).map(drop).expect_err(sql);
        assert_eq!(told(&ours), told(&theirs), "{sql}");
    };
    let two = || session.table("u").select([col("k"), col("w")]);
    check(t().select([scalar(two())]), "SELECT (SELECT k, w FROM u) FROM t");
    check(t().select([scalar(session.table("u").select([col("k")]))]), "SELECT (SELECT k FROM u) FROM t");
    check(t().filter(col("k").is_in_frame(two())), "SELECT * FROM t WHERE k IN (SELECT k, w FROM u)");
    check(
        t().filter(col("k").is_in_frame(session.table("u").select([col("w")]))),
        "SELECT * FROM t WHERE k IN (SELECT w FROM u)",
    );
    check(
        t().filter(exists(session.table("u").filter(col("y.k").eq(1)))),
        "SELECT * FROM t WHERE EXISTS (SELECT * FROM u WHERE y.k = 1)",
    );
    check(
        t().join(session.table("u").filter(col("t.k").eq(1)).alias("x"), Join::Inner, lit(true)),
        "SELECT * FROM t JOIN (SELECT * FROM u WHERE t.k = 1) AS x ON true",
    );
    check(
        t().lateral_join(session.table("u").filter(col("t.k").eq(1)).alias("x"), Join::Full, lit(true)),
        "SELECT * FROM t FULL JOIN LATERAL (SELECT * FROM u WHERE t.k = 1) AS x ON true",
    );
    check(
        t().select([col("k")]).union(two()),
        "SELECT * FROM ((SELECT k FROM t) UNION (SELECT k, w FROM u)) AS combined",
    );
    check(t().filter(rank().over(window()).eq(1)), "SELECT * FROM t WHERE rank() OVER () = 1");
    check(t().select([sum(row_number().over(window()))]), "SELECT sum(row_number() OVER ()) FROM t");
    check(t().select([lag(col("k"), 1).distinct().over(window())]), "SELECT lag(DISTINCT k, 1) OVER () FROM t");
    check(t().select([function("lower", [col("s")]).over(window())]), "SELECT lower(s) OVER () FROM t");
    check(t().select([function("lower", [col("s")]).in_order([col("s")])]), "SELECT lower(s ORDER BY s) FROM t");
    check(t().select([function("percentile_cont", [lit(1)])]), "SELECT percentile_cont(1) FROM t");
    check(t().select([-col("s")]), "SELECT -s FROM t");
    check(t().select([array::<Expression>([])]), "SELECT ARRAY[] FROM t");
    check(t().select([col("s").is_true()]), "SELECT s IS TRUE FROM t");
    let rows = [vec![lit(1)], vec![lit(1), lit(2)]];
    check(Frame::values(&session, rows, ["a"]), "SELECT * FROM (VALUES (1), (1, 2)) AS listed (a)");
    check(Frame::values(&session, [[lit(1)]], ["a", "b"]), "SELECT * FROM (VALUES (1)) AS listed (a, b)");
    for frame in
        [t().union(other.table("t")), t().cross_join(other.table("u")), t().semi_join(other.table("u"), lit(true))]
    {
        let error = frame.run().map(drop).expect_err("it is of another engine");
        assert!(error.message().contains("another engine"), "{error}");
    }
    assert_eq!(t().select([col("k").over(window())]).run().map(drop).expect_err("no call").sqlstate(), "0A000");
}

#[test]
fn calls_refuse_the_clauses_that_they_refuse_in_text() {
    let session = session();
    let t = || session.table("t");
    let told = |error: &Error| (error.sqlstate(), error.message().to_owned());
    let error = |result: multiloop::Result<_>| told(&result.and_then(text_rows).map(drop).expect_err("it is wrong"));
    let check = |call: Expression, sql: &str| {
        assert_eq!(error(t().select([call]).run()), error(session.sql(&format!("SELECT {sql} FROM t"))), "{sql}");
    };
    let lower = || function("lower", [col("s")]);
    check(lower().distinct(), "lower(DISTINCT s)");
    check(lower().only_where(lit(true)), "lower(s) FILTER (WHERE true)");
    check(lower().ignore_nulls(), "lower(s) IGNORE NULLS");
    check(lower().in_order([col("k")]).over(window()), "lower(s ORDER BY k) OVER ()");
    check(row_number(), "row_number()");
    check(function("first_value", [col("k")]).distinct().over(window()), "first_value(DISTINCT k) OVER ()");
    check(lag(col("k"), 1).only_where(lit(true)).over(window()), "lag(k, 1) FILTER (WHERE true) OVER ()");
    check(lag(col("k"), 1).in_order([col("v")]).over(window()), "lag(k, 1 ORDER BY v) OVER ()");
    check(rank().ignore_nulls().over(window()), "rank() IGNORE NULLS OVER ()");
    check(sum(col("v")).distinct().over(window()), "sum(DISTINCT v) OVER ()");
    check(function("nothing", [col("k")]).over(window()), "nothing(k) OVER ()");
    check(function("nothing", [col("k")]), "nothing(k)");
    check(function("mode", []), "mode()");
    check(function("percentile_disc", [lit(0.5)]).over(window()), "percentile_disc(0.5) OVER ()");
    let disc = || function("percentile_disc", [lit(0.5)]).in_order([col("v")]);
    check(disc().distinct(), "percentile_disc(DISTINCT 0.5) WITHIN GROUP (ORDER BY v)");
    let two = function("percentile_disc", [lit(0.5)]).in_order([col("v"), col("k")]);
    check(two, "percentile_disc(0.5) WITHIN GROUP (ORDER BY v, k)");
    let from = |call: Expression| error(Frame::function(&session, call, ["i"]).run());
    assert_eq!(from(sum(lit(1))), error(session.sql("SELECT * FROM sum(1) AS s (i)")));
    assert_eq!(from(function("nothing", [])), error(session.sql("SELECT * FROM nothing() AS s (i)")));
}

#[test]
fn what_nests_too_deeply_is_an_error() {
    let session = session();
    let deep = |levels: usize| (0..levels).fold(lit(true), |inner, _| not(inner));
    let frame = session.table("t").filter(deep(100_000));
    assert_eq!(frame.run().map(drop).expect_err("it is too deep").sqlstate(), "54001");
    assert!(frame.to_sql().len() > 1000);
    assert!(format!("{:?}", deep(100_000)).len() > 1000);
    let copy = frame.clone();
    drop(frame);
    drop(copy);
    let deep = (0..100_000).fold(session.table("t"), |frame, _| frame.limit(1, 0));
    assert_eq!(deep.run().map(drop).expect_err("it is too deep").sqlstate(), "54001");
    assert!(deep.to_sql().len() > 1000);
    drop(deep);
    let deep = (0..100_000).fold(session.table("t"), |frame, _| session.table("t").filter(exists(frame)));
    assert_eq!(deep.run().map(drop).expect_err("it is too deep").sqlstate(), "54001");
}

#[test]
fn iterations_have_their_twins() {
    let session = session();
    let (t, u) = (|| session.table("t"), || session.table("u"));
    let seed = || t().filter(col("k").is_not_null()).select([col("k"), col("v")]);
    twins(
        &session,
        &seed().iterate(3, |state| state.select([col("k"), col("v") + 1])),
        "SELECT * FROM iterate((SELECT k, v FROM t WHERE k IS NOT NULL), (SELECT k, v + 1 FROM iterate), times => 3)",
    );
    twins(
        &session,
        &seed().iterate_until(
            100,
            |state| state.join(u(), Join::Left, col("state.k").eq(col("u.k"))).select([col("state.k"), col("v") * 2]),
            |_, behind| behind.filter(col("v").gt(500)),
        ),
        "SELECT * FROM iterate((SELECT k, v FROM t WHERE k IS NOT NULL),
             (SELECT state.k, v * 2 FROM iterate state LEFT JOIN u ON state.k = u.k),
             (SELECT * FROM iterate WHERE v > 500), times => 100)",
    );
    // The text has names for the states of the innermost iteration alone.
    let within = seed().iterate(1, |state| {
        let around = state.clone().alias("around");
        state.iterate(2, |inner| inner.semi_join(around, col("state.k").eq(col("around.k"))))
    });
    assert_eq!(within.run().and_then(answer).map(|(_, rows)| rows.len()), Ok(4));
    assert_eq!(session.sql(&within.to_sql()).map(drop).expect_err("no such name").sqlstate(), "42P01");
    let kept = std::cell::RefCell::new(None);
    let _ = seed().iterate(1, |state| {
        *kept.borrow_mut() = Some(state.clone());
        state
    });
    let outside = kept.into_inner().expect("the closure was called");
    assert_eq!(outside.run().map(drop).expect_err("no state").sqlstate(), "42P10");
    let shared = seed().iterate(1, |state| state.shared());
    assert_eq!(shared.run().map(drop).expect_err("no state").sqlstate(), "42P10");
}
