//! Random statements of kinds that the queries of `query` do not have: grouping sets, arrays, LATERAL, recursion, ordered
//! sets, time zones, subqueries two levels deep that compare by inequalities, and prepared statements with parameters.
//!
//! They read tables alone, and are linear in none but their own size: it is rows that are compared.

use super::data::{Column, Kind, Source};
use super::query::{Statement, where_all};
use super::writer::{Reference, Writer};

/// Zones with summer time, without, and by their distance.
const ZONES: [&str; 6] = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+03", "Australia/Lord_Howe"];

/// Instants around changes of summer time, and far from them.
const INSTANTS: [&str; 8] = [
    "2020-03-29 01:30:00+00",
    "2020-03-29 02:30",
    "2020-10-25 02:30",
    "2020-03-08 02:30 America/New_York",
    "1970-01-01 00:00Z",
    "2020-06-15 12:00:00.123456+05:30",
    "2019-12-31 23:59:59 Europe/Berlin",
    "2024-02-29 10:00",
];

impl Writer<'_> {
    /// A statement of one of these kinds.
    pub(crate) fn statement_of_kind(&mut self) -> Statement {
        self.choices.enter("kind");
        let mut statement = match self.choices.pick(8) {
            0 => Statement::of(self.grouping_sets()),
            1 => Statement::of(self.arrays()),
            2 => Statement::of(self.lateral()),
            3 => Statement::of(self.recursive()),
            4 => Statement::of(self.ordered_set()),
            5 => self.zoned(),
            6 => Statement::of(self.two_levels()),
            _ => self.prepared(),
        };
        statement.linear = false;
        self.choices.leave();
        statement
    }

    /// A small table under an alias, as FROM's text, whose columns are in scope.
    fn table(&mut self, rows_max: f64) -> (String, Source) {
        let fits: Vec<Source> = self.schema.tables.iter().filter(|table| table.rows <= rows_max).cloned().collect();
        let mut source = match fits.len() {
            0 => self.schema.tables[0].clone(),
            count => fits[self.choices.pick(count)].clone(),
        };
        let text = if source.rows <= rows_max {
            source.name.clone()
        } else {
            format!("(SELECT * FROM {} WHERE c0 < {rows_max})", source.name)
        };
        source.rows = source.rows.min(rows_max);
        source.name = self.alias();
        (format!("{text} AS {}", source.name), source)
    }

    fn column_of(&mut self, source: &Source, fits: impl Fn(&Column) -> bool) -> Reference {
        let found = Self::references(std::slice::from_ref(source), |column| column.exact && fits(column));
        let first = Reference { text: format!("{}.c0", source.name), column: source.columns[0].clone() };
        if found.is_empty() { first } else { found[self.choices.pick(found.len())].clone() }
    }

    /// A key of GROUP BY: a column, what folds to one, or a constant.
    fn grouping_key(&mut self, source: &Source) -> String {
        self.choices.enter("key");
        let int = self.column_of(source, |column| column.kind == Kind::Int).text;
        let any = self.column_of(source, |column| column.kind != Kind::Char).text;
        let numeric = self.column_of(source, |column| column.kind == Kind::Numeric).text;
        let text = match self.choices.weighted(&[6, 2, 2, 2, 1, 1, 1, 1, 1, 1]) {
            1 => format!("+{int}"),
            2 => format!("{int} % 3"),
            3 => format!("coalesce({any}, {any})"),
            4 => "date '2020-01-01'".to_owned(),
            5 => "cast('all' as text)".to_owned(),
            6 => format!("round(cast({numeric} as numeric), 2)"),
            7 => format!("({int} > 3)"),
            8 => format!("(SELECT {int} + 1)"),
            9 => format!("CASE WHEN {int} IS NULL THEN 0 ELSE {int} END"),
            _ => any,
        };
        self.choices.leave();
        text
    }

    fn sets(&mut self, keys: &[String], depth: usize) -> String {
        self.choices.enter("sets");
        let some = |writer: &mut Self| {
            let list: Vec<String> =
                (0..=writer.choices.pick(2)).map(|_| keys[writer.choices.pick(keys.len())].clone()).collect();
            if list.len() == 1 && writer.choices.once_in(2) {
                list[0].clone()
            } else {
                format!("({})", list.join(", "))
            }
        };
        let text = match self.choices.weighted(&[3, 3, 3, if depth > 0 { 2 } else { 0 }]) {
            0 => format!("ROLLUP ({})", keys.join(", ")),
            1 => {
                let parts: Vec<String> = (0..=self.choices.pick(2)).map(|_| some(self)).collect();
                format!("CUBE ({})", parts.join(", "))
            }
            2 => {
                let mut parts: Vec<String> = (0..=self.choices.pick(3)).map(|_| some(self)).collect();
                if self.choices.once_in(2) {
                    parts.push("()".to_owned());
                }
                format!("GROUPING SETS ({})", parts.join(", "))
            }
            _ => {
                let parts: Vec<String> = (0..2).map(|_| self.sets(keys, depth - 1)).collect();
                format!("GROUPING SETS ({}, {})", parts.join(", "), some(self))
            }
        };
        self.choices.leave();
        text
    }

    fn grouping_sets(&mut self) -> String {
        let (from, source) = self.table(5_000.0);
        self.scopes.push(vec![source.clone()]);
        let mut keys: Vec<String> = (0..=self.choices.pick(3)).map(|_| self.grouping_key(&source)).collect();
        keys.dedup();
        let mut by = self.sets(&keys, 1);
        if self.choices.once_in(4) {
            by = format!("{by}, {}", self.sets(&keys, 0));
        }
        if self.choices.once_in(6) {
            by = format!("DISTINCT {by}");
        }
        // What no set has may not be selected.
        let mut selected: Vec<String> = keys.iter().filter(|key| by.contains(key.as_str())).cloned().collect();
        if selected.is_empty() {
            selected.push("1".to_owned());
        } else if self.choices.once_in(2) {
            let list: Vec<String> = selected.iter().filter(|key| !key.starts_with("(SELECT")).cloned().collect();
            if !list.is_empty() {
                selected.push(format!("grouping({})", list.join(", ")));
            }
        }
        for _ in 0..=self.choices.pick(2) {
            let (text, column) = self.aggregate(100.0);
            if column.exact {
                selected.push(text);
            }
        }
        let conditions = if self.choices.once_in(3) { vec![self.condition(&[source], 1)] } else { Vec::new() };
        self.scopes.pop();
        let named: Vec<String> = selected.iter().enumerate().map(|(at, text)| format!("{text} AS r{at}")).collect();
        format!("SELECT {} FROM {from}{} GROUP BY {by}", named.join(", "), where_all(&conditions))
    }

    fn arrays(&mut self) -> String {
        let (from, source) = self.table(300.0);
        let of = |kind: Kind| move |column: &Column| column.kind == kind;
        let (a, b) = (self.column_of(&source, of(Kind::Int)).text, self.column_of(&source, of(Kind::Int)).text);
        let any = self.column_of(&source, |column| !matches!(column.kind, Kind::Char | Kind::Varchar));
        let x = any.text;
        let shapes = [
            format!("SELECT ARRAY[{a}, {b}, NULL], {a} = ANY (ARRAY[{b}, 3, NULL]), (ARRAY[{a}, {b}])[2] FROM {from}"),
            format!("SELECT array_agg({x} ORDER BY {x}, {a}), array_agg(DISTINCT {x}) FROM {from} GROUP BY {a} % 4"),
            format!("SELECT {a}, u FROM {from} CROSS JOIN LATERAL unnest(ARRAY[{a}, {b}]) AS u"),
            format!(
                "SELECT min(u), max(u), count(u), count(*), sum(u % 7) FROM {from} CROSS JOIN LATERAL unnest(ARRAY[{a}, NULL, {b}]) AS u"
            ),
            format!(
                "SELECT u % 3, sum(u), avg(u * 0.5::double precision) FROM {from} CROSS JOIN LATERAL unnest(ARRAY[{a}, {b}]) AS u WHERE u <> 4 GROUP BY 1"
            ),
            format!(
                "SELECT {a}, max(u::text), count(*) FROM {from} CROSS JOIN LATERAL unnest(ARRAY[{b}::text, NULL, {a}::text]) AS u GROUP BY {a}"
            ),
            format!("SELECT ARRAY[{a}] || {b}, ARRAY[{a}, {b}] @> ARRAY[{b}], ARRAY[{a}] && ARRAY[{b}, 1] FROM {from}"),
            format!(
                "SELECT ARRAY[[{a}], [NULL]]::int[], cardinality(ARRAY[[{a}, 1], [{b}, 2]]), array_length(ARRAY[{a}], 1) FROM {from}"
            ),
            format!("SELECT DISTINCT CASE WHEN {a} > 5 THEN ARRAY[{x}] END FROM {from}"),
            format!(
                "SELECT DISTINCT ON ({a}) {a}, CASE WHEN {b} < 0 THEN ARRAY[{x}] END FROM {from} ORDER BY {a}, {b}, {x}"
            ),
            format!(
                "SELECT array_position(ARRAY[{a}, {b}, 3], 3), array_remove(ARRAY[{a}, {b}], {a}), ARRAY[{a}, {b}] < ARRAY[{b}, {a}] FROM {from}"
            ),
            format!(
                "SELECT {a} < ALL (ARRAY[{b}, 7]), {a} <> ALL ('{{1,2,NULL}}'), ARRAY(SELECT generate_series(1, {b} % 4)) FROM {from}"
            ),
            format!(
                "SELECT string_to_array('a,b,' || {a}, ','), array_to_string(ARRAY[{a}, NULL, {b}], '-', '?') FROM {from}"
            ),
        ];
        shapes[self.choices.pick(shapes.len())].clone()
    }

    fn lateral(&mut self) -> String {
        let (outer, first) = self.table(200.0);
        let (inner, second) = self.table(200.0);
        let is_int = |column: &Column| column.kind == Kind::Int;
        let (a, b) = (self.column_of(&first, is_int).text, self.column_of(&second, is_int).text);
        let c = self.column_of(&second, is_int).text;
        let compare = self.choices.one(&["=", "<", ">=", "<>"]);
        let kind = self.choices.one(&["CROSS JOIN", "LEFT JOIN", "JOIN"]);
        let on = if kind == "CROSS JOIN" { "" } else { " ON true" };
        let subqueries = [
            format!("SELECT count(*) AS x, max({c}) AS y FROM {inner} WHERE {b} {compare} {a}"),
            format!("SELECT {b} AS x, {c} AS y FROM {inner} WHERE {b} {compare} {a} ORDER BY {b}, {c} LIMIT 2"),
            format!("SELECT {a} + 1 AS x, {a} AS y"),
            format!("SELECT DISTINCT {b} AS x, {a} AS y FROM {inner} WHERE {b} {compare} {a}"),
            format!("SELECT {b} AS x, sum({c}) AS y FROM {inner} WHERE {b} {compare} {a} GROUP BY {b}"),
            format!("SELECT g AS x, g * {a} AS y FROM generate_series(1, {a} % 3) AS g"),
            format!("SELECT {b} AS x, {c} AS y FROM {inner} WHERE {b} = {a} UNION ALL SELECT {a}, 0"),
        ];
        let subquery = &subqueries[self.choices.pick(subqueries.len())];
        format!("SELECT {a} AS a, l.x, l.y FROM {outer} {kind} LATERAL ({subquery}) AS l{on}")
    }

    fn recursive(&mut self) -> String {
        let (from, source) = self.table(50.0);
        let is_int = |column: &Column| column.kind == Kind::Int;
        let (a, b) = (self.column_of(&source, is_int).text, self.column_of(&source, is_int).text);
        let all = self.choices.one(&["UNION", "UNION ALL"]);
        let depth = 2 + self.choices.pick(4);
        let shapes = [
            format!(
                "WITH RECURSIVE r(n, d) AS (SELECT {a}, 0 FROM {from} {all} SELECT n + 1, d + 1 FROM r WHERE d < {depth}) SELECT n, d FROM r"
            ),
            format!(
                "WITH RECURSIVE r(n, d) AS (SELECT 1, 0 UNION SELECT {b}, d + 1 FROM r JOIN {from} ON {a} = n WHERE d < {depth}) SELECT d, count(*), max(n) FROM r GROUP BY d"
            ),
            format!(
                "WITH RECURSIVE r(n) AS (VALUES (1), (NULL) {all} SELECT n * 2 FROM r WHERE n < 30) SELECT r.n, {a} FROM r LEFT JOIN {from} ON {a} = r.n"
            ),
            format!(
                "WITH RECURSIVE r(n, t) AS (SELECT 0, '' UNION ALL SELECT n + 1, t || n FROM r WHERE n < {depth}) SELECT * FROM r"
            ),
            format!(
                "SELECT {a}, (WITH RECURSIVE r(n) AS (SELECT {a} UNION SELECT n - 1 FROM r WHERE n > {a} - 3) SELECT sum(n) FROM r) FROM {from}"
            ),
        ];
        shapes[self.choices.pick(shapes.len())].clone()
    }

    fn ordered_set(&mut self) -> String {
        let (from, source) = self.table(5_000.0);
        self.scopes.push(vec![source.clone()]);
        let number = self.column_of(&source, |column| matches!(column.kind, Kind::Int | Kind::BigInt | Kind::Double));
        let any = self.column_of(&source, |column| !matches!(column.kind, Kind::Bool | Kind::Char | Kind::Varchar));
        let key = self.column_of(&source, |column| column.kind == Kind::Int).text;
        let fraction = self.choices.one(&["0.5", "0", "1", "0.25", "0.9", "NULL"]);
        let direction = self.choices.one(&["", " DESC"]);
        let filter = match self.choices.once_in(4) {
            true => format!(" FILTER (WHERE {})", self.condition(std::slice::from_ref(&source), 0)),
            false => String::new(),
        };
        self.scopes.pop();
        let (number, any) = (number.text, any.text);
        let calls = [
            format!("percentile_disc({fraction}) WITHIN GROUP (ORDER BY {any}{direction}){filter}"),
            format!("percentile_cont({fraction}) WITHIN GROUP (ORDER BY {number}{direction}){filter}"),
            format!("percentile_disc(ARRAY[0.1, {fraction}, 0.9]) WITHIN GROUP (ORDER BY {any}{direction}){filter}"),
            format!("mode() WITHIN GROUP (ORDER BY {any}{direction}){filter}"),
        ];
        let by = self.choices.one(&["", " GROUP BY {} % 3", " GROUP BY ROLLUP ({} % 3)"]).replace("{}", &key);
        let shown = if by.is_empty() { "1".to_owned() } else { format!("{key} % 3") };
        format!("SELECT {shown} AS k, {} AS v, count(*) FROM {from}{by}", calls[self.choices.pick(calls.len())])
    }

    fn zoned(&mut self) -> Statement {
        let (from, source) = self.table(100.0);
        let moment = self.column_of(&source, |column| matches!(column.kind, Kind::Timestamp | Kind::Date));
        let moment = match moment.column.kind {
            Kind::Timestamp => moment.text,
            Kind::Date => format!("cast({} as timestamp)", moment.text),
            _ => format!("(timestamp '2020-03-28 22:00' + {} * interval '30 minutes')", moment.text),
        };
        let (zone, other) = (self.choices.one(&ZONES), self.choices.one(&ZONES));
        let instant = format!("timestamptz '{}'", self.choices.one(&INSTANTS));
        let shapes = [
            format!("SELECT {moment} AT TIME ZONE '{other}', {instant} AT TIME ZONE '{other}' FROM {from}"),
            format!(
                "SELECT cast({moment} as timestamptz), cast({instant} as date), cast({instant} as timestamp) FROM {from}"
            ),
            format!(
                "SELECT date_trunc('day', cast({moment} as timestamptz)), extract(hour FROM {instant}) FROM {from}"
            ),
            format!(
                "SELECT {instant} + interval '1 day', {instant} - interval '1 month 3 hours', cast({moment} as timestamptz) + interval '1 day' FROM {from}"
            ),
            format!("SELECT count(*) FROM {from} WHERE cast({moment} as timestamptz) < {instant}"),
            format!(
                "SELECT {instant} - timestamptz '2020-01-01 00:00Z', extract(epoch FROM cast({moment} as timestamptz)) FROM {from}"
            ),
            format!(
                "SELECT to_char({instant}, 'YYYY-MM-DD HH24:MI:SS OF'), date_trunc('month', {instant}), cast({instant} as text) FROM {from}"
            ),
            format!(
                "SELECT g FROM generate_series({instant}, {instant} + interval '3 days', interval '12 hours') AS g"
            ),
        ];
        let sql = shapes[self.choices.pick(shapes.len())].clone();
        let before = vec![format!("SET TIME ZONE '{zone}'")];
        Statement { before, after: vec!["SET TIME ZONE 'UTC'".to_owned()], ..Statement::of(sql) }
    }

    fn two_levels(&mut self) -> String {
        let tables: Vec<(String, Source)> = (0..4).map(|_| self.table(60.0)).collect();
        let is_int = |column: &Column| column.kind == Kind::Int;
        let ints: Vec<[String; 2]> = tables
            .iter()
            .map(|(_, source)| [self.column_of(source, is_int).text, self.column_of(source, is_int).text])
            .collect();
        let pairs = [&ints[0], &ints[1], &ints[2], &ints[3]].map(|pair| [&pair[0], &pair[1]]);
        let [[a, a2], [b, b2], [c, c2], [d, d2]] = pairs;
        let compare = |writer: &mut Self| writer.choices.one(&["<>", "=", "<", "<=", ">", ">="]);
        let (first, second, third) = (compare(self), compare(self), compare(self));
        let (outer, middle, inner, innermost) = (&tables[0].0, &tables[1].0, &tables[2].0, &tables[3].0);
        let not = self.choices.one(&["", "NOT "]);
        let third_level = [
            format!("{c} {third} ALL (SELECT {d} FROM {innermost} WHERE {d2} {first} {a})"),
            format!("{not}EXISTS (SELECT 1 FROM {innermost} WHERE {d} {second} {c} AND {d2} {third} {a2})"),
            format!("{c2} {not}IN (SELECT {d} FROM {innermost} WHERE {d2} {first} {b})"),
        ];
        let third_level = &third_level[self.choices.pick(third_level.len())];
        let innermost = [
            format!("EXISTS (SELECT 1 FROM {inner} WHERE {c} {first} {b} AND {third_level})"),
            format!("{b2} {second} ANY (SELECT {c} FROM {inner} WHERE {c2} <> {b} AND {third_level})"),
            format!("{not}EXISTS (SELECT 1 FROM {inner} WHERE {c} {first} {a} AND {c2} {second} {b})"),
            format!("{b2} {not}IN (SELECT {c} FROM {inner} WHERE {c2} {first} {a})"),
            format!("{b2} {first} ANY (SELECT {c} FROM {inner} WHERE {c2} {second} {b} AND {a} > 2)"),
            format!("{b2} {first} ALL (SELECT {c} FROM {inner} WHERE {c2} {second} {a2})"),
            format!("{b2} {first} (SELECT max({c}) FROM {inner} WHERE {c2} {second} {a2})"),
        ];
        let innermost = &innermost[self.choices.pick(innermost.len())];
        let other = self.choices.one(&["", "NOT "]);
        let middles = [
            format!("{other}EXISTS (SELECT 1 FROM {middle} WHERE {b} {third} {a} AND {innermost})"),
            format!("{a2} {other}IN (SELECT {b} FROM {middle} WHERE {innermost})"),
            format!("{a2} {third} ANY (SELECT {b} FROM {middle} WHERE {innermost})"),
            format!("{a2} {third} ALL (SELECT {b} FROM {middle} WHERE {innermost})"),
            format!("(SELECT count(*) FROM {middle} WHERE {b} {third} {a} AND {innermost}) > 1"),
        ];
        let middle = &middles[self.choices.pick(middles.len())];
        // NULL shows where it is what is selected.
        match self.choices.once_in(3) {
            true => format!("SELECT {a}, {a2}, {middle} AS x FROM {outer}"),
            false => format!("SELECT {a}, {a2} FROM {outer} WHERE {middle}"),
        }
    }

    fn prepared(&mut self) -> Statement {
        let (from, source) = self.table(1_000.0);
        let name = self.alias();
        let any = self.column_of(&source, |column| !matches!(column.kind, Kind::Bool));
        let int = self.column_of(&source, |column| column.kind == Kind::Int);
        let (x, a) = (&any.text, &int.text);
        let kind = any.column.kind.name();
        let shapes = [
            format!("SELECT {x} FROM {from} WHERE {x} = $1 OR {a} < $2"),
            format!("SELECT {x}, coalesce({x}, $1) AS d FROM {from} WHERE {a} <> $2"),
            format!("SELECT $1 AS k, {a} % 3 AS m, count(*) FROM {from} WHERE {a} > $2 GROUP BY ROLLUP ($1, {a} % 3)"),
            format!("SELECT count(*), $2 + 1 AS n FROM {from} WHERE {x} BETWEEN $1 AND $1 GROUP BY CUBE (2)"),
            format!("SELECT {a} FROM {from} WHERE {x} IS DISTINCT FROM $1 ORDER BY {a}, {x} LIMIT $2"),
            format!("SELECT {x} IN ($1, NULL), {a} = ANY (ARRAY[$2, 4]) FROM {from}"),
            format!("SELECT CASE WHEN {x} < $1 THEN $2 ELSE {a} END FROM {from}"),
        ];
        let shape = self.choices.pick(shapes.len());
        let query = &shapes[shape];
        // A type that is inferred has no digits and lengths; nothing says one of what is only shown.
        let kind = if shape != 2 && self.choices.once_in(2) { "unknown" } else { kind };
        let literal = self.literal(&any.column);
        let values = [
            match any.column.kind {
                // More digits than the column has.
                Kind::Numeric => {
                    let more = ["", " + 0.005", " - 0.0049", " + 0.000", " * 1.15"];
                    format!("{literal}{}", self.choices.one(&more))
                }
                _ => literal,
            },
            if self.choices.once_in(5) { "NULL".to_owned() } else { self.choices.pick(20).to_string() },
        ];
        let first = if self.choices.once_in(6) { "NULL" } else { &values[0] };
        Statement {
            before: vec![format!("PREPARE {name} ({kind}, int) AS {query}")],
            after: vec![format!("DEALLOCATE {name}")],
            ..Statement::of(format!("EXECUTE {name} ({first}, {})", values[1]))
        }
    }
}
