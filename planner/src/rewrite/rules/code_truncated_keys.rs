//! A date cut to its month, quarter or year, as one of several keys of groups, becomes the number of that month.
//!
//! ```text
//! BucketReduce(c)(date_trunc('month', d), k)(f)(r)
//!     →   groups by 12 * year(d) + month(d) and k, with min(d); behind it date_trunc('month', min)
//! ```
//!
//! Months lie thirty days apart, in microseconds farther: with another key their codes are too many for an array. Source: our
//! own. An example:
//!
//! ```text before
//! table %0 t(d#0 date least 18628 most 20088, k#1 integer least 1 most 5000)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key m = date_trunc_month(i0.d)::timestamp
//!     key k = i0.k
//!     rows = count_rows()
//! result %1
//! output m, k, rows
//! ```
//! ```text after
//! table %0 t(d#0 date least 18628 most 20088, k#1 integer least 1 most 5000)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key m? = extract_year(i0.d)::decimal(10,0) * 12::decimal(2,0) + extract_month(i0.d)::decimal(10,0)
//!     key k = i0.k
//!     rows = count_rows()
//!     least = min(i0.d)
//! loop
//!   i1 in %1
//!   %2 collect
//!     m = date_trunc_month(i1.least)::timestamp
//!     k = i1.k
//!     rows = i1.rows
//! result %2
//! output m, k, rows
//! ```
//!
//! Guard, and why:
//! * it is a date or a timestamp without a zone, of the years 1 to 9999 by what is proven: of infinity there is no year, and
//!   nothing that is cut from these years fails;
//! * there is another key, and the codes of all together are many: a few are an array's places as they are;
//! * the key is not volatile: it is computed again, of one of the rows;
//! * nothing asks the groups by key: what comes behind the loop has no hash table of them.
//!
//! NULLs: of NULL the number is NULL, and so is the least. Errors: none, by the guard. Joins: the nest is the same. It ends: the
//! key is a number then.

use crate::analysis::ranges::Ranges;
use crate::function::{DatePart, Function};
use crate::multiloop::uses::collection_uses;
use crate::multiloop::{Aggregate, BlockId, Generator, Let, Program, Reduction, Scalar, ScalarId};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::restore_fields::{may_restore_fields, restore_fields};
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;
use std::mem;

/// Codes up to which keys are an array's places.
const CODES_FEW: f64 = 4096.0;

/// The first day of the year 1, and the last of the year 9999, from 1970 on.
const DAYS: (i128, i128) = (-719_162, 2_932_896);

/// Microseconds of a day.
const DAY: i128 = 86_400_000_000;

/// Codes such keys.
pub(super) fn code_truncated_keys(program: &mut Program) -> bool {
    change_blocks(program, find, code)
}

/// A key that is coded.
struct Site {
    at: usize,
    generator: usize,
    part: usize,
    truncated: Truncated,
}

/// What is cut, and to what.
#[derive(Clone, Copy)]
struct Truncated {
    of: ScalarId,
    to: DatePart,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let (mut uses, mut ranges) = (None, None);
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        multiloop.generators.iter().zip(defines).enumerate().find_map(|(generator, (made, define))| {
            let Generator::BucketReduce { key, .. } = made else { return None };
            let found = |(part, &id): (usize, &ScalarId)| Some((part, truncated(program, id)?));
            let (part, truncated) = key.iter().enumerate().find_map(found).filter(|_| key.len() > 1)?;
            let uses = uses.get_or_insert_with(|| collection_uses(program));
            let ranges: &Ranges = ranges.get_or_insert_with(|| Ranges::analyse(program));
            let fits = may_restore_fields(made, uses[define.0 as usize])
                && has_years(program, ranges, truncated.of)
                && key.iter().map(|&id| codes(ranges, id)).product::<f64>() > CODES_FEW;
            fits.then_some(Site { at, generator, part, truncated })
        })
    })
}

/// What a key cuts, perhaps with casts around it.
fn truncated(program: &Program, key: ScalarId) -> Option<Truncated> {
    if program.scalars.effects(key).volatile {
        return None;
    }
    let mut id = key;
    loop {
        let Scalar::Call { function, arguments } = program.scalars.get(id) else { return None };
        match function {
            Function::DateTrunc(to @ (DatePart::Year | DatePart::Quarter | DatePart::Month)) => {
                let of = arguments[0];
                let is_date = matches!(program.scalars.data_type(of), DataType::Date | DataType::Timestamp);
                return is_date.then_some(Truncated { of, to: *to });
            }
            Function::Cast | Function::AssignCast => {
                let dated =
                    |id: ScalarId| matches!(program.scalars.data_type(id), DataType::Date | DataType::Timestamp);
                id = Some(arguments[0]).filter(|&inner| dated(inner) && dated(id))?;
            }
            _ => return None,
        }
    }
}

/// Whether all values are proven to be of years that have a number.
fn has_years(program: &Program, ranges: &Ranges, of: ScalarId) -> bool {
    let unit = if program.scalars.data_type(of) == DataType::Timestamp { DAY } else { 1 };
    ranges.of(of).is_some_and(|(low, high)| DAYS.0 * unit <= low && high <= DAYS.1 * unit)
}

/// How many codes a part of a key has, if that is known.
fn codes(ranges: &Ranges, part: ScalarId) -> f64 {
    ranges.of(part).map_or(1.0, |(low, high)| (high - low) as f64 + 1.0)
}

fn code(program: &mut Program, block: BlockId, site: Site) {
    let Site { at, generator, part, truncated: Truncated { of, to } } = site;
    let number = number(program, of, to);
    let mut lets = mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[at] else { unreachable!("find has seen a loop") };
    let mut fields = program.collection(defines[generator]).fields.clone();
    let Generator::BucketReduce { key, aggregates, .. } = &mut multiloop.generators[generator] else {
        unreachable!("find has seen groups")
    };
    let shown_key = mem::replace(&mut key[part], number);
    let data_type = program.scalars.data_type(of);
    aggregates.push(Aggregate::new(Reduction::Min, vec![of], data_type));
    fields.push(Field::new("least", data_type, fields[part].nullable));
    // Of infinity, which is not there, it would be NULL.
    fields[part] = Field::new(fields[part].name.clone(), program.scalars.data_type(number), true);
    let count = fields.len() - 1;
    restore_fields(program, &mut lets, (at, generator, false), fields, |program, made| {
        let mut shown: Vec<ScalarId> = (0..count).map(|field| made.field(program, field)).collect();
        let mut least = Substitution::copying();
        least.replace_scalar(of, made.field(program, count));
        shown[part] = least.scalar(program, shown_key);
        shown
    });
    program.blocks[block.0 as usize].lets = lets;
}

/// The number of a year, or of what it has several of.
fn number(program: &mut Program, of: ScalarId, to: DatePart) -> ScalarId {
    let scalars = &mut program.scalars;
    let field = DataType::decimal(10, 0);
    let year = scalars.call(Function::Extract(DatePart::Year), vec![of], field);
    let each = match to {
        DatePart::Month => 12,
        DatePart::Quarter => 4,
        _ => return year,
    };
    let each = scalars.constant(Value::Decimal(each), DataType::decimal(2, 0));
    let years = scalars.call(Function::Multiply, vec![year, each], DataType::decimal(12, 0));
    let place = scalars.call(Function::Extract(to), vec![of], field);
    scalars.call(Function::Add, vec![years, place], DataType::decimal(13, 0))
}
