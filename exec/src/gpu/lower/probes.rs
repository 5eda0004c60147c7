//! What asks other collections: whether a key is there, what stands with it, and where the rows of its bucket are.

use super::keys::Code;
use super::scalars::Scalar;
use super::{Level, Lowering};
use crate::backend::Held;
use crate::collections::rows::RowSet;
use crate::column::{ColumnData, Dictionary};
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, bytes_of};
use crate::gpu::groups::filter::Filters;
use crate::gpu::groups::held::{HeldGroups, HeldSet};
use crate::gpu::groups::slots::{Slots, are_far};
use crate::gpu::rows::buckets::HeldBuckets;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::multiloop::CollectionId;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A collection that is asked by key, on the device.
#[derive(Debug)]
pub(crate) struct Probed {
    pub(crate) layout: KeyLayout,
    /// The slots of codes, if what finds them is by slot.
    pub(crate) slots: Option<Slots>,
    /// What tells codes that are not there, if it pays to ask it first.
    pub(crate) filters: Option<Arc<Filters>>,
    pub(crate) find: Find,
    /// The fields: of groups all, of buckets those of the members.
    pub(crate) level: Arc<Level>,
    pub(crate) spans: Spans,
    /// Rows of a bucket, at most.
    pub(crate) most: u64,
    /// What a lookup gives that finds nothing.
    pub(crate) empty: Vec<Value>,
}

/// How a code is found.
#[derive(Debug)]
pub(crate) enum Find {
    /// For each code one more than the number of its group or bucket, or 0.
    Numbers(Arc<Buffer>),
    /// A bit for each code.
    Bits(Arc<Buffer>),
    /// Groups that the device made, by code.
    Groups(Arc<HeldGroups>),
}

/// Where the rows of buckets are.
#[derive(Clone, Debug)]
pub(crate) enum Spans {
    /// Each has one row, of its number.
    Unique,
    /// By number: where each begins, and behind the last one the end.
    ByNumber(Arc<Buffer>),
    /// By code: where each begins in an order of the rows, and how many it has.
    ByCode { starts: Arc<Buffer>, counts: Arc<Buffer>, order: Arc<Buffer> },
}

/// Codes of which each has an entry, at most.
const CODES_MAX: u64 = 1 << 30;

/// Keys on the host, as their codes.
struct HostKeys {
    layout: KeyLayout,
    codes: Vec<u64>,
}

