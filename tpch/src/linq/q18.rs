//! Q18: customers with large orders (TPC-H 2.4.18).

use super::Tables;
use multiloop::{Date, Decimal, Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Large {
    pub c_name: String,
    pub c_custkey: i64,
    pub o_orderkey: i64,
    pub o_orderdate: Date,
    pub o_totalprice: Decimal,
    pub sum: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, LargeExpr> {
    let large = t.lineitem.group_by(|l| l.orderkey).filter(|g| g.sum(|l| l.quantity).gt(300)).select(|g| g.key);
    t.customer
        .join(&t.orders, |c, o| c.custkey.eq(o.custkey))
        .join(&t.lineitem, |(_, o), l| o.orderkey.eq(l.orderkey))
        .filter(|(_, o, _)| large.contains(o.orderkey))
        .group_by(|(c, o, _)| (c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice))
        .select(|g| {
            let (c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice) = g.key;
            let sum = g.sum(|(.., l)| l.quantity);
            LargeExpr { c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum }
        })
        .order_by(|l| (l.o_totalprice.desc(), l.o_orderdate))
        .take(100)
}
