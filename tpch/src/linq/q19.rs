//! Q19: revenue of parts that are handled by hand (TPC-H 2.4.19).

use super::Tables;
use super::schema::{LineitemExpr, PartExpr};
use multiloop::Decimal;
use multiloop::linq::{Expr, Query};

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, Expr<Option<Decimal>>> {
    let small = ["SM CASE", "SM BOX", "SM PACK", "SM PKG"];
    let medium = ["MED BAG", "MED BOX", "MED PKG", "MED PACK"];
    let large = ["LG CASE", "LG BOX", "LG PACK", "LG PKG"];
    t.lineitem
        .join(&t.part, |l, p| p.partkey.eq(l.partkey))
        .filter(|(l, p)| {
            by_hand(l, p, "Brand#12", small, 1, 5)
                | by_hand(l, p, "Brand#23", medium, 10, 10)
                | by_hand(l, p, "Brand#34", large, 20, 15)
        })
        .aggregate(|g| g.sum(|(l, _)| l.extendedprice * (1 - l.discount)).named("revenue"))
}

/// A part of a brand in one of some containers, of so many pieces and ten more, up to a size.
fn by_hand(
    l: LineitemExpr,
    p: PartExpr,
    brand: &str,
    containers: [&str; 4],
    quantity: i32,
    size: i32,
) -> Expr<bool> {
    p.brand.eq(brand)
        & p.container.in_list(containers)
        & l.quantity.gt_eq(quantity)
        & l.quantity.lt_eq(quantity + 10)
        & p.size.between(1, size)
        & l.shipmode.in_list(["AIR", "AIR REG"])
        & l.shipinstruct.eq("DELIVER IN PERSON")
}