impl Lowering<'_> {
    /// Where a key is in a collection: its number, and whether it is not there.
    pub(super) fn find(&mut self, probed: &Probed, key: &[(u32, bool)]) -> Done<(Expression, Expression)> {
        let parts = key.iter().map(|&(part, null)| Ok((self.node(part)?, null))).collect::<Done<Vec<_>>>()?;
        let Code { mut code, mut absent } = self.code(&probed.layout, &parts, false)?;
        if let Some(filters) = &probed.filters {
            let codes = probed.layout.codes().unwrap_or(u64::MAX);
            absent = self.is_filtered(filters, codes, (&code, absent))?;
        }
        if let Some(slots) = &probed.slots {
            (code, absent) = self.find_slot(slots, code, absent);
            absent = self.hold(absent);
        }
        Ok(match &probed.find {
            Find::Numbers(numbers) => {
                let none = Expression::number(0, Type::U32);
                let number = self.memory(Type::U32, numbers).at(code.clone());
                let number = Expression::select(absent, none.clone(), number);
                let number = self.hold(number);
                let is_none = Expression::binary(Binary::Equal, number.clone(), none);
                match &probed.spans {
                    Spans::ByCode { .. } => (code, is_none),
                    _ => {
                        let number = Expression::binary(Binary::Subtract, number, Expression::number(1, Type::U32));
                        (self.hold(number), is_none)
                    }
                }
            }
            Find::Bits(bits) => {
                let zero = Expression::number(0, Type::U64);
                let bits = self.memory(Type::U8, bits).address(zero);
                let is_there = Expression::Call(Helper::Bit, vec![bits, code.clone().cast(Type::U64)]);
                (code, absent.or(is_there.not()))
            }
            Find::Groups(groups) => {
                let seen = self.is_group(groups, code.clone());
                let absent = self.hold(absent.or(seen.not()));
                // Fields are read of nothing, too.
                let nothing = Expression::number(0, code.data_type());
                (self.hold(Expression::select(absent.clone(), nothing, code)), absent)
            }
        })
    }

    /// Whether a collection has nothing of a key, as far as one read tells.
    pub(super) fn lacks(&mut self, collection: CollectionId, key: &[(u32, bool)]) -> Done<Expression> {
        let probed = self.probed(collection, key.len())?;
        let Some(filters) = &probed.filters else { return Ok(self.find(&probed, key)?.1) };
        let parts = key.iter().map(|&(part, null)| Ok((self.node(part)?, null))).collect::<Done<Vec<_>>>()?;
        let Code { code, absent } = self.code(&probed.layout, &parts, false)?;
        self.is_filtered(filters, probed.layout.codes().unwrap_or(u64::MAX), (&code, absent))
    }

    /// Whether a key is in a collection.
    pub(super) fn exists(&mut self, collection: CollectionId, key: &[(u32, bool)]) -> Done<Scalar> {
        let probed = self.probed(collection, key.len())?;
        let (_, absent) = self.find(&probed, key)?;
        Ok(Scalar::new(absent.not(), Expression::truth(false)))
    }

    /// The group of a key: its number, NULL if there is none.
    pub(super) fn found(&mut self, collection: CollectionId, key: &[(u32, bool)]) -> Done<Scalar> {
        let probed = self.probed(collection, key.len())?;
        let (number, absent) = self.find(&probed, key)?;
        Ok(Scalar::new(number, absent))
    }

    /// A field of the group that was found, or what it is of nothing.
    pub(super) fn lookup(&mut self, collection: CollectionId, rows: u32, field: u32, of: Type) -> Done<Scalar> {
        let crate::plan::nodes::Operation::Find { key, .. } = &self.node_at(rows).operation else {
            return decline("bug: a lookup that finds nothing");
        };
        let probed = self.probed(collection, key.len())?;
        let at = self.node(rows)?;
        let found = match &probed.find {
            Find::Groups(groups) => {
                let groups = Arc::clone(groups);
                self.group_field(&groups, field, at.value.clone(), of)?
            }
            Find::Bits(_) => return decline("a key that is looked up"),
            Find::Numbers(_) => {
                let column = match probed.level.columns.get(field as usize) {
                    Some(column) => column.clone()?,
                    None => return decline("bug: a field that is not there"),
                };
                self.load(&column, at.value.clone(), of)?
            }
        };
        let is_text = found.dictionary.is_some() || found.carried.is_some();
        let nothing = match (&probed.empty.get(field as usize), is_text) {
            (Some(Value::Null) | None, _) => Scalar::new(Expression::number(0, of), Expression::truth(true)),
            (Some(_), true) => return decline("a text of nothing"),
            (Some(value), false) => self.constant(value, of)?,
        };
        let is_there = at.null.not();
        Ok(Scalar {
            value: Expression::select(is_there.clone(), found.value, nothing.value),
            null: Expression::select(is_there, found.null, nothing.null),
            ..found
        })
    }

    /// A collection that is asked by keys of so many parts.
    pub(super) fn probed(&mut self, id: CollectionId, parts: usize) -> Done<Arc<Probed>> {
        if let Some(probed) = self.reads.probed.borrow().get(&id.0) {
            return Ok(Arc::clone(probed));
        }
        let probed = Arc::new(self.make_probed(id, parts)?);
        self.reads.probed.borrow_mut().insert(id.0, Arc::clone(&probed));
        Ok(probed)
    }

    fn make_probed(&mut self, id: CollectionId, parts: usize) -> Done<Probed> {
        if let Some(held) = self.inputs.held(id)?
            && let Some(probed) = probed_on_device(&held)
        {
            return Ok(probed);
        }
        let driver = Arc::clone(&self.device.driver);
        let is_bucket = self.reads.buckets.contains(&id.0);
        let (keys, level, spans, empty) = if is_bucket {
            let grouped = self.inputs.buckets(id)?;
            let level = self.level(id, &grouped.members);
            (grouped.keys, level, Some(grouped.starts), Vec::new())
        } else {
            let rows = self.inputs.rows(id)?;
            let level = self.level(id, &rows);
            (rows, level, None, self.inputs.empty(id)?)
        };
        let HostKeys { layout, codes } = host_keys(&keys, parts)?;
        let count = layout.codes().unwrap_or(u64::MAX);
        if count == u64::MAX {
            return decline("keys of all 64 bits");
        }
        let (slots, entries, places) = match are_far(count, codes.len() as u64, CODES_MAX) {
            true => {
                let (slots, places) = Slots::of(&driver, &codes)?;
                let entries = slots.count();
                (Some(slots), entries, places.into_iter().map(u64::from).collect())
            }
            false => (None, count, codes),
        };
        let mut numbers = vec![0u32; entries as usize];
        places.iter().zip(1..).for_each(|(&place, number)| numbers[place as usize] = number);
        let find = Find::Numbers(Buffer::of(&driver, &bytes_of(&numbers, u32::to_le_bytes))?);
        let spans = spans.filter(|starts| starts.windows(2).any(|span| span[1] - span[0] != 1));
        let most = spans.as_ref().and_then(|starts| starts.windows(2).map(|span| span[1] - span[0]).max());
        let spans = match spans {
            Some(starts) => Spans::ByNumber(Buffer::of(&driver, &bytes_of(&starts, u32::to_le_bytes))?),
            None => Spans::Unique,
        };
        let filters = slots.as_ref().map(|slots| Arc::clone(&slots.filters));
        Ok(Probed { layout, slots, filters, find, level, spans, most: most.unwrap_or(1).into(), empty })
    }

    /// Rows of a collection as a level; of each column why it cannot be there, if it cannot.
    pub(crate) fn level(&self, id: CollectionId, rows: &RowSet) -> Arc<Level> {
        let width = match (&rows.fields, rows.chunks.first()) {
            (Some(fields), _) => fields.len() as u32,
            (None, Some(chunk)) => chunk.columns.len() as u32,
            // Of no rows there are no columns either.
            (None, None) => self.task.plan.collection(id).fields.len() as u32,
        };
        let columns = (0..width).map(|field| self.upload(rows, field));
        Arc::new(Level { rows: rows.rows, columns: columns.collect(), groups: None })
    }
}

