//! Aggregates over whole window partitions as groups that each row looks up.

use crate::multiloop::{
    Aggregate, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape,
    Source, WindowCallee, WindowField,
};
use crate::types::Field;

/// Groups of a collection's rows by a partition's fields; one row of all where there are none.
pub(in crate::rewrite) struct Partitions<'p> {
    partition: &'p [u32],
    groups: CollectionId,
}

/// The loop that makes groups of rows, with these fields behind those of the partition, of aggregates that are made of the rows'
/// columns.
pub(in crate::rewrite) fn partitions<'p>(
    program: &mut Program,
    (input, partition): (CollectionId, &'p [u32]),
    added: impl IntoIterator<Item = Field>,
    aggregates: impl FnOnce(&[ScalarId]) -> Vec<Aggregate>,
) -> (Partitions<'p>, Let) {
    let index = program.add_index();
    let columns = columns(program, input, index);
    let (aggregates, condition) = (aggregates(&columns), Vec::new());
    let own = &program.collection(input).fields;
    let fields: Vec<Field> = partition.iter().map(|&field| own[field as usize].clone()).chain(added).collect();
    let key: Vec<ScalarId> = partition.iter().map(|&field| columns[field as usize]).collect();
    let (shape, generator) = match partition {
        [] => (Shape::Single, Generator::Reduce { condition, aggregates }),
        _ => (Shape::Groups { keys: key.len() as u32 }, Generator::BucketReduce { condition, key, aggregates }),
    };
    let groups = program.add_collection(fields, shape);
    (Partitions { partition, groups }, over_rows(groups, index, input, generator))
}

impl Partitions<'_> {
    /// What each aggregate is for a row with these columns: a part of the key that is NULL finds the group of NULL.
    pub(in crate::rewrite) fn ask(&self, program: &mut Program, row: &[ScalarId]) -> Vec<ScalarId> {
        let part = |&field: &u32| KeyPart { scalar: row[field as usize], null_matches: true };
        let key: Vec<KeyPart> = self.partition.iter().map(part).collect();
        let all = &program.collection(self.groups).fields;
        let types: Vec<_> = all[key.len()..].iter().map(|field| field.data_type).collect();
        let read = |(field, data_type)| {
            let read = match self.partition {
                [] => Scalar::Single { collection: self.groups, field },
                _ => Scalar::Lookup { collection: self.groups, key: key.clone(), field },
            };
            program.scalars.intern(read, data_type)
        };
        (key.len() as u32..).zip(types).map(read).collect()
    }
}

/// Whether a field of a window is what all rows of a partition come to; without an order they are all peers.
pub(in crate::rewrite) fn is_whole(field: &WindowField, all_peers: bool) -> bool {
    matches!(&field.function, WindowCallee::Aggregate(reduction) if !reduction.properties().order_sensitive)
        && field.frame.is_whole(all_peers)
}

/// A field that is an aggregate, as one of rows with these columns.
pub(in crate::rewrite) fn aggregate(field: &WindowField, columns: &[ScalarId]) -> Aggregate {
    let WindowCallee::Aggregate(reduction) = &field.function else { unreachable!("it is an aggregate") };
    let arguments = field.taken().iter().map(|&field| columns[field as usize]).collect();
    Aggregate::new(reduction.clone(), arguments, field.data_type)
}

/// The fields of a collection's rows, as an index shows them.
pub(in crate::rewrite) fn columns(program: &mut Program, of: CollectionId, index: IndexId) -> Vec<ScalarId> {
    let types: Vec<_> = program.collection(of).fields.iter().map(|field| field.data_type).collect();
    (0..).zip(types).map(|(field, data_type)| program.scalars.column(index, field, data_type)).collect()
}

/// A loop over rows.
pub(in crate::rewrite) fn over_rows(
    define: CollectionId,
    index: IndexId,
    over: CollectionId,
    generator: Generator,
) -> Let {
    let nest = vec![Index { id: index, source: Source::Rows(over) }];
    Let::Loop { defines: vec![define], multiloop: Multiloop { nest, generators: vec![generator] } }
}
