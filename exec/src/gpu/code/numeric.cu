// Numbers of any scale: digits, and how many of them stand behind the point. What 127 bits do not hold is NO_NUMBER, which goes through
// all functions, and which the kernel looks for. Where there is a number it is the one that the processors get.
#define NO_NUMBER ((i128)((u128)1 << 127))
#define TOO_LARGE (~(u128)0)

// Functions that a card calls: as copies wherever they are called they are many times the rest of a kernel, and take seconds to compile.
#ifdef __CUDACC__
#define CALLED static __device__ __noinline__
#else
#define CALLED FUNCTION
#endif

FUNCTION u128 numeric_size(i128 a) { return a < 0 ? (u128)0 - (u128)a : (u128)a; }

FUNCTION i128 numeric_signed(u128 size, bool negative) {
  if (size >> 127) return NO_NUMBER;
  return negative ? -(i128)size : (i128)size;
}

// 10 to the power of 38 at most.
CALLED u128 numeric_power(u32 digits) {
  u128 power = 1, base = 10;
  for (; digits > 0; digits >>= 1, base *= base) if (digits & 1) power *= base;
  return power;
}

// The exponent of the leading digit.
CALLED u32 numeric_exponent(u128 size) {
  u32 exponent = 0;
  for (u128 power = 10; exponent < 38 && size >= power; power *= 10) exponent++;
  return exponent;
}

CALLED u128 numeric_times(u128 a, u128 b) {
  u64 a1 = (u64)(a >> 64), b1 = (u64)(b >> 64), a0 = (u64)a, b0 = (u64)b;
  if (a1 != 0 && b1 != 0) return TOO_LARGE;
  u128 low = (u128)a0 * b0;
  if (a1 == 0 && b1 == 0) return low;
  u128 high = (u128)a1 * b0 + (u128)a0 * b1 + (low >> 64);
  return high >> 64 ? TOO_LARGE : high << 64 | (u64)low;
}

CALLED u128 numeric_over(u128 a, u128 b) {
  if ((a >> 64) == 0 && (b >> 64) == 0) return (u64)a / (u64)b;
  return a / b;
}

// The digits at a scale that is no less.
CALLED i128 numeric_at(i128 a, u32 from, u32 to) {
  if (a == 0 || a == NO_NUMBER || from == to) return a;
  if (to - from > 38) return NO_NUMBER;
  return numeric_signed(numeric_times(numeric_size(a), numeric_power(to - from)), a < 0);
}

CALLED i128 numeric_product(i128 a, i128 b, u32 scale) {
  if (a == NO_NUMBER || b == NO_NUMBER || scale > 255) return NO_NUMBER;
  return numeric_signed(numeric_times(numeric_size(a), numeric_size(b)), (a < 0) != (b < 0));
}

CALLED i128 numeric_sum(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u32 scale = scale_a > scale_b ? scale_a : scale_b;
  i128 x = numeric_at(a, scale_a, scale), y = numeric_at(b, scale_b, scale);
  if (x == NO_NUMBER || y == NO_NUMBER) return NO_NUMBER;
  i128 sum = (i128)((u128)x + (u128)y);
  return (x < 0) == (y < 0) && (sum < 0) != (x < 0) ? NO_NUMBER : sum;
}

// Which is greater: 1, 0, -1. What has no room at the larger scale is further from zero than what has.
CALLED i32 numeric_order(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u32 scale = scale_a > scale_b ? scale_a : scale_b;
  i128 x = numeric_at(a, scale_a, scale), y = numeric_at(b, scale_b, scale);
  if (x == NO_NUMBER) return a < 0 ? -1 : 1;
  if (y == NO_NUMBER) return b < 0 ? 1 : -1;
  return x < y ? -1 : x > y ? 1 : 0;
}

// The exponent of the leading digit of base 10000; and that digit.
CALLED i32 numeric_weight(u128 size, u32 scale) {
  return size == 0 ? 0 : ((i32)numeric_exponent(size) - (i32)scale) >> 2;
}

CALLED u32 numeric_first(u128 size, u32 scale, i32 weight) {
  i32 place = weight * 4 + (i32)scale;
  if (size == 0) return 0;
  return (u32)(place >= 0 ? numeric_over(size, numeric_power((u32)place)) : size * numeric_power((u32)-place));
}

// `select_div_scale`.
CALLED u32 numeric_quotient_scale(i128 a, u32 scale_a, i128 b, u32 scale_b) {
  u128 x = numeric_size(a), y = numeric_size(b);
  i32 weight_a = numeric_weight(x, scale_a), weight_b = numeric_weight(y, scale_b);
  bool is_less = numeric_first(x, scale_a, weight_a) <= numeric_first(y, scale_b, weight_b);
  i32 to = 16 - (weight_a - weight_b - (is_less ? 1 : 0)) * 4;
  i32 own = (i32)(scale_a > scale_b ? scale_a : scale_b);
  to = to > own ? to : own;
  return to < 0 ? 0u : to > 1000 ? 1000u : (u32)to;
}

// The quotient at a scale that is no less than the operands', half away from zero.
CALLED i128 numeric_quotient(i128 a, u32 scale_a, i128 b, u32 scale_b, u32 to) {
  if (a == NO_NUMBER || b == NO_NUMBER || b == 0 || to > 255 || to < scale_a) return NO_NUMBER;
  u32 shift = to + scale_b - scale_a;
  u128 size = numeric_size(a), by = numeric_size(b), rest;
  u128 scaled = size == 0 ? 0 : shift > 38 ? TOO_LARGE : numeric_times(size, numeric_power(shift));
  u128 whole = numeric_over(scaled == TOO_LARGE ? size : scaled, by);
  rest = (scaled == TOO_LARGE ? size : scaled) - whole * by;
  if (scaled == TOO_LARGE) {
    // As on paper, as many digits at once as what is left over has room for.
    u32 room = numeric_exponent(TOO_LARGE / by);
    for (u32 left = shift; left > 0;) {
      u32 digits = room < left ? room : left;
      if (digits == 0) return NO_NUMBER;
      u128 power = numeric_power(digits), more = rest * power, part = numeric_over(more, by);
      whole = numeric_times(whole, power);
      if (whole >> 127) return NO_NUMBER;
      whole += part;
      rest = more - part * by;
      left -= digits;
    }
  }
  if (whole >> 127) return NO_NUMBER;
  return numeric_signed(whole + (rest >= by - rest ? 1 : 0), (a < 0) != (b < 0));
}

// The number at another scale: 0 rounded half away from zero, 1 towards zero, 2 down, 3 up.
CALLED i128 numeric_cut(i128 a, u32 from, u32 to, u32 how) {
  if (from <= to || a == NO_NUMBER) return numeric_at(a, from, to);
  u128 size = numeric_size(a), whole = 0, rest = size;
  bool up = false, negative = a < 0;
  // Of more digits nothing is left, not even half.
  if (from - to <= 38) {
    u128 by = numeric_power(from - to);
    whole = numeric_over(size, by);
    rest = size - whole * by;
    up = how == 0 && rest >= by - rest;
  }
  if (rest != 0) up = up || (how == 2 && negative) || (how == 3 && !negative);
  return numeric_signed(whole + (up ? 1 : 0), negative);
}

// The same, but no further from zero than a limit.
CALLED i128 numeric_narrow(i128 a, u32 from, u32 to, u32 how, i128 limit) {
  if (a == NO_NUMBER) return a;
  i128 cut = numeric_cut(a, from, to, how);
  if (cut == NO_NUMBER) return a < 0 ? -limit : limit;
  return cut > limit ? limit : cut < -limit ? -limit : cut;
}

