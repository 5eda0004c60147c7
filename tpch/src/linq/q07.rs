//! Q7: trade between two nations, by year (TPC-H 2.4.7).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Trade {
    pub supp_nation: String,
    pub cust_nation: String,
    pub l_year: i32,
    pub revenue: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, TradeExpr> {
    t.supplier
        .join(&t.lineitem, |s, l| s.suppkey.eq(l.suppkey))
        .join(&t.orders, |(_, l), o| o.orderkey.eq(l.orderkey))
        .join(&t.customer, |(_, _, o), c| c.custkey.eq(o.custkey))
        .join(&t.nation, |(s, ..), from| s.nationkey.eq(from.nationkey))
        .join(&t.nation, |(_, _, _, c, _), to| c.nationkey.eq(to.nationkey))
        .filter(|(_, l, _, _, from, to)| {
            let there = from.name.eq("FRANCE") & to.name.eq("GERMANY");
            let back = from.name.eq("GERMANY") & to.name.eq("FRANCE");
            (there | back) & l.shipdate.between(date!(1995-01-01), date!(1996-12-31))
        })
        .group_by(|(_, l, _, _, from, to)| (from.name, to.name, l.shipdate.year().named("l_year")))
        .select(|g| TradeExpr {
            supp_nation: g.key.0,
            cust_nation: g.key.1,
            l_year: g.key.2,
            revenue: g.sum(|(_, l, ..)| l.extendedprice * (1 - l.discount)),
        })
        .order_by(|t| (t.supp_nation, t.cust_nation, t.l_year))
}
