//! GROUP BY, HAVING and where aggregates belong.

use super::*;

const UNGROUPED: &str = "column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function";

#[test]
fn groups_and_aggregates() {
    for (sql, expected) in [
        ("SELECT count(*) FROM t", "Project 1(Aggregate 0+1(Scan t))"),
        ("SELECT a FROM t GROUP BY a", "Project 1(Aggregate 1+0(Scan t))"),
        ("SELECT 1 FROM t HAVING count(*) > 1", "Project 1(Filter(Aggregate 0+1(Scan t)))"),
        ("SELECT a, sum(c) FROM t GROUP BY 1 HAVING sum(c) > 1", "Project 2(Filter(Aggregate 1+1(Scan t)))"),
        ("SELECT a + 1 AS x, count(*) FROM t GROUP BY x", "Project 2(Aggregate 1+1(Scan t))"),
        ("SELECT (a + 1) * 2 FROM t GROUP BY a + 1", "Project 1(Aggregate 1+0(Scan t))"),
        ("SELECT a FROM t GROUP BY a, t.a, 1", "Project 1(Aggregate 1+0(Scan t))"),
        ("SELECT a FROM t GROUP BY a ORDER BY count(*), max(c)", "Sort 2(Project 3(Aggregate 1+2(Scan t)))"),
        ("SELECT sum(c), sum(c) + 1 FROM t", "Project 2(Aggregate 0+1(Scan t))"),
        ("SELECT a, b FROM t GROUP BY (a, b)", "Project 2(Aggregate 2+0(Scan t))"),
        ("SELECT count(*) FROM t GROUP BY ()", "Project 1(Aggregate 0+1(Scan t))"),
        ("SELECT DISTINCT a FROM t GROUP BY a, b", "Distinct(Project 1(Aggregate 2+0(Scan t)))"),
    ] {
        assert_eq!(shape(&query(sql)), expected, "{sql}");
    }
}

#[test]
fn group_by_prefers_the_column_of_from() {
    // b is a column of t, so it is not the alias.
    refused(
        "SELECT ^a AS b FROM t GROUP BY b",
        "42803",
        "column \"t.a\" must appear in the GROUP BY clause or be used in an aggregate function",
    );
    query("SELECT -a AS z FROM t GROUP BY z");
}

#[test]
fn a_key_is_handed_through_under_its_own_id() {
    let bound = query("SELECT a, a + 1 FROM t GROUP BY a");
    let Relation::Project { input, .. } = &*bound.relation else { panic!("projected") };
    assert!(input.columns().contains(&bound.output[0].1));
}

#[test]
fn what_is_neither_grouped_nor_aggregated_is_refused() {
    refused("SELECT ^b, count(*) FROM t", "42803", UNGROUPED);
    refused("SELECT count(*) + length(^b) FROM t GROUP BY a", "42803", UNGROUPED);
    refused("SELECT a FROM t GROUP BY a HAVING ^b = 'x'", "42803", UNGROUPED);
    refused("SELECT a FROM t GROUP BY a ORDER BY ^b", "42803", UNGROUPED);
    refused("SELECT ^b FROM t GROUP BY length(b)", "42803", UNGROUPED);
    refused("SELECT ^* FROM t GROUP BY a", "42803", UNGROUPED);
    refused(
        "SELECT a, (SELECT max(u.a) FROM u WHERE ^t.b = 'x') FROM t GROUP BY a",
        "42803",
        "subquery uses ungrouped column \"t.b\" from outer query",
    );
    refused(
        "SELECT (SELECT sum(u.a + ^t.c) FROM u) FROM t GROUP BY t.a",
        "42803",
        "subquery uses ungrouped column \"t.c\" from outer query",
    );
}

#[test]
fn subqueries_see_grouped_columns() {
    query("SELECT a, (SELECT max(u.a) FROM u WHERE u.a = t.a) FROM t GROUP BY a");
    query("SELECT a + 1, (SELECT max(u.a) FROM u WHERE u.a = t.a + 1) FROM t GROUP BY a + 1");
    query("SELECT a FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.a = t.a)");
}

#[test]
fn an_aggregate_belongs_to_the_level_of_its_columns() {
    // sum(t.a) is the outer query's: it makes that one grouped.
    let bound = query("SELECT (SELECT sum(t.a)) FROM t");
    assert_eq!(shape(&bound), "Project 1(Aggregate 0+1(Scan t))");
    let bound = query("SELECT b FROM t GROUP BY b HAVING EXISTS (SELECT 1 FROM u WHERE u.a = sum(t.a))");
    assert_eq!(shape(&bound), "Project 1(Filter(Aggregate 1+1(Scan t)))");
    // sum(t.a + u.a) is the inner one's.
    let bound = query("SELECT (SELECT sum(t.a + u.a) FROM u) FROM t");
    assert_eq!(shape(&bound), "Project 1(Scan t)");
    refused(
        "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u HAVING ^sum(t.a) > 1)",
        "42803",
        "aggregate functions are not allowed in WHERE",
    );
}

#[test]
fn aggregates_stand_only_where_they_may() {
    refused("SELECT 1 FROM t WHERE ^sum(a) > 1", "42803", "aggregate functions are not allowed in WHERE");
    refused("SELECT 1 FROM t GROUP BY ^sum(a)", "42803", "aggregate functions are not allowed in GROUP BY");
    refused("SELECT sum(a) FROM t GROUP BY ^1", "42803", "aggregate functions are not allowed in GROUP BY");
    refused("SELECT sum(^max(a)) FROM t", "42803", "aggregate function calls cannot be nested");
    refused("VALUES (^count(*))", "42803", "aggregate functions are not allowed in VALUES");
    refused("SELECT 1 LIMIT ^count(*)", "42803", "aggregate functions are not allowed in LIMIT");
}

#[test]
fn wrong_keys_are_refused() {
    refused("SELECT a FROM t GROUP BY ^2", "42P10", "GROUP BY position 2 is not in select list");
    refused("SELECT a FROM t GROUP BY ^0", "42P10", "GROUP BY position 0 is not in select list");
    refused("SELECT 1 FROM t GROUP BY ^'x'", "42601", "non-integer constant in GROUP BY");
    refused("SELECT 1 FROM t, w GROUP BY ^a", "42702", "column reference \"a\" is ambiguous");
    refused(
        "SELECT ^b FROM t GROUP BY ROLLUP (a)",
        "42803",
        "column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function",
    );
    refused(
        "SELECT GROUPING(^b) FROM t GROUP BY ROLLUP (a)",
        "42803",
        "arguments to GROUPING must be grouping expressions of the associated query level",
    );
    refused(
        "SELECT GROUPING(^a) FROM t",
        "42803",
        "arguments to GROUPING must be grouping expressions of the associated query level",
    );
    refused(
        "SELECT a FROM t WHERE ^GROUPING(a) = 0 GROUP BY a",
        "42803",
        "grouping operations are not allowed in WHERE",
    );
}
