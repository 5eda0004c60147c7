//! Vectors that many workers write, each its piece, and nobody clears before: clearing a long one takes as long as what
//! all workers do then.

use crate::Result;
use crate::workers::schedule::Workers;
use std::mem::MaybeUninit;

/// A vector of consecutive pieces, of which each says how long it is and what it is made of. `write` writes a piece, and
/// gives it back written. Without workers everything happens here.
pub(crate) fn written<I: Send, T: Copy + Send>(
    pieces: Vec<(usize, I)>,
    workers: Option<Workers<'_>>,
    write: impl for<'a> Fn(I, &'a mut [MaybeUninit<T>]) -> &'a mut [T] + Sync,
) -> Result<Vec<T>> {
    let len = pieces.iter().map(|(len, _)| len).sum();
    let mut all = Vec::with_capacity(len);
    let (mut places, mut work) = (&mut all.spare_capacity_mut()[..len], Vec::with_capacity(pieces.len()));
    for (len, piece) in pieces {
        let (own, others) = places.split_at_mut(len);
        work.push((piece, own));
        places = others;
    }
    let write = |(piece, places): (I, &mut [MaybeUninit<T>])| {
        let expected = (places.as_ptr().cast(), places.len());
        let done = write(piece, places);
        assert_eq!((done.as_ptr(), done.len()), expected, "what is given back is what was to be written");
        Ok(())
    };
    match workers {
        Some(workers) => workers.map(work, write).map(drop)?,
        None => work.into_iter().try_for_each(write)?,
    }
    // SAFETY: `write` has given back the places of all pieces, which are `len` places, as values.
    unsafe { all.set_len(len) };
    Ok(all)
}

/// Writes these values and then zeros.
pub(crate) fn padded<'a, T: Copy + Default>(values: &[T], places: &'a mut [MaybeUninit<T>]) -> &'a mut [T] {
    let (first, others) = places.split_at_mut(values.len());
    first.write_copy_of_slice(values);
    others.fill(MaybeUninit::new(T::default()));
    // SAFETY: the first of them were copied, the others filled.
    unsafe { places.assume_init_mut() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;

    #[test]
    fn pieces_follow_one_another() {
        let (pool, context) = (Pool::new(3).unwrap(), Context::new(Memory::new(usize::MAX)));
        for workers in [None, Some(Workers { pool: Some(&pool), context: &context })] {
            let pieces = |lens: &[usize]| lens.iter().map(|&len| (len, len as u32)).collect::<Vec<_>>();
            assert_eq!(written(pieces(&[1, 4, 2]), workers, half).unwrap(), [1, 4, 4, 4, 0, 2, 2]);
            assert!(written(Vec::new(), workers, half).unwrap().is_empty());
        }
    }

    fn half(len: u32, places: &mut [MaybeUninit<u32>]) -> &mut [u32] {
        padded(&vec![len; len as usize / 2 + 1], places)
    }

    #[test]
    #[should_panic(expected = "what is given back")]
    fn a_part_of_a_piece_is_not_all_of_it() {
        let _ = written(vec![(3, ())], None, |(), places: &mut [MaybeUninit<u8>]| padded(&[1], &mut places[..2]));
    }
}
