//! Rows that loops collect, in the order of the tuples.
//!
//! A first kernel counts the tuples of each piece, the host adds these up, and a second one puts each tuple where it belongs: within a
//! piece threads take neighbouring rows, and an exclusive sum over what each has says where. Nothing depends on which thread is first.
//!
//! `marks` counts and says which rows pass; `fetch` brings rows to the host, `top` the first ones in an order, among those that `select` finds; `buckets` finds them by key.

pub(crate) mod buckets;
pub(crate) mod fetch;
pub(crate) mod marks;
mod select;
pub(crate) mod top;

use super::code::expression::{Binary, Expression, Place, Variable};
use super::code::helpers::{Helper, LANES};
use super::code::print::kernels;
use super::code::statement::Statement;
use super::code::types::{Kind, Type};
use super::columns::{Carried, DeviceColumn, Form, Made, Valid};
use super::device::Device;
use super::driver::{Argument, Buffer, Shape, bytes_of};
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
use crate::plan::nodes::Operation;
use crate::plan::tree::LevelPlan;
use crate::workers::context::Context;
use buckets::Index;
use marks::{by_marks, count, first_mark, gives_one, is_marked, marks_each};
use multiloop_planner::multiloop::{ScalarId, Source};
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
    /// Whether columns of the table itself do, where all rows are collected: in its forms.
    pub(crate) takes_columns: bool,
}

/// Sources that many loops need, whatever they are.
pub(crate) fn sources() -> impl Iterator<Item = String> {
    top::sources().chain(select::sources()).chain(buckets::sources())
}

/// A condition is never true: nothing was lowered behind it.
pub(crate) const NO_TUPLE: &str = "no tuple can come";

/// Rows that are collected, at most: their numbers have 32 bits.
pub(crate) const ROWS_MAX: usize = u32::MAX as usize - 1;

