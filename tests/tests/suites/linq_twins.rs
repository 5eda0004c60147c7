//! Each step of a frame and each kind of expression, beside the SQL that says the same: one program, before the rules and after,
//! the same names and rows, or the same error.

use multiloop::linq::{
    Expression, Frame, Join, avg, col, count, count_of, date, function, grouping, interval, lit, max, min, not, null,
    parameter, sum, when,
};
use multiloop::{DataType, Engine, Error, Session, Value};
use multiloop_tests::text_rows;

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session
        .sql(
            "CREATE TABLE t (k integer, v bigint, n decimal(10,2), s text, c char(5), d date, f double precision);
             INSERT INTO t VALUES (1, 10, 1.50, 'a', 'x', '1995-01-01', 0.5), (1, 20, NULL, NULL, 'y', '1996-02-29', -1),
                 (2, 30, -2.25, 'it''s', NULL, NULL, 'NaN'), (NULL, 40, 0, 'a%', 'x', '1995-01-01', NULL),
                 (2, 30, -2.25, 'it''s', NULL, NULL, 'NaN');
             CREATE TABLE u (k integer, w text, PRIMARY KEY (k));
             INSERT INTO u VALUES (1, 'one'), (3, 'three');
             CREATE TABLE empty (k integer);
             CREATE VIEW big AS SELECT k, v FROM t WHERE v > 15;
             CREATE TABLE \"odd \"\"table\"\"\" (\"a b\"\"c\" integer); INSERT INTO \"odd \"\"table\"\"\" VALUES (7);",
        )
        .expect("the tables are made");
    session
}

fn lines(session: &Session, sql: &str) -> Vec<String> {
    let result = session.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    text_rows(result).expect("rows come").into_iter().map(|row| row.join("|")).collect()
}

/// The frame and the text are one program with one result; so is the text that the frame says.
#[track_caller]
fn twins(session: &Session, frame: &Frame<'_>, sql: &str) {
    let said = frame.to_sql();
    let ours = frame.explain_loops().unwrap_or_else(|error| panic!("{said}: {error}"));
    assert_eq!(ours.trim_end(), lines(session, &format!("EXPLAIN (LOOPS) {sql}")).join("\n").trim_end(), "{said}");
    let built = frame.run().expect("it runs");
    let names: Vec<String> = built.fields().iter().map(|field| format!("{} {}", field.name, field.data_type)).collect();
    let theirs = session.sql(sql).expect("it runs");
    let expected: Vec<String> =
        theirs.fields().iter().map(|field| format!("{} {}", field.name, field.data_type)).collect();
    assert_eq!(names, expected, "{said}");
    let built: Vec<String> = text_rows(built).expect("rows come").into_iter().map(|row| row.join("|")).collect();
    assert_eq!(built, lines(session, sql), "{said}");
    assert_eq!(lines(session, &said), built, "{said}");
}

/// The frame and the text fail alike; a frame has no positions.
#[track_caller]
fn same_error(session: &Session, frame: &Frame<'_>, sql: &str) {
    let told = |error: &Error| (error.sqlstate(), error.message().to_owned(), error.hint().map(ToOwned::to_owned));
    let ours = frame.run().and_then(text_rows).map(drop).expect_err(sql);
    let theirs = session.sql(sql).and_then(text_rows).map(drop).expect_err(sql);
    assert_eq!(told(&ours), told(&theirs), "{sql}");
    assert_eq!(ours.position(), None, "{sql}");
}

