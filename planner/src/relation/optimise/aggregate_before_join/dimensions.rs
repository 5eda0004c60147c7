//! Finds the dimensions below an Aggregate: inputs of a join of which the group key determines the one row that each
//! row of the other inputs meets.
//!
//! Every scan is one until something speaks against it, and what speaks against one may speak against others: a
//! customer's nation is none if the customer is none. So those that are not are taken out until all that are left are.

use super::{Grouping, Joins};
use crate::relation::column_set::ColumnSet;
use crate::relation::inclusion::is_included;
use crate::relation::optimise::derive_predicates::EqualityClasses;
use crate::relation::profile::Profiles;
use crate::relation::unique::is_unique;
use crate::relation::visit::{as_column, for_each_column};
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;

/// The dimensions of some joins.
pub(super) struct Dimensions {
    /// One of each dimension.
    pub(super) links: Vec<Link>,
    /// Their columns.
    made: ColumnSet,
    /// For each input whether it is one.
    are: Vec<bool>,
    /// They, in parts between which there is no equality but that with the aggregated rows.
    pub(super) trees: Vec<Vec<usize>>,
    /// The input of each column.
    input_of: Vec<Option<usize>>,
}

/// How a dimension is reached.
#[derive(Clone, Copy)]
pub(super) struct Link {
    /// The dimension.
    pub(super) input: usize,
    /// Its column, in which no value occurs twice.
    pub(super) key: ColumnId,
    /// The column that has the value: of the aggregated rows, or of another dimension.
    pub(super) from: ColumnId,
    /// Whether `from` is a column of the aggregated rows.
    pub(super) root: bool,
}

/// What is asked about, and which inputs may still be dimensions.
struct Search<'a> {
    grouping: &'a Grouping,
    joins: &'a Joins,
    classes: Vec<(&'a [ColumnId], DataType)>,
    input_of: &'a [Option<usize>],
    are: Vec<bool>,
}

impl Dimensions {
    /// The dimensions, if something is read of them that is worth to be read late.
    pub(super) fn find(
        grouping: &Grouping,
        joins: &Joins,
        classes: &EqualityClasses,
        input_of: &[Option<usize>],
    ) -> Option<Self> {
        let are = joins.inputs.iter().map(|input| matches!(**input, Relation::Scan { .. })).collect();
        let mut search = Search { grouping, joins, classes: classes.iter().collect(), input_of, are };
        search.leave_out_what_is_read();
        search.leave_out_what_no_key_determines();
        let links = loop {
            if !search.are.contains(&true) {
                return None;
            }
            let links = search.links();
            let left_out = search.leave_out_the_others(&links);
            if !left_out && !search.leave_out_mixed_keys() {
                break links;
            }
        };
        let made = joins.inputs.iter().zip(&search.are).filter(|(_, is)| **is).flat_map(|(input, _)| input.columns());
        let found = Dimensions {
            links,
            made: made.collect(),
            are: search.are.clone(),
            trees: search.trees(),
            input_of: input_of.to_vec(),
        };
        let linked = |id: ColumnId| found.links.iter().any(|link| link.key == id);
        let read = |key: &Expression| found.determine(key) && !as_column(key).is_some_and(linked);
        (grouping.keys.iter().any(|(_, key)| read(key)) && search.is_connected()).then_some(found)
    }

    /// Whether an input is one.
    pub(super) fn is(&self, input: usize) -> bool {
        self.are[input]
    }

    /// The inputs that are.
    pub(super) fn inputs(&self) -> Vec<usize> {
        (0..self.are.len()).filter(|input| self.are[*input]).collect()
    }

    /// Whether a column is one of theirs.
    pub(super) fn make(&self, id: ColumnId) -> bool {
        self.made.contains(id)
    }

    /// Whether a group key reads their columns (and then no others).
    pub(super) fn determine(&self, key: &Expression) -> bool {
        let mut reads = false;
        for_each_column(key, &mut |id| reads |= self.make(id));
        reads
    }

    /// Of each of these inputs that the aggregated rows reach, the column that reaches it; each column once.
    pub(super) fn reached_from(&self, inputs: &[usize]) -> Vec<ColumnId> {
        let mut columns: Vec<ColumnId> = Vec::new();
        for link in self.links.iter().filter(|link| link.root && inputs.contains(&link.input)) {
            if !columns.contains(&link.from) {
                columns.push(link.from);
            }
        }
        columns
    }

