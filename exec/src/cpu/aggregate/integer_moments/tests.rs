//! Variances of integers beside those of numbers of any size, added one by one.

use super::super::super::vector::Vector;
use super::*;
use crate::cpu::groups::runs::Runs;
use crate::cpu::vector::bitmap::Bitmap;
use crate::partial::state::numeric_sum::{NumericSums, States};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

const SCALE: u32 = 2;

fn vector(values: &[i64], wide: bool, valid: Option<&dyn Fn(usize) -> bool>) -> Vector {
    let mut vector = Vector::default();
    let nulls = valid.map(|valid| {
        let mut nulls = Bitmap::default();
        nulls.fill(values.len(), valid);
        nulls
    });
    let data = if wide {
        VectorData::I64(values.to_vec())
    } else {
        VectorData::I32(values.iter().map(|&value| value as i32).collect())
    };
    vector.set(values.len(), data, nulls);
    vector
}

/// The states that tuples in these groups make, and what they are by numbers of any size.
fn check(values: &[i64], group_of: &dyn Fn(usize) -> u32, vector: &Vector, bound: u64, groups: TileGroups<'_>) {
    let decimal = DataType::Decimal { precision: 18, scale: SCALE as u8 };
    let room = (0..values.len()).map(group_of).max().map_or(1, |most| most as usize + 1);
    let mut expected = vec![NumericSum::default(); room];
    for (tuple, &value) in values.iter().enumerate().filter(|(tuple, _)| !vector.is_null(*tuple)) {
        expected[group_of(tuple) as usize].add(&Numeric::new(value, SCALE), true);
    }
    let mut sums = NumericSums::of_integers(true, bound, SCALE);
    sums.resize(room);
    sums.update(&Input { groups, vector: Some(vector), len: values.len() }, decimal).expect("nothing fails");
    let mut twice = NumericSums::of_integers(true, bound, SCALE);
    twice.resize(room);
    twice.merge(&sums, (0..room).map(|group| (group, group)));
    for sums in [&sums, &twice] {
        let shown = |sums: &[NumericSum]| -> Vec<String> {
            let parts =
                |sum: &NumericSum| format!("{:?} {:?} {:?}", sum.total(), sum.variance(true), sum.variance(false));
            sums.iter().map(parts).collect()
        };
        assert_eq!(shown(&sums.widened()), shown(&expected), "{} values within {bound}", values.len());
    }
    let column = sums.finish().expect("nothing fails").into_vector();
    for (group, expected) in expected.iter().enumerate() {
        let variance = expected.variance(true).expect("nothing fails").map_or(Value::Null, Value::numeric);
        assert_eq!(column.value(group, DataType::Numeric), variance);
    }
}

/// Checks values in groups of every form.
fn check_all(values: &[i64], vector: &Vector, bound: u64) {
    let few = |tuple: usize| (tuple * tuple % 5) as u32;
    let rare = |tuple: usize| u32::from(tuple % 200 == 7) * 3;
    let runs_of = |tuple: usize| (tuple / 5) as u32;
    check(values, &|_| 0, vector, bound, TileGroups::One);
    for group_of in [&few as &dyn Fn(usize) -> u32, &rare, &runs_of] {
        let groups: Vec<u32> = (0..values.len()).map(group_of).collect();
        check(values, group_of, vector, bound, TileGroups::Each(&groups, None));
        let mut present = Present::default();
        if present.find(&groups, None) {
            check(values, group_of, vector, bound, TileGroups::Each(&groups, Some(&present)));
            check(values, group_of, vector, bound, TileGroups::Masks(&present));
        }
    }
    let mut runs = Runs::default();
    runs.find_alike(&(0..values.len()).map(runs_of).collect::<Vec<_>>());
    check(values, &runs_of, vector, bound, TileGroups::Runs(&runs));
}

#[test]
fn variances_are_those_of_numbers_of_any_size() {
    let all: [fn(i64, i64) -> i64; 4] =
        [|bound, _| bound, |bound, _| -bound, |bound, at| at * 7_919 % (bound + 1), |bound, at| bound * (at % 3 - 1)];
    for len in [0, 1, 2, 64, 65, 1025] {
        for bound in [0, 1, 5_000, 94_906_265, i64::from(i32::MAX), 1 << 40, i64::MAX / 1025, i64::MAX - 1] {
            for value in all {
                let values: Vec<i64> = (0..len).map(|at| value(bound, at)).collect();
                for wide in [true, false].into_iter().filter(|wide| *wide || bound <= i32::MAX.into()) {
                    check_all(&values, &vector(&values, wide, None), bound as u64);
                    check_all(&values, &vector(&values, wide, Some(&|tuple| tuple % 3 > 0)), bound as u64);
                    check_all(&values, &vector(&values, wide, Some(&|_| false)), bound as u64);
                }
            }
        }
    }
}

#[test]
fn sums_are_wide_before_they_overflow() {
    let (largest, bound) = ([i64::MAX; 3], i64::MAX as u64);
    let decimal = DataType::Decimal { precision: 38, scale: SCALE as u8 };
    let of = |count: usize| {
        let mut sums = NumericSums::of_integers(false, bound, SCALE);
        sums.resize(1);
        let vector = vector(&largest[..count], true, None);
        let input = Input { groups: TileGroups::One, vector: Some(&vector), len: count };
        sums.update(&input, decimal).expect("nothing fails");
        assert_eq!(matches!(sums.states, States::Wide { .. }), count > 1);
        sums
    };
    for (mine, theirs) in [(1, 0), (1, 1), (1, 2), (2, 1), (3, 3)] {
        let mut merged = of(mine);
        merged.merge(&of(theirs), std::iter::once((0, 0)));
        let mut expected = NumericSum::default();
        (0..mine + theirs).for_each(|_| expected.add(&Numeric::new(i64::MAX, SCALE), true));
        let shown = |sum: &NumericSum| format!("{:?} {:?}", sum.total(), sum.variance(true));
        assert_eq!(shown(&merged.widened()[0]), shown(&expected), "{mine} and {theirs}");
    }
}
