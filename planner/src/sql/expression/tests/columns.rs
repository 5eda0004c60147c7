//! What binding makes of columns, aggregates and parameters.

use super::{Clause, bind, bind_in};
use crate::error::Error;
use crate::types::DataType;

fn error_text(error: &Error) -> String {
    let at = error.position().map_or_else(String::new, |position| format!(" at {}", position.0));
    format!("!{}{at} {error}", error.sqlstate())
}

/// Binds each and compares what it shows; all differences at once.
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (sql, expected) in cases {
        let shown = bind(sql).map_or_else(|error| error_text(&error), |bound| bound.shown);
        if shown != *expected {
            wrong.push(format!("        (\n            {sql:?},\n            {shown:?},\n        ),"));
        }
    }
    assert!(wrong.is_empty(), "{} differ; here they are\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn literals_move_to_the_columns_types() {
    check(&[
        ("n < 24", "Less(n, 24.00::decimal(4,2)): boolean"),
        ("24 > n", "Greater(24.00::decimal(4,2), n): boolean"),
        ("n = 24.10", "Equal(n, 24.10::decimal(4,2)): boolean"),
        ("n = 24.555", "Equal(Cast(n as decimal(16,3)), 24.555::decimal(5,3)): boolean"),
        ("n = '24.555'", "Equal(Cast(n as decimal(16,3)), 24.555::decimal(5,3)): boolean"),
        (
            "n between 0.05 - 0.01 and 0.05 + 0.01",
            "And(GreaterEqual(n, 0.04::decimal(2,2)), LessEqual(n, 0.06::decimal(2,2))): boolean",
        ),
        ("i = 5::bigint", "Equal(i, 5::integer): boolean"),
        ("s = 5", "Equal(s, 5::smallint): boolean"),
        ("s < 40000", "Less(Cast(s as integer), 40000::integer): boolean"),
        ("l = 5", "Equal(l, 5::bigint): boolean"),
        ("i = 2.0", "Equal(i, 2::integer): boolean"),
        ("i < 2.5", "Less(Cast(i as decimal(11,1)), 2.5::decimal(2,1)): boolean"),
        ("i = '5'", "Equal(i, 5::integer): boolean"),
        ("i = n", "Equal(Cast(i as decimal(12,2)), n): boolean"),
        ("l = n", "Equal(Cast(l as decimal(21,2)), n): boolean"),
        ("n = w", "Equal(Cast(n as decimal(38,30)), w): boolean"),
        ("i = f", "Equal(Cast(i as double precision), f): boolean"),
        ("n = f", "Equal(Cast(n as double precision), f): boolean"),
        ("r = r", "Equal(r, r): boolean"),
        ("r < 0.1", "Less(Cast(r as double precision), 0.1::double precision): boolean"),
        ("c = 'ab  '", "Equal(c, 'ab'): boolean"),
        ("c = v", "Equal(c, Trim(Trailing)(v)): boolean"),
        ("t = 'ab  '", "Equal(t, 'ab  '): boolean"),
        ("i = null", "NULL: boolean"),
        ("t = null", "NULL: boolean"),
        ("s is distinct from 5", "IsDistinct(s, 5::smallint): boolean"),
    ]);
}

#[test]
fn dates_are_compared_as_dates_where_that_is_the_same() {
    check(&[
        ("d <= date '1998-12-01' - interval '90' day", "LessEqual(d, 1998-09-02::date): boolean"),
        ("date '1998-12-01' - interval '90' day >= d", "GreaterEqual(1998-09-02::date, d): boolean"),
        ("d < timestamp '1998-12-01 00:01'", "Less(Moment(StartOfDate)(d), 1998-12-01 00:01:00::timestamp): boolean"),
        ("d < ts", "Less(Moment(StartOfDate)(d), ts): boolean"),
        ("ts >= date '1998-12-01'", "GreaterEqual(ts, 1998-12-01 00:00:00::timestamp): boolean"),
        ("d < '1998-12-01'", "Less(d, 1998-12-01::date): boolean"),
        ("d < d + interval '1 day'", "Less(Moment(StartOfDate)(d), AddInterval(d, 1 day::interval)): boolean"),
        ("d + 1 < d", "Less(DateAddDays(d, 1::integer), d): boolean"),
        (
            "d between '1995-01-01' and date '1995-01-01' + interval '1' year",
            "And(GreaterEqual(d, 1995-01-01::date), LessEqual(d, 1996-01-01::date)): boolean",
        ),
        ("ti < iv", "Less(Cast(ti as interval), iv): boolean"),
        ("d = i", "!42883 at 0 operator does not exist: date = integer"),
    ]);
}

