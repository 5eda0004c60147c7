//! Kernels of arrays beside the definition of their functions: every kind of element, every shape of arrays.

use super::super::{Scratch, fallback};
use super::decode::Run;
use super::*;
use crate::cpu::vector::builder::register_of;
use multiloop_planner::evaluate::array::{Array, Bound};
use multiloop_planner::function::{Comparison, ListTotal};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// What a function gives here, if it does, is what its definition does. An argument of one row is a constant.
fn check(function: ArrayFunction, element: DataType, rows: &[(&[Value], DataType)], result: DataType) -> bool {
    let len = rows.iter().map(|(rows, _)| rows.len()).max().unwrap_or(0);
    let types: Vec<DataType> = rows.iter().map(|(_, of)| *of).collect();
    let vectors: Vec<Vector> = rows
        .iter()
        .map(|(rows, of)| {
            let mut vector = Vector::default();
            match rows {
                [one] if len > 1 => vector.set_constant(len, one, register_of(*of)),
                all => vector.set_values(all, register_of(*of)),
            }
            vector
        })
        .collect();
    let register = register_of(result);
    let call = Call { function: Function::Array(function, element), types: &types, result, register, checked: true };
    let arguments: Vec<&Vector> = vectors.iter().collect();
    let (mut found, mut expected) = (Vector::default(), Vector::default());
    let done = super::call(&call, &arguments, len, &mut found).unwrap();
    super::super::call(&call, &arguments, len, &mut Scratch::default(), &mut found).unwrap();
    fallback::call(&call, &arguments, len, &mut expected).unwrap();
    for tuple in 0..len {
        let given: Vec<Value> = vectors.iter().zip(&types).map(|(vector, of)| vector.value(tuple, *of)).collect();
        let (found, expected) = (found.value(tuple, result), expected.value(tuple, result));
        // Zeros of both signs, and NaNs, are told apart as an array does.
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{function:?} {element} {given:?}");
    }
    done
}

/// Element types with values, the least and the greatest among them.
pub(super) fn kinds() -> Vec<(DataType, Vec<Value>)> {
    let integers = |all: &[i64]| all.iter().map(|&number| Value::Int(number)).collect::<Vec<_>>();
    let small = integers(&[i16::MIN.into(), -1, 0, 1, 77, i16::MAX.into()]);
    let narrow = integers(&[i32::MIN.into(), -1, 0, 1, 77, i32::MAX.into()]);
    let wide = integers(&[i64::MIN, -1, 0, 1, 77, i64::MAX]);
    let floats = [f64::NEG_INFINITY, -1.5, 0.0, 2.5, 77.0, f64::NAN].map(Value::Float).to_vec();
    let texts = ["", "a", "ä\u{1}b", "\u{4}", "aa", "\u{2}\u{3}", "long, long, long, long"].map(Value::text).to_vec();
    vec![
        (DataType::Boolean, vec![Value::Boolean(false), Value::Boolean(true)]),
        (DataType::SmallInt, small),
        (DataType::Integer, narrow.clone()),
        (DataType::Date, narrow),
        (DataType::BigInt, wide.clone()),
        (DataType::Timestamp, wide),
        (DataType::Real, floats.clone()),
        (DataType::Double, floats),
        (DataType::Text, texts),
    ]
}

/// Arrays of values: none, few, many, NULLs among them, of several dimensions, with other subscripts.
pub(super) fn arrays(values: &[Value], element: DataType) -> Vec<Value> {
    let mut all = vec![Array::default(), Array::of(vec![Value::Null])];
    for count in 1..=values.len() {
        all.push(Array::of(values[..count].to_vec()));
        all.push(Array::of([&[Value::Null], &values[..count]].concat()));
    }
    for count in [15, 16, 17, 32, 50] {
        let mut many: Vec<Value> = values[..1].iter().cycle().take(count).cloned().collect();
        all.push(Array::of(many.clone()));
        many[count / 2] = values[values.len() - 1].clone();
        all.push(Array::of(many.clone()));
        many[count - 1] = Value::Null;
        all.push(Array::of(many));
    }
    let two = vec![values[0].clone(), Value::Null];
    all.push(Array { bounds: vec![Bound { lower: -1, length: 2 }], elements: two.clone() });
    all.push(Array { bounds: vec![Bound { lower: 1, length: 1 }, Bound { lower: 1, length: 2 }], elements: two });
    let mut texts: Vec<Value> = all.iter().map(|array| Value::text(array.encode(element))).collect();
    texts.push(Value::Null);
    texts
}

