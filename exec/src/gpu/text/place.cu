// How texts stand to some others.

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

KERNEL place(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u8* others, const u32* starts, const u32 several, const u8* truths, u8* to) {
  EACH_TEXT(to[own] = truths[place_of(text, others, starts, several)];)
}
