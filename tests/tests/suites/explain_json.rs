//! EXPLAIN (FORMAT JSON): what viewers of PostgreSQL's plans read of each node is there, for TPC-H's queries and unusual ones.

use multiloop::{DataType, Session};
use multiloop_tests::{WAYS, text_rows};
use multiloop_tpch::{generate, query as tpch_query};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Text(String),
    Number(f64),
    Boolean(bool),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    fn parse(text: &str) -> Json {
        let mut rest = text.chars().peekable();
        let value = Json::read(&mut rest);
        assert_eq!(rest.find(|left| !left.is_whitespace()), None, "{text}");
        value
    }

    fn read(rest: &mut Peekable<Chars<'_>>) -> Json {
        let skip = |rest: &mut Peekable<Chars<'_>>| while rest.next_if(|next| next.is_whitespace()).is_some() {};
        skip(rest);
        let value = match *rest.peek().expect("a value") {
            '"' => Json::Text(Json::text(rest)),
            '[' => {
                let mut all = Vec::new();
                while matches!(rest.next(), Some('[' | ',')) {
                    skip(rest);
                    if rest.next_if_eq(&']').is_some() {
                        break;
                    }
                    all.push(Json::read(rest));
                }
                Json::List(all)
            }
            '{' => {
                let mut all = BTreeMap::new();
                while matches!(rest.next(), Some('{' | ',')) {
                    skip(rest);
                    let key = Json::text(rest);
                    skip(rest);
                    assert_eq!(rest.next(), Some(':'), "behind {key}");
                    let value = Json::read(rest);
                    // Two nodes below each other may have one name, one key may not stand twice.
                    assert_eq!(all.insert(key.clone(), value), None, "{key}");
                }
                Json::Object(all)
            }
            _ => {
                let mut word = String::new();
                while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || matches!(next, '-' | '.' | '+')) {
                    word.push(next);
                }
                match word.as_str() {
                    "true" | "false" => Json::Boolean(word == "true"),
                    number => Json::Number(number.parse().expect(number)),
                }
            }
        };
        skip(rest);
        value
    }

    fn text(rest: &mut Peekable<Chars<'_>>) -> String {
        assert_eq!(rest.next(), Some('"'));
        let mut text = String::new();
        loop {
            match rest.next().expect("the text ends") {
                '"' => return text,
                '\\' => text.push(rest.next().expect("a character is escaped")),
                other => text.push(other),
            }
        }
    }

    #[track_caller]
    fn get(&self, key: &str) -> &Json {
        let Json::Object(all) = self else { panic!("{self:?} is no object") };
        all.get(key).unwrap_or_else(|| panic!("{key} is not in {all:?}"))
    }

    fn has(&self, key: &str) -> bool {
        matches!(self, Json::Object(all) if all.contains_key(key))
    }

    #[track_caller]
    fn number(&self, key: &str) -> f64 {
        let Json::Number(number) = self.get(key) else { panic!("{key} of {self:?}") };
        *number
    }

    #[track_caller]
    fn word(&self, key: &str) -> &str {
        let Json::Text(text) = self.get(key) else { panic!("{key} of {self:?}") };
        text
    }

    fn plans(&self) -> &[Json] {
        match self {
            Json::Object(all) => match all.get("Plans") {
                Some(Json::List(plans)) => plans,
                _ => &[],
            },
            _ => &[],
        }
    }
}

fn explained(session: &Session, options: &str, query: &str) -> Json {
    let result = session.sql(&format!("EXPLAIN ({options}) {query}"));
    let result = result.unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!((result.fields()[0].name.as_str(), result.fields()[0].data_type), ("QUERY PLAN", DataType::Json));
    assert_eq!(result.verb(), "EXPLAIN");
    let rows = text_rows(result).expect("it is text");
    let [row] = rows.as_slice() else { panic!("one row: {rows:?}") };
    match Json::parse(&row[0]) {
        Json::List(mut all) if all.len() == 1 => all.remove(0),
        other => panic!("one object: {other:?}"),
    }
}

/// All nodes, each with what it is below.
fn nodes(root: &Json) -> Vec<(Option<&Json>, &Json)> {
    let mut all = vec![(None, root)];
    let mut next = 0;
    while next < all.len() {
        let (_, node) = all[next];
        next += 1;
        all.extend(node.plans().iter().map(|plan| (Some(node), plan)));
    }
    all
}

