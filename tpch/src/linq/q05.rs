//! Q5: revenue of local suppliers (TPC-H 2.4.5).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct LocalRevenue {
    pub n_name: String,
    pub revenue: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, LocalRevenueExpr> {
    t.customer
        .join(&t.orders, |c, o| c.custkey.eq(o.custkey))
        .join(&t.lineitem, |(_, o), l| l.orderkey.eq(o.orderkey))
        .join(&t.supplier, |(c, _, l), s| l.suppkey.eq(s.suppkey) & c.nationkey.eq(s.nationkey))
        .join(&t.nation, |(.., s), n| s.nationkey.eq(n.nationkey))
        .join(&t.region, |(.., n), r| n.regionkey.eq(r.regionkey))
        .filter(|(_, o, _, _, _, r)| {
            r.name.eq("ASIA") & o.orderdate.gt_eq(date!(1994-01-01)) & o.orderdate.lt(date!(1995-01-01))
        })
        .group_by(|(_, _, _, _, n, _)| n.name)
        .select(|g| LocalRevenueExpr {
            n_name: g.key,
            revenue: g.sum(|(_, _, l, ..)| l.extendedprice * (1 - l.discount)),
        })
        .order_by(|r| r.revenue.desc())
}