/// Rows that were collected.
pub(crate) struct Collected {
    pub(crate) level: Arc<Level>,
    /// Of buckets the code of each row's key, and the layout.
    pub(crate) codes: Codes,
    /// The column that keys are, if all rows were collected, and its index, if there is one.
    pub(crate) key: Option<Arc<DeviceColumn>>,
    pub(crate) index: Option<Arc<Index>>,
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
    let takes_all = matches!(
        &task.of.levels[..],
        [LevelPlan { source: Source::Rows(_), conditions, .. }] if conditions.is_empty()
    );
    let pieces = lowering.pieces()?;
    let takes_all = takes_all && wanted.conditions.is_empty() && lowering.groups_of(0).is_none();
    if takes_all
        && wanted.takes_columns
        && let Some(all) = pieces.whole()
        && all.rows <= wanted.most
        && let Some(level) = columns_of(&lowering, wanted, all)
    {
        let key = key_column(&lowering, wanted, all);
        let index = key.as_ref().and_then(|key| key.made.get::<Index>());
        let codes = if index.is_some() { None } else { codes(lowering, wanted, &pieces)? };
        return Ok(Collected { level, codes, key, index });
    }
    let (counts, marks) = match takes_all {
        true => (pieces.sizes(), None),
        false => {
            let gives_one = gives_one(&mut lowering)?;
            // Who has to wait for two sources waits for both at once: for the second one as it is if few rows pass.
            let beside = || {
                let mut lowering = Lowering::new((task, inputs), device, reads);
                lowering.over(&pieces);
                let marks = gives_one.then(|| Buffer::new(&device.driver, 0)).transpose().ok()?;
                write(&mut lowering, wanted, (&pieces, &[], marks.as_ref()), 0).ok()?;
                Some(kernels(&[lowering.finish("collect", 0).0]))
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
    let made = write(&mut lowering, wanted, (&pieces, &offsets, marks.as_ref()), total as usize)?;
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
    let (kernel, arguments, shared) = lowering.finish(name, scanned(device));
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
    // The sum over the threads of a block has room for so many.
    let shape = Shape { threads: device.driver.limits().threads, ..device.shape(pieces.count, shared) };
    device.driver.launch(&*module, name, shape, &arguments)
}

fn count_one(to: &mut Lowering<'_>, conditions: &[ScalarId], own: Variable) -> Done<()> {
    to.filter(conditions, |to| {
        to.assign(own, add(own.get(), word(1)));
        Ok(())
    })
}

/// The columns that all rows of a level are collected as, if they are columns of its own.
fn columns_of(of: &Lowering<'_>, wanted: &Wanted<'_>, level: &Level) -> Option<Arc<Level>> {
    let column = |&value: &ScalarId| {
        let number = of.task.of.expressions.number(value) as u32;
        match of.node_at(number).operation {
            Operation::Column { index: 0, field, optional: false } => match level.columns.get(field as usize) {
                Some(Ok(column)) if !matches!(column.form, Form::Text { .. }) => Some(Ok(Arc::clone(column))),
                _ => None,
            },
            _ => None,
        }
    };
    let columns = wanted.value.iter().map(column).collect::<Option<Vec<_>>>()?;
    Some(Arc::new(Level { rows: level.rows, columns, groups: None }))
}

/// The column of a level that keys are.
fn key_column(of: &Lowering<'_>, wanted: &Wanted<'_>, level: &Level) -> Option<Arc<DeviceColumn>> {
    let Some(([key], _)) = wanted.key else { return None };
    match of.node_at(of.task.of.expressions.number(*key) as u32).operation {
        Operation::Column { index: 0, field, optional: false } => level.columns.get(field as usize)?.clone().ok(),
        _ => None,
    }
}

/// The codes of the keys of all rows.
fn codes(mut to: Lowering<'_>, wanted: &Wanted<'_>, pieces: &Pieces) -> Done<Codes> {
    if wanted.key.is_none() {
        return Ok(None);
    }
    let (device, mut codes) = (to.device, None);
    // Neighbouring threads store neighbouring codes.
    to.each_piece(pieces, |to, _, (from, below)| {
        let from = add(from, Expression::Place(Place::Thread).cast(Type::U64));
        let step = Expression::Place(Place::Threads).cast(Type::U64);
        to.each(from, below, step, |to, row| {
            to.tuples_of(row.clone(), |to| {
                codes = put_code(to, wanted, (row, pieces.rows as usize))?;
                Ok(())
            })
        })
    })?;
    let (kernel, arguments, shared) = to.finish("codes", 0);
    let module = device.cache.module(&*device.driver, &kernels(&[kernel]))?;
    if pieces.count > 0 {
        device.driver.launch(&*module, "codes", device.shape(pieces.count, shared), &arguments)?;
    }
    Ok(codes)
}

/// A column that is being written.
struct Target {
    of: Type,
    data: (Arc<Buffer>, Variable),
    valid: Option<(Arc<Buffer>, Variable)>,
    dictionary: Option<Arc<Dictionary>>,
    carried: Option<Arc<Carried>>,
}

/// Columns that have been written, of so many rows.
fn written(targets: Vec<Target>, total: usize) -> Vec<Done<Arc<DeviceColumn>>> {
    let column = |target: Target| {
        let form = match (target.of, target.dictionary, target.carried) {
            (_, Some(dictionary), _) => Form::Codes(dictionary),
            (_, None, Some(carried)) => Form::Carried(carried),
            (Type::U8, ..) => Form::Bytes,
            (Type::F64, ..) => Form::Floats,
            _ => Form::Integers { base: 0, step: 1 },
        };
        let valid = target.valid.map_or(Valid::All, |(valid, _)| Valid::Bytes(valid));
        Ok(Arc::new(DeviceColumn {
            rows: total,
            element: target.of,
            form,
            data: target.data.0,
            valid,
            reach: None,
            made: Made::default(),
        }))
    };
    targets.into_iter().map(column).collect()
}

/// Puts the tuples where they belong.
fn write(
    to: &mut Lowering<'_>,
    wanted: &Wanted<'_>,
    (pieces, offsets, marks): (&Pieces, &[u32], Option<&Arc<Buffer>>),
    total: usize,
) -> Done<Collected> {
    let driver = Arc::clone(&to.device.driver);
    let offsets = Buffer::of(&driver, &bytes_of(offsets, u32::to_le_bytes))?;
    let offsets = to.memory(Type::U32, &offsets);
    let shared = to.shared();
    let mut targets: Vec<Target> = Vec::new();
    let mut codes = None;
    // Of few rows that pass a thread takes those of a byte of marks: a sum over the threads of a block takes long.
    let rows_each =
        if marks.is_some() && total as u64 <= pieces.rows / u64::from(LANES) { u64::from(LANES) } else { 1 };
    to.each_piece(pieces, |to, piece, (from, below)| {
        let place = to.declare(offsets.at(piece.clone()));
        let first_mark = marks.map(|_| first_mark(to, &piece, marks_each(pieces)));
        let step = Expression::Place(Place::Threads).cast(Type::U64);
        if let (true, Some(marks), Some(mark)) = (rows_each > 1, marks, &first_mark) {
            let bytes = (to.memory(Type::U8, marks), mark);
            return by_marks(to, bytes, (place, from, below), |to, at| {
                to.filter(wanted.conditions, |to| {
                    (targets, codes) = put_row(to, wanted, at, total)?;
                    to.assign(at, add(at.get(), word(1)));
                    Ok(())
                })
            });
        }
        to.each(from.clone(), below.clone(), step, |to, first| {
            let row = to.hold(add(first, Expression::Place(Place::Thread).cast(Type::U64)));
            let own = to.declare(word(0));
            let is_there = Expression::binary(Binary::Less, row.clone(), below);
            to.when(is_there, |to| match (marks, first_mark) {
                (Some(marks), Some(first)) => {
                    let is_marked = is_marked(to, marks, first, (&from, &row));
                    to.assign(own, is_marked.cast(Type::U32));
                    Ok(())
                }
                _ => to.tuples_of(row.clone(), |to| count_one(to, wanted.conditions, own)),
            })?;
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
        return decline(NO_TUPLE);
    }
    let level = Arc::new(Level { rows: total, columns: written(targets, total), groups: None });
    Ok(Collected { level, codes, key: None, index: None })
}

/// What a row's key is coded as.
type Codes = Option<(Arc<Buffer>, Type, KeyLayout)>;

/// Stores the code of the tuple's key in a new array.
fn put_code(to: &mut Lowering<'_>, wanted: &Wanted<'_>, (at, total): (Expression, usize)) -> Done<Codes> {
    let Some((key, planned)) = wanted.key else { return Ok(None) };
    let parts = key.iter().map(|&part| to.root(part)).collect::<Done<Vec<Scalar>>>()?;
    let layout = to.layout_of(planned, &parts)?;
    let parts: Vec<(Scalar, bool)> = parts.into_iter().map(|part| (part, true)).collect();
    let code = to.code(&layout, &parts, true)?.code;
    let of = code.data_type();
    let data = Buffer::new(&to.device.driver, total * of.bytes())?;
    let array = to.memory(of, &data);
    to.push(Statement::Store(array, at, code));
    Ok(Some((data, of, layout)))
}

/// Stores the tuple at hand in new columns.
fn put_row(to: &mut Lowering<'_>, wanted: &Wanted<'_>, at: Variable, total: usize) -> Done<(Vec<Target>, Codes)> {
    let driver = Arc::clone(&to.device.driver);
    let codes = put_code(to, wanted, (at.get(), total))?;
    let mut targets = Vec::new();
    for &value in wanted.value {
        let number = to.task.of.expressions.number(value) as u32;
        let scalar = to.root(value)?;
        let of = match type_of(to.node_at(number).register)? {
            Type::Bool => Type::U8,
            other => other,
        };
        let scalar = if of == Type::U32 { scalar.of_text() } else { scalar };
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
