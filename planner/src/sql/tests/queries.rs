//! Query structure: FROM, select list, ORDER BY, LIMIT, set operations, CTEs, views, scopes.

use super::*;

#[test]
fn select_without_from_is_one_row_of_no_columns() {
    let query = query("SELECT 1");
    assert_eq!(shape(&query), "Project 1(Values 1x0)");
    assert_eq!(output("SELECT 1"), "?column? integer");
}

#[test]
fn names_of_result_columns_are_postgres_s() {
    for (sql, expected) in [
        ("SELECT a, t.b, a AS z, a AS \"Z\", A FROM t", "a b z Z a"),
        (
            "SELECT a + 1, -a, 'x', NULL, a = 1, a IS NULL FROM t",
            "?column? ?column? ?column? ?column? ?column? ?column?",
        ),
        ("SELECT count(*), sum(a), max(b) FROM t", "count sum max"),
        ("SELECT upper(b), lower(b), coalesce(b, 'x') FROM t", "upper lower coalesce"),
        ("SELECT a::bigint, 1::bigint, cast(1 + 1 AS text), date '2020-01-01' FROM t", "a int8 text date"),
        ("SELECT CASE WHEN a > 1 THEN a END, CASE WHEN a > 1 THEN 1 ELSE a END FROM t", "case a"),
        (
            "SELECT (SELECT d FROM u LIMIT 1), EXISTS (SELECT 1), extract(year FROM date '2020-01-01')",
            "d exists extract",
        ),
        ("SELECT substring(b FROM 1 FOR 2), (a), interval '1 day', true FROM t", "substring a interval ?column?"),
        ("VALUES (1, 2)", "column1 column2"),
        ("SELECT a AS x FROM t UNION SELECT a AS y FROM u", "x"),
    ] {
        assert_eq!(names(sql), expected, "{sql}");
    }
}

#[test]
fn star_expands_in_order() {
    assert_eq!(names("SELECT * FROM t"), "a b c");
    assert_eq!(names("SELECT * FROM t, u"), "a b c a d");
    assert_eq!(names("SELECT u.*, t.* FROM t, u"), "a d a b c");
    assert_eq!(names("SELECT x.*, 1 AS one FROM t AS x (p, q)"), "p q c one");
    assert_eq!(names("SELECT * FROM (SELECT a, a AS again FROM t) s"), "a again");
    assert_eq!(names("SELECT \"X\" FROM \"Mixed\""), "X");
}

#[test]
fn a_column_selected_twice_is_projected_once() {
    assert_eq!(shape(&query("SELECT a, a FROM t ORDER BY a")), "Sort 1(Project 1(Scan t))");
}

#[test]
fn order_by_finds_ordinals_names_and_expressions() {
    for (sql, expected) in [
        ("SELECT a FROM t ORDER BY 1", "Sort 1(Project 1(Scan t))"),
        ("SELECT a AS x FROM t ORDER BY x", "Sort 1(Project 1(Scan t))"),
        ("SELECT -a AS x FROM t ORDER BY -a", "Sort 1(Project 1(Scan t))"),
        ("SELECT a FROM t ORDER BY b, c DESC", "Sort 2(Project 3(Scan t))"),
        ("SELECT a FROM t ORDER BY a + 1", "Sort 1(Project 2(Scan t))"),
        ("SELECT DISTINCT a FROM t ORDER BY a", "Sort 1(Distinct(Project 1(Scan t)))"),
        ("SELECT a FROM t UNION SELECT a FROM w ORDER BY a", "Sort 1(Union(Project 1(Scan t), Project 1(Scan w)))"),
        ("VALUES (2), (1) ORDER BY column1 + 1", "Sort 1(Values 2x1)"),
        ("(SELECT a FROM t LIMIT 5) ORDER BY b", "Limit(Sort 1(Project 2(Scan t)))"),
    ] {
        assert_eq!(shape(&query(sql)), expected, "{sql}");
    }
    assert_eq!(names("SELECT a FROM t ORDER BY b, c + 1"), "a");
}

#[test]
fn order_by_prefers_the_result_s_name() {
    let bound = query("SELECT -a AS b FROM t ORDER BY b");
    let Relation::Sort { keys, .. } = &*bound.relation else { panic!("sorted") };
    assert_eq!(keys[0].expression.kind, ExpressionKind::Column(bound.output[0].1));
}

#[test]
fn nulls_are_last_ascending_and_first_descending() {
    let bound = query("SELECT a FROM t ORDER BY a, b DESC, c NULLS FIRST, a + 1 DESC NULLS LAST");
    let Relation::Sort { keys, .. } = &*bound.relation else { panic!("sorted") };
    let orders: Vec<_> = keys.iter().map(|key| (key.order.descending, key.order.nulls_first)).collect();
    assert_eq!(orders, [(false, false), (true, true), (false, true), (true, false)]);
}

