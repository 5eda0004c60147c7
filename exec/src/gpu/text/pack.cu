// Short texts as words, and these as codes.

// Up to seven bytes, and above them how many they are.
FUNCTION u64 word_of(Text text, u32* flags) {
  u32 own = text.below - text.from;
  if (own > 7) {
    set_flags(flags, 1u);
    return 0;
  }
  u64 word = (u64)own << 56;
  for (u32 at = 0; at < own; at++) word |= (u64)byte_at(text, text.from + at) << (8 * at);
  return word;
}

// The words of a block's memory in which it keeps what it has put into slots.
const u32 SEEN = 128;

FUNCTION void put_word(u64* slots, u32 bits, u64 word, u64* seen, u32* flags) {
  u64* mine = seen + (word * 0x9e3779b97f4a7c15ull >> 57);
  if (*(volatile u64*)mine == word + 1 || *(volatile u32*)flags != 0) return;
  *(volatile u64*)mine = word + 1;
  u64 mask = (1ull << bits) - 1, at = first_slot(bits, word);
  for (u32 tries = 0; tries < 64; tries++, at = (at + 1) & mask) {
    u64 there = *(volatile u64*)&slots[at];
    if (there == 0) there = atomicCAS(&slots[at], 0ull, word + 1);
    if (there == 0 || there == word + 1) return;
  }
  set_flags(flags, 2u);
}

KERNEL pack(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, u64* slots, const u32 bits, u32* flags, u64* to) {
  SHARED(front)
  u64* seen = (u64*)(front + room / 4 + 4);
  for (u32 at = threadIdx.x; at < SEEN; at += blockDim.x) seen[at] = 0;
  EACH_TEXT(u64 word = word_of(text, flags); to[own] = word; put_word(slots, bits, word, seen, flags);)
}

KERNEL code(const u64* from, const u32 rows, const u64* slots, const u32 bits, const u16* codes, u16* to) {
  for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
    u32 slot = find_slot(slots, bits, from[row]);
    to[row] = codes[slot];
  }
}
