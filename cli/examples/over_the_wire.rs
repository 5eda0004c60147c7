//! TPC-H by a client and in process, in turns, on one engine and its tables: what the wire adds to a query.
//!
//! `cargo run --release -p multiloop-cli --example over_the_wire -- SF RUNS [QUERY …]`. The client sends simple queries, and reads
//! what comes without making anything of it. Each run asks three ways, in another order each time, and
//! twice each, of which the second counts:
//!
//! * `in process`: `Session::sql`, and all batches;
//! * `prepared apart`: as a connection asks the engine, which plans before it runs, and takes batches one by one;
//! * `wire`: a simple query, up to its ReadyForQuery.
//!
//! Times are medians of all runs but the first, ratios are of these.

use anyhow::{Context as _, Result, bail};
use multiloop::{Engine, Execution, Session};
use multiloop_server::{Options, Server};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Results of fewer rows count in the mean.
const ROWS_SMALL: usize = 1000;

/// A connection that reads messages and drops them.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut client = Client { stream, buffer: Vec::new() };
        let options = b"user\0postgres\0\0";
        let head = [(8 + options.len() as u32).to_be_bytes(), 196_608u32.to_be_bytes()].concat();
        client.stream.write_all(&[&head, &options[..]].concat())?;
        client.until_ready()?;
        Ok(client)
    }

    fn ask(&mut self, sql: &str) -> Result<usize> {
        let length = (5 + sql.len() as u32).to_be_bytes();
        self.stream.write_all(&[b"Q", &length[..], sql.as_bytes(), b"\0"].concat())?;
        self.until_ready()
    }

    /// Passes over messages up to ReadyForQuery; gives the number of rows.
    fn until_ready(&mut self) -> Result<usize> {
        let (mut rows, mut at) = (0, 0);
        self.buffer.clear();
        loop {
            if let Some(&[kind, ref length @ ..]) = self.buffer.get(at..).and_then(|left| left.first_chunk::<5>()) {
                let next = at + 1 + u32::from_be_bytes(*length) as usize;
                if self.buffer.len() >= next {
                    match kind {
                        b'D' => rows += 1,
                        b'E' => bail!("{}", String::from_utf8_lossy(&self.buffer[at..next])),
                        b'Z' => return Ok(rows),
                        _ => {}
                    }
                    at = next;
                    continue;
                }
            }
            let mut chunk = [0; 1 << 16];
            match self.stream.read(&mut chunk)? {
                0 => bail!("the server has closed the connection"),
                read => self.buffer.extend(&chunk[..read]),
            }
        }
    }
}

fn in_process(session: &Session, sql: &str) -> Result<usize> {
    let batches = session.sql(sql)?.collect_batches()?;
    Ok(batches.iter().map(|batch| batch.num_rows()).sum())
}

fn prepared_apart(session: &Session, sql: &str) -> Result<usize> {
    let mut rows = 0;
    for statement in session.parse(sql)? {
        let prepared = session.prepare_statement(&statement, &[])?;
        let Execution::Result(result) = session.run(&prepared, &[])? else { bail!("it is no query") };
        for batch in result {
            rows += batch?.num_rows();
        }
    }
    Ok(rows)
}

/// Serves an engine on a thread of its own, until the process ends.
fn serve(engine: Engine) -> Result<SocketAddr> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let options = Options { listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))], ..Options::default() };
        multiloop_server::serve_blocking(engine, options, |server: &Server| {
            sender.send(server.addresses()[0]).map_err(anyhow::Error::from)
        })
    });
    receiver.recv().context("the server does not start")
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn main() -> Result<()> {
    multiloop::with_deep_stack(measure)
}

fn measure() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let scale_factor: f64 = words.next().context("SF RUNS [QUERY …]")?.parse()?;
    let runs: usize = words.next().context("SF RUNS [QUERY …]")?.parse()?;
    let mut queries = words.map(|word| Ok(word.parse()?)).collect::<Result<Vec<usize>>>()?;
    if queries.is_empty() {
        queries = (1..=22).collect();
    }
    let engine = Engine::builder().build()?;
    let session = engine.session();
    multiloop_tpch::generate(&session, scale_factor, engine.threads(), &|_, _| {})?;
    let mut client = Client::connect(serve(engine)?)?;
    println!("query    rows  in process  prepared apart    wire  ratio   (ms)");
    let (mut logarithms, mut apart_logarithms) = (Vec::new(), Vec::new());
    for query in queries {
        let sql = multiloop_tpch::query(query, scale_factor);
        let (mut times, mut rows) = ([const { Vec::new() }; 3], 0);
        for run in 0..=runs {
            for turn in 0..3 {
                let way = (turn + run) % 3;
                // The first time brings back what the other ways have displaced.
                for time in 0..2 {
                    let began = Instant::now();
                    rows = match way {
                        0 => in_process(&session, &sql)?,
                        1 => prepared_apart(&session, &sql)?,
                        _ => client.ask(&sql)?,
                    };
                    if run > 0 && time > 0 {
                        times[way].push(began.elapsed());
                    }
                }
            }
        }
        let [here, apart, wire] = times.map(|mut times| median(&mut times).as_secs_f64() * 1e3);
        println!("Q{query:<4} {rows:>7}  {here:>10.3}  {apart:>14.3}  {wire:>6.3}  {:>5.3}", wire / here);
        if rows < ROWS_SMALL {
            logarithms.push((wire / here).ln());
            apart_logarithms.push((apart / here).ln());
        }
    }
    let mean = |logarithms: &[f64]| (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    println!(
        "geometric mean of those of fewer than {ROWS_SMALL} rows: wire {:.3}, prepared apart {:.3}",
        mean(&logarithms),
        mean(&apart_logarithms)
    );
    Ok(())
}
