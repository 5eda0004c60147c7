//! The scan: goes over the lets of a block and says which of them can be made for all keys, and for which keys.

use super::expression::is_expression;
use super::reads::{collection_of, reads_of};
use super::{Splittable, blocks_of};
use crate::function::Effects;
use crate::multiloop::uses::{FreeIndices, collections_read};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::dependencies::Definition;
use crate::rewrite::machinery::first_places::places_of;
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::types::DataType;
use rustc_hash::FxHashSet;

/// The largest share of the keys for which asking pays, and how many rows have to be asked for each that asks.
const SHARE_MAX: f64 = 0.5;
const ROWS_PER_ROW: f64 = 4.0;

/// Goes through the lets of a block.
pub(super) struct Scan<'p> {
    program: &'p Program,
    made: &'p [Option<Definition>],
    nested: BlockId,
    /// Where the let stands whose rows ask.
    place: (BlockId, usize),
    /// All that the block makes, and what of it has been found to be made for all keys.
    own: FxHashSet<CollectionId>,
    keyed: FxHashSet<CollectionId>,
    /// The probe, and the types of the key.
    probe: Option<(Vec<KeyPart>, Vec<DataType>)>,
    /// Whether a row for each key that asks is needed.
    fills: bool,
    free: FreeIndices,
}

impl<'p> Scan<'p> {
    pub(super) fn of(
        program: &'p Program,
        nested: BlockId,
        place: (BlockId, usize),
        made: &'p [Option<Definition>],
    ) -> Self {
        let own = program.block(nested).lets.iter().flat_map(|each| each.defines().to_vec()).collect();
        let (keyed, free) = (FxHashSet::default(), FreeIndices::default());
        Scan { program, made, nested, place, own, keyed, probe: None, fills: false, free }
    }

    pub(super) fn splittable(mut self) -> Option<Splittable> {
        let (program, block) = (self.program, self.program.block(self.nested));
        let mut begins = Vec::new();
        for each in &block.lets {
            let is_result = each.defines() == [block.result] && begins.len() + 1 == block.lets.len();
            if is_result && self.is_expression_of_rows(each) {
                break;
            }
            let Some(begin) = self.can_be_keyed(each) else { break };
            self.keyed.extend(each.defines());
            begins.push(begin);
        }
        let (keyed, rest) = block.lets.split_at(begins.len());
        let makes_result = self.keyed.contains(&block.result);
        let pays = match rest {
            [] => makes_result,
            _ => keyed.iter().any(groups_or_orders) && rest.iter().all(|each| self.can_go_within_key(each)),
        };
        let effects = self.effects(keyed, &begins);
        let fits = !keyed.is_empty() && pays && makes_result == rest.is_empty() && program.may_move(effects);
        let (probe, types) = self.probe.clone().filter(|_| fits)?;
        let asking = self.asking(&probe).filter(|asking| self.fills || self.are_few(asking, keyed, &begins));
        Some(Splittable { nested: self.nested, probe, types, begins, effects, asking, fills: self.fills })
    }

    /// The rows that ask a block, or more of them, if they can be gone over for their keys.
    fn asking(&self, probe: &[KeyPart]) -> Option<(Vec<Index>, Vec<ScalarId>)> {
        let (program, (block, at)) = (self.program, self.place);
        let Let::Loop { multiloop, .. } = &program.block(block).lets[at] else { return None };
        let [generator] = &multiloop.generators[..] else { return None };
        let (first, others) = multiloop.nest.split_first()?;
        let is_plain = matches!(first.source, Source::Rows(_))
            && others.iter().all(|index| matches!(index.source, Source::Bucket { .. } | Source::BucketOrNull { .. }));
        let holds_block = |id: ScalarId| !blocks_of(program, vec![id]).is_empty();
        let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
        let of_key = probe.iter().map(|part| part.scalar);
        if !is_plain || of_nest.chain(of_key).any(|id| holds_block(id) || !program.scalars.effects(id).is_pure()) {
            return None;
        }
        let in_front =
            generator.condition().iter().take_while(|&&id| !blocks_of(program, vec![id]).contains(&self.nested));
        let condition = in_front.copied().filter(|&id| !holds_block(id) && program.scalars.effects(id).is_pure());
        Some((multiloop.nest.clone(), condition.collect()))
    }