#[test]
fn limits_are_constants_or_parameters() {
    for sql in ["LIMIT 5", "LIMIT 5 OFFSET 2", "OFFSET 2 ROWS", "FETCH FIRST 3 ROWS ONLY", "LIMIT 2 + 3", "LIMIT $1"] {
        assert_eq!(shape(&query(&format!("SELECT a FROM t {sql}"))), "Limit(Project 1(Scan t))", "{sql}");
    }
    for sql in ["LIMIT ALL", "LIMIT NULL", "OFFSET NULL"] {
        assert_eq!(shape(&query(&format!("SELECT a FROM t {sql}"))), "Project 1(Scan t)", "{sql}");
    }
    assert_eq!(query("SELECT a FROM t LIMIT $1 OFFSET $2").parameters, [DataType::BigInt, DataType::BigInt]);
}

#[test]
fn set_operations_unify_types() {
    assert_eq!(output("SELECT a FROM t UNION ALL SELECT a FROM u"), "a bigint");
    assert_eq!(output("SELECT NULL UNION SELECT 1"), "?column? integer");
    assert_eq!(output("SELECT 1 UNION SELECT NULL"), "?column? integer");
    assert_eq!(output("SELECT NULL UNION SELECT NULL"), "?column? text");
    assert_eq!(output("SELECT '2020-01-01' AS d UNION SELECT d FROM u"), "d date");
    assert_eq!(output("(SELECT NULL) EXCEPT VALUES (1)"), "?column? integer");
    assert_eq!(output("VALUES (NULL), (NULL) INTERSECT SELECT 1.5"), "column1 decimal(2,1)");
    assert_eq!(
        shape(&query("SELECT a FROM t EXCEPT ALL SELECT a FROM w")),
        "Except all(Project 1(Scan t), Project 1(Scan w))"
    );
    let both = "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3";
    let one = "Project 1(Values 1x0)";
    assert_eq!(shape(&query(both)), format!("Union({one}, Intersect({one}, {one}))"));
}

#[test]
fn values_agree_on_a_type_for_each_column() {
    assert_eq!(output("VALUES (1, 'x'), (2.5, NULL)"), "column1 numeric, column2 text");
    assert_eq!(output("SELECT * FROM (VALUES (NULL), (date '2020-01-01')) AS v (d)"), "d date");
    assert_eq!(output("VALUES ('a'), (NULL)"), "column1 text");
}

#[test]
fn unknown_types_become_text_at_the_edge() {
    assert_eq!(output("SELECT 'x', NULL, $1"), "?column? text, ?column? text, ?column? text");
    assert_eq!(output("SELECT x FROM (SELECT NULL AS x) s"), "x text");
    assert_eq!(output("WITH c AS (SELECT 'a' AS x) SELECT * FROM c"), "x text");
}

#[test]
fn a_cte_used_once_is_inlined_and_used_twice_is_shared() {
    assert_eq!(shape(&query("WITH c AS (SELECT a FROM t) SELECT * FROM c")), "Project 1(Project 1(Project 1(Scan t)))");
    assert_eq!(
        shape(&query("WITH c AS (SELECT a FROM t) SELECT * FROM c, c AS d")),
        "With(Project 1(Scan t), Project 2(Inner(CteScan, CteScan)))"
    );
    assert_eq!(
        shape(&query("WITH c AS MATERIALIZED (SELECT a FROM t) SELECT * FROM c")),
        "With(Project 1(Scan t), Project 1(CteScan))"
    );
    assert_eq!(shape(&query("WITH c AS (SELECT a FROM t) SELECT 1")), "Project 1(Values 1x0)");
    let volatile = "WITH c AS (SELECT random() AS r) SELECT * FROM t, c";
    assert!(shape(&query(volatile)).starts_with("With("), "{volatile}");
    let shared_by_a_subquery = "WITH c AS (SELECT max(a) AS m FROM t) SELECT m FROM c WHERE m = (SELECT max(m) FROM c)";
    assert!(shape(&query(shared_by_a_subquery)).starts_with("With("));
}

#[test]
fn ctes_see_earlier_ones_and_shadow_tables() {
    assert_eq!(names("WITH x AS (SELECT 1 AS p), y AS (SELECT p AS q FROM x) SELECT * FROM y"), "q");
    assert_eq!(names("WITH t AS (SELECT 1 AS only) SELECT * FROM t"), "only");
    assert_eq!(names("WITH t AS (SELECT a FROM t) SELECT * FROM t"), "a");
    assert_eq!(
        names("WITH c AS (SELECT 1 AS one) SELECT * FROM (WITH c AS (SELECT 2 AS two) SELECT * FROM c) s"),
        "two"
    );
    assert_eq!(names("WITH c (x, y) AS (SELECT a, b FROM t) SELECT y, x FROM c"), "y x");
    assert_eq!(names("WITH t AS (SELECT 1 AS one) SELECT * FROM public.t"), "a b c");
    assert_eq!(names("WITH c AS (SELECT 1 AS one) SELECT (SELECT one FROM c) FROM t"), "one");
}

