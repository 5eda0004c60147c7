// Functions of emitted kernels. No header is included: to read some takes longer than to compile a kernel.

FUNCTION bool bit(const u8* bits, u64 at) { return bits[at >> 3] >> (at & 7) & 1; }

FUNCTION bool word_bit(const u32* words, u32 at) { return words[at >> 5] >> (at & 31) & 1; }

// Eight neighbouring elements, the first of which is a multiple of eight, in as many words as an element has bytes: of narrow elements
// more than one must be on its way for each thread, or memory has nothing to do.
FUNCTION void lanes8(u64* to, const void* from, u64 row) { to[0] = ((const u64*)from)[row >> 3]; }

FUNCTION void lanes16(u64* to, const void* from, u64 row) {
  const u64* words = (const u64*)from + (row >> 2);
  to[0] = words[0], to[1] = words[1];
}

FUNCTION void lanes32(u64* to, const void* from, u64 row) {
  const u64* words = (const u64*)from + (row >> 1);
  to[0] = words[0], to[1] = words[1], to[2] = words[2], to[3] = words[3];
}

FUNCTION void lanes64(u64* to, const void* from, u64 row) {
  const u64* words = (const u64*)from + row;
  to[0] = words[0], to[1] = words[1], to[2] = words[2], to[3] = words[3];
  to[4] = words[4], to[5] = words[5], to[6] = words[6], to[7] = words[7];
}

FUNCTION u32 lane8(const u64* words, u32 lane) { return (u8)(words[0] >> (lane * 8)); }
FUNCTION u32 lane16(const u64* words, u32 lane) { return (u16)(words[lane >> 2] >> ((lane & 3) * 16)); }
FUNCTION u32 lane32(const u64* words, u32 lane) { return (u32)(words[lane >> 1] >> ((lane & 1) * 32)); }
FUNCTION u64 lane64(const u64* words, u32 lane) { return words[lane]; }

FUNCTION void set_bit(u32* words, u64 at) {
  u32 one = 1u << (at & 31);
  if ((*(volatile u32*)&words[at >> 5] & one) == 0) atomicOr(&words[at >> 5], one);
}

FUNCTION void set_flags(u32* word, u32 flags) {
  if ((*(volatile u32*)word & flags) != flags) atomicOr(word, flags);
}

FUNCTION void count32(u32* word, u32 more) { atomicAdd(word, more); }

FUNCTION u32 take(u32* word) { return atomicAdd(word, 1u); }

FUNCTION void put_shared(u32* words, u64 value) { *(u64*)words = value; }

struct alignas(16) Two { u64 first, second; };

FUNCTION void put_pair(u64* at, u64 first, u64 second) { *(Two*)at = Two{first, second}; }

// The memory of a block adds words of 32 bits at full speed, and wider ones by trying again: so a sum is a low word, and a high
// one that takes what goes over.
FUNCTION void add_shared(u32* low, u32 behind, i64 value) {
  u32 add = (u32)value, high = (u32)((u64)value >> 32);
  u32 before = atomicAdd(low, add);
  high += before + add < add ? 1u : 0u;
  if (high != 0) atomicAdd(low + behind, high);
}

// The same of 128 bits, in four words. Most numbers have few words, and few of them go over.
FUNCTION void add_shared_wide(u32* low, u32 behind, i128 value) {
  u32 over = 0;
  for (u32 at = 0; at < 4; at++) {
    u32 own = (u32)((u128)value >> (32 * at)), add = own + over;
    over = add < own ? 1u : 0u;
    if (add != 0) {
      u32 before = atomicAdd(low + at * behind, add);
      over |= before + add < add ? 1u : 0u;
    }
  }
}

FUNCTION i128 joined_wide(const u32* low, u32 behind) {
  u64 lower = (u64)low[behind] << 32 | low[0], upper = (u64)low[3 * behind] << 32 | low[2 * behind];
  return (i128)((u128)upper << 64 | lower);
}

