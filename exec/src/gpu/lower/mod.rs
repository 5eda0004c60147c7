//! Loops of a plan as kernels.
//!
//! [`Lowering`] writes one kernel: it hands out variables and parameters, knows in which block of C statements stand, and which
//! node's value is in which variable there. On it are built `scalars` (nodes of expressions), `calls` (functions, with `logic`,
//! `arithmetic`, `numeric`, and for what reads text `dictionary` and `text`), `keys` (codes of keys), `probes` (what asks other
//! collections), `buckets` (levels over what these have), `nest` (rows, levels, conditions) and `queue` (rows that wait). What rows are folded into is `groups`', above.
//!
//! Whatever is not known here declines, with its name. Errors are a flag: whoever divides by zero or leaves a type sets it, for rows
//! that reach that place alone, and then the processors do it again and say what is wrong.

mod arithmetic;
mod buckets;
mod calls;
pub(crate) mod dictionary;
pub(crate) mod keys;
mod logic;
pub(crate) mod nest;
pub(crate) mod numeric;
pub(crate) mod probes;
mod queue;
pub(crate) mod scalars;
mod text;

use super::code::expression::{Binary, Expression, Place, Variable};
use super::code::helpers::{Helper, LANES};
use super::code::statement::{Kernel, Statement};
use super::code::types::{Kind, Type};
use super::columns::DeviceColumn;
use super::device::Device;
use super::driver::{Argument, Buffer, Copier};
use super::groups::fold::KeysOf;
use super::groups::held::HeldGroups;
use super::stop::{Done, decline};
use super::text::Answers;
use crate::backend::inputs::Inputs;
use crate::plan::nodes::Node;
use crate::plan::placement::Task;
use crate::plan::tree::{GeneratorKind, LetKind};
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::value::Value;
use probes::Probed;
use rustc_hash::FxHashMap;
use scalars::Scalar;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::{Arc, Weak};

/// A kernel that is being written.
pub(crate) struct Lowering<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) inputs: &'a dyn Inputs,
    pub(crate) device: &'a Device,
    pub(crate) reads: &'a Reads,
    next: u32,
    parameters: Vec<(Variable, Argument)>,
    shared: Option<Variable>,
    /// Statements of the blocks that are open.
    blocks: Vec<Vec<Statement>>,
    /// Nodes whose values became known in each of them.
    scopes: Vec<Vec<u32>>,
    values: FxHashMap<u32, Scalar>,
    /// Values of nodes that read no row, as far as they have been asked for.
    grounds: FxHashMap<u32, Option<Value>>,
    /// Of each level that is open the row on which it stands.
    rows: Vec<Expression>,
    /// Whether levels that may stand on no row do so, of those that are open.
    absent: Vec<(usize, Expression)>,
    /// What the levels go over.
    sources: Vec<Arc<Level>>,
    /// The outermost rows, from the first one that may give tuples to the last, once they are known.
    outermost: Option<Range<usize>>,
    /// Tuples of one outermost row, at most, as far as the levels that were opened say.
    pub(crate) tuples_each: u64,
    /// What is set where the processors shall do it again.
    error: Variable,
    /// Of the outermost rows those elements that a thread has loaded at once, and which of them is at hand.
    lanes: Vec<(Arc<Buffer>, Variable)>,
    lane: Option<Expression>,
    /// Groups of neighbouring rows that a thread goes over before it goes on to others.
    pub(crate) stretch: u64,
    /// The first row of those.
    pub(crate) stretch_first: Option<Expression>,
    /// Where it is noted which rows give a tuple, if that is wanted.
    pub(crate) marks: Option<Marks>,
    /// What each block reads into its memory at first.
    pub(crate) small: Option<Small>,
    /// Bytes of a block's memory that rows wait in.
    pub(crate) queue_bytes: usize,
}

/// An array that each block reads into its memory at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small {
    /// The array, and how many words it has.
    array: Variable,
    words: u32,
    /// Parameters: the first word of the block's memory that has it, whether there is room, and how many words are read.
    pub(crate) base: Variable,
    pub(crate) is_there: Variable,
    read: Variable,
}

/// Bits of the rows that give a tuple, a byte for those that a thread has at once.
#[derive(Clone)]
pub(crate) struct Marks {
    pub(crate) array: Variable,
    /// The byte of the first ones of the piece.
    pub(crate) first: Expression,
    /// Those at hand.
    pub(crate) found: Option<Variable>,
}

