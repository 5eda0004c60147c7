//! The first rows in an order: the device leaves out and computes rows, the host sorts what is left, if that is little.

use super::{Collected, Wanted, collect, fetch};
use crate::backend::inputs::Inputs;
use crate::backend::{Given, Task};
use crate::collections::rows::RowSet;
use crate::column::Table;
use crate::gpu::device::Device;
use crate::gpu::lower::Reads;
use crate::gpu::stop::{Done, decline};
use crate::interpret::reduce::Accumulator;
use crate::plan::tree::TopKPlan;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// Rows that the host sorts, at most.
const ROWS_MAX: usize = 1 << 18;

/// The first of the tuples that pass some conditions.
pub(crate) fn top(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    (conditions, plan): (&[ScalarId], &TopKPlan),
) -> Done<Given> {
    let (limit, offset) = (inputs.ground(plan.limit)?, inputs.ground(plan.offset)?);
    let mut first = Accumulator::top_k(&plan.order, &limit, &offset)?;
    let wanted = Wanted { conditions, value: &plan.arguments, key: None, most: ROWS_MAX };
    let Collected { level, .. } = collect((task, inputs), device, reads, &wanted)?;
    reads.check_rows()?;
    let columns = fetch::columns(&level, &plan.types)?;
    for row in 0..level.rows {
        if row % 1024 == 0 {
            inputs.context().check()?;
        }
        let value = |(column, &of): (&crate::column::Column, &DataType)| column.value(row, of);
        first.fold(columns.iter().zip(&plan.types).map(value).collect())?;
    }
    let rows: Vec<Vec<Value>> = first.into_top_rows();
    let types = plan.types.iter().skip(plan.order.len());
    let fields: Vec<Field> = types.map(|&of| Field::new("", of, true)).collect();
    Ok(Given::Rows(RowSet { rows: rows.len(), ..RowSet::new(Table::from_values(fields, &rows).chunks) }))
}

/// Whether there is an order: without one any rows will do, and the host has some at once.
pub(crate) fn check_order(plan: &TopKPlan) -> Done<()> {
    if plan.order.is_empty() { decline("any rows will do") } else { Ok(()) }
}
