//! Q8: the share of a nation in a market, by year (TPC-H 2.4.8).

use super::Tables;
use multiloop::linq::{Query, case};
use multiloop::{Decimal, Row, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Share {
    pub o_year: i32,
    pub mkt_share: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, ShareExpr> {
    t.part
        .join(&t.lineitem, |p, l| p.partkey.eq(l.partkey))
        .join(&t.supplier, |(_, l), s| s.suppkey.eq(l.suppkey))
        .join(&t.orders, |(_, l, _), o| l.orderkey.eq(o.orderkey))
        .join(&t.customer, |(.., o), c| o.custkey.eq(c.custkey))
        .join(&t.nation, |(.., c), home| c.nationkey.eq(home.nationkey))
        .join(&t.region, |(.., home), r| home.regionkey.eq(r.regionkey))
        .join(&t.nation, |(_, _, s, ..), nation| s.nationkey.eq(nation.nationkey))
        .filter(|(p, _, _, o, _, _, r, _)| {
            r.name.eq("AMERICA")
                & o.orderdate.between(date!(1995-01-01), date!(1996-12-31))
                & p.r#type.eq("ECONOMY ANODIZED STEEL")
        })
        .select(|(_, l, _, o, _, _, _, nation)| {
            (o.orderdate.year().named("o_year"), l.extendedprice * (1 - l.discount), nation.name)
        })
        .group_by(|(year, ..)| year)
        .select(|g| {
            let brazil = g.sum(|(_, volume, nation)| case(nation.eq("BRAZIL"), volume).otherwise(0));
            ShareExpr { o_year: g.key, mkt_share: brazil / g.sum(|(_, volume, _)| volume) }
        })
        .order_by(|s| s.o_year)
}
