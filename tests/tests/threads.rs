//! An engine has the threads that it was given, and one that looks after its tables unless it is to do without, and no others, whatever
//! it does: load, sort, build, query. Alone in its file: the operating system counts all threads of the process.
#![cfg(target_os = "linux")]

use multiloop::Engine;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Rows of the files: several chunks.
const ROWS: usize = 150_000;

/// Threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("Linux lists them").count()
}

/// Waits until there are so many: a thread that was waited for is still listed for a moment.
fn settle(expected: usize) -> bool {
    (0..10_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        threads() == expected
    })
}

/// The most threads at once while some work is done, one that counts apart.
fn most_threads(work: impl FnOnce()) -> usize {
    let (over, most) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                most.fetch_max(threads(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        work();
        most.fetch_max(threads(), Ordering::Relaxed);
        over.store(true, Ordering::Relaxed);
    });
    most.into_inner() - 1
}

/// Reads and writes files, and asks what is sorted, joined and grouped by all workers.
fn work(engine: &Engine, folder: &str) {
    let session = engine.session();
    let rows = |sql: &str| -> usize {
        let result = session.sql(sql).and_then(|result| result.collect_batches()).expect(sql);
        result.iter().map(|batch| batch.num_rows()).sum()
    };
    rows(&format!("CREATE TABLE t AS SELECT * FROM '{folder}/t.csv'"));
    rows(&format!("COPY t TO '{folder}/t.parquet'"));
    rows(&format!("CREATE TABLE u AS SELECT * FROM '{folder}/t.parquet'"));
    rows("INSERT INTO u SELECT * FROM t");
    assert_eq!(rows("SELECT text, key, price FROM t ORDER BY text, key"), ROWS);
    assert_eq!(rows("SELECT key, sum(price), count(*) FROM u GROUP BY key"), ROWS);
    assert_eq!(rows("SELECT t.key FROM t JOIN u ON t.key = u.key"), 2 * ROWS);
    assert_eq!(rows("SELECT text, count(DISTINCT key) FROM u GROUP BY text ORDER BY 2 DESC LIMIT 10"), 10);
}

#[test]
fn an_engine_has_the_threads_that_it_was_given() {
    let folder = std::env::temp_dir().join(format!("multiloop-threads-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let mut csv = String::from("key,text,price,numeric,day\n");
    for row in 0..ROWS {
        let far = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2;
        let text = far % 40_009;
        writeln!(csv, "{far},text {text},{}.{:02},{}.{row},2020-01-{:02}", row % 977, row % 100, row % 7, row % 28 + 1)
            .expect("strings grow");
    }
    std::fs::write(folder.join("t.csv"), csv).expect("there is room");
    let name = folder.to_str().expect("a path of text");
    let before = threads();
    for (wanted, maintains) in [(1, false), (2, false), (4, false), (1, true), (2, true)] {
        let most = most_threads(|| {
            let engine = Engine::builder().threads(wanted).maintenance(maintains).build().expect("an engine starts");
            work(&engine, name);
        });
        // That which asks is one of them; what looks after tables has one of its own.
        assert_eq!(most - before, wanted - 1 + usize::from(maintains), "an engine of {wanted} threads");
        assert!(settle(before), "what an engine started ends with it");
    }
    std::fs::remove_dir_all(&folder).expect("it is there");
}