#[test]
fn arithmetic_has_the_documented_types() {
    check(&[
        ("n + n", "Add(n, n): decimal(16,2)"),
        ("1 - n", "Subtract(1.00::decimal(3,2), n): decimal(16,2)"),
        ("n * (1 - n)", "Multiply(n, Subtract(1.00::decimal(3,2), n)): decimal(31,4)"),
        (
            "n * (1 - n) * (1 + n)",
            "Multiply(Multiply(n, Subtract(1.00::decimal(3,2), n)), Add(1.00::decimal(3,2), n)): decimal(38,6)",
        ),
        ("n / n", "Divide(n, n): numeric"),
        ("n / 7.0", "Divide(n, 7.0::decimal(2,1)): numeric"),
        ("n / 7", "Divide(n, 7::decimal(1,0)): numeric"),
        ("n % 3", "Modulo(n, 3.00::decimal(3,2)): decimal(16,2)"),
        ("w + n", "Add(w, Cast(n as decimal(38,30))): decimal(38,30)"),
        ("w * n", "Multiply(w, n): decimal(38,32)"),
        ("w * w", "Multiply(w, w): numeric"),
        ("i + n", "Add(Cast(i as decimal(12,2)), n): decimal(16,2)"),
        ("l * n", "Multiply(Cast(l as decimal(19,0)), n): decimal(34,2)"),
        ("i / 2", "Divide(i, 2::integer): integer"),
        ("s + 1", "Add(Cast(s as integer), 1::integer): integer"),
        ("s + s", "Add(s, s): smallint"),
        ("i + l", "Add(Cast(i as bigint), l): bigint"),
        ("n + r", "Add(Cast(n as double precision), Cast(r as double precision)): double precision"),
        ("i * r", "Multiply(Cast(i as double precision), Cast(r as double precision)): double precision"),
        ("r * r", "Multiply(r, r): real"),
        ("f % 2", "!42883 at 0 operator does not exist: double precision % integer"),
        ("-n", "Negate(n): decimal(15,2)"),
        ("-iv", "IntervalNegate(iv): interval"),
        ("-t", "!42883 at 1 operator does not exist: - text"),
        ("t + 1", "!42883 at 0 operator does not exist: text + integer"),
        ("d + i", "DateAddDays(d, i): date"),
        ("i + d", "DateAddDays(d, i): date"),
        ("d - s", "DateSubtractDays(d, Cast(s as integer)): date"),
        ("d + l", "!42883 at 0 operator does not exist: date + bigint"),
        ("d - d", "DateDifference(d, d): integer"),
        ("d + ti", "DateTimeCombine(d, ti): timestamp"),
        ("ts - d", "TimestampDifference(ts, Cast(d as timestamp)): interval"),
        ("ts - ti", "SubtractInterval(ts, Cast(ti as interval)): timestamp"),
        ("iv * n", "IntervalMultiply(iv, Cast(n as double precision)): interval"),
        ("2 * iv", "IntervalMultiply(iv, 2::double precision): interval"),
        ("iv / i", "IntervalDivide(iv, Cast(i as double precision)): interval"),
        ("2 / iv", "!42883 at 0 operator does not exist: integer / interval"),
        ("i ^ 2", "Power(Cast(i as double precision), 2::double precision): double precision"),
        ("l << i", "ShiftLeft(l, i): bigint"),
        ("i << l", "!42883 at 0 operator does not exist: integer << bigint"),
        ("2147483647 + 1 + i", "Add(Add(2147483647::integer, 1::integer), i): integer"),
        ("i / 0", "Divide(i, 0::integer): integer"),
    ]);
}

