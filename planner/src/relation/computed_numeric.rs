//! Which decimals of a query are NUMERICs without declared digits. PostgreSQL's `numeric(10,2)` stays one as long as a
//! column is only handed on; whatever is computed of it is a bare `numeric`, though its type here is a decimal of as many
//! digits as the operator can give. A table made of the query, and who asks for the types of a view, shall see that.

use super::visit::for_each_input;
use super::{ColumnId, Columns, Expression, ExpressionKind, Query, Relation};
use crate::function::Function;
use crate::types::{DataType, Field};
use rustc_hash::FxHashMap;

/// Where the digits of a column come from that has declared ones.
enum Origin {
    /// A table's column, or a cast.
    Declared,
    /// Another column.
    Column(ColumnId),
}

impl Query {
    /// For each column shown whether it is a decimal that was computed, or a column of a bare `numeric`.
    pub fn computed_numerics(&self) -> Vec<bool> {
        computed_numerics(&self.relation, &self.output, &self.columns)
    }

    /// Names and types of the columns, where a decimal that was computed is a numeric: as PostgreSQL tells of them.
    pub fn declared_fields(&self) -> Vec<Field> {
        let of = |(field, computed): (Field, bool)| match computed {
            true => Field { data_type: DataType::Numeric, ..field },
            false => field,
        };
        self.fields().into_iter().zip(self.computed_numerics()).map(of).collect()
    }
}

/// As [`Query::computed_numerics`], of rows that are no whole query.
pub(crate) fn computed_numerics(relation: &Relation, output: &[(String, ColumnId)], columns: &Columns) -> Vec<bool> {
    let is_decimal = |column: ColumnId| columns.get(column).data_type.is_decimal();
    let mut origins = FxHashMap::default();
    if output.iter().any(|(_, column)| is_decimal(*column)) {
        note_origins(relation, &mut origins);
    }
    output.iter().map(|&(_, column)| is_decimal(column) && !is_declared(column, &origins)).collect()
}

fn note_origins(relation: &Relation, origins: &mut FxHashMap<ColumnId, Origin>) {
    match relation {
        Relation::Scan { table, columns } => {
            let declared = columns.iter().filter(|(place, _)| table.0.declared.numerics.get(*place) != Some(&true));
            origins.extend(declared.map(|&(_, column)| (column, Origin::Declared)));
        }
        Relation::Project { columns, .. } | Relation::Aggregate { keys: columns, .. } => {
            let made = columns.iter().filter(|(column, value)| value.kind != ExpressionKind::Column(*column));
            origins.extend(made.filter_map(|(column, value)| Some((*column, origin(value)?))));
        }
        Relation::CteScan { columns, .. } => {
            origins.extend(columns.iter().map(|&(from, column)| (column, Origin::Column(from))));
        }
        _ => {}
    }
    for_each_input(relation, &mut |input| note_origins(input, origins));
}

fn origin(value: &Expression) -> Option<Origin> {
    match &value.kind {
        ExpressionKind::Column(column) => Some(Origin::Column(*column)),
        // `integer::numeric` is the decimal of all of the integer's digits.
        ExpressionKind::Call(Function::Cast, from)
            if from[0].data_type.is_integer() && value.data_type.scale() == 0 =>
        {
            None
        }
        ExpressionKind::Call(Function::Cast, _) => Some(Origin::Declared),
        _ => None,
    }
}

fn is_declared(mut column: ColumnId, origins: &FxHashMap<ColumnId, Origin>) -> bool {
    loop {
        match origins.get(&column) {
            Some(Origin::Declared) => return true,
            Some(Origin::Column(from)) => column = *from,
            None => return false,
        }
    }
}
