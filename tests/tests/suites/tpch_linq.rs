//! The 22 queries as typed LINQ are the programs that their texts are.

use multiloop::{Engine, Session};
use multiloop_tests::text_rows;
use multiloop_tpch::linq;

/// Where closures say things that the text says otherwise: the rows are compared alone.
const OTHER_PROGRAMS: [usize; 0] = [];

/// The eight tables at scale factor 0.01.
fn tpch() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    multiloop_tpch::generate(&session, 0.01, 2, &|_, _| {}).expect("the tables are made");
    session
}

#[test]
fn closures_are_the_programs_of_their_texts() {
    let session = tpch();
    let tables = linq::Tables::open(&session).expect("the tables fit");
    let after = |program: &str| program.split_once("After rules").expect("it shows both").1.trim().to_owned();
    let mut other = Vec::new();
    for number in 1..=22 {
        let sql = multiloop_tpch::query(number, 0.01);
        let query = linq::query(&tables, number, 0.01).expect("it is one of the 22");
        let rows = |sql: &str| text_rows(session.sql(sql).expect("it runs")).expect("rows come");
        let said = query.to_sql().expect("it has a text");
        assert_eq!(text_rows(query.run().expect("it runs")).expect("rows come"), rows(&sql), "Q{number}");
        assert_eq!(rows(&said), rows(&sql), "Q{number}: {said}");
        let theirs = rows(&format!("EXPLAIN (LOOPS) {sql}")).concat().join("\n");
        let ours = query.explain_loops().expect("it is planned");
        if after(&ours) != after(&theirs) {
            other.push(number);
            println!("=== Q{number}\n{said}\n--- ours\n{}\n--- theirs\n{}", after(&ours), after(&theirs));
        }
    }
    assert_eq!(other, OTHER_PROGRAMS);
}
