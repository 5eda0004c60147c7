//! `multiloop gpu`: which cards there are, and how fast. And the option that says what statements run on.

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use multiloop::arrow::array::{AsArray as _, RecordBatch};
use multiloop::{DeviceUse, Engine, Rates, Session};
use std::time::Duration;

/// What statements run on if nobody says it.
pub(crate) const DEFAULT: &str = if cfg!(feature = "gpu") { "auto" } else { "cpu" };

/// The value of an option.
pub(crate) fn device(name: &str) -> Result<DeviceUse, String> {
    DeviceUse::named(name).ok_or_else(|| "it is auto, cpu or gpu".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct GpuArguments {
    /// Measure the first card beside the processors, and keep what comes of it: by this `auto` begins to choose
    #[arg(long)]
    calibrate: bool,
}

/// Prints what is known of cards; measures one before, if that is asked for.
pub(crate) fn gpu(arguments: &GpuArguments) -> Result<()> {
    if arguments.calibrate {
        calibrate()?;
    }
    let lines = multiloop::about_cards();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in lines {
        say!("{name:width$}  {about}");
    }
    Ok(())
}

/// Rows of the tables that are measured: of one that is hardly more than a loop, and of one whose rows count.
const ROWS: [u64; 2] = [1 << 20, 1 << 26];

/// Bytes of a row: two columns of 32 bits.
const ROW_BYTES: u64 = 8;

/// Runs of a measurement; the best counts.
const RUNS: usize = 15;

/// Seconds that a query took over the small table and over the large one.
#[derive(Clone, Copy, Debug)]
struct Times {
    processors: [f64; 2],
    card: [f64; 2],
    /// The first time on the card over the large table, whose columns had to get there.
    first: f64,
}

impl Times {
    /// What they say of loops, on so many workers.
    fn rates(&self, workers: usize) -> Rates {
        let [small, large] = ROWS.map(|rows| (rows * ROW_BYTES) as f64);
        // What a clock does not tell apart is no time of nothing.
        let split = |[first, second]: [f64; 2]| {
            let rate = (large - small) / (second - first).max(1e-6);
            ((first - small / rate).max(1e-6), rate)
        };
        let (loop_on_processors, bytes_of_processors) = split(self.processors);
        let (loop_on_card, bytes_of_card) = split(self.card);
        Rates {
            loop_on_processors,
            loop_on_card,
            bytes_of_worker: bytes_of_processors / workers.max(1) as f64,
            bytes_of_card,
            bytes_uploaded: large / (self.first - self.card[1]).max(1e-6),
        }
    }
}

/// Measures the first card, and keeps what comes of it.
fn calibrate() -> Result<()> {
    let name = multiloop::first_card().map_err(|why| anyhow!("there is no card: {why}"))?;
    let engine = Engine::builder().device(DeviceUse::Gpu).build()?;
    let session = engine.session();
    for (table, rows) in ["small", "large"].into_iter().zip(ROWS) {
        let numbers = "(i::bigint * 7919 % 1000003)::integer AS a, (i::bigint * 104729 % 999983)::integer AS b";
        let text = format!("CREATE TABLE {table} AS SELECT {numbers} FROM generate_series(1, {rows}) AS series(i)");
        took(&session, &text).context("making rows to be measured")?;
    }
    let query = |table: &str| format!("SELECT sum(a), count(*) FROM {table} WHERE b > 300000");
    let (small, large) = (query("small"), query("large"));
    // Code is compiled, and somebody has waited for it, before times are taken.
    check(&session, &small, &name)?;
    let first = took(&session, &large)?;
    let card = [best(&session, &small)?, best(&session, &large)?];
    took(&session, "SET device = 'cpu'")?;
    let processors = [best(&session, &small)?, best(&session, &large)?];
    let rates = Times { processors, card, first }.rates(engine.threads());
    let path = rates.keep(&name).context("keeping what was measured")?;
    say!("{name} beside {} workers, kept in {}", engine.threads(), path.display());
    Ok(())
}

/// An error unless a card of this name runs a query.
fn check(session: &Session, query: &str, name: &str) -> Result<()> {
    let batches = session.sql(&format!("EXPLAIN ANALYZE {query}"))?.collect_batches()?;
    let lines = |batch: &RecordBatch| -> Vec<String> {
        let texts = batch.column(0).as_string_opt::<i32>();
        texts.into_iter().flat_map(|texts| texts.iter().flatten().map(str::to_owned)).collect()
    };
    let plan = batches.iter().flat_map(lines).collect::<Vec<_>>().join("\n");
    match plan.contains(&format!("became a loop of {name}")) {
        true => Ok(()),
        false => bail!("the card does not run `{query}`:\n{plan}"),
    }
}

/// How long a statement took from its program to its last row, in seconds.
fn took(session: &Session, text: &str) -> Result<f64> {
    let mut stream = session.sql(text)?;
    stream.by_ref().try_for_each(|batch| batch.map(drop))?;
    Ok(Duration::as_secs_f64(&stream.timings().execute))
}

/// The best of some runs.
fn best(session: &Session, text: &str) -> Result<f64> {
    (0..RUNS).try_fold(f64::INFINITY, |best, _| Ok(best.min(took(session, text)?)))
}

#[cfg(test)]
mod tests {
    use super::{ROW_BYTES, ROWS, Times};

    #[test]
    fn times_are_loops_and_bytes() {
        let time = |each: f64, rate: f64| ROWS.map(|rows| each + (rows * ROW_BYTES) as f64 / rate);
        let card = time(2e-4, 3e12);
        let times = Times { processors: time(1e-4, 64e9), card, first: card[1] + (ROWS[1] * ROW_BYTES) as f64 / 2e10 };
        let rates = times.rates(16);
        let is_about = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
        assert!(is_about(rates.loop_on_processors, 1e-4) && is_about(rates.loop_on_card, 2e-4), "{rates:?}");
        assert!(is_about(rates.bytes_of_worker, 4e9) && is_about(rates.bytes_of_card, 3e12), "{rates:?}");
        assert!(is_about(rates.bytes_uploaded, 2e10), "{rates:?}");
        // Times that cannot be give rates that can.
        let odd = Times { processors: [1e-3, 1e-3], card: [2e-3, 1e-3], first: 0.0 }.rates(0);
        for rate in
            [odd.loop_on_processors, odd.loop_on_card, odd.bytes_of_worker, odd.bytes_of_card, odd.bytes_uploaded]
        {
            assert!(rate.is_finite() && rate > 0.0, "{odd:?}");
        }
    }
}
