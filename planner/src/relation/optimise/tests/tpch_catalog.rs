//! The TPC-H schema with the statistics of scale factor 1, gathered from generated data.

use super::catalog::{TableSpec, ToyCatalog};
use crate::types::DataType::{self, BigInt, Date, Integer, Text};

const MONEY: DataType = DataType::Decimal { precision: 15, scale: 2 };

/// The generator writes each table in the order of its key.
const CLUSTERED: [&str; 8] =
    ["r_regionkey", "n_nationkey", "s_suppkey", "c_custkey", "p_partkey", "ps_partkey", "o_orderkey", "l_orderkey"];

/// A column's name, type, distinct values, and smallest and largest value.
type Column = (&'static str, DataType, u64, Option<(i64, i64)>);

fn table(name: &'static str, rows: u64, columns: &[Column]) -> TableSpec {
    let mut spec = TableSpec::new(name, rows);
    for (name, data_type, distinct, range) in columns {
        // A key is unique; that a name happens to be is what no load would prove.
        spec = spec.column(name, *data_type, *distinct, *range, *distinct == rows && *data_type == BigInt);
        if CLUSTERED.contains(name) {
            spec = spec.sorted();
        }
    }
    spec
}

/// Each table's name, rows and columns.
const TABLES: &[(&str, u64, &[Column])] = &[
    ("region", 5, &[("r_regionkey", BigInt, 5, Some((0, 4))), ("r_name", Text, 5, None), ("r_comment", Text, 5, None)]),
    (
        "nation",
        25,
        &[
            ("n_nationkey", BigInt, 25, Some((0, 24))),
            ("n_name", Text, 25, None),
            ("n_regionkey", BigInt, 5, Some((0, 4))),
            ("n_comment", Text, 25, None),
        ],
    ),
    (
        "supplier",
        10000,
        &[
            ("s_suppkey", BigInt, 10000, Some((1, 10000))),
            ("s_name", Text, 10000, None),
            ("s_address", Text, 10000, None),
            ("s_nationkey", BigInt, 25, Some((0, 24))),
            ("s_phone", Text, 10000, None),
            ("s_acctbal", MONEY, 9955, Some((-99822, 999972))),
            ("s_comment", Text, 10000, None),
        ],
    ),
    (
        "customer",
        150000,
        &[
            ("c_custkey", BigInt, 150000, Some((1, 150000))),
            ("c_name", Text, 150000, None),
            ("c_address", Text, 150000, None),
            ("c_nationkey", BigInt, 25, Some((0, 24))),
            ("c_phone", Text, 150000, None),
            ("c_acctbal", MONEY, 140187, Some((-99999, 999999))),
            ("c_mktsegment", Text, 5, None),
            ("c_comment", Text, 149968, None),
        ],
    ),
    (
        "part",
        200000,
        &[
            ("p_partkey", BigInt, 200000, Some((1, 200000))),
            ("p_name", Text, 199997, None),
            ("p_mfgr", Text, 5, None),
            ("p_brand", Text, 25, None),
            ("p_type", Text, 150, None),
            ("p_size", Integer, 50, Some((1, 50))),
            ("p_container", Text, 40, None),
            ("p_retailprice", MONEY, 20899, Some((90100, 209899))),
            ("p_comment", Text, 131753, None),
        ],
    ),
    (
        "partsupp",
        800000,
        &[
            ("ps_partkey", BigInt, 200000, Some((1, 200000))),
            ("ps_suppkey", BigInt, 10000, Some((1, 10000))),
            ("ps_availqty", Integer, 9999, Some((1, 9999))),
            ("ps_supplycost", MONEY, 99865, Some((100, 100000))),
            ("ps_comment", Text, 799124, None),
        ],
    ),
    (
        "orders",
        1500000,
        &[
            ("o_orderkey", BigInt, 1500000, Some((1, 6000000))),
            ("o_custkey", BigInt, 99996, Some((1, 149999))),
            ("o_orderstatus", Text, 3, None),
            ("o_totalprice", MONEY, 1464556, Some((85771, 55528516))),
            ("o_orderdate", Date, 2406, Some((8035, 10440))),
            ("o_orderpriority", Text, 5, None),
            ("o_clerk", Text, 1000, None),
            ("o_shippriority", Integer, 1, Some((0, 0))),
            ("o_comment", Text, 1482071, None),
        ],
    ),
    (
        "lineitem",
        6001215,
        &[
            ("l_orderkey", BigInt, 1500000, Some((1, 6000000))),
            ("l_partkey", BigInt, 200000, Some((1, 200000))),
            ("l_suppkey", BigInt, 10000, Some((1, 10000))),
            ("l_linenumber", Integer, 7, Some((1, 7))),
            ("l_quantity", MONEY, 50, Some((100, 5000))),
            ("l_extendedprice", MONEY, 933900, Some((90100, 10494950))),
            ("l_discount", MONEY, 11, Some((0, 10))),
            ("l_tax", MONEY, 9, Some((0, 8))),
            ("l_returnflag", Text, 3, None),
            ("l_linestatus", Text, 2, None),
            ("l_shipdate", Date, 2526, Some((8036, 10561))),
            ("l_commitdate", Date, 2466, Some((8065, 10530))),
            ("l_receiptdate", Date, 2554, Some((8038, 10591))),
            ("l_shipinstruct", Text, 4, None),
            ("l_shipmode", Text, 7, None),
            ("l_comment", Text, 4580667, None),
        ],
    ),
];

/// The catalog of TPC-H at scale factor 1.
pub(super) fn tpch_catalog() -> ToyCatalog {
    ToyCatalog::new(TABLES.iter().map(|(name, rows, columns)| table(name, *rows, columns)))
}
