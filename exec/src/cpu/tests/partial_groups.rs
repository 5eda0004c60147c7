//! Partial groups: rows are cut into consecutive ranges, each range is reduced by itself, by one worker or by three, what is
//! known of its groups is written as bytes and read back, and all of it is merged in order. That gives, bit by bit, what one
//! worker gives for all rows; and, as rows, what the interpreter gives. Keys of one to three parts, every reduction, every way
//! of numbering groups that keys allow, rows that are partitioned by their keys, and bytes that nobody wrote.

use super::{Random, context, sorted, table, with_statistics};
use crate::column::{Chunk, Table};
use crate::cpu::collections::bindings::{Bindings, Captured};
use crate::cpu::expression::environment::Collections;
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::keys::integer::Key;
use crate::cpu::reduce::Reducer;
use crate::cpu::reduce::finish::{Found, finish, finish_ended, hand_over, merge_parts};
use crate::cpu::reduce::merge::{Ended, Merge};
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::Source;
use crate::partial::PartialGroups;
use crate::partial::byte_keys::hash_bytes;
use crate::plan::group_kind::{GroupKind, Numbering, Rows};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::limits::Limits;
use crate::plan::register::Register;
use crate::plan::tree::{GeneratorKind, LetKind, LoopPlan, Machine, ReducePlan};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use crate::{Error, Result, interpret};
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, CollectionId, Program, parse::parse};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use std::ops::Range;
use std::sync::Arc;

const TABLE: &str = "table %0 t(r#0 bigint, c#1 bigint, s#2 integer?, w#3 bigint?, t#4 text?, f#5 double precision?, \
                     n#6 numeric?, v#7 interval?, b#8 boolean?, x#9 decimal(12,2)?)\n";

/// Every reduction, of arguments of every kind.
const AGGREGATES: &str = "    rows = count_rows()
    some = count(i0.f)
    narrow? = sum(i0.s)::bigint
    wide? = sum(i0.w)::decimal(38,0)
    exact? = sum(i0.x)::decimal(38,2)
    float? = sum(i0.f)
    number? = sum(i0.n)
    span? = sum(i0.v)
    least? = min(i0.s)
    most? = max(i0.w)
    word? = min(i0.t)
    real? = max(i0.f)
    longest? = max(i0.v)
    one_true? = any(i0.b)
    all_true? = all(i0.b)
    spread? = variance_sample(i0.f)
    deviation? = variance_population(i0.n)
    kinds = count(distinct i0.s)
    wides = count(distinct i0.w)
    texts = count(distinct i0.t)
    each? = sum(distinct i0.x)::decimal(38,2)
    apart? = variance_population(distinct i0.s)
    thousand? = first(i0.c / 1000::bigint)
    gathered? = gather(i0.t)
    in_order? = gather_sorted(i0.t)
    told? = gather_distinct(i0.t)
";

const FIELDS: &str = "rows, some, narrow, wide, exact, float, number, span, least, most, word, real, longest, one_true, all_true, \
                      spread, deviation, kinds, wides, texts, each, apart, thousand, gathered, in_order, told";

/// Rows: their number, clustered keys, and values of each type, of so many distinct ones.
fn rows_of(count: usize, distinct: u64, random: &mut Random) -> Vec<Vec<Value>> {
    let numbers = ["1.10", "1.1", "-3", "123456789012345678901234567890.5", "0.001", "0", "NaN", "99"]
        .map(|text| Value::numeric(Numeric::parse(text).expect("a number")));
    let floats = [f64::NAN, 0.0, -0.0, 1.5, 1e100, -1e100, 1e-100, 0.1, f64::INFINITY];
    let mut clustered = 0;
    let mut row = |row: usize| {
        clustered += if random.below(3) == 0 { 1 + random.below(9_973) as i64 } else { 0 };
        let pick = random.below(distinct) as i64;
        let mut maybe = |value: Value| if random.below(7) == 0 { Value::Null } else { value };
        let spans = [Interval { months: 1, days: 0, micros: 0 }, Interval { months: 0, days: 30, micros: pick % 3 }];
        vec![
            Value::Int(row as i64),
            Value::Int(clustered),
            maybe(Value::Int(pick % 1_000 - 5)),
            maybe(Value::Int(pick * 1_000_000_000_007)),
            maybe(Value::text(["", "a", "ab", "a longer one", "ü"][pick as usize % 5].repeat(pick as usize % 3 + 1))),
            maybe(Value::Float(if pick % 2 == 0 { floats[pick as usize / 2 % 9] } else { pick as f64 / 8.0 })),
            maybe(numbers[pick as usize % 8].clone()),
            maybe(Value::Interval(spans[pick as usize % 2])),
            maybe(Value::Boolean(pick % 3 == 0)),
            maybe(Value::Decimal(i128::from(pick) * 7 - 100)),
        ]
    };
    (0..count).map(&mut row).collect()
}

