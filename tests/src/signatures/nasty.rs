//! The tables whose columns are arguments: `nasty`, with three columns of each type, and `nothing`, in which all of them are NULL.

use super::shapes::Shape;
use super::values::{Random, TYPES, literal};

/// Rows of `nasty`.
pub(super) const ROWS: usize = 40;

/// Columns of each type.
const PLACES: usize = 3;

/// The values of `nasty`, by type, column and row.
#[derive(Debug)]
pub(super) struct Nasty(Vec<[Vec<Option<&'static str>>; PLACES]>);

impl Nasty {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut column = |values: &'static [&'static str]| -> Vec<Option<&'static str>> {
            let mut column: Vec<_> = (0..ROWS).map(|row| values.get(row).copied()).collect();
            for value in column.iter_mut().skip(values.len()) {
                *value = (random.below(6) > 0).then(|| *random.one(values));
            }
            for row in (1..ROWS).rev() {
                column.swap(row, random.below(row + 1));
            }
            column
        };
        Self(TYPES.iter().map(|of| std::array::from_fn(|_| column(of.values))).collect())
    }

    /// The name of a column for an argument in a place.
    pub(super) fn column(of: usize, place: usize) -> String {
        format!("c{of}_{}", place % PLACES)
    }

    /// The value of that column in a row.
    pub(super) fn value(&self, of: usize, place: usize, row: usize) -> Option<&'static str> {
        self.0[of][place % PLACES][row]
    }

    /// Statements that make the tables.
    pub(super) fn tables(&self) -> Vec<String> {
        let names: Vec<(usize, usize)> =
            (0..TYPES.len()).flat_map(|of| (0..PLACES).map(move |place| (of, place))).collect();
        let columns: Vec<String> =
            names.iter().map(|(of, place)| format!("{} {}", Self::column(*of, *place), TYPES[*of].sql)).collect();
        let columns = columns.join(", ");
        let rows: Vec<String> = (0..ROWS)
            .map(|row| {
                let cells = names.iter().map(|(of, place)| literal(*of, self.value(*of, *place, row)));
                format!("({row}, {})", cells.collect::<Vec<_>>().join(", "))
            })
            .collect();
        vec![
            "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')".to_owned(),
            format!("CREATE TABLE nasty (id integer, {columns})"),
            format!("INSERT INTO nasty VALUES {}", rows.join(", ")),
            format!("CREATE TABLE nothing (id integer, {columns})"),
            "INSERT INTO nothing (id) VALUES (0), (1), (2)".to_owned(),
        ]
    }

    /// A statement that makes `few`, a table of what a call needs of some rows.
    pub(super) fn copy(&self, shape: &Shape, ids: &str) -> String {
        let mut columns: Vec<String> =
            shape.types.iter().enumerate().map(|(place, of)| Self::column(*of, place)).collect();
        columns.sort();
        columns.dedup();
        format!("CREATE TABLE few AS SELECT id, {} FROM nasty WHERE id IN ({ids})", columns.join(", "))
    }
}
