//! TPC-H at scale factor 0.01, in every way: 22 of 22 answers right.

use multiloop::{ErrorKind, Session};
use multiloop_tests::{Answer, WAYS, WITH_A_DEVICE, Way, answer};
use multiloop_tpch::refresh::Refresh;
use multiloop_tpch::{Options, TABLES, answers, generate, query, stream_count, throughput};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Scale factor of the data.
const SCALE: f64 = 0.01;

#[test]
fn on_the_interpreter() {
    WAYS[0].check_tpch();
}

#[test]
fn on_the_cpu() {
    WAYS[2].check_tpch();
}

#[test]
fn on_the_cpu_without_rules() {
    WAYS[3].check_tpch();
}

#[test]
fn with_a_device() {
    WITH_A_DEVICE[0].check_tpch();
}

#[test]
fn of_plain_numerics_on_the_cpu() {
    check_plain_numerics(WAYS[2], true);
}

#[test]
fn of_numerics_of_several_scales_on_the_cpu() {
    check_plain_numerics(WAYS[2], false);
}

#[test]
fn streams_beside_refreshes() {
    let options = Options {
        scale_factor: SCALE,
        threads: 1,
        queries: Vec::new(),
        runs: 1,
        warm_up: 1,
        data: None,
        in_place: false,
        verify: true,
        linq: false,
        analyze: false,
    };
    let session = WAYS[2].session();
    let report = throughput(&session, &options, 2, &|_, _| {}, &|_| {}).expect("the tables load and can be refreshed");
    assert_eq!(report.failures, Vec::<String>::new());
    let numbers = |stream: usize| report.streams[stream].queries.iter().map(|query| query.query).collect::<Vec<_>>();
    assert_eq!([numbers(0)[..3].to_vec(), numbers(1)[..3].to_vec()], [[21, 3, 18], [6, 17, 14]]);
    for stream in &report.streams {
        assert_eq!(stream.queries.len(), 22);
        assert!(stream.queries.iter().all(|query| query.verified == Some(true)));
    }
    assert!(report.after.iter().all(|query| query.verified == Some(true)), "the 22 right after");
    let refreshed: Vec<_> = report.refreshes.iter().map(|pair| (pair.pair, pair.orders)).collect();
    assert_eq!(refreshed, [(1, 15), (2, 15)]);
    assert!(report.refreshes.iter().all(|pair| (15..=15 * 7).contains(&pair.lineitems)));
    assert!(report.maintained.iter().all(|query| query.verified == Some(true)), "the 22 after maintenance");
    assert!(report.throughput > 0.0 && report.after_by_before > 0.0 && report.maintained_by_before > 0.0);
}

#[test]
fn an_order_is_seen_with_its_lineitems() {
    let session = WAYS[2].session();
    generate(&session, SCALE, 1, &|_, _| {}).expect("the tables load");
    let seen = "SELECT count(DISTINCT o_orderkey), count(l_orderkey), count(*) FILTER (WHERE l_orderkey IS NULL OR o_orderkey IS NULL) \
                FROM orders FULL JOIN lineitem ON l_orderkey = o_orderkey";
    let look = |session: &Session| session.query_one::<(i64, i64, i64)>(seen, ()).expect("an answer");
    let (orders, lineitems, alone) = look(&session);
    assert_eq!((orders, alone), (15_000, 0));
    let (looks, refreshed, enough) = (AtomicUsize::new(0), AtomicBool::new(false), 24);
    let (looked, pairs) = std::thread::scope(|scope| {
        let reader = session.engine().session();
        let (looks, refreshed, look) = (&looks, &refreshed, &look);
        let looking = scope.spawn(move || {
            let mut looked = Vec::new();
            while looked.len() < enough || !refreshed.load(Ordering::SeqCst) {
                looked.push(look(&reader));
                looks.store(looked.len(), Ordering::SeqCst);
            }
            looked
        });
        let mut pairs = vec![(0, 0)];
        while !looking.is_finished() {
            let refresh = Refresh::prepare(&session, pairs.len()).expect("rows for a refresh");
            let inserted = refresh.insert().expect("RF1");
            let from = looks.load(Ordering::SeqCst);
            // Now and then one looks and ends between RF1 and RF2.
            while pairs.len() % 3 == 1 && looks.load(Ordering::SeqCst) < from + 2 && !looking.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let deleted = refresh.delete().expect("RF2");
            assert_eq!((inserted.orders, inserted.lineitems), (deleted.orders, deleted.lineitems));
            pairs.push((inserted.orders as i64, inserted.lineitems as i64));
            refreshed.store(true, Ordering::SeqCst);
        }
        (looking.join().expect("an answer each time"), pairs)
    });
    for &(now, with, alone) in &looked {
        assert_eq!(alone, 0, "orders without lineitems, or lineitems without orders");
        assert!(pairs.contains(&(now - orders, with - lineitems)), "{now} orders with {with} lineitems");
    }
    assert!(looked.iter().any(|&(now, ..)| now > orders), "nobody has seen the rows of a refresh");
    assert_eq!(look(&session), (orders, lineitems, 0));
}

