//! Whether two loops traverse the same nest.

use super::substitute::Substitution;
use crate::multiloop::{Index, Let, Program, Source};

/// The renaming of the second loop's indices to the first's, if their nests are otherwise the same.
pub(in crate::rewrite) fn same_nest(program: &mut Program, first: &Let, second: &Let) -> Option<Substitution> {
    let (Let::Loop { multiloop: a, .. }, Let::Loop { multiloop: b, .. }) = (first, second) else { return None };
    let alike = a.nest.len() == b.nest.len() && a.nest.iter().zip(&b.nest).all(|(a, b)| is_alike(&a.source, &b.source));
    if !alike {
        return None;
    }
    let mut renaming = Substitution::new();
    for (to, index) in a.nest.iter().zip(&b.nest) {
        renaming.rename_index(index.id, to.id);
        let mut renamed: Index = index.clone();
        renaming.index(program, &mut renamed);
        let volatile = renamed.source.scalars().iter().any(|&id| program.scalars.effects(id).volatile);
        if volatile || renamed.source != to.source {
            return None;
        }
    }
    Some(renaming)
}

/// Whether two sources go over the same collection in the same way, keys apart.
fn is_alike(a: &Source, b: &Source) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b) && a.collection() == b.collection()
}
