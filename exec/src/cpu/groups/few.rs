//! Few: a key's code is its group.

use crate::cpu::groups::masks::Present;
use crate::cpu::keys::codes::Codes;
use crate::cpu::vector::bitmap::Bitmap;

/// As `Grouper::assign`, where a key's code is its group: notes in `seen` which there are.
pub(crate) fn assign_few(
    codes: &Codes,
    mask: Option<&Bitmap>,
    seen: &mut [bool],
    (groups, present): (&mut Vec<u32>, &mut Present),
) {
    groups.clear();
    groups.extend(codes.bits64.iter().map(|&code| code as u32));
    if let Some(mask) = mask {
        put_aside(mask, groups, seen.len());
    }
    if present.find(groups, mask) {
        present.iter().for_each(|(group, _)| seen[group] = true);
    } else {
        // Nobody asks whether the group behind the last is there.
        let mark = |&group: &u32| seen.get_mut(group as usize).into_iter().for_each(|seen| *seen = true);
        groups.iter().for_each(mark);
    }
}

/// Notes in `seen` which groups there are, and puts tuples that a mask does not have into one behind the last.
pub(crate) fn mark_dense(groups: &mut [u32], mask: Option<&Bitmap>, seen: &mut [bool]) {
    if let Some(mask) = mask {
        put_aside(mask, groups, seen.len());
    }
    groups.iter().for_each(|&group| {
        if let Some(seen) = seen.get_mut(group as usize) {
            *seen = true;
        }
    });
}

/// Gives tuples that a mask does not have the group `aside`.
pub(crate) fn put_aside(mask: &Bitmap, groups: &mut [u32], aside: usize) {
    for (block, &word) in groups.chunks_mut(64).zip(mask.words()) {
        let mut dropped = !word;
        if block.len() < 64 {
            dropped &= (1 << block.len()) - 1;
        }
        while dropped != 0 {
            block[dropped.trailing_zeros() as usize] = aside as u32;
            dropped &= dropped - 1;
        }
    }
}
