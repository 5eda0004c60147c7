//! The table of what is known of reductions (`Reduction::properties`), against what they make of random small bags.

use super::*;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::multiloop::reduction::Identity;
use multiloop_planner::numeric::Numeric;

/// Bags of each reduction and type.
const BAGS: usize = 300;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// A few values of a type, with NULLs.
    fn bag(&mut self, data_type: DataType) -> Vec<Value> {
        let numeric = |text: &str| Value::numeric(Numeric::parse(text).expect("a number"));
        let pool = match data_type {
            DataType::Boolean => vec![Value::Boolean(true), Value::Boolean(false)],
            DataType::Double => [-0.0, 0.0, 1.0, -2.5, 1e300, f64::NAN, f64::INFINITY].map(Value::Float).to_vec(),
            DataType::Text => ["", "a", "ab", "b"].map(|text| Value::Text(text.into())).to_vec(),
            DataType::Numeric => vec![numeric("1.10"), numeric("-3"), numeric("1e20"), numeric("0.001")],
            _ => [-7, 0, 1, 2, 1 << 40].map(Value::Int).to_vec(),
        };
        let value = |random: &mut Self| {
            let null = random.below(4) == 0;
            if null { Value::Null } else { pool[random.below(pool.len())].clone() }
        };
        (0..self.below(6)).map(|_| value(self)).collect()
    }

    fn shuffled(&mut self, bag: &[Value]) -> Vec<Value> {
        let mut bag = bag.to_vec();
        (1..bag.len()).for_each(|at| bag.swap(at, self.below(at + 1)));
        bag
    }
}

/// What a reduction gives of a bag, or the error's state.
fn reduce(
    reduction: &Reduction,
    (argument, result): (DataType, DataType),
    bag: &[Value],
) -> std::result::Result<Value, String> {
    let mut accumulator = Accumulator::new(reduction, Some(argument));
    let folded = bag.iter().try_for_each(|value| accumulator.fold(vec![value.clone()]));
    folded.and_then(|()| accumulator.finish(result)).map_err(|error| error.sqlstate().to_owned())
}

/// The reductions of one value, with types of arguments and of the result.
fn all() -> Vec<(Reduction, DataType, DataType)> {
    use DataType::{BigInt, Boolean, Double, Numeric, Text};
    let whole = DataType::decimal(38, 0);
    let mut all = vec![
        (Reduction::CountRows, BigInt, BigInt),
        (Reduction::Count, Text, BigInt),
        (Reduction::Sum, BigInt, whole),
        (Reduction::Sum, Numeric, Numeric),
        (Reduction::Any, Boolean, Boolean),
        (Reduction::All, Boolean, Boolean),
        (Reduction::Statistic(Statistic::BitAnd), BigInt, BigInt),
        (Reduction::Statistic(Statistic::BitOr), BigInt, BigInt),
        (Reduction::Statistic(Statistic::BitXor), BigInt, BigInt),
        (Reduction::Statistic(Statistic::Product), Double, Double),
        (Reduction::Statistic(Statistic::DistinctEstimate), Text, BigInt),
        (Reduction::Variance { sample: true }, Double, Double),
        (Reduction::Variance { sample: false }, Numeric, Numeric),
    ];
    for data_type in [BigInt, Double, Text, Numeric, Boolean] {
        let picks = [Reduction::Min, Reduction::Max, Reduction::First, Reduction::Single];
        all.extend(picks.map(|reduction| (reduction, data_type, data_type)));
    }
    all
}

#[test]
fn the_table_says_what_reductions_do() {
    let mut random = Random(34);
    for (reduction, argument, result) in all() {
        let known = reduction.properties();
        let of = |bag: &[Value]| format!("{:?}", reduce(&reduction, (argument, result), bag));
        let identity = match known.identity {
            Identity::Zero => Value::Int(0),
            Identity::Boolean(value) => Value::Boolean(value),
            Identity::Null => Value::Null,
            Identity::Nothing => panic!("{reduction:?} gives rows"),
        };
        assert_eq!(of(&[]), format!("{:?}", Ok::<_, String>(identity)), "{reduction:?} of nothing");
        let (mut null_shows, mut order_shows, mut twice_shows) = (false, false, false);
        for _ in 0..BAGS {
            let bag = random.bag(argument);
            let found = of(&bag);
            let context = || format!("{reduction:?} of {bag:?}");
            let with_null = of(&[&[Value::Null], &bag[..]].concat());
            null_shows |= with_null != found;
            assert!(known.takes_nulls || with_null == found, "{} and NULL", context());
            let shuffled = of(&random.shuffled(&bag));
            order_shows |= shuffled != found;
            assert!(known.order_sensitive || shuffled == found, "{} in another order", context());
            // The order of rows is another matter. Where all come twice, a variance may stay what it was.
            let twice = of(&bag.iter().chain(bag.first()).cloned().collect::<Vec<_>>());
            twice_shows |= twice != found;
            assert!(!known.idempotent || twice == found, "{} twice", context());
            if let Some(decisive) = known.decided_by {
                let decided = of(&[&bag[..], &[Value::Boolean(decisive)]].concat());
                assert_eq!(decided, of(&[Value::Boolean(decisive)]), "{} and what decides", context());
            }
            if let Some(merge) = &known.merged_by {
                let mut parts: Vec<&[Value]> = Vec::new();
                let mut rest = &bag[..];
                while !rest.is_empty() {
                    let (part, behind) = rest.split_at(1 + random.below(rest.len()));
                    parts.push(part);
                    rest = behind;
                }
                let results = parts.iter().map(|part| reduce(&reduction, (argument, result), part));
                let merged = match results.collect::<std::result::Result<Vec<_>, _>>() {
                    Ok(results) if parts.is_empty() => reduce(&reduction, (argument, result), &results),
                    Ok(results) => reduce(merge, (result, result), &results),
                    Err(state) => Err(state),
                };
                assert_eq!(format!("{merged:?}"), found, "{} in {} parts", context(), parts.len());
            }
        }
        // What the table claims is not claimed for nothing.
        assert_eq!(null_shows, known.takes_nulls, "{reduction:?} and NULLs");
        assert_eq!(order_shows, known.order_sensitive, "{reduction:?} and order");
        assert_eq!(twice_shows, !known.idempotent, "{reduction:?} and rows that come twice");
    }
}

#[test]
fn the_first_rows_depend_on_no_order_and_count_what_comes_twice() {
    let order = vec![SortOrder { descending: false, nulls_first: false }];
    let reduction = Reduction::TopK { order: order.clone(), limit: ScalarId(0), offset: ScalarId(0) };
    let known = reduction.properties();
    assert!(reduction.gives_rows() && known.identity == Identity::Nothing && known.merged_by.is_none());
    let top = |bag: &[Value]| {
        let mut top = Accumulator::top_k(&order, &Value::Int(3), &Value::Int(1)).unwrap();
        bag.iter().for_each(|value| top.fold(vec![value.clone(), value.clone()]).unwrap());
        format!("{:?}", top.into_top_rows())
    };
    assert_eq!(top(&[]), "[]");
    let (mut random, mut twice_shows, mut null_shows) = (Random(35), false, false);
    for _ in 0..BAGS {
        let bag = random.bag(DataType::BigInt);
        assert_eq!(top(&random.shuffled(&bag)), top(&bag), "{bag:?}");
        twice_shows |= top(&[&bag[..], &bag].concat()) != top(&bag);
        null_shows |= top(&[&bag[..], &[Value::Null]].concat()) != top(&bag);
    }
    assert_eq!((known.order_sensitive, known.idempotent, known.takes_nulls), (false, !twice_shows, null_shows));
}