/// What the kernels of a loop read beside its outermost rows.
pub(crate) struct Reads {
    /// What kernels set where the processors shall do it again.
    pub(crate) error: Arc<Buffer>,
    /// Collections that are buckets.
    buckets: Vec<u32>,
    /// Collections that are asked, as far as they have been.
    probed: RefCell<FxHashMap<u32, Arc<Probed>>>,
    /// What was computed of texts by row, by what that was; no other column has the address of one that is watched.
    answers: RefCell<FxHashMap<String, (Weak<DeviceColumn>, Answers)>>,
    /// Which rows of a level have been found, if unmatched ones are wanted.
    found: RefCell<Option<Arc<Buffer>>>,
    /// How groups are found that those of a generator are merged with.
    pub(crate) keys: RefCell<FxHashMap<usize, KeysOf>>,
    /// Whether a row may fail.
    may_fail: Cell<bool>,
}

impl Reads {
    /// Nothing yet.
    pub(crate) fn new(task: &Task<'_>, device: &Device) -> Done<Self> {
        let error = Buffer::zeroed(&device.driver, 4)?;
        Ok(Reads {
            error,
            buckets: bucket_collections(task),
            probed: RefCell::default(),
            answers: RefCell::default(),
            found: RefCell::default(),
            keys: RefCell::default(),
            may_fail: Cell::new(false),
        })
    }

    /// Whether no row has failed.
    pub(crate) fn check_rows(&self) -> Done<()> {
        if !self.may_fail.get() || self.error.values::<u32>(1)? == [0] { Ok(()) } else { decline("a row fails") }
    }
}

/// What a level goes over: columns, by field.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Done<Arc<DeviceColumn>>>,
    /// Groups of the device, a row a code, of which some are no groups.
    pub(crate) groups: Option<Arc<HeldGroups>>,
}

impl Level {
    /// The same on another device, as far as it is columns.
    pub(crate) fn copied(&self, to: &Copier<'_>) -> Done<Self> {
        let column = |column: &Done<Arc<DeviceColumn>>| match column {
            Ok(column) => column.copied(to).map(|copy| Ok(Arc::new(copy))),
            Err(stop) => Ok(Err(stop.clone())),
        };
        let columns = self.columns.iter().map(column).collect::<Done<Vec<_>>>()?;
        if self.groups.is_some() {
            decline("bug: groups as rows")
        } else {
            Ok(Level { rows: self.rows, columns, groups: None })
        }
    }
}

impl<'a> Lowering<'a> {
    /// A kernel without statements.
    pub(crate) fn new((task, inputs): (&'a Task<'a>, &'a dyn Inputs), device: &'a Device, reads: &'a Reads) -> Self {
        let flag = Variable { number: 0, kind: Kind::Pointer(Type::U32) };
        Lowering {
            task,
            inputs,
            device,
            reads,
            next: 1,
            parameters: vec![(flag, Argument::Memory(Arc::clone(&reads.error)))],
            shared: None,
            blocks: vec![Vec::new()],
            scopes: vec![Vec::new()],
            values: FxHashMap::default(),
            grounds: FxHashMap::default(),
            rows: Vec::new(),
            absent: Vec::new(),
            sources: Vec::new(),
            outermost: None,
            tuples_each: 1,
            error: flag,
            lanes: Vec::new(),
            lane: None,
            stretch: 1,
            stretch_first: None,
            marks: None,
            small: None,
            queue_bytes: 0,
        }
    }

    /// The kernel, its arguments, and what it takes of a block's memory, of which its statements know so many bytes.
    pub(crate) fn finish(mut self, name: &'static str, shared_bytes: usize) -> (Kernel, Vec<Argument>, usize) {
        let mut bytes = shared_bytes;
        let mut body = Vec::new();
        if let Some(Small { array, words, base, is_there, read }) = self.small {
            let first = shared_bytes.next_multiple_of(4);
            let fits = first + words as usize * 4 <= self.device.driver.limits().shared;
            if fits {
                bytes = first + words as usize * 4;
            }
            let first = first as u32 / 4;
            let mut set = |variable: Variable, argument: Argument| {
                if let Some(parameter) = self.parameters.iter_mut().find(|(of, _)| *of == variable) {
                    parameter.1 = argument;
                }
            };
            set(base, Argument::U32(first));
            set(is_there, Argument::Bool(fits));
            set(read, Argument::U32(if fits { words } else { 0 }));
            let shared = self.shared();
            let reads = self.apart(|to| {
                to.each_of_block(read.get(), |to, at| {
                    let place = Expression::binary(Binary::Add, base.get(), at.clone());
                    to.push(Statement::Store(shared, place, array.at(at)));
                    Ok(())
                })
            });
            body = reads.unwrap_or_default();
            body.push(Statement::Barrier);
        }
        body.extend(self.blocks.pop().unwrap_or_default());
        let (parameters, arguments) = self.parameters.into_iter().unzip();
        (Kernel { name, parameters, shared: self.shared, body }, arguments, bytes)
    }

    /// An array of so many words that each block reads into its memory at first.
    pub(crate) fn add_small(&mut self, words: &Arc<Buffer>, count: u32) -> Small {
        let array = self.memory(Type::U32, words);
        let [base, read] = [(); 2].map(|()| self.parameter(Kind::Value(Type::U32), Argument::U32(0)));
        let is_there = self.parameter(Kind::Value(Type::Bool), Argument::Bool(false));
        let small = Small { array, words: count, base, is_there, read };
        self.small = Some(small);
        small
    }

    pub(crate) fn node_at(&self, number: u32) -> &'a Node {
        &self.task.of.expressions.nodes[number as usize]
    }

