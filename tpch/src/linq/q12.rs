//! Q12: how late items are by means of transport (TPC-H 2.4.12).

use super::Tables;
use multiloop::linq::{Query, case};
use multiloop::{Row, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Shipping {
    pub l_shipmode: String,
    pub high_line_count: i64,
    pub low_line_count: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, ShippingExpr> {
    t.orders
        .join(&t.lineitem, |o, l| o.orderkey.eq(l.orderkey))
        .filter(|(_, l)| {
            l.shipmode.in_list(["MAIL", "SHIP"])
                & l.commitdate.lt(l.receiptdate)
                & l.shipdate.lt(l.commitdate)
                & l.receiptdate.gt_eq(date!(1994-01-01))
                & l.receiptdate.lt(date!(1995-01-01))
        })
        .group_by(|(_, l)| l.shipmode)
        .select(|g| ShippingExpr {
            l_shipmode: g.key,
            high_line_count: g.sum(|(o, _)| {
                case(o.orderpriority.eq("1-URGENT") | o.orderpriority.eq("2-HIGH"), 1).otherwise(0)
            }),
            low_line_count: g.sum(|(o, _)| {
                case(o.orderpriority.not_eq("1-URGENT") & o.orderpriority.not_eq("2-HIGH"), 1).otherwise(0)
            }),
        })
        .order_by(|s| s.l_shipmode)
}