#[test]
fn each_step_has_its_twin() {
    let session = session();
    let (t, u) = (|| session.table("t"), || session.table("u"));
    let check = |frame: Frame<'_>, sql: &str| twins(&session, &frame, sql);
    check(t(), "SELECT * FROM t");
    check(t().alias("x").select([col("x.k")]), "SELECT x.k FROM t AS x");
    check(session.table("big"), "SELECT * FROM big");
    check(t().filter(col("v").gt(15)).filter(col("k").eq(1)), "SELECT * FROM t WHERE v > 15 AND k = 1");
    check(t().select([col("k"), (col("v") + 1).alias("w")]), "SELECT k, v + 1 AS w FROM t");
    check(
        t().group_by([col("k")]).having(count().gt(1)).select([col("k"), sum(col("v")), count()]),
        "SELECT k, sum(v), count(*) FROM t GROUP BY k HAVING count(*) > 1",
    );
    check(t().select([count(), min(col("d")), max(col("s"))]), "SELECT count(*), min(d), max(s) FROM t");
    check(session.table("empty").select([count(), sum(col("k"))]), "SELECT count(*), sum(k) FROM empty");
    check(t().select([col("k"), col("c")]).distinct(), "SELECT DISTINCT k, c FROM t");
    check(
        t().order_by([col("v").desc().nulls_last(), col("k").asc().nulls_first()]).limit(3, 1),
        "SELECT * FROM t ORDER BY v DESC NULLS LAST, k ASC NULLS FIRST LIMIT 3 OFFSET 1",
    );
    // An order may be by what is not selected, by an alias, and by an expression.
    check(t().select([col("s")]).order_by([col("v"), col("s")]), "SELECT s FROM t ORDER BY v, s");
    check(t().select([(-1 * col("v")).alias("w")]).order_by([col("w")]), "SELECT -1 * v AS w FROM t ORDER BY w");
    check(
        t().group_by([col("k")]).select([col("k")]).order_by([sum(col("v")).desc()]),
        "SELECT k FROM t GROUP BY k ORDER BY sum(v) DESC",
    );
    for (how, word) in [(Join::Inner, ""), (Join::Left, "LEFT"), (Join::Right, "RIGHT"), (Join::Full, "FULL")] {
        check(
            t().join(u(), how, col("t.k").eq(col("u.k"))).select([col("t.k"), col("w"), col("v")]),
            &format!("SELECT t.k, w, v FROM t {word} JOIN u ON t.k = u.k"),
        );
    }
    // A step that SQL evaluates earlier sees the rows of those before it.
    check(
        t().limit(4, 0).filter(col("k").is_not_null()),
        "SELECT * FROM (SELECT * FROM t LIMIT 4) AS derived WHERE k IS NOT NULL",
    );
    check(
        t().filter(col("v").gt(15)).alias("l").join(u(), Join::Left, col("l.k").eq(col("u.k"))),
        "SELECT * FROM (SELECT * FROM t WHERE v > 15) AS l LEFT JOIN u ON l.k = u.k",
    );
    // What a primary key among the keys determines need not be one.
    check(
        u().join(t(), Join::Inner, col("u.k").eq(col("t.k"))).group_by([col("u.k")]).select([col("w"), count()]),
        "SELECT w, count(*) FROM u JOIN t ON u.k = t.k GROUP BY u.k",
    );
}

#[test]
fn grouping_sets_have_their_twins() {
    let session = session();
    let t = || session.table("t");
    let check = |frame: Frame<'_>, sql: &str| twins(&session, &frame, sql);
    let columns = || [col("k"), col("s"), sum(col("v")), count(), grouping([col("k"), col("s")])];
    let list = "SELECT k, s, sum(v), count(*), grouping(k, s) FROM t";
    check(t().rollup([col("k"), col("s")]).select(columns()), &format!("{list} GROUP BY ROLLUP (k, s)"));
    check(t().cube([col("k"), col("s")]).select(columns()), &format!("{list} GROUP BY CUBE (k, s)"));
    check(
        t().group_by_sets([vec![col("k"), col("s")], vec![col("s")], vec![], vec![]]).select(columns()),
        &format!("{list} GROUP BY GROUPING SETS ((k, s), (s), (), ())"),
    );
    // Keys are expressions, columns of the select list and numbers of these; a list may stand for no row at all.
    check(
        t().filter(col("v").gt(15))
            .rollup([col("k") + 1, col("d")])
            .having(count().gt(0).and(grouping([col("d")]).eq(1)))
            .select([(col("k") + 1).alias("next"), avg(col("n"))])
            .order_by([col("next").asc().nulls_first()]),
        "SELECT k + 1 AS next, avg(n) FROM t WHERE v > 15 GROUP BY ROLLUP (k + 1, d)
         HAVING count(*) > 0 AND grouping(d) = 1 ORDER BY next NULLS FIRST",
    );
    check(
        t().cube([lit(1), col("half")]).select([col("c"), (col("v") / 2).alias("half"), count()]),
        "SELECT c, v / 2 AS half, count(*) FROM t GROUP BY CUBE (1, half)",
    );
    check(
        session.table("empty").group_by_sets([vec![col("k")], vec![]]).select([col("k"), count(), sum(col("k"))]),
        "SELECT k, count(*), sum(k) FROM empty GROUP BY GROUPING SETS ((k), ())",
    );
    for frame in [t().rollup([]), t().cube([])] {
        check(frame.select([count()]), "SELECT count(*) FROM t GROUP BY ()");
    }
    check(
        t().rollup([col("k")]).select([col("k"), count()]).filter(col("k").is_null()),
        "SELECT * FROM (SELECT k, count(*) FROM t GROUP BY ROLLUP (k)) AS derived WHERE k IS NULL",
    );
}

