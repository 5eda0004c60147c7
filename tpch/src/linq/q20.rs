//! Q20: suppliers with more of a part than they sell (TPC-H 2.4.20).

use super::Tables;
use multiloop::{Row, decimal, linq::Query, date};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Surplus {
    pub s_name: String,
    pub s_address: String,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, SurplusExpr> {
    let forest = t.part.filter(|p| p.name.like("forest%")).select(|p| p.partkey);
    let with_more = t
        .partsupp
        .filter(|ps| {
            let sold = t
                .lineitem
                .filter(|l| l.partkey.eq(ps.partkey) & l.suppkey.eq(ps.suppkey))
                .filter(|l| l.shipdate.gt_eq(date!(1994-01-01)) & l.shipdate.lt(date!(1995-01-01)))
                .sum(|l| l.quantity);
            forest.contains(ps.partkey) & ps.availqty.gt(decimal!(0.5) * sold)
        })
        .select(|ps| ps.suppkey);
    t.supplier
        .join(&t.nation, |s, n| s.nationkey.eq(n.nationkey))
        .filter(|(s, n)| n.name.eq("CANADA") & with_more.contains(s.suppkey))
        .select(|(s, _)| SurplusExpr { s_name: s.name, s_address: s.address })
        .order_by(|s| s.s_name)
}
