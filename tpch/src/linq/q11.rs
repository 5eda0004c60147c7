//! Q11: the stock that matters (TPC-H 2.4.11).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Stock {
    pub ps_partkey: i64,
    pub value: Decimal,
}

/// The query; a fraction of the whole is what matters (0.0001 / SF).
pub fn query<'s>(t: &Tables<'s>, fraction: Decimal) -> Query<'s, StockExpr> {
    let german = t
        .partsupp
        .join(&t.supplier, |ps, s| ps.suppkey.eq(s.suppkey))
        .join(&t.nation, |(_, s), n| s.nationkey.eq(n.nationkey))
        .filter(|(.., n)| n.name.eq("GERMANY"));
    german
        .group_by(|(ps, ..)| ps.partkey)
        .filter(|g| {
            let whole = german.sum(|(ps, ..)| ps.supplycost * ps.availqty);
            g.sum(|(ps, ..)| ps.supplycost * ps.availqty).gt(whole * fraction)
        })
        .select(|g| StockExpr { ps_partkey: g.key, value: g.sum(|(ps, ..)| ps.supplycost * ps.availqty) })
        .order_by(|s| s.value.desc())
}
