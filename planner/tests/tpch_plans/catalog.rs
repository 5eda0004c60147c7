//! The TPC-H tables with the statistics that they have at scale factor 1.

use multiloop_planner::catalog::{
    Catalog, CatalogEntry, ColumnStatistics, Estimates, Proofs, TableHandle, TableInfo, TableName, TableStatistics,
};
use multiloop_planner::{DataType, Error, Field, Result, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Name, type, distinct values (0: unique), smallest and largest (of dates: days; of money: cents).
type Column = (&'static str, DataType, u64, Option<(i64, i64)>);

/// The eight tables.
pub(crate) struct TpchCatalog(BTreeMap<&'static str, Arc<TableInfo>>);

impl TpchCatalog {
    /// At scale factor 1.
    pub(crate) fn new() -> Self {
        let mut tables = TpchCatalog(BTreeMap::new());
        tables.small();
        tables.middle();
        tables.large();
        tables
    }

    fn small(&mut self) {
        use DataType::{BigInt, Text};
        self.table(
            "region",
            5,
            &[("r_regionkey", BigInt, 0, Some((0, 4))), ("r_name", Text, 0, None), ("r_comment", Text, 5, None)],
        );
        self.table(
            "nation",
            25,
            &[
                ("n_nationkey", BigInt, 0, Some((0, 24))),
                ("n_name", Text, 0, None),
                ("n_regionkey", BigInt, 5, Some((0, 4))),
                ("n_comment", Text, 25, None),
            ],
        );
    }

    fn middle(&mut self) {
        use DataType::{BigInt, Integer, Text};
        let money = DataType::decimal(15, 2);
        self.table(
            "supplier",
            10_000,
            &[
                ("s_suppkey", BigInt, 0, Some((1, 10_000))),
                ("s_name", Text, 0, None),
                ("s_address", Text, 10_000, None),
                ("s_nationkey", BigInt, 25, Some((0, 24))),
                ("s_phone", Text, 10_000, None),
                ("s_acctbal", money, 9_955, Some((-99_966, 999_972))),
                ("s_comment", Text, 10_000, None),
            ],
        );
        self.table(
            "customer",
            150_000,
            &[
                ("c_custkey", BigInt, 0, Some((1, 150_000))),
                ("c_name", Text, 0, None),
                ("c_address", Text, 150_000, None),
                ("c_nationkey", BigInt, 25, Some((0, 24))),
                ("c_phone", Text, 150_000, None),
                ("c_acctbal", money, 140_187, Some((-99_999, 999_999))),
                ("c_mktsegment", Text, 5, None),
                ("c_comment", Text, 149_968, None),
            ],
        );
        self.table(
            "part",
            200_000,
            &[
                ("p_partkey", BigInt, 0, Some((1, 200_000))),
                ("p_name", Text, 199_997, None),
                ("p_mfgr", Text, 5, None),
                ("p_brand", Text, 25, None),
                ("p_type", Text, 150, None),
                ("p_size", Integer, 50, Some((1, 50))),
                ("p_container", Text, 40, None),
                ("p_retailprice", money, 20_899, Some((90_100, 209_899))),
                ("p_comment", Text, 131_753, None),
            ],
        );
        self.table(
            "partsupp",
            800_000,
            &[
                ("ps_partkey", BigInt, 200_000, Some((1, 200_000))),
                ("ps_suppkey", BigInt, 10_000, Some((1, 10_000))),
                ("ps_availqty", Integer, 9_999, Some((1, 9_999))),
                ("ps_supplycost", money, 99_865, Some((100, 100_000))),
                ("ps_comment", Text, 799_124, None),
            ],
        );
    }

    fn large(&mut self) {
        use DataType::{BigInt, Date, Integer, Text};
        let money = DataType::decimal(15, 2);
        self.table(
            "orders",
            1_500_000,
            &[
                ("o_orderkey", BigInt, 0, Some((1, 6_000_000))),
                ("o_custkey", BigInt, 99_996, Some((1, 149_999))),
                ("o_orderstatus", Text, 3, None),
                ("o_totalprice", money, 1_464_556, Some((85_771, 55_528_516))),
                ("o_orderdate", Date, 2_406, Some((8_035, 10_440))),
                ("o_orderpriority", Text, 5, None),
                ("o_clerk", Text, 1_000, None),
                ("o_shippriority", Integer, 1, Some((0, 0))),
                ("o_comment", Text, 1_482_071, None),
            ],
        );
        self.table(
            "lineitem",
            6_001_215,
            &[
                ("l_orderkey", BigInt, 1_500_000, Some((1, 6_000_000))),
                ("l_partkey", BigInt, 200_000, Some((1, 200_000))),
                ("l_suppkey", BigInt, 10_000, Some((1, 10_000))),
                ("l_linenumber", Integer, 7, Some((1, 7))),
                ("l_quantity", money, 50, Some((100, 5_000))),
                ("l_extendedprice", money, 933_900, Some((90_100, 10_494_950))),
                ("l_discount", money, 11, Some((0, 10))),
                ("l_tax", money, 9, Some((0, 8))),
                ("l_returnflag", Text, 3, None),
                ("l_linestatus", Text, 2, None),
                ("l_shipdate", Date, 2_526, Some((8_036, 10_561))),
                ("l_commitdate", Date, 2_466, Some((8_065, 10_530))),
                ("l_receiptdate", Date, 2_554, Some((8_037, 10_591))),
                ("l_shipinstruct", Text, 4, None),
                ("l_shipmode", Text, 7, None),
                ("l_comment", Text, 4_580_667, None),
            ],
        );
    }

    fn table(&mut self, name: &'static str, rows: u64, columns: &[Column]) {
        let value = |data_type: DataType, value: i64| match data_type {
            DataType::Decimal { .. } => Value::Decimal(value.into()),
            _ => Value::Int(value),
        };
        // The tables come sorted by their first columns.
        let statistics = columns.iter().enumerate().map(|(at, &(_, data_type, distinct, range))| {
            let proofs = Proofs {
                min: range.map(|(min, _)| value(data_type, min)),
                max: range.map(|(_, max)| value(data_type, max)),
                unique: distinct == 0,
                sorted: at == 0,
                clustered: at == 0,
                ..Proofs::default()
            };
            let distinct = Some(if distinct == 0 { rows } else { distinct });
            ColumnStatistics { proofs, estimates: Estimates { distinct, average_bytes: 8.0, ..Estimates::default() } }
        });
        let statistics =
            Arc::new(TableStatistics { rows, columns: statistics.collect(), ..TableStatistics::default() });
        let fields = columns.iter().map(|&(name, data_type, ..)| Field::new(name, data_type, false)).collect();
        let handle = TableHandle(self.0.len() as u64);
        self.0.insert(
            name,
            Arc::new(TableInfo {
                name: name.to_owned(),
                fields,
                statistics,
                handle,
                domains: Vec::new(),
                declared: Arc::default(),
                hidden: Default::default(),
            }),
        );
    }
}

impl Catalog for TpchCatalog {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(self.0.get(name.name.as_str()).cloned().map(CatalogEntry::Table))
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        Err(Error::internal(format!("no query of TPC-H reads {path}")))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().map(|&name| name.to_owned()).collect()
    }
}