#[test]
fn mistakes_in_grouping_sets() {
    let session = session();
    let t = || session.table("t");
    let check = |frame: Frame<'_>, sql: &str| same_error(&session, &frame, sql);
    check(t().rollup([col("k")]).select([col("v")]), "SELECT v FROM t GROUP BY ROLLUP (k)");
    check(t().rollup([col("k")]).select([grouping([col("v")])]), "SELECT grouping(v) FROM t GROUP BY ROLLUP (k)");
    check(t().select([grouping([col("v")])]), "SELECT grouping(v) FROM t");
    check(t().rollup([col("k")]).select([grouping([])]), "SELECT grouping() FROM t GROUP BY ROLLUP (k)");
    check(
        t().rollup([col("k")]).select([grouping([col("k")]).distinct()]),
        "SELECT grouping(DISTINCT k) FROM t GROUP BY ROLLUP (k)",
    );
    check(t().cube([sum(col("k"))]).select([count()]), "SELECT count(*) FROM t GROUP BY CUBE (sum(k))");
    let thirteen = || (0..13).map(|number| col("v") + number);
    let listed = (0..13).map(|number| format!("v + {number}")).collect::<Vec<_>>().join(", ");
    check(t().cube(thirteen()).select([count()]), &format!("SELECT count(*) FROM t GROUP BY CUBE ({listed})"));
    let error = |frame: Frame<'_>| frame.select([count()]).run().map(drop).expect_err("it is wrong").sqlstate();
    assert_eq!(error(t().group_by_sets(Vec::<Vec<Expression>>::new())), "42601");
    assert_eq!(error(t().group_by_sets((0..5000).map(|_| [col("k")]))), "54001");
    assert_eq!(error(t().rollup((0..100_000).map(|_| col("k")))), "54001");
    let many = || (0..5000).map(|_| col("k"));
    let listed = vec!["k"; 5000].join(", ");
    check(t().rollup(many()).select([count()]), &format!("SELECT count(*) FROM t GROUP BY ROLLUP ({listed})"));
}

#[test]
fn each_expression_has_its_twin() {
    let session = session();
    let check = |expression: Expression, sql: &str| {
        twins(&session, &session.table("t").select([expression]), &format!("SELECT {sql} FROM t"));
    };
    check(col("k") + 1 - 2 * col("k") / lit(3) % 2, "k + 1 - 2 * k / 3 % 2");
    check(col("n") * lit("0.5").cast(DataType::decimal(3, 2)), "n * CAST('0.5' AS decimal(3,2))");
    check(col("f") * 1.5, "f * CAST('1.5' AS double precision)");
    check(col("k").eq(1).or(col("v").lt_eq(20)).and(not(col("s").eq("a"))), "(k = 1 OR v <= 20) AND NOT (s = 'a')");
    check(col("k").not_eq(-1).and(col("v").gt_eq(20)).and(col("v").lt(40)), "k <> -1 AND v >= 20 AND v < 40");
    check(col("n").between(-3, col("k")), "n BETWEEN -3 AND k");
    check(col("s").is_in(["a", "b"]), "s IN ('a', 'b')");
    check(col("k").is_in([lit(1), null()]), "k IN (1, NULL)");
    check(col("s").like("a%"), "s LIKE 'a%'");
    check(col("c").like("x_%"), "c LIKE 'x_%'");
    check(col("c").eq("x  "), "c = 'x  '");
    check(col("d").is_null().or(col("d").is_not_null()), "d IS NULL OR d IS NOT NULL");
    check(col("d") - interval("1 year 2 months"), "d - interval '1 year 2 months'");
    check(col("d").lt(date("1996-01-01")), "d < date '1996-01-01'");
    check(date("1996-01-01"), "date '1996-01-01'");
    check(interval("90 days"), "interval '90 days'");
    check(lit(true), "true");
    check(null(), "NULL");
    check(lit("text"), "'text'");
    check(lit(3_000_000_000_i64), "3000000000");
    check(lit(i64::MIN), "-9223372036854775808");
    check(col("n").cast(DataType::Integer), "CAST(n AS integer)");
    check(col("k").cast(DataType::Numeric), "CAST(k AS numeric)");
    check(lit(1).cast(DataType::Text), "CAST(1 AS text)");
    check(lit("it's").cast(DataType::Varchar(3)), "CAST('it''s' AS varchar(3))");
    check(when([(col("k").eq(1), lit("one"))], col("s")), "CASE WHEN k = 1 THEN 'one' ELSE s END");
    check(when([(col("k").gt(1), lit(1))], lit(2)), "CASE WHEN k > 1 THEN 1 ELSE 2 END");
    check(function("COALESCE", [col("n"), lit(0)]), "coalesce(n, 0)");
    check(function("round", [col("n"), lit(1)]), "round(n, 1)");
    check(function("upper", [col("c")]), "upper(c)");
    check(count_of(col("c")).distinct(), "count(DISTINCT c)");
    check(sum(col("v")).only_where(col("k").eq(1)), "sum(v) FILTER (WHERE k = 1)");
    check(avg(col("n")), "avg(n)");
    check(function("stddev", [col("f")]), "stddev(f)");
}

