//! Numbers the groups of a reduction while its rows pass by. What ways there are, and which suits, says `kind`.

use super::super::vector::Vector;
use super::few::{assign_few, mark_dense, put_aside};
use super::runs::Runs;
use crate::Result;
use crate::cpu::groups::first_rows::{Firsts, firsts};
use crate::cpu::groups::masks::Present;
use crate::cpu::groups::ranked::Known;
use crate::cpu::groups::splitters::{Cuts, SharedCuts};
use crate::cpu::keys::codes::{Codes, KeyPartValues, PartValues};
use crate::cpu::keys::decode::{canonical, columns_of, decode_all, settle_intervals};
use crate::cpu::keys::duplicates::Repeats;
use crate::cpu::keys::integer::IntegerKeys;
use crate::cpu::simd::positions::push_positions;
use crate::cpu::table::direct::{FAR_ENTRIES, direct, direct_all};
use crate::cpu::table::parts::{part_of_hash, part_range, shift_of};
use crate::cpu::table::{GroupTable, Which};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::{Gathered, GatheredData};
use crate::plan::code_range::{CodeRange, WideRange};
use crate::plan::group_kind::{GroupKind, Numbering};
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use multiloop_planner::types::DataType;
use std::ops::Range;

/// The groups of one worker (or of one part of a merge).
#[derive(Debug)]
pub(crate) enum Grouper {
    One,
    /// A group's number is its code less `base`. Of Dense ones there may be many.
    Few {
        layout: KeyLayout,
        base: u32,
        seen: Vec<bool>,
        dense: bool,
    },
    /// A bit for each code; a group's number is its code.
    Set {
        layout: KeyLayout,
        words: Vec<u64>,
    },
    /// `entries[code - base]` is one more than the group's number, 0 if there is none; `codes` is the way back.
    Direct {
        layout: KeyLayout,
        base: u32,
        entries: Vec<u32>,
        codes: Vec<u64>,
        cuts: SharedCuts,
    },
    /// Of a part of a merge of Direct ones.
    Known(Known),
    Ordered {
        layout: KeyLayout,
        codes: Vec<u64>,
        segments: Vec<Segment>,
    },
    /// Without places of first rows if the table is to be an index.
    Hash {
        layout: KeyLayout,
        table: GroupTable,
        /// The keys, a column a part, unless the table's codes tell them or nobody asks.
        keys: Vec<Gathered>,
        firsts: Firsts,
        own_index: bool,
    },
}

/// The groups of a tile's tuples.
#[derive(Debug, Default)]
pub(crate) struct Assigned {
    /// For each tuple its group.
    pub(crate) groups: Vec<u32>,
    /// Which groups there are, if they are few and that is known.
    pub(crate) present: Present,
    /// Of rows whose groups come in runs.
    pub(crate) runs: Runs,
    /// Whether there are runs, and no number for each tuple.
    pub(crate) has_runs: bool,
    /// Memory for runs of alike neighbours, and the code of each.
    repeats: Repeats,
    firsts: Vec<u32>,
    /// Whether groups of clustered rows may wait for their codes.
    pub(crate) may_wait: bool,
    /// The first group that waits for its code: it has the tuple behind its rows in its place.
    pub(crate) waits: Option<usize>,
}

impl Assigned {
    /// If neighbours are alike, `groups` are those of their runs.
    fn take_repeats(&mut self, repeats: &Repeats) {
        self.has_runs = repeats.any();
        if self.has_runs {
            self.runs.set(repeats, &mut self.groups);
        }
    }

    /// The tuples that began the groups from `before` to `len`, in order.
    pub(crate) fn beginnings(&self, before: usize, len: usize) -> Vec<u32> {
        if self.has_runs { self.runs.firsts(before) } else { firsts(&self.groups, before, len) }
    }
}

/// Memory for the keys that stand beside a hash table.
fn kept_keys(layout: &KeyLayout, types: &[DataType], own_index: bool) -> Vec<Gathered> {
    if own_index || layout.codes_tell_keys() { Vec::new() } else { columns_of(types) }
}

/// Parts of a merge, and of the order of hashed groups.
pub(crate) const MERGE_PARTS: usize = 64;

