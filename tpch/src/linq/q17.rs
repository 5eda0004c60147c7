//! Q17: revenue of small orders (TPC-H 2.4.17).

use super::Tables;
use multiloop::linq::{Expr, Query};
use multiloop::{Decimal, decimal};

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, Expr<Option<Decimal>>> {
    t.lineitem
        .join(&t.part, |l, p| p.partkey.eq(l.partkey))
        .filter(|(_, p)| p.brand.eq("Brand#23") & p.container.eq("MED BOX"))
        .filter(|(l, p)| {
            let average = t.lineitem.filter(|other| other.partkey.eq(p.partkey)).avg(|other| other.quantity);
            l.quantity.lt(decimal!(0.2) * average)
        })
        .aggregate(|g| (g.sum(|(l, _)| l.extendedprice) / decimal!(7.0)).named("avg_yearly"))
}