#[test]
fn lists_and_rows() {
    check(&[
        ("i in (1, 2, 3)", "InList(i, 1::integer, 2::integer, 3::integer): boolean"),
        ("i not in (1, null)", "Not(InList(i, 1::integer, NULL)): boolean"),
        ("i in (1, i + 1)", "Or(Equal(i, 1::integer), Equal(i, Add(i, 1::integer))): boolean"),
        ("i in (5)", "Equal(i, 5::integer): boolean"),
        ("n in (1, 2.50, '3')", "InList(n, 1.00::decimal(3,2), 2.50::decimal(3,2), 3.00::decimal(3,2)): boolean"),
        (
            "n in (1, 2.555)",
            "Or(Equal(n, 1.00::decimal(3,2)), Equal(Cast(n as decimal(16,3)), 2.555::decimal(4,3))): boolean",
        ),
        ("s in (1, 40000)", "Or(Equal(s, 1::smallint), Equal(Cast(s as integer), 40000::integer)): boolean"),
        ("t in ('a', 'b')", "InList(t, 'a', 'b'): boolean"),
        ("c in ('a ', 'b')", "InList(c, 'a', 'b'): boolean"),
        ("d in ('1995-01-01', date '1996-01-01')", "InList(d, 1995-01-01::date, 1996-01-01::date): boolean"),
        ("i in ('a', 1)", "!22P02 at 6 invalid input syntax for type integer: \"a\""),
        ("(i, t) = (1, 'a')", "And(Equal(i, 1::integer), Equal(t, 'a')): boolean"),
        ("(i, t) < (1, 'a')", "Or(Less(i, 1::integer), And(Equal(i, 1::integer), Less(t, 'a'))): boolean"),
        (
            "(i, t) in ((1, 'a'), (2, 'b'))",
            "Or(And(Equal(i, 1::integer), Equal(t, 'a')), And(Equal(i, 2::integer), Equal(t, 'b'))): boolean",
        ),
        ("(i, t) = (1, 2, 3)", "!42601 at 10 unequal number of entries in row expressions"),
        ("(i, t) is null", "And(IsNull(i), IsNull(t)): boolean"),
        ("row(i, t) = row(1, 'a')", "And(Equal(i, 1::integer), Equal(t, 'a')): boolean"),
        ("(row(i, t)).f2", "t: text"),
        ("(row(i, t)).f3", "!42703 at 5 could not identify column \"f3\" in record data type"),
        ("(i).f", "!42809 at 1 column notation .f applied to type integer, which is not a composite type"),
        ("(x).i", "i: integer"),
        ("(i, t) is not null", "And(IsNotNull(i), IsNotNull(t)): boolean"),
        ("i = any (array[1, 2])", "InList(i, 1::integer, 2::integer): boolean"),
        ("i <> all (array[1, 2])", "And(NotEqual(i, 1::integer), NotEqual(i, 2::integer)): boolean"),
        ("i = any ('{1,2}')", "InList(i, 1::integer, 2::integer): boolean"),
        ("i between 1 and 2 and b", "And(GreaterEqual(i, 1::integer), LessEqual(i, 2::integer), b): boolean"),
        ("i not between 1 and 2", "Or(Less(i, 1::integer), Greater(i, 2::integer)): boolean"),
        ("b and b and (b and not b) or b or false", "Or(And(b, b, b, Not(b)), b, f::boolean): boolean"),
    ]);
}

#[test]
fn subqueries_are_tested_by_a_predicate() {
    check(&[
        ("i in (select 1)", "any Equal(i, ?column?): boolean"),
        ("i not in (select 1.5)", "Not(any Equal(Cast(i as decimal(11,1)), ?column?)): boolean"),
        ("n > all (select 2)", "all Greater(n, Cast(?column? as decimal(12,2))): boolean"),
        ("d = any (select '1995-01-01')", "!42883 at 0 operator does not exist: date = text"),
        ("(i, t) in (select 1, 'a')", "any And(Equal(i, ?column?), Equal(t, ?column?)): boolean"),
        (
            "(i, t) < any (select 1, 'a')",
            "any Or(Less(i, ?column?), And(Equal(i, ?column?), Less(t, ?column?))): boolean",
        ),
        ("i = some ((select 1))", "any Equal(i, ?column?): boolean"),
        ("exists (select 1)", "exists: boolean"),
        ("not exists (select i)", "Not(exists): boolean"),
        ("(select i) + 1", "Add(scalar, 1::integer): integer"),
        ("(select i, t)", "!42601 at 1 subquery must return only one column"),
        ("b and i in (select 1, 2)", "!42601 at 6 subquery has too many columns"),
        ("(i, t) in (select 1)", "!42601 at 1 subquery has too few columns"),
        ("(i, t) = (select 1)", "!42601 at 10 subquery has too few columns"),
        ("t like any (select 'a')", "any Like(t, ?column?): boolean"),
        ("i = (select sum(i))", "Equal(Cast(i as bigint), scalar): boolean"),
    ]);
}

