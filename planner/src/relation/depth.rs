//! How deep a tree is, subqueries and expressions counted, without nesting as deep oneself.

use super::{Expression, ExpressionKind, Relation, SubqueryKind};

/// Part of a tree that waits to be looked at.
enum Part<'a> {
    Relation(&'a Relation),
    Expression(&'a Expression),
}

/// Whether a tree is deeper than so many levels.
pub(crate) fn is_deeper(relation: &Relation, levels: usize) -> bool {
    let mut waiting = vec![(Part::Relation(relation), 1)];
    while let Some((part, level)) = waiting.pop() {
        if level > levels {
            return true;
        }
        let mut below = |part| waiting.push((part, level + 1));
        match part {
            Part::Relation(relation) => {
                relation.inputs().into_iter().for_each(|input| below(Part::Relation(input)));
                relation.expressions().into_iter().for_each(|expression| below(Part::Expression(expression)));
            }
            Part::Expression(expression) => {
                if let ExpressionKind::Subquery(subquery) = &expression.kind {
                    below(Part::Relation(&subquery.relation));
                    if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &subquery.kind {
                        below(Part::Expression(predicate));
                    }
                }
                expression.children().into_iter().for_each(|child| below(Part::Expression(child)));
            }
        }
    }
    false
}
