//! A merge sort by all workers, for what is compared and has no keys to sort by. It is stable: its result depends on the
//! items alone.
//!
//! 1. Pieces of the items are sorted, each by one worker.
//! 2. Splitters from all pieces cut each into parts, so that all of a part comes before all of the next.
//! 3. Each part is put together from what all pieces have of it, and merged: the standard library's stable sort finds runs
//!    that are in order, and merges these.

use crate::Result;
use crate::workers::schedule::Workers;
use std::cmp::Ordering;

/// Items of a piece, at least: fewer are sorted where they are.
const PIECE_MIN: usize = 1 << 13;

/// Pieces and parts for each worker: one takes longer than another.
const PIECES_A_WORKER: usize = 4;

/// Candidates for splitters, for each part.
const SAMPLES: usize = 16;

/// Puts items in an order. An error (57014) if the statement is cancelled; then they are in any.
pub fn sort_by<T: Copy + Send + Sync>(
    items: &mut [T],
    workers: Workers<'_>,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) -> Result<()> {
    let pieces = (workers.count() * PIECES_A_WORKER).min(items.len() / PIECE_MIN);
    if workers.is_one() || pieces < 2 {
        items.sort_by(compare);
        return Ok(());
    }
    let length = items.len().div_ceil(pieces);
    workers.map(items.chunks_mut(length).collect(), |piece| {
        piece.sort_by(&compare);
        Ok(())
    })?;
    let sorted: Vec<T> = items.to_vec();
    let pieces: Vec<&[T]> = sorted.chunks(length).collect();
    let splitters = splitters(&pieces, &compare);
    // Of equal items all are in one part, or equal pieces of them would change places.
    let bounds = |piece: &&[T]| -> Vec<usize> {
        let cuts = splitters.iter().map(|cut| piece.partition_point(|item| compare(item, cut) == Ordering::Less));
        std::iter::once(0).chain(cuts).chain([piece.len()]).collect()
    };
    let bounds: Vec<Vec<usize>> = pieces.iter().map(bounds).collect();
    let mut parts: Vec<(usize, &mut [T])> = Vec::with_capacity(splitters.len() + 1);
    let mut rest = items;
    for part in 0..=splitters.len() {
        let length = bounds.iter().map(|bounds| bounds[part + 1] - bounds[part]).sum();
        let (own, others) = rest.split_at_mut(length);
        parts.push((part, own));
        rest = others;
    }
    workers.map(parts, |(part, own)| {
        let mut left = &mut *own;
        for (piece, bounds) in pieces.iter().zip(&bounds) {
            let run = &piece[bounds[part]..bounds[part + 1]];
            let (place, others) = left.split_at_mut(run.len());
            place.copy_from_slice(run);
            left = others;
        }
        own.sort_by(&compare);
        Ok(())
    })?;
    Ok(())
}

/// Items that cut sorted pieces into as many parts of about equal length.
fn splitters<T: Copy>(pieces: &[&[T]], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let samples = |piece: &&[T]| -> Vec<T> {
        let count = SAMPLES.min(piece.len());
        (0..count).map(|sample| piece[piece.len() * sample / count]).collect()
    };
    let mut all: Vec<T> = pieces.iter().flat_map(samples).collect();
    all.sort_by(compare);
    (1..pieces.len()).map(|part| all[all.len() * part / pieces.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use std::sync::Arc;

    fn check(numbers: impl Iterator<Item = u64>, contexts: &[Context]) {
        let items: Vec<(u64, u32)> = numbers.zip(0..).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(number, _)| *number);
        for context in contexts {
            let mut sorted = items.clone();
            sort_by(&mut sorted, context.workers(), |a, b| a.0.cmp(&b.0)).unwrap();
            assert!(sorted == expected, "{} items, {} workers", items.len(), context.workers().count());
        }
    }

    #[test]
    fn it_is_the_stable_order_for_every_number_of_workers() {
        let context = |threads| {
            Context::new(Memory::new(usize::MAX)).with_pool(&Arc::new(Pool::new(threads).expect("threads start")))
        };
        let contexts = [1, 2, 5].map(context);
        let far = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for count in [0, 1, PIECE_MIN - 1, 2 * PIECE_MIN - 1, 2 * PIECE_MIN, 2 * PIECE_MIN + 1, 300_000] {
            let numbers = 0..count as u64;
            check(numbers.clone(), &contexts);
            check(numbers.clone().rev(), &contexts);
            check(numbers.clone().map(far), &contexts);
            check(numbers.clone().map(|number| far(number) % 3), &contexts);
            check(numbers.clone().map(|_| 7), &contexts);
            // Nearly all alike; in order but for the ends.
            check(numbers.clone().map(|number| u64::from(number % 9_973 == 0)), &contexts);
            check(numbers.map(|number| if number < 10 { u64::MAX - number } else { number }), &contexts);
        }
    }

    #[test]
    fn who_cancels_it_need_not_wait() {
        let pool = Arc::new(Pool::new(2).expect("threads start"));
        let context = Context::new(Memory::new(usize::MAX)).with_pool(&pool);
        context.cancellation.cancel();
        let mut items: Vec<u32> = (0..100_000).rev().collect();
        assert_eq!(sort_by(&mut items, context.workers(), u32::cmp).unwrap_err().kind(), ErrorKind::Cancelled);
    }
}
