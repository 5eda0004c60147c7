//! What clients do, and what comes of it.

use super::{Result, connect};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio_postgres::{Client, Config, Error, NoTls, SimpleQueryMessage, Statement};

/// How long a client thinks that asks for one row.
const THINKS: Duration = Duration::from_millis(100);

/// How long one thinks that asks for one row after the other.
const WATCHES: Duration = Duration::from_millis(5);

/// How long one thinks that writes, or makes mistakes.
const PAUSES: Duration = Duration::from_millis(250);

/// Statements after which a client leaves that does not stay.
const STAYS: u64 = 20;

const ROW: &str = "SELECT customer, price, note FROM load_orders WHERE id = $1";

/// What the long statement says before, and behind, how many rows it joins all of them with.
const JOIN: [&str; 2] = [
    "SELECT a.customer, count(*), sum(a.price * b.price) AS s FROM load_orders a JOIN load_orders b \
     ON a.customer = b.customer WHERE a.price <> b.price AND b.id <= ",
    " GROUP BY a.customer ORDER BY s DESC LIMIT 5",
];

const GROUPS: &str = "SELECT customer, count(*), avg(price), min(note) FROM load_orders GROUP BY customer";

/// What a client does all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Asks for one row, thinks, asks for another.
    Short,
    /// The same, thinking little.
    Watcher,
    /// Asks what takes long, one after the other.
    Long,
    /// Asks for many rows.
    Reader,
    /// Inserts, into a table of all and into its own.
    Writer,
    /// Makes mistakes, cancels, leaves and comes back.
    Guest,
}

impl Role {
    /// The role of a client by its number: of ten, six ask for one row.
    pub(crate) fn of(number: usize) -> Role {
        match number % 10 {
            0 => Role::Long,
            1 => Role::Reader,
            2 => Role::Writer,
            3 => Role::Guest,
            _ => Role::Short,
        }
    }
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Tally {
    /// What one row took, each time.
    times: Vec<Duration>,
    /// What was done, and how often.
    counts: BTreeMap<&'static str, u64>,
    errors: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.times.extend(other.times);
        other.counts.into_iter().for_each(|(what, count)| *self.counts.entry(what).or_default() += count);
        self.errors.extend(other.errors);
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// So many of a hundred took no longer; the times have to be in order.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let at = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(at).copied().unwrap_or_default()
    }

    /// What one row took, in words.
    pub(crate) fn times(&self) -> String {
        let milliseconds = |percent| self.percentile(percent).as_secs_f64() * 1e3;
        let (p50, p99, most) = (milliseconds(50), milliseconds(99), milliseconds(100));
        format!("one row {} times: p50 {p50:.3} ms, p99 {p99:.3} ms, at most {most:.3} ms", self.times.len())
    }

    /// What was done, in words.
    pub(crate) fn counts(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(what, count)| format!("{what} {count}")).collect();
        counts.join(", ")
    }

    pub(crate) fn into_errors(self) -> Vec<String> {
        self.errors
    }
}

/// Clients of one server.
pub(crate) struct Clients {
    pub(crate) dsn: Config,
    pub(crate) rows: i64,
}

impl Clients {
    /// Has clients of these roles do what they do for a time, and leave.
    pub(crate) async fn run(&self, roles: impl IntoIterator<Item = Role>, time: Duration) -> Tally {
        let until = Instant::now() + time;
        let start = |(number, role)| {
            let worker = Worker { role, number, dsn: self.dsn.clone(), rows: self.rows, done: 0 };
            tokio::spawn(worker.run(until))
        };
        let all: Vec<_> = roles.into_iter().enumerate().map(start).collect();
        let mut tally = Tally::default();
        for one in all {
            match one.await {
                Ok(done) => tally.add(done),
                Err(error) => tally.errors.push(error.to_string()),
            }
        }
        tally.times.sort_unstable();
        tally
    }
}

/// One client.
struct Worker {
    role: Role,
    number: usize,
    dsn: Config,
    rows: i64,
    /// What it has asked so far.
    done: u64,
}

impl Worker {
    async fn run(mut self, until: Instant) -> Tally {
        let mut tally = Tally::default();
        while Instant::now() < until {
            if let Err(error) = self.visit(until, &mut tally).await {
                tally.errors.push(format!("{:?} {}: {}", self.role, self.number, told(&*error)));
                // Who cannot connect does not try all the time.
                tokio::time::sleep(PAUSES).await;
            }
        }
        tally
    }

    /// Connects, asks, and leaves when the time is over, or sooner if it is a guest.
    async fn visit(&mut self, until: Instant, tally: &mut Tally) -> Result<()> {
        let (client, carried) = connect(&self.dsn).await?;
        let row = client.prepare(ROW).await?;
        let last = if self.role == Role::Guest { self.done + STAYS } else { u64::MAX };
        while Instant::now() < until && self.done < last {
            self.done += 1;
            match self.role {
                Role::Short => {
                    self.one_row(&client, &row, tally).await?;
                    tokio::time::sleep(THINKS).await;
                }
                Role::Watcher => {
                    self.one_row(&client, &row, tally).await?;
                    tokio::time::sleep(WATCHES).await;
                }
                Role::Long => self.long(&client, tally).await?,
                Role::Reader => self.many_rows(&client, tally).await?,
                Role::Writer => self.write(&client, tally).await?,
                Role::Guest => self.wrong(&client, tally).await?,
            }
        }
        drop(client);
        carried.await?;
        Ok(())
    }