#[test]
fn only_tables_of_dbgen_are_refreshed() {
    let session = WAYS[2].session();
    done(&session, "CREATE TABLE orders (o_orderkey bigint); INSERT INTO orders VALUES (7), (8), (9), (32)");
    let refused = Refresh::prepare(&session, 0).err().expect("keys that are to be free are in use");
    assert_eq!(refused.kind(), ErrorKind::WrongState);
    let counts = [0.01, 1.0, 9.0, 10.0, 30.0, 100.0, 1e6].map(stream_count);
    assert_eq!(counts, [2, 2, 2, 3, 4, 5, 11]);
}

fn done(session: &Session, sql: &str) {
    let found = answer(session, sql);
    assert!(matches!(found, Answer::Done(_)), "{sql}: {found:?}");
}

/// Every decimal column is a `numeric` without digits; unless they are `narrow`, those of the largest tables have one more
/// row, which no query finds, that shows other digits, so that they have to be stored as what they are declared.
fn check_plain_numerics(way: Way, narrow: bool) {
    let session = way.session();
    generate(&session, SCALE, 1, &|_, _| {}).expect("the tables load");
    for table in TABLES {
        make_plain(&session, table, narrow);
    }
    let mut wrong = Vec::new();
    for number in 1..=22 {
        let rows = session.sql(&query(number, SCALE)).and_then(|rows| rows.collect_batches());
        let outcome = match rows {
            Ok(batches) => {
                let rows = answers::rows(&batches).expect("a result has a text");
                answers::verify(number, SCALE, rows).expect("the answer is known")
            }
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(outcome.err().map(|difference| format!("Q{number}: {difference}")));
    }
    assert!(wrong.is_empty(), "{}: {}", way.name, wrong.join("; "));
}

fn make_plain(session: &Session, table: &str, narrow: bool) {
    let Answer::Rows(_, columns) = answer(session, &format!("DESCRIBE {table}")) else { panic!("{table} is there") };
    let is_decimal = |column: &Vec<String>| column[1].starts_with("decimal");
    if !columns.iter().any(is_decimal) {
        return;
    }
    let declared = columns.iter().map(|column| {
        let data_type = if is_decimal(column) { "numeric" } else { &column[1] };
        format!("{} {data_type}", column[0])
    });
    done(session, &format!("CREATE TABLE plain ({})", declared.collect::<Vec<_>>().join(", ")));
    done(session, &format!("INSERT INTO plain SELECT * FROM {table}"));
    // Customers are counted by Q13, whatever they are.
    if !narrow && table != "customer" {
        let names: Vec<&str> = columns.iter().filter(|column| is_decimal(column)).map(|column| &*column[0]).collect();
        let values = vec!["1.12345"; names.len()].join(", ");
        done(session, &format!("INSERT INTO plain ({}) VALUES ({values})", names.join(", ")));
    }
    done(session, &format!("CREATE OR REPLACE TABLE {table} AS SELECT * FROM plain"));
    done(session, "DROP TABLE plain");
    let Answer::Rows(_, plain) = answer(session, &format!("DESCRIBE {table}")) else { panic!("{table} is there") };
    assert!(plain.iter().zip(&columns).all(|(plain, column)| (plain[1] == "numeric") == is_decimal(column)));
}