#[test]
fn each_error_has_its_twin() {
    let session = session();
    let t = || session.table("t");
    let check = |frame: Frame<'_>, sql: &str| same_error(&session, &frame, sql);
    check(session.table("tt"), "SELECT * FROM tt");
    check(t().select([col("kk")]), "SELECT kk FROM t");
    check(t().select([col("x.k")]), "SELECT x.k FROM t");
    let joined = t().join(session.table("u"), Join::Inner, col("t.k").eq(col("u.k")));
    check(joined.select([col("k")]), "SELECT k FROM t JOIN u ON t.k = u.k");
    check(t().join(t(), Join::Inner, lit(true)), "SELECT * FROM t JOIN t ON true");
    check(t().join(session.table("u"), Join::Left, col("w")), "SELECT * FROM t LEFT JOIN u ON w");
    check(t().filter(col("k")), "SELECT * FROM t WHERE k");
    check(t().filter(count().gt(1)), "SELECT * FROM t WHERE count(*) > 1");
    check(t().group_by([col("k")]).select([col("v")]), "SELECT v FROM t GROUP BY k");
    check(t().select([sum(sum(col("v")))]), "SELECT sum(sum(v)) FROM t");
    check(t().select([sum(col("s"))]), "SELECT sum(s) FROM t");
    check(t().select([count().distinct()]), "SELECT count(DISTINCT *) FROM t");
    check(t().select([function("lower", [col("s")]).distinct()]), "SELECT lower(DISTINCT s) FROM t");
    let filtered = function("lower", [col("s")]).only_where(lit(true));
    check(t().select([filtered]), "SELECT lower(s) FILTER (WHERE true) FROM t");
    check(t().select([function("lowr", [col("s")])]), "SELECT lowr(s) FROM t");
    check(t().select([function("rank", [])]), "SELECT rank() FROM t");
    check(t().select([col("s") + 1]), "SELECT s + 1 FROM t");
    check(t().filter(col("k").eq("x")), "SELECT * FROM t WHERE k = 'x'");
    check(t().select([date("1995-02-30")]), "SELECT date '1995-02-30'");
    check(t().select([col("d").cast(DataType::Integer)]), "SELECT CAST(d AS integer) FROM t");
    check(t().select([lit(1).cast(DataType::Null)]), "SELECT CAST(1 AS unknown)");
    check(t().select([lit(1).cast(DataType::Varchar(0))]), "SELECT CAST(1 AS varchar(0))");
    // As text these are numerics without a limit; as types they are none.
    for (precision, scale) in [(50, 2), (5, 9)] {
        let cast = t().select([lit(1).cast(DataType::Decimal { precision, scale })]);
        assert_eq!(cast.run().map(drop).expect_err("no decimal has so many digits").sqlstate(), "22023");
    }
    check(t().order_by([lit(9)]), "SELECT * FROM t ORDER BY 9");
    check(t().order_by([lit(-1)]), "SELECT * FROM t ORDER BY -1");
    check(t().order_by([lit("k")]), "SELECT * FROM t ORDER BY 'k'");
    check(t().select([col("k")]).distinct().order_by([col("v")]), "SELECT DISTINCT k FROM t ORDER BY v");
    check(t().filter((col("v") / 0).gt(1)), "SELECT * FROM t WHERE v / 0 > 1");
    check(t().filter(col("v").eq(parameter(0))), "SELECT * FROM t WHERE v = $0");
    let deep = (0..6000).fold(lit(true), |inner, _| not(inner));
    let error = t().filter(deep).run().map(drop).expect_err("it is too deep");
    assert_eq!(error.sqlstate(), "54001");
    let deep = (0..6000).fold(t(), |frame, _| frame.limit(1, 0));
    assert_eq!(deep.run().map(drop).expect_err("it is too deep").sqlstate(), "54001");
}

