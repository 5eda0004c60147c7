//! Materialises the rows of a nest before the loops over them: finds the columns that these read, and makes them read the
//! collected rows instead.

use super::substitute::Substitution;
use crate::multiloop::uses::for_each_node;
use crate::multiloop::{CollectionId, Index, Let, Program, Scalar, ScalarId, Shape, Source};

/// The columns of these indices that lets read, in the order in which they are met. Their blocks are not looked into.
pub(in crate::rewrite) fn columns_of<'l>(
    program: &Program,
    indices: &[Index],
    lets: impl IntoIterator<Item = &'l Let>,
) -> Vec<ScalarId> {
    let mut columns = Vec::new();
    let mut seen = vec![false; program.scalars.len()];
    for each in lets {
        each.for_each_scalar(|id| {
            for_each_node(program, id, &mut seen, &mut |id, scalar| {
                if matches!(scalar, Scalar::Column { index, .. } if indices.iter().any(|each| each.id == *index)) {
                    columns.push(id);
                }
            });
        });
    }
    columns
}

/// A collection of rows with these columns of these indices.
pub(in crate::rewrite) fn collected(program: &mut Program, indices: &[Index], columns: &[ScalarId]) -> CollectionId {
    let field = |&id: &ScalarId| {
        let Scalar::Column { index, field } = program.scalars.get(id) else { unreachable!("it is a column") };
        let of = indices.iter().find(|each| each.id == *index).expect("it is one of them");
        program.source_fields(&of.source)[*field as usize].clone()
    };
    let fields = columns.iter().map(field).collect();
    program.add_collection(fields, Shape::Rows)
}

/// Lets a loop, whose first indices have been taken out, go over collected rows instead and read these columns there.
pub(in crate::rewrite) fn read_rows(program: &mut Program, each: &mut Let, rows: CollectionId, columns: &[ScalarId]) {
    let index = program.index_over(Source::Rows(rows));
    let mut substitution = Substitution::new();
    for (&id, field) in columns.iter().zip(0..) {
        let column = program.scalars.column(index.id, field, program.scalars.data_type(id));
        substitution.replace_scalar(id, column);
    }
    substitution.definition(program, each);
    let Let::Loop { multiloop, .. } = each else { unreachable!("only loops have indices") };
    multiloop.nest.insert(0, index);
}
