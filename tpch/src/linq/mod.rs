//! The 22 queries as typed LINQ, one file a query, beside their texts in `queries/`. `schema` has the tables.

pub mod schema;

macro_rules! modules {
    ($($name:ident)*) => {
        $(#[allow(missing_docs, reason = "columns have the standard's names")]
        pub mod $name;)*
    };
}

modules!(q01 q02 q03 q04 q05 q06 q07 q08 q09 q10 q11 q12 q13 q14 q15 q16 q17 q18 q19 q20 q21 q22);

use multiloop::linq::{Lifted, Query};
use multiloop::{Decimal, Error, ErrorKind, Result, ResultStream, Session};
use schema::{
    Customer, CustomerExpr, Lineitem, LineitemExpr, Nation, NationExpr, Order, OrderExpr, Part, PartExpr, PartSupp,
    PartSuppExpr, Region, RegionExpr, Supplier, SupplierExpr,
};

/// The tables of a session, their schemas checked.
#[allow(missing_docs, reason = "the standard's names")]
pub struct Tables<'s> {
    pub region: Query<'s, RegionExpr>,
    pub nation: Query<'s, NationExpr>,
    pub supplier: Query<'s, SupplierExpr>,
    pub customer: Query<'s, CustomerExpr>,
    pub part: Query<'s, PartExpr>,
    pub partsupp: Query<'s, PartSuppExpr>,
    pub orders: Query<'s, OrderExpr>,
    pub lineitem: Query<'s, LineitemExpr>,
}

impl<'s> Tables<'s> {
    /// Opens the tables.
    ///
    /// # Errors
    /// If one is missing or has another schema.
    pub fn open(session: &'s Session) -> Result<Self> {
        Ok(Tables {
            region: session.rows_of::<Region>()?,
            nation: session.rows_of::<Nation>()?,
            supplier: session.rows_of::<Supplier>()?,
            customer: session.rows_of::<Customer>()?,
            part: session.rows_of::<Part>()?,
            partsupp: session.rows_of::<PartSupp>()?,
            orders: session.rows_of::<Order>()?,
            lineitem: session.rows_of::<Lineitem>()?,
        })
    }
}

/// A query of any rows.
pub trait Runnable {
    /// Its result.
    ///
    /// # Errors
    /// Those of the query.
    fn run(&self) -> Result<ResultStream>;

    /// Its program before and after the rules.
    ///
    /// # Errors
    /// Those of the query.
    fn explain_loops(&self) -> Result<String>;

    /// Its SQL.
    ///
    /// # Errors
    /// Those of the query.
    fn to_sql(&self) -> Result<String>;
}

impl<R: Lifted> Runnable for Query<'_, R> {
    fn run(&self) -> Result<ResultStream> {
        self.stream()
    }

    fn explain_loops(&self) -> Result<String> {
        Query::explain_loops(self)
    }

    fn to_sql(&self) -> Result<String> {
        Query::to_sql(self)
    }
}

/// Query `number` (1 to 22) at a scale factor, which Q11 depends on (TPC-H 2.4.11.3).
///
/// # Errors
/// If there is no such query, or Q11's fraction of the stock (0.0001 / SF) is no decimal.
pub fn query<'s>(t: &Tables<'s>, number: usize, scale_factor: f64) -> Result<Box<dyn Runnable + 's>> {
    Ok(match number {
        1 => Box::new(q01::query(t)),
        2 => Box::new(q02::query(t)),
        3 => Box::new(q03::query(t)),
        4 => Box::new(q04::query(t)),
        5 => Box::new(q05::query(t)),
        6 => Box::new(q06::query(t)),
        7 => Box::new(q07::query(t)),
        8 => Box::new(q08::query(t)),
        9 => Box::new(q09::query(t)),
        10 => Box::new(q10::query(t)),
        11 => Box::new(q11::query(t, fraction(scale_factor)?)),
        12 => Box::new(q12::query(t)),
        13 => Box::new(q13::query(t)),
        14 => Box::new(q14::query(t)),
        15 => Box::new(q15::query(t)),
        16 => Box::new(q16::query(t)),
        17 => Box::new(q17::query(t)),
        18 => Box::new(q18::query(t)),
        19 => Box::new(q19::query(t)),
        20 => Box::new(q20::query(t)),
        21 => Box::new(q21::query(t)),
        22 => Box::new(q22::query(t)),
        _ => return Err(Error::new(ErrorKind::InvalidParameter, format!("TPC-H has queries 1 to 22, not {number}"))),
    })
}

/// What part of the whole stock matters in Q11: 0.0001 / SF.
fn fraction(scale_factor: f64) -> Result<Decimal> {
    format!("{:.10}", 0.0001 / scale_factor).parse()
}

/// What suppliers of a region offer: the offer, its supplier, its nation and region.
type Offers<'s> = Query<'s, (PartSuppExpr, SupplierExpr, NationExpr, RegionExpr)>;

fn supplied_in<'s>(t: &Tables<'s>, region: &str) -> Offers<'s> {
    t.partsupp
        .join(&t.supplier, |ps, s| s.suppkey.eq(ps.suppkey))
        .join(&t.nation, |(_, s), n| s.nationkey.eq(n.nationkey))
        .join(&t.region, |(.., n), r| n.regionkey.eq(r.regionkey))
        .filter(|(.., r)| r.name.eq(region))
}
