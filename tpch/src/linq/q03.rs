//! Q3: the largest orders that were not shipped (TPC-H 2.4.3).

use super::Tables;
use multiloop::{Date, Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Unshipped {
    pub l_orderkey: i64,
    pub revenue: Decimal,
    pub o_orderdate: Date,
    pub o_shippriority: i32,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, UnshippedExpr> {
    t.customer
        .join(&t.orders, |c, o| c.custkey.eq(o.custkey))
        .join(&t.lineitem, |(_, o), l| l.orderkey.eq(o.orderkey))
        .filter(|(c, o, l)| {
            c.mktsegment.eq("BUILDING") & o.orderdate.lt(date!(1995-03-15)) & l.shipdate.gt(date!(1995-03-15))
        })
        .group_by(|(_, o, l)| (l.orderkey, o.orderdate, o.shippriority))
        .select(|g| UnshippedExpr {
            l_orderkey: g.key.0,
            revenue: g.sum(|(_, _, l)| l.extendedprice * (1 - l.discount)),
            o_orderdate: g.key.1,
            o_shippriority: g.key.2,
        })
        .order_by(|u| (u.revenue.desc(), u.o_orderdate))
        .take(10)
}