/// Every pair of both.
fn pairs(left: &[Value], right: &[Value]) -> (Vec<Value>, Vec<Value>) {
    left.iter().flat_map(|left| right.iter().map(move |right| (left.clone(), right.clone()))).unzip()
}

const BIGINT: DataType = DataType::BigInt;
const TEXT: DataType = DataType::Text;

#[test]
fn elements_at_places() {
    use ArrayFunction as A;
    for (element, values) in kinds() {
        let arrays = arrays(&values, element);
        let places: Vec<Value> = [0, 1, 2, 3, 4, 5, 0, 2, 1, -1, 0, 1, 2, -3, -2, -1, 0, 16, 49, i64::MAX, i64::MIN, 3]
            .map(Value::Int)
            .into_iter()
            .chain([Value::Null])
            .collect();
        let (all, numbers) = pairs(&arrays, &places);
        for function in [A::Nth, A::Element, A::Extract] {
            assert!(check(function, element, &[(&all, TEXT), (&numbers, BIGINT)], element), "{function:?} {element}");
            assert!(check(function, element, &[(&all, TEXT), (&places[2..3], BIGINT)], element));
        }
        assert!(check(A::Cardinality, element, &[(&arrays, TEXT)], DataType::Integer));
        let one = [Value::Int(1)];
        assert!(check(A::Length, element, &[(&arrays, TEXT), (&one, DataType::Integer)], DataType::Integer));
        check(A::Length, element, &[(&arrays, TEXT), (&[Value::Int(2)], DataType::Integer)], DataType::Integer);
    }
}

#[test]
fn elements_that_are_looked_for() {
    use ArrayFunction as A;
    use Comparison as C;
    for (element, mut values) in kinds() {
        let arrays = arrays(&values, element);
        values.push(Value::Null);
        let (all, wanted) = pairs(&arrays, &values);
        for comparison in [C::Equal, C::NotEqual, C::Less, C::LessEqual, C::Greater, C::GreaterEqual] {
            for function in [A::Any(comparison), A::All(comparison)] {
                let is_text = element == TEXT;
                let by_row = check(function, element, &[(&wanted, element), (&all, TEXT)], DataType::Boolean);
                let one = check(function, element, &[(&values[1..2], element), (&arrays, TEXT)], DataType::Boolean);
                assert!(is_text || (by_row && one), "{function:?} {element}");
            }
        }
        assert!(check(A::Any(C::Equal), element, &[(&wanted, element), (&all, TEXT)], DataType::Boolean));
        assert!(check(A::HasElement, element, &[(&all, TEXT), (&wanted, element)], DataType::Boolean));
        assert!(check(A::HasElement, element, &[(&arrays, TEXT), (&values[..1], element)], DataType::Boolean));
        // The last ones are of several dimensions, or count from elsewhere.
        let plain = &arrays[..arrays.len() - 3];
        let (all, wanted) = pairs(plain, &values);
        assert!(check(A::Position, element, &[(&all, TEXT), (&wanted, element)], DataType::Integer));
        let (left, right) = pairs(&arrays, &arrays);
        for function in [A::Contains, A::Overlaps] {
            check(function, element, &[(&left, TEXT), (&right, TEXT)], DataType::Boolean);
            let few = &arrays[..8];
            let (left, right) = pairs(&arrays, few);
            assert!(check(function, element, &[(&left, TEXT), (&right, TEXT)], DataType::Boolean));
            assert!(check(function, element, &[(&arrays, TEXT), (&arrays[4..5], TEXT)], DataType::Boolean));
        }
    }
}

#[test]
fn totals() {
    use ListTotal as L;
    for (element, values) in kinds() {
        let arrays = arrays(&values, element);
        let of = |total: ListTotal, result: DataType| {
            check(ArrayFunction::Total(total), element, &[(&arrays, TEXT)], result)
        };
        if element != TEXT {
            assert!(of(L::Count, BIGINT));
        }
        if element.is_numeric() {
            assert!(of(L::Sum, if element.is_float() { DataType::Double } else { DataType::decimal(38, 0) }));
            assert!(of(L::Average, DataType::Double));
        }
        assert_eq!(of(L::Min, element), !matches!(element, DataType::Boolean | DataType::Text));
        of(L::Max, element);
        of(L::AnyValue, element);
    }
}