/// Groups of Direct that say where it is cut, at most.
const CUTS_SAMPLE: usize = 1 << 14;

/// The part that the hash of a group's key says.
fn hash_part(table: &GroupTable, group: u32) -> usize {
    part_of_hash(table.hash(group as usize), MERGE_PARTS)
}

/// Groups of pieces that one worker did one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The pieces, by number.
    pub(crate) pieces: (usize, usize),
    /// Its first group; the last one is before the next segment's.
    pub(crate) start: u32,
}

impl Grouper {
    /// No groups yet, of keys of this layout, numbered in this way.
    pub(crate) fn new(layout: &KeyLayout, types: &[DataType], numbering: Numbering) -> Self {
        let codes = layout.codes().unwrap_or_default() as usize;
        match numbering.kind {
            GroupKind::Few => Grouper::few_of(layout, 0, codes, false),
            GroupKind::Dense => Grouper::few_of(layout, 0, codes, true),
            GroupKind::Ordered => Grouper::Ordered { layout: layout.clone(), codes: Vec::new(), segments: Vec::new() },
            GroupKind::Set => Grouper::Set { layout: layout.clone(), words: vec![0; codes / 64 + 1] },
            GroupKind::Direct => Grouper::Direct {
                layout: layout.clone(),
                base: 0,
                entries: vec![0; codes],
                codes: Vec::new(),
                cuts: SharedCuts::default(),
            },
            GroupKind::Hash => {
                let (hashed, own_index) = (layout.hashed(), numbering.own_index);
                Grouper::Hash {
                    table: GroupTable::new(hashed.width, 0),
                    keys: kept_keys(&hashed, types, own_index),
                    layout: hashed,
                    firsts: Firsts::default(),
                    own_index,
                }
            }
        }
    }

    /// The same, with cuts that it shares with those of other workers: what is merged must have the same.
    pub(crate) fn sharing(mut self, shared: &SharedCuts) -> Self {
        if let Grouper::Direct { cuts, .. } = &mut self {
            *cuts = shared.clone();
        }
        self
    }

    /// Where Direct is cut into [`MERGE_PARTS`]: by the groups that are there, if nobody has cut it.
    pub(crate) fn cuts(&self) -> Option<&Cuts> {
        let Grouper::Direct { entries, codes, cuts, .. } = self else { return None };
        let some = || codes.iter().copied().step_by(codes.len() / CUTS_SAMPLE + 1).collect::<Vec<u64>>();
        Some(cuts.of(entries.len(), some))
    }

    fn few_of(layout: &KeyLayout, base: u32, codes: usize, dense: bool) -> Self {
        Grouper::Few { layout: layout.clone(), base, seen: vec![false; codes], dense }
    }

    /// No groups yet, of the same kind, for part `part` of `parts` of a merge: one, or [`MERGE_PARTS`].
    pub(crate) fn fresh(&self, types: &[DataType], part: usize, parts: usize) -> Self {
        debug_assert!(parts == 1 || parts == MERGE_PARTS, "{parts} parts");
        match self {
            Grouper::One => Grouper::One,
            Grouper::Few { layout, seen, dense, .. } => {
                let (start, end) = part_range(seen.len(), part, parts);
                Grouper::few_of(layout, start as u32, end - start, *dense)
            }
            Grouper::Set { layout, words } => Grouper::Set { layout: layout.clone(), words: vec![0; words.len()] },
            Grouper::Direct { layout, entries, cuts, .. } => {
                let all = (0, entries.len());
                let (start, end) = if parts > 1 { self.cuts().map_or(all, |cuts| cuts.range(part)) } else { all };
                let (entries, cuts) = (vec![0; end - start], cuts.clone());
                Grouper::Direct { layout: layout.clone(), base: start as u32, entries, codes: Vec::new(), cuts }
            }
            Grouper::Ordered { layout, .. } => {
                Grouper::Ordered { layout: layout.clone(), codes: Vec::new(), segments: Vec::new() }
            }
            Grouper::Known(_) => unreachable!("its keys are there"),
            Grouper::Hash { layout, own_index, .. } => Grouper::Hash {
                layout: layout.clone(),
                table: GroupTable::new(layout.width, 0),
                keys: kept_keys(layout, types, *own_index),
                firsts: Firsts::default(),
                own_index: *own_index,
            },
        }
    }

