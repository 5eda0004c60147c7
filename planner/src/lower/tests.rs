//! Lowering, from SQL text: every program is valid, reads back from its text, and stays valid under all rules.

use super::lower;
use crate::analysis::verify::verify;
use crate::catalog::{Catalog, CatalogEntry, TableHandle, TableInfo, TableName, TableStatistics};
use crate::error::Result;
use crate::multiloop::Program;
use crate::multiloop::parse::parse;
use crate::multiloop::print::print;
use crate::relation::optimise::optimise;
use crate::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite};
use crate::sql::{self, Statement};
use crate::types::{DataType, Field};
use std::path::PathBuf;
use std::sync::Arc;

/// The tables of TPC-H, and `n(a, b, c)` whose columns may be NULL.
struct Tables(Vec<Arc<TableInfo>>);

const TABLES: [(&str, &str); 9] = [
    ("region", "r_regionkey int, r_name char25, r_comment varchar152"),
    ("nation", "n_nationkey int, n_name char25, n_regionkey int, n_comment varchar152"),
    (
        "supplier",
        "s_suppkey int, s_name char25, s_address varchar40, s_nationkey int, s_phone char15, s_acctbal money, \
         s_comment varchar101",
    ),
    (
        "customer",
        "c_custkey int, c_name varchar25, c_address varchar40, c_nationkey int, c_phone char15, c_acctbal money, \
         c_mktsegment char10, c_comment varchar117",
    ),
    (
        "part",
        "p_partkey int, p_name varchar55, p_mfgr char25, p_brand char10, p_type varchar25, p_size int, \
         p_container char10, p_retailprice money, p_comment varchar23",
    ),
    ("partsupp", "ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost money, ps_comment varchar199"),
    (
        "orders",
        "o_orderkey int, o_custkey int, o_orderstatus char1, o_totalprice money, o_orderdate date, \
         o_orderpriority char15, o_clerk char15, o_shippriority int, o_comment varchar79",
    ),
    (
        "lineitem",
        "l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity money, l_extendedprice money, \
         l_discount money, l_tax money, l_returnflag char1, l_linestatus char1, l_shipdate date, l_commitdate date, \
         l_receiptdate date, l_shipinstruct char25, l_shipmode char10, l_comment varchar44",
    ),
    ("n", "a int?, b int?, c money?"),
];

fn data_type(name: &str) -> DataType {
    match name {
        "int" => DataType::Integer,
        "money" => DataType::decimal(15, 2),
        "date" => DataType::Date,
        _ => match name.strip_prefix("char") {
            Some(length) => DataType::Char(length.parse().expect("a length")),
            None => DataType::Varchar(name.trim_start_matches("varchar").parse().expect("a length")),
        },
    }
}

impl Tables {
    fn new() -> Self {
        let tables = TABLES.iter().zip(0..).map(|((name, columns), handle)| {
            let fields = columns.split(", ").map(|column| {
                let (column, type_name) = column.trim().split_once(' ').expect("a name and a type");
                Field::new(column, data_type(type_name.trim_end_matches('?')), type_name.ends_with('?'))
            });
            Arc::new(TableInfo {
                name: (*name).to_owned(),
                fields: fields.collect(),
                statistics: Arc::new(TableStatistics::default()),
                handle: TableHandle(handle),
                domains: Vec::new(),
                declared: Arc::default(),
                hidden: Default::default(),
            })
        });
        Tables(tables.collect())
    }
}

impl Catalog for Tables {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(self.0.iter().find(|table| table.name == name.name).cloned().map(CatalogEntry::Table))
    }

    fn file(&self, _path: &str) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|table| table.name.clone()).collect()
    }
}

