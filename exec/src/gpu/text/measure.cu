// How long texts are.

FUNCTION i32 length_of(Text text, u32 of_bytes) {
  if (of_bytes) return (i32)(text.below - text.from);
  i32 count = 0;
  for (u32 at = text.from; at < text.below; at++) count += goes_on(byte_at(text, at)) ? 0 : 1;
  return count;
}

KERNEL measure(const u8* bytes, const offset_t* offsets, const u32 rows, const u32 batch, const u32 room, const u32 skip, const u32 take, const u32 of_bytes, i32* to) {
  EACH_TEXT(to[own] = length_of(text, of_bytes);)
}