    /// Whether rows that ask are few beside those in the buckets, and have few of their keys.
    fn are_few(&self, (nest, condition): &(Vec<Index>, Vec<ScalarId>), keyed: &[Let], begins: &[usize]) -> bool {
        let guess = Selectivity::of(self.program, self.made);
        let asking = guess.rows_of_nest(nest, condition).max(1.0);
        let few = |(each, &begin): (&Let, &usize)| {
            let Some((maker, generator)) = self.maker_of_rows(each, begin) else { return true };
            let rows = guess.rows_of_nest(&maker.nest, generator.condition());
            asking * ROWS_PER_ROW <= rows && asking <= SHARE_MAX * guess.keys_of_nest(&maker.nest, generator.key())
        };
        keyed.iter().zip(begins).all(few)
    }

    /// What making these lets may do, with what is known of the rows of the buckets that they go over.
    fn effects(&self, lets: &[Let], begins: &[usize]) -> Effects {
        let mut effects = Effects::PURE;
        for (each, &begin) in lets.iter().zip(begins) {
            effects = effects.and(each.effects(self.program));
            if let Some((maker, generator)) = self.maker_of_rows(each, begin) {
                let scalars = maker.nest.iter().flat_map(|index| index.source.scalars()).chain(generator.scalars());
                for id in scalars {
                    effects = effects.and(self.program.scalars.effects(id));
                }
            }
        }
        effects
    }

    /// The loop that makes the buckets with which a let begins.
    fn maker_of_rows(&self, each: &Let, begin: usize) -> Option<(&'p Multiloop, &'p Generator)> {
        let Let::Loop { multiloop, .. } = each else { return None };
        let Source::Bucket { collection, .. } = &multiloop.nest[begin].source else { return None };
        self.maker(*collection)
    }

    /// The loop that makes buckets in front of the let whose rows ask.
    fn maker(&self, buckets: CollectionId) -> Option<(&'p Multiloop, &'p Generator)> {
        let made = self.made[buckets.0 as usize]?;
        let (block, at) = self.place;
        if made.block != block || made.at >= at {
            return None;
        }
        let Let::Loop { multiloop, .. } = &self.program.block(block).lets[made.at] else { return None };
        Some((multiloop, &multiloop.generators[made.generator]))
    }

    /// Whether a let can be made for all keys; with which index of its nest it begins then.
    fn can_be_keyed(&mut self, each: &Let) -> Option<usize> {
        match each {
            Let::Loop { multiloop, .. } => self.loop_can_be_keyed(multiloop),
            Let::Window { .. } | Let::Concat { .. } => {
                let inputs = each.inputs();
                let are_keyed = inputs.iter().all(|input| self.keyed.contains(input));
                let one_row = inputs.iter().any(|&input| self.is_one_row(input));
                (are_keyed && (!one_row || self.can_fill())).then_some(0)
            }
            Let::Sort { .. } | Let::Iterate { .. } | Let::Values { .. } => None,
        }
    }

    fn loop_can_be_keyed(&mut self, multiloop: &Multiloop) -> Option<usize> {
        let begin = multiloop.nest.iter().position(|index| !self.goes_over_one_row(index));
        let begins = |scan: &mut Self, at: &usize| match &multiloop.nest[*at].source {
            Source::Bucket { collection, key } => scan.is_probed(*collection, key),
            Source::Rows(collection) => scan.keyed.contains(collection),
            _ => false,
        };
        let (begin, filled) = match begin.filter(|at| begins(self, at)) {
            Some(at) => (at, false),
            None => (0, true),
        };
        let collects =
            multiloop.generators.iter().any(|generator| !matches!(generator, Generator::BucketReduce { .. }));
        let goes_on = |(at, index): (usize, &Index)| match &index.source {
            _ if at == begin || self.goes_over_one_row(index) => true,
            Source::Rows(collection) => !collects && !self.own.contains(collection),
            Source::Bucket { collection, .. } | Source::BucketOrNull { collection, .. } => {
                !self.own.contains(collection) || self.keyed.contains(collection)
            }
            Source::BucketAndRest { .. } => false,
            Source::Count(_) => true,
        };
        let kinds = multiloop.generators.iter().all(|generator| match generator {
            Generator::Reduce { aggregates, .. } => aggregates.iter().all(|each| {
                let is_alone = multiloop.generators.len() == 1;
                !each.reduction.gives_rows() || is_alone && places_of(self.program, each).is_some()
            }),
            _ => true,
        });
        let begins = !filled || multiloop.nest.first().is_some_and(|first| self.goes_over_one_row(first));
        let goes_on = multiloop.nest.iter().enumerate().all(goes_on);
        let fits = begins && goes_on && kinds && self.reads_own_rows(multiloop, begin);
        (fits && (!filled || self.can_fill())).then_some(begin)
    }

