//! The eight tables: generated in process, or read from Parquet files.

use multiloop::arrow::array::{RecordBatch, RecordBatchReader};
use multiloop::{Error, ErrorKind, Result, Session};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use tpchgen::generators as rows;
use tpchgen_arrow as arrays;

/// The tables, small ones first.
pub const TABLES: [&str; 8] = ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];

/// Rows of `lineitem` that one part of it has, about: parts are generated side by side.
const PART_ROWS: f64 = 400_000.0;

/// Batches that a generating thread may be ahead.
const BATCHES_AHEAD: usize = 16;

/// Rows a batch.
const BATCH_ROWS: usize = 16_384;

/// Told of progress: the table and its rows so far.
pub type OnRows<'a> = &'a (dyn Fn(&str, usize) + Sync);

/// Generates all tables at a scale factor and loads them, with so many threads.
pub fn generate(session: &Session, scale_factor: f64, threads: usize, on_rows: OnRows<'_>) -> Result<()> {
    TABLES.iter().try_for_each(|table| generate_table(session, table, scale_factor, threads, on_rows))
}

fn generate_table(session: &Session, table: &str, scale: f64, threads: usize, on_rows: OnRows<'_>) -> Result<()> {
    let parts = part_count(table, scale);
    let threads = threads.clamp(1, parts);
    std::thread::scope(|scope| {
        // Thread k makes parts k, k + threads, …; the loader takes the parts in order. A batch of None ends a part.
        let receivers: Vec<_> = (0..threads)
            .map(|first| {
                let (sender, receiver) = sync_channel::<Option<RecordBatch>>(BATCHES_AHEAD);
                scope.spawn(move || {
                    for part in (first..parts).step_by(threads) {
                        for batch in reader(table, scale, part + 1, parts) {
                            let batch = batch.expect("generated columns have one length");
                            if sender.send(Some(batch)).is_err() {
                                return; // The loader has stopped with an error.
                            }
                        }
                        if sender.send(None).is_err() {
                            return;
                        }
                    }
                });
                receiver
            })
            .collect();
        let receivers = &receivers;
        let batches = (0..parts).flat_map(|part| {
            std::iter::from_fn(move || receivers[part % threads].recv().expect("each part is ended by a None"))
        });
        let mut done = 0;
        let schema = reader(table, scale, 1, parts).schema();
        session.load(
            table,
            &schema,
            batches.map(|batch| {
                done += batch.num_rows();
                on_rows(table, done);
                Ok(batch)
            }),
        )
    })
}

fn part_count(table: &str, scale: f64) -> usize {
    let rows_per_part = match table {
        "lineitem" => 6_000_000.0 * scale / PART_ROWS,
        "orders" => 1_500_000.0 * scale / PART_ROWS,
        "partsupp" => 800_000.0 * scale / PART_ROWS,
        "part" | "customer" => 200_000.0 * scale / PART_ROWS,
        _ => 1.0,
    };
    (rows_per_part.ceil() as usize).max(1)
}

fn reader(table: &str, scale: f64, part: usize, parts: usize) -> Box<dyn RecordBatchReader> {
    let part = i32::try_from(part).expect("parts are few");
    let parts = i32::try_from(parts).expect("parts are few");
    macro_rules! reader {
        ($rows:ident, $arrays:ident) => {
            Box::new(arrays::$arrays::new(rows::$rows::new(scale, part, parts)).with_batch_size(BATCH_ROWS))
        };
    }
    match table {
        "region" => reader!(RegionGenerator, RegionArrow),
        "nation" => reader!(NationGenerator, NationArrow),
        "supplier" => reader!(SupplierGenerator, SupplierArrow),
        "customer" => reader!(CustomerGenerator, CustomerArrow),
        "part" => reader!(PartGenerator, PartArrow),
        "partsupp" => reader!(PartSuppGenerator, PartSuppArrow),
        "orders" => reader!(OrderGenerator, OrderArrow),
        "lineitem" => reader!(LineItemGenerator, LineItemArrow),
        _ => unreachable!("only called with names from TABLES"),
    }
}

/// Writes all tables at a scale factor into a folder, one Parquet file each, table by table.
pub(crate) fn write_parquet(
    session: &Session,
    folder: &Path,
    scale_factor: f64,
    threads: usize,
    on_rows: OnRows<'_>,
) -> Result<()> {
    TABLES.iter().try_for_each(|table| {
        generate_table(session, table, scale_factor, threads, on_rows)?;
        let file = file(folder, table).to_string_lossy().replace('\'', "''");
        session.sql(&format!("COPY {table} TO '{file}'"))?.collect_batches()?;
        session.sql(&format!("DROP TABLE {table}"))?.collect_batches()?;
        Ok(())
    })
}

/// Where a table is in a folder of Parquet files.
pub(crate) fn file(folder: &Path, table: &str) -> PathBuf {
    folder.join(format!("{table}.parquet"))
}

/// Reads all tables from a folder with one Parquet file each, `lineitem.parquet` and so on.
pub fn read_parquet(session: &Session, folder: &Path, on_rows: OnRows<'_>) -> Result<()> {
    for table in TABLES {
        let file = present(folder, table)?;
        on_rows(table, 0);
        session.read_parquet(table, &file)?;
    }
    Ok(())
}

/// Makes views over the files of a folder that [`read_parquet`] would read.
pub(crate) fn view_parquet(session: &Session, folder: &Path) -> Result<()> {
    for table in TABLES {
        let file = present(folder, table)?.display().to_string().replace('\'', "''");
        session.sql(&format!("CREATE VIEW {table} AS SELECT * FROM '{file}'"))?;
    }
    Ok(())
}

/// The file of a table, which is there.
fn present(folder: &Path, table: &str) -> Result<PathBuf> {
    let file = file(folder, table);
    if file.exists() {
        return Ok(file);
    }
    Err(Error::new(ErrorKind::FileNotFound, format!("no such file: {}", file.display())))
}