/// No collections.
struct Nothing;

impl Collections for Nothing {
    fn find(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Vec<u32>) -> Result<()> {
        panic!("there is none")
    }
    fn lookup(&self, _: CollectionId, _: Vec<u32>, _: u32, _: &mut Vector) -> Result<()> {
        panic!("there is none")
    }
    fn element(&self, _: CollectionId, _: Vec<u32>, _: u32, _: Register, _: &mut Vector) -> Result<()> {
        panic!("there is none")
    }
    fn exists(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Bitmap) -> Result<()> {
        panic!("there is none")
    }
    fn single(&self, _: CollectionId, _: u32) -> Result<Value> {
        panic!("there is none")
    }
    fn nested(&self, _: BlockId, _: u32, _: &Captured) -> Result<Value> {
        panic!("there is none")
    }
}

/// A reduction of a table's rows, numbered in one way.
struct Case<'a> {
    looped: &'a LoopPlan,
    plan: &'a ReducePlan,
    keys: Option<(KeyLayout, Numbering)>,
    chunks: &'a [Arc<Chunk>],
    pool: &'a Pool,
}

/// Rows of one chunk that one worker does: a piece of work.
struct Piece {
    number: usize,
    chunk: usize,
    rows: Range<usize>,
}

impl Case<'_> {
    /// Consecutive rows of the table as pieces, numbered from `first` on; none is empty.
    fn pieces(&self, rows: Range<usize>, first: usize, random: &mut Random) -> Vec<Piece> {
        let (mut pieces, mut start) = (Vec::new(), 0);
        for (chunk, held) in self.chunks.iter().enumerate() {
            let end = (start + held.rows).min(rows.end);
            let mut at = rows.start.max(start);
            while at < end {
                let next = (at + 1 + random.below(1_500) as usize).min(end);
                pieces.push(Piece { number: first + pieces.len(), chunk, rows: at - start..next - start });
                at = next;
            }
            start += held.rows;
        }
        pieces
    }

    /// The reducers of so many workers, which took pieces as it came.
    fn reduce(&self, pieces: &[Piece], workers: usize, random: &mut Random) -> Result<Vec<Reducer<'_>>> {
        let (splitters, captured) = (SharedSplitters::default(), Captured::default());
        let turns: Vec<usize> = pieces.iter().map(|_| random.below(workers as u64) as usize).collect();
        let one = |worker: usize| {
            let mut reducer = Reducer::new(self.plan, self.keys.as_ref(), workers, &splitters, &context())?;
            let bindings = Bindings { parameters: &[], captured: &captured };
            let mut tile = Tile::new(&self.looped.expressions, &Nothing, bindings);
            for (piece, _) in pieces.iter().zip(&turns).filter(|(_, turn)| **turn == worker) {
                tile.set_source(0, Source::chunk(Arc::clone(&self.chunks[piece.chunk])));
                reducer.begin_piece(piece.number);
                for at in piece.rows.clone().step_by(400) {
                    tile.start(at as u32, 400.min(piece.rows.end - at));
                    reducer.update(&mut tile, None)?;
                }
                reducer.end_piece()?;
            }
            Ok(reducer)
        };
        (0..workers).map(one).collect()
    }

    /// What is known of the groups of some rows, in parts.
    fn partial(&self, pieces: &[Piece], workers: usize, random: &mut Random) -> Result<Vec<PartialGroups>> {
        let context = context();
        let pool = Workers { pool: Some(self.pool), context: &context };
        let handed = hand_over(self.reduce(pieces, workers, random)?, pool)?;
        let (merge, ended) = handed.ok_or_else(|| Error::internal("no worker"))?;
        if ended.iter().all(|ended| ended.buffers.is_none()) {
            return Ok(ended.into_iter().map(|ended| ended.groups).collect());
        }
        merge_parts(&merge, ended, Found::ByKey, pool, |core, _, _| core.into_partial())
    }

    /// The rows of groups that come from somewhere else.
    fn merged(&self, all: Vec<PartialGroups>) -> Result<Vec<Vec<Value>>> {
        let context = context();
        let merge = Merge { plan: self.plan, splitters: SharedSplitters::default(), group_filter: None };
        let ended = all.into_iter().map(|groups| Ended::elsewhere(groups, &context)).collect::<Result<_>>()?;
        self.rows(finish_ended(&merge, ended, Workers { pool: Some(self.pool), context: &context })?)
    }

    fn rows(&self, (columns, rows): (Vec<ColumnBuilder>, usize)) -> Result<Vec<Vec<Value>>> {
        let aggregates = self.plan.aggregates.iter().map(|aggregate| aggregate.kind.data_type);
        let types: Vec<DataType> = self.plan.key_types.iter().copied().chain(aggregates).collect();
        assert_eq!(columns.len(), types.len());
        let columns = columns.into_iter().zip(&types).map(|(column, &of)| Ok((column.into_column(of)?, of)));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        Ok((0..rows).map(|row| columns.iter().map(|(column, of)| column.value(row, *of)).collect()).collect())
    }

    /// Checks some cuts of the rows; gives the rows of the groups.
    fn check(&self, random: &mut Random, what: &str) -> Vec<Vec<Value>> {
        let len: usize = self.chunks.iter().map(|chunk| chunk.rows).sum();
        let all = self.pieces(0..len, 0, random);
        let one = self.reduce(&all, 1, random).and_then(|one| self.rows(finish(one, &context(), None)?));
        let one = one.unwrap_or_else(|error| panic!("{what}: {error}"));
        for workers in [1, 3] {
            let ranges = 1 + random.below(6) as usize;
            let mut cuts: Vec<usize> = (1..ranges).map(|_| random.below(len as u64 + 1) as usize).collect();
            cuts.extend([0, len]);
            cuts.sort_unstable();
            let (mut parts, mut first) = (Vec::new(), 0);
            for cut in cuts.windows(2) {
                let pieces = self.pieces(cut[0]..cut[1], first, random);
                first += pieces.len();
                let own = self.partial(&pieces, workers, random).unwrap_or_else(|error| panic!("{what}: {error}"));
                for groups in own {
                    let bytes = groups.serialise();
                    let read = PartialGroups::deserialise(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
                    assert_eq!(read.serialise(), bytes, "{what}: what was read is what was written");
                    parts.push(read);
                }
            }
            parts.iter().for_each(|part| parts[0].check_like(part).expect("they are of one reduction"));
            let by_key: Vec<Vec<PartialGroups>> = parts.iter().map(|part| part.partition(4)).collect();
            self.check_damage(&parts, random, what);
            let merged = self.merged(parts).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(format!("{merged:?}"), format!("{one:?}"), "{what}: {workers} workers, cuts {cuts:?}");
            let parts = by_key.iter().map(Vec::len).max().unwrap_or_default();
            let of_part = |part: usize| by_key.iter().filter_map(|by_key| by_key.get(part).cloned()).collect();
            let each =
                (0..parts).map(|part| self.merged(of_part(part)).unwrap_or_else(|error| panic!("{what}: {error}")));
            let (mut put_together, mut expected): (Vec<String>, Vec<String>) = (
                each.flatten().map(|row| format!("{row:?}")).collect(),
                one.iter().map(|row| format!("{row:?}")).collect(),
            );
            put_together.sort();
            expected.sort();
            assert_eq!(put_together, expected, "{what}: parts by key, {workers} workers, cuts {cuts:?}");
        }
        one
    }

    /// Bytes that nobody wrote are refused; where only their hash could tell, what is read does no harm.
    fn check_damage(&self, parts: &[PartialGroups], random: &mut Random, what: &str) {
        let Some(groups) = parts.iter().min_by_key(|part| part.serialise().len()) else { return };
        let bytes = groups.serialise();
        let refused = |bytes: &[u8]| match PartialGroups::deserialise(bytes) {
            Err(error) => assert_eq!(error.sqlstate(), "XX001"),
            Ok(_) => panic!("{what}: damage is not seen"),
        };
        refused(&bytes[..random.below(bytes.len() as u64) as usize]);
        refused(&[&bytes[..], &[0]].concat());
        for _ in 0..40 {
            let at = random.below(bytes.len() as u64) as usize;
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << random.below(8);
            refused(&damaged);
            if at >= 13 {
                let hash = hash_bytes(&damaged[13..]).to_le_bytes();
                damaged[5..13].copy_from_slice(&hash);
                if let Ok(read) = PartialGroups::deserialise(&damaged)
                    && groups.check_like(&read).is_ok()
                {
                    read.partition(2);
                    // An error, or other groups.
                    let _ = self.merged(vec![read, groups.clone()]);
                }
            }
        }
    }
}

