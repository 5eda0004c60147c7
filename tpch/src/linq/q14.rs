//! Q14: the share of promoted parts in revenue (TPC-H 2.4.14).

use super::Tables;
use multiloop::linq::{Expr, Query, case};
use multiloop::{Decimal, decimal, date};

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, Expr<Option<Decimal>>> {
    t.lineitem
        .join(&t.part, |l, p| l.partkey.eq(p.partkey))
        .filter(|(l, _)| l.shipdate.gt_eq(date!(1995-09-01)) & l.shipdate.lt(date!(1995-10-01)))
        .select(|(l, p)| (p.r#type, l.extendedprice * (1 - l.discount)))
        .aggregate(|g| {
            let promoted = g.sum(|(of, price)| case(of.like("PROMO%"), price).otherwise(0));
            (decimal!(100.00) * promoted / g.sum(|(_, price)| price)).named("promo_revenue")
        })
}
