// Bits of the codes that a hash table has: by code, or, if `bits` says so, by that many bits of their hashes.
KERNEL fill_filter(const u64* slots, const u64 count, const u32 bits, u32* filter) {
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += (u64)gridDim.x * blockDim.x) {
    u64 code = slots[at];
    if (code != 0) set_bit(filter, bits == 0 ? code - 1 : first_slot(bits, code - 1));
  }
}
