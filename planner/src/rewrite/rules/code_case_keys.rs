//! Keys of groups that are one of a few texts, by conditions, become the numbers of these.
//!
//! ```text
//! BucketReduce(c)(case when p then 'x' when q then 'y' else 'z' end)(f)(r)
//!     →   groups by case when p then 0 when q then 1 else 2 end; behind it the text of each
//! ```
//!
//! Small numbers index an array; texts are hashed, row by row. Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key k = case(i0.a < 3, 'few', i0.a < 9, 'some', 'few')
//!     rows = count_rows()
//! result %1
//! output k, rows
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key k = case(i0.a < 3, 0, i0.a < 9, 1, 0)
//!     rows = count_rows()
//! loop
//!   i1 in %1
//!   %2 collect
//!     k = case(i1.k = 0, 'few', 'some')
//!     rows = i1.rows
//! result %2
//! output k, rows
//! ```
//!
//! Guard, and why:
//! * all that CASE may give are constants, of a type of text, whose values are equal where their bytes are (in `select case when
//!   a then b else 'x' end` the column is not known);
//! * at least two of them differ: one alone is no key (`select case when a then 'x' end, count(*)` has two groups, of 'x' and NULL);
//! * nothing asks the groups by key: what comes behind the loop has no hash table of them.
//!
//! NULLs: what was NULL, by its own constant or without ELSE, has no number. Errors: the same conditions are asked of the same rows.
//! Joins: the nest is the same. It ends: the key is a number then.

use crate::function::Function;
use crate::multiloop::uses::{Use, collection_uses};
use crate::multiloop::{BlockId, Generator, Let, Program, Scalar, ScalarId};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::restore_fields::{may_restore_fields, restore_fields};
use crate::types::DataType;
use crate::value::Value;
use std::mem;

/// Constants that are looked at: to compare with each of many takes longer than a hash.
const CONSTANTS_MAX: usize = 64;

/// Codes such keys.
pub(super) fn code_case_keys(program: &mut Program) -> bool {
    change_blocks(program, find, code)
}

/// A key that is coded.
struct Site {
    at: usize,
    generator: usize,
    part: usize,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let mut uses = None;
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        multiloop.generators.iter().zip(defines).enumerate().find_map(|(generator, (made, define))| {
            let Generator::BucketReduce { key, .. } = made else { return None };
            let part = key.iter().position(|&part| texts(program, part).is_some())?;
            let uses: &Vec<Use> = uses.get_or_insert_with(|| collection_uses(program));
            may_restore_fields(made, uses[define.0 as usize]).then_some(Site { at, generator, part })
        })
    })
}

/// The arguments of a CASE of constant texts, and these, each once.
fn texts(program: &Program, key: ScalarId) -> Option<(Vec<ScalarId>, Vec<ScalarId>)> {
    let Scalar::Call { function: Function::Case, arguments } = program.scalars.get(key) else { return None };
    if !program.scalars.data_type(key).is_text() {
        return None;
    }
    let mut texts = Vec::new();
    for &value in values(arguments).map(|at| &arguments[at]) {
        match program.scalars.get(value) {
            Scalar::Constant(Value::Null) => {}
            Scalar::Constant(Value::Text(_)) if !texts.contains(&value) => texts.push(value),
            Scalar::Constant(Value::Text(_)) => {}
            _ => return None,
        }
    }
    (2..=CONSTANTS_MAX).contains(&texts.len()).then(|| (arguments.clone(), texts))
}

/// Which arguments of a CASE are what it may give: each behind its condition, and the last one.
fn values(arguments: &[ScalarId]) -> impl Iterator<Item = usize> {
    let last = arguments.len() - 1;
    (0..arguments.len()).filter(move |at| at % 2 == 1 || *at == last)
}

fn code(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[site.at] else { unreachable!("find has seen a loop") };
    let mut fields = program.collection(defines[site.generator]).fields.clone();
    let Generator::BucketReduce { key, .. } = &mut multiloop.generators[site.generator] else {
        unreachable!("find has seen groups")
    };
    let Some((mut arguments, texts)) = texts(program, key[site.part]) else { unreachable!("find has seen texts") };
    for at in values(&arguments).collect::<Vec<_>>() {
        let code = texts.iter().position(|text| *text == arguments[at]);
        let value = code.map_or(Value::Null, |code| Value::Int(code as i64));
        arguments[at] = program.scalars.constant(value, DataType::Integer);
    }
    key[site.part] = program.scalars.call(Function::Case, arguments, DataType::Integer);
    let shown_type = mem::replace(&mut fields[site.part].data_type, DataType::Integer);
    let nullable = fields[site.part].nullable;
    let count = fields.len();
    restore_fields(program, &mut lets, (site.at, site.generator, false), fields, |program, made| {
        let mut shown: Vec<ScalarId> = (0..count).map(|field| made.field(program, field)).collect();
        let mut arguments = Vec::new();
        let (&last, others) = texts.split_last().expect("there are two or more");
        let otherwise = if nullable { program.scalars.constant(Value::Null, shown_type) } else { last };
        let asked = if nullable { &texts[..] } else { others };
        for (code, &text) in asked.iter().enumerate() {
            let code = program.scalars.constant(Value::Int(code as i64), DataType::Integer);
            arguments.push(program.scalars.call(Function::Equal, vec![shown[site.part], code], DataType::Boolean));
            arguments.push(text);
        }
        arguments.push(otherwise);
        shown[site.part] = program.scalars.call(Function::Case, arguments, shown_type);
        shown
    });
    program.blocks[block.0 as usize].lets = lets;
}
