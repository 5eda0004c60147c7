//! Rows that loops collect, in the order of the tuples.
//!
//! A first kernel counts the tuples of each piece, the host adds these up, and a second one puts each tuple where it belongs: within a
//! piece threads take neighbouring rows, and an exclusive sum over what each has says where. Nothing depends on which thread is first.
//!
//! `fetch` brings rows to the host, `top` the first ones in an order, among those that `select` finds; `buckets` finds them by key.

pub(crate) mod buckets;
pub(crate) mod fetch;
mod select;
pub(crate) mod top;

use super::code::expression::{Binary, Expression, Place, Variable};
use super::code::helpers::Helper;
use super::code::print::kernels;
use super::code::statement::Statement;
use super::code::types::{Kind, Type};
use super::columns::{Carried, DeviceColumn, Form, Valid};
use super::device::Device;
use super::driver::{Argument, Buffer, bytes_of};
use super::groups::held::{Kept, lost};
use super::lower::nest::Pieces;
use super::lower::scalars::{Scalar, type_of};
use super::lower::{Level, Lowering, Reads};
use super::stop::{Done, decline};
use crate::Result;
use crate::backend::inputs::Inputs;
use crate::backend::{Given, Held, Task};
use crate::column::Dictionary;
use crate::plan::key_layout::KeyLayout;
use crate::workers::context::Context;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use std::any::Any;
use std::sync::Arc;

/// Rows on the device.
#[derive(Debug)]
pub(crate) struct HeldRows {
    pub(crate) level: Arc<Level>,
    pub(crate) types: Vec<DataType>,
}

impl HeldRows {
    /// The rows, if that is what is held.
    pub(crate) fn of(held: &Arc<dyn Held>) -> Option<Arc<Self>> {
        held.as_any().downcast_ref::<Kept<HeldRows>>().map(|kept| Arc::clone(&kept.0))
    }
}

