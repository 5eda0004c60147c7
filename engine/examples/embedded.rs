//! The README's example: tables, queries, prepared queries, Arrow results.

use multiloop::Engine;

fn main() -> Result<(), multiloop::Error> {
    let session = Engine::new()?.session();
    session.sql("CREATE TABLE trips (city text, km decimal(8,1), day date)")?;
    session.sql("INSERT INTO trips VALUES ('Bern', 12.5, '2026-01-02'), ('Basel', 90.0, '2026-01-03')")?;
    // Or: session.read_parquet("trips", "trips.parquet")?; or: session.register("trips", record_batches)?;

    for batch in session.sql("SELECT city, sum(km) AS km FROM trips GROUP BY city ORDER BY km DESC")? {
        println!("{:?}", batch?);
    }

    let far = session.prepare("SELECT count(*) FROM trips WHERE km > $1")?;
    println!("{}", far.query_scalar::<i64>(&session, [50])?);
    for row in session.query("SELECT city, km FROM trips WHERE day > $1", ["2026-01-01"])? {
        let row = row?;
        println!("{}: {} km", row.get::<&str>("city")?, row.get::<f64>("km")?);
    }
    Ok(())
}
