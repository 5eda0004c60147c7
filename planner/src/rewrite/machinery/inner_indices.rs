//! The indices of a nested loop: which scalars read them, and which conditions are equalities between the loop and what is
//! around it.

use crate::function::Function;
use crate::multiloop::uses::FreeIndices;
use crate::multiloop::{Index, IndexId, KeyPart, Program, Scalar, ScalarId};

/// The indices of a nested loop, and what reads them.
pub(in crate::rewrite) struct InnerIndices<'p> {
    program: &'p Program,
    free: FreeIndices,
    own: Vec<IndexId>,
}

impl<'p> InnerIndices<'p> {
    /// Those of a nest.
    pub(in crate::rewrite) fn of(program: &'p Program, nest: &[Index]) -> Self {
        InnerIndices { program, free: FreeIndices::default(), own: nest.iter().map(|index| index.id).collect() }
    }

    /// The conditions that read inner indices only, and the sides of the others, if all of these are equalities across.
    #[allow(clippy::type_complexity, reason = "a struct of the two would be read in two places and named nowhere")]
    pub(in crate::rewrite) fn split(
        &mut self,
        condition: &[ScalarId],
    ) -> Option<(Vec<ScalarId>, Vec<(ScalarId, KeyPart)>)> {
        let (mut kept, mut key) = (Vec::new(), Vec::new());
        for &id in condition {
            if self.reads_only(id) {
                kept.push(id);
            } else {
                key.push(self.equality(id)?);
            }
        }
        Some((kept, key))
    }

    /// Whether a scalar reads no other index.
    pub(in crate::rewrite) fn reads_only(&mut self, id: ScalarId) -> bool {
        self.free.scalar(self.program, id).iter().all(|index| self.own.contains(index))
    }

    /// Whether a scalar reads none of them.
    pub(in crate::rewrite) fn reads_none(&mut self, id: ScalarId) -> bool {
        !self.free.scalar(self.program, id).iter().any(|index| self.own.contains(index))
    }

    /// `g(j) = h(i)`, either way round.
    fn equality(&mut self, id: ScalarId) -> Option<(ScalarId, KeyPart)> {
        equality(self.program, id, |[inner, outer]| self.reads_only(inner) && self.reads_none(outer))
    }
}

/// The sides of an equality, either way round: the first one that `fits`, and the other as the part of a key.
pub(in crate::rewrite) fn equality(
    program: &Program,
    id: ScalarId,
    mut fits: impl FnMut([ScalarId; 2]) -> bool,
) -> Option<(ScalarId, KeyPart)> {
    let Scalar::Call { function: function @ (Function::Equal | Function::IsNotDistinct), arguments } =
        program.scalars.get(id)
    else {
        return None;
    };
    let &[a, b] = &arguments[..] else { return None };
    let [own, scalar] = [[a, b], [b, a]].into_iter().find(|&sides| fits(sides))?;
    Some((own, KeyPart { scalar, null_matches: *function == Function::IsNotDistinct }))
}

/// What a part of a key over a nest is called: as the column that it is, if it is one.
pub(in crate::rewrite) fn key_name(program: &Program, nest: &[Index], scalar: ScalarId, number: usize) -> String {
    if let Scalar::Column { index, field } = program.scalars.get(scalar)
        && let Some(found) = nest.iter().find(|own| own.id == *index)
    {
        return program.source_fields(&found.source)[*field as usize].name.clone();
    }
    format!("key{number}")
}
