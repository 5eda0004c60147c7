//! Parse-and-bind on nonsense: the fuzz target of `tests/fuzz/`, for a moment, on the stable toolchain.

use multiloop_tests::parse_and_bind;
use proptest::prelude::*;
use proptest::sample::select;

const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "LIMIT",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "(",
    ")",
    ",",
    "*",
    "t",
    "v",
    "i",
    "b",
    "n",
    "x",
    "s",
    "d",
    "ts",
    "iv",
    "f",
    "1",
    "0",
    "1.5",
    "'a'",
    "'2020-01-01'",
    "NULL",
    "+",
    "-",
    "/",
    "=",
    "<>",
    "<",
    "AND",
    "OR",
    "NOT",
    "IN",
    "EXISTS",
    "BETWEEN",
    "LIKE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "AS",
    "::",
    "integer",
    "date",
    "decimal(5,2)",
    "interval",
    "sum",
    "count",
    "avg",
    "min",
    "DISTINCT",
    "UNION",
    "ALL",
    "EXCEPT",
    "WITH",
    "VALUES",
    "ANY",
    "IS",
    ".",
    ";",
    "$1",
    "extract",
    "year",
    "substring",
    "FOR",
    "\"t\"",
    "CREATE",
    "TABLE",
    "INSERT",
    "INTO",
    "DROP",
    "VIEW",
    "COPY",
    "EXPLAIN",
    "OVER",
    "FILTER",
    "é",
    "--",
    "/*",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn words_in_any_order(words in proptest::collection::vec(select(WORDS), 0..24)) {
        parse_and_bind(&words.join(" "));
    }

    #[test]
    fn expressions_of_words(words in proptest::collection::vec(select(WORDS), 0..12)) {
        parse_and_bind(&format!("SELECT {} FROM t", words.join(" ")));
    }

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        parse_and_bind(&text);
    }
}
