//! Changes of tables within a transaction that a statement is run in: it reads what they have left, and the tables are afterwards as
//! they were.

use super::data::{Column, Source};
use super::query::Statement;
use super::writer::Writer;

/// Once in so many statements tables are changed.
const ONCE_IN: usize = 6;
/// Rows of large tables that one UPDATE changes: PostgreSQL has indexes to keep.
const ROWS_MAX: usize = 2_000;

impl Writer<'_> {
    /// Perhaps some changes of tables before a statement that needs nothing else before it.
    pub(crate) fn change_tables(&mut self, statement: &mut Statement) {
        if !self.choices.once_in(ONCE_IN) || !statement.before.is_empty() {
            return;
        }
        self.choices.enter("changes");
        statement.before.push("BEGIN".to_owned());
        for number in 0..=self.choices.pick(3) {
            self.choices.enter("change");
            let changes = match self.choices.weighted(&[6, 2, 2, 2, 1, 1, 2]) {
                0 => vec![self.change()],
                1 => vec![self.merge()],
                2 => vec![self.change_with()],
                3 => self.change_view(number),
                4 => vec![self.alteration(number)],
                5 => self.drawn_rows(number),
                _ => self.routine(number),
            };
            statement.before.extend(changes);
            self.choices.leave();
        }
        statement.after.push("ROLLBACK".to_owned());
        self.choices.leave();
    }

    fn change(&mut self) -> String {
        let table = self.schema.tables[self.choices.pick(self.schema.tables.len())].clone();
        let name = &table.name;
        match self.choices.weighted(&[4, 3, 1]) {
            0 => {
                let set = self.assignments(&table);
                format!("UPDATE {name} SET {set} WHERE {}", self.changed_rows(&table, true))
            }
            1 => format!("DELETE FROM {name} WHERE {}", self.changed_rows(&table, false)),
            _ => format!("INSERT INTO {name} SELECT * FROM {name} WHERE {}", self.changed_rows(&table, true)),
        }
    }

    /// A table of the schema.
    fn any_table(&mut self) -> Source {
        self.schema.tables[self.choices.pick(self.schema.tables.len())].clone()
    }

    /// MERGE of a table, by its first column, of rows that another has: one for each key.
    fn merge(&mut self) -> String {
        let (table, other) = (self.any_table(), self.any_table());
        let rows = self.changed_rows(&other, true);
        let mut whens = Vec::new();
        for _ in 0..=self.choices.pick(3) {
            let condition = match self.choices.pick(3) {
                0 => " AND s.v % 2 = 0".to_owned(),
                1 => format!(" AND s.k > {}", self.choices.pick(9)),
                _ => " AND s.v IS NOT NULL".to_owned(),
            };
            let set = self.assignments(&table);
            let value = self.literal(&table.columns[3]);
            whens.push(match self.choices.weighted(&[3, 1, 1, 3]) {
                0 => format!("WHEN MATCHED{condition} THEN UPDATE SET {set}"),
                1 => format!("WHEN MATCHED{condition} THEN DELETE"),
                2 => format!("WHEN MATCHED{condition} THEN DO NOTHING"),
                _ => {
                    let columns = format!("c0, c1, {}", table.columns[3].name);
                    format!("WHEN NOT MATCHED{condition} THEN INSERT ({columns}) VALUES (s.k, s.v, {value})")
                }
            });
        }
        if self.choices.once_in(2) {
            whens.push("WHEN MATCHED THEN UPDATE SET c1 = s.v".to_owned());
        }
        format!(
            "MERGE INTO {} USING (SELECT c1 AS k, min(c2) AS v FROM {} WHERE {rows} GROUP BY c1) s ON {}.c0 = s.k {}",
            table.name,
            other.name,
            table.name,
            whens.join(" ")
        )
    }

    /// A WITH that changes a table before another one. Two changes of one row come in an order that is PostgreSQL's affair, so the
    /// tables differ, or rows move.
    fn change_with(&mut self) -> String {
        let first = self.choices.pick(self.schema.tables.len());
        let second = (first + 1 + self.choices.pick(self.schema.tables.len() - 1)) % self.schema.tables.len();
        let (first, second) = (self.schema.tables[first].clone(), self.schema.tables[second].clone());
        let (from, to) = (&first.name, &second.name);
        let rows = self.changed_rows(&first, true);
        match self.choices.pick(5) {
            0 => {
                format!("WITH d AS (DELETE FROM {from} WHERE {rows} RETURNING *) INSERT INTO {from} SELECT * FROM d")
            }
            1 => format!(
                "WITH d AS (DELETE FROM {from} WHERE {rows} RETURNING c0, c1) INSERT INTO {to} (c0, c1) SELECT c0, c1 FROM d"
            ),
            2 => {
                let set = self.assignments(&first);
                format!(
                    "WITH u AS (UPDATE {from} SET {set} WHERE {rows} RETURNING c0, c1) \
                     DELETE FROM {to} WHERE c0 IN (SELECT c0 FROM u)"
                )
            }
            3 => {
                let set = self.assignments(&second);
                format!(
                    "WITH i AS (INSERT INTO {from} SELECT * FROM {from} WHERE {rows} RETURNING c0), \
                     n AS (SELECT count(*) AS n FROM i) UPDATE {to} SET {set} FROM n WHERE n.n > 2 AND c0 % 5 = 0"
                )
            }
            _ => {
                format!("WITH d AS (DELETE FROM {from} WHERE {rows}) INSERT INTO {to} (c0) SELECT count(*) FROM {from}")
            }
        }
    }

    /// A view over a table, and a change through it.
    fn change_view(&mut self, number: usize) -> Vec<String> {
        let table = self.any_table();
        let view = format!("v{number}");
        let shown = self.changed_rows(&table, false);
        let check = self.choices.one(&["", "", " WITH CHECK OPTION", " WITH LOCAL CHECK OPTION"]);
        let made = format!("CREATE VIEW {view} AS SELECT * FROM {} WHERE {shown}{check}", table.name);
        let through = Source { name: view.clone(), ..table };
        let rows = self.changed_rows(&through, true);
        let change = match self.choices.pick(3) {
            0 => format!("UPDATE {view} SET {} WHERE {rows}", self.assignments(&through)),
            1 => format!("DELETE FROM {view} WHERE {rows}"),
            _ => format!("INSERT INTO {view} SELECT * FROM {view} WHERE {rows}"),
        };
        vec![made, change]
    }

    /// ALTER TABLE.
    fn alteration(&mut self, number: usize) -> String {
        let table = self.any_table();
        let (name, default) = (&table.name, self.choices.pick(9));
        match self.choices.pick(4) {
            0 => format!("ALTER TABLE {name} ADD COLUMN added{number} integer DEFAULT {default}"),
            1 => format!("ALTER TABLE {name} ADD COLUMN added{number} text"),
            2 => format!("ALTER TABLE {name} ALTER COLUMN c1 SET DEFAULT {default}"),
            _ => format!("ALTER TABLE {name} ADD CHECK (c0 IS NULL OR c0 > -{default} - 1)"),
        }
    }

    /// Rows whose first column is drawn from a sequence.
    fn drawn_rows(&mut self, number: usize) -> Vec<String> {
        let table = self.any_table();
        let (start, step) = (self.choices.pick(50), 1 + self.choices.pick(7));
        let count = 1 + self.choices.pick(30);
        vec![
            format!("CREATE SEQUENCE q{number} START {} INCREMENT {step}", start + 1),
            format!(
                "INSERT INTO {} (c0, c1) SELECT nextval('q{number}'), {start} FROM generate_series(1, {count})",
                table.name
            ),
        ]
    }

    /// A function, or a procedure, that changes tables, and calls of it. What it gives comes to a table by way of another one: what a
    /// statement has inserted so far, functions that it calls see in PostgreSQL alone. PostgreSQL's tables are temporary, and functions
    /// of that schema are found by its name alone.
    fn routine(&mut self, number: usize) -> Vec<String> {
        let (table, target) = (self.any_table(), self.any_table());
        let mut steps: Vec<String> = (0..=self.choices.pick(2)).map(|_| self.change()).collect();
        let column = &table.columns[1].name;
        steps.push(match self.choices.pick(3) {
            0 => format!("UPDATE {} SET {column} = {column} WHERE c0 % 4 = a % 4", table.name),
            1 => format!("DELETE FROM {} WHERE c0 = a", table.name),
            _ => format!("INSERT INTO {} (c0) VALUES (a)", table.name),
        });
        let standard = self.choices.once_in(3);
        let is_procedure = self.choices.once_in(3);
        if !is_procedure {
            steps.push(format!("SELECT count(*) FROM {} WHERE c0 >= a", table.name));
        }
        let steps = steps.join("; ");
        let body = match standard {
            true => format!("BEGIN ATOMIC {steps}; END"),
            false => format!("LANGUAGE SQL AS $body$ {steps} $body$"),
        };
        let (first, count) = (self.choices.pick(20), self.choices.pick(3));
        if is_procedure {
            return vec![
                format!("CREATE PROCEDURE pg_temp.p{number}(a integer) {body}"),
                format!("CALL pg_temp.p{number}({first})"),
                format!("CALL pg_temp.p{number}(a => {count})"),
            ];
        }
        let last = first + count;
        vec![
            format!("CREATE FUNCTION pg_temp.f{number}(a integer) RETURNS bigint {body}"),
            format!(
                "CREATE TABLE r{number} AS SELECT x, pg_temp.f{number}(x) AS y FROM generate_series({first}, {last}) x"
            ),
            format!("INSERT INTO {} (c0, c1) SELECT x, y FROM r{number}", target.name),
        ]
    }

    /// Values of one column, or two, that values of other columns are joined with.
    fn assignments(&mut self, table: &Source) -> String {
        let first = self.choices.pick(table.columns.len());
        let second = self.choices.pick(table.columns.len());
        let mut set = vec![self.assignment(table, &table.columns[first])];
        if second != first && self.choices.once_in(2) {
            set.push(self.assignment(table, &table.columns[second]));
        }
        set.join(", ")
    }

    fn assignment(&mut self, table: &Source, column: &Column) -> String {
        let alike: Vec<&Column> = table.columns.iter().filter(|other| other.kind == column.kind).collect();
        let value = match self.choices.weighted(&[3, 2, 3, 1]) {
            0 => column.kind.value(&format!("(c0 % 97 + {})", self.choices.pick(5))),
            1 => alike[self.choices.pick(alike.len())].name.clone(),
            2 => self.literal(column),
            _ => "NULL".to_owned(),
        };
        format!("{} = {value}", column.name)
    }

    /// Which rows are changed; of large tables `few`.
    fn changed_rows(&mut self, table: &Source, few: bool) -> String {
        let any = self.choices.pick(table.columns.len());
        let any = &table.columns[any];
        let rest = self.choices.pick(3);
        let other = self.choices.pick(self.schema.tables.len());
        let other = self.schema.tables[other].name.clone();
        let least = self.choices.pick((table.rows as usize).max(1));
        let condition = match self.choices.weighted(&[3, 2, 2, 1, 1]) {
            0 => format!("c0 % 3 = {rest}"),
            1 => format!("c0 >= {least}"),
            2 => format!("{} = {}", any.name, self.literal(any)),
            3 => format!("{} IS NULL", any.name),
            _ => format!("c0 IN (SELECT c1 FROM {other} WHERE c0 > 2)"),
        };
        match few && self.is_large() {
            true => format!("{condition} AND c0 BETWEEN {least} AND {}", least + ROWS_MAX),
            false => condition,
        }
    }
}