    /// Whether a let reduces rows of Reduces to what expressions say of them.
    fn is_expression_of_rows(&self, each: &Let) -> bool {
        let Let::Loop { multiloop, .. } = each else { return false };
        let over_rows = multiloop.nest.iter().all(|index| self.goes_over_one_row(index));
        over_rows && is_expression(self.program, &multiloop.generators[0]) && self.can_go_within_key(each)
    }

    /// Whether a collection is the row of a Reduce, one for each key, those without rows too.
    fn is_one_row(&self, id: CollectionId) -> bool {
        self.keyed.contains(&id) && self.program.collection(id).shape == Shape::Single
    }

    fn goes_over_one_row(&self, index: &Index) -> bool {
        matches!(index.source, Source::Rows(collection) if self.is_one_row(collection))
    }

    /// Whether there can be a row for each key that asks: the keys can be gone over, and are of the buckets' types.
    fn can_fill(&mut self) -> bool {
        let fills = self.probe.as_ref().is_some_and(|(probe, types)| {
            let parts = probe.iter().map(|part| self.program.scalars.data_type(part.scalar));
            parts.eq(types.iter().copied()) && self.asking(probe).is_some()
        });
        self.fills |= fills;
        fills
    }

    /// Whether what a loop computes reads its own rows alone, and of what the block makes what is made for all keys.
    fn reads_own_rows(&mut self, multiloop: &Multiloop, begin: usize) -> bool {
        let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
        let others = multiloop.nest.iter().enumerate().filter(|(at, _)| *at != begin);
        let probes = others.flat_map(|(_, index)| index.source.scalars());
        let scalars: Vec<ScalarId> = probes.chain(multiloop.generators.iter().flat_map(Generator::scalars)).collect();
        let reads_rows = scalars.iter().all(|&id| self.free.scalar(self.program, id).iter().all(|id| own.contains(id)));
        let made = |id: CollectionId| self.own.contains(&id);
        let keyed = |&id: &ScalarId| collection_of(self.program, id).is_some_and(|read| self.keyed.contains(&read));
        reads_rows && reads_of(self.program, scalars, made).is_some_and(|read| read.iter().all(keyed))
    }

    /// Whether an index goes over one of the buckets that the row which asks finds, as those before it did.
    fn is_probed(&mut self, buckets: CollectionId, key: &[KeyPart]) -> bool {
        let is_collected = matches!(self.maker(buckets), Some((_, Generator::BucketCollect { .. })));
        if self.own.contains(&buckets) || key.is_empty() || !is_collected {
            return false;
        }
        let types: Vec<DataType> =
            self.program.collection(buckets).fields.iter().map(|field| field.data_type).collect();
        match &self.probe {
            Some((probe, of)) => *probe == key && *of == types,
            None => {
                self.probe = Some((key.to_vec(), types));
                true
            }
        }
    }

    /// Whether a let that stays can read what has been made for all keys within one.
    fn can_go_within_key(&self, each: &Let) -> bool {
        let is_keyed = |collection: CollectionId| self.keyed.contains(&collection);
        let sources = match each {
            Let::Loop { multiloop, .. } => {
                let has_rest = multiloop.rest().is_some();
                multiloop.nest.iter().all(|index| match &index.source {
                    Source::BucketAndRest { collection, .. } => !is_keyed(*collection),
                    _ => !has_rest || !self.goes_over_one_row(index),
                })
            }
            Let::Iterate { .. } => collections_read(self.program, each).is_disjoint(&self.keyed),
            other => !other.inputs().into_iter().any(is_keyed),
        };
        sources && reads_of(self.program, each.scalars(), is_keyed).is_some()
    }
}

/// Whether a let makes groups of rows, or puts them in order.
fn groups_or_orders(each: &Let) -> bool {
    match each {
        Let::Window { .. } => true,
        Let::Loop { multiloop, .. } => {
            let groups = |each: &Generator| matches!(each, Generator::BucketReduce { .. } | Generator::Reduce { .. });
            multiloop.generators.iter().any(groups)
        }
        _ => false,
    }
}