    fn variable(&mut self, kind: Kind) -> Variable {
        self.next += 1;
        Variable { number: self.next - 1, kind }
    }

    /// A parameter of the kernel.
    pub(crate) fn parameter(&mut self, kind: Kind, argument: Argument) -> Variable {
        let variable = self.variable(kind);
        self.parameters.push((variable, argument));
        variable
    }

    /// An array.
    pub(crate) fn memory(&mut self, of: Type, buffer: &Arc<Buffer>) -> Variable {
        let is_it = |(variable, argument): &&(Variable, Argument)| {
            variable.kind == Kind::Pointer(of) && matches!(argument, Argument::Memory(own) if Arc::ptr_eq(own, buffer))
        };
        if let Some((known, _)) = self.parameters.iter().find(is_it) {
            return *known;
        }
        self.parameter(Kind::Pointer(of), Argument::Memory(Arc::clone(buffer)))
    }

    /// A number that may differ from launch to launch.
    pub(crate) fn number(&mut self, of: u32) -> Expression {
        self.parameter(Kind::Value(Type::U32), Argument::U32(of)).get()
    }

    /// An integer of a type, as a parameter.
    pub(crate) fn integer(&mut self, value: i128, of: Type) -> Expression {
        let argument = match of {
            Type::Bool => Argument::Bool(value != 0),
            Type::U32 => Argument::U32(value as u32),
            Type::U64 => Argument::U64(value as u64),
            Type::I32 => Argument::I32(value as i32),
            Type::I64 => Argument::I64(value as i64),
            _ => Argument::I128(value),
        };
        let of = if matches!(argument, Argument::I128(_)) { Type::I128 } else { of };
        self.parameter(Kind::Value(of), argument).get()
    }

    /// The words that a block shares.
    pub(crate) fn shared(&mut self) -> Variable {
        match self.shared {
            Some(shared) => shared,
            None => {
                let shared = self.variable(Kind::Shared);
                self.shared = Some(shared);
                shared
            }
        }
    }

    pub(crate) fn push(&mut self, statement: Statement) {
        self.blocks.last_mut().expect("a kernel has a block").push(statement);
    }

    pub(crate) fn call(&mut self, helper: Helper, arguments: Vec<Expression>) {
        self.push(Statement::Call(helper, arguments));
    }

    /// An array that a thread has, which is declared by who fills it.
    pub(crate) fn array(&mut self, of: Type) -> Variable {
        self.variable(Kind::Pointer(of))
    }

    /// A variable that is declared later, in front of what uses it.
    pub(crate) fn later(&mut self, of: Type) -> Variable {
        self.variable(Kind::Value(of))
    }

    /// Statements that stand apart, to be put somewhere else.
    pub(crate) fn apart(&mut self, body: impl FnOnce(&mut Self) -> Done<()>) -> Done<Vec<Statement>> {
        self.open();
        let done = body(self);
        let body = self.close();
        done.map(|()| body)
    }

    /// Puts statements here that were made apart.
    pub(crate) fn put(&mut self, statements: Vec<Statement>) {
        statements.into_iter().for_each(|statement| self.push(statement));
    }

    /// A new variable with this value.
    pub(crate) fn declare(&mut self, value: Expression) -> Variable {
        let variable = self.variable(Kind::Value(value.data_type()));
        self.push(Statement::Declare(variable, value));
        variable
    }

    pub(crate) fn assign(&mut self, variable: Variable, value: Expression) {
        self.push(Statement::Assign(variable, value));
    }

    /// The value, in a variable unless it is plain: computed once, here.
    pub(crate) fn hold(&mut self, value: Expression) -> Expression {
        if value.is_plain() { value } else { self.declare(value).get() }
    }

    fn open(&mut self) {
        self.blocks.push(Vec::new());
        self.scopes.push(Vec::new());
    }

