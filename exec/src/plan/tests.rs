//! Choices, without running anything: what is decided, why, and that a plan is a value.

use super::{Machine, Plan, plan};
use crate::column::Table;
use crate::plan::choice::Choice;
use crate::plan::compile::plan_with;
use crate::plan::group_kind::{GroupKind, Numbering, Rows};
use crate::plan::index_form::{IndexForm, Indexing};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::limits::Limits;
use crate::plan::nodes::Operation;
use crate::plan::placement::{Placer, Task};
use crate::plan::tree::{Device, GeneratorKind, LetKind, LoopPlan, Pieces};
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::multiloop::{CollectionId, Program, Shape};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

const JOIN: &str = "\
parameters bigint
table %0 t(k#0 integer, v#1 bigint?, s#2 text)
table %1 u(k#0 integer, f#1 double precision)
loop
  i0 in %1
  %2 bucket_collect
    key k = i0.k
    f = i0.f
loop
  i1 in %0
  i2 in %2[i1.k]
  %3 bucket_reduce
    if i1.v > $1::bigint
    key k = i1.k
    n = count_rows()
    total? = sum(i1.v)::bigint
  %4 bucket_reduce
    key s = i1.s
    most? = max(i2.f)
loop
  i3 in %3
  %5 collect
    if i3.n > 10
    k = i3.k
    n = i3.n
    most? = %4['x'].most
result %5
output k, n, most
";

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The statistics of these rows in the place of the program's.
fn with_rows(mut program: Program, rows: &[(&str, Vec<Vec<Value>>)]) -> Program {
    for collection in &mut program.collections {
        let Shape::Table { name, statistics, columns, .. } = &mut collection.shape else { continue };
        let Some((_, rows)) = rows.iter().find(|(of, _)| of == name) else { continue };
        let mut fields: Vec<Field> = vec![Field::new("unread", DataType::Integer, true); columns.len()];
        for (field, &column) in collection.fields.iter().zip(columns.iter()) {
            fields[column as usize] = field.clone();
        }
        *statistics = Arc::clone(&Table::from_values(fields, rows).statistics);
    }
    program
}

fn planned(program: &Program, workers: usize) -> Plan {
    plan(program, Machine::host(workers)).expect("it can be planned")
}

fn loops(plan: &Plan) -> Vec<&LoopPlan> {
    let lets = plan.blocks.iter().flat_map(|block| &block.lets);
    lets.filter_map(|each| if let LetKind::Loop(plan) = &each.kind { Some(&**plan) } else { None }).collect()
}

#[test]
fn a_plan_is_a_value() {
    fn travels<T: Send + Sync + Clone + 'static>(_: &T) {}
    let plan = planned(&program(JOIN), 4);
    travels(&plan);
    let written = serde_json::to_string(&plan).expect("a plan can be written");
    let read: Plan = serde_json::from_str(&written).expect("and read");
    assert_eq!(format!("{read:?}"), format!("{plan:?}"));
    assert_eq!(read.to_string(), plan.to_string());
}

#[test]
fn it_says_what_was_chosen_and_why() {
    let rows =
        |count: i64| (0..count).map(|row| vec![Value::Int(row * 7), Value::Int(row), Value::text("x")]).collect();
    // Not in the order of the keys: in place they would need no index.
    let others = vec![vec![Value::Int(3), Value::Float(0.5)], vec![Value::Int(1), Value::Float(0.5)]];
    let plan = planned(&with_rows(program(JOIN), &[("t", rows(2_000)), ("u", others)]), 4);
    let all = loops(&plan);
    let GeneratorKind::BucketCollect(bucket) = &all[0].generators[0].kind else { panic!("buckets come first") };
    assert_eq!(bucket.index.expected.of, IndexForm::Direct, "{:?}", bucket.index);
    assert!(!bucket.index.is_certain() && bucket.in_place.is_none());
    let GeneratorKind::Reduce(by_key) = &all[1].generators[0].kind else { panic!("groups by key") };
    let groups = by_key.groups.as_ref().expect("it has a key");
    assert_eq!(groups.expected.of, GroupKind::Few, "{groups:?}");
    assert!(groups.is_certain(), "few codes are few whatever comes: {groups:?}");
    assert!(by_key.partitions.of && by_key.index.is_none());
    let GeneratorKind::Reduce(by_text) = &all[1].generators[1].kind else { panic!("groups by text") };
    let groups = by_text.groups.as_ref().expect("it has a key");
    assert!(groups.expected.of == GroupKind::Hash && groups.allows(&GroupKind::Few), "a dictionary may hold the text");
    assert!(by_text.index.is_some(), "it is looked up");
    assert_eq!(all[1].pieces.of, Pieces::Balanced, "{:?}", all[1].pieces);
    assert_eq!(all[2].pieces.of, Pieces::Morsels, "{:?}", all[2].pieces);
    let filtered = plan.collections.iter().filter(|collection| collection.group_filter.is_some()).count();
    assert_eq!(filtered, 1, "the last loop asks its groups first");
}

#[test]
fn the_data_chooses_among_the_candidates() {
    // Those of small tables, too.
    let small = Limits { few_codes: 3, near_codes: 5, direct_codes_per_row: 2, ..Limits::default() };
    for limits in [Limits::default(), small] {
        candidates_by(&limits);
    }
}

fn candidates_by(limits: &Limits) {
    for codes in [2i128, 4, 6, 100, 4_096, 4_097, 20_000, 1 << 20, 1 << 26, 1 << 30, 1 << 40] {
        let layout = KeyLayout::new(vec![PartDomain::integers(0, codes - 2)]);
        for count in [0u64, 1, 10_000, 1 << 20, 1 << 28] {
            for workers in [1, 2, 8] {
                for flags in 0..8 {
                    let (clustered, keys_only, keys_unread) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
                    let numbers = Some(2).filter(|_| flags % 3 > 0);
                    let rows = Rows { count, clustered, keys_only, numbers, keys_unread, workers };
                    let expected = GroupKind::expected(&layout, rows, limits);
                    for part in [0, 1, 3, 10, 999, 1000] {
                        let count = count / 1000 * part + count % 1000 * part / 1000;
                        for workers in [1, workers] {
                            let chosen = Numbering::of(&layout, Rows { count, workers, ..rows }, limits).kind;
                            assert!(expected.allows(&chosen), "{codes} codes, {rows:?}, {count}: {chosen:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn indexes_by_the_keys_at_hand() {
    let integers = |low, high| KeyLayout::new(vec![PartDomain::integers(low, high)]);
    let none = |_: &KeyLayout| Ok(None);
    let limits = Limits::default();
    let form = |layout: KeyLayout, rows| Indexing::of(layout, rows, false, &limits, none).expect("nothing fails").form;
    assert_eq!(form(integers(0, 1_000), 10), IndexForm::Direct);
    assert_eq!(form(integers(0, 1_000_000), 10), IndexForm::Ranked);
    assert_eq!(form(integers(0, 1 << 40), 10), IndexForm::Hash);
    let stepped = |_: &KeyLayout| Ok(Some(integers(0, 1_000_000)));
    let wide = Indexing::of(integers(0, 1 << 40), 10, false, &limits, stepped).expect("nothing fails");
    assert_eq!((wide.form, wide.layout.codes()), (IndexForm::Ranked, Some(1_000_002)));
    let dense = Indexing::of_increasing(integers(5, 100_004), 100_000, false, &limits, none).expect("nothing fails");
    assert_eq!(dense.expect("it increases").form, IndexForm::Dense);
    let text = KeyLayout::new(vec![PartDomain::Text]);
    assert!(IndexForm::expected(&text, Some(10), &limits).allows(&IndexForm::Direct), "a dictionary's codes");
    let floats = KeyLayout::new(vec![PartDomain::Float]);
    assert!(IndexForm::expected(&floats, Some(10), &limits).is_certain());
}

#[test]
fn nested_values_are_refused() {
    let text = "table %0 t(a#0 integer[])\nloop\n  i0 in %0\n  %1 collect\n    a = i0.a\nresult %1\noutput a\n";
    let error = plan(&program(text), Machine::host(1)).expect_err("no register holds a list");
    assert_eq!(
        (error.kind(), error.message()),
        (crate::ErrorKind::Unsupported, "a value of type integer[] is not supported")
    );
}

#[test]
fn a_row_of_a_query_without_from_takes_no_loop() {
    let text = |fields: &str, row: &str, body: &str| {
        format!(
            "%0 values\n  fields{fields}\n  row{row}\nloop\n  i0 in %0\n  %1 collect\n{body}result %1\noutput one\n"
        )
    };
    let is_row = |text: &str| {
        let plan = planned(&program(text), 2);
        let last = &plan.block(plan.body).lets[1];
        matches!(&last.kind, LetKind::Values { rows, .. } if rows.len() == 1)
    };
    assert!(is_row(&text("", "", "    one = 1\n")));
    assert!(is_row(&text(" v integer", " 7", "    one = 1 + 2\n")));
    assert!(!is_row(&text(" v integer", " 7", "    one = i0.v\n")));
    assert!(!is_row(&text(" v integer", " 7", "    if i0.v > 3\n    one = 1\n")));
    assert!(!is_row(&text("", "\n  row", "    one = 1\n")));
}

/// Takes the loops that define a collection of these numbers.
struct Takes(&'static [u32]);

impl Placer for Takes {
    fn names(&self) -> Vec<String> {
        vec!["taker".to_owned()]
    }

    fn place(&self, task: &Task<'_>) -> Choice<Device> {
        match task.defines.iter().any(|define| self.0.contains(&define.0)) {
            true => Choice::new(Device::Other(0), "it is one of these"),
            false => Choice::new(Device::Host, "it is none of these"),
        }
    }
}

fn placed(program: &Program, takes: &'static [u32]) -> Plan {
    plan_with(program, Machine::host(1), Some(&Takes(takes))).expect("it can be planned")
}

#[test]
fn only_what_crosses_is_planned_otherwise() {
    let program = program(JOIN);
    let alone = planned(&program, 1);
    let without_devices = |plan: &Plan| {
        let mut plan = plan.clone();
        plan.devices.clear();
        let lines = plan.to_string();
        (lines, plan.collections.iter().map(|collection| (collection.reads, collection.own)).collect::<Vec<_>>())
    };
    // Where no loop is taken, nothing but the reasons differs.
    let none = placed(&program, &[]);
    assert_eq!(without_devices(&none), without_devices(&alone));
    assert!(none.to_string().contains("loop on the host: it is none of these"), "{none}");
    // The device reads the buckets of the host, and a table, and makes groups: the last loop reads these.
    let join = placed(&program, &[3]);
    let text = join.to_string();
    assert_eq!(text.matches("loop on taker: it is one of these").count(), 1, "{text}");
    let reads = |plan: &Plan, id: u32| plan.collection(CollectionId(id)).reads;
    assert!(reads(&join, 2).device && !reads(&join, 2).host && reads(&join, 2).as_rows());
    assert!(!reads(&alone, 2).as_rows());
    assert!(reads(&join, 0).device && !reads(&join, 1).device && reads(&join, 1).host);
    assert!(reads(&join, 3).host && !reads(&join, 3).device);
    // What the processors alone read is looked up as before.
    assert!(!reads(&join, 4).as_rows());
    assert!(join.streams.of == alone.streams.of);
    // Rows that a device makes are not made while they are handed out.
    assert!(!placed(&program, &[5]).streams.of);
    let travelled = serde_json::to_string(&join).expect("a plan can be written");
    let back: Plan = serde_json::from_str(&travelled).expect("a plan can be read");
    assert_eq!(back.to_string(), text);
}

#[test]
fn devices_are_told_what_is_proven() {
    let rows = |keys: &[i64]| keys.iter().map(|&key| vec![Value::Int(key), Value::Float(0.5)]).collect::<Vec<_>>();
    for (keys, is_unique) in [(&[1, 2, 5][..], true), (&[1, 2, 2], false)] {
        let asking = vec![vec![Value::Int(1), Value::Int(1), Value::text("x")]];
        let program = with_rows(program(JOIN), &[("u", rows(keys)), ("t", asking)]);
        let plan = placed(&program, &[]);
        let join = loops(&plan)[1];
        assert_eq!(join.levels.iter().map(|level| level.at_most_one).collect::<Vec<_>>(), [false, is_unique]);
        let nullable = |name: DataType| {
            let nodes = join.expressions.nodes.iter().filter(|node| matches!(node.operation, Operation::Column { .. }));
            nodes.filter(|node| node.data_type == name).map(|node| node.nullable).collect::<Vec<_>>()
        };
        assert_eq!(nullable(DataType::Integer), [false]);
        assert!(join.expressions.nodes.iter().all(|node| !node.fails_itself || node.may_fail));
        assert_eq!(join.rows_max, Some(if is_unique { 1 } else { 3 }));
    }
}

#[test]
fn a_node_says_whether_it_fails_itself() {
    let text = "table %0 t(a#0 bigint, b#1 bigint)\nloop\n  i0 in %0\n  %1 collect\n    d = i0.a / i0.b > 3::bigint\nresult %1\noutput d\n";
    let plan = planned(&program(text), 1);
    let fails: Vec<(bool, bool)> =
        loops(&plan)[0].expressions.nodes.iter().map(|node| (node.may_fail, node.fails_itself)).collect();
    // Columns and the constant do not, the quotient does, and what compares it only with it.
    assert_eq!(fails.iter().filter(|fails| **fails == (true, true)).count(), 1, "{fails:?}");
    assert_eq!(fails.iter().filter(|fails| **fails == (true, false)).count(), 1, "{fails:?}");
}
