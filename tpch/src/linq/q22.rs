//! Q22: customers of some countries who have not ordered (TPC-H 2.4.22).

use super::Tables;
use multiloop::linq::{Expr, Query};
use multiloop::{Decimal, Row, decimal};

#[derive(Row, Clone, Debug, PartialEq)]
pub struct Prospects {
    pub cntrycode: String,
    pub numcust: i64,
    pub totacctbal: Decimal,
}

/// The query.
pub fn query<'s>(t: &Tables<'s>) -> Query<'s, ProspectsExpr> {
    let listed = |code: Expr<String>| code.in_list(["13", "31", "23", "29", "30", "18", "17"]);
    let customers = t.customer.let_(|c| c.phone.substring(1, 2).named("cntrycode"));
    customers
        .filter(|(c, code)| {
            let average = customers
                .filter(|(other, code)| other.acctbal.gt(decimal!(0.00)) & listed(code))
                .avg(|(other, _)| other.acctbal);
            listed(code) & c.acctbal.gt(average) & t.orders.not_any(|o| o.custkey.eq(c.custkey))
        })
        .group_by(|(_, code)| code)
        .select(|g| ProspectsExpr {
            cntrycode: g.key,
            numcust: g.count(),
            totacctbal: g.sum(|(c, _)| c.acctbal),
        })
        .order_by(|p| p.cntrycode)
}
