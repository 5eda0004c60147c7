//! TPC-H at scale factor 0.01, in every way: 22 of 22 answers right.

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, WITH_A_DEVICE, Way, answer};
use multiloop_tpch::{TABLES, answers, generate, query};

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
