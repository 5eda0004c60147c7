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

#[cfg(test)]
mod tests {
    use super::super::byte_keys::hash_bytes;
    use super::*;

    #[test]
    fn keys_have_the_same_hash_in_every_process() {
        assert_eq!([hash64(0), hash64(1), hash64(12_345_678_901)], [0, 0xb456_bcfc_34c2_cb2c, 0x691c_3590_dd39_6bb5]);
        assert_eq!([hash32(1), hash32(u32::MAX)], [0x514e_28b7_8c78_5972, 0x81f1_6f39_58e6_e624]);
        assert_eq!(hash128(1 << 64 | 5), 0x595a_beca_9968_8c62);
        assert_eq!(hash_bytes(b"abc"), 0x7f4c_153a_d375_884b);
        assert_eq!(hash_bytes(b"a longer key of many bytes"), 0x132b_58df_a3d5_b9c4);
        assert_eq!(part_of_hash(hash64(1), 64), 0x2c);
    }
}
