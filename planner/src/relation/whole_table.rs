//! Recognises queries that show a whole table as it is, so that CREATE TABLE AS and INSERT can take its columns over.
//!
//! Files are read into tables, so what CREATE TABLE AS and INSERT take from a file as it is becomes the table itself
//! (`Source` in `engine/src/statement/mod.rs`): a second one would only cost memory and time.

use super::{ExpressionKind, Query, Relation};
use crate::catalog::TableHandle;

impl Query {
    /// The table all rows of which this query shows, unchanged and in order, and for each column shown its position in that
    /// table: each is shown once, in any order and under any name. None if the query does more, or shows less.
    pub fn whole_table(&self) -> Option<(TableHandle, Vec<usize>)> {
        let mut shown: Vec<_> = self.output.iter().map(|(_, column)| *column).collect();
        let mut relation = &self.relation;
        while let Relation::Project { input, columns } = &**relation {
            for column in &mut shown {
                let (_, value) = columns.iter().find(|(made, _)| made == column)?;
                let ExpressionKind::Column(from) = &value.kind else { return None };
                *column = *from;
            }
            relation = input;
        }
        let Relation::Scan { table, columns } = &**relation else { return None };
        let position = |shown| columns.iter().find(|(_, column)| column == shown).map(|(position, _)| *position);
        let positions = shown.iter().map(position).collect::<Option<Vec<usize>>>()?;
        let is_once = |position| positions.iter().filter(|shown| **shown == position).count() == 1;
        let all = table.0.fields.len();
        (positions.len() == all && (0..all).all(is_once)).then_some((table.0.handle, positions))
    }
}
