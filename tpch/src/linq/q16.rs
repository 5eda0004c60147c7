//! Q16: how many suppliers have parts of a kind (TPC-H 2.4.16).

use super::Tables;
use multiloop::{Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Supply {
    pub p_brand: String,
    pub p_type: String,
    pub p_size: i32,
    pub supplier_cnt: i64,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, SupplyExpr> {
    let complaints = t.supplier.filter(|s| s.comment.like("%Customer%Complaints%")).select(|s| s.suppkey);
    t.partsupp
        .join(&t.part, |ps, p| p.partkey.eq(ps.partkey))
        .filter(|(_, p)| p.brand.not_eq("Brand#45") & p.r#type.not_like("MEDIUM POLISHED%"))
        .filter(|(ps, p)| p.size.in_list([49, 14, 23, 45, 19, 3, 36, 9]) & !complaints.contains(ps.suppkey))
        .group_by(|(_, p)| (p.brand, p.r#type, p.size))
        .select(|g| SupplyExpr {
            p_brand: g.key.0,
            p_type: g.key.1,
            p_size: g.key.2,
            supplier_cnt: g.distinct().count_of(|(ps, _)| ps.suppkey),
        })
        .order_by(|s| (s.supplier_cnt.desc(), s.p_brand, s.p_type, s.p_size))
}