    /// Whether a merge of many groups is done in parts.
    pub(crate) fn splits(&self) -> bool {
        match self {
            Grouper::Direct { .. } | Grouper::Hash { .. } => true,
            Grouper::Few { dense, .. } => *dense,
            Grouper::One | Grouper::Set { .. } | Grouper::Known(_) | Grouper::Ordered { .. } => false,
        }
    }

    /// The part of [`MERGE_PARTS`] of a merge that a group belongs to.
    pub(crate) fn part(&self, group: u32) -> usize {
        match self {
            Grouper::One | Grouper::Set { .. } | Grouper::Known(_) | Grouper::Ordered { .. } => 0,
            Grouper::Few { seen, .. } => group as usize >> shift_of(seen.len(), MERGE_PARTS),
            Grouper::Direct { codes, .. } => self.cuts().map_or(0, |cuts| cuts.part(codes[group as usize]).into()),
            Grouper::Hash { table, .. } => hash_part(table, group),
        }
    }

    /// Whether it finds its groups by their keys as an index does, and as fast.
    pub(crate) fn can_index(&self) -> bool {
        match self {
            Grouper::Set { .. } => true,
            Grouper::Hash { own_index, .. } => *own_index,
            Grouper::Direct { entries, .. } => entries.len() <= FAR_ENTRIES,
            Grouper::Few { seen, dense, .. } => *dense && seen.len() <= FAR_ENTRIES,
            Grouper::One | Grouper::Known(_) | Grouper::Ordered { .. } => false,
        }
    }

    /// The groups from `first` on that are complete, with their codes: of clustered rows all but the last one, and the
    /// one that a piece of work began with.
    pub(crate) fn complete(&self, first: usize) -> Range<usize> {
        let Grouper::Ordered { codes, segments, .. } = self else { return 0..0 };
        let start = segments.last().map_or(0, |segment| segment.start as usize + 1).max(first);
        start..codes.len().saturating_sub(1).max(start)
    }

    /// Of some groups in a row leaves only those at these positions.
    pub(crate) fn retain(&mut self, groups: Range<usize>, kept: &[u32]) {
        if let Grouper::Ordered { codes, .. } = self {
            retain(codes, groups, kept);
        }
    }

    /// Whether groups are numbered in the order in which they come.
    pub(crate) fn numbers_in_order(&self) -> bool {
        matches!(self, Grouper::Direct { .. } | Grouper::Ordered { .. } | Grouper::Hash { .. })
    }

    /// How many groups there is room for.
    pub(crate) fn len(&self) -> usize {
        match self {
            Grouper::One => 1,
            Grouper::Few { seen, .. } => seen.len(),
            // Nothing is kept by group.
            Grouper::Set { .. } => 0,
            Grouper::Direct { codes, .. } | Grouper::Ordered { codes, .. } => codes.len(),
            Grouper::Known(known) => known.len(),
            Grouper::Hash { table, .. } => table.len(),
        }
    }

    /// The rows to come are of this piece.
    pub(crate) fn begin_piece(&mut self, piece: usize) {
        let (codes, segments) = match self {
            Grouper::Ordered { codes, segments, .. } => (codes, segments),
            Grouper::Hash { firsts, .. } => {
                (firsts.piece, firsts.offered) = (piece as u64, 0);
                return;
            }
            _ => return,
        };
        match segments.last_mut() {
            Some(last) if last.pieces.1 + 1 == piece => last.pieces.1 = piece,
            _ => segments.push(Segment { pieces: (piece, piece), start: codes.len() as u32 }),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Grouper::One => 0,
            Grouper::Few { seen, .. } => seen.len(),
            Grouper::Set { words, .. } => words.len() * 8,
            Grouper::Direct { entries, codes, .. } => entries.len() * 4 + codes.capacity() * 8,
            Grouper::Known(known) => known.bytes(),
            Grouper::Ordered { codes, segments, .. } => codes.capacity() * 8 + segments.capacity() * 24,
            Grouper::Hash { layout, table, keys, firsts, own_index } => {
                // Keys that codes tell are there at the end: the codes once more, and then values, and whether they are NULL.
                let (code, value) = if layout.width == KeyWidth::Bits128 { (16, 17) } else { (8, 9) };
                let tells = layout.codes_tell_keys() && !own_index;
                let told = if tells { code + value * layout.parts.len() } else { 0 };
                let kept = keys.iter().map(Gathered::bytes).sum::<usize>() + firsts.places.capacity() * 8;
                table.bytes() + kept + table.len() * told
            }
        }
    }

