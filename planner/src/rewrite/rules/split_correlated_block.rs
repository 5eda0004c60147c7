//! A nested block of several lets over the rows of a bucket becomes lets over the rows of all buckets, in front of the loop that asks.
//!
//! ```text
//! B = BucketCollect[nest](c)(k)(v)
//! G[i …](… { R = BucketReduce[j in B[h(i)]](d(j))(g(j))(f(j)) ; S = Reduce[r in R](e(r))(q(r)) ; S } …)
//!     →   R' = BucketReduce[nest](c && d(v))(k, g(v))(f(v))
//!         S' = BucketReduce[r in R'](e(r))(r.k)(q(r))
//!         G[i …](… S'[h(i)] …)
//! ```
//!
//! Each let of the block is made once for all keys, its rows have the bucket's key in front, and what is read within the block is read within
//! the key: groups have it among their keys, windows among what partitions them, and a top-k becomes the first places of a window. The last
//! Reduce is looked up. If a let of the block reads the row that asks, those in front of it go all the same, and it goes over buckets of theirs:
//!
//! ```text
//! G[i …](… { R = BucketReduce[j in B[h(i)]] … ; Reduce[r in R](any(r.x < i.y)) } …)
//!     →   R' = … ; C = BucketCollect[r in R'](r.k)(r) ; G[i …](… { Reduce[r in C[h(i)]](any(r.x < i.y)) } …)
//! ```
//!
//! Source: loop fission (distribution) of an imperfect nest, which makes perfect ones for DMLL's Conditional Reduce (Figure 3); of SQL the
//! unnesting of arbitrary queries (Neumann and Kemper, BTW 2015). An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %0
//!   %3 collect
//!     block b0
//!       loop
//!         i2 in %2[i1.a]
//!         %4 bucket_reduce
//!           key x = i2.x
//!           count = count_rows()
//!       loop
//!         i3 in %4
//!         %5 reduce
//!           if i3.x > 5
//!           most? = max(i3.count)
//!       result %5
//!     a = i1.a
//!     most? = b0.most
//! result %3
//! output a, most
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %1
//!   %3 bucket_reduce
//!     key k? = i1.k
//!     key x = i1.x
//!     count = count_rows()
//! loop
//!   i2 in %3
//!   %4 bucket_reduce
//!     if i2.x > 5
//!     key k? = i2.k
//!     most? = max(i2.count)
//! loop
//!   i3 in %0
//!   %5 collect
//!     a = i3.a
//!     most? = %4[i3.a].most
//! result %5
//! output a, most
//! ```
//!
//! The buckets go when nothing else reads them. Where few rows ask, as far as anybody knows, the lets are made for their keys only:
//! `K = BucketReduce[i …](c)(h(i))`, with the conditions that stand in front of the block, and `exists K[k]` is a condition on what begins with
//! the buckets' rows (magic sets, as in `collect_driving_rows`).
//!
//! Guard, and why:
//! * the lets that go read the row that asks in the probe of their first bucket only, and all with the same probe: any other value of
//!   that row (`where u.x < t.a`) would be one for each row, not for each key;
//! * a Reduce within the block, other than the last, stays: it has a row where the bucket has none (`select count(*) from (select
//!   count(*) from u where u.k = t.a) s`), which groups do not have;
//! * they look up nothing that the block makes (`except`): only what they go over gets the key;
//! * a top-k has an order and constants, and all rows that it orders have one form: which of two equal values (0 and -0, 1.0 and 1.00) it
//!   takes a window does not know;
//! * no pairs with all rows of something else are kept: those of one key may have room where those of all have not;
//! * of several lets one at least groups or orders: rows that are only collected are as well where they are;
//! * nothing in the block may fail or is volatile, unless the program may speculate: it is now evaluated for keys that no row asks for;
//! * the block is not read by the fields of a top-k of few rows alone: these are made for the rows that stay, which nobody knows before;
//! * K is made of conditions that cannot fail and hold no block, over an index of rows and buckets beside it: its rows are gone over twice.
//!
//! NULLs: the probe is the bucket's own, NULL parts find what they found; within a key NULL is one of its values. A key without rows
//! gives what the last Reduce gives for no rows. Joins: other indices of a nest are kept as they are. It ends: each change takes lets out
//! of a block.

