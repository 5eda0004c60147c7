//! Q10: customers who sent things back (TPC-H 2.4.10).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Returned {
    pub c_custkey: i64,
    pub c_name: String,
    pub revenue: Decimal,
    pub c_acctbal: Decimal,
    pub n_name: String,
    pub c_address: String,
    pub c_phone: String,
    pub c_comment: String,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, ReturnedExpr> {
    t.customer
        .join(&t.orders, |c, o| c.custkey.eq(o.custkey))
        .join(&t.lineitem, |(_, o), l| l.orderkey.eq(o.orderkey))
        .join(&t.nation, |(c, ..), n| c.nationkey.eq(n.nationkey))
        .filter(|(_, o, l, _)| {
            o.orderdate.gt_eq(date!(1993-10-01)) & o.orderdate.lt(date!(1994-01-01)) & l.returnflag.eq("R")
        })
        .group_by(|(c, _, _, n)| (c.custkey, c.name, c.acctbal, c.phone, n.name, c.address, c.comment))
        .select(|g| {
            let (c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment) = g.key;
            let revenue = g.sum(|(_, _, l, _)| l.extendedprice * (1 - l.discount));
            ReturnedExpr { c_custkey, c_name, revenue, c_acctbal, n_name, c_address, c_phone, c_comment }
        })
        .order_by(|r| r.revenue.desc())
        .take(20)
}
