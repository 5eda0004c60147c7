//! The scan: goes over the lets of a block and says which of them can be made for all keys, and for which keys.

use super::{Splittable, blocks_of};
use crate::function::Effects;
use crate::multiloop::uses::{FreeIndices, collections_read};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, ScalarId, Source,
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
    /// Where the let stands whose rows ask.
    place: (BlockId, usize),
    /// All that the block makes, and what of it has been found to be made for all keys.
    own: FxHashSet<CollectionId>,
    keyed: FxHashSet<CollectionId>,
    /// The probe, and the types of the key.
    probe: Option<(Vec<KeyPart>, Vec<DataType>)>,
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
        Scan { program, made, place, own, keyed: FxHashSet::default(), probe: None, free: FreeIndices::default() }
    }

    pub(super) fn splittable(mut self, nested: BlockId) -> Option<Splittable> {
        let (program, block) = (self.program, self.program.block(nested));
        let mut keyed = 0;
        for (number, each) in block.lets.iter().enumerate() {
            let is_last = number + 1 == block.lets.len() && each.defines() == [block.result];
            if !self.can_be_keyed(each, is_last) {
                break;
            }
            self.keyed.extend(each.defines());
            keyed += 1;
        }
        let (keyed_lets, rest) = block.lets.split_at(keyed);
        let pays = match rest {
            [] => keyed_lets.last().is_some_and(is_reduce),
            _ => keyed_lets.iter().any(groups_or_orders) && rest.iter().all(|each| self.can_go_over_buckets(each)),
        };
        let made_here = rest.is_empty() || !self.keyed.contains(&block.result);
        let effects = self.effects(keyed_lets);
        let fits = keyed > 0 && pays && made_here && program.may_move(effects);
        let (probe, _) = self.probe.take().filter(|_| fits)?;
        let asking = self.asking(nested, &probe).filter(|asking| self.are_few(asking, keyed_lets));
        Some(Splittable { nested, probe, keyed, effects, asking })
    }

    /// The rows that ask a block, or more of them, if they can be gone over for their keys.
    fn asking(&self, nested: BlockId, probe: &[KeyPart]) -> Option<(Vec<Index>, Vec<ScalarId>)> {
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
        let in_front = generator.condition().iter().take_while(|&&id| !blocks_of(program, vec![id]).contains(&nested));
        let condition = in_front.copied().filter(|&id| !holds_block(id) && program.scalars.effects(id).is_pure());
        Some((multiloop.nest.clone(), condition.collect()))
    }

    /// Whether rows that ask are few beside those in the buckets, and have few of their keys.
    fn are_few(&self, (nest, condition): &(Vec<Index>, Vec<ScalarId>), keyed: &[Let]) -> bool {
        let guess = Selectivity::of(self.program, self.made);
        let asking = guess.rows_of_nest(nest, condition).max(1.0);
        let few = |each: &Let| {
            let Let::Loop { multiloop, .. } = each else { return true };
            let Source::Bucket { collection, .. } = &multiloop.nest[0].source else { return true };
            let Some((maker, generator)) = self.maker(*collection) else { return true };
            let rows = guess.rows_of_nest(&maker.nest, generator.condition());
            asking * ROWS_PER_ROW <= rows && asking <= SHARE_MAX * guess.keys_of_nest(&maker.nest, generator.key())
        };
        keyed.iter().all(few)
    }

    /// What making these lets may do, with what is known of the rows of the buckets that they go over.
    fn effects(&self, lets: &[Let]) -> Effects {
        let mut effects = Effects::PURE;
        for each in lets {
            effects = effects.and(each.effects(self.program));
            let Let::Loop { multiloop, .. } = each else { continue };
            if let Source::Bucket { collection, .. } = &multiloop.nest[0].source
                && let Some((maker, generator)) = self.maker(*collection)
            {
                let scalars = maker.nest.iter().flat_map(|index| index.source.scalars()).chain(generator.scalars());
                for id in scalars {
                    effects = effects.and(self.program.scalars.effects(id));
                }
            }
        }
        effects
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

    fn can_be_keyed(&mut self, each: &Let, is_last: bool) -> bool {
        match each {
            Let::Loop { multiloop, .. } => self.loop_can_be_keyed(multiloop, is_last),
            Let::Window { input, .. } => self.keyed.contains(input),
            Let::Concat { inputs, .. } => inputs.iter().all(|input| self.keyed.contains(input)),
            Let::Sort { .. } | Let::Iterate { .. } | Let::Values { .. } => false,
        }
    }

    fn loop_can_be_keyed(&mut self, multiloop: &Multiloop, is_last: bool) -> bool {
        let Some((first, others)) = multiloop.nest.split_first() else { return false };
        let begins = match &first.source {
            Source::Bucket { collection, key } => self.is_probed(*collection, key),
            Source::Rows(collection) => self.keyed.contains(collection),
            _ => false,
        };
        let collects =
            multiloop.generators.iter().any(|generator| !matches!(generator, Generator::BucketReduce { .. }));
        let goes_on = |index: &Index| match &index.source {
            Source::Rows(collection) => !collects && !self.own.contains(collection),
            Source::Bucket { collection, .. } | Source::BucketOrNull { collection, .. } => {
                !self.own.contains(collection) || self.keyed.contains(collection)
            }
            Source::BucketAndRest { .. } => false,
            Source::Count(_) => true,
        };
        let kinds = match &multiloop.generators[..] {
            [Generator::Reduce { aggregates, .. }] => match &aggregates[..] {
                [top_k] if top_k.reduction.gives_rows() => places_of(self.program, top_k).is_some(),
                _ => is_last,
            },
            several => several.iter().all(|generator| !matches!(generator, Generator::Reduce { .. })),
        };
        begins && others.iter().all(goes_on) && kinds && self.reads_own_rows(multiloop)
    }

    /// Whether what a loop computes reads its own rows alone, and looks up nothing that the block makes.
    fn reads_own_rows(&mut self, multiloop: &Multiloop) -> bool {
        let own: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
        let probes = multiloop.nest[1..].iter().flat_map(|index| index.source.scalars());
        let scalars: Vec<ScalarId> = probes.chain(multiloop.generators.iter().flat_map(Generator::scalars)).collect();
        let reads_rows = scalars.iter().all(|&id| self.free.scalar(self.program, id).iter().all(|id| own.contains(id)));
        reads_rows && self.asks_nothing_made_here(scalars)
    }

    fn asks_nothing_made_here(&self, scalars: Vec<ScalarId>) -> bool {
        let all = Let::Values { define: CollectionId(0), rows: vec![scalars] };
        collections_read(self.program, &all).is_disjoint(&self.own)
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

    /// Whether a let that stays can read buckets of what it has read as rows.
    fn can_go_over_buckets(&self, each: &Let) -> bool {
        let is_keyed = |collection: &CollectionId| self.keyed.contains(collection);
        match each {
            Let::Loop { multiloop, .. } => {
                let rows = multiloop.nest.iter().all(|index| match &index.source {
                    Source::BucketAndRest { collection, .. } => !is_keyed(collection),
                    _ => true,
                });
                let scalars = Let::Values { define: CollectionId(0), rows: vec![each.scalars()] };
                rows && collections_read(self.program, &scalars).is_disjoint(&self.keyed)
            }
            Let::Iterate { .. } => collections_read(self.program, each).is_disjoint(&self.keyed),
            other => !other.inputs().iter().any(is_keyed),
        }
    }
}

/// Whether a let is a loop that reduces to one row.
fn is_reduce(each: &Let) -> bool {
    matches!(each, Let::Loop { multiloop, .. } if matches!(&multiloop.generators[..],
        [Generator::Reduce { aggregates, .. }] if !aggregates.iter().any(|each| each.reduction.gives_rows())))
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
