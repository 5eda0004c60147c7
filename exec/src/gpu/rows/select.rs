//! Finds on the device which of many rows may be among the first in an order.
//!
//! What lies between the least and the greatest first key is cut into 65,536 parts; those in front that hold enough rows hold all that
//! may be among the first. Mostly these are few more than are wanted, and the host finds them among these.

use crate::gpu::code::types::Type;
use crate::gpu::columns::{DeviceColumn, Form, Valid};
use crate::gpu::device::Device;
use crate::gpu::driver::{Argument, Buffer, bytes_of};
use crate::gpu::stop::{Done, decline};
use multiloop_planner::types::SortOrder;
use std::sync::Arc;

/// The kernels; `value_t` is what a key is.
const SELECT: &str = include_str!("select.cu");

/// Sources that many loops need, whatever they are.
pub(super) fn sources() -> impl Iterator<Item = String> {
    [Type::I32, Type::I64, Type::I128, Type::F64].into_iter().map(selecting)
}

fn selecting(of: Type) -> String {
    format!("typedef {} value_t;\n{SELECT}", of.name())
}

/// Rows from which on the device looks for the first: fewer come to the host sooner.
const ROWS_MIN: usize = if cfg!(test) { 16 } else { 1 << 15 };

/// Parts of what lies between the least and the greatest key, as a power of two.
const PARTS_BITS: u32 = 16;

/// The rows, in order, among which the first so many by a key are, and all that are like the last of these; none where it is not known
/// of fewer than all.
pub(super) fn candidates(
    device: &Device,
    key: &DeviceColumn,
    order: SortOrder,
    wanted: usize,
) -> Done<Option<Vec<u32>>> {
    let rows = key.rows;
    let is_known = match key.form {
        Form::Integers { base: 0, step: 1 } => matches!(key.element, Type::I32 | Type::I64 | Type::I128),
        Form::Floats => true,
        _ => false,
    };
    let is_known = is_known && !matches!(key.valid, Valid::Bits(_));
    if !is_known || rows < ROWS_MIN || wanted == 0 || wanted >= rows {
        return Ok(None);
    }
    let driver = &device.driver;
    let Ok(count) = u32::try_from(rows) else { return Ok(None) };
    let valid = match &key.valid {
        Valid::Bytes(valid) => Some(valid),
        _ => None,
    };
    let memory = |buffer: &Arc<Buffer>| Argument::Memory(Arc::clone(buffer));
    let flag = |of: bool| Argument::U32(of.into());
    let run = |kernel: &str, others: Vec<Argument>| -> Done<()> {
        let module = device.cache.module(&**driver, &selecting(key.element))?;
        let first = [
            memory(&key.data),
            memory(valid.unwrap_or(&key.data)),
            flag(valid.is_some()),
            flag(order.descending),
            flag(order.nulls_first),
            Argument::U32(count),
        ];
        let arguments: Vec<Argument> = first.into_iter().chain(others).collect();
        let shape = device.shape(rows.div_ceil(driver.limits().threads as usize), 0);
        driver.launch(&*module, kernel, shape, &arguments)
    };
    let ends = Buffer::of(driver, &bytes_of(&[u64::MAX, 0], u64::to_le_bytes))?;
    run("ends", vec![memory(&ends)])?;
    let [least, greatest] = ends.values::<u64>(2)?[..] else { return decline("bug: an order without ends") };
    let shift = (u64::BITS - greatest.saturating_sub(least).leading_zeros()).saturating_sub(PARTS_BITS);
    let counts = Buffer::zeroed(driver, 4 << PARTS_BITS)?;
    run("parts", vec![Argument::U64(least), Argument::U32(shift), memory(&counts)])?;
    let counts: Vec<u32> = counts.values(1 << PARTS_BITS)?;
    let mut all = 0;
    let enough = counts.iter().position(|&count| {
        all += count as usize;
        all >= wanted
    });
    let Some(last) = enough.filter(|_| all < rows) else { return Ok(None) };
    let (numbers, taken) = (Buffer::new(driver, all * 4)?, Buffer::zeroed(driver, 4)?);
    let place = [Argument::U64(least), Argument::U32(shift), Argument::U64(last as u64)];
    run("chosen", place.into_iter().chain([memory(&taken), memory(&numbers)]).collect())?;
    let mut numbers: Vec<u32> = numbers.values(all)?;
    numbers.sort_unstable();
    Ok(Some(numbers))
}
