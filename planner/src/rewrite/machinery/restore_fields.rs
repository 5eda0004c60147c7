//! Adds a projection loop after a loop whose generator a rule has changed, so that its consumers see the fields that they
//! expect.

use crate::multiloop::uses::Use;
use crate::multiloop::{
    Aggregate, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, ScalarId, Shape, Source,
};
use crate::types::Field;

/// Whether what a generator makes may come from a loop behind it: of groups only rows are read, since that has no hash table.
pub(in crate::rewrite) fn may_restore_fields(made: &Generator, uses: Use) -> bool {
    match made {
        Generator::Reduce { .. } => true,
        Generator::BucketReduce { .. } => uses.buckets + uses.scalars == 0,
        _ => false,
    }
}

/// Lets a generator (of a let, by their numbers) define a new collection of these fields, and a loop over its rows what the generator
/// defined. `shown` gives the fields of that. One row stays one that is read as such, unless it may become `rows`: of one row
/// all is NULL if there is none, as far as anybody can prove.
pub(in crate::rewrite) fn restore_fields(
    program: &mut Program,
    lets: &mut Vec<Let>,
    (at, generator, as_rows): (usize, usize, bool),
    fields: Vec<Field>,
    shown: impl FnOnce(&mut Program, Made) -> Vec<ScalarId>,
) {
    let Let::Loop { defines, .. } = &mut lets[at] else { unreachable!("only loops have generators") };
    let define = defines[generator];
    let shape = program.collection(define).shape.clone();
    let is_single = matches!(shape, Shape::Single) && !as_rows;
    let collection = program.add_collection(fields, shape);
    defines[generator] = collection;
    let index = program.index_over(Source::Rows(collection));
    let value = shown(program, Made { collection, index: index.id });
    let generator = if is_single {
        let of = |(&value, field): (&ScalarId, &Field)| Aggregate {
            reduction: Reduction::First,
            arguments: vec![value],
            condition: Vec::new(),
            distinct: false,
            data_type: field.data_type,
        };
        let aggregates = value.iter().zip(&program.collection(define).fields).map(of).collect();
        Generator::Reduce { condition: Vec::new(), aggregates }
    } else {
        program.collections[define.0 as usize].shape = Shape::Rows;
        Generator::Collect { condition: Vec::new(), value }
    };
    let multiloop = Multiloop { nest: vec![index], generators: vec![generator] };
    lets.insert(at + 1, Let::Loop { defines: vec![define], multiloop });
}

/// What is made now, as the loop behind it reads it.
#[derive(Clone, Copy)]
pub(in crate::rewrite) struct Made {
    collection: CollectionId,
    index: IndexId,
}

impl Made {
    /// A field of its rows.
    pub(in crate::rewrite) fn field(self, program: &mut Program, field: usize) -> ScalarId {
        let data_type = program.collection(self.collection).fields[field].data_type;
        program.scalars.column(self.index, field as u32, data_type)
    }
}
