//! What cards keep of a generator: parts of it, each on a card, or all of it on some. A loop that needs all of it gets it on its card,
//! put together or copied there once; the host gets it from one card, or from all.

use super::merge;
use crate::Result;
use crate::backend::{Given, Held};
use crate::collections::rows::RowSet;
use crate::column::Dictionary;
use crate::gpu::device::Device;
use crate::gpu::driver::{Copier, Patience};
use crate::gpu::groups::held::{HeldGroups, HeldSet, Kept, lost};
use crate::gpu::rows::HeldRows;
use crate::gpu::rows::buckets::HeldBuckets;
use crate::gpu::stop::{Done, Stop, decline};
use crate::partial::PartialGroups;
use crate::partial::order::put_behind;
use crate::partial::unify::{unified, unify};
use crate::plan::key_layout::KeyLayout;
use crate::workers::context::Context;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// What one card keeps.
pub(super) type Own = Arc<dyn Held>;

/// What the cards keep of a generator.
#[derive(Debug)]
pub(super) struct Spread {
    devices: Arc<[Device]>,
    /// What each card made of its part, by the parts' order; none if there are no parts.
    parts: Vec<(usize, Own)>,
    /// All of it, on the cards that have it.
    whole: Vec<OnceLock<Own>>,
}

impl Spread {
    /// What is whole on the cards that made it.
    pub(super) fn whole(devices: &Arc<[Device]>, made: Vec<(usize, Own)>) -> Self {
        let spread = Spread::of_parts(devices, Vec::new());
        for (card, own) in made {
            spread.whole[card].get_or_init(|| own);
        }
        spread
    }

    fn of_parts(devices: &Arc<[Device]>, parts: Vec<(usize, Own)>) -> Self {
        let whole = devices.iter().map(|_| OnceLock::new()).collect();
        Spread { devices: Arc::clone(devices), parts, whole }
    }

    /// What is in parts, by card; None if nobody could put these together.
    pub(super) fn parts(devices: &Arc<[Device]>, parts: Vec<(usize, Own)>) -> Option<Self> {
        if let [(card, own)] = &parts[..] {
            return Some(Spread::whole(devices, vec![(*card, Arc::clone(own))]));
        }
        let (_, first) = parts.first()?;
        let fits = |own: &Own| {
            if let (Some(mine), Some(theirs)) = (HeldGroups::of(first), HeldGroups::of(own)) {
                return merge::may_be_merged(&mine, &theirs);
            }
            let kinds = [first, own].map(|own| (HeldSet::of(own).is_some(), HeldRows::of(own).is_some()));
            kinds[0] == kinds[1] && kinds[0] != (false, false)
        };
        let layout = |(_, own): &(usize, Own)| match (HeldGroups::of(own), HeldSet::of(own)) {
            (Some(groups), _) => Some(groups.layout.clone()),
            (_, Some(set)) => Some(set.layout.clone()),
            _ => None,
        };
        let layouts: Vec<KeyLayout> = parts.iter().filter_map(layout).collect();
        let may_be_one = layouts.split_first().is_none_or(|(first, others)| {
            others.iter().all(|other| merge::are_of_one_layout(first, other))
                || unified(&layouts.iter().collect::<Vec<_>>()).is_some()
        });
        (may_be_one && parts.iter().all(|(_, own)| fits(own))).then(|| Spread::of_parts(devices, parts))
    }

    /// It, if that is what is held.
    pub(super) fn of(held: &Own) -> Option<&Self> {
        held.as_any().downcast_ref::<Spread>()
    }

    /// The rows of each part, by card; none if it is not rows in parts.
    pub(super) fn rows_in_parts(&self) -> Option<Vec<(usize, usize, Own)>> {
        let rows = |(card, own): &(usize, Own)| Some((*card, HeldRows::of(own)?.level.rows, Arc::clone(own)));
        if self.parts.is_empty() { None } else { self.parts.iter().map(rows).collect() }
    }

    /// All of it on a card; None if the host has to put it together.
    pub(super) fn on(&self, card: usize) -> Done<Option<Own>> {
        if let Some(own) = self.whole[card].get() {
            return Ok(Some(Arc::clone(own)));
        }
        let device = self.devices[card].with(Patience::Waits);
        let mut made = self.make(&device);
        if matches!(&made, Err(Stop::Declined(why)) if why.contains("memory")) && device.resident.evict_all() {
            made = self.make(&device);
        }
        Ok(made?.map(|made| Arc::clone(self.whole[card].get_or_init(|| made))))
    }

