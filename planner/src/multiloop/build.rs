//! Conveniences for whoever makes programs: the lowering, the parser of the text form, rules and tests.

use super::{
    Block, BlockId, CollectionId, Generator, Index, Let, Program, Scalar, ScalarId, ScalarNode, Scalars, Source,
};
use crate::function::Effects;
use crate::speculation::Speculation;

impl Program {
    /// A program without lets. Its body's result is collection 0, which the caller defines.
    pub fn new() -> Self {
        Program {
            scalars: Scalars::default(),
            collections: Vec::new(),
            blocks: vec![Block { lets: Vec::new(), result: CollectionId(0) }],
            body: BlockId(0),
            indices: 0,
            parameters: Vec::new(),
            output: Vec::new(),
            speculation: Speculation::Never,
        }
    }

    /// A new index over this source.
    pub fn index_over(&mut self, source: Source) -> Index {
        Index { id: self.add_index(), source }
    }

    /// The value of a block: a field of the only row of its result.
    pub fn nested(&mut self, block: BlockId, field: u32) -> ScalarId {
        let result = self.block(block).result;
        let data_type = self.collection(result).fields[field as usize].data_type;
        let effects = self.block_effects(block);
        self.scalars.intern_with(ScalarNode { scalar: Scalar::Nested { block, field }, data_type }, effects)
    }

    /// Whether what has these effects may be evaluated for more rows: it is pure, or the program may speculate and it
    /// is not volatile. Whoever does so says so with [`Program::moved`].
    pub fn may_move(&self, effects: Effects) -> bool {
        !effects.volatile && (!effects.may_fail || self.speculation.is_allowed())
    }

    /// Notes that what has these effects is now evaluated for more rows.
    pub fn moved(&mut self, effects: Effects) {
        if effects.may_fail {
            self.speculation.make();
        }
    }

    /// What evaluating a block may do: all of its scalars, and the reductions' own failures.
    pub fn block_effects(&self, block: BlockId) -> Effects {
        self.block(block).lets.iter().fold(Effects::PURE, |effects, each| effects.and(each.effects(self)))
    }
}

impl Default for Program {
    fn default() -> Self {
        Program::new()
    }
}

impl Let {
    /// Its scalars: of a loop the nest's and then the generators'.
    pub fn scalars(&self) -> Vec<ScalarId> {
        let mut all = Vec::new();
        self.for_each_scalar(|id| all.push(id));
        all
    }

    /// Visits its scalars, in the order of [`Let::scalars`].
    pub fn for_each_scalar(&self, mut visit: impl FnMut(ScalarId)) {
        match self {
            Let::Loop { multiloop, .. } => {
                multiloop.nest.iter().for_each(|index| index.source.for_each_scalar(&mut visit));
                multiloop.generators.iter().for_each(|generator| generator.for_each_scalar(&mut visit));
            }
            Let::Sort { .. } | Let::Window { .. } | Let::Iterate { .. } | Let::Concat { .. } => {}
            Let::Values { rows, .. } => rows.iter().flatten().copied().for_each(visit),
        }
    }

    /// Changes its scalars in place, in the order of [`Let::scalars`].
    pub fn for_each_scalar_mut(&mut self, mut change: impl FnMut(&mut ScalarId)) {
        match self {
            Let::Loop { multiloop, .. } => {
                multiloop.nest.iter_mut().for_each(|index| index.source.for_each_scalar_mut(&mut change));
                multiloop.generators.iter_mut().for_each(|generator| generator.for_each_scalar_mut(&mut change));
            }
            Let::Sort { .. } | Let::Window { .. } | Let::Iterate { .. } | Let::Concat { .. } => {}
            Let::Values { rows, .. } => rows.iter_mut().flatten().for_each(change),
        }
    }

    /// The collections that it goes over, directly: sources of a nest, inputs of Sort, Window and Concat, an Iterate's seed. What
    /// its scalars look up, or its step reads, is not among them.
    pub fn inputs(&self) -> Vec<CollectionId> {
        match self {
            Let::Loop { multiloop, .. } => multiloop.nest.iter().filter_map(|i| i.source.collection()).collect(),
            Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => vec![*input],
            Let::Concat { inputs, .. } => inputs.clone(),
            Let::Values { .. } => Vec::new(),
        }
    }

    /// The block that an Iterate runs.
    pub fn step(&self) -> Option<BlockId> {
        if let Let::Iterate { step, .. } = self { Some(*step) } else { None }
    }

    /// What evaluating it may do.
    pub fn effects(&self, program: &Program) -> Effects {
        let (scalars, mut effects) = (&program.scalars, Effects::PURE);
        self.for_each_scalar(|id| effects = effects.and(scalars.effects(id)));
        match self {
            Let::Loop { multiloop, .. } => {
                for aggregate in multiloop.generators.iter().flat_map(Generator::aggregates) {
                    effects = effects.and(aggregate.own_effects(scalars));
                }
                effects
            }
            Let::Window { input, functions, .. } => {
                let may_fail = program.window_may_fail(*input, functions);
                effects.and(Effects { may_fail, volatile: false })
            }
            Let::Iterate { step, .. } => effects.and(program.block_effects(*step)),
            Let::Sort { .. } | Let::Concat { .. } | Let::Values { .. } => effects,
        }
    }
}

impl Source {
    /// Visits its scalars, in the order of [`Source::scalars`].
    pub fn for_each_scalar(&self, mut visit: impl FnMut(ScalarId)) {
        match self {
            Source::Rows(_) => {}
            Source::Bucket { key, .. } => key.iter().for_each(|part| visit(part.scalar)),
            Source::BucketOrNull { key, condition, .. } | Source::BucketAndRest { key, condition, .. } => {
                key.iter().for_each(|part| visit(part.scalar));
                condition.iter().copied().for_each(visit);
            }
            Source::Count(count) => visit(*count),
        }
    }
}

impl Generator {
    /// Visits its scalars, in the order of [`Generator::scalars`].
    pub fn for_each_scalar(&self, mut visit: impl FnMut(ScalarId)) {
        self.condition().iter().chain(self.key()).copied().for_each(&mut visit);
        if let Generator::Collect { value, .. } | Generator::BucketCollect { value, .. } = self {
            value.iter().copied().for_each(&mut visit);
        }
        self.aggregates().iter().for_each(|aggregate| aggregate.for_each_scalar(&mut visit));
    }
}