    /// Those of a tree that rows have to be looked for in. The others have a row for each value that is not NULL of
    /// what reaches them.
    pub(super) fn asked(
        &self,
        tree: &[usize],
        joins: &Joins,
        classes: &EqualityClasses,
        profiles: &Profiles,
    ) -> Vec<usize> {
        let links: Vec<&Link> = self.links.iter().filter(|link| tree.contains(&link.input)).collect();
        // Every equality of their columns has to be one that reaches a dimension; others would make rows fewer.
        let only_links = classes.iter().all(|(class, _)| {
            let there = class.iter().filter(|id| self.of(**id).is_some_and(|input| tree.contains(&input))).count();
            let mut through = links.iter().filter(|link| class.contains(&link.key));
            let Some(first) = through.clone().next() else { return there == 0 };
            let from = usize::from(!first.root);
            there == through.clone().count() + from && through.all(|link| link.from == first.from)
        });
        if !only_links {
            return tree.to_vec();
        }
        let mut asked: Vec<usize> = Vec::new();
        // A dimension stands behind the one that it is reached from.
        for link in links.iter().rev() {
            let found = is_included(link.from, &joins.inputs[link.input], link.key, profiles)
                && (link.root || profiles.get(link.from).not_null);
            let reaches_asked =
                links.iter().any(|next| asked.contains(&next.input) && self.of(next.from) == Some(link.input));
            if !found || reaches_asked {
                asked.push(link.input);
            }
        }
        asked.sort_unstable();
        asked
    }

    /// Which dimension makes a column.
    fn of(&self, id: ColumnId) -> Option<usize> {
        self.input_of[id.0 as usize].filter(|input| self.are[*input])
    }
}

