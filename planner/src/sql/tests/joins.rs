//! Joins: kinds, sides, and what USING and NATURAL merge.

use super::*;

#[test]
fn kinds_and_sides() {
    for (sql, expected) in [
        ("SELECT 1 FROM t, u", "Inner(Scan t, Scan u)"),
        ("SELECT 1 FROM t CROSS JOIN u", "Inner(Scan t, Scan u)"),
        ("SELECT 1 FROM t JOIN u ON t.a = u.a", "Inner(Scan t, Scan u)"),
        ("SELECT 1 FROM t LEFT JOIN u ON t.a = u.a", "Left(Scan t, Scan u)"),
        ("SELECT 1 FROM t RIGHT JOIN u ON t.a = u.a", "Left(Scan u, Scan t)"),
        ("SELECT 1 FROM t FULL JOIN u ON t.a = u.a", "Full(Scan t, Scan u)"),
        ("SELECT 1 FROM t LEFT JOIN (u JOIN w ON u.a = w.a) ON t.a = u.a", "Left(Scan t, Inner(Scan u, Scan w))"),
        ("SELECT 1 FROM t, u JOIN w ON u.a = w.a", "Inner(Scan t, Inner(Scan u, Scan w))"),
        ("SELECT 1 FROM t NATURAL JOIN \"Mixed\"", "Inner(Scan t, Scan Mixed)"),
    ] {
        assert_eq!(shape(&query(sql)), format!("Project 1({expected})"), "{sql}");
    }
}

#[test]
fn using_merges_columns_and_puts_them_first() {
    assert_eq!(names("SELECT * FROM t JOIN w USING (b)"), "b a c a");
    assert_eq!(names("SELECT * FROM t JOIN w USING (b, a)"), "b a c");
    assert_eq!(names("SELECT * FROM t NATURAL JOIN w"), "a b c");
    assert_eq!(names("SELECT t.*, w.* FROM t JOIN w USING (a)"), "a b c a b");
    assert_eq!(names("SELECT a, t.a, w.a FROM t JOIN w USING (a)"), "a a a");
    assert_eq!(names("SELECT * FROM t JOIN w USING (a) JOIN u USING (a)"), "a b c b d");
    assert_eq!(names("SELECT j.* FROM (t JOIN w USING (a)) AS j (k)"), "k b c b");
}

#[test]
fn a_merged_column_is_the_preserved_side_s() {
    let bound = query("SELECT a, w.a FROM t RIGHT JOIN w USING (a)");
    assert_eq!(bound.output[0].1, bound.output[1].1);
    let bound = query("SELECT a, t.a FROM t LEFT JOIN w USING (a)");
    assert_eq!(bound.output[0].1, bound.output[1].1);
    let bound = query("SELECT a, t.a, w.a FROM t FULL JOIN w USING (a)");
    assert_eq!(shape(&bound), "Project 3(Project 6(Full(Scan t, Scan w)))");
    assert!(bound.output[0].1 != bound.output[1].1 && bound.output[0].1 != bound.output[2].1);
}

#[test]
fn merged_columns_of_two_types_get_their_common_one() {
    assert_eq!(output("SELECT a, t.a FROM t JOIN u USING (a)"), "a bigint, a integer");
    assert_eq!(output("SELECT a FROM u LEFT JOIN t USING (a)"), "a bigint");
}

#[test]
fn conditions_see_their_own_sides_only() {
    refused("SELECT 1 FROM t, u JOIN w ON ^t.a = w.a", "42P01", "missing FROM-clause entry for table \"t\"");
    query("SELECT 1 FROM t JOIN u ON t.a = u.a JOIN w ON w.a = t.a AND w.a = u.a");
}

#[test]
fn wrong_joins_are_refused() {
    refused("SELECT 1 FROM t, ^t", "42712", "table name \"t\" specified more than once");
    refused("SELECT 1 FROM t JOIN ^w AS t ON true", "42712", "table name \"t\" specified more than once");
    refused(
        "SELECT 1 FROM t JOIN w USING (^d)",
        "42703",
        "column \"d\" specified in USING clause does not exist in left table",
    );
    refused(
        "SELECT 1 FROM (t CROSS JOIN w) JOIN u USING (^a)",
        "42702",
        "common column name \"a\" appears more than once in left table",
    );
    refused(
        "SELECT 1 FROM t JOIN w USING (a, ^a)",
        "42701",
        "column name \"a\" appears more than once in USING clause",
    );
    refused(
        "SELECT 1 FROM t JOIN (SELECT true AS a) s USING (^a)",
        "42804",
        "JOIN/USING \"a\" types integer and boolean cannot be matched",
    );
    refused("SELECT ^a FROM t JOIN w ON t.a = w.a", "42702", "column reference \"a\" is ambiguous");
    refused("SELECT 1 FROM t JOIN w ON ^t.a", "42804", "argument of JOIN/ON must be type boolean, not type integer");
    refused(
        "SELECT 1 FROM t JOIN w ON ^count(*) > 1",
        "42803",
        "aggregate functions are not allowed in JOIN conditions",
    );
}
