//! Each format against text that is known to be right, over data that breaks formats.

use super::{Expanded, Format, Style, grid, unique_names, write};
use multiloop::{Engine, Session};

/// Numbers, NULL, ends of lines, quotes, separators, marks of HTML, LaTeX and Markdown, wide and control characters.
const NASTY: &str = "SELECT * FROM (VALUES (1, 'plain', 1.50), (-22, NULL, NULL), (3, E'two\\nlines', 0.25), \
                     (4, 'a|b \"q\" <i>&', 12345.00), (5, E'tab\\there', 0), (6, '日本', 1), (7, '', 1), \
                     (8, E'50% $x_1 \\\\ {y}', 1), (9, E'\\x1b[31m', 1)) AS t (n, text, price)";

fn session() -> Session {
    Engine::builder().threads(1).build().expect("an engine starts").session()
}

fn style(format: Format) -> Style {
    Style { format, ..Style::default() }
}

fn shown_in(session: &Session, sql: &str, style: &Style) -> String {
    let mut out = Vec::new();
    write(session.sql(sql).expect("it runs"), style, &mut out, &|| Ok(())).expect("memory takes it");
    String::from_utf8(out).expect("it is UTF-8")
}

fn shown(sql: &str, style: &Style) -> String {
    shown_in(&session(), sql, style)
}

/// Compares a format with its text; the text's first line end is for the eye.
fn check(format: Format, expected: &str) {
    assert_eq!(shown(NASTY, &style(format)), expected.strip_prefix('\n').unwrap_or(expected), "{format:?}");
}

