//! Cases made by hand: what random expressions hardly meet.

use super::*;
use crate::cpu::vector::rows::NO_ROW;
use multiloop_planner::function::Function as F;
use multiloop_planner::types::DataType as T;

fn integers(values: impl IntoIterator<Item = i64>) -> Vec<Vec<Value>> {
    values.into_iter().map(|value| vec![Value::Int(value)]).collect()
}

#[test]
fn comparisons_at_every_length_and_border() {
    const BASES: [i64; 4] = [0, -5, 1_000_000_007, i32::MIN as i64];
    for (number, len) in [0, 1, 63, 64, 65, 2047, 2048, 2049].into_iter().enumerate() {
        for (at, spread) in [1, 255, 256, 65_535, 65_537].into_iter().enumerate() {
            // Of many rows one base with each spread, and others with the next length.
            let bases = if len > 100 { &BASES[(number + at) % 4..][..1] } else { &BASES };
            for &base in bases {
                let rows = integers((0..len).map(|at| base + at * 131 % (spread + 1)));
                check_comparisons(rows, base, spread);
            }
        }
    }
}

fn check_comparisons(rows: Vec<Vec<Value>>, base: i64, spread: i64) {
    let mut scalars = Scalars::default();
    let column = scalars.column(IndexId(0), 0, T::BigInt);
    let mut roots = Vec::new();
    for bound in [base - 1, base, base + 1, base + 17, base + spread, base + spread + 1, i64::MIN, i64::MAX] {
        let bound = scalars.constant(Value::Int(bound), T::BigInt);
        for function in [F::Equal, F::NotEqual, F::Less, F::LessEqual, F::Greater, F::GreaterEqual] {
            roots.push(scalars.call(function, vec![column, bound], T::Boolean));
            roots.push(scalars.call(function, vec![bound, column], T::Boolean));
        }
    }
    for storage in [Storage::Compact, Storage::Keep] {
        let fields = vec![Field::new("a", T::BigInt, true)];
        let case = Case::new(fields, rows.clone(), storage, scalars.clone(), &roots);
        let (expressions, _) = case.expressions(&roots);
        with_tile(&case, &expressions, |tile| {
            tile.start(0, rows.len());
            for &root in &roots {
                tile.evaluate(root).expect("comparisons cannot fail");
                for (at, row) in rows.iter().enumerate() {
                    let expected = reference::value(&scalars, root, row).expect("likewise");
                    assert_eq!(tile.vector(root).value(at, T::Boolean), expected, "{root:?} at {at}");
                }
            }
        });
    }
}

#[test]
fn tiles_within_a_chunk_see_their_own_rows() {
    let mut scalars = Scalars::default();
    let column = scalars.column(IndexId(0), 0, T::Text);
    let pattern = scalars.constant(Value::text("%b%c%"), T::Text);
    let like = scalars.call(F::Like, vec![column, pattern], T::Boolean);
    // Distinct enough to stay plain; hits that cross rows must not count.
    let rows: Vec<Vec<Value>> = (0..5000)
        .map(|at| match at % 5 {
            0 => Value::Null,
            1 => Value::text(format!("{at}ab")),
            2 => Value::text(format!("c{at}")),
            3 => Value::text(""),
            _ => Value::text(format!("b{at}c")),
        })
        .map(|value| vec![value])
        .collect();
    for storage in [Storage::Compact, Storage::Keep] {
        let fields = vec![Field::new("a", T::Text, true)];
        let case = Case::new(fields, rows.clone(), storage, scalars.clone(), &[like]);
        let (expressions, _) = case.expressions(&[like]);
        with_tile(&case, &expressions, |tile| {
            for (first, len) in [(0, 2048), (1, 64), (2048, 2048), (4990, 10), (5000, 0)] {
                tile.start(first as u32, len);
                tile.evaluate(like).expect("the pattern is right");
                for at in 0..len {
                    let expected = reference::value(&scalars, like, &rows[first + at]).expect("likewise");
                    assert_eq!(tile.vector(like).value(at, T::Boolean), expected, "row {}", first + at);
                }
            }
        });
    }
}

/// Two indices over one table; the second may stand on no row.
#[test]
fn expansion_takes_vectors_over_and_reads_no_row_as_null() {
    let mut scalars = Scalars::default();
    let (outer, inner) = (scalars.column(IndexId(0), 0, T::BigInt), scalars.column(IndexId(1), 0, T::BigInt));
    let one = scalars.constant(Value::Int(1), T::BigInt);
    let plus = scalars.call(F::Add, vec![outer, one], T::BigInt);
    let both = scalars.call(F::Subtract, vec![plus, inner], T::BigInt);
    let roots = [plus, both, inner];
    let fields = vec![Field::new("a", T::BigInt, true)];
    let mut case = Case::new(fields, integers(10..20), Storage::Compact, scalars, &roots);
    let Let::Loop { multiloop, .. } = &mut case.program.blocks[0].lets[0] else { panic!("made above") };
    let source = IndexSource::BucketOrNull { collection: CollectionId(0), key: Vec::new(), condition: Vec::new() };
    multiloop.nest.push(Index { id: IndexId(1), source });
    let (expressions, _) = case.expressions(&roots);
    assert_eq!((expressions.reach(plus), expressions.reach(both)), (1, 2));
    with_tile(&case, &expressions, |tile| {
        tile.set_source(1, Source::chunk(Arc::clone(&case.chunk)));
        tile.start(2, 4);
        let mark = tile.depth();
        for _ in 0..2 {
            tile.expand(&[0, 0, 3, 1], &[9, NO_ROW, 0, 5]);
            tile.evaluate(both).expect("nothing overflows");
            tile.evaluate(inner).expect("a column");
            let value = |vector: &Vector| (0..4).map(|at| vector.value(at, T::BigInt)).collect::<Vec<_>>();
            let expected = [Value::Int(13 - 19), Value::Null, Value::Int(16 - 10), Value::Int(14 - 15)];
            assert_eq!(value(tile.vector(both)), expected);
            assert_eq!(tile.vector(inner).value(1, T::BigInt), Value::Null);
            let mut origins = Vec::new();
            tile.origins(mark, &mut origins);
            assert_eq!(origins, [0, 0, 3, 1]);
            tile.truncate(mark);
        }
    });
}

#[test]
fn volatile_scalars_are_new_at_every_place() {
    let mut scalars = Scalars::default();
    let random = scalars.call(F::Random, Vec::new(), T::Double);
    let difference = scalars.call(F::Subtract, vec![random, random], T::Double);
    let case =
        Case::new(vec![Field::new("a", T::BigInt, true)], integers(0..100), Storage::Compact, scalars, &[difference]);
    let (expressions, _) = case.expressions(&[difference]);
    with_tile(&case, &expressions, |tile| {
        tile.start(0, 100);
        let mut seen = Vec::new();
        for _ in 0..2 {
            tile.evaluate(difference).expect("no overflow");
            seen.extend((0..100).map(|at| format!("{:?}", tile.vector(difference).value(at, T::Double))));
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 190, "two draws are two numbers");
    });
}
