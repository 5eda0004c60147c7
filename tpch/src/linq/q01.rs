//! Q1: what was shipped, by state (TPC-H 2.4.1).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Pricing {
    pub l_returnflag: String,
    pub l_linestatus: String,
    pub sum_qty: Decimal,
    pub sum_base_price: Decimal,
    pub sum_disc_price: Decimal,
    pub sum_charge: Decimal,
    pub avg_qty: Decimal,
    pub avg_price: Decimal,
    pub avg_disc: Decimal,
    pub count_order: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, PricingExpr> {
    t.lineitem
        .filter(|l| l.shipdate.lt_eq(date!(1998-09-02)))
        .group_by(|l| (l.returnflag, l.linestatus))
        .select(|g| PricingExpr {
            l_returnflag: g.key.0,
            l_linestatus: g.key.1,
            sum_qty: g.sum(|l| l.quantity),
            sum_base_price: g.sum(|l| l.extendedprice),
            sum_disc_price: g.sum(|l| l.extendedprice * (1 - l.discount)),
            sum_charge: g.sum(|l| l.extendedprice * (1 - l.discount) * (1 + l.tax)),
            avg_qty: g.avg(|l| l.quantity),
            avg_price: g.avg(|l| l.extendedprice),
            avg_disc: g.avg(|l| l.discount),
            count_order: g.count(),
        })
        .order_by(|p| (p.l_returnflag, p.l_linestatus))
}