#[test]
fn table() {
    check(
        Format::Table,
        r#"
  n  |      text      |  price   
-----+----------------+----------
   1 | plain          |     1.50
 -22 | NULL           |     NULL
   3 | two           +|     0.25
     | lines          | 
   4 | a|b "q" <i>&   | 12345.00
   5 | tab     here   |        0
   6 | 日本           |        1
   7 |                |        1
   8 | 50% $x_1 \ {y} |        1
   9 | \x1B[31m       |        1
(9 rows)

"#,
    );
}

#[test]
fn boxes() {
    check(
        Format::Box,
        "
┌─────┬────────────────┬──────────┐
│  n  │      text      │  price   │
├─────┼────────────────┼──────────┤
│   1 │ plain          │     1.50 │
│ -22 │ NULL           │     NULL │
│   3 │ two           ↵│     0.25 │
│     │ lines          │          │
│   4 │ a|b \"q\" <i>&   │ 12345.00 │
│   5 │ tab     here   │        0 │
│   6 │ 日本           │        1 │
│   7 │                │        1 │
│   8 │ 50% $x_1 \\ {y} │        1 │
│   9 │ \\x1B[31m       │        1 │
└─────┴────────────────┴──────────┘
(9 rows)

",
    );
}

#[test]
fn markdown() {
    check(
        Format::Markdown,
        r#"
| n   | text             | price    |
|----:|------------------|---------:|
|   1 | plain            |     1.50 |
| -22 | NULL             |     NULL |
|   3 | two<br>lines     |     0.25 |
|   4 | a\|b "q" &lt;i>& | 12345.00 |
|   5 | tab here         |        0 |
|   6 | 日本             |        1 |
|   7 |                  |        1 |
|   8 | 50% $x_1 \\ {y}  |        1 |
|   9 | \x1B[31m         |        1 |

"#,
    );
}

#[test]
fn csv_and_tsv() {
    check(
        Format::Csv,
        "
n,text,price
1,plain,1.50
-22,,
3,\"two
lines\",0.25
4,\"a|b \"\"q\"\" <i>&\",12345.00
5,tab\there,0
6,日本,1
7,\"\",1
8,50% $x_1 \\ {y},1
9,\u{1b}[31m,1
",
    );
    let tabs = shown(NASTY, &style(Format::Tsv));
    assert!(tabs.starts_with("n\ttext\tprice\n1\tplain\t1.50\n-22\t\t\n"), "{tabs}");
    assert!(tabs.contains("5\t\"tab\there\"\t0\n"), "{tabs}");
    let plain = Style { header: false, null: Some("-".to_owned()), ..style(Format::Csv) };
    assert_eq!(shown("SELECT NULL AS a, '-' AS b, 1 AS c", &plain), "-,\"-\",1\n");
}

#[test]
fn unaligned() {
    let plain = style(Format::Unaligned);
    assert_eq!(shown("SELECT 1 AS a, 'x|y' AS b, NULL AS c", &plain), "a|b|c\n1|x|y|\n(1 row)\n");
    let bare = Style { tuples_only: true, field_separator: "\t".to_owned(), ..plain.clone() };
    assert_eq!(shown("SELECT 1 AS a, 'x' AS b", &bare), "1\tx\n");
    let upright = Style { expanded: Expanded::On, ..plain };
    assert_eq!(shown("SELECT k AS a, 'x' AS bb FROM (VALUES (1), (2)) t (k)", &upright), "a|1\nbb|x\n\na|2\nbb|x\n");
}

/// Values that JSON has no words for, and those that it has.
const VALUES: &str = "SELECT 'NaN'::float8 AS nan, 'Infinity'::float8 AS inf, '-Infinity'::float8 AS minf, 1e300::float8 AS big, \
    123456789012345678901234567890.50 AS num, 'NaN'::numeric AS nnan, date '2026-01-02' AS d, timestamp '2026-01-02 03:04:05.6' AS t, \
    timestamptz '2026-01-02 03:04:05+00' AS tz, interval '1 day 02:00' AS i, '\\xdeadbeef'::bytea AS b, ARRAY[1, NULL, 3] AS a, \
    ARRAY[['x', 'y\"'], ['', NULL]] AS aa, '{}'::int[] AS none, E'{\"k\":\\n [1]}'::json AS j, true AS yes, NULL AS nothing, \
    'q\"\\ü' AS s, ARRAY['NaN'::float8] AS an, '00000000-0000-0000-0000-000000000001'::uuid AS u";

#[test]
fn json() {
    let expected = concat!(
        r#"{"nan":"NaN","inf":"Infinity","minf":"-Infinity","big":1e+300,"#,
        r#""num":123456789012345678901234567890.50,"nnan":"NaN","d":"2026-01-02","t":"2026-01-02T03:04:05.6","#,
        r#""tz":"2026-01-02T03:04:05+00:00","i":"1 day 02:00:00","b":"\\xdeadbeef","a":[1,null,3],"#,
        r#""aa":[["x","y\""],["",null]],"none":[],"j":{"k":  [1]},"yes":true,"nothing":null,"#,
        r#""s":"q\"\\ü","an":["NaN"],"u":"00000000-0000-0000-0000-000000000001"}"#,
    );
    assert_eq!(shown(VALUES, &style(Format::Ndjson)), format!("{expected}\n"));
    assert_eq!(shown(VALUES, &style(Format::Json)), format!("[{expected}]\n"));
    for sql in [VALUES, NASTY, "SELECT 1 AS a WHERE false", "SELECT 1 AS a, 2 AS a"] {
        let array = shown(sql, &style(Format::Json));
        let parsed: serde_json::Value = serde_json::from_str(&array).expect("it is JSON");
        let lines = shown(sql, &style(Format::Ndjson));
        let rows: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        assert_eq!(parsed, serde_json::Value::Array(rows));
    }
}

#[test]
fn html() {
    let sql = "SELECT 1 AS \"<n>\", E'a<b>&\\n\"' AS t, NULL AS x, '' AS e";
    let expected = "<table border=\"1\">\n  <tr>\n    <th align=\"center\">&lt;n&gt;</th>\n    <th align=\"center\">t</th>\n    \
                    <th align=\"center\">x</th>\n    <th align=\"center\">e</th>\n  </tr>\n  <tr valign=\"top\">\n    \
                    <td align=\"right\">1</td>\n    <td align=\"left\">a&lt;b&gt;&amp;<br />\n&quot;</td>\n    \
                    <td align=\"left\">NULL</td>\n    <td align=\"left\">&nbsp; </td>\n  </tr>\n</table>\n<p>(1 row)<br />\n</p>\n";
    assert_eq!(shown(sql, &style(Format::Html)), expected);
}

#[test]
fn latex() {
    let sql = "SELECT 1 AS n_1, E'50% $x_1 \\\\ {y} & #~^<>|\\n[a' AS t";
    let expected = "\\begin{tabular}{r | l}\n\\textit{n\\_1} & \\textit{t} \\\\\n\\hline\n1 & 50\\% \\$x\\_1 \\textbackslash{} \
                    \\{y\\} \\& \\#\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}\\textbar{} {[}a \\\\\n\
                    \\end{tabular}\n\n\\noindent (1 row) \\\\\n\n";
    assert_eq!(shown(sql, &style(Format::Latex)), expected);
}

#[test]
fn lines() {
    let sql = "SELECT k AS n, E'a\\nb' AS long_name, NULL AS x FROM (VALUES (1), (2)) t (k)";
    let record = |k: u8| format!("        n = {k}\nlong_name = a\\nb\n        x = NULL\n");
    assert_eq!(shown(sql, &style(Format::Line)), format!("{}\n{}", record(1), record(2)));
}

#[test]
fn inserts_read_back() {
    let session = session();
    let columns =
        "a int, \"B c\" text, f float8, n numeric, d date, i interval, b bytea, l int[], yes boolean, r real, j json";
    session.sql(&format!("CREATE TABLE source ({columns}); CREATE TABLE copy ({columns})")).expect("they are made");
    session
        .sql(
            "INSERT INTO source VALUES (1, 'it''s \\ \"x\"', 'NaN', 'NaN', '2026-01-02', '1 mon', '\\x00ff', '{1,NULL}', true, 1.5, '{}'),
             (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             (-2147483648, E'\\n\\t;', '-0', -1.50, '0044-03-15 BC', '-1 day', '\\x', '{}', false, '-Infinity', '[1]'),
             (2, '', 1e300, 1e30, 'infinity', '00:00:01.5', '\\x27', NULL, NULL, 0.1, NULL)",
        )
        .expect("rows are there");
    let style = Style { table: "copy".to_owned(), ..style(Format::Insert) };
    let sql = shown_in(&session, "SELECT * FROM source", &style);
    assert!(sql.starts_with("INSERT INTO copy (a, \"B c\", f,"), "{sql}");
    session.sql(&sql).unwrap_or_else(|error| panic!("{}: {sql}", error.message()));
    let rows = |table: &str| shown_in(&session, &format!("SELECT * FROM {table}"), &self::style(Format::Csv));
    assert_eq!(rows("copy"), rows("source"));
    // One column of NULLs alone, and more rows than one statement has.
    session
        .sql("CREATE TABLE many AS SELECT k, NULL::int AS x FROM generate_series(1, 1201) t (k)")
        .expect("it is made");
    session.sql("CREATE TABLE again (k int, x int)").expect("it is made");
    let style = Style { table: "again".to_owned(), ..style };
    let sql = shown_in(&session, "SELECT * FROM many", &style);
    assert_eq!(sql.matches("INSERT INTO").count(), 3);
    session.sql(&sql).expect("it reads back");
    assert_eq!(rows("again"), rows("many"));
    assert_eq!(shown_in(&session, "SELECT 1 AS a WHERE false", &style), "");
}

#[test]
fn upright_rows() {
    let upright = Style { expanded: Expanded::On, ..Style::default() };
    let sql = "SELECT k AS n, E'two\\nlines' AS text FROM (VALUES (1), (2)) t (k)";
    let record = |k: u8| format!("-[ RECORD {k} ]\nn    | {k}\ntext | two  +\n     | lines\n");
    assert_eq!(shown(sql, &upright), format!("{}{}\n", record(1), record(2)));
    assert_eq!(shown("SELECT 1 AS a WHERE false", &upright), "(0 rows)\n\n");
    let framed = Style { border: 2, ..upright };
    let expected = "+-[ RECORD 1 ]----------+\n| abcdefgh | 123456789 |\n+----------+-----------+\n\n";
    let got = shown("SELECT 123456789 AS abcdefgh", &framed);
    assert_eq!(got.lines().nth(1), expected.lines().nth(1), "{got}");
}

#[test]
fn a_table_that_is_too_wide_loses_columns_or_stands_upright() {
    let columns: Vec<String> = (0..9).map(|n| format!("'value {n}' AS long_column_{n}")).collect();
    let sql = format!("SELECT {}, 1.50 AS n, NULL AS nothing", columns.join(", "));
    let in_columns = |columns: Option<usize>, expanded| shown(&sql, &Style { columns, expanded, ..Style::default() });
    let upright = in_columns(Some(60), Expanded::Auto);
    assert!(upright.starts_with("-[ RECORD 1 ]"), "{upright}");
    assert!(upright.contains("long_column_8 | value 8\nn             | 1.50\nnothing       | NULL\n"), "{upright}");
    assert!(in_columns(None, Expanded::Off).lines().next().is_some_and(|names| names.contains("| long_column_8 |")));
    assert!(in_columns(Some(120), Expanded::Off).lines().all(|line| line.chars().count() <= 120));
    let cut = in_columns(Some(60), Expanded::Off);
    assert!(cut.lines().take(4).all(|line| line.chars().count() <= 60), "{cut}");
    assert!(cut.lines().next().is_some_and(|names| names.contains("| … |") && names.ends_with("| nothing ")), "{cut}");
    assert!(cut.contains("1.50 | NULL") && cut.contains("of 11 columns shown"), "{cut}");
    assert!(in_columns(Some(10), Expanded::Off).starts_with("-[ RECORD 1 ]"), "there is no room for two");
}

#[test]
fn a_column_alone_is_not_cut() {
    let narrow = Style { columns: Some(10), tuples_only: true, ..Style::default() };
    assert_eq!(shown("SELECT 'a long line of a plan' AS p", &narrow), " a long line of a plan\n\n");
    assert_eq!(shown("SELECT 1 AS a, 'a long line' AS p", &Style { columns: Some(14), ..narrow }), " 1 | a long …\n\n");
}

#[test]
fn tables_have_titles_footers_and_borders() {
    let titled = Style { title: Some("T".to_owned()), border: 2, ..Style::default() };
    let sql = "SELECT 1 AS a, 'x' AS b";
    assert_eq!(shown(sql, &titled), "    T\n+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n+---+---+\n(1 row)\n\n");
    let bare = Style { border: 0, footers: vec!["end".to_owned()], ..Style::default() };
    assert_eq!(shown(sql, &bare), "a b \n- -\n1 x\nend\n\n");
    let only = Style { tuples_only: true, ..Style::default() };
    assert_eq!(shown(sql, &only), " 1 | x\n\n");
    let grouped = Style { grouped: true, tuples_only: true, ..Style::default() };
    assert_eq!(shown("SELECT 1234567.5 AS a", &grouped), " 1,234,567.5\n\n");
}

#[test]
fn rows_behind_the_first_ones_are_written_as_they_come() {
    let rows = grid::ROWS_LOOKED_AT + 5;
    let sql = format!(
        "SELECT CASE WHEN k = {rows} THEN 'a wide value' ELSE 'x' END AS v FROM generate_series(1, {rows}) t (k)"
    );
    let text = shown(&sql, &Style::default());
    assert!(text.starts_with(" v \n---\n x\n x\n"), "widths are those of the first rows");
    assert!(text.ends_with(&format!(" x\n a wide value\n({rows} rows)\n\n")), "and nothing is cut");
}

#[test]
fn not_more_rows_are_shown_than_were_asked_for() {
    let few = Style { rows_max: 2, ..Style::default() };
    let sql = "SELECT k FROM generate_series(1, 100000) t (k)";
    assert_eq!(shown(sql, &few), " k \n---\n 1\n 2\n(2 rows shown, there are more)\n\n");
    assert!(shown("SELECT k FROM generate_series(1, 2) t (k)", &few).ends_with("(2 rows)\n\n"));
}

#[test]
fn names_of_objects_differ() {
    let session = session();
    let result = session.sql("SELECT 1 AS k, 2 AS k, 3 AS \"K\", 4 AS k_1").expect("it runs");
    assert_eq!(unique_names(result.fields()), ["k", "k_1", "K_2", "k_1_1"]);
}

#[test]
fn who_asks_to_stop_gets_no_more_rows() {
    let result = session().sql("SELECT k FROM generate_series(1, 10) t (k)").expect("it runs");
    let stop = || Err(multiloop::Error::new(multiloop::ErrorKind::Cancelled, "stopped"));
    let mut out = Vec::new();
    assert!(write(result, &style(Format::Csv), &mut out, &stop).is_err());
    assert_eq!(out, b"k\n");
}