impl Search<'_> {
    /// Which input makes a column.
    fn input(&self, id: ColumnId) -> Option<usize> {
        self.input_of[id.0 as usize]
    }

    /// Whether a column is one of what may be a dimension.
    fn is(&self, id: ColumnId) -> bool {
        self.input(id).is_some_and(|input| self.are[input])
    }

    /// Whether a column is a group key.
    fn is_grouped(&self, id: ColumnId) -> bool {
        self.grouping.keys.iter().any(|(_, key)| as_column(key) == Some(id))
    }

    /// What aggregates, other conditions than equalities, and tests read has to be there before the groups are.
    fn leave_out_what_is_read(&mut self) {
        let mut are = std::mem::take(&mut self.are);
        let mut leave_out = |expression: &Expression| {
            for_each_column(expression, &mut |id| {
                if let Some(input) = self.input(id) {
                    are[input] = false;
                }
            });
        };
        for (_, call) in &self.grouping.aggregates {
            call.argument.iter().chain(&call.filter).for_each(&mut leave_out);
        }
        self.joins.conjuncts.iter().for_each(&mut leave_out);
        self.joins.tests.iter().for_each(|test| leave_out(&test.on));
        self.are = are;
    }

    /// Leaves out what the group key would not determine even if it determined all that it may: facts are scans as well.
    fn leave_out_what_no_key_determines(&mut self) {
        let mut determined = vec![false; self.are.len()];
        loop {
            let before = determined.clone();
            for (class, _) in &self.classes {
                let known = |id: &ColumnId| self.is_grouped(*id) || self.input(*id).is_some_and(|input| before[input]);
                if class.iter().any(known) {
                    for &key in class.iter().filter(|id| self.is(**id)) {
                        let Some(input) = self.input(key) else { continue };
                        determined[input] |= is_unique(&self.joins.inputs[input], &ColumnSet::from_iter([key]));
                    }
                }
            }
            if determined == before {
                break;
            }
        }
        self.are.iter_mut().zip(determined).for_each(|(is, determined)| *is &= determined);
    }

    /// How those that may be dimensions are reached, each after what it is reached from.
    fn links(&self) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::new();
        let grouped = |id: &ColumnId| self.is_grouped(*id);
        for (class, data_type) in &self.classes {
            let mut rest = class.iter().filter(|id| !self.is(**id));
            let Some(&first) = rest.clone().next() else { continue };
            if class.iter().any(grouped) && is_exact(*data_type) {
                let from = rest.find(|id| grouped(id)).copied().unwrap_or(first);
                self.link(class, from, true, &mut links);
            }
        }
        let mut before = 0;
        while before < links.len() {
            before = links.len();
            for (class, data_type) in &self.classes {
                let linked = |id: &&ColumnId| links.iter().any(|link| self.input(**id) == Some(link.input));
                if class.iter().all(|id| self.is(*id))
                    && is_exact(*data_type)
                    && let Some(&from) = class.iter().find(linked)
                {
                    self.link(class, from, false, &mut links);
                }
            }
        }
        links
    }

    /// Adds those that a class reaches by a unique column and that are not reached yet.
    fn link(&self, class: &[ColumnId], from: ColumnId, root: bool, links: &mut Vec<Link>) {
        for &key in class.iter().filter(|id| self.is(**id)) {
            let Some(input) = self.input(key) else { continue };
            let known = links.iter().any(|link| link.input == input);
            if !known && is_unique(&self.joins.inputs[input], &ColumnSet::from_iter([key])) {
                links.push(Link { input, key, from, root });
            }
        }
    }

    /// Leaves out those that are not reached, and those of which the other inputs ask more than the link does.
    fn leave_out_the_others(&mut self, links: &[Link]) -> bool {
        let stays = |input: usize| {
            let Some(link) = links.iter().find(|link| link.input == input) else { return false };
            self.classes.iter().filter(|(class, _)| !class.iter().all(|id| self.is(*id))).all(|(class, _)| {
                let mut own = class.iter().filter(|id| self.input(**id) == Some(input));
                own.all(|id| link.root && *id == link.key && class.contains(&link.from))
            })
        };
        let are: Vec<bool> = self.are.iter().enumerate().map(|(input, is)| *is && stays(input)).collect();
        let changed = are != self.are;
        self.are = are;
        changed
    }

    /// Leaves out those of which a group key reads columns besides others'.
    fn leave_out_mixed_keys(&mut self) -> bool {
        let before = self.are.clone();
        for (_, key) in &self.grouping.keys {
            let (mut inputs, mut others) = (Vec::new(), false);
            for_each_column(key, &mut |id| match self.input(id) {
                Some(input) if before[input] => inputs.push(input),
                _ => others = true,
            });
            if others {
                inputs.into_iter().for_each(|input| self.are[input] = false);
            }
        }
        self.are != before
    }

    /// The dimensions in parts between which there is no equality but that with the aggregated rows.
    fn trees(&self) -> Vec<Vec<usize>> {
        let inputs = (0..self.are.len()).filter(|input| self.are[*input]);
        let classes = self.classes.iter().filter(|(class, _)| class.iter().all(|id| self.is(*id)));
        connected(inputs, classes.map(|(class, _)| class.iter().filter_map(|id| self.input(*id)).collect()))
    }

    /// Whether the other inputs hang together without the dimensions.
    fn is_connected(&self) -> bool {
        let rest = |id: ColumnId| self.input(id).filter(|input| !self.are[*input]);
        let classes = self.classes.iter().map(|(class, _)| class.iter().filter_map(|id| rest(*id)).collect());
        let conjuncts = self.joins.conjuncts.iter().map(|conjunct| {
            let mut inputs = Vec::new();
            for_each_column(conjunct, &mut |id| inputs.extend(rest(id)));
            inputs
        });
        let inputs = (0..self.are.len()).filter(|input| !self.are[*input]);
        connected(inputs, classes.chain(conjuncts)).len() == 1
    }
}

/// The connected components of a hypergraph.
fn connected(nodes: impl Iterator<Item = usize>, edges: impl Iterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = nodes.map(|node| vec![node]).collect();
    for edge in edges {
        let (joined, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| part.iter().any(|node| edge.contains(node)));
        parts = others;
        if !joined.is_empty() {
            parts.push(joined.concat());
        }
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort();
    parts
}

/// Whether equal values of a type are one value: 0 and -0, or a month and thirty days, are equal and differ.
pub(super) fn is_exact(data_type: DataType) -> bool {
    !data_type.is_float() && data_type != DataType::Interval
}
