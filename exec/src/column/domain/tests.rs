//! Codes and back, on nasty columns; shared and longer domains; and what stays as it is.

use super::{Appended, Domain, Joined, ROWS_MIN, append, decode, encode, encode_hashed};
use crate::column::build::{Storage, TableBuilder};
use crate::column::{CHUNK_ROWS, Table};
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;

fn context() -> Context {
    Context::new(Memory::new(1 << 30))
}

/// A table of one column of these values.
fn table(data_type: DataType, values: impl IntoIterator<Item = Option<i64>>) -> Table {
    let mut builder = TableBuilder::new(vec![Field::new("k", data_type, true)], Storage::Compact, &context());
    let value = |value: Option<i64>| vec![value.map_or(Value::Null, Value::Int)];
    let rows: Vec<Vec<Value>> = values.into_iter().map(value).collect();
    builder.push_values(&rows).expect("the values are of their type");
    builder.finish().expect("there is memory")
}

fn big(values: impl IntoIterator<Item = i64>) -> Table {
    table(DataType::BigInt, values.into_iter().map(Some))
}

/// Other numbers for other numbers, anywhere in 64 bits.
fn scattered(n: i64) -> i64 {
    let mixed = (n as u64 ^ 0x5bd1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as i64
}

/// A column that refers to these many keys: each twice, side by side, in the order of their numbers.
fn referring(keys: std::ops::Range<i64>) -> Table {
    big(keys.flat_map(|n| [scattered(n); 2]))
}

/// As it is loaded.
fn encoded(table: &Table, known: &[Domain]) -> (Table, Option<Domain>) {
    let (table, mut domains) = encode(table.clone(), &[], known, &context()).expect("there is memory");
    (table, domains.pop().flatten())
}

/// As it is once queries have hashed it, and perhaps joined it with another.
fn hashed(table: &Table, with: Option<&Table>) -> Option<(Table, Domain)> {
    let joined = with.map_or(Joined::Alone, |with| Joined::With(with, 0));
    let coded = encode_hashed(table.clone(), (0, &[]), (joined, &[]), &context()).expect("there is memory");
    coded.map(|(table, mut domains)| (table, domains.pop().flatten().expect("it has one")))
}

fn values(table: &Table) -> Vec<Value> {
    table.values().into_iter().flatten().collect()
}

fn shared(table: &Table, known: &[Domain]) -> (Table, Domain) {
    let (coded, domain) = encoded(table, known);
    (coded, domain.expect("it is encoded"))
}

/// Encodes, checks that codes are in the order in which values were first seen, that statistics and ranges are those of the
/// codes, and that decoding gives the table again.
fn check(table: &Table, known: &[Domain]) -> (Table, Domain) {
    let begins = known.is_empty() && table.fields[0].data_type.is_integer();
    let (coded, domain) = if begins { hashed(table, None).expect("it gains by it") } else { shared(table, known) };
    let from = known.iter().find(|known| known.lineage.id == domain.lineage.id);
    let mut seen = from.map_or(0, |domain| domain.table.rows()) as i64;
    let of_domain = domain.table.values();
    for (value, code) in values(table).iter().zip(values(&coded)) {
        assert_eq!(value.is_null(), code.is_null());
        let Value::Int(code) = code else { continue };
        assert!(code <= seen, "codes go on by one");
        seen += i64::from(code == seen);
        assert_eq!(of_domain[code as usize], [value.clone(), Value::Int(code)]);
    }
    assert_eq!(seen as usize, of_domain.len(), "what nobody has is not in a domain");
    let measured = coded.clone().measured(None);
    assert_eq!(*coded.statistics, *measured.statistics);
    for (a, b) in coded.chunks.iter().zip(&measured.chunks) {
        assert_eq!(a.ranges, b.ranges);
    }
    let back = decode(&coded, &[Some(domain.clone())], &context()).expect("there is memory");
    assert_eq!(values(&back), values(table));
    assert_eq!(*back.statistics, *table.statistics);
    (coded, domain)
}

#[test]
fn codes_stand_for_values() {
    let rows = ROWS_MIN as i64;
    for count in [rows, rows + 1, CHUNK_ROWS as i64 - 1, CHUNK_ROWS as i64, CHUNK_ROWS as i64 + 1, 150_000] {
        // Some often, side by side or not; with NULLs; the ends of the type.
        check(&big((0..count).map(|n| scattered(n * n % 1000))), &[]);
        check(&big((0..count).map(|n| scattered(n / 7))), &[]);
        check(&table(DataType::BigInt, (0..count).map(|n| (n % 3 > 0).then(|| scattered(n / 5)))), &[]);
        check(&table(DataType::BigInt, (0..count).map(|n| (n > count / 2).then(|| scattered(n % 9)))), &[]);
        check(&big((0..count).map(|n| [i64::MAX, i64::MIN, 0, -1][n as usize % 4])), &[]);
    }
    check(&table(DataType::Integer, (0..9000).map(|n| Some(scattered(n / 2) as i32 as i64 / 2))), &[]);
}

#[test]
fn what_would_gain_nothing_stays() {
    let rows = 2 * ROWS_MIN as i64;
    for table in [
        table(DataType::BigInt, []),
        table(DataType::BigInt, (0..rows).map(|_| None)),
        big((0..ROWS_MIN as i64 - 1).map(scattered)),
        big((0..rows).map(|_| i64::MIN)),
        big((0..rows).map(|n| n * 7919 % rows)),
        big((0..rows).map(|n| n * 7919 % rows * 1_000_000_007)),
        big((0..super::ROWS_SHARING as i64 - 1).map(scattered)),
        table(DataType::Timestamp, (0..rows).map(|n| Some(scattered(n) >> 12))),
    ] {
        assert!(hashed(&table, None).is_none() && hashed(&table, Some(&big((0..rows).map(scattered)))).is_none());
    }
    // What is in order gains nothing alone, but does where it is joined.
    let sorted = big((0..rows).map(|n| n * n * n * 1000));
    assert!(hashed(&sorted, None).is_none() && hashed(&sorted, Some(&sorted)).is_some());
    // Nothing of integers before somebody asks, nor then by other columns than of their type.
    let wide = referring(0..rows);
    assert!(encoded(&wide, &[]).1.is_none());
    assert!(hashed(&wide, Some(&table(DataType::Integer, (0..rows).map(Some)))).is_none());
    let has = [hashed(&wide, None).map(|(_, domain)| domain)];
    assert!(encode_hashed(wide, (0, &has), (Joined::Alone, &[]), &context()).expect("there is memory").is_none());
}

#[test]
fn columns_of_the_same_values_share_a_domain() {
    let (_, domain) = check(&referring(0..60_000), &[]);
    let keys = [domain.clone()];
    // As many, some of them, in another order, with NULLs; such as would not be encoded by themselves.
    for foreign in [
        big({
            let mut sorted: Vec<i64> = (0..50_000).map(scattered).collect();
            sorted.sort_unstable();
            sorted
        }),
        big((0..super::ROWS_SHARING as i64).map(|n| scattered(n * 100))),
        big((0..60_000).rev().map(scattered)),
        table(DataType::BigInt, (0..200_000).map(|n| (n % 10 > 0).then(|| scattered(n * 7 % 59_999)))),
        big((0..9_000).map(|n| scattered(n - n % 10 / 9))),
    ] {
        let (_, shared) = encoded(&foreign, &keys);
        let shared = shared.expect("it is encoded");
        assert!(Arc::ptr_eq(&shared.table, &domain.table));
    }
    let narrow = table(DataType::Integer, (0..60_000).map(|n| Some(scattered(n / 2) as i32 as i64)));
    assert!(encoded(&narrow, &keys).1.is_none(), "types are those of the values");
    assert!(encoded(&referring(100_000..160_000), &keys).1.is_none());
}

#[test]
fn a_column_that_is_joined_with_a_key_has_a_domain_in_its_order() {
    let key = big((0..60_000).map(scattered));
    // Backwards, of some of the keys, of one that there is not, and with NULLs.
    let values_of =
        (0..200_000).rev().map(|n| (n % 10 > 0).then(|| scattered(if n == 77 { -1 } else { n * 7 % 59_999 })));
    let refers = table(DataType::BigInt, values_of);
    let (coded, domain) = hashed(&refers, Some(&key)).expect("it is encoded");
    let of_domain: Vec<Value> = domain.table.values().into_iter().map(|mut row| row.swap_remove(0)).collect();
    assert!(of_domain[..60_000] == values(&key) && of_domain[60_000..] == [Value::Int(scattered(-1))]);
    let back = decode(&coded, &[Some(domain.clone())], &context()).expect("there is memory");
    assert_eq!(values(&back), values(&refers));
    // The key then has the numbers of its rows.
    let (coded, shared) = encoded(&key, std::slice::from_ref(&domain));
    assert!(shared.is_some() && coded.statistics.columns[0].proofs.sorted);
    // Who is joined by a domain has it, also if it has none of its values: those come behind.
    let apart = big((900_000..900_300).map(scattered));
    let (coded, by) = encode_hashed(apart.clone(), (0, &[]), (Joined::By(&domain), &[]), &context())
        .expect("there is memory")
        .expect("it gains by it");
    let longer = by[0].as_ref().expect("it has codes");
    assert_eq!((longer.lineage.id, longer.table.rows()), (domain.lineage.id, 60_301));
    assert_eq!(values(&decode(&coded, &by, &context()).expect("there is memory")), values(&apart));
    // And who has values of a domain that there is, whatever it is joined with.
    for joined in [Joined::Alone, Joined::With(&apart, 0)] {
        let known = [domain.clone()];
        let coded =
            encode_hashed(referring(0..30_000), (0, &[]), (joined, &known), &context()).expect("there is memory");
        assert_eq!(coded.expect("codes").1[0].as_ref().map(|of| of.lineage.id), Some(domain.lineage.id));
    }
    // What has nothing in common with it has its values behind; NULLs, what comes twice and no rows at all are no matter.
    let nulls = table(DataType::BigInt, (0..3_000).map(|n| (n % 3 > 0).then(|| scattered(n % 500))));
    for (with, different) in [(&key, 60_000), (&nulls, 500)] {
        let (_, domain) = hashed(&referring(500_000..530_000), Some(with)).expect("it is encoded");
        assert_eq!(domain.table.rows(), different + 30_000);
    }
    // What could not have codes itself is no partner.
    assert!(hashed(&referring(500_000..530_000), Some(&big([]))).is_none());
}

#[test]
fn rows_that_were_added_get_codes_with_those_before() {
    for first in [referring(0..60_000), referring(0..10_000)] {
        let added = [1, 300, 4_000].map(|rows| big((0..rows).map(|n| scattered(n * 5 - 3))));
        let table = added.iter().fold(first, |table, rows| table.append(rows, &context()).expect("there is memory"));
        assert!(!super::is_even(&table));
        let (coded, domain) = hashed(&table, None).expect("it is encoded");
        assert!(super::is_even(&coded));
        let back = decode(&coded, &[Some(domain)], &context()).expect("there is memory");
        assert_eq!(values(&back), values(&table));
    }
    // Batches of a caller's stay.
    let batches: Vec<Table> = (0..20).map(|at| big((0..5_000).map(|n| scattered(at * 5_000 + n)))).collect();
    let chunks = batches.iter().flat_map(|batch| batch.chunks.clone()).collect();
    let table = Table { chunks, ..batches[0].clone() }.measured(None);
    assert!(table.rows() == 100_000 && hashed(&table, None).is_none());
}

#[test]
fn columns_of_one_table_share_a_domain() {
    let mut builder = TableBuilder::new(
        ["parent", "id", "other"].map(|name| Field::new(name, DataType::BigInt, true)).to_vec(),
        Storage::Compact,
        &context(),
    );
    let row = |n: i64| [scattered(n / 2), scattered(n), scattered(n + 1_000_000)].map(Value::Int).to_vec();
    builder.push_values(&(0..10_000).map(row).collect::<Vec<_>>()).expect("there is memory");
    let table = builder.finish().expect("there is memory");
    let coded = |table: Table, column, has: &[Option<Domain>], joined| {
        encode_hashed(table, (column, has), (joined, &[]), &context())
            .expect("there is memory")
            .expect("it gains by it")
    };
    let (once, domains) = coded(table.clone(), 0, &[], Joined::With(&table, 1));
    let [Some(parent), None, None] = &domains[..] else { panic!("{domains:?}") };
    let (coded, domains) = coded(once, 1, &domains, Joined::By(parent));
    let [Some(parent), Some(id), None] = &domains[..] else { panic!("{domains:?}") };
    assert!(Arc::ptr_eq(&parent.table, &id.table) && parent.table.rows() == 10_000);
    assert!(coded.statistics.columns[1].proofs.sorted);
    let back = decode(&coded, &domains, &context()).expect("there is memory");
    assert_eq!(values(&back), values(&table));
}

#[test]
fn a_domain_is_made_longer_once() {
    let (first, short) = check(&referring(0..60_000), &[]);
    let first: Vec<Value> = values(&first).into_iter().step_by(2).collect();
    let more = big((1_000..62_000).map(scattered));
    let (coded, long) = check(&more, std::slice::from_ref(&short));
    assert_eq!(long.lineage.id, short.lineage.id);
    assert_eq!(long.table.values()[..60_000], short.table.values());
    assert_eq!(values(&coded)[..59_000], first[1_000..], "equal codes are equal values");
    // Another table that knows the short one alone makes the longest one longer: no code is given to two values.
    let other = big((2_000..61_000).chain(70_000..71_000).map(scattered));
    for known in [vec![short.clone()], vec![short, long.clone()]] {
        let (again, longest) = encoded(&other, &known);
        let longest = longest.expect("it is encoded");
        assert_eq!(longest.lineage.id, long.lineage.id);
        assert_eq!(longest.table.values()[..62_000], long.table.values());
        assert_eq!(longest.table.rows(), 63_000);
        assert_eq!(
            values(&again)[..59_000],
            first[2_000..].iter().chain(&values(&coded)[59_000..60_000]).cloned().collect::<Vec<_>>()
        );
    }
}

#[test]
fn threads_do_not_show() {
    let table = table(DataType::BigInt, (0..300_000).map(|n| (n % 13 > 0).then(|| scattered(n * n % 50_021))));
    let with = |threads: usize| {
        let context = context().with_pool(&Arc::new(Pool::new(threads).expect("threads start")));
        let coded = encode_hashed(table.clone(), (0, &[]), (Joined::Alone, &[]), &context).expect("there is memory");
        values(&coded.expect("it gains by it").0)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn without_memory_columns_stay_and_with_it_it_is_counted() {
    let table = referring(0..30_000);
    let little = Context::new(Memory::new(1 << 20));
    let refused =
        encode_hashed(table.clone(), (0, &[]), (Joined::Alone, &[]), &little).expect_err("there is not the memory");
    assert_eq!(refused.kind(), crate::ErrorKind::OutOfMemory);
    let (_, domain) = hashed(&table, None).expect("it gains by it");
    assert!(encode(table.clone(), &[], &[domain], &little).expect("the load goes on").1.is_empty());
    assert_eq!(little.memory.used(), 0);
    let enough = context();
    let (coded, domains) = encode_hashed(table, (0, &[]), (Joined::Alone, &[]), &enough)
        .expect("there is memory")
        .expect("it gains by it");
    let bytes = |table: &Table| -> usize {
        table.chunks.iter().flat_map(|chunk| &chunk.columns).map(|column| column.bytes()).sum()
    };
    let domain = domains[0].clone().expect("it is encoded");
    assert_eq!(enough.memory.used(), bytes(&coded) + bytes(&domain.table));
}

/// A column of text of many rows; none where there is none.
fn texts(values: impl IntoIterator<Item = Option<String>>) -> Table {
    let mut builder = TableBuilder::new(vec![Field::new("k", DataType::Text, true)], Storage::Compact, &context());
    let value = |value: Option<String>| vec![value.map_or(Value::Null, Value::text)];
    let rows: Vec<Vec<Value>> = values.into_iter().map(value).collect();
    builder.push_values(&rows).expect("the values are of their type");
    builder.finish().expect("there is memory")
}

fn name(n: i64) -> Option<String> {
    Some(format!("{:x} of them", scattered(n)))
}

/// 300,000 rows of 70,000 strings, from a number on.
fn many_names(from: i64) -> Table {
    texts((0..300_000).map(|n| if n % 101 == 0 { None } else { name(from + n * 9 % 70_000) }))
}

#[test]
fn large_dictionaries_become_domains() {
    let (_, domain) = check(&many_names(0), &[]);
    let strings = domain.table.chunks[0].columns[0].data.dictionary().expect("values are codes of a dictionary");
    assert_eq!(strings.len(), 70_000);
    // Keys that are there once find theirs; others are left alone, as are small dictionaries.
    let keys = texts((0..70_000).rev().map(name));
    assert!(encoded(&keys, &[]).1.is_none());
    let shared = check_shared(&keys, &domain);
    assert!(Arc::ptr_eq(&shared.table, &domain.table));
    assert!(encoded(&texts((80_000..160_000).map(name)), std::slice::from_ref(&domain)).1.is_none());
    assert!(encoded(&texts((0..70_000).map(|n| name(n % 100))), &[domain]).1.is_none());
}

/// As [`check`], of a column that shares a domain.
fn check_shared(table: &Table, domain: &Domain) -> Domain {
    let (coded, shared) = encoded(table, std::slice::from_ref(domain));
    let shared = shared.expect("it is encoded");
    let of_domain = shared.table.values();
    for (value, code) in values(table).iter().zip(values(&coded)) {
        match code {
            Value::Int(code) => assert_eq!(of_domain[code as usize], [value.clone(), Value::Int(code)]),
            _ => assert!(value.is_null()),
        }
    }
    let back = decode(&coded, &[Some(shared.clone())], &context()).expect("there is memory");
    assert_eq!(values(&back), values(table));
    shared
}

#[test]
fn a_domain_of_text_is_made_longer() {
    let names = many_names(0);
    let (first, short) = check(&names, &[]);
    for table in [many_names(2_000), texts((1_000..75_000).map(name))] {
        let (_, short) = encoded(&names, &[]);
        let short = short.expect("it is encoded");
        let long = check_shared(&table, &short);
        assert_eq!(long.lineage.id, short.lineage.id);
        assert!(long.table.rows() > 70_000);
        assert_eq!(long.table.values()[..70_000], short.table.values());
    }
    let (again, shared) = encoded(&names, std::slice::from_ref(&short));
    assert!(Arc::ptr_eq(&shared.expect("it is encoded").table, &short.table));
    assert_eq!(values(&again), values(&first));
}

#[test]
fn memory_of_text_is_counted() {
    let enough = context();
    let mut builder = TableBuilder::new(vec![Field::new("k", DataType::Text, true)], Storage::Compact, &enough);
    let rows: Vec<Vec<Value>> =
        (0..300_000).map(|n| vec![Value::text(name(n % 70_000).expect("it has one"))]).collect();
    builder.push_values(&rows).expect("there is memory");
    let (coded, domains) =
        encode(builder.finish().expect("there is memory"), &[], &[], &enough).expect("there is memory");
    let bytes = |table: &Table| -> usize {
        table.chunks.iter().flat_map(|chunk| &chunk.columns).map(|column| column.bytes()).sum()
    };
    let domain = domains[0].clone().expect("it is encoded");
    let strings =
        domain.table.chunks[0].columns[0].data.dictionary().expect("values are codes of a dictionary").bytes();
    assert_eq!(enough.memory.used(), bytes(&coded) + bytes(&domain.table) + strings);
}

/// Appends rows to a table of one column that has codes, and checks these rows. Gives the table and its domain.
fn appended(table: &Table, domain: &Domain, rows: &Table, all: &mut Vec<Value>) -> (Table, Domain) {
    let domains = [Some(domain.clone())];
    let made = append(table, &domains, rows, &context()).expect("there is memory").expect("there is room");
    let Appended { table, rows: coded, mut domains } = made;
    let domain = domains.pop().flatten().expect("it has codes");
    let came = values(rows);
    assert_eq!(table.rows(), all.len() + came.len());
    let back = decode(&coded, &[Some(domain.clone())], &context()).expect("there is memory");
    assert_eq!(values(&back), came, "what came is what was given");
    all.extend(came);
    (table, domain)
}

/// Checks a table that rows were appended to: that all are there, that a value has one code, and that what is proven of codes
/// holds.
fn check_whole(table: &Table, domain: &Domain, all: &[Value]) {
    let codes = values(table);
    assert_eq!(codes.len(), all.len());
    let of_domain = domain.table.values();
    for (value, code) in all.iter().zip(&codes) {
        match code {
            Value::Int(code) => assert_eq!(of_domain[*code as usize], [value.clone(), Value::Int(*code)]),
            _ => assert!(value.is_null()),
        }
    }
    let different: FxHashSet<&Value> = of_domain.iter().map(|row| &row[0]).collect();
    assert_eq!(different.len(), of_domain.len(), "a value has one code");
    let [value, code] = &domain.table.statistics.columns[..] else { panic!("a domain has two columns") };
    assert!(value.proofs.unique && value.estimates.distinct == Some(of_domain.len() as u64));
    assert!(
        code.proofs.unique && code.proofs.sorted && code.proofs.max == Some(Value::Int(of_domain.len() as i64 - 1))
    );
    let measured = table.clone().measured(None);
    let (claimed, true_ones) = (&table.statistics.columns[0], &measured.statistics.columns[0]);
    assert_eq!(
        (&claimed.proofs.min, &claimed.proofs.max, claimed.proofs.nulls),
        (&true_ones.proofs.min, &true_ones.proofs.max, true_ones.proofs.nulls)
    );
    assert!(!claimed.proofs.unique || true_ones.proofs.unique);
    assert!(!claimed.proofs.unique_values || true_ones.proofs.unique_values);
    assert!(!claimed.proofs.sorted || true_ones.proofs.sorted);
    assert!(!claimed.proofs.clustered || true_ones.proofs.clustered);
    let back = decode(table, &[Some(domain.clone())], &context()).expect("there is memory");
    assert_eq!(values(&back), *all);
}

#[test]
fn rows_are_appended_as_codes() {
    let chunk = CHUNK_ROWS as i64;
    let texts_of = |numbers: Vec<Option<i64>>| texts(numbers.into_iter().map(|number| number.and_then(name)));
    let integers_of =
        |numbers: Vec<Option<i64>>| table(DataType::BigInt, numbers.into_iter().map(|n| n.map(scattered)));
    type Making<'a> = &'a dyn Fn(Vec<Option<i64>>) -> Table;
    let of: [(Making<'_>, Table); 2] = [(&texts_of, many_names(0)), (&integers_of, referring(0..70_000))];
    for (make, first) in of {
        let (mut coded, mut domain) = check(&first, &[]);
        let lineage = domain.lineage.id;
        let mut all = values(&first);
        // Another table goes on from where this one is by then, and this one from there.
        let (mut other, mut other_domain) = (coded.clone(), domain.clone());
        let mut all_other = all.clone();
        for numbers in [
            vec![],
            vec![Some(7)],
            vec![Some(1_000_000)],
            vec![None, Some(1_000_000), Some(1_000_001), Some(1_000_001), None, Some(3)],
            vec![None],
            (0..300).map(|number| Some(2_000_000 + number % 200)).collect(),
            (0..chunk + 1).map(|number| (number % 5 > 0).then_some(number * 3)).collect(),
            (0..chunk - 1).map(|number| Some(3_000_000 + number)).collect(),
            vec![Some(2_000_007)],
        ] {
            (coded, domain) = appended(&coded, &domain, &make(numbers.clone()), &mut all);
            if numbers.len() > 1_000 {
                check_whole(&coded, &domain, &all);
            } else {
                // Many rows once are enough.
                let more = numbers.iter().rev().map(|number| number.map(|number| number + 50)).collect();
                (other, other_domain) = appended(&other, &other_domain, &make(more), &mut all_other);
            }
            assert_eq!((domain.lineage.id, other_domain.lineage.id), (lineage, lineage));
        }
        check_whole(&coded, &domain, &all);
        check_whole(&other, &other_domain, &all_other);
        // A table that is loaded then shares what there is.
        let loaded = make((0..50_000).map(|number| Some(number * 41 % 69_000)).collect());
        let (codes, shared) = encoded(&loaded, &[domain]);
        let shared = shared.expect("it is encoded");
        assert_eq!(shared.lineage.id, lineage);
        assert_eq!(shared.table.rows(), other_domain.table.rows());
        let back = decode(&codes, &[Some(shared)], &context()).expect("there is memory");
        assert_eq!(values(&back), values(&loaded));
    }
}

#[test]
fn what_appending_takes_is_counted() {
    let context = context();
    let rows: Vec<Vec<Value>> = (0..60_000).map(|number| vec![Value::Int(scattered(number / 2))]).collect();
    let build = |rows: &[Vec<Value>]| {
        let fields = vec![Field::new("k", DataType::BigInt, true)];
        let mut builder = TableBuilder::new(fields, Storage::Compact, &context);
        builder.push_values(rows).expect("there is memory");
        builder.finish().expect("there is memory")
    };
    let coded = encode_hashed(build(&rows), (0, &[]), (Joined::Alone, &[]), &context).expect("there is memory");
    let (mut coded, mut domains) = coded.expect("it gains by it");
    for number in 0..200 {
        let new = build(&[vec![Value::Int(scattered(number * 1_000))]]);
        let made = append(&coded, &domains, &new, &context).expect("there is memory").expect("there is room");
        (coded, domains) = (made.table, made.domains);
    }
    assert!(context.memory.used() > coded.bytes() + domains[0].as_ref().expect("it has codes").table.bytes());
    drop((coded, domains));
    assert_eq!(context.memory.used(), 0);
}
