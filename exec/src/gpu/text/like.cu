// Which texts are like a pattern.

#ifdef __CUDACC__
FUNCTION u32 lowest(u32 bits) { return (u32)__ffs((int)bits) - 1; }
FUNCTION u32 shifted(u32 low, u32 high, u32 by) { return __funnelshift_r(low, high, by); }
#else
FUNCTION u32 lowest(u32 bits) { return (u32)__builtin_ctz(bits); }
FUNCTION u32 shifted(u32 low, u32 high, u32 by) { return (u32)(((u64)high << 32 | low) >> by); }
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

// Where items begin with which a text ends, at a place or behind it; NOWHERE if it does not end with them.
FUNCTION u32 ending(Text text, u32 at, const u16* items, u32 count) {
  u32 end = text.below;
  for (u32 item = count; item > 0; item--) {
    if (end <= at) return NOWHERE;
    end--;
    if (items[item - 1] > 255) {
      while (end > at && goes_on(byte_at(text, end))) end--;
    } else if (byte_at(text, end) != items[item - 1]) {
      return NOWHERE;
    }
  }
  return end;
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
  const u32* last = segments + (count - 1) * 4;
  text.below = ending(text, at, items + last[0], last[1]);
  if (text.below == NOWHERE) return false;
  for (u32 segment = 1; segment + 1 < count; segment++) {
    const u32* of = segments + segment * 4;
    at = find(text, at, items + of[0], of[1], of[2], of[3]);
    if (at == NOWHERE) return false;
  }
  return true;
}

// Up to three bytes, four times each, and how far behind the first the others stand, in bits.
struct Window { u32 first, second, third, to_second, to_third; };

FUNCTION Window window_of(u32 key, u32 shifts) {
  Window window = { (key & 255u) * 0x01010101u, (key >> 8 & 255u) * 0x01010101u, (key >> 16 & 255u) * 0x01010101u, shifts & 255u, shifts >> 8 };
  return window;
}

// A bit at each of four bytes where the window's stand, and maybe above the first of these.
FUNCTION u32 seen_at(Window window, u32 low, u32 high) {
  u32 differs = low ^ window.first;
  differs |= shifted(low, high, window.to_second) ^ window.second;
  differs |= shifted(low, high, window.to_third) ^ window.third;
  return (differs - 0x01010101u) & ~differs & 0x80808080u;
}

// Places at which the window's bytes may stand: what is behind `most` is counted alone.
struct Places { u32* list; u32* count; u32 most; };

FUNCTION void put_places(Places places, u32 found, u32 place) {
  for (; found != 0; found &= found - 1) {
    u32 at = atomicAdd(places.count, 1u);
    if (at < places.most) places.list[at] = place + (lowest(found) >> 3);
  }
}

FUNCTION void look_at(Window window, Quad quad, u32 next, u32 place, Places places) {
  u32 first = seen_at(window, quad.parts[0], quad.parts[1]), second = seen_at(window, quad.parts[1], quad.parts[2]);
  u32 third = seen_at(window, quad.parts[2], quad.parts[3]), fourth = seen_at(window, quad.parts[3], next);
  if ((first | second | third | fourth) == 0) return;
  put_places(places, first, place);
  put_places(places, second, place + 4);
  put_places(places, third, place + 8);
  put_places(places, fourth, place + 12);
}

// All threads look for the window in some bytes; where it is almost everywhere they soon stop.
FUNCTION void look(Window window, const u8* bytes, u32 below, Places places) {
  const Quad* quads = (const Quad*)bytes;
  const u32* words = (const u32*)bytes;
  u32 count = (below + 15) >> 4;
  for (u32 quad = threadIdx.x; quad < count; quad += 2 * blockDim.x) {
    u32 other = quad + blockDim.x < count ? quad + blockDim.x : quad;
    Quad here = quads[quad], there = quads[other];
    u32 behind_here = words[quad * 4 + 4], behind_there = words[other * 4 + 4];
    look_at(window, here, behind_here, quad * 16, places);
    if (other != quad) look_at(window, there, behind_there, other * 16, places);
    if (*(volatile u32*)places.count > places.most) return;
  }
}

// The row that has a place: the last one that begins there or before.
FUNCTION u32 row_at(const u32* starts, u32 rows, u32 place) {
  u32 low = 0, high = rows;
  while (high - low > 1) {
    u32 middle = (low + high) / 2;
    if (starts[middle] <= place) low = middle; else high = middle;
  }
  return low;
}

// A block takes some rows at once, whose bytes lie side by side, looks for the window in all of these, and then asks those rows alone
// that may have it: all, if there is no window, or if it is almost everywhere.
KERNEL like(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 skip, const u32 take, const u16* items, const u32* segments, const u32 several, const u32 looks, const u32 key, const u32 shifts, u8* to) {
  SHARED(starts)
  u32* truths = starts + batch + 1;
  Places places = { truths + batch, truths + 2 * batch, batch };
  Window window = window_of(key, shifts);
  for (u64 first = (u64)blockIdx.x * batch; first < rows; first += (u64)gridDim.x * batch) {
    u32 own = rows - first < batch ? (u32)(rows - first) : batch;
    u64 base = offsets[first] & ~15ull, size = offsets[first + own] - base;
    bool is_sought = looks && size < 0x7fffffffull;
    for (u32 at = threadIdx.x; at < own; at += blockDim.x) {
      starts[at] = (u32)(offsets[first + at] - base);
      truths[at] = 0;
    }
    if (threadIdx.x == 0) *places.count = is_sought ? 0u : batch + 1;
    __syncthreads();
    if (is_sought) look(window, bytes + base, (u32)size, places);
    __syncthreads();
    u32 count = *places.count;
    bool is_each = count > batch;
    if (is_each) count = own;
    for (u32 at = threadIdx.x; at < count; at += blockDim.x) {
      u32 row = at;
      if (!is_each) {
        u32 place = places.list[at];
        if (place < starts[0] || place >= size) continue;
        row = row_at(starts, own, place);
        if (atomicOr(&truths[row], 1u) != 0) continue;
      }
      u64 from = offsets[first + row], below = offsets[first + row + 1], far = from & ~15ull;
      Text text = part_of(text_in((const u32*)(bytes + far), far, from, below), skip, take);
      if (likes(text, items, segments, several)) atomicOr(&truths[row], 2u);
    }
    __syncthreads();
    for (u32 at = threadIdx.x; at < own; at += blockDim.x) to[first + at] = truths[at] >> 1 & 1u;
  }
}
