//! Variances of floats in groups of every form beside those of values that are added one by one.

use super::*;
use crate::cpu::groups::runs::Runs;

fn check(values: &[f64], vector: &Vector, group_of: &dyn Fn(usize) -> u32, groups: TileGroups<'_>) {
    let room = (0..values.len()).map(group_of).max().map_or(1, |most| most as usize + 1);
    let mut expected = vec![Variance::new(); room];
    for (tuple, &value) in values.iter().enumerate().filter(|(tuple, _)| !vector.is_null(*tuple)) {
        expected[group_of(tuple) as usize].add(value);
    }
    let mut moments = Moments::new(true);
    moments.resize(room);
    let input = Input { groups, vector: Some(vector), len: values.len() };
    moments.update(&input, DataType::Double, &mut Vector::default()).expect("nothing fails");
    let shown =
        |states: &[Variance]| states.iter().map(|state| format!("{:?}", state.finish(true))).collect::<Vec<_>>();
    assert_eq!(shown(&moments.states), shown(&expected), "{} values", values.len());
    let heap: usize = moments.states.iter().map(Variance::heap_bytes).sum();
    let own = moments.states.capacity() * size_of::<Variance>();
    assert_eq!(moments.bytes(), own + heap);
    moments.resize(0);
    assert_eq!(moments.bytes(), own);
}

#[test]
fn variances_are_exact_in_every_form() {
    let nasty = [1.5, -0.0, 123_456.78, 1e9, 1e150, -3e-200, 5e-324, f64::INFINITY, f64::NAN];
    for len in [0, 1, 64, 65, 1023, 1025] {
        for kinds in [1, 3, 4, 7, nasty.len()] {
            let values: Vec<f64> = (0..len).map(|at| nasty[at * 7 % kinds] * (1.0 + (at % 97) as f64 / 64.0)).collect();
            for valid in [None, Some(3), Some(1)] {
                let mut vector = Vector::default();
                let nulls = valid.map(|each| {
                    let mut nulls = Bitmap::default();
                    nulls.fill(len, |tuple| tuple % each > 0);
                    nulls
                });
                vector.set(len, VectorData::F64(values.clone()), nulls);
                let few = |tuple: usize| (tuple * tuple % 5) as u32;
                let rare = |tuple: usize| u32::from(tuple % 200 == 7) * 3;
                let runs_of = |tuple: usize| if tuple < 500 { tuple as u32 / 3 } else { tuple as u32 / 100 + 200 };
                check(&values, &vector, &|_| 0, TileGroups::One);
                for group_of in [&few as &dyn Fn(usize) -> u32, &rare] {
                    let groups: Vec<u32> = (0..len).map(group_of).collect();
                    check(&values, &vector, group_of, TileGroups::Each(&groups, None));
                    let mut present = Present::default();
                    assert!(present.find(&groups, None));
                    check(&values, &vector, group_of, TileGroups::Each(&groups, Some(&present)));
                    check(&values, &vector, group_of, TileGroups::Masks(&present));
                }
                // Runs of groups that follow one another.
                let mut first = Vec::new();
                (0..len).for_each(|tuple| {
                    if first.last().is_none_or(|&(of, _): &(u32, u32)| of != runs_of(tuple)) {
                        first.push((runs_of(tuple), first.len() as u32));
                    }
                });
                let place =
                    |tuple: usize| first.iter().find(|(of, _)| *of == runs_of(tuple)).map_or(0, |found| found.1);
                let mut runs = Runs::default();
                runs.find_alike(&(0..len).map(runs_of).collect::<Vec<_>>());
                check(&values, &vector, &place, TileGroups::Runs(&runs));
            }
        }
    }
}
