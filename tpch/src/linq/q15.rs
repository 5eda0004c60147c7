//! Q15: the suppliers of the largest revenue (TPC-H 2.4.15).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Top {
    pub s_suppkey: i64,
    pub s_name: String,
    pub s_address: String,
    pub s_phone: String,
    pub total_revenue: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, TopExpr> {
    let revenue = t
        .lineitem
        .filter(|l| l.shipdate.gt_eq(date!(1996-01-01)) & l.shipdate.lt(date!(1996-04-01)))
        .group_by(|l| l.suppkey)
        .select(|g| (g.key, g.sum(|l| l.extendedprice * (1 - l.discount)).named("total_revenue")))
        .shared();
    t.supplier
        .join(&revenue, |s, (supplier, _)| s.suppkey.eq(supplier))
        .filter(|(_, (_, total))| total.eq(revenue.max(|(_, total)| total)))
        .select(|(s, (_, total_revenue))| TopExpr {
            s_suppkey: s.suppkey,
            s_name: s.name,
            s_address: s.address,
            s_phone: s.phone,
            total_revenue,
        })
        .order_by(|t| t.s_suppkey)
}
