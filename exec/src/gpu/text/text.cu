// A value of each row's text. `offset_t` is what an offset is. A block takes some rows at once, whose bytes lie side by side: all threads
// bring them into the block's memory, and then each has rows of its own there. What is too long for it is read where it lies.

struct alignas(16) Quad { u32 parts[4]; };

// Some bytes, by words of 32 bits; a word more may be read behind them.
struct Text { const u32* words; u32 from, below; };

const u32 NOWHERE = 0xffffffffu;

#ifdef __CUDACC__
FUNCTION u32 lowest(u32 bits) { return (u32)__ffs((int)bits) - 1; }
#else
FUNCTION u32 lowest(u32 bits) { return (u32)__builtin_ctz(bits); }
#endif

FUNCTION u32 byte_at(Text text, u32 at) { return ((const u8*)text.words)[at]; }

// Whether a byte goes on with the character of the byte before it.
FUNCTION bool goes_on(u32 byte) { return (byte & 0xc0u) == 0x80u; }

FUNCTION bool stage(u32* words, const u8* bytes, u64 from, u64 below, u32 room) {
  u64 first = from & ~15ull, size = below - first;
  if (size > room) return false;
  const Quad* quads = (const Quad*)(bytes + first);
  u32 count = (u32)((size + 15) >> 4);
  for (u32 at = threadIdx.x; at < count; at += blockDim.x) ((Quad*)words)[at] = quads[at];
  return true;
}

FUNCTION Text text_in(const u32* words, u64 first, u64 from, u64 below) {
  Text text = { words, (u32)(from - first), (u32)(below - first) };
  return text;
}

FUNCTION u32 behind(Text text, u32 at) {
  for (at++; at < text.below && goes_on(byte_at(text, at)); at++) {}
  return at;
}

// Some characters behind some others.
FUNCTION Text part_of(Text text, u32 skip, u32 take) {
  for (; skip > 0 && text.from < text.below; skip--) text.from = behind(text, text.from);
  if (take == NOWHERE) return text;
  u32 end = text.from;
  for (; take > 0 && end < text.below; take--) end = behind(text, end);
  text.below = end;
  return text;
}

// Items of patterns are bytes, or 256 for any character. Where those end that stand at a place; NOWHERE if they do not stand there.
FUNCTION u32 match(Text text, u32 at, const u16* items, u32 count) {
  for (u32 item = 0; item < count; item++) {
    if (at >= text.below) return NOWHERE;
    if (items[item] > 255) {
      at = behind(text, at);
    } else {
      if (byte_at(text, at) != items[item]) return NOWHERE;
      at++;
    }
  }
  return at;
}

// Whether a text ends with items, which begin at a place or behind it.
FUNCTION bool ends_with(Text text, u32 at, const u16* items, u32 count) {
  u32 end = text.below;
  for (u32 item = count; item > 0; item--) {
    if (end <= at) return false;
    end--;
    if (items[item - 1] > 255) {
      while (end > at && goes_on(byte_at(text, end))) end--;
    } else if (byte_at(text, end) != items[item - 1]) {
      return false;
    }
  }
  return true;
}

// The end of items where they stand first, at a place or behind it. Up to four bytes that they begin with are looked for at four places
// at once: of differences between what is there and what is wanted a byte is zero where there are none.
FUNCTION u32 find(Text text, u32 at, const u16* items, u32 count, u32 key, u32 mask) {
  if (mask == 0) {
    for (;; at = behind(text, at)) {
      u32 end = match(text, at, items, count);
      if (end != NOWHERE || at >= text.below) return end;
    }
  }
  u32 k0 = (key & 255u) * 0x01010101u, k1 = (key >> 8 & 255u) * 0x01010101u;
  u32 k2 = (key >> 16 & 255u) * 0x01010101u, k3 = (key >> 24) * 0x01010101u;
  u32 m1 = (mask >> 8 & 255u) * 0x01010101u, m2 = (mask >> 16 & 255u) * 0x01010101u, m3 = (mask >> 24) * 0x01010101u;
  u32 place = at & ~3u;
  if (place >= text.below) return NOWHERE;
  u32 low = text.words[place >> 2];
  for (; place < text.below; place += 4) {
    u32 high = text.words[(place >> 2) + 1];
    u32 differs = low ^ k0;
    differs |= ((low >> 8 | high << 24) ^ k1) & m1;
    differs |= ((low >> 16 | high << 16) ^ k2) & m2;
    differs |= ((low >> 24 | high << 8) ^ k3) & m3;
    // The lowest bit is right, those above it may be of what differs.
    for (u32 found = (differs - 0x01010101u) & ~differs & 0x80808080u; found != 0; found &= found - 1) {
      u32 start = place + (lowest(found) >> 3);
      if (start < at) continue;
      u32 end = match(text, start, items, count);
      if (end != NOWHERE) return end;
    }
    low = high;
  }
  return NOWHERE;
}

