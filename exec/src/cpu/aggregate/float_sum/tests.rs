//! Sums of floats in groups beside the exact sum of each, whatever the groups' form and the order of merges.

use super::super::super::vector::Vector;
use super::*;
use crate::sums::exact_sum::ExactSum;

/// The last of them are of every magnitude, and no numbers.
const NASTY: [f64; 16] = [
    1.0,
    -0.1,
    123_456.78,
    0.0,
    -0.0,
    3.7e5,
    -2.5e-3,
    1e18,
    -1e-300,
    5e-324,
    -1e150,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NAN,
    f64::NEG_INFINITY,
];

fn vector(values: &[f64], valid: Option<&dyn Fn(usize) -> bool>) -> Vector {
    let mut vector = Vector::default();
    let nulls = valid.map(|valid| {
        let mut nulls = Bitmap::default();
        nulls.fill(values.len(), valid);
        nulls
    });
    vector.set(values.len(), VectorData::F64(values.to_vec()), nulls);
    vector
}

/// The bits of the sums; none where there is no value. Whatever overflows is an error.
fn shown(sums: &FloatSums) -> Vec<Option<String>> {
    let one = |group: usize| format!("{:?}", sums.sum(group).finish(DataType::Double).map(f64::to_bits));
    (0..sums.groups()).map(|group| sums.seen[group].then(|| one(group))).collect()
}

fn expected(values: &[f64], vector: &Vector, group_of: &dyn Fn(usize) -> u32, room: usize) -> FloatSums {
    let mut seen = vec![false; room];
    let mut sums = vec![ExactSum::new(); room];
    for (tuple, &value) in values.iter().enumerate().filter(|(tuple, _)| !vector.is_null(*tuple)) {
        sums[group_of(tuple) as usize].add(value);
        seen[group_of(tuple) as usize] = true;
    }
    FloatSums::of_exact(sums, seen)
}

/// Sums of these values, and of those again that `before` has.
fn check(values: &[f64], vector: &Vector, group_of: &dyn Fn(usize) -> u32, groups: TileGroups<'_>, before: f64) {
    let room = (0..values.len()).map(group_of).max().map_or(1, |most| most as usize + 1);
    let input = Input { groups, vector: Some(vector), len: values.len() };
    let of = |first: f64| {
        let mut sums = FloatSums::default();
        sums.resize(room);
        if first != 0.0 {
            sums.add(0, first);
            sums.add(0, -first);
        }
        sums.update(&input, &mut Memory::default()).expect("nothing fails");
        sums
    };
    let once = expected(values, vector, group_of, room);
    let mut twice = expected(values, vector, group_of, room);
    twice.merge(&once, (0..room).map(|group| (group, group)));
    let sums = of(0.0);
    assert_eq!(shown(&sums), shown(&once), "{} values", values.len());
    // Units of another magnitude, on either side of a merge.
    for (mut mine, theirs) in
        [(of(0.0), of(before)), (of(before), of(0.0)), (of(0.0), of(0.0)), (once.clone(), of(0.0))]
    {
        mine.seen.clone_from(&once.seen);
        mine.merge(&theirs, (0..room).map(|group| (group, group)));
        mine.seen.clone_from(&once.seen);
        assert_eq!(shown(&mine), shown(&twice), "{} values twice, behind {before}", values.len());
    }
    let mut appended = of(0.0);
    if appended.append(&sums, 0..room) {
        assert_eq!(shown(&appended), [shown(&once), shown(&once)].concat());
    }
    let picked: Vec<u32> = (0..room as u32).rev().collect();
    let reversed: Vec<_> = shown(&once).into_iter().rev().collect();
    assert_eq!(shown(&sums.take(&picked)), reversed);
}

fn check_all(values: &[f64], vector: &Vector, before: f64) {
    let few = |tuple: usize| (tuple * tuple % 5) as u32;
    let rare = |tuple: usize| u32::from(tuple % 200 == 7) * 3;
    let runs_of = |tuple: usize| (tuple / 5) as u32;
    check(values, vector, &|_| 0, TileGroups::One, before);
    for group_of in [&few as &dyn Fn(usize) -> u32, &rare, &runs_of] {
        let groups: Vec<u32> = (0..values.len()).map(group_of).collect();
        check(values, vector, group_of, TileGroups::Each(&groups, None), before);
        let mut present = Present::default();
        if present.find(&groups, None) {
            check(values, vector, group_of, TileGroups::Each(&groups, Some(&present)), before);
            check(values, vector, group_of, TileGroups::Masks(&present), before);
        }
    }
    let mut runs = Runs::default();
    runs.find_alike(&(0..values.len()).map(runs_of).collect::<Vec<_>>());
    check(values, vector, &runs_of, TileGroups::Runs(&runs), before);
}

#[test]
fn sums_are_exact_in_every_form() {
    for len in [0, 1, 2, 64, 65, 1023, 1025] {
        // Of one magnitude, of some, of all with each other and with few that are none.
        for (kinds, rare) in [(1, 1), (3, 1), (8, 1), (8, 97), (13, 1), (NASTY.len(), 1), (NASTY.len(), 331)] {
            let value = |at: usize| {
                let kind = if at.is_multiple_of(rare) { at / rare * 7 % kinds } else { at % 3 };
                NASTY[kind] * (1.0 - (at % 97) as f64 / 128.0)
            };
            let values: Vec<f64> = (0..len).map(value).collect();
            for before in [1e12, 1e-9, 1e300, 1e-320] {
                check_all(&values, &vector(&values, None), before);
            }
            check_all(&values, &vector(&values, Some(&|tuple| tuple % 3 > 0)), 1e3);
            check_all(&values, &vector(&values, Some(&|_| false)), 1e3);
        }
    }
}

#[test]
fn windows_give_way_before_they_overflow() {
    let mut sums = FloatSums::default();
    sums.resize(2);
    let largest = 1.999_999 * f64::from(2).powi(40);
    let values = vec![largest; 1000];
    let groups: Vec<u32> = (0..1000).map(|tuple| tuple % 2).collect();
    let vector = vector(&values, None);
    let input = Input { groups: TileGroups::Each(&groups, None), vector: Some(&vector), len: values.len() };
    let mut expected = [ExactSum::new(), ExactSum::new()];
    for more in [0, u64::MAX / 2, 1 << 41, u64::MAX] {
        sums.expect_rows(more);
        sums.update(&input, &mut Memory::default()).expect("nothing fails");
        expected.iter_mut().for_each(|sum| sum.add_all(&values[..500]));
        assert_eq!([0, 1].map(|group| sums.sum(group).total()), expected.each_ref().map(ExactSum::total));
    }
    assert!(!sums.rest.is_empty());
}