#[test]
fn arrays_of_elements() {
    for (element, mut values) in kinds() {
        values.push(Value::Null);
        let (left, right) = pairs(&values, &values);
        let rows = [(&left[..], element), (&right[..], element), (&values[..1], element)];
        assert!(check(ArrayFunction::Make, element, &rows, TEXT), "{element}");
        let entry = |value: &Value| {
            let text = Array::of(vec![value.clone(), value.clone()]).encode(element);
            Value::text(&text[..text.len() - TAIL.len() - 1])
        };
        let mut entries: Vec<Value> = values.iter().map(entry).collect();
        entries.extend([Value::text(""), Value::Null]);
        assert!(check(ArrayFunction::OfEntries, element, &[(&entries, TEXT)], TEXT), "{element}");
    }
}

#[test]
fn ends_that_are_there_are_not_copied() {
    let array = Array::of(vec![Value::Int(1), Value::Int(-7)]).encode(DataType::Integer);
    let mut texts = crate::cpu::vector::TextVector::default();
    texts.push(&array);
    texts.push(&array);
    texts.share();
    let short: Vec<crate::column::TextView> =
        texts.views().iter().map(|view| crate::column::TextView { length: view.length - 10, ..*view }).collect();
    let buffers = texts.buffers().unwrap().clone();
    let mut entries = crate::cpu::vector::TextVector::default();
    entries.set_buffers(buffers.clone());
    entries.extend_views(short.into_iter());
    let mut vector = Vector::default();
    vector.set(2, VectorData::Text(entries), None);
    let mut out = Vector::default();
    assert!(make::of_entries(&vector, 2, &mut out));
    let VectorData::Text(arrays) = &out.data else { panic!("{out:?}") };
    assert!((0..2).all(|row| arrays.get(row) == array));
    assert_eq!(arrays.buffers().unwrap().len(), buffers.len());
    assert!(arrays.is_shared());
}

#[test]
fn wider_elements() {
    for (element, values) in kinds() {
        let arrays = arrays(&values, element);
        for to in [DataType::SmallInt, DataType::Integer, BIGINT, DataType::Real, DataType::Double] {
            let is_wider = element != to
                && match to {
                    DataType::Integer => element == DataType::SmallInt,
                    DataType::BigInt => matches!(element, DataType::SmallInt | DataType::Integer),
                    DataType::Real => element == DataType::SmallInt,
                    DataType::Double => {
                        matches!(element, DataType::SmallInt | DataType::Integer | DataType::Real)
                    }
                    _ => false,
                };
            if is_wider {
                assert!(check(ArrayFunction::Cast(to), element, &[(&arrays, TEXT)], TEXT), "{element} {to}");
            }
        }
    }
}

#[test]
fn texts_behind_separators() {
    let (comma, null) = (Value::text(", "), Value::Null);
    let pairs =
        |texts: &[&str]| -> Vec<Value> { texts.iter().flat_map(|text| [comma.clone(), Value::text(*text)]).collect() };
    let arrays = [
        vec![],
        pairs(&["a"]),
        pairs(&["", "äö", "", "b"]),
        vec![null.clone(), Value::text("a"), null.clone(), Value::text("b"), comma.clone(), null.clone()],
    ];
    let mut rows: Vec<Value> = arrays.iter().map(|all| Value::text(Array::of(all.clone()).encode(TEXT))).collect();
    rows.push(Value::Null);
    assert!(check(ArrayFunction::JoinPairs, TEXT, &[(&rows, TEXT)], TEXT));
    rows.push(Value::text(Array::of(pairs(&["a\u{1}"])).encode(TEXT)));
    assert!(!check(ArrayFunction::JoinPairs, TEXT, &[(&rows, TEXT)], TEXT));
}

