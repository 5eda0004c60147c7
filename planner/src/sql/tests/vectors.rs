//! What is refused of vectors: where, and what the hint says.

use super::*;

/// A query of a vector `e` and of one of doubles `d`.
fn of_vectors(marked: &str) -> String {
    format!("WITH s AS (SELECT '[1,2]'::vector(2) AS e, '[1]'::vector(1, double) AS d, 1 AS i) {marked}")
}

#[test]
fn what_tells_vectors_apart_says_what_they_are_to_be_cast_to() {
    let equality = "could not identify an equality operator for type vector(2)";
    for (marked, message) in [
        ("SELECT ^e FROM s GROUP BY 1", equality),
        ("SELECT DISTINCT ^e FROM s", equality),
        ("SELECT DISTINCT ON (^e) i FROM s", equality),
        ("SELECT count(DISTINCT ^e) FROM s", equality),
        ("SELECT i FROM s ORDER BY ^e", "could not identify an ordering operator for type vector(2)"),
        ("SELECT row_number() OVER (PARTITION BY ^e) FROM s", equality),
        ("SELECT i FROM s WHERE ^e = e", "operator does not exist: vector(2) = vector(2)"),
        ("SELECT i FROM s WHERE ^e = '[1,2]'", "operator does not exist: vector(2) = unknown"),
        ("SELECT i FROM s WHERE ARRAY[^1] <> e", "operator does not exist: integer[] <> vector(2)"),
        ("SELECT i FROM s WHERE ^e IN ('[1,2]')", "operator does not exist: vector(2) = unknown"),
        ("SELECT ^min(e) FROM s", "function min(vector(2)) does not exist"),
    ] {
        let marked = of_vectors(marked);
        refused(&marked, "42883", message);
        let hint = error(&marked.replacen('^', "", 1)).hint().map(str::to_owned);
        let expected = "Vectors have no equality and no order: cast it to real[].";
        assert_eq!(hint.as_deref(), Some(expected), "{marked}");
    }
    let hint = error(&of_vectors("SELECT d FROM s GROUP BY d")).hint().map(str::to_owned);
    assert_eq!(hint.as_deref(), Some("Vectors have no equality and no order: cast it to double precision[]."));
}

#[test]
fn keys_of_what_has_no_equality_are_refused() {
    for (marked, of) in [
        ("CREATE TABLE k (a integer, ^e vector(2) PRIMARY KEY)", "vector(2)"),
        ("CREATE TABLE k (a integer, ^e vector(2) UNIQUE)", "vector(2)"),
        ("CREATE TABLE k (a integer, e vector(2), UNIQUE (a, ^e))", "vector(2)"),
        ("CREATE TABLE k (a integer, e json, PRIMARY KEY (^e))", "json"),
        ("CREATE TABLE k (^j json UNIQUE)", "json"),
        ("CREATE INDEX k ON t (a, (^b::json))", "json"),
    ] {
        let message = format!("data type {of} has no default operator class for access method \"btree\"");
        refused(marked, "42704", &message);
        let hint = error(&marked.replacen('^', "", 1)).hint().map(str::to_owned);
        let expected = match of {
            "json" => {
                "You must specify an operator class for the index or define a default operator class for the data type."
            }
            _ => "Vectors have no equality and no order: cast it to real[].",
        };
        assert_eq!(hint.as_deref(), Some(expected), "{marked}");
    }
}

#[test]
fn calls_that_do_not_fit_are_refused_where_they_stand() {
    for (marked, state, message) in [
        ("SELECT ^dot(1, 2) FROM s", "42883", "function dot(integer, integer) does not exist"),
        ("SELECT ^dot(e, 'a'::text) FROM s", "42883", "function dot(vector(2), text) does not exist"),
        ("SELECT ^l2_normalize(1) FROM s", "42883", "function l2_normalize(integer) does not exist"),
        ("SELECT ^sigmoid(true) FROM s", "42883", "function sigmoid(boolean) does not exist"),
        ("SELECT ^subvector(1, 2, 3) FROM s", "42883", "function subvector(integer, integer, integer) does not exist"),
        ("SELECT e || ^'x' FROM s", "22P02", "invalid input syntax for type vector: \"x\""),
        ("SELECT e || ^NULL FROM s", "42P18", "could not determine the length of a vector"),
        ("SELECT ^e || date '2024-01-01' FROM s", "42883", "operator does not exist: vector(2) || date"),
        ("SELECT ^e @> ARRAY['a'] FROM s", "42883", "operator does not exist: vector(2) @> text[]"),
        (
            "SELECT array_position(ARRAY[^e], e) FROM s",
            "42883",
            "could not identify an equality operator for type vector(2)",
        ),
        ("SELECT 1::vector FROM s", "22023", "type vector needs a length: vector(3)"),
    ] {
        refused(&of_vectors(marked), state, message);
    }
}