#[test]
fn parameters_and_wide_decimals_are_as_in_text() {
    let session = session();
    let parameters = [(Value::Int(15), DataType::BigInt)];
    let frame = session.table("t").filter(col("v").gt(parameter(1))).select([col("v")]).order_by([col("v")]);
    let rows = |result| text_rows(result).expect("rows come");
    let theirs = session.sql_with("SELECT v FROM t WHERE v > $1 ORDER BY v", &parameters).expect("it runs");
    assert_eq!(rows(frame.run_with(&parameters).expect("it runs")), rows(theirs));
    assert_eq!(frame.run().map(drop).expect_err("a value is missing").sqlstate(), "42P02");
    // Digits beyond 38 are found when it runs, and it runs once more.
    let nines = || lit("9".repeat(20).as_str()).cast(DataType::decimal(38, 0)) + col("k");
    let frame = session.table("u").select([nines() * nines()]).order_by([col("k")]);
    let nines = format!("(CAST('{}' AS decimal(38,0)) + k)", "9".repeat(20));
    let theirs = session.sql(&format!("SELECT {nines} * {nines} FROM u ORDER BY k")).expect("it runs");
    assert_eq!(rows(frame.run().expect("it runs")), rows(theirs));
}

#[test]
fn names_are_taken_as_they_are() {
    let session = session();
    let frame = session.table("odd \"table\"").select([col("a b\"c"), (col("a b\"c") + 1).alias("it's")]);
    twins(&session, &frame, "SELECT \"a b\"\"c\", \"a b\"\"c\" + 1 AS \"it's\" FROM \"odd \"\"table\"\"\"");
}

#[test]
fn what_is_shared_is_computed_once() {
    let session = session();
    let totals = session.table("t").group_by([col("k")]).select([col("k"), sum(col("v")).alias("total")]).shared();
    let pairs = totals.clone().alias("a").join(totals.clone().alias("b"), Join::Inner, col("a.k").eq(col("b.k")));
    let frame = pairs.select([col("a.k"), col("a.total") + col("b.total")]).order_by([col("a.k")]);
    let with = "WITH totals AS (SELECT k, sum(v) AS total FROM t GROUP BY k)";
    let sql = format!("{with} SELECT a.k, a.total + b.total FROM totals a JOIN totals b ON a.k = b.k ORDER BY a.k");
    twins(&session, &frame, &sql);
    // One use is no more than a derived table, and what shares may be shared.
    twins(
        &session,
        &totals.clone().filter(col("total").gt(30)),
        &format!("{with} SELECT * FROM totals WHERE total > 30"),
    );
    let positive = totals.clone().filter(col("total").gt(0)).shared();
    let frame = positive
        .clone()
        .alias("a")
        .join(positive.alias("b"), Join::Left, col("a.k").eq(col("b.k")))
        .join(totals.alias("c"), Join::Inner, col("c.k").eq(col("a.k")))
        .select([col("a.k"), col("b.total"), col("c.total")])
        .order_by([col("a.k")]);
    let sql = format!(
        "{with}, positive AS (SELECT * FROM totals WHERE total > 0) SELECT a.k, b.total, c.total FROM positive a
         LEFT JOIN positive b ON a.k = b.k JOIN totals c ON c.k = a.k ORDER BY a.k"
    );
    twins(&session, &frame, &sql);
}