#[test]
fn parts_of_texts() {
    let texts = ["", " ", "a b", "  a", "b  ", "äö ü", "abcabc"].map(Value::text);
    let rows = [&texts[..], &[Value::Null]].concat();
    let of = |rows: &[Value], separator: Value| {
        check(ArrayFunction::Split, TEXT, &[(rows, TEXT), (&[separator], TEXT)], TEXT)
    };
    for separator in [" ", "  ", "ö", "bc", "abc"] {
        assert!(of(&rows, Value::text(separator)));
    }
    assert!(!of(&rows, Value::text("")) && !of(&rows, Value::Null));
    assert!(!of(&[Value::text("a b"), Value::text("\u{3} b")], Value::text(" ")));
}

/// Elements of every count, NULLs among them, in front of bytes that look like more of them.
#[test]
fn many_elements_at_once() {
    for (element, values) in kinds() {
        let Some(Form::Fixed(kind)) = Form::of(element) else { continue };
        let keys: Vec<Option<u64>> = values.iter().map(|value| kind.key_of(value)).chain([None]).collect();
        let mut more = Vec::new();
        keys.iter().rev().for_each(|key| kind.push(*key, &mut more));
        for count in (0..40).chain([63, 64, 65, 127, 128, 129, 255, 256, 257, 1025]) {
            for (step, choices) in [(1, keys.len() - 1), (1, keys.len()), (3, keys.len()), (0, 1)] {
                let own: Vec<Option<u64>> = (0..count).map(|at| keys[(at * step + at / 7 * step) % choices]).collect();
                let mut bytes = Vec::new();
                own.iter().for_each(|key| kind.push(*key, &mut bytes));
                for behind in [0, 1, 10, 17, 100] {
                    let bytes: Vec<u8> = bytes.iter().chain(more.iter().cycle().take(behind)).copied().collect();
                    check_run(kind, Run { bytes: &bytes, count }, &own, &keys);
                }
            }
        }
    }
}

fn check_run(kind: Fixed, run: Run<'_>, own: &[Option<u64>], keys: &[Option<u64>]) {
    /// Decodes to a type, of which NULLs are any value.
    macro_rules! decodes {
        ($type:ty, $of:expr) => {
            for more in [0, 9] {
                let mut values = vec![<$type>::default(); run.count + more];
                let has_null = decode::decode(kind, run, &mut values, $of);
                assert_eq!(has_null, own.contains(&None), "{kind:?} {own:?}");
                for (value, key) in values.iter().zip(own) {
                    assert!(key.is_none_or(|key| $of(key).to_ne_bytes() == value.to_ne_bytes()), "{kind:?} {own:?}");
                }
            }
        };
    }
    match kind {
        Fixed::Integer | Fixed::Small => decodes!(i32, |key: u64| kind.integer(key) as i32),
        Fixed::Real | Fixed::Double => decodes!(f64, |key: u64| kind.float(key)),
        _ => {}
    }
    if !kind.is_float() {
        decodes!(i64, |key: u64| kind.integer(key));
        let known = || own.iter().flatten();
        let sum = known().map(|&key| i128::from(kind.integer(key))).sum();
        assert_eq!(decode::sum(kind, run), (sum, known().count()), "{kind:?} {own:?}");
    }
    struct Wanted<'b>(Fixed, Run<'b>, &'b [Option<u64>], Vec<probe::Found>);

    impl probe::Question for Wanted<'_> {
        fn ask(&self, tuple: usize) -> Option<(&[u8], usize, u128)> {
            let (key, end) = (self.2[tuple], self.1.count * self.0.stride());
            Some((self.1.bytes, end, self.0.word(if key.is_some() { VALUE } else { NULL }, key.unwrap_or(0))))
        }

        fn answer(&mut self, _: usize, found: Option<probe::Found>) {
            self.3.extend(found);
        }
    }

    let mut wanted = Wanted(kind, run, keys, Vec::new());
    probe::find_each(kind, keys.len(), &mut wanted).unwrap();
    for (key, found) in keys.iter().zip(wanted.3) {
        let expected = match own.iter().position(|own| own == key) {
            Some(at) => probe::Found::At(at),
            None if own.contains(&None) => probe::Found::BesideNull,
            None => probe::Found::Nowhere,
        };
        assert_eq!(found, expected, "{kind:?} {key:?} {own:?}");
    }
}