    /// The group of each of `len` tuples. `One` leaves `groups` alone, and so do `Set`, which has none, and what gives
    /// runs: `Ordered`, and `Direct` and `Hash` where most neighbours are alike. `Few` says which groups are among them, if
    /// these are few. For `One` and `Few` there may be a mask: tuples that it does not have are put into a group behind the last.
    pub(crate) fn assign(
        &mut self,
        key: &[&Vector],
        len: usize,
        mask: Option<&Bitmap>,
        codes: &mut Codes,
        assigned: &mut Assigned,
    ) {
        assigned.has_runs = matches!(self, Grouper::Ordered { .. });
        let Assigned { groups, present, runs, .. } = assigned;
        debug_assert!(mask.is_none() || matches!(self, Grouper::One | Grouper::Few { .. }), "who takes masks");
        present.clear();
        let parts: Vec<KeyPartValues<'_>> =
            key.iter().map(|vector| KeyPartValues { values: PartValues::Vector(vector), null_matches: true }).collect();
        match self {
            Grouper::One => {
                if let Some(mask) = mask {
                    groups.clear();
                    groups.resize(len, 0);
                    put_aside(mask, groups, 1);
                    present.set(0, mask);
                }
            }
            Grouper::Few { layout, seen, .. } => {
                codes.encode(layout, &parts, len);
                assign_few(codes, mask, seen, (groups, present));
            }
            Grouper::Set { layout, words } => {
                codes.encode(layout, &parts, len);
                codes.bits64.iter().for_each(|&code| words[(code / 64) as usize] |= 1 << (code % 64));
            }
            Grouper::Direct { layout, base, entries, codes: met, .. } => {
                codes.encode(layout, &parts, len);
                let each = codes.without_repeats(KeyWidth::Bits64);
                direct_all(entries, *base, met, &each.bits64, groups);
                assigned.take_repeats(&codes.repeats);
            }
            Grouper::Ordered { layout, codes: keys, segments } => {
                codes.encode(layout, &parts, len);
                let fresh = segments.last().is_some_and(|segment| segment.start as usize == keys.len());
                runs.find(&codes.bits64, |code| code, keys, !fresh, false);
            }
            Grouper::Known(_) => unreachable!("its rows have been dealt"),
            Grouper::Hash { layout, .. } => {
                codes.encode(layout, &parts, len);
                self.assign_hashed(key, codes, assigned);
            }
        }
    }

    /// The codes of keys of one integer, where [`Grouper::assign_wide`] takes them.
    pub(crate) fn wide_range(&self) -> Option<WideRange> {
        if let Grouper::Hash { layout, .. } = self { layout.wide_range() } else { None }
    }

    /// As [`Grouper::assign`], for the codes of keys of one integer.
    pub(crate) fn assign_wide(&mut self, codes: &mut Codes, assigned: &mut Assigned) {
        assigned.present.clear();
        self.assign_hashed(&[], codes, assigned);
    }

    /// As [`Grouper::assign`], for hashed keys with these codes, which are not asked for if codes tell them.
    fn assign_hashed(&mut self, key: &[&Vector], codes: &mut Codes, assigned: &mut Assigned) {
        let Grouper::Hash { layout, table, keys, firsts: places, own_index } = self else { return };
        let len = codes.len;
        debug_assert!(codes.absent.is_none(), "ranges hold for every key");
        let before = table.len();
        table.insert(codes.without_repeats(layout.width), &mut assigned.groups);
        assigned.take_repeats(&codes.repeats);
        if *own_index {
            return;
        }
        let Assigned { groups, runs, has_runs, .. } = assigned;
        let new = if *has_runs { runs.firsts(before) } else { firsts(groups, before, table.len()) };
        places.add(&new, len);
        for (column, vector) in keys.iter_mut().zip(key) {
            if !new.is_empty() {
                let mut values = Vector::default();
                values.gather(vector, &new);
                column.append(&values);
            }
            if let GatheredData::Interval(_) = column.data {
                if std::mem::take(has_runs) {
                    runs.spread(groups);
                }
                settle_intervals(column, vector, groups);
            }
        }
    }