    /// Any number up to so many, another one each time.
    fn any(&self, most: i64) -> i64 {
        let mixed = (self.done ^ (self.number as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 33) as i64 % most.max(1)
    }

    async fn one_row(&self, client: &Client, row: &Statement, tally: &mut Tally) -> Result<()> {
        let id = self.any(self.rows) + 1;
        let started = Instant::now();
        let found = client.query_one(row, &[&id]).await?;
        tally.times.push(started.elapsed());
        tally.count("one row");
        let (customer, note): (i32, &str) = (found.get(0), found.get(2));
        if i64::from(customer) != id % 1000 || note != format!("note {id}") {
            return Err(format!("order {id} came as {customer}, {note}").into());
        }
        Ok(())
    }

    fn join(&self) -> String {
        let [before, behind] = JOIN;
        format!("{before}{}{behind}", self.rows / 8)
    }

    async fn long(&self, client: &Client, tally: &mut Tally) -> Result<()> {
        tally.count("long");
        let rows = client.query(&self.join(), &[]).await?;
        if rows.len() == 5 { Ok(()) } else { Err(format!("{} rows came of 5", rows.len()).into()) }
    }

    async fn many_rows(&self, client: &Client, tally: &mut Tally) -> Result<()> {
        tally.count("many rows");
        let (rows, most) = match self.done % 2 {
            0 => (client.query(GROUPS, &[]).await?.len(), 1000),
            _ => {
                let told = client.simple_query("SELECT * FROM load_orders").await?;
                (told.iter().filter(|told| matches!(told, SimpleQueryMessage::Row(_))).count(), self.rows)
            }
        };
        tokio::time::sleep(PAUSES).await;
        if rows as i64 == most.min(self.rows) { Ok(()) } else { Err(format!("{rows} rows came of {most}").into()) }
    }

    /// Inserts into the table of all, and in a transaction into its own, which is dropped.
    async fn write(&self, client: &Client, tally: &mut Tally) -> Result<()> {
        tally.count("writes");
        let event = "INSERT INTO load_events VALUES ($1, $2, 'an event')";
        let (number, done) = (self.number as i32, self.done as i32);
        client.execute(event, &[&number, &done]).await?;
        let own = format!("load_own_{number}");
        let empty = format!("DROP TABLE IF EXISTS {own}; CREATE TABLE {own} (a integer, b text)");
        client.batch_execute(&empty).await?;
        let end = if self.done.is_multiple_of(3) { "ROLLBACK" } else { "COMMIT" };
        let insert = format!("INSERT INTO {own} SELECT g, 'row ' || g FROM generate_series(1, 100) AS t(g)");
        client.batch_execute(&format!("BEGIN; {insert}; INSERT INTO {own} VALUES (0, 'more'); {end}")).await?;
        let rows: i64 = client.query_one(&format!("SELECT count(*) FROM {own}"), &[]).await?.get(0);
        client.batch_execute(&format!("DROP TABLE {own}")).await?;
        tokio::time::sleep(PAUSES).await;
        let expected = if end == "COMMIT" { 101 } else { 0 };
        if rows == expected { Ok(()) } else { Err(format!("{rows} rows are there of {expected}").into()) }
    }

    /// Does what is answered by an error: which one is known.
    async fn wrong(&self, client: &Client, tally: &mut Tally) -> Result<()> {
        tally.count("errors that were asked for");
        let (code, outcome) = match self.any(4) {
            0 => ("22012", client.simple_query("SELECT 1 / (id - id) FROM load_orders").await.map(drop)),
            1 => ("42P01", client.prepare("SELECT * FROM load_nowhere").await.map(drop)),
            2 => ("57014", cancelled(client, &self.join()).await),
            _ => {
                // For this text alone: a limit that outlives a join which was quick enough stops what comes next, and be it RESET.
                let text = format!("SET LOCAL statement_timeout = 5; {}", self.join());
                ("57014", client.simple_query(&text).await.map(drop))
            }
        };
        tokio::time::sleep(PAUSES).await;
        match outcome {
            // What was to be stopped may have been done.
            Ok(()) if code == "57014" => Ok(()),
            Ok(()) => Err(format!("no error {code} came").into()),
            Err(error) if error.code().is_some_and(|known| known.code() == code) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A long statement that is cancelled.
async fn cancelled(client: &Client, statement: &str) -> std::result::Result<(), Error> {
    let token = client.cancel_token();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        token.cancel_query(NoTls).await
    };
    let (outcome, stopped) = tokio::join!(client.simple_query(statement), stop);
    stopped?;
    // The request may come late, and then it is nobody's.
    outcome.map(drop)
}

/// An error with what is behind it.
fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
