//! The columns that every table of the catalog has without declaring them: they are no part of `*`, and are there only for
//! statements in which their names stand.
//!
//! A table's rows have no versions here: what PostgreSQL keeps of those is constant, as of rows that no open transaction has touched.
//! A row's place (`ctid`) is made of its number, which it keeps as long as it is there and the table is not written anew, and of how
//! often that has been done: a place from before is none.

use super::{Builder, FromItem, ScopeColumn};
use crate::catalog::TableName;
use crate::error::{Error, Result};
use crate::evaluate::place::first_of;
use crate::evaluate::quote::identifier;
use crate::function::Function;
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::{DataType, OidKind};
use crate::value::Value;
use std::sync::Arc;

/// Their names; no table may have columns of these.
pub(crate) const HIDDEN: [&str; 6] = ["tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"];

/// The transaction of rows that are older than all transactions.
const FROZEN: i64 = 2;

impl Builder<'_> {
    /// A table of FROM with those of these columns that a statement names; anything else is as it was. `number` is the column of
    /// its rows' numbers, if it has one.
    pub(crate) fn with_hidden(
        &mut self,
        mut item: FromItem,
        names: &[&'static str],
        number: Option<ColumnId>,
    ) -> Result<FromItem> {
        let table = match item.tables.as_slice() {
            [table] if table.stored && !names.is_empty() => table.clone(),
            _ => return Ok(item),
        };
        let mut computed: Vec<_> =
            item.relation.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        for &name in names {
            let (data_type, value) = match name {
                "ctid" => (DataType::Oid(OidKind::Place), 0),
                "tableoid" => (DataType::OID, table.of.as_ref().map_or(Ok(0), |of| self.number_of(of))?),
                "xmin" => (DataType::Oid(OidKind::Transaction), FROZEN),
                "xmax" => (DataType::Oid(OidKind::Transaction), 0),
                _ => (DataType::Oid(OidKind::Command), 0),
            };
            let id = self.columns.add(name, data_type, false);
            match number.filter(|_| name == "ctid") {
                Some(number) => {
                    let mut place = self.columns.reference(number);
                    if let Some(epoch) = self.epochs.get(&number) {
                        let before = Expression::constant(Value::Int(first_of(*epoch)), DataType::BigInt);
                        place = Expression::call(Function::Add, vec![place, before], DataType::BigInt);
                    }
                    computed.push((id, Expression::call(Function::Relabel, vec![place], data_type)));
                }
                None if name == "ctid" => {
                    let error = Error::unsupported(
                        "the place of a row (ctid) that is in no table yet, or in none of the engine's, is",
                    );
                    self.unreadable.insert(id, error);
                }
                None => computed.push((id, Expression::constant(Value::Int(value), data_type))),
            }
            item.columns.push(ScopeColumn { hidden: true, ..ScopeColumn::new(Some(&table), name.to_owned(), id) });
        }
        item.relation = Arc::new(Relation::Project { input: item.relation, columns: computed });
        Ok(item)
    }

    /// Rows that an outer join may leave out: tables whose whole rows a statement may ask for get a column that tells whether
    /// there is a row.
    pub(crate) fn with_presence(&mut self, mut item: FromItem, names_row: impl Fn(&str) -> bool) -> FromItem {
        let mut computed = Vec::new();
        for table in
            item.tables.iter_mut().filter(|table| table.present.is_none() && !table.is_value && names_row(&table.name))
        {
            let own = item.columns.iter().filter(|column| {
                column.table.as_ref() == Some(&table.name) && column.schema.as_deref() == table.schema()
            });
            let never_null = own.map(|column| column.id).find(|id| !self.columns.get(*id).nullable);
            table.present = Some(never_null.unwrap_or_else(|| {
                let id = self.columns.add("present", DataType::Boolean, false);
                computed.push((id, Expression::boolean(true)));
                id
            }));
        }
        if !computed.is_empty() {
            let through = item.relation.columns().into_iter().map(|id| (id, self.columns.reference(id)));
            let columns = through.chain(computed).collect();
            item.relation = Arc::new(Relation::Project { input: item.relation, columns });
        }
        item
    }

    /// The number of a table.
    fn number_of(&self, table: &TableName) -> Result<i64> {
        let schema = table.schema.iter().map(|schema| format!("{}.", identifier(schema)));
        let name = format!("{}{}", schema.collect::<String>(), identifier(&table.name));
        self.catalog.resolve(OidKind::Class, &name).map(i64::from)
    }
}
