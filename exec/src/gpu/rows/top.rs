//! The first rows in an order: the device leaves out and computes rows, and finds by the first key some among which the first are
//! (`select`); the host finds which of these may be among the first, has them picked, and sorts them.

use super::{Collected, Wanted, collect, fetch, select};
use crate::backend::inputs::Inputs;
use crate::backend::{Given, Task};
use crate::collections::rows::RowSet;
use crate::column::Table;
use crate::gpu::code::types::Type;
use crate::gpu::columns::{DeviceColumn, Made, Valid};
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, bytes_of};
use crate::gpu::lower::{Level, Reads};
use crate::gpu::stop::{Done, decline};
use crate::interpret::order::compare_values;
use crate::interpret::reduce::Accumulator;
use crate::plan::tree::TopKPlan;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// Rows that the host sorts, at most.
const ROWS_MAX: usize = 1 << 22;

/// The first of the tuples that pass some conditions.
pub(crate) fn top(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    (conditions, plan): (&[ScalarId], &TopKPlan),
) -> Done<Given> {
    let (limit, offset) = (inputs.ground(plan.limit)?, inputs.ground(plan.offset)?);
    let mut first = Accumulator::top_k(&plan.order, &limit, &offset)?;
    let wanted = Wanted { conditions, value: &plan.arguments, key: None, most: ROWS_MAX, takes_columns: false };
    let Collected { level, .. } = collect((task, inputs), device, reads, &wanted)?;
    reads.check_rows()?;
    let level = match fewer(device, &level, plan, (&limit, &offset))? {
        Some(rows) => Arc::new(pick(device, &level, &rows)?),
        None => level,
    };
    let level = match first_rows(&level, plan, (&limit, &offset))? {
        Some(rows) => Arc::new(pick(device, &level, &rows)?),
        None => level,
    };
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
    Ok(Given::Rows(RowSet { rows: rows.len(), ..RowSet::of(Table::from_values(fields, &rows).chunks) }))
}

/// How many rows are wanted, those before the offset included; none if that is not limited.
fn wanted_rows((limit, offset): (&Value, &Value)) -> Option<usize> {
    let count = |of: &Value| if let Value::Int(count) = of { usize::try_from(*count).ok() } else { None };
    Some(count(limit)?.saturating_add(count(offset).unwrap_or(0)))
}

/// Rows of many among which are those that may be among the first, as the device finds them.
fn fewer(device: &Device, level: &Level, plan: &TopKPlan, limits: (&Value, &Value)) -> Done<Option<Vec<u32>>> {
    match (wanted_rows(limits), plan.order.first(), level.columns.first()) {
        (Some(wanted), Some(&order), Some(key)) => select::candidates(device, &*key.clone()?, order, wanted),
        _ => Ok(None),
    }
}

/// The rows that may be among the first, in order; none if all may.
fn first_rows(level: &Level, plan: &TopKPlan, limits: (&Value, &Value)) -> Done<Option<Vec<u32>>> {
    let Some(wanted) = wanted_rows(limits) else { return Ok(None) };
    let (Some(&order), Some(&of)) = (plan.order.first(), plan.types.first()) else { return Ok(None) };
    if wanted >= level.rows {
        return Ok(None);
    }
    if wanted == 0 {
        return Ok(Some(Vec::new()));
    }
    let Some(key) = level.columns.first() else { return Ok(None) };
    let key = fetch::fetched(&*key.clone()?, of)?;
    let mut rows: Vec<u32> = (0..level.rows as u32).collect();
    if key.data.is_integer() {
        let value = |row: usize| {
            let value = key.integer(row).filter(|_| !key.is_null(row));
            let turned = value.map_or(0, |value| if order.descending { !value } else { value });
            (value.is_none() != order.nulls_first, turned)
        };
        let values: Vec<(bool, i128)> = (0..level.rows).map(value).collect();
        let last = *rows.select_nth_unstable_by_key(wanted - 1, |&row| values[row as usize]).1;
        rows = (0..level.rows as u32).filter(|&row| values[row as usize] <= values[last as usize]).collect();
    } else {
        let values: Vec<Value> = (0..level.rows).map(|row| key.value(row, of)).collect();
        let compare = |a: &u32, b: &u32| compare_values(&values[*a as usize], &values[*b as usize], order);
        let last = *rows.select_nth_unstable_by(wanted - 1, compare).1;
        rows = (0..level.rows as u32).filter(|row| compare(row, &last).is_le()).collect();
    }
    Ok(Some(rows))
}

/// The kernel that picks rows; `value_t` is what a value is.
const PICK: &str = include_str!("pick.cu");

/// Sources that many loops need, whatever they are.
pub(super) fn sources() -> impl Iterator<Item = String> {
    [Type::U8, Type::U32, Type::I32, Type::I64, Type::I128, Type::F64].into_iter().map(picking)
}

fn picking(of: Type) -> String {
    format!("typedef {} value_t;\n{PICK}", of.name())
}

/// Some rows.
fn pick(device: &Device, level: &Level, rows: &[u32]) -> Done<Level> {
    let driver = &device.driver;
    let numbers = Buffer::of(driver, &bytes_of(rows, u32::to_le_bytes))?;
    let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
    let run = |from: &Arc<Buffer>, of: Type| -> Done<Arc<Buffer>> {
        let to = Buffer::new(driver, rows.len() * of.bytes())?;
        if !rows.is_empty() {
            let module = device.cache.module(&**driver, &picking(of))?;
            let shape = device.shape(rows.len().div_ceil(driver.limits().threads as usize), 0);
            let arguments = [memory(from), memory(&numbers), Argument::U32(rows.len() as u32), memory(&to)];
            driver.launch(&*module, "pick", shape, &arguments)?;
        }
        Ok(to)
    };
    let picked = |column: &Done<Arc<DeviceColumn>>| -> Done<Arc<DeviceColumn>> {
        let column = column.clone()?;
        let valid = match &column.valid {
            Valid::All => Valid::All,
            Valid::Bytes(valid) => Valid::Bytes(run(valid, Type::U8)?),
            Valid::Bits(_) => return decline("bug: rows that were collected have bytes"),
        };
        let data = run(&column.data, column.element)?;
        let DeviceColumn { element, form, .. } = &*column;
        Ok(Arc::new(DeviceColumn {
            rows: rows.len(),
            element: *element,
            form: form.clone(),
            data,
            valid,
            reach: column.reach,
            made: Made::default(),
        }))
    };
    Ok(Level { rows: rows.len(), columns: level.columns.iter().map(picked).collect(), groups: None })
}

/// Whether there is an order: without one any rows will do, and the host has some at once.
pub(crate) fn check_order(plan: &TopKPlan) -> Done<()> {
    if plan.order.is_empty() { decline("any rows will do") } else { Ok(()) }
}
