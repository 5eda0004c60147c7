//! Hashes of keys: the same in every process, since parts of groups go by them.

/// Mixes an integer so that all bits depend on all bits (the finaliser of MurmurHash3).
#[inline(always)]
pub(crate) fn hash64(key: u64) -> u64 {
    let mut hash = key;
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Mixes an integer of 32 bits: the upper half of the hash is another for every integer (the finaliser of MurmurHash3 for
/// 32 bits), the lower half the upper one of a product of that.
#[inline(always)]
pub(crate) fn hash32(key: u32) -> u64 {
    let mut hash = key;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    u64::from(hash) << 32 | u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Mixes an integer of 128 bits.
#[inline(always)]
pub(crate) fn hash128(key: u128) -> u64 {
    hash64((key as u64) ^ hash64((key >> 64) as u64))
}

/// The part of `parts`, a power of two, of a hash: its lowest bits, since slots of a table go by the highest.
#[inline(always)]
pub(crate) fn part_of_hash(hash: u64, parts: usize) -> usize {
    hash as usize & (parts - 1)
}