impl Held for Kept<HeldRows> {
    fn rows(&self) -> Result<usize> {
        Ok(self.0.level.rows)
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        None
    }

    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        dictionary_of(&self.0.level, field)
    }

    fn fetch(&self, _: &Context) -> Result<Given> {
        let columns = fetch::columns(&self.0.level, &self.0.types).map_err(lost)?;
        Ok(Given::Rows(fetch::row_set(columns, self.0.level.rows)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The dictionary of a column.
pub(crate) fn dictionary_of(level: &Level, field: u32) -> Option<Arc<Dictionary>> {
    match level.columns.get(field as usize) {
        Some(Ok(column)) => match &column.form {
            Form::Codes(dictionary) => Some(Arc::clone(dictionary)),
            _ => None,
        },
        _ => None,
    }
}

/// What a generator collects.
pub(crate) struct Wanted<'p> {
    pub(crate) conditions: &'p [ScalarId],
    pub(crate) value: &'p [ScalarId],
    /// Of buckets the key, and what the plan knows of it.
    pub(crate) key: Option<(&'p [ScalarId], &'p KeyLayout)>,
    /// Rows, at most.
    pub(crate) most: usize,
}

/// Sources that many loops need, whatever they are.
pub(crate) fn sources() -> impl Iterator<Item = String> {
    top::sources().chain(select::sources()).chain(buckets::sources())
}

/// Rows that are collected, at most: their numbers have 32 bits.
pub(crate) const ROWS_MAX: usize = u32::MAX as usize - 1;

/// Rows that were collected.
pub(crate) struct Collected {
    pub(crate) level: Arc<Level>,
    /// Of buckets the code of each row's key, and the layout.
    pub(crate) codes: Option<(Arc<Buffer>, Type, KeyLayout)>,
}

fn word(of: u32) -> Expression {
    Expression::number(of.into(), Type::U32)
}

fn add(a: Expression, b: Expression) -> Expression {
    Expression::binary(Binary::Add, a, b)
}

/// Bytes of a block's memory that a sum over its threads takes.
fn scanned(device: &Device) -> usize {
    (device.driver.limits().threads as usize + 1) * 4
}

/// Collects rows.
pub(crate) fn collect(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    wanted: &Wanted<'_>,
) -> Done<Collected> {
    let mut lowering = Lowering::new((task, inputs), device, reads);
    let takes_all = matches!(&task.of.levels[..], [level] if level.conditions.is_empty());
    let pieces = lowering.pieces()?;
    let counts = match takes_all && wanted.conditions.is_empty() && lowering.groups_of(0).is_none() {
        true => pieces.sizes(),
        false => {
            // Who has to wait for two sources waits for both at once.
            let beside = || {
                let mut lowering = Lowering::new((task, inputs), device, reads);
                lowering.over(&pieces);
                write(&mut lowering, wanted, (&pieces, &[]), 0).ok()?;
                Some(kernels(&[lowering.finish("collect").0]))
            };
            count(lowering, wanted.conditions, &pieces, &beside)?
        }
    };
    inputs.context().check()?;
    let mut total = 0u64;
    let offsets = counts.iter().map(|&count| {
        total += u64::from(count);
        (total - u64::from(count)) as u32
    });
    let offsets: Vec<u32> = offsets.collect();
    if total > wanted.most as u64 {
        return decline("too many rows are collected");
    }
    let mut lowering = Lowering::new((task, inputs), device, reads);
    lowering.over(&pieces);
    let made = write(&mut lowering, wanted, (&pieces, &offsets), total as usize)?;
    launch(device, lowering, ("collect", &|| None), &pieces)?;
    Ok(made)
}

/// What will be compiled besides, if it can be known.
type Beside<'a> = &'a dyn Fn() -> Option<String>;

/// Runs a kernel over pieces whose blocks add up what their threads have; another source is compiled beside it, if this one is new.
fn launch(
    device: &Device,
    lowering: Lowering<'_>,
    (name, beside): (&'static str, Beside<'_>),
    pieces: &Pieces,
) -> Done<()> {
    let (kernel, arguments): (_, Vec<Argument>) = lowering.finish(name);
    let source = kernels(&[kernel]);
    if device.cache.is_new(&source)
        && let Some(other) = beside()
    {
        device.cache.begin(&*device.driver, other);
    }
    let module = device.cache.module(&*device.driver, &source)?;
    if pieces.count == 0 {
        return Ok(());
    }
    device.driver.launch(&*module, name, device.shape(pieces.count, scanned(device)), &arguments)
}

/// How many tuples of a loop pass some conditions.
pub(crate) fn count_tuples(of: &Lowering<'_>, conditions: &[ScalarId], pieces: &Pieces) -> Done<u64> {
    let mut lowering = Lowering::new((of.task, of.inputs), of.device, of.reads);
    lowering.over(pieces);
    let counts = count(lowering, conditions, pieces, &|| None)?;
    Ok(counts.into_iter().map(u64::from).sum())
}

/// How many tuples each piece gives.
fn count(mut to: Lowering<'_>, conditions: &[ScalarId], pieces: &Pieces, beside: Beside<'_>) -> Done<Vec<u32>> {
    let device = to.device;
    let counts = Buffer::zeroed(&device.driver, pieces.count * 4)?;
    let array = to.memory(Type::U32, &counts);
    let shared = to.shared();
    to.each_piece(pieces, |to, piece, (from, below)| {
        let own = to.declare(word(0));
        to.tuples(from, below, |to| count_one(to, conditions, own))?;
        let own = own.get();
        to.declare(Expression::Call(Helper::Scan, vec![shared.address(word(0)), own]));
        let is_first = Expression::binary(Binary::Equal, Expression::Place(Place::Thread), word(0));
        let all = shared.at(Expression::Place(Place::Threads));
        to.when(is_first, |to| {
            to.push(Statement::Store(array, piece, all));
            Ok(())
        })?;
        to.push(Statement::Barrier);
        Ok(())
    })?;
    launch(device, to, ("count", beside), pieces)?;
    counts.values(pieces.count)
}

fn count_one(to: &mut Lowering<'_>, conditions: &[ScalarId], own: Variable) -> Done<()> {
    to.filter(conditions, |to| {
        to.assign(own, add(own.get(), word(1)));
        Ok(())
    })
}

/// A column that is being written.
struct Target {
    of: Type,
    data: (Arc<Buffer>, Variable),
    valid: Option<(Arc<Buffer>, Variable)>,
    dictionary: Option<Arc<Dictionary>>,
    carried: Option<Arc<Carried>>,
}

/// Puts the tuples where they belong.
fn write(
    to: &mut Lowering<'_>,
    wanted: &Wanted<'_>,
    (pieces, offsets): (&Pieces, &[u32]),
    total: usize,
) -> Done<Collected> {
    let driver = Arc::clone(&to.device.driver);
    let offsets = Buffer::of(&driver, &bytes_of(offsets, u32::to_le_bytes))?;
    let offsets = to.memory(Type::U32, &offsets);
    let shared = to.shared();
    let mut targets: Vec<Target> = Vec::new();
    let mut codes = None;
    to.each_piece(pieces, |to, piece, (from, below)| {
        let place = to.declare(offsets.at(piece));
        let step = Expression::Place(Place::Threads).cast(Type::U64);
        to.each(from, below.clone(), step, |to, first| {
            let row = to.hold(add(first, Expression::Place(Place::Thread).cast(Type::U64)));
            let own = to.declare(word(0));
            let is_there = Expression::binary(Binary::Less, row.clone(), below);
            to.when(is_there, |to| to.tuples_of(row.clone(), |to| count_one(to, wanted.conditions, own)))?;
            let before = Expression::Call(Helper::Scan, vec![shared.address(word(0)), own.get()]);
            let at = to.declare(add(place.get(), before));
            let has_some = Expression::binary(Binary::NotEqual, own.get(), word(0));
            to.when(has_some, |to| {
                to.tuples_of(row, |to| {
                    to.filter(wanted.conditions, |to| {
                        (targets, codes) = put_row(to, wanted, at, total)?;
                        to.assign(at, add(at.get(), word(1)));
                        Ok(())
                    })
                })
            })?;
            let all = shared.at(Expression::Place(Place::Threads));
            to.assign(place, add(place.get(), all));
            to.push(Statement::Barrier);
            Ok(())
        })
    })?;
    if targets.len() != wanted.value.len() {
        return decline("no tuple can come");
    }
    let columns = targets.into_iter().map(|target| {
        let form = match (target.of, target.dictionary, target.carried) {
            (_, Some(dictionary), _) => Form::Codes(dictionary),
            (_, None, Some(carried)) => Form::Carried(carried),
            (Type::U8, ..) => Form::Bytes,
            (Type::F64, ..) => Form::Floats,
            _ => Form::Integers { base: 0, step: 1 },
        };
        let valid = target.valid.map_or(Valid::All, |(valid, _)| Valid::Bytes(valid));
        Ok(Arc::new(DeviceColumn { rows: total, element: target.of, form, data: target.data.0, valid }))
    });
    Ok(Collected { level: Arc::new(Level { rows: total, columns: columns.collect(), groups: None }), codes })
}

/// What a row's key is coded as.
type Codes = Option<(Arc<Buffer>, Type, KeyLayout)>;

/// Stores the tuple at hand in new columns.
fn put_row(to: &mut Lowering<'_>, wanted: &Wanted<'_>, at: Variable, total: usize) -> Done<(Vec<Target>, Codes)> {
    let driver = Arc::clone(&to.device.driver);
    let mut codes = None;
    if let Some((key, planned)) = wanted.key {
        let parts = key.iter().map(|&part| to.root(part)).collect::<Done<Vec<Scalar>>>()?;
        let layout = to.layout_of(planned, &parts)?;
        let parts: Vec<(Scalar, bool)> = parts.into_iter().map(|part| (part, true)).collect();
        let code = to.code(&layout, &parts, true)?.code;
        let of = code.data_type();
        let data = Buffer::new(&driver, total * of.bytes())?;
        let array = to.memory(of, &data);
        to.push(Statement::Store(array, at.get(), code));
        codes = Some((data, of, layout));
    }
    let mut targets = Vec::new();
    for &value in wanted.value {
        let number = to.task.of.expressions.number(value) as u32;
        let scalar = to.root(value)?;
        let of = match type_of(to.node_at(number).register)? {
            Type::Bool => Type::U8,
            other => other,
        };
        if of == Type::U32 && scalar.dictionary.is_none() && scalar.carried.is_none() {
            return decline("text without a dictionary");
        }
        let buffer = Buffer::new(&driver, total * of.bytes())?;
        let array = to.parameter(Kind::Pointer(of), Argument::Memory(Arc::clone(&buffer)));
        to.push(Statement::Store(array, at.get(), scalar.value.cast(of)));
        let valid = match scalar.null.known() {
            Some(false) => None,
            _ => {
                let valid = Buffer::new(&driver, total)?;
                let array = to.memory(Type::U8, &valid);
                let is_valid = scalar.null.not().cast(Type::U8);
                to.push(Statement::Store(array, at.get(), is_valid));
                Some((valid, array))
            }
        };
        let (dictionary, carried) = (scalar.dictionary, scalar.carried);
        targets.push(Target { of, data: (buffer, array), valid, dictionary, carried });
    }
    Ok((targets, codes))
}
