//! Q13: how many customers have how many orders (TPC-H 2.4.13).

use super::Tables;
use multiloop::{Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Distribution {
    pub c_count: i64,
    pub custdist: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, DistributionExpr> {
    t.customer
        .left_join(&t.orders, |c, o| {
            c.custkey.eq(o.custkey) & o.comment.not_like("%special%requests%")
        })
        .group_by(|(c, _)| c.custkey)
        .select(|g| g.count_of(|(_, o)| o.get(|o| o.orderkey)))
        .group_by(|count| count)
        .select(|g| DistributionExpr { c_count: g.key, custdist: g.count() })
        .order_by(|d| (d.custdist.desc(), d.c_count.desc()))
}
