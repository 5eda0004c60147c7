//! Keys of rows that are partitioned into the parts of a merge, and wait there to be grouped (see `buffers`).

use super::blocks::Blocks;
use crate::cpu::groups::first_rows::firsts;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::groups::hashed::Hashed;
use crate::cpu::groups::ranked::Known;
use crate::cpu::groups::splitters::{MERGE_PARTS, SharedSplitters};
use crate::cpu::keys::codes::Codes;
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::table::IntegerKey;
use crate::cpu::vector::builder::scatter;
use crate::partial::byte_keys::hash_bytes;
use crate::partial::hash::part_of_hash;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use std::ops::Range;

/// The keys of rows, as codes, each at the place that [`Blocks`] gave its row.
#[derive(Debug)]
pub(crate) enum BufferKeys {
    /// Of an array over all codes, whose groups are in the order of these.
    Direct(Vec<u32>),
    /// Of a hash table, whose groups are in the order of their first rows: codes of 128 bits, or of 64.
    Hash {
        bits64: Vec<u64>,
        bits128: Vec<u128>,
        /// Of bytes: where they lie.
        bytes: PartBytes,
        /// For each row its number in its tile.
        tuples: Vec<u32>,
        /// For each tile how many rows each part had before, and the place of the tile's first tuple; see `Firsts`.
        tiles: Vec<([u32; MERGE_PARTS], u64)>,
    },
}

/// Keys of rows that are bytes, those of each part one behind the other: what a part's table compares is close by when its rows
/// are grouped.
#[derive(Debug, Default)]
pub(crate) struct PartBytes {
    /// Of each part.
    bytes: Vec<Vec<u8>>,
    /// For each row the part's bytes behind its key.
    ends: Vec<usize>,
}

impl PartBytes {
    /// None yet; so many rows are to come, whose keys have so many bytes each.
    fn with_room(rows: usize, each: usize) -> Self {
        // Parts are not of one size.
        let room = rows / MERGE_PARTS * each * 9 / 8;
        let part = |_| Vec::with_capacity(room);
        PartBytes { bytes: (0..MERGE_PARTS).map(part).collect(), ends: Vec::with_capacity(rows) }
    }

    /// Puts keys at places below `len`, each among those of its part.
    fn put<'k>(&mut self, key: impl Fn(usize) -> &'k [u8], parts: &[u8], places: &[u32], len: usize) {
        self.ends.resize(len, 0);
        for (tuple, (&part, &place)) in parts.iter().zip(places).enumerate() {
            let bytes = &mut self.bytes[usize::from(part) % MERGE_PARTS];
            bytes.extend_from_slice(key(tuple));
            self.ends[place as usize] = bytes.len();
        }
    }

    fn held(&self) -> usize {
        self.bytes.iter().map(Vec::len).sum()
    }
}

/// The groups of a part's rows, and memory for those of a block and for their keys.
#[derive(Debug, Default)]
pub(crate) struct PartGroups {
    all: Vec<u32>,
    block: Vec<u32>,
    codes: Codes,
    /// Bytes of the part's keys so far.
    bytes_start: usize,
}

impl PartGroups {
    /// For each row so far its group.
    pub(crate) fn all(&self) -> &[u32] {
        &self.all
    }
}

/// The keys of a tile's tuples, as codes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TileKeys<'a> {
    Direct(&'a [u32]),
    Hash {
        codes: &'a Codes,
        width: KeyWidth,
        /// Of the first tuple.
        place: u64,
    },
}

impl TileKeys<'_> {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        match self {
            TileKeys::Direct(codes) => codes.len(),
            TileKeys::Hash { codes, .. } => codes.len,
        }
    }

    /// Bytes of all keys that are bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            TileKeys::Hash { width: KeyWidth::Bytes | KeyWidth::Text, codes, .. } => {
                (0..codes.len).map(|tuple| codes.key(tuple).len()).sum()
            }
            _ => 0,
        }
    }

    /// Bytes that a row's key takes while it waits, beside those.
    pub(crate) fn width(&self) -> usize {
        match self {
            TileKeys::Direct(_) => size_of::<u32>(),
            TileKeys::Hash { width: KeyWidth::Bits128, .. } => size_of::<u128>() + size_of::<u32>(),
            TileKeys::Hash { width: KeyWidth::Bytes | KeyWidth::Text, .. } => size_of::<usize>() + size_of::<u32>(),
            TileKeys::Hash { .. } => size_of::<u64>() + size_of::<u32>(),
        }
    }
}

