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
use std::ops::Range;

/// Borders, and values for each that are looked at to choose them.
const BORDERS: usize = 100;
const SAMPLE: usize = 16;

/// Values between two looks at whether to go on.
const PIECE: usize = 1 << 12;

/// How two values stand to each other.
type Compare<'c, T> = &'c (dyn Fn(&T, &T) -> Ordering + Sync);

/// The values at the places that lie in an area, and what is most common in it, and how often, for each mode that is asked for.
type Found<T> = (Vec<T>, Vec<(T, usize)>);

/// What is chosen of the values of one group, of which there is one at least.
pub(super) fn choose<T: Copy + Default + Send + Sync>(
    values: &[T],
    asked: &[Pick],
    (compare, between): (&(impl Fn(&T, &T) -> Ordering + Sync), &impl Fn(T, T, Place) -> T),
    workers: Workers<'_>,
) -> Result<Vec<T>> {
    let (count, places) = (values.len(), places(asked, values.len()));
    let has_mode = asked.iter().any(|asked| asked.is_mode());
    let mut room = Room::default();
    room.hold(count + if has_mode { size_of_val(values) } else { 0 })?;
    let areas = Areas::of(values, compare, workers)?;
    let wanted: Vec<bool> = (0..areas.count())
        .map(|area| areas.is_between(area) && (has_mode || !areas.places(area, &places).is_empty()))
        .collect();
    let collected = areas.collected(values, &wanted, workers)?;
    // Each area gives the values at its places, in order, and what is most common in it.
    let found = workers.map((0..areas.count()).collect(), |area: usize| {
        let own = &places[areas.places(area, &places)];
        if let Some((border, times)) = areas.border(area) {
            return Ok((vec![border; own.len()], vec![(border, times); asked.len()]));
        }
        if !wanted[area] {
            return Ok((Vec::new(), Vec::new()));
        }
        let values = collected.iter().flat_map(|parts| &parts[area]).copied().collect();
        let inner = own.iter().map(|place| place - areas.starts[area]).collect();
        chosen_between(values, inner, asked.iter().filter(|_| has_mode), compare)
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

/// The values at some places among those of one area, and the modes that are asked for, each with how often it is there.
fn chosen_between<'p, T: Copy + Default>(
    mut values: Vec<T>,
    places: Vec<usize>,
    modes: impl Iterator<Item = &'p Pick>,
    compare: &impl Fn(&T, &T) -> Ordering,
) -> Result<Found<T>> {
    meter::spend(values.len() * 4)?;
    let mut modes = modes.peekable();
    if modes.peek().is_some() || places.len() > SORTED {
        values.sort_unstable_by(compare);
    } else {
        select(&mut values, 0, &places, compare);
    }
    let modes = modes.map(|asked| mode(&values, asked.descending, compare)).collect();
    Ok((places.into_iter().map(|place| values[place]).collect(), modes))
}

/// Which of some areas each value is in: between two borders, or like one.
struct Areas<T> {
    borders: Vec<T>,
    /// By piece, of each value: twice the number of the first border that is not before it; one more if it is like that.
    of: Vec<(Vec<u8>, Vec<usize>)>,
    /// Where each area begins, if all values were in order, and where the last one ends.
    starts: Vec<usize>,
    /// Values of a piece.
    piece: usize,
}

impl<T: Copy + Send + Sync> Areas<T> {
    fn of(values: &[T], compare: Compare<'_, T>, workers: Workers<'_>) -> Result<Self> {
        let mut some: Vec<T> = values.iter().copied().step_by(values.len().div_ceil(BORDERS * SAMPLE)).collect();
        some.sort_unstable_by(compare);
        let mut borders: Vec<T> = some.into_iter().step_by(SAMPLE).collect();
        borders.dedup_by(|a, b| compare(a, b).is_eq());
        let area = |value: &T| {
            let at = borders.partition_point(|border| compare(border, value).is_lt());
            2 * at + usize::from(borders.get(at).is_some_and(|border| compare(border, value).is_eq()))
        };
        let (count, piece) = (2 * borders.len() + 1, rows_of_piece(values.len(), Some(workers)));
        let of = workers.map(values.chunks(piece).collect(), |values: &[T]| {
            let (mut areas, mut counts) = (Vec::with_capacity(values.len()), vec![0usize; count]);
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
        let mut starts = vec![0; count + 1];
        for area in 0..count {
            starts[area + 1] = starts[area] + of.iter().map(|(_, counts)| counts[area]).sum::<usize>();
        }
        Ok(Areas { borders, of, starts, piece })
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The border that the values of an area are like, and how many they are.
    fn border(&self, area: usize) -> Option<(T, usize)> {
        (!area.is_multiple_of(2)).then(|| (self.borders[area / 2], self.starts[area + 1] - self.starts[area]))
    }

    /// Whether an area has values, and these are none that are like a border.
    fn is_between(&self, area: usize) -> bool {
        area.is_multiple_of(2) && self.starts[area] < self.starts[area + 1]
    }

    /// Which of some places, which go up, are in an area.
    fn places(&self, area: usize, places: &[usize]) -> Range<usize> {
        let before = |end: usize| places.partition_point(|&place| place < end);
        before(self.starts[area])..before(self.starts[area + 1])
    }

    /// The values of the areas that are wanted, by piece and area.
    fn collected(&self, values: &[T], wanted: &[bool], workers: Workers<'_>) -> Result<Vec<Vec<Vec<T>>>> {
        let pieces = values.chunks(self.piece).zip(&self.of).collect();
        workers.map(pieces, |(values, (areas, counts)): (&[T], &(Vec<u8>, Vec<usize>))| {
            let room = |(&count, &wanted): (&usize, &bool)| Vec::with_capacity(if wanted { count } else { 0 });
            let mut own: Vec<Vec<T>> = counts.iter().zip(wanted).map(room).collect();
            for (values, areas) in values.chunks(PIECE).zip(areas.chunks(PIECE)) {
                meter::spend(values.len() * 2)?;
                for (&value, &area) in values.iter().zip(areas) {
                    if wanted[area as usize] {
                        own[area as usize].push(value);
                    }
                }
            }
            Ok(own)
        })
    }
}
