//! UNPIVOT: a row for each of some columns, with its name and its value.

use super::binder::Binder;
use super::from::Before;
use super::naming::column_name;
use crate::error::Result;
use crate::relation::Expression;
use crate::relation::builder::{Clause, FromItem, Scope};
use sqlparser::ast::{self, Expr};

/// An UNPIVOT as it is written.
pub(super) struct Unpivot<'u> {
    pub(super) table: &'u ast::TableFactor,
    /// The name of the values, or those of several.
    pub(super) value: &'u Expr,
    /// INCLUDE NULLS.
    pub(super) keeps_nulls: bool,
    /// The name of the names.
    pub(super) name: &'u ast::Ident,
    pub(super) columns: &'u [ast::ExprWithAlias],
}

impl Binder<'_, '_> {
    /// `table UNPIVOT (value FOR name IN (columns))`.
    pub(super) fn bind_unpivot(
        &mut self,
        unpivot: &Unpivot<'_>,
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        let position = self.factor_start(unpivot.table);
        let item = self.deeper(position, |binder| binder.bind_table_factor(unpivot.table, parent, before))?;
        let scope = Scope::new(parent, item.columns.clone(), item.tables.clone(), Clause::From);
        let mut rows: Vec<(String, Vec<Expression>)> = Vec::new();
        for ast::ExprWithAlias { expr, alias } in unpivot.columns {
            let alias = alias.as_ref().map(|alias| alias.value.clone());
            if let Some(columns) = self.bind_columns_alone(expr, &scope)? {
                let own = |name: String| alias.clone().unwrap_or(name);
                rows.extend(columns.into_iter().map(|(name, value)| (own(name), vec![value])));
                continue;
            }
            let parts = match expr {
                Expr::Tuple(parts) => parts.as_slice(),
                Expr::Nested(inner) => std::slice::from_ref(&**inner),
                other => std::slice::from_ref(other),
            };
            let names: Vec<String> = parts.iter().map(column_name).collect();
            let values = parts.iter().map(|part| self.bind_expression(part, &scope)).collect::<Result<_>>()?;
            rows.push((alias.unwrap_or_else(|| names.join("_")), values));
        }
        let values: Vec<String> = match unpivot.value {
            Expr::Tuple(parts) => parts.iter().map(column_name).collect(),
            other => vec![column_name(other)],
        };
        let name = Self::fold(unpivot.name);
        self.builder.unpivot(item, rows, (name, values), unpivot.keeps_nulls).map_err(|error| error.at(position))
    }
}