    fn close(&mut self) -> Vec<Statement> {
        for node in self.scopes.pop().unwrap_or_default() {
            self.values.remove(&node);
        }
        self.blocks.pop().unwrap_or_default()
    }

    /// Statements that are done if a condition holds. What becomes known there is forgotten behind it.
    pub(crate) fn when(&mut self, condition: Expression, then: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        match condition.known() {
            Some(false) => return Ok(()),
            Some(true) => return then(self),
            None => {}
        }
        self.open();
        let done = then(self);
        let then = self.close();
        done?;
        if !then.is_empty() {
            self.push(Statement::If(condition, then, Vec::new()));
        }
        Ok(())
    }

    /// Statements that are done for each number from one on, below another one.
    pub(crate) fn each(
        &mut self,
        from: Expression,
        below: Expression,
        step: Expression,
        body: impl FnOnce(&mut Self, Expression) -> Done<()>,
    ) -> Done<()> {
        let variable = self.variable(Kind::Value(from.data_type()));
        self.open();
        let done = body(self, variable.get());
        let body = self.close();
        done?;
        self.push(Statement::For { unrolled: false, variable, from, below, step, body });
        Ok(())
    }

    /// Statements that are done as long as a condition holds.
    pub(crate) fn as_long_as(&mut self, condition: Expression, body: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let body = self.apart(body)?;
        self.push(Statement::While(condition, body));
        Ok(())
    }

    /// Statements for each of the elements that a thread has loaded at once.
    pub(crate) fn each_lane(&mut self, body: impl FnOnce(&mut Self, Expression) -> Done<()>) -> Done<()> {
        let variable = self.variable(Kind::Value(Type::U32));
        let [from, below, step] = [0, LANES, 1].map(|of| Expression::number(of.into(), Type::U32));
        self.open();
        self.lane = Some(variable.get());
        let done = body(self, variable.get());
        self.lane = None;
        let body = self.close();
        done?;
        self.push(Statement::For { unrolled: true, variable, from, below, step, body });
        Ok(())
    }

    /// The threads of a block share numbers from 0 on, below an end.
    pub(crate) fn each_of_block(
        &mut self,
        below: Expression,
        body: impl FnOnce(&mut Self, Expression) -> Done<()>,
    ) -> Done<()> {
        self.each(Expression::Place(Place::Thread), below, Expression::Place(Place::Threads), body)
    }

    /// The processors shall do it again where this holds.
    pub(crate) fn fail_when(&mut self, condition: Expression) {
        let flag = Statement::Store(self.error, Expression::number(0, Type::U32), Expression::number(1, Type::U32));
        self.reads.may_fail.set(self.reads.may_fail.get() || condition.known() != Some(false));
        match condition.known() {
            Some(false) => {}
            Some(true) => self.push(flag),
            None => self.push(Statement::If(condition, vec![flag], Vec::new())),
        }
    }

    /// Whether some rows give no tuple that passes these conditions, as far as the plan tells.
    pub(crate) fn is_selective(&self, conditions: &[ScalarId]) -> bool {
        let levels = &self.task.of.levels;
        levels.len() > 1 || !conditions.is_empty() || levels.iter().any(|level| !level.conditions.is_empty())
    }

    /// The row on which the outermost level stands.
    pub(crate) fn outermost_row(&self) -> Expression {
        self.rows.first().cloned().unwrap_or_else(|| Expression::number(0, Type::U64))
    }

    /// How many rows the outermost level has.
    pub(crate) fn outermost_rows(&self) -> usize {
        self.sources.first().map_or(0, |source| source.rows)
    }

    /// The groups that a level goes over, if a device made them.
    pub(crate) fn groups_of(&self, level: usize) -> Option<Arc<HeldGroups>> {
        self.sources.get(level).and_then(|source| source.groups.clone())
    }

    /// A column of a level that is open.
    pub(crate) fn column_of(&self, level: usize, field: u32) -> Done<Arc<DeviceColumn>> {
        match self.sources.get(level).and_then(|source| source.columns.get(field as usize)) {
            Some(column) => column.clone(),
            None => decline("bug: a column of no level"),
        }
    }
}

/// The collections of a plan that are buckets.
fn bucket_collections(task: &Task<'_>) -> Vec<u32> {
    let mut all = Vec::new();
    for definition in task.plan.blocks.iter().flat_map(|block| &block.lets) {
        let LetKind::Loop(plan) = &definition.kind else { continue };
        for (generator, define) in plan.generators.iter().zip(&definition.defines) {
            if matches!(generator.kind, GeneratorKind::BucketCollect(_)) {
                all.push(define.0);
            }
        }
    }
    all
}
