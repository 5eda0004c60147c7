//! Executing nonsense that is nearly sense: statements whose words were moved, lost and swapped. Errors are fine; panics,
//! internal errors, and rules that change rows are not.

use multiloop_tests::execute;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

/// Words of these are put together anew. The tables are those of `tests/src/fuzz.rs`.
const SENTENCES: &[&str] = &[
    "SELECT i , count ( * ) FROM t GROUP BY i ORDER BY 1",
    "SELECT a . i , c . s FROM t a JOIN u c ON a . i = c . k WHERE c . s > 'a'",
    "SELECT a . i , c . k FROM t a LEFT JOIN u c ON a . i = c . k AND a . b > 1",
    "SELECT a . i FROM t a FULL JOIN u c ON a . i = c . k WHERE a . i IS NULL OR c . k IS NULL",
    "SELECT i FROM t WHERE i IN ( SELECT k FROM u WHERE u . s = t . s )",
    "SELECT i FROM t WHERE i NOT IN ( SELECT k + 1 FROM u )",
    "SELECT i FROM t WHERE EXISTS ( SELECT 1 FROM u WHERE u . k = t . i )",
    "SELECT i FROM t WHERE NOT EXISTS ( SELECT 1 FROM u WHERE u . k = t . i AND u . s <> t . s )",
    "SELECT i , ( SELECT max ( k ) FROM u WHERE u . k <= t . i ) FROM t",
    "WITH w AS ( SELECT i FROM t EXCEPT SELECT k FROM u ) SELECT x . i FROM w x JOIN w y ON x . i = y . i",
    "WITH w AS ( SELECT a . i , c . s FROM t a JOIN u c ON c . k = a . i ) SELECT u . k FROM u LEFT JOIN w ON w . i = u . k WHERE w . s > 'a'",
    "WITH w AS ( SELECT i AS o FROM t ) SELECT 1 FROM t WHERE ( SELECT max ( o ) FROM w ) IN ( SELECT 3 ) AND EXISTS ( SELECT 1 FROM w )",
    "WITH w AS ( SELECT i , sum ( n ) AS n FROM t GROUP BY i ) SELECT * FROM w a WHERE a . n > ( SELECT avg ( n ) FROM w b WHERE a . i = b . i )",
    "SELECT x . i FROM t x JOIN ( SELECT ( SELECT count ( * ) FROM u ) AS n FROM t z ) y ON true JOIN ( VALUES ( 2 ) ) v ( q ) ON y . n = v . q",
    "SELECT DISTINCT a FROM v UNION SELECT k FROM u",
    "SELECT k , s FROM u INTERSECT ALL SELECT i , s FROM t",
    "SELECT i FROM t ORDER BY b DESC NULLS LAST LIMIT 2 OFFSET 1",
    "SELECT sum ( DISTINCT i ) FILTER ( WHERE f ) , avg ( x ) , min ( iv ) FROM t HAVING count ( * ) > 0",
    "SELECT CASE WHEN i > 1 THEN s WHEN f THEN 'x' ELSE NULL END FROM t",
    "SELECT coalesce ( i , k ) , nullif ( n , 0.5 ) FROM t , u WHERE t . i < u . k",
    "SELECT d + 1 , ts + iv , extract ( month FROM d ) , date_trunc ( 'day' , ts ) FROM t",
    "SELECT cast ( s AS integer ) FROM t WHERE s LIKE '1%'",
    "SELECT upper ( s ) || 'x' , length ( s ) , substring ( s FROM 1 FOR 2 ) FROM t",
    "SELECT i / nullif ( b , 0 ) , abs ( - i ) , round ( n , 1 ) , i % 2 FROM t",
    "SELECT i FROM t WHERE i BETWEEN 0 AND 2 AND ( s IS DISTINCT FROM 'a' OR NOT f )",
    "SELECT i FROM t WHERE i < ALL ( SELECT k FROM u ) OR i = ANY ( SELECT k FROM u WHERE false )",
    "SELECT * FROM ( SELECT i , s FROM t LIMIT 3 ) q RIGHT JOIN ( SELECT k FROM u ORDER BY k LIMIT 2 ) r ON q . i = r . k",
];

/// What is done to a sentence: words from one place of another come to a place of it, in the place of some.
type Change = (Index, Index, usize, Index, usize);

fn change() -> impl Strategy<Value = (usize, Change)> {
    (0..SENTENCES.len(), (any::<Index>(), any::<Index>(), 0usize..3, any::<Index>(), 0usize..6))
}

fn changed(sentence: &str, changes: &[(usize, Change)]) -> String {
    let mut words: Vec<&str> = sentence.split(' ').collect();
    for (other, (at, from, lost, _, taken)) in changes {
        let others: Vec<&str> = SENTENCES[*other].split(' ').collect();
        let at = at.index(words.len() + 1);
        let from = from.index(others.len());
        let to = (from + taken).min(others.len());
        words.splice(at..(at + lost).min(words.len()), others[from..to].iter().copied());
    }
    words.join(" ")
}

/// The same cases every time; PROPTEST_CASES looks for new ones.
fn config() -> ProptestConfig {
    let default = ProptestConfig { max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 4000, rng_seed: RngSeed::Fixed(2026), ..default },
    }
}

#[test]
fn sentences_execute() {
    SENTENCES.iter().for_each(|sentence| execute(sentence));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn words_in_another_order(
        sentence in select(SENTENCES),
        changes in proptest::collection::vec(change(), 1..4),
    ) {
        execute(&changed(sentence, &changes));
    }

    /// Clauses are swapped: what stands in brackets comes from another sentence.
    #[test]
    fn subqueries_of_others(sentence in select(SENTENCES), other in select(SENTENCES), at in any::<Index>()) {
        let begin: Vec<usize> = sentence.match_indices("( SELECT").map(|(at, _)| at).collect();
        if !begin.is_empty() {
            let begin = begin[at.index(begin.len())];
            let end = closing(sentence, begin);
            execute(&format!("{}( {other} ){}", &sentence[..begin], &sentence[end..]));
        }
    }
}

/// Where the bracket that opens at `begin` is closed: behind it.
fn closing(text: &str, begin: usize) -> usize {
    let mut open = 0;
    for (at, letter) in text[begin..].char_indices() {
        open += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if open == 0 {
            return begin + at + 1;
        }
    }
    text.len()
}
