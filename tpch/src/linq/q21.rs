//! Q21: suppliers who kept orders waiting (TPC-H 2.4.21).

use super::Tables;
use multiloop::{Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Waiting {
    pub s_name: String,
    pub numwait: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, WaitingExpr> {
    t.supplier
        .join(&t.lineitem, |s, l| s.suppkey.eq(l.suppkey))
        .join(&t.orders, |(_, l), o| o.orderkey.eq(l.orderkey))
        .join(&t.nation, |(s, ..), n| s.nationkey.eq(n.nationkey))
        .filter(|(_, l, o, n)| {
            let others = t.lineitem.filter(|other| other.orderkey.eq(l.orderkey) & other.suppkey.not_eq(l.suppkey));
            o.orderstatus.eq("F")
                & l.receiptdate.gt(l.commitdate)
                & others.exists()
                & others.not_any(|other| other.receiptdate.gt(other.commitdate))
                & n.name.eq("SAUDI ARABIA")
        })
        .group_by(|(s, ..)| s.name)
        .select(|g| WaitingExpr { s_name: g.key, numwait: g.count() })
        .order_by(|w| (w.numwait.desc(), w.s_name))
        .take(100)
}