    /// Whether codes are the numbers of groups, some of which no row may have.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Grouper::Few { dense: true, .. })
    }

    /// The layout of few keys whose codes are their groups.
    pub(crate) fn few(&self) -> Option<&KeyLayout> {
        match self {
            Grouper::Few { layout, dense: false, .. } => Some(layout),
            _ => None,
        }
    }

    /// Notes which of few groups there are.
    pub(crate) fn mark(&mut self, present: &Present) {
        if let Grouper::Few { seen, .. } = self {
            present.iter().for_each(|(group, _)| seen[group] = true);
        }
    }

    /// The codes of keys of one integer, where [`Grouper::assign_integers`] takes them.
    pub(crate) fn code_range(&self) -> Option<CodeRange> {
        match self {
            Grouper::Few { layout, dense: true, .. } => layout.code_range(),
            Grouper::Set { layout, .. } | Grouper::Direct { layout, .. } | Grouper::Ordered { layout, .. } => {
                layout.code_range()
            }
            Grouper::One | Grouper::Few { .. } | Grouper::Known(_) | Grouper::Hash { .. } => None,
        }
    }

    /// As [`Grouper::assign`], for keys of one integer. `codes` is memory for their codes; these are left there, unless
    /// rows are clustered or codes are groups.
    pub(crate) fn assign_integers(
        &mut self,
        keys: &IntegerKeys<'_>,
        len: usize,
        mask: Option<&Bitmap>,
        codes: &mut Vec<u32>,
        assigned: &mut Assigned,
    ) {
        assigned.has_runs = matches!(self, Grouper::Ordered { .. });
        let Assigned { groups, present, runs, .. } = assigned;
        present.clear();
        match self {
            Grouper::Few { seen, .. } => {
                keys.codes(len, groups);
                mark_dense(groups, mask, seen);
            }
            Grouper::Set { words, .. } => {
                keys.codes(len, codes);
                codes.iter().for_each(|&code| words[(code / 64) as usize] |= 1 << (code % 64));
            }
            Grouper::Direct { base, entries, codes: met, .. } => {
                keys.codes(len, codes);
                let mut repeats = std::mem::take(&mut assigned.repeats);
                repeats.find(codes, None);
                if repeats.any() {
                    repeats.firsts(codes, &mut assigned.firsts);
                    direct_all(entries, *base, met, &assigned.firsts, groups);
                    assigned.take_repeats(&repeats);
                } else {
                    direct_all(entries, *base, met, codes, groups);
                }
                assigned.repeats = repeats;
            }
            Grouper::Ordered { codes: met, segments, .. } => {
                let before = met.len();
                let fresh = segments.last().is_some_and(|segment| segment.start as usize == before);
                if keys.runs(runs, met, !fresh, assigned.may_wait) {
                    assigned.waits = assigned.may_wait.then_some(before);
                } else {
                    keys.codes(len, codes);
                    runs.find(codes, u64::from, met, !fresh, false);
                }
            }
            Grouper::One | Grouper::Known(_) | Grouper::Hash { .. } => unreachable!("these have no range of codes"),
        }
    }

    /// Gives groups from `first` on, which wait for it, their codes.
    pub(crate) fn write_codes(&mut self, first: usize, keys: &IntegerKeys<'_>) {
        if let Grouper::Ordered { codes, .. } = self {
            keys.codes_before(&mut codes[first..]);
        }
    }

    /// Forgets the groups of keys that are dealt.
    pub(crate) fn clear(&mut self, types: &[DataType]) {
        match self {
            Grouper::Direct { base, entries, codes, .. } => {
                codes.drain(..).for_each(|code| entries[code as usize - *base as usize] = 0);
            }
            Grouper::Hash { layout, table, keys, firsts, own_index } => {
                *table = GroupTable::new(layout.width, 0);
                *keys = kept_keys(layout, types, *own_index);
                firsts.places.clear();
            }
            _ => {}
        }
    }

    /// The groups that have rows.
    pub(crate) fn occupied(&self) -> Vec<u32> {
        match self {
            Grouper::One => vec![0],
            Grouper::Few { seen, .. } => occupied(seen, 0..seen.len()),
            Grouper::Set { words, .. } => {
                let mut codes = Vec::new();
                push_positions(words, words.iter().map(|word| word.count_ones() as usize).sum(), &mut codes);
                codes
            }
            Grouper::Direct { .. } | Grouper::Known(_) | Grouper::Ordered { .. } | Grouper::Hash { .. } => {
                (0..self.len() as u32).collect()
            }
        }
    }

    /// The groups of Few or Dense that have rows and are in a part of a merge.
    pub(crate) fn occupied_in(&self, part: usize, parts: usize) -> Vec<u32> {
        let Grouper::Few { seen, .. } = self else { return Vec::new() };
        let (start, end) = part_range(seen.len(), part, parts);
        occupied(seen, start..end)
    }

    /// The groups that have rows, in an order that depends on nothing but the rows: by part of a merge and then as their
    /// first rows came, of codes, or as the clustered rows came.
    pub(crate) fn ordered(&self) -> Vec<u32> {
        match self {
            Grouper::One | Grouper::Few { .. } | Grouper::Set { .. } | Grouper::Known(_) | Grouper::Ordered { .. } => {
                self.occupied()
            }
            Grouper::Direct { codes, .. } if codes.is_sorted() => self.occupied(),
            Grouper::Direct { entries, .. } => {
                entries.iter().filter(|&&entry| entry != 0).map(|&entry| entry - 1).collect()
            }
            Grouper::Hash { table, .. } => self.in_order((0..table.len() as u32).collect()),
        }
    }

    /// Some of the groups, which come in the order of their numbers, in the order of [`Grouper::ordered`].
    pub(crate) fn in_order(&self, mut groups: Vec<u32>) -> Vec<u32> {
        match self {
            Grouper::One | Grouper::Few { .. } | Grouper::Set { .. } | Grouper::Known(_) | Grouper::Ordered { .. } => {
                groups
            }
            Grouper::Direct { codes, .. } => {
                groups.sort_unstable_by_key(|&group| codes[group as usize]);
                groups
            }
            Grouper::Hash { table, firsts, .. } => {
                let mut parts: Vec<Vec<u32>> = vec![Vec::new(); MERGE_PARTS];
                groups.into_iter().for_each(|group| parts[hash_part(table, group)].push(group));
                parts.iter_mut().for_each(|groups| firsts.sort(groups));
                parts.concat()
            }
        }
    }

    /// For hashed groups that are numbered in the order of their first rows, as those of one worker are, the place of each
    /// among the [`Grouper::ordered`]: to put them there costs less than to look for them.
    pub(crate) fn places(&self) -> Option<Vec<u32>> {
        let Grouper::Hash { table, firsts, .. } = self else { return None };
        if !firsts.places.is_sorted() {
            return None;
        }
        let parts: Vec<u8> = (0..table.len() as u32).map(|group| hash_part(table, group) as u8).collect();
        let mut next = [0; MERGE_PARTS];
        parts.iter().for_each(|&part| next[part as usize] += 1);
        let mut start = 0;
        next.iter_mut().for_each(|next| start += std::mem::replace(next, start));
        let place = |&part: &u8| {
            let next = &mut next[part as usize];
            *next += 1;
            *next - 1
        };
        Some(parts.iter().map(place).collect())
    }

    /// All keys, at the [`Grouper::places`] of their groups.
    pub(crate) fn placed_keys(&self, places: &[u32]) -> Vec<Gathered> {
        let Grouper::Hash { layout, table, keys, .. } = self else { return Vec::new() };
        if layout.codes_tell_keys() {
            return table.decoded(layout, Which::Placed(places));
        }
        keys.iter().map(|column| canonical(column.put(places))).collect()
    }

    /// Whether the groups, of which all are of one part, are numbered in their order.
    pub(crate) fn is_ordered_part(&self) -> bool {
        matches!(self, Grouper::Hash { firsts, .. } if firsts.places.is_sorted())
    }

    /// All keys, a column a part.
    pub(crate) fn into_keys(self) -> Vec<Gathered> {
        let Grouper::Hash { layout, table, keys, .. } = self else { return Vec::new() };
        if layout.codes_tell_keys() {
            return table.decoded(&layout, Which::All);
        }
        keys.into_iter().map(canonical).collect()
    }

    /// Whether nothing is computed of the groups.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self, Grouper::Set { .. })
    }

    /// Adds the keys of another set.
    pub(crate) fn unite(&mut self, other: &Grouper) {
        let (Grouper::Set { words, .. }, Grouper::Set { words: from, .. }) = (self, other) else { return };
        words.iter_mut().zip(from).for_each(|(word, from)| *word |= from);
    }

    /// Adds groups of another grouper of the same kind; gives their numbers here.
    pub(crate) fn merge(&mut self, other: &Grouper, chosen: &[u32]) -> Vec<u32> {
        match (self, other) {
            (Grouper::Few { seen, base, .. }, Grouper::Few { base: from, .. }) => {
                let groups: Vec<u32> = chosen.iter().map(|&group| group + *from - *base).collect();
                groups.iter().for_each(|&group| seen[group as usize] = true);
                groups
            }
            (Grouper::Direct { base, entries, codes, .. }, Grouper::Direct { codes: from, .. }) => {
                chosen.iter().map(|&group| direct(entries, *base, codes, from[group as usize])).collect()
            }
            (Grouper::Known(known), Grouper::Direct { codes: from, .. }) => {
                chosen.iter().map(|&group| known.group(from[group as usize] as u32)).collect()
            }
            (Grouper::Ordered { codes, .. }, Grouper::Ordered { codes: from, .. }) => {
                let number = |&group: &u32| {
                    let code = from[group as usize];
                    if codes.last() != Some(&code) {
                        codes.push(code);
                    }
                    (codes.len() - 1) as u32
                };
                chosen.iter().map(number).collect()
            }
            (
                Grouper::Hash { table, keys, firsts: places, own_index, .. },
                Grouper::Hash { table: from, keys: from_keys, firsts: from_places, .. },
            ) => {
                let before = table.len();
                let numbers = table.insert_all(from, chosen);
                if *own_index {
                    return numbers;
                }
                places.merge(from_places, chosen, &numbers);
                let new = firsts(&numbers, before, table.len()).into_iter();
                let new: Vec<u32> = new.map(|at| chosen[at as usize]).collect();
                for (column, from) in keys.iter_mut().zip(from_keys) {
                    column.append_all(from.take(&new));
                    if let GatheredData::Interval(_) = column.data {
                        settle_intervals(column, &from.take(chosen).into_vector(), &numbers);
                    }
                }
                numbers
            }
            _ => chosen.to_vec(),
        }
    }

    /// Whether a group of another grouper of clustered rows goes on with the last one here.
    pub(crate) fn continues(&self, other: &Grouper, group: u32) -> bool {
        let (Grouper::Ordered { codes, .. }, Grouper::Ordered { codes: from, .. }) = (self, other) else {
            return false;
        };
        codes.last().is_some_and(|last| from.get(group as usize) == Some(last))
    }

    /// Adds consecutive groups of another grouper of clustered rows behind its own.
    pub(crate) fn append(&mut self, other: &Grouper, run: Range<u32>) {
        let (Grouper::Ordered { codes, .. }, Grouper::Ordered { codes: from, .. }) = (self, other) else { return };
        codes.extend_from_slice(&from[run.start as usize..run.end as usize]);
    }

    /// The keys of some groups, a column a part.
    pub(crate) fn keys(&self, groups: &[u32]) -> Result<Vec<Gathered>> {
        Ok(match self {
            Grouper::One => Vec::new(),
            Grouper::Few { layout, base, .. } => {
                decode_all(layout, &groups.iter().map(|&group| (group + base).into()).collect::<Vec<u64>>())
            }
            Grouper::Set { layout, .. } => {
                decode_all(layout, &groups.iter().map(|&group| group.into()).collect::<Vec<u64>>())
            }
            Grouper::Direct { layout, codes, .. } | Grouper::Ordered { layout, codes, .. } => {
                decode_all(layout, &groups.iter().map(|&group| codes[group as usize]).collect::<Vec<u64>>())
            }
            Grouper::Known(known) => known.keys(groups),
            Grouper::Hash { layout, table, .. } if layout.codes_tell_keys() => table.decoded(layout, Which::Of(groups)),
            Grouper::Hash { keys, .. } => keys.iter().map(|column| canonical(column.take(groups))).collect(),
        })
    }
}