#[test]
fn patterns_see_a_chars_blanks() {
    check(&[
        ("t like 'a%'", "Like(t, 'a%'): boolean"),
        ("t not like 'a%' escape '#'", "Not(Like(t, 'a%', '#')): boolean"),
        ("c like 'a%'", "Like(c, 'a%'): boolean"),
        ("c like '%a b%'", "Like(c, '%a b%'): boolean"),
        ("c like 'a'", "Like(RightPad(c, 5::integer), 'a'): boolean"),
        ("c like '%a %'", "Like(RightPad(c, 5::integer), '%a %'): boolean"),
        ("c like 'a_%'", "Like(RightPad(c, 5::integer), 'a_%'): boolean"),
        ("c like t", "Like(RightPad(c, 5::integer), t): boolean"),
        ("v ilike 'a'", "ILike(v, 'a'): boolean"),
        ("t ~ 'a'", "Pattern(Matches)(t, 'a'): boolean"),
        ("c !~* 'a'", "Not(Pattern(MatchesAnyCase)(RightPad(c, 5::integer), 'a')): boolean"),
        ("t operator(pg_catalog.~~) 'a'", "Like(t, 'a'): boolean"),
        ("t similar to 'a_' escape ''", "Pattern(Matches)(t, '^(?:a.)$'): boolean"),
        ("i ~ 'a'", "!42883 at 0 operator does not exist: integer ~ unknown"),
        ("i like 'a'", "!42883 at 0 operator does not exist: integer ~~ unknown"),
        ("t like 'a' escape 'ab'", "!22025 at 18 invalid escape string"),
        ("octet_length(c)", "OctetLength(RightPad(c, 5::integer)): integer"),
        ("length(c)", "Length(c): integer"),
        ("concat(c, b)", "ConcatSkipNull(RightPad(c, 5::integer), Case(b, 't', IsFalse(b), 'f', NULL)): text"),
        ("c || 'x'", "Concat(c, 'x'): text"),
    ]);
}

#[test]
fn branches_meet() {
    check(&[
        ("case when b then n else 0 end", "Case(b, Cast(n as numeric), 0::numeric): numeric"),
        ("case when b then n else '1.555' end", "Case(b, Cast(n as numeric), 1.555::numeric): numeric"),
        ("case when b then n else i end", "Case(b, Cast(n as numeric), Cast(i as numeric)): numeric"),
        ("case when b then c end", "Case(b, c, NULL): char(5)"),
        ("case when b then c else 'x' end", "Case(b, Cast(RightPad(c, 5::integer) as bpchar), 'x'): bpchar"),
        ("case when b then 1 else r end", "Case(b, 1::real, r): real"),
        ("case i when 1 then 'a' else 'b' end", "Case(Equal(i, 1::integer), 'a', 'b'): text"),
        ("case when i then 1 end", "!42804 at 10 argument of CASE/WHEN must be type boolean, not type integer"),
        ("case when b then 1 else t end", "!42804 at 17 CASE types text and integer cannot be matched"),
        ("coalesce(n, 0)", "Coalesce(Cast(n as numeric), 0::numeric): numeric"),
        ("coalesce(i, null, 2.5)", "Coalesce(Cast(i as numeric), NULL, 2.5::numeric): numeric"),
        ("coalesce(d, '1995-01-01')", "Coalesce(d, 1995-01-01::date): date"),
        ("nullif(n, 0)", "NullIf(n, 0.00::decimal(3,2)): decimal(15,2)"),
        (
            "nullif(i, 2.5)",
            "Case(Equal(Cast(i as decimal(11,1)), 2.5::decimal(2,1)), NULL, Cast(i as decimal(10,0))): decimal(10,0)",
        ),
        ("nullif('a', t)", "Case(Equal('a', t), NULL, 'a'): text"),
        ("greatest(i, l, s)", "Greatest(Cast(i as bigint), l, Cast(s as bigint)): bigint"),
        ("least(d, ts)", "Least(Cast(d as timestamp), ts): timestamp"),
    ]);
}