// Segments of a pattern, between which anything may stand: first item, items, bytes that they begin with, and which of these there are.
FUNCTION bool likes(Text text, const u16* items, const u32* segments, u32 count) {
  u32 at = match(text, text.from, items, segments[1]);
  if (at == NOWHERE) return false;
  if (count == 1) return at == text.below;
  for (u32 segment = 1; segment + 1 < count; segment++) {
    const u32* of = segments + segment * 4;
    at = find(text, at, items + of[0], of[1], of[2], of[3]);
    if (at == NOWHERE) return false;
  }
  const u32* last = segments + (count - 1) * 4;
  return ends_with(text, at, items + last[0], last[1]);
}

// Below zero, zero, above.
FUNCTION i32 order_of(Text text, const u8* other, u32 length) {
  u32 own = text.below - text.from, both = own < length ? own : length;
  for (u32 at = 0; at < both; at++) {
    u32 mine = byte_at(text, text.from + at), theirs = other[at];
    if (mine != theirs) return mine < theirs ? -1 : 1;
  }
  return own < length ? -1 : own > length ? 1 : 0;
}

// Among texts in order: one more than twice the number of that which it is, or twice the number of those that stand before it.
FUNCTION u32 place_of(Text text, const u8* others, const u32* starts, u32 count) {
  u32 low = 0, high = count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    i32 order = order_of(text, others + starts[middle], starts[middle + 1] - starts[middle]);
    if (order == 0) return 2 * middle + 1;
    if (order < 0) high = middle; else low = middle + 1;
  }
  return 2 * low;
}

FUNCTION i32 length_of(Text text, u32 of_bytes) {
  if (of_bytes) return (i32)(text.below - text.from);
  i32 count = 0;
  for (u32 at = text.from; at < text.below; at++) count += goes_on(byte_at(text, at)) ? 0 : 1;
  return count;
}

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

// For each row, as `own`, does something with its `text`.
#define EACH_TEXT(body) \
  SHARED(words) \
  for (u64 first = (u64)blockIdx.x * batch; first < rows; first += (u64)gridDim.x * batch) { \
    u32 count = rows - first < batch ? (u32)(rows - first) : batch; \
    u64 begin = offsets[first]; \
    bool staged = stage(words, bytes, begin, offsets[first + count], room); \
    __syncthreads(); \
    for (u32 at = threadIdx.x; at < count; at += blockDim.x) { \
      u64 own = first + at, from = offsets[own], below = offsets[own + 1], far = from & ~15ull; \
      if (staged) { \
        Text text = part_of(text_in(words, begin & ~15ull, from, below), skip, take); \
        body \
      } else { \
        Text text = part_of(text_in((const u32*)(bytes + far), far, from, below), skip, take); \
        body \
      } \
    } \
    __syncthreads(); \
  }

KERNEL like(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u16* items, const u32* segments, const u32 several, u8* to) {
  EACH_TEXT(to[own] = likes(text, items, segments, several) ? 1 : 0;)
}

KERNEL place(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u8* others, const u32* starts, const u32 several, const u8* truths, u8* to) {
  EACH_TEXT(to[own] = truths[place_of(text, others, starts, several)];)
}

KERNEL measure(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u32 of_bytes, i32* to) {
  EACH_TEXT(to[own] = length_of(text, of_bytes);)
}

KERNEL pack(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, u64* slots, const u32 bits, u32* flags, u64* to) {
  SHARED(all)
  u64* seen = (u64*)(all + room / 4 + 4);
  for (u32 at = threadIdx.x; at < SEEN; at += blockDim.x) seen[at] = 0;
  EACH_TEXT(u64 word = word_of(text, flags); to[own] = word; put_word(slots, bits, word, seen, flags);)
}

KERNEL code(const u64* from, const u32 rows, const u64* slots, const u32 bits, const u16* codes, u16* to) {
  for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
    u32 slot = find_slot(slots, bits, from[row]);
    to[row] = codes[slot];
  }
}
