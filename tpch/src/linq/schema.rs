//! The eight tables as structs (TPC-H 1.4.1).

use multiloop::{Date, Decimal, Row};

/// A region.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "region", prefix = "r_")]
pub struct Region {
    /// Primary key.
    pub regionkey: i64,
    /// Name.
    pub name: String,
    /// Text.
    pub comment: String,
}

/// A nation.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "nation", prefix = "n_")]
pub struct Nation {
    /// Primary key.
    pub nationkey: i64,
    /// Name.
    pub name: String,
    /// Of [`Region`].
    pub regionkey: i64,
    /// Text.
    pub comment: String,
}

/// A supplier.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "supplier", prefix = "s_")]
pub struct Supplier {
    /// Primary key.
    pub suppkey: i64,
    /// Name.
    pub name: String,
    /// Address.
    pub address: String,
    /// Of [`Nation`].
    pub nationkey: i64,
    /// Phone, from the country's code on.
    pub phone: String,
    /// Balance of the account.
    pub acctbal: Decimal,
    /// Text.
    pub comment: String,
}

/// A customer.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "customer", prefix = "c_")]
pub struct Customer {
    /// Primary key.
    pub custkey: i64,
    /// Name.
    pub name: String,
    /// Address.
    pub address: String,
    /// Of [`Nation`].
    pub nationkey: i64,
    /// Phone, from the country's code on.
    pub phone: String,
    /// Balance of the account.
    pub acctbal: Decimal,
    /// Segment of the market.
    pub mktsegment: String,
    /// Text.
    pub comment: String,
}

/// A part.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "part", prefix = "p_")]
pub struct Part {
    /// Primary key.
    pub partkey: i64,
    /// Name: five colours.
    pub name: String,
    /// Manufacturer.
    pub mfgr: String,
    /// Brand.
    pub brand: String,
    /// Type: three words.
    pub r#type: String,
    /// Size.
    pub size: i32,
    /// Container.
    pub container: String,
    /// Price.
    pub retailprice: Decimal,
    /// Text.
    pub comment: String,
}

/// A part that a supplier has.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "partsupp", prefix = "ps_")]
pub struct PartSupp {
    /// Of [`Part`].
    pub partkey: i64,
    /// Of [`Supplier`].
    pub suppkey: i64,
    /// How many are there.
    pub availqty: i32,
    /// Cost of one.
    pub supplycost: Decimal,
    /// Text.
    pub comment: String,
}

/// An order.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "orders", prefix = "o_")]
pub struct Order {
    /// Primary key.
    pub orderkey: i64,
    /// Of [`Customer`].
    pub custkey: i64,
    /// F, O or P.
    pub orderstatus: String,
    /// Price of all items.
    pub totalprice: Decimal,
    /// When it was made.
    pub orderdate: Date,
    /// From 1-URGENT to 5-LOW.
    pub orderpriority: String,
    /// Clerk.
    pub clerk: String,
    /// Always 0.
    pub shippriority: i32,
    /// Text.
    pub comment: String,
}

/// An item of an order.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "lineitem", prefix = "l_")]
pub struct Lineitem {
    /// Of [`Order`].
    pub orderkey: i64,
    /// Of [`Part`].
    pub partkey: i64,
    /// Of [`Supplier`].
    pub suppkey: i64,
    /// Number within the order.
    pub linenumber: i32,
    /// How many.
    pub quantity: Decimal,
    /// Price of all of them.
    pub extendedprice: Decimal,
    /// Discount, from 0.00 to 0.10.
    pub discount: Decimal,
    /// Tax, from 0.00 to 0.08.
    pub tax: Decimal,
    /// A, N or R.
    pub returnflag: String,
    /// F or O.
    pub linestatus: String,
    /// When it was sent.
    pub shipdate: Date,
    /// When it was to arrive.
    pub commitdate: Date,
    /// When it arrived.
    pub receiptdate: Date,
    /// Instructions.
    pub shipinstruct: String,
    /// Means of transport.
    pub shipmode: String,
    /// Text.
    pub comment: String,
}
