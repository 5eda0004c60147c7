//! All TPC-H queries bind, to the result columns that the specification gives them.

use super::*;
use crate::types::DataType::{BigInt, Date, Integer, Text};

const MONEY: DataType = DataType::Decimal { precision: 15, scale: 2 };

/// The columns of a table.
type Columns = &'static [(&'static str, DataType)];

const TABLES: [(&str, Columns); 8] = [
    ("region", &[("r_regionkey", BigInt), ("r_name", Text), ("r_comment", Text)]),
    ("nation", &[("n_nationkey", BigInt), ("n_name", Text), ("n_regionkey", BigInt), ("n_comment", Text)]),
    (
        "supplier",
        &[
            ("s_suppkey", BigInt),
            ("s_name", Text),
            ("s_address", Text),
            ("s_nationkey", BigInt),
            ("s_phone", Text),
            ("s_acctbal", MONEY),
            ("s_comment", Text),
        ],
    ),
    (
        "customer",
        &[
            ("c_custkey", BigInt),
            ("c_name", Text),
            ("c_address", Text),
            ("c_nationkey", BigInt),
            ("c_phone", Text),
            ("c_acctbal", MONEY),
            ("c_mktsegment", Text),
            ("c_comment", Text),
        ],
    ),
    (
        "part",
        &[
            ("p_partkey", BigInt),
            ("p_name", Text),
            ("p_mfgr", Text),
            ("p_brand", Text),
            ("p_type", Text),
            ("p_size", Integer),
            ("p_container", Text),
            ("p_retailprice", MONEY),
            ("p_comment", Text),
        ],
    ),
    (
        "partsupp",
        &[
            ("ps_partkey", BigInt),
            ("ps_suppkey", BigInt),
            ("ps_availqty", Integer),
            ("ps_supplycost", MONEY),
            ("ps_comment", Text),
        ],
    ),
    (
        "orders",
        &[
            ("o_orderkey", BigInt),
            ("o_custkey", BigInt),
            ("o_orderstatus", Text),
            ("o_totalprice", MONEY),
            ("o_orderdate", Date),
            ("o_orderpriority", Text),
            ("o_clerk", Text),
            ("o_shippriority", Integer),
            ("o_comment", Text),
        ],
    ),
    (
        "lineitem",
        &[
            ("l_orderkey", BigInt),
            ("l_partkey", BigInt),
            ("l_suppkey", BigInt),
            ("l_linenumber", Integer),
            ("l_quantity", MONEY),
            ("l_extendedprice", MONEY),
            ("l_discount", MONEY),
            ("l_tax", MONEY),
            ("l_returnflag", Text),
            ("l_linestatus", Text),
            ("l_shipdate", Date),
            ("l_commitdate", Date),
            ("l_receiptdate", Date),
            ("l_shipinstruct", Text),
            ("l_shipmode", Text),
            ("l_comment", Text),
        ],
    ),
];

fn catalog() -> Toy {
    let mut toy = Toy(BTreeMap::new());
    for (name, columns) in TABLES {
        toy.table(name, columns);
    }
    toy
}

/// Each query's text and its result columns.
const QUERIES: [(&str, &str); 22] = [
    (
        include_str!("../../../../tpch/queries/q01.sql"),
        "l_returnflag l_linestatus sum_qty sum_base_price sum_disc_price sum_charge avg_qty avg_price avg_disc \
         count_order",
    ),
    (
        include_str!("../../../../tpch/queries/q02.sql"),
        "s_acctbal s_name n_name p_partkey p_mfgr s_address s_phone s_comment",
    ),
    (include_str!("../../../../tpch/queries/q03.sql"), "l_orderkey revenue o_orderdate o_shippriority"),
    (include_str!("../../../../tpch/queries/q04.sql"), "o_orderpriority order_count"),
    (include_str!("../../../../tpch/queries/q05.sql"), "n_name revenue"),
    (include_str!("../../../../tpch/queries/q06.sql"), "revenue"),
    (include_str!("../../../../tpch/queries/q07.sql"), "supp_nation cust_nation l_year revenue"),
    (include_str!("../../../../tpch/queries/q08.sql"), "o_year mkt_share"),
    (include_str!("../../../../tpch/queries/q09.sql"), "nation o_year sum_profit"),
    (
        include_str!("../../../../tpch/queries/q10.sql"),
        "c_custkey c_name revenue c_acctbal n_name c_address c_phone c_comment",
    ),
    (include_str!("../../../../tpch/queries/q11.sql"), "ps_partkey value"),
    (include_str!("../../../../tpch/queries/q12.sql"), "l_shipmode high_line_count low_line_count"),
    (include_str!("../../../../tpch/queries/q13.sql"), "c_count custdist"),
    (include_str!("../../../../tpch/queries/q14.sql"), "promo_revenue"),
    (include_str!("../../../../tpch/queries/q15.sql"), "s_suppkey s_name s_address s_phone total_revenue"),
    (include_str!("../../../../tpch/queries/q16.sql"), "p_brand p_type p_size supplier_cnt"),
    (include_str!("../../../../tpch/queries/q17.sql"), "avg_yearly"),
    (include_str!("../../../../tpch/queries/q18.sql"), "c_name c_custkey o_orderkey o_orderdate o_totalprice sum"),
    (include_str!("../../../../tpch/queries/q19.sql"), "revenue"),
    (include_str!("../../../../tpch/queries/q20.sql"), "s_name s_address"),
    (include_str!("../../../../tpch/queries/q21.sql"), "s_name numwait"),
    (include_str!("../../../../tpch/queries/q22.sql"), "cntrycode numcust totacctbal"),
];

#[test]
fn every_query_binds() {
    let catalog = catalog();
    for (number, (sql, expected)) in (1..).zip(QUERIES) {
        let parsed = parse(sql).unwrap_or_else(|error| panic!("Q{number}: {error} at {:?}", error.position()));
        let [statement] = parsed.as_slice() else { panic!("Q{number} is one statement") };
        match bind(statement, &catalog, &[]) {
            Ok(Statement::Query(query)) => {
                check_columns(&query.relation, &mut Vec::new());
                let names: Vec<&str> = query.output.iter().map(|(name, _)| name.as_str()).collect();
                assert_eq!(names.join(" "), expected, "Q{number}");
                for (name, id) in &query.output {
                    assert_ne!(query.columns.get(*id).data_type, DataType::Null, "Q{number}.{name}");
                }
            }
            Ok(other) => panic!("Q{number} is a query: {other:?}"),
            Err(error) => panic!("Q{number}: {error} at {:?}: {:?}", error.position(), error.hint()),
        }
    }
}

#[test]
fn the_view_of_q15_is_computed_once() {
    let parsed = parse(QUERIES[14].0).unwrap();
    let Ok(Statement::Query(query)) = bind(&parsed[0], &catalog(), &[]) else { panic!("Q15 binds") };
    assert!(matches!(*query.relation, Relation::With { .. }), "{}", shape(&query));
}
