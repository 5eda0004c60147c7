//! Blocks that are shared and blocks that are not, places among both, and the columns that come of them.

use super::*;
use crate::column::{Column, ColumnData};
use multiloop_planner::types::DataType;

fn value(number: usize) -> Value {
    Value::vector([number as f64, number as f64 + 0.5].as_slice())
}

/// Vectors of a block of so many: each is what its number says.
fn block(from: usize, count: usize) -> Vectors {
    let elements = (from..from + count).flat_map(|number| [number as f32, number as f32 + 0.5]);
    Vectors::of_block(2, Block::F32(elements.collect()))
}

fn values(vectors: &Vectors) -> Vec<Value> {
    (0..vectors.len()).map(|position| vectors.get(position).to_value()).collect()
}

fn start_of(data: &ColumnData) -> *const u8 {
    data.buffers()[0].expect("vectors are one buffer").as_ptr()
}

#[test]
fn those_that_lie_together_are_not_copied() {
    let all = block(0, 100);
    let whole = start_of(&all.clone().into_reals());
    let mut gathered = Vectors::new(2);
    gathered.gather(&all, 10..60);
    let column = gathered.into_reals();
    assert_eq!(start_of(&column), whole.wrapping_add(10 * 2 * size_of::<f32>()));
    let taken = all.take([5, 6, 8].into_iter());
    assert_eq!(taken.reals.len(), 3 * 2);
    let column = Column::new(taken.into_reals(), None);
    let data_type = DataType::vector(DataType::Real, 2);
    assert_eq!((0..3).map(|row| column.value(row, data_type)).collect::<Vec<_>>(), [5, 6, 8].map(value));
    assert!(all.into_doubles().buffers()[0].expect("a buffer").len() == 100 * 2 * size_of::<f64>());
}

/// Vectors of a block that is worth being shared.
const MANY: usize = 1 << 13;

#[test]
fn vectors_of_many_blocks_are_put_together() {
    let mut all = Vectors::new(2);
    for part in 0..5 {
        all.append_all(block(part * MANY, MANY));
    }
    // The same block again is known, and small ones are copied.
    let (again, small) = (block(5 * MANY, MANY), block(6 * MANY, 3));
    all.append_all(again.clone());
    all.append_all(again.take([1].into_iter()));
    all.append(&again, [7, 7].into_iter());
    all.append(&small, [2, 0].into_iter());
    let count = 6 * MANY;
    let more = [5 * MANY + 1, 5 * MANY + 7, 5 * MANY + 7, 6 * MANY + 2, 6 * MANY];
    let mut expected: Vec<Value> = (0..count).chain(more).map(value).collect();
    assert_eq!(values(&all), expected);
    assert_eq!((all.blocks.as_slice().len(), all.reals.len()), (6, 3 * 2));
    all.resize(count + 7);
    let zeros = Value::vector([0.0, 0.0].as_slice());
    expected.extend([zeros.clone(), zeros.clone()]);
    assert_eq!(values(&all), expected);
    let few = all.take([count + 3, 0, count + 6, 77].into_iter());
    assert_eq!((few.blocks.as_slice().len(), few.reals.len()), (0, 3 * 2));
    assert_eq!(values(&few), [value(6 * MANY + 2), value(0), zeros.clone(), value(77)]);
    all.close();
    assert_eq!((values(&all) == expected, all.blocks.as_slice().len(), all.reals.len()), (true, 7, 0));
    let places: Vec<u32> = (0..all.len() as u32).rev().collect();
    let put = all.put(&places);
    expected.reverse();
    assert_eq!(values(&put), expected);
    let mut chosen = Vectors::new(2);
    chosen.resize(3);
    chosen.set_all(&put, [(1, 0), (2, 6)].into_iter());
    assert_eq!(values(&chosen), [zeros.clone(), zeros.clone(), value(5 * MANY + 1)]);
    chosen.set_all(&put, [(1, 2)].into_iter());
    assert_eq!(values(&chosen), [zeros, value(6 * MANY), value(5 * MANY + 1)]);
}