#[test]
fn views_are_bound_in_a_scope_of_their_own() {
    assert_eq!(names("SELECT * FROM v"), "p q");
    assert_eq!(names("SELECT x, b FROM renamed"), "x b");
    assert_eq!(names("SELECT z.* FROM v AS z (one)"), "one q");
    // The view means the table t, whatever t means where the view is used.
    assert_eq!(names("WITH t AS (SELECT 1 AS x) SELECT * FROM v"), "p q");
}

#[test]
fn files_are_tables() {
    assert_eq!(output("SELECT * FROM 'dir/orders.parquet'"), "f integer");
    assert_eq!(output("SELECT orders.f FROM 'dir/orders.parquet'"), "f integer");
    assert_eq!(output("SELECT o.f FROM \"dir/orders.parquet\" AS o"), "f integer");
}

#[test]
fn the_table_command_keeps_its_clauses() {
    assert_eq!(shape(&query("TABLE t LIMIT 5")), "Limit(Project 3(Scan t))");
    assert_eq!(shape(&query("TABLE \"Mixed\" ORDER BY \"X\"")), "Sort 1(Project 1(Scan Mixed))");
    assert_eq!(shape(&query("TABLE w UNION TABLE w")), "Union(Project 2(Scan w), Project 2(Scan w))");
    assert_eq!(names("SELECT * FROM (TABLE public.u) s"), "a d");
}

#[test]
fn inner_queries_see_outer_columns_in_every_clause() {
    for sql in [
        "SELECT (SELECT t.a) FROM t",
        "SELECT (SELECT x.a + u.a FROM u WHERE u.a = x.a ORDER BY x.a LIMIT 1) FROM t AS x",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
        "SELECT a FROM t WHERE a IN (SELECT u.a FROM u WHERE EXISTS (SELECT 1 FROM w WHERE w.b = t.b AND w.a = u.a))",
        "SELECT a FROM t WHERE a = (SELECT max(s.m) FROM (SELECT u.a + t.a AS m FROM u) s)",
        "SELECT a FROM t ORDER BY (SELECT max(u.a) FROM u WHERE u.a < t.a)",
        "SELECT t.a FROM t JOIN w ON t.a = w.a AND EXISTS (SELECT 1 FROM u WHERE u.a = w.a)",
        "SELECT (WITH c AS (SELECT t.a AS x) SELECT x FROM c) FROM t",
        "SELECT (SELECT t.a UNION SELECT u.a FROM u LIMIT 1) FROM t",
        "SELECT a IN (VALUES (t.a), (1)) FROM t",
    ] {
        query(sql);
    }
}

#[test]
fn an_inner_name_hides_an_outer_one() {
    let bound = query("SELECT (SELECT max(t.d) FROM u AS t) FROM t");
    assert_eq!(bound.columns.get(bound.output[0].1).data_type, DataType::Date);
    refused("SELECT (SELECT ^t.b FROM u AS t) FROM t", "42703", "column t.b does not exist");
}

#[test]
fn parameters_keep_the_types_that_are_known() {
    let parsed = parse("SELECT $1, a = $2 FROM t").unwrap();
    let Ok(Statement::Query(query)) = bind(&parsed[0], &Toy::new(), &[DataType::Date]) else { panic!("binds") };
    assert_eq!(query.parameters, [DataType::Date, DataType::Integer]);
}

#[test]
fn scripts_are_split_at_semicolons() {
    let parsed = parse("; SELECT ';' ;;\n -- a comment; not a statement\n SELECT $$;$$ -- end\n;/* ; */").unwrap();
    let texts: Vec<&str> = parsed.iter().map(|parsed| parsed.text.as_str()).collect();
    assert_eq!(texts, ["SELECT ';'", "SELECT $$;$$ -- end"]);
    assert!(parse("").unwrap().is_empty());
    assert!(parse("  -- nothing").unwrap().is_empty());
    // Those in the body of a function end nothing.
    let body = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END";
    let parsed = parse(&format!("{body}; SELECT 2")).unwrap();
    let texts: Vec<&str> = parsed.iter().map(|parsed| parsed.text.as_str()).collect();
    assert_eq!(texts, [body, "SELECT 2"]);
}

#[test]
fn blanks_of_unicode_end_statements() {
    // To sqlparser they are parts of words.
    for blank in ["\u{a0}", "\u{3000}", "\u{85}", " \u{a0}\n"] {
        for (before, behind) in [("", ""), ("", ";"), (" ", ""), ("SELECT 1;", ""), ("SELECT 1;", ";")] {
            let parsed = parse(&format!("{before}SELECT a FROM t WHERE true{blank}{behind}")).unwrap();
            let last = parsed.last().expect("there is a statement");
            assert_eq!(last.text, "SELECT a FROM t WHERE true");
            let crate::sql::Tree::Sql(tree) = &last.tree else { panic!("{last:?}") };
            assert_eq!(tree.to_string(), last.text, "{before}…{blank:?}{behind}");
        }
    }
}
