//! The builder and the SQL text of one query are one program.

use multiloop::linq::{Expression, Frame, Join, avg, col, count, date, interval, lit, sum};
use multiloop::{DataType, Engine, Session};
use multiloop_tests::text_rows;

/// The eight tables at scale factor 0.01.
fn tpch() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    multiloop_tpch::generate(&session, 0.01, 2, &|_, _| {}).expect("the tables are made");
    session
}

/// An exact decimal of two digits behind the point.
fn hundredths(text: &str) -> Expression {
    lit(text).cast(DataType::decimal(3, 2))
}

fn discounted() -> Expression {
    col("l_extendedprice") * (lit(1) - col("l_discount"))
}

/// The optimised program and its rows are those of the SQL text.
fn check(session: &Session, number: usize, frame: &Frame<'_>) {
    let sql = multiloop_tpch::query(number, 0.01);
    let text = |sql: &str| text_rows(session.sql(sql).expect("it runs")).expect("rows come");
    let lines = |rows: Vec<Vec<String>>| rows.concat().join("\n");
    let (theirs, ours) = (lines(text(&format!("EXPLAIN (LOOPS) {sql}"))), frame.explain_loops().expect("it binds"));
    let after = |program: &str| program.split_once("After rules").expect("it shows both").1.trim().to_owned();
    assert_eq!(after(&ours), after(&theirs), "Q{number}");
    let built = text_rows(frame.run().expect("it runs")).expect("rows come");
    assert_eq!(built, text(&sql), "Q{number}");
    assert_eq!(text(&frame.to_sql()), built, "Q{number}: {}", frame.to_sql());
}

#[test]
fn q1_is_one_program() {
    let session = tpch();
    let frame = session
        .table("lineitem")
        .filter(col("l_shipdate").lt_eq(date("1998-12-01") - interval("90 days")))
        .group_by([col("l_returnflag"), col("l_linestatus")])
        .select([
            col("l_returnflag"),
            col("l_linestatus"),
            sum(col("l_quantity")).alias("sum_qty"),
            sum(col("l_extendedprice")).alias("sum_base_price"),
            sum(discounted()).alias("sum_disc_price"),
            sum(discounted() * (lit(1) + col("l_tax"))).alias("sum_charge"),
            avg(col("l_quantity")).alias("avg_qty"),
            avg(col("l_extendedprice")).alias("avg_price"),
            avg(col("l_discount")).alias("avg_disc"),
            count().alias("count_order"),
        ])
        .order_by([col("l_returnflag"), col("l_linestatus")]);
    check(&session, 1, &frame);
}

#[test]
fn q3_is_one_program() {
    let session = tpch();
    let frame = session
        .table("customer")
        .join(session.table("orders"), Join::Inner, col("c_custkey").eq(col("o_custkey")))
        .join(session.table("lineitem"), Join::Inner, col("l_orderkey").eq(col("o_orderkey")))
        .filter(col("c_mktsegment").eq("BUILDING"))
        .filter(col("o_orderdate").lt(date("1995-03-15")).and(col("l_shipdate").gt(date("1995-03-15"))))
        .group_by([col("l_orderkey"), col("o_orderdate"), col("o_shippriority")])
        .select([col("l_orderkey"), sum(discounted()).alias("revenue"), col("o_orderdate"), col("o_shippriority")])
        .order_by([col("revenue").desc(), col("o_orderdate").asc()])
        .limit(10, 0);
    check(&session, 3, &frame);
}

#[test]
fn q6_is_one_program() {
    let session = tpch();
    let start = || date("1994-01-01");
    let frame = session
        .table("lineitem")
        .filter(col("l_shipdate").gt_eq(start()).and(col("l_shipdate").lt(start() + interval("1 year"))))
        .filter(col("l_discount").between(hundredths("0.05"), hundredths("0.07")))
        .filter(col("l_quantity").lt(24))
        .select([sum(col("l_extendedprice") * col("l_discount")).alias("revenue")]);
    check(&session, 6, &frame);
}

#[test]
fn steps_apply_in_the_order_in_which_they_are_written() {
    let session = Engine::builder().threads(1).build().expect("an engine starts").session();
    session.sql("CREATE TABLE t (k integer, v integer, s text)").expect("it is made");
    session
        .sql("INSERT INTO t VALUES (1, 10, 'a'), (1, 20, NULL), (2, 30, 'it''s'), (NULL, 40, 'a')")
        .expect("they fit");
    let rows = |frame: &Frame<'_>| -> Vec<String> {
        let result = frame.run().unwrap_or_else(|error| panic!("{}: {error}", frame.to_sql()));
        text_rows(result).expect("rows come").into_iter().map(|row| row.join(" ")).collect()
    };
    let t = || session.table("t");
    // A limit before a filter is one.
    assert_eq!(rows(&t().order_by([col("v")]).limit(2, 1).filter(col("v").gt(20)).select([col("v")])), ["30"]);
    assert_eq!(rows(&t().select([(col("v") + 1).alias("v")]).filter(col("v").gt(40))), ["41"]);
    let grouped = || t().group_by([col("k")]).select([col("k"), sum(col("v")).alias("total")]);
    assert_eq!(rows(&grouped().filter(col("total").gt(30)).order_by([col("k")])), ["NULL 40"]);
    assert_eq!(rows(&grouped().order_by([col("k").desc().nulls_last()])), ["2 30", "1 30", "NULL 40"]);
    let some =
        t().group_by([col("k")]).having(count().gt(1)).select([col("k"), count().only_where(col("s").is_null())]);
    assert_eq!(rows(&some), ["1 1"]);
    assert_eq!(
        rows(&t().select([col("s")]).distinct().order_by([col("s").asc().nulls_first()])),
        ["NULL", "a", "it's"]
    );
    // The frame that is filtered is filtered before the join.
    let left = t().filter(col("v").gt(15)).alias("l");
    let joined = left.join(t().alias("r"), Join::Left, col("l.k").eq(col("r.k")).and(col("r.v").lt(15)));
    let joined = joined.select([col("l.v"), col("r.v")]).order_by([col("l.v")]);
    assert_eq!(rows(&joined), ["20 10", "30 NULL", "40 NULL"]);
    let error = t().filter(col("V").gt(1)).run().expect_err("names are taken as they are");
    assert_eq!((error.sqlstate(), error.hint()), ("42703", Some("Did you mean \"v\"?")));
    assert_eq!(session.table("u").run().expect_err("there is none").sqlstate(), "42P01");
}