/// How many hold the memory of a block.
fn holders(vectors: &Vectors) -> usize {
    let Block::F32(values) = &vectors.blocks.as_slice()[0] else { unreachable!("made of reals") };
    values.inner().strong_count()
}

#[test]
fn few_vectors_of_a_large_block_do_not_keep_it() {
    let large = block(0, 4 * MANY);
    let alone = holders(&large);
    let mut kept = Vectors::new(2);
    // A tile of it, of which few rows are kept.
    let mut tile = Vectors::new(2);
    tile.gather(&large, 100..200);
    kept.append(&tile, [3, 50, 50].into_iter());
    drop(tile);
    let taken = large.take([9, 8].into_iter());
    let mut first = kept.clone();
    first.append_all(taken.clone());
    assert_eq!(holders(&large), alone);
    assert_eq!(values(&first), [103, 150, 150, 9, 8].map(value));
    let elements = 2 * size_of::<f32>();
    assert!(kept.bytes() < 8 * (elements + size_of::<Place>()), "{}", kept.bytes());
    // A part that is worth it holds all of it, which counts; more of it then costs nothing but places.
    kept.append(&large, 0..MANY);
    kept.append(&large, [3 * MANY].into_iter());
    assert_eq!((holders(&large), kept.reals.len()), (alone + 1, 3 * 2));
    assert!(kept.bytes() > 4 * MANY * elements, "{}", kept.bytes());
    assert_eq!(kept.get(kept.len() - 1).to_value(), value(3 * MANY));
    // What is taken of that does not hold it, nor does the column that is made of few.
    let few = kept.take([0, 1, 3, MANY + 3].into_iter());
    assert_eq!(values(&few), [103, 150, 0, 3 * MANY].map(value));
    let mut tile = Vectors::new(2);
    tile.gather(&large, 5..7);
    let column = Column::new(tile.into_reals(), None);
    drop(kept);
    assert_eq!(holders(&large), alone);
    assert_eq!(column.value(1, DataType::vector(DataType::Real, 2)), value(6));
}

#[test]
fn few_vectors_that_are_repeated_are_shared() {
    let small = block(0, 3);
    let alone = holders(&small);
    // As many as there are are copied, more are shared.
    let once = small.take([2, 0, 1].into_iter());
    assert_eq!((holders(&small), once.reals.len()), (alone, 3 * 2));
    let many = small.take((0..1000).map(|at| at % 3));
    assert_eq!((holders(&small), many.reals.len()), (alone + 1, 0));
    assert_eq!(values(&many), (0..1000).map(|at| value(at % 3)).collect::<Vec<_>>());
    let taken = many.take([5, 3].into_iter());
    drop(many);
    assert_eq!(holders(&small), alone);
    assert_eq!((values(&once), values(&taken)), (vec![value(2), value(0), value(1)], vec![value(2), value(0)]));
}

#[test]
fn vectors_that_were_copied_become_a_column_as_they_lie() {
    let large = block(0, 4 * MANY);
    let mut kept = Vectors::new(2);
    (0..100).for_each(|at| kept.append(&large, [at * 7, at].into_iter()));
    let place = kept.reals.as_ptr().cast::<u8>();
    kept.reals.shrink_to_fit();
    let is_there = kept.reals.as_ptr().cast::<u8>() == place;
    let column = Column::new(kept.into_reals(), None);
    let data_type = DataType::vector(DataType::Real, 2);
    let expected: Vec<Value> = (0..100).flat_map(|at| [at * 7, at]).map(value).collect();
    assert_eq!((0..200).map(|row| column.value(row, data_type)).collect::<Vec<_>>(), expected);
    assert!(!is_there || start_of(&column.data) == place);
}