use crate::function::Effects;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, collections_read, nested_of};
use crate::multiloop::{
    Aggregate, Block, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Reduction,
    Scalar, ScalarId, Shape, Source, WindowField,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::first_places::{self, places_of};
use crate::rewrite::machinery::partition_groups::{columns, over_rows};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest share of the keys for which asking pays, and how many rows have to be asked for each that asks.
const SHARE_MAX: f64 = 0.5;
const ROWS_PER_ROW: f64 = 4.0;

/// First rows that are few.
const FIRST_ROWS: i64 = 1024;

/// Takes lets out of nested blocks.
pub(super) fn split_correlated_block(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            while let Some(found) = limit.next(find(program, block, at)) {
                at += split(program, (block, at), &found);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// A block of which the first lets can be made for all keys.
struct Splittable {
    nested: BlockId,
    /// How the row that asks finds its key.
    probe: Vec<KeyPart>,
    /// How many lets these are; all of them if the last Reduce is one.
    keyed: usize,
    effects: Effects,
    /// The rows that ask, if they are few: a nest, and conditions.
    asking: Option<(Vec<Index>, Vec<ScalarId>)>,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Splittable> {
    let nested = nested_of(program, &program.block(block).lets[at]);
    let several = |nested: &BlockId| program.block(*nested).lets.len() > 1;
    let asked = |nested: &BlockId| several(nested) && !is_asked_by_first_rows(program, (block, at), *nested);
    let mut nested = nested.into_iter().map(|(_, nested, _)| nested).filter(asked).peekable();
    nested.peek()?;
    let made = definitions(program);
    nested.find_map(|nested| Scan::of(program, nested, (block, at), &made).splittable(nested))
}

/// Whether a block is read by the fields of a few first rows alone, which are made of the rows that stay.
fn is_asked_by_first_rows(program: &Program, (block, at): (BlockId, usize), nested: BlockId) -> bool {
    let Let::Loop { multiloop, .. } = &program.block(block).lets[at] else { return false };
    let [Generator::Reduce { condition, aggregates }] = &multiloop.generators[..] else { return false };
    let [Aggregate { reduction: Reduction::TopK { order, limit, .. }, arguments, .. }] = &aggregates[..] else {
        return false;
    };
    let is_small = matches!(program.scalars.get(*limit), Scalar::Constant(Value::Int(limit)) if *limit <= FIRST_ROWS);
    let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
    let by_all = of_nest.chain(condition.iter().copied()).chain(arguments[..order.len()].iter().copied());
    is_small && !order.is_empty() && !blocks_of(program, by_all.collect()).contains(&nested)
}

/// Goes through the lets of a block.
struct Scan<'p> {
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
    fn of(program: &'p Program, nested: BlockId, place: (BlockId, usize), made: &'p [Option<Definition>]) -> Self {
        let own = program.block(nested).lets.iter().flat_map(|each| each.defines().to_vec()).collect();
        Scan { program, made, place, own, keyed: FxHashSet::default(), probe: None, free: FreeIndices::default() }
    }

    fn splittable(mut self, nested: BlockId) -> Option<Splittable> {
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

/// The blocks that scalars hold.
fn blocks_of(program: &Program, scalars: Vec<ScalarId>) -> Vec<BlockId> {
    let all = Let::Values { define: CollectionId(0), rows: vec![scalars] };
    nested_of(program, &all).into_iter().map(|(_, block, _)| block).collect()
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

/// Takes the lets out; how many there are in front of the let that asks now.
fn split(program: &mut Program, (block, at): (BlockId, usize), found: &Splittable) -> usize {
    program.moved(found.effects);
    let Block { lets, result } = program.block(found.nested).clone();
    let (keyed, rest) = lets.split_at(found.keyed);
    let made = definitions(program);
    let mut split = Split::new(program, found, made);
    keyed.iter().for_each(|each| split.add(program, each));
    let mut readers = match rest {
        [] => split.lookups(program, found, &keyed[keyed.len() - 1]),
        rest => split.buckets(program, found, (rest, result)),
    };
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    let added = split.front.len();
    lets.splice(at..at, split.front);
    program.blocks[block.0 as usize].lets = lets;
    added
}

/// Lets that have been made for all keys.
struct Split {
    made: Vec<Option<Definition>>,
    /// How many parts the key has: the first fields of whatever is made.
    keys: u32,
    /// By what was made for one key.
    keyed: FxHashMap<CollectionId, CollectionId>,
    /// The keys that are asked for, if these are few, and whether NULL is one of them, part by part.
    asked: Option<(CollectionId, Vec<bool>)>,
    front: Vec<Let>,
}

impl Split {
    fn new(program: &mut Program, found: &Splittable, made: Vec<Option<Definition>>) -> Self {
        let keys = found.probe.len() as u32;
        let mut split = Split { made, keys, keyed: FxHashMap::default(), asked: None, front: Vec::new() };
        if let Some((nest, condition)) = &found.asking {
            let key: Vec<ScalarId> = found.probe.iter().map(|part| part.scalar).collect();
            let named = key.iter().enumerate();
            let named = named.map(|(at, &id)| Field::new(format!("key{at}"), program.scalars.data_type(id), true));
            let fields = named.collect();
            let generator = Generator::BucketReduce { condition: condition.clone(), key, aggregates: Vec::new() };
            let multiloop = Multiloop { nest: nest.clone(), generators: vec![generator] };
            let multiloop = Substitution::copied(program, multiloop);
            let asked = program.add_collection(fields, Shape::Groups { keys });
            split.asked = Some((asked, found.probe.iter().map(|part| part.null_matches).collect()));
            split.front.push(Let::Loop { defines: vec![asked], multiloop });
        }
        split
    }

    /// Makes a let of the block for all keys.
    fn add(&mut self, program: &mut Program, each: &Let) {
        match each {
            Let::Loop { defines, multiloop } => self.add_loop(program, defines, multiloop),
            Let::Window { define, input, partition, order, functions } => {
                let (input, behind) = (self.keyed[input], self.keys);
                let partition = (0..behind).chain(partition.iter().map(|field| field + behind)).collect();
                let order = order.iter().map(|(field, order)| (field + behind, *order)).collect();
                let moved = |field: &WindowField| {
                    let arguments = field.arguments.iter().map(|argument| argument + behind).collect();
                    WindowField { arguments, ..field.clone() }
                };
                let functions = functions.iter().map(moved).collect();
                let key = self.key_fields(program, input);
                let define = self.define(program, *define, key, Shape::Rows);
                self.front.push(Let::Window { define, input, partition, order, functions });
            }
            Let::Concat { define, inputs } => {
                let inputs: Vec<CollectionId> = inputs.iter().map(|input| self.keyed[input]).collect();
                let key = self.key_fields(program, inputs[0]);
                let define = self.define(program, *define, key, Shape::Rows);
                self.front.push(Let::Concat { define, inputs });
            }
            Let::Sort { .. } | Let::Iterate { .. } | Let::Values { .. } => unreachable!("the scan has left it out"),
        }
    }

    /// The fields of the key of what has been made for all keys.
    fn key_fields(&self, program: &Program, of: CollectionId) -> Vec<Field> {
        program.collection(of).fields[..self.keys as usize].to_vec()
    }

    /// What takes the place of a collection, with the key in front of its fields.
    fn define(&mut self, program: &mut Program, old: CollectionId, key: Vec<Field>, shape: Shape) -> CollectionId {
        let fields = key.into_iter().chain(program.collection(old).fields.iter().cloned()).collect();
        let new = program.add_collection(fields, shape);
        self.keyed.insert(old, new);
        new
    }

    fn add_loop(&mut self, program: &mut Program, defines: &[CollectionId], multiloop: &Multiloop) {
        let mut copy = Substitution::copying();
        let Begin { mut nest, condition: in_front, key, key_fields } =
            self.begin(program, &multiloop.nest[0], &mut copy);
        for index in &multiloop.nest[1..] {
            let mut index = index.clone();
            let keyed = index.source.collection().and_then(|collection| self.keyed.get(&collection)).copied();
            copy.index(program, &mut index);
            if let (
                Some(keyed),
                Source::Bucket { collection, key: probe } | Source::BucketOrNull { collection, key: probe, .. },
            ) = (keyed, &mut index.source)
            {
                *collection = keyed;
                probe.splice(0..0, key.iter().map(|&scalar| KeyPart { scalar, null_matches: true }));
            }
            nest.push(index);
        }
        let (mut made, mut generators, mut window) = (Vec::new(), Vec::new(), None);
        for (define, generator) in defines.iter().zip(&multiloop.generators) {
            let mut generator = generator.clone();
            copy.generator(program, &mut generator);
            generator.condition_mut().splice(0..0, in_front.iter().copied());
            let (shape, generator) = match generator {
                Generator::Reduce { condition, aggregates } if aggregates[0].reduction.gives_rows() => {
                    let taken = self.define(program, *define, key_fields.clone(), Shape::Rows);
                    let (rows, collect, behind) =
                        first_places::rows_of_keys(program, taken, condition, (&key, &aggregates[0]));
                    window = Some(behind);
                    made.push(rows);
                    generators.push(collect);
                    continue;
                }
                Generator::Reduce { condition, mut aggregates } => {
                    if let [only] = &aggregates[..]
                        && only.is_any_true(&program.scalars)
                    {
                        aggregates.clear();
                    }
                    let shape = Shape::Groups { keys: self.keys };
                    (shape, Generator::BucketReduce { condition, key: key.clone(), aggregates })
                }
                Generator::Collect { condition, value } => {
                    (Shape::Rows, Generator::Collect { condition, value: [&key[..], &value].concat() })
                }
                Generator::BucketCollect { condition, key: own, value } => {
                    let shape = program.collection(*define).shape.clone();
                    (shape, Generator::BucketCollect { condition, key: [&key[..], &own].concat(), value })
                }
                Generator::BucketReduce { condition, key: own, aggregates } => {
                    let shape = Shape::Groups { keys: self.keys + own.len() as u32 };
                    (shape, Generator::BucketReduce { condition, key: [&key[..], &own].concat(), aggregates })
                }
            };
            made.push(match &generator {
                // An EXISTS has no value but that there is the key.
                Generator::BucketReduce { aggregates, .. } if aggregates.is_empty() && is_single(program, *define) => {
                    let groups = program.add_collection(key_fields.clone(), shape);
                    self.keyed.insert(*define, groups);
                    groups
                }
                _ => self.define(program, *define, key_fields.clone(), shape),
            });
            generators.push(generator);
        }
        self.front.push(Let::Loop { defines: made, multiloop: Multiloop { nest, generators } });
        self.front.extend(window.into_iter().flatten());
    }

    /// How the nest begins that goes over the rows of all keys, in place of an index over those of one.
    fn begin(&self, program: &mut Program, first: &Index, copy: &mut Substitution) -> Begin {
        if let Source::Rows(collection) = &first.source {
            let keyed = self.keyed[collection];
            let index = program.index_over(Source::Rows(keyed));
            let mut key = columns(program, keyed, index.id);
            let value = key.split_off(self.keys as usize);
            copy.replace_index(first.id, value);
            return Begin {
                nest: vec![index],
                condition: Vec::new(),
                key,
                key_fields: self.key_fields(program, keyed),
            };
        }
        let Some(buckets) = first.source.collection() else { unreachable!("the scan has seen buckets") };
        let Some(made) = self.made[buckets.0 as usize] else { unreachable!("the scan has seen who makes them") };
        let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else {
            unreachable!("buckets are made by a loop")
        };
        let Generator::BucketCollect { condition, key, value } = &multiloop.generators[made.generator] else {
            unreachable!("the scan has seen that they are collected")
        };
        let (mut nest, mut condition, mut key, mut value) =
            (multiloop.nest.clone(), condition.clone(), key.clone(), value.clone());
        let mut of_maker = Substitution::copying();
        for index in &mut nest {
            of_maker.index(program, index);
        }
        for scalars in [&mut condition, &mut key, &mut value] {
            of_maker.all(program, scalars);
        }
        copy.replace_index(first.id, value);
        if let Some((asked, null_matches)) = &self.asked {
            let parts = key.iter().zip(null_matches);
            let probe = parts.map(|(&scalar, &null_matches)| KeyPart { scalar, null_matches }).collect();
            let is_asked = Scalar::Exists { collection: *asked, key: probe };
            condition.push(program.scalars.intern(is_asked, DataType::Boolean));
        }
        Begin { nest, condition, key, key_fields: program.collection(buckets).fields.clone() }
    }

    /// The readers of a block whose last let has been made for all keys look it up.
    fn lookups(&self, program: &mut Program, found: &Splittable, last: &Let) -> Substitution {
        let mut readers = Substitution::new();
        let groups = self.keyed[&last.defines()[0]];
        let values = program.collection(program.block(found.nested).result).fields.clone();
        let is_exists = program.collection(groups).fields.len() == self.keys as usize;
        for (value, field) in values.iter().zip(0..) {
            let old = program.nested(found.nested, field);
            let key = found.probe.clone();
            let new = if is_exists {
                program.scalars.intern(Scalar::Exists { collection: groups, key }, DataType::Boolean)
            } else {
                let lookup = Scalar::Lookup { collection: groups, key, field: self.keys + field };
                program.scalars.intern(lookup, value.data_type)
            };
            readers.replace_scalar(old, new);
        }
        readers
    }

    /// The readers of a block of which some lets stay read one in which these go over buckets.
    fn buckets(
        &mut self,
        program: &mut Program,
        found: &Splittable,
        (rest, result): (&[Let], CollectionId),
    ) -> Substitution {
        let mut lets = rest.to_vec();
        let mut collected: FxHashMap<CollectionId, CollectionId> = FxHashMap::default();
        for each in &mut lets {
            let Let::Loop { multiloop, .. } = each else { continue };
            for index in &mut multiloop.nest {
                let Some(&keyed) = index.source.collection().and_then(|collection| self.keyed.get(&collection)) else {
                    continue;
                };
                match &mut index.source {
                    Source::Bucket { collection, key } | Source::BucketOrNull { collection, key, .. } => {
                        *collection = keyed;
                        key.splice(0..0, found.probe.iter().copied());
                    }
                    source => {
                        let collection = match collected.get(&keyed) {
                            Some(&known) => known,
                            None => self.collect(program, keyed),
                        };
                        collected.insert(keyed, collection);
                        *source = Source::Bucket { collection, key: found.probe.clone() };
                    }
                }
            }
        }
        let new = program.add_block(Block { lets, result });
        // Other lets may read the block, too, and keep it.
        let new = Substitution::copying().block(program, new);
        Substitution::readers_of(program, found.nested, new)
    }

    /// The rows of all keys in buckets, without the key.
    fn collect(&mut self, program: &mut Program, keyed: CollectionId) -> CollectionId {
        let index = program.add_index();
        let mut key = columns(program, keyed, index);
        let value = key.split_off(self.keys as usize);
        let mut fields = program.collection(keyed).fields.clone();
        let members = fields.split_off(self.keys as usize);
        let buckets = program.add_collection(fields, Shape::Buckets { members });
        let generator = Generator::BucketCollect { condition: Vec::new(), key, value };
        self.front.push(over_rows(buckets, index, keyed, generator));
        buckets
    }
}

/// How a nest begins: with these indices and conditions; and the key of its rows.
struct Begin {
    nest: Vec<Index>,
    condition: Vec<ScalarId>,
    key: Vec<ScalarId>,
    key_fields: Vec<Field>,
}

/// Whether a collection is one row.
fn is_single(program: &Program, id: CollectionId) -> bool {
    program.collection(id).shape == Shape::Single
}
