//! What has to be known of a whole query before any part of it is built or printed: the names of its numbered sources, and what it
//! shares.

use super::block::{Block, JoinStep, Source};
use super::expression::Order;
use super::tree::{Alias, Bound, Call, Tree, Window};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What is known of a whole query.
#[derive(Default)]
pub(super) struct Survey {
    names: HashMap<u64, Arc<str>>,
    /// The blocks that are shared, each behind those that it uses.
    pub(super) shared: Vec<Arc<Block>>,
}

/// A part to look at, or a shared block whose parts have been.
enum Step<'b> {
    Block(&'b Block),
    Source(&'b Source),
    Tree(&'b Tree),
    One(&'b Arc<Tree>),
    All(&'b Arc<[Tree]>),
    Within(&'b Arc<Block>),
    Finished(&'b Arc<Block>),
}

/// A look at all parts, of which nothing nests: the next one is the last of a list.
#[derive(Default)]
struct Look<'b> {
    steps: Vec<Step<'b>>,
    /// Shared parts that have been seen, by address: what is used often is looked at once.
    seen: HashSet<*const ()>,
    taken: HashSet<&'b str>,
    sources: Vec<(u64, &'b Arc<str>)>,
    columns: Vec<(u64, &'b Arc<str>)>,
    shared: Vec<&'b Arc<Block>>,
}

impl Survey {
    /// Of a query.
    pub(super) fn of(block: &Block) -> Self {
        let mut look = Look::default();
        look.steps.push(Step::Block(block));
        while let Some(step) = look.steps.pop() {
            match step {
                Step::Block(block) => look.block(block),
                Step::Source(source) => look.source(source),
                Step::Tree(tree) => look.tree(tree),
                Step::One(tree) if look.is_new(tree) => look.tree(tree),
                Step::All(trees) if look.is_new(trees) => look.push(trees.iter().map(Step::Tree)),
                Step::Within(block) if look.is_new(block) => look.block(block),
                Step::One(_) | Step::All(_) | Step::Within(_) => {}
                Step::Finished(block) => look.shared.push(block),
            }
        }
        let mut names: HashMap<u64, Arc<str>> = HashMap::new();
        let mut made: HashSet<Arc<str>> = HashSet::new();
        // A column whose source is not there gets a name that no source has, and so an error.
        for (id, base) in look.sources.into_iter().chain(look.columns) {
            names.entry(id).or_insert_with(|| {
                let is_free = |name: &Arc<str>| !look.taken.contains(&**name) && !made.contains(name);
                let numbered = (2..).map(|number: u64| Arc::from(format!("{base}_{number}")));
                let first = std::iter::once(Arc::clone(base)).chain(numbered).find(is_free);
                let name = first.unwrap_or_else(|| Arc::clone(base));
                made.insert(Arc::clone(&name));
                name
            });
        }
        Survey { names, shared: look.shared.into_iter().map(Arc::clone).collect() }
    }

    /// The name of a source.
    pub(super) fn name<'a>(&'a self, alias: &'a Alias) -> &'a str {
        match alias {
            Alias::Named(name) => name,
            Alias::Numbered { id, base } => self.names.get(id).unwrap_or(base),
        }
    }

    /// The place of a shared block among those of the query.
    pub(super) fn place(&self, block: &Arc<Block>) -> usize {
        self.shared.iter().position(|known| Arc::ptr_eq(known, block)).unwrap_or_default()
    }
}

impl<'b> Look<'b> {
    fn is_new<T: ?Sized>(&mut self, part: &'b Arc<T>) -> bool {
        Arc::strong_count(part) == 1 || self.seen.insert(Arc::as_ptr(part).cast())
    }

    /// The parts come in the order in which they are pushed, since `steps` is turned around at the end.
    fn push(&mut self, parts: impl Iterator<Item = Step<'b>>) {
        let first = self.steps.len();
        self.steps.extend(parts);
        self.steps[first..].reverse();
    }

    fn block(&mut self, block: &'b Block) {
        let joins = block.joins.iter().flat_map(|JoinStep { source, on, .. }| [Step::Source(source), Step::Tree(on)]);
        let columns = block.columns.iter().flatten().map(|column| &column.tree);
        let trees = columns
            .chain(&block.filter)
            .chain(&block.keys)
            .chain(&block.having)
            .chain(&block.distinct_on)
            .chain(order(&block.order));
        self.push(std::iter::once(Step::Source(&block.from)).chain(joins).chain(trees.map(Step::Tree)));
    }

    fn source(&mut self, source: &'b Source) {
        match (source, source.alias()) {
            (Source::Table { name, .. }, None) => drop(self.taken.insert(name.as_str())),
            (_, Some(Alias::Named(name))) => drop(self.taken.insert(name)),
            (_, Some(Alias::Numbered { id, base })) => self.sources.push((*id, base)),
            _ => {}
        }
        match source {
            Source::Nothing | Source::Table { .. } | Source::State { .. } => {}
            Source::Iterate { iteration, .. } => {
                let until = iteration.until.as_ref().map(|(_, until)| until);
                until.into_iter().chain([&iteration.step, &iteration.seed]).for_each(|block| self.within(block));
            }
            Source::Derived { block, .. } => self.within(block),
            Source::Shared { block, .. } => {
                if self.seen.insert(Arc::as_ptr(block).cast()) {
                    self.steps.extend([Step::Finished(block), Step::Block(block)]);
                }
            }
            Source::Set { left, right, .. } => {
                self.within(right);
                self.within(left);
            }
            Source::Values { rows, .. } => self.push(rows.iter().flatten().map(Step::Tree)),
            Source::Function { call, .. } => self.call(call),
        }
    }

    fn within(&mut self, block: &'b Arc<Block>) {
        self.steps.push(Step::Within(block));
    }

    fn one(&mut self, tree: &'b Arc<Tree>) {
        self.steps.push(Step::One(tree));
    }

    fn all(&mut self, trees: &'b Arc<[Tree]>) {
        self.steps.push(Step::All(trees));
    }

    fn tree(&mut self, tree: &'b Tree) {
        match tree {
            Tree::Column { table: Some(Alias::Numbered { id, base }), .. } => self.columns.push((*id, base)),
            Tree::Column { .. }
            | Tree::Number(_)
            | Tree::Text(_)
            | Tree::Boolean(_)
            | Tree::Null
            | Tree::Typed(..)
            | Tree::Value(..)
            | Tree::Failure(_)
            | Tree::Parameter(_) => {}
            Tree::Not(a)
            | Tree::Unary(_, a)
            | Tree::NullTest(_, a)
            | Tree::Truth(_, _, a)
            | Tree::Cast(a, _)
            | Tree::Extract(_, a) => self.one(a),
            Tree::And(a, b)
            | Tree::Or(a, b)
            | Tree::AnyOf(a, b)
            | Tree::Compare(_, a, b)
            | Tree::Distinct(_, a, b)
            | Tree::Operator(_, a, b)
            | Tree::Like(_, a, b) => {
                self.one(b);
                self.one(a);
            }
            Tree::Between(a, b, c) => [c, b, a].into_iter().for_each(|tree| self.one(tree)),
            Tree::In(a, all) | Tree::Subscript(a, all) => {
                self.all(all);
                self.one(a);
            }
            Tree::Case(branches, otherwise) => {
                self.one(otherwise);
                self.push(branches.iter().flat_map(|(condition, result)| [condition, result]).map(Step::Tree));
            }
            Tree::Array(all) => self.all(all),
            Tree::Call(call) => self.call(call),
            Tree::Scalar(block) | Tree::Exists(block) | Tree::ArrayOf(block) => self.within(block),
            Tree::InRows(all, block) => {
                self.within(block);
                self.all(all);
            }
        }
    }

    fn call(&mut self, call: &'b Call) {
        let Call { name: _, arguments, distinct: _, filter, order: within, over, ignore_nulls: _, of_group: _ } = call;
        if let Some(Window { partition, order: keys, frame }) = over.as_deref() {
            let bounds = frame.iter().flat_map(|frame| [&frame.start, &frame.end]);
            let distances = bounds.filter_map(|bound| match bound {
                Bound::Before(distance) | Bound::Behind(distance) => Some(distance),
                _ => None,
            });
            self.push(partition.iter().chain(order(keys)).chain(distances).map(Step::Tree));
        }
        self.push(order(within).map(Step::Tree));
        filter.iter().for_each(|filter| self.one(filter));
        arguments.iter().for_each(|arguments| self.all(arguments));
    }
}

/// Whether an aggregate of a group, by the group's number, is in an expression, outside of the queries within it.
pub(super) fn has_aggregate(tree: &Tree, group: u64) -> bool {
    any_call(tree, |call| call.of_group == group)
}

/// Whether an expression means something else in a query within its own: a window function, and an aggregate of no column, belong to
/// the query that they stand in.
pub(super) fn belongs_to_level(tree: &Tree) -> bool {
    any_call(tree, |call| call.over.is_some() || (call.of_group > 0 && !names_column(call)))
}

fn names_column(call: &Call) -> bool {
    let mut look = Look::default();
    look.call(call);
    look.any(|tree| matches!(tree, Tree::Column { .. }))
}

fn any_call(tree: &Tree, is: impl Fn(&Call) -> bool) -> bool {
    let mut look = Look::default();
    look.steps.push(Step::Tree(tree));
    look.any(|tree| matches!(tree, Tree::Call(call) if is(call)))
}

impl<'b> Look<'b> {
    /// Whether one of the trees that wait, or of their parts, is such, outside of queries within them.
    fn any(mut self, is: impl Fn(&'b Tree) -> bool) -> bool {
        while let Some(step) = self.steps.pop() {
            let tree = match step {
                Step::Tree(tree) => tree,
                Step::One(tree) if self.is_new(tree) => tree,
                Step::All(trees) if self.is_new(trees) => {
                    self.push(trees.iter().map(Step::Tree));
                    continue;
                }
                _ => continue,
            };
            if is(tree) {
                return true;
            }
            self.tree(tree);
        }
        false
    }
}

fn order(keys: &[Order]) -> impl Iterator<Item = &Tree> {
    keys.iter().map(|key| &key.tree)
}