#[test]
fn nodes_have_what_viewers_read() {
    let session = WAYS[2].session();
    generate(&session, 0.01, 1, &|_, _| {}).expect("the tables load");
    let others = [
        "SELECT 1",
        "VALUES (1), (2)",
        "SELECT count(*) FROM nation, region",
        "SELECT n_name FROM nation UNION ALL SELECT r_name FROM region",
        "SELECT n_name, rank() OVER (ORDER BY n_name) FROM nation",
        "SELECT n_name, (SELECT max(c_acctbal) FROM customer WHERE c_nationkey < n_nationkey) FROM nation",
        "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t WHERE a < 5) SELECT a FROM t",
        "WITH t AS (SELECT n_regionkey AS r, count(*) AS n FROM nation GROUP BY 1) SELECT a.r FROM t a, t b WHERE a.n = b.n",
        "SELECT n_name FROM nation ORDER BY n_name LIMIT 3",
        "SELECT 1 AS \"a \"\"quoted\"\" \\ name\" FROM nation",
    ];
    let queries = (1..=22).map(|number| tpch_query(number, 0.01)).chain(others.map(str::to_owned));
    for query in queries {
        let count = session.sql(&query).and_then(text_rows).unwrap_or_else(|error| panic!("{query}: {error}")).len();
        let plain = explained(&session, "FORMAT JSON", &query);
        assert!(!plain.has("Planning Time") && !plain.get("Plan").has("Actual Rows"), "{query}");
        let ran = explained(&session, "ANALYZE, FORMAT JSON", &query);
        assert!(ran.number("Planning Time") > 0.0 && ran.number("Execution Time") > 0.0, "{query}");
        let root = ran.get("Plan");
        assert_eq!(root.number("Actual Rows"), count as f64, "{query}");
        assert!(root.number("Actual Total Time") <= ran.number("Execution Time"), "{query}");
        let mut shown: Vec<&str> = Vec::new();
        for (above, node) in nodes(root) {
            assert!(!node.word("Node Type").is_empty());
            assert_eq!(above.is_some(), node.has("Parent Relationship"), "{node:?}");
            assert!(node.number("Startup Cost") <= node.number("Total Cost"), "{node:?}");
            assert!(node.number("Plan Rows") >= 0.0 && node.number("Plan Width") >= 0.0);
            let is_scan = node.word("Node Type") == "Seq Scan";
            assert_eq!(is_scan, node.has("Relation Name"), "{node:?}");
            if let Some(above) = above {
                assert!(above.number("Total Cost") >= node.number("Total Cost"), "{above:?}");
                if above.has("Actual Rows") && node.has("Actual Total Time") {
                    assert!(above.number("Actual Total Time") >= node.number("Actual Total Time"), "{above:?}");
                }
            }
            if node.has("Actual Rows") {
                assert_eq!(node.number("Actual Loops"), 1.0);
            }
            // What is read twice stands once.
            match node.has("CTE Name") {
                true => assert!(matches!(node.word("Node Type"), "CTE Scan" | "WorkTable Scan"), "{node:?}"),
                false if is_scan => {}
                false => shown.push(node.word("Collection")),
            }
        }
        let count = shown.len();
        shown.sort_unstable();
        shown.dedup();
        assert_eq!(shown.len(), count, "{query}: {shown:?}");
    }
}

#[test]
fn kinds_are_postgresql_s() {
    let session = WAYS[2].session();
    session.sql("CREATE TABLE t (a int, b text); CREATE TABLE u (a int, c int)").expect("they are made");
    session
        .sql("INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'y'); INSERT INTO u VALUES (1, 2), (1, 3)")
        .expect("rows");
    let kinds = |query: &str| {
        let explained = explained(&session, "FORMAT JSON", query);
        let kinds = nodes(explained.get("Plan")).into_iter().map(|(_, node)| {
            let more = ["Strategy", "Join Type", "Relation Name"].into_iter().filter(|key| node.has(key));
            let more = more.map(|key| node.word(key)).collect::<Vec<_>>().join(" ");
            format!("{} {more}", node.word("Node Type")).trim_end().to_owned()
        });
        kinds.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(kinds("SELECT a FROM t WHERE a > 1"), "Result, Seq Scan t");
    assert!(kinds("SELECT sum(a) FROM t").contains("Aggregate Plain, Seq Scan t"));
    assert!(kinds("SELECT a FROM t ORDER BY b").contains("Sort, Result, Seq Scan t"));
    assert!(kinds("SELECT b, count(*) FROM t GROUP BY b").contains("Aggregate Hashed, Seq Scan t"));
    assert!(kinds("SELECT t.b FROM t JOIN u ON t.a = u.a").contains("Hash Join Inner"));
    assert!(kinds("SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.a").contains("Hash Join Left"));
    // What is not asked for is not there.
    let bare = explained(&session, "ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT JSON", "SELECT a FROM t");
    let root = bare.get("Plan");
    assert!(!bare.has("Execution Time") && !root.has("Total Cost") && !root.has("Actual Total Time"));
    assert_eq!(root.number("Actual Rows"), 3.0);
    assert!(explained(&session, "FORMAT JSON, SUMMARY", "SELECT 1").has("Planning Time"));
    // Prepared, its column is known beforehand.
    let prepared = session.prepare("EXPLAIN (FORMAT JSON) SELECT a FROM t").expect("it is prepared");
    assert_eq!(prepared.fields().map(|fields| fields[0].data_type), Some(DataType::Json));
    let text =
        session.sql("EXPLAIN (FORMAT TEXT, VERBOSE, BUFFERS) SELECT a FROM t").and_then(text_rows).expect("text");
    assert!(text[0][0].starts_with("Output a"), "{text:?}");
}

/// Keys that aggregates sort by are codes, which may have the character that no text has.
#[test]
fn no_form_has_a_zero_character() {
    let session = WAYS[2].session();
    session.sql("CREATE TABLE t AS SELECT * FROM (VALUES ('x', 1), ('y', 2)) v(a, b)").expect("it is made");
    for form in ["", "(LOOPS)", "(KERNELS)", "ANALYZE", "(FORMAT JSON)"] {
        let sql = format!("EXPLAIN {form} SELECT b, string_agg(DISTINCT a, ', ' ORDER BY a) FROM t GROUP BY b");
        let rows = session.sql(&sql).and_then(text_rows).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(!rows.concat().concat().contains('\0'), "{sql}");
    }
}
