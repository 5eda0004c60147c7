//! What an INSERT costs beside what the table holds: a large table with two keys, nearly unique and repeating, into which rows
//! are inserted one by one and in batches, queries between them. `cargo run --release --example inserts -- ROWS`; a word behind
//! the rows chooses cases by name. A few thousand rows show that it works, ten million what it costs.

use mimalloc::MiMalloc;
use multiloop::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use multiloop::{Engine, Error, Session};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Values of the key that repeats.
const FEW: u64 = 100_000;

/// Rows of a batch that is loaded.
const BATCH_ROWS: u64 = 1 << 16;

/// Rows that are inserted one by one.
const SINGLE: u64 = 1_000;

/// Rows of an INSERT that brings many, and how many such there are.
const MANY: (u64, u64) = (10_000, 10);

/// How keys look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Text,
    Integer,
}

impl Keys {
    fn name(self) -> &'static str {
        match self {
            Keys::Text => "text",
            Keys::Integer => "integer",
        }
    }

    fn sql_type(self) -> &'static str {
        match self {
            Keys::Text => "text",
            Keys::Integer => "bigint",
        }
    }

    /// A key as a literal.
    fn literal(self, number: u64) -> String {
        match self {
            Keys::Text => format!("'{}'", text(number)),
            Keys::Integer => integer(number).to_string(),
        }
    }

    fn array(self, numbers: impl Iterator<Item = u64>) -> ArrayRef {
        match self {
            Keys::Text => Arc::new(StringArray::from_iter_values(numbers.map(text))),
            Keys::Integer => Arc::new(Int64Array::from_iter_values(numbers.map(integer))),
        }
    }
}

/// SplitMix64's finaliser: other numbers give others.
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn integer(number: u64) -> i64 {
    (mix(number) >> 1) as i64
}

fn text(number: u64) -> String {
    format!("key {:016x}", mix(number))
}

/// The repeating key of a row.
fn few(row: u64) -> u64 {
    mix(row) % FEW
}

/// The nearly unique key of a row: one in a hundred is another's, too.
fn many(row: u64) -> u64 {
    FEW + if row % 100 == 99 { row / 2 } else { row }
}

/// Rows from one number to another of `many`, `few` and `n`.
fn batches(keys: Keys, from: u64, to: u64) -> impl Iterator<Item = RecordBatch> {
    (from..to).step_by(BATCH_ROWS as usize).map(move |start| {
        let rows = start..to.min(start + BATCH_ROWS);
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row as i64)));
        let columns = [("many", keys.array(rows.clone().map(many))), ("few", keys.array(rows.map(few))), ("n", n)];
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    })
}

fn load(session: &Session, name: &str, batches: impl Iterator<Item = RecordBatch>) -> Result<(), Error> {
    let mut batches = batches.peekable();
    let schema = batches.peek().expect("there are rows").schema();
    session.load(name, &schema, batches.map(Ok))
}

fn value(session: &Session, sql: &str) -> Result<i64, Error> {
    let batches = session.sql(sql)?.collect_batches()?;
    let column = batches[0].column(0).as_any().downcast_ref::<Int64Array>().expect("a count is a bigint");
    Ok(column.value(0))
}

/// How long each of some statements took.
struct Times(Vec<Duration>);

impl Times {
    fn of(statements: impl Iterator<Item = String>, session: &Session) -> Result<Self, Error> {
        let run = |sql: String| {
            let start = Instant::now();
            session.sql(&sql)?;
            Ok(start.elapsed())
        };
        statements.map(run).collect::<Result<_, Error>>().map(Times)
    }

    fn print(mut self, what: &str) {
        let total: Duration = self.0.iter().sum();
        self.0.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (count, median, most) = (self.0.len(), self.0[self.0.len() / 2], self.0[self.0.len() - 1]);
        let mean = total / count as u32;
        println!(
            "{what:44} {count:5} statements {:10.1} ms; mean {:9.3}, median {:9.3}, most {:9.3}",
            ms(total),
            ms(mean),
            ms(median),
            ms(most)
        );
    }
}

/// Inserts into a table of so many rows, whose nearly unique key is declared PRIMARY KEY, or not.
fn case(keys: Keys, rows: u64, declared: bool) -> Result<(), Error> {
    let session = Engine::new()?.session();
    let what = format!("{} keys{}", keys.name(), if declared { ", declared" } else { "" });
    let start = Instant::now();
    if declared {
        let kind = keys.sql_type();
        session.sql(&format!("create table big (many {kind} primary key, few {kind}, n bigint)"))?;
        load(&session, "source", batches(keys, 0, rows))?;
        session.sql("insert into big select * from source where n % 100 <> 99")?;
        session.sql("drop table source")?;
    } else {
        load(&session, "big", batches(keys, 0, rows))?;
    }
    // Each value of the repeating key once: tables share their values.
    let names = (0..FEW).step_by(BATCH_ROWS as usize).map(|start| {
        let numbers = start..FEW.min(start + BATCH_ROWS);
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers.clone().map(|number| number as i64)));
        RecordBatch::try_from_iter([("few", keys.array(numbers)), ("k", n)]).expect("columns of one length")
    });
    load(&session, "names", names)?;
    load(&session, "more", batches(keys, 2 * rows, 2 * rows + MANY.0 * MANY.1))?;
    println!("{what}: {rows} rows, loaded in {:.1} s", start.elapsed().as_secs_f64());
    let ask = |when: &str| -> Result<(), Error> {
        let start = Instant::now();
        let joined = value(&session, "select count(*) from big join names on big.few = names.few")?;
        let join = start.elapsed();
        let all = value(&session, "select count(*) from big")?;
        let found = value(&session, &format!("select count(*) from big where many = {}", keys.literal(many(7))))?;
        println!("{what}, {when}: {all} rows, {joined} joined in {:.1} ms, {found} found", join.as_secs_f64() * 1e3);
        Ok(())
    };
    ask("before")?;
    let insert = |at: u64| {
        // Every other one brings a value that no row has in the repeating key either.
        let (many, few) = (4 * rows + at, if at.is_multiple_of(2) { few(at) } else { 5 * rows + at });
        format!("insert into big values ({}, {}, {})", keys.literal(many), keys.literal(few), rows + at)
    };
    Times::of((0..SINGLE).map(insert), &session)?.print(&format!("{what}, rows one by one"));
    ask("between")?;
    let insert = |at: u64| {
        let from = 2 * rows + at * MANY.0;
        let not = if declared { " and n % 100 <> 99" } else { "" };
        format!("insert into big select * from more where n >= {from} and n < {}{not}", from + MANY.0)
    };
    Times::of((0..MANY.1).map(insert), &session)?.print(&format!("{what}, {} rows each", MANY.0));
    ask("behind")
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let rows = arguments.next().map_or(Ok(50_000), |rows| rows.parse()).expect("a number of rows");
    let chosen = arguments.next().unwrap_or_default();
    for keys in [Keys::Text, Keys::Integer] {
        for declared in [false, true] {
            let name = format!("{}{}", keys.name(), if declared { "-declared" } else { "" });
            if chosen.is_empty() || chosen == name {
                case(keys, rows, declared)?;
            }
        }
    }
    Ok(())
}
