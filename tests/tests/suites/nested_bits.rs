//! Programs over vectors give the same bits at every number of threads, with rules and without, and on the interpreter.

use multiloop::{Engine, Session};
use multiloop_tests::WAYS;

/// Makes samples of vectors whose elements are of many magnitudes, so that any other order of additions would show.
fn fill(session: &Session, rows: usize) {
    session
        .sql(&format!(
            "CREATE TABLE samples AS SELECT n AS id,
                 CAST(ARRAY[(n * 7919 % 1000003) * 1e-3, (n * 104729 % 999983) * 1e-7, n % 97 - 48] AS vector(3)) AS x,
                 CAST(n * 31 % 5 < 2 AS integer)::double precision AS y
             FROM generate_series(1, {rows}::bigint) r (n)"
        ))
        .unwrap();
}

/// k-means in both forms of the DMLL paper's Figure 1, logistic regression by rows and by columns, and the covariance of Gaussian
/// discriminant analysis.
const PROGRAMS: &[&str] = &[
    "SELECT id, at FROM iterate((SELECT id, x AS at FROM samples WHERE id <= 4),
        (SELECT nearest, avg(x) FROM (SELECT s.x,
             (SELECT c.id FROM iterate c ORDER BY c.at <-> s.x, c.id LIMIT 1) AS nearest FROM samples s) placed GROUP BY nearest),
        times => 2) AS t (id, at) ORDER BY id",
    "SELECT id, at FROM iterate((SELECT id, x AS at FROM samples WHERE id <= 4),
        (SELECT k.id, (SELECT avg(p.x) FROM (SELECT s.x,
             (SELECT c.id FROM iterate c ORDER BY c.at <-> s.x, c.id LIMIT 1) AS nearest FROM samples s) p WHERE p.nearest = k.id)
         FROM iterate k), times => 2) ORDER BY id",
    "SELECT w FROM iterate((SELECT CAST('[0,0,0]' AS vector(3, double)) AS w),
        (SELECT w + CAST(g * 1e-7 AS vector(3, double)) FROM (SELECT i.w,
             (SELECT sum(s.x * (s.y - sigmoid(dot(s.x, i.w)))) FROM samples s) AS g FROM iterate i) r), times => 2)",
    "SELECT j, (SELECT sum(s.x[j] * (s.y - 0.25)) FROM samples s) FROM generate_series(1, 3) r (j) ORDER BY j",
    "SELECT y, avg(x), avg(outer_product(x - CAST('[1,2,3]' AS vector(3)), x - CAST('[1,2,3]' AS vector(3)))) FROM samples
     GROUP BY y ORDER BY y",
];

fn answers(session: &Session) -> Vec<String> {
    let answer = |query: &&str| match session.sql(query).and_then(|rows| rows.pretty()) {
        Ok(rows) => rows,
        Err(error) => panic!("{error}\n{query}"),
    };
    PROGRAMS.iter().map(answer).collect()
}

#[test]
fn at_every_number_of_threads() {
    // More than a chunk, and a bit.
    let at = |threads| {
        let session = Engine::builder().threads(threads).build().unwrap().session();
        fill(&session, 70_001);
        answers(&session)
    };
    let one = at(1);
    for threads in [2, 7] {
        assert_eq!(at(threads), one, "{threads} threads");
    }
}

#[test]
fn with_rules_without_and_on_the_interpreter() {
    let of = |way: &multiloop_tests::Way| {
        let session = way.session();
        fill(&session, 300);
        answers(&session)
    };
    let [specified, others @ ..] = &WAYS;
    let expected = of(specified);
    for way in others {
        assert_eq!(of(way), expected, "{}", way.name);
    }
}