impl BufferKeys {
    /// None yet; so many places are to come, whose keys that are bytes have `each` about.
    pub(crate) fn with_room(keys: &TileKeys<'_>, room: usize, each: usize) -> Self {
        match keys {
            TileKeys::Direct(_) => BufferKeys::Direct(Vec::with_capacity(room)),
            TileKeys::Hash { width, .. } => {
                let room_for = |own: bool| if own { room } else { 0 };
                let is_wide = *width == KeyWidth::Bits128;
                let is_bytes = matches!(width, KeyWidth::Bytes | KeyWidth::Text);
                BufferKeys::Hash {
                    bits64: Vec::with_capacity(room_for(!is_wide && !is_bytes)),
                    bits128: Vec::with_capacity(room_for(is_wide)),
                    bytes: PartBytes::with_room(room_for(is_bytes), each),
                    tuples: Vec::with_capacity(room),
                    tiles: Vec::new(),
                }
            }
        }
    }

    /// Forgets the keys, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        match self {
            BufferKeys::Direct(codes) => codes.clear(),
            BufferKeys::Hash { bits64, bits128, bytes, tuples, tiles } => {
                bits64.clear();
                bits128.clear();
                bytes.bytes.iter_mut().for_each(Vec::clear);
                bytes.ends.clear();
                tuples.clear();
                tiles.clear();
            }
        }
    }

    /// Puts the keys of a tile at the places of its tuples, all below `len`. `parts` are those of the tuples, of hashed keys;
    /// `before` are the rows of each part before.
    pub(crate) fn put(
        &mut self,
        keys: TileKeys<'_>,
        (parts, places): (&[u8], &[u32]),
        len: usize,
        before: [u32; MERGE_PARTS],
    ) {
        match (self, keys) {
            (BufferKeys::Direct(buffered), TileKeys::Direct(codes)) => put_at(buffered, codes, places, len),
            (BufferKeys::Hash { bits64, bits128, bytes, tuples, tiles }, TileKeys::Hash { codes, width, place }) => {
                tiles.push((before, place));
                match width {
                    KeyWidth::Bits128 => put_at(bits128, &codes.bits128, places, len),
                    KeyWidth::Bytes | KeyWidth::Text => bytes.put(|tuple| codes.key(tuple), parts, places, len),
                    KeyWidth::Bits32 | KeyWidth::Bits64 => put_at(bits64, &codes.bits64, places, len),
                }
                tuples.resize(len, 0);
                places.iter().enumerate().for_each(|(tuple, &place)| tuples[place as usize] = tuple as u32);
            }
            _ => unreachable!("a reduction numbers its groups in one way"),
        }
    }

    /// Bytes held of keys that are bytes.
    pub(crate) fn key_bytes(&self) -> usize {
        if let BufferKeys::Hash { bytes, .. } = self { bytes.held() } else { 0 }
    }

    /// Adds the keys at some places.
    pub(crate) fn tell(&self, rows: Range<usize>, known: &mut Known) {
        if let BufferKeys::Direct(codes) = self {
            known.add(codes[rows].iter().copied());
        }
    }
}

/// Puts values at places below `len`.
fn put_at<T: Copy + Default>(buffered: &mut Vec<T>, values: &[T], places: &[u32], len: usize) {
    buffered.resize(len, T::default());
    scatter(buffered, values, places);
}

/// The layout of keys by whose codes rows can be partitioned, and that can be told from these; none of other keys.
pub(crate) fn partitioned_layout(grouper: &Grouper) -> Option<&KeyLayout> {
    match grouper {
        Grouper::Direct(direct) => Some(&direct.layout),
        Grouper::Hash(hashed) if hashed.layout.codes_tell_keys() => Some(&hashed.layout),
        _ => None,
    }
}

