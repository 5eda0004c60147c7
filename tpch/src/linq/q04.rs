//! Q4: orders with items that were late, by priority (TPC-H 2.4.4).

use super::Tables;
use multiloop::{Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Priority {
    pub o_orderpriority: String,
    pub order_count: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, PriorityExpr> {
    t.orders
        .filter(|o| o.orderdate.gt_eq(date!(1993-07-01)) & o.orderdate.lt(date!(1993-10-01)))
        .filter(|o| t.lineitem.any(|l| l.orderkey.eq(o.orderkey) & l.commitdate.lt(l.receiptdate)))
        .group_by(|o| o.orderpriority)
        .select(|g| PriorityExpr { o_orderpriority: g.key, order_count: g.count() })
        .order_by(|p| p.o_orderpriority)
}