/// The codes of a range that have been seen, without a branch for each.
fn occupied(seen: &[bool], range: Range<usize>) -> Vec<u32> {
    let mut codes = vec![0; range.len() + 1];
    let mut count = 0;
    for (code, &seen) in (range.start as u32..).zip(&seen[range]) {
        codes[count] = code;
        count += usize::from(seen);
    }
    codes.truncate(count);
    codes
}

/// Of some elements in a row leaves only those at these ascending positions among them.
pub(crate) fn retain<T: Copy>(values: &mut Vec<T>, range: Range<usize>, kept: &[u32]) {
    for (to, &from) in kept.iter().enumerate() {
        values[range.start + to] = values[range.start + from as usize];
    }
    values.drain(range.start + kept.len()..range.end);
}

#[cfg(test)]
mod tests {
    use super::super::super::vector::VectorData;
    use super::*;
    use crate::plan::key_layout::PartDomain;

    /// Hashed groups of these keys, in tiles of which each is a piece of its own.
    fn hashed(tiles: &[&[i64]]) -> Grouper {
        let layout = KeyLayout::new(vec![PartDomain::of_type(DataType::BigInt)]);
        let numbering = Numbering { kind: GroupKind::Hash, own_index: false };
        let mut grouper = Grouper::new(&layout, &[DataType::BigInt], numbering);
        let (mut codes, mut assigned) = (Codes::default(), Assigned::default());
        for (piece, keys) in tiles.iter().enumerate() {
            grouper.begin_piece(piece);
            let mut vector = Vector::default();
            vector.set(keys.len(), VectorData::I64(keys.to_vec()), None);
            grouper.assign(&[&vector], keys.len(), None, &mut codes, &mut assigned);
        }
        grouper
    }

