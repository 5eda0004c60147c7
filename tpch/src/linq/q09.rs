//! Q9: profit of a line of parts, by nation and year (TPC-H 2.4.9).

use super::Tables;
use multiloop::{Decimal, Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Profit {
    pub nation: String,
    pub o_year: i32,
    pub sum_profit: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, ProfitExpr> {
    t.part
        .join(&t.lineitem, |p, l| p.partkey.eq(l.partkey))
        .join(&t.supplier, |(_, l), s| s.suppkey.eq(l.suppkey))
        .join(&t.partsupp, |(_, l, _), ps| ps.partkey.eq(l.partkey) & ps.suppkey.eq(l.suppkey))
        .join(&t.orders, |(_, l, ..), o| o.orderkey.eq(l.orderkey))
        .join(&t.nation, |(_, _, s, ..), n| s.nationkey.eq(n.nationkey))
        .filter(|(p, ..)| p.name.like("%green%"))
        .select(|(_, l, _, ps, o, n)| {
            let amount = l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity;
            (n.name, o.orderdate.year().named("o_year"), amount)
        })
        .group_by(|(nation, year, _)| (nation, year))
        .select(|g| ProfitExpr { nation: g.key.0, o_year: g.key.1, sum_profit: g.sum(|(.., amount)| amount) })
        .order_by(|p| (p.nation, p.o_year.desc()))
}
