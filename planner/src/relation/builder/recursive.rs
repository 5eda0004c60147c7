//! Recursive queries: a seed, and a step that scans the rows of the round before it.

use super::{Builder, FromItem, Rows, unify_types};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, CteId, Relation, SetKind};
use crate::types::DataType;
use std::sync::Arc;

/// A recursion of which the seed is known.
#[derive(Clone, Debug)]
pub struct Recursion {
    cte: CteId,
    /// The columns of a round.
    columns: Vec<(String, ColumnId)>,
    seed: (Arc<Relation>, Vec<ColumnId>),
    all: bool,
}

impl Recursion {
    /// The types of its columns.
    pub fn types(&self, builder: &Builder<'_>) -> Vec<DataType> {
        self.columns.iter().map(|(_, id)| builder.columns.get(*id).data_type).collect()
    }
}

impl Builder<'_> {
    /// A recursion from these rows, under the names that they have; `all` keeps rows that have been there.
    pub fn recursion(&mut self, seed: Rows, all: bool) -> Result<Recursion> {
        // What is computed of a decimal has more digits from round to round.
        let types: Vec<DataType> = self.output_types(&seed).into_iter().map(rounded_type).collect();
        let names: Vec<String> = seed.1.iter().map(|(name, _)| name.clone()).collect();
        let seed = self.cast_rows(seed, &types, !all)?;
        let columns = names.into_iter().zip(&types);
        let columns = columns.map(|(name, data_type)| (name.clone(), self.columns.add(name, *data_type, true)));
        let columns = columns.collect();
        let cte = self.next_shared();
        Ok(Recursion { cte, columns, seed, all })
    }

    /// The rows of the round before, under new ids.
    pub fn scan_round(&mut self, recursion: &Recursion, name: String) -> FromItem {
        let (mut scanned, mut visible) = (Vec::new(), Vec::new());
        for (column_name, round) in &recursion.columns {
            let column = self.columns.add(column_name.clone(), self.columns.get(*round).data_type, true);
            scanned.push((*round, column));
            visible.push((column_name.clone(), column));
        }
        let relation = Arc::new(Relation::CteScan { cte: recursion.cte, columns: scanned });
        FromItem::table((relation, visible), name)
    }

    /// The rows of all rounds; `name` is what the step calls those of one.
    ///
    /// # Errors
    /// 42601 for a step of more columns or fewer, 42804 for one whose types the seed's do not take.
    pub fn finish_recursion(
        &mut self,
        recursion: Recursion,
        step: Rows,
        name: &str,
        position: Option<Position>,
    ) -> Result<Rows> {
        let types = recursion.types(self);
        let Recursion { cte, columns, seed, all } = recursion;
        if step.1.len() != types.len() {
            let message = "each UNION query must have the same number of columns";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        for (number, (data_type, of_step)) in types.iter().zip(self.output_types(&step)).enumerate() {
            let both = [*data_type, rounded_type(of_step)];
            let overall = unify_types(&both, "UNION").map_err(|error| error.at(position))?;
            if overall != *data_type {
                let message = format!(
                    "recursive query \"{name}\" column {} has type {data_type} in non-recursive term but type {overall} overall",
                    number + 1
                );
                let hint = "Cast the output of the non-recursive term to the correct type.";
                return Err(Error::new(ErrorKind::TypeMismatch, message).with_hint(hint).at(position));
            }
        }
        let step = self.cast_rows(step, &types, !all)?;
        let ids = columns.iter().map(|(_, id)| *id).collect();
        Ok((Arc::new(Relation::Recursive { cte, columns: ids, all, seed, step, enough: None }), columns))
    }

    /// The rows of a union that turned out to be no recursion.
    pub fn without_recursion(&mut self, recursion: Recursion, step: Rows, position: Option<Position>) -> Result<Rows> {
        let Recursion { columns, seed: (relation, ids), all, .. } = recursion;
        let seed = (relation, columns.into_iter().zip(ids).map(|((name, _), id)| (name, id)).collect());
        let types = self.common_types(SetKind::Union, &seed, &step, position)?;
        self.set_operation(SetKind::Union, all, seed, step, &types)
    }
}

/// The type that goes round for one of the seed.
fn rounded_type(data_type: DataType) -> DataType {
    if data_type.is_decimal() { DataType::Numeric } else { data_type }
}
