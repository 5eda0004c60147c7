//! Percentiles and modes of one group with many values, by all workers: some of the values, in order, are borders, and each worker counts
//! how many of its values lie between which of them. That says between which borders the places lie that are asked for; only those
//! values are collected, and selected among. Of a mode all are, and what lies between two borders is sorted by one worker.
//!
//! Values that are like a border are only counted: where few different values are common, nothing is left to collect.

use super::{Pick, SORTED, mode, places, select};
use crate::Result;
use crate::cpu::aggregate::shared_groups::rows_of_piece;
use crate::workers::schedule::Workers;
use multiloop_planner::evaluate::quantile::Place;
use multiloop_planner::meter::{self, Room};
use std::cmp::Ordering;

/// Borders, and values for each that are looked at to choose them.
const BORDERS: usize = 100;
const SAMPLE: usize = 16;

/// Values between two looks at whether to go on.
const PIECE: usize = 1 << 12;

/// What is chosen of the values of one group, of which there is one at least.
pub(super) fn choose<T: Copy + Default + Send + Sync>(
    values: &[T],
    asked: &[Pick],
    (compare, between): (&(impl Fn(&T, &T) -> Ordering + Sync), &impl Fn(T, T, Place) -> T),
    workers: Workers<'_>,
) -> Result<Vec<T>> {
    let (count, places) = (values.len(), places(asked, values.len()));
    let has_mode = asked.iter().any(|asked| asked.is_mode());
    let mut borders: Vec<T> = values.iter().copied().step_by(count.div_ceil(BORDERS * SAMPLE)).collect();
    borders.sort_unstable_by(compare);
    let mut borders: Vec<T> = borders.into_iter().step_by(SAMPLE).collect();
    borders.dedup_by(|a, b| compare(a, b).is_eq());
    let mut room = Room::default();
    room.hold(count + if has_mode { size_of_val(values) } else { 0 })?;
    // Twice the number of the first border that is not before a value; one more if the value is like it.
    let area = |value: &T| {
        let at = borders.partition_point(|border| compare(border, value).is_lt());
        2 * at + usize::from(borders.get(at).is_some_and(|border| compare(border, value).is_eq()))
    };
    let pieces: Vec<&[T]> = values.chunks(rows_of_piece(count, Some(workers))).collect();
    let areas = workers.map(pieces.clone(), |values: &[T]| {
        let (mut areas, mut counts) = (Vec::with_capacity(values.len()), vec![0usize; 2 * borders.len() + 1]);
        for some in values.chunks(PIECE) {
            meter::spend(some.len() * 16)?;
            for value in some {
                let area = area(value);
                counts[area] += 1;
                areas.push(area as u8);
            }
        }
        Ok((areas, counts))
    })?;
    // Where each area begins, if all values were in order.
    let mut starts = vec![0; 2 * borders.len() + 2];
    for area in 0..=2 * borders.len() {
        starts[area + 1] = starts[area] + areas.iter().map(|(_, counts)| counts[area]).sum::<usize>();
    }
    let of_area = |area: usize| {
        let first = places.partition_point(|&place| place < starts[area]);
        first..places.partition_point(|&place| place < starts[area + 1])
    };
    let is_border = |area: usize| !area.is_multiple_of(2);
    let is_wanted = |area: usize| !is_border(area) && starts[area] < starts[area + 1];
    let wanted: Vec<bool> =
        (0..=2 * borders.len()).map(|area| is_wanted(area) && (has_mode || !of_area(area).is_empty())).collect();
    let collected = workers.map(pieces.into_iter().zip(&areas).collect(), |(values, (areas, counts))| {
        let room = |(&count, &wanted): (&usize, &bool)| Vec::with_capacity(if wanted { count } else { 0 });
        let mut own: Vec<Vec<T>> = counts.iter().zip(&wanted).map(room).collect();
        for (values, areas) in values.chunks(PIECE).zip(areas.chunks(PIECE)) {
            meter::spend(values.len() * 2)?;
            for (&value, &area) in values.iter().zip(areas) {
                if wanted[area as usize] {
                    own[area as usize].push(value);
                }
            }
        }
        Ok(own)
    })?;
    drop(areas);
    // Each area gives the values at its places, in order, and what is most common in it.
    let found = workers.map((0..=2 * borders.len()).collect(), |area: usize| {
        let own = &places[of_area(area)];
        if is_border(area) {
            let border = (borders[area / 2], starts[area + 1] - starts[area]);
            return Ok((vec![border.0; own.len()], vec![border; asked.len()]));
        }
        if !wanted[area] {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut values = Vec::with_capacity(starts[area + 1] - starts[area]);
        collected.iter().for_each(|parts| values.extend_from_slice(&parts[area]));
        meter::spend(values.len() * 4)?;
        let inner: Vec<usize> = own.iter().map(|place| place - starts[area]).collect();
        if has_mode || inner.len() > SORTED {
            values.sort_unstable_by(compare);
        } else {
            select(&mut values, 0, &inner, compare);
        }
        let modes = match has_mode {
            true => asked.iter().map(|asked| mode(&values, asked.descending, compare)).collect(),
            false => Vec::new(),
        };
        Ok((inner.into_iter().map(|place| values[place]).collect(), modes))
    })?;
    let at_places: Vec<T> = found.iter().flat_map(|(values, _)| values).copied().collect();
    let at = |place: usize| at_places[places.partition_point(|&other| other < place)];
    let chosen = asked.iter().enumerate().map(|(number, asked)| match asked.place(count) {
        Some(place) => between(at(place.below), at(place.above), place),
        None => {
            let modes = found.iter().filter_map(|(_, modes)| modes.get(number));
            let first = |a: &T, b: &T| if asked.descending { compare(a, b) } else { compare(b, a) };
            let most = modes.max_by(|a, b| a.1.cmp(&b.1).then_with(|| first(&a.0, &b.0)));
            most.map_or_else(T::default, |&(value, _)| value)
        }
    });
    Ok(chosen.collect())
}
