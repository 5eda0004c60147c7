//! Multiloop beside hand-written loops over the same columns, one thread each:
//! `cargo bench -p multiloop-cli -p multiloop-tpch --bench hand_written -- --sf 1`, or `MULTILOOP_SF=1`.
//!
//! The loops (one file a query) are the yardstick: as fast as we can make them for these columns, with what their
//! statistics say but with no index made beforehand. Both answers are compared with each other, and with the known ones
//! where there are any, before anything is timed. Then loop and engine take turns. Timed is all from columns to final
//! rows; of the engine from SQL text to record batches.

mod bitmap;
mod generate;
mod merge;
mod q01;
mod q03;
mod q05;
mod q06;
mod q09;
mod q13;
mod q18;
mod q21;
mod query;
mod simd;
mod tables;

use multiloop::{Engine, Session};
use multiloop_tpch::answers;
use query::HandWritten;
use std::time::Instant;
use tables::Tables;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What both are run on, and how often.
struct Bench {
    tables: Tables,
    session: Session,
    scale: f64,
    runs: usize,
    queries: Vec<usize>,
    engine: bool,
}

fn main() {
    let Some(mut bench) = Bench::from_arguments() else { return };
    println!(
        "TPC-H at scale factor {}, one thread each, {} loops, medians (minima) of {} runs in ms",
        bench.scale,
        simd::level(),
        bench.runs
    );
    println!("query  hand             Multiloop           ratio  the loop's million rows/s and GB/s");
    bench.query::<q01::Q1>();
    bench.query::<q03::Q3>();
    bench.query::<q05::Q5>();
    bench.query::<q06::Q6>();
    bench.query::<q09::Q9>();
    bench.query::<q13::Q13>();
    bench.query::<q18::Q18>();
    bench.query::<q21::Q21>();
}

impl Bench {
    /// None if this is not a run of benchmarks but of tests, which pass no `--bench`.
    fn from_arguments() -> Option<Self> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if !arguments.iter().any(|argument| argument == "--bench") {
            return None;
        }
        let option = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            Some(arguments.get(at + 1).unwrap_or_else(|| panic!("{name} wants a value")).clone())
        };
        let scale = option("--sf").or_else(|| std::env::var("MULTILOOP_SF").ok()).unwrap_or_else(|| "1".to_owned());
        let scale: f64 = scale.parse().expect("the scale factor is a number");
        let queries = option("--queries").unwrap_or_else(|| "1,3,5,6,9,13,18,21".to_owned());
        let runs = option("--runs").map_or(9, |runs| runs.parse().expect("--runs wants a number"));
        // The process keeps to one CPU, and so does the engine's worker, which asks which it may use.
        let pinned = core_affinity::get_core_ids()
            .and_then(|cores| cores.last().copied())
            .is_some_and(core_affinity::set_for_current);
        if !pinned {
            println!("not pinned to a CPU: the system does not allow it");
        }
        let session = Engine::builder().threads(1).build().expect("an engine starts").session();
        let engine = !arguments.iter().any(|argument| argument == "--only-hand");
        if engine {
            multiloop_tpch::generate(&session, scale, 1, &|_, _| ()).expect("tables are generated and loaded");
        }
        let queries = queries.split(',').map(|query| query.parse().expect("--queries wants numbers")).collect();
        Some(Bench { tables: generate::generate(scale), session, scale, runs, queries, engine })
    }

    /// Verifies and times one query, and prints its line.
    fn query<Q: HandWritten>(&mut self) {
        if !self.queries.contains(&Q::NUMBER) {
            return;
        }
        self.verify::<Q>();
        let sql = multiloop_tpch::query(Q::NUMBER, self.scale);
        let (mut hand, mut engine) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            hand.push(milliseconds(|| simd::run::<Q>(&self.tables)));
            if self.engine {
                engine.push(milliseconds(|| run_sql(&self.session, &sql)));
            }
        }
        let (rows, bytes) = Q::input(&self.tables);
        let (hand_median, hand_min) = median_and_min(hand);
        let (engine_median, engine_min) = median_and_min(engine);
        println!(
            "Q{:<3} {hand_median:>8.2} ({hand_min:>6.2}) {engine_median:>8.2} ({engine_min:>6.2}) {:>7.2} {:>12.0} {:>15.1}",
            Q::NUMBER,
            engine_median / hand_median,
            rows as f64 / hand_median / 1e3,
            bytes as f64 / hand_median / 1e6,
        );
    }

    /// Compares the loop's rows with the known answer and with the engine's. Warms both up.
    fn verify<Q: HandWritten>(&self) {
        let text = |rows: Vec<query::Row>| -> Vec<Vec<String>> {
            rows.into_iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
        };
        let (hand, portable) = (text(simd::run::<Q>(&self.tables)), text(simd::run_portable::<Q>(&self.tables)));
        assert_eq!(hand, portable, "Q{} gives the same without vector instructions", Q::NUMBER);
        if let Some(Err(difference)) = answers::verify(Q::NUMBER, self.scale, hand.clone()) {
            panic!("the loop of Q{} gives a wrong answer: {difference}", Q::NUMBER);
        }
        if self.engine {
            let batches = run_sql(&self.session, &multiloop_tpch::query(Q::NUMBER, self.scale));
            let rows = answers::rows(&batches).expect("results print");
            if let Err(difference) = answers::compare(Q::NUMBER, rows, hand) {
                panic!("the loop of Q{} does not give what Multiloop gives: {difference}", Q::NUMBER);
            }
        }
    }
}

fn run_sql(session: &Session, sql: &str) -> Vec<multiloop::arrow::array::RecordBatch> {
    session.sql(sql).and_then(|stream| stream.collect_batches()).expect("the query runs")
}

fn milliseconds<R>(work: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    let result = work();
    let spent = start.elapsed().as_secs_f64() * 1e3;
    drop(std::hint::black_box(result));
    spent
}

/// NaN and NaN of nothing.
fn median_and_min(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |at: usize| times.get(at).copied().unwrap_or(f64::NAN);
    (at(times.len() / 2), at(0))
}
