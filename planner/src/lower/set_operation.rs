//! UNION, INTERSECT and EXCEPT, by groups and counts. NULLs are equal here, as everywhere in set operations.

use super::{Lowerer, Rows};
use crate::error::Result;
use crate::function::Function;
use crate::multiloop::{Aggregate, CollectionId, Generator, KeyPart, Let, Reduction, Scalar, ScalarId, Shape, Source};
use crate::relation::{ColumnId, Relation, SetKind};
use crate::types::{DataType, Field};
use std::sync::Arc;

/// The values of a row, and the key that finds an equal one.
type RowAndKey = (Vec<(ColumnId, ScalarId)>, Vec<KeyPart>);

/// An input of a set operation and the columns that it gives.
type Input = (Arc<Relation>, Vec<ColumnId>);

impl Lowerer<'_> {
    pub(super) fn set_operation(
        &mut self,
        kind: SetKind,
        all: bool,
        columns: &[ColumnId],
        left: &Input,
        right: &Input,
    ) -> Result<Rows> {
        let left = self.arranged(left, columns)?;
        let right = self.arranged(right, columns)?;
        match (kind, all) {
            (SetKind::Union, all) => {
                let rows = self.concat(&left, &right);
                if all { Ok(rows) } else { self.distinct(&rows) }
            }
            (kind, false) => self.present(kind, columns, &left, &right),
            (kind, true) => self.counted(kind, columns, &left, &right),
        }
    }

    /// An input as a collection whose fields are `columns`, in order.
    fn arranged(&mut self, (relation, theirs): &Input, columns: &[ColumnId]) -> Result<Rows> {
        let rows = self.relation(relation)?;
        let index = self.open_rows(&rows);
        let values: Result<Vec<_>> =
            columns.iter().zip(theirs).map(|(&ours, &theirs)| Ok((ours, self.column(theirs)?))).collect();
        self.close(1);
        Ok(self.add_collect(vec![index], Vec::new(), &values?))
    }

    fn concat(&mut self, left: &Rows, right: &Rows) -> Rows {
        let fields: Vec<Field> = {
            let (a, b) = (self.program.collection(left.collection), self.program.collection(right.collection));
            let both = a.fields.iter().zip(&b.fields);
            both.map(|(a, b)| Field { nullable: a.nullable || b.nullable, ..a.clone() }).collect()
        };
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Concat { define, inputs: vec![left.collection, right.collection] });
        Rows { collection: define, columns: left.columns.clone() }
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
    fn counted(&mut self, kind: SetKind, columns: &[ColumnId], left: &Rows, right: &Rows) -> Result<Rows> {
        let (left_groups, count) = self.counts(left)?;
        let (right_groups, _) = self.counts(right)?;
        let groups = Rows::in_order(left_groups, columns.iter().copied());
        let index = self.open_rows(&groups);
        let (values, key) = self.row_and_key(&groups)?;
        let on_left = self.program.scalars.column(index.id, count, DataType::BigInt);
        let lookup = Scalar::Lookup { collection: right_groups, key, field: count };
        let on_right = self.program.scalars.intern(lookup, DataType::BigInt);
        let function = if kind == SetKind::Except { Function::Subtract } else { Function::Least };
        let copies = self.program.scalars.call(function, vec![on_left, on_right], DataType::BigInt);
        let repeat = self.open(Source::Count(copies), &[]);
        self.close(2);
        Ok(self.add_collect(vec![index, repeat], Vec::new(), &values))
    }

    /// How often each row is there, and at which field.
    fn counts(&mut self, rows: &Rows) -> Result<(CollectionId, u32)> {
        let index = self.open_rows(rows);
        let values = self.values(&rows.columns)?;
        self.close(1);
        let mut fields = self.fields(&values);
        fields.push(Field::new("count", DataType::BigInt, false));
        let key: Vec<ScalarId> = values.iter().map(|(_, value)| *value).collect();
        let keys = key.len() as u32;
        let aggregates = vec![Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt)];
        let generator = Generator::BucketReduce { condition: Vec::new(), key, aggregates };
        Ok((self.add_loop(vec![index], generator, fields, Shape::Groups { keys }), keys))
    }

    /// The columns of the open row, and the key that finds an equal row.
    fn row_and_key(&self, rows: &Rows) -> Result<RowAndKey> {
        let values = self.values(&rows.columns)?;
        let key = values.iter().map(|&(_, scalar)| KeyPart { scalar, null_matches: true }).collect();
        Ok((values, key))
    }
}
