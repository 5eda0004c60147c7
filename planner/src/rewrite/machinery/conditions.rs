//! Visits the conditions of a let.

use crate::multiloop::{Generator, Let, ScalarId, Source};

/// Visits the conditions of a let in the order of [`for_each_condition_mut`].
pub(in crate::rewrite) fn for_each_condition(each: &Let, mut visit: impl FnMut(&[ScalarId])) {
    let Let::Loop { multiloop, .. } = each else { return };
    for index in &multiloop.nest {
        if let Source::BucketOrNull { condition, .. } | Source::BucketAndRest { condition, .. } = &index.source {
            visit(condition);
        }
    }
    for generator in &multiloop.generators {
        visit(generator.condition());
        generator.aggregates().iter().for_each(|aggregate| visit(&aggregate.condition));
    }
}

/// Visits the conditions of a let: of left joins, generators and aggregates.
pub(in crate::rewrite) fn for_each_condition_mut(each: &mut Let, mut change: impl FnMut(&mut Vec<ScalarId>)) {
    let Let::Loop { multiloop, .. } = each else { return };
    for index in &mut multiloop.nest {
        index.source.condition_mut().into_iter().for_each(&mut change);
    }
    for generator in &mut multiloop.generators {
        change(generator.condition_mut());
        if let Generator::Reduce { aggregates, .. } | Generator::BucketReduce { aggregates, .. } = generator {
            aggregates.iter_mut().for_each(|aggregate| change(&mut aggregate.condition));
        }
    }
}