#[test]
fn functions_take_what_casts_implicitly() {
    check(&[
        ("sqrt(i)", "SquareRoot(Cast(i as double precision)): double precision"),
        ("round(n)", "Round(n): decimal(14,0)"),
        ("round(n, 1)", "Round(n, 1::integer): decimal(15,1)"),
        ("round(n, 5)", "Cast(n as decimal(18,5)): decimal(18,5)"),
        ("round(n, i)", "Round(n, i): numeric"),
        ("round(f)", "Round(f): double precision"),
        ("round(f, 2)", "!42883 at 0 function round(double precision, integer) does not exist"),
        ("floor(i)", "Floor(Cast(i as double precision)): double precision"),
        ("ceil(n)", "Ceil(n): decimal(14,0)"),
        ("abs(s)", "Abs(s): smallint"),
        ("sign(n)", "Sign(n): decimal(1,0)"),
        ("lower(v)", "Lower(v): text"),
        ("lower(i)", "!42883 at 0 function lower(integer) does not exist"),
        ("substring(v from 1 for 2)", "Substring(v, 1::integer, 2::integer): text"),
        ("substring(v from l)", "!42883 at 10 function substring(varchar(10), bigint) does not exist"),
        ("substring(v from 'a.*')", "Pattern(Substring)(v, 'a.*'): text"),
        ("extract(year from d)", "Extract(Year)(d): decimal(10,0)"),
        ("extract(epoch from ts)", "Extract(Epoch)(ts): decimal(24,6)"),
        ("extract(hour from d)", "!0A000 at 18 unit \"hour\" for type date is not supported"),
        ("extract(year from t)", "!42883 at 18 function extract(year from text) does not exist"),
        ("date_part('year', d)", "Cast(Extract(Year)(d) as double precision): double precision"),
        ("date_part(t, d)", "PartNamed(t, d): double precision"),
        ("b or current_date > d", "Or(b, Greater(1970-01-01::date, d)): boolean"),
        ("date_trunc('month', d)", "Relabel(DateTrunc(Month)(d)): timestamptz"),
        ("trim(c)", "Trim(Both)(c): text"),
        ("lenght(t)", "!42883 at 0 function lenght(text) does not exist"),
        ("lower(t, t)", "!42883 at 0 function lower(text, text) does not exist"),
        ("pg_catalog.lower(t)", "Lower(t): text"),
        ("other.lower(t)", "!42883 at 0 function other.lower does not exist"),
        ("lower(distinct t)", "!42809 at 0 DISTINCT specified, but lower is not an aggregate function"),
        ("lower(*)", "!0A000 at 0 the argument * of lower is not supported"),
        ("random()", "Random(): double precision"),
        ("i::numeric", "Cast(i as decimal(10,0)): decimal(10,0)"),
        ("n::numeric", "n: decimal(15,2)"),
        ("n::integer", "Cast(n as integer): integer"),
        ("t::varchar(3)", "Cast(t as varchar(3)): varchar(3)"),
        ("t::date", "Cast(t as date): date"),
        ("b::date", "!42846 at 0 cannot cast type boolean to date"),
        ("i::foo", "!42704 at 0 type \"foo\" does not exist"),
        ("t::timestamptz", "ReadAs(TimestampTz)(t, 'UTC'): timestamptz"),
    ]);
}