fn lowered(text: &str, optimised: bool) -> Program {
    let statements = sql::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let statement = sql::bind(&statements[0], &Tables::new(), &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Statement::Query(query) = statement else { panic!("not a query: {text}") };
    let query = if optimised { optimise(query) } else { query };
    lower(&query).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn valid(program: &Program, sql: &str) -> String {
    let text = print(program);
    verify(program).unwrap_or_else(|problem| panic!("{problem}\n{sql}\n{text}"));
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{sql}\n{text}"));
    verify(&again).unwrap_or_else(|problem| panic!("read back: {problem}\n{sql}\n{text}"));
    assert_eq!(print(&again), text, "{sql}");
    text
}

/// Lowers, verifies and reads back, before the rules, after all of them, and after each alone. The text after all.
fn check(sql: &str) -> String {
    for optimised in [false, true] {
        let naive = lowered(sql, optimised);
        valid(&naive, sql);
        for rule in RULES.iter().chain(LAST_RULES) {
            let mut program = naive.clone();
            (rule.apply)(&mut program);
            valid(&program, &format!("{} of {sql}", rule.name));
        }
    }
    let mut program = lowered(sql, true);
    rewrite(&mut program, &RewriteOptions::default());
    valid(&program, sql)
}

fn tpch(number: u32) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../tpch/queries/q{number:02}.sql"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_tpch_query_lowers() {
    for number in 1..=22 {
        check(&tpch(number));
    }
}

#[test]
fn every_feature_lowers() {
    for sql in [
        "select 1",
        "select * from n",
        "values (1, 'a'), (2, null)",
        "select a, count(*), avg(c), stddev(b), bool_and(a > b) from n group by a having sum(b) > 3",
        "select avg(a), variance(c), count(distinct b), sum(c) filter (where a > 3) from n",
        "select distinct a, b from n order by b desc, a limit 3 offset 1",
        "select a from n order by b + 1, c desc limit 3",
        "select a from n order by b + 1, c desc",
        "select a from n limit 2",
        "select a from n order by b",
        "select x.a, y.b from n x left join n y on x.a = y.a and y.b > 3 and x.b < y.c",
        "select x.a, y.b from n x full join n y on x.a = y.a and y.b > 3 and x.b < 5",
        "select x.a, y.b from n x join n y on x.a is not distinct from y.a",
        "select x.a, y.b from n x, n y where x.a < y.b",
        "select a from n union select b from n",
        "select a from n union all select b from n",
        "select a, b from n intersect select b, a from n",
        "select a, b from n intersect all select b, a from n",
        "select a, b from n except select b, a from n",
        "select a, b from n except all select b, a from n",
        "with w as (select a, sum(b) s from n group by a) select * from w x join w y on x.s = y.s where x.a > 2",
        "select a, (select max(b) from n y where y.a = x.a) from n x",
        "select case when m is null then 0 else m + coalesce((select max(b) from n where b < m), 0) end \
         from (select (select min(b) from n y where y.a = x.a) m from n x) v",
        "select (select case when m is null then 0 else m + coalesce((select max(b) from n where b < m), 0) end \
         from (select (select min(b) from n y where y.a = x.a) m) v) from n x",
        "select a, (select b from n y where y.a = x.a) from n x",
        "select a from n x where exists (select 1 from n y where y.a = x.b and y.b <> x.a)",
        "select a from n x where a in (select b from n y where y.c = x.c)",
        "select a from n x where a not in (select b from n)",
        "select a from n x where a > all (select b from n y where y.a = x.a)",
        "select a from n x where b < any (select b from n y) or a is null",
        "select a, (select (select max(z.b) from n z where z.a = y.b and z.b < x.a) from n y limit 1) from n x",
        "select case when a > 1 then (select sum(b) from n y where y.a = n.a) else 0 end from n",
        "select count(*) from (select a from n order by b limit 3) s",
        "select random() as r from n",
        "select a, g from n, generate_series(1, a) as g",
        "select a, x from n left join unnest(array[b, a]) as x on true",
        "select generate_series(1, a), b from n order by b",
        "select a, s.m, s.k from n x, lateral (select max(b) as m, count(*) as k from n y where y.a = x.b) s",
        "select x.a, s.b from n x left join lateral (select distinct b from n y where y.a < x.b) s on s.b > 3",
        "select a, array_agg(b order by c desc, b), string_agg(b::text, ',') from n group by a",
        "select a, array(select b from n y where y.a = x.a order by c) from n x",
        "select array_agg(distinct c), json_agg(a) from n",
    ] {
        check(sql);
    }
}

#[test]
fn q6_is_one_loop() {
    let text = check(&tpch(6));
    assert_eq!(text.matches("loop\n").count(), 1, "{text}");
    assert!(!text.contains(" collect"), "{text}");
}

#[test]
fn q1_is_one_loop_of_six_accumulators() {
    let text = check(&tpch(1));
    assert_eq!(text.matches("bucket_reduce").count(), 1, "{text}");
    assert_eq!(text.matches("= sum(").count() + text.matches("= count_rows(").count(), 6, "{text}");
}

#[test]
fn subqueries_of_tpch_are_unnested() {
    for number in [2, 4, 11, 15, 17, 18, 20, 22] {
        let text = check(&tpch(number));
        assert!(!text.contains("block "), "Q{number}\n{text}");
    }
}
