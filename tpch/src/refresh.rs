//! TPC-H's refresh functions: RF1 inserts new orders with their lineitems, RF2 deletes old ones, each in one transaction.
//!
//! The specification has dbgen make the new rows, and the keys that go, before anything is timed. Here rows of a refresh are those of
//! other orders under keys that are not used: dbgen uses the first 8 of each 32 order keys, so an order's key and 8 is free. A
//! pair deletes what it has inserted. Its rows are put into temporary tables first, which is not timed.

use multiloop::{Error, ErrorKind, Result, Session};
use std::time::{Duration, Instant};

/// Pairs that insert different orders: each takes a thousandth of them, SF * 1500. Those that follow begin anew.
pub const PAIRS: usize = 1000;

/// How far the key of a new order is from that of the order it is made from.
const KEY_SHIFT: i64 = 8;

/// The rows of a pair of RF1 and RF2, which stay in the session's temporary tables as long as this lives.
pub struct Refresh<'s> {
    session: &'s Session,
}

/// Rows that a refresh function has changed, and how long its transaction took.
#[derive(Clone, Copy, Debug)]
pub struct Refreshed {
    /// Rows of `orders`.
    pub orders: u64,
    /// Rows of `lineitem`.
    pub lineitems: u64,
    /// From BEGIN to the end of COMMIT.
    pub elapsed: Duration,
}

impl<'s> Refresh<'s> {
    /// Makes the rows of a pair; the tables have to be as dbgen makes them, or as a pair before has left them.
    ///
    /// # Errors
    /// 55000 if order keys are in use that dbgen leaves free.
    pub fn prepare(session: &'s Session, pair: usize) -> Result<Self> {
        let used: i64 = session.query_scalar("SELECT count(*) FROM orders WHERE o_orderkey % 32 >= 8", ())?;
        if used > 0 {
            let message = format!("table \"orders\" has {used} orders with keys that dbgen leaves unused");
            return Err(Error::new(ErrorKind::WrongState, message));
        }
        let orders: i64 = session.query_scalar("SELECT count(*) FROM orders", ())?;
        let count = (orders / PAIRS as i64).max(1);
        let first = (pair % PAIRS) as i64 * count;
        let (low, high) = (order_key(first + 1), order_key(first + count));
        let refresh = Refresh { session };
        refresh.drop_tables();
        for (name, table, key) in [("rf_orders", "orders", "o_orderkey"), ("rf_lineitem", "lineitem", "l_orderkey")] {
            let rows = format!("SELECT * REPLACE ({key} + {KEY_SHIFT} AS {key}) FROM {table}");
            session.sql(&format!("CREATE TEMPORARY TABLE {name} AS {rows} WHERE {key} BETWEEN {low} AND {high}"))?;
        }
        Ok(refresh)
    }

    /// RF1: inserts the orders and their lineitems.
    ///
    /// # Errors
    /// Those of its statements; then nothing is inserted.
    pub fn insert(&self) -> Result<Refreshed> {
        self.transaction("INSERT INTO orders TABLE rf_orders", "INSERT INTO lineitem TABLE rf_lineitem")
    }

    /// RF2: deletes the orders and their lineitems by their keys.
    ///
    /// # Errors
    /// Those of its statements; then nothing is deleted.
    pub fn delete(&self) -> Result<Refreshed> {
        self.transaction(
            "DELETE FROM orders WHERE o_orderkey IN (SELECT o_orderkey FROM rf_orders)",
            "DELETE FROM lineitem WHERE l_orderkey IN (SELECT o_orderkey FROM rf_orders)",
        )
    }

    fn transaction(&self, orders: &str, lineitem: &str) -> Result<Refreshed> {
        let start = Instant::now();
        self.session.sql("BEGIN")?;
        let changed = || {
            let rows = (self.session.execute(orders, ())?, self.session.execute(lineitem, ())?);
            self.session.sql("COMMIT")?;
            Ok(rows)
        };
        let (orders, lineitems) = changed().inspect_err(|_| drop(self.session.sql("ROLLBACK")))?;
        Ok(Refreshed { orders, lineitems, elapsed: start.elapsed() })
    }

    /// They go with the session, too, so an error means nothing.
    fn drop_tables(&self) {
        drop(self.session.sql("DROP TABLE IF EXISTS pg_temp.rf_orders, pg_temp.rf_lineitem"));
    }
}

impl Drop for Refresh<'_> {
    fn drop(&mut self) {
        self.drop_tables();
    }
}

/// The key that dbgen gives its order of this number, from 1 on: the lower three bits stay, and two zeros come before them.
fn order_key(number: i64) -> i64 {
    (number >> 3 << 5) | (number & 7)
}
