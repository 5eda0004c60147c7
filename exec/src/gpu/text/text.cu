// A value of each row's text: what all kernels of texts begin with. `offset_t` is what an offset is. A block takes some rows at once, whose bytes lie side by side: all threads
// bring them into the block's memory, and then each has rows of its own there. What is too long for it is read where it lies.

struct alignas(16) Quad { u32 parts[4]; };

// Some bytes, by words of 32 bits; a word more may be read behind them.
struct Text { const u32* words; u32 from, below; };

const u32 NOWHERE = 0xffffffffu;

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
