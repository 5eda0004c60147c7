//! Forms that sqlparser has no grammar for, in words that it reads: the tokens of a statement are changed before they are parsed,
//! as in [`super::spelling`]. A new token has the place of the one that it stands for.
//!
//! | file | written | parsed as |
//! |---|---|---|
//! | `number` | `0xFF`, `0o17`, `0b101`, `1_000`, `a ** b`, `a // b` | `255`, `15`, `5`, `1000`, `a ^ b`, `a / b` |
//! | `distance` | `a <-> b`, `a <=> b`, `a <+> b` | the same, as operators that bind as others do |
//! | `comma` | `SELECT a, b, FROM t` | `SELECT a, b FROM t` |
//! | `from_first` | `FROM t`, `FROM t SELECT a WHERE b` | `SELECT * FROM t`, `SELECT a FROM t WHERE b` |
//! | `clause` | `GROUP BY ALL`, `LIMIT 10%`, `* REPLACE a + 1 AS a`, `* LIKE 'a%'` | `GROUP BY "group by all"()`, `LIMIT "limit percent"(10)`, … |
//! | `join` | `a ASOF JOIN b ON c`, `a POSITIONAL JOIN b` | `a JOIN b ON "asof join"() AND c`, `a FULL JOIN b ON "positional join"()` |
//! | `pivot` | `PIVOT t ON a USING sum(b)` | `SELECT * FROM t PIVOT ("pivot"(…) FOR "pivot" IN (ANY))` |
//! | `described` | `FROM (DESCRIBE t)`, `FROM (SUMMARIZE t)`, `FROM (SHOW TABLES)` | `FROM (SELECT * FROM (…) AS "describe table")`, … |
//! | `sample` | `USING SAMPLE 10%`, `TABLESAMPLE 5 ROWS` | `TABLESAMPLE` in one form |
//! | `struct_type` | `STRUCT(a INTEGER, b STRUCT(c TEXT))` | `STRUCT('a INTEGER, b STRUCT(c TEXT)')` |
//! | `lambda` | `lambda x: x + 1`, `[x + 1 FOR x IN l IF x > 0]` | `"list lambda"(x, x + 1)`, `"list comprehension"(l, …, …)` |
//! | `change` | `UPDATE ONLY t * SET …`, `WHERE CURRENT OF c`, `ON CONFLICT (a, lower(b)) WHERE c > 0 DO` | `UPDATE t SET …`, `WHERE "current of"(c)`, `ON CONFLICT (a, "conflict over: …", "conflict where: c > 0") DO` |
//! | `change` | `WHEN NOT MATCHED THEN INSERT DEFAULT VALUES` | `… INSERT VALUES ("default values")` |
//! | `recursion` | `… ) SEARCH DEPTH FIRST BY a SET b` | `… ) FROM "SEARCH DEPTH FIRST BY a SET b"` |
//!
//! A name in quotes that stands for a form is one that no text gives a meaning otherwise: a function of that name does not exist.

mod change;
mod clause;
mod comma;
mod described;
mod distance;
mod from_first;
mod join;
mod lambda;
mod number;
mod pivot;
mod recursion;
mod sample;
mod struct_type;
mod tokens;

pub(super) use change::{
    CONFLICT_EXPRESSION, CONFLICT_PREDICATE, CURRENT_OF, DEFAULT_VALUES, IDENTITY_OPTIONS, OVERRIDING_SYSTEM,
    OVERRIDING_USER,
};
pub(super) use clause::{GROUP_BY_ALL, LIMIT_PERCENT, LIMIT_WITH_TIES};
pub(super) use described::{DESCRIBE_QUERY, DESCRIBE_TABLE, SUMMARIZE};
pub(super) use join::{ASOF_JOIN, POSITIONAL_JOIN};
pub(super) use lambda::{COMPREHENSION, LAMBDA, TAKE_LAMBDAS};

pub(super) use sample::USING_SAMPLE;
use sqlparser::tokenizer::TokenWithSpan;
pub(super) use struct_type::STRUCT;
use tokens::Tokens;

/// The same tokens in forms that sqlparser reads.
pub(super) fn respell(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut tokens = Tokens::new(tokens);
    tokens.numbers();
    tokens.distances();
    tokens.struct_types();
    tokens.lambdas();
    tokens.trailing_commas();
    tokens.described_tables();
    tokens.pivots();
    tokens.select_before_from();
    tokens.clauses();
    tokens.joins();
    tokens.samples();
    tokens.recursions();
    tokens.changes();
    tokens.identities();
    tokens.into_inner()
}