#[test]
fn only_the_blocks_of_kept_rows_are_carried() {
    // As a table of many chunks: tiles share the list.
    let chunks: Vec<Vectors> = (0..100).map(|part| block(part * MANY, MANY)).collect();
    let blocks: Arc<[Block]> = chunks.iter().map(|chunk| chunk.blocks.as_slice()[0].clone()).collect();
    let alone = holders(&chunks[7]);
    let mut tile = Vectors::new(2);
    tile.set_blocks(&blocks);
    tile.extend_from((0..MANY as u32).map(|row| Some((7, row))).chain([Some((9, 3)), None, Some((7, 0))]));
    let mut kept = Vectors::new(2);
    kept.append(&tile, 0..tile.len());
    assert_eq!((kept.blocks.as_slice().len(), kept.reals.len()), (1, 2));
    assert_eq!((holders(&chunks[7]), holders(&chunks[9])), (alone + 1, alone));
    let zeros = Value::vector([0.0, 0.0].as_slice());
    assert_eq!(values(&kept)[MANY - 1..], [value(8 * MANY - 1), value(9 * MANY + 3), zeros, value(7 * MANY)]);
    // A choice among tiles adds those that it takes of.
    let mut chosen = Vectors::new(2);
    chosen.resize(2);
    chosen.set_all(&tile, [(1, MANY)].into_iter());
    assert_eq!((chosen.blocks.as_slice().len(), values(&chosen)[1].clone()), (1, value(9 * MANY + 3)));
}

#[test]
fn bytes_are_those_of_the_widest_elements() {
    let reals = block(0, 10);
    let mut mixed = Vectors::new(2);
    mixed.append_all(reals.clone());
    assert!((10 * 2 * 4..10 * 2 * 8).contains(&(mixed.bytes() - mixed.places.capacity() * size_of::<Place>())));
    mixed.append_all(Vectors::of_values(2, &[value(10)]));
    assert!(mixed.bytes() >= 11 * 2 * size_of::<f64>());
    // Reals that were cast to doubles will be a column of these.
    let mut cast = Vectors::new(2);
    cast.gather(&reals, 0..10);
    cast.set_wide();
    let mut kept = Vectors::new(2);
    kept.append_all(cast);
    assert!(kept.take(0..10).bytes() >= 10 * 2 * size_of::<f64>());
    // One vector many times is a long column.
    let mut often = Vectors::new(2);
    often.append(&reals, std::iter::repeat_n(0, 1000));
    assert!(often.bytes() >= 1000 * 2 * size_of::<f32>());
}

#[test]
fn values_of_doubles_become_reals_of_a_column() {
    let given = [value(7), Value::Null, value(9)];
    let vectors = Vectors::of_values(2, &given);
    assert!(matches!(vectors.get(0), Elements::F64(_)));
    let column = Column::new(vectors.clone().into_reals(), None);
    assert_eq!(column.value(2, DataType::vector(DataType::Real, 2)), value(9));
    assert_eq!(vectors.doubles(), [7.0, 7.5, 0.0, 0.0, 9.0, 9.5]);
    assert!(vectors.bytes() >= 3 * 2 * size_of::<f64>());
    // Copied as doubles, and among reals.
    let mut kept = vectors.take(0..3);
    kept.append_all(block(5, 1));
    let (reals, doubles) = (Column::new(kept.clone().into_reals(), None), Column::new(kept.into_doubles(), None));
    assert_eq!(reals.value(3, DataType::vector(DataType::Real, 2)), value(5));
    assert_eq!(doubles.value(2, DataType::vector(DataType::Double, 2)), value(9));
    let doubles = Column::new(vectors.take([0, 2].into_iter()).into_doubles(), None);
    assert_eq!(doubles.value(1, DataType::vector(DataType::Double, 2)), value(9));
}

#[test]
fn an_order_breaks_ties() {
    let number = |elements: [f64; 2]| Value::vector(elements.as_slice());
    let all = [number([1.0, f64::NAN]), number([1.0, 2.0]), number([-0.0, 5.0]), number([0.0, 5.0])];
    let vectors = Vectors::of_values(2, &all);
    for a in 0..all.len() {
        for b in 0..all.len() {
            assert_eq!(vectors.compare(a, b), all[a].compare(&all[b]), "{a} and {b}");
            assert_eq!(vectors.compare_forms(a, b), all[a].compare_forms(&all[b]), "{a} and {b}");
        }
    }
    assert_eq!(vectors.compare(0, 1), Ordering::Greater);
    assert_eq!((vectors.compare(2, 3), vectors.compare_forms(2, 3)), (Ordering::Equal, Ordering::Less));
}