    #[test]
    fn places_are_those_of_the_order() {
        let many: Vec<i64> = (0..20_000).map(|key| key * 7_919 % 15_000).collect();
        for tiles in [vec![], vec![&[][..]], vec![&[7][..], &[7, 8]], many.chunks(1_000).collect()] {
            let grouper = hashed(&tiles);
            let order = grouper.ordered();
            let places = grouper.places().expect("one worker numbers groups in the order of their rows");
            assert!(order.iter().enumerate().all(|(place, &group)| places[group as usize] as usize == place));
            let (keys, placed) = (grouper.keys(&order).unwrap(), grouper.placed_keys(&places));
            for (keys, placed) in keys.into_iter().zip(placed) {
                let values = |column: Gathered| match column.data {
                    GatheredData::I64(values) => values,
                    other => panic!("{other:?}"),
                };
                assert_eq!(values(keys), values(placed));
            }
        }
    }

    #[test]
    fn merged_groups_are_in_the_order_of_one_worker() {
        let keys: Vec<i64> = (0..9_000).map(|key| key * 7_919 % 5_000).collect();
        let pieces: Vec<&[i64]> = keys.chunks(500).collect();
        let one = hashed(&pieces);
        // Two workers that took pieces in turn; the other's are empty here.
        let of = |turn: usize| {
            let mut own = vec![&[][..]; pieces.len()];
            own.iter_mut().zip(&pieces).skip(turn).step_by(2).for_each(|(own, piece)| *own = *piece);
            own
        };
        let (first, second) = (hashed(&of(0)), hashed(&of(1)));
        let mut merged = first.fresh(&[DataType::BigInt], 0, 1);
        for worker in [&second, &first] {
            merged.merge(worker, &worker.occupied());
        }
        let keys = |grouper: &Grouper| match &grouper.keys(&grouper.ordered()).unwrap()[0].data {
            GatheredData::I64(values) => values.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(keys(&merged), keys(&one));
    }
}