/// A collection that the device made.
fn probed_on_device(held: &Arc<dyn Held>) -> Option<Probed> {
    if let Some(groups) = HeldGroups::of(held) {
        return Some(Probed {
            layout: groups.layout.clone(),
            filters: groups.table.slots.as_ref().map(|slots| Arc::clone(&slots.filters)),
            slots: groups.table.slots.clone(),
            empty: groups.empty.clone(),
            find: Find::Groups(groups),
            level: Arc::default(),
            spans: Spans::Unique,
            most: 1,
        });
    }
    if let Some(set) = HeldSet::of(held) {
        return Some(Probed {
            layout: set.layout.clone(),
            slots: None,
            filters: None,
            find: Find::Bits(Arc::clone(&set.bits)),
            level: Arc::default(),
            spans: Spans::Unique,
            most: 1,
            empty: Vec::new(),
        });
    }
    let buckets = HeldBuckets::of(held)?;
    Some(Probed {
        layout: buckets.index.layout.clone(),
        slots: buckets.index.slots.clone(),
        filters: buckets.index.filters.clone(),
        find: Find::Numbers(Arc::clone(&buckets.index.numbers)),
        level: Arc::clone(&buckets.members),
        spans: buckets.index.spans.clone(),
        most: buckets.index.most,
        empty: Vec::new(),
    })
}

/// The codes of keys that stand in the first fields of some rows.
fn host_keys(rows: &RowSet, parts: usize) -> Done<HostKeys> {
    let mut domains = Vec::new();
    let mut values: Vec<Vec<Option<i128>>> = Vec::new();
    for part in 0..parts as u32 {
        let position = rows.position(part) as usize;
        let mut all = Vec::with_capacity(rows.rows);
        let mut dictionary: Option<Arc<Dictionary>> = None;
        for chunk in &rows.chunks {
            let column = &chunk.columns[position];
            if let Some(own) = column.data.dictionary() {
                match &dictionary {
                    Some(other) if !Arc::ptr_eq(own, other) && own != other => {
                        return decline("keys of text without one dictionary");
                    }
                    _ => dictionary = Some(Arc::clone(own)),
                }
            } else if let ColumnData::Boolean(bits) = &column.data {
                all.extend((0..chunk.rows).map(|row| (!column.is_null(row)).then(|| bits.value(row).into())));
                continue;
            } else if !column.data.is_integer() {
                return decline(format!("keys of {}", column.data.form()));
            }
            let value = |row: usize| match &column.data {
                ColumnData::Dictionary8 { codes, .. } => Some(codes[row].into()),
                ColumnData::Dictionary16 { codes, .. } => Some(codes[row].into()),
                ColumnData::Dictionary32 { codes, .. } => Some(codes[row].into()),
                _ => column.integer(row),
            };
            all.extend((0..chunk.rows).map(|row| value(row).filter(|_| !column.is_null(row))));
        }
        let known = || all.iter().flatten().copied();
        domains.push(match dictionary {
            Some(dictionary) => PartDomain::Code(dictionary),
            None => {
                let (low, high) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
                PartDomain::Integer(Grid { low, high, step: 1 })
            }
        });
        values.push(all);
    }
    let layout = KeyLayout::new(domains);
    if layout.codes().is_none() {
        return decline("keys that lie too far apart");
    }
    let code = |row: usize| {
        let part = |(part, values): (&crate::plan::key_layout::PartLayout, &Vec<Option<i128>>)| {
            let low = if let PartDomain::Integer(grid) = &part.domain { grid.low } else { 0 };
            values[row].map_or(0, |value| ((value - low) as u64 + 1) << part.shift)
        };
        layout.parts.iter().zip(&values).map(part).fold(0, |code, part| code | part)
    };
    let codes = (0..rows.rows).map(code).collect();
    Ok(HostKeys { layout, codes })
}
