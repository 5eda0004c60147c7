// Which texts are like a pattern.

#ifdef __CUDACC__
FUNCTION u32 lowest(u32 bits) { return (u32)__ffs((int)bits) - 1; }
#else
FUNCTION u32 lowest(u32 bits) { return (u32)__builtin_ctz(bits); }
#endif

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

KERNEL like(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u16* items, const u32* segments, const u32 several, u8* to) {
  EACH_TEXT(to[own] = likes(text, items, segments, several) ? 1 : 0;)
}