impl<'a> TileKeys<'a> {
    /// The keys of a tile's tuples with these codes, which go by and are not assigned. `short` is memory.
    pub(crate) fn pass(grouper: &mut Grouper, codes: &'a Codes, short: &'a mut Vec<u32>) -> Self {
        if let Grouper::Hash(hashed) = grouper {
            let place = hashed.firsts.place();
            hashed.firsts.offered += codes.len as u64;
            return TileKeys::Hash { codes, width: hashed.layout.width, place };
        }
        short.clear();
        short.extend(codes.bits64.iter().map(|&code| code as u32));
        TileKeys::Direct(short)
    }

    /// Gives each of a tile's keys a place among those of its part of a merge, as groups of these keys have theirs. `parts` is
    /// memory.
    pub(crate) fn places(
        self,
        (layout, splitters): (&KeyLayout, &SharedSplitters),
        blocks: &mut Blocks,
        parts: &mut Vec<u8>,
        places: &mut Vec<u32>,
    ) {
        parts.clear();
        match self {
            TileKeys::Direct(codes) => {
                let splitters = splitters.of(layout.codes().unwrap_or_default() as usize, || codes.to_vec());
                return blocks.places(codes.iter().map(|&code| splitters.part(code.into())), places);
            }
            TileKeys::Hash { codes, width, .. } => match width {
                KeyWidth::Bits32 => parts_of_hashes(codes.bits64.iter().map(|&code| code as u32), parts),
                KeyWidth::Bits128 => parts_of_hashes(codes.bits128.iter().copied(), parts),
                KeyWidth::Bytes | KeyWidth::Text => {
                    let part = |tuple| part_of_hash(hash_bytes(codes.key(tuple)), MERGE_PARTS) as u8;
                    parts.extend((0..codes.len).map(part));
                }
                KeyWidth::Bits64 => parts_of_hashes(codes.bits64.iter().copied(), parts),
            },
        }
        blocks.places(parts.iter().copied(), places);
    }
}

impl BufferKeys {
    /// Appends the groups of a part's rows at some places, which come behind those that have theirs. With `mixed` they may be
    /// earlier than those of groups that are there.
    pub(crate) fn assign(
        &self,
        grouper: &mut Grouper,
        part: usize,
        rows: Range<usize>,
        mixed: bool,
        groups: &mut PartGroups,
    ) {
        let PartGroups { all, block, codes: memory, bytes_start } = groups;
        match (grouper, self) {
            (Grouper::Known(known), BufferKeys::Direct(codes)) => return known.append_groups(&codes[rows], all),
            (Grouper::Direct(direct), BufferKeys::Direct(codes)) => direct.groups(&codes[rows], block),
            (Grouper::Hash(hashed), BufferKeys::Hash { bits64, bits128, bytes, tuples, tiles }) => {
                let Hashed { layout, table, firsts: places, own_index, .. } = hashed;
                let before = table.len();
                if matches!(layout.width, KeyWidth::Bytes | KeyWidth::Text) {
                    let ends = &bytes.ends[rows.clone()];
                    table.insert_bytes(&bytes.bytes[part], *bytes_start, ends, block);
                    *bytes_start = ends.last().copied().unwrap_or(*bytes_start);
                } else {
                    memory.set_packed(layout.width, bits64, bits128, rows.clone());
                    table.insert(memory, block);
                }
                let first = all.len();
                let mut tile = tiles.partition_point(|(rows, _)| rows[part] as usize <= first) - 1;
                let tuples = &tuples[rows];
                let place = |at: u32| {
                    while tiles.get(tile + 1).is_some_and(|(rows, _)| rows[part] as usize <= first + at as usize) {
                        tile += 1;
                    }
                    tiles[tile].1.saturating_add(tuples[at as usize].into())
                };
                if *own_index {
                    // Nobody sees their order.
                } else if mixed {
                    places.earliest(block, place);
                } else {
                    places.places.extend(firsts(block, before, table.len()).into_iter().map(place));
                }
            }
            _ => unreachable!("these are not partitioned"),
        }
        all.extend_from_slice(block);
    }
}

/// The part that each key's hash says.
fn parts_of_hashes<K: IntegerKey>(keys: impl Iterator<Item = K>, parts: &mut Vec<u8>) {
    vectorised(|| parts.extend(keys.map(|key| part_of_hash(IntegerKey::hash(key), MERGE_PARTS) as u8)));
}
