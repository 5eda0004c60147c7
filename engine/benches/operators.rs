//! How many rows and bytes a second each operator does, on one thread: small programs around one operator, one physical
//! form and one bucket kind each. `cargo bench -p multiloop-cli -p multiloop --bench operators`; a name after `--` chooses.
//!
//! Bytes are those of the columns that a query reads, in the forms that loading gives them. Planning is not timed.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use multiloop::arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int64Array, RecordBatch, StringArray};
use multiloop::{Engine, Session};
use std::fmt;
use std::sync::{Arc, LazyLock};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rows of the table that every query reads.
const ROWS: usize = 1 << 21;

/// Rows of a batch that is loaded.
const BATCH_ROWS: usize = 1 << 16;

/// Keys of the large dimension tables. Dense ones are the numbers below it; sparse ones lie all over 64 bits.
const KEYS: u64 = 1 << 19;

/// Keys of the small dimension table, the first of the dense ones.
const KEYS_FEW: u64 = 1 << 10;

/// A query around one operator.
struct Operator {
    name: &'static str,
    /// Of a row of `facts`.
    bytes: usize,
    /// What EXPLAIN must say of its bucket, so that the name stays true.
    bucket: &'static str,
    sql: &'static str,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

const fn operator(name: &'static str, bytes: usize, bucket: &'static str, sql: &'static str) -> Operator {
    Operator { name, bytes, bucket, sql }
}

const SCAN: [Operator; 5] = [
    operator("compare_8_bits", 1, "", "SELECT count(*) FROM facts WHERE discount >= 0.05"),
    operator("compare_16_bits", 2, "", "SELECT count(*) FROM facts WHERE day < date '1995-01-01'"),
    operator("compare_32_bits", 4, "", "SELECT count(*) FROM facts WHERE price < 5000"),
    operator("multiply_subtract_sum", 5, "", "SELECT sum(price * (1 - discount)) FROM facts"),
    operator(
        "filter_sum_few",
        7,
        "",
        "SELECT sum(price * discount) FROM facts \
         WHERE day >= date '1994-01-01' AND day < date '1994-02-01' AND discount >= 0.05",
    ),
];

const TEXT: [Operator; 3] = [
    operator("dictionary_in_list", 1, "", "SELECT count(*) FROM facts WHERE mode IN ('MAIL', 'SHIP')"),
    operator("like_two_words", 37, "", "SELECT count(*) FROM facts WHERE comment LIKE '%special%requests%'"),
    operator("like_prefix", 37, "", "SELECT count(*) FROM facts WHERE comment LIKE 'the special%'"),
];

const GROUP: [Operator; 4] = [
    operator("few", 5, "Few", "SELECT mode, sum(price) FROM facts GROUP BY mode"),
    operator("direct", 8, "Direct,", "SELECT max(s) FROM (SELECT sum(price) AS s FROM facts GROUP BY dense) AS g"),
    operator("ordered", 8, "Ordered", "SELECT max(s) FROM (SELECT sum(price) AS s FROM facts GROUP BY clustered) AS g"),
    operator("hash", 12, "Hash", "SELECT max(s) FROM (SELECT sum(price) AS s FROM facts GROUP BY sparse) AS g"),
];

const JOIN: [Operator; 4] = [
    operator("small", 8, "Few,", "SELECT sum(price) FROM facts, few WHERE dense = few.key AND few.weight < 5"),
    operator("direct", 8, "Direct,", "SELECT sum(price * weight) FROM facts, many WHERE dense = many.key"),
    operator("hash", 12, "Hash", "SELECT sum(price * weight) FROM facts, scattered WHERE sparse = scattered.key"),
    operator(
        "semi",
        8,
        "",
        "SELECT sum(price) FROM facts WHERE EXISTS (SELECT * FROM many WHERE many.key = dense AND weight < 1)",
    ),
];

const ORDER: [Operator; 2] = [
    operator("top_10", 8, "", "SELECT dense, price FROM facts ORDER BY price DESC, dense LIMIT 10"),
    operator("sort", 4, "", "SELECT price FROM facts ORDER BY price"),
];

/// Evaluation over whole columns.
#[divan::bench(args = SCAN)]
fn scan(bencher: Bencher<'_, '_>, operator: &Operator) {
    run(bencher, operator);
}

/// Text as codes and as a buffer.
#[divan::bench(args = TEXT)]
fn text(bencher: Bencher<'_, '_>, operator: &Operator) {
    run(bencher, operator);
}

/// Sums by bucket kind.
#[divan::bench(args = GROUP)]
fn group_by(bencher: Bencher<'_, '_>, operator: &Operator) {
    run(bencher, operator);
}

/// Building and probing.
#[divan::bench(args = JOIN)]
fn join(bencher: Bencher<'_, '_>, operator: &Operator) {
    run(bencher, operator);
}

/// All rows' order, or the first's.
#[divan::bench(args = ORDER)]
fn order_by(bencher: Bencher<'_, '_>, operator: &Operator) {
    run(bencher, operator);
}

fn main() {
    divan::main();
}

fn run(bencher: Bencher<'_, '_>, operator: &Operator) {
    let query = SESSION.prepare(operator.sql).unwrap_or_else(|error| panic!("{}: {error}", operator.name));
    let kernels =
        SESSION.sql(&format!("EXPLAIN (KERNELS) {}", operator.sql)).and_then(|stream| stream.collect_batches());
    let kernels = format!("{:?}", kernels.expect("the query is explained"));
    assert!(kernels.contains(operator.bucket), "{}: not {:?} but {kernels}", operator.name, operator.bucket);
    bencher.counter(ItemsCount::new(ROWS)).counter(BytesCount::new(ROWS * operator.bytes)).bench_local(|| {
        query.execute(&SESSION, &[]).and_then(|stream| stream.collect_batches()).expect("the query runs")
    });
}

static SESSION: LazyLock<Session> = LazyLock::new(|| {
    let session = Engine::builder().threads(1).build().expect("an engine starts").session();
    load(&session, "facts", ROWS, facts);
    load(&session, "few", KEYS_FEW as usize, |first, rows| dimension(first, rows, |key| key));
    load(&session, "many", KEYS as usize, |first, rows| dimension(first, rows, |key| key));
    load(&session, "scattered", KEYS as usize, |first, rows| dimension(first, rows, sparse));
    session
});

fn load(session: &Session, table: &str, rows: usize, batch: impl Fn(usize, usize) -> RecordBatch) {
    let batches = (0..rows).step_by(BATCH_ROWS).map(|first| Ok(batch(first, BATCH_ROWS.min(rows - first))));
    session.load(table, &batch(0, 0).schema(), batches).expect("the table is loaded");
}

/// A number that looks random, of a position and a column.
fn random(at: usize, column: u64) -> u64 {
    // The finaliser of SplitMix64.
    let mut x = (at as u64).wrapping_add(column << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A key from all over 64 bits for a dense one. Multiplication by an odd number keeps them distinct.
fn sparse(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn facts(first: usize, rows: usize) -> RecordBatch {
    let modes = ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"];
    let at = || first..first + rows;
    let decimal = |value: &dyn Fn(usize) -> u64| -> ArrayRef {
        let values: Decimal128Array = at().map(|at| Some(i128::from(value(at)))).collect();
        Arc::new(values.with_precision_and_scale(15, 2).expect("15 digits are allowed"))
    };
    let comment = |at| {
        let words =
            if random(at, 6).is_multiple_of(50) { "the special late requests" } else { "carefully final deposits" };
        format!("{words} {:012}", random(at, 7) % 1_000_000_000_000)
    };
    let dense = |at| random(at, 4) % KEYS;
    let columns: [(&str, ArrayRef); 8] = [
        ("discount", decimal(&|at| random(at, 0) % 11)),
        ("price", decimal(&|at| 90_000 + random(at, 1) % 10_000_000)),
        ("day", Arc::new(at().map(|at| Some(8_000 + (random(at, 2) % 2_500) as i32)).collect::<Date32Array>())),
        ("mode", Arc::new(at().map(|at| Some(modes[random(at, 3) as usize % 7])).collect::<StringArray>())),
        ("dense", Arc::new(at().map(|at| dense(at) as i64).collect::<Int64Array>())),
        ("sparse", Arc::new(at().map(|at| sparse(dense(at)) as i64).collect::<Int64Array>())),
        ("clustered", Arc::new(at().map(|at| at as i64 / 4 * 3).collect::<Int64Array>())),
        ("comment", Arc::new(at().map(|at| Some(comment(at))).collect::<StringArray>())),
    ];
    RecordBatch::try_from_iter(columns).expect("the columns have one length")
}

fn dimension(first: usize, rows: usize, key: impl Fn(u64) -> u64) -> RecordBatch {
    let keys = (first..first + rows).map(|at| key(at as u64) as i64).collect::<Int64Array>();
    let weights = (first..first + rows).map(|at| (random(at, 8) % 10) as i64).collect::<Int64Array>();
    let columns: [(&str, ArrayRef); 2] = [("key", Arc::new(keys)), ("weight", Arc::new(weights))];
    RecordBatch::try_from_iter(columns).expect("the columns have one length")
}