/// The ways to number keys of a layout: that of so few rows and those that any number of them allows.
fn numberings(plan: &ReducePlan, layout: &KeyLayout, rows: u64) -> Vec<Numbering> {
    let of = |kind| Numbering { kind, own_index: false };
    let mut all = vec![
        Numbering::of(layout, Rows { count: rows, workers: 1, ..plan.rows }, &Limits::default()),
        of(GroupKind::Hash),
    ];
    if layout.codes().is_some_and(|codes| codes <= 1 << 16) {
        all.extend([GroupKind::Direct, GroupKind::Dense].map(of));
    }
    if plan.aggregates.is_empty() && layout.codes().is_some_and(|codes| codes <= 1 << 20) {
        all.push(of(GroupKind::Set));
    }
    if layout.codes().is_some_and(|codes| codes <= 1 << 12) {
        all.push(of(GroupKind::Few));
    }
    if plan.rows.clustered && layout.codes().is_some() {
        all.push(of(GroupKind::Ordered));
    }
    all.dedup();
    all
}

/// Checks a program whose only loop is one reduction, over these rows in one form of storage.
fn check(text: &str, rows: &[Vec<Value>], form: usize, pool: &Pool, random: &mut Random) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let tables = [table(&program.collections[0].fields, rows, form)];
    let program = with_statistics(&program, &tables);
    let expected = interpreted(&program, &tables[0], text);
    let planned = crate::plan::plan(&program, Machine::host(1)).expect("it compiles");
    let LetKind::Loop(looped) = &planned.block(planned.body).lets[0].kind else { panic!("a loop") };
    let GeneratorKind::Reduce(plan) = &looped.generators[0].kind else { panic!("a reduction") };
    let chunks = &tables[0].chunks;
    let fields = &program.collections[0].fields;
    let mut ways: Vec<Option<(KeyLayout, Numbering)>> = vec![None];
    if plan.key.is_some() {
        let mut layouts = vec![plan.layout.clone()];
        layouts.extend(with_dictionary(plan, fields, chunks, text));
        let of = |layout: KeyLayout| {
            let numberings = numberings(plan, &layout, rows.len() as u64);
            numberings.into_iter().map(move |numbering| Some((layout.clone(), numbering)))
        };
        ways = layouts.into_iter().flat_map(of).collect();
    }
    for keys in ways {
        let what = format!("{text}{} rows as {form}, {:?}", rows.len(), keys.as_ref().map(|(_, numbering)| numbering));
        let found = Case { looped, plan, keys, chunks, pool }.check(random, &what);
        assert!(sorted(found.clone()) == expected, "{what}\nexpected {expected:#?}\nfound {found:#?}");
    }
}