FUNCTION i64 joined(const u32* low, u32 behind) { return (i64)((u64)low[behind] << 32 | low[0]); }

FUNCTION void add64(u64* sum, i64 value) {
  if (value != 0) atomicAdd(sum, (u64)value);
}

FUNCTION void add128(u64* low, u64* high, i64 value) {
  if (value == 0) return;
  u64 add = (u64)value;
  u64 before = atomicAdd(low, add);
  u64 over = (value < 0 ? ~0ull : 0ull) + (before + add < add ? 1ull : 0ull);
  if (over != 0) atomicAdd(high, over);
}

FUNCTION void add_wide(u64* low, u64* high, i128 value) {
  u64 add = (u64)value;
  u64 before = atomicAdd(low, add);
  u64 over = (u64)((u128)value >> 64) + (before + add < add ? 1ull : 0ull);
  if (over != 0) atomicAdd(high, over);
}

// Extremes are kept as words of which the greatest counts, so that memory of zeros is right to begin with.
FUNCTION u64 rising(i64 value) { return (u64)value ^ 0x8000000000000000ull; }

FUNCTION u64 falling(i64 value) { return ~rising(value); }

FUNCTION i64 risen(u64 word) { return (i64)(word ^ 0x8000000000000000ull); }

FUNCTION i64 fallen(u64 word) { return risen(~word); }

FUNCTION i128 wide(u64 low, u64 high) { return (i128)((u128)high << 64 | low); }

FUNCTION void most(u64* best, u64 value) {
  if (value > *(volatile u64*)best) atomicMax(best, value);
}

FUNCTION u32 rising32(i32 value) { return (u32)value ^ 0x80000000u; }

FUNCTION u32 falling32(i32 value) { return ~rising32(value); }

FUNCTION i64 risen32(u32 word) { return (i32)(word ^ 0x80000000u); }

FUNCTION i64 fallen32(u32 word) { return risen32(~word); }

FUNCTION void most32(u32* best, u32 value) {
  if (value > *(volatile u32*)best) atomicMax(best, value);
}

// Whether an entry is whose it is asked for; nobody's becomes that.
FUNCTION bool take_entry(u32* entry, u32 whose) {
  u32 there = *(volatile u32*)entry;
  if (there == 0) there = atomicCAS(entry, 0u, whose);
  return there == 0 || there == whose;
}

FUNCTION void most_shared(u32* best, u64 value) { most((u64*)best, value); }

FUNCTION u64 pair(const u32* words) { return *(const u64*)words; }

// Slots of a hash table, a power of two of them: each has one more than a code, or 0. The next one is tried where another code is.
FUNCTION u64 first_slot(u32 bits, u64 code) { return code * 0x9e3779b97f4a7c15ull >> (64 - bits); }

FUNCTION u32 fill_slot(u64* slots, u32 bits, u64 code) {
  u64 mask = (1ull << bits) - 1, at = first_slot(bits, code);
  for (;; at = (at + 1) & mask) {
    u64 there = *(volatile u64*)&slots[at];
    if (there == 0) there = atomicCAS(&slots[at], 0ull, code + 1);
    if (there == 0 || there == code + 1) return (u32)at;
  }
}

FUNCTION u32 find_slot(const u64* slots, u32 bits, u64 code) {
  u64 mask = (1ull << bits) - 1, at = first_slot(bits, code);
  for (;; at = (at + 1) & mask) {
    u64 there = slots[at];
    if (there == 0) return 0xffffffffu;
    if (there == code + 1) return (u32)at;
  }
}

// Whether it is the first that asks: of all threads that have one code one does.
FUNCTION bool take_bit(u32* words, u64 at) {
  u32 one = 1u << (at & 31);
  if ((*(volatile u32*)&words[at >> 5] & one) != 0) return false;
  return (atomicOr(&words[at >> 5], one) & one) == 0;
}

