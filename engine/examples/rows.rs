//! How long rows take on their way between a program and a table: ten million into structs, a million structs inserted and pushed one
//! by one, queries of one row. `cargo run --release -p multiloop --example rows [thousands of rows]`.

use multiloop::{Date, Decimal, Engine, Result, Row, params};
use std::time::{Duration, Instant};

#[derive(Row, Clone)]
#[row(table = "trips")]
struct Trip {
    id: i64,
    city: String,
    km: f64,
    price: Decimal,
    day: Option<Date>,
}

fn trip(id: i64) -> Trip {
    let price = Decimal::new((id % 10_000).into(), 2).unwrap_or_default();
    let day = (id % 10 != 0).then(|| Date::from_days((id % 20_000) as i32));
    Trip { id, city: format!("city {}", id % 1_000), km: id as f64 / 8.0, price, day }
}

/// Says how long something took, for each of so many.
fn timed<T>(what: &str, count: i64, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    let done = work()?;
    let taken = started.elapsed();
    let each = Duration::from_secs_f64(taken.as_secs_f64() / count.max(1) as f64);
    println!("{what:<40} {:>9.1} ms {each:>12.1?} each", taken.as_secs_f64() * 1e3);
    Ok(done)
}

fn main() -> Result<()> {
    let thousands: i64 = std::env::args().nth(1).and_then(|said| said.parse().ok()).unwrap_or(1_000);
    let (few, many) = (thousands * 1_000, thousands * 10_000);
    let session = Engine::new()?.session();
    let columns = "(id bigint NOT NULL, city text NOT NULL, km double precision NOT NULL, price decimal(10,2) NOT NULL, day date)";
    session.sql(&format!("CREATE TABLE trips {columns}; CREATE TABLE pushed {columns}"))?;
    let trips: Vec<Trip> = (0..few).map(trip).collect();
    timed("structs inserted at once", few, || session.insert("trips", &trips))?;
    timed("structs pushed one by one", few, || {
        let mut appender = session.appender_for::<Trip>("pushed")?;
        for trip in &trips {
            appender.push(trip)?;
        }
        appender.finish()
    })?;
    drop(trips);
    let sql = "SELECT t.* FROM trips t, generate_series(1, 10)";
    let all = timed("rows into structs", many, || session.query_as::<Trip>(sql, ())?.collect::<Result<Vec<_>>>())?;
    let (km, price): (f64, i128) =
        all.iter().fold((0.0, 0), |(km, price), trip| (km + trip.km, price + trip.price.unscaled()));
    let days = all.iter().filter(|trip| trip.day.is_some() && trip.id >= 0 && !trip.city.is_empty()).count();
    println!("{} rows, {km} km, {price} cents, {days} days", all.len());
    drop(all);
    timed("rows into tuples", many, || {
        let mut sum = 0.0;
        for row in session.query_as::<(i64, f64)>("SELECT id, km FROM trips, generate_series(1, 10)", ())? {
            sum += row?.1;
        }
        Ok(sum)
    })?;
    let prepared = session.prepare("SELECT $1::bigint + 1")?;
    timed("a prepared query of one row", 10_000, || {
        (0..10_000_i64).map(|n| prepared.query_scalar::<i64>(&session, params![n])).sum::<Result<i64>>()
    })?;
    Ok(())
}