/// The layout if the text of a key of one part is of one dictionary.
fn with_dictionary(plan: &ReducePlan, fields: &[Field], chunks: &[Arc<Chunk>], text: &str) -> Option<KeyLayout> {
    let ([PartDomain::Text], [chunk], true) = (
        &plan.layout.parts.iter().map(|part| part.domain.clone()).collect::<Vec<_>>()[..],
        chunks,
        text.contains("= i0.t\n"),
    ) else {
        return None;
    };
    let at = fields.iter().position(|field| field.name == "t")?;
    let dictionary = chunk.columns[at].data.dictionary()?;
    Some(KeyLayout::new(vec![PartDomain::Code(Arc::clone(dictionary))]))
}

fn interpreted(program: &Program, table: &Arc<Table>, text: &str) -> Vec<Vec<Value>> {
    let lookup = |_: TableHandle| Arc::clone(table);
    let rows = interpret::run(program, &lookup, &[], &context());
    sorted(rows.unwrap_or_else(|error| panic!("{error}\n{text}")).rows)
}

/// A program that reduces by these parts.
fn program(parts: &[&str], aggregates: &str, shown: &str) -> String {
    let keys: String = parts.iter().enumerate().map(|(at, part)| format!("    key k{at}? = {part}\n")).collect();
    let mut names: Vec<String> = (0..parts.len()).map(|at| format!("k{at}")).collect();
    names.extend((!shown.is_empty()).then(|| shown.to_owned()));
    let generator = if parts.is_empty() { "reduce" } else { "bucket_reduce" };
    format!("{TABLE}loop\n  i0 in %0\n  %1 {generator}\n{keys}{aggregates}result %1\noutput {}\n", names.join(", "))
}

const KEYS: [&[&str]; 14] = [
    &[],
    &["i0.c"],
    &["i0.s"],
    &["i0.w"],
    &["i0.t"],
    &["i0.f"],
    &["numeric_key(i0.n)"],
    &["i0.v"],
    &["i0.s", "i0.b"],
    &["i0.t", "i0.s"],
    &["i0.w", "0::bigint - i0.w"],
    &["i0.f", "i0.v"],
    &["i0.s", "i0.t", "i0.f"],
    &["i0.b", "i0.w", "numeric_key(i0.n)"],
];

