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
        for _ in 0..=self.choices.pick(3) {
            self.choices.enter("change");
            let change = self.change();
            statement.before.push(change);
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
