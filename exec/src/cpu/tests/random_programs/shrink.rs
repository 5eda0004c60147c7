//! Makes a case that fails smaller, simply: it leaves out rows, lets, generators, conditions and columns of the output, and
//! puts constants and arguments in the place of scalars, as long as what is left is a program that fails.

use super::Case;
use super::met::Met;
use super::write::value;
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::{CollectionId, Let, Program, Scalar, ScalarId, Shape};
use std::sync::Arc;

/// Cases that are tried, at most.
const TRIES_MAX: usize = 200;

/// A smaller case that fails, too.
pub(super) fn shrink(case: Case, pools: &[Arc<Pool>]) -> Case {
    let (mut best, mut tries) = (case, 0);
    loop {
        let Some(smaller) = smaller(&best).find(|candidate| {
            tries += 1;
            tries <= TRIES_MAX && is_wrong(candidate, pools)
        }) else {
            return best;
        };
        best = smaller;
    }
}

/// Whether it is a program that fails.
fn is_wrong(case: &Case, pools: &[Arc<Pool>]) -> bool {
    let is_program = multiloop_planner::analysis::verify::verify(&case.program).is_ok();
    is_program && case.wrong(pools, &mut Met::default()).is_some()
}

/// Cases that are a little smaller.
fn smaller(case: &Case) -> impl Iterator<Item = Case> {
    let ways = (0..case.ways.len()).filter(move |_| case.ways.len() > 2).map(move |at| {
        let mut smaller = case.clone();
        smaller.ways.remove(at);
        smaller
    });
    let rows = (0..case.rows.len()).flat_map(move |table| {
        let half = case.rows[table].len().div_ceil(2);
        [0..half, half..case.rows[table].len()].into_iter().filter_map(move |range| {
            let mut smaller = case.clone();
            let kept = smaller.rows[table][range].to_vec();
            (kept.len() < case.rows[table].len()).then(|| {
                smaller.rows[table] = kept;
                smaller
            })
        })
    });
    let programs = programs(&case.program).map(move |program| Case { program, ..case.clone() });
    ways.chain(programs).chain(rows)
}

/// Programs that are a little smaller; they may be none.
fn programs(program: &Program) -> impl Iterator<Item = Program> {
    let results = program.body().lets.iter().enumerate().flat_map(move |(at, each)| {
        // Buckets are read by index, and are no result.
        let is_result = |define: &&CollectionId| !matches!(program.collection(**define).shape, Shape::Buckets { .. });
        each.defines().iter().filter(is_result).map(move |&define| {
            let mut smaller = program.clone();
            let body = &mut smaller.blocks[program.body.0 as usize];
            (body.result, _) = (define, body.lets.truncate(at + 1));
            let fields = program.collection(define).fields.len() as u32;
            smaller.output = (0..fields).map(|at| (format!("c{at}"), at)).collect();
            smaller
        })
    });
    let results = results.filter(move |smaller| smaller.body().lets.len() < program.body().lets.len());
    let outputs = (0..program.output.len()).filter(move |_| program.output.len() > 1).map(move |at| {
        let mut smaller = program.clone();
        smaller.output.remove(at);
        smaller
    });
    let lets = (0..program.blocks.len()).flat_map(move |block| {
        (0..program.blocks[block].lets.len()).flat_map(move |at| let_changes(program, block, at))
    });
    results.chain(lets).chain(outputs)
}

/// A program without a let, or with less of it.
fn let_changes(program: &Program, block: usize, at: usize) -> Vec<Program> {
    let changed = |change: &mut dyn FnMut(&mut Vec<Let>)| {
        let mut smaller = program.clone();
        change(&mut smaller.blocks[block].lets);
        smaller
    };
    let mut found = vec![changed(&mut |lets| drop(lets.remove(at)))];
    if let Let::Loop { multiloop, .. } = &program.blocks[block].lets[at] {
        let parts = |lets: &mut [Let], change: &mut dyn FnMut(&mut Let)| change(&mut lets[at]);
        for number in (0..multiloop.generators.len()).filter(|_| multiloop.generators.len() > 1) {
            found.push(changed(&mut |lets| {
                parts(lets, &mut |each| {
                    if let Let::Loop { defines, multiloop } = each {
                        defines.remove(number);
                        multiloop.generators.remove(number);
                    }
                });
            }));
        }
        if multiloop.nest.len() > 1 {
            found.push(changed(&mut |lets| {
                parts(lets, &mut |each| {
                    if let Let::Loop { multiloop, .. } = each {
                        multiloop.nest.pop();
                    }
                });
            }));
        }
        for (number, generator) in multiloop.generators.iter().enumerate() {
            for condition in 0..generator.condition().len() {
                found.push(changed(&mut |lets| {
                    parts(lets, &mut |each| {
                        if let Let::Loop { multiloop, .. } = each {
                            multiloop.generators[number].condition_mut().remove(condition);
                        }
                    });
                }));
            }
        }
    }
    found.extend(scalar_changes(program, block, at));
    found
}

/// A program with something simpler in the place of a scalar of a let.
fn scalar_changes(program: &Program, block: usize, at: usize) -> Vec<Program> {
    let mut found = Vec::new();
    for (place, id) in program.blocks[block].lets[at].scalars().into_iter().enumerate() {
        let node = program.scalars.node(id);
        let simple = matches!(node.scalar, Scalar::Constant(_) | Scalar::Column { .. });
        let children = node.scalar.each_child().filter(|&child| program.scalars.data_type(child) == node.data_type);
        let mut put = |of: &dyn Fn(&mut Program) -> ScalarId| {
            let mut smaller = program.clone();
            let (by, mut number) = (of(&mut smaller), 0);
            smaller.blocks[block].lets[at].for_each_scalar_mut(|scalar| {
                if number == place {
                    *scalar = by;
                }
                number += 1;
            });
            found.push(smaller);
        };
        if !simple {
            put(&|smaller| smaller.scalars.constant(value(node.data_type, 3, 1), node.data_type));
        }
        children.for_each(|child| put(&|_| child));
    }
    found
}
