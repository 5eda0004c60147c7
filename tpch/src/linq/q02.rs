//! Q2: the cheapest supplier of a part in a region (TPC-H 2.4.2).

use super::{Tables, supplied_in};
use multiloop::{Decimal, Row, linq::Query};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Offer {
    pub s_acctbal: Decimal,
    pub s_name: String,
    pub n_name: String,
    pub p_partkey: i64,
    pub p_mfgr: String,
    pub s_address: String,
    pub s_phone: String,
    pub s_comment: String,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, OfferExpr> {
    let offers = supplied_in(t, "EUROPE");
    t.part
        .filter(|p| p.size.eq(15) & p.r#type.like("%BRASS"))
        .join(&offers, |p, (ps, ..)| p.partkey.eq(ps.partkey))
        .filter(|(p, (ps, ..))| {
            let least = offers.filter(|(other, ..)| other.partkey.eq(p.partkey)).min(|(other, ..)| other.supplycost);
            ps.supplycost.eq(least)
        })
        .select(|(p, (_, s, n, _))| OfferExpr {
            s_acctbal: s.acctbal,
            s_name: s.name,
            n_name: n.name,
            p_partkey: p.partkey,
            p_mfgr: p.mfgr,
            s_address: s.address,
            s_phone: s.phone,
            s_comment: s.comment,
        })
        .order_by(|o| (o.s_acctbal.desc(), o.n_name, o.s_name, o.p_partkey))
        .take(100)
}