    fn make(&self, device: &Device) -> Done<Option<Own>> {
        if let Some(own) = self.whole.iter().find_map(OnceLock::get) {
            return copied(own, device).map(Some);
        }
        if let Some(parts) = self.all(HeldGroups::of) {
            return Ok(merge::groups(device, &parts)?.map(kept));
        }
        if let Some(parts) = self.all(HeldSet::of) {
            return Ok(merge::set(device, &parts)?.map(kept));
        }
        match self.all(HeldRows::of) {
            Some(parts) => Ok(merge::rows(device, &parts)?.map(kept)),
            None => decline("bug: parts of several kinds"),
        }
    }

    /// All parts as what they are.
    fn all<T>(&self, of: impl Fn(&Own) -> Option<Arc<T>>) -> Option<Vec<Arc<T>>> {
        if self.parts.is_empty() { None } else { self.parts.iter().map(|(_, own)| of(own)).collect() }
    }

    /// What somebody has whole, or the first part.
    fn any(&self) -> Result<&Own> {
        let whole = self.whole.iter().find_map(OnceLock::get);
        let any = whole.or_else(|| self.parts.first().map(|(_, own)| own));
        any.ok_or_else(|| crate::Error::internal("nothing is held"))
    }

    fn is_whole(&self) -> bool {
        self.whole.iter().any(|whole| whole.get().is_some())
    }
}

fn kept<T>(made: T) -> Own
where
    Kept<T>: Held,
{
    Arc::new(Kept(Arc::new(made)))
}

/// The same on another card.
fn copied(own: &Own, device: &Device) -> Done<Own> {
    let to = Copier::to(&device.driver);
    if let Some(groups) = HeldGroups::of(own) {
        return groups.copied(device, &to).map(kept);
    }
    if let Some(set) = HeldSet::of(own) {
        return Ok(kept(HeldSet { layout: set.layout.clone(), bits: to.buffer(&set.bits)? }));
    }
    if let Some(rows) = HeldRows::of(own) {
        let level = Arc::new(rows.level.copied(&to)?);
        return Ok(kept(HeldRows { level, types: rows.types.clone() }));
    }
    match HeldBuckets::of(own) {
        Some(buckets) => buckets.copied(&to).map(kept),
        None => decline("bug: a result of no kind"),
    }
}

impl Held for Spread {
    fn rows(&self) -> Result<usize> {
        if self.is_whole() {
            return self.any()?.rows();
        }
        match self.rows_in_parts() {
            Some(parts) => Ok(parts.iter().map(|(_, rows, _)| rows).sum()),
            // Cards may have the same groups.
            None => match self.on(self.parts.first().map_or(0, |(card, _)| *card)) {
                Ok(Some(own)) => own.rows(),
                // Who asks that they be put together has the host do it; else it is whether there are some that counts.
                Ok(None) | Err(Stop::Declined(_)) => self.parts.iter().map(|(_, own)| own.rows()).sum(),
                Err(stop) => Err(lost(stop)),
            },
        }
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        self.any().ok()?.key_range()
    }

    fn dictionary(&self, field: u32) -> Option<Arc<Dictionary>> {
        let first = self.any().ok()?.dictionary(field)?;
        let is_same = |(_, own): &(usize, Own)| own.dictionary(field).is_some_and(|other| other == first);
        (self.is_whole() || self.parts.iter().all(is_same)).then_some(first)
    }

    fn fetch(&self, context: &Context) -> Result<Given> {
        if self.is_whole() {
            return self.any()?.fetch(context);
        }
        let parts = self.parts.iter().map(|(_, own)| own.fetch(context)).collect::<Result<Vec<Given>>>()?;
        put_together(parts).ok_or_else(|| crate::Error::internal("parts that are not alike"))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What the host has of all parts; None if they are not alike.
pub(super) fn put_together(parts: Vec<Given>) -> Option<Given> {
    let (mut rows, mut groups): (Vec<RowSet>, Vec<PartialGroups>) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Given::Rows(own) => rows.push(own),
            Given::Partial(own) => groups.extend(own),
            _ => return None,
        }
    }
    match (rows.is_empty(), groups.is_empty()) {
        (true, false) => {
            if groups.iter().any(|other| groups[0].check_like(other).is_err()) {
                groups = unify(&groups)?;
            }
            let (first, rest) = groups.split_first()?;
            rest.iter().try_for_each(|other| first.check_like(other).ok())?;
            let mut all = Vec::with_capacity(groups.len());
            put_behind(&mut all, groups);
            Some(Given::Partial(all))
        }
        (false, true) => {
            if rows.iter().any(|rows| rows.fields.is_some()) {
                return None;
            }
            let chunks = rows.iter().flat_map(|rows| rows.chunks.iter().cloned());
            Some(Given::Rows(RowSet::of(chunks.collect())))
        }
        _ => None,
    }
}