FUNCTION bool take_slot(u64* slots, u32 bits, u64 code) {
  u64 mask = (1ull << bits) - 1, at = first_slot(bits, code);
  for (;; at = (at + 1) & mask) {
    u64 there = *(volatile u64*)&slots[at];
    if (there == 0 && (there = atomicCAS(&slots[at], 0ull, code + 1)) == 0) return true;
    if (there == code + 1) return false;
  }
}

FUNCTION bool is_odd(double value) { return !(value - value == 0.0); }

FUNCTION bool float_less(double a, double b) { return a < b || (b != b && a == a); }

FUNCTION bool float_equal(double a, double b) { return a == b || (a != a && b != b); }

FUNCTION u64 float_bits(double value) {
  union { double value; u64 bits; } both;
  both.value = value;
  return both.bits;
}

FUNCTION double float_of_bits(u64 bits) {
  union { double value; u64 bits; } both;
  both.bits = bits;
  return both.value;
}

// A finite double is an integer of 53 bits, of which the lowest stands at a place: that of the least double is 0.
FUNCTION u64 float_integer(u64 bits) {
  u64 low = bits & 0xfffffffffffffull;
  return (bits >> 52 & 0x7ff) != 0 ? low | 0x10000000000000ull : low;
}

FUNCTION i32 float_place(u64 bits) {
  i32 field = (i32)(bits >> 52 & 0x7ff);
  return field != 0 ? field - 1 : 0;
}

// One more than the place of the lowest of all 53 bits; 0 of zero, 65535 of what is not finite.
FUNCTION u32 float_top(double value) {
  u64 bits = float_bits(value);
  if ((bits >> 52 & 0x7ff) == 0x7ff) return 65535u;
  return bits << 1 != 0 ? (u32)float_place(bits) + 1u : 0u;
}

// 4096 less the place of the lowest bit that is set; 0 of what has none.
FUNCTION u32 float_bottom(double value) {
  u64 bits = float_bits(value), whole = float_integer(bits);
  if (whole == 0 || (bits >> 52 & 0x7ff) == 0x7ff) return 0u;
#ifdef __CUDACC__
  i32 zeros = __ffsll((i64)whole) - 1;
#else
  i32 zeros = __builtin_ctzll(whole);
#endif
  return 4096u - (u32)(float_place(bits) + zeros);
}

// A double as an integer whose lowest bit stands at a place, where it has no bits below that.
FUNCTION i64 float_units(double value, i32 place) {
  u64 bits = float_bits(value), whole = float_integer(bits);
  i32 up = float_place(bits) - place;
  whole = up >= 0 ? whole << (up & 63) : whole >> (-up < 63 ? -up : 63);
  return (i64)(bits >> 63 != 0 ? 0ull - whole : whole);
}

FUNCTION i128 float_units_wide(double value, i32 place) {
  u64 bits = float_bits(value), whole = float_integer(bits);
  i32 up = float_place(bits) - place;
  u128 wide = up >= 0 ? (u128)whole << (up & 127) : (u128)(whole >> (-up < 63 ? -up : 63));
  return (i128)(bits >> 63 != 0 ? (u128)0 - wide : wide);
}

FUNCTION i32 bits_of(u64 value) {
  if (value == 0) return 0;
#ifdef __CUDACC__
  return 64 - __clzll((i64)value);
#else
  return 64 - __builtin_clzll(value);
#endif
}

// The double nearest to an integer whose lowest bit stands at a place, half to even. Nothing is lost below that of the least double.
FUNCTION double float_of_units(i128 sum, i32 place) {
  u128 whole = sum < 0 ? (u128)0 - (u128)sum : (u128)sum;
  i32 high = bits_of((u64)(whole >> 64)), bits = high != 0 ? 64 + high : bits_of((u64)whole);
  u64 kept = (u64)whole;
  if (bits > 53) {
    i32 less = bits - 53;
    u128 rest = whole & (((u128)1 << less) - 1), half = (u128)1 << (less - 1);
    kept = (u64)(whole >> less);
    if (rest > half || (rest == half && (kept & 1) != 0)) kept++;
    place += less;
    if (kept >> 53 != 0) kept >>= 1, place++;
  } else {
    i32 more = 53 - bits < place ? 53 - bits : place;
    if (bits != 0) kept <<= more, place -= more;
  }
  u64 field = kept >> 52 != 0 ? (u64)(place + 1) : 0;
  u64 sign = sum < 0 ? 0x8000000000000000ull : 0;
  return float_of_bits(sign | field << 52 | (kept & 0xfffffffffffffull));
}

