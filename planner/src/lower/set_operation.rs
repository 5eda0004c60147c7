//! UNION, INTERSECT and EXCEPT, by groups and counts. NULLs are equal here, as everywhere in set operations.

use super::{Lowerer, Rows};
use crate::error::Result;
use crate::function::Function;
use crate::multiloop::{Aggregate, KeyPart, Let, Reduction, Scalar, ScalarId, Shape, Source};
use crate::relation::{ColumnId, Relation, SetKind};
use crate::types::{DataType, Field};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The values of a row, and the key that finds an equal one.
type RowAndKey = (Vec<(ColumnId, ScalarId)>, Vec<KeyPart>);

/// An input of a set operation and the columns that it gives.
type Input = (Arc<Relation>, Vec<ColumnId>);

/// The inputs of a chain of UNIONs, in order: of UNION ALL those of all UNION ALLs in it, of UNION those of either kind,
/// because what one leaves out the last leaves out as well.
fn united(left: &Input, right: &Input, all: bool) -> Vec<Input> {
    let (mut inputs, mut waiting) = (Vec::new(), vec![right.clone(), left.clone()]);
    while let Some((relation, theirs)) = waiting.pop() {
        match &*relation {
            Relation::SetOperation { kind: SetKind::Union, all: inner, columns, left, right } if *inner || !all => {
                let places: FxHashMap<ColumnId, usize> = columns.iter().copied().zip(0..).collect();
                let side = |(relation, columns): &Input| {
                    let theirs = theirs.iter().map(|column| columns[places[column]]);
                    (Arc::clone(relation), theirs.collect())
                };
                // DISTINCT rows of some columns are not the distinct rows of all.
                if !*inner && theirs.len() < columns.len() {
                    inputs.push((Arc::clone(&relation), theirs));
                    continue;
                }
                waiting.push(side(right));
                waiting.push(side(left));
            }
            _ => inputs.push((relation, theirs)),
        }
    }
    inputs
}

impl Lowerer<'_> {
    pub(super) fn set_operation(
        &mut self,
        kind: SetKind,
        all: bool,
        columns: &[ColumnId],
        left: &Input,
        right: &Input,
    ) -> Result<Rows> {
        if kind == SetKind::Union {
            let mut inputs = Vec::new();
            for input in united(left, right, all) {
                inputs.push(self.arranged(&input, columns)?);
            }
            let rows = self.concat(&inputs);
            return if all { Ok(rows) } else { self.distinct(&rows) };
        }
        let left = self.arranged(left, columns)?;
        let right = self.arranged(right, columns)?;
        match (kind, all) {
            (kind, false) => self.present(kind, columns, &left, &right),
            (kind, true) => self.counted(kind, &left, &right),
        }
    }

    /// An input as a collection whose fields are `columns`, in order.
    pub(super) fn arranged(&mut self, (relation, theirs): &Input, columns: &[ColumnId]) -> Result<Rows> {
        let rows = self.relation(relation)?;
        let index = self.open_rows(&rows);
        let values: Result<Vec<_>> =
            columns.iter().zip(theirs).map(|(&ours, &theirs)| Ok((ours, self.column(theirs)?))).collect();
        self.close(1);
        Ok(self.add_collect(vec![index], Vec::new(), &values?))
    }

    /// The rows of all inputs, of which there is one at least.
    fn concat(&mut self, inputs: &[Rows]) -> Rows {
        let mut fields: Vec<Field> = self.program.collection(inputs[0].collection).fields.clone();
        for input in &inputs[1..] {
            let more = &self.program.collection(input.collection).fields;
            fields.iter_mut().zip(more).for_each(|(field, more)| field.nullable |= more.nullable);
        }
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Concat { define, inputs: inputs.iter().map(|input| input.collection).collect() });
        Rows { collection: define, columns: inputs[0].columns.clone() }
    }

    /// INTERSECT, EXCEPT: the distinct left rows that are on the right, or are not.
    fn present(&mut self, kind: SetKind, columns: &[ColumnId], left: &Rows, right: &Rows) -> Result<Rows> {
        let left = self.distinct(left)?;
        let right = self.distinct(right)?;
        let index = self.open_rows(&left);
        let (values, key) = self.row_and_key(&left)?;
        self.close(1);
        let exists = Scalar::Exists { collection: right.collection, key };
        let mut found = self.program.scalars.intern(exists, DataType::Boolean);
        if kind == SetKind::Except {
            found = self.program.scalars.call(Function::Not, vec![found], DataType::Boolean);
        }
        let rows = self.add_collect(vec![index], vec![found], &values);
        Ok(Rows::in_order(rows.collection, columns.iter().copied()))
    }

    /// INTERSECT ALL, EXCEPT ALL: each row as often as the smaller count, or the difference of counts, says.
    fn counted(&mut self, kind: SetKind, left: &Rows, right: &Rows) -> Result<Rows> {
        let (groups, count) = self.counts(left)?;
        let (right_groups, on_right) = self.counts(right)?;
        let index = self.open_rows(&groups);
        let (values, key) = self.row_and_key(&groups)?;
        let on_left = self.program.scalars.column(index.id, count, DataType::BigInt);
        let lookup = Scalar::Lookup { collection: right_groups.collection, key, field: on_right };
        let on_right = self.program.scalars.intern(lookup, DataType::BigInt);
        let function = if kind == SetKind::Except { Function::Subtract } else { Function::Least };
        let copies = self.program.scalars.call(function, vec![on_left, on_right], DataType::BigInt);
        let repeat = self.open(Source::Count(copies), &[]);
        self.close(2);
        Ok(self.add_collect(vec![index, repeat], Vec::new(), &values))
    }

    /// How often each row is there, and at which field.
    fn counts(&mut self, rows: &Rows) -> Result<(Rows, u32)> {
        let count = Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt);
        let (groups, places) =
            self.groups_of_rows(rows, vec![(Field::new("count", DataType::BigInt, false), count)])?;
        Ok((groups, places[0]))
    }

    /// The columns of the open row, and the key that finds an equal row.
    fn row_and_key(&mut self, rows: &Rows) -> Result<RowAndKey> {
        let values = self.values(&rows.columns)?;
        let part = |&(_, scalar): &(ColumnId, ScalarId)| KeyPart { scalar: self.as_key(scalar), null_matches: true };
        let key = values.iter().map(part).collect();
        Ok((values, key))
    }
}
