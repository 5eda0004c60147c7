//! Operators of one input, tables, literal rows and CTEs.

use super::{Lowerer, Rows};
use crate::catalog::TableInfo;
use crate::error::{Error, Result};
use crate::multiloop::{Aggregate, CollectionId, Generator, Let, Reduction, Shape, Source};
use crate::relation::{ColumnId, Expression, Relation, ScanTable};
use crate::types::{DataType, Field};
use std::sync::Arc;

impl Lowerer<'_> {
    /// The rows of a relation.
    pub(super) fn relation(&mut self, relation: &Relation) -> Result<Rows> {
        match relation {
            Relation::Scan { table, columns } => Ok(self.scan(table, columns)),
            Relation::Values { columns, rows } => self.literal_rows(columns, rows),
            Relation::Filter { input, predicate } => {
                let input = self.relation(input)?;
                let index = self.open_rows(&input);
                let condition = self.conjuncts(predicate)?;
                let values = self.values(&input.columns)?;
                self.close(1);
                Ok(self.add_collect(vec![index], condition, &values))
            }
            Relation::Project { input, columns } => {
                let input = self.relation(input)?;
                let index = self.open_rows(&input);
                let values: Result<Vec<_>> =
                    columns.iter().map(|(column, expression)| Ok((*column, self.expression(expression)?))).collect();
                self.close(1);
                Ok(self.add_collect(vec![index], Vec::new(), &values?))
            }
            Relation::Expand { input, count, position } => {
                let input = self.relation(input)?;
                let index = self.open_rows(&input);
                let count = self.expression(count)?;
                let copy = self.open(Source::Count(count), &[(*position, 0)]);
                let mut values = self.values(&input.columns)?;
                values.push((*position, self.column(*position)?));
                self.close(2);
                Ok(self.add_collect(vec![index, copy], Vec::new(), &values))
            }
            Relation::Join { kind, left, right, on } => self.join(*kind, left, right, on),
            Relation::Aggregate { input, keys, aggregates } => {
                let input = self.relation(input)?;
                self.aggregate(&input, keys, aggregates)
            }
            Relation::Window { input, partition, order, functions } => {
                let input = self.relation(input)?;
                self.window(&input, partition, order, functions)
            }
            Relation::Recursive { cte, columns, all, seed, step, enough, last } => {
                self.recursive((*cte, *all, *enough, *last), columns, seed, step)
            }
            Relation::Distinct { input } => {
                let input = self.relation(input)?;
                self.distinct(&input)
            }
            Relation::Sort { input, keys } => {
                let input = self.relation(input)?;
                self.sort(&input, keys)
            }
            Relation::Limit { input, limit, offset } => self.limit(input, limit.as_ref(), offset.as_ref()),
            Relation::SetOperation { kind, all, columns, left, right } => {
                self.set_operation(*kind, *all, columns, left, right)
            }
            Relation::With { cte, definition, body } => {
                let rows = self.relation(definition)?;
                self.ctes.insert(*cte, (self.around.len(), rows));
                self.relation(body)
            }
            Relation::CteScan { cte, columns } => {
                let Some((_, rows)) = self.ctes.get(cte) else {
                    return Err(Error::internal(format!("CTE {} is used outside of its WITH", cte.0)));
                };
                let columns: Result<Vec<_>> =
                    columns.iter().map(|(theirs, ours)| Ok((*ours, rows.position(*theirs)?))).collect();
                Ok(Rows { collection: rows.collection, columns: columns? })
            }
        }
    }

    /// A domain's table and the field of its values.
    pub(super) fn domain(&mut self, table: &Arc<TableInfo>) -> (CollectionId, u32) {
        let table = ScanTable(Arc::clone(table));
        let collection = self.table(&table);
        (collection, self.table_field(collection, &table, 0))
    }

    /// All scans of one snapshot share a collection, so that loops over the same table can be seen to be that.
    fn scan(&mut self, table: &ScanTable, read: &[(usize, ColumnId)]) -> Rows {
        let collection = self.table(table);
        let columns = read.iter().map(|&(column, id)| (id, self.table_field(collection, table, column)));
        let columns = columns.collect();
        Rows { collection, columns }
    }

    /// The field of a table's collection that is this column of the table; of a column that stores codes these.
    fn table_field(&mut self, collection: CollectionId, table: &ScanTable, column: usize) -> u32 {
        let known = &mut self.program.collections[collection.0 as usize];
        let Shape::Table { columns, .. } = &mut known.shape else { unreachable!("`table` gives tables only") };
        let column_u32 = u32::try_from(column).expect("fewer than 2^32 columns");
        let position = columns.iter().position(|other| *other == column_u32).unwrap_or_else(|| {
            columns.push(column_u32);
            // A snapshot's statistics are exact: a column without NULLs has none.
            let without_nulls = table.0.statistics.columns.get(column).is_some_and(|column| column.proofs.nulls == 0);
            let field = table.0.stored_field(column);
            let carrier = field.data_type.carrier();
            let data_type = if table.0.domain(column).is_some() { DataType::BigInt } else { carrier };
            known.fields.push(Field { nullable: field.nullable && !without_nulls, data_type, ..field.into_owned() });
            columns.len() - 1
        });
        position as u32
    }

    fn table(&mut self, table: &ScanTable) -> CollectionId {
        let is_it = |shape: &Shape| matches!(shape, Shape::Table { handle, .. } if *handle == table.0.handle);
        if let Some(position) = self.program.collections.iter().position(|known| is_it(&known.shape)) {
            return CollectionId(position as u32);
        }
        let shape = Shape::Table {
            name: table.0.name.clone(),
            handle: table.0.handle,
            columns: Vec::new(),
            statistics: table.0.statistics.clone(),
        };
        self.program.add_collection(Vec::new(), shape)
    }

    fn literal_rows(&mut self, columns: &[ColumnId], rows: &[Vec<Expression>]) -> Result<Rows> {
        let mut scalars = Vec::with_capacity(rows.len());
        let mut nullable = vec![false; columns.len()];
        for row in rows {
            let row: Result<Vec<_>> = row.iter().map(|expression| self.expression(expression)).collect();
            let row = row?;
            for (nullable, &scalar) in nullable.iter_mut().zip(&row) {
                *nullable |= self.nullability.scalar(&self.program, scalar);
            }
            scalars.push(row);
        }
        let fields = columns.iter().zip(nullable).map(|(&id, nullable)| {
            let column = self.query.columns.get(id);
            Field::new(column.name.clone(), column.data_type.carrier(), nullable)
        });
        let define = self.program.add_collection(fields.collect(), Shape::Rows);
        self.add(Let::Values { define, rows: scalars });
        Ok(Rows::in_order(define, columns.iter().copied()))
    }

    /// One of each set of equal rows: groups without aggregates.
    pub(super) fn distinct(&mut self, input: &Rows) -> Result<Rows> {
        Ok(self.groups_of_rows(input, Vec::new())?.0)
    }

    /// Groups of equal rows, and the fields of these aggregates. A numeric is grouped by its key; of equal ones of
    /// different scales the group shows the one of the smallest. A vector is grouped by its text.
    pub(super) fn groups_of_rows(&mut self, input: &Rows, more: Vec<(Field, Aggregate)>) -> Result<(Rows, Vec<u32>)> {
        let index = self.open_rows(input);
        let values = self.values(&input.columns)?;
        self.close(1);
        let mut fields = self.fields(&values);
        let keys = values.len() as u32;
        let (mut key, mut aggregates, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for (position, &(column, value)) in values.iter().enumerate() {
            let key_of = self.as_key(value);
            key.push(key_of);
            if key_of == value {
                columns.push((column, position as u32));
                continue;
            }
            columns.push((column, keys + aggregates.len() as u32));
            let shown = Field { nullable: true, ..fields[position].clone() };
            fields[position].data_type = DataType::Text;
            fields.push(shown);
            let data_type = self.program.scalars.data_type(value);
            aggregates.push(Aggregate::new(Reduction::Min, vec![value], data_type));
        }
        let mut places = Vec::with_capacity(more.len());
        for (field, aggregate) in more {
            places.push(keys + aggregates.len() as u32);
            fields.push(field);
            aggregates.push(aggregate);
        }
        let generator = Generator::BucketReduce { condition: Vec::new(), key, aggregates };
        let collection = self.add_loop(vec![index], generator, fields, Shape::Groups { keys });
        Ok((Rows { collection, columns }, places))
    }
}
