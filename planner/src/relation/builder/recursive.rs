//! Recursive queries and iterations: a seed, and a step that scans the rows of the round before it.

use super::{Builder, Definition, FromItem, Rows, Shared, unify_types};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::multiloop::{Enough, RowBound};
use crate::relation::{ColumnId, CteId, Expression, Relation, SetKind};
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
        Ok((Arc::new(Relation::Recursive { cte, columns: ids, all, seed, step, enough: None, last: None }), columns))
    }

    /// The rows of a union that turned out to be no recursion.
    pub fn without_recursion(&mut self, recursion: Recursion, step: Rows, position: Option<Position>) -> Result<Rows> {
        let Recursion { columns, seed: (relation, ids), all, .. } = recursion;
        let seed = (relation, columns.into_iter().zip(ids).map(|((name, _), id)| (name, id)).collect());
        let types = self.common_types(SetKind::Union, &seed, &step, position)?;
        self.set_operation(SetKind::Union, all, seed, step, &types)
    }
}

/// A round of an iteration: the state behind it is shared by the result and by what says whether it was the last one.
#[derive(Debug)]
pub struct StateRound {
    recursion: Recursion,
    shared: Shared,
    definition: Definition,
}

impl StateRound {
    /// The state before the round.
    pub fn before(&self) -> &Recursion {
        &self.recursion
    }

    /// The state behind it.
    pub fn after(&self) -> &Shared {
        &self.shared
    }
}

impl Builder<'_> {
    /// A round of an iteration from the state of a recursion.
    ///
    /// # Errors
    /// 42601 for a step of more columns or fewer, 42804 for one whose types the state's do not take.
    pub fn state_round(&mut self, recursion: Recursion, step: Rows, position: Option<Position>) -> Result<StateRound> {
        let types = recursion.types(self);
        if step.1.len() != types.len() {
            let message = format!("the step of an iteration has {} columns, its state {}", step.1.len(), types.len());
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let of_step: Vec<DataType> = self.output_types(&step).into_iter().map(rounded_type).collect();
        for ((name, _), (data_type, of_step)) in recursion.columns.iter().zip(types.iter().zip(&of_step)) {
            let overall = unify_types(&[*data_type, *of_step], "ITERATE");
            if overall.is_ok_and(|overall| overall == *data_type) {
                continue;
            }
            let message =
                format!("column \"{name}\" of an iteration's state has type {data_type}, of its step {of_step}");
            let hint = "Cast the output of one of them to the other's type.";
            return Err(Error::new(ErrorKind::TypeMismatch, message).with_hint(hint).at(position));
        }
        let (relation, ids) = self.cast_rows(step, &types, false)?;
        let columns = recursion.columns.iter().zip(ids).map(|((name, _), id)| (name.clone(), id)).collect();
        let (shared, definition) = self.share((relation, columns), false);
        Ok(StateRound { recursion, shared, definition })
    }

    /// The state behind the last round: that after which there are rows of `until`, or that behind so many rounds. Without
    /// rows it is the last one, too.
    pub fn iterate(&mut self, round: StateRound, until: Option<Rows>, times: RowBound) -> Rows {
        let StateRound { recursion, shared, definition } = round;
        let Recursion { cte, columns, seed: (mut seed, mut of_seed), .. } = recursion;
        let scanned = self.scan_shared(&shared, String::new());
        let mut body = scanned.relation;
        let mut of_step: Vec<ColumnId> = Vec::with_capacity(columns.len() + 1);
        if let Relation::CteScan { columns, .. } = &*body {
            of_step.extend(columns.iter().map(|(_, here)| *here));
        }
        let mut enough = None;
        if let Some(until) = until {
            let ends = self.exists(until, None);
            let kept = |ids: &[ColumnId], builder: &Self| {
                let mut kept: Vec<(ColumnId, Expression)> = Vec::with_capacity(ids.len() + 1);
                for &id in ids {
                    if kept.iter().all(|(known, _)| *known != id) {
                        kept.push((id, builder.columns.reference(id)));
                    }
                }
                kept
            };
            let (first, last) =
                (self.columns.add("ends", DataType::Boolean, true), self.columns.add("ends", DataType::Boolean, true));
            let mut made = kept(&of_seed, self);
            made.push((first, Expression::boolean(false)));
            seed = Arc::new(Relation::Project { input: seed, columns: made });
            of_seed.push(first);
            let mut made = kept(&of_step, self);
            made.push((last, ends));
            body = Arc::new(Relation::Project { input: body, columns: made });
            of_step.push(last);
            let field = Some(columns.len() as u32);
            enough = Some(Enough { limit: RowBound::Rows(1), offset: RowBound::Rows(0), field });
        }
        let step = (self.attach(vec![definition], body), of_step);
        let mut ids: Vec<ColumnId> = columns.iter().map(|(_, id)| *id).collect();
        if enough.is_some() {
            ids.push(self.columns.add("ends", DataType::Boolean, true));
        }
        let seed = (seed, of_seed);
        let relation = Relation::Recursive { cte, columns: ids, all: true, seed, step, enough, last: Some(times) };
        (Arc::new(relation), columns)
    }
}

/// The type that goes round for one of the seed.
fn rounded_type(data_type: DataType) -> DataType {
    if data_type.is_decimal() { DataType::Numeric } else { data_type }
}
