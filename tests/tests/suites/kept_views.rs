//! Random views over random tables go on to give the rows that they gave, whatever gets another name, another schema or another
//! setting, and whatever is made under a name that is free again. So does a view made of what `pg_get_viewdef` shows.
//!
//! `KEPT_VIEWS=n` tries n databases; a failure prints the statements that lead to it.

use arrow::array::ArrayRef;
use arrow::util::display::array_value_to_string;
use multiloop::{Engine, Session, arrow};

/// A choice that a seed decides (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn of<'t, T: ?Sized>(&mut self, choices: &[&'t T]) -> &'t T {
        choices[self.below(choices.len())]
    }
}

/// A table or view as it is called now.
#[derive(Clone, Debug)]
struct Relation {
    kind: &'static str,
    schema: String,
    name: String,
    columns: Vec<String>,
    /// Whether it has the columns of tables: two integers and an instant.
    is_table: bool,
}

impl Relation {
    fn called(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// A session, what is in it, and what was said.
struct World {
    session: Session,
    random: Random,
    relations: Vec<Relation>,
    schemas: Vec<String>,
    /// How many names have been given.
    named: usize,
    script: Vec<String>,
}

/// Queries of an integer, or several, over two tables: `{t}` and `{u}` are how FROM names them, `{T}` and `{U}` what qualifies their
/// columns, `{a}`, `{b}`, `{w}` the first table's columns, `{c}`, `{d}`, `{x}` the second's.
const QUERIES: &[&str] = &[
    "SELECT {T}.{a}, {T}.{b} FROM {t}",
    "SELECT {T}.* FROM (SELECT {a}, {b} FROM {t} WHERE {w} < '2024-01-01 12:00') AS {T}",
    "SELECT {a} AS p, count(*) AS q FROM {t} WHERE {w} BETWEEN '2024-01-01 03:00' AND timestamptz '2024-01-01 12:00' GROUP BY {a}",
    "SELECT count({T}) AS p, count({T}.{a}) AS q FROM {t} LEFT JOIN {u} ON {T}.{a} = {U}.{d}",
    "SELECT {T}.{a} AS p, {U}.{d} AS q FROM {t} JOIN {u} ON {T}.{a} = {U}.{c} AND {T}.{w} >= '2024-01-01 06:00'",
    "SELECT {a} AS p, {b} AS q FROM {t} WHERE EXISTS (SELECT 1 FROM {u} WHERE {U}.{c} = {T}.{a} AND {U}.{x} > '2024-01-01')",
    "SELECT {a} AS p, {b} AS q FROM {t} WHERE {T}.{a} NOT IN (SELECT {U}.{d} FROM {u} WHERE {U}.{d} <> {T}.{b})",
    "WITH {T} AS (SELECT {a}, {b} FROM {t}), o AS (SELECT * FROM {T}) SELECT {T}.{a} AS p, o.{b} AS q FROM {T} JOIN o ON o.{a} = {T}.{b}",
    "SELECT {T}.{a} AS p, l.q FROM {t} CROSS JOIN LATERAL (SELECT max({U}.{c}) AS q FROM {u} WHERE {U}.{c} <= {T}.{b}) l",
    "SELECT {T}.{a} AS p, g AS q FROM {t}, generate_series(1, {T}.{a}) g",
    "SELECT {T}.{a} AS p, {T}.{b} AS q FROM {t} UNION SELECT {U}.{d}, {U}.{c} FROM {u} EXCEPT SELECT {b}, {a} FROM {t}",
    "SELECT {T}.{a} AS p, sum({T}.{b}) OVER (PARTITION BY {T}.{a} > 1 ORDER BY {T}.{b}, {T}.{a}) AS q FROM {t}",
    "SELECT p.{a} AS p, q.{a} AS q FROM {t} p JOIN {t} q USING ({b})",
    "SELECT {a} AS p, extract(hour FROM {w} AT TIME ZONE 'UTC')::int AS q FROM {t} AS z WHERE z.{w} <> ALL ('{2024-01-01 12:00,2024-01-01 03:00}')",
    "SELECT ({T}).{a} AS p, ({T}).{b} AS q FROM {t} WHERE {T} IS NOT NULL",
    "SELECT a.* FROM (SELECT * FROM (SELECT {a} AS m, {b} AS n FROM {t}) i NATURAL JOIN (SELECT {c} AS m, {d} AS o FROM {u}) j) a (p, q, r)",
    "SELECT 'z'::text = 'z' AS p, '{T}'::regclass = (SELECT max('{T}'::regclass::oid) FROM {t}) AS q",
];

impl World {
    fn new(seed: u64) -> Self {
        let session = Engine::builder().threads(1).build().expect("an engine").session();
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let schemas = vec!["public".to_owned()];
        let mut world = World { session, random, relations: Vec::new(), schemas, named: 0, script: Vec::new() };
        for name in ["b", "d", "Mixed case"] {
            let columns = ["a", "c", "at"].map(str::to_owned).to_vec();
            let table = Relation { kind: "TABLE", schema: "public".into(), name: name.into(), columns, is_table: true };
            world.run(&format!("CREATE TABLE {} (a int, c int, at timestamptz)", table.called()));
            for _ in 0..world.random.below(6) {
                let [a, c] = [0; 2].map(|_| world.random.of(&["0", "1", "2", "3", "NULL"]));
                let hour = world.random.below(24);
                world.run(&format!("INSERT INTO {} VALUES ({a}, {c}, '2024-01-01 {hour}:00Z')", table.called()));
            }
            world.relations.push(table);
        }
        world
    }

    fn run(&mut self, sql: &str) {
        self.script.push(sql.to_owned());
        if let Err(error) = self.session.sql(sql) {
            panic!("{}: {error}\n{}", error.sqlstate(), self.script.join(";\n"));
        }
    }

    /// The rows of a query as texts, in order of these.
    fn rows(&self, sql: &str) -> Vec<String> {
        let batches = self.session.sql(sql).and_then(|result| result.collect_batches());
        let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}\n{}", self.script.join(";\n")));
        let mut rows = Vec::new();
        for batch in batches {
            for row in 0..batch.num_rows() {
                let field = |column: &ArrayRef| array_value_to_string(column, row).expect("a value prints");
                rows.push(batch.columns().iter().map(field).collect::<Vec<_>>().join(","));
            }
        }
        rows.sort();
        rows
    }

    fn name(&mut self) -> String {
        self.named += 1;
        let form = self.random.below(3);
        let number = self.named;
        [format!("n{number}"), format!("N {number}"), format!("select{number}")][form].clone()
    }

    fn make_view(&mut self) {
        let query = self.random.of(QUERIES);
        let tables: Vec<Relation> = self.relations.iter().filter(|relation| relation.is_table).cloned().collect();
        let views: Vec<Relation> = self.relations.iter().filter(|relation| !relation.is_table).cloned().collect();
        let (t, u) = (tables[self.random.below(3)].clone(), tables[self.random.below(3)].clone());
        let over_view = !views.is_empty() && self.random.below(4) == 0;
        let text = if over_view {
            let of = views[self.random.below(views.len())].clone();
            let name = quoted(&of.name);
            match self.random.below(3) {
                0 => format!("SELECT {name}.* FROM {}", of.called()),
                1 => format!("SELECT * FROM {} WHERE EXISTS (SELECT {name}.{})", of.called(), quoted(&of.columns[0])),
                _ => format!("SELECT {name}.{} AS p FROM {}", quoted(&of.columns[0]), of.called()),
            }
        } else {
            // Two of one name need an alias.
            let is_one = t.called() == u.called();
            let named = |of: &Relation, columns: [&str; 3], from: &str, qualifier: &str, text: String| {
                let text = text.replace(from, &of.called()).replace(qualifier, &quoted(&of.name));
                columns.iter().zip(&of.columns).fold(text, |text, (mark, column)| text.replace(mark, &quoted(column)))
            };
            let text = match is_one {
                true => query.replace("{u}", &format!("{} AS other", u.called())).replace("{U}", "other"),
                false => (*query).to_owned(),
            };
            let text = named(&u, ["{c}", "{d}", "{x}"], "{u}", "{U}", text);
            named(&t, ["{a}", "{b}", "{w}"], "{t}", "{T}", text)
        };
        let (name, kind) = (self.name(), if self.random.below(4) == 0 { "MATERIALIZED VIEW" } else { "VIEW" });
        let view = Relation { kind, schema: "public".into(), name, columns: Vec::new(), is_table: false };
        self.run(&format!("CREATE {kind} {} AS {text}", view.called()));
        let of = format!("'{}'::regclass", view.called());
        let columns = self.rows(&format!(
            "SELECT lpad(attnum::text, 3) || attname FROM pg_attribute WHERE attrelid = {of} AND attnum > 0"
        ));
        let columns = columns.iter().map(|column| column[3..].to_owned()).collect();
        self.relations.push(Relation { columns, ..view });
    }

    /// Gives something another name or schema, or changes a setting.
    fn change(&mut self) {
        let at = self.random.below(self.relations.len());
        let of = self.relations[at].clone();
        let kind = if self.random.below(2) == 0 { "TABLE" } else { of.kind };
        match self.random.below(7) {
            0 | 1 => {
                let to = self.name();
                self.run(&format!("ALTER {kind} {} RENAME TO {}", of.called(), quoted(&to)));
                self.relations[at].name = to;
                if self.random.below(2) == 0 {
                    self.run(&format!("CREATE TABLE {} AS SELECT 'wrong' AS a, 'wrong' AS c", of.called()));
                }
            }
            2 | 3 => {
                let column = self.random.below(of.columns.len());
                // A name that another column had, perhaps.
                let to = self.random.of(&["a", "c", "p", "q", "other", "at"]).to_owned();
                let to = if of.columns.contains(&to) { self.name() } else { to };
                let from = quoted(&of.columns[column]);
                self.run(&format!("ALTER {kind} {} RENAME COLUMN {from} TO {}", of.called(), quoted(&to)));
                self.relations[at].columns[column] = to;
            }
            4 => {
                let schema = self.name();
                self.run(&format!("CREATE SCHEMA {}", quoted(&schema)));
                self.run(&format!("ALTER {kind} {} SET SCHEMA {}", of.called(), quoted(&schema)));
                self.schemas.push(schema.clone());
                self.relations[at].schema = schema;
            }
            5 if self.schemas.len() > 1 => {
                let schema = 1 + self.random.below(self.schemas.len() - 1);
                let (from, to) = (self.schemas[schema].clone(), self.name());
                self.run(&format!("ALTER SCHEMA {} RENAME TO {}", quoted(&from), quoted(&to)));
                for relation in self.relations.iter_mut().filter(|relation| relation.schema == from) {
                    relation.schema.clone_from(&to);
                }
                self.schemas[schema] = to;
            }
            _ => {
                let zone = self.random.of(&["UTC", "Asia/Tokyo", "America/New_York", "+05:45"]);
                self.run(&format!("SET TIME ZONE '{zone}'"));
                let path = self.random.of(&["public", "pg_catalog", "nowhere", "pg_temp"]);
                self.run(&format!("SET search_path = {path}"));
            }
        }
    }

    /// What each view gives, and what one gives that is made of what it is shown as.
    fn seen(&mut self) -> Vec<Vec<String>> {
        let mut seen = Vec::new();
        for view in self.relations.clone().iter().filter(|relation| !relation.is_table) {
            if view.kind == "MATERIALIZED VIEW" {
                self.run(&format!("REFRESH MATERIALIZED VIEW {}", view.called()));
            }
            let rows = self.rows(&format!("SELECT * FROM {}", view.called()));
            let shown = self.rows(&format!("SELECT pg_get_viewdef('{}'::regclass)", view.called())).concat();
            let again = self.rows(shown.trim_end_matches(';'));
            assert_eq!(again, rows, "{} shown as {shown}\n{}", view.called(), self.script.join(";\n"));
            seen.push(rows);
        }
        seen
    }
}

#[test]
fn views_keep_their_meaning() {
    let worlds = std::env::var("KEPT_VIEWS").ok().and_then(|count| count.parse().ok()).unwrap_or(6);
    for seed in 1..=worlds {
        let mut world = World::new(seed);
        for _ in 0..8 {
            world.make_view();
        }
        let before = world.seen();
        for _ in 0..10 {
            world.change();
            let after = world.seen();
            assert_eq!(after, before, "seed {seed}\n{}", world.script.join(";\n"));
        }
    }
}