#[test]
fn what_is_not_supported_says_so() {
    check(&[
        ("sum(distinct i) over ()", "!0A000 at 0 DISTINCT is not implemented for window functions"),
        ("row_number()", "!42809 at 0 window function row_number requires an OVER clause"),
        (
            "lower(t) over ()",
            "!42809 at 0 OVER specified, but lower is not a window function nor an aggregate function",
        ),
        ("try_cast(t as integer)", "Attempt(Cast)(t): integer"),
        ("xmlagg(t)", "!0A000 at 0 the aggregate function xmlagg is not supported"),
        ("percentile_cont(0.5)", "!42809 at 0 WITHIN GROUP is required for ordered-set aggregate percentile_cont"),
        ("mode() within group (order by i, t)", "!0A000 at 0 mode of several values is not supported"),
        ("x.y.z.w", "!42P01 at 0 missing FROM-clause entry for table \"z\""),
        ("v.x.y.z.w", "!42601 at 0 improper qualified name (too many dotted names): v.x.y.z.w"),
        ("x'1g'", "!22P02 at 0 \"g\" is not a valid hexadecimal digit"),
        ("t collate \"de_DE\"", "!0A000 at 0 collation \"de_DE\" is not supported"),
        ("t @@ 'a'", "!42883 at 0 operator does not exist: text @@ unknown"),
        ("interval '1' day (3)", "!42601 at 9 syntax error: an INTERVAL with a precision of other fields than seconds"),
        ("~ i + 1", "!0A000 at 2 ~ before + without parentheses is not supported"),
        ("nope", "!42703 at 0 column \"nope\" does not exist"),
        ("x.nope", "!42703 at 0 column x.nope does not exist"),
        ("$0", "!42P02 at 0 there is no parameter $0"),
    ]);
}

#[test]
fn positions_point_at_the_fault() {
    check(&[
        ("1 + 2 = 'x'", "!22P02 at 8 invalid input syntax for type integer: \"x\""),
        ("d = '1998-02-30'", "!22008 at 4 date/time field value out of range: \"1998-02-30\""),
        ("b and\n  date 'x' = d", "!22007 at 13 invalid input syntax for type date: \"x\""),
        ("b and i", "!42804 at 6 argument of AND must be type boolean, not type integer"),
        ("not i", "!42804 at 4 argument of NOT must be type boolean, not type integer"),
        ("i = t", "!42883 at 0 operator does not exist: integer = text"),
        ("coalesce(i, t)", "!42804 at 12 COALESCE types integer and text cannot be matched"),
        ("'[1,2]'::vector(2) <-> '[1]'::vector(1)", "!22000 at 23 different vector dimensions 2 and 1"),
        ("dot('[1,2]'::vector(2), '[1]'::vector(1))", "!22000 at 24 different vector dimensions 2 and 1"),
        ("'[1,2]'::vector(2) + '[1]'", "!22000 at 21 expected 2 dimensions, not 1"),
        ("'[1,2]'::vector(2) <=> 'x'", "!22P02 at 23 invalid input syntax for type vector: \"x\""),
    ]);
}

#[test]
fn aggregates_go_to_their_level() {
    let cases = [
        ("count(*)", "CountRows(): bigint"),
        ("count(i) + count(i) + count(*)", "Count(i): bigint; CountRows(): bigint"),
        ("count(distinct t)", "Count(distinct t): bigint"),
        ("sum(s)", "Sum(s): bigint"),
        ("sum(l)", "Sum(l): decimal(38,0)"),
        ("sum(n * (1 - n))", "Sum(Multiply(n, Subtract(1.00::decimal(3,2), n))): decimal(38,4)"),
        ("sum(r)", "Sum(r): real"),
        ("avg(i)", "Average(i): numeric"),
        ("avg(n)", "Average(n): numeric"),
        ("avg(w)", "Average(w): numeric"),
        ("avg(r)", "Average(Cast(r as double precision)): double precision"),
        ("min(distinct c)", "Min(c): char(5)"),
        ("max(ts)", "Max(ts): timestamp"),
        ("bool_and(b)", "BoolAnd(b): boolean"),
        ("every(b) and bool_and(b)", "BoolAnd(b): boolean"),
        ("stddev(n)", "StddevSample(n): numeric"),
        ("var_pop(f)", "VariancePopulation(f): double precision"),
        ("sum(i) filter (where i > 0)", "Sum(i) filter Greater(i, 0::integer): bigint"),
        ("max('x')", "Max('x'): text"),
        ("sum(sum(i))", "!42803 at 4 aggregate function calls cannot be nested"),
        ("sum(i) filter (where sum(i) > 0)", "!42803 at 21 aggregate function calls cannot be nested"),
        ("sum(t)", "!42883 at 0 function sum(text) does not exist"),
        ("sum(iv)", "Sum(iv): interval"),
        ("max(b)", "!42883 at 0 function max(boolean) does not exist"),
        ("bool_and(i)", "!42883 at 0 function bool_and(integer) does not exist"),
        ("count()", "!42809 at 0 count(*) must be used to call a parameterless aggregate function"),
        ("count(i, i)", "!42883 at 0 function count(integer, integer) does not exist"),
        ("sum(*)", "!42883 at 0 function sum() does not exist"),
        ("count(distinct *)", "!42601 at 0 DISTINCT cannot be used with count(*)"),
        ("sum(i) filter (where i)", "!42804 at 21 argument of FILTER must be type boolean, not type integer"),
        ("sum(null)", "!42883 at 0 function sum(unknown) does not exist"),
        ("lower(t) filter (where b)", "!42809 at 0 FILTER specified, but lower is not an aggregate function"),
    ];
    let mut wrong = Vec::new();
    for (sql, expected) in cases {
        let shown = match bind(sql) {
            Ok(bound) => bound.aggregates.join("; "),
            Err(error) => error_text(&error),
        };
        if shown != expected {
            wrong.push(format!("        (\n            {sql:?},\n            {shown:?},\n        ),"));
        }
    }
    assert!(wrong.is_empty(), "{} differ; here they are\n{}", wrong.len(), wrong.join("\n"));
    let error = bind_in(Clause::Where, "b and sum(i) > 0").map(|bound| bound.shown).expect_err("no aggregate in WHERE");
    assert_eq!(error_text(&error), "!42803 at 6 aggregate functions are not allowed in WHERE");
}

