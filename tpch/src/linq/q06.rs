//! Q6: revenue that small discounts cost (TPC-H 2.4.6).

use super::Tables;
use multiloop::{Decimal, decimal, linq::{Expr, Query}, date};

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, Expr<Option<Decimal>>> {
    t.lineitem
        .filter(|l| l.shipdate.gt_eq(date!(1994-01-01)) & l.shipdate.lt(date!(1995-01-01)))
        .filter(|l| l.discount.between(decimal!(0.05), decimal!(0.07)) & l.quantity.lt(24))
        .aggregate(|g| g.sum(|l| l.extendedprice * l.discount).named("revenue"))
}
