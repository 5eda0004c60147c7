//! Load: many clients at once, of any server that speaks PostgreSQL's protocol, so that two can be compared.
//!
//! `cargo run --release -p multiloop-server --example load -- --dsn "host=127.0.0.1 user=postgres" --pid PID`, with
//!
//! * `--connections 200` and `--seconds 600`: how many clients, and how long they go on;
//! * `--rows 200000`: of the table that they ask; what long statements take grows with its square;
//! * `--pid`: the server's process, whose memory is watched with that of its children.
//!
//! 1. One client alone asks for one row at a time.
//! 2. All of them: most ask for one row now and then, others join and group, fetch many rows, insert, make and drop tables,
//!    make mistakes, cancel, leave and come back.
//! 3. One client asks for one row at a time beside others that keep all workers busy.
//!
//! What is printed: percentiles of the one row, errors that nobody asked for (with some, the program fails), and memory before,
//! at most, and after, when all clients have left.

mod memory;
mod work;

use memory::Memory;
use std::time::{Duration, Instant};
use tokio_postgres::{Client, Config, NoTls};
use work::{Clients, Role, Tally};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How long one client is alone, at most.
const ALONE: Duration = Duration::from_secs(10);

/// How long one is beside long statements, at most.
const BESIDE: Duration = Duration::from_secs(30);

/// How long a server may take to give back what clients had that have left: threads wait a while for more work.
const SETTLES: Duration = Duration::from_secs(20);

/// What a short statement beside long ones may take, but one of a hundred.
const BESIDE_MAX: Duration = Duration::from_millis(20);

/// What is asked for.
struct Options {
    dsn: Config,
    connections: usize,
    time: Duration,
    rows: i64,
    pid: Option<u32>,
}

fn options() -> Result<Options> {
    let mut options = Options {
        dsn: "host=127.0.0.1 user=postgres dbname=postgres".parse()?,
        connections: 200,
        time: Duration::from_secs(600),
        rows: 200_000,
        pid: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--dsn" => options.dsn = value.parse()?,
            "--connections" => options.connections = value.parse()?,
            "--seconds" => options.time = Duration::from_secs(value.parse()?),
            "--rows" => options.rows = value.parse()?,
            "--pid" => options.pid = Some(value.parse()?),
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    Ok(options)
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = options()?;
    let empty = Memory::now(options.pid);
    let (client, _) = connect(&options.dsn).await?;
    let version: String = client.query_one("SELECT version()", &[]).await?.get(0);
    println!("{version}");
    println!("{} connections, {} s, {} rows", options.connections, options.time.as_secs(), options.rows);
    make_tables(&client, options.rows).await?;
    drop(client);
    let clients = Clients { dsn: options.dsn.clone(), rows: options.rows };

    let alone = clients.run([Role::Watcher], options.time.min(ALONE)).await;
    println!("alone        {}", alone.times());

    let before = Memory::settled(options.pid, SETTLES).await;
    let watch = memory::watch(options.pid);
    let mixed = clients.run((0..options.connections).map(Role::of), options.time).await;
    println!("in the load  {}", mixed.times());
    println!("             {}", mixed.counts());

    let long = std::thread::available_parallelism().map_or(4, usize::from) * 2;
    let roles = std::iter::repeat_n(Role::Long, long).chain([Role::Watcher]);
    let beside = clients.run(roles, options.time.min(BESIDE)).await;
    let verdict = if beside.percentile(99) < BESIDE_MAX { "under" } else { "OVER" };
    println!("beside {long:<3}   {}, p99 {verdict} {} ms", beside.times(), BESIDE_MAX.as_millis());
    let peak = watch.peak();
    let after = Memory::settled(options.pid, SETTLES).await;

    let (client, _) = connect(&options.dsn).await?;
    drop_tables(&client).await?;
    drop(client);
    let end = Memory::settled(options.pid, SETTLES).await;
    println!(
        "memory       without tables {empty}; before {before}, at most {peak}, after {after}; without tables {end}"
    );

    let errors: Vec<String> = [alone, mixed, beside].into_iter().flat_map(Tally::into_errors).collect();
    println!("errors that nobody asked for: {}", errors.len());
    errors.iter().take(20).for_each(|error| println!("  {error}"));
    if errors.is_empty() { Ok(()) } else { Err("there are errors that nobody asked for".into()) }
}

/// A client, and what ends when the server has seen it leave.
async fn connect(dsn: &Config) -> Result<(Client, tokio::task::JoinHandle<()>)> {
    let (client, connection) = dsn.connect(NoTls).await?;
    let carried = tokio::spawn(async {
        // Whoever asks by the client is told.
        let _ = connection.await;
    });
    Ok((client, carried))
}

async fn make_tables(client: &Client, rows: i64) -> Result<()> {
    let started = Instant::now();
    drop_tables(client).await?;
    client
        .batch_execute(&format!(
            "CREATE TABLE load_orders (id bigint PRIMARY KEY, customer integer, price double precision, note text);
             INSERT INTO load_orders SELECT g, g % 1000, g % 977 * 0.25, 'note ' || g FROM generate_series(1, {rows}) AS t(g);
             CREATE TABLE load_events (client integer, number integer, told text);"
        ))
        .await?;
    println!("tables made in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

async fn drop_tables(client: &Client) -> Result<()> {
    Ok(client.batch_execute("DROP TABLE IF EXISTS load_orders; DROP TABLE IF EXISTS load_events").await?)
}