#[test]
fn parameters_take_the_type_they_meet() {
    let cases = [
        ("i = $1", "Equal(i, $1::integer): boolean with integer"),
        ("$1 < d and $2 like t", "And(Less($1::date, d), Like($2::text, t)): boolean with date, text"),
        ("$1 = $2", "Equal($1::text, $2::text): boolean with text, text"),
        ("n * $1", "Multiply(n, $1::numeric): numeric with numeric"),
        ("n < $1", "Less(n, NarrowUp($1::numeric)): boolean with numeric"),
        ("n = $1", "Equal(n, NarrowSame($1::numeric)): boolean with numeric"),
        ("coalesce(n, $1)", "Coalesce(Cast(n as numeric), $1::numeric): numeric with numeric"),
        ("$1", "$1::text: text with text"),
        ("$1::integer + $1", "Add($1::integer, $1::integer): integer with integer"),
        (
            "$1 = i and $1 = l",
            "And(Equal($1::integer, i), Equal(Cast($1::integer as bigint), l)): boolean with integer",
        ),
        ("$1 in (1, 2)", "InList($1::integer, 1::integer, 2::integer): boolean with integer"),
        ("i in ($1, $2)", "Or(Equal(i, $1::integer), Equal(i, $2::integer)): boolean with integer, integer"),
        ("coalesce($1, d)", "Coalesce($1::date, d): date with date"),
        ("sqrt($1)", "SquareRoot($1::double precision): double precision with double precision"),
        ("$2 = b", "Equal($2::boolean, b): boolean with ?, boolean"),
        ("c = $1", "Equal(c, Trim(Trailing)($1::bpchar)): boolean with bpchar"),
    ];
    let mut wrong = Vec::new();
    for (sql, expected) in cases {
        let shown = match bind(sql) {
            Ok(bound) => {
                let name = |data_type: &Option<DataType>| data_type.map_or("?".to_owned(), |known| known.to_string());
                let parameters: Vec<String> = bound.parameters.iter().map(name).collect();
                format!("{} with {}", bound.shown, parameters.join(", "))
            }
            Err(error) => error_text(&error),
        };
        if shown != expected {
            wrong.push(format!("        (\n            {sql:?},\n            {shown:?},\n        ),"));
        }
    }
    assert!(wrong.is_empty(), "{} differ; here they are\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn long_chains_do_not_nest() {
    let chain = vec!["i = 1"; 5000].join(" or ");
    crate::stack::deep(|| {
        assert!(bind(&chain).is_ok());
        let sum = vec!["i"; 6000].join(" + ");
        assert_eq!(bind(&sum).map(|bound| bound.shown).expect_err("too deep").sqlstate(), "54001");
    });
}