// Zeros are alike, and so is what is no number, which stands last.
FUNCTION i64 float_order(double value) {
  if (value != value) return 0x7ff8000000000000ll;
  i64 bits = (i64)float_bits(value == 0.0 ? 0.0 : value);
  return bits < 0 ? bits ^ 0x7fffffffffffffffll : bits;
}

FUNCTION double float_of_order(i64 order) {
  return float_of_bits((u64)(order < 0 ? order ^ 0x7fffffffffffffffll : order));
}

FUNCTION double rounded(double value) { return (double)(float)value; }

FUNCTION i128 divide_half_away(i128 value, i128 by) {
  i128 quotient = value / by, rest = value % by;
  if (rest < 0) rest = -rest;
  if (rest >= by - rest) quotient += value < 0 ? -1 : 1;
  return quotient;
}

// The civil calendar, from the first of March of a year that 400 divide.
FUNCTION void civil(i32 days, i32* year, i32* month, i32* day) {
  i64 z = (i64)days + 719468;
  i64 era = (z >= 0 ? z : z - 146096) / 146097;
  i32 doe = (i32)(z - era * 146097);
  i32 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  i32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  i32 mp = (5 * doy + 2) / 153;
  *day = doy - (153 * mp + 2) / 5 + 1;
  *month = mp < 10 ? mp + 3 : mp - 9;
  *year = (i32)(yoe + era * 400) + (*month <= 2 ? 1 : 0);
}
FUNCTION i32 year_of(i32 days) { i32 y, m, d; civil(days, &y, &m, &d); return y; }
FUNCTION i32 month_of(i32 days) { i32 y, m, d; civil(days, &y, &m, &d); return m; }
FUNCTION i32 day_of(i32 days) { i32 y, m, d; civil(days, &y, &m, &d); return d; }

FUNCTION u32 ones(u32 bits) {
#ifdef __CUDACC__
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

FUNCTION u32 first_bit(u32 bits) { return ones((bits & (0u - bits)) - 1u); }

// An exclusive sum over the threads of a block; behind the words of all threads stands the sum of all. Who calls it again has a
// barrier between.
#ifdef __CUDACC__
// Blocks of a card are whole warps.
FUNCTION u32 scan_warp(u32 sum) {
  for (u32 far = 1; far < 32; far *= 2) {
    u32 other = __shfl_up_sync(0xffffffffu, sum, far);
    if ((threadIdx.x & 31) >= far) sum += other;
  }
  return sum;
}

FUNCTION u32 scan(u32* words, u32 own) {
  u32 me = threadIdx.x, warp = me >> 5, warps = blockDim.x >> 5;
  u32 sum = scan_warp(own);
  if ((me & 31) == 31) words[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    u32 of = me < warps ? words[me] : 0u;
    u32 all = scan_warp(of);
    if (me < warps) words[me] = all - of;
    if (me == 31) words[blockDim.x] = all;
  }
  __syncthreads();
  return words[warp] + sum - own;
}
#else
FUNCTION u32 scan(u32* words, u32 own) {
  u32 me = threadIdx.x, threads = blockDim.x;
  words[me] = own;
  __syncthreads();
  for (u32 far = 1; far < threads; far *= 2) {
    u32 other = me >= far ? words[me - far] : 0;
    __syncthreads();
    words[me] += other;
    __syncthreads();
  }
  if (me == threads - 1) words[threads] = words[me];
  u32 before = words[me] - own;
  __syncthreads();
  return before;
}
#endif
