//! Cases made by hand: what random expressions hardly meet.

use super::*;
use crate::cpu::vector::rows::NO_ROW;
use multiloop_planner::function::Function as F;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::DataType as T;
use multiloop_planner::value::Interval;

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

/// Checks membership in lists, and its negation, of a column of these values against the definition.
fn check_lists(data_type: T, values: Vec<Value>, lists: &[Vec<Value>]) {
    let mut scalars = Scalars::default();
    let column = scalars.column(IndexId(0), 0, data_type);
    let mut roots = vec![column];
    for list in lists {
        let mut arguments = vec![column];
        arguments.extend(list.iter().map(|member| scalars.constant(member.clone(), data_type)));
        let is_member = scalars.call(F::InList, arguments, T::Boolean);
        roots.extend([is_member, scalars.call(F::Not, vec![is_member], T::Boolean)]);
    }
    let rows: Vec<Vec<Value>> = values.into_iter().map(|value| vec![value]).collect();
    for storage in [Storage::Compact, Storage::Keep] {
        let fields = vec![Field::new("a", data_type, true)];
        let case = Case::new(fields, rows.clone(), storage, scalars.clone(), &roots);
        let (expressions, _) = case.expressions(&roots);
        for loaded in [false, true] {
            with_tile(&case, &expressions, |tile| {
                // Two tiles, since what the first one makes is kept, and one of chosen rows.
                let half = rows.len() / 2;
                let every_other: Vec<u32> = (0..rows.len() as u32).step_by(2).collect();
                for (first, len, chosen) in
                    [(0, half, None), (half, rows.len() - half, None), (0, rows.len(), Some(&every_other))]
                {
                    tile.start(first as u32, len);
                    if let Some(chosen) = chosen {
                        tile.select(chosen);
                    }
                    if loaded {
                        tile.evaluate(column).expect("columns cannot fail");
                    }
                    for &root in &roots[1..] {
                        tile.evaluate(root).expect("membership cannot fail");
                        for at in 0..tile.len() {
                            let row = &rows[chosen.map_or(first + at, |chosen| chosen[at] as usize)];
                            let expected = reference::value(&scalars, root, row).expect("likewise");
                            assert_eq!(tile.vector(root).value(at, T::Boolean), expected, "{root:?} of {row:?}");
                        }
                    }
                }
            });
        }
    }
}

/// Every third of some values, with NULL and without, few and many.
fn lists_of(values: &[Value]) -> Vec<Vec<Value>> {
    let third: Vec<Value> = values.iter().step_by(3).cloned().collect();
    let with_null = third.iter().cloned().chain([Value::Null]).collect();
    vec![third[..2].to_vec(), vec![third[1].clone(), Value::Null], vec![Value::Null; 3], with_null, third]
}

#[test]
fn lists_of_integers_are_sets() {
    let close: Vec<Value> = (0..300).map(|at| Value::Int(1_000 + at * 7 % 300)).collect();
    let far: Vec<Value> = (0..300i64).map(|at| Value::Int(at.wrapping_mul(0x1234_5678_9abc_def1))).collect();
    let ends = [i64::MIN, i64::MIN + 1, i64::MIN + 2, -1, 0, 1, i64::MAX - 1, i64::MAX].map(Value::Int).to_vec();
    for (mut values, data_type) in [(close, T::BigInt), (far, T::BigInt), (ends, T::BigInt)] {
        let mut lists = lists_of(&values);
        lists.push(vec![Value::Int(5), Value::Int(-7), Value::Int(i64::MIN)]);
        values.extend([Value::Null, Value::Int(i64::MIN), Value::Int(5)]);
        check_lists(data_type, values, &lists);
    }
    let wide: Vec<Value> =
        (0..40).map(|at| Value::Decimal(i128::from(u64::MAX) * (at - 20) + at)).chain([Value::Decimal(7)]).collect();
    check_lists(T::Decimal { precision: 38, scale: 2 }, wide.clone(), &lists_of(&wide));
    let days: Vec<Value> = (-50..50).map(Value::Int).chain([Value::Null]).collect();
    check_lists(T::Date, days.clone(), &lists_of(&days));
}

#[test]
fn lists_of_floats_and_intervals_are_sets() {
    let floats = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5, 5e-324, -5e-324];
    let floats: Vec<Value> = floats.into_iter().map(Value::Float).chain([Value::Null]).collect();
    let mut lists = lists_of(&floats);
    lists.extend([vec![Value::Float(-0.0), Value::Float(2.0)], vec![Value::Float(-f64::NAN), Value::Float(1.5)]]);
    check_lists(T::Double, floats, &lists);
    let interval = |months, days, micros| Value::Interval(Interval { months, days, micros });
    let equal = [interval(1, 0, 0), interval(0, 30, 0), interval(0, 29, 86_400_000_000), interval(0, 31, 0)];
    let values: Vec<Value> = equal.into_iter().chain([interval(i32::MAX, i32::MAX, i64::MAX), Value::Null]).collect();
    check_lists(T::Interval, values.clone(), &lists_of(&values));
}

#[test]
fn lists_of_texts_and_numerics_are_sets() {
    // Of every length about those of words, alike in their first and last bytes, many and few of them distinct.
    let text = |at: usize| Value::text(format!("{}{}{}", "a".repeat(at % 21), at / 21 % 3, "b".repeat(at % 11)));
    let many: Vec<Value> = (0..1_500).map(text).chain([Value::text(""), Value::Null]).collect();
    check_lists(T::Text, many.clone(), &lists_of(&many));
    let few: Vec<Value> = (0..600).map(|at| text(at % 9)).chain([Value::text("ß"), Value::Null]).collect();
    let mut lists = lists_of(&few);
    lists.push((0..200).map(|at| Value::text(format!("none {at}"))).chain([text(4)]).collect());
    check_lists(T::Text, few, &lists);
    let number = |text: &str| Value::numeric(Numeric::parse(text).expect("a number"));
    let numbers = ["1", "1.0", "1.00", "-0", "0", "NaN", "1e400", "-1e-400", "0.1", "0.10", "Infinity", "-Infinity"];
    let numbers: Vec<Value> = numbers.map(number).into_iter().chain([Value::Null]).collect();
    let mut lists = lists_of(&numbers);
    lists.push(vec![number("1.000"), number("0.0"), number("12345678901234567890")]);
    check_lists(T::Numeric, numbers, &lists);
}