/// The clustered key's thousands are alike in a group only where it is the key.
fn aggregates_for(key: &[&str]) -> (String, String) {
    if key == ["i0.c"] {
        return (AGGREGATES.to_owned(), FIELDS.to_owned());
    }
    let without: String =
        AGGREGATES.lines().filter(|line| !line.contains("first(")).map(|line| format!("{line}\n")).collect();
    (without, FIELDS.replace(", thousand", ""))
}

#[test]
fn parts_of_few_rows_merge_to_what_one_worker_gives() {
    let (pool, mut random) = (Pool::new(3).expect("threads start"), Random(0x5eed));
    for (round, count) in [0, 1, 7, 63, 150].into_iter().enumerate() {
        for (at, key) in KEYS.into_iter().enumerate() {
            let rows = rows_of(count, [3, 12, 100][at % 3], &mut random);
            let (aggregates, fields) = aggregates_for(key);
            check(&program(key, &aggregates, &fields), &rows, (round + at) % 4, &pool, &mut random);
            if !key.is_empty() {
                check(&program(key, "", ""), &rows, at % 4, &pool, &mut random);
            }
        }
    }
}

#[test]
fn parts_of_a_thousand_rows_merge_to_what_one_worker_gives() {
    let (pool, mut random) = (Pool::new(3).expect("threads start"), Random(0x1_0000));
    for (at, key) in KEYS.into_iter().enumerate() {
        let rows = rows_of(1_000, [40, 5_000][at % 2], &mut random);
        let (aggregates, fields) = aggregates_for(key);
        check(&program(key, &aggregates, &fields), &rows, at % 4, &pool, &mut random);
    }
}

#[test]
fn parts_of_partitioned_rows_merge_to_what_one_worker_gives() {
    let (pool, mut random) = (Pool::new(3).expect("threads start"), Random(0xdea1));
    let aggregates = "    rows = count_rows()\n    wide? = sum(i0.w)::decimal(38,0)\n    float? = sum(i0.f)\n    \
                      word? = min(i0.t)\n    texts = count(distinct i0.t)\n";
    for key in [&["i0.r % 4001::bigint"][..], &["i0.w"], &["i0.w", "i0.s"], &["i0.w", "0::bigint - i0.w"]] {
        let rows = rows_of(12_000, 4_000, &mut random);
        check(&program(key, aggregates, "rows, wide, float, word, texts"), &rows, 0, &pool, &mut random);
    }
}

#[test]
fn single_rows_stay_single() {
    let (pool, mut random) = (Pool::new(3).expect("threads start"), Random(0xa1));
    let rows = rows_of(500, 90, &mut random);
    let aggregates = "    one? = single(i0.t)\n    other? = single(i0.n)\n";
    check(&program(&["i0.r"], aggregates, "one, other"), &rows, 1, &pool, &mut random);
}

#[test]
fn groups_of_two_reductions_are_not_merged() {
    let (pool, mut random) = (Pool::new(1).expect("threads start"), Random(0xb2));
    let rows = rows_of(50, 9, &mut random);
    let mut all: Vec<PartialGroups> = Vec::new();
    let texts = [
        ("i0.s", "    n? = sum(i0.s)::bigint\n"),
        ("i0.s", "    n? = max(i0.s)\n"),
        ("i0.w", "    n? = sum(i0.s)::bigint\n"),
    ];
    for (key, aggregate) in texts {
        let program = parse(&program(&[key], aggregate, "n")).expect("it is a program");
        let tables = [table(&program.collections[0].fields, &rows, 0)];
        let program = with_statistics(&program, &tables);
        let planned = crate::plan::plan(&program, Machine::host(1)).expect("it compiles");
        let LetKind::Loop(looped) = &planned.block(planned.body).lets[0].kind else { panic!("a loop") };
        let GeneratorKind::Reduce(plan) = &looped.generators[0].kind else { panic!("a reduction") };
        let keys = Some((plan.layout.clone(), Numbering { kind: GroupKind::Hash, own_index: false }));
        let case = Case { looped, plan, keys, chunks: &tables[0].chunks, pool: &pool };
        let pieces = case.pieces(0..50, 0, &mut random);
        all.extend(case.partial(&pieces, 1, &mut random).expect("no row fails"));
    }
    for (at, groups) in all.iter().enumerate() {
        for (other, groups_of_other) in all.iter().enumerate() {
            let alike = groups.check_like(groups_of_other);
            assert_eq!(alike.is_ok(), at == other);
            assert!(alike.is_ok() || alike.is_err_and(|error| error.sqlstate() == "XX001"));
        }
    }
}
